"""The ops namespace over NumPy arrays, one element a lane (`isa/ops.py` says what the primitives mean).

Values of a type are arrays of `held(ty)`: BF16 is held as uint16 bits, integers of more than 64 bits as Python
integers, their bit patterns. Callers silence NumPy's floating-point warnings (`np.errstate(all="ignore")`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hologram_web.isa.mathematics import routine
from hologram_web.isa.ops import SCALAR_OPS, widening
from hologram_web.isa.types import Type

__all__ = ["VECTOR_OPS", "VectorOps", "held"]

Array = NDArray[Any]


def held(ty: Type) -> np.dtype[Any]:
    """The dtype of arrays of values of a type."""
    return np.dtype(object) if ty.is_wide else ty.numpy


def _one_by_one(function: Callable[..., Any], *operands: Array) -> Array:
    """A function of Python numbers on each group of elements."""
    results = np.frompyfunc(function, len(operands), 1)(*operands)
    return np.asarray(results, object)


def _wide_integers(method: Callable[..., Array]) -> Callable[..., Array]:
    """Lets a primitive do integers of more than 64 bits as `SCALAR_OPS` does them."""

    @wraps(method)
    def wrapped(self: Any, ty: Type, *operands: Array) -> Array:
        if ty.is_wide:
            return _one_by_one(partial(getattr(SCALAR_OPS, method.__name__), ty), *operands)
        return method(self, ty, *operands)

    return wrapped


def _bits(ty: Type, x: Array) -> Array:
    """The bit patterns of `x` as unsigned integers."""
    return x.view(f"<u{ty.size_bytes}")


def _wide(ty: Type, x: Array) -> Array:
    """`x` of a float type as an array NumPy can compare and convert: BF16 as float32."""
    return (x.astype(np.uint32) << np.uint32(16)).view(np.float32) if ty is Type.BF16 else x


def _odd(exact_low: Array, rounded: Array) -> Array:
    """Round to odd: moves `rounded` one place towards where `exact_low` points, if that makes its last bit odd.

    A number rounded to odd can be rounded once more, to fewer digits, without error (Boldo and Melquiond 2008).
    """
    last = rounded.view(f"<u{rounded.itemsize}") & 1
    toward = np.where(exact_low > 0, np.inf, -np.inf).astype(rounded.dtype)
    move = (exact_low != 0) & (last == 0) & np.isfinite(rounded)
    return np.where(move, np.nextafter(rounded, toward), rounded)


def _to_bf16(single: Array) -> Array:
    """float32 to BF16 bits, to nearest even; NaN to the quiet NaN."""
    bits = single.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(single), np.uint32(0x7FC0), rounded).astype(np.uint16)


class VectorOps:
    """Primitives on arrays; predicates are bool arrays."""

    def const(self, ty: Type, bits: int) -> Array:
        if ty.is_wide:
            return np.array([bits], object)
        return np.array([bits], f"<u{ty.size_bytes}").view(ty.numpy)

    def cvt(self, dst: Type, src: Type, x: Array) -> Array:
        if src.is_wide or dst.is_wide:
            return self._cvt_wide(dst, src, x)
        if src.is_integer:
            if dst.is_integer:
                return x.astype(dst.numpy)
            if dst in (Type.F32, Type.F64):
                return x.astype(dst.numpy)
            if dst is Type.F16:  # beyond 2**53, where float64 rounds, everything is an infinity
                return x.astype(np.float64).astype(np.float16)
            # Fold the low 16 bits of wide integers into one sticky bit, so that float64 holds the rest exactly.
            folded = x.astype(np.float64)
            if src.bits == 64:
                sticky = (x & x.dtype.type(0xFFFF)) != 0
                top = ((x >> x.dtype.type(16)) | sticky.astype(x.dtype)).astype(np.float64) * 65536.0
                folded = np.where(np.abs(folded) >= 2.0**52, top, folded)
            return self.cvt(dst, Type.F64, folded)
        value = _wide(src, x)
        if dst.is_integer:
            return self._to_integer(dst, value.astype(np.float64))
        if dst is Type.BF16:
            if src is Type.F64:
                single = value.astype(np.float32)
                value = _odd(value - single.astype(np.float64), single)
            return _to_bf16(value.astype(np.float32))
        return value.astype(dst.numpy)

    @staticmethod
    def _cvt_wide(dst: Type, src: Type, x: Array) -> Array:
        patterns = x if src.is_wide else _bits(src, np.ascontiguousarray(x))
        found = _one_by_one(partial(SCALAR_OPS.cvt, dst, src), patterns)
        return found if dst.is_wide else found.astype(f"<u{dst.size_bytes}").view(dst.numpy)

    @staticmethod
    def _to_integer(dst: Type, value: Array) -> Array:
        whole = np.trunc(np.where(np.isnan(value), 0.0, value))
        low, high = float(dst.min_value), float(dst.max_value)  # high is rounded up to a power of two for 64 bits
        inside = (whole > low) & (whole < high)
        kept = np.where(inside, whole, 0.0).astype(dst.numpy)
        limit = np.where(whole <= low, dst.numpy.type(dst.min_value), dst.numpy.type(dst.max_value))
        return np.where(inside, kept, limit).astype(dst.numpy)

    def bitcast(self, dst: Type, src: Type, x: Array) -> Array:
        return x if dst.is_wide else np.ascontiguousarray(x).view(dst.numpy)

    def select(self, ty: Type, p: Array, a: Array, b: Array) -> Array:
        return np.where(p, a, b)

    @_wide_integers
    @widening
    def add(self, ty: Type, a: Array, b: Array) -> Array:
        return np.add(a, b)

    @_wide_integers
    @widening
    def sub(self, ty: Type, a: Array, b: Array) -> Array:
        return np.subtract(a, b)

    @_wide_integers
    @widening
    def mul(self, ty: Type, a: Array, b: Array) -> Array:
        return np.multiply(a, b)

    @_wide_integers
    @widening
    def div(self, ty: Type, a: Array, b: Array) -> Array:
        if ty.is_float:
            return np.divide(a, b)
        zero = b == 0
        divisor = np.where(zero, b.dtype.type(1), b)
        quotient = np.floor_divide(a, divisor)
        if ty.is_signed:  # NumPy rounds down, the ISA toward zero
            inexact = np.remainder(a, divisor) != 0
            quotient = quotient + (inexact & ((a < 0) != (b < 0))).astype(b.dtype)
        return np.where(zero, b.dtype.type(0), quotient)

    @_wide_integers
    @widening
    def rem(self, ty: Type, a: Array, b: Array) -> Array:
        if ty.is_float:
            return np.fmod(a, b)
        zero = b == 0
        return np.where(zero, b.dtype.type(0), np.fmod(a, np.where(zero, b.dtype.type(1), b)))

    def inverse(self, ty: Type, a: Array, modulus: Array) -> Array:
        pairs = zip(*(x.tolist() for x in np.broadcast_arrays(a, modulus)), strict=True)
        return np.array([SCALAR_OPS.inverse(ty, x, m) for x, m in pairs], np.uint32)

    @widening
    def fma(self, ty: Type, a: Array, b: Array, c: Array) -> Array:
        a, b, c = np.broadcast_arrays(a, b, c)
        if ty is Type.F32:
            product = a.astype(np.float64) * b.astype(np.float64)  # exact: 48 bits
            third = c.astype(np.float64)
            total = product + third
            virtual = total - product  # Knuth's two-sum: what rounding the sum lost
            lost = (product - (total - virtual)) + (third - virtual)
            return _odd(np.where(np.isfinite(total), lost, 0.0), total).astype(np.float32)
        patterns = (_bits(ty, np.ascontiguousarray(v)).tolist() for v in (a, b, c))
        exact = [SCALAR_OPS.fma(ty, x, y, z) for x, y, z in zip(*patterns, strict=True)]
        return np.array(exact, np.uint64).view(np.float64)

    @_wide_integers
    @widening
    def min(self, ty: Type, a: Array, b: Array) -> Array:
        return self._extreme(ty, np.minimum, np.bitwise_or, a, b)

    @_wide_integers
    @widening
    def max(self, ty: Type, a: Array, b: Array) -> Array:
        return self._extreme(ty, np.maximum, np.bitwise_and, a, b)

    @staticmethod
    def _extreme(ty: Type, choose: Any, of_zeros: Any, a: Array, b: Array) -> Array:
        chosen: Array = choose(a, b)  # NaN if one is NaN
        if not ty.is_float:
            return chosen
        a, b = (np.ascontiguousarray(v) for v in np.broadcast_arrays(a, b))
        # Equal numbers have equal bits, but for the zeros: the sign decides.
        equal = of_zeros(_bits(ty, a), _bits(ty, b)).view(ty.numpy)
        return np.where(a == b, equal, chosen)

    @_wide_integers
    def neg(self, ty: Type, x: Array) -> Array:
        if ty.is_float:
            x = np.ascontiguousarray(x)
            sign = _bits(ty, x).dtype.type(1 << (ty.bits - 1))
            changed: Array = (_bits(ty, x) ^ sign).view(ty.numpy)
            return changed
        return np.negative(x)

    @_wide_integers
    def abs(self, ty: Type, x: Array) -> Array:
        if ty.is_float:
            x = np.ascontiguousarray(x)
            rest = _bits(ty, x).dtype.type((1 << (ty.bits - 1)) - 1)
            changed: Array = (_bits(ty, x) & rest).view(ty.numpy)
            return changed
        return np.abs(x)

    @widening
    def sqrt(self, ty: Type, x: Array) -> Array:
        return np.sqrt(x)

    @widening
    def floor(self, ty: Type, x: Array) -> Array:
        return np.floor(x)

    @widening
    def ceil(self, ty: Type, x: Array) -> Array:
        return np.ceil(x)

    @widening
    def round(self, ty: Type, x: Array) -> Array:
        return np.rint(x)

    @widening
    def trunc(self, ty: Type, x: Array) -> Array:
        return np.trunc(x)

    @_wide_integers
    def and_(self, ty: Type, a: Array, b: Array) -> Array:
        return np.bitwise_and(a, b)

    @_wide_integers
    def or_(self, ty: Type, a: Array, b: Array) -> Array:
        return np.bitwise_or(a, b)

    @_wide_integers
    def xor(self, ty: Type, a: Array, b: Array) -> Array:
        return np.bitwise_xor(a, b)

    @_wide_integers
    def not_(self, ty: Type, x: Array) -> Array:
        return np.invert(x)

    @_wide_integers
    def shl(self, ty: Type, x: Array, amount: Array) -> Array:
        shifted: Array = np.left_shift(x, (amount % np.uint32(ty.bits)).astype(ty.numpy))
        return shifted

    @_wide_integers
    def shr(self, ty: Type, x: Array, amount: Array) -> Array:
        shifted: Array = np.right_shift(x, (amount % np.uint32(ty.bits)).astype(ty.numpy))
        return shifted

    def popcount(self, ty: Type, x: Array) -> Array:
        return np.bitwise_count(_bits(ty, x)).astype(np.uint32)

    def clz(self, ty: Type, x: Array) -> Array:
        bits = _bits(ty, x).copy()
        by = 1
        while by < ty.bits:  # all bits below the highest one
            bits |= bits >> bits.dtype.type(by)
            by *= 2
        return ty.bits - self.popcount(ty, bits)

    def ctz(self, ty: Type, x: Array) -> Array:
        bits = _bits(ty, x)
        return self.popcount(ty, ~bits & (bits - bits.dtype.type(1)))

    def rotl(self, ty: Type, x: Array, amount: Array) -> Array:
        bits, by = _bits(ty, x), amount % np.uint32(ty.bits)
        left, right = (count.astype(bits.dtype) for count in (by, (ty.bits - by) % np.uint32(ty.bits)))
        rotated: Array = (bits << left | bits >> right).view(x.dtype)
        return rotated

    def eq(self, ty: Type, a: Array, b: Array) -> Array:
        return self._compare(np.equal, "eq", ty, a, b)

    def lt(self, ty: Type, a: Array, b: Array) -> Array:
        return self._compare(np.less, "lt", ty, a, b)

    def le(self, ty: Type, a: Array, b: Array) -> Array:
        return self._compare(np.less_equal, "le", ty, a, b)

    @staticmethod
    def _compare(compare: Any, name: str, ty: Type, a: Array, b: Array) -> Array:
        if ty.is_wide:
            return _one_by_one(partial(getattr(SCALAR_OPS, name), ty), a, b).astype(bool)
        holds: Array = compare(_wide(ty, a), _wide(ty, b))
        return holds

    def pand(self, a: Array, b: Array) -> Array:
        return np.logical_and(a, b)

    def por(self, a: Array, b: Array) -> Array:
        return np.logical_or(a, b)

    def pnot(self, a: Array) -> Array:
        return np.logical_not(a)

    def call(self, name: str, *operands: Array) -> Array:
        result: Array = routine(name).body(self, *operands)
        return result

    def call_if(self, name: str, p: Array, otherwise: Array, *operands: Array) -> Array:
        return np.where(p, self.call(name, *operands), otherwise) if p.any() else otherwise


VECTOR_OPS = VectorOps()
