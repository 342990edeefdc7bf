"""Rounds that all lanes of a block do, apart from the last one, which some do.

`for i in range(lane, n, LANES)` is how lanes share a row. Each lane counts its own rounds, so packets go around such a
loop under a mask, and ask in each round who is left, though it is everybody until the last one. Here the rounds that
the last lane does come first, for all lanes and before any lane is told to stay out; the loop as it was has what is
left. (A row's sum and difference took 0.47 of the time, 2,048 rows of 256 in wasmtime.)

What holds is asked before the loop: that lanes begin at places that grow from the first lane to the last, above zero,
and that nothing wraps. Where it does not there are no such rounds, and the loop as it was has all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..isa.types import Type
from .counters import counting_block, limit_counted, same
from .ir import PRED, Block, Function, Node, Terminator, ValueType
from .lanes import LaneAnalysis
from .operations import CALLS, DIVISIONS, PURE
from .passes.dce import eliminate_dead
from .turned import copied

__all__ = ["with_whole_rounds"]

_MOST_NODES = 40  # of a round: it is there twice
_LONGEST = 400  # nodes of a function: longer ones are no packets, or compile for long


def with_whole_rounds(function: Function) -> Function:
    """The function, of whose loops those of one block in which lanes differ in where they begin have the rounds of all
    lanes apart. It stays as it is."""
    if sum(len(block.nodes) for block in function.blocks) > _LONGEST or not any(map(_found, function.blocks)):
        return function
    made = copied(function)
    lanes = LaneAnalysis(made)
    loops = [*filter(None, map(_found, made.blocks))]  # first: writing puts blocks between them
    if not sum([_write(made, loop, lanes) for loop in loops]):
        return function
    eliminate_dead(made)
    made.renumber()
    return made


class _Loop(NamedTuple):
    """A loop of one block. `guard` leads to it, by `before` where that is another block, or around it, to `after`;
    `phi` grows by `step` from `begin` and stays below `end`, as `counter` sees to; only that needs what is `idle`."""

    block: Block
    back: int
    counter: Node
    idle: set[Node]
    guard: Block
    before: Block
    after: Block
    phi: Node
    begin: Node
    step: int
    end: Node


def _found(block: Block) -> _Loop | None:
    """The loop that a block is, if it has this form."""
    counted = counting_block(block, _MOST_NODES)
    if counted is None:
        return None
    back, counter, idle = counted
    before = guard = block.predecessors[1 - back]
    if (
        before.end.kind == "jump"
        and len(before.predecessors) == 1
        and before.nodes == [*filter(_may_move, before.nodes)]
    ):
        guard = before.predecessors[0]
    after = block.end.ways[block.end.ways[0] is block]
    ways, asked = guard.end.ways, guard.end.value
    if asked is None or guard.end.steps or after not in ways or guard in ways or len(after.predecessors) != 2:
        return None
    below = ways[0] is not after
    for phi in block.phis if asked.op == ("lt" if below else "le") else ():
        begin, grown, end = phi.args[1 - back], phi.args[back], asked.args[below]
        if not isinstance(phi.ty, Type) or not phi.ty.is_integer:
            continue
        if grown.op == "add" and grown.args[0] is phi and grown.args[1].is_const and asked.args[not below] is begin:
            step = int(phi.ty.decode(grown.args[1].attr))
            limit = limit_counted(counter.args[1 - back], begin, grown.args[1]) if step > 0 else None
            if limit is not None and same(limit, end):
                return _Loop(block, back, counter, idle, guard, before, after, phi, begin, step, end)
    return None


def _may_move(node: Node) -> bool:
    """Whether a node may be computed where it was not."""
    return node.op in PURE and node.op not in DIVISIONS and node.op not in CALLS


def _write(function: Function, loop: _Loop, lanes: LaneAnalysis) -> bool:
    """Takes the rounds of all lanes apart, if lanes begin at places that grow with them, and end at one."""
    block, back, counter, idle, guard, before, after, phi, begin, step, end = loop
    ty, count, shape = begin.ty, counter.ty, lanes.at(begin, guard)
    assert isinstance(ty, Type)
    assert isinstance(count, Type)
    numbers = {node: "XYZ".index(node.attr[-1]) for node in function.nodes() if f"{node.attr}".startswith("LANE_IDX_")}

    def plain(node: Node) -> bool:
        own = node in numbers or (_may_move(node) and all(map(plain, node.args)))
        return own or not lanes.at(node, guard).axes

    steps = [step for step in shape.steps if isinstance(step, int) and step >= 0]
    if len(steps) < 3 or not steps[0] or shape.bits < ty.bits or lanes.at(end, guard).axes or not plain(begin):
        return False
    # Else lanes in between may begin behind the last: that it begins behind the first is all that is asked.
    if sum(step * (size - 1) for step, size in zip(steps, function.block_shape, strict=True)) >= 1 << ty.bits:
        return False
    if any(not idle.isdisjoint(node.args) for node in function.nodes() if node not in idle):
        return False
    new: list[Node] = []
    constants: list[Node] = []

    def put(op: str, of: ValueType, *args: Node, attr: Any = None) -> Node:
        new.append(Node(op, of, args, attr))
        return new[-1]

    def number(value: int, of: ValueType = ty) -> Node:
        constants.append(Node("const", of, (), value))
        return constants[-1]

    def again(node: Node, known: dict[Node, Node]) -> Node:
        """The same of what is known by another name."""
        if node not in known:
            args = tuple(again(arg, known) for arg in node.args) if node.op in PURE else node.args
            known[node] = node if args == node.args else put(node.op, node.ty, *args, attr=node.attr)
        return known[node]

    first, last = (
        again(begin, {node: number(end * (function.block_shape[axis] - 1), node.ty) for node, axis in numbers.items()})
        for end in (0, 1)
    )
    zero, one, power = number(0), number(1), step & (step - 1) == 0
    holds = put("le", PRED, zero, first, attr=ty)
    for op, a, b in (("le", first, last), ("lt", last, end), ("le", end, number(int(ty.max_value) - step))):
        holds = put("pand", PRED, holds, put(op, PRED, a, b, attr=ty))
    far = put("sub", ty, put("sub", ty, end, last), one)
    by = number(step.bit_length() - 1, Type.U32) if power else number(step)
    rounds = put("add", ty, put("shr" if power else "div", ty, far, by), one)
    whole = put("select", ty, holds, rounds, zero)
    left = put("sub", count, put("bitcast", count, whole, attr=ty), number(1, count))
    rest = put("add", ty, begin, put("mul", ty, whole, number(step)))
    some = put("lt", PRED, zero, whole, attr=ty)
    inside, behind, out = Block(-1), Block(-1), Block(-1)
    guard.nodes += [*(before.nodes if before is not guard else ()), *new]
    if before is not guard:
        before.nodes = []
    new.clear()

    # The rounds of all lanes: their place is counted anew, as proofs want it.
    turn = Node("phi", ty)
    place = put("add", ty, begin, put("mul", ty, turn, one if step == 1 else number(step)))
    now = {each: Node("phi", each.ty, attr=each.attr) for each in block.phis} | {phi: place}
    for node in block.nodes:
        now[node] = put(node.op, node.ty, *(now.get(arg, arg) for arg in node.args), attr=node.attr)
    turn.args = zero, put("add", ty, turn, one)
    others = [each for each in block.phis if each is not phi]
    for each in others:
        now[each].args = left if each is counter else each.args[1 - back], now.get(each.args[back], each.args[back])
    function.blocks[0].nodes[:0] = constants
    inside.phis, inside.nodes = [turn, *(now[each] for each in others)], [*new]
    new.clear()

    # What is left, for some
    def met(entering: Node, coming: Node) -> Node:
        behind.phis.append(Node("phi", entering.ty, (entering, now.get(coming, coming))))
        return behind.phis[-1]

    known = {begin: rest, end: end}
    for each in block.phis:
        enters, goes = each.args[1 - back], each.args[back]
        enters = again(enters, known) if each in (phi, counter) else met(enters, goes)
        each.args = (enters, goes) if back else (goes, enters)
    edge = after.predecessors.index(guard)
    for each in after.phis:
        enters, comes = met(each.args[edge], each.args[1 - edge]), each.args[1 - edge]
        each.args = (comes, enters) if edge else (enters, comes)
    asked, goes_on = guard.end.value, block.end.value
    assert asked is not None
    assert goes_on is not None
    behind.end = Terminator("branch", guard.end.ways, again(asked, known), guard.end.at)
    behind.nodes = new
    at = block.end.at
    guard.end = Terminator("branch", [inside, behind], some, at)
    inside.end = Terminator("branch", [inside if way is block else behind for way in block.end.ways], now[goes_on], at)
    # Lanes that leave the loop meet behind it, not where those are that never came.
    block.end.ways = [way if way is block else out for way in block.end.ways]
    out.end = Terminator("jump", [after], None, at)
    came = {guard: behind, block: out}
    after.predecessors = [came[other] for other in after.predecessors]
    if before is guard:
        block.predecessors[1 - back] = behind
    else:
        before.predecessors = [behind]
    inside.predecessors, behind.predecessors, out.predecessors = [guard, inside], [guard, inside], [block]
    for home, blocks in ((guard, [inside, behind]), (block, [out])):
        where = function.blocks.index(home) + 1
        function.blocks[where:where] = blocks
    return True
