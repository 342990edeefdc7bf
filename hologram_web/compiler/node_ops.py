"""The ops namespace whose values are IR nodes: what the reference semantics of the table are run over."""

from __future__ import annotations

from typing import Any

from ..isa.mathematics import routine
from ..isa.operands import AtomicOperation
from ..isa.ops import widening
from ..isa.types import Type
from .ir import PRED, Block, MemoryAccess, Node, ValueType

__all__ = ["POINTER", "NodeOps"]

POINTER = Type.I64  # a pointer made by LEA is its byte offset
_FAR = 1 << 42  # indices beyond are out of bounds whatever the scale and offset are: see cpu/memory.py


def _nodes(op: str) -> Any:
    """A primitive that makes a node of its operands' type."""

    def method(self: NodeOps, ty: Type, *args: Node) -> Node:
        return self.node(op, ty, *args)

    return method


def _counts(op: str) -> Any:
    """A primitive that counts bits of an integer, as U32."""

    def method(self: NodeOps, ty: Type, x: Node) -> Node:
        return self.node(op, Type.U32, x, attr=ty)

    return method


class NodeOps:
    """Makes nodes in the block `current`; constants go to the block `start`."""

    def __init__(self) -> None:
        self.start = Block(-1)
        self.current = self.start
        self.constants: dict[tuple[ValueType, int], Node] = {}

    def node(self, op: str, ty: ValueType, *args: Node, attr: Any = None) -> Node:
        node = Node(op, ty, args, attr)
        self.current.nodes.append(node)
        return node

    def const(self, ty: Type, bits: int) -> Node:
        return self.constant(ty, bits)

    def constant(self, ty: ValueType, bits: int) -> Node:
        if (ty, bits) not in self.constants:
            node = self.constants[ty, bits] = Node("const", ty, (), bits)
            self.start.nodes.append(node)
        return self.constants[ty, bits]

    add, sub, mul, div, rem = (widening(_nodes(op)) for op in ("add", "sub", "mul", "div", "rem"))
    min, max, fma, sqrt = (widening(_nodes(op)) for op in ("min", "max", "fma", "sqrt"))
    floor, ceil, round, trunc = (widening(_nodes(op)) for op in ("floor", "ceil", "round", "trunc"))
    neg, abs, and_, or_, xor, not_ = (_nodes(op) for op in ("neg", "abs", "and", "or", "xor", "not"))
    shl, shr, rotl, inverse = (_nodes(op) for op in ("shl", "shr", "rotl", "inverse"))
    popcount, clz, ctz = (_counts(op) for op in ("popcount", "clz", "ctz"))

    def cvt(self, dst: Type, src: Type, x: Node) -> Node:
        return x if dst is src else self.node("cvt", dst, x, attr=src)

    def bitcast(self, dst: Type, src: Type, x: Node) -> Node:
        return x if dst is src else self.node("bitcast", dst, x, attr=src)

    def select(self, ty: Type, p: Node, a: Node, b: Node) -> Node:
        return self.node("select", ty, p, a, b)

    def _compare(self, op: str, ty: Type, a: Node, b: Node) -> Node:
        if ty in (Type.F16, Type.BF16):
            a, b, ty = self.cvt(Type.F32, ty, a), self.cvt(Type.F32, ty, b), Type.F32
        return self.node(op, PRED, a, b, attr=ty)

    def eq(self, ty: Type, a: Node, b: Node) -> Node:
        return self._compare("eq", ty, a, b)

    def lt(self, ty: Type, a: Node, b: Node) -> Node:
        return self._compare("lt", ty, a, b)

    def le(self, ty: Type, a: Node, b: Node) -> Node:
        return self._compare("le", ty, a, b)

    def pand(self, a: Node, b: Node) -> Node:
        return self.node("pand", PRED, a, b)

    def por(self, a: Node, b: Node) -> Node:
        return self.node("por", PRED, a, b)

    def pnot(self, a: Node) -> Node:
        return self.node("pnot", PRED, a)

    def call(self, name: str, *operands: Node) -> Node:
        return self.node("call", routine(name).result, *operands, attr=name)

    def call_if(self, name: str, p: Node, otherwise: Node, *operands: Node) -> Node:
        return self.node("call_if", routine(name).result, p, otherwise, *operands, attr=name)

    def load(self, ty: Type, place: tuple[MemoryAccess, Node]) -> Node:
        return self.node("load", ty, place[1], attr=place[0])

    def store(self, ty: Type, place: tuple[MemoryAccess, Node], value: Node) -> None:
        self.node("store", None, place[1], value, attr=place[0])

    def atomic(
        self, operation: AtomicOperation, ty: Type, place: tuple[MemoryAccess, Node], value: Node, compare: Node | None
    ) -> Node:
        args = (place[1], value) if compare is None else (place[1], value, compare)
        return self.node("atomic", ty, *args, attr=(operation.value, place[0]))

    def place(self, place: tuple[MemoryAccess, Node]) -> Node:
        access, index = place
        if access.scale == 1 and access.offset == 0:
            return index
        scaled = self.node("mul", POINTER, index, self.constant(POINTER, access.scale))
        return self.node("add", POINTER, scaled, self.constant(POINTER, POINTER.encode(access.offset)))

    def reduce(self, combine: str, ty: Type, place: tuple[MemoryAccess, Node], count: Node) -> Node:
        return self.node("reduce", ty, place[1], self.index(count), attr=(combine, place[0]))

    def index(self, index: Node) -> Node:
        """An index as I64. One of 64 bits is clamped, so that scaling cannot wrap."""
        ty = index.ty
        assert isinstance(ty, Type)
        if ty.bits < 64:
            return self.cvt(POINTER, ty, index)
        far = self.constant(ty, _FAR)
        clamped = self.node("min", ty, index, far)
        if ty is Type.I64:
            return self.node("max", ty, clamped, self.constant(ty, ty.encode(-_FAR)))
        return self.cvt(POINTER, ty, clamped)
