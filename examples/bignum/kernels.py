"""Kernels on the base field of BN254: one lane a number, in Montgomery form.

The Montgomery form of x is x * 2**256 modulo P; numbers are below P. A point is in Jacobian coordinates: (x, y, z) is
the point (x / z**2, y / z**3), and infinity if z is 0. An affine point (0, 0), which is not on the curve, is infinity.

The sum of points is cut into kernels of at most one product: shader compilers inline all calls, and take long for more.
"""

# mypy: ignore-errors
# To Python hg.u256 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

import hologram_web as hg

__all__ = [
    "BITS",
    "ONE",
    "PART",
    "P",
    "abscissa",
    "choose",
    "choose_z",
    "difference",
    "inverse",
    "multiply",
    "power",
    "slope",
]

BITS = 256
PART = (
    64  # bits of an exponent that a launch takes, so that none is long: GPUs are shared, and llvmpipe ends long loops
)
P = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47
ONE = 2**BITS % P  # the Montgomery form of 1
INVERSE = -pow(P, -1, 2**BITS) % 2**BITS  # with the low half of a number, the multiple of P that clears it


def reduced(x):
    """A number below 2 * P, modulo P."""
    return x - P if x >= P else x


def product(x, y):
    """x * y / 2**256 modulo P: Montgomery's product."""
    whole = hg.u512(x) * hg.u512(y)
    cleared = hg.u512(hg.u256(whole) * INVERSE) * P + whole
    return reduced(hg.u256(cleared >> BITS))


def minus(x, y):
    return x - y if x >= y else x - y + P


def raised(result, base, exponent, part):
    """A part of base ** exponent: goes on from `result` with PART bits, the highest first.

    The product stands here once, so that shaders stay small: rounds that square take turns with rounds that multiply
    where the bit is 1.
    """
    if part == 0:
        result = hg.u256(ONE)
    for k in range(2 * PART):
        squares = k & 1 == 0
        if squares or hg.u32(exponent >> (BITS - 1 - PART * part - (k >> 1))) & 1 == 1:
            result = product(result, result if squares else base)
    return result


@hg.kernel
def multiply(a: hg.Array[hg.u256], b: hg.Array[hg.u256], c: hg.Array[hg.u256]):
    """c = a * b."""
    i = hg.global_id()
    c[i] = product(a[i], b[i])


@hg.kernel
def difference(a: hg.Array[hg.u256], b: hg.Array[hg.u256], c: hg.Array[hg.u256]):
    """c = a - b."""
    i = hg.global_id()
    c[i] = minus(a[i], b[i])


@hg.kernel
def power(base: hg.Array[hg.u256], exponent: hg.Array[hg.u256], result: hg.Array[hg.u256], part: hg.i32):
    """result = base ** exponent after parts 0 to 3; the exponent is a plain number of 256 bits, and 0 ** 0 is 1."""
    i = hg.global_id()
    result[i] = raised(result[i], base[i], exponent[i], part)


@hg.kernel
def inverse(a: hg.Array[hg.u256], b: hg.Array[hg.u256], part: hg.i32):
    """b = 1 / a after parts 0 to 3, by Fermat's little theorem; of 0 it is 0."""
    i = hg.global_id()
    b[i] = raised(b[i], a[i], hg.u256(P - 2), part)


# The sum of (x1, y1, z1) and an affine (x2, y2) has z = z1 * h, x = r**2 - (x1 + u) * h**2, y = r * (x1 * h**2 - x) -
# y1 * h**3 with u = x2 * z1**2, s = y2 * z1**3. The slope r / (z1 * h) is that of the chord, h = u - x1 and r = s - y1,
# or for equal points that of the tangent, h = 2 * y1 and r = 3 * x1**2. Of inverse points h is 0, and so is z.


@hg.kernel
def slope(
    x1: hg.Array[hg.u256],
    y1: hg.Array[hg.u256],
    u: hg.Array[hg.u256],
    s: hg.Array[hg.u256],
    square: hg.Array[hg.u256],
    h: hg.Array[hg.u256],
    r: hg.Array[hg.u256],
):
    """h and r; `square` is x1**2."""
    i = hg.global_id()
    across, up = minus(u[i], x1[i]), minus(s[i], y1[i])
    if across == 0 and up == 0:
        across = reduced(y1[i] + y1[i])
        up = reduced(reduced(square[i] + square[i]) + square[i])
    h[i] = across
    r[i] = up


@hg.kernel
def abscissa(
    x1: hg.Array[hg.u256],
    u: hg.Array[hg.u256],
    squared: hg.Array[hg.u256],
    cubed: hg.Array[hg.u256],
    v: hg.Array[hg.u256],
    x: hg.Array[hg.u256],
    left: hg.Array[hg.u256],
):
    """x, and left = v - x, of squared = r**2, cubed = h**3 and v = x1 * h**2: (x1 + u) * h**2 is 2 * v + h**3, or 2 * v
    if u is x1."""
    i = hg.global_id()
    third = cubed[i]
    if u[i] == x1[i]:
        third = hg.u256(0)
    found = minus(minus(squared[i], third), reduced(v[i] + v[i]))
    x[i] = found
    left[i] = minus(v[i], found)


@hg.kernel
def choose(
    found: hg.Array[hg.u256],
    first: hg.Array[hg.u256],
    second: hg.Array[hg.u256],
    z1: hg.Array[hg.u256],
    x2: hg.Array[hg.u256],
    y2: hg.Array[hg.u256],
    result: hg.Array[hg.u256],
):
    """A coordinate of the sum: `found`, or that of the other point where one is infinity."""
    i = hg.global_id()
    chosen = found[i]
    if x2[i] == 0 and y2[i] == 0:
        chosen = first[i]
    elif z1[i] == 0:
        chosen = second[i]
    result[i] = chosen


@hg.kernel
def choose_z(
    found: hg.Array[hg.u256],
    z1: hg.Array[hg.u256],
    x2: hg.Array[hg.u256],
    y2: hg.Array[hg.u256],
    result: hg.Array[hg.u256],
):
    """The same of z, which is 1 for an affine point."""
    i = hg.global_id()
    chosen = found[i]
    if x2[i] == 0 and y2[i] == 0:
        chosen = z1[i]
    elif z1[i] == 0:
        chosen = hg.u256(ONE)
    result[i] = chosen
