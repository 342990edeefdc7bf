"""One launch as an artifact, for the runtime of a page: code for one target, the sizes of the launch as arguments."""

from __future__ import annotations

from typing import Any

from ...isa.launch import LaunchConfig
from ...isa.verify import Analysis
from ...plan.lowering import lower_plan
from ...plan.single import launch_plan
from ...plan.writer import write

__all__ = ["artifact_of", "module_of"]


def artifact_of(
    analysis: Analysis, config: LaunchConfig, shape: Any, aliases: dict[str, str], target: str, math: str
) -> bytes:
    """The file of a launch. Raises CompileError.

    `shape` says along which axes there is one lane, the others being scalars $x, $y, $z; or it is the configuration
    itself. `aliases` names for each buffer the parameter that stands for it.
    """
    program = analysis.program
    plan = launch_plan(program, config, shape, aliases)
    name = {"name": program.metadata.name} if program.metadata.name else {}
    return write(lower_plan(plan, [program], (), name, target=target, analyses=[analysis], math=math))


def module_of(analysis: Analysis, block: tuple[int, int, int]) -> bytes:
    """The WebAssembly module of a program without collectives."""
    from ...compiler.driver import lane_function  # neither is needed where the library has the code
    from ...targets import wasm

    return wasm.compile_kernel(lane_function(analysis, block)).code
