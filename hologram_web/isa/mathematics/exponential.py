"""exp, logarithms, pow, tanh, and what is made of exp: sigmoid, swish."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..types import Type
from .number import (
    Number,
    Pair,
    Truth,
    call_if,
    cut,
    pair_product,
    polynomial,
    product,
    quick_sum,
    table,
)

__all__ = ["exp", "exp_fast", "log", "log2", "log10", "pow_", "sigmoid", "subnormal", "swish", "tanh"]

# Beyond these e**x is infinite; below minus the second 0.
_RANGE = {32: (88.72283, 104.0), 64: (709.782712893384, 746.0)}
# Below these e**x is below the least normal number.
_LEAST = {32: -87.33654, 64: -708.3964185322641}
# What an argument of e**-x is lowered to, so that its exponent stays an integer: far below the least number.
_DECAYED = {32: 120.0, 64: 800.0}


class Scaled(NamedTuple):
    """value * 2**exponent; the exponent is an integer of the float's width."""

    value: Number
    exponent: Number


def integer_type(ty: Type) -> Type:
    return Type.I32 if ty.bits == 32 else Type.I64


def infinity_bits(ty: Type) -> int:
    return ty.encode(math.inf)


def magnitude(x: Number) -> Number:
    """|x|."""
    return Number(x.o, x.ty, x.o.abs(x.ty, x.held))


def negated(x: Number) -> Number:
    return Number(x.o, x.ty, x.o.neg(x.ty, x.held))


def is_negative(x: Number) -> Truth:
    """Whether the sign bit is set."""
    return x.as_(integer_type(x.ty)) < 0


def with_sign(x: Number, sign: Number) -> Number:
    """x, which is positive, with the sign of another."""
    return (x.bits | (sign.bits & (1 << (x.ty.bits - 1)))).as_(x.ty)


def nan_of(x: Number, otherwise: Number) -> Number:
    """x where it is NaN."""
    return x.equals(x).pick(otherwise, x)


def _shifter(ty: Type) -> float:
    """Added to a number it leaves the nearest integer in the lowest digits."""
    return float(3 << (ty.mantissa - 1))


def nearest(x: Number) -> tuple[Number, Number]:
    """The nearest integer, of a number that is not large, as float and as integer."""
    shifter = _shifter(x.ty)
    moved = x + shifter
    return moved - shifter, moved.as_(integer_type(x.ty)) - x.ty.encode(shifter)


def from_small(n: Number, ty: Type) -> Number:
    """An integer of less than 20 bits as float."""
    shifter = _shifter(ty)
    return (n + ty.encode(shifter)).as_(ty) - shifter


def power_of_two(n: Number, ty: Type) -> Number:
    """2**n, a normal number."""
    return ((n + ((1 << (ty.exponent - 1)) - 1)) << ty.mantissa).as_(ty)


def _exponential(r: Number) -> Number:
    """e**r - 1 of a number of at most half of log 2."""
    return r + r * r * polynomial("exp", r)


def exp_rest(x: Number, low: Number | None = None) -> Scaled:
    """e**(x + low) as (1 + value) * 2**exponent, value being at most half."""
    n, exponent = nearest(x * table("log2e", x.ty)[0])
    high, rest = table("ln2", x.ty)
    r = x - n * high - n * rest
    return Scaled(_exponential(r if low is None else r + low), exponent)


def exp_parts(x: Number, low: Number | None = None) -> Scaled:
    """e**(x + low); the value is near 1."""
    rest = exp_rest(x, low)
    return Scaled(rest.value + 1, rest.exponent)


def scaled(x: Scaled) -> Number:
    """The product, if it does not overflow."""
    ty, n = x.value.ty, x.exponent
    field = ((x.value.bits << 1) >> (ty.mantissa + 1)).as_(n.ty) + n
    plain = (x.value.as_(n.ty) + (n << ty.mantissa)).as_(ty)
    return call_if(field < 1, f"subnormal_{ty}", plain, x.value, n)


def scaled_near_one(x: Scaled) -> Number:
    """The same of a value from 1/4 to 2. Below the least normal number, a sum that rounds counts the least units."""
    ty, n = x.value.ty, x.exponent
    bits = x.value.as_(n.ty) + (n << ty.mantissa)
    units = (bits + ((ty.mantissa + (1 << (ty.exponent - 1)) - 2) << ty.mantissa)).as_(ty)
    whole = float(1 << ty.mantissa)  # above which there are no fractions
    tiny = (units + whole).as_(n.ty) - ty.encode(whole)
    return (bits < (1 << ty.mantissa)).pick(tiny, bits).as_(ty)


def subnormal(x: Number, n: Number) -> Number:
    """x * 2**n where that is below the least normal number, rounded to nearest even in integers."""
    ty = x.ty
    bits = x.bits
    sign = bits & (1 << (ty.bits - 1))
    field = (bits << 1) >> (ty.mantissa + 1)
    fraction = bits & ((1 << ty.mantissa) - 1)
    hidden = field.equals(0)
    significand = hidden.pick(fraction, fraction | (1 << ty.mantissa))
    count = 1 - (hidden.pick(1, field).as_(n.ty) + n)
    count = count.least(ty.mantissa + 2).most(0).as_(bits.ty)
    amount = count.to(Type.U32)
    half = (count.constant(1) << amount) >> 1
    odd = (significand >> amount) & 1
    whole = count.equals(0).pick(significand, (significand + half - 1 + odd) >> amount)
    return (sign | whole).as_(ty)


def exp(x: Number) -> Number:
    above, below = _RANGE[x.ty.bits]
    value = scaled_near_one(exp_parts(x))
    value = (x > above).pick(math.inf, (x < -below).pick(0.0, value))
    return nan_of(x, value)


def exp_fast(x: Number) -> Number:
    """e**x in fewer steps, for math="fast" where a product and its sum are one: 2 ULP, and 0 for what is below twice
    the least normal number."""
    low, above = _LEAST[x.ty.bits], _RANGE[x.ty.bits][0]
    x = x.least(above + 0.3).most(low)
    # The lowest bits of the shifter are the bias less 1, and so those of what it moves the exponent of 2**(n - 1): that
    # is infinity's half for what is too large, and 0 for what is too small.
    shifter = _shifter(x.ty) + (1 << (x.ty.exponent - 1)) - 2
    moved = x * table("log2e", x.ty)[0] + shifter
    n = moved - shifter
    high, below = table("ln2", x.ty)
    r = x - n * high - n * below
    power = (moved.bits << x.ty.mantissa).as_(x.ty)
    return (r * polynomial("exp_fast", r, 2) + 2) * power


# Logarithms: x = 2**k * (1 + f), f from sqrt(1/2) - 1 to sqrt(2) - 1


def _log_parts(x: Number) -> tuple[Number, Number]:
    """k, as float, and f of a positive number."""
    ty = x.ty
    bits = x.as_(integer_type(ty))
    tiny = bits < (1 << ty.mantissa)
    # The bits of a subnormal number count its least units.
    bits = tiny.pick(bits.to(ty).as_(bits.ty), bits)
    k = (bits - ty.encode(math.sqrt(0.5))) >> ty.mantissa
    f = (bits - (k << ty.mantissa)).as_(ty) - 1
    least = 2 - (1 << (ty.exponent - 1)) - ty.mantissa
    return from_small(tiny.pick(k + least, k), ty), f


def _log_rest(f: Number) -> tuple[Number, Number]:
    """h and t for which log(1 + f) = f - h + t; h is half the square of f."""
    s = f / (f + 2)
    z = s * s
    half = f * f * 0.5
    return half, s * (half + z * polynomial("log", z))


def _log_specials(x: Number, value: Number) -> Number:
    infinity = infinity_bits(x.ty)
    zero = (x.bits << 1).equals(0)
    special = x.bits.equals(infinity).pick(math.inf, zero.pick(x.constant(-math.inf), math.nan))
    return (x.bits - 1 < infinity - 1).pick(value, special)


def log(x: Number) -> Number:
    k, f = _log_parts(x)
    half, rest = _log_rest(f)
    high, low = table("ln2", x.ty)
    return _log_specials(x, k * high + ((rest + k * low) - half + f))


def _log_base(x: Number, factors: tuple[float, ...], of_two: tuple[float, ...]) -> Number:
    """The logarithm times a number, both numbers given as sums of a short and a small one."""
    k, f = _log_parts(x)
    half, rest = _log_rest(f)
    high = cut(f - half)
    low = (f - high) - half + rest
    whole, main = k * of_two[0], high * factors[0]
    total, lost = quick_sum(whole, main)
    lost = lost + ((low + high) * factors[1] + low * factors[0])
    return _log_specials(x, total + (lost + k * of_two[1] if of_two[1] else lost))


def log2(x: Number) -> Number:
    return _log_base(x, table("log2e_parts", x.ty), (1.0, 0.0))


def log10(x: Number) -> Number:
    return _log_base(x, table("log10e_parts", x.ty), table("log10_2", x.ty))


# Powers


def _pair(name: str, like: Number) -> Pair:
    high, low = table(name, like.ty)
    return like.constant(high), like.constant(low)


def _log2_pair(x: Number) -> Pair:
    """The logarithm to base 2 with half as many digits more."""
    k, f = _log_parts(x)
    divisor = f + 2
    divisor_low = f - (divisor - 2)
    s = f / divisor
    back, lost = product(s, divisor)
    quotient = quick_sum(s, ((f - back) - lost - s * divisor_low) / divisor)
    # log(1 + f) = 2s * (1 + w/3 + w*w*p(w)), w = s*s
    w = pair_product(quotient, quotient)
    third, low = pair_product(w, _pair("third_double", x))
    third, low = quick_sum(third, low + w[0] * w[0] * polynomial("log_tail", w[0]))
    series, lost = quick_sum(x.constant(1.0), third)
    main = pair_product(pair_product(quotient, _pair("log2e_double", x)), (series, lost + low))
    total, lost = quick_sum(k, main[0])
    return total, lost + main[1]


def pow_(x: Number, y: Number) -> Number:
    ty = x.ty
    infinity = infinity_bits(ty)
    size, power = magnitude(x), magnitude(y)
    high, low = _log2_pair(size)
    exponent, lost = product(high, y)
    lost = lost + low * y
    n, whole = nearest(exponent)
    ln2 = table("ln2_double", ty)[0]
    r = ((exponent - n) + lost) * ln2
    value = scaled_near_one(Scaled(_exponential(r) + 1, whole))
    one = ty.encode(1.0)
    grows = is_negative(y).pick(size.bits.constant(one), size.bits) > is_negative(y).pick(size.bits, one)
    limit = grows.pick(x.constant(math.inf), 0.0)
    most = float(1 << (ty.exponent - 1))
    beyond = (exponent >= most) | (exponent <= -most - ty.mantissa - 1)
    beyond = beyond | size.bits.equals(0) | size.bits.equals(infinity) | power.bits.equals(infinity)
    value = beyond.pick(limit, value)
    value = size.bits.equals(one).pick(1.0, value)
    # The sign, of powers that are odd integers; powers that are no integers have no sign.
    half = y * 0.5
    integral = y.equals(_trunc(y))
    odd = integral & ~half.equals(_trunc(half))
    sign = odd.pick(x.bits & (1 << (ty.bits - 1)), 0)
    value = (value.bits | sign).as_(ty)
    finite = (size.bits - 1) < infinity - 1
    invalid = (is_negative(x) & finite & ~integral) | (size.bits > infinity) | (power.bits > infinity)
    value = invalid.pick(math.nan, value)
    return (x.bits.equals(one) | power.bits.equals(0)).pick(1.0, value)


def _trunc(x: Number) -> Number:
    return Number(x.o, x.ty, x.o.trunc(x.ty, x.held))


# What goes from one limit to another


def gated(x: Number, size: Number, high: Number, low: Number | None = None) -> Number:
    """x / (1 + e**-v), v having the sign of x and the magnitude high + low; `size` is |x|, limited like them."""
    decay = exp_parts(negated(high), None if low is None else negated(low))
    below = is_negative(x)
    share = below.pick(negated(size) * decay.value, x) / (_not_below(decay) + 1)
    return nan_of(x, below.pick(scaled(Scaled(share, decay.exponent)), share))


def _not_below(x: Scaled) -> Number:
    """The product, or something as negligible beside 1: always a normal number."""
    least = -2 * x.value.ty.mantissa
    return x.value * power_of_two(x.exponent.most(least), x.value.ty)


def swish(x: Number) -> Number:
    size = magnitude(x).least(_DECAYED[x.ty.bits])
    return gated(x, size, size)


def sigmoid(x: Number) -> Number:
    decay = exp_parts(negated(magnitude(x).least(_DECAYED[x.ty.bits])))
    below = is_negative(x)
    share = below.pick(decay.value, 1.0) / (_not_below(decay) + 1)
    return nan_of(x, below.pick(scaled_near_one(Scaled(share, decay.exponent)), share))


def tanh(x: Number) -> Number:
    size = magnitude(x)
    z = size * size
    near = size + size * (z * polynomial("tanh", z))
    power = exp_parts(size.least(10.0 if x.ty.bits == 32 else 20.0) * 2)
    far = 1 - 2.0 / (power.value * power_of_two(power.exponent, x.ty) + 1)
    value = with_sign((size.bits < x.ty.encode(0.625)).pick(near, far), x)
    return nan_of(x, (size.bits < x.ty.encode(2.0**-13 if x.ty.bits == 32 else 2.0**-28)).pick(x, value))
