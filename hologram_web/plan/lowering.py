"""From a plan to its code: calls become launches of kernels (`caller.py`), which are compiled (`kernels.py`).

A device that compiles kernels itself takes the steps with kernels that are only named: lane regions of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import CompileError
from ..garbage import seldom_collected
from ..isa.program import Program
from ..isa.verify import Analysis, verified
from .artifact import Artifact, Blob
from .caller import CLASS_BYTES, LoweredKernel, call_steps
from .formula import Formula
from .kernels import KernelTable, LaneKernel
from .plan import (
    CLASS_MEMORY,
    MAX_STEPS,
    BoundsCheck,
    Copy,
    Launch,
    Plan,
    ProgramCall,
    Step,
    Temporary,
    bodies,
    every,
    with_bodies,
)
from .symbols import number_of

if TYPE_CHECKING:
    from ..compiler.host import Uniform

__all__ = ["Lowering", "lower_plan"]

K = TypeVar("K", bound=LoweredKernel)
# Makes a kernel: of a program's number, or None in parts of collectives; analysis, block, shared memory beside the
# program's own, the point where a lane region starts (None: the entry), and the names of what it finds in registers.
MakeKernel = Callable[[int | None, Analysis, tuple[int, int, int], int, int | None, "Uniform"], K]


@seldom_collected()
def lower_plan(
    plan: Plan,
    programs: Sequence[Program],
    constants: Sequence[Blob],
    metadata: dict[str, str],
    *,
    target: str = "",
    analyses: Sequence[Analysis] = (),
    math: str = "exact",
    kernel: type[LaneKernel] = LaneKernel,
) -> Artifact:
    """The artifact of a plan whose calls have no code yet. Raises CompileError.

    `target` leaves the code for other targets out; `analyses` are those of `programs`, if they are there already.
    `math` is how shaders compute floats (isa.md section 3).
    """
    given = {id(program): analysis for program, analysis in zip(programs, analyses, strict=False)}

    def known(program: Program) -> Analysis:
        return given.get(id(program)) or getattr(program, "_analysis", None) or verified(program)  # tensor/made.py

    lowering = Lowering(plan, programs, target, kernel, known, math=math)
    steps = lowering.steps(plan.steps)
    _check_steps(steps)
    used = _names(steps)
    temporaries = tuple(
        t for t in (*plan.temporaries, *lowering.temporaries) if t.name in used or t in plan.temporaries
    )
    code = KernelTable(lowering.kernels, math, lowering.whys)
    plan = replace(plan, temporaries=temporaries, steps=code.steps(steps, target))
    texts = tuple("\n".join(map(str, program.instructions)) for program in programs)
    sources = tuple(analysis.source for analysis in analyses if analysis.source)
    return Artifact(
        plan,
        tuple(programs),
        texts,
        tuple(code.kernels),
        tuple(code.modules),
        *code.shaders(),
        tuple(constants),
        metadata | code.whys,
        sources if len(sources) == len(programs) else (),
    )


def _check_steps(steps: Sequence[Step]) -> None:
    """Raises CompileError for more steps than a file holds; devices take any number."""
    at = None
    for number, step in enumerate(every(steps)):
        if isinstance(step, BoundsCheck):
            at = step.instruction
        if number >= MAX_STEPS:
            what = f"up to there the code has more than {MAX_STEPS} steps, and a file holds no more"
            raise CompileError(at, f"{what}: count by a LOOP, or make several programs of it")


def _names(steps: Sequence[Step]) -> set[str]:
    """The buffers that code names."""
    found: set[str] = set()
    for step in every(steps):
        match step:
            case Launch():
                found |= {*step.memories, *(arg.value for arg in step.scalars if arg.kind == "cell")}
            case Copy():
                found |= {step.target, step.source}
    return found


class Lowering(Generic[K]):
    """Adds code to the calls of a plan; collects kernels, temporaries and `whys`, what is to be said of launches."""

    def __init__(
        self,
        plan: Plan,
        programs: Sequence[Program],
        target: str,
        make: MakeKernel[K],
        analyze: Callable[[Program], Analysis],
        here: str = "",
        math: str = "exact",
    ) -> None:
        self.plan, self.programs, self.target, self.make, self.here = plan, programs, target, make, here
        self.math = math
        self.kernels: list[K] = []
        self.whys: dict[Launch, str] = {}
        self.numbers: dict[Any, int] = {}
        self.analyze = analyze
        self.analyses: dict[int, Analysis] = {}  # by the identity of programs, which they keep
        self.temporaries: list[Temporary] = []
        self.variables = 0
        self.early = {*plan.dimensions, *(port.name for port in plan.scalars.values())}
        self.sizes: dict[str, Any] = {CLASS_MEMORY: 96 * CLASS_BYTES}
        for name, port in plan.arrays.items():
            size = Formula((port.ty.size_bytes,))
            for length in port.shape:
                size = length * size
            self.sizes[name] = number_of(size)
        for temporary in plan.temporaries:
            self.sizes[temporary.name] = number_of(temporary.size)

    def steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        return tuple(
            step._replace(code=call_steps(self, step))
            if isinstance(step, ProgramCall)
            else with_bodies(step, tuple(map(self.steps, bodies(step))))
            for step in steps
        )

    def analysis(self, program: Program) -> Analysis:
        key = id(program)
        if key not in self.analyses:
            self.analyses[key] = self.analyze(program)
        return self.analyses[key]

    def kernel(
        self, program: int | None, analysis: Analysis, block: Any, shared: int, point: int | None, uniform: Uniform
    ) -> int:
        """The number of the kernel of a lane region; it is made when first asked for."""
        key = id(analysis), block, shared, point, tuple(sorted(uniform.values()))
        if key not in self.numbers:
            self.numbers[key] = len(self.kernels)
            self.kernels.append(self.make(program, analysis, block, shared, point, uniform))
        return self.numbers[key]

    def made(self, number: int) -> K:
        return self.kernels[number]

    def temporary(self, kind: str, size: Formula) -> str:
        taken = {*self.plan.buffers, *self.plan.scalars}
        name = next(n for k in range(1 << 30) if (n := f"{kind}{len(self.temporaries) + k}") not in taken)
        self.temporaries.append(Temporary(name, size))
        self.sizes[name] = number_of(size)
        return name

    def variable(self, kind: str) -> str:
        """A variable that nothing is called."""
        self.variables += 1
        return f"${kind}{self.variables}"

    def is_early(self, formula: Formula) -> bool:
        """Whether a formula has a value before steps run."""
        return self.early.issuperset(formula.names)
