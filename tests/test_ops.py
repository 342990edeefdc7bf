"""The two ops namespaces agree bit for bit, and both with NumPy, struct and exact Fractions.

Scalar ops fold constants and define atomics, vector ops are the reference device.
"""

from __future__ import annotations

import struct
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hologram_web.isa import Condition, Immediate, Type
from hologram_web.isa.ops import SCALAR_OPS
from hologram_web.isa.row import Effect
from hologram_web.isa.table import BY_NAME, ROWS
from hologram_web.isa.types import INTEGERS, SMALL, WIDE
from hologram_web_tools.cpu.vector_ops import VECTOR_OPS

from .filetest_values import ELEMENTS

pytest.importorskip("ml_dtypes")

FLOATS = [Type.F16, Type.BF16, Type.F32, Type.F64]
NARROW = sorted(SMALL, key=lambda ty: ty.id)
PURE = [row for row in ROWS if row.effect is Effect.PURE and row.reference is not None and row.name != "LEA"]


@pytest.fixture(autouse=True)
def _silence():
    with np.errstate(all="ignore"):
        yield


# Values: bit patterns as Python integers, and as arrays of the type


def _patterns(ty, count, seed):
    """Random values of a type, every fourth one special."""
    element = ELEMENTS[str(ty)]
    source = np.random.default_rng([ty.id, seed])
    plain = element.pattern(element.random(count, seed))
    some = np.where(source.random(count) < 0.5, plain, element.pattern(element.patterns(count, seed)))
    special = element.pattern(source.choice(element.specials.view(element.unsigned), count).view(element.dtype))
    return np.where(source.random(count) < 0.4, special, some)


def _array(ty, patterns):
    return np.ascontiguousarray(patterns, f"<u{ty.size_bytes}").view(ty.numpy)


def _bits(ty, array):
    """Bit patterns of a result; every NaN as one."""
    patterns = np.ascontiguousarray(array).view(f"<u{ty.size_bytes}").tolist()
    return [_any_nan(ty, pattern) for pattern in patterns]


def _any_nan(ty, pattern):
    return "nan" if ty.is_nan(pattern) else pattern


def _type_choices(row):
    """Every choice of types (of at most 64 bits), conditions and flags that a row takes."""
    plain: dict[str, list[Any]] = {"Condition": list(Condition), "bool": [False, True]}
    names = [operand for operand in row.operands if operand.kind in ("type", *plain)]
    values = [plain.get(operand.kind) or [ty for ty in NARROW if ty in operand.allowed] for operand in names]
    for choice in product(*values):
        fields = {operand.name: value for operand, value in zip(names, choice, strict=True)}
        given = {name: fields.get(name) for name in row.positions}
        if row.check is None or row.check(**given) is None:
            yield fields


def _operand_type(operand, fields):
    return fields[operand.type] if operand.type in fields else Type.named(operand.type)


@pytest.mark.parametrize("row", PURE, ids=lambda row: row.name)
def test_scalar_and_vector_ops_agree(row):
    count = 400
    for fields in _type_choices(row):
        scalars, vectors = [], []
        for seed, operand in enumerate(row.operands):
            if operand.role == "def":
                continue
            if operand.name in fields:
                scalars.append([fields[operand.name]] * count)
                vectors.append(fields[operand.name])
            elif operand.kind == "predicate":
                truth = np.random.default_rng(seed).random(count) < 0.5
                scalars.append(truth.tolist())
                vectors.append(truth)
            elif operand.kind == "imm":
                value = Immediate(fields["ty"], int(_patterns(fields["ty"], 1, seed)[0]))
                scalars.append([value] * count)
                vectors.append(value)
            else:
                ty = Type.F32 if operand.type == "any" else _operand_type(operand, fields)
                patterns = _patterns(ty, count, seed)
                scalars.append(patterns.tolist())
                vectors.append(_array(ty, patterns))
        dst = next(operand for operand in row.operands if operand.role == "def")
        one_by_one = [row.reference(SCALAR_OPS, *values) for values in zip(*scalars, strict=True)]
        together = np.broadcast_to(row.reference(VECTOR_OPS, *vectors), count)
        if dst.kind == "predicate":
            assert together.tolist() == one_by_one, fields
        else:
            ty = Type.F32 if dst.type == "any" else _operand_type(dst, fields)
            assert _bits(ty, together) == [_any_nan(ty, pattern) for pattern in one_by_one], fields


def test_every_pure_row_is_compared():
    assert {"MOV", "CVT", "BITCAST", "ADD", "FMA", "SETcc", "SEL", "PAND", "SHR"} <= {row.name for row in PURE}
    assert len(PURE) >= 35


# Exact results


def _both(name, ty, *patterns):
    """A primitive's results from both namespaces, which agree; as bits."""
    scalar = [getattr(SCALAR_OPS, name)(ty, *group) for group in zip(*(p.tolist() for p in patterns), strict=True)]
    vector = getattr(VECTOR_OPS, name)(ty, *(_array(ty, p) for p in patterns))
    assert _bits(ty, vector) == [_any_nan(ty, pattern) for pattern in scalar]
    return _bits(ty, vector)


def _finite(ty, count, *seeds):
    """Finite random values, as many arrays as seeds."""
    element = ELEMENTS[str(ty)]
    arrays = [
        np.concatenate([element.patterns(count, seed), element.random(count, seed), element.finite]) for seed in seeds
    ]
    arrays = [np.random.default_rng(number).permutation(array) for number, array in enumerate(arrays)]
    keep = np.all([np.isfinite(array) for array in arrays], axis=0) if len(arrays) else None
    return [element.pattern(array[keep]) for array in arrays]


EXACT: dict[str, tuple[int, Any]] = {
    "add": (2, lambda x, y: x + y),
    "sub": (2, lambda x, y: x - y),
    "mul": (2, lambda x, y: x * y),
    "div": (2, lambda x, y: x / y),
    "fma": (3, lambda x, y, z: x * y + z),
}


@pytest.mark.parametrize("ty", FLOATS, ids=str)
@pytest.mark.parametrize("name", EXACT)
def test_arithmetic_is_rounded_once(name, ty):
    """Against exact Fractions; zeros, whose sign a Fraction lacks, are left to the filetests."""
    count, function = EXACT[name]
    patterns = _finite(ty, 1500, *range(count))
    element = ELEMENTS[str(ty)]
    values = [[Fraction(v) for v in element.bits(p).astype(np.float64).tolist()] for p in patterns]
    keep = [i for i, group in enumerate(zip(*values, strict=True)) if group[-1] != 0 and function(*group) != 0]
    exact = [function(*(column[i] for column in values)) for i in keep]
    if name == "fma" and ty.bits == 16:  # the F32 operation, then rounding
        expected = element(ELEMENTS["f32"].round(exact))
    else:
        expected = element.round(exact)
    assert _both(name, ty, *(p[keep] for p in patterns)) == element.pattern(expected).tolist()


@pytest.mark.parametrize("ty", FLOATS, ids=str)
def test_square_roots_lie_between_halves(ty):
    """sqrt(x) is the float nearest to the root: x lies between the squares of the middles beside it."""
    element = ELEMENTS[str(ty)]
    (patterns,) = _finite(ty, 1500, 5)
    patterns = element.pattern(np.abs(element.bits(patterns)))
    for x, root in zip(patterns.tolist(), _both("sqrt", ty, patterns), strict=True):
        if root == 0:
            assert x == 0
            continue
        low, middle, high = (Fraction(ty.decode(bits)) for bits in (root - 1, root, root + 1))
        assert ((low + middle) / 2) ** 2 < Fraction(ty.decode(x)) < ((middle + high) / 2) ** 2


@pytest.mark.parametrize("src", FLOATS, ids=str)
@pytest.mark.parametrize("dst", FLOATS, ids=str)
def test_conversions_between_floats_are_rounded_once(dst, src):
    source, target = ELEMENTS[str(src)], ELEMENTS[str(dst)]
    values = np.concatenate([source.ties(target), source.patterns(1500), source.specials])
    patterns = source.pattern(values)
    expected = _bits(dst, target.pattern(target.round(values.astype(np.float64))))
    assert _bits(dst, VECTOR_OPS.cvt(dst, src, _array(src, patterns))) == expected
    assert [_any_nan(dst, SCALAR_OPS.cvt(dst, src, pattern)) for pattern in patterns.tolist()] == expected


@pytest.mark.parametrize("src", [ty for ty in NARROW if ty.is_integer], ids=str)
@pytest.mark.parametrize("dst", FLOATS, ids=str)
def test_conversions_of_integers_are_rounded_once(dst, src):
    source, target = ELEMENTS[str(src)], ELEMENTS[str(dst)]
    middles = [2**p + d for p in range(src.bits) for d in (0, 1, 2 ** max(p - target.digits, 0))]
    middles += [v + d for v in middles for d in (-1, 1)]
    values = np.concatenate([source.wrap(middles), source.patterns(1000), source.specials])
    expected = target.pattern(target.round(values)).tolist()
    assert _bits(dst, VECTOR_OPS.cvt(dst, src, values)) == expected
    assert [SCALAR_OPS.cvt(dst, src, pattern) for pattern in source.pattern(values).tolist()] == expected


@given(st.floats(), st.sampled_from(FLOATS))
def test_encoding_rounds_as_struct_and_exact_numbers_do(value, ty):
    expected = ELEMENTS[str(ty)].pattern(ELEMENTS[str(ty)].round([value])).tolist()[0]
    assert _any_nan(ty, ty.encode(value)) == _any_nan(ty, expected)
    form = {Type.F16: "<e", Type.F32: "<f", Type.F64: "<d"}.get(ty)
    if form is not None and value == value and abs(value) < 65504:
        assert ty.encode(value) == int.from_bytes(struct.pack(form, value), "little")


@pytest.mark.parametrize("ty", [Type.F16, Type.BF16], ids=str)
def test_decoding_every_half(ty):
    every = np.arange(65536, dtype=np.uint16)
    values = every.view(ELEMENTS[str(ty)].dtype).astype(np.float64).tolist()
    for pattern, value in enumerate(values):
        found = ty.decode(pattern)
        assert struct.pack("<d", found) == struct.pack("<d", value) or (found != found and value != value)
        assert ty.is_nan(pattern) == (value != value)
        if value == value:
            assert ty.encode(value) == pattern


# Integers of every width against Python's

_INTEGERS = sorted(INTEGERS, key=lambda ty: ty.id)


def _run(name, *operands):
    reference: Any = BY_NAME[name].reference
    return reference(SCALAR_OPS, *operands)


def _exact_integers(x, y, z):
    """What each instruction gives, before the low bits are taken."""
    quotient = 0 if y == 0 else int(Fraction(x, y))
    return {
        "ADD": x + y,
        "SUB": x - y,
        "MUL": x * y,
        "DIV": quotient,
        "REM": x - y * quotient if y else 0,
        "MAD": x * y + z,
        "MIN": min(x, y),
        "MAX": max(x, y),
        "ABS": abs(x),
        "NEG": -x,
        "SIGN": (x > 0) - (x < 0),
        "RELU": max(x, 0),
        "CLAMP": min(max(x, y), z),
        "AND": x & y,
        "OR": x | y,
        "XOR": x ^ y,
        "NOT": ~x,
    }


@given(st.data())
@pytest.mark.parametrize("ty", _INTEGERS, ids=str)
def test_integers_of_every_width(ty, data):
    awkward = st.sampled_from([ty.min_value, ty.max_value, 0, 1, -1 if ty.is_signed else 2])
    x, y, z = (data.draw(st.one_of(awkward, st.integers(ty.min_value, ty.max_value))) for _ in range(3))
    for name, exact in _exact_integers(x, y, z).items():
        count = sum(operand.role == "use" for operand in BY_NAME[name].operands)
        result = _run(name, ty, *(ty.encode(value) for value in (x, y, z)[:count]))
        assert result == exact % 2**ty.bits, name
    amount = data.draw(st.integers(0, 2**32 - 1))
    assert SCALAR_OPS.shl(ty, ty.encode(x), amount) == (x << amount % ty.bits) % 2**ty.bits
    assert SCALAR_OPS.shr(ty, ty.encode(x), amount) == (x >> amount % ty.bits) % 2**ty.bits
    other = data.draw(st.sampled_from(_INTEGERS))
    assert SCALAR_OPS.cvt(other, ty, ty.encode(x)) == x % 2**other.bits
    for cond, truth in (("lt", x < y), ("le", x <= y), ("eq", x == y), ("gt", x > y), ("ge", x >= y), ("ne", x != y)):
        assert _run("SETcc", Condition(cond), ty, ty.encode(x), ty.encode(y)) is truth
    unsigned = ty.encode(x) < ty.encode(y)
    assert _run("SETcc", Condition.LTU, ty, ty.encode(x), ty.encode(y)) is unsigned


@given(st.data())
@pytest.mark.parametrize("ty", [ty for ty in _INTEGERS if ty in WIDE], ids=str)
def test_wide_integers_and_floats(ty, data):
    x = data.draw(st.integers(ty.min_value, ty.max_value))
    for name in ("f16", "bf16", "f32", "f64"):
        element = ELEMENTS[name]
        assert SCALAR_OPS.cvt(element.ty, ty, ty.encode(x)) == element.pattern(element.round([x]))[0]
    value = data.draw(st.floats())
    if value != value:
        expected = 0
    elif abs(value) == float("inf"):
        expected = ty.max_value if value > 0 else ty.min_value
    else:
        expected = max(ty.min_value, min(ty.max_value, int(value)))
    assert ty.decode(SCALAR_OPS.cvt(ty, Type.F64, Type.F64.encode(value))) == expected
