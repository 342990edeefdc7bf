"""The same on Python's integers: plain residues modulo P, not in Montgomery form."""

from __future__ import annotations

from collections.abc import Iterable

from .kernels import BITS, P

__all__ = ["GENERATOR", "add", "affine", "from_montgomery", "multiples", "sum_of", "to_montgomery"]

Point = tuple[int, int]  # affine; (0, 0) is infinity

GENERATOR: Point = 1, 2
_BACK = pow(2, -BITS, P)


def to_montgomery(values: Iterable[int]) -> list[int]:
    return [(value << BITS) % P for value in values]


def from_montgomery(values: Iterable[int]) -> list[int]:
    return [value * _BACK % P for value in values]


def sum_of(p: Point, q: Point) -> Point:
    """The sum of affine points, as in textbooks."""
    (x1, y1), (x2, y2) = p, q
    if (0, 0) in (p, q):
        return q if p == (0, 0) else p
    if x1 == x2 and (y1 + y2) % P == 0:
        return 0, 0
    over, under = (3 * x1 * x1, 2 * y1) if p == q else (y2 - y1, x2 - x1)
    slope = over * pow(under, -1, P) % P
    x = (slope * slope - x1 - x2) % P
    return x, (slope * (x1 - x) - y1) % P


def multiples(count: int, start: Point = GENERATOR) -> list[Point]:
    """`start`, and on by the generator."""
    found = [start]
    while len(found) < count:
        found.append(sum_of(found[-1], GENERATOR))
    return found


def add(x1: int, y1: int, z1: int, x2: int, y2: int) -> tuple[int, int, int]:
    """The sum of a point in Jacobian coordinates and an affine one, in Jacobian coordinates."""
    if x2 == 0 == y2:
        return x1, y1, z1
    if z1 == 0:
        return x2, y2, 1
    zz = z1 * z1 % P
    u = x2 * zz % P
    h, r = (u - x1) % P, (y2 * (z1 * zz % P) - y1) % P
    if h == 0 == r:
        h, r = 2 * y1, 3 * x1 * x1 % P
    hh = h * h % P
    v = x1 * hh % P
    x = (r * r - (x1 + u) * hh) % P
    return x, (r * (v - x) - y1 * (h * hh % P)) % P, z1 * h % P


def affine(x: int, y: int, z: int) -> Point:
    """The affine coordinates of a point."""
    if z == 0:
        return 0, 0
    i = pow(z, -1, P)
    ii = i * i % P
    return x * ii % P, y * (i * ii % P) % P
