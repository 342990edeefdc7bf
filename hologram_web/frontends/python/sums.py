"""`a[index] += v` without an atomic: where several lanes may do so at one element, some of the values are lost."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ...isa.types import ATOMIC_INTS, Type
from .advice import RaceWarning
from .emit import ArrayRef
from .expressions import Expressions
from .source import walk

__all__ = ["Sums"]

_ATOMICS = {ast.Add: "atomic_add", ast.BitAnd: "atomic_and", ast.BitOr: "atomic_or", ast.BitXor: "atomic_xor"}


@dataclass(frozen=True)
class _Sum:
    """A sum that every lane makes; lanes that differ along `axes` do so at elements of their own."""

    node: ast.AugAssign
    array: ArrayRef
    index: ast.expr
    axes: frozenset[int]


class Sums:
    """Finds such sums: at an index that was read from memory, or that is the same for lanes that all come there."""

    def __init__(self, kernel: Expressions, body: list[ast.stmt]) -> None:
        self._kernel, self._body = kernel, body
        self._found: list[_Sum] = []

    @cached_property
    def _always(self) -> frozenset[ast.stmt]:
        return frozenset(_always(self._body))

    def look_at(self, node: ast.AugAssign, array: ArrayRef, index: ast.expr) -> None:
        """`array[index] += v`, whose address was just computed."""
        kernel = self._kernel
        if array.local:
            return
        value = getattr(node.target, "value", None)
        if kernel.is_read(index) or getattr(value, "id", "") in kernel.scope.read:
            what = f"the index of {ast.unparse(node.target)} was read from memory and may be that of several lanes"
            kernel.warn(node, f"{what}, of which one counts: {_advice(node, array, index)}", RaceWarning)
        elif node in self._always and all(lane is not None for lane in kernel.placed):
            names = ("global_id",) if array.shape is None else ("global_id", "local_id")
            axes = frozenset(axis for name, axis in filter(None, kernel.placed) if name in names)
            self._found.append(_Sum(node, array, index, axes))

    def warn(self) -> None:
        """When it is known along which axes lanes differ."""
        kernel = self._kernel
        for found in self._found:
            if kernel.facts.axes - found.axes:
                what = f"several lanes change {ast.unparse(found.node.target)}, of which one counts"
                kernel.warn(found.node, f"{what}: {_advice(found.node, found.array, found.index)}", RaceWarning)


def _advice(node: ast.AugAssign, array: ArrayRef, index: ast.expr) -> str:
    atomic = _ATOMICS.get(type(node.op))
    if atomic is None or not (array.means in ATOMIC_INTS or (atomic == "atomic_add" and array.means is Type.F32)):
        return "let one lane do it"
    place = f"({', '.join(map(ast.unparse, index.elts))})" if isinstance(index, ast.Tuple) else ast.unparse(index)
    return f"write hg.{atomic}({array.title}, {place}, {ast.unparse(node.value)})"


def _always(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """The statements of a kernel that every lane comes to: under no condition, and before any return."""
    found: list[ast.stmt] = []
    for node in body:
        found.append(node)
        if isinstance(node, ast.For):
            found += _always(node.body)
        if any(isinstance(part, (ast.Return, ast.Break, ast.Continue)) for part in walk(node)):
            break
    return found
