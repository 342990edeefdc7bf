"""Elementary functions to as many digits as asked for, by series in `decimal`: what tables and tests are measured by.

Arguments are Decimals or floats, which are exact; the results have about DIGITS right digits.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from functools import cache, wraps

__all__ = ["DIGITS", "EXACT", "atan", "atan2", "cos", "erf", "erfc", "exp", "log", "pi", "pow_", "sin", "tan", "tanh"]

DIGITS = 50


def _context(digits: int) -> Context:
    return Context(prec=digits, Emin=-999999, Emax=999999)


def _precise(function: Callable[..., Decimal]) -> Callable[..., Decimal]:
    """Makes a function of floats one of Decimals, computed with some digits to spare."""

    @wraps(function)
    def wrapped(*numbers: Decimal | float) -> Decimal:
        with localcontext(_context(DIGITS + 10)):
            return function(*map(Decimal, numbers))

    return wrapped


@cache
def pi(digits: int = DIGITS) -> Decimal:
    """By Machin's formula."""
    with localcontext(_context(digits + 10)):
        return 4 * (4 * _atan_series(Decimal(1) / 5) - _atan_series(Decimal(1) / 239))


def _atan_series(x: Decimal) -> Decimal:
    total, power, square, k = x, x, -x * x, 1
    while True:
        power *= square
        k += 2
        after = total + power / k
        if after == total:
            return total
        total = after


def _sum(first: Decimal, ratio: Callable[[int], Decimal]) -> Decimal:
    """first * (1 + ratio(1) * (1 + ratio(2) * ...)), as far as it changes anything."""
    total, term, k = first, first, 0
    while True:
        k += 1
        term *= ratio(k)
        after = total + term
        if after == total:
            return total
        total = after


@_precise
def exp(x: Decimal) -> Decimal:
    return x.exp()


@_precise
def log(x: Decimal) -> Decimal:
    return x.ln()


@_precise
def log2(x: Decimal) -> Decimal:
    return x.ln() / Decimal(2).ln()


@_precise
def log10(x: Decimal) -> Decimal:
    return x.log10()


@_precise
def pow_(x: Decimal, y: Decimal) -> Decimal:
    """x ** y of a positive x."""
    with localcontext(_context(DIGITS + 30)):
        return (y * x.ln()).exp()


def _reduced(x: Decimal) -> tuple[Decimal, int]:
    """x - n * pi/2 of least size, and n modulo 4."""
    digits = DIGITS + 40 + max(x.adjusted(), 0)
    half = pi(-(-digits // 100) * 100) / 2
    with localcontext(_context(digits)):
        n = (x / (pi(-(-digits // 100) * 100) / 2)).to_integral_value()
        half = pi(-(-digits // 100) * 100) / 2
        return x - n * half, int(n) % 4


def _sin_series(r: Decimal) -> Decimal:
    return _sum(r, lambda k: -r * r / (2 * k * (2 * k + 1)))


def _cos_series(r: Decimal) -> Decimal:
    return _sum(Decimal(1), lambda k: -r * r / (2 * k * (2 * k - 1)))


@_precise
def sin(x: Decimal) -> Decimal:
    r, n = _reduced(x)
    value = _cos_series(r) if n & 1 else _sin_series(r)
    return -value if n & 2 else value


@_precise
def cos(x: Decimal) -> Decimal:
    r, n = _reduced(x)
    value = _sin_series(r) if n & 1 else _cos_series(r)
    return -value if n in (1, 2) else value


@_precise
def tan(x: Decimal) -> Decimal:
    r, n = _reduced(x)
    s, c = _sin_series(r), _cos_series(r)
    return -c / s if n & 1 else s / c


@_precise
def atan(x: Decimal) -> Decimal:
    for _ in range(4):
        x = x / (1 + (1 + x * x).sqrt())
    return 16 * _atan_series(x)


@_precise
def atan2(y: Decimal, x: Decimal) -> Decimal:
    """Of finite numbers that are not 0."""
    size = abs(y) / abs(x)
    angle = atan(size) if size <= 1 else pi() / 2 - atan(1 / size)
    return (pi() - angle if x < 0 else angle).copy_sign(y)


@_precise
def sigmoid(x: Decimal) -> Decimal:
    return 1 / (1 + (-x).exp())


@_precise
def swish(x: Decimal) -> Decimal:
    return x / (1 + (-x).exp())


@_precise
def tanh(x: Decimal) -> Decimal:
    if abs(x) > 100:
        return Decimal(1).copy_sign(x)
    with localcontext(_context(2 * DIGITS + max(-x.adjusted(), 0))):
        e = (2 * x).exp()
        return (e - 1) / (e + 1)


def _erf_series(x: Decimal) -> Decimal:
    return 2 / pi(400).sqrt() * (-x * x).exp() * _sum(x, lambda k: 2 * x * x / (2 * k + 1))


@_precise
def erf(x: Decimal) -> Decimal:
    return _erf_series(x) if abs(x) < 12 else Decimal(1).copy_sign(x)


@_precise
def erfc(x: Decimal) -> Decimal:
    """Of numbers up to 28."""
    with localcontext(_context(DIGITS + 20 + int(x * x / 2))):
        return 1 - _erf_series(x)


@_precise
def gelu(x: Decimal) -> Decimal:
    return x / 2 * erfc(-x / Decimal(2).sqrt()) if x < 40 else x


@_precise
def gelu_tanh(x: Decimal) -> Decimal:
    if x > 40:
        return x
    v = (8 / pi()).sqrt() * (x + Decimal("0.044715") * x**3)
    return x / (1 + (-v).exp())


EXACT: dict[str, Callable[..., Decimal]] = {
    "exp": exp, "log": log, "log2": log2, "log10": log10, "pow": pow_, "sin": sin, "cos": cos, "tan": tan,
    "tanh": tanh, "sigmoid": sigmoid, "atan2": atan2, "erf": erf, "gelu": gelu, "gelu_tanh": gelu_tanh, "swish": swish,
}  # fmt: skip
