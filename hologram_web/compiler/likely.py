"""Code for lanes that find what most of them do: `column - 1 if column > 0 else width - 1` is `column - 1` in it.

Where an index is chosen lane by lane, what it reaches is gathered. But one of the choices mostly lies along the row,
and the lanes that need another are at an end of it. So there is the code behind a choice twice: for lanes that all
choose what lies along the row, and for others, who may be any. A block proves which of its packets go the first way.
(A step of Gray and Scott on 512 x 512 that goes round at its edges took 2.5 times as long as one that leaves them out.)
"""

from __future__ import annotations

from collections.abc import Iterable

from ..isa.types import Type
from .accesses import access_of, axes_of
from .dominance import Dominators
from .ir import PRED, Block, Function, Node, Terminator
from .lanes import LaneAnalysis
from .operations import CHOICES, COMPARISONS, DIVISIONS, EFFECTS, LEAVES, PURE
from .ranges import Ranges
from .shapes import ANY, Shape, Stride, meaning
from .turned import copied

__all__ = ["with_likely"]

_LONGEST = 300  # nodes of a function, all of which may be there twice
_FEW = 64  # lanes are no row
_ANYWHERE = (PURE | LEAVES) - DIVISIONS  # what can be computed before it is wanted; what divides looks at 0 first


def with_likely(function: Function) -> Function:
    """The function with code for lanes whose indices lie along a row, `likely` if a predicate of theirs holds; or
    itself. It stays as it is."""
    if not _worth_looking(function):
        return function
    made = copied(function)
    lanes, tree = LaneAnalysis(made), Dominators(made.blocks[0], lambda block: block.end.ways)
    ranges, addressing = Ranges(made), _addressing(made)
    for block in tree.order:
        if not lanes.around[block]:
            choices = _Choices(block, lanes, ranges, addressing)
            if choices.conditions:
                choices.split(made, tree)
                return made
    return function


def _worth_looking(function: Function) -> bool:
    nodes = list(function.nodes())
    if len(nodes) > _LONGEST or any(block.end.kind in ("barrier", "collective") for block in function.blocks):
        return False
    return any(node.op in CHOICES for node in _addressing(function))


def _addressing(function: Function) -> set[Node]:
    """What places of elements are made of."""
    found = set[Node]()
    work: list[Node] = []
    for node in function.nodes():
        if node.op in EFFECTS and access_of(node) is not None:
            work += [node.args[0], *(index for _, index, _ in axes_of(node))]
    while work:
        node = work.pop()
        if node not in found and node.op in PURE:
            found.add(node)
            work += node.args
    return found


class _Choices:
    """The choices of a block by which its lanes reach elsewhere than along the row, and what they mostly choose.

    `instead` has what stands for nodes where all `conditions` hold: those chosen, and what is made of them.
    """

    def __init__(self, block: Block, lanes: LaneAnalysis, ranges: Ranges, addressing: set[Node]) -> None:
        self.block, self.lanes, self.ranges = block, lanes, ranges
        self.instead: dict[Node, Node] = {}
        self.conditions: dict[Node, None] = {}
        self._shapes: dict[Node, Shape] = {}  # of those that were made
        for node in block.nodes:
            if node.op in PURE and node in addressing:
                self._see(node)

    def _of(self, node: Node) -> Node:
        return self.instead.get(node, node)

    def _step(self, node: Node) -> Stride:
        """How much further along a value is in the next lane, of what stands for it."""
        return (self._shapes.get(node) or self.lanes.at(node, self.block)).steps[0]

    def _see(self, node: Node) -> None:
        args = tuple(map(self._of, node.args))
        chosen = self._chosen(node, args)
        if chosen is not None:
            condition, value = chosen
            if self._is_ready(condition):
                self.conditions[condition] = None
                self.instead[node] = value
                return
        if args != node.args:
            made = self.instead[node] = Node(node.op, node.ty, args, node.attr)
            shapes = [self._shapes.get(arg) or self.lanes.at(arg, self.block) for arg in args]
            self._shapes[made] = meaning(made, self.ranges, shapes)

    def _chosen(self, node: Node, args: tuple[Node, ...]) -> tuple[Node, Node] | None:
        """What is mostly chosen, and if what holds."""
        ty = node.ty
        if node.op not in CHOICES or not isinstance(ty, Type) or not ty.is_integer or self._step(node) != ANY:
            return None
        *predicates, first, second = args
        for value, other, truth in ((first, second, True), (second, first, False)):
            if self._step(value) in (0, ANY) or self._step(other) != 0:
                continue
            if not predicates:
                if node.op == "min" and other.is_const and 0 <= other.attr < _FEW:
                    return None
                args = (value, other) if node.op == "min" else (other, value)
                return Node("le", PRED, args, ty), value
            if predicates[0].op in COMPARISONS:
                return predicates[0] if truth else Node("pnot", PRED, (predicates[0],)), value
        return None

    def _is_ready(self, condition: Node) -> bool:
        """Whether a condition can be computed before anything that the block does."""
        return all(node.op in _ANYWHERE for node in self._needs([condition]))

    def _needs(self, roots: Iterable[Node]) -> list[Node]:
        """What is computed in the block for values, and they; operands come first."""
        found = dict[Node, None]()

        def see(node: Node) -> None:
            if node not in found and self.lanes.homes.get(node, self.block) is self.block and node.op != "phi":
                for arg in node.args:
                    see(arg)
                found[node] = None

        for root in roots:
            see(root)
        return list(found)

    def split(self, function: Function, tree: Dominators[Block]) -> None:
        """Has the rest of the block, and what only it leads to, twice."""
        block, rest = self.block, Block(0)
        ahead = self._needs([*self.conditions, *(node for node in block.nodes if node.op in LEAVES)])
        likely, *others = self.conditions
        for other in others:
            likely = Node("pand", PRED, (likely, other))
            ahead.append(likely)
        before = set(ahead)
        rest.nodes, block.nodes = [node for node in block.nodes if node not in before], ahead
        rest.end, block.end = block.end, Terminator("branch", [], likely, block.end.at)
        for way in dict.fromkeys(rest.end.ways):
            way.predecessors = [rest if other is block else other for other in way.predecessors]
        only = [other for other in tree.order if other is not block and tree.dominates(block, other)]
        again = _Again([rest, *only], self.instead, set(self._shapes))
        again.write([node for node in ahead if node in self.instead])
        first = again.blocks[rest]
        first.predecessors, rest.predecessors = [block], [block]
        block.end.ways = [first, rest]
        place = function.blocks.index(block) + 1
        function.blocks[place:place] = [*again.blocks.values(), rest]
        function.likely = likely
        function.renumber()


class _Again:
    """Writes blocks once more, with other nodes `instead` of some, of which those `besides` are in no block yet.
    `blocks` has the other of each."""

    def __init__(self, blocks: list[Block], instead: dict[Node, Node], besides: set[Node]) -> None:
        self.blocks = {block: Block(0) for block in blocks}
        self._own = besides.union(node for block in blocks for node in (*block.phis, *block.nodes))
        self._instead, self._made = instead, dict[Node, Node]()
        self._nodes: list[Node] = []

    def write(self, first: list[Node]) -> None:
        """Writes all, and first what stands for some nodes of no block of these."""
        for block, other in self.blocks.items():
            other.phis = [Node(phi.op, phi.ty, (), phi.attr) for phi in block.phis]
            self._made.update(zip(block.phis, other.phis, strict=True))
        for block, other in self.blocks.items():  # each after those that have what it uses
            self._nodes = other.nodes
            for node in (*first, *block.nodes):
                self._of(node)
            value = None if block.end.value is None else self._of(block.end.value)
            ways = [self.blocks.get(way, way) for way in block.end.ways]
            other.end = Terminator(block.end.kind, ways, value, block.end.at, block.end.steps)
            other.predecessors = [self.blocks.get(before, before) for before in block.predecessors]
        for block, other in self.blocks.items():
            for phi, again in zip(block.phis, other.phis, strict=True):
                again.args = tuple(map(self._of, phi.args))
            for way in dict.fromkeys(other.end.ways):
                if way not in self.blocks.values():
                    self._enter(way, block, other)

    def _enter(self, way: Block, block: Block, other: Block) -> None:
        """A block is also come to from another one."""
        for number, before in [*enumerate(way.predecessors)]:
            if before is block:
                way.predecessors.append(other)
                for phi in way.phis:
                    phi.args = (*phi.args, self._of(phi.args[number]))

    def _of(self, node: Node) -> Node:
        """What stands for a node."""
        node = self._instead.get(node, node)
        if node not in self._own:
            return node
        if node not in self._made:
            args = tuple(map(self._of, node.args))
            self._made[node] = Node(node.op, node.ty, args, node.attr)
            self._nodes.append(self._made[node])
        return self._made[node]
