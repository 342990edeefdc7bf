"""The code of a lane, and of a block, as WGSL: control flow and statements.

Forward branches leave a `switch` of one case, back edges a `loop`; a branch that crosses constructs sets `br` and is
passed on behind each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...compiler.accesses import Check, access_of
from ...compiler.dominance import reverse_postorder
from ...compiler.fission import Fission, fission, reachable
from ...compiler.ir import Function, Node
from ...compiler.legalise import Legal
from ...compiler.lower import (
    Copies,
    Do,
    Go,
    Let,
    Lowered,
    Meet,
    Piece,
    Run,
    Statement,
    Step,
    Variable,
    argument_starts,
    lower,
)
from ...compiler.rounds import weights
from ...compiler.structure import Branch, If, Labelled, Loop, Stop, Straight, Tree
from ...errors import FaultKind
from ...isa.address import ON_CHIP, Space
from ...isa.types import Type
from ...isa.verify import Base
from ..clike.expressions import Expressions
from .effects import Effects, fault_number, kind_of
from .fences import unfenced
from .floats import Floats
from .language import language_of, traits_of
from .packets import packet_of
from .wide import Wide, is_wide

__all__ = ["EXITED", "Code"]

EXITED = 0xFFFFFFFF
_MEETING = 16  # what a round in which a block meets costs at least, in rounds of the shortest loop
_EXPIRED = -1  # the label behind everything, for lanes whose budget is used up


@dataclass
class _Frame:
    """An open construct of WGSL: `switch` for Labelled, `loop` for Loop; `crossed` are labels left through it.

    `follow` is the label right behind a loop, to which a `break` goes.
    """

    kind: str
    label: int
    follow: int | None = None
    crossed: set[int] = field(default_factory=set)


class Code(Effects):
    """Emits code of lanes. The shader (kernel.py) that inherits it puts it into functions."""

    def __init__(
        self,
        before: Function,
        legal: Legal,
        groups: list[list[Base]],
        shared: int,
        math: str,
        canary: bool,
        half: bool,
        parts: Sequence[int],
        window: int,
        proven: set[Check],
        line: bool = False,
        stepless: bool = False,
        together: bool = False,
    ) -> None:
        self.together = together  # whether the lanes of packets all do the same
        self.stepless = stepless  # whether no lane can use up its budget or its patience
        self.weights = weights(before)
        self.legal, self.traits = legal, traits_of(math)
        function = legal.function
        self.counts = False  # whether lanes count rounds
        self.line = line  # whether the grid is one row of blocks
        self.function, self.groups, self.shared, self.proven = function, groups, shared, proven
        self.lowered: Lowered = lower(function)
        self.held = {variable: node for node, variable in self.lowered.variables.items()}
        self.values = Expressions(language_of(math), self.lowered.variables, self._leaf)
        self.wide = Wide(function, self.lowered, self.values, self._put_wide)
        self.floats = Floats(self.values, math, self.hoist, unfenced(function, self.binding))
        self.values.own = lambda node: self.wide.expression(node) or self.floats.compute(node)
        self.canary, self.half = canary, half
        used = {node.attr: node.ty for node in function.nodes() if node.op == "param"}
        self.scalars = [(name, ty) for name, ty in used.items() if isinstance(ty, Type)]
        starts = [start // 4 for start in argument_starts(self.scalars)]
        self.places = dict(zip((name for name, _ in self.scalars), starts, strict=False))  # in words
        self.memories_at = starts[-1]
        self.bases = [base for group in groups for base in group]
        self.helpers: dict[str, str] = {}
        self.lines: list[str] = []
        self.loops = False  # whether code of the kernel goes around
        self.depth = 1
        self.frames: list[_Frame] = []
        self.labels: dict[int, int] = {}
        self.deepest = (0, -1)  # how far in code stands, and its instruction
        self.goes = False  # whether a function says which entry of a loop is next
        self.segmented = any(piece.kind == "barrier" for piece in self.lowered.pieces)
        plan = fission(self.lowered) if self.segmented else None
        # Where lanes leave a loop of the block by themselves, nothing uniform ends it.
        self.plan: Fission | None = None if plan is None or plan.endless else plan
        self.run_: Run | None = None  # whose lanes are emitted
        self.in_block = False  # whether `main` is, with the block's own code
        runs = self.plan.runs if self.plan else []
        plain = not self.segmented and max(parts, default=1) == 1
        self.packet = packet_of(before, self.lowered) if plain else None
        self.in_packet = False  # whether code of several lanes stands side by side
        self.kept = self._kept()
        self.lanes_step = any(self._steps(run) for run in runs)  # by themselves: their budgets may differ
        self.atomic, self.written = self._uses()
        self.window = window
        self.parts = {f"b{number}": count for number, count in enumerate(parts) if count > 1}
        self.kinds = self._kinds()
        self.further = [(number, part) for number, count in enumerate(parts) for part in range(1, count)]
        self.names = [f"b{number}" for number in range(len(groups))]
        self.names += [f"b{number}_{part}" for number, part in self.further]
        self.atomic |= {name for name in self.names if name.split("_")[0] in self.atomic}
        self.meet = ["workgroupBarrier();", *(["storageBarrier();"] if self._stores_before_barriers() else [])]
        self.hoisted: dict[str, str] = {}  # what a function computes once
        self.kinds_hoisted: dict[str, str] = {}

    # Variables

    def _kept(self) -> set[Variable]:
        """The variables of a lane that one function sets and another reads."""
        if self.plan is not None:
            return {variable for run in self.plan.runs for variable in (*run.loads, *run.stores)} - self.plan.uniform
        return {variable for resume in self.lowered.resumes[1:] for variable in self.lowered.live(resume)}

    def start(self) -> None:
        """Begins a function."""
        self.lines, self.depth, self.frames, self.labels, self.hoisted, self.goes = [], 1, [], {}, {}, False
        self.values.named.clear()

    def ordered(self, variables: Iterable[Variable]) -> list[Variable]:
        """Those that are declared, by number."""
        return sorted((v for v in variables if not is_wide(v.ty)), key=lambda variable: variable.number)

    def declared(self, variable: Variable) -> str:
        return f"{self.values.name(variable)}: {self.values.type_name(self.held[variable])};"

    # What memories need

    def _uses(self) -> tuple[set[str], set[str]]:
        """Memories that have to be atomic, and memories that are written."""
        atomic: set[str] = set()
        written: set[str] = set()
        for node in self.function.nodes():
            access = access_of(node)
            if access is None:
                continue
            name = self.binding(access.base)
            if node.op in ("store", "atomic"):
                written.add(name)
            # Neighbouring lanes store to one word: only atomics keep their bytes apart (three of four were wrong).
            narrow = node.op == "store" and access.element.bits < 32 and access.base.space is not Space.LOCAL
            if node.op == "atomic" or narrow:
                atomic.add(name)
        return atomic, written

    def _kinds(self) -> dict[str, str]:
        """The types of memories whose elements are all of one, of 32 bits and no integer without a sign."""
        found: dict[str, set[str]] = {}
        for node in self.function.nodes():
            access = access_of(node)
            if access is not None and access.base.space is not Space.LOCAL:
                kind = kind_of(access.element) if access.element.bits == 32 else "u32"
                found.setdefault(self.binding(access.base), set()).add(kind)
        several = self.atomic | set(self.parts)
        return {name: kind for name, (kind, *others) in found.items() if not others and name not in several}

    def _stores_before_barriers(self) -> bool:
        """Whether what lanes store in buffers is to be seen by others of the block."""
        before: dict[Piece, list[Piece]] = {piece: [] for piece in self.lowered.pieces}
        for piece in self.lowered.pieces:
            for way in piece.ways:
                before[way].append(piece)
        return any(
            isinstance(statement, Do)
            and statement.node.op in ("store", "atomic")
            and (access := access_of(statement.node)) is not None
            and access.base.space not in ON_CHIP
            for piece in reachable((p for p in before if p.kind == "barrier"), before.__getitem__)
            for statement in piece.statements
        )

    def _check_loops(self) -> list[str]:
        """What ends a shader: whether its loops were ended early."""
        raise NotImplementedError

    def _may_end(self, run: Run) -> bool:
        """Whether a lane may end before the cut, by itself or by its budget."""
        return not run.last and (run.leaves or self._rounds(run))

    def _steps(self, run: Run) -> bool:
        """Whether lanes take steps of their own in a run."""
        pieces = reachable([run.entry], lambda p: p.ways)
        return not self.stepless and any(isinstance(s, Step) for p in pieces for s in p.statements)

    def _rounds(self, run: Run) -> bool:
        """Whether lanes go around in a run."""
        order = reverse_postorder(run.entry, lambda p: p.ways)
        place = {piece: number for number, piece in enumerate(order)}
        return not self.stepless and any(place[way] <= place[piece] for piece in order for way in piece.ways)

    def _flags(self) -> list[str]:
        """Where branches across constructs go, at which instruction the budget was used up, and entries of loops."""
        return [
            *["  var br = 0u;"] * bool(self.labels),
            *["  var expired = 0u;"] * (_EXPIRED in self.labels),
            *["  var way = 0u;"] * self.goes,
        ]

    def put(self, text: str) -> None:
        """Appends a line, indented."""
        self.loops |= text == "loop {"
        self.lines.append("  " * self.depth + text)

    def _put_wide(self, text: str) -> None:
        """Appends a line of code on wide integers, which goes around."""
        self.loops = True
        self.put(text)

    # Control flow

    def _trees(self, trees: list[Tree]) -> None:
        for tree in trees:
            self._tree(tree)

    def _tree(self, tree: Tree) -> None:
        match tree:
            case Straight(piece):
                self.deepest = max(self.deepest, (self.depth, piece.at))
                for statement in piece.statements:
                    self._statement(statement)
            case Labelled(label, [Loop(inner, body, latches)]):
                self._construct("loop", inner, body, label, latches[0].at)
            case Labelled(label, body):
                self._construct("switch", label, body)
            case Loop(label, body, latches):
                self._construct("loop", label, body, at=latches[0].at)
            case If():
                self._if(tree)
            case Branch(label):
                self._branch(label)
            case Stop(piece):
                self._stop(piece)

    def _if(self, tree: If) -> None:
        """A way that leaves stands alone, the other behind it: llvmpipe takes a mask for each `else` and `continue`.

        The way that goes around comes last, so that it needs no `continue` (Mandelbrot took 1.4 times as long).
        """
        condition, then, otherwise = tree.condition, tree.then, tree.otherwise
        truth, leaves = True, _leaves(then)
        if not then or (_leaves(otherwise) and (not leaves or self._goes_around(then))):
            truth, leaves, then, otherwise = False, _leaves(otherwise), otherwise, then
        while condition.op == "pnot" and condition not in self.lowered.variables:
            condition, truth = condition.args[0], not truth
        text = self.values.value(condition)
        self.put(f"if ({text}) {{" if truth else f"if (!({text})) {{")
        self._nested(then)
        if otherwise and not leaves:
            self.put("} else {")
            self._nested(otherwise)
        self.put("}")
        if leaves:
            self._trees(otherwise)

    def _goes_around(self, trees: list[Tree]) -> bool:
        return isinstance(trees[-1], Branch) and self._direct(trees[-1].label) == "continue;"

    def _nested(self, trees: list[Tree]) -> None:
        self.depth += 1
        self._trees(trees)
        self.depth -= 1

    def _construct(self, kind: str, label: int, body: list[Tree], follow: int | None = None, at: int = -1) -> None:
        frame = _Frame(kind, label, follow)
        self.frames.append(frame)
        self.put("loop {" if kind == "loop" else "switch (0u) { default: {")
        if kind == "loop" and not self.stepless:
            self.depth += 1
            self._round(at)
            self.depth -= 1
        self._nested(body)
        if kind == "loop" and self.lines[-1] == "  " * self.depth + "  continue;":
            self.lines.pop()
        elif kind == "loop" and not _leaves(body):
            self.put("  break;")
        self.put("}" if kind == "loop" else "} }")
        self.frames.pop()
        for crossed in sorted(frame.crossed):
            self._go_on(crossed)

    def _direct(self, label: int) -> str | None:
        """The statement that goes to a label from here, if one does."""
        if not self.frames:
            return None
        frame = self.frames[-1]
        if frame.follow == label or (frame.label == label and frame.kind == "switch"):
            return "break;"
        loop = next((frame for frame in reversed(self.frames) if frame.kind == "loop"), None)
        return "continue;" if loop is not None and loop.label == label else None

    def _branch(self, label: int) -> None:
        direct = self._direct(label)
        if direct is not None:
            self.put(direct)
            return
        number = self.labels.setdefault(label, len(self.labels) + 1)
        self.frames[-1].crossed.add(label)
        self.put(f"br = {number}u;")
        self.put("break;")

    def _go_on(self, label: int) -> None:
        """Behind a construct that was left on the way to a label further out."""
        number = self.labels[label]
        if not self.frames:
            assert label == _EXPIRED
            self.put(f"if (br == {number}u) {{")
            self._expire("expired")
            self.put("}")
            return
        direct = self._direct(label)
        self.put(f"if (br == {number}u) {{")
        self.depth += 1
        if direct is not None:
            self.put("br = 0u;")
            self.put(direct)
        else:
            self.frames[-1].crossed.add(label)
            self.put("break;")
        self.depth -= 1
        self.put("}")

    def _stop(self, piece: Piece) -> None:
        if self.run_ is not None and self._may_end(self.run_):
            self.put(f"return {'true' if piece.kind == 'cut' else 'false'};")
            return
        if self.in_block:
            self.lines += self._check_loops()
        if self.segmented and self.plan is None:
            if piece.kind == "barrier":
                self.put(f"stopped = {piece.at}u;")
                self.put(f"resume = {self.lowered.resumes.index(piece.ways[0])}u;")
            else:
                self.put(f"resume = {EXITED}u;")
        self.put("return;")

    # Statements

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Let(variable, value) if is_wide(variable.ty):
                self.wide.compute(variable, value)
            case Let(variable, value):
                self.put(f"{self.values.name(variable)} = {self.values.compute(value)};")
            case Copies(pairs):
                self._copies(pairs)
            case Step() if self.stepless:
                pass
            case Step(at) if self.in_block:
                self._step_of_block(at)
            case Step(at):
                self._step_of_lane(at, "budget")
            case Run():
                self._call(statement)
            case Go(number):
                self.goes = True
                self.put(f"way = {number}u;")
            case Meet():
                for line in self.meet:
                    self.put(line)
            case Do(node, variable):
                self.effect(node, None if variable is None else self.values.name(variable))

    def _round(self, at: int) -> None:
        """Takes a round from the patience of the lane, or of the block, by what it costs. Without a limit it wraps."""
        self.counts = True
        patience, weight = ("rounds_left", _MEETING) if self.in_block else ("patience", self.weights.get(at, 1))
        late = f"{patience} < {weight}u && arguments.spare.z != 0u"
        if self.in_block:
            self.put(f"if ({late}) {{")
            self.put(f"  if (alive) {{ {_step_limit(f'{at & 0xFFFFFFFF}u', '1u')} }}")
            self.put("  return;")
            self.put("}")
        else:
            self._ends(late, at)
        self.put(f"{patience} -= {weight}u;")

    def _step_of_lane(self, at: int, budget: str) -> None:
        self.put(f"{budget} -= 1u;")
        self._ends(f"{budget} == 0u", at)

    def _ends(self, condition: str, at: int) -> None:
        """The end of a lane if a condition holds."""
        self.put(f"if ({condition}) {{")
        if self.frames:
            # The fault and the return stand behind all loops: inside they would cost every round.
            self.depth += 1
            self.put(f"expired = {at}u;")
            self._branch(_EXPIRED)
            self.depth -= 1
        else:
            self._expire(f"{at}u")
        self.put("}")

    def _expire(self, at: str) -> None:
        """The end of a lane whose budget is used up, or of a block whose lanes have equal ones."""
        fault = _step_limit(at, "0u" if self.in_block else "select(0u, 1u, budget != 0u)")
        self.put(f"  if (alive) {{ {fault} }}" if self.in_block else f"  {fault}")
        if self.segmented and self.plan is None:
            self.put(f"  resume = {EXITED}u;")
        self.put("  return false;" if self.run_ is not None and self._may_end(self.run_) else "  return;")

    def _call(self, run: Run) -> None:
        call = f"run{run.number}({', '.join(map(self.values.name, run.uniform))});"
        self.put("if (alive) {")
        self.put(f"  alive = {call}" if self._may_end(run) else f"  {call}")
        self.put("}")

    def _step_of_block(self, at: int) -> None:
        """Takes a step from every lane; all leave when a lane could not have had more, so that loops end uniformly."""
        if not self.lanes_step:
            self._step_of_lane(at, "steps")
            return
        self.put("if (alive) {")
        self.put("  budget -= 1u;")
        self.put("  if (budget == 0u) {")
        self.put(f"    {_step_limit(f'{at}u', '0u')}")
        self.put("    alive = false;")
        self.put("  }")
        self.put("}")
        self.put("steps -= 1u;")
        self.put("if (steps == 0u) {")
        self.put("  return;")
        self.put("}")

    def _copies(self, pairs: tuple[tuple[Variable, Node], ...]) -> None:
        """Sets variables at once: through temporaries, where there are several."""
        wide = [pair for pair in pairs if is_wide(pair[0].ty)]
        if len(wide) == len(pairs):
            self.wide.copies(wide)
            return
        pairs = tuple(pair for pair in pairs if pair not in wide)
        texts = [(self.values.name(v), self.values.value(node)) for v, node in pairs]
        if len(texts) == 1 and not wide:
            self.put(f"{texts[0][0]} = {texts[0][1]};")
            return
        self.put("{")
        for number, (_, text) in enumerate(texts):
            self.put(f"  let t{number} = {text};")
        self.wide.copies(wide)
        for number, (name, _) in enumerate(texts):
            self.put(f"  {name} = t{number};")
        self.put("}")

    def _leaf(self, node: Node) -> str:
        text = self._leaf_text(node)
        again = self.in_packet or any(frame.kind == "loop" for frame in self.frames)
        if node.op == "param" and not self.in_block and again:
            # Read once: Mandelbrot's limit cost a sixth of each round on llvmpipe.
            return self.hoist(text, "p", self.values.type_name(node))
        return text

    def _leaf_text(self, node: Node) -> str:
        if node.op == "param":
            number = self.places[node.attr]
            low, high = (f"arguments.words[{n // 4}][{n % 4}]" for n in (number, number + 1))
            match self.values.type_name(node):
                case "vec2u":
                    return f"vec2u({low}, {high})"
                case "u32":
                    return low
                case other if isinstance(node.ty, Type) and node.ty.bits < 32:
                    return f"((bitcast<i32>({low}) << {32 - node.ty.bits}u) >> {32 - node.ty.bits}u)"
                case other:
                    return f"bitcast<{other}>({low})"
        if node.attr in ("WAY", "RESUME"):
            return str(node.attr).lower()
        axis = node.attr[-1].lower()
        match node.attr[:-2]:
            case "GLOBAL_LANE_":
                return "global_id"
            case "LANE_IDX":
                return f"lane_id.{axis}"
            case "BLOCK_IDX":
                return f"{'block_of' if self.in_block else 'block_id'}.{axis}"  # private variables are never uniform
            case "BLOCK_DIM":
                return f"{self.function.block_shape['xyz'.index(axis)]}u"
            case _:
                return f"arguments.grid.{axis}"


def _leaves(trees: list[Tree]) -> bool:
    """Whether no lane falls off the end of some code."""
    match trees:
        case [*_, Branch() | Stop()]:
            return True
        case [*_, If(_, then, otherwise)]:
            return _leaves(then) and _leaves(otherwise)
        case _:
            return False


def _step_limit(at: str, late: str) -> str:
    """The fault of a lane that has no steps left or, if `late` is 1, no patience."""
    return f"fault({fault_number(FaultKind.STEP_LIMIT)}u, {at}, 0xffffffffu, vec2u(0u), 0u, {late});"
