"""Recordings on a GPU: work that is laid out once, and submitted as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ...errors import InvalidBuffer, LaunchError
from ..recording import Recording
from .gpu import LOST, GpuMemory
from .recorder import scratch_of
from .work import ARGUMENT_BYTES, SLOTS, Command, Span, Work

if TYPE_CHECKING:
    from .webgpu_backend import WebGpuBackend

__all__ = ["WebGpuRecording"]


class WebGpuRecording(Recording[GpuMemory]):
    """A replay is one submit, of as many launches as have statuses; long ones are divided, and submitted in parts."""

    device: WebGpuBackend

    def __init__(self, device: WebGpuBackend) -> None:
        super().__init__(device)
        self._recorder, self._generation = device._recorder, device._gpu.generation
        self._items: list[Span | tuple[Work, int]] = []

    def clear(self, memory: GpuMemory) -> None:
        self.add(memory.cleared())

    def copy(self, source: GpuMemory, target: GpuMemory) -> None:
        self.add(source.copied_to(target))

    def scratch(self, size: int, blocks: int) -> tuple[tuple[Any, int, int], int]:
        """A binding of memory that may hold anything, and for how many blocks at a time it has `size` bytes each."""
        at_once, whole = scratch_of(size, blocks)
        gpu = self.device._gpu
        memory = GpuMemory(gpu.take(whole, gpu.STORAGE)[0], whole, gpu.generation)
        self.keep(memory)
        return (memory.buffer, 0, whole), at_once

    def finish(self) -> None:
        super().finish()
        for long, items in groupby(self._does, lambda item: isinstance(item[1], Work) and item[1].long):
            if long:
                self._items += [(work, stage.number) for stage, work in items]
            else:
                self._items += [Span(found) for found in self._spans(items)]
        self._does.clear()

    @staticmethod
    def _spans(items: Iterator[Any]) -> Iterator[list[tuple[Work, int] | Command]]:
        """As much at a time as a submit holds."""
        found: list[Any] = []
        count = size = 0
        for stage, item in items:
            if isinstance(item, Work):
                need = sum(len(part.arguments) for part in item.dispatches(0))
                if found and (count == SLOTS or size + need > ARGUMENT_BYTES):
                    yield found
                    found, count, size = [], 0, 0
                count, size = count + 1, size + need
                item = item, stage.number
            found.append(item)
        if found:
            yield found

    def _go(self) -> None:
        device = self.device
        device._here()
        recorder, stats = device._recorder, device.stats
        if recorder is not self._recorder:
            raise LaunchError("the recording was made before the device was closed, or is replayed into an encoder")
        if device._gpu.generation != self._generation:
            raise InvalidBuffer(LOST)
        for item in self._items:
            if isinstance(item, Span):
                recorder.replay(item)
                stats.launches += len(item.works)
            else:
                recorder.launch(*item)
                stats.launches += 1
        stats.submits = recorder.submits
        if device.check == "sync":
            device.sync()

    def free(self) -> None:
        self._items.clear()
        super().free()
