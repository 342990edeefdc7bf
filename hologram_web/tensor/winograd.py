"""Winograd's way through convolutions of three by three: squares of 2 x 2 pixels from 16 products in place of 36.

Their sums are in another order, so it is taken under `math="fast"` only. Each pixel is made of what its own window sees
and of nothing else, as 1-D sums of three elements are: with d0..d3 and g0..g2 the first is d0*g0 + d1*g1 + d2*g2, from
(d0 - d2), (d1 + d2) and (d2 - d1) alone. So isa.md's bound of convolutions, by the norm of a window, holds.
"""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from ..isa.types import Type
from .language import Callable, Constant, Elements, T, W, block_id, global_id, i32, local_id, registers, static_range
from .matmul import STRIP, WIDTH, _gemm_panels, _same
from .norms import wide
from .operation import at_least, ceildiv, flag, part

__all__ = ["choose", "launches"]


def _winograd_kernels(
    strips: Elements[W], kernel: Elements[T], channels: i32, outs: i32, below: i32,
    T: Constant[type], W: Constant[type], TALL: Constant[int],
):  # fmt: skip
    """Kernels as 16 matrices, in strips of TALL output channels as products read them."""
    c, i, strip = global_id(0), global_id(1), global_id(2)
    first, g, t = (min(strip * TALL + i, outs - 1) * channels + c) * 9, registers((3, 3), W), registers((4, 3), W)
    for y in static_range(3):
        for x in static_range(3):
            g[y, x] = W(kernel[first + y * 3 + x])
    for x in static_range(3):
        t[0, x] = g[0, x]
        t[1, x] = (g[0, x] + g[2, x] + g[1, x]) * W(0.5)
        t[2, x] = (g[0, x] + g[2, x] - g[1, x]) * W(0.5)
        t[3, x] = g[2, x]
    size, at = below * channels * TALL, (strip * channels + c) * TALL + i
    for y in static_range(4):
        strips[at + y * 4 * size] = t[y, 0]
        strips[at + (y * 4 + 1) * size] = (t[y, 0] + t[y, 2] + t[y, 1]) * W(0.5)
        strips[at + (y * 4 + 2) * size] = (t[y, 0] + t[y, 2] - t[y, 1]) * W(0.5)
        strips[at + (y * 4 + 3) * size] = t[y, 2]


def _winograd_rows(
    halves: Elements[W], input: Elements[T], height: i32, width: i32, top: i32, left: i32, rows: i32, pairs: i32,
    T: Constant[type], W: Constant[type], SOME: Constant[int],
):  # fmt: skip
    """Images with zeros around them, of each row all even columns before the odd ones; a block brings SOME rows."""
    pair, begin, image = global_id(0), global_id(1) * SOME, global_id(2)
    for row in range(begin, min(begin + SOME, rows)):
        y = row - top
        for odd in static_range(2):
            x, value = pair * 2 + odd - left, W(0)
            if y >= 0 and y < height and x >= 0 and x < width:
                value = W(input[(image * height + y) * width + x])
            halves[(image * rows + row) * (2 * pairs) + odd * pairs + pair] = value


def _winograd_pixels(
    panels: Elements[W], halves: Elements[W], channels: i32, down: i32, quads: i32, many: i32, rows: i32, pairs: i32,
    W: Constant[type],
):  # fmt: skip
    """The 16 sums of each square of 4 x 4 pixels, in panels as products read them: one channel after the other. Four
    lanes make squares side by side."""
    row, image = global_id(1), global_id(2)
    number = (image * down + row) * quads + block_id(0)
    size, d, t = many * channels * 8, registers((4, 4), W), registers((4, 4), W)
    lines, places = registers(4, i32), registers(16, i32)
    for y in static_range(4):
        lines[y] = (image * channels * rows + row * 2 + y) * (2 * pairs) + block_id(0) * 4 + local_id(0)
    for i in static_range(16):
        places[i] = number // 2 * channels * 8 + number % 2 * 4 + local_id(0) + i * size
    for c in range(channels):
        for y in static_range(4):
            line = lines[y] + c * rows * (2 * pairs)
            d[y, 0] = halves[line]
            d[y, 2] = halves[line + 1]
            d[y, 1] = halves[line + pairs]
            d[y, 3] = halves[line + pairs + 1]
        for x in static_range(4):
            t[0, x] = d[0, x] - d[2, x]
            t[1, x] = d[1, x] + d[2, x]
            t[2, x] = d[2, x] - d[1, x]
            t[3, x] = d[1, x] - d[3, x]
        for y in static_range(4):
            panels[places[y * 4] + c * 8] = t[y, 0] - t[y, 2]
            panels[places[y * 4 + 1] + c * 8] = t[y, 1] + t[y, 2]
            panels[places[y * 4 + 2] + c * 8] = t[y, 2] - t[y, 1]
            panels[places[y * 4 + 3] + c * 8] = t[y, 1] - t[y, 3]


def _winograd_squares(
    output: Elements[T], products: Elements[W], bias: Elements[T], outs: i32, out_height: i32, out_width: i32,
    down: i32, quads: i32, squares: i32, c_batch: i32, T: Constant[type], W: Constant[type], BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
):  # fmt: skip
    """The four pixels of each square from its 16 products. A block makes all of a channel."""
    out, image, places = global_id(1), global_id(2), registers(16, i32)
    m, t, total, added = registers((4, 4), W), registers((2, 4), W), registers((2, 2), W), W(0)
    if BIAS:
        added = W(bias[out])
    for i in static_range(16):
        places[i] = i * c_batch + out * squares + image * down * (4 * quads) + local_id(0)
    for row in range(down):
        for quad in range(quads):
            for y in static_range(4):
                for x in static_range(4):
                    m[y, x] = products[places[y * 4 + x] + (row * quads + quad) * 4]
            for x in static_range(4):
                t[0, x] = m[0, x] + m[1, x] + m[2, x]
                t[1, x] = m[1, x] - m[2, x] - m[3, x]
            for y in static_range(2):
                total[y, 0] = t[y, 0] + t[y, 1] + t[y, 2]
                total[y, 1] = t[y, 1] - t[y, 2] - t[y, 3]
            if BIAS:
                for y in static_range(2):
                    for x in static_range(2):
                        total[y, x] += added
            column = (quad * 4 + local_id(0)) * 2
            first = ((image * outs + out) * out_height + row * 2) * out_width + column
            if row * 2 + 2 <= out_height and quad * 8 + 8 <= out_width:
                for y in static_range(2):
                    for x in static_range(2):
                        output[first + y * out_width + x] = EPILOGUE(T(total[y, x]))
            else:
                for y in static_range(2):
                    for x in static_range(2):
                        if row * 2 + y < out_height and column + x < out_width:
                            output[first + y * out_width + x] = EPILOGUE(T(total[y, x]))


BOTH = 24  # channels of both sides: squares cost the sum of these, and save of their product
PIXELS = 32  # of a result
APART = 80  # elements between products: else 16 may lie in the same place of a cache
ROWS = 32  # of an image that a block brings


def _lengths(o):
    """Of results of kernels that are three by three, in fewer words than for others: formulas have an end."""
    top, left, bottom, right = o.padding
    return at_least(o.height + top + bottom - 2, 0), at_least(o.width + left + right - 2, 0)


def choose(o, traits):
    """How often this way is taken, 1 or 0, which sizes say that are not known; and why."""
    height, width = _lengths(o)
    if not traits.fuses:
        return 0, "sums run over k in order, or lanes run together"
    if o.late or not all(isinstance(size, int) for size in (o.in_channels, o.out_channels)):
        return 0, "sizes are not known when memory is made"
    if wide(o.ty) is not Type.F32:
        return 0, "products are not of F32"
    if (*o.stride, *o.dilation, o.groups) != (1, 1, 1, 1, 1):
        return 0, "elements are not side by side, or of groups"
    if o.in_channels * o.out_channels < BOTH * (o.in_channels + o.out_channels):
        return 0, "too few channels for what squares cost"
    often = flag(o.batch * height * width - PIXELS + 1)
    for length in (o.kernel_h, o.kernel_w):
        often *= 1 - flag(3 - length) - flag(length - 3)
    return often, "16 products in place of 36, where kernels are three by three and pixels not few"


def launches(o, traits, times, constants):
    """Its launches, done so often."""
    (height, width), (top, left, _, _) = _lengths(o), o.padding
    down, quads, acc, (tall, steps) = ceildiv(height, 2), ceildiv(width, 8), wide(o.ty), traits.tile
    rows, pairs, channels, outs = down * 2 + 2, quads * 4 + 1, o.in_channels, o.out_channels
    squares, below = o.batch * down * quads * 4, ceildiv(outs, tall)
    many = ceildiv(squares, WIDTH) + 1  # one that nobody uses: see APART
    scalars = {
        "channels": channels, "outs": outs, "below": below, "down": down, "quads": quads, "many": many,
        "squares": squares, "height": o.height, "width": o.width, "top": top, "left": left,
        "out_height": height, "out_width": width, "rows": rows, "pairs": pairs,
        "m": outs, "n": squares, "k": channels, "c_batch": outs * squares + APART, "alpha": 1, "beta": 0,
    }  # fmt: skip
    found, common = [], {"scalars": scalars, "times": times, "W": acc}

    def add(kernel, lanes, block, made="", size=0, /, **more):
        memory = {made: (acc, size * times)} if made else {}
        found.append(part(o, kernel, lanes, block, temporaries=memory, fast=True, **common, **more))

    lanes, size = (pairs, ceildiv(rows, ROWS), o.batch * channels), o.batch * channels * rows * (2 * pairs)
    add(_winograd_rows, lanes, (64,), "halves", size, T=o.ty, SOME=ROWS)
    add(_winograd_kernels, (channels, tall, below), (64,), "strips", 16 * below * tall * channels, T=o.ty, TALL=tall)
    add(_winograd_pixels, (quads * 4, down, o.batch), (4,), "panels", 16 * many * WIDTH * channels)
    plain = {"T": acc, "BATCHED": True, "BETA": False, "BIAS": False, "EPILOGUE": _same, "TALL": tall, "STEPS": steps}
    into, lanes = {"c": "products", "bias": "products"}, (many * 4 - 4, ceildiv(below, STRIP), 16)
    add(_gemm_panels, lanes, (4,), "products", 16 * (outs * squares + APART), buffers=into, **plain)
    final = {name: value for name, value in constants.items() if name != "W"}
    add(_winograd_squares, (4, outs, o.batch), (4,), **final)
    return found
