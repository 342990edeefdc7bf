"""Launches that are recorded on a device, to be done again and again with one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

from ..errors import ExecutionError, InvalidBuffer, LaunchError
from ..isa.operands import BufferHandle, PoolHandle
from .protocol import stop_of_call

if TYPE_CHECKING:
    from ..isa.launch import LaunchConfig
    from ..isa.verify import Analysis
    from .device import Device

__all__ = ["ARRAYS", "WAITS", "Recording", "Stage", "stateful"]

ARRAYS = "a recording takes Buffers, which it reads and writes in place: give them instead of arrays"
WAITS = "a recording is being made: nothing of it has run, so nothing can be read or waited for before it is replayed"

M = TypeVar("M")


def stateful(name: str) -> LaunchError:
    """That of a program that is not the same each time it runs."""
    return LaunchError(f"{name} goes by the state of the Atlas when it runs: it cannot be recorded")


class Stage(NamedTuple):
    """A launch of a recording, the `number`th: its program, and its faults in terms of that."""

    number: int
    name: str
    as_written: Callable[[ExecutionError], ExecutionError]

    @property
    def place(self) -> str:
        return f"launch {self.number} of a recording"

    def told(self, fault: ExecutionError) -> ExecutionError:
        error = self.as_written(fault)
        return error.retold(f"{error.detail} ({self.place}, {self.name})", error.buffer)


class Recording(Generic[M]):
    """Launches in order, done with one call as often as one likes. `Executor.record` makes it.

    Everything is checked and bound when it is recorded; a replay takes the elements that the Buffers have then. `len`
    is the number of launches. It is freed with `free`, or at the end of a `with`.
    """

    def __init__(self, device: Device[M]) -> None:
        self.device = device
        self.stage = Stage(0, "", lambda fault: fault)  # the launch that is being recorded
        self._does: list[tuple[Stage, Any]] = []
        self._uses: dict[BufferHandle | PoolHandle, M | None] = {}
        self._own: list[M] = []  # memory that nobody else has
        self._hidden: dict[BufferHandle | PoolHandle, M] = {}  # of it, by handles that are nobody else's any more
        self._made: set[BufferHandle | PoolHandle] = set()  # while it was recorded
        self._classes: M | None = None  # the class memory, if a launch uses it
        self._limits = device.limits
        self._open, self._freed = True, False
        self.before: Callable[[], None] | None = None  # what is to be done before each replay

    def __len__(self) -> int:
        return self.stage.number

    # Recording, by the device

    def begin(self, name: str) -> None:
        """The next launch, of a program of that name."""
        self.stage = Stage(len(self) + 1, name, lambda fault: fault)

    def starts(
        self,
        analysis: Analysis,
        config: LaunchConfig,
        values: Iterable[Any],
        as_written: Callable[[ExecutionError], ExecutionError],
    ) -> None:
        """Its arguments are bound: buffers and pools among the values have to be there when it is replayed.

        Raises LaunchError if its host would have to wait for lanes.
        """
        self.stage = self.stage._replace(as_written=as_written)
        if analysis.has_collectives:
            from .hosted import waits

            if waits(self.device, analysis, config):
                what = "reads what lanes wrote before it knows what to launch"
                raise LaunchError(f"{self.stage.name} {what}: it cannot be recorded")
        if analysis.atlas_bases:
            self._classes = self.device._classes()
        for handle in values:
            if isinstance(handle, (BufferHandle, PoolHandle)):
                self._uses[handle] = self._held(handle).get(handle)

    def _held(self, handle: BufferHandle | PoolHandle) -> dict[Any, Any]:
        return self.device._pools if isinstance(handle, PoolHandle) else self.device._buffers

    def add(self, do: Any) -> None:
        """What a replay does next: something to call, if the device has nothing else."""
        self._does.append((self.stage, do))

    def clear(self, memory: M) -> None:
        """Fills memory with zeros."""
        self.add(partial(self.device._clear, memory))

    def copy(self, source: M, target: M) -> None:
        """Copies the bytes of one memory to another one of the same size."""
        self.add(partial(self.device._copy, source, target))

    def write(self, memory: M, raw: memoryview) -> None:
        """Writes these bytes, which are kept on the device."""
        source = self.device._reserve(raw.nbytes)
        self.keep(source)
        self.device._write(source, 0, raw)
        self.copy(source, memory)

    def keep(self, memory: M) -> None:
        """Memory that is given back when the recording is freed."""
        self._own.append(memory)

    def made(self, handle: BufferHandle | PoolHandle) -> None:
        """Memory that was allocated while it was recorded."""
        self._made.add(handle)

    def takes(self, handle: BufferHandle | PoolHandle, memory: M) -> bool:
        """Whether memory that is freed while it is recorded is the recording's from now on: what was allocated then."""
        if handle not in self._made:
            return False
        if self._uses.pop(handle, None) is not None:
            self._hidden[handle] = memory
        self.keep(memory)
        return True

    def mark(self) -> Any:
        """What `rewind` goes back to: a launch that cannot be recorded leaves nothing behind."""
        return self.stage, len(self._does), set(self._uses)

    def rewind(self, mark: Any) -> None:
        self.stage, count, uses = mark
        del self._does[count:]
        for handle in self._uses.keys() - uses:
            del self._uses[handle]

    def finish(self) -> None:
        """It is whole."""
        self._open = False
        self.device._recordings.append(self)

    # Replaying

    def replay(self) -> None:
        """Does the launches. Raises the first fault as the device does, at once or with what is read next;
        InvalidBuffer if a Buffer that it uses was freed; LaunchError if it was freed itself.

        To `cancel` and to the limit of seconds it is one launch. Limits are those of when it was recorded.
        """
        device = self.device
        if self.before is not None:
            self.before()
        with device._lock:
            if self._open or self._freed:
                what = "it was freed" if self._freed else "it is still being made"
                raise LaunchError(f"the recording cannot be replayed: {what}")
            if device._recording is not None:
                raise LaunchError("a recording is replayed by itself, not recorded into another one")
            for handle, memory in self._uses.items():
                if memory is None or self._held(handle).get(handle) is not memory:
                    raise InvalidBuffer(f"the recording uses {handle!r}, which was freed")
            if self._classes is not None and device._class_memory is not self._classes:
                raise InvalidBuffer("the recording uses the class memory that was there before the device was closed")
            limits, device.limits = device.limits, self._limits
            try:
                with device.together():
                    device._call_stopped = stop_of_call()
                    device._may_start()
                    device._running = True
                    self._go()
            finally:
                device._running, device.limits = False, limits

    def _go(self) -> None:
        for handle, memory in self._hidden.items():
            self._held(handle)[handle] = memory
        try:
            for stage, do in self._does:
                try:
                    do()
                except ExecutionError as fault:
                    raise stage.told(fault) from None
        finally:
            for handle in self._hidden:
                del self._held(handle)[handle]

    def free(self) -> None:
        """Gives its memory back."""
        with self.device._lock:
            self._freed = True
            if self in self.device._recordings:
                self.device._recordings.remove(self)
            self._does.clear()
            self._uses.clear()
            self._hidden.clear()
            own, self._own = self._own, []
            for memory in own:
                self.device._release(memory)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()

    def __repr__(self) -> str:
        return f"<Recording of {len(self)} launches on {self.device.name}>"
