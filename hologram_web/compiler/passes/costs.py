"""What computing a value costs, about, in additions of 32 bits on whichever target it costs more."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ...isa.types import Type
from ..ir import Node, ValueType
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
    named = node.attr if node.attr.__class__ is Type else None
    return _of_types(node.op, kind, (node.ty, named, *[arg.ty for arg in node.args]))


@cache
def _of_types(op: str, kind: str, types: tuple[ValueType, ...]) -> int:
    """Of an operation whose result and operands have these types."""
    known = [ty for ty in types if isinstance(ty, Type)]
    size, halves = max([ty.bits for ty in known], default=0), not _CODED.isdisjoint(known)
    if size > 64 or kind == "long":
        return _LONG
    if kind == "dear" or (halves and op != "select"):
        return DEAR
    return 1 if size <= 32 else OPERATIONS[op].in_pairs


def total(nodes: Iterable[Node]) -> int:
    """Of all of them."""
    return sum(map(cost, nodes))
