"""Formulas over named integers: sizes, counts and scalar arguments of a plan.

Text: integers, names, `+ - * //`, parentheses, `ceildiv(a, b)`, `min(a, b)`, `max(a, b)`. A formula is held in postfix
order, so that neither reading nor evaluating recurses. Every number is an integer of at most 53 bits and a sign, the
integers that JavaScript's numbers hold exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Union

from ..errors import LaunchError

__all__ = ["LARGEST", "MAX_STACK", "MAX_TOKENS", "NAME", "OPERATORS", "Formula", "FormulaLike"]

LARGEST = (1 << 53) - 1
MAX_TOKENS = 256
MAX_STACK = 32
NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]{0,127}")

# In the order of the binary form: what it does, and how tightly it binds in text (0: written as a function).
OPERATORS: dict[str, tuple[Callable[[int, int], int], int]] = {
    "+": (lambda a, b: a + b, 1),
    "-": (lambda a, b: a - b, 1),
    "*": (lambda a, b: a * b, 2),
    "//": (lambda a, b: a // b, 2),
    "ceildiv": (lambda a, b: -(-a // b), 0),
    "min": (min, 0),
    "max": (max, 0),
}
_FUNCTIONS = tuple(name for name, (_, binds) in OPERATORS.items() if not binds)
_LEXEME = re.compile(rf"\s*([0-9]{{1,16}}(?![0-9])|{NAME.pattern}|//|[-+*(),]|$)")
_MAX_TEXT = 4096

FormulaLike = Union["Formula", str, int]


class Formula:
    """An immutable formula; `code` are its tokens in postfix order: integers, names, operators; `names` its variables.

    Formulas are put together with `+ - * //` and the class's `ceildiv`, `min` and `max`. Raises LaunchError where one
    is not well formed or too large.
    """

    __slots__ = ("_hash", "code", "names")

    def __init__(self, code: tuple[int | str, ...]) -> None:
        depth = deepest = 0
        for token in code:
            depth += -1 if token in OPERATORS else 1
            if depth > deepest:
                deepest = depth
            if depth < 1 or not _is_token(token):
                raise LaunchError(f"a formula is not well formed at {token!r}")
        if depth != 1 or len(code) > MAX_TOKENS or deepest > MAX_STACK:
            raise LaunchError(f"a formula has at most {MAX_TOKENS} parts, nested at most {MAX_STACK} deep")
        self.code = code
        self.names = tuple(dict.fromkeys(t for t in code if isinstance(t, str) and t not in OPERATORS))
        self._hash = hash(code)

    @classmethod
    def of(cls, value: FormulaLike) -> Formula:
        """A formula from one, from its text or from an integer. Raises LaunchError."""
        if isinstance(value, Formula):
            return value
        if isinstance(value, str):
            return _parse(value)
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise LaunchError(f"a formula is an integer or a text, not {value!r}")
        return cls((value.__index__(),))

    # What it says

    @property
    def value(self) -> int | None:
        """Its value if it is a constant."""
        return self.code[0] if len(self.code) == 1 and isinstance(self.code[0], int) else None

    @property
    def variable(self) -> str | None:
        """The variable that it is, if it is nothing else."""
        return self.code[0] if len(self.code) == 1 and isinstance(self.code[0], str) else None

    def evaluate(self, values: Mapping[str, int], exact: bool = False) -> int:
        """Raises LaunchError where a variable has no value, a number is too large (not if `exact`), or a divisor is
        zero."""
        if not self.names and len(self.code) == 1:
            return self.code[0]  # type: ignore[return-value]
        stack: list[int] = []
        for token in self.code:
            if isinstance(token, int):
                number = token
            elif token in OPERATORS:
                right, left = stack.pop(), stack.pop()
                if right == 0 and token in ("//", "ceildiv"):
                    raise LaunchError(f"the formula {self} divides by zero{_where(values, self)}")
                number = OPERATORS[token][0](left, right)
            elif token in values:
                number = values[token]
            else:
                raise LaunchError(f"the formula {self} needs {token}: give the argument that has it")
            if not exact and not -LARGEST <= number <= LARGEST:
                raise LaunchError(f"the formula {self} leaves the range of 53 bits{_where(values, self)}")
            stack.append(number)
        return stack[0]

    # Putting together

    def with_(self, operator: str, other: FormulaLike) -> Formula:
        """`self operator other`, folded where that is plain."""
        right = Formula.of(other)
        a, b = self.value, right.value
        if a is not None and b is not None and not (b == 0 and operator in ("//", "ceildiv")):
            number = OPERATORS[operator][0](a, b)
            if abs(number) <= LARGEST:
                return Formula((number,))
        if (b == 0 and operator in ("+", "-")) or (b == 1 and operator in ("*", "//", "ceildiv")):
            return self
        if (a == 0 and operator == "+") or (a == 1 and operator == "*"):
            return right
        if operator in ("min", "max") and self == right:
            return self
        return Formula((*self.code, *right.code, operator))

    def __add__(self, other: FormulaLike) -> Formula:
        return self.with_("+", other)

    def __radd__(self, other: FormulaLike) -> Formula:
        return Formula.of(other).with_("+", self)

    def __sub__(self, other: FormulaLike) -> Formula:
        return self.with_("-", other)

    def __rsub__(self, other: FormulaLike) -> Formula:
        return Formula.of(other).with_("-", self)

    def __mul__(self, other: FormulaLike) -> Formula:
        return self.with_("*", other)

    def __rmul__(self, other: FormulaLike) -> Formula:
        return Formula.of(other).with_("*", self)

    def __floordiv__(self, other: FormulaLike) -> Formula:
        return self.with_("//", other)

    def __rfloordiv__(self, other: FormulaLike) -> Formula:
        return Formula.of(other).with_("//", self)

    @staticmethod
    def ceildiv(left: FormulaLike, right: FormulaLike) -> Formula:
        """left / right, rounded up."""
        return Formula.of(left).with_("ceildiv", right)

    @staticmethod
    def min(left: FormulaLike, right: FormulaLike) -> Formula:
        return Formula.of(left).with_("min", right)

    @staticmethod
    def max(left: FormulaLike, right: FormulaLike) -> Formula:
        return Formula.of(left).with_("max", right)

    def substitute(self, name: str, other: Formula) -> Formula:
        """The formula with another one in the place of a variable."""
        if name not in self.names:
            return self
        parts = (other.code if token == name else (token,) for token in self.code)
        return Formula(tuple(token for part in parts for token in part))

    def __eq__(self, other: object) -> bool:
        """Whether both are written alike (not whether they always have the same value)."""
        return isinstance(other, Formula) and self.code == other.code

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        stack: list[tuple[str, int]] = []
        for token in self.code:
            if not isinstance(token, str) or token not in OPERATORS:
                stack.append((str(token), 3))
                continue
            (right, right_binds), (left, left_binds) = stack.pop(), stack.pop()
            binds = OPERATORS[token][1]
            if not binds:
                stack.append((f"{token}({left}, {right})", 3))
                continue
            left = left if left_binds >= binds else f"({left})"
            right = right if right_binds > binds else f"({right})"
            stack.append((f"{left} {token} {right}", binds))
        return stack[0][0]

    def __repr__(self) -> str:
        return f"Formula({str(self)!r})"


@lru_cache(maxsize=1024, typed=True)  # True is no integer here
def _is_token(token: object) -> bool:
    if isinstance(token, str):
        return token in OPERATORS or NAME.fullmatch(token) is not None
    return type(token) is int and -LARGEST <= token <= LARGEST


def _where(values: Mapping[str, int], formula: Formula) -> str:
    known = ", ".join(f"{name} = {values[name]}" for name in formula.names if name in values)
    return f" with {known}" if known else ""


def _parse(text: str) -> Formula:
    """Reads the text form. Raises LaunchError."""
    if len(text) > _MAX_TEXT:
        raise LaunchError(f"a formula has at most {_MAX_TEXT} characters")
    return Formula(tuple(_Reader(text).whole()))


class _Reader:
    """Reads by precedence; recursion is at most MAX_STACK deep."""

    def __init__(self, text: str) -> None:
        self.text, self.position, self.lexeme = text, 0, ""
        self.next()

    def next(self) -> str:
        """Goes on to the next lexeme ("" at the end); the one before."""
        before, match = self.lexeme, _LEXEME.match(self.text, self.position)
        if match is None:
            raise self.wrong("write integers, names, + - * //, ceildiv(a, b), min(a, b) and max(a, b)")
        self.position, self.lexeme = match.end(), match[1]
        return before

    def wrong(self, what: str) -> LaunchError:
        return LaunchError(f"cannot read the formula {self.text!r} up to column {self.position}: {what}")

    def expect(self, lexeme: str) -> None:
        if self.next() != lexeme:
            raise self.wrong(f"{lexeme!r} is missing")

    def whole(self) -> list[int | str]:
        code = self.expression(0, 0)
        if self.lexeme:
            raise self.wrong(f"{self.lexeme!r} is not expected")
        return code

    def expression(self, binds: int, depth: int) -> list[int | str]:
        if depth > MAX_STACK:
            raise self.wrong(f"it is nested more than {MAX_STACK} deep")
        code = self.operand(depth)
        while OPERATORS.get(self.lexeme, (None, 0))[1] > binds:
            sign = self.next()
            code += [*self.expression(OPERATORS[sign][1], depth + 1), sign]
        return code

    def operand(self, depth: int) -> list[int | str]:
        lexeme = self.next()
        if lexeme.isdecimal():
            return [int(lexeme)]
        if lexeme == "-" and self.lexeme.isdecimal():
            return [-int(self.next())]
        if lexeme == "(":
            code = self.expression(0, depth + 1)
            self.expect(")")
            return code
        if lexeme in _FUNCTIONS:
            self.expect("(")
            left = self.expression(0, depth + 1)
            self.expect(",")
            right = self.expression(0, depth + 1)
            self.expect(")")
            return [*left, *right, lexeme]
        if NAME.fullmatch(lexeme):
            return [lexeme]
        raise self.wrong("a number or a name is missing")
