"""What passes over programs ask (`Facts`), and how they say what they change (`Edits`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from hologram_web.isa.cfg import END, FlowGraph
from hologram_web.isa.hostflow import host_known
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.operands import Predicate, Register
from hologram_web.isa.program import Program, ProgramMetadata
from hologram_web.isa.verify import Analysis, verified

if TYPE_CHECKING:
    from .constants import Constants

__all__ = ["Edits", "Facts", "key_of"]

_PREDICATE = 256


def key_of(value: Register | Predicate) -> int:
    """The number of a register, or 256 and that of a predicate."""
    return value.index if isinstance(value, Register) else _PREDICATE + value.index


class Facts:
    """A program and what is known of it. Raises IsaError for one that is not valid.

    `fast` says that floats may be rounded once where two roundings are written.
    """

    def __init__(self, program: Program, fast: bool = False) -> None:
        self.program, self.fast = program, fast
        self.analysis: Analysis = verified(program)
        self.graph: FlowGraph = self.analysis.graph

    @cached_property
    def constants(self) -> Constants:
        from .constants import Constants

        return Constants(self)

    @cached_property
    def points(self) -> dict[int, list[int]]:
        """The points of each instruction that is reached."""
        found: dict[int, list[int]] = {}
        for point, index in enumerate(self.graph.code):
            found.setdefault(index, []).append(point)
        return found

    @cached_property
    def written(self) -> frozenset[int]:
        """What the program writes anywhere."""
        return frozenset(key_of(v) for i in self.program.instructions for _, v in i.writes())

    @cached_property
    def masks(self) -> list[tuple[int, int]]:
        """What each instruction reads and writes, as bit sets of keys."""
        return [
            (_mask(value for _, value in i.reads()), _mask(value for _, value in i.writes()))
            for i in self.program.instructions
        ]

    @cached_property
    def live_after(self) -> list[int]:
        """For each point what is read later, before it is written, as a bit set of keys."""
        return live(self, set(self.points))

    def spares(self, point: int, better: Instruction) -> bool:
        """Whether something that the instruction at a point reads is of no more use if it is replaced."""
        reads, writes = self.masks[self.graph.code[point]]
        needed = _mask(value for _, value in better.reads())
        return bool(reads & ~needed & (~self.live_after[point] | writes))

    @cached_property
    def hosts(self) -> dict[int, int]:
        """By point, what the host can compute; empty without collectives, which need it."""
        if not any(i.row.collective for i in self.program.instructions):
            return {}
        return {point: known.host for point, known in host_known(self.graph).items()}

    def hosted(self, point: int, better: Instruction | None) -> Instruction | None:
        """`better`, or the instruction at a point itself, if the host could compute what it reads, and not what
        `better` reads; None takes the place of what is in its register already."""
        hosts = self.hosts.get(point)
        if hosts is None:
            return better
        reads, writes = self.masks[self.graph.code[point]]
        needs = writes if better is None else _mask(value for _, value in better.reads())
        return better if reads & ~hosts or not needs & ~hosts else self.graph.instruction(point)


def live(facts: Facts, wanted: set[int]) -> list[int]:
    """What is read after each point by instructions that are wanted. Those that write it are wanted from then on."""
    graph, masks = facts.graph, facts.masks
    after = [0] * len(graph.code)
    before: dict[int, int] = {}
    callers: dict[int, list[int]] = {}
    for number, ways in enumerate(graph.block_successors):
        for way in ways:
            callers.setdefault(way, []).append(number)
    work = set(range(len(graph.blocks)))
    while work:
        number = max(work)
        work.remove(number)
        state = 0
        for way in graph.block_successors[number]:
            state |= before.get(way, 0) if way != END else 0
        for point in reversed(graph.blocks[number]):
            after[point] = state
            index = graph.code[point]
            reads, writes = masks[index]
            if state & writes:
                wanted.add(index)
            if index in wanted:
                state = state & ~writes | reads
        if state != before.get(number, 0):
            before[number] = state
            work.update(callers.get(number, ()))
    return after


def _mask(values: Iterable[Register | Predicate]) -> int:
    found = 0
    for value in values:
        found |= 1 << key_of(value)
    return found


class Edits:
    """What a pass does with a program: an instruction becomes another one, or goes.

    Code that several calls reach is changed only if what is to become of it is the same in all of them.
    """

    def __init__(self, facts: Facts) -> None:
        self.program = facts.program
        self.found: dict[int, Instruction | None] = {}
        self.refused: set[int] = set()
        self.labels: dict[str, int] = dict(facts.program.labels)

    def see(self, index: int, better: Instruction | None) -> None:
        """An instruction, at one of its points, is to be `better`: itself, another one, or none."""
        if index in self.found and self.found[index] != better:
            self.refused.add(index)
        self.found[index] = better

    def changes(self) -> dict[int, Instruction | None]:
        instructions = self.program.instructions
        return {
            index: better
            for index, better in self.found.items()
            if index not in self.refused and better != instructions[index]
        }

    def apply(self) -> tuple[Program, int, list[int]]:
        """The program that comes of it, how many changes there are, and which instruction each one was."""
        changes = self.changes()
        dropped = len(self.program.labels) - len(self.labels)
        places: list[int] = []
        kept: list[Instruction] = []
        origins: list[int] = []
        for index, instruction in enumerate(self.program.instructions):
            places.append(len(kept))
            better = changes.get(index, instruction)
            if better is not None:
                kept.append(better)
                origins.append(index)
        places.append(len(kept))
        metadata = ProgramMetadata(self.program.metadata.name, dict(self.program.metadata.entries))
        labels = {name: places[place] for name, place in self.labels.items()}
        found = replace(
            self.program, instructions=kept, labels=labels, params=list(self.program.params), metadata=metadata
        )
        return found, len(changes) + dropped, origins
