"""How many steps a lane takes: a condition under which no lane of a launch can use up its budget.

A loop goes around as often as a counter of its header can change: one that only grows or, as LOOP's, only falls runs
through its interval (`bounds.py`) at most; one that is shifted right ends after as many rounds as it has bits. Where
every loop has such a counter, the steps of a lane are at most the sum over all ways back of the product of the visits
of the loops around them.
"""

from __future__ import annotations

from ..isa.types import Type
from .bounds import Bounds, Interval
from .counters import counts_down
from .dominance import loop_body
from .ir import Block, Function, Node

__all__ = ["within_budget"]

_MOST = 1 << 40  # visits and steps that constants give stay below: no budget is larger


def within_budget(function: Function, bounds: Bounds) -> tuple[Node, ...] | None:
    """Conditions under which every lane takes at most as many steps as the special value STEPS says.

    None if nothing is known of a loop, or if no step is taken at all.
    """
    tree = bounds.tree
    stepping = [block for block in tree.order if block.end.steps]
    if not stepping or not bounds.reducible:
        return None
    loops: dict[Block, set[Block]] = {}
    visits: dict[Block, Node] = {}
    conditions: dict[Node, None] = {}
    for header in tree.order:
        sources = [block for block in header.predecessors if tree.dominates(header, block)]
        if not sources:
            continue
        found = _visits(bounds, header, sources)
        if found is None:
            return None
        loops[header] = loop_body(header, sources)
        visits[header], needed = found
        conditions.update(dict.fromkeys(needed))
    total = bounds.const(0)
    for block in stepping:
        product = bounds.const(1)
        for header, body in loops.items():
            if block in body:
                product = bounds.op("mul", product, visits[header])
                if product.is_const and product.attr > _MOST:
                    return None
        total = bounds.op("add", total, product)
    steps = bounds.node("special", Type.I64, attr="STEPS")
    return (*conditions, bounds.compare("le", total, steps))


def _visits(bounds: Bounds, header: Block, sources: list[Block]) -> tuple[Node, tuple[Node, ...]] | None:
    """How often a loop's header is reached each time the loop is entered, at most."""
    for phi in header.phis:
        if not isinstance(phi.ty, Type) or not phi.ty.is_integer:
            continue
        back = [(arg, b) for arg, b in zip(phi.args, header.predecessors, strict=True) if b in sources]
        if all(_halves(bounds, phi, arg, source, header) for arg, source in back):
            return bounds.const(phi.ty.bits + 1), ()
        changes = (_grows, counts_down)
        if not any(all(change(phi, arg, source, header) for arg, source in back) for change in changes):
            continue
        interval = bounds.interval(phi, header)
        if interval is not None and interval.high - interval.low < _MOST:
            return _length(bounds, interval), interval.conditions
    return None


def _length(bounds: Bounds, interval: Interval) -> Node:
    if interval.lo.is_const:
        return bounds.op("add", interval.hi, bounds.const(1 - int(Type.I64.decode(interval.lo.attr))))
    return bounds.op("add", bounds.op("sub", interval.hi, interval.lo), bounds.const(1))


def _grows(phi: Node, arg: Node, source: Block, header: Block) -> bool:
    """By a positive constant, without wrapping: the interval has that among its conditions."""
    assert isinstance(phi.ty, Type)
    return arg.op == "add" and arg.args[0] is phi and arg.args[1].is_const and phi.ty.decode(arg.args[1].attr) > 0


def _halves(bounds: Bounds, phi: Node, arg: Node, source: Block, header: Block) -> bool:
    """Shifted right, and not zero where the loop goes on."""
    assert isinstance(phi.ty, Type)
    shifted = arg.op == "shr" and arg.args[0] is phi and arg.args[1].is_const and not phi.ty.is_signed
    return shifted and 0 < arg.args[1].attr < phi.ty.bits and bounds.is_positive(arg, source, header)
