"""Which results of F32 arithmetic need no fence: those from which no shader compiler can make another computation.

Compilers fold a sum into the next one, contract a product with a sum, and cancel factors (`Values`). What is only
compared, stored or taken as bits has nothing behind it that would be folded with it; nor has a sum that is a factor of
another unknown number. (Metal's and LLVM's fast mathematics multiply out a constant factor.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from ...compiler.accesses import access_of
from ...compiler.ir import Function, Node
from ...isa.types import Type
from ...isa.verify import Base

__all__ = ["unfenced"]

_BITS = frozenset({"lt", "le", "eq", "bitcast", "min", "max", "abs", "neg", "trunc", "floor", "ceil", "round"})
_PASSED_ON = frozenset({"phi", "select"})


def unfenced(function: Function, binding: Callable[[Base], str]) -> set[Node]:
    """Results that need none; `binding` names memories, of which several may be one."""
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
        if user.op == "mul" and node.op in ("add", "sub"):
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

    return {node for node in function.nodes() if node.ty is Type.F32 and node.op in _ARITHMETIC and free(node)}


_ARITHMETIC = frozenset({"add", "sub", "mul", "div", "sqrt"})
