"""Transcendental functions, each defined once over the ops namespace (isa.md section 2).

A definition is straight code of primitives: polynomials, integer arithmetic on the bits; no fused multiply-add, no
function of a device. It is written once for F32 and F64, and run over NumPy arrays by `cpu`, over numbers by constant
folding and the host, and over nodes by the compiler, which makes it a function that kernels call. What is rare and
long is a function of its own behind `call_if`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from ..types import Type

__all__ = ["FUNCTIONS", "PARTS", "Routine", "function", "routine"]

# By name: the module that defines it.
FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(("exp", "log", "log2", "log10", "pow", "tanh", "sigmoid", "swish"), "exponential"),
    **dict.fromkeys(("sin", "cos", "tan", "atan2"), "trigonometric"),
    **dict.fromkeys(("erf", "gelu", "gelu_tanh"), "error_function"),
}
# Functions that only those call.
PARTS = {"exp_fast": "exponential", "subnormal": "exponential", "reduced": "trigonometric", "quotient": "trigonometric"}
_BINARY = ("pow", "atan2", "quotient")


class Routine(NamedTuple):
    """A function: types of its operands and result, and its body over an ops namespace."""

    operands: tuple[Type, ...]
    result: Type
    body: Callable[..., Any]


@cache
def routine(name: str) -> Routine:
    """The function of a name such as `exp_f32`. Raises KeyError."""
    from .number import Number

    stem, _, suffix = name.rpartition("_")
    ty = Type.named(suffix)
    module = import_module("." + (FUNCTIONS | PARTS)[stem], __name__)
    define = getattr(module, "pow_" if stem == "pow" else stem)
    single = ty is Type.F32
    operands = (ty, ty) if stem in _BINARY else (ty, Type.I32 if single else Type.I64) if stem == "subnormal" else (ty,)
    result = Type.U64 if stem == "reduced" else ty

    def body(o: Any, *values: Any) -> Any:
        return define(*(Number(o, kind, value) for kind, value in zip(operands, values, strict=True))).held

    return Routine(operands, result, body)


def function(name: str) -> Callable[..., Any]:
    """The semantics of an instruction that is a function: F16 and BF16 go through F32."""

    def reference(o: Any, ty: Type, *operands: Any) -> Any:
        if ty.bits == 16:
            wide = [o.cvt(Type.F32, ty, operand) for operand in operands]
            return o.cvt(ty, Type.F32, o.call(f"{name}_f32", *wide))
        return o.call(f"{name}_{ty}", *operands)

    return reference
