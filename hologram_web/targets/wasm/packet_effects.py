"""What packets do to memory, by what it is; reductions and atomics lane after lane."""

from __future__ import annotations

from ...compiler.accesses import access_of
from ...compiler.ir import PRED, MemoryAccess, Node
from ...compiler.operations import BITWISE, CHANGES, MODULAR, SHIFTS, WRITES
from ...compiler.out_of_ssa import Do, Piece, Under, Variable
from ...errors import FaultKind
from ...isa.address import ON_CHIP, Space
from ...isa.types import Type
from .effects import Effects
from .packet_accesses import PacketAccesses, lane_address
from .packet_faults import MASKS, PacketFaults, as_long, byte_offset, misaligned, misaligns
from .routines import load_instruction
from .values import value_type
from .vectors import Vectors
from .wholes import lanes_of

__all__ = ["PacketEffects"]

_LONG = Type.I64
_PLAIN = MODULAR | BITWISE | SHIFTS | CHANGES


class PacketEffects:
    """Writes effects; `scalar` writes those of one lane."""

    def __init__(self, values: Vectors, scalar: Effects, faults: PacketFaults, accesses: PacketAccesses) -> None:
        self.values, self.scalar, self.faults, self.accesses = values, scalar, faults, accesses
        self.put, self.width = scalar.put, values.width

    def piece(self, piece: Piece) -> None:
        """Finds the rows of a piece before it is written that hold indices of atomics, see `_row_of`."""
        self.accesses.again = {}
        for under in piece.statements:
            if isinstance(under, Under) and under.mask is None and isinstance(under.statement, Do):
                node = under.statement.node
                if node.op == "atomic" and (row := self._row_of(node)) is not None:
                    self.accesses.again[row] = None

    def _row_of(self, node: Node) -> Node | None:
        """The load whose elements the index of an atomic in shared memory is made of by plain operations. If they lie
        in a row, each lane loads its own anew, which takes half of the time of taking indices out of vectors. The index
        is within shared memory whatever the element is, as other threads might change it meanwhile."""
        access, index = node.attr[1], node.args[0]
        if access.base.space is not Space.SHARED or self.accesses.code.own(access.base):
            return None
        low, high = self.values.ranges.of(index)
        last = self.accesses.code.function.shared_memory - access.element.size_bytes
        if low * access.scale + access.offset < 0 or high * access.scale + access.offset > last:
            return None
        found, work = set[Node](), [index]
        while work:
            value = work.pop()
            if value.op == "load" and value.attr.base.space not in ON_CHIP:
                found.add(value)
            elif value.op in _PLAIN and value not in self.values.variables:
                work += value.args
            elif self.values.forms.of(value) != 0:
                return None
        return found.pop() if len(found) == 1 else None

    def effect(self, node: Node, variable: Variable | None, under: Under) -> None:
        if node.op == "fence" or (node.op in WRITES and _is_elsewhere(node)):
            self.accesses.again = {}
        with self.values.statement():
            match node.op:
                case "guard":
                    self.faults.guard(node, under)
                case "load" if self.values.wide_lanes is not None and node.attr.element.is_wide:
                    self.values.wide_lanes.load(self.accesses, node, variable, under)
                case "load":
                    self.accesses.load(node, variable, under)
                case "store" if self.values.wide_lanes is not None and node.attr.element.is_wide:
                    self.values.wide_lanes.store(self.accesses, node, under)
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
            if values.wide_lanes is not None and ty.is_wide:
                values.wide_lanes.reduce_lanes(self.scalar, node, variable, under, (offset, count), alike)
                return
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
        row = self._row_of(node) if under.mask is None else None
        again = self.accesses.again.get(row) if row is not None else None
        addresses: list[int] = []
        if again is None:
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
                    if again is not None and row is not None:
                        self._address_again(node.args[0], access, row, again, lane)
                    else:
                        put(*lane_address(addresses[lane // 4], lane % 4, pair))
                    put(("local.set", address))
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

    def _address_again(self, index: Node, access: MemoryAccess, row: Node, again: tuple[int, int], lane: int) -> None:
        """Pushes the address of a lane, whose element of a row is loaded by itself."""
        element, leaf = row.attr.element, Node("param", row.ty, (), "lane")
        local, further = again
        self.values.lane_of[leaf] = [
            ("local.get", local),
            load_instruction(element, further + lane * element.size_bytes),
        ]
        self.accesses.address_of(_with(index, row, leaf), access)
        self.values.lane_of.clear()

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
            vector = locals_[lane * ty.bits // 128]
            values.lane_of[leaf] = [("local.get", vector), (f"{shape}.extract_lane", lane % (128 // ty.bits))]
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


def _is_elsewhere(node: Node) -> bool:
    """Whether what an effect writes is not in the memory of a block."""
    access = access_of(node)
    return access is None or access.base.space is not Space.SHARED


def _with(node: Node, row: Node, leaf: Node) -> Node:
    """A value with a leaf in place of a load."""
    if node is row:
        return leaf
    args = tuple(_with(arg, row, leaf) for arg in node.args)
    alike = all(a is b for a, b in zip(args, node.args, strict=True))
    return node if alike else Node(node.op, node.ty, args, node.attr)
