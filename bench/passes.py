"""What each pass of the optimizer is good for: code and time with and without it, over the standard library.

    python -m bench.passes [--rounds 9] [--size 65537] [--device wasm] [--only strength]

Sizes are of all kernels of the standard library and of the examples, for those whose code a pass changes. Times are of
the kernels of the standard library whose code it changes: processor time of this process around a launch on buffers of
the device, both ways interleaved, medians. Both ways give the same bytes, which is checked first.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from math import exp, log
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np

import hologram_web as hg
from examples.bignum import kernels as bignum
from examples.edges import float_kernels, kernels
from hologram_web import stdlib
from hologram_web.backends import ExecutionParams, WasmBackend, WebGpuBackend
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import PASSES, optimize
from hologram_web.isa.address import ON_CHIP
from hologram_web.isa.verify import analyze
from hologram_web.kernels.lanes import asked
from hologram_web.targets import wasm, wgsl
from tests.everywhere.stdlib_cases import arguments, lanes

BLOCK = (256, 1, 1)
EXAMPLES = [k for m in (bignum, kernels, float_kernels) for k in vars(m).values() if isinstance(k, hg.Kernel)]
KERNELS = [
    kernel
    for kernel in (*map(stdlib.kernel, stdlib.NAMES), *EXAMPLES)
    if not any(instruction.row.collective for instruction in kernel.program.instructions)
]


class Code(NamedTuple):
    """The module, the shader with checks and the one without."""

    module: bytes
    shader: str
    fast: str


def code(kernel: hg.Kernel, without: frozenset[str] = frozenset()) -> Code:
    function = optimize(build(analyze(kernel.program), BLOCK), without=without)
    groups = [[base] for base in function.bases if base.space not in ON_CHIP]
    shader = wgsl.compile_kernel(function, groups, kernel.program.shared_memory)
    return Code(wasm.compile_kernel(function).code, shader.code, shader.fast[0].code if shader.fast else "")


def launcher(name: str, size: int, device: Any) -> tuple[Callable[[], None], Callable[[], list[bytes]]]:
    """What launches a kernel of the standard library on its buffers, and what reads them."""
    program, given = stdlib.kernel(name).program, arguments(name, size)
    args: dict[Any, Any] = {}
    for key, value in given.items():
        if isinstance(value, int | float):
            args[key] = value
        else:
            data = memoryview(value).cast("B")
            args[key] = device.allocate_buffer(max(len(data), 4))
            device.copy_to_buffer(args[key], bytes(data))
    handles = [value for value in args.values() if not isinstance(value, int | float)]
    params = ExecutionParams(asked(lanes(name, given)).config, args)

    def run() -> None:
        device.execute_program_with_params(program, params)
        device.sync()

    return run, lambda: [bytes(device.copy_from_buffer(handle)) for handle in handles]


def opened(device: str, without: frozenset[str]) -> Any:
    """A device that compiles everything itself, with the passes or without some."""
    if device == "wasm":
        found: Any = WasmBackend(cache=False)
    else:
        own = type("Own", (WebGpuBackend,), {"_kernels": type(WebGpuBackend._kernels)()})
        found = own(cache=False)
    found.optimize = partial(optimize, without=without)
    return found


def timed(device: str, names: list[str], size: int, left_out: str, rounds: int) -> dict[str, float]:
    """By kernel: time without the pass, over time with it."""
    ways = [opened(device, without) for without in (frozenset[str](), frozenset({left_out}))]
    found: dict[str, float] = {}
    for name in names:
        runs, reads = zip(*(launcher(name, size, way) for way in ways), strict=True)
        for run in runs:
            run()
        assert reads[0]() == reads[1](), f"{name} gives other bytes without {left_out}"
        spent: list[list[float]] = [[], []]
        for number in range(2 * rounds):  # who is first alternates
            for side in (0, 1) if number % 2 else (1, 0):
                start = time.process_time()
                runs[side]()
                spent[side].append(time.process_time() - start)
        found[name] = median(spent[1]) / median(spent[0])
    return found


def geometric(ratios: list[float]) -> float:
    return exp(mean(map(log, ratios))) if ratios else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.passes")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--size", type=int, default=65_537)
    parser.add_argument("--device", default="wasm", choices=("wasm", "webgpu"))
    parser.add_argument("--only", choices=PASSES, action="append")
    options = parser.parse_args()
    np.seterr(all="ignore")
    whole = {kernel.name: code(kernel) for kernel in KERNELS}
    print(f"{date.today()}, {options.device}, {options.size:,} lanes, {2 * options.rounds} rounds; without / with it")
    print("| Pass | Kernels | Module | Shader | Time | Least | Most |\n|---|---|---|---|---|---|---|")
    for name in options.only or PASSES:
        other = {kernel.name: code(kernel, frozenset({name})) for kernel in KERNELS}
        changed = [kernel for kernel in whole if other[kernel] != whole[kernel]]
        sizes = [
            geometric([len(other[kernel][part]) / len(whole[kernel][part]) for kernel in changed]) for part in (0, 1)
        ]
        names = [kernel for kernel in stdlib.NAMES if stdlib.kernel(kernel).name in changed]
        ratios = timed(options.device, names, options.size, name, options.rounds)
        least, most = (f(ratios, key=ratios.__getitem__, default="") for f in (min, max))
        ends = [f"{ratios[end]:.2f} {end}" if end else "" for end in (least, most)]
        row = [f"{len(changed)}", *(f"{size:.3f}" for size in sizes), f"{geometric([*ratios.values()]):.3f}", *ends]
        print(f"| `{name}` | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
