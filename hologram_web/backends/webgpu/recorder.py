"""Work for the GPU, recorded and submitted together: one encoder and one submit for many launches.

Launches wait in a list until something is read, something writes to a buffer that they use, or there are many. Each
has a slot in the status buffer; the slots come back with what is read, and the first fault is raised then, to the
thread or task that launched.

A dispatch cannot be stopped. Launches that may be long run in parts, each submitted when the one before is done, and
who waits for the GPU looks now and then at the clock, at `cancel`, and for signals.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import ExecutionError, FaultKind, HologramError
from ...targets.wgsl import ARGUMENTS, WgslKernel
from .. import fault_text
from ..protocol import Limits, caller, stop_of_call
from .gpu import SLOT, Flight, Gpu, Group, Memory, Pipeline

__all__ = ["FEW_LANES", "LIGHT", "Recorder", "Teller", "Work"]

_SLOTS = 1024
_WAITING = 128  # launches, copies and clears that wait before they are submitted
_ARGUMENTS = 1 << 18  # bytes of argument blocks of one submit
_ROW = 65_535  # the most workgroups along an axis
_MOST_SCRATCH = 1 << 27  # bytes: what every adapter binds
# Rounds of the shortest loop: 3 ns on one lane of llvmpipe, a thirtieth of that with all lanes of two processors.
LIGHT = 1 << 29  # that a launch takes at most which is not long
_AHEAD = 1 << 31  # that are submitted before somebody waits for them
FEW_LANES = 1 << 11  # of a launch that is not divided, and of the first part of another
_PART = 0.1  # seconds that a part is to take


class Host(Protocol):
    """Whom a recorder works for: a backend."""

    limits: Limits
    _cancelled: bool
    _lock: Any

    def _deadline(self) -> float | None: ...


class Teller(Protocol):
    """Makes the errors of a launch, the `number`th of its backend."""

    @property
    def name(self) -> str:
        """That of the program."""

    def failed(self, words: NDArray[np.uint32], number: int) -> HologramError:
        """That of status words."""

    def stopped(self, kind: FaultKind, number: int) -> ExecutionError:
        """That of a launch that was ended."""


def _gone(owner: Any) -> bool:
    """Whether a task or thread has ended, so that its faults are for whoever asks."""
    return not owner.is_alive() if isinstance(owner, threading.Thread) else owner.done()


@dataclass
class Work:
    """A recorded launch, the `number`th of a backend. Its `arguments` are whole slots. Of kernels with scratch memory,
    `at_once` blocks run at a time. `rounds` is what it takes at most, about, in rounds of the shortest loop; None if
    nobody knows."""

    teller: Teller
    number: int
    pipeline: Pipeline
    group: Group
    arguments: bytes
    blocks: int
    lanes: int
    rounds: int | None
    at_once: int = 0
    starts: ClassVar[bool] = True  # as a part that is all of it
    slot: int = 0
    owner: Any = field(default_factory=caller)

    @property
    def long(self) -> bool:
        """Whether it may take so long that it is divided."""
        return self.lanes > FEW_LANES and (self.rounds is None or self.rounds > LIGHT)

    @property
    def work(self) -> Work:
        return self

    def dispatches(self, start: int = 0, end: int | None = None) -> Iterator[Work | _Part]:
        """For the blocks from `start` to `end`, by default all."""
        end = self.blocks if end is None else end
        at_once = self.at_once or end - start
        if start == 0 and at_once >= self.blocks:
            yield self
            return
        words = np.frombuffer(self.arguments, np.uint32).copy()
        for first in range(start, end, at_once):
            count = min(end - first, at_once)
            words[ARGUMENTS["end"]], words[ARGUMENTS["first"]] = first + count, first
            yield _Part(self, words.tobytes(), count, first == 0)


@dataclass
class _Part:
    """A part of a launch whose blocks do not run all at once."""

    work: Work
    arguments: bytes
    blocks: int
    starts: bool  # whether it is the first


class Recorder:
    """Collects work for one backend."""

    def __init__(self, gpu: Gpu, timed: bool, host: Host) -> None:
        self.gpu, self.timed, self.host = gpu, timed and "timestamp-query" in gpu.features, host
        self.submits = 0
        self.times: list[tuple[str, float]] = []
        self._open()

    def _open(self) -> None:
        gpu = self.gpu
        self.generation = gpu.generation
        self._status, used = gpu.take(_SLOTS * SLOT, gpu.STORAGE)
        self._arguments, _ = gpu.take(_ARGUMENTS, gpu.UNIFORM)
        self._waiting: list[Work | _Part | tuple[str, tuple[Any, ...]]] = []
        self._scratch: Any = None
        self._touched: set[int] = set()
        self._launched: list[Work] = []  # since statuses were read last, by slot
        self._used_arguments = 0
        self._faults: dict[Any, HologramError] = {}  # the first of each owner
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
        size = len(work.arguments)
        if work.long:
            self.submit()
        work.slot = len(self._launched)
        self._launched.append(work)
        if work.long:
            self._in_parts(work)
            return
        # What nobody knows may be as long as all that is submitted ahead, but most of it is not.
        self.gpu.ahead += _AHEAD / _WAITING if work.rounds is None else work.rounds
        for dispatch in work.dispatches():
            if self._used_arguments + size > _ARGUMENTS:
                self.submit()
            self._waiting.append(dispatch)
            self._used_arguments += size
        self._touched |= work.group.buffers
        if len(self._waiting) >= _WAITING:
            self.submit()

    def _in_parts(self, work: Work) -> None:
        """Runs a long launch, each part when the one before is done, up to the last part."""
        deadline = self.host._deadline()
        stop = self._stop([work], deadline)
        count, done = -(-FEW_LANES * work.blocks // work.lanes), 0
        with self._ending():
            self.gpu.settle(stop)
            while True:
                start, done = done, min(done + count, work.blocks)
                began = time.monotonic()
                self._hand_over(list(work.dispatches(start, done)), self._status_of(work))
                if done == work.blocks:
                    return
                flight = self.gpu.flights[-1]
                flight.wait(stop)
                self.gpu.flights.remove(flight)
                with flight.bytes() as found:
                    failed = any(found[:4])
                if failed:
                    return  # it is over: the fault is told when the status is read
                stop()
                took = time.monotonic() - began
                count = max(int(count * min(max(_PART / max(took, 1e-6), 1 / 8), 8)), 1)

    def _status_of(self, work: Work) -> list[tuple[str, tuple[Any, ...]]]:
        """A copy of the status of a launch to the host."""
        flight = Flight(self.gpu, SLOT)
        self.gpu.flights.append(flight)
        return [("copy_buffer_to_buffer", (self._status, work.slot * SLOT, flight.staging, 0, SLOT))]

    def bound(self, kernel: WgslKernel) -> tuple[tuple[Any, int, int], ...]:
        """What bindings 0 and 1 of a kernel are."""
        return (self._status, 0, 32), (self._arguments, 0, kernel.arguments_size)

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
        with self._ending():
            self.gpu.settle(self._stop(self._launched, self.host._deadline()))
            waiting, self._waiting = self._waiting, []
            self._touched, self._used_arguments = set(), 0
            behind = self._status_of(self._launched[-1]) if self.gpu.ahead > _AHEAD and self._launched else []
            self._hand_over(waiting, behind)

    def _hand_over(self, waiting: Sequence[Any], behind: Sequence[Any] = ()) -> None:
        """Submits work, and copies behind it. The GPU has to be done with what was submitted before."""
        device = self.gpu.device
        with self.gpu.guard():
            encoder = device.create_command_encoder()
            self._encode(encoder, (*waiting, *behind))
            finished = encoder.finish()  # raises if the device is lost; submitting would abort the process
            device.queue.submit([finished])
        self.submits += 1

    def _encode(self, encoder: Any, items: Sequence[Any]) -> None:
        """Records work into an encoder, whose commands are to be submitted next."""
        block = bytearray()
        computing = shader = None
        for item in items:
            if not isinstance(item, tuple):
                work = item.work
                if computing is None or (self.timed and item.starts):
                    if computing is not None:
                        computing.end()
                    computing = encoder.begin_compute_pass(**self._stamps(item))
                    shader = None
                if work.pipeline is not shader:
                    shader = work.pipeline
                    computing.set_pipeline(shader.pipeline)
                computing.set_bind_group(0, work.group.group, (work.slot * SLOT, len(block)))
                computing.dispatch_workgroups(min(item.blocks, _ROW), -(-item.blocks // _ROW))
                block += item.arguments
                continue
            if computing is not None:
                computing.end()
                computing = None
            getattr(encoder, item[0])(*item[1])
        if computing is not None:
            computing.end()
        if block:
            self.gpu.device.queue.write_buffer(self._arguments, 0, block)

    def _stamps(self, dispatch: Work | _Part) -> dict[str, Any]:
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

    def raise_fault(self, every: bool = False) -> None:
        """Raises a fault that was found and not raised yet: the caller's own, else one whose thread or task has ended;
        with `every`, of any."""
        mine = caller()
        for owner in (mine, *(other for other in self._faults if every or _gone(other))):
            fault = self._faults.pop(owner, None)
            if fault is not None:
                raise fault

    # Waiting

    def _stop(self, works: Sequence[Work], deadline: float | None) -> Callable[[], None]:
        """What raises Cancelled or StepLimit when somebody who waits for launches is not to wait any longer."""

        def stop() -> None:
            ended = stop_of_call()
            if self.host._cancelled or (ended is not None and ended.is_set()):
                kind = FaultKind.CANCELLED
                self.host._cancelled = False  # it is told now, and what comes next is another launch
            elif deadline is not None and time.monotonic() > deadline:
                kind = FaultKind.STEP_LIMIT
            else:
                return
            if len(works) == 1:
                raise works[0].teller.stopped(kind, works[0].number)
            what = f"it waited for {len(works)} launches" if works else "the GPU was busy with earlier launches"
            text = fault_text.CANCELLED if kind is FaultKind.CANCELLED else fault_text.clock(self.host.limits.seconds)
            raise ExecutionError(kind, None, f"{text} ({what})")

        return stop

    @contextlib.contextmanager
    def _ending(self) -> Iterator[None]:
        """Forgets what was launched if somebody stops waiting for it. The GPU finishes what it was given; whoever comes
        next waits for that. What others launched is Cancelled."""
        try:
            yield
        except BaseException:
            launched, self._launched = self._launched, []
            self._waiting = [item for item in self._waiting if isinstance(item, tuple)]
            self._used_arguments = 0
            if launched:
                self._waiting.append(("clear_buffer", (self._status, 0, len(launched) * SLOT)))
            mine = caller()
            for work in launched:
                if work.owner is not mine:
                    self._faults.setdefault(work.owner, work.teller.stopped(FaultKind.CANCELLED, work.number))
            raise

    def _fetch(self, buffer: Any, first: int, size: int, out: NDArray[np.uint8], skip: int) -> None:
        gpu, launched = self.gpu, self._launched
        status, ticks = len(launched) * SLOT, 16 * len(launched) if self.timed else 0
        if not status + size:
            self.submit()
            return
        stop = self._stop(launched, self.host._deadline())
        if ticks:
            self.submit()
        with self._ending():
            gpu.settle(stop)
            flight = Flight(gpu, status + ticks + size)
            gpu.flights.append(flight)
            behind: list[tuple[str, tuple[Any, ...]]] = []
            if status:
                behind.append(("copy_buffer_to_buffer", (self._status, 0, flight.staging, 0, status)))
                behind.append(("clear_buffer", (self._status, 0, status)))
            if ticks:
                self._resolve(launched, flight.staging, status)
            if size:
                behind.append(("copy_buffer_to_buffer", (buffer, first, flight.staging, status + ticks, size)))
            waiting, self._waiting = self._waiting, []
            self._touched, self._used_arguments = set(), 0
            self._hand_over(waiting, behind)
            flight.wait(stop)
        gpu.flights.remove(flight)
        gpu.ahead = 0.0
        self._launched = []
        with flight.bytes() as mapped:
            found = np.frombuffer(mapped, np.uint8)
            out[:] = found[status + ticks + skip :][: out.size]
            words = found[:status].view(np.uint32).reshape(-1, SLOT // 4)
            for number in np.flatnonzero(words[:, 0]).tolist():
                work = launched[number]
                if work.owner not in self._faults:
                    self._faults[work.owner] = work.teller.failed(words[number].copy(), work.number)
            if ticks:
                pairs = found[status : status + ticks].view(np.uint64).reshape(-1, 2)
                spans = zip(launched, pairs.tolist(), strict=True)
                self.times += [(work.teller.name, (end - begin) * 1e-9) for work, (begin, end) in spans]
                del pairs
            del words, found, mapped

    def _resolve(self, launched: list[Work], staging: Any, place: int) -> None:
        """Time stamps to the staging buffer, behind the launches, which are submitted."""
        with self.gpu.guard():
            encoder = self.gpu.device.create_command_encoder()
            encoder.resolve_query_set(self._queries, 0, 2 * len(launched), self._ticks, 0)
            encoder.copy_buffer_to_buffer(self._ticks, 0, staging, place, 16 * len(launched))
            self.gpu.device.queue.submit([encoder.finish()])
