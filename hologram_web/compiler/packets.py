"""Packets: the code of a lane as code of several lanes side by side.

A value that all lanes of a packet have alike stays one number, and so does one that grows by a known step from lane to
lane: the first lane's stands for all. Others are vectors. Branches on uniform predicates stay what they are. Where
lanes take different ways these stand behind each other, each under a mask: the lanes that take it. Lanes that leave
wait at the label's end, which is to say that its mask gets them back there; loops go on while any lane does.

The result is trees again. What they have besides is `Under`, a statement for the lanes of a mask, and the predicate
`any`, whether a mask has a lane. Masks are variables of predicates. A mask is never empty where memory is accessed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..isa.types import Type
from .escapes import escaping
from .guarded import by_all, is_short
from .ir import PRED, Node
from .operations import LEAVES
from .out_of_ssa import Assign, Copies, Count, Do, Go, Piece, Statement, Under, Variable
from .packet_forms import Forms
from .passes.costs import cost
from .reducible import WAY
from .shapes import ANY
from .structure import If, Labelled, Stop, Straight, StructuredBranch, StructuredLoop, Tree, ends, steps_in

__all__ = ["Stops", "Straightened", "linear"]

_STOPPED = Node("special", Type.U32, (), "STOPPED")
_LIGHT = 16  # what a way may cost, in additions, that is gone without asking whether any lane takes it


@dataclass
class Straightened:
    """`trees` are the code of a packet, whose lanes are those of `mask` (None: all of them, to the end).

    `staying` are at last those that did not end, if that is asked. `variables` has the nodes of masks, besides those of
    the lanes' own code. `faults` says that lanes may end with one. `stopped` has what `Stops` says of each lane that
    stopped.
    """

    trees: list[Tree]
    mask: Variable | None
    staying: Variable | None
    variables: dict[Node, Variable]
    faults: bool
    stopped: Variable | None = None


@dataclass(frozen=True)
class Stops:
    """What lanes say that stop: at a barrier, by the number of its piece, or for ever."""

    barriers: dict[int, int]
    exited: int


def linear(
    trees: list[Tree],
    forms: Forms,
    given: dict[Node, bool],
    full: int,
    may_fault: Callable[[Node], bool],
    free: int,
    leaves: bool = False,
    whole: bool = False,
    counts: bool = True,
    stops: Stops | None = None,
) -> Straightened:
    """The code of packets, of `full` lanes if all are on at its start. Branches on what is `given` go that way, masks
    are numbered from `free` on. `leaves`: lanes end and others wait. `whole`: nothing is kept for other code. Steps are
    counted if it `counts`. Where lanes stop at barriers of their own, they say what `stops` has."""
    waiting, leaky = set[int](), set[int]()
    root = leaves or not full
    read, late = escaping(trees, forms.lowered.variables) if whole and not forms.mixed else (forms.escaping, set())
    kept = forms.escaping & read
    while True:
        one = _Linearizer(forms, waiting, leaky, root, may_fault, given, free, kept, late)
        one.staying, one.counts, one.lanes = one.new_mask() if leaves else None, counts, full
        if stops is not None:
            one.stops, one.stopped = stops, one.own_number(_STOPPED)
        context = _Context(one.new_mask() if root else None, None)
        one.open += [context.mask] if context.mask is not None else []
        made, leaks = one.code(trees, context)
        known = one.waiting <= waiting and one.leaky <= leaky
        if known and one.root == root:
            return Straightened(made, context.mask, one.staying, one.variables, "fault" in leaks, one.stopped)
        waiting, leaky, root = waiting | one.waiting, leaky | one.leaky, one.root if known else root


@dataclass(eq=False)
class _Context:
    """Lanes that go together. `mask` is which of them are still there; None are all of a full packet."""

    mask: Variable | None
    parent: _Context | None


@dataclass(eq=False)
class _Label:
    """An open construct: whose lanes go to it together, and a mask of lanes that wait for it."""

    number: int
    context: _Context
    left: Variable | None
    latches: list[Piece] = field(default_factory=list)


_Leaks = set[int | str]  # where lanes went that left early: labels, "exit" and "fault"


class _Linearizer:
    """`waiting` are the labels that lanes have to wait at, and `leaky` those of them that not all lanes come to that
    do not fault; `root` says that a packet's lanes may end before it does. They are found as code is made; what was
    made before they were known is made again."""

    def __init__(
        self,
        forms: Forms,
        waiting: set[int],
        leaky: set[int],
        root: bool,
        may_fault: Callable[[Node], bool],
        given: dict[Node, bool],
        free: int,
        escaping: set[Variable],
        late: set[tuple[int, Variable]],
    ) -> None:
        self.forms, self.known, self.root, self.may_fault, self.given = forms, waiting, root, may_fault, given
        self.waiting, self.leaky, self.known_leaky = set[int](), set[int](), leaky
        self.escaping, self.late = escaping, late
        self.staying: Variable | None = None
        self.stops: Stops | None = None
        self.stopped: Variable | None = None
        self.counts, self.lanes = True, 0
        self.open: list[Variable] = []  # masks with lanes that are still to do something
        self.variables: dict[Node, Variable] = {}
        self.labels: list[_Label] = []
        self.free = free
        self._nodes: dict[Variable, Node] = {}

    # Masks

    def new_mask(self) -> Variable:
        variable = Variable(self.free, PRED)
        self.free += 1
        node = self._nodes[variable] = Node("mask", PRED)
        self.variables[node] = variable
        return variable

    def _set(self, variable: Variable, value: Node) -> Straight:
        return Straight(Piece(-1, [Copies(((variable, value),))], "jump"))

    def _of(self, context: _Context) -> Node | None:
        return None if context.mask is None else self._nodes[context.mask]

    def _none(self, variable: Variable) -> Straight:
        return self._set(variable, Node("const", PRED, (), 0))

    # Code

    def code(self, trees: list[Tree], context: _Context) -> tuple[list[Tree], _Leaks]:
        """The code of the lanes of a context, and where lanes leave it for that are not waited for in it."""
        made: list[Tree] = []
        leaks: _Leaks = set()
        for place, tree in enumerate(trees):
            rest = trees[place + 1 :]
            if isinstance(tree, If) and tree.condition in self.given:
                inside, leaks = self.code((tree.then if self.given[tree.condition] else tree.otherwise) + rest, context)
                return made + inside, leaks
            staying: list[Tree] = []
            if isinstance(tree, If) and self.forms.of(tree.condition) != 0:
                tree, staying = self._leaving(tree)
                rest = staying + rest
            found, some = self._tree(tree, context)
            made += found
            leaks |= some
            if rest and (some or staying):
                inside, more = self.code(rest, context)
                mask = self._of(context)
                asks = some and mask is not None and not self._soon_asks(inside, mask)
                made += [If(self._any(mask), inside, [])] if asks and mask is not None else inside
                leaks |= more
                break
        return made, leaks

    def _soon_asks(self, trees: list[Tree], mask: Node) -> bool:
        """Whether code asks itself whether any lane is left, after little that accesses no memory."""
        if not trees:
            return False
        *head, last = trees
        pieces = [tree.piece for tree in head if isinstance(tree, Straight)]
        inner = [s.statement if isinstance(s, Under) else s for piece in pieces for s in piece.statements]
        if len(pieces) < len(head) or len(inner) > _LIGHT or any(isinstance(s, Do | Count) for s in inner):
            return False
        return isinstance(last, If) and last.condition.op == "any" and last.condition.args[0] is mask

    def _leaving(self, tree: If) -> tuple[If, list[Tree]]:
        """A branch by which lanes only leave, and the code of those that stay, who are then the only ones."""
        then, otherwise = ends(tree.then), ends(tree.otherwise)
        if then and otherwise and tree.then[-1] == tree.otherwise[-1] and isinstance(tree.then[-1], StructuredBranch):
            return If(tree.condition, tree.then[:-1], tree.otherwise[:-1]), tree.then[-1:]  # they meet before
        if then and (not otherwise or not self._goes_back(tree.then)):
            return If(tree.condition, tree.then, []), tree.otherwise
        return (If(tree.condition, [], tree.otherwise), tree.then) if otherwise else (tree, [])

    def _goes_back(self, trees: list[Tree]) -> bool:
        """Whether lanes go to the next round of a loop."""
        last = trees[-1] if trees else None
        if isinstance(last, If):
            return self._goes_back(last.then) or self._goes_back(last.otherwise)
        return isinstance(last, StructuredBranch) and bool(self._label(last.label).latches)

    def _any(self, mask: Node) -> Node:
        return Node("any", PRED, (mask,))

    def _tree(self, tree: Tree, context: _Context) -> tuple[list[Tree], _Leaks]:
        match tree:
            case Straight(piece):
                return self._straight(piece, context)
            case Labelled():
                return self._labelled(tree, context)
            case StructuredLoop():
                return self._loop(tree, context)
            case If(condition, then, otherwise):
                if self.forms.of(condition) != 0:
                    return self._apart(tree, context)
                ways = [self.code(way, context) for way in (then, otherwise)]
                return [If(condition, ways[0][0], ways[1][0])], ways[0][1] | ways[1][1]
            case StructuredBranch(label):
                return self._branch(tree, self._label(label), context)
            case Stop():
                return self._stop(tree, context)

    def _label(self, number: int) -> _Label:
        return next(label for label in reversed(self.labels) if label.number == number)

    def _together(self, context: _Context, label: _Label | None) -> bool:
        """Whether lanes go to a label, or to the packet's end, alone, with nobody waiting on the way."""
        last = -1 if label is None else self.labels.index(label)
        between = self.labels[last + 1 :]
        if any(other.number in self.known for other in between):
            return False
        if label is not None and label.latches and label.number in self.known:  # others wait for the next round
            return False
        return context.parent is None if label is None else label.context is context

    def _branch(self, tree: StructuredBranch, label: _Label, context: _Context) -> tuple[list[Tree], _Leaks]:
        if self._together(context, label):
            return [tree], set()
        self.waiting.add(label.number)
        return self._leave(label, context), {label.number}

    def _stop(self, tree: Stop, context: _Context) -> tuple[list[Tree], _Leaks]:
        made: list[Tree] = []
        mine, piece = self._of(context), tree.piece
        if self.stops is not None and self.stopped is not None:
            said = self.stops.barriers[piece.number] if piece.kind == "barrier" else self.stops.exited
            one = Copies(((self.stopped, Node("const", Type.U32, (), said)),))
            made.append(Straight(Piece(-1, [Under(one, mine, frozenset({self.stopped}))], "jump")))
        if self.staying is not None and tree.piece.kind != "cut" and mine is not None:
            rest = Node("pand", PRED, (self._nodes[self.staying], Node("pnot", PRED, (mine,))))
            made.append(self._set(self.staying, rest))
        if self._together(context, None):
            return [*made, tree], set()
        return made + self._leave(None, context), {"exit"}

    def _leave(self, label: _Label | None, context: _Context) -> list[Tree]:
        """Lanes are no longer among those around them, up to where they wait."""
        found: list[Tree] = []
        mine = self._of(context)
        if mine is None:  # all lanes of a packet, where others may wait: they need a mask
            self.root = True
            return found
        if label is not None and label.left is not None:
            found.append(self._set(label.left, Node("por", PRED, (self._nodes[label.left], mine))))
        last = None if label is None else label.context
        outer = context
        while outer is not last and outer.parent is not None:
            outer = outer.parent
            mask = self._of(outer)
            if mask is None:
                self.root = True
            else:
                rest = Node("pand", PRED, (mask, Node("pnot", PRED, (mine,))))
                found.append(self._set(self.variables[mask], rest))
        assert context.mask is not None
        return [*found, self._none(context.mask)]

    def _labelled(self, tree: Labelled, context: _Context) -> tuple[list[Tree], _Leaks]:
        here, gathers = tree.label in self.known, tree.label in self.known_leaky
        # All of a packet come and all go on: only in between they need a mask.
        own = here and not gathers and context.mask is None
        inner = _Context(self.new_mask(), context) if own else context
        label = _Label(tree.label, inner, self.new_mask() if here and gathers else None)
        before = self.new_mask() if here and not gathers and not own else None
        kept = len(self.open)
        self.open += [one for one in (label.left, before, inner.mask) if one is not None and one is not context.mask]
        self.labels.append(label)
        body, leaks = self.code(tree.body, inner)
        self.labels.pop()
        del self.open[kept:]
        if leaks - {tree.label, "fault"}:
            self.leaky.add(tree.label)
        made: list[Tree] = [Labelled(tree.label, body)]
        mask = self._of(context)
        if own and inner.mask is not None:
            self.root |= bool(leaks - {tree.label})  # not all go on
            made = [self._set(inner.mask, Node("const", PRED, (), 1)), *made]
        if before is not None and mask is not None:  # all that came go on
            made = [self._set(before, mask), *made, self._set(self.variables[mask], self._nodes[before])]
        if label.left is not None and mask is not None:
            together = Node("por", PRED, (mask, self._nodes[label.left]))
            made = [self._none(label.left), *made, self._set(self.variables[mask], together)]
        return made, leaks - {tree.label}

    def _loop(self, tree: StructuredLoop, context: _Context) -> tuple[list[Tree], _Leaks]:
        tree, behind = self._tail(tree)
        if behind is not None:
            return self._labelled(Labelled(behind, [tree]), context)
        if tree.label not in self.known:
            self.labels.append(_Label(tree.label, context, None, tree.latches))
            body, leaks = self.code(tree.body, context)
            self.labels.pop()
            return [StructuredLoop(tree.label, body, self._latches(tree, context))], leaks | self._counts(tree, context)
        # Lanes that go on to the next round wait for those that still do this one.
        inner = _Context(self.new_mask(), context)
        label = _Label(tree.label, inner, self.new_mask(), tree.latches)
        assert inner.mask is not None
        assert label.left is not None
        mask, left = self._nodes[inner.mask], self._nodes[label.left]
        kept = len(self.open)
        self.open += [inner.mask, label.left]
        self.labels.append(label)
        body, leaks = self.code(tree.body, inner)
        self.labels.pop()
        latches = self._latches(tree, inner)
        del self.open[kept:]
        again: list[Tree] = [If(self._any(mask), [StructuredBranch(tree.label)], [])]
        outside = self._of(context)
        start = Node("const", PRED, (), 1) if outside is None else outside
        loop = StructuredLoop(tree.label, [self._none(label.left), *body, self._set(inner.mask, left), *again], latches)
        return [self._set(inner.mask, start), loop], (leaks | self._counts(tree, context)) - {tree.label}

    def _counts(self, tree: StructuredLoop, context: _Context) -> _Leaks:
        """A loop that lanes may not go on in for ever may end with a fault of all that are in it."""
        if not self.counts or not steps_in(tree.body):
            return set()
        if context.mask is None:
            self.root = True
        return {"fault"}

    def _latches(self, tree: StructuredLoop, context: _Context) -> list[Piece]:
        """What a loop changes: variables, and masks; and what to do when lanes may have used up their steps."""
        pairs = tuple((mask, self._nodes[mask]) for mask in self.open)
        last = tree.latches[0]
        looks = [
            Under(step, self._of(context), frozenset(), tuple(self.open)) for step in steps_in(tree.body)[: self.counts]
        ]
        extra = Piece(last.number, [Copies(pairs), *looks], last.kind, None, [], last.at)
        return [*tree.latches, extra]

    def _tail(self, tree: StructuredLoop) -> tuple[StructuredLoop, int | None]:
        """A loop whose lanes leave by going on at its end: they go to a label behind it instead, so that those that
        stay need no mask of their own."""
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, If) or self.forms.of(last.condition) == 0:
            return tree, None
        head = tree.body[:-1]
        back = [bool(way) and way[-1] == StructuredBranch(tree.label) for way in (last.then, last.otherwise)]
        if back[0] == back[1]:
            return tree, None
        behind = -1 - tree.label  # no other construct has it
        leave: list[Tree] = [StructuredBranch(behind)]
        rest, other = (last.then, last.otherwise) if back[0] else (last.otherwise, last.then)
        other = other if ends(other) else other + leave
        gone = If(last.condition, [], other) if back[0] else If(last.condition, other, [])
        return StructuredLoop(tree.label, [*head, gone, *rest], tree.latches), behind

    # Ways apart

    def _apart(self, tree: If, context: _Context) -> tuple[list[Tree], _Leaks]:
        """Lanes take both ways of a branch: one after the other."""
        made, leaks = self._one_after_other(tree, context)
        for way, truth in ((tree.then, True), (tree.otherwise, False)) if context.mask is None else ():
            if is_short(way, self.may_fault):
                kept = self.forms.lowered.variables
                all_lanes = by_all(tree.condition, truth, self.forms.of, kept, self.lanes)
                made = made if all_lanes is None else [If(all_lanes, self.code(way, context)[0], made)]
        return made, leaks

    def _one_after_other(self, tree: If, context: _Context) -> tuple[list[Tree], _Leaks]:
        made: list[Tree] = []
        leaks: _Leaks = set()
        condition, ways = tree.condition, [way for way in (tree.then, tree.otherwise) if way]
        if len(ways) > 1 and condition not in self.forms.lowered.variables:
            kept = self.new_mask()
            made.append(self._set(kept, condition))
            condition = self._nodes[kept]
        outside = self._of(context)
        inner: list[tuple[list[Tree], _Context]] = []
        first = len(self.open)
        for way, holds in ((tree.then, True), (tree.otherwise, False)):
            if way:
                mask = self.new_mask()
                self.open.append(mask)
                mine = condition if holds else Node("pnot", PRED, (condition,))
                made.append(self._set(mask, mine if outside is None else Node("pand", PRED, (outside, mine))))
                inner.append((way, _Context(mask, context)))
        for way, its in inner:
            found, some = self.code(way, its)
            mask_of = self._of(its)
            assert mask_of is not None
            made += found if self._is_light(way) else [If(self._any(mask_of), found, [])]
            leaks |= some
        del self.open[first:]
        return made, leaks

    def _takes_along(self, trees: list[Tree]) -> bool:
        """Whether lanes leave a loop with values of their own: in most rounds none does (Mandelbrot: 0.6 of it)."""
        *head, last = trees
        label = self._label(last.label) if isinstance(last, StructuredBranch) else None
        inner = self.labels[self.labels.index(label) + 1 :] if label is not None else []
        done = [statement for tree in head if isinstance(tree, Straight) for statement in tree.piece.statements]
        moved = (v for statement in done if isinstance(statement, Copies) for v, _ in statement.pairs)
        return any(other.latches for other in inner) and any(map(self._is_vector, moved))

    def _is_light(self, trees: list[Tree]) -> bool:
        return self._weight(trees) <= _LIGHT and not self._takes_along(trees)

    def _weight(self, trees: list[Tree]) -> int:
        """What code costs; much, if it accesses memory."""
        total = 0
        for tree in trees:
            match tree:
                case Straight(piece):
                    for statement in piece.statements:
                        total += _LIGHT + 1 if isinstance(statement, Do) else self._statement_weight(statement)
                case If(condition, then, otherwise):
                    total += 1 + self._value_weight(condition) + self._weight(then) + self._weight(otherwise)
                case Labelled(_, body):
                    total += self._weight(body)
                case StructuredLoop():
                    total += _LIGHT + 1
                case _:
                    total += 1
        return total

    def _statement_weight(self, statement: Statement) -> int:
        match statement:
            case Assign(_, node):
                return cost(node) + sum(map(self._value_weight, node.args))
            case Copies(pairs):
                return sum(1 + self._value_weight(value) for _, value in pairs)
        return 1

    def _value_weight(self, node: Node) -> int:
        if node in self.forms.lowered.variables or node in self.variables or node.op in LEAVES:
            return 0
        return cost(node) + sum(map(self._value_weight, node.args))

    # Statements

    def _straight(self, piece: Piece, context: _Context) -> tuple[list[Tree], _Leaks]:
        mask = self._of(context)
        statements: list[Statement] = []
        faults = False
        for statement in piece.statements if self.counts else (s for s in piece.statements if not isinstance(s, Count)):
            match statement:
                case Go(number):
                    statement = Copies(((self._way(), Node("const", Type.U32, (), number)),))
                    blended = [self._way()]
                case Copies(pairs):
                    blended = [v for v, _ in pairs if self._is_vector(v) and self._blends(v, piece, context)]
                case Assign(variable, _) | Do(_, variable):
                    kept = variable is not None and variable in self.escaping and self._is_vector(variable)
                    blended = [variable] if kept and variable is not None else []
                case _:
                    blended = []
            may = isinstance(statement, Do) and self.may_fault(statement.node)
            may |= isinstance(statement, Count) and not any(o.latches for o in self.labels)  # no loop looks at steps
            faults |= may
            self.root |= mask is None and isinstance(statement, Count)
            blend = frozenset(blended) if mask is not None else frozenset[Variable]()
            assert isinstance(statement, Assign | Do | Copies | Count)
            statements.append(Under(statement, mask, blend, tuple(self.open) if may else ()))
        self.root |= faults and mask is None
        made = Piece(piece.number, statements, piece.kind, piece.value, piece.ways, piece.at)
        return [Straight(made)], {"fault"} if faults else set()

    def _way(self) -> Variable:
        """Which entry of a loop lanes go on at, each for itself."""
        return self.own_number(WAY)

    def own_number(self, node: Node) -> Variable:
        """The variable of a number that each lane has for itself."""
        if node not in self.variables:
            self.variables[node] = Variable(self.free, Type.U32)
            self.free += 1
        return self.variables[node]

    def _is_vector(self, variable: Variable) -> bool:
        return self.forms.variables.get(variable, ANY) == ANY

    def _blends(self, variable: Variable, piece: Piece, context: _Context) -> bool:
        """Whether lanes that are not of the mask may have a value of a phi that is still wanted."""
        if variable in self.escaping or (piece.number, variable) in self.late:
            return True
        header = self.forms.headers.get(variable)
        if header is None or header > 1:  # of ways that meet
            return True
        loop = next((label for label in reversed(self.labels) if piece in label.latches), None)
        return loop is not None and (loop.context is not context or loop.left is not None)
