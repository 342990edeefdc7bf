"""Bounds proofs: conditions, computed before lanes run, under which their accesses cannot leave their memory.

The index of an access is followed through integer arithmetic, loop counters and the conditions of dominating branches.
What comes out is an interval whose ends are values that are the same for a whole block: parameters, coordinates of the
block, the last coordinates of its lanes; or, for proofs of a whole launch, the last coordinates of its blocks. Nothing
is assumed about them: where a sum might wrap, that it does not is one more condition. A condition that does not hold
proves nothing, and the code that checks runs.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable

from ..isa.address import Space
from ..isa.ops import SCALAR_OPS
from ..isa.types import Type
from .accesses import Check, axes_of, place_of
from .conditions import EXACT, open_conditions, strictest
from .counters import counts_down, is_loop_step, limit_counted, same, upwards
from .dominance import Dominators
from .intervals import ONE_SIDED, POSITIONS, RULES, Interval, either, union
from .ir import PRED, Axis, Block, Function, MemoryAccess, Node
from .operations import COMPARISONS, OPERATIONS
from .ranges import Ranges, remainder_of

__all__ = ["ENDS_OF_PART", "Bounds", "global_axis", "limit_of", "own_limit"]

ENDS_OF_PART = ("FIRST_OF_PART", "LAST_OF_PART")  # special values: the first lane of a part of a row, and the last
_LONG = Type.I64
_FAR = 1 << 40  # ends of intervals stay within, so that 64 bits hold what is made of them
_MANY = 1 << 17  # an index that may be any number below this or a greater one is not worth a condition


def limit_of(access: MemoryAccess) -> tuple[str, object, int]:
    """The name of the special value that is one past the last byte offset at which the access is in bounds."""
    return "limit", access.base, access.reach


def own_limit(function: Function, access: MemoryAccess) -> int:
    """The same of local memory, whose size is known."""
    return max(function.local_memory - access.element.size_bytes + 1, 0)


def global_axis(node: Node, shape: tuple[int, int, int]) -> str | None:
    """The axis along which a node is a lane's place in the launch: block * its lanes + place in the block."""
    for block, lane in (node.args, node.args[::-1]) if node.op == "add" else ():
        if lane.op != "special" or not lane.attr.startswith("LANE_IDX_") or block.op not in ("mul", "shl"):
            continue
        axis, (first, size) = str(lane.attr[-1]), block.args
        if first.op == "special" and first.attr == f"BLOCK_IDX_{axis}" and size.is_const:
            lanes = size.attr if block.op == "mul" else 1 << size.attr
            return axis if lanes == shape["XYZ".index(axis)] else None
    return None


class Bounds:
    """Proofs for a function, by block or for a whole launch.

    `known` tells which nodes a block knows before its lanes run, besides parameters. `part`: of a part of each row.
    """

    def __init__(
        self,
        function: Function,
        known: Callable[[Node], bool] = lambda node: False,
        *,
        launch: bool = False,
        part: bool = False,
    ) -> None:
        self._launch, self._part, self._function = launch, part, function
        self._ranges = Ranges(function)
        self._nodes: dict[object, Node] = {}
        self._intervals: dict[tuple[Node, Block], Interval | None] = {}
        self._active: set[tuple[Node, Block]] = set()
        self.tree = Dominators(function.blocks[0], lambda block: block.end.ways)
        self.home = {n: b for b in self.tree.order for n in (*b.phis, *b.nodes)}
        number, dominates = self.tree.number, self.tree.dominates
        self.reducible = all(
            number[way] > number[block] or dominates(way, block) for block in number for way in block.end.ways
        )
        # In a loop with two entries nobody tells which of the values that the block knows are of the same round.
        self._known = known if self.reducible else lambda node: False
        self._facts: dict[Block, tuple[tuple[Node, bool], ...]] = {}
        for block in self.tree.order:
            parent = self.tree.immediate[block]
            above = self._facts.get(parent, ())
            alone = block.predecessors == [parent]
            self._facts[block] = above + (self.edge(parent, block) if alone else ())

    def prove(self, effects: Iterable[Node], known: Container[Check] = ()) -> tuple[list[Node], set[Check]]:
        """Conditions, and what accesses need not check where all of them hold. What is `known` needs no proof.

        An access is in bounds if it is where its axes are: these are proven, or checked before.
        """
        conditions: dict[Node, None] = {}
        proven: set[Check] = set()

        def note(check: Check, wanted: list[Node]) -> None:
            undecided = open_conditions(wanted)
            if undecided is not None:
                conditions.update(dict.fromkeys(undecided))
                proven.add(check)

        for node in effects:
            access = place_of(node)
            if access is None or not (access.checked or access.axes):
                continue
            block, given = self.home[node], dict[Node, Interval | None]()
            for number, (axis, index, length) in enumerate(axes_of(node)):
                found, end = self.interval(index, block), self._length(length)
                if end is None:
                    continue
                vague = found is None or (found.hi.is_const and found.high >= _MANY)
                if found is not None and not vague and (node, number) not in known:
                    found = self.within(found, -_FAR, _FAR)
                    wanted = [*found.conditions, *end.conditions]
                    if found.low + axis.offset < 0:
                        wanted.append(self.compare("le", self.const(0), self.plus(found.lo, axis.offset)))
                    note((node, number), [*wanted, self.compare("lt", self.plus(found.hi, axis.offset), end.lo)])
                if not index.is_const:
                    given[index] = self._inside(index, given.get(index), axis, end)
            if not access.checked or node in known:
                continue
            found = self._assuming(node.args[0], block, given)
            if found is None or abs(access.offset) > _FAR or (found.hi.is_const and found.high >= _MANY):
                continue
            found = self.within(found, -_FAR, _FAR)
            low, high = (self._byte(end, access) for end in (found.lo, found.hi))
            wanted, most = [*found.conditions], found.high * access.scale + access.offset + access.reach
            if access.base.space is Space.LOCAL:
                wanted.append(self.compare("lt", high, self.const(own_limit(self._function, access))))
            elif access.base.space is not Space.SHARED or most > self._function.shared_memory:  # launches may have more
                wanted.append(self.compare("lt", high, self.node("special", _LONG, attr=limit_of(access))))
            if found.low * access.scale + access.offset < 0:
                wanted.append(self.compare("le", self.const(0), low))
            note(node, wanted)
        return strictest(conditions), proven

    def always(self, node: Node, truth: bool) -> list[Node] | None:
        """Conditions under which a predicate is true, or false, for all lanes; None if nothing is known."""
        if node.op == "pnot":
            return self.always(node.args[0], not truth)
        if node.op == ("pand" if truth else "por"):
            several = [self.always(arg, truth) for arg in node.args]
            return None if None in several else [condition for found in several for condition in found or ()]
        opposite = OPERATIONS[node.op].opposite
        if not opposite or node.attr.is_float:
            return None
        a, b = (self.interval(arg, self.home.get(node, self.tree.order[0])) for arg in node.args)
        if a is None or b is None:
            return None
        within = self.compare(node.op, a.hi, b.lo) if truth else self.compare(opposite, b.hi, a.lo)
        return [*a.conditions, *b.conditions, within]

    def special(self, name: str) -> Node:
        """A special value of conditions."""
        return self._long(self.node("special", Type.U32, attr=name))

    def _length(self, node: Node) -> Interval | None:
        """The length of an axis: one that is negative is below every index, as is 0."""
        if node.op == "bitcast":  # of such a one to U32
            node = node.args[0]
        zero = node.op == "max" and node.args[1].is_const and not node.args[1].attr
        return self._plain(node.args[0] if zero else node)

    def _inside(self, index: Node, interval: Interval | None, axis: Axis, length: Interval) -> Interval:
        """The interval of an index that was checked against the length of its axis.

        Nothing else that is known of it is used: so all accesses of an array have one condition, that its axes fit the
        buffer (with those of each index blocks of 16 x 16 lanes of `luminance` took a seventh longer).
        """
        assert isinstance(index.ty, Type)
        least, most = self.const(-axis.offset), self.plus(length.hi, -1 - axis.offset)
        found = Interval(least, most, -axis.offset, length.high - 1 - axis.offset, length.conditions)
        if interval is not None:
            lo, hi = self.op("max", interval.lo, least), self.op("min", interval.hi, most)
            low, high = max(interval.low, found.low), min(interval.high, found.high)
            found = Interval(lo, hi, low, high, union(interval.conditions, found.conditions))
        return self.within(found, max(int(index.ty.min_value), -_FAR), min(int(index.ty.max_value), _FAR))

    def _assuming(self, node: Node, block: Block, given: dict[Node, Interval | None]) -> Interval | None:
        """The interval of a node that is made of nodes whose intervals are given, or of others."""
        if node in given or not given:
            return given[node] if given else self.interval(node, block)
        plain = self.interval(node, block)
        if node.op in POSITIONS and isinstance(node.ty, Type) and node.ty.bits <= 64:
            args = [self._assuming(arg, block, given) for arg in node.args]
            if all(args) and any(arg is not self.interval(of, block) for arg, of in zip(args, node.args, strict=True)):
                found = RULES[node.op](self, *args)
                if found is not None:
                    plain = self.within(found, max(int(node.ty.min_value), -_FAR), min(int(node.ty.max_value), _FAR))
        given[node] = plain
        return plain

    def _byte(self, index: Node, access: MemoryAccess) -> Node:
        return self.op("add", self.op("mul", index, self.const(access.scale)), self.const(access.offset))

    # Facts

    @staticmethod
    def edge(source: Block, target: Block) -> tuple[tuple[Node, bool], ...]:
        """What holds after going from one block to another: predicates, with whether they are true."""
        if source.end.kind != "branch" or source.end.value is None:
            return ()
        found, work = list[tuple[Node, bool]](), [(source.end.value, source.end.ways[0] is target)]
        while work:
            node, truth = work.pop()
            if node.op == "pnot":
                work.append((node.args[0], not truth))
            elif node.op == ("pand" if truth else "por"):
                work += [(arg, truth) for arg in node.args]
            elif node.op in COMPARISONS and not node.attr.is_float and (truth or node.op != "eq"):
                found.append((node, truth))
        return tuple(found)

    def _refined(self, node: Node, interval: Interval | None, facts: Iterable[tuple[Node, bool]]) -> Interval | None:
        for fact, truth in facts:
            if node not in fact.args or fact.args[0] is fact.args[1]:
                continue
            other = self._plain(fact.args[1] if fact.args[0] is node else fact.args[0])
            if other is None:
                continue
            least = fact.op == "eq" or (fact.args[0] is node) != truth  # the other is a lower bound
            strict = int(fact.op == "lt" if truth else fact.op == "le")
            if interval is None:
                interval = self._anything(node, least)
            if interval is None:
                continue
            lo, hi, low, high, conditions = interval
            if least or fact.op == "eq":
                lo, low = self.op("max", lo, self.plus(other.lo, strict)), max(low, other.low + strict)
            if not least or fact.op == "eq":
                hi, high = self.op("min", hi, self.plus(other.hi, -strict)), min(high, other.high - strict)
            interval = Interval(lo, hi, low, high, union(conditions, other.conditions))
        return interval

    def _plain(self, node: Node) -> Interval | None:
        """The interval of a node without what branches say."""
        return self.interval(node, self.tree.order[0])

    def _anything(self, node: Node, least: bool) -> Interval | None:
        """What is known of a node, of which a lower (`least`) or an upper bound will be known besides."""
        assert isinstance(node.ty, Type)
        if node.ty.bits == 64 and (node.ty.is_signed or least):
            return None
        low, high = int(node.ty.min_value), min(int(node.ty.max_value), _FAR)
        return Interval(self.const(low), self.const(high), low, high)

    # Intervals

    def interval(self, node: Node, block: Block) -> Interval | None:
        """The interval of an integer node for lanes in a block; None if nothing is known."""
        key = node, block
        if key in self._intervals:
            return self._intervals[key]
        if key in self._active or len(self._active) > 100:
            return None
        self._active.add(key)
        found = self._refined(node, self._base(node, block), self._facts[block])
        self._active.discard(key)
        self._intervals[key] = found
        return found

    def entering(self, node: Node, source: Block, target: Block) -> Interval | None:
        """The interval of a node for lanes that go from one block to another."""
        return self._refined(node, self.interval(node, source), self.edge(source, target))

    def _base(self, node: Node, block: Block) -> Interval | None:
        ty = node.ty
        if not isinstance(ty, Type) or not ty.is_integer or ty.bits > 64:
            return None
        if node.is_const:
            value = int(ty.decode(node.attr))
            return Interval(self.const(value), self.const(value), value, value) if abs(value) < 1 << 60 else None
        if node.op == "param" or (node.op != "special" and self._known(node)):
            value_node = self._long(node)
            low, high = (-1 << 63, 1 << 63) if ty.bits == 64 else (int(ty.min_value), int(ty.max_value))
            return self.within(Interval(value_node, value_node, low, high), -_FAR if ty.is_signed else 0, _FAR)
        if node.op == "special":
            return self._special(node)
        if node.op == "phi":
            return self._phi(node)
        axis = global_axis(node, self._function.block_shape) if self._launch else None
        if axis is not None:  # lanes of the last block that are off do not count
            last = self.node("special", Type.U32, attr=f"LAST_ID_{axis}")
            return Interval(self.const(0), self._long(last), 0, self._ranges.of(node)[1])
        found = None
        remainder = remainder_of(node)
        op, operands = ("remainder", remainder) if remainder is not None else (node.op, node.args)
        if op in RULES:
            args = [self.interval(arg, block) for arg in operands if arg.ty != PRED]
            if op in ONE_SIDED and ty.bits <= 32:
                args = [arg or self._anything(node, True) for arg in args]
            if all(args):
                found = RULES[op](self, *args)
        if found is not None:
            found = self.within(found, max(int(ty.min_value), -_FAR), min(int(ty.max_value), _FAR))
        low, high = self._ranges.of(node)
        if found is None and max(-low, high) < _MANY:
            return Interval(self.const(low), self.const(high), low, high)
        return found

    def within(self, interval: Interval, low: int, high: int) -> Interval:
        """The interval with the condition that it lies within limits, where that is not clear."""
        lo, hi, least, most, conditions = interval
        if low <= least and most <= high:
            return interval
        if least < low:
            conditions = union(conditions, (self.compare("le", self.const(low), lo),))
        if most > high:
            conditions = union(conditions, (self.compare("le", hi, self.const(high)),))
        return Interval(lo, hi, max(least, low), min(most, high), conditions)

    def _special(self, node: Node) -> Interval:
        low, high = self._ranges.of(node)
        if self._launch and not node.attr.startswith("GRID_DIM"):
            last = self.node("special", Type.U32, attr=f"LAST_{node.attr}")
            return Interval(self.const(0), self._long(last), 0, high)
        if node.attr == "GLOBAL_LANE_ID":
            first = self._long(self.node("special", _LONG, attr="FIRST_LANE_ID"))
            return Interval(first, self.node("special", _LONG, attr="LAST_LANE_ID"), low, high)
        if self._part and node.attr == "LANE_IDX_X":
            first, last = (self._long(self.node("special", Type.U32, attr=end)) for end in ENDS_OF_PART)
            return Interval(first, last, low, high)
        if node.attr.startswith("LANE_IDX_"):
            last = self.node("special", Type.U32, attr=f"LAST_LANE_IDX_{node.attr[-1]}")
            return Interval(self.const(0), self._long(last), low, high)
        value = self._long(node)
        return Interval(value, value, low, high)

    def _hull(self, intervals: list[Interval | None]) -> Interval | None:
        found: Interval | None = None
        for interval in intervals:
            if interval is None:
                return None
            found = interval if found is None else either(self, found, interval)
        return found

    def _phi(self, phi: Node) -> Interval | None:
        """What ways bring together, and counters: init, then plus steps while below something, or LOOP's."""
        block = self.home[phi]
        ways = list(zip(phi.args, block.predecessors, strict=True))
        back = [(a, b) for a, b in ways if self.tree.dominates(block, b) and a is not phi]
        entering = self._hull(
            [
                self._refined(a, self.interval(a, b), self.edge(b, block))
                for a, b in ways
                if not self.tree.dominates(block, b)
            ]
        )
        if entering is None or not back:
            return entering
        assert isinstance(phi.ty, Type)
        lo, hi, low, high, conditions = entering
        grows = list[Interval]()
        for arg, source in back:
            counts = arg.op == "sub" and arg.args[0] is phi and is_loop_step(arg.args[1], phi)
            # Halved, as in a tree, it is never more; but what is negative falls on.
            if low >= 0 and (counts or (arg.op == "shr" and arg.args[0] is phi)):
                lo, low = self.const(0), 0
                continue
            steps = self.steps(phi, arg, block)
            if steps is None:
                return None
            nexts = self._below(arg, self._facts[source] + self.edge(source, block), block)
            nexts += [
                (self.op("add", top, steps.hi), limit + steps.high, extra)
                for top, limit, extra in self._below(phi, self._facts[self.home[arg]], block)
            ]
            if not nexts:
                nexts = self._counted(phi, arg.args[1], steps, source, block)
            if not nexts:
                return None
            top, limit, extra = nexts[0]
            hi, high = self.op("max", hi, top), max(high, limit)
            conditions = union(conditions, extra, steps.conditions)
            grows.append(steps)
        for steps in grows:  # the last sum does not wrap, on whichever way back
            if high + steps.high > int(phi.ty.max_value):
                sums = self.compare("le", self.op("add", hi, steps.hi), self.const(int(phi.ty.max_value)))
                conditions = union(conditions, (sums,))
                high = min(high, int(phi.ty.max_value))
        return Interval(lo, hi, low, high, conditions)

    def steps(self, phi: Node, arg: Node, header: Block) -> Interval | None:
        """By what a value grows from round to round, if that is positive in every launch, and known before the loop."""
        found = self._plain(arg.args[1]) if arg.op == "add" and arg.args[0] is phi else None
        if found is None or found.low < 1 or any(self._changes(found._replace(hi=end), header) for end in found[:2]):
            return None
        return found

    def _below(
        self, node: Node, facts: Iterable[tuple[Node, bool]], header: Block
    ) -> list[tuple[Node, int, tuple[Node, ...]]]:
        """Upper bounds of a node by facts."""
        found = []
        for fact, truth in facts:
            upper = fact.args[1] if truth and fact.args[0] is node else None
            if not truth and fact.args[1] is node:
                upper = fact.args[0]
            other = None if upper is None or fact.op == "eq" else self._plain(upper)
            if other is not None and not self._changes(other, header):
                less = -int(fact.op == "lt" if truth else fact.op == "le")
                found.append((self.plus(other.hi, less), other.high + less, other.conditions))
        return found

    def _counted(
        self, phi: Node, step: Node, steps: Interval, source: Block, header: Block
    ) -> list[tuple[Node, int, tuple[Node, ...]]]:
        """An upper bound of a value that grows while a LOOP counts its rounds: these are a known number, or it begins
        below a limit, and the counter as (limit - begin - 1) / step."""
        if len(header.predecessors) != 2:
            return []
        back = header.predecessors.index(source)
        before, begin = header.predecessors[1 - back], phi.args[1 - back]
        facts = self._facts[before] + self.edge(before, header)
        for counter in header.phis:
            if not counts_down(counter, counter.args[back], source, header):
                continue
            rounds = counter.args[1 - back]
            if rounds.is_const and (far := int(rounds.attr) * steps.high) < _FAR:
                first = self.entering(begin, before, header)
                if first is None:
                    return []
                top = self.op("add", first.hi, self.op("mul", self.const(int(rounds.attr)), steps.hi))
                return [(top, first.high + far, first.conditions)]
            end = limit_counted(rounds, begin, step)
            if end is None:
                continue
            begins_below = any(
                (fact.op == "lt") is truth
                and fact.op != "eq"
                and same(upwards(fact.args[truth], step), end)
                and same(upwards(fact.args[not truth], step), begin)
                for fact, truth in facts
            )
            # A branch that always goes one way is there no more.
            wanted = [] if begins_below else self.always(Node("lt", PRED, (begin, end), begin.ty), True)
            found = self._plain(end)
            if found is not None and wanted is not None and not self._changes(found, header):
                return [(self.plus(found.hi, -1), found.high - 1, union(found.conditions, tuple(wanted)))]
        return []

    def is_positive(self, node: Node, source: Block, target: Block) -> bool:
        """Whether what holds on the way from one block to another says that a node is above zero."""
        facts = self._facts[source] + self.edge(source, target)
        found = self._refined(node, self._anything(node, True), facts)
        return found is not None and found.low > 0

    def _changes(self, interval: Interval, header: Block) -> bool:
        """Whether an end of an interval may change in the next round of a loop: the block knows the current value."""
        work, seen = [interval.hi, *interval.conditions], set[Node]()
        while work:
            node = work.pop()
            if node in seen:
                continue
            seen.add(node)
            home = self.home.get(node)
            if home is None:
                work += node.args
            elif self._known(node) and self.tree.dominates(header, home):
                return True
        return False

    # Nodes of 64 bits, each made once

    def node(self, op: str, ty: Type | str, *args: Node, attr: object = None) -> Node:
        """A node of conditions; they are computed before lanes run, exactly."""
        node = Node(op, ty, args, attr)
        return self._nodes.setdefault(node.key, node)

    def const(self, value: int) -> Node:
        if value not in self._nodes:
            self._nodes[value] = self.node("const", _LONG, attr=_LONG.encode(value))
        return self._nodes[value]

    def _long(self, node: Node) -> Node:
        return node if node.ty is _LONG else self.node("cvt", _LONG, node, attr=node.ty)

    def plus(self, node: Node, number: int) -> Node:
        return self.op("add", node, self.const(number))

    def op(self, op: str, a: Node, b: Node) -> Node:
        assert op in EXACT, op
        if a.is_const and b.is_const:
            return self.node("const", _LONG, attr=getattr(SCALAR_OPS, op)(_LONG, a.attr, b.attr))
        row = OPERATIONS[op]
        if (row.itself == "same" and a is b) or (row.commutes and b.is_const and b.attr == row.idle):
            return a
        if op == "add" and b.is_const and a.op == "add" and a.args[1].is_const:
            return self.op("add", a.args[0], self.op("add", a.args[1], b))
        if op in _OTHERS:  # ends of loops' counters are such, often within each other: a file has formulas of some size
            for one, other in ((a, b), (b, a)):
                if one.op == _OTHERS[op] and other in one.args:
                    return other
            (first, plus), (second, number) = _parts(a), _parts(b)
            if first is second:
                return a if (plus < number) == (op == "min") else b
        return self.node(op, _LONG, a, b)

    def compare(self, op: str, a: Node, b: Node) -> Node:
        assert op in EXACT, op
        if a.is_const and b.is_const:
            return self.node("const", PRED, attr=getattr(SCALAR_OPS, op)(_LONG, a.attr, b.attr))
        return self.node(op, PRED, a, b, attr=_LONG)


_OTHERS = {"min": "max", "max": "min"}


def _parts(node: Node) -> tuple[Node, int]:
    """A value as a node plus a number."""
    if node.op == "add" and node.args[1].is_const:
        return node.args[0], int(_LONG.decode(node.args[1].attr))
    return node, 0
