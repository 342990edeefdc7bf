"""Load and store forwarding: a lane does not load what it stored or loaded, nor store what nobody sees.

A place is a base, a node, a scale and an offset. A store to a place that may be the same bytes ends what is known of
it: any two buffers may be one, only shared and local memory are never buffers. What other lanes write is seen after
barriers, atomics and fences, so those end everything. What is known goes on into blocks that have one predecessor.

Faults stay: what goes is as large as the access before it at the same place, which was in bounds or has faulted. A
store that is overwritten unseen is checked by the store that stays, in its name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...isa.address import ON_CHIP
from ...isa.types import Type
from ...isa.verify import Base
from ..accesses import axes_of
from ..ir import Block, Function, MemoryAccess, Node, Replaced
from ..operations import ACCESSES

__all__ = ["forward"]

_MOST = 32  # places remembered, so that time stays linear


class _Place(NamedTuple):
    base: Base
    node: Node | None  # the index; None if the offset is all
    scale: int
    offset: int
    element: Type
    axes: tuple[object, ...]  # what was checked

    def apart(self, other: _Place) -> bool:
        """Whether the two have no byte in common for sure."""
        if self.base.space is not other.base.space and not ON_CHIP.isdisjoint((self.base.space, other.base.space)):
            return True
        if (self.base, self.node, self.scale) != (other.base, other.node, other.scale):
            return False
        low, high = (self, other) if self.offset <= other.offset else (other, self)
        return low.offset + low.element.size_bytes <= high.offset


def _place(node: Node) -> _Place:
    access: MemoryAccess = node.attr
    index, axes = node.args[0], tuple((axis.offset, *operands) for axis, *operands in axes_of(node))
    if index.is_const and isinstance(index.ty, Type):
        byte = int(index.ty.decode(index.attr)) * access.scale
        return _Place(access.base, None, 0, byte + access.offset, access.element, axes)
    return _Place(access.base, index, access.scale, access.offset, access.element, axes)


def forward(function: Function) -> int:
    """How many loads and stores were removed."""
    reached = [(n.attr.base, n.args[0]) for block in function.blocks for n in block.nodes if n.op in ACCESSES]
    if len(set(reached)) == len(reached):
        return 0
    replaced = Replaced()
    stores = 0
    known: dict[Block, dict[_Place, Node]] = {}  # at the ends of blocks
    for block in function.blocks:  # a block comes after its only predecessor, or knows nothing
        before = block.predecessors[0] if len(block.predecessors) == 1 else None
        values = {} if before is None or before.end.kind == "barrier" else dict(known.get(before, {}))
        stores += _block(block, values, replaced)
        known[block] = values
    if replaced:
        replaced.put_into(function.blocks)
    return len(replaced) + stores


def _block(block: Block, values: dict[_Place, Node], replaced: Replaced) -> int:
    """Goes through a block with what is known at its start; gives how many stores were removed."""
    unseen: dict[_Place, Node] = {}  # stores that nothing has read
    gone: set[Node] = set()
    for node in block.nodes:
        if replaced:
            node.args = tuple(replaced.get(arg, arg) for arg in node.args)
        if node.op in ("atomic", "fence"):
            values.clear()
            unseen.clear()
        elif node.op == "reduce":
            unseen.clear()
        elif node.op == "load":
            place = _place(node)
            if place in values:
                replaced[node] = values[place]
                gone.add(node)
                continue
            values[place] = node
            for other in [other for other in unseen if not other.apart(place)]:
                del unseen[other]
        elif node.op == "store":
            place, value = _place(node), node.args[1]
            if values.get(place) is value:
                gone.add(node)
                continue
            if place in unseen:
                first = unseen.pop(place)
                gone.add(first)
                checked = node.attr.checked and first.attr.checked
                node.attr = replace(node.attr, at=first.attr.at, checked=checked, axes=first.attr.axes)
            for other in [other for other in values if not other.apart(place)]:
                del values[other]
            if value.ty is place.element:
                values[place] = value
            unseen[place] = node
        for places in (values, unseen):
            if len(places) > _MOST:
                del places[next(iter(places))]
    if gone:
        block.nodes = [node for node in block.nodes if node not in gone]
    return sum(node.op == "store" for node in gone)
