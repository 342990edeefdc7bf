"""Products of a sparse matrix and another one."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .language import Constant, Elements, T, W, global_id, i32, select, u32
from .norms import wide
from .operation import TensorOperation, beyond, function, part, summable

__all__ = ["OPERATIONS"]

_mad = function("mad")
_NO_PLACE = 1 << 31  # of an element: places are signed


def _rows_by_columns(
    c: Elements[T],
    a_values: Elements[T],
    a_indices: Elements[u32],
    a_ptr: Elements[u32],
    b: Elements[T],
    n: i32,
    k: i32,
    alpha: W,
    beta: W,
    T: Constant[type],
    W: Constant[type],
    BETA: Constant[bool],
    BEYOND: Constant[int],
):
    """One lane for each element of c. An index beyond the columns of a is a fault, and so is what ends where no element
    can be: the one round that it is has its element in front of each buffer."""
    column, row = global_id(0), global_id(1)
    total, at = W(0), row * n + column
    begin, end = a_ptr[row], a_ptr[row + 1]
    first, last = i32(begin), i32(end)
    if begin >= end:
        last = first
    elif end >= _NO_PLACE:
        first, last = BEYOND, BEYOND + 1
    for p in range(first, last):
        index = a_indices[p]
        place = select(index < u32(k), i32(index) * n + column, BEYOND)
        total = _mad(W(a_values[p]), W(b[place]), total)
    total = total * alpha
    if BETA and beta != 0:
        total = _mad(W(c[at]), beta, total)
    c[at] = T(total)


def _launches(o, traits):
    scalars = {"n": o.n, "k": o.k, "alpha": o.alpha, "beta": o.beta}
    constants = {"T": o.ty, "W": wide(o.ty), "BETA": not isinstance(o.beta, (int, float)) or o.beta != 0}
    constants["BEYOND"] = beyond(o.ty)
    return [part(o, _rows_by_columns, (o.n, o.m), (64,), scalars=scalars, fast=True, **constants)]


def _by_numpy(np, o, a_values, a_indices, a_ptr, b, c):
    a_values, b, c = (summable(np, o.ty, each) for each in (a_values, b, c))
    alpha, beta = (summable(np, o.ty, each) for each in (o.alpha, o.beta))
    rows, found = np.asarray(b).reshape(o.k, o.n), np.zeros((o.m, o.n), b.dtype)
    for i in range(o.m):
        for p in range(int(a_ptr[i]), int(a_ptr[i + 1])):
            found[i] += a_values[p] * rows[int(a_indices[p])]
    found = alpha * found
    return found + beta * c.reshape(o.m, o.n) if o.beta else found


OPERATIONS = (
    TensorOperation(
        "SparseGEMM",
        lambda o: {
            "a_values": None,
            "a_indices": None,
            "a_ptr": o.m + 1,
            "b": o.k * o.n,
            "c": o.m * o.n,
        },
        _launches,
        _by_numpy,
        updated=("c",),
        epilogue="",
    ),
)
