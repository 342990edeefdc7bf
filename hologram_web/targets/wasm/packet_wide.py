"""Wide integers of packets: what lanes do to them they do one after the other, all else is vectors.

What all lanes have alike has one slot in the frame, as in a lane's code; of others the values of a packet lie side by
side. A loop over the lanes of a mask does what one lane does, at its own places: numbers that it needs of vectors are
stored into the frame before, and numbers that it makes are loaded as vectors behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from ...compiler.ir import PRED, MemoryAccess, Node, ValueType
from ...compiler.operations import LEAVES
from ...compiler.out_of_ssa import Assign, Statement, Under, Variable, variables_in
from ...isa.types import Type
from .code import Code
from .effects import Effects
from .encoder import Instr
from .packet_accesses import PacketAccesses
from .packet_faults import MASKS
from .routines import load_instruction, store_instruction
from .values import value_type
from .vectors import Vectors
from .wholes import lanes_of
from .wide import Place, Wide, is_wide

__all__ = ["WideLanes"]


class WideLanes(Wide):
    """Emits what packets do to wide integers."""

    def __init__(self, code: Code, values: Vectors) -> None:
        super().__init__(code.function, values, lambda: code.get("frame"), code.wide_scalar)
        self.code, self.vectors, self.width = code, values, values.width
        self.active: Node | None = None  # the lanes that the statement at hand is for, if that is known
        self._sizes = set[int]()  # of the elements whose places in a row the loop that is written asks for

    # Places

    def of(self, variable: Variable) -> Place:
        """Where a variable is: of several values that of the lane whose turn it is."""
        if not self.vectors.differs(variable):
            return super().of(variable)
        assert isinstance(variable.ty, Type)
        return self._its(variable.ty.size_bytes), self._row(variable)[1]

    def _row(self, variable: Variable) -> Place:
        """The values of all lanes."""
        assert isinstance(variable.ty, Type)
        return self.place(("row", variable), self.width * variable.ty.size_bytes)

    def _its(self, size: int) -> Instr:
        """Pushes where the lane's own element of so many bytes would be of a row at the frame's begin."""
        self._sizes.add(size)
        return self.code.get(("of lane", size))

    def whole(self, variable: Variable) -> tuple[Place, int]:
        """Where all that a packet has of a variable is, and how many bytes."""
        assert isinstance(variable.ty, Type)
        size = variable.ty.size_bytes
        return (self._row(variable), self.width * size) if self.vectors.differs(variable) else (self.of(variable), size)

    # Lane after lane

    @contextmanager
    def _each(self, mask: Node | None, numbers: Sequence[Node] = ()) -> Iterator[tuple[int, dict[Node, Node]]]:
        """A loop over the lanes of a mask, around what is done for each; gives the local with the lane's place in its
        packet, and what stands there for numbers."""
        put, values, code = self.put, self.vectors, self.code.body.code
        with ExitStack() as taken:
            taken.enter_context(values.statement(*numbers, *([] if mask is None else [mask])))
            leaves: dict[Node, Node] = {}
            kept: list[tuple[Node, int]] = []
            for node in numbers:
                alike = values.forms.of(node) == 0
                if node.is_const or (alike and (node in values.variables or node.op in LEAVES)):
                    continue
                leaf = leaves[node] = Node("param", node.ty, (), "lane")
                if alike:
                    local = taken.enter_context(values.temporary(value_type(node.ty)))
                    values.value(node)
                    put(("local.set", local))
                    values.lane_of[leaf] = [("local.get", local)]
                else:
                    kept.append((leaf, self._store(len(kept), values.parked(node))))
            left, lane = (taken.enter_context(values.temporary("i32")) for _ in range(2))
            if mask is None:
                put(("i32.const", (1 << self.width) - 1))
            else:
                values.mask(mask, 128 // self.width, 0)
                put((f"{lanes_of(MASKS[self.width])}.bitmask",))
            put(("local.tee", left), ("if", None), ("loop", None), ("local.get", left), ("i32.ctz",))
            put(("local.set", lane))
            start, outer, self._sizes = len(code), self._sizes, set()
            for leaf, place in kept:
                ty = self._held(leaf.ty)
                values.lane_of[leaf] = [self._its(ty.size_bytes), load_instruction(ty, place)]
            yield lane, leaves
            for size in sorted(self._sizes):
                shift = ("local.get", lane), ("i32.const", size.bit_length() - 1), ("i32.shl",)
                own = self.code.named(("of lane", size))
                code[start:start] = [self._frame(), *shift, ("i32.add",), ("local.set", own)]
            self._sizes = outer
            put(("local.get", left), ("local.get", left), ("i32.const", 1), ("i32.sub",), ("i32.and",))
            put(("local.tee", left), ("br_if", 0), ("end",), ("end",))
            for leaf in leaves.values():
                del values.lane_of[leaf]

    def _held(self, ty: ValueType) -> Type:
        """The type of numbers in the frame."""
        if ty == PRED:
            return MASKS[self.width]
        assert isinstance(ty, Type)
        return ty

    def _store(self, number: int, vectors: Iterable[int]) -> int:
        """Stores vectors into the frame; gives where."""
        start = self.place(("numbers", number), 8 * self.width)[1]
        for part, local in enumerate(vectors):
            self.put(self._frame(), ("local.get", local), ("v128.store", 3, start + 16 * part))
        return start

    # Values

    def in_a_row(self, statements: Sequence[Statement]) -> int:
        """How many statements, from the first on, are one loop over lanes: they compute wide integers of the same
        lanes, and numbers that they need are there before."""
        mask: Node | None = None
        made = set[Variable]()
        for count, under in enumerate(statements):
            inner = under.statement if isinstance(under, Under) else None
            if not isinstance(inner, Assign) or not is_wide(inner.variable.ty):
                return count
            if not self.vectors.differs(inner.variable):
                return count
            assert isinstance(under, Under)
            numbers = [arg for arg in inner.value.args if not is_wide(arg.ty)]
            if count and (under.mask is not mask or any(self._reads(number, made) for number in numbers)):
                return count
            mask = under.mask
            made.add(inner.variable)
        return len(statements)

    def _reads(self, node: Node, variables: set[Variable]) -> bool:
        return not variables.isdisjoint(variables_in(node, self.values.variables))

    def assign(self, statements: Sequence[Statement]) -> None:
        """Computes values in the lanes of a mask."""
        pairs: list[tuple[Variable, Node]] = []
        for under in statements:
            assert isinstance(under, Under)
            assert isinstance(under.statement, Assign)
            self.active = under.mask
            pairs.append((under.statement.variable, under.statement.value))
        numbers = dict.fromkeys(arg for _, node in pairs for arg in node.args if not is_wide(arg.ty))
        with self._each(self.active, list(numbers)) as (_, leaves):
            for variable, node in pairs:
                args = tuple(leaves.get(arg, arg) for arg in node.args)
                self.compute(variable, Node(node.op, node.ty, args, node.attr) if leaves else node)

    def made(self, node: Node) -> list[int]:
        """The vectors of a number that is made of wide integers."""
        put, ty, start = self.put, self._held(node.ty), self.place(("numbers", 0), 8 * self.width)[1]
        with self._each(self.active):
            put(self._its(ty.size_bytes), *([("i32.const", 0)] if node.ty == PRED else []))
            self.vectors.compute(node)
            put(*([("i32.sub",)] if node.ty == PRED else []), store_instruction(ty, start))
        found = [self.vectors.fresh() for _ in range(self.vectors.parts(node.ty))]
        for part, local in enumerate(found):
            put(self._frame(), ("v128.load", 3, start + 16 * part), ("local.set", local))
        return found

    def copy(self, pairs: Sequence[tuple[Variable, Node]], under: Under | None) -> None:
        """Sets variables at once: what is set and read is read into other memory first."""
        targets = {variable for variable, _ in pairs}
        moves: list[tuple[Variable, Node, Place | None]] = []
        for variable, value in pairs:
            source, kept = self.values.variables.get(value), None
            if len(pairs) > 1 and source in targets and source is not None:
                place, size = self.whole(source)
                kept = self.place(("copy", source), size)
                self.move(kept, place, size)
            moves.append((variable, value, kept))
        apart: list[tuple[Variable, Node, Place | None]] = []
        for variable, value, kept in moves:
            source = self.values.variables.get(value)
            several = source is not None and self.vectors.differs(source)
            blends = under is not None and under.mask is not None and variable in under.blend
            if self.vectors.differs(variable) and (blends or not several):
                apart.append((variable, value, kept))
                continue
            if source is not None:
                self.move(self.whole(variable)[0], kept or self.whole(source)[0], self.whole(source)[1])
            else:
                self.value(value)
                self.take(*self.whole(variable))
        if not apart:
            return
        with self._each(None if under is None else under.mask):
            for variable, value, kept in apart:
                assert isinstance(value.ty, Type)
                source, size = self.values.variables.get(value), value.ty.size_bytes
                if kept is None:
                    self.value(value)
                elif source is not None and self.vectors.differs(source):
                    self.push((self._its(size), kept[1]))
                else:
                    self.push(kept)
                self.take(self.of(variable), size)

    # Effects

    def load(self, accesses: PacketAccesses, node: Node, variable: Variable | None, under: Under) -> None:
        access = node.attr
        accesses.faults.checks(node, access, under)
        if variable is None:
            return
        if not self.vectors.differs(variable):
            self._first(accesses, node, access)
            self.take(*self.whole(variable))
            return
        size = access.element.size_bytes
        if accesses.step_of(node, access) == size and under.mask is None:
            self._first(accesses, node, access)
            self.take(*self.whole(variable))
            return
        with self._at(accesses, node, access, under) as address:
            self.move(self.of(variable), (("local.get", address), 0), size)

    def store(self, accesses: PacketAccesses, node: Node, under: Under) -> None:
        access, value = node.attr, node.args[1]
        accesses.faults.checks(node, access, under)
        size, source = access.element.size_bytes, self.values.variables.get(value)
        whole = self.whole(source) if source is not None else ((), 0)
        with self.vectors.temporary("i32") as target:
            if accesses.step_of(node, access) == size and under.mask is None and whole[1] == self.width * size:
                self._first(accesses, node, access)
                self.put(("local.set", target))
                self.move((("local.get", target), 0), *whole)
                return
            with self._at(accesses, node, access, under) as address:
                self.value(value)
                self.take((("local.get", address), 0), size)

    def _first(self, accesses: PacketAccesses, node: Node, access: MemoryAccess) -> None:
        """Pushes the address of the first lane."""
        further = accesses.first_address(node, access)
        self.put(*([("i32.const", further), ("i32.add",)] if further else []))

    @contextmanager
    def _at(self, accesses: PacketAccesses, node: Node, access: MemoryAccess, under: Under) -> Iterator[int]:
        """A loop over lanes, around what is done for each; gives the local with the lane's address."""
        put, temporary, step = self.put, self.vectors.temporary, accesses.step_of(node, access)
        place = self._store(0, accesses.addresses(node, access, None, None)) if step is None else 0
        with temporary("i32") as first, temporary("i32") as address:
            if step is not None:
                self._first(accesses, node, access)
                put(("local.set", first))
            with self._each(under.mask) as (lane, _):
                if step is None:
                    put(self._its(4), ("i32.load", 2, place))
                else:
                    put(("local.get", first), ("local.get", lane), ("i32.const", step), ("i32.mul",), ("i32.add",))
                put(("local.set", address))
                yield address

    def reduce_lanes(
        self, effects: Effects, node: Node, variable: Variable, under: Under, numbers: tuple[Node, Node], alike: bool
    ) -> None:
        """Reductions of what is at an offset, so many elements; of all lanes the same if they are `alike`."""
        put, values, (combine, access) = self.put, self.vectors, node.attr
        size = access.element.size_bytes
        with values.temporary("i64") as offset, values.temporary("i64") as count:
            locals_ = offset, count
            if alike:
                for number, local in zip(numbers, locals_, strict=True):
                    values.value(number)
                    put(("local.set", local))
                effects.reduced(combine, access, offset, count)
                if not values.differs(variable):
                    self.take(*self.whole(variable))
                    return
                with values.temporary("i32") as found:
                    put(("local.set", found))
                    with self._each(under.mask):
                        self.move(self.of(variable), (("local.get", found), 0), size)
                return
            with self._each(under.mask, numbers) as (lane, leaves):
                for number, local in zip(numbers, locals_, strict=True):
                    values.value(leaves.get(number, number))
                    put(("local.set", local))
                if own := self.code.own(access.base):
                    put(("local.get", lane), ("i64.extend_i32_u",), ("i64.const", own), ("i64.mul",))
                    put(("local.get", offset), ("i64.add",), ("local.set", offset))
                effects.reduced(combine, access, offset, count)
                self.take(self.of(variable), size)
