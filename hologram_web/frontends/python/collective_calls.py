"""`hg.parallel_map_unary(x, y, "exp", n)` and its kin: what the whole launch does once, between the work of lanes."""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

from ...isa.address import Address
from ...isa.operands import BinaryMapOperation, MapOperation, ReduceOperation, Register
from ...isa.table import LANE_ROWS
from .emit import ArrayRef
from .types import default, float_of

if TYPE_CHECKING:
    from .calls import Calls

__all__ = ["call_collective", "elements_of", "lose_variables", "whole"]

_UNARY = "abs neg sqrt exp log sin cos tan sigmoid tanh relu ceil floor round erf"
_UNARY_OPERATIONS: dict[str, Enum] = {name: MapOperation(name) for name in _UNARY.split()}
_UNARY_OPERATIONS["reciprocal"] = MapOperation.Rcp
_BINARY_OPERATIONS: dict[str, Enum] = {
    name: BinaryMapOperation(name) for name in ("add", "sub", "mul", "div", "pow", "min", "max", "atan2")
}
_REDUCTIONS: dict[str, Enum] = {operation.name.lower(): operation for operation in ReduceOperation}
_ROWS = {row.mnemonic: row for row in LANE_ROWS}
# Of each its instruction, its operations, and its arguments: what is read, what is written, the operation, the size.
_CALLS = {
    "parallel_map_unary": ("ParallelMap", _UNARY_OPERATIONS, "x, y, operation, n"),
    "parallel_map_binary": ("ParallelMapBinary", _BINARY_OPERATIONS, "a, b, y, operation, n"),
    "parallel_reduce": ("ParallelReduce", _REDUCTIONS, "x, y, operation, n"),
}


def call_collective(kernel: Calls, node: ast.Call, name: str) -> None:
    """A call of a collective."""
    row, operations, form = _CALLS[name]
    *sources, target, operation, count = kernel._arguments(node, form)
    names = [target, *sources]
    called = ast.unparse(node.func)
    if not any(isinstance(line, ast.Expr) and line.value is node for line in kernel.kernel_body):
        kernel.fail(
            node, f"{called} is done once by the whole launch: write it at the top level of the kernel, under no if"
        )
    if any(instruction.name == "EXIT" for instruction in kernel.code):
        kernel.fail(node, f"lanes that have returned do not come to {called}: put what they skip under an if")
    for kind, used in kernel.own_bytes.items():
        if used:
            kernel.fail(node, f"{kind} memory is not kept over {called}: make it behind")
    chosen = operations.get(operation.value) if isinstance(operation, ast.Constant) else None  # type: ignore[arg-type]
    if chosen is None:
        kernel.fail(operation, f"the operation of {called} is one of these texts: {', '.join(operations)}")
    arrays = [whole(kernel, given) for given in names]
    ty = arrays[0].ty
    for given, array in zip(names, arrays, strict=True):
        if array.ty is not ty:
            kernel.fail(given, f"the arrays of {called} are of one type, and here are {ty} and {array.ty}")
    if ty not in _ROWS[chosen.value].operands[0].allowed:
        kernel.fail(operation, f"{operation.value!r} does not work on {ty}")  # type: ignore[attr-defined]
    size = elements_of(kernel, count)
    for written, array in zip((True, False, False), arrays, strict=False):
        (kernel.facts.writes if written else kernel.facts.reads).add(array.name)
    kernel.emit(row, chosen, *(Address.Buffer(array.name) for array in arrays), size, ty)
    kernel.drop(size)
    lose_variables(kernel)


def lose_variables(kernel: Calls) -> None:
    """Behind a collective, lanes have nothing of what they had in variables."""
    if kernel.scope.assigned is not None:
        kernel.lost |= kernel.scope.assigned - kernel.host_known
        kernel.scope.assigned &= kernel.host_known


def whole(kernel: Calls, node: ast.expr) -> ArrayRef:
    array = kernel.array(node)
    if array.shape is not None or array.ndim != 1 or array.fixed or array.element is not None:
        kernel.fail(node, f"{array.name} is no array parameter with one axis, which collectives work on")
    return array


def elements_of(kernel: Calls, node: ast.expr) -> Register | int:
    """How many elements: what the host computes from scalar parameters."""
    for part in ast.walk(node):
        known = isinstance(part, (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context))
        if not known and not (isinstance(part, ast.Name) and part.id in kernel.host_known):
            kernel.fail(
                part, "the number of elements is known before lanes run: compute it from scalar parameters alone"
            )
    value = kernel.value(node)
    if float_of(value.ty) is value.ty:
        kernel.fail(node, f"the number of elements is an integer, not {value.ty}")
    if value.const is None:
        return kernel.register(node, value, default(value.ty))
    if not 0 <= value.const < 1 << 31:
        kernel.fail(node, f"{value.const} is no number of elements")
    return int(value.const)
