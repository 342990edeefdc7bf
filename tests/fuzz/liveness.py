"""How much of a program counts: operations whose result can reach memory, an atomic, or a branch that decides one.

An operation is *live* if it stores, is an atomic, a collective, a barrier or a fence; if a live operation reads, on
some path, what it writes; or if it branches, and whether a live operation runs depends on the way it takes. That is
found on the flow graph with its calls expanded, going backward; an instruction counts once, however often it runs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hologram_web.isa import Instruction, MemoryScope, Register
from hologram_web.isa.cfg import END
from hologram_web.isa.row import Effect
from hologram_web.isa.verify import Analysis

from .plan import Profile, collective_combinations, combinations, key_of

__all__ = ["Statistics", "live_instructions"]

_ROOTS = frozenset({Effect.STORE, Effect.ATOMIC, Effect.BARRIER, Effect.FENCE, Effect.COLLECTIVE})
_FENCES = tuple(f"mem_fence.{scope.value}" for scope in MemoryScope)
_OTHER = ("lea", "bra", "call", "ret", "exit", "loop", "bar_sync", *_FENCES)  # besides the combinations


def _bit(value: Any) -> int:
    return 1 << (value.index if isinstance(value, Register) else 256 + value.index)


def _masks(instruction: Instruction) -> tuple[int, int, bool]:
    """Registers read, registers written, and whether it counts by itself."""
    reads = writes = 0
    for _, value in instruction.reads():
        reads |= _bit(value)
    for _, value in instruction.writes():
        writes |= _bit(value)
    row = instruction.row
    return reads, writes, row.effect in _ROOTS or (row.effect is Effect.STATE and not row.defs)


def live_instructions(analysis: Analysis) -> set[int]:
    """The indices of the instructions that are live."""
    graph = analysis.graph
    if graph.entry == END:
        return set()
    masks = [_masks(instruction) for instruction in analysis.program.instructions]
    blocks = graph.blocks
    reached = _reached(analysis)
    influence = {number: graph.influence(number) for number in reached if len(set(graph.block_successors[number])) > 1}
    deciders: set[int] = set()  # blocks whose branch is live
    while True:
        live = _live_points(analysis, masks, reached, deciders)
        alive = {number for number in reached if any(point in live for point in blocks[number])}
        found = {number for number, others in influence.items() if others & alive}
        if found == deciders:
            break
        deciders = found
    # Calls and returns that live code goes through.
    for number in alive | deciders:
        for point in blocks[number]:
            if graph.instruction(point).name in ("CALL", "RET"):
                live.add(point)
    indices = {graph.code[point] for point in live}
    return indices | _jumps(analysis, reached, alive)


def _reached(analysis: Analysis) -> list[int]:
    graph = analysis.graph
    seen = {graph.block_of[graph.entry]}
    work = list(seen)
    while work:
        for way in graph.block_successors[work.pop()]:
            if way != END and way not in seen:
                seen.add(way)
                work.append(way)
    return sorted(seen)


def _live_points(
    analysis: Analysis, masks: list[tuple[int, int, bool]], reached: list[int], deciders: set[int]
) -> set[int]:
    """Points that are live if the branches at the end of the blocks `deciders` are."""
    graph = analysis.graph
    after = dict.fromkeys(reached, 0)  # registers whose value counts at the end of a block
    before = dict.fromkeys(reached, -1)
    live: set[int] = set()
    changed = True
    while changed:
        changed = False
        for number in reversed(reached):
            wanted = 0
            for way in graph.block_successors[number]:
                if way != END:
                    wanted |= max(before[way], 0)
            if wanted == after[number] and before[number] >= 0:
                continue
            changed, after[number] = True, wanted
            block = graph.blocks[number]
            for point in reversed(block):
                reads, writes, root = masks[graph.code[point]]
                if root or wanted & writes or (number in deciders and point == block[-1]):
                    live.add(point)
                    wanted = wanted & ~writes | reads
            before[number] = wanted
    return live


def _jumps(analysis: Analysis, reached: list[int], alive: set[int]) -> set[int]:
    """BRA without a predicate and EXIT, in blocks before live ones: they say where lanes go on."""
    graph = analysis.graph
    found = set()
    for number in reached:
        last = graph.blocks[number][-1]
        instruction = graph.instruction(last)
        if instruction.name == "EXIT" or (instruction.name == "BRA" and instruction.pred is None):
            found.add(graph.code[last])
    return found if alive else set()


@dataclass
class Statistics:
    """What a run of the fuzzer has covered; sums of several runs are made with `add`."""

    programs: int = 0
    with_loops: int = 0
    operations: list[int] = field(default_factory=list)  # live ones, per program
    live: Counter[str] = field(default_factory=Counter)  # by combination
    operations_of_maps: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)

    def count(self, analysis: Analysis, features: tuple[str, ...]) -> None:
        live = live_instructions(analysis)
        program = analysis.program
        moved = {analysis.graph.code[point]: ty for point, ty in analysis.types.items()}
        self.programs += 1
        self.with_loops += "loop" in features
        self.operations.append(len(live))
        self.features.update(features)
        for index in live:
            instruction = program.instructions[index]
            self.live[key_of(instruction, moved.get(index))] += 1
            if instruction.row.collective and instruction.name != "GEMM":
                operation = instruction.operation.value
                self.operations_of_maps[f"{instruction.row.mnemonic}.{operation}.{instruction.ty}"] += 1

    def add(self, other: Statistics) -> None:
        self.programs += other.programs
        self.with_loops += other.with_loops
        self.operations += other.operations
        self.live += other.live
        self.operations_of_maps += other.operations_of_maps
        self.features += other.features

    @property
    def median(self) -> int:
        return sorted(self.operations)[len(self.operations) // 2] if self.operations else 0

    @property
    def loop_share(self) -> float:
        return self.with_loops / self.programs if self.programs else 0.0

    def wanted(self, profile: Profile) -> dict[str, int]:
        """How often each combination was live that the profile can make."""
        keys = [c.key for c in (*combinations(profile), *collective_combinations(profile))]
        return {key: self.live[key] for key in (*keys, *_OTHER)}

    def to_json(self) -> dict[str, Any]:
        return {
            "programs": self.programs,
            "with_loops": self.with_loops,
            "operations": self.operations,
            "live": dict(sorted(self.live.items())),
            "operations_of_maps": dict(sorted(self.operations_of_maps.items())),
            "features": dict(sorted(self.features.items())),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Statistics:
        """What `to_json` made of one; further keys are left out."""
        counters = (Counter(data[name]) for name in ("live", "operations_of_maps", "features"))
        return cls(data["programs"], data["with_loops"], data["operations"], *counters)
