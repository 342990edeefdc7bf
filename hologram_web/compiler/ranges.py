"""Range analysis: what values a node can have, as an interval; of integers of their signed or unsigned meaning."""

from __future__ import annotations

import math
from functools import cache

from ..isa.types import Type
from .ir import Function, Node
from .operations import CHANGES, CHOICES, MODULAR, OPERATIONS, SHIFTS, Extremes

__all__ = ["MAX_LANES", "Ranges", "may_trap", "remainder_of"]

MAX_LANES = (1 << 31) - 1
_DEPTH = 40
_EXACT = 1 << 20  # sums of such numbers are wrong by less than 0.25 where they are rounded with a product
_ANY_NUMBER = -math.inf, math.inf, True


class Ranges:
    """Intervals of the nodes of a function, computed when asked for. They hold for every launch."""

    def __init__(self, function: Function, lanes: int = 0) -> None:
        """`lanes` are those that blocks have at least, where the function's block shape is only the largest."""
        x, y, z = self.block_shape = function.block_shape
        # Of a launch, whose last one may be in part.
        blocks = -(-MAX_LANES // (lanes or x * y * z // function.spans))
        self._special = {
            "GLOBAL_LANE_ID": (0, MAX_LANES - 1),
            **{f"BLOCK_DIM_{axis}": (size, size) for axis, size in zip("XYZ", (x, y, z), strict=True)},
            **{f"LANE_IDX_{axis}": (0, size - 1) for axis, size in zip("XYZ", (x, y, z), strict=True)},
            **{f"BLOCK_IDX_{axis}": (0, blocks - 1) for axis in "XYZ"},
            **{f"GRID_DIM_{axis}": (1, blocks) for axis in "XYZ"},
        }
        self._known: dict[Node, Extremes] = {}
        self._floats: dict[Node, tuple[float, float, bool]] = {}

    def of(self, node: Node, depth: int = 0) -> Extremes:
        """The least and the greatest value of an integer node."""
        found = self._known.get(node)
        if found is None:
            assert isinstance(node.ty, Type)
            whole = _whole(node.ty)
            found = whole if depth > _DEPTH else self._compute(node, node.ty, whole, depth + 1)
            if found[0] < whole[0] or found[1] > whole[1]:  # it may wrap
                found = whole
            self._known[node] = found
        return found

    def _compute(self, node: Node, ty: Type, whole: Extremes, depth: int) -> Extremes:
        if node.is_const:
            value = int(ty.decode(node.attr))
            return value, value
        if node.op == "special":
            return self._special.get(node.attr, whole)
        if node.op in CHANGES and node.attr.is_integer and (node.op == "cvt" or ty.is_integer):
            low, high = self.of(node.args[0], depth)
            return (low, high) if whole[0] <= low and high <= whole[1] else whole
        short = node.attr if node.op == "phi" else None
        if short or (node.op == "load" and not node.attr.in_word):  # of a shorter element, held in a word
            element: Type = short or node.attr.element
            return _whole(element) if element.is_integer else (0, (1 << element.bits) - 1)
        if node.op == "extend":
            (low, high), (least, most) = self.of(node.args[0], depth), _whole(node.attr)
            return (low, high) if least <= low and high <= most else (least, most)
        if node.op == "select":
            (a, b), (c, d) = self.of(node.args[1], depth), self.of(node.args[2], depth)
            return min(a, c), max(b, d)
        remainder = remainder_of(node)
        op, args = ("rem", remainder) if remainder is not None else (node.op, node.args)
        rule = OPERATIONS[op].range if op in OPERATIONS else None  # the optimizer of programs has more operations
        if rule is None or ty.is_float:
            return whole
        if len(args) == 1:
            return rule(self.of(args[0], depth)) or whole
        left, right = self.of(args[0], depth), self.of(args[1], depth)
        if remainder is not None and right[0] <= 0:  # beside a quotient by zero, which is 0, it is all of a
            return (0, left[1]) if min(left[0], right[0]) >= 0 else whole
        if op == "mul" and _is_quotient(node.args[0], node.args[1]) and left[0] >= 0 and right[0] >= 0:
            return 0, self.of(node.args[0].args[0], depth)[1]
        if op in SHIFTS and right[0] == right[1]:  # amounts are taken modulo the width
            right = right[0] % ty.bits, right[0] % ty.bits
        return rule(left, right) or whole

    def numbers(self, node: Node, depth: int = 0) -> tuple[float, float, bool]:
        """The least and the greatest number that a node of floats can be, and whether it may be NaN."""
        if node not in self._floats:
            self._floats[node] = _ANY_NUMBER if depth > _DEPTH else self._numbers(node, depth + 1)
        return self._floats[node]

    def _numbers(self, node: Node, depth: int) -> tuple[float, float, bool]:
        op, ty = node.op, node.ty
        assert isinstance(ty, Type)
        if node.is_const:
            ends = [float(ty.decode(node.attr))]
        elif op == "cvt" and node.attr.is_integer and not node.attr.is_wide:
            ends = [float(end) for end in self.of(node.args[0], depth)]
        elif op in CHOICES or op in MODULAR:
            (*one, nan), (*other, too) = (self.numbers(arg, depth) for arg in node.args[-2:])
            low, high = (OPERATIONS[op].range or _either)(one, other) or _ANY_NUMBER[:2]
            if op in CHOICES:
                return low, high, nan or too
            if nan or too or max(map(abs, (*one, *other))) > _EXACT:
                return _ANY_NUMBER
            ends = [low, high]
        else:
            return _ANY_NUMBER
        ends = [float(ty.decode(ty.encode(end))) for end in ends]  # roundings are in order
        return (ends[0], ends[-1], False) if ends[0] == ends[0] else _ANY_NUMBER


def _either(a: list[float], b: list[float]) -> tuple[float, float]:
    return min(a[0], b[0]), max(a[1], b[1])


@cache
def _whole(ty: Type) -> Extremes:
    return int(ty.min_value), int(ty.max_value)


def _is_quotient(node: Node, divisor: Node) -> bool:
    return node.op == "div" and node.args[1] is divisor


def remainder_of(node: Node) -> tuple[Node, Node] | None:
    """a and b, if a node is a - a / b * b of integers: the remainder beside a quotient (`passes/strength.py`)."""
    if node.op != "sub" or node.args[1].op != "mul":
        return None
    a, (quotient, b) = node.args[0], node.args[1].args
    matches = _is_quotient(quotient, b) and quotient.args[0] is a and isinstance(a.ty, Type) and a.ty.is_integer
    return (a, b) if matches else None


def may_trap(node: Node, ranges: Ranges) -> bool:
    """Whether a pure node has to stay behind its guard: an integer division whose divisor may be zero."""
    if not OPERATIONS[node.op].traps or not isinstance(node.ty, Type) or node.ty.is_float:
        return False
    low, high = ranges.of(node.args[1])
    return low <= 0 <= high
