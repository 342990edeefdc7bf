"""The steps of the lanes of a packet, which each lane has so many of.

No lane takes more of them than its packet spends ticks, so that looking at the counts when ticks are used up is enough,
if lanes have as many steps: `counts` are those since the last look, `spent` those before. That is done outside of the
loop, like polls.
"""

from __future__ import annotations

from ...compiler.ir import PRED, Node
from ...compiler.out_of_ssa import Count, Under
from ...compiler.packets import Straightened
from ...compiler.structure import StructuredLoop
from ...errors import FaultKind
from ...isa.types import Type
from .code import Code
from .encoder import FunctionBody, Instr
from .packet_faults import MASKS, PacketFaults
from .vectors import Vectors
from .wholes import lanes_of

__all__ = ["PacketSteps"]

_LONG = Type.I64


class PacketSteps:
    """Writes what counts steps."""

    def __init__(self, code: Code, values: Vectors, faults: PacketFaults) -> None:
        self.code, self.values, self.faults = code, values, faults
        self.put, self.get, self.set, self.named = code.put, code.get, code.set, code.named
        self.width, self.forms = values.width, values.forms
        self.several = False  # whether steps of several instructions are counted
        self.counts = True  # in what is written now

    def take(self, at: int, under: Under) -> None:
        """Counts a step of the lanes that go back."""
        assert under.mask is not None
        for part, local in enumerate(self._locals()[0]):  # a mask is -1
            self.put(("local.get", local))
            self.values.mask(under.mask, 32, part)
            self.put(("i32x4.sub",), ("local.set", local))
        if self.several:
            self.put(("i32.const", at), self.set("step_at"))

    def after_look(self, tree: StructuredLoop) -> None:
        values = self.values
        looks = [s for s in tree.latches[-1].statements if isinstance(s, Under) and isinstance(s.statement, Count)]
        if not self.counts or not (self.code.has_budget if self.code.plan is None else self.code.lanes_step):
            return
        if not looks:
            with values.statement(), values.temporary("v128") as over:
                self._look_at_counts(None, over)
            return
        under = looks[0]
        assert isinstance(under.statement, Count)
        self.faults.block_end = self.code.depth - 1  # that of the loop
        self.look(under, self.get("step_at") if self.several else under.statement.at)

    def look(self, under: Under, at: int | Instr) -> None:
        """Ends the lanes that have used up their steps."""
        with self.values.statement(), self.values.temporary("v128") as over:
            self._look_at_counts(under.mask, over)
            bad = Node("mask", PRED)
            self.values.held[bad] = [over]
            self.faults.drop(bad, under, FaultKind.STEP_LIMIT, at)
            del self.values.held[bad]

    def _look_at_counts(self, mask: Node | None, over: int) -> None:
        """Adds counts up, has ticks for no more steps than lanes have, and finds those of the mask that have none."""
        put, values = self.put, self.values
        counts, spent = self._locals()
        put(self.get("own_budget", "i64"), *(("local.get", local) for local in (*counts, *spent)))
        values.mask(mask if mask is not None else Node("const", PRED, (), 0), 128 // self.width, 0)
        put(self.get("ticks", "i64"), ("call", self._steps_routine()), ("local.set", over))
        put(*(("local.set", local) for local in reversed(spent)), self.set("ticks", "i64"))
        put(*(code for local in counts for code in (("v128.const", bytes(16)), ("local.set", local))))

    def _locals(self) -> tuple[list[int], list[int]]:
        short, long = self.values.parts(Type.U32), self.values.parts(_LONG)
        return [self.named(("counts", n), "v128") for n in range(short)], [
            self.named(("spent", n), "v128") for n in range(long)
        ]

    def fresh(self) -> None:
        if self.code.has_budget and self.counts:
            self.code.argument("budget", 0, "i64")
            self.put(self.set("own_budget", "i64"))
            for local in self._locals()[1]:
                self.put(("v128.const", bytes(16)), ("local.set", local))
            self._begin_counts()
            # What the routine would find where nothing is spent: with it a search took 1.2 times as long.
            ticks, budget, one = self.get("ticks", "i64"), self.get("own_budget", "i64"), ("i64.const", 1)
            self.put(budget, one, ("i64.sub",), ticks, budget, one, ("i64.sub",), ticks, ("i64.lt_u",), ("select",))
            self.put(self.set("ticks", "i64"))

    def _begin_counts(self) -> None:
        steps = {s.at for piece in self.code.lowered.pieces for s in piece.statements if isinstance(s, Count)}
        self.several = len(steps) > 1
        for local in self._locals()[0]:
            self.put(("v128.const", bytes(16)), ("local.set", local))

    def resume(self) -> None:
        """What lanes of a block have spent before, each by itself; the block's own steps are `taken`."""
        self.code.argument("budget", 0, "i64")
        self.put(self.get("taken", "i64"), ("i64.sub",), self.set("own_budget", "i64"))
        for part, local in enumerate(self._locals()[1]):
            self.put(self.get("spill"), self.get("kept"), ("i32.const", 8), ("i32.mul",), ("i32.add",))
            self.put(("v128.load", 2, self.code.budget_slot * self.code.padded + 16 * part), ("local.set", local))
        self._begin_counts()
        with self.values.temporary("v128") as over:
            self._look_at_counts(None, over)

    def keep(self, made: Straightened) -> None:
        """Keeps what lanes have spent; `least` and `least_lane` are what is left to the first lane that has least."""
        put, spent = self.put, self._locals()[1]
        self.keep_spent()
        staying = made.staying if made.staying is not None else made.mask
        with self.values.temporary("i32") as bits, self.values.temporary("i64") as left:
            if staying is None:
                put(("i32.const", -1), ("local.set", bits))
            else:
                put(("local.get", self.values.locals(staying)[0]))
                put((f"{lanes_of(MASKS[self.width])}.bitmask",), ("local.set", bits))
            for lane in range(self.width):
                self.code.argument("budget", 0, "i64")
                put(("local.get", spent[lane // 2]), ("i64x2.extract_lane", lane % 2), ("i64.sub",))
                put(("local.tee", left), self.get("least", "i64"), ("i64.lt_s",))
                put(("local.get", bits), ("i32.const", lane), ("i32.shr_u",), ("i32.and",), ("if", None))
                put(("local.get", left), self.set("least", "i64"))
                put(self.get("lane"), ("i32.const", lane), ("i32.add",), self.set("least_lane"), ("end",))

    def keep_spent(self) -> None:
        with self.values.temporary("v128") as over:
            self._look_at_counts(None, over)
        for part, local in enumerate(self._locals()[1]):
            self.put(self.get("spill"), self.get("kept"), ("i32.const", 8), ("i32.mul",), ("i32.add",))
            self.put(("local.get", local), ("v128.store", 2, self.code.budget_slot * self.code.padded + 16 * part))

    def _steps_routine(self) -> int:
        """steps(budget, counts, spent, mask, ticks): ticks, all that was spent, and who has no step left.

        Until the next look no lane can use up its steps: each takes a tick at least.
        """
        name = f"steps{self.width}"
        if name not in self.code.module.numbers:
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
            over = Vectors(
                body, {}, lambda node: None, self.values.routines, self.values.ranges, self.forms, self.width
            )

            def spent(part: int) -> None:
                put([("local.get", 1 + short + part), ("local.get", budget), ("i64x2.splat",), ("i64x2.ge_s",)])

            over.resized(spent, 64, 128 // self.width, 0)
            put([("local.get", 1 + short + long), ("v128.and",)])
            self.code.module.add(body)
        return self.code.module.numbers[name]
