"""Loops over lanes, one after the other.

The loop over the lanes of a block is written twice where that leaves checks out, does several lanes a round where these
are short, and is one copy where lanes move a row to shared memory or back.
"""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.accesses import Check, checks_of
from ...compiler.out_of_ssa import Count, Do, Piece
from ...compiler.structure import Stop, Straight, Tree
from ...compiler.windows import LaneWindow
from ...errors import FaultKind
from .blocks import Blocks, moved_row
from .code import Code
from .effects import Effects
from .polls import MOST_TICKS, Polls
from .trees import ScalarStatements, Trees
from .values import Values

__all__ = ["MAX_CONDITIONS", "MAX_TWICE", "Lanes"]

MAX_TWICE = 400  # statements of a loop over lanes that is written twice, without checks and with
MAX_CONDITIONS = 256  # a convolution with a bias, and two images in what is computed of it, has 131
_UNROLLED = 4  # lanes a round of a loop over lanes
_MAX_UNROLLED = 16  # statements of a lane


class Lanes:
    """Writes loops over the lanes that are on. `at_end` writes what a lane does at the end of its code."""

    def __init__(
        self, code: Code, values: Values, statements: ScalarStatements, effects: Effects, polls: Polls, blocks: Blocks
    ) -> None:
        self.code, self.values, self.statements, self.effects = code, values, statements, effects
        self.polls, self.blocks = polls, blocks
        self.put, self.get, self.set, self.named = code.put, code.get, code.set, code.named
        self.control = Trees(code, values, polls, self._straight, self._stop)
        self.at_end: Callable[[Piece], None] = lambda piece: None
        self._depth = 0  # of the block around a lane
        self._unchecked = False  # whether all accesses of the loop over lanes are proven

    def fresh(self) -> None:
        """What a lane begins with."""
        if self.code.has_budget:
            self.code.argument("budget", 0, "i64")
            self.put(self.set("budget", "i64"))
        self.blocks.clear_own()

    def leave(self, how: str = "br") -> None:
        """Ends the lane."""
        self.put((how, self.code.depth - self._depth))

    def both_ways(
        self, pieces: list[Piece], trees: list[Tree], before: Callable[[], None], some: LaneWindow | None = None,
        bare: bool = False,
    ) -> None:  # fmt: skip
        """A loop over lanes twice: without checks of what the block proves to be in bounds, and with all. Lanes that
        are `bare` have nothing but their code."""
        put, effects, repeated = self.put, self.effects, self.code.repeated
        statements = [s for piece in pieces for s in piece.statements]
        nodes = [s.node for s in statements if isinstance(s, Do)]
        few = len(statements) < MAX_TWICE
        conditions, proven = self.code.bounds.prove(nodes, repeated) if few else ([], set[Check]())
        if not proven or len(conditions) > MAX_CONDITIONS:
            self.once(trees, before, some)
            return
        self.values.all_hold(conditions)
        put(("if", None))
        effects.proven = repeated | proven
        self._unchecked = all(check in effects.proven for node in nodes for check in checks_of(node) or [node])
        self.once(trees, before, some, bare)
        effects.proven, self._unchecked = repeated, False
        put(("else",))
        self.once(trees, before, some)
        put(("end",))

    def once(
        self, trees: list[Tree], before: Callable[[], None], some: LaneWindow | None = None, bare: bool = False
    ) -> None:
        """A loop over the lanes that are on, and in the window; each does what `before` writes, then the trees."""
        put, code, effects = self.put, self.code, self.effects
        flat = code.flat
        count = ("local.get", self.named(("on", 0))) if flat else ("i32.const", code.lanes)
        put(("i32.const", 0), self.set("lane"))
        if some is not None:
            count = self.blocks.enter_window(some)
        lane_cost = self.polls.round_cost(trees)

        def lane() -> None:
            put(("block", None))
            self._depth = code.depth
            self._coordinates()
            before()
            if lane_cost * code.lanes > MOST_TICKS:
                self.polls.spend(("i64.const", lane_cost))
            self.control.trees(trees)
            put(("end",), self.get("lane"), ("i32.const", 1), ("i32.add",), self.set("lane"))

        moved = moved_row(code, trees) if flat and bare and self._unchecked else None
        if moved is not None:
            self.blocks.move(self.effects, *moved, count)
            put(("block", None))
        elif flat and self._unchecked and not code.lanes_leave and _is_short(trees):
            # Several lanes a round, whose addresses differ by constants (a copy to shared memory: 2.4 times as fast).
            # All of them are on: it is the first that computes the addresses.
            more = [self.get("lane"), ("i32.const", _UNROLLED - 1), ("i32.add",), count, ("i32.lt_s",)]
            put(*more, ("if", None), ("loop", None))
            for effects.copy in range(_UNROLLED):
                lane()
            effects.copy = None
            effects.rows.clear()
            put(*more, ("br_if", 0), ("end",), ("end",), self.get("lane"), count, ("i32.lt_s",), ("if", None))
        else:
            put(("block", None))
        if moved is None:
            put(("loop", None))
            lane()
            put(self.get("lane"), count, ("i32.lt_s",), ("br_if", 0), ("end",))
        put(("end",))
        if some is not None:
            put(("end",))

    def _coordinates(self) -> None:
        """Lane coordinates; lanes that are off go on to the next."""
        put = self.put
        x, y, _ = self.code.function.block_shape
        if self.code.flat:
            return
        put(self.get("lane"), ("i32.const", x), ("i32.rem_u",), self.set("LANE_IDX_X"))
        put(self.get("lane"), ("i32.const", x), ("i32.div_u",), ("i32.const", y), ("i32.rem_u",))
        put(self.set("LANE_IDX_Y"))
        put(self.get("lane"), ("i32.const", x * y), ("i32.div_u",), self.set("LANE_IDX_Z"))
        for axis, name in enumerate("XYZ"):
            put(self.get(f"LANE_IDX_{name}"), ("local.get", self.named(("on", axis))), ("i32.ge_s",))
            self.leave("br_if")

    # Code of a lane

    def _straight(self, piece: Piece) -> None:
        for statement in piece.statements:
            if isinstance(statement, Count):
                self._step(statement.at)
            else:
                self.statements.statement(statement)

    def _step(self, at: int) -> None:
        """Takes a step from the budget of the lane."""
        budget = self.named("budget", "i64")
        self.put(("local.get", budget), ("i64.const", 1), ("i64.sub",), ("local.tee", budget))
        self.put(("i64.eqz",), ("if", None))
        self.effects.fault(FaultKind.STEP_LIMIT, at)
        self.put(("end",))

    def _stop(self, piece: Piece) -> None:
        self.at_end(piece)
        self.leave()


def _is_short(trees: list[Tree]) -> bool:
    """Whether lanes do a few things without branches."""
    pieces = [tree.piece for tree in trees if isinstance(tree, Straight)]
    straight = all(isinstance(tree, Straight | Stop) for tree in trees)
    return straight and sum(len(piece.statements) for piece in pieces) <= _MAX_UNROLLED
