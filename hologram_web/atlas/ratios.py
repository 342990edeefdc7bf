"""Exact ratios: neutrality, and the bytes that carry them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd

__all__ = ["is_neutral", "ratio_from_bytes", "ratio_to_bytes"]


def is_neutral(deltas: Iterable[Fraction | tuple[int, int]]) -> bool:
    """Whether ratios, or pairs of numerator and denominator in any form, add up to exactly 0.

    Raises ZeroDivisionError for a denominator of 0.
    """
    return sum((Fraction(*delta) if isinstance(delta, tuple) else delta for delta in deltas), Fraction(0)) == 0


def ratio_to_bytes(ratio: Fraction) -> bytes:
    """Lengths of numerator and denominator (U16, little-endian), the sign, then both numbers, big-endian.

    Raises ValueError for a number of more than 65,535 bytes.
    """
    above, below = abs(ratio.numerator), ratio.denominator
    sizes = [(number.bit_length() + 7) // 8 for number in (above, below)]
    if max(sizes) > 0xFFFF:
        raise ValueError(f"a ratio of {max(sizes)} bytes: at most 65535 can be written")
    sign = (ratio > 0) - (ratio < 0)
    head = b"".join(size.to_bytes(2, "little") for size in sizes) + sign.to_bytes(1, "little", signed=True)
    return head + above.to_bytes(sizes[0], "big") + below.to_bytes(sizes[1], "big")


def ratio_from_bytes(data: bytes) -> Fraction:
    """What `ratio_to_bytes` wrote. Raises ValueError for anything that it does not write."""
    sizes = [int.from_bytes(data[at : at + 2], "little") for at in (0, 2)]
    if len(data) < 6 or len(data) != 5 + sum(sizes):
        raise ValueError(f"{len(data)} bytes are no ratio: there are lengths, a sign, numerator and denominator")
    sign = int.from_bytes(data[4:5], "little", signed=True)
    above = int.from_bytes(data[5 : 5 + sizes[0]], "big")
    below = int.from_bytes(data[5 + sizes[0] :], "big")
    if below == 0 or gcd(above, below) != 1 or ratio_to_bytes(found := Fraction(sign * above, below)) != data:
        raise ValueError(f"the bytes {data.hex(' ')} are a ratio that is not reduced, or not written the shortest way")
    return found
