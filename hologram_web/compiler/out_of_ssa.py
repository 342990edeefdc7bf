"""Out of SSA: from a Function to pieces of code that work on variables.

A value gets a variable if it is used more than once or in another block than its own, or is a part of a running sum;
other pure values, and conversions of what is there from the start, are computed where they are used. Phis become copies
on edges. From here on code may be duplicated freely, because a variable may be set in several places: splitting at
barriers and node splitting (`structure.py`) rely on that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate

from ..isa.types import Type
from .ir import Block, Function, Node, ValueType
from .lanes import LaneAnalysis
from .operations import CHANGES, EFFECTS, LEAVES

__all__ = [
    "Assign",
    "Copies",
    "Count",
    "Do",
    "Go",
    "Lowered",
    "Meet",
    "ParallelRegion",
    "Piece",
    "Under",
    "Variable",
    "argument_starts",
    "is_widening",
    "lower",
    "spill_size",
    "variables_in",
]  # fmt: skip


@dataclass(eq=False)
class Variable:
    """A mutable variable of a lane."""

    number: int
    ty: ValueType

    def __str__(self) -> str:
        return f"v{self.number}"


@dataclass(eq=False)
class Assign:
    """Sets a variable to a pure value."""

    variable: Variable
    value: Node


@dataclass(eq=False)
class Do:
    """An effect; its value goes into a variable, if anything wants it."""

    node: Node
    variable: Variable | None


@dataclass(eq=False)
class Copies:
    """Sets several variables at once: every value is computed before the first is set."""

    pairs: tuple[tuple[Variable, Node], ...]


@dataclass(eq=False)
class Count:
    """Takes a step from the lane's budget; `at` is the instruction that branches back."""

    at: int


@dataclass(eq=False)
class Go:
    """Sets the special value WAY: which entry of a loop the next piece, its only one, goes on at (`reducible.py`)."""

    number: int


@dataclass(eq=False)
class Meet:
    """All lanes of the block meet at the barrier of that instruction (`fission.py`)."""

    at: int


@dataclass(eq=False)
class ParallelRegion:
    """What all lanes of the block do from `entry` on (`fission.py`): up to a cut, or to their end if `last`.

    A cut is a piece of that kind. `loads` are the variables of a lane that the run needs from earlier ones, `stores`
    those that later ones need from it, `uniform` the variables of the block that it reads. `leaves` says that lanes may
    exit before the cut.
    """

    number: int
    entry: Piece
    loads: list[Variable]
    stores: list[Variable]
    uniform: list[Variable]
    leaves: bool
    last: bool


@dataclass(eq=False)
class Under:
    """A statement of a packet of lanes (`packets.py`) for those of a mask; None are all of them.

    Variables that are in `blend` stay as they are in the other lanes. Lanes that it ends with a fault leave the masks
    that are `open`.
    """

    statement: Assign | Do | Copies | Count
    mask: Node | None
    blend: frozenset[Variable]
    open: tuple[Variable, ...] = ()


Statement = Assign | Do | Copies | Count | Go | Meet | ParallelRegion | Under


@dataclass(eq=False)
class Piece:
    """Straight code. `kind` is jump, branch (on `value`), exit, barrier (goes on at ways[0]), collective or cut."""

    number: int
    statements: list[Statement] = field(default_factory=list)
    kind: str = "exit"
    value: Node | None = None
    ways: list[Piece] = field(default_factory=list)
    at: int = -1

    def __repr__(self) -> str:
        return f"<Piece {self.number} {self.kind} {[way.number for way in self.ways]}>"

    @property
    def successors(self) -> list[Piece]:
        """Where the lane goes on by itself: not across a barrier."""
        return [] if self.kind == "barrier" else self.ways


@dataclass(eq=False)
class Lowered:
    """Pieces of a function. `resumes[k]` is where lanes go on that stopped at barrier k; `resumes[0]` is the entry."""

    function: Function
    variables: dict[Node, Variable]
    resumes: list[Piece]
    pieces: list[Piece]
    _read_by: dict[Statement, list[Variable]] = field(default_factory=dict, init=False)

    @cached_property
    def lanes(self) -> LaneAnalysis:
        """How values differ between lanes."""
        return LaneAnalysis(self.function)

    @cached_property
    def waits(self) -> bool:
        """Whether there are barriers."""
        return any(piece.kind == "barrier" for piece in self.pieces)

    def live(self, piece: Piece) -> list[Variable]:
        """Variables whose values are needed when a lane comes to the piece."""
        return sorted(self._live[piece], key=lambda variable: variable.number)

    @cached_property
    def _live(self) -> dict[Piece, set[Variable]]:
        read: dict[Piece, set[Variable]] = {}
        written: dict[Piece, set[Variable]] = {}
        for piece in self.pieces:
            reads, writes = read.setdefault(piece, set()), written.setdefault(piece, set())
            for statement in piece.statements:
                reads |= set(self.read_by(statement)) - writes
                writes |= set(targets_of(statement))
            if piece.value is not None:
                reads |= set(self.reads(piece.value)) - writes
        found = {piece: set(read[piece]) for piece in self.pieces}
        changed = True
        while changed:
            changed = False
            for piece in reversed(self.pieces):
                after = set().union(*(found[way] for way in piece.ways))
                live = read[piece] | (after - written[piece])
                if live != found[piece]:
                    found[piece] = live
                    changed = True
        return found

    def read_by(self, statement: Statement) -> list[Variable]:
        """Variables that a statement reads."""
        if statement not in self._read_by:
            self._read_by[statement] = [found for node in values_of(statement) for found in self.reads(node)]
        return self._read_by[statement]

    def reads(self, node: Node) -> list[Variable]:
        """Variables that computing a value reads."""
        return variables_in(node, self.variables)


def variables_in(node: Node, variables: Mapping[Node, Variable]) -> list[Variable]:
    """Variables that the expression of a value names, where some values have one."""
    found: list[Variable] = []
    work = [node]
    while work:
        node = work.pop()
        variable = variables.get(node)
        if variable is not None:
            found.append(variable)
        else:
            work += node.args[::-1]
    return found


def values_of(statement: Statement) -> list[Node]:
    """Values that a statement reads: not the one that it sets its variable to, which is read under that name."""
    match statement:
        case Assign(_, node) | Do(node, _):
            return list(node.args)
        case Copies(pairs):
            return [value for _, value in pairs]
        case Under(inner):
            return values_of(inner)
    return []


def targets_of(statement: Statement) -> list[Variable]:
    match statement:
        case Assign(variable, _):
            return [variable]
        case Do(_, variable):
            return [] if variable is None else [variable]
        case Copies(pairs):
            return [variable for variable, _ in pairs]
        case Under(inner):
            return targets_of(inner)
    return []


# What is computed where it is used, of values that are there from the start.
_OF_LEAVES = CHANGES | {"opaque"}
# Expressions nest no deeper: targets walk them recursively, and so do shader compilers.
_DEEPEST = 40


def is_widening(node: Node) -> bool:
    """Whether a value is an integer of up to 32 bits made longer: an index, whose accesses want the short one."""
    short = node.attr if node.op == "cvt" else None
    wide = isinstance(node.ty, Type) and node.ty.is_integer and node.ty.bits == 64
    return wide and isinstance(short, Type) and short.is_integer and short.bits <= 32


def _running(function: Function) -> set[Node]:
    """Sums that are added to or carried round a loop after the next effect. Computed there, all that they are made of
    would wait in registers: the 48 products of four steps of a matrix product came behind all loads, and in Chromium it
    took 1.2 to 1.3 times as long."""
    found: set[Node] = set()
    for block in function.blocks:
        effects, behind = 0, dict[Node, int]()
        for node in block.nodes:
            effects += node.op in EFFECTS
            if node.op == "add" and (node.ty in (Type.F32, Type.F64) or node.args[-1].op == "dot"):
                behind[node] = effects
                found |= {arg for arg in node.args if behind.get(arg, effects) != effects}
        carried = {arg for way in block.end.ways for phi in way.phis for arg in phi.args}
        found |= {node for node, before in behind.items() if before != effects and node in carried}
    return found


def _kept(function: Function) -> dict[Node, Variable]:
    """Variables for the values that need one."""
    home = {node: block for block in function.blocks for node in (*block.phis, *block.nodes)}
    widening = {node for node in home if is_widening(node)}
    uses: dict[Node, int] = {}
    elsewhere: set[Node] = set()

    def use(node: Node, block: Block) -> None:
        uses[node] = uses.get(node, 0) + 1
        if home.get(node) is not block:
            elsewhere.add(node)
        if node in widening:  # computed at each of its uses
            use(node.args[0], block)

    for block in function.blocks:
        for phi in block.phis:
            for arg, before in zip(phi.args, block.predecessors, strict=True):
                use(arg, before)
        for node in block.nodes:
            for arg in () if node in widening else node.args:
                use(arg, block)
        if block.end.value is not None:
            use(block.end.value, block)
    variables: dict[Node, Variable] = {}
    elsewhere |= _running(function)
    depths: dict[Node, int] = {}  # of what is computed where it is used
    for node in function.nodes():
        if node.op in LEAVES or node not in uses:
            continue
        wide = isinstance(node.ty, Type) and node.ty.is_wide  # of which targets keep nothing but in memory
        if node.op in _OF_LEAVES and node.args[0].op in LEAVES and not wide:
            continue
        depth = 1 + max([depths.get(arg, 0) for arg in node.args], default=0)
        if node in widening:
            depths[node] = depth
            continue
        if wide or node.op == "phi" or node.op in EFFECTS or uses[node] > 1 or node in elsewhere or depth > _DEEPEST:
            variables[node] = Variable(len(variables), node.ty)
        else:
            depths[node] = depth
    return variables


@lru_cache(maxsize=2)  # both targets ask for the same one after the other
def lower(function: Function) -> Lowered:
    """Takes a function out of SSA. The function stays as it is, also afterwards: it is optimized already."""
    variables = _kept(function)
    pieces = {block: Piece(number) for number, block in enumerate(function.blocks)}
    extra: list[Piece] = []
    resumes = [pieces[function.blocks[0]]]
    for block, piece in pieces.items():
        for node in block.nodes:
            if node.op in EFFECTS:
                piece.statements.append(Do(node, variables.get(node)))
            elif node in variables:
                piece.statements.append(Assign(variables[node], node))
        piece.kind, piece.value, piece.at = block.end.kind, block.end.value, block.end.at
        for number, way in enumerate(block.end.ways):
            moves = _edge(block, way, variables)
            if block.end.steps and number == 0:
                moves.append(Count(block.end.at))
            target = pieces[way]
            if moves and len(block.end.ways) > 1:
                between = Piece(len(pieces) + len(extra), moves, "jump", None, [target], block.end.at)
                extra.append(between)
                target = between
            else:
                piece.statements += moves
            piece.ways.append(target)
        if piece.kind == "barrier" and piece.ways[0] not in resumes:
            resumes.append(piece.ways[0])
    return Lowered(function, variables, resumes, [*pieces.values(), *extra])


def _edge(source: Block, target: Block, variables: dict[Node, Variable]) -> list[Statement]:
    """What happens on the way from one block to another: phis are set."""
    position = target.predecessors.index(source)
    pairs = tuple(
        (variables[phi], phi.args[position])
        for phi in target.phis
        if phi in variables and phi.args[position] is not phi
    )
    return [Copies(pairs)] if pairs else []


def argument_starts(scalars: Iterable[tuple[str, Type]]) -> list[int]:
    """Where scalars start in an argument block, in bytes behind the first; the last is where they end."""
    return list(accumulate((ty.argument_bytes for _, ty in scalars), initial=0))


def spill_size(ty: ValueType) -> int:
    """Bytes a variable takes where it is kept across a barrier."""
    return max(ty.size_bytes, 8) if isinstance(ty, Type) else 8
