"""Constant folding and algebraic simplification: a table of rewrite rules, applied where operands come first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

from ...isa.ops import SCALAR_OPS, compute
from ...isa.types import Type
from ..accesses import axes_of, give_axes
from ..ir import PRED, Function, Node, Replaced
from ..operations import (
    ABSORBING,
    ACCESSES,
    ADDS,
    CANCELLING,
    CHANGES,
    CLAMPS,
    COMPARISONS,
    DROPPING,
    IDLE,
    JOINING,
    LOGIC,
    OPERATIONS,
    PLACED,
    SAME,
)
from ..ranges import Ranges

__all__ = ["RULES", "fold"]

_FAR = 1 << 30  # offsets beyond are left to the index


class Context:
    """What rules may ask: constants, new nodes, ranges."""

    def __init__(self, function: Function) -> None:
        self.ranges = Ranges(function)
        self.start = function.blocks[0]
        self._function = function
        self.constants = {(n.ty, n.attr): n for n in self.start.nodes if n.is_const}

    @cached_property
    def uses(self) -> dict[Node, int]:
        """How often nodes are used, as it was when somebody first asked."""
        return self._function.uses()

    def const(self, ty: Any, bits: int) -> Node:
        node = self.constants.get((ty, bits))
        if node is None:
            node = self.constants[ty, bits] = Node("const", ty, (), bits)
            self.start.nodes.insert(0, node)
        return node


Rule = Callable[[Node, Context], Node | None]  # what takes the node's place; itself, if it was changed; None


def evaluate(node: Node) -> int | None:
    """The bits of a pure node whose operands are constants."""
    if OPERATIONS[node.op].attr == "routine":
        first = [bool(arg.attr) if arg.ty == PRED else arg.attr for arg in node.args]
        return int(getattr(SCALAR_OPS, node.op)(node.attr, *first))
    source = node.ty if node.attr is None else node.attr
    return compute(node.op, node.ty, source, [arg.attr for arg in node.args])  # type: ignore[arg-type]  # no effects


def _constant(node: Node, context: Context) -> Node | None:
    """What has only constants for operands is computed."""
    for arg in node.args:
        if not arg.is_const:
            return None
    bits = evaluate(node) if node.args else None
    return None if bits is None else context.const(node.ty, bits)


def _is(node: Node, number: int) -> bool:
    """Whether a node is that integer constant."""
    return node.is_const and isinstance(node.ty, Type) and node.ty.is_integer and node.attr == node.ty.encode(number)


def _integer(node: Node) -> bool:
    return isinstance(node.ty, Type) and node.ty.is_integer


def _neutral(node: Node, context: Context) -> Node | None:
    """x + 0, x - 0, x | 0, x ^ 0, x << 0, x >> 0, x * 1, x / 1."""
    if not _integer(node):
        return None
    (a, b), row = node.args, OPERATIONS[node.op]
    assert row.idle is not None
    if _is(b, row.idle):
        return a
    return b if row.commutes and _is(a, row.idle) else None


def _absorbing(node: Node, context: Context) -> Node | None:
    """x * 0, x & 0."""
    if _integer(node):
        return next((arg for arg in node.args if _is(arg, 0)), None)
    return None


def _same(node: Node, context: Context) -> Node | None:
    """x & x, x | x, min(x, x), max(x, x), p and p, select(p, x, x)."""
    a, b = node.args[-2:]
    return a if a is b and (not isinstance(node.ty, Type) or node.op == "select" or _integer(node)) else None


def _cancels(node: Node, context: Context) -> Node | None:
    """x - x, x ^ x."""
    if _integer(node) and node.args[0] is node.args[1]:
        return context.const(node.ty, 0)
    return None


def _known_select(node: Node, context: Context) -> Node | None:
    """A choice that a constant decides."""
    if node.args[0].is_const:
        return node.args[1] if node.args[0].attr else node.args[2]
    return None


def _double_not(node: Node, context: Context) -> Node | None:
    """not not p."""
    return node.args[0].args[0] if node.args[0].op == "pnot" else None


def _known_logic(node: Node, context: Context) -> Node | None:
    """p and true, p or false, p and false, p or true."""
    for arg, other in (node.args, node.args[::-1]):
        if arg.is_const:
            return other if int(bool(arg.attr)) == OPERATIONS[node.op].idle else arg
    return None


def _round_trip(node: Node, context: Context) -> Node | None:
    """A bit cast there and back; a conversion to a wider integer and back."""
    inner = node.args[0]
    if inner.op != node.op:
        return None
    source = inner.args[0]
    if source.ty is not node.ty:
        return None
    if node.op == "bitcast":
        return source
    widens = _integer(inner) and _integer(source) and inner.ty.bits >= source.ty.bits  # type: ignore[union-attr]
    return source if widens else None


def _known_comparison(node: Node, context: Context) -> Node | None:
    """Comparisons that ranges decide."""
    if not _integer(node.args[0]):
        return None
    (a, b), (c, d) = (context.ranges.of(arg) for arg in node.args)
    if node.op == "eq":
        answer = True if node.args[0] is node.args[1] or a == b == c == d else False if b < c or d < a else None
    elif node.op == "lt":
        answer = True if b < c else False if a >= d or node.args[0] is node.args[1] else None
    else:
        answer = True if b <= c or node.args[0] is node.args[1] else False if a > d else None
    return None if answer is None else context.const(PRED, int(answer))


def _idle_clamp(node: Node, context: Context) -> Node | None:
    """min, max and abs that ranges show to change nothing."""
    if not _integer(node):
        return None
    if node.op == "abs":
        return node.args[0] if context.ranges.of(node.args[0])[0] >= 0 else None
    (a, b), (c, d) = (context.ranges.of(arg) for arg in node.args)
    low_first = b <= c if node.op == "min" else a >= d
    low_second = d <= a if node.op == "min" else c >= b
    return node.args[0] if low_first else node.args[1] if low_second else None


def _known_special(node: Node, context: Context) -> Node | None:
    """The size of a block, and coordinates along an axis that has one lane."""
    low, high = context.ranges.of(node)
    return context.const(node.ty, low) if low == high else None


def _chain(node: Node, context: Context) -> Node | None:
    """(x + 1) - 3 is x - 2, and so are chains of shifts, masks, ors, xors and products with constants."""
    inner, op = node.args[0], node.op
    if not _integer(node) or not node.args[1].is_const or len(inner.args) != 2 or not inner.args[1].is_const:
        return None
    ty: Type = node.ty  # type: ignore[assignment]  # as _integer says
    if (
        context.uses.get(inner, 2) > 1
    ):  # then nothing is saved, and bounds proofs may know of it what they do not know of x
        return None
    before, after = inner.args[1].attr, node.args[1].attr
    if op in ADDS and inner.op in ADDS:
        total = ADDS[inner.op] * before + ADDS[op] * after
        # The smaller of the two ways around, so that bounds proofs see a step back as one.
        total = (total + (1 << ty.bits - 1)) % (1 << ty.bits) - (1 << ty.bits - 1)
        op, total = ("add", total) if total >= 0 else ("sub", -total)
    elif op != inner.op:
        return None
    elif op in DROPPING:
        before, after = before % ty.bits, after % ty.bits
        if before + after >= ty.bits:
            return None
        node.args = inner.args[0], context.const(Type.U32, before + after)
        return node
    else:
        total = compute(op, ty, ty, [before, after])
    node.op, node.args = op, (inner.args[0], context.const(ty, total % (1 << ty.bits)))
    return node


def _through(node: Node, context: Context) -> Node | None:
    """A conversion of a conversion of integers, of which the first one changes no bit that the second one keeps."""
    inner = node.args[0]
    if inner.op != "cvt" or not (_integer(node) and _integer(inner) and _integer(inner.args[0])):
        return None
    if context.uses.get(inner, 2) > 1:
        return None
    source = inner.args[0]
    if inner.ty.bits < node.ty.bits:  # type: ignore[union-attr]  # as _integer says
        low, high = context.ranges.of(source)
        if low < inner.ty.min_value or high > inner.ty.max_value:  # type: ignore[union-attr]
            return None
    if source.ty is node.ty:
        return source
    node.args, node.attr = (source,), source.ty
    return node


def _truth(node: Node, context: Context) -> Node | None:
    """(p ? 1 : 0) != 0 is p: comparisons of a constant with one of two."""
    for place in (0, 1):
        choice, other = node.args[place], node.args[1 - place]
        if choice.op == "select" and other.is_const and choice.args[1].is_const and choice.args[2].is_const:
            ways = [
                evaluate(Node(node.op, PRED, (way, other) if place == 0 else (other, way), node.attr))
                for way in choice.args[1:]
            ]
            if ways[0] == ways[1]:
                return context.const(PRED, int(bool(ways[0])))
            if ways[0]:
                return choice.args[0]
            node.op, node.args, node.attr = "pnot", choice.args[:1], None
            return node
    return None


def _idle_mask(node: Node, context: Context) -> Node | None:
    """x & c, where c has all bits that x may have."""
    if _integer(node):
        for x, mask in (node.args, node.args[::-1]):
            if mask.is_const:
                low, high = context.ranges.of(x)
                bits = (1 << high.bit_length()) - 1
                if low >= 0 and mask.attr & bits == bits:
                    return x
    return None


def _constant_address(node: Node, context: Context) -> Node | None:
    """A constant index goes into the offset, so that nothing is left of it to compute or to check for alignment."""
    access, index, align = node.attr, node.args[0], node.attr.element.alignment
    if not index.is_const or (access.scale == align and not index.attr):
        return None
    assert isinstance(index.ty, Type)
    offset = access.offset + index.ty.decode(index.attr) * access.scale
    if abs(offset) >= _FAR:
        return None
    node.attr = replace(access, scale=align, offset=offset)
    node.args = (context.const(index.ty, 0), *node.args[1:])
    return node


def _known_axis(node: Node, context: Context) -> Node | None:
    """An index that ranges show to be on its axis is not checked."""
    axes = axes_of(node)
    of = context.ranges.of
    kept = [
        (axis, index, length)
        for axis, index, length in axes
        if of(index)[0] + axis.offset < 0 or of(index)[1] + axis.offset >= of(length)[0]
    ]
    if len(kept) == len(axes):
        return None
    give_axes(node, tuple(axis for axis, _, _ in kept), tuple(node for _, *nodes in kept for node in nodes))
    return node


def _idle_guard(node: Node, context: Context) -> Node | None:
    """A guard whose condition never holds goes."""
    condition = node.args[0]
    return condition if condition.is_const and not condition.attr else None


def _of(operations: Collection[str]) -> str:
    return " ".join(op for op in OPERATIONS if op in operations)


RULES: dict[str, tuple[str, Rule]] = {  # the operations that a rule is for, "" for all pure ones
    "known-special": ("special", _known_special),
    "constant": ("", _constant),
    "neutral": (_of(IDLE), _neutral),
    "absorbing": (_of(ABSORBING), _absorbing),
    "same": (_of(SAME), _same),
    "cancels": (_of(CANCELLING), _cancels),
    "known-select": ("select", _known_select),
    "double-not": ("pnot", _double_not),
    "known-logic": (_of(LOGIC), _known_logic),
    "round-trip": (_of(CHANGES), _round_trip),
    "through": ("cvt", _through),
    "truth": (_of(COMPARISONS), _truth),
    "chain": (_of(JOINING | DROPPING | ADDS.keys()), _chain),
    "idle-mask": ("and", _idle_mask),
    "known-comparison": (_of(COMPARISONS), _known_comparison),
    "idle-clamp": (f"{_of(CLAMPS)} abs", _idle_clamp),
    "constant-address": (_of(ACCESSES), _constant_address),
    "known-axis": (_of(PLACED), _known_axis),
    "idle-guard": ("guard", _idle_guard),
}


@cache
def _rules(op: str) -> tuple[tuple[str, Rule], ...]:
    pure = OPERATIONS[op].kind == "pure"
    return tuple((name, rule) for name, (ops, rule) in RULES.items() if (op in ops.split() if ops else pure))


def fold(function: Function) -> int:
    """Applies the rules everywhere once; how often they fired. `function.fired` has it for each."""
    context = Context(function)
    replaced = Replaced()
    counts: Counter[str] = Counter()
    for block in function.blocks:
        kept = []
        for node in list(block.nodes):
            if not replaced.keys().isdisjoint(node.args):
                node.args = tuple(map(replaced.final, node.args))
            for name, rule in _rules(node.op):
                if (better := rule(node, context)) is not None:
                    counts[name] += 1
                    if better is not node:
                        replaced[node] = better
                    break
            if node in replaced:
                continue
            kept.append(node)
        if block is function.blocks[0]:  # constants made meanwhile were put at its front
            seen = set(map(id, kept))
            fresh = [n for n in block.nodes if n.is_const and id(n) not in seen and n not in replaced]
            kept = fresh + kept
        block.nodes = kept
    start = function.blocks[0]
    present = set(map(id, start.nodes))
    start.nodes = [n for n in context.constants.values() if id(n) not in present] + start.nodes
    replaced.put_into(function.blocks)
    function.fired += counts
    return counts.total()
