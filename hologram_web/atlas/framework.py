"""The three-phase framework: how 24 operations embed, operate and lift; with 12 types each, 288 kernels."""

from __future__ import annotations

from typing import NamedTuple

from ..isa.types import Type

__all__ = ["KERNELS", "Phases"]


class Phases(NamedTuple):
    """How an operation goes: how operands are embedded, which generator operates, how the result is lifted."""

    category: str
    embed: str
    operate: str
    lift: str


_TYPES = "i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64"
_SHAPES = {"Transpose": "PermuteAxes", "Reshape": "RemapIndices", "Concat": "ConcatIndices", "Split": "SplitIndices"}
_OPERATIONS: dict[str, Phases] = {
    **{
        name: Phases("element-wise", "ElementWise", f"Torus{name}", "Standard")
        for name in ["Add", "Sub", "Mul", "Div", "ReLU", "Sigmoid", "Tanh", "Exp", "Log", "Sin", "Cos"]
    },
    **{
        name: Phases("matrix", "CharacterBasis", "CharProduct", "CharacterBasis") for name in ("MatMul", "GEMM", "Conv")
    },
    **{
        name: Phases("reduction", "Orbit", f"Orbit{name.removeprefix('Reduce')}", "Orbit")
        for name in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ArgMax", "ArgMin"]
    },
    **{name: Phases("shape", "ElementWise", generator, "Standard") for name, generator in _SHAPES.items()},
}

KERNELS: dict[tuple[str, Type], Phases] = {
    (name, Type.named(ty)): phases for name, phases in _OPERATIONS.items() for ty in _TYPES.split()
}
