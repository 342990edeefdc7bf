"""Products with reciprocals in place of divisions, which `math="fast"` allows.

A vector unit takes some ten cycles for a division, and begins the next only when it is nearly done.
"""

from __future__ import annotations

from ...compiler.dominance import Dominators, loop_body
from ...compiler.ir import Block, Function, Node
from ...compiler.turned import copied
from ...isa.ops import SCALAR_OPS
from ...isa.types import Type

__all__ = ["with_reciprocals"]

_F32 = Type.F32
_ONE = _F32.encode(1.0)
_LEAST = 2.0**-126  # of the numbers that are normal


def with_reciprocals(function: Function) -> Function:
    """The function, of which divisions of F32 are products where the divisor is a constant, the same in all rounds of a
    loop around them, or that of another one, too. It stays as it is."""
    if not any(map(_divides, function.nodes())):
        return function
    function = copied(function)
    home = {node: block for block in function.blocks for node in (*block.phis, *block.nodes)}
    several: dict[Node, int] = {}
    for node in filter(_divides, home):
        several[node.args[1]] = several.get(node.args[1], 0) + 1
    loops, made = _loops(function), dict[Node, Node]()
    for node, block in home.items():
        if not _divides(node):
            continue
        x, divisor = node.args
        around = any(block in body and home.get(divisor) not in body for body in loops)
        if divisor not in made and (found := _reciprocal(divisor, around or several[divisor] > 1)) is not None:
            made[divisor] = found
            _put(found, divisor, function.blocks[0] if found.is_const else home.get(divisor, function.blocks[0]))
        if divisor in made:
            node.op, node.args = "mul", (x, made[divisor])
    function.renumber()
    return function


def _divides(node: Node) -> bool:
    return node.op == "div" and node.ty is _F32


def _reciprocal(divisor: Node, often: bool) -> Node | None:
    if not divisor.is_const:
        return Node("div", _F32, (Node("const", _F32, (), _ONE), divisor)) if often else None
    bits = SCALAR_OPS.div(_F32, _ONE, divisor.attr)
    return Node("const", _F32, (), bits) if _LEAST <= abs(_F32.decode(bits)) < 1 / _LEAST else None


def _put(reciprocal: Node, divisor: Node, block: Block) -> None:
    """Behind what it is the reciprocal of."""
    block.nodes.insert(block.nodes.index(divisor) + 1 if divisor in block.nodes else 0, reciprocal)


def _loops(function: Function) -> list[set[Block]]:
    """The blocks of each loop."""
    tree = Dominators(function.blocks[0], lambda block: block.end.ways)
    ways = [(block, way) for block in tree.order for way in block.end.ways if tree.dominates(way, block)]
    return [{header} | loop_body(header, [latch]) for latch, header in ways]
