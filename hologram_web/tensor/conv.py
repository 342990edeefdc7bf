"""Convolutions. The sum of an element runs over (channel, row, column) of its kernel in increasing order, whatever the
schedule; padding is zeros."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

import math

from . import depthwise, matmul, patches, pointwise, winograd
from .budgets import ROWS as TILES
from .budgets import UNBOUNDED, choices, size_class, tile_of, timed
from .language import Callable, Constant, Elements, T, U, W, block_id, global_id, i32, local_id, registers, static_range
from .matmul import _product, _same
from .norms import wide
from .operation import TensorOperation, along_one, ceildiv, covering, flag, function, part, product, summable
from .sliding import check_window, is_one, may_be, out_lengths, windows

__all__ = ["OPERATIONS", "tunable"]

_mad = function("mad")


def _plain(
    output: Elements[T],
    input: Elements[T],
    kernel: Elements[T],
    bias: Elements[T],
    groups: i32,
    channels: i32,
    outs: i32,
    height: i32,
    width: i32,
    out_width: i32,
    kernel_h: i32,
    kernel_w: i32,
    stride_y: i32,
    stride_x: i32,
    step_y: i32,
    step_x: i32,
    top: i32,
    left: i32,
    pixels: i32,
    T: Constant[type],
    W: Constant[type],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
):
    """One lane for each element of the result."""
    pixel, out, image = global_id(0), global_id(1), global_id(2)
    row, column = pixel // out_width * stride_y - top, pixel % out_width * stride_x - left
    out_channel = image % groups * outs + out
    weights, total = out_channel * channels * kernel_h * kernel_w, W(0)
    for c in range(channels):
        for ky in range(kernel_h):
            for kx in range(kernel_w):
                y, x, value = row + ky * step_y, column + kx * step_x, W(0)
                if y >= 0 and y < height and x >= 0 and x < width:
                    value = W(input[((image * channels + c) * height + y) * width + x])
                total = _mad(value, W(kernel[weights + (c * kernel_h + ky) * kernel_w + kx]), total)
    if BIAS:
        total = total + W(bias[out_channel])
    output[(image * outs + out) * pixels + pixel] = EPILOGUE(T(total))


def _inside(
    padded: Elements[W],
    input: Elements[T],
    height: i32,
    width: i32,
    top: i32,
    left: i32,
    padded_height: i32,
    padded_width: i32,
    T: Constant[type],
    W: Constant[type],
    SOME: Constant[int],
):
    """Images between the zeros that `_around` writes; a block brings SOME rows."""
    x, begin, image = global_id(0), global_id(1) * SOME, global_id(2)
    source, to = image * height, image * padded_height + top
    for row in range(begin, min(begin + SOME, height)):
        padded[(to + row) * padded_width + left + x] = W(input[(source + row) * width + x])


def _around(
    padded: Elements[W],
    padded_height: i32,
    padded_width: i32,
    x_from: i32,
    x_by: i32,
    y_from: i32,
    y_by: i32,
    W: Constant[type],
):
    """Zeros, before and behind what is left out along an axis."""
    x, y, image = global_id(0), global_id(1), global_id(2)
    if x >= x_from:
        x += x_by
    if y >= y_from:
        y += y_by
    padded[(image * padded_height + y) * padded_width + x] = W(0)


def _panels(
    panels: Elements[W],
    kernel: Elements[T],
    outs: i32,
    taps: i32,
    here: i32,
    T: Constant[type],
    W: Constant[type],
    WIDTH: Constant[int],
):
    """The kernel in panels of WIDTH output channels of a group, tap after tap; zeros stand beside the last channels."""
    i, tap, panel = global_id(0), global_id(1), global_id(2)
    group, out = panel // here, panel % here * WIDTH + i
    value = W(0)
    if out < outs:
        value = W(kernel[(group * outs + out) * taps + tap])
    panels[(panel * taps + tap) * WIDTH + i] = value


def _by_rows(
    output: Elements[T],
    padded: Elements[U],
    kernel: Elements[T],
    bias: Elements[T],
    groups: i32,
    channels: i32,
    outs: i32,
    out_height: i32,
    out_width: i32,
    padded_width: i32,
    whole: i32,
    plane: i32,
    kernel_h: i32,
    kernel_w: i32,
    stride_y: i32,
    step_y: i32,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    ROWS: Constant[int],
    STRIDE: Constant[int],
    STEP: Constant[int],
    THREE: Constant[bool],
    NEXT: Constant[bool],
):
    """Lanes side by side make pixels side by side, each in ROWS rows, of one output channel after the other: nothing is
    shared between those of groups that have few of them. Kernels of THREE by three elements are written out; where
    they meet the NEXT row for the next row of pixels, a row is read once for all of a lane's."""
    column, top, image = global_id(0), global_id(1) * ROWS, global_id(2)
    # Clamped so that proofs know the ends of a remainder.
    group, rows = max(min(image % max(groups, 1), groups - 1), 0), registers(ROWS, i32)
    for i in static_range(ROWS):
        rows[i] = image * whole + max(min(top + i, out_height - 1), 0) * stride_y * padded_width
    lines, weights, x = registers(ROWS + 2, i32), registers(9, W), registers(3, W)
    if NEXT:
        for line in static_range(ROWS + 2):
            lines[line] = image * whole + max(min(top + line, out_height + 1), 0) * padded_width
    for out in range(outs):
        sums = registers(ROWS, W)
        if THREE:
            for c in range(channels):
                first = ((group * outs + out) * channels + c) * 9
                for k in static_range(9):
                    weights[k] = W(kernel[first + k])
                if NEXT:
                    for line in static_range(ROWS + 2):
                        place = lines[line] + c * plane + column * STRIDE
                        for kx in static_range(3):
                            x[kx] = W(padded[place + kx * STEP])
                        for i in static_range(max(line - 2, 0), min(line + 1, ROWS)):
                            for kx in static_range(3):
                                sums[i] += x[kx] * weights[(line - i) * 3 + kx]
                else:
                    for i in static_range(ROWS):
                        for ky in static_range(3):
                            place = rows[i] + c * plane + ky * step_y + column * STRIDE
                            for kx in static_range(3):
                                sums[i] += W(padded[place + kx * STEP]) * weights[ky * 3 + kx]
        else:
            for c in range(channels):
                for ky in range(kernel_h):
                    tap = (((group * outs + out) * channels + c) * kernel_h + ky) * kernel_w
                    for kx in range(kernel_w):
                        weight = W(kernel[tap + kx])
                        for i in static_range(ROWS):
                            place = rows[i] + c * plane + ky * step_y + kx * STEP + column * STRIDE
                            sums[i] += W(padded[place]) * weight
        for i in static_range(ROWS):
            if top + i < out_height:
                total = sums[i]
                if BIAS:
                    total = total + W(bias[group * outs + out])
                output[((image * outs + out) * out_height + top + i) * out_width + column] = EPILOGUE(T(total))


def _pixel(number, batch, pixels, out_height, out_width):
    """The number of a pixel in its image, that image, its row and column. Clamped so that proofs know the ends of
    quotients, and that no lane divides by zero and leaves. Of what `%` gives they would know each pixel's own ends:
    174 conditions of `_shader_tiles`, where a launch computes 128, and its checks took 9.5 times as long."""
    number = max(min(number, batch * pixels - 1), 0)
    image = number // max(pixels, 1)
    pixel = number - image * pixels
    row = pixel // max(out_width, 1)
    column = max(min(pixel - row * out_width, out_width - 1), 0)
    return pixel, max(min(image, batch - 1), 0), max(min(row, out_height - 1), 0), column


def _shader_tiles(
    output: Elements[T],
    padded: Elements[U],
    panels: Elements[W],
    bias: Elements[T],
    batch: i32,
    groups: i32,
    channels: i32,
    outs: i32,
    out_height: i32,
    out_width: i32,
    pixels: i32,
    padded_width: i32,
    whole: i32,
    plane: i32,
    kernel_h: i32,
    stride_y: i32,
    stride_x: i32,
    step_y: i32,
    step_x: i32,
    here: i32,
    units: i32,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    LANES: Constant[int],
    PIXELS: Constant[int],
    CHANNELS: Constant[int],
    UNROLLED: Constant[int],
    UNITS: Constant[bool],
):
    """A lane makes PIXELS x CHANNELS elements, its pixels LANES apart, which go on from one image to the next: lanes
    side by side make pixels side by side. A round reads UNROLLED elements of a row of the kernel, which has `units` of
    them, and then multiplies.

    One loop: SwiftShader took 127 ms of the processor for 3 x 3, 64 channels and 56 x 56 with it, 194 with two in each
    other and 367 with three."""
    sums = registers((PIXELS, CHANNELS), W)
    x, y = registers((UNROLLED, PIXELS), W), registers((UNROLLED, CHANNELS), W)
    first, group = block_id(0) * (PIXELS * LANES) + local_id(0), max(min(global_id(2), groups - 1), 0)
    panel = (group * here + block_id(1)) * (channels * kernel_h * units * (UNROLLED * CHANNELS))
    places, results = registers(PIXELS, i32), registers(PIXELS, i32)
    for i in static_range(PIXELS):
        pixel, image, row, column = _pixel(first + i * LANES, batch, pixels, out_height, out_width)
        image = image * groups + group
        results[i] = image * outs * pixels + pixel
        places[i] = image * whole + row * stride_y * padded_width + column * stride_x
    turn, rows = i32(0), channels * kernel_h
    while turn < rows * units:
        # Clamped, as above.
        row, unit = turn, i32(0)
        if UNITS:
            row = max(min(turn // max(units, 1), rows - 1), 0)
            unit = max(min(turn - row * units, units - 1), 0) * UNROLLED
        c = max(min(row // max(kernel_h, 1), channels - 1), 0)
        ky = max(min(row - c * kernel_h, kernel_h - 1), 0)
        at, weights = c * plane + ky * step_y, panel + turn * (UNROLLED * CHANNELS)
        for kx in static_range(UNROLLED):
            for j in static_range(CHANNELS):
                y[kx, j] = panels[weights + (kx * CHANNELS + j)]
            for i in static_range(PIXELS):
                x[kx, i] = W(padded[places[i] + at + (unit + kx) * step_x])
        for kx in static_range(UNROLLED):
            for i in static_range(PIXELS):
                for j in static_range(CHANNELS):
                    sums[i, j] += x[kx, i] * y[kx, j]
        turn += 1
    for j in static_range(CHANNELS):
        out = block_id(1) * CHANNELS + j
        if out < outs:
            added = W(0)
            if BIAS:
                added = W(bias[group * outs + out])
            for i in static_range(PIXELS):
                if first + i * LANES < batch * pixels:
                    total = sums[i, j]
                    if BIAS:
                        total = total + added
                    output[results[i] + out * pixels] = EPILOGUE(T(total))


def _extents(o, lengths=out_lengths):
    height, width = lengths(o)
    bias = {} if o.bias is None else {"bias": o.out_channels}
    return {
        "input": o.batch * o.in_channels * o.height * o.width,
        "kernel": o.in_channels * (o.out_channels // o.groups) * o.kernel_h * o.kernel_w,
        **bias,
        "output": o.batch * o.out_channels * height * width,
    }


def _check(o):
    if o.groups < 1:
        return f"{o.groups} groups"
    for name in ("in_channels", "out_channels"):
        if isinstance(o.values[name], int) and o.values[name] % o.groups:
            return f"{name} is {o.values[name]}, which are no {o.groups} groups of the same size"
    return check_window(o)


def _constants(o):
    return {
        "T": o.ty, "W": wide(o.ty), "BIAS": o.bias is not None,
        "EPILOGUE": _same if o.activation is None else function(o.activation.value),
    }  # fmt: skip


def _scalars(o, height, width):
    """What all texts are told."""
    return {
        "batch": o.batch, "groups": o.groups, "channels": o.in_channels // o.groups, "outs": o.out_channels // o.groups,
        "height": o.height, "width": o.width, "kernel_h": o.kernel_h, "kernel_w": o.kernel_w,
        "out_height": height, "out_width": width, "pixels": height * width,
        "stride_y": o.stride[0], "stride_x": o.stride[1], "step_y": o.dilation[0], "step_x": o.dilation[1],
        "top": o.padding[0], "left": o.padding[1],
    }  # fmt: skip


FEW = 4  # output channels of a group: of fewer, lanes side by side would have nothing to do
ROWS = 4  # of a lane then, twice as many where rows are read once
SOME = 32  # rows of an image that a block of wasm brings: with one of them its own work was a third of all


def of_strips(tile):
    """Constants of what lies in strips: their rows, and steps of a round."""
    return {"TALL": tile[0], "STEPS": tile[1]}


def choose(o, traits, key=None):
    """The schedule: how many pixels and channels a lane makes, or channels that are made at once, and steps of a
    round."""
    if (found := timed(traits, key)) is not None and found[0] == "tiles":
        return found[1]
    if traits.together:
        outs = o.out_channels // o.groups
        return {"PIXELS": 8, "CHANNELS": 8 if not isinstance(outs, int) else min(max(outs, 1), 8)}
    return of_strips(tile_of(traits))


def tunable(o, traits):
    """The key of a convolution, and schedules that may be timed: the chosen one, and what registers have room for."""
    if pointwise.products(o) == 1:
        sizes, ty = (o.out_channels, math.prod(out_lengths(o)), o.in_channels), wide(o.ty)
        key = matmul.tuning_key(o.ty, ty, *sizes, False, False, o.batch)
        return key, matmul.candidates(*sizes, ty, traits)
    shapes = [(6, 2), (4, 3), (3, 4), (12, 1), (2, 4), (4, 4), (8, 4), (2, 8), (4, 2)]
    found = [{"PIXELS": p, "CHANNELS": c} for p, c in shapes]
    if not traits.together:
        found = [of_strips(tile) for tile in (*TILES.values(), (4, 4), (3, 4))]
    tiles = [("tiles", each) for each in [choose(o, traits), *found]]
    alone = [("alone", each) for each in depthwise.schedules(o, traits)]
    return tuning_key(o), choices(*alone, *tiles)


def tuning_key(o):
    """What convolutions have in common that one schedule is best for; None where sizes are not known."""
    height, width = out_lengths(o)
    found = size_class(o.batch * o.groups, o.out_channels, o.in_channels, height * width)
    return found and f"conv {o.ty} {found} {o.kernel_h}x{o.kernel_w} {o.stride[0]}x{o.stride[1]} {o.groups}"


def _zeros_around(o, scalars, ty, acc, times, some, together=False):
    """Launches that copy images with zeros around them."""
    images, (top, left, bottom, right) = o.batch * o.in_channels, o.padding
    rows, columns = scalars["padded_height"], scalars["padded_width"]
    memory = {"padded": (acc, images * rows * columns * times)}
    lanes, about = (o.width, ceildiv(o.height, some), images), {"T": ty, "W": acc, "SOME": some}
    block = covering(lanes, (64,), together)
    about["why"] = along_one(lanes, together)
    found = [part(o, _inside, lanes, block, temporaries=memory, scalars=scalars, times=times, **about)]
    above = {"x_from": 0, "x_by": 0, "y_from": top, "y_by": o.height}
    beside = {"x_from": left, "x_by": o.width, "y_from": 0, "y_by": top}
    for many, lanes, block, given in (
        (top + bottom, (columns, top + bottom, images), (64, 1), above),
        (left + right, (left + right, o.height, images), (1, 64), beside),
    ):
        if many:
            block, why = covering(lanes, block, together), along_one(lanes, together)
            found.append(part(o, _around, lanes, block, scalars=scalars | given, times=times, W=acc, why=why))
    return found


def _launches(o, traits):
    ty, acc, constants = o.ty, wide(o.ty), _constants(o)
    if (chosen := pointwise.choose(o, traits, acc)) is not None:
        return pointwise.launches(o, chosen, constants)
    height, width = out_lengths(o)
    products = pointwise.products(o)
    found = []
    if may_be(products):
        images = {"a": "kernel", "b": "input", "c": "output", "bias": "bias"}
        m, n, k = o.out_channels, height * width, o.in_channels
        found = _product(o, traits, ty, m, n, k, False, False, o.batch, (0, k * n, m * n), images, often=products)
    rest = 1 - products
    if not may_be(rest):
        return found
    squares, because = winograd.choose(o, traits)
    if may_be(squares):
        found += winograd.launches(o, traits, squares, constants, because)
    why = f"not Winograd's way: {because}"
    if isinstance(ones := is_one(o.kernel_h) * is_one(o.kernel_w), int) and ones:
        why = "no product of matrices, as there are groups, a bias, padding or strides"
    rest -= squares
    if not may_be(rest):
        return found
    scalars = _scalars(o, height, width)
    channels, outs = scalars["channels"], scalars["outs"]
    images, taps = o.batch * o.groups, channels * o.kernel_h * o.kernel_w
    top, left, bottom, right = o.padding
    rows, columns = o.height + top + bottom, o.width + left + right
    large = ty.is_wide or (ty.size_bytes == 8 and traits.together)
    if o.late or large:
        lanes = height * width, outs, images
        because = UNBOUNDED if o.late else matmul.WIDE.format(ty)
        why = f"a lane for each element, as {because}"
        return [part(o, _plain, lanes, (64,), scalars=scalars, fast=True, why=why, **constants)]
    alone, because = depthwise.choose(o, traits)
    chosen = timed(traits, tuning_key(o))
    if alone is not None and chosen is not None:
        # Of the same class others may have less room, as where elements of a window are further apart.
        alone = {name: min(size, chosen[1][name]) for name, size in alone.items()} if chosen[0] == "alone" else None
    if alone is not None:
        return [*found, *depthwise.launches(o, alone, scalars, constants)]
    if because:
        why = f"not each channel between zeros: {because}"
    chosen = choose(o, traits, tuning_key(o))
    panel = chosen.get("CHANNELS", 1)
    here = ceildiv(outs, panel)
    scalars |= {
        "step_y": o.dilation[0] * columns, "here": here, "taps": taps, "padded_height": rows, "padded_width": columns,
        "plane": rows * columns, "whole": channels * rows * columns,
    }  # fmt: skip
    few = 0 if traits.together else rest * flag(FEW - outs)
    many = rest - few
    memory = {"panels": (acc, o.groups * here * panel * taps * many)}
    lanes = panel, taps, o.groups * here
    if traits.together:
        block, told = covering(lanes, (panel,), traits.together), along_one(lanes, traits.together)
        packing = {"temporaries": memory, "scalars": scalars, "times": many, "why": told}
        found.append(part(o, _panels, lanes, block, T=ty, W=acc, WIDTH=panel, **packing))
    buffers, held = {"padded": "input"}, ty
    three = is_one(o.kernel_h - 2) * is_one(o.kernel_w - 2)
    if any(o.padding):
        buffers, held = {}, acc
        found += _zeros_around(o, scalars, ty, acc, rest, 1 if traits.together else SOME, traits.together)
    for often, written_out in ((three * few, True), (few - three * few, False)):
        if may_be(often):
            beneath = written_out and o.stride[0] == o.dilation[0] == 1
            tall = 2 * ROWS if beneath else ROWS
            lanes = width, ceildiv(height, tall), images
            found.append(
                part(o, _by_rows, lanes, (64,), buffers=buffers, scalars=scalars, times=often, fast=True, U=held,
                     ROWS=tall, STRIDE=o.stride[1], STEP=o.dilation[1], THREE=written_out, NEXT=beneath, why=why,
                     **constants)
            )  # fmt: skip
    # A kernel of one element goes through its channels as others through their columns.
    single = is_one(o.kernel_h) * is_one(o.kernel_w)
    length = o.kernel_w + single * (channels - 1)
    flat = {
        "channels": channels - single * (channels - 1), "kernel_w": length,
        "step_x": o.dilation[1] + single * (rows * columns - o.dilation[1]),
    }  # fmt: skip
    count, common = o.batch * height * width, {"buffers": buffers, "fast": True, "why": why, "U": held}
    common |= constants | chosen
    if traits.together:
        return [*found, *_in_shaders(o, scalars | flat, common, count, length, here, many)]
    return [*found, *patches.launches(o, chosen, scalars, buffers, held, many, why, constants)]


def _in_shaders(o, scalars, common, count, length, here, times):
    """The launch of a text for shaders; rows of the kernel have `length` elements."""
    common = {name: value for name, value in common.items() if name != "ACROSS"}
    pixels, lanes = common["PIXELS"], 64
    if isinstance(count, int):
        # Of pixels; a gradient by a kernel of three by three has nine.
        lanes = 4 if count <= 4 * pixels else 16 if count <= 32 * pixels else 64
        common["PIXELS"] = pixels = max(1, ceildiv(count, lanes * max(1, ceildiv(count, lanes * pixels))))
    unrolled = next(each for each in (3, 2, 1) if each == 1 or (isinstance(length, int) and length % each == 0))
    more = {"LANES": lanes, "UNROLLED": unrolled, "UNITS": not isinstance(length, int) or length != unrolled}
    scalars, space = scalars | {"units": length // unrolled}, (ceildiv(count, pixels * lanes) * lanes, here, o.groups)
    return [part(o, _shader_tiles, space, (lanes,), scalars=scalars, times=times, **more, **common)]


def _convolved(np, o, input, kernel, bias=None):
    height, width = out_lengths(o)
    channels = o.in_channels // o.groups
    input, kernel = summable(np, o.ty, input), summable(np, o.ty, kernel)
    images = input.reshape(o.batch, o.groups, channels, o.height, o.width)
    weights = kernel.reshape(o.groups, o.out_channels // o.groups, channels, o.kernel_h, o.kernel_w)
    seen = [each for _, _, each in windows(np, o, images)]
    taps = channels * len(seen)
    total = np.zeros(0, input.dtype)
    if seen:  # a column for each place, in which channels have rows of kernels
        columns = np.stack(seen, axis=3).reshape(o.batch, o.groups, taps, height * width)
        total = product(np, weights.reshape(o.groups, o.out_channels // o.groups, taps), columns)
    total = total.reshape(o.batch, o.out_channels, height, width)
    return total if bias is None else total + summable(np, o.ty, bias)[:, None, None]


OPERATIONS = (TensorOperation("Conv2D", _extents, _launches, _convolved, _check, epilogue="", schedules=tunable),)
