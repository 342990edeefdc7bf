"""The one way from a lane region to the function that targets compile: devices, plans, and what shows people code.

What becomes of it is known by a key (`store/store.py: key_of`) of three things: what is compiled (`identity_of`), the
target, and the target's options, whose fields are the arguments of its `compile_kernel`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..garbage import seldom_collected
from ..isa.types import Type
from ..isa.verify import Analysis
from .build import build
from .ir import Function
from .passes import optimize

__all__ = ["has_type", "identity_of", "lane_function"]


@seldom_collected()
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


def identity_of(
    analysis: Analysis, block: tuple[int, ...], point: int | None, uniform: dict[Any, str]
) -> tuple[Any, ...]:
    """All that `lane_function` makes its function of, with the program as its bytes: other processes know them."""
    assert analysis.source, "only of an analysis that knows the program's bytes"
    named = tuple(sorted((name, repr(register)) for register, name in uniform.items()))
    return analysis.source, tuple(block), analysis.graph.entry if point is None else point, named


def has_type(analysis: Analysis, ty: Type) -> bool:
    """Whether instructions or parameters of a program have that type."""
    program = analysis.program
    return any(param.ty is ty for param in program.params) or any(ty in each.values for each in program.instructions)
