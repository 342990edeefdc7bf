"""Random numbers to put into memory, scalars and constants: every awkward one often."""

from __future__ import annotations

import math
from random import Random

from hologram_web.isa import Type

from . import tame

__all__ = ["array_of", "random_bits", "small_integers"]


def random_bits(rng: Random, ty: Type, tamely: bool) -> int:
    """The bits of a number of a type."""
    if ty.is_integer:
        return _integer(rng, ty)
    if tamely:
        return _tame(rng, ty)
    return _float(rng, ty)


def _integer(rng: Random, ty: Type) -> int:
    roll = rng.random()
    if roll < 0.3:
        return _digits(rng, ty.bits) if ty.is_wide else rng.getrandbits(ty.bits)
    if roll < 0.38:  # close to the middle between two floats: 1xxxx1000...000, give or take 1
        digits = rng.choice((8, 11, 24, 53))
        number = (1 << digits) + 2 * rng.getrandbits(digits - 1) + 1
        return ty.encode((number << max(ty.bits - digits - rng.randint(1, 3), 0)) + rng.randint(-1, 1))
    if roll < 0.6:
        return ty.encode(rng.randint(-9, 9))
    if roll < 0.8:
        return ty.encode(rng.choice([0, 1, -1, ty.min_value, ty.max_value, ty.max_value - 1, ty.min_value + 1]))
    return ty.encode((1 << rng.randrange(ty.bits)) + rng.randint(-1, 1))


def _digits(rng: Random, bits: int) -> int:
    """Of any length, with runs of ones and zeros: where carries and digits of quotients go wrong."""
    found = rng.getrandbits(rng.randint(1, bits))
    for _ in range(rng.randint(0, 4)):
        mask = ((1 << rng.randrange(1, bits)) - 1) << rng.randrange(bits)
        found = found | mask if rng.random() < 0.5 else found & ~mask
    return (found if rng.random() < 0.6 else -found) & ((1 << bits) - 1)


def _float(rng: Random, ty: Type) -> int:
    roll = rng.random()
    sign = rng.getrandbits(1) << (ty.bits - 1)
    if roll < 0.35:
        return ty.encode(rng.uniform(-4, 4))
    if roll < 0.5:
        return ty.encode(rng.randint(-64, 64) / rng.choice((1, 2, 4)))
    if roll < 0.6:
        return ty.encode(math.ldexp(rng.uniform(-1, 1), rng.randint(-40, 40)))
    if roll < 0.65:  # close to the middle between two narrower floats
        digits = rng.choice([d for d in (8, 11, 24) if d <= ty.mantissa] or [7])
        number = (1 << digits) + 2 * rng.getrandbits(digits - 1) + 1
        return sign | ty.encode(math.ldexp(number + rng.choice((0, 1, -1)) * 2.0 ** (digits - ty.mantissa), -digits))
    if roll < 0.85:
        bits = rng.getrandbits(ty.bits)  # any exponent
        return sign if ty.is_nan(bits) else bits
    infinity = ((1 << ty.exponent) - 1) << ty.mantissa
    one = 1 << ty.mantissa
    special = [0, infinity, infinity - 1, one, one - 1, 1, rng.getrandbits(ty.mantissa)]
    if rng.random() < 0.3:
        return ty.encode(math.nan)
    return sign | rng.choice(special)


def _tame(rng: Random, ty: Type) -> int:
    mask, base = tame.MASKS[ty]
    roll = rng.random()
    if roll < 0.1:
        return 0
    if roll < 0.5:
        least, most = tame.CANONICAL[ty]
        return ty.encode(rng.choice((-1, 1)) * math.ldexp(rng.randint(4, 7) / 4, rng.randint(least, most - 1)))
    return (rng.getrandbits(ty.bits) & mask) + base


def array_of(rng: Random, ty: Type, count: int, tamely: bool) -> bytes:
    """`count` elements: often few different ones, so that some of them are equal."""
    if count > 8 and rng.random() < 0.6:
        palette = [random_bits(rng, ty, tamely) for _ in range(rng.randint(2, 12))]
        return b"".join(rng.choice(palette).to_bytes(ty.size_bytes, "little") for _ in range(count))
    return b"".join(random_bits(rng, ty, tamely).to_bytes(ty.size_bytes, "little") for _ in range(count))


def small_integers(rng: Random, ty: Type, count: int, least: int, most: int) -> bytes:
    """`count` integers from `least` to `most`: sums and products of them are exact in every type."""
    return b"".join(ty.encode(rng.randint(least, most)).to_bytes(ty.size_bytes, "little") for _ in range(count))
