"""From a verified Program to SSA (Braun et al. 2013, "Simple and Efficient Construction of SSA Form").

The reference semantics of the instruction table are run over an ops namespace that makes IR nodes, so that the
compiler has no second list of what instructions mean. Variables are pairs of a register and a type: the verifier has
seen to it that what is read has one type on every path, so retyping needs nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from ..errors import FaultKind
from ..isa.address import Address, Space
from ..isa.cfg import END, FlowGraph
from ..isa.instruction import Instruction
from ..isa.operands import PRELOADED, Predicate, Register
from ..isa.row import Effect, Row
from ..isa.types import Type
from ..isa.verify import Analysis, Base
from .accesses import access_of, give_axes, place_of
from .atlas import AtlasNodes, is_phase
from .dominance import Dominators
from .ir import PRED, Axis, Block, Function, MemoryAccess, Node, Replaced, Terminator, ValueType
from .node_ops import POINTER

__all__ = ["Builder", "build", "end_of"]

_Variable = tuple[int, ValueType | str]
_ENDS = (Effect.CONTROL, Effect.BARRIER)
_ACCESSES = (Effect.LOAD, Effect.STORE, Effect.ATOMIC)


class Builder(AtlasNodes):
    """Builds one lane region: the ops namespace whose values are nodes of the current block."""

    def __init__(self, analysis: Analysis, entry: int, block_shape: tuple[int, int, int], uniform: Any) -> None:
        super().__init__()
        self.analysis, self.graph = analysis, analysis.graph
        self.entry = entry
        self.uniform: dict[_Variable, str] = uniform
        self.blocks: dict[int, Block] = {}
        self.definitions: dict[tuple[Block, _Variable], Node] = {}
        self.sealed: set[Block] = set()
        self.incomplete: dict[Block, dict[_Variable, Node]] = {}
        self.replaced = Replaced()
        self.bases: dict[Base, None] = {}
        self.ends: dict[int, int] = {}  # of the pieces of code that start at points
        self.at = self.point = -1
        self.shape = block_shape
        self.indices: dict[Node, Node] = {}  # of accesses as the program has them, by what became of them
        self.checks: list[tuple[Axis, Node, Node]] = []  # CHK instructions for the next access of the block

    # SSA

    def write(self, variable: _Variable, value: Node) -> None:
        self.definitions[self.current, variable] = value

    def read(self, block: Block, variable: _Variable) -> Node:
        """What a variable holds at the end of a block. Programs have longer chains of blocks than Python has frames."""
        found = self.definitions.get((block, variable))
        if found is not None:
            return self.replaced.final(found)
        stack = [self._reading(block, variable)]
        node: Any = None
        while stack:
            try:
                before = stack[-1].send(node)
            except StopIteration as done:
                stack.pop()
                node = done.value
                continue
            found = self.definitions.get((before, variable))
            node = None if found is None else self.replaced.final(found)
            if found is None:
                stack.append(self._reading(before, variable))
        return node  # type: ignore[no-any-return]  # what the first of the stack returned

    def _reading(self, block: Block, variable: _Variable) -> Generator[Block, Node, Node]:
        """Asks for what the variable holds at the end of other blocks."""
        if block not in self.sealed:
            node = Node("phi", self._type(variable))
            block.phis.append(node)
            self.incomplete.setdefault(block, {})[variable] = node
        elif not block.predecessors:
            node = self._entry_value(variable)
        elif len(block.predecessors) == 1:
            node = yield block.predecessors[0]
        else:
            node = Node("phi", self._type(variable))
            block.phis.append(node)
            self.definitions[block, variable] = node
            args = []
            for before in block.predecessors:
                args.append((yield before))
            node.args = tuple(args)
            node = self._without_trivial(block, node)
        self.definitions[block, variable] = node
        return node

    @staticmethod
    def _type(variable: _Variable) -> ValueType:
        return variable[1]

    def _complete(self, block: Block, variable: _Variable, phi: Node) -> Node:
        phi.args = tuple(self.read(before, variable) for before in block.predecessors)
        return self._without_trivial(block, phi)

    def _without_trivial(self, block: Block, phi: Node) -> Node:
        """Removes a phi that merges one value only. Uses of it are redirected when the function is finished."""
        others = {id(arg): arg for arg in map(self.replaced.final, phi.args) if arg is not phi}
        if len(others) != 1:
            return phi
        (same,) = others.values()
        block.phis.remove(phi)
        self.replaced[phi] = same
        return same

    def _entry_value(self, variable: _Variable) -> Node:
        """What a register holds when the region starts."""
        number, ty = variable
        block, self.current = self.current, self.start
        kept = self.uniform.get(variable)
        if kept is not None and ty == PRED:
            held = self.node("param", Type.U32, attr=kept)
            node = self.pnot(self.eq(Type.U32, held, self.constant(Type.U32, 0)))
        elif kept is not None:
            node = self.node("param", ty, attr=kept)
        elif is_phase(number):
            node = self.first_phase()
        elif number in PRELOADED and PRELOADED[number][1] is ty:
            node = self.node("special", ty, attr=PRELOADED[number][0])
        else:
            param = self.graph.program.register_params().get(number)
            if param is not None and param.kind == "scalar" and param.ty is ty:
                node = self.node("param", ty, attr=param.name)
            else:
                # A parameter that is a buffer, as a pointer: its first byte.
                # Not written on this path; the verifier knows that nothing reads it, a phi only passes it on.
                node = self.constant(ty, 0)
        self.current = block
        return node

    # Blocks

    def run(self) -> Function:
        graph = self.graph
        order = self._blocks_from(self.entry)
        self.blocks = {point: Block(number) for number, point in enumerate(order)}
        self.sealed.add(self.start)
        self._join(self.start, self.blocks[self.entry])
        self.start.end = Terminator("jump", [self.blocks[self.entry]])
        edges: dict[int, list[int]] = {point: self.ways(self.ends[point]) for point in order}
        waiting = {point: 0 for point in order}
        for point in order:
            for way in edges[point]:
                waiting[way] += 1
        done: set[int] = set()
        for point in order:
            block = self.blocks[point]
            if waiting[point] == 0:
                self.sealed.add(block)
            self.current = block
            self._block(point)
            done.add(point)
            for way in edges[point]:
                waiting[way] -= 1
                if waiting[way] == 0 and way in done:
                    self._seal(self.blocks[way])
        blocks = [self.start, *self.blocks.values()]
        self.replaced.put_into(blocks)
        _share_axes(blocks, lambda index: self.replaced.final(self.indices.get(index, index)))
        program = graph.program
        function = Function(
            blocks, program.shared_memory, list(self.bases), self.shape, program.metadata.name, program.local_memory
        )
        function.renumber()
        return function

    def ways(self, last: int) -> list[int]:
        """Where the code goes on behind the last point of a piece, but for the end."""
        if self.graph.instruction(last).row.collective:
            return []
        return [way for way in self.graph.successors(last) if way != END]

    def _blocks_from(self, entry: int) -> list[int]:
        """Starts of the pieces of code that a region entered at `entry` reaches, ascending."""
        seen: set[int] = set()
        work = [entry]
        while work:
            start = work.pop()
            if start not in seen:
                seen.add(start)
                self.ends[start] = end_of(self.graph, start)
                work += self.ways(self.ends[start])
        return sorted(seen)

    def _seal(self, block: Block) -> None:
        self.sealed.add(block)
        for variable, phi in self.incomplete.pop(block, {}).items():
            value = self._complete(block, variable, phi)
            if self.definitions.get((block, variable)) is phi:
                self.definitions[block, variable] = value

    @staticmethod
    def _join(source: Block, target: Block) -> None:
        target.predecessors.append(source)

    def _block(self, start: int) -> None:
        graph, last = self.graph, self.ends[start]
        for point in range(start, last + 1):
            self.at = graph.code[point]
            instruction = graph.instruction(point)
            if point < last or not (instruction.row.collective or instruction.row.effect in _ENDS):
                self._instruction(point, instruction)
        self._check_alone()
        end = Terminator("jump", at=self.at)
        instruction = graph.instruction(last)
        match instruction.name:
            case "BRA" if instruction.pred is not None:
                condition = self._predicate(instruction.pred)
                if instruction.pred.negated:
                    condition = self.pnot(condition)
                end.kind, end.value = "branch", condition
                end.ways = [self._way(graph.target[last]), self._way(graph.next[last])]
            case "LOOP":
                end.kind, end.value = "branch", self._count(instruction)
                end.ways = [self._way(graph.target[last]), self._way(graph.next[last])]
            case "BRA" | "CALL" | "RET":
                end.ways = [self._way(graph.target[last])]
            case "EXIT":
                end.kind = "exit"
            case "BarSync":
                end.kind, end.ways = "barrier", [self._way(graph.next[last])]
            case _ if instruction.row.collective:
                end.kind = "collective"
            case _:
                end.ways = [self._way(graph.next[last])]
        if len(end.ways) == 2 and end.ways[0] is end.ways[1]:
            end = Terminator("jump", end.ways[:1], at=self.at)
        self.current.end = end
        for way in end.ways:
            self._join(self.current, way)
        target = graph.target[last]
        if target is not None and target != END and target <= last and last not in graph.counted:
            end.steps = True

    def _count(self, instruction: Instruction) -> Node:
        """Whether a LOOP branches; its counter is decremented."""
        counter = self._register(instruction.counter, Type.U32)
        more = self.pnot(self.eq(Type.U32, counter, self.constant(Type.U32, 0)))
        less = self.sub(Type.U32, counter, self.cvt_predicate(more))
        self.write((instruction.counter.index, Type.U32), less)
        return more

    def cvt_predicate(self, predicate: Node) -> Node:
        """1 where the predicate holds, else 0."""
        return self.select(Type.U32, predicate, self.constant(Type.U32, 1), self.constant(Type.U32, 0))

    def _way(self, point: int | None) -> Block:
        if point is None or point == END:
            if END not in self.blocks:
                self.blocks[END] = Block(END)
            return self.blocks[END]
        return self.blocks[point]

    # Instructions

    def _instruction(self, point: int, instruction: Instruction) -> None:
        row = instruction.row
        if row.effect is Effect.CONTROL:  # a jump to the next point
            if row.name == "LOOP":
                self._count(instruction)
            return
        if row.name == "MOV":
            ty = POINTER if point in self.analysis.pointers else self.analysis.types.get(point)
            if ty is not None:  # else a parameter is copied, which is followed statically
                self.write((instruction.dst.index, ty), self._register(instruction.src, ty))
            return
        if row.name == "MemFence":
            self.node("fence", None)
            return
        assert row.reference is not None
        self.point = point
        if row.effect not in (Effect.PURE, Effect.CHECK, *_ACCESSES):
            self._check_alone()
        inputs = [
            self._input(point, position, instruction)
            for position, operand in enumerate(row.operands)
            if operand.role != "def"
        ]
        result = self._meaning(row, inputs)
        if self.checks and row.effect in _ACCESSES:
            self._check_with(self.current.nodes[-1])
        for position in row.defs:
            operand, value = row.operands[position], instruction.values[position]
            if isinstance(value, Predicate):
                self.write((value.index, PRED), result)
            else:
                self.write((value.index, instruction.type_of(operand) or POINTER), result)

    def _meaning(self, row: Row, inputs: list[Any]) -> Any:
        """What the reference semantics make of operands, behind a guard if they may be a fault."""
        assert row.reference is not None
        if row.fault is not None:
            kind, condition = row.fault
            faulty = condition(self, *inputs)
            if faulty is not None:
                self.node("guard", None, faulty, attr=(kind, self.at, 0))
        return row.reference(self, *inputs)

    # CHK

    def check(self, index: Node, length: Node, array: str, axis: int, offset: int) -> None:
        """Waits for the access that it is for."""
        self.checks.append((Axis(self.at, offset), *self._comparable(index, length, offset)))

    def _comparable(self, index: Node, length: Node, offset: int) -> tuple[Node, Node]:
        """The two in one of the forms that an Axis is about."""
        index, length = self._narrow(index), self._narrow(length)
        if length.ty is Type.I32 and not length.is_const:
            length = self._not_negative(length)
        if index.ty is Type.U32 and not offset and length.ty in (Type.I32, Type.U32):
            if length.is_const:
                return index, self.constant(Type.U32, length.attr)
            return index, self.bitcast(Type.U32, length.ty, length)
        if index.ty is Type.I32 and length.ty is Type.I32:
            return index, length
        return self.index(index), self.max(POINTER, self.index(length), self.constant(POINTER, 0))

    def _narrow(self, node: Node) -> Node:
        """A number that fits I32 as I32."""
        ty = node.ty
        assert isinstance(ty, Type)
        if node.is_const and 0 <= int(ty.decode(node.attr)) < 1 << 31:
            return self.constant(Type.I32, node.attr)
        return self.cvt(Type.I32, ty, node) if ty.bits < 32 else node

    def _not_negative(self, length: Node) -> Node:
        """A length, which is a parameter as a rule: then it is computed once."""
        block = self.current
        if length.op == "param":
            self.current = self.start
        found = self.node("max", Type.I32, length, self.constant(Type.I32, 0))
        self.current = block
        return found

    def _check_with(self, access: Node) -> None:
        """Lets an access, which was made right now, do the checks."""
        if access.op == "reduce":
            self.current.nodes.pop()
            self._check_alone()
            self.current.nodes.append(access)
            return
        axes = tuple(axis for axis, _, _ in self.checks)
        give_axes(access, axes, tuple(node for _, *nodes in self.checks for node in nodes))
        self.checks = []

    def _check_alone(self) -> None:
        """Makes guards of checks that no access follows."""
        for axis, index, length in self.checks:
            ty = index.ty
            assert isinstance(ty, Type)
            place = self.index(index)
            if axis.offset:
                place = self.add(POINTER, place, self.constant(POINTER, POINTER.encode(axis.offset)))
            end = self.index(length)
            inside = self.pand(self.le(POINTER, self.constant(POINTER, 0), place), self.lt(POINTER, place, end))
            attr = (FaultKind.OUT_OF_BOUNDS, axis.at, 0)
            self.node("guard", None, self.pnot(inside), place, end, attr=attr)
        self.checks = []

    def _register(self, register: Register, ty: ValueType) -> Node:
        return self.read(self.current, (register.index, ty))

    def _predicate(self, predicate: Predicate) -> Node:
        return self.read(self.current, (predicate.index, PRED))

    def _input(self, point: int, position: int, instruction: Instruction) -> Any:
        operand, value = instruction.row.operands[position], instruction.values[position]
        if operand.kind == "size":
            return self._number(point, value)
        if isinstance(value, Register):
            return value if operand.kind == "pool" else self._register(value, instruction.type_of(operand))
        if isinstance(value, Address):
            return self._place(point, position, instruction, value)
        return self._predicate(value) if isinstance(value, Predicate) else value

    def _number(self, point: int, value: Register | str | int) -> Node:
        """An integer of an address or a count, of whatever type it has."""
        if isinstance(value, Register):
            return self._register(value, self.analysis.numbers[point, value.index])
        if isinstance(value, str):
            param = self.graph.program.param(value)
            assert param is not None
            return self._param(value, param.ty)
        return self.constant(Type.U64, value)

    def _param(self, name: str, ty: ValueType) -> Node:
        block, self.current = self.current, self.start
        node = self.node("param", ty, attr=name)
        self.current = block
        return node

    def _place(
        self, point: int, position: int, instruction: Instruction, address: Address
    ) -> tuple[MemoryAccess, Node]:
        base = self.analysis.bases[point, position]
        self.bases[base] = None
        operand = instruction.row.operands[position]
        element = instruction.type_of(operand) if operand.kind != "place" else Type.U8
        assert element is not None
        access = MemoryAccess(base, element, address.scale, address.offset, self.at)
        if address.space is Space.POINTER:
            assert isinstance(address.base, Register)
            return access, self._register(address.base, POINTER)
        if address.space is Space.PHI:
            return access, self._phi(point, address)
        if address.index is None:
            return MemoryAccess(base, element, 1, 0, self.at), self.constant(POINTER, POINTER.encode(address.offset))
        number = self._number(point, address.index)
        index = self.index(number)
        self.indices[index] = number
        return access, index

    def _phi(self, point: int, address: Address) -> Node:
        """12288 * class + 256 * page + byte, each checked."""
        total: Node | None = None
        parts = ((96, 12288), (48, 256), (256, 1))
        for number, (coordinate, (limit, weight)) in enumerate(zip(address.coordinates, parts, strict=True)):
            value = self.index(self._number(point, coordinate))
            inside = self.pand(
                self.le(POINTER, self.constant(POINTER, 0), value),
                self.lt(POINTER, value, self.constant(POINTER, limit)),
            )
            kind = FaultKind.OUT_OF_BOUNDS if number else FaultKind.INVALID_CLASS
            self.node("guard", None, self.pnot(inside), value, attr=(kind, self.at, number))
            part = self.node("mul", POINTER, value, self.constant(POINTER, weight))
            total = part if total is None else self.node("add", POINTER, total, part)
        assert total is not None
        return total


def _share_axes(blocks: list[Block], index_of: Callable[[Node], Node]) -> None:
    """Lets what is behind a checked access, at the same place, check the same: `x[i, j] += 1` has one check, and where
    lanes go on after a fault, neither of the two does anything."""
    checked: dict[object, list[tuple[Block, int, Node]]] = {}
    bare: list[tuple[Block, int, Node, object]] = []
    for block in blocks:
        for number, node in enumerate(block.nodes):
            access = place_of(node)
            if access is not None:
                place: object = (index_of(node.args[0]), access.base, access.scale, access.offset)
                if access.axes:
                    checked.setdefault(place, []).append((block, number, node))
                else:
                    bare.append((block, number, node, place))
    bare = [item for item in bare if item[3] in checked]
    tree = Dominators(blocks[0], lambda block: block.end.ways) if bare else None
    for block, number, node, place in bare:
        for home, before, other in checked[place]:
            assert tree is not None
            if before < number if home is block else tree.dominates(home, block):
                found = access_of(other)
                assert found is not None
                give_axes(node, found.axes, other.args[-2 * len(found.axes) :])
                break


def end_of(graph: FlowGraph, start: int) -> int:
    """Last point of the piece of code that starts at `start`: its block's end, or a barrier or collective before."""
    point = start
    while True:
        row = graph.instruction(point).row
        ways = graph.successors(point)
        if row.name == "BarSync" or row.collective or ways != [point + 1] or point + 1 in graph.block_of:
            return point
        point += 1


def build(
    analysis: Analysis,
    block_shape: tuple[int, int, int],
    entry: int | None = None,
    uniform: dict[_Variable, str] | None = None,
) -> Function:
    """The IR of the lane region that starts at a point (by default the program's entry).

    `uniform` names arguments for registers that hold host-computed values when the region starts.
    """
    start = analysis.graph.entry if entry is None else entry
    return Builder(analysis, start, block_shape, uniform or {}).run()
