"""Functions of `hg` that are written as kernels write them: they are inlined where they are called.

On the host those that need nothing but arithmetic are ordinary functions.
"""

# mypy: ignore-errors
# To Python u32 is a value and no type: these are parsed and never executed, but for a few.

from __future__ import annotations

from ...isa.types import Type
from .names import INTRINSICS, LIBRARY

__all__ = sorted(LIBRARY)

atan2, exp, log, sqrt, cos, log2 = (INTRINSICS[name] for name in ("atan2", "exp", "log", "sqrt", "cos", "log2"))
bitcast, select, trunc, fma = (INTRINSICS[name] for name in ("bitcast", "select", "trunc", "fma"))
f32, f64, i32, u32, u64 = Type.F32, Type.F64, Type.I32, Type.U32, Type.U64

_INFINITY = float("inf")
_PI = 3.141592653589793


def isnan(x):
    """Whether x is NaN."""
    return x != x


def isinf(x):
    """Whether x is an infinity."""
    return abs(x) == _INFINITY


def isfinite(x):
    """Whether x is neither NaN nor an infinity."""
    return abs(x) < _INFINITY


def copysign(x, y):
    """|x| with the sign of y, also of -0; NaN counts as positive."""
    negative = y < 0 or (y == 0 and 1 / y < 0)
    return -abs(x) if negative else abs(x)


def log_base(x, base):
    """math.log(x, base), as Python computes it."""
    return log(x) / log(base)


def exp2(x):
    """2 to the x."""
    return 2.0**x


def expm1(x):
    """exp(x) - 1, for small x, too: W. Kahan's way, in which the errors of exp and log cancel."""
    u = exp(x)
    below = u - 1
    found = below
    if u == 1:
        found = x
    elif below != -1 and abs(x) < 1:
        found = below * (x / log(u))
    return found


def log1p(x):
    """log(1 + x), for small x, too: the way of expm1."""
    u = 1 + x
    found = log(u)
    if u == 1:
        found = x
    elif abs(x) < 1 and u > 0:
        found = log(u) * (x / (u - 1))
    return found


def sinh(x):
    """The hyperbolic sine."""
    a = abs(x)
    e = expm1(a)
    half = exp(a / 2)
    found = (e + e / (e + 1)) / 2
    if a > 20:
        found = half / 2 * half
    return -found if x < 0 else select(a == 0, x, found)


def cosh(x):
    """The hyperbolic cosine."""
    half = exp(abs(x) / 2)
    square = half * half
    return half / 2 * half if abs(x) > 20 else square / 2 + 0.5 / square


def asinh(x):
    """The inverse of the hyperbolic sine."""
    a = abs(x)
    found = log1p(a + a * a / (1 + sqrt(a * a + 1)))
    if a > 1e8:
        found = log(a) + 0.6931471805599453
    return -found if x < 0 else select(a == 0, x, found)


def acosh(x):
    """The inverse of the hyperbolic cosine: NaN below 1."""
    t = x - 1
    return log(x) + 0.6931471805599453 if x > 1e8 else log1p(t + sqrt(t) * sqrt(t + 2))


def atanh(x):
    """The inverse of the hyperbolic tangent: infinite at -1 and 1, NaN beyond."""
    a = abs(x)
    found = log1p(2 * a / (1 - a)) / 2
    return -found if x < 0 else select(a == 0, x, found)


def atan(x):
    """The angle whose tangent is x, in radians."""
    return atan2(x, abs(x) * 0 + 1) if abs(x) < _INFINITY else atan2(x, 1.0)


def asin(x):
    """The angle whose sine is x, in radians: NaN beyond -1 and 1."""
    return atan2(x, sqrt((1 - x) * (1 + x)))


def acos(x):
    """The angle whose cosine is x, in radians: NaN beyond -1 and 1."""
    return atan2(sqrt((1 - x) * (1 + x)), x)


def hypot(x, y):
    """sqrt(x * x + y * y), which overflows only where the result does."""
    a, b = max(abs(x), abs(y)), min(abs(x), abs(y))
    ratio = b / a
    found = a * sqrt(1 + ratio * ratio)
    if a == 0:
        found = a
    if abs(x) == _INFINITY or abs(y) == _INFINITY:
        found = abs(x) if abs(x) == _INFINITY else abs(y)
    return found


def cbrt(x):
    """The cube root, of negative numbers, too: a power and one step of Newton's."""
    a = abs(x)
    tiny = a < 1e-30
    scaled = a * 2.0**60 if tiny else a
    y = scaled ** (1 / 3)
    if a > 0 and a < _INFINITY:
        y = y - (y * y * y - scaled) / (3 * y * y)
    y = y * 2.0**-20 if tiny else y
    return -y if x < 0 else select(a == 0, x, y)


def fmod(x, y):
    """What is left of x when y is taken from it as often as it goes, exactly; with the sign of x."""
    a, b = abs(x), abs(y)
    while a >= b and b > 0 and a < _INFINITY:
        part = b
        while part <= a / 2:
            part = part * 2
        a = a - part
    found = copysign(a, x)
    if not (b > 0 and abs(x) < _INFINITY):
        found = x * 0 / (y * 0) if b == 0 or abs(x) == _INFINITY else x + y
    return found


def degrees(x):
    """Radians as degrees."""
    return x * (180 / _PI)


def radians(x):
    """Degrees as radians."""
    return x * (_PI / 180)


# Random numbers: Philox4x32-10 of J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2,
# 3" (SC 2011). A number is a function of seed, place and stream; nothing is kept between calls.


def _philox(c0, c1, c2, c3, k0, k1):
    """Ten rounds: four words of a counter and two of a key."""
    a, b, c, d, k, m = u32(c0), u32(c1), u32(c2), u32(c3), u32(k0), u32(k1)
    for _ in range(10):
        left, right = u64(0xD2511F53) * u64(a), u64(0xCD9E8D57) * u64(c)
        a, b, c, d = u32(right >> 32) ^ b ^ k, u32(right), u32(left >> 32) ^ d ^ m, u32(left)
        k, m = k + 0x9E3779B9, m + 0xBB67AE85
    return a, b, c, d


def random(seed, i, stream=0):
    """Four u32, all values equally likely: Philox4x32-10 of the key `seed` and the counter (i, stream), each taken as a
    u64."""
    key, place, other = u64(seed), u64(i), u64(stream)
    return _philox(u32(place), u32(place >> 32), u32(other), u32(other >> 32), u32(key), u32(key >> 32))


def random_uniform(seed, i, stream=0):
    """An f32 from 0 on, below 1: a multiple of 2**-24."""
    word, _, _, _ = random(seed, i, stream)
    return f32(word >> 8) * 2.0**-24


def random_normal(seed, i, stream=0):
    """An f32 of mean 0 and variance 1: G. Box's and M. Muller's way, of two words."""
    word, turn, _, _ = random(seed, i, stream)
    radius = sqrt(-2.0 * log((f32(word >> 8) + 1.0) * 2.0**-24))
    return radius * cos(f32(turn >> 8) * (2 * _PI * 2.0**-24))


def random_integers(seed, i, low, high, stream=0):
    """An i32 from `low` on, below `high`. Of ranges that do not divide 2**32 some values are more likely by 2**-32."""
    word, _, _, _ = random(seed, i, stream)
    first = i32(low)
    return i32(u32(first) + u32(u64(word) * u64(u32(i32(high)) - u32(first)) >> 32))


def sum_of_array(x):
    return sum(v for v in x)


def any_of_array(x):
    return any(v for v in x)


def all_of_array(x):
    return all(v for v in x)


def min_of_array(x):
    best = x[0]
    for v in x:
        best = min(best, v)
    return best


def max_of_array(x):
    best = x[0]
    for v in x:
        best = max(best, v)
    return best
