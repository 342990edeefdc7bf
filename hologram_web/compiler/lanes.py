"""Lanes: how values, branches and accesses differ between the lanes of a block that execute them together.

Lanes execute code together in the same rounds of the loops around it. Where they took different ways they wait for each
other at the first block that all of their ways have in common, where they leave a loop in different rounds behind it,
and at barriers. Lanes that have exited do not count, so a branch by which some leave says nothing of those that stay.
What a value is then, along each axis of the block, is its shape (`shapes.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from heapq import heappop, heappush

from ..isa.address import ON_CHIP, Space
from ..isa.verify import Base
from .accesses import access_of
from .dominance import Dominators, loop_body
from .ir import Block, Function, MemoryAccess, Node
from .operations import EFFECTS, OPERATIONS, WRITES
from .ranges import Ranges
from .shapes import ANY, UNIFORM, VARYING, Shape, Stride, either, meaning, opaque, scaled, without

__all__ = ["LaneAnalysis"]

_END = -1  # the number of the block behind all others
_Edges = Callable[[Block], list[Block]]


class LaneAnalysis:
    """`divergent` are the branches by which lanes may go both ways, with the axes along which they part.

    A load with a uniform address is uniform, if no instruction of the function stores to its base. (Another parameter
    may be the same buffer: what lanes store to it then at the same time is a race, whose values nobody may count on.)
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.divergent: dict[Block, int] = {}
        sizes = function.block_shape
        self._axes = sum(1 << axis for axis in range(3) if sizes[axis] > 1)
        self._specials = _specials(sizes)
        self._tree = Dominators(function.blocks[0], lambda block: block.end.ways)
        self._number = self._tree.number
        self.homes = {node: block for block in self._tree.order for node in (*block.phis, *block.nodes)}
        self._shapes: dict[Node, Shape] = {}
        self._ranges = Ranges(function)
        self._met: dict[Block, int] = {}  # by blocks where lanes meet: the axes along which they came different ways
        # By headers of loops that lanes leave in different rounds, and the only block where these meet, or None: axes.
        self._late: dict[Block, dict[Block | None, int]] = {}
        self._written = {_memory(access.base) for access in map(_stored, function.nodes()) if access is not None}
        self._parted: dict[Block, tuple[list[Block], list[tuple[Block, Block | None]]]] = {}
        self._users: dict[Node, list[Node | Block]] | None = None
        self._work: list[Node | Block] = []
        for block in self._tree.order:
            self._sweep(block)
        for header in self._bodies:
            for phi in header.phis:
                self._see(phi)
        while self._work:
            found = self._work.pop()
            if isinstance(found, Block):
                self._branch(found)
            else:
                self._see(found)

    # What is asked

    def of(self, node: Node) -> Shape:
        """How a value differs between the lanes that compute it together."""
        return self._shapes.get(node, VARYING[self._axes])

    def at(self, node: Node, block: Block) -> Shape:
        """The same between lanes that use it together in a block: those that left a loop late have a later value."""
        shape = self.of(node)
        if self._late and (home := self.homes.get(node, block)) is not block:
            axes = 0
            for header in self.around[home]:
                if header in self._late and block not in self._bodies[header]:
                    late = self._late[header]
                    axes |= late.get(None, 0) | late.get(block, 0)
            if axes:
                return without(shape, axes)
        return shape

    def is_uniform(self, node: Node, block: Block | None = None) -> bool:
        """Whether all lanes that compute a value together, or use it together in a block, have the same."""
        return not (self.of(node) if block is None else self.at(node, block)).axes

    def reach(self, node: Node) -> tuple[Stride, Stride, Stride]:
        """How many bytes an access is further along in the next lane of each axis, modulo 2**32 if it is a number."""
        access = access_of(node)
        assert access is not None
        shape = self.at(node.args[0], self.homes[node])
        found = scaled(shape, access.scale, 64)
        if found.bits < 32:
            found = VARYING[found.axes]
        return found.steps

    def kind(self, node: Node) -> str:
        """Where neighbours in a row reach: `uniform`, `contiguous`, `strided` by some number of bytes, or `any`."""
        access = access_of(node)
        assert access is not None
        sizes = self.function.block_shape
        step = self.reach(node)[next((axis for axis in range(3) if sizes[axis] > 1), 0)]
        if step in (0, ANY):
            return "any" if step else "uniform"
        return "contiguous" if step == access.element.size_bytes else "strided"

    def masks(self) -> dict[Block, frozenset[Block]]:
        """For each block the divergent branches after which only some of the lanes come to it.

        Lanes that exit, or wait behind a loop, are no longer among those that come.
        """
        found: dict[Block, set[Block]] = {block: set() for block in self._tree.order}
        for branch in self.divergent:
            stop = self._join[branch]
            work, seen = list(branch.end.ways), {stop, branch}
            while work:
                block = work.pop()
                if block not in seen:
                    seen.add(block)
                    found[block].add(branch)
                    work += block.end.ways
        return {block: frozenset(branches) for block, branches in found.items()}

    def counters(self, block: Block) -> list[Node]:
        """The variables of the loops around a block."""
        return [phi for header in self.around[block] for phi in header.phis]

    def growth(self, node: Node, phi: Node) -> Stride:
        """What a value grows by when a variable of a loop does by 1, and nothing else changes."""
        return self._growth(node, phi, {})

    def _growth(self, node: Node, phi: Node, known: dict[Node, Stride]) -> Stride:
        if node not in known:
            known[node] = ANY  # to a phi that asks for itself
            steps = [self._growth(arg, phi, known) for arg in node.args]
            if node is phi:
                known[node] = 1
            elif not any(step != 0 for step in steps):
                known[node] = 0
            elif OPERATIONS[node.op].kind == "pure":
                shapes = [Shape((step, 0, 0)) if step else UNIFORM for step in steps]
                known[node] = meaning(node, self._ranges, shapes).steps[0]
        return known[node]

    def meeting(self, block: Block) -> list[Block]:
        """Where lanes meet again that part at a block, whether any do or not."""
        return self._ways_of(block)[0]

    def left_late(self) -> list[set[Block]]:
        """The blocks of loops that lanes leave in different rounds, inner ones first."""
        return sorted((self._bodies[header] for header in self._late), key=len)

    def dominates(self, a: Block, b: Block) -> bool:
        """Whether lanes come to a block by another."""
        return self._tree.dominates(a, b)

    def learn(self, node: Node) -> None:
        """Takes up a pure node that was made since."""
        self._shapes[node] = self._meaning(node, [self.of(arg) for arg in node.args])

    # Values

    def _sweep(self, block: Block) -> None:
        """Computes what is known of a block when those before it are."""
        for node in (*block.phis, *block.nodes):
            shape = self._compute(node, block)
            if shape is not None:
                self._shapes[node] = shape
        self._branch(block)

    def _see(self, node: Node) -> None:
        """Computes a value again; who uses it is to be seen again if it is another."""
        shape, old = self._compute(node, self.homes[node]), self._shapes.get(node)
        if shape is not None and old is not None:
            shape = either(old, shape)  # what was lost stays lost, so that this ends
        if shape is not None and shape != old:
            self._shapes[node] = shape
            self._work += self._users_of(node)

    def _users_of(self, node: Node) -> list[Node | Block]:
        if self._users is None:
            users: dict[Node, list[Node | Block]] = {}
            for user in self.homes:
                for arg in user.args:
                    users.setdefault(arg, []).append(user)
            for block in self._tree.order:
                if block.end.value is not None:
                    users.setdefault(block.end.value, []).append(block)
            self._users = users
        return self._users.get(node, [])

    def _compute(self, node: Node, block: Block) -> Shape | None:
        """The shape of a node of a block, or None if nothing is known yet."""
        if node.op == "phi":
            known = [self.at(arg, block) for arg in node.args if arg in self._shapes]
            if not known:
                return None
            found = known[0]
            for other in known[1:]:
                found = either(found, other)
            met = self._met.get(block, 0)
            return without(found, met) if met else found
        if node.ty is None:
            return None
        if self._late:
            return self._meaning(node, [self.at(arg, block) for arg in node.args])
        return self._meaning(node, [*map(self.of, node.args)])

    def _meaning(self, node: Node, args: list[Shape]) -> Shape:
        if node.op == "special":
            return self._specials.get(node.attr, VARYING[self._axes])
        if node.op in EFFECTS:
            access = access_of(node)
            assert access is not None
            own = access.base.space is Space.LOCAL or _memory(access.base) in self._written
            return VARYING[self._axes] if own or node.op == "atomic" else opaque(args)
        return meaning(node, self._ranges, args)

    # Branches

    def _branch(self, block: Block) -> None:
        """Lanes part here: what phis merge where they meet again differs, and what those have that leave loops."""
        value = block.end.value
        axes = 0 if value is None or value not in self._shapes else self.at(value, block).axes
        if not axes & ~self.divergent.get(block, 0):
            return
        self.divergent[block] = self.divergent.get(block, 0) | axes
        meeting, late = self._ways_of(block)
        for join in meeting:
            self._met[join] = self._met.get(join, 0) | axes
            self._work += (phi for phi in join.phis if phi in self._shapes)
        for header, where in late:
            found = self._late.setdefault(header, {})
            if axes & ~found.get(where, 0):
                found[where] = found.get(where, 0) | axes
                for inside in self._bodies[header]:
                    for node in (*inside.phis, *inside.nodes):
                        self._work += (u for u in self._users_of(node) if isinstance(u, Block) or u in self._shapes)

    def _ways_of(self, block: Block) -> tuple[list[Block], list[tuple[Block, Block | None]]]:
        if block not in self._parted:
            self._parted[block] = self._parting(block)
        return self._parted[block]

    def _parting(self, block: Block) -> tuple[list[Block], list[tuple[Block, Block | None]]]:
        """Where lanes meet that part at a block, and the loops that they leave in different rounds."""
        around = self.around[block]
        ends = [way for way in block.end.ways if not (way.end.ways or way.phis)]
        if ends:  # those that leave by it meet nobody
            return [], [(header, end) for header in around for end in ends]
        stop, meeting, reached = self._join[block], set[Block](), dict[Block, Block]()
        heap: list[int] = []
        back: list[tuple[Block, Block]] = []

        def give(target: Block, label: Block) -> None:
            """Lanes come to a block that have the label in common: the block where their ways were last apart."""
            if target in meeting or reached.get(target) is label:
                return
            if target in reached:
                meeting.add(target)
                label = target
            reached[target] = label
            if target is not stop and target is not block:
                heappush(heap, self._number[target])

        for way in block.end.ways:
            give(way, way)
        while heap or back:
            if not heap:  # the next round of loops around it
                rounds, back = back, []
                for source, target in rounds:
                    give(target, reached[source])
                continue
            source = self._tree.order[heappop(heap)]
            for way in source.end.ways:
                if self._number[way] <= self._number[source]:
                    back.append((source, way))
                else:
                    give(way, reached[source])
        late: dict[tuple[Block, Block | None], None] = {}
        for header in around:
            body = self._bodies[header]
            for source in (block, *reached):
                if source is not stop and source in body:
                    for way in source.end.ways:
                        if way not in body:
                            late[header, None if way.end.ways else way] = None
        mixed = self._irreducible if not self._irreducible.isdisjoint((block, *reached)) else ()
        return [*meeting, *self._ragged(block), *mixed], list(late)

    def _ragged(self, block: Block) -> list[Block]:
        """Headers of loops whose rounds are mixed: lanes that part at a block meet at a barrier, and not before."""
        staying = self._staying
        if not all(way in staying for way in block.end.ways):
            return []
        joins, endless = self._staying_joins
        stop, seen = joins[block], dict[Block, None]()
        work = [(block, way) for way in block.end.ways]
        while work:
            before, other = work.pop()
            again = other in endless and before in self._bodies[other] and stop.number != _END
            if other is not stop and other not in seen and other in staying and not again:
                seen[other] = None
                work += ((other, way) for way in other.end.ways)
        barriers = [other for other in seen if other.end.kind == "barrier"]
        mixed = () if self._irreducible.isdisjoint(barriers) else self._irreducible
        return [*(header for barrier in barriers for header in self.around[barrier]), *mixed]

    # The graph

    @cached_property
    def _bodies(self) -> dict[Block, set[Block]]:
        """The blocks of each loop, by its header."""
        latches: dict[Block, list[Block]] = {}
        for block in self._tree.order:
            for way in block.end.ways:
                if self._number[way] <= self._number[block] and self._tree.dominates(way, block):
                    latches.setdefault(way, []).append(block)
        return {header: loop_body(header, sources) for header, sources in latches.items()}

    @cached_property
    def around(self) -> dict[Block, list[Block]]:
        """The headers of the loops around each block."""
        found: dict[Block, list[Block]] = {block: [] for block in self._tree.order}
        for header, body in self._bodies.items():
            for block in body:
                if block in found:
                    found[block].append(header)
        return found

    @cached_property
    def _irreducible(self) -> set[Block]:
        """The blocks of loops with several entries: when lanes part, nobody tells which are in the same round."""
        number, found = self._number, set[Block]()
        for block in self._tree.order:
            for way in block.end.ways:
                if number[way] <= number[block] and not self._tree.dominates(way, block):
                    after = _closure([way], lambda b: b.end.ways)
                    found |= after & _closure([block], self._tree.predecessors.__getitem__)
        return found

    @cached_property
    def _join(self) -> dict[Block, Block]:
        """For each block the first that all its ways have in common."""
        return self._joins(self._tree.order, lambda block: block.end.ways)[0]

    @cached_property
    def _staying(self) -> set[Block]:
        """The blocks that a barrier may follow."""
        barriers = [block for block in self._tree.order if block.end.kind == "barrier"]
        return _closure(barriers, self._tree.predecessors.__getitem__)

    @cached_property
    def _staying_joins(self) -> tuple[dict[Block, Block], set[Block]]:
        """The same for lanes that go on to a barrier, and the loops that they do not leave."""
        staying = [block for block in self._tree.order if block in self._staying]
        return self._joins(staying, lambda block: [way for way in block.end.ways if way in self._staying])

    def _joins(self, blocks: list[Block], ways: _Edges) -> tuple[dict[Block, Block], set[Block]]:
        """For each block the first that all its ways have in common, and the headers of loops that nobody leaves: each
        of their rounds has a block at its end, as all together have."""
        end, present = Block(_END), set(blocks)
        rounds = {
            header: Block(header.number)
            for header, body in self._bodies.items()
            if header in present and all(way in body for block in body if block in present for way in ways(block))
        }
        before: dict[Block, list[Block]] = {block: [] for block in (*blocks, end)}
        before |= {over: [] for over in rounds.values()}
        for block in blocks:
            for way in ways(block) or [end]:
                before[rounds[way] if way in rounds and block in self._bodies[way] else way].append(block)
        before[end] += rounds.values()
        ending = _closure([end], before.__getitem__)
        before[end] += [block for block in blocks if block not in ending]  # loops with several entries and no end
        return Dominators(end, before.__getitem__).immediate, set(rounds)


def _closure(roots: Iterable[Block], ways: _Edges) -> set[Block]:
    """Everything that the roots lead to, themselves included."""
    seen: set[Block] = set()
    work = list(roots)
    while work:
        block = work.pop()
        if block not in seen:
            seen.add(block)
            work += ways(block)
    return seen


def _specials(sizes: tuple[int, int, int]) -> dict[str, Shape]:
    found = {f"{name}_{axis}": UNIFORM for name in ("BLOCK_DIM", "GRID_DIM", "BLOCK_IDX") for axis in "XYZ"}
    weight, weights = 1, list[int]()
    for axis, size in enumerate(sizes):
        steps = [int(axis == other and size > 1) for other in range(3)]
        found[f"LANE_IDX_{'XYZ'[axis]}"] = Shape((steps[0], steps[1], steps[2])) if any(steps) else UNIFORM
        weights.append(weight if size > 1 else 0)
        weight *= size
    found["GLOBAL_LANE_ID"] = Shape((weights[0], weights[1], weights[2])) if any(weights) else UNIFORM
    return found


def _stored(node: Node) -> MemoryAccess | None:
    return access_of(node) if node.op in WRITES else None


def _memory(base: Base) -> object:
    """What a base is a part of: a buffer, or what all bases of the other kinds may share."""
    return base if base.space is Space.BUFFER or base.space in ON_CHIP else None
