"""The torus of a type: the ring of integers modulo N = P * R, shown as page and byte, with divmod by R.

Every quotient of it, the residue modulo 96, the orbit modulo 32, triality modulo 3 and crush modulo 2, is a map of
rings. A number of more than 8 bits does not survive `embed` and `unembed` in general: N is far below the
range of its type.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ..isa.types import Type

__all__ = ["ORBITS", "Torus", "orbit", "orbit_members", "torus", "unit_orbit"]

ORBITS = 32


@dataclass(frozen=True)
class Torus:
    """`pages` times `residues` points; `exact` says whether numbers are embedded as integers or in fixed point."""

    pages: int
    residues: int
    exact: bool
    signed: bool

    @property
    def elements(self) -> int:
        return self.pages * self.residues

    @property
    def error_bound(self) -> Fraction:
        """How far a float within the range of `pages` is from what comes back, at most."""
        return Fraction(1, self.residues)

    def split(self, point: int) -> tuple[int, int]:
        """Page and byte of a point. Raises ValueError for one that is outside."""
        return divmod(self._checked(point, self.elements, "point"), self.residues)

    def join(self, page: int, byte: int) -> int:
        """The point of a page and a byte. Raises ValueError for one that is outside."""
        return self._checked(page, self.pages, "page") * self.residues + self._checked(byte, self.residues, "byte")

    def bound_map(self, class_id: int, page: int, byte: int) -> int:
        """The cell of a class and a point in a pool of 96 * N bytes. It is an address only: such pools are not made."""
        return self._checked(class_id, 96, "class") * self.elements + self.join(page, byte)

    @staticmethod
    def _checked(value: int, limit: int, what: str) -> int:
        if not 0 <= value < limit:
            raise ValueError(f"{what} {value!r} is outside the torus: it is from 0 to {limit - 1}")
        return value

    def embed(self, value: float) -> int:
        """The point of a number: modulo N; floats in fixed point, with R steps a unit, rounded down.

        Raises ValueError for NaN and infinity.
        """
        if self.exact:
            return int(value) % self.elements
        if not math.isfinite(value):
            raise ValueError(f"{value!r} has no point on the torus")
        return math.floor(Fraction(value) * self.residues) % self.elements

    def unembed(self, point: int, hint: int | None = None) -> int | float:
        """The number of a point: of a signed type the one nearest to 0, else the one from 0 to N - 1; floats likewise.

        With a hint, the greatest integer up to it that has this point.
        """
        if hint is not None:
            return hint - (hint - point) % self.elements
        centred = point - self.elements if 2 * point >= self.elements else point
        if not self.exact:
            return centred / self.residues
        return centred if self.signed else point

    def add(self, a: int, b: int) -> int:
        return (a + b) % self.elements

    def sub(self, a: int, b: int) -> int:
        return (a - b) % self.elements

    def mul(self, a: int, b: int) -> int:
        """The product: of floats scaled back, with the points taken nearest to 0."""
        if self.exact:
            return a * b % self.elements
        x, y = (point - self.elements if 2 * point >= self.elements else point for point in (a, b))
        return x * y // self.residues % self.elements

    def div(self, a: int, unit: int) -> int:
        """The quotient in the ring, by a unit: no numeric division. Raises ValueError for another divisor."""
        return a * pow(unit, -1, self.elements) % self.elements


def torus(ty: Type) -> Torus:
    """The torus of a type: P = 3 bits and R = 6 bits, at least 96."""
    return Torus(3 * ty.bits, max(96, 6 * ty.bits), ty.is_integer, ty.is_signed)


def orbit(point: int) -> int:
    """The orbit of a point: modulo 32."""
    return point % ORBITS


def orbit_members(number: int, size: int) -> range:
    """The points of an orbit on a torus of `size` points."""
    return range(number, size, ORBITS)


def unit_orbit(point: int, size: int) -> int:
    """The orbit under multiplication by units, named by a divisor of `size`: the greatest common one."""
    return math.gcd(point, size)
