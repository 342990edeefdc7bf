"""Points of the curve BN254, whose coordinates are numbers of 256 bits: multiples of one of them."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "256-bit curve points"
SUMMARY = "Multiples of a point of y² = x³ + 3 modulo a 254-bit prime. Each of them is checked with BigInt."
SIZE = (512, 512)
KEYS = "Restart begins with the first."
HINT = "x goes to the right and y down: however regular the numbers, the points look like stars."
TOLERANCE = 0
FRAMES = 24


@hg.kernel
def fade(picture: hg.Array[hg.u8, 2]):
    """Older points become darker."""
    row, column = hg.global_id(1), hg.global_id(0)
    here = hg.i32(picture[row, column])
    picture[row, column] = max(here * 31 // 32, min(here, 70))


def pixel(coordinate):
    """The place among 512 of a number below the prime, whose highest 16 bits are 0xc191."""
    return hg.i32(coordinate >> 238) * 512 // 0xC192


@hg.kernel
def plot(xs: hg.Array[hg.u256], ys: hg.Array[hg.u256], picture: hg.Array[hg.u8, 2]):
    """A point for each."""
    i = hg.global_id()
    row, column = pixel(ys[i]), pixel(xs[i])
    for dy in range(2):
        for dx in range(2):
            if row + dy < picture.shape[0] and column + dx < picture.shape[1]:
                picture[row + dy, column + dx] = 255


def programs():
    """Sums and quotients are those of examples/bignum, whose kernels hold numbers in Montgomery's form."""
    from examples.bignum.kernels import multiply
    from examples.bignum.plans import add_plan, affine_plan

    plan = hg.PlanBuilder("plot", shapes={"picture": (512, 512)})
    for name in ("ax", "ay", "one", "xs", "ys"):
        plan.array(name, hg.u256, ("n",))
    plan.launch(fade, (512, 512))
    for name, plain in (("ax", "xs"), ("ay", "ys")):  # times 1 is out of Montgomery's form
        plan.launch(multiply, "n", 64, {"a": name, "b": "one", "c": plain})
    plan.launch(plot, "n")
    return {"add": add_plan(), "affine": affine_plan(), "plot": hg.CompiledProgram.from_builder(plan)}


def examples():
    """A run, and what Python's integers say of it; sums and quotients have tests of their own, tests/test_bignum.py."""
    from examples.bignum.reference import multiples, to_montgomery

    points = multiples(24)
    xs, ys = zip(*points, strict=True)
    picture = np.zeros((512, 512), np.uint8)
    for x, y in points:
        row, column = (y >> 238) * 512 // 0xC192, (x >> 238) * 512 // 0xC192
        picture[row : row + 2, column : column + 2] = 255
    args = {"ax": _wide(to_montgomery(xs)), "ay": _wide(to_montgomery(ys)), "one": _wide([1] * 24)}
    wanted = {"xs": _wide(xs), "ys": _wide(ys), "picture": picture}
    yield "plot", args | {"picture": np.zeros_like(picture)}, wanted


def _wide(values):
    return np.frombuffer(hg.u256.pack(list(values)), hg.u256.numpy).copy()
