"""Forms of values with parts: what the parts are called, how messages show them, and what operators mean.

A form is one entry here or in a module of its own; what variables, branches, loops, functions and conditional
expressions do with parts is in parts.py, the same for all forms.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from ...errors import TranslateError
from ...isa.elements import Element
from ...isa.types import Type
from .names import VectorName
from .source import MISSING, Source
from .types import Value

if TYPE_CHECKING:
    from .calls import Calls
    from .expressions import Expressions
    from .parts import PartValues

__all__ = [
    "METHODS_OF_PARTS",
    "AnyValue",
    "Compound",
    "Parts",
    "PartsType",
    "Tuple",
    "parts_type",
    "resolved",
    "tuple_of",
]

METHODS_OF_PARTS = ("conj", "conjugate", "_replace")


@dataclass(frozen=True)
class Compound:
    """Values whose parts have these names, which are attributes, or indices: "0", of two axes "0,1"."""

    names: tuple[str, ...]
    uniform: ClassVar[bool] = False  # all parts have one type
    mutable: ClassVar[bool] = False  # parts are assigned
    lifts: ClassVar[bool] = False  # a number stands for one
    indexed: ClassVar[bool] = True  # v[0] is a part, and v is unpacked and looped over

    def key(self, key: str, name: str) -> str:
        """Under which name the type of a part is kept, of a variable whose own is kept under `key`."""
        return f"{key}.{'*' if self.uniform else name}"

    def advice(self, text: str) -> str:
        """What to write where a number is needed."""
        return f"take one part, {text}[0]" if self.indexed else f"take one part, {text}.{self.names[0]}"

    def lifted(self, kernel: PartValues, node: ast.AST, value: Value) -> AnyValue:
        """A number where one of this form is wanted: itself, or the value of this form that it stands for."""
        return value

    def attribute(self, kernel: Expressions, node: ast.Attribute, parts: tuple[AnyValue, ...]) -> AnyValue:
        """`v.name` of what is no part's name."""
        self.no_attribute(kernel, node)

    def no_attribute(self, kernel: Expressions, node: ast.Attribute) -> NoReturn:
        listed = "has [0], [1] and so on" if self.indexed else f"has {', '.join(self.names)}"
        kernel.fail(node, f"there is no {node.attr}: {ast.unparse(node.value)} is {self}, which {listed}")

    def named(self, name: str) -> str | None:
        """The part that is the attribute of this name."""
        return name if name in self.names else None

    def several(self, name: str) -> list[str]:
        """The parts that `v.name` is, where they are several."""
        return []

    def declared(self) -> Type | None:
        """The type of the parts, where it is a part of the form."""
        return None

    def holding(self, values: tuple[AnyValue, ...]) -> Compound:
        """The form of a value with these parts, computed from those of this form."""
        return self

    def place(self, kernel: Expressions, node: ast.Subscript) -> int:
        """Which part `v[i]` is."""
        owner = ast.unparse(node.value)
        return kernel.known_index(node.slice, f"the index into {owner}", "part", owner, len(self.names))

    def elements(self, value: Parts) -> tuple[AnyValue, ...]:
        """What a loop over it goes over, and what it is unpacked to."""
        return value.values

    def binary(self, kernel: Expressions, node: ast.AST, operator: ast.operator, a: AnyValue, b: AnyValue) -> AnyValue:
        """The result of an operator, one operand of which has parts of this form."""
        kernel.fail(node, f"{kernel.sign(operator)} does not work on {self}: compute with its parts")

    def unary(self, kernel: Expressions, node: ast.UnaryOp, value: Parts) -> AnyValue:
        kernel.fail(node, f"{kernel.sign(node.op)} does not work on {self}: compute with its parts")

    def math(self, kernel: Calls, node: ast.Call, make: Callable[..., AnyValue], values: list[AnyValue]) -> AnyValue:
        """A function of numbers, `make`, an argument of which has parts of this form."""
        kernel.fail(node, f"{ast.unparse(node.func)} is of numbers, and here is {self}: give its parts one by one")


@dataclass(frozen=True, slots=True)
class Parts:
    """A value with parts. A register that holds one of them for the statement alone holds no other one."""

    form: Compound
    values: tuple[AnyValue, ...]


AnyValue = Value | Parts


@dataclass(frozen=True)
class PartsType:
    """What an annotation such as `tuple[hg.f32, hg.i32]` means: a form, and the types of its parts."""

    form: Compound
    types: tuple[Any, ...]

    def meant(self, types: Callable[[Any], Any]) -> PartsType:
        """The same where type variables are types."""
        return PartsType(self.form, tuple(t.meant(types) if isinstance(t, PartsType) else types(t) for t in self.types))

    def __str__(self) -> str:
        return f"{self.form} of {', '.join(map(str, self.types))}"


@dataclass(frozen=True)
class Tuple(Compound):
    """Tuples: `(a, b)`, and several values that a function returns."""

    def __str__(self) -> str:
        return f"a tuple of {len(self.names)}"

    def advice(self, text: str) -> str:
        return f"take one element, {text}[0]"

    def binary(self, kernel: Expressions, node: ast.AST, operator: ast.operator, a: AnyValue, b: AnyValue) -> AnyValue:
        if isinstance(operator, ast.Mult):
            kernel.fail(
                node, "a tuple is not repeated: take hg.registers(size, type), whose elements are assigned, too"
            )
        if not isinstance(operator, ast.Add) or not all(
            isinstance(v, Parts) and isinstance(v.form, Tuple) for v in (a, b)
        ):
            kernel.scope.source.unsupported(node, "Tuple")
        return tuple_of(a.values + b.values)  # type: ignore[union-attr]


@cache
def tuple_form(size: int) -> Tuple:
    """Tuples of so many values."""
    return Tuple(tuple(map(str, range(size))))


def tuple_of(values: tuple[AnyValue, ...]) -> Parts:
    """These values as one."""
    return Parts(tuple_form(len(values)), values)


def parts_type(source: Source, node: ast.expr) -> PartsType | None:
    """What an annotation such as `tuple[hg.f32, hg.i32]` means; None for others. Raises TranslateError."""
    of = source.resolve(node.value if isinstance(node, ast.Subscript) else node)
    if isinstance(of, VectorName) and not isinstance(node, ast.Subscript):
        return of[None]
    if not isinstance(node, ast.Subscript) or not (of is tuple or isinstance(of, VectorName)):
        return _named_type(source, node)
    types: list[Any] = []
    for part in _listed(node.slice):
        ty = parts_type(source, part) or source.resolve(part)
        if not isinstance(ty, (PartsType, Type, TypeVar)):
            source.fail(part, f"{ast.unparse(part)} is no type of numbers: write hg.f32, hg.i32 and so on")
        types.append(ty)
    if isinstance(of, VectorName):
        if len(types) > 1 or isinstance(types[0], PartsType):
            source.fail(node, f"a vector has parts of one type: write hg.{of.name}[hg.f32]")
        return of[types[0]]
    return PartsType(tuple_form(len(types)), tuple(types))


def _named_type(source: Source, node: ast.expr) -> PartsType | None:
    """What the name of a class, or of complex numbers, means as an annotation of a value."""
    found = resolved(source, node)
    if isinstance(found, Element) and found.text.startswith("complex"):
        from .complexes import type_of_complex

        return type_of_complex(found)
    if not isinstance(found, type) and not hasattr(found, "__origin__"):
        return None
    from .records import is_record, record_type

    if not is_record(found):
        return None
    try:
        return record_type(found)
    except TranslateError as error:
        source.fail(node, error.message)


def resolved(source: Source, node: ast.expr) -> Any:
    """What an annotation names, `P[T]` of a generic class, too."""
    if not isinstance(node, ast.Subscript) or not hasattr(of := source.resolve(node.value), "__parameters__"):
        return source.resolve(node)
    inner = [parts_type(source, part) or source.resolve(part) for part in _listed(node.slice)]
    if MISSING in inner:
        return MISSING
    try:
        return of[tuple(inner)]
    except TypeError as error:
        source.fail(node, f"{ast.unparse(node)} is no type: {error}")


def _listed(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]
