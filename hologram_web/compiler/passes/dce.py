"""Dead code: removes pure nodes and phis whose value nothing needs, and blocks that nothing reaches."""

from __future__ import annotations

from ..ir import Block, Function, Node
from ..operations import EFFECTS, OPERATIONS

__all__ = ["eliminate_dead", "remove_unreachable"]


def eliminate_dead(function: Function) -> int:
    """How many nodes and blocks were removed."""
    changed = remove_unreachable(function)
    live: set[Node] = set()
    work: list[Node] = []
    for block in function.blocks:
        work += [node for node in block.nodes if node.op in EFFECTS and not _may_go(node)]
        if block.end.value is not None:
            work.append(block.end.value)
    while work:
        node = work.pop()
        if node not in live:
            live.add(node)
            work += node.args
    for block in function.blocks:
        before = len(block.nodes) + len(block.phis)
        block.nodes = [node for node in block.nodes if node in live]
        block.phis = [node for node in block.phis if node in live]
        changed += before - len(block.nodes) - len(block.phis)
    return changed


def _may_go(node: Node) -> bool:
    """A load may fault, so only one that is proven in bounds goes."""
    return OPERATIONS[node.op].may_go and not node.attr.checked


def remove_unreachable(function: Function) -> int:
    """Removes blocks that nothing reaches, and their values from phis; how many."""
    seen: set[Block] = set()
    work = [function.blocks[0]]
    while work:
        block = work.pop()
        if block not in seen:
            seen.add(block)
            work += block.end.ways
    gone = len(function.blocks) - len(seen)
    if not gone:
        return 0
    for block in function.blocks:
        if block in seen:
            kept = [position for position, before in enumerate(block.predecessors) if before in seen]
            for phi in block.phis:
                phi.args = tuple(phi.args[position] for position in kept)
            block.predecessors = [block.predecessors[position] for position in kept]
    function.blocks = [block for block in function.blocks if block in seen]
    function.renumber()
    return gone
