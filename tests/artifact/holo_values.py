"""What `let` computes, with docs/artifact.md as the only help: on bits, by type."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any

OPERATIONS = [
    "mov", "add", "sub", "mul", "div", "rem", "min", "max", "neg", "abs", "fma", "sqrt", "floor", "ceil", "round",
    "trunc", "and", "or", "xor", "not", "shl", "shr", "rotl", "popcount", "clz", "ctz", "inverse", "cvt", "bitcast",
    "select", "eq", "lt", "le", "pand", "por", "pnot",
]  # fmt: skip
TWO = "add sub mul div rem min max and or xor shl shr rotl inverse eq lt le pand por"
ARITY = {"fma": 3, "select": 3} | dict.fromkeys(TWO.split(" "), 2)
SOURCED = {"popcount", "clz", "ctz", "cvt", "bitcast", "eq", "lt", "le"}
FORMATS = {"f16": (10, 15), "bf16": (7, 127), "f32": (23, 127), "f64": (52, 1023)}


def width(ty):
    return 1 if ty == "pred" else int(ty.lstrip("biuf"))


def is_float(ty):
    return ty in FORMATS


def number_of(ty, bits):
    """The number that bits are."""
    if not is_float(ty):
        return bits - (1 << width(ty)) if ty[0] == "i" and bits >> (width(ty) - 1) else bits
    if ty == "bf16":
        ty, bits = "f32", bits << 16
    size, code = {"f16": (2, "e"), "f32": (4, "f"), "f64": (8, "d")}[ty]
    return struct.unpack(f"<{code}", bits.to_bytes(size, "little"))[0]


def bits_of(ty, value):
    """The bits of a number: wrapped, or rounded once to nearest, ties to even."""
    if not is_float(ty):
        return int(value) % (1 << width(ty))
    digits, bias = FORMATS[ty]
    infinity = (2 * bias + 1) << digits
    if isinstance(value, float) and math.isnan(value):
        return infinity | 1 << (digits - 1)
    sign = math.copysign(1, value) < 0 if isinstance(value, float) else value < 0
    top = int(sign) << (width(ty) - 1)
    if isinstance(value, float) and math.isinf(value):
        return top | infinity
    exact = abs(Fraction(value))
    if exact == 0:
        return top
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent -= exact < Fraction(2) ** exponent
    exponent = max(exponent, 1 - bias)
    scaled = round(exact / Fraction(2) ** (exponent - digits))  # to even
    return top | min(scaled + ((exponent + bias - 1) << digits), infinity)


def compute(op, ty, source, args):
    """The bits that an operation gives."""
    if op in ("mov", "bitcast"):
        return args[0]
    if op == "select":
        return args[1] if args[0] else args[2]
    if op in ("pand", "por", "pnot"):
        return {"pand": all(args), "por": any(args), "pnot": not args[0]}[op] * 1
    kind = source if op in SOURCED else ty
    if op == "cvt":
        return convert(ty, source, args[0])
    if kind in ("f16", "bf16") and op in (*ARITH, "fma", "sqrt", "floor", "ceil", "round", "trunc"):
        wide = [bits_of("f32", number_of(kind, a)) for a in args]
        return bits_of(kind, number_of("f32", compute(op, "f32", "f32", wide)))
    n = width(kind)
    a, b = args[0], args[-1]
    x, y = number_of(kind, a), number_of(kind, b)
    mask = (1 << n) - 1
    if op in ("eq", "lt", "le"):
        return int({"eq": x == y, "lt": x < y, "le": x <= y}[op])
    if op in ("min", "max"):
        return extreme(op, kind, a, b, x, y)
    if op == "neg":
        return a ^ 1 << (n - 1) if is_float(kind) else -x & mask
    if op == "abs":
        return a & ~(1 << (n - 1)) if is_float(kind) else abs(x) & mask
    if is_float(kind):
        return floating(op, kind, args, x, y)
    amount = b % n
    if op == "inverse":
        return pow(a, -1, b) if b > 1 and math.gcd(a, b) == 1 else 0
    if op in ("div", "rem"):
        if y == 0:
            return 0
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return (quotient if op == "div" else x - y * quotient) & mask
    found: dict[str, Any] = {
        "add": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y, "and": lambda: a & b, "or": lambda: a | b,
        "xor": lambda: a ^ b, "not": lambda: ~a, "shl": lambda: a << amount, "shr": lambda: x >> amount,
        "rotl": lambda: a << amount | a >> n - amount, "popcount": lambda: a.bit_count(),
        "clz": lambda: n - a.bit_length(), "ctz": lambda: (a & -a).bit_length() - 1 if a else n,
    }  # fmt: skip
    return found[op]() & mask


ARITH = ("add", "sub", "mul", "div", "rem")


def convert(ty, source, bits):
    value = number_of(source, bits)
    if not is_float(ty) and is_float(source):
        low, high = (-1 << (width(ty) - 1), (1 << (width(ty) - 1)) - 1) if ty[0] == "i" else (0, (1 << width(ty)) - 1)
        if math.isnan(value):
            return 0
        value = low if value < low else high if value > high else int(value)
    return bits_of(ty, value)


def extreme(op, ty, a, b, x, y):
    if is_float(ty):
        if x != x or y != y:
            return a if x != x else b
        if x == y:
            return a | b if op == "min" else a & b
    return a if (x < y) == (op == "min") else b


def floating(op, ty, args, x, y):
    finite = math.isfinite(x) and math.isfinite(y)
    nan = bits_of(ty, math.nan)
    if op == "fma":
        m, z = number_of(ty, args[1]), number_of(ty, args[2])
        if not all(map(math.isfinite, (x, m, z))):
            return bits_of(ty, z if math.isfinite(x) and math.isfinite(m) else x * m + z)
        product = Fraction(x) * Fraction(m)
        total = product + Fraction(z)
        if total == 0:
            return bits_of(ty, math.copysign(0.0, x) * math.copysign(1.0, m) + z if product == 0 else 0.0)
        return bits_of(ty, total)
    if op == "sqrt":
        return nan if x != x or x < 0 else bits_of(ty, x if x == 0 else math.sqrt(x))
    if op in ("floor", "ceil", "round", "trunc"):
        if not math.isfinite(x) or x == 0:
            return args[0]
        to_integer: dict[str, Any] = {"floor": math.floor, "ceil": math.ceil, "round": round, "trunc": math.trunc}
        whole = to_integer[op](x)
        return bits_of(ty, math.copysign(float(whole), x))
    if op == "rem":
        return nan if x != x or y != y or math.isinf(x) or y == 0 else bits_of(ty, math.fmod(x, y))
    if op == "div" and y == 0:
        return (
            nan if x == 0 or x != x else bits_of(ty, math.copysign(math.inf, math.copysign(1, x) * math.copysign(1, y)))
        )
    if not finite:
        return bits_of(ty, x / y if op == "div" else {"add": x + y, "sub": x - y, "mul": x * y}[op])
    if op == "div":
        exact = Fraction(x) / Fraction(y)
        return bits_of(ty, exact) if exact else bits_of(ty, x / y)
    left, right = Fraction(x), Fraction(y)
    exact = {"add": left + right, "sub": left - right, "mul": left * right}[op]
    return bits_of(ty, exact) if exact else bits_of(ty, {"add": x + y, "sub": x - y, "mul": x * y}[op])
