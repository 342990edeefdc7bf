"""What the host does for a program with collectives, as a function of the IR.

A program with collectives is a sequence of lane regions and collectives (isa.md section 6). The verifier has seen to it
that the host can decide the way and compute every operand from scalar parameters. Here that part of the program becomes
a function: pure values, branches, and as effects the launches of lane regions and the collectives. What depends on
lanes is left out: the host goes on where such ways meet again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import CompileError
from ..isa.address import Address, Space
from ..isa.cfg import END
from ..isa.hostflow import host_known
from ..isa.instruction import Instruction
from ..isa.mathematics import routine
from ..isa.operands import PRELOADED, Predicate, Register
from ..isa.row import Effect, Row
from ..isa.verify import Analysis
from .build import Builder, end_of
from .dominance import Dominators
from .ir import PRED, Block, Function, Node, Terminator
from .node_ops import POINTER
from .operations import EFFECTS
from .passes import optimize
from .passes.dce import eliminate_dead

__all__ = ["Region", "Uniform", "host_function"]

RegisterKey = tuple[int, Any]  # a register or predicate, and its type
Uniform = dict[RegisterKey, str]  # what a region finds in registers, by the name that it is handed under
_PREDICATE = 256


class Region(NamedTuple):
    """A lane region that starts at a point: the kernel that it is, the names of the values that are its arguments,
    and by name the registers whose values are results of collectives; what the kernel was made with."""

    kernel: int
    names: tuple[str, ...]
    results: tuple[tuple[str, RegisterKey], ...]
    point: int
    wanted: tuple[tuple[RegisterKey, str], ...]


# Makes the kernel of the region at a point; its number, and the names that it needs. None if it does nothing.
Make = Callable[[int, Uniform], tuple[int, set[str]] | None]


def host_function(analysis: Analysis, make: Make) -> Function:
    """The host's part of a program. Raises CompileError."""
    builder = _HostBuilder(analysis, make)
    function = builder.run()
    builder.current = function.blocks[0]
    builder.region(analysis.graph.entry, 0, 0)
    function = optimize(function, without=("unroll",))
    if drop_idle_loops(function):
        function = optimize(function, without=("unroll",))
    return function


class _HostBuilder(Builder):
    def __init__(self, analysis: Analysis, make: Make) -> None:
        super().__init__(analysis, analysis.graph.entry, (1, 1, 1), {})
        self.known, self.make = host_known(self.graph), make

    # What the host follows

    def ways(self, last: int) -> list[int]:
        ways = self.graph.successors(last)
        if len(ways) > 1 and not self._is_host(last):
            ways = [self.graph.meeting(last)]
        return [way for way in ways if way != END]

    def _is_host(self, point: int) -> bool:
        """Whether the host can compute all that the instruction reads."""
        known = self.known[point].host
        return all(known >> _key(value) & 1 for _, value in self.graph.instruction(point).reads())

    def _block(self, start: int) -> None:
        graph, last = self.graph, end_of(self.graph, start)
        for point in range(start, last + 1):
            self.at, self.point = graph.code[point], point
            instruction = graph.instruction(point)
            row = instruction.row
            if row.collective:
                self._collective(point, instruction)
            elif (row.effect is Effect.PURE or row.name == "LEA") and self._is_host(point):
                self._instruction(point, instruction)
        instruction = graph.instruction(last)
        end = Terminator("jump", at=self.at)
        both = [way for way in (graph.target[last], graph.next[last]) if way is not None]
        if instruction.name == "LOOP" and self._is_host(last):
            end.value = self._count(instruction)
        elif instruction.name == "BRA" and instruction.pred is not None and self._is_host(last):
            held = self._predicate(instruction.pred)
            end.value = self.pnot(held) if instruction.pred.negated else held
        if end.value is not None and len(set(both)) == 2:
            end.kind, end.ways = "branch", [self._way(way) for way in both]
        else:
            end.value = None
            end.ways = [self._way(next(iter(self.ways(last)), END))]
        if len(end.ways) == 2 and end.ways[0] is end.ways[1]:
            end = Terminator("jump", end.ways[:1], at=self.at)
        self.current.end = end
        for way in end.ways:
            self._join(self.current, way)

    # What it computes

    def _meaning(self, row: Row, inputs: list[Any]) -> Any:
        """Faults are found by the lanes."""
        assert row.reference is not None
        return row.reference(self, *inputs)

    def call(self, name: str, *operands: Node) -> Node:
        found: Node = routine(name).body(self, *operands)
        return found

    def call_if(self, name: str, p: Node, otherwise: Node, *operands: Node) -> Node:
        return self.select(routine(name).result, p, self.call(name, *operands), otherwise)

    def _phi(self, point: int, address: Address) -> Node:
        """-1 where a coordinate does not exist."""
        total, all_inside = self.constant(POINTER, 0), self.constant(PRED, 1)
        parts = ((96, 12288), (48, 256), (256, 1))
        for coordinate, (limit, weight) in zip(address.coordinates, parts, strict=True):
            value = self.index(self._number(point, coordinate))
            inside = self.pand(
                self.le(POINTER, self.constant(POINTER, 0), value),
                self.lt(POINTER, value, self.constant(POINTER, limit)),
            )
            all_inside = self.pand(all_inside, inside)
            part = self.mul(POINTER, value, self.constant(POINTER, weight))
            total = self.add(POINTER, total, part)
        return self.select(POINTER, all_inside, total, self.constant(POINTER, POINTER.encode(-1)))

    # What it launches

    def _collective(self, point: int, instruction: Instruction) -> None:
        """The effect has an argument for each number that the collective does not name itself, in order."""
        args = []
        for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
            if isinstance(value, Address):
                if value.space is Space.PHI:
                    args.append(self._phi(point, value))
                elif value.space is Space.POINTER:
                    assert isinstance(value.base, Register)
                    args.append(self._register(value.base, POINTER))
                elif value.index is not None:
                    args.append(self._number(point, value.index))
            elif operand.kind in ("size", "scalar") and isinstance(value, (Register, str)):
                args.append(self._number(point, value))
        self.node("collective", None, *args, attr=point)
        written = sum(1 << _key(value) for _, value in instruction.writes())
        known, onward = self.known[point], self.graph.next[point]
        if onward is not None and onward != END:
            either = known.either & ~written
            self.region(onward, known.host & ~written, known.results & ~either | written, either)

    def region(self, point: int, host: int, results: int, either: int = 0) -> None:
        """The launch of the lane region at a point, where the host knows these registers (bit sets)."""
        if _is_idle(self, point):
            return
        wanted: Uniform = {}
        for number, ty in _reads(self, point):
            key = number + (_PREDICATE if ty == PRED else 0)
            if either >> key & 1 and number in PRELOADED:
                text = f"r{number} holds the result of a collective or what it held at the start, by the way taken"
                raise CompileError(self.graph.code[point], f"{text}: copy it to another register first")
            if ty is not None and (host | results) >> key & 1:
                wanted[number, ty] = f"$r{key}.{ty}"
        made = self.make(point, wanted)
        if made is None:
            return
        kernel, needed = made
        names: dict[str, Node] = {}
        held: list[tuple[str, RegisterKey]] = []
        for variable, name in wanted.items():
            number, ty = variable
            if name not in needed:
                continue
            if results >> (number + (_PREDICATE if ty == PRED else 0)) & 1:
                held.append((name, variable))
            else:
                names[name] = self.read(self.current, variable)
        self.node(
            "region",
            None,
            *names.values(),
            attr=Region(kernel, tuple(names), tuple(held), point, tuple(wanted.items())),
        )


def _key(value: Register | Predicate) -> int:
    return value.index + (_PREDICATE if isinstance(value, Predicate) else 0)


def _points(builder: Builder, point: int) -> list[int]:
    """The points of the lane region that starts at a point."""
    graph = builder.graph
    if point == END:
        return []
    seen: set[int] = set()
    work = [point]
    while work:
        start = work.pop()
        if start not in seen:
            seen.add(start)
            work += Builder.ways(builder, end_of(graph, start))
    return [inner for start in sorted(seen) for inner in range(start, end_of(graph, start) + 1)]


def _is_idle(builder: Builder, point: int) -> bool:
    """Whether the region at a point does nothing for anybody: no effect, no fault, no loop that may not end."""
    graph = builder.graph
    for inner in _points(builder, point):
        row = graph.instruction(inner).row
        if row.collective:
            continue
        if row.effect not in (Effect.PURE, Effect.CONTROL) or row.fault is not None:
            return False
        target = graph.target[inner]
        if target is not None and target != END and target <= inner and inner not in graph.counted:
            return False
    return True


def _reads(builder: Builder, point: int) -> dict[RegisterKey, None]:
    """Registers and predicates that the lane region at a point may read as it finds them, with their types."""
    graph, analysis = builder.graph, builder.analysis
    found: dict[RegisterKey, None] = {}  # a type may be None: of parameters that are buffers
    for inner in _points(builder, point):
        instruction = graph.instruction(inner)
        if instruction.row.collective:
            continue
        moved = POINTER if inner in analysis.pointers else analysis.types.get(inner)
        for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
            if isinstance(value, Address):
                for register in value.registers:
                    ty = POINTER if register is value.base else analysis.numbers.get((inner, register.index))
                    found[register.index, ty] = None
            elif isinstance(value, Predicate) and operand.role != "def":
                found[value.index, PRED] = None
            elif isinstance(value, Register) and operand.role != "def" and operand.kind != "result":
                number = analysis.numbers.get((inner, value.index))
                pointer = POINTER if operand.type == "pointer" else None
                # Sizes, such as the index of a CHK, have the type that the verifier found there.
                typed = None if operand.kind == "size" else instruction.type_of(operand)
                for ty in (number, typed, moved, pointer):
                    found[value.index, ty] = None
    return found


def drop_idle_loops(function: Function) -> int:
    """Takes loops out that launch nothing and whose values nothing needs; how many. Lanes go around them themselves."""
    count = 0
    while loop := _idle_loop(function):
        header, inside, exit_ = loop
        for before in [block for block in header.predecessors if block not in inside]:
            before.end.ways = [exit_ if way is header else way for way in before.end.ways]
            for phi in exit_.phis:
                phi.args = (
                    *phi.args,
                    next(a for a, b in zip(phi.args, exit_.predecessors, strict=True) if b in inside),
                )
            exit_.predecessors.append(before)
        eliminate_dead(function)
        count += 1
    return count


def _idle_loop(function: Function) -> tuple[Block, set[Block], Block] | None:
    tree = Dominators(function.blocks[0], lambda block: block.end.ways)
    uses: dict[Node, set[Block]] = {}
    for block in function.blocks:
        for node in (*block.phis, *block.nodes):
            for arg in node.args:
                uses.setdefault(arg, set()).add(block)
        if block.end.value is not None:
            uses.setdefault(block.end.value, set()).add(block)
    for header in function.blocks:
        latches = [block for block in header.predecessors if tree.dominates(header, block)]
        if not latches:
            continue
        inside, work = {header}, list(latches)
        while work:
            block = work.pop()
            if block not in inside:
                inside.add(block)
                work += block.predecessors
        exits = {way for block in inside for way in block.end.ways if way not in inside}
        nodes = [node for block in inside for node in (*block.phis, *block.nodes)]
        if len(exits) != 1 or any(node.op in EFFECTS for node in nodes):
            continue
        if any(not uses.get(node, set()) <= inside for node in nodes):
            continue
        (exit_,) = exits
        places = [n for n, block in enumerate(exit_.predecessors) if block in inside]
        if any(len({id(phi.args[n]) for n in places}) > 1 for phi in exit_.phis):
            continue
        if any(exit_ in block.end.ways for block in header.predecessors if block not in inside):
            continue  # the block before goes around the loop, too
        return header, inside, exit_
    return None
