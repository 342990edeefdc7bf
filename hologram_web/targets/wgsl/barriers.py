"""`main`, and what it calls: how the lanes of a block go from barrier to barrier.

Where the lanes of a block provably stop at the same barriers (`compiler/fission.py`), `main` goes the block's way: the
block's variables are its own, set under uniform control flow from uniform values only, so that Tint allows the
barriers; what lanes do in between are functions, called if the lane is `alive`.

Otherwise barriers take the run-to-barrier form: the code is cut into segments that end at barriers; each lane runs its
segment, all lanes meet, and the workgroup finds out whether they stand at the same barrier. That is legal WGSL for any
control flow, and it finds divergent barriers.
"""

from __future__ import annotations

from ...compiler.fission import Fission
from ...compiler.reducible import together
from ...errors import FaultKind
from ...isa.address import Space
from .body import EXITED, Body, check_loops, function_text
from .effects import fault_number
from .packets import Packet, packet_text
from .shader import Shader

__all__ = ["Main"]

_VECTOR = 16  # lanes of the widest vector of llvmpipe


class Main:
    """Writes the functions of a shader."""

    def __init__(self, shader: Shader, packet: Packet | None) -> None:
        self.shader, self.packet = shader, packet

    def text(self) -> str:
        shader = self.shader
        return self._block(shader.plan) if shader.plan else self._segments() if shader.segmented else self._flat()

    def _entry(self) -> list[str]:
        """Coordinates of the lane; `alive` says whether it is on."""
        x, y, z = self.shader.function.block_shape
        alive = f"all(block_id * vec3u({x}u, {y}u, {z}u) + local < arguments.lanes.xyz)"
        start = self.shader.wide.start(self.shader.places)
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
            *["  patience = arguments.spare.z;"] * self.shader.counts,
            *start,
            f"  var alive = {'global_id < arguments.lanes.x' if self.shader.line else alive};",
            # llvmpipe fills the last vector of a row of lanes up with more, whose loops go round (measured: 65,535
            # times where lanes look through shared memory). By `index`, as it takes local.x for 0 in rows of one lane;
            # a zero that it does not know keeps it from leaving the test out.
            *[f"  alive = alive && index - local.y * {x}u - local.z * {x * y}u < {x}u + arguments.misc.z;"]
            * (self.shader.counts and x % _VECTOR != 0),
            # Where the time of one lane was up, those that come later would use it up, too.
            *["  alive = alive && atomicLoad(&status.kind) == 0u;"] * self.shader.counts,
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
            *(["  let block_of = vec3u(block, 0u, 0u);"] if self.shader.line else decoded),
        ]

    def _zeroing(self) -> list[str]:
        """Shared memory starts as zeros; wgpu-native leaves what was there (seen with 0.32 on llvmpipe)."""
        if not any(base.space is Space.SHARED for base in self.shader.function.bases):
            return []
        x, y, z = self.shader.function.block_shape
        kind = self.shader.kinds.get("shared_memory", "u32")
        atomic = "shared_memory" in self.shader.atomic
        zero = "atomicStore(&shared_memory[i], 0u)" if atomic else f"shared_memory[i] = {kind}()"
        words = max(-(-self.shader.shared // 4), 1)
        return [
            f"  for (var i = index; i < {words}u; i += {x * y * z}u) {{",
            f"    {zero};",
            "  }",
            "  workgroupBarrier();",
        ]

    def _flat(self) -> str:
        shader, entry = self.shader, self.shader.lowered.resumes[0]
        if self.packet is not None:
            return packet_text(shader, self.packet, self._block_of())
        code = function_text(shader, "run", entry)
        return "\n".join([code, *self._entry(), "  if (alive) {", "    run();", "  }", *check_loops(shader), "}", ""])

    def _block(self, plan: Fission) -> str:
        """The block's own code in `main`; each run is a function that says whether the lane goes on."""
        shader = self.shader
        parts = []
        for run in plan.runs:
            name = f"run{run.number}"
            parts.append(function_text(shader, name, run.entry, run, run.uniform, shader.may_end(run)))
        body = Body(shader, in_block=True)
        body.write(plan.entry)
        variables = [f"  var {shader.declared(variable)};" for variable in shader.ordered(plan.uniform)]
        counters = {"steps": "arguments.misc.y", "rounds_left": "arguments.spare.z"}
        counted = [f"  var {name} = {start};" for name, start in counters.items() if name in body.used]
        code = [*variables, *counted, *body.control.flags(), *body.hoists(), *body.writer.lines]
        vars(body).clear()  # it lies in cycles
        return "\n".join([*parts, *self._entry(), *code, "}", ""])

    def _segments(self) -> str:
        resumes = self.shader.lowered.resumes
        whole = together(resumes)
        if whole is None:
            segments = [function_text(self.shader, f"segment{k}", start) for k, start in enumerate(resumes)]
            cases = [f"      case {k}u: {{ segment{k}(); }}" for k in range(len(resumes))]
        else:
            segments, cases = [function_text(self.shader, "segments", whole)], [f"      case {EXITED}u: {{}}"]
        parts = [
            "var<workgroup> least: atomic<u32>;",
            "var<workgroup> most: atomic<u32>;",
            "var<workgroup> meeting: vec2u;",
            f"var<private> resume: u32 = {EXITED}u;",
            "var<private> stopped: u32;",
        ]
        kind, other = f"{fault_number(FaultKind.DIVERGENT_BARRIER)}u", "vec2u(other, 0u)"
        fault = self.shader.call("fault", kind, "stopped", "0xffffffffu", other, "0u", "met.y - 1u")
        lines = [*self._entry(), f"  resume = select({EXITED}u, 0u, alive);", "  loop {"]
        lines += ["    switch (resume) {", *cases]
        lines += [
            "      default: {}" if whole is None else "      default: { segments(); }",
            "    }",
            "    if (index == 0u) {",
            "      atomicStore(&least, 0xffffffffu);",
            "      atomicStore(&most, 0u);",
            "    }",
            *(f"    {line}" for line in self.shader.meet),
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
            f"        {fault};",
            "      }",
            "      break;",
            "    }",
            "  }",
            *check_loops(self.shader),
            "}",
            "",
        ]
        return "\n".join(parts + segments + lines)
