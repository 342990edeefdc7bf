"""Windows of images without weights: the greatest, the mean; and images of other sizes."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from ..isa.types import Type
from .budgets import choices, size_class, timed
from .language import Constant, Elements, T, U, W, global_id, i32, select
from .norms import wide
from .operation import PIECE, SHORT, TensorOperation, at_least, ceildiv, flag, function, part
from .sliding import check_window, out_lengths, windows

__all__ = ["OPERATIONS"]

_max = function("max")
_INFINITY = float("inf")


def _seen(input, line, place, width, nothing: W, INSIDE):
    """What a window sees at a column of a line."""
    if INSIDE:
        value = W(input[line + place])
    else:
        value = W(input[line + max(min(place, width - 1), 0)])
        value = select(place >= 0 and place < width, value, nothing)
    return value


def _pool(
    output: Elements[T],
    input: Elements[T],
    height: i32,
    width: i32,
    kernel_h: i32,
    kernel_w: i32,
    stride_y: i32,
    step_y: i32,
    step_x: i32,
    top: i32,
    left: i32,
    bottom: i32,
    right: i32,
    out_height: i32,
    out_width: i32,
    start: i32,
    nothing: W,
    T: Constant[type],
    W: Constant[type],
    STRIDE: Constant[int],
    MEAN: Constant[bool],
    PADS: Constant[bool],
    INSIDE: Constant[bool],
    PIECE: Constant[int],
):
    """One lane for each window, from column `start` on, which sees no padding; PADS says that the mean counts it,
    INSIDE that no column is padding. Lanes side by side read in any case, so that none waits for others: what is
    outside counts as `nothing`. Each line is added up by itself: less is lost of many. Of large windows pieces of lines
    are, and what is lost of these apart."""
    column, row, image = global_id(0) + start, global_id(1), global_id(2)
    y, x, found, lost = row * stride_y - top, column * STRIDE - left, nothing, nothing
    for ky in range(kernel_h):
        at = y + ky * step_y
        if at >= 0 and at < height and width > 0:
            line, added = (image * height + at) * width, nothing
            if PIECE > 0:
                for begin in range(0, kernel_w, PIECE):
                    some = nothing
                    for turn in range(min(PIECE, kernel_w - begin)):
                        place = x + (begin + turn) * step_x
                        some = some + _seen(input, line, place, width, nothing, INSIDE)
                    longer = found + some
                    lost = lost + (some - (longer - found))
                    found = longer
            else:
                for kx in range(kernel_w):
                    value = _seen(input, line, x + kx * step_x, width, nothing, INSIDE)
                    if MEAN:
                        added = added + value
                    else:
                        found = _max(found, value)
            if MEAN and PIECE == 0:
                found = found + added
    if PIECE > 0:
        found = found + select(abs(lost) < _INFINITY, lost, W(0))  # of an infinite sum nothing is lost
    if MEAN:
        lines, columns = min(y + kernel_h, height) - max(y, 0), kernel_w
        if PADS:
            lines = min(kernel_h, height + bottom - y)
        if not INSIDE:
            columns = min(x + kernel_w, width) - max(x, 0)
            if PADS:
                columns = min(kernel_w, width + right - x)
        found = found / W(max(lines, 0) * max(columns, 0))
    output[(image * out_height + row) * out_width + column] = T(found)


def _resized(
    output: Elements[T],
    input: Elements[T],
    height: i32,
    width: i32,
    out_height: i32,
    out_width: i32,
    y_step: U,
    y_start: U,
    y_all: U,
    x_step: U,
    x_start: U,
    x_all: U,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    LINEAR: Constant[bool],
):
    """Row and column are quotients of integers, (i * step + start) / all: no rounding decides which is nearest."""
    column, row, image = global_id(0), global_id(1), global_id(2)
    y, x = max(U(row) * y_step + y_start, 0), max(U(column) * x_step + x_start, 0)
    above, before = min(i32(y // max(y_all, 1)), height - 1), min(i32(x // max(x_all, 1)), width - 1)
    line = (image * height + above) * width
    found = W(input[line + before])
    if LINEAR:
        right, below = min(before + 1, width - 1), (image * height + min(above + 1, height - 1)) * width
        across, down = W(x % max(x_all, 1)) / W(x_all), W(y % max(y_all, 1)) / W(y_all)
        found = found + (W(input[line + right]) - found) * across
        other = W(input[below + before])
        other = other + (W(input[below + right]) - other) * across
        found = found + (other - found) * down
    output[(image * out_height + row) * out_width + column] = T(found)


def _least(ty):
    return -_INFINITY if ty.is_float else ty.min_value


def _pools(o, mean, traits):
    height, width = out_lengths(o)
    step_y, step_x = o.values.get("dilation", (1, 1))
    top, left, bottom, right = o.padding
    scalars = {
        "height": o.height, "width": o.width, "kernel_h": o.kernel_h, "kernel_w": o.kernel_w, "stride_y": o.stride[0],
        "step_y": step_y, "step_x": step_x, "top": top, "left": left, "bottom": bottom, "right": right,
        "out_height": height, "out_width": width, "nothing": 0.0 if mean else _least(o.ty),
    }  # fmt: skip
    constants = {"T": o.ty, "W": wide(o.ty), "STRIDE": o.stride[1], "MEAN": mean, "PADS": mean and o.count_include_pad}
    # One more text is enough for large windows, at whatever columns: to ask where each element is costs them little.
    large = flag(flag(o.kernel_h - PIECE) + flag(o.kernel_w - PIECE)) if mean else 0
    groups = [(start, columns, inside, 0, 1 - large) for start, columns, inside in _columns(o, width)]
    groups.append((0, width, groups[0][2], PIECE, large))
    found = []
    for start, columns, inside, piece, often in groups:
        if not isinstance(columns, int) or columns:
            lanes, given = (columns, height, o.batch * o.channels), {**scalars, "start": start}
            chosen = timed(traits, _key(o, mean)) if inside else None
            blocks = [(1, tuple(chosen[1].values()))] if chosen else _blocks(columns, height, inside, traits)
            for times, block in blocks:
                times = times * often
                if not isinstance(times, int) or times:
                    about = {"scalars": given, "times": times, "INSIDE": inside, "PIECE": piece, **constants}
                    found.append(part(o, _pool, lanes, block, **about))
    return found


def _schedules(mean):
    def schedules(o, traits):
        """Blocks of other shapes, where windows lie within the image."""
        height, width = out_lengths(o)
        middle = next((columns for _, columns, inside in _columns(o, width) if inside), width)
        block = next(block for times, block in _blocks(middle, height, True, traits) if times == 1)
        shapes = [(*block, 1, 1)[:3], (64, 1, 1), (256, 1, 1), (16, 4, 1), (8, 8, 1), (1, 64, 1), (16, 1, 1)]
        return _key(o, mean), choices(*(("blocks", dict(zip("XYZ", each, strict=True))) for each in shapes))

    return schedules


def _key(o, mean):
    if not all(isinstance(each, int) for each in (o.kernel_h, o.kernel_w)):
        return None
    height, width = out_lengths(o)
    found = size_class(o.batch * o.channels, height, width)
    how = "mean" if mean else "max"
    return found and f"pool {how} {o.ty} {found} {o.kernel_h}x{o.kernel_w} {o.stride[0]}x{o.stride[1]}"


def _blocks(columns, rows, inside, traits):
    """Blocks lie along rows of the result, or along columns at its edges; on GPUs along columns, too, where rows are
    short, and where both are, along images: of a block for the mean of an image one lane in 64 would work. (Packets on
    wasm would then read from several images: no faster.)"""
    if not traits.together or not inside:
        return [(1, (64, 1) if inside else (1, 64))]
    short, small = flag(SHORT - columns), flag(SHORT - columns) * flag(SHORT - rows)
    return [(1 - short, (64, 1)), (short - small, (1, 64)), (small, (1, 1, 64))]


def _columns(o, width):
    """Where columns of windows begin, how many these are, and whether such a window sees columns of the image only:
    those at the left, in the middle, and at the right."""
    before, after, stride = o.padding[1], o.padding[3], o.stride[1]
    reach = (at_least(o.kernel_w, 1) - 1) * o.values.get("dilation", (1, 1))[1] + 1
    first = ceildiv(before, stride)
    middle = at_least((o.width + before - reach) // stride + 1 - first, 0)
    if not before and not after and not o.ceil_mode:
        return [(0, width, True)]
    left = first - at_least(first - width, 0)  # of a narrow image there may be fewer
    return [(0, left, False), (first, middle, True), (first + middle, at_least(width - first - middle, 0), False)]


def _extents(o):
    height, width = out_lengths(o)
    images = o.batch * o.channels
    return {"input": images * o.height * o.width, "output": images * height * width}


def _greatest(np, o, input):
    found = np.full((o.batch, o.channels, *out_lengths(o)), _least(o.ty), input.dtype)
    for _, _, seen in windows(np, o, input.reshape(o.batch, o.channels, o.height, o.width), _least(o.ty)):
        found = o.lane("max", o.ty, found, seen) if o.ty.is_wide else np.maximum(found, seen)
    return found


def _mean(np, o, input):
    images = input.reshape(o.batch, o.channels, o.height, o.width)
    total = sum((seen for _, _, seen in windows(np, o, images)), np.zeros((o.batch, o.channels, *out_lengths(o))))
    counts = []
    for axis, (length, kernel) in enumerate(((o.height, o.kernel_h), (o.width, o.kernel_w))):
        before, after = (o.padding[axis], o.padding[axis + 2]) if o.count_include_pad else (0, 0)
        first = np.arange(out_lengths(o)[axis]) * o.stride[axis] - o.padding[axis]
        counts.append(np.maximum(np.minimum(first + kernel, length + after) - np.maximum(first, -before), 0))
    with np.errstate(invalid="ignore"):
        return total / (counts[0][:, None] * counts[1])


def _quotient(o, length, out):
    """What the place in an axis is for a place i of the result: (i * step + start) / all, rounded down."""
    if o.align_corners:
        step, start, whole = length - 1, 0, at_least(out - 1, 1)
        return (step, start, whole) if o.linear else (2 * step, out - 2, 2 * whole)
    return 2 * length, length - out if o.linear else length - 1, 2 * out


def _resizes(o, traits):
    """Products of lengths may need 64 bits, which are slow on GPUs."""
    (y_step, y_start, y_all), (x_step, x_start, x_all) = (
        _quotient(o, o.height, o.out_height),
        _quotient(o, o.width, o.out_width),
    )
    scalars = {
        "height": o.height, "width": o.width, "out_height": o.out_height, "out_width": o.out_width,
        "y_step": y_step, "y_start": y_start, "y_all": y_all, "x_step": x_step, "x_start": x_start, "x_all": x_all,
    }  # fmt: skip
    far = [
        flag(at_least(a, 1) * at_least(b, 1) - (1 << 29)) for a, b in ((o.height, o.out_height), (o.width, o.out_width))
    ]
    large, found = flag(far[0] + far[1]), []
    for times, ty in ((1 - large, Type.I32), (large, Type.I64)):
        if not isinstance(times, int) or times:
            lanes = o.out_width, o.out_height, o.batch * o.channels
            constants = {"T": o.ty, "U": ty, "W": wide(o.ty), "LINEAR": o.linear}
            found.append(part(o, _resized, lanes, (64,), times=times, scalars=scalars, **constants))
    return found


def _resize_wrong(o):
    if o.linear and o.ty.is_integer:
        return f"between elements of {o.ty} lies none: write linear=false, or convert to floats"
    return None


def _resized_by_numpy(np, o, input):
    images = input.reshape(o.batch, o.channels, o.height, o.width)
    parts = []
    for length, out in ((o.height, o.out_height), (o.width, o.out_width)):
        step, start, whole = _quotient(o, length, out)
        place = np.maximum(np.arange(out) * step + start, 0)
        at = np.minimum(place // max(whole, 1), length - 1)
        parts.append((at, np.minimum(at + 1, length - 1), place % max(whole, 1) / max(whole, 1)))
    (above, below, down), (left, right, across) = parts
    found = images[..., above, :]
    if o.linear:
        found = found + (images[..., below, :] - found) * down[:, None]
        return found[..., left] + (found[..., right] - found[..., left]) * across
    return found[..., left]


OPERATIONS = (
    TensorOperation(
        "MaxPool2D",
        _extents,
        lambda o, traits: _pools(o, False, traits),
        _greatest,
        check_window,
        epilogue="",
        schedules=_schedules(False),
    ),
    TensorOperation(
        "AvgPool2D",
        _extents,
        lambda o, traits: _pools(o, True, traits),
        _mean,
        check_window,
        epilogue="",
        schedules=_schedules(True),
    ),
    TensorOperation(
        "Resize2D",
        lambda o: {
            "input": o.batch * o.channels * o.height * o.width,
            "output": o.batch * o.channels * o.out_height * o.out_width,
        },
        _resizes,
        _resized_by_numpy,
        _resize_wrong,
        epilogue="",
    ),
)
