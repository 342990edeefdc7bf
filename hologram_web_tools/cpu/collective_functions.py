"""Collectives of the cpu device and canonical reductions: plain NumPy, the definition for every other device."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hologram_web.isa.operands import BinaryMapOperation, MapOperation
from hologram_web.isa.ops import IDENTITIES, reduce_type
from hologram_web.isa.table import BY_MNEMONIC
from hologram_web.isa.types import Type
from hologram_web.tensor.operation import product, summable

from .vector_ops import VECTOR_OPS

__all__ = ["canonical_reduce", "elements_of", "gemm", "map_binary", "map_unary", "numbers_of"]

Array = NDArray[Any]
_BLOCK = 2048
_ORBITS = 32


def canonical_reduce(combine: str, ty: Type, values: Array) -> Array:
    """Reduces a 1-D array in the canonical order of isa.md section 3; an array of one element.

    Every orbit starts at the identity. F16 and BF16 are widened to F32, and the end result is rounded once.
    """
    wide = reduce_type(ty)
    op = getattr(VECTOR_OPS, combine)
    identity = VECTOR_OPS.const(wide, wide.encode(IDENTITIES[combine](wide)))
    level = VECTOR_OPS.cvt(wide, ty, values) if wide is not ty else values
    while True:
        blocks = max(1, -(-level.size // _BLOCK))
        padded = np.concatenate([level, np.repeat(identity, blocks * _BLOCK - level.size)])
        # Padding with the identity leaves every orbit as it is: it comes last in each.
        rows = padded.reshape(blocks, _BLOCK // _ORBITS, _ORBITS)
        orbits = np.repeat(identity, blocks * _ORBITS).reshape(blocks, _ORBITS)
        for step in range(_BLOCK // _ORBITS):
            if step * _ORBITS < level.size:
                orbits = op(wide, orbits, np.ascontiguousarray(rows[:, step, :]))
        half = _ORBITS // 2
        while half:
            left, right = np.ascontiguousarray(orbits[:, :half]), np.ascontiguousarray(orbits[:, half:])
            orbits, half = op(wide, left, right), half // 2
        level = orbits[:, 0]
        if level.size == 1:
            return VECTOR_OPS.cvt(ty, wide, level) if wide is not ty else level


def map_unary(operation: MapOperation, ty: Type, src: Array) -> Array:
    """The lane instruction of that name on every element."""
    reference = BY_MNEMONIC[operation.value].reference
    assert reference is not None  # the device refuses instructions without semantics before it runs anything
    result: Array = reference(VECTOR_OPS, ty, src)
    return result


def map_binary(operation: BinaryMapOperation, ty: Type, a: Array, b: Array) -> Array:
    """The lane instruction of that name on every pair of elements."""
    reference = BY_MNEMONIC[operation.value].reference
    assert reference is not None
    result: Array = reference(VECTOR_OPS, ty, a, b)
    return result


def gemm(
    ty: Type,
    a: Array,
    b: Array,
    c: Array | None,
    bias: Array | None,
    alpha: float,
    beta: float,
    activation: MapOperation | None,
) -> Array:
    """activation(alpha * a @ b + beta * c + bias) of 2-D arrays: floats in F32 or F64, in order; integers wrap.

    `c` is None where beta is 0: it is not read then, so that it may hold anything.
    """

    def number(values: Any) -> Any:
        return summable(np, ty, values)

    with np.errstate(over="ignore", invalid="ignore"):
        total = number(_factor(ty, alpha)) * product(np, number(numbers_of(ty, a)), number(numbers_of(ty, b)))
        if c is not None:
            total = total + number(_factor(ty, beta)) * number(numbers_of(ty, c))
        if bias is not None:
            total = total + number(numbers_of(ty, bias))
    result = elements_of(ty, total)
    return result if activation is None else map_unary(activation, ty, result)


def _factor(ty: Type, value: float) -> Any:
    return value if ty.is_float else int(value)


def numbers_of(ty: Type, values: Array) -> Array:
    """Elements as references compute with them: floats in F64."""
    return VECTOR_OPS.cvt(Type.F64, ty, np.ascontiguousarray(values)) if ty.is_float and ty is not Type.F64 else values


def elements_of(ty: Type, values: Array) -> Array:
    """What references computed, as elements."""
    if ty.is_wide:
        return values.astype(object) & ty.unsigned.max_value
    if ty.is_integer or ty is Type.F64:
        return values.astype(ty.numpy)
    return VECTOR_OPS.cvt(ty, Type.F64, np.ascontiguousarray(values, np.float64))
