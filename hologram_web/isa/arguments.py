"""Arguments of a launch, checked against the parameters of the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import IsaError, LaunchError, like, told
from .operands import BufferHandle, Immediate, PoolHandle, Register
from .program import Param, Program
from .types import Type

__all__ = ["Binder", "scalar_bits"]


class Binder:
    """Arguments of launches of a program, by parameter name and in their order: handles, and bit patterns for scalars.

    Raises LaunchError for a missing, unknown or doubled argument and for one of the wrong kind.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._params = tuple(program.params)
        self._names = [param.name for param in program.params]
        self._scalars = [param.ty if param.kind == "scalar" else None for param in program.params]

    def __call__(self, args: Mapping[Any, Any]) -> dict[str, Any]:
        if list(args) != self._names:
            args = self._sorted(args)
        return {
            param.name: _handle(param, value) if ty is None else scalar_bits(param.name, ty, value)
            for param, ty, value in zip(self._params, self._scalars, args.values(), strict=True)
        }

    def _sorted(self, args: Mapping[Any, Any]) -> dict[str, Any]:
        """The arguments by name, in the order of the parameters."""
        program = self._program
        registers = {Register(number): param.name for number, param in program.register_params().items()}
        given: dict[str, Any] = {}
        for key, value in args.items():
            name = registers.get(key) if isinstance(key, Register) else key
            if name is None or program.param(name) is None:
                near = like(str(key), self._names) or ":"
                raise LaunchError(f"there is no parameter {key}{near} the program takes {_signature(program)}")
            if name in given:
                raise LaunchError(f"parameter {name!r} is given twice, by name and by register")
            given[name] = value
        missing = [name for name in self._names if name not in given]
        if missing:
            raise LaunchError(f"parameter {missing[0]!r} is missing: the program takes {_signature(program)}")
        return {name: given[name] for name in self._names}


def _signature(program: Program) -> str:
    return ", ".join(str(param) for param in program.params) or "no parameters"


_HANDLES = {"buffer": BufferHandle, "pool": PoolHandle}


def _handle(param: Param, value: Any) -> Any:
    handle = _HANDLES[param.kind]
    if not isinstance(value, handle):
        raise LaunchError(f"{param.name} is {told(value)}; a {handle.__name__} is expected, as it is a {param.kind}")
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
            raise LaunchError(f"{name} is {value.value!r} of type {value.ty}; {ty} is expected")
        return value.bits
    if hasattr(value, "item") and getattr(value, "shape", ()) == ():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise LaunchError(f"{name} is {told(value)}; {ty} is expected, a number")
    if ty.is_integer and isinstance(value, float):
        raise LaunchError(f"{name} is {value!r}; {ty} is expected, an integer")
    if ty.is_integer and not ty.min_value <= value <= ty.max_value:
        length = int(value).bit_length()
        given = str(value) if length <= 256 else f"an integer of {length} bits"
        raise LaunchError(f"{name} is {given}; {ty} is expected, {_range(ty)}")
    try:
        return ty.encode(value)
    except IsaError as error:
        raise LaunchError(f"parameter {name!r}: {error}") from None
