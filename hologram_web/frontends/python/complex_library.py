"""Functions of complex numbers, written as kernels write them: they are inlined where they are called."""

# mypy: ignore-errors
# They are parsed and never executed.

from __future__ import annotations

from .library import hypot
from .names import INTRINSICS

__all__ = ["abs", "exp"]

_exp, _sin, _cos = (INTRINSICS[name] for name in ("exp", "sin", "cos"))


def abs(z):
    """The distance from 0, which overflows only where the result does."""
    return hypot(z.real, z.imag)


def exp(z):
    """e ** z: a real number stays one, whatever its size."""
    size = _exp(z.real)
    real, imag = size * _cos(z.imag), size * _sin(z.imag)
    if z.imag == 0:
        real, imag = size, z.imag
    return complex(real, imag)
