"""Which launches collectives become on a target, and why these: as `explain` and `hologram-web inspect` say it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from hologram_web.backends.hosted import LaneRegion
from hologram_web.isa.launch import LaunchConfig
from hologram_web.isa.program import Program
from hologram_web.isa.verify import verified
from hologram_web.plan.formula import Formula
from hologram_web.plan.lowering import Lowering
from hologram_web.plan.plan import Later, Launch, Plan, Repeat, Step, bodies, calls_of
from hologram_web.plan.single import launch_plan

__all__ = ["collective_launches", "has_collectives", "of_program"]


def has_collectives(program: Program) -> bool:
    return any(instruction.row.collective for instruction in program.instructions)


def collective_launches(
    plan: Plan, programs: Sequence[Program], target: str, math: str = "exact", here: str = ""
) -> Iterator[tuple[int, str, str, str]]:
    """Of each launch that is a part of a collective: the number of its program, the collective, the kernel with how
    often it is launched where sizes say that, and what is to be said of it. `here` is what alone runs the plan, as
    devices say it; without, it is as files have it. Nothing is compiled. Raises CompileError."""
    lowering = Lowering(plan, programs, target, LaneRegion, verified, here, math)
    for call in calls_of(lowering.steps(plan.steps)):
        some = prod((Formula.min(1, lanes) for lanes in call.lanes), start=Formula((1,)))  # without lanes nothing runs
        for step, times in _launches(call.code, ()):
            if step.origin:
                name = lowering.made(step.kernel).analysis.program.metadata.name
                often = "".join(f", {count} times" for count in times if count != some)
                collective = programs[call.program].instructions[step.origin - 1]
                yield call.program, str(collective), f"{name}{often}", lowering.whys.get(step, "")


def of_program(program: Program, block: tuple[int, int, int], target: str, math: str, here: str) -> Iterator[str]:
    """The same of a launch of a program in such blocks, as lines."""
    aliases = {param.name: param.name for param in program.params if param.kind != "scalar"}
    plan = launch_plan(program, LaunchConfig(block=block), (False, False, False), aliases)  # type: ignore[arg-type]
    for _, collective, launch, why in collective_launches(plan, [program], target, math, here):
        yield f"{target}: {collective}: {launch}{why and f': {why}'}"


def _launches(steps: Sequence[Step], times: tuple[Formula, ...]) -> Iterator[tuple[Launch, tuple[Formula, ...]]]:
    """Launches, each with the counts of what repeats it."""
    for step in steps:
        within = (*times, step.count) if isinstance(step, Repeat) else times
        if isinstance(step, Launch):
            yield step, times
        for body in (step.made(),) if isinstance(step, Later) else bodies(step):
            yield from _launches(body, within)
