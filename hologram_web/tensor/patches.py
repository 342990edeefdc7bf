"""Convolutions on WebAssembly as products: a block packs what pixels see just before it multiplies kernels by it.

The sum of an element runs over (channel, row, column) of its kernel in increasing order, as in all texts of
convolutions.
"""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .language import Callable, Constant, Elements, T, U, W, block_id, i32, local_id, registers, shared, static_range
from .operation import at_most, ceildiv, part
from .panels import BLOCKS, CACHED, TOGETHER, _strips, _tile, width_of
from .sliding import is_one

__all__ = ["launches"]

NINE = 9  # elements of a row of a kernel that is written out


def _seen(none: W, panels, padded, to, places, channels, plane, kernel_h, kernel_w, step_y, STEP, WIDTH, WIDE):
    """What pixels at `places` see, tap after tap. Rows of a kernel of WIDE elements are written out."""
    for c in range(channels):
        for ky in range(kernel_h):
            at = c * plane + ky * step_y
            if WIDE:
                held = to + (c * kernel_h + ky) * (WIDE * WIDTH)
                for kx in static_range(WIDE):
                    for j in static_range(WIDTH // 4):
                        panels[held + (kx * WIDTH + 4 * j)] = W(padded[places[j] + at + kx * STEP])
            else:
                held = to + (c * kernel_h + ky) * (kernel_w * WIDTH)
                for kx in range(kernel_w):
                    for j in static_range(WIDTH // 4):
                        panels[held + kx * WIDTH + 4 * j] = W(padded[places[j] + at + kx * STEP])


def _patches(
    output: Elements[T],
    padded: Elements[U],
    strips: Elements[W],
    bias: Elements[T],
    panels: Elements[W],
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
    kernel_w: i32,
    stride_y: i32,
    stride_x: i32,
    step_y: i32,
    taps: i32,
    last: i32,
    count: i32,
    many: i32,
    below: i32,
    some: i32,
    chunks: i32,
    each: i32,
    turns: i32,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    TALL: Constant[int],
    WIDTH: Constant[int],
    STEPS: Constant[int],
    WIDE: Constant[int],
    STEP: Constant[int],
    REST: Constant[bool],
):
    """Four lanes bring what WIDTH pixels see into a panel, and make TALL output channels of theirs after the others. A
    block has `each` turns, which take neighbours of the `many` panels of a group. Pixels go on from one row to the
    next, and from one image to the next: of those side by side what they see lies side by side."""
    made = shared(W, TALL * WIDTH)
    lane, base, columns, ends = (
        local_id(0),
        block_id(0) * (WIDTH * taps) + local_id(0),
        max(out_width, 1),
        batch * pixels,
    )
    places, beside = registers(WIDTH // 4, i32), registers(WIDTH // 4, i32)
    results, rows = registers(WIDTH // 4, i32), registers(1, i32)
    for turn in range(block_id(0) * each, min(block_id(0) * each + each, turns)):
        # Clamped so that proofs know the ends of quotients, and that no lane divides by zero and leaves.
        rest = turn // max(many, 1)
        first, group = (
            max(min(turn - rest * many, many - 1), 0) * WIDTH,
            max(min(rest // max(chunks, 1), groups - 1), 0),
        )
        start = max(min(rest - group * chunks, chunks - 1), 0) * some
        pixel, image = first % max(pixels, 1), max(min(first // max(pixels, 1), batch - 1), 0) * groups + group
        row, column = max(min(pixel // columns, out_height - 1), 0), max(min(pixel % columns, out_width - 1), 0)
        for j in static_range(WIDTH // 4):
            number = max(min(first + lane + 4 * j, ends - 1), 0)
            inner, at = number % max(pixels, 1), max(min(number // max(pixels, 1), batch - 1), 0) * groups + group
            y, x = max(min(inner // columns, out_height - 1), 0), max(min(inner % columns, out_width - 1), 0)
            places[j] = at * whole + y * stride_y * padded_width + x * stride_x
            results[j] = at * (outs * pixels) + inner
        if stride_x == 1 and column + WIDTH <= out_width:
            place = max(min(image * whole + row * stride_y * padded_width + column, last), 0) + lane
            for j in static_range(WIDTH // 4):
                beside[j] = place + 4 * j
            _seen(W(0), panels, padded, base, beside, channels, plane, kernel_h, kernel_w, step_y, STEP, WIDTH, WIDE)
        else:
            _seen(W(0), panels, padded, base, places, channels, plane, kernel_h, kernel_w, step_y, STEP, WIDTH, WIDE)
        for strip in range(start, min(start + some, below)):
            top, weights = strip * TALL, (group * below + strip) * (TALL * taps)
            sums = _tile(
                W(0), panels, lambda place: strips[place], base, weights, rows, 1, taps, TALL, WIDTH, STEPS, True, REST
            )
            for i in static_range(TALL):
                for j in static_range(WIDTH // 4):
                    made[i * WIDTH + 4 * j + lane] = sums[i, j]
            for i in range(min(outs - top, TALL)):
                out, added = min(top + i, outs - 1), W(0)
                to = max(min((image * outs + out) * pixels + pixel, count - WIDTH), 0) + lane
                if BIAS:
                    added = W(bias[group * outs + out])
                for j in static_range(WIDTH // 4):
                    total = made[i * WIDTH + 4 * j + lane]
                    if BIAS:
                        total = total + added
                    if pixel + WIDTH <= pixels:
                        output[to + 4 * j] = EPILOGUE(T(total))
                    elif first + lane + 4 * j < ends:
                        output[results[j] + out * pixels] = EPILOGUE(T(total))


def launches(o, chosen, scalars, buffers, held, times, why, constants):
    """Its launches."""
    if isinstance(times, int) and not times:
        return []
    acc, tall = constants["W"], chosen["TALL"]
    width, outs, taps, channels = width_of(acc), scalars["outs"], scalars["taps"], scalars["channels"]
    images = scalars["batch"] * o.groups
    if isinstance(outs, int):  # as few as give as many strips
        tall = ceildiv(outs, max(ceildiv(outs, tall), 1))
    many, below, some = ceildiv(scalars["batch"] * scalars["pixels"], width), ceildiv(outs, tall), TOGETHER
    if isinstance(outs, int) and isinstance(
        taps, int
    ):  # as many at once as stay in a cache, and about as many each time
        some = ceildiv(below, max(ceildiv(below * tall * taps, CACHED), 1))
    chunks = ceildiv(below, max(some, 1))
    turns = many * o.groups * chunks
    each, blocks = ceildiv(turns, BLOCKS), at_most(turns, BLOCKS)
    if isinstance(turns, int):
        blocks = ceildiv(turns, max(each, 1))
    reach = (channels - 1) * scalars["plane"] + (o.kernel_h - 1) * scalars["step_y"]
    reach += (o.kernel_w - 1) * o.dilation[1] + width
    given = scalars | {
        "last": images * scalars["whole"] - reach, "count": images * outs * scalars["pixels"],
        "many": many, "below": below, "some": some, "chunks": chunks, "each": each, "turns": turns,
    }  # fmt: skip
    # A kernel of one element goes through its channels as others through their rows.
    single = is_one(o.kernel_h) * is_one(o.kernel_w) * (channels - 1)
    given["channels"], given["kernel_h"] = channels - single, o.kernel_h + single
    given["step_y"] = scalars["step_y"] + is_one(o.kernel_h) * is_one(o.kernel_w) * (
        scalars["plane"] - scalars["step_y"]
    )
    packed = {"m": outs, "k": taps, "a_row": taps, "a_step": 1, "a_batch": outs * taps, "below": below}
    strips = {"strips": (acc, below * tall * taps * o.groups * times)}
    panels = {"panels": (acc, blocks * width * taps * times)}
    wide = o.kernel_w if isinstance(o.kernel_w, int) and o.kernel_w <= NINE else 0
    rest = not isinstance(taps, int) or taps % chosen["STEPS"] != 0
    return [
        part(o, _strips, (taps, below, o.groups), (64,), buffers={"a": "kernel"}, temporaries=strips, times=times,
             scalars=packed, U=o.ty, W=acc, TALL=tall, STEP=1),
        part(o, _patches, (blocks * 4,), (4,), buffers=buffers, temporaries=panels, scalars=given, times=times,
             fast=True, why=why, U=held, WIDTH=width, WIDE=wide, STEP=o.dilation[1], REST=rest, TALL=tall,
             STEPS=chosen["STEPS"], **constants),
    ]  # fmt: skip
