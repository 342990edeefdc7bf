"""What all devices share: handles of buffers and pools, transfers, and the way to a launch.

A device keeps memory as objects of a kind of its own, `M`; `host_device.py` has the kind that NumPy reaches. Data goes
in and out as memoryviews of bytes, so that a page needs no NumPy.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, Self

from ..errors import (
    BackendUnavailable,
    ExecutionError,
    FaultKind,
    IsaError,
    LaunchError,
)
from ..forks import in_child
from ..isa.address import Space
from ..isa.launch import ExecutionParams, LaunchConfig, checked_math
from ..isa.lift import RESONANCE_BYTES, Hidden
from ..isa.operands import BufferHandle, PoolHandle
from ..isa.program import Program
from ..isa.verify import Analysis, Base, analysis_of
from . import fault_text
from .known import Known, as_written
from .memories import M, Memories
from .prepared import InOrder, Prepared
from .protocol import AsyncTwins, Limits, stop_of_call
from .recording import WAITS, Recording, stateful
from .state import AtlasState, resonance_of

__all__ = ["CLASS_BYTES", "CLASS_MEMORY_BYTES", "Device", "too_many_collectives"]

CLASS_BYTES = 12_288
CLASS_MEMORY_BYTES = 96 * CLASS_BYTES
_KEPT_ANALYSES = 256
_KEPT_LAUNCHES = 64  # of a program, prepared


class _Together(threading.local):
    deadline: float | None = None  # of launches of a thread that are one


class Device(Memories[M], AsyncTwins):
    """A device whose calls block.

    `math` (isa.md section 3) says how floats are computed: "exact"; "fast", which lets shader compilers rewrite F32
    arithmetic; or "strict", which gives every F32 the bits that `cpu` gives, subnormals included. It matters on GPUs:
    cpu and wasm are always strict.

    Devices give `_reserve` and `_release` of memory, `_size`, `_read` and `_write`, `_class_part`, and `_launch`.
    """

    name = ""
    _prepared: type[Prepared] = Prepared
    _recorded: type[Recording[Any]] = Recording

    def __init__(self, limits: Limits | None = None, math: str = "exact") -> None:
        """Raises LaunchError for another `math`."""
        super().__init__()
        self.limits = limits or Limits()
        self.math = self._math = checked_math(math)  # the second is that of the launch that runs
        self._class_memory: M | None = None
        self.atlas = AtlasState()
        self._analyses: dict[bytes, Analysis] = {}
        self._programs_known: dict[int, Known] = {}  # by the id of the program
        self._orders: deque[InOrder] = deque(maxlen=_KEPT_ANALYSES)
        # No Event: Ctrl-C within its methods, which are Python's, leaves a lock taken that nobody gives back.
        self._cancelled = False
        self._running = False
        self._together = _Together()
        self.timeline: Any = None  # what launches are told to (runtime/timeline.py)
        self._call_stopped: threading.Event | None = None  # of the call that runs
        self._recordings: list[Recording[M]] = []  # that hold memory
        # Tells a fault in terms of the program that is being launched, with its handles and counts.
        self._as_written: Callable[[ExecutionError], ExecutionError] = lambda error: error
        in_child(self, lambda device: device.after_fork())

    def after_fork(self) -> None:
        """In the child of `os.fork`: the device goes on there with a copy of its memory, unless another thread was at
        it, which does not exist there and has left work half done."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock = _Forked(self.name)

    # Memory of a launch while it runs, or of its recording

    def _temporary(self, size: int) -> M:
        """Zeroed memory for a launch, which `_done_with` takes back."""
        memory = self._reserve(size)
        if self._recording is not None:
            self._recording.keep(memory)
            self._recording.clear(memory)
        return memory

    def _copied(self, memory: M) -> M:
        """The like, with a copy of other memory."""
        copy = self._reserve(self._size(memory))
        if self._recording is not None:
            self._recording.keep(copy)
            self._recording.copy(memory, copy)
        else:
            self._copy(memory, copy)
        return copy

    def _done_with(self, memory: M) -> None:
        if self._recording is None:
            self._release(memory)

    def _bytes(self, memory: M) -> bytes:
        """All bytes of memory."""
        self._may_wait()
        out = bytearray(self._size(memory))
        self._read(memory, 0, memoryview(out))
        return bytes(out)

    def _class_part(self, start: int, size: int) -> M:
        """A part of the class memory, as memory that shares its bytes."""
        raise NotImplementedError

    def _launch(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> None:
        """Runs a verified program with bound arguments; at least one lane is on."""
        raise NotImplementedError

    def sync(self) -> None:
        """Waits until every launch has ended, and raises the fault of one that was not reported yet."""
        with self._lock:
            self._may_wait()

    def close(self) -> None:
        """Frees all memory after a last `sync`. Handles are dead afterwards; the device itself may be used on."""
        try:
            self.sync()
        finally:
            with self._lock:
                for recording in [*self._recordings]:
                    recording.free()
                for memory in (*self._buffers.values(), *self._pools.values()):
                    self._release(memory)
                if self._class_memory is not None:
                    self._release(self._class_memory)
                self._buffers, self._pools, self._class_memory = {}, {}, None
                self._returned = []
                self.atlas = AtlasState()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _classes(self) -> M:
        if self._class_memory is None:
            self._class_memory = self._reserve(CLASS_MEMORY_BYTES)
        return self._class_memory

    def _class(self, class_id: int) -> M:
        """The memory of a class. Raises LaunchError."""
        if not 0 <= class_id < 96:
            raise LaunchError(f"class {class_id} does not exist: classes are 0 to 95")
        return self._class_part(class_id * CLASS_BYTES, CLASS_BYTES)

    def reset_class_memory(self) -> None:
        """Zeroes the memory of all classes."""
        with self._lock:
            self._write(self._class_part(0, CLASS_MEMORY_BYTES), 0, memoryview(bytes(CLASS_MEMORY_BYTES)))

    def cancel(self) -> None:
        """Ends the running launch with ExecutionError: Cancelled; does nothing if none is running."""
        self._cancelled = True

    def _deadline(self) -> float | None:
        """Until when the launch that begins may run, by the monotonic clock."""
        if self.limits.seconds is None:
            return None
        until, together = time.monotonic() + self.limits.seconds, self._together.deadline
        return until if together is None or until < together else together

    def together(self) -> AbstractContextManager[None]:
        """Makes all launches of this thread in the block one to `cancel` and to the limit of seconds."""
        return _AsOne(self)

    def _may_start(self) -> None:
        """Raises LaunchError within another launch, and the ExecutionError of launches that end, if this is one."""
        if self._running:  # in this thread: others wait for the lock
            raise LaunchError("a launch of this device is running: a signal's handler cannot launch another one on it")
        until = self._together.deadline
        if until is None:
            self._cancelled = False
        self._may_go_on()

    def _may_go_on(self) -> None:
        """Raises the ExecutionError of launches that end, if this is one."""
        until = self._together.deadline
        if self._stopped():
            raise ExecutionError(FaultKind.CANCELLED, None, "the launch was cancelled")
        if until is not None and time.monotonic() > until:
            raise ExecutionError(FaultKind.STEP_LIMIT, None, fault_text.clock(self.limits.seconds))

    def _may_wait(self) -> None:
        """Raises LaunchError while launches are recorded: what would be waited for has not run."""
        if self._recording is not None:
            raise LaunchError(WAITS)

    def _stopped(self) -> bool:
        """Whether the running launch is to end: it was cancelled, or nobody waits for it any more."""
        return self._cancelled or (self._call_stopped is not None and self._call_stopped.is_set())

    # Launches

    def execute_program(self, program: Program, config: LaunchConfig) -> None:
        self.execute_program_with_params(program, ExecutionParams(config))

    def clocked(self, launch: Callable[[], None]) -> float | None:
        """Launches, and waits for it: the seconds that a clock of the device's own counted; None where it has none."""
        launch()
        self.sync()
        return None

    def execute_program_with_params(self, program: Program, params: ExecutionParams) -> None:
        with self._lock:
            self._call_stopped = stop_of_call()
            known = self._known(program)
            if self._recording is not None:
                self._take_in(self._recording, known, params)
                return
            timeline = self.timeline
            if timeline is not None:
                self.timeline = None  # what it launches within is its own
                try:
                    timeline.launched(self, program, params, lambda: self.execute_program_with_params(program, params))
                finally:
                    self.timeline = timeline
                return
            if known.adds_resonance:
                self.sync()  # so that a fault below is this launch's
            cells = self._start(known, params)
            if cells is not None:
                self._commit(cells, params, self.copy_from_buffer)

    def prepare(
        self, program: Program, config: LaunchConfig, names: Sequence[str], fixed: Mapping[str, Any]
    ) -> Prepared:
        """Launches of a program to be made again and again (prepared.py). It lives as long as the device keeps it."""
        with self._lock:
            kept = self._known(program).prepared
            key = config, tuple(names), tuple(fixed.items())
            if key not in kept:
                if len(kept) >= _KEPT_LAUNCHES:
                    kept.clear()
                kept[key] = self._prepared(self, program, config, names, fixed)
            return kept[key]

    def prepare_all(self, launches: Sequence[tuple[Prepared, Sequence[int]]]) -> InOrder:
        """Launches in order, to be made again and again. They live as long as the device keeps them."""
        with self._lock:
            made = InOrder(self, launches)
            self._orders.append(made)
            return made

    # Recordings

    @contextmanager
    def record(self) -> Iterator[Recording[M]]:
        """Launches in the `with` are recorded, and run when the recording that this gives is replayed.

        Raises LaunchError for what would have to wait for them: reading, arrays, programs whose host goes by what lanes
        wrote. What is written in the `with` is written again in each replay; memory that is allocated is zeroed again.
        Other threads wait. After an error there is no recording.
        """
        with self._lock:
            self._may_wait()
            made = self._recording = self._recorded(self)
            try:
                yield made
                made.finish()
            except BaseException:
                self._recording = None
                made.free()
                raise
            finally:
                self._recording = None

    @property
    def records(self) -> bool:
        """Whether launches are being recorded."""
        return self._recording is not None

    def _take_in(self, recording: Recording[M], known: Known, params: ExecutionParams) -> None:
        """Records a launch, with all that is checked of one. If it raises, nothing of it is recorded."""
        name = known.program.metadata.name or "a program without a name"
        if known.adds_resonance or params.launch.promises is not None:
            raise stateful(name)
        mark = recording.mark()
        recording.begin(name)
        try:
            self._start(known, params)
        except BaseException:
            recording.rewind(mark)
            raise

    def _record(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> None:
        """Adds a launch with bound arguments to the recording. Devices whose launches have parts add these."""
        assert self._recording is not None
        math = self._math

        def launch() -> None:
            self._math = math
            self._launch(analysis, config, values)

        self._recording.add(launch)

    def _known(self, program: Program) -> Known:
        """The program with what earlier launches found out about it."""
        # It holds the program: no other one has its id. Taken out and put in again it is the one used last.
        found = self._programs_known.pop(id(program), None)
        if found is None or not found.holds(program):
            found = Known(program)
        self._programs_known[id(program)] = found
        if len(self._programs_known) > _KEPT_ANALYSES:
            self._programs_known.pop(next(iter(self._programs_known)))
        return found

    def _start(self, known: Known, params: ExecutionParams) -> BufferHandle | None:
        """Launches; gives the cells of the resonance, if the program adds to it, which `_commit` takes back."""
        self._may_start()
        self._math = checked_math(params.math or self.math)
        if not known.is_verified(self.atlas.bound):
            known.verify(self.atlas.bound, self._analysis)
        program, config = known.program, params.launch
        extra = known.extra
        cells: BufferHandle | None = None
        written: dict[Any, Any] = {}
        pools: list[PoolHandle] = []
        launched = False
        if config.promises is not None:
            config.promises.check(self.atlas.phase, config.grid.x, known.stores)
        try:
            if not extra:
                values = known.binder(params.args)
                self._as_written = known.as_written
            else:
                extra, rules = dict(extra), config.rules
                for name, hidden in extra.items():
                    if not isinstance(hidden, Hidden):
                        continue
                    if self._recording is not None:
                        raise stateful(self._recording.stage.name)
                    if hidden.kind == "resonance":
                        extra[name] = cells = self.allocate_buffer(RESONANCE_BYTES)
                        continue
                    number = extra[name] = self.atlas.number(hidden, rules, program, params.args)
                    if hidden.kind == "pool":
                        extra[name] = self.allocate_pool(number)
                        pools.append(extra[name])
                        written[name] = hidden.handle
                values = known.binder({**params.args, **extra})
                self._as_written = partial(as_written, program, known.lifted, {**extra, **written})
            if config.total_threads():
                self._running = True
                if self._recording is None:
                    self._launch(known.analysis, config, values)
                else:
                    self._recording.starts(known.analysis, config, values.values(), self._as_written)
                    self._record(known.analysis, config, values)
            launched = True
            return cells
        except ExecutionError as error:
            raise self._as_written(error) from None
        finally:
            self._running = False
            for pool in pools:
                self.free_pool(pool)
            if cells is not None and not launched:
                self.free_buffer(cells)

    def _commit(
        self, cells: BufferHandle, params: ExecutionParams, read: Callable[[BufferHandle], bytes | None]
    ) -> None:
        """Adds what a launch added to the resonance, if it succeeded. Raises its fault, or LaunchError."""
        try:
            found = read(cells)
        finally:
            self.free_buffer(cells)
        self.atlas.commit(resonance_of(found or b""), params.launch.rules)

    def _memory_of(self, analysis: Analysis, values: Mapping[str, Any]) -> dict[Base, M]:
        """The memory behind every base that the program names, but for shared memory."""
        found: dict[Base, M] = {}
        for base, param in analysis.given:
            handle = values[param.name]
            found[base] = self._pool(handle) if param.kind == "pool" else self._buffer(handle)
        for base in analysis.atlas_bases:
            if isinstance(base.name, int):
                found[base] = self._class(base.name)
            elif base.space is Space.PHI:
                found[base] = self._class_part(0, CLASS_MEMORY_BYTES)
        return found

    def _analysis(self, program: Program, lifted: Program) -> Analysis:
        """The verifier's findings on a program this device runs. Raises IsaError or CompileError.

        Problems are told of the program as it was written, with its handles and counts.
        """
        try:
            key = lifted.to_bytes()
        except IsaError:
            program.validate()
            raise
        if key not in self._analyses:
            analysis = analysis_of(key)
            if analysis.found:
                program.validate()
                lifted.validate()
            if len(self._analyses) >= _KEPT_ANALYSES:
                self._analyses.pop(next(iter(self._analyses)))
            self._analyses[key] = analysis
        return self._analyses[key]


class _AsOne:
    """`Device.together`. A generator would take three times as long, which short plans would feel."""

    __slots__ = ("_device", "_inside")

    def __init__(self, device: Device[Any]) -> None:
        self._device = device

    def __enter__(self) -> None:
        device = self._device
        self._inside = device._together.deadline is not None
        if not self._inside:
            device._cancelled = False
            device._together.deadline = math.inf if (until := device._deadline()) is None else until

    def __exit__(self, *_: object) -> None:
        if not self._inside:
            self._device._together.deadline = None


class _Forked:
    """The lock of a device that another thread was using when the process forked."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        why = "the process was forked while another thread used this device: open a new one after the fork"
        raise BackendUnavailable(self._name, why)

    def __exit__(self, *_: object) -> None: ...


def too_many_collectives(analysis: Analysis, index: int, limit: int) -> ExecutionError:
    """The fault of a loop of collectives that goes around more often than the step limit allows."""
    text = f"the host ran more than {limit} collectives: does a loop not end?"
    return ExecutionError(FaultKind.STEP_LIMIT, index, f"{text}, in {analysis.program.instructions[index]}")
