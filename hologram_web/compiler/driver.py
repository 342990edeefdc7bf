"""From a lane region to the function that targets compile: built and optimized, in one place for whoever compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..isa.verify import Analysis
from .build import build
from .ir import Function
from .passes import optimize

__all__ = ["lane_function"]


def lane_function(
    analysis: Analysis,
    block: tuple[int, int, int],
    point: int | None = None,
    uniform: dict[Any, str] | None = None,
    passes: Callable[[Function], Function] = optimize,
) -> Function:
    """The optimized code of the lane region at a point (None: the entry), for blocks of that shape.

    `uniform` names arguments for registers that the host computes before. Measurements leave `passes` out.
    """
    return passes(build(analysis, block, point, uniform))
