"""What registers hold, as nodes: the meanings of rows are run over nodes that are folded as they are made.

So there is no second list of what instructions mean, or of what can be simplified: the rules are those of the IR, and
the instruction that makes a node is found by running every row over slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import cache
from typing import Any, NamedTuple

from hologram_web.compiler.ir import PRED, Function, Node
from hologram_web.compiler.node_ops import NodeOps
from hologram_web.compiler.operations import OPERATIONS
from hologram_web.compiler.passes.fold import RULES, Context
from hologram_web.compiler.ranges import Ranges
from hologram_web.isa.address import Address, Space
from hologram_web.isa.cfg import reverse_order
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.operands import PRELOADED, Condition, Immediate, Predicate, Register
from hologram_web.isa.row import Effect, Row
from hologram_web.isa.table import BY_NAME, LANE_ROWS
from hologram_web.isa.types import Type

from .facts import Edits, Facts, key_of

__all__ = ["KnownValues", "Meaning", "Rules", "Symbols", "copied", "immediate", "instructions_for", "rewritten", "walk"]

PeepholeRule = Callable[[Node, Context], Node | None]
Rules = Mapping[str, tuple[str, PeepholeRule]]
_SHAPE = (1024, 1024, 1024)  # no lane of any block has a larger coordinate
_EITHER_WAY = frozenset(name for name, row in OPERATIONS.items() if row.commutes)
_GIVEN = frozenset({"const", "leaf", "special", "lea"})  # made by no operation of the namespace
_ORDERED = tuple(condition for condition in Condition if not condition.unsigned)
# What may change what a load finds, or let another lane do so.
_ENDS_LOADS = (Effect.STORE, Effect.ATOMIC, Effect.BARRIER, Effect.FENCE, Effect.STATE, Effect.COLLECTIVE)
MOV, MOV_IMM, PAND = BY_NAME["MOV"], BY_NAME["MOV_IMM"], BY_NAME["PAND"]


class Meaning(NamedTuple):
    """What an instruction computes: `simpler` if a rule applied, `harmless` if it does nothing else."""

    node: Node
    simpler: bool
    harmless: bool


class Symbols(NodeOps):
    """Makes nodes: equal ones are one, and rules are applied to each."""

    def __init__(self, rules: Rules = RULES) -> None:
        super().__init__()
        function = Function([self.start], 0, [], _SHAPE)
        self.context = Context(function)
        self.context.ranges = Ranges(function, lanes=1)
        self.rules = rules
        self.by_op: dict[str, tuple[PeepholeRule, ...]] = {}
        self.known: dict[Any, tuple[Node, bool, Node]] = {}
        self.simpler = self.harmful = False

    def constant(self, ty: Any, bits: int) -> Node:
        return self.context.const(ty, bits)

    def node(self, op: str, ty: Any, *args: Node, attr: Any = None) -> Node:
        operands = tuple(sorted(map(id, args))) if op in _EITHER_WAY else tuple(map(id, args))
        key = op, ty, operands, attr
        if key not in self.known:
            node = better = Node(op, ty, args, attr)
            for rule in self._rules(op):
                if (found := rule(node, self.context)) is not None:
                    better = found
                    if found.op not in _GIVEN:  # a rule may make nodes of its own
                        better = self.node(found.op, found.ty, *found.args, attr=found.attr)
                    break
            self.known[key] = better, better is not node, node  # keys are of nodes that stay where they are
        found, simpler, _ = self.known[key]
        self.simpler |= simpler
        return found

    def kept(self, key: Any, node: Node) -> Node:
        """The node of a key, the first that was given for it."""
        return self.known.setdefault(key, (node, False, node))[0]

    def _rules(self, op: str) -> tuple[PeepholeRule, ...]:
        if op not in self.by_op:
            self.by_op[op] = tuple(rule for ops, rule in self.rules.values() if not ops or op in ops.split())
        return self.by_op[op]

    def special(self, name: str, ty: Type = Type.U32) -> Node:
        """A coordinate of the lane."""
        return self.kept(("special", name), Node("special", ty, (), name))

    def guard(self, kind: Any, wrong: Node, value: Node, note: int) -> None:
        self.harmful |= not (wrong.is_const and not wrong.attr)


class KnownValues:
    """What the registers and predicates hold at one place of a block, from its start on.

    `constants` is what is known there. Only registers in `sure`, which this code has read or written, can be read:
    others may be lost in a collective, or not written on a way that is never taken.
    """

    def __init__(self, facts: Facts, symbols: Symbols, constants: Mapping[int, tuple[Any, int]]) -> None:
        self.facts, self.symbols = facts, symbols
        self.coordinates: dict[int, Node] = {
            number: symbols.special(name, ty)
            for number, (name, ty) in PRELOADED.items()
            if number not in facts.written and not name.startswith("BLOCK_DIM")  # whose size is not known
        }
        self.held = dict(self.coordinates)
        self.sure = set(self.held)
        self.loaded: dict[Any, Node] = {}  # what loads found, by what makes two loads the same
        self.know(constants)

    def know(self, constants: Mapping[int, tuple[Any, int]]) -> None:
        for key, (ty, bits) in constants.items():
            self.held[key] = self.symbols.constant(ty, bits)

    def copy(self, constants: Mapping[int, tuple[Any, int]]) -> KnownValues:
        """For another block, which nothing but this place leads to."""
        found = copy(self)
        found.held, found.sure, found.loaded = dict(self.held), set(self.sure), dict(self.loaded)
        found.know(constants)
        return found

    # Reading

    def read(self, value: Register | Predicate, ty: Any) -> Node:
        """What it holds; `ty` is None for parameters and pointers."""
        key = key_of(value)
        node = self.held.get(key)
        if node is None or (ty is not None and node.ty is not ty):
            node = self.held[key] = Node("leaf", ty)
        self.sure.add(key)
        return node

    def number(self, point: int, register: Register) -> Node:
        """What an index or a count holds."""
        return self.read(register, self.facts.analysis.numbers[point, register.index])

    def inputs(self, point: int, instruction: Instruction) -> list[Any]:
        """The operands as the row's meaning takes them, of rows without addresses and sizes."""
        found: list[Any] = []
        values = instruction.values
        for position, given, ty in instruction.row.inputs:
            value = values[position]
            if isinstance(value, Register):
                if given is not None:
                    ty = values[given]
                value = self.read(value, ty or self.facts.analysis.types.get(point))
            elif isinstance(value, Predicate):
                value = self.read(value, PRED)
            found.append(value)
        return found

    def holder(self, node: Node) -> int | None:
        """The key of what holds a node and can be read here."""
        return min((key for key, held in self.held.items() if held is node and key in self.sure), default=None)

    def holds(self, value: Register | Predicate, node: Node) -> bool:
        """Whether a register that can be read here holds a node."""
        key = key_of(value)
        return self.held.get(key) is node and key in self.sure

    # Instructions

    def meaning(self, point: int) -> Meaning | None:
        """What the instruction at a point computes, if that is all it does, or all but a fault."""
        instruction = self.facts.graph.instruction(point)
        row = instruction.row
        if row.name == "LEA":
            return self._pointer(point, instruction)
        if row.effect is Effect.LOAD:
            key = self._load(point, instruction)
            return Meaning(self.loaded.setdefault(key, Node("leaf", instruction.ty)), False, False)
        if not row.computes:
            return None
        symbols, inputs = self.symbols, self.inputs(point, instruction)
        symbols.simpler = symbols.harmful = False
        if row.fault is not None:
            faulty = row.fault[1](symbols, *inputs)
            symbols.harmful |= faulty is not None and not (faulty.is_const and not faulty.attr)
            symbols.simpler = False
        assert row.reference is not None
        node = row.reference(symbols, *inputs)
        return Meaning(node, symbols.simpler, not symbols.harmful)

    def _pointer(self, point: int, instruction: Instruction) -> Meaning | None:
        address: Address = instruction.src
        if address.space is Space.PHI:  # whose coordinates are checked
            return None
        base = self.read(address.base, None) if isinstance(address.base, Register) else None
        if address.space is Space.POINTER:
            assert base is not None
            return Meaning(base, True, True)
        index = None if address.index is None else self.number(point, address.index)
        args = tuple(node for node in (base, index) if node is not None)
        node = self.symbols.kept(("lea", tuple(map(id, args)), address), Node("lea", None, args, address))
        return Meaning(node, False, True)

    def _load(self, point: int, instruction: Instruction) -> Any:
        parts: list[Any] = [instruction.row.opcode]
        for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
            if isinstance(value, Address):
                parts += [value.space, value.scale, value.offset]
                parts.append(self.read(value.base, None) if isinstance(value.base, Register) else value.base)
                for number in (value.index, *value.coordinates):
                    parts.append(self.number(point, number) if isinstance(number, Register) else number)
            elif isinstance(value, Register) and operand.role != "def":
                parts.append(self.number(point, value))
            elif operand.role != "def":
                parts.append(value)
        return tuple(parts)

    def step(self, point: int, meaning: Meaning | None) -> None:
        """Goes on behind the instruction at a point."""
        instruction = self.facts.graph.instruction(point)
        if meaning is None and instruction.row.effect in _ENDS_LOADS:
            self.loaded = {}
            if instruction.row.collective:
                self.held = {key: node for key, node in self.held.items() if node.is_const or key in self.coordinates}
                self.sure = set(self.coordinates)
        for operand, value in instruction.writes():
            key = key_of(value)
            if meaning is not None:
                self.held[key] = meaning.node
            else:
                self.held[key] = Node("leaf", PRED if isinstance(value, Predicate) else instruction.type_of(operand))
            self.sure.add(key)


def walk(facts: Facts, rules: Rules) -> Iterator[tuple[int, KnownValues, Meaning | None]]:
    """Every point that lanes can come to, with what registers hold there and what its instruction computes.

    A block that only one other leads to goes on with what that one knew.
    """
    graph, states, symbols = facts.graph, facts.constants.states, Symbols(rules)
    ends: dict[int, KnownValues] = {}
    before: dict[int, list[int]] = {}
    for number, ways in enumerate(graph.block_successors):
        for way in ways:
            before.setdefault(way, []).append(number)
    first = graph.block_of.get(graph.entry)
    for number in reverse_order(graph, [] if first is None else [first]):
        if number not in states:
            continue
        parents = before.get(number, [])
        if len(parents) == 1 and number != first and parents[0] in ends:
            values = ends[parents[0]].copy(states[number])
        else:
            values = KnownValues(facts, symbols, states[number])
        for point in graph.blocks[number]:
            meaning = values.meaning(point)
            yield point, values, meaning
            values.step(point, meaning)
        ends[number] = values


def rewritten(
    facts: Facts, rules: Rules, better: Callable[[int, KnownValues, Meaning | None], Instruction | None]
) -> Edits:
    """The edits of a pass that looks at one point after the other; `better` gives None for what goes."""
    edits = Edits(facts)
    for point, values, meaning in walk(facts, rules):
        edits.see(facts.graph.code[point], facts.hosted(point, better(point, values, meaning)))
    return edits


# From nodes to instructions


def copied(target: Register | Predicate, key: int) -> Instruction:
    """target = what the key names."""
    if isinstance(target, Predicate):
        source = Predicate(key - 256)
        return Instruction(PAND, (target, source, source))
    return Instruction(MOV, (target, Register(key)))


def immediate(target: Register, node: Node) -> Instruction:
    """target = a constant."""
    return Instruction(MOV_IMM, (node.ty, target, Immediate(node.ty, node.attr)))  # type: ignore[arg-type]


class _Shape(NamedTuple):
    """The node that a row makes of slots, whose `attr` is the place of the operand."""

    row: Row
    fixed: dict[int, Any]
    node: Node
    size: int


@cache
def _shapes(ty: Any, source: Any) -> list[_Shape]:
    """Shapes of the rows that work on a type (of predicates only, if there is none), the smallest first."""
    found = []
    for row in LANE_ROWS:
        types = [operand for operand in row.operands if operand.kind == "type"]
        given = (ty, source)[: len(types)]
        if (
            row.effect is not Effect.PURE
            or not row.computes
            or row.name in ("MOV", "MOV_IMM", "LEA")
            or len(types) != (0 if ty is None else 1 if source is None else 2)
            or any(chosen not in operand.allowed for operand, chosen in zip(types, given, strict=True))
        ):
            continue
        conditions = _ORDERED if any(operand.kind == "Condition" for operand in row.operands) else (None,)
        for condition in conditions:
            slots: list[Any] = []
            fixed: dict[int, Any] = {}
            for place, operand in enumerate(row.operands):
                if operand.role == "use":
                    kind = PRED if operand.kind == "predicate" else _type(row, operand.type, given)
                    slots.append(Node("slot", kind, (), place))
                elif operand.role != "def":
                    chosen = condition if operand.kind == "Condition" else operand.default
                    fixed[place] = given[types.index(operand)] if operand in types else chosen
                    slots.append(fixed[place])
            assert row.reference is not None
            node = row.reference(NodeOps(), *slots)
            if node.op != "slot":
                found.append(_Shape(row, fixed, node, _size(node)))
    return sorted(found, key=lambda shape: shape.size)


def _type(row: Row, name: str, given: tuple[Any, ...]) -> Any:
    """The type of an operand, by its name or that of a type operand."""
    names = [operand.name for operand in row.operands if operand.kind == "type"]
    return given[names.index(name)] if name in names else Type.named(name)


def _size(node: Node) -> int:
    """How many operations a shape has."""
    return node.op not in ("slot", "const") and 1 + sum(map(_size, node.args))


def _rounds_twice(node: Node) -> bool:
    """Whether a shape is a product and a sum of floats, which some devices may round once."""
    ops = {part.op for part in _nodes_of(node)}
    return {"mul", "add"} <= ops and isinstance(node.ty, Type) and node.ty.is_float


def _nodes_of(node: Node) -> Iterator[Node]:
    yield node
    for arg in node.args:
        yield from _nodes_of(arg)


def instructions_for(
    node: Node, target: Register | Predicate, values: KnownValues, fast: bool
) -> Iterator[tuple[Instruction, int]]:
    """The instructions that make a node of what registers hold here, with how many operations each does.

    Those that do least come first. A product and a sum of floats become one instruction only if `fast`.
    """
    if node.op in _GIVEN:
        return
    if isinstance(node.ty, Type):
        groups = [(node.ty, None)] + [(node.ty, node.attr)] * isinstance(node.attr, Type)
    else:
        compared = next((part.attr for part in _nodes_of(node) if part.op in ("eq", "lt", "le")), None)
        groups = [(compared, None), (None, None)]
    for ty, source in groups:
        for row, fixed, shape, size in _shapes(ty, source):
            if shape.op != node.op or (not fast and _rounds_twice(shape)):
                continue
            for slots in _match(shape, node, values, {}):
                operands = [fixed.get(place, slots.get(place)) for place in range(len(row.operands))]
                operands[row.results[0]] = target
                yield Instruction(row, tuple(operands)), size
                break


def _match(shape: Node, node: Node, values: KnownValues, slots: dict[int, Any]) -> Iterator[dict[int, Any]]:
    """What to put into the slots so that a shape is a node."""
    if shape.ty is not node.ty:
        return
    if shape.op == "slot":
        key = values.holder(node)
        if key is not None:
            yield {**slots, shape.attr: Register(key) if key < 256 else Predicate(key - 256)}
        return
    if shape.op != node.op or shape.attr != node.attr or len(shape.args) != len(node.args):
        return
    orders = [node.args] + [node.args[::-1]] * (node.op in _EITHER_WAY)
    for args in orders:
        yield from _match_all(list(zip(shape.args, args, strict=True)), values, slots)


def _match_all(pairs: list[tuple[Node, Node]], values: KnownValues, slots: dict[int, Any]) -> Iterator[dict[int, Any]]:
    if not pairs:
        yield slots
        return
    for found in _match(*pairs[0], values, slots):
        yield from _match_all(pairs[1:], values, found)
