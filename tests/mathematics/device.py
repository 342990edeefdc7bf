"""Runs one function on a device, over arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hologram_web.backends import ExecutionParams, LaunchConfig
from hologram_web.isa import Program, Type

from .measure import BINARY

__all__ = ["program_of", "run"]

Array = NDArray[Any]


def program_of(name: str, ty: Type) -> Program:
    """A lane loads its operands and stores what the instruction makes of them."""
    size, count = ty.size_bytes, 2 if name in BINARY else 1
    mnemonic, _, approximate = name.partition("_")
    lines = [f".param x{k}: buffer {ty} read" for k in range(count)] + [f".param y: buffer {ty} write"]
    lines += [f"ldg.{ty} r{10 + k}, [x{k} + r255*{size}]" for k in range(count)]
    operands = ", ".join(f"r{10 + k}" for k in range(count))
    flag = ", approximate=true" if approximate else ""
    lines += [f"{mnemonic}.{ty} r20, {operands}{flag}", f"stg.{ty} [y + r255*{size}], r20"]
    return Program.from_text("\n".join(lines))


def run(backend: Any, name: str, ty: Type, *operands: Array) -> Array:
    """The function of arrays of one length, whose items have the type's width."""
    found = np.empty_like(operands[0])
    handles = [backend.allocate_buffer(array.nbytes) for array in (*operands, found)]
    try:
        for handle, array in zip(handles, operands, strict=False):
            backend.copy_to_buffer(handle, array)
        names = {f"x{k}": handle for k, handle in enumerate(handles[:-1])} | {"y": handles[-1]}
        launch = ExecutionParams(LaunchConfig.linear(found.size), names)
        backend.execute_program_with_params(program_of(name, ty), launch)
        backend.copy_from_buffer(handles[-1], found)
    finally:
        for handle in handles:
            backend.free_buffer(handle)
    return found
