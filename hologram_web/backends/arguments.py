"""Arguments of a launch, checked against the parameters of the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import IsaError, LaunchError
from ..isa.operands import BufferHandle, Immediate, PoolHandle, Register
from ..isa.program import Param, Program
from ..isa.types import Type

__all__ = ["bind", "scalar_bits"]


def bind(program: Program, args: Mapping[Any, Any]) -> dict[str, Any]:
    """Arguments by parameter name: handles, and bit patterns for scalars.

    Raises LaunchError for a missing, unknown or doubled argument and for one of the wrong kind.
    """
    registers = {Register(number): param.name for number, param in program.register_params().items()}
    given: dict[str, Any] = {}
    for key, value in args.items():
        name = registers.get(key) if isinstance(key, Register) else key
        if name is None or program.param(name) is None:
            raise LaunchError(f"there is no parameter {key}: the program takes {_signature(program)}")
        if name in given:
            raise LaunchError(f"parameter {name!r} is given twice, by name and by register")
        given[name] = value
    missing = [param.name for param in program.params if param.name not in given]
    if missing:
        raise LaunchError(f"parameter {missing[0]!r} is missing: the program takes {_signature(program)}")
    return {param.name: _value(param, given[param.name]) for param in program.params}


def _signature(program: Program) -> str:
    return ", ".join(str(param) for param in program.params) or "no parameters"


def _value(param: Param, value: Any) -> Any:
    handle = {"buffer": BufferHandle, "pool": PoolHandle}.get(param.kind)
    if handle is None:
        assert param.ty is not None
        return scalar_bits(param.name, param.ty, value)
    if not isinstance(value, handle):
        raise LaunchError(f"parameter {param.name!r} is a {param.kind}: give a {handle.__name__}, not {value!r}")
    return value


def _range(ty: Type) -> str:
    """What an integer type holds, in words."""
    if not ty.is_wide:
        return f"{ty.min_value} to {ty.max_value}"
    return f"-2**{ty.bits - 1} to 2**{ty.bits - 1} - 1" if ty.is_signed else f"0 to 2**{ty.bits} - 1"


def scalar_bits(name: str, ty: Type, value: Any) -> int:
    """The bit pattern of a Python or NumPy number as a scalar of `ty`. Raises LaunchError if it does not fit."""
    if isinstance(value, Immediate):
        if value.ty is not ty:
            raise LaunchError(f"parameter {name!r} is {ty}: the value {value.value!r} is {value.ty}")
        return value.bits
    if hasattr(value, "item") and getattr(value, "shape", ()) == ():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise LaunchError(f"parameter {name!r} is {ty}: give a number, not {value!r}")
    if ty.is_integer and isinstance(value, float):
        raise LaunchError(f"parameter {name!r} is {ty}: give an integer, not the float {value!r}")
    if ty.is_integer and not ty.min_value <= value <= ty.max_value:
        length = int(value).bit_length()
        given = str(value) if length <= 256 else f"an integer of {length} bits"
        raise LaunchError(f"parameter {name!r} is {ty}: {given} does not fit {_range(ty)}")
    try:
        return Immediate.of(ty, value).bits
    except IsaError as error:
        raise LaunchError(f"parameter {name!r}: {error}") from None
