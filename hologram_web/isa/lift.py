"""Lifting: handles and counts written into a program become anonymous parameters.

Programs in the source documents' style name buffers by handle and write counts as numbers. Lifted, they have the
same bytes whatever the handles and counts are, so that no cache sees them and nothing is compiled anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .address import Address
from .instruction import Instruction
from .operands import Access, BufferHandle, PoolHandle, Register
from .program import Param, Program
from .row import Operand
from .types import Type

__all__ = ["lift"]


def lift(program: Program) -> tuple[Program, dict[str | Register, Any]]:
    """The program with anonymous parameters ($...) and the arguments for them.

    Buffers are told apart by handle; each count is a parameter of its own.
    """
    lifter = _Lifter()
    instructions = [lifter.instruction(instruction) for instruction in program.instructions]
    if not lifter.args:
        return program, {}
    params = [lifter.param(name, spec) for name, spec in lifter.params.items()]
    return replace(program, instructions=instructions, params=[*program.params, *params]), lifter.args


class _Lifter:
    def __init__(self) -> None:
        self.args: dict[str | Register, Any] = {}
        self.params: dict[str, tuple[str, Type, bool, bool]] = {}
        self.names: dict[object, str] = {}
        self.ty = Type.U8

    @staticmethod
    def param(name: str, spec: tuple[str, Type, bool, bool]) -> Param:
        kind, ty, reads, writes = spec
        access = Access.READ_WRITE if reads and writes else Access.WRITE if writes else Access.READ
        return Param(name, kind, None if kind == "pool" else ty, access if kind == "buffer" else None)

    def instruction(self, instruction: Instruction) -> Instruction:
        row = instruction.row
        values = list(instruction.values)
        for position, (operand, value) in enumerate(zip(row.operands, values, strict=True)):
            if isinstance(value, Address) and isinstance(value.base, (BufferHandle, PoolHandle)):
                self.ty = instruction.type_of(operand) or Type.U8
                values[position] = replace(value, base=self.handle(value.base, operand))
            elif operand.kind == "size" and isinstance(value, int) and row.collective:
                values[position] = self.fresh("$n", value, ("scalar", Type.U64, True, False))
        return instruction if tuple(values) == instruction.values else Instruction(row, tuple(values))

    def handle(self, handle: BufferHandle | PoolHandle, operand: Operand) -> str:
        reads = operand.kind in ("load", "rmw", "place")
        writes = operand.kind in ("store", "rmw", "place", "result")
        kind = "buffer" if isinstance(handle, BufferHandle) else "pool"
        if handle not in self.names:
            self.names[handle] = self.fresh("$b" if kind == "buffer" else "$p", handle, (kind, self.ty, reads, writes))
        name = self.names[handle]
        _, ty, read, written = self.params[name]
        self.params[name] = (kind, ty, read or reads, written or writes)
        return name

    def fresh(self, prefix: str, value: Any, spec: tuple[str, Type, bool, bool]) -> str:
        name = f"{prefix}{sum(other.startswith(prefix) for other in self.params)}"
        self.params[name] = spec
        self.args[name] = value
        return name
