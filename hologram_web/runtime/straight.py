"""Plans that launch the same each time, where sizes are the same: launches that a device prepares, and makes as one."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..backends.device import Device
from ..backends.prepared import InOrder, Prepared
from ..errors import LaunchError
from ..isa.arguments import scalar_bits
from ..isa.operands import Access, BufferHandle, Immediate, PoolHandle
from ..isa.types import Type
from ..plan.plan import Plan, ProgramCall, Repeat, Step, Target, bodies
from .executor import Buffer
from .walking import LaunchWalk

if TYPE_CHECKING:
    from .compiled import CompiledProgram

__all__ = ["BufferRun", "StraightPlan"]

_MOST = 256  # launches that are prepared
_KEPT = 8  # sets of sizes that a device keeps a plan for
_ARGUMENTS = frozenset({"buffer", "port", "formula", "bits"})  # that are known before a plan runs


class _TooLong(Exception):
    """There are more launches than are prepared."""


class _Collected(LaunchWalk):
    """Walks the steps without launching: `calls` are the launches, `places` where the values of a run are that they
    take."""

    def __init__(self, compiled: CompiledProgram, device: Any, variables: Mapping[str, int]) -> None:
        super().__init__(compiled, device, {}, {}, variables)
        self.device: Device[Any] = device
        self.places: dict[str, int] = {}
        self.calls: list[tuple[Prepared, Sequence[int]]] = []

    def call(self, step: ProgramCall) -> None:
        if len(self.calls) == _MOST:
            raise _TooLong
        program, config = self.configured(step)
        given = list(zip(program.params, step.args, strict=True))
        varying = {param.name: arg.value for param, arg in given if arg.kind in ("buffer", "port")}
        fixed = {param.name: self.number(param, arg) for param, arg in given if param.name not in varying}
        places = [self.places.setdefault(name, len(self.places)) for name in varying.values()]
        self.calls.append((self.device.prepare(program, config, tuple(varying), fixed), places))


class _Run(NamedTuple):
    """What a device keeps, and the names of the values that it takes, in order, with the types of scalars."""

    launches: weakref.ref[InOrder]
    values: list[tuple[str, Type | None]]


class StraightPlan:
    """The launches of a plan on devices. The first run on a device walks the plan: many run once."""

    def __init__(self, compiled: CompiledProgram) -> None:
        self._compiled = compiled
        calls = list(_steps(compiled.plan.steps))
        self._is_straight = bool(calls) and all(
            isinstance(step, (Repeat, Target))
            or (isinstance(step, ProgramCall) and _ARGUMENTS.issuperset(arg.kind for arg in step.args))
            for step in calls
        )
        # The variables that decide what is launched.
        self._sizes = sorted({name for step in calls for name in _names(step)}) if self._is_straight else []
        self._runs: dict[int, tuple[weakref.ref[Any], dict[Any, _Run]]] = {}  # by the id of the device

    def run(
        self,
        device: Any,
        handles: Mapping[str, BufferHandle | PoolHandle],
        scalars: Mapping[str, int],
        variables: Mapping[str, int],
    ) -> bool:
        """Makes the launches; False where the plan is to be walked. Raises what launches raise."""
        if not self._is_straight or not isinstance(device, Device) or device.records:
            return False
        if self._compiled.math not in (None, device.math):
            return False
        of, runs = self._runs.get(id(device)) or (None, {})
        if of is None or of() is not device:
            self._runs[id(device)] = weakref.ref(device), {}
            return False
        key = tuple([variables.get(name) for name in self._sizes])
        run = runs.get(key)
        launches = None if run is None else run.launches()
        if run is None or launches is None:
            try:
                launches, run = self._prepared(device, variables)
            except _TooLong:
                self._is_straight = False
                return False
            except LaunchError:  # the walk raises it where it comes
                return False
            if len(runs) >= _KEPT:
                runs.clear()
            runs[key] = run
        launches([handles[name] if ty is None else _number(ty, scalars[name]) for name, ty in run.values])
        return True

    def _prepared(self, device: Any, variables: Mapping[str, int]) -> tuple[InOrder, _Run]:
        walk = _Collected(self._compiled, device, variables)
        walk.run(self._compiled.plan.steps)
        launches, ports = device.prepare_all(walk.calls), self._compiled.plan.scalars
        return launches, _Run(
            weakref.ref(launches), [(name, ports[name].ty if name in ports else None) for name in walk.places]
        )


class BufferRun:
    """A run whose arrays were Buffers, each in a memory of its own: what the next one has to be given to be checked
    already."""

    def __init__(self, plan: Plan, args: Sequence[Any], named: Mapping[str, Any], variables: Mapping[str, int]) -> None:
        names = [*[port.name for port in plan.ports[: len(args)]], *named]
        values = [*args, *named.values()]
        self._count, self._named = len(args), tuple(named)
        self._buffers = [
            (at, name, values[at].dtype, values[at].shape) for at, name in enumerate(names) if name in plan.arrays
        ]
        self._scalars = [(at, name, plan.scalars[name].ty) for at, name in enumerate(names) if name in plan.scalars]
        self._variables = variables
        self._numbers = [(name, ty) for _, name, ty in self._scalars if name in variables]
        self.written = [name for name, port in plan.arrays.items() if port.access is not Access.READ]

    @staticmethod
    def of(plan: Plan, args: Sequence[Any], named: Mapping[str, Any], variables: Mapping[str, int]) -> BufferRun | None:
        """That of a run which is done; None where there is more to each run of the plan than its launches."""
        lengths = {name for port in plan.ports for length in port.shape for name in length.names}
        buffers = [value for value in (*args, *named.values()) if type(value) is Buffer]
        if (
            plan.constants
            or plan.temporaries
            or len(args) + len(named) < len(plan.ports)
            or len(buffers) < len(plan.arrays)
            or any(name in lengths for name in plan.scalars)
        ):
            return None
        return BufferRun(plan, args, named, variables)

    def given(
        self, device: Any, args: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[dict[str, Buffer], dict[str, int], Mapping[str, int]] | None:
        """The Buffers, the bits of scalars and the variables of a run; None where it is to be checked. Raises
        LaunchError for a scalar that does not fit."""
        if len(args) != self._count or tuple(named) != self._named:
            return None
        values = [*args, *named.values()]
        buffers: dict[str, Buffer] = {}
        for at, name, dtype, shape in self._buffers:
            value = buffers[name] = values[at]
            if type(value) is not Buffer or value.dtype != dtype or value.shape != shape:
                return None
            if value.executor.device is not device:
                return None
        if len({buffer.handle for buffer in buffers.values()}) < len(buffers):
            return None
        bits = {name: scalar_bits(name, ty, values[at]) for at, name, ty in self._scalars}
        numbers = {name: int(ty.decode(bits[name])) for name, ty in self._numbers}
        return buffers, bits, {**self._variables, **numbers} if numbers else self._variables

    def results(self, buffers: Mapping[str, Buffer]) -> Any:
        """What a run gives."""
        found = {name: buffers[name] for name in self.written}
        return next(iter(found.values())) if len(found) == 1 else found


def _steps(steps: Iterable[Step]) -> Iterator[Step]:
    """All steps but those that programs became."""
    for step in steps:
        yield step
        if not isinstance(step, ProgramCall):
            for body in bodies(step):
                yield from _steps(body)


def _names(step: Step) -> Iterator[str]:
    """The variables that formulas of a step name."""
    if isinstance(step, Repeat):
        yield from step.count.names
    elif isinstance(step, ProgramCall):
        given = [arg.value for arg in step.args if arg.kind == "formula"]
        for formula in (*step.grid, *step.lanes, *given):
            yield from formula.names


@lru_cache(1024)
def _number(ty: Type, bits: int) -> Any:
    """A scalar as launches take it; a NaN, and what is wide, with all its bits."""
    value = bits if ty.is_wide else ty.decode(bits)
    return Immediate(ty, bits) if ty.is_wide or value != value else value
