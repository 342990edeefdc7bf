"""Seeded bugs in the Python frontend, and in the oracle, which kernels of the fuzzer have to show.

    python -m tests.fuzz.python_kernels.mutants         tries one seed after the other, and prints what each shows

A bug of the frontend shows because the oracle does not have it, a bug of the oracle because devices do not. `seed` is
the first kernel that shows it, which the tests run.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ..case import Case, Outcome, compare
from ..devices import Opponent, against, reference
from ..mutant import Mutant
from .case import KernelCase, expected, launch_of
from .check import Unsound, prepared
from .generator import generate

__all__ = ["SEEDED", "Seeded", "shows"]

_SEEDS = 150
_ARITHMETIC = "frontends.python.arithmetic:Arithmetic."
_EMIT = "frontends.python.emit:Emitter."
_EXPRESSIONS = "frontends.python.expressions:Expressions."
_PARTS = "frontends.python.parts:PartValues."
_STATEMENTS = "frontends.python.statements:Statements."
_CALLS = "frontends.python.calls:Calls."
_FUNCTIONS = "frontends.python.functions:Functions."
_TYPES = "frontends.python.types:"
_INDEX = "address = self.place_of(array, arguments[1])"
_VALUE = "operands = [self.stored(argument, self.value(argument), array.ty) for argument in arguments[2:]]"
_NUMBERS = "tests.fuzz.python_kernels.numbers:"
_NAMESPACE = "tests.fuzz.python_kernels.namespace:"
_ORACLE = "tests.fuzz.python_kernels.oracle:"
_VECTORS = "frontends.python.componentwise:"
_COMPLEX = "frontends.python.complexes:"
_VIEWS = "frontends.python.views:"
_BLOCKS = "frontends.python.block_calls:"
_TOGETHER = "tests.fuzz.python_kernels.together:"


@dataclass(frozen=True)
class Seeded:
    """A bug, and the seed of the first kernel that shows it."""

    mutant: Mutant
    seed: int
    profile: str = "python"


def _seeded(name: str, place: str, old: str, new: str, seed: int) -> Seeded:
    return Seeded(Mutant(name, place, old, new), seed)


SEEDED = tuple(
    _seeded(*row)
    for row in (
        (
            "lengths of shared and local arrays are literals",
            _EMIT + "length",
            "Value(INDEX, const",
            "Value(Weak.INT, const",
            131,
        ),
        (
            "variables of written-out loops are literals",
            _STATEMENTS + "_counted",
            "Value(kind, const",
            "Value(Weak.INT, const",
            0,
        ),
        ("amounts of shifts are cut to 5 bits", _ARITHMETIC + "shift", "% default(ty).bits", "% 32", 1),
        (
            "annotated parameters are joined",
            _FUNCTIONS + "_inlined",
            "isinstance(says, (Type, PartsType))",
            "False",
            374,
        ),
        (
            "annotated variables are joined",
            _STATEMENTS + "stmt_AnnAssign",
            "self.declare((self.scope.path,), name, ty)",
            "pass",
            4,
        ),
        (
            "% of negative numbers is C's",
            _ARITHMETIC + "divide",
            'self.op("ADD", ty, rest, self.op("AND", ty, wrong, right))',
            "rest",
            13,
        ),
        (
            "shared memory starts at one place",
            _CALLS + "own_array",
            "-(-self.own_bytes[kind] // alignment) * alignment",
            "0",
            54,
        ),
        (
            "the length of the wrong axis",
            _EXPRESSIONS + "_row_major",
            "self.length(array, axis)",
            "self.length(array, 0)",
            6,
        ),
        (
            "the other side of a conditional",
            _PARTS + "chosen",
            "condition, left, right",
            "condition, right, left",
            1,
        ),
        ("not is left out in a branch", _EXPRESSIONS + "branch", "label, not when)", "label, when)", 3),
        ("only the end of a chain counts", _EXPRESSIONS + "expr_Compare", "self.both_hold(result, step)", "step", 5),
        ("loops count on after break", _STATEMENTS + "stmt_Continue", '"again"', '"end"', 9),
        (
            "ranges with steps run once more",
            _STATEMENTS + "_count",
            "self.immediate(bits, 1))",
            "self.immediate(bits, 0))",
            21,
        ),
        (
            "a swap assigns one after the other",
            _PARTS + "copied",
            "value.reg is None or value.reg in self.temporaries[-1]",
            "True",
            229,
        ),
        (
            "signed meets unsigned as unsigned",
            _TYPES + "join",
            "a if a.is_signed else b",
            "b if a.is_signed else a",
            8,
        ),
        (
            "atomics compute the value first",
            _CALLS + "atomic",
            f"{_INDEX}\n    {_VALUE}",
            f"{_VALUE}\n    {_INDEX}",
            59,
        ),
        ("MIN of literals is Python's", _CALLS + "_extreme", "(number, copysign(1, number))", "number", 83),
        (
            "// by a power of two rounds to zero",
            _ARITHMETIC + "divide",
            '"SHR", ty, left, self.immediate(Type.U32, known.bit_length() - 1)',
            '"DIV", ty, left, self.immediate(ty, known)',
            135,
        ),
        (
            "in looks at the last one only",
            _EXPRESSIONS + "_among",
            'self.both("POR", result.pred, test.pred)',
            "test",
            7,
        ),
        (
            "f16 and bf16 make f16",
            _TYPES + "join",
            "Type.F32 if x.bits == y.bits",
            "Type.F16 if x.bits == y.bits",
            5458,
        ),
        (
            "integers of 64 bits meet floats as f32",
            _TYPES + "float_of",
            "Type.F64 if ty.bits >= 64 else Type.F32",
            "Type.F32",
            880,
        ),
        ("rotl is a shift", _CALLS + "call_rotl", '"ROTL"', '"SHL"', 5),
        ("clz counts below", _CALLS + "call_clz", '"CLZ"', '"CTZ"', 9),
        (
            "literals wrap",
            _EMIT + "from_predicate",
            "self.immediate(ty, 1), self.immediate(ty, 0)",
            "self.immediate(ty, 3), self.immediate(ty, 0)",
            23,
        ),
        (
            "oracle: SHR is logical",
            _NUMBERS + "arithmetic",
            "raw(a, default(kind)), int(amount)",
            "abs(raw(a, default(kind))), int(amount)",
            1,
        ),
        (
            "oracle: casts to floats are rounded to F32 first",
            _NUMBERS + "cast",
            "rounded(ty, int(number) if isinstance(number, bool) else number)",
            "rounded(ty, rounded(F32, number))",
            16,
        ),
        (
            "oracle: signed numbers wrap to unsigned",
            _NUMBERS + "wrap",
            "number >> (ty.bits - 1)",
            "number >> ty.bits",
            1,
        ),
        (
            "oracle: casts of floats do not saturate",
            _NUMBERS + "cast",
            "max(ty.low, min(ty.high, math.trunc(number)))",
            "wrap(ty, math.trunc(number))",
            6,
        ),
        (
            "oracle: signed meets unsigned as unsigned",
            _NUMBERS + "join",
            'a if a.kind != "u" else b',
            'a if a.kind == "u" else b',
            8,
        ),
        (
            "oracle: FMA rounds twice",
            _NAMESPACE + "_fused",
            "Fraction(x) * Fraction(y) + Fraction(z)",
            "Fraction(rounded(ty, x * y)) + Fraction(z)",
            57,
        ),
        (
            "oracle: steps of range are positive",
            _NAMESPACE + "_range",
            "range(*numbers)",
            "range(numbers[0], numbers[1], abs(numbers[2]))",
            5,
        ),
        ("oracle: -0 is not below +0", _NAMESPACE + "_least", "a == b == 0", "False", 581),
        ("oracle: MAX ignores NaN", _NAMESPACE + "_least", "a != a or b != b", "b != b", 51),
        ("oracle: RELU drops NaN", _NAMESPACE + "_relu", "number < 0 else number", "not number > 0 else number", 51),
        (
            "oracle: variables are not joined",
            _ORACLE + "_put",
            "convert(value, kind)",
            "value if isinstance(value, Num) else convert(value, kind)",
            0,
        ),
        ("oracle: both sides keep their type", _ORACLE + "_as", "result(kind, raw(value, default(kind)))", "value", 8),
        (
            "oracle: lanes do not wait",
            _ORACLE + "run",
            "_step(names, lane, steps, sent.get(number))",
            "[_step(names, lane, steps, sent.get(number)) for _ in range(99)][-1]",
            141,
        ),
    )
) + tuple(
    Seeded(Mutant(*row), seed, "python-blocks")
    for *row, seed in (
        (
            "memories of block operations lie over each other",
            _BLOCKS + "_region",
            "before = sum(regions[one] for one in larger[: larger.index(key)])",
            "before = 0",
            0,
        ),
        ("lanes that are not there take bits away", _BLOCKS + "_operation", '"and": -1', '"and": 0', 1),
        ("lanes that are not there are the least", _BLOCKS + "_operation", "ty.max_value", "ty.zero()", 5),
        ("inclusive scans", _BLOCKS + "_scan", "exclusive=literal(exclusive)", "exclusive=literal(False)", 1),
        ("oracle: the last lane of several", _TOGETHER + "_first", "return min(", "return max(", 1),
        (
            "oracle: scans of 32 lanes",
            _TOGETHER + "_scanned",
            "stride < 1024",
            "stride < 32",
            50,
        ),
        (
            "oracle: shuffles in 64 lanes",
            _TOGETHER + "_taken",
            "lane - lane % 32, lane % 32",
            "lane - lane % 64, lane % 64",
            31,
        ),
    )
)
SEEDED += tuple(
    Seeded(Mutant(*row), seed, "python-parts")
    for *row, seed in (
        (
            "cross products turn the other way",
            _VECTORS + "_cross",
            "ast.Sub(), left, right",
            "ast.Sub(), right, left",
            5,
        ),
        (
            "dot products from the right",
            _VECTORS + "_sum_of_products",
            "products.values)",
            "products.values[::-1])",
            43,
        ),
        (
            "products of complex numbers are conjugate",
            _COMPLEX + "_product",
            "ast.Sub(), of(ast.Mult(), a[0], b[0])",
            "ast.Add(), of(ast.Mult(), a[0], b[0])",
            12,
        ),
        (
            "complex numbers are divided by literals in F32",
            _COMPLEX + "_quotient",
            "for part in pair) for pair in (a, b))",
            "for part in pair) for pair in (a, b)) if 0 else (a, b)",
            164,
        ),
        (
            "rows count from axis 0",
            _VIEWS + "along_axes",
            "next(given) if at is None",
            "next(given) if at is not None",
            3,
        ),
        ("oracle: nine rounds of Philox", _NAMESPACE + "_philox", "range(10)", "range(9)", 1),
        ("oracle: the greater part of a divisor", "tests.fuzz.python_kernels.compounds:_smith", ">=", "<=", 12),
    )
)


def shows(mutant: Mutant, seed: int, profile: str = "python") -> bool:
    """Whether the kernel of a seed shows a bug on the reference, by another value or by being refused."""
    sound = _sound(seed, profile)
    if sound is None:
        return False
    case, kernel = sound.case, sound.kernel
    with mutant.applied():
        try:
            if mutant.place.startswith("tests."):
                return compare(case, expected(kernel), sound.outcome) is not None
            other = launch_of(kernel)
        except Exception:  # it is refused, or the bug breaks what has it
            return True
    if other.program.to_bytes() == case.program.to_bytes():
        return False
    return against(other, sound.outcome, Opponent("cpu", reference())) is not None


class _Sound(NamedTuple):
    kernel: KernelCase
    case: Case
    outcome: Outcome


@cache
def _sound(seed: int, profile: str) -> _Sound | None:
    """A kernel as it is without bugs; None if it shows one even so."""
    kernel = generate(seed, profile)
    try:
        case, _, outcome = prepared(kernel)
    except Unsound:
        return None
    return None if against(case, outcome, Opponent("cpu", reference())) else _Sound(kernel, case, outcome)


def main() -> int:
    left = list(SEEDED)
    for seed in range(_SEEDS):
        for seeded in [one for one in left if shows(one.mutant, seed, one.profile)]:
            left.remove(seeded)
            print(f"{seed:4} {seeded.mutant.name}", flush=True)
    print("not found:", ", ".join(seeded.mutant.name for seeded in left) or "none")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
