"""The ops namespace: the primitives that the reference semantics in the table are written in.

A namespace `o` gives these methods; values are whatever it works on (bit patterns here, NumPy arrays in the cpu
device, IR nodes in the compiler). `ty` is always the type of the operands.

    const(ty, bits)  cvt(dst, src, x)  bitcast(dst, src, x)  select(ty, p, a, b)
    add sub mul div rem min max (ty, a, b)      integer div and rem: truncating, 0 where b is 0
    neg abs sqrt floor ceil round trunc (ty, x)     fma(ty, a, b, c)
    and_ or_ xor (ty, a, b)  not_(ty, x)  shl shr (ty, x, amount)
    popcount clz ctz (ty, x) -> U32: bits that are 1, that are 0 above the highest 1, below the lowest
    rotl(ty, x, amount)
    inverse(U32, a, m): the x with a * x = 1 modulo m, else 0
    eq lt le (ty, a, b) -> predicate   pand por (a, b)  pnot(a)
    call(name, *operands)    a function of `mathematics`, as `exp_f32`; call_if(name, p, otherwise, *operands)
    load store atomic place reduce check and the collectives: of devices only

F16 and BF16 operands widen to F32, one F32 operation is done, and its result is rounded once: `widening` does that
for every namespace.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from .mathematics import routine
from .types import Type, round_ratio

__all__ = [
    "IDENTITIES", "PRED", "PRIMITIVES", "SCALAR_OPS", "Primitive", "ScalarOps", "compute", "reduce_type", "widening",
]  # fmt: skip

PRED = "pred"  # in the place of a type: a predicate
_HALVES = (Type.F16, Type.BF16)

# Where a reduction starts, by the primitive that combines: the value that changes nothing.
IDENTITIES: dict[str, Callable[[Type], int | float]] = {
    "add": lambda ty: 0,
    "mul": lambda ty: 1,
    "min": lambda ty: ty.max_value,
    "max": lambda ty: ty.min_value,
}


def reduce_type(ty: Type) -> Type:
    """The type a reduction accumulates in: F32 for F16 and BF16, which are rounded once at the end."""
    return Type.F32 if ty in _HALVES else ty


def widening(method: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a primitive on floats do F16 and BF16 through F32."""

    @wraps(method)
    def wrapped(self: Any, ty: Type, *operands: Any) -> Any:
        if ty in _HALVES:
            wide = [self.cvt(Type.F32, ty, operand) for operand in operands]
            return self.cvt(ty, Type.F32, method(self, Type.F32, *wide))
        return method(self, ty, *operands)

    return wrapped


class ScalarOps:
    """Primitives on single values held as bit patterns; predicates are bools. Standard library only."""

    def const(self, ty: Type, bits: int) -> int:
        return bits

    def cvt(self, dst: Type, src: Type, x: int) -> int:
        value = src.decode(x)
        if dst.is_float:
            if src.is_nan(x):
                return dst.encode(math.nan)
            return dst.encode(value)
        if src.is_integer:
            return dst.encode(value)
        return dst.encode(dst.from_float(float(value)))

    def bitcast(self, dst: Type, src: Type, x: int) -> int:
        return x

    def select(self, ty: Type, p: bool, a: int, b: int) -> int:
        return a if p else b

    @widening
    def add(self, ty: Type, a: int, b: int) -> int:
        return ty.encode(ty.decode(a) + ty.decode(b))

    @widening
    def sub(self, ty: Type, a: int, b: int) -> int:
        return ty.encode(ty.decode(a) - ty.decode(b))

    @widening
    def mul(self, ty: Type, a: int, b: int) -> int:
        return ty.encode(ty.decode(a) * ty.decode(b))

    @widening
    def div(self, ty: Type, a: int, b: int) -> int:
        x, y = ty.decode(a), ty.decode(b)
        if ty.is_float:
            return ty.encode(_divide(float(x), float(y)))
        if y == 0:
            return 0
        quotient = abs(int(x)) // abs(int(y))
        return ty.encode(quotient if (x < 0) == (y < 0) else -quotient)

    @widening
    def rem(self, ty: Type, a: int, b: int) -> int:
        x, y = ty.decode(a), ty.decode(b)
        if ty.is_float:
            if x != x or y != y or math.isinf(x) or y == 0:
                return ty.encode(math.nan)
            return ty.encode(math.fmod(x, y))
        if y == 0:
            return 0
        rest = abs(int(x)) % abs(int(y))
        return ty.encode(-rest if x < 0 else rest)

    @widening
    def fma(self, ty: Type, a: int, b: int, c: int) -> int:
        x, y, z = (float(ty.decode(value)) for value in (a, b, c))
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
            # With an infinity or a NaN nothing is rounded; a product of finite numbers must not overflow on the way.
            if math.isfinite(x) and math.isfinite(y):
                return ty.encode(z)
            return ty.encode(x * y + z)
        if x == 0 or y == 0:
            return ty.encode(math.copysign(0.0, x) * math.copysign(1.0, y) + z)
        (xn, xd), (yn, yd), (zn, zd) = (value.as_integer_ratio() for value in (x, y, z))
        numerator, denominator = xn * yn * zd + zn * xd * yd, xd * yd * zd
        # An exact zero is +0: the sum of two numbers of different signs, rounded to nearest.
        return round_ratio(ty, numerator, denominator, numerator < 0)

    def min(self, ty: Type, a: int, b: int) -> int:
        if ty.is_nan(a) or ty.is_nan(b):
            return a if ty.is_nan(a) else b
        if ty.is_float and ty.decode(a) == ty.decode(b):
            return a | b  # -0 and +0 differ in the sign only
        return a if ty.decode(a) < ty.decode(b) else b

    def max(self, ty: Type, a: int, b: int) -> int:
        if ty.is_nan(a) or ty.is_nan(b):
            return a if ty.is_nan(a) else b
        if ty.is_float and ty.decode(a) == ty.decode(b):
            return a & b
        return b if ty.decode(a) < ty.decode(b) else a

    def neg(self, ty: Type, x: int) -> int:
        return x ^ 1 << (ty.bits - 1) if ty.is_float else ty.encode(-x)

    def abs(self, ty: Type, x: int) -> int:
        return x & ~(1 << (ty.bits - 1)) if ty.is_float else ty.encode(abs(ty.decode(x)))

    @widening
    def sqrt(self, ty: Type, x: int) -> int:
        value = float(ty.decode(x))
        return ty.encode(math.nan if value < 0 else value if value == 0 else math.sqrt(value))

    @widening
    def floor(self, ty: Type, x: int) -> int:
        return _integral(ty, x, math.floor)

    @widening
    def ceil(self, ty: Type, x: int) -> int:
        return _integral(ty, x, math.ceil)

    @widening
    def round(self, ty: Type, x: int) -> int:
        return _integral(ty, x, round)

    @widening
    def trunc(self, ty: Type, x: int) -> int:
        return _integral(ty, x, math.trunc)

    def and_(self, ty: Type, a: int, b: int) -> int:
        return a & b

    def or_(self, ty: Type, a: int, b: int) -> int:
        return a | b

    def xor(self, ty: Type, a: int, b: int) -> int:
        return a ^ b

    def not_(self, ty: Type, x: int) -> int:
        return x ^ ((1 << ty.bits) - 1)

    def shl(self, ty: Type, x: int, amount: int) -> int:
        return ty.encode(x << amount % ty.bits)

    def shr(self, ty: Type, x: int, amount: int) -> int:
        return ty.encode(int(ty.decode(x)) >> amount % ty.bits)

    def popcount(self, ty: Type, x: int) -> int:
        return x.bit_count()

    def clz(self, ty: Type, x: int) -> int:
        return ty.bits - x.bit_length()

    def ctz(self, ty: Type, x: int) -> int:
        return (x & -x).bit_length() - 1 if x else ty.bits

    def rotl(self, ty: Type, x: int, amount: int) -> int:
        by = amount % ty.bits
        return (x << by | x >> ty.bits - by) & (1 << ty.bits) - 1

    def inverse(self, ty: Type, a: int, modulus: int) -> int:
        return pow(a, -1, modulus) if modulus > 1 and math.gcd(a, modulus) == 1 else 0

    def eq(self, ty: Type, a: int, b: int) -> bool:
        return ty.decode(a) == ty.decode(b)

    def lt(self, ty: Type, a: int, b: int) -> bool:
        return ty.decode(a) < ty.decode(b)

    def le(self, ty: Type, a: int, b: int) -> bool:
        return ty.decode(a) <= ty.decode(b)

    def pand(self, a: bool, b: bool) -> bool:
        return a and b

    def por(self, a: bool, b: bool) -> bool:
        return a or b

    def pnot(self, a: bool) -> bool:
        return not a

    def call(self, name: str, *operands: int) -> int:
        return int(routine(name).body(self, *operands))

    def call_if(self, name: str, p: bool, otherwise: int, *operands: int) -> int:
        return self.call(name, *operands) if p else otherwise


def _divide(x: float, y: float) -> float:
    """IEEE 754 division, which Python lacks for a zero divisor."""
    if y == 0:
        if x == 0 or x != x:
            return math.nan
        return math.copysign(math.inf, math.copysign(1, x) * math.copysign(1, y))
    return x / y


def _integral(ty: Type, x: int, to_integer: Callable[[float], int]) -> int:
    value = float(ty.decode(x))
    if not math.isfinite(value) or value == 0:
        return x
    # The result keeps the sign of the operand, also where it is zero.
    return ty.encode(math.copysign(float(to_integer(value)), value))


SCALAR_OPS = ScalarOps()


class Primitive(NamedTuple):
    """What a primitive takes and gives, in the letters of `compiler/operations.py`: `t` a value of the result's type,
    `a` one of the operands' type, `p` a predicate, `u` U32, `i` an integer, `f` a float. `method` is its name."""

    takes: str
    gives: str
    method: str

    @property
    def has_source(self) -> bool:
        """Whether the operands' type is another one than the result's."""
        return "a" in self.takes

    def fits(self, ty: Type | str, source: Type | str) -> bool:
        """Whether it is there for a result and operands of these types."""
        if not self.has_source and source != ty:
            return False
        if self.method == "mov":
            return True
        if not isinstance(source, Type) and self.has_source:
            return False
        if self.gives == "p" or not isinstance(ty, Type):
            return self.gives == "p" and ty == PRED
        counts = self.gives == "u"
        if counts or self.gives == "i":
            operand = source if counts else ty
            return isinstance(operand, Type) and operand.is_integer and (not counts or ty is Type.U32)
        if self.method == "bitcast":
            return isinstance(source, Type) and source.bits == ty.bits
        return self.gives == "t" or ty.is_float

    def operands(self, ty: Type | str, source: Type | str) -> list[Type | str]:
        """The types of its operands."""
        types: dict[str, Type | str] = {"t": ty, "a": source, "p": PRED, "u": Type.U32}
        return [types[letter] for letter in self.takes]


# The primitives on values, in the order in which files number them (docs/artifact.md).
PRIMITIVES: dict[str, Primitive] = {
    name: Primitive(takes, gives, name + "_" if name in ("and", "or", "not") else name)
    for names, takes, gives in (
        ("mov", "t", "t"),
        ("add sub mul div rem min max", "tt", "t"),
        ("neg abs", "t", "t"),
        ("fma", "ttt", "f"),
        ("sqrt floor ceil round trunc", "t", "f"),
        ("and or xor", "tt", "i"),
        ("not", "t", "i"),
        ("shl shr rotl", "tu", "i"),
        ("popcount clz ctz", "a", "u"),
        ("inverse", "tt", "i"),
        ("cvt bitcast", "a", "t"),
        ("select", "ptt", "t"),
        ("eq lt le", "aa", "p"),
        ("pand por", "pp", "p"),
        ("pnot", "p", "p"),
    )
    for name in names.split()
}


def compute(op: str, ty: Type | str, source: Type | str, values: list[int]) -> int:
    """The bits that a primitive gives for bits; a predicate is 0 or 1."""
    if op == "mov":
        return values[0]
    row = PRIMITIVES[op]
    operands: list[Any] = [bool(v) if letter == "p" else v for letter, v in zip(row.takes, values, strict=True)]
    types: list[Any] = [ty] if row.gives in "tif" else []
    types += [source] * row.has_source
    return int(getattr(SCALAR_OPS, row.method)(*types, *operands))
