"""What it costs to check each index against its axis: kernels with checks="axis" and with checks="buffer".

    python -m bench.axes [--rounds 15] [--devices wasm,webgpu] [--size 512]

Of the checks that the translation writes into a program, `left` are those that no range of values makes needless, and
`unproven` those of them that stay in the code for launches whose conditions hold. Times are medians of processor time
of this process around a launch on buffers of the device, both ways interleaved; both ways give the same bytes, which is
checked first. Kernels whose programs are the same both ways are counted, and not timed.
"""

# mypy: ignore-errors
# To Python hg.f32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

import argparse
import time
from datetime import date
from math import exp, log
from statistics import mean
from statistics import median as middle

import numpy as np

import hologram_web as hg
from examples.edges import kernels as edges
from hologram_web import stdlib
from hologram_web.compiler.accesses import axes_of
from hologram_web.compiler.bounds import Bounds
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.frontends.python.translate import translate
from hologram_web.isa.address import ON_CHIP
from hologram_web.isa.verify import analyze
from hologram_web.targets import wasm, wgsl

TILE = 16


@hg.kernel
def blur(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    r, c = hg.global_id(1), hg.global_id(0)
    height, width = x.shape
    if r > 0 and r < height - 1 and c > 0 and c < width - 1:
        total = x[r - 1, c - 1] + x[r - 1, c] + x[r - 1, c + 1]
        total += x[r, c - 1] + x[r, c] + x[r, c + 1]
        y[r, c] = (total + x[r + 1, c - 1] + x[r + 1, c] + x[r + 1, c + 1]) / 9


@hg.kernel
def blur_clamped(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    r, c = hg.global_id(1), hg.global_id(0)
    total = hg.f32(0)
    for i in range(-1, 2):
        for j in range(-1, 2):
            total += x[max(0, min(r + i, x.shape[0] - 1)), max(0, min(c + j, x.shape[1] - 1))]
    y[r, c] = total / 9


@hg.kernel
def copy_rows(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    r, c = hg.global_id(1), hg.global_id(0)
    y[r, c] = x[r, c]


@hg.kernel
def shifted(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2], by: hg.Array[hg.i32, 2]):
    r, c = hg.global_id(1), hg.global_id(0)
    y[r, c] = x[r, c + by[r, c]]


@hg.kernel
def split_index(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    i = hg.global_id()
    width = x.shape[1]
    if i < x.shape[0] * width:
        y[i // width, i % width] = 2 * x[i // width, i % width]


@hg.kernel
def matmul(a: hg.Array[hg.f32, 2], b: hg.Array[hg.f32, 2], c: hg.Array[hg.f32, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    if row < c.shape[0] and column < c.shape[1]:
        total = hg.f32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@hg.kernel
def matmul_tiled(a: hg.Array[hg.f32, 2], b: hg.Array[hg.f32, 2], c: hg.Array[hg.f32, 2]):
    left = hg.shared(hg.f32, (TILE, TILE))
    right = hg.shared(hg.f32, (TILE, TILE))
    i, j = hg.local_id(1), hg.local_id(0)
    row, column = hg.global_id(1), hg.global_id(0)
    inner = a.shape[1]
    total = hg.f32(0)
    for start in range(0, inner, TILE):
        left[i, j] = a[row, start + j] if row < a.shape[0] and start + j < inner else 0.0
        right[i, j] = b[start + i, column] if start + i < inner and column < b.shape[1] else 0.0
        hg.barrier()
        for k in range(TILE):
            total += left[i, k] * right[k, j]
        hg.barrier()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@hg.kernel
def median(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    i = hg.global_id()
    window = hg.local(hg.i32, 9)
    for k in range(9):
        value = x[hg.clamp(i + k - 4, 0, len(x) - 1)]
        at = k
        while at > 0 and window[max(at - 1, 0)] > value:
            window[at] = window[at - 1]
            at -= 1
        window[at] = value
    y[i] = window[4]


def cases(size: int):
    """Kernels with their lanes and arguments."""
    rng = np.random.default_rng(14)
    plane = rng.random((size, size), np.float32)
    grid, block, n = (size, size), (TILE, TILE), size // 4
    two, three = [plane, np.zeros_like(plane)], [rng.random((n, n), np.float32) for _ in range(3)]
    yield blur, (grid, block), two
    yield blur_clamped, (grid, block), two
    yield copy_rows, (grid, block), two
    yield shifted, (grid, block), [*two, -rng.integers(0, np.arange(size) + 1, (size, size)).astype(np.int32)]
    yield split_index, size * size, two
    yield matmul, ((n, n), block), three
    yield matmul_tiled, ((n, n), block), three
    yield median, size * size // 4, [rng.integers(0, 99, size * size // 4).astype(np.int32) for _ in range(2)]
    types = {"u8": np.uint8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32}
    for name in (*(name for name in edges.__all__ if isinstance(getattr(edges, name), hg.Kernel)),):
        kernel, values = getattr(edges, name), []
        if name == "mandelbrot":
            yield kernel, (grid, block), [np.zeros(grid, np.uint16), -2.0, -1.5, 3 / size, 50]
            continue
        for ty in kernel.params.values():
            if isinstance(ty, hg.Type):
                values.append(200 if not values or not isinstance(values[-1], int) else 400)
            else:
                shape = (size, size, 3)[: ty.ndim] if ty.ndim > 1 else (256,)
                top = {"hysteresis_step": 3, "suppress": 9}.get(name, 200)
                values.append(rng.integers(0, top, shape).astype(types[str(ty.ty)]))
        yield kernel, (grid, block), values


def counted(kernel: hg.Kernel, block: tuple[int, int, int]) -> tuple[int, int, int]:
    """How many checks are written, are left by ranges, and are not proven."""
    written = sum(instruction.name == "CHK" for instruction in kernel.program.instructions)
    function = optimize(build(analyze(kernel.program), block))
    left = {(node, number) for node in function.nodes() for number in range(len(axes_of(node)))}
    return written, len(left), len(left - Bounds(function, launch=True).prove(function.nodes())[1])


def compiling(kernel: hg.Kernel, block: tuple[int, int, int]) -> tuple[float, float]:
    """Milliseconds from the syntax tree to the code of both targets, with checks="axis" and with checks="buffer"."""
    times = [[], []]
    for _ in range(5):
        for place, checks in enumerate(("axis", "buffer")):
            start = time.process_time()
            program = translate(kernel._definition.checking(checks)).program
            function = optimize(build(analyze(program), block))
            wasm.compile_kernel(function)
            groups = [[base] for base in function.bases if base.space not in ON_CHIP]
            wgsl.compile_kernel(function, groups, program.shared_memory)
            times[place].append(1000 * (time.process_time() - start))
    return middle(times[0]), middle(times[1])


def runner(kernel: hg.Kernel, launch, values, executor: hg.Executor):
    """What launches it, and what reads the results."""
    given = [executor.array(value) if isinstance(value, np.ndarray) else value for value in values]
    run = kernel[launch]

    def once() -> None:
        run(*given)
        executor.device.sync()

    return once, lambda: [value.numpy().tobytes() for value in given if not isinstance(value, int | float)]


def compared(kernel: hg.Kernel, launch, values, executor: hg.Executor, rounds: int) -> tuple[float, float]:
    """Milliseconds with checks="axis" and with checks="buffer"."""
    runs = [runner(kernel.checking(checks), launch, values, executor) for checks in ("axis", "buffer")]
    for once, _ in runs:
        once()
    assert runs[0][1]() == runs[1][1](), kernel.name
    times = [[], []]
    start = time.process_time()
    runs[0][0]()
    repeats = max(1, min(50, int(0.02 / max(time.process_time() - start, 1e-5))))
    for number in range(rounds):
        for place in (0, 1) if number % 2 else (1, 0):
            start = time.process_time()
            for _ in range(repeats):
                runs[place][0]()
            times[place].append(1000 * (time.process_time() - start) / repeats)
    return middle(times[0]), middle(times[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--devices", default="wasm,webgpu")
    parser.add_argument("--size", type=int, default=512)
    options = parser.parse_args()
    names = options.devices.split(",")
    devices = {name: hg.Executor(name) for name in names}
    print(f"{date.today()}: {options.size} x {options.size} elements; milliseconds with axis and with buffer checks")
    print(f"| Kernel | Checks written | left | unproven | {' | '.join(f'{n}, axis / buffer' for n in names)} |")
    print(f"|---|---|---|---|{'---|' * len(names)}")
    ratios = {name: [] for name in (*names, "compiling")}
    for kernel, launch, values in cases(options.size):
        block = (TILE, TILE, 1) if isinstance(launch, tuple) else (256, 1, 1)
        cells = []
        for name, device in devices.items():
            axis, buffer = compared(kernel, launch, values, device, options.rounds)
            ratios[name].append(axis / buffer)
            cells.append(f"{axis:.2f} / {buffer:.2f} = {axis / buffer:.2f}")
        axis, buffer = compiling(kernel, block)
        ratios["compiling"].append(axis / buffer)
        print(f"| `{kernel.name}` | {' | '.join([*map(str, counted(kernel, block)), *cells])} |", flush=True)
    for name, found in ratios.items():
        print(f"{name}: {exp(mean(map(log, found))):.3f} of the time with checks of buffers, geometric mean")
    library = [stdlib.kernel(name) for name in stdlib.NAMES]
    same = sum(kernel.program.to_bytes() == kernel.checking("buffer").program.to_bytes() for kernel in library)
    print(f"of {len(library)} kernels of the standard library {same} are the same program both ways")


if __name__ == "__main__":
    main()
