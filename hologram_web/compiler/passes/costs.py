"""What computing a value costs, about, in additions of 32 bits on whichever target it costs more."""

from __future__ import annotations

from collections.abc import Iterable

from ...isa.types import Type
from ..ir import Node

__all__ = ["DEAR", "cost", "total"]

DEAR = 64  # divisions, and what one of the targets computes in integers
_LONG = 256  # functions, and integers that are kept in memory
_FREE = frozenset({"const", "param", "special", "phi"})
_CHEAP = frozenset(
    {"add", "sub", "mul", "and", "or", "xor", "not", "shl", "shr", "neg", "abs", "min", "max", "floor", "ceil", "trunc"}
    | {"round", "select", "eq", "lt", "le", "pand", "por", "pnot", "cvt", "bitcast", "load", "store"}
)


def cost(node: Node) -> int:
    """Of one node."""
    if node.op in _FREE:
        return 0
    types = [node.ty, node.attr, *(arg.ty for arg in node.args)]
    size = max([ty.bits for ty in types if isinstance(ty, Type)], default=32)
    halves = any(ty in (Type.F16, Type.BF16, Type.F64) for ty in types)
    if size > 64 or node.op in ("call", "call_if"):
        return _LONG
    if node.op not in _CHEAP or (halves and node.op != "select"):
        return DEAR
    return 1 if size <= 32 or node.op in ("cvt", "load", "store") else 8 if node.op == "mul" else 3


def total(nodes: Iterable[Node]) -> int:
    """Of all of them."""
    return sum(map(cost, nodes))
