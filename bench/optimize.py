"""What `Program.optimize` does to programs, what it takes, and whether what comes after it gets faster.

.venv/bin/python -m bench.optimize

Instructions of the standard library and of the examples, before and after; processor time of optimizing, of compiling
to WebAssembly and of launches on `cpu` and `wasm`, each with the program as it is and optimized in turn: medians.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import hologram_web as hg
from examples.bignum import kernels as bignum
from examples.edges import float_kernels, kernels, rows
from hologram_web import stdlib
from hologram_web.compiler import passes
from hologram_web.compiler.build import build
from hologram_web.isa import Program
from hologram_web.isa.lift import lift
from hologram_web.isa.verify import analyze
from hologram_web.targets.wasm import compile_kernel

ROUNDS = 9
# Kernels that are launched: lanes, buffers by name, scalars.
LAUNCHES: dict[str, tuple[int, dict[str, int], dict[str, float]]] = {
    "vector_add": (1 << 18, {"a": 1 << 18, "b": 1 << 18, "c": 1 << 18}, {"n": 1 << 18}),
    "gelu": (1 << 18, {"X": 1 << 18, "Y": 1 << 18}, {"n": 1 << 18}),
    "matmul": (1 << 14, {"A": 1 << 13, "B": 1 << 13, "Y": 1 << 14}, {"M": 128, "N": 128, "K": 64}),
    "conv": (120 * 120, {"X": 1 << 14, "W": 81, "Y": 120 * 120}, {"H_in": 128, "W_in": 128, "K_h": 9, "K_w": 9}),
    "layer_norm": (
        512,
        {"X": 1 << 16, "scale": 128, "bias": 128, "Y": 1 << 16},
        {"batch_size": 512, "features": 128, "epsilon": 1.0},
    ),
}


def programs(*modules: Any) -> Iterator[Program]:
    """The programs of the kernels in modules, each once."""
    found = {id(value): value for module in modules for value in vars(module).values() if isinstance(value, hg.Kernel)}
    for kernel in found.values():
        yield kernel.program


def medians(*works: Callable[[], Any], rounds: int = ROUNDS) -> list[float]:
    """Milliseconds of processor time, the works taking turns."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for taken, work in zip(times, works, strict=True):
            start = time.process_time()
            work()
            taken.append(1000 * (time.process_time() - start))
    return [statistics.median(taken) for taken in times]


def sizes(what: str, all_of_them: list[Program]) -> None:
    optimizer = hg.ProgramOptimizer()
    before, after, data, times, counters = [], [], [0, 0], [], dict.fromkeys(optimizer.passes, 0)
    for program in all_of_them:
        start = time.process_time()
        better = optimizer.optimize(program)
        times.append(1000 * (time.process_time() - start))
        before.append(len(program))
        after.append(len(better))
        data = [data[0] + len(program.to_bytes()), data[1] + len(better.to_bytes())]
        for name, count in optimizer.counters.items():
            counters[name] += count
    share = statistics.median(1 - b / a for a, b in zip(before, after, strict=True))
    print(
        f"{what}: {len(before)} programs, {sum(before)} instructions, now {sum(after)}, median {share:.0%} fewer; "
        f"{data[0]:,} bytes, now {data[1]:,}; {statistics.median(times):.1f} ms each (median), {sum(times):.0f} ms all"
    )
    print("  " + ", ".join(f"{name} {count}" for name, count in counters.items()))


def module(program: Program) -> bytes:
    """The WebAssembly of a program, from nothing that is kept."""
    function = passes.optimize(build(analyze(lift(program)[0]), (256, 1, 1)))
    return compile_kernel(function).code


def compiling() -> None:
    def work(chosen: list[Program]) -> Callable[[], int]:
        return lambda: sum(len(module(program)) for program in chosen)

    every = [stdlib.kernel(name).program for name in stdlib.NAMES]
    plain = [program for program in every if not any(i.row.collective for i in program.instructions)]
    better = [program.optimize() for program in plain]
    a, b = medians(work(plain), work(better), rounds=5)
    print(f"compiling {len(plain)} to WebAssembly: {a:.0f} ms, optimized before {b:.0f} ms;", end=" ")
    print(f"{work(plain)():,} bytes of modules, then {work(better)():,}")


def launches(device: Any) -> None:
    for name, (lanes, buffers, scalars) in LAUNCHES.items():
        program = stdlib.kernel(name).program
        rng = np.random.default_rng(1)
        handles = {}
        for param, length in buffers.items():
            handles[param] = device.allocate_buffer(4 * length)
            device.copy_to_buffer(handles[param], rng.random(length, "f4").tobytes())
        params = hg.ExecutionParams(hg.LaunchConfig.linear(lanes), {**handles, **scalars})

        def launch(chosen: Program, params: hg.ExecutionParams = params) -> Callable[[], None]:
            return lambda: device.execute_program_with_params(chosen, params)

        works = launch(program), launch(program.optimize())
        for work in works:
            work()
        a, b = medians(*works)
        print(f"{device.name}, {name} with {lanes} lanes: {a:.2f} ms, optimized {b:.2f} ms")


if __name__ == "__main__":
    sizes("standard library", [stdlib.kernel(name).program for name in stdlib.NAMES])
    sizes("examples/edges", list(programs(kernels, float_kernels, rows)))
    sizes("examples/bignum", list(programs(bignum)))
    compiling()
    for device in (hg.backends.CpuBackend(), hg.backends.WasmBackend()):
        launches(device)
