"""If-conversion: where both ways of a branch meet at once and compute little, both are computed and one is selected.

What could fault stays under its condition: accesses, guards, and divisions. So do values that indices are made of,
because their conditions prove bounds, and what conditions guard that say which lanes have anything to do up to a
barrier.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..accesses import access_of, axes_of
from ..bounds import Bounds
from ..dominance import reverse_postorder
from ..ir import PRED, Block, Function, Node, Replaced, Terminator
from ..lanes import LaneAnalysis
from ..operations import EFFECTS
from ..windows import is_window
from .branches import absorb_next
from .costs import total

__all__ = ["convert_ifs"]

_MOST = 10  # additions: what is computed in vain may cost about as much as a branch
_MOST_UNIFORM = 2  # where all lanes of a block go one way

_Sides = tuple[list[Block], Block]


def convert_ifs(function: Function) -> int:
    """Says how many branches became selects."""
    if not any(map(_sides, function.blocks)):
        return 0
    return _Converter(function).run()


def _sides(block: Block) -> _Sides | None:
    """Where the two ways of a branch come from when they meet, and where: `block` itself if nothing is in between."""
    if block.end.kind != "branch" or block.end.steps:
        return None
    a, b = block.end.ways
    after_a, after_b = _after(block, a), _after(block, b)
    if after_a is b:
        return [a, block], b
    if after_b is a:
        return [block, b], a
    return ([a, b], after_a) if after_a is not None and after_a is after_b else None


def _after(block: Block, side: Block) -> Block | None:
    """Where a block goes on that can be computed with the one before it."""
    alone = side.predecessors == [block] and not side.phis and side.end.kind == "jump" and not side.end.steps
    return side.end.ways[0] if alone and not any(node.op in EFFECTS for node in side.nodes) else None


class _Converter:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.barriers = any(block.end.kind == "barrier" for block in function.blocks)
        self.lanes: LaneAnalysis | None = None
        self.replaced = Replaced()
        self.gone: set[Block] = set()
        self.proving: set[Node] | None = None

    def run(self) -> int:
        function, gone = self.function, self.gone
        entry = function.blocks[0]
        count = 0
        for block in reversed(reverse_postorder(entry, lambda block: block.end.ways)):  # inner ones first
            while block not in gone and (found := _sides(block)) is not None and self._pays(block, *found):
                gone.update(side for side in found[0] if side is not block)
                self._convert(block, *found)
                count += 1
                while (joined := absorb_next(block, entry)) is not None:
                    gone.add(joined)
        if count:
            self._settle()
            function.renumber()
        return count

    def _settle(self) -> None:
        """Takes what was converted out of the function: until then blocks and phis that went are still in it."""
        self.function.blocks = [block for block in self.function.blocks if block not in self.gone]
        self.replaced.put_into(self.function.blocks)

    def _merged(self, sources: list[Block], meeting: Block) -> list[tuple[Node, Node, Node]]:
        """The phis, with the values that the two ways bring."""
        first, second = map(meeting.predecessors.index, sources)
        return [
            (phi, self.replaced.final(phi.args[first]), self.replaced.final(phi.args[second])) for phi in meeting.phis
        ]

    def _pays(self, block: Block, sources: list[Block], meeting: Block) -> bool:
        condition = block.end.value
        assert condition is not None
        merged = [found for found in self._merged(sources, meeting) if found[1] is not found[2]]
        spent = total(node for source in sources if source is not block for node in source.nodes)
        spent += total(Node("select", phi.ty, (condition, a, b)) for phi, a, b in merged)
        if spent > _MOST or (self.barriers and is_window(condition)) or self._is_proving(phi for phi, _, _ in merged):
            return False
        return spent <= _MOST_UNIFORM or not self._is_uniform(condition, block)

    def _is_proving(self, phis: Iterable[Node]) -> bool:
        if self.proving is None:
            self.proving = _proving(self.function)
        return any(phi in self.proving for phi in phis)

    def _is_uniform(self, node: Node, block: Block) -> bool:
        if self.lanes is None:
            self._settle()
            self.lanes = LaneAnalysis(self.function)
        return self.lanes.is_uniform(node, block)

    def _convert(self, block: Block, sources: list[Block], meeting: Block) -> None:
        condition = block.end.value
        assert condition is not None
        merged = self._merged(sources, meeting)
        for source in sources:
            if source is not block:
                block.nodes += source.nodes
        kept = [number for number, before in enumerate(meeting.predecessors) if before not in sources]
        alone = not kept
        for phi, a, b in merged:
            value = a if a is b else self._selected(block, condition, a, b)
            phi.args = (*(phi.args[number] for number in kept), value)
            if alone:
                self.replaced[phi] = value
        if alone:
            meeting.phis = []
        meeting.predecessors = [*(meeting.predecessors[number] for number in kept), block]
        block.end = Terminator("jump", [meeting], at=block.end.at)

    def _selected(self, block: Block, condition: Node, a: Node, b: Node) -> Node:
        def node(op: str, *args: Node) -> Node:
            made = Node(op, a.ty, args)
            block.nodes.append(made)
            if self.lanes is not None:
                self.lanes.learn(made)
            return made

        while condition.op == "pnot":
            condition, a, b = condition.args[0], b, a
        if a.ty != PRED:
            return node("select", condition, a, b)
        return node("por", node("pand", condition, a), node("pand", node("pnot", condition), b))


def _proving(function: Function) -> set[Node]:
    """What indices are made of, and what branches compare with that: `bounds.py` asks on which way a value came."""
    facts: dict[Node, list[Node]] = {}  # what a node is compared with
    for block in function.blocks:
        for way in block.end.ways:
            for fact, _ in Bounds.edge(block, way):
                for arg in fact.args:
                    facts.setdefault(arg, []).extend(fact.args)
    found: set[Node] = set()
    accesses = [node for node in function.nodes() if access_of(node) is not None]
    work = [node.args[0] for node in accesses] + [index for node in accesses for _, index, _ in axes_of(node)]
    while work:
        node = work.pop()
        if node not in found and node.op not in EFFECTS:
            found.add(node)
            work += node.args
            work += facts.get(node, [])
    return found
