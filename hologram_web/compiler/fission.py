"""Loop fission over lanes, where the lanes of a block provably stop at the same barriers.

The code is divided into what the block does once and *runs*, which all lanes do, one after the other or side by side.
Branches that choose the next barrier, and the uniform values that they need, belong to the block. A run ends where the
block goes on: at a barrier, before such a branch, before a uniform variable changes, and where ways of the block meet.
A branch by which lanes only leave (they exit before the next barrier) may stay in a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial

from ..errors import CompileError
from ..isa.types import Type
from .dominance import Dominators
from .ir import Node
from .operations import LEAVES, PURE
from .out_of_ssa import Assign, Copies, Count, Do, Lowered, Meet, ParallelRegion, Piece, Statement, Variable, targets_of
from .ranges import Ranges, may_trap
from .recursion import deep_recursion

__all__ = ["Fission", "fission", "reachable"]

_MOST_COPIES = 8
_MOST_PIECES = 20_000


@dataclass
class Fission:
    """`entry` is the code of the block: pieces whose statements are its own, runs, and barriers.

    `uniform` are the variables of the block, and `known` says whether the block can compute a value. `endless`
    says that lanes may leave inside a loop of the block, so that nothing uniform tells when the last is gone.
    """

    entry: Piece
    uniform: set[Variable]
    known: Callable[[Node], bool]
    runs: list[ParallelRegion]
    endless: bool


@lru_cache(maxsize=2)
def fission(lowered: Lowered) -> Fission | None:
    """The division of a function with barriers, or None where it depends on the lane which barrier is next."""
    skeleton = _Skeleton(lowered)
    if skeleton.divergent:
        _check_size(lowered, lowered.resumes)
        return None
    with deep_recursion():
        plan = _Divider(lowered, skeleton).divide()
    _check_size(lowered, lowered.resumes if plan.endless else [run.entry for run in plan.runs])
    return plan


def _check_size(lowered: Lowered, roots: list[Piece]) -> None:
    """What lanes do from one barrier to the next is written once for each barrier: refuses code that grows by that."""
    most = _MOST_COPIES * len(lowered.pieces) + _MOST_PIECES
    count = 0
    for root in roots:
        count += len(reachable([root], lambda piece: piece.successors))
        if count > most:
            at = next(piece.at for piece in lowered.pieces if piece.kind == "barrier")
            raise CompileError(
                at,
                f"behind each of {len(roots) - 1} barriers lanes may go on to much of the code, which would be written "
                f"for each of them, more than {most:,} blocks in all: let fewer barriers lie in loops and branches",
            )


class _Skeleton:
    """What the block decides: `choices` are its branches, `uniform` its variables.

    `meeting` are the pieces that a barrier may follow. Of these, all lanes come to those of the `spine` together.
    """

    def __init__(self, lowered: Lowered) -> None:
        self.lowered = lowered
        self.ranges = Ranges(lowered.function)
        self.lanes = lowered.lanes
        self.pieces = reachable([lowered.resumes[0]], lambda piece: piece.ways)
        self._before: dict[Piece, list[Piece]] = {piece: [] for piece in self.pieces}
        for piece in self.pieces:
            for way in piece.ways:
                self._before[way].append(piece)
        barriers = [piece for piece in self.pieces if piece.kind == "barrier"]
        self.meeting = set(reachable(barriers, self._before.__getitem__))
        self._dominate()
        nexts = self._next_barriers(barriers)
        branches = [piece for piece in self.pieces if piece in self.meeting and piece.kind == "branch"]
        blocks = lowered.function.blocks  # the pieces that branch are blocks, numbered like them
        self.choices = {p for p in branches if nexts[p] > 1 and blocks[p.number] not in self.lanes.divergent}
        while True:
            self.spine = self._spine(branches)
            self.uniform = self._variables()
            kept = {c for c in self.choices if c in self.spine and c.value is not None and self.known(c.value)}
            if kept == self.choices:
                break
            self.choices = kept
        # Lanes may go to one barrier or leave, but not to several barriers.
        self.divergent = any(nexts[p] - self._leaving[p] > 1 for p in branches if p not in self.choices)

    def _is_uniform(self, node: Node) -> bool:
        """Whether a value is one of the block; targets keep wide integers in memory of the lane."""
        return not (isinstance(node.ty, Type) and node.ty.is_wide) and self.lanes.is_uniform(node)

    def ways(self, piece: Piece) -> list[Piece]:
        """Where lanes go on that stay, up to the barrier."""
        return [] if piece.kind == "barrier" else [way for way in piece.ways if way in self.meeting]

    def _next_barriers(self, barriers: list[Piece]) -> dict[Piece, int]:
        """For each piece how many barriers may be next; the end counts as one."""
        free = {piece: [p for p in before if p.kind != "barrier"] for piece, before in self._before.items()}
        outside = [piece for piece in self.pieces if piece not in self.meeting]
        found = dict.fromkeys(self.pieces, 0)
        self._leaving = dict.fromkeys(self.pieces, False)
        for piece in reachable(outside, free.__getitem__):
            found[piece], self._leaving[piece] = 1, True
        for barrier in barriers:
            for piece in reachable([barrier], free.__getitem__):
                found[piece] += 1
        return found

    def _dominate(self) -> None:
        self.end = Piece(-1)
        before: dict[Piece, list[Piece]] = {piece: [] for piece in (*self.meeting, self.end)}
        for piece in self.pieces:
            if piece in self.meeting:
                for way in self.ways(piece) or [self.end]:
                    before[way].append(piece)
        self._join = Dominators(self.end, before.__getitem__).immediate

    def _spine(self, branches: list[Piece]) -> set[Piece]:
        inside: set[Piece] = set()
        for branch in branches:
            if branch not in self.choices:
                before_join = partial(self._before_join, self._join[branch])
                inside.update(reachable(before_join(branch), before_join))
        return self.meeting - inside

    def _before_join(self, join: Piece, piece: Piece) -> list[Piece]:
        return [way for way in self.ways(piece) if way is not join]

    def join(self, piece: Piece) -> Piece | None:
        """The next piece of the spine that all lanes come to, if a barrier follows."""
        join = self._join[piece]
        while join is not self.end and join not in self.spine:
            join = self._join[join]
        return None if join is self.end else join

    # Variables of the block

    def _variables(self) -> set[Variable]:
        """Those that only pieces of the spine set, to values that the block can compute."""
        values: dict[Variable, list[Node | None]] = {variable: [] for variable in self.lowered.variables.values()}
        for piece in self.pieces:
            for statement in piece.statements:
                pairs = statement.pairs if isinstance(statement, Copies) else ()
                for variable, value in pairs:
                    values[variable].append(value if piece in self.spine else None)
                if isinstance(statement, Assign):
                    values[statement.variable].append(statement.value if piece in self.spine else None)
                elif isinstance(statement, Do) and statement.variable is not None:
                    values[statement.variable].append(None)
        nodes = {variable: node for node, variable in self.lowered.variables.items()}
        self.uniform = {v for v, found in values.items() if found and self._is_uniform(nodes[v]) and None not in found}
        while True:
            lost = {v for v in self.uniform if not all(self._computable(nodes[v], node) for node in values[v])}
            if not lost:
                return self.uniform
            self.uniform -= lost

    def _computable(self, held: Node, value: Node | None) -> bool:
        assert value is not None
        return self._from_known(value) if held is value else self.known(value)

    def known(self, node: Node) -> bool:
        """Whether the block can compute a value."""
        variable = self.lowered.variables.get(node)
        return variable in self.uniform if variable is not None else self._from_known(node)

    def _from_known(self, node: Node) -> bool:
        if node.op in LEAVES:
            return self._is_uniform(node)
        plain = node.op in PURE and not may_trap(node, self.ranges)
        return plain and all(map(self.known, node.args))

    # What a piece of the spine does at block level

    def lane_part(self, piece: Piece) -> list[Statement]:
        """The statements that lanes do."""
        if piece not in self.spine:
            return piece.statements
        found: list[Statement] = []
        for statement in piece.statements:
            match statement:
                case Assign(variable, _) if variable in self.uniform:
                    pass
                case Count(_):
                    pass
                case Copies(pairs):
                    kept = tuple(pair for pair in pairs if pair[0] not in self.uniform)
                    found += [Copies(kept)] if kept else []
                case _:
                    found.append(statement)
        return found

    def before(self, piece: Piece) -> list[Statement]:
        """What the block computes before its lanes do their part."""
        return [s for s in piece.statements if isinstance(s, Assign) and s.variable in self.uniform]

    def after(self, piece: Piece) -> list[Statement]:
        """What the block does when its lanes have done their part."""
        found: list[Statement] = []
        for statement in piece.statements:
            if isinstance(statement, Copies):
                kept = tuple(pair for pair in statement.pairs if pair[0] in self.uniform)
                found += [Copies(kept)] if kept else []
            elif isinstance(statement, Count):
                found.append(statement)
        return found

    def ends_run(self, piece: Piece) -> bool:
        return piece.kind == "barrier" or piece in self.choices or bool(self.after(piece))


class _Divider:
    def __init__(self, lowered: Lowered, skeleton: _Skeleton) -> None:
        self.lowered, self.skeleton = lowered, skeleton
        self.runs: list[ParallelRegion] = []
        self.made: dict[Piece, Piece] = {}
        ways = {p: self._block_ways(p) for p in skeleton.pieces if p in skeleton.spine}
        met = Counter(way for found in ways.values() for way in found)
        self.merges = {piece for piece, count in met.items() if count > 1}

    def _block_ways(self, piece: Piece) -> list[Piece]:
        """Pieces of the spine that may be the next."""
        skeleton = self.skeleton
        if piece.kind == "barrier" or piece in skeleton.choices:
            ways = [w if w in skeleton.spine else skeleton.join(w) for w in piece.ways if w in skeleton.meeting]
            return [way for way in ways if way is not None]
        join = skeleton.join(piece)
        return [] if join is None else [join]

    def divide(self) -> Fission:
        entry = self._piece(self.lowered.resumes[0])
        leaving = [
            p for p in self.made.values() if any(isinstance(s, ParallelRegion) and s.leaves for s in p.statements)
        ]
        endless = any(piece in reachable(piece.ways, lambda p: p.ways) for piece in leaving)
        return Fission(entry, self.skeleton.uniform, self.skeleton.known, self.runs, endless)

    def _piece(self, start: Piece) -> Piece:
        """What the block does from a piece on."""
        if start in self.made:
            return self.made[start]
        skeleton = self.skeleton
        block = self.made[start] = Piece(start.number, kind="jump")
        on_spine = start in skeleton.spine
        simple = skeleton.ends_run(start) or (start.kind == "jump" and start.ways[0] in skeleton.meeting)
        if on_spine and simple and not skeleton.lane_part(start):
            block.statements += [*skeleton.before(start), *skeleton.after(start)]
            self._go_on(block, start)
            return block
        run = _RunMaker(self, start)
        block.statements += [*run.before, run.made]
        self.runs.append(run.made)
        if run.cut is None:
            block.kind = "exit"
        elif run.inside:
            block.statements += skeleton.after(run.cut)
            self._go_on(block, run.cut)
        else:
            block.ways = [self._piece(run.cut)]
        return block

    def _go_on(self, block: Piece, last: Piece) -> None:
        if last.kind == "barrier":
            block.statements.append(Meet(last.at))
        elif last in self.skeleton.choices:
            block.kind, block.value, block.at = "branch", last.value, last.at
        block.ways = [self._piece(way) for way in last.ways]


class _RunMaker:
    """Makes a run: copies of pieces that lanes go through.

    It is cut in the piece `cut`, behind what lanes do there (`inside`), or before it. `before` is what the block
    computes before the run.
    """

    def __init__(self, divider: _Divider, start: Piece) -> None:
        self.divider, self.skeleton = divider, divider.skeleton
        self.start = start
        self.before: list[Statement] = []
        self.cut: Piece | None = None
        self.inside = False
        self.copies: dict[Piece, Piece] = {}
        entry = self._copy(start)
        lowered, uniform = divider.lowered, self.skeleton.uniform
        read: set[Variable] = set()
        written: set[Variable] = set()
        for piece in self.copies.values():
            for statement in piece.statements:
                read.update(lowered.read_by(statement))
                written.update(targets_of(statement))
            if piece.value is not None:
                read.update(lowered.reads(piece.value))
        live = set(lowered.live(start)) - uniform
        after: set[Variable] = set()
        if self.cut is not None:
            for piece in self.cut.ways if self.inside else [self.cut]:
                after.update(lowered.live(piece))
        ends = any(piece.kind in ("exit", "collective") for piece in self.copies.values())
        self.made = ParallelRegion(
            len(divider.runs),
            entry,
            _ordered(live & (read | written)),
            _ordered((after - uniform) & written),
            _ordered(read & uniform),
            ends and self.cut is not None,
            self.cut is None,
        )

    def _copy(self, piece: Piece) -> Piece:
        if piece in self.copies:
            return self.copies[piece]
        skeleton, on_spine = self.skeleton, piece in self.skeleton.spine
        copy = self.copies[piece] = Piece(piece.number, [], piece.kind, piece.value, [], piece.at)
        if on_spine and piece is not self.start and piece in self.divider.merges:
            copy.kind, copy.value, self.cut = "cut", None, piece
            return copy
        copy.statements = skeleton.lane_part(piece)
        if on_spine:
            self.before += skeleton.before(piece)
            if skeleton.ends_run(piece):
                copy.kind, copy.value, self.cut, self.inside = "cut", None, piece, True
                return copy
        copy.ways = [self._copy(way) for way in piece.ways]
        return copy


def _ordered(variables: Iterable[Variable]) -> list[Variable]:
    return sorted(variables, key=lambda variable: variable.number)


def reachable(roots: Iterable[Piece], ways: Callable[[Piece], Iterable[Piece]]) -> list[Piece]:
    """Everything that the roots lead to, themselves included."""
    seen: dict[Piece, None] = {}
    work = list(roots)
    while work:
        piece = work.pop()
        if piece not in seen:
            seen[piece] = None
            work += ways(piece)
    return list(seen)
