"""Lengths of axes that are not known while a function is traced: polynomials of named sizes, each at least 1."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import cached_property
from math import prod
from operator import index
from typing import Any, NamedTuple

from ..errors import TranslateError
from ..plan.formula import Formula
from ..plan.symbols import Symbol

__all__ = ["Size", "UnknownSize", "is_known", "is_symbolic", "of_plan", "of_tensor", "whole"]


class UnknownSize(TranslateError):
    """What a function does depends on a length that is not known while it is traced."""

    def __init__(self, what: str) -> None:
        from .lines import users_line

        super().__init__(
            f"{what}, which is not known while the function is traced: give numbers for lengths that have to be known, "
            "hg.Array[hg.f32, 64, 784]",
            *users_line(),
        )


class _Atom(NamedTuple):
    """A factor: a name, or the text of a formula; `low` is the least that it is, if that is known."""

    text: str
    low: int | None


_Terms = Mapping[tuple[_Atom, ...], int]


class Size:
    """A sum of products of names, and of quotients that are no polynomials. One that is a number is an int: `_made`
    gives that. Comparisons are decided by what names are at least. Two that are written differently are not equal to
    our own code, which then does what is right for all lengths; Python code of the user's is told that nobody knows."""

    __slots__ = ("__dict__", "terms")

    def __init__(self, terms: _Terms) -> None:
        self.terms = terms

    @classmethod
    def named(cls, name: str) -> Size:
        return cls({(_Atom(name, 1),): 1})

    @cached_property
    def formula(self) -> Formula:
        """It, as plans have it."""
        found: Formula | None = None
        for atoms, factor in sorted(self.terms.items(), key=lambda term: (term[1] < 0, -len(term[0]), term[0])):
            each = prod((Formula.of(atom.text) for atom in atoms), start=Formula.of(abs(factor)))
            if found is None:
                found = each if factor > 0 else Formula.of(0) - each
            else:
                found = found + each if factor > 0 else found - each
        assert found is not None
        return found

    @cached_property
    def low(self) -> int | None:
        """What it is at least."""
        total = 0
        for atoms, factor in self.terms.items():
            if not atoms:
                total += factor
            elif factor < 0 or any(atom.low is None or atom.low < 0 for atom in atoms):
                return None
            else:
                total += factor * prod(atom.low or 0 for atom in atoms)
        return total

    # Arithmetic

    def __add__(self, other: Any) -> Any:
        if (terms := _terms(other)) is None:
            return NotImplemented
        return _made(_sum((self.terms, 1), (terms, 1)))

    __radd__ = __add__

    def __neg__(self) -> Any:
        return _made(_sum((self.terms, -1)))

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __sub__(self, other: Any) -> Any:
        if (terms := _terms(other)) is None:
            return NotImplemented
        return _made(_sum((self.terms, 1), (terms, -1)))

    def __rsub__(self, other: Any) -> Any:
        return -(self - other)

    def __mul__(self, other: Any) -> Any:
        if (terms := _terms(other)) is None:
            return NotImplemented
        found: dict[tuple[_Atom, ...], int] = {}
        for atoms, factor in self.terms.items():
            for more, by in terms.items():
                key = tuple(sorted((*atoms, *more)))
                found[key] = found.get(key, 0) + factor * by
        return _made(found)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return NotImplemented if _terms(other) is None else _divided(self, other, "//")

    def __rfloordiv__(self, other: Any) -> Any:
        return NotImplemented if _terms(other) is None else _divided(other, self, "//")

    def __mod__(self, other: Any) -> Any:
        return NotImplemented if _terms(other) is None else self - self // other * other

    def __rmod__(self, other: Any) -> Any:
        return NotImplemented if _terms(other) is None else other - other // self * self

    def ceildiv(self, by: Any) -> Any:
        """It by a number, rounded up."""
        return _divided(self, by, "ceildiv")

    def at_least(self, least: int) -> Any:
        if self.low is not None and self.low >= least:
            return self
        return _made({(_Atom(str(Formula.max(self.formula, least)), least),): 1})

    def at_most(self, most: int) -> Any:
        return _made({(_Atom(str(Formula.min(self.formula, most)), None),): 1})

    def __truediv__(self, other: Any) -> Any:
        return self._array() / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self._array()

    def _array(self) -> Any:
        """It as an Array without axes."""
        from .array import array_of
        from .tracing import executor_here

        return array_of(self, executor_here())

    # Comparisons

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Size) and self.terms == other.terms:
            return True
        terms = _terms(other)
        if terms is not None and not _is_ours(sys._getframe(1)):
            away = _made(_sum((self.terms, 1), (terms, -1)))
            if not (_is_above(away, 0) or _is_above(-away, 0)):
                raise UnknownSize(f"whether {self} is {other} depends on {self}")
        return False

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __lt__(self, other: Any) -> bool:
        return _above(other, self, 0)

    def __gt__(self, other: Any) -> bool:
        return _above(self, other, 0)

    def __le__(self, other: Any) -> bool:
        return _above(other, self, -1)

    def __ge__(self, other: Any) -> bool:
        return _above(self, other, -1)

    def __bool__(self) -> bool:
        return _is_above(-self, 0) or _above(self, 0, 0)

    def __index__(self) -> int:
        raise UnknownSize(f"the number {self} is needed here")

    __int__ = __float__ = __index__

    def __str__(self) -> str:
        return str(self.formula)

    __repr__ = __str__


def _is_ours(frame: Any) -> bool:
    """Whether code of this package runs."""
    return bool(str(frame.f_globals.get("__name__", "")).partition(".")[0] == __name__.partition(".")[0])


def _terms(value: Any) -> _Terms | None:
    if isinstance(value, Size):
        return value.terms
    return {(): value} if isinstance(value, int) and not isinstance(value, bool) else None


def _sum(*parts: tuple[_Terms, int]) -> dict[tuple[_Atom, ...], int]:
    found: dict[tuple[_Atom, ...], int] = {}
    for terms, sign in parts:
        for atoms, factor in terms.items():
            found[atoms] = found.get(atoms, 0) + sign * factor
    return found


def _made(terms: _Terms) -> Any:
    """An int, if it is one."""
    there = {atoms: factor for atoms, factor in terms.items() if factor}
    return there.get((), 0) if not any(there) else Size(there)


def _is_above(value: Any, than: int) -> bool:
    """Whether it is known to be."""
    low = value if isinstance(value, int) else value.low
    return low is not None and low > than


def _above(a: Any, b: Any, than: int) -> bool:
    """Whether a - b is above a number. Raises UnknownSize."""
    away = a - b
    if _is_above(away, than):
        return True
    if _is_above(-away, -than - 1):
        return False
    raise UnknownSize(f"what is done depends on whether {a} is above {b}")


def _leading(terms: _Terms) -> tuple[_Atom, ...]:
    return max(terms, key=lambda atoms: (len(atoms), atoms))


def _divided(a: Any, b: Any, operator: str) -> Any:
    """a // b or ceildiv(a, b): the polynomial as far as there is one, and the rest of it as a formula."""
    quotient: Any = 0
    rest, by = a, _terms(b)
    assert by is not None
    lead = _leading(by)
    while rest != 0:
        terms = _terms(rest)
        assert terms is not None
        first = _leading(terms)
        left = list(first)
        for atom in lead:
            if atom in left:
                left.remove(atom)
        if len(left) + len(lead) != len(first) or terms[first] % by[lead]:
            break
        part = _made({tuple(left): terms[first] // by[lead]})
        quotient, rest = quotient + part, rest - part * b
    if rest == 0:
        return quotient
    if operator == "//" and _is_above(rest, -1) and _is_above(b - rest, 0):
        return quotient
    formula = _formula(rest).with_(operator, _formula(b))
    low = None
    if _is_above(b, 0) and _is_above(rest, -1):
        low = 1 if operator == "ceildiv" and _is_above(rest, 0) else 0
    return quotient + Size({(_Atom(str(formula), low),): 1})


def _formula(value: Any) -> Formula:
    return value.formula if isinstance(value, Size) else Formula.of(value)


def whole(value: Any) -> int:
    """`operator.index`, which lets lengths be that are not known."""
    return value if isinstance(value, Size) else index(value)  # type: ignore[return-value]


def is_known(length: Any) -> bool:
    """Whether a length is a number."""
    return not isinstance(length, Size)


def is_symbolic(lengths: Iterable[Any]) -> bool:
    """Whether some of them are not known."""
    return any(isinstance(length, Size) for length in lengths)


def of_plan(number: Any) -> Any:
    """A number as plans take it: a formula where it is not known."""
    return number.formula if isinstance(number, Size) else number


def of_tensor(number: Any) -> Any:
    """A number, or a tuple of some, as operations of the tensor library take it."""
    if isinstance(number, tuple):
        return tuple(map(of_tensor, number))
    return Symbol(number.formula, natural=_is_above(number, -1)) if isinstance(number, Size) else number
