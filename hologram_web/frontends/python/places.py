"""Where elements of arrays lie, and parts of these: `x[i]`, `p[i].v`, `p[i].v.x`; how they are read and stored.

Elements that have parts are read and stored number by number: no instruction knows them. A number that does not lie
where its type has to, in a packed record, is put together of smaller ones.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...isa.elements import Element, ElementType, Part, bool_
from ...isa.operands import Register
from ...isa.types import Type
from .compounds import AnyValue, Compound, Parts
from .emit import ArrayRef
from .types import INDEX, Value, Weak
from .views import place_named

if TYPE_CHECKING:
    from .expressions import Expressions

__all__ = ["Reach", "Spot", "form_of", "numbers_of", "numbers_of_parts", "parts_named", "spot_of"]


@dataclass(frozen=True)
class Spot:
    """An element of an array, or a part of one, `offset` bytes behind the beginning of the element."""

    array: ArrayRef
    index: ast.expr
    means: ElementType
    offset: int = 0


def spot_of(kernel: Expressions, node: ast.expr) -> Spot | None:
    """The element, or the part of one, that an expression names; None for other things."""
    if not isinstance(node, (ast.Attribute, ast.Subscript)):
        return None
    owner = spot_of(kernel, node.value)
    if owner is not None:
        part = _part(kernel, node, owner.means)
        return None if part is None else replace(owner, means=part.ty, offset=owner.offset + part.offset)
    found = place_named(kernel, node) if isinstance(node, ast.Subscript) else None
    return None if found is None else Spot(*found, found[0].means)


def _part(kernel: Expressions, node: ast.Attribute | ast.Subscript, means: ElementType) -> Part | None:
    """The part of an element that an expression names."""
    if isinstance(means, Type) or not means.parts:
        return None
    form = form_of(means)
    if isinstance(node, ast.Attribute):
        name = form.named(node.attr)
        return None if name is None else means.parts[form.names.index(name)]
    return means.parts[form.place(kernel, node)]


def parts_named(kernel: Expressions, target: ast.expr) -> tuple[Spot, list[Part]] | None:
    """Of `p[i].xy`, which is assigned, the vector, and those of its parts; None for other things."""
    if not isinstance(target, ast.Attribute) or (spot := spot_of(kernel, target.value)) is None:
        return None
    if isinstance(spot.means, Type) or not spot.means.is_vector:
        return None
    names = form_of(spot.means).several(target.attr)
    named = {part.name: part for part in spot.means.parts}
    return (spot, [named[name] for name in names]) if len(set(names)) == len(names) > 1 else None


def numbers_of_parts(
    kernel: Expressions, node: ast.AST, spot: Spot, parts: list[Part], value: AnyValue
) -> list[tuple[Type, int, Register]]:
    """The numbers that are stored where a vector goes to some parts of another one."""
    if not isinstance(value, Parts) or len(value.values) != len(parts):
        have = value.form if isinstance(value, Parts) else value.ty
        kernel.fail(node, f"this is {have}, and here are {len(parts)} parts: assign a vec{len(parts)}")
    pairs = zip(parts, value.values, strict=True)
    return [n for part, v in pairs for n in numbers_of(kernel, node, part.ty, spot.offset + part.offset, v)]


def form_of(element: Element) -> Compound:
    """What an element with parts is as a value."""
    if element.text.startswith("complex"):
        from .complexes import COMPLEX

        return COMPLEX
    if element.is_vector:
        from .componentwise import vector

        return vector(len(element.parts))
    from .records import form_of_element

    return form_of_element(element)


class Reach:
    """The memory of a spot, whose address is computed here. Each number that is read or stored does the checks of the
    indices anew: on WebGPU a check is of the access behind it."""

    def __init__(self, kernel: Expressions, spot: Spot) -> None:
        self._kernel, self._spot = kernel, spot
        self._address = kernel.place_of(spot.array, spot.index)
        # Of numbers only the first access checks: the registers of their indices are free behind it.
        self._checks = kernel.checked if spot.array.element is not None and spot.array.element.parts else []
        self._accesses = 0
        self.index = Value(INDEX, self._address.index)

    def load(self) -> AnyValue:
        """The value there."""
        element = self._spot.array.element
        if element is None or not element.parts:  # one access, which may put the value where the index was
            return self._load(self._spot.means, 0)
        with self._kernel.pinned(self.index):
            value = self._load(self._spot.means, self._spot.offset)
        self._kernel.drop(self.index.reg)
        return value

    def _load(self, means: ElementType, offset: int) -> AnyValue:
        if isinstance(means, Type):
            return Value(means, self._number(means, offset))
        if means is bool_:
            register = self._number(means.storage, offset)
            zero = self._kernel.immediate(means.storage, 0)
            return Value(Weak.BOOL, pred=self._kernel.test("ne", means.storage, register, zero))
        return Parts(form_of(means), tuple(self._load(part.ty, offset + part.offset) for part in means.parts))

    def _number(self, ty: Type, offset: int) -> Register:
        kernel, unit = self._kernel, self._unit(ty, offset)
        if unit is ty:
            return self._read(ty, offset)
        whole, found = ty.unsigned, None
        for place in range(0, ty.size_bytes, unit.size_bytes):
            piece = kernel.convert(whole, unit, self._read(unit, offset + place))
            if place:
                piece = kernel.op("SHL", whole, piece, kernel.immediate(Type.U32, 8 * place))
            found = piece if found is None else kernel.op("OR", whole, found, piece)
        assert found is not None
        return kernel.reinterpret(ty, whole, found)

    def _unit(self, ty: Type, offset: int) -> Type:
        """The largest type in which a number can be read there."""
        element = self._spot.array.element
        bytes_ = ty.alignment if element is None else element.aligned(offset, ty)
        return ty if bytes_ == ty.alignment else Type[f"U{8 * bytes_}"]

    def _read(self, ty: Type, offset: int) -> Register:
        self._check()
        address = replace(self._address, offset=self._address.offset + offset)
        return self._kernel.load(self._spot.array, address, ty)

    def _check(self) -> None:
        if self._accesses:
            for operands in self._checks:
                self._kernel.emit("CHK", *operands)
        self._accesses += 1

    def store(self, numbers: list[tuple[Type, int, Register]]) -> None:
        """Stores numbers at their offsets."""
        kernel = self._kernel
        for ty, offset, register in numbers:
            unit, whole = self._unit(ty, offset), ty.unsigned
            if unit is ty:
                self._write(ty, offset, register)
                continue
            bits = kernel.reinterpret(whole, ty, register, keep=True)
            for place in range(0, ty.size_bytes, unit.size_bytes):
                by = kernel.immediate(Type.U32, 8 * place)
                piece = kernel.op("SHR", whole, bits, by, keep=True)
                self._write(unit, offset + place, kernel.convert(unit, whole, piece))

    def _write(self, ty: Type, offset: int, register: Register) -> None:
        self._check()
        address = replace(self._address, offset=self._address.offset + offset)
        self._kernel.store(self._spot.array, address, register, ty)


def numbers_of(
    kernel: Expressions, node: ast.AST, means: ElementType, offset: int, value: AnyValue
) -> list[tuple[Type, int, Register]]:
    """The numbers that are stored where a value goes, and their offsets. Raises TranslateError for another form."""
    if isinstance(means, Type) or not means.parts:
        if isinstance(value, Parts):
            kernel.no_number(node, value)
        if isinstance(means, Type):
            return [(means, offset, kernel.stored(node, value, means))]
        return [(means.storage, offset, kernel.from_predicate(kernel.truth_of(node, value), means.storage))]
    form = form_of(means)
    value = form.lifted(kernel, node, value) if isinstance(value, Value) else value
    if not isinstance(value, Parts) or value.form.names != form.names:
        have = value.form if isinstance(value, Parts) else value.ty
        kernel.fail(node, f"{have} does not become {form}: store one, or its parts one by one")
    pairs: Any = zip(means.parts, value.values, strict=True)
    return [n for part, inner in pairs for n in numbers_of(kernel, node, part.ty, offset + part.offset, inner)]
