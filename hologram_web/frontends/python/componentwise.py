"""Forms that are computed part by part: vectors (`hg.vec3(x, y, z)`), and arrays in registers (`hg.registers`)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product
from math import prod
from typing import TYPE_CHECKING, ClassVar, NoReturn

from ...isa.types import Type
from .arithmetic import literal
from .compounds import AnyValue, Compound, Parts, tuple_of
from .emit import ArrayRef
from .parts import shape_of
from .places import Reach, Spot, numbers_of
from .types import INDEX, Value, ValueKind, Weak, default, float_of

if TYPE_CHECKING:
    from .calls import Calls
    from .expressions import Expressions

__all__ = ["FUNCTIONS", "RegisterArray", "Vector", "load", "make_registers", "make_vector", "store", "vector"]

_MOST_REGISTERS = 128  # there are 255, and what is computed needs some
_COLOURS = dict(zip("rgba", "xyzw", strict=True))


@dataclass(frozen=True)
class _Componentwise(Compound):
    """Operators and functions work on each part, and take a number for all parts."""

    uniform: ClassVar[bool] = True
    mutable: ClassVar[bool] = True

    def alike(self, kernel: Expressions, node: ast.AST, *values: AnyValue) -> None:
        """Refuses values with other parts."""
        for value in values:
            if isinstance(value, Parts) and (type(value.form), value.form.names) != (type(self), self.names):
                kernel.fail(node, f"one side is {self}, and the other one {value.form}")

    def binary(self, kernel: Expressions, node: ast.AST, operator: ast.operator, a: AnyValue, b: AnyValue) -> AnyValue:
        self.alike(kernel, node, a, b)
        return kernel.each(self, lambda x, y: kernel.combined(node, operator, x, y), a, b)

    def unary(self, kernel: Expressions, node: ast.UnaryOp, value: Parts) -> AnyValue:
        return kernel.each(self, lambda x: kernel.unary(node, x), value)

    def math(self, kernel: Calls, node: ast.AST, make: Callable[..., AnyValue], values: list[AnyValue]) -> AnyValue:
        self.alike(kernel, node, *values)
        return kernel.each(self, make, *values)


# Vectors


@dataclass(frozen=True)
class Vector(_Componentwise):
    """Two to four numbers of one type: `v.x`, `v.xy`, `v[0]`, in colours `v.rgb`."""

    def __str__(self) -> str:
        return f"a vec{len(self.names)}"

    def advice(self, text: str) -> str:
        return f"take one part, {text}.x"

    def named(self, name: str) -> str | None:
        name = _COLOURS.get(name, name)
        return name if name in self.names else None

    def several(self, name: str) -> list[str]:
        parts = [part for letter in name if (part := self.named(letter))]
        one_kind = not set(name) - set("xyzw") or not set(name) - set("rgba")
        return parts if one_kind and 1 < len(parts) == len(name) <= 4 else []

    def attribute(self, kernel: Expressions, node: ast.Attribute, parts: tuple[AnyValue, ...]) -> AnyValue:
        taken = self.several(node.attr)
        if not taken:
            self.no_attribute(kernel, node)
        found: list[AnyValue] = []
        for part in taken:
            value = parts[self.names.index(part)]
            assert isinstance(value, Value)
            found.append(kernel.another(value) if value in found else value)
        return Parts(vector(len(found)), tuple(found))

    def no_attribute(self, kernel: Expressions, node: ast.Attribute) -> NoReturn:
        listed = ", ".join(self.names)
        text = ast.unparse(node.value)
        kernel.fail(node, f"there is no {node.attr}: {text} is {self} with the parts {listed}, and such as {text}.yx")


@cache
def vector(size: int) -> Vector:
    """Vectors of so many parts."""
    return Vector(tuple("xyzw"[:size]))


def make_vector(kernel: Calls, node: ast.Call, size: int, ty: Type | None = None) -> Parts:
    """`hg.vec3(x, y, z)`, `hg.vec4(v, 1.0)`, `hg.vec3(0.0)`: numbers and vectors one behind another, or one for all."""
    parts: list[Value] = []
    for argument in node.args:
        value = kernel.any_value(argument)
        if isinstance(value, Parts) and isinstance(value.form, Vector):
            parts += value.values  # type: ignore[arg-type]
        elif isinstance(value, Value):
            parts.append(value)
        else:
            kernel.no_number(argument, value)
    if len(parts) == 1:
        parts += [kernel.another(parts[0]) for _ in range(size - 1)]
    if len(parts) != size:
        form = ", ".join("xyzw"[:size])
        kernel.fail(node, f"write hg.vec{size}({form}), vectors among them, or one number: here are {len(parts)} parts")
    kind: ValueKind = ty or reduce(lambda found, part: kernel.meet(node, Value(found), part), parts, parts[0].ty)
    kind = Weak.INT if kind is Weak.BOOL else kind
    return Parts(vector(size), tuple(kernel.conform(node, part, kind) for part in parts))


def _vectors(kernel: Calls, node: ast.Call, form: str) -> list[Parts]:
    """The arguments of a function of vectors."""
    found: list[Parts] = []
    if len(node.args) != form.count(",") + 1:
        kernel.fail(node, f"write {ast.unparse(node.func)}({form}): arguments are missing or too many")
    for argument in node.args:
        value = kernel.any_value(argument)
        if not isinstance(value, Parts) or not isinstance(value.form, Vector):
            kernel.fail(argument, f"{ast.unparse(node.func)} is of vectors, and this is {shape_of(value)}")
        value.form.alike(kernel, node, *found)
        found.append(value)
    return found


def _sum_of_products(kernel: Calls, node: ast.Call, a: Parts, b: Parts) -> Value:
    """a.x * b.x + a.y * b.y + ..., from left to right."""
    products = kernel.each(a.form, lambda x, y: kernel.binary(node, ast.Mult(), x, y), a, b)
    total = reduce(lambda found, part: kernel.combined(node, ast.Add(), found, part), products.values)
    assert isinstance(total, Value)
    return total


def _dot(kernel: Calls, node: ast.Call) -> AnyValue:
    a, b = _vectors(kernel, node, "a, b")
    return _sum_of_products(kernel, node, a, b)


def _cross(kernel: Calls, node: ast.Call) -> AnyValue:
    a, b = _vectors(kernel, node, "a, b")
    if len(a.values) != 3:
        kernel.fail(node, f"hg.cross is of vec3, and this is {a.form}")
    made = []
    for first, second in ((1, 2), (2, 0), (0, 1)):
        with kernel.pinned_all(a), kernel.pinned_all(b):
            left = kernel.combined(node, ast.Mult(), a.values[first], b.values[second])
            right = kernel.combined(node, ast.Mult(), a.values[second], b.values[first])
        made.append(kernel.combined(node, ast.Sub(), left, right))
    return Parts(a.form, tuple(made))


def _size(kernel: Calls, node: ast.Call, value: Parts) -> Value:
    with kernel.pinned_all(value):
        square = _sum_of_products(kernel, node, value, value)
    ty = default(float_of(square.ty))
    return Value(ty, kernel.op("SQRT", ty, kernel.register(node, square, ty)))


def _length(kernel: Calls, node: ast.Call) -> AnyValue:
    return _size(kernel, node, *_vectors(kernel, node, "v"))


def _normalize(kernel: Calls, node: ast.Call) -> AnyValue:
    (value,) = _vectors(kernel, node, "v")
    return kernel.combined(node, ast.Div(), value, _size(kernel, node, value))


FUNCTIONS: dict[str, Callable[[Calls, ast.Call], AnyValue]] = {
    "dot": _dot,
    "cross": _cross,
    "length": _length,
    "normalize": _normalize,
}


# Loads and stores


def load(kernel: Calls, node: ast.Call, array: ArrayRef) -> AnyValue:
    """`x.load(i, 4)`: elements from i on, as a vector."""
    if len(node.args) != 2:
        kernel.fail(node, f"write {ast.unparse(node.func)}(i, 4): the index, and how many elements, 2 to 4")
    size = kernel.value(node.args[1]).const
    if size not in (2, 3, 4):
        kernel.fail(node.args[1], "a vector has 2 to 4 parts: their number is known while translating")
    with _along(kernel, node.args[0]) as places:
        parts = [Reach(kernel, Spot(array, place, array.means)).load() for place in places(int(size))]
    return Parts(vector(int(size)), tuple(parts))


def store(kernel: Calls, node: ast.Call, array: ArrayRef) -> None:
    """`x.store(i, v)`: the parts of a vector as the elements from i on; none, if one of them is out of bounds."""
    if len(node.args) != 2:
        kernel.fail(node, f"write {ast.unparse(node.func)}(i, v): the index, and a vector")
    with _along(kernel, node.args[0]) as places:
        value = kernel.any_value(node.args[1])
        if not isinstance(value, Parts) or not isinstance(value.form, Vector):
            what = f"what is stored is a vector, and this is {shape_of(value)}"
            kernel.fail(node.args[1], f"{what}: write {array.title}[i] = v")
        elements = list(zip(places(len(value.values)), value.values, strict=True))
        for place, _ in (elements[-1], elements[0]):
            check_place(kernel, array, place)
        for place, part in elements:
            assert isinstance(part, Value)
            numbers = numbers_of(kernel, node.args[1], array.means, 0, part)
            Reach(kernel, Spot(array, place, array.means)).store(numbers)


def check_place(kernel: Calls, array: ArrayRef, index: ast.expr) -> None:
    """Checks an index before anything is written: of arrays with more axes that is a part of finding the place."""
    address = kernel.place_of(array, index)
    if kernel.axes and array.whole.ndim == 1 and array.shape is None:
        offset, length = address.offset // array.ty.size_bytes, kernel.length(array.whole, 0).reg
        at = (
            (offset, length, array.name, 0) if address.index is None else (address.index, length, array.name, 0, offset)
        )
        kernel.emit("CHK", *at)
    kernel.drop(address.index)


@contextmanager
def _along(kernel: Calls, index: ast.expr) -> Iterator[Callable[[int], list[ast.expr]]]:
    """The indices of so many elements behind each other; what is written there is computed once."""
    *before, last = index.elts if isinstance(index, ast.Tuple) else [index]
    name = f"load.{last.lineno}.{last.col_offset}"
    value = kernel.index(last)
    kernel.scope.bound[name] = value

    def places(size: int) -> list[ast.expr]:
        found = []
        for number in range(size):
            here = ast.BinOp(ast.Name(name, ast.Load()), ast.Add(), ast.Constant(number))
            place: ast.expr = ast.Tuple([*before, here], ast.Load()) if before else here
            for part in ast.walk(place):
                ast.copy_location(part, last)
            found.append(place)
        return found

    with kernel.pinned(value):
        yield places
    del kernel.scope.bound[name]


# Arrays in registers


@dataclass(frozen=True)
class RegisterArray(_Componentwise):
    """`acc = hg.registers((4, 4), hg.f32)`: each element is a variable, and indices are known while translating."""

    shape: tuple[int, ...]
    element: Type

    def __str__(self) -> str:
        return f"registers of {self.element}{list(self.shape)}"

    def advice(self, text: str) -> str:
        return f"take one element, {text}[{', '.join('0' * len(self.shape))}]"

    def declared(self) -> Type:
        return self.element

    def holding(self, values: tuple[AnyValue, ...]) -> RegisterArray:
        first = values[0]
        assert isinstance(first, Value)
        return registers(self.shape, default(first.ty))

    def attribute(self, kernel: Expressions, node: ast.Attribute, parts: tuple[AnyValue, ...]) -> AnyValue:
        if node.attr != "shape":
            kernel.fail(node, f"there is no {node.attr}: {self} have shape, len(...) and elements")
        return tuple_of(tuple(Value(INDEX, const=length) for length in self.shape))

    def place(self, kernel: Expressions, node: ast.Subscript) -> int:
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        text, axes = ast.unparse(node.value), len(self.shape)
        if len(indices) != axes:
            wanted = ", ".join("ijk"[:axes])
            kernel.fail(node.slice, f"{text} is {axes}-D, and here are {len(indices)} indices: write {text}[{wanted}]")
        found = 0
        for index, length in zip(indices, self.shape, strict=True):
            what = f"an index into registers such as {text}"
            found = found * length + kernel.known_index(index, what, "element", text, length)
        return found

    def elements(self, value: Parts) -> tuple[AnyValue, ...]:
        if len(self.shape) == 1:
            return value.values
        row = registers(self.shape[1:], self.element)
        size = len(row.names)
        return tuple(Parts(row, value.values[at : at + size]) for at in range(0, len(self.names), size))


@cache
def registers(shape: tuple[int, ...], element: Type) -> RegisterArray:
    """RegisterArray of this shape."""
    names = tuple(",".join(map(str, place)) for place in product(*map(range, shape)))
    return RegisterArray(names, shape, element)


def make_registers(kernel: Calls, node: ast.Call) -> Parts:
    """`hg.registers(shape, type)`, zeros, or `hg.registers(shape, type, value)`."""
    if not 2 <= len(node.args) <= 3:
        kernel.fail(node, "write hg.registers((4, 4), hg.f32), or with a first value, hg.registers(4, hg.f32, 1.0)")
    shape, ty = kernel.known_shape(node.args[0], "registers"), kernel.type_of(node.args[1])
    if prod(shape) > _MOST_REGISTERS:
        kernel.fail(
            node.args[0], f"{prod(shape)} registers: at most {_MOST_REGISTERS}, the others in hg.local(type, size)"
        )
    form = registers(tuple(shape), ty)
    start = kernel.value(node.args[2]) if len(node.args) == 3 else literal(0)
    first = kernel.conform(node, start, ty)
    assert isinstance(first, Value)
    return Parts(form, (first, *(kernel.another(first) for _ in form.names[1:])))
