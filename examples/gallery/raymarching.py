"""A scene of distances: each ray goes on by as much as nothing is nearer, until something is."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "Ray marching"
SUMMARY = "A scene that is one formula, the distance to the nearest thing, with soft shadows and a view that turns."
SIZE = (400, 300)
KEYS = "Drag, or use the arrow keys, to look around."
HINT = "Drag, or use the arrow keys, to look around."
TOLERANCE = 0.04  # of pictures: at edges the last bit decides
FRAMES = 40


def smooth_min(a, b, k):
    part = hg.clamp(0.5 + 0.5 * (b - a) / k, 0, 1)
    return hg.lerp(b, a, part) - k * part * (1 - part)


def distance(p, time):
    """To a ball that swings through a ring, melting into it, and to the floor."""
    ball = hg.length(p - hg.vec3(1.1 * hg.sin(time), 0.2 * hg.cos(2 * time), 0.0)) - 0.55
    flat = hg.vec2(hg.length(hg.vec2(p.x, p.y)) - 1.1, p.z)
    ring = hg.length(flat) - 0.28
    floor = p.y + 1.4
    return min(smooth_min(ball, ring, 0.5), floor)


def march(start, way, time):
    """How far a ray goes, at most 12."""
    far = 0.0
    for _ in range(80):
        near = distance(start + way * far, time)
        far += near
        if near < 0.002 or far > 12:
            break
    return far


def shadow(start, way, time):
    """1 in the light, 0 in the shadow of things."""
    light, far = 1.0, 0.05
    for _ in range(24):
        near = distance(start + way * far, time)
        light = min(light, 10 * near / far)
        far += hg.clamp(near, 0.03, 0.4)
        if light < 0.01 or far > 4:
            break
    return hg.clamp(light, 0, 1)


@hg.kernel
def view(picture: hg.Array[hg.u8, 3], time: hg.f32, turn: hg.f32, tilt: hg.f32):
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = picture.shape[0], picture.shape[1]
    if row < height and column < width:
        x, y = (2 * column + 1 - width) / height, (height - 2 * row - 1) / height
        back = hg.vec3(hg.sin(turn) * hg.cos(tilt), hg.sin(tilt), hg.cos(turn) * hg.cos(tilt))
        right = hg.normalize(hg.cross(hg.vec3(0.0, 1.0, 0.0), back))
        up = hg.cross(back, right)
        eye = back * 4.2
        way = hg.normalize(right * x + up * y - back * 1.9)
        far = march(eye, way, time)
        colour = hg.vec3(0.10, 0.13, 0.25) + hg.vec3(0.35, 0.30, 0.28) * max(0.3 - abs(way.y), 0)
        if far < 12:
            at = eye + way * far
            e = 0.002
            here = distance(at, time)
            normal = hg.normalize(
                hg.vec3(
                    distance(at + hg.vec3(e, 0.0, 0.0), time) - here,
                    distance(at + hg.vec3(0.0, e, 0.0), time) - here,
                    distance(at + hg.vec3(0.0, 0.0, e), time) - here,
                )
            )
            sun = hg.normalize(hg.vec3(0.6, 0.9, 0.5))
            direct = max(hg.dot(normal, sun), 0) * shadow(at + normal * 0.01, sun, time)
            squares = hg.i32(hg.floor(at.x)) + hg.i32(hg.floor(at.z))
            own = hg.vec3(0.95, 0.45, 0.25) + hg.vec3(-0.5, 0.1, 0.6) * (0.5 + 0.4 * at.x)
            if at.y < -1.39:
                own = hg.vec3(0.75, 0.75, 0.8) if squares & 1 == 0 else hg.vec3(0.25, 0.27, 0.35)
            shine = max(hg.dot(way - normal * (2 * hg.dot(way, normal)), sun), 0) ** 32
            lit = own * (0.18 + 0.12 * normal.y + 0.9 * direct) + hg.vec3(0.5) * (shine * direct)
            mist = hg.exp(-0.02 * far * far)
            colour = lit * mist + colour * (1 - mist)
        for part in hg.static_range(3):
            picture[row, column, part] = hg.u8(255 * hg.sqrt(hg.clamp(colour[part], 0, 1)))
        picture[row, column, 3] = 255


def programs():
    return {"view": hg.compile(view, lanes=("width", "height"), shapes={"picture": ("height", "width", 4)})}


def examples():
    """Runs, and what NumPy says of them."""
    height, width, time = 18, 24, 0.7
    rows, columns = np.mgrid[:height, :width]
    ways = np.stack(
        [(2 * columns + 1 - width) / height, (height - 2 * rows - 1) / height, np.full(rows.shape, -1.9)], 2
    )
    ways /= np.linalg.norm(ways, axis=2, keepdims=True)
    eye = np.array([0, 0, 4.2])
    far = _march(eye, ways, time)
    colour = np.array([0.10, 0.13, 0.25]) + np.array([0.35, 0.30, 0.28]) * np.maximum(0.3 - abs(ways[..., 1:2]), 0)
    at = eye + ways * far[..., None]
    here = _distance(at, time)
    normal = np.stack([_distance(at + 0.002 * axis, time) - here for axis in np.eye(3)], 2)
    normal /= np.maximum(np.linalg.norm(normal, axis=2, keepdims=True), 1e-9)
    sun = np.array([0.6, 0.9, 0.5]) / np.linalg.norm([0.6, 0.9, 0.5])
    direct = np.maximum(normal @ sun, 0) * _shadow(at + normal * 0.01, sun, time)
    light = np.floor(at[..., 0]).astype(int) + np.floor(at[..., 2]).astype(int) & 1 == 0
    own = np.array([0.95, 0.45, 0.25]) + np.array([-0.5, 0.1, 0.6]) * (0.5 + 0.4 * at[..., :1])
    floor = np.where(light[..., None], np.array([0.75, 0.75, 0.8]), np.array([0.25, 0.27, 0.35]))
    own = np.where(at[..., 1:2] < -1.39, floor, own)
    shine = np.maximum((ways - 2 * normal * (ways * normal).sum(2, keepdims=True)) @ sun, 0) ** 32
    lit = own * (0.18 + 0.12 * normal[..., 1:2] + 0.9 * direct[..., None]) + 0.5 * (shine * direct)[..., None]
    mist = np.exp(-0.02 * far * far)[..., None]
    colour = np.where(far[..., None] < 12, lit * mist + colour * (1 - mist), colour)
    wanted = np.full((height, width, 4), 255)
    wanted[..., :3] = 255 * np.sqrt(np.clip(colour, 0, 1))
    args = {"picture": np.zeros(wanted.shape, np.uint8), "time": time, "turn": 0, "tilt": 0}
    yield "view", args, {"picture": wanted}


def _distance(p, time):
    ball = np.linalg.norm(p - [1.1 * np.sin(time), 0.2 * np.cos(2 * time), 0], axis=-1) - 0.55
    ring = np.hypot(np.hypot(p[..., 0], p[..., 1]) - 1.1, p[..., 2]) - 0.28
    part = np.clip(0.5 + (ring - ball), 0, 1)
    return np.minimum(ring + (ball - ring) * part - 0.5 * part * (1 - part), p[..., 1] + 1.4)


def _march(start, ways, time):
    far, going = np.zeros(ways.shape[:2]), np.ones(ways.shape[:2], bool)
    for _ in range(80):
        near = _distance(start + ways * far[..., None], time)
        far = np.where(going, far + near, far)
        going &= (near >= 0.002) & (far <= 12)
    return far


def _shadow(start, way, time):
    light, far, going = np.ones(start.shape[:2]), np.full(start.shape[:2], 0.05), np.ones(start.shape[:2], bool)
    for _ in range(24):
        near = _distance(start + way * far[..., None], time)
        light = np.where(going, np.minimum(light, 10 * near / far), light)
        far = np.where(going, far + np.clip(near, 0.03, 0.4), far)
        going &= (light >= 0.01) & (far <= 4)
    return np.clip(light, 0, 1)
