"""Loop unrolling: a small loop whose number of rounds is known while compiling becomes that many copies of its body.

The rounds are found by running what constants decide: whatever the counter is, and however it wraps. Loops that take
steps stay, since the budget counts their rounds, but for those with barriers, where a target asks for it: blocks take
these steps once for all of their lanes, and do so from copy to copy. Loops with barriers that lanes may go past stay:
of copies nobody could tell that all lanes come to the same one.
"""

from __future__ import annotations

from ..dominance import Dominators, loop_body
from ..ir import Block, Function, Node, Terminator
from ..operations import EFFECTS, PURE
from .costs import DEAR, cost, total
from .dce import remove_unreachable
from .fold import evaluate

__all__ = ["unroll_loops"]

_MOST_ROUNDS = 64
_MOST = 256  # additions of all rounds together: the time that shaders take to compile grows faster than their size
_MOST_BARRIERS = 16  # each cuts the code of lanes in two
_MOST_NODES = 512  # of the function: larger kernels are not written twice, with checks and without

_Known = dict[Node, Node]  # constants that nodes are in one round
_Decisions = list[dict[Block, Block]]  # for each round where those branches go that constants decide


def unroll_loops(function: Function, steps: bool = False) -> int:
    """Says how many loops were unrolled: innermost ones, so that those around them may be next time.

    With `steps` those with barriers that take some, too.
    """
    place = {block: number for number, block in enumerate(function.blocks)}
    if all(place[way] > number for block, number in place.items() for way in block.end.ways):
        return 0
    tree = Dominators(function.blocks[0], lambda block: block.end.ways)
    latches = {
        header: found
        for header in tree.order
        if (found := [block for block in header.predecessors if tree.dominates(header, block)])
    }
    bodies = {header: loop_body(header, found) for header, found in latches.items()}
    count, size = 0, sum(len(block.nodes) for block in function.blocks[1:])
    for header, body in bodies.items():
        if any(other in body for other in latches if other is not header):
            continue
        loop = _Loop(header, [block for block in tree.order if block in body], latches[header], tree)
        decisions = loop.rounds(steps)
        if decisions and size + loop.size <= _MOST_NODES and loop.close(function):
            loop.unroll(function, decisions)
            size += loop.size
            count += 1
    if count:
        remove_unreachable(function)
        function.renumber()
    return count


def _constant(node: Node, known: _Known) -> Node | None:
    return node if node.is_const else known.get(node)


class _Loop:
    """An innermost loop: `body` are its blocks, in an order in which operands come first."""

    def __init__(self, header: Block, body: list[Block], latches: list[Block], tree: Dominators[Block]) -> None:
        self.header, self.body, self.inside = header, body, set(body)
        self.tests = [
            block
            for block in body
            if any(way not in self.inside for way in block.end.ways)
            and all(tree.dominates(block, latch) for latch in latches)
        ]
        self.exits = sum(any(way not in self.inside for way in block.end.ways) for block in body)
        self.barriers = [block for block in body if block.end.kind == "barrier"]
        always = all(tree.dominates(block, latch) for block in self.barriers for latch in latches)
        self.stays, self.steps = not always, any(block.end.steps for block in body)
        self.latches = [number for number, before in enumerate(header.predecessors) if before in self.inside]
        self.entries = [number for number, before in enumerate(header.predecessors) if before not in self.inside]
        self.known: list[_Known] = []  # for each round
        self.copies: list[dict[Block, Block]] = []  # of the blocks that lanes come to, for each round
        self.values: list[dict[Node, Node]] = []  # what nodes are in each round

    # How many rounds

    def rounds(self, steps: bool) -> _Decisions:
        """What is decided in each round, of which the last leaves the loop; nothing if that is not known."""
        found: _Decisions = []
        stays = self.stays or (self.steps and not (steps and self.barriers))
        known = {} if stays else self._phis(self.entries, {})
        if not any(self._is_counted(block.end.value, known) for block in self.tests):
            return found
        self.size = spent = 0
        while known and len(found) < _MOST_ROUNDS:
            computed = self._run(known)
            self.size += len(computed)
            spent += total(computed)
            decided: dict[Block, Block] = {}
            for block in self.tests:
                assert block.end.value is not None
                if (truth := _constant(block.end.value, known)) is not None:
                    decided[block] = block.end.ways[0 if truth.attr else 1]
            found.append(decided)
            self.known.append(known)
            meetings = len(found) * len(self.barriers)
            if not decided or spent > _MOST or meetings > (_MOST_BARRIERS if len(decided) == self.exits else 0):
                return []
            if any(way not in self.inside for way in decided.values()):
                return found
            known = self._phis(self.latches, known)
        return []

    def _is_counted(self, condition: Node | None, known: _Known) -> bool:
        """Whether a condition comes from constants and phis that are constants in the first round."""
        work = [] if condition is None else [condition]
        seen: set[Node] = set()
        while work and known:
            node = work.pop()
            if node not in seen and node not in known and not node.is_const:
                if not node.args or node.op not in PURE:
                    return False
                seen.add(node)
                work += node.args
        return bool(known)

    def _phis(self, ways: list[int], known: _Known) -> _Known:
        """The header's phis that are the same constant on all of those ways."""
        found: _Known = {}
        for phi in self.header.phis:
            values = [_constant(phi.args[way], known) for way in ways]
            if values[0] is not None and all(value is not None and value.attr == values[0].attr for value in values):
                found[phi] = values[0]
        return found

    def _run(self, known: _Known) -> list[Node]:
        """Adds what constants decide in a round to what is known; gives the nodes that are left."""
        left = []
        for block in self.body:
            for node in block.nodes:
                arguments = [_constant(arg, known) for arg in node.args]
                bits = None
                if node.op not in EFFECTS and cost(node) < DEAR and arguments and None not in arguments:
                    bits = evaluate(Node(node.op, node.ty, tuple(filter(None, arguments)), node.attr))
                if bits is None:
                    left.append(node)
                else:
                    known[node] = Node("const", node.ty, (), bits)
        return left

    # Copies

    def close(self, function: Function) -> bool:
        """Lets values leave the loop only through phis of the blocks behind it; says whether that is possible."""
        made = {node for block in self.body for node in (*block.phis, *block.nodes)}
        wanted: dict[Node, Node] = {}
        users: list[Node | Terminator] = []
        for block in function.blocks:
            if block in self.inside:
                continue
            arrivals = [number for number, before in enumerate(block.predecessors) if before not in self.inside]
            found: list[tuple[Node | Terminator, list[Node]]] = [
                *((phi, [phi.args[number] for number in arrivals]) for phi in block.phis),
                *((node, list(node.args)) for node in block.nodes),
                (block.end, [] if block.end.value is None else [block.end.value]),
            ]
            for user, values in found:
                used = [value for value in values if value in made]
                users += [user] if used else []
                wanted.update(dict.fromkeys(used, Node("phi", None)))
        exits = {way: None for block in self.body for way in block.end.ways if way not in self.inside}
        if not wanted:
            return True
        behind, *others = exits
        if others or not self.inside.issuperset(behind.predecessors):
            return False
        for value in wanted:
            wanted[value] = phi = Node("phi", value.ty, (value,) * len(behind.predecessors))
            behind.phis.append(phi)
        for user in users:
            if isinstance(user, Terminator):
                user.value = wanted.get(user.value, user.value) if user.value is not None else None
            else:
                user.args = tuple(wanted.get(arg, arg) for arg in user.args)
        return True

    def unroll(self, function: Function, decisions: _Decisions) -> None:
        """Puts the copies where the loop was."""
        self.decisions = decisions
        start = function.blocks[0]
        constants = {(node.ty, node.attr): node for node in start.nodes if node.is_const}
        fresh: list[Node] = []
        for known in self.known:
            for node, value in known.items():
                key = value.ty, value.attr
                if key not in constants:
                    constants[key] = value
                    fresh.append(value)
                known[node] = constants[key]
        start.nodes = fresh + start.nodes
        for decided in decisions:
            reached = {self.header}
            for block in self.body:
                reached.update(self._ways(block, decided) if block in reached else ())
            self.copies.append({block: Block(-1) for block in self.body if block in reached})
        exits = dict.fromkeys(way for block in self.body for way in block.end.ways if way not in self.inside)
        for number, copies in enumerate(self.copies):
            for block, copy in copies.items():
                self._fill(block, copy, number)
        for block in exits:
            arrivals = self._arrivals(block, range(len(decisions)))
            block.predecessors = [source for source, _ in arrivals]
            for phi in block.phis:
                phi.args = tuple(args[phi] for _, args in arrivals)
        for number in self.entries:
            end = self.header.predecessors[number].end
            end.ways = [self.copies[0][way] if way is self.header else way for way in end.ways]
        place = min(map(function.blocks.index, self.body))
        made = [copy for copies in self.copies for copy in copies.values()]
        kept = [block for block in function.blocks[place:] if block not in self.inside]
        function.blocks = [*function.blocks[:place], *made, *kept]

    def _ways(self, block: Block, decided: dict[Block, Block]) -> list[Block]:
        return [decided[block]] if block in decided else block.end.ways

    def _arrivals(self, block: Block, rounds: range) -> list[tuple[Block, dict[Node, Node]]]:
        """From where copies of a block, or of the edges to it, are reached in some rounds, with what its phis are then.

        Round -1 is what is before the loop.
        """
        found = []
        for number, source in enumerate(block.predecessors):
            if source not in self.inside:
                if -1 in rounds or block not in self.inside:
                    found.append((source, {phi: phi.args[number] for phi in block.phis}))
                continue
            for this in rounds:
                if this >= 0 and source in self.copies[this] and block in self._ways(source, self.decisions[this]):
                    values = self.values[this]
                    args = {phi: values.get(phi.args[number], phi.args[number]) for phi in block.phis}
                    found.append((self.copies[this][source], args))
        return found

    def _fill(self, block: Block, copy: Block, number: int) -> None:
        """The copy of a block in a round."""
        if block is self.header:
            self.values.append(dict(self.known[number]))
        values = self.values[number]
        before = number - 1 if block is self.header else number
        arrivals = self._arrivals(block, range(before, before + 1))
        copy.predecessors = [source for source, _ in arrivals]
        merged = {phi: tuple(args[phi] for _, args in arrivals) for phi in block.phis}
        for phi, args in merged.items():
            if phi not in values:
                values[phi] = args[0] if len(set(args)) == 1 else Node("phi", phi.ty, args)
                copy.phis += [values[phi]] if len(set(args)) > 1 else []
        for node in block.nodes:
            if node not in values:
                args = tuple(values.get(arg, arg) for arg in node.args)
                values[node] = Node(node.op, node.ty, args, node.attr)
                copy.nodes.append(values[node])
        end = block.end
        taken = self._ways(block, self.decisions[number])
        ways = [
            self.copies[number + 1][way] if way is self.header else self.copies[number].get(way, way) for way in taken
        ]
        value = None if end.value is None or len(ways) == 1 else values.get(end.value, end.value)
        kind = "jump" if end.kind == "branch" and value is None else end.kind
        copy.end = Terminator(kind, ways, value, end.at, end.steps and taken[0] is end.ways[0])
