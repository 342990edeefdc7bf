"""Operations that targets lack, written once over the ops namespace.

Each function computes one primitive from simpler ones: conversions of F16 and BF16 in integers, fused
multiply-add by exact sums. Run over `SCALAR_OPS` or NumPy they are ordinary functions (which is how they are tested);
run over IR nodes they become functions of a target. Floats that are taken apart are passed as U32 or U64 bits.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..isa.mathematics import Routine, routine
from ..isa.types import Type
from .ir import Function, Terminator
from .node_ops import NodeOps
from .pairs import FUNCTIONS
from .passes import optimize

__all__ = ["LIBRARY", "Routine", "function_of", "routine_of"]

F32, F64, U32, U64, I32, I64 = Type.F32, Type.F64, Type.U32, Type.U64, Type.I32, Type.I64


class _Words:
    """Integer arithmetic of one type in readable form: operators over an ops namespace."""

    def __init__(self, o: Any, ty: Type) -> None:
        self.o, self.ty = o, ty

    def k(self, number: int) -> Any:
        return self.o.const(self.ty, self.ty.encode(number))

    def _amount(self, count: int) -> Any:
        return self.o.const(U32, count)

    def left(self, x: Any, count: int) -> Any:
        return self.o.shl(self.ty, x, self._amount(count))

    def right(self, x: Any, count: int) -> Any:
        return self.o.shr(self.ty, x, self._amount(count))

    def add(self, a: Any, b: Any) -> Any:
        return self.o.add(self.ty, a, b)

    def sub(self, a: Any, b: Any) -> Any:
        return self.o.sub(self.ty, a, b)

    def mul(self, a: Any, b: Any) -> Any:
        return self.o.mul(self.ty, a, b)

    def and_(self, a: Any, b: Any) -> Any:
        return self.o.and_(self.ty, a, b)

    def or_(self, a: Any, b: Any) -> Any:
        return self.o.or_(self.ty, a, b)

    def select(self, p: Any, a: Any, b: Any) -> Any:
        return self.o.select(self.ty, p, a, b)

    def lt(self, a: Any, b: Any) -> Any:
        return self.o.lt(self.ty, a, b)

    def eq(self, a: Any, b: Any) -> Any:
        return self.o.eq(self.ty, a, b)

    def flag(self, p: Any) -> Any:
        """1 where p holds, else 0."""
        return self.select(p, self.k(1), self.k(0))


# F16 and BF16


def f16_to_f32(o: Any, half: Any) -> Any:
    """F16 bits in a U32 to an F32, exactly. A subnormal half is a multiple of 2**-24, a normal number of F32."""
    w = _Words(o, U32)
    sign = w.left(w.and_(half, w.k(0x8000)), 16)
    rest = w.and_(half, w.k(0x7FFF))
    normal = w.add(w.left(rest, 13), w.k(0x38000000))
    special = w.or_(w.left(rest, 13), w.k(0x7F800000))
    tiny = o.bitcast(U32, F32, o.mul(F32, o.cvt(F32, U32, rest), o.const(F32, F32.encode(2.0**-24))))
    bits = w.select(w.lt(rest, w.k(0x400)), tiny, w.select(w.lt(rest, w.k(0x7C00)), normal, special))
    return o.bitcast(F32, U32, w.or_(sign, bits))


def f32_to_f16(o: Any, single: Any) -> Any:
    """F32 to F16 bits in a U32, to nearest even, in integers."""
    w = _Words(o, U32)
    bits = o.bitcast(U32, F32, single)
    sign = w.and_(w.right(bits, 16), w.k(0x8000))
    rest = w.and_(bits, w.k(0x7FFFFFFF))
    # Normal halves: move the exponent, add half a unit of the last place (a bit less for even), cut.
    shifted = w.sub(rest, w.k(0x38000000))
    odd = w.and_(w.right(shifted, 13), w.k(1))
    normal = w.right(w.add(w.add(shifted, w.k(0x0FFF)), odd), 13)
    # Subnormal halves: shift the significand right by 126 - exponent, and round.
    significand = w.or_(w.and_(rest, w.k(0x7FFFFF)), w.k(0x800000))
    count = o.min(U32, w.sub(w.k(126), w.right(rest, 23)), w.k(31))
    whole = o.shr(U32, significand, count)
    lost = w.sub(significand, o.shl(U32, whole, count))
    half = o.shl(U32, w.k(1), w.sub(count, w.k(1)))
    up = o.por(w.lt(half, lost), o.pand(w.eq(half, lost), w.eq(w.and_(whole, w.k(1)), w.k(1))))
    tiny = w.add(whole, w.flag(up))
    infinite = w.select(w.lt(w.k(0x7F800000), rest), w.k(0x7E00), w.k(0x7C00))
    below = w.select(w.lt(rest, w.k(0x38800000)), tiny, normal)
    return w.or_(sign, w.select(w.lt(rest, w.k(0x477FF000)), below, infinite))


def bf16_to_f32(o: Any, half: Any) -> Any:
    """BF16 bits in a U32 to an F32."""
    return o.bitcast(F32, U32, o.shl(U32, half, o.const(U32, 16)))


def f32_to_bf16(o: Any, single: Any) -> Any:
    """F32 to BF16 bits in a U32, to nearest even."""
    w = _Words(o, U32)
    bits = o.bitcast(U32, F32, single)
    rounded = w.right(w.add(w.add(bits, w.k(0x7FFF)), w.and_(w.right(bits, 16), w.k(1))), 16)
    nan = w.lt(w.k(0x7F800000), w.and_(bits, w.k(0x7FFFFFFF)))
    return w.select(nan, w.k(0x7FC0), rounded)


# Rounding to odd (Boldo and Melquiond 2008): what is rounded so can be rounded again to fewer digits without error.


def _odd_step(o: Any, ty: Type, bits: Type, value: Any, lost: Any) -> Any:
    """`value` moved one place towards the sign of `lost`, if `lost` is not 0 and the last bit of `value` is 0."""
    w = _Words(o, bits)
    pattern = o.bitcast(bits, ty, value)
    zero = o.const(ty, 0)
    inexact = o.pnot(o.eq(ty, lost, zero))
    even = w.eq(w.and_(pattern, w.k(1)), w.k(0))
    negative = w.lt(w.k((1 << (bits.bits - 1)) - 1), pattern)
    outward = o.por(o.pand(o.lt(ty, zero, lost), o.pnot(negative)), o.pand(o.lt(ty, lost, zero), negative))
    moved = w.select(outward, w.add(pattern, w.k(1)), w.sub(pattern, w.k(1)))
    return o.bitcast(ty, bits, w.select(o.pand(inexact, even), moved, pattern))


def f64_to_f32_odd(o: Any, value: Any) -> Any:
    """F64 to F32, rounded to odd."""
    single = o.cvt(F32, F64, value)
    back = o.cvt(F64, F32, single)
    lost = o.sub(F64, value, back)
    infinite = o.eq(F64, o.abs(F64, back), o.const(F64, F64.encode(float("inf"))))
    lost = o.select(F64, infinite, o.const(F64, 0), lost)
    # The step is by the bits of the F32; the sign of what was lost is that of the F64 difference.
    direction = o.select(
        F32,
        o.lt(F64, o.const(F64, 0), lost),
        o.const(F32, F32.encode(1.0)),
        o.select(F32, o.lt(F64, lost, o.const(F64, 0)), o.const(F32, F32.encode(-1.0)), o.const(F32, 0)),
    )
    return _odd_step(o, F32, U32, single, direction)


def i64_to_f64_odd(o: Any, value: Any) -> Any:
    """I64 to F64, rounded to odd: the low 11 bits become one sticky bit, which F64 then holds exactly."""
    w = _Words(o, I64)
    rest = w.and_(value, w.k(0x7FF))
    # Cutting the low bits rounds down; with the sticky bit set the number is odd where anything was lost.
    top = w.or_(w.right(value, 11), w.flag(o.pnot(w.eq(rest, w.k(0)))))
    scaled = o.mul(F64, o.cvt(F64, I64, top), o.const(F64, F64.encode(2048.0)))
    small = o.pand(w.lt(w.k(-(1 << 53)), value), w.lt(value, w.k(1 << 53)))
    return o.select(F64, small, o.cvt(F64, I64, value), scaled)


def u64_to_f64_odd(o: Any, value: Any) -> Any:
    """U64 to F64, rounded to odd."""
    w = _Words(o, U64)
    rest = w.and_(value, w.k(0x7FF))
    top = w.or_(w.right(value, 11), w.flag(o.pnot(w.eq(rest, w.k(0)))))
    scaled = o.mul(F64, o.cvt(F64, U64, top), o.const(F64, F64.encode(2048.0)))
    return o.select(F64, w.lt(value, w.k(1 << 53)), o.cvt(F64, U64, value), scaled)


# Fused multiply-add


def fma_f32(o: Any, a: Any, b: Any, c: Any) -> Any:
    """F32 fma in F64: the product is exact, the sum is rounded to odd, then once to F32."""
    product = o.mul(F64, o.cvt(F64, F32, a), o.cvt(F64, F32, b))
    third = o.cvt(F64, F32, c)
    total = o.add(F64, product, third)
    virtual = o.sub(F64, total, product)  # Knuth's two-sum
    lost = o.add(F64, o.sub(F64, product, o.sub(F64, total, virtual)), o.sub(F64, third, virtual))
    finite = o.lt(F64, o.abs(F64, total), o.const(F64, F64.encode(float("inf"))))
    lost = o.select(F64, finite, lost, o.const(F64, 0))
    return o.cvt(F32, F64, _odd_step(o, F64, U64, total, lost))


def _normalise(w: _Words, high: Any, low: Any) -> tuple[Any, Any, Any]:
    """(high, low) shifted left until the top bit of `high` is set, and by how much; 127 for zero."""
    count = w.k(0)
    for step in (64, 32, 16, 8, 4, 2, 1):
        if step == 64:
            short = w.eq(high, w.k(0))
            moved_high, moved_low = low, w.k(0)
        else:
            short = w.lt(high, w.k(1 << (64 - step)))
            moved_high = w.or_(w.left(high, step), w.right(low, 64 - step))
            moved_low = w.left(low, step)
        high, low = w.select(short, moved_high, high), w.select(short, moved_low, low)
        count = w.select(short, w.add(count, w.k(step)), count)
    return high, low, count


def _jam(o: Any, w: _Words, high: Any, low: Any, count: Any) -> tuple[Any, Any]:
    """(high, low) >> count for a count of 0 to 127, what is lost kept as a sticky last bit."""
    for step in (64, 32, 16, 8, 4, 2, 1):
        on = o.pnot(w.eq(w.and_(count, w.k(step)), w.k(0)))
        if step == 64:
            lost, moved_high, moved_low = low, w.k(0), high
        else:
            lost = w.and_(low, w.k((1 << step) - 1))
            moved_high = w.right(high, step)
            moved_low = w.or_(w.right(low, step), w.left(high, 64 - step))
        moved_low = w.or_(moved_low, w.flag(o.pnot(w.eq(lost, w.k(0)))))
        high, low = w.select(on, moved_high, high), w.select(on, moved_low, low)
    return high, low


def fma_f64(o: Any, a: Any, b: Any, c: Any) -> Any:
    """F64 fma in integers: a 106-bit product and the addend in 128 bits, summed, and rounded once."""
    w = _Words(o, U64)
    pa, pb, pc = (o.bitcast(U64, F64, x) for x in (a, b, c))
    sign_bit = w.k(1 << 63)

    def unpack(pattern: Any) -> tuple[Any, Any]:
        """Significand with its top bit at 63, and the exponent of that bit, biased by 4096."""
        rest = w.and_(pattern, w.k((1 << 63) - 1))
        exponent = w.right(rest, 52)
        fraction = w.and_(rest, w.k((1 << 52) - 1))
        tiny = w.eq(exponent, w.k(0))
        significand = w.select(tiny, fraction, w.or_(fraction, w.k(1 << 52)))
        top, _, count = _normalise(w, significand, w.k(0))
        biased = w.add(w.select(tiny, w.k(1), exponent), w.k(4096 - 1023 + 11))
        return top, w.sub(biased, count)

    (ma, ea), (mb, eb), (mc, ec) = unpack(pa), unpack(pb), unpack(pc)
    # 64 x 64 -> 128 bits by halves; the significands have 53 bits at the top.
    half = w.k(0xFFFFFFFF)
    a1, a0, b1, b0 = w.right(ma, 32), w.and_(ma, half), w.right(mb, 32), w.and_(mb, half)
    low, middle1, middle2, high = w.mul(a0, b0), w.mul(a0, b1), w.mul(a1, b0), w.mul(a1, b1)
    carry = w.add(w.add(w.right(low, 32), w.and_(middle1, half)), w.and_(middle2, half))
    product_low = w.or_(w.left(carry, 32), w.and_(low, half))
    product_high = w.add(w.add(high, w.right(carry, 32)), w.add(w.right(middle1, 32), w.right(middle2, 32)))
    # Leading bit at 127 or 126. Leave two bits of room at the top for the sum.
    product_exponent = w.sub(w.add(w.add(ea, eb), w.k(1)), w.k(4096))
    product_high, product_low = _jam(o, w, product_high, product_low, w.k(2))
    addend_high, addend_low = w.right(mc, 2), w.left(mc, 62)
    # Align the one with the lesser exponent.
    product_less = w.lt(product_exponent, ec)
    distance = w.select(product_less, w.sub(ec, product_exponent), w.sub(product_exponent, ec))
    distance = o.min(U64, distance, w.k(127))
    no_product = o.por(w.eq(ma, w.k(0)), w.eq(mb, w.k(0)))
    p_high, p_low = _jam(o, w, product_high, product_low, w.select(product_less, distance, w.k(0)))
    c_high, c_low = _jam(o, w, addend_high, addend_low, w.select(product_less, w.k(0), distance))
    exponent = w.select(product_less, ec, product_exponent)
    # Sum or difference, by signs.
    sign_p = w.and_(o.xor(U64, pa, pb), sign_bit)
    sign_c = w.and_(pc, sign_bit)
    same = w.eq(sign_p, sign_c)
    sum_low = w.add(p_low, c_low)
    sum_high = w.add(w.add(p_high, c_high), w.flag(w.lt(sum_low, p_low)))
    p_less = o.por(w.lt(p_high, c_high), o.pand(w.eq(p_high, c_high), w.lt(p_low, c_low)))
    big_high, big_low = w.select(p_less, c_high, p_high), w.select(p_less, c_low, p_low)
    small_high, small_low = w.select(p_less, p_high, c_high), w.select(p_less, p_low, c_low)
    difference_low = w.sub(big_low, small_low)
    difference_high = w.sub(w.sub(big_high, small_high), w.flag(w.lt(big_low, small_low)))
    total_high = w.select(same, sum_high, difference_high)
    total_low = w.select(same, sum_low, difference_low)
    sign = w.select(same, sign_p, w.select(p_less, sign_c, sign_p))
    nothing = w.eq(w.or_(total_high, total_low), w.k(0))
    sign = w.select(o.pand(nothing, o.pnot(same)), w.k(0), sign)
    # Normalise: the leading bit goes to 127, whose exponent is now `exponent` + 2; one U64 with a sticky bit is left.
    high, low, count = _normalise(w, total_high, total_low)
    significand = w.or_(high, w.flag(o.pnot(w.eq(low, w.k(0)))))
    biased = w.sub(w.add(exponent, w.k(2)), count)  # of the leading bit, biased by 4096
    # Subnormal results are shifted to where their last place is that of the least normal number.
    least = w.k(4096 - 1022)
    below = w.lt(biased, least)
    shift = o.min(U64, w.select(below, w.sub(least, biased), w.k(0)), w.k(127))
    _, significand = _jam(o, w, w.k(0), significand, o.min(U64, shift, w.k(63)))
    field = w.select(below, w.k(0), w.sub(biased, w.k(4096 - 1023)))
    # 53 bits are kept of 64: 11 are rounded off.
    kept, rest = w.right(significand, 11), w.and_(significand, w.k(0x7FF))
    odd = w.eq(w.and_(kept, w.k(1)), w.k(1))
    up = o.por(w.lt(w.k(0x400), rest), o.pand(w.eq(rest, w.k(0x400)), odd))
    kept = w.add(kept, w.flag(up))
    # A normal significand brings its own leading bit, which raises the exponent field by one.
    base = w.select(below, w.k(0), w.sub(field, w.k(1)))
    result = w.add(w.left(base, 52), kept)
    infinity = w.k(0x7FF << 52)
    too_large = o.pand(o.pnot(below), w.lt(w.k(0x7FE), field))
    result = w.select(o.por(too_large, w.lt(infinity, result)), infinity, result)
    result = w.or_(w.select(nothing, w.k(0), result), sign)
    exact = o.bitcast(F64, U64, result)
    # Infinities, NaNs and zero products: nothing is rounded in a * b + c, or c alone is.
    plain = o.add(F64, o.mul(F64, a, b), c)
    limit = o.const(F64, F64.encode(float("inf")))
    finite_factors = o.pand(o.lt(F64, o.abs(F64, a), limit), o.lt(F64, o.abs(F64, b), limit))
    finite_addend = o.lt(F64, o.abs(F64, c), limit)
    special = o.select(F64, o.pand(finite_factors, o.pnot(finite_addend)), c, plain)
    simple = o.por(no_product, o.pnot(o.pand(finite_factors, finite_addend)))
    return o.select(F64, simple, special, exact)


LIBRARY: dict[str, Routine] = {
    "f16_to_f32": Routine((U32,), F32, f16_to_f32),
    "f32_to_f16": Routine((F32,), U32, f32_to_f16),
    "bf16_to_f32": Routine((U32,), F32, bf16_to_f32),
    "f32_to_bf16": Routine((F32,), U32, f32_to_bf16),
    "f64_to_f32_odd": Routine((F64,), F32, f64_to_f32_odd),
    "i64_to_f64_odd": Routine((I64,), F64, i64_to_f64_odd),
    "u64_to_f64_odd": Routine((U64,), F64, u64_to_f64_odd),
    "fma_f32": Routine((F32, F32, F32), F32, fma_f32),
    "fma_f64": Routine((F64, F64, F64), F64, fma_f64),
}


def routine_of(name: str) -> Routine:
    """A function of this library, of pairs or of `isa/mathematics`."""
    return LIBRARY.get(name) or FUNCTIONS.get(name) or routine(name)


@cache
def function_of(name: str) -> Function:
    """The IR of a function: one block, whose end has the result."""
    found = routine_of(name)
    ops = NodeOps()
    params = [ops.node("param", ty, attr=number) for number, ty in enumerate(found.operands)]
    block = ops.start
    block.end = Terminator("exit", value=found.body(ops, *params))
    function = Function([block], 0, [], (1, 1, 1), name)
    function.renumber()
    return optimize(function)
