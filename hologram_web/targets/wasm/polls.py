"""When a kernel asks whether it is to go on: it imports `env.poll`, and calls it when it has used up its ticks.

A tick is about the time of an addition. A kernel has its ticks for all lanes and loops together, so that it is the time
between two calls that is bounded, however loops are nested. A loop takes what a round costs when it goes back, and
looks whether there are any left; so do blocks, and lanes that are long.

`poll` answers in the field `cancel` of the argument block: above 0 the kernel ends, -n gives it n more ticks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...compiler.fission import Fission, reachable
from ...compiler.ir import Node
from ...compiler.operations import LEAVES
from ...compiler.out_of_ssa import (
    Assign,
    Copies,
    Do,
    Lowered,
    ParallelRegion,
    Piece,
    Statement,
    Under,
    Variable,
    values_of,
)
from ...compiler.passes.costs import cost
from ...compiler.structure import If, Labelled, Straight, StructuredLoop, Tree
from ...errors import FaultKind
from ...isa.types import Type
from .encoder import FunctionBody, Instr, Module
from .values import Values
from .wide import is_wide

__all__ = ["ARGUMENTS", "FAULT_KINDS", "FIRST_TICKS", "MOST_TICKS", "Polls"]

# The argument block: byte offset of each field. Status words first; `lane` and `base` say where a fault was, `offset`
# and `need` which bytes, `other` which coordinate or which other barrier. Until then that word is `alone`: whether no
# other call uses the memory meanwhile, so that atomics are loads and stores (a histogram of 64 Ki took 55 us, and 336
# by atomic instructions).
ARGUMENTS = {
    "kind": 0, "at": 4, "base": 8, "lane": 12, "offset": 16, "cancel": 24, "other": 28, "alone": 28,
    "grid": 32, "lanes": 44, "shared_size": 56, "shared": 60, "budget": 64, "spill": 72, "scratch": 76,
    "need": 80, "values": 88,
}  # fmt: skip
FAULT_KINDS = tuple(FaultKind)  # the status word holds the number in this order, plus 1

FIRST_TICKS = 1 << 20  # until the first call, and where `poll` does not say: a millisecond at most, but for slow memory
MOST_TICKS = 1 << 22  # that lanes may take between two places that look


class Polls:
    """Emits what takes ticks. The kernel (kernel.py) that inherits it holds the code and its locals."""

    module: Module
    body: FunctionBody
    values: Values
    lowered: Lowered
    depth: int
    labels: dict[int, int]
    plan: Fission | None
    run_: ParallelRegion | None
    late: dict[int, tuple[int, Instr]]  # by label of a loop: the block to leave for the look, and what a round costs

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

    def _trees(self, trees: list[Tree]) -> None:
        """Emits code of a lane."""
        for tree in trees:
            self._tree(tree)

    def _tree(self, tree: Tree) -> None:
        raise NotImplementedError

    def _statement(self, statement: Statement) -> None:
        raise NotImplementedError

    def _block_lanes(self) -> int:
        """Lanes of a block."""
        raise NotImplementedError

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
        kinds = tuple(self.body.kind(local) for local in carried)
        put(("local.get", 0), ("i32.const", at), *(("local.get", local) for local in carried))
        put(("call", self._look_routine(kinds)))
        put(*(("local.set", local) for local in reversed(carried)), ticks)
        put(self.get("ticks", "i64"), ("i64.const", 0), ("i64.lt_s",), ("if", None), ("return",), ("end",))

    def _look_routine(self, kinds: tuple[str, ...]) -> int:
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
            body.code += [("call", self.fault_routine()), ("end",), ("local.get", ticks)]
            body.code += [("local.get", 2 + place) for place in range(len(kinds))]
            self.module.add(body)
        return self.module.numbers[name]

    # Loops

    def loop(self, tree: StructuredLoop) -> None:
        """A loop of a block or of a lane."""
        put, at = self.put, tree.latches[0].at
        cost: Instr = ("i64.const", self.round_cost(tree.body))
        if self.plan is not None and self.run_ is None:
            # Of a block, with loops over lanes in it: there what is in registers goes to memory anyway.
            put(("loop", None))
            self.spend(cost, at)
            self._body(tree)
            put(("end",))
            return
        # The call is outside of the loop. Inside, all that is in registers would be saved and loaded each round, since
        # no register outlives a call (measured: Mandelbrot took 1.6 times as long).
        put(("block", None), ("loop", None), ("block", None))
        self.late[tree.label] = self.depth, cost
        put(("loop", None))
        self._body(tree)
        del self.late[tree.label]  # the label may come again elsewhere
        put(("end",), ("br", 2), ("end",))
        self.look(at, [local for v in _carried(tree) if not is_wide(v.ty) for local in self._locals_of(v)])
        self._after_look(tree)
        put(("br", 0), ("end",), ("end",))

    def _after_look(self, tree: StructuredLoop) -> None:
        """What else a loop does when it asks for ticks."""

    def _locals_of(self, variable: Variable) -> list[int]:
        return [self.values.local(variable)]

    def _body(self, tree: StructuredLoop) -> None:
        self.labels[tree.label] = self.depth
        self._trees(tree.body)

    def before_branch(self, label: int) -> None:
        """Takes the ticks of a round where a loop goes back; leaves the loop to ask for more."""
        if label in self.late:
            depth, cost = self.late[label]
            self.put(self.get("ticks", "i64"), cost, ("i64.sub",), ("local.tee", self.set("ticks", "i64")[1]))
            self.put(("i64.const", 0), ("i64.lt_s",), ("br_if", self.depth - depth))

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
        return self._block_lanes() * sum(1 + sum(map(self._statement_cost, piece.statements)) for piece in pieces)

    def _statement_cost(self, statement: Statement) -> int:
        own = 0
        match statement:
            case Under(inner):
                return self._statement_cost(inner)
            case ParallelRegion():
                return self.lanes_cost(reachable([statement.entry], lambda piece: piece.ways))
            case Assign(_, node) | Do(node, _):
                own = _own_cost(node)
        return own + sum(map(self._value_cost, values_of(statement)))

    def _value_cost(self, node: Node) -> int:
        """Of a value where it is used: nothing, if a variable holds it."""
        if node in self.lowered.variables or node.op in LEAVES:
            return 0
        return _own_cost(node) + sum(map(self._value_cost, node.args))


def _carried(tree: StructuredLoop) -> list[Variable]:
    """The variables that a loop sets on its way back."""
    copies = [s for piece in tree.latches for s in piece.statements if isinstance(s, Copies)]
    return list(dict.fromkeys(variable for one in copies for variable, _ in one.pairs))


def _own_cost(node: Node) -> int:
    """Integers of a kilobyte take a kilobyte's time, at least."""
    return cost(node) * (node.ty.size_bytes // 8 if isinstance(node.ty, Type) and node.ty.is_wide else 1)
