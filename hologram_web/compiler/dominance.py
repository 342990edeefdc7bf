"""Dominators (Cooper, Harvey and Kennedy 2001), over any graph given by successors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from typing import Generic, TypeVar

from .ir import Block

__all__ = ["Dominators", "loop_body", "reverse_postorder"]

N = TypeVar("N", bound=Hashable)


def reverse_postorder(entry: N, successors: Callable[[N], Iterable[N]]) -> list[N]:
    """Nodes reachable from `entry`, each before its successors where there is no cycle."""
    seen = {entry}
    order: list[N] = []
    stack = [(entry, iter(successors(entry)))]
    while stack:
        node, ways = stack[-1]
        for way in ways:
            if way not in seen:
                seen.add(way)
                stack.append((way, iter(successors(way))))
                break
        else:
            order.append(node)
            stack.pop()
    return order[::-1]


class Dominators(Generic[N]):
    """`order` is reverse postorder, `number` the place in it, `immediate` the parent in the dominator tree."""

    def __init__(self, entry: N, successors: Callable[[N], Iterable[N]]) -> None:
        self.order = reverse_postorder(entry, successors)
        self.number = {node: number for number, node in enumerate(self.order)}
        self.predecessors: dict[N, list[N]] = {node: [] for node in self.order}
        for node in self.order:
            for way in successors(node):
                self.predecessors[way].append(node)
        self.immediate: dict[N, N] = {entry: entry}
        changed, goes_back = True, False
        while changed:
            changed = False
            for node in self.order[1:]:
                known = [before for before in self.predecessors[node] if before in self.immediate]
                goes_back |= len(known) < len(self.predecessors[node])
                parent = known[0]
                for other in known[1:]:
                    parent = self._common(parent, other)
                if self.immediate.get(node) != parent:
                    self.immediate[node] = parent
                    changed = True
            changed = changed and goes_back  # else it was found in one go

    def _common(self, a: N, b: N) -> N:
        while a != b:
            while self.number[a] > self.number[b]:
                a = self.immediate[a]
            while self.number[b] > self.number[a]:
                b = self.immediate[b]
        return a

    def dominates(self, a: N, b: N) -> bool:
        """Whether every way from the entry to b comes by a."""
        (first, last), (number, _) = self._spans[a], self._spans[b]
        return first <= number <= last

    @cached_property
    def _spans(self) -> dict[N, tuple[int, int]]:
        """The first and the last number of what each node dominates, itself the first: parents before children."""
        sizes = dict.fromkeys(self.order, 1)
        for node in self.order[:0:-1]:
            sizes[self.immediate[node]] += sizes[node]
        found = {self.order[0]: (0, len(self.order) - 1)}
        free = {self.order[0]: 1}  # the next number among what a node dominates
        for node in self.order[1:]:
            parent = self.immediate[node]
            first = free[parent]
            free[parent] += sizes[node]
            found[node] = first, first + sizes[node] - 1
            free[node] = first + 1
        return found

    def children(self) -> dict[N, list[N]]:
        """The dominator tree."""
        found: dict[N, list[N]] = {node: [] for node in self.order}
        for node in self.order[1:]:
            found[self.immediate[node]].append(node)
        return found


def loop_body(header: Block, latches: Iterable[Block]) -> set[Block]:
    """The blocks of a loop: those from which it goes back by a latch without leaving."""
    found = {header}
    work = list(latches)
    while work:
        block = work.pop()
        if block not in found:
            found.add(block)
            work += block.predecessors
    return found
