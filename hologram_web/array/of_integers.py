"""Functions of integers as kernels call them."""

# mypy: ignore-errors
# They are parsed and never executed.

from __future__ import annotations

__all__ = ["FUNCTIONS"]


def _power(x, n):
    """By squaring; it wraps as products do. To a negative power it is 1 / x**-n without its fraction."""
    found = x ^ x | 1
    base = x
    left = n
    if n < 0:
        left = n & 1
        if x != 1 and x + 1 != 0:
            found = x ^ x
            left = n ^ n
    while left != 0:
        if left & 1:
            found *= base
        base *= base
        left >>= 1
    return found


FUNCTIONS = {"integer_power": _power}
