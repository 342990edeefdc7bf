"""sin, cos, tan for every finite argument, and atan2."""

from __future__ import annotations

import math

from ..types import Type
from .exponential import Scaled, infinity_bits, is_negative, magnitude, nearest, scaled, with_sign
from .number import Number, Truth, call_if, polynomial, product, quick_sum, table
from .tables import TWO_OVER_PI

__all__ = ["atan2", "cos", "quotient", "reduced", "sin", "tan"]

# Up to here n * pi/2 is subtracted in parts, whose products with n are exact: n has 12 or 20 digits.
_NEAR = {32: 6400.0, 64: 1.6e6}
# Below, the sine and the tangent are the argument.
_TINY = {32: 2.0**-12, 64: 2.0**-27}


def _quadrant(size: Number) -> tuple[Number, Number, Number]:
    """r of at most pi/4, what rounding it lost, and n modulo 4, for which size = r + n * pi/2; of a positive number."""
    ty, unsigned = size.ty, size.bits.ty
    n, whole = nearest(size * table("two_over_pi", ty)[0])
    first, *middle, last = table("half_pi", ty)
    main, lost = size - n * first, size.constant(0.0)
    for number, part in enumerate(middle):
        step = n * part
        after = main - step
        error = (main - after) - step
        main, lost = after, error if number == 0 else lost + error
    r, low = quick_sum(main, lost - n * last)
    # What is far comes packed: see `reduced`.
    far = size > _NEAR[ty.bits]
    packed = call_if(far, f"reduced_{ty}", Number(size.o, Type.U64, size.o.const(Type.U64, 0)), size)
    if ty.bits == 32:
        low = far.pick(packed.to(Type.U32).as_(ty), low)
        packed = (packed >> 32).to(Type.U32)
    else:
        low = far.pick(0.0, low)
    place = ty.bits - 3
    kept = (packed & ((1 << ty.bits) - 1 - (3 << place))) | (1 << place)
    quarter = far.pick((packed >> place) ^ 1, whole.as_(unsigned)) & 3
    return far.pick(kept.as_(ty), r), low, quarter


def reduced(size: Number) -> Number:
    """Payne and Hanek's reduction: the bits of r, with the quadrant in its two highest exponent bits.

    The product with 2/pi is computed modulo 4 in integers; of 2/pi only the binary digits that count are taken. r is
    below 1 and above 2**-64, so that those bits of it are always 01: the quadrant, exclusive or 01, is written there.
    Of F32 that is the upper half of the result; the lower half is what rounding r lost.
    """
    ty, u32, u64 = size.ty, Type.U32, Type.U64
    limbs = 3 if ty.bits == 32 else 6  # of 32 digits
    bits = size.bits
    fraction = (bits & ((1 << ty.mantissa) - 1)) | (1 << ty.mantissa)
    # size = fraction * 2**(exponent - bias - mantissa); two digits in front of the point count, 64 zeros stand before.
    offset = 64 - 2 - ((1 << (ty.exponent - 1)) - 1) - ty.mantissa
    start = (bits >> ty.mantissa).to(u32) + offset
    last = ((1 << ty.exponent) - 2 + offset) >> 5
    words = [TWO_OVER_PI >> 1280 - 32 * (place + 1) & 0xFFFFFFFF for place in range(last + limbs + 1)]
    chosen = [start.constant(word) for word in words]
    step = 1 << last.bit_length() - 1
    while step:
        here = (start & (32 * step)).equals(0)
        chosen = [
            here.pick(chosen[k], chosen[k + step]) if k + step < len(chosen) else chosen[k] for k in range(limbs + step)
        ]
        step >>= 1
    shift = start & 31
    digits = [(chosen[k] << shift) | ((chosen[k + 1] >> 1) >> (31 - shift)) for k in range(limbs)]
    low_first = [digit.to(u64) for digit in reversed(digits)]
    mask = 0xFFFFFFFF
    factors = [fraction.to(u64)] if ty.bits == 32 else [fraction & mask, fraction >> 32]
    total = [factor.constant(0) for factor in low_first]
    for row, factor in enumerate(factors):
        carry = factor.constant(0)
        for k in range(limbs - row):
            term = factor * low_first[k] + total[k + row] + carry
            total[k + row], carry = term & mask, term >> 32
    high = (total[-1] << 32) | total[-2]
    quadrant = ((high >> 61) + 1) >> 1
    # The fraction of a quadrant from -1/2 to 1/2, in units of 2**-64, then its size.
    rest, further = high << 2, (total[-3] << 32) | total[max(-4, -limbs)]
    if ty.bits == 64:
        rest, further = rest | (further >> 62), further << 2
    below = rest.as_(Type.I64) < 0
    flip = below.pick(rest.constant((1 << 64) - 1), 0)
    a = (rest ^ flip).to(ty)
    b = ((rest ^ flip) - a.to(u64)).as_(Type.I64).to(ty)
    if ty.bits == 64:
        b = b + (further ^ flip).to(ty) * 2.0**-64
    half, half_low = table("half_pi_double", ty)
    main, lost = product(a, a.constant(half))
    r, low = quick_sum(main, lost + (a * half_low + b * half))
    sign = below.pick(bits.constant(1 << (ty.bits - 1)), 0)
    packed = ((r * 2.0**-64).bits | sign) ^ ((quadrant & 3).to(bits.ty) << (ty.bits - 3))
    if ty.bits == 64:
        return packed
    return (packed.to(u64) << 32) | ((low * 2.0**-64).bits ^ sign).to(u64)


def _sine(r: Number, z: Number) -> Number:
    return r + r * (z * polynomial("sin", z))


def _cosine(z: Number) -> Number:
    half = z * 0.5
    main = 1 - half
    return main + (((1 - main) - half) + z * z * polynomial("cos", z))


def _in_domain(x: Number, value: Number) -> Number:
    return (magnitude(x).bits < infinity_bits(x.ty)).pick(value, math.nan)


def _odd(x: Number) -> Truth:
    return ~(x & 1).equals(0)


def _flipped(x: Number, quadrant: Number) -> Number:
    """-x where the second bit of the quadrant is set."""
    return (x.bits ^ ((quadrant & 2) << (x.ty.bits - 2))).as_(x.ty)


def sin(x: Number) -> Number:
    size = magnitude(x)
    r, _, quadrant = _quadrant(size)
    z = r * r
    value = _flipped(_odd(quadrant).pick(_cosine(z), _sine(r, z)), quadrant)
    value = (value.bits ^ (x.bits & (1 << (x.ty.bits - 1)))).as_(x.ty)
    return _in_domain(x, (size.bits < x.ty.encode(_TINY[x.ty.bits])).pick(x, value))


def cos(x: Number) -> Number:
    r, _, quadrant = _quadrant(magnitude(x))
    z = r * r
    value = _flipped(_odd(quadrant).pick(_sine(r, z), _cosine(z)), quadrant + 1)
    return _in_domain(x, value)


def tan(x: Number) -> Number:
    size = magnitude(x)
    r, rest, quadrant = _quadrant(size)
    z = r * r
    high, low = quick_sum(r, r * (z * polynomial("tan", z)))
    low = low + rest * (high * high + 1)
    inverse = -1.0 / high
    # One step of Newton's, for the quotient's rounding and the lower digits.
    back, lost = product(inverse, high)
    inverse = inverse + inverse * (((back + 1) + lost) + inverse * low)
    value = _odd(quadrant).pick(inverse, high + low)
    value = (value.bits ^ (x.bits & (1 << (x.ty.bits - 1)))).as_(x.ty)
    return _in_domain(x, (size.bits < x.ty.encode(_TINY[x.ty.bits])).pick(x, value))


def quotient(x: Number, y: Number) -> Number:
    """x / y of positive numbers, x not above y, for whatever exponents they have."""
    ty = x.ty

    def normal(value: Number) -> tuple[Number, Number]:
        """From 1 to 2, and the power of two."""
        signed = value.as_(Type.I32 if ty.bits == 32 else Type.I64)
        tiny = signed < (1 << ty.mantissa)
        bits = tiny.pick(signed.to(ty).as_(signed.ty), signed)
        exponent = bits >> ty.mantissa
        one = (bits & ((1 << ty.mantissa) - 1)) | ty.encode(1.0)
        least = 2 - (1 << (ty.exponent - 1)) - ty.mantissa
        return one.as_(ty), tiny.pick(exponent + least, exponent)

    (a, n), (b, m) = normal(x), normal(y)
    value = scaled(Scaled(a / b, n - m))
    return x.bits.equals(0).pick(0.0, value)


def atan2(y: Number, x: Number) -> Number:
    ty = x.ty
    infinity = infinity_bits(ty)
    width, height = magnitude(x), magnitude(y)
    steep = width.bits < height.bits
    less, more = steep.pick(width, height), steep.pick(height, width)
    # Near the ends of the range the quotient, or a part of it, would be subnormal.
    extreme = less.bits < ty.encode(2.0 ** -(1 << (ty.exponent - 2)))
    q = call_if(extreme, f"quotient_{ty}", less / more, less, more)
    infinite = more.bits.equals(infinity)
    q = infinite.pick(less.bits.equals(infinity).pick(less.constant(1.0), 0.0), q)
    z = q * q
    angle = q + q * (z * polynomial("atan", z))
    half, half_low = table("half_pi_double", ty)
    angle = steep.pick(half - (angle - half_low), angle)
    pi, pi_low = table("pi_double", ty)
    angle = is_negative(x).pick(pi - (angle - pi_low), angle)
    nan = (width.bits > infinity) | (height.bits > infinity)
    return nan.pick(math.nan, with_sign(angle, y))
