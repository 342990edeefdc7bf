"""Legalisation: types that a target has not are held in words that it has, so that emitters only print.

Integers of 8 and 16 bits are held in I32 or U32, with their sign or zeros above; what may have left their range is cut
back (`extend`, or a mask). F16 and BF16 are held as bits in U32, and functions convert them; I64, U64 and F64 are
pairs of words (`pairs.py`). Of wide integers, which targets keep in memory, what can be said by others is; of the rest
`wide.py` says which calls, copies and conversions they are. Loads and stores do the rest: an access keeps the type of
its element, and scalars that of the argument block. Where memory has words only, a shorter element is taken out of the
word that is loaded, and put under a mask into the one where it is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from ..isa.types import Type
from .dominance import reverse_postorder
from .fences import TellsApart, fence
from .ir import PRED, Block, Function, Node, Terminator
from .node_ops import NodeOps
from .operations import ACCESSES, CALLS, CHANGES, CLAMPS, COUNTS, DROPPING, EFFECTS, FOLDED, LEAVES, WRAPPING
from .pairs import Pairs
from .ranges import Ranges
from .traits import PAIRS, Traits, word

__all__ = ["HALVES", "Legal", "Legaliser", "legalise", "legalised"]

HALVES = {Type.F16: "f16", Type.BF16: "bf16"}
_KEPT = EFFECTS | CALLS  # what stays what it is, of legal operands
_OF_OTHERS = CLAMPS | {"le", "abs", "cvt"}  # what of wide integers is made of other operations


@dataclass
class Legal:
    """A legal function. `of` gives what a node of the function before became."""

    function: Function
    of: dict[Node, Node]

    def __post_init__(self) -> None:
        kept = ((made, node) for node, made in self.of.items() if node.op in EFFECTS or node.ty == PRED)
        self._origins = dict(kept)

    def origin(self, node: Node) -> Node:
        """What an effect or a predicate was before."""
        return self._origins.get(node, node)


def legalised(function: Function, traits: Traits, binding: TellsApart | None = None) -> Legal:
    """The function in types of the target, and what became of its nodes. It stays as it is. `binding` tells memories
    of a kernel apart (`fences.py`)."""
    if all(_is_legal(node, traits) for node in function.nodes()):
        return Legal(function, {})
    legaliser = Legaliser(traits)
    made = legaliser.function(function)
    if traits.folds:
        fence(made, binding)
        made.renumber()
    return Legal(made, legaliser.legal | legaliser.effects)


def legalise(function: Function, traits: Traits) -> Function:
    """The function in types of the target: another one, or itself if it is so already. It stays as it is."""
    return legalised(function, traits).function


def _is_legal(node: Node, traits: Traits) -> bool:
    legal = traits.holds(node.ty) is node.ty and (node.op != "fma" or traits.fused)
    if (node.op in DROPPING and not traits.wraps) or (traits.pairs and node.ty in PAIRS):
        return False
    if traits.folds and node.ty is Type.F32 and node.op in FOLDED:
        return False
    if traits.dots and dotted(node) is not None:
        return False
    if node.op in _OF_OTHERS and any(isinstance(ty, Type) and ty.is_wide for ty in (node.ty, node.attr)):
        return False
    return legal and not (isinstance(node.attr, Type) and traits.holds(node.attr) is not node.attr)


def dotted(node: Node) -> list[Node] | None:
    """The two words of which a sum is that of the products of their upper and of their lower halves."""
    if node.op != "add" or node.ty is not Type.I32 or any(arg.op != "mul" for arg in node.args):
        return None
    for upper, lower in (node.args, node.args[::-1]):
        halves = [_half_of(arg, "shr") for arg in upper.args]
        below = [_half_of(arg, "shl") for arg in map(partial(_half_of, op="shr"), lower.args) if arg is not None]
        words = [each for each in halves if each is not None]
        if len(words) == 2 and below in (words, words[::-1]):
            return words
    return None


def _half_of(node: Node, op: str) -> Node | None:
    """What is shifted by 16 bits."""
    shifts = node.op == op and node.args[1].is_const and node.args[1].attr == 16
    return node.args[0] if shifts else None


class Legaliser(NodeOps):
    """Makes legal nodes of nodes."""

    def __init__(self, traits: Traits) -> None:
        super().__init__()
        self.traits = traits
        self.legal: dict[Node, Node] = {}
        self.effects: dict[Node, Node] = {}  # what loads became, whose values are made of what they load now
        self.pairs = Pairs(self) if traits.pairs else None

    def function(self, function: Function) -> Function:
        """A function of legal nodes."""
        if self.pairs is not None:
            self.pairs.ranges = Ranges(function)
        order = reverse_postorder(function.blocks[0], lambda block: block.end.ways)
        reached = {block: Block(block.number) for block in order}
        for block, made in reached.items():
            made.predecessors = [reached[before] for before in block.predecessors if before in reached]
            for phi in block.phis:
                short = isinstance(phi.ty, Type) and self._is_word(phi.ty)
                self.legal[phi] = Node("phi", self.traits.holds(phi.ty), attr=phi.ty if short else None)
            made.phis = [self.legal[phi] for phi in block.phis]
        for block, made in reached.items():
            self.current = made
            for node in block.nodes:
                self.legal[node] = self.made(node)
            end = block.end
            value = None if end.value is None else self._form(end.value)
            made.end = Terminator(end.kind, [reached[way] for way in end.ways], value, end.at, end.steps)
        for block in order:
            for phi in block.phis:
                args = []
                for arg, before in zip(phi.args, block.predecessors, strict=True):
                    if before in reached:
                        self.current = reached[before]
                        args.append(self._choice(arg))
                self.legal[phi].args = tuple(args)
        blocks = list(reached.values())
        if self.pairs is not None:
            self.pairs.leave_out(blocks)
        blocks[0].nodes = self.start.nodes + blocks[0].nodes
        found = Function(
            blocks, function.shared_memory, function.bases, function.block_shape, function.name, function.local_memory
        )
        found.renumber()
        return found

    def expression(self, node: Node, *leaves: Node) -> Node:
        """What a value of legal values becomes."""
        self.legal.update(zip(leaves, leaves, strict=True))
        if node not in self.legal:
            for arg in node.args:
                self.expression(arg)
            self.legal[node] = self.made(node)
        return self.legal[node]

    def _form(self, node: Node) -> Node:
        """The legal value of a node in the form that variables of its type have."""
        found = self.legal[node]
        return found if self.pairs is None or node.ty not in PAIRS else self.pairs.long(found)

    def _choice(self, node: Node) -> Node:
        """The same, for one of several values, and for an operand of F32 arithmetic: if compilers of the target's code
        know that it is a zero, x + 0 is x to them, and x * 0 is 0, also where it is one side of a select."""
        found, ty = self._form(node), node.ty
        zero = node.is_const and isinstance(ty, Type) and not node.attr << 1 & (1 << ty.bits) - 1
        known = zero and self.traits.folds and (ty is Type.F32 or ty in HALVES)
        return self.node("opaque", found.ty, found) if known else found

    def made(self, node: Node) -> Node:
        """What a node becomes, whose operands are legal already."""
        if self.pairs is not None and self.pairs.concern(node):
            return self.pairs.made(node)
        op, ty, args = node.op, node.ty, [self.legal[arg] for arg in node.args]
        if op in LEAVES:
            return self._leaf(node)
        if op in CHANGES:
            assert isinstance(ty, Type)
            return (self.convert if op == "cvt" else self._recast)(ty, node.attr, args[0])
        if op in COUNTS:
            return self._count(op, node.attr, args[0])
        if op == "fma" and not self.traits.fused:
            return self.call(f"fma_{ty}", *args)
        if isinstance(node.attr, Type):  # of a comparison
            if op == "le" and node.attr.is_wide:
                return self.pnot(self.node("lt", PRED, *args[::-1], attr=node.attr))
            return self.node(op, ty, *args, attr=self.traits.holds(node.attr))
        if op == "select":
            return self.node(op, self.traits.holds(ty), args[0], *map(self._choice, node.args[1:]))
        if self.traits.dots and (words := dotted(node)) is not None:
            return self.node("dot", ty, *(self.legal[word] for word in words))
        if op in DROPPING and not self.traits.wraps and isinstance(ty, Type) and ty.bits == 32:
            return self.node(op, ty, args[0], self.masked(args[1], 31))
        if isinstance(ty, Type) and ty.is_wide and (op in CLAMPS or op == "abs"):
            return self._of_two(op, ty, args)
        if ty is Type.F32 and op in FOLDED:
            return self.node(op, ty, *map(self._choice, node.args))
        if op in ACCESSES:
            return self.moved(node, args)
        if self.traits.holds(ty) is ty or op in _KEPT:
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
        if self.pairs is not None and ty in PAIRS:
            return self.pairs.operation(op, ty, *args)
        held = self.traits.holds(ty)
        if held is ty:
            return self.node(op, ty, *args)
        if op == "rotl":  # copies side by side: what comes in below is what goes out above
            copies = self.const(Type.U32, 0x0101_0101 if ty.bits == 8 else 0x1_0001)
            found = self.rotl(Type.U32, self.mul(Type.U32, self._zeros(ty, args[0]), copies), args[1])
            return self._cut(ty, self.bitcast(word(ty), Type.U32, found))
        if op in DROPPING:
            args = args[0], self.masked(args[1], ty.bits - 1)
        made = self.node(op, held, *args)
        return self._cut(ty, made) if op in WRAPPING or (op == "not" and not ty.is_signed) else made

    def _cut(self, ty: Type, x: Node) -> Node:
        """A word back in the range of a small type."""
        return self.node("extend", Type.I32, x, attr=ty) if ty.kind == "i" else self.masked(x, (1 << ty.bits) - 1)

    def masked(self, x: Node, mask: int) -> Node:
        if x.is_const:
            return self.const(Type.U32, int(x.attr) & mask)
        return self.node("and", Type.U32, x, self.const(Type.U32, mask))

    def _zeros(self, ty: Type, x: Node) -> Node:
        """The bits of a small integer as U32, zeros above them."""
        if not ty.is_signed:
            return x
        return self.masked(self.bitcast(Type.U32, Type.I32, x), (1 << ty.bits) - 1)

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
        return self.masked(args[0], 0x7FFF)

    # Wide integers

    def _of_two(self, op: str, ty: Type, args: list[Node]) -> Node:
        """One of two wide integers; the absolute value of one."""
        if op == "abs":
            return self.node(op, ty, *args) if ty.is_signed else args[0]
        less = self.node("lt", PRED, *args, attr=ty)
        return self.node("select", ty, less, *(args if op == "min" else args[::-1]))

    def lengthened(self, dst: Type, src: Type, x: Node) -> Node:
        """A legal number as a wide integer: of 64 bits, or a float that the target converts."""
        if src.is_integer:
            long = Type.I64 if src.is_signed and x.ty is not Type.U32 else Type.U64
            if self.pairs is not None:
                x = self.pairs.of(long, x)
            elif src is not long:
                x = self.node("cvt", long, x, attr=src)
            src = long
        elif src is Type.F32 and Type.F64 in self.traits.native:
            x, src = self.node("cvt", Type.F64, x, attr=src), Type.F64
        return self.node("cvt", dst, x, attr=src)

    # Memory

    def moved(self, node: Node, args: list[Node]) -> Node:
        """A load or a store with these legal operands: the value, or the effect."""
        access, ty = node.attr, node.attr.element
        if self.traits.bytes or ty.bits >= 32:
            return self.node(node.op, self.traits.holds(node.ty), *args, attr=access)
        access, shift = replace(access, in_word=True), self._shift(access.scale, access.offset, args[0])
        if node.op == "load":
            self.effects[node] = self.node("load", Type.U32, *args, attr=access)
            return self.part(ty, self.effects[node], shift)
        held = args[1] if ty.is_float else self._zeros(ty, args[1])
        bits, mask = (self._up(x, shift) for x in (held, self.const(Type.U32, (1 << ty.bits) - 1)))
        return self.node("store", None, args[0], bits, mask, *args[2:], attr=access)

    def part(self, ty: Type, word: Node, shift: Node) -> Node:
        """A short element of a word of memory, so many bits above its lowest."""
        found = word if shift.is_const and not shift.attr else self.shr(Type.U32, word, shift)
        return self._cut(ty, self.bitcast(Type.I32, Type.U32, found) if ty.kind == "i" else found)

    def _up(self, x: Node, shift: Node) -> Node:
        if x.is_const and shift.is_const:
            return self.const(Type.U32, x.attr << shift.attr)
        return x if shift.is_const and not shift.attr else self.shl(Type.U32, x, shift)

    def _shift(self, scale: int, offset: int, index: Node) -> Node:
        """How many bits below the element at index * scale + offset its word has."""
        if not scale % 4:
            return self.const(Type.U32, offset % 4 * 8)
        assert isinstance(index.ty, Type)
        pairs = self.pairs if index.ty in PAIRS else None
        low = self.bitcast(Type.U32, index.ty, index) if pairs is None else pairs.low(index)
        byte = self.mul(Type.U32, low, self.const(Type.U32, scale % 4)) if scale % 4 > 1 else low
        byte = self.add(Type.U32, byte, self.const(Type.U32, offset % 4)) if offset % 4 else byte
        return self.node("shl", Type.U32, self.masked(byte, 3), self.const(Type.U32, 3))

    # Types

    def cvt(self, dst: Type, src: Type, x: Node) -> Node:
        if dst.is_wide and not src.is_wide and src is not Type.F64:
            return self.lengthened(dst, src, x)
        if self.pairs is not None and dst is not src and (dst in PAIRS or src in PAIRS):
            return self.pairs.convert(dst, src, x)
        return super().cvt(dst, src, x)

    def _is_word(self, ty: Type) -> bool:
        """Whether values of a short type are held in words."""
        return ty.bits <= 16 and ty not in self.traits.native

    def convert(self, dst: Type, src: Type, x: Node) -> Node:
        """A conversion of a legal value."""
        if self._is_word(src) and src in HALVES:
            x, src = self.call(f"{HALVES[src]}_to_f32", x), Type.F32
        if not self._is_word(dst):
            return self._from_word(dst, src, x)
        if dst in HALVES:
            return self.call(f"f32_to_{HALVES[dst]}", self._before_half(src, x))
        if src.is_float:  # saturated: to a word, and into the range
            to, low, high = word(dst), int(dst.min_value), int(dst.max_value)
            x = self.node("min", to, self.cvt(to, src, x), self.const(to, high))
            return self.node("max", to, x, self.const(to, to.encode(low))) if dst.is_signed else x
        held = self._from_word(word(dst), src, x)
        fits = src.bits < dst.bits and (not src.is_signed or dst.is_signed)
        return held if fits or src is dst else self._cut(dst, held)

    def _from_word(self, dst: Type, src: Type, x: Node) -> Node:
        """A conversion to a type that the target has, of a word if the source is one that it has not."""
        held = word(src) if self._is_word(src) else src
        same = held is not src and held.bits == dst.bits and dst.is_integer
        return self.bitcast(dst, held, x) if same else self.cvt(dst, held, x)

    def _before_half(self, src: Type, x: Node) -> Node:
        """An F32 that rounds to the half that the exact value would round to."""
        if src is Type.F32:
            return x
        if Type.F64 not in self.traits.native:
            return self._odd(src, x)
        if src.is_wide:
            x = self.node("cvt_odd", Type.F64, x, attr=src)
        elif src in (Type.I64, Type.U64):
            x = self.call(f"{src}_to_f64_odd", x)
        elif src.is_integer:
            x = self._from_word(Type.F64, src, x)
        return self.call("f64_to_f32_odd", x)

    def _odd(self, src: Type, x: Node) -> Node:
        """An F32 rounded to odd, without F64."""
        if src.is_integer and src.bits <= 16:
            return self._from_word(Type.F32, src, x)  # exact
        if self.pairs is not None and not src.is_wide:
            x = self.pairs.of(src if src.bits == 64 else Type.I64 if src.is_signed else Type.U64, x)
        return self.node("cvt_odd", Type.F32, x, attr=x.ty)

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
