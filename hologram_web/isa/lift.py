"""Lifting: handles and counts written into a program become anonymous parameters, and so does what an instruction
needs of the launch without naming it: pools of the program, phase, footprint, resonance (`Hidden`).

Programs in the source documents' style name buffers by handle and write counts as numbers. Lifted, they have the
same bytes whatever the handles and counts are, so that no cache sees them and nothing is compiled anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from .address import Address, Space
from .atlas import CELLS, FOOTPRINT, PHASE, RESONANCE, UNITY
from .instruction import Instruction
from .operands import Access, BufferHandle, PoolHandle, Register
from .program import Param, Program
from .row import Operand
from .table import BY_OPCODE
from .types import Type

__all__ = ["RESONANCE_BYTES", "Hidden", "lift"]

RESONANCE_BYTES = 96 * CELLS * 12
_Spec = tuple[str, Type, bool, bool]
_STATE: dict[str, tuple[str, _Spec]] = {
    "resonance": (RESONANCE, ("buffer", Type.U32, False, True)),
    "phase": (PHASE, ("scalar", Type.U32, True, False)),
    "footprint": (FOOTPRINT, ("scalar", Type.U32, True, False)),
}

# Counts that decide which launches a collective becomes, and not only how large they are; or that others divide.
_CHANNELS = ("in_channels", "out_channels")
_KEPT = {
    "FFT": ("n",),
    "Conv2D": (*_CHANNELS, "kernel_h", "kernel_w"),
    "ConvTranspose2D": _CHANNELS,
    "GroupNorm": ("channels", "groups"),
}


class Hidden(NamedTuple):
    """An argument that the launch has to make: `kind` is "resonance", "phase", "footprint", "unity" or "pool".

    `value` is the epsilon of a CheckUnity or the size of a pool, a number or the name of a scalar parameter; `handle`
    is what the program calls the pool.
    """

    kind: str
    value: Any = None
    handle: PoolHandle | None = None


def lift(
    program: Program, bound: Mapping[int, BufferHandle] | None = None
) -> tuple[Program, dict[str | Register, Any]]:
    """The program with anonymous parameters ($...) and the arguments for them.

    Buffers are told apart by handle; each count is a parameter of its own. `bound` gives classes whose static addresses
    mean another buffer than their class memory.
    """
    lifter = _Lifter(program, bound or {})
    instructions = [lifter.instruction(instruction) for instruction in program.instructions]
    if not lifter.args:
        return program, {}
    params = [lifter.param(name, spec) for name, spec in lifter.params.items()]
    return replace(program, instructions=instructions, params=[*program.params, *params]), lifter.args


# Kinds of operands that stay as they are.
_INERT = frozenset({"type", "register", "predicate", "guard", "imm", "label"})


@cache
def _is_inert(opcode: int) -> bool:
    row = BY_OPCODE[opcode]
    return not row.state and _INERT.issuperset(operand.kind for operand in row.operands)


class _Lifter:
    def __init__(self, program: Program, bound: Mapping[int, BufferHandle]) -> None:
        self.bound = bound
        self.taken = {param.name for param in program.params}
        self.made = {i.handle for i in program.instructions if i.row.name == "PoolAlloc"}
        self.args: dict[str | Register, Any] = {}
        self.params: dict[str, _Spec] = {}
        self.names: dict[object, str] = {}
        self.ty = Type.U8

    @staticmethod
    def param(name: str, spec: _Spec) -> Param:
        kind, ty, reads, writes = spec
        access = Access.READ_WRITE if reads and writes else Access.WRITE if writes else Access.READ
        return Param(name, kind, None if kind == "pool" else ty, access if kind == "buffer" else None)

    def instruction(self, instruction: Instruction) -> Instruction:
        row = instruction.row
        if _is_inert(row.opcode):
            return instruction
        values = list(instruction.values)
        if row.state in _STATE:
            name, spec = _STATE[row.state]
            if name not in self.taken:
                self.params[name], self.args[name] = spec, Hidden(row.state)
        for position, (operand, value) in enumerate(zip(row.operands, values, strict=True)):
            if isinstance(value, Address) and isinstance(value.base, (BufferHandle, PoolHandle)):
                self.ty = instruction.type_of(operand) or Type.U8
                values[position] = replace(value, base=self.handle(value.base, operand))
            elif isinstance(value, Address) and value.space is Space.CLASS and value.base in self.bound:
                self.ty = instruction.type_of(operand) or Type.U8
                name = self.handle(self.bound[value.base], operand)  # type: ignore[index]  # a class id
                values[position] = replace(value, space=Space.BUFFER, base=name)
            elif operand.kind == "pool" and value in self.made and isinstance(value, PoolHandle):
                values[position] = self.pool(value, instruction)
            elif row.name == "PoolAlloc" and operand.kind == "size":
                values[position] = 0
            elif row.state == "unity" and operand.kind == "scalar" and not str(value).startswith("$"):
                values[position] = self.fresh(UNITY, Hidden("unity", value), ("scalar", Type.U32, True, False))
            elif (
                operand.kind == "size"
                and isinstance(value, int)
                and row.collective
                and (operand.name not in _KEPT.get(row.name, ()))
            ):
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

    def pool(self, handle: PoolHandle, instruction: Instruction) -> str:
        """The parameter that stands for a pool of the program."""
        if handle not in self.names:
            self.names[handle] = self.fresh("$l", Hidden("pool", 0, handle), ("pool", Type.U8, True, True))
        if instruction.row.name == "PoolAlloc":
            self.args[self.names[handle]] = Hidden("pool", instruction.size, handle)
        return self.names[handle]

    def fresh(self, prefix: str, value: Any, spec: _Spec) -> str:
        name = f"{prefix}{sum(other.startswith(prefix) for other in (*self.params, *self.taken))}"
        self.params[name] = spec
        self.args[name] = value
        return name
