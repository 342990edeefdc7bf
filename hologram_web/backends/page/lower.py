"""One launch as an artifact, for the runtime of a page: code for one target, the sizes of the launch as arguments."""

from __future__ import annotations

from typing import Any

from ...compiler.build import build
from ...compiler.passes import optimize
from ...isa.launch import LaunchConfig
from ...isa.operands import Access
from ...isa.types import Type
from ...isa.verify import Analysis
from ...plan.formula import Formula
from ...plan.lowering import lower_plan
from ...plan.plan import Argument, Call, Plan, Port
from ...plan.writer import write
from ...targets import wasm

__all__ = ["artifact_of", "module_of"]


def artifact_of(
    analysis: Analysis, config: LaunchConfig, shape: Any, aliases: dict[str, str], target: str, math: str
) -> bytes:
    """The file of a launch. Raises CompileError.

    `shape` says along which axes there is one lane, the others being scalars $x, $y, $z; or it is the configuration
    itself. `aliases` names for each buffer the parameter that stands for it.
    """
    program = analysis.program
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
    if isinstance(shape, tuple):
        sizes = ["$x", "$y", "$z"]
        lanes = [Formula.of(1 if one else name) for one, name in zip(shape, sizes, strict=True)]
        grid = [Formula.ceildiv(count, size) for count, size in zip(lanes, block, strict=True)]
        ports += [Port(name, Type.U32) for one, name in zip(shape, sizes, strict=True) if not one]
    else:
        grid = [Formula.of(count) for count in config.grid]
        lanes = [Formula.of(count) for count in config.lanes_on]
    call = Call(0, block, config.shared_memory, tuple(grid), tuple(lanes), tuple(args))  # type: ignore[arg-type]
    plan = Plan(tuple(ports), (), (), (call,))
    name = {"name": program.metadata.name} if program.metadata.name else {}
    return write(lower_plan(plan, [program], (), name, target=target, analyses=[analysis], math=math))


def module_of(analysis: Analysis, block: tuple[int, int, int]) -> bytes:
    """The WebAssembly module of a program without collectives."""
    return wasm.compile_kernel(optimize(build(analysis, block))).code
