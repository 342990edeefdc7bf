"""`hg.parallel_map_unary(x, y, "exp", n)` and its kin: what the whole launch does once, between the work of lanes."""

from __future__ import annotations

import ast
from enum import Enum

from ...isa.address import Address
from ...isa.operands import BinaryMapOperation, MapOperation, ReduceOperation, Register
from ...isa.table import LANE_ROWS
from .calls import Calls
from .emit import ArrayRef
from .types import default, float_of

__all__ = ["Collectives"]

_UNARY = "abs neg sqrt exp log sin cos tan sigmoid tanh relu ceil floor round erf"
_UNARY_OPERATIONS: dict[str, Enum] = {name: MapOperation(name) for name in _UNARY.split()}
_UNARY_OPERATIONS["reciprocal"] = MapOperation.Rcp
_BINARY_OPERATIONS: dict[str, Enum] = {
    name: BinaryMapOperation(name) for name in ("add", "sub", "mul", "div", "pow", "min", "max", "atan2")
}
_REDUCTIONS: dict[str, Enum] = {operation.name.lower(): operation for operation in ReduceOperation}
_ROWS = {row.mnemonic: row for row in LANE_ROWS}


class Collectives(Calls):
    """Translates calls of collectives. Behind one, lanes have nothing of what they had in variables.

    `kernel_body` are the kernel's own statements, `host_known` its scalar parameters that are never assigned.
    """

    kernel_body: list[ast.stmt]
    host_known: set[str]

    def call_parallel_map_unary(self, node: ast.Call) -> None:
        source, target, operation, count = self._arguments(node, "x, y, operation, n")
        self._collective(node, "ParallelMap", _UNARY_OPERATIONS, [target, source], operation, count)

    def call_parallel_map_binary(self, node: ast.Call) -> None:
        a, b, target, operation, count = self._arguments(node, "a, b, y, operation, n")
        self._collective(node, "ParallelMapBinary", _BINARY_OPERATIONS, [target, a, b], operation, count)

    def call_parallel_reduce(self, node: ast.Call) -> None:
        source, target, operation, count = self._arguments(node, "x, y, operation, n")
        self._collective(node, "ParallelReduce", _REDUCTIONS, [target, source], operation, count)

    def _collective(
        self,
        node: ast.Call,
        row: str,
        operations: dict[str, Enum],
        names: list[ast.expr],
        operation: ast.expr,
        count: ast.expr,
    ) -> None:
        called = ast.unparse(node.func)
        if not any(isinstance(line, ast.Expr) and line.value is node for line in self.kernel_body):
            self.fail(
                node, f"{called} is done once by the whole launch: write it at the top level of the kernel, under no if"
            )
        if any(instruction.name == "EXIT" for instruction in self.code):
            self.fail(node, f"lanes that have returned do not come to {called}: put what they skip under an if")
        for kind, used in self.own_bytes.items():
            if used:
                self.fail(node, f"{kind} memory is not kept over {called}: make it behind")
        chosen = operations.get(operation.value) if isinstance(operation, ast.Constant) else None  # type: ignore[arg-type]
        if chosen is None:
            self.fail(operation, f"the operation of {called} is one of these texts: {', '.join(operations)}")
        arrays = [self._whole(name) for name in names]
        ty = arrays[0].ty
        for name, array in zip(names, arrays, strict=True):
            if array.ty is not ty:
                self.fail(name, f"the arrays of {called} are of one type, and here are {ty} and {array.ty}")
        if ty not in _ROWS[chosen.value].operands[0].allowed:
            self.fail(operation, f"{operation.value!r} does not work on {ty}")  # type: ignore[attr-defined]
        size = self._elements(count)
        for written, array in zip((True, False, False), arrays, strict=False):
            (self.facts.writes if written else self.facts.reads).add(array.name)
        self.emit(row, chosen, *(Address.Buffer(array.name) for array in arrays), size, ty)
        self.drop(size)
        if self.scope.assigned is not None:
            self.lost |= self.scope.assigned - self.host_known
            self.scope.assigned &= self.host_known

    def _whole(self, node: ast.expr) -> ArrayRef:
        array = self.array(node)
        if array.shape is not None or array.ndim != 1 or array.fixed or array.element is not None:
            self.fail(node, f"{array.name} is no array parameter with one axis, which collectives work on")
        return array

    def _elements(self, node: ast.expr) -> Register | int:
        """How many elements: what the host computes from scalar parameters."""
        for part in ast.walk(node):
            known = isinstance(
                part, (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
            )
            if not known and not (isinstance(part, ast.Name) and part.id in self.host_known):
                self.fail(
                    part, "the number of elements is known before lanes run: compute it from scalar parameters alone"
                )
        value = self.value(node)
        if float_of(value.ty) is value.ty:
            self.fail(node, f"the number of elements is an integer, not {value.ty}")
        if value.const is None:
            return self.register(node, value, default(value.ty))
        if not 0 <= value.const < 1 << 31:
            self.fail(node, f"{value.const} is no number of elements")
        return int(value.const)
