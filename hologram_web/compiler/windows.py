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

__all__ = ["LaneWindow", "is_lane", "is_window", "window"]

_MOST_LANES = 1024


@dataclass(frozen=True)
class LaneWindow:
    """Lanes from `low` + `past_low` on, below `high` + `past_high`; None is no bound."""

    low: Node | None = None
    past_low: int = 0
    high: Node | None = None
    past_high: int = 0

    @property
    def numbers(self) -> tuple[int, int] | None:
        """The first lane, and the one behind the last, if they are known."""
        if not all(bound is None or bound.is_const for bound in (self.low, self.high)):
            return None
        high = _MOST_LANES if self.high is None else _number(self.high)
        return (0 if self.low is None else _number(self.low)) + self.past_low, high + self.past_high


def window(trees: list[Tree], is_uniform: Callable[[Node], bool]) -> tuple[LaneWindow | None, list[Tree]]:
    """The lanes for which this code does anything, if that is all it depends on, and what those do.

    Where several branches do, the code stays as it is. None and the code as it is, if not. Lets are nothing by
    themselves.
    """
    match trees:
        case [*lets, If(condition, then, otherwise), Stop() as stop] if not (then and otherwise):
            if all(map(_is_let, lets)):
                found = _of(condition, bool(then), is_uniform)
                if found is not None:
                    return found, [*lets, *(then or otherwise), stop]
    found = _hull([tree for tree in trees if not _is_let(tree)], is_uniform)
    return found, trees


def _is_let(tree: Tree) -> bool:
    return isinstance(tree, Straight) and all(isinstance(statement, Assign) for statement in tree.piece.statements)


def _hull(trees: list[Tree], is_uniform: Callable[[Node], bool]) -> LaneWindow | None:
    """The lanes around all for which one of several branches, between constants, does anything."""
    if len(trees) < 3 or not isinstance(trees[-1], Stop):
        return None
    ends: list[tuple[LaneWindow, int, int]] = []
    for tree in trees[:-1]:
        if not isinstance(tree, If) or (tree.then and tree.otherwise):
            return None
        found = _of(tree.condition, bool(tree.then), is_uniform)
        if found is None or found.numbers is None:
            return None
        ends.append((found, *found.numbers))
    least, most = min(ends, key=lambda end: end[1])[0], max(ends, key=lambda end: end[2])[0]
    return LaneWindow(least.low, least.past_low, most.high, most.past_high)


def _number(bound: Node) -> int:
    assert isinstance(bound.ty, Type)
    return int(bound.ty.decode(bound.attr))


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
        bound = right if is_lane(left) else left if is_lane(right) else None
        return LaneWindow(bound, 0, bound, 1) if truth and bound is not None and is_uniform(bound) else None
    equal = condition.op == "le"
    if is_lane(left) and is_uniform(right):  # lane < right, or not
        return LaneWindow(high=right, past_high=int(equal)) if truth else LaneWindow(low=right, past_low=int(equal))
    if is_lane(right) and is_uniform(left):  # left < lane, or not
        return (
            LaneWindow(low=left, past_low=int(not equal)) if truth else LaneWindow(high=left, past_high=int(not equal))
        )
    return None


def is_lane(node: Node) -> bool:
    """Whether a node is the lane's place in its row: below 1,024, so that integers of 16 bits hold it."""
    while node.op in CHANGES and isinstance(node.ty, Type) and node.ty.is_integer and node.ty.bits >= 16:
        node = node.args[0]
    return node.op == "special" and node.attr == "LANE_IDX_X"
