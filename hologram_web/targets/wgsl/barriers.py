"""`main`, and what it calls: how the lanes of a block go from barrier to barrier.

Where the lanes of a block provably stop at the same barriers (`compiler/fission.py`), `main` goes the block's way: the
block's variables are its own, set under uniform control flow from uniform values only, so that Tint allows the
barriers; what lanes do in between are functions, called if the lane is `alive`.

Otherwise barriers take the run-to-barrier form: the code is cut into segments that end at barriers; each lane runs its
segment, all lanes meet, and the workgroup finds out whether they stand at the same barrier. That is legal WGSL for any
control flow, and it finds divergent barriers.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...compiler.fission import Fission
from ...compiler.lower import Piece, Run, Variable
from ...compiler.reducible import together
from ...compiler.structure import structure
from ...errors import FaultKind
from ...isa.address import Space
from .code import EXITED, Code
from .effects import fault_number
from .packets import packet_text

__all__ = ["Barriers"]


class Barriers(Code):
    """Emits the functions of a shader."""

    def _entry(self) -> list[str]:
        """Coordinates of the lane; `alive` says whether it is on."""
        x, y, z = self.function.block_shape
        alive = f"all(block_id * vec3u({x}u, {y}u, {z}u) + local < arguments.lanes.xyz)"
        start = self.wide.start(self.places)
        return [
            f"@compute @workgroup_size({x}, {y}, {z})",
            "fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,",
            "        @builtin(local_invocation_index) index: u32) {",
            *self._block_of(),
            "  lane = index;",
            "  lane_id = local;",
            "  block_id = block_of;",
            f"  global_id = block * {x * y * z}u + index;",
            "  budget = arguments.misc.y;",
            *["  patience = arguments.spare.z;"] * self.counts,
            *start,
            f"  var alive = {'global_id < arguments.lanes.x' if self.line else alive};",
            # Where the time of one lane was up, those that come later would use it up, too.
            *["  alive = alive && atomicLoad(&status.kind) == 0u;"] * self.counts,
            *self._zeroing(),
        ]

    def _block_of(self) -> list[str]:
        """The number of the block, and its coordinates."""
        decoded = [
            "  let block_of = vec3u(block % arguments.grid.x, block / arguments.grid.x % arguments.grid.y,",
            "                       block / (arguments.grid.x * arguments.grid.y));",
        ]
        return [
            # Blocks are laid out in rows of 65,535 workgroups, the most along one axis.
            # A launch may be dispatched in parts.
            "  let block = arguments.spare.y + group.x + group.y * 65535u;",
            "  if (block >= arguments.misc.x) {",
            "    return;",
            "  }",
            *(["  let block_of = vec3u(block, 0u, 0u);"] if self.line else decoded),
        ]

    def _zeroing(self) -> list[str]:
        """Shared memory starts as zeros; wgpu-native leaves what was there (seen with 0.32 on llvmpipe)."""
        if not any(base.space is Space.SHARED for base in self.function.bases):
            return []
        x, y, z = self.function.block_shape
        kind = self.kinds.get("shared_memory", "u32")
        atomic = "shared_memory" in self.atomic
        zero = "atomicStore(&shared_memory[i], 0u)" if atomic else f"shared_memory[i] = {kind}()"
        words = max(-(-self.shared // 4), 1)
        return [
            f"  for (var i = index; i < {words}u; i += {x * y * z}u) {{",
            f"    {zero};",
            "  }",
            "  workgroupBarrier();",
        ]

    def _flat(self) -> str:
        if self.packet is not None:
            code = "" if self.together else self._function("run", self.lowered.resumes[0])
            return code + packet_text(self, self.packet, self._block_of(), not self.together)
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
        self.lines, self.depth, self.labels, self.hoisted, self.goes = [], 1, {}, {}, False
        self.in_block = True
        self._trees(structure(plan.entry))
        self.in_block = False
        variables = [f"  var {self.declared(variable)}" for variable in self.ordered(plan.uniform)]
        counter = ["  var steps = arguments.misc.y;"] if any("steps" in line for line in self.lines) else []
        counter += (
            ["  var rounds_left = arguments.spare.z;"] if any("rounds_left" in line for line in self.lines) else []
        )
        flag = [*self._flags(), *self._hoisted()]
        return "\n".join([*parts, *self._entry(), *variables, *counter, *flag, *self.lines, "}", ""])

    def _hoisted(self) -> list[str]:
        return [f"  let {name} = {text};" for text, name in self.hoisted.items()]

    def _run_function(self, run: Run) -> str:
        self.run_ = run
        code = self._function(f"run{run.number}", run.entry, run.uniform, self._may_end(run))
        self.run_ = None
        return code

    def _segments(self) -> str:
        resumes = self.lowered.resumes
        whole = together(resumes)
        if whole is None:
            segments = [self._function(f"segment{k}", start) for k, start in enumerate(resumes)]
            cases = [f"      case {k}u: {{ segment{k}(); }}" for k in range(len(resumes))]
        else:
            segments, cases = [self._function("segments", whole)], [f"      case {EXITED}u: {{}}"]
        parts = [
            "var<workgroup> least: atomic<u32>;",
            "var<workgroup> most: atomic<u32>;",
            "var<workgroup> meeting: vec2u;",
            f"var<private> resume: u32 = {EXITED}u;",
            "var<private> stopped: u32;",
        ]
        divergent = fault_number(FaultKind.DIVERGENT_BARRIER)
        lines = [*self._entry(), f"  resume = select({EXITED}u, 0u, alive);", "  loop {"]
        lines += ["    switch (resume) {", *cases]
        lines += [
            "      default: {}" if whole is None else "      default: { segments(); }",
            "    }",
            "    if (index == 0u) {",
            "      atomicStore(&least, 0xffffffffu);",
            "      atomicStore(&most, 0u);",
            "    }",
            *(f"    {line}" for line in self.meet),
            f"    if (resume != {EXITED}u) {{",
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
            f"      if (resume != {EXITED}u) {{",
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
        return "\n".join(parts + segments + lines)

    def _function(self, name: str, start: Piece, given: Sequence[Variable] = (), says: bool = False) -> str:
        """A function; `given` are the variables of the block that it reads."""
        self.start()
        trees = structure(start)
        self._trees(trees)
        flag = self._flags()
        hoisted = self._hoisted()
        last = ["  return true;"] if says else []
        own = [f"  var {self.declared(v)}" for v in self.ordered(self.values.named - self.kept - set(given))]
        parameters = ", ".join(self.declared(variable)[:-1] for variable in given)
        head = f"fn {name}({parameters}){' -> bool' if says else ''} {{"
        return "\n".join([head, *own, *flag, *hoisted, *self.lines, *last, "}", ""])
