"""What accesses of memory check: that they are in bounds, and that their indices are on the axes of an array."""

from __future__ import annotations

from dataclasses import replace

from ..isa.types import Type
from .dominance import Dominators
from .ir import PRED, Axis, Block, Function, MemoryAccess, Node
from .operations import ACCESSES, PLACED, REACHING

__all__ = ["Check", "access_of", "axes_of", "beyond", "checks_of", "give_axes", "place_of", "repeated"]

# What may be proven: that an access is in bounds, or that its index on one of its axes is, by number.
Check = Node | tuple[Node, int]


def access_of(node: Node) -> MemoryAccess | None:
    """What an effect reaches in memory."""
    if node.op in ACCESSES:
        return node.attr  # type: ignore[no-any-return]  # a MemoryAccess, by the node's op
    return node.attr[1] if node.op in REACHING else None


def place_of(node: Node) -> MemoryAccess | None:
    """The element that a lane reaches, which is checked; of what reduces many the host has checked all."""
    return access_of(node) if node.op in PLACED else None


def axes_of(node: Node) -> list[tuple[Axis, Node, Node]]:
    """The axes that an access checks, with the index and the length of each."""
    access = access_of(node)
    if access is None or not access.axes:
        return []
    operands = node.args[-2 * len(access.axes) :]
    return list(zip(access.axes, operands[::2], operands[1::2], strict=True))


def give_axes(node: Node, axes: tuple[Axis, ...], operands: tuple[Node, ...]) -> None:
    """Lets an access check these axes, and no others; the operands are an index and a length for each."""
    access = access_of(node)
    assert access is not None
    node.args = (*node.args[: len(node.args) - 2 * len(access.axes)], *operands)
    access = replace(access, axes=axes)
    node.attr = access if node.op in ACCESSES else (node.attr[0], access)


def checks_of(node: Node) -> list[Check]:
    """All that an effect checks of where it reaches."""
    access = place_of(node)
    if access is None:
        return []
    return [(node, number) for number in range(len(access.axes))] + [node] * access.checked


def beyond(axis: Axis, index: Node, length: Node) -> Node:
    """The condition under which an index is not on its axis: one comparison of unsigned numbers.

    It takes another one where the sum might wrap from below to above.
    """
    ty = index.ty
    assert isinstance(ty, Type)
    if axis.offset:
        place = Node("add", ty, (index, Node("const", ty, (), ty.encode(axis.offset))))
        if axis.offset < 0:
            low = Node("lt", PRED, (index, Node("const", ty, (), -axis.offset)), ty)
            return Node("por", PRED, (low, Node("le", PRED, (length, place), ty)))
        index = place
    if ty.is_signed:
        index, length = (Node("bitcast", ty.unsigned, (node,), ty) for node in (index, length))
    return Node("le", PRED, (length, index), ty.unsigned)


_MOST_PLACES = 64  # that are looked at: more made the time quadratic


def repeated(function: Function) -> set[Check]:
    """Accesses, and axes of them, that a dominating one with the same index, base and place has checked already."""
    tree = Dominators(function.blocks[0], lambda block: block.end.ways)
    seen: dict[tuple[object, ...], list[tuple[Block, int]]] = {}
    found: set[Check] = set()

    def see(check: Check, block: Block, place: tuple[object, ...], size: int) -> None:
        before = seen.setdefault(place, [])
        if any(size <= other and tree.dominates(home, block) for home, other in before[-_MOST_PLACES:]):
            found.add(check)
        else:
            before.append((block, size))

    for block in tree.order:
        for node in block.nodes:
            access = place_of(node)
            if access is None:
                continue
            for number, (axis, index, length) in enumerate(axes_of(node)):
                see((node, number), block, (index, length, axis.offset), 1)
            if access.checked:
                place = node.args[0], access.base, access.scale, access.offset
                see(node, block, place, access.reach)
    return found
