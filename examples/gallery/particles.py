"""Particles in a wind that turns, and that the pointer attracts."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "Particles"
SUMMARY = "65,536 particles in a turning wind. They leave light behind, and follow the pointer."
SIZE = (560, 420)
KEYS = "Drag to attract them."
HINT = "Hold the pointer down to attract them."
TOLERANCE = 1e-4


@hg.kernel
def move(
    place: hg.Array[hg.f32, 2],
    speed: hg.Array[hg.f32, 2],
    light: hg.Array[hg.u32, 2],
    time: hg.f32,
    x: hg.f32,
    y: hg.f32,
    pull: hg.f32,
    wind: hg.f32,
):
    """Places are from 0 to 1 on a torus; a particle adds to the light where it comes to."""
    i = hg.global_id()
    here, v = place.load((i, 0), 2), speed.load((i, 0), 2)
    flow = hg.vec2(
        hg.sin(9 * here.y + time) + 0.5 * hg.sin(17 * here.x - 0.7 * time),
        hg.cos(9 * here.x - time) + 0.5 * hg.cos(17 * here.y + 0.7 * time),
    )
    d = hg.vec2(x, y) - here
    v = v * 0.96 + flow * (wind * 1e-4) + d * (pull * 1e-3 / (hg.dot(d, d) + 0.02))
    here = here + v
    here = here - hg.floor(here)
    place.store((i, 0), here)
    speed.store((i, 0), v)
    height, width = light.shape
    row, column = min(hg.i32(here.y * height), height - 1), min(hg.i32(here.x * width), width - 1)
    hg.atomic_add(light, (row, column), 32)


@hg.kernel
def paint(light: hg.Array[hg.u32, 2], picture: hg.Array[hg.u8, 2]):
    """Shows the light, and lets it fade."""
    row, column = hg.global_id(1), hg.global_id(0)
    here = light[row, column]
    picture[row, column] = hg.u8(255 * (1 - hg.exp(hg.f32(here) / -160)))
    light[row, column] = here * 7 // 8


def programs():
    size = ("height", "width")
    plan = hg.PlanBuilder("particles", shapes={"place": ("n", 2), "speed": ("n", 2), "light": size, "picture": size})
    plan.launch(move, "n")
    plan.launch(paint, ("width", "height"))
    return {"frame": hg.CompiledProgram.from_builder(plan)}


def examples():
    """Runs, and what NumPy says of them."""
    rng = np.random.default_rng(5)
    place, speed = rng.random((100, 2), np.float32), (rng.random((100, 2), np.float32) - 0.5) / 100
    (x, y), time = place.T.astype(float), 0.5
    flow = np.stack([np.sin(9 * y + time) + 0.5 * np.sin(17 * x - 0.7 * time), np.cos(9 * x - time)], 1)
    flow[:, 1] += 0.5 * np.cos(17 * y + 0.7 * time)
    d = np.array([0.25, 0.75]) - place
    v = speed * 0.96 + flow * 2e-4 + d * (1e-3 / ((d * d).sum(1) + 0.02))[:, None]
    moved = (place + v) % 1
    light = np.zeros((8, 10), np.uint32)
    np.add.at(light, ((moved[:, 1] * 8).astype(int), (moved[:, 0] * 10).astype(int)), 32)
    args = {"place": place, "speed": speed, "light": np.zeros_like(light), "picture": np.zeros((8, 10), np.uint8)}
    args |= {"time": time, "x": 0.25, "y": 0.75, "pull": 1, "wind": 2}
    yield "frame", args, {"place": moved, "speed": v, "light": light * 7 // 8}
