"""Block operations beside the same by hand, in shared memory.

    python -m bench.blocks [--rounds 100] [--devices wasm,webgpu]

Times are the least of launches on buffers of the device, the two ways interleaved; both ways give the same bytes, which
is checked first.
"""

# mypy: ignore-errors
# To Python hg.f32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

import argparse
import time

import numpy as np

import hologram_web as hg


@hg.kernel
def tree(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    slots = hg.shared(hg.f32, 256)
    i, lane = hg.global_id(), hg.local_id()
    slots[lane] = x[i]
    hg.barrier()
    for stride in (128, 64, 32, 16, 8, 4, 2, 1):
        if lane < stride:
            slots[lane] += slots[lane + stride]
        hg.barrier()
    if lane == 0:
        y[hg.block_id()] = slots[0]


@hg.kernel
def block_sum(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    total = hg.block_sum(x[hg.global_id()])
    if hg.local_id() == 0:
        y[hg.block_id()] = total


@hg.kernel
def tree_of_most(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    slots = hg.shared(hg.f32, 256)
    i, lane = hg.global_id(), hg.local_id()
    slots[lane] = x[i]
    hg.barrier()
    for stride in (128, 64, 32, 16, 8, 4, 2, 1):
        if lane < stride:
            slots[lane] = max(slots[lane], slots[lane + stride])
        hg.barrier()
    y[i] = x[i] - slots[0]


@hg.kernel
def block_max(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    y[i] = x[i] - hg.block_max(x[i])


@hg.kernel
def steps(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    """A scan by W. Hillis and G. Steele's steps."""
    slots = hg.shared(hg.i32, 256)
    i, lane = hg.global_id(), hg.local_id()
    total = x[i]
    slots[lane] = total
    hg.barrier()
    for step in (1, 2, 4, 8, 16, 32, 64, 128):
        if lane >= step:
            total = slots[lane - step] + total
        hg.barrier()
        slots[lane] = total
        hg.barrier()
    y[i] = total


@hg.kernel
def block_scan(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    i = hg.global_id()
    y[i] = hg.block_scan(x[i])


PAIRS = ((block_sum, tree, "f4"), (block_max, tree_of_most, "f4"), (block_scan, steps, "i4"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--devices", default="wasm,webgpu")
    given = parser.parse_args()
    lanes = 1 << 18
    for device in given.devices.split(","):
        with hg.Executor(device) as ex:
            for ours, by_hand, ty in PAIRS:
                x = ex.array((np.random.default_rng(1).random(lanes) * 100).astype(ty))
                outputs = [ex.array(np.zeros(lanes, ty)) for _ in range(2)]
                times = [[], []]
                for number in range(given.rounds + 2):
                    for kernel, y, found in zip((ours, by_hand), outputs, times, strict=True):
                        before = time.perf_counter()
                        kernel[lanes](x, y)
                        ex.sync()
                        if number > 1:
                            found.append(time.perf_counter() - before)
                assert (outputs[0].numpy() == outputs[1].numpy()).all()
                one, other = map(min, times)
                both = f"{one * 1e3:7.3f} ms  by hand {other * 1e3:7.3f} ms"
                print(f"{device:7} {ours.name:10} {both}  {one / other:.2f}")


if __name__ == "__main__":
    main()
