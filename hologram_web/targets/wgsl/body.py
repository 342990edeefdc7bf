"""A function of a shader, while it is written: the code of a lane, or of a block."""

from __future__ import annotations

from collections.abc import Sequence
from string import digits

from ...compiler.accesses import Check
from ...compiler.ir import Node
from ...compiler.out_of_ssa import Assign, Copies, Count, Do, Meet, ParallelRegion, Piece, Statement, Variable
from ...compiler.structure import structure
from ...errors import FaultKind
from ...isa.types import Type
from ..clike.control import Control
from ..clike.expressions import Expressions
from ..clike.writer import Writer
from .effects import EffectWriter, fault_number
from .floats import Floats
from .shader import Shader
from .wide import WideWriter

__all__ = ["EXITED", "Body", "check_loops", "function_text"]

EXITED = 0xFFFFFFFF
_MEETING = 16  # what a round in which a block meets costs at least, in rounds of the shortest loop


class Body:
    """`run` is what the lanes of a block do up to a barrier, if this is it; `in_block` says that this is the block's
    own code, `main`. `proven` is what accesses need not check, `hoisted` what another function has computed already.
    """

    def __init__(
        self,
        shader: Shader,
        run: ParallelRegion | None = None,
        in_block: bool = False,
        proven: set[Check] | None = None,
        hoisted: dict[str, tuple[str, str]] | None = None,
    ) -> None:
        self.shader, self.run, self.in_block = shader, run, in_block
        self.writer = Writer()
        self.put = self.writer.put
        # What the function computes once: its name and type
        self.hoisted: dict[str, tuple[str, str]] = {} if hoisted is None else hoisted
        self.used: set[str] = set()  # counters of the block
        self.asked: set[str] = set()  # which of the lane's coordinates code names
        self.values = Expressions(shader.language, shader.lowered.variables, self._leaf, shader.called)
        self.floats = Floats(self.values, shader.math, self.hoist)
        self.wide = WideWriter(shader.wide, self.values, self._put_wide)
        self.values.own = self.floats.compute
        if shader.wide.any:
            self.values.own = lambda node: self.wide.expression(node) or self.floats.compute(node)
        checked = shader.proven if proven is None else proven
        self.effects = EffectWriter(shader, self.writer, self.values, self.floats, self.wide, self.hoist, checked)
        self.control = Control(self.writer, self.values, self._statement, self._stop)
        self.control.behind = lambda: self._expire("expired")
        if not shader.stepless:
            self.control.round_ = self._round

    def hoist(self, text: str, name: str, kind: str) -> str:
        """What the function computes once, of a WGSL type, before all else."""
        if text not in self.hoisted:
            # Numbered by name, so that shaders with and without limits have more lines in common.
            number = sum(given.rstrip(digits) == name for given, _ in self.hoisted.values())
            self.hoisted[text] = f"{name}{number}", kind
        return self.hoisted[text][0]

    def hoists(self) -> list[str]:
        return [f"  let {name} = {text};" for text, (name, _) in self.hoisted.items()]

    def write(self, entry: Piece) -> None:
        """The code from a piece on."""
        self.control.trees(structure(entry))
        shader = self.shader
        shader.loops |= self.control.loops
        shader.deepest = max(shader.deepest, self.control.deepest)
        shader.nesting = max(shader.nesting, self.writer.deepest)

    def _put_wide(self, text: str) -> None:
        """Appends a line of code on wide integers, which goes around."""
        self.shader.loops = True
        self.put(text)

    def _stop(self, piece: Piece) -> None:
        shader = self.shader
        if self.run is not None and shader.may_end(self.run):
            self.put(f"return {'true' if piece.kind == 'cut' else 'false'};")
            return
        if self.in_block:
            shader.loops |= self.control.loops
            self.writer.lines += check_loops(shader)
        if shader.segmented and shader.plan is None:
            if piece.kind == "barrier":
                self.put(f"stopped = {piece.at}u;")
                self.put(f"resume = {shader.lowered.resumes.index(piece.ways[0])}u;")
            else:
                self.put(f"resume = {EXITED}u;")
        self.put("return;")

    # Statements

    def _statement(self, statement: Statement) -> None:
        shader = self.shader
        match statement:
            case Assign(variable, value):
                self.wide.compute(variable, value)
            case Copies(pairs):
                wide = [pair for pair in pairs if pair[0] in self.values.places]
                if len(wide) == len(pairs):
                    self.wide.copies(wide)
                else:
                    rest = tuple(pair for pair in pairs if pair not in wide)
                    self.control.copies(rest, lambda: self.wide.copies(wide))
            case Count() if shader.stepless:
                pass
            case Count(at) if self.in_block:
                self._step_of_block(at)
            case Count(at):
                self._step_of_lane(at, "budget")
            case ParallelRegion():
                self._call(statement)
            case Meet():
                for line in shader.meet:
                    self.put(line)
            case Do(node, variable):
                self.writer.reserve(4 + 2 * bool(shader.parts))  # of accesses with their checks
                self.effects.effect(node, None if variable is None else self.control.target(variable))

    # Budgets

    def _round(self, at: int) -> None:
        """Takes a round from the patience of the lane, or of the block, by what it costs. Without a limit it wraps."""
        self.shader.counts = True
        patience, weight = "patience", self.shader.weights.get(at, 1)
        if self.in_block:
            patience, weight = "rounds_left", _MEETING
            self.used.add(patience)
        late = f"{patience} < {weight}u && arguments.spare.z != 0u"
        if self.in_block:
            self.writer.begin(f"if ({late}) {{")
            self.put(f"if (alive) {{ {_step_limit(self.shader, f'{at & 0xFFFFFFFF}u', '1u')} }}")
            self.put("return;")
            self.writer.end()
        else:
            self._ends(late, at)
        self.put(f"{patience} -= {weight}u;")

    def _step_of_lane(self, at: int, budget: str) -> None:
        self.put(f"{budget} -= 1u;")
        self._ends(f"{budget} == 0u", at)

    def _step_of_block(self, at: int) -> None:
        """Takes a step from every lane; all leave when a lane could not have had more, so that loops end uniformly."""
        self.used.add("steps")
        if not self.shader.lanes_step:
            self._step_of_lane(at, "steps")
            return
        self.writer.begin("if (alive) {")
        self.put("budget -= 1u;")
        self.writer.begin("if (budget == 0u) {")
        self.put(_step_limit(self.shader, f"{at}u", "0u"))
        self.put("alive = false;")
        self.writer.end()
        self.writer.end()
        self.put("steps -= 1u;")
        self.writer.begin("if (steps == 0u) {")
        self.put("return;")
        self.writer.end()

    def _ends(self, condition: str, at: int) -> None:
        """The end of a lane if a condition holds."""
        self.writer.begin(f"if ({condition}) {{")
        if self.control.is_nested:
            # The fault and the return stand behind all loops: inside they would cost every round.
            self.control.leave(at)
        else:
            self._expire(f"{at}u")
        self.writer.end()

    def _expire(self, at: str) -> None:
        """The end of a lane whose budget is used up, or of a block whose lanes have equal ones."""
        shader = self.shader
        fault = _step_limit(shader, at, "0u" if self.in_block else "select(0u, 1u, budget != 0u)")
        self.put(f"if (alive) {{ {fault} }}" if self.in_block else fault)
        if shader.segmented and shader.plan is None:
            self.put(f"resume = {EXITED}u;")
        self.put("return false;" if self.run is not None and shader.may_end(self.run) else "return;")

    def _call(self, run: ParallelRegion) -> None:
        call = f"run{run.number}({', '.join(map(self.values.name, run.uniform))});"
        self.writer.begin("if (alive) {")
        self.put(f"alive = {call}" if self.shader.may_end(run) else call)
        self.writer.end()

    # What is there from the start

    def _leaf(self, node: Node) -> str:
        text = self._leaf_text(node)
        if node.op == "param" and not self.in_block:
            # Read once: Mandelbrot's limit cost a sixth of each round on llvmpipe.
            return self.hoist(text, "p", self.values.type_name(node))
        return text

    def _leaf_text(self, node: Node) -> str:
        if node.op == "param":
            number = self.shader.places[node.attr]
            low = f"arguments.words[{number // 4}][{number % 4}]"
            match self.values.type_name(node):
                case "vec2u":
                    # Where conditions depend on nothing but constants of the argument block, Mesa's search for uniforms
                    # to compile in walks each way through an F64 function anew, without end; an index ends the walk.
                    words = (f"arguments.words[{n // 4}u + arguments.misc.z][{n % 4}]" for n in (number, number + 1))
                    return f"vec2u({', '.join(words)})"
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
                return self._asked("global_id")
            case "LANE_IDX":
                return f"{self._asked('lane_id')}.{axis}"
            case "BLOCK_IDX":  # private variables are never uniform
                return f"{self._asked('block_of' if self.in_block else 'block_id')}.{axis}"
            case "BLOCK_DIM":
                return f"{self.shader.function.block_shape['xyz'.index(axis)]}u"
            case _:
                return f"arguments.grid.{axis}"

    def _asked(self, name: str) -> str:
        self.asked.add(name)
        return name


def _step_limit(shader: Shader, at: str, late: str) -> str:
    """The fault of a lane that has no steps left or, if `late` is 1, no patience."""
    return (
        f"{shader.call('fault', f'{fault_number(FaultKind.STEP_LIMIT)}u', at, '0xffffffffu', 'vec2u(0u)', '0u', late)};"
    )


def function_text(
    shader: Shader,
    name: str,
    start: Piece,
    run: ParallelRegion | None = None,
    given: Sequence[Variable] = (),
    says: bool = False,
) -> str:
    """A function; `given` are the variables of the block that it reads, `says` whether it tells if the lane goes on."""
    body = Body(shader, run)
    lets = body.control.lets = body.effects.lets(start) - shader.kept - set(given)
    body.write(start)
    last = ["  return true;"] if says else []
    own = [f"  var {shader.declared(v)};" for v in shader.ordered(body.values.named - shader.kept - set(given) - lets)]
    parameters = ", ".join(map(shader.declared, given))
    head = f"fn {name}({parameters}){' -> bool' if says else ''} {{"
    text = "\n".join([head, *own, *body.control.flags(), *body.hoists(), *body.writer.lines, *last, "}", ""])
    vars(body).clear()  # it lies in cycles, which Python's collector would go through
    return text


def check_loops(shader: Shader) -> list[str]:
    """The canary: Mesa 22's llvmpipe ends every loop of a shader once they went around 65,535 times in all.

    A last loop of two rounds then ends after one. A lane that was off has no rounds to lose.
    """
    meets = shader.segmented and shader.plan is None
    if not shader.canary or not (shader.loops or shader.helpers or meets):
        return []
    return [
        "  var rounds = 0u;",
        "  loop {",
        "    rounds += 1u;",
        "    if (rounds > arguments.spare.x) {",
        "      break;",
        "    }",
        "  }",
        "  if (rounds <= arguments.spare.x) {",
        f"    {_step_limit(shader, '0xffffffffu', '0u')}",
        "  }",
    ]
