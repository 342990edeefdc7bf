"""ControlFlow flow of graphs as steps of plans: bodies work on buffers of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..isa.types import Type
from ..plan.builder import PlanBuilder
from ..plan.formula import Formula
from .control_flow import ControlFlow, Graph
from .gradient import substituted
from .node import ArrayNode, copy_of, in_order
from .tracing import placeholder
from .view import View, row_major

__all__ = ["add_control"]

Lower = Callable[..., Any]


def add_control(
    plan: PlanBuilder, node: ArrayNode, given: Sequence[str], results: Sequence[str], lower: Lower
) -> list[str]:
    """Adds the steps of a node of control flow, from buffers to buffers; gives the texts of kernels. `lower` is that of
    `planning.py`."""
    control = node.attrs
    assert isinstance(control, ControlFlow)
    made = _Steps(plan, lower)
    if control.kind == "cond":
        test, *operands = given
        plan.when(test, Type.I32, *(_later(made, graph, operands, results) for graph in control.graphs))
        return made.texts
    count = control.carries
    state, more = results[:count], list(given[count:])
    carries = control.graphs[-1].params[:count]
    next_ = [plan.temporary(plan.unused("next"), _size(each)) for each in carries]
    made.copy(carries, given[:count], state)
    if control.kind == "while":
        test_graph, body = control.graphs
        flag = plan.temporary(plan.unused("flag"), 4)
        made.run(test_graph, [*state, *more], [flag])
        with plan.while_(flag, Type.I32):
            made.run(body, [*state, *more], next_)
            made.copy(carries, next_, state)
            made.run(test_graph, [*state, *more], [flag])
        return made.texts
    (graph,) = control.graphs
    with plan.repeat(control.length) as number:
        at = control.length - 1 - number if control.reverse else number
        made.run(_at(graph, control, at, node), [*state, *more], [*next_, *results[count:]], at, count)
        made.copy(carries, next_, state)
    return made.texts


def _size(node: ArrayNode) -> int:
    return node.size * node.dtype.size_bytes


def _later(made: _Steps, graph: Graph, given: Sequence[str], results: Sequence[str]) -> Callable[[], None]:
    return lambda: made.run(graph, given, results)


def _at(graph: Graph, control: ControlFlow, number: Formula, node: ArrayNode) -> Graph:
    """A round of a scan: it takes whole arrays, in place of one element of each."""
    params = list(graph.params)
    instead: dict[int, ArrayNode] = {}
    for place in range(control.carries, control.carries + control.along):
        one, whole = params[place], node.args[place]
        params[place] = placeholder(whole.dtype, whole.shape)
        view = View(one.shape, row_major(one.shape), number * one.size)  # type: ignore[arg-type]  # a formula
        instead[id(one)] = ArrayNode("view", (params[place],), one.dtype, one.shape, view)
    return Graph(tuple(params), tuple(substituted(graph.roots, instead)))


class _Steps:
    """Graphs between buffers, as launches."""

    def __init__(self, plan: PlanBuilder, lower: Lower) -> None:
        self.plan, self.lower = plan, lower
        self.texts: list[str] = []

    def run(
        self, graph: Graph, given: Sequence[str], results: Sequence[str], at: Formula | int = 0, whole: int = 1 << 30
    ) -> None:
        """A graph; results from `whole` on are arrays of which it gives the element `at`."""
        names = {id(param): name for param, name in zip(graph.params, given, strict=True)}
        roots: list[ArrayNode] = []
        first: dict[int, Any] = {}
        for number, (root, result) in enumerate(zip(graph.roots, results, strict=True)):
            if number >= whole or root.op in ("source", "scalar") or any(root is other for other in roots):
                root = copy_of(root)
            if number >= whole:
                first[id(root)] = at * root.size
            names[id(root)] = result
            roots.append(root)
        self.texts += self.lower(roots, in_order(roots), self.plan, names, first).texts

    def copy(self, nodes: Sequence[ArrayNode], sources: Sequence[str], targets: Sequence[str]) -> None:
        """Elements like those of nodes, from buffers to others."""
        params = tuple(placeholder(node.dtype, node.shape) for node in nodes)
        self.run(Graph(params, params), sources, targets)
