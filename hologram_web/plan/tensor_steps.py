"""Operations of the tensor library as steps of a plan that a PlanBuilder collects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import LaunchError
from ..isa.elements import stored_as
from ..isa.table import BY_NAME
from ..isa.types import Type
from ..tensor.operation import Operands, PartLaunch, TensorOperation, extents
from ..tensor.schedules import DeviceTraits, traits_for
from .builder import PlanBuilder
from .formula import Formula
from .plan import Argument
from .symbols import Factor, Symbol, as_formula

__all__ = ["add_operation", "own_memory", "tell"]

# Of a plan the temporaries that no operation needs any more, with their sizes: the next one has them.
_idle: WeakKeyDictionary[PlanBuilder, list[tuple[str, Formula]]] = WeakKeyDictionary()


def add_operation(
    plan: PlanBuilder,
    operation: TensorOperation,
    values: Mapping[str, Any],
    buffers: Mapping[str, str],
    first: Mapping[str, Any] | None = None,
    traits: Mapping[str, DeviceTraits] | None = None,
) -> None:
    """Adds what an operation becomes. `values` has its numbers and its type `ty`, and None for an operand that is left
    out; a size may be a Symbol, a number another formula of the plan computes. `buffers` names a buffer of the plan for
    each operand that is there, and for each array that fused functions take; `first` says at which of its elements, in
    units of the type's alignment, it starts. `traits` are what schedules are chosen by, if not what the plan says. Each
    target has steps of its own where they differ. `plan.whys` gets what is to be said of launches. Raises LaunchError
    and CompileError."""
    _check_types(plan, operation, values, buffers)
    o = Operands({**values, **dict.fromkeys(buffers, True)}, dict(first or {}))
    counts = extents(operation, o)
    if missing := [name for name in counts if name not in buffers]:
        raise LaunchError(f"{operation.name} has an operand {missing[0]!r}: name a buffer for it")
    o.most.update(counts)
    traits = traits or {target: traits_for(target, plan.math, plan.here) for target in plan.targets}
    made = {target: operation.launches(o, traits[target]) for target in plan.targets}
    if len({tuple(map(_key, launches)) for launches in made.values()}) == 1:
        _add(plan, next(iter(made.values())), buffers)
        return
    for target, launches in made.items():
        with plan.only(target):
            _add(plan, launches, buffers)


def _check_types(
    plan: PlanBuilder, operation: TensorOperation, values: Mapping[str, Any], buffers: Mapping[str, str]
) -> None:
    """Raises LaunchError where a port is declared with elements of another type than its operand: they would be read as
    what they are not."""
    row = BY_NAME[operation.name]
    for operand, buffer in buffers.items():
        said = operation.types.get(operand) or (row.element_type(operand, values) if operand in row.positions else None)
        declared = plan.declared_type(buffer)
        if None not in (said, declared) and stored_as(said) is not declared:  # type: ignore[arg-type]  # both are there
            raise LaunchError(f"{operand} of {operation.name} is of {said}, and {buffer} is declared {declared}")


def _key(launch: PartLaunch) -> Any:
    sizes = {name: str(value) for name, value in launch.scalars.items()}
    lanes, times = map(_text, launch.lanes), _text(launch.times)
    return id(launch.program), *lanes, times, launch.block, tuple(launch.buffers.items()), tuple(sizes.items())


def _text(number: Any) -> str:
    return str(as_formula(number))


def _add(plan: PlanBuilder, launches: list[PartLaunch], buffers: Mapping[str, str]) -> None:
    named, lent = dict(buffers), list[tuple[str, Formula]]()
    for launch in launches:
        for name, size in launch.temporaries.items():
            lent.append(_temporary(plan, name, as_formula(size)))
            named[name] = lent[-1][0]
        taken = {param.name for param in launch.program.params}
        args: dict[str, Any] = {name: named[operand] for name, operand in launch.buffers.items()}
        args |= {name: _given(value) for name, value in launch.scalars.items() if name in taken}
        lanes = tuple(map(as_formula, launch.lanes))
        times = as_formula(launch.times)
        if times.value == 0:
            continue
        with nullcontext() if times.value == 1 else plan.repeat(times):
            uses: dict[str, Any] = plan._uses
            fresh = [(named[each], named[each] in uses and uses[named[each]].first_reads) for each in launch.fresh]
            plan.launch(launch.program, lanes, launch.block, args)
            for name, reads in fresh:
                if name in uses:
                    uses[name].first_reads = reads
            tell(plan, launch.why)
    _idle.setdefault(plan, []).extend(lent)


def own_memory(plan: PlanBuilder) -> Iterator[str]:
    """The temporaries that operations of a plan have for themselves, one after the other."""
    for name, _ in _idle.get(plan, ()):
        yield name


def tell(plan: PlanBuilder, why: str) -> None:
    """Notes what is to be said of the launch that was added last, if something is."""
    if why:
        plan.whys[plan._steps[-1][-1]] = why  # type: ignore[index]  # a call


def _temporary(plan: PlanBuilder, name: str, size: Formula) -> tuple[str, Formula]:
    """A temporary, with its size: the smallest that is idle and large enough, or else one more."""
    idle = _idle.get(plan, [])
    fitting = [each for each in idle if each[1] == size]
    if not fitting and (least := size.value) is not None:
        fitting = [each for each in idle if each[1].value is not None and each[1].value >= least]
    if not fitting:
        return plan.temporary(plan.unused(name), size, Type.U8), size
    found = min(fitting, key=lambda each: each[1].value or 0)
    idle.remove(found)
    return found


def _given(value: Any) -> Formula | int | float:
    """A size or factor as a launch takes it."""
    if isinstance(value, Factor):
        assert isinstance(value.arg, Argument)
        raise LaunchError("a factor is a number, or a scalar of the plan")
    return as_formula(value) if isinstance(value, Symbol) else value
