"""Loads and stores of packets: rows as vectors, strides and what is anywhere lane by lane."""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.bounds import limit_of
from ...compiler.ir import MemoryAccess, Node
from ...compiler.operations import CALLS, DIVISIONS, LEAVES
from ...compiler.out_of_ssa import Do, Under, Variable
from ...compiler.shapes import ANY
from ...isa.address import Space
from ...isa.types import Type
from .addresses import Addresses
from .code import Code
from .encoder import FunctionBody, Instr
from .packet_faults import MASKS, PacketFaults
from .routines import load_instruction
from .vectors import Vectors
from .wholes import lanes_of

__all__ = ["PacketAccesses", "lane_address"]

_WORDS = {8: Type.U8, 16: Type.U16, 32: Type.U32}
_BYTES = bytes([*range(0, 16, 2)] * 2)  # the lower halves of eight short words
_WHOLES = {4: "v128.load32_zero", 8: "v128.load64_zero", 16: "v128.load"}


class PacketAccesses:
    """Writes accesses."""

    def __init__(
        self, code: Code, values: Vectors, faults: PacketFaults, first: Addresses, splats: bool = False
    ) -> None:
        self.splats = splats
        self.first, first.is_scalar, first.is_spread = first, self._is_scalar, self._is_spread
        self.code, self.lowered, self.values, self.faults = code, code.lowered, values, faults
        self.put, self.get, self.module = code.put, code.get, code.module
        self.width, self.forms = values.width, values.forms
        self.again: dict[Node, tuple[int, int] | None] = {}  # loads of rows whose addresses are kept, and where
        self._fours: dict[Node, int] = {}  # vectors of four numbers, by the load of the first
        # Words that are multiplied as vectors: an engine puts a number into all lanes again for each use.
        self._dotted = {arg for node in self.lowered.function.nodes() if node.op == "dot" for arg in node.args}

    # Addresses

    def step_of(self, node: Node, access: MemoryAccess) -> int | None:
        """How many bytes further along the next lane accesses, if the address of the first says where all do."""
        if not self._is_scalar(node.args[0]):
            return None
        own = self.code.own(access.base)
        step = self.forms.of(node.args[0])
        if isinstance(step, int):
            return step * access.scale + own
        step = self.lowered.lanes.reach(node)[0]
        return step + own if isinstance(step, int) else None

    def _is_scalar(self, node: Node) -> bool:
        """Whether a value of the first lane can be computed by itself, wherever it is."""
        if node in self.values.variables or node.op in LEAVES:
            return self.forms.of(node) != ANY
        if node.op in CALLS | DIVISIONS or node.op in ("load", "select"):
            return self.forms.of(node) == 0
        return all(self._is_scalar(arg) for arg in node.args)

    def first_address(self, node: Node, access: MemoryAccess) -> int:
        """Pushes the address of the first lane; gives what its instruction has to add."""
        further = self.first.push(node, access)
        if further is None:
            self.put(self.get(("base", access.base)))
            further = self._first_offset(node, access)
            self.put(("i32.add",))
        return further

    def address_of(self, index: Node, access: MemoryAccess) -> None:
        """Pushes the address of one lane's index."""
        self.put(self.get(("base", access.base)))
        self._low(index)
        if access.scale != 1:
            self.put(("i32.const", access.scale), ("i32.mul",))
        self.put(("i32.add",), *([("i32.const", access.offset), ("i32.add",)] if access.offset else []))

    def _first_offset(self, node: Node, access: MemoryAccess) -> int:
        """Pushes the offset of the first lane; gives what is to be added."""
        put, index = self.put, node.args[0]
        further = access.offset if access.offset >= 0 and self.values.ranges.of(index)[0] >= 0 else 0
        further = further if further < 1 << 31 else 0
        if index.is_const and not index.attr:
            put(("i32.const", access.offset - further))
            return further
        self._low(index)
        if access.scale != 1:
            put(("i32.const", access.scale), ("i32.mul",))
        if further != access.offset:
            put(("i32.const", access.offset), ("i32.add",))
        return further

    def _low(self, index: Node) -> None:
        if isinstance(index.ty, Type) and index.ty.bits <= 32:
            self.values.value(index)
        else:
            self.values.low(index)

    def addresses(self, node: Node, access: MemoryAccess, under: Under | None, step: int | None) -> list[int]:
        """Locals with the addresses of all lanes; those of lanes that are off are 0."""
        put, values = self.put, self.values
        found = []
        if step is None:
            values.prepare_low(node.args[0])
        for part in range(values.parts(Type.U32)):
            if step is not None:
                further = self.first_address(node, access)
                put(("i32.const", further), ("i32.add",), ("i32x4.splat",))
                values.steps(Type.U32, step, part)
                put(("i32x4.add",))
            else:
                values.low_part(node.args[0], part)
                if access.scale & (access.scale - 1) == 0:
                    if access.scale > 1:
                        put(("i32.const", access.scale.bit_length() - 1), ("i32x4.shl",))
                else:
                    values.numbers(Type.U32, [access.scale] * 4)
                    put(("i32x4.mul",))
                put(self.get(("base", access.base)))
                if access.offset:
                    put(("i32.const", access.offset), ("i32.add",))
                put(("i32x4.splat",), ("i32x4.add",))
                if own := self.code.own(access.base):
                    values.steps(Type.U32, own, part)
                    put(("i32x4.add",))
            if under is not None and under.mask is not None:
                values.mask(under.mask, 32, part)
                put(("v128.and",))
            found.append(values.fresh())
            put(("local.set", found[-1]))
        values.held[Node("addresses", None)] = found
        return found

    def _as_row(self, node: Node, under: Under, every: Callable[[], None], some: Callable[[], None]) -> None:
        """An access to a row, with its checks: at once by `every`, or lane by lane by `some`.

        What lanes that are off load is nobody's, so that a row which is within its memory is loaded whole, and one of
        memory of the block stored whole. (Gray-Scott took nine times as long at the edges of its picture when lanes at
        them were loaded one by one.)
        """
        put, access = self.put, node.attr
        self.faults.memory_checks(node, access, under)
        if under.mask is None:
            every()
            return
        if (node.op == "load" or self._is_blended(access)) and access.checked and not self.code.own(access.base):
            limit = self.get(limit_of(access), "i64")
            further = self._first_offset(node, access)
            put(("i32.const", further), ("i32.add",), ("i64.extend_i32_u",))
            put(("i64.const", (self.width - 1) * access.element.size_bytes), ("i64.add",))
            put(limit, ("i64.lt_u",))
        else:
            self.values.mask(under.mask, 128 // self.width, 0)
            put((f"{lanes_of(MASKS[self.width])}.all_true",))
        put(("if", None))
        with self.values.statement():
            every()
        put(("else",))
        with self.values.statement():
            some()
        put(("end",))

    def _is_blended(self, access: MemoryAccess) -> bool:
        """Whether lanes that are off may store what is there: in memory of the block no other thread is, as in all
        else."""
        return access.base.space is Space.SHARED and access.element.bits >= 32

    # Loads

    def load(self, node: Node, variable: Variable | None, under: Under) -> None:
        put, values, access = self.put, self.values, node.attr
        step = self.step_of(node, access)
        if variable is None or not values.differs(variable) or step != access.element.size_bytes:
            self.faults.checks(node, access, under)
        else:
            self.faults.axis_checks(node, under)
        if variable is None:
            return
        if not values.differs(variable):
            start = len(self.code.body.code)
            if node in self.first.fours:
                self._load_lane(node, variable)
                return
            further = self.first_address(node, access)
            useful = access.element.is_float or node in self._dotted
            spread = useful and access.element.bits >= 32 and variable not in self.code.slots
            if spread or variable in values.splats:  # which other code for the same has written
                self._load_splat(access.element, variable, further)
            else:
                put(load_instruction(access.element, further), ("local.set", values.local(variable)))
            if variable not in self.code.slots:
                self.first.moved(node, start)
            return
        targets = values.locals(variable)
        ty = node.ty
        assert isinstance(ty, Type)
        bits = values.kept_bits(variable)
        shape = lanes_of(ty) if bits == ty.bits else lanes_of(_WORDS[bits])

        def take(part: int) -> None:
            values.keep(variable, part, under)
            put(("local.set", targets[part]))

        if step == 0:
            put(load_instruction(access.element, self.first_address(node, access)), (f"{shape}.splat",))
            with values.temporary("v128") as one:
                put(("local.set", one))
                for part in range(len(targets)):
                    put(("local.get", one))
                    take(part)
            return

        def row() -> None:
            further = self.first_address(node, access)
            with values.temporary("i32") as address:
                put(("local.set", address))
                if node in self.again and under.mask is None:
                    self.again[node] = kept, _ = self.code.body.local("i32"), further
                    put(("local.get", address), ("local.set", kept))
                for part in range(len(targets)):
                    put(("local.get", address))
                    self._load_part(access.element, bits, further + part * (128 // bits) * access.element.size_bytes)
                    take(part)

        def some() -> None:
            self._row_begin(node, access)
            assert under.mask is not None
            values.mask(under.mask, 128 // self.width, 0)
            put(("call", self._row_routine(access.element, shape)))
            for part in reversed(range(len(targets))):
                take(part)

        def gather() -> None:
            addresses = self.addresses(node, access, under, step)
            per = 128 // bits
            for part in range(len(targets)):
                with values.temporary("v128") as so_far, values.temporary("i64") as pair:
                    for lane in range(per):
                        at, place = divmod(part * per + lane, 4)
                        its = lane_address(addresses[at], place, pair)
                        put(*_lane_load(access.element, shape, lane, its, 0, so_far))
                take(part)

        def stride() -> None:
            assert step is not None
            further = self.first_address(node, access)
            with values.temporary("i32") as address:
                put(("i32.const", further), ("i32.add",), ("local.set", address))
                per = 128 // bits
                for part in range(len(targets)):
                    if not self._load_apart(access.element, bits, address, per * part * step, step):
                        with values.temporary("v128") as so_far:
                            for lane in range(per):
                                at = (part * per + lane) * step
                                put(*_lane_load(access.element, shape, lane, [("local.get", address)], at, so_far))
                    take(part)

        if step == access.element.size_bytes:
            self._as_row(node, under, row, some)
        elif step is not None and step > 0 and under.mask is None and step < 1 << 20:
            stride()
        else:
            gather()

    def _load_apart(self, element: Type, bits: int, address: int, further: int, step: int) -> bool:
        """Loads lanes that are so many bytes apart by whole vectors, none of which goes beyond the last of them; or
        says that lane by lane is as fast."""
        size, per = element.size_bytes, 128 // bits
        span = (per - 1) * step + size
        room = max(whole for whole in _WHOLES if whole < span)
        starts = [0]
        while (lane := (starts[-1] + room - size) // step + 1) < per:
            starts.append(min(lane * step, span - room))
        # A shuffle of any lanes is as much as three of them in V8 (every fourth of 16 bits took 1.57 times as long).
        if len(starts) > (per // 2 if self.splats else 2 + per // 8) or size > 4:
            return False
        places: dict[int, int] = {}
        for start in starts:
            self.put(("local.get", address), (_WHOLES[room], size.bit_length() - 1, further + start))
            found = {lane: lane * step - start for lane in range(per) if 0 <= lane * step - start <= room - size}
            if start:
                found = {lane: 16 + place for lane, place in found.items()} | places
                lanes = [found.get(lane, 0) + byte for lane in range(16 // size) for byte in range(size)]
                self.put(("i8x16.shuffle", bytes(lanes)))
                found = {lane: lane * size for lane in found}
            places = found
        self._widen(element, bits)
        return True

    def _widen(self, element: Type, bits: int) -> None:
        """Makes of the first elements of the vector on the stack lanes of so many bits."""
        sign = "s" if element.kind == "i" else "u"
        if element.bits == 8 and bits > 8:
            self.put((f"i16x8.extend_low_i8x16_{sign}",))
        if element.bits < 32 and bits == 32:
            self.put((f"i32x4.extend_low_i16x8_{sign}",))

    def _load_part(self, element: Type, bits: int, further: int) -> None:
        """Loads a part of a row from the address on the stack."""
        if element.bits in (bits, 32, 64):
            self.put(("v128.load", min(element.size_bytes.bit_length() - 1, 4), further))
            return
        sign = "s" if element.kind == "i" else "u"
        if bits == 16:
            self.put((f"v128.load8x8_{sign}", 0, further))
            return
        if element.bits == 16:
            self.put((f"v128.load16x4_{sign}", 1, further))
        else:
            self.put(("v128.load32_zero", 0, further))
            self._widen(element, bits)

    def _row_begin(self, node: Node, access: MemoryAccess) -> None:
        """Pushes the address of the first lane."""
        further = self.first_address(node, access)
        self.put(*([("i32.const", further), ("i32.add",)] if further else []))

    def _row_routine(self, element: Type, shape: str) -> int:
        """A function that loads the lanes of a mask, which are behind each other, into vectors of a shape."""
        name = f"row_{element}_{shape}"
        if name not in self.module.numbers:
            per, size = int(shape.split("x")[1]), element.size_bytes
            body = FunctionBody(name, ("i32", "v128"), ("v128",) * (self.width // per))
            so_far, bits = body.local("v128"), body.local("i32", "bits")
            body.code += [("local.get", 1), (f"{lanes_of(MASKS[self.width])}.bitmask",), ("local.set", bits)]
            for lane in range(self.width):
                its: list[Instr] = [("local.get", 0), ("i32.const", lane * size), ("i32.add",), ("i32.const", 0)]
                its += [("local.get", bits), ("i32.const", 1 << lane), ("i32.and",), ("select",)]
                body.code += _lane_load(element, shape, lane % per, its, 0, so_far)
            self.module.add(body)
        return self.module.numbers[name]

    # Stores

    def store(self, node: Node, under: Under) -> None:
        put, values, access = self.put, self.values, node.attr
        step = self.step_of(node, access)
        if step != access.element.size_bytes:
            self.faults.checks(node, access, under)
        else:
            self.faults.axis_checks(node, under)
        value, element = node.args[1], access.element
        ty, bits = value.ty, max(element.bits, 128 // self.width)
        assert isinstance(ty, Type)
        values.prepare(value)
        values.park_short(value, bits)

        def row() -> None:
            further = self.first_address(node, access)
            with values.temporary("i32") as address:
                put(("local.set", address))
                if bits < ty.bits:
                    for part in range(self.width * bits // 128):
                        put(("local.get", address))
                        values.part(value, part, bits)
                        if bits == element.bits:
                            put(("v128.store", 0, further + 16 * part))
                        else:  # 8 lanes of bytes
                            with values.temporary("v128") as words:
                                put(("local.tee", words), ("local.get", words), ("i8x16.shuffle", _BYTES))
                            put(("v128.store64_lane", 0, further, 0))
                    return
                per = 128 // ty.bits
                for part in range(values.parts(ty)):
                    at = further + part * per * element.size_bytes
                    put(("local.get", address))
                    values.part(value, part)
                    if under.mask is not None and self._is_blended(access):
                        put(("local.get", address), ("v128.load", element.size_bytes.bit_length() - 1, at))
                        values.mask(under.mask, ty.bits, part)
                        put(("v128.bitselect",))
                    self._store_part(element, at)

        def some(as_row: bool = False) -> None:
            if as_row:
                self._row_begin(node, access)
            else:
                put(*(("local.get", local) for local in self.addresses(node, access, None, step)))
            for part in range(values.parts(ty)):
                values.part(value, part)
            assert under.mask is not None
            values.mask(under.mask, 128 // self.width, 0)
            put(("call", self._scatter_routine(element, ty, as_row)))

        def stride() -> None:
            assert step is not None
            further = self.first_address(node, access)
            parked, per = values.parked(value), 128 // ty.bits
            with values.temporary("i32") as address:
                put(("i32.const", further), ("i32.add",), ("local.set", address))
                for lane in range(self.width):
                    put(("local.get", address))
                    self._lane_store(element, ty, ("local.get", parked[lane // per]), lane % per, lane * step)

        def scatter() -> None:
            addresses = self.addresses(node, access, None, step)
            parked = values.parked(value)
            per = 128 // ty.bits
            with values.temporary("i64") as pair:
                for lane in range(self.width):
                    put(*lane_address(addresses[lane // 4], lane % 4, pair))
                    self._lane_store(element, ty, ("local.get", parked[lane // per]), lane % per, 0)

        if step == element.size_bytes:
            self._as_row(node, under, row, lambda: some(as_row=True))
        elif under.mask is None:
            (stride if step is not None and 0 < step < 1 << 20 else scatter)()
        else:
            some()

    def _is_spread(self, do: Do) -> bool:
        """Whether it loads 32 bits of all lanes, unchecked, which Cranelift takes two instructions for, or, of an
        integer, three: of four behind each other five, all together."""
        access, variable = do.node.attr, do.variable
        if not self.splats or do.node.op != "load" or variable is None or self.values.differs(variable):
            return False
        there = variable not in self.code.slots and (not access.checked or do.node in self.faults.proven)
        return there and access.element in (Type.F32, Type.I32) and not access.axes

    def _load_lane(self, node: Node, variable: Variable) -> None:
        """Takes one of four numbers out of the vector that the first of them loads."""
        row, (vector, shape) = self.first.fours[node], (self._vector_of(variable), lanes_of(node.attr.element))
        lane = row.index(node)
        if lane == 0:
            self._fours[node] = self.code.body.local("v128")
            further = self.first_address(node, node.attr)
            self.put(("v128.load", 2, further), ("local.set", self._fours[node]))
        self.put(*[("local.get", self._fours[row[0]])] * 2, ("i8x16.shuffle", bytes(range(4 * lane, 4 * lane + 4)) * 4))
        self.put(("local.tee", vector), (f"{shape}.extract_lane", 0), ("local.set", self.values.local(variable)))

    def _vector_of(self, variable: Variable) -> int:
        """The local of the vector that has it in all lanes."""
        if variable not in self.values.splats:
            self.values.splats[variable] = self.code.body.local("v128")
        return self.values.splats[variable]

    def _load_splat(self, element: Type, variable: Variable, further: int) -> None:
        """Loads a number of all lanes as a vector, too: processors do that without an instruction more, and Cranelift
        makes one of a number again for each use. Of `load_splat` it makes three, by a register for integers, and of the
        two one: matrix products in tiles took 0.78 of the time, and in V8 1.3 times as long."""
        bits, shape = element.bits, lanes_of(element)
        if self.splats:
            self.put((f"{shape[0]}{bits}.load", bits.bit_length() - 4, further), (f"{shape}.splat",))
        else:
            self.put((f"v128.load{bits}_splat", bits.bit_length() - 4, further))
        self.put(("local.tee", self._vector_of(variable)), (f"{shape}.extract_lane", 0))
        self.put(("local.set", self.values.local(variable)))

    def _store_part(self, element: Type, further: int) -> None:
        """Stores a part of a row; its address and it are on the stack."""
        put = self.put
        if element.bits >= 32:
            put(("v128.store", min(element.size_bytes.bit_length() - 1, 4), further))
            return
        step = 32 // element.bits
        size = element.size_bytes
        lanes = [4 * lane + byte for lane in range(4) for byte in range(size)]
        with self.values.temporary("v128") as words:
            put(("local.tee", words), ("local.get", words))
            put(("i8x16.shuffle", bytes([*lanes, *[0] * (16 - len(lanes))])))
        put((f"v128.store{128 // step}_lane", 0, further, 0))

    def _lane_store(self, element: Type, ty: Type, vector: Instr, lane: int, further: int) -> None:
        size = element.size_bytes.bit_length() - 1
        self.put(vector)
        # A lane of shorter elements: the lowest of a word's.
        self.put((f"v128.store{element.bits}_lane", size, further, lane * (ty.bits // element.bits)))

    def _scatter_routine(self, element: Type, ty: Type, as_row: bool) -> int:
        """A function that stores the lanes of a mask, in their order: to their addresses, or behind each other from
        that of the first on."""
        name = f"scatter{element.bits}_{ty.bits}{'_row' * as_row}"
        if name not in self.module.numbers:
            places, parts, per = 1 if as_row else self.values.parts(Type.U32), self.values.parts(ty), 128 // ty.bits
            body = FunctionBody(name, (("i32",) if as_row else ("v128",) * places) + ("v128",) * (parts + 1), ())
            bits = body.local("i32", "bits")
            shape = lanes_of(MASKS[self.width])
            body.code += [("local.get", places + parts), (f"{shape}.bitmask",), ("local.set", bits)]
            size = element.size_bytes.bit_length() - 1
            for lane in range(self.width):
                body.code += [("local.get", bits), ("i32.const", 1 << lane), ("i32.and",), ("if", None)]
                if as_row:
                    body.code += [("local.get", 0), ("i32.const", lane * element.size_bytes), ("i32.add",)]
                else:
                    body.code += [("local.get", lane // 4), ("i32x4.extract_lane", lane % 4)]
                body.code += [("local.get", places + lane // per)]
                body.code += [(f"v128.store{element.bits}_lane", size, 0, lane % per * (ty.bits // element.bits))]
                body.code += [("end",)]
            self.module.add(body)
        return self.module.numbers[name]


def lane_address(vector: int, lane: int, pair: int) -> list[Instr]:
    """Pushes the address of a lane, of which two are taken out together: those of odd lanes after the one before."""
    if lane % 2:
        return [("local.get", pair), ("i64.const", 32), ("i64.shr_u",), ("i32.wrap_i64",)]
    return [("local.get", vector), ("i64x2.extract_lane", lane // 2), ("local.tee", pair), ("i32.wrap_i64",)]


def _lane_load(element: Type, shape: str, lane: int, address: list[Instr], further: int, so_far: int) -> list[Instr]:
    """Loads a lane into the vector on the stack, which `so_far` may hold meanwhile; the first makes it."""
    size = element.size_bytes.bit_length() - 1
    if element.bits < 32:
        rest: Instr = (f"{shape}.replace_lane", lane) if lane else (f"{shape}.splat",)
        return [*address, load_instruction(element, further), rest]
    if lane == 0:
        return [*address, (f"v128.load{element.bits}_zero", size, further)]
    last: Instr = (f"v128.load{element.bits}_lane", size, further, lane)
    return [("local.set", so_far), *address, ("local.get", so_far), last]
