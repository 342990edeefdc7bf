"""erf and gelu."""

from __future__ import annotations

from .exponential import (
    Scaled,
    exp_parts,
    exp_rest,
    gated,
    is_negative,
    magnitude,
    nan_of,
    negated,
    power_of_two,
    scaled,
    with_sign,
)
from .number import Number, Pair, pair_product, polynomial, product, table, two_sum
from .tables import CENTRE

__all__ = ["erf", "gelu", "gelu_tanh"]

_ERF_END = {32: 4.0, 64: 6.0}
_GELU_END = {32: 15.0, 64: 39.0}
_GELU_TANH_END = {32: 12.0, 64: 22.0}


def _tail(name: str, size: Number) -> Number:
    """A polynomial in (size - CENTRE) / (size + CENTRE)."""
    return polynomial(name, 1.0 - 2.0 * CENTRE / (size + CENTRE))


def erf(x: Number) -> Number:
    size = magnitude(x)
    near = x + x * polynomial("erf", x * x)
    far = size.least(_ERF_END[x.ty.bits])
    square, lost = product(far, far)
    value, n = exp_parts(negated(square), negated(lost))
    rest = _tail("erfc", far) * (value * power_of_two(n, x.ty))
    value = (size.bits < x.ty.encode(1.0)).pick(near, with_sign(1.0 - rest, x))
    return nan_of(x, value)


def gelu(x: Number) -> Number:
    """x/2 * erfc(-x / sqrt 2): near 0 x * (1 + erf) / 2; elsewhere -t or x - t, t = |x| * erfc(|x| / sqrt 2) / 2."""
    near = x * (x * polynomial("gelu_near", x * x) + 0.5)
    size = magnitude(x).least(_GELU_END[x.ty.bits])
    square, lost = product(size, size)
    decay = exp_rest(square * -0.5, lost * -0.5)
    share = _tail("gelu", size)
    tail = share + share * decay.value
    above = x - tail * power_of_two(decay.exponent.most(-2 * x.ty.mantissa), x.ty)
    far = is_negative(x).pick(scaled(Scaled(negated(tail), decay.exponent)), above)
    return nan_of(x, (magnitude(x).bits < x.ty.encode(1.0)).pick(near, far))


def gelu_tanh(x: Number) -> Number:
    """x/2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))), as x / (1 + e**-v)."""
    size = magnitude(x).least(_GELU_TANH_END[x.ty.bits])

    def pair(name: str) -> Pair:
        high, low = table(name, x.ty)
        return size.constant(high), size.constant(low)

    cubic = pair_product(product(size, size), pair("gelu_tanh_cubic"))
    linear = pair("gelu_tanh")
    factor, lost = two_sum(linear[0], cubic[0])
    high, low = pair_product((factor, lost + (linear[1] + cubic[1])), (size, size.constant(0.0)))
    return gated(x, size, high, low)
