"""Uniformity: which values and branches are the same for all lanes of a block that come to them together.

Lanes that take different ways meet again at the next block that all of their ways have in common, or at a barrier.
Lanes that have exited do not count, so a branch by which some lanes leave says nothing about those that stay.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..isa.types import Type
from .dominance import Dominators
from .ir import Block, Function, Node
from .operations import EFFECTS, LEAVES

__all__ = ["Uniformity"]

_LANE_SPECIALS = ("LANE_IDX_", "GLOBAL_LANE_ID")


class Uniformity:
    """`varying` are the nodes that may differ between lanes, `divergent` the blocks whose branch may go both ways.

    What an effect yields is varying: other lanes may store in between.
    """

    def __init__(self, function: Function) -> None:
        self.varying: set[Node] = set()
        self.divergent: set[Block] = set()
        self._scattered: set[Block] = set()  # lanes come here at different times: those that leave a loop with barriers
        self._home = {node: block for block in function.blocks for node in (*block.phis, *block.nodes)}
        self._users: dict[Node, list[Node]] = {}
        self._branches: dict[Node, list[Block]] = {}
        for node in function.nodes():
            for arg in node.args:
                self._users.setdefault(arg, []).append(node)
        for block in function.blocks:
            if block.end.value is not None:
                self._branches.setdefault(block.end.value, []).append(block)
        self._before = _predecessors(function.blocks)
        self._meeting = _closure((b for b in function.blocks if b.end.kind == "barrier"), self._before)
        self._end = Block(-1)
        self._join = self._joins(function)
        self._work: list[Node] = []
        for node in function.nodes():
            lane = node.op == "special" and node.attr.startswith(_LANE_SPECIALS)
            # Targets keep wide integers in memory of the lane.
            wide = isinstance(node.ty, Type) and node.ty.is_wide
            if lane or wide or (node.op in EFFECTS and node.ty is not None):
                self._vary(node)
        while self._work:
            node = self._work.pop()
            for user in self._users.get(node, []):
                self._vary(user)
            for block in self._branches.get(node, []):
                self._diverge(block)

    def is_uniform(self, node: Node) -> bool:
        return node not in self.varying

    def learn(self, node: Node) -> None:
        """Takes up a pure node that was made since: it varies where one of its arguments does."""
        if not all(map(self.is_uniform, node.args)):
            self.varying.add(node)

    def _ways(self, block: Block) -> list[Block]:
        """Where lanes go on from a block: not across a barrier, and to the end only if no barrier can follow."""
        if block.end.kind == "barrier":
            return []
        return [way for way in block.end.ways if way in self._meeting or block not in self._meeting]

    def _joins(self, function: Function) -> dict[Block, Block]:
        """For each block the first that all its ways have in common, or `_end`."""
        before: dict[Block, list[Block]] = {block: [] for block in (*function.blocks, self._end)}
        for block in function.blocks:
            for way in self._ways(block) or [self._end]:
                before[way].append(block)
        ending = _closure([self._end], before)
        before[self._end] += [block for block in function.blocks if block not in ending]  # loops without an end
        return Dominators(self._end, before.__getitem__).immediate

    def _vary(self, node: Node) -> None:
        if node not in self.varying:
            self.varying.add(node)
            self._work.append(node)

    def _diverge(self, block: Block) -> None:
        """Lanes go both ways here: what phis merge on the ways to where they meet again is varying."""
        if block in self.divergent:
            return
        self.divergent.add(block)
        join = self._join[block]
        region: set[Block] = set()
        work = self._ways(block)
        while work:
            other = work.pop()
            if other is not join and other not in region:
                region.add(other)
                work += self._ways(other)
        for other in (*region, join):
            edges = sum(before in region or before is block for before in other.predecessors)
            if edges > 1 or (block in region and other in region):  # the second: rounds of a loop that lanes leave
                for phi in other.phis:
                    self._vary(phi)
        if block in self._meeting:
            self._scatter(way for way in block.end.ways if way not in self._meeting)

    def _scatter(self, blocks: Iterable[Block]) -> None:
        work = list(blocks)
        while work:
            block = work.pop()
            if block in self._scattered:
                continue
            self._scattered.add(block)
            work += block.end.ways
            for phi in block.phis:
                self._vary(phi)
            for node in block.nodes:
                if any(a.op not in LEAVES and self._home[a] not in self._scattered for a in node.args):
                    self._vary(node)
            value = block.end.value
            if value is not None and value.op not in LEAVES and self._home[value] not in self._scattered:
                self._diverge(block)


def _predecessors(blocks: list[Block]) -> dict[Block, list[Block]]:
    found: dict[Block, list[Block]] = {block: [] for block in blocks}
    for block in blocks:
        for way in block.end.ways:
            found[way].append(block)
    return found


def _closure(roots: Iterable[Block], ways: dict[Block, list[Block]]) -> set[Block]:
    """Everything that the roots lead to, themselves included."""
    seen: set[Block] = set()
    work = list(roots)
    while work:
        block = work.pop()
        if block not in seen:
            seen.add(block)
            work += ways[block]
    return seen
