"""A fluid after Stam: it carries itself and its dye along, and pressure keeps it from piling up."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "Fluid"
SUMMARY = "Ink in water, stirred by the pointer: Stam's stable fluids, with twenty rounds of pressure a frame."
SIZE = (256, 256)
KEYS = "Drag to stir."
HINT = "Drag to stir and to add ink."
TOLERANCE = 2e-5


def sample(field, y, x, part):
    """A part of a field between four cells."""
    height, width = field.shape[0], field.shape[1]
    y, x = hg.clamp(y, 0, height - 1.001), hg.clamp(x, 0, width - 1.001)
    row, column = hg.i32(hg.floor(y)), hg.i32(hg.floor(x))
    down, right = y - row, x - column
    upper = hg.lerp(field[row, column, part], field[row, column + 1, part], right)
    lower = hg.lerp(field[row + 1, column, part], field[row + 1, column + 1, part], right)
    return hg.lerp(upper, lower, down)


@hg.kernel
def carry(flow: hg.Array[hg.f32, 3], dye: hg.Array[hg.f32, 3], flow2: hg.Array[hg.f32, 3], dye2: hg.Array[hg.f32, 3]):
    """What comes to a cell is what was where the flow came from."""
    row, column = hg.global_id(1), hg.global_id(0)
    x, y = column - flow[row, column, 0], row - flow[row, column, 1]
    for part in hg.static_range(2):
        flow2[row, column, part] = sample(flow, y, x, part) * 0.999
    for part in hg.static_range(3):
        dye2[row, column, part] = sample(dye, y, x, part) * 0.995


@hg.kernel
def stir(
    flow2: hg.Array[hg.f32, 3],
    dye2: hg.Array[hg.f32, 3],
    x: hg.f32,
    y: hg.f32,
    dx: hg.f32,
    dy: hg.f32,
    red: hg.f32,
    green: hg.f32,
    blue: hg.f32,
):
    """Pushes what is near (x, y), and colours it."""
    row, column = hg.global_id(1), hg.global_id(0)
    near = hg.exp(((column - x) ** 2 + (row - y) ** 2) / -60)
    flow2[row, column, 0] += near * dx
    flow2[row, column, 1] += near * dy
    dye2[row, column, 0] += near * red
    dye2[row, column, 1] += near * green
    dye2[row, column, 2] += near * blue


@hg.kernel
def diverge(flow2: hg.Array[hg.f32, 3], source: hg.Array[hg.f32, 2], pressure: hg.Array[hg.f32, 2]):
    """What flows out of each cell."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = source.shape
    across = flow2[row, min(column + 1, width - 1), 0] - flow2[row, max(column - 1, 0), 0]
    down = flow2[min(row + 1, height - 1), column, 1] - flow2[max(row - 1, 0), column, 1]
    source[row, column] = (across + down) / 2
    pressure[row, column] = 0


@hg.kernel
def press(pressure: hg.Array[hg.f32, 2], after: hg.Array[hg.f32, 2], source: hg.Array[hg.f32, 2]):
    """A round of Jacobi's method."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = pressure.shape
    up, down = pressure[max(row - 1, 0), column], pressure[min(row + 1, height - 1), column]
    left, right = pressure[row, max(column - 1, 0)], pressure[row, min(column + 1, width - 1)]
    after[row, column] = (up + down + left + right - source[row, column]) / 4


@hg.kernel
def project(
    flow2: hg.Array[hg.f32, 3],
    dye2: hg.Array[hg.f32, 3],
    pressure: hg.Array[hg.f32, 2],
    flow: hg.Array[hg.f32, 3],
    dye: hg.Array[hg.f32, 3],
    picture: hg.Array[hg.u8, 3],
):
    """The flow goes from high pressure to low; the dye becomes a picture."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = pressure.shape
    across = pressure[row, min(column + 1, width - 1)] - pressure[row, max(column - 1, 0)]
    down = pressure[min(row + 1, height - 1), column] - pressure[max(row - 1, 0), column]
    flow[row, column, 0] = flow2[row, column, 0] - across / 2
    flow[row, column, 1] = flow2[row, column, 1] - down / 2
    for part in hg.static_range(3):
        dye[row, column, part] = dye2[row, column, part]
        picture[row, column, part] = hg.u8(255 * (1 - hg.exp(-dye2[row, column, part])))
    picture[row, column, 3] = 255


def programs():
    size, lanes = ("height", "width"), ("width", "height")
    shapes = {"flow": (*size, 2), "dye": (*size, 3), "picture": (*size, 4)}
    plan = hg.PlanBuilder("fluid", shapes=shapes)
    plan.scalar("pairs", hg.i32)  # of rounds
    plan.temporary("flow2", (*size, 2), hg.f32)
    plan.temporary("dye2", (*size, 3), hg.f32)
    for name in ("source", "pressure", "after"):
        plan.temporary(name, size, hg.f32)
    plan.launch(carry, lanes)
    plan.launch(stir, lanes)
    plan.launch(diverge, lanes)
    with plan.repeat("pairs"):
        plan.launch(press, lanes)
        plan.launch(press, lanes, args={"pressure": "after", "after": "pressure"})
    plan.launch(project, lanes)
    return {"frame": hg.CompiledProgram.from_builder(plan)}


def examples():
    """Runs, and what NumPy says of them."""
    rng = np.random.default_rng(6)
    flow, dye = rng.normal(0, 2, (12, 16, 2)).astype(np.float32), rng.random((12, 16, 3), np.float32)
    rows, columns = np.mgrid[:12, :16]
    y, x = np.clip(rows - flow[..., 1], 0, 11 - 0.001), np.clip(columns - flow[..., 0], 0, 15 - 0.001)
    r, c = np.floor(y).astype(int), np.floor(x).astype(int)
    down, right = (y - r)[..., None], (x - c)[..., None]

    def carried(field):
        upper = field[r, c] * (1 - right) + field[r, c + 1] * right
        return upper * (1 - down) + (field[r + 1, c] * (1 - right) + field[r + 1, c + 1] * right) * down

    near = np.exp(((columns - 5) ** 2 + (rows - 6) ** 2) / -60)[..., None]
    flow2 = carried(flow) * 0.999 + near * (0.5, -1)
    dye2 = carried(dye) * 0.995 + near * (0.1, 0.2, 0.3)
    source = sum(_slope(flow2[..., axis], 1 - axis) for axis in (0, 1)) / 2
    pressure = np.zeros((12, 16))
    for _ in range(6):
        p = np.pad(pressure, 1, mode="edge")
        pressure = (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - source) / 4
    wanted = flow2 - np.stack([_slope(pressure, 1), _slope(pressure, 0)], 2) / 2
    args = {"flow": flow, "dye": dye, "picture": np.zeros((12, 16, 4), np.uint8), "pairs": 3, "x": 5, "y": 6}
    args |= {"dx": 0.5, "dy": -1, "red": 0.1, "green": 0.2, "blue": 0.3}
    yield "frame", args, {"flow": wanted, "dye": dye2}


def _slope(m, axis):
    p = np.pad(m, 1, mode="edge")[1:-1] if axis else np.pad(m, 1, mode="edge")[:, 1:-1]
    return p[:, 2:] - p[:, :-2] if axis else p[2:] - p[:-2]
