"""What devices share that compile programs: the way from region to region, collectives, and what status words mean."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from ..errors import FAULT_KINDS, ArtifactError, ExecutionError, FaultKind
from ..isa.cfg import END
from ..isa.launch import LaunchConfig
from ..isa.types import Type
from ..isa.verify import Analysis, Base
from . import fault_text
from .device import Device
from .protocol import Explain, Limits

__all__ = ["CompiledDevice", "Job", "Status", "Words"]

M = TypeVar("M")


class Words(NamedTuple):
    """The status words as a kernel left them; `at`, `base` and `lane` are -1 where there is none."""

    kind: int
    at: int
    base: int
    lane: int
    offset: int
    need: int
    other: int

    def status(self, memories: Sequence[tuple[str, int]], shared: int, lanes: int, time_is_up: bool = False) -> Status:
        """What they tell, of a launch of that many lanes whose memories have these names and sizes. Raises
        ArtifactError for what no kernel leaves there: its code is not what was compiled."""
        kinds = FAULT_KINDS
        places = [*memories, ("shared memory", shared), ("local memory", self.other)]
        known = 0 < self.kind < len(kinds) and self.at >= -1 and -1 <= self.base < len(places)
        if not known or not -1 <= self.lane < lanes or self.need < 0:
            raise self.lie()
        kind = kinds[self.kind - 1]
        if kind is FaultKind.DIVERGENT_BARRIER and not 0 <= self.offset < lanes:  # the lane that waits elsewhere
            raise self.lie()
        name, size = places[self.base] if self.base >= 0 else (None, shared)
        at = None if self.at < 0 else self.at
        return Status(kind, at, self.lane, name, size, self.offset, self.need, self.other, time_is_up, self)

    def lie(self) -> ArtifactError:
        told = ", ".join(f"{name} {value}" for name, value in self._asdict().items())
        return ArtifactError(f"a kernel reports a fault that there is not ({told}): its code is damaged or hostile")


@dataclass(frozen=True)
class Status:
    """What the status words of a kernel tell of a fault: `base` and `size` are the memory's name and bytes.

    `other` is a number of `fault_text.NOTES` or, at a divergent barrier, the other instruction; its lane is `offset`.
    """

    kind: FaultKind
    at: int | None
    lane: int
    base: str | None
    size: int
    offset: int
    need: int
    other: int
    time_is_up: bool = False
    words: Words | None = None

    def _possible(self, instructions: Sequence[Any]) -> bool:
        """Whether a kernel of these instructions can report it."""
        if self.at is not None and self.at >= len(instructions):
            return False
        instruction = None if self.at is None else instructions[self.at]
        typed = self.base is not None and isinstance(getattr(instruction, "ty", None), Type)
        match self.kind:
            case FaultKind.CANCELLED | FaultKind.STEP_LIMIT:
                return True
            case FaultKind.DIVERGENT_BARRIER:
                return self.at is not None and 0 <= self.other < len(instructions)
            case FaultKind.MISALIGNED_ACCESS:
                return typed
            case FaultKind.OUT_OF_BOUNDS if instruction is not None and instruction.name == "CHK":
                return True
        if self.need:
            return typed
        return 0 <= self.other < len(fault_text.NOTES)

    def error(self, analysis: Analysis, limits: Limits, block_lanes: int) -> ExecutionError:
        """The error to raise. Raises ArtifactError where no kernel of the program can report it."""
        instructions = analysis.program.instructions
        if self.words is not None and not self._possible(instructions):
            raise self.words.lie()
        at, kind, lane = self.at, self.kind, self.lane
        text = "" if at is None else f", in {instructions[at]}"
        match kind:
            case FaultKind.CANCELLED:
                if not self.time_is_up:
                    return ExecutionError(kind, at, f"the launch was cancelled{text}")
                return ExecutionError(FaultKind.STEP_LIMIT, at, fault_text.clock(limits.seconds) + text)
            case FaultKind.DIVERGENT_BARRIER:
                assert at is not None
                first, second = sorted([(at, lane), (self.other, self.offset)])
                detail = fault_text.divergent(lane // block_lanes, first[::-1], second[::-1])
                return ExecutionError(kind, first[0], f"{detail}, in {instructions[first[0]]}", lane=first[1])
            case FaultKind.DIVISION_BY_ZERO:
                detail = fault_text.note(self.other, self.offset) if self.other else fault_text.DIVISOR
            case FaultKind.STEP_LIMIT if self.time_is_up:
                detail = fault_text.clock(limits.seconds)
            case FaultKind.STEP_LIMIT:
                detail = fault_text.steps(limits.steps) if at is not None else fault_text.ADAPTER_LOOPS
            case FaultKind.MISALIGNED_ACCESS:
                assert at is not None
                detail = fault_text.misaligned(instructions[at].ty, self.offset, str(self.base))
            case _ if at is not None and instructions[at].name == "CHK":
                check = instructions[at]
                detail = fault_text.off_axis(self.offset, self.need + (self.other << 32), check.array, check.axis)
            case _ if self.need:
                assert at is not None
                element = instructions[at].ty.size_bytes
                detail = fault_text.outside(self.need, self.offset, str(self.base), self.size, element)
            case _:
                detail = fault_text.note(self.other, self.offset)
        offset = None if self.base is None else self.offset
        return ExecutionError(kind, at, detail + text, lane=lane, buffer=self.base, offset=offset)


@dataclass(slots=True)
class Job(Generic[M]):
    """A lane region to run. `uniform` names arguments for registers that the host computed, whose values are in
    `scalars`; `deadline` is on the monotonic clock; `explain` says what a fault means to the program it came from;
    `math` is how floats are computed on GPUs."""

    analysis: Analysis
    point: int
    config: LaunchConfig
    memory: dict[Base, M]
    scalars: Mapping[str, tuple[Type, int]]
    uniform: dict[Any, str]
    deadline: float | None
    explain: Explain | None
    math: str


class CompiledDevice(Device[M]):
    """A device that runs compiled lane regions. Devices give `_run`, `_whole` and `_copy`."""

    parallel = False  # whether collectives are made of many lanes, or of few that do much
    meets: Any = None  # what makes launches that meet those of other devices (hologram_web_tools/several.py)
    here = "processor"  # what plans run on that run here only, or "gpu"

    def _run(self, job: Job[M]) -> None:
        """Runs a lane region; faults go through `job.explain`."""
        raise NotImplementedError

    def run(self, job: Job[M]) -> None:
        """Runs a lane region, or records it."""
        if self._recording is None:
            self._run(job)
        else:
            self._recording.add(self._again(job))

    def _again(self, job: Job[M]) -> Any:
        """What a recording has of a lane region: something to call, if its device has nothing else."""
        return lambda: self._run(replace(job, deadline=self._deadline()))

    def _whole(self, memory: M) -> tuple[M, int]:
        """The memory that a part belongs to, and where in it the part starts. Two parts share bytes only if the
        first of these is the same object."""
        raise NotImplementedError

    def _launch(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> None:
        scalars = {p.name: (p.ty, values[p.name]) for p in analysis.program.params if p.kind == "scalar" and p.ty}
        memory = self._memory_of(analysis, values)
        deadline = self._deadline()
        if analysis.has_collectives:
            from .hosted import HostedLaunch

            (self.meets or HostedLaunch)(self, analysis, config, scalars, memory, deadline).whole()
        elif analysis.graph.entry != END:
            self.run(Job(analysis, analysis.graph.entry, config, memory, scalars, {}, deadline, None, self._math))

    def _record(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> None:
        self._launch(analysis, config, values)  # whose lane regions are recorded

    def _check_time(self, analysis: Analysis, at: int, deadline: float | None) -> None:
        """Between launches: whether to go on; `at` is the instruction that comes."""
        late = deadline is not None and time.monotonic() > deadline
        if late or self._stopped():
            status = Status(FaultKind.CANCELLED, at, 0, None, 0, 0, 0, 0, time_is_up=late)
            raise status.error(analysis, self.limits, 1)
