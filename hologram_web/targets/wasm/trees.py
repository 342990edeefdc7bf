"""Structured code of a lane, of a packet or of a block, and the statements of what is a number."""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.ir import Node
from ...compiler.out_of_ssa import Assign, Copies, Do, Go, Meet, Piece, Statement, Variable, spill_size
from ...compiler.structure import If, Labelled, Stop, Straight, StructuredBranch, StructuredLoop, Tree
from .addresses import Addresses
from .code import Code
from .effects import Effects
from .encoder import Instr
from .polls import Polls
from .values import Values
from .wide import Wide, is_wide

__all__ = ["ScalarStatements", "Trees"]


class Trees:
    """Writes trees. `straight` writes the statements of a piece, `stop` what ends a lane, or the block whose own code
    this is if it is `in_block`.

    Loops of lanes ask `locals_of` for those of a variable, and write `after_look` where they have asked for ticks.
    """

    def __init__(
        self,
        code: Code,
        values: Values,
        polls: Polls,
        straight: Callable[[Piece], None],
        stop: Callable[[Piece], None],
        in_block: bool = False,
    ) -> None:
        self.code, self.values, self.polls, self.put = code, values, polls, code.put
        self.straight, self.stop, self.in_block = straight, stop, in_block
        self.locals_of: Callable[[Variable], list[int]] = lambda variable: [values.local(variable)]
        self.after_look: Callable[[StructuredLoop], None] = lambda tree: None
        self.addresses: Addresses | None = None  # those of packets
        self._labels: dict[int, int] = {}
        self._late: dict[int, tuple[int, Instr]] = {}  # by label of a loop: the block to leave, and a round's cost

    def trees(self, trees: list[Tree]) -> None:
        for tree in trees:
            self._tree(tree)

    def _tree(self, tree: Tree) -> None:
        put = self.put
        match tree:
            case Straight(piece):
                self.straight(piece)
            case Labelled(label, body):
                put(("block", None))
                self._labels[label] = self.code.depth
                self.trees(body)
                put(("end",))
            case StructuredLoop():
                self._loop(tree)
            case If(condition, then, otherwise):
                self.values.value(condition)
                put(("if", None))
                self.trees(then)
                if otherwise:
                    put(("else",))
                    self.trees(otherwise)
                put(("end",))
            case StructuredBranch(label):
                self._before_branch(label)
                put(("br", self.code.depth - self._labels[label]))
            case Stop(piece):
                self.stop(piece)

    def _loop(self, tree: StructuredLoop) -> None:
        put, at = self.put, tree.latches[0].at
        cost: Instr = ("i64.const", self.polls.round_cost(tree.body))
        if self.in_block:  # with loops over lanes in it: there what is in registers goes to memory anyway
            put(("loop", None))
            self.polls.spend(cost, at)
            self._body(tree)
            put(("end",))
            return
        # The call is outside of the loop. Inside, all that is in registers would be saved and loaded each round, since
        # no register outlives a call (measured: Mandelbrot took 1.6 times as long).
        if self.addresses is not None:
            self.addresses.enter(tree)
        put(("block", None), ("loop", None), ("block", None))
        self._late[tree.label] = self.code.depth, cost
        put(("loop", None))
        self._body(tree)
        del self._late[tree.label]  # the label may come again elsewhere
        put(("end",), ("br", 2), ("end",))
        self.polls.look(at, [local for v in _carried(tree) if not is_wide(v.ty) for local in self.locals_of(v)])
        self.after_look(tree)
        put(("br", 0), ("end",), ("end",))
        if self.addresses is not None:
            self.addresses.leave()

    def _body(self, tree: StructuredLoop) -> None:
        self._labels[tree.label] = self.code.depth
        self.trees(tree.body)

    def _before_branch(self, label: int) -> None:
        """Takes the ticks of a round where a loop goes back; leaves the loop to ask for more."""
        if label in self._late:
            depth, cost = self._late[label]
            code = self.code
            self.put(code.get("ticks", "i64"), cost, ("i64.sub",), ("local.tee", code.named("ticks", "i64")))
            self.put(("i64.const", 0), ("i64.lt_s",), ("br_if", code.depth - depth))


def _carried(tree: StructuredLoop) -> list[Variable]:
    """The variables that a loop sets on its way back."""
    copies = [s for piece in tree.latches for s in piece.statements if isinstance(s, Copies)]
    return list(dict.fromkeys(variable for one in copies for variable, _ in one.pairs))


class ScalarStatements:
    """Writes statements of one lane, or of all lanes alike."""

    def __init__(self, code: Code, values: Values, wide_integers: Wide, effects: Effects) -> None:
        self.code, self.put = code, code.put
        self.values, self.wide_integers, self.effects = values, wide_integers, effects

    def statement(self, statement: Statement) -> None:
        match statement:
            case Assign(variable, value) if is_wide(variable.ty):
                self.wide_integers.compute(variable, value)
            case Assign(variable, value):
                self.values.compute(value)
                self.put(("local.set", self.values.local(variable)))
            case Copies(pairs):
                narrow = [pair for pair in pairs if not is_wide(pair[0].ty)]
                for _, value in narrow:
                    self.values.value(value)
                self._copy_wide([pair for pair in pairs if is_wide(pair[0].ty)])
                for variable, _ in reversed(narrow):
                    self.put(("local.set", self.values.local(variable)))
            case Go(number):
                self.put(("i32.const", number), self.code.set("WAY"))
            case Meet():
                pass  # one lane runs at a time
            case Do(node, variable):
                self.effects.effect(node)
                if variable is not None and is_wide(variable.ty):
                    self.wide_integers.take(self.wide_integers.of(variable), spill_size(variable.ty))
                elif variable is not None:
                    self.put(("local.set", self.values.local(variable)))
                elif node.ty is not None:
                    self.put(("drop",))
            case other:
                raise AssertionError(f"one lane has no {other}")

    def _copy_wide(self, pairs: list[tuple[Variable, Node]]) -> None:
        """Sets variables in memory at once: what is set and read is read into other memory first."""
        wide, targets = self.wide_integers, {variable for variable, _ in pairs}
        moves: list[tuple[Variable, Node, bool]] = []
        for variable, value in pairs:
            first = len(pairs) > 1 and self.values.variables.get(value) in targets
            if first:
                self.values.value(value)
                wide.take(wide.place(("copy", variable), spill_size(variable.ty)), spill_size(variable.ty))
            moves.append((variable, value, first))
        for variable, value, first in moves:
            if first:
                wide.push(wide.place(("copy", variable), spill_size(variable.ty)))
            else:
                self.values.value(value)
            wide.take(wide.of(variable), spill_size(variable.ty))
