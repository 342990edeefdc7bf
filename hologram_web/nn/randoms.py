"""Random numbers by keys: the same key gives the same numbers on every device.

A key is an integer, or an array of one U32. Bits are a hash of the key and of an element's number (two rounds of
Wellons's lowbias32 with the key between them): for weights and dropout, not for cryptography.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..array import functions as f
from ..array.array import Array, array_of
from ..array.creation import arange, default_executor
from ..isa.types import Type
from ..runtime.executor import Executor

__all__ = ["fold_in", "normal", "split", "uniform"]

RandomKey = int | Array


def _mixed(x: Array) -> Array:
    x = (x ^ (x >> 16)) * 0x7FEB352D
    x = (x ^ (x >> 15)) * 0x846CA68B
    return x ^ (x >> 16)


def _as_array(key: RandomKey, device: Executor | None) -> Array:
    if isinstance(key, int):
        return array_of(key & 0xFFFFFFFF, device or default_executor(), dtype=Type.U32)
    return key.astype(Type.U32)


def _bits(key: RandomKey, count: int, device: Executor | None, stream: int = 0) -> Array:
    seed = _as_array(key, device)
    numbers = arange(count, dtype=Type.U32, device=seed.executor)
    return _mixed(_mixed(numbers * 2 + stream) + _mixed(seed + 0x9E3779B9))


def fold_in(key: RandomKey, number: RandomKey, *, device: Executor | None = None) -> Array:
    """Another key, by a key and a number, such as that of a step."""
    seed = _as_array(key, device)
    return _mixed(_mixed(seed + 0x85EBCA6B) ^ _mixed(_as_array(number, seed.executor) + 0x9E3779B9))


def split(key: RandomKey, count: int = 2, *, device: Executor | None = None) -> list[Array]:
    """Several keys by one."""
    return [fold_in(key, number, device=device) for number in range(count)]


def _unit(bits: Array, dtype: Any) -> Array:
    """From 0 on, below 1: multiples of 2**-24."""
    return (bits >> 8).astype(dtype) * 2.0**-24


def uniform(
    key: RandomKey,
    shape: Sequence[int] = (),
    low: float = 0.0,
    high: float = 1.0,
    *,
    dtype: Any = Type.F32,
    device: Executor | None = None,
) -> Array:
    """Numbers from low on, below high, each as likely."""
    unit = _unit(_bits(key, math.prod(shape), device), dtype)
    return (unit * (high - low) + low).reshape(tuple(shape))


def normal(
    key: RandomKey, shape: Sequence[int] = (), *, dtype: Any = Type.F32, device: Executor | None = None
) -> Array:
    """Normal numbers of mean 0 and deviation 1, by Box and Muller."""
    count = math.prod(shape)
    one, other = (_unit(_bits(key, count, device, stream), dtype) for stream in (0, 1))
    return (f.sqrt(f.log(1.0 - one) * -2.0) * f.cos(other * (2 * math.pi))).reshape(tuple(shape))
