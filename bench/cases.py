"""What is measured: programs, their inputs, and the same work in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hologram_web import LaunchConfig, Program

__all__ = ["CASES", "Case"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """`peer` does by NumPy what the program does: `moved` bytes are read and written, `work` operations done.

    Arrays among the arguments become buffers, z is the result. Results agree bit for bit, or relatively within
    `tolerance`; those of shaders within `tolerance` and `shader_tolerance`, but for `shader_strays` of the elements.
    """

    name: str
    size: str
    config: LaunchConfig
    arguments: dict[str, Any]
    peer: Callable[[], Array]
    moved: int
    work: int
    tolerance: float = 0.0
    shader_tolerance: float = 0.0
    shader_strays: float = 0.0

    @property
    def lanes(self) -> int:
        return self.config.total_threads()

    @property
    def program(self) -> Program:
        text = Path(__file__).with_name("programs") / f"{self.name}.atlas"
        return Program.from_text(text.read_text(encoding="utf-8"))


def saxpy(n: int = 1 << 22) -> Case:
    x, y = np.random.default_rng(1).random((2, n), np.float32)
    product, z, a = np.empty_like(x), np.empty_like(x), np.float32(1.7)

    def peer() -> Array:
        return np.add(np.multiply(a, x, out=product), y, out=z)

    arguments = {"a": a, "x": x, "y": y, "z": z}
    return Case("saxpy", f"{n:,}", LaunchConfig.linear(n), arguments, peer, 12 * n, 2 * n, shader_tolerance=1e-6)


def total(n: int = 1 << 22) -> Case:
    x = np.random.default_rng(2).random(n, np.float32)
    arguments = {"x": x, "n": n, "z": np.empty(1, np.float32)}
    # NumPy sums pairwise, in another order.
    return Case("sum", f"{n:,}", LaunchConfig(), arguments, lambda: np.array([x.sum()]), 4 * n, n, 1e-6)


def mandelbrot(side: int = 512, most: int = 200) -> Case:
    step = np.float32(3 / side)
    real, imaginary = np.meshgrid(*(np.arange(side, dtype=np.float32) * step + np.float32(s) for s in (-2, -1.5)))

    def peer() -> Array:
        rounds, inside = np.zeros(side * side, np.uint32), np.arange(side * side)
        cx, cy = real.ravel(), imaginary.ravel()
        x, y = np.zeros_like(cx), np.zeros_like(cy)
        for _ in range(most):
            xx, yy = x * x, y * y
            kept = xx + yy <= 4  # go on with those only
            inside, cx, cy, x, y, xx, yy = (v[kept] for v in (inside, cx, cy, x, y, xx, yy))
            xy = x * y
            x, y = xx - yy + cx, xy + xy + cy
            rounds[inside] += 1
        return rounds

    work = 8 * int(peer().sum())  # three products and five sums a round
    arguments = {"width": side, "step": step, "most": most, "z": np.empty(side * side, np.uint32)}
    # Blocks are rows, as by hand: in squares of 16 neighbours are as slow together.
    config, moved = LaunchConfig.grid_2d(side, side, (min(side, 256), 1)), 4 * side * side
    # A shader compiler may contract a product and a sum, and then pixels at the rim count otherwise.
    return Case("mandelbrot", f"{side} x {side}", config, arguments, peer, moved, work, shader_strays=0.01)


def block_sum(n: int = 1 << 22) -> Case:
    x = np.random.default_rng(4).random(n, np.float32)

    def peer() -> Array:
        tile, half = x.reshape(-1, 256), 128
        while half:
            tile = tile[:, :half] + tile[:, half : 2 * half]
            half //= 2
        return tile[:, 0]

    blocks = n // 256
    arguments = {"x": x, "z": np.empty(blocks, np.float32)}
    return Case("block_sum", f"{n:,}", LaunchConfig.linear(n), arguments, peer, 4 * (n + blocks), 255 * blocks)


def blur(side: int = 1024) -> Case:
    picture = np.random.default_rng(3).integers(0, 256, (side + 2, side + 2), np.uint8)

    def peer() -> Array:
        wide, sums = picture.astype(np.uint16), np.full((side, side), 8, np.uint16)
        for k, weight in enumerate((1, 2, 1, 2, 4, 2, 1, 2, 1)):
            sums += weight * wide[k // 3 : k // 3 + side, k % 3 : k % 3 + side]
        return (sums >> 4).astype(np.uint8)

    arguments = {"width": side, "x": picture, "z": np.empty(side * side, np.uint8)}
    config, moved = LaunchConfig.grid_2d(side, side), picture.size + side * side
    return Case("blur", f"{side} x {side}", config, arguments, peer, moved, 18 * side * side)


CASES: dict[str, Callable[[], Case]] = {
    "saxpy": saxpy,
    "sum": total,
    "block_sum": block_sum,
    "mandelbrot": mandelbrot,
    "blur": blur,
}
