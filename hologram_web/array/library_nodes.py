"""Nodes for operations of the tensor library and for rows of `algorithms.KERNELS`."""

from __future__ import annotations

from typing import Any

from ..isa.elements import ElementType
from .array import Array
from .node import ArrayNode
from .types import kind_of

__all__ = ["kernel", "tensor"]


def tensor(
    name: str,
    result: str,
    dtype: ElementType,
    shape: tuple[int, ...],
    numbers: tuple[tuple[str, Any], ...],
    *operands: tuple[str, Array],
    scratch: tuple[tuple[str, int], ...] = (),
) -> ArrayNode:
    """An operation of the tensor library; `scratch` has operands that nobody reads, with their bytes. Complex numbers
    are two elements within."""
    named = tuple(each for each, _ in operands)
    if kind_of(dtype) == "c":
        numbers = tuple((each, 2 * number if each == "inner" else number) for each, number in numbers)
    return ArrayNode(
        "tensor", tuple(array.node for _, array in operands), dtype, shape, (name, result, named, numbers, scratch)
    )


def kernel(
    name: str,
    dtype: ElementType,
    shape: tuple[int, ...],
    lanes: int,
    numbers: tuple[int, ...],
    *operands: Array,
    together: int = 1,
) -> Array:
    """The result of a row of `algorithms.KERNELS`. `together` is how many lanes of a block do one thing."""
    attrs = (name, lanes, numbers, together)
    node = ArrayNode("kernel", tuple(each.node for each in operands), dtype, shape, attrs)
    return Array(node, operands[0].executor)
