"""In what order groups of lanes go, so that those that parted wait for each other: from the graph alone.

A group waits for every other that can still come to where it is, in the same round of the innermost loop around both;
one that goes back in a loop waits for all that are in it.
"""

from __future__ import annotations

from functools import cache

from hologram_web.compiler.ir import Block, Function

__all__ = ["Order"]

_Place = tuple[Block, bool]  # a block, and whether it is the start of a loop that a group came back to


class Order:
    """The order of the blocks of a function."""

    def __init__(self, function: Function) -> None:
        self._entry = function.blocks[0]
        self._blocks = self._reach(self._entry, None, None)
        self._edges = {
            (block, way)
            for block in self._blocks
            for way in block.end.ways
            if block in self._reach(way, None, None) and self._dominates(way, block)
        }
        self._headers = {way for _, way in self._edges}
        self._body = {
            header: {
                block
                for block in self._reach(header, None, None)
                if any(source in self._reach(block, header, None) for source, way in self._edges if way is header)
                and self._dominates(header, block)
            }
            for header in self._headers
        }
        self._precedes = cache(self._before)

    def is_back(self, source: Block, way: Block) -> bool:
        return (source, way) in self._edges

    def first(self, places: list[_Place]) -> _Place:
        """The place whose group is next."""
        for place in places:
            if not any(self._precedes(other, place) for other in places if other != place):
                return place
        return min(places, key=lambda place: place[0].number)  # in loops with several entries

    def _before(self, one: _Place, other: _Place) -> bool:
        """Whether a group at one place may come to the other without a new round of a loop around both."""
        around = [h for h, body in self._body.items() if one[0] in body and other[0] in body]
        loop = min(around, key=lambda header: len(self._body[header]), default=None)
        if other[1] and other[0] is loop:  # another round starts when nobody is in this one
            return not (one[1] and one[0] is loop)
        if one[1] and one[0] is loop:
            return False
        return other[0] in self._reach(one[0], None, loop)

    def _reach(self, start: Block, but: Block | None, loop: Block | None) -> set[Block]:
        """Blocks that one leads to, itself included: not by way of `but`, nor back to the start of `loop`."""
        seen: set[Block] = set()
        work = [start]
        while work:
            block = work.pop()
            if block not in seen:
                seen.add(block)
                work += (w for w in block.end.ways if w is not but and not (w is loop and (block, w) in self._edges))
        return seen

    def _dominates(self, one: Block, other: Block) -> bool:
        return one is other or one is self._entry or other not in self._reach(self._entry, one, None)
