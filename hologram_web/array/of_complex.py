"""Functions of complex numbers as kernels call them, with the values at infinities and NaN of C99, annex G.

After W. Kahan, "Branch cuts for complex elementary functions" (1987).
"""

# mypy: ignore-errors
# They are parsed and never executed.

from __future__ import annotations

from ..frontends.python import library
from ..frontends.python.names import INTRINSICS

__all__ = ["FUNCTIONS"]

atan2, exp, log, sqrt, sin, cos = (INTRINSICS[name] for name in ("atan2", "exp", "log", "sqrt", "sin", "cos"))
tan, tanh, asinh, atan, cosh, sinh, expm1, log1p, hypot, copysign, isnan, isinf, isfinite = (
    INTRINSICS[name] if name in INTRINSICS else getattr(library, name)
    for name in ("tan", "tanh", "asinh", "atan", "cosh", "sinh", "expm1", "log1p", "hypot", "copysign", "isnan",
                 "isinf", "isfinite")
)  # fmt: skip
_INFINITY, _NAN, _PI = float("inf"), float("nan"), 3.141592653589793
_LN2, _LN10 = 0.6931471805599453, 2.302585092994046


def _times_i(z):
    return complex(-z.imag, z.real)


def _by_i(z):
    return complex(z.imag, -z.real)


def _exp(z):
    a, b = z.real, z.imag
    size = exp(a)
    x, y = size * cos(b), size * sin(b)
    if b == 0:
        x, y = size, b
    elif isinf(a) and not isfinite(b):
        x, y = size, _NAN if a > 0 else 0.0
    return complex(x, y)


def _expm1(z):
    a, b = z.real, z.imag
    half = sin(b / 2)
    x, y = expm1(a) * cos(b) - 2 * half * half, exp(a) * sin(b)
    if b == 0:
        x, y = expm1(a) if a != 0 else 0.0, b
    elif isinf(a):
        if a < 0:
            x, y = -1.0, copysign(0.0, sin(b)) if isfinite(b) else 0.0
        elif isfinite(b):
            x = a * cos(b)
        else:
            x, y = a, _NAN
    return complex(x, y)


def _log_size(a, b):
    """log(hypot(a, b)), also where that is near 1, or beyond the largest number."""
    large = max(abs(a), abs(b))
    small = min(abs(a), abs(b))
    size = hypot(a, b)
    found = log(size)
    if large > 0.5 and large < 1.5 and size < 2:
        found = log1p((large - 1) * (large + 1) + small * small) / 2
    elif isinf(size) and isfinite(large):
        found = log(hypot(a / 4, b / 4)) + 2 * _LN2
    return found


def _log(z):
    return complex(_log_size(z.real, z.imag), atan2(z.imag, z.real))


def _log2(z):
    found = _log(z)
    return complex(found.real / _LN2, found.imag / _LN2)


def _log10(z):
    found = _log(z)
    return complex(found.real / _LN10, found.imag / _LN10)


def _log1p(z):
    a, b = z.real, z.imag
    x = _log_size(1 + a, b)
    if abs(a) < 0.5 and abs(b) < 0.5:
        x = log1p(2 * a + (a * a + b * b)) / 2
    return complex(x, atan2(b, 1 + a))


def _power(z, w):
    found = _exp(w * _log(z))
    x, y = found.real, found.imag
    if z == 0:
        x, y = 0.0, 0.0
        if w == 0:
            x = 1.0
        elif not w.real > 0:
            x, y = _NAN, _NAN
    return complex(x, y)


def _sqrt(z):
    a, b = z.real, z.imag
    up, down = 1.0, 1.0
    if max(abs(a), abs(b)) > 1e30:
        up, down = 2.0, 0.25
    u, v = abs(a) * down, b * down
    t = sqrt((u + hypot(u, v)) / 2)
    x, y = t * up, v / (2 * t) * up
    if a < 0:
        x, y = abs(v) / (2 * t) * up, copysign(t, b) * up
    if a == 0 and b == 0:
        x, y = abs(a), b
    elif isinf(b):
        x, y = abs(b), b
    elif isnan(a):
        x, y = a, a
    elif isinf(a):
        y = b
        if a > 0:
            x, y = a, b if isnan(b) else copysign(0.0, b)
        else:
            x, y = b if isnan(b) else 0.0, copysign(_INFINITY, b)
    return complex(x, y)


def _cosh(z):
    a, b = z.real, z.imag
    x, y = cosh(a) * cos(b), sinh(a) * sin(b)
    if b == 0:
        x, y = cosh(a), copysign(1, a) * b
    elif a == 0:
        x, y = cos(b), a * sin(b) if isfinite(b) else a
    elif isinf(a) and not isfinite(b):
        x, y = abs(a), b - b
    return complex(x, y)


def _sinh(z):
    a, b = z.real, z.imag
    x, y = sinh(a) * cos(b), cosh(a) * sin(b)
    if b == 0:
        x, y = sinh(a), b
    elif a == 0:
        x, y = a * cos(b) if isfinite(b) else a, sin(b)
    elif isinf(a) and not isfinite(b):
        x, y = a, b - b
    return complex(x, y)


def _tanh(z):
    a, b = z.real, z.imag
    t, s = tan(b), sinh(a)
    beta = 1 + t * t
    d = 1 + beta * s * s
    x, y = beta * sqrt(1 + s * s) * s / d, t / d
    if b == 0:
        x, y = tanh(a), b
    elif a == 0:
        x, y = a, t
    elif abs(a) > 22:
        x, y = copysign(1.0, a), 4 * sin(b) * cos(b) * exp(-2 * abs(a))
        if isinf(a):
            y = copysign(0.0, b)
        elif not isfinite(b):
            x, y = _NAN, _NAN
    return complex(x, y)


def _asin_plain(a, b):
    """Of finite numbers."""
    s, t = _sqrt(complex(1 - a, -b)), _sqrt(complex(1 + a, b))
    x = atan2(a, s.real * t.real - s.imag * t.imag)
    return complex(x, asinh(s.real * t.imag - s.imag * t.real))


def _asinh(z):
    a, b = z.real, z.imag
    plain = _asin_plain(-b, a)  # asinh(z) = -i asin(iz)
    x, y = plain.imag, -plain.real
    if isinf(a) or isinf(b):
        x, y = copysign(_INFINITY, a), atan2(b, abs(a))
    elif isnan(a) and b == 0:
        x, y = a, b
    elif isnan(a) or isnan(b):
        x, y = _NAN, _NAN
    return complex(x, y)


def _acos(z):
    a, b = z.real, z.imag
    s, t = _sqrt(complex(1 - a, -b)), _sqrt(complex(1 + a, b))
    x, y = 2 * atan2(s.real, t.real), asinh(t.real * s.imag - t.imag * s.real)
    if isinf(a) or isinf(b):
        x, y = atan2(abs(b), a), copysign(_INFINITY, -b)
    elif isnan(b) and a == 0:
        x, y = _PI / 2, b
    elif isnan(a) or isnan(b):
        x, y = _NAN, _NAN
    return complex(x, y)


def _acosh(z):
    a, b = z.real, z.imag
    s, t = _sqrt(complex(a - 1, b)), _sqrt(complex(a + 1, b))
    x, y = asinh(s.real * t.real + s.imag * t.imag), 2 * atan2(s.imag, t.real)
    if isinf(a) or isinf(b):
        x, y = _INFINITY, atan2(b, a)
    elif isnan(b) and a == 0:
        x, y = b, _PI / 2
    elif isnan(a) or isnan(b):
        x, y = _NAN, _NAN
    return complex(x, y)


def _atanh(z):
    a, b = z.real, z.imag
    u, v = abs(a), abs(b)
    x, y = log1p(4 * u / ((1 - u) * (1 - u) + v * v)) / 4, atan2(2 * v, (1 - u) * (1 + u) - v * v) / 2
    if u > 1e9 or v > 1e9:
        large = max(u, v)
        p, q = u / large, v / large
        x, y = p / (p * p + q * q) / large, _PI / 2
    if isinf(b):
        x, y = 0.0, _PI / 2
    elif isinf(a):
        x, y = 0.0, b if isnan(b) else _PI / 2
    elif isnan(b) and a == 0:
        x, y = u, b
    elif isnan(a) or isnan(b):
        x, y = _NAN, _NAN
    elif u == 1 and v == 0:
        x, y = _INFINITY, v
    return complex(copysign(x, a), copysign(y, b))


def _cos(z):
    return _cosh(_times_i(z))


def _sin(z):
    return _by_i(_sinh(_times_i(z)))


def _tan(z):
    return _by_i(_tanh(_times_i(z)))


def _asin(z):
    return _by_i(_asinh(_times_i(z)))


def _atan(z):
    return _by_i(_atanh(_times_i(z)))


_NAMES = "exp expm1 log log2 log10 log1p power sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"
FUNCTIONS = {f"complex_{name}": globals()[f"_{name}"] for name in _NAMES.split()}
