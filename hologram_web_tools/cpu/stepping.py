"""The reference, to be stopped where statements begin: block after block, and what the stopped lanes hold."""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hologram_web.errors import ExecutionError
from hologram_web.isa.address import Space
from hologram_web.isa.operands import BufferHandle, Predicate, Register
from hologram_web.isa.types import Type
from hologram_web.isa.verify import Base

from .cpu_backend import CpuBackend, at_once
from .machine import Machine, Run

__all__ = ["SteppingDevice", "array", "held_by", "parameter"]

Array = NDArray[Any]
_T = TypeVar("_T")


class SteppingDevice(CpuBackend):
    """A reference whose launches run while their results are waited for, and stop before the instructions `stops`.

    `collect_async` yields to who drives it: None, when the launch is prepared; then the Machine, each time that lanes
    of a block (only of number `block`, if it is given; the others run without a stop) come to a stop: `lanes` are
    those that do, and `point` is the stop. The results are read at the end.
    """

    def __init__(self, stops: Collection[int], block: int | None = None) -> None:
        super().__init__()
        self._stops, self._block = stops, block
        self._held: Run | None = None

    def _run(self, run: Run) -> None:
        self._held = run

    def _parts(self, run: Run) -> Iterable[range]:
        blocks = range(run.config.blocks)
        if self._block is None:
            return (blocks[n : n + 1] for n in blocks)
        before, after = blocks[: self._block], blocks[self._block + 1 :]
        return (*at_once(run, before), blocks[self._block : self._block + 1], *at_once(run, after))

    async def collect_async(self: Any, reads: Mapping[BufferHandle, Any]) -> None:
        await self._stopping()
        self.collect(reads)

    @types.coroutine
    def _stopping(self) -> Generator[Machine | None]:
        yield None
        try:
            if self._held is not None:  # some lane is on
                yield from self._stops_of(self._held)
        except ExecutionError as error:
            raise self._as_written(error) from None

    def _stops_of(self, run: Run) -> Generator[Machine]:
        graph = run.analysis.graph
        points = {point for point, index in enumerate(graph.code) if index in self._stops}
        machines = self._machines(run)
        while (machine := _quietly(next, machines, None)) is not None:
            if self._block not in (None, machine.first):
                _quietly(machine.go)
                continue
            machine.stops = points | graph.block_of.keys()
            while (point := _quietly(machine.pick)) is not None:
                machine.point = point
                if point in points:
                    yield machine
                _quietly(machine.run_block, point)


def _quietly(work: Callable[..., _T], *args: Any) -> _T:
    """Runs without NumPy's warnings, which those who look at the lanes in between do get."""
    with np.errstate(all="ignore"):
        return work(*args)


def held_by(machine: Machine, place: Register | Predicate, ty: Type) -> Array:
    """What the stopped lanes hold in a register or a predicate, as numbers of type `ty`: of bf16 float32."""
    if isinstance(place, Predicate):
        return machine.read_predicate(place) ^ place.negated
    if (place.index, ty) not in machine.registers:  # a parameter that no instruction reads
        name = machine.graph.program.register_params()[place.index].name
        return np.repeat(parameter(machine, name), machine.lanes.size)
    return _numbers(machine.read(place, ty).copy(), ty)


def parameter(machine: Machine, name: str) -> Array:
    """The number that a scalar parameter is in this launch, as an array of one element."""
    ty, bits = machine.run.scalars[name]
    return _numbers(np.array(machine.const(ty, bits)).reshape(1), ty)


def array(machine: Machine, name: str | None, ty: Type, shape: tuple[int, ...], offset: int = 0) -> Array:
    """An array parameter by name, or shared memory of the stopped block from byte `offset` on, as it is now.

    It is a view that cannot be written; of bf16 a copy as float32, of wide integers one as Python's.
    """
    region = machine.shared if name is None else machine.run.regions[Base(Space.BUFFER, name)]
    return _elements(region.data[offset : offset + prod(shape) * ty.size_bytes], ty, shape)


def local_array(machine: Machine, ty: Type, shape: tuple[int, ...], offset: int) -> Array:
    """The local arrays of all lanes, one after the other: a copy that cannot be written."""
    rows = machine.local.data.reshape(machine.count, -1)[:, offset : offset + prod(shape) * ty.size_bytes]
    return _elements(np.ascontiguousarray(rows).reshape(-1), ty, (machine.count, *shape))


def _elements(data: NDArray[np.uint8], ty: Type, shape: tuple[int, ...]) -> Array:
    if ty.is_wide:
        raw = data.tobytes()
        bits = [int.from_bytes(raw[at : at + ty.size_bytes], "little") for at in range(0, len(raw), ty.size_bytes)]
        return _numbers(np.array([*bits, None], object)[:-1], ty).reshape(shape)
    found = _numbers(data.view(ty.numpy), ty).reshape(shape)
    found.flags.writeable = False
    return found


def _numbers(values: Array, ty: Type) -> Array:
    if ty.is_wide:
        return np.array([*map(ty.decode, values.tolist()), None], object)[:-1]
    return (values.astype("<u4") << np.uint32(16)).view("<f4") if ty is Type.BF16 else values
