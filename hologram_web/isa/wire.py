"""Little-endian byte streams for the binary form: a writer, and a reader that never trusts what it reads."""

from __future__ import annotations

import struct

from ..errors import IsaError

__all__ = ["ByteReader", "ByteWriter"]


class ByteWriter:
    """Appends values to a bytearray."""

    def __init__(self) -> None:
        self.data = bytearray()

    def u8(self, value: int) -> None:
        self.data.append(value)

    def uint(self, value: int) -> None:
        """Unsigned LEB128, as WebAssembly has it."""
        while value > 0x7F:
            self.data.append(value & 0x7F | 0x80)
            value >>= 7
        self.data.append(value)

    def sint(self, value: int) -> None:
        """A signed integer, zig-zag coded."""
        self.uint(value * 2 if value >= 0 else -value * 2 - 1)

    def f64(self, value: float) -> None:
        self.data += struct.pack("<d", value)

    def string(self, text: str) -> None:
        raw = text.encode()
        self.uint(len(raw))
        self.data += raw


class ByteReader:
    """Takes values off bytes; whatever is missing or too large is an IsaError that names the byte offset."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def fail(self, what: str) -> IsaError:
        return IsaError(f"damaged program bytes at offset {self.position}: {what}")

    def take(self, count: int) -> bytes:
        end = self.position + count
        if end > len(self.data):
            raise self.fail(f"{count} bytes are missing")
        part = self.data[self.position : end]
        self.position = end
        return part

    def u8(self) -> int:
        return self.take(1)[0]

    def uint(self, limit: int = 1 << 64) -> int:
        """Unsigned LEB128 below `limit`."""
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            shift += 7
            if value >= limit or shift > 70:
                raise self.fail(f"a number is not below {limit}")
            if byte < 0x80:
                return value

    def sint(self) -> int:
        coded = self.uint()
        return coded >> 1 if not coded & 1 else -((coded + 1) >> 1)

    def f64(self) -> float:
        return float(struct.unpack("<d", self.take(8))[0])

    def string(self) -> str:
        raw = self.take(self.uint(1 << 24))
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise self.fail("a text is not UTF-8") from None
