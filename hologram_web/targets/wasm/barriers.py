"""Barriers, by fission of the loop over lanes: what lanes keep while they wait, and where they go on.

The code is cut where lanes stop; each part runs for all lanes of the block before the next does, and what is live in
between is kept in the spill memory of the lane. Where the lanes provably stop at the same barriers
(`compiler/fission.py`) the block goes its way once, and uniform values stay in locals. Otherwise each lane keeps the
number of the segment that it goes on with.
"""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.fission import Fission, reachable
from ...compiler.out_of_ssa import ParallelRegion, Piece, Variable, spill_size
from ...compiler.structure import structure
from ...compiler.windows import window
from ...errors import FaultKind
from .lanes import LOCAL, SLOT, Lanes
from .values import value_type
from .wide import is_wide

__all__ = ["SLOT", "Barriers"]

_EXITED = -1


class Barriers(Lanes):
    """Emits what lanes do where they stop, and takes them up again."""

    # Segments between barriers

    def _address_of_spill(self) -> None:
        self.put(self.get("spill"), self.get("lane"), ("i32.const", self.stride), ("i32.mul",), ("i32.add",))
        self.put(self.set("lane_spill"))
        if self.own_bytes:  # at the end of the lane's spill memory
            self.put(self.get("lane_spill"), ("i32.const", self.stride - self.own_bytes), ("i32.add",))
            self.put(self.set(("base", LOCAL)))

    def _segments(self) -> None:
        """Runs segment after segment for all lanes until every lane has ended.

        The spill memory of a lane starts with the number of the segment it goes on with (or _EXITED). `stop` is the
        instruction of the barrier that the lanes of this round stopped at.
        """
        put = self.put
        resumes = self.lowered.resumes
        barriers = {piece.ways[0]: piece.at for piece in self.lowered.pieces if piece.kind == "barrier"}
        self._every_spill(lambda: put(self.get("lane_spill"), ("i32.const", 0), ("i32.store", 2, 0)))
        put(("i32.const", -1), self.set("current"))
        put(("block", None), ("loop", None))
        round_depth = self.depth
        put(("i32.const", -1), self.set("stop"))
        self.spend(("i64.const", self.lanes_cost(self.lowered.pieces)))
        for number, start in enumerate(resumes):
            # Segments that lanes go on with after the barrier they all stopped at.
            put(self.get("current"), ("i32.const", barriers.get(start, -1) if number else -1), ("i32.eq",))
            put(("if", None))
            self._lanes(structure(start), lambda number=number, start=start: self._resume(number, start))  # type: ignore[misc]
            put(("end",))
        self._strip_marks()
        put(self.get("stop"), ("local.tee", self.named("current")), ("i32.const", -1), ("i32.eq",))
        put(("br_if", self.depth - round_depth + 1), ("br", self.depth - round_depth), ("end",), ("end",))

    def _strip_marks(self) -> None:
        """Lanes that stopped in this round were marked, so that no later segment of the round took them up."""
        put = self.put

        def strip() -> None:
            put(self.get("lane_spill"), self.get("lane_spill"), ("i32.load", 2, 0), self.set("rest"))
            put(self.get("rest"), ("i32.const", 0xFFFF), ("i32.and",), ("i32.const", _EXITED))
            put(self.get("rest"), ("i32.const", 0), ("i32.ge_s",), ("select",), ("i32.store", 2, 0))

        self._every_spill(strip)

    def _every_spill(self, run: Callable[[], None]) -> None:
        """Does something to the spill memory of every lane, those that are off included."""
        put = self.put
        put(("i32.const", 0), self.set("lane"), ("loop", None))
        self._address_of_spill()
        run()
        put(self.get("lane"), ("i32.const", 1), ("i32.add",), ("local.tee", self.named("lane")))
        put(("i32.const", self._block_lanes()), ("i32.lt_s",), ("br_if", 0), ("end",))

    def _load(self, variables: list[Variable]) -> None:
        """Takes variables from the spill memory of the lane."""
        for variable in variables:
            if is_wide(variable.ty):
                kept = self.get("lane_spill"), self.slots[variable]
                self.wide_integers.move(self.wide_integers.of(variable), kept, spill_size(variable.ty))
                continue
            self.put(self.get("lane_spill"), (f"{value_type(variable.ty)}.load", 2, self.slots[variable]))
            self.put(("local.set", self.values.local(variable)))

    def _store(self, variables: list[Variable]) -> None:
        """Keeps variables in the spill memory of the lane."""
        for variable in variables:
            if is_wide(variable.ty):
                kept = self.get("lane_spill"), self.slots[variable]
                self.wide_integers.move(kept, self.wide_integers.of(variable), spill_size(variable.ty))
                continue
            self.put(self.get("lane_spill"), ("local.get", self.values.local(variable)))
            self.put((f"{value_type(variable.ty)}.store", 2, self.slots[variable]))

    def _resume(self, number: int, start: Piece) -> None:
        """Goes on with lanes that are at that segment."""
        put = self.put
        self._address_of_spill()
        put(self.get("lane_spill"), ("i32.load", 2, 0), ("i32.const", number), ("i32.ne",), ("br_if", 0))
        if not number:
            self._fresh_budget()
            self._clear_own()
            return
        self._load(self.lowered.live(start))
        if self._has_budget():
            put(self.get("lane_spill"), ("i64.load", 3, SLOT), self.set("budget", "i64"))

    def _fresh_budget(self) -> None:
        if self._has_budget():
            self.argument("budget", 0, "i64")
            self.put(self.set("budget", "i64"))

    def _stop(self, piece: Piece) -> None:
        """The end of a lane, or of its segment."""
        put = self.put
        if self.plan is not None:
            self._stop_of_run(piece)
            return
        if piece.kind == "barrier":
            target = piece.ways[0]
            self._store(self.lowered.live(target))
            if self._has_budget():
                put(self.get("lane_spill"), self.get("budget", "i64"), ("i64.store", 3, SLOT))
            put(self.get("lane_spill"), ("i32.const", self.lowered.resumes.index(target) | 0x10000))
            put(("i32.store", 2, 0))
            put(self.get("stop"), ("i32.const", -1), ("i32.eq",), ("if", None))
            put(("i32.const", piece.at), self.set("stop"), self.get("lane"), self.set("stop_lane"), ("else",))
            put(self.get("stop"), ("i32.const", piece.at), ("i32.ne",), ("if", None))
            with self.values.temporary("i64") as first:
                put(self.get("first"), self.get("stop_lane"), ("i32.add",), ("i64.extend_i32_u",), ("local.set", first))
                self.fault(FaultKind.DIVERGENT_BARRIER, piece.at, None, ("local.get", first), other=self.get("stop"))
            put(("end",), ("end",))
        elif self.segmented:
            put(self.get("lane_spill"), ("i32.const", _EXITED), ("i32.store", 2, 0))
        put(("br", self.depth - self.lane_depth))

    # Blocks whose lanes stop together

    def _block(self, plan: Fission) -> None:
        """The block's own code, with loops over lanes in it.

        The spill memory of a lane starts with whether it goes on (if lanes may leave) and what is left of its budget,
        but for the steps that the block took, which are in `taken`. `least` is the smallest such budget of those lanes
        that go on, `least_lane` the first lane that has it: the first of all, if lanes take no steps by themselves.
        """
        put = self.put
        put(("block", None))
        self.block_depth = self.depth
        if self._has_budget():
            put(("i64.const", 0), self.set("taken", "i64"), ("i32.const", 0), self.set("least_lane"))
            self.argument("budget", 0, "i64")
            put(("local.tee", self.named("budget", "i64")), self.set("least", "i64"))
        if self._lanes_leave() or self._lanes_step() or self.own_bytes:
            self._every_spill(self._fresh)
        self._trees(structure(plan.entry))
        put(("end",))

    def _fresh(self) -> None:
        self._clear_own()
        if self._lanes_leave():
            self.put(self.get("lane_spill"), ("i32.const", 1), ("i32.store", 2, 0))
        if self._lanes_step():
            self.put(self.get("lane_spill"), self.get("budget", "i64"), ("i64.store", 3, self._budget_slot()))

    def _budget_slot(self) -> int:
        return SLOT * self._lanes_leave()

    def _run(self, run: ParallelRegion) -> None:
        """A loop over the lanes of a run; the block ends if no lane is left."""
        put = self.put
        labels, self.labels, self.run_ = self.labels, {}, run
        trees, some = structure(run.entry), None
        # Lanes that do nothing are left out, if nobody keeps a count of them.
        flat = self.function.block_shape[1:] == (1, 1)
        if self.plan is not None and flat and not (run.stores or run.leaves or self._lanes_step()):
            some, trees = window(trees, self.plan.known)
        if run.leaves:
            put(("i32.const", 0), self.set("some"))
        if self._lanes_step() and not run.last:
            put(("i64.const", (1 << 63) - 1), self.set("least", "i64"))

        def lane() -> None:
            if self.stride:
                self._address_of_spill()
            if self._lanes_leave():
                put(self.get("lane_spill"), ("i32.load", 2, 0), ("i32.eqz",), ("br_if", self.depth - self.lane_depth))
            if self._lanes_step():
                put(self.get("lane_spill"), ("i64.load", 3, self._budget_slot()))
                put(self.get("taken", "i64"), ("i64.sub",), self.set("budget", "i64"))
            self._load(run.loads)

        self._both_ways(reachable([run.entry], lambda piece: piece.ways), lambda: self._lanes(trees, lane, some))
        self.labels, self.run_ = labels, None
        if run.leaves:
            put(self.get("some"), ("i32.eqz",), ("br_if", self.depth - self.block_depth))

    def _stop_of_run(self, piece: Piece) -> None:
        """The end of a lane, of its part in a run, or of the block."""
        put, run = self.put, self.run_
        if run is None:
            put(("br", self.depth - self.block_depth))
            return
        if piece.kind == "cut":
            self._store(run.stores)
            if run.leaves:
                put(self.get("some"), ("i32.eqz",), ("if", None), self.get("lane"), self.set("least_lane"), ("end",))
                put(("i32.const", 1), self.set("some"))
            if self._lanes_step():
                left = self.named("left", "i64")
                put(self.get("budget", "i64"), self.get("taken", "i64"), ("i64.add",), ("local.tee", left))
                put(self.get("least", "i64"), ("i64.lt_s",), ("if", None))
                put(("local.get", left), self.set("least", "i64"), self.get("lane"), self.set("least_lane"), ("end",))
                put(self.get("lane_spill"), ("local.get", left), ("i64.store", 3, self._budget_slot()))
        elif run.leaves:
            put(self.get("lane_spill"), ("i32.const", 0), ("i32.store", 2, 0))
        put(("br", self.depth - self.lane_depth))
