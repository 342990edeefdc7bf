"""What the stages should give, by SciPy and NumPy, without a line of this project.

Each function computes one stage: its parameters name the planes and settings it needs, its result the planes it makes.
Everything is integer; SciPy sums in double precision, which is exact for numbers of this size.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

SIGMA = 1.4
RADIUS = 4

Planes = dict[str, NDArray]


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


def threshold(magnitude: NDArray, level: int) -> Planes:
    return {"edges": np.where(magnitude > level, 255, 0).astype(np.uint8)}
