"""Integers of 32 bits in lanes of fewer, where these are enough for them.

What lanes do to numbers of 8 and 16 bits is arithmetic of 32 that is cut back (`compiler/legalise.py`). Lower bits of
sums, products and shifts to the left follow from lower bits of operands, whatever is above them. What compares, cuts to
a side or shifts to the right takes all of its operands, and ranges say that they fit, all with a sign or all without.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING, NamedTuple

from ...compiler.ir import Node
from ...compiler.operations import ADDS, BITWISE, CHANGES, CLAMPS, DIVISIONS, LEAVES, MODULAR, SHIFTS, Extremes
from ...compiler.ranges import Ranges
from ...compiler.shapes import ANY, Stride
from ...isa.types import Type
from .wholes import INTEGERS

if TYPE_CHECKING:
    from .vectors import Vectors

__all__ = ["WORDS", "NarrowParts", "Widths"]

WORDS = frozenset({Type.I32, Type.U32})
_LOWER = MODULAR | BITWISE | {"neg", "extend"}  # of lower bits of all operands lower bits are made
_COPIES = {0x0101_0101: 8, 0x1_0001: 16}  # what makes of a number copies side by side, which are rotated
_RANGES = {
    **{(bits, "s"): (-1 << bits - 1, (1 << bits - 1) - 1) for bits in (8, 16)},
    **{(bits, "u"): (0, (1 << bits) - 1) for bits in (8, 16)},
}


class Limited(NamedTuple):
    """A number that is kept within all that so many bits hold, with a sign or without."""

    x: Node
    bits: int
    sign: str


class Widths:
    """In how many bits a lane integers of 32 are, in packets of so many lanes: at least as many as fill a vector.

    `form` says how a value is held, as a vector if it is ANY, and `named` are those that are kept, not computed where
    they are used.
    """

    def __init__(self, ranges: Ranges, form: Callable[[Node], Stride], named: Container[Node], width: int) -> None:
        self.ranges, self.form, self.named, self.least = ranges, form, named, 128 // width
        self._computed: dict[Node, int] = {}
        self._wide: set[Node] = set()

    def settle(self, phis: Iterable[Node]) -> None:
        """Finds the phis that are made of what needs more bits than they do. They are computed in 32, as cutting them
        in each round takes longer than what else is done to them."""
        short = [phi for phi in phis if phi.attr is not None and self.fit(phi) < 32]
        while wide := [phi for phi in short if any(self.lowest(arg) > self.held(phi) for arg in phi.args)]:
            self._wide.update(wide)
            self._computed.clear()
            short = [phi for phi in short if phi not in self._wide]

    def fit(self, *nodes: Node) -> int:
        """The bits that are enough for all values of these, with a sign if one may be negative."""
        ends = [*map(self.ranges.of, nodes)]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        bits = max(high.bit_length(), (~low).bit_length()) + 1 if low < 0 else high.bit_length()
        return 32 if bits > 16 else max(self.least, 8 if bits <= 8 else 16)

    def sign(self, *nodes: Node) -> str:
        """How lanes of fewer bits are read."""
        return "s" if any(self.ranges.of(node)[0] < 0 for node in nodes) else "u"

    def held(self, node: Node) -> int:
        """The bits that a value is kept in."""
        return max(self.computed(node), self.fit(node))

    def lowest(self, node: Node) -> int:
        """The fewest bits in which a value's lower bits are there, or computed."""
        return self.held(node) if node in self.named else self.computed(node)

    def compared(self, *nodes: Node) -> int:
        """The bits in which all that these are is there."""
        return max(self.fit(*nodes), *map(self.lowest, nodes))

    def at(self, node: Node, bits: int) -> int:
        """In how many bits to compute a value, of which so many are wanted: others are made of these."""
        computed = self.computed(node)
        held = max(computed, self.fit(node))
        return held if held <= bits else max(computed, bits)

    def computed(self, node: Node) -> int:
        """The fewest bits in which lower bits of a value follow from its operands."""
        found = self._computed.get(node)
        if found is None:
            self._computed[node] = 32
            found = self._computed[node] = self._of(node)
        return found

    def _of(self, node: Node) -> int:
        op, args = node.op, node.args
        if node.ty not in WORDS:
            return 32
        if self.form(node) != ANY:  # a number, and where it grows a vector of multiples besides
            return self.least
        if op == "load":
            return max(self.least, min(32, int(node.attr.element.bits)))
        if op == "phi":
            return 32 if node.attr is None or node in self._wide else self.fit(node)
        if op in LEAVES:
            return 32
        if op in CHANGES:
            short = isinstance(node.attr, Type) and node.attr.is_integer and node.attr.bits <= 32
            return self.lowest(args[0]) if short else 32
        if op == "select":
            return max(self.lowest(args[1]), self.lowest(args[2]))
        if op in CLAMPS and (limited := self.limited(node)) is not None:
            return max(limited.bits, self.least)
        if op == "shr" and (terms := self.averaged(node)) is not None:
            return self.compared(*terms)
        if op in SHIFTS:
            return self._shifted(node)
        if op in DIVISIONS:
            return self.fit(node) if self.fit(*args) < 32 else 32
        if op in CLAMPS or op == "abs":
            return self.compared(*args)
        if op == "popcount":
            return 32 if node.attr not in WORDS or self.sign(*args) == "s" else self.compared(*args)
        return max(16 if op == "mul" else 8, *map(self.lowest, args)) if op in _LOWER else 32

    def plain(self, node: Node, computed: bool = False) -> Node:
        """What a value is, behind cuts and changes of type that leave it as it is; not what is named, if it is not
        `computed` here."""
        while (computed or node not in self.named) and node.ty in WORDS:
            computed = False
            if node.op == "and" and node.args[1].is_const and not (mask := int(node.args[1].attr)) & mask + 1:
                low, high = 0, mask
            elif node.op == "extend" or (node.op in CHANGES and node.attr in WORDS):
                ty = node.attr if node.op == "extend" else node.ty
                low, high = int(ty.min_value), int(ty.max_value)
            else:
                break
            least, most = self.ranges.of(node.args[0])
            if least < low or most > high:
                break
            node = node.args[0]
        return node

    def _shifted(self, node: Node) -> int:
        """Vectors shift by a number, modulo their lanes' bits."""
        x, amount = node.args
        if self.form(amount) != 0:
            return 32
        if node.op == "rotl":
            return 32 if (once := self.rotated(node)) is None else max(once[1], self.lowest(once[0]))
        most = self.ranges.of(amount)[1]
        bits = 8 if most < 8 else 16 if most < 16 else 32
        return max(bits, self.lowest(x) if node.op == "shl" else self.compared(x))

    def rotated(self, node: Node) -> tuple[Node, int] | None:
        """The number of fewer bits that is rotated, as copies of it are, and its bits."""
        copies = node.args[0]
        if copies.op != "mul" or not copies.args[1].is_const or copies in self.named:
            return None
        bits = _COPIES.get(copies.args[1].attr)
        # What a program multiplies so itself may have more bits, which come in below.
        return None if bits is None or not self._fits(copies.args[:1], _RANGES[bits, "u"]) else (copies.args[0], bits)

    def limited(self, node: Node) -> Limited | None:
        """What min and max keep within bits: a sum or a difference of numbers of these bits, or what was a float, for
        which instructions do it."""
        x, ends = node, dict[str, int]()
        while x.op in CLAMPS and x.op not in ends and x.args[1].is_const:
            assert isinstance(x.ty, Type)
            ends[x.op] = int(x.ty.decode(x.args[1].attr))
            x = self.plain(x.args[0])
            if x in self.named:
                return None
        found = next((each for each, (low, high) in _RANGES.items() if self._keeps(x, ends, low, high)), None)
        if found is None:
            return None
        bits, sign = found
        if x.op == "cvt":
            known = x.attr is Type.F32 and (x.ty is Type.I32 or sign == "u")
        else:
            known = x.op in ADDS and (x.ty is Type.I32 or x.op == "add") and self._fits(x.args, _RANGES[found])
            known = known and max(self.least, *map(self.lowest, x.args)) <= bits
        return Limited(x, bits, sign) if known else None

    def _fits(self, nodes: Iterable[Node], within: Extremes) -> bool:
        return all(within[0] <= low and high <= within[1] for low, high in map(self.ranges.of, nodes))

    def _keeps(self, x: Node, ends: dict[str, int], low: int, high: int) -> bool:
        """Whether these ends keep a number within a range, and no closer."""
        least, most = self.ranges.of(x)
        above = ends["max"] == low if "max" in ends else least >= low
        return bool(ends) and above and (ends["min"] == high if "min" in ends else most <= high)

    def averaged(self, node: Node) -> tuple[Node, Node] | None:
        """The two numbers without a sign of which a value is half of the sum, rounded up."""
        if not node.args[1].is_const or node.args[1].attr != 1 or node.args[0] in self.named:
            return None
        terms = [node.args[0]]
        for term in terms:
            terms += map(self.plain, term.args) if self._is_sum(term) else ()
        terms = [term for term in terms if not self._is_sum(term)]
        ones = [term for term in terms if term.is_const and term.attr == 1]
        others = [term for term in terms if term not in ones]
        if len(ones) != 1 or len(others) != 2 or self.sign(*others) == "s" or self.fit(*others) == 32:
            return None
        return others[0], others[1]

    def _is_sum(self, node: Node) -> bool:
        return node.op == "add" and node not in self.named


class NarrowParts:
    """Pushes parts of integers of 32 bits in lanes of fewer."""

    def __init__(self, values: Vectors, widths: Widths) -> None:
        self.values, self.widths, self.put = values, widths, values.put

    def part(self, node: Node, part: int, bits: int) -> None:
        """A part of a value that is computed in so many bits."""
        values, put, shape, op, args = self.values, self.put, INTEGERS[bits], node.op, node.args
        if op == "select":
            values.part(args[1], part, bits)
            values.part(args[2], part, bits)
            if values.is_vector(args[0]):
                values.mask(args[0], bits, part)
                put(("v128.bitselect",))
            else:
                values.value(args[0])
                put(("select",))
        elif op == "shr" and (terms := self.widths.averaged(node)) is not None:
            for term in terms:
                values.part(term, part, bits)
            put((f"{shape}.avgr_u",))
        elif op in CLAMPS and (limited := self.widths.limited(node)) is not None:
            self._limit(limited, part)
        elif op in SHIFTS:
            values.shifted(node, bits, part, self.widths.sign(args[0]))
        elif op in CHANGES or (op == "and" and args[1].is_const and not ~args[1].attr & (1 << bits) - 1):
            values.part(args[0], part, bits)
        elif (same := self.widths.plain(node, True)) is not node:
            values.part(same, part, bits)
        elif op == "extend":
            values.part(args[0], part, bits)
            if (above := bits - node.attr.bits) > 0:
                put(("i32.const", above), (f"{shape}.shl",), ("i32.const", above), (f"{shape}.shr_s",))
        else:
            for arg in args:
                values.part(arg, part, bits)
            if op == "popcount":
                put(("i8x16.popcnt",), *([("i16x8.extadd_pairwise_i8x16_u",)] if bits == 16 else []))
            elif op in BITWISE:
                put((f"v128.{op}",))
            elif op != "abs" or self.widths.sign(*args) == "s":
                put((f"{shape}.{op}" + (f"_{self.widths.sign(*args)}" if op in CLAMPS else ""),))

    def _limit(self, limited: Limited, part: int) -> None:
        """A part of what is kept within bits, in as many, or in 16. Floats become numbers with a sign, as all that are
        beyond those of 32 bits are beyond fewer, too."""
        x, bits, sign = limited
        if x.op != "cvt":
            for arg in x.args:
                self.values.part(arg, part, bits)
            self.put((f"{INTEGERS[bits]}.{x.op}_sat_{sign}",))
            return
        whole, own = Node("cvt", Type.I32, x.args, x.attr), max(bits, self.widths.least)
        self.joined(lambda number: self.values.part(whole, number, 32), 32, own, part, sign if own == bits else "s")
        for op, end in zip(("max", "min"), _RANGES[bits, sign] if own > bits else (), strict=False):
            self.values.numbers(x.ty, [end] * (128 // own), own)
            self.put((f"{INTEGERS[own]}.{op}_s",))

    def joined(self, push: Callable[[int], None], own: int, bits: int, part: int, sign: str) -> None:
        """A part in fewer bits of numbers of which `push` pushes parts in more, the nearest where they do not fit."""
        if bits == own:
            push(part)
            return
        for half in (2 * part, 2 * part + 1):
            self.joined(push, own, 2 * bits, half, sign if 2 * bits == own else "s")
        self.put((f"{INTEGERS[bits]}.narrow_{INTEGERS[2 * bits]}_{sign}",))

    def cut(self, node: Node, own: int, bits: int, part: int) -> None:
        """A part of a value that is there in more bits: all of it if it fits, or its lower bits."""
        fits = self.widths.fit(node) <= bits

        def push(number: int) -> None:
            self.values.part(node, number, own)
            if not fits:
                self.values.numbers(node.ty, [(1 << bits) - 1] * (128 // own), own)
                self.put(("v128.and",))

        self.joined(push, own, bits, part, self.widths.sign(node) if fits else "u")
