"""Jumps: a branch to the next instruction goes, one to a jump goes where that goes, one around a jump takes its way."""

from __future__ import annotations

from hologram_web.isa.instruction import Instruction
from hologram_web.isa.operands import Label
from hologram_web.isa.program import Program

from .facts import Edits, Facts

__all__ = ["thread_jumps"]


def thread_jumps(facts: Facts) -> Edits:
    edits, program = Edits(facts), facts.program
    targets = {program.target(i.target) for i in program.instructions if i.row.name in ("BRA", "LOOP", "CALL")}
    targets.add(program.start)
    last = len(program) - 1
    for index, instruction in enumerate(program.instructions):
        if instruction.name == "EXIT" and index == last:
            edits.see(index, None)  # running off the end is the same
        if instruction.name not in ("BRA", "LOOP") or index in edits.found:
            continue
        label = _final(program, instruction.target)
        follower = program.instructions[index + 1] if index < last else None
        if instruction.name == "BRA" and program.target(label) == index + 1:
            edits.see(index, None)
        elif _goes_around(program, instruction, index, label) and index + 1 not in targets:
            assert follower is not None
            way = _final(program, follower.target)
            edits.see(index, instruction.replace(target=way, pred=~instruction.pred))
            edits.see(index + 1, None)
        else:
            edits.see(index, instruction.replace(target=label))
    return edits


def _goes_around(program: Program, instruction: Instruction, index: int, label: Label) -> bool:
    """Whether a conditional branch goes around a jump only."""
    if instruction.name != "BRA" or instruction.pred is None or program.target(label) != index + 2:
        return False
    follower = program.instructions[index + 1]
    return follower.name == "BRA" and follower.pred is None


def _final(program: Program, label: Label) -> Label:
    """Where a lane comes that goes to a label, through the jumps there."""
    seen: set[int] = set()
    while True:
        place = program.target(label)
        if place >= len(program) or place in seen:
            return label
        seen.add(place)
        instruction = program.instructions[place]
        if instruction.name != "BRA" or instruction.pred is not None:
            return label
        label = instruction.target
