"""Reads WebAssembly modules: the parts of the binary format, taken off a range of bytes that nobody trusts."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...errors import CompileError
from .encoder import VALUE_TYPES

__all__ = ["TYPE_NAMES", "MalformedModule", "ModuleReader", "sections"]

TYPE_NAMES = {code: name for name, code in VALUE_TYPES.items()}


class MalformedModule(CompileError):
    """Bytes that are no module of the encoder's kind. `offset` is the place of the first wrong byte."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(None, f"byte {offset}: {reason}")
        self.offset = offset


class ModuleReader:
    """Reads the parts of the binary format from a range of the bytes."""

    def __init__(self, data: bytes, start: int, end: int) -> None:
        self.data, self.at, self.end = data, start, end

    def byte(self) -> int:
        return self.raw(1)[0]

    def raw(self, count: int) -> bytes:
        if self.at + count > self.end:
            raise MalformedModule(self.at, f"{count} more bytes should follow, but the part ends at byte {self.end}")
        self.at += count
        return self.data[self.at - count : self.at]

    def unsigned(self) -> int:
        """A u32 in LEB128."""
        start, value, shift = self.at, 0, 0
        if start < self.end and self.data[start] < 0x80:  # as most are
            self.at += 1
            return self.data[start]
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if shift == 28 and byte > 0x0F:
                raise MalformedModule(start, "a number of more than 32 bits")
            if byte < 0x80:
                return value
            shift += 7

    def signed(self, bits: int) -> int:
        """A signed number of that many bits in LEB128."""
        start, value, shift = self.at, 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                value -= (byte & 0x40) << (shift - 6)
                if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
                    raise MalformedModule(start, f"a number of more than {bits} bits")
                return value
            if shift >= bits:
                raise MalformedModule(start, f"a number of more than {bits} bits")

    def size(self, what: str) -> int:
        """A count of items of at least one byte each."""
        start, count = self.at, self.unsigned()
        if count > self.end - self.at:
            raise MalformedModule(start, f"{count} {what} do not fit into the {self.end - self.at} bytes left")
        return count

    def name(self) -> str:
        start = self.at
        try:
            return self.raw(self.size("bytes of a name")).decode()
        except UnicodeDecodeError:
            raise MalformedModule(start, "a name that is not UTF-8") from None

    def part(self, what: str) -> ModuleReader:
        """The next part of the bytes, which starts with its size."""
        size = self.size(f"bytes of {what}")
        self.at += size
        return ModuleReader(self.data, self.at - size, self.at)

    def value_type(self) -> str:
        start, code = self.at, self.byte()
        if code not in TYPE_NAMES:
            raise MalformedModule(start, f"the value type {code:#04x} is not known")
        return TYPE_NAMES[code]

    def function_type(self) -> tuple[list[str], list[str]]:
        """Types of the parameters and the results of a function."""
        start = self.at
        if self.byte() != 0x60:
            raise MalformedModule(start, "a type that is not a function's")
        params = [self.value_type() for _ in range(self.size("parameters"))]
        return params, [self.value_type() for _ in range(self.size("results"))]

    def finish(self, what: str) -> None:
        if self.at != self.end:
            raise MalformedModule(self.at, f"{what} ends here, but {self.end - self.at} bytes are left")


def sections(data: bytes, known: Collection[int], whose: str) -> Iterator[tuple[int, ModuleReader]]:
    """The sections of a module in their order, by number: those known, which have to be read to their ends, and custom
    ones, whose number is 0. Raises MalformedModule for others, of which the message says that they are not `whose`."""
    if data[:8] != b"\0asm\x01\0\0\0":
        raise MalformedModule(0, "a module starts with \\0asm and the version 1")
    reader, last = ModuleReader(data, 8, len(data)), 0
    while reader.at < reader.end:
        start, number = reader.at, reader.byte()
        section = reader.part("a section")
        if number == 0:
            yield number, section
            continue
        if number not in known:
            raise MalformedModule(start, f"section {number} is not one that {whose}")
        if number <= last:
            raise MalformedModule(start, f"section {number} may not stand behind section {last}")
        last = number
        yield number, section
        section.finish(f"section {number}")
