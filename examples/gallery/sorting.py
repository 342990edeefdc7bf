"""Bitonic sorting: pairs that are compared in a pass are known before, so that all of them are, at once."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "Sorting"
SUMMARY = "65,536 numbers, sorted before your eyes by Batcher's bitonic network of 136 passes. The order is checked."
SIZE = (256, 256)
KEYS = "Restart shuffles."
HINT = "A pixel is a number, and its colour how large it is; the first is at the top left."
TOLERANCE = 0
FRAMES = 86


@hg.kernel
def compare(x: hg.Array[hg.u32], size: hg.i32, half: hg.i32):
    """Puts pairs that lie `half` apart in order: upwards and downwards in turn, by runs of `size`."""
    pair = hg.global_id()
    low = 2 * pair - pair % half
    a, b = x[low], x[low + half]
    upwards = low & size == 0
    if (a > b) == upwards:
        x[low], x[low + half] = b, a


@hg.kernel
def paint(x: hg.Array[hg.u32], picture: hg.Array[hg.u8, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    picture[row, column] = hg.u8(x[row * picture.shape[1] + column] >> 24)


def programs():
    plan = hg.PlanBuilder("compare", shapes={"x": ("n",)})
    plan.array("x", hg.u32, ("n",), hg.Access.READ_WRITE)
    plan.launch(compare, "n // 2")
    painted = hg.compile(paint, lanes=("width", "height"), shapes={"x": ("n",), "picture": ("height", "width")})
    return {"compare": hg.CompiledProgram.from_builder(plan), "paint": painted}


def examples():
    """Runs, and what NumPy says of them."""
    x = np.random.default_rng(12).integers(0, 2**32, 64, dtype=np.uint32)
    wanted = x.copy()
    for low in range(64):
        if not low & 4 and (wanted[low] > wanted[low + 4]) == (low & 16 == 0):
            wanted[low], wanted[low + 4] = wanted[low + 4], wanted[low]
    yield "compare", {"x": x, "size": 16, "half": 4}, {"x": wanted}
    yield "paint", {"x": x, "picture": np.zeros((8, 8), np.uint8)}, {"picture": (x >> 24).reshape(8, 8)}
