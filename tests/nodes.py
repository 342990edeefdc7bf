"""Conditions of proofs computed node by node: a second way beside the formulas that launches evaluate."""

from __future__ import annotations

from collections.abc import Callable

from hologram_web.compiler.conditions import EXACT
from hologram_web.compiler.ir import Node
from hologram_web.compiler.operations import LEAVES
from hologram_web.isa import Type

__all__ = ["holds"]


def holds(condition: Node, leaf: Callable[[Node], int]) -> bool:
    """Whether a condition holds, in exact arithmetic. `leaf` gives the numbers of parameters and special values.

    Each node is computed once: an end may be used twice by the next one, and that one again.
    """
    known: dict[Node, int] = {}

    def value(node: Node) -> int:
        if node not in known:
            if node.is_const:
                known[node] = int(node.ty.decode(node.attr) if isinstance(node.ty, Type) else node.attr)
            elif node.op in LEAVES:
                known[node] = leaf(node)
            else:
                known[node] = EXACT[node.op](*map(value, node.args))
        return known[node]

    return bool(value(condition))
