"""ControlFlow flow on values, in functions that are traced: hg.cond, hg.while_loop and hg.scan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import LaunchError, outermost
from ..isa.types import Type
from .array import Array
from .gradient import arrays_in, substituted
from .nested import flattened, paths, unflatten
from .node import ArrayNode, in_order
from .tracing import executor_here, placeholder
from .types import kind_of

if TYPE_CHECKING:
    from ..runtime.executor import Executor

__all__ = ["ControlFlow", "Graph", "cond", "scan", "while_loop"]


class Graph(NamedTuple):
    """A function as nodes: its parameters are placeholders."""

    params: tuple[ArrayNode, ...]
    roots: tuple[ArrayNode, ...]


class ControlFlow:
    """What a node of control flow holds; its results are "part" nodes of it. Its arguments are:

    | kind | graphs | arguments | results |
    |---|---|---|---|
    | `cond` | for true, for false | the condition, operands | what a graph gives |
    | `while` | the test, the body | the state, `more` | the state at last |
    | `scan` | the body | carries, arrays to go along, `more` | carries at last, arrays of what rounds gave |

    A body takes its arguments in this order, and in place of arrays to go along one element of each.
    """

    def __init__(
        self,
        kind: str,
        graphs: Sequence[Graph],
        carries: int = 0,
        along: int = 0,
        length: int = 0,
        reverse: bool = False,
    ) -> None:
        self.kind, self.graphs, self.carries, self.along = kind, tuple(graphs), carries, along
        self.length, self.reverse = length, reverse

    def backward(self, node: ArrayNode, parts: dict[int, Array], executor: Executor) -> list[Array | None]:
        """The cotangents of the arguments, by those of results. Raises LaunchError."""
        from .control_gradients import of_cond, of_scan

        if self.kind == "while":
            raise LaunchError("hg.while_loop has no gradient, as its rounds are not known: use hg.scan")
        return (of_cond if self.kind == "cond" else of_scan)(self, node, parts, executor)


def results_of(control: ControlFlow, args: Sequence[ArrayNode], executor: Executor) -> list[Array]:
    """The results of a node of control flow."""
    owner = ArrayNode("control", tuple(args), Type.F32, (), control)
    graph = control.graphs[-1]
    shapes = [
        (control.length, *root.shape) if control.kind == "scan" and number >= control.carries else root.shape
        for number, root in enumerate(graph.roots)
    ]
    return [
        Array(ArrayNode("part", (owner,), root.dtype, shape, number), executor)
        for number, (root, shape) in enumerate(zip(graph.roots, shapes, strict=True))
    ]


class _Body:
    """A function of a state, traced: its graph, and what it takes from around it."""

    def __init__(self, fn: Callable[..., Any], form: Any, inputs: Sequence[ArrayNode], executor: Executor) -> None:
        self.params = [placeholder(node.dtype, node.shape) for node in inputs]
        args = unflatten(form, iter([Array(node, executor) for node in self.params]))
        leaves, self.form = flattened(fn(*args))
        self.roots = [each.node for each in arrays_in(leaves, executor)[0]]
        depends = {id(node) for node in self.params}
        order = in_order(self.roots)
        for node in order:
            if any(id(arg) in depends for arg in node.args):
                depends.add(id(node))
        inner = [node for node in order if id(node) in depends]
        read = [arg for node in inner for arg in node.args] + self.roots
        free = {id(node): node for node in read if id(node) not in depends and node.op not in ("scalar", "count")}
        # Numbers that are given when the plan runs stay what they are; all else from around is an argument.
        self.free = list(free.values())


def _graphs(bodies: Sequence[_Body]) -> tuple[list[Graph], list[ArrayNode]]:
    """Graphs that take what any of the bodies takes from around it as further arguments."""
    free = list({id(node): node for body in bodies for node in body.free}.values())
    graphs = []
    for body in bodies:
        own = [placeholder(node.dtype, node.shape) for node in free]
        instead = {id(node): other for node, other in zip(free, own, strict=True)}
        roots = substituted(body.roots, {**instead, **{id(node): node for node in body.params}})
        graphs.append(Graph((*body.params, *own), tuple(roots)))
    return graphs, free


def _alike(what: str, form: Any, nodes: Sequence[ArrayNode], other: Any, others: Sequence[ArrayNode]) -> None:
    """Raises LaunchError where two trees of nodes have not one form, types and shapes."""
    if form != other:
        raise LaunchError(f"{what} are trees of one form: the leaves are {_named(form)}, and {_named(other)}")
    for path, one, two in zip(paths(form), nodes, others, strict=True):
        if (one.dtype, one.shape) != (two.dtype, two.shape):
            name = f" {path}" if path else ""
            have = " and ".join(f"{each.dtype}{list(each.shape)}" for each in (one, two))
            raise LaunchError(f"{what} are of one type and shape, not{name} {have}")


def _named(form: Any) -> str:
    return ", ".join(path or "one alone" for path in paths(form)) or "none"


@outermost
def cond(condition: Any, then: Callable[..., Any], otherwise: Callable[..., Any], *operands: Any) -> Any:
    """`then(*operands)` if a condition holds, else `otherwise(*operands)`; both give trees of one form. Raises
    LaunchError."""
    executor = executor_here()
    if executor is None or not isinstance(condition, Array):
        return (then if bool(condition) else otherwise)(*operands)
    if condition.shape or kind_of(condition.dtype) not in "bi":
        raise LaunchError(f"a condition is one bool or integer, not {condition.dtype}{list(condition.shape)}")
    leaves, form = flattened(operands)
    given = [each.node for each in arrays_in(leaves, executor)[0]]
    bodies = [_Body(fn, form, given, executor) for fn in (then, otherwise)]
    _alike("what hg.cond chooses from", bodies[0].form, bodies[0].roots, bodies[1].form, bodies[1].roots)
    graphs, free = _graphs(bodies)
    test = (condition != 0).astype(Type.I32).node
    found = results_of(ControlFlow("cond", graphs), [test, *given, *free], executor)
    return unflatten(bodies[0].form, iter(found))


@outermost
def while_loop(test: Callable[[Any], Any], body: Callable[[Any], Any], state: Any) -> Any:
    """`state = body(state)` as long as `test(state)` holds: a tree of one form and shapes. Raises LaunchError."""
    executor = executor_here()
    leaves, form = flattened((state,))
    if executor is None:
        while bool(test(state)):
            state = body(state)
            for leaf in flattened(state)[0]:
                if isinstance(leaf, Array):
                    leaf.realize()
        return state
    given = [each.node for each in arrays_in(leaves, executor)[0]]
    bodies = [_Body(fn, form, given, executor) for fn in (test, body)]
    if [(root.shape, kind_of(root.dtype) in "bi") for root in bodies[0].roots] != [((), True)]:
        raise LaunchError("the test of hg.while_loop gives one bool or integer")
    _alike("the states of hg.while_loop", form[2][0], given, bodies[1].form, bodies[1].roots)
    flag = bodies[0].roots[0]
    if flag.dtype is not Type.I32:
        bodies[0].roots = [(Array(flag, executor) != 0).astype(Type.I32).node]
    graphs, free = _graphs(bodies)
    found = results_of(ControlFlow("while", graphs, carries=len(given)), [*given, *free], executor)
    return unflatten(form[2][0], iter(found))


@outermost
def scan(
    body: Callable[[Any, Any], tuple[Any, Any]],
    carry: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """`carry, y = body(carry, x)` for each x along the first axis of the arrays in `xs`, or `length` times; gives the
    carry at last, and a tree of arrays of what y were. `reverse` begins at the last x. Raises LaunchError."""
    executor = executor_here()
    if executor is None:
        from .function import ArrayFunction

        return ArrayFunction(  # type: ignore[no-any-return]
            lambda carry, xs: scan(body, carry, xs, length, reverse), (), "scan"
        )(carry, xs)
    leaves, form = flattened((carry, xs))
    given, _ = arrays_in(leaves, executor)
    count = len(flattened(carry)[0])
    lengths = {each.shape[0] if each.shape else -1 for each in given[count:]} | (
        {length} if length is not None else set()
    )
    if len(lengths) != 1 or -1 in lengths:
        told = sorted(lengths - {-1}) if lengths else "none"
        raise LaunchError(
            f"hg.scan goes along the first axis of arrays of one length, or `length` times; lengths are {told}"
        )
    steps = lengths.pop()
    rounds = [each.node for each in given[:count]] + [placeholder(x.dtype, x.shape[1:]) for x in given[count:]]
    made = _Body(partial(_pair, body), form, rounds, executor)
    carry_form, ys_form = made.form[2]
    carries = made.roots[:count]
    _alike("the carries of hg.scan", form[2][0], rounds[:count], carry_form, carries)
    graphs, free = _graphs([made])
    control = ControlFlow("scan", graphs, count, len(given) - count, steps, reverse)
    found = iter(results_of(control, [*(each.node for each in given), *free], executor))
    return unflatten(carry_form, found), unflatten(ys_form, found)


def _pair(body: Callable[[Any, Any], Any], carry: Any, x: Any) -> Any:
    found = body(carry, x)
    if not isinstance(found, tuple) or len(found) != 2:
        raise LaunchError(f"the body of hg.scan gives a pair of the carry and what is kept, not {found!r}")
    return found
