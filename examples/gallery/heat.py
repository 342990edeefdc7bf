"""Heat in a plate: each step every cell comes nearer to its neighbours. What is painted stays hot or cold."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "Heat"
SUMMARY = "A plate conducts what is painted onto it, hot or cold: sixteen steps of the heat equation a frame."
SIZE = (384, 384)
KEYS = "Drag to heat."
HINT = "Drag to heat; with shift, or set to cold, to cool."
TOLERANCE = 1e-5


@hg.kernel
def step(heat: hg.Array[hg.f32, 2], after: hg.Array[hg.f32, 2], held: hg.Array[hg.u8, 2], speed: hg.f32):
    """`held` cells keep their temperature."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = heat.shape
    here = heat[row, column]
    up, down = heat[max(row - 1, 0), column], heat[min(row + 1, height - 1), column]
    left, right = heat[row, max(column - 1, 0)], heat[row, min(column + 1, width - 1)]
    flow = speed * (up + down + left + right - 4 * here)
    after[row, column] = here if held[row, column] > 0 else here + flow


@hg.kernel
def brush(heat: hg.Array[hg.f32, 2], held: hg.Array[hg.u8, 2], x: hg.f32, y: hg.f32, radius: hg.f32, to: hg.f32):
    row, column = hg.global_id(1), hg.global_id(0)
    if (column - x) ** 2 + (row - y) ** 2 < radius * radius:
        heat[row, column] = to
        held[row, column] = 1


@hg.kernel
def paint(heat: hg.Array[hg.f32, 2], picture: hg.Array[hg.u8, 2]):
    """From 0 to 1 in 255 steps."""
    row, column = hg.global_id(1), hg.global_id(0)
    picture[row, column] = hg.u8(heat[row, column] * 255)


def programs():
    size, lanes, block = ("height", "width"), ("width", "height"), (256, 1)
    plan = hg.PlanBuilder("heat", shapes={"heat": size, "held": size, "picture": size})
    plan.scalar("pairs", hg.i32)  # of steps
    plan.temporary("after", size, hg.f32)
    with plan.repeat("pairs"):
        plan.launch(step, lanes, block)
        plan.launch(step, lanes, block, {"heat": "after", "after": "heat"})
    plan.launch(paint, lanes, block)
    brushed = hg.compile(brush, lanes=lanes, shapes={"heat": size, "held": size})
    return {"steps": hg.CompiledProgram.from_builder(plan), "brush": brushed}


def examples():
    """Runs, and what NumPy says of them."""
    rng = np.random.default_rng(3)
    heat, held = rng.random((16, 20), np.float32), (rng.random((16, 20)) < 0.1).astype(np.uint8)
    after = heat
    for _ in range(6):
        p = np.pad(after, 1, mode="edge")
        flow = np.float32(0.2) * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * after)
        after = np.where(held, after, after + flow)
    args = {"heat": heat, "held": held, "picture": np.zeros_like(held), "pairs": 3, "speed": 0.2}
    yield "steps", args, {"heat": after}

    y, x = np.mgrid[:16, :20]
    inside = (x - 4) ** 2 + (y - 9) ** 2 < 9
    wanted = {"heat": np.where(inside, 1, heat).astype(np.float32), "held": np.where(inside, 1, held).astype(np.uint8)}
    yield "brush", {"heat": heat, "held": held, "x": 4, "y": 9, "radius": 3, "to": 1}, wanted
