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
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import ExecutionError, FaultKind, HologramError
from ...targets.wgsl import WgslKernel
from .. import fault_text
from ..protocol import Limits, caller, stop_of_call
from .gpu import SLOT, Flight, Gpu
from .work import ARGUMENT_BYTES, FEW_LANES, SLOTS, Command, Dispatch, Launched, Passes, Span, Work, buffers_of

__all__ = ["Host", "Recorder", "scratch_of"]

_WAITING = 128  # launches, copies and clears that wait before they are submitted
_MOST_SCRATCH = 1 << 27  # bytes: what every adapter binds
_AHEAD = 1 << 31  # rounds of the shortest loop that are submitted before somebody waits for them
_PART = 0.1  # seconds that a part is to take


class Host(Protocol):
    """Whom a recorder works for: a backend."""

    limits: Limits
    _cancelled: bool
    _lock: Any

    def _deadline(self) -> float | None: ...


def _gone(owner: Any) -> bool:
    """Whether a task or thread has ended, so that its faults are for whoever asks."""
    return not owner.is_alive() if isinstance(owner, threading.Thread) else owner.done()


def scratch_of(size: int, blocks: int) -> tuple[int, int]:
    """How many blocks run at a time whose kernel has `size` bytes of scratch memory for each, and their bytes."""
    at_once = min(max(_MOST_SCRATCH // size, 1), blocks)
    return at_once, at_once * size


class _Replay(NamedTuple):
    """A span that is to be submitted, with its statuses from a slot on."""

    span: Span
    slot: int


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
        self._status, _ = gpu.take(SLOTS * SLOT, gpu.STORAGE)
        self._arguments, _ = gpu.take(ARGUMENT_BYTES, gpu.UNIFORM)
        self._waiting: list[Dispatch | _Replay | Command] = []
        self._scratch: Any = None
        self._touched: set[int] = set()
        self._launched: list[Launched] = []  # since statuses were read last, by slot
        self._used_arguments = 0
        self._faults: dict[Any, HologramError] = {}  # the first of each owner
        self._queries = self._ticks = None
        if self.timed:
            self._wind()
        # A new buffer, too: wgpu zeroes what it has not seen written before it is read first, and does not see what
        # shaders write at offsets. Statuses of launches that were submitted before would be gone.
        self._waiting.append(("clear_buffer", (self._status, 0, SLOTS * SLOT)))

    def _wind(self) -> None:
        """Makes what launches are timed with."""
        if self._queries is None:
            self._queries = self.gpu.device.create_query_set(type="timestamp", count=2 * SLOTS)
            self._ticks, _ = self.gpu.take(16 * SLOTS, self.gpu.TIMES)

    def clocked(self, launch: Callable[[], None]) -> float | None:
        """Launches, and waits for it: seconds on the GPU; None where the adapter has no clock."""
        self.collect()  # what went before has no time stamps
        before, first = self.timed, len(self.times)
        self.timed = "timestamp-query" in self.gpu.features
        try:
            if self.timed:
                self._wind()
            launch()
            self.collect()
            return sum(seconds for _, seconds in self.times[first:]) if self.timed else None
        finally:
            self.timed = before
            if not before:
                del self.times[first:]

    def close(self) -> None:
        """Gives the buffers back."""
        if self.generation == self.gpu.generation and not self.gpu.lost:
            self.gpu.give(self._status, self.gpu.STORAGE)
            self.gpu.give(self._arguments, self.gpu.UNIFORM)
            if self._scratch is not None:
                self.gpu.give(self._scratch, self.gpu.STORAGE)
            if self._ticks is not None:
                self.gpu.give(self._ticks, self.gpu.TIMES)

    def renew(self) -> None:
        """Starts anew on the new device after a loss."""
        if self.generation != self.gpu.generation:
            self._open()

    # Recording

    def launch(self, work: Work, number: int) -> None:
        """Launches work; its faults are told with that number."""
        self._room(1)
        size = len(work.arguments)
        if work.long:
            self.submit()
        slot = len(self._launched)
        self._launched.append(Launched(work, number, caller()))
        if work.long:
            self._in_parts(self._launched[-1], slot)
            return
        self._goes_ahead(work)
        for dispatch in work.dispatches(slot):
            if self._used_arguments + size > ARGUMENT_BYTES:
                self.submit()
            self._waiting.append(dispatch)
            self._used_arguments += size
        self._touched |= work.group.buffers
        if len(self._waiting) >= _WAITING:
            self.submit()

    def replay(self, span: Span) -> None:
        """Launches the work of a span, and submits it."""
        self._room(len(span.works))
        if self._used_arguments + len(span.arguments) > ARGUMENT_BYTES:
            self.submit()
        self._waiting.append(_Replay(span, len(self._launched)))
        owner = caller()
        self._launched += [Launched(work, number, owner) for work, number in span.works]
        for work, _ in span.works:
            self._goes_ahead(work)
        self._used_arguments += len(span.arguments)
        self._touched |= span.touched
        self.submit()

    def _room(self, count: int) -> None:
        """Makes room for the statuses of launches."""
        if len(self._launched) + count > SLOTS:
            self.collect()

    def _goes_ahead(self, work: Work) -> None:
        # What nobody knows may be as long as all that is submitted ahead, but most of it is not.
        self.gpu.ahead += _AHEAD / _WAITING if work.rounds is None else work.rounds / self.gpu.pace

    def _in_parts(self, launched: Launched, slot: int) -> None:
        """Runs a long launch, each part when the one before is done, up to the last part."""
        deadline, work = self.host._deadline(), launched.work
        stop = self._stop([launched], deadline)
        count, done = -(-FEW_LANES * work.blocks // work.lanes), 0
        with self._ending():
            self.gpu.settle(stop)
            while True:
                start, done = done, min(done + count, work.blocks)
                began = time.monotonic()
                self._hand_over(list(work.dispatches(slot, start, done)), self._status_of(slot))
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

    def _status_of(self, slot: int) -> list[Command]:
        """A copy of the status of a launch to the host."""
        flight = Flight(self.gpu, SLOT)
        self.gpu.flights.append(flight)
        return [("copy_buffer_to_buffer", (self._status, slot * SLOT, flight.staging, 0, SLOT))]

    def bound(self, kernel: WgslKernel[Any]) -> tuple[tuple[Any, int, int], ...]:
        """What bindings 0 and 1 of a kernel are."""
        return (self._status, 0, 32), (self._arguments, 0, kernel.arguments_size)

    def scratch(self, size: int, blocks: int) -> tuple[tuple[Any, int, int], int]:
        """A binding of memory that may hold anything, and for how many blocks at a time it has `size` bytes each."""
        at_once, whole = scratch_of(size, blocks)
        if self._scratch is None or self._scratch.size < whole:
            if self._scratch is not None:
                self.submit()  # what waits uses the old one
                self.gpu.give(self._scratch, self.gpu.STORAGE)
                self._scratch = None
            self._scratch, _ = self.gpu.take(whole, self.gpu.STORAGE)
        return (self._scratch, 0, whole), at_once

    def add(self, command: Command) -> None:
        """A command between launches."""
        self._touched |= buffers_of(command)
        self._waiting.append(command)

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
            behind = self._status_of(len(self._launched) - 1) if self.gpu.ahead > _AHEAD and self._launched else []
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
        block, passes = bytearray(), Passes(encoder)
        for item in items:
            if isinstance(item, Dispatch):
                if self.timed and (item.starts or not passes.is_open):
                    passes.begin(**self._stamps(item.slot, item.starts))
                passes.dispatch([item.row], np.array((item.slot * SLOT, len(block)), np.uint32))
                block += item.arguments
            elif isinstance(item, _Replay):
                offsets = item.span.offsets(item.slot, len(block))
                for part in item.span.parts:
                    if not isinstance(part, slice):
                        passes.command(*part)
                    elif not self.timed:
                        passes.dispatch(item.span.rows[part], offsets[part])
                    else:
                        for row, place in zip(item.span.rows[part], offsets[part], strict=True):
                            passes.begin(**self._stamps(int(place[0]) // SLOT, True))
                            passes.dispatch([row], place)
                block += item.span.arguments
            else:
                passes.command(*item)
        passes.end()
        if block:
            self.gpu.device.queue.write_buffer(self._arguments, 0, block)

    def _stamps(self, slot: int, starts: bool) -> dict[str, Any]:
        """A later part of a launch, in another submit, keeps the time when the first began."""
        stamps = {"query_set": self._queries, "end_of_pass_write_index": 2 * slot + 1}
        if starts:
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

    def _stop(self, launched: Sequence[Launched], deadline: float | None) -> Callable[[], None]:
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
            if len(launched) == 1:
                raise launched[0].work.teller.stopped(kind, launched[0].number)
            what = f"it waited for {len(launched)} launches" if launched else "the GPU was busy with earlier launches"
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
            self._waiting = [item for item in self._waiting if not isinstance(item, (Dispatch, _Replay))]
            self._used_arguments = 0
            if launched:
                self._waiting.append(("clear_buffer", (self._status, 0, len(launched) * SLOT)))
            mine = caller()
            for work, number, owner in launched:
                if owner is not mine:
                    self._faults.setdefault(owner, work.teller.stopped(FaultKind.CANCELLED, number))
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
            behind: list[Command] = []
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
                work, place, owner = launched[number]
                if owner not in self._faults:
                    self._faults[owner] = work.teller.failed(words[number].copy(), place)
            if ticks:
                pairs = found[status : status + ticks].view(np.uint64).reshape(-1, 2)
                spans = zip(launched, pairs.tolist(), strict=True)
                self.times += [(one.work.teller.name, (end - begin) * 1e-9) for one, (begin, end) in spans]
                del pairs
            del words, found, mapped

    def _resolve(self, launched: list[Launched], staging: Any, place: int) -> None:
        """Time stamps to the staging buffer, behind the launches, which are submitted."""
        with self.gpu.guard():
            encoder = self.gpu.device.create_command_encoder()
            encoder.resolve_query_set(self._queries, 0, 2 * len(launched), self._ticks, 0)
            encoder.copy_buffer_to_buffer(self._ticks, 0, staging, place, 16 * len(launched))
            self.gpu.device.queue.submit([encoder.finish()])
