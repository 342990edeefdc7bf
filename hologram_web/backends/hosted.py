"""Launches of programs with collectives: the plan of a launch, walked on a device that compiles its kernels itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from ..compiler.ir import PRED
from ..errors import ExecutionError, FaultKind
from ..isa.address import Space
from ..isa.launch import LaunchConfig
from ..isa.program import Program
from ..isa.types import Type
from ..isa.verify import Analysis, Base, analysis_of
from ..plan.formula import Formula
from ..plan.lowering import Lowering
from ..plan.plan import CLASS_MEMORY, Argument, BoundsCheck, Copy, Launch, Read, Step, every
from ..plan.single import LANES, launch_plan
from ..plan.walk import Budget, Walk
from ..store.cache import ProgramCache
from . import fault_text
from .device import Device, too_many_collectives

if TYPE_CHECKING:
    from ..compiler.host import Uniform
    from .compiled import CompiledDevice

__all__ = ["HostedLaunch", "waits"]

M = TypeVar("M")
_PATIENCE = 1 << 22  # steps of the host between two launches
_EVERY_AXIS = (False, False, False)


class LaneRegion:
    """A kernel by its name: the lane region at a point of a program, which a device compiles when it first runs."""

    fast = False
    idle = False

    def __init__(
        self, program: int | None, analysis: Analysis, block: Any, shared: int, point: int | None, uniform: Uniform
    ) -> None:
        self.analysis, self.block, self.shared = analysis, block, shared
        self.point = analysis.graph.entry if point is None else point
        self.uniform = {variable: name for variable, name in uniform.items()}
        self.scalars = {p.name: p.ty for p in analysis.program.params if p.kind == "scalar" and p.ty is not None}
        self.scalars |= {name: Type.U32 if ty == PRED else ty for (_, ty), name in uniform.items()}
        classes = [base for base in analysis.atlas_bases if isinstance(base.name, int) or base.space is Space.PHI]
        self.bases = [*(base for base, _ in analysis.given), *classes]


class _Planned(NamedTuple):
    """The plan of launches of a program: its steps, the kernels they name, and the sizes of temporaries."""

    analysis: Analysis
    steps: tuple[Step, ...]
    kernels: list[LaneRegion]
    temporaries: dict[str, Formula]


def waits(device: Device[Any], analysis: Analysis, config: LaunchConfig) -> bool:
    """Whether the host of a launch goes by what lanes write."""
    program = analysis.program
    memories = {param.name: param.name for param in program.params if param.kind != "scalar"}
    plan = launch_plan(program, config, _EVERY_AXIS, memories)

    def known(other: Program) -> Analysis:
        return analysis if other is program else device._analysis(other, other)

    steps = Lowering(plan, [program], "wasm", LaneRegion, known).steps(plan.steps)
    return any(isinstance(step, Read) or any(arg.kind == "cell" for arg in _scalars(step)) for step in every(steps))


def _scalars(step: Step) -> Sequence[Argument]:
    return step.scalars if isinstance(step, Launch) else ()


def _analyzed(program: Program) -> Analysis:
    return analysis_of(program.to_bytes())


# By the identity of the analysis, which the plan keeps, block, shared memory, target, and which buffers are one.
_PLANS: ProgramCache[Any, _Planned] = ProgramCache()


@lru_cache(1024)
def _config(grid: Any, block: Any, lanes: Any) -> LaunchConfig:
    """The launch of a part, made once: to make it took as long as all else that is done for one."""
    return LaunchConfig(grid, block, 0, lanes)


class _Patience(Budget):
    """Limits what the host does between launches only: these have limits of their own."""

    def launched(self) -> None:
        super().launched()
        self.left = _PATIENCE

    def take(self) -> None:
        self.left -= 1
        if self.left < 0:
            text = "the host ran too long between collectives: does a loop end?"
            raise ExecutionError(FaultKind.STEP_LIMIT, None, text)


class HostedLaunch(Walk, Generic[M]):
    """One launch: the plan's steps as launches of lane regions on the device."""

    def __init__(
        self,
        device: CompiledDevice[M],
        analysis: Analysis,
        config: LaunchConfig,
        scalars: dict[str, tuple[Type, int]],
        memory: dict[Base, M],
        deadline: float | None,
    ) -> None:
        numbers = {name: int(ty.decode(bits)) for name, (ty, bits) in scalars.items() if ty.is_integer}
        numbers |= zip(LANES, config.lanes_on, strict=True)
        super().__init__({name: bits for name, (_, bits) in scalars.items()}, numbers, _Patience())
        self.device, self.analysis, self.config, self.deadline = device, analysis, config, deadline
        self.own = memory
        self.memory: dict[str, M] = {}
        self.borrowed: dict[str, M] = {}
        self.collectives = 0

    def whole(self) -> None:
        aliases: dict[str, str] = {}
        owners: dict[int, str] = {}
        for base, param in self.analysis.given:
            whole, _ = self.device._whole(self.own[base])
            owner = aliases[param.name] = owners.setdefault(id(whole), param.name)
            self.memory[owner] = self.own[base]
            self.numbers[f"{owner}.len"] = self.device._size(self.own[base])
        self.plan = self._planned(aliases)
        try:
            self.run(self.plan.steps)
        finally:
            for taken in self.borrowed.values():
                self.device._done_with(taken)

    def _planned(self, aliases: dict[str, str]) -> _Planned:
        """The plan of the launch, made once for all sizes, scalars and lanes."""
        analysis, config, math = self.analysis, self.config, self.device.math
        target, here = "webgpu" if self.device.parallel else "wasm", self.device.here

        def make() -> _Planned:
            program: Program = analysis.program
            plan = launch_plan(program, config, _EVERY_AXIS, aliases)
            lowering = Lowering(plan, [program], target, LaneRegion, self._analysis, here, math)
            (call,) = lowering.steps(plan.steps)
            lowering.analyze = _analyzed  # what is made later keeps no launch and no device
            sizes = {temporary.name: temporary.size for temporary in lowering.temporaries}
            return _Planned(analysis, call.code, lowering.kernels, sizes)  # type: ignore[union-attr]  # a call

        key = id(analysis), tuple(config.block), config.shared_memory, target, here, math, tuple(aliases.items())
        return _PLANS.get_or_create(key, make)

    def _analysis(self, program: Program) -> Analysis:
        mine = program is self.analysis.program
        return self.analysis if mine else self.device._analysis(program, program)

    # Memory

    def _memory(self, name: str) -> M:
        """The memory of a buffer of the plan; temporaries are made when they are first named."""
        if name == CLASS_MEMORY:
            return self.device._classes()
        if name not in self.memory:
            self._borrow(name, self.device._temporary(self.evaluate(self.plan.temporaries[name])))
        return self.memory[name]

    def _borrow(self, name: str, memory: M) -> None:
        if name in self.borrowed:
            self.device._done_with(self.borrowed.pop(name))
        self.memory[name] = self.borrowed[name] = memory

    def copy(self, step: Copy) -> None:
        self._borrow(step.target, self.device._copied(self._memory(step.source)))

    def read(self, buffer: str, offset: int, size: int) -> bytes:
        return bytes(self.device._bytes(self._memory(buffer))[offset:][:size])

    # Launches

    def bounds(self, step: BoundsCheck) -> None:
        """Raises the fault of an operand of a collective that does not lie in its memory."""
        need, offset, size = (f.evaluate(self.numbers, exact=True) for f in (step.need, step.offset, step.size))
        ty = step.ty
        if need > 0 and not 0 <= offset <= size - need:
            kind = FaultKind.OUT_OF_BOUNDS
            detail = fault_text.outside(need, offset, step.memory, size, ty.size_bytes)
        elif need > 0 and offset % ty.alignment:
            kind, detail = FaultKind.MISALIGNED_ACCESS, fault_text.misaligned(ty, offset, step.memory)
        else:
            return
        raise ExecutionError(
            kind, step.instruction, detail + self._text(step.instruction), buffer=step.memory, offset=offset
        )

    def _text(self, index: int) -> str:
        return f", in {self.analysis.program.instructions[index]}"

    def launch(self, step: Launch) -> None:
        kernel = self.plan.kernels[step.kernel]
        scalars = {
            name: (ty, self._scalar(ty, arg))
            for (name, ty), arg in zip(kernel.scalars.items(), step.scalars, strict=True)
        }
        if step.origin:
            self._part(step, kernel, scalars)
        else:
            self.device.run(self._job(kernel, self.config, self.own, scalars, None, self.device._math))
        self.budget.launched()

    def _scalar(self, ty: Type, arg: Any) -> int:
        if arg.kind == "cell":
            return int.from_bytes(self.device._bytes(self._memory(arg.value))[: ty.size_bytes], "little")
        return self.bits_of(ty, arg)

    def _part(self, step: Launch, kernel: LaneRegion, scalars: dict[str, tuple[Type, int]]) -> None:
        """A part of a collective."""
        index, device = step.origin - 1, self.device
        self.collectives += 1
        if self.collectives > device.limits.steps:
            raise too_many_collectives(self.analysis, index, device.limits.steps)
        device._check_time(self.analysis, index, self.deadline)
        grid, lanes = (tuple(map(self.evaluate, three)) for three in (step.grid, step.lanes))
        if 0 in lanes:
            return
        config = _config(grid, kernel.block, lanes)
        memory = {base: self._memory(name) for base, name in zip(kernel.bases, step.memories, strict=True)}
        math = "strict" if device._math == "strict" else "fast" if kernel.fast else "exact"

        def explain(error: ExecutionError) -> ExecutionError:
            # Bounds were checked: what is left is a division by zero, and a launch that was cancelled or too slow.
            if error.kind is FaultKind.DIVISION_BY_ZERO:
                detail = fault_text.element_divisor(error.lane or 0) + self._text(index)
                return ExecutionError(error.kind, index, detail, lane=error.lane)
            return ExecutionError(error.kind, index, error.detail.partition(", in ")[0] + self._text(index))

        device.run(self._job(kernel, config, memory, scalars, explain, math))

    def _job(
        self,
        kernel: LaneRegion,
        config: LaunchConfig,
        memory: dict[Base, M],
        scalars: dict[str, tuple[Type, int]],
        explain: Any,
        math: str,
    ) -> Any:
        from .compiled import Job

        return Job(kernel.analysis, kernel.point, config, memory, scalars, kernel.uniform, self.deadline, explain, math)
