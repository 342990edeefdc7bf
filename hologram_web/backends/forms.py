"""How types, bases and scalars of compiled kernels are kept: forms for store/kept.py."""

from __future__ import annotations

from ..isa.address import Space
from ..isa.types import Type
from ..isa.verify import Base
from ..store.kept import NAME, TEXT, Form, list_of, one_of, record, tuple_of

__all__ = ["BASE", "SCALARS", "TYPE"]

TYPE: Form[Type] = one_of({ty.id: ty for ty in Type}, lambda ty: ty.id)
_SPACE: Form[Space] = one_of({space.value: space for space in Space}, lambda space: int(space.value))
BASE: Form[Base] = record(Base, {"space": _SPACE, "name": NAME})
SCALARS: Form[list[tuple[str, Type]]] = list_of(tuple_of(TEXT, TYPE))
