"""The Atlas ISA: table, types, addresses, Program and its forms, builder, verifier. Standard library only."""

from .address import Address
from .builder import ProgramBuilder
from .elements import bool_, complex64, complex128
from .instruction import Instruction
from .operands import (
    Access,
    AtomicOperation,
    BinaryMapOperation,
    BufferHandle,
    Condition,
    Immediate,
    Label,
    MapOperation,
    MemoryScope,
    PoolHandle,
    Predicate,
    ReduceOperation,
    Register,
    p,
    r,
)
from .program import Param, Program, ProgramMetadata
from .types import Type

__all__ = [
    "Access",
    "Address",
    "AtomicOperation",
    "BinaryMapOperation",
    "BufferHandle",
    "Condition",
    "Immediate",
    "Instruction",
    "Label",
    "MapOperation",
    "MemoryScope",
    "Param",
    "PoolHandle",
    "Predicate",
    "Program",
    "ProgramBuilder",
    "ProgramMetadata",
    "ReduceOperation",
    "Register",
    "Type",
    "bool_",
    "complex64",
    "complex128",
    "p",
    "r",
]
