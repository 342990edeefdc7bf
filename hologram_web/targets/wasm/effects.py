"""What lanes do to memory: loads, stores, atomics, guards and reductions as WebAssembly."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from ...compiler.accesses import Check, axes_of, beyond
from ...compiler.ir import MemoryAccess, Node
from ...compiler.legalise import HALVES
from ...errors import FaultKind
from ...isa.address import Space
from ...isa.types import Type
from ...isa.verify import Base
from .code import ARGUMENTS, FAULT_KINDS, Code
from .encoder import Instr
from .polls import Polls
from .routines import load_instruction, store_instruction
from .values import Values, value_type
from .wide import Wide

__all__ = ["Effects"]

_ONE_STEP = {"add": "add", "and": "and", "or": "or", "xor": "xor", "exch": "xchg", "cas": "cmpxchg"}
_CANCELLED = FAULT_KINDS.index(FaultKind.CANCELLED) + 1
_FAR = 1 << 20  # bytes from one lane to the next that are added to an address by its instruction


class Effects:
    """Writes effects of a lane.

    `proven` is what needs no check in what is written now; `copy` says which lane of several it is that are written
    behind each other, and `rows` has by access the local with the address of the first of them.
    """

    def __init__(self, code: Code, values: Values, wide_integers: Wide, polls: Polls) -> None:
        self.code, self.function, self.lowered = code, code.function, code.lowered
        self.put, self.get, self.argument, self.bases = code.put, code.get, code.argument, code.bases
        self.values, self.wide_integers, self.polls = values, wide_integers, polls
        self.proven: set[Check] = code.repeated
        self.copy: int | None = None
        self.rows: dict[Node, int] = {}

    def fault(
        self,
        kind: FaultKind,
        at: int | Instr,
        base: Base | None = None,
        offset: Instr = ("i64.const", 0),
        need: Instr = ("i64.const", 0),
        other: Instr = ("i32.const", 0),
    ) -> None:
        """Writes the status words and leaves the kernel."""
        number = -1 if base is None else self.code.base_number(base)
        instruction: Instr = ("i32.const", at) if isinstance(at, int) else at
        self.put(("local.get", 0), ("i32.const", FAULT_KINDS.index(kind) + 1), instruction, ("i32.const", number))
        self.code.lane_id()
        self.put(other, offset, need, ("call", self.code.fault_routine()), ("return",))

    def effect(self, node: Node) -> None:
        put = self.put
        match node.op:
            case "guard":
                kind, at, number = node.attr
                self.values.value(node.args[0])
                put(("if", None))
                if len(node.args) == 3:
                    self._off_axis(at, *node.args[1:])
                elif len(node.args) > 1:
                    with self.values.temporary("i64") as value:
                        self.values.value(node.args[1])
                        put(("local.set", value))
                        phi = (base for base in self.bases if base.space is Space.PHI)
                        memory = next(phi) if number <= 2 else None  # one of the coordinates of Phi
                        self.fault(kind, at, memory, ("local.get", value), other=("i32.const", number))
                else:
                    self.fault(kind, at)
                put(("end",))
            case "load":
                further = self.address(node, node.attr)
                if node.attr.element.is_wide:  # its address stands for it
                    put(("i32.const", further), ("i32.add",))
                else:
                    put(load_instruction(node.attr.element, further))
            case "store":
                further = self.address(node, node.attr)
                if node.attr.element.is_wide:
                    with self.values.temporary("i32") as target, self.values.temporary("i32") as source:
                        put(("local.set", target))
                        self.values.value(node.args[1])
                        put(("local.set", source))
                        places = (("local.get", target), further), (("local.get", source), 0)
                        self.wide_integers.move(*places, node.attr.element.size_bytes)
                    return
                self.values.value(node.args[1])
                put(store_instruction(node.attr.element, further))
            case "atomic":
                self._atomic(node)
            case "reduce":
                self._reduce(node)
            case "fence":
                pass  # the loop around a poll looks by itself
            case op:
                raise AssertionError(f"the wasm target has no effect {op}")

    def address(self, node: Node, access: MemoryAccess) -> int:
        """Pushes the address of an access; the result is what its instruction has to add."""
        put, index = self.put, node.args[0]
        for number, (axis, place, length) in enumerate(axes_of(node)):
            if (node, number) not in self.proven:
                self.values.value(beyond(axis, place, length))
                put(("if", None))
                self._off_axis(axis.at, place, length, axis.offset)
                put(("end",))
        align, near = access.element.alignment, abs(access.offset) < 1 << 31
        known = node in self.proven or not access.checked
        if not known or access.scale % align or access.offset % align or not near:
            with self.values.temporary("i64") as offset:
                self._offset(node, access, offset)
                put(self.get(("base", access.base)), ("local.get", offset), ("i32.wrap_i64",), ("i32.add",))
            return 0
        own = access.base.space is Space.LOCAL  # whose place is another one for the next lane
        step = 0 if self.copy is None or own else self.lowered.lanes.reach(node)[0]
        row = isinstance(step, int) and 0 < step < _FAR
        further = access.offset if access.offset >= 0 and self.values.ranges.of(index)[0] >= 0 else 0
        if self.copy and isinstance(step, int) and row:
            put(("local.get", self.rows[node]))
            return further + self.copy * step
        # The offset is within the memory, so that its lower half is enough.
        put(self.get(("base", access.base)))
        if not index.is_const or index.attr:
            self.values.low(index)
            if access.scale != 1:
                put(("i32.const", access.scale), ("i32.mul",))
            put(("i32.add",))
        if further != access.offset:
            put(("i32.const", access.offset), ("i32.add",))
        if row:
            self.rows[node] = self.values.function.local("i32")
            put(("local.tee", self.rows[node]))
        return further

    def _off_axis(self, at: int, index: Node, length: Node, offset: int = 0) -> None:
        """Faults, of an index that is not on its axis."""
        with self.values.temporary("i64") as place, self.values.temporary("i64") as end:
            for local, node in ((place, index), (end, length)):
                self.values.value(node)
                if node.ty in (Type.I32, Type.U32):
                    self.put(("i64.extend_i32_s" if node.ty is Type.I32 else "i64.extend_i32_u",))
                if local is place and offset:
                    self.put(("i64.const", offset), ("i64.add",))
                self.put(("local.set", local))
            self.fault(FaultKind.OUT_OF_BOUNDS, at, None, ("local.get", place), ("local.get", end))

    def _offset(self, node: Node, access: MemoryAccess, offset: int) -> None:
        """Computes the byte offset into an i64 local, and faults if no element is there."""
        put = self.put
        self.raw_offset(access, node.args[0])
        put(("local.set", offset))
        size = access.element.size_bytes
        if access.checked and node not in self.proven:
            limit = self.get(("limit", access.base, access.reach), "i64")
            put(("local.get", offset), limit, ("i64.ge_u",), ("if", None))
            own = access.base.space is Space.LOCAL
            need, other = ("i64.const", size), ("i32.const", self.function.local_memory if own else 0)
            at = self.first_beyond(access, offset)
            self.fault(FaultKind.OUT_OF_BOUNDS, at, access.base, ("local.get", offset), need, other)
            put(("end",))
        self._alignment(access, offset)

    def first_beyond(self, access: MemoryAccess, offset: int) -> int | Instr:
        """Of elements that are checked together: moves the offset in a local to the first that is out of bounds, and
        gives its instruction."""
        if access.together == 1:
            return access.at
        at = self.code.named("beyond")
        put, shift = self.put, ("i64.const", access.element.size_bytes.bit_length() - 1)
        put(("i64.const", 0))
        self.code.size(access.base)
        put(("local.get", offset), ("i64.sub",), shift, ("i64.shr_u",), ("local.get", offset))
        self.code.size(access.base)
        put(("i64.gt_u",), ("select",), ("i32.wrap_i64",), ("local.tee", at))  # how many are in bounds before it
        put(("i64.extend_i32_u",), shift, ("i64.shl",), ("local.get", offset), ("i64.add",), ("local.set", offset))
        put(("local.get", at), ("i32.const", access.at), ("i32.add",), ("local.set", at))
        return ("local.get", at)

    def raw_offset(self, access: MemoryAccess, index: Node) -> None:
        self.values.value(index)
        if access.scale != 1:
            self.put(("i64.const", access.scale), ("i64.mul",))
        if access.offset:
            self.put(("i64.const", access.offset), ("i64.add",))

    def _alignment(self, access: MemoryAccess, offset: int) -> None:
        align = access.element.alignment
        if access.scale % align or access.offset % align:
            self.put(("local.get", offset), ("i32.wrap_i64",), ("i32.const", align - 1), ("i32.and",), ("if", None))
            self.fault(FaultKind.MISALIGNED_ACCESS, access.at, access.base, ("local.get", offset))
            self.put(("end",))

    def _place(self, access: MemoryAccess, offset: int) -> None:
        """Pushes the address of a checked offset."""
        self.put(self.get(("base", access.base)), ("local.get", offset), ("i32.wrap_i64",), ("i32.add",))

    def _atomic(self, node: Node) -> None:
        operation, access = node.attr
        with self.values.temporary("i32") as address:
            further = self.address(node, access)
            self.put(("local.set", address))
            self.exchange(operation, access, address, further, node.args[1:])

    def exchange(self, operation: str, access: MemoryAccess, address: int, further: int, given: Sequence[Node]) -> None:
        """One step; pushes what was there. Where no other call uses the memory (`alone`) a load and a store are one."""
        put, values = self.put, self.values
        ty: Type = access.element
        kind, word = value_type(ty), "i64" if ty.bits == 64 else "i32"
        bits: list[Instr] = [("i32.reinterpret_f32",)] if kind == "f32" else []
        at = ty.size_bytes.bit_length() - 1, further
        names = ("old", "operand", "compared")[: 3 if operation == "cas" else 2]
        with ExitStack() as taken:
            old, *operands = [taken.enter_context(values.temporary(kind)) for _ in names]
            for local, argument in zip(operands, given, strict=False):
                values.value(argument)
                put(("local.set", local))
            for name, local in zip(names, (old, *operands), strict=True):
                self.code.name(("param", (name, local)), local)
            held = [Node("param", ty, (), (name, local)) for name, local in zip(names, (old, *operands), strict=True)]
            load: list[Instr] = [("local.get", address), load_instruction(ty, further), ("local.set", old)]

            def result() -> None:
                if operation == "exch":
                    values.value(held[1])
                elif operation == "cas":
                    put(*(("local.get", local) for local in (operands[0], old, old, operands[1])), (f"{word}.eq",))
                    put(("select",))
                else:
                    values.compute(Node(operation, ty, (held[0], held[1])))

            def plain() -> None:
                put(*load, ("local.get", address))
                result()
                put(store_instruction(ty, further))

            if access.base.space is Space.SHARED:  # of a block, whose lanes are all in one call
                plain()
            else:
                put(self.get("alone"), ("if", None))
                plain()
                put(("else",))
                if kind == word and operation in _ONE_STEP:
                    put(("local.get", address), *(("local.get", local) for local in reversed(operands)))
                    put((f"{word}.atomic.rmw.{_ONE_STEP[operation]}", *at), ("local.set", old))
                else:
                    with values.temporary(word) as found:
                        put(*load, ("block", None), ("loop", None), ("local.get", address), ("local.get", old), *bits)
                        result()
                        put(*bits, (f"{word}.atomic.rmw.cmpxchg", *at), ("local.tee", found))
                        put(("local.get", old), *bits, (f"{word}.eq",), ("br_if", 1), ("local.get", found))
                        put(*([("f32.reinterpret_i32",)] if bits else []), ("local.set", old), ("br", 0))
                        put(("end",), ("end",))
                put(("end",))
            put(("local.get", old))

    def _reduce(self, node: Node) -> None:
        """Checks the whole range, then calls the routine at the level that has one block."""
        put = self.put
        combine, access = node.attr
        ty: Type = access.element
        with self.values.temporary("i64") as offset, self.values.temporary("i64") as count:
            self.raw_offset(access, node.args[0])
            put(("local.set", offset))
            self.values.value(node.args[1])
            put(("local.tee", count), ("i64.const", 0), ("local.get", count), ("i64.const", 0), ("i64.gt_s",))
            put(("select",), ("local.tee", count), ("i64.eqz",), ("i32.eqz",), ("if", None))
            # offset < 0, or offset > size - count * bytes
            self.code.size(access.base)
            put(("local.get", count), ("i64.const", ty.size_bytes), ("i64.mul",), ("i64.sub",))
            put(("local.get", offset), ("i64.lt_s",), ("local.get", offset), ("i64.const", 0), ("i64.lt_s",))
            put(("i32.or",), ("if", None))
            put(("local.get", count), ("i64.const", ty.size_bytes), ("i64.mul",), ("local.set", count))
            self.fault(FaultKind.OUT_OF_BOUNDS, access.at, access.base, ("local.get", offset), ("local.get", count))
            put(("end",))
            self._alignment(access, offset)
            put(("end",))
            self.reduced(combine, access, offset, count)

    def reduced(self, combine: str, access: MemoryAccess, offset: int, count: int) -> None:
        """Pushes what elements that are there are together."""
        put, ty = self.put, access.element
        if ty.is_wide:
            with self.values.temporary("i32") as address:
                self._place(access, offset)
                put(("local.set", address))
                ticks: Instr = ("i64.const", ty.size_bytes // 8)
                self.wide_integers.reduce(combine, ty, address, count, lambda: self.polls.spend(ticks, access.at))
            return
        self.polls.spend(("local.get", count), access.at)
        self._place(access, offset)
        put(("local.get", count), ("i32.wrap_i64",))
        self.argument("scratch")
        # The level: how often the count has to be divided by 2048 until one block is left.
        for power in (11, 22):
            put(("local.get", count), ("i64.const", 1 << power), ("i64.gt_u",))
        put(("i32.add",), ("i32.const", 0), ("local.get", 0), ("i32.const", access.at))
        put(("call", self.values.routine(f"reduce_{combine}_{ty}")))
        # It may have been told to end.
        put(("local.get", 0), ("i32.load", 2, ARGUMENTS["kind"]), ("i32.const", _CANCELLED), ("i32.eq",))
        put(("if", None), ("return",), ("end",))
        if ty in HALVES:
            put(("call", self.values.routine(f"f32_to_{HALVES[ty]}")))
