"""Packets whose lanes may stop at different barriers, for all that is known: each lane keeps which one it stopped at.

A segment is what lanes do from a barrier on, or from the start, up to the next one. A round has the segments behind the
barrier that all lanes stopped at, each for the packets of lanes that are there. What lanes have across any barrier is
loaded whole and stored whole; lanes that are not in a segment keep theirs.
"""

from __future__ import annotations

from ...compiler.out_of_ssa import Variable
from ...compiler.packets import Stops, Straightened
from ...compiler.structure import structure
from ...errors import FaultKind
from .code import Code
from .effects import Effects
from .packet_runs import PacketRuns
from .packet_steps import PacketSteps
from .packets import Packets
from .polls import Polls
from .vectors import Vectors

__all__ = ["PacketSegments"]

_STOPPED = 0x10000  # of what a lane keeps: it did in this round, so that no later segment of the round takes it up
_EXITED = 0xFFFF


class PacketSegments(PacketRuns):
    """Writes blocks. The spill memory starts with a word of each lane: the number of the barrier it stopped at, from 1
    on in their order; 0 at the start, or _EXITED. `stop` is the instruction of the barrier of this round."""

    def __init__(
        self, code: Code, values: Vectors, steps: PacketSteps, packets: Packets, effects: Effects, polls: Polls
    ) -> None:
        super().__init__(code, values, steps, packets)
        self.effects, self.polls, self.kept = effects, polls, list[Variable](code.slots)
        self.barriers = [piece for piece in code.lowered.pieces if piece.kind == "barrier"]
        numbers = {piece.number: number for number, piece in enumerate(self.barriers, 1)}
        packets.stops = Stops({piece: number | _STOPPED for piece, number in numbers.items()}, _EXITED)
        packets.enter = self._enter
        self._number = 0

    def block(self) -> None:
        """Runs segment after segment for all lanes until every lane has ended."""
        put, code = self.put, self.code
        put(self.get("spill"), ("i32.const", 0), ("i32.const", code.padded * code.room), ("memory.fill", 0))
        put(("i32.const", -1), self.set("current"), ("block", None), ("loop", None))
        depth = code.depth
        put(("i32.const", -1), self.set("stop"), ("i32.const", 0), self.set("first word"))
        self.polls.spend(("i64.const", self.polls.lanes_cost(code.lowered.pieces)))
        starts = [(-1, code.lowered.resumes[0]), *((piece.at, piece.ways[0]) for piece in self.barriers)]
        for self._number, (at, start) in enumerate(starts):
            put(self.get("current"), ("i32.const", at), ("i32.eq",), ("if", None))
            self.packets.both_ways([], structure(start), self._resume, once=True)
            put(("end",))
        with self.values.temporary("i32") as word:  # lanes have stopped, and none of them in the next round
            end = ("i32.const", 4 * code.padded)
            put(("i32.const", 0), ("local.set", word), ("loop", None))
            put(self.get("spill"), ("local.get", word), ("i32.add",), ("local.tee", code.named("kept")))
            put(self.get("kept"), ("v128.load", 2, 0), ("i32.const", _STOPPED - 1), ("i32x4.splat",), ("v128.and",))
            put(("v128.store", 2, 0), ("local.get", word), ("i32.const", 16), ("i32.add",), ("local.tee", word))
            put(end, ("i32.lt_s",), ("br_if", 0), ("end",))
        put(self.get("stop"), ("local.tee", code.named("current")), ("i32.const", -1), ("i32.eq",))
        put(("br_if", code.depth - depth + 1), ("br", code.depth - depth), ("end",), ("end",))

    def _resume(self) -> None:
        self._find_own()
        if self.code.has_budget:
            self.steps.resume()
        self._load(self.kept)

    def _word(self) -> None:
        """Pushes the address of the words of a packet."""
        self.put(self.get("spill"), self.get("kept"), ("i32.const", 4), ("i32.mul",), ("i32.add",))

    def _enter(self, made: Straightened) -> None:
        """Pushes the mask of the lanes that are at this segment."""
        assert made.stopped is not None
        words = self.values.locals(made.stopped)
        for part, local in enumerate(words):
            self._word()
            self.put(("v128.load", 2, 16 * part), ("local.set", local))

        def here(part: int) -> None:
            self.put(("local.get", words[part]), ("i32.const", self._number), ("i32x4.splat",), ("i32x4.eq",))

        self.values.resized(here, 32, 128 // self.width, 0)

    def _end(self, made: Straightened) -> None:
        """What lanes keep; and a fault of the first that stopped at another barrier than those before it, if none
        before it has ended with one."""
        put, code = self.put, self.code
        assert made.stopped is not None
        self._store(self.kept)
        if code.has_budget:
            self.steps.keep_spent()
        first = self.get("first word")  # of the first lane that stopped in this round: most have the same
        for part, local in enumerate(self.values.locals(made.stopped)):
            self._word()
            put(("local.get", local), ("v128.store", 2, 16 * part))
            put(("local.get", local), first, ("i32x4.splat",), ("i32x4.ne",), ("local.get", local))
            put(("i32.const", _STOPPED), ("i32x4.splat",), ("v128.and",), ("i32.const", 0), ("i32x4.splat",))
            put(("i32x4.ne",), ("v128.and",), *([("v128.or",)] if part else []))
        put(("v128.any_true",), ("if", None))
        self._look(made)
        put(("end",))

    def _look(self, made: Straightened) -> None:
        """Looks at each lane that stopped."""
        put, code = self.put, self.code
        temporary = self.values.temporary
        with temporary("i32") as at, temporary("i32") as first, temporary("i32") as word:
            last = code.named("last")
            put(self.get("lane"), ("local.tee", first), ("i32.const", self.width), ("i32.add",), ("local.set", last))
            if made.faults:  # of a lane of this packet, who is the last that counts
                code.argument("kind")
                put(("if", None))
                code.argument("lane")
                put(self.get("first"), ("i32.sub",), ("local.set", last), ("end",))
            put(("block", None), ("loop", None), self.get("lane"), ("local.get", last), ("i32.ge_s",), ("br_if", 1))
            self._word()
            put(self.get("lane"), ("local.get", first), ("i32.sub",), ("i32.const", 4), ("i32.mul",), ("i32.add",))
            put(("i32.load", 2, 0), ("local.tee", at), ("local.tee", word))
            put(("i32.const", _STOPPED), ("i32.and",), ("if", None))
            for number, piece in enumerate(self.barriers, 1):
                put(("i32.const", piece.at), ("local.get", at))
                put(("local.get", at), ("i32.const", number | _STOPPED), ("i32.eq",), ("select",), ("local.set", at))
            put(self.get("stop"), ("i32.const", -1), ("i32.eq",), ("if", None))
            put(("local.get", word), self.set("first word"))
            put(("local.get", at), self.set("stop"), self.get("lane"), self.set("stop_lane"), ("else",))
            put(self.get("stop"), ("local.get", at), ("i32.ne",), ("if", None))
            with self.values.temporary("i64") as other:
                put(self.get("first"), self.get("stop_lane"), ("i32.add",), ("i64.extend_i32_u",), ("local.set", other))
                stop = self.get("stop")
                kind = FaultKind.DIVERGENT_BARRIER
                self.effects.fault(kind, ("local.get", at), None, ("local.get", other), other=stop)
            put(("end",), ("end",), ("end",))
            put(self.get("lane"), ("i32.const", 1), ("i32.add",), self.set("lane"), ("br", 0), ("end",), ("end",))
            put(("local.get", first), self.set("lane"))
