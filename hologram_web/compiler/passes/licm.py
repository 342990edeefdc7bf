"""Loop-invariant code: a pure value that is the same in every round is computed before the loop.

Effects stay where they are, guards and loads among them, and so does a division whose divisor may be zero: its guard
stands in the loop. Loops with barriers are left alone, since what is live across a barrier is kept in memory.
"""

from __future__ import annotations

from ..dominance import Dominators, loop_body
from ..ir import Block, Function, Node, Terminator
from ..operations import EFFECTS, LEAVES
from ..ranges import Ranges, may_trap

__all__ = ["hoist_invariants"]


def hoist_invariants(function: Function) -> int:
    """How many nodes were moved."""
    tree = Dominators(function.blocks[0], lambda block: block.end.ways)
    bodies: dict[Block, set[Block]] = {}
    for block in tree.order:
        for header in block.end.ways:
            if tree.dominates(header, block):
                bodies.setdefault(header, {header}).update(loop_body(header, [block]))
    ranges = Ranges(function)
    changed = 0
    for header, body in sorted(bodies.items(), key=lambda item: len(item[1])):  # inner loops first
        outside = [before for before in header.predecessors if before not in body]
        if len(outside) != 1 or any(block.end.kind == "barrier" for block in body):
            continue
        moved = _invariant(tree.order, body, ranges)
        if moved:
            changed += len(moved)
            before = _preheader(function, outside[0], header)
            before.nodes += moved
            # Loops around this one have the new block in their bodies.
            for other, around in bodies.items():
                if header in around and other is not header:
                    around.add(before)
    if changed:
        function.renumber()
    return changed


def _invariant(order: list[Block], body: set[Block], ranges: Ranges) -> list[Node]:
    """Takes the invariant nodes out of a loop's blocks, in an order in which operands come first."""
    inside = {node for block in body for node in (*block.phis, *block.nodes)}
    moved: list[Node] = []
    for block in (block for block in order if block in body):
        kept = []
        for node in block.nodes:
            plain = node.op not in EFFECTS and node.op not in LEAVES and not may_trap(node, ranges)
            cheap = node.op == "cvt" and node.args[0].op in LEAVES  # computed where it is used
            if plain and not cheap and not any(arg in inside for arg in node.args):
                inside.discard(node)
                moved.append(node)
            else:
                kept.append(node)
        block.nodes = kept
    return moved


def _preheader(function: Function, source: Block, header: Block) -> Block:
    """The block from which a loop is entered and which goes nowhere else."""
    if source.end.kind == "jump":
        return source
    block = Block(-1)
    block.end = Terminator("jump", [header], at=source.end.at)
    block.predecessors = [source]
    source.end.ways = [block if way is header else way for way in source.end.ways]
    header.predecessors = [block if before is source else before for before in header.predecessors]
    function.blocks.insert(function.blocks.index(header), block)
    return block
