"""Values with parts for the oracle, as docs/kernel_reference.md says: vectors, complex numbers, arrays in registers,
records, and arrays that have them as elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from .forms import Form, leaves
from .numbers import BOOL, I32, TYPES, Num, OracleError, Ty, convert, default, join, kind_of

__all__ = ["Cells", "Complex", "Registers", "Vector", "copied", "each", "equal", "flat", "made"]

_Writer = Callable[[int, Num], None]


def each(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that works part by part where it is given vectors or registers; a number stands for all parts."""

    def run(*values: Any) -> Any:
        whole = next((value for value in values if isinstance(value, (Vector, Registers))), None)
        if whole is None:
            return function(*values)
        columns = [v.parts if isinstance(v, type(whole)) else [v] * len(whole.parts) for v in values]
        return whole.like([function(*row) for row in zip(*columns, strict=True)])

    return run


def _operator(name: str) -> Any:
    def run(a: Any, b: Any) -> Any:
        def one(x: Any, y: Any) -> Any:
            found = getattr(x, name)(y) if isinstance(x, Num) else NotImplemented
            if found is NotImplemented:
                raise OracleError(f"{name} of {x!r} and {y!r}")
            return found

        return each(one)(a, b)

    return run


class _Uniform:
    """Operators that work part by part."""

    parts: list[Num]
    __hash__ = None  # type: ignore[assignment]

    for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
        locals()[f"__{_name}__"], locals()[f"__r{_name}__"] = _operator(f"__{_name}__"), _operator(f"__r{_name}__")
    __pow__ = _operator("__pow__")

    def like(self, parts: list[Any]) -> Any:
        raise NotImplementedError

    def __neg__(self) -> Any:
        return self.like([-part for part in self.parts])

    def __pos__(self) -> Any:
        return self.like([+part for part in self.parts])

    def __invert__(self) -> Any:
        return self.like([~part for part in self.parts])


class Vector(_Uniform):
    """`write` is told of what is assigned to parts of an element of an array."""

    def __init__(self, parts: list[Any], write: _Writer | None = None) -> None:
        ty = kind_of(parts[0])
        for part in parts:
            ty = join(ty, kind_of(part)) if kind_of(part) is not ty else ty
        self.__dict__.update(parts=[convert(part, default(ty)) for part in parts], write=write)

    def like(self, parts: list[Any]) -> Vector:
        return Vector(parts)

    def __iter__(self) -> Iterator[Num]:
        return iter(list(self.parts))

    def __len__(self) -> int:
        return len(self.parts)

    @staticmethod
    def _places(name: str) -> list[int]:
        letters = next((letters for letters in ("xyzw", "rgba") if set(name) <= set(letters)), "")
        if not letters:
            raise OracleError(f"a vector has no {name}")
        return [letters.index(letter) for letter in name]

    def __getattr__(self, name: str) -> Any:
        parts = [self.parts[place] for place in self._places(name)]
        return parts[0] if len(parts) == 1 else Vector(parts)

    def __setattr__(self, name: str, value: Any) -> None:
        places = self._places(name)
        for place, part in zip(places, [value] if len(places) == 1 else list(value), strict=True):
            self[place] = part

    def __getitem__(self, index: Any) -> Num:
        return self.parts[index.__index__()]

    def __setitem__(self, index: Any, value: Any) -> None:
        place = index.__index__()
        self.parts[place] = convert(value, self.parts[place].ty)
        if self.write:
            self.write(place, self.parts[place])


class Registers(_Uniform):
    """An array in registers, row by row."""

    def __init__(self, parts: list[Num], sizes: tuple[int, ...]) -> None:
        self.parts, self.sizes = parts, sizes
        self.shape = tuple(Num(I32, size) for size in sizes)

    def like(self, parts: list[Any]) -> Registers:
        return Registers(parts, self.sizes)

    def __len__(self) -> int:
        return self.sizes[0]

    def __iter__(self) -> Iterator[Any]:
        return iter([self[k] for k in range(self.sizes[0])])

    def _range(self, index: Any) -> tuple[int, tuple[int, ...]]:
        places = [part.__index__() for part in (index if isinstance(index, tuple) else (index,))]
        start, rest = 0, math.prod(self.sizes)
        for place, size in zip(places, self.sizes, strict=False):
            if not 0 <= place < size:
                raise OracleError("OutOfBounds")
            rest //= size
            start += place * rest
        return start, self.sizes[len(places) :]

    def __getitem__(self, index: Any) -> Any:
        start, left = self._range(index)
        return Registers(self.parts[start : start + math.prod(left)], left) if left else self.parts[start]

    def __setitem__(self, index: Any, value: Any) -> None:
        start, left = self._range(index)
        if left:
            raise OracleError("a row of registers is not assigned")
        self.parts[start] = convert(value, self.parts[start].ty)


class Complex:
    """A complex number; what is no complex number stays one number."""

    real: Num
    imag: Num
    write: _Writer | None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, real: Any, imag: Any, write: _Writer | None = None) -> None:
        ty = default(join(kind_of(real), kind_of(imag)) if kind_of(real) is not kind_of(imag) else kind_of(real))
        ty = ty if ty.kind == "f" else TYPES["f32"]
        self.__dict__.update(real=convert(real, ty), imag=convert(imag, ty), write=write)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = convert(value, self.real.ty)
        if self.write:
            self.write(int(name == "imag"), self.__dict__[name])

    @staticmethod
    def _of(value: Any) -> tuple[Any, Any]:
        """Both parts, the second one None of a number."""
        if isinstance(value, complex):
            return value.real, value.imag
        return (value.real, value.imag) if isinstance(value, Complex) else (value, None)

    def __add__(self, other: Any) -> Complex:
        real, imag = self._of(other)
        return Complex(self.real + real, self.imag if imag is None else self.imag + imag)

    def __radd__(self, other: Any) -> Complex:
        real, imag = self._of(other)
        return Complex(real + self.real, self.imag if imag is None else imag + self.imag)

    def __sub__(self, other: Any) -> Complex:
        real, imag = self._of(other)
        return Complex(self.real - real, self.imag if imag is None else self.imag - imag)

    def __rsub__(self, other: Any) -> Complex:
        real, imag = self._of(other)
        return Complex(real - self.real, -self.imag if imag is None else imag - self.imag)

    def __mul__(self, other: Any) -> Complex:
        real, imag = self._of(other)
        if imag is None:
            return Complex(self.real * real, self.imag * real)
        return Complex(self.real * real - self.imag * imag, self.real * imag + self.imag * real)

    def __rmul__(self, other: Any) -> Complex:
        real, imag = self._of(other)
        if imag is None:
            return Complex(real * self.real, real * self.imag)
        return Complex(real * self.real - imag * self.imag, real * self.imag + imag * self.real)

    def __truediv__(self, other: Any) -> Complex:
        real, imag = self._of(other)
        if imag is None:
            return Complex(self.real / real, self.imag / real)
        return _smith(self.real, self.imag, convert(real, self.real.ty), convert(imag, self.real.ty))

    def __rtruediv__(self, other: Any) -> Complex:
        real, imag = self._of(other)
        ty = self.real.ty
        return _smith(convert(real, ty), convert(0.0 if imag is None else imag, ty), self.real, self.imag)

    def __neg__(self) -> Complex:
        return Complex(-self.real, -self.imag)

    def __pow__(self, exponent: int) -> Complex:
        found = self
        for _ in range(exponent - 1):
            found = found * self
        return found

    def conjugate(self) -> Complex:
        return Complex(self.real, -self.imag)


def _smith(a: Num, b: Num, c: Num, d: Num) -> Complex:
    """R. Smith's quotient, as NumPy's: by the greater part of the divisor first."""
    if bool(abs(c.v) >= abs(d.v)):
        if c.v == 0 and d.v == 0:
            size = Num(c.ty, abs(c.v))
            return Complex(a / size, b / size)
        ratio = d / c
        scale = 1.0 / (c + d * ratio)
        return Complex((a + b * ratio) * scale, (b - a * ratio) * scale)
    ratio = c / d
    scale = 1.0 / (d + c * ratio)
    return Complex((a * ratio + b) * scale, (b * ratio - a) * scale)


class _Element:
    """A record in an array: fields are read and written there."""

    def __init__(self, cells: Cells, form: Form, place: int) -> None:
        self.__dict__.update(cells=cells, form=form, place=place)

    def _field(self, name: str) -> tuple[Ty | Form, int]:
        place = self.place
        for path, part in self.form.parts:
            if path == f".{name}":
                return part, place
            place += sum(1 for _ in leaves(part))
        raise OracleError(f"a record has no {name}")

    def __getattr__(self, name: str) -> Any:
        return self.cells.read(*self._field(name))

    def __setattr__(self, name: str, value: Any) -> None:
        self.cells.write(*self._field(name), value)


def flat(value: Any) -> list[Any]:
    """The numbers of a value."""
    if isinstance(value, (Vector, Registers)):
        return list(value.parts)
    if isinstance(value, Complex):
        return [value.real, value.imag]
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in flat(part)]
    if isinstance(value, _Element):
        return [leaf for path, _ in value.form.parts for leaf in flat(getattr(value, path[1:]))]
    if is_dataclass(value):
        return [leaf for field in fields(value) for leaf in flat(getattr(value, field.name))]
    return [value]


def copied(value: Any) -> Any:
    """What an assignment keeps: a value of its own."""
    if isinstance(value, (Vector, Registers)):
        return value.like(list(value.parts))
    if isinstance(value, Complex):
        return Complex(value.real, value.imag)
    if isinstance(value, tuple):
        parts = [copied(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, _Element):
        return value.cells.value(value.form, value.place)
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(**{field.name: copied(getattr(value, field.name)) for field in fields(value)})
    return value


def equal(a: Any, b: Any) -> Any:
    """`==`, of values with parts whether all are equal."""
    if isinstance(a, (Num, int, float)) and isinstance(b, (Num, int, float)):
        return a == b
    return Num(BOOL, int(all(bool(x == y) for x, y in zip(flat(a), flat(b), strict=True))), True)


def made(cls: Any, *values: Any, **named: Any) -> Any:
    """A record of a class, whose fields have their types."""
    types = cls.__annotations__
    given = dict(zip(types, values, strict=False)) | named
    return cls(**{name: _kept(types[name], value) for name, value in given.items()})


def _kept(ty: Any, value: Any) -> Any:
    if ty is bool:
        return Num(BOOL, int(bool(value)), True)
    return convert(value, ty.ty) if isinstance(getattr(ty, "ty", None), Ty) else copied(value)


class Cells:
    """An array, or a part of one: elements row by row. Any index beyond its axis is an error of the kernel.

    `classes` are those of records by name.
    """

    def __init__(self, ty: Ty | Form, shape: tuple[int, ...], values: list[Any] | None = None) -> None:
        numbers = [leaf for _, leaf in leaves(ty)]
        self.ty, self.sizes, self.width, self.start = ty, shape, len(numbers), 0
        zeros = [0.0 if leaf.kind == "f" else 0 for leaf in numbers]
        self.values = values if values is not None else zeros * math.prod(shape)
        self.steps = tuple(self.width * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
        self.classes: dict[str, Any] = {}

    @property
    def shape(self) -> tuple[Num, ...]:
        return tuple(Num(I32, size) for size in self.sizes)

    def __len__(self) -> int:
        raise OracleError("len is the kernel's own")

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(self.sizes[0]))  # each when it is its turn

    def _part(self, index: Any) -> Cells:
        """What is left of the array, whose axes may be none."""
        parts = list(index) if isinstance(index, tuple) else [index]
        parts += [slice(None)] * (len(self.sizes) - len(parts))
        left = Cells.__new__(Cells)
        left.__dict__.update(self.__dict__)
        sizes, steps = [], []
        for part, size, step in zip(parts, self.sizes, self.steps, strict=True):
            if isinstance(part, slice):
                sizes.append(size)
                steps.append(step)
                continue
            number = part.__index__()
            if not 0 <= number < size:
                raise OracleError(f"OutOfBounds: {number} of {size}")
            left.start += number * step
        left.sizes, left.steps = tuple(sizes), tuple(steps)
        return left

    def __getitem__(self, index: Any) -> Any:
        part = self._part(index)
        return part if part.sizes else self.read(self.ty, part.start)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.write(self.ty, self._part(index).start, value)

    def read(self, form: Ty | Form, place: int) -> Any:
        """An element or a part of one, which writes through."""
        if isinstance(form, Ty):
            return Num(form, self.values[place], form is BOOL)
        if form.is_record:
            return _Element(self, form, place)
        parts = [Num(ty, self.values[place + at]) for at, (_, ty) in enumerate(leaves(form))]

        def write(at: int, value: Num) -> None:
            self.values[place + at] = value.v

        return Complex(parts[0], parts[1], write) if form.kind == "complex" else Vector(parts, write)

    def value(self, form: Ty | Form, place: int) -> Any:
        """A copy of an element or of a part of one."""
        if isinstance(form, Ty) or not form.is_record:
            return copied(self.read(form, place))
        given = {}
        for path, part in form.parts:
            given[path[1:]] = self.value(part, place)
            place += sum(1 for _ in leaves(part))
        return self.classes[form.name](**given)

    def write(self, form: Ty | Form, place: int, value: Any) -> None:
        for at, ((_, ty), leaf) in enumerate(zip(leaves(form), flat(value), strict=True)):
            self.values[place + at] = int(bool(leaf)) if ty is BOOL else convert(leaf, ty).v

    def load(self, index: Any, size: int) -> Vector:
        places = index if isinstance(index, tuple) else (index,)
        return Vector([self[(*places[:-1], places[-1].__index__() + k)] for k in range(size)])

    def store(self, index: Any, value: Vector) -> None:
        places = index if isinstance(index, tuple) else (index,)
        for k, part in enumerate(value.parts):
            self[(*places[:-1], places[-1].__index__() + k)] = part
