"""Several rounds of a loop in one: a short loop whose number of rounds is known, and which is too long to be unrolled.

What counts and where elements lie is computed once then. (The second loop of a softmax has 22 instructions of vectors a
round, and 13 others: with four rounds in one it took 0.87 of the time in Chromium.)
"""

from __future__ import annotations

from ..isa.types import Type
from .counters import counting_block
from .ir import Block, Function, Node
from .turned import copied

__all__ = ["with_rounds_together"]

_TOGETHER = (4, 2)
_MOST_NODES = 40  # of a round
_LONGEST = 400  # nodes of a function: longer ones are no packets, or compile for long


def with_rounds_together(function: Function) -> Function:
    """The function, of whose loops those of one block do several rounds in one, if these are all. It stays as it is."""
    size = sum(len(block.nodes) for block in function.blocks)
    if size > _LONGEST or not any(_Loop.of(block, function) for block in function.blocks):
        return function
    function = copied(function)
    for block in function.blocks:
        loop = _Loop.of(block, function)
        if loop is not None:
            loop.write(function)
    function.renumber()
    return function


class _Loop:
    """A loop of one block; `idle` are its counter and what only that needs."""

    def __init__(self, block: Block, back: int, counter: Node, idle: set[Node], together: int) -> None:
        self.block, self.back, self.counter, self.idle, self.together = block, back, counter, idle, together

    @staticmethod
    def of(block: Block, function: Function) -> _Loop | None:
        """The loop that a block is, if its rounds can go together."""
        counted = counting_block(block, _MOST_NODES)
        if counted is None or not counted[1].args[1 - counted[0]].is_const:
            return None
        back, counter, idle = counted
        rounds = int(counter.args[1 - back].attr) + 1
        together = next((some for some in _TOGETHER if rounds % some == 0), 0)
        used = {arg for node in function.nodes() if node not in idle for arg in node.args}
        used |= {other.end.value for other in function.blocks if other is not block and other.end.value is not None}
        return _Loop(block, back, counter, idle, together) if together and used.isdisjoint(idle) else None

    def write(self, function: Function) -> None:
        block, counter, back = self.block, self.counter, self.back
        own = [node for node in block.nodes if node not in self.idle]
        phis = [phi for phi in block.phis if phi is not counter]
        constants: list[Node] = []
        last: dict[Node, Node] = {}  # what nodes are in the round that was written last
        for _ in range(1, self.together):
            now = {phi: last.get(phi.args[back], phi.args[back]) for phi in phis}
            for node in own:
                now[node] = _again(node, tuple(now.get(arg, arg) for arg in node.args), constants)
                block.nodes.append(now[node])
            last = now
        for phi in phis:
            args = list(phi.args)
            args[back] = last.get(args[back], args[back])
            phi.args = tuple(args)
        rounds = counter.args[1 - back]
        fewer = Node("const", rounds.ty, (), (int(rounds.attr) + 1) // self.together - 1)
        function.blocks[0].nodes[:0] = [*constants, fewer]
        counter.args = (counter.args[0], fewer) if back == 0 else (fewer, counter.args[1])
        for other in function.blocks:
            if other is not block:
                for node in (*other.phis, *other.nodes):
                    node.args = tuple(last.get(arg, arg) for arg in node.args)
                if other.end.value is not None:
                    other.end.value = last.get(other.end.value, other.end.value)


def _again(node: Node, args: tuple[Node, ...], constants: list[Node]) -> Node:
    """A node with other operands; what grows by a number from round to round is one sum."""
    ty = node.ty
    if node.op == "add" and isinstance(ty, Type) and ty.is_integer and args[1].is_const and args[0].op == "add":
        first, number = args[0].args
        if number.is_const:
            total = Node("const", ty, (), (int(number.attr) + int(args[1].attr)) % (1 << ty.bits))
            constants.append(total)
            return Node("add", ty, (first, total))
    return Node(node.op, ty, args, node.attr)
