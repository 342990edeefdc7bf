"""Quantiles: what NumPy has of statistics that the standard has not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from operator import index
from typing import Any

from ..errors import LaunchError
from ..isa.types import Type
from .array import Array, mapped
from .functions import moveaxis, result_type, sort, stack

__all__ = ["median", "percentile", "quantile"]

_Axes = int | tuple[int, ...] | None

# Between the elements below and above, which part of the way a method goes.
_METHODS: dict[str, Callable[[float], float]] = {
    "linear": lambda part: part,
    "lower": lambda part: 0.0,
    "higher": lambda part: math.ceil(part),
    "midpoint": lambda part: 0.5 if part else 0.0,
}


def quantile(x: Array, q: Any, /, *, axis: _Axes = None, method: str = "linear", keepdims: bool = False) -> Array:
    """The elements at parts q (a number, or several) of the way from the least to the greatest along axes, and between
    two neighbours by the method: linear, lower, higher, midpoint. A row with a NaN has NaN. Several q are a first axis.
    Integers are taken for F32. Raises LaunchError."""
    if method not in _METHODS:
        raise LaunchError(f"no method {method!r}; there are {', '.join(_METHODS)}")
    asked = [float(each) for each in q] if _several(q) else [float(q)]
    if not all(0 <= each <= 1 for each in asked):
        raise LaunchError(f"quantiles are from 0 to 1, and {next(q for q in asked if not 0 <= q <= 1):g} is asked for")
    axes = sorted(
        x._axis(each) for each in (range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis)
    )
    kept = [length for at, length in enumerate(x.shape) if at not in axes]
    rows = moveaxis(x, axes, range(-len(axes), 0)).reshape(*kept, -1) if axes else x.expand_dims(-1)
    ordered, n = sort(rows.astype(result_type(x.dtype, Type.F32))), index(rows.shape[-1])
    if not n:
        raise LaunchError("no elements have no quantiles")
    found = [_between(ordered, *_place(each, n), method) for each in asked]
    last = ordered[..., n - 1]
    found = [mapped("where", last == last, each, last) for each in found]
    if keepdims:
        found = [each.reshape([1 if at in axes else length for at, length in enumerate(x.shape)]) for each in found]
    return stack(found) if _several(q) else found[0]


def _several(q: Any) -> bool:
    """Whether it is a list or an array; one of NumPy without axes is none."""
    return isinstance(q, Iterable) and getattr(q, "shape", None) != ()


def _place(q: float, n: int) -> tuple[int, float]:
    """The element below, and which part of the way to the next one."""
    below = min(math.floor(q * (n - 1)), n - 1)
    return below, q * (n - 1) - below


def _between(ordered: Array, below: int, part: float, method: str) -> Array:
    part = _METHODS[method](part)
    low = ordered[..., below]
    if not part:
        return low  # an infinity may follow
    high = ordered[..., below + 1]
    return high if part == 1 else low + (high - low) * part


def percentile(x: Array, q: Any, /, *, axis: _Axes = None, method: str = "linear", keepdims: bool = False) -> Array:
    """`quantile` of parts of 100."""
    parts = [each / 100 for each in q] if _several(q) else q / 100
    return quantile(x, parts, axis=axis, method=method, keepdims=keepdims)


def median(x: Array, /, *, axis: _Axes = None, keepdims: bool = False) -> Array:
    """The element in the middle, or the mean of two."""
    return quantile(x, 0.5, axis=axis, keepdims=keepdims)
