"""Kernels that write several arrays at once: maps of one shape that read the same memory, or one another."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from .elementwise import MAPS
from .grouping import MOST_ARRAYS, MOST_NODES, FusedKernel, read_by
from .node import ArrayNode
from .sizes import is_known
from .view import View

__all__ = ["at_once"]

_MOST_RESULTS = 4
_BYTES = 4  # of an element: wider ones leave few registers for others, narrower ones share words
_LAST = 8  # kernels of a shape that a further map may become a part of


class _Maps:
    """A kernel of maps: what it writes, and what it reads. `number` is its place."""

    def __init__(self, number: int, root: ArrayNode, held: Container[int]) -> None:
        self.number, self.roots = number, [root]
        self.reads: dict[int, ArrayNode] = {}  # in memory
        self.elsewhere: set[int] = set()  # of these what it looks up by a view
        self.views: set[View] = set()  # but those of one element
        self.nodes = 1
        work, seen = [(arg, False) for arg in root.args], set[tuple[int, bool]]()
        while work:
            node, viewed = work.pop()
            if (id(node), viewed) in seen:
                continue
            seen.add((id(node), viewed))
            if id(node) in held:
                self.reads[id(node)] = node
                self.elsewhere |= {id(node)} if viewed else set()
                continue
            self.nodes += 1
            if node.op == "view" and any(stride != 0 for stride in node.attrs.strides):
                self.views.add(node.attrs)
            work += [(arg, viewed or node.op == "view") for arg in node.args]

    def takes(self, other: _Maps, places: Mapping[int, int]) -> bool:
        """Whether the other one may be a part of this one, which runs before it: all that it reads is there then, or is
        written here, and the loops over both are the same. `places` are the numbers of kernels by what they write."""
        own = {id(root) for root in self.roots}
        before = [node for key, node in other.reads.items() if key not in own]
        both = self.reads | other.reads
        return (
            len(self.roots) < _MOST_RESULTS
            and self.views == other.views
            and not own & other.elsewhere
            and all(node.op == "source" or places.get(id(node), self.number) < self.number for node in before)
            and len(both) < len(self.reads) + len(other.reads) + (not own.isdisjoint(other.reads))
            and len(both.keys() - own) + len(self.roots) < MOST_ARRAYS + 1
            and self.nodes + other.nodes <= MOST_NODES
        )

    def join(self, other: _Maps) -> None:
        self.roots += other.roots
        self.reads |= other.reads
        self.elsewhere |= other.elsewhere
        self.nodes += other.nodes


def at_once(
    found: Sequence[FusedKernel], held: set[int], apart: Container[int], kept: Container[int]
) -> list[FusedKernel]:
    """Kernels of which maps are one where they read the same: each array is read once then. Those in `apart` stay by
    themselves. What nobody but such a kernel reads is `held` no more, unless it is `kept`."""
    places = {id(group.root): number for number, group in enumerate(found)}
    by_shape: dict[tuple[int, ...], list[_Maps]] = {}
    hosts: dict[int, _Maps] = {}
    gone: set[int] = set()
    for number, group in enumerate(found):
        root = group.root
        if group.core is not None or root.op not in MAPS or not root.args or id(root) in apart:
            continue
        if root.dtype.size_bytes != _BYTES or not all(map(is_known, root.shape)):
            continue
        mine = _Maps(number, root, held)
        some = by_shape.setdefault(root.shape, [])
        host = next((each for each in reversed(some[-_LAST:]) if each.takes(mine, places)), None)
        if host is None:
            some.append(mine)
            continue
        host.join(mine)
        hosts[host.number] = host
        gone.add(number)
        places[id(root)] = host.number
    if not gone:
        return list(found)
    made = []
    for number, group in enumerate(found):
        if number in hosts:
            root, *more = hosts[number].roots
            made.append(replace(group, root=root, more=tuple(more)))
        elif number not in gone:
            made.append(group)
    readers: dict[int, set[int]] = {}
    for group in made:
        for node in read_by(group, held, kept):
            readers.setdefault(id(node), set()).add(id(group.root))
    return [_without_inner(group, held, kept, readers) if group.more else group for group in made]


def _without_inner(
    group: FusedKernel, held: set[int], kept: Container[int], readers: Mapping[int, set[int]]
) -> FusedKernel:
    """Without what it would write for itself alone."""
    inner = {id(root) for root in group.written if id(root) not in kept and readers.get(id(root)) == {id(group.root)}}
    held -= inner
    root, *more = [each for each in group.written if id(each) not in inner]
    return replace(group, root=root, more=tuple(more))
