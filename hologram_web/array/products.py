"""Products of matrices."""

from __future__ import annotations

from math import prod

from ..errors import LaunchError
from .array import Array, mapped, mapped_to
from .node import ArrayNode, broadcast, broadcast_shapes, misfit, misshapen
from .types import kind_of, promoted
from .view import View, row_major

__all__ = ["product", "stacked"]


def product(a: Array, b: Array) -> Array:
    """NumPy's matmul: of vectors, matrices, and stacks of them."""
    if not a.ndim or not b.ndim:
        name, x = ("x2", b) if a.ndim else ("x1", a)
        raise misshapen("matmul", name, x.shape, "an axis at least is expected: multiply by numbers with *")
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
        raise misfit("matmul", "x2", b.shape, -2 if b.ndim > 1 else -1, f"{k}, as axis -1 of x1 {a.shape}, is expected")
    stack = stacked("matmul", a, b)
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


def stacked(function: str, x1: Array, x2: Array) -> tuple[int, ...]:
    """The axes before those of the matrices, together. Raises ArrayShapeError, which counts axes as the user does."""
    shapes = [x.shape[:-2] for x in (x1, x2)]
    for axis in range(3, min(x1.ndim, x2.ndim) + 1):
        n, other = x1.shape[-axis], x2.shape[-axis]
        if n not in (1, other) and other != 1:
            raise misfit(function, "x2", x2.shape, -axis, f"{n}, as in x1 {x1.shape}, or 1 is expected")
    return broadcast_shapes(shapes)


def _is_turned(array: Array) -> bool:
    """Whether it has other matrices with their axes exchanged, which a product reads as they are."""
    node = array.node
    if node.op != "view" or len(node.shape) < 2:
        return False
    *stack, columns, rows = node.shape
    steps = row_major((*stack, rows, columns))
    exchanged = View(node.shape, (*steps[:-2], steps[-1], steps[-2]))
    return bool(node.args[0].shape == (*stack, rows, columns) and node.attrs == exchanged)
