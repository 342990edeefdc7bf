"""Donated arguments of functions of arrays: what may be written into their memory, and what they are afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InvalidBuffer, LaunchError
from ..isa.operands import BufferHandle
from ..plan.plan import Copy, ProgramCall, Read, Step, Target, every
from ..runtime.executor import Buffer, Executor
from .lines import users_line

__all__ = ["Donation", "Memory", "reusable"]


class Memory(NamedTuple):
    """What a result or an argument takes: the bytes of all its elements, and of one."""

    size: Any
    width: int


def reusable(
    steps: Sequence[Step],
    results: Mapping[str, Memory],
    arguments: Mapping[str, Memory],
    aligned: set[tuple[str, str]],
) -> dict[str, list[str]]:
    """Of each result the arguments into whose memory it may be written: those that no step reads any more when it is
    begun, or only the one step that writes it, if that reads of each element's place before it writes there. These are
    the pairs in `aligned`. Devices allow one buffer for several parameters."""
    touched = list(_touched(steps))
    found: dict[str, list[str]] = {}
    for result, memory in results.items():
        first = next((number for number, names in enumerate(touched) if result in names), -1)
        for argument, other in arguments.items():
            last = max((number for number, names in enumerate(touched) if argument in names), default=-1)
            alike = last == first and (result, argument) in aligned and memory.width == other.width
            if last < first or alike:
                found.setdefault(result, []).append(argument)
    return found


def _touched(steps: Sequence[Step]) -> Iterator[set[str]]:
    """The buffers of each step, one after the other."""
    for step in steps:
        if isinstance(step, Target):
            yield from _touched(step.body)
            continue
        names: set[str] = set()
        for each in every((step,)):
            if isinstance(each, ProgramCall):
                names |= {arg.value for arg in each.args if arg.kind == "buffer"}
            elif isinstance(each, Read):
                names.add(each.buffer)
            elif isinstance(each, Copy):
                names |= {each.target, each.source}
        yield names


class Donated(Buffer):
    """A Buffer whose memory a call took. `taken` says which."""

    taken: str

    @property
    def handle(self) -> BufferHandle:  # type: ignore[override]
        raise InvalidBuffer(
            f"an array of shape {self.shape} and {self.dtype} was donated to {self.taken}, which may have written into "
            "its memory: use what the call gave, or leave it out of donate=(...)"
        )

    def free(self) -> None:
        """It is no longer its own to give back."""


class Donation:
    """The arguments that one call takes: their Buffers by the number of the leaf."""

    def __init__(
        self,
        name: str,
        names: Sequence[str],
        buffers: Mapping[int, Buffer],
        others: Sequence[Buffer],
        executor: Executor,
    ) -> None:
        """`others` are what the call reads besides. Raises LaunchError for what cannot be given away."""
        if getattr(executor.device, "records", False):
            raise LaunchError(f"{name} is recorded here, to run again with the same arrays: it cannot be given them")
        seen = {id(buffer) for buffer in others}
        for number, buffer in buffers.items():
            if id(buffer) in seen:
                told = f"{names[number]} is donated to {name}, and is another argument, too, or is captured by it"
                raise LaunchError(f"{told}: give a copy, or leave it out of donate=(...)")
            seen.add(id(buffer))
        self.name, self.names, self.executor = name, names, executor
        for buffer in buffers.values():
            buffer.changes()  # what waits for its elements is computed
        self.handles = {number: self._take(number, buffer) for number, buffer in buffers.items()}
        executor.donations["donated"] += len(buffers)

    def _take(self, number: int, buffer: Buffer) -> BufferHandle:
        handle = self.executor.take(buffer)
        self.executor.device.atlas.forget(handle)  # no class means it any more
        file, line = users_line()
        where = f" at {file}:{line}" if file else ""
        del buffer.__dict__["handle"]
        buffer.__class__ = Donated
        buffer.taken = f"{self.name} as {self.names[number]}{where}"  # type: ignore[attr-defined]
        return handle

    def reused(self, number: int, shape: tuple[int, ...], dtype: Any) -> Buffer:
        """A result in the memory of an argument."""
        self.executor.donations["reused"] += 1
        return self.executor.result(shape, dtype, handle=self.handles.pop(number))

    def kept(self, numbers: Iterable[int], leaves: Sequence[Any]) -> Iterator[tuple[int, Buffer]]:
        """Arguments that are results as they are."""
        for number in numbers:
            yield number, self.reused(number, leaves[number].shape, leaves[number].dtype)

    def end(self) -> None:
        """Gives back what no result lies in: devices let launches that read it end before."""
        for handle in self.handles.values():
            self.executor.device.free_buffer(handle)
        self.handles.clear()
