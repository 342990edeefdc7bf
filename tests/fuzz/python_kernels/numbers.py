"""Typed numbers for the oracle: what docs/kernel_reference.md and the contract say of values, in plain Python.

Written from these texts alone. Nothing of the frontend, of the instruction table or of NumPy is used, so that a mistake
there is not made here as well. Integers are Python's, cut to their width; floats are Python's, rounded to their type.

A Python int, float or bool is a literal. A `Num` is a value of a lane; a `weak` one was made by conditions and literals
alone, is held as I32, F32 or a condition, and takes the type of what it meets.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

__all__ = ["BOOL", "FLOAT", "INT", "TYPES", "Num", "OracleError", "Ty", "arithmetic", "convert", "default", "join"]


class OracleError(Exception):
    """The kernel is none that the oracle can speak about: it faults, or should not have been translated."""


class Ty(NamedTuple):
    """A type: "i32" has the kind "i" and 32 bits. The kind of bf16 is "f", too."""

    name: str
    kind: str
    bits: int

    @property
    def low(self) -> int:
        return -(1 << (self.bits - 1)) if self.kind == "i" else 0

    @property
    def high(self) -> int:
        return (1 << (self.bits - (self.kind == "i"))) - 1


TYPES = {name: Ty(name, name[0], int(name[1:])) for name in ("f16", "f32", "f64")}
TYPES["bf16"] = Ty("bf16", "f", 16)
TYPES |= {f"{kind}{bits}": Ty(f"{kind}{bits}", kind, bits) for kind in "iu" for bits in (8, 16, 32, 64, 128, 256, 512)}
I32, U32, F32, F64 = (TYPES[name] for name in ("i32", "u32", "f32", "f64"))
BOOL, INT, FLOAT = Ty("bool", "b", 1), Ty("int", "b", 0), Ty("float", "b", 0)  # kinds that are no types yet
_WEAK = (BOOL, INT, FLOAT)
_MANTISSA = {"f16": (11, -24), "bf16": (8, -133), "f32": (24, -149), "f64": (53, -1074)}  # bits, exponent of the last


def kind_of(value: Any) -> Ty:
    """The type of a value, or the kind of what has none."""
    if isinstance(value, Num):
        return (BOOL if value.ty is BOOL else INT if value.ty is I32 else FLOAT) if value.weak else value.ty
    return BOOL if isinstance(value, bool) else INT if isinstance(value, int) else FLOAT


def float_of(ty: Ty) -> Ty:
    """The float in which an integer meets floats."""
    if ty in _WEAK:
        return FLOAT
    return ty if ty.kind == "f" else F64 if ty.bits >= 64 else F32


def default(ty: Ty) -> Ty:
    return ty if ty not in _WEAK else F32 if ty is FLOAT else I32


def join(a: Ty, b: Ty) -> Ty:
    """The type in which two values meet: the table "Types" of docs/kernel_reference.md."""
    if a in _WEAK and b in _WEAK:
        return FLOAT if FLOAT in (a, b) else INT
    if a in _WEAK:
        a, b = b, a
    if b in _WEAK:
        return float_of(a) if b is FLOAT else a
    if "f" in (a.kind, b.kind):
        a, b = float_of(a), float_of(b)
        if a is not b and a.bits == b.bits:
            return F32
    if a.bits == b.bits:
        return a if a.kind != "u" else b
    return a if a.bits > b.bits else b


# Rounding


def rounded(ty: Ty, value: float | int | Fraction) -> float:
    """A number rounded once to a float type, halves to even."""
    if isinstance(value, float):
        if ty is F64 or value != value or math.isinf(value) or value == 0:
            return value
        if ty.name != "bf16":
            try:
                form = "<f" if ty is F32 else "<e"
                return float(struct.unpack(form, struct.pack(form, value))[0])
            except OverflowError:
                return math.copysign(math.inf, value)
    exact = Fraction(value)
    if exact == 0:
        return 0.0
    bits, last = _MANTISSA[ty.name]
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    place = max(exponent - bits + 1, last)
    whole = round(size / Fraction(2) ** place)  # halves to even
    limit = {"f16": 16, "bf16": 128, "f32": 128, "f64": 1024}[ty.name]
    result = math.inf if whole.bit_length() + place > limit else math.ldexp(whole, place)
    return -result if exact < 0 else result


def wrap(ty: Ty, number: int) -> int:
    number &= (1 << ty.bits) - 1
    return number - (1 << ty.bits) if ty.kind == "i" and number >> (ty.bits - 1) else number


def bits_of(ty: Ty, value: Any) -> int:
    """The bits of a value of a type."""
    if ty.kind != "f":
        return int(value) & ((1 << ty.bits) - 1)
    if ty.name == "bf16":
        return int.from_bytes(struct.pack("<f", value), "little") >> 16
    form = {"f16": "<e", "f32": "<f", "f64": "<d"}[ty.name]
    return int.from_bytes(struct.pack(form, value), "little")


def of_bits(ty: Ty, bits: int) -> Any:
    """The value that bits are."""
    if ty.kind != "f":
        return wrap(ty, bits)
    if ty.name == "bf16":
        return struct.unpack("<f", (bits << 16).to_bytes(4, "little"))[0]
    form = {"f16": "<e", "f32": "<f", "f64": "<d"}[ty.name]
    return struct.unpack(form, bits.to_bytes(ty.bits // 8, "little"))[0]


def raw(value: Any, ty: Ty, stored: bool = False) -> Any:
    """The Python number that a value is in a type: what meets is converted, literals have to fit."""
    weak = not isinstance(value, Num)
    number = value if weak else value.v
    kind = kind_of(value)
    if ty.kind == "f":
        return rounded(ty, int(number) if isinstance(number, bool) else number)
    if isinstance(number, float):
        raise OracleError(f"{number!r} of {kind.name} does not become {ty.name}{' by itself' * stored}")
    if weak and not ty.low <= number <= ty.high:
        raise OracleError(f"{number} does not fit {ty.name}")
    return wrap(ty, int(number))


def convert(value: Any, ty: Ty) -> Num:
    """What an assignment to a variable or element of a type keeps."""
    return Num(ty, raw(value, ty, stored=True))


def cast(value: Any, ty: Ty) -> Num:
    """hg.u32(x)."""
    number = value.v if isinstance(value, Num) else value
    if ty.kind == "f" or not isinstance(number, float):
        if ty.kind == "f":
            return Num(ty, rounded(ty, int(number) if isinstance(number, bool) else number))
        return Num(ty, wrap(ty, int(number)))
    if number != number:
        return Num(ty, 0)
    if math.isinf(number):
        return Num(ty, ty.high if number > 0 else ty.low)
    return Num(ty, max(ty.low, min(ty.high, math.trunc(number))))


# Operators


def _divide(ty: Ty, a: Any, b: Any) -> Any:
    if b == 0:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1, b)
    return rounded(ty, a / b)


def _checked(compute: Callable[[float, float], float]) -> Callable[[Ty, Any, Any], Any]:
    def run(ty: Ty, a: Any, b: Any) -> Any:
        if ty.kind != "f":
            return wrap(ty, compute(a, b))  # type: ignore[arg-type]
        try:
            found = compute(a, b)
        except OverflowError:
            raise OracleError("overflow") from None
        # One operation of F32, then one rounding to the smaller type.
        return rounded(ty, rounded(F32, found)) if ty.bits == 16 else rounded(ty, found)

    return run


def _python_division(ty: Ty, a: Any, b: Any) -> tuple[Any, Any]:
    """a // b and a % b: the algorithm of Python's float, each step rounded to the type."""
    if ty.kind != "f":
        if b == 0:
            raise OracleError("DivisionByZero")
        return wrap(ty, a // b), wrap(ty, a % b)
    if b == 0:
        return _divide(ty, a, b), math.nan
    if a != a or b != b or math.isinf(a):
        return math.nan, math.nan
    rest = math.fmod(a, b)
    quotient = rounded(ty, rounded(ty, a - rest) / b)
    if rest:
        if (b < 0) != (rest < 0):
            rest = rounded(ty, rest + b)
            quotient = rounded(ty, quotient - 1.0)
    else:
        rest = math.copysign(0.0, b)
    if quotient and not math.isinf(quotient):
        whole = math.floor(quotient)
        if rounded(ty, quotient - whole) > 0.5:
            whole += 1
        return rounded(ty, whole) if whole else math.copysign(0.0, _divide(ty, a, b)), rest
    return (quotient or math.copysign(0.0, _divide(ty, a, b))), rest


_OPERATORS: dict[str, Callable[[Ty, Any, Any], Any]] = {
    "+": _checked(lambda a, b: a + b),
    "-": _checked(lambda a, b: a - b),
    "*": _checked(lambda a, b: a * b),
    "//": lambda ty, a, b: _python_division(ty, a, b)[0],
    "%": lambda ty, a, b: _python_division(ty, a, b)[1],
    "/": lambda ty, a, b: rounded(ty, _divide(F32, a, b)) if ty.bits == 16 else _divide(ty, a, b),
    "&": lambda ty, a, b: wrap(ty, a & b),
    "|": lambda ty, a, b: wrap(ty, a | b),
    "^": lambda ty, a, b: wrap(ty, a ^ b),
    "<<": lambda ty, a, b: wrap(ty, a << b % ty.bits),
    ">>": lambda ty, a, b: wrap(ty, a >> b % ty.bits),
}


def result(kind: Ty, value: Any) -> Num:
    """A computed value of a kind."""
    return Num(BOOL if kind is BOOL else default(kind), value, kind in _WEAK)


def arithmetic(symbol: str, a: Any, b: Any) -> Num:
    """A binary operator, one side of which is a Num."""
    x, y = kind_of(a), kind_of(b)
    if symbol in ("<<", ">>"):
        kind = join(x, y) if x in _WEAK else x
        amount = b.v if isinstance(b, Num) else b
        if "f" in (default(kind).kind, default(y).kind):
            raise OracleError("floats are not shifted")
        return result(kind, _OPERATORS[symbol](default(kind), raw(a, default(kind)), int(amount)))
    if symbol in ("&", "|", "^") and x is BOOL and y is BOOL:
        return result(BOOL, _OPERATORS[symbol](Ty("bool", "u", 1), int(bool(a)), int(bool(b))))
    kind = float_of(join(x, y)) if symbol == "/" else join(x, y)
    ty = default(kind)
    if symbol in ("&", "|", "^") and ty.kind == "f":
        raise OracleError(f"{symbol} works on integers")
    return result(kind, _OPERATORS[symbol](ty, raw(a, ty), raw(b, ty)))


def power(a: Any, b: Any) -> Num:
    """a ** b for a literal b: products, or their reciprocal; a root for 0.5."""
    kind = INT if kind_of(a) is BOOL else kind_of(a)
    ty = default(kind)
    if b == 0.5:
        return Num(default(float_of(kind)), square_root(default(float_of(kind)), raw(a, default(float_of(kind)))))
    if not isinstance(b, int) or isinstance(b, Num):
        raise OracleError("** of what is no literal")
    base, found = raw(a, ty), 1 if ty.kind != "f" else 1.0
    for _ in range(abs(b)):
        found = _OPERATORS["*"](ty, found, base)
    return result(kind, _OPERATORS["/"](ty, 1.0, found) if b < 0 else found)


def square_root(ty: Ty, number: float) -> float:
    if not number >= 0:
        return math.nan
    found = math.sqrt(number)
    return rounded(ty, rounded(F32, found)) if ty.bits == 16 else rounded(ty, found)


_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def compared(symbol: str, a: Any, b: Any) -> Num:
    ty = default(join(kind_of(a), kind_of(b)))
    return Num(BOOL, int(_COMPARED[symbol](raw(a, ty), raw(b, ty))), True)


def _binary(symbol: str) -> Any:
    return lambda a, b: arithmetic(symbol, a, b) if isinstance(b, _NUMBERS) else NotImplemented


def _swapped(symbol: str) -> Any:
    return lambda a, b: arithmetic(symbol, b, a) if isinstance(b, _NUMBERS) else NotImplemented


def _comparison(symbol: str) -> Any:
    return lambda a, b: compared(symbol, a, b)


class Num:
    """A value of a lane."""

    __slots__ = ("ty", "v", "weak")

    def __init__(self, ty: Ty, v: Any, weak: bool = False) -> None:
        self.ty, self.v, self.weak = ty, v, weak

    def __bool__(self) -> bool:
        return bool(self.v != 0)

    def __index__(self) -> int:
        if isinstance(self.v, float):
            raise OracleError("an index is an integer")
        return int(self.v)

    def __repr__(self) -> str:
        return f"{self.ty.name}({self.v!r}{', weak' if self.weak else ''})"

    def __neg__(self) -> Num:
        kind = INT if kind_of(self) is BOOL else kind_of(self)
        ty = default(kind)
        number = raw(self, ty)
        return result(kind, -number if ty.kind == "f" else wrap(ty, -number))

    def __pos__(self) -> Num:
        kind = INT if kind_of(self) is BOOL else kind_of(self)
        return result(kind, raw(self, default(kind)))

    def __invert__(self) -> Num:
        if kind_of(self) is BOOL or isinstance(self.v, float):
            raise OracleError("~ works on integers")
        return result(kind_of(self), wrap(default(self.ty), ~self.v))

    def __pow__(self, other: Any) -> Num:
        return power(self, other)

    __hash__ = None  # type: ignore[assignment]
    __add__, __radd__ = _binary("+"), _swapped("+")
    __sub__, __rsub__ = _binary("-"), _swapped("-")
    __mul__, __rmul__ = _binary("*"), _swapped("*")
    __truediv__, __rtruediv__ = _binary("/"), _swapped("/")
    __floordiv__, __rfloordiv__ = _binary("//"), _swapped("//")
    __mod__, __rmod__ = _binary("%"), _swapped("%")
    __and__, __rand__ = _binary("&"), _swapped("&")
    __or__, __ror__ = _binary("|"), _swapped("|")
    __xor__, __rxor__ = _binary("^"), _swapped("^")
    __lshift__, __rlshift__ = _binary("<<"), _swapped("<<")
    __rshift__, __rrshift__ = _binary(">>"), _swapped(">>")
    __eq__, __ne__ = _comparison("=="), _comparison("!=")
    __lt__, __le__, __gt__, __ge__ = (_comparison(symbol) for symbol in ("<", "<=", ">", ">="))


_NUMBERS = (Num, int, float)
