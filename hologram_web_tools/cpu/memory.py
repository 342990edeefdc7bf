"""Memory of a launch on the cpu device: resolves addresses to byte offsets, checks them, gathers and scatters.

A region is a flat uint8 array. Shared memory is one region for all blocks that run at once, a stretch of it for each
block; offsets that programs see are within their block's stretch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hologram_web.backends.fault_text import misaligned
from hologram_web.backends.fault_text import outside as outside_text
from hologram_web.errors import FaultKind
from hologram_web.isa.types import Type

__all__ = ["LanePlaces", "MemoryRegion", "byte_offsets", "checked", "gather", "scatter"]

Array = NDArray[Any]
# Raises the fault for the lanes of a mask: kind, mask, detail of the lane with that position, name, byte offset.
Fail = Callable[[FaultKind, Array, Callable[[int], str], str, Array], None]
# No memory is as large: computing with clipped indices is exact below, and out of bounds above.
_FAR = 1 << 42


@dataclass(frozen=True)
class MemoryRegion:
    """A memory: its bytes, the name for messages, its size as a lane sees it. With a `stride`, so many `lanes` one
    after the other have so many bytes of it: those of a block shared memory, each one local memory."""

    name: str
    data: NDArray[np.uint8]
    size: int
    stride: int = 0
    lanes: int = 1


@dataclass(frozen=True)
class LanePlaces:
    """Where lanes access memory: a region, and for each lane the byte offset it named and the one in `data`."""

    region: MemoryRegion
    offsets: Array
    absolute: Array


def byte_offsets(index: Array | None, scale: int, offset: int, count: int) -> Array:
    """index * scale + offset, exactly for anything that can be in bounds, as int64."""
    if index is None:
        return np.full(count, offset, np.int64)
    if index.dtype == np.uint64:
        index = np.minimum(index, np.uint64(_FAR))
    wide = np.clip(index.astype(np.int64), -_FAR, _FAR)
    return np.broadcast_to(wide * scale + offset, (count,))


def checked(place: LanePlaces, ty: Type, count: Array | int, fail: Fail) -> None:
    """Reports lanes that access `count` elements of `ty` outside their memory or misaligned."""
    need = count * ty.size_bytes  # of a collective a Python integer, which does not wrap
    size = place.region.size
    outside = (need > 0) & ((place.offsets < 0) | (place.offsets > size - need))
    if outside.any():

        def detail(lane: int) -> str:
            many = int(np.broadcast_to(need, outside.shape)[lane])
            return outside_text(many, int(place.offsets[lane]), place.region.name, size, ty.size_bytes)

        fail(FaultKind.OUT_OF_BOUNDS, outside, detail, place.region.name, place.offsets)
    crooked = (place.offsets % ty.alignment != 0) & (need > 0)
    if crooked.any():
        fail(
            FaultKind.MISALIGNED_ACCESS,
            crooked,
            lambda lane: misaligned(ty, int(place.offsets[lane]), place.region.name),
            place.region.name,
            place.offsets,
        )


def _elements(place: LanePlaces, ty: Type) -> Array:
    """The region as elements of `ty`; a rest at the end that is no whole element is left out."""
    data = place.region.data
    return data[: data.size // ty.size_bytes * ty.size_bytes].view(ty.numpy)


def gather(place: LanePlaces, ty: Type) -> Array:
    """The elements at checked places."""
    if ty.is_wide:
        rows = place.region.data[_bytes(place, ty)]
        return np.array([*(int.from_bytes(row.tobytes(), "little") for row in rows), None], object)[:-1]
    found: Array = _elements(place, ty)[place.absolute // ty.size_bytes]
    return found


def scatter(place: LanePlaces, ty: Type, values: Array, reverse: bool) -> None:
    """Stores at checked places, in lane order (or in reverse): of several stores to one place the last one stays."""
    where = _bytes(place, ty) if ty.is_wide else place.absolute // ty.size_bytes
    values = np.broadcast_to(values, place.absolute.shape)
    if reverse:
        where, values = where[::-1], values[::-1]
    if ty.is_wide:
        for row, value in zip(where, values.tolist(), strict=True):
            place.region.data[row] = np.frombuffer(value.to_bytes(ty.size_bytes, "little"), np.uint8)
    else:
        _elements(place, ty)[where] = values


def _bytes(place: LanePlaces, ty: Type) -> Array:
    """The bytes of each element, which is aligned to 16 only: a row of offsets each."""
    rows: Array = place.absolute[:, None] + np.arange(ty.size_bytes)
    return rows
