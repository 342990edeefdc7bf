"""Reverse mode: from cotangents of results those of what they were computed from, node by node of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ..errors import LaunchError
from . import functions as f
from .applied import apply, gradients
from .array import Array
from .creation import arange
from .derivatives import DERIVATIVES
from .elementwise import MAPS
from .node import ArrayNode, in_order
from .types import kind_of
from .view import View

if TYPE_CHECKING:
    from ..runtime.executor import Executor

__all__ = ["backward"]

Found = list[Array | None]


def backward(
    results: Sequence[tuple[ArrayNode, Array]], wanted: Sequence[ArrayNode], executor: Executor
) -> list[Array | None]:
    """The cotangents of `wanted`, by those of results; None for what no result depends on."""
    order = in_order([node for node, _ in results])
    active = {id(node) for node in wanted}
    for node in order:
        if any(id(arg) in active for arg in node.args):
            if kind_of(node.dtype) == "c":
                raise LaunchError(f"gradients are those of real numbers, and {node.op} gives {node.dtype}")
            if kind_of(node.dtype) == "f":
                active.add(id(node))
    found: dict[int, Any] = {}
    for node, cotangent in results:
        _add(found, node, cotangent)
    ends = {id(node) for node in wanted}
    for node in reversed(order):
        g = found.get(id(node)) if id(node) in ends else found.pop(id(node), None)
        if g is None or not node.args or id(node) not in active:
            continue
        if node.op == "part":  # of a node with several results
            parts = found.setdefault(id(node.args[0]), {})
            parts[node.attrs] = g
            continue
        needed = [id(arg) in active for arg in node.args]
        for arg, given in zip(node.args, _rule(node, g, needed, executor), strict=True):
            if given is not None and id(arg) in active:
                _add(found, arg, given)
    return [found.get(id(node)) for node in wanted]


def _add(found: dict[int, Any], node: ArrayNode, given: Array) -> None:
    given = given.astype(node.dtype).reshape(node.shape)
    before = found.get(id(node))
    found[id(node)] = given if before is None else before + given


def _rule(node: ArrayNode, g: Any, needed: Sequence[bool], executor: Executor) -> Sequence[Array | None]:
    """What the arguments of a node get. Raises LaunchError where it has no derivative."""
    args = [Array(arg, executor) for arg in node.args]
    if node.op in MAPS:
        y = Array(node, executor)
        rules = DERIVATIVES.get(node.op, (None,) * len(args))
        return [rule(g, y, *args) if rule and use else None for rule, use in zip(rules, needed, strict=True)]
    if node.op == "view":
        return [_of_view(node.attrs, g, args[0])]
    if node.op == "reduce":
        return [_of_reduction(node, g, args[0], executor)]
    if node.op == "product":
        return _of_product(node, g, args[0], args[1], needed)
    if node.op == "tensor":
        return gradients(node, g)
    if hasattr(node.attrs, "backward"):
        return node.attrs.backward(node, g, executor)  # type: ignore[no-any-return]
    name = node.attrs[0] if node.op == "kernel" else node.op
    raise LaunchError(f"{name} has no derivative: give one by hg.custom_gradient")


def _of_reduction(node: ArrayNode, g: Array, x: Array, executor: Executor) -> Array:
    kind, outer, along, inner = node.attrs
    kept = (*outer, *(1 for _ in along), *inner)

    def spread(each: Array) -> Array:
        return each.reshape(kept).broadcast_to(x.shape)

    if kind == "sum":
        return spread(g)
    axes = tuple(range(len(outer), len(outer) + len(along)))
    if kind == "prod":  # without the zeros, of which one may be left out
        zero = x == 0
        rest = f.prod(f.where(zero, 1.0, x), axis=axes, keepdims=True)
        zeros = f.count_nonzero(zero, axis=axes, keepdims=True)
        others = f.where(zeros == 0, rest / f.where(zero, 1.0, x), f.where((zeros == 1) & zero, rest, 0.0))
        return spread(g) * others
    hit = x == spread(Array(node, executor))
    return f.where(hit, spread(g) / spread(f.count_nonzero(hit, axis=axes).astype(g.dtype)), 0.0)


def _of_product(node: ArrayNode, g: Array, a: Array, b: Array, needed: Sequence[bool]) -> Found:
    m, n, k, turned_a, turned_b, batch = node.attrs
    stacks = [(batch,) if batch != 1 and size != each.size else () for size, each in ((0, g), (m * k, a), (k * n, b))]
    given = g.reshape(*stacks[0], m, n)
    left = a.reshape(*stacks[1], *((k, m) if turned_a else (m, k)))
    right = b.reshape(*stacks[2], *((n, k) if turned_b else (k, n)))
    found: Found = [None, None]
    if needed[0]:
        plain = right if turned_b else right.mT  # (n, k)
        found[0] = plain.mT @ given.mT if turned_a else given @ plain
    if needed[1]:
        plain = left if turned_a else left.mT  # (k, m)
        found[1] = given.mT @ plain.mT if turned_b else plain @ given
    # Of one matrix for all, all have a part.
    return [
        each.sum(axis=0) if each is not None and each.ndim == 3 and not own else each
        for each, own in zip(found, stacks[1:], strict=True)
    ]


def _of_view(view: View, g: Array, x: Array) -> Array:
    """The cotangents where the elements came from, and zeros where none did."""
    offset = view.offset
    again = tuple(a for a, (length, step) in enumerate(zip(view.shape, view.strides, strict=True)) if not step)
    if any(view.shape[a] != 1 for a in again):
        g = g.sum(axis=again)
    elif again:
        g = g.squeeze(again)
    axes = [(step, length) for step, length in zip(view.strides, view.shape, strict=True) if step]
    if not x.size or not g.size:
        return f.where(False, x, 0.0)
    turned = tuple(a for a, (step, _) in enumerate(axes) if step < 0)
    if turned:
        g = g.flip(turned)
        offset += sum(step * (length - 1) for step, length in axes if step < 0)
        axes = [(abs(step), length) for step, length in axes]
    order = sorted(range(len(axes)), key=lambda a: -axes[a][0])
    g = g.transpose(order) if order != list(range(len(axes))) else g
    axes = [axes[a] for a in order]
    outside = [*(step for step, _ in axes[:-1])]
    if any((length - 1) * step >= block for (step, length), block in zip(axes[1:], outside, strict=True)):
        return _added(g, axes, offset, x)
    block = 1  # elements of x that an element of g stands for
    for step, length in reversed(axes):
        rows = g.size // block
        g = _fitted(g.reshape(rows, block), step).reshape(rows // length, length * step)
        block = length * step
    return _fitted(g.reshape(1, block), x.size, offset)


def _fitted(rows: Array, length: int, before: int = 0) -> Array:
    """Rows with zeros before and behind them, or without the zeros that end them, in a length."""
    outer, have = rows.shape
    if before + have > length:
        rows = rows[:, : length - before]
        have = length - before
    if before + have == length and not before:
        return rows
    sides = {"before": (0, before), "after": (0, length - before - have)}
    return apply("Pad", input=rows, shape=(outer, have), value=0.0, **sides)


def _added(g: Array, axes: Sequence[tuple[int, int]], offset: int, x: Array) -> Array:
    """Elements that lie in several places of a view get the sum."""
    places = arange(1, device=g.executor) + offset
    for step, length in axes:
        places = places.expand_dims(-1) + arange(length, device=g.executor) * step
    numbers = {"outer": 1, "axis_len": x.size, "inner": 1, "count": prod(g.shape)}
    return apply("Scatter", input=g, indices=places.reshape(-1), accumulate=True, **numbers)
