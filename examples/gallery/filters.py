"""Filters of pictures: sums of 5 x 5 neighbours by weights, and then colours by a matrix."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "Image filters"
SUMMARY = "Blur, sharpen, emboss, outline, and a dozen looks: 25 weights and a matrix, on a photograph or the webcam."
SIZE = (480, 360)
KEYS = "The webcam starts when it is asked for."
HINT = "The pictures of the webcam do not leave the page."
TOLERANCE = 0.004
FRAMES = 1


@hg.kernel
def convolve(
    photo: hg.Array[hg.u8, 3],
    weights: hg.Array[hg.f32, 2],
    matrix: hg.Array[hg.f32, 2],
    picture: hg.Array[hg.u8, 3],
    split: hg.i32,
):
    """Left of the column `split` the photograph stays. A row of the matrix is red, green, blue, and what is added."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = photo.shape[0], photo.shape[1]
    if row < height and column < width:
        red, green, blue = 0.0, 0.0, 0.0
        for i in range(5):
            for j in range(5):
                r, c = hg.clamp(row + i - 2, 0, height - 1), hg.clamp(column + j - 2, 0, width - 1)
                red += weights[i, j] * photo[r, c, 0]
                green += weights[i, j] * photo[r, c, 1]
                blue += weights[i, j] * photo[r, c, 2]
        for part in hg.static_range(3):
            mixed = matrix[part, 0] * red + matrix[part, 1] * green + matrix[part, 2] * blue + matrix[part, 3]
            picture[row, column, part] = photo[row, column, part] if column < split else hg.u8(mixed)
        picture[row, column, 3] = 255


def programs():
    size = ("height", "width", 4)
    shapes = {"photo": size, "picture": size, "weights": (5, 5), "matrix": (3, 4)}
    return {"convolve": hg.compile(convolve, lanes=("width", "height"), shapes=shapes)}


def examples():
    """Runs, and what NumPy says of them."""
    rng = np.random.default_rng(9)
    photo, weights = rng.integers(0, 256, (12, 14, 4), dtype=np.uint8), rng.random((5, 5), np.float32) / 12
    matrix = rng.random((3, 4), np.float32) / 2
    p = np.pad(photo[..., :3].astype(float), ((2, 2), (2, 2), (0, 0)), mode="edge")
    mixed = sum(weights[y, x] * p[y : y + 12, x : x + 14] for y in range(5) for x in range(5))
    wanted = np.full(photo.shape, 255)
    wanted[..., :3] = np.clip(mixed @ matrix[:, :3].T + matrix[:, 3], 0, 255)
    wanted[:, :4, :3] = photo[:, :4, :3]
    args = {"photo": photo, "weights": weights, "matrix": matrix, "picture": np.zeros_like(photo), "split": 4}
    yield "convolve", args, {"picture": wanted}
