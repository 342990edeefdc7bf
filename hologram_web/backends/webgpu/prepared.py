"""Launches on a GPU of which shader, pipeline and bind group are known: what is left is an argument block to record.

Recording a launch took 30 us (1,000 lanes, two scalars, three Buffers), and takes 8 so.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from struct import error
from typing import TYPE_CHECKING, Any

from ...isa.types import Type
from ..compiled import Job
from ..prepared import ShortWay
from .gpu import BindGroup, GpuMemory
from .ready import Chosen, Teller

if TYPE_CHECKING:
    from .webgpu_backend import WebGpuBackend

__all__ = ["PreparedWork"]

_KEPT = 8  # sets of memories


class PreparedWork(ShortWay):
    device: WebGpuBackend

    def _learn(self, values: Sequence[Any]) -> bool:
        device, analysis = self.device, self._analysis
        self._generation = device._gpu.generation
        job = self._job(values)
        ready = self._of = device._ready(job)
        if ready.kernel.scratch:
            return False
        self._teller = Teller(ready, self.config, device.limits, None, self._known.as_written, device.tells_of)
        self._lay_out(ready.kernel.scalars, [base for base, _ in analysis.given])
        self._groups: list[tuple[list[weakref.ref[GpuMemory]], weakref.ref[BindGroup]]] = []
        places = {name: (at, ty, kind is not None) for at, _, kind, name, ty in self._scalars}
        self._asked: list[tuple[str, tuple[int, Type, bool]]] = [
            (name, places[name]) for name in ready.asked if name in places
        ]
        self._chosen = None if self._asked else device.chosen(ready, self.config, job.scalars)
        self._fixed = {name: job.scalars[name] for name in ready.asked}
        return True

    def _job(self, values: Sequence[Any]) -> Job[GpuMemory]:
        device, analysis = self.device, self._analysis
        given = self._known.binder(self._given(values))
        scalars = {p.name: (p.ty, given[p.name]) for p in analysis.program.params if p.kind == "scalar" and p.ty}
        memory = device._memory_of(analysis, given)
        return Job(analysis, analysis.graph.entry, self.config, memory, scalars, {}, None, None, device.math)

    def _state(self) -> tuple[Any, ...]:
        device = self.device
        device._here()
        # The recorder's buffers are bound.
        return (*super()._state(), device._gpu.generation, device._recorder, device.check)

    def _go(self, numbers: list[Any], memories: list[GpuMemory], values: Sequence[Any], places: Sequence[int]) -> bool:
        device = self.device
        try:
            scalars = self._layout.pack(*numbers)
        except (error, OverflowError):
            return False
        group = self._group(memories) or self._bind([values[place] for place in places], memories)
        if group is None:
            return False
        chosen = self._chosen or self._choose(numbers)
        device.launch(device.work(self._teller, chosen, group, b"".join((chosen.head, scalars, self._of.tail))))
        return True

    def _group(self, memories: list[GpuMemory]) -> BindGroup | None:
        """What binds these memories, if it is kept."""
        for kept, group in self._groups:
            for memory, ref in zip(memories, kept, strict=True):
                if ref() is not memory:
                    break
            else:
                return group()
        return None

    def _bind(self, values: Sequence[Any], memories: list[GpuMemory]) -> BindGroup | None:
        """Binds other memories. None if another kernel is for them: one buffer for several parameters, another size."""
        device, job = self.device, self._job(values)
        if any(memory.generation != self._generation for memory in memories) or device._ready(job) is not self._of:
            return None
        group, _ = device._grouped(job, self._of.kernel)
        self._groups.insert(0, ([weakref.ref(memory) for memory in memories], weakref.ref(group)))
        del self._groups[_KEPT:]
        return group

    def _choose(self, numbers: list[Any]) -> Chosen:
        """The shader, where arguments decide it."""
        scalars = self._fixed.copy()
        for name, (at, ty, is_number) in self._asked:
            scalars[name] = ty, ty.encode(numbers[at]) if is_number else numbers[at]
        return self.device.chosen(self._of, self.config, scalars)
