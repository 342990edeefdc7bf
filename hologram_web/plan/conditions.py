"""Conditions of a kernel's fast shaders as formulas over what a launch knows (`plan.variables_of`).

A proof of the compiler (`compiler/bounds.py`, `rounds.py`) holds under conditions that are nodes; here each becomes a
formula that is not negative where the condition holds. A number beyond 53 bits on the way means that nothing is proven.
Files have them, and native devices take the same, so that both choose alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from ..compiler.ir import Node
from ..compiler.operations import OPERATIONS
from ..compiler.ranges import MAX_LANES
from ..errors import LaunchError
from ..isa.address import Space
from ..isa.types import Type
from ..isa.verify import Base
from .formula import MAX_TOKENS, Formula
from .plan import MAX_CONDITIONS

if TYPE_CHECKING:
    from ..targets.wgsl import WgslKernel  # each target only where it is needed

__all__ = ["with_formulas"]


def with_formulas(
    kernel: WgslKernel[Node], scalars: Sequence[str], bases: Sequence[Base], shared: int
) -> WgslKernel[Formula]:
    """The kernel with formulas for its conditions, which number scalars and memories in that order. A shader is left
    out that has a condition whose formula is longer than a file may hold, or too many."""
    translator, made = _Translator(scalars, bases, kernel.block, shared), []
    for fast in kernel.fast:
        try:
            conditions: Any = _few(list(dict.fromkeys(map(translator.condition, fast.conditions))))
        except LaunchError:
            continue
        made.append(replace(fast, conditions=conditions))
    long = "the conditions that would make them needless are longer than formulas may be"
    why = "" if made else long if kernel.fast else kernel.why
    found: Any = replace(kernel, fast=tuple(made), why=why)
    return found  # type: ignore[no-any-return]


def _few(conditions: list[Formula]) -> tuple[Formula, ...]:
    """As many as a file may hold: the least of several numbers is not negative where none is. Raises LaunchError where
    they are too long for that."""
    if len(conditions) <= MAX_CONDITIONS:
        return tuple(conditions)
    found = conditions[:1]
    for condition in conditions[1:]:
        if len(found[-1].code) + len(condition.code) < MAX_TOKENS:
            found[-1] = Formula.min(found[-1], condition)
        else:
            found.append(condition)
    if len(found) > MAX_CONDITIONS:
        raise LaunchError(f"{len(conditions)} conditions are too long for {MAX_CONDITIONS} formulas")
    return tuple(found)


class _Translator:
    def __init__(self, scalars: Sequence[str], bases: Sequence[Base], block: Sequence[int], shared: int) -> None:
        self.scalars, self.bases, self.block, self.shared = scalars, bases, block, shared
        self.known: dict[Node, Formula] = {}  # conditions have much in common

    def condition(self, node: Node) -> Formula:
        left, right = map(self.number, node.args)
        return right - left - int(node.op == "lt")

    def number(self, node: Node) -> Formula:
        if node not in self.known:
            self.known[node] = self._number(node)
        return self.known[node]

    def _number(self, node: Node) -> Formula:
        match node.op:
            case "const":
                assert isinstance(node.ty, Type)
                return Formula((int(node.ty.decode(node.attr)),))
            case "param":
                return Formula((f"s{self.scalars.index(node.attr)}",))
            case "special":
                return self.launch(node.attr) if isinstance(node.attr, str) else self.limit(*node.attr[1:])
            case "cvt":
                return self.number(node.args[0])
            case "shr":  # by a number that is known: what lies below is cut off
                return self.number(node.args[0]).with_("//", 1 << int(node.args[1].attr))
        a, b = map(self.number, node.args)
        return a.with_(OPERATIONS[node.op].sign or node.op, b)

    def launch(self, name: str) -> Formula:
        x, y, z = (Formula((axis,)) for axis in "xyz")
        if name in ("STEPS", "ROUNDS"):
            return Formula((name.lower(),))
        if name == "LAST_GLOBAL_LANE_ID":
            lanes = x * y * z * prod(self.block)
            if tuple(self.block[1:]) == (1, 1):  # lanes of the last block that are off do not count
                lanes = lanes - (x * self.block[0] - Formula(("lx",)))
            return Formula.min(lanes, MAX_LANES) - 1
        axis = "XYZ".index(name[-1])
        if name.startswith("LAST_LANE_IDX_"):
            return Formula((self.block[axis] - 1,))
        if name.startswith("LAST_ID_"):
            return Formula(("lx", "ly", "lz")[axis : axis + 1]) - 1
        blocks = (x, y, z)[axis]
        return blocks if name.startswith("GRID_DIM_") else blocks - 1

    def limit(self, base: Base, need: int) -> Formula:
        size = self.shared if base.space is Space.SHARED else Formula((f"m{self.bases.index(base)}",))
        return Formula.max(Formula.of(size) - (need - 1), 0)
