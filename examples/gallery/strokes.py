"""Digits as a pen draws them: lines between points, moved a little, as images for the network of examples/digits."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["images", "reduced"]

SIDE = 64
# Points of each way to write a digit, from 0 to 8 across and 0 to 12 down.
_WAYS = (
    (0, "40 16 08 2b 4c 6b 88 84 61 40", "40 11 06 1b 4c 7b 86 71 40"),
    (1, "23 40 4c", "40 4c", "13 40 4c -0 1c 7c"),
    (2, "03 21 40 71 83 75 48 0c 8c", "12 40 72 65 1c 8c"),
    (3, "10 40 71 73 55 35 -0 55 86 89 7b 4c 1b 0a", "00 80 45 77 8a 5c 0b", "02 30 61 63 45 76 7a 4c 0a"),
    (4, "50 08 88 -0 60 6c", "10 06 86 -0 70 7c", "60 07 87 -0 60 6c"),
    (5, "80 10 05 45 76 89 6b 4c 0b", "70 00 05 55 87 7b 4c 0b"),
    (6, "60 22 06 0a 3c 6b 87 56 26 08", "50 14 09 3c 7b 77 46 18"),
    (7, "00 80 3c", "00 80 56 3c -0 26 76"),
    (8, "40 11 13 46 78 7b 4c 1b 18 46 73 71 40", "40 02 24 67 8a 4c 0a 27 64 82 40"),
    (9, "82 40 02 04 46 83 82 -0 82 8c", "72 40 12 15 46 75 82 -0 82 7a 4c 1c"),
)


def _lines(way: str) -> list[list[tuple[float, float]]]:
    """The strokes of a way; -0 lifts the pen."""
    return [
        [(int(point[0], 16), int(point[1], 16)) for point in stroke.split() if len(point) == 2]
        for stroke in way.split("-0")
    ]


def _ink(strokes: list[list[tuple[float, float]]], rng: np.random.Generator) -> NDArray[np.float64]:
    """What a pen leaves on SIDE x SIDE pixels, of strokes that are bent, leaned and moved."""
    y, x = np.mgrid[:SIDE, :SIDE].astype(float)
    scale, lean = rng.uniform(2.2, 4.2, 2), rng.uniform(-0.25, 0.25)
    width, ink = rng.uniform(2.8, 4.6), np.zeros((SIDE, SIDE))
    for stroke in strokes:
        points = np.array(stroke) + rng.normal(0, 0.45, (len(stroke), 2))
        points[:, 0] += lean * (6 - points[:, 1])
        points = points * scale + (32 - 4 * scale[0], 32 - 6 * scale[1])
        for (ax, ay), (bx, by) in pairwise(points):
            dx, dy = bx - ax, by - ay
            along = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy + 1e-6), 0, 1)
            ink = np.maximum(ink, np.clip(width - np.hypot(x - ax - along * dx, y - ay - along * dy), 0, 1))
    return ink


def reduced(ink: NDArray[np.float64]) -> NDArray[np.float64]:
    """The drawn part as 5 x 7 dots in 8 x 8, as the kernel `fit` does it."""
    rows, columns = np.nonzero(ink > 0.5)
    image = np.zeros((8, 8))
    if len(rows):
        top, height = rows.min(), rows.max() - rows.min() + 1
        width = max(columns.max() - columns.min() + 1, height * 5 // 9)
        middle = (columns.min() + columns.max() + 1) / 2
        parts = (np.arange(6) + 0.5) / 6
        r = (top + (np.arange(7)[:, None] + parts).ravel() / 7 * height).astype(int)
        c = np.floor(middle + ((np.arange(5)[:, None] + parts).ravel() / 5 - 0.5) * width).astype(int)
        inside = (c >= 0) & (c < SIDE)
        found = ink[r[:, None], np.clip(c, 0, SIDE - 1)] * inside
        image[1:8, 2:7] = np.clip(found.reshape(7, 6, 5, 6).sum((1, 3)) / 20, 0, 1)
    return image


def images(count: int, seed: int) -> tuple[list[list[float]], list[int]]:
    """Images, as rows of 64 numbers, and their digits."""
    rng = np.random.default_rng(seed)
    found, labels = [], []
    for _ in range(count):
        digit, *ways = _WAYS[int(rng.integers(10))]
        found.append(reduced(_ink(_lines(str(ways[int(rng.integers(len(ways)))])), rng)).ravel().tolist())
        labels.append(int(digit))
    return found, labels
