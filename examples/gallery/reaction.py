"""Reaction-diffusion after Gray and Scott: of two substances that spread, one eats the other."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "Reaction-diffusion"
SUMMARY = "Two substances spread and react into corals and labyrinths: eight steps a frame on 512 × 512 cells."
SIZE = (512, 512)
KEYS = "Drag to drop some of the second substance."
HINT = "Drag over the picture to seed it."
TOLERANCE = 1e-5
FRAMES = 500


def spread(m, row, column):
    """The four neighbours less four times the middle; nothing leaves through the borders."""
    height, width = m.shape
    up, down = m[max(row - 1, 0), column], m[min(row + 1, height - 1), column]
    left, right = m[row, max(column - 1, 0)], m[row, min(column + 1, width - 1)]
    return up + down + left + right - 4 * m[row, column]


@hg.kernel
def step(
    u: hg.Array[hg.f32, 2],
    v: hg.Array[hg.f32, 2],
    next_u: hg.Array[hg.f32, 2],
    next_v: hg.Array[hg.f32, 2],
    feed: hg.f32,
    kill: hg.f32,
):
    row, column = hg.global_id(1), hg.global_id(0)
    here, there = u[row, column], v[row, column]
    reaction = here * there * there
    next_u[row, column] = here + 0.16 * spread(u, row, column) - reaction + feed * (1 - here)
    next_v[row, column] = there + 0.08 * spread(v, row, column) + reaction - (feed + kill) * there


@hg.kernel
def paint(v: hg.Array[hg.f32, 2], picture: hg.Array[hg.u8, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    picture[row, column] = hg.u8(v[row, column] * 640)


@hg.kernel
def drop(v: hg.Array[hg.f32, 2], x: hg.f32, y: hg.f32, radius: hg.f32):
    """Puts the second substance into a circle."""
    row, column = hg.global_id(1), hg.global_id(0)
    if (column - x) ** 2 + (row - y) ** 2 < radius * radius:
        v[row, column] = 0.5


def programs():
    size, lanes, block = ("height", "width"), ("width", "height"), (256, 1)
    plan = hg.PlanBuilder("reaction", shapes={"u": size, "v": size, "picture": size})
    plan.scalar("pairs", hg.i32)  # of steps
    plan.temporary("u2", size, hg.f32)
    plan.temporary("v2", size, hg.f32)
    with plan.repeat("pairs"):
        plan.launch(step, lanes, block, {"next_u": "u2", "next_v": "v2"})
        plan.launch(step, lanes, block, {"u": "u2", "v": "v2", "next_u": "u", "next_v": "v"})
    plan.launch(paint, lanes, block)
    return {"steps": hg.CompiledProgram.from_builder(plan), "drop": hg.compile(drop, lanes=lanes, shapes={"v": size})}


def examples():
    """Runs, and what NumPy says of them."""
    rng = np.random.default_rng(1)
    u, v = rng.random((20, 24), np.float32), rng.random((20, 24), np.float32) / 2
    new_u, new_v = u, v
    for _ in range(4):
        reaction = new_u * new_v**2
        new_u, new_v = (
            new_u + np.float32(0.16) * _around(new_u) - reaction + np.float32(0.04) * (1 - new_u),
            new_v + np.float32(0.08) * _around(new_v) + reaction - np.float32(0.1) * new_v,
        )
    picture = np.clip(new_v * 640, 0, 255).astype(np.uint8)
    args = {"u": u, "v": v, "picture": np.zeros_like(picture), "pairs": 2, "feed": 0.04, "kill": 0.06}
    yield "steps", args, {"u": new_u, "v": new_v, "picture": picture}

    y, x = np.mgrid[:20, :24]
    dropped = np.where((x - 5) ** 2 + (y - 7) ** 2 < 9, np.float32(0.5), v)
    yield "drop", {"v": v, "x": 5, "y": 7, "radius": 3}, {"v": dropped}


def _around(m):
    p = np.pad(m, 1, mode="edge")
    return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * m
