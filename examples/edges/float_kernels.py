"""The stages of kernels.py up to the marks in single precision: grey levels from 0 to 255, and no rounding between."""

# mypy: ignore-errors

from __future__ import annotations

import hologram_web as hg

from . import kernels
from .kernels import RADIUS, TILE, change, eighth, fetch_around, fetch_column, fetch_row, is_highest, mark

__all__ = [
    "double_threshold_f32",
    "gaussian_cols_f32",
    "gaussian_rows_f32",
    "luminance_f32",
    "sobel_f32",
    "suppress_f32",
]

TAPS = tuple(tap / 65536 for tap in kernels.TAPS)  # exactly the same Gaussian


@hg.kernel
def luminance_f32(rgb: hg.Array[hg.u8, 3], luma: hg.Array[hg.f32, 2]):
    """One brightness from red, green and blue."""
    x, y = hg.global_id(0), hg.global_id(1)
    luma[y, x] = 0.299 * hg.f32(rgb[y, x, 0]) + 0.587 * hg.f32(rgb[y, x, 1]) + 0.114 * hg.f32(rgb[y, x, 2])


@hg.kernel
def gaussian_rows_f32(luma: hg.Array[hg.f32, 2], blur_rows: hg.Array[hg.f32, 2]):
    """Nine taps along the rows, summed from the left."""
    tile = hg.shared(hg.f32, (TILE, TILE + 2 * RADIUS))
    fetch_row(tile, luma)
    total = hg.f32(0)
    for k in range(len(TAPS)):
        total += TAPS[k] * tile[hg.local_id(1), hg.local_id(0) + k]
    blur_rows[hg.global_id(1), hg.global_id(0)] = total


@hg.kernel
def gaussian_cols_f32(blur_rows: hg.Array[hg.f32, 2], smooth: hg.Array[hg.f32, 2]):
    """The same along the columns, summed from above."""
    tile = hg.shared(hg.f32, (TILE + 2 * RADIUS, TILE))
    fetch_column(tile, blur_rows)
    total = hg.f32(0)
    for k in range(len(TAPS)):
        total += TAPS[k] * tile[hg.local_id(1) + k, hg.local_id(0)]
    smooth[hg.global_id(1), hg.global_id(0)] = total


@hg.kernel
def sobel_f32(
    smooth: hg.Array[hg.f32, 2],
    gx: hg.Array[hg.f32, 2],
    gy: hg.Array[hg.f32, 2],
    magnitude: hg.Array[hg.f32, 2],
    direction: hg.Array[hg.u8, 2],
):
    """How fast the brightness changes, and in which direction."""
    tile = hg.shared(hg.f32, (TILE + 2, TILE + 2))
    fetch_around(tile, smooth, False)
    x, y = hg.global_id(0), hg.global_id(1)
    falling, rising = change(tile, 1, 1), change(tile, 1, -1)
    dx = 0.125 * (falling + rising + 2 * change(tile, 1, 0))
    dy = 0.125 * (falling - rising + 2 * change(tile, 0, 1))
    gx[y, x] = dx
    gy[y, x] = dy
    a, b = abs(dx), abs(dy)
    magnitude[y, x] = hg.sqrt(a * a + b * b)
    both = (a + b) * (a + b)
    direction[y, x] = eighth(dx, dy, both <= 2 * (a * a), both <= 2 * (b * b))


@hg.kernel
def suppress_f32(magnitude: hg.Array[hg.f32, 2], direction: hg.Array[hg.u8, 2], thin: hg.Array[hg.f32, 2]):
    """Non-maximum suppression."""
    tile = hg.shared(hg.f32, (TILE + 2, TILE + 2))
    fetch_around(tile, magnitude, True)
    x, y = hg.global_id(0), hg.global_id(1)
    thin[y, x] = magnitude[y, x] if is_highest(tile, direction[y, x]) else 0


@hg.kernel
def double_threshold_f32(thin: hg.Array[hg.f32, 2], marks: hg.Array[hg.u8, 2], low: hg.f32, high: hg.f32):
    """STRONG above `high`, WEAK above `low`, else 0."""
    x, y = hg.global_id(0), hg.global_id(1)
    marks[y, x] = mark(thin[y, x], low, high)
