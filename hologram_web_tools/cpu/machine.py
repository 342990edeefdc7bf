"""Runs lanes: every lane of some blocks at once as NumPy arrays, in groups of lanes that are at the same point.

A group runs one basic block at a time; the group at the lowest point goes first, so that lanes that took different
ways meet again where the ways join. Lanes at a barrier are parked until no lane of their block can run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hologram_web.backends.device import CLASS_BYTES
from hologram_web.backends.fault_text import COORDINATES, DIVISOR, clock, divergent, note, off_axis, steps
from hologram_web.backends.protocol import Limits
from hologram_web.errors import ExecutionError, FaultKind
from hologram_web.isa.address import Address, Space
from hologram_web.isa.cfg import END
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.launch import LaunchConfig
from hologram_web.isa.operands import PRELOADED, AtomicOperation, Predicate, Register
from hologram_web.isa.ops import SCALAR_OPS
from hologram_web.isa.types import Type
from hologram_web.isa.verify import Analysis, Base

from .atlas import AtlasOps
from .collective_functions import canonical_reduce
from .memory import LanePlaces, MemoryRegion, byte_offsets, checked, gather, scatter
from .races import RaceChecker
from .vector_ops import held

__all__ = ["Machine", "Registers", "Run"]

Array = NDArray[Any]
# What registers hold: by number and type (predicates by number alone, pointers as offsets).
_Key = tuple[int, Type | str]
Registers = dict[_Key, Array]
_PREDICATE, _POINTER = "predicate", "pointer"


@dataclass
class Run:
    """What all blocks of a launch share."""

    analysis: Analysis
    config: LaunchConfig
    regions: dict[Base, MemoryRegion]
    scalars: dict[str, tuple[Type, int]]  # scalar parameters, as bit patterns
    limits: Limits
    deadline: float | None
    cancelled: Callable[[], bool]
    descending: bool
    races: RaceChecker | None
    fresh: bool = False  # whether shared memory is to be written before it is read
    meets: Any = None  # of CpuBackend

    @cached_property
    def named(self) -> frozenset[int]:
        """The numbers of the registers that the program names."""
        return frozenset(register.index for register in self.analysis.program.registers())

    def look_up(self, index: int) -> None:
        """Ends the launch at an instruction if its time is up or it was cancelled."""
        if self.cancelled():
            raise self.fault(FaultKind.CANCELLED, index, "the launch was cancelled")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise self.fault(FaultKind.STEP_LIMIT, index, clock(self.limits.seconds))

    def fault(self, kind: FaultKind, index: int | None, detail: str, **where: Any) -> ExecutionError:
        text = "" if index is None else f", in {self.analysis.program.instructions[index]}"
        return ExecutionError(kind, index, detail + text, **where)


class Machine(AtlasOps):
    """The blocks `first` to `first + blocks` of a launch, from `point` on, with registers as `values` say.

    It is the ops namespace of its lanes: loads, stores, atomics and reductions act on the group that is running.
    """

    def __init__(self, run: Run, first: int, blocks: int, point: int, values: Registers) -> None:
        self.run, self.graph = run, run.analysis.graph
        self.stops: Container[int] = self.graph.block_of
        self.first, self.blocks = first, blocks
        self.size = run.config.block_lanes
        self.count = blocks * self.size
        self.lane_ids = first * self.size + np.arange(self.count, dtype=np.int64)
        self.registers: Registers = self._preloaded(point, values)
        self.written: set[_Key] = set(values)
        program = self.graph.program
        shared = program.shared_memory + run.config.shared_memory
        stride = -(-shared // 16) * 16
        data = np.zeros(blocks * stride, np.uint8)
        self.shared = MemoryRegion("shared memory", data, shared, stride, self.size)
        counts = any(i.name == "ATOM" and i.address.space is Space.SHARED for i in program.instructions)
        # By bytes; atomics count in memory that the contract has zeroed.
        self.written_shared = np.zeros(data.size, bool) if run.fresh and not counts else None
        meant = int(program.metadata.entries.get("zeroed", 0))
        if self.written_shared is not None and meant:
            self.written_shared.reshape(blocks, stride)[:, :meant] = True
        own = -(-program.local_memory // 16) * 16
        self.local = MemoryRegion("local memory", np.zeros(self.count * own, np.uint8), program.local_memory, own)
        self.on_chip = {Space.SHARED: self.shared, Space.LOCAL: self.local}
        self.epochs = np.zeros(blocks, np.int64)
        self.steps = np.zeros(self.count, np.int64)
        self.parked = np.full(self.count, -1, np.int64)  # the barrier each lane waits at
        self.arrived: int | None = None  # the collective that ends this run of lanes
        self.at_collective = np.zeros(self.count, bool)
        alive = np.flatnonzero(self._alive())
        self.groups: dict[int, Array] = {point: alive} if alive.size and point != END else {}
        self.lanes: Array = alive
        self.point = point

    # Entry

    def _coordinates(self) -> dict[str, Array]:
        """Lane and block coordinates of every lane."""
        block, lane = np.divmod(self.lane_ids, self.size)
        (bx, by, _), (gx, gy, _) = self.run.config.block, self.run.config.grid
        found = {}
        for name, linear, x, y in (("LANE_IDX", lane, bx, by), ("BLOCK_IDX", block, max(gx, 1), max(gy, 1))):
            found[f"{name}_X"] = linear % x
            found[f"{name}_Y"] = linear // x % y
            found[f"{name}_Z"] = linear // (x * y)
        return found

    def _alive(self) -> Array:
        config = self.run.config
        alive = np.ones(self.count, bool)
        if config.lanes is not None:
            at = self._coordinates()
            for axis, asked, size in zip("XYZ", config.lanes, config.block, strict=True):
                alive &= at[f"BLOCK_IDX_{axis}"] * size + at[f"LANE_IDX_{axis}"] < asked
        return alive

    def _preloaded(self, point: int, values: Registers) -> Registers:
        config = self.run.config
        at: dict[str, Any] = self._coordinates()
        at["GLOBAL_LANE_ID"] = self.lane_ids
        for axis, block, grid in zip("XYZ", config.block, config.grid, strict=True):
            at[f"BLOCK_DIM_{axis}"], at[f"GRID_DIM_{axis}"] = np.full(1, block), np.full(1, grid)
        found: Registers = {}
        named = self.run.named
        for number, (name, ty) in PRELOADED.items():
            if number in named:
                found[number, ty] = np.array(np.broadcast_to(at[name], (self.count,)), ty.numpy)
        for number, param in self.graph.program.register_params().items():
            if param.kind == "scalar" and number in named:
                ty, bits = self.run.scalars[param.name]
                found[number, ty] = np.repeat(self.const(ty, bits), self.count)
        for key, value in values.items():
            found[key] = np.repeat(value, self.count)
        return found

    # Scheduling

    def go(self) -> None:
        """Runs until every lane has ended or stands before a collective."""
        while (start := self.pick()) is not None:
            self.run_block(start)

    def pick(self) -> int | None:
        """Makes another group the current one; where it goes on, or None if every lane stands still for good."""
        while not self.groups:
            if not self._release():
                return None
        start = (max if self.run.descending else min)(self.groups)
        self.lanes = self.groups.pop(start)
        self._look_up(start)
        return start

    def _look_up(self, point: int) -> None:
        """Ends the launch if its time is up or it was cancelled."""
        self.run.look_up(self.graph.code[point])

    def run_block(self, point: int) -> None:
        """Runs the current group to the end of its basic block, or to one of `stops` before."""
        graph = self.graph
        while True:
            instruction = graph.instruction(point)
            self.point = point
            ways: list[tuple[int | None, Array]]
            match instruction.name:
                case "BRA" | "LOOP":
                    taken = self._taken(instruction)
                    if taken is None:
                        ways = [(graph.target[point], self.lanes)]
                    else:
                        ways = [(graph.target[point], self.lanes[taken]), (graph.next[point], self.lanes[~taken])]
                case "CALL" | "RET" | "EXIT":
                    ways = [(graph.target[point], self.lanes)]
                case "BarSync":
                    self.parked[self.lanes] = point
                    return
                case _ if instruction.row.collective:
                    self.arrived = point
                    self.at_collective[self.lanes] = True
                    return
                case _:
                    self._execute(instruction)
                    ways = [(graph.next[point], self.lanes)]
            if len(ways) == 1 and ways[0][0] == point + 1 and point + 1 not in self.groups:
                point += 1
                if point in self.stops:
                    self.groups[point] = self.lanes
                    return
                continue
            for way, lanes in ways:
                self._enter(point, way, lanes)
            return

    def _enter(self, source: int, way: int | None, lanes: Array) -> None:
        """Sends lanes to the block at `way`."""
        if way is None or way == END or not lanes.size:
            return
        if way <= source and source not in self.graph.counted:
            self.steps[lanes] += 1
            over = self.steps[lanes] > self.run.limits.steps
            if over.any():
                lane = int(self.lane_ids[lanes[np.argmax(over)]])
                raise self.run.fault(
                    FaultKind.STEP_LIMIT,
                    self.graph.code[source],
                    steps(self.run.limits.steps),
                    lane=lane,
                )
        other = self.groups.get(way)
        self.groups[way] = lanes if other is None else np.sort(np.concatenate([other, lanes]))

    def _taken(self, instruction: Instruction) -> Array | None:
        """For each lane of the group whether it branches; None if all do."""
        if instruction.name == "LOOP":
            counter = self.read(instruction.counter, Type.U32)
            taken: Array = counter != 0  # before the write: `counter` may be a view of the register
            self.write(instruction.counter.index, Type.U32, counter - taken.astype(np.uint32))
            return taken
        if instruction.pred is None:
            return None
        holds = self.read_predicate(instruction.pred)
        return ~holds if instruction.pred.negated else holds

    def _release(self) -> bool:
        """Lets blocks go on whose live lanes all wait at one barrier. False if no lane waits."""
        waiting = self.parked >= 0
        if not waiting.any():
            return False
        code = np.array(self.graph.code)
        at = np.where(waiting, code[self.parked], -1).reshape(self.blocks, self.size)
        at = np.where(self.at_collective.reshape(at.shape), code[self.arrived or 0], at)
        least, most = np.where(at < 0, len(self.graph.program), at).min(axis=1), at.max(axis=1)
        inside = waiting.reshape(at.shape).any(axis=1)
        split = np.flatnonzero(inside & (least != most))
        if split.size:
            block = int(split[0])
            a, b = int(least[block]), int(most[block])
            lanes = [int(self.lane_ids[block * self.size + np.argmax(at[block] == index)]) for index in (a, b)]
            text = divergent(self.first + block, (lanes[0], a), (lanes[1], b))
            error = self.run.fault(FaultKind.DIVERGENT_BARRIER, a, text, lane=lanes[0])
            error.places = (a, lanes[0]), (b, lanes[1])
            raise error
        self.epochs[inside] += 1
        for point in np.unique(self.parked[waiting]).tolist():
            self._enter(point, self.graph.next[point], np.flatnonzero(self.parked == point))
        self.parked[:] = -1
        return True

    # Instructions

    def _execute(self, instruction: Instruction) -> None:
        row = instruction.row
        assert row.reference is not None  # the device refuses such programs
        if row.name == "MOV":
            self._move(instruction)
            return
        inputs = [
            self._input(position, instruction) for position, operand in enumerate(row.operands) if operand.role != "def"
        ]
        if row.fault is not None:
            kind, condition = row.fault
            faulty = condition(self, *inputs)
            if faulty is not None and np.any(faulty):
                mask = np.broadcast_to(faulty, self.lanes.shape)
                self.fail(kind, mask, lambda lane: DIVISOR, None, None)
        result = row.reference(self, *inputs)
        for position in row.defs:
            operand, value = row.operands[position], instruction.values[position]
            if isinstance(value, Predicate):
                self.write(value.index, _PREDICATE, result)
            else:
                self.write(value.index, instruction.type_of(operand) or _POINTER, result)

    def _move(self, instruction: Instruction) -> None:
        """MOV of a value, or of a pointer; a parameter's base is known statically and nothing moves."""
        source, target = instruction.src, instruction.dst
        ty: Type | str = self.run.analysis.types.get(self.point, _POINTER)
        if (source.index, ty) in self.registers:
            self.write(target.index, ty, self.read(source, ty))

    def _input(self, position: int, instruction: Instruction) -> Any:
        """An operand as the reference semantics take it: registers as arrays, addresses as places."""
        operand, value = instruction.row.operands[position], instruction.values[position]
        if isinstance(value, Address):
            return self._place(position, value)
        if isinstance(value, Predicate):
            return self.read_predicate(value)
        if isinstance(value, Register) and operand.kind != "pool":
            return self.read(value, instruction.type_of(operand) if operand.kind == "register" else None)
        if operand.kind == "size":
            return self.const(*self.run.scalars[value]) if isinstance(value, str) else self.const(Type.U64, value)
        return value

    def read(self, register: Register, ty: Type | str | None) -> Array:
        """The register's value in the lanes of the group; of whatever integer type it has if `ty` is None."""
        if ty is None:
            ty = self._integer_type(register)
        values = self.registers[register.index, ty]
        return values if self.lanes.size == self.count else values[self.lanes]

    def read_predicate(self, predicate: Predicate) -> Array:
        values = self.registers[256 + predicate.index, _PREDICATE]
        return values if self.lanes.size == self.count else values[self.lanes]

    def _integer_type(self, register: Register) -> Type:
        """The type that an index or count register has at the current point."""
        return self.run.analysis.numbers[self.point, register.index]

    def write(self, number: int, ty: Type | str, values: Array) -> None:
        """Writes a register (or a predicate) in the lanes of the group."""
        key: _Key = (number + 256 if ty == _PREDICATE else number, ty)
        self.written.add(key)
        if key not in self.registers:
            kind = bool if ty == _PREDICATE else np.int64 if ty == _POINTER else held(ty)  # type: ignore[arg-type]
            self.registers[key] = np.zeros(self.count, kind)
        self.registers[key][slice(None) if self.lanes.size == self.count else self.lanes] = values

    def fail(
        self, kind: FaultKind, mask: Array, detail: Callable[[int], str], buffer: str | None, offsets: Array | None
    ) -> None:
        """Raises the fault of the lowest lane of the group that `mask` names."""
        lane = int(np.argmax(mask))
        raise self.run.fault(
            kind,
            self.graph.code[self.point],
            detail(lane),
            lane=int(self.lane_ids[self.lanes[lane]]),
            buffer=buffer,
            offset=None if offsets is None else int(offsets[lane]),
        )

    # Memory: the primitives load, store, atomic, place and reduce

    def _place(self, position: int, address: Address) -> LanePlaces:
        base = self.run.analysis.bases[self.point, position]
        region = self.on_chip.get(base.space) or self.run.regions[base]
        count = self.lanes.size
        if address.space is Space.PHI:
            offsets = self._phi(address)
        elif address.space is Space.POINTER:
            assert isinstance(address.base, Register)
            offsets = self.read(address.base, _POINTER)
        else:
            index = None if address.index is None else self.read(address.index, None)
            offsets = byte_offsets(index, address.scale, address.offset, count)
        absolute = offsets
        if region.stride:
            absolute = offsets + self.lanes // region.lanes * region.stride
        return LanePlaces(region, offsets, absolute)

    def _phi(self, address: Address) -> Array:
        """12288 * class + 256 * page + byte, each checked."""
        parts = []
        for number, (coordinate, (_, limit)) in enumerate(zip(address.coordinates, COORDINATES, strict=True)):
            value = self.read(coordinate, None) if isinstance(coordinate, Register) else np.full(1, coordinate)
            part = np.broadcast_to(byte_offsets(value, 1, 0, value.size), self.lanes.shape)
            wrong = (part < 0) | (part >= limit)
            if wrong.any():
                kind = FaultKind.OUT_OF_BOUNDS if number else FaultKind.INVALID_CLASS
                values = part.tolist()
                self.fail(kind, wrong, partial(_coordinate_text, number, values), "class memory", part)
            parts.append(part)
        offsets: Array = parts[0] * CLASS_BYTES + parts[1] * 256 + parts[2]
        return offsets

    def check(self, index: Array, length: Array, array: str, axis: int, offset: int) -> None:
        count = self.lanes.size
        places = byte_offsets(index, 1, offset, count)
        ends = np.maximum(byte_offsets(length, 1, 0, count), 0)
        wrong = (places < 0) | (places >= ends)
        if wrong.any():

            def detail(lane: int) -> str:
                return off_axis(int(places[lane]), int(ends[lane]), array, axis)

            self.fail(FaultKind.OUT_OF_BOUNDS, wrong, detail, None, None)

    def _note(self, place: LanePlaces, size: int, writes: bool, atomic: bool = False) -> None:
        if self.run.races is not None and place.region is not self.local:
            block = self.lanes // self.size
            absolute = place.absolute + self.first * place.region.stride
            lane, epoch = self.lane_ids[self.lanes], self.epochs[block]
            index = self.graph.code[self.point]
            name = place.region.name
            self.run.races.record(name, absolute, size, lane, block + self.first, epoch, index, writes, atomic)

    def load(self, ty: Type, place: LanePlaces) -> Array:
        checked(place, ty, 1, self.fail)
        if self.written_shared is not None and place.region is self.shared:
            bytes_of = place.absolute[:, None] + np.arange(ty.size_bytes)
            unknown = np.logical_not(self.written_shared[bytes_of].all(axis=1))
            if unknown.any():
                text = (
                    "no lane of the block wrote what is read there in shared memory: is a lane missing, or a barrier?"
                )
                self.fail(FaultKind.UNINITIALIZED, unknown, lambda _: text, "shared memory", place.offsets)
        self._note(place, ty.size_bytes, writes=False)
        return gather(place, ty)

    def store(self, ty: Type, place: LanePlaces, values: Array) -> None:
        checked(place, ty, 1, self.fail)
        self._note(place, ty.size_bytes, writes=True)
        if self.written_shared is not None and place.region is self.shared:
            self.written_shared[place.absolute[:, None] + np.arange(ty.size_bytes)] = True
        scatter(place, ty, values, self.run.descending)

    def place(self, place: LanePlaces) -> Array:
        return place.offsets

    def reduce(self, combine: str, ty: Type, place: LanePlaces, count: Array) -> Array:
        """Each lane reduces `count` consecutive elements."""
        counts = np.broadcast_to(byte_offsets(count, 1, 0, count.size), self.lanes.shape)
        checked(place, ty, np.maximum(counts, 0), self.fail)
        results = []
        for lane, (start, many) in enumerate(zip(place.absolute.tolist(), np.maximum(counts, 0).tolist(), strict=True)):
            self._look_up(self.point)
            one = LanePlaces(place.region, place.offsets, start + np.arange(many) * ty.size_bytes)
            if self.run.races is not None:
                self._note_elements(one, ty.size_bytes, lane)
            results.append(canonical_reduce(combine, ty, gather(one, ty)))
        return np.concatenate(results)

    def _note_elements(self, place: LanePlaces, size: int, lane: int) -> None:
        """Notes that one lane of the group reads many elements."""
        group, self.lanes = self.lanes, np.repeat(self.lanes[lane], place.absolute.size)
        self._note(place, size, writes=False)
        self.lanes = group

    def atomic(
        self, operation: AtomicOperation, ty: Type, place: LanePlaces, values: Array, compare: Array | None
    ) -> Array:
        """One lane after the other, in lane order (or in reverse)."""
        checked(place, ty, 1, self.fail)
        self._note(place, ty.size_bytes, writes=True, atomic=True)
        size, word = ty.size_bytes, ty.unsigned.numpy
        cells = place.region.data[: place.region.data.size // size * size].view(word)
        where = (place.absolute // size).tolist()
        new = np.broadcast_to(values, self.lanes.shape).view(word).tolist()
        expected = None if compare is None else np.broadcast_to(compare, self.lanes.shape).view(word).tolist()
        old = [0] * len(where)
        order = range(len(where))
        for lane in reversed(order) if self.run.descending else order:
            cell = where[lane]
            old[lane] = int(cells[cell])
            if expected is not None:
                if old[lane] == expected[lane]:
                    cells[cell] = new[lane]
            else:
                cells[cell] = _ATOMICS[operation](ty, old[lane], new[lane])
        return np.array(old, word).view(ty.numpy)


def _coordinate_text(number: int, values: list[int], lane: int) -> str:
    return note(number, values[lane])


_ATOMICS: dict[AtomicOperation, Callable[[Type, int, int], int]] = {
    AtomicOperation.ADD: SCALAR_OPS.add,
    AtomicOperation.MIN: SCALAR_OPS.min,
    AtomicOperation.MAX: SCALAR_OPS.max,
    AtomicOperation.AND: SCALAR_OPS.and_,
    AtomicOperation.OR: SCALAR_OPS.or_,
    AtomicOperation.XOR: SCALAR_OPS.xor,
    AtomicOperation.EXCH: lambda ty, old, new: new,
}
