"""Values of packets that are computed for all parts together: other widths, quotients, calls, and what vectors lack."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...compiler.ir import PRED, Node, ValueType
from ...compiler.operations import COMPARISONS, DIVISIONS, SHIFTS
from ...isa.types import Type

if TYPE_CHECKING:
    from .vectors import Vectors

__all__ = ["EVEN", "HIGH", "INTEGERS", "LOWS", "Wholes", "lanes_of"]

EVEN = bytes(byte for word in range(4) for byte in range(8 * word, 8 * word + 4))  # the lower halves of eight words
# Halves as the upper ones of words: the first four of a vector behind zeros, and the last four.
UPPER = [bytes(lane for k in range(first, first + 8, 2) for lane in (0, 0, 16 + k, 17 + k)) for first in (0, 8)]
HALVES = ("f16_to_f32", "bf16_to_f32")
LOWS = bytes([*range(8), *range(16, 24)])  # the lower half of each
HIGH = bytes([*range(8, 16), *range(8, 16)])
INTEGERS = {8: "i8x16", 16: "i16x8", 32: "i32x4", 64: "i64x2"}
_EXACT = 1 << 24  # F32 has all whole numbers below
_FLOATS = {32: "f32x4", 64: "f64x2"}


def lanes_of(ty: ValueType) -> str:
    """The shape of a vector of a type, such as f32x4."""
    assert isinstance(ty, Type)
    return (_FLOATS if ty.is_float else INTEGERS)[ty.bits]


class HeldValues:
    """What is computed for one statement: values in locals that are free again behind it, as a context."""

    __slots__ = ("_nodes", "_outer", "_vectors")

    def __init__(self, vectors: Vectors, nodes: tuple[Node, ...]) -> None:
        self._vectors, self._nodes, self._outer = vectors, nodes, vectors.held

    def __enter__(self) -> None:
        vectors = self._vectors
        vectors.held = dict(self._outer)
        for node in self._nodes:
            vectors.prepare(node)

    def __exit__(self, *raised: object) -> None:
        vectors, outer = self._vectors, self._outer
        if len(vectors.held) > len(outer):
            before = set(map(id, outer.values()))
            for locals_ in vectors.held.values():
                if id(locals_) not in before:
                    vectors.release(locals_)
        vectors.held = outer


class Wholes:
    """Computes all parts of a value together, into locals."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors, self.put = vectors, vectors.put

    def of(self, node: Node) -> Callable[[Node], list[int]] | None:
        """How a value is computed that takes more than the parts of its operands."""
        op, ty, far = node.op, node.ty, self.vectors.wide_lanes
        if far is not None and isinstance(node.attr, Type) and node.attr.is_wide:
            return far.made
        if op == "call":
            return self._of_halves if node.attr in HALVES else self._call
        if op == "call_if":
            return self._call_if
        if op in COMPARISONS and self.vectors.compared_bits(node) != self.vectors.bits(PRED) and self._is_nested(node):
            return self._once
        if not isinstance(ty, Type):
            return None
        if op in DIVISIONS and ty.is_integer:
            return self._divided if ty.bits == 32 else self._by_lanes
        if op in ("clz", "ctz", "inverse", "rem") or (op in SHIFTS and self.vectors.forms.of(node.args[1]) != 0):
            return self._by_lanes
        if op == "popcount" and node.attr.bits == 64:
            return self._by_lanes
        if op == "cvt":
            src: Type = node.attr
            mixed = src.is_float != ty.is_float
            if mixed and 64 in (ty.bits if ty.is_integer else 0, src.bits if src.is_integer else 0):
                return self._from_long if src.is_integer and self._is_short(node.args[0]) else self._by_lanes
            if ty.bits != src.bits:
                return self._converted
        return None

    def _is_nested(self, node: Node) -> bool:
        """Whether a value chooses by a comparison in it. Where their bits differ, each part of one needs several of the
        other: in nests of them code would grow with the power of their depth."""
        if node in self.vectors.variables or node in self.vectors.held or not self.vectors.is_vector(node):
            return False
        return any(arg.ty == PRED or self._is_nested(arg) for arg in node.args)

    def _once(self, node: Node) -> list[int]:
        found = [self.vectors.fresh()]
        self.vectors.mask(node, self.vectors.bits(PRED), 0)
        self.put(("local.set", found[0]))
        return found

    def _is_short(self, node: Node) -> bool:
        low, high = self.vectors.ranges.of(node)
        return low >= -(1 << 31) and high < 1 << 31

    def _results(self, ty: ValueType) -> list[int]:
        return [self.vectors.fresh() for _ in range(self.vectors.parts(ty))]

    def _converted(self, node: Node) -> list[int]:
        self.vectors.parked(node.args[0])
        found = self._results(node.ty)
        for part, local in enumerate(found):
            assert isinstance(node.ty, Type)
            self.vectors.convert_part(node, node.ty, node.attr, part)
            self.put(("local.set", local))
        return found

    def _from_long(self, node: Node) -> list[int]:
        """A float of a longer integer that is known to be short."""
        assert isinstance(node.ty, Type)
        short = Node("cvt", Type.I32, node.args, node.attr)
        halves = [self.vectors.fresh() for _ in range(self.vectors.parts(Type.I32))]
        for part, local in enumerate(halves):
            self.vectors.low_part(node.args[0], part)
            self.put(("local.set", local))
        self.vectors.held[short] = halves
        found = self._results(node.ty)
        for part, local in enumerate(found):
            self.vectors.convert_part(Node("cvt", node.ty, (short,), Type.I32), node.ty, Type.I32, part)
            self.put(("local.set", local))
        return found

    def _divided(self, node: Node) -> list[int]:
        """Quotients of 32 bits, which those of F64 cut off are exactly, and those of F32 of numbers of 24 bits: no
        fraction is so close to the next number that it is rounded to it. Divisors of zero are of lanes that are off."""
        ty = node.ty
        assert isinstance(ty, Type)
        sign = "s" if ty.is_signed else "u"
        a, b = (self.vectors.parked(arg) for arg in node.args)
        found = self._results(ty)
        (lowest, most), (low, high) = (self.vectors.ranges.of(arg) for arg in node.args)
        short = max(-lowest, most, -low, high) < _EXACT
        for x, y, local in zip(a, b, found, strict=True):
            for operand, arg in zip((x, y), node.args, strict=True) if short else ():
                if arg.is_const:
                    self.vectors.numbers(Type.F32, [Type.F32.encode(Type.I32.decode(arg.attr))] * 4)
                else:
                    self.put(("local.get", operand), ("f32x4.convert_i32x4_s",))
            for half in (False, True) if not short else ():
                for operand in (x, y):
                    self.put(("local.get", operand))
                    if half:
                        self.put(("local.get", operand), ("i8x16.shuffle", HIGH))
                    self.put((f"f64x2.convert_low_i32x4_{sign}",))
                self.put(("f64x2.div",), (f"i32x4.trunc_sat_f64x2_{sign}_zero",))
            self.put(*([("f32x4.div",), ("i32x4.trunc_sat_f32x4_s",)] if short else [("i8x16.shuffle", LOWS)]))
            self.put(("local.set", local))
            if ty.is_signed and lowest <= ty.min_value and low <= -1 <= high:  # the lowest number by -1 wraps
                self.put(("local.get", x), ("i32x4.neg",), ("local.get", local), ("local.get", y))
                self.vectors.numbers(ty, [-1] * 4)
                self.put(("i32x4.eq",), ("v128.bitselect",), ("local.set", local))
            if node.op == "rem":
                self.put(("local.get", x), ("local.get", local), ("local.get", y), ("i32x4.mul",), ("i32x4.sub",))
                self.put(("local.set", local))
        bits = self.vectors.held_bits(node)
        return found if bits == 32 else self._cut(node, found, bits)

    def _cut(self, node: Node, whole: list[int], bits: int) -> list[int]:
        """The vectors of a value that fits into fewer bits."""
        vectors, found = self.vectors, list[int]()
        for part in range(vectors.width * bits // 128):
            found.append(vectors.fresh())
            sign = vectors.widths.sign(node)
            vectors.narrow.joined(lambda number: self.put(("local.get", whole[number])), 32, bits, part, sign)
            self.put(("local.set", found[-1]))
        vectors.release(whole)
        return found

    def _by_lanes(self, node: Node) -> list[int]:
        """Lane after lane, in scalar instructions."""
        ty, parks = node.ty, [self.vectors.parked(arg) if self.vectors.forms.of(arg) != 0 else [] for arg in node.args]
        assert isinstance(ty, Type)
        found, safe = self._results(ty), dict[int, int]()
        if node.op in DIVISIONS and ty.is_integer and parks[1]:  # 1 for 0, of lanes that are off
            for local in parks[1]:
                safe[local] = self.vectors.fresh()
                self.put(("local.get", local), ("local.get", local), ("v128.const", bytes(16)))
                self.put((f"{lanes_of(ty)}.eq",), (f"{lanes_of(ty)}.sub",), ("local.set", safe[local]))
        for lane in range(self.vectors.width):
            part, place = divmod(lane, 128 // ty.bits)
            if place:
                self.put(("local.get", found[part]))
            args = []
            for arg, locals_ in zip(node.args, parks, strict=True):
                if locals_:
                    its, at = divmod(lane, 128 // self.vectors.bits(arg.ty))
                    leaf = Node("param", arg.ty, (), "lane")
                    vector = safe.get(locals_[its], locals_[its])
                    self.vectors.lane_of[leaf] = [("local.get", vector), (f"{lanes_of(arg.ty)}.extract_lane", at)]
                    args.append(leaf)
                else:
                    args.append(arg)
            self.vectors.compute(Node(node.op, ty, tuple(args), node.attr))
            shape = lanes_of(ty)
            self.put((f"{shape}.replace_lane", place) if place else (f"{shape}.splat",), ("local.set", found[part]))
            self.vectors.lane_of.clear()
        self.vectors.release(safe.values())
        return found

    def _operand_parts(self, args: tuple[Node, ...]) -> None:
        for arg in args:
            for part in range(self.vectors.parts(arg.ty)):
                self.vectors.part(arg, part)

    def _call(self, node: Node) -> list[int]:
        self._operand_parts(node.args)
        self.put(("call", self.vectors.routine(f"{node.attr}x{self.vectors.width}")))
        found = self._results(node.ty)
        self.put(*(("local.set", local) for local in reversed(found)))
        return found

    def _of_halves(self, node: Node) -> list[int]:
        """F32 of halves. Those of F16 are a 2**112th as bits of F32, but infinities and NaN, and products with it take
        8 ns an element where halves are subnormal (1 else): packets that have some call the function. Their bits
        moved up by one, as numbers with a sign, are the ones next to zero."""
        vectors, put = self.vectors, self.put
        bits = 16 if vectors.width > 4 else 32
        shape, halves, found = INTEGERS[bits], list[int](), self._results(node.ty)
        for part in range(vectors.width * bits // 128):
            vectors.part(node.args[0], part, bits)
            halves.append(vectors.fresh())
            put(("local.set", halves[-1]))
        if node.attr == "f16_to_f32":
            for place, local in enumerate(halves):
                put(("local.get", local), ("i32.const", bits - 15), (f"{shape}.shl",), (f"{shape}.abs",))
                vectors.numbers(Type.I32, [-1] * (128 // bits), bits)
                put((f"{shape}.add",), *([(f"{shape}.min_u",)] if place else []))
            vectors.numbers(Type.I32, [-1 << bits - 5] * (128 // bits), bits)
            put(("v128.and",), (f"{shape}.all_true",), ("if", None))
        for part, local in enumerate(found):
            if bits == 16:
                put(("v128.const", bytes(16)), ("local.get", halves[part // 2]), ("i8x16.shuffle", UPPER[part % 2]))
            else:
                put(("local.get", halves[part]), ("i32.const", 16), ("i32x4.shl",))
            if node.attr == "f16_to_f32":
                put(("i32.const", 3), ("i32x4.shr_s",))
                vectors.numbers(Type.U32, [0x8FFFFFFF] * 4)
                put(("v128.and",))
                vectors.numbers(Type.F32, [Type.F32.encode(2.0**112)] * 4)
                put(("f32x4.mul",))
            put(("local.set", local))
        if node.attr == "f16_to_f32":
            put(("else",))
            for part in range(len(found)):
                vectors.resized(lambda at: put(("local.get", halves[at])), bits, 32, part, "u")
            put(("call", vectors.routine(f"{node.attr}x{vectors.width}")))
            put(*(("local.set", local) for local in reversed(found)), ("end",))
        vectors.release(halves)
        return found

    def _call_if(self, node: Node) -> list[int]:
        """Called if any lane wants it; others, and lanes that are off, have what they have without."""
        condition, otherwise, *operands = node.args
        found = self._results(node.ty)
        mask = self.vectors.parked(condition)
        for part, local in enumerate(found):
            self.vectors.part(otherwise, part)
            self.put(("local.set", local))
        self.put(("local.get", mask[0]), ("v128.any_true",), ("if", None))
        self._operand_parts(tuple(operands))
        self.put(("call", self.vectors.routine(f"{node.attr}x{self.vectors.width}")))
        for part, local in reversed([*enumerate(found)]):
            self.put(("local.get", local))
            self.vectors.mask(condition, self.vectors.bits(node.ty), part)
            self.put(("v128.bitselect",), ("local.set", local))
        self.put(("end",))
        return found
