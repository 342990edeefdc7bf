"""How packets of lanes hold values: as one number for all lanes, as that of the first, or as a vector."""

from __future__ import annotations

from collections.abc import Iterable

from ..isa.types import Type
from .escapes import uses
from .ir import Node
from .operations import CALLS, EFFECTS, LEAVES
from .out_of_ssa import Lowered, Variable
from .reducible import WAY
from .shapes import ANY, Stride

__all__ = ["Forms"]


class Forms:
    """How values are held: 0 for one number, a step for the first lane's, `ANY` for a vector. Packets lie along x.

    `alike` are variables that the block sets, for all of its lanes. `mixed` says that loops have several entries, so
    that nobody tells which lanes are in the same round: no phi is alike then, and lanes that are off keep theirs. So do
    lanes with variables that each has `apart`, across barriers that they may not all stop at.
    """

    def __init__(
        self,
        lowered: Lowered,
        alike: Iterable[Variable] = (),
        mixed: bool = False,
        apart: Iterable[Variable] = (),
    ) -> None:
        self.lowered, self.mixed, lanes = lowered, mixed, lowered.lanes
        self.variables: dict[Variable, Stride] = {}
        # Those that are used outside of a loop that sets them.
        self.escaping: set[Variable] = set(lowered.variables.values()) if mixed else set()
        self._known: dict[Node, Stride] = {}
        definitions: list[tuple[Variable, Node, bool]] = []
        fixed, kept = set(alike), set(apart)
        self.escaping |= kept
        for node, variable in lowered.variables.items():
            step = ANY if (mixed and node.op == "phi") or variable in kept else self._step(lanes.of(node).steps[0])
            self.variables[variable] = 0 if variable in fixed else step
        home, around = lanes.homes, lanes.around
        # Of phis of loops from how many places lanes come to the loop.
        self.headers = {
            lowered.variables[phi]: sum(block not in around[before] for before in block.predecessors)
            for block in lowered.function.blocks
            if block in around and block in around[block]
            for phi in block.phis
            if phi in lowered.variables
        }
        for block in lowered.function.blocks:
            if block not in around:
                continue
            for node, user in uses(block, lowered):
                variable = lowered.variables[node]
                if variable in fixed:
                    continue
                if self._step(lanes.at(node, user).steps[0]) != self.variables[variable]:
                    self.variables[variable] = ANY
                if any(header not in around[user] for header in around.get(home[node], ())):
                    self.escaping.add(variable)
            phis = [phi for phi in block.phis if phi in lowered.variables]
            definitions += [(lowered.variables[phi], arg, False) for phi in phis for arg in phi.args if arg is not phi]
            definitions += [(lowered.variables[node], node, True) for node in block.nodes if node in lowered.variables]
        uniform = [
            block
            for block in lowered.function.blocks
            if block in around and len(block.end.ways) > 1 and not lanes.divergent.get(block, 0) & 1
        ]
        # What analysis says of values holds of how they are computed, too: else they are vectors.
        changed = True
        while changed:
            changed = False
            self._known.clear()
            for variable, node, computes in definitions:
                mine = self.variables[variable]
                found = self._computed(node) if computes else self.of(node)
                if (mine != ANY and found not in (mine, 0)) or (mine not in (0, ANY) and found != mine):
                    self.variables[variable] = ANY
                    changed = True
            # All lanes take one way by a uniform predicate. Held as a vector, it has both ways stand behind each other
            # nevertheless, and a number that one of them sets is lost in the other.
            for block in uniform:
                assert block.end.value is not None
                if self.of(block.end.value) != 0:
                    for phi in (phi for join in lanes.meeting(block) for phi in join.phis if phi in lowered.variables):
                        changed |= self.variables[lowered.variables[phi]] != ANY
                        self.variables[lowered.variables[phi]] = ANY
        self.wrong = {variable for variable in fixed if self.variables[variable] != 0}

    @staticmethod
    def _step(step: Stride) -> Stride:
        return step if isinstance(step, int) else ANY

    def of(self, node: Node) -> Stride:
        """How a value is held, or computed where it is used."""
        variable = self.lowered.variables.get(node)
        if variable is not None:
            return self.variables[variable]
        if node not in self._known:
            self._known[node] = self._computed(node)
        return self._known[node]

    def _computed(self, node: Node) -> Stride:
        if node.op in ("mask", "any"):
            return ANY if node.op == "mask" else 0
        if node.op in LEAVES:
            if node is WAY:  # each lane's own
                return ANY
            own = node.op == "special" and isinstance(node.attr, str)
            return self.lowered.lanes.of(node).steps[0] if own else 0
        if node.op in EFFECTS or node.op in CALLS:
            steps = [self.of(arg) for arg in node.args]
            shape = self.lowered.lanes.of(node)
            return 0 if not shape.axes & 1 and steps.count(0) == len(steps) else ANY
        steps = [self.of(arg) for arg in node.args]
        if steps.count(0) == len(steps):
            return 0
        if ANY in steps or not (isinstance(node.ty, Type) and node.ty.is_integer):
            return ANY
        shape = self.lowered.lanes.of(node)
        step = shape.steps[0]
        return step if isinstance(step, int) and shape.bits >= node.ty.bits else ANY
