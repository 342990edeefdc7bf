"""Copy coalescing: what is computed only to be copied is computed where the copy goes."""

from __future__ import annotations

from hologram_web.isa.instruction import Instruction
from hologram_web.isa.operands import Register

from .copies import renamed
from .facts import Edits, Facts

__all__ = ["coalesce"]


def coalesce(facts: Facts) -> Edits:
    edits, graph = Edits(facts), facts.graph
    once = {index for index, points in facts.points.items() if len(points) == 1}
    for block in graph.blocks:
        free = block.start  # what lies before is changed already
        for end in block:
            start = _origin(facts, end, free) if graph.instruction(end).name == "MOV" else None
            if start is None or any(graph.code[point] not in once for point in range(start, end + 1)):
                continue
            move = graph.instruction(end)
            source, target = move.src.index, move.dst.index
            edits.see(graph.code[start], _written(graph.instruction(start), source, target))
            for point in range(start + 1, end):
                edits.see(graph.code[point], renamed(graph.instruction(point), {source: target}))
            edits.see(graph.code[end], None)
            free = end + 1
    return edits


def _origin(facts: Facts, end: int, free: int) -> int | None:
    """The point where what a MOV copies is computed, if that can be done into its destination."""
    graph = facts.graph
    move = graph.instruction(end)
    source, target = 1 << move.src.index, 1 << move.dst.index
    if source == target or facts.live_after[end] & source:
        return None
    for point in range(end - 1, free - 1, -1):
        reads, writes = facts.masks[graph.code[point]]
        if writes & source:
            alone = writes == source and not reads & writes & _updates(graph.instruction(point))
            return point if alone else None
        if (reads | writes) & target:
            return None
    return None


def _updates(instruction: Instruction) -> int:
    """What it reads and writes as one operand."""
    positions = [i for i, operand in enumerate(instruction.row.operands) if operand.role == "update"]
    return sum(1 << instruction.values[position].index for position in positions)


def _written(instruction: Instruction, source: int, target: int) -> Instruction:
    """The instruction, writing another register."""
    operands = [
        Register(target) if (operand.role == "def" or operand.kind == "result") and value == Register(source) else value
        for operand, value in zip(instruction.row.operands, instruction.values, strict=True)
    ]
    return Instruction(instruction.row, tuple(operands))
