"""Addresses (isa.md section 4): a base known statically, and a byte offset.

| text                   | made by                                                  |
|------------------------|----------------------------------------------------------|
| `[x + 16]`             | `Address.Buffer("x", 16)`                                |
| `[x + r3*4 + 16]`      | `Address.Register("x", r(3), scale=4, offset=16)`        |
| `[pool p + r3]`        | `Address.Register(Address.Pool("p"), r(3))`              |
| `[shared + r3*4]`      | `Address.Register(Address.Shared(), r(3), scale=4)`      |
| `[.local + r3*4]`      | `Address.Register(Address.Local(), r(3), scale=4)`       |
| `[class 5 + 16]`       | `Address.Class(5, 16)`                                   |
| `[buffer #7]`          | `Address.Buffer(BufferHandle(7))`, lifted to a parameter |
| `[*r4]`                | `Address.Register(r(4))`, r4 made by LEA                 |
| `[phi r1, 2, r3]`      | `Address.Phi(r(1), 2, r(3))`                             |

The byte offset `index * scale + offset` is computed exactly, without wrapping, from an integer register of any
type up to 64 bits; outside the memory it is the fault OutOfBounds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ..errors import IsaError
from . import operands
from .operands import BufferHandle, PoolHandle, Register, check_name

__all__ = ["ON_CHIP", "Address", "BaseOperand", "Space"]

_Coordinate = Register | int
BaseOperand = str | Register | BufferHandle | PoolHandle | int | None
_MAX_OFFSET = 1 << 40


class Space(Enum):
    """Which memory an address is in; `POINTER` and `PHI` say how it is formed. `LOCAL` is each lane's own."""

    BUFFER = 0
    POOL = 1
    SHARED = 2
    CLASS = 3
    POINTER = 4
    PHI = 5
    LOCAL = 6

    __hash__ = object.__hash__  # by identity, as that of Type


# Memories that no buffer shares a byte with, nor another of them.
ON_CHIP = frozenset({Space.SHARED, Space.LOCAL})


@dataclass(frozen=True, slots=True)
class Address:
    """A memory operand. Use the constructors `Buffer`, `Pool`, `Shared`, `Local`, `Class`, `Register`, `Phi`.

    `base` is a parameter name, a register that holds a parameter, a handle, or a class id; `index` a register with
    an integer, multiplied by `scale`; `offset` a number of bytes. For `PHI`, `coordinates` holds class, page, byte.
    """

    space: Space
    base: BaseOperand = None
    index: Register | None = None
    scale: int = 1
    offset: int = 0
    coordinates: tuple[Register | int, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.base, str):
            check_name(self.base, "parameter")
        if self.index is not None and not isinstance(self.index, Register):
            raise IsaError(f"the address index {self.index!r} is not a register: a constant goes into the offset")
        if type(self.base) is int and not 0 <= self.base <= 255:  # the verifier knows that there are only 96
            raise IsaError(f"class {self.base} does not exist: classes are 0 to 95")
        if type(self.offset) is not int or not -_MAX_OFFSET < self.offset < _MAX_OFFSET:
            raise IsaError(f"the address offset {self.offset!r} is not an integer below 2**40")
        if type(self.scale) is not int or not 1 <= self.scale <= 65536:
            raise IsaError(f"the address scale {self.scale!r} is not an integer from 1 to 65536")

    @staticmethod
    def Buffer(base: str | Register | BufferHandle, offset: int = 0) -> Address:
        """`offset` bytes into a buffer parameter (by name or register) or a buffer given by handle."""
        return Address(Space.BUFFER, _base(base, (str, Register, BufferHandle), "buffer"), offset=offset)

    BufferOffset = Buffer

    @staticmethod
    def Pool(base: str | Register | PoolHandle, offset: int = 0) -> Address:
        """`offset` bytes into a pool parameter or a pool given by handle."""
        return Address(Space.POOL, _base(base, (str, Register, PoolHandle), "pool"), offset=offset)

    PoolOffset = Pool

    @staticmethod
    def Shared(offset: int = 0) -> Address:
        """`offset` bytes into the shared memory of the block."""
        return Address(Space.SHARED, offset=offset)

    @staticmethod
    def Local(offset: int = 0) -> Address:
        """`offset` bytes into the lane's own memory."""
        return Address(Space.LOCAL, offset=offset)

    @staticmethod
    def Class(class_id: int, offset: int = 0) -> Address:
        """`offset` bytes into the buffer bound to a class, by default its class memory."""
        return Address(Space.CLASS, _base(class_id, (int,), "class"), offset=offset)

    @staticmethod
    def Register(
        base: str | operands.Register | BufferHandle | Address,
        index: operands.Register | None = None,
        *,
        scale: int = 1,
        offset: int = 0,
    ) -> Address:
        """`index * scale + offset` bytes into a base; with one argument, the place a LEA pointer points to."""
        if index is None:
            if not isinstance(base, Register) or scale != 1 or offset != 0:
                raise IsaError("Address.Register(pointer) takes one register made by LEA, no scale and no offset")
            return Address(Space.POINTER, base)
        if not isinstance(base, Address):
            base = Address.Buffer(base)
        if base.index is not None or base.space in (Space.POINTER, Space.PHI):
            raise IsaError(f"{base} cannot be the base of an indexed address: its place is computed already")
        return Address(base.space, base.base, index, scale, base.offset + offset, base.coordinates)

    @staticmethod
    def Phi(class_id: _Coordinate, page: _Coordinate, byte: _Coordinate) -> Address:
        """Byte 12288 * class + 256 * page + byte of the class memory."""
        for value in (class_id, page, byte):
            if not isinstance(value, Register) and not (type(value) is int and 0 <= value < 256):
                raise IsaError(f"{value!r} is no Phi coordinate: use a register or an integer from 0 to 255")
        return Address(Space.PHI, coordinates=(class_id, page, byte))

    @property
    def registers(self) -> tuple[operands.Register, ...]:
        """The registers read to form the address, the one that holds the base included."""
        found = [self.base, self.index, *self.coordinates]
        return tuple(value for value in found if isinstance(value, Register))

    def renamed(self, name: Callable[[operands.Register], operands.Register]) -> Address:
        """The address with `name(register)` for each register."""
        found = (self.base, self.index, *self.coordinates)
        base, index, *rest = (name(value) if isinstance(value, Register) else value for value in found)
        return Address(self.space, base, index, self.scale, self.offset, tuple(rest))  # type: ignore[arg-type]

    def __str__(self) -> str:
        if self.space is Space.POINTER:
            return f"[*{self.base}]"
        if self.space is Space.PHI:
            return f"[phi {', '.join(map(str, self.coordinates))}]"
        base = f"#{self.base.id}" if isinstance(self.base, (BufferHandle, PoolHandle)) else str(self.base)
        if self.space in _NAMELESS:
            text = _NAMELESS[self.space]
        elif self.space is Space.BUFFER:
            text = f"buffer {base}" if isinstance(self.base, BufferHandle) else base
        else:
            text = f"{self.space.name.lower()} {base}"
        if self.index is not None:
            text += f" + {self.index}" + (f"*{self.scale}" if self.scale != 1 else "")
        if self.offset:
            text += f" {'-' if self.offset < 0 else '+'} {abs(self.offset)}"
        return f"[{text}]"

    @staticmethod
    def parse(text: str) -> Address:
        """The address of a text form. Raises IsaError."""
        body = text.strip()
        if pointer := re.fullmatch(r"\[\s*\*\s*r([0-9]{1,3})\s*\]", body):
            return Address.Register(Register(int(pointer[1])))
        if phi := re.fullmatch(r"\[\s*phi\s([^,\]]+),([^,\]]+),([^,\]]+)\]", body):
            a, b, c = (_register_or_int(part.strip(), text) for part in phi.groups())
            return Address.Phi(a, b, c)
        match = _ADDRESS.fullmatch(body)
        if not match:
            raise IsaError(
                f"cannot read the address {text!r}: write [name + r1*4 + 16], [pool name], [shared + 8], "
                "[.local + 8], [class 5], [*r1] or [phi r1, 2, r3]"
            )
        keyword, name, handle, index, scale, sign, offset = match.groups()
        number = int(offset or 0) * (-1 if sign == "-" else 1)
        register = re.fullmatch(r"r([0-9]{1,3})", name or "")
        base: BaseOperand = Register(int(register[1])) if register else name
        if handle is not None:
            base = PoolHandle(int(handle)) if keyword == "pool" else BufferHandle(int(handle))
        if keyword == "class":
            if name is None or not name.isdecimal():
                raise IsaError(f"the class in {text!r} is not a number from 0 to 95")
            base = int(name)
        own = next((space for space, word in _NAMELESS.items() if word == name), None)
        if own is not None:
            if keyword is not None:
                raise IsaError(f"{text!r} names two memories: write [{name} + 8]")
            base = None
        space = own or (Space[keyword.upper()] if keyword else Space.BUFFER)
        if (keyword is None or keyword == "buffer") and handle is not None and keyword != "buffer":
            raise IsaError(f"the handle in {text!r} needs a kind: write [buffer #{handle}] or [pool #{handle}]")
        return Address(
            space, base, None if index is None else Register(int(index)), int(scale or 1) if index else 1, number
        )


# Texts of memories without a name. Parameters may be called local, but no name starts with a dot.
_NAMELESS = {Space.SHARED: "shared", Space.LOCAL: ".local"}
_ADDRESS = re.compile(
    r"\[\s*(?:(buffer|pool|class)\s+)?(?:([A-Za-z_$][A-Za-z0-9_$.]*|\.local|[0-9]{1,3})|#([0-9]{1,18}))"
    r"(?:\s*\+\s*r([0-9]{1,3})(?:\s*\*\s*([0-9]{1,6}))?)?(?:\s*([+-])\s*([0-9]{1,15}))?\s*\]"
)


def _base(value: object, kinds: tuple[type, ...], what: str) -> BaseOperand:
    if not isinstance(value, kinds) or isinstance(value, bool):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise IsaError(f"{value!r} is no base of a {what} address: give a {names}")
    return value  # type: ignore[return-value]  # checked by isinstance just above


def _register_or_int(text: str, whole: str) -> Register | int:
    if match := re.fullmatch(r"r([0-9]{1,3})", text):
        return Register(int(match[1]))
    if re.fullmatch(r"[0-9]{1,3}", text):
        return int(text)
    raise IsaError(f"cannot read the coordinate {text!r} of {whole!r}: write a register or a number")
