"""CpuBackend: device zero. It checks everything and is the reference for every other device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hologram_web.backends.device import too_many_collectives
from hologram_web.backends.host_device import HostDevice
from hologram_web.backends.protocol import Limits
from hologram_web.errors import AllocationFailed, FaultKind
from hologram_web.isa.cfg import END
from hologram_web.isa.launch import LaunchConfig
from hologram_web.isa.operands import BufferHandle, Register
from hologram_web.isa.verify import Analysis, Base

from .collective_runner import CollectiveOps
from .machine import Machine, Registers, Run
from .memory import MemoryRegion
from .races import RaceChecker

__all__ = ["CpuBackend", "at_once"]

# Lanes that run at once. NumPy's overhead per instruction is spread over them; more than 2**15 spill the L2 cache.
_LANES_AT_ONCE = 1 << 15
# Shared memory of the blocks that run at once, in bytes.
_SHARED_AT_ONCE = 1 << 26
# NumPy reserves address space without memory behind it; a buffer beyond this is refused at once.
_LARGEST = 1 << 36


class CpuBackend(HostDevice):
    """Runs programs with NumPy, slowly and exactly.

    `lane_order` is "ascending" or "descending": the order in which lanes are scheduled, store and do atomics, which
    no correct program can see. `check_races` looks for data races and raises ExecutionError: DataRace;
    `check_shared` for loads of shared memory that no lane of the block wrote: Uninitialized.
    """

    name = "cpu"
    meets: Any = None  # of a mesh that runs, and which device of it this is (several.py)
    keeps_buffers = False  # each launch has memory of its own

    def __init__(
        self,
        *,
        lane_order: str = "ascending",
        check_races: bool = False,
        check_shared: bool = False,
        limits: Limits | None = None,
        math: str = "exact",
    ) -> None:
        if lane_order not in ("ascending", "descending"):
            raise ValueError(f"lane_order is 'ascending' or 'descending', not {lane_order!r}")
        super().__init__(limits, math)
        self._descending = lane_order == "descending"
        self._check_races, self._check_shared = check_races, check_shared

    @property
    def native(self) -> dict[BufferHandle, NDArray[np.uint8]]:
        """The buffers as arrays, by handle: writing to one writes the buffer."""
        return self._buffers

    def _reserve(self, size: int) -> NDArray[np.uint8]:
        try:
            if size > _LARGEST:
                raise MemoryError
            return np.zeros(size, np.uint8)
        except MemoryError:
            raise AllocationFailed(f"{size} bytes cannot be had: free other buffers or work in parts") from None

    def _release(self, memory: NDArray[np.uint8]) -> None:
        """NumPy frees it when the last view is gone."""

    def _launch(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> None:
        run = Run(
            analysis,
            config,
            self._regions(analysis, values),
            {p.name: (p.ty, values[p.name]) for p in analysis.program.params if p.kind == "scalar" and p.ty},
            self.limits,
            self._deadline(),
            self._stopped,
            self._descending,
            None,
            self._check_shared,
            self.meets,
        )
        self._run(run)

    def _run(self, run: Run) -> None:
        with np.errstate(all="ignore"):
            for machine in self._machines(run):
                machine.go()

    def _machines(self, run: Run) -> Iterator[Machine]:
        """Lane regions in parts, each to be run before the next one is asked for; the collectives between them."""
        graph = run.analysis.graph
        point: int | None = graph.entry
        kept: Registers = {}
        rounds = 0
        while point is not None and point != END:
            if self._check_races:
                run.races = RaceChecker()
            collective: int | None = None
            after: Registers = {}
            for blocks in self._parts(run):
                machine = Machine(run, blocks.start, len(blocks), point, kept)
                yield machine
                if blocks.start == 0:  # lane 0 always runs; the verifier saw to it that what is read later is the same
                    collective = machine.arrived
                    after = {key: machine.registers[key][:1].copy() for key in machine.written}
            if run.races is not None:
                _report_race(run, run.races)
            if collective is None:
                return
            run.look_up(graph.code[collective])
            rounds += 1
            if rounds > self.limits.steps:
                raise too_many_collectives(run.analysis, graph.code[collective], self.limits.steps)
            kept = after
            _run_collective(run, collective, kept)
            point = graph.next[collective]

    def _parts(self, run: Run) -> Iterable[range]:
        """The blocks of a launch, in parts that run at once."""
        return at_once(run, range(run.config.blocks))

    def _regions(self, analysis: Analysis, values: Mapping[str, Any]) -> dict[Base, MemoryRegion]:
        memory = self._memory_of(analysis, values)
        return {base: MemoryRegion(str(base), data, data.size) for base, data in memory.items()}


def at_once(run: Run, blocks: range) -> Iterator[range]:
    """Blocks in parts that run at once."""
    shared = run.analysis.program.shared_memory + run.config.shared_memory
    own = shared + run.analysis.program.local_memory * run.config.block_lanes
    most = max(1, min(_LANES_AT_ONCE // run.config.block_lanes, _SHARED_AT_ONCE // max(own, 1)))
    starts = range(blocks.start, blocks.stop, most)
    return (range(start, min(start + most, blocks.stop)) for start in (reversed(starts) if run.descending else starts))


def _run_collective(run: Run, point: int, kept: Registers) -> None:
    result = CollectiveOps(run, point, kept).execute()
    instruction = run.analysis.graph.instruction(point)
    for operand, value in instruction.writes():
        ty = instruction.type_of(operand)
        assert isinstance(value, Register)
        assert ty is not None
        kept[value.index, ty] = result


def _report_race(run: Run, races: RaceChecker) -> None:
    stride = -(-(run.analysis.program.shared_memory + run.config.shared_memory) // 16) * 16
    race = races.find(lambda region, absolute: absolute % stride if region == "shared memory" else absolute)
    if race is not None:
        program = run.analysis.program
        first, second = (
            f"lane {lane} {'writes' if writes else 'reads'} it at instruction {index} ({program.instructions[index]})"
            for lane, index, writes in zip(race.lanes, race.instructions, race.writes, strict=True)
        )
        error = run.fault(
            FaultKind.DATA_RACE,
            None,
            f"byte {race.offset} of {race.region}: {first} and {second}, with no barrier or atomic between them",
            lane=race.lanes[0],
            buffer=race.region,
            offset=race.offset,
        )
        first_place, second_place = zip(race.instructions, race.lanes, strict=True)
        error.places = first_place, second_place
        raise error
