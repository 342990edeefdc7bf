"""Values of an ops namespace with operators, so that definitions read like formulas.

A `Number` holds a value and its type; Python numbers beside it become constants of that type. Comparisons give a
`Truth`. What the operators mean is what the namespace means by its primitives: nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..types import Type
from .tables import TABLES

__all__ = ["Number", "Pair", "Truth", "call_if", "cut", "polynomial", "product", "quick_sum", "table", "two_sum"]

Numeric = Any  # a Number, or a Python number


class Truth:
    """A predicate."""

    __slots__ = ("held", "o")

    def __init__(self, o: Any, held: Any) -> None:
        self.o, self.held = o, held

    def __and__(self, other: Truth) -> Truth:
        return Truth(self.o, self.o.pand(self.held, other.held))

    def __or__(self, other: Truth) -> Truth:
        return Truth(self.o, self.o.por(self.held, other.held))

    def __invert__(self) -> Truth:
        return Truth(self.o, self.o.pnot(self.held))

    def pick(self, a: Numeric, b: Numeric) -> Number:
        """`a` where it holds, else `b`; one of them is a Number."""
        like = a if isinstance(a, Number) else b
        return Number(self.o, like.ty, self.o.select(like.ty, self.held, like.lift(a), like.lift(b)))


def _binary(name: str, *, swapped: bool = False) -> Callable[[Number, Numeric], Number]:
    def method(self: Number, other: Numeric) -> Number:
        a, b = self.held, self.lift(other)
        return Number(self.o, self.ty, getattr(self.o, name)(self.ty, *((b, a) if swapped else (a, b))))

    return method


def _compare(name: str, *, swapped: bool = False) -> Callable[[Number, Numeric], Truth]:
    def method(self: Number, other: Numeric) -> Truth:
        a, b = self.held, self.lift(other)
        return Truth(self.o, getattr(self.o, name)(self.ty, *((b, a) if swapped else (a, b))))

    return method


class Number:
    """A value of a type."""

    __slots__ = ("held", "o", "ty")

    def __init__(self, o: Any, ty: Type, held: Any) -> None:
        self.o, self.ty, self.held = o, ty, held

    def lift(self, other: Numeric) -> Any:
        """The value of an operand of this type."""
        return other.held if isinstance(other, Number) else self.o.const(self.ty, self.ty.encode(other))

    __add__ = __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("sub"), _binary("sub", swapped=True)
    __mul__ = __rmul__ = _binary("mul")
    __truediv__, __rtruediv__ = _binary("div"), _binary("div", swapped=True)
    __and__, __or__, __xor__ = _binary("and_"), _binary("or_"), _binary("xor")
    least, most = _binary("min"), _binary("max")
    __lt__, __gt__ = _compare("lt"), _compare("lt", swapped=True)
    __le__, __ge__ = _compare("le"), _compare("le", swapped=True)
    equals = _compare("eq")

    def _shift(self, name: str, count: Numeric) -> Number:
        amount = count.held if isinstance(count, Number) else self.o.const(Type.U32, count)
        return Number(self.o, self.ty, getattr(self.o, name)(self.ty, self.held, amount))

    def __lshift__(self, count: Numeric) -> Number:
        """By a U32, modulo the width."""
        return self._shift("shl", count)

    def __rshift__(self, count: Numeric) -> Number:
        return self._shift("shr", count)

    def to(self, ty: Type) -> Number:
        """Converted."""
        return Number(self.o, ty, self.o.cvt(ty, self.ty, self.held))

    def as_(self, ty: Type) -> Number:
        """The same bits as another type."""
        return Number(self.o, ty, self.o.bitcast(ty, self.ty, self.held))

    @property
    def bits(self) -> Number:
        """The bits of a float, unsigned."""
        return self.as_(Type.U32 if self.ty.bits == 32 else Type.U64)

    def constant(self, value: float) -> Number:
        """A constant of this type."""
        return Number(self.o, self.ty, self.lift(value))


def call_if(condition: Truth, name: str, otherwise: Number, *operands: Number) -> Number:
    """The function of that name (`ROUTINES`) where the condition holds, else `otherwise`: for what is rare and long."""
    held = condition.o.call_if(name, condition.held, otherwise.held, *(operand.held for operand in operands))
    return Number(condition.o, otherwise.ty, held)


def table(name: str, ty: Type) -> tuple[float, ...]:
    return TABLES[name][ty.bits]


def polynomial(name: str, x: Number, times: int = 1) -> Number:
    """The polynomial of that name, by Horner's rule; `times` it, if that is exact."""
    *rest, last = (times * coefficient for coefficient in table(name, x.ty))
    total = x.constant(last)
    for coefficient in reversed(rest):
        total = total * x + coefficient
    return total


# Sums of two numbers, the second far smaller: twice the digits. (Dekker 1971, "A floating-point technique for extending
# the available precision".) There is no fused multiply-add on GPUs, so factors are cut in halves.

Pair = tuple[Number, Number]


def cut(x: Number) -> Number:
    """The upper half of the digits: the product of two such is exact."""
    ty = x.bits.ty
    return (x.bits & (ty.max_value - ((1 << (x.ty.mantissa + 2) // 2) - 1))).as_(x.ty)


def quick_sum(a: Number, b: Number) -> Pair:
    """a + b and what rounding lost, where b is not the greater one."""
    total = a + b
    return total, b - (total - a)


def two_sum(a: Number, b: Number) -> Pair:
    """a + b and what rounding lost."""
    total = a + b
    virtual = total - a
    return total, (a - (total - virtual)) + (b - virtual)


def product(a: Number, b: Number) -> Pair:
    """a * b and what rounding lost."""
    total = a * b
    a1, b1 = cut(a), cut(b)
    a0, b0 = a - a1, b - b1
    return total, ((a1 * b1 - total) + a1 * b0 + a0 * b1) + a0 * b0


def pair_product(a: Pair, b: Pair) -> Pair:
    """The product of two pairs."""
    total, lost = product(a[0], b[0])
    return quick_sum(total, lost + (a[0] * b[1] + a[1] * b[0]))
