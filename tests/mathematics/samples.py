"""Arguments to measure functions at: of every size, dense where they change, and where mistakes show."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hologram_web.isa import Type

from .measure import BINARY

__all__ = ["samples"]

Array = NDArray[Any]
# Where functions change: the F32 and the F64 ends of exp, of its subnormal results, of erf, gelu and so on.
_EDGES = [0.5, 0.625, 1.0, 2.0, 4.0, 5.92, 6.0, 8.0, 10.0, 12.0, 14.2, 15.0, 22.0, 37.5, 39.0, 87.33655, 88.72283]
_EDGES += [103.97208, 104.0, 708.3964, 709.7827, 745.1332, 6400.0, 1.6e6, 0.25, 2.0**-12, 2.0**-13, 2.0**-27, 2.0**-28]


def _bits(ty: Type) -> np.dtype[Any]:
    return np.dtype(f"<u{ty.size_bytes}")


def _around(values: Array, ty: Type) -> Array:
    """The values and their neighbours, of both signs."""
    patterns = values.astype(ty.numpy).view(_bits(ty))
    steps = np.array([0, 1, 2, -1, -2]).astype(_bits(ty))
    near = (patterns[:, None] + steps).ravel().view(ty.numpy)
    return np.concatenate([near, -near])


def _hard(ty: Type) -> Array:
    """Specials, ends of ranges, neighbours of multiples of pi/2 and of powers of two."""
    limits = np.array([0.0, np.inf, np.nan, np.finfo(ty.numpy).max, np.finfo(ty.numpy).tiny], ty.numpy)
    least = np.arange(4, dtype=_bits(ty)).view(ty.numpy)
    multiples = np.arange(1, 3000) * (np.pi / 2)
    powers = np.ldexp(1.0, np.arange(-126, 127))
    pi_powers = np.pi * powers[126:]
    found = [_around(values, ty) for values in (np.array(_EDGES), multiples, powers, pi_powers)]
    return np.concatenate([limits, -limits, least, -least, *found])


def samples(name: str, ty: Type, count: int, seed: int = 0) -> tuple[Array, ...]:
    """The operands: the hard ones, then about `count` random ones of each kind."""
    generator = np.random.default_rng([seed, ty.bits, len(name)])
    hard = _hard(ty)

    def uniform(low: float, high: float) -> Array:
        return generator.uniform(low, high, count).astype(ty.numpy)

    def patterns() -> Array:
        return generator.integers(0, 1 << ty.bits, count, np.uint64).astype(_bits(ty)).view(ty.numpy)

    if name not in BINARY:
        return (np.concatenate([hard, patterns(), uniform(-1.5, 1.5), uniform(-16, 16), uniform(-750, 750)]),)
    picked = generator.permutation(hard[-2000:])[:40]
    first, second = (np.concatenate([hard[:18], picked]) for _ in range(2))
    pairs = np.repeat(first, second.size), np.tile(second, first.size)
    ends = np.log2(float(np.finfo(ty.numpy).max))
    base = np.exp2(generator.uniform(-ends, ends, count)).astype(ty.numpy)
    with np.errstate(all="ignore"):  # powers up to both ends of the range
        power = (generator.uniform(-1.1, 1.1, count) * ends / np.log2(base.astype(np.float64))).astype(ty.numpy)
    return (
        np.concatenate([pairs[0], patterns(), base, uniform(0.5, 2), uniform(-8, 8)]),
        np.concatenate([pairs[1], patterns(), power, uniform(-50, 50), np.rint(uniform(-30, 30))]),
    )
