"""Blocks whose rows are one lane, turned so that their rows lie along the first axis of more.

The lanes of a block are numbered along x first, so those of (1, 9, 2) have the numbers of those of (9, 2, 1), and only
what asks for an axis by its name has to ask for another. Blocks of one lane are its place in a block of many: they wait
for nobody at barriers, and share memory with nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..isa.types import Type
from .ir import Block, Function, Node, Terminator

__all__ = ["SPAN", "copied", "turned"]

_PLACES = ("LANE_IDX_", "BLOCK_IDX_", "GRID_DIM_", "BLOCK_DIM_")
SPAN = 64  # blocks that are one loop of lanes at most


def turned(function: Function) -> Function:
    """The function with its rows along the first axis of more than one lane, or itself. It stays as it is; the other's
    `axes` say which axis of the launch each of its own is."""
    shape = function.block_shape
    if shape == (1, 1, 1):
        return _spanned(function)
    first = next((axis for axis in range(3) if shape[axis] > 1), 0)
    if not first:
        return function
    axes = [(first + axis) % 3 for axis in range(3)]
    names = {f"{place}{'XYZ'[was]}": f"{place}{'XYZ'[axis]}" for place in _PLACES for axis, was in enumerate(axes)}
    found = copied(function, lambda node: names.get(node.attr, node.attr) if node.op == "special" else node.attr)
    x, y, z = (shape[axis] for axis in axes)
    found.block_shape, found.axes = (x, y, z), (axes[0], axes[1], axes[2])
    return found


def _spanned(function: Function) -> Function:
    """The function of blocks of one lane, many of which lie in a block along the first axis of the launch."""
    found = copied(function)
    for block in found.blocks:
        if block.end.kind == "barrier":
            block.end.kind = "jump"
        for number, node in reversed([*enumerate(block.nodes)]):
            if node.op == "special" and node.attr == "BLOCK_IDX_X":
                places = [Node("special", Type.U32, (), f"{name}_IDX_X") for name in ("BLOCK", "LANE")]
                node.op, node.args, node.attr = "add", tuple(places), None
                block.nodes[number:number] = places
    found.block_shape, found.spans = (SPAN, 1, 1), SPAN
    found.renumber()
    return found


def copied(function: Function, attribute: Callable[[Node], Any] = lambda node: node.attr) -> Function:
    """Another function with nodes and blocks of its own, of which nodes have these attributes."""
    made: dict[Node, Node] = {}

    def of(node: Node) -> Node:
        if node not in made:
            made[node] = Node(node.op, node.ty, (), attribute(node))
        return made[node]

    blocks = {block: Block(block.number) for block in function.blocks}
    for block, other in blocks.items():
        other.predecessors = [blocks[before] for before in block.predecessors]
        other.phis, other.nodes = list(map(of, block.phis)), list(map(of, block.nodes))
        for node in (*block.phis, *block.nodes):
            of(node).args = tuple(map(of, node.args))
        end = block.end
        value = None if end.value is None else of(end.value)
        other.end = Terminator(end.kind, [blocks[way] for way in end.ways], value, end.at, end.steps)
    found = replace(function, blocks=list(blocks.values()), fired=Counter(function.fired))
    found.renumber()
    return found
