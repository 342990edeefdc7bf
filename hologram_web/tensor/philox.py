"""Random numbers: those of `hg.random` with the place of each element, so that any part can be made alone."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from ..frontends.python.library import random, random_normal
from ..isa.types import Type
from .language import Constant, Elements, T, cos, f64, global_id, log, sqrt, u32, u64
from .operation import TensorOperation, part

__all__ = ["OPERATIONS"]

_DIGITS = {Type.BF16: 8, Type.F16: 11, Type.F32: 24, Type.F64: 53}  # bits of a fraction: none rounds to 1
_PI = 3.141592653589793


def _integers(output: Elements[T], seed: u64, offset: u64, T: Constant[type], BITS: Constant[int]):
    """The words of one counter are enough for 128 bits; of wider types each 128 bits are another stream."""
    i = global_id(0)
    place = offset + u64(i)
    a, b, c, d = random(seed, place)
    value = T(a)
    if BITS > 32:
        value = value | T(b) << 32
    if BITS > 64:
        value = value | T(c) << 64 | T(d) << 96
    for stream in range(1, BITS // 128):
        a, b, c, d = random(seed, place, stream)
        value = value | (T(a) | T(b) << 32 | T(c) << 64 | T(d) << 96) << u32(stream * 128)
    output[i] = value


def _uniform(output: Elements[T], seed: u64, offset: u64, T: Constant[type], DIGITS: Constant[int]):
    """Multiples of 2 ** -DIGITS from 0 on, below 1."""
    i = global_id(0)
    a, b, _, _ = random(seed, offset + u64(i))
    if DIGITS > 32:
        output[i] = T((u64(a) << 21) + u64(b >> 11)) * 2.0**-53
    else:
        output[i] = T(a >> (32 - DIGITS)) * 2.0**-DIGITS


def _normal(output: Elements[T], seed: u64, offset: u64, T: Constant[type], DIGITS: Constant[int]):
    i = global_id(0)
    if DIGITS > 32:
        a, b, c, d = random(seed, offset + u64(i))
        chance = f64((u64(a) << 21) + u64(b >> 11) + 1) * 2.0**-53
        turn = f64((u64(c) << 21) + u64(d >> 11)) * (2 * _PI * 2.0**-53)
        output[i] = sqrt(-2.0 * log(chance)) * cos(turn)
    else:
        output[i] = T(random_normal(seed, offset + u64(i)))


def _launches(o, traits):
    scalars = {"seed": o.seed, "offset": o.offset}
    if o.ty.is_integer:
        return [part(o, _integers, (o.count,), (64,), scalars=scalars, T=o.ty, BITS=o.ty.bits)]
    kernel = _normal if o.normal else _uniform
    return [part(o, kernel, (o.count,), (64,), scalars=scalars, T=o.ty, DIGITS=_DIGITS[o.ty])]


def _words(np, seed, places, stream=0):
    """Philox4x32-10 of J. Salmon et al. on arrays: the four words of each place."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b = places & low, places >> half
    c, d = np.full_like(a, stream), np.zeros_like(a)
    k, m = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        left, right = np.uint64(0xD2511F53) * a, np.uint64(0xCD9E8D57) * c
        a, b = right >> half ^ b ^ np.uint64(k), right & low
        c, d = left >> half ^ d ^ np.uint64(m), left & low
        k, m = k + 0x9E3779B9 & 0xFFFFFFFF, m + 0xBB67AE85 & 0xFFFFFFFF
    return a, b, c, d


def _reference(np, o):
    places = np.arange(o.count, dtype=np.uint64) + np.uint64(o.offset)
    a, b, c, d = _words(np, o.seed, places)
    if o.ty.is_integer:
        value = sum(word.astype(object) << 32 * at for at, word in enumerate((a, b, c, d)))
        for stream in range(1, o.ty.bits // 128):
            more = enumerate(_words(np, o.seed, places, stream))
            value = value | sum(word.astype(object) << 32 * (4 * stream + at) for at, word in more)
        value = np.asarray(value, object) & o.ty.unsigned.max_value
        return value if o.ty.is_wide else value.astype(o.ty.unsigned.numpy).view(o.ty.numpy)
    digits = _DIGITS[o.ty]
    if not o.normal:
        found = (a << np.uint64(21)) + (b >> np.uint64(11)) if digits > 32 else a >> np.uint64(32 - digits)
        return found * 2.0**-digits
    if digits > 32:
        ty, digits = Type.F64, 53
        chance, turn = (a << np.uint64(21)) + (b >> np.uint64(11)), (c << np.uint64(21)) + (d >> np.uint64(11))
    else:
        ty, digits = Type.F32, 24
        chance, turn = a >> np.uint64(8), b >> np.uint64(8)
    number = ty.numpy.type
    # By the lane instructions themselves, whose bits are those of kernels.
    logarithm = o.lane("log", ty, (chance + np.uint64(1)).astype(number) * number(2.0**-digits))
    angle = turn.astype(number) * number(2 * _PI * 2.0**-digits)
    return np.sqrt(number(-2) * logarithm) * o.lane("cos", ty, angle)


def _whole(o):
    return f"numbers of {o.ty} have no normal distribution" if o.normal and o.ty.is_integer else None


OPERATIONS = (TensorOperation("Random", lambda o: {"output": o.count}, _launches, _reference, _whole),)
