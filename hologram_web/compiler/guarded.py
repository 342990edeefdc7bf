"""Whether all lanes of a packet take a branch on their places, such as `if i < n` in a loop, asked of the first and the
last: then they do what is behind it without a mask."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from functools import reduce

from .ir import PRED, Node
from .operations import OPERATIONS
from .out_of_ssa import Assign, Copies, Do
from .shapes import Stride
from .structure import If, Stop, Straight, Tree

__all__ = ["by_all", "guards", "is_short"]

_MOST = 8  # statements that are there twice
_FAR = 1 << 24  # steps are shorter


def guards(trees: list[Tree], form_of: Callable[[Node], Stride]) -> Iterable[tuple[Node, bool]]:
    """Branches that all lanes come to first, such as `if i < n`, with what most of them find."""
    for tree in trees:
        match tree:
            case Straight():
                continue
            case If(condition, then, otherwise) if form_of(condition) != 0:
                truth = bool(then) and then != [tree for tree in then if isinstance(tree, Stop)]
                yield condition, truth
                yield from guards(then if truth else otherwise, form_of)
        return


def is_short(trees: list[Tree], may_fault: Callable[[Node], bool]) -> bool:
    """Whether code may be there twice: straight, and accesses of memory that nobody faults at are in it."""
    statements = [s for tree in trees if isinstance(tree, Straight) for s in tree.piece.statements]
    effects = [s.node for s in statements if isinstance(s, Do)]
    plain = all(isinstance(tree, Straight) for tree in trees) and all(
        isinstance(s, Assign | Copies | Do) for s in statements
    )
    return plain and bool(effects) and len(statements) <= _MOST and not any(map(may_fault, effects))


def by_all(
    condition: Node, truth: bool, step_of: Callable[[Node], Stride], kept: Container[Node], lanes: int
) -> Node | None:
    """A predicate of numbers that says that a comparison of places is true, or false, in all lanes; None of others, and
    of what is `kept` from before. What wraps between the first lane and the last says nothing."""
    while condition.op == "pnot" and condition not in kept:
        condition, truth = condition.args[0], not truth
    if condition in kept:
        return None
    opposite, ty, args = OPERATIONS[condition.op].opposite, condition.attr, condition.args
    if not opposite or ty.is_float or ty.is_wide or ty.bits < 32:
        return None
    op, (low, high) = (condition.op, args) if truth else (opposite, args[::-1])
    known = [step_of(low), step_of(high)]
    steps = [step for step in known if isinstance(step, int) and abs(step) < _FAR]
    if len(steps) < 2 or steps == [0, 0]:
        return None
    found, ends = list[Node](), list[Node]()
    for arg, step in zip((low, high), steps, strict=True):
        far = Node("const", ty, (), step * (lanes - 1) % (1 << ty.bits))
        ends.append(Node("add", ty, (arg, far)) if step else arg)
        if step:
            found.append(Node("le", PRED, (arg, ends[-1])[:: 1 if step > 0 else -1], ty))
    if steps[0] < 0 or steps[1] > 0:  # else it holds of the first, if of the last
        found.append(Node(op, PRED, (low, high), ty))
    if steps[0] > 0 or steps[1] < 0:
        found.append(Node(op, PRED, tuple(ends), ty))
    return reduce(lambda one, other: Node("pand", PRED, (one, other)), found)
