"""64-bit values on targets that have words of 32 bits: what legalise.py makes of I64, U64 and F64 there.

An integer that provably fits a U32 is one. All others, and F64 as its bits, are pairs of words: values of U64 of which
the target knows the words, `and`, `or`, `xor` and `not`, and which it can choose and copy; what is computed are calls
of `FUNCTIONS`, which the target has. Pairs are I64 where their sign matters: as indices, counts and operands of
conversions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..isa.mathematics import Routine
from ..isa.ops import PRED
from ..isa.types import Type
from .accesses import access_of
from .ir import Block, Node, ValueType
from .operations import (
    ACCESSES,
    BITWISE,
    CALLS,
    CLAMPS,
    COMPARISONS,
    COUNTS,
    EFFECTS,
    LEAVES,
    OPERATIONS,
    SHIFTS,
    SIGNLESS,
)
from .out_of_ssa import is_widening
from .ranges import Ranges
from .traits import PAIRS

if TYPE_CHECKING:
    from .legalise import Legaliser

__all__ = ["FUNCTIONS", "Pairs"]

I32, U32, I64, U64, F32, F64 = Type.I32, Type.U32, Type.I64, Type.U64, Type.F32, Type.F64
_LONG = (I64, U64)
# Operations on 64-bit values that are right on their low words where operands and result fit 32 bits.
_NARROWING = frozenset({"add", "sub", "mul", "and", "or", "xor", "min", "max", "div", "rem", "shr", "shl"})
_NEVER_NARROW = frozenset({"phi", "load", "param", "reduce", "call", "call_if"})


def _on(types: tuple[Type, ...], result: Type, primitive: str, before: tuple[Type, ...] = ()) -> Routine:
    """A primitive on values held in pairs: of `types`, as `result`."""

    def body(o: Any, *args: Any) -> Any:
        values = [arg if ty not in PAIRS else o.bitcast(ty, U64, arg) for ty, arg in zip(types, args, strict=True)]
        found = getattr(o, primitive)(*(before or (types[0],)), *values)
        return o.bitcast(U64, result, found) if result in PAIRS else found

    held = tuple(U64 if ty in PAIRS else ty for ty in types)
    return Routine(held, U64 if result in PAIRS else result, body)


def _functions() -> dict[str, Routine]:
    found: dict[str, Routine] = {}
    for op, row in OPERATIONS.items():
        if row.signless:
            found[f"u64_{op}"] = _on(tuple(U64 if each == "t" else U32 for each in row.takes), U64, op)
    found["i64_abs"] = _on((I64,), I64, "abs")
    for ty in _LONG:
        found |= {f"{ty}_{op}": _on((ty, ty), ty, op) for op in ("div", "rem")}
        found[f"{ty}_shr"] = _on((ty, U32), ty, "shr")
        found[f"{ty}_lt"] = _on((ty, ty), PRED, "lt")  # type: ignore[arg-type]
    found["u64_eq"] = _on((U64, U64), PRED, "eq")  # type: ignore[arg-type]
    found |= {f"u64_{op}": _on((U64,), U32, op) for op in sorted(COUNTS)}
    for op in ("add", "sub", "mul", "div", "rem", "min", "max"):
        found[f"f64_{op}"] = _on((F64, F64), F64, op)
    for op in ("neg", "abs", "sqrt", "floor", "ceil", "round", "trunc"):
        found[f"f64_{op}"] = _on((F64,), F64, op)
    found["f64_fma"] = _on((F64, F64, F64), F64, "fma")
    for op in sorted(COMPARISONS):
        found[f"f64_{op}"] = _on((F64, F64), PRED, op)  # type: ignore[arg-type]
    for src in _LONG:
        found |= {f"{dst}_from_{src}": _on((src,), dst, "cvt", (dst, src)) for dst in (F32, F64)}
        found |= {f"{of}_to_{src}": _on((of,), src, "cvt", (src, of)) for of in (F32, F64)}
    found |= {f"f64_to_{dst}": _on((F64,), dst, "cvt", (dst, F64)) for dst in (I32, U32, F32)}
    found["f64_from_f32"] = _on((F32,), F64, "cvt", (F64, F32))
    return found


# By name: operands and result, and what it computes. Targets without 64 bits have them as functions.
FUNCTIONS = _functions()


_isdisjoint = PAIRS.isdisjoint


class Pairs:
    """Makes legal nodes of nodes with 64-bit types. `ranges` are those of the function before."""

    def __init__(self, ops: Legaliser) -> None:
        self.ops = ops
        self.ranges: Ranges | None = None
        self._widened: set[Node] = set()  # of which accesses need the word only

    def concern(self, node: Node) -> bool:
        """Whether a node has to do with values of 64 bits."""
        of = node.attr
        return node.ty in PAIRS or (isinstance(of, Type) and of in PAIRS) or not _isdisjoint([a.ty for a in node.args])

    def is_narrow(self, node: Node) -> bool:
        """Whether a 64-bit value is held as a U32."""
        if self.ranges is None or node.ty not in _LONG or node.op in _NEVER_NARROW:
            return False
        low, high = self.ranges.of(node)
        return low >= 0 and high < 1 << 32

    def leave_out(self, blocks: Iterable[Block]) -> None:
        """Removes words made longer that nothing needs: what they are made of would seem to be needed twice."""
        used: set[Node] = set()
        for block in blocks:
            for node in (*block.phis, *block.nodes):
                used.update(node.args)
        unused = self._widened - used - {block.end.value for block in blocks}
        for block in blocks:
            if not unused.isdisjoint(block.nodes):
                block.nodes = [node for node in block.nodes if node not in unused]

    # Forms

    def long(self, x: Node) -> Node:
        """A legal integer as a pair."""
        return self.ops.node("cvt", U64, x, attr=x.ty) if x.ty in (I32, U32) else self._recast(U64, x)

    def low(self, x: Node) -> Node:
        """The low word."""
        if x.ty is U32:
            return x
        if is_widening(x):
            return self.ops.bitcast(U32, x.attr, x.args[0])
        return self.ops.node("cvt", U32, self._recast(U64, x), attr=U64)

    def _recast(self, ty: Type, x: Node) -> Node:
        """A pair as a type of 64 bits."""
        assert x.ty in PAIRS, x
        return x if x.ty is ty else self.ops.node("bitcast", ty, x, attr=x.ty)

    def _operand(self, node: Node) -> Node:
        """The legal value of an operand, a pair if it has 64 bits."""
        found = self.ops.legal[node]
        return self.long(found) if node.ty in PAIRS else found

    def of(self, ty: Type, x: Node) -> Node:
        """A legal value as an operand that keeps its type of 64 bits."""
        return self._recast(ty, self.long(x))

    # Nodes

    def made(self, node: Node) -> Node:
        """What a node becomes."""
        op, ops = node.op, self.ops
        narrow = self.is_narrow(node)
        match op:
            case _ if op in LEAVES:
                return self._leaf(node, narrow)
            case _ if op in EFFECTS:
                return self._effect(node)
            case _ if op in CALLS:
                return self._function(node)
            case _ if op in COMPARISONS:
                a, b = node.args
                if self._fits(a) and self._fits(b):
                    return ops.node(op, PRED, ops.legal[a], ops.legal[b], attr=U32)
                return self.compare(op, node.attr, self._operand(a), self._operand(b))
            case "select" if narrow:
                return ops.node(
                    "select", U32, ops.legal[node.args[0]], *(self.low(ops.legal[a]) for a in node.args[1:])
                )
            case "cvt":
                assert isinstance(node.ty, Type)
                found = ops.convert(node.ty, node.attr, ops.legal[node.args[0]])
                if is_widening(node):
                    found = self.low(found) if narrow else self.long(found)
                    self._widened.add(found)
                    return found
            case "bitcast":
                found = ops.legal[node.args[0]]  # which is of 64 bits, too
            case _ if op in COUNTS:
                return self._call(f"u64_{op}", U32, self._operand(node.args[0]))
            case _ if narrow and op in _NARROWING and self._is_plain(node):
                args = [self.ops.legal[arg] for arg in node.args]
                if op in SHIFTS:
                    args[1] = ops.const(U32, node.args[1].attr % 64)
                return ops.node(op, U32, *args)
            case _:
                assert isinstance(node.ty, Type)
                found = self.operation(op, node.ty, *map(self._operand, node.args))
        if node.ty not in PAIRS:
            return found
        return self.low(found) if narrow else self.long(found)

    def _fits(self, node: Node) -> bool:
        return node.ty not in PAIRS or self.is_narrow(node)

    def _is_plain(self, node: Node) -> bool:
        """Whether the operands are words."""
        amount = node.args[1]
        known = node.op not in SHIFTS or (amount.is_const and amount.attr % 64 < 32)
        return known and all(map(self._fits, node.args))

    def _leaf(self, node: Node, narrow: bool) -> Node:
        ops, ty = self.ops, node.ty
        assert isinstance(ty, Type)
        if node.is_const:
            return ops.const(U32 if narrow else U64, node.attr)
        if node.op == "special":
            return ops.node("special", U32, attr=node.attr)
        return self._recast(U64, ops.node("param", ty, attr=node.attr))

    def index(self, node: Node) -> Node:
        """Where an access is: the word that was made longer, or a number of 64 bits."""
        found = self.ops.legal[node.args[0] if is_widening(node) else node]
        if found.ty not in PAIRS:
            return found
        positive = self.ranges is not None and self.ranges.of(node)[0] >= 0
        return self.of(U64 if positive else I64, found)

    def _effect(self, node: Node) -> Node:
        ops, access = self.ops, access_of(node)
        if access is None:  # a guard, which says what is wrong
            return ops.node(node.op, None, *(ops.legal[arg] for arg in node.args), attr=node.attr)
        end = len(node.args) - 2 * len(access.axes)
        counts = node.op == "reduce"
        args = [self.index(node.args[0])]
        for number, arg in enumerate(node.args[1:], 1):
            args.append(self._signed(arg) if counts or number >= end else self._operand(arg))
        if node.op in ACCESSES:
            return ops.moved(node, args)
        return ops.node(node.op, ops.traits.holds(node.ty), *args, attr=node.attr)

    def _function(self, node: Node) -> Node:
        """A function of `isa/mathematics` on pairs, which keep their types."""
        args = [self.of(arg.ty, self.ops.legal[arg]) if arg.ty in PAIRS else self.ops.legal[arg] for arg in node.args]
        found = self.ops.node(node.op, node.ty, *args, attr=node.attr)
        return self.long(found) if node.ty in PAIRS else found

    def _signed(self, node: Node) -> Node:
        """The legal value of an operand, I64 if it was."""
        found = self.ops.legal[node]
        return self.of(I64, found) if node.ty is I64 else found

    # Operations on pairs

    def _call(self, name: str, ty: ValueType, *args: Node) -> Node:
        return self.ops.node("call", ty, *args, attr=name)

    def compare(self, op: str, ty: Type, a: Node, b: Node) -> Node:
        a, b = self.long(a), self.long(b)
        if ty is F64:
            return self._call(f"f64_{op}", PRED, a, b)
        if op == "eq":
            return self._call("u64_eq", PRED, a, b)
        return self._call(f"{ty}_lt", PRED, a, b) if op == "lt" else self.ops.pnot(self._call(f"{ty}_lt", PRED, b, a))

    def operation(self, op: str, ty: Type, *args: Node) -> Node:
        """A primitive of a type of 64 bits, on pairs."""
        if op == "select" or op in BITWISE:
            return self.ops.node(op, U64, *args)
        if ty is F64:
            return self._call(f"f64_{op}", U64, *args)
        if op in CLAMPS:
            a, b = args if op == "min" else args[::-1]
            return self.ops.node("select", U64, self.compare("lt", ty, *args), a, b)
        if op == "abs" and not ty.is_signed:
            return args[0]
        return self._call(f"{U64 if op in SIGNLESS else ty}_{op}", U64, *args)

    def convert(self, dst: Type, src: Type, x: Node) -> Node:
        """A conversion with 64 bits on a side: of integers of at least 32 bits, F32 and F64."""
        ops = self.ops
        if dst.is_wide and src in _LONG:
            return ops.lengthened(dst, src, x)
        if src.is_wide or dst.is_wide:
            x = self.of(src, x) if src in PAIRS else x
            held = dst if dst.is_wide or dst is F64 or dst not in PAIRS else U64
            return ops.node("cvt", held, x, attr=src)
        if src.is_integer and dst.is_integer:
            if dst in PAIRS:
                return x if x.ty is U32 or src in PAIRS else self.long(x)
            word = self.low(x)
            return ops.bitcast(dst, U32, word)
        if src in _LONG and x.ty is U32 and dst is F32:
            return ops.node("cvt", F32, x, attr=U32)
        if src.is_integer:
            kind = I64 if src.is_signed and x.ty is not U32 else U64
            return self._call(f"{dst}_from_{kind}", ops.traits.holds(dst), self.long(x))
        if dst is F64:
            return self._call("f64_from_f32", U64, x)
        return self._call(f"{src}_to_{dst}", ops.traits.holds(dst), x)
