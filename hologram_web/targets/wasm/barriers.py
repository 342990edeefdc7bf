"""Barriers, by fission of the loop over lanes: what lanes keep while they wait, and where they go on.

The code is cut where lanes stop; each part runs for all lanes of the block before the next does, and what is live in
between is kept in the spill memory of the lane. Where the lanes provably stop at the same barriers
(`compiler/fission.py`) the block goes its way once, and uniform values stay in locals. Otherwise each lane keeps the
number of the segment that it goes on with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...compiler.fission import Fission, reachable
from ...compiler.out_of_ssa import Count, ParallelRegion, Piece, Variable, spill_size
from ...compiler.structure import Tree, structure
from ...compiler.windows import LaneWindow, window
from ...errors import FaultKind
from .code import LOCAL, SLOT, Code
from .effects import Effects
from .lanes import Lanes
from .polls import Polls
from .trees import ScalarStatements, Trees
from .values import Values, value_type
from .wide import Wide, is_wide

__all__ = ["Division", "LaneRuns", "Segments"]

_EXITED = -1


class _Spills:
    """Writes what goes to the spill memory of the lane that is at hand, and comes from it."""

    def __init__(self, code: Code, values: Values, wide_integers: Wide) -> None:
        self.code, self.values, self.wide_integers = code, values, wide_integers
        self.put, self.get, self.set = code.put, code.get, code.set

    def enter(self) -> None:
        """Finds the memory of the lane."""
        stride = self.code.stride
        self.put(self.get("spill"), self.get("lane"), ("i32.const", stride), ("i32.mul",), ("i32.add",))
        self.put(self.set("lane_spill"))
        if self.code.own_bytes:  # at the end of the lane's spill memory
            self.put(self.get("lane_spill"), ("i32.const", stride - self.code.own_bytes), ("i32.add",))
            self.put(self.set(("base", LOCAL)))

    def every(self, run: Callable[[], None]) -> None:
        """Does something to the spill memory of every lane, those that are off included."""
        put = self.put
        put(("i32.const", 0), self.set("lane"), ("loop", None))
        self.enter()
        run()
        put(self.get("lane"), ("i32.const", 1), ("i32.add",), ("local.tee", self.code.named("lane")))
        put(("i32.const", self.code.lanes), ("i32.lt_s",), ("br_if", 0), ("end",))

    def load(self, variables: list[Variable]) -> None:
        for variable in variables:
            if is_wide(variable.ty):
                kept = self.get("lane_spill"), self.code.slots[variable]
                self.wide_integers.move(self.wide_integers.of(variable), kept, spill_size(variable.ty))
                continue
            self.put(self.get("lane_spill"), (f"{value_type(variable.ty)}.load", 2, self.code.slots[variable]))
            self.put(("local.set", self.values.local(variable)))

    def store(self, variables: list[Variable]) -> None:
        for variable in variables:
            if is_wide(variable.ty):
                kept = self.get("lane_spill"), self.code.slots[variable]
                self.wide_integers.move(kept, self.wide_integers.of(variable), spill_size(variable.ty))
                continue
            self.put(self.get("lane_spill"), ("local.get", self.values.local(variable)))
            self.put((f"{value_type(variable.ty)}.store", 2, self.code.slots[variable]))


class Segments:
    """Writes blocks whose lanes may stop at different barriers.

    The spill memory of a lane starts with the number of the segment it goes on with (or _EXITED). `stop` is the
    instruction of the barrier that the lanes of this round stopped at.
    """

    def __init__(
        self, code: Code, values: Values, wide_integers: Wide, effects: Effects, polls: Polls, lanes: Lanes
    ) -> None:
        self.code, self.values, self.effects, self.polls, self.lanes = code, values, effects, polls, lanes
        self.put, self.get, self.set = code.put, code.get, code.set
        self.lowered, self.spills = code.lowered, _Spills(code, values, wide_integers)
        lanes.at_end = self._stop

    def block(self) -> None:
        """Runs segment after segment for all lanes until every lane has ended."""
        put, code, spills = self.put, self.code, self.spills
        resumes = self.lowered.resumes
        barriers = {piece.ways[0]: piece.at for piece in self.lowered.pieces if piece.kind == "barrier"}
        spills.every(lambda: put(self.get("lane_spill"), ("i32.const", 0), ("i32.store", 2, 0)))
        put(("i32.const", -1), self.set("current"))
        put(("block", None), ("loop", None))
        round_depth = code.depth
        put(("i32.const", -1), self.set("stop"))
        self.polls.spend(("i64.const", self.polls.lanes_cost(self.lowered.pieces)))
        for number, start in enumerate(resumes):
            # Segments that lanes go on with after the barrier they all stopped at.
            put(self.get("current"), ("i32.const", barriers.get(start, -1) if number else -1), ("i32.eq",))
            put(("if", None))
            self.lanes.once(structure(start), lambda number=number, start=start: self._resume(number, start))  # type: ignore[misc]
            put(("end",))
        spills.every(self._strip_mark)
        put(self.get("stop"), ("local.tee", code.named("current")), ("i32.const", -1), ("i32.eq",))
        put(("br_if", code.depth - round_depth + 1), ("br", code.depth - round_depth), ("end",), ("end",))

    def _strip_mark(self) -> None:
        """Lanes that stopped in this round were marked, so that no later segment of the round took them up."""
        put = self.put
        put(self.get("lane_spill"), self.get("lane_spill"), ("i32.load", 2, 0), self.set("rest"))
        put(self.get("rest"), ("i32.const", 0xFFFF), ("i32.and",), ("i32.const", _EXITED))
        put(self.get("rest"), ("i32.const", 0), ("i32.ge_s",), ("select",), ("i32.store", 2, 0))

    def _resume(self, number: int, start: Piece) -> None:
        """Goes on with lanes that are at that segment."""
        put = self.put
        self.spills.enter()
        put(self.get("lane_spill"), ("i32.load", 2, 0), ("i32.const", number), ("i32.ne",), ("br_if", 0))
        if not number:
            self.lanes.fresh()
            return
        self.spills.load(self.lowered.live(start))
        if self.code.has_budget:
            put(self.get("lane_spill"), ("i64.load", 3, SLOT), self.set("budget", "i64"))

    def _stop(self, piece: Piece) -> None:
        """The end of a lane, or of its segment."""
        put = self.put
        if piece.kind != "barrier":
            put(self.get("lane_spill"), ("i32.const", _EXITED), ("i32.store", 2, 0))
            return
        target = piece.ways[0]
        self.spills.store(self.lowered.live(target))
        if self.code.has_budget:
            put(self.get("lane_spill"), self.get("budget", "i64"), ("i64.store", 3, SLOT))
        put(self.get("lane_spill"), ("i32.const", self.lowered.resumes.index(target) | 0x10000))
        put(("i32.store", 2, 0))
        put(self.get("stop"), ("i32.const", -1), ("i32.eq",), ("if", None))
        put(("i32.const", piece.at), self.set("stop"), self.get("lane"), self.set("stop_lane"), ("else",))
        put(self.get("stop"), ("i32.const", piece.at), ("i32.ne",), ("if", None))
        with self.values.temporary("i64") as first:
            put(self.get("first"), self.get("stop_lane"), ("i32.add",), ("i64.extend_i32_u",), ("local.set", first))
            other = self.get("stop")
            self.effects.fault(FaultKind.DIVERGENT_BARRIER, piece.at, None, ("local.get", first), other=other)
        put(("end",), ("end",))


class Runs(Protocol):
    """Writes what all lanes of a block do between two barriers."""

    def fresh(self) -> None:
        """What all lanes of a block begin with."""

    def is_windowed(self, run: ParallelRegion) -> bool:
        """Whether lanes that do nothing in a run may be left out."""

    def run(self, run: ParallelRegion, trees: list[Tree], some: LaneWindow | None) -> None:
        """The lanes of a run that are in the window."""


class LaneRuns:
    """Writes runs of lanes one after the other.

    The spill memory of a lane starts with whether it goes on (if lanes may leave) and what is left of its budget, but
    for the steps that the block took.
    """

    def __init__(self, code: Code, values: Values, wide_integers: Wide, lanes: Lanes) -> None:
        self.code, self.lanes, self.spills = code, lanes, _Spills(code, values, wide_integers)
        self.put, self.get, self.set = code.put, code.get, code.set
        self._run: ParallelRegion | None = None
        lanes.at_end = self._stop

    def fresh(self) -> None:
        self.spills.every(self._fresh)

    def _fresh(self) -> None:
        self.lanes.blocks.clear_own()
        if self.code.lanes_leave:
            self.put(self.get("lane_spill"), ("i32.const", 1), ("i32.store", 2, 0))
        if self.code.lanes_step:
            self.put(self.get("lane_spill"), self.get("budget", "i64"), ("i64.store", 3, self.code.budget_slot))

    def is_windowed(self, run: ParallelRegion) -> bool:  # if nobody keeps a count of them
        return not (run.stores or run.leaves or self.code.lanes_step)

    def run(self, run: ParallelRegion, trees: list[Tree], some: LaneWindow | None) -> None:
        code, put = self.code, self.put
        self._run = run
        bare = not (run.loads or run.stores or run.leaves or code.lanes_leave or code.lanes_step)

        def resume() -> None:
            if code.stride:
                self.spills.enter()
            if code.lanes_leave:
                put(self.get("lane_spill"), ("i32.load", 2, 0), ("i32.eqz",))
                self.lanes.leave("br_if")
            if code.lanes_step:
                put(self.get("lane_spill"), ("i64.load", 3, code.budget_slot))
                put(self.get("taken", "i64"), ("i64.sub",), self.set("budget", "i64"))
            self.spills.load(run.loads)

        self.lanes.both_ways(reachable([run.entry], lambda piece: piece.ways), trees, resume, some, bare)

    def _stop(self, piece: Piece) -> None:
        """The end of a lane, or of its part in a run."""
        put, code, run = self.put, self.code, self._run
        assert run is not None
        if piece.kind == "cut":
            self.spills.store(run.stores)
            if run.leaves:
                put(self.get("some"), ("i32.eqz",), ("if", None), self.get("lane"), self.set("least_lane"), ("end",))
                put(("i32.const", 1), self.set("some"))
            if code.lanes_step:
                left = code.named("left", "i64")
                put(self.get("budget", "i64"), self.get("taken", "i64"), ("i64.add",), ("local.tee", left))
                put(self.get("least", "i64"), ("i64.lt_s",), ("if", None))
                put(("local.get", left), self.set("least", "i64"), self.get("lane"), self.set("least_lane"), ("end",))
                put(self.get("lane_spill"), ("local.get", left), ("i64.store", 3, code.budget_slot))
        elif run.leaves:
            put(self.get("lane_spill"), ("i32.const", 0), ("i32.store", 2, 0))


class Division:
    """Writes blocks whose lanes stop together: the block's own code, with runs of lanes in it.

    The steps that the block took are in `taken`. `least` is the smallest budget of those lanes that go on, `least_lane`
    the first lane that has it: the first of all, if lanes take no steps by themselves.
    """

    def __init__(
        self, code: Code, plan: Fission, values: Values, statements: ScalarStatements, effects: Effects, polls: Polls,
        runs: Runs,
    ) -> None:  # fmt: skip
        self.code, self.plan, self.statements, self.effects, self.runs = code, plan, statements, effects, runs
        self.put, self.get, self.set = code.put, code.get, code.set
        self._control = Trees(code, values, polls, self._straight, self._stop, in_block=True)
        self._depth = 0

    def block(self) -> None:
        put, code = self.put, self.code
        put(("block", None))
        self._depth = code.depth
        if code.has_budget:
            put(("i64.const", 0), self.set("taken", "i64"), ("i32.const", 0), self.set("least_lane"))
            code.argument("budget", 0, "i64")
            put(("local.tee", code.named("budget", "i64")), self.set("least", "i64"))
        if code.lanes_leave or code.lanes_step or code.own_bytes:
            self.runs.fresh()
        self._control.trees(structure(self.plan.entry))
        put(("end",))

    def _straight(self, piece: Piece) -> None:
        for statement in piece.statements:
            match statement:
                case ParallelRegion():
                    self._run(statement)
                case Count(at):
                    self._step(at)
                case other:
                    self.statements.statement(other)

    def _step(self, at: int) -> None:
        put = self.put
        put(self.get("taken", "i64"), ("i64.const", 1), ("i64.add",), ("local.tee", self.code.named("taken", "i64")))
        put(self.get("least", "i64"), ("i64.ge_s",), ("if", None), self.get("least_lane"), self.set("lane"))
        self.effects.fault(FaultKind.STEP_LIMIT, at)
        put(("end",))

    def _run(self, run: ParallelRegion) -> None:
        """A run; the block ends if no lane is left."""
        put = self.put
        trees, some = structure(run.entry), None
        if self.code.flat and self.runs.is_windowed(run):
            some, trees = window(trees, self.plan.known)
        if run.leaves:
            put(("i32.const", 0), self.set("some"))
        if self.code.lanes_step and not run.last:
            put(("i64.const", (1 << 63) - 1), self.set("least", "i64"))
        self.runs.run(run, trees, some)
        if run.leaves:
            put(self.get("some"), ("i32.eqz",), ("br_if", self.code.depth - self._depth))

    def _stop(self, piece: Piece) -> None:
        self.put(("br", self.code.depth - self._depth))
