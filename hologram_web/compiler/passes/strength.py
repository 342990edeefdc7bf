"""Strength reduction: divisions by powers of two become shifts and masks, the remainder beside a quotient a product.

Compilers behind the targets know divisions of 32 bits by constants as well as anybody. What they do not know is that
an integer is not negative, and what division of 64 bits and more is where the target has none (a routine). A product
of 32 bits stays one: bounds proofs look for it, and no processor minds.
"""

from __future__ import annotations

from ...isa.types import Type
from ..dominance import Dominators
from ..ir import Block, Function, Node
from ..operations import DIVISIONS
from .fold import Context

__all__ = ["reduce_strength"]

_LONG = 64  # bits, from which on a division by a constant is not left to the compilers behind


def reduce_strength(function: Function) -> int:
    """How many divisions and products became something cheaper."""
    found = [
        (block, node)
        for block in function.blocks
        for node in block.nodes
        if (node.op in DIVISIONS or node.op == "mul") and isinstance(node.ty, Type) and node.ty.is_integer
    ]
    quotients: dict[object, list[tuple[Block, Node]]] = {}
    for block, node in found:
        if node.op == "div":
            quotients.setdefault((node.ty, node.args), []).append((block, node))
    found = [
        (block, node)
        for block, node in found
        if _exponent(node) or (node.op == "rem" and (node.ty, node.args) in quotients)
    ]
    if not found:
        return 0
    context = Context(function)
    tree = Dominators(function.blocks[0], lambda block: block.end.ways)
    count = 0
    for block, node in found:
        before: list[Node] = []
        if not _by_power(node, context, before):
            beside = quotients.get((node.ty, node.args), []) if node.op == "rem" else []
            if not any(home is block or tree.dominates(home, block) for home, _ in beside):
                continue
            _from_quotient(node, before)
        place = block.nodes.index(node)
        block.nodes[place:place] = before
        count += 1
    return count


def _exponent(node: Node) -> int:
    """k, if one divides or multiplies by 2**k; 0 for everything else, 2**0 included, which is a rule of `fold`."""
    assert isinstance(node.ty, Type)
    if node.op == "mul" and node.ty.bits < _LONG:
        return 0
    for arg in node.args[1 if node.op != "mul" else 0 :]:
        if arg.is_const:
            value = int(node.ty.decode(arg.attr))
            return value.bit_length() - 1 if value > 0 and not value & (value - 1) else 0
    return 0


def _by_power(node: Node, context: Context, before: list[Node]) -> bool:
    """Makes the node, of operands that come before it, a shift, a mask or a sum, if it is one by a power of two."""
    exponent, ty = _exponent(node), node.ty
    assert isinstance(ty, Type)
    if not exponent:
        return False
    positive = node.op != "mul" and context.ranges.of(node.args[0])[0] >= 0
    if ty.bits < _LONG and not positive:
        return False
    mask = (1 << exponent) - 1
    amount = context.const(Type.U32, exponent)

    def make(op: str, *args: Node) -> Node:
        before.append(Node(op, ty, args))
        return before[-1]

    if node.op == "mul":
        factor = node.args[1] if node.args[0].is_const else node.args[0]
        node.op, node.args = "shl", (factor, amount)
        return True
    x = node.args[0]
    if positive:
        node.op, node.args = ("shr", (x, amount)) if node.op == "div" else ("and", (x, context.const(ty, mask)))
        return True
    # Shifts round down; negative numbers are first raised, so that they round toward zero.
    sign = make("shr", x, context.const(Type.U32, ty.bits - 1))
    raised = make("add", x, make("and", sign, context.const(ty, mask)))
    if node.op == "div":
        node.op, node.args = "shr", (raised, amount)
    else:
        node.op, node.args = "sub", (x, make("and", raised, context.const(ty, ty.encode(~mask))))
    return True


def _from_quotient(node: Node, before: list[Node]) -> None:
    """Makes a remainder a - a / b * b. The quotient is there: `cse` finds it."""
    quotient = Node("div", node.ty, node.args)
    product = Node("mul", node.ty, (quotient, node.args[1]))
    before += [quotient, product]
    node.op, node.args = "sub", (node.args[0], product)
