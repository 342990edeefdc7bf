"""Numbers that are not known when a plan is made, in the place of those that collectives are lowered with."""

from __future__ import annotations

from typing import Any

from ..isa.types import Type
from .formula import Formula
from .plan import Argument

__all__ = ["Factor", "NotExpressible", "Symbol", "as_formula", "number_of"]


class NotExpressible(Exception):
    """A value that is no formula was asked for; the text says why it is none."""


class Symbol:
    """An integer known as a formula.

    `natural` says that it is not negative. Comparing is not expressible, so that code for numbers that decides by them
    does not go wrong silently.
    """

    __slots__ = ("formula", "natural")

    def __init__(self, formula: Formula, natural: bool = False) -> None:
        self.formula, self.natural = formula, natural

    def _with(self, operator: str, other: Any, *, swap: bool = False) -> Symbol:
        if not isinstance(other, (int, Symbol)):
            raise NotExpressible(f"{other!r} is no integer")
        mine, theirs = self.formula, other.formula if isinstance(other, Symbol) else Formula.of(other)
        left, right = (theirs, mine) if swap else (mine, theirs)
        natural = other.natural if isinstance(other, Symbol) else other >= 0
        return Symbol(left.with_(operator, right), natural=self.natural and natural and operator != "-")

    def __add__(self, other: Any) -> Symbol:
        return self._with("+", other)

    def __radd__(self, other: Any) -> Symbol:
        return self._with("+", other, swap=True)

    def __sub__(self, other: Any) -> Symbol:
        return self._with("-", other)

    def __rsub__(self, other: Any) -> Symbol:
        return self._with("-", other, swap=True)

    def __mul__(self, other: Any) -> Symbol:
        return self._with("*", other)

    def __rmul__(self, other: Any) -> Symbol:
        return self._with("*", other, swap=True)

    def __neg__(self) -> Symbol:
        return self._with("-", 0, swap=True)

    def __floordiv__(self, other: Any) -> Symbol:
        return self._with("//", other)

    def __rfloordiv__(self, other: Any) -> Symbol:
        return self._with("//", other, swap=True)

    def ceildiv(self, by: int) -> Symbol:
        return Symbol(Formula.ceildiv(self.formula, by), natural=self.natural)

    def at_least(self, least: int) -> Symbol:
        return Symbol(Formula.max(self.formula, least), natural=self.natural or least >= 0)

    def at_most(self, most: int) -> Symbol:
        return Symbol(Formula.min(self.formula, most), natural=self.natural and most >= 0)

    def __lt__(self, other: Any) -> bool:
        if self.natural and type(other) is int and other <= 0:
            return False
        raise NotExpressible(f"what it does depends on whether {self.formula} is below {other}")

    def _undecided(self, *_: Any) -> Any:
        raise NotExpressible(f"what it does depends on the value of {self.formula}")

    __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = __index__ = __int__ = _undecided
    __hash__ = object.__hash__


class Factor:
    """A number of a type that kernels are handed and that is no formula; comparing is not expressible here, either."""

    __slots__ = ("arg", "ty")

    def __init__(self, arg: Argument, ty: Type) -> None:
        self.arg, self.ty = arg, ty

    def _undecided(self, *_: Any) -> Any:
        raise NotExpressible(f"what it does depends on the value of {self.arg.value}")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = __float__ = __int__ = _undecided
    __hash__ = object.__hash__


def number_of(formula: Formula) -> Any:
    """A number that is not negative."""
    return Symbol(formula, natural=True) if formula.value is None else formula.value


def as_formula(number: Any) -> Formula:
    """The formula of a number. Raises NotExpressible."""
    if isinstance(number, Symbol):
        return number.formula
    if not isinstance(number, int) or abs(number) >> 53:
        raise NotExpressible(f"{number!r} has more than 53 bits")
    return Formula((number,))
