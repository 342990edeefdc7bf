"""Legalisation: types that a target has not are held in words that it has, so that emitters only print.

Integers of 8 and 16 bits are held in I32 or U32, with their sign or zeros above; what may have left their range is cut
back (`extend`, or a mask). F16 and BF16 are held as bits in U32, and functions convert them. Loads and stores do the
rest: an access keeps the type of its element, and scalars that of the argument block.
"""

from __future__ import annotations

from ..isa.types import Type
from .dominance import reverse_postorder
from .ir import Block, Function, Node, Terminator
from .node_ops import NodeOps
from .traits import Traits, word

__all__ = ["HALVES", "Legaliser", "legalise"]

HALVES = {Type.F16: "f16", Type.BF16: "bf16"}
# Primitives whose result can leave the range of a small integer; of unsigned ones only `not` besides.
_OVERFLOWING = frozenset({"add", "sub", "mul", "shl", "neg", "abs", "div"})
_COUNTS = frozenset({"popcount", "clz", "ctz"})


def legalise(function: Function, traits: Traits) -> Function:
    """The function in types of the target: another one, or itself if it is so already. It stays as it is."""
    if all(_is_legal(node, traits) for node in function.nodes()):
        return function
    return Legaliser(traits).function(function)


def _is_legal(node: Node, traits: Traits) -> bool:
    legal = traits.holds(node.ty) is node.ty and (node.op != "fma" or traits.fused)
    return legal and not (isinstance(node.attr, Type) and traits.holds(node.attr) is not node.attr)


class Legaliser(NodeOps):
    """Makes legal nodes of nodes."""

    def __init__(self, traits: Traits) -> None:
        super().__init__()
        self.traits = traits
        self.legal: dict[Node, Node] = {}

    def function(self, function: Function) -> Function:
        """A function of legal nodes."""
        order = reverse_postorder(function.blocks[0], lambda block: block.end.ways)
        reached = {block: Block(block.number) for block in order}
        for block, made in reached.items():
            made.predecessors = [reached[before] for before in block.predecessors if before in reached]
            for phi in block.phis:
                self.legal[phi] = Node("phi", self.traits.holds(phi.ty))
            made.phis = [self.legal[phi] for phi in block.phis]
        for block, made in reached.items():
            self.current = made
            for node in block.nodes:
                self.legal[node] = self.made(node)
            end = block.end
            value = None if end.value is None else self.legal[end.value]
            made.end = Terminator(end.kind, [reached[way] for way in end.ways], value, end.at, end.steps)
        for block in order:
            for phi in block.phis:
                pairs = zip(phi.args, block.predecessors, strict=True)
                self.legal[phi].args = tuple(self.legal[arg] for arg, before in pairs if before in reached)
        blocks = list(reached.values())
        blocks[0].nodes = self.start.nodes + blocks[0].nodes
        found = Function(
            blocks, function.shared_memory, function.bases, function.block_shape, function.name, function.local_memory
        )
        found.renumber()
        return found

    def made(self, node: Node) -> Node:
        """What a node becomes, whose operands are legal already."""
        op, ty, args = node.op, node.ty, [self.legal[arg] for arg in node.args]
        if op in ("const", "param", "special"):
            return self._leaf(node)
        if op in ("cvt", "bitcast"):
            assert isinstance(ty, Type)
            return (self.convert if op == "cvt" else self._recast)(ty, node.attr, args[0])
        if op in _COUNTS:
            return self._count(op, node.attr, args[0])
        if op == "fma" and not self.traits.fused:
            return self.call(f"fma_{ty}", *args)
        if isinstance(node.attr, Type):  # of a comparison
            return self.node(op, ty, *args, attr=self.traits.holds(node.attr))
        if self.traits.holds(ty) is ty or op in ("select", "load", "atomic", "reduce", "call", "call_if"):
            return self.node(op, self.traits.holds(ty), *args, attr=node.attr)
        assert isinstance(ty, Type)
        return self._half(op, args) if ty in HALVES else self.short(op, ty, *args)

    def _leaf(self, node: Node) -> Node:
        ty = node.ty
        if not isinstance(ty, Type) or self.traits.holds(ty) is ty:
            return self.node(node.op, ty, attr=node.attr)
        if node.op == "const":
            held = word(ty)
            return self.node("const", held, attr=node.attr if ty.is_float else held.encode(ty.decode(node.attr)))
        # As an argument it keeps its type, and is in a word as soon as it is read: this is no instruction.
        return self.node("bitcast" if ty.is_float else "cvt", word(ty), self.node(node.op, ty, attr=node.attr), attr=ty)

    # Small integers, and halves as bits

    def short(self, op: str, ty: Type, *args: Node) -> Node:
        """An operation on small integers that are held in words, or on whatever the target has."""
        held = self.traits.holds(ty)
        if held is ty:
            return self.node(op, ty, *args)
        if op == "rotl":  # copies side by side: what comes in below is what goes out above
            copies = self.const(Type.U32, 0x0101_0101 if ty.bits == 8 else 0x1_0001)
            found = self.rotl(Type.U32, self.mul(Type.U32, self._zeros(ty, args[0]), copies), args[1])
            return self._cut(ty, self.bitcast(word(ty), Type.U32, found))
        if op in ("shl", "shr"):
            args = args[0], self._masked(args[1], ty.bits - 1)
        made = self.node(op, held, *args)
        return self._cut(ty, made) if op in _OVERFLOWING or (op == "not" and not ty.is_signed) else made

    def _cut(self, ty: Type, x: Node) -> Node:
        """A word back in the range of a small type."""
        return self.node("extend", Type.I32, x, attr=ty) if ty.kind == "i" else self._masked(x, (1 << ty.bits) - 1)

    def _masked(self, x: Node, mask: int) -> Node:
        if x.is_const:
            return self.const(Type.U32, int(x.attr) & mask)
        return self.node("and", Type.U32, x, self.const(Type.U32, mask))

    def _zeros(self, ty: Type, x: Node) -> Node:
        """The bits of a small integer as U32, zeros above them."""
        if not ty.is_signed:
            return x
        return self._masked(self.bitcast(Type.U32, Type.I32, x), (1 << ty.bits) - 1)

    def _count(self, op: str, ty: Type, x: Node) -> Node:
        if self.traits.holds(ty) is ty:
            return self.node(op, Type.U32, x, attr=ty)
        if op == "ctz":
            x = self.bitcast(Type.U32, word(ty), x)
            x = self.node("or", Type.U32, x, self.const(Type.U32, 1 << ty.bits))
            return self.node("ctz", Type.U32, x, attr=Type.U32)
        found = self.node(op, Type.U32, self._zeros(ty, x), attr=Type.U32)
        return self.node("sub", Type.U32, found, self.const(Type.U32, 32 - ty.bits)) if op == "clz" else found

    def _half(self, op: str, args: list[Node]) -> Node:
        """Only the sign bit is touched; everything else was widened."""
        assert op in ("neg", "abs"), op
        if op == "neg":
            return self.node("xor", Type.U32, args[0], self.const(Type.U32, 0x8000))
        return self._masked(args[0], 0x7FFF)

    # Types

    def convert(self, dst: Type, src: Type, x: Node) -> Node:
        """A conversion of a legal value."""
        if self.traits.holds(src) is not src and src in HALVES:
            x, src = self.call(f"{HALVES[src]}_to_f32", x), Type.F32
        if self.traits.holds(dst) is dst:
            return self._from_word(dst, src, x)
        if dst in HALVES:
            return self.call(f"f32_to_{HALVES[dst]}", self._before_half(src, x))
        if src.is_float:  # saturated: to a word, whose sign all small types have room for, and into the range
            whole, low, high = self.cvt(Type.I32, src, x), int(dst.min_value), int(dst.max_value)
            below = self.min(Type.I32, whole, self.const(Type.I32, high))
            inside = self.max(Type.I32, below, self.const(Type.I32, Type.I32.encode(low)))
            return self.bitcast(word(dst), Type.I32, inside)
        held = self._from_word(word(dst), src, x)
        fits = src.bits < dst.bits and (not src.is_signed or dst.is_signed)
        return held if fits or src is dst else self._cut(dst, held)

    def _from_word(self, dst: Type, src: Type, x: Node) -> Node:
        """A conversion to a type that the target has, of a word if the source is one that it has not."""
        held = self.traits.holds(src)
        assert isinstance(held, Type)
        same = held is not src and held.bits == dst.bits and dst.is_integer
        return self.bitcast(dst, held, x) if same else self.cvt(dst, held, x)

    def _before_half(self, src: Type, x: Node) -> Node:
        """An F32 that rounds to the half that the exact value would round to."""
        if src is Type.F32:
            return x
        if src.is_wide:
            x = self.node("cvt_odd", Type.F64, x, attr=src)
        elif src in (Type.I64, Type.U64):
            x = self.call(f"{src}_to_f64_odd", x)
        elif src.is_integer:
            x = self._from_word(Type.F64, src, x)
        return self.call("f64_to_f32_odd", x)

    def _recast(self, dst: Type, src: Type, x: Node) -> Node:
        to, of = self.traits.holds(dst), self.traits.holds(src)
        assert isinstance(to, Type)
        assert isinstance(of, Type)
        found = self.bitcast(to, of, x)
        fits = to is dst or dst.kind == src.kind or {dst.kind, src.kind} == {"f", "u"}
        return found if fits else self._cut(dst, found)

    def call(self, name: str, *operands: Node) -> Node:
        from .library import routine_of  # which compiles its functions by passes

        return self.node("call", routine_of(name).result, *operands, attr=name)
