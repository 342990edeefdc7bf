"""What steps compute: the primitives of the ISA, and what docs/artifact.md says of them, on every type."""

from __future__ import annotations

import random

import pytest

from hologram_web.compiler.operations import OPERATIONS as IR_OPERATIONS
from hologram_web.isa.ops import PRED, PRIMITIVES, compute
from hologram_web.isa.types import Type

from . import holo_values

NAN = {ty: ((1 << ty.exponent) - 1) << ty.mantissa for ty in Type if ty.is_float}


def is_nan(ty, bits):
    return isinstance(ty, Type) and ty.is_float and ty.is_nan(bits)


def operands(ty, source):
    """Numbers at the edges of a type, and some between."""
    if ty == PRED:
        return source.randrange(2)
    top = 1 << (ty.bits - 1)
    edges = [0, 1, 2, 3, top, top - 1, top + 1, 2 * top - 1, NAN.get(ty, 5)]
    if ty.is_float:
        edges += [ty.encode(x) for x in (1.0, -1.5, 0.5, 2.5, 1e9, -1e-3, 3.0)]
    return source.choice([*edges, source.getrandbits(ty.bits), source.getrandbits(ty.bits)])


def cases(op):
    names = "f16 bf16 f32 f64 i8 i32 i64 u16 u32 u64 u256 i512"
    types: list[Type | str] = [*map(Type.named, names.split()), PRED]
    primitive = PRIMITIVES[op]
    return [(ty, source) for ty in types for source in types if primitive.fits(ty, source)]


@pytest.mark.parametrize("op", PRIMITIVES)
def test_the_page_says_what_the_isa_means(op):
    source = random.Random(op)
    assert cases(op)
    for ty, of in cases(op):
        for _ in range(40):
            given = [operands(each, source) for each in PRIMITIVES[op].operands(ty, of)]
            found = compute(op, ty, of, given)
            said = holo_values.compute(op, str(ty), str(of), given)
            assert said == found or (is_nan(ty, said) and is_nan(ty, found)), (op, str(ty), str(of), given)


def test_primitives_are_operations_of_the_ir():
    assert list(PRIMITIVES) == holo_values.OPERATIONS
    for name in PRIMITIVES.keys() - {"mov"}:
        row = IR_OPERATIONS[name]
        assert (row.takes, row.gives, row.primitive or name) == PRIMITIVES[name], name
