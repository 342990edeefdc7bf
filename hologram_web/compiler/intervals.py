"""Intervals of integers whose ends are nodes of conditions, and what operations make of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..isa.types import Type
from .ir import Node

if TYPE_CHECKING:
    from .bounds import Bounds

__all__ = ["ONE_SIDED", "POSITIONS", "RULES", "Interval", "either", "union"]

_HALF = 1 << 31


class Interval(NamedTuple):
    """From `lo` to `hi`, if all `conditions` hold; `low` and `high` are bounds of the ends for every launch."""

    lo: Node
    hi: Node
    low: int
    high: int
    conditions: tuple[Node, ...] = ()


def union(*several: tuple[Node, ...]) -> tuple[Node, ...]:
    """All of them once, in order: code must not depend on where nodes lie in memory."""
    return tuple(dict.fromkeys(node for nodes in several for node in nodes))


def either(of: Bounds, a: Interval, b: Interval) -> Interval:
    lo, hi = of.op("min", a.lo, b.lo), of.op("max", a.hi, b.hi)
    return Interval(lo, hi, min(a.low, b.low), max(a.high, b.high), union(a.conditions, b.conditions))


def _sum(of: Bounds, a: Interval, b: Interval) -> Interval:
    lo, hi = of.op("add", a.lo, b.lo), of.op("add", a.hi, b.hi)
    return Interval(lo, hi, a.low + b.low, a.high + b.high, union(a.conditions, b.conditions))


def _difference(of: Bounds, a: Interval, b: Interval) -> Interval:
    lo, hi = of.op("sub", a.lo, b.hi), of.op("sub", a.hi, b.lo)
    return Interval(lo, hi, a.low - b.high, a.high - b.low, union(a.conditions, b.conditions))


def _product(of: Bounds, a: Interval, b: Interval) -> Interval | None:
    """Of numbers that are not negative, and below 2**31 if nothing else keeps the product in 62 bits."""
    if a.high * b.high >= 1 << 62:
        a, b = of.within(a, -_HALF, _HALF), of.within(b, -_HALF, _HALF)
    a, b = of.within(a, 0, a.high), of.within(b, 0, b.high)
    lo, hi = of.op("mul", a.lo, b.lo), of.op("mul", a.hi, b.hi)
    return Interval(lo, hi, a.low * b.low, a.high * b.high, union(a.conditions, b.conditions))


def _shifted(of: Bounds, a: Interval, b: Interval) -> Interval | None:
    if b.low != b.high or not 0 <= b.low < 31:
        return None
    factor = of.const(1 << b.low)
    return _product(of, a, Interval(factor, factor, 1 << b.low, 1 << b.low))


def _cut(of: Bounds, a: Interval, b: Interval) -> Interval | None:
    """Of the quotient by a power of two, such as in `range(n // 4)`."""
    if b.low != b.high or not 0 < b.low < 8:
        return None
    count = of.node("const", Type.U32, attr=b.low)
    lo, hi = of.op("shr", a.lo, count), of.op("shr", a.hi, count)
    return Interval(lo, hi, a.low >> b.low, a.high >> b.low, a.conditions)


def _smaller(of: Bounds, a: Interval, b: Interval) -> Interval:
    lo, hi = of.op("min", a.lo, b.lo), of.op("min", a.hi, b.hi)
    return Interval(lo, hi, min(a.low, b.low), min(a.high, b.high), union(a.conditions, b.conditions))


def _greater(of: Bounds, a: Interval, b: Interval) -> Interval:
    lo, hi = of.op("max", a.lo, b.lo), of.op("max", a.hi, b.hi)
    return Interval(lo, hi, max(a.low, b.low), max(a.high, b.high), union(a.conditions, b.conditions))


def _remainder(of: Bounds, a: Interval, b: Interval) -> Interval | None:
    """Of numbers that are not negative; a divisor of zero is a fault before."""
    if a.low < 0 or b.low < 0:
        return None
    hi = of.op("max", of.op("min", a.hi, of.plus(b.hi, -1)), of.const(0))
    return Interval(of.const(0), hi, 0, max(min(a.high, b.high - 1), 0), union(a.conditions, b.conditions))


def _beside_quotient(of: Bounds, a: Interval, b: Interval) -> Interval | None:
    """A remainder a - a / b * b, which is a where a lane goes on after its division by zero."""
    if b.lo.is_const and b.low < 1:
        return None if a.low < 0 else a._replace(lo=of.const(0), low=0, conditions=union(a.conditions, b.conditions))
    return _remainder(of, a, of.within(b, 1, b.high))


def _masked(of: Bounds, a: Interval, b: Interval) -> Interval | None:
    if a.low < 0 or b.low < 0:
        return None
    return Interval(of.const(0), of.op("min", a.hi, b.hi), 0, min(a.high, b.high), union(a.conditions, b.conditions))


POSITIONS = frozenset({"add", "sub", "mul", "shl", "cvt"})  # what the place of an element is made of
ONE_SIDED = frozenset({"min", "max", "rem", "remainder", "and"})  # one side is enough
RULES: dict[str, Callable[..., Interval | None]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "shl": _shifted,
    "shr": _cut,
    "min": _smaller,
    "max": _greater,
    "rem": _remainder,
    "remainder": _beside_quotient,
    "and": _masked,
    "select": either,
    "cvt": lambda of, a: a,
}
