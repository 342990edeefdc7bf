"""Resonance residues, the ring Z/96; and lift, resonate and crush between residues, vectors and truth values.

What holds: resonate(lift(k)) = k, lift after resonate is idempotent, and crush maps sums to xor and products to and.
The sum of residues is the cyclic convolution of their vectors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["crush", "lift", "residue_add", "residue_mul", "residue_neg", "resonate"]

RESIDUES = 96


def residue_add(a: int, b: int) -> int:
    return (a + b) % RESIDUES


def residue_mul(a: int, b: int) -> int:
    return a * b % RESIDUES


def residue_neg(a: int) -> int:
    return -a % RESIDUES


def crush(residue: int) -> bool:
    """Whether a residue is odd."""
    return residue % 2 == 1


def lift(residue: int) -> tuple[float, ...]:
    """The basis vector of a residue in 96 dimensions."""
    return tuple(float(k == residue % RESIDUES) for k in range(RESIDUES))


def resonate(vector: Sequence[float]) -> int:
    """The residue whose lift is nearest, of several the least. Raises ValueError for other lengths, NaN, infinity."""
    if len(vector) != RESIDUES or not all(map(math.isfinite, vector)):
        raise ValueError(f"resonate takes {RESIDUES} finite numbers, not {len(vector)} with NaN or infinity among them")
    return max(range(RESIDUES), key=lambda k: (vector[k], -k))
