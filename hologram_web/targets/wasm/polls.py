"""When a kernel asks whether it is to go on: it imports `env.poll`, and calls it when it has used up its ticks.

A tick is about the time of an addition. A kernel has its ticks for all lanes and loops together, so that it is the time
between two calls that is bounded, however loops are nested. A loop takes what a round costs when it goes back, and
looks whether there are any left; so do blocks, and lanes that are long.

`poll` answers in the field `cancel` of the argument block: above 0 the kernel ends, -n gives it n more ticks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...compiler.fission import reachable
from ...compiler.ir import Node
from ...compiler.operations import LEAVES
from ...compiler.out_of_ssa import Assign, Count, Do, ParallelRegion, Piece, Statement, Under, values_of
from ...compiler.passes.costs import cost
from ...compiler.structure import If, Labelled, Straight, StructuredLoop, Tree
from ...errors import FaultKind
from ...isa.types import Type
from .code import ARGUMENTS, FAULT_KINDS, Code
from .encoder import FunctionBody, Instr

__all__ = ["FIRST_TICKS", "MOST_TICKS", "Polls"]

FIRST_TICKS = 1 << 20  # until the first call, and where `poll` does not say: a millisecond at most, but for slow memory
MOST_TICKS = 1 << 22  # that lanes may take between two places that look


class Polls:
    """Writes what takes ticks, and says how many."""

    def __init__(self, code: Code) -> None:
        self.code, self.lowered, self.module = code, code.lowered, code.module
        self.put, self.get, self.set = code.put, code.get, code.set
        self._costs: dict[Node, int] = {}

    def spend(self, ticks: Instr, at: int = -1) -> None:
        """Takes ticks, an i64; asks if there are none left. `at` is the instruction that is told if that is the end."""
        put, left = self.put, self.get("ticks", "i64")
        put(left, ticks, ("i64.sub",), self.set("ticks", "i64"), left, ("i64.const", 0), ("i64.lt_s",), ("if", None))
        self.look(at)
        put(("end",))

    def look(self, at: int, carried: Sequence[int] = ()) -> None:
        """Asks for ticks, and leaves the kernel if there are none.

        Locals that are `carried` go through the call and come back: so none of their values lives during it, and what
        calls do to registers does not reach the loop that sets them.
        """
        put, ticks = self.put, self.set("ticks", "i64")
        kinds = tuple(self.code.body.kind(local) for local in carried)
        put(("local.get", 0), ("i32.const", at), *(("local.get", local) for local in carried))
        put(("call", self.look_routine(kinds)))
        put(*(("local.set", local) for local in reversed(carried)), ticks)
        put(self.get("ticks", "i64"), ("i64.const", 0), ("i64.lt_s",), ("if", None), ("return",), ("end",))

    def look_routine(self, kinds: tuple[str, ...]) -> int:
        """A function that calls `poll`. It gives the ticks, or -1 with the status words of Cancelled; and its other
        arguments, of these kinds, as they are."""
        name = "_".join(["look", *kinds])
        if name not in self.module.numbers:
            body = FunctionBody(name, ("i32", "i32", *kinds), ("i64", *kinds), names={0: "arguments", 1: "at"})
            answer, ticks = body.local("i32", "answer"), body.local("i64", "ticks")
            body.code += [("call", self.module.numbers["poll"])]
            body.code += [("i64.const", 0), ("local.get", 0), ("i32.load", 2, ARGUMENTS["cancel"])]
            body.code += [("local.tee", answer), ("i64.extend_i32_s",), ("i64.sub",), ("i64.const", FIRST_TICKS)]
            body.code += [("local.get", answer), ("select",), ("local.set", ticks)]
            body.code += [("local.get", answer), ("i32.const", 0), ("i32.gt_s",), ("if", None)]
            number = FAULT_KINDS.index(FaultKind.CANCELLED) + 1
            body.code += [("local.get", 0), ("i32.const", number), ("local.get", 1), ("i32.const", -1)]
            body.code += [("i32.const", -1), ("i32.const", 0), ("i64.const", 0), ("i64.const", 0)]
            body.code += [("call", self.code.fault_routine()), ("end",), ("local.get", ticks)]
            body.code += [("local.get", 2 + place) for place in range(len(kinds))]
            self.module.add(body)
        return self.module.numbers[name]

    # What code costs, in ticks

    def round_cost(self, trees: Iterable[Tree]) -> int:
        """Of code that is gone through once. Loops in it take their ticks themselves."""
        total = 1
        for tree in trees:
            match tree:
                case Straight(piece):
                    total += sum(map(self._statement_cost, piece.statements))
                case If(condition, then, otherwise):
                    total += self._value_cost(condition) + self.round_cost(then) + self.round_cost(otherwise)
                case Labelled(_, body):
                    total += self.round_cost(body)
                case StructuredLoop():
                    total += 1
        return total

    def lanes_cost(self, pieces: Iterable[Piece]) -> int:
        """Of pieces that each lane of a block goes through once."""
        return self.code.lanes * sum(1 + sum(map(self._statement_cost, piece.statements)) for piece in pieces)

    def _statement_cost(self, statement: Statement) -> int:
        own = 0
        match statement:
            case Under(inner):
                return self._statement_cost(inner)
            case ParallelRegion():
                return self.lanes_cost(reachable([statement.entry], lambda piece: piece.ways))
            case Assign(_, node) | Do(node, _):
                own = _own_cost(node)
            case Count():  # a round has no fewer ticks than steps: packets count on that
                own = 1
        return own + sum(map(self._value_cost, values_of(statement)))

    def _value_cost(self, node: Node) -> int:
        """Of a value where it is used: nothing, if a variable holds it."""
        if node in self.lowered.variables or node.op in LEAVES:
            return 0
        if node not in self._costs:
            self._costs[node] = _own_cost(node) + sum(map(self._value_cost, node.args))
        return self._costs[node]


def _own_cost(node: Node) -> int:
    """Integers of a kilobyte take a kilobyte's time, at least."""
    return cost(node) * (node.ty.size_bytes // 8 if isinstance(node.ty, Type) and node.ty.is_wide else 1)
