"""Rounds that all lanes of a block do, apart from the last one, which some do.

`for i in range(lane, n, LANES)` is how lanes share a row. Each lane counts its own rounds, so packets go around such a
loop under a mask, and ask in each round who is left, though it is everybody until the last one. Here the rounds that
the last lane does come first, for all lanes and before any lane is told to stay out; the loop as it was has what is
left. (A row's sum and difference took 0.5 of the time, 2,048 rows of 256 in wasmtime.)

What holds is asked before the loop: that lanes begin at places that grow from the first lane to the last, above zero,
and that nothing wraps. Where it does not there are no such rounds, and the loop as it was has all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..isa.types import Type
from .counters import counts_down, limit_counted, same
from .ir import PRED, Block, Function, Node, Terminator
from .lanes import LaneAnalysis
from .operations import CALLS, DIVISIONS, PURE
from .passes.dce import eliminate_dead
from .turned import copied

__all__ = ["with_whole_rounds"]

_MOST_NODES = 40  # of a round: it is there twice
_LONGEST = 400  # nodes of a function: longer ones are no packets, or compile for long
_LANE = "LANE_IDX_"


def with_whole_rounds(function: Function) -> Function:
    """The function, of whose loops those of one block in which lanes differ in where they begin have the rounds of all
    lanes apart. It stays as it is."""
    size = sum(len(block.nodes) for block in function.blocks)
    if size > _LONGEST or not any(map(_Loop.of, function.blocks)):
        return function
    made = copied(function)
    lanes = LaneAnalysis(made)
    loops = [loop for block in made.blocks if (loop := _Loop.of(block)) is not None and loop.is_shared(made, lanes)]
    for loop in loops:
        loop.write(made, lanes)
    if not loops:
        return function
    eliminate_dead(made)
    made.renumber()
    return made


@dataclass
class _Loop:
    """A loop of one block. `guard` leads to it, by `before` where that is another block, or around it, to `after`;
    `phi` grows by `step` from `begin` and stays below `end`, as `counter` sees to."""

    block: Block
    guard: Block
    before: Block
    after: Block
    back: int
    counter: Node
    phi: Node
    step: int
    end: Node

    @staticmethod
    def of(block: Block) -> _Loop | None:
        """The loop that a block is, if it has this form."""
        if block not in block.end.ways or len(block.predecessors) != 2 or block.end.kind != "branch" or block.end.steps:
            return None
        back = block.predecessors.index(block)
        before = guard = block.predecessors[1 - back]
        if before.end.kind == "jump" and len(before.predecessors) == 1 and not before.phis:
            if any(node.op not in PURE or node.op in DIVISIONS or node.op in CALLS for node in before.nodes):
                return None
            guard = before.predecessors[0]
        after = next(way for way in block.end.ways if way is not block)
        ways = guard.end.ways
        if guard.end.kind != "branch" or guard.end.steps or after not in ways or len(after.predecessors) != 2:
            return None
        if guard in ways or after is block:
            return None
        counter = next((phi for phi in block.phis if counts_down(phi, phi.args[back], block, block)), None)
        if counter is None or len(block.nodes) > _MOST_NODES:
            return None
        asked, truth = guard.end.value, ways[0] is not after
        if asked is None or asked.op not in ("lt", "le") or (asked.op == "lt") is not truth:
            return None
        for phi in block.phis:
            begin, grown = phi.args[1 - back], phi.args[back]
            if grown.op != "add" or grown.args[0] is not phi or not grown.args[1].is_const:
                continue
            assert isinstance(phi.ty, Type)
            step = int(phi.ty.decode(grown.args[1].attr))
            end = limit_counted(counter.args[1 - back], begin, step) if step > 0 else None
            if end is not None and same(asked.args[truth], end) and asked.args[not truth] is begin:
                return _Loop(block, guard, before, after, back, counter, phi, step, asked.args[truth])
        return None

    @property
    def begin(self) -> Node:
        """Where a lane begins."""
        return self.phi.args[1 - self.back]

    def is_shared(self, function: Function, lanes: LaneAnalysis) -> bool:
        """Whether lanes begin at places that grow with them, along the axis of packets, and end at one."""
        shape = lanes.at(self.begin, self.guard)
        assert isinstance(self.begin.ty, Type)
        steps = [step for step in shape.steps if isinstance(step, int) and step >= 0]
        first = next((axis for axis in range(3) if function.block_shape[axis] > 1), 0)
        if len(steps) < 3 or not steps[first] or shape.bits < self.begin.ty.bits or lanes.at(self.end, self.guard).axes:
            return False
        idle = {self.counter, *_counting(self.counter, self.back)}
        used = {arg for node in function.nodes() if node not in idle for arg in node.args}
        return used.isdisjoint(idle) and self._at(self.begin, 0, function, lanes, []) is not None

    def _at(self, node: Node, lane: int, function: Function, lanes: LaneAnalysis, made: list[Node]) -> Node | None:
        """What a value is in the first lane of a block, or in the last one if `lane` is -1."""
        if not lanes.at(node, self.guard).axes:
            return node
        ty = node.ty
        if node.op == "special" and node.attr.startswith(_LANE):
            assert isinstance(ty, Type)
            number = lane % function.block_shape["XYZ".index(node.attr[-1])]
            made.append(Node("const", ty, (), number))
            return made[-1]
        if node.op not in PURE or node.op in DIVISIONS:
            return None
        args = [self._at(arg, lane, function, lanes, made) for arg in node.args]
        if None in args:
            return None
        made.append(Node(node.op, ty, tuple(arg for arg in args if arg is not None), node.attr))
        return made[-1]

    def write(self, function: Function, lanes: LaneAnalysis) -> None:
        block, guard, back, begin = self.block, self.guard, self.back, self.begin
        ty = begin.ty
        assert isinstance(ty, Type)
        if self.before is not guard:
            guard.nodes += self.before.nodes
            self.before.nodes = []
        new = guard.nodes

        def put(op: str, of: Type | str, *args: Node, attr: object = None) -> Node:
            new.append(Node(op, of, args, attr))
            return new[-1]

        def number(value: int) -> Node:
            return put("const", ty, attr=ty.encode(value))

        first, last = (self._at(begin, lane, function, lanes, new) for lane in (0, -1))
        assert first is not None
        assert last is not None
        zero, one = number(0), number(1)
        asked = [
            put("le", PRED, zero, first, attr=ty),
            put("le", PRED, first, last, attr=ty),
            put("lt", PRED, last, self.end, attr=ty),
            put("le", PRED, self.end, number(int(ty.max_value) - self.step), attr=ty),
        ]
        holds = asked[0]
        for other in asked[1:]:
            holds = put("pand", PRED, holds, other)
        far = put("sub", ty, put("sub", ty, self.end, last), one)
        exact = self.step & (self.step - 1) == 0
        by = put("const", Type.U32, attr=self.step.bit_length() - 1) if exact else number(self.step)
        whole = put("select", ty, holds, put("add", ty, put("shr" if exact else "div", ty, far, by), one), zero)
        rest = put("add", ty, begin, put("mul", ty, whole, number(self.step)))
        left = put("bitcast", ty.unsigned, whole, attr=ty) if ty.is_signed else whole
        count = self.counter.ty
        assert isinstance(count, Type)
        assert count is ty.unsigned
        rounds = put("sub", count, left, put("const", count, attr=1))
        some = put("lt", PRED, zero, whole, attr=ty)

        # The rounds of all lanes
        inside, behind = Block(-1), Block(-1)
        inside.predecessors, behind.predecessors = [guard, inside], [guard, inside]
        turn, counter = Node("phi", ty), Node("phi", count)
        now: dict[Node, Node] = {self.counter: counter}
        place = Node("mul", ty, (turn, number(self.step)))
        now[self.phi] = Node("add", ty, (begin, place))
        inside.phis = [turn, counter]
        for phi in block.phis:
            if phi not in now:
                now[phi] = Node("phi", phi.ty)
                inside.phis.append(now[phi])
        inside.nodes = [place, now[self.phi]]
        for node in block.nodes:
            now[node] = Node(node.op, node.ty, tuple(now.get(arg, arg) for arg in node.args), node.attr)
            inside.nodes.append(now[node])
        inside.nodes.append(Node("add", ty, (turn, one)))
        turn.args = zero, inside.nodes[-1]
        for phi in block.phis:
            if phi is not self.phi:
                enters = rounds if phi is self.counter else phi.args[1 - back]
                now[phi].args = enters, now.get(phi.args[back], phi.args[back])
        again = block.end.value
        assert again is not None
        ways = [inside if way is block else behind for way in block.end.ways]
        inside.end = Terminator("branch", ways, now[again], block.end.at)

        # What is left, for some
        def met(entering: Node, coming: Node) -> Node:
            behind.phis.append(Node("phi", entering.ty, (entering, now.get(coming, coming))))
            return behind.phis[-1]

        def behind_of(node: Node, known: dict[Node, Node]) -> Node:
            """The same of the lane's next place."""
            if node not in known:
                args = tuple(behind_of(arg, known) for arg in node.args) if node.op in PURE else node.args
                known[node] = node
                if any(a is not b for a, b in zip(args, node.args, strict=True)):
                    known[node] = Node(node.op, node.ty, args, node.attr)
                    behind.nodes.append(known[node])
            return known[node]

        known = {begin: rest}
        for phi in block.phis:
            args = list(phi.args)
            entering = args[1 - back]
            if phi in (self.phi, self.counter):
                args[1 - back] = behind_of(entering, known)
            else:
                args[1 - back] = met(entering, args[back])
            phi.args = tuple(args)
        edge = self.after.predecessors.index(guard)
        for phi in self.after.phis:
            args = list(phi.args)
            args[edge] = met(args[edge], args[1 - edge])
            phi.args = tuple(args)
        assert guard.end.value is not None
        asks = behind_of(guard.end.value, known)
        behind.end = Terminator("branch", list(guard.end.ways), asks, guard.end.at)
        guard.end = Terminator("branch", [inside, behind], some, guard.end.at)
        for target in behind.end.ways:
            target.predecessors = [behind if other is guard else other for other in target.predecessors]
        where = function.blocks.index(guard) + 1
        function.blocks[where:where] = [inside, behind]
        out = Block(-1)
        out.predecessors, out.end = [block], Terminator("jump", [self.after], None, block.end.at)
        block.end.ways = [way if way is block else out for way in block.end.ways]
        self.after.predecessors = [out if other is block else other for other in self.after.predecessors]
        where = function.blocks.index(block) + 1
        function.blocks[where:where] = [out]


def _counting(counter: Node, back: int) -> tuple[Node, ...]:
    """What only the counter needs."""
    step = counter.args[back]
    return step, step.args[1], step.args[1].args[0], step.args[1].args[0].args[0]
