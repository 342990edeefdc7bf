"""Parts that many error messages share, and a check of a whole text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hologram_web.errors import IsaError

Case = tuple[Callable[[], object], str]

NAMES = (
    "use letters, digits, '_', '$' and '.', not starting with a digit, at most 128 of them, "
    "and none of the forms r0, p0, shared, pool, class, phi, true, false, none, inf, nan"
)
TYPES = (
    "use one of f16, bf16, f32, f64, i8, i16, i32, i64, i128, i256, i512, i1024, i2048, i4096, "
    "u8, u16, u32, u64, u128, u256, u512, u1024, u2048, u4096"
)
CONDITIONS = "Condition (eq, ne, lt, le, gt, ge, ltu, leu, gtu, geu)"
MAPS = (
    "MapOperation (abs, neg, sqrt, exp, log, sin, cos, tan, relu, sigmoid, tanh, rcp, rsqrt, sign, floor, ceil, round, "
    "trunc, log2, log10, erf, gelu, swish, not)"
)
SIZE = "size: a number, a register or the name of a scalar parameter"
FACTOR = "factor: a number, a register or the name of a scalar parameter"
FORMS = "write [name + r1*4 + 16], [pool name], [shared + 8], [.local + 8], [class 5], [*r1] or [phi r1, 2, r3]"


def ids(cases: list[Case]) -> list[str]:
    return [text[:60] for _, text in cases]


def check(make: Callable[[], object], text: str) -> None:
    with pytest.raises(IsaError) as caught:
        make()
    assert str(caught.value) == text
    assert caught.value.problems == (text,)
    assert caught.value.line is None
