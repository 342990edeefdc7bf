"""Algebra: what the rules of the IR make simpler, done at once; copies of a register to itself go."""

from __future__ import annotations

from hologram_web.compiler.ir import PRED, Node
from hologram_web.compiler.passes.fold import RULES, Context
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.operands import Predicate, Register
from hologram_web.isa.types import Type

from .facts import Edits, Facts
from .values import KnownValues, Meaning, Rules, copied, immediate, instructions_for, rewritten

__all__ = ["simplify"]


def _negated_comparison(node: Node, context: Context) -> Node | None:
    """not a < b is b <= a, of integers."""
    inner = node.args[0]
    other = {"lt": "le", "le": "lt"}.get(inner.op)
    if other is None or not isinstance(inner.attr, Type) or inner.attr.is_float:
        return None
    return Node(other, PRED, inner.args[::-1], inner.attr)


def _negated_select(node: Node, context: Context) -> Node | None:
    condition, a, b = node.args
    return Node("select", node.ty, (condition.args[0], b, a)) if condition.op == "pnot" else None


_RULES: Rules = {
    **RULES,
    "negated-comparison": ("pnot", _negated_comparison),
    "negated-select": ("select", _negated_select),
}


def simplify(facts: Facts) -> Edits:
    return rewritten(facts, _RULES, _better)


def _better(point: int, values: KnownValues, meaning: Meaning | None) -> Instruction | None:
    facts = values.facts
    instruction = facts.graph.instruction(point)
    if instruction.name == "BRA" and instruction.pred is not None:
        return _branch(instruction, values)
    if meaning is None or not meaning.harmless:
        return instruction
    node, target = meaning.node, instruction.values[instruction.row.results[0]]
    moves = instruction.name in ("MOV", "MOV_IMM")
    if (moves or meaning.simpler) and values.holds(target, node):
        return None
    if moves or not meaning.simpler:
        return instruction
    if node.is_const:
        return immediate(target, node) if isinstance(target, Register) else instruction
    key = values.holder(node)
    if key is not None:
        return copied(target, key)
    for better, _ in instructions_for(node, target, values, facts.fast):
        if facts.spares(point, better):
            return better
    return instruction


def _branch(instruction: Instruction, values: KnownValues) -> Instruction:
    """The branch on what a negation negates."""
    node = values.read(instruction.pred, PRED)
    key = values.holder(node.args[0]) if node.op == "pnot" else None
    if key is None:
        return instruction
    source = Predicate(key - 256)
    return instruction.replace(pred=source if instruction.pred.negated else ~source)
