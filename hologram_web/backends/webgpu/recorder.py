"""Work for the GPU, recorded and submitted together: one encoder and one submit for many launches.

Launches wait in a list until something is read, something writes to a buffer that they use, or there are many. Each
has a slot in the status buffer; the slots come back with what is read, and the first fault is raised then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import HologramError
from .gpu import SLOT, Gpu, Memory, Pipeline

__all__ = ["Recorder", "Work"]

_SLOTS = 1024
_WAITING = 64  # launches, copies and clears that wait before they are submitted
_ARGUMENTS = 1 << 18  # bytes of argument blocks of one submit
_ROW = 65_535  # the most workgroups along an axis
_END, _FIRST = 8, 13  # words of the arguments: the block behind the last of a dispatch, and its first
_MOST_SCRATCH = 1 << 27  # bytes: what every adapter binds


@dataclass
class Work:
    """A recorded launch. `failed` makes the error of status words. Of kernels with scratch memory, `at_once` blocks run
    at a time."""

    name: str
    pipeline: Pipeline
    bound: tuple[tuple[Any, int, int], ...]
    arguments: bytes
    blocks: int
    failed: Callable[[NDArray[np.uint32]], HologramError]
    at_once: int = 0
    slot: int = 0

    def dispatches(self) -> Iterator[_Dispatch]:
        if not self.at_once:
            yield _Dispatch(self, self.arguments, self.blocks)
            return
        words = np.frombuffer(self.arguments, np.uint32).copy()
        for first in range(0, self.blocks, self.at_once):
            count = min(self.blocks - first, self.at_once)
            words[_END], words[_FIRST] = first + count, first
            yield _Dispatch(self, words.tobytes(), count, first == 0)


@dataclass
class _Dispatch:
    """A launch or, of those whose blocks do not run all at once, a part of it."""

    work: Work
    arguments: bytes
    blocks: int
    starts: bool = True  # whether it is the first part


class Recorder:
    """Collects work for one backend."""

    def __init__(self, gpu: Gpu, timed: bool) -> None:
        self.gpu, self.timed = gpu, timed and "timestamp-query" in gpu.features
        self.submits = 0
        self.times: list[tuple[str, float]] = []
        self._open()

    def _open(self) -> None:
        gpu = self.gpu
        self.generation = gpu.generation
        self._status, used = gpu.take(_SLOTS * SLOT, gpu.STORAGE)
        self._arguments, _ = gpu.take(_ARGUMENTS, gpu.UNIFORM)
        self._waiting: list[_Dispatch | tuple[str, tuple[Any, ...]]] = []
        self._scratch: Any = None
        self._touched: set[int] = set()
        self._launched: list[Work] = []  # since statuses were read last, by slot
        self._used_arguments = 0
        self._fault: HologramError | None = None
        if self.timed:
            self._queries = gpu.device.create_query_set(type="timestamp", count=2 * _SLOTS)
            self._ticks, _ = gpu.take(16 * _SLOTS, gpu.TIMES)
        if used:
            self._waiting.append(("clear_buffer", (self._status, 0, _SLOTS * SLOT)))

    def close(self) -> None:
        """Gives the buffers back."""
        if self.generation == self.gpu.generation and not self.gpu.lost:
            self.gpu.give(self._status, self.gpu.STORAGE)
            self.gpu.give(self._arguments, self.gpu.UNIFORM)
            if self._scratch is not None:
                self.gpu.give(self._scratch, self.gpu.STORAGE)
            if self.timed:
                self.gpu.give(self._ticks, self.gpu.TIMES)

    def renew(self) -> None:
        """Starts anew on the new device after a loss."""
        if self.generation != self.gpu.generation:
            self._open()

    # Recording

    def launch(self, work: Work) -> None:
        if len(self._launched) == _SLOTS:
            self.collect()
        size = -(-len(work.arguments) // SLOT) * SLOT
        work.slot = len(self._launched)
        self._launched.append(work)
        for dispatch in work.dispatches():
            if self._used_arguments + size > _ARGUMENTS:
                self.submit()
            self._waiting.append(dispatch)
            self._used_arguments += size
            self._touched.update(id(buffer) for buffer, _, _ in work.bound[2:])
        if len(self._waiting) >= _WAITING:
            self.submit()

    def bound(self, pipeline: Pipeline) -> tuple[tuple[Any, int, int], ...]:
        """What bindings 0 and 1 of a pipeline are."""
        return (self._status, 0, 32), (self._arguments, 0, pipeline.kernel.arguments_size)

    def scratch(self, size: int, blocks: int) -> tuple[tuple[Any, int, int], int]:
        """A binding of memory that may hold anything, and for how many blocks at a time it has `size` bytes each."""
        at_once = min(max(_MOST_SCRATCH // size, 1), blocks)
        if self._scratch is None or self._scratch.size < at_once * size:
            if self._scratch is not None:
                self.submit()  # what waits uses the old one
                self.gpu.give(self._scratch, self.gpu.STORAGE)
                self._scratch = None
            self._scratch, _ = self.gpu.take(at_once * size, self.gpu.STORAGE)
        return (self._scratch, 0, at_once * size), at_once

    def clear(self, memory: Memory) -> None:
        """Fills with zeros."""
        self._touched.add(id(memory.buffer))
        self._waiting.append(("clear_buffer", (memory.buffer, memory.start, -(-memory.size // 4) * 4)))

    def copy(self, source: Any, start: int, target: Any, there: int, size: int) -> None:
        """Copies between buffers; everything is a multiple of 4."""
        self._touched |= {id(source), id(target)}
        self._waiting.append(("copy_buffer_to_buffer", (source, start, target, there, size)))

    def write(self, buffer: Any, start: int, raw: NDArray[np.uint8]) -> None:
        """Writes whole words to a buffer, after the launches that were recorded before."""
        if id(buffer) in self._touched:
            self.submit()
        with self.gpu.guard():
            self.gpu.device.queue.write_buffer(buffer, start, raw)

    # Submitting

    def submit(self) -> None:
        """Hands what waits to the GPU."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        self._touched, self._used_arguments = set(), 0
        device = self.gpu.device
        block = bytearray()
        with self.gpu.guard():
            encoder = device.create_command_encoder()
            computing = None
            for item in waiting:
                if isinstance(item, _Dispatch):
                    work = item.work
                    if computing is None or (self.timed and item.starts):
                        if computing is not None:
                            computing.end()
                        computing = encoder.begin_compute_pass(**self._stamps(item))
                    computing.set_pipeline(work.pipeline.pipeline)
                    group = self.gpu.group(work.pipeline.layout, work.bound)
                    computing.set_bind_group(0, group, [work.slot * SLOT, len(block)])
                    computing.dispatch_workgroups(min(item.blocks, _ROW), -(-item.blocks // _ROW))
                    block += item.arguments + bytes(-len(item.arguments) % SLOT)
                    continue
                if computing is not None:
                    computing.end()
                    computing = None
                getattr(encoder, item[0])(*item[1])
            if computing is not None:
                computing.end()
            if block:
                device.queue.write_buffer(self._arguments, 0, block)
            finished = encoder.finish()  # raises if the device is lost; submitting would abort the process
            device.queue.submit([finished])
        self.submits += 1

    def _stamps(self, dispatch: _Dispatch) -> dict[str, Any]:
        """A later part of a launch, in another submit, keeps the time when the first began."""
        if not self.timed:
            return {}
        slot = dispatch.work.slot
        stamps = {"query_set": self._queries, "end_of_pass_write_index": 2 * slot + 1}
        if dispatch.starts:
            stamps["beginning_of_pass_write_index"] = 2 * slot
        return {"timestamp_writes": stamps}

    # Reading

    def read(self, buffer: Any, start: int, out: NDArray[np.uint8]) -> None:
        """Copies bytes from a buffer and looks at the statuses; waits for all that was recorded."""
        first, end = start // 4 * 4, -(-(start + out.size) // 4) * 4
        self._fetch(buffer, first, end - first, out, start - first)

    def collect(self) -> None:
        """Waits for all that was recorded and keeps the first fault."""
        if self._launched or self._waiting:
            self._fetch(None, 0, 0, np.empty(0, np.uint8), 0)

    def raise_fault(self) -> None:
        """Raises the fault that was found and not raised yet."""
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    def _fetch(self, buffer: Any, first: int, size: int, out: NDArray[np.uint8], skip: int) -> None:
        gpu = self.gpu
        launched, self._launched = self._launched, []
        status, ticks = len(launched) * SLOT, 16 * len(launched) if self.timed else 0
        if not status + size:
            self.submit()
            return
        staging, _ = gpu.take(status + ticks + size, gpu.STAGING)
        if status:
            self.copy(self._status, 0, staging, 0, status)
            self._waiting.append(("clear_buffer", (self._status, 0, status)))
        if ticks:
            self._resolve(launched, staging, status)
        if size:
            self.copy(buffer, first, staging, status + ticks, size)
        self.submit()
        with gpu.guard():
            staging.map_sync("READ", 0, status + ticks + size)
            found = np.frombuffer(staging.read_mapped(0, status + ticks + size, copy=False), np.uint8)
            try:
                out[:] = found[status + ticks + skip :][: out.size]
                words = found[:status].view(np.uint32).reshape(-1, SLOT // 4)
                failed = np.flatnonzero(words[:, 0])
                if len(failed) and self._fault is None:
                    self._fault = launched[failed[0]].failed(words[failed[0]].copy())
                if ticks:
                    pairs = found[status : status + ticks].view(np.uint64).reshape(-1, 2)
                    spans = zip(launched, pairs.tolist(), strict=True)
                    self.times += [(work.name, (end - begin) * 1e-9) for work, (begin, end) in spans]
                    del pairs
                del words
            finally:
                del found
                staging.unmap()
        gpu.give(staging, gpu.STAGING)

    def _resolve(self, launched: list[Work], staging: Any, place: int) -> None:
        """Time stamps to the staging buffer, behind the launches."""
        self.submit()
        with self.gpu.guard():
            encoder = self.gpu.device.create_command_encoder()
            encoder.resolve_query_set(self._queries, 0, 2 * len(launched), self._ticks, 0)
            encoder.copy_buffer_to_buffer(self._ticks, 0, staging, place, 16 * len(launched))
            self.gpu.device.queue.submit([encoder.finish()])
