"""The Mandelbrot set: how soon z = z * z + c leaves a circle."""

# mypy: ignore-errors

from typing import TypeVar

import numpy as np

import hologram_web as hg

TITLE = "Mandelbrot zoom"
SUMMARY = "Millions of orbits a frame. The kernel is written once for F32 and F64; the deep end is computed with F64."
SIZE = (560, 420)
KEYS = "Arrow keys move, plus and minus zoom."
HINT = "Drag to move, use the wheel or + and − to zoom in and out."
TOLERANCE = 0.02  # of colours: near the border of the set the last bit of a sum decides
FRAMES = 250

T = TypeVar("T", hg.f32, hg.f64)


@hg.kernel
def escape(picture: hg.Array[hg.u8, 3], left: T, top: T, pixel: T, most: hg.i32):
    row, column = hg.global_id(1), hg.global_id(0)
    if row < picture.shape[0] and column < picture.shape[1]:
        a, b = left + pixel * column, top + pixel * row
        x, y, count = T(0), T(0), 0
        xx, yy = T(0), T(0)
        while xx + yy < 256 and count < most:
            y = 2 * x * y + b
            x = xx - yy + a
            xx, yy = x * x, y * y
            count += 1
        shade = count + 4 - hg.log2(hg.log2(hg.f32(max(xx + yy, 4))))  # in between of two counts
        shade = hg.sqrt(max(shade, 0)) * 0.6
        light = 255 if xx + yy >= 256 else 0
        picture[row, column, 0] = hg.u8(light * (0.5 - 0.5 * hg.cos(shade)))
        picture[row, column, 1] = hg.u8(light * (0.5 - 0.5 * hg.cos(shade - 0.6)))
        picture[row, column, 2] = hg.u8(light * (0.5 - 0.5 * hg.cos(shade - 1.3)))
        picture[row, column, 3] = 255


def programs():
    shapes, lanes = {"picture": ("height", "width", 4)}, ("width", "height")
    kinds = {"f32": escape.specialize(T=hg.f32), "f64": escape.specialize(T=hg.f64)}
    return {name: hg.compile(kernel, lanes=lanes, shapes=shapes) for name, kernel in kinds.items()}


def examples():
    """Runs, and what NumPy says of them."""
    for name, real in (("f32", np.float32), ("f64", np.float64)):
        left, top, pixel = -2.2, -1.2, 0.1
        a = (real(left) + real(pixel) * np.arange(30, dtype=real))[None, :] + np.zeros((24, 1), real)
        b = (real(top) + real(pixel) * np.arange(24, dtype=real))[:, None] + np.zeros((1, 30), real)
        x, y, count = np.zeros_like(a), np.zeros_like(a), np.zeros(a.shape, int)
        for _ in range(40):
            going = x * x + y * y < 256
            x, y = np.where(going, x * x - y * y + a, x), np.where(going, 2 * x * y + b, y)
            count += going
        far = x * x + y * y
        shade = np.sqrt(np.maximum(count + 4 - np.log2(np.log2(np.maximum(far, 4))), 0)) * 0.6
        light = np.where(far >= 256, 255, 0)
        colours = [light * (0.5 - 0.5 * np.cos(shade - by)) for by in (0, 0.6, 1.3)]
        wanted = np.stack([*colours, np.full(a.shape, 255)], axis=2).astype(np.uint8)
        args = {"picture": np.zeros_like(wanted), "left": left, "top": top, "pixel": pixel, "most": 40}
        yield name, args, {"picture": wanted}
