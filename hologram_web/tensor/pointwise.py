"""Convolutions of 1 x 1 as they are on WebAssembly: each image is a matrix, of which a block packs eight columns just
before it multiplies all kernels by them.

The sum of an element runs over the channels in increasing order, as in all texts of convolutions.
"""

# mypy: ignore-errors

from __future__ import annotations

import math

from ..isa.types import Type
from .budgets import tile_of
from .matmul import FEW, LOW, SMALL, tuning_key
from .panels import AS_IT_LIES, just_before, width_of
from .sliding import is_one, out_lengths

__all__ = ["choose", "launches", "products"]


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
    if o.groups != 1 or max(o.stride) != 1 or any(o.padding) or acc not in (Type.F32, Type.F64) or sizes[5:] != (1, 1):
        return None
    m, n, k = o.out_channels, math.prod(out_lengths(o)), o.in_channels
    if tuning_key(o.ty, acc, m, n, k, False, False, o.batch) in dict(traits.tuned):
        return None
    # Few kernels, and images that stay in the first cache as they lie, are not worth packing.
    if n < width_of(acc) or k < 1 or m <= FEW or (m <= LOW and n * k <= SMALL):
        return None
    tall, steps = tile_of(traits)
    packed = o.batch * n > AS_IT_LIES or o.ty is not acc
    return {"TALL": tall, "STEPS": steps, "PACKED": packed}


def launches(o, chosen, constants):
    """Its launches."""
    sizes = m, n, k = o.out_channels, math.prod(out_lengths(o)), o.in_channels
    steps = {"a_row": k, "a_step": 1, "a_batch": 0, "b_step": n, "b_column": 1, "b_batch": k * n, "c_batch": m * n}
    steps |= {"alpha": 1, "beta": 0}
    about = {"TURNED": False, "STEP": 1, "BETA": False, **constants, "BIAS": 2 * constants["BIAS"]}
    why = "columns of the image packed just before they are used"
    return just_before(o, sizes, o.batch, steps, chosen, "kernel", "input", o.ty, 1, why, {"c": "output"}, **about)
