"""One launch of a program as a plan: buffers, scalars and lanes are ports."""

from __future__ import annotations

from collections.abc import Mapping

from ..isa.launch import LaunchConfig
from ..isa.operands import Access
from ..isa.program import Program
from ..isa.types import Type
from .formula import Formula
from .plan import Argument, Plan, Port, ProgramCall

__all__ = ["LANES", "launch_plan"]

LANES = ("$x", "$y", "$z")  # scalars: lanes along each axis

# Of a launch of exactly as many lanes as are asked for: along which axes there is one. Of others: the configuration.
LaunchShape = tuple[bool, ...] | LaunchConfig


def launch_plan(program: Program, config: LaunchConfig, shape: LaunchShape, aliases: Mapping[str, str]) -> Plan:
    """The plan of a launch, whose calls have no code yet. `aliases` names for each buffer the parameter that stands for
    it; a buffer x has `x.len` bytes."""
    written = {aliases[p.name] for p in program.params if p.name in aliases and (p.access is None or p.access.writes)}
    ports, args = [], []
    for param in program.params:
        if param.kind == "scalar":
            assert param.ty is not None
            ports.append(Port(param.name, param.ty))
            args.append(Argument("port", param.name))
            continue
        owner = aliases[param.name]
        args.append(Argument("buffer", owner))
        if owner == param.name:
            access = Access.READ_WRITE if owner in written else Access.READ
            ports.append(Port(owner, Type.U8, access, (Formula.of(f"{owner}.len"),)))
    block = config.block.x, config.block.y, config.block.z
    if isinstance(shape, tuple) and not isinstance(shape, LaunchConfig):
        lanes = [Formula.of(1 if one else name) for one, name in zip(shape, LANES, strict=True)]
        grid = [Formula.ceildiv(count, size) for count, size in zip(lanes, block, strict=True)]
        ports += [Port(name, Type.U32) for one, name in zip(shape, LANES, strict=True) if not one]
    else:
        grid = [Formula.of(count) for count in config.grid]
        on = config.lanes or [count * size for count, size in zip(config.grid, block, strict=True)]
        lanes = [Formula.of(count) for count in on]
    call = ProgramCall(0, block, config.shared_memory, tuple(grid), tuple(lanes), tuple(args))  # type: ignore[arg-type]
    return Plan(tuple(ports), (), (), (call,))
