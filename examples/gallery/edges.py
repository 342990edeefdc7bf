"""Edges after Canny: blur, slope, the crest of the slope, and what hangs together with strong crests."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "Edges"
SUMMARY = "Canny's edge detector, live: on the webcam, on a file of yours, or on a photograph."
SIZE = (480, 360)
KEYS = "The webcam starts when it is asked for."
HINT = "The pictures of the webcam do not leave the page."
TOLERANCE = 0.01  # of pictures: a slope that is exactly as steep as a limit
FRAMES = 1
STRONG, WEAK = 2, 1


@hg.kernel
def blur(photo: hg.Array[hg.u8, 3], grey: hg.Array[hg.f32, 2]):
    """Brightness, 3 x 3 pixels together."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = grey.shape
    total = 0.0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            r, c = hg.clamp(row + dy, 0, height - 1), hg.clamp(column + dx, 0, width - 1)
            light = 0.299 * photo[r, c, 0] + 0.587 * photo[r, c, 1] + 0.114 * photo[r, c, 2]
            total += light * ((2 - abs(dy)) * (2 - abs(dx)))
    grey[row, column] = total / 16


@hg.kernel
def slope(grey: hg.Array[hg.f32, 2], steep: hg.Array[hg.f32, 2], way: hg.Array[hg.u8, 2]):
    """Sobel's gradient: how steep, and which of four ways: across, down, and the two diagonals."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = grey.shape
    up, down = max(row - 1, 0), min(row + 1, height - 1)
    left, right = max(column - 1, 0), min(column + 1, width - 1)
    gx = grey[up, right] - grey[up, left] + 2 * (grey[row, right] - grey[row, left])
    gx += grey[down, right] - grey[down, left]
    gy = grey[down, left] - grey[up, left] + 2 * (grey[down, column] - grey[up, column])
    gy += grey[down, right] - grey[up, right]
    steep[row, column] = hg.sqrt(gx * gx + gy * gy) / 4
    if abs(gy) < 0.41421 * abs(gx):
        way[row, column] = 0
    elif abs(gx) < 0.41421 * abs(gy):
        way[row, column] = 1
    else:
        way[row, column] = 2 if gx * gy > 0 else 3


@hg.kernel
def thin(
    steep: hg.Array[hg.f32, 2],
    way: hg.Array[hg.u8, 2],
    marks: hg.Array[hg.u8, 2],
    low: hg.f32,
    high: hg.f32,
):
    """Only the crest stays: who is as steep as both neighbours along the slope."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = steep.shape
    dx = 0 if way[row, column] == 1 else 1
    dy = 0 if way[row, column] == 0 else (-1 if way[row, column] == 3 else 1)
    here = steep[row, column]
    before = steep[hg.clamp(row - dy, 0, height - 1), hg.clamp(column - dx, 0, width - 1)]
    behind = steep[hg.clamp(row + dy, 0, height - 1), hg.clamp(column + dx, 0, width - 1)]
    crest = here > before and here >= behind
    marks[row, column] = (STRONG if here > high else WEAK if here > low else 0) if crest else 0


@hg.kernel
def grow(marks: hg.Array[hg.u8, 2], grown: hg.Array[hg.u8, 2]):
    """What is weak becomes strong beside what is strong."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = marks.shape
    most = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            mark = marks[hg.clamp(row + dy, 0, height - 1), hg.clamp(column + dx, 0, width - 1)]
            most = max(most, hg.i32(mark))
    here = marks[row, column]
    grown[row, column] = STRONG if here == WEAK and most == STRONG else here


@hg.kernel
def paint(
    photo: hg.Array[hg.u8, 3],
    steep: hg.Array[hg.f32, 2],
    marks: hg.Array[hg.u8, 2],
    picture: hg.Array[hg.u8, 3],
    show: hg.i32,
):
    """0: the edges; 1: on the picture; 2: the slope."""
    row, column = hg.global_id(1), hg.global_id(0)
    edge = marks[row, column] == STRONG
    for part in hg.static_range(3):
        value = 0.0
        if show == 1:
            value = 0.35 * photo[row, column, part]
        if show == 2:
            value = 5 * steep[row, column]
        elif edge:
            value = (255, 214, 90)[part]
        picture[row, column, part] = hg.u8(value)
    picture[row, column, 3] = 255


def programs():
    size, lanes = ("height", "width"), ("width", "height")
    plan = hg.PlanBuilder("edges", shapes={"photo": (*size, 4), "picture": (*size, 4)})
    plan.scalar("pairs", hg.i32)  # of rounds of growing
    for name, ty in (("grey", hg.f32), ("steep", hg.f32), ("way", hg.u8), ("marks", hg.u8), ("grown", hg.u8)):
        plan.temporary(name, size, ty)
    plan.launch(blur, lanes)
    plan.launch(slope, lanes)
    plan.launch(thin, lanes)
    with plan.repeat("pairs"):
        plan.launch(grow, lanes)
        plan.launch(grow, lanes, args={"marks": "grown", "grown": "marks"})
    plan.launch(paint, lanes)
    return {"edges": hg.CompiledProgram.from_builder(plan)}


def examples():
    """Runs, and what NumPy says of them."""
    rng = np.random.default_rng(8)
    photo = rng.integers(0, 256, (24, 30, 4), dtype=np.uint8)
    height, width = photo.shape[:2]
    light = _padded(photo[..., :3].astype(float) @ (0.299, 0.587, 0.114))
    weights = np.outer((1, 2, 1), (1, 2, 1)) / 16
    grey = sum(weights[y, x] * light[y : y + height, x : x + width] for y in range(3) for x in range(3))
    p = _padded(grey)
    down, across = p[2:] - p[:-2], p[:, 2:] - p[:, :-2]
    gx = across[:-2] + 2 * across[1:-1] + across[2:]
    gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    steep = np.hypot(gx, gy) / 4
    flat, upright = abs(gy) < 0.41421 * abs(gx), abs(gx) < 0.41421 * abs(gy)
    dx = np.where(upright & ~flat, 0, 1)
    dy = np.where(flat, 0, np.where(upright | (gx * gy > 0), 1, -1))
    rows, columns = np.mgrid[1 : height + 1, 1 : width + 1]
    s = _padded(steep)
    crest = (steep > s[rows - dy, columns - dx]) & (steep >= s[rows + dy, columns + dx])
    marks = np.where(crest, np.where(steep > 40, STRONG, np.where(steep > 10, WEAK, 0)), 0)
    for _ in range(4):
        m = _padded(marks)
        most = np.max([m[y : y + height, x : x + width] for y in range(3) for x in range(3)], axis=0)
        marks = np.where((marks == WEAK) & (most == STRONG), STRONG, marks)
    slopes = np.stack([*[np.clip(5 * steep, 0, 255)] * 3, np.full(steep.shape, 255)], 2)
    edges = np.where((marks == STRONG)[..., None], (255, 214, 90, 255), (0, 0, 0, 255))
    args = {"photo": photo, "picture": np.zeros_like(photo), "pairs": 2, "low": 10, "high": 40}
    yield "edges", args | {"show": 2}, {"picture": slopes.astype(np.uint8)}
    yield "edges", args | {"show": 0}, {"picture": edges}


def _padded(m):
    return np.pad(m, 1, mode="edge")
