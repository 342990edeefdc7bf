"""Where values are read, and which variables are wanted behind a loop that sets them: lanes that have left it keep
theirs while others go on."""

from __future__ import annotations

from collections.abc import Iterable

from .ir import Block, Node
from .operations import EFFECTS
from .out_of_ssa import Assign, Copies, Do, Lowered, Piece, Variable
from .structure import If, Labelled, Straight, StructuredLoop, Tree

__all__ = ["escaping", "uses"]

_Loops = tuple[int, ...]


def uses(block: Block, lowered: Lowered) -> Iterable[tuple[Node, Block]]:
    """What is read where, through what is computed where it is used. Lanes that never wait set what phis merge where
    they leave a loop, and keep it."""
    variables, waits = lowered.variables, lowered.waits

    def read(node: Node, user: Block) -> Iterable[tuple[Node, Block]]:
        if node in variables:
            yield node, user
        else:
            for arg in node.args:
                yield from read(arg, user)

    for phi in block.phis:
        if phi in variables:
            # On the way to the block, which lanes of several rounds of a loop may go together when they have left it.
            for arg, before in zip(phi.args, block.predecessors, strict=True):
                yield from read(arg, before)
                again = block in lowered.lanes.around.get(before, ())  # who leaves a loop in this one waits there
                counted = before.end.steps and before.end.ways[0] is block  # behind the loop, as no edge is that counts
                if waits or again or counted or len(before.end.ways) == 1:
                    yield from read(arg, block)
    for node in block.nodes:
        if node in variables or node.op in EFFECTS:  # an atomic whose result nobody wants has no variable
            for arg in node.args:
                yield from read(arg, block)
    if block.end.value is not None:
        yield from read(block.end.value, block)


def escaping(trees: list[Tree], variables: dict[Node, Variable]) -> tuple[set[Variable], set[tuple[int, Variable]]]:
    """Variables that a loop sets and that are read outside of it; in it lanes read them in their own rounds. And the
    copies, by the numbers of their pieces, that are set so on the way out of a loop, which is code in it."""
    sets: dict[Variable, set[_Loops]] = {}
    copies: dict[tuple[int, Variable], _Loops] = {}
    reads: dict[Variable, set[_Loops]] = {}

    def read(node: Node, loops: _Loops) -> None:
        variable = variables.get(node)
        if variable is not None:
            reads.setdefault(variable, set()).add(loops)
        else:
            for arg in node.args:
                read(arg, loops)

    def piece(one: Piece, loops: _Loops) -> None:
        for statement in one.statements:
            match statement:
                case Assign(variable, value):
                    sets.setdefault(variable, set()).add(loops)
                    for arg in value.args:
                        read(arg, loops)
                case Do(node, result):
                    if result is not None:
                        sets.setdefault(result, set()).add(loops)
                    for arg in node.args:
                        read(arg, loops)
                case Copies(pairs):
                    for variable, value in pairs:
                        sets.setdefault(variable, set()).add(loops)
                        copies[one.number, variable] = loops
                        read(value, loops)

    def walk(trees: list[Tree], loops: _Loops) -> None:
        for tree in trees:
            match tree:
                case Straight(one):
                    piece(one, loops)
                case Labelled(_, body):
                    walk(body, loops)
                case StructuredLoop(label, body):
                    walk(body, (*loops, label))
                case If(condition, then, otherwise):
                    read(condition, loops)
                    walk(then, loops)
                    walk(otherwise, loops)

    def leaves(variable: Variable, place: _Loops) -> bool:
        return any(loops[: len(place)] != place for loops in reads.get(variable, ()))

    walk(trees, ())
    found = {variable for variable, places in sets.items() if any(leaves(variable, place) for place in places)}
    return found, {copy for copy, place in copies.items() if leaves(copy[1], place)}
