"""Types of results: promotion of types of elements, and of Python's numbers beside them."""

from __future__ import annotations

from ..isa.elements import ElementType, bool_
from ..isa.types import Type

__all__ = ["accumulated", "floating", "kind_of", "of_number", "promoted"]

_SIGNED = (Type.I8, Type.I16, Type.I32, Type.I64)


def kind_of(ty: ElementType) -> str:
    """b: bool, i: integer, f: float, c: others."""
    if ty is bool_:
        return "b"
    if not isinstance(ty, Type):
        return "c"
    return "f" if ty.is_float else "i"


def promoted(a: ElementType, b: ElementType) -> ElementType:
    """The type of an operation on two arrays. Of integers it holds both; a float beside an integer stays; F16 and BF16
    make F32; U64 and a signed one make F64, as in NumPy."""
    if a is b or b is bool_:
        return a
    if a is bool_:
        return b
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


def of_number(number: bool | int | float, beside: ElementType) -> ElementType:
    """The type that a Python number has beside an array: the array's, if it is of a kind that holds it."""
    if isinstance(number, bool) or (isinstance(number, int) and kind_of(beside) != "b"):
        return beside
    if isinstance(number, int):
        return Type.I32
    return floating(beside)


def floating(ty: ElementType) -> ElementType:
    """The type of a division, or of a function of floats: F64 for integers of 64 bits, F32 for others."""
    if kind_of(ty) == "f":
        return ty
    return Type.F64 if isinstance(ty, Type) and ty.bits >= 64 else Type.F32


def accumulated(ty: ElementType) -> ElementType:
    """The type of a sum or product: of small integers one of 32 bits, of bools I32."""
    if ty is bool_:
        return Type.I32
    assert isinstance(ty, Type)
    if ty.is_integer and ty.bits < 32:
        return Type.I32 if ty.is_signed else Type.U32
    return ty
