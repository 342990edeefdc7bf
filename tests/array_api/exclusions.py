"""Tests of the suite that do not pass, each with its reason. The list only shrinks: what passes has to go from it."""

from __future__ import annotations

__all__ = ["EXCLUSIONS"]

_FLOORED = "x1 // x2 of floats is x1 - x1 % x2 by x2, as in Python and NumPy: NaN for infinities, -1 for -1 // inf"
_CASES = (
    "x1_i is +infinity and isfinite(x2_i) and x2_i > 0) -> +infinity",
    "x1_i is +infinity and isfinite(x2_i) and x2_i < 0) -> -infinity",
    "x1_i is -infinity and isfinite(x2_i) and x2_i > 0) -> -infinity",
    "x1_i is -infinity and isfinite(x2_i) and x2_i < 0) -> +infinity",
    "isfinite(x1_i) and x1_i > 0 and x2_i is -infinity) -> -0",
    "isfinite(x1_i) and x1_i < 0 and x2_i is +infinity) -> -0",
)
_SPECIAL = "array_api_tests/test_special_cases.py"

EXCLUSIONS = {
    **{
        f"{_SPECIAL}::test_{test}[{name}({case}]": _FLOORED
        for test, name in (("binary", "floor_divide"), ("binary", "__floordiv__"), ("iop", "__ifloordiv__"))
        for case in _CASES
    },
}
