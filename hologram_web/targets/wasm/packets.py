"""Packets of lanes as WebAssembly: loops over them, what they do to memory, and how lanes of them end with faults.

The loop over the packets of a row is there twice: for packets whose lanes are all on, without checks of what the block
proves to be in bounds, and for the rest of the row, or all of it, under a mask and with all checks.

A lane that faults leaves all masks, with all those behind it in its packet. Its status words are those of the lowest,
since lanes before it go on; at the end of the packet the kernel returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...compiler.accesses import Check, axes_of, beyond, checks_of
from ...compiler.conditions import open_conditions
from ...compiler.fission import reachable
from ...compiler.ir import PRED, Access, Function, Node
from ...compiler.lower import Copies, Do, Let, Piece, Run, Statement, Step, Under, Variable
from ...compiler.operations import LEAVES
from ...compiler.packets import Forms, Linear, guards, linear
from ...compiler.ranges import Ranges
from ...compiler.shapes import ANY
from ...compiler.structure import Loop, Straight, Tree, structure
from ...compiler.windows import Window, window
from ...errors import FaultKind
from ...isa.address import Space
from ...isa.types import Type
from ...isa.verify import Base
from .barriers import SLOT, Barriers
from .effects import access_of
from .encoder import FunctionBody, Instr
from .lanes import LOCAL
from .polls import FAULT_KINDS, MOST_TICKS
from .routines import Routines, load_instruction
from .values import Values, value_type
from .vectors import Vectors, lanes_of

__all__ = ["Packets"]

_MAX_TWICE = 400  # statements of a loop over packets that is written twice
_MAX_CONDITIONS = 64
_LONG = Type.I64
_ALL = b"\xff" * 16
_FREE = 1 << 20  # the first number of variables of masks


class Packets(Barriers):
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

    def _lanes(self, trees: list[Tree], before: Callable[[], None] | None = None, some: Window | None = None) -> None:
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
            or _misaligns(node)
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
            put((f"{lanes_of(_MASKS[self.width])}.bitmask",), ("i32.ctz",), ("i32.add",), self.set("least_lane"))
            put(("end",), ("i32.const", 1), self.set("some"), ("end",))

    def _first_lanes(self, count: list[Instr]) -> None:
        """Pushes the mask of so many lanes."""
        put, shape = self.put, lanes_of(_MASKS[self.width])
        with self.values.temporary("i32") as left:
            put(*count, ("local.tee", left), ("i32.const", self.width), ("local.get", left))
            put(("i32.const", self.width), ("i32.lt_s",), ("select",), (f"{shape}.splat",))
        self.values.steps(_MASKS[self.width], 1, 0)
        put((f"{shape}.gt_s",))

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

    def _run(self, run: Run) -> None:
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

    def _resume_packet(self, run: Run) -> None:
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
            case Let(variable, value) if self._is_vector(variable):
                its = variable
                self.values.let(its, value, lambda part: self._keep(its, part, statement))
            case Copies(pairs):
                with self.values.statement(*(value for _, value in pairs)):
                    self._copies(pairs, statement)
            case Do(node, variable):
                self._effect(node, variable, statement)
            case Step(at):
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

    def _after_look(self, tree: Loop) -> None:
        values = self.values
        looks = [s for s in tree.latches[-1].statements if isinstance(s, Under) and isinstance(s.statement, Step)]
        if not self._counts_steps():
            return
        with values.statement(), values.temporary("v128") as over:
            self._look_at_counts(looks[0].mask if looks else None, over)
            if not looks:
                return
            under = looks[0]
            assert isinstance(under.statement, Step)
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
        steps = {s.at for piece in self.lowered.pieces for s in piece.statements if isinstance(s, Step)}
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
                put((f"{lanes_of(_MASKS[self.width])}.bitmask",), ("local.set", bits))
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

            over._resized(spent, 64, 128 // self.width, 0)
            put([("local.get", 1 + short + long), ("v128.and",)])
            self.module.add(body)
        return self.module.numbers[name]

    # Effects

    def _effect(self, node: Node, variable: Variable | None, under: Under) -> None:
        with self.values.statement():
            match node.op:
                case "guard":
                    self._guard(node, under)
                case "load":
                    self._load_packet(node, variable, under)
                case "store":
                    self._store_packet(node, under)
                case "atomic":
                    self._atomic_packet(node, variable, under)
                case "reduce":
                    self._reduce_packet(node, variable, under)
                case "fence":
                    pass
                case op:
                    raise AssertionError(f"packets have no effect {op}")

    def _guard(self, node: Node, under: Under) -> None:
        kind, at, number = node.attr
        base = next((base for base in self.bases if base.space is Space.PHI), None)
        values = [_long(arg) for arg in node.args[1:]]
        if len(values) == 2:
            self._drop(node.args[0], under, FaultKind.OUT_OF_BOUNDS, at, None, values[0], values[1])
        elif values:
            of_phi = base if number <= 2 else None
            self._drop(node.args[0], under, kind, at, of_phi, values[0], other=number)
        else:
            self._drop(node.args[0], under, kind, at)

    def _drop(
        self,
        bad: Node,
        under: Under,
        kind: FaultKind,
        at: int | Instr,
        base: Base | None = None,
        offset: Node | None = None,
        need: Node | None = None,
        other: int = 0,
    ) -> None:
        """Ends lanes of the mask for which a predicate holds, and those behind the first of them."""
        put, values = self.put, self.values
        assert under.mask is not None
        lanes = Node("pand", PRED, (under.mask, bad))
        with values.statement(lanes):
            if not values.is_vector(bad):
                values.value(bad)
                put(("if", None))
                mask = values.parked(under.mask)[0]
            else:
                mask = values.parked(lanes)[0]
                put(("local.get", mask), ("v128.any_true",), ("if", None))
            shape = lanes_of(_MASKS[self.width])
            with values.temporary("i32") as lane:
                put(("local.get", mask), (f"{shape}.bitmask",), ("i32.ctz",), ("local.set", lane))
                number = -1 if base is None else self._base_number(base)
                place = FAULT_KINDS.index(kind) + 1
                instruction: Instr = ("i32.const", at) if isinstance(at, int) else at
                put(("local.get", 0), ("i32.const", place), instruction, ("i32.const", number))
                self.lane_id()
                put(("local.get", lane), ("i32.add",), ("i32.const", other))
                for node in (offset, need):
                    if node is None:
                        put(("i64.const", 0))
                    elif values.forms.of(node) == 0:
                        values.value(node)
                    else:
                        put(("local.get", lane), *(("local.get", local) for local in values.parked(node)))
                        put(("call", self._pick_routine()))
                put(("call", self.fault_routine()))
                self._first_lanes([("local.get", lane)])
                put(self.set("live", "v128"))
            for variable in under.open:
                local = values.locals(variable)[0]
                put(("local.get", local), self.get("live", "v128"), ("v128.and",), ("local.set", local))
            values.any(under.mask)
            put(("i32.eqz",), ("br_if", self.depth - self.block_end), ("end",))

    def _pick_routine(self) -> int:
        """A function that gives a lane of a packet of I64."""
        name = f"pick{self.width}"
        if name not in self.module.numbers:
            parts = self.width // 2
            body = FunctionBody(name, ("i32", *["v128"] * parts), ("i64",))
            body.code.append(("i64.const", 0))
            for lane in range(self.width):
                part, place = divmod(lane, 2)
                body.code += [("local.get", 1 + part), ("i64x2.extract_lane", place)]
                body.code += [("local.get", 0), ("i32.const", lane), ("i32.ne",), ("select",)]
            self.module.add(body)
        return self.module.numbers[name]

    # Addresses

    def _checks(self, node: Node, access: Access, under: Under) -> None:
        """Ends the lanes that are out of bounds."""
        for number, (axis, place, length) in enumerate(axes_of(node)):
            if (node, number) not in self.proven:
                at = _long(place)
                if axis.offset:
                    at = Node("add", _LONG, (at, Node("const", _LONG, (), _LONG.encode(axis.offset))))
                off = beyond(axis, place, length)
                self._drop(off, under, FaultKind.OUT_OF_BOUNDS, axis.at, None, at, _long(length))
        checked = access.checked and node not in self.proven
        if not checked and not _misaligns(node):
            return
        offset = _offset(node.args[0], access)
        values = self.values
        size = access.element.size_bytes
        if checked:
            limit = Node("special", _LONG, (), ("limit", access.base, size))
            zero = Node("const", _LONG, (), 0)
            below = Node("lt", PRED, (offset, zero), _LONG)
            bad = Node("por", PRED, (below, Node("le", PRED, (limit, offset), _LONG)), None)
            need = Node("const", _LONG, (), size)
            step = self.forms.of(node.args[0])
            sure = isinstance(step, int) and step != 0
            if sure:  # the first lane and the last say it of those between
                assert isinstance(step, int)
                far = step * access.scale * (self.width - 1)
                with values.temporary("i64") as first:
                    self._raw_offset(access, node.args[0])
                    self.put(("local.tee", first), self.get(("limit", access.base, size), "i64"), ("i64.ge_u",))
                    self.put(("local.get", first), ("i64.const", far), ("i64.add",))
                    self.put(self.get(("limit", access.base, size), "i64"), ("i64.ge_u",), ("i32.or",), ("if", None))
            with values.statement(offset):
                if values.is_vector(offset):
                    values.parked(offset)
                own = self.function.local_memory if access.base == LOCAL else 0
                self._drop(bad, under, FaultKind.OUT_OF_BOUNDS, access.at, access.base, offset, need, own)
            if sure:
                self.put(("end",))
        if _misaligns(node):
            self._drop(_misaligned(offset, access), under, FaultKind.MISALIGNED_ACCESS, access.at, access.base, offset)

    def _step_of(self, node: Node, access: Access) -> int | None:
        """How many bytes further along the next lane accesses, if the address of the first says where all do."""
        if not self._is_scalar(node.args[0]):
            return None
        own = self.own_bytes if access.base == LOCAL else 0
        step = self.forms.of(node.args[0])
        if isinstance(step, int):
            return step * access.scale + own
        step = self.lowered.lanes.reach(node)[0]
        return step + own if isinstance(step, int) else None

    def _is_scalar(self, node: Node) -> bool:
        """Whether a value of the first lane can be computed by itself, wherever it is."""
        if node in self.values.variables or node.op in LEAVES:
            return self.forms.of(node) != ANY
        if node.op in ("load", "call", "call_if", "div", "rem", "select"):
            return self.forms.of(node) == 0
        return all(self._is_scalar(arg) for arg in node.args)

    def _first_address(self, node: Node, access: Access) -> int:
        """Pushes the address of the first lane; gives what its instruction has to add."""
        put, index = self.put, node.args[0]
        further = access.offset if access.offset >= 0 and self.values.ranges.of(index)[0] >= 0 else 0
        further = further if further < 1 << 31 else 0
        put(self.get(("base", access.base)))
        if not index.is_const or index.attr:
            self._low(index)
            if access.scale != 1:
                put(("i32.const", access.scale), ("i32.mul",))
            put(("i32.add",))
        if further != access.offset:
            put(("i32.const", access.offset), ("i32.add",))
        return further

    def _low(self, index: Node) -> None:
        if isinstance(index.ty, Type) and index.ty.bits <= 32:
            self.values.value(index)
        else:
            self.values.low(index)

    def _clear_own(self) -> None:
        """Local memory starts as zeros. That of the lanes of a packet is beside one another."""
        if self.own_bytes:
            size = self.own_bytes * self.width
            self.put(self.get(("base", LOCAL)), ("i32.const", 0), ("i32.const", size), ("memory.fill", 0))

    def _addresses(self, node: Node, access: Access, under: Under | None, step: int | None) -> list[int]:
        """Locals with the addresses of all lanes; those of lanes that are off are 0."""
        put, values = self.put, self.values
        found = []
        if step is None:
            values.prepare_low(node.args[0])
        for part in range(values.parts(Type.U32)):
            if step is not None:
                further = self._first_address(node, access)
                put(("i32.const", further), ("i32.add",), ("i32x4.splat",))
                values.steps(Type.U32, step, part)
                put(("i32x4.add",))
            else:
                values.low_part(node.args[0], part)
                if access.scale & (access.scale - 1) == 0:
                    if access.scale > 1:
                        put(("i32.const", access.scale.bit_length() - 1), ("i32x4.shl",))
                else:
                    values.numbers(Type.U32, [access.scale] * 4)
                    put(("i32x4.mul",))
                put(self.get(("base", access.base)))
                if access.offset:
                    put(("i32.const", access.offset), ("i32.add",))
                put(("i32x4.splat",), ("i32x4.add",))
                if access.base == LOCAL:
                    values.steps(Type.U32, self.own_bytes, part)
                    put(("i32x4.add",))
            if under is not None and under.mask is not None:
                values.mask(under.mask, 32, part)
                put(("v128.and",))
            found.append(values._fresh())
            put(("local.set", found[-1]))
        values.held[Node("addresses", None)] = found
        return found

    def _if_all(self, under: Under, every: Callable[[], None], some: Callable[[], None]) -> None:
        """Code for when all lanes of a packet are in the mask, and other code."""
        if under.mask is None:
            every()
            return
        self.values.mask(under.mask, 128 // self.width, 0)
        self.put((f"{lanes_of(_MASKS[self.width])}.all_true",), ("if", None))
        with self.values.statement():
            every()
        self.put(("else",))
        with self.values.statement():
            some()
        self.put(("end",))

    # Loads

    def _load_packet(self, node: Node, variable: Variable | None, under: Under) -> None:
        put, values, access = self.put, self.values, node.attr
        self._checks(node, access, under)
        if variable is None:
            return
        step = self._step_of(node, access)
        if not self._is_vector(variable):
            put(load_instruction(access.element, self._first_address(node, access)))
            put(("local.set", values.local(variable)))
            return
        targets = values.locals(variable)
        ty = node.ty
        assert isinstance(ty, Type)
        bits = values.kept_bits(variable)
        shape = lanes_of(ty) if bits == ty.bits else lanes_of(_WORDS[bits])

        def take(part: int) -> None:
            self._keep(variable, part, under)
            put(("local.set", targets[part]))

        if step == 0:
            put(load_instruction(access.element, self._first_address(node, access)), (f"{shape}.splat",))
            with values.temporary("v128") as one:
                put(("local.set", one))
                for part in range(len(targets)):
                    put(("local.get", one))
                    take(part)
            return

        def row() -> None:
            further = self._first_address(node, access)
            with values.temporary("i32") as address:
                put(("local.set", address))
                for part in range(len(targets)):
                    put(("local.get", address))
                    self._load_part(access.element, bits, further + part * (128 // bits) * access.element.size_bytes)
                    take(part)

        def gather() -> None:
            addresses = self._addresses(node, access, under, step)
            per = 128 // bits
            for part in range(len(targets)):
                for lane in range(per):
                    at, place = divmod(part * per + lane, 4)
                    self._lane_load(
                        access.element, shape, lane, [("local.get", addresses[at]), ("i32x4.extract_lane", place)], 0
                    )
                take(part)

        def stride() -> None:
            assert step is not None
            further = self._first_address(node, access)
            with values.temporary("i32") as address:
                put(("i32.const", further), ("i32.add",), ("local.set", address))
                per = 128 // bits
                for part in range(len(targets)):
                    if access.element.bits == 32 and step in (8, 12):  # two vectors, which end with the last lane
                        put(("local.get", address), ("v128.load", 2, per * part * step))
                        start = per * step - step + 4 - 16
                        put(("local.get", address), ("v128.load", 2, per * part * step + start))
                        places = [0, step, 16 + 2 * step - start, 16 + 3 * step - start]
                        put(("i8x16.shuffle", bytes(place + byte for place in places for byte in range(4))))
                    else:
                        for lane in range(per):
                            at = (part * per + lane) * step
                            self._lane_load(access.element, shape, lane, [("local.get", address)], at)
                    take(part)

        if step == access.element.size_bytes:
            self._if_all(under, row, gather)
        elif step is not None and step > 0 and under.mask is None and step < 1 << 20:
            stride()
        else:
            gather()

    def _load_part(self, element: Type, bits: int, further: int) -> None:
        """Loads a part of a row from the address on the stack."""
        if element.bits in (bits, 32, 64):
            self.put(("v128.load", min(element.size_bytes.bit_length() - 1, 4), further))
            return
        sign = "s" if element.kind == "i" else "u"
        if bits == 16:
            self.put((f"v128.load8x8_{sign}", 0, further))
            return
        if element.bits == 16:
            self.put((f"v128.load16x4_{sign}", 1, further))
        else:
            self.put(("v128.load32_zero", 0, further), (f"i16x8.extend_low_i8x16_{sign}",))
            self.put((f"i32x4.extend_low_i16x8_{sign}",))

    def _lane_load(self, element: Type, shape: str, lane: int, address: list[Instr], further: int) -> None:
        """Loads a lane into the vector on the stack; the first makes it."""
        size = element.size_bytes.bit_length() - 1
        if element.bits < 32:
            if lane:
                self.put(*address, load_instruction(element, further), (f"{shape}.replace_lane", lane))
            else:
                self.put(*address, load_instruction(element, further), (f"{shape}.splat",))
        elif lane == 0:
            self.put(*address, (f"v128.load{element.bits}_zero", size, further))
        else:
            with self.values.temporary("v128") as so_far:
                self.put(("local.set", so_far), *address, ("local.get", so_far))
                self.put((f"v128.load{element.bits}_lane", size, further, lane))

    # Stores

    def _store_packet(self, node: Node, under: Under) -> None:
        put, values, access = self.put, self.values, node.attr
        self._checks(node, access, under)
        value, element = node.args[1], access.element
        values.prepare(value)
        ty = value.ty
        assert isinstance(ty, Type)
        step = self._step_of(node, access)

        def row() -> None:
            further = self._first_address(node, access)
            with values.temporary("i32") as address:
                put(("local.set", address))
                if values.held_bits(value) <= element.bits < ty.bits and self.width * element.bits >= 128:
                    for part in range(self.width * element.bits // 128):
                        put(("local.get", address))
                        values.part(value, part, element.bits)
                        put(("v128.store", 0, further + 16 * part))
                    return
                per = 128 // ty.bits
                for part in range(values.parts(ty)):
                    put(("local.get", address))
                    values.part(value, part)
                    self._store_part(element, further + part * per * element.size_bytes)

        def some() -> None:
            addresses = self._addresses(node, access, None, step)
            put(*(("local.get", local) for local in addresses))
            for part in range(values.parts(ty)):
                values.part(value, part)
            assert under.mask is not None
            values.mask(under.mask, 128 // self.width, 0)
            put(("call", self._scatter_routine(element, ty)))

        def stride() -> None:
            assert step is not None
            further = self._first_address(node, access)
            parked, per = values.parked(value), 128 // ty.bits
            with values.temporary("i32") as address:
                put(("i32.const", further), ("i32.add",), ("local.set", address))
                for lane in range(self.width):
                    put(("local.get", address))
                    self._lane_store(element, ty, ("local.get", parked[lane // per]), lane % per, lane * step)

        def scatter() -> None:
            addresses = self._addresses(node, access, None, step)
            parked = values.parked(value)
            per = 128 // ty.bits
            for lane in range(self.width):
                put(("local.get", addresses[lane // 4]), ("i32x4.extract_lane", lane % 4))
                self._lane_store(element, ty, ("local.get", parked[lane // per]), lane % per, 0)

        if step == element.size_bytes:
            self._if_all(under, row, some)
        elif under.mask is None:
            (stride if step is not None and 0 < step < 1 << 20 else scatter)()
        else:
            some()

    def _store_part(self, element: Type, further: int) -> None:
        """Stores a part of a row; its address and it are on the stack."""
        put = self.put
        if element.bits >= 32:
            put(("v128.store", min(element.size_bytes.bit_length() - 1, 4), further))
            return
        step = 32 // element.bits
        size = element.size_bytes
        lanes = [4 * lane + byte for lane in range(4) for byte in range(size)]
        with self.values.temporary("v128") as words:
            put(("local.tee", words), ("local.get", words))
            put(("i8x16.shuffle", bytes([*lanes, *[0] * (16 - len(lanes))])))
        put((f"v128.store{128 // step}_lane", 0, further, 0))

    def _lane_store(self, element: Type, ty: Type, vector: Instr, lane: int, further: int) -> None:
        size = element.size_bytes.bit_length() - 1
        self.put(vector)
        # A lane of shorter elements: the lowest of a word's.
        self.put((f"v128.store{element.bits}_lane", size, further, lane * (ty.bits // element.bits)))

    def _scatter_routine(self, element: Type, ty: Type) -> int:
        """A function that stores the lanes of a mask, in their order."""
        name = f"scatter{element.bits}_{ty.bits}"
        if name not in self.module.numbers:
            places, parts, per = self.values.parts(Type.U32), self.values.parts(ty), 128 // ty.bits
            body = FunctionBody(name, ("v128",) * (places + parts + 1), ())
            bits = body.local("i32", "bits")
            shape = lanes_of(_MASKS[self.width])
            body.code += [("local.get", places + parts), (f"{shape}.bitmask",), ("local.set", bits)]
            size = element.size_bytes.bit_length() - 1
            for lane in range(self.width):
                body.code += [("local.get", bits), ("i32.const", 1 << lane), ("i32.and",), ("if", None)]
                body.code += [("local.get", lane // 4), ("i32x4.extract_lane", lane % 4)]
                body.code += [("local.get", places + lane // per)]
                body.code += [(f"v128.store{element.bits}_lane", size, 0, lane % per * (ty.bits // element.bits))]
                body.code += [("end",)]
            self.module.add(body)
        return self.module.numbers[name]

    # Reductions

    def _leaf(self, node: Node) -> None:
        if isinstance(node.attr, tuple) and node.attr[0] == "size":
            self._size(node.attr[1])
        else:
            super()._leaf(node)

    def _reduce_packet(self, node: Node, variable: Variable | None, under: Under) -> None:
        """Lane after lane, but where all reduce the same."""
        put, values = self.put, self.values
        combine, access = node.attr
        ty, zero = access.element, Node("const", _LONG, (), 0)
        count = Node("max", _LONG, (_long(node.args[1]), zero))
        offset = _offset(node.args[0], access)
        need = Node("mul", _LONG, (count, Node("const", _LONG, (), ty.size_bytes)))
        some = Node("lt", PRED, (zero, count), _LONG)
        last = Node("sub", _LONG, (Node("special", _LONG, (), ("size", access.base)), need))
        outside = Node("por", PRED, (Node("lt", PRED, (offset, zero), _LONG), Node("lt", PRED, (last, offset), _LONG)))
        with values.statement(offset, count):
            bad = Node("pand", PRED, (some, outside))
            self._drop(bad, under, FaultKind.OUT_OF_BOUNDS, access.at, access.base, offset, need)
            if _misaligns(node):
                over = Node("pand", PRED, (some, _misaligned(offset, access)))
                self._drop(over, under, FaultKind.MISALIGNED_ACCESS, access.at, access.base, offset)
            if variable is None:
                return
            alike = all(values.forms.of(value) == 0 for value in (offset, count))
            with values.temporary("i64") as place, values.temporary("i64") as length:
                if alike:
                    values.value(offset)
                    put(("local.set", place))
                    values.value(count)
                    put(("local.set", length))
                    self._reduced(combine, access, place, length)
                    if not self._is_vector(variable):
                        put(("local.set", values.local(variable)))
                        return
                    assert isinstance(node.ty, Type)
                    with values.temporary("v128") as one:
                        put((f"{lanes_of(node.ty)}.splat",), ("local.set", one))
                        for part, target in enumerate(values.locals(variable)):
                            put(("local.get", one))
                            self._keep(variable, part, under)
                            put(("local.set", target))
                    return
                self._reduce_lanes(node, variable, under, offset, count, place, length)

    def _reduce_lanes(
        self, node: Node, variable: Variable, under: Under, offset: Node, count: Node, place: int, length: int
    ) -> None:
        put, values, targets = self.put, self.values, self.values.locals(variable)
        combine, access = node.attr
        assert isinstance(node.ty, Type)
        shape, per = lanes_of(node.ty), 128 // node.ty.bits
        parks = [(values.parked(value), local) for value, local in ((offset, place), (count, length))]
        assert under.mask is not None
        with values.temporary("i32") as bits, values.temporary(value_type(node.ty)) as found:
            values.mask(under.mask, 128 // self.width, 0)
            put((f"{lanes_of(_MASKS[self.width])}.bitmask",), ("local.set", bits))
            for lane in range(self.width):
                put(("local.get", bits), ("i32.const", 1 << lane), ("i32.and",), ("if", None))
                for locals_, local in parks:
                    put(("local.get", locals_[lane // 2]), ("i64x2.extract_lane", lane % 2), ("local.set", local))
                self._reduced(combine, access, place, length)
                put(("local.set", found), ("local.get", targets[lane // per]), ("local.get", found))
                put((f"{shape}.replace_lane", lane % per), ("local.set", targets[lane // per]), ("end",))

    # Atomics

    def _atomic_packet(self, node: Node, variable: Variable | None, under: Under) -> None:
        """Lane after lane."""
        put, values = self.put, self.values
        operation, access = node.attr
        ty: Type = access.element
        self._checks(node, access, under)
        addresses = self._addresses(node, access, None, self._step_of(node, access))
        for arg in node.args[1:]:
            values.prepare(arg)
        count = 2 if operation == "cas" else 1
        parks = [values.parked(arg) for arg in node.args[1 : 1 + count]]
        kind, shape = value_type(ty), lanes_of(ty)
        targets = values.locals(variable) if variable is not None else []
        with values.temporary("i32") as bits, values.temporary("i32") as address:
            if under.mask is not None:
                values.mask(under.mask, 128 // self.width, 0)
                put((f"{lanes_of(_MASKS[self.width])}.bitmask",), ("local.set", bits))
            for lane in range(self.width):
                if under.mask is not None:
                    put(("local.get", bits), ("i32.const", 1 << lane), ("i32.and",), ("if", None))
                put(("local.get", addresses[lane // 4]), ("i32x4.extract_lane", lane % 4), ("local.set", address))
                operands = []
                for arg, locals_ in zip(node.args[1:], parks, strict=False):
                    leaf = Node("param", arg.ty, (), "lane")
                    values._lane_of[leaf] = locals_[lane * ty.bits // 128], shape, lane % (128 // ty.bits)
                    operands.append(leaf)
                self._exchange(operation, access, address, 0, operands)
                values._lane_of.clear()
                if targets:
                    target = targets[lane * ty.bits // 128]
                    with values.temporary(kind) as old:
                        put(("local.set", old), ("local.get", target), ("local.get", old))
                        put((f"{shape}.replace_lane", lane % (128 // ty.bits)), ("local.set", target))
                else:
                    put(("drop",))
                if under.mask is not None:
                    put(("end",))


_WORDS = {8: Type.U8, 16: Type.U16, 32: Type.U32}
_MASKS = {4: Type.I32, 8: Type.I16, 16: Type.I8}  # integers of as many bits as masks have


def _misaligns(node: Node) -> bool:
    access = access_of(node)
    if access is None:
        return False
    align = access.element.alignment
    return bool(access.scale % align or access.offset % align)


def _misaligned(offset: Node, access: Access) -> Node:
    rest = Node("and", _LONG, (offset, Node("const", _LONG, (), access.element.alignment - 1)))
    return Node("pnot", PRED, (Node("eq", PRED, (rest, Node("const", _LONG, (), 0)), _LONG),))


def _long(node: Node) -> Node:
    return node if node.ty is _LONG else Node("cvt", _LONG, (node,), node.ty)


def _offset(index: Node, access: Access) -> Node:
    """The byte offset of an access."""
    found = _long(index) if index.ty is not Type.U64 else Node("bitcast", _LONG, (index,), Type.U64)
    scale = access.scale
    if scale & (scale - 1) == 0 and scale > 1:
        found = Node("shl", _LONG, (found, Node("const", Type.U32, (), scale.bit_length() - 1)))
    elif scale != 1:
        found = Node("mul", _LONG, (found, Node("const", _LONG, (), _LONG.encode(scale))))
    if access.offset:
        found = Node("add", _LONG, (found, Node("const", _LONG, (), _LONG.encode(access.offset))))
    return found
