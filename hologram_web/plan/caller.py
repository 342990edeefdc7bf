"""Calls of programs: one without collectives is a launch, others are what `hosting.py` makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..isa.cfg import END
from ..isa.program import Program
from ..isa.types import Type
from ..isa.verify import Analysis, Base
from .formula import Formula
from .plan import CLASS_MEMORY, Argument, Launch, Plan, ProgramCall, Step

if TYPE_CHECKING:
    from ..compiler.host import Uniform

__all__ = ["CLASS_BYTES", "Caller", "LoweredKernel", "Outer", "call_steps"]

CLASS_BYTES = 12_288


class LoweredKernel(Protocol):
    """A kernel, as far as launches of it are concerned: its scalars by name, its memories, whether it does anything."""

    fast: bool

    @property
    def scalars(self) -> dict[str, Type]: ...
    @property
    def bases(self) -> Sequence[Base]: ...
    @property
    def idle(self) -> bool: ...


class Outer(Protocol):
    """The plan that a call stands in: `target` is the only one that there is code for, or empty. A plan for a device
    `here` is in no file, and its launches that depend on sizes are made when they first run."""

    plan: Plan
    programs: Sequence[Program]
    target: str
    math: str
    here: str
    sizes: dict[str, Any]
    whys: dict[Launch, str]

    def analysis(self, program: Program) -> Analysis: ...
    def kernel(
        self, program: int | None, analysis: Analysis, block: Any, shared: int, point: int | None, uniform: Uniform
    ) -> int: ...
    def made(self, number: int) -> LoweredKernel: ...
    def temporary(self, kind: str, size: Formula) -> str: ...
    def variable(self, kind: str) -> str: ...
    def is_early(self, formula: Formula) -> bool: ...


class Caller:
    """Makes launches of a call's kernels."""

    def __init__(self, outer: Outer, call: ProgramCall) -> None:
        self.outer, self.call = outer, call
        self.program = outer.programs[call.program]
        self.analysis = outer.analysis(self.program)
        self.args = {param.name: arg for param, arg in zip(self.program.params, call.args, strict=True)}

    def make(self, point: int, uniform: Uniform) -> tuple[int, set[str]] | None:
        call = self.call
        number = self.outer.kernel(call.program, self.analysis, call.block, call.shared, point, uniform)
        kernel = self.outer.made(number)
        return None if kernel.idle else (number, set(kernel.scalars))

    def launch(self, number: int, held: dict[str, Argument]) -> Launch:
        kernel, call = self.outer.made(number), self.call
        scalars = tuple(held[name] if name in held else self.args[name] for name in kernel.scalars)
        memories = tuple(self.buffer(base) for base in kernel.bases)
        return Launch(number, 0, 0, call.grid, call.lanes, scalars, memories)

    def buffer(self, base: Base) -> str:
        """The buffer behind a base."""
        return self.args[base.name].value if isinstance(base.name, str) else CLASS_MEMORY


def call_steps(outer: Outer, call: ProgramCall) -> tuple[Step, ...]:
    """The code of a call. Raises CompileError."""
    caller = Caller(outer, call)
    entry = caller.analysis.graph.entry
    if entry == END:
        return ()
    if not caller.analysis.has_collectives:
        made = caller.make(entry, {})
        return () if made is None else (caller.launch(made[0], {}),)
    from .hosting import HostedCaller  # in pages with the tensor library

    return tuple(HostedCaller(outer, call).whole())
