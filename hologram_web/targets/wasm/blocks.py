"""The blocks of a launch: which of their lanes are on, shared memory, and what lanes are told of themselves."""

from __future__ import annotations

from ...compiler.accesses import access_of
from ...compiler.ir import Node
from ...compiler.out_of_ssa import Do
from ...compiler.structure import Stop, Straight, Tree
from ...compiler.turned import SPAN
from ...compiler.windows import LaneWindow, is_lane
from ...isa.address import Space
from ...isa.types import Type
from .code import LOCAL, SHARED, Code
from .effects import Effects
from .encoder import Instr
from .polls import FIRST_TICKS, MOST_TICKS, Polls
from .routines import load_instruction
from .values import Values, value_type
from .wide import Wide

__all__ = ["Blocks", "leaf", "moved_row"]

_MOVED, _SHORT = 64, 1024  # bytes of a round that moves a row, and of a row that is short
_BLOCK_IDX = ("BLOCK_IDX_X", "BLOCK_IDX_Y", "BLOCK_IDX_Z")


class Blocks:
    """Writes what is around the lanes of a block."""

    def __init__(self, code: Code, values: Values, wide_integers: Wide, polls: Polls) -> None:
        self.code, self.function, self.values, self.wide_integers = code, code.function, values, wide_integers
        self.put, self.get, self.set, self.named = code.put, code.get, code.set, code.named
        self.argument = code.argument
        # What blocks call their place along each axis of the launch.
        self._places = [_BLOCK_IDX[code.function.axes.index(axis)] for axis in range(3)]
        self.polls, self._cost = polls, polls.lanes_cost(code.lowered.pieces)

    def prologue(self) -> None:
        """Loads what is the same for all blocks into locals."""
        self.put(("i64.const", FIRST_TICKS), self.set("ticks", "i64"))
        for name, ty in self.code.scalars:
            if not ty.is_wide:
                self.put(("local.get", 0), load_instruction(ty, self.code.places[name]))
                self.put(self.set(("param", name), value_type(ty)))
        for number, base in enumerate(self.code.bases):
            self.put(("local.get", 0), ("i32.load", 2, self.code.memories_at + 8 * number), self.set(("base", base)))
        for base, size in self.code.limits():
            # One past the last byte offset an element of that size can have; 0 if there is none.
            self.code.size(base)
            limit = self.named(("limit", base, size), "i64")
            self.put(("i64.const", size - 1), ("i64.sub",), ("local.tee", limit))
            self.put(("i64.const", 0), ("local.get", limit), ("i64.const", 0), ("i64.gt_s",), ("select",))
            self.put(("local.set", limit))
        if self.code.atomic:
            self.argument("alone")
            self.put(self.set("alone"))
        if self.code.uses_shared:
            self.argument("shared")
            if self.code.own_shared:  # where lanes share with nobody
                self.argument("spill")
                self.put(("i32.const", self.code.own_bytes * self.code.row), ("i32.add",))
                self._one_by_one()
                self.put(("select",))
            self.put(self.set(("base", SHARED)))
        if self.code.stride:
            self.argument("spill")
            self.put(self.set("spill"))
        elif self.code.own_room:  # lanes come one after the other, and use the same bytes
            self.argument("spill")
            self.put(self.set(("base", LOCAL)))
        if any(isinstance(n.ty, Type) and n.ty.is_wide for n in self.function.nodes()):
            self.argument("spill")
            spilled = self.code.stride * self.code.lanes if self.code.stride else self.code.own_room
            self.put(("i32.const", spilled), ("i32.add",), self.set("frame"))
            self.wide_integers.set_constants()

    def clear_own(self) -> None:
        """Local memory starts as zeros; that of the lanes of a packet is beside one another."""
        if self.code.own_room:
            self.put(self.get(("base", LOCAL)), ("i32.const", 0), ("i32.const", self.code.own_room), ("memory.fill", 0))

    def first(self) -> None:
        """Coordinates of the first block: who begins with 0, as short launches do, divides nothing."""
        put, (x, y, z) = self.put, self._places
        for axis in (0, 1):
            self.argument("grid", 4 * axis)
            put(self.set(("grid", axis)))
        put(self.get("block"), self.set(x))
        for axis, (name, following) in enumerate(((x, y), (y, z))):
            size = self.get(("grid", axis))
            put(self.get(name), size, ("i32.ge_u",), ("if", None))
            put(self.get(name), size, ("i32.div_u",), self.set(following))
            put(self.get(name), self.get(following), size, ("i32.mul",), ("i32.sub",), self.set(name))
        put(("end",), ("end",))

    def begin(self) -> None:
        """How many blocks are done at once: those of a row at most, so that their lanes are one row. Takes ticks."""
        put = self.put
        if not self.code.wide:
            put(("i32.const", 1), self.set("span"))
            self.polls.spend(("i64.const", self._cost))
            return
        put(("local.get", 2), self.get("block"), ("i32.sub",), self.set("span"))
        self._at_most(self.named("span"), self.get(("grid", 0)), self.get(_BLOCK_IDX[0]), ("i32.sub",))
        self._at_most(self.named("span"), ("i32.const", min(SPAN, max(1, MOST_TICKS // self._cost))))
        if self.function.spans > 1 and self.code.uses_shared:
            put(("i32.const", 1), self.get("span"))
            self._one_by_one()
            put(("select",), self.set("span"))
        put(self.get("span"), ("i64.extend_i32_u",), ("i64.const", self._cost), ("i64.mul",), self.set("price", "i64"))
        self.polls.spend(self.get("price", "i64"))

    def _one_by_one(self) -> None:
        """Whether blocks of one lane have more shared memory than their program says: there is room for one then."""
        self.argument("shared_size")
        self.put(("i32.const", self.function.shared_memory), ("i32.gt_u",))

    def next(self) -> None:
        """Counts the coordinates on, and pushes the number of the next block."""
        put = self.put
        for axis, name in enumerate(self._places):
            put(self.get(name), self.get("span") if axis == 0 else ("i32.const", 1), ("i32.add",), self.set(name))
            if axis < 2:
                put(self.get(name), self.get(("grid", axis)), ("i32.ge_u",), ("if", None))
                put(("i32.const", 0), self.set(name))
        put(("end",), ("end",))
        put(self.get("block"), self.get("span"), ("i32.add",), ("local.tee", self.named("block")))

    def enter(self) -> None:
        """How many lanes of the block are on, fresh shared memory. Goes on to the next block if there is none."""
        put = self.put
        for axis, (name, size) in enumerate(zip(_BLOCK_IDX, self.function.block_shape, strict=True)):
            # Lanes of this block that are on along the axis: min(size, lanes - index * size).
            on = self.named(("on", axis))
            size = 1 if self.function.spans > 1 else size
            self.argument("lanes", 4 * self.function.axes[axis])
            put(self.get(name), ("i32.const", size), ("i32.mul",), ("i32.sub",), ("local.set", on))
            blocks = [self.get("span"), ("i32.mul",)] if self.code.wide and not axis else []
            self._at_most(on, ("i32.const", size), *blocks)
            put(("local.get", on), ("i32.const", 0), ("i32.le_s",), ("br_if", 0))
        if self.code.uses_shared:
            stored = self._stored_first()
            if stored:
                put(self.get(("on", 0)), ("i32.const", self.code.lanes), ("i32.lt_s",))
                self.argument("shared_size")
                put(("i32.const", stored), ("i32.gt_u",), ("i32.or",), ("if", None))
            put(self.get(("base", SHARED)), ("i32.const", 0))
            self.argument("shared_size")
            put(("memory.fill", 0), *([("end",)] if stored else []))
        lanes = self.code.lanes
        put(self.get("block"), ("i32.const", lanes), ("i32.mul",), self.set("first"))

    def _stored_first(self) -> int:
        """How many bytes of shared memory, from its first on, the lanes of a whole block have stored when they first
        wait, in a row and before anything else is done to it: nobody reads the zeros that were there."""
        first, *_ = self.function.blocks
        uses = [a for node in first.nodes if (a := access_of(node)) is not None and a.base.space is Space.SHARED]
        store = next(
            (node for node in first.nodes if node.op == "store" and node.attr.base.space is Space.SHARED), None
        )
        if not self.code.flat or self.code.own_shared or first.end.kind != "barrier" or store is None or len(uses) != 1:
            return 0
        access, size = store.attr, store.attr.element.size_bytes
        whole = access.scale == size and not access.offset and is_lane(store.args[0])
        return size * self.code.lanes if whole else 0

    def _at_most(self, local: int, *limit: Instr) -> None:
        """Lowers a local to a limit."""
        with self.values.temporary("i32") as most:
            self.put(*limit, ("local.tee", most), ("local.get", local), ("local.get", most), ("local.get", local))
            self.put(("i32.lt_s",), ("select",), ("local.set", local))

    def enter_window(self, window: LaneWindow) -> Instr:
        """Begins an `if` for blocks with lanes in the window; sets the first lane, and gives what the last is below."""
        put, ends = self.put, []
        if (known := window.numbers) is not None:
            begin, behind = (("i32.const", min(max(number, 0), self.code.lanes)) for number in known)
            until = self.named("until")
            put(self.get(("on", 0)), ("local.set", until))
            self._at_most(until, behind)
            put(begin, ("local.tee", self.named("lane")), ("local.get", until), ("i32.lt_s",), ("if", None))
            return self.get("until")
        for name, bound, past in (("low", window.low, window.past_low), ("high", window.high, window.past_high)):
            limit = [("i64.const", 0)] if name == "low" else [self.get(("on", 0)), ("i64.extend_i32_s",)]
            put(*limit, ("local.set", end := self.named(name, "i64")))
            ends.append(end)
            if bound is None:
                continue
            with self.values.temporary("i64") as own:
                self.values.value(bound)
                if value_type(bound.ty) == "i32":
                    put(("i64.extend_i32_s" if bound.ty.is_signed else "i64.extend_i32_u",))  # type: ignore[union-attr]  # an integer
                put(("i64.const", past), ("i64.add",), ("local.tee", own), ("local.get", end))
                put(("local.get", own), ("local.get", end), ("i64.gt_s" if name == "low" else "i64.lt_s",))
                put(("select",), ("local.set", end))
        low, high = (("local.get", end) for end in ends)
        put(low, ("i32.wrap_i64",), self.set("lane"), high, ("i32.wrap_i64",), self.set("until"))
        put(low, high, ("i64.lt_s",), ("if", None))
        return self.get("until")

    def move(self, effects: Effects, load: Node, store: Node, count: Instr) -> None:
        """Moves a row, all lanes at once; a short one by vectors, as `memory.copy` is a call (in V8 trees of 64 lanes
        took 1.3 times as long with it, of 256 lanes 1.1, and of 1,024 lanes 0.93)."""
        put, temporary = self.put, self.values.temporary
        size = load.attr.element.size_bytes
        with temporary("i32") as target, temporary("i32") as source, temporary("i32") as left:
            row: tuple[Instr, ...] = ("local.get", target), ("local.get", source), ("local.get", left)
            for node, local in ((store, target), (load, source)):
                further = effects.address(node, node.attr)
                put(("i32.const", further), ("i32.add",), ("local.set", local))
            put(count, self.get("lane"), ("i32.sub",), ("i32.const", size), ("i32.mul",), ("local.set", left))
            if self.code.lanes * size <= _SHORT:
                more: tuple[Instr, ...] = row[2], ("i32.const", _MOVED), ("i32.ge_s",)
                put(*more, ("if", None), ("loop", None))
                for place in range(0, _MOVED, 16):
                    put(*row[:2], ("v128.load", 2, place), ("v128.store", 2, place))
                for local, step in ((target, _MOVED), (source, _MOVED), (left, -_MOVED)):
                    put(("local.get", local), ("i32.const", step), ("i32.add",), ("local.set", local))
                put(*more, ("br_if", 0), ("end",), ("end",))
            put(row[2], ("if", None), *row, ("memory.copy",), ("end",))


def moved_row(code: Code, trees: list[Tree]) -> tuple[Node, Node] | None:
    """The load and the store of lanes that move a row of elements to shared memory or back, and do nothing else."""
    pieces = [tree.piece for tree in trees if isinstance(tree, Straight)]
    effects = [s.node for piece in pieces for s in piece.statements if isinstance(s, Do)]
    if not all(isinstance(tree, Straight | Stop) for tree in trees) or [n.op for n in effects] != ["load", "store"]:
        return None
    load, store = effects
    if sum(len(piece.statements) for piece in pieces) != 2 or store.args[1] is not load:
        return None
    source, target = load.attr, store.attr
    if Space.LOCAL in (source.base.space, target.base.space) or code.own_shared:
        return None
    shared = [access.base.space is Space.SHARED for access in (source, target)]
    rows = all(code.lowered.lanes.kind(node) == "contiguous" for node in effects)
    return (load, store) if rows and shared[0] != shared[1] and source.element is target.element else None


def leaf(code: Code, node: Node) -> None:
    """Pushes a parameter or a preloaded value."""
    if node.op == "param":
        code.put(code.get(("param", node.attr), value_type(node.ty)))
        return
    x, y, z = code.function.block_shape
    match node.attr:
        case "GLOBAL_LANE_ID":
            code.lane_id()
            code.put(("i64.extend_i32_u",))
        case "BLOCK_DIM_X" | "BLOCK_DIM_Y" | "BLOCK_DIM_Z":
            code.put(("i32.const", (x, y, z)["XYZ".index(node.attr[-1])]))
        case "GRID_DIM_X" | "GRID_DIM_Y" | "GRID_DIM_Z":
            code.argument("grid", 4 * code.function.axes["XYZ".index(node.attr[-1])])
        case "LANE_IDX_X" if y == z == 1:
            code.put(code.get("lane"))
        case "LANE_IDX_Y" | "LANE_IDX_Z" if y == z == 1:
            code.put(("i32.const", 0))
        case "FIRST_LANE_ID":
            code.put(code.get("first"), ("i64.extend_i32_u",))
        case "LAST_LANE_ID":
            code.put(code.get("first"))
            for axis, weight in enumerate((1, x, x * y)):
                code.put(("local.get", code.named(("on", axis))), ("i32.const", 1), ("i32.sub",))
                code.put(("i32.const", weight), ("i32.mul",), ("i32.add",))
            code.put(("i64.extend_i32_u",))
        case "LAST_LANE_IDX_X" | "LAST_LANE_IDX_Y" | "LAST_LANE_IDX_Z":
            code.put(("local.get", code.named(("on", "XYZ".index(node.attr[-1])))), ("i32.const", 1), ("i32.sub",))
        case "FIRST_OF_PART":
            code.put(code.get("from"))
        case "LAST_OF_PART":
            code.put(code.get("to"), ("i32.const", 1), ("i32.sub",))
        case "STEPS":
            code.argument("budget", 0, "i64")
        case ("size", base):
            code.size(base)
        case ("limit", _, _):
            code.put(code.get(node.attr, "i64"))
        case name:
            code.put(code.get(name))
