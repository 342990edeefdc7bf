"""What computing a value costs, about, in additions of 32 bits on whichever target it costs more."""

from __future__ import annotations

from collections.abc import Iterable

from ...isa.types import Type
from ..ir import Node
from ..operations import OPERATIONS

__all__ = ["DEAR", "cost", "total"]

DEAR = 64  # divisions, and what one of the targets computes in integers
_CODED = frozenset({Type.F16, Type.BF16, Type.F64})
_LONG = 256  # functions, and integers that are kept in memory


def cost(node: Node) -> int:
    """Of one node."""
    kind = OPERATIONS[node.op].cost
    if kind == "free":
        return 0
    size, halves = 0, False
    for ty in (node.ty, node.attr, *[arg.ty for arg in node.args]):
        if ty.__class__ is Type:
            size = max(size, ty.bits)
            halves |= ty in _CODED
    if size > 64 or kind == "long":
        return _LONG
    if kind == "dear" or (halves and node.op != "select"):
        return DEAR
    return 1 if size <= 32 or node.op in ("cvt", "load", "store") else 8 if node.op == "mul" else 3


def total(nodes: Iterable[Node]) -> int:
    """Of all of them."""
    return sum(map(cost, nodes))
