"""Structured control flow from any graph of pieces (Ramsey 2022, "Beyond Relooper", on the dominator tree).

Loops of several entries are given one before (`reducible.py`); a graph without such loops is never touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from .dominance import Dominators
from .ir import Node
from .out_of_ssa import Copies, Count, Go, Piece
from .recursion import deep_recursion
from .reducible import reducible_tree

__all__ = [
    "If",
    "Labelled",
    "Stop",
    "Straight",
    "StructuredBranch",
    "StructuredLoop",
    "Tree",
    "ends",
    "steps_in",
    "structure",
]


@dataclass
class Straight:
    """The statements of a piece."""

    piece: Piece


@dataclass
class Labelled:
    """Code that `StructuredBranch(label)` leaves forward."""

    label: int
    body: list[Tree]


@dataclass
class StructuredLoop:
    """Code that `StructuredBranch(label)` starts again; falling off its end leaves it.

    `latches` are the pieces that go back.
    """

    label: int
    body: list[Tree]
    latches: list[Piece]


@dataclass
class If:
    """Two ways by a predicate."""

    condition: Node
    then: list[Tree]
    otherwise: list[Tree]


@dataclass
class StructuredBranch:
    """Goes to the end of a Labelled or to the start of a StructuredLoop."""

    label: int


@dataclass
class Stop:
    """The lane ends (exit), or waits at the barrier of a piece, or arrives at a collective."""

    piece: Piece


Tree = Straight | Labelled | StructuredLoop | If | StructuredBranch | Stop


def ends(trees: list[Tree]) -> bool:
    """Whether nobody goes on behind code."""
    match trees[-1] if trees else None:
        case StructuredBranch() | Stop():
            return True
        case If(_, then, otherwise):
            return ends(then) and ends(otherwise)
    return False


def steps_in(trees: list[Tree]) -> list[Count]:
    """The steps that lanes count in code."""
    found: list[Count] = []
    for tree in trees:
        match tree:
            case Straight(piece):
                found += [statement for statement in piece.statements if isinstance(statement, Count)]
            case Labelled(_, body) | StructuredLoop(_, body):
                found += steps_in(body)
            case If(_, then, otherwise):
                found += steps_in(then) + steps_in(otherwise)
    return found


@lru_cache(maxsize=8)  # who chooses the form of a kernel looks at it first
def structure(entry: Piece) -> list[Tree]:
    """The code from `entry` on, up to barriers, as nested constructs, which nobody changes."""
    tree = reducible_tree(entry)
    with deep_recursion():
        return _Flattener().code(_Structurer(tree).tree(tree.order[0]))


_DEEP = 24  # a chain of elif nests no deeper: shader compilers refuse more than 127 constructs in each other


class _Flattener:
    """Takes branches to where code goes anyway, and labels that nothing goes to then."""

    def __init__(self) -> None:
        self.tails: dict[int, int] = {}  # by the identity of code: how many ifs lie in each other at its end

    def code(self, trees: list[Tree], ends: frozenset[int] = frozenset(), depth: int = 0) -> list[Tree]:
        """`ends` are the labels at the end of this code, `depth` is how many ifs it is the end of.

        Where these are many, the shorter way of an if goes on to leave by a branch, so that the longer one can stand
        behind it.
        """
        if not trees:
            return trees
        *before, last = trees
        head = [tree for one in before for tree in self.code([one])]
        match last:
            case StructuredBranch(label) if label in ends:
                return head
            case If(condition, then, otherwise):
                first, second = ends, ends
                if depth >= _DEEP and self._tail(then) > self._tail(otherwise):
                    second = frozenset()
                elif depth >= _DEEP:
                    first = frozenset()
                ways = self.code(then, first, depth + 1), self.code(otherwise, second, depth + 1)
                return [*head, If(condition, *ways)]
            case StructuredLoop(label, body, latches):
                return [*head, StructuredLoop(label, self.code(body), latches)]
            case Labelled(label, body):
                body = self.code(body, ends | {label})
                return [*head, Labelled(label, body)] if _goes_to(label, body) else head + body
            case _:
                return [*head, last]

    def _tail(self, trees: list[Tree]) -> int:
        if id(trees) not in self.tails:
            last = trees[-1] if trees else None
            nested = isinstance(last, If) and 1 + max(self._tail(last.then), self._tail(last.otherwise))
            self.tails[id(trees)] = int(nested)
        return self.tails[id(trees)]


def _goes_to(label: int, trees: list[Tree]) -> bool:
    for tree in trees:
        match tree:
            case StructuredBranch(target):
                found = target == label
            case If(_, then, otherwise):
                found = _goes_to(label, then) or _goes_to(label, otherwise)
            case Labelled(_, body) | StructuredLoop(_, body):
                found = _goes_to(label, body)
            case _:
                found = False
        if found:
            return True
    return False


class _Structurer:
    def __init__(self, tree: Dominators[Piece]) -> None:
        self.tree_of = tree
        self.number = self.tree_of.number
        self.children = self.tree_of.children()
        self.merges: set[Piece] = set()
        self.headers: set[Piece] = set()
        for piece in self.tree_of.order:
            before = self.tree_of.predecessors[piece]
            forward = [other for other in before if self.number[other] < self.number[piece]]
            if len(forward) > 1:
                self.merges.add(piece)
            if len(forward) < len(before):
                self.headers.add(piece)
        self.behind = self._behind()
        self.moved = {piece for pieces in self.behind.values() for piece in pieces}

    def _behind(self) -> dict[Piece, list[Piece]]:
        """By header, the pieces where lanes go on that leave its loop: they are placed behind it, not in it.

        Inside they would cost every round (measured in WGSL on llvmpipe: Mandelbrot took six times as long).
        """
        found: dict[Piece, list[Piece]] = {header: [] for header in self.headers}
        loops: dict[Piece, list[Piece]] = {}  # the headers of the loops that a piece is in, outermost first
        for header in sorted(self.headers, key=self.number.__getitem__):
            predecessors = self.tree_of.predecessors
            work = [other for other in predecessors[header] if self.number[other] >= self.number[header]]
            inside = {header}
            while work:
                piece = work.pop()
                if piece not in inside:
                    inside.add(piece)
                    work += predecessors[piece]
            for piece in inside:
                loops.setdefault(piece, []).append(header)
        for piece in self.tree_of.order[1:]:
            above = self.tree_of.immediate[piece]
            while self._is_edge(above) and above is not self.tree_of.order[0]:
                above = self.tree_of.immediate[above]  # edges stay in the loop, what is behind them does not
            left = [header for header in loops.get(above, []) if header not in loops.get(piece, [])]
            if left and not self._is_edge(piece):
                found[left[0]].append(piece)
                self.merges.add(piece)
        return found

    def _is_edge(self, piece: Piece) -> bool:
        """Whether a piece only sets variables on the way from one piece to another: that is best done at the branch.

        Behind the loop a flag would have to say that it is to be done.
        """
        alone = len(self.tree_of.predecessors[piece]) == 1 and piece.kind == "jump"
        return alone and all(isinstance(statement, Copies | Go) for statement in piece.statements)

    def tree(self, piece: Piece) -> list[Tree]:
        """The code of a piece and of everything it dominates."""
        # What several ways come to is placed behind, the last in order outermost.
        merges = [child for child in self.children[piece] if child in self.merges and child not in self.moved]
        code = self._behind_each_other(self._node(piece), merges)
        if piece in self.headers:
            latches = [p for p in self.tree_of.predecessors[piece] if self.number[p] >= self.number[piece]]
            code = self._behind_each_other([StructuredLoop(self._loop_label(piece), code, latches)], self.behind[piece])
        return code

    def _behind_each_other(self, code: list[Tree], pieces: list[Piece]) -> list[Tree]:
        for piece in sorted(pieces, key=self.number.__getitem__):
            code = [Labelled(self.number[piece], code), *self.tree(piece)]
        return code

    def _loop_label(self, piece: Piece) -> int:
        return self.number[piece] + len(self.number)

    def _node(self, piece: Piece) -> list[Tree]:
        code: list[Tree] = [Straight(piece)] if piece.statements else []
        if piece.kind == "jump":
            return code + self._branch(piece, piece.ways[0])
        if piece.kind == "branch":
            assert piece.value is not None
            ways = [self._branch(piece, way) for way in piece.ways]
            return [*code, If(piece.value, ways[0], ways[1])]
        return [*code, Stop(piece)]

    def _branch(self, source: Piece, target: Piece) -> list[Tree]:
        if self.number[target] <= self.number[source]:
            return [StructuredBranch(self._loop_label(target))]
        if target in self.merges:
            return [StructuredBranch(self.number[target])]
        return self.tree(target)
