"""What the compiler makes of a program: the shader, the WebAssembly module as text, and how long that takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

import hologram_web as hg
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa.address import Space
from hologram_web.isa.lift import lift
from hologram_web.isa.verify import analyze
from hologram_web.targets import wasm, wgsl
from hologram_web.targets.wasm.disassemble import disassemble

__all__ = ["Code", "generate"]

_ROUNDS = 5


@dataclass(frozen=True)
class Code:
    """The code of one program for both targets.

    `ms` are medians of five rounds: `verify`, `ir` (building it and the passes), `wgsl` and `wasm` (code from IR).
    """

    wgsl: str
    wat: str
    wasm_size: int
    ms: dict[str, float]


def generate(program: hg.Program, launch: hg.LaunchConfig) -> Code:
    """Compiles a program without collectives for the blocks of a launch. Raises CompileError."""
    times: dict[str, list[float]] = {}
    lifted = lift(program)[0]
    block = (launch.block.x, launch.block.y, launch.block.z)
    shared = lifted.shared_memory + launch.shared_memory
    for _ in range(_ROUNDS):
        with _timed(times, "verify"):
            analysis = analyze(lifted)
        with _timed(times, "ir"):
            function = optimize(build(analysis, block))
        groups = [[base] for base in function.bases if base.space is not Space.SHARED]
        with _timed(times, "wgsl"):
            shader = wgsl.compile_kernel(function, groups, shared)
        with _timed(times, "wasm"):
            kernel = wasm.compile_kernel(function)
    ms = {name: median(values) for name, values in times.items()}
    return Code(shader.code, disassemble(kernel.code), len(kernel.code), ms)


@contextmanager
def _timed(times: dict[str, list[float]], name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    times.setdefault(name, []).append(1000 * (time.perf_counter() - start))
