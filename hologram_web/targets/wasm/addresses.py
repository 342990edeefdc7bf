"""Addresses in loops of packets, and in those over packets: what is the same in all rounds is computed before the loop.

An index is a sum of terms times numbers, modulo 2**32. Its fixed terms, and where the memory begins, are one local. A
matrix product with three rows of the one factor and four columns of the other in registers took 1.25 times as long with
all of that in the loop. Of accesses that differ in a number only one has it in the local, and the others in their
instruction, if all lanes make all of them: the lowest is not below the memory then. Done for the packets of a row, too,
it saved blur 0.14 of its time in Chromium, and Gray-Scott 0.07 in wasmtime. There the local of what else grows with
nothing but a lane's place goes on with the packets: eight operations on two arrays took 0.94 of the time in wasmtime.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import gcd

from ...compiler.accesses import access_of
from ...compiler.ir import MemoryAccess, Node
from ...compiler.operations import ACCESSES, ADDS, CHANGES, LEAVES
from ...compiler.out_of_ssa import Assign, Copies, Do, Piece, Statement, Under, Variable
from ...compiler.structure import If, Labelled, Straight, StructuredLoop, Tree
from ...isa.types import Type
from .code import LOCAL, Code
from .encoder import Instr
from .values import Values

__all__ = ["Addresses"]

_Terms = dict[Node, int]
_MOVING = ("LANE_IDX_X", "GLOBAL_LANE_ID")  # what differs between packets of a row
_MOST_RUNNING = 6
# Vectors that stay in registers, nearly: V8 loads what it computes with in place. A blur with nine weights in registers
# took 0.79 of its time with eight in V8, and with ten vectors 0.94 of that with twelve in wasmtime.
_MOST_LOADS, _MOST_OF_WASMTIME = 12, 10
_FAR = 16  # bytes from lane to lane of an address that says where a row ends: 2**32 of them are more than a row has
_TAKES = {"local.get": 0, "i32.const": 0, "i32.add": 2, "i32.mul": 2}  # what indices are made of
_PLAIN = frozenset({"add", "sub", "mul", "shl", "shr", "and", "or", "xor", "min", "max", "cvt", "bitcast"})


@dataclass
class _Loop:
    """A loop that is being written: where its code begins, what it sets, and the locals of fixed parts. `over` packets
    nothing is fixed but what launches and blocks say, and what is made of it."""

    at: int
    sets: set[Variable]
    over: bool = False
    straight: int | None = None  # how deep code is that all of these packets come to; they end for no fault
    fixed: dict[object, int] = field(default_factory=dict)
    running: dict[object, tuple[int, int]] = field(default_factory=dict)  # locals of addresses, and by what they grow
    code: list[Instr] = field(default_factory=list)
    loads: int = 0  # there


class Addresses:
    """Writes addresses of the first lanes of packets."""

    def __init__(self, code: Code, values: Values, splats: bool = False) -> None:
        self.code, self.values, self.put = code, values, code.put
        self.most = _MOST_OF_WASMTIME if splats else _MOST_LOADS
        self.is_scalar: Callable[[Node], bool] = lambda node: False  # whether the first lane's value is to be had
        self.is_spread: Callable[[Do], bool] = lambda do: False  # whether it loads what all lanes have into a vector
        self.fours: dict[Node, list[Node]] = {}  # of the piece that is written: loads of elements behind each other
        self._loops: list[_Loop] = []
        self._sums: dict[Node, tuple[_Terms, int]] = {}  # by access of the piece that is written: its offset
        self._lowest: dict[object, int] = {}
        self._bare: dict[Node, Node | None] = {}  # what values are without variables, and all that they are
        self._again: set[Node] = set()

    def enter(self, tree: StructuredLoop) -> None:
        sets = _set_by(tree.body)
        for piece in tree.latches:
            sets |= _set_in(piece)
        self._loops.append(_Loop(len(self.code.body.code), sets))

    def enter_row(self, certain: bool) -> None:
        """Begins a loop over the packets of a row; `certain` if nothing they do can fault."""
        straight = self.code.depth + 2 if certain else None  # the loop's, and the block of a packet
        self._loops.append(_Loop(len(self.code.body.code), set(), over=True, straight=straight))

    def advance(self, start: int, place: Instr, last: int) -> None:
        """Goes on to the next packet of a row, whose code begins at `start`, and pushes whether there is one: its first
        lane has a `place` up to the `last`. Where only addresses go on with it, one of them says so."""
        loop, body, width = self._loops[-1], self.code.body, self.code.row
        code = body.code[start:]
        anew = {self.code.named("kept"), self.code.named("lane")} - {place[1]}  # by each packet, as is what has no name
        _drop_unread(code, lambda local: local not in body.names or local in anew)
        body.code[start:] = code
        running = loop.running.values()
        for local, step in running:
            self.put(("local.get", local), ("i32.const", _signed(step)), ("i32.add",), ("local.set", local))
        ends = [(local, step // width) for local, step in running if 0 < step <= _FAR * width]
        if not ends or place in code:
            self.put(place, ("i32.const", width), ("i32.add",), ("local.tee", place[1]), ("local.get", last))
            self.put(("i32.le_s",))
            return
        local, step = ends[0]
        loop.code += [("local.get", last), place, ("i32.sub",), ("i32.const", -width), ("i32.and",)]
        loop.code += [("i32.const", width), ("i32.add",), ("local.tee", last), place, ("i32.add",)]
        loop.code += [("local.set", place[1]), ("local.get", last), ("i32.const", step), ("i32.mul",)]
        loop.code += [("local.get", local), ("i32.add",), ("local.set", last)]
        self.put(("local.get", local), ("local.get", last), ("i32.ne",))

    def leave(self) -> None:
        loop = self._loops.pop()
        self.code.body.code[loop.at : loop.at] = loop.code

    def piece(self, piece: Piece) -> None:
        """Looks at the accesses of a piece before it is written."""
        self._sums, self._lowest, self.fours = {}, {}, {}
        if not self._loops:
            return
        rows: dict[object, tuple[list[Node], int]] = {}  # loads that may become four, and where the next would be
        known: dict[Node, Node] = {}  # what was computed in this piece, from what has not changed since
        for under in piece.statements:
            statement: Statement = under.statement if isinstance(under, Under) else under
            match statement:
                case Assign(_, value):
                    known[value] = value
                case Copies():
                    known.clear()
                    rows.clear()
                case Do(node, _) if (access := access_of(node)) is not None and node.op in ACCESSES:
                    if self._loops[-1].over and access.base == LOCAL:  # where that is differs between packets
                        continue
                    terms, number = self._terms(node.args[0], known)
                    self._sums[node] = terms, number
                    if isinstance(under, Under) and under.mask is None:
                        key, offset = self._key(access, terms), number * access.scale + access.offset
                        self._lowest[key] = min(offset, self._lowest.get(key, offset))
                        if not self._loops[-1].over and self.is_spread(statement):
                            self._next(rows, key, offset, node)

    def _next(self, rows: dict[object, tuple[list[Node], int]], key: object, offset: int, node: Node) -> None:
        row, expected = rows.get(key, ([], offset))
        row = [*row, node] if offset == expected else [node]
        if len(row) == 4:
            self.fours.update(dict.fromkeys(row, row))
            row = []
        rows[key] = row, offset + 4

    def _key(self, access: MemoryAccess, terms: _Terms) -> object:
        return access.base, access.scale, frozenset(terms.items())

    def push(self, node: Node, access: MemoryAccess) -> int | None:
        """Pushes the address of the first lane, and gives what its instruction has to add; None if there is nothing to
        compute before a loop."""
        if node not in self._sums:
            return None
        loop = self._loops[-1]
        terms, number = self._sums[node]
        fixed = {term: factor for term, factor in terms.items() if self._is_fixed(term)}
        moving = {term: factor for term, factor in terms.items() if term not in fixed}
        offset = number * access.scale + access.offset
        lowest = self._lowest.get(self._key(access, terms), offset)
        further = offset - lowest if offset - lowest < 1 << 31 else 0
        key = access.base, access.scale, frozenset(terms.items()), offset - further
        if loop.over and moving and all(map(self._goes_on, moving)):
            if key not in loop.running and len(loop.running) < _MOST_RUNNING:
                step = sum(moving.values()) * access.scale * self.code.row
                loop.running[key] = self._before(loop, access, terms, offset - further), step
            if key in loop.running:
                self.put(("local.get", loop.running[key][0]))
                return further
        if not fixed:
            return None
        key = access.base, access.scale, frozenset(fixed.items()), offset - further
        if key not in loop.fixed:
            loop.fixed[key] = self._before(loop, access, fixed, offset - further)
        if moving:
            self._sum(moving, access.scale)
        self.put(("local.get", loop.fixed[key]), *([("i32.add",)] if moving else []))
        return further

    def _before(self, loop: _Loop, access: MemoryAccess, terms: _Terms, number: int) -> int:
        """A local with an address that is computed before the loop."""
        start = len(self.code.body.code)
        self._sum(terms, access.scale)
        self.put(self.code.get(("base", access.base)), ("i32.add",))
        if number:
            self.put(("i32.const", _signed(number)), ("i32.add",))
        local = self.code.body.local("i32")
        self.put(("local.set", local))
        loop.code += self.code.body.code[start:]
        del self.code.body.code[start:]
        return local

    def _goes_on(self, node: Node) -> bool:
        """Whether a value grows by one from lane to lane of a row, and is known before the loop over its packets."""
        return node.op in LEAVES and node.attr in _MOVING[: 1 + self.code.flat]

    def moved(self, node: Node, start: int) -> None:
        """Moves the code from `start` on, which loads a value that all lanes have, before the loop over packets, if all
        of these load the same. What all lanes have is in memory that no lane writes."""
        loop = self._loops[-1] if self._loops else None
        if loop is None or loop.straight != self.code.depth or node not in self._sums:
            return
        if loop.loads < self.most and all(map(self._is_fixed, self._sums[node][0])):
            loop.loads += 1
            loop.code += self.code.body.code[start:]
            del self.code.body.code[start:]

    def ahead(self, key: object, number: Node, push: Callable[[], None]) -> int | None:
        """The local of a vector that is made of a number, before the loop that is written; None if that is not fixed
        there, or there are as many already."""
        loop = self._loops[-1] if self._loops else None
        if loop is None or not loop.over or not self._is_fixed(number):
            return None
        key = "vector", key
        if key not in loop.fixed:
            if loop.loads >= self.most:
                return None
            loop.loads += 1
            start = len(self.code.body.code)
            push()
            local = loop.fixed[key] = self.code.body.local("v128")
            self.put(("local.set", local))
            loop.code += self.code.body.code[start:]
            del self.code.body.code[start:]
        return loop.fixed[key]

    def _sum(self, terms: _Terms, scale: int) -> None:
        """Pushes a sum of terms, times the scale."""
        common = gcd(*terms.values()) or 1
        for number, (term, factor) in enumerate(terms.items()):
            if isinstance(term.ty, Type) and term.ty.bits > 32:
                self.values.low(term)
            else:
                self.values.value(term)
            self._times(factor // common)
            self.put(*([("i32.add",)] if number else []))
        self._times(common * scale)

    def _times(self, factor: int) -> None:
        if factor != 1:
            power = factor > 0 and factor & (factor - 1) == 0
            self.put(("i32.const", factor.bit_length() - 1 if power else _signed(factor)))
            self.put(("i32.shl" if power and factor < 1 << 32 else "i32.mul",))

    def _is_fixed(self, node: Node) -> bool:
        if self._loops[-1].over:
            return node in self._again or self._is_of_block(node) or (node.op in LEAVES and node.attr not in _MOVING)
        variable = self.values.variables.get(node)
        return node.op in LEAVES if variable is None else variable not in self._loops[-1].sets

    def _is_of_block(self, node: Node) -> bool:
        """Whether it is a variable of a block that barriers divide: nothing sets it while lanes run."""
        plan = self.code.plan
        return plan is not None and self.values.variables.get(node) in plan.uniform

    def _without_variables(self, node: Node) -> Node | None:
        """A value that is made of what launches and blocks say, and can be computed before the loop over packets that
        sets the variables it is made of."""
        if node.op in LEAVES:
            return None if node.attr in _MOVING else node
        if self._is_of_block(node):
            return node
        if node not in self._bare:
            ty, args = node.ty, [self._without_variables(arg) for arg in node.args if node.op in _PLAIN]
            short = isinstance(ty, Type) and ty.is_integer and not ty.is_wide
            found = None
            if short and args and None not in args and (node.op not in CHANGES or node.attr.is_integer):
                found = Node(node.op, ty, tuple(filter(None, args)), node.attr)
                self._again.add(found)
            self._bare[node] = found
        return self._bare[node]

    def _terms(self, node: Node, known: dict[Node, Node]) -> tuple[_Terms, int]:
        """A value as a sum, modulo 2**32."""
        ty = node.ty
        assert isinstance(ty, Type)
        if node.is_const:
            return {}, int(node.attr)
        over = self._loops[-1].over
        if node in self.values.variables and node not in known and not over:
            return {node: 1}, 0
        found: tuple[_Terms, int] | None = None
        if ty.is_integer and ty.bits >= 32:
            args = node.args
            if node.op in CHANGES and node.attr.is_integer and 32 <= node.attr.bits <= 64:
                found = self._terms(args[0], known)
            elif node.op in ADDS:
                found = _added(self._terms(args[0], known), self._terms(args[1], known), ADDS[node.op])
            elif node.op == "mul" and any(arg.is_const for arg in args):
                place = 1 if args[1].is_const else 0
                found = _added(({}, 0), self._terms(args[1 - place], known), int(args[place].attr))
            elif node.op == "shl" and args[1].is_const and int(args[1].attr) < 32:
                found = _added(({}, 0), self._terms(args[0], known), 1 << int(args[1].attr))
        if found is None:
            fixed = self._without_variables(node) if over else None
            return {fixed or node: 1}, 0
        if over:
            return found if all(self._is_fixed(term) or self.is_scalar(term) for term in found[0]) else ({node: 1}, 0)
        if node in self.values.variables:
            there = len(found[0]) > 1 and not any(map(self._is_fixed, found[0]))
            if there or not all(map(self.is_scalar, found[0])):
                return {node: 1}, 0
        return found


def _drop_unread(code: list[Instr], may_go: Callable[[int], bool]) -> None:
    """Takes out what is computed for locals that nothing here reads."""
    read = {instr[1] for instr in code if instr[0] == "local.get"}
    for end in range(len(code) - 1, -1, -1):
        if end >= len(code) or code[end][0] != "local.set" or code[end][1] in read or not may_go(code[end][1]):
            continue
        wanted, begin = 1, end
        while wanted and (takes := _TAKES.get(code[begin - 1][0])) is not None:
            wanted, begin = wanted + takes - 1, begin - 1
        if not wanted:
            del code[begin : end + 1]


def _signed(number: int) -> int:
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def _added(a: tuple[_Terms, int], b: tuple[_Terms, int], times: int) -> tuple[_Terms, int]:
    terms = dict(a[0])
    for term, factor in b[0].items():
        terms[term] = terms.get(term, 0) + times * factor
    return {term: factor for term, factor in terms.items() if factor}, a[1] + times * b[1]


def _set_in(piece: Piece) -> set[Variable]:
    found: set[Variable] = set()
    for under in piece.statements:
        match under.statement if isinstance(under, Under) else under:
            case Assign(variable, _) | Do(_, Variable() as variable):
                found.add(variable)
            case Copies(pairs):
                found |= {variable for variable, _ in pairs}
    return found


def _set_by(trees: list[Tree]) -> set[Variable]:
    """The variables that code sets."""
    found: set[Variable] = set()
    for tree in trees:
        match tree:
            case Straight(piece):
                found |= _set_in(piece)
            case Labelled(_, body):
                found |= _set_by(body)
            case StructuredLoop(_, body, latches):
                found |= _set_by(body)
                for piece in latches:
                    found |= _set_in(piece)
            case If(_, then, otherwise):
                found |= _set_by(then) | _set_by(otherwise)
    return found
