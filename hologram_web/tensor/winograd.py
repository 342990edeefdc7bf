"""Winograd's way through convolutions of three by three: squares of 2 x 2 pixels from 16 products in place of 36.

Their sums are in another order, so it is taken under `math="fast"` only. Each pixel is made of what its own window sees
and of nothing else, as 1-D sums of three elements are: with d0..d3 and g0..g2 the first is d0*g0 + d1*g1 + d2*g2, from
(d0 - d2), (d1 + d2) and (d2 - d1) alone. So isa.md's bound of convolutions, by the norm of a window, holds.
"""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from ..isa.types import Type
from .budgets import tile_of
from .language import Callable, Constant, Elements, T, W, block_id, global_id, i32, local_id, registers, static_range
from .norms import wide
from .operation import at_least, ceildiv, flag, part

__all__ = ["choose", "launches"]


def _winograd_kernels(
    strips: Elements[W], kernel: Elements[T], channels: i32, outs: i32,
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
    size, at = channels * TALL, (strip * 16 * channels + c) * TALL + i
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
    panels: Elements[W], halves: Elements[W], channels: i32, depth: i32, down: i32, quads: i32, rows: i32, pairs: i32,
    W: Constant[type],
):  # fmt: skip
    """The 16 sums of each square of 4 x 4 pixels, in panels as products read them: one channel after the other. Four
    lanes make squares side by side."""
    row, image = global_id(1), global_id(2)
    number = (image * down + row) * quads + block_id(0)
    d, t = registers((4, 4), W), registers((4, 4), W)
    lines, places = registers(4, i32), registers(16, i32)
    for y in static_range(4):
        lines[y] = (image * channels * rows + row * 2 + y) * (2 * pairs) + block_id(0) * 4 + local_id(0)
    for i in static_range(16):
        places[i] = (number // 2 * 16 + i) * depth * 8 + number % 2 * 4 + local_id(0)
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
    output: Elements[T], strips: Elements[W], panels: Elements[W], products: Elements[W], bias: Elements[T],
    channels: i32, depth: i32, outs: i32, below: i32, out_height: i32, out_width: i32, batch: i32, down: i32,
    quads: i32, many: i32, T: Constant[type], W: Constant[type], BIAS: Constant[bool], EPILOGUE: Constant[Callable],
    TALL: Constant[int], STEPS: Constant[int], STRIP: Constant[int],
):  # fmt: skip
    """Eight squares, in TALL output channels after the others: their 16 products, which lie in memory of the block
    until the pixels are made of them. Sums are two vectors of a packet for each channel."""
    lane, panel, begin = local_id(0), block_id(0), block_id(1) * STRIP
    sums, y = registers((TALL, 2), W), registers(2, W)
    held = (block_id(1) * many + panel) * (16 * TALL * 8) + lane
    m, t, total = registers((4, 4), W), registers((2, 4), W), registers((2, 2), W)
    for strip in range(begin, min(begin + STRIP, below)):
        for number in range(16):
            left, top = (strip * 16 + number) * channels * TALL, (panel * 16 + number) * depth * 8 + lane
            for i in static_range(TALL):
                for j in static_range(2):
                    sums[i, j] = W(0)
            for some in range(channels // STEPS):
                for step in static_range(STEPS):
                    for j in static_range(2):
                        y[j] = panels[top + some * (STEPS * 8) + (step * 8 + 4 * j)]
                    for i in static_range(TALL):
                        x = strips[left + some * (STEPS * TALL) + (step * TALL + i)]
                        for j in static_range(2):
                            sums[i, j] += x * y[j]
            for p in range(channels // STEPS * STEPS, channels):
                for j in static_range(2):
                    y[j] = panels[top + p * 8 + 4 * j]
                for i in static_range(TALL):
                    x = strips[left + p * TALL + i]
                    for j in static_range(2):
                        sums[i, j] += x * y[j]
            for i in static_range(TALL):
                for j in static_range(2):
                    products[held + number * (TALL * 8) + (i * 8 + 4 * j)] = sums[i, j]
        for half in range(min(2, batch * down * quads - panel * 2)):
            # Clamped so that proofs know the ends of quotients, and that no lane divides by zero and leaves.
            quad = max(min(panel * 2 + half, batch * down * quads - 1), 0)
            line = max(min(quad // max(quads, 1), batch * down - 1), 0)
            image = max(min(line // max(down, 1), batch - 1), 0)
            row, across = line % max(down, 1) * 2, quad % max(quads, 1) * 8
            column = across + lane * 2
            for turn in range(TALL):
                at, out = held + turn * 8 + half * 4, max(min(strip * TALL + turn, outs - 1), 0)
                for i in static_range(4):
                    for j in static_range(4):
                        m[i, j] = products[at + (i * 4 + j) * (TALL * 8)]
                for j in static_range(4):
                    t[0, j] = m[0, j] + m[1, j] + m[2, j]
                    t[1, j] = m[1, j] - m[2, j] - m[3, j]
                for i in static_range(2):
                    total[i, 0] = t[i, 0] + t[i, 1] + t[i, 2]
                    total[i, 1] = t[i, 1] - t[i, 2] - t[i, 3]
                if BIAS:
                    for i in static_range(2):
                        for j in static_range(2):
                            total[i, j] += W(bias[out])
                plane = image * outs + out
                if strip * TALL + turn < outs and row + 2 <= out_height and across + 8 <= out_width:
                    for i in static_range(2):
                        at_line = (plane * out_height + max(min(row, out_height - 2), 0) + i) * out_width
                        for j in static_range(2):
                            place = max(min(across, out_width - 8), 0) + lane * 2 + j
                            output[at_line + place] = EPILOGUE(T(total[i, j]))
                elif strip * TALL + turn < outs:
                    for i in static_range(2):
                        at_line = (plane * out_height + max(min(row + i, out_height - 1), 0)) * out_width
                        for j in static_range(2):
                            if row + i < out_height and column + j < out_width:
                                place = max(min(column + j, out_width - 1), 0)
                                output[at_line + place] = EPILOGUE(T(total[i, j]))


BOTH = 16  # channels of both sides: squares cost the sum of these, and save of their product
PIXELS = 32  # of a result
STRIP = 8  # strips of a block
ROWS = 32  # of an image that a block brings


def _lengths(o):
    """Of results of kernels that are three by three, in fewer words than for others: formulas have an end."""
    top, left, bottom, right = o.padding
    return at_least(o.height + top + bottom - 2, 0), at_least(o.width + left + right - 2, 0)


def choose(o, traits):
    """How often this way is taken, 1 or 0, which sizes say that are not known; and why."""
    height, width = _lengths(o)
    if traits.together:
        return 0, "lanes run together"
    if not traits.fuses:
        return 0, 'sums run over k in order where math is not "fast"'
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


def launches(o, traits, times, constants, why):
    """Its launches, done so often; `why` is that of `choose`."""
    (height, width), (top, left, _, _) = _lengths(o), o.padding
    down, quads, acc, (tall, steps) = ceildiv(height, 2), ceildiv(width, 8), wide(o.ty), tile_of(traits)
    rows, pairs, channels, outs = down * 2 + 2, quads * 4 + 1, o.in_channels, o.out_channels
    many, below = ceildiv(o.batch * down * quads, 2), ceildiv(outs, tall)
    several = ceildiv(below, STRIP)
    scalars = {
        "channels": channels, "depth": channels + 1,  # 16 of them may lie in the same place of a cache else
        "outs": outs, "below": below, "down": down, "quads": quads, "many": many, "batch": o.batch, "rows": rows,
        "height": o.height, "width": o.width, "top": top, "left": left, "out_height": height, "out_width": width,
        "pairs": pairs,
    }  # fmt: skip
    found, common = [], {"scalars": scalars, "times": times, "W": acc}

    def add(kernel, lanes, block, made, size, /, **more):
        memory = {made: (acc, size * times)}
        found.append(part(o, kernel, lanes, block, temporaries=memory, fast=True, **common, **more))

    lanes, size = (pairs, ceildiv(rows, ROWS), o.batch * channels), o.batch * channels * rows * (2 * pairs)
    add(_winograd_rows, lanes, (64,), "halves", size, T=o.ty, SOME=ROWS)
    add(_winograd_kernels, (channels, tall, below), (64,), "strips", 16 * below * tall * channels, T=o.ty, TALL=tall)
    add(_winograd_pixels, (quads * 4, down, o.batch), (4,), "panels", 16 * many * 8 * (channels + 1))
    final = {name: value for name, value in constants.items() if name != "W"}
    final |= {"TALL": tall, "STEPS": steps, "STRIP": STRIP, "why": f"Winograd's way: {why}"}
    add(_winograd_squares, (many * 4, several), (4,), "products", 16 * tall * 8 * many * several, **final)
    return found
