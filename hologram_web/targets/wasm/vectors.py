"""Expressions of packets: from IR values to vector instructions.

A value of a packet of W lanes is held in W * bits / 128 vectors, its parts; the masks that predicates are have as many
bits for each lane as fit into one vector, and are made wider or narrower where they choose. What is the same for all
lanes is a scalar until a vector meets it, and of what grows from lane to lane the scalar is that of the first one.
Instructions that vectors lack are done lane by lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from ...compiler.ir import PRED, Node, ValueType
from ...compiler.operations import ADDS, BITWISE, CLAMPS, COMPARISONS, LEAVES, MODULAR, SHIFTS
from ...compiler.out_of_ssa import Under, Variable
from ...compiler.ranges import Ranges
from ...compiler.shapes import ANY, Stride
from ...isa.types import Type
from .encoder import FunctionBody, Instr
from .extremes import VectorExtremes, choice_of
from .narrow import WORDS, NarrowParts, Widths
from .values import Values
from .wholes import EVEN, HIGH, INTEGERS, LOWS, HeldValues, Wholes, lanes_of

if TYPE_CHECKING:
    from .packet_wide import WideLanes
    from .routines import Routines

__all__ = ["HowHeld", "Vectors"]

_FLOATS = {
    **{op: op for op in ("add", "sub", "mul", "div", "min", "max", "sqrt", "floor", "ceil", "trunc", "abs", "neg")},
    "round": "nearest",
}


class HowHeld(Protocol):
    """Says of values, and of variables, how they are held: 0, a step, or ANY."""

    variables: dict[Variable, Stride]

    def of(self, node: Node) -> Stride: ...


class Vectors(Values):
    """Appends the instructions that compute values of packets. `leaf_part` pushes a part of a leaf that is a vector."""

    def __init__(
        self,
        function: FunctionBody,
        variables: dict[Node, Variable],
        leaf: Callable[[Node], None],
        routine: Routines,
        ranges: Ranges,
        forms: HowHeld,
        width: int,
        leaf_part: Callable[[Node, int], None] | None = None,
    ) -> None:
        super().__init__(function, variables, self._leaf_or_lane, routine, ranges)
        self.outer_leaf, self.forms, self.width, self.leaf_part = leaf, forms, width, leaf_part
        self.routines, self.constant = routine, routine.module.constant
        self.fuses = routine.fuses  # whether a product and a sum may be rounded once, by relaxed instructions
        self.wholes, self.extremes = Wholes(self), VectorExtremes(self)
        self.held: dict[Node, list[int]] = {}  # what has been computed for the statement at hand
        self.vectors: dict[Variable, list[int]] = {}
        self.splats: dict[Variable, int] = {}  # numbers that are there as vectors, too
        self._node_of = {variable: node for node, variable in variables.items()}
        self.widths = Widths(ranges, forms.of, frozenset(variables), width)
        self.narrow = NarrowParts(self, self.widths)
        if width > 4:
            self.widths.settle(node for node in variables if node.op == "phi")
        self.lane_of: dict[Node, list[Instr]] = {}  # what pushes a leaf that is one lane's
        # The local of a vector that is made of a number before a loop over packets, if it can be.
        self.ahead: Callable[[object, Node, Callable[[], None]], int | None] = lambda key, number, push: None
        self.wide_lanes: WideLanes | None = None
        self.places: dict[str, int] = {}  # of parameters in the argument block

    # How values are held

    def bits(self, ty: ValueType) -> int:
        """Bits of a lane."""
        return ty.bits if isinstance(ty, Type) else 128 // self.width

    def parts(self, ty: ValueType) -> int:
        return self.width * self.bits(ty) // 128

    def held_bits(self, node: Node) -> int:
        """Bits of a lane that a value is held in: of integers of 32 fewer, if they are enough for its range and for
        those of what it is made of, and there are lanes to fill vectors with."""
        return self.bits(node.ty) if node.ty not in WORDS or self.width == 4 else self.widths.held(node)

    def kept_bits(self, variable: Variable) -> int:
        """Bits of a lane of a variable."""
        node = self._node_of.get(variable)
        return self.bits(variable.ty) if node is None else self.held_bits(node)

    def is_vector(self, node: Node) -> bool:
        return self.forms.of(node) == ANY

    def differs(self, variable: Variable) -> bool:
        """Whether a variable is a vector; those of masks are."""
        return self.forms.variables.get(variable, ANY) == ANY

    def locals(self, variable: Variable) -> list[int]:
        """The locals of a variable that is a vector."""
        if variable not in self.vectors:
            parts = self.width * self.kept_bits(variable) // 128
            self.vectors[variable] = [self.function.local("v128") for _ in range(parts)]
        return self.vectors[variable]

    def _leaf_or_lane(self, node: Node) -> None:
        if node in self.lane_of:
            self.put(*self.lane_of[node])
        else:
            self.outer_leaf(node)

    def statement(self, *nodes: Node) -> HeldValues:
        """Computes first what these values need in locals."""
        return HeldValues(self, nodes)

    def prepare(self, node: Node) -> None:
        """Computes what is in a value and takes more than the parts of its operands one by one."""
        if node in self.held or node in self.variables or node.op in LEAVES or not self.is_vector(node):
            return
        for arg in node.args:
            self.prepare(arg)
            if self.width > 4:
                self.park_short(arg, self.compared_bits(node) if node.op in COMPARISONS else self.held_bits(node))
        make = self.wholes.of(node)
        if make is not None:
            self.held[node] = make(node)

    def park_short(self, node: Node, bits: int) -> None:
        """Puts the parts of a value that is computed in fewer bits than it is wanted in into locals: each of them
        becomes several."""
        if node.ty not in WORDS or node in self.held or node in self.variables or not self.is_vector(node):
            return
        own = self.held_bits(node)
        if own < bits and node.op not in LEAVES:
            self._park(node, own)

    def _park(self, node: Node, bits: int) -> list[int]:
        found = []
        for part in range(self.width * bits // 128):
            self.part(node, part, bits)
            found.append(self.fresh())
            self.put(("local.set", found[-1]))
        self.held[node] = found
        return found

    def parked(self, node: Node) -> list[int]:
        """Locals with the parts of a value."""
        bits, held = self.bits(node.ty), self.held.get(node, [])
        if len(held) == self.parts(node.ty):
            return held
        variable = self.variables.get(node)
        if variable is not None and self.is_vector(node) and self.kept_bits(variable) == bits:
            return self.locals(variable)
        found = self._park(node, bits)
        self.release(held)
        return found

    def fresh(self) -> int:
        free = self._free.setdefault("v128", [])
        return free.pop() if free else self.function.local("v128")

    def release(self, locals_: Iterable[int]) -> None:
        self._free.setdefault("v128", []).extend(locals_)

    def let(self, variable: Variable, value: Node, kept: Callable[[int], None] | None = None) -> None:
        """Sets a variable; `kept` may change a part on the stack before it is."""
        with self.statement(*value.args):
            name = self.variables.pop(value)
            make = self.wholes.of(value) if self.is_vector(value) else None
            if make is not None:
                self.held[value] = make(value)
            for part, local in enumerate(self.locals(variable)):
                self.part(value, part, self.kept_bits(variable))
                if kept is not None:
                    kept(part)
                self.put(("local.set", local))
            self.variables[value] = name

    def keep(self, variable: Variable, part: int, under: Under) -> None:
        """Lets the part of a variable that is on the stack be the old one in lanes that are off, if they want it."""
        if under.mask is not None and variable in under.blend:
            self.push(("local.get", self.locals(variable)[part]))
            self.mask(under.mask, self.kept_bits(variable), part)
            self.put(("v128.bitselect",))

    # Parts

    def part(self, node: Node, part: int, bits: int | None = None) -> None:
        """Pushes a part of a value, in so many bits a lane, or as many as its type has."""
        if node.ty == PRED:
            self.mask(node, self.bits(PRED), part)
            return
        assert isinstance(node.ty, Type)
        whole = node.ty.bits
        bits = whole if bits is None else bits
        held = self.held.get(node)
        if held is None and (step := self.forms.of(node)) != ANY:
            assert isinstance(step, int)
            self._spread(node, step, part, bits)
            return
        variable = None if held is not None else self.variables.get(node)
        if held is not None:
            own = 128 * len(held) // self.width
        elif variable is not None:
            own = self.kept_bits(variable)
        else:
            own = self.widths.at(node, bits) if node.ty in WORDS and self.width > 4 else whole
        if own < bits:
            self.resized(lambda p: self.part(node, p, own), own, bits, part, self.widths.sign(node))
        elif own > bits:
            self.narrow.cut(node, own, bits, part)
        elif held is not None:
            self.push(("local.get", held[part]))
        elif variable is not None:
            self.push(("local.get", self.locals(variable)[part]))
        elif own < whole:
            self.narrow.part(node, part, own)
        elif node.op in LEAVES:
            assert self.leaf_part is not None
            self.leaf_part(node, part)
        else:
            self._part(node, part)

    def numbers(self, ty: ValueType, values: list[int], bits: int = 0) -> None:
        """Pushes a vector of these bit patterns, in lanes of a type or of so many bits."""
        size = (bits or self.bits(ty)) // 8
        most = (1 << 8 * size) - 1
        self.put(self.constant(b"".join([(value & most).to_bytes(size, "little") for value in values])))

    def steps(self, ty: ValueType, step: int, part: int, bits: int = 0) -> None:
        """Pushes 0, step, 2 * step ... of the lanes of a part."""
        count = 128 // (bits or self.bits(ty))
        self.numbers(ty, [step * lane for lane in range(part * count, (part + 1) * count)], bits)

    def _spread(self, node: Node, step: int, part: int, bits: int) -> None:
        """Pushes what one number says of all lanes."""
        assert isinstance(node.ty, Type)
        if node.is_const:
            self.numbers(node.ty, [int(node.attr)] * (128 // bits), bits)
            return
        short = bits < node.ty.bits
        splat = self.splats.get(self.variables[node]) if node in self.variables and not short else None
        if splat is not None:
            self.push(("local.get", splat))
            return
        shape = INTEGERS[bits] if short else lanes_of(node.ty)
        key, push = (
            (node, bits) if short else node,
            lambda: self._splat(node, shape) if short else self._splat_ahead(node),
        )
        if not step and (local := self.ahead(key, node, push)) is not None:
            self.push(("local.get", local))
            return
        self._splat(node, shape)
        if step:
            self.steps(node.ty, step, part, bits)
            self.put((f"{shape}.add",))

    def _splat_ahead(self, node: Node) -> None:
        """Pushes a number for all lanes, before a loop. Parameters are loaded again: vectors of what is known when the
        kernel begins are made there by Cranelift, and kept on the stack (nine operations took 1.2 times as long)."""
        bits, place = self.bits(node.ty), self.places.get(node.attr) if node.op == "param" else None
        if place is None or bits < 32:
            self._splat(node, lanes_of(node.ty))
        else:
            self.put(("local.get", 0), (f"v128.load{bits}_splat", bits // 32 + 1, place))

    def _splat(self, node: Node, shape: str) -> None:
        self.value(node)
        self.push((f"{shape}.splat",))

    def _parts_of(self, node: Node, part: int) -> None:
        for arg in node.args:
            self.part(arg, part)

    def _part(self, node: Node, part: int) -> None:
        op, ty = node.op, node.ty
        assert isinstance(ty, Type)
        shape = lanes_of(ty)
        if op == "select" and (beyond := choice_of(node)) is not None and self.is_vector(node):
            for arg in beyond[1:]:
                self.part(arg, part)
            self.put((f"{shape}.{beyond[0]}",))
        elif op == "select" and self.is_vector(node.args[0]) and node.args[1].is_const and not node.args[1].attr:
            self.part(node.args[2], part)
            self.mask(node.args[0], ty.bits, part)
            self.put(("v128.andnot",))  # of zero or another, which takes V8 three instructions otherwise
        elif op == "select":
            self.part(node.args[1], part)
            self.part(node.args[2], part)
            if self.is_vector(node.args[0]):
                self.mask(node.args[0], ty.bits, part)
                self.put(("v128.bitselect",))
            else:
                self.value(node.args[0])
                self.put(("select",))
        elif op == "bitcast":
            self._parts_of(node, part)
        elif op == "cvt":
            self.convert_part(node, ty, node.attr, part)
        elif op in CLAMPS:
            self.extremes.part(node, part)
        elif ty.is_float:
            self._float_part(node, shape, part)
        elif op == "mul" and ty.bits == 32 and self._has_short_factors(node):
            for arg in node.args:
                self.part(arg, part // 2, 16)
            self.put((f"i32x4.extmul_{'high' if part % 2 else 'low'}_i16x8_{self.widths.sign(*node.args)}",))
        elif op in MODULAR:
            self._parts_of(node, part)
            self.push((f"{shape}.{op}",))
        elif op in BITWISE:
            self._parts_of(node, part)
            self.push((f"v128.{op}",))
        elif op == "neg" or (op == "abs" and ty.is_signed):
            self._parts_of(node, part)
            self.push((f"{shape}.{op}",))
        elif op == "abs":
            self._parts_of(node, part)
        elif op in SHIFTS:
            self.shifted(node, ty.bits, part, "s" if ty.is_signed else "u")
        elif op == "extend":
            self._parts_of(node, part)
            self.put(("i32.const", 32 - node.attr.bits), ("i32x4.shl",))
            self.put(("i32.const", 32 - node.attr.bits), ("i32x4.shr_s",))
        elif op == "dot":
            self._parts_of(node, part)
            self.put(("i32x4.dot_i16x8_s",))
        elif op == "popcount":
            self._parts_of(node, part)
            self.put(("i8x16.popcnt",), ("i16x8.extadd_pairwise_i8x16_u",), ("i32x4.extadd_pairwise_i16x8_u",))
        else:
            raise AssertionError(f"packets have no {op} on {ty}")

    def _has_short_factors(self, node: Node) -> bool:
        """Whether the factors are there in 16 bits, so that nobody needs to make them longer first."""
        return self.width > 4 and self.widths.compared(*node.args) == 16

    def shifted(self, node: Node, bits: int, part: int, sign: str) -> None:
        """Pushes a part of a value that is shifted in lanes of so many bits, with a sign or without."""
        shape, (x, amount) = INTEGERS[bits], node.args
        if node.op == "rotl":
            once, own = self.widths.rotated(node) or (x, 0)
            self.part(once if own == bits else x, part, bits)
            with self.temporary("v128") as given, self.temporary("i32") as left:
                self.put(("local.tee", given))
                self.value(amount)
                self.put(("local.tee", left), (f"{shape}.shl",), ("local.get", given), ("i32.const", 0))
                self.put(("local.get", left), ("i32.sub",), (f"{shape}.shr_u",), ("v128.or",))
            return
        self.part(x, part, bits)
        self.value(amount)
        self.put((f"{shape}.{node.op}" + ("" if node.op == "shl" else f"_{sign}"),))

    def _float_part(self, node: Node, shape: str, part: int) -> None:
        op = node.op
        if self.fuses and op in ADDS and (product := self._product(node)) is not None:
            rest = node.args[1 - node.args.index(product)]
            for value in (*product.args, rest):
                self.part(value, part)
            self.routines.relaxes = True
            self.put((f"{shape}.relaxed_{'madd' if op == 'add' else 'nmadd'}",))
            return
        self._parts_of(node, part)
        self.push((f"{shape}.{_FLOATS[op]}",))

    def _product(self, node: Node) -> Node | None:
        """The product that is a term of a sum, or what is subtracted, and computed for this only."""
        for term in node.args[::-1] if node.op == "add" else node.args[1:]:
            if term.op == "mul" and term not in self.variables and term not in self.held and self.is_vector(term):
                return term
        return None

    # Masks

    def mask(self, node: Node, bits: int, part: int) -> None:
        """Pushes a part of a predicate, with so many bits a lane."""
        own = self.bits(PRED)
        variable = self.variables.get(node)
        if node in self.held:
            self.resized(lambda p: self.put(("local.get", self.held[node][p])), own, bits, part)
        elif node.is_const:
            self.put(("v128.const", (b"\xff" if node.attr else b"\0") * 16))
        elif not self.is_vector(node):
            self.put(("i32.const", 0))
            self.value(node)
            self.put(("i32.sub",), ("i32x4.splat",))
        elif variable is not None:
            mine = self.locals(variable)
            self.resized(lambda p: self.push(("local.get", mine[p])), own, bits, part)
        elif node.op in COMPARISONS:
            own = self.compared_bits(node)
            self.resized(lambda p: self._compared(node, p, own), own, bits, part)
        elif node.op == "pand":
            a, b = node.args if node.args[0].op != "pnot" else node.args[::-1]
            self.mask(a, bits, part)
            if b.op == "pnot" and b not in self.held and b not in self.variables:
                self.mask(b.args[0], bits, part)
                self.put(("v128.andnot",))
            else:
                self.mask(b, bits, part)
                self.push(("v128.and",))
        elif node.op == "por":
            for arg in node.args:
                self.mask(arg, bits, part)
            self.put(("v128.or",))
        elif node.op == "pnot":
            self.mask(node.args[0], bits, part)
            self.put(("v128.not",))
        else:
            assert node.op == "select", node.op
            for arg in (*node.args[1:], node.args[0]):
                self.mask(arg, bits, part)
            self.put(("v128.bitselect",))

    def compared_bits(self, node: Node) -> int:
        """Bits of a lane that a comparison is done in."""
        ty: Type = node.attr
        return ty.bits if self.width == 4 or ty not in WORDS else self.widths.compared(*node.args)

    def resized(self, push: Callable[[int], None], own: int, bits: int, part: int, sign: str = "s") -> None:
        """Pushes a part of a mask of `own` bits a lane, which `push` pushes parts of, as one of so many bits. Numbers
        are made longer likewise."""
        if own > bits:
            self.resized(push, own, 2 * bits, 2 * part)
            self.resized(push, own, 2 * bits, 2 * part + 1)
            self.put(("i8x16.shuffle", EVEN) if bits == 32 else (f"{INTEGERS[bits]}.narrow_{INTEGERS[2 * bits]}_s",))
            return
        ratio = bits // own
        push(part // ratio)
        part %= ratio
        while own < bits:
            ratio //= 2
            half = "high" if part >= ratio else "low"
            self.put((f"{INTEGERS[2 * own]}.extend_{half}_{INTEGERS[own]}_{sign}",))
            part %= ratio
            own *= 2

    def _compared(self, node: Node, part: int, bits: int) -> None:
        ty: Type = node.attr
        a, b = node.args
        if bits < ty.bits:
            for arg in node.args:
                self.part(arg, part, bits)
            self.put((f"{INTEGERS[bits]}.{node.op}" + ("" if node.op == "eq" else f"_{self.widths.sign(*node.args)}"),))
        elif ty.is_float:
            self._parts_of(node, part)
            self.put((f"{lanes_of(ty)}.{node.op}",))
        elif node.op == "eq":
            self._parts_of(node, part)
            self.put((f"{lanes_of(ty)}.eq",))
        else:
            self.less(ty, (a, b), lambda place: self.part(node.args[place], part), node.op)

    def less(self, ty: Type, args: tuple[Node, Node], push: Callable[[int], None], op: str = "lt") -> None:
        """Pushes whether the first is less. Integers of 64 bits are compared as signed ones only. `push` pushes one of
        the two by its place."""
        sign = "s" if ty.is_signed else "u"
        if ty.bits == 64 and not ty.is_signed:
            sign = "s"
            if not all(self.ranges.of(arg)[1] < 1 << 63 for arg in args):
                for place in (0, 1):
                    push(place)
                    self.numbers(ty, [1 << 63] * 2)
                    self.put(("v128.xor",))
                self.put((f"i64x2.{op}_s",))
                return
        push(0)
        push(1)
        self.put((f"{lanes_of(ty)}.{op}_{sign}",))

    def any(self, mask: Node) -> None:
        """Pushes whether a mask has a lane."""
        with self.statement(mask):
            self.mask(mask, self.bits(PRED), 0)
        self.put(("v128.any_true",))

    def value(self, node: Node) -> None:
        if node.op == "any":
            self.any(node.args[0])
        else:
            super().value(node)

    # Conversions

    def convert_part(self, node: Node, dst: Type, src: Type, part: int) -> None:
        """Of values of the same width, or with operands in locals."""
        arg = node.args[0]
        if dst.bits == src.bits:
            self.part(arg, part)
            if src.is_integer and dst.is_float:
                self.put((f"f32x4.convert_i32x4_{'s' if src.is_signed else 'u'}",))
            elif src.is_float and dst.is_integer:
                self._truncated(dst.is_signed, *self.ranges.numbers(arg))
            return
        sign = "s" if (src if src.is_integer else dst).is_signed else "u"
        if dst.bits > src.bits:
            self.part(arg, part // 2)
            if dst.is_integer:
                self.put((f"i64x2.extend_{'high' if part % 2 else 'low'}_i32x4_{sign}",))
                return
            if part % 2:
                self.part(arg, part // 2)
                self.put(("i8x16.shuffle", HIGH))
            self.put(("f64x2.promote_low_f32x4" if src.is_float else f"f64x2.convert_low_i32x4_{sign}",))
            return
        for half in (0, 1):
            self.part(arg, 2 * part + half)
            if src.is_float:
                self.put(("f32x4.demote_f64x2_zero" if dst.is_float else f"i32x4.trunc_sat_f64x2_{sign}_zero",))
        self.put(("i8x16.shuffle", LOWS if src.is_float else EVEN))

    def _truncated(self, signed: bool, low: float, high: float, nan: bool) -> None:
        """Integers of F32 on the stack. Numbers with a sign take half of the time of those without."""
        short = max(-low, high) <= 1 << 30
        if short and not nan and (signed or low > -0.5):
            self.routines.relaxes = True
            self.put(("i32x4.relaxed_trunc_f32x4_s",))
        else:
            signed = signed or (low > -0.5 and high <= 1 << 30)
            self.put((f"i32x4.trunc_sat_f32x4_{'s' if signed else 'u'}",))

    def prepare_low(self, node: Node) -> None:
        """Computes first what `low_part` needs in locals."""
        if node in self.held or node in self.variables or not self.is_vector(node):
            return
        if node.op == "cvt" and node.attr.is_integer and not node.attr.is_wide:
            self.prepare_low(node.args[0]) if node.attr.bits == 64 else self.prepare(node.args[0])
        elif node.op in MODULAR and isinstance(node.ty, Type) and node.ty.bits == 64:
            for arg in node.args:
                self.prepare_low(arg)
        else:
            self.prepare(node)

    def low_part(self, node: Node, part: int) -> None:
        """Pushes the lower halves of integers of 64 bits, as far as they are the same of operands of 32."""
        if node not in self.held and node not in self.variables and self.is_vector(node):
            if node.op == "cvt" and node.attr.is_integer and not node.attr.is_wide:
                if node.attr.bits == 64:
                    self.low_part(node.args[0], part)
                else:
                    self.part(node.args[0], part)
                return
            if node.op in MODULAR and isinstance(node.ty, Type) and node.ty.bits == 64:
                self.low_part(node.args[0], part)
                self.low_part(node.args[1], part)
                self.put((f"i32x4.{node.op}",))
                return
        assert isinstance(node.ty, Type)
        if node.ty.bits <= 32:
            self.part(node, part)
            return
        step = self.forms.of(node)
        if step != ANY:
            assert isinstance(step, int)
            self.low(node)
            self.put(("i32x4.splat",))
            if step:
                self.steps(Type.U32, step, part)
                self.put(("i32x4.add",))
            return
        self.part(node, 2 * part)
        self.part(node, 2 * part + 1)
        self.put(("i8x16.shuffle", EVEN))
