"""Softmax and its logarithm, along any axis."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .language import (
    Constant,
    Elements,
    T,
    exp,
    global_id,
    i32,
    local_id,
    log,
    registers,
    select,
    shared,
    static_range,
    total_of_block,
)  # fmt: skip
from .norms import choose, wide
from .operation import PIECE, ROW_LANES, TensorOperation, flag, function, part, rows_of_lanes

__all__ = ["OPERATIONS"]

_add, _max = function("add"), function("max")
_INFINITY = float("inf")
# Elements of a row that a block has room for: F16 on wasm takes 0.76 of the time so. Shaders on llvmpipe gain nothing.
_SHARED = 1024


def _softmax(
    output: Elements[T],
    input: Elements[T],
    n: i32,
    inner: i32,
    T: Constant[type],
    W: Constant[type],
    LOG: Constant[bool],
    HELD: Constant[int],
    KEPT: Constant[bool],
    SHARED: Constant[int],
    PIECE: Constant[int],
    LANES: Constant[int],
):
    """LANES lanes for each row of n elements, which are `inner` apart: those of a block, or one. Where they lie side by
    side, a lane may have HELD of them in registers, one alone all of them; else rows are read twice. Exponentials that
    are KEPT lie in the result until their sum is known; where it cannot have them, a block has SHARED of them. A lane
    adds up in pieces, and what is lost of these apart: the sum of one piece has the same bits."""
    partial = shared(W, LANES + 1)
    terms = shared(W, max(SHARED, 1))
    held = registers(max(HELD, 1), W)
    lane, row, column, step = i32(0), global_id(1), global_id(0), inner
    last = 0  # the lane that has the last element in registers
    if LANES > 1:
        lane, last = local_id(0), n - 1 - (HELD - 1) * LANES
    if LANES > 1 or HELD > 0:
        column, step = 0, 1
    first = row * n * step + column
    greatest = W(-_INFINITY)
    for i in static_range(HELD):
        if i < HELD - 1:
            held[i] = W(input[first + (i * LANES + lane) * step])
        else:
            held[i] = W(input[first + (i * LANES + min(lane, last)) * step])
        greatest = max(greatest, held[i])
    if HELD == 0:
        for start in range(0, n, LANES):
            if LANES == 1 or start + lane < n:
                greatest = max(greatest, W(input[first + (start + lane) * step]))
    if LANES > 1:
        greatest = total_of_block(greatest, partial, _max, LANES)
    total, lost, span = W(0), W(0), PIECE * LANES
    for i in static_range(HELD):
        term = held[i] - greatest
        if not LOG:
            term = exp(term)
        held[i] = term
        if LOG:
            term = exp(term)
        if i == HELD - 1:
            term = select(lane <= last, term, W(0))
        total = total + term
    if LANES == 1:  # what 32 lanes lose evens out
        span = PIECE // 4
    if HELD == 0:
        for start in range(0, n, span):
            some = W(0)
            for turn in range(min(span // LANES, (n - start + (LANES - 1)) // LANES)):  # which says how many at most
                place = start + turn * LANES + lane
                if LANES == 1 or place < n:
                    term = exp(W(input[first + place * step]) - greatest)
                    if KEPT:
                        output[first + place * step] = term
                    if SHARED > 0:
                        terms[place] = term
                    some = some + term
            longer = total + some
            lost = lost + (some - (longer - total))
            total = longer
        total = total + lost
    if LANES > 1:
        total = total_of_block(total, partial, _add, LANES)
    if LOG:
        total = log(total)
    for i in static_range(HELD):
        if i < HELD - 1 or lane <= last:
            if LOG:
                output[first + (i * LANES + lane) * step] = T(held[i] - total)
            else:
                output[first + (i * LANES + lane) * step] = T(held[i] / total)
    if HELD == 0:
        for start in range(0, n, LANES):
            place = start + lane
            if LANES == 1 or place < n:
                at = first + place * step
                if KEPT:
                    output[at] = output[at] / total
                elif LOG:
                    output[at] = T(W(input[at]) - greatest - total)
                elif SHARED > 0:
                    output[at] = T(terms[place] / total)
                else:
                    output[at] = T(exp(W(input[at]) - greatest) / total)


def _launches(logarithm):
    def launches(o, traits):
        # What is computed on where it is written cannot be read there, nor does a half hold what it was made from.
        kept = not logarithm and wide(o.ty) == o.ty and not (o.fusion is not None and "output" in o.fusion.written)
        given = {"scalars": {"n": o.n, "inner": o.inner}, "T": o.ty, "W": wide(o.ty), "LOG": logarithm, "KEPT": kept}
        given |= {"PIECE": PIECE, "SHARED": 0, "HELD": 0, "fresh": ("output",)}
        if traits.together and isinstance(o.n, int) and o.n <= ROW_LANES and isinstance(o.inner, int) and o.inner == 1:
            # A block for each row would wait for itself more than it computes: a lane adds up in the same order.
            given |= {"PIECE": 4 * ROW_LANES, "HELD": max(o.n, 0), "KEPT": False}
            return [part(o, _softmax, (1, o.outer), (1, 64), LANES=1, **given)]
        held, given["why"] = choose(o.n, traits, o.computes("input"))
        if held:
            ways = ((1, {"HELD": held, "KEPT": False}),)
        else:
            long = 1 if kept or logarithm or traits.together else flag(o.n - _SHARED)
            ways = (1 - long, {"SHARED": _SHARED}), (long, {})
        return rows_of_lanes(o, _softmax, ROW_LANES, ways=ways, **given)

    return launches


def _extents(o):
    size = o.outer * o.n * o.inner
    return {"input": size, "output": size}


def _reference(logarithm):
    def reference(np, o, input):
        rows = input.reshape(o.outer, o.n, o.inner)
        away = rows - rows.max(axis=1, keepdims=True, initial=-np.inf)
        # Side by side, as NumPy adds up by halves only there.
        total = np.ascontiguousarray(np.exp(away).swapaxes(1, 2)).sum(axis=2)[:, None]
        return away - np.log(total) if logarithm else np.exp(away) / total

    return reference


# With a function behind it that text computes them twice: rows of 4,096 took wasm 1.15 of the time, columns 1.4.
_APART = "its text keeps exponentials in the result until their sum is known"
OPERATIONS = (
    TensorOperation("Softmax", _extents, _launches(False), _reference(False), apart=_APART),
    TensorOperation("LogSoftmax", _extents, _launches(True), _reference(True), epilogue=""),
)
