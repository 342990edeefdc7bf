"""What the host does between lane regions: it follows a program from collective to collective.

A program with collectives is a sequence of lane regions and collectives (isa.md section 6). The verifier has seen to
it that the host can decide the way and compute every operand; here it does, with the reference semantics over
`SCALAR_OPS`, and skips what depends on lanes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ExecutionError, FaultKind
from ..isa.address import Address, Space
from ..isa.cfg import END
from ..isa.instruction import Instruction
from ..isa.operands import Predicate, Register
from ..isa.ops import SCALAR_OPS
from ..isa.row import Effect
from ..isa.types import Type
from ..isa.verify import Analysis
from .node_ops import POINTER

__all__ = ["HostState", "Known"]

# Values that the host knows, as bits, by register and type; predicates by (256 + number, "pred").
Known = dict[tuple[int, Type | str], int]
_PRED = "pred"
_PATIENCE = 1 << 22


class HostState:
    """Where the host is in a program, and what it knows there."""

    def __init__(self, analysis: Analysis, scalars: Mapping[str, tuple[Type, int]]) -> None:
        self.analysis, self.graph = analysis, analysis.graph
        self.scalars = scalars
        self.point: int | None = self.graph.entry
        self.known: Known = {}
        for number, param in analysis.program.register_params().items():
            if param.kind == "scalar" and param.ty is not None:
                self.known[number, param.ty] = scalars[param.name][1]
        self._steps = 0

    def to_collective(self) -> int | None:
        """Goes on to the next collective, whose point it returns; None if the program ends before."""
        graph = self.graph
        if not self.analysis.has_collectives:
            return None
        point: int | None = self.point
        while point is not None and point != END:
            instruction = graph.instruction(point)
            if instruction.row.collective:
                self.point = point
                return point
            self._steps += 1
            if self._steps > _PATIENCE:
                raise ExecutionError(
                    FaultKind.STEP_LIMIT,
                    graph.code[point],
                    "the host ran too long between collectives: does a loop end?",
                )
            point = self._next(point, instruction)
        return None

    def after_collective(self, result: int | None) -> None:
        """Goes past the collective; `result` is the value of its register, if it has one."""
        assert self.point is not None
        instruction = self.graph.instruction(self.point)
        for operand, value in instruction.writes():
            ty = instruction.type_of(operand)
            assert isinstance(value, Register)
            assert ty is not None
            self._forget(value)
            if result is not None:
                self.known[value.index, ty] = result
        self.point = self.graph.next[self.point]

    def number(self, value: Register | str | float, point: int | None = None) -> int | float:
        """A size or factor at a point (the collective's): an immediate, a register, or a scalar parameter."""
        if isinstance(value, str):
            ty, bits = self.scalars[value]
            return ty.decode(bits)
        if not isinstance(value, Register):
            return value
        where = self.point if point is None else point
        assert where is not None
        ty = self.analysis.numbers[where, value.index]
        return ty.decode(self.known[value.index, ty])

    def offset(self, address: Address, point: int | None = None) -> int:
        """The byte offset of an address; -1 where a coordinate of Phi does not exist. KeyError if it is not known."""
        if address.space is Space.PHI:
            parts = [int(self.number(part, point)) for part in address.coordinates]
            inside = all(0 <= part < limit for part, limit in zip(parts, (96, 48, 256), strict=True))
            return 12288 * parts[0] + 256 * parts[1] + parts[2] if inside else -1
        if address.space is Space.POINTER:
            assert isinstance(address.base, Register)
            return int(POINTER.decode(self.known[address.base.index, POINTER]))
        if address.index is None:
            return address.offset
        return int(self.number(address.index, point)) * address.scale + address.offset

    # One step

    def _next(self, point: int, instruction: Instruction) -> int | None:
        graph = self.graph
        match instruction.name:
            case "BRA" if instruction.pred is not None:
                holds = self.known.get((256 + instruction.pred.index, _PRED))
                if holds is None:
                    return self._past(point)
                return graph.target[point] if bool(holds) != instruction.pred.negated else graph.next[point]
            case "LOOP":
                key = instruction.counter.index, Type.U32
                if key not in self.known:
                    return self._past(point)
                if self.known[key] == 0:
                    return graph.next[point]
                self.known[key] -= 1
                return graph.target[point]
            case "BRA" | "CALL" | "RET" | "EXIT":
                return graph.target[point]
        self._evaluate(point, instruction)
        return graph.next[point]

    def _evaluate(self, point: int, instruction: Instruction) -> None:
        row = instruction.row
        if row.name == "LEA":
            self._point_at(point, instruction)
            return
        values = self._inputs(point, instruction) if row.effect is Effect.PURE else None
        result = None
        if values is not None and row.reference is not None:
            result = values[0] if row.name == "MOV" else row.reference(SCALAR_OPS, *values)
        for operand, value in instruction.writes():
            self._forget(value)
            if result is not None:
                ty = instruction.type_of(operand) or self._moved(point)
                if isinstance(value, Predicate):
                    self.known[256 + value.index, _PRED] = int(result)
                elif ty is not None:
                    self.known[value.index, ty] = int(result)

    def _point_at(self, point: int, instruction: Instruction) -> None:
        """LEA, if the address is known."""
        try:
            offset = self.offset(instruction.src, point)
        except KeyError:
            self._forget(instruction.dst)
            return
        self._forget(instruction.dst)
        # Far outside stays outside: no memory is as large.
        self.known[instruction.dst.index, POINTER] = POINTER.encode(max(min(offset, 1 << 60), -(1 << 60)))

    def _inputs(self, point: int, instruction: Instruction) -> list[Any] | None:
        """Operands of the reference semantics, if all are known."""
        held = self._held(point, instruction)
        return None if held is None else [bool(value) if ty == _PRED else value for ty, value in held]

    def _held(self, point: int, instruction: Instruction) -> list[tuple[Type | str | None, Any]] | None:
        """Operands, if all are known: with its type what a register or a predicate holds, others as they are."""
        found: list[tuple[Type | str | None, Any]] = []
        for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
            if operand.role == "def":
                continue
            if isinstance(value, Address):
                return None
            if isinstance(value, Predicate):
                key: tuple[int, Type | str] = 256 + value.index, _PRED
            elif isinstance(value, Register):
                ty = instruction.type_of(operand) or self._moved(point)
                if ty is None:
                    return None
                key = value.index, ty
            else:
                found.append((None, value))
                continue
            if key not in self.known:
                return None
            found.append((key[1], self.known[key]))
        return found

    def _moved(self, point: int) -> Type | None:
        """The type of what a MOV copies; None if it copies a parameter."""
        return POINTER if point in self.analysis.pointers else self.analysis.types.get(point)

    def _forget(self, value: Register | Predicate) -> None:
        """What a register held before is overwritten, whatever its type was."""
        number = value.index + (256 if isinstance(value, Predicate) else 0)
        for key in [key for key in self.known if key[0] == number]:
            del self.known[key]

    def _past(self, point: int) -> int:
        """Where the ways of a branch that depends on lanes meet again. What lanes write on them is forgotten."""
        graph = self.graph
        for _, value in graph.instruction(point).writes():  # the counter of a LOOP
            self._forget(value)
        onward = graph.next[point]
        if onward is not None and onward == graph.target[point]:
            return onward  # both ways are one: the branch stands inside its block
        number = next(n for n, block in enumerate(graph.blocks) if point in block)
        inside = graph.influence(number)
        for other in inside:
            for inner in graph.blocks[other]:
                for _, value in graph.instruction(inner).writes():
                    self._forget(value)
        ways = {way for other in {number, *inside} for way in graph.block_successors[other] if way not in inside}
        ways.discard(number)
        way = next(iter(ways - {END}), END)
        return END if way == END else graph.blocks[way][0]
