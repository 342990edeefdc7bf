"""Copy propagation over the flow graph: what is copied is read where it came from, as long as that stays the same.

Registers that hold the same constant are copies of the one with the lowest number.
"""

from __future__ import annotations

from typing import Any

from hologram_web.isa.address import Address
from hologram_web.isa.cfg import END
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.operands import Predicate, Register

from .facts import Edits, Facts, key_of

__all__ = ["propagate_copies", "renamed"]

# By key: the key of what it is a copy of, or the constant it holds.
_State = dict[tuple[str, int], Any]


def propagate_copies(facts: Facts) -> Edits:
    edits, graph = Edits(facts), facts.graph
    for block, start in _flow(facts).items():
        state = dict(start)
        for point in graph.blocks[block]:
            instruction = graph.instruction(point)
            names = {key: source for (what, key), source in state.items() if what == "copy"}
            edits.see(graph.code[point], facts.hosted(point, renamed(instruction, names)))
            _transfer(instruction, state)
    return edits


def _flow(facts: Facts) -> dict[int, _State]:
    """What is a copy at the start of each block, on every way to it."""
    graph = facts.graph
    if graph.entry == END:
        return {}
    first = graph.block_of[graph.entry]
    states: dict[int, _State] = {first: {}}
    work = {first}
    while work:
        block = min(work)
        work.remove(block)
        state = dict(states[block])
        for point in graph.blocks[block]:
            _transfer(graph.instruction(point), state)
        for way in graph.block_successors[block]:
            if way == END:
                continue
            before = states.get(way)
            common = state if before is None else dict(before.items() & state.items())
            if common != before:
                states[way] = common
                work.add(way)
    return states


def _transfer(instruction: Instruction, state: _State) -> None:
    if instruction.row.collective:
        state.clear()  # what lanes held is lost
    for _, value in instruction.writes():
        key = key_of(value)
        for (what, known), source in list(state.items()):
            if known == key or (what == "copy" and source == key):
                del state[what, known]
    match instruction.name:
        case "MOV":
            source, target = instruction.src.index, instruction.dst.index
        case "MOV_IMM":
            target, constant = instruction.dst.index, instruction.value
            same = [key for (what, key), held in state.items() if what == "constant" and held == constant]
            state["constant", target] = constant
            source = min([target, *same])
        case "PAND" if instruction.a == instruction.b:
            source, target = key_of(instruction.a), key_of(instruction.pred)
        case _:
            return
    source = state.get(("copy", source), source)
    if source != target:
        state["copy", target] = source


def renamed(instruction: Instruction, names: dict[int, int]) -> Instruction:
    """The instruction, reading other registers and predicates; what it also writes keeps its name."""
    if not names:
        return instruction

    def register(value: Register) -> Register:
        return Register(names.get(value.index, value.index))

    operands = list(instruction.values)
    for place, (operand, value) in enumerate(zip(instruction.row.operands, operands, strict=True)):
        if isinstance(value, Address):
            operands[place] = value.renamed(register)
        elif operand.role in ("def", "update") or operand.kind == "result":
            continue
        elif isinstance(value, Predicate):
            operands[place] = Predicate(names.get(key_of(value), key_of(value)) - 256, value.negated)
        elif isinstance(value, Register):
            operands[place] = register(value)
    return Instruction(instruction.row, tuple(operands))
