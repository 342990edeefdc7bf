"""hg.vmap: a function of arrays for many of them at once, by rules for the operations of its graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

from ..errors import LaunchError, outermost
from . import functions as f
from .algorithms import MATRICES
from .applied import apply
from .array import Array
from .creation import arange
from .elementwise import MAPS
from .gradient import arrays_in
from .nested import flattened, unflatten
from .node import ArrayNode, in_order, map_, view
from .sizes import is_known
from .tracing import placeholder, tracing
from .view import View

if TYPE_CHECKING:
    from ..runtime.executor import Executor

__all__ = ["vmap"]

# Of operations the number that counts what is done alike, and the operands that are as many; others are for all.
_ALIKE: dict[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(("Softmax", "LogSoftmax", "CumSum", "ArgMax", "ArgMin", "Sort", "TopK"), ("outer", ("input",))),
    **dict.fromkeys(("LayerNorm", "RMSNorm", "LayerScale"), ("rows", ("input",))),
    **dict.fromkeys(("Conv2D", "ConvTranspose2D", "MaxPool2D", "AvgPool2D", "Resize2D"), ("batch", ("input",))),
    **dict.fromkeys(("GroupNorm", "InstanceNorm", "FFT", "RoPE"), ("batch", ("input",))),
    **dict.fromkeys(("Attention", "FlashAttention"), ("batch", ("query", "key", "value"))),
    "Concat": ("outer", ("a", "b")),
    "GatherElements": ("outer", ("input", "indices")),
}


@outermost
def vmap(fn: Callable[..., Any], in_axes: Any = 0, out_axes: int = 0) -> Callable[..., Any]:
    """A function of arrays with one more axis, along which `fn` is applied: where in each argument that is, None for
    one that is the same for all, and where in results. Kernels, control flow and operations without a rule are done for
    one after another; raises LaunchError for too many of these."""

    @wraps(fn, updated=())
    @outermost
    def call(*args: Any) -> Any:
        axes = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        if len(axes) != len(args):
            raise LaunchError(f"in_axes has {len(axes)} axes, and there are {len(args)} arguments")
        _, executor = arrays_in(flattened(args)[0])
        lengths: set[int] = set()
        given: dict[int, Array] = {}
        inner = []
        for arg, axis in zip(args, axes, strict=True):
            leaves, form = flattened(arg)
            parts = []
            for leaf in arrays_in(leaves, executor)[0]:
                if axis is None:
                    parts.append(leaf)
                    continue
                moved = f.moveaxis(leaf, leaf._axis(axis), 0)
                node = placeholder(moved.dtype, moved.shape[1:])
                lengths.add(moved.shape[0])
                given[id(node)] = moved
                parts.append(Array(node, executor))
            inner.append(unflatten(form, iter(parts)))
        if len(lengths) != 1:
            raise LaunchError(f"hg.vmap goes along axes of one length, not of {sorted(lengths) or 'none'}")
        (count,) = lengths
        with tracing(executor):
            leaves, form = flattened(fn(*inner))
            results, _ = arrays_in(leaves, executor)
            order = in_order([each.node for each in results])
            apart: dict[int, list[ArrayNode]] = {}  # of nodes with several results one for each
            for node in order:
                if node.op == "part" and id(node.args[0]) in apart:
                    given[id(node)] = _stacked(node, [(each,) for each in apart[id(node.args[0])]], executor)
                elif any(id(arg) in given for arg in node.args):
                    if node.op in ("launch", "control"):
                        apart[id(node)] = [_copy(node, args) for args in _one_by_one(node, given, count)]
                    else:
                        given[id(node)] = _many(node, given, count, executor)
            found = [given.get(id(each.node), each) for each in results]
            found = [
                each if id(own.node) in given else each.broadcast_to((count, *each.shape))
                for own, each in zip(results, found, strict=True)
            ]
        return unflatten(form, iter([f.moveaxis(each, 0, out_axes) for each in found]))

    return call


def _many(node: ArrayNode, given: dict[int, Array], count: int, executor: Executor) -> Array:
    """The results of an operation for all, of which some operands are as many."""
    args = [given.get(id(arg), Array(arg, executor)) for arg in node.args]
    if node.op in MAPS:
        return Array(map_(node.op, node.dtype, *(each.node for each in args)), executor)
    if node.op == "view":
        shape, strides, offset = node.attrs
        step = node.args[0].size if count > 1 else 0
        return Array(view(args[0].node, View((count, *shape), (step, *strides), offset)), executor)
    if node.op == "reduce":
        kind, outer, along, inner = node.attrs
        attrs = kind, (count, *outer), along, inner
        return Array(ArrayNode("reduce", (args[0].node,), node.dtype, (count, *node.shape), attrs), executor)
    if node.op == "product":
        return _products(node, args, [id(arg) in given for arg in node.args], count)
    if node.op == "tensor":
        found = _operations(node, args, given, count)
        return _stacked(node, _one_by_one(node, given, count), executor) if found is None else found
    if node.op == "kernel" and node.attrs[0] in MATRICES:
        name, lanes, numbers, together = node.attrs
        many = (each.broadcast_to((count, *arg.shape)).node for each, arg in zip(args, node.args, strict=True))
        attrs = name, lanes * count, numbers, together
        return Array(ArrayNode("kernel", tuple(many), node.dtype, (count, *node.shape), attrs), executor)
    return _stacked(node, _one_by_one(node, given, count), executor)


_MOST_APART = 256
_HOW = "write the function for arrays with one more axis, or go along it by hg.scan"


def _one_by_one(node: ArrayNode, given: dict[int, Array], count: int) -> list[tuple[ArrayNode, ...]]:
    """The operands of each."""
    if not is_known(count) or count > _MOST_APART:
        name = node.attrs[0] if node.op in ("kernel", "tensor") else getattr(node.attrs, "kind", node.op)
        raise LaunchError(f"hg.vmap has no rule for {name}, which is done {count} times then: {_HOW}")
    return [
        tuple([given[id(arg)][number].node if id(arg) in given else arg for arg in node.args])
        for number in range(count)
    ]


def _copy(node: ArrayNode, args: tuple[ArrayNode, ...]) -> ArrayNode:
    return ArrayNode(node.op, args, node.dtype, node.shape, node.attrs, node.held)


def _stacked(node: ArrayNode, operands: Sequence[tuple[ArrayNode, ...]], executor: Executor) -> Array:
    return f.stack([Array(_copy(node, args), executor) for args in operands])


def _products(node: ArrayNode, args: Sequence[Array], many: Sequence[bool], count: int) -> Array:
    m, n, k, turned_a, turned_b, batch = node.attrs[:6]
    sides = []
    for each, arg, some, turned, (rows, columns) in zip(
        args, node.args, many, (turned_a, turned_b), ((m, k), (k, n)), strict=True
    ):
        lengths = (columns, rows) if turned else (rows, columns)
        stack = (arg.size // max(rows * columns, 1),) if batch != 1 else ()
        whole = each.reshape(*((count,) if some else ()), *stack, *lengths)
        sides.append(whole.mT if turned else whole)
    return (sides[0] @ sides[1]).reshape(count, *node.shape)


def _operations(node: ArrayNode, args: Sequence[Array], given: dict[int, Array], count: int) -> Array | None:
    """None where there is no rule."""
    name, result, operands, numbers, _ = node.attrs
    arrays = dict(zip(operands, args, strict=True))
    many = {each for each, arg in zip(operands, node.args, strict=True) if id(arg) in given}
    values = {key: value for key, value in numbers if value is not None}
    if name == "Gather":
        return _gathered(node, arrays, many, values, count)
    counting, alike = _ALIKE.get(name, ("", ()))
    if not many <= set(alike):
        return None
    for each in alike:
        if each in arrays and each not in many:
            arrays[each] = arrays[each].broadcast_to((count, *arrays[each].shape))
    found = apply(name, result, **{**values, counting: values[counting] * count}, **arrays)
    return found.reshape(count, *node.shape)


def _gathered(node: ArrayNode, arrays: dict[str, Array], many: set[str], values: dict[str, Any], count: int) -> Array:
    """Numbers of elements count on in the arrays of all, one behind another."""
    outer, length, inner, chosen = (values[name] for name in ("outer", "axis_len", "inner", "count"))
    x, places = arrays["input"], arrays["indices"]
    if "indices" not in many:
        numbers = {**values, "outer": outer * count}
        return apply("Gather", input=x, indices=places, **numbers).reshape(count, *node.shape)
    if "input" in many:
        x = x.reshape(count, outer, length, inner).transpose(1, 0, 2, 3)
        places = places.reshape(count, chosen) + arange(count, device=x.executor).reshape(count, 1) * length
        length *= count
    numbers = {"outer": outer, "axis_len": length, "inner": inner, "count": count * chosen}
    found = apply("Gather", input=x, indices=places.reshape(-1), **numbers)
    return found.reshape(outer, count, chosen, inner).transpose(1, 0, 2, 3).reshape(count, *node.shape)
