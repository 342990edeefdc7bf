"""When a kernel asks whether it is to go on: it imports `env.poll`, and calls it whenever it has used up its ticks.

A tick is about the time of an addition. Each round of a loop takes what its code costs from the ticks, which a kernel
has for all its lanes together, and so do the blocks. So it is the time between two calls that is bounded, however
loops are nested, and a loop needs a subtraction and a test (measured in bench: nothing to see).

`poll` answers in the field `cancel` of the argument block: above 0 the kernel ends, -n gives it n more ticks.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...compiler.fission import reachable
from ...compiler.ir import Node
from ...compiler.lower import LEAVES, Do, Let, Lowered, Piece, Run, Statement, values_of
from ...compiler.passes.costs import cost
from ...compiler.structure import If, Labelled, Loop, Straight, Tree
from ...errors import FaultKind
from ...isa.types import Type
from .encoder import FunctionBody, Instr, Module

__all__ = ["ARGUMENTS", "FAULT_KINDS", "FIRST_TICKS", "MOST_TICKS", "Polls"]

# The argument block: byte offset of each field. Status words first; `lane` and `base` say where a fault was, `offset`
# and `need` which bytes, `other` which coordinate or which other barrier.
ARGUMENTS = {
    "kind": 0, "at": 4, "base": 8, "lane": 12, "offset": 16, "cancel": 24, "other": 28,
    "grid": 32, "lanes": 44, "shared_size": 56, "shared": 60, "budget": 64, "spill": 72, "scratch": 76,
    "need": 80, "values": 88,
}  # fmt: skip
FAULT_KINDS = tuple(FaultKind)  # the status word holds the number in this order, plus 1

FIRST_TICKS = 1 << 20  # until the first call, and where `poll` does not say: a millisecond at most, but for slow memory
MOST_TICKS = 1 << 22  # that lanes may take between two places that look


class Polls:
    """Emits what takes ticks. The kernel (kernel.py) that inherits it holds the code and its locals."""

    module: Module
    lowered: Lowered

    def put(self, *code: Instr) -> None:
        """Appends instructions."""
        raise NotImplementedError

    def get(self, name: object, ty: str = "i32") -> Instr:
        """Reads a local by name."""
        raise NotImplementedError

    def set(self, name: object, ty: str = "i32") -> Instr:
        """Sets a local by name."""
        raise NotImplementedError

    def fault_routine(self) -> int:
        """A function that stores its operands into the status words."""
        raise NotImplementedError

    def _block_lanes(self) -> int:
        """Lanes of a block."""
        raise NotImplementedError

    def spend(self, ticks: Instr, at: int = -1) -> None:
        """Takes ticks, an i64; asks if there are none left. `at` is the instruction that is told if that is the end."""
        put, left = self.put, self.get("ticks", "i64")
        put(left, ticks, ("i64.sub",), self.set("ticks", "i64"), left, ("i64.const", 0), ("i64.lt_s",), ("if", None))
        put(("local.get", 0), ("i32.const", at), ("call", self._look_routine()), self.set("ticks", "i64"))
        put(left, ("i64.const", 0), ("i64.lt_s",), ("if", None), ("return",), ("end",), ("end",))

    def _look_routine(self) -> int:
        """A function that calls `poll`. It gives the ticks, or -1 with the status words of Cancelled."""
        if "look" not in self.module.numbers:
            body = FunctionBody("look", ("i32", "i32"), ("i64",), names={0: "arguments", 1: "at"})
            answer = body.local("i32", "answer")
            body.code += [("call", self.module.numbers["poll"])]
            body.code += [("local.get", 0), ("i32.load", 2, ARGUMENTS["cancel"]), ("local.tee", answer)]
            body.code += [("i32.const", 0), ("i32.gt_s",), ("if", None)]
            number = FAULT_KINDS.index(FaultKind.CANCELLED) + 1
            body.code += [("local.get", 0), ("i32.const", number), ("local.get", 1), ("i32.const", -1)]
            body.code += [("i32.const", -1), ("i32.const", 0), ("i64.const", 0), ("i64.const", 0)]
            body.code += [("call", self.fault_routine()), ("i64.const", -1), ("return",), ("end",)]
            body.code += [("i64.const", 0), ("local.get", answer), ("i64.extend_i32_s",), ("i64.sub",)]
            body.code += [("i64.const", FIRST_TICKS), ("local.get", answer), ("select",)]
            self.module.add(body)
        return self.module.numbers["look"]

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
                case Loop():
                    total += 1
        return total

    def lanes_cost(self, pieces: Iterable[Piece]) -> int:
        """Of pieces that each lane of a block goes through once."""
        return self._block_lanes() * sum(1 + sum(map(self._statement_cost, piece.statements)) for piece in pieces)

    def _statement_cost(self, statement: Statement) -> int:
        own = 0
        match statement:
            case Run():
                return self.lanes_cost(reachable([statement.entry], lambda piece: piece.ways))
            case Let(_, node) | Do(node, _):
                own = _own_cost(node)
        return own + sum(map(self._value_cost, values_of(statement)))

    def _value_cost(self, node: Node) -> int:
        """Of a value where it is used: nothing, if a variable holds it."""
        if node in self.lowered.variables or node.op in LEAVES:
            return 0
        return _own_cost(node) + sum(map(self._value_cost, node.args))


def _own_cost(node: Node) -> int:
    """Integers of a kilobyte take a kilobyte's time, at least."""
    wide = isinstance(node.ty, Type) and node.ty.is_wide
    return cost(node) * (node.ty.size_bytes // 8 if wide and isinstance(node.ty, Type) else 1)
