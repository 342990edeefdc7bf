"""Kernels: a function of IR as a WGSL compute shader, a workgroup for each block.

Binding 0 is the status buffer, 1 the argument block (uniform), the memories follow. Several parameters may share a
binding (`groups`): the same buffer may be passed for all of them, and WebGPU binds a buffer for writing once only.

Where the lanes of a block provably stop at the same barriers (`compiler/fission.py`), `main` goes the block's way: the
block's variables are its own, set under uniform control flow from uniform values only, so that Tint allows the
barriers; what lanes do in between are functions, called if the lane is `alive`.

Otherwise barriers take the run-to-barrier form: the code is cut into segments that end at barriers; each lane runs its
segment, all lanes meet, and the workgroup finds out whether they stand at the same barrier. That is legal WGSL for any
control flow, and it finds divergent barriers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ...compiler.bounds import Bounds, access_of, holds
from ...compiler.fission import Fission, fission, reachable
from ...compiler.ir import PRED, Function, Node
from ...compiler.lower import Copies, Do, Let, Lowered, Meet, Piece, Run, Statement, Step, Variable, lower
from ...compiler.ranges import Ranges
from ...compiler.rounds import within_budget
from ...compiler.structure import Branch, If, Labelled, Loop, Stop, Straight, Tree, structure
from ...errors import FaultKind, UnsupportedType
from ...isa.address import Space
from ...isa.types import Type
from ...isa.verify import Base
from .effects import FAULT_KINDS, Effects, fault_number
from .functions import functions_for
from .library import library_for
from .values import Values
from .wide import Wide, is_wide

__all__ = ["FAULT_KINDS", "STATUS_WORDS", "WgslKernel", "compile_kernel"]

STATUS_WORDS = ("kind", "at", "base", "lane", "offset", "offset_high", "need", "other")
_EXITED = 0xFFFFFFFF
_MAX_CONDITIONS = 64
_EXPIRED = -1  # the label behind everything, for lanes whose budget is used up
# What code calls if it needs it.
_FUNCTIONS = {
    "fence": """fn fence(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ arguments.misc.z);
}
""",
    "fault": """fn fault(kind: u32, at: u32, base: u32, offset: vec2u, need: u32, other: u32) {
  if (atomicCompareExchangeWeak(&status[0], 0u, kind).exchanged) {
    atomicStore(&status[1], at);
    atomicStore(&status[2], base);
    atomicStore(&status[3], global_id);
    atomicStore(&status[4], offset.x);
    atomicStore(&status[5], offset.y);
    atomicStore(&status[6], need);
    atomicStore(&status[7], other);
  }
}
""",
}
_FIXED = 4  # vec4u words of the argument block before scalars: grid, lanes, misc, spare


@dataclass
class WgslKernel:
    """A shader. `scalars` and `bases` say what the argument block holds, `groups` what each binding from 2 on binds.

    `written` says of each binding whether the shader writes it. `further` are the bindings behind those of the groups:
    number of the group, and which part of its memory. If `scratch` is not 0, the last binding is a buffer of so many
    bytes for each block that is dispatched at a time, which may hold anything.

    `fast` is the shader without the checks of accesses that are proven to be in bounds, and of budgets that no lane can
    use up, in launches for which `proves` says so; it has the same bindings and
    arguments, of which it may leave some unused.
    """

    code: str
    scalars: list[tuple[str, Type]]
    bases: list[Base]
    groups: list[list[Base]]
    written: list[bool]
    block: tuple[int, int, int]
    further: list[tuple[int, int]]
    words: int = 0
    scratch: int = 0
    fast: str | None = None
    conditions: tuple[Node, ...] = ()

    @property
    def arguments_size(self) -> int:
        """Bytes of the argument block."""
        return 16 * _FIXED + 4 * self.words

    def proves(
        self, grid: Sequence[int], scalars: Mapping[str, int], sizes: Mapping[Base, int], shared: int, steps: int
    ) -> bool:
        """Whether `fast` may run.

        For so many blocks, scalars by their bits, bytes of memories and shared memory, and steps that a lane may take.
        """
        lanes = self.block[0] * self.block[1] * self.block[2]
        last = {f"LAST_BLOCK_IDX_{axis}": size - 1 for axis, size in zip("XYZ", grid, strict=True)}
        last |= {f"LAST_LANE_IDX_{axis}": size - 1 for axis, size in zip("XYZ", self.block, strict=True)}
        last |= {f"GRID_DIM_{axis}": size for axis, size in zip("XYZ", grid, strict=True)}
        last["STEPS"] = steps
        last["LAST_GLOBAL_LANE_ID"] = grid[0] * grid[1] * grid[2] * lanes - 1

        def leaf(node: Node) -> int:
            if node.op == "param":
                assert isinstance(node.ty, Type)
                return int(node.ty.decode(scalars[node.attr]))
            if isinstance(node.attr, str):
                return last[node.attr]
            base, need = node.attr[1:]
            return max(int(shared if base.space is Space.SHARED else sizes[base]) - int(need) + 1, 0)

        return self.fast is not None and all(holds(condition, leaf) for condition in self.conditions)


@dataclass
class _Frame:
    """An open construct of WGSL: `switch` for Labelled, `loop` for Loop; `crossed` are labels left through it.

    `follow` is the label right behind a loop, to which a `break` goes.
    """

    kind: str
    label: int
    follow: int | None = None
    crossed: set[int] = field(default_factory=set)


class _Emitter(Effects):
    def __init__(
        self,
        function: Function,
        groups: list[list[Base]],
        shared: int,
        math: str,
        canary: bool,
        half: bool,
        parts: Sequence[int],
        window: int,
        proven: set[Node],
        line: bool = False,
        stepless: bool = False,
    ) -> None:
        self.stepless = stepless  # whether no lane can use up its budget
        self.line = line  # whether the grid is one row of blocks
        self.function, self.groups, self.shared, self.proven = function, groups, shared, proven
        self.lowered: Lowered = lower(function)
        self.values = Values(Ranges(function), self.lowered.variables, self._leaf, math)
        self.wide = self.values.wide = Wide(function, self.lowered, self.values, self._put_wide)
        self.canary, self.half = canary, half
        used = {node.attr: node.ty for node in function.nodes() if node.op == "param"}
        self.scalars = [(name, ty) for name, ty in used.items() if isinstance(ty, Type)]
        self.bases = [base for group in groups for base in group]
        self.helpers: dict[str, str] = {}
        self.lines: list[str] = []
        self.loops = False  # whether code of the kernel goes around
        self.depth = 1
        self.frames: list[_Frame] = []
        self.labels: dict[int, int] = {}
        self.segmented = any(piece.kind == "barrier" for piece in self.lowered.pieces)
        plan = fission(self.lowered) if self.segmented else None
        # Where lanes leave a loop of the block by themselves, nothing uniform ends it.
        self.plan: Fission | None = None if plan is None or plan.endless else plan
        self.run_: Run | None = None  # whose lanes are emitted
        self.in_block = False  # whether `main` is, with the block's own code
        runs = self.plan.runs if self.plan else []
        self.lanes_step = any(self._steps(run) for run in runs)  # by themselves: their budgets may differ
        self.atomic, self.written = self._uses()
        self.window = window
        self.parts = {f"b{number}": count for number, count in enumerate(parts) if count > 1}
        self.further = [(number, part) for number, count in enumerate(parts) for part in range(1, count)]
        self.names = [f"b{number}" for number in range(len(groups))]
        self.names += [f"b{number}_{part}" for number, part in self.further]
        self.atomic |= {name for name in self.names if name.split("_")[0] in self.atomic}
        self.meet = ["workgroupBarrier();", *(["storageBarrier();"] if self._stores_before_barriers() else [])]
        self.hoisted: dict[str, str] = {}  # what a function computes once

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
            if node.op == "atomic" or (node.op == "store" and access.element.bits < 32):
                atomic.add(name)
        return atomic, written

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
            and access.base.space is not Space.SHARED
            for piece in reachable((p for p in before if p.kind == "barrier"), before.__getitem__)
            for statement in piece.statements
        )

    # Whole shader

    def run(self) -> WgslKernel:
        body = self._block(self.plan) if self.plan else self._segments() if self.segmented else self._flat()
        uniform = self.plan.uniform if self.plan else set()
        variables = "".join(
            f"var<private> {self.values.name(variable)}: {self.values.type_name(node)};\n"
            for node, variable in self.lowered.variables.items()
            if variable not in uniform and not is_wide(variable.ty)
        )
        declarations, words = self._declarations()
        variables += self.wide.declaration(2 + len(self.names))
        text = "\n".join([*self.helpers.values(), body])
        text = functions_for(text, self.values.math) + text
        code = declarations + variables + text
        library = self.wide.library(library_for(code, self.half))
        enabled = "enable f16;\n" if "f32(f16(" in library else ""
        library = "".join(f for name, f in _FUNCTIONS.items() if f"{name}(" in text + library) + library
        return WgslKernel(
            enabled + declarations + variables + library + "\n" + text,
            self.scalars,
            self.bases,
            self.groups,
            [name.split("_")[0] in self.written for name in self.names] + [True] * bool(self.wide.scratch),
            self.function.block_shape,
            self.further,
            words,
            self.wide.scratch,
        )

    def _declarations(self) -> tuple[str, int]:
        # Scalars take two words each, sizes of memories one.
        words = 2 * len(self.scalars) + len(self.bases) + 1
        count = -(-words // 4)
        lines = [
            "struct Arguments { grid: vec4u, lanes: vec4u, misc: vec4u, spare: vec4u,",
            f"  words: array<vec4u, {count}> }}",
            "@group(0) @binding(0) var<storage, read_write> status: array<atomic<u32>, 8>;",
            "@group(0) @binding(1) var<uniform> arguments: Arguments;",
        ]
        for number, name in enumerate(self.names):
            element = "atomic<u32>" if name in self.atomic else "u32"
            mode = "read_write" if name.split("_")[0] in self.written or name in self.atomic else "read"
            lines.append(f"@group(0) @binding({number + 2}) var<storage, {mode}> {name}: array<{element}>;")
        if any(base.space is Space.SHARED for base in self.function.bases):
            element = "atomic<u32>" if "shared_memory" in self.atomic else "u32"
            lines.append(f"var<workgroup> shared_memory: array<{element}, {max(-(-self.shared // 4), 1)}>;")
        lines += [
            "var<private> lane: u32;",  # in its block
            "var<private> lane_id: vec3u;",
            "var<private> block_id: vec3u;",
            "var<private> global_id: u32;",
            "var<private> budget: u32;",
            "",
        ]
        return "\n".join(lines), count * 4

    def _entry(self) -> list[str]:
        """Coordinates of the lane; `alive` says whether it is on."""
        x, y, z = self.function.block_shape
        coordinates = [
            "  let block_of = vec3u(block % arguments.grid.x, block / arguments.grid.x % arguments.grid.y,",
            "                       block / (arguments.grid.x * arguments.grid.y));",
            "  block_id = block_of;",
            f"  var alive = all(block_id * vec3u({x}u, {y}u, {z}u) + local < arguments.lanes.xyz);",
        ]
        row = [
            "  let block_of = vec3u(block, 0u, 0u);",
            "  block_id = block_of;",
            "  var alive = global_id < arguments.lanes.x;",
        ]
        start = self.wide.start()
        first = "arguments.spare.y + " if self.wide.scratch else ""  # blocks take turns with their storage
        return [
            f"@compute @workgroup_size({x}, {y}, {z})",
            "fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,",
            "        @builtin(local_invocation_index) index: u32) {",
            # Blocks are laid out in rows of 65,535 workgroups, the most along one axis.
            f"  let block = {first}group.x + group.y * 65535u;",
            "  lane = index;",
            "  lane_id = local;",
            "  if (block >= arguments.misc.x) {",
            "    return;",
            "  }",
            f"  global_id = block * {x * y * z}u + index;",
            "  budget = arguments.misc.y;",
            *start,
            *(row if self.line else coordinates),
            *self._zeroing(),
        ]

    def _zeroing(self) -> list[str]:
        """Shared memory starts as zeros; wgpu-native leaves what was there (seen with 0.32 on llvmpipe)."""
        if not any(base.space is Space.SHARED for base in self.function.bases):
            return []
        x, y, z = self.function.block_shape
        zero = "atomicStore(&shared_memory[i], 0u)" if "shared_memory" in self.atomic else "shared_memory[i] = 0u"
        words = max(-(-self.shared // 4), 1)
        return [
            f"  for (var i = index; i < {words}u; i += {x * y * z}u) {{",
            f"    {zero};",
            "  }",
            "  workgroupBarrier();",
        ]

    def _flat(self) -> str:
        code = self._function("run", self.lowered.resumes[0])
        return "\n".join([code, *self._entry(), "  if (alive) {", "    run();", "  }", *self._check_loops(), "}", ""])

    def _check_loops(self) -> list[str]:
        """The canary: Mesa 22's llvmpipe ends every loop of a shader once they went around 65,535 times in all.

        A last loop of two rounds then ends after one. A lane that was off has no rounds to lose.
        """
        if not self.canary or not (self.loops or self.helpers or (self.segmented and self.plan is None)):
            return []
        limit = fault_number(FaultKind.STEP_LIMIT)
        return [
            "  var rounds = 0u;",
            "  loop {",
            "    rounds += 1u;",
            "    if (rounds > arguments.spare.x) {",
            "      break;",
            "    }",
            "  }",
            "  if (rounds <= arguments.spare.x) {",
            f"    fault({limit}u, 0xffffffffu, 0xffffffffu, vec2u(0u), 0u, 0u);",
            "  }",
        ]

    def _block(self, plan: Fission) -> str:
        """The block's own code in `main`; each run is a function that says whether the lane goes on."""
        parts = [self._run_function(run) for run in plan.runs]
        self.lines, self.depth, self.labels, self.hoisted = [], 1, {}, {}
        self.in_block = True
        self._trees(structure(plan.entry))
        self.in_block = False
        nodes = {variable: node for node, variable in self.lowered.variables.items()}
        ordered = sorted(plan.uniform, key=lambda variable: variable.number)
        variables = [f"  var {self.values.name(v)}: {self.values.type_name(nodes[v])};" for v in ordered]
        counter = ["  var steps = arguments.misc.y;"] if any("steps" in line for line in self.lines) else []
        flag = self._flags()
        return "\n".join([*parts, *self._entry(), *variables, *counter, *flag, *self.lines, "}", ""])

    def _run_function(self, run: Run) -> str:
        nodes = {variable: node for node, variable in self.lowered.variables.items()}
        parameters = [f"{self.values.name(v)}: {self.values.type_name(nodes[v])}" for v in run.uniform]
        self.run_ = run
        code = self._function(f"run{run.number}", run.entry, ", ".join(parameters), self._may_end(run))
        self.run_ = None
        return code

    def _may_end(self, run: Run) -> bool:
        """Whether a lane may end before the cut, by itself or by its budget."""
        return not run.last and (run.leaves or self._steps(run))

    def _steps(self, run: Run) -> bool:
        """Whether lanes take steps of their own in a run."""
        pieces = reachable([run.entry], lambda p: p.ways)
        return not self.stepless and any(isinstance(s, Step) for p in pieces for s in p.statements)

    def _segments(self) -> str:
        parts = [self._function(f"segment{k}", start) for k, start in enumerate(self.lowered.resumes)]
        parts += [
            "var<workgroup> least: atomic<u32>;",
            "var<workgroup> most: atomic<u32>;",
            "var<workgroup> meeting: vec2u;",
            f"var<private> resume: u32 = {_EXITED}u;",
            "var<private> stopped: u32;",
        ]
        divergent = fault_number(FaultKind.DIVERGENT_BARRIER)
        lines = [*self._entry(), f"  resume = select({_EXITED}u, 0u, alive);", "  loop {"]
        lines += ["    switch (resume) {"]
        lines += [f"      case {k}u: {{ segment{k}(); }}" for k in range(len(self.lowered.resumes))]
        lines += [
            "      default: {}",
            "    }",
            "    if (index == 0u) {",
            "      atomicStore(&least, 0xffffffffu);",
            "      atomicStore(&most, 0u);",
            "    }",
            *(f"    {line}" for line in self.meet),
            f"    if (resume != {_EXITED}u) {{",
            "      atomicMin(&least, stopped + 1u);",
            "      atomicMax(&most, stopped + 1u);",
            "    }",
            "    workgroupBarrier();",
            "    if (index == 0u) {",
            "      meeting = vec2u(atomicLoad(&least), atomicLoad(&most));",
            "    }",
            "    let met = workgroupUniformLoad(&meeting);",
            "    if (met.y == 0u) {",
            "      break;",
            "    }",
            "    if (met.x != met.y) {",
            # The lowest lane at either barrier is named. Nobody is in the loop's next round: the words are free.
            "      if (index == 0u) {",
            "        atomicStore(&least, 0xffffffffu);",
            "        atomicStore(&most, 0xffffffffu);",
            "      }",
            "      workgroupBarrier();",
            f"      if (resume != {_EXITED}u) {{",
            "        if (stopped + 1u == met.x) {",
            "          atomicMin(&least, index);",
            "        } else if (stopped + 1u == met.y) {",
            "          atomicMin(&most, index);",
            "        }",
            "      }",
            "      workgroupBarrier();",
            "      if (index == atomicLoad(&least)) {",
            "        let other = global_id - index + atomicLoad(&most);",
            f"        fault({divergent}u, stopped, 0xffffffffu, vec2u(other, 0u), 0u, met.y - 1u);",
            "      }",
            "      break;",
            "    }",
            "  }",
            *self._check_loops(),
            "}",
            "",
        ]
        return "\n".join(parts[len(self.lowered.resumes) :] + parts[: len(self.lowered.resumes)] + lines)

    def _function(self, name: str, start: Piece, parameters: str = "", says: bool = False) -> str:
        self.lines, self.depth, self.frames, self.labels, self.hoisted = [], 1, [], {}, {}
        trees = structure(start)
        self._trees(trees)
        flag = self._flags()
        hoisted = [f"  let {name_} = {text};" for text, name_ in self.hoisted.items()]
        last = ["  return true;"] if says else []
        head = f"fn {name}({parameters}){' -> bool' if says else ''} {{"
        return "\n".join([head, *flag, *hoisted, *self.lines, *last, "}", ""])

    def _flags(self) -> list[str]:
        """Where branches across constructs go, and at which instruction the budget was used up."""
        return ["  var br = 0u;"] * bool(self.labels) + ["  var expired = 0u;"] * (_EXPIRED in self.labels)

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
                for statement in piece.statements:
                    self._statement(statement)
            case Labelled(label, [Loop(inner, body)]):
                self._construct("loop", inner, body, label)
            case Labelled(label, body):
                self._construct("switch", label, body)
            case Loop(label, body):
                self._construct("loop", label, body)
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

    def _construct(self, kind: str, label: int, body: list[Tree], follow: int | None = None) -> None:
        frame = _Frame(kind, label, follow)
        self.frames.append(frame)
        self.put("loop {" if kind == "loop" else "switch (0u) { default: {")
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
                self.put(f"resume = {_EXITED}u;")
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
            case Meet():
                for line in self.meet:
                    self.put(line)
            case Do(node, variable):
                place = self.wide.of if is_wide(node.ty) else self.values.name
                self.effect(node, None if variable is None else place(variable))

    def _step_of_lane(self, at: int, budget: str) -> None:
        self.put(f"{budget} -= 1u;")
        self.put(f"if ({budget} == 0u) {{")
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
        self.put(f"  if (alive) {{ {_step_limit(at)} }}" if self.in_block else f"  {_step_limit(at)}")
        if self.segmented and self.plan is None:
            self.put(f"  resume = {_EXITED}u;")
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
        self.put(f"    {_step_limit(f'{at}u')}")
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
        phis = {variable: node for node, variable in self.lowered.variables.items()}
        texts = [(self.values.name(v), self.values.held_as(phis[v], node)) for v, node in pairs]
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
        if node.op == "param" and not self.in_block and any(frame.kind == "loop" for frame in self.frames):
            # Read once: Mandelbrot's limit cost a sixth of each round on llvmpipe.
            return self.hoisted.setdefault(text, f"p{len(self.hoisted)}")
        return text

    def _leaf_text(self, node: Node) -> str:
        if node.op == "param":
            number = 2 * next(k for k, (name, _) in enumerate(self.scalars) if name == node.attr)
            low, high = (f"arguments.words[{n // 4}][{n % 4}]" for n in (number, number + 1))
            match self.values.type_name(node):
                case "vec2u":
                    return f"vec2u({low}, {high})"
                case "u32":
                    return low
                case "i32" if isinstance(node.ty, Type) and node.ty.bits < 32:
                    return f"((bitcast<i32>({low}) << {32 - node.ty.bits}u) >> {32 - node.ty.bits}u)"
                case other:
                    return f"bitcast<{other}>({low})"
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


def _is_one(special: str) -> Node:
    one = Node("const", Type.U32, (), 1)
    return Node("le", PRED, (Node("special", Type.U32, (), special), one), Type.U32)


def _step_limit(at: str) -> str:
    return f"fault({fault_number(FaultKind.STEP_LIMIT)}u, {at}, 0xffffffffu, vec2u(0u), 0u, 0u);"


def compile_kernel(
    function: Function,
    groups: list[list[Base]],
    shared: int,
    *,
    math: str = "exact",
    canary: bool = False,
    half: bool = False,
    parts: Sequence[int] = (),
    window: int = 0,
    fast: bool = True,
) -> WgslKernel:
    """The shader of a function. `groups` are the memories of each binding, `shared` bytes of shared memory.

    `parts` are the numbers of bindings for each group, of `window` bytes each; there is one of any size if not given.
    `fast` makes the shader without checks, too, if there is one.

    `math` is "exact", "fast" or "strict" (isa.md section 3), `canary` finds out whether the adapter ended a loop early
    and makes that a fault, `half` converts F16 by `shader-f16`.

    Raises CompileError for what WebGPU does not have.
    """
    for node in function.nodes():
        if node.op == "param" and is_wide(node.ty):
            raise UnsupportedType(None, f"no {node.ty} is kept across a collective: keep it in a buffer")
    kernel = _Emitter(function, groups, shared, math, canary, half, parts, window, set()).run()
    if fast:
        _add_fast(kernel, function, partial(_Emitter, function, groups, shared, math, canary, half, parts, window))
    return kernel


def _add_fast(kernel: WgslKernel, function: Function, emitter: Callable[..., _Emitter]) -> None:
    """The shader without checks of accesses and budgets, where a launch can prove that they find nothing."""
    bounds = Bounds(function, launch=True)
    conditions, proven = bounds.prove(function.nodes())
    steps = within_budget(function, bounds)
    conditions += steps or ()
    if (not proven and not steps) or len(conditions) > _MAX_CONDITIONS:
        return
    specials = {str(node.attr) for node in function.nodes() if node.op == "special"}
    line = function.block_shape[1:] == (1, 1) and specials.isdisjoint(("BLOCK_IDX_Y", "BLOCK_IDX_Z"))
    fast = emitter(proven, line, steps is not None).run()
    kernel.fast, kernel.scratch = fast.code, max(kernel.scratch, fast.scratch)
    kernel.conditions = (*conditions, *(map(_is_one, ("GRID_DIM_Y", "GRID_DIM_Z")) if line else ()))
