"""Maps: the lane instruction of an operation on every element."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .language import Callable, Constant, Elements, T, global_id
from .operation import TensorOperation, function, part

__all__ = ["OPERATIONS"]


def _map_unary(dst_array: Elements[T], src_array: Elements[T], T: Constant[type], F: Constant[Callable]):
    i = global_id(0)
    dst_array[i] = F(src_array[i])


def _map_binary(
    dst_array: Elements[T], src_a: Elements[T], src_b: Elements[T], T: Constant[type], F: Constant[Callable]
):
    i = global_id(0)
    dst_array[i] = F(src_a[i], src_b[i])


def _launches(kernel):
    def launches(o, traits):
        return [part(o, kernel, (o.count,), (256,), scalars={}, T=o.ty, F=function(o.operation.value))]

    return launches


OPERATIONS = (
    TensorOperation(
        "ParallelMap",
        lambda o: {"src_array": o.count, "dst_array": o.count},
        _launches(_map_unary),
        in_place=True,
    ),
    TensorOperation(
        "ParallelMapBinary",
        lambda o: {"src_a": o.count, "src_b": o.count, "dst_array": o.count},
        _launches(_map_binary),
        in_place=True,
    ),
)
