"""Runs the reference in a way that finds what a meaningful program must not do.

The race checker finds accesses whose order nobody fixes. `nan_guard` finds NaNs that reach integers: their bits are
outside the contract. The shrinker keeps neither kind of program, and tests try the generator on both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from hologram_web.isa import Type
from hologram_web_tools.cpu.machine import Machine
from hologram_web_tools.cpu.vector_ops import VectorOps

from .case import is_nan

__all__ = ["NanEscape", "Untame", "nan_guard", "tame_guard"]


class NanEscape(AssertionError):
    """The bits of a NaN were looked at."""


def _nans(ty: Type, values: Any) -> Any:
    return is_nan(ty, np.ascontiguousarray(values).view(f"<u{ty.size_bytes}"))


def _call(self: Machine, name: str, *operands: Any) -> Any:
    """A function of `isa/mathematics`: it may look at bits, and what it gives for a NaN is a NaN."""
    plain: Any = VectorOps.__new__(VectorOps)
    plain.__dict__ = self.__dict__
    return VectorOps.call(plain, name, *operands)


def _bitcast(self: Machine, dst: Type, src: Type, x: Any) -> Any:
    if src.is_float and dst is not src and _nans(src, x).any():
        raise NanEscape(f"BITCAST of a NaN from {src} to {dst}")
    return VectorOps.bitcast(self, dst, src, x)


@contextmanager
def nan_guard() -> Iterator[None]:
    """While it is open, the cpu device raises NanEscape where a launch looks at the bits of a NaN."""
    # For each memory the type of the NaN that a byte belongs to; with the memory itself, so that its id stays its own.
    poisoned: dict[int, tuple[Any, np.ndarray]] = {}
    load, store = Machine.load, Machine.store

    def marks(place: Any) -> np.ndarray:
        data = place.region.data
        if id(data) not in poisoned:
            poisoned[id(data)] = data, np.zeros(data.size, np.int8)
        return poisoned[id(data)][1]

    def spread(place: Any, ty: Type) -> Any:
        return np.asarray(place.absolute)[:, None] + np.arange(ty.size_bytes)

    def guarded_store(self: Machine, ty: Type, place: Any, values: Any) -> None:
        store(self, ty, place, values)
        nans = _nans(ty, np.broadcast_to(values, place.absolute.shape)) if ty.is_float else np.zeros(1, bool)
        marks(place)[spread(place, ty)] = (np.broadcast_to(nans, place.absolute.shape) * (ty.id + 1))[:, None]

    def guarded_load(self: Machine, ty: Type, place: Any) -> Any:
        values = load(self, ty, place)
        seen = marks(place)[spread(place, ty)]
        if ((seen != 0) & (seen != ty.id + 1)).any():
            raise NanEscape(f"{place.region.name}: a NaN is loaded as {ty}")
        return values

    machine: Any = Machine
    machine.bitcast, machine.call, machine.load, machine.store = _bitcast, _call, guarded_load, guarded_store
    try:
        yield
    finally:
        machine.load, machine.store = load, store
        del machine.bitcast, machine.call


class Untame(AssertionError):
    """A float that GPUs may treat differently."""


@contextmanager
def tame_guard() -> Iterator[None]:
    """While it is open, the cpu device raises Untame where a register gets a subnormal, an infinity or a NaN."""
    write = Machine.write

    def guarded_write(self: Machine, number: int, ty: Any, values: Any) -> None:
        if isinstance(ty, Type) and ty.is_float:
            bits = np.ascontiguousarray(values).view(f"<u{ty.size_bytes}") & ((1 << (ty.bits - 1)) - 1)
            smallest = 0 if ty is Type.F16 else 1 << ty.mantissa  # F16 is computed in F32, where all of it is normal
            wrong = (bits >= ((1 << ty.exponent) - 1) << ty.mantissa) | ((bits != 0) & (bits < smallest))
            if wrong.any():
                instruction = self.graph.instruction(self.point)
                raise Untame(f"{instruction} gives {ty.decode(int(bits[np.argmax(wrong)]))}")
        write(self, number, ty, values)

    machine: Any = Machine
    machine.write = guarded_write
    try:
        yield
    finally:
        machine.write = write
