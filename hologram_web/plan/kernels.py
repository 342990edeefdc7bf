"""Kernels of an artifact: lane regions compiled to WebAssembly and WGSL, each variant once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import CompileError, UnsupportedInstruction
from ..isa.address import ON_CHIP, Space
from ..isa.types import Type
from ..isa.verify import Analysis, Base
from ..store.store import BROUGHT
from .plan import (
    Binding,
    FastCode,
    KernelCode,
    KernelMemory,
    Launch,
    Step,
    Target,
    WasmCode,
    WgslCode,
    bodies,
    with_bodies,
)

if TYPE_CHECKING:
    from ..compiler.host import Uniform
    from ..compiler.ir import Function

__all__ = ["KernelTable", "LaneKernel", "LearntFacts", "WasmPart", "WgslPart"]

_IDLE = frozenset({"fence"})  # effects that do nothing for anybody else
_OTHER = "this kernel is for the other target"
_INDENT = re.compile(r"^ +", re.MULTILINE)


class WasmPart(NamedTuple):
    """Code for WebAssembly: a module, bytes of spill memory a lane, the places of scalars and memories in the argument
    block, the module for engines with relaxed SIMD, empty where it is the same; and why the code is what it is."""

    code: bytes
    spill: int
    scalars: Any
    memories: Any
    relaxed: bytes
    why: str


class WgslPart(NamedTuple):
    """A shader for memories in groups, as `WgslCode` has it, with texts in place of numbers. `fast` has of each such
    shader its text, blocks, conditions and `counts`; `why` is what keeps checks in all launches."""

    code: str
    size: int
    scalars: Any
    written: Any
    scratch: int
    counts: bool
    why: str
    fast: tuple[Any, ...]


class LearntFacts(NamedTuple):
    """What launches of a kernel need to know of it: its name, scalars and memories, which of these it writes and
    touches, whether it does nothing; and its code as far as it was made, by `math`, for WebGPU with the groups."""

    name: str
    scalars: dict[str, Type]
    bases: tuple[Base, ...]
    written: frozenset[Base]
    touched: frozenset[Base]
    idle: bool
    code: dict[Any, Any]


class LaneKernel:
    """A kernel while it is made: what the code of its launches needs, from the library or its function.

    `fast` allows shader compilers to rewrite F32 arithmetic, as collectives do that are built of dot products.
    """

    fast = False

    def __init__(
        self, program: int | None, analysis: Analysis, block: Any, shared: int, point: int | None, uniform: Uniform
    ) -> None:
        self.program, self.shared = program, analysis.program.shared_memory + shared
        self.block: Any = tuple(block)
        self.analysis, self._region = analysis, (point, uniform)
        whole = not uniform and (point is None or (bool(BROUGHT) and point == analysis.graph.entry))
        known = BROUGHT.get((analysis.source, self.block)) if whole else None
        if known:
            from .brought import facts_of

            self.facts = facts_of(*known)
        else:
            self.facts = self._learnt()
        _, self.scalars, self.bases, self.written, self.touched, self.idle, _ = self.facts

    @cached_property
    def function(self) -> Function:
        """Its code for compilers, made when what is asked for is not there."""
        from ..compiler.driver import lane_function

        return lane_function(self.analysis, self.block, *self._region)

    def _learnt(self) -> LearntFacts:
        from ..compiler.accesses import access_of
        from ..compiler.operations import EFFECTS, WRITES

        function = self.function
        accesses = [(node, access) for node in function.nodes() if (access := access_of(node)) is not None]
        bases = tuple(base for base in function.bases if base.space not in ON_CHIP)
        written = {access.base for node, access in accesses if node.op in WRITES}
        touched = {access.base for _, access in accesses} | {b for b in bases if b.space is Space.PHI}
        scalars: dict[str, Type] = {
            node.attr: node.ty for node in function.nodes() if node.op == "param" and isinstance(node.ty, Type)
        }
        stepping = any(block.end.steps or block.end.kind == "barrier" for block in function.blocks)
        idle = not stepping and all(node.op not in EFFECTS - _IDLE for node in function.nodes())
        return LearntFacts(function.name, scalars, bases, frozenset(written), frozenset(touched), idle, {})

    def _has_code(self) -> None:
        """Raises UnsupportedInstruction for a part of a collective that files have no code of (tensor/devices.py)."""
        if why := self.analysis.program.metadata.entries.get("no_code"):
            raise UnsupportedInstruction(None, why)

    def wasm(self, math: str) -> WasmPart:
        """Its code for WebAssembly. Raises CompileError."""
        self._has_code()
        kind = "fast" if math == "fast" else "exact"
        found = self.facts.code.get(kind) or self.facts.code.setdefault(kind, self._wasm(kind == "fast"))
        return WasmPart(*found)

    def _wasm(self, fast: bool) -> WasmPart:
        from ..targets import wasm

        compiled = wasm.compile_kernel(self.function)
        order, spill, relaxed = list(self.scalars), compiled.spill, compiled.relaxed
        if fast:
            other = wasm.compile_kernel(self.function, fuses=True)
            relaxed = b"" if other.code == compiled.code else other.code
            if relaxed:  # the argument blocks of both are alike: they load the same things
                assert (other.scalars, other.bases) == (compiled.scalars, compiled.bases)
                spill = max(other.spill, spill)  # a reciprocal may wait at a barrier instead of a divisor
        scalars = tuple(order.index(name) for name, _ in compiled.scalars)
        return WasmPart(
            compiled.code, spill, scalars, tuple(map(self.bases.index, compiled.bases)), relaxed, compiled.why
        )

    def wgsl(self, math: str, groups: tuple[tuple[int, ...], ...]) -> WgslPart:
        """The shader whose bindings are of these memories, by their places. Raises CompileError."""
        self._has_code()
        key = math, groups
        found: Any = self.facts.code.get(key) or self.facts.code.setdefault(key, self._wgsl(*key))
        if type(found) is tuple:
            from .brought import shader_of

            found = shader_of(found)
        return found  # type: ignore[no-any-return]

    def _wgsl(self, math: str, groups: tuple[tuple[int, ...], ...]) -> WgslPart:
        from ..targets import wgsl  # each target only where it is needed
        from .conditions import with_formulas

        parts = [[self.bases[place] for place in group] for group in groups]
        compiled = wgsl.compile_kernel(self.function, parts, self.shared, math=math)
        order = list(self.scalars)
        proven = with_formulas(compiled, order, self.bases, self.shared)
        fast = tuple((each.code, each.blocks, each.conditions, each.counts) for each in proven.fast)
        scalars, written = tuple(order.index(name) for name, _ in compiled.scalars), tuple(compiled.written)
        about = compiled.scratch, compiled.counts, proven.why
        return WgslPart(compiled.code, compiled.arguments_size, scalars, written, *about, fast)


class KernelTable:
    """Compiles the kernels that steps name, each variant once; numbers them in the order of their use."""

    def __init__(
        self, made: Iterable[LaneKernel], math: str = "exact", whys: Mapping[Launch, str] | None = None
    ) -> None:
        self.made, self.math, self.said = list(made), math, whys or {}
        self.numbers: dict[tuple[int, str], int] = {}
        self.kernels: list[KernelCode] = []
        self.modules: dict[bytes, int] = {}
        self.texts: dict[str, int] = {}  # of shaders
        self.whys: dict[str, str] = {}  # why code is what it is, as metadata have it
        self.launches = 0

    def steps(self, steps: Sequence[Step], target: str = "") -> tuple[Step, ...]:
        return tuple(self.step(step, target) for step in steps)

    def step(self, step: Step, target: str) -> Step:
        if isinstance(step, Target):
            target = step.name
        if not isinstance(step, Launch):
            return with_bodies(step, tuple(self.steps(body, target) for body in bodies(step)))
        self._tell("launch", self.launches, self.said.get(step, ""))
        self.launches += 1
        made, key = self.made[step.kernel], (step.kernel, target)
        if key not in self.numbers:
            self.numbers[key] = len(self.kernels)
            self.kernels.append(self._kernel(made, target))
        number = self.numbers[key]
        return step._replace(kernel=number, variant=self._variant(made, number, step.memories))

    def _tell(self, what: str, number: int | str, why: str) -> None:
        if why:
            self.whys[f"why.{what}.{number}"] = why

    def _kernel(self, made: LaneKernel, target: str) -> KernelCode:
        """The kernel with its WebAssembly; variants of its WGSL come with the launches that need them."""
        memories = tuple(
            KernelMemory(base.space.name.lower(), None if base.space is Space.PHI else base.name, base in made.written)  # type: ignore[arg-type]
            for base in made.bases
        )
        code: WasmCode | str
        try:
            if target == "webgpu":
                raise UnsupportedInstruction(None, _OTHER)
            compiled = made.wasm(self.math)
            self._tell("wasm", len(self.kernels), compiled.why)
            code = WasmCode(self._module(compiled.code), *compiled[1:4])
            if compiled.relaxed:
                code = code._replace(relaxed=self._module(compiled.relaxed))
        except CompileError as error:
            code = str(error)
        return KernelCode(
            made.facts.name,
            made.program,
            made.block,
            made.shared,
            tuple(made.scalars.items()),
            memories,
            True,
            code,
            _OTHER if target == "wasm" else (),
        )

    def _variant(self, made: LaneKernel, number: int, buffers: tuple[str, ...]) -> int:
        """The number of the WGSL variant for a launch with these buffers, from 1 on; 0 if WGSL has no such kernel."""
        kernel = self.kernels[number]
        if isinstance(kernel.wgsl, str):
            return 0
        groups: dict[str, list[int]] = {}
        for place, (base, buffer) in enumerate(zip(made.bases, buffers, strict=True)):
            if base in made.touched:
                groups.setdefault(buffer, []).append(place)
        wanted = tuple(map(tuple, groups.values()))
        for position, variant in enumerate(kernel.wgsl):
            if tuple(binding.memories for binding in variant.bindings) == wanted:
                return position + 1
        math = self.math
        if made.program is None and math != "strict":  # collectives say themselves what they allow
            math = "fast" if made.fast else "exact"
        try:
            found = made.wgsl(math, wanted)
        except CompileError as error:
            if isinstance(kernel.wasm, str) and kernel.wasm != _OTHER:
                raise
            self.kernels[number] = replace(kernel, wgsl=str(error))
            return 0
        shader = self._shader(found.code)
        self._tell("webgpu", f"{number}.{len(kernel.wgsl)}", found.why)
        fast = tuple(FastCode(self._shader(each[0]), *each[1:]) for each in found.fast)
        bindings = tuple(map(Binding, found.written, wanted))  # without that of scratch memory
        code = WgslCode(shader, found.size, found.scalars, bindings, found.scratch, fast, found.counts)
        self.kernels[number] = replace(kernel, wgsl=(*kernel.wgsl, code))
        return len(kernel.wgsl) + 1

    def _module(self, code: bytes) -> int:
        """The number of a module."""
        return self.modules.setdefault(code, len(self.modules))

    def _shader(self, code: str) -> int:
        """The number of a shader."""
        return self.texts.setdefault(_INDENT.sub("", code), len(self.texts))

    def shaders(self) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
        """The pieces of all shaders, and which each is of: rows of lines that stand nowhere without each other, once.

        Shaders with and without checks have most lines in common: without that a product of matrices was 110 KB.
        """
        texts = [["", *text.splitlines(keepends=True), ""] for text in self.texts]
        before, behind = dict[str, str](), dict[str, str]()
        ends, starts = set[str](), set[str]()  # lines that have several behind them, or before
        for lines in texts:
            for line, following in pairwise(lines):
                if behind.setdefault(line, following) != following:
                    ends.add(line)
                if before.setdefault(following, line) != line:
                    starts.add(following)
        pieces: dict[str, int] = {}
        found = []
        for lines in texts:
            rows = [""]
            for line, following in pairwise(lines[1:]):
                rows[-1] += line
                if following and (line in ends or following in starts):
                    rows.append("")
            found.append(tuple(pieces.setdefault(row, len(pieces)) for row in rows))
        return tuple(pieces), tuple(found)
