"""The functions of wgsl/*.wgsl, each by itself in a shader, against NumPy, Python integers and Fractions.

Operands are made as Berkeley TestFloat makes them: special numbers, numbers with few bits set or clear beside every
power of two, any bits; and pairs that cancel, that are halfway between two results, or that are far apart.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from wgpu.utils.compute import compute_with_buffers

from hologram_web.targets.wgsl.library import library_for, names_in

WGSL = Path(__file__).resolve().parent.parent / "wgsl"
COUNT = 3000  # operands of each function beside the pairs of special ones
Array = NDArray[Any]


class Format:
    """A binary format: bits, those of the significand, the type that holds patterns, and NumPy's floats."""

    def __init__(self, bits: int, digits: int, floats: Any) -> None:
        self.bits, self.digits, self.floats = bits, digits, floats
        self.patterns = np.dtype(f"<u{bits // 8}")
        self.bias = (1 << (bits - digits - 1)) - 1
        self.infinity = ((2 * self.bias + 1) << (digits - 1)) & ((1 << (bits - 1)) - 1)

    def fraction(self, pattern: int) -> Fraction:
        """The value of a finite number."""
        exponent = pattern >> (self.digits - 1) & (2 * self.bias + 1)
        significand = pattern & (1 << (self.digits - 1)) - 1
        if exponent:
            significand |= 1 << (self.digits - 1)
        value = Fraction(significand) * Fraction(2) ** (max(exponent, 1) - self.bias - self.digits + 1)
        return -value if pattern >> (self.bits - 1) else value

    def round(self, value: Fraction, sign: int) -> int:
        """The nearest number, ties to even; `sign` is that of a zero."""
        if value == 0:
            return sign << (self.bits - 1)
        magnitude, top = abs(value), sign_of(value) << (self.bits - 1)
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        exponent -= magnitude < Fraction(2) ** exponent
        unit = max(exponent, 1 - self.bias) - self.digits + 1
        scaled = magnitude / Fraction(2) ** unit
        whole = int(scaled)
        rest = scaled - whole
        whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1 == 1)
        # The bits of magnitudes count up like numbers: a significand of 2**digits is the next power of two.
        field = max(exponent, 1 - self.bias) + self.bias - 1
        return top | min((field << (self.digits - 1)) + whole, self.infinity)


def sign_of(value: Fraction) -> int:
    return int(value < 0)


F32, F64 = Format(32, 24, np.float32), Format(64, 53, np.float64)
FORMATS = {"f32": F32, "f64": F64}


@cache
def specials(form: Format) -> list[int]:
    """Numbers where mistakes show, of both signs."""
    point, least = form.digits - 1, 1 << (form.digits - 1)
    one = form.bias << point
    found = [
        0,
        1,
        2,
        least - 1,
        least,
        least + 1,
        least | 1 << (point - 1),
        one - 1,
        one,
        one + 1,
        one | 1 << (point - 1),
    ]
    found += [one + (1 << point), one - (1 << point), one - (1 << point) + 1, (form.bias + point) << point]
    found += [((form.bias + point) << point) - 1, (form.bias + form.digits) << point, form.infinity - 1]
    found += [form.infinity, form.infinity + 1, form.infinity | 1 << (point - 1), form.infinity - (1 << point)]
    return [pattern | sign << (form.bits - 1) for pattern in found for sign in (0, 1)]


def _any(rng: random.Random, form: Format) -> int:
    """A number with any exponent and a significand that is sparse, dense, or anything."""
    point, kind = form.digits - 1, rng.random()
    significand = rng.getrandbits(point)
    if kind < 0.5:
        significand = 1 << rng.randrange(point) | (1 << rng.randrange(point) if kind < 0.25 else 0)
        significand = significand if rng.random() < 0.5 else ((1 << point) - 1) ^ significand
    exponent = rng.randrange(2 * form.bias + 2) if rng.random() < 0.5 else form.bias + rng.randint(-60, 66)
    return rng.getrandbits(1) << (form.bits - 1) | exponent << point | significand


def _near(rng: random.Random, form: Format, other: int) -> int:
    """A number that is close to another, or some places of the significand away from it."""
    point = form.digits - 1
    pattern = other ^ rng.getrandbits(1) << (form.bits - 1)
    step = rng.choice([0, 1, -1, rng.randint(-5, 5), rng.randint(-form.digits - 3, form.digits + 3) << point])
    return max(min((pattern & (1 << (form.bits - 1)) - 1) + step, form.infinity), 0) | pattern & 1 << (form.bits - 1)


@cache
def operands(form: Format, arity: int) -> tuple[list[int], ...]:
    """Columns of operands: combinations of special numbers, then random ones."""
    rng = random.Random(f"{form.bits} {arity}")
    chosen = specials(form)
    if arity == 3:
        chosen = rng.sample(chosen, 16)
    rows = list(itertools.product(chosen, repeat=arity))
    for _ in range(COUNT):
        row = [_any(rng, form)]
        while len(row) < arity:
            row.append(_near(rng, form, row[-1]) if rng.random() < 0.4 else _any(rng, form))
        if arity == 3 and rng.random() < 0.6:  # near minus the product
            row[2] = _near(rng, form, _product(form, row[0], row[1]))
        rows.append(tuple(row))
    return tuple(map(list, zip(*rows, strict=True)))


def _product(form: Format, a: int, b: int) -> int:
    with np.errstate(all="ignore"):
        x, y = (np.array([pattern], form.patterns).view(form.floats) for pattern in (a, b))
        return int((x * y).view(form.patterns)[0])


# Shaders. A pattern of 64 bits is two words, everything else one.

_READ = {
    "f32": "f32_bits(words[{0}])",
    "i32": "bitcast<i32>(words[{0}])",
    "u32": "words[{0}]",
    "f64": "vec2u(words[{0}], words[{0} + 1u])",
}
_READ |= {"f16": _READ["u32"], "bf16": _READ["u32"], "u64": _READ["f64"], "i64": _READ["f64"]}
_WIDE = ("f64", "u64", "i64")


def run(name: str, sources: list[str], result: str, columns: list[list[int]]) -> list[int]:
    """A library function on every row of patterns, on whatever adapter there is."""
    count = len(columns[0])
    parts, arguments, width = [], [], 0
    for ty, column in zip(sources, columns, strict=True):
        words = np.array(column, np.uint64).view(np.uint32).reshape(-1, 2)
        parts.append(words if ty in _WIDE else words[:, :1])
        arguments.append(_READ[ty].format(f"base + {width}u"))
        width += parts[-1].shape[1]
    wide = 2 if result in _WIDE else 1
    found = {"f32": "bitcast<u32>(found)", "i32": "bitcast<u32>(found)", "bool": "select(0u, 1u, found)"}
    stores = ["found.x", "found.y"] if wide == 2 else [found.get(result, "found")]
    body = f"""@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {{
  if (id.x >= {count}u) {{
    return;
  }}
  let base = id.x * {width}u;
  let found = {name}({", ".join(arguments)}){")" * name.count("(")};
  {" ".join(f"results[id.x * {wide}u + {place}u] = {text};" for place, text in enumerate(stores))}
}}
"""
    words = np.ascontiguousarray(np.hstack(parts))
    raw = compute_with_buffers(
        {0: words}, {1: (count * wide, "I")}, library_for(names_in(body)) + body, n=-(-count // 64)
    )[1]
    return np.frombuffer(raw, np.uint64 if wide == 2 else np.uint32).tolist()


# What is right: from patterns to a pattern


def _numpy(form: Format, function: Callable[..., Any]) -> Callable[..., list[int]]:
    """By NumPy on floats of the format."""

    def reference(*columns: list[int]) -> list[int]:
        with np.errstate(all="ignore"):
            found = function(*(np.array(column, form.patterns).view(form.floats) for column in columns))
        if found.dtype == bool:
            return found.astype(int).tolist()
        return found.view(f"<u{found.itemsize}").tolist()

    return reference


def _each(function: Callable[..., int]) -> Callable[..., list[int]]:
    """Row by row, in Python."""
    return lambda *columns: [function(*row) for row in zip(*columns, strict=True)]


def _fma(form: Format) -> Callable[[int, int, int], int]:
    def fma(a: int, b: int, c: int) -> int:
        top = form.bits - 1
        sign = (a ^ b) >> top
        x, y, z = (pattern & (1 << top) - 1 for pattern in (a, b, c))
        if max(x, y, z) > form.infinity or (form.infinity in (x, y) and 0 in (x, y)):
            return form.infinity + 1
        if form.infinity in (x, y):
            return form.infinity + 1 if z == form.infinity and c >> top != sign else form.infinity | sign << top
        if z == form.infinity:
            return c
        total = form.fraction(a) * form.fraction(b) + form.fraction(c)
        both_zero = (x == 0 or y == 0) and z == 0
        return form.round(total, sign & (c >> top) if both_zero else 0)

    return fma


def _extreme(form: Format, greater: bool) -> Callable[[int, int], int]:
    """MIN and MAX: NaN if one is NaN, and -0 below +0."""

    def extreme(a: int, b: int) -> int:
        top = form.bits - 1
        for pattern in (a, b):
            if pattern & (1 << top) - 1 > form.infinity:
                return pattern
        key = [-(p & (1 << top) - 1) * 2 - 1 if p >> top else p * 2 for p in (a, b)]
        return (a, b)[(key[1] > key[0]) == greater] if key[0] != key[1] else a

    return extreme


def _to_integer(form: Format, low: int, high: int, bits: int) -> Callable[[int], int]:
    def convert(a: int) -> int:
        magnitude = a & (1 << (form.bits - 1)) - 1
        if magnitude > form.infinity:
            return 0
        if magnitude == form.infinity:
            value = low if a >> (form.bits - 1) else high
        else:
            value = min(max(int(form.fraction(a)), low), high)
        return value & (1 << bits) - 1

    return convert


def _to_float(form: Format, target: Format) -> Callable[[int], int]:
    """Between formats, by Fractions."""

    def convert(a: int) -> int:
        sign, magnitude = a >> (form.bits - 1), a & (1 << (form.bits - 1)) - 1
        if magnitude >= form.infinity:
            return target.infinity + (magnitude > form.infinity) | sign << (target.bits - 1)
        return target.round(form.fraction(a), sign)

    return convert


def _from_integer(bits: int, signed: bool, target: Format) -> Callable[[int], int]:
    return lambda a: target.round(Fraction(_signed(a, bits) if signed else a), 0)


def _signed(a: int, bits: int) -> int:
    return a - (1 << bits) if a >> (bits - 1) else a


def _divide(a: int, b: int, rest: bool) -> int:
    """Truncating; zero for a divisor of zero."""
    if b == 0:
        return 0
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a - b * quotient if rest else quotient


U64 = (1 << 64) - 1
Case = tuple[str, list[str], str, Callable[..., list[int]]]


def _float_cases(ty: str, form: Format) -> list[Case]:
    pair, single = [ty, ty], [ty]
    numpy = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "rem": np.fmod,
        "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "round": np.rint, "trunc": np.trunc,
        "neg": np.negative, "abs": np.abs,
    }  # fmt: skip
    found: list[Case] = [
        (f"{ty}_{name}", single if function.nin == 1 else pair, ty, _numpy(form, function))
        for name, function in numpy.items()
    ]
    for name, function in (("eq", np.equal), ("lt", np.less), ("le", np.less_equal)):
        found.append((f"{ty}_{name}", pair, "bool", _numpy(form, function)))
    found += [
        (f"{ty}_min", pair, ty, _each(_extreme(form, False))),
        (f"{ty}_max", pair, ty, _each(_extreme(form, True))),
        (f"{ty}_fma", [ty] * 3, ty, _each(_fma(form))),
    ]
    for bits in (32, 64):
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        found += [
            (f"{ty}_to_i{bits}", single, f"i{bits}", _each(_to_integer(form, low, high, bits))),
            (f"{ty}_to_u{bits}", single, f"u{bits}", _each(_to_integer(form, 0, 2 * high + 1, bits))),
        ]
        if bits == 64 or ty == "f32":
            found += [
                (f"{ty}_from_i{bits}", [f"i{bits}"], ty, _each(_from_integer(bits, True, form))),
                (f"{ty}_from_u{bits}", [f"u{bits}"], ty, _each(_from_integer(bits, False, form))),
            ]
    return found


def _integer_cases() -> list[Case]:
    pair, shift, sign = ["u64", "u64"], ["u64", "u32"], lambda a: _signed(a, 64)
    return [
        ("u64_add", pair, "u64", _each(lambda a, b: a + b & U64)),
        ("u64_sub", pair, "u64", _each(lambda a, b: a - b & U64)),
        ("u64_mul", pair, "u64", _each(lambda a, b: a * b & U64)),
        ("u64_div", pair, "u64", _each(lambda a, b: _divide(a, b, False))),
        ("u64_rem", pair, "u64", _each(lambda a, b: _divide(a, b, True))),
        ("i64_div", pair, "u64", _each(lambda a, b: _divide(sign(a), sign(b), False) & U64)),
        ("i64_rem", pair, "u64", _each(lambda a, b: _divide(sign(a), sign(b), True) & U64)),
        ("u64_lt", pair, "bool", _each(lambda a, b: int(a < b))),
        ("i64_lt", pair, "bool", _each(lambda a, b: int(sign(a) < sign(b)))),
        ("u64_eq", pair, "bool", _each(lambda a, b: int(a == b))),
        ("u64_neg", ["u64"], "u64", _each(lambda a: -a & U64)),
        ("i64_abs", ["u64"], "u64", _each(lambda a: abs(sign(a)) & U64)),
        ("u64_clz", ["u64"], "u32", _each(lambda a: 64 - a.bit_length())),
        ("u64_ctz", ["u64"], "u32", _each(lambda a: (a & -a).bit_length() - 1 if a else 64)),
        ("u64_popcount", ["u64"], "u32", _each(lambda a: a.bit_count())),
        ("u64_rotl", shift, "u64", _each(lambda a, n: (a << n % 64 | a >> 64 - n % 64) & U64)),
        ("u32_rotl", ["u32", "u32"], "u32", _each(lambda a, n: (a << n % 32 | a >> 32 - n % 32) & 0xFFFFFFFF)),
        ("u64_shl", shift, "u64", _each(lambda a, n: a << n % 64 & U64)),
        ("u64_shr", shift, "u64", _each(lambda a, n: a >> n % 64)),
        ("i64_shr", shift, "u64", _each(lambda a, n: sign(a) >> n % 64 & U64)),
        ("u64_from_i32", ["i32"], "u64", _each(lambda a: _signed(a, 32) & U64)),
        ("u64_widemul", ["u32", "u32"], "u64", _each(lambda a, b: a * b)),
    ]


HALF, BRAIN = Format(16, 11, np.float16), Format(16, 8, None)
CASES: list[Case] = [
    *_integer_cases(),
    *_float_cases("f32", F32),
    *_float_cases("f64", F64),
    ("f32_sum_from_i32", ["i32"], "f32", _each(_from_integer(32, True, F32))),
    ("f32_sum_from_u32", ["u32"], "f32", _each(_from_integer(32, False, F32))),
    ("f64_from_f32", ["f32"], "f64", _each(_to_float(F32, F64))),
    ("f64_to_f32", ["f64"], "f32", _numpy(F64, lambda x: x.astype(np.float32))),
    ("f16_to_f32", ["f16"], "f32", _each(_to_float(HALF, F32))),
    ("bf16_to_f32", ["bf16"], "f32", _each(_to_float(BRAIN, F32))),
    ("f32_to_f16", ["f32"], "f16", _each(_to_float(F32, HALF))),
    ("f32_to_bf16", ["f32"], "bf16", _each(_to_float(F32, BRAIN))),
    *(
        (f"f32_to_{half}(f64_to_f32_odd", ["f64"], half, _each(_to_float(F64, form)))
        for half, form in (("f16", HALF), ("bf16", BRAIN))
    ),
    *(
        (f"f32_to_{half}(f32_odd_from_{ty}64", [f"{ty}64"], half, _each(_from_integer(64, ty == "i", form)))
        for half, form in (("f16", HALF), ("bf16", BRAIN))
        for ty in "iu"
    ),
]


def _integers(bits: int, seed: str) -> list[int]:
    """Integers of all lengths, and such as lie beside powers of two."""
    rng = random.Random(seed)
    found = [0, 1, 2, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << (bits - 1)) + 1]
    for _ in range(COUNT):
        size = rng.randint(1, bits)
        near = (1 << (size - 1)) + rng.randint(-3, 3)
        halfway = (rng.getrandbits(24) << max(size - 24, 0)) + rng.choice([0, 1, -1, 1 << max(size - 25, 0)])
        found.append(rng.choice([near, -near, halfway, rng.getrandbits(size)]) % (1 << bits))
    return found


def _columns(sources: list[str]) -> list[list[int]]:
    if all(ty in FORMATS for ty in sources):
        return list(operands(FORMATS[sources[0]], len(sources)))
    if sources[0] in ("f16", "bf16"):
        return [list(range(1 << 16))]
    columns = [_integers(int(ty[1:]), f"{ty} {place}") for place, ty in enumerate(sources)]
    if sources == ["u64", "u64"]:  # short divisors, and such as go into the dividend
        rng = random.Random(0)
        columns[1] = [
            rng.choice([b, b >> rng.randint(0, 63), a, a >> rng.randint(0, 63)]) for a, b in zip(*columns, strict=True)
        ]
    return columns


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].replace("(", " of "))
def test_function(case: Case) -> None:
    name, sources, result, reference = case
    columns = _columns(sources)
    found, expected = run(name, sources, result, columns), reference(*columns)
    nan = {"f16": HALF, "bf16": BRAIN, **FORMATS}.get(result)
    wrong = []
    for row, (ours, right) in enumerate(zip(found, expected, strict=True)):
        if ours != right and not (nan and min(p & (1 << (nan.bits - 1)) - 1 for p in (ours, right)) > nan.infinity):
            wrong.append((*(hex(column[row]) for column in columns), hex(ours), hex(right)))
    assert not wrong, f"{len(wrong)} of {len(found)}: operands, result, expected {wrong[:5]}"


def test_every_function_is_tested_or_used_by_one_that_is() -> None:
    compared = "f32_among( f32_below( f32_up_to("
    tested = library_for(names_in("".join(f"{case[0]}(" for case in CASES) + compared))
    # Those that work on an array, or for an instruction alone, have filetests of their own.
    files = set(WGSL.glob("*.wgsl")) - {WGSL / "wide.wgsl", WGSL / "atlas.wgsl"}
    written = re.findall(r"^fn (\w+)", "".join(path.read_text() for path in sorted(files)), re.MULTILINE)
    assert set(written) == set(re.findall(r"^fn (\w+)", tested, re.MULTILINE))
