"""Instruction fusion: an instruction does what several did, and addresses compute what instructions did.

MUL and ADD of integers become MAD, MAX and MIN a CLAMP, a comparison and a selection MIN or MAX, and so on for every
row whose meaning is made of others. What goes into an address has to be exact there: an index that can wrap stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hologram_web.compiler.ir import Node
from hologram_web.compiler.passes.fold import Context
from hologram_web.isa.address import Address, Space
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.operands import Register
from hologram_web.isa.types import Type

from .facts import Edits, Facts
from .values import KnownValues, Meaning, Rules, instructions_for, rewritten

__all__ = ["fuse"]

_FAR = 1 << 40
_LARGEST_SCALE = 1 << 16


def _choice(node: Node, context: Context) -> Node | None:
    """The selection of the lesser or the greater of two integers."""
    condition, *chosen = node.args
    if condition.op not in ("lt", "le") or condition.attr is not node.ty or node.ty.is_float:
        return None
    if chosen == list(condition.args):
        return Node("min", node.ty, condition.args)
    return Node("max", node.ty, condition.args) if chosen == list(condition.args[::-1]) else None


_RULES: Rules = {"choice": ("select", _choice)}


def fuse(facts: Facts) -> Edits:
    return rewritten(facts, _RULES, _better)


def _better(point: int, values: KnownValues, meaning: Meaning | None) -> Instruction | None:
    instruction = values.facts.graph.instruction(point)
    if meaning is not None and meaning.harmless and instruction.name not in ("MOV", "MOV_IMM", "LEA"):
        instruction = _fused(point, values, meaning)
    return _addressed(point, values, instruction)


def _fused(point: int, values: KnownValues, meaning: Meaning) -> Instruction:
    """One instruction for all that a node is made of, if that spares something."""
    facts = values.facts
    instruction = facts.graph.instruction(point)
    if not meaning.simpler and not any(arg.args for arg in meaning.node.args):
        return instruction
    target = instruction.values[instruction.row.results[0]]
    found = list(instructions_for(meaning.node, target, values, facts.fast))
    own = max((size for better, size in found if better.row is instruction.row), default=0)
    for better, size in reversed(found):
        if (size > own or meaning.simpler) and better.row is not instruction.row and facts.spares(point, better):
            return better
    return instruction


def _addressed(point: int, values: KnownValues, instruction: Instruction) -> Instruction:
    operands = [_address(point, values, value) if isinstance(value, Address) else value for value in instruction.values]
    return Instruction(instruction.row, tuple(operands))


def _address(point: int, values: KnownValues, address: Address) -> Address:
    """The address from what its index, or its pointer, is made of."""
    if address.space is Space.POINTER:
        assert isinstance(address.base, Register)
        return _pointed(values, address, values.read(address.base, None))
    if address.index is None:
        return address
    best = address
    for node, scale, offset in _parts(values, values.number(point, address.index), address.scale, address.offset):
        key = values.holder(node)
        if key is not None and abs(offset) < _FAR and scale <= _LARGEST_SCALE:
            best = replace(address, index=Register(key), scale=scale, offset=offset)
    return best


def _parts(values: KnownValues, node: Node, scale: int, offset: int) -> Iterator[tuple[Node, int, int]]:
    """Ways to write an index as another one, scaled and moved."""
    ranges = values.symbols.context.ranges
    while isinstance(node.ty, Type) and node.args:
        inner, *rest = node.args
        if not isinstance(inner.ty, Type) or not inner.ty.is_integer or inner.ty.is_wide:
            return
        low, high = ranges.of(inner)
        number = int(node.ty.decode(rest[0].attr)) if rest and rest[0].is_const else None
        if node.op == "cvt":
            factor, moved = 1, 0
        elif node.op in ("add", "sub") and number is not None:
            factor, moved = 1, number if node.op == "add" else -number
        elif node.op in ("mul", "shl") and number is not None:
            factor, moved = 1 << number % node.ty.bits if node.op == "shl" else number, 0
        else:
            return
        fits = node.ty.min_value <= min(low * factor, high * factor) + moved
        if factor < 1 or not fits or max(low * factor, high * factor) + moved > node.ty.max_value:
            return
        node, scale, offset = inner, scale * factor, offset + moved * scale
        yield node, scale, offset


def _pointed(values: KnownValues, address: Address, node: Node) -> Address:
    """What a pointer points to, if LEA's registers still hold what they did."""
    if node.op != "lea":
        return address
    place: Address = node.attr
    args = list(node.args)
    if isinstance(place.base, Register):
        key = values.holder(args.pop(0))
        if key is None:
            return address
        place = replace(place, base=Register(key))
    if args:
        key = values.holder(args[0])
        if key is None:
            return address
        place = replace(place, index=Register(key))
    return place
