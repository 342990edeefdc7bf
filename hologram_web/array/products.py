"""Products of matrices."""

from __future__ import annotations

from math import prod

from ..errors import LaunchError
from .array import Array, mapped, mapped_to
from .node import ArrayNode, broadcast, broadcast_shapes
from .types import kind_of, promoted
from .view import View, row_major

__all__ = ["product"]


def product(a: Array, b: Array) -> Array:
    """NumPy's matmul: of vectors, matrices, and stacks of them."""
    if not a.ndim or not b.ndim:
        raise LaunchError("a product of matrices takes arrays with axes: multiply by numbers with *")
    ty = promoted(a.dtype, b.dtype)
    if kind_of(ty) == "c":
        p, q, r, s = (mapped(part, x.astype(ty)) for x in (a, b) for part in ("real", "imag"))
        return mapped_to("complex", ty, product(p, r) - product(q, s), product(p, s) + product(q, r))
    if kind_of(ty) not in "if":
        raise LaunchError(f"no product of matrices of {ty}: convert them with astype")
    a, b = a.astype(ty), b.astype(ty)
    left = a.reshape(1, -1) if a.ndim == 1 else a
    right = b.reshape(-1, 1) if b.ndim == 1 else b
    (m, k), (other, n) = left.shape[-2:], right.shape[-2:]
    if k != other:
        raise LaunchError(f"shapes {a.shape} and {b.shape} do not fit: {k} columns meet {other} rows")
    stack = broadcast_shapes([left.shape[:-2], right.shape[:-2]])
    batch = prod(stack)
    if left.ndim > 2 and not right.shape[:-2]:  # one matrix for all
        left, batch = left.reshape(batch * m, k), 1
    nodes, turned = [], []
    for each in (left, right):
        turned.append(_is_turned(each))
        whole = each.mT if turned[-1] else each
        alike = prod(whole.shape[:-2]) == 1  # one matrix for all
        nodes.append(whole.node if alike else broadcast(whole.node, (*stack, *whole.shape[-2:])))
    shape = (*stack, m, n)
    if len(stack) and batch == 1:  # rows of one product
        m = m * prod(stack)
    made = ArrayNode("product", tuple(nodes), ty, shape, (m, n, k, *turned, batch))
    found = Array(made, a.executor)
    if a.ndim == 1:
        found = found.reshape([*shape[:-2], n])
    if b.ndim == 1:
        found = found.reshape(found.shape[:-1])
    return found


def _is_turned(array: Array) -> bool:
    """Whether it has other matrices with their axes exchanged, which a product reads as they are."""
    node = array.node
    if node.op != "view" or len(node.shape) < 2:
        return False
    *stack, columns, rows = node.shape
    steps = row_major((*stack, rows, columns))
    exchanged = View(node.shape, (*steps[:-2], steps[-1], steps[-2]))
    return bool(node.args[0].shape == (*stack, rows, columns) and node.attrs == exchanged)
