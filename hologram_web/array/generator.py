"""Random numbers as NumPy's Generator gives them: each call goes on where the one before ended."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ..errors import LaunchError
from ..isa.types import Type
from ..runtime.executor import Executor
from .array import Array, array_of, mapped
from .by_name import OPERATIONS
from .creation import arange, array_like, default_executor
from .functions import argsort, clip
from .functions import cumulative_sum as running_sum
from .sets import searchsorted

__all__ = ["Generator", "default_rng"]

_Size = int | Sequence[int] | None


class Generator:
    """The numbers of a seed, one after the other, by Philox: the same bits on every device. What it gives is lazy; it
    counts how many were taken."""

    def __init__(self, seed: int, device: Executor | None = None) -> None:
        self.seed, self.taken, self.executor = seed, 0, device or default_executor()

    def _next(self, size: _Size, dtype: Any, normal: bool = False) -> Array:
        shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
        found = OPERATIONS["random"](
            shape, seed=self.seed, offset=self.taken, normal=normal, dtype=dtype, device=self.executor
        )
        self.taken += prod(shape)
        return found  # type: ignore[no-any-return]

    def random(self, size: _Size = None, dtype: Any = Type.F32) -> Array:
        """Numbers from 0 on, below 1."""
        return self._next(size, dtype)

    def uniform(self, low: float = 0.0, high: float = 1.0, size: _Size = None, dtype: Any = Type.F32) -> Array:
        """Numbers from low on, below high."""
        return self._next(size, dtype) * (high - low) + low

    def standard_normal(self, size: _Size = None, dtype: Any = Type.F32) -> Array:
        """Normal numbers of mean 0 and deviation 1."""
        return self._next(size, dtype, normal=True)

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: _Size = None, dtype: Any = Type.F32) -> Array:
        """Normal numbers of a mean and a deviation."""
        return self._next(size, dtype, normal=True) * scale + loc

    def exponential(self, scale: float = 1.0, size: _Size = None, dtype: Any = Type.F32) -> Array:
        """Exponential numbers of a mean."""
        return mapped("log1p", -self._next(size, dtype)) * -scale

    def integers(
        self, low: int, high: int | None = None, size: _Size = None, dtype: Any = Type.I32, endpoint: bool = False
    ) -> Array:
        """Whole numbers from low on, below high, or from 0 on, below low; with `endpoint` high too. One is as likely as
        another to 2**-32 of how many there are. Raises LaunchError for none, and more than 2**32."""
        first, last = (0, low) if high is None else (low, high)
        count = last - first + endpoint
        if not 0 < count <= 1 << 32:
            raise LaunchError(f"from {first} to {last} there are {count} numbers: 1 to 2**32 are possible")
        bits = self._next(size, Type.U32).astype(Type.U64)
        return ((bits * count) >> 32).astype(dtype) + first

    def permutation(self, x: Any) -> Array:
        """The numbers below x, or an array along its first axis, in random order."""
        rows = arange(x, device=self.executor) if isinstance(x, int) else array_like(x)
        return rows.take(argsort(self._next(rows.shape[0], Type.U32)), axis=0)

    def choice(self, a: Any, size: _Size = None, replace: bool = True, p: Any = None) -> Array:
        """Of the numbers below a, or of an array along its first axis, some at random, by probabilities if they are
        given. Raises LaunchError for probabilities of different ones, and for more than there are of these."""
        rows = arange(a, device=self.executor) if isinstance(a, int) else array_like(a)
        count = rows.shape[0]
        if not replace:
            shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
            if p is not None or prod(shape) > count:
                raise LaunchError(f"{prod(shape)} different ones of {count}: as many at most, and without p")
            at = argsort(self._next(count, Type.U32))[: prod(shape)].reshape(shape)
        elif p is None:
            at = self.integers(count, size=size)
        else:
            shares = running_sum(p if isinstance(p, Array) else array_of(p, self.executor))
            chance = self._next(size, shares.dtype) * shares[-1]
            at = clip(searchsorted(shares, chance.ravel(), side="right"), 0, count - 1).reshape(chance.shape)
        return rows.take(at.ravel(), axis=0).reshape(*at.shape, *rows.shape[1:])


def default_rng(seed: int, device: Executor | None = None) -> Generator:
    """A Generator. It has no seed by chance: the same program gives the same numbers."""
    return Generator(seed, device)
