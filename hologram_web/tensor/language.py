"""The names that kernels of the tensor library use: `hologram_web` is above this room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..frontends.python.names import INTRINSICS, Constant, Elements
from ..isa.types import Type

__all__ = [
    "Callable", "Constant", "Elements", "T", "U", "V", "W", "barrier", "block_id", "cos", "exp", "f32", "f64",
    "global_id", "i32", "local_id", "log", "registers", "select", "shared", "sin", "sqrt", "static_range",
    "total_of_block", "u32", "u64",
]  # fmt: skip

# Types of elements, and what they are computed in: constants of kernels.
T, U, V, W = TypeVar("T"), TypeVar("U"), TypeVar("V"), TypeVar("W")

barrier: Any = INTRINSICS["barrier"]
block_id: Any = INTRINSICS["block_id"]
cos: Any = INTRINSICS["cos"]
exp: Any = INTRINSICS["exp"]
global_id: Any = INTRINSICS["global_id"]
local_id: Any = INTRINSICS["local_id"]
log: Any = INTRINSICS["log"]
registers: Any = INTRINSICS["registers"]
select: Any = INTRINSICS["select"]
shared: Any = INTRINSICS["shared"]
sin: Any = INTRINSICS["sin"]
sqrt: Any = INTRINSICS["sqrt"]
static_range: Any = INTRINSICS["static_range"]
f32: Any = Type.F32
f64: Any = Type.F64
i32: Any = Type.I32
u32: Any = Type.U32
u64: Any = Type.U64


def total_of_block(x, partial, COMBINE, LANES):  # type: ignore[no-untyped-def]  # kernels infer types
    """The values of the lanes of a block combined, by the first of them: a tree would have a barrier for each level.
    `partial` has an element more than there are lanes."""
    partial[local_id(0)] = x
    barrier()
    if local_id(0) == 0:
        total = partial[0]
        for other in range(1, LANES):
            total = COMBINE(total, partial[other])
        partial[LANES] = total
    barrier()
    return partial[LANES]
