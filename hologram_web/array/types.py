"""Types of results: promotion of types of elements, and of Python's numbers beside them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from ..errors import LaunchError
from ..isa.elements import Element, ElementType, bool_, complex64, complex128
from ..isa.types import Type
from .elementwise import MAPS

__all__ = [
    "NUMBERS", "TypesTogether", "accumulated", "complex_of", "floating", "kind_of", "of_number", "promoted", "real_of",
    "rule_of", "type_of_number",
]  # fmt: skip

NUMBERS = (bool, int, float, complex)  # what has the type of the array beside it

_SIGNED = (Type.I8, Type.I16, Type.I32, Type.I64)


def kind_of(ty: ElementType) -> str:
    """b: bool, i: integer, f: float, c: complex, r: others."""
    if isinstance(ty, Type):
        return "f" if ty.is_float else "i"
    return "b" if ty is bool_ else "c" if ty is complex64 or ty is complex128 else "r"


def real_of(ty: ElementType) -> ElementType:
    """The type of the parts of complex numbers; others are their own."""
    return ty.storage if isinstance(ty, Element) and kind_of(ty) == "c" else ty


def complex_of(ty: ElementType) -> ElementType:
    """Complex numbers that hold a type: of F64 and 64 bits complex128."""
    if kind_of(ty) == "c":
        return ty
    return complex128 if isinstance(ty, Type) and ty.bits >= 64 else complex64


def promoted(a: ElementType, b: ElementType) -> ElementType:
    """The type of an operation on two arrays. Of integers it holds both; a float beside an integer stays, and a complex
    one; F16 and BF16 make F32; U64 and a signed one make F64, as in NumPy."""
    if a is b or b is bool_:
        return a
    if a is bool_:
        return b
    if "c" in (kind_of(a), kind_of(b)):
        parts = [complex_of(ty) for ty in (a, b) if kind_of(ty) != "i"]
        return complex128 if complex128 in parts else complex64
    assert isinstance(a, Type)
    assert isinstance(b, Type)
    if a.is_float or b.is_float:
        if not (a.is_float and b.is_float):
            return a if a.is_float else b
        return Type.F32 if a.bits == b.bits else max(a, b, key=lambda ty: ty.bits)
    if a.is_signed == b.is_signed:
        return max(a, b, key=lambda ty: ty.bits)
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    return next((ty for ty in _SIGNED if ty.bits > unsigned.bits), Type.F64)


def of_number(number: complex, beside: ElementType) -> ElementType:
    """The type that a Python number has beside an array: the array's, if it is of a kind that holds it."""
    if isinstance(number, bool) or (isinstance(number, int) and kind_of(beside) != "b"):
        return beside
    if isinstance(number, int):
        return Type.I32
    return complex_of(beside) if isinstance(number, complex) else floating(beside)


def floating(ty: ElementType) -> ElementType:
    """The type of a division, or of a function of floats: F64 for integers of 64 bits, F32 for others."""
    if kind_of(ty) in "fc":
        return ty
    return Type.F64 if isinstance(ty, Type) and ty.bits >= 64 else Type.F32


def accumulated(ty: ElementType) -> ElementType:
    """The type of a sum or product: of small integers one of 32 bits, of bools I32."""
    if ty is bool_:
        return Type.I32
    if isinstance(ty, Type) and ty.is_integer and ty.bits < 32:
        return Type.I32 if ty.is_signed else Type.U32
    return ty


def type_of_number(number: Any) -> ElementType:
    """The type of an array of a Python number, or of numbers of such a class."""
    cls = number if isinstance(number, type) else type(number)
    if issubclass(cls, bool):
        return bool_
    return Type.I32 if issubclass(cls, int) else Type.F32 if issubclass(cls, float) else complex64


_OF_BOOLS = {
    "bitwise_and": "logical_and", "bitwise_or": "logical_or", "bitwise_xor": "logical_xor",
    "bitwise_invert": "logical_not",
}  # fmt: skip
_OF_FRACTIONS = ("ceil", "floor", "round", "trunc")  # which integers have none of
_NUMBER_OF: dict[Any, Any] = {bool: True, int: 0, float: 0.0, complex: 0j}


class TypesTogether(NamedTuple):
    """How operands of some types go together: the row, the types that they are converted to, the type of the result."""

    op: str | None
    wanted: tuple[ElementType, ...]
    gives: ElementType


@cache
def rule_of(op: str, kinds: tuple[Any, ...]) -> TypesTogether:
    """For operands that are of these types, or Python's numbers of these classes."""
    choice = op == "where"
    common: ElementType | None = None
    for each in kinds[choice:]:
        if not isinstance(each, type):
            common = each if common is None else promoted(common, each)
    for each in kinds[choice:]:
        if isinstance(each, type):
            number = next(_NUMBER_OF[cls] for cls in each.__mro__ if cls in _NUMBER_OF)
            common = type_of_number(each) if common is None else of_number(number, common)
    assert common is not None
    if op in _OF_FRACTIONS and kind_of(common) == "i":
        return TypesTogether(None, (), common)
    op = _OF_BOOLS.get(op, op) if common is bool_ else op
    row = MAPS[op]
    if row.kinds == "b":
        common = bool_
    elif "i" not in row.kinds:
        common = floating(common)
    if kind_of(common) not in row.kinds:
        if kind_of(common) == "b" and "i" in row.kinds:
            common = Type.I32
        else:
            raise LaunchError(f"{op} takes no arrays of {common}")
    gives = {"bool": bool_, "real": real_of(common)}.get(row.gives, common)
    return TypesTogether(op, ((bool_,) if choice else ()) + (common,) * (len(kinds) - choice), gives)
