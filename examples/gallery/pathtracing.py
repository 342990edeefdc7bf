"""Path tracing: light is followed backwards from the eye, from ball to ball, until it meets the sky or a lamp."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "Path tracing"
SUMMARY = "Balls that light each other. Each frame adds a random path for every pixel, and the picture becomes clear."
SIZE = (480, 360)
KEYS = "Drag, or use the arrow keys, to look around."
HINT = "Drag to look around: the picture begins anew."
TOLERANCE = 0.02
FRAMES = 150

# x, y, z, radius; red, green, blue; light of its own; how much of a mirror it is
BALLS = (
    (0.0, -100.5, 0.0, 100.0, 0.75, 0.75, 0.78, 0.0, 0.0),
    (0.0, 0.05, 0.0, 0.55, 0.95, 0.93, 0.88, 0.0, 1.0),
    (-1.15, -0.1, 0.2, 0.4, 0.9, 0.25, 0.2, 0.0, 0.0),
    (1.1, -0.15, 0.25, 0.35, 0.2, 0.45, 0.9, 0.0, 0.15),
    (-0.45, -0.3, 0.85, 0.2, 0.95, 0.75, 0.25, 0.0, 0.6),
    (0.5, -0.33, 0.8, 0.17, 0.3, 0.85, 0.5, 0.0, 0.0),
    (-0.9, 1.5, 0.6, 0.35, 1.0, 0.85, 0.6, 9.0, 0.0),
    (1.5, 1.0, -0.9, 0.25, 0.6, 0.75, 1.0, 8.0, 0.0),
)
FAR = 1e9


def nearest(start, way):
    """How far the nearest ball is, and which one."""
    far, found = FAR, -1
    for k, ball in enumerate(BALLS):
        to = start - hg.vec3(ball[0], ball[1], ball[2])
        half = hg.dot(to, way)
        inside = half * half - hg.dot(to, to) + ball[3] * ball[3]
        if inside > 0:
            t = -half - hg.sqrt(inside)
            if 0.001 < t < far:
                far, found = t, k
    return far, found


def anywhere(seed, number, turn):
    """A random direction."""
    z = 2 * hg.random_uniform(seed, number, 2 * turn) - 1
    angle = 6.2831853 * hg.random_uniform(seed, number, 2 * turn + 1)
    flat = hg.sqrt(max(1 - z * z, 0))
    return hg.vec3(flat * hg.cos(angle), flat * hg.sin(angle), z)


@hg.kernel
def trace(sum: hg.Array[hg.f32, 3], seed: hg.u32, turn: hg.f32, tilt: hg.f32):
    """Adds the light of one path to every pixel."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = sum.shape[0], sum.shape[1]
    if row < height and column < width:
        pixel = row * width + column
        x = 2 * (column + hg.random_uniform(seed, pixel, 100)) / height - width / height
        y = 1 - 2 * (row + hg.random_uniform(seed, pixel, 101)) / height
        back = hg.vec3(hg.sin(turn) * hg.cos(tilt), hg.sin(tilt), hg.cos(turn) * hg.cos(tilt))
        right = hg.normalize(hg.cross(hg.vec3(0.0, 1.0, 0.0), back))
        start = back * 3.6 + hg.vec3(0.0, 0.25, 0.0)
        way = hg.normalize(right * x + hg.cross(back, right) * y - back * 2.2)
        light, colour = hg.vec3(0.0), hg.vec3(1.0)
        for bounce in range(5):
            far, found = nearest(start, way)
            if found < 0:
                sky = hg.lerp(hg.vec3(0.10, 0.10, 0.14), hg.vec3(0.16, 0.22, 0.38), 0.5 + 0.5 * way.y)
                light += colour * sky
                break
            centre, own, radius = hg.vec3(0.0), hg.vec3(0.0), 1.0
            glow, mirror = 0.0, 0.0
            for k, ball in enumerate(BALLS):
                if k == found:
                    centre, radius = hg.vec3(ball[0], ball[1], ball[2]), ball[3]
                    own = hg.vec3(ball[4], ball[5], ball[6])
                    glow, mirror = ball[7], ball[8]
            colour = colour * own
            if glow > 0:
                light += colour * glow
                break
            start = start + way * far
            normal = (start - centre) / radius
            if hg.random_uniform(seed, pixel, 50 + bounce) < mirror:
                way = way - normal * (2 * hg.dot(way, normal))
            else:
                way = hg.normalize(normal * 1.001 + anywhere(seed, pixel, bounce))
        for part in hg.static_range(3):
            sum[row, column, part] += light[part]


@hg.kernel
def paint(sum: hg.Array[hg.f32, 3], picture: hg.Array[hg.u8, 3], paths: hg.f32):
    row, column = hg.global_id(1), hg.global_id(0)
    for part in hg.static_range(3):
        mean = sum[row, column, part] / paths
        picture[row, column, part] = hg.u8(255 * hg.sqrt(mean / (0.6 + mean)))
    picture[row, column, 3] = 255


@hg.kernel
def clear(sum: hg.Array[hg.f32, 3]):
    row, column = hg.global_id(1), hg.global_id(0)
    for part in hg.static_range(3):
        sum[row, column, part] = 0


def programs():
    size, lanes = ("height", "width"), ("width", "height")
    plan = hg.PlanBuilder("pathtracing", shapes={"sum": (*size, 3), "picture": (*size, 4)})
    plan.launch(trace, lanes)
    plan.launch(paint, lanes)
    cleared = hg.compile(clear, lanes=lanes, shapes={"sum": (*size, 3)})
    return {"frame": hg.CompiledProgram.from_builder(plan), "clear": cleared}


def examples():
    """Runs, and what NumPy says of them: a path from each pixel, by the same random numbers."""
    height, width, seed = 9, 12, 3
    wanted = np.zeros((height, width, 3))
    draw = lambda pixel, stream: _uniform(seed, pixel, stream)  # noqa: E731
    for row in range(height):
        for column in range(width):
            wanted[row, column] = _path(row, column, height, width, draw)
    args = {"sum": np.zeros((height, width, 3), np.float32), "picture": np.zeros((height, width, 4), np.uint8)}
    yield "frame", args | {"seed": seed, "turn": 0, "tilt": 0, "paths": 1}, {"sum": wanted}
    yield "clear", {"sum": np.ones((3, 4, 3), np.float32)}, {"sum": np.zeros((3, 4, 3))}


def _path(row, column, height, width, draw):
    pixel = row * width + column
    x = 2 * (column + draw(pixel, 100)) / height - width / height
    y = 1 - 2 * (row + draw(pixel, 101)) / height
    start, way = np.array([0, 0.25, 3.6]), np.array([x, y, -2.2]) / np.linalg.norm([x, y, -2.2])
    light, colour = np.zeros(3), np.ones(3)
    for bounce in range(5):
        hits = []
        for ball in BALLS:
            to = start - ball[:3]
            inside = (to @ way) ** 2 - to @ to + ball[3] ** 2
            t = -(to @ way) - np.sqrt(max(inside, 0))
            hits.append(t if inside > 0 and t > 0.001 else FAR)
        ball, far = BALLS[int(np.argmin(hits))], min(hits)
        if far == FAR:
            part = 0.5 + 0.5 * way[1]
            return light + colour * (np.array([0.10, 0.10, 0.14]) * (1 - part) + np.array([0.16, 0.22, 0.38]) * part)
        colour = colour * ball[4:7]
        if ball[7] > 0:
            return light + colour * ball[7]
        start = start + way * far
        normal = (start - ball[:3]) / ball[3]
        if draw(pixel, 50 + bounce) < ball[8]:
            way = way - normal * 2 * (way @ normal)
        else:
            z, angle = 2 * draw(pixel, 2 * bounce) - 1, 6.2831853 * draw(pixel, 2 * bounce + 1)
            flat = np.sqrt(max(1 - z * z, 0))
            way = normal * 1.001 + [flat * np.cos(angle), flat * np.sin(angle), z]
            way = way / np.linalg.norm(way)
    return light


def _uniform(seed, number, stream):
    """hg.random_uniform: the first word of Philox4x32-10."""
    counter, key = [number, 0, stream, 0], [seed, 0]
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [second >> 32 ^ counter[1] ^ key[0], second, first >> 32 ^ counter[3] ^ key[1], first]
        counter = [word & 0xFFFFFFFF for word in counter]
        key = [key[0] + 0x9E3779B9 & 0xFFFFFFFF, key[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return (counter[0] >> 8) / 2**24
