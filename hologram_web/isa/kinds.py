"""Operand kinds: for each, what values it takes and its text, JSON and binary form. One class per kind.

Instruction rows name their operands' kinds; the instruction class, assembler, disassembler, JSON, binary form,
verifier and documentation all work through this table.
"""

from __future__ import annotations

import math
import re
from enum import Enum
from typing import TYPE_CHECKING, Any

from ..errors import IsaError
from .address import Address, Space
from .operands import (
    AtomicOperation,
    BinaryMapOperation,
    BufferHandle,
    Condition,
    Immediate,
    Label,
    MapOperation,
    MemoryScope,
    PoolHandle,
    Predicate,
    ReduceOperation,
    Register,
    check_name,
)
from .types import Type

if TYPE_CHECKING:
    from .wire import ByteReader, ByteWriter

__all__ = ["KINDS", "Kind", "Labels"]


class Labels:
    """Label names of a program in the order of the binary form, which stores numbers instead."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.numbers = {name: number for number, name in enumerate(names)}


class Kind:
    """A kind of operand. `what` names it in messages and docs.

    `ty` is the type of a typed immediate; other kinds ignore it.
    """

    what = "value"

    def check(self, value: Any, ty: Type | None) -> Any:
        """`value` in canonical form. Raises IsaError."""
        raise NotImplementedError

    def wrong(self, value: object) -> IsaError:
        return IsaError(f"{value!r} is no {self.what}")

    def text(self, value: Any) -> str:
        return str(value)

    def parse(self, text: str, ty: Type | None) -> Any:
        """The value of a text form. Raises IsaError."""
        raise NotImplementedError

    def json(self, value: Any) -> Any:
        return self.text(value)

    def from_json(self, value: Any, ty: Type | None) -> Any:
        if not isinstance(value, str):
            raise IsaError(f"{value!r} is no {self.what}: JSON gives it as text")
        return self.parse(value, ty)

    def write(self, out: ByteWriter, value: Any, labels: Labels) -> None:
        raise NotImplementedError

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> Any:
        raise NotImplementedError


class TypeKind(Kind):
    what = "type"

    def check(self, value: Any, ty: Type | None) -> Type:
        if isinstance(value, str):
            return Type.named(value)
        if not isinstance(value, Type):
            raise self.wrong(value)
        return value

    def parse(self, text: str, ty: Type | None) -> Type:
        return Type.named(text)

    def write(self, out: ByteWriter, value: Type, labels: Labels) -> None:
        out.u8(value.id)

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> Type:
        number = source.u8()
        if number >= len(_TYPES):
            raise source.fail(f"no type has the number {number}")
        return _TYPES[number]


_TYPES = sorted(Type, key=lambda ty: ty.id)


class RegisterKind(Kind):
    what = "register"

    def check(self, value: Any, ty: Type | None) -> Register:
        if not isinstance(value, Register):
            raise self.wrong(value)
        return value

    def parse(self, text: str, ty: Type | None) -> Register:
        if not re.fullmatch(r"r[0-9]{1,3}", text):
            raise self.wrong(text)
        return Register(int(text[1:]))

    def write(self, out: ByteWriter, value: Register, labels: Labels) -> None:
        out.u8(value.index)

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> Register:
        return Register(source.u8())


class PredicateKind(Kind):
    """A predicate; `guard` also takes its negation."""

    def __init__(self, guard: bool) -> None:
        self.guard = guard
        self.what = "predicate or its negation" if guard else "predicate"

    def check(self, value: Any, ty: Type | None) -> Predicate:
        if not isinstance(value, Predicate):
            raise self.wrong(value)
        if value.negated and not self.guard:
            raise IsaError(f"{value} is negated: only the guard of BRA can be; use PNOT or swap the operands")
        return value

    def parse(self, text: str, ty: Type | None) -> Predicate:
        match = re.fullmatch(r"(!?)p([0-9]{1,2})", text)
        if not match:
            raise self.wrong(text)
        return self.check(Predicate(int(match[2]), bool(match[1])), ty)

    def write(self, out: ByteWriter, value: Predicate, labels: Labels) -> None:
        out.u8(value.index | value.negated << 7)

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> Predicate:
        byte = source.u8()
        return self.check(Predicate(byte & 0x7F, bool(byte >> 7)), ty)


class LabelKind(Kind):
    what = "label"

    def check(self, value: Any, ty: Type | None) -> Label:
        if isinstance(value, str):
            return Label(value)
        if not isinstance(value, Label):
            raise self.wrong(value)
        return value

    def parse(self, text: str, ty: Type | None) -> Label:
        return Label(text)

    def write(self, out: ByteWriter, value: Label, labels: Labels) -> None:
        if value.name not in labels.numbers:
            raise IsaError(f"label {value.name!r} is used but not placed: the binary form cannot express that")
        out.uint(labels.numbers[value.name])

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> Label:
        number = source.uint()
        if number >= len(labels.names):
            raise source.fail(f"no label has the number {number}")
        return Label(labels.names[number])


class ImmediateKind(Kind):
    """A constant of the instruction's type. Text: decimal, `inf`, `-inf`, `nan`; hexadecimal gives the bits."""

    what = "number"

    def check(self, value: Any, ty: Type | None) -> Immediate:
        if isinstance(value, Immediate):
            if ty is not None and value.ty is not ty:
                raise IsaError(f"the immediate {self.text(value)} has the type {value.ty}, the instruction {ty}")
            return value
        value = _plain(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or ty is None:
            raise self.wrong(value)
        return Immediate.of(ty, value)

    def text(self, value: Immediate) -> str:
        if value.ty.is_integer:
            return str(value.value)
        return float_text(value.ty, value.bits)

    def parse(self, text: str, ty: Type | None) -> Immediate:
        assert ty is not None
        return parse_number(text, ty)

    def write(self, out: ByteWriter, value: Immediate, labels: Labels) -> None:
        out.data += value.bits.to_bytes(value.ty.size_bytes, "little")

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> Immediate:
        assert ty is not None
        return Immediate(ty, int.from_bytes(source.take(ty.size_bytes), "little"))


def _plain(value: Any) -> Any:
    """`value`, a NumPy scalar as the Python object it stands for."""
    if type(value) is int:
        return value
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def float_text(ty: Type, bits: int) -> str:
    """Shortest decimal text that reads back as these bits; hexadecimal bits for a NaN with a payload."""
    value = float(ty.decode(bits))
    if math.isnan(value):
        return "nan" if bits == ty.encode(math.nan) else hex(bits)
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if ty.encode(float(text)) == bits:
            break
    return text if "." in text or "e" in text else text + ".0"


def parse_number(text: str, ty: Type) -> Immediate:
    """A number of the text form as an immediate of `ty`. Raises IsaError."""
    if re.fullmatch(r"0x[0-9a-fA-F]{1,1024}", text):
        bits = int(text, 16)
        if bits >> ty.bits:
            raise IsaError(f"the bits {text} do not fit {ty}: it has {ty.bits} bits")
        return Immediate(ty, bits)
    if re.fullmatch(r"-?[0-9]{1,1300}", text):
        return Immediate.of(ty, int(text) or (-0.0 if text[0] == "-" else 0))
    if ty.is_float and re.fullmatch(r"-?([0-9]{1,400}\.?[0-9]{0,400}(e[+-]?[0-9]{1,4})?|inf|nan)", text):
        return Immediate.of(ty, float(text))
    raise IsaError(f"{text!r} is no {ty} number")


class IntegerKind(Kind):
    """A small integer with a range."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high
        self.what = f"integer from {low} to {high}"

    def check(self, value: Any, ty: Type | None) -> int:
        value = _plain(value)
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise self.wrong(value)
        return value

    def parse(self, text: str, ty: Type | None) -> int:
        if not re.fullmatch(r"-?[0-9]{1,20}", text):
            raise self.wrong(text)
        return self.check(int(text), ty)

    def json(self, value: int) -> int:
        return value

    def from_json(self, value: Any, ty: Type | None) -> int:
        return self.check(value, ty)

    def write(self, out: ByteWriter, value: int, labels: Labels) -> None:
        out.sint(value)

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> int:
        return self.check(source.sint(), ty)


class NameKind(Kind):
    """What messages call something, such as an array: an identifier of Python, or several with dots, `p.x`."""

    what = "name"

    def check(self, value: Any, ty: Type | None) -> str:
        if not isinstance(value, str) or len(value) > 128 or not all(map(str.isidentifier, value.split("."))):
            raise self.wrong(value)
        return value

    def parse(self, text: str, ty: Type | None) -> str:
        return self.check(text, ty)

    def write(self, out: ByteWriter, value: str, labels: Labels) -> None:
        out.string(value)

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> str:
        return self.check(source.string(), ty)


class BooleanKind(Kind):
    what = "boolean (true or false)"

    def check(self, value: Any, ty: Type | None) -> bool:
        if not isinstance(value, bool):
            raise self.wrong(value)
        return value

    def text(self, value: bool) -> str:
        return "true" if value else "false"

    def parse(self, text: str, ty: Type | None) -> bool:
        if text not in ("true", "false"):
            raise self.wrong(text)
        return text == "true"

    def json(self, value: bool) -> bool:
        return value

    def from_json(self, value: Any, ty: Type | None) -> bool:
        return self.check(value, ty)

    def write(self, out: ByteWriter, value: bool, labels: Labels) -> None:
        out.u8(value)

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> bool:
        byte = source.u8()
        if byte > 1:
            raise source.fail(f"{byte} is neither true nor false")
        return byte == 1


class EnumKind(Kind):
    """A named operation or condition."""

    def __init__(self, enum: type[Enum]) -> None:
        self.enum = enum
        self.members = list(enum)
        self.what = f"{enum.__name__} ({', '.join(str(member.value) for member in enum)})"

    def check(self, value: Any, ty: Type | None) -> Enum:
        if isinstance(value, str):
            return self.parse(value, ty)
        if not isinstance(value, self.enum):
            raise self.wrong(value)
        return value

    def text(self, value: Enum) -> str:
        return str(value.value)

    def parse(self, text: str, ty: Type | None) -> Enum:
        try:
            return self.enum(text)
        except ValueError:
            raise self.wrong(text) from None

    def write(self, out: ByteWriter, value: Enum, labels: Labels) -> None:
        out.u8(self.members.index(value))

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> Enum:
        number = source.u8()
        if number >= len(self.members):
            raise source.fail(f"{self.enum.__name__} has no member with the number {number}")
        return self.members[number]


class AddressKind(Kind):
    what = "address"

    def check(self, value: Any, ty: Type | None) -> Address:
        if not isinstance(value, Address):
            raise self.wrong(value)
        return value

    def parse(self, text: str, ty: Type | None) -> Address:
        return Address.parse(text)

    def write(self, out: ByteWriter, value: Address, labels: Labels) -> None:
        out.u8(value.space.value)
        write_union(out, value.base)
        write_union(out, value.index)
        out.uint(value.scale)
        out.sint(value.offset)
        for coordinate in value.coordinates:
            write_union(out, coordinate)

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> Address:
        number = source.u8()
        if number > Space.LOCAL.value:
            raise source.fail(f"no address mode has the number {number}")
        space = Space(number)
        base, index = read_union(source), read_union(source)
        scale, offset = source.uint(1 << 17), source.sint()
        coordinates = tuple(read_union(source) for _ in range(3)) if space is Space.PHI else ()
        try:
            address = Address(space, base, index, scale, offset, coordinates)
            if Address.parse(str(address)) == address:
                return address
        except (IsaError, TypeError, AttributeError, ValueError):
            pass
        raise source.fail("an address mixes parts that do not go together")


class UnionKind(Kind):
    """One of several: a number, a register, a parameter's name, a handle, or an address."""

    def __init__(self, what: str, *members: type) -> None:
        self.what = what
        self.members = members

    def check(self, value: Any, ty: Type | None) -> Any:
        value = _plain(value)
        if float in self.members and isinstance(value, (int, float)) and not isinstance(value, bool):
            return Type.F64.decode(Type.F64.encode(value))  # a huge integer gives infinity
        if isinstance(value, bool) or not isinstance(value, self.members):
            raise self.wrong(value)
        if isinstance(value, str):
            return check_name(value, "parameter")
        if isinstance(value, int) and not 0 <= value < 1 << 48:
            raise IsaError(f"{value} is no {self.what.partition(':')[0]}: a number is from 0 to 2**48 - 1")
        return value

    def text(self, value: Any) -> str:
        if isinstance(value, float):
            return float_text(Type.F64, Type.F64.encode(value))
        return f"#{value.id}" if isinstance(value, (PoolHandle, BufferHandle)) else str(value)

    def parse(self, text: str, ty: Type | None) -> Any:
        if text.startswith("["):
            return self.check(Address.parse(text), ty)
        if re.fullmatch(r"r[0-9]{1,3}", text):
            return self.check(Register(int(text[1:])), ty)
        if re.fullmatch(r"#[0-9]{1,18}", text):
            return self.check(PoolHandle(int(text[1:])), ty)
        if int in self.members and re.fullmatch(r"[0-9]{1,20}", text):
            return self.check(int(text), ty)
        if float in self.members and re.match(r"-?[0-9]|-?inf$|nan$", text):
            return float(parse_number(text, Type.F64).value)
        if not re.match(r"[A-Za-z_$]", text):
            raise self.wrong(text)
        return self.check(text, ty)

    def write(self, out: ByteWriter, value: Any, labels: Labels) -> None:
        if isinstance(value, Address):
            out.u8(len(_UNION))
            KINDS["load"].write(out, value, labels)
        else:
            write_union(out, value)

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> Any:
        if source.position < len(source.data) and source.data[source.position] == len(_UNION):
            source.u8()
            return self.check(KINDS["load"].read(source, ty, labels), ty)
        return self.check(read_union(source), ty)


_UNION: tuple[type, ...] = (type(None), Register, str, int, float, BufferHandle, PoolHandle)


def write_union(out: ByteWriter, value: Any) -> None:
    """A value of one of the `_UNION` types, after the type's number."""
    tag = _UNION.index(type(value))
    out.u8(tag)
    if tag == 1:
        out.u8(value.index)
    elif tag == 2:
        out.string(value)
    elif tag == 3:
        out.uint(value)
    elif tag == 4:
        out.f64(value)
    elif tag > 4:
        out.uint(value.id)


def read_union(source: ByteReader) -> Any:
    tag = source.u8()
    if tag >= len(_UNION):
        raise source.fail(f"no operand form has the number {tag}")
    if tag == 1:
        return Register(source.u8())
    if tag == 2:
        return check_name(source.string(), "parameter")
    if tag == 3:
        return source.uint()
    if tag == 4:
        return source.f64()
    return None if tag == 0 else _UNION[tag](source.uint())


class IntegersKind(Kind):
    """A short tuple of integers, such as strides or a shape: `(1, 2)`; with `pairs`, of pairs: `(0:1, 2:3)`."""

    def __init__(self, pairs: bool) -> None:
        self.pairs = pairs
        self.what = "tuple of pairs of integers" if pairs else "tuple of integers"

    def check(self, value: Any, ty: Type | None) -> tuple[Any, ...]:
        try:
            items = tuple(tuple(item) for item in value) if self.pairs else tuple(value)
            flat = [number for item in items for number in (item if self.pairs else (item,))]
        except TypeError:
            raise self.wrong(value) from None
        if any(isinstance(n, bool) or not isinstance(n, int) or not -(1 << 47) <= n < 1 << 47 for n in flat):
            raise self.wrong(value)
        if len(items) > 64 or (self.pairs and any(len(item) != 2 for item in items)):
            raise self.wrong(value)
        return items

    def text(self, value: tuple[Any, ...]) -> str:
        return f"({', '.join(f'{v[0]}:{v[1]}' if self.pairs else str(v) for v in value)})"

    def parse(self, text: str, ty: Type | None) -> tuple[Any, ...]:
        item = r"-?[0-9]{1,15}"
        item = f"{item}:{item}" if self.pairs else item
        parts = [part.strip() for part in text[1:-1].split(",")]
        parts = [] if parts == [""] else parts
        if text[:1] + text[-1:] != "()" or not all(re.fullmatch(item, part) for part in parts):
            raise self.wrong(text)
        return self.check(tuple(tuple(map(int, p.split(":"))) if self.pairs else int(p) for p in parts), ty)

    def json(self, value: tuple[Any, ...]) -> list[Any]:
        return [list(item) for item in value] if self.pairs else list(value)

    def from_json(self, value: Any, ty: Type | None) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise self.wrong(value)
        return self.check(value, ty)

    def write(self, out: ByteWriter, value: tuple[Any, ...], labels: Labels) -> None:
        flat = [number for item in value for number in (item if self.pairs else (item,))]
        out.uint(len(flat))
        for number in flat:
            out.sint(number)

    def read(self, source: ByteReader, ty: Type | None, labels: Labels) -> tuple[Any, ...]:
        numbers = [source.sint() for _ in range(source.uint(129))]
        if not self.pairs:
            return self.check(numbers, ty)
        if len(numbers) % 2:
            raise source.fail("a list of pairs has an odd length")
        return self.check(list(zip(numbers[::2], numbers[1::2], strict=True)), ty)


_ADDRESS = AddressKind()

# The kinds that instruction rows name. `load`, `store` and `rmw` say what happens at the address, `place` only
# forms it.
KINDS: dict[str, Kind] = {
    "type": TypeKind(),
    "register": RegisterKind(),
    "predicate": PredicateKind(guard=False),
    "guard": PredicateKind(guard=True),
    "label": LabelKind(),
    "imm": ImmediateKind(),
    "load": _ADDRESS,
    "store": _ADDRESS,
    "rmw": _ADDRESS,
    "place": _ADDRESS,
    "u8": IntegerKind(0, 255),
    "i8": IntegerKind(-128, 127),
    "u16": IntegerKind(0, 65535),
    "i32": IntegerKind(-(1 << 31), (1 << 31) - 1),
    "name": NameKind(),
    "size": UnionKind("size: a number, a register or the name of a scalar parameter", int, Register, str),
    "scalar": UnionKind("factor: a number, a register or the name of a scalar parameter", float, Register, str),
    "pool": UnionKind("pool: #number, a register or the name of a pool parameter", PoolHandle, Register, str),
    "result": UnionKind("result: an address or a register", Address, Register),
    "bool": BooleanKind(),
    "ints": IntegersKind(pairs=False),
    "pairs": IntegersKind(pairs=True),
    **{
        enum.__name__: EnumKind(enum)
        for enum in (Condition, MemoryScope, AtomicOperation, MapOperation, BinaryMapOperation, ReduceOperation)
    },
}
