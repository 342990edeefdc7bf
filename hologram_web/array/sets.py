"""Functions whose result's shape depends on values, and searching, with the names of the array API standard."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..isa.types import Type
from .array import Array, array_of, mapped
from .functions import argsort, concat, cumulative_sum, of_buffers, running, sort
from .indexing import chosen, counted, positions_of, taken
from .library_nodes import kernel, tensor
from .node import broadcast_shapes, misfit, misshapen
from .types import kind_of, promoted

__all__ = [
    "argwhere", "cumulative_prod", "isin", "nonzero", "repeat", "searchsorted", "take_along_axis", "unique_all",
    "unique_counts", "unique_inverse", "unique_values",
]  # fmt: skip


class UniqueAll(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    values: Array
    inverse_indices: Array


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Where elements are not 0, along each axis. How many these are is read."""
    if not x.ndim:
        raise misshapen("nonzero", "x", x.shape, "an axis at least is expected")
    return positions_of(x if str(x.dtype) == "bool" else x != 0)


def argwhere(x: Array, /) -> Array:
    """Where elements are not 0: a row for each."""
    found = nonzero(x)
    return concat([each.expand_dims(1) for each in found], axis=1)


def searchsorted(x1: Array, x2: Any, /, *, side: str = "left", sorter: Array | None = None) -> Array:
    """Where elements of x2 would stand in x1, which is sorted: before equal ones, or behind ("right")."""
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right', not {side!r}")
    if x1.ndim != 1:
        raise misshapen("searchsorted", "x1", x1.shape, "one axis is expected")
    ordered = x1 if sorter is None else taken(x1, sorter, 0)
    x2 = array_of(x2, x1.executor, beside=x1)
    ty = promoted(x1.dtype, x2.dtype)
    given = ordered.astype(ty), x2.astype(ty)
    return kernel(f"search_{side}", Type.I32, x2.shape, x2.size, (x1.size,), *given)


def _order(x: Array) -> Array:
    """Where elements of one axis are in order: complex ones by their real parts, then by the others."""
    if kind_of(x.dtype) != "c":
        return argsort(x)
    order = argsort(mapped("imag", x))
    return taken(order, argsort(taken(mapped("real", x), order, 0)), 0)


def unique_all(x: Array, /) -> UniqueAll:
    """The different elements in order, where each is first, which one each element is, and how often there are. Each
    NaN is one of its own. How many these are is read."""
    flat = x.ravel()
    order = _order(flat)
    ordered = taken(flat, order, 0)
    if not x.size:
        nothing = counted(x, (0,))
        return UniqueAll(flat, nothing, nothing.reshape(x.shape), nothing)
    first = array_of(True, x.executor).broadcast_to((1,))
    fresh = concat([first, ordered[1:] != ordered[:-1]], axis=0)
    (starts,) = positions_of(fresh)
    ends = concat([starts[1:], counted(x, (1,)) + x.size], axis=0)
    numbers = (("outer", 1), ("n", x.size), ("inner", 1), ("exclusive", False), ("reverse", False))
    group = Array(
        tensor("CumSum", "output", Type.I32, fresh.shape, numbers, ("input", fresh.astype(Type.I32))), x.executor
    )
    inverse = taken(group - 1, argsort(order), 0).reshape(x.shape)
    return UniqueAll(taken(ordered, starts, 0), taken(order, starts, 0), inverse, ends - starts)


def unique_counts(x: Array, /) -> UniqueCounts:
    """The different elements in order, and how often there are."""
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Array, /) -> UniqueInverse:
    """The different elements in order, and which one each element is."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Array, /) -> Array:
    """The different elements in order."""
    return unique_all(x).values


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Array:
    """Whether elements are among others. One of the two may be a number."""
    executor = x1.executor if isinstance(x1, Array) else x2.executor
    x1, x2 = (array_of(each, executor, beside=other) for each, other in ((x1, x2), (x2, x1)))
    if not x2.size:
        found = mapped("not_equal", x1, x1) & False
    else:
        ordered = sort(x2.ravel())
        places = mapped("minimum", searchsorted(ordered, x1), x2.size - 1)
        found = taken(ordered, places, 0) == x1
    return ~found if invert else found


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """Elements along an axis, by numbers for each place along the others."""
    at = x._axis(axis)
    if indices.ndim != x.ndim:
        wanted = f"as many axes as x of shape {x.shape} are expected"
        raise misshapen("take_along_axis", "indices", indices.shape, wanted)
    for place, (n, other) in enumerate(zip(x.shape, indices.shape, strict=True)):
        if place != at and n not in (1, other) and other != 1:
            wanted = f"{n}, as in x {x.shape}, or 1 is expected"
            raise misfit("take_along_axis", "indices", indices.shape, place, wanted)
    common = broadcast_shapes([(*shape[:at], 1, *shape[at + 1 :]) for shape in (x.shape, indices.shape)])
    wide = x.broadcast_to((*common[:at], x.shape[at], *common[at + 1 :]))
    keys = [
        indices if axis == at else counted(x, (length,)).reshape(-1, *(1,) * (x.ndim - axis - 1))
        for axis, length in enumerate(common)
    ]
    return chosen(wide, tuple(keys))


def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Running products along an axis."""

    def products(found: Array, at: int) -> Array:
        inner, n = math.prod(x.shape[at + 1 :]), x.shape[at]
        return kernel("running_product", found.dtype, x.shape, found.size // max(n, 1), (n, inner), found)

    return running(x, products, 1, axis, dtype, include_initial)


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Each element so many times. How many these are together is read, where `repeats` is an array."""
    if axis is None:
        x, axis = x.ravel(), 0
    at = x._axis(axis)
    if isinstance(repeats, int):
        wide = x.expand_dims(at + 1).broadcast_to((*x.shape[: at + 1], repeats, *x.shape[at + 1 :]))
        return wide.reshape((*x.shape[:at], x.shape[at] * repeats, *x.shape[at + 1 :]))
    if repeats.shape not in ((), (1,), (x.shape[at],)):
        raise misshapen(
            "repeat", "repeats", repeats.shape, f"a number for each of axis {at} of x {x.shape} is expected"
        )
    times = repeats.broadcast_to((x.shape[at],)).astype(Type.I32)
    ends = cumulative_sum(times, axis=0)
    total = int(ends[-1]) if times.size else 0
    return taken(x, searchsorted(ends, counted(x, (total,)), side="right"), at)


for _name in __all__:
    globals()[_name] = of_buffers(globals()[_name])
