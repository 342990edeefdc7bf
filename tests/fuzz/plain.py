"""A second interpreter, as plain as can be: one lane after another, one number after another, no masks, no flow graph.

It shares with the cpu device the instruction table and nothing else: numbers are bit patterns and the primitives those
of `isa/ops.py` in exact Python arithmetic, calls use a stack, addresses and registers carry what they hold. So where
the two agree, a mistake has to be in both. It is slow, and meant for launches of few lanes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hologram_web.backends.device import CLASS_BYTES
from hologram_web.backends.host_device import HostDevice
from hologram_web.errors import ExecutionError, FaultKind
from hologram_web.isa import Address, AtomicOperation, Instruction, Predicate, Program, Register, Type
from hologram_web.isa.address import Space
from hologram_web.isa.launch import LaunchConfig
from hologram_web.isa.operands import PRELOADED
from hologram_web.isa.ops import IDENTITIES, SCALAR_OPS, ScalarOps, reduce_type
from hologram_web.isa.verify import Analysis

from .plain_collectives import PlainCollectives

__all__ = ["PlainBackend"]

Bytes = NDArray[np.uint8]


class _Place(NamedTuple):
    """Where an access goes: a memory and a byte offset."""

    memory: Bytes
    offset: int


@dataclass
class _Lane:
    """A lane: registers hold (type, bits), the name of a parameter, or a place."""

    registers: dict[int, Any]
    shared: Bytes
    local: Bytes
    point: int
    stack: list[int] = field(default_factory=list)
    predicates: dict[int, bool] = field(default_factory=dict)
    waits: str = ""  # "barrier", "collective", or "end"


def _fault(kind: FaultKind, index: int) -> ExecutionError:
    return ExecutionError(kind, index, "found by the plain interpreter")


class _Run(ScalarOps):
    """A launch. It is the ops namespace of the lane that runs, whose loads and stores it does."""

    def __init__(self, program: Program, config: LaunchConfig, memories: Mapping[str, Any], classes: Any) -> None:
        self.program, self.config, self.memories, self.classes = program, config, memories, classes
        self.labels = program.labels
        self.lane = _Lane({}, np.zeros(0, np.uint8), np.zeros(0, np.uint8), 0)
        self.index = 0
        self.steps = 0

    # The launch

    def go(self, most_steps: int) -> None:
        blocks = [self._block(number) for number in range(self.config.blocks)]
        while True:
            for lanes in blocks:
                self._run_block(lanes, most_steps)
            waiting = [lane for lanes in blocks for lane in lanes if lane.waits == "collective"]
            if not waiting:
                return
            instruction = self.program.instructions[waiting[0].point]
            result = PlainCollectives(self, waiting[0].registers).execute(instruction)
            for lane in waiting:
                for operand, value in instruction.writes():
                    lane.registers[value.index] = (instruction.type_of(operand), result)
                lane.point, lane.waits = lane.point + 1, ""
            for lanes in blocks:  # lane code after a collective starts with zeroed shared and local memory
                for lane in lanes:
                    lane.shared[:] = lane.local[:] = 0

    def _block(self, number: int) -> list[_Lane]:
        config = self.config
        (bx, by, bz), (gx, gy, _) = config.block, config.grid
        block = number % gx, number // gx % gy, number // (gx * gy)
        shared = np.zeros(self.program.shared_memory + config.shared_memory, np.uint8)
        lanes = []
        for linear in range(bx * by * bz):
            lane = linear % bx, linear // bx % by, linear // (bx * by)
            at = [b * size + own for b, size, own in zip(block, config.block, lane, strict=True)]
            if config.lanes and any(own >= asked for own, asked in zip(at, config.lanes, strict=True)):
                continue
            named = {"GLOBAL_LANE_ID": number * bx * by * bz + linear}
            for axis, place in zip("XYZ", range(3), strict=True):
                named[f"LANE_IDX_{axis}"], named[f"BLOCK_IDX_{axis}"] = lane[place], block[place]
                named[f"BLOCK_DIM_{axis}"], named[f"GRID_DIM_{axis}"] = config.block[place], config.grid[place]
            registers: dict[int, Any] = {key: (ty, named[name]) for key, (name, ty) in PRELOADED.items()}
            for key, param in self.program.register_params().items():
                value = self.memories[param.name]
                registers[key] = (param.ty, value) if param.kind == "scalar" else param.name
            local = np.zeros(self.program.local_memory, np.uint8)
            lanes.append(_Lane(registers, shared, local, self.program.start))
        return lanes

    def _run_block(self, lanes: list[_Lane], most_steps: int) -> None:
        while True:
            for lane in lanes:
                if not lane.waits:
                    self.lane, self.steps = lane, 0
                    self._run_lane(most_steps)
            waiting = [lane for lane in lanes if lane.waits == "barrier"]
            if not waiting:
                return
            if len({lane.point for lane in lanes if lane.waits != "end"}) > 1:
                raise _fault(FaultKind.DIVERGENT_BARRIER, waiting[0].point)
            for lane in waiting:
                lane.point, lane.waits = lane.point + 1, ""

    def _run_lane(self, most_steps: int) -> None:
        """Runs the lane until it ends or waits."""
        lane, instructions = self.lane, self.program.instructions
        while not lane.waits:
            if lane.point >= len(instructions):
                lane.waits = "end"
                return
            instruction = instructions[lane.point]
            self.index = lane.point
            match instruction.name:
                case "BRA":
                    self._jump(instruction, self._guard(instruction.pred), most_steps)
                case "LOOP":
                    ty, count = lane.registers[instruction.counter.index]
                    if count:
                        lane.registers[instruction.counter.index] = (ty, count - 1)
                    self._jump(instruction, count != 0, most_steps)
                case "CALL":
                    lane.stack.append(lane.point + 1)
                    lane.point = self.labels[instruction.target.name]
                case "RET":
                    lane.point = lane.stack.pop()
                case "EXIT":
                    lane.waits = "end"
                case "BarSync":
                    lane.waits = "barrier"
                case _ if instruction.row.collective:
                    lane.waits = "collective"
                case _:
                    self._execute(instruction)
                    lane.point += 1

    def _jump(self, instruction: Instruction, taken: bool, most_steps: int) -> None:
        lane = self.lane
        if not taken:
            lane.point += 1
            return
        target = self.labels[instruction.target.name]
        if target <= lane.point:
            self.steps += 1
            if self.steps > most_steps:
                raise _fault(FaultKind.STEP_LIMIT, lane.point)
        lane.point = target

    def _guard(self, predicate: Predicate | None) -> bool:
        return predicate is None or self.lane.predicates[predicate.index] != predicate.negated

    # Instructions

    def _execute(self, instruction: Instruction) -> None:
        row, lane = instruction.row, self.lane
        if row.name == "MOV":
            lane.registers[instruction.dst.index] = lane.registers[instruction.src.index]
            return
        inputs = []
        for operand, value in zip(row.operands, instruction.values, strict=True):
            if operand.role == "def":
                continue
            if isinstance(value, Register):
                inputs.append(self._number(value) if operand.kind == "size" else lane.registers[value.index][1])
            elif isinstance(value, Predicate):
                inputs.append(lane.predicates[value.index])
            elif isinstance(value, Address):
                inputs.append(self.at(value, lane.registers))
            elif operand.kind == "size" and isinstance(value, str):
                param = self.program.param(value)
                assert param is not None
                assert param.ty is not None
                inputs.append(param.ty.decode(self.memories[value]))
            else:
                inputs.append(value)
        if row.fault is not None and row.fault[1](self, *inputs):
            raise _fault(row.fault[0], self.index)
        assert row.reference is not None
        result = row.reference(self, *inputs)
        for position in row.defs:
            operand, target = row.operands[position], instruction.values[position]
            if isinstance(target, Predicate):
                lane.predicates[target.index] = result
            else:
                ty = instruction.type_of(operand)
                lane.registers[target.index] = result if ty is None else (ty, result)

    def _number(self, register: Register) -> int:
        ty, bits = self.lane.registers[register.index]
        return int(ty.decode(bits))

    # Memory

    def at(self, address: Address, registers: dict[int, Any]) -> _Place:
        def number(value: Register | int) -> int:
            if isinstance(value, int):
                return value
            ty, bits = registers[value.index]
            return int(ty.decode(bits))

        if address.space is Space.POINTER:
            assert isinstance(address.base, Register)
            pointer: _Place = registers[address.base.index]
            return pointer
        if address.space is Space.PHI:
            kinds = FaultKind.INVALID_CLASS, FaultKind.OUT_OF_BOUNDS, FaultKind.OUT_OF_BOUNDS
            parts = [number(c) for c in address.coordinates]
            for part, limit, kind in zip(parts, (96, 48, 256), kinds, strict=True):
                if not 0 <= part < limit:
                    raise _fault(kind, self.index)
            return _Place(self.classes(), parts[0] * CLASS_BYTES + parts[1] * 256 + parts[2])
        offset = address.offset
        if address.index is not None:
            offset += number(address.index) * address.scale
        if address.space is Space.SHARED:
            return _Place(self.lane.shared, offset)
        if address.space is Space.LOCAL:
            return _Place(self.lane.local, offset)
        if address.space is Space.CLASS:
            assert isinstance(address.base, int)
            return _Place(self.classes()[address.base * CLASS_BYTES :][:CLASS_BYTES], offset)
        name: Any = registers[address.base.index] if isinstance(address.base, Register) else address.base
        return _Place(self.memories[name], offset)

    def inside(self, ty: Type, place: _Place, count: int) -> None:
        size = ty.size_bytes * count
        if size > 0 and not 0 <= place.offset <= len(place.memory) - size:
            raise _fault(FaultKind.OUT_OF_BOUNDS, self.index)
        if size > 0 and place.offset % ty.alignment:
            raise _fault(FaultKind.MISALIGNED_ACCESS, self.index)

    def check(self, index: int, length: int, array: str, axis: int, offset: int) -> None:
        if not 0 <= index + offset < length:
            raise _fault(FaultKind.OUT_OF_BOUNDS, self.index)

    def element(self, ty: Type, place: _Place, number: int) -> int:
        start = place.offset + number * ty.size_bytes
        return int.from_bytes(place.memory[start : start + ty.size_bytes].tobytes(), "little")

    def put(self, ty: Type, place: _Place, number: int, bits: int) -> None:
        start = place.offset + number * ty.size_bytes
        place.memory[start : start + ty.size_bytes] = list(bits.to_bytes(ty.size_bytes, "little"))

    def load(self, ty: Type, place: _Place) -> int:
        self.inside(ty, place, 1)
        return self.element(ty, place, 0)

    def store(self, ty: Type, place: _Place, bits: int) -> None:
        self.inside(ty, place, 1)
        self.put(ty, place, 0, bits)

    def place(self, place: _Place) -> _Place:
        return place

    def atomic(self, operation: AtomicOperation, ty: Type, place: _Place, value: int, compare: int | None) -> int:
        old = self.load(ty, place)
        match operation:
            case AtomicOperation.EXCH:
                new = value
            case AtomicOperation.CAS:
                new = value if old == compare else old
            case AtomicOperation.AND | AtomicOperation.OR:
                new = getattr(SCALAR_OPS, operation.value + "_")(ty, old, value)
            case _:
                new = getattr(SCALAR_OPS, operation.value)(ty, old, value)
        self.put(ty, place, 0, new)
        return old

    def reduce(self, combine: str, ty: Type, place: _Place, count: int) -> int:
        count = max(count, 0)
        self.inside(ty, place, count)
        return canonical(combine, ty, [self.element(ty, place, number) for number in range(count)])


def canonical(combine: str, ty: Type, bits: list[int]) -> int:
    """The reduction of isa.md section 3, as it is written there."""
    wide = reduce_type(ty)
    op = getattr(SCALAR_OPS, combine)
    identity = wide.encode(IDENTITIES[combine](wide))
    level = [SCALAR_OPS.cvt(wide, ty, value) if wide is not ty else value for value in bits]
    while True:
        results = []
        for start in range(0, max(len(level), 1), 2048):
            orbits = [identity] * 32
            for place, value in enumerate(level[start : start + 2048]):
                orbits[place % 32] = op(wide, orbits[place % 32], value)
            for stride in (16, 8, 4, 2, 1):
                orbits = [op(wide, orbits[j], orbits[j + stride]) for j in range(stride)]
            results.append(orbits[0])
        level = results
        if len(level) == 1:
            return SCALAR_OPS.cvt(ty, wide, level[0]) if wide is not ty else int(level[0])


class PlainBackend(HostDevice):
    """The plain interpreter as a device."""

    name = "plain"

    def _reserve(self, size: int) -> Bytes:
        return np.zeros(size, np.uint8)

    def _release(self, memory: Bytes) -> None:
        pass

    def _launch(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> None:
        memories = dict(values)
        for base, memory in self._memory_of(analysis, values).items():
            if isinstance(base.name, str):
                memories[base.name] = memory
        _Run(analysis.program, config, memories, self._classes).go(self.limits.steps)
