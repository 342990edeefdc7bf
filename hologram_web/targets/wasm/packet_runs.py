"""What packets keep across barriers: the values of a packet lie side by side, rows behind each other."""

from __future__ import annotations

from collections.abc import Iterator

from ...compiler.fission import reachable
from ...compiler.out_of_ssa import ParallelRegion, Variable
from ...compiler.packets import Straightened
from ...compiler.structure import Tree
from ...compiler.windows import LaneWindow
from .code import LOCAL, SLOT, Code
from .packet_faults import MASKS
from .packet_steps import PacketSteps
from .packets import Packets
from .values import value_type
from .vectors import Vectors
from .wholes import lanes_of
from .wide import is_wide

__all__ = ["PacketRuns"]


class PacketRuns:
    """Writes runs of packets."""

    def __init__(self, code: Code, values: Vectors, steps: PacketSteps, packets: Packets) -> None:
        self.code, self.values, self.steps, self.packets = code, values, steps, packets
        self.put, self.get, self.set = code.put, code.get, code.set
        self.width = values.width
        self._own_at = (code.room - code.own_bytes) * code.padded  # where local memory begins
        self._run: ParallelRegion | None = None
        packets.at_end, packets.enter = self._end, self._enter

    def is_windowed(self, run: ParallelRegion) -> bool:
        return not run.stores

    def fresh(self) -> None:
        """What blocks begin with: all lanes are there, and local memory is zero."""
        put = self.put
        if self.code.lanes_leave:
            size = self.code.padded * 16 // self.width
            put(self.get("spill"), ("i32.const", 255), ("i32.const", size), ("memory.fill", 0))
        if self.code.lanes_step:
            budgets = self.code.budget_slot * self.code.padded
            put(self.get("spill"), ("i32.const", budgets), ("i32.add",), ("i32.const", 0))
            put(("i32.const", 8 * self.code.padded), ("memory.fill", 0))
        if self.code.own_bytes:
            put(self.get("spill"), ("i32.const", self._own_at), ("i32.add",), ("i32.const", 0))
            put(("i32.const", self.code.own_bytes * self.code.padded), ("memory.fill", 0))

    def run(self, run: ParallelRegion, trees: list[Tree], some: LaneWindow | None) -> None:
        self._run = run
        code = self.code
        bare = not (run.loads or run.stores or run.leaves or code.lanes_leave or code.lanes_step)
        self.packets.both_ways(reachable([run.entry], lambda piece: piece.ways), trees, self._resume, some, bare)

    def _enter(self, made: Straightened) -> None:
        """Pushes the mask of the lanes that go on."""
        self.put(self.get("spill"), self.get("kept"), ("i32.const", 16 // self.width), ("i32.mul",), ("i32.add",))
        self.put(("v128.load", 2, 0))

    def _find_own(self) -> None:
        """Finds local memory of the packet."""
        put = self.put
        if self.code.own_bytes:
            put(self.get("spill"), self.get("kept"), ("i32.const", self.code.own_bytes), ("i32.mul",), ("i32.add",))
            put(("i32.const", self._own_at), ("i32.add",), self.set(("base", LOCAL)))

    def _resume(self) -> None:
        assert self._run is not None
        self._find_own()
        if self.code.lanes_step:
            self.steps.resume()
        self._load(self._run.loads)

    def _kept(self, variable: Variable) -> tuple[int, int]:
        """Pushes the address of what a packet keeps of a variable, without what its instruction has to add; gives
        that, and how many bytes a lane has."""
        longer = self.values.differs(variable) or is_wide(variable.ty)
        size = self.values.kept_bits(variable) // 8 if longer else SLOT
        self.put(self.get("spill"), self.get("kept"), ("i32.const", size), ("i32.mul",), ("i32.add",))
        return self.code.slots[variable] * self.code.padded, size

    def _narrow(self, variables: list[Variable], stores: bool) -> Iterator[Variable]:
        """Those that are in locals; the others are moved."""
        for variable in variables:
            if self.values.wide_lanes is None or not is_wide(variable.ty):
                yield variable
                continue
            with self.values.temporary("i32") as kept:
                start, _ = self._kept(variable)
                self.put(("local.set", kept))
                (place, size), there = self.values.wide_lanes.whole(variable), (("local.get", kept), start)
                target, source = (there, place) if stores else (place, there)
                self.values.wide_lanes.move(target, source, size)

    def _load(self, variables: list[Variable]) -> None:
        for variable in self._narrow(variables, False):
            for part, local in enumerate(self.packets.locals_of(variable)):
                start, _ = self._kept(variable)
                kind = "v128" if self.values.differs(variable) else value_type(variable.ty)
                self.put((f"{kind}.load", 2, start + 16 * part), ("local.set", local))

    def _store(self, variables: list[Variable]) -> None:
        for variable in self._narrow(variables, True):
            for part, local in enumerate(self.packets.locals_of(variable)):
                start, _ = self._kept(variable)
                kind = "v128" if self.values.differs(variable) else value_type(variable.ty)
                self.put(("local.get", local), (f"{kind}.store", 2, start + 16 * part))

    def _end(self, made: Straightened) -> None:
        put, run = self.put, self._run
        assert run is not None
        self._store(run.stores)
        if self.code.lanes_step and not run.last:
            self.steps.keep(made)
        if made.staying is not None and run.leaves:
            put(self.get("spill"), self.get("kept"), ("i32.const", 16 // self.width), ("i32.mul",), ("i32.add",))
            staying = self.values.locals(made.staying)[0]
            put(("local.get", staying), ("v128.store", 2, 0))
            put(("local.get", staying), ("v128.any_true",), ("if", None))
            put(self.get("some"), ("i32.eqz",), ("if", None), self.get("lane"), ("local.get", staying))
            put((f"{lanes_of(MASKS[self.width])}.bitmask",), ("i32.ctz",), ("i32.add",), self.set("least_lane"))
            put(("end",), ("i32.const", 1), self.set("some"), ("end",))
