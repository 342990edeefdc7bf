"""What is known of launches of a program on memories of the same sizes, and what their faults mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from struct import pack
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...compiler.out_of_ssa import argument_starts
from ...errors import FAULT_KINDS, ArtifactError, ExecutionError, FaultKind, HologramError, LaunchError
from ...isa.launch import LaunchConfig
from ...isa.types import Type
from ...isa.verify import Analysis, Base
from ...plan.formula import Formula
from ...plan.plan import variables_of
from ...targets.wgsl import ARGUMENTS, Proven, WgslKernel
from ..compiled import Status, Words
from ..protocol import Explain, Limits
from .gpu import SLOT

__all__ = ["Chosen", "Ready", "Teller", "head_of"]

_STEP_LIMIT = 1 + FAULT_KINDS.index(FaultKind.STEP_LIMIT)


class Chosen(NamedTuple):
    """The shader that runs, how many blocks a workgroup of it does, what its argument block begins with, and how many
    rounds it may take (`Work.rounds`)."""

    code: str
    group: int
    head: bytes
    rounds: int | None


class Ready:
    """A kernel for launches of a program on memories of the same sizes. It keeps the analysis, whose id is part of its
    key; `asked` are the scalars that decide what is `chosen`, and `tail` is what argument blocks end with, which
    are whole slots."""

    def __init__(self, analysis: Analysis, kernel: WgslKernel[Formula], sizes: dict[Base, int], shared: int) -> None:
        self.analysis, self.kernel, self.sizes, self.shared = analysis, kernel, sizes, shared
        self.chosen: dict[Any, Chosen] = {}
        read = {name for fast in kernel.fast for condition in fast.conditions for name in condition.names}
        self.asked = [name for number, (name, _) in enumerate(kernel.scalars) if f"s{number}" in read]
        tail = pack(f"<{len(kernel.bases)}I", *(sizes[base] for base in kernel.bases))
        filled = 4 * ARGUMENTS["values"] + argument_starts(kernel.scalars)[-1] + len(tail)
        self.tail = tail + bytes(-(-kernel.arguments_size // SLOT) * SLOT - filled)

    def proven(
        self, config: LaunchConfig, scalars: Mapping[str, tuple[Type, int]], steps: int, rounds: int
    ) -> Proven[Formula] | None:
        """The shader that may run of those that do less. `scalars` are what is asked for, at least, by their bits. What
        leaves the range of numbers proves nothing, as in pages."""
        kernel = self.kernel
        given = [*config.grid, *config.lanes_on, steps, rounds]
        sizes = [self.sizes[base] for base in kernel.bases]
        names = variables_of(len(kernel.scalars), len(sizes))
        values = dict(zip(names[len(kernel.scalars) :], [*sizes, *given], strict=True))
        for number, (name, ty) in enumerate(kernel.scalars):
            if name in self.asked:
                values[names[number]] = int(ty.decode(scalars[name][1]))
        return next((fast for fast in kernel.fast if all(_holds(each, values) for each in fast.conditions)), None)


def _holds(condition: Formula, values: Mapping[str, int]) -> bool:
    try:
        return condition.evaluate(values) >= 0
    except LaunchError:
        return False


def head_of(config: LaunchConfig, steps: int, shared: int, patience: int) -> bytes:
    """What an argument block begins with, before the scalars."""
    words = [0] * ARGUMENTS["values"]
    for name, numbers in (
        ("grid", config.grid),
        ("lanes", config.lanes_on),
        ("end", [config.blocks]),
        ("steps", [steps]),
        ("shared_size", [shared]),
        ("canary", [1]),
        ("patience", [patience]),
    ):
        words[ARGUMENTS[name] : ARGUMENTS[name] + len(numbers)] = numbers
    return pack(f"<{len(words)}I", *words)


@dataclass(frozen=True, slots=True)
class Teller:
    """What faults of launches mean. `explain` is that of a job, `as_written` tells them in terms of the program; they
    say which launch it was `of` what, "" for nothing: by now others may have been launched."""

    ready: Ready
    config: LaunchConfig
    limits: Limits
    explain: Explain | None
    as_written: Callable[[ExecutionError], ExecutionError]
    of: str

    @property
    def name(self) -> str:
        return self.ready.analysis.program.metadata.name or "a program without a name"

    def failed(self, words: NDArray[np.uint32], number: int) -> HologramError:
        try:
            return self._told(_status(words, self.ready, self.config), number)
        except ArtifactError as lie:
            return lie

    def stopped(self, kind: FaultKind, number: int) -> ExecutionError:
        late = kind is FaultKind.STEP_LIMIT
        return self._told(Status(FaultKind.CANCELLED, None, 0, None, 0, 0, 0, 0, time_is_up=late), number)

    def _told(self, status: Status, number: int) -> ExecutionError:
        error = status.error(self.ready.analysis, self.limits, self.config.block_lanes)
        if self.explain is not None:
            error = self.explain(error)
        error = self.as_written(error)
        if self.of:
            error = error.retold(f"{error.detail} (launch {number} of {self.of}, {self.name})", error.buffer)
        return error


def _status(words: NDArray[np.uint32], ready: Ready, config: LaunchConfig) -> Status:
    kind, at, base, lane = (int(word) for word in words[:4].view(np.int32))
    offset, need, other = int(words[4:6].view(np.int64)[0]), int(words[6]), int(words[7])
    memories = [(str(each), ready.sizes[each]) for each in ready.kernel.bases]
    found = Words(kind, at, base, lane, offset, need, other)
    late = kind == _STEP_LIMIT and other == 1
    return found.status(memories, ready.shared, config.blocks * config.block_lanes, late)
