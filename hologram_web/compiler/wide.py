"""What is done to integers of more than 64 bits, for targets that keep them in memory and have the routines of the
device library: `wide.wat` and `wide.wgsl` have the same names and parameters.

A value is named by its place. What computes one is a call whose first argument is the place of the result, a copy of
what lies elsewhere, or a conversion of an integer; a target says how it writes operands, and moves words.
"""

from __future__ import annotations

from typing import NamedTuple

from ..isa.types import Type
from .ir import Node, significant
from .operations import BITWISE, DIVISIONS, SIGNLESS

__all__ = [
    "WORK",
    "Copied",
    "Extended",
    "Sign",
    "TopBit",
    "WideCall",
    "WideChoice",
    "WideOperand",
    "WideSize",
    "WideWork",
    "read",
    "size_of",
    "statement",
]

_MAX_UNROLLED = 256  # bits of values around whose words compilers may unroll loops


class WideSize(NamedTuple):
    """How many bytes. `long` says that code would be too long if a compiler unrolled loops over them."""

    bytes: int
    long: bool


class Sign(NamedTuple):
    """What fills the words above a value: nothing but zeros, if its type has no sign."""

    value: Node
    ty: Type


class TopBit(NamedTuple):
    """What the highest word of two numbers is changed by before they are compared without a sign."""

    signed: bool


class WideWork(NamedTuple):
    """The place that routines have for themselves."""


class WideCall(NamedTuple):
    """A routine of the library; of a value that it computes, the place is its first argument, before the operands."""

    routine: str
    operands: tuple[WideOperand, ...]


class WideChoice(NamedTuple):
    """The value in one of two places."""

    condition: Node
    then: Node
    otherwise: Node


class Copied(NamedTuple):
    """A value that lies somewhere else."""

    place: Node | WideCall


class Extended(NamedTuple):
    """An integer in another width: of its bytes the lowest `kept`, the sign or zeros above."""

    value: Node
    ty: Type
    kept: int


WideOperand = Node | WideSize | Sign | TopBit | WideWork | WideCall | bool
WORK = WideWork()


def size_of(ty: Type, op: str = "") -> WideSize:
    return WideSize(ty.size_bytes, op in DIVISIONS or ty.bits > _MAX_UNROLLED)


def _magnitude(node: Node, ty: Type) -> Node | WideCall:
    return WideCall("magnitude", (node, size_of(ty), WORK)) if ty.is_signed else node


def statement(node: Node) -> WideCall | Copied | WideChoice | Extended:
    """What computes a wide integer."""
    ty, op, args = node.ty, node.op, node.args
    assert isinstance(ty, Type)
    size = size_of(ty, op)
    match op:
        case "mul":
            return WideCall(op, (*args, size, *(WideSize(significant(arg), size.long) for arg in args)))
        case "shr":
            return WideCall(op, (*args, size, Sign(args[0], ty)))
        case _ if op in DIVISIONS:
            return WideCall("divide_signed" if ty.is_signed else "divide", (*args, size, op == "rem", WORK))
        case "cvt" if node.attr.is_float:
            return WideCall(f"from_{node.attr}", (*args, size, ty.is_signed))
        case "cvt":
            return Extended(args[0], node.attr, min(ty.size_bytes, node.attr.size_bytes) if node.attr.is_wide else 8)
        case "abs":
            return Copied(_magnitude(args[0], ty))
        case "select":
            return WideChoice(*args)
        case _ if op in SIGNLESS | BITWISE:
            return WideCall(op, (*args, size))
    assert op == "bitcast", op
    return Copied(args[0])


def read(node: Node) -> WideCall | None:
    """The call that computes what is no wide integer of some; None for their low words, and for everything else."""
    ty = node.attr
    if not isinstance(ty, Type) or not ty.is_wide:
        return None
    match node.op:
        case "eq":
            return WideCall("eq", (*node.args, size_of(ty)))
        case "lt":
            return WideCall("lt", (*node.args, size_of(ty), TopBit(ty.is_signed)))
        case "cvt" | "cvt_odd" if isinstance(node.ty, Type) and node.ty.is_float:
            name = f"to_{node.ty}{'_odd' if node.op == 'cvt_odd' else ''}"
            return WideCall(name, (_magnitude(node.args[0], ty), size_of(ty), Sign(node.args[0], ty)))
    return None
