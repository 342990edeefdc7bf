"""What shapes operands of functions are to have: errors name an operand by its parameter, its shape, the axis, and what
is expected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .array import Array
from .node import misfit, misshapen
from .sizes import is_known

__all__ = [
    "HEADS", "IMAGES", "check_alike", "check_attention", "check_cache", "check_widths", "check_window", "images",
    "lengths", "number_each", "rows_of",
]  # fmt: skip

IMAGES = "batch, channels, height, width"
HEADS = "batch, heads, positions, size"


def lengths(function: str, x: Array, axes: str, name: str = "x") -> tuple[int, ...]:
    """The lengths of the axes that an array is to have. Raises ArrayShapeError."""
    if x.ndim != axes.count(",") + 1:
        raise misshapen(function, name, x.shape, f"the axes ({axes}) are expected")
    return x.shape


def number_each(function: str, x: Array, axis: int, **factors: Any) -> int:
    """The length of an axis of x, as many elements as factors have, which may be left out. Raises ArrayShapeError."""
    n = x.shape[axis]
    for key, array in factors.items():
        if isinstance(array, Array) and array.size != n and is_known(array.size) and is_known(n):
            raise misshapen(function, key, array.shape, f"{n} elements, as axis {axis} of x {x.shape}, are expected")
    return n


def rows_of(function: str, x: Array, **factors: Array) -> int:
    """The length of rows, whose elements have a factor each. Raises ArrayShapeError."""
    if not x.ndim:
        raise misshapen(function, "x", x.shape, "an axis at least is expected")
    return number_each(function, x, -1, **factors)


def images(function: str, x: Array, **factors: Array) -> dict[str, int]:
    """How many images, channels, which have a factor each, and pixels there are. Raises ArrayShapeError."""
    if x.ndim < 2:
        raise misshapen(function, "x", x.shape, "the axes (batch, channels, ...) are expected")
    number_each(function, x, 1, **factors)
    return {"batch": x.shape[0], "channels": x.shape[1], "spatial": math.prod(x.shape[2:])}


def check_window(function: str, x: Array, axis: int, size: int, stride: int, dilation: int, padding: int) -> None:
    """Raises ArrayShapeError where an image with its padding is shorter than a window by more than a stride: there
    would be fewer places than none."""
    n, reach = x.shape[axis], dilation * (size - 1) + 1
    if all(map(is_known, (n, reach, padding))) and n + padding + stride < reach:
        raise misfit(function, "x", x.shape, axis, f"{reach - padding} at least, for a window of {reach}, is expected")


def check_widths(x: Array, widths: Sequence[tuple[int, int]], name: str) -> None:
    """Raises ArrayShapeError where there is not a pair of widths, from 0 on, for each axis."""
    if len(widths) != x.ndim:
        raise misshapen("pad", "x", x.shape, f"as many axes as {name} has pairs, {len(widths)}, are expected")
    for axis, each in enumerate(widths):
        if any(is_known(count) and count < 0 for count in each):
            raise misfit("pad", "x", x.shape, axis, f"0 or more before and behind are expected, not {tuple(each)}")


def check_alike(function: str, given: list[Array], but: int | None = None) -> None:
    """Raises ArrayShapeError where an array has another shape than the first one, but for one axis."""
    first = given[0].shape
    for number, each in enumerate(given):
        shape, name, like = each.shape, f"array {number}", f"as in array 0 {first}, is expected"
        if len(shape) != len(first):
            raise misshapen(function, name, shape, f"{len(first)} axes, {like}")
        for axis, (n, wanted) in enumerate(zip(shape, first, strict=True)):
            if axis != but and n != wanted:
                raise misfit(function, name, shape, axis, f"{wanted}, {like}")


def check_attention(function: str, query: Array, key: Array, value: Array, mask: Any) -> None:
    """Raises ArrayShapeError."""
    lengths(function, query, HEADS, "query")
    for name, x, like, other in (("key", key, "query", query), ("value", value, "key", key)):
        lengths(function, x, HEADS, name)
        for axis in (0, 1, 3) if like == "query" else range(4):
            if x.shape[axis] != (n := other.shape[axis]):
                raise misfit(function, name, x.shape, axis, f"{n}, as in {like} {other.shape}, is expected")
    wanted = query.shape[2], key.shape[2]
    if isinstance(mask, Array) and all(map(is_known, (*wanted, mask.size))) and mask.size != math.prod(wanted):
        raise misshapen(function, "mask", mask.shape, f"{wanted}, axis 2 of query and of key, is expected")


def check_cache(function: str, cache: Array, new: Array, rows: Array, position: int) -> None:
    """Raises ArrayShapeError where `new`, with an axis of positions as `rows`, does not fit into a cache."""
    lengths(function, cache, HEADS, "cache")
    lengths(function, rows, HEADS, "new")
    for axis, wanted in enumerate(cache.shape):
        if axis != 2 and rows.shape[axis] != wanted:
            own = axis - (axis > 2 and new.ndim == 3)
            raise misfit(
                function, "new", new.shape, own, f"{wanted}, as axis {axis} of cache {cache.shape}, is expected"
            )
    last = position + rows.shape[2]
    if position < 0 or last > cache.shape[2]:
        raise misfit(function, "cache", cache.shape, 2, f"positions {position} to {last - 1} are asked for")
