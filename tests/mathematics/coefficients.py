"""Makes `hologram_web/isa/mathematics/tables.py`: the polynomials and constants of the transcendental functions.

    python -m tests.mathematics.coefficients > tables.py && mv tables.py hologram_web/isa/mathematics/

A polynomial interpolates its function at the Chebyshev nodes of its interval, which is at most a few times worse than
the best one; its degree is the least for which the error, times a weight, is below what the type needs.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import NamedTuple

from . import exact
from .exact import DIGITS, pi

_ONE, _TWO = Decimal(1), Decimal(2)
_DIGITS = {32: 24, 64: 53}  # of the significands
Function = Callable[[Decimal], Decimal]


class Polynomial(NamedTuple):
    """`function(u)` for u from `low` to `high`. Its error times `weight(u)` has to be below 2**-(digits + spare)."""

    function: Function
    low: float
    high: Callable[[int], float]
    weight: Function
    spare: int = 3


def _power_series(first: int, sign: int, step: int) -> Function:
    """1/first! + sign * u / (first + step)! + ..."""

    def function(u: Decimal) -> Decimal:
        term = _ONE
        for k in range(2, first + 1):
            term /= k
        total, n = term, first
        while True:
            for _ in range(step):
                n += 1
                term /= n
            term *= sign * u
            if total + term == total:
                return total
            total += term

    return function


def _atanh_rest(first: int) -> Function:
    """1/first + u / (first + 2) + ..."""

    def function(u: Decimal) -> Decimal:
        total, power, n = _ONE / first, _ONE, first
        while True:
            power *= u
            n += 2
            if total + power / n == total:
                return total
            total += power / n

    return function


def _tan_rest(z: Decimal) -> Decimal:
    if z < Decimal("1e-20"):
        return _ONE / 3
    r = z.sqrt()
    return (exact.tan(r) / r - 1) / z


def _tanh_rest(z: Decimal) -> Decimal:
    if z < Decimal("1e-20"):
        return -_ONE / 3
    x = z.sqrt()
    return (exact.tanh(x) / x - 1) / z


def _atan_rest(z: Decimal) -> Decimal:
    if z < Decimal("1e-20"):
        return -_ONE / 3
    q = z.sqrt()
    return (exact.atan(q) / q - 1) / z


def _erf_rest(z: Decimal) -> Decimal:
    if z < Decimal("1e-20"):
        return 2 / pi().sqrt() - 1
    x = z.sqrt()
    return exact.erf(x) / x - 1


CENTRE = 2


def _tail(function: Function) -> Function:
    """A function of x over t = (x - CENTRE) / (x + CENTRE)."""
    return lambda t: function(CENTRE * (1 + t) / (1 - t))


def _scaled_erfc(x: Decimal) -> Decimal:
    return exact.erfc(x) * (x * x).exp()


def _gelu_near(z: Decimal) -> Decimal:
    if z < Decimal("1e-20"):
        return 1 / (2 * pi()).sqrt()
    x = z.sqrt()
    return exact.erf(x / _TWO.sqrt()) / x / 2


def _gelu_tail(x: Decimal) -> Decimal:
    return x * _scaled_erfc(x / _TWO.sqrt()) / 2


def _place(single: float, double: float) -> Callable[[int], float]:
    return lambda bits: ((single if bits == 32 else double) - CENTRE) / ((single if bits == 32 else double) + CENTRE)


_PAST_ONE = (1 - CENTRE) / (1 + CENTRE)  # the place of 1
_QUARTER = 0.617  # (pi / 4) ** 2, and a bit
_POLYNOMIALS: dict[str, Polynomial] = {
    # e**r = 1 + r + r*r*p(r)
    "exp": Polynomial(_power_series(2, 1, 1), -0.3468, lambda _: 0.3468, lambda r: r * r, 4),
    # the same as 1 + r*p(r), for math="fast"
    "exp_fast": Polynomial(_power_series(1, 1, 1), -0.3468, lambda _: 0.3468, lambda r: abs(r), 2),
    # log(1 + f) = 2s + s*z*p(z), s = f / (2 + f), z = s*s
    "log": Polynomial(lambda z: 2 * _atanh_rest(3)(z), 0, lambda _: 0.0296, lambda z: z / 2, 4),
    # the same from the third term on, for twice the digits that pow needs more
    "log_tail": Polynomial(_atanh_rest(5), 0, lambda _: 0.0296, lambda z: z * z, 12),
    # sin(r) = r + r*z*p(z), cos(r) = 1 - z/2 + z*z*p(z), tan(r) = r + r*z*p(z), z = r*r
    "sin": Polynomial(lambda z: -_power_series(3, -1, 2)(z), 0, lambda _: _QUARTER, lambda z: z, 4),
    "cos": Polynomial(_power_series(4, -1, 2), 0, lambda _: _QUARTER, lambda z: z * z, 4),
    "tan": Polynomial(_tan_rest, 0, lambda _: _QUARTER, lambda z: z),
    # tanh(x) = x + x*z*p(z), z = x*x, up to 5/8
    "tanh": Polynomial(_tanh_rest, 0, lambda _: 0.391, lambda z: z),
    # atan(q) = q + q*z*p(z), z = q*q
    "atan": Polynomial(_atan_rest, 0, lambda _: 1.0, lambda z: z),
    # erf(x) = x + x*p(x*x) up to 1
    "erf": Polynomial(_erf_rest, 0, lambda _: 1.0, lambda z: _ONE),
    # erfc(x) = exp(-x*x) * p(t), from 1 on, t = (x - centre) / (x + centre)
    "erfc": Polynomial(_tail(_scaled_erfc), _PAST_ONE, _place(4.1, 6.1), lambda t: _ONE, 1),
    # erf(x / sqrt 2) / 2 = x * p(x*x) up to 1
    "gelu_near": Polynomial(_gelu_near, 0, lambda _: 1.0, lambda z: _ONE),
    # x * erfc(x / sqrt 2) / 2 = exp(-x*x/2) * p(t), from 1 on
    "gelu": Polynomial(_tail(_gelu_tail), _PAST_ONE, _place(15, 39), lambda t: 2 * _ONE),
}


def rounded(bits: int, value: Decimal) -> float:
    """The nearest number of the type, from a value whose double is not halfway between two."""
    return float(value) if bits == 64 else float(struct.unpack("<f", struct.pack("<f", float(value)))[0])


def _parts(bits: int, value: Decimal, *digits: int) -> tuple[float, ...]:
    """Numbers that add up to the value: each but the last with so many digits, cut."""
    found = []
    for count in digits:
        exponent = 0
        while abs(value) >= _TWO ** (exponent + 1):
            exponent += 1
        while abs(value) < _TWO**exponent:
            exponent -= 1
        unit = _TWO ** (exponent + 1 - count)
        part = (value / unit).to_integral_value("ROUND_DOWN") * unit
        found.append(float(part))
        value -= part
    return (*found, rounded(bits, value))


def _interpolate(function: Function, low: Decimal, high: Decimal, degree: int) -> list[Decimal]:
    """Coefficients of the polynomial through the function at the Chebyshev nodes, lowest first."""
    count = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * exact.cos(pi() * (2 * k + 1) / (2 * count)) for k in range(count)]
    divided = [function(node) for node in nodes]
    for level in range(1, count):
        for k in range(degree, level - 1, -1):
            divided[k] = (divided[k] - divided[k - 1]) / (nodes[k] - nodes[k - level])
    found = [divided[degree]]
    for k in range(degree - 1, -1, -1):  # found * (u - nodes[k]) + divided[k]
        shifted = [Decimal(0), *found]
        for place, value in enumerate(found):
            shifted[place] -= nodes[k] * value
        shifted[0] += divided[k]
        found = shifted
    return found


def fit(name: str, bits: int) -> tuple[float, ...]:
    """The coefficients of a polynomial, lowest first."""
    shape = _POLYNOMIALS[name]
    low, high = Decimal(shape.low), Decimal(shape.high(bits))
    bound = _TWO ** -(_DIGITS[bits] + shape.spare)
    points = [low + (high - low) * k / 60 for k in range(61)]
    values = [shape.function(u) for u in points]
    weights = [shape.weight(u) for u in points]
    for degree in range(2, 40):
        found = _interpolate(shape.function, low, high, degree)
        worst = _ONE * 0
        for u, value, weight in zip(points, values, weights, strict=True):
            total = Decimal(0)
            for coefficient in reversed(found):
                total = total * u + coefficient
            worst = max(worst, abs(total - value) * weight)
        if worst < bound:
            return tuple(rounded(bits, value) for value in found)
    raise ArithmeticError(f"no polynomial for {name}")


def _constants(bits: int) -> dict[str, tuple[float, ...]]:
    digits = _DIGITS[bits]
    ln2, ln10, half_pi = _TWO.ln(), Decimal(10).ln(), pi(400) / 2
    short = digits - 12 if bits == 32 else digits - 20  # digits of what is multiplied by n without error
    return {
        "ln2": _parts(bits, ln2, 14 if bits == 32 else 40),
        "log2e": (rounded(bits, 1 / ln2),),
        "log2e_parts": _parts(bits, 1 / ln2, digits // 2),
        "log10e_parts": _parts(bits, 1 / ln10, digits // 2),
        "log10_2": _parts(bits, ln2 / ln10, 14 if bits == 32 else 40),
        "log2e_double": _parts(bits, 2 / ln2, digits),
        "third_double": _parts(bits, _ONE / 3, digits),
        "ln2_double": _parts(bits, ln2, digits),
        "half_pi": _parts(bits, half_pi, short, short, short),
        "half_pi_double": _parts(bits, half_pi, digits),
        "pi_double": _parts(bits, 2 * half_pi, digits),
        "two_over_pi": (rounded(bits, 1 / half_pi),),
        # sqrt(8 / pi) and 0.044715 times it
        "gelu_tanh": _parts(bits, (8 / pi()).sqrt(), digits),
        "gelu_tanh_cubic": _parts(bits, (8 / pi()).sqrt() * Decimal("0.044715"), digits),
    }


def bits_of_two_over_pi(count: int) -> int:
    """The first so many binary digits of 2 / pi behind the point."""
    with localcontext() as context:
        context.prec = 400
        return int(2 / pi(400) * _TWO**count)


def _text() -> str:
    lines = [
        '"""Polynomials and constants, by name and bits of the type. Made by tests/mathematics/coefficients.py."""',
        "",
        "# fmt: off",
        "# ruff: noqa: E501",
        "TABLES: dict[str, dict[int, tuple[float, ...]]] = {",
    ]
    constants = {bits: _constants(bits) for bits in (32, 64)}
    tables = {name: {bits: fit(name, bits) for bits in (32, 64)} for name in _POLYNOMIALS}
    tables |= {name: {bits: constants[bits][name] for bits in (32, 64)} for name in constants[32]}
    for name, rows in tables.items():
        lines.append(f'    "{name}": {{')
        lines += [f"        {bits}: {row!r}," for bits, row in rows.items()]
        lines.append("    },")
    lines += ["}", f"CENTRE = {CENTRE}  # of what erfc is a polynomial in: (x - centre) / (x + centre)"]
    lines += [
        "# The first 1216 binary digits of 2 / pi behind the point.",
        f"TWO_OVER_PI = {bits_of_two_over_pi(1216):#x}",
    ]
    return "\n".join(lines)


def main() -> None:
    with localcontext() as context:
        context.prec = DIGITS + 10
        print(_text())


if __name__ == "__main__":
    main()
