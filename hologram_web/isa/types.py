"""The 24 types of the ISA (isa.md section 2) and conversions between Python numbers and bit patterns.

Everywhere in the core a *scalar value* is its raw bit pattern, a non-negative int below 2**bits. That way equal
constants are equal (0.0 and -0.0 are not), NaN payloads survive, and every width up to 4096 bits looks alike.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, Any

from ..errors import IsaError

if TYPE_CHECKING:
    import numpy

__all__ = ["ATOMIC_INTS", "FLOATS", "INTEGERS", "NUMBERS", "SMALL", "WIDE", "Type", "round_ratio"]


class Type(Enum):
    """A data type. `Type.F32` and `hologram_web.f32` are the same object.

    `.id` numbers the types in binary form and is never renumbered.
    """

    F16 = (0, "f", 16)
    BF16 = (1, "f", 16)
    F32 = (2, "f", 32)
    F64 = (3, "f", 64)
    I8 = (4, "i", 8)
    I16 = (5, "i", 16)
    I32 = (6, "i", 32)
    I64 = (7, "i", 64)
    I128 = (8, "i", 128)
    I256 = (9, "i", 256)
    I512 = (10, "i", 512)
    I1024 = (11, "i", 1024)
    I2048 = (12, "i", 2048)
    I4096 = (13, "i", 4096)
    U8 = (14, "u", 8)
    U16 = (15, "u", 16)
    U32 = (16, "u", 32)
    U64 = (17, "u", 64)
    U128 = (18, "u", 128)
    U256 = (19, "u", 256)
    U512 = (20, "u", 512)
    U1024 = (21, "u", 1024)
    U2048 = (22, "u", 2048)
    U4096 = (23, "u", 4096)

    id: int
    kind: str
    bits: int
    size_bytes: int
    alignment: int
    is_float: bool
    is_integer: bool
    is_signed: bool
    is_unsigned: bool
    is_wide: bool
    argument_bytes: int
    mantissa: int
    exponent: int

    def __init__(self, number: int, kind: str, bits: int) -> None:
        self.id = number
        self._text = self._name_.lower()
        self.kind = kind
        self.bits = bits
        self.size_bytes = bits // 8
        self.alignment = min(bits // 8, 16)  # of a memory access, in bytes
        self.is_float = kind == "f"
        self.is_integer = not self.is_float
        self.is_signed = kind != "u"
        self.is_unsigned = kind == "u"
        self.is_wide = bits > 64  # than a machine word: I128 and up
        self.argument_bytes = max(bits // 8, 8)  # of a scalar in an argument block, padded with zeros
        # Stored mantissa bits and exponent bits of the IEEE 754 layout; 0 for integers.
        self.mantissa = {0: 10, 1: 7, 2: 23, 3: 52}.get(number, 0)
        self.exponent = bits - 1 - self.mantissa if self.is_float else 0

    __hash__ = object.__hash__  # by identity: Enum's own goes through the name and is three times slower

    def __repr__(self) -> str:
        return f"Type.{self.name}"

    def __str__(self) -> str:
        return self._text

    @classmethod
    def named(cls, name: str) -> Type:
        """The type of that name, upper or lower case. Raises IsaError."""
        try:
            return cls[name.upper()]
        except KeyError:
            raise IsaError(f"unknown type {name!r}: use one of {', '.join(map(str, cls))}") from None

    @property
    def unsigned(self) -> Type:
        """The unsigned integer type of the same width."""
        return Type[f"U{self.bits}"]

    @property
    def signed(self) -> Type:
        """The signed integer type of the same width."""
        return Type[f"I{self.bits}"]

    @property
    def numpy(self) -> numpy.dtype[Any]:
        """The NumPy dtype that holds it. BF16 is held as the uint16 of its bits, wide integers as void bytes."""
        import numpy

        if self is Type.BF16:
            return numpy.dtype("<u2")
        return numpy.dtype(f"V{self.size_bytes}" if self.is_wide else f"<{self.kind}{self.size_bytes}")

    def zero(self) -> int | float:
        return 0.0 if self.is_float else 0

    def one(self) -> int | float:
        return 1.0 if self.is_float else 1

    @property
    def min_value(self) -> int | float:
        """The least value: -inf for floats."""
        if self.is_float:
            return -math.inf
        return -(1 << (self.bits - 1)) if self.is_signed else 0

    @property
    def max_value(self) -> int | float:
        """The greatest value: +inf for floats."""
        if self.is_float:
            return math.inf
        return (1 << (self.bits - self.is_signed)) - 1

    def from_float(self, value: float) -> int | float:
        """`value` as this type holds it: rounded for floats; truncated and saturated, NaN to 0, for integers."""
        if self.is_float:
            return self.decode(self.encode(value))
        if value != value:
            return 0
        if math.isinf(value):
            return self.max_value if value > 0 else self.min_value
        return max(self.min_value, min(self.max_value, math.trunc(value)))

    def to_float(self, value: int | float) -> float:
        """`value` of this type as a Python float, rounded to nearest even where it has more digits."""
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf

    # Bit patterns

    def encode(self, value: int | float) -> int:
        """Bit pattern of a Python number: integers wrap modulo 2**bits, floats round to nearest even."""
        if self.kind != "f":
            return int(value) & ((1 << self.bits) - 1)
        if isinstance(value, int):
            return round_ratio(self, value, 1, value < 0)
        if self is Type.F64:
            return int.from_bytes(struct.pack("<d", value), "little")
        if value != value or value in (math.inf, -math.inf):
            sign = int(math.copysign(1, value) < 0) << (self.bits - 1)
            quiet = (1 << (self.mantissa - 1)) if value != value else 0
            return sign | ((1 << self.exponent) - 1) << self.mantissa | quiet
        if self is Type.F32:
            try:
                return int.from_bytes(struct.pack("<f", value), "little")
            except OverflowError:
                return 0x7F800000 if value > 0 else 0xFF800000
        numerator, denominator = value.as_integer_ratio()
        return round_ratio(self, numerator, denominator, math.copysign(1, value) < 0)

    def decode(self, bits: int) -> int | float:
        """Python number of a bit pattern; exact, but for NaN payloads."""
        if self.kind == "u":
            return bits
        if self.kind == "i":
            return bits - (1 << self.bits) if bits >> (self.bits - 1) else bits
        if self is Type.F16:
            return float(struct.unpack("<e", bits.to_bytes(2, "little"))[0])
        if self is Type.F64:
            return float(struct.unpack("<d", bits.to_bytes(8, "little"))[0])
        return float(struct.unpack("<f", (bits << (16 if self is Type.BF16 else 0)).to_bytes(4, "little"))[0])

    # Values in memory

    def pack(self, values: Iterable[int | float | str]) -> bytes:
        """The bytes of values one after the other: numbers, or text in decimal or after 0x in hexadecimal digits.

        Raises IsaError for an integer that does not fit, or a text that is none.
        """
        return b"".join(self.encode(self._number(value)).to_bytes(self.bits // 8, "little") for value in values)

    def _number(self, value: int | float | str) -> int | float:
        number: int | float
        try:
            if isinstance(value, str):
                number = float(value) if self.is_float else int(value, 0)
            else:
                number = value if self.is_float else operator.index(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise IsaError(f"{value!r} is no {self}: give a number, or its digits") from None
        if self.is_integer and not self.min_value <= number <= self.max_value:
            raise IsaError(f"{value!r} does not fit {self}: it holds {self.bits} bits")
        return number

    def unpack(self, data: bytes | bytearray | memoryview) -> list[int | float]:
        """The values whose bytes these are. Raises IsaError for a rest that is no whole value."""
        raw, size = bytes(data), self.bits // 8
        if len(raw) % size:
            raise IsaError(f"{len(raw)} bytes are no whole number of {self}: a value has {size}")
        return [self.decode(int.from_bytes(raw[at : at + size], "little")) for at in range(0, len(raw), size)]

    def is_nan(self, bits: int) -> bool:
        return self.is_float and bits & ((1 << (self.bits - 1)) - 1) > ((1 << self.exponent) - 1) << self.mantissa


def round_ratio(ty: Type, numerator: int, denominator: int, negative: bool) -> int:
    """Bit pattern of numerator/denominator rounded once, to nearest even, to the float type `ty`.

    Exact for every ratio, subnormal results included; `negative` gives the sign of a zero.
    """
    sign = int(negative) << (ty.bits - 1)
    numerator = abs(numerator)
    if numerator == 0:
        return sign
    bias = (1 << (ty.exponent - 1)) - 1
    # 2**exponent <= ratio < 2**(exponent + 1)
    exponent = numerator.bit_length() - denominator.bit_length()
    if (numerator << max(-exponent, 0)) < (denominator << max(exponent, 0)):
        exponent -= 1
    # The last place of the result has the weight 2**place.
    place = max(exponent, 1 - bias) - ty.mantissa
    quotient, rest = divmod(numerator << max(-place, 0), denominator << max(place, 0))
    twice = 2 * rest
    divisor = denominator << max(place, 0)
    quotient += twice > divisor or (twice == divisor and quotient & 1)
    # Adding the biased exponent lets a carry out of the mantissa raise it, up to infinity.
    field = max(exponent, 1 - bias) + bias - 1
    result = (field << ty.mantissa) + quotient
    infinity = ((1 << ty.exponent) - 1) << ty.mantissa
    return sign | min(result, infinity)


FLOATS = frozenset(ty for ty in Type if ty.is_float)
INTEGERS = frozenset(ty for ty in Type if ty.is_integer)
NUMBERS = frozenset(Type)
WIDE = frozenset(ty for ty in Type if ty.is_wide)
SMALL = NUMBERS - WIDE
ATOMIC_INTS = frozenset({Type.I32, Type.U32, Type.I64, Type.U64})
