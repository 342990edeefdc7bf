"""How far results are from the exact ones, in units of the last place."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exact import EXACT

__all__ = ["BINARY", "BOUNDS", "NAMES", "exact_f64", "reference_f32", "ulps", "ulps_f64"]

Array = NDArray[Any]
NAMES = tuple(EXACT)
BINARY = ("pow", "atan2")
# Units of the last place (isa.md section 2), F32 and F64.
_FOUR = ("sigmoid", "gelu", "gelu_tanh", "swish", "pow", "atan2")
BOUNDS = {name: (4.0 if name in _FOUR else 2.0, 4.0) for name in NAMES}


def _gelu(x: Array) -> Array:
    from scipy.special import erfc

    with np.errstate(all="ignore"):
        value: Array = np.where(np.isneginf(x), -0.0, x / 2 * erfc(-x / np.sqrt(2.0)))
    return value


def _gated(x: Array, v: Array) -> Array:
    return np.where(np.isneginf(x), -0.0, x / (1 + np.exp(-v)))


def _erf(x: Array) -> Array:
    from scipy.special import erf

    value: Array = erf(x)
    return value


_F64: dict[str, Callable[..., Array]] = {
    **{name: getattr(np, name) for name in ("exp", "log", "log2", "log10", "sin", "cos", "tan", "tanh")},
    "pow": np.power,
    "atan2": np.arctan2,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "swish": lambda x: _gated(x, x),
    "erf": _erf,
    "gelu": _gelu,
    "gelu_tanh": lambda x: _gated(x, np.sqrt(8 / np.pi) * (x + 0.044715 * x * x * x)),
}


def reference_f32(name: str, *operands: Array) -> Array:
    """The function of F32 numbers as F64, which is far more exact than F32 needs."""
    with np.errstate(all="ignore"):
        return _F64[name](*(operand.astype(np.float64) for operand in operands))


def ulps(found: Array, wanted: Array) -> Array:
    """Distances of F32 numbers from F64 ones; infinite where one is NaN, a zero has the wrong sign, or the like."""
    with np.errstate(all="ignore"):
        exponent = np.clip(np.frexp(wanted)[1] - 1, -126, 127)
        # Beyond the greatest number infinity counts as the next one.
        values = [np.clip(side.astype(np.float64), -(2.0**128), 2.0**128) for side in (found, wanted)]
        distance = np.abs(values[0] - values[1]) / np.ldexp(1.0, exponent - 23)
        wrong = np.isnan(found) != np.isnan(wanted)
        wrong |= (wanted == 0) & (np.signbit(found) != np.signbit(wanted))
        wrong |= np.isinf(wanted) & (found != wanted)
        return np.where(wrong, np.inf, np.where(np.isnan(wanted), 0.0, distance))


def exact_f64(name: str, *operands: float) -> Decimal:
    return EXACT[name](*operands)


def ulps_f64(found: float, wanted: Decimal) -> float:
    """The distance of an F64 number from an exact one, which is neither 0 nor beyond the greatest number."""
    with localcontext() as context:
        context.prec = 40
        exponent = max(int(np.frexp(float(wanted))[1]) - 1, -1022)
        return float(abs(Decimal(found) - wanted) / Decimal(2) ** (exponent - 52))
