"""Constant propagation over the flow graph (Wegman and Zadeck 1991, by blocks): what is the same on every way that can
be taken, given the branches that are decided by it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hologram_web.compiler.ir import PRED, Node
from hologram_web.compiler.passes.fold import RULES
from hologram_web.isa.address import Address, Space
from hologram_web.isa.cfg import END
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.operands import Register
from hologram_web.isa.types import Type

from .facts import Edits, Facts
from .values import KnownValues, Meaning, Symbols, immediate, rewritten

__all__ = ["Constants", "propagate_constants"]

_State = dict[int, tuple[Any, int]]
_FAR = 1 << 40
_COORDINATES = (96, 48, 256)


class Constants:
    """What registers hold that is known: `states[block]` at the start of each block that can be reached, by key.

    `endless` are the last points of blocks from which no lane comes to the end.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts, self.symbols = facts, Symbols()
        self.states: dict[int, _State] = {}
        self.endless: set[int] = set()
        graph = facts.graph
        ways_of: dict[int, list[int]] = {}
        if graph.entry == END:
            return
        first = graph.block_of[graph.entry]
        self.states[first] = {}
        work = {first}
        while work:
            block = min(work)
            work.remove(block)
            values = KnownValues(facts, self.symbols, self.states[block])
            for point in graph.blocks[block][:-1]:
                values.step(point, values.meaning(point))
            last = graph.blocks[block][-1]
            ways = ways_of[block] = self._ways(last, values)
            values.step(last, values.meaning(last))
            after = {key: (node.ty, node.attr) for key, node in values.held.items() if node.is_const}
            for way in {graph.block_of[point] for point in ways if point != END}:
                before = self.states.get(way)
                common = after if before is None else dict(before.items() & after.items())
                if common != before:
                    self.states[way] = common
                    work.add(way)
        ends: set[int] = set()
        size = -1
        while len(ends) != size:
            size = len(ends)
            for block in sorted(ways_of, reverse=True):
                if any(way == END or graph.block_of[way] in ends for way in ways_of[block]):
                    ends.add(block)
        self.endless = {graph.blocks[block][-1] for block in ways_of.keys() - ends}

    def _ways(self, point: int, values: KnownValues) -> list[int]:
        graph = self.facts.graph
        taken = decided(graph.instruction(point), values)
        if taken is None:
            return graph.successors(point)
        way = graph.target[point] if taken else graph.next[point]
        assert way is not None
        return [way]


def decided(instruction: Instruction, values: KnownValues) -> bool | None:
    """Whether a branch is taken, if that is known."""
    if instruction.name == "BRA" and instruction.pred is not None:
        node = values.read(instruction.pred, PRED)
        return bool(node.attr) != instruction.pred.negated if node.is_const else None
    if instruction.name == "LOOP":
        node = values.read(instruction.counter, Type.U32)
        return False if node.is_const and not node.attr else None
    return None


def propagate_constants(facts: Facts) -> Edits:
    """Constants take the place of what computes them; of registers in addresses and sizes; branches are decided."""
    return rewritten(facts, RULES, _better)


def _better(point: int, values: KnownValues, meaning: Meaning | None) -> Instruction | None:
    instruction = values.facts.graph.instruction(point)
    row = instruction.row
    if meaning is not None and meaning.harmless and row.name != "MOV_IMM":
        target = instruction.values[row.results[0]]
        if meaning.node.is_const and isinstance(target, Register):
            return immediate(target, meaning.node)
    taken = decided(instruction, values)
    if taken is not None and point not in values.facts.constants.endless:  # collectives need a way to the end
        return instruction.replace(pred=None) if taken else None
    return _with_numbers(point, values, instruction)


def _with_numbers(point: int, values: KnownValues, instruction: Instruction) -> Instruction:
    """The instruction with constants in its addresses and sizes."""
    operands = list(instruction.values)
    for place, (operand, value) in enumerate(zip(instruction.row.operands, operands, strict=True)):
        if operand.is_address and value is not None:
            operands[place] = _address(point, values, value)
        elif operand.kind == "size" and isinstance(value, Register):
            number = _number(values.number(point, value))
            operands[place] = value if number is None or not 0 <= number < 1 << 48 else number
    return Instruction(instruction.row, tuple(operands))


def _number(node: Node) -> int | None:
    return int(node.ty.decode(node.attr)) if node.is_const and isinstance(node.ty, Type) else None


def _address(point: int, values: KnownValues, address: Address) -> Address:
    if address.space is Space.PHI:
        known = []
        for coordinate, limit in zip(address.coordinates, _COORDINATES, strict=True):
            number = _number(values.number(point, coordinate)) if isinstance(coordinate, Register) else coordinate
            known.append(coordinate if number is None or not 0 <= number < limit else number)
        return replace(address, coordinates=tuple(known))
    number = None if address.index is None else _number(values.number(point, address.index))
    if number is None or abs(number * address.scale + address.offset) >= _FAR:
        return address
    return replace(address, index=None, scale=1, offset=number * address.scale + address.offset)
