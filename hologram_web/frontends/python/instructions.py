"""Calls of instructions, which kernels of the tensor library make."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ...isa.table import BY_MNEMONIC
from ...isa.types import Type
from .types import Value, default
from .views import element_of

if TYPE_CHECKING:
    from .expressions import Expressions

__all__ = ["call_instruction"]


def call_instruction(kernel: Expressions, node: ast.Call, mnemonic: str) -> Value:
    """An instruction on values of one type, on the memory from an element of an array on, and on sizes."""
    row, given = BY_MNEMONIC[mnemonic], list[Any]()
    ty: Type | None = None
    for operand, argument in zip(row.operands[2:], node.args, strict=False):  # others have defaults
        if operand.is_address:
            assert isinstance(argument, ast.Subscript)
            array, index = element_of(kernel, argument)
            kernel.facts.reads.add(array.name)
            given.append(kernel.place_of(array, index))
            ty = array.ty
        else:
            value = kernel.value(argument)
            assert isinstance(value, Value)
            ty = default(value.ty) if ty is None else ty
            given.append(kernel.register(argument, value, default(value.ty) if operand.kind == "size" else ty))
    assert ty is not None
    return Value(ty, kernel.op(row, ty, *given))
