"""Derivatives of operations on elements: what each operand gets of the cotangent of a result.

A row of `DERIVATIVES` has a function for each operand of the row of `elementwise.MAPS`, or None for one without a
derivative, as of a condition: `rule(g, y, *operands)` with the cotangent and the result. Operations that are not here
have derivative zero where they have one: comparisons, integers, rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from . import functions as f

__all__ = ["DERIVATIVES"]

Derivative = Callable[..., Any]


def _chosen(g: Any, a: Any, b: Any) -> Any:
    """For the greater operand: equal ones get a half each."""
    return f.where(a > b, g, f.where(a == b, g * 0.5, 0.0))


def _power(g: Any, y: Any, a: Any, b: Any) -> Any:
    return g * f.where(b == 0, 0.0, b * f.pow(a, b - 1))


def _phi(y: Any, x: Any) -> Any:
    """Of gelu(x) = x * phi(x)."""
    return f.where(x == 0, 0.5, y / f.where(x == 0, 1.0, x))


_LN2, _LN10 = math.log(2), math.log(10)
_DENSITY = 1 / math.sqrt(2 * math.pi)

DERIVATIVES: dict[str, tuple[Derivative | None, ...]] = {
    "add": (lambda g, y, a, b: g, lambda g, y, a, b: g),
    "subtract": (lambda g, y, a, b: g, lambda g, y, a, b: -g),
    "multiply": (lambda g, y, a, b: g * b, lambda g, y, a, b: g * a),
    "divide": (lambda g, y, a, b: g / b, lambda g, y, a, b: -g * y / b),
    "remainder": (lambda g, y, a, b: g, lambda g, y, a, b: -g * f.floor(a / b)),
    "power": (_power, lambda g, y, a, b: g * f.where(a > 0, y * f.log(f.where(a > 0, a, 1.0)), 0.0)),
    "negative": (lambda g, y, a: -g,),
    "abs": (lambda g, y, a: g * f.sign(a),),
    "minimum": (lambda g, y, a, b: _chosen(g, b, a), lambda g, y, a, b: _chosen(g, a, b)),
    "maximum": (lambda g, y, a, b: _chosen(g, a, b), lambda g, y, a, b: _chosen(g, b, a)),
    "where": (None, lambda g, y, c, a, b: f.where(c, g, 0.0), lambda g, y, c, a, b: f.where(c, 0.0, g)),
    "cast": (lambda g, y, a: g.astype(a.dtype),),
    "atan2": (lambda g, y, a, b: g * b / (a * a + b * b), lambda g, y, a, b: -g * a / (a * a + b * b)),
    "hypot": (lambda g, y, a, b: g * a / y, lambda g, y, a, b: g * b / y),
    "copysign": (lambda g, y, a, b: f.where((a < 0) == (y < 0), g, -g), None),
    "exp": (lambda g, y, a: g * y,),
    "exp2": (lambda g, y, a: g * y * _LN2,),
    "expm1": (lambda g, y, a: g * (y + 1),),
    "log": (lambda g, y, a: g / a,),
    "log2": (lambda g, y, a: g / (a * _LN2),),
    "log10": (lambda g, y, a: g / (a * _LN10),),
    "log1p": (lambda g, y, a: g / (a + 1),),
    "sqrt": (lambda g, y, a: g * 0.5 / y,),
    "rsqrt": (lambda g, y, a: g * -0.5 * y / a,),
    "cbrt": (lambda g, y, a: g / (y * y * 3),),
    "sin": (lambda g, y, a: g * f.cos(a),),
    "cos": (lambda g, y, a: -g * f.sin(a),),
    "tan": (lambda g, y, a: g * (y * y + 1),),
    "asin": (lambda g, y, a: g / f.sqrt(1 - a * a),),
    "acos": (lambda g, y, a: -g / f.sqrt(1 - a * a),),
    "atan": (lambda g, y, a: g / (a * a + 1),),
    "sinh": (lambda g, y, a: g * f.cosh(a),),
    "cosh": (lambda g, y, a: g * f.sinh(a),),
    "tanh": (lambda g, y, a: g * (1 - y * y),),
    "asinh": (lambda g, y, a: g / f.sqrt(a * a + 1),),
    "acosh": (lambda g, y, a: g / f.sqrt(a * a - 1),),
    "atanh": (lambda g, y, a: g / (1 - a * a),),
    "sigmoid": (lambda g, y, a: g * y * (1 - y),),
    "gelu": (lambda g, y, a: g * (_phi(y, a) + a * _DENSITY * f.exp(a * a * -0.5)),),
    "relu": (lambda g, y, a: f.where(y > 0, g, 0.0),),  # what comes before it need not lie in memory
}
