"""Along an axis: where the least or greatest is, running sums; and elements written by their numbers."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from dataclasses import replace

from ..isa.types import Type
from .budgets import UNBOUNDED
from .language import Constant, Elements, T, W, barrier, global_id, i32, local_id, select, shared, static_range
from .norms import wide
from .operation import TensorOperation, across, beyond, ceildiv, flag, part, rows_of_lanes

__all__ = ["OPERATIONS"]


def _first(x, at, y, other, LEAST):
    """Whether x goes before y: it is less (or greater), or a NaN, or as much and stands further ahead."""
    ahead = x > y
    if LEAST:
        ahead = x < y
    ahead = ahead or (x != x and y == y)
    alike = x == y or (x != x and y != y)
    return (ahead and y == y) or (alike and at < other)


def _ahead(x, best, LEAST):
    """The same of an element that stands behind the best so far."""
    behind = x <= best
    if LEAST:
        behind = x >= best
    return not behind and best == best


def _compared(x, TURNED):
    """What of an element is compared: the greatest float is the least one with the other sign."""
    if TURNED:
        x = -x
    return x


def _arg(
    output: Elements[i32],
    input: Elements[T],
    count: i32,
    n: i32,
    inner: i32,
    T: Constant[type],
    W: Constant[type],
    LEAST: Constant[bool],
    TURNED: Constant[bool],
    LEVELS: Constant[int],
    AHEAD: Constant[int],
    LANES: Constant[int],
):
    """LANES lanes for each row of n elements, which are `inner` apart: 2**LEVELS of a block, or one. Of parts of AHEAD
    rounds lanes find which one has the best first, and where it is in that."""
    values = shared(W, LANES)
    places = shared(i32, LANES)
    row = global_id(1)
    lane, column, step = i32(0), global_id(0), inner
    if LANES > 1:
        lane, column, step = local_id(0), 0, 1
    first = row * n * step + column
    at = min(lane, n - 1)
    best = _compared(W(input[first + at * step]), TURNED)
    begin = LANES
    if LANES > 1 and AHEAD > 0:
        parts = n // (AHEAD * LANES)
        begin = max(parts * (AHEAD * LANES), LANES)
        most, its = best, 0
        for k in range(parts):
            place = min(first + k * (AHEAD * LANES), max(count - AHEAD * LANES, 0)) + lane
            top = _compared(W(input[place]), TURNED)
            for j in static_range(1, AHEAD):
                value = _compared(W(input[place + j * LANES]), TURNED)
                top = min(top, value) if LEAST else max(top, value)
            if _ahead(top, most, LEAST):
                most, its = top, k
        if parts > 0:
            begins = its * (AHEAD * LANES) + lane
            place = max(min(first + begins, count - AHEAD * LANES + lane), 0)
            at, best = begins, _compared(W(input[place]), TURNED)
            for j in range(1, AHEAD):
                value = _compared(W(input[place + j * LANES]), TURNED)
                if _ahead(value, best, LEAST):
                    best = value
                    at = begins + j * LANES
    for i in range(begin, n, LANES):
        if LANES == 1 or i + lane < n:
            value = _compared(W(input[first + (i + lane) * step]), TURNED)
            if _ahead(value, best, LEAST):
                best = value
                at = i + lane
    if LANES > 1:
        values[lane] = best
        places[lane] = at
        barrier()
        for half in static_range(LEVELS):
            if lane < LANES >> half + 1:
                other = lane + (LANES >> half + 1)
                if _first(values[other], places[other], values[lane], places[lane], LEAST):
                    values[lane] = values[other]
                    places[lane] = places[other]
            barrier()
        at = places[0]
    if lane == 0:
        output[row * inner + column] = at


def _of_none(output: Elements[i32], input: Elements[T], T: Constant[type], BEYOND: Constant[int]):
    """A fault: of no elements none is the least or greatest."""
    output[0] = i32(input[global_id(0) + BEYOND])


def _nothing(done: Elements[i32], totals: Elements[W], W: Constant[type]):
    """What lanes that go on from launch to launch begin with."""
    done[global_id(0)] = 0
    totals[global_id(0)] = W(0)


def _place(first, k, n, inner, REVERSE):
    """Of the k-th element that is added in a row."""
    i = k
    if REVERSE:
        i = n - 1 - k
    return first + i * inner


def _running(
    output: Elements[T],
    input: Elements[T],
    done: Elements[i32],
    totals: Elements[W],
    n: i32,
    inner: i32,
    T: Constant[type],
    W: Constant[type],
    EXCLUSIVE: Constant[bool],
    REVERSE: Constant[bool],
    PARTS: Constant[bool],
):
    """One lane for each row, which adds in the order of the row: all of it, or in PARTS, where the last one ended."""
    first = global_id(1) * n * inner + global_id(0)
    total, begin, end = W(0), 0, n
    if PARTS:
        lane = global_id(1) * inner + global_id(0)
        total, begin = totals[lane], max(done[lane], 0)
        end = min(begin + ROUNDS, n)
    for k in range(begin, end):
        place = _place(first, k, n, inner, REVERSE)
        value = W(input[place])
        if EXCLUSIVE:
            output[place] = T(total)
        total = total + value
        if not EXCLUSIVE:
            output[place] = T(total)
    if PARTS:
        totals[lane] = total
        done[lane] = end


def _piece_sums(
    parts: Elements[W],
    input: Elements[T],
    n: i32,
    inner: i32,
    pieces: i32,
    T: Constant[type],
    W: Constant[type],
    REVERSE: Constant[bool],
):
    """One lane for each piece of a row: the sum of its elements."""
    row, begin, total = global_id(1) // pieces, global_id(1) % pieces * PIECE, W(0)
    first = row * n * inner + global_id(0)
    for k in range(begin, min(begin + PIECE, n)):
        total = total + W(input[_place(first, k, n, inner, REVERSE)])
    parts[global_id(1) * inner + global_id(0)] = total


def _running_pieces(
    output: Elements[T],
    input: Elements[T],
    before: Elements[W],
    n: i32,
    inner: i32,
    pieces: i32,
    T: Constant[type],
    W: Constant[type],
    EXCLUSIVE: Constant[bool],
    REVERSE: Constant[bool],
):
    """One lane for each piece of a row, which begins with the sum of those before."""
    row, begin = global_id(1) // pieces, global_id(1) % pieces * PIECE
    first = row * n * inner + global_id(0)
    total = before[global_id(1) * inner + global_id(0)]
    for k in range(begin, min(begin + PIECE, n)):
        place = _place(first, k, n, inner, REVERSE)
        value = W(input[place])
        if EXCLUSIVE:
            output[place] = T(total)
        total = total + value
        if not EXCLUSIVE:
            output[place] = T(total)


def _scatter(
    output: Elements[T],
    input: Elements[T],
    indices: Elements[i32],
    done: Elements[i32],
    axis_len: i32,
    inner: i32,
    count: i32,
    T: Constant[type],
    ACCUMULATE: Constant[bool],
    PARTS: Constant[bool],
    BEYOND: Constant[int],
):
    """One lane for each place across the axis, so that equal indices come in their order: of all, or in PARTS, where
    the last one ended. An index counts from the end if it is negative; one beyond the axis is a fault."""
    i, outer = global_id(0), global_id(1)
    begin, end = 0, count
    if PARTS:
        lane = outer * inner + i
        begin = max(done[lane], 0)
        end = min(begin + ROUNDS, count)
    for j in range(begin, end):
        index = indices[j]
        index = select(index < 0, index + axis_len, index)
        place = (outer * axis_len + index) * inner + i
        place = select(index >= 0 and index < axis_len, place, BEYOND)
        value = input[(outer * count + j) * inner + i]
        if ACCUMULATE:
            value = output[place] + value
        output[place] = value
    if PARTS:
        done[lane] = end


ROUNDS = 1 << 15  # of a loop in a shader: llvmpipe ends all of them after 65,535


def _in_order(o, traits, kernel, n, scalars, often=1, buffers=None, why="", **constants):
    """Launches of lanes that go through an axis of `n` elements in order; on GPUs in parts of ROUNDS. All is done
    `often` times."""
    lanes, acc, buffers = (o.inner, o.outer), wide(o.ty), buffers or {}
    if not traits.together or o.late:  # memory has to be known
        why = f"an axis in one loop, as {UNBOUNDED}" if traits.together else ""
        return across(o, kernel, lanes, scalars=scalars, buffers=_UNUSED, why=why, PARTS=False, **constants)
    long = flag(n - ROUNDS) * often
    unused = dict.fromkeys(("done", "totals"), buffers.get("output", "output"))
    short, given = often - long, {**buffers, **unused}
    found = across(o, kernel, lanes, short, scalars=scalars, buffers=given, why=why, PARTS=False, **constants)
    if not isinstance(long, int) or long:
        many = o.inner * o.outer
        memory = {"done": (Type.I32, many * long), "totals": (acc, many * long)}
        found.append(part(o, _nothing, (many,), (64,), temporaries=memory, times=long, scalars={}, W=acc))
        times = ceildiv(n, ROUNDS) * long
        found += across(o, kernel, lanes, times, scalars=scalars, buffers=buffers, why=why, PARTS=True, **constants)
    return found


_UNUSED = {"done": "output", "totals": "output"}  # where there are no parts


def _args(least):
    def launches(o, traits):
        found, none = [], flag(1 - o.n)
        if not isinstance(none, int) or none:  # where an operand begins inside a buffer there is something in front
            times, about = none * flag(o.outer * o.inner), {"T": o.ty, "BEYOND": beyond(o.ty)}
            found.append(part(o, _of_none, (1,), (1,), times=times, scalars={}, **about))
        # One packet goes along a row; four of them, one after another, took 1.5 times as long. Of short elements 16
        # fill vectors, and parts took as long or longer.
        levels = 6 if traits.together else 3 if o.ty.size_bytes == 8 else 4
        ahead = 8 if not traits.together and o.ty.size_bytes > 2 else 0
        # The least of floats is three instructions of vectors, the greatest seven.
        turned = bool(ahead) and o.ty.is_float and not least
        ways = {"LEAST": least or turned, "TURNED": turned, "LEVELS": levels, "AHEAD": ahead}
        scalars = {"count": o.outer * o.n * o.inner, "n": o.n, "inner": o.inner}
        return found + rows_of_lanes(o, _arg, 1 << levels, scalars=scalars, T=o.ty, W=wide(o.ty), **ways)

    def reference(np, o, input):
        rows = input.reshape(o.outer, o.n, o.inner)
        return (rows.argmin if least else rows.argmax)(axis=1) if rows.size else np.zeros(0)

    def check(o):
        if isinstance(o.n, int) and o.n <= 0 and all(isinstance(k, int) and k > 0 for k in (o.outer, o.inner)):
            return f"input has no elements along its axis n, of which one would be the {which}"
        return None

    name, which = ("ArgMin", "least") if least else ("ArgMax", "greatest")
    return TensorOperation(
        name, lambda o: {"input": o.outer * o.n * o.inner, "output": o.outer * o.inner}, launches, reference, check,
        epilogue="",
    )  # fmt: skip


PIECE = 1024  # elements of a long row that a lane adds on GPUs
MANY_LANES = 1 << 14  # rows that keep a GPU busy, each with one lane


def _sums(o, traits):
    """On GPUs long rows are pieces whose sums come first, where that gives the same: integers, and math="fast". 16 Mi
    of F32 took an H200 4.5 ms so, and 2.2 s in order."""
    working, scalars = wide(o.ty), {"n": o.n, "inner": o.inner}
    constants = {"T": o.ty, "W": working, "EXCLUSIVE": o.exclusive, "REVERSE": o.reverse}
    apart, why = 0, ""
    if traits.together and not (o.ty.is_integer or traits.fast):
        why = 'an axis in order, as floats are added in pieces where math is "fast" only'
    if traits.together and not o.late and (o.ty.is_integer or traits.fast):
        apart = flag(o.n - PIECE) * flag(MANY_LANES - o.inner * o.outer)
    found = []
    if not isinstance(apart, int) or not apart:
        found += _in_order(o, traits, _running, o.n, scalars, 1 - apart, why=why, **constants)
    if not isinstance(apart, int) or apart:
        pieces, own = ceildiv(o.n, PIECE), {key: constants[key] for key in ("T", "W", "REVERSE")}
        lanes, many = (o.inner, o.outer * pieces), o.inner * o.outer * pieces * apart
        memory = {"parts": (working, many), "before": (working, many)}
        first, *more = across(o, _piece_sums, lanes, apart, scalars={**scalars, "pieces": pieces}, **own)
        first = replace(first, temporaries={name: ty.size_bytes * count for name, (ty, count) in memory.items()})
        along, buffers = {"n": pieces, "inner": o.inner}, {"input": "parts", "output": "before"}
        order = {"T": working, "W": working, "EXCLUSIVE": True, "REVERSE": False}
        found += [first, *more, *_in_order(o, traits, _running, pieces, along, apart, buffers, **order)]
        found += across(o, _running_pieces, lanes, apart, scalars={**scalars, "pieces": pieces}, **constants)
    return found


def _summed(np, o, input):
    rows = input.reshape(o.outer, o.n, o.inner)
    rows = rows[:, ::-1] if o.reverse else rows
    sums = np.cumsum(rows, axis=1, dtype=rows.dtype)
    if o.exclusive:
        sums = np.concatenate([np.zeros_like(sums[:, :1]), sums[:, :-1]], axis=1)
    return sums[:, ::-1] if o.reverse else sums


def _scattered(np, o, input, indices, output):
    rows = output.reshape(o.outer, o.axis_len, o.inner).copy()
    given = input.reshape(o.outer, o.count, o.inner)
    for j, index in enumerate(indices):
        rows[:, index] = rows[:, index] + given[:, j] if o.accumulate else given[:, j]
    return rows


OPERATIONS = (
    _args(True),
    _args(False),
    TensorOperation(
        "CumSum",
        lambda o: dict.fromkeys(("input", "output"), o.outer * o.n * o.inner),
        _sums,
        _summed,
        epilogue="",
    ),
    TensorOperation(
        "Scatter",
        lambda o: {
            "input": o.outer * o.count * o.inner,
            "indices": o.count,
            "output": o.outer * o.axis_len * o.inner,
        },
        lambda o, traits: _in_order(
            o,
            traits,
            _scatter,
            o.count,
            {"axis_len": o.axis_len, "inner": o.inner, "count": o.count},
            T=o.ty,
            ACCUMULATE=o.accumulate,
            BEYOND=beyond(o.ty),
        ),
        _scattered,
        updated=("output",),
        whole=False,
        apart="it writes some elements, and those more than once",
    ),
)
