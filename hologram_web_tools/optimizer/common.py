"""Common subexpressions in blocks of one entry: what a register holds is not computed, or loaded, once more.

A load finds the same again until something is stored, or other lanes may have been waited for.
"""

from __future__ import annotations

from hologram_web.isa.instruction import Instruction
from hologram_web.isa.row import Effect

from .facts import Edits, Facts
from .values import KnownValues, Meaning, copied, rewritten

__all__ = ["reuse"]


def reuse(facts: Facts) -> Edits:
    return rewritten(facts, {}, _better)


def _better(point: int, values: KnownValues, meaning: Meaning | None) -> Instruction | None:
    instruction = values.facts.graph.instruction(point)
    if meaning is None or instruction.name in ("MOV", "MOV_IMM") or meaning.node.op in ("const", "special"):
        return instruction
    if not meaning.harmless and instruction.row.effect is not Effect.LOAD:  # a load that was done does not fault again
        return instruction
    target = instruction.values[instruction.row.results[0]]
    if values.holds(target, meaning.node):
        return None
    key = values.holder(meaning.node)
    return instruction if key is None else copied(target, key)
