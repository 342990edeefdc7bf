"""Data arrangement: elements go elsewhere, unchanged."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from math import prod

from .budgets import choices, size_class, timed
from .language import (
    Constant,
    Elements,
    T,
    barrier,
    block_id,
    global_id,
    i32,
    local_id,
    select,
    shared,
    static_range,
)  # fmt: skip
from .operation import TensorOperation, across, beyond, ceildiv, part, too_many

__all__ = ["OPERATIONS", "read_as"]

# One element after the other took 1024 x 1024 of F32 in V8 8.7 ms, and tiles 2.2 to 2.4; 1000 x 1000 3.7 and 1.3. With
# tiles side by side, not below each other, it was 3.0 and 1.8.
MANY, LONG = 16, 256  # tiles of a block; columns of one that has few rows
SIDE, HIGH = 32, 8  # of a tile, and of the block that has it, where lanes run together


def _copy(output: Elements[T], input: Elements[T], T: Constant[type]):
    i = global_id(0)
    output[i] = input[i]


def _fill(output: Elements[T], value: T, T: Constant[type]):
    output[global_id(0)] = value


def _strided(
    output: Elements[T],
    input: Elements[T],
    T: Constant[type],
    DIMS: Constant[tuple],
    STEPS: Constant[tuple],
    START: Constant[int],
):
    """Element i of a result of these dimensions is at START and so many STEPS along each."""
    i = global_id(0)
    rest, place = i, START
    for axis in static_range(len(DIMS) - 1, -1, -1):
        place += rest % DIMS[axis] * STEPS[axis]
        rest = rest // DIMS[axis]
    output[i] = input[place]


def _place(number, DIMS, STEPS):
    """Where an element begins that has this number among those of some axes."""
    place, rest = i32(0), number
    for axis in static_range(len(DIMS) - 1, -1, -1):
        place += rest % DIMS[axis] * STEPS[axis]
        rest = rest // DIMS[axis]
    return place


def _turned(
    output: Elements[T],
    input: Elements[T],
    rows: i32,
    columns: i32,
    step: i32,
    apart: i32,
    T: Constant[type],
    DIMS: Constant[tuple],
    FROM: Constant[tuple],
    TO: Constant[tuple],
    TALL: Constant[int],
    WIDE: Constant[int],
    ACROSS: Constant[int],
    MANY: Constant[int],
    FEW: Constant[bool],
):
    """Rows of `columns` elements, `step` apart, become columns of rows that are `apart`, for each matrix. ACROSS lanes
    go down MANY tiles of TALL x WIDE, whose lines stay in the cache; of FEW rows they lie along columns. The last tile
    ends with the matrix, and writes again what the one before has."""
    first, result = _place(block_id(2), DIMS, FROM), _place(block_id(2), DIMS, TO)
    left, x = max(min(block_id(1) * WIDE, columns - WIDE), 0), local_id(0)
    if FEW:
        for more in range(WIDE // ACROSS):
            for row in static_range(TALL):
                column = left + more * ACROSS + x
                output[result + column * apart + row] = input[first + row * step + column]
    else:
        for turn in range(MANY):
            top = max(min((block_id(0) * MANY + turn) * TALL, rows - TALL), 0) + x
            for column in range(left, left + WIDE):
                for more in static_range(TALL // ACROSS):
                    row = top + more * ACROSS
                    output[result + column * apart + row] = input[first + row * step + column]


def _turned_together(
    output: Elements[T],
    input: Elements[T],
    rows: i32,
    columns: i32,
    step: i32,
    apart: i32,
    T: Constant[type],
    DIMS: Constant[tuple],
    FROM: Constant[tuple],
    TO: Constant[tuple],
    SIDE: Constant[int],
    HIGH: Constant[int],
):
    """The same by a tile in shared memory: lanes side by side read elements side by side, and write such."""
    tile = shared(T, SIDE * (SIDE + 1))
    x, y = local_id(0), local_id(1)
    first, result = _place(block_id(2), DIMS, FROM), _place(block_id(2), DIMS, TO)
    left, top = block_id(0) * SIDE, block_id(1) * SIDE
    for i in static_range(SIDE // HIGH):
        row, column = top + i * HIGH + y, left + x
        if row < rows and column < columns:
            tile[(i * HIGH + y) * (SIDE + 1) + x] = input[first + row * step + column]
    barrier()
    for i in static_range(SIDE // HIGH):
        row, column = top + x, left + i * HIGH + y
        if row < rows and column < columns:
            output[result + column * apart + row] = tile[x * (SIDE + 1) + i * HIGH + y]


def _padded(
    output: Elements[T],
    input: Elements[T],
    value: T,
    T: Constant[type],
    DIMS: Constant[tuple],
    SHAPE: Constant[tuple],
    BEFORE: Constant[tuple],
    SIZES: Constant[tuple],
):
    """Of each part of SIZES[0] elements one of SIZES[1]."""
    i, row = global_id(0), global_id(1)
    rest, place, step, inside = i, row * SIZES[0], 1, True
    for axis in static_range(len(DIMS) - 1, -1, -1):
        at = rest % DIMS[axis] - BEFORE[axis]
        inside = inside and at >= 0 and at < SHAPE[axis]
        place += at * step
        step *= SHAPE[axis]
        rest = rest // DIMS[axis]
    found = value
    if inside:
        found = input[place]
    output[row * SIZES[1] + i] = found


def _rows_into(
    output: Elements[T],
    rows: Elements[T],
    length: i32,
    step: i32,
    start: i32,
    T: Constant[type],
    SEVERAL: Constant[bool],
):
    """Row after row of `length` elements, which come to lie `step` apart."""
    i, row = global_id(0), i32(0)
    if SEVERAL:
        row = global_id(1)
    output[row * step + start + i] = rows[row * length + i]


def _gather(
    output: Elements[T],
    input: Elements[T],
    indices: Elements[i32],
    axis_len: i32,
    inner: i32,
    count: i32,
    T: Constant[type],
    EACH: Constant[bool],
    BEYOND: Constant[int],
):
    """An index counts from the end if it is negative; one beyond the axis is a fault. EACH element may have its own."""
    i, j, outer = global_id(0), global_id(1), global_id(2)
    at = (outer * count + j) * inner + i
    if EACH:
        index = indices[at]
    else:
        index = indices[j]
    index = select(index < 0, index + axis_len, index)
    place = (outer * axis_len + index) * inner + i
    output[at] = input[select(index >= 0 and index < axis_len, place, BEYOND)]


def _steps(shape):
    """How far elements of a dense array are apart along each axis."""
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _strided_launch(o, dims, steps, start):
    if 0 in dims:  # nothing, of which no kernel can divide
        return []
    constants = {"T": o.ty, "DIMS": dims, "STEPS": tuple(steps), "START": start}
    return [part(o, _strided, (prod(dims),), (256,), scalars={}, **constants)]


def _merged(lengths, steps):
    """The length and step of as few axes as there may be: those along which elements lie evenly are one."""
    found = []
    for length, step in zip(lengths, steps, strict=True):
        if found and found[-1][1] == length * step:
            length *= found.pop()[0]
        if length != 1:
            found.append((length, step))
    return found


def _sides(axes):
    """The axis along which what is read lies side by side, how many rows are read and how many columns; None where what
    is written lies side by side along the same."""
    at = next((at for at, (_, step) in enumerate(axes) if step == 1), -1)
    return None if len(axes) < 2 or at in (-1, len(axes) - 1) else (at, axes[-1][0], axes[at][0])


def _in_tiles(traits, rows, columns):
    """Whether tiles are faster than element by element, where nothing was timed."""
    # On software that plays a GPU tiles took one to three times as long: barriers cost more than what they save.
    return traits.gpu and min(rows, columns) >= HIGH if traits.together else max(rows, columns) >= 4


def read_as(o, traits, lengths, steps, chosen=None, **given):
    """A launch that reads an array along axes of these lengths, whose elements are so many steps apart. Where
    neighbours of what is read are none of what is written, both are gone through in tiles, as `chosen` if it is."""
    axes = _merged(lengths, steps)
    sides = _sides(axes) if o.ty.size_bytes <= 8 else None
    if sides is None or not (_in_tiles(traits, *sides[1:]) if chosen is None else chosen[0] == "tiles"):
        constants = {"DIMS": tuple(lengths), "STEPS": tuple(steps), "START": 0}
        return part(o, _strided, (prod(lengths),), (256,), scalars={}, T=o.ty, **constants, **given)
    at, rows, columns = sides
    after, others = _steps([length for length, _ in axes]), [i for i in range(len(axes) - 1) if i != at]
    scalars = {"rows": rows, "columns": columns, "step": axes[-1][1], "apart": after[at]}
    dims, places = tuple(axes[i][0] for i in others), {"FROM": tuple(axes[i][1] for i in others)}
    given |= places | {"TO": tuple(after[i] for i in others), "T": o.ty, "DIMS": dims, "scalars": scalars}
    if traits.together:
        lanes = ceildiv(columns, SIDE) * SIDE, ceildiv(rows, SIDE) * HIGH, prod(dims)
        return part(o, _turned_together, lanes, (SIDE, HIGH), SIDE=SIDE, HIGH=HIGH, **given)
    few = rows < 4
    tall, wide = tile_of(rows, columns) if chosen is None or min(rows, columns) < 4 else chosen[1].values()
    most, along = max(16 // o.ty.size_bytes, 4), wide if few else tall
    width = next(
        width for width in (16, 8, 4) if width <= most and along % width == 0
    )  # of vectors, where they fill one
    tiles = ceildiv(rows, tall)
    lanes = ceildiv(tiles, MANY) * width, ceildiv(columns, wide), prod(dims)
    sizes = {"TALL": tall, "WIDE": wide, "ACROSS": width, "MANY": min(tiles, MANY), "FEW": few}
    return part(o, _turned, lanes, (width,), **sizes, **given)


def tile_of(rows, columns):
    """Rows and columns of a tile, of what has so many."""
    tall, wide = (next((side for side in (16, 8, 4) if side <= length), length) for length in (rows, columns))
    return tall, min(columns // 4 * 4, LONG) if rows < 4 else wide


def _turned_axes(o):
    steps = _steps(o.shape)
    return [o.shape[axis] for axis in o.permutation], [steps[axis] for axis in o.permutation]


def _transpose(o, traits):
    if 0 in o.shape:
        return []
    return [read_as(o, traits, *_turned_axes(o), timed(traits, _key(o)))]


def _key(o):
    """Of what is gone through in rows and columns; shapes of other ranks are other things."""
    axes = _merged(*_turned_axes(o)) if 0 not in o.shape else []
    found = size_class(*(length for length, _ in axes))
    order = "".join(str(sorted(step for _, step in axes)[::-1].index(step)) for _, step in axes)
    return found and f"transpose {o.ty} {found} {order}"


def _schedules(o, traits):
    """Element by element, and tiles of several sizes."""
    sides = _sides(_merged(*_turned_axes(o)) if 0 not in o.shape else [])
    if sides is None or o.ty.size_bytes > 8:
        return _key(o) or "transpose", [("strided", ())]
    _, rows, columns = sides
    default = dict(zip(("TALL", "WIDE"), tile_of(rows, columns), strict=True))
    if traits.together:
        tiles = [default]
    else:
        sides = [(tall, wide) for tall in (4, 8, 16) for wide in (4, 8, 16) if tall <= rows and wide <= columns]
        tiles = [default, *({"TALL": tall, "WIDE": wide} for tall, wide in sides if min(rows, columns) >= 4)]
    found = [("tiles", each) for each in tiles], [("strided", {})]
    first = 1 if _in_tiles(traits, rows, columns) else -1
    return _key(o), choices(*(each for part in found[::first] for each in part))


def _ranges(o):
    """The parts of the axes that Slice takes, as Python's."""
    parts = zip(o.shape, o.start, o.stop, o.step, strict=True)
    return [range(*slice(*part).indices(length)) for length, *part in parts]


def _slice(o, traits):
    ranges, steps = _ranges(o), _steps(o.shape)
    start = sum(part.start * step for part, step in zip(ranges, steps, strict=True) if len(part))
    return _strided_launch(
        o, tuple(map(len, ranges)), [(len(p) > 1) * p.step * step for p, step in zip(ranges, steps, strict=True)], start
    )


def _sliced(np, o, input):
    # A stop of -1 means before the first element only where the step is negative, and slices of Python cannot say so.
    return input.reshape(o.shape)[np.ix_(*[list(part) for part in _ranges(o)])]


def _pad_dims(o):
    return [a + length + b for a, length, b in zip(o.before, o.shape, o.after, strict=True)]


def _pad(o, traits):
    # Axes in front that stay as they are may be of any length.
    last = max(len(o.shape) - 1, 0)
    first = next((a for a, each in enumerate(zip(o.before, o.after, strict=True)) if each != (0, 0)), last)
    dims, shape = tuple(_pad_dims(o)[first:]), tuple(o.shape[first:])
    if 0 in dims:
        return []
    sizes = prod(shape), prod(dims)
    constants = {"T": o.ty, "DIMS": dims, "SHAPE": shape, "BEFORE": tuple(o.before[first:]), "SIZES": sizes}
    return [part(o, _padded, (sizes[1], prod(o.shape[:first])), (256,), scalars={"value": o.value}, **constants)]


def _padded_by_numpy(np, o, input):
    found = np.full(_pad_dims(o), o.value, input.dtype)
    found[tuple(slice(a, a + length) for a, length in zip(o.before, o.shape, strict=True))] = input.reshape(o.shape)
    return found


def _concat(o, traits):
    whole, several, found = (o.a_len + o.b_len) * o.inner, not isinstance(o.outer, int) or o.outer != 1, []
    for name, length, start in (("a", o.a_len * o.inner, 0), ("b", o.b_len * o.inner, o.a_len * o.inner)):
        scalars = {"length": length, "step": whole, "start": start}
        lanes, block = ((length, o.outer), (64,)) if several else ((length,), (256,))
        more = {"T": o.ty, "SEVERAL": several}
        found.append(part(o, _rows_into, lanes, block, buffers={"rows": name}, scalars=scalars, **more))
    return found


def _taken(np, o, input, indices):
    return np.take(input.reshape(o.outer, o.axis_len, o.inner), indices, axis=1)


def _taken_each(np, o, input, indices):
    rows, places = input.reshape(o.outer, o.axis_len, o.inner), indices.reshape(o.outer, o.count, o.inner)
    return np.take_along_axis(rows, places, axis=1)


def _gathered_extents(each):
    def extents(o):
        result = o.outer * o.count * o.inner
        return {"input": o.outer * o.axis_len * o.inner, "indices": result if each else o.count, "output": result}

    return extents


def _gathered(each):
    def launches(o, traits):
        scalars = {"axis_len": o.axis_len, "inner": o.inner, "count": o.count}
        return across(o, _gather, (o.inner, o.count, o.outer), scalars=scalars, T=o.ty, EACH=each, BEYOND=beyond(o.ty))

    return launches


def _joined(np, o, a, b):
    return np.concatenate([a.reshape(o.outer, o.a_len, o.inner), b.reshape(o.outer, o.b_len, o.inner)], axis=1)


def _of_axes(*names):
    """Checks that lists of numbers are as long as the shape."""

    def check(o):
        for name in names:
            if len(o.values[name]) != len(o.shape):
                return f"{name} has {len(o.values[name])} numbers, and the shape {len(o.shape)} axes"
        if (wrong := too_many("the shape", o.shape)) is not None:
            return wrong
        if "permutation" in names and sorted(o.permutation) != list(range(len(o.shape))):
            return f"the permutation {tuple(o.permutation)} does not name each of {len(o.shape)} axes once"
        if "step" in names and 0 in o.step:
            return f"axis {list(o.step).index(0)} has step 0"
        if "before" in names and min((*o.before, *o.after), default=0) < 0:
            return "a pad is not negative: take a Slice"
        return too_many("with its pads the shape", _pad_dims(o)) if "before" in names else None

    return check


OPERATIONS = (
    TensorOperation(
        "Copy",
        lambda o: {"input": o.count, "output": o.count},
        lambda o, traits: [part(o, _copy, (o.count,), (256,), scalars={}, T=o.ty)],
        lambda np, o, input: input,
        in_place=True,
    ),
    TensorOperation(
        "Fill",
        lambda o: {"output": o.count},
        lambda o, traits: [part(o, _fill, (o.count,), (256,), scalars={"value": o.value}, T=o.ty)],
        lambda np, o: np.full(o.count, o.value),
    ),
    TensorOperation(
        "Transpose",
        lambda o: {"input": prod(o.shape), "output": prod(o.shape)},
        _transpose,
        lambda np, o, input: input.reshape(o.shape).transpose(o.permutation),
        _of_axes("permutation"),
        schedules=_schedules,
    ),
    TensorOperation(
        "Slice",
        lambda o: {"input": prod(o.shape), "output": prod(map(len, _ranges(o)))},
        _slice,
        _sliced,
        _of_axes("start", "stop", "step"),
    ),
    TensorOperation(
        "Pad",
        lambda o: {"input": prod(o.shape), "output": prod(_pad_dims(o))},
        _pad,
        _padded_by_numpy,
        _of_axes("before", "after"),
    ),
    TensorOperation(
        "Concat",
        lambda o: {
            "a": o.outer * o.a_len * o.inner,
            "b": o.outer * o.b_len * o.inner,
            "output": o.outer * (o.a_len + o.b_len) * o.inner,
        },
        _concat,
        _joined,
    ),
    TensorOperation("Gather", _gathered_extents(False), _gathered(False), _taken, epilogue=""),
    TensorOperation("GatherElements", _gathered_extents(True), _gathered(True), _taken_each, epilogue=""),
)
