"""How lanes of packets end with faults: guards, and the checks of accesses.

A lane that faults leaves all masks, with all those behind it in its packet. Its status words are those of the lowest,
since lanes before it go on; at the end of the packet the kernel returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...compiler.accesses import Check, access_of, axes_of, beyond, checks_of
from ...compiler.bounds import limit_of
from ...compiler.ir import PRED, MemoryAccess, Node
from ...compiler.out_of_ssa import Under
from ...errors import FaultKind
from ...isa.address import Space
from ...isa.types import Type
from ...isa.verify import Base
from .code import FAULT_KINDS, LOCAL, Code
from .effects import Effects
from .encoder import FunctionBody, Instr
from .vectors import Vectors
from .wholes import lanes_of

__all__ = ["MASKS", "PacketFaults", "as_long", "byte_offset", "misaligned", "misaligns"]

MASKS = {4: Type.I32, 8: Type.I16, 16: Type.I8}  # integers of as many bits as masks have, by lanes of a packet
_LONG = Type.I64
_LOOKED, _MANY = 32, 6  # nodes behind an address that are looked at, and low zeros that are told apart


class PacketFaults:
    """Writes checks. `proven` is what needs none in what is written now, `likely` what needs none if `safe`, and
    `block_end` the depth of the construct that is left when no lane is."""

    def __init__(self, code: Code, values: Vectors, effects: Effects) -> None:
        self.code, self.values, self.effects = code, values, effects
        self.put, self.get, self.set, self.module, self.bases = code.put, code.get, code.set, code.module, code.bases
        self.width, self.forms, self.function = values.width, values.forms, code.function
        self.proven: set[Check] = code.repeated
        self.likely: set[Check] = set()
        self.safe: Instr = ("i32.const", 1)
        self.block_end = 0

    def guard(self, node: Node, under: Under) -> None:
        kind, at, number = node.attr
        base = next((base for base in self.bases if base.space is Space.PHI), None)
        values = [as_long(arg) for arg in node.args[1:]]
        if len(values) == 2:
            self.drop(node.args[0], under, FaultKind.OUT_OF_BOUNDS, at, None, values[0], values[1])
        elif values:
            of_phi = base if number <= 2 else None
            self.drop(node.args[0], under, kind, at, of_phi, values[0], other=number)
        else:
            self.drop(node.args[0], under, kind, at)

    def drop(
        self,
        bad: Node,
        under: Under,
        kind: FaultKind,
        at: int | Instr,
        base: Base | None = None,
        offset: Node | None = None,
        need: Node | None = None,
        other: int = 0,
        access: MemoryAccess | None = None,
    ) -> None:
        """Ends lanes of the mask for which a predicate holds, and those behind the first of them. At the offset begins
        what an `access` checks."""
        put, values = self.put, self.values
        assert under.mask is not None
        lanes = Node("pand", PRED, (under.mask, bad))
        with values.statement(lanes):
            if not values.is_vector(bad):
                values.value(bad)
                put(("if", None))
                mask = values.parked(under.mask)[0]
            else:
                mask = values.parked(lanes)[0]
                put(("local.get", mask), ("v128.any_true",), ("if", None))
            shape = lanes_of(MASKS[self.width])
            with values.temporary("i32") as lane:
                put(("local.get", mask), (f"{shape}.bitmask",), ("i32.ctz",), ("local.set", lane))
                first = None  # of elements that are checked together
                if access is not None and access.together > 1:
                    first = self.code.named("first beyond", "i64")
                    self._lane_of(offset, lane)
                    put(("local.set", first))
                    at = self.effects.first_beyond(access, first)
                self._place(kind, at, base)
                put(("i32.const", other))
                if first is None:
                    self._lane_of(offset, lane)
                else:
                    put(("local.get", first))
                self._lane_of(need, lane)
                put(("local.get", lane), ("call", self._end_routine()), self.set("live", "v128"))
            self._leave(under)
            put(("end",))

    def _place(self, kind: FaultKind, at: int | Instr, base: Base | None) -> None:
        """Pushes what the status words say of a fault, as far as it is the same in all lanes."""
        number = -1 if base is None else self.code.base_number(base)
        place = FAULT_KINDS.index(kind) + 1
        instruction: Instr = ("i32.const", at) if isinstance(at, int) else at
        self.put(("local.get", 0), ("i32.const", place), instruction, ("i32.const", number))
        self.code.lane_id()

    def _leave(self, under: Under) -> None:
        """Takes lanes that are not `live` from all masks."""
        assert under.mask is not None
        for variable in under.open:
            local = self.values.locals(variable)[0]
            self.put(("local.get", local), self.get("live", "v128"), ("v128.and",), ("local.set", local))
        self.values.any(under.mask)
        self.put(("i32.eqz",), ("br_if", self.code.depth - self.block_end))

    def _end_routine(self) -> int:
        """A function that stores its operands into the status words, for a lane of a packet, and gives the mask of the
        lanes before it."""
        name = f"end{self.width}"
        if name not in self.module.numbers:
            fault, lane = self.code.fault_routine(), ("local.get", 8)
            body = FunctionBody(name, ("i32",) * 6 + ("i64", "i64", "i32"), ("v128",))
            body.code += [("local.get", place) for place in range(5)]
            body.code += [lane, ("i32.add",), *(("local.get", place) for place in (5, 6, 7)), ("call", fault)]
            shape, size = lanes_of(MASKS[self.width]), 16 // self.width
            numbered = b"".join([place.to_bytes(size, "little") for place in range(self.width)])
            body.code += [lane, (f"{shape}.splat",), self.module.constant(numbered), (f"{shape}.gt_s",)]
            self.module.add(body)
        return self.module.numbers[name]

    def _beyond_routine(self) -> int:
        """A function that looks for the first lane of a mask whose offset is not below a limit, and ends lanes from it
        on; the offsets of lanes are some bytes apart. Gives the mask of those that stay, all if there is none. Where
        several elements are checked together it is told how large the memory is, and finds the first beyond it."""
        name = f"beyond{self.width}"
        if name not in self.module.numbers:
            end = self._end_routine()
            body = FunctionBody(name, ("i32",) * 6 + ("i64",) * 5 + ("v128",), ("v128",))
            offset, step, limit, need, size, mask = (("local.get", place) for place in range(6, 12))
            bits, lane, within = body.local("i32", "bits"), body.local("i32", "lane"), body.local("i64", "within")
            body.code += [mask, (f"{lanes_of(MASKS[self.width])}.bitmask",), ("local.set", bits), ("loop", None)]
            body.code += [offset, limit, ("i64.ge_u",), ("local.get", bits), ("i32.const", 1), ("i32.and",)]
            body.code += [("i32.and",), ("if", None)]
            # Elements of several that are in bounds before the first that is not.
            body.code += [("i64.const", 0), size, offset, ("i64.sub",), need, ("i64.ctz",), ("i64.shr_u",)]
            body.code += [offset, size, ("i64.gt_u",), ("select",), ("local.tee", within), ("i32.wrap_i64",)]
            body.code += [("local.get", 2), ("i32.add",), ("local.set", 2)]
            body.code += [("local.get", within), need, ("i64.mul",), offset, ("i64.add",), ("local.set", 6)]
            body.code += [*(("local.get", place) for place in range(7)), need]
            body.code += [("local.get", lane), ("call", end), ("return",), ("end",)]
            body.code += [offset, step, ("i64.add",), ("local.set", 6)]
            body.code += [("local.get", lane), ("i32.const", 1), ("i32.add",), ("local.set", lane)]
            body.code += [("local.get", bits), ("i32.const", 1), ("i32.shr_u",), ("local.tee", bits)]
            body.code += [("br_if", 0), ("end",), ("v128.const", b"\xff" * 16)]
            self.module.add(body)
        return self.module.numbers[name]

    def _lane_of(self, node: Node | None, lane: int) -> None:
        """Pushes what an I64 is in a lane; 0 if there is none."""
        if node is None:
            self.put(("i64.const", 0))
        elif self.values.forms.of(node) == 0:
            self.values.value(node)
        else:
            self.put(("local.get", lane), *(("local.get", local) for local in self.values.parked(node)))
            self.put(("call", self._pick_routine()))

    def _pick_routine(self) -> int:
        """A function that gives a lane of a packet of I64."""
        name = f"pick{self.width}"
        if name not in self.module.numbers:
            parts = self.width // 2
            body = FunctionBody(name, ("i32", *["v128"] * parts), ("i64",))
            body.code.append(("i64.const", 0))
            for lane in range(self.width):
                part, place = divmod(lane, 2)
                body.code += [("local.get", 1 + part), ("i64x2.extract_lane", place)]
                body.code += [("local.get", 0), ("i32.const", lane), ("i32.ne",), ("select",)]
            self.module.add(body)
        return self.module.numbers[name]

    def may_fault(self, node: Node) -> bool:
        return (
            node.op in ("guard", "reduce")
            or any(check not in self.proven for check in checks_of(node))
            or misaligns(node)
        )

    def checks(self, node: Node, access: MemoryAccess, under: Under) -> None:
        """Ends the lanes that are out of bounds."""
        self.axis_checks(node, under)
        self.memory_checks(node, access, under)

    def axis_checks(self, node: Node, under: Under) -> None:
        for number, (axis, place, length) in enumerate(axes_of(node)):
            if (node, number) in self.proven:
                continue
            with self._unless_safe((node, number)):
                at = as_long(place)
                if axis.offset:
                    at = Node("add", _LONG, (at, Node("const", _LONG, (), _LONG.encode(axis.offset))))
                off = beyond(axis, place, length)
                self.drop(off, under, FaultKind.OUT_OF_BOUNDS, axis.at, None, at, as_long(length))

    def memory_checks(self, node: Node, access: MemoryAccess, under: Under) -> None:
        if access.checked and node not in self.proven:
            with self._unless_safe(node):
                self._bounds_check(node, access, under)
        if misaligns(node):
            offset = byte_offset(node.args[0], access)
            self.drop(misaligned(offset, access), under, FaultKind.MISALIGNED_ACCESS, access.at, access.base, offset)

    @contextmanager
    def _unless_safe(self, check: Check) -> Iterator[None]:
        """Around checks that are needless in blocks where what is proven holds."""
        likely = check in self.likely
        if likely:
            self.put(self.safe, ("i32.eqz",), ("if", None))
        with self.values.statement():
            yield
        self.put(*([("end",)] if likely else []))

    def _bounds_check(self, node: Node, access: MemoryAccess, under: Under) -> None:
        size = access.element.size_bytes
        limit = limit_of(access)
        own = self.function.local_memory if access.base == LOCAL else 0
        step = self.forms.of(node.args[0])
        if isinstance(step, int) and step != 0:
            self._row_check(node, access, under, step * access.scale, own)
            return
        offset, values = byte_offset(node.args[0], access), self.values
        below = Node("lt", PRED, (offset, Node("const", _LONG, (), 0)), _LONG)
        bad = Node("por", PRED, (below, Node("le", PRED, (Node("special", _LONG, (), limit), offset), _LONG)), None)
        need = Node("const", _LONG, (), size)
        with values.statement(offset):
            if values.is_vector(offset):
                values.parked(offset)
            self.drop(bad, under, FaultKind.OUT_OF_BOUNDS, access.at, access.base, offset, need, own, access)

    def _row_check(self, node: Node, access: MemoryAccess, under: Under, step: int, own: int) -> None:
        """Of offsets so many bytes apart: the first lane and the last say it of those between."""
        put, limit = self.put, self.get(limit_of(access), "i64")
        assert under.mask is not None
        with self.values.temporary("i64") as first:
            self.effects.raw_offset(access, node.args[0])
            put(("local.tee", first), limit, ("i64.ge_u",))
            put(("local.get", first), ("i64.const", step * (self.width - 1)), ("i64.add",), limit, ("i64.ge_u",))
            put(("i32.or",), ("if", None))
            self._place(FaultKind.OUT_OF_BOUNDS, access.at, access.base)
            put(("i32.const", own), ("local.get", first), ("i64.const", step), limit)
            put(("i64.const", access.element.size_bytes))
            put(("i64.const", 0)) if access.together == 1 else self.code.size(access.base)
            with self.values.statement(under.mask):
                self.values.mask(under.mask, 128 // self.width, 0)
            put(("call", self._beyond_routine()), ("local.tee", self.code.named("live", "v128")))
            put(("i8x16.all_true",), ("i32.eqz",), ("if", None))
            self._leave(under)
            put(("end",), ("end",))

    def first_lanes(self, count: list[Instr]) -> None:
        """Pushes the mask of so many lanes."""
        put, shape = self.put, lanes_of(MASKS[self.width])
        with self.values.temporary("i32") as left:
            put(*count, ("local.tee", left), ("i32.const", self.width), ("local.get", left))
            put(("i32.const", self.width), ("i32.lt_s",), ("select",), (f"{shape}.splat",))
        self.values.steps(MASKS[self.width], 1, 0)
        put((f"{shape}.gt_s",))


def misaligns(node: Node) -> bool:
    access = access_of(node)
    if access is None:
        return False
    align = access.element.alignment
    if access.scale % align == 0 == access.offset % align:
        return False
    index = access.scale << _low_zeros(node.args[0], (), [_LOOKED])
    return bool(index % align or access.offset % align)


def _low_zeros(node: Node, phis: tuple[Node, ...], left: list[int]) -> int:
    """How many of the low bits of an integer are known to be 0; at most `left` nodes are looked at. What loops carry
    has those of its first value, as long as what a round makes of such a value has them, too: all operations keep
    the fewer of what they are given and of what they bring."""
    left[0] -= 1
    if left[0] < 0 or not (isinstance(node.ty, Type) and node.ty.is_integer):
        return 0
    if node.is_const:
        return (node.attr & -node.attr).bit_length() - 1 if node.attr else _MANY
    if node in phis:
        return _MANY
    args = node.args
    match node.op:
        case "phi" | "add" | "sub" | "or" | "xor":
            inner = (*phis, node) if node.op == "phi" else phis
            return min(_low_zeros(arg, inner, left) for arg in args)
        case "and":
            return max(_low_zeros(arg, phis, left) for arg in args)
        case "mul":
            return min(sum(_low_zeros(arg, phis, left) for arg in args), _MANY)
        case "shl" if args[1].is_const and 0 <= args[1].attr < node.ty.bits:
            return min(_low_zeros(args[0], phis, left) + int(args[1].attr), _MANY)
        case "cvt" if node.attr.is_integer:  # integers wrap
            return _low_zeros(args[0], phis, left)
        case "bitcast":
            return _low_zeros(args[0], phis, left)
    return 0


def misaligned(offset: Node, access: MemoryAccess) -> Node:
    rest = Node("and", _LONG, (offset, Node("const", _LONG, (), access.element.alignment - 1)))
    return Node("pnot", PRED, (Node("eq", PRED, (rest, Node("const", _LONG, (), 0)), _LONG),))


def as_long(node: Node) -> Node:
    return node if node.ty is _LONG else Node("cvt", _LONG, (node,), node.ty)


def byte_offset(index: Node, access: MemoryAccess) -> Node:
    """The byte offset of an access."""
    found = as_long(index) if index.ty is not Type.U64 else Node("bitcast", _LONG, (index,), Type.U64)
    scale = access.scale
    if scale & (scale - 1) == 0 and scale > 1:
        found = Node("shl", _LONG, (found, Node("const", Type.U32, (), scale.bit_length() - 1)))
    elif scale != 1:
        found = Node("mul", _LONG, (found, Node("const", _LONG, (), _LONG.encode(scale))))
    if access.offset:
        found = Node("add", _LONG, (found, Node("const", _LONG, (), _LONG.encode(access.offset))))
    return found
