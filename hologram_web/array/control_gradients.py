"""Reverse mode through control flow: a choice of gradients, and a scan backwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .array import Array
from .backward import backward
from .control_flow import ControlFlow, Graph, results_of
from .creation import zeros
from .node import ArrayNode
from .tracing import placeholder
from .types import kind_of

if TYPE_CHECKING:
    from ..runtime.executor import Executor

__all__ = ["of_cond", "of_scan"]

_Found = list[Array | None]


def _floats(nodes: Sequence[ArrayNode]) -> list[int]:
    return [number for number, node in enumerate(nodes) if kind_of(node.dtype) == "f"]


def _nothing(node: ArrayNode, executor: Executor) -> Array:
    return zeros(node.shape, dtype=node.dtype, device=executor)


def _pullback(graph: Graph, given: Sequence[ArrayNode], numbers: Sequence[int], executor: Executor) -> list[ArrayNode]:
    """The cotangents of a graph's float parameters, by those that are given for its roots of these numbers."""
    pairs = [(graph.roots[number], Array(node, executor)) for number, node in zip(numbers, given, strict=True)]
    wanted = [graph.params[number] for number in _floats(graph.params)]
    found = backward(pairs, wanted, executor)
    return [(_nothing(p, executor) if each is None else each).node for p, each in zip(wanted, found, strict=True)]


def _placed(count: int, numbers: Sequence[int], found: Sequence[Array]) -> _Found:
    made: _Found = [None] * count
    for number, each in zip(numbers, found, strict=True):
        made[number] = each
    return made


def of_cond(control: ControlFlow, node: ArrayNode, parts: dict[int, Array], executor: Executor) -> _Found:
    """The gradient of what was chosen."""
    numbers = sorted(parts)
    cotangents = [parts[number].node for number in numbers]
    graphs = []
    for graph in control.graphs:
        given = [placeholder(each.dtype, each.shape) for each in cotangents]
        graphs.append(Graph((*graph.params, *given), tuple(_pullback(graph, given, numbers, executor))))
    found = results_of(ControlFlow("cond", graphs), [*node.args, *cotangents], executor)
    return [None, *_placed(len(node.args) - 1, _floats(node.args[1:]), found)]


def of_scan(control: ControlFlow, node: ArrayNode, parts: dict[int, Array], executor: Executor) -> _Found:
    """A scan that keeps the carry of every round, and one in the other direction with the gradient of a round."""
    (graph,), count, along, steps = control.graphs, control.carries, control.along, control.length
    keeping = Graph(graph.params, (*graph.roots[:count], *graph.params[:count]))
    kept = results_of(ControlFlow("scan", [keeping], count, along, steps, control.reverse), node.args, executor)[count:]
    xs, free = node.args[count : count + along], node.args[count + along :]
    carried = _floats(graph.roots[:count])  # of carries, those with a gradient
    given = [number for number in sorted(parts) if number >= count]  # of what rounds gave, those that got one
    gathered = _floats(free)

    def fresh(nodes: Sequence[Any], less: int = 0) -> list[ArrayNode]:
        return [placeholder(each.dtype, each.shape[less:]) for each in nodes]

    by_carry = fresh([graph.roots[number] for number in carried])
    sums = fresh([free[number] for number in gathered])
    by_y = fresh([graph.roots[number] for number in given])
    pulled = _pullback(graph, [*by_carry, *by_y], [*carried, *given], executor)
    own, numbers = len(carried), _floats(graph.params)
    taken = [number for number in numbers if count <= number < count + along]
    added = [
        (Array(total, executor) + Array(each, executor)).node
        for total, each in zip(sums, pulled[own + len(taken) :], strict=True)
    ]
    roots = (*pulled[:own], *added, *pulled[own : own + len(taken)])
    # In the order of a body's arguments: carries, elements of what it goes along, what is the same in every round.
    params = (*by_carry, *sums, *graph.params[:count], *graph.params[count : count + along], *by_y)
    back = Graph((*params, *graph.params[count + along :]), roots)
    first = [
        parts[number].node if number in parts else _nothing(graph.roots[number], executor).node for number in carried
    ]
    begin = [_nothing(free[number], executor).node for number in gathered]
    rows = [*(each.node for each in kept), *xs, *(parts[number].node for number in given)]
    backwards = ControlFlow("scan", [back], own + len(sums), len(rows), steps, not control.reverse)
    found = results_of(backwards, [*first, *begin, *rows, *free], executor)
    made = _placed(len(node.args), carried, found[:own])
    for number, each in zip(taken, found[own + len(sums) :], strict=True):
        made[number] = each
    for number, each in zip(gathered, found[own : own + len(sums)], strict=True):
        made[count + along + number] = each
    return made
