"""Cotangents of the functions of `linalg.py`: of real matrices, by results that are there."""

from __future__ import annotations

from typing import Any

from ..errors import LaunchError
from .array import Array, mapped
from .creation import eye, tril

__all__ = ["of_cholesky", "of_eigh", "of_qr", "of_singular_values"]


def of_cholesky(low: Array, g: Array, solved: Any) -> Array:
    """Of a = low @ low.T: Murray 2016, equation 10."""
    middle = _halved(low.mT @ g)
    right = solved(low.mT, middle).mT  # its transpose
    both: Array = solved(low.mT, right)
    return (both + both.mT) * 0.5


def _halved(x: Array) -> Array:
    """The lower triangle with half of the diagonal."""
    n = x.shape[-1]
    return tril(x) * (1.0 - 0.5 * eye(n, dtype=x.dtype, device=x.executor))


def of_eigh(values: Array, vectors: Array, g: Array, h: Array) -> Array:
    """By the cotangents of values and vectors. Those of equal values have no derivative: what they give is 0."""
    away = values.expand_dims(-2) - values.expand_dims(-1)
    factors = mapped("where", away == 0, 0.0, 1.0 / mapped("where", away == 0, 1.0, away))
    unit = eye(values.shape[-1], dtype=values.dtype, device=values.executor)
    middle = unit * g.expand_dims(-1) + factors * (vectors.mT @ h)
    found = vectors @ middle @ vectors.mT
    return (found + found.mT) * 0.5


def of_qr(q: Array, r: Array, g: Array, h: Array, solved: Any) -> Array:
    """By the cotangents of Q and R. Raises LaunchError for what has more columns than rows, or a square Q of fewer."""
    if q.shape[-1] != r.shape[-1] or r.shape[-2] != r.shape[-1]:
        raise LaunchError("qr has a gradient where there are as many rows as columns or more, and mode is 'reduced'")
    inner = r @ h.mT - g.mT @ q
    lower = tril(inner)
    both = lower + tril(inner, k=-1).mT
    return solved(r, (g + q @ both).mT).mT  # type: ignore[no-any-return]


def of_singular_values(u: Array, v: Array, g: Array) -> Array:
    """By the cotangents of the singular values."""
    return (u * g.expand_dims(-2)) @ v
