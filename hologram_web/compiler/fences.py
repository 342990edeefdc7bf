"""Fences of F32 arithmetic, for targets whose compilers fold, contract and reorder what is exact.

A fence is an `opaque` value: compilers know nothing of it. Results need none from which no compiler can make another
computation. Compilers fold a sum into the next one, contract a product with a sum, and cancel factors. What is only
compared, stored or taken as bits has nothing behind it that would be folded with it; nor has a sum that is a factor of
another unknown number. (Metal's and LLVM's fast mathematics multiply out a constant factor.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from ..isa.types import Type
from ..isa.verify import Base
from .accesses import access_of
from .ir import Function, Node
from .operations import ADDS, CLAMPS, COMPARISONS, FOLDED

__all__ = ["TellsApart", "fence"]

# Behind which nothing can be folded with what it takes.
_BITS = COMPARISONS | CLAMPS | {"bitcast", "abs", "neg", "trunc", "floor", "ceil", "round"}
_PASSED_ON = frozenset({"phi", "select"})


TellsApart = Callable[[Base], object]  # tells memories apart, of which several may be one


def fence(function: Function, binding: TellsApart | None) -> None:
    """Puts fences around results of F32 arithmetic: of a kernel those that need one, all if there is no `binding`.

    What is subtracted has one more if both sides are unknown: where they are proven equal, llvmpipe takes x - x for 0,
    and NaN and infinities are not. It is "other" than that of the difference: two equal ones cancel out, and show what
    is behind them.
    """
    bare = set[Node]() if binding is None else _unfenced(function, binding)
    made: dict[Node, Node] = {}
    for block in function.blocks:
        nodes: list[Node] = []
        for node in block.nodes:
            if node.op == "sub" and node.ty is Type.F32 and not any(map(_is_known, node.args)):
                nodes.append(Node("opaque", Type.F32, (node.args[1],), "other"))
                node.args = node.args[0], nodes[-1]
            nodes.append(node)
            if node.ty is Type.F32 and node.op in FOLDED and node not in bare:
                made[node] = Node("opaque", Type.F32, (node,))
                nodes.append(made[node])
        block.nodes = nodes
    fences = set(made.values())
    for block in function.blocks:
        for node in (*block.phis, *block.nodes):
            if node not in fences and not made.keys().isdisjoint(node.args):
                node.args = tuple([made.get(arg, arg) for arg in node.args])
        if block.end.value is not None:
            block.end.value = made.get(block.end.value, block.end.value)


def _is_known(node: Node) -> bool:
    return node.is_const or (node.op == "opaque" and node.args[0].is_const)


def _unfenced(function: Function, binding: TellsApart) -> set[Node]:
    """Results that need none."""
    read = {
        binding(access.base)
        for node in function.nodes()
        if node.op != "store" and (access := access_of(node)) is not None
    }
    users: dict[Node, list[Node]] = defaultdict(list)
    for node in function.nodes():
        for arg in node.args:
            users[arg].append(node)

    def harmless(node: Node, user: Node) -> bool:
        if user.op == "mul" and node.op in ADDS:
            return user.args[0].op != "const" and user.args[1].op != "const"
        if user.op == "store":  # what is loaded again may be what was stored
            return binding(user.attr.base) not in read
        return user.op in _BITS

    def free(node: Node) -> bool:
        seen, work = {node}, [node]
        while work:
            for user in users[work.pop()]:
                if user.op in _PASSED_ON:
                    if user not in seen:
                        seen.add(user)
                        work.append(user)
                elif not harmless(node, user):
                    return False
        return True

    return {node for node in function.nodes() if node.ty is Type.F32 and node.op in FOLDED and free(node)}
