"""An array [height, width, 3] of U8, or of F32 from 0 to 1,
is shown as a picture."""

import hologram_web as hg

TITLE = "A picture"
SUMMARY = "Waves from three places: a lane for each pixel, and a helper function that is inlined."


def wave(x, y, at_x, at_y, length):
    """From -1 to 1: what comes from a place."""
    far = hg.hypot(x - at_x, y - at_y)
    return hg.sin(6.2832 * far / length) / (1 + far / 200)


@hg.kernel
def waves(length: hg.f32, picture: hg.Array[hg.f32, 3]):
    column, row = hg.global_id(0), hg.global_id(1)
    if row < picture.shape[0] and column < picture.shape[1]:
        x, y = float(column), float(row)
        high = wave(x, y, 90, 80, length)
        high += wave(x, y, 470, 150, length)
        high += wave(x, y, 240, 360, length)
        picture[row, column, 0] = 0.10 + 0.22 * max(high, 0)
        picture[row, column, 1] = 0.26 + 0.20 * high
        picture[row, column, 2] = 0.48 + 0.22 * high


program = hg.compile(
    waves,
    lanes=("width", "height"),
    shapes={"picture": ("height", "width", 3)},
)
inputs = {"length": 44, "picture": (400, 600, 3)}
