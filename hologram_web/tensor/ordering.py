"""Sorting: blocks by counting what goes before each element, then pairs of sorted runs by searching in the other one.

Every pass is a permutation that each lane finds for its own element, so that it is stable and any length will do: of
equal elements that of the first run goes first. NaNs are the greatest.
"""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from ..isa.types import Type
from .language import Constant, Elements, T, global_id, i32, select
from .operation import TensorOperation, flag, part

__all__ = ["OPERATIONS"]

_RUN = 32  # elements that are sorted by counting
_PAIRS = 13  # of passes, each of which doubles the runs: 32 * 4 ** 13 is 2 ** 31


def _less(x, y, DESCENDING):
    if DESCENDING:
        found = x > y or (x != x and y == y)
    else:
        found = x < y or (y != y and x == x)
    return found


def _counted(
    keys: Elements[T], places: Elements[i32], input: Elements[T], n: i32, T: Constant[type], DESCENDING: Constant[bool]
):
    """Element i of its run of 32 goes behind all that are less, and behind equal ones before it."""
    i, first = global_id(0), global_id(1) * n
    start = i // _RUN * _RUN
    x = input[first + i]
    rank = i32(0)
    for j in range(start, min(start + _RUN, n)):
        y = input[first + j]
        if _less(y, x, DESCENDING) or (j < i and not _less(x, y, DESCENDING)):
            rank += 1
    keys[first + start + rank] = x
    places[first + start + rank] = i


def _merged(
    keys: Elements[T],
    places: Elements[i32],
    sorted: Elements[T],
    sorted_places: Elements[i32],
    n: i32,
    run: i32,
    T: Constant[type],
    DESCENDING: Constant[bool],
):
    """Two runs side by side become one."""
    i, first = global_id(0), global_id(1) * n
    mine = i // run
    other = select(mine % 2 == 0, mine + 1, mine - 1) * run
    x = sorted[first + i]
    low, high = min(other, n), min(other + run, n)
    start = low
    while low < high:
        middle = low + (high - low) // 2
        y = sorted[first + middle]
        # Of equal elements those of the first run go first.
        before = _less(y, x, DESCENDING) or (mine % 2 == 1 and not _less(x, y, DESCENDING))
        if before:
            low = middle + 1
        else:
            high = middle
    place = first + mine // 2 * 2 * run + i % run + low - start
    keys[place] = x
    places[place] = sorted_places[first + i]


def _taken(
    output: Elements[T],
    indices: Elements[i32],
    sorted: Elements[T],
    places: Elements[i32],
    n: i32,
    k: i32,
    T: Constant[type],
    INDICES: Constant[bool],
):
    """The first k of each row."""
    i, row = global_id(0), global_id(1)
    output[row * k + i] = sorted[row * n + i]
    if INDICES:
        indices[row * k + i] = places[row * n + i]


def _launches(o, descending, k):
    size, ty = o.outer * o.n, o.ty
    count = o.most.get("input", size)
    memory = {"keys0": (ty, count), "places0": (Type.I32, count), "keys1": (ty, count), "places1": (Type.I32, count)}
    constants = {"T": ty, "DESCENDING": descending}
    buffers = {"keys": "keys0", "places": "places0"}
    found = [
        part(o, _counted, (o.n, o.outer), (64,), buffers=buffers, temporaries=memory, scalars={"n": o.n}, **constants)
    ]
    run = _RUN
    for _ in range(_PAIRS):  # the second of a pair copies where the first was enough
        times = flag(o.n - run)
        for source, target in (("0", "1"), ("1", "0")):
            names = {"sorted": f"keys{source}", "sorted_places": f"places{source}"}
            names |= {"keys": f"keys{target}", "places": f"places{target}"}
            scalars = {"n": o.n, "run": min(run, (1 << 31) - 1)}
            found.append(
                part(o, _merged, (o.n, o.outer), (64,), buffers=names, times=times, scalars=scalars, **constants)
            )
            run *= 2
    names = {"sorted": "keys0", "places": "places0"}
    wanted = o.indices is not None
    found.append(part(o, _taken, (k, o.outer), (64,), buffers=names, scalars={"n": o.n, "k": k}, T=ty, INDICES=wanted))
    return [launch for launch in found if not isinstance(launch.times, int) or launch.times]


def _sorted(np, o, input, descending, k):
    """By rows; descending ones from their end, so that equal elements keep their order."""
    rows = input.reshape(o.outer, o.n)
    if descending:
        order = o.n - 1 - np.argsort(rows[:, ::-1], axis=1, kind="stable")[:, ::-1]
    else:
        order = np.argsort(rows, axis=1, kind="stable")
    order = order[:, :k]
    return {"output": np.take_along_axis(rows, order, axis=1), "indices": order}


def _too_many(o):
    known = isinstance(o.k, int) and isinstance(o.n, int)
    return f"the {o.k} greatest of rows of {o.n} elements" if known and o.k > o.n else None


OPERATIONS = (
    TensorOperation(
        "Sort",
        lambda o: dict.fromkeys(("input", "output", "indices"), o.outer * o.n),
        lambda o, traits: _launches(o, o.descending, o.n),
        lambda np, o, input: _sorted(np, o, input, o.descending, o.n),
    ),
    TensorOperation(
        "TopK",
        lambda o: {"input": o.outer * o.n, "output": o.outer * o.k, "indices": o.outer * o.k},
        lambda o, traits: _launches(o, o.largest, o.k),
        lambda np, o, input: _sorted(np, o, input, o.largest, o.k),
        _too_many,
    ),
)
