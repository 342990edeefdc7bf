"""Kernels: a function of IR as a WGSL compute shader, a workgroup for each block.

Binding 0 is the status buffer, 1 the argument block (uniform), the memories follow. Several parameters may share a
binding (`groups`): the same buffer may be passed for all of them, and WebGPU binds a buffer for writing once only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...compiler.accesses import Check, access_of
from ...compiler.bounds import Bounds
from ...compiler.coalesce import coalesced
from ...compiler.ir import PRED, Function, Node
from ...compiler.legalise import legalised
from ...compiler.out_of_ssa import lower
from ...compiler.recursion import deep_recursion
from ...compiler.rounds import cost_of_lane, within_budget
from ...compiler.several_rounds import with_rounds_together
from ...errors import CompileError
from ...garbage import seldom_collected
from ...isa.address import Space
from ...isa.types import Type
from ...isa.verify import Base
from .barriers import Main
from .effects import FAULT_KINDS
from .functions import functions_for
from .language import traits_of
from .library import library_for
from .packets import Closing, Packet, closings_of, packet_of
from .shader import Shader

__all__ = ["ARGUMENTS", "FAULT_KINDS", "STATUS_WORDS", "Proven", "WgslKernel", "compile_kernel"]

STATUS_WORDS = ("kind", "at", "base", "lane", "offset", "offset_high", "need", "other")
MAX_ARGUMENTS = 65_536  # bytes of a uniform buffer, on every adapter
# The argument block: the word of each field, of `grid` and `lanes` the first of three. `end` is the block behind the
# last of a dispatch, `first` its first one, `canary` is 1. Shaders have words 8 to 15 as `misc` and `spare`; two are
# zeros that no shader compiler knows.
ARGUMENTS = {
    "grid": 0, "lanes": 4, "end": 8, "steps": 9, "shared_size": 11, "canary": 12, "first": 13, "patience": 14,
    "values": 16,
}  # fmt: skip
_MAX_CONDITIONS = 128  # each of a few additions, which a launch computes once for values of its scalars
_MOST_NESTED = 127  # of what naga and Tint take
# What code calls if it needs it.
_FUNCTIONS = {
    "fence": """fn fence(x: f32, zero: u32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ zero);
}
""",
    "fault": """fn fault(kind: u32, at: u32, base: u32, offset: vec2u, need: u32, other: u32) {
  if (atomicCompareExchangeWeak(&status.kind, 0u, kind).exchanged) {
    status.at = at;
    status.base = base;
    status.lane = global_id;
    status.offset = offset;
    status.need = need;
    status.other = other;
  }
}
""",
}
_FIXED = 4  # vec4u words of the argument block before scalars: grid, lanes, misc, spare


C = TypeVar("C")  # what conditions are: nodes as compiled; of devices and files formulas (plan/conditions.py)


@dataclass(frozen=True)
class Proven(Generic[C]):
    """A shader for launches in which all `conditions` hold: without the checks of accesses that are proven to be in
    bounds, and of budgets and patience that no lane can use up.

    A workgroup does so many `blocks`. `counts`: whether lanes count rounds.
    """

    code: str
    conditions: tuple[C, ...]
    blocks: int
    counts: bool


@dataclass
class WgslKernel(Generic[C]):
    """A shader. `scalars` and `bases` say what the argument block holds, `groups` what each binding from 2 on binds.

    `written` says of each binding whether the shader writes it. `further` are the bindings behind those of the groups:
    number of the group, and which part of its memory. If `scratch` is not 0, the last binding is a buffer of so many
    bytes for each block that is dispatched at a time, which may hold anything.

    `fast` are shaders that do less, in launches whose conditions hold, the best one first; they have the same bindings
    and arguments, of which they may leave some unused.

    `cost` is what a lane costs that goes around no loop, in rounds of the shortest loop. `counts` says of `code`
    whether lanes count rounds, `why` what keeps checks in all launches, where there is no fast shader.
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
    fast: tuple[Proven[C], ...] = ()
    cost: int = 1
    counts: bool = False
    why: str = ""

    @property
    def arguments_size(self) -> int:
        """Bytes of the argument block."""
        return 16 * _FIXED + 4 * self.words


def _kernel(shader: Shader, packet: Packet | None) -> WgslKernel[Node]:
    """The kernel of a shader, once its functions are written."""
    body = Main(shader, packet).text()
    if shader.nesting > _MOST_NESTED:
        reason = f"loops and branches lie in each other more than {_MOST_NESTED} deep, the most of a shader"
        raise CompileError(shader.deepest[1], reason)
    variables = "".join(f"var<private> {shader.declared(variable)};\n" for variable in shader.ordered(shader.kept))
    declarations, words = _declarations(shader)
    variables += shader.wide.declaration(2 + len(shader.names))
    text = "\n".join([*shader.helpers.values(), body])
    functions, called = functions_for(shader.called, shader.math)
    text = "\n".join([*functions, text])
    library = shader.wide.library(library_for(called, shader.half))
    enabled = "enable f16;\n" if shader.half and "f32_to_f16" in called else ""
    library = "".join(text for name, text in _FUNCTIONS.items() if name in called) + library
    return WgslKernel(
        enabled + declarations + variables + library + "\n" + text,
        shader.scalars,
        shader.bases,
        shader.groups,
        [shader.names[name] in shader.written for name in shader.names] + [True] * bool(shader.wide.scratch),
        shader.function.block_shape,
        shader.further,
        words,
        shader.wide.scratch,
        counts=shader.counts,
    )


def _declarations(shader: Shader) -> tuple[str, int]:
    # Scalars take two words each, wide ones all of theirs, sizes of memories one.
    words = shader.memories_at + len(shader.bases) + 1
    count = -(-words // 4)
    lines = [
        "struct Arguments { grid: vec4u, lanes: vec4u, misc: vec4u, spare: vec4u,",
        f"  words: array<vec4u, {count}> }}",
        # Only who finds no fault writes the others: stores that are no atomics take a quarter less.
        "struct Status { kind: atomic<u32>, at: u32, base: u32, lane: u32, offset: vec2u, need: u32, other: u32 }",
        "@group(0) @binding(0) var<storage, read_write> status: Status;",
        "@group(0) @binding(1) var<uniform> arguments: Arguments;",
    ]
    for number, name in enumerate(shader.names):
        element = "atomic<u32>" if name in shader.atomic else shader.kinds.get(name, "u32")
        element = f"vec4<{element}>" if shader.quads else element
        mode = "read_write" if shader.names[name] in shader.written or name in shader.atomic else "read"
        lines.append(f"@group(0) @binding({number + 2}) var<storage, {mode}> {name}: array<{element}>;")
    if any(base.space is Space.SHARED for base in shader.function.bases):
        element = "atomic<u32>" if "shared_memory" in shader.atomic else shader.kinds.get("shared_memory", "u32")
        lines.append(f"var<workgroup> shared_memory: array<{element}, {max(-(-shader.shared // 4), 1)}>;")
    if any(base.space is Space.LOCAL for base in shader.function.bases) and not shader.wide.holds_local:
        lines.append(f"var<private> local_memory: array<u32, {max(-(-shader.function.local_memory // 4), 1)}>;")
    lines += [
        "var<private> lane: u32;",  # in its block
        "var<private> lane_id: vec3u;",
        "var<private> block_id: vec3u;",
        "var<private> global_id: u32;",
        "var<private> budget: u32;",
        *["var<private> patience: u32;"] * shader.counts,
        "",
    ]
    return "\n".join(lines), count * 4


def _is_one(special: str) -> Node:
    one = Node("const", Type.U32, (), 1)
    return Node("le", PRED, (Node("special", Type.U32, (), special), one), Type.U32)


@seldom_collected()
def compile_kernel(
    function: Function,
    groups: Iterable[Iterable[Base]],
    shared: int,
    *,
    math: str = "exact",
    canary: bool = False,
    half: bool = False,
    parts: Sequence[int] = (),
    window: int = 0,
    fast: bool = True,
) -> WgslKernel[Node]:
    """The shader of a function. `groups` are the memories of each binding, `shared` bytes of shared memory.

    `parts` are the numbers of bindings for each group, of `window` bytes each; there is one of any size if not given.
    `fast` makes shaders without checks, too, if there are any.

    `math` is "exact", "fast" or "strict" (isa.md section 3), `canary` finds out whether the adapter ended a loop early
    and makes that a fault, `half` converts F16 by `shader-f16`.

    Raises CompileError for what WebGPU does not have.
    """
    with deep_recursion():
        function = with_rounds_together(function)
        bound = [list(group) for group in groups]
        number = {base: number for number, group in enumerate(bound) for base in group}
        legal = legalised(function, traits_of(math), lambda base: number.get(base, base))
        lowered = coalesced(lower(legal.function))
        checked = Shader(function, legal, lowered, bound, shared, math, canary, half, parts, window)
        kernel = _kernel(checked, packet_of(function, checked))
        kernel.cost = cost_of_lane(function)
        if kernel.arguments_size > MAX_ARGUMENTS:
            what = f"its scalars take {kernel.arguments_size} bytes: WebGPU has room for {MAX_ARGUMENTS}"
            raise CompileError(None, f"{what}; give some of them in a buffer")
        if fast:
            _add_fast(kernel, function, checked)
    return kernel


def _is_past(node: Node, shared: int) -> bool:
    """Whether it reaches a known place that so much shared memory does not have."""
    access = access_of(node)
    if access is None or access.base.space is not Space.SHARED or node.args[0].op != "const":
        return False
    return int(node.args[0].attr) * access.scale + access.offset + access.element.size_bytes > shared


def _add_fast(kernel: WgslKernel[Node], function: Function, checked: Shader) -> None:
    """The shaders without checks of accesses and budgets, where a launch can prove that they find nothing."""
    if any(_is_past(node, checked.shared) for node in function.nodes()):
        kernel.why = "a known place is beyond the shared memory"
        return  # no launch proves that, and Tint refuses a shader with a known place outside of an array
    bounds, legal = Bounds(function, launch=True), checked.legal
    conditions, proven = bounds.prove(function.nodes())
    found: set[Check] = {
        (legal.of.get(check[0], check[0]), check[1]) if isinstance(check, tuple) else legal.of.get(check, check)
        for check in proven
    }
    steps = within_budget(bounds)
    specials = {str(node.attr) for node in function.nodes() if node.op == "special"}
    line = function.block_shape[1:] == (1, 1) and specials.isdisjoint(("BLOCK_IDX_Y", "BLOCK_IDX_Z"))
    one_row = tuple(map(_is_one, ("GRID_DIM_Y", "GRID_DIM_Z"))) if line else ()
    made = checked.given(found, line, steps is not None)
    packet = packet_of(function, made)
    closings: list[Closing | None] = []
    if packet is not None and line:
        closings += closings_of(made, packet, bounds)
    if not closings and (proven or steps):
        closings.append(None)
    if not closings:
        reached = dict.fromkeys(str(access.base) for node in function.nodes() if (access := access_of(node)))
        needed = f"bounds where lanes reach {', '.join(reached)}" if reached else "would make them needless"
        kernel.why = f"no condition of a launch {needed}"
    for closing in closings:
        if closing is not None:
            made = checked.given(found, line, steps is not None, closing.blocks, closing.quads)
        wanted = (*conditions, *(steps or []), *(closing.conditions if closing is not None else []), *one_row)
        if len(wanted) > _MAX_CONDITIONS:
            kernel.why = f"a launch does not compute the {len(wanted)} conditions that would make them needless"
        else:
            fast = _kernel(made, packet)
            kernel.scratch = max(kernel.scratch, fast.scratch)
            kernel.fast += (Proven(fast.code, wanted, made.blocks or 1, fast.counts),)
