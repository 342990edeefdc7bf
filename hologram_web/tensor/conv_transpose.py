"""Transposed convolutions. The sum of an element runs over (channel, row, column) of its kernel in increasing order."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .budgets import choices, size_class, timed
from .conv import _check, _constants, _extents, _mad, _scalars
from .language import Callable, Constant, Elements, T, global_id, i32
from .operation import TensorOperation, at_least, ceildiv, part, summable
from .sliding import every

__all__ = ["OPERATIONS", "lengths_of"]


def _transposed(
    output: Elements[T],
    input: Elements[T],
    kernel: Elements[T],
    bias: Elements[T],
    groups: i32,
    channels: i32,
    outs: i32,
    height: i32,
    width: i32,
    kernel_h: i32,
    kernel_w: i32,
    stride_y: i32,
    stride_x: i32,
    step_y: i32,
    step_x: i32,
    top: i32,
    left: i32,
    out_height: i32,
    out_width: i32,
    first_y: i32,
    first_x: i32,
    apart_y: i32,
    apart_x: i32,
    rows: i32,
    columns: i32,
    T: Constant[type],
    W: Constant[type],
    SPREAD: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
):
    """One lane for each element of the result, which adds what of the image comes to it. The elements of a launch, so
    many apart, meet the same rows and columns of a kernel; where that is spread out, it is looked which."""
    x0, y0, place = global_id(0), global_id(1), global_id(2)
    column, row = x0 * apart_x + first_x, y0 * apart_y + first_y
    image, out = place // max(outs, 1), place % max(outs, 1)
    group, total = image % max(groups, 1), W(0)
    for c in range(channels):
        weights = ((group * channels + c) * outs + out) * kernel_h
        above = (image * channels + c) * height
        if SPREAD:
            for ky in range(kernel_h):
                y = row - ky * step_y
                if y >= 0 and y % stride_y == 0 and y // stride_y < height:
                    for kx in range(kernel_w):
                        x = column - kx * step_x
                        if x >= 0 and x % stride_x == 0 and x // stride_x < width:
                            value = W(input[(above + y // stride_y) * width + x // stride_x])
                            total = _mad(value, W(kernel[(weights + ky) * kernel_w + kx]), total)
        else:
            for k in range(rows):
                y, weight = y0 - k, (weights + first_y + k * stride_y) * kernel_w + first_x
                if y >= 0 and y < height:
                    for j in range(columns):
                        x = x0 - j
                        if x >= 0 and x < width:
                            value = W(input[(above + y) * width + x])
                            total = _mad(value, W(kernel[weight + j * stride_x]), total)
    if BIAS:
        total = total + W(bias[group * outs + out])
    if column >= left and column < left + out_width and row >= top and row < top + out_height:
        output[(place * out_height + row - top) * out_width + column - left] = EPILOGUE(T(total))


def lengths_of(o):
    found = []
    for axis, (length, kernel) in enumerate(((o.height, o.kernel_h), (o.width, o.kernel_w))):
        reach = (at_least(kernel, 1) - 1) * o.dilation[axis] + 1
        around = o.padding[axis] + o.padding[axis + 2] - o.output_padding[axis]
        found.append(at_least((length - 1) * o.stride[axis] + reach - around, 0))
    return found


_MOST_TURNS = 16  # launches of a transposed convolution


def _launches(o, traits):
    height, width = lengths_of(o)
    scalars, (top, left), many = _scalars(o, height, width), o.padding[:2], o.batch * o.out_channels
    down, across = o.stride
    spread = o.dilation != (1, 1) or down * across > _MOST_TURNS
    if not spread and (found := timed(traits, _key(o))) is not None:
        spread = found[0] == "spread"
    about = {"fast": True, "SPREAD": spread, **_constants(o)}
    if spread:
        given = scalars | {"first_y": top, "first_x": left, "apart_y": 1, "apart_x": 1, "rows": 0, "columns": 0}
        return [part(o, _transposed, (width, height, many), (64,), scalars=given, **about)]
    return [
        part(
            o, _transposed, (ceildiv(left + width, across), ceildiv(top + height, down), many), (64,),
            scalars=scalars | {
                "first_y": y, "first_x": x, "apart_y": down, "apart_x": across,
                "rows": ceildiv(at_least(o.kernel_h - y, 0), down),
                "columns": ceildiv(at_least(o.kernel_w - x, 0), across),
            },
            **about,
        )
        for y in range(down)
        for x in range(across)
    ]  # fmt: skip


def _schedules(o, traits):
    """Both add up in the same order."""
    down, across = o.stride
    apart = [] if o.dilation != (1, 1) or down * across > _MOST_TURNS else [("apart", {})]
    return _key(o), choices(*apart, ("spread", {}))


def _key(o):
    """Of convolutions with other kernels and strides another is best."""
    height, width = lengths_of(o)
    if not all(isinstance(each, int) for each in (o.kernel_h, o.kernel_w)):
        return None
    found = size_class(o.batch * o.groups, o.out_channels, o.in_channels, height * width)
    return found and f"conv_transpose {o.ty} {found} {o.kernel_h}x{o.kernel_w} {o.stride[0]}x{o.stride[1]} {o.groups}"


def _by_numpy(np, o, input, kernel, bias=None):
    height, width = lengths_of(o)
    if not height * width:
        return np.zeros(0)
    channels, outs, (top, left) = o.in_channels // o.groups, o.out_channels // o.groups, o.padding[:2]
    input, kernel = summable(np, o.ty, input), summable(np, o.ty, kernel)
    images = input.reshape(o.batch, o.groups, channels, o.height, o.width)
    weights = kernel.reshape(o.groups, channels, outs, o.kernel_h, o.kernel_w)
    reach = [o.kernel_h * o.dilation[0], o.kernel_w * o.dilation[1]]
    lengths = [max(o.height, 1) * o.stride[0] + reach[0], max(o.width, 1) * o.stride[1] + reach[1]]
    sides = max(lengths[0], top + height), max(lengths[1], left + width)
    whole = np.zeros((o.batch, o.groups, outs, *sides), input.dtype)
    for c, ky, kx in np.ndindex(channels, o.kernel_h, o.kernel_w):
        rows = every(ky * o.dilation[0], o.height, o.stride[0])
        columns = every(kx * o.dilation[1], o.width, o.stride[1])
        whole[..., rows, columns] += images[:, :, c, None] * weights[:, c, :, ky, kx][..., None, None]
    total = whole[..., top : top + height, left : left + width].reshape(o.batch, o.out_channels, height, width)
    return total if bias is None else total + summable(np, o.ty, bias)[:, None, None]


OPERATIONS = (
    TensorOperation("ConvTranspose2D", lambda o: _extents(o, lengths_of), _launches, _by_numpy, _check, epilogue="",
                    schedules=_schedules),
)  # fmt: skip
