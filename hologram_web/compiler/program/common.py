"""Common subexpressions inside a basic block: what a register holds is not computed, or loaded, once more."""

from __future__ import annotations

from typing import Any

from ...isa.address import Address
from ...isa.instruction import Instruction
from ...isa.operands import Register
from ...isa.row import Effect
from ..ir import Node
from .facts import Edits, Facts
from .values import Meaning, Symbols, Values, copied

__all__ = ["reuse"]

# What may change what a load finds, or lets another lane do so.
_ENDS_LOADS = (Effect.STORE, Effect.ATOMIC, Effect.BARRIER, Effect.FENCE, Effect.STATE, Effect.COLLECTIVE)


def reuse(facts: Facts) -> Edits:
    edits, symbols = Edits(facts), Symbols({})
    for block, state in facts.constants.states.items():
        values = Values(facts, symbols, state)
        loaded: dict[Any, Node] = {}
        for point in facts.graph.blocks[block]:
            instruction = facts.graph.instruction(point)
            effect, index = instruction.row.effect, facts.graph.code[point]
            meaning = values.meaning(point)
            if effect is Effect.LOAD:
                key = _load(point, instruction, values)
                meaning = Meaning(loaded.setdefault(key, Node("leaf", instruction.ty)), False, False)
            elif effect in _ENDS_LOADS and meaning is None:
                loaded = {}
            edits.see(index, _better(instruction, values, meaning))
            values.step(point, meaning)
    return edits


def _better(instruction: Instruction, values: Values, meaning: Meaning | None) -> Instruction | None:
    if meaning is None or instruction.name in ("MOV", "MOV_IMM") or meaning.node.op in ("const", "special"):
        return instruction
    target = instruction.values[instruction.row.results[0]]
    if values.holds(target, meaning.node):
        return None
    key = values.holder(meaning.node)
    return instruction if key is None else copied(target, key)


def _load(point: int, instruction: Instruction, values: Values) -> Any:
    """What makes two loads the same, with what registers hold in place of their names."""
    parts: list[Any] = [instruction.row.opcode]
    for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
        if isinstance(value, Address):
            parts += [value.space, value.scale, value.offset]
            parts.append(values.read(value.base, None) if isinstance(value.base, Register) else value.base)
            for number in (value.index, *value.coordinates):
                parts.append(values.number(point, number) if isinstance(number, Register) else number)
        elif isinstance(value, Register) and operand.role != "def":
            parts.append(values.number(point, value))
        elif operand.role != "def":
            parts.append(value)
    return tuple(parts)
