"""Reducible control flow: every loop is entered at one piece only.

Where a loop has several entries, node splitting copies what the further ones reach until it comes to the loop's header.
That costs no time when the code runs, but the copies of blocks that all go to each other double with each block (16 of
them became 29 MB of WGSL). What splitting would make much larger goes through dispatchers instead: every way to one of
several entries sets a number (`Go`) and goes to the one header of the loop, which branches on the number (the special
value WAY). Each way is changed at most once, so the code grows by a piece for each way and one for each entry. A round
through a dispatcher takes longer (5 to 9 times in WGSL on llvmpipe), so it is the last resort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..isa.types import Type
from .dominance import Dominators, reverse_postorder
from .ir import PRED, Node
from .out_of_ssa import Go, Piece

__all__ = ["WAY", "reducible", "reducible_tree", "together"]

_MOST_SPLITS = 6
_FEW = 16  # pieces that splitting may add, besides half as many as there are
_MOST_COPIES = 4  # how often a piece may stand in the code of segments, on the average
_SMALL = 200  # pieces, in all segments
WAY = Node("special", Type.U32, (), "WAY")  # what `Go` sets


def reducible(entry: Piece) -> Piece:
    """The same code without loops of several entries; `entry` itself if there are none."""
    return reducible_tree(entry).order[0]


def reducible_tree(entry: Piece) -> Dominators[Piece]:
    """Its dominators."""
    dominators = _dominators(entry)
    if _second_entry(dominators) is None:
        return dominators
    # The pieces are shared between the segments of a function: work on copies.
    found = _split(_clone(dominators.order)[entry])
    return _dominators(_Dispatchers(_clone(dominators.order)[entry]).entry if found is None else found)


def _dominators(entry: Piece) -> Dominators[Piece]:
    return Dominators(entry, lambda piece: piece.successors)


def _second_entry(dominators: Dominators[Piece]) -> Piece | None:
    """A piece that ways go back to without coming by it before."""
    number = dominators.number
    return next(
        (
            way
            for source in dominators.order
            for way in source.successors
            if number[way] <= number[source] and not dominators.dominates(way, source)
        ),
        None,
    )


def _clone(pieces: Iterable[Piece]) -> dict[Piece, Piece]:
    """Copies of pieces, which go to each other where the originals do. Barriers go on at the originals."""
    copies = {p: Piece(p.number, p.statements, p.kind, p.value, p.ways, p.at) for p in pieces}
    for copy in copies.values():
        if copy.kind != "barrier":
            copy.ways = [copies.get(way, way) for way in copy.ways]
    return copies


# Node splitting


def _split(entry: Piece) -> Piece | None:
    """The code with copies; None if that takes many splits, or more than one and many copies."""
    dominators = _dominators(entry)
    most = len(dominators.order) * 3 // 2 + _FEW
    for count in range(_MOST_SPLITS + 1):
        if count > 1 and len(dominators.order) > most:
            break
        header = _second_entry(dominators)
        if header is None:
            return entry
        entry = _split_at(dominators, entry, header)
        dominators = _dominators(entry)
    return None


def _split_at(dominators: Dominators[Piece], entry: Piece, header: Piece) -> Piece:
    """Lets the cycle around `header` be entered there only; other entries go to copies of its pieces."""
    cycle = _cycle(dominators, header)
    copies = _clone(cycle - {header})
    for piece in dominators.order:
        if piece not in cycle and piece.kind != "barrier":
            piece.ways = [copies.get(way, way) for way in piece.ways]
    return copies.get(entry, entry)


def _cycle(dominators: Dominators[Piece], header: Piece) -> set[Piece]:
    """The strongly connected pieces around `header`, below the dominator that their entries share."""
    above = dominators.immediate[header]
    below = {piece for piece in dominators.order if piece is not above and dominators.dominates(above, piece)}
    below.add(header)
    forward = _reach(header, lambda piece: piece.successors, below)
    return forward & _reach(header, dominators.predecessors.__getitem__, below)


def _reach(root: Piece, ways: Callable[[Piece], list[Piece]], within: set[Piece]) -> set[Piece]:
    seen: set[Piece] = set()
    work = [root]
    while work:
        piece = work.pop()
        if piece in within and piece not in seen:
            seen.add(piece)
            work += ways(piece)
    return seen


# Dispatchers


_Entries = dict[Piece, list[Piece]]  # what a dispatcher goes to, with where lanes come from that it leads there


class _Dispatchers:
    """Gives loops one entry. The pieces are changed.

    Entries of loops are found from the outermost inwards (Steensgaard 1993). Those of loops within each other have one
    dispatcher, which also goes to where ways meet: otherwise code would nest as deep as there are loops and meetings,
    and every way would leave many constructs at once (200 blocks were 540 KB of WGSL, which llvmpipe took 35 s for).
    """

    def __init__(self, entry: Piece) -> None:
        self.entry = entry
        order = reverse_postorder(entry, lambda piece: piece.successors)
        self.number = {piece: number for number, piece in enumerate(order)}
        self.before: _Entries = {piece: [] for piece in order}
        for piece in order:
            for way in dict.fromkeys(piece.successors):
                self.before[way].append(piece)
        for entries in self._groups(order):
            self._dispatch(entries)

    def _groups(self, order: list[Piece]) -> list[_Entries]:
        """For each dispatcher that is needed its entries."""
        found: list[_Entries] = []
        work: list[tuple[list[Piece], _Entries | None]] = [(order, None)]
        while work:
            region, group = work.pop()
            for part in _parts(region):
                inside = set(part)
                coming = {p: [before for before in self.before[p] if before not in inside] for p in part}
                entries = [p for p in part if coming[p] or p is self.entry]
                within = None
                if len(entries) > 1:  # so the part is a loop of several entries
                    within = group
                    if within is None:
                        found.append(within := {})
                    within.update((p, self.before[p]) for p in entries)
                elif group is not None and len(coming[entries[0]]) > 1:
                    group[entries[0]] = coming[entries[0]]
                if len(part) > 1:
                    work.append(([piece for piece in part if piece not in entries], within))
        return found

    def _dispatch(self, entries: _Entries) -> None:
        """Lets the ways to the entries come by one piece."""
        ordered = sorted(entries, key=self.number.__getitem__)
        head = _choice(ordered, 0)
        for number, piece in enumerate(ordered):
            for source in entries[piece]:
                for place, way in enumerate(source.ways):
                    if way is piece:
                        _lead(source, place, head, number)
            if piece is self.entry:
                self.entry = Piece(piece.number, [Go(number)], "jump", None, [head])


def _lead(source: Piece, place: int, head: Piece, number: int) -> None:
    """Lets a way come by a dispatcher."""
    if source.kind == "jump":
        source.statements, source.ways = [*source.statements, Go(number)], [head]
    else:
        source.ways[place] = Piece(source.number, [Go(number)], "jump", None, [head], source.at)


def _choice(entries: list[Piece], first: int, number: Node = WAY) -> Piece:
    """Goes to one of the entries, which are numbered from `first` on."""
    if len(entries) == 1:
        return entries[0]
    half = len(entries) // 2
    limit = Node("const", Type.U32, (), first + half)
    below = Node("lt", PRED, (number, limit), Type.U32)
    ways = [_choice(entries[:half], first, number), _choice(entries[half:], first + half, number)]
    return Piece(entries[0].number, [], "branch", below, ways, entries[0].at)


def together(resumes: list[Piece]) -> Piece | None:
    """One entry for all places where lanes go on, by the special value RESUME, if the segments from each of them are
    much code: what several of them reach is in each (41 blocks in a tangle with 11 barriers were 1.3 MB of WGSL, which
    llvmpipe took 66 s for)."""
    segments = [_dominators(start).order for start in resumes]
    count, different = sum(map(len, segments)), len(set().union(*segments))
    resume = Node("special", Type.U32, (), "RESUME")
    return _choice(resumes, 0, resume) if count > max(_MOST_COPIES * different, _SMALL) else None


def _parts(region: list[Piece]) -> Iterator[list[Piece]]:
    """The strongly connected parts of a region (Tarjan 1972)."""
    inside = set(region)
    found: dict[Piece, int] = {}
    least: dict[Piece, int] = {}
    path: list[Piece] = []
    on_path: set[Piece] = set()
    for root in region:
        if root in found:
            continue
        found[root] = least[root] = len(found)
        path.append(root)
        on_path.add(root)
        work = [(root, iter(root.successors))]
        while work:
            piece, ways = work[-1]
            for way in ways:
                if way not in inside:
                    continue
                if way not in found:
                    found[way] = least[way] = len(found)
                    path.append(way)
                    on_path.add(way)
                    work.append((way, iter(way.successors)))
                    break
                if way in on_path:
                    least[piece] = min(least[piece], found[way])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    least[above] = min(least[above], least[piece])
                if least[piece] == found[piece]:
                    part = []
                    while piece in on_path:
                        part.append(path.pop())
                        on_path.remove(part[-1])
                    yield part
