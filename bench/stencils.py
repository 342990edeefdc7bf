"""`python -m bench.stencils`: kernels of two axes in packets of 8, 4 and 2 lanes on WebGPU, compiled and run.

Times are of the processor, all threads of this process together: on a software adapter that is the work, whoever else
uses the machine. The adapter's own cache of shaders is off. What one launch takes is the median of a dozen; what
compiling takes is a first launch less that.
"""

# mypy: ignore-errors

from __future__ import annotations

import os

os.environ |= {"MESA_SHADER_CACHE_DISABLE": "true", "HOLOGRAM_WEB_CACHE": "off"}

import time
from datetime import date
from statistics import median

import click
import numpy as np

import hologram_web as hg
from hologram_web.backends.webgpu import WebGpuBackend
from hologram_web.targets.wgsl import packets

_SIZE = 1024


@hg.kernel
def blur(a: hg.Array[hg.f32, 2], b: hg.Array[hg.f32, 2]):
    x, y = hg.global_id(0), hg.global_id(1)
    h, w = b.shape
    if x > 0 and x < w - 1 and y > 0 and y < h - 1:
        b[y, x] = (a[y, x] + a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]) * 0.2


@hg.kernel
def gray_scott(
    u: hg.Array[hg.f32, 2], v: hg.Array[hg.f32, 2], next_u: hg.Array[hg.f32, 2], next_v: hg.Array[hg.f32, 2]
):
    x, y = hg.global_id(0), hg.global_id(1)
    h, w = u.shape
    if x > 0 and x < w - 1 and y > 0 and y < h - 1:
        around_u = u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1] - 4.0 * u[y, x]
        around_v = v[y - 1, x] + v[y + 1, x] + v[y, x - 1] + v[y, x + 1] - 4.0 * v[y, x]
        met = u[y, x] * v[y, x] * v[y, x]
        next_u[y, x] = u[y, x] + 0.16 * around_u - met + 0.035 * (1.0 - u[y, x])
        next_v[y, x] = v[y, x] + 0.08 * around_v + met - 0.1 * v[y, x]


def measured(kernel, width: int) -> tuple[float, float, bytes]:
    """Milliseconds to compile and to run it in packets of so many lanes, and what it writes."""
    packets._WIDEST_OF_AXES = width
    WebGpuBackend.forget_kernels()
    count = len(kernel.program.params) // 3  # an array has two sizes besides
    random = np.random.default_rng(1)
    with hg.Executor("webgpu") as ex:
        ex.device._gpu._pipelines.clear()
        buffers = [ex.array(random.random((_SIZE, _SIZE), dtype=np.float32)) for _ in range(count)]
        launch = kernel.on(ex)[(_SIZE, _SIZE), (16, 16)]
        times = []
        for _ in range(13):
            begun = time.process_time()
            launch(*buffers)
            ex.sync()
            times.append(1000 * (time.process_time() - begun))
        usual = median(times[1:])
        return times[0] - usual, usual, buffers[-1].numpy().tobytes()


@click.command()
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    """Kernels of two axes in packets of 8, 4 and 2 lanes on WebGPU."""
    print(f"{date.today()}, {os.cpu_count()} cores, medians of {rounds} rounds, ms of processor time\n")
    measured(blur, 2)  # opens the device
    print("| kernel | lanes of a packet | to compile | to run |\n|---|---|---|---|")
    for kernel in (blur, gray_scott):
        found: dict[int, list[tuple[float, float, bytes]]] = {8: [], 4: [], 2: []}
        for _ in range(rounds):
            for width, kept in found.items():
                kept.append(measured(kernel, width))
        assert len({result for kept in found.values() for _, _, result in kept}) == 1
        for width, kept in found.items():
            compiling, running = (median(times[part] for times in kept) for part in (0, 1))
            print(f"| {kernel.name} | {width} | {compiling:.0f} | {running:.1f} |")


if __name__ == "__main__":
    main()
