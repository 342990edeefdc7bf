"""Variables of phis and of what they are set to become one, where never two values are needed at a time.

Loops keep their sums in place then. Engines of WebAssembly see to that themselves, shader compilers do not: of a matrix
product with 64 sums half of the shader was copies, and SwiftShader took five times as long to compile it.
"""

from __future__ import annotations

from dataclasses import replace

from ..isa.types import Type
from .ir import Node
from .operations import EFFECTS
from .out_of_ssa import Assign, Copies, Do, Lowered, Piece, Statement, Variable, targets_of

__all__ = ["coalesced"]


def coalesced(lowered: Lowered) -> Lowered:
    """The same with fewer variables; functions with barriers, whose variables differ in who has them, as they are."""
    if lowered.waits:
        return lowered
    pairs = [
        (target, lowered.variables[value])
        for piece in lowered.pieces
        for statement in piece.statements
        if isinstance(statement, Copies)
        for target, value in statement.pairs
        if value in lowered.variables and _merges(value)
    ]
    if not pairs:
        return lowered
    apart = _apart(lowered, {variable for pair in pairs for variable in pair})
    one: dict[Variable, Variable] = {}
    members = {variable: {variable} for variable in apart}

    def named(variable: Variable) -> Variable:
        while variable in one:
            variable = one[variable]
        return variable

    for pair in pairs:
        kept, gone = map(named, pair)
        if kept is not gone and members[kept].isdisjoint(apart[gone]):
            one[gone] = kept
            members[kept] |= members.pop(gone)
            apart[kept] |= apart.pop(gone)
    return _renamed(lowered, {variable: named(variable) for variable in one})


def _merges(value: Node) -> bool:
    """Not wide integers, which are set word by word, and not what effects give, who may set it before they read."""
    return value.op not in EFFECTS and not (isinstance(value.ty, Type) and value.ty.is_wide)


def _apart(lowered: Lowered, wanted: set[Variable]) -> dict[Variable, set[Variable]]:
    """Of those variables, the others that are needed where they are set."""
    apart: dict[Variable, set[Variable]] = {variable: set() for variable in wanted}
    for piece in lowered.pieces:
        live = set().union(*(lowered.live(way) for way in piece.ways))
        if piece.value is not None:
            live |= set(lowered.reads(piece.value))
        for statement in reversed(piece.statements):
            targets = set(targets_of(statement))
            for target in targets & wanted:
                own = {target}
                if isinstance(statement, Copies):  # it is the same as what it is set to
                    sources = (value for variable, value in statement.pairs if variable is target)
                    own |= {lowered.variables[value] for value in sources if value in lowered.variables}
                others = ((live | targets) & wanted) - own
                apart[target] |= others
                for other in others:
                    apart[other].add(target)
            live = (live - targets) | set(lowered.read_by(statement))
    return apart


def _renamed(lowered: Lowered, names: dict[Variable, Variable]) -> Lowered:
    def renamed(statement: Statement) -> Statement | None:
        match statement:
            case Assign(variable) | Do(_, variable) if variable in names:
                return replace(statement, variable=names[variable])
            case Copies(pairs):
                pairs = tuple((names.get(variable, variable), value) for variable, value in pairs)
                pairs = tuple((variable, value) for variable, value in pairs if variables.get(value) is not variable)
                return Copies(pairs) if pairs else None
        return statement

    variables = {node: names.get(variable, variable) for node, variable in lowered.variables.items()}
    pieces = {piece: Piece(piece.number, [], piece.kind, piece.value, [], piece.at) for piece in lowered.pieces}
    for piece, made in pieces.items():
        made.statements += [found for each in piece.statements if (found := renamed(each)) is not None]
        made.ways += [pieces[way] for way in piece.ways]
    return Lowered(lowered.function, variables, [pieces[piece] for piece in lowered.resumes], list(pieces.values()))
