"""Derivatives of functions of arrays: hg.grad, value_and_grad, vjp, checkpoint, custom_gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

from ..errors import LaunchError, outermost
from ..isa.types import Type
from ..runtime.executor import Buffer, Executor
from .array import Array, array_of
from .backward import backward
from .creation import default_executor, zeros
from .nested import flattened, paths, unflatten
from .node import ArrayNode, in_order
from .tracing import executor_here, placeholder, tracing
from .types import kind_of

__all__ = ["checkpoint", "custom_gradient", "grad", "value_and_grad", "vjp"]

_recording: ContextVar[int] = ContextVar("how many gradients are being taken", default=0)


@contextmanager
def recorded(executor: Executor) -> Iterator[None]:
    """Functions run within for their graph, with placeholders, and keep what they say of their derivatives."""
    token = _recording.set(_recording.get() + 1)
    try:
        with tracing(executor):
            yield
    finally:
        _recording.reset(token)


def substituted(roots: Sequence[ArrayNode], instead: dict[int, ArrayNode]) -> list[ArrayNode]:
    """The roots with other nodes for some; what depends on these is made anew. Where no gradient is being taken any
    more, nodes that only say what a derivative is are left out."""
    done = not _recording.get()
    made = dict(instead)
    for node in in_order(roots):
        if id(node) in made:
            continue
        if done and node.op == "part" and isinstance(node.args[0].attrs, Boundary):
            arg = node.args[0].args[node.attrs]
            made[id(node)] = made.get(id(arg), arg)
        elif any(id(arg) in made for arg in node.args):
            args = tuple(made.get(id(arg), arg) for arg in node.args)
            made[id(node)] = ArrayNode(node.op, args, node.dtype, node.shape, node.attrs, node.held)
    return [made.get(id(root), root) for root in roots]


def arrays_in(leaves: Sequence[Any], hint: Executor | None = None) -> tuple[list[Array], Executor]:
    """Leaves of arguments as Arrays, and their executor."""
    first = next((leaf.executor for leaf in leaves if isinstance(leaf, (Array, Buffer))), None)
    executor = executor_here() or first or hint or default_executor()
    return [array_of(leaf, executor) for leaf in leaves], executor


class _Recording:
    """A function's graph for some arguments: `inputs` are placeholders for `given`, the leaves of those that are
    differentiated."""

    def __init__(self, fn: Callable[..., Any], args: Any, named: Any, chosen: Sequence[int]) -> None:
        leaves, self.form = flattened(tuple(args[number] for number in chosen))
        others = flattened((args, named))[0]
        _, self.executor = arrays_in(others)
        self.given, _ = arrays_in(leaves, self.executor)
        for path, leaf in zip(paths(self.form), self.given, strict=True):
            if kind_of(leaf.dtype) != "f":
                raise LaunchError(f"gradients are taken by arrays of floats: argument {path} is of {leaf.dtype}")
        self.inputs = [placeholder(leaf.dtype, leaf.shape) for leaf in self.given]
        arguments = list(args)
        parts = unflatten(self.form, iter([Array(node, self.executor) for node in self.inputs]))
        for number, part in zip(chosen, parts, strict=True):
            arguments[number] = part
        with recorded(self.executor):
            self.result = fn(*arguments, **named)

    def backward(self, results: Sequence[tuple[ArrayNode, Array]]) -> list[ArrayNode]:
        """The cotangents of the inputs."""
        with recorded(self.executor):
            found = backward(results, self.inputs, self.executor)
            return [
                (each if each is not None else zeros(node.shape, dtype=node.dtype)).node
                for node, each in zip(self.inputs, found, strict=True)
            ]

    def ended(self, roots: Sequence[ArrayNode], more: Sequence[tuple[ArrayNode, ArrayNode]] = ()) -> list[Array]:
        """The arrays that nodes are with what was given."""
        instead = {id(node): leaf.node for node, leaf in zip(self.inputs, self.given, strict=True)}
        instead |= {id(node): other for node, other in more}
        return [Array(node, self.executor) for node in substituted(roots, instead)]


@outermost
def value_and_grad(
    fn: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives what `fn` gives, a number, and its gradient: trees like the arguments `argnums`. With
    `has_aux`, `fn` gives a pair, of which only the first is differentiated."""
    chosen = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @wraps(fn, updated=())
    @outermost
    def call(*args: Any, **named: Any) -> Any:
        if not all(-len(args) <= number < len(args) for number in chosen):
            raise LaunchError(
                f"gradients by the arguments {chosen} are asked for, and {len(args)} are given by position"
            )
        made = _Recording(fn, args, named, [number % len(args) for number in chosen])
        if has_aux and not (isinstance(made.result, tuple) and len(made.result) == 2):
            raise LaunchError(f"with has_aux=True the function gives a pair, not {made.result!r}")
        loss, aux = made.result if has_aux else (made.result, None)
        if not isinstance(loss, Array) or loss.shape or kind_of(loss.dtype) != "f":
            what = f"an array {loss.shape} of {loss.dtype}" if isinstance(loss, Array) else repr(loss)
            raise LaunchError(
                f"a gradient is that of one number, and the function gives {what}: sum it up, or use hg.vjp"
            )
        one = array_of(1.0, made.executor, dtype=loss.dtype)
        cotangents = made.backward([(loss.node, one)])
        leaves, form = flattened(aux)
        leaves, _ = arrays_in(leaves, made.executor)
        value, *found = made.ended([loss.node, *(leaf.node for leaf in leaves), *cotangents])
        aux = unflatten(form, iter(found[: len(leaves)]))
        grads = unflatten(made.form, iter(found[len(leaves) :]))
        return ((value, aux) if has_aux else value), grads[0] if isinstance(argnums, int) else grads

    return call


@outermost
def grad(fn: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the gradient of `fn`, which gives one number: `value_and_grad` without the value."""
    both = value_and_grad(fn, argnums, has_aux)

    @wraps(fn, updated=())
    @outermost
    def call(*args: Any, **named: Any) -> Any:
        value, found = both(*args, **named)
        return (found, value[1]) if has_aux else found

    return call


@outermost
def vjp(fn: Callable[..., Any], *args: Any, **named: Any) -> tuple[Any, Callable[..., tuple[Any, ...]]]:
    """What `fn` gives, and a function from cotangents of that, a tree of its form, to those of its arguments."""
    made = _Recording(fn, args, named, range(len(args)))
    leaves, form = flattened(made.result)
    results, _ = arrays_in(leaves, made.executor)
    given = [placeholder(each.dtype, each.shape) for each in results]
    pairs = [(each.node, Array(node, made.executor)) for each, node in zip(results, given, strict=True)]
    cotangents = made.backward([pair for pair in pairs if kind_of(pair[0].dtype) == "f"])
    found = made.ended([each.node for each in results])
    arguments = made.form

    @outermost
    def pullback(cotangent: Any) -> tuple[Any, ...]:
        leaves, other = flattened(cotangent)
        if other != form:
            raise LaunchError("cotangents are a tree of the form of the function's result")
        parts, _ = arrays_in(leaves, made.executor)
        for node, part in zip(given, parts, strict=True):
            if part.shape != node.shape:
                raise LaunchError(f"a cotangent has shape {part.shape}; {node.shape} is expected")
        more = [(node, part.astype(node.dtype).node) for node, part in zip(given, parts, strict=True)]
        return unflatten(arguments, iter(made.ended(cotangents, more)))  # type: ignore[no-any-return]

    return unflatten(form, iter(found)), pullback


class Boundary:
    """What a node holds that stands around a part of a graph with a derivative of its own: `count` results, then
    inputs, are its arguments; results are "part" nodes of it."""

    def __init__(self, count: int, pullback: Callable[[list[Array]], list[Array | None]]) -> None:
        self.count, self.pullback = count, pullback

    def backward(self, node: ArrayNode, parts: dict[int, Array], executor: Executor) -> list[Array | None]:
        """What the arguments get: the results nothing."""
        given = [
            parts[number] if number in parts else zeros(arg.shape, dtype=arg.dtype, device=executor)
            for number, arg in enumerate(node.args[: self.count])
        ]
        return [None] * self.count + self.pullback(given)


def _bounded(
    results: list[Array], inputs: list[Array], pullback: Callable[[list[Array]], list[Array | None]]
) -> list[Array]:
    """The results, with another way back to the inputs."""
    nodes = tuple(each.node for each in (*results, *inputs))
    owner = ArrayNode("boundary", nodes, Type.F32, (), Boundary(len(results), pullback))
    return [
        Array(ArrayNode("part", (owner,), each.dtype, each.shape, number), each.executor)
        for number, each in enumerate(results)
    ]


def custom_gradient(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a function say its derivative: `fn` gives its result, and a function from the cotangent of that to those of
    its arguments: one for one, a tuple for several; None for an argument without. Calls give the result alone."""

    @wraps(fn, updated=())
    @outermost
    def call(*args: Any, **named: Any) -> Any:
        pair = fn(*args, **named)
        if not (isinstance(pair, tuple) and len(pair) == 2 and callable(pair[1])):
            name = getattr(fn, "__name__", fn)
            raise LaunchError(f"{name} gives a pair, its result and a function of its cotangent, not {pair!r}")
        result, pullback = pair
        if not _recording.get():
            return result
        inputs, executor = arrays_in(flattened(args)[0])
        leaves, outer = flattened(result)
        results, _ = arrays_in(leaves, executor)

        def back(given: list[Array]) -> list[Array | None]:
            found = pullback(unflatten(outer, iter(given)))
            found = (found,) if len(args) == 1 and not isinstance(found, tuple) else found
            if len(found) != len(args):
                raise LaunchError(
                    f"{fn.__name__} has {len(args)} arguments, and {len(found)} cotangents are given for them"
                )
            made: list[Array | None] = []
            for arg, each in zip(args, found, strict=True):
                count = len(flattened(arg)[0])
                parts = [None] * count if each is None else flattened(each)[0]
                if len(parts) != count:
                    raise LaunchError(f"{fn.__name__} gives cotangents of another form than an argument has")
                made += [None if part is None else array_of(part, executor) for part in parts]
            return made

        return unflatten(outer, iter(_bounded(results, inputs, back)))

    return call


def checkpoint(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose gradient computes again what it computed on the way, in place of keeping it in memory."""

    @wraps(fn, updated=())
    @outermost
    def call(*args: Any, **named: Any) -> Any:
        if not _recording.get():
            return fn(*args, **named)
        leaves, form = flattened((args, named))
        inputs, executor = arrays_in(leaves)
        inner = [placeholder(each.dtype, each.shape) for each in inputs]
        arguments, options = unflatten(form, iter([Array(node, executor) for node in inner]))
        leaves, outer = flattened(fn(*arguments, **options))
        results, _ = arrays_in(leaves, executor)
        instead = {id(node): each.node for node, each in zip(inner, inputs, strict=True)}

        def back(given: list[Array]) -> list[Array | None]:
            wanted = [node for node in inner if kind_of(node.dtype) == "f"]
            pairs = list(zip([each.node for each in results], given, strict=True))
            found = backward(pairs, wanted, executor)
            nodes = iter(substituted([each.node for each in found if each is not None], instead))
            made = iter([None if each is None else Array(next(nodes), executor) for each in found])
            return [next(made) if kind_of(node.dtype) == "f" else None for node in inner]

        primal = [Array(node, executor) for node in substituted([each.node for each in results], instead)]
        return unflatten(outer, iter(_bounded(primal, inputs, back)))

    return call
