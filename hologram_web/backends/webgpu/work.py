"""Launches as a GPU gets them: work, its dispatches, and stretches of work that are submitted again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from wgpu.backends.wgpu_native import ffi, lib

from ...errors import ExecutionError, FaultKind, HologramError
from ...targets.wgsl import ARGUMENTS
from .gpu import SLOT, BindGroup, Pipeline

__all__ = [
    "ARGUMENT_BYTES",
    "FEW_LANES",
    "LIGHT",
    "SLOTS",
    "Command",
    "Dispatch",
    "DispatchRow",
    "Launched",
    "Passes",
    "Span",
    "TellsFaults",
    "Work",
    "buffers_of",
]  # fmt: skip

SLOTS = 1024  # launches whose statuses are kept
ARGUMENT_BYTES = 1 << 18  # of argument blocks of one submit
_ROW = 65_535  # the most workgroups along an axis
# Rounds of the shortest loop: 3 ns on one lane of llvmpipe, a thirtieth of that with all lanes of two processors.
LIGHT = 1 << 29  # that a launch takes at most which is not long
FEW_LANES = 1 << 11  # of a launch that is not divided, and of the first part of another

Command = tuple[str, tuple[Any, ...]]  # of an encoder: its name, and arguments
DispatchRow = tuple[Any, Any, int, int]  # of a dispatch: pipeline, group, and workgroups along two axes


def buffers_of(command: Command) -> set[int]:
    """The ids of what it reads and writes."""
    return {id(arg) for arg in command[1] if not isinstance(arg, int)}


class TellsFaults(Protocol):
    """Makes the errors of a launch by its number."""

    @property
    def name(self) -> str:
        """That of the program."""

    def failed(self, words: NDArray[np.uint32], number: int) -> HologramError:
        """That of status words."""

    def stopped(self, kind: FaultKind, number: int) -> ExecutionError:
        """That of a launch that was ended."""


@dataclass(eq=False, slots=True)
class Work:
    """What a launch does. Its `arguments` are whole slots. Of kernels with scratch memory, `at_once` blocks run at a
    time. `rounds` is what it takes at most, about, in rounds of the shortest loop; None if nobody knows. A workgroup
    does a `share` of so many blocks. More rounds than `light` are long."""

    teller: TellsFaults
    pipeline: Pipeline
    group: BindGroup
    arguments: bytes
    blocks: int
    lanes: int
    rounds: int | None
    at_once: int = 0
    share: int = 1
    light: int = LIGHT

    @property
    def long(self) -> bool:
        """Whether it may take so long that it is divided."""
        return self.lanes > FEW_LANES and (self.rounds is None or self.rounds > self.light)

    def dispatches(self, slot: int, start: int = 0, end: int | None = None) -> Iterator[Dispatch]:
        """For the blocks from `start` to `end`, by default all; the status is in that slot."""
        end = self.blocks if end is None else end
        at_once = self.at_once or end - start
        if start == 0 and at_once >= self.blocks:
            yield Dispatch(self, slot, self.arguments, self.blocks, True)
            return
        words = np.frombuffer(self.arguments, np.uint32).copy()
        for first in range(start, end, at_once):
            count = min(end - first, at_once)
            words[ARGUMENTS["end"]], words[ARGUMENTS["first"]] = first + count, first
            yield Dispatch(self, slot, words.tobytes(), count, first == 0)


@dataclass(eq=False, slots=True)
class Dispatch:
    """Work, or a part of work whose blocks do not run all at once; `starts` is the first."""

    work: Work
    slot: int
    arguments: bytes
    blocks: int
    starts: bool

    @property
    def row(self) -> DispatchRow:
        work = self.work
        groups = -(-self.blocks // work.share)
        return work.pipeline.pipeline, work.group.group, min(groups, _ROW), -(-groups // _ROW)


class Launched(NamedTuple):
    """Work that was launched, by whom, and as the how manieth: its faults are told with that number."""

    work: Work
    number: int
    owner: Any


class Span:
    """Work with the numbers that its faults are told with, and commands between, to be submitted together again and
    again. What wgpu is told is laid out once: `parts` are commands, and slices of `rows`."""

    def __init__(self, items: Sequence[tuple[Work, int] | Command]) -> None:
        self.works: list[tuple[Work, int]] = []
        self.parts: list[Command | slice] = []
        self.rows: list[DispatchRow] = []
        self.touched: set[int] = set()
        arguments, offsets = bytearray(), []
        for what, more in items:
            if isinstance(what, str):
                assert isinstance(more, tuple)
                self.parts.append((what, more))
                self.touched |= buffers_of((what, more))
                continue
            assert isinstance(more, int)
            start = len(self.rows)
            for part in what.dispatches(0):
                offsets.append((len(self.works) * SLOT, len(arguments)))
                self.rows.append(part.row)
                arguments += part.arguments
            if self.parts and isinstance(self.parts[-1], slice):
                start = self.parts.pop().start  # type: ignore[union-attr]
            self.parts.append(slice(start, len(self.rows)))
            self.works.append((what, more))
            self.touched |= what.group.buffers
        self.arguments = bytes(arguments)
        self._offsets = np.array(offsets, np.uint32).reshape(-1, 2)

    def offsets(self, slot: int, start: int) -> NDArray[np.uint32]:
        """Where the status and the arguments are of each dispatch, if those of the first are there."""
        return self._offsets + np.array((slot * SLOT, start), np.uint32)


class Passes:
    """Writes dispatches into an encoder. By wgpu's C functions, whose calls take 0.9 us where its methods take 2.5."""

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder
        self._pass: Any = None
        self._pipeline: Any = None

    def begin(self, **stamps: Any) -> None:
        """Another pass."""
        self.end()
        self._pass, self._pipeline = self.encoder.begin_compute_pass(**stamps), None

    def end(self) -> None:
        if self._pass is not None:
            self._pass.end()
            self._pass = None

    @property
    def is_open(self) -> bool:
        return self._pass is not None

    def dispatch(self, rows: Sequence[DispatchRow], offsets: NDArray[np.uint32]) -> None:
        """Dispatches with pipeline, group, and workgroups along two axes, and two offsets each."""
        if not self.is_open:
            self.begin()
        computing, place = self._pass._internal, ffi.from_buffer("uint32_t[]", offsets)
        set_group, dispatch = lib.wgpuComputePassEncoderSetBindGroup, lib.wgpuComputePassEncoderDispatchWorkgroups
        known = self._pipeline
        for number, (pipeline, group, x, y) in enumerate(rows):
            if pipeline is not known:
                known = pipeline
                lib.wgpuComputePassEncoderSetPipeline(computing, pipeline._internal)
            set_group(computing, 0, group._internal, 2, place + 2 * number)
            dispatch(computing, x, y, 1)
        self._pipeline = known

    def command(self, name: str, args: tuple[Any, ...]) -> None:
        """A command between passes."""
        self.end()
        getattr(self.encoder, name)(*args)
