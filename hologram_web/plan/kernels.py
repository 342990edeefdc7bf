"""Kernels of an artifact: lane regions compiled to WebAssembly and WGSL, each variant once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ..compiler.accesses import access_of
from ..compiler.driver import lane_function
from ..compiler.host import Uniform
from ..compiler.operations import EFFECTS, WRITES
from ..errors import CompileError, UnsupportedInstruction
from ..isa.address import ON_CHIP, Space
from ..isa.types import Type
from ..isa.verify import Analysis
from .conditions import with_formulas
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

__all__ = ["KernelTable", "LaneKernel"]

_IDLE = frozenset({"fence"})  # effects that do nothing for anybody else
_OTHER = "this kernel is for the other target"
_INDENT = re.compile(r"^ +", re.MULTILINE)


class LaneKernel:
    """A kernel while it is made: its function, and what the code of its launches needs.

    `fast` allows shader compilers to rewrite F32 arithmetic, as collectives do that are built of dot products.
    """

    fast = False

    def __init__(
        self, program: int | None, analysis: Analysis, block: Any, shared: int, point: int | None, uniform: Uniform
    ) -> None:
        function = lane_function(analysis, block, point, uniform)
        self.program, self.function, self.shared = program, function, analysis.program.shared_memory + shared
        accesses = [(node, access) for node in function.nodes() if (access := access_of(node)) is not None]
        self.bases = [base for base in function.bases if base.space not in ON_CHIP]
        self.written = {access.base for node, access in accesses if node.op in WRITES}
        self.touched = {access.base for _, access in accesses} | {b for b in self.bases if b.space is Space.PHI}
        self.scalars: dict[str, Type] = {
            node.attr: node.ty for node in function.nodes() if node.op == "param" and isinstance(node.ty, Type)
        }
        stepping = any(block.end.steps or block.end.kind == "barrier" for block in function.blocks)
        self.idle = not stepping and all(node.op not in EFFECTS - _IDLE for node in function.nodes())


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
        function = made.function
        memories = tuple(
            KernelMemory(base.space.name.lower(), None if base.space is Space.PHI else base.name, base in made.written)  # type: ignore[arg-type]
            for base in made.bases
        )
        code: WasmCode | str
        try:
            if target == "webgpu":
                raise UnsupportedInstruction(None, _OTHER)
            from ..targets import wasm

            compiled = wasm.compile_kernel(function)
            self._tell("wasm", len(self.kernels), compiled.why)
            order = list(made.scalars)
            code = WasmCode(
                self._module(compiled.code),
                compiled.spill,
                tuple(order.index(name) for name, _ in compiled.scalars),
                tuple(made.bases.index(base) for base in compiled.bases),
            )
            if self.math == "fast":
                relaxed = wasm.compile_kernel(function, fuses=True)
                if relaxed.code != compiled.code:  # the argument blocks of both are alike: they load the same things
                    assert (relaxed.scalars, relaxed.bases) == (compiled.scalars, compiled.bases)
                    # A reciprocal may wait at a barrier instead of a divisor.
                    spill = max(relaxed.spill, compiled.spill)
                    code = code._replace(spill=spill, relaxed=self._module(relaxed.code))
            elif compiled.relaxed:
                code = code._replace(relaxed=self._module(compiled.relaxed))
        except CompileError as error:
            code = str(error)
        block = function.block_shape
        scalars = tuple(made.scalars.items())
        return KernelCode(
            function.name,
            made.program,
            block,
            made.shared,
            scalars,
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
        wanted = [tuple(group) for group in groups.values()]
        for position, variant in enumerate(kernel.wgsl):
            if [binding.memories for binding in variant.bindings] == wanted:
                return position + 1
        from ..targets import wgsl  # each target only where it is needed

        try:
            parts = [[made.bases[place] for place in group] for group in wanted]
            math = self.math
            if made.program is None and math != "strict":  # collectives say themselves what they allow
                math = "fast" if made.fast else "exact"
            compiled = wgsl.compile_kernel(made.function, parts, made.shared, math=math)
        except CompileError as error:
            if isinstance(kernel.wasm, str) and kernel.wasm != _OTHER:
                raise
            self.kernels[number] = replace(kernel, wgsl=str(error))
            return 0
        shader, order = self._shader(compiled.code), list(made.scalars)
        proven = with_formulas(compiled, order, made.bases, made.shared)
        self._tell("webgpu", f"{number}.{len(kernel.wgsl)}", proven.why)
        fast = [FastCode(self._shader(each.code), each.blocks, each.conditions, each.counts) for each in proven.fast]
        code = WgslCode(
            shader,
            compiled.arguments_size,
            tuple(order.index(name) for name, _ in compiled.scalars),
            tuple(map(Binding, compiled.written, wanted)),  # without that of scratch memory
            compiled.scratch,
            tuple(fast),
            compiled.counts,
        )
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
