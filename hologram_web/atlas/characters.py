"""Units, the 32 Dirichlet characters modulo 96, and the additive characters of a cyclic group.

A unit u is (-1)**a * 5**b modulo 32, and c says whether it is 2 modulo 3. Character 16 alpha + 2 beta + gamma takes it
to zeta ** (4 alpha a + beta b + 4 gamma c), zeta being the eighth root of unity; tables hold the exponent.
"""

from __future__ import annotations

import cmath
from math import gcd

__all__ = ["additive_character", "char_product", "char_value", "character_parts", "inverse", "is_unit", "units"]

NO_VALUE = 0xFF
_POWERS = {5**b % 32: (0, b) for b in range(8)} | {-(5**b) % 32: (1, b) for b in range(8)}


def is_unit(value: int, modulus: int) -> bool:
    return gcd(value, modulus) == 1


def units(modulus: int) -> tuple[int, ...]:
    """The units modulo a number, ascending."""
    return tuple(value for value in range(modulus) if is_unit(value, modulus))


def inverse(value: int, modulus: int) -> int | None:
    """The number whose product with `value` is 1; None for what is no unit, or a modulus below 2."""
    return pow(value, -1, modulus) if modulus >= 2 and is_unit(value, modulus) else None


def character_parts(index: int) -> tuple[int, int, int]:
    """alpha, beta and gamma of a character. Raises ValueError for an index that is not below 32."""
    if not 0 <= index < 32:
        raise ValueError(f"character {index!r} does not exist: it is from 0 to 31")
    return index >> 4, index >> 1 & 7, index & 1


def char_product(i: int, j: int) -> int:
    """The index of the product of two characters."""
    (a, b, c), (x, y, z) = character_parts(i), character_parts(j)
    return (a ^ x) << 4 | (b + y) % 8 << 1 | (c ^ z)


def char_value(index: int, value: int) -> int:
    """The exponent, 0 to 7, of a character at a number; 255 where the number is no unit and the character 0."""
    alpha, beta, gamma = character_parts(index)
    if not is_unit(value, 96):
        return NO_VALUE
    a, b = _POWERS[value % 32]
    return (4 * alpha * a + beta * b + 4 * gamma * (value % 3 == 2)) % 8


def additive_character(a: int, x: int, modulus: int = 96) -> complex:
    """exp(2 pi i a x / modulus): a row of the discrete Fourier transform."""
    return cmath.exp(2j * cmath.pi * (a * x % modulus) / modulus)
