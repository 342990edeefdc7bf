"""Gravity: every body attracts every other one."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "N-body"
SUMMARY = "Two discs of stars, 1,536 bodies in all, each attracted by all others: 2.4 million forces a frame."
SIZE = (560, 420)
KEYS = "Drag to turn."
HINT = "Drag to turn the view."
TOLERANCE = 1e-4
FRAMES = 50

SOFT = 0.02  # bodies that meet do not fly away


@hg.kernel
def attract(place: hg.Array[hg.f32, 2], speed: hg.Array[hg.f32, 2], dt: hg.f32):
    """Speeds a moment later. A body is x, y, z and its mass."""
    i = hg.global_id()
    x, y, z = place[i, 0], place[i, 1], place[i, 2]
    ax, ay, az = 0.0, 0.0, 0.0
    for j in range(place.shape[0]):
        dx, dy, dz = place[j, 0] - x, place[j, 1] - y, place[j, 2] - z
        near = 1 / hg.sqrt(dx * dx + dy * dy + dz * dz + SOFT)
        pull = place[j, 3] * near * near * near
        ax += dx * pull
        ay += dy * pull
        az += dz * pull
    speed[i, 0] += ax * dt
    speed[i, 1] += ay * dt
    speed[i, 2] += az * dt


@hg.kernel
def move(place: hg.Array[hg.f32, 2], speed: hg.Array[hg.f32, 2], dt: hg.f32):
    i = hg.global_id()
    for axis in range(3):
        place[i, axis] += speed[i, axis] * dt


@hg.kernel
def fade(light: hg.Array[hg.u32, 2]):
    """What was drawn before goes out slowly."""
    row, column = hg.global_id(1), hg.global_id(0)
    light[row, column] = light[row, column] * 3 // 4


@hg.kernel
def draw(place: hg.Array[hg.f32, 2], light: hg.Array[hg.u32, 2], turn: hg.f32, tilt: hg.f32):
    """Adds each body to the pixels that it covers."""
    i = hg.global_id()
    x, y, z = place[i, 0], place[i, 1], place[i, 2]
    x, z = x * hg.cos(turn) - z * hg.sin(turn), x * hg.sin(turn) + z * hg.cos(turn)
    y, z = y * hg.cos(tilt) - z * hg.sin(tilt), y * hg.sin(tilt) + z * hg.cos(tilt)
    height, width = light.shape
    scale = 1.7 * height / (z + 5)
    px, py = hg.i32(hg.floor(width / 2 + x * scale)), hg.i32(hg.floor(height / 2 + y * scale))
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            row, column = py + dy, px + dx
            if 0 <= row < height and 0 <= column < width and z > -4:
                hg.atomic_add(light, (row, column), 60 if dx == 0 and dy == 0 else 20)


@hg.kernel
def paint(light: hg.Array[hg.u32, 2], picture: hg.Array[hg.u8, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    picture[row, column] = hg.u8(255 * (1 - hg.exp(hg.f32(light[row, column]) / -300)))


def programs():
    size, lanes = ("height", "width"), ("width", "height")
    bodies = {"place": ("n", 4), "speed": ("n", 3)}
    plan = hg.PlanBuilder("nbody", shapes={**bodies, "light": size, "picture": size})
    plan.launch(attract, "n")
    plan.launch(move, "n")
    plan.launch(fade, lanes)
    plan.launch(draw, "n")
    plan.launch(paint, lanes)
    return {"frame": hg.CompiledProgram.from_builder(plan)}


def examples():
    """Runs, and what NumPy says of them."""
    rng = np.random.default_rng(4)
    place, speed = rng.random((70, 4), np.float32) - 0.5, rng.random((70, 3), np.float32)
    d = (place[None, :, :3] - place[:, None, :3]).astype(float)
    pull = place[None, :, 3] / ((d * d).sum(2) + SOFT) ** 1.5
    after = speed + 0.01 * (d * pull[:, :, None]).sum(1)
    moved = place.copy()
    moved[:, :3] += 0.01 * after
    light = np.full((30, 40), 101, np.uint32)
    args = {"place": place, "speed": speed, "light": light, "picture": np.zeros(light.shape, np.uint8)}
    args |= {"dt": 0.01, "turn": 0, "tilt": 0}
    wanted = np.full(light.shape, 75)
    scale = 51 / (moved[:, 2] + 5)
    for x, y in zip(np.floor(20 + moved[:, 0] * scale), np.floor(15 + moved[:, 1] * scale), strict=True):
        wanted[int(y) - 1 : int(y) + 2, int(x) - 1 : int(x) + 2] += 20
        wanted[int(y), int(x)] += 40
    yield "frame", args, {"place": moved, "speed": after, "light": wanted}
