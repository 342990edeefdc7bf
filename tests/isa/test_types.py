"""Types: patterns, rounding and limits, against NumPy, ml_dtypes, struct, CPython's division and exact Fractions."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hologram_web.errors import IsaError
from hologram_web.isa import Type
from hologram_web.isa.types import ATOMIC_INTS, FLOATS, INTEGERS, NUMBERS, SMALL, WIDE, round_ratio
from tests.strategies import bits_of

F16, BF16, F32, F64 = Type.F16, Type.BF16, Type.F32, Type.F64
NUMPY = {F16: np.float16, BF16: ml_dtypes.bfloat16, F32: np.float32, F64: np.float64}
every = pytest.mark.parametrize("ty", list(Type), ids=str)
every_float = pytest.mark.parametrize("ty", list(NUMPY), ids=str)
every_integer = pytest.mark.parametrize("ty", [ty for ty in Type if ty.is_integer], ids=str)

doubles = bits_of(F64).map(F64.decode)
# Denominators near powers of two, and numerators near multiples of halves, meet ties and carries often.
wide = st.one_of(st.integers(1, 1 << 12), st.integers(1, 1 << 200), st.integers(0, 2200).map(lambda n: 1 << n))
numerators = st.builds(lambda a, b: a * b + 1 if a & 1 else a * b, st.integers(0, 1 << 64), wide)


def to_numpy(ty: Type, bits: int) -> np.generic:
    return np.array([bits], dtype=f"<u{ty.size_bytes}").view(NUMPY[ty])[0]


def from_numpy(ty: Type, value: np.generic) -> int:
    return int(np.array([value], dtype=NUMPY[ty]).view(f"<u{ty.size_bytes}")[0])


def infinity(ty: Type) -> int:
    return ((1 << ty.exponent) - 1) << ty.mantissa


def fraction(ty: Type, bits: int) -> Fraction:
    """The exact value of a pattern without its sign; infinity counts as the number one step above the greatest."""
    field, mantissa = bits >> ty.mantissa, bits & ((1 << ty.mantissa) - 1)
    bias = (1 << (ty.exponent - 1)) - 1
    place = max(field, 1) - bias - ty.mantissa
    return Fraction(mantissa + ((field > 0) << ty.mantissa)) * Fraction(2) ** place


def assert_nearest(ty: Type, bits: int, exact: Fraction) -> None:
    """`bits` is the nearest to `exact`, the even one of two equally near."""
    magnitude = bits & ((1 << (ty.bits - 1)) - 1)
    assert magnitude <= infinity(ty)
    distance = abs(fraction(ty, magnitude) - abs(exact))
    if magnitude < infinity(ty):
        above = abs(fraction(ty, magnitude + 1) - abs(exact))
        assert distance < above or (distance == above and magnitude % 2 == 0)
    elif abs(exact) > fraction(ty, magnitude):
        distance = Fraction(0)
    if magnitude > 0:
        below = abs(fraction(ty, magnitude - 1) - abs(exact))
        assert distance < below or (distance == below and magnitude % 2 == 0)


# Names and numbers


def test_there_are_24_types_with_stable_numbers() -> None:
    widths = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
    expected = ["f16", "bf16", "f32", "f64", *(f"i{width}" for width in widths), *(f"u{width}" for width in widths)]
    assert [str(ty) for ty in Type] == expected
    assert [ty.id for ty in Type] == list(range(24))


@every
def test_names(ty: Type) -> None:
    assert Type.named(str(ty)) is Type.named(ty.name) is ty
    assert repr(ty) == f"Type.{ty.name}"
    assert str(ty) == ty.name.lower()
    assert ty.name.endswith(str(ty.bits))


@pytest.mark.parametrize("name", ["", "f8", "F 32", "int", "u65536", "f32 "])
def test_unknown_names(name: str) -> None:
    with pytest.raises(IsaError) as caught:
        Type.named(name)
    assert str(caught.value) == (
        f"unknown type {name!r}: use one of f16, bf16, f32, f64, "
        "i8, i16, i32, i64, i128, i256, i512, i1024, i2048, i4096, "
        "u8, u16, u32, u64, u128, u256, u512, u1024, u2048, u4096"
    )


@every
def test_properties(ty: Type) -> None:
    assert ty.size_bytes * 8 == ty.bits
    assert ty.alignment == min(ty.size_bytes, 16)
    assert ty.is_float == (ty in FLOATS) == (not ty.is_integer) == (ty not in INTEGERS)
    assert ty.is_wide == (ty in WIDE) == (ty not in SMALL) == (ty.bits > 64)
    assert ty in NUMBERS
    assert ty.is_unsigned == (not ty.is_signed) == ty.name.startswith("U")
    assert ty.unsigned.bits == ty.signed.bits == ty.bits
    assert ty.unsigned.is_unsigned
    assert ty.signed.kind == "i"
    assert ty.zero() == 0
    assert ty.one() == 1
    assert type(ty.zero()) is type(ty.one()) is (float if ty.is_float else int)
    assert (1 + ty.exponent + ty.mantissa == ty.bits) if ty.is_float else (ty.exponent == ty.mantissa == 0)
    assert {Type.I32, Type.U32, Type.I64, Type.U64} == ATOMIC_INTS


@every
def test_numpy_dtypes(ty: Type) -> None:
    assert ty.numpy.itemsize == ty.size_bytes
    if ty is BF16:
        assert ty.numpy == np.uint16
    elif ty.is_wide:
        assert ty.numpy.kind == "V"
    else:
        assert ty.numpy.name == {"f": "float", "i": "int", "u": "uint"}[ty.kind] + str(ty.bits)


# Integers


@every_integer
@given(data=st.data())
def test_integers_wrap(ty: Type, data: st.DataObject) -> None:
    bits = data.draw(bits_of(ty))
    value = ty.decode(bits)
    assert ty.min_value <= value <= ty.max_value
    assert ty.encode(value) == bits
    assert value == int.from_bytes(bits.to_bytes(ty.size_bytes, "little"), "little", signed=ty.is_signed)
    number = data.draw(st.integers(-(4 << ty.bits), 4 << ty.bits))
    assert ty.encode(number) == number % (1 << ty.bits)
    assert (ty.decode(ty.encode(number)) - number) % (1 << ty.bits) == 0
    assert not ty.is_nan(bits)


@every_integer
def test_limits_of_integers(ty: Type) -> None:
    assert ty.min_value == (-(2 ** (ty.bits - 1)) if ty.is_signed else 0)
    assert ty.max_value == (2 ** (ty.bits - 1) - 1 if ty.is_signed else 2**ty.bits - 1)
    assert ty.encode(ty.max_value + 1) == ty.encode(ty.min_value)
    if not ty.is_wide:
        info = np.iinfo(ty.numpy)
        assert (ty.min_value, ty.max_value) == (info.min, info.max)


@every_integer
@given(value=doubles)
def test_floats_to_integers_truncate_and_saturate(ty: Type, value: float) -> None:
    result = ty.from_float(value)
    assert type(result) is int
    if math.isnan(value):
        assert result == 0
    elif value <= ty.min_value or value >= ty.max_value:
        assert result == (ty.min_value if value <= ty.min_value else ty.max_value)
    else:
        assert result == int(value)


@every_integer
@given(data=st.data())
def test_integers_to_floats_round_to_nearest(ty: Type, data: st.DataObject) -> None:
    value = ty.decode(data.draw(bits_of(ty)))
    try:
        expected = float(Fraction(value))
    except OverflowError:
        expected = math.inf if value > 0 else -math.inf
    assert ty.to_float(value) == expected


# Floats


@pytest.mark.parametrize("ty", [F16, BF16], ids=str)
def test_every_pattern_of_a_half_against_numpy(ty: Type) -> None:
    patterns = np.arange(1 << 16, dtype=np.uint16)
    with np.errstate(invalid="ignore"):
        theirs = patterns.view(NUMPY[ty]).astype(np.float64)
    ours = np.array([ty.decode(bits) for bits in range(1 << 16)])
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))
    nans = np.isnan(theirs)
    np.testing.assert_array_equal([ty.is_nan(bits) for bits in range(1 << 16)], nans)
    again = np.array([ty.encode(float(value)) for value in ours])
    np.testing.assert_array_equal(again[~nans], patterns[~nans])


@every_float
@given(data=st.data())
def test_decode_and_encode_against_numpy(ty: Type, data: st.DataObject) -> None:
    bits = data.draw(bits_of(ty))
    value = ty.decode(bits)
    with np.errstate(invalid="ignore"):
        theirs = float(to_numpy(ty, bits))
    assert ty.is_nan(bits) == math.isnan(value) == math.isnan(theirs)
    if ty.is_nan(bits):
        assert ty.is_nan(ty.encode(value))
    else:
        assert value == theirs
        assert math.copysign(1, value) == (-1 if bits >> (ty.bits - 1) else 1)
        assert ty.encode(value) == bits
        assert math.isinf(value) or abs(Fraction(value)) == fraction(ty, bits & ((1 << (ty.bits - 1)) - 1))


@pytest.mark.parametrize(("ty", "code"), [(F16, "<e"), (F32, "<f"), (F64, "<d")], ids=["f16", "f32", "f64"])
@given(value=doubles)
def test_encode_against_struct_and_numpy(ty: Type, code: str, value: float) -> None:
    if math.isnan(value):
        assert ty.is_nan(ty.encode(value))
        return
    with np.errstate(over="ignore", under="ignore"):
        assert ty.encode(value) == from_numpy(ty, NUMPY[ty](value))
    try:
        packed = struct.pack(code, value)
    except OverflowError:
        assert ty.encode(value) == infinity(ty) | (value < 0) << (ty.bits - 1)
    else:
        assert ty.encode(value) == int.from_bytes(packed, "little")


@given(bits_of(F32))
def test_encode_of_bfloat16_against_ml_dtypes(bits: int) -> None:
    if not F32.is_nan(bits):
        assert BF16.encode(F32.decode(bits)) == from_numpy(BF16, ml_dtypes.bfloat16(to_numpy(F32, bits)))


@every_float
@given(value=doubles)
def test_encode_gives_the_exact_nearest(ty: Type, value: float) -> None:
    if math.isfinite(value):
        assert_nearest(ty, ty.encode(value), Fraction(value))
        assert ty.encode(value) >> (ty.bits - 1) == (math.copysign(1, value) < 0)
        assert ty.from_float(value) == ty.decode(ty.encode(value))


@every_float
@given(value=st.one_of(st.integers(), st.integers(-(1 << 1100), 1 << 1100)))
def test_encode_of_integers_is_exact(ty: Type, value: int) -> None:
    assert_nearest(ty, ty.encode(value), Fraction(value))
    assert ty.encode(value) >> (ty.bits - 1) == (value < 0)


@every_float
@given(numerator=numerators, denominator=wide, negative=st.booleans())
def test_round_ratio_gives_the_exact_nearest(ty: Type, numerator: int, denominator: int, negative: bool) -> None:
    bits = round_ratio(ty, -numerator if negative else numerator, denominator, negative)
    assert_nearest(ty, bits, Fraction(numerator, denominator))
    assert bits >> (ty.bits - 1) == negative


@given(numerators, wide)
def test_round_ratio_against_division_of_integers(numerator: int, denominator: int) -> None:
    try:
        expected = numerator / denominator
    except OverflowError:
        expected = math.inf
    assert round_ratio(F64, numerator, denominator, False) == F64.encode(expected)


@every_float
@given(data=st.data())
def test_halfway_between_neighbours_goes_to_even(ty: Type, data: st.DataObject) -> None:
    bits = data.draw(st.integers(0, infinity(ty) - 1))
    low, high = fraction(ty, bits), fraction(ty, bits + 1)
    middle, little = (low + high) / 2, (high - low) / 1000
    for exact, expected in (
        (middle, bits + bits % 2),
        (middle - little, bits),
        (middle + little, bits + 1),
        (low, bits),
    ):
        assert round_ratio(ty, exact.numerator, exact.denominator, False) == expected


@every_float
def test_special_floats(ty: Type) -> None:
    sign = 1 << (ty.bits - 1)
    assert (ty.min_value, ty.max_value) == (-math.inf, math.inf)
    assert ty.encode(math.inf) == infinity(ty)
    assert ty.encode(-math.inf) == infinity(ty) | sign
    assert ty.encode(0.0) == ty.encode(0) == 0
    assert ty.encode(-0.0) == sign
    assert ty.encode(math.nan) == from_numpy(ty, NUMPY[ty](math.nan)) == infinity(ty) | 1 << (ty.mantissa - 1)
    assert ty.encode(1) == ty.encode(1.0) == from_numpy(ty, NUMPY[ty](1.0))
    info = ml_dtypes.finfo(NUMPY[ty])
    assert ty.encode(float(info.max)) == infinity(ty) - 1
    assert ty.encode(float(info.smallest_subnormal)) == 1
    assert ty.encode(float(info.tiny)) == 1 << ty.mantissa
    half = Fraction(float(info.smallest_subnormal)) / 2
    assert round_ratio(ty, half.numerator, half.denominator, True) == sign
    assert round_ratio(ty, half.numerator * 1001, half.denominator * 1000, True) == sign | 1


@every_float
def test_nans_are_told_from_infinities(ty: Type) -> None:
    sign, top = 1 << (ty.bits - 1), infinity(ty)
    for bits in (top + 1, top | sign | 1, sign - 1, 2 * sign - 1):
        assert ty.is_nan(bits)
    for bits in (0, sign, top, top | sign, top - 1):
        assert not ty.is_nan(bits)


@given(bits_of(F64))
def test_nan_payloads_of_doubles_survive(bits: int) -> None:
    assert F64.encode(F64.decode(bits)) == bits


@every_float
@given(value=doubles)
def test_to_float_of_floats_is_the_same_number(ty: Type, value: float) -> None:
    held = ty.from_float(value)
    assert struct.pack("<d", ty.to_float(held)) == struct.pack("<d", held)
