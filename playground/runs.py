"""What the playground runs of the gallery."""

from __future__ import annotations

__all__ = ["RUNS"]

# Behind the kernels of an example of the gallery: which of its programs runs, and on what. One without is there to be
# looked at.
_PHOTO = """
photo = [[[x, y, (x * y) // 160, 255] for x in range(160)] for y in range(120)]
for y in range(120):
    for x in range(160):
        if (x - 60) ** 2 + (y - 50) ** 2 < 900 or (x > 100 and y > 80):
            photo[y][x] = [240, 200 - y, x, 255]
"""
RUNS = {
    "curve": """
P = 21888242871839275222246405745257275088696311157297823662689037894645226208583


def multiples(count):
    x, y = 1, 2  # the point, whose multiples Python's integers give
    for _ in range(count):
        yield x, y
        way = (y - 2) * pow(x - 1, -1, P) if x != 1 else 3 * pow(4, -1, P)
        nx = (way * way - x - 1) % P
        x, y = nx, (way * (1 - nx) - 2) % P


xs, ys = zip(*multiples(2000))
program = hg.compile(plot, lanes="n", shapes={"xs": ("n",), "ys": ("n",), "picture": (512, 512)})
inputs = {"xs": list(xs), "ys": list(ys), "picture": (512, 512)}
""",
    "digits": """
program = hg.compile(draw, lanes=(SIDE, SIDE), shapes={"ink": (SIDE, SIDE)})
inputs = {"ink": (SIDE, SIDE), "x": 12, "y": 10, "to_x": 50, "to_y": 44}
""",
    "edges": f"""{_PHOTO}
program = programs()["edges"]
inputs = {{"photo": photo, "picture": (120, 160, 4), "pairs": 4, "low": 4, "high": 12, "show": 0}}
""",
    "filters": f"""{_PHOTO}
emboss = [[0] * 5, [0, -2, -1, 0, 0], [0, -1, 1, 1, 0], [0, 0, 1, 2, 0], [0] * 5]
program = programs()["convolve"]
matrix = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
inputs = {{"photo": photo, "weights": emboss, "matrix": matrix, "picture": (120, 160, 4), "split": 40}}
""",
    "fluid": """
program = programs()["frame"]
inputs = {"flow": (128, 128, 2), "dye": (128, 128, 3), "picture": (128, 128, 4), "pairs": 10}
inputs |= {"x": 60, "y": 70, "dx": 5, "dy": -3, "red": 0.4, "green": 1.2, "blue": 2}
""",
    "heat": """
program = programs()["steps"]
hot = [[1 if (row - 70) ** 2 + (column - 90) ** 2 < 900 else 0 for column in range(192)] for row in range(192)]
inputs = {"heat": hot, "held": hot, "picture": (192, 192), "pairs": 200, "speed": 0.2}
""",
    "kmeans": f"""{_PHOTO}
program = programs()["round"]
colours = [[40 * k, 255 - 40 * k, 20 * k] for k in range(6)]
inputs = {{"photo": photo, "colours": colours, "counts": (6,), "picture": (120, 160, 4), "bar": 12}}
""",
    "life": """
import random

program = programs()["steps"]
cells = [[random.choice((0, 0, ALIVE)) for _ in range(256)] for _ in range(256)]
inputs = {"cells": cells, "pairs": 20}
""",
    "mandelbrot": """
program = programs()["f32"]
inputs = {"picture": (420, 560, 4), "left": -2.3, "top": -1.2, "pixel": 0.0057, "most": 300}
""",
    "nbody": """
import random

program = programs()["frame"]
place = [[random.gauss(0, 0.6) for _ in range(3)] + [0.01] for _ in range(512)]
inputs = {"place": place, "speed": (512, 3), "light": (210, 280), "picture": (210, 280)}
inputs |= {"dt": 0.01, "turn": 0.4, "tilt": 0.3}
""",
    "particles": """
import random

program = programs()["frame"]
place = [[random.random(), random.random()] for _ in range(8192)]
inputs = {"place": place, "speed": (8192, 2), "light": (210, 280), "picture": (210, 280)}
inputs |= {"time": 0.5, "x": 0.5, "y": 0.5, "pull": 1, "wind": 2}
""",
    "pathtracing": """
program = programs()["frame"]
inputs = {"sum": (180, 240, 3), "picture": (180, 240, 4), "seed": 1, "turn": 0.3, "tilt": 0.1, "paths": 1}
""",
    "raymarching": """
program = programs()["view"]
inputs = {"picture": (150, 200, 4), "time": 0.7, "turn": 0.5, "tilt": 0.3}
""",
    "reaction": """
program = programs()["steps"]
seeds = [[0.5 if row // 12 % 4 == column // 12 % 5 == 1 else 0 for column in range(200)] for row in range(200)]
inputs = {"u": [[1] * 200] * 200, "v": seeds, "picture": (200, 200), "pairs": 300, "feed": 0.04, "kill": 0.06}
""",
    "sha256": """
message = b"hologram" + bytes(4)  # of which the last word is the lane's number
padded = message + b"\\x80" + bytes(55 - len(message)) + (8 * len(message)).to_bytes(8, "big")
block = [int.from_bytes(padded[k : k + 4], "big") for k in range(0, 64, 4)]
program = programs()["hash"]
inputs = {"block": block, "hashes": (256, 8), "least": [2**32 - 1], "picture": (256, 512), "start": 0, "at": 2}
""",
    "sorting": """
import random

program = programs()["compare"]  # one of the passes: halves of which one rises and one falls are known
x = [random.getrandbits(32) for _ in range(256)]
inputs = {"x": sorted(x[:128]) + sorted(x[128:], reverse=True), "size": 256, "half": 128}
""",
    "spectrum": """
program = programs()["frame"]
sound = [math.sin(2 * math.pi * (20 + k / 50) * k / SAMPLES) for k in range(SAMPLES)]
inputs = {"sound": sound, "level": (512,), "history": (512, 512), "picture": (384, 512), "at": 0}
""",
}
