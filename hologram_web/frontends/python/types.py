"""Typing rules of the Python frontend: kinds of values, how two of them meet, and what fits where.

| one             | other         | together                                                         |
|-----------------|---------------|------------------------------------------------------------------|
| a literal, bool | a typed value | that type; a float literal and an integer as the integer's float |
| float           | float         | the wider; f16 and bf16 make f32                                 |
| integer         | float         | the integer's float (f32, of 64 bits or more f64), then as floats        |
| integer         | integer       | the wider; of equal width and different signs the signed one     |
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf, isinf
from typing import TYPE_CHECKING, NamedTuple

from ...isa.operands import Predicate, Register
from ...isa.types import Type

if TYPE_CHECKING:
    import ast

__all__ = ["INDEX", "ExactRange", "Value", "ValueKind", "Weak", "default", "fits", "float_of", "join", "loses_sign"]

INDEX = Type.I32  # of ids, lengths and indices


class Weak(Enum):
    """Kinds that adapt to what they meet: truth values, and literals of which only the kind of number is known."""

    BOOL = "bool"
    INT = "int literal"
    FLOAT = "float literal"

    __hash__ = object.__hash__

    def __str__(self) -> str:
        return self.value


ValueKind = Type | Weak


class ExactRange(NamedTuple):
    """The numbers that a value lies between; `node` is the operation that left its type, if one did (spans.py)."""

    low: int
    high: int
    node: ast.AST | None = None


@dataclass(slots=True)
class Value:
    """A value of an expression: a constant, or what a register (of bools: a predicate) holds. `lane` says which of the
    lane's numbers it is, if it is one: "local_id", "block_id", "block_dim", "global_id" or "base", of the block's first
    lane, and along which axis. `span` is what it would be if nothing wrapped, of small integers."""

    ty: ValueKind
    reg: Register | None = None
    const: int | float | None = None
    pred: Predicate | None = None
    lane: tuple[str, int] | None = None
    span: ExactRange | None = None


def float_of(ty: ValueKind) -> ValueKind:
    """The float in which an integer meets floats; floats are their own."""
    if isinstance(ty, Weak):
        return Weak.FLOAT
    return ty if ty.is_float else Type.F64 if ty.bits >= 64 else Type.F32


def join(a: ValueKind, b: ValueKind) -> ValueKind:
    """The type in which two values meet in arithmetic, by the table above."""
    if isinstance(a, Weak) and isinstance(b, Weak):
        return Weak.FLOAT if Weak.FLOAT in (a, b) else Weak.INT
    if isinstance(b, Weak):
        a, b = b, a
    assert isinstance(b, Type)
    if isinstance(a, Weak):
        return float_of(b) if a is Weak.FLOAT else b
    if a.is_float or b.is_float:
        x, y = float_of(a), float_of(b)
        assert isinstance(x, Type)
        assert isinstance(y, Type)
        if x is y:
            return x
        return Type.F32 if x.bits == y.bits else max(x, y, key=lambda ty: ty.bits)
    if a.bits != b.bits:
        return max(a, b, key=lambda ty: ty.bits)
    return a if a.is_signed else b


def loses_sign(a: ValueKind, b: ValueKind) -> bool:
    """Whether two integers differ in sign and their join does not hold all values of both."""
    if isinstance(a, Weak) or isinstance(b, Weak) or a.is_float or b.is_float or a.is_signed == b.is_signed:
        return False
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    return unsigned.bits >= signed.bits


def default(ty: ValueKind) -> Type:
    """The type of a value that met nothing to adapt to: I32, F32."""
    if isinstance(ty, Type):
        return ty
    return Type.F32 if ty is Weak.FLOAT else INDEX


def fits(number: int | float, ty: Type) -> bool:
    """Whether a literal can be a value of `ty`: numbers have to be in range, floats are rounded. Those of 16
    bits become infinite: functions of any float compare with such numbers."""
    if ty.is_float:
        return ty.bits == 16 or number in (inf, -inf) or not isinf(ty.from_float(ty.to_float(number)))
    return isinstance(number, int) and ty.min_value <= number <= ty.max_value
