"""Control flow and assignments in languages like C.

Forward branches leave a `switch` of one case, back edges a loop; a branch that crosses constructs sets `br` and is
passed on behind each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from ...compiler.ir import Node
from ...compiler.out_of_ssa import Assign, Copies, Go, Piece, Statement, Variable, variables_in
from ...compiler.structure import If, Labelled, Stop, Straight, StructuredBranch, StructuredLoop, Tree
from .expressions import Expressions
from .writer import Writer

__all__ = ["Control", "leaves"]

_END = -1  # the label behind everything


@dataclass
class _Frame:
    """An open construct: `switch` for Labelled, `loop` for StructuredLoop; `crossed` are labels left through it.

    `follow` is the label right behind a loop, to which a `break` goes.
    """

    kind: str
    label: int
    follow: int | None = None
    crossed: set[int] = field(default_factory=set)


class Control:
    """Writes the trees of a function. `statement` writes what is neither an assignment nor control flow, `stop` what
    ends a lane, `round_` what stands at the head of a loop, by its instruction, and `behind` what lanes do that went to
    the end (`leave`).
    """

    def __init__(
        self,
        writer: Writer,
        values: Expressions,
        statement: Callable[[Statement], None],
        stop: Callable[[Piece], None],
        round_: Callable[[int], None] = lambda at: None,
        behind: Callable[[], None] = lambda: None,
    ) -> None:
        self.writer, self.values, self.put = writer, values, writer.put
        self.language = values.language
        self.statement, self.stop, self.round_, self.behind = statement, stop, round_, behind
        self._frames: list[_Frame] = []
        self._labels: dict[int, int] = {}
        self._goes = False  # whether the function says which entry of a loop is next
        self.lets: set[Variable] = set()  # what is set once, and read in the same piece only
        self.loops = False  # whether it goes around
        self.deepest = (0, -1)  # how far in code stands, and its instruction

    @property
    def is_nested(self) -> bool:
        return bool(self._frames)

    def flags(self) -> list[str]:
        """Where branches across constructs go, at which instruction lanes left for the end, and entries of loops."""
        names = ["br"] * bool(self._labels) + ["expired"] * (_END in self._labels) + ["way"] * self._goes
        return [f"  {self.language.counter.format(name)}" for name in names]

    # Trees

    def trees(self, trees: list[Tree], tail: bool = False) -> None:
        """`tail` says that behind them the innermost loop goes around."""
        for number, tree in enumerate(trees, 1):
            self._tree(tree, tail and number == len(trees))

    def _tree(self, tree: Tree, tail: bool) -> None:
        match tree:
            case Straight(piece):
                self.deepest = max(self.deepest, (self.writer.depth, piece.at))
                for statement in piece.statements:
                    self._statement(statement)
            case Labelled(label, [StructuredLoop(inner, body, latches)]):
                self._construct("loop", inner, body, label, latches[0].at)
            case Labelled(label, body):
                self._construct("switch", label, body)
            case StructuredLoop(label, body, latches):
                self._construct("loop", label, body, at=latches[0].at)
            case If():
                self._if(tree, tail)
            case StructuredBranch(label):
                self.branch(label, tail)
            case Stop(piece):
                self.stop(piece)

    def _if(self, tree: If, tail: bool) -> None:
        """A way that leaves stands alone, the other behind it: llvmpipe takes a mask for each `else` and `continue`.

        The way that goes around comes last, so that it needs no `continue` (Mandelbrot took 1.4 times as long).
        """
        condition, then, otherwise = tree.condition, tree.then, tree.otherwise
        truth, leaves_ = True, leaves(then)
        if not then or (leaves(otherwise) and (not leaves_ or self._goes_around(then))):
            truth, leaves_, then, otherwise = False, leaves(otherwise), otherwise, then
        while condition.op == "pnot" and condition not in self.values.variables:
            condition, truth = condition.args[0], not truth
        text = self.values.value(condition)
        self.writer.begin(f"if ({text}) {{" if truth else f"if (!({text})) {{")
        self.trees(then)
        if otherwise and not leaves_:
            self.writer.then("} else {")
            self.trees(otherwise)
        self.writer.end()
        if leaves_:
            self.trees(otherwise, tail)

    def _goes_around(self, trees: list[Tree]) -> bool:
        return isinstance(trees[-1], StructuredBranch) and self._direct(trees[-1].label) == "continue;"

    def _construct(self, kind: str, label: int, body: list[Tree], follow: int | None = None, at: int = -1) -> None:
        frame = _Frame(kind, label, follow)
        self._frames.append(frame)
        if kind == "loop":
            self.loops = True
            self.writer.begin(self.language.loop)
            self.round_(at)
            self.trees(body, tail=True)
            if not leaves(body):
                self.put("break;")
            self.writer.end()
        else:
            self.writer.begin(self.language.once, braces=2)
            self.trees(body)
            self.writer.end("} }", braces=2)
        self._frames.pop()
        for crossed in sorted(frame.crossed):
            self._go_on(crossed)

    # Branches

    def _direct(self, label: int) -> str | None:
        """The statement that goes to a label from here, if one does."""
        if not self._frames:
            return None
        frame = self._frames[-1]
        if frame.follow == label or (frame.label == label and frame.kind == "switch"):
            return "break;"
        loop = next((frame for frame in reversed(self._frames) if frame.kind == "loop"), None)
        return "continue;" if loop is not None and loop.label == label else None

    def branch(self, label: int, tail: bool = False) -> None:
        """Goes to a label, which behind the last statement of a loop takes nothing."""
        direct = self._direct(label)
        if direct is not None:
            if not tail or direct != "continue;":
                self.put(direct)
            return
        number = self._labels.setdefault(label, len(self._labels) + 1)
        self._frames[-1].crossed.add(label)
        self.put(f"br = {number}u;")
        self.put("break;")

    def leave(self, at: int) -> None:
        """Goes to the end from inside constructs, and tells it an instruction."""
        self.put(f"expired = {at}u;")
        self.branch(_END)

    def _go_on(self, label: int) -> None:
        """Behind a construct that was left on the way to a label further out."""
        self.writer.begin(f"if (br == {self._labels[label]}u) {{")
        direct = self._direct(label)
        if not self._frames:
            assert label == _END
            self.behind()
        elif direct is not None:
            self.put("br = 0u;")
            self.put(direct)
        else:
            self._frames[-1].crossed.add(label)
            self.put("break;")
        self.writer.end()

    # Statements

    def target(self, variable: Variable) -> str:
        """What stands before the sign where a variable is set."""
        name = self.values.name(variable)
        return f"let {name}" if variable in self.lets else name

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Assign(variable, value) if variable not in self.values.places:
                self.put(f"{self.target(variable)} = {self.values.compute(value)};")
            case Copies(pairs) if not any(variable in self.values.places for variable, _ in pairs):
                self.copies(pairs)
            case Go(number):
                self._goes = True
                self.put(f"way = {number}u;")
            case _:
                self.statement(statement)

    def copies(self, pairs: tuple[tuple[Variable, Node], ...], besides: Callable[[], None] | None = None) -> None:
        """Sets variables at once: through temporaries, where they are computed from each other. What is done `besides`
        comes when all values are read."""
        pairs = pairs if besides is not None else self._in_turn(pairs)
        if not pairs:
            return
        texts = [(self.values.name(variable), self.values.value(node), node) for variable, node in pairs]
        self.writer.begin("{")
        for number, (_, text, node) in enumerate(texts):
            self.put(self.language.value.format(self.values.type_name(node), f"t{number}", text))
        if besides is not None:
            besides()
        for number, (name, _, _) in enumerate(texts):
            self.put(f"{name} = t{number};")
        self.writer.end()

    def _in_turn(self, pairs: tuple[tuple[Variable, Node], ...]) -> tuple[tuple[Variable, Node], ...]:
        """Sets what no other value is computed from any more, one after the other; gives the pairs that are left."""
        pending = [(*pair, set(variables_in(pair[1], self.values.variables))) for pair in pairs]
        readers = Counter(variable for _, _, read in pending for variable in read)
        while True:
            free = [pair for pair in pending if readers[pair[0]] == (pair[0] in pair[2])]
            if not free:
                return tuple((variable, node) for variable, node, _ in pending)
            for variable, node, read in free:
                self.put(f"{self.values.name(variable)} = {self.values.value(node)};")
                readers.subtract(read)
            pending = [pair for pair in pending if pair not in free]


def leaves(trees: list[Tree]) -> bool:
    """Whether no lane falls off the end of some code."""
    match trees:
        case [*_, StructuredBranch() | Stop()]:
            return True
        case [*_, If(_, then, otherwise)]:
            return leaves(then) and leaves(otherwise)
        case _:
            return False
