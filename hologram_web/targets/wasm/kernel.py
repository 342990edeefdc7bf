"""Kernels: a function of IR as a WebAssembly function over a range of blocks.

`kernel(arguments, begin, end)` runs the lanes of blocks begin to end - 1. `arguments` is the address of the argument
block; its layout is ARGUMENTS, then 8 bytes for each scalar (all bytes of a wide integer), then address and size (u32
each) of each memory. A fault is written into the status words, and the kernel returns at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...compiler.accesses import access_of
from ...compiler.ir import Function, Node
from ...compiler.legalise import legalise
from ...compiler.out_of_ssa import (
    Assign,
    Copies,
    Count,
    Do,
    Go,
    Meet,
    ParallelRegion,
    Statement,
    Variable,
    argument_starts,
    spill_size,
)
from ...compiler.recursion import deep_recursion
from ...compiler.structure import If, Labelled, Stop, Straight, StructuredBranch, StructuredLoop, Tree, structure
from ...errors import FaultKind, UnsupportedInstruction
from ...isa.address import Space
from ...isa.types import Type
from ...isa.verify import Base
from .barriers import Barriers
from .choice import Choice, chosen
from .packets import Packets
from .polls import ARGUMENTS, FAULT_KINDS, FIRST_TICKS
from .values import TRAITS
from .wide import is_wide

__all__ = ["ARGUMENTS", "FAULT_KINDS", "FIRST_TICKS", "WasmKernel", "WasmOptions", "compile_kernel", "form_of"]


@dataclass
class WasmKernel:
    """A compiled kernel. `scalars` and `bases` name what the argument block holds, in order.

    `spill` is the number of bytes each lane needs across barriers and for local memory, `code` the module's bytes.
    `atomic` is whether it has atomics on memory that several threads may be at.
    """

    code: bytes
    scalars: list[tuple[str, Type]]
    bases: list[Base]
    spill: int
    block_lanes: int
    atomic: bool

    @property
    def arguments_size(self) -> int:
        return self.memories_at + 8 * len(self.bases)

    @property
    def memories_at(self) -> int:
        """Where the memories are in the argument block."""
        return ARGUMENTS["values"] + argument_starts(self.scalars)[-1]


class _Lanes(Barriers):
    def run(self) -> WasmKernel:
        self._prologue()
        put = self.put
        put(("local.get", 1), ("local.tee", self.named("block")), ("local.get", 2), ("i32.lt_s",), ("if", None))
        self._first_block()
        put(("loop", None))
        self.spend(("i64.const", self.span * self.lanes_cost(self.lowered.pieces)))
        put(("block", None))
        self._enter_block()
        if self.plan is not None:
            self._block(self.plan)
        elif self.segmented:
            self._segments()
        else:
            trees = structure(self.lowered.resumes[0])
            self._both_ways(self.lowered.pieces, lambda: self._lanes(trees, self._fresh_lane))
        put(("end",))
        self._next_block()
        put(("local.get", 2), ("i32.lt_s",), ("br_if", 0), ("end",), ("end",))
        # The frame is behind the spills of all lanes, in parts that lanes have for it.
        own = 0 if self.stride else self.own_room
        frame = -(-(self.wide_integers.size + own) // self._block_lanes() // 8) * 8
        return WasmKernel(
            self.module.encode(), self.scalars, self.bases, self.stride + frame, self._block_lanes(), self.atomic
        )

    # Code of a lane

    def _fresh_lane(self) -> None:
        self._fresh_budget()
        self._clear_own()

    def _tree(self, tree: Tree) -> None:
        put = self.put
        match tree:
            case Straight(piece):
                for statement in piece.statements:
                    self._statement(statement)
            case Labelled(label, body):
                put(("block", None))
                self.labels[label] = self.depth
                self._trees(body)
                put(("end",))
            case StructuredLoop():
                self.loop(tree)
            case If(condition, then, otherwise):
                self.values.value(condition)
                put(("if", None))
                self._trees(then)
                if otherwise:
                    put(("else",))
                    self._trees(otherwise)
                put(("end",))
            case StructuredBranch(label):
                self.before_branch(label)
                put(("br", self.depth - self.labels[label]))
            case Stop(piece):
                self._stop(piece)

    def _statement(self, statement: Statement) -> None:
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
            case Count(at) if self.plan is not None and self.run_ is None:
                put = self.put
                put(self.get("taken", "i64"), ("i64.const", 1), ("i64.add",), ("local.tee", self.named("taken", "i64")))
                put(self.get("least", "i64"), ("i64.ge_s",), ("if", None), self.get("least_lane"), self.set("lane"))
                self.fault(FaultKind.STEP_LIMIT, at)
                put(("end",))
            case Count(at):
                self._step(at)
            case ParallelRegion():
                self._run(statement)
            case Go(number):
                self.put(("i32.const", number), self.set("WAY"))
            case Meet():
                pass  # one lane runs at a time
            case Do(node, variable):
                self.effect(node)
                if variable is not None and is_wide(variable.ty):
                    self.wide_integers.take(self.wide_integers.of(variable), spill_size(variable.ty))
                elif variable is not None:
                    self.put(("local.set", self.values.local(variable)))
                elif node.ty is not None:
                    self.put(("drop",))

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

    def _step(self, at: int) -> None:
        """Takes a step from the budget of the lane."""
        budget = self.named("budget", "i64")
        self.put(("local.get", budget), ("i64.const", 1), ("i64.sub",), ("local.tee", budget))
        self.put(("i64.eqz",), ("if", None))
        self.fault(FaultKind.STEP_LIMIT, at)
        self.put(("end",))


def check_supported(function: Function) -> None:
    """Raises CompileError for what the target does not have."""
    for node in function.nodes():
        access = access_of(node)
        if access is not None and access.base.space is Space.POINTER:
            raise UnsupportedInstruction(access.at, "an address without a base")


class _Packets(Packets, _Lanes):
    pass


class WasmOptions(NamedTuple):
    """The arguments of `compile_kernel` that a device decides; equal ones give equal modules."""

    wide_arithmetic: bool = False
    packets: int | None = None


def form_of(function: Function, packets: int | None = None) -> Choice:
    """Whether a kernel is made of packets of lanes, and why not; `packets` as `compile_kernel` takes it."""
    with deep_recursion():
        return chosen(legalise(function, TRAITS), packets)


def compile_kernel(function: Function, wide_arithmetic: bool = False, packets: int | None = None) -> WasmKernel:
    """The WebAssembly kernel of a function, for engines with wide arithmetic or for all. Raises CompileError.

    `packets` are the lanes of a packet, where the code can be one; 1 for lane after lane, and None to choose.
    """
    check_supported(function)
    with deep_recursion():
        legal = legalise(function, TRAITS)
        choice = chosen(legal, packets)
        if choice.width == 1:
            return _Lanes(legal, wide_arithmetic).run()
        assert choice.forms is not None
        return _Packets(legal, wide_arithmetic, choice.forms, choice.width).run()
