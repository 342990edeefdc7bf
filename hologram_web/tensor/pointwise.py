"""Convolutions of 1 x 1 as they are on WebAssembly: each image is a matrix, of which a block packs eight columns just
before it multiplies all kernels by them.

The sum of an element runs over the channels in increasing order, as in all texts of convolutions.
"""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

import math

from ..isa.types import Type
from .budgets import tile_of
from .language import Callable, Constant, Elements, T, U, W, block_id, i32, local_id, registers, static_range
from .matmul import FEW, LOW, SMALL, tuning_key
from .operation import ceildiv, part
from .panels import AS_IT_LIES, WIDTH, _strips
from .sliding import is_one, out_lengths

__all__ = ["choose", "launches", "products"]

BLOCKS = 16  # which share the panels
CACHED = 1 << 16  # elements of kernels that go over a panel: they stay in the second cache for the next one


def _pointwise(
    output: Elements[T],
    input: Elements[T],
    strips: Elements[U],
    bias: Elements[T],
    panel: Elements[W],
    batch: i32,
    channels: i32,
    outs: i32,
    pixels: i32,
    many: i32,
    below: i32,
    some: i32,
    each: i32,
    turns: i32,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    TALL: Constant[int],
    STEPS: Constant[int],
    PACKED: Constant[bool],
    ALONE: Constant[bool],
    REST: Constant[bool],
    EDGE: Constant[bool],
):
    """Four lanes bring WIDTH pixels of all channels, and make TALL output channels of them after the others. A block
    has `each` turns, which take neighbours: a line of the cache has pixels of two. Of an image ALONE a turn is one of
    its `many` panels; else `some` of the strips go over those of all images before the next ones do. Strips that are
    not PACKED are kernels as they lie. At the EDGE a panel begins earlier, and stores what no other one has made."""
    sums, y, rows = registers((TALL, 2), W), registers(2, W), registers(TALL, i32)
    lane, base = local_id(0), block_id(0) * (WIDTH * channels) + local_id(0)
    for turn in range(block_id(0) * each, min(block_id(0) * each + each, turns)):
        number, image, begin = turn, i32(0), i32(0)
        if not ALONE:
            # Clamped so that proofs know the ends of quotients, and that no lane divides by zero and leaves.
            rest = turn // max(many, 1)
            number = max(min(turn - rest * many, many - 1), 0)
            image = max(min(rest % max(batch, 1), batch - 1), 0)
            begin = max(min(rest // max(batch, 1) * some, below - 1), 0)
        first = number * WIDTH
        left = first
        if EDGE:
            left = max(min(first, pixels - WIDTH), 0)
        at = image * channels * pixels + left + lane
        for p in range(channels):
            for j in static_range(2):
                panel[base + p * WIDTH + 4 * j] = W(input[at + p * pixels + 4 * j])
        for strip in range(begin, min(begin + some, below)):
            top, weights = strip * TALL, strip * TALL * channels
            for i in static_range(TALL):
                if not PACKED:
                    rows[i] = min(top + i, outs - 1) * channels
                for j in static_range(2):
                    sums[i, j] = W(0)
            for four in range(channels // STEPS):
                for step in static_range(STEPS):
                    # What is added last and known is part of the address, and one proof for all of a round.
                    for j in static_range(2):
                        y[j] = panel[base + four * (STEPS * WIDTH) + (step * WIDTH + 4 * j)]
                    for i in static_range(TALL):
                        if PACKED:
                            x = W(strips[weights + four * (STEPS * TALL) + (step * TALL + i)])
                        else:
                            x = W(strips[rows[i] + four * STEPS + step])
                        for j in static_range(2):
                            sums[i, j] += x * y[j]
            if REST:
                for p in range(channels // STEPS * STEPS, channels):
                    for j in static_range(2):
                        y[j] = panel[base + p * WIDTH + 4 * j]
                    for i in static_range(TALL):
                        if PACKED:
                            x = W(strips[weights + p * TALL + i])
                        else:
                            x = W(strips[rows[i] + p])
                        for j in static_range(2):
                            sums[i, j] += x * y[j]
            for i in static_range(TALL):
                row = top + i
                if row < outs:
                    added = W(0)
                    if BIAS:
                        added = W(bias[row])
                    for j in static_range(2):
                        column, total = left + lane + 4 * j, sums[i, j]
                        if BIAS:
                            total = total + added
                        if not EDGE or column >= first:
                            output[(image * outs + row) * pixels + column] = EPILOGUE(T(total))


def products(o):
    """1 where each image is multiplied by the matrix of the kernels: pixels of its channels as they lie; else 0."""
    may = o.groups == 1 and o.bias is None and not o.late and max(o.stride) == 1 and not any(o.padding)
    return is_one(o.kernel_h) * is_one(o.kernel_w) if may else 0


def choose(o, traits, acc):
    """The constants, if panels are packed just before they are used, and results computed in `acc`; else None. V8 gains
    by that, Cranelift does not (`python -m bench.pointwise`)."""
    sizes = o.batch, o.in_channels, o.out_channels, o.height, o.width, o.kernel_h, o.kernel_w
    if traits.together or traits.native or o.late or not all(isinstance(size, int) for size in sizes):
        return None
    if o.groups != 1 or max(o.stride) != 1 or any(o.padding) or acc is not Type.F32 or sizes[5:] != (1, 1):
        return None
    m, n, k = o.out_channels, math.prod(out_lengths(o)), o.in_channels
    if tuning_key(o.ty, acc, m, n, k, False, False, o.batch) in dict(traits.tuned):
        return None
    # Few kernels, and images that stay in the first cache as they lie, are not worth packing.
    if n < WIDTH or k < 1 or m <= FEW or (m <= LOW and n * k <= SMALL):
        return None
    tall, steps = tile_of(traits)
    packed = o.batch * n > AS_IT_LIES or o.ty is not acc
    return {"TALL": tall, "STEPS": steps, "PACKED": packed, "REST": k % steps != 0, "EDGE": n % WIDTH != 0}


def launches(o, chosen, constants):
    """Its launches."""
    acc, tall = constants["W"], chosen["TALL"]
    outs, pixels, channels = o.out_channels, math.prod(out_lengths(o)), o.in_channels
    many, below = ceildiv(pixels, WIDTH), ceildiv(outs, tall)
    # As many at once as stay in a cache, and all of them about as many.
    some = ceildiv(below, ceildiv(below * tall * channels, CACHED))
    turns = o.batch * many * ceildiv(below, some)
    each = ceildiv(turns, BLOCKS)
    blocks = ceildiv(turns, max(each, 1))
    found, of_strips = [], o.ty
    if chosen["PACKED"]:
        matrix = {"m": outs, "k": channels, "a_row": channels, "a_step": 1, "a_batch": 0, "below": below}
        memory, of_strips = {"strips": (acc, below * tall * channels)}, acc
        found.append(
            part(o, _strips, (channels, below, 1), (64,), buffers={"a": "kernel"}, temporaries=memory, scalars=matrix,
                 U=o.ty, W=acc, TALL=tall)
        )  # fmt: skip
    scalars = {
        "batch": o.batch, "channels": channels, "outs": outs, "pixels": pixels, "many": many, "below": below,
        "some": some, "each": each, "turns": turns,
    }  # fmt: skip
    found.append(
        part(o, _pointwise, (blocks * 4,), (4,), temporaries={"panel": (acc, blocks * WIDTH * channels)},
             buffers={} if chosen["PACKED"] else {"strips": "kernel"}, scalars=scalars, fast=True, U=of_strips,
             ALONE=turns == many, why="columns of the image packed just before they are used", **chosen, **constants)
    )  # fmt: skip
    return found
