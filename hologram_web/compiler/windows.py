"""Which lanes of a row have anything to do between two barriers, where a comparison with a uniform value says it.

In a tree reduction half of the lanes have nothing to do at the first level, and all but one at the last. A target that
goes through the lanes one by one can leave those out (block_sum took four times as long on wasm).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..isa.types import Type
from .ir import Node
from .operations import CHANGES, COMPARISONS
from .out_of_ssa import Assign
from .structure import If, Stop, Straight, Tree

__all__ = ["LaneWindow", "is_window", "window"]


@dataclass(frozen=True)
class LaneWindow:
    """Lanes from `low` + `past_low` on, below `high` + `past_high`; None is no bound."""

    low: Node | None = None
    past_low: int = 0
    high: Node | None = None
    past_high: int = 0


def window(trees: list[Tree], is_uniform: Callable[[Node], bool]) -> tuple[LaneWindow | None, list[Tree]]:
    """The lanes for which this code does anything, if that is all it depends on, and what those do.

    None and the code as it is, if not. Lets are nothing by themselves.
    """
    match trees:
        case [*lets, If(condition, then, otherwise), Stop() as stop] if not (then and otherwise):
            if all(isinstance(t, Straight) and all(isinstance(s, Assign) for s in t.piece.statements) for t in lets):
                found = _of(condition, bool(then), is_uniform)
                if found is not None:
                    return found, [*lets, *(then or otherwise), stop]
    return None, trees


def is_window(condition: Node) -> bool:
    """Whether a condition compares the lane's place with something, which may be a value of the block."""
    return any(_of(condition, truth, lambda node: True) is not None for truth in (True, False))


def _of(condition: Node, truth: bool, is_uniform: Callable[[Node], bool]) -> LaneWindow | None:
    while condition.op == "pnot":
        condition, truth = condition.args[0], not truth
    ty = condition.attr
    # Bounds are computed in 64 bits, signed, so that those of narrower types do not overflow.
    if condition.op not in COMPARISONS or not ty.is_integer or ty.bits > 32:
        return None
    left, right = condition.args
    if condition.op == "eq":
        bound = right if _is_lane(left) else left if _is_lane(right) else None
        return LaneWindow(bound, 0, bound, 1) if truth and bound is not None and is_uniform(bound) else None
    equal = condition.op == "le"
    if _is_lane(left) and is_uniform(right):  # lane < right, or not
        return LaneWindow(high=right, past_high=int(equal)) if truth else LaneWindow(low=right, past_low=int(equal))
    if _is_lane(right) and is_uniform(left):  # left < lane, or not
        return (
            LaneWindow(low=left, past_low=int(not equal)) if truth else LaneWindow(high=left, past_high=int(not equal))
        )
    return None


def _is_lane(node: Node) -> bool:
    """Whether a node is the lane's place in its row: below 1,024, so that integers of 16 bits hold it."""
    while node.op in CHANGES and isinstance(node.ty, Type) and node.ty.is_integer and node.ty.bits >= 16:
        node = node.args[0]
    return node.op == "special" and node.attr == "LANE_IDX_X"
