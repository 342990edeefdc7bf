"""What values with parts are made of, for the generator and for the oracle."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from .numbers import BOOL, Ty

__all__ = ["Form", "annotation", "complex_of", "leaves", "record", "registers", "tuple_of", "vector"]


class Form(NamedTuple):
    """A vector, a complex number, an array in registers, a tuple or a record ("named", "frozen", "open": a NamedTuple,
    a frozen dataclass and one that is not): its parts, and how each is written behind the value."""

    kind: str
    name: str
    parts: tuple[tuple[str, Ty | Form], ...]

    @property
    def ty(self) -> Ty:
        """The type of all numbers, of those that have one."""
        found = self.parts[0][1]
        assert isinstance(found, Ty)
        return found

    @property
    def is_record(self) -> bool:
        return self.kind in ("named", "frozen", "open")


def vector(ty: Ty, size: int) -> Form:
    return Form("vector", f"vec{size}", tuple((f".{axis}", ty) for axis in "xyzw"[:size]))


def complex_of(ty: Ty) -> Form:
    return Form("complex", f"complex{2 * ty.bits}", ((".real", ty), (".imag", ty)))


def registers(ty: Ty, shape: tuple[int, ...]) -> Form:
    places = product(*map(range, shape))
    text = str(shape[0] if len(shape) == 1 else shape)
    return Form("registers", text, tuple((f"[{', '.join(map(str, place))}]", ty) for place in places))


def tuple_of(*parts: Ty | Form) -> Form:
    return Form("tuple", "", tuple((f"[{number}]", part) for number, part in enumerate(parts)))


def record(kind: str, name: str, fields: list[tuple[str, Ty | Form]]) -> Form:
    return Form(kind, name, tuple((f".{field}", part) for field, part in fields))


def leaves(form: Ty | Form) -> Iterator[tuple[str, Ty]]:
    """The numbers of a value, and how each is written behind it."""
    if isinstance(form, Ty):
        yield "", form
    else:
        for path, part in form.parts:
            for behind, ty in leaves(part):
                yield path + behind, ty


def annotation(form: Ty | Form) -> str:
    """As a type of a field or of elements."""
    if isinstance(form, Ty):
        return "bool" if form is BOOL else f"hg.{form.name}"
    if form.kind == "vector":
        return f"hg.{form.name}[hg.{form.ty.name}]"
    return f"hg.{form.name}" if form.kind == "complex" else form.name
