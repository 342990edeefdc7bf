"""Block operations in the language of kernels (block_calls.py): the order that docs/blocks.md writes down."""

# mypy: ignore-errors
# To Python u32 is a value and no type: these are parsed and never executed.

from __future__ import annotations

from ...isa.types import Type
from .names import INTRINSICS

__all__ = ["COMPOSED", "OPERATIONS", "SOURCES", "reduced", "scanned", "taken"]

block_dim, barrier, bitcast, select = (INTRINSICS[name] for name in ("block_dim", "barrier", "bitcast", "select"))
block_or, block_min, block_max = (INTRINSICS[name] for name in ("block_or", "block_min", "block_max"))
block_lane = INTRINSICS["block_lane"]


def _sum(a, b):
    return a + b


def _prod(a, b):
    return a * b


def _min(a, b):
    return min(a, b)


def _max(a, b):
    return max(a, b)


def _and(a, b):
    return a & b


def _or(a, b):
    return a | b


def _xor(a, b):
    return a ^ b


OPERATIONS = {"sum": _sum, "prod": _prod, "min": _min, "max": _max, "and": _and, "or": _or, "xor": _xor}


def reduced(value, lane, slots, result, ty, code, identity, combine, strides):
    """A tree over the lanes: lane i takes in lane i + stride, for strides 512, 256 ... 1 that are less than the block.

    Lanes that a launch leaves out are the last of a line, or columns and rows where the sides of the block are powers
    of two: what they would take in is nothing. In other blocks one lane does the work of all.
    """
    lanes = block_dim(0) * block_dim(1) * block_dim(2)
    plane = block_dim(0) * block_dim(1)
    shared_out = block_dim(0) == lanes or plane & (plane - 1) == 0
    slots[lane] = _coded(bitcast(code, value), identity)
    barrier()
    if shared_out:
        for stride in strides:
            if lanes > stride:
                if lane < stride:
                    _take_in(lane, stride, slots, ty, code, identity, combine)
                barrier()
    if lane < 1:
        if not shared_out:
            reach = strides[0]
            while reach > 1:
                if lanes > reach:
                    for other in range(reach):
                        _take_in(other, reach, slots, ty, code, identity, combine)
                reach >>= 1
        result[0] = combine(bitcast(ty, _coded(slots[0], identity)), bitcast(ty, _coded(slots[1], identity)))
        if not shared_out:
            for other in range(lanes):
                slots[other] = 0
    barrier()
    return result[0]


def _take_in(lane, stride, slots, ty, code, identity, combine):
    other = bitcast(ty, _coded(slots[lane + stride], identity))
    slots[lane] = _coded(bitcast(code, combine(bitcast(ty, _coded(slots[lane], identity)), other)), identity)


def _coded(bits, identity):
    if identity == 0:
        return bits
    return bits ^ identity


def scanned(value, lane, kept, there, ty, inner, combine, exclusive, first, strides):
    """W. Hillis and G. Steele's steps: for strides 1, 2, 4 ... below the number of lanes, each lane takes in what the
    one by the stride before it has. Lanes that a launch leaves out of a line are behind all others; in other blocks
    that are not full, one lane does the work of all."""
    lanes = block_dim(0) * block_dim(1) * block_dim(2)
    line = block_dim(0) == lanes
    kept[lane] = value
    if not line:
        there[lane] = 1
    barrier()
    full = line or there[lanes - 1] != 0
    found = inner(value)
    for stride in strides:
        if lanes > stride:
            if full and lane >= stride:
                found = combine(inner(kept[lane - stride]), found)
            barrier()
            if exclusive or not line or lanes > 2 * stride:
                kept[lane] = found
                barrier()
    if not line:
        if lane < 1 and not full:
            _scanned_alone(lanes, kept, there, inner, combine, exclusive, first)
        barrier()
        found = inner(kept[lane])
    if exclusive:
        if full:
            found = inner(kept[lane - 1]) if lane > 0 else inner(first)
        barrier()
    return ty(found)


def _scanned_alone(lanes, kept, there, inner, combine, exclusive, first):
    stride = 1
    while stride < lanes:
        at = lanes - 1
        while at >= stride:
            if there[at - stride] != 0:
                found = inner(kept[at - stride])
                if there[at] != 0:
                    found = combine(found, inner(kept[at]))
                else:
                    there[at] = 2
                kept[at] = found
            at -= 1
        stride *= 2
    at, last = 0, first
    while at < lanes:
        there[at] &= 1
        if exclusive and there[at] != 0:
            found = kept[at]
            kept[at] = last
            last = found
        at += 1


def taken(value, lane, kept, there, ty, source, find):
    """The value of another lane, if that is there."""
    kept[lane] = value
    there[lane] = 1
    barrier()
    at = find(lane, source)
    found = value
    if there[at] != 0:
        found = kept[at]
    barrier()
    return found


def _shuffle(lane, source):
    return (lane & ~31) | (i32(source) & 31)


def _shuffle_xor(lane, mask):
    return (lane & ~31) | ((lane ^ i32(mask)) & 31)


def _shuffle_up(lane, delta):
    by = i32(delta)
    return lane - by if by >= 0 and by <= lane & 31 else lane


def _shuffle_down(lane, delta):
    by = i32(delta)
    return lane + by if by >= 0 and by <= 31 - (lane & 31) else lane


def _block_broadcast(lane, source):
    return i32(source)


def block_any(condition):
    return block_or(1 if condition else 0) != 0


def block_all(condition):
    return block_or(0 if condition else 1) == 0


def block_argmin(value):
    best = block_min(value)
    return block_min(block_lane() if value == best or (value != value and best != best) else 1024)


def block_argmax(value):
    best = block_max(value)
    return block_min(block_lane() if value == best or (value != value and best != best) else 1024)


i32 = Type.I32
SOURCES = {
    "shuffle": _shuffle,
    "shuffle_up": _shuffle_up,
    "shuffle_down": _shuffle_down,
    "shuffle_xor": _shuffle_xor,
    "block_broadcast": _block_broadcast,
}
COMPOSED = {function.__name__: function for function in (block_any, block_all, block_argmin, block_argmax)}
