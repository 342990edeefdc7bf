"""What the plans should give, by SciPy, scikit-image and NumPy, without a line of this project.

Functions give planes by the names of pipeline.py's ports. The integers are exact: SciPy sums in double precision, which
is enough for numbers of this size. The floats are computed in the type that is asked for, in the order of the kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from skimage import measure

__all__ = ["FLOAT_ERRORS", "connected", "float_planes", "histogram", "integer_planes", "mandelbrot"]

SIGMA = 1.4
RADIUS = 4
WEAK, STRONG = 1, 2
_EIGHT = np.ones((3, 3))  # pixels that touch at a corner are neighbours

Planes = dict[str, NDArray]


def integer_planes(rgb: NDArray, low: int, high: int, rounds: int) -> Planes:
    """Every plane of the plan `stages`."""
    planes = luminance(rgb)
    planes |= gaussian_rows(planes["luma"])
    planes |= gaussian_cols(planes["blur_rows"])
    planes |= sobel(planes["smooth"])
    planes |= suppress(planes["magnitude"], planes["direction"])
    return planes | hysteresis(planes["thin"], low, high, rounds)


def gaussian_taps() -> NDArray:
    """SciPy's Gaussian times 65536, rounded. Here the sum is 65536 without further ado."""
    impulse = np.zeros(2 * RADIUS + 1)
    impulse[RADIUS] = 1
    return np.rint(ndimage.gaussian_filter1d(impulse, SIGMA, radius=RADIUS, mode="constant") * 65536).astype(np.int64)


def luminance(rgb: NDArray) -> Planes:
    weights = np.array([19595, 38470, 7471])
    return {"luma": ((rgb.astype(np.int64) @ weights + 128) >> 8).astype(np.uint16)}


def gaussian_rows(luma: NDArray) -> Planes:
    return {"blur_rows": _blur(luma, axis=1)}


def gaussian_cols(blur_rows: NDArray) -> Planes:
    return {"smooth": _blur(blur_rows, axis=0)}


def _blur(plane: NDArray, axis: int) -> NDArray:
    sums = ndimage.correlate1d(plane.astype(np.int64), gaussian_taps(), axis=axis, mode="nearest")
    return ((sums + 32768) >> 16).astype(np.uint16)


def sobel(smooth: NDArray) -> Planes:
    wide = smooth.astype(np.int64)
    gx, gy = ((ndimage.sobel(wide, axis=axis, mode="nearest") + 4) >> 3 for axis in (1, 0))
    eighths = np.rint(np.arctan2(gy, gx) / (np.pi / 4)).astype(np.int64) % 8  # arctan2 is far from every tie
    return {
        "gx": gx.astype(np.int16),
        "gy": gy.astype(np.int16),
        "magnitude": np.floor(np.sqrt(gx * gx + gy * gy)).astype(np.uint16),
        "direction": np.where((gx == 0) & (gy == 0), 8, eighths).astype(np.uint8),
    }


def suppress(magnitude: NDArray, direction: NDArray) -> Planes:
    """Keeps what is above the pixel before and not below the one after, along the gradient."""
    height, width = magnitude.shape
    wide = np.pad(magnitude.astype(np.float64), 1)

    def moved(dy: int, dx: int) -> NDArray:
        return wide[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]

    ways = [(0, 1), (1, 1), (1, 0), (1, -1)]
    keep = [(magnitude > moved(-dy, -dx)) & (magnitude >= moved(dy, dx)) for dy, dx in ways]
    return {"thin": np.where(np.choose(direction & 3, keep), magnitude, 0).astype(magnitude.dtype)}


def hysteresis(thin: NDArray, low: float, high: float, rounds: int) -> Planes:
    """Strong pixels grow over weak ones, a pixel in each of 1 + 2 * rounds steps."""
    weak, strong = thin > low, thin > high
    marks = np.where(strong, STRONG, np.where(weak, WEAK, 0)).astype(np.uint8)
    last = 0
    for step in range(1, 2 * rounds + 2):
        grown = ndimage.binary_dilation(strong, _EIGHT, mask=weak | strong)
        if (grown == strong).all():
            break
        strong, last = grown, step
    return {
        "marks": marks,
        "changed": np.array([last], np.uint32),
        "grown": np.where(strong, STRONG, marks).astype(np.uint8),
        "edges": np.where(strong, 255, 0).astype(np.uint8),
    }


def connected(marks: NDArray) -> NDArray:
    """The edges after as many steps as it takes: by labels, every connected part that has a strong pixel."""
    parts = measure.label(marks > 0, connectivity=2)
    return np.where(np.isin(parts, parts[marks == STRONG]) & (parts > 0), 255, 0).astype(np.uint8)


# Floats

_U = 255 * 2.0**-24  # half a unit in the last place of 1, times the brightest grey level
# How far from exact arithmetic a plane may be, in grey levels: the roundings of each stage and of those before it,
# times the weights they go in with. One part in a hundred is for products of roundings.
FLOAT_ERRORS: dict[str, float] = {
    name: 1.01 * roundings * _U
    for name, roundings in {
        "luma": 4,  # a weight, a product, two sums
        "blur_rows": 4 + 9,  # nine products and eight sums, one after the other
        "smooth": 4 + 18,
        "gx": 22 + 1.25,  # differences and sums of up to 4 * 255, an eighth of each
        "gy": 22 + 1.25,
        "magnitude": 2**0.5 * (23.25 + 1),  # both gradients, and two roundings of half their size
    }.items()
}


def float_planes(rgb: NDArray, low: float, high: float, rounds: int, dtype: Any = np.float32) -> Planes:
    """Every plane of the plan `floats`, computed in that type."""
    red, green, blue = (rgb[..., channel].astype(dtype) for channel in range(3))
    luma = dtype(0.299) * red + dtype(0.587) * green + dtype(0.114) * blue
    taps = (gaussian_taps() / 65536).astype(dtype)
    blur_rows = _taps_over(luma, taps, axis=1)
    smooth = _taps_over(blur_rows, taps, axis=0)
    planes = {"luma": luma, "blur_rows": blur_rows, "smooth": smooth} | _float_sobel(smooth, dtype)
    planes |= suppress(planes["magnitude"], planes["direction"])
    return planes | hysteresis(planes["thin"], dtype(low), dtype(high), rounds)


def _taps_over(plane: NDArray, taps: NDArray, axis: int) -> NDArray:
    length = plane.shape[axis]
    wide = np.pad(plane, [(RADIUS, RADIUS) if way == axis else (0, 0) for way in (0, 1)], mode="edge")
    total = np.zeros_like(plane)
    for k, tap in enumerate(taps):
        total = total + tap * wide.take(range(k, k + length), axis)
    return total


def _float_sobel(smooth: NDArray, dtype: Any) -> Planes:
    height, width = smooth.shape
    wide = np.pad(smooth, 1, mode="edge")

    def change(x: int, y: int) -> NDArray:
        after = wide[1 + y : 1 + y + height, 1 + x : 1 + x + width]
        return after - wide[1 - y : 1 - y + height, 1 - x : 1 - x + width]

    falling, rising = change(1, 1), change(1, -1)
    gx = dtype(0.125) * (falling + rising + 2 * change(1, 0))
    gy = dtype(0.125) * (falling - rising + 2 * change(0, 1))
    a, b = abs(gx), abs(gy)
    both = (a + b) * (a + b)
    horizontal, vertical = both <= 2 * (a * a), both <= 2 * (b * b)
    diagonal = np.where(gx < 0, np.where(gy < 0, 5, 3), np.where(gy < 0, 7, 1))
    ways = [horizontal & vertical, horizontal, vertical]
    direction = np.select(ways, [8, np.where(gx < 0, 4, 0), np.where(gy < 0, 6, 2)], diagonal)
    magnitude = np.sqrt(a * a + b * b)
    return {"gx": gx, "gy": gy, "magnitude": magnitude, "direction": direction.astype(np.uint8)}


# What rides along


def histogram(rgb: NDArray) -> NDArray:
    """Pixels of each brightness."""
    return np.bincount((luminance(rgb)["luma"] >> 8).ravel(), minlength=256).astype(np.uint32)


def mandelbrot(width: int, height: int, left: float, top: float, step: float, most: int) -> NDArray:
    """Rounds until z leaves, in single precision."""
    rows, columns = np.indices((height, width)).astype(np.float32)
    cr, ci = np.float32(left) + columns * np.float32(step), np.float32(top) + rows * np.float32(step)
    zr, zi, rounds = np.zeros_like(cr), np.zeros_like(cr), np.zeros((height, width), np.uint16)
    for _ in range(most):
        going = zr * zr + zi * zi <= 4
        rounds += going
        zr, zi = np.where(going, zr * zr - zi * zi + cr, zr), np.where(going, 2 * zr * zi + ci, zi)
    return rounds
