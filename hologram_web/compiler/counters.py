"""Counters of loops: LOOP's, and what `for` in Python counts with it."""

from __future__ import annotations

from ..isa.types import Type
from .ir import Block, Node

__all__ = ["counting_block", "counts_down", "is_loop_step", "limit_counted", "same", "upwards"]


def same(a: Node, b: Node) -> bool:
    """Whether two nodes are one, or one constant."""
    return a is b or (a.is_const and b.is_const and (a.ty, a.attr) == (b.ty, b.attr))


def limit_counted(rounds: Node, begin: Node, step: Node) -> Node | None:
    """The limit below which a value stays that grows by steps, if these are the rounds that a `for` in Python counts:
    (limit - begin - 1) / step."""
    size = int(step.attr) if step.is_const else 0
    if size != 1:
        by = rounds.args[1] if rounds.op in ("div", "shr") else rounds
        if size:
            amount = size if rounds.op == "div" else size.bit_length() - 1 if size & (size - 1) == 0 else -1
            if not by.is_const or by.attr != amount:
                return None
        elif rounds.op != "div" or upwards(_without_sign(by), step) is not step:
            return None
        rounds = rounds.args[0]
    ty = begin.ty
    if rounds.op != "sub" or not rounds.args[1].is_const or not isinstance(ty, Type) or rounds.ty is not ty.unsigned:
        return None
    left, less = rounds.args[0], int(rounds.args[1].attr)
    if left.op == "sub" and less == 1 and same(upwards(_without_sign(left.args[1]), step), begin):
        left = left.args[0]
    elif not begin.is_const or (int(begin.attr) + 1) % (1 << ty.bits) != less:
        return None
    limit = upwards(_without_sign(left), step)
    return Node("const", ty, (), limit.attr) if limit.is_const else limit if limit.ty is ty else None


def upwards(node: Node, step: Node) -> Node:
    """What a node is if a step is positive: a `for` in Python selects by its sign where that is not known."""
    if node.op == "abs" and node.args[0] is step:
        return step
    if node.op == "select" and node.args[0].op == "lt" and node.args[0].args[1] is step:
        zero = node.args[0].args[0]
        return node.args[1] if zero.is_const and zero.attr == 0 else node
    return node


def _without_sign(node: Node) -> Node:
    """What the bits of a number are those of."""
    return node.args[0] if node.op == "bitcast" else node


def counts_down(phi: Node, arg: Node, source: Block, header: Block) -> bool:
    """Whether a phi is the counter of the LOOP that goes back here."""
    if arg.op != "sub" or arg.args[0] is not phi or not is_loop_step(arg.args[1], phi):
        return False
    return source.end.value is arg.args[1].args[0] and source.end.ways[0] is header


def is_loop_step(node: Node, phi: Node) -> bool:
    """Whether a node is what LOOP takes from its counter: 1, or 0 where it is 0."""
    if node.op != "select" or not all(arg.is_const for arg in node.args[1:]):
        return False
    more, one, zero = node.args
    return (
        (more.op, one.attr, zero.attr) == ("pnot", 1, 0)
        and more.args[0].op == "eq"
        and more.args[0].args[0] is phi
        and more.args[0].args[1].is_const
        and more.args[0].args[1].attr == 0
    )


def counting_block(block: Block, most: int) -> tuple[int, Node, set[Node]] | None:
    """Of a loop that is one block of so many nodes at most, which predecessor it is itself, and its counter, with what
    only that needs."""
    end = block.end
    if block in end.ways and len(block.predecessors) == 2 and end.kind == "branch" and len(block.nodes) <= most:
        back = block.predecessors.index(block)
        for phi in () if end.steps else block.phis:
            if counts_down(phi, phi.args[back], block, block):
                step = phi.args[back]
                more = step.args[1].args[0]
                return back, phi, {phi, step, step.args[1], more, more.args[0]}
    return None
