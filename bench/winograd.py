"""`python -m bench.winograd`: what Winograd's way would make of a convolution of 3 x 3, 64 channels and 56 x 56.

It makes squares of 2 x 2 pixels from 16 products in place of 36. Beside Conv2D stand its three steps, written as
ordinary kernels and a BatchedGEMM: pixels into sums, 16 products of matrices, and those into pixels. Kernels are turned
beforehand, and images have their zeros: nothing of that is in any time. On the device wasm, natively, one thread,
exact and with `math="fast"`, milliseconds of the processor, the least of the turns; results are compared first.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import time
from collections.abc import Callable

import click
import numpy as np

import hologram_web as hg

CHANNELS, SIDE = 64, 56
PADDED, HALF = SIDE + 2, SIDE // 2
TILES = HALF * HALF
_TURN = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], np.float32)  # of kernels, along an axis


@hg.kernel
def spread(x: hg.Array[hg.f32], v: hg.Array[hg.f32]):
    """The 16 sums of a square of 4 x 4 pixels, each in a matrix of its own: channels by squares."""
    column, row, channel = hg.global_id(0), hg.global_id(1), hg.global_id(2)
    d, t = hg.registers((4, 4), hg.f32), hg.registers((4, 4), hg.f32)
    first = (channel * PADDED + row * 2) * PADDED + column * 2
    for i in hg.static_range(4):
        for j in hg.static_range(4):
            d[i, j] = x[first + i * PADDED + j]
    for j in hg.static_range(4):
        t[0, j] = d[0, j] - d[2, j]
        t[1, j] = d[1, j] + d[2, j]
        t[2, j] = d[2, j] - d[1, j]
        t[3, j] = d[1, j] - d[3, j]
    at = channel * TILES + row * HALF + column
    for i in hg.static_range(4):
        v[i * 4 * (CHANNELS * TILES) + at] = t[i, 0] - t[i, 2]
        v[(i * 4 + 1) * (CHANNELS * TILES) + at] = t[i, 1] + t[i, 2]
        v[(i * 4 + 2) * (CHANNELS * TILES) + at] = t[i, 2] - t[i, 1]
        v[(i * 4 + 3) * (CHANNELS * TILES) + at] = t[i, 1] - t[i, 3]


@hg.kernel
def gathered(m: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    """The four pixels of a square from its 16 products."""
    column, row, channel = hg.global_id(0), hg.global_id(1), hg.global_id(2)
    t = hg.registers((2, 4), hg.f32)
    at = channel * TILES + row * HALF + column
    for j in hg.static_range(4):
        a, b = m[j * (CHANNELS * TILES) + at], m[(4 + j) * (CHANNELS * TILES) + at]
        c, d = m[(8 + j) * (CHANNELS * TILES) + at], m[(12 + j) * (CHANNELS * TILES) + at]
        t[0, j] = a + b + c
        t[1, j] = b - c - d
    first = (channel * SIDE + row * 2) * SIDE + column * 2
    for i in hg.static_range(2):
        y[first + i * SIDE] = t[i, 0] + t[i, 1] + t[i, 2]
        y[first + i * SIDE + 1] = t[i, 1] - t[i, 2] - t[i, 3]


def _program(text: str, **uses: str) -> hg.Program:
    return hg.Program.from_text("".join(f".param {n}: buffer f32 {use}\n" for n, use in uses.items()) + f"    {text}\n")


CONVOLUTION = _program(
    f"conv2d.f32 [y], [x], [w], 1, {CHANNELS}, {CHANNELS}, {PADDED}, {PADDED}, 3, 3", y="write", x="read", w="read"
)
PRODUCTS = _program(
    f"batched_gemm.f32 [m], [u], [v], 16, {CHANNELS}, {TILES}, {CHANNELS}", m="write", u="read", v="read"
)


def steps(math: str) -> dict[str, Callable[[], None]]:
    """The convolution, and the steps of the other way, each to be timed. Results are compared before."""
    chance, ex = np.random.default_rng(1), hg.Executor("wasm", threads=1, math=math)
    x = chance.random((CHANNELS, PADDED, PADDED), np.float32) - np.float32(0.5)
    w = chance.random((CHANNELS, CHANNELS, 3, 3), np.float32) - np.float32(0.5)
    turned = np.einsum("ia,ocab,jb->ijoc", _TURN, w, _TURN).reshape(16, CHANNELS, CHANNELS)
    held = {"x": ex.array(x.ravel()), "w": ex.array(w), "u": ex.array(np.ascontiguousarray(turned, np.float32))}
    held |= {name: ex.zeros(16 * CHANNELS * TILES) for name in "vm"} | {"y": ex.zeros(CHANNELS * SIDE * SIDE)}
    lanes = hg.LaunchConfig.grid_3d(HALF, HALF, CHANNELS)
    found = {
        "Conv2D": lambda: ex.run(CONVOLUTION, 1, x=held["x"], w=held["w"], y=held["y"]),
        "pixels into sums": lambda: ex.run(spread, lanes, x=held["x"], v=held["v"]),
        "16 products": lambda: ex.run(PRODUCTS, 1, u=held["u"], v=held["v"], m=held["m"]),
        "products into pixels": lambda: ex.run(gathered, lanes, m=held["m"], y=held["y"]),
    }
    found["Conv2D"]()
    wanted = held["y"].numpy().copy()
    held["y"].fill(0)
    for run in list(found.values())[1:]:
        run()
    far = abs(held["y"].numpy() - wanted).max() / abs(wanted).max()
    assert far < 1e-4, far
    return found


def measured(rounds: int) -> dict[str, dict[str, float]]:
    """Milliseconds of the processor by `math` and step, the least of the turns."""
    found = {math: steps(math) for math in ("exact", "fast")}
    least = {math: dict.fromkeys(some, float("inf")) for math, some in found.items()}
    for _ in range(rounds):
        for math, some in found.items():
            for name, run in some.items():
                start = time.process_time()
                run()
                least[math][name] = min(least[math][name], 1000 * (time.process_time() - start))
    return least


@click.command(help=__doc__)
@click.option("--rounds", default=30, show_default=True)
def main(rounds: int) -> None:
    print(f"load {os.getloadavg()[0]:.1f}")
    for math, least in measured(rounds).items():
        whole, *others = least.values()
        print(f"{math}:", ", ".join(f"{name} {ms:.2f} ms" for name, ms in least.items()))
        share = f"{sum(others) / whole:.2f} of Conv2D; the products alone {others[1] / whole:.2f}"
        print(f"  all steps {sum(others):.2f} ms, {share}")


if __name__ == "__main__":
    main()
