"""Common subexpressions: a pure node that a dominating block has already is not computed again, nor a guard asked."""

from __future__ import annotations

from typing import Any

from ..dominance import Dominators
from ..ir import Block, Function, Node, Replaced
from ..operations import EFFECTS

__all__ = ["eliminate_common"]


def eliminate_common(function: Function) -> int:
    """How many nodes were removed."""
    tree = Dominators(function.blocks[0], lambda block: block.end.ways)
    children = tree.children()
    available: dict[Any, Node] = {}
    replaced = Replaced()
    # Walk down the dominator tree; None marks the end of a subtree, with the keys it had added.
    work: list[tuple[Block | None, list[Any]]] = [(function.blocks[0], [])]
    while work:
        block, keys = work.pop()
        if block is None:
            for key in keys:
                del available[key]
            continue
        added: list[Any] = []
        work.append((None, added))
        kept = []
        for node in block.nodes:
            if replaced:
                node.args = tuple([replaced.get(arg, arg) for arg in node.args])
            if node.op in EFFECTS and node.op != "guard":
                kept.append(node)
                continue
            # Where a guard lets a lane pass, another on the same condition does so, too.
            key = node.key if node.op != "guard" else ("guard", node.args[0], node.attr[0])
            other = available.setdefault(key, node)
            if other is not node:
                replaced[node] = other
                continue
            added.append(key)
            kept.append(node)
        block.nodes = kept
        work += [(child, []) for child in children[block]]
    if replaced:
        replaced.put_into(function.blocks)
    return len(replaced)
