"""Softmax and its logarithm, along any axis."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .language import Constant, Elements, T, exp, global_id, i32, local_id, log, shared, total_of_block
from .norms import wide
from .operation import PIECE, ROW_LANES, TensorOperation, flag, function, part, rows_of_lanes

__all__ = ["OPERATIONS"]

_add, _max = function("add"), function("max")
_INFINITY = float("inf")
# Elements of a row that a block has room for: F16 on wasm takes 0.76 of the time so. Shaders on llvmpipe gain nothing.
_HELD = 1024


def _softmax(
    output: Elements[T],
    input: Elements[T],
    n: i32,
    inner: i32,
    T: Constant[type],
    W: Constant[type],
    LOG: Constant[bool],
    KEPT: Constant[bool],
    HELD: Constant[int],
    PIECE: Constant[int],
    LANES: Constant[int],
):
    """LANES lanes for each row of n elements, which are `inner` apart: those of a block, or one. Exponentials that are
    KEPT lie in the result until their sum is known; where it cannot have them, a block has HELD of them. A lane adds up
    in pieces, and what is lost of these apart: the sum of one piece has the same bits."""
    partial = shared(W, LANES + 1)
    terms = shared(W, max(HELD, 1))
    lane, row, column, step = i32(0), global_id(1), global_id(0), inner
    if LANES > 1:
        lane, column, step = local_id(0), 0, 1
    first = row * n * step + column
    greatest = W(-_INFINITY)
    for i in range(0, n, LANES):
        if LANES == 1 or i + lane < n:
            greatest = max(greatest, W(input[first + (i + lane) * step]))
    if LANES > 1:
        greatest = total_of_block(greatest, partial, _max, LANES)
    total, lost, span = W(0), W(0), PIECE * LANES
    if LANES == 1:  # what 32 lanes lose evens out
        span = PIECE // 4
    for start in range(0, n, span):
        some = W(0)
        for turn in range(min(span // LANES, (n - start + (LANES - 1)) // LANES)):  # which says how many at most
            i = start + turn * LANES
            if LANES == 1 or i + lane < n:
                term = exp(W(input[first + (i + lane) * step]) - greatest)
                if KEPT:
                    output[first + (i + lane) * step] = term
                if HELD > 0:
                    terms[i + lane] = term
                some = some + term
        longer = total + some
        lost = lost + (some - (longer - total))
        total = longer
    total = total + lost
    if LANES > 1:
        total = total_of_block(total, partial, _add, LANES)
    if LOG:
        total = log(total)
    for i in range(0, n, LANES):
        if LANES == 1 or i + lane < n:
            at = first + (i + lane) * step
            if KEPT:
                output[at] = output[at] / total
            elif LOG:
                output[at] = T(W(input[at]) - greatest - total)
            elif HELD > 0:
                output[at] = T(terms[i + lane] / total)
            else:
                output[at] = T(exp(W(input[at]) - greatest) / total)


def _launches(logarithm):
    def launches(o, traits):
        # What is computed on where it is written cannot be read there, nor does a half hold what it was made from.
        kept = not logarithm and wide(o.ty) == o.ty and not (o.fusion is not None and "output" in o.fusion.written)
        given = {"scalars": {"n": o.n, "inner": o.inner}, "T": o.ty, "W": wide(o.ty), "LOG": logarithm, "KEPT": kept}
        given |= {"PIECE": PIECE, "HELD": 0}
        given["fresh"] = ("output",)
        if traits.together and isinstance(o.n, int) and o.n <= ROW_LANES and isinstance(o.inner, int) and o.inner == 1:
            # A block for each row would wait for itself more than it computes: a lane adds up in the same order.
            return [part(o, _softmax, (1, o.outer), (1, 64), LANES=1, **given | {"PIECE": 4 * ROW_LANES})]
        long = 1 if kept or logarithm or traits.together else flag(o.n - _HELD)
        return rows_of_lanes(o, _softmax, ROW_LANES, ways=((1 - long, {"HELD": _HELD}), (long, {})), **given)

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


OPERATIONS = tuple(
    TensorOperation(name, _extents, _launches(logarithm), _reference(logarithm))
    for name, logarithm in (("Softmax", False), ("LogSoftmax", True))
)
