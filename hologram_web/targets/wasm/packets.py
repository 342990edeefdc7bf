"""Packets of lanes as WebAssembly: loops over them, what they keep across barriers, and the steps of their lanes.

The loop over the packets of a row is there twice: for packets whose lanes are all on, without checks of what the block
proves to be in bounds, and for the rest of the row, or all of it, under a mask and with all checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...compiler.accesses import Check, checks_of
from ...compiler.conditions import open_conditions
from ...compiler.fission import reachable
from ...compiler.ir import PRED, Function, Node
from ...compiler.out_of_ssa import Assign, Copies, Count, Do, ParallelRegion, Piece, Statement, Under, Variable
from ...compiler.packets import Forms, Linear, guards, linear
from ...compiler.ranges import Ranges
from ...compiler.shapes import ANY
from ...compiler.structure import Straight, StructuredLoop, Tree, structure
from ...compiler.windows import LaneWindow, window
from ...errors import FaultKind
from ...isa.types import Type
from .barriers import SLOT
from .encoder import FunctionBody, Instr
from .lanes import LOCAL
from .packet_effects import PacketEffects
from .packet_faults import MASKS, misaligns
from .polls import MOST_TICKS
from .routines import Routines
from .values import Values, value_type
from .vectors import Vectors
from .wholes import lanes_of

__all__ = ["Packets"]

_MAX_TWICE = 400  # statements of a loop over packets that is written twice
_MAX_CONDITIONS = 64
_LONG = Type.I64
_ALL = b"\xff" * 16
_FREE = 1 << 20  # the first number of variables of masks


class Packets(PacketEffects):
    """Emits packets. The kernel (kernel.py) that inherits it has the code of statements that are no packet's."""

    values: Vectors

    def __init__(self, function: Function, wide_arithmetic: bool, forms: Forms, width: int) -> None:
        self.forms, self.width = forms, width
        self.sure: Instr = ("i32.const", 1)  # whether what is proven holds
        self.twice = True
        self.given: dict[Node, bool] = {}  # branches that all lanes go the same way by, where what is proven holds
        self.both: set[Check] = set()
        self.linear: Linear | None = None
        self.block_end = 0
        self.several = False  # whether steps of several instructions are counted
        super().__init__(function, wide_arithmetic)

    def _values(self, variables: dict[Node, Variable], routines: Routines, ranges: Ranges) -> Values:
        return Vectors(self.body, variables, self._leaf, routines, ranges, self.forms, self.width)

    def _locals_of(self, variable: Variable) -> list[int]:
        return self.values.locals(variable) if self._is_vector(variable) else [self.values.local(variable)]

    def _is_vector(self, variable: Variable) -> bool:
        return self.forms.variables.get(variable, ANY) == ANY

    # Loops over packets

    def _both_ways(self, pieces: list[Piece], lanes: Callable[[], None]) -> None:
        statements = [s for piece in pieces for s in piece.statements]
        effects = [s.node for s in statements if isinstance(s, Do)]
        self.twice = len(statements) < _MAX_TWICE
        conditions, proven = self.bounds.prove(effects, self.repeated) if self.twice else ([], set[Check]())
        self.given = {}
        if self.twice and self.plan is None:
            for node, truth in guards(structure(self.lowered.resumes[0]), self.forms):
                found = self.bounds.always(node, truth)
                undecided = None if found is None else open_conditions(found)
                if undecided is None:
                    break
                self.given[node] = truth
                conditions = list(dict.fromkeys([*conditions, *undecided]))
        if len(conditions) > _MAX_CONDITIONS:
            conditions, proven, self.given = [], set(), {}
        self.sure = ("i32.const", 1)
        if conditions:
            self.values.all_hold(conditions)
            self.put(self.set("sure"))
            self.sure = self.get("sure")
        self.both = self.repeated | proven
        lanes()
        self.proven = self.repeated

    def _lanes(
        self, trees: list[Tree], before: Callable[[], None] | None = None, some: LaneWindow | None = None
    ) -> None:
        put = self.put
        x, y, z = self.function.block_shape
        flat = y == z == 1
        if flat:
            start = self.get("start") if self.wide else ("i32.const", 0)
            put(start, self.set("lane"))
            count = self.get("stop") if self.wide else ("local.get", self.named(("on", 0)))
            if some is not None:
                count = self._enter_window(some)
            self._row(trees, before, count)
            put(*([("end",)] if some is not None else []))
            return
        for name in ("LANE_IDX_Z", "LANE_IDX_Y"):
            put(("i32.const", 0), self.set(name), ("loop", None))
        put(self.get("LANE_IDX_Z"), ("i32.const", y), ("i32.mul",), self.get("LANE_IDX_Y"), ("i32.add",))
        with self.values.temporary("i32") as row:
            put(("local.tee", row), ("i32.const", x), ("i32.mul",), self.set("row"))
            put(("local.get", row), ("i32.const", -(-x // self.width) * self.width), ("i32.mul",), self.set("kept_row"))
        put(("i32.const", 0), self.set("LANE_IDX_X"))
        self._row(trees, before, ("local.get", self.named(("on", 0))))
        for axis, name in ((1, "LANE_IDX_Y"), (2, "LANE_IDX_Z")):
            put(self.get(name), ("i32.const", 1), ("i32.add",), ("local.tee", self.named(name)))
            put(("local.get", self.named(("on", axis))), ("i32.lt_s",), ("br_if", 0), ("end",))

    def _row(self, trees: list[Tree], before: Callable[[], None] | None, count: Instr) -> None:
        """The packets of a row of lanes. `place` is where the first lane of a packet is in its row."""
        put = self.put
        flat = self.function.block_shape[1:] == (1, 1)
        self.place = "lane" if flat else "LANE_IDX_X"
        more = [self.get(self.place), ("i32.const", self.width), ("i32.add",), count, ("i32.le_s",)]
        if self.twice:
            put(("block", None), self.sure, ("i32.eqz",), ("br_if", 0))
            put(*more, ("i32.eqz",), ("br_if", 0), ("loop", None))
            self.proven = self.both
            self._packet(trees, before, None)
            put(*more, ("br_if", 0), ("end",), ("end",))
        put(("block", None), self.get(self.place), count, ("i32.ge_s",), ("br_if", 0), ("loop", None))
        self.proven = self.repeated
        self._packet(trees, before, count)
        put(self.get(self.place), count, ("i32.lt_s",), ("br_if", 0), ("end",), ("end",))

    def _may_fault(self, node: Node) -> bool:
        return (
            node.op in ("guard", "reduce")
            or any(check not in self.proven for check in checks_of(node))
            or misaligns(node)
        )

    def _packet(self, trees: list[Tree], before: Callable[[], None] | None, count: Instr | None) -> None:
        """A packet; `count` is where the row ends, if that may be within it."""
        put, values = self.put, self.values
        leaves = self._lanes_leave()
        given = self.given if count is None else None
        made = linear(trees, self.forms, given, self._may_fault, _FREE, leaves)
        values.variables.update(made.variables)
        put(("block", None))
        self.lane_depth = self.depth
        if self.place != "lane":
            put(self.get("row"), self.get(self.place), ("i32.add",), self.set("lane"))
        if self.run_ is not None:  # where what lanes keep lies: rows are of whole packets
            put(*([] if self.place == "lane" else [self.get("kept_row")]), self.get(self.place))
            put(*([] if self.place == "lane" else [("i32.add",)]), self.set("kept"))
        cost = self.round_cost(made.trees)
        if cost * self._block_lanes() > MOST_TICKS:
            self.spend(("i64.const", cost))
        if before is not None:
            before()
        if made.mask is not None:
            if count is None:
                put(("v128.const", _ALL))
            else:
                self._first_lanes([count, self.get(self.place), ("i32.sub",)])
            if leaves:
                put(self.get("spill"), self.get("kept"), ("i32.const", 16 // self.width), ("i32.mul",), ("i32.add",))
                put(("v128.load", 2, 0), ("v128.and",))
            put(("local.set", values.locals(made.mask)[0]))
            if leaves:
                assert made.staying is not None
                staying = values.locals(made.staying)[0]
                put(("local.get", values.locals(made.mask)[0]), ("local.tee", staying), ("v128.any_true",))
                put(("i32.eqz",), ("br_if", self.depth - self.lane_depth))
        self._trees(made.trees)
        put(("end",))
        self._end_of_packet(made)
        if made.faults:
            self.argument("kind")
            put(("if", None), ("return",), ("end",))
        put(self.get(self.place), ("i32.const", self.width), ("i32.add",), self.set(self.place))
        for node in made.variables:
            del values.variables[node]

    def _end_of_packet(self, made: Linear) -> None:
        if self.run_ is None:
            return
        put = self.put
        self._store(self.run_.stores)
        if self._lanes_step() and not self.run_.last:
            self._keep_steps(made)
        if made.staying is not None and self.run_.leaves:
            put(self.get("spill"), self.get("kept"), ("i32.const", 16 // self.width), ("i32.mul",), ("i32.add",))
            staying = self.values.locals(made.staying)[0]
            put(("local.get", staying), ("v128.store", 2, 0))
            put(("local.get", staying), ("v128.any_true",), ("if", None))
            put(self.get("some"), ("i32.eqz",), ("if", None), self.get("lane"), ("local.get", staying))
            put((f"{lanes_of(MASKS[self.width])}.bitmask",), ("i32.ctz",), ("i32.add",), self.set("least_lane"))
            put(("end",), ("i32.const", 1), self.set("some"), ("end",))

    # Runs between barriers: what lanes keep lies in rows, the values of a packet side by side

    def _slots(self) -> tuple[dict[Variable, int], int]:
        slots, stride = super()._slots()
        x, y, z = self.function.block_shape
        lanes = x * y * z
        self.padded = -(-x // self.width) * self.width * y * z
        self.own_at = (stride - self.own_bytes) * self.padded  # where local memory begins
        self.own_room = self.own_bytes * self.width
        return slots, -(-stride * self.padded // lanes // 8) * 8

    def _is_wide(self) -> bool:
        return super()._is_wide() and self.function.block_shape[0] % self.width == 0

    def _every_spill(self, run: Callable[[], None]) -> None:
        """What blocks begin with: all lanes are there, and local memory is zero."""
        put = self.put
        if self._lanes_leave():
            size = self.padded * 16 // self.width
            put(self.get("spill"), ("i32.const", 255), ("i32.const", size), ("memory.fill", 0))
        if self._lanes_step():
            put(self.get("spill"), ("i32.const", self._budget_slot() * self.padded), ("i32.add",), ("i32.const", 0))
            put(("i32.const", 8 * self.padded), ("memory.fill", 0))
        if self.own_bytes:
            put(self.get("spill"), ("i32.const", self.own_at), ("i32.add",), ("i32.const", 0))
            put(("i32.const", self.own_bytes * self.padded), ("memory.fill", 0))

    def _run(self, run: ParallelRegion) -> None:
        labels, self.labels, self.run_ = self.labels, {}, run
        trees, some = structure(run.entry), None
        # Lanes that do nothing are left out.
        if self.plan is not None and self.function.block_shape[1:] == (1, 1) and not run.stores:
            some, trees = window(trees, self.plan.known)
        pieces = reachable([run.entry], lambda piece: piece.ways)
        if run.leaves:
            self.put(("i32.const", 0), self.set("some"))
        if self._lanes_step() and not run.last:
            self.put(("i64.const", (1 << 63) - 1), self.set("least", "i64"))
        self._both_ways(pieces, lambda: self._lanes(trees, lambda: self._resume_packet(run), some))
        self.labels, self.run_ = labels, None
        if run.leaves:
            self.put(self.get("some"), ("i32.eqz",), ("br_if", self.depth - self.block_depth))

    def _resume_packet(self, run: ParallelRegion) -> None:
        put = self.put
        if self.own_bytes:
            put(self.get("spill"), self.get("kept"), ("i32.const", self.own_bytes), ("i32.mul",), ("i32.add",))
            put(("i32.const", self.own_at), ("i32.add",), self.set(("base", LOCAL)))
        if self._lanes_step():
            self._resume_steps()
        self._load(run.loads)

    def _kept(self, variable: Variable) -> tuple[int, int]:
        """Pushes the address of what a packet keeps of a variable, without what its instruction has to add; gives
        that, and how many bytes a lane has."""
        size = self.values.kept_bits(variable) // 8 if self._is_vector(variable) else SLOT
        self.put(self.get("spill"), self.get("kept"), ("i32.const", size), ("i32.mul",), ("i32.add",))
        return self.slots[variable] * self.padded, size

    def _load(self, variables: list[Variable]) -> None:
        for variable in variables:
            for part, local in enumerate(self._locals_of(variable)):
                start, _ = self._kept(variable)
                kind = "v128" if self._is_vector(variable) else value_type(variable.ty)
                self.put((f"{kind}.load", 2, start + 16 * part), ("local.set", local))

    def _store(self, variables: list[Variable]) -> None:
        for variable in variables:
            for part, local in enumerate(self._locals_of(variable)):
                start, _ = self._kept(variable)
                kind = "v128" if self._is_vector(variable) else value_type(variable.ty)
                self.put(("local.get", local), (f"{kind}.store", 2, start + 16 * part))

    def _stop(self, piece: Piece) -> None:
        if self.plan is not None and self.run_ is None:
            super()._stop(piece)
        else:
            self.put(("br", self.depth - self.lane_depth))

    def _clear_own(self) -> None:
        """Local memory starts as zeros. That of the lanes of a packet is beside one another."""
        if self.own_bytes:
            size = self.own_bytes * self.width
            self.put(self.get(("base", LOCAL)), ("i32.const", 0), ("i32.const", size), ("memory.fill", 0))

    # Statements

    def _tree(self, tree: Tree) -> None:
        if isinstance(tree, Straight) and any(isinstance(s, Under) and s.open for s in tree.piece.statements):
            self.put(("block", None))  # which ends when no lane is left
            self.block_end = self.depth
            super()._tree(tree)
            self.put(("end",))
        else:
            super()._tree(tree)

    def _statement(self, statement: Statement) -> None:
        if not isinstance(statement, Under):
            with self.values.statement(*([v for _, v in statement.pairs] if isinstance(statement, Copies) else [])):
                self._plain(statement)
            return
        match statement.statement:
            case Assign(variable, value) if self._is_vector(variable):
                its = variable
                self.values.let(its, value, lambda part: self._keep(its, part, statement))
            case Copies(pairs):
                with self.values.statement(*(value for _, value in pairs)):
                    self._copies(pairs, statement)
            case Do(node, variable):
                self._effect(node, variable, statement)
            case Count(at):
                self._take_step(at, statement)
            case other:
                super()._statement(other)

    def _plain(self, statement: Statement) -> None:
        """A statement of masks, or of a block."""
        if isinstance(statement, Copies) and any(self._is_vector(variable) for variable, _ in statement.pairs):
            self._copies(statement.pairs, None)
        else:
            super()._statement(statement)

    def _keep(self, variable: Variable, part: int, under: Under) -> None:
        """Lets the part of a variable that is on the stack be the old one in lanes that are off, if they want it."""
        if under.mask is not None and variable in under.blend:
            self.put(("local.get", self.values.locals(variable)[part]))
            self.values.mask(under.mask, self.values.kept_bits(variable), part)
            self.put(("v128.bitselect",))

    def _copies(self, pairs: Sequence[tuple[Variable, Node]], under: Under | None) -> None:
        values = self.values
        for variable, value in pairs:
            if not self._is_vector(variable):
                values.value(value)
                continue
            for part in range(len(values.locals(variable))):
                values.part(value, part)
                if under is not None:
                    self._keep(variable, part, under)
        for variable, _ in reversed(pairs):
            for local in reversed(self._locals_of(variable)):
                self.put(("local.set", local))

    # Steps

    def _take_step(self, at: int, under: Under) -> None:
        """Counts a step of the lanes that go back. No lane takes more of them than its packet spends ticks, so that
        looking at the counts when ticks are used up is enough, if lanes have as many steps: `counts` are those since
        the last look, `spent` those before. That is done outside of the loop, like polls."""
        assert under.mask is not None
        for part, local in enumerate(self._counts()[0]):  # a mask is -1
            self.put(("local.get", local))
            self.values.mask(under.mask, 32, part)
            self.put(("i32x4.sub",), ("local.set", local))
        if self.several:
            self.put(("i32.const", at), self.set("step_at"))

    def _after_look(self, tree: StructuredLoop) -> None:
        values = self.values
        looks = [s for s in tree.latches[-1].statements if isinstance(s, Under) and isinstance(s.statement, Count)]
        if not self._counts_steps():
            return
        with values.statement(), values.temporary("v128") as over:
            self._look_at_counts(looks[0].mask if looks else None, over)
            if not looks:
                return
            under = looks[0]
            assert isinstance(under.statement, Count)
            bad = Node("mask", PRED)
            values.held[bad] = [over]
            self.block_end = self.depth - 1  # that of the loop
            at: int | Instr = self.get("step_at") if self.several else under.statement.at
            self._drop(bad, under, FaultKind.STEP_LIMIT, at)
            del values.held[bad]

    def _look_at_counts(self, mask: Node | None, over: int) -> None:
        """Adds counts up, has ticks for no more steps than lanes have, and finds those of the mask that have none."""
        put, values = self.put, self.values
        counts, spent = self._counts()
        put(self.get("own_budget", "i64"), *(("local.get", local) for local in (*counts, *spent)))
        values.mask(mask if mask is not None else Node("const", PRED, (), 0), 128 // self.width, 0)
        put(self.get("ticks", "i64"), ("call", self._steps_routine()), ("local.set", over))
        put(*(("local.set", local) for local in reversed(spent)), self.set("ticks", "i64"))
        put(*(code for local in counts for code in (("v128.const", bytes(16)), ("local.set", local))))

    def _counts_steps(self) -> bool:
        return self._has_budget() if self.plan is None else self._lanes_step()

    def _counts(self) -> tuple[list[int], list[int]]:
        short, long = self.values.parts(Type.U32), self.values.parts(_LONG)
        return [self.named(("counts", n), "v128") for n in range(short)], [
            self.named(("spent", n), "v128") for n in range(long)
        ]

    def _fresh_budget(self) -> None:
        if self._has_budget():
            self.argument("budget", 0, "i64")
            self.put(self.set("own_budget", "i64"))
            for local in self._counts()[1]:
                self.put(("v128.const", bytes(16)), ("local.set", local))
            self._begin_counts()

    def _begin_counts(self) -> None:
        steps = {s.at for piece in self.lowered.pieces for s in piece.statements if isinstance(s, Count)}
        self.several = len(steps) > 1
        for local in self._counts()[0]:
            self.put(("v128.const", bytes(16)), ("local.set", local))
        with self.values.temporary("v128") as over:
            self._look_at_counts(None, over)

    def _resume_steps(self) -> None:
        """What lanes of a block have spent before, each by itself; the block's own steps are `taken`."""
        self.argument("budget", 0, "i64")
        self.put(self.get("taken", "i64"), ("i64.sub",), self.set("own_budget", "i64"))
        for part, local in enumerate(self._counts()[1]):
            self.put(self.get("spill"), self.get("kept"), ("i32.const", 8), ("i32.mul",), ("i32.add",))
            self.put(("v128.load", 2, self._budget_slot() * self.padded + 16 * part), ("local.set", local))
        self._begin_counts()

    def _keep_steps(self, made: Linear) -> None:
        """Keeps what lanes have spent; `least` and `least_lane` are what is left to the first lane that has least."""
        put, spent = self.put, self._counts()[1]
        with self.values.temporary("v128") as over:
            self._look_at_counts(None, over)
        for part, local in enumerate(spent):
            put(self.get("spill"), self.get("kept"), ("i32.const", 8), ("i32.mul",), ("i32.add",))
            put(("local.get", local), ("v128.store", 2, self._budget_slot() * self.padded + 16 * part))
        staying = made.staying if made.staying is not None else made.mask
        with self.values.temporary("i32") as bits, self.values.temporary("i64") as left:
            if staying is None:
                put(("i32.const", -1), ("local.set", bits))
            else:
                put(("local.get", self.values.locals(staying)[0]))
                put((f"{lanes_of(MASKS[self.width])}.bitmask",), ("local.set", bits))
            for lane in range(self.width):
                self.argument("budget", 0, "i64")
                put(("local.get", spent[lane // 2]), ("i64x2.extract_lane", lane % 2), ("i64.sub",))
                put(("local.tee", left), self.get("least", "i64"), ("i64.lt_s",))
                put(("local.get", bits), ("i32.const", lane), ("i32.shr_u",), ("i32.and",), ("if", None))
                put(("local.get", left), self.set("least", "i64"))
                put(self.get("lane"), ("i32.const", lane), ("i32.add",), self.set("least_lane"), ("end",))

    def _steps_routine(self) -> int:
        """steps(budget, counts, spent, mask, ticks): ticks, all that was spent, and who has no step left.

        Until the next look no lane can use up its steps: each takes a tick at least.
        """
        name = f"steps{self.width}"
        if name not in self.module.numbers:
            short, long = self.values.parts(Type.U32), self.values.parts(_LONG)
            body = FunctionBody(name, ("i64", *["v128"] * (short + long + 1), "i64"), ("i64", *["v128"] * (long + 1)))
            budget, rest = 0, body.local("i64", "rest")
            ticks = 2 + short + long
            put = body.code.extend
            for part in range(long):
                half = "high" if part % 2 else "low"
                local = 1 + short + part
                put([("local.get", 1 + part // 2), (f"i64x2.extend_{half}_i32x4_u",), ("local.get", local)])
                put([("i64x2.add",), ("local.set", local)])
                for lane in (0, 1):
                    put([("local.get", budget), ("local.get", local), ("i64x2.extract_lane", lane), ("i64.sub",)])
                    put([("i64.const", 1), ("i64.sub",), ("local.tee", rest), ("i64.const", 0), ("i64.ge_s",)])
                    put([("local.get", rest), ("local.get", ticks), ("i64.lt_s",), ("i32.and",), ("if", None)])
                    put([("local.get", rest), ("local.set", ticks), ("end",)])
            put([("local.get", ticks), *(("local.get", 1 + short + part) for part in range(long))])
            over = Vectors(body, {}, lambda node: None, self.values.routine, self.values.ranges, self.forms, self.width)

            def spent(part: int) -> None:
                put([("local.get", 1 + short + part), ("local.get", budget), ("i64x2.splat",), ("i64x2.ge_s",)])

            over.resized(spent, 64, 128 // self.width, 0)
            put([("local.get", 1 + short + long), ("v128.and",)])
            self.module.add(body)
        return self.module.numbers[name]
