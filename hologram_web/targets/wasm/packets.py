"""Packets of lanes as WebAssembly: loops over them, and their statements.

The loop over the packets of a row is there twice: for packets whose lanes are all on, without checks of what the block
proves to be in bounds, and for the rest of the row, or all of it, under a mask and with all checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...compiler.accesses import Check, checks_of
from ...compiler.bounds import ENDS_OF_PART, Bounds
from ...compiler.conditions import open_conditions
from ...compiler.guarded import guards
from ...compiler.ir import PRED, Node
from ...compiler.out_of_ssa import Assign, Copies, Count, Do, Piece, Statement, Under, Variable
from ...compiler.packet_forms import Forms
from ...compiler.packets import Stops, Straightened, linear
from ...compiler.rounds import within_budget
from ...compiler.structure import If, Labelled, Straight, StructuredLoop, Tree
from ...compiler.windows import LaneWindow
from .blocks import Blocks, moved_row
from .code import Code
from .encoder import Instr
from .lanes import MAX_CONDITIONS, MAX_TWICE
from .packet_effects import PacketEffects
from .packet_faults import PacketFaults
from .packet_steps import PacketSteps
from .polls import MOST_TICKS, Polls
from .trees import ScalarStatements, Trees
from .vectors import Vectors
from .wide import is_wide

__all__ = ["Packets"]

_ALL = b"\xff" * 16
_FREE = 1 << 20  # the first number of variables of masks
_MAX_TWICE_OF_WIDE = 64  # statements, where lanes have wide integers: loops over lanes take most of the time there
_NOWHERE = (1 << 31) - 1  # no row has so many lanes


class Packets:
    """Writes loops over packets. `at_end` writes what stands at the end of one."""

    def __init__(
        self,
        code: Code,
        values: Vectors,
        forms: Forms,
        statements: ScalarStatements,
        effects: PacketEffects,
        faults: PacketFaults,
        steps: PacketSteps,
        polls: Polls,
        blocks: Blocks,
    ) -> None:
        self.code, self.values, self.statements, self.effects = code, values, statements, effects
        self.faults, self.steps, self.polls, self.blocks = faults, steps, polls, blocks
        self.put, self.get, self.set, self.named = code.put, code.get, code.set, code.named
        self.width, self.forms, self.wide = values.width, forms, values.wide_lanes
        self.control = Trees(code, values, polls, self._straight, lambda piece: self._leave())
        self.control.locals_of, self.control.after_look = self.locals_of, steps.after_look
        self.control.addresses = self.addresses = effects.accesses.first
        values.ahead, values.places = self.addresses.ahead, code.places
        self.enter: Callable[[Straightened], None] = lambda made: None  # pushes the mask of lanes that are there
        self.stops: Stops | None = None
        self.at_end: Callable[[Straightened], None] = lambda made: None
        self.twice, self.parted, self.certain = True, False, False
        self.given: dict[Node, bool] = {}  # branches that all lanes go the same way by, where what is proven holds
        self.both: set[Check] = set()
        self.part: Bounds
        self.scalar = effects.scalar
        self._moved: tuple[Node, Node] | None = None  # what a row is that all lanes move and do nothing else
        self._depth = 0  # of the block around a packet
        self._uncounted = False

    def fresh(self) -> None:
        """What a packet begins with."""
        self.steps.fresh()
        self.blocks.clear_own()

    def locals_of(self, variable: Variable) -> list[int]:
        values = self.values
        return values.locals(variable) if values.differs(variable) else [values.local(variable)]

    def _leave(self) -> None:
        self.put(("br", self.code.depth - self._depth))

    # Loops over packets

    def both_ways(
        self,
        pieces: list[Piece],
        trees: list[Tree],
        before: Callable[[], None],
        some: LaneWindow | None = None,
        bare: bool = False,
        once: bool = False,
    ) -> None:
        """The lanes that are on and in the window: each packet does what `before` writes, then the trees. Packets that
        are `bare` have nothing but their code; with `once` nothing is proven of them."""
        most = MAX_TWICE if self.wide is None else _MAX_TWICE_OF_WIDE
        self.twice = not once and sum(len(piece.statements) for piece in pieces) < most
        conditions, proven = self._prove(self.code.bounds, trees, self._unlikely())
        self.faults.safe = self._all_hold("safe", conditions)
        ways = self._guards(trees) + self._enough()
        self.both = self.code.repeated | self._find_part(trees, ways, proven)
        self.faults.likely = proven if conditions else set()
        self._moved = None
        self.certain = self.twice and not any(map(self._is_open, _effects(trees, self.given)))
        if bare and self.certain and self.code.flat:
            self._moved = moved_row(self.code, trees)
        self._lanes(trees, before, some)
        self.faults.proven, self.faults.likely = self.code.repeated, set()

    def _prove(self, bounds: Bounds, trees: list[Tree], given: dict[Node, bool]) -> tuple[list[Node], set[Check]]:
        """Conditions, and what code that goes the given ways needs not check where they hold."""
        conditions, proven = bounds.prove(_effects(trees, given), self.code.repeated) if self.twice else ([], set())
        return (conditions, proven) if len(conditions) <= MAX_CONDITIONS else ([], set())

    def _guards(self, trees: list[Tree]) -> list[Node]:
        """Conditions under which branches that all lanes come to first go the `given` ways, in a part of a row."""
        self.given = {}
        ways: list[Node] = []
        if self.twice and self.code.plan is None:
            self.part = Bounds(self.code.function, part=True)
            for node, truth in guards(trees, self.forms.of):
                found = self.part.always(node, truth)
                undecided = None if found is None else open_conditions(found)
                if undecided is None:
                    break
                self.given[node] = truth
                ways = list(dict.fromkeys([*ways, *undecided]))
        if len(ways) > MAX_CONDITIONS:
            ways, self.given = [], {}
        self.given = self._unlikely() | self.given
        return ways

    def _enough(self) -> list[Node]:
        """Conditions under which lanes have more steps than they can take, so that nobody counts them in that part."""
        counted = self.twice and self.code.plan is None and self.code.has_budget
        found = within_budget(self.code.bounds, rounds=False) if counted else None
        self._uncounted = found is not None and len(found) <= MAX_CONDITIONS
        return found if found is not None and self._uncounted else []

    def _find_part(self, trees: list[Tree], ways: list[Node], proven: set[Check]) -> set[Check]:
        """Finds the part of each row, `from` a lane and `to` another, where branches go the given ways and what is
        proven holds: all of it, all but its first packet and its last, or nothing. Gives what is proven there."""
        put, row, safe = self.put, self.get(("on", 0)), self.faults.safe
        if any(self.given[likely] for likely in self._unlikely()):
            # What other lanes reach need not be in bounds.
            conditions, proven = self._prove(self.part, trees, self.given)
            ways, safe = list(dict.fromkeys([*ways, *conditions])), ("i32.const", 1)
        self.parted = any(map(_is_of_part, ways))
        if not self.parted:
            put(("i32.const", 0), ("i32.const", _NOWHERE))
            self.values.all_hold(ways)
            put(safe, ("i32.and",), ("select",), self.set("from"))
            return proven
        put(("i32.const", 0), self.set("from"), row, self.set("to"), ("loop", None))
        self.values.all_hold(ways)
        put(safe, ("i32.and",), ("i32.eqz",), ("if", None))
        put(self.get("from"), ("if", None), ("i32.const", _NOWHERE), self.set("from"), ("else",))
        put(("i32.const", self.width), self.set("from"), row, ("i32.const", self.width), ("i32.sub",), self.set("to"))
        put(("br", 2), ("end",), ("end",), ("end",))
        return proven

    def _unlikely(self) -> dict[Node, bool]:
        """That lanes do not go to the code for what most of them find."""
        likely = self.code.function.likely
        return {} if likely is None else {likely: False}

    def _all_hold(self, name: str, conditions: list[Node], besides: Instr | None = None) -> Instr:
        """What pushes whether all conditions hold; a local of this name has it, if there are any."""
        if not conditions:
            return besides or ("i32.const", 1)
        self.values.all_hold(conditions)
        self.put(*([besides, ("i32.and",)] if besides else []), self.set(name))
        return self.get(name)

    def _is_open(self, node: Node) -> bool:
        """Whether an effect has checks that nothing proves, wherever it is."""
        return any(check not in self.both for check in checks_of(node) or [node])

    def _lanes(self, trees: list[Tree], before: Callable[[], None], some: LaneWindow | None) -> None:
        put = self.put
        x, y, _ = self.code.function.block_shape
        if self.code.flat:
            put(("i32.const", 0), self.set("lane"))
            count: Instr = ("local.get", self.named(("on", 0)))
            if some is not None:
                count = self.blocks.enter_window(some)
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

    def _row(self, trees: list[Tree], before: Callable[[], None], count: Instr) -> None:
        """The packets of a row of lanes: what is before the part that is sure, it, and what is behind it. `place` is
        where the first lane of a packet is in its row."""
        put = self.put
        self.place = "lane" if self.code.flat else "LANE_IDX_X"
        if not self.parted:
            if self.twice:
                self._sure(trees, before, count)
            self._some(trees, before, count)
            return
        with self.values.temporary("i32") as local:
            until = ("local.get", local)
            put(("loop", None), self.get("to"), count, self.get("to"), count, ("i32.lt_s",), ("select",))
            put(("local.set", local))
            self._sure(trees, before, until)
            put(self.get("from"), count, self.get(self.place), self.get("from"), ("i32.lt_s",))
            put(self.get("from"), count, ("i32.lt_s",), ("i32.and",), ("select",), ("local.set", local))
            self._some(trees, before, count, until)
            put(self.get(self.place), count, ("i32.lt_s",), ("br_if", 0), ("end",))

    def _sure(self, trees: list[Tree], before: Callable[[], None], until: Instr) -> None:
        """The packets up to a lane of a row, all of whose lanes are on, if they are in the part that is sure."""
        put = self.put
        put(("block", None), self.get(self.place), self.get("from"), ("i32.lt_s",), ("br_if", 0))
        if self._moved is not None:
            self.scalar.proven = self.both
            self.blocks.move(self.scalar, *self._moved, until)
            self.scalar.proven = self.code.repeated
            put(until, self.set(self.place))
        else:
            with self.values.temporary("i32") as last:
                put(until, ("i32.const", self.width), ("i32.sub",), ("local.tee", last), self.get(self.place))
                put(("i32.lt_s",), ("br_if", 0))
                self.addresses.enter_row(self.certain)
                put(("loop", None))
                start = len(self.code.body.code)
                self.faults.proven = self.both
                self._packet(trees, before, None)
                self.addresses.advance(start, self.get(self.place), last)
                put(("br_if", 0), ("end",))
                self.addresses.leave()
        put(("end",))

    def _some(
        self, trees: list[Tree], before: Callable[[], None], count: Instr, until: Instr | None = None
    ) -> None:  # fmt: skip
        """Packets up to a lane of a row, or its end, under a mask and with all checks: the last may be of few lanes."""
        put, until = self.put, until or count
        put(("block", None), self.get(self.place), until, ("i32.ge_s",), ("br_if", 0), ("loop", None))
        self.faults.proven = self.code.repeated if self.faults.likely else self.both
        self._packet(trees, before, count)
        put(self.get(self.place), ("i32.const", self.width), ("i32.add",), ("local.tee", self.named(self.place)))
        put(until, ("i32.lt_s",), ("br_if", 0), ("end",), ("end",))

    def _packet(self, trees: list[Tree], before: Callable[[], None], count: Instr | None) -> None:
        """A packet; `count` is where the row ends, if that may be within it."""
        put, values = self.put, self.values
        leaves = self.code.lanes_leave or self.stops is not None
        full, whole, stops = count is None, self.code.plan is None and self.stops is None, self.stops
        given = self.given if full else self._unlikely()
        self.steps.counts = counts = not (full and self._uncounted)
        may_fault, lanes = self.faults.may_fault, full * self.width
        made = linear(trees, self.forms, given, lanes, may_fault, _FREE, leaves, whole, counts, stops)
        values.variables.update(made.variables)
        put(("block", None))
        self._depth = self.code.depth
        if self.place != "lane":
            put(self.get("row"), self.get(self.place), ("i32.add",), self.set("lane"))
        if not whole:  # where what lanes keep lies: rows are of whole packets
            put(*([] if self.place == "lane" else [self.get("kept_row")]), self.get(self.place))
            put(*([] if self.place == "lane" else [("i32.add",)]), self.set("kept"))
        cost = self.polls.round_cost(made.trees)
        if cost * self.code.lanes > MOST_TICKS:
            self.polls.spend(("i64.const", cost))
        before()
        if made.mask is not None:
            if count is None:
                put(("v128.const", _ALL))
            else:
                self.faults.first_lanes([count, self.get(self.place), ("i32.sub",)])
            if leaves:
                self.enter(made)
                put(("v128.and",))
            put(("local.set", values.locals(made.mask)[0]))
            if leaves:
                assert made.staying is not None
                staying = values.locals(made.staying)[0]
                put(("local.get", values.locals(made.mask)[0]), ("local.tee", staying), ("v128.any_true",))
                put(("i32.eqz",), ("br_if", self.code.depth - self._depth))
        self.control.trees(made.trees)
        put(("end",))
        self.at_end(made)
        if made.faults:
            self.code.argument("kind")
            put(("if", None), ("return",), ("end",))
        for node in made.variables:
            del values.variables[node]

    # Statements

    def _straight(self, piece: Piece) -> None:
        ends = any(isinstance(s, Under) and s.open for s in piece.statements)
        if ends:
            self.put(("block", None))  # which ends when no lane is left
            self.faults.block_end = self.code.depth
        self.addresses.piece(piece)
        self.effects.piece(piece)
        statements = piece.statements
        while statements:
            together = 0 if self.wide is None else self.wide.in_a_row(statements)
            if self.wide is not None and together:
                self.wide.assign(statements[:together])
            else:
                self._statement(statements[0])
            statements = statements[together or 1 :]
        if ends:
            self.put(("end",))

    def _statement(self, statement: Statement) -> None:
        if self.wide is not None:
            self.wide.active = statement.mask if isinstance(statement, Under) else None
        if not isinstance(statement, Under):
            with self.values.statement(*([v for _, v in statement.pairs] if isinstance(statement, Copies) else [])):
                self._plain(statement)
            return
        match statement.statement:
            case Assign(variable, value) if self.values.differs(variable):
                its = variable
                self.values.let(its, value, lambda part: self.values.keep(its, part, statement))
            case Copies(pairs):
                with self.values.statement(*(value for _, value in pairs)):
                    self._copies(pairs, statement)
            case Do(node, variable):
                self.effects.effect(node, variable, statement)
            case Count(at):
                self.steps.take(at, statement)
                if statement.open:
                    self.steps.look(statement, at)
            case other:
                self.statements.statement(other)

    def _plain(self, statement: Statement) -> None:
        """A statement of masks."""
        if isinstance(statement, Copies) and any(self.values.differs(variable) for variable, _ in statement.pairs):
            self._copies(statement.pairs, None)
        else:
            self.statements.statement(statement)

    def _copies(self, pairs: Sequence[tuple[Variable, Node]], under: Under | None) -> None:
        values, far = self.values, list[tuple[Variable, Node]]()
        if self.wide is not None:
            far = [pair for pair in pairs if is_wide(pair[0].ty)]
            pairs = [pair for pair in pairs if not is_wide(pair[0].ty)]
        for variable, value in pairs:
            if not self.values.differs(variable):
                values.value(value)
                continue
            for part in range(len(values.locals(variable))):
                values.part(value, part, None if variable.ty == PRED else values.kept_bits(variable))
                if under is not None:
                    self.values.keep(variable, part, under)
        if self.wide is not None:
            self.wide.copy(far, under)
        for variable, _ in reversed(pairs):
            for local in reversed(self.locals_of(variable)):
                self.put(("local.set", local))


def _is_of_part(value: Node) -> bool:
    """Whether a value differs between parts of a row."""
    found, work = set[Node](), [value]
    while work:
        node = work.pop()
        if node.op == "special" and node.attr in ENDS_OF_PART:
            return True
        if node not in found:
            found.add(node)
            work += node.args
    return False


def _effects(trees: list[Tree], given: dict[Node, bool]) -> Iterator[Node]:
    """What code does that goes the given ways."""
    for tree in trees:
        match tree:
            case Straight(piece):
                yield from (statement.node for statement in piece.statements if isinstance(statement, Do))
            case If(condition, then, otherwise):
                ways = given.get(condition)
                yield from _effects(then if ways is not False else [], given)
                yield from _effects(otherwise if not ways else [], given)
            case Labelled(_, body) | StructuredLoop(_, body):
                yield from _effects(body, given)
            case _:
                pass
