"""How many steps and rounds a lane takes: conditions under which no lane can use up its budget, or its patience.

Steps are of loops not proven counted, and a budget of them is exact. Rounds are of all loops, each counted as often as
it costs more than one of the shortest loop: a patience is as many of them as fit into the time that the launch has.

A loop goes around as often as a counter of its header can change: one that only grows or, as LOOP's, only falls runs
through its interval (`bounds.py`) at most; one that is shifted right ends after as many rounds as it has bits. Where
every loop has such a counter, the steps of a lane are at most the sum over all ways back of the product of the visits
of the loops around them.
"""

from __future__ import annotations

from functools import partial, reduce

from ..isa.types import Type
from .bounds import Bounds
from .conditions import open_conditions
from .counters import counts_down
from .dominance import Dominators, loop_body
from .intervals import Interval
from .ir import Block, Function, Node
from .operations import ADDS, EFFECTS
from .passes.costs import total

__all__ = ["cost_of_lane", "weights", "within_budget"]

_MOST = 1 << 40  # visits and steps that constants give stay below: no budget is larger
_ACCESS = 16  # what a checked access costs more than the addition as which it counts (SwiftShader)
_HELD = 1 << 60  # products stay below where 64 bits have to hold them, also a few of them together
_SHORTEST = 8  # what costs one round: more than counter, comparison and branch, so that nothing is ended too early


def cost_of_lane(function: Function) -> int:
    """What a lane costs that goes around no loop, in rounds of the shortest one."""
    return total(function.nodes()) // _SHORTEST + 1


def weights(function: Function) -> dict[int, int]:
    """What a round of each loop costs, loops in it left out, in rounds of the shortest; by the instruction that goes
    back."""
    tree = Dominators(function.blocks[0], lambda block: block.end.ways)
    found: dict[int, int] = {}
    for header, weight in _weights(tree).items():
        for source in _sources(tree, header):
            found[source.end.at] = max(weight, found.get(source.end.at, 1))
    return found


def _weights(tree: Dominators[Block]) -> dict[Block, int]:
    """The same by the header of the loop."""
    bodies = {header: loop_body(header, sources) for header in tree.order if (sources := _sources(tree, header))}
    costs = dict.fromkeys(bodies, 0)
    for block in tree.order:
        around = [header for header, body in bodies.items() if block in body]
        if around:
            accesses = sum(node.op in EFFECTS for node in block.nodes)
            costs[min(around, key=lambda header: len(bodies[header]))] += total(block.nodes) + _ACCESS * accesses
    return {header: max(cost // _SHORTEST, 1) for header, cost in costs.items()}


def _sources(tree: Dominators[Block], header: Block) -> list[Block]:
    """From where a loop goes back to its header; none if it is the header of none."""
    return [block for block in header.predecessors if tree.dominates(header, block)]


def within_budget(bounds: Bounds, rounds: bool = True) -> list[Node] | None:
    """Conditions under which every lane takes at most as many steps as the special value STEPS says, and `rounds` as
    ROUNDS does.

    None if nothing is known of a loop, if a condition never holds, or if there is no loop, and nothing takes steps.
    """
    tree = bounds.tree
    if not bounds.reducible:
        return None
    loops: dict[Block, set[Block]] = {}
    visits: dict[Block, tuple[Node, int]] = {}
    conditions: dict[Node, None] = {}
    for header in tree.order:
        sources = _sources(tree, header)
        if not sources:
            continue
        found = _visits(bounds, header, sources)
        if found is None:
            return None
        loops[header] = loop_body(header, sources)
        visits[header] = found[:2]
        conditions.update(dict.fromkeys(found[2]))
    if len(loops) > 1:  # a limit below where a loop begins takes nothing from the visits of others
        visits = {header: (_none_less(bounds, node), most) for header, (node, most) in visits.items()}
    stepping = {block: 1 for block in tree.order if block.end.steps}
    if not loops and not stepping:
        return None
    for name, counted in (("STEPS", stepping), ("ROUNDS", _weights(tree) if rounds else {})):
        if not counted:
            continue
        sum_ = bounds.const(0)
        for block, weight in counted.items():
            product, most = bounds.const(weight), weight
            for header, body in loops.items():
                if block in body:
                    times, many = visits[header]
                    most *= many
                    if most > _HELD and not rounds:  # code computes it, and not the host
                        conditions[bounds.compare("le", product, bounds.const(_HELD // many))] = None
                        most = _HELD
                    product = bounds.op("mul", product, times)
                    if product.is_const and product.attr > _MOST:
                        return None
            sum_ = bounds.op("add", sum_, product)
        limit = bounds.node("special", Type.I64, attr=name)
        conditions[bounds.compare("le", sum_, limit)] = None
    return open_conditions(conditions)


def _none_less(bounds: Bounds, number: Node) -> Node:
    """A number, or 0 if it is less."""
    unsigned = number.op == "cvt" and isinstance(number.attr, Type) and number.attr.is_unsigned
    return number if unsigned else bounds.op("max", number, bounds.const(0))


def _visits(bounds: Bounds, header: Block, sources: list[Block]) -> tuple[Node, int, tuple[Node, ...]] | None:
    """How often a loop's header is reached each time the loop is entered, at most, a bound of that, and under which
    conditions."""
    for phi in header.phis:
        if not isinstance(phi.ty, Type) or not phi.ty.is_integer:
            continue
        back = [(arg, b) for arg, b in zip(phi.args, header.predecessors, strict=True) if b in sources]
        if all(_halves(bounds, phi, arg, source, header) for arg, source in back):
            return bounds.const(phi.ty.bits + 1), phi.ty.bits + 1, ()
        steps = [bounds.steps(phi, arg, header) for arg, _ in back]
        if None in steps and not all(counts_down(phi, arg, source, header) for arg, source in back):
            continue
        interval = bounds.interval(phi, header)
        if interval is None and all(counts_down(phi, arg, source, header) for arg, source in back):
            interval = _start(bounds, phi, header, sources)
        if interval is not None and interval.high - interval.low < _MOST:
            most = max(interval.high - interval.low, 0) + 1
            return _length(bounds, interval, [step for step in steps if step]), most, interval.conditions
    return None


def _start(bounds: Bounds, phi: Node, header: Block, sources: list[Block]) -> Interval | None:
    """From 0 to where LOOP's counter begins, such as the difference of the ends of a range, less 1."""
    entering = [(arg, b) for arg, b in zip(phi.args, header.predecessors, strict=True) if b not in sources]
    if len(entering) != 1:
        return None
    found = _number(bounds, *entering[0], header)
    return None if found is None or found.high >= 1 << 32 else _from_zero(bounds, found)


def _from_zero(bounds: Bounds, found: Interval) -> Interval | None:
    """From 0 to the end of an interval, on condition that no number in it is negative."""
    condition = bounds.compare("le", bounds.const(0), found.lo)
    if condition.is_const and not condition.attr:
        return None
    conditions = dict.fromkeys((*found.conditions, condition))
    return Interval(bounds.const(0), found.hi, 0, found.high, tuple(c for c in conditions if not c.is_const))


def _number(bounds: Bounds, node: Node, source: Block, header: Block) -> Interval | None:
    """The interval of a number that is congruent to a node of 32 bits, and so is the node if the number fits it."""
    if not isinstance(node.ty, Type) or node.ty.bits != 32 or not node.ty.is_integer:
        return None
    if node.op == "bitcast":
        return _number(bounds, node.args[0], source, header)
    if node.op in ADDS:
        a, b = (_number(bounds, arg, source, header) for arg in node.args)
        if a is None or b is None:
            return None
        if ADDS[node.op] < 0:
            minus = bounds.op("sub", bounds.const(0), b.hi), bounds.op("sub", bounds.const(0), b.lo)
            b = Interval(*minus, -b.high, -b.low, b.conditions)
        ends = bounds.op("add", a.lo, b.lo), bounds.op("add", a.hi, b.hi)
        return Interval(*ends, a.low + b.low, a.high + b.high, tuple(dict.fromkeys((*a.conditions, *b.conditions))))
    if node.op == "div" and node.args[1].is_const:  # in steps: at most as many as without
        a = _number(bounds, node.args[0], source, header)
        if a is None:
            return None
        return _from_zero(bounds, a)
    return bounds.entering(node, source, header)


def _length(bounds: Bounds, interval: Interval, steps: list[Interval]) -> Node:
    """How many numbers an interval has that are a step apart, or some more: steps are taken for powers of two where
    they are known."""
    far = bounds.op("sub", interval.hi, interval.lo)
    if interval.lo.is_const:
        far = bounds.op("add", interval.hi, bounds.const(-int(Type.I64.decode(interval.lo.attr))))
    known = min((step.low for step in steps), default=1)
    if steps and not all(step.lo.is_const for step in steps):
        least = reduce(partial(bounds.op, "min"), [step.lo for step in steps])
        far = bounds.op("div", bounds.op("max", far, bounds.const(0)), bounds.op("max", least, bounds.const(1)))
    elif known > 1:
        far = bounds.op("shr", far, bounds.node("const", Type.U32, attr=known.bit_length() - 1))
    return bounds.op("add", far, bounds.const(1))


def _halves(bounds: Bounds, phi: Node, arg: Node, source: Block, header: Block) -> bool:
    """Shifted right, and not zero where the loop goes on."""
    assert isinstance(phi.ty, Type)
    shifted = arg.op == "shr" and arg.args[0] is phi and arg.args[1].is_const and not phi.ty.is_signed
    return shifted and 0 < arg.args[1].attr < phi.ty.bits and bounds.is_positive(arg, source, header)
