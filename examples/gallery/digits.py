"""Digits drawn by hand: ink becomes 8 x 8 pixels, and the network of examples/digits reads them."""

# mypy: ignore-errors

from functools import cache

import numpy as np

import hologram_web as hg

TITLE = "Digits drawn by hand"
SUMMARY = "Draw a digit: a small network says which it is. It was trained with hologram_web, too, in a few seconds."
SIZE = (480, 360)
KEYS = "Drag to draw on the left."
HINT = "Draw on the left. Below on the right lies what the network sees, above how sure it is of 0 to 9."
TOLERANCE = 1e-5
FRAMES = 2

SIDE = 64  # of the ink


@hg.kernel
def draw(ink: hg.Array[hg.f32, 2], x: hg.f32, y: hg.f32, to_x: hg.f32, to_y: hg.f32):
    """A stroke from (x, y) to another place."""
    row, column = hg.global_id(1), hg.global_id(0)
    dx, dy = to_x - x, to_y - y
    along = hg.clamp(((column - x) * dx + (row - y) * dy) / (dx * dx + dy * dy + 1e-6), 0, 1)
    far = hg.hypot(column - x - along * dx, row - y - along * dy)
    ink[row, column] = max(ink[row, column], hg.clamp(4.2 - far, 0, 1))


@hg.kernel
def fit(ink: hg.Array[hg.f32, 2], images: hg.Array[hg.f32, 2]):
    """The drawn part as an image of 5 x 7 dots in 8 x 8: one block, a lane for each pixel."""
    lane = hg.local_id()
    left, right, top, bottom = SIDE, -1, SIDE, -1
    for k in range(SIDE):
        if ink[k, lane] > 0.5:
            left, right = lane, lane
            top, bottom = min(top, k), max(bottom, k)
    left, right = hg.block_min(left), hg.block_max(right)
    top, bottom = hg.block_min(top), hg.block_max(bottom)
    row, column = lane // 8 - 1, lane % 8 - 2
    height = max(bottom - top + 1, 1)
    width = max(right - left + 1, height * 5 // 9)  # a 1 stays narrow
    middle = (left + right + 1) / 2
    total = 0.0
    if right >= 0 and 0 <= row < 7 and 0 <= column < 5:
        for i in range(6):
            for j in range(6):
                r = hg.i32(top + (row + (i + 0.5) / 6) / 7 * height)
                c = hg.i32(hg.floor(middle + ((column + (j + 0.5) / 6) / 5 - 0.5) * width))
                total += ink[r, c] if 0 <= r < SIDE and 0 <= c < SIDE else 0.0
    images[0, lane] = hg.clamp(total / 20, 0, 1)


@hg.kernel
def paint(
    ink: hg.Array[hg.f32, 2],
    images: hg.Array[hg.f32, 2],
    scores: hg.Array[hg.f32, 2],
    picture: hg.Array[hg.u8, 2],
):
    """480 x 360: the ink, the ten scores as bars, and the image."""
    row, column = hg.global_id(1) - 20, hg.global_id(0)
    shade = 0.0
    if column < 320 and 0 <= row < 320:
        shade = 20 + 200 * ink[row // 5, column // 5]
    elif 0 <= row < 144 and column >= 320:
        digit, inside = (column - 326) // 15, (column - 326) % 15
        if 0 <= digit < 10 and inside < 11:
            shade = 255 if (134 - row) < 120 * scores[0, hg.clamp(digit, 0, 9)] else 40
    elif 168 <= row < 312 and 328 <= column < 472:
        shade = 25 + 200 * images[0, (row - 168) // 18 * 8 + (column - 328) // 18]
    picture[row + 20, column] = hg.u8(shade)


@cache
def network():
    """The network of examples/digits, trained on strokes, as a program; and the part of new digits that it reads."""
    from examples.digits.model import accuracy, classifier, trained
    from examples.gallery.strokes import images

    with hg.Executor("wasm") as ex:
        params, _ = trained(ex, *images(800, 1), 15)
        return classifier(ex, params), accuracy(ex, params, *images(100, 2))


def programs():
    ink, image = {"ink": (SIDE, SIDE)}, {"images": (1, 64)}
    picture = {"scores": (1, 10), "picture": (360, 480)}
    return {
        "draw": hg.compile(draw, lanes=(SIDE, SIDE), shapes=ink),
        "fit": hg.compile(fit, lanes=64, block=64, shapes={**ink, **image}),
        "paint": hg.compile(paint, lanes=(480, 360), shapes={**ink, **image, **picture}),
        "network": network()[0],
    }


def examples():
    """Runs, and what NumPy says of them."""
    ink = np.zeros((SIDE, SIDE), np.float32)
    y, x = np.mgrid[:SIDE, :SIDE]
    along = np.clip(((x - 10) * 20 + (y - 12) * 30) / 1300, 0, 1)
    far = np.hypot(x - 10 - along * 20, y - 12 - along * 30)
    stroke = np.clip(4.2 - far, 0, 1).astype(np.float32)
    yield "draw", {"ink": ink, "x": 10, "y": 12, "to_x": 30, "to_y": 42}, {"ink": stroke}

    from examples.gallery.strokes import reduced

    yield "fit", {"ink": stroke, "images": np.zeros((1, 64), np.float32)}, {"images": reduced(stroke).reshape(1, 64)}
