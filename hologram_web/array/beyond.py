"""What NumPy has and the standard has not, by NumPy's names and with NumPy's order of arguments."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ..errors import LaunchError
from ..isa.types import Type
from .array import Array, array_of, mapped
from .creation import arange, array_like, full, linspace
from .fitting import check_widths
from .functions import broadcast_to, clip, concat, conj, flip, moveaxis, result_type, sort, where
from .linalg import diagonal, matrix_norm, vector_norm
from .node import misfit
from .quantiles import median, percentile, quantile
from .sets import nonzero, searchsorted
from .summed import einsum
from .types import kind_of

__all__ = ["BEYOND"]

_Axes = int | tuple[int, ...] | None


def _beside(value: Any, x: Array) -> Array:
    return value if isinstance(value, Array) else array_of(value, x.executor)


def _floating(x: Array) -> Array:
    return x.astype(result_type(x.dtype, Type.F32))


# Arrangement


def split(x: Array, parts: int | Sequence[int], axis: int = 0) -> list[Array]:
    """So many parts of the same length along an axis, or parts that begin at numbers. Raises LaunchError."""
    at = x._axis(axis)
    if isinstance(parts, int) and x.shape[at] % parts:
        raise misfit("split", "x", x.shape, at, f"a multiple of {parts} is expected")
    return array_split(x, parts, axis)


def array_split(x: Array, parts: int | Sequence[int], axis: int = 0) -> list[Array]:
    """The same; where a number of parts does not divide the length, the first ones are longer by one."""
    at = x._axis(axis)
    length = x.shape[at]
    if isinstance(parts, int):
        size, longer = divmod(length, parts)
        parts = [number * size + builtins.min(number, longer) for number in range(1, parts)]
    ends = [0, *parts, length]
    return [x[(slice(None),) * at + (slice(first, last),)] for first, last in pairwise(ends)]


def swapaxes(x: Array, axis1: int, axis2: int) -> Array:
    """Two axes exchanged."""
    order = list(range(x.ndim))
    first, second = x._axis(axis1), x._axis(axis2)
    order[first], order[second] = second, first
    return x.transpose(order)


def rot90(x: Array, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """Turned by right angles, from the first of two axes towards the second."""
    first, second = axes
    match k % 4:
        case 1:
            return swapaxes(flip(x, axis=second), first, second)
        case 2:
            return flip(x, axis=(first, second))
        case 3:
            return flip(swapaxes(x, first, second), axis=second)
    return x


def _at_least(least: int) -> Callable[..., Any]:
    def call(*given: Any) -> Any:
        found = []
        for each in map(array_like, given):
            x = each.reshape(1) if not each.ndim else each
            x = x[None] if x.ndim < builtins.min(least, 2) else x
            found.append(x[..., None] if x.ndim < least else x)
        return found[0] if len(found) == 1 else tuple(found)

    return call


def pad(x: Array, pad_width: Any, mode: str = "constant", *, constant_values: float = 0) -> Array:
    """With so many elements of a value before and behind each axis. Raises LaunchError for another mode."""
    if mode != "constant":
        raise LaunchError(f"pad has the mode 'constant', not {mode!r}")
    if isinstance(pad_width, int):
        pad_width = (pad_width, pad_width)
    widths = [tuple(each) if isinstance(each, Sequence) else (each, each) for each in pad_width]
    if isinstance(pad_width[0], int):
        widths = [tuple(pad_width)]
    widths = widths * x.ndim if len(widths) == 1 else widths
    check_widths(x, widths, "pad_width")
    for axis, (before, behind) in enumerate(widths):
        ends = [
            full((*x.shape[:axis], count, *x.shape[axis + 1 :]), constant_values, dtype=x.dtype, device=x.executor)
            for count in (before, behind)
        ]
        x = concat([ends[0], x, ends[1]], axis=axis)
    return x


def kron(a: Array, b: Any) -> Array:
    """Of each element of a a copy of b, times it."""
    b = _beside(b, a)
    rank = builtins.max(a.ndim, b.ndim)
    outer, inner = ((1,) * (rank - each.ndim) + each.shape for each in (a, b))
    left = a.reshape([n for length in outer for n in (length, 1)])
    right = b.reshape([n for length in inner for n in (1, length)])
    found: Array = left * right
    return found.reshape([m * n for m, n in zip(outer, inner, strict=True)])


# Products


def inner(a: Array, b: Any) -> Array:
    """Sums of products along the last axes."""
    b = _beside(b, a)
    return a @ (b if b.ndim == 1 else moveaxis(b, -1, -2))


def vdot(a: Array, b: Any) -> Array:
    """The sum of products of all elements, with those of a conjugated."""
    return conj(a).ravel() @ _beside(b, a).ravel()


def outer(a: Array, b: Any) -> Array:
    """Products of each of a and each of b."""
    return a.reshape(-1, 1) * _beside(b, a).reshape(1, -1)


def convolve(a: Array, v: Any, mode: str = "full") -> Array:
    """Sums of products of one vector and the other one, turned, at each place where they meet."""
    v = _beside(v, a)
    a, v = (a, v) if a.size >= v.size else (v, a)
    n, m = a.size, v.size
    rows = pad(a, m - 1)[arange(n + m - 1, device=a.executor)[:, None] + arange(m, device=a.executor)]
    whole = (rows * flip(v)).sum(axis=1)
    first, last = {"full": (0, n + m - 1), "same": ((m - 1) // 2, (m - 1) // 2 + n), "valid": (m - 1, n)}[mode]
    return whole[first:last]


def norm(x: Array, ord: Any = None, axis: _Axes = None, keepdims: bool = False) -> Array:
    """`numpy.linalg.norm`: of all elements, of vectors along an axis, or of matrices along two."""
    if ord is None:
        return vector_norm(x, axis=axis, keepdims=keepdims)
    if isinstance(axis, tuple) or (axis is None and x.ndim == 2):
        first, second = axis if isinstance(axis, tuple) else (0, 1)
        found = matrix_norm(moveaxis(x, (first, second), (-2, -1)), ord=ord, keepdims=keepdims)
        return moveaxis(found, (-2, -1), (first, second)) if keepdims else found
    return vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)


# Statistics


def ptp(x: Array, axis: _Axes = None, *, keepdims: bool = False) -> Array:
    """The greatest less the least."""
    return x.max(axis=axis, keepdims=keepdims) - x.min(axis=axis, keepdims=keepdims)


def average(x: Array, axis: _Axes = None, weights: Any = None, *, keepdims: bool = False) -> Array:
    """The mean, by weights of elements, or of places along an axis."""
    if weights is None:
        return _floating(x).mean(axis=axis, keepdims=keepdims)
    w = _beside(weights, x)
    if w.ndim == 1 and isinstance(axis, int):
        w = w.reshape([-1 if at == x._axis(axis) else 1 for at in range(x.ndim)])
    w = broadcast_to(w, x.shape)
    return (x * w).sum(axis=axis, keepdims=keepdims) / w.sum(axis=axis, keepdims=keepdims)


def _some(x: Array, instead: float) -> Array:
    return where(mapped("isnan", x), instead, x) if kind_of(x.dtype) in "fc" else x


def nansum(x: Array, axis: _Axes = None, *, keepdims: bool = False) -> Array:
    """The sum without NaN."""
    return _some(x, 0.0).sum(axis=axis, keepdims=keepdims)


def nanmean(x: Array, axis: _Axes = None, *, keepdims: bool = False) -> Array:
    """The mean without NaN."""
    x = _floating(x)
    return nansum(x, axis, keepdims=keepdims) / (x == x).astype(x.dtype).sum(axis=axis, keepdims=keepdims)


def nanmax(x: Array, axis: _Axes = None, *, keepdims: bool = False) -> Array:
    """The greatest without NaN; of NaN alone -inf."""
    return _some(x, -math.inf).max(axis=axis, keepdims=keepdims)


def nanmin(x: Array, axis: _Axes = None, *, keepdims: bool = False) -> Array:
    """The least without NaN; of NaN alone inf."""
    return _some(x, math.inf).min(axis=axis, keepdims=keepdims)


def nan_to_num(x: Array, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """Numbers for NaN and infinities, by default 0 and the ends of the type."""
    from .. import array_api

    ends = array_api.finfo(x.dtype)
    found = where(x == math.inf, ends.max if posinf is None else posinf, _some(x, nan))
    return where(x == -math.inf, ends.min if neginf is None else neginf, found)


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    """Whether elements are as far apart as rtol of the second one and atol, or the same."""
    x = a if isinstance(a, Array) else _beside(a, b)
    y = _beside(b, x)
    x, y = (_floating(each) for each in (x, y))
    near = (x == y) | (mapped("isfinite", y) & (abs(x - y) <= atol + rtol * abs(y)))
    return near | (mapped("isnan", x) & mapped("isnan", y)) if equal_nan else near


def _rows(x: Array, rowvar: bool) -> Array:
    x = _floating(x)
    x = x.reshape(1, -1) if x.ndim == 1 else x
    return x if rowvar or x.shape[0] == 1 else x.T


def cov(m: Array, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None) -> Array:
    """How rows, or columns, vary together."""
    x = _rows(m, rowvar)
    if y is not None:
        x = concat([x, _rows(_beside(y, x), rowvar)], axis=0)
    away = x - x.mean(axis=1, keepdims=True)
    found = away @ away.T / (x.shape[1] - ((0 if bias else 1) if ddof is None else ddof))
    return found.reshape(()) if found.size == 1 else found


def corrcoef(x: Array, y: Any = None, rowvar: bool = True) -> Array:
    """`cov`, by the deviations."""
    found = cov(x, y, rowvar)
    if not found.ndim:
        return found / found
    deviation = mapped("sqrt", diagonal(found))
    return clip(found / deviation / deviation[:, None], -1.0, 1.0)


def bincount(x: Array, weights: Any = None, minlength: int = 0) -> Array:
    """How often each number from 0 on comes, or the sum of its weights. How many there are has to be read."""
    count = builtins.max(int(x.max()) + 1 if x.size else 0, minlength)
    if weights is None:
        edges = searchsorted(sort(x), arange(count + 1, dtype=x.dtype, device=x.executor))
        return edges[1:] - edges[:-1]
    same = x == arange(count, dtype=x.dtype, device=x.executor)[:, None]
    return where(same, _beside(weights, x), 0.0).sum(axis=1)


def digitize(x: Array, bins: Any, right: bool = False) -> Array:
    """In which of the bins, with ascending edges, elements are."""
    edges = _beside(bins, x).astype(x.dtype)
    return searchsorted(edges, x.ravel(), side="left" if right else "right").reshape(x.shape)


def interp(x: Array, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Array:
    """Between points with ascending xp on straight lines; the ends' values, or those given, outside."""
    knots, values = (_floating(_beside(each, x)) for each in (xp, fp))
    last = knots.size - 1
    at = clip(searchsorted(knots, x.ravel(), side="right") - 1, 0, builtins.max(last - 1, 0)).reshape(x.shape)
    low, high = knots[at], knots[clip(at + 1, 0, last)]
    start = values[at]
    found = start + (values[clip(at + 1, 0, last)] - start) * ((x - low) / where(high > low, high - low, 1.0))
    found = where(x < knots[0], values[0] if left is None else left, found)
    return where(
        x >= knots[last], where(x > knots[last], values[last] if right is None else right, values[last]), found
    )


def histogram(x: Array, bins: int = 10, range: tuple[float, float] | None = None) -> tuple[Array, Array]:
    """How many elements are in each of the bins from the least to the greatest, or of a range, and their edges."""
    from .by_name import OPERATIONS

    return OPERATIONS["histogram"](x, bins, range)  # type: ignore[no-any-return]


def gradient(x: Array, *varargs: float, axis: int | None = None) -> Any:
    """Differences of neighbours by the distance of places, half of those two apart within. A result for each axis."""
    steps = list(varargs) * (x.ndim if len(varargs) == 1 else 1) or [1.0] * x.ndim
    axes = range(x.ndim) if axis is None else [x._axis(axis)]
    found = []
    for at, step in zip(axes, steps, strict=False):
        y = moveaxis(_floating(x), at, 0)
        parts = [(y[1:2] - y[:1]) / step, (y[2:] - y[:-2]) / (2 * step), (y[-1:] - y[-2:-1]) / step]
        found.append(moveaxis(concat(parts, axis=0), 0, at))
    return found[0] if len(found) == 1 else tuple(found)


def trapezoid(y: Array, x: Any = None, dx: float = 1.0, axis: int = -1) -> Array:
    """The area below a line through points."""
    rows = moveaxis(y, axis, -1)
    if x is None:
        return (rows[..., 1:] + rows[..., :-1]).sum(axis=-1) * (dx / 2)
    places = _beside(x, y)
    return ((rows[..., 1:] + rows[..., :-1]) * (places[..., 1:] - places[..., :-1])).sum(axis=-1) / 2


def _stacked(axis: int, least: int) -> Callable[[Sequence[Any]], Array]:
    def call(given: Sequence[Any]) -> Array:
        rows = [_at_least(least)(each) for each in given]
        return concat(rows, axis=0 if axis == 1 and rows[0].ndim == 1 else axis)

    return call


BEYOND: dict[str, Callable[..., Any]] = {
    **{made.__name__: made for made in (
        array_split, average, bincount, convolve, corrcoef, cov, digitize, einsum, gradient, histogram, inner, interp,
        isclose, kron, median, nan_to_num, nanmax, nanmean, nanmin, nansum, norm, outer, pad, percentile, ptp, quantile,
        rot90, split, swapaxes, trapezoid, vdot,
    )},
    "flipud": lambda x: flip(x, axis=0),
    "fliplr": lambda x: flip(x, axis=1),
    "flatnonzero": lambda x: nonzero(x.ravel())[0],
    "hsplit": lambda x, parts: split(x, parts, 1 if x.ndim > 1 else 0),
    "vsplit": lambda x, parts: split(x, parts, 0),
    "linspace": lambda start, stop, num=50: _between(start, stop, num),
    "vstack": _stacked(0, 2),
    "hstack": _stacked(1, 1),
    **{f"atleast_{least}d": _at_least(least) for least in (1, 2, 3)},
}  # fmt: skip


def _between(start: Any, stop: Any, num: int) -> Array:
    """`linspace` of arrays: a first axis goes from one to the other."""
    x = start if isinstance(start, Array) else stop
    first, last = _beside(start, x), _beside(stop, x)
    parts = linspace(0.0, 1.0, num, device=x.executor).reshape([num] + [1] * x.ndim)
    return where(parts == 1.0, last, first + (last - first) * parts)
