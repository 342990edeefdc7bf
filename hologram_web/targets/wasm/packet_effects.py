"""What packets do to memory, by what it is; reductions and atomics lane after lane."""

from __future__ import annotations

from ...compiler.ir import PRED, MemoryAccess, Node
from ...compiler.out_of_ssa import Under, Variable
from ...errors import FaultKind
from ...isa.address import Space
from ...isa.types import Type
from .effects import Effects
from .packet_accesses import PacketAccesses, lane_address
from .packet_faults import MASKS, PacketFaults, as_long, byte_offset, misaligned, misaligns
from .values import value_type
from .vectors import Vectors
from .wholes import lanes_of

__all__ = ["PacketEffects"]

_LONG = Type.I64


class PacketEffects:
    """Writes effects; `scalar` writes those of one lane."""

    def __init__(self, values: Vectors, scalar: Effects, faults: PacketFaults, accesses: PacketAccesses) -> None:
        self.values, self.scalar, self.faults, self.accesses = values, scalar, faults, accesses
        self.put, self.width = scalar.put, values.width

    def effect(self, node: Node, variable: Variable | None, under: Under) -> None:
        with self.values.statement():
            match node.op:
                case "guard":
                    self.faults.guard(node, under)
                case "load":
                    self.accesses.load(node, variable, under)
                case "store":
                    self.accesses.store(node, under)
                case "atomic":
                    self._atomic(node, variable, under)
                case "reduce":
                    self._reduce(node, variable, under)
                case "fence":
                    pass
                case op:
                    raise AssertionError(f"packets have no effect {op}")

    # Reductions

    def _reduce(self, node: Node, variable: Variable | None, under: Under) -> None:
        """Lane after lane, but where all reduce the same."""
        put, values = self.put, self.values
        combine, access = node.attr
        ty, zero = access.element, Node("const", _LONG, (), 0)
        count = Node("max", _LONG, (as_long(node.args[1]), zero))
        offset = byte_offset(node.args[0], access)
        need = Node("mul", _LONG, (count, Node("const", _LONG, (), ty.size_bytes)))
        some = Node("lt", PRED, (zero, count), _LONG)
        last = Node("sub", _LONG, (Node("special", _LONG, (), ("size", access.base)), need))
        outside = Node("por", PRED, (Node("lt", PRED, (offset, zero), _LONG), Node("lt", PRED, (last, offset), _LONG)))
        with values.statement(offset, count):
            bad = Node("pand", PRED, (some, outside))
            self.faults.drop(bad, under, FaultKind.OUT_OF_BOUNDS, access.at, access.base, offset, need)
            if misaligns(node):
                over = Node("pand", PRED, (some, misaligned(offset, access)))
                self.faults.drop(over, under, FaultKind.MISALIGNED_ACCESS, access.at, access.base, offset)
            if variable is None:
                return
            alike = all(values.forms.of(value) == 0 for value in (offset, count))
            alike = alike and not (self.accesses.code.own(access.base) and values.differs(variable))
            with values.temporary("i64") as place, values.temporary("i64") as length:
                if alike:
                    values.value(offset)
                    put(("local.set", place))
                    values.value(count)
                    put(("local.set", length))
                    self.scalar.reduced(combine, access, place, length)
                    if not values.differs(variable):
                        put(("local.set", values.local(variable)))
                        return
                    assert isinstance(node.ty, Type)
                    with values.temporary("v128") as one:
                        put((f"{lanes_of(node.ty)}.splat",), ("local.set", one))
                        for part, target in enumerate(values.locals(variable)):
                            put(("local.get", one))
                            values.keep(variable, part, under)
                            put(("local.set", target))
                    return
                self._reduce_lanes(node, variable, under, offset, count, place, length)

    def _reduce_lanes(
        self, node: Node, variable: Variable, under: Under, offset: Node, count: Node, place: int, length: int
    ) -> None:
        put, values, targets = self.put, self.values, self.values.locals(variable)
        combine, access = node.attr
        assert isinstance(node.ty, Type)
        shape, per = lanes_of(node.ty), 128 // node.ty.bits
        parks = [(values.parked(value), local) for value, local in ((offset, place), (count, length))]
        assert under.mask is not None
        with values.temporary("i32") as bits, values.temporary(value_type(node.ty)) as found:
            values.mask(under.mask, 128 // self.width, 0)
            put((f"{lanes_of(MASKS[self.width])}.bitmask",), ("local.set", bits))
            for lane in range(self.width):
                put(("local.get", bits), ("i32.const", 1 << lane), ("i32.and",), ("if", None))
                for locals_, local in parks:
                    put(("local.get", locals_[lane // 2]), ("i64x2.extract_lane", lane % 2), ("local.set", local))
                if further := lane * self.accesses.code.own(access.base):
                    put(("local.get", place), ("i64.const", further), ("i64.add",), ("local.set", place))
                self.scalar.reduced(combine, access, place, length)
                put(("local.set", found), ("local.get", targets[lane // per]), ("local.get", found))
                put((f"{shape}.replace_lane", lane % per), ("local.set", targets[lane // per]), ("end",))

    # Atomics

    def _atomic(self, node: Node, variable: Variable | None, under: Under) -> None:
        """Lane after lane."""
        put, values = self.put, self.values
        operation, access = node.attr
        self.faults.checks(node, access, under)
        addresses = self.accesses.addresses(node, access, None, self.accesses.step_of(node, access))
        for arg in node.args[1:]:
            values.prepare(arg)
        given = node.args[1 : 3 if operation == "cas" else 2]
        parks = [None if arg.is_const else values.parked(arg) for arg in given]
        targets = values.locals(variable) if variable is not None else []

        def each(bits: int | None) -> None:
            """Does it for each lane, or for those of some `bits`."""
            with values.temporary("i64") as pair, values.temporary("i32") as address:
                for lane in range(self.width):
                    put(*lane_address(addresses[lane // 4], lane % 4, pair), ("local.set", address))
                    if bits is not None:
                        put(("local.get", bits), ("i32.const", 1 << lane), ("i32.and",), ("if", None))
                    self._atomic_lane(operation, access, lane, address, [*zip(given, parks, strict=True)], targets)
                    if bits is not None:
                        put(("end",))

        if under.mask is None:
            each(None)
            return
        # In memory of a block, where it is short, all lanes do it without a look at each.
        short = access.base.space is Space.SHARED
        with values.temporary("i32") as bits:
            values.mask(under.mask, 128 // self.width, 0)
            put((f"{lanes_of(MASKS[self.width])}.bitmask",), ("local.set", bits))
            if short:
                put(("local.get", bits), ("i32.const", (1 << self.width) - 1), ("i32.eq",), ("if", None))
                each(None)
                put(("else",))
            each(bits)
            put(*([("end",)] if short else []))

    def _atomic_lane(
        self,
        operation: str,
        access: MemoryAccess,
        lane: int,
        address: int,
        given: list[tuple[Node, list[int] | None]],
        targets: list[int],
    ) -> None:
        put, values, ty = self.put, self.values, access.element
        kind, shape = value_type(ty), lanes_of(ty)
        operands = []
        for arg, locals_ in given:
            if locals_ is None:
                operands.append(arg)
                continue
            leaf = Node("param", arg.ty, (), "lane")
            values.lane_of[leaf] = locals_[lane * ty.bits // 128], shape, lane % (128 // ty.bits)
            operands.append(leaf)
        self.scalar.exchange(operation, access, address, 0, operands)
        values.lane_of.clear()
        if not targets:
            put(("drop",))
            return
        target = targets[lane * ty.bits // 128]
        with values.temporary(kind) as before:
            put(("local.set", before), ("local.get", target), ("local.get", before))
            put((f"{shape}.replace_lane", lane % (128 // ty.bits)), ("local.set", target))
