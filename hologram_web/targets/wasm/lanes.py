"""Loops over lanes: the blocks of a launch, which of their lanes are on, and what lanes are told of themselves.

The loop over the lanes of a block is written twice where that leaves checks out, does several lanes a round where these
are short, leaves lanes out that do nothing, and is one copy where lanes move a row to shared memory or back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...compiler.accesses import Check, checks_of, repeated
from ...compiler.bounds import Bounds
from ...compiler.fission import Fission, fission, reachable
from ...compiler.ir import Function, Node
from ...compiler.out_of_ssa import (
    Count,
    Do,
    Lowered,
    ParallelRegion,
    Piece,
    Variable,
    argument_starts,
    lower,
    spill_size,
)
from ...compiler.ranges import Ranges
from ...compiler.structure import Stop, Straight, Tree
from ...compiler.windows import LaneWindow
from ...isa.address import ON_CHIP, Space
from ...isa.types import Type
from ...isa.verify import Base
from .effects import Effects, access_of
from .encoder import FunctionBody, Instr, Module
from .polls import ARGUMENTS, FIRST_TICKS, MOST_TICKS
from .routines import Routines, load_instruction
from .values import Values, value_type
from .wide import Place, Wide

__all__ = ["LOCAL", "SLOT", "Lanes"]

SLOT = 8  # bytes of a spilled variable
_SPAN = 64  # blocks whose lanes are one loop, where they may be
_MAX_TWICE = 400  # statements of a loop over lanes that is written twice, without checks and with
_MAX_CONDITIONS = 64
_UNROLLED = 4  # lanes a round of a loop over lanes
_MAX_UNROLLED = 16  # statements of a lane
LOCAL = Base(Space.LOCAL, None)
_BLOCK_IDX = ("BLOCK_IDX_X", "BLOCK_IDX_Y", "BLOCK_IDX_Z")


class Lanes(Effects):
    """Emits what is around the code of a lane. The kernel (kernel.py) that inherits it has that code."""

    def __init__(self, function: Function, wide_arithmetic: bool) -> None:
        self.function = function
        self.module = Module([FunctionBody("poll", (), ())])
        self.body = FunctionBody("kernel", ("i32", "i32", "i32"), (), exported=True)
        self.body.names = {0: "arguments", 1: "begin", 2: "end"}
        self.module.add(self.body)
        self.lowered: Lowered = lower(function)
        variables, ranges = dict(self.lowered.variables), Ranges(function)
        routines = Routines(self.module, wide_arithmetic, lambda: self._look_routine(()))
        self.values = self._values(variables, routines, ranges)
        self.values.wide = self.wide_integers = Wide(function, self.values, lambda: self.get("frame"), self._argument)
        used = {node.attr: node.ty for node in function.nodes() if node.op == "param"}
        self.scalars: list[tuple[str, Type]] = [(name, ty) for name, ty in used.items() if isinstance(ty, Type)]
        starts = [ARGUMENTS["values"] + start for start in argument_starts(self.scalars)]
        self.places = dict(zip((name for name, _ in self.scalars), starts, strict=False))
        self.memories_at = starts[-1]
        self.atomic = any(n.op == "atomic" and n.attr[1].base.space is not Space.SHARED for n in function.nodes())
        self.bases = [base for base in function.bases if base.space not in ON_CHIP]
        self.labels: dict[int, int] = {}
        self.late: dict[int, tuple[int, Instr]] = {}
        self.depth = 0
        self.locals: dict[Any, int] = {}
        self.lane_depth = 0
        self.block_depth = 0
        self.segmented = any(piece.kind == "barrier" for piece in self.lowered.pieces)
        self.plan: Fission | None = fission(self.lowered) if self.segmented else None
        self.run_: ParallelRegion | None = None  # whose lanes are emitted
        uniform = self.plan.uniform if self.plan is not None else set[Variable]()
        self.bounds = Bounds(function, lambda node: self.lowered.variables.get(node) in uniform)
        self.repeated: set[Check] = repeated(function)
        self.proven = self.repeated
        self.rows: dict[Node, int] = {}
        self.unchecked = False  # whether all accesses of the loop over lanes are proven
        self.own_bytes = -(-function.local_memory // SLOT) * SLOT if LOCAL in function.bases else 0
        self.own_room = self.own_bytes  # of lanes that come together
        self.slots, self.stride = self._slots()
        self.wide = self._is_wide()
        cost = self.lanes_cost(self.lowered.pieces)
        self.span = min(_SPAN, max(1, MOST_TICKS // cost)) if self.wide else 1

    def _values(self, variables: dict[Node, Variable], routines: Routines, ranges: Ranges) -> Values:
        return Values(self.body, variables, self._leaf, routines, ranges)

    # Small helpers

    def put(self, *code: Instr) -> None:
        for instr in code:
            if instr[0] in ("block", "loop", "if"):
                self.depth += 1
            elif instr[0] == "end":
                self.depth -= 1
        self.body.code.extend(code)

    def named(self, name: Any, ty: str = "i32") -> int:
        """A local by name, made when first asked for."""
        if name not in self.locals:
            words = name if isinstance(name, tuple) else (name,)
            self.locals[name] = self.body.local(ty, ".".join(map(str, words)))
        return self.locals[name]

    def get(self, name: Any, ty: str = "i32") -> Instr:
        return ("local.get", self.named(name, ty))

    def set(self, name: Any, ty: str = "i32") -> Instr:
        return ("local.set", self.named(name, ty))

    def _argument(self, name: str) -> Place:
        """Where a wide scalar is: it stays in the argument block."""
        return ("local.get", 0), self.places[name]

    def argument(self, field_name: str, extra: int = 0, ty: str = "i32") -> None:
        self.put(("local.get", 0), (f"{ty}.load", 2, ARGUMENTS[field_name] + extra))

    # Blocks

    def _prologue(self) -> None:
        """Loads what is the same for all blocks into locals."""
        self.put(("i64.const", FIRST_TICKS), self.set("ticks", "i64"))
        for name, ty in self.scalars:
            if not ty.is_wide:
                self.put(("local.get", 0), load_instruction(ty, self.places[name]))
                self.put(self.set(("param", name), value_type(ty)))
        for number, base in enumerate(self.bases):
            self.put(("local.get", 0), ("i32.load", 2, self.memories_at + 8 * number), self.set(("base", base)))
        for base, size in self._limits():
            # One past the last byte offset an element of that size can have; 0 if there is none.
            self._size(base)
            limit = self.named(("limit", base, size), "i64")
            self.put(("i64.const", size - 1), ("i64.sub",), ("local.tee", limit))
            self.put(("i64.const", 0), ("local.get", limit), ("i64.const", 0), ("i64.gt_s",), ("select",))
            self.put(("local.set", limit))
        if self.atomic:
            self.argument("alone")
            self.put(self.set("alone"))
        if self._uses_shared():
            self.argument("shared")
            self.put(self.set(("base", Base(Space.SHARED, None))))
        if self.stride:
            self.argument("spill")
            self.put(self.set("spill"))
        elif self.own_bytes:  # lanes come one after the other, and use the same bytes
            self.argument("spill")
            self.put(self.set(("base", LOCAL)))
        if any(isinstance(n.ty, Type) and n.ty.is_wide for n in self.function.nodes()):
            self.argument("spill")
            spilled = self.stride * self._block_lanes() if self.stride else self.own_room
            self.put(("i32.const", spilled), ("i32.add",), self.set("frame"))
            self.wide_integers.set_constants()

    def _clear_own(self) -> None:
        """Local memory starts as zeros."""
        if self.own_bytes:
            self.put(self.get(("base", LOCAL)), ("i32.const", 0), ("i32.const", self.own_bytes), ("memory.fill", 0))

    def _limits(self) -> list[tuple[Base, int]]:
        found: dict[tuple[Base, int], None] = {}
        for node in self.function.nodes():
            access = access_of(node)
            if access is not None and access.checked and node.op != "reduce":
                found[access.base, access.element.size_bytes] = None
        return list(found)

    def _uses_shared(self) -> bool:
        return any(base.space is Space.SHARED for base in self.function.bases)

    def _has_budget(self) -> bool:
        return any(isinstance(s, Count) for piece in self.lowered.pieces for s in piece.statements)

    def _slots(self) -> tuple[dict[Variable, int], int]:
        """Where variables lie in the spill memory of a lane, and how much of it each lane has."""
        if not self.segmented:
            return {}, 0
        if self.plan is None:
            kept = [v for piece in self.lowered.resumes[1:] for v in self.lowered.live(piece)]
            head = 1 + self._has_budget()
        else:
            kept = [v for run in self.plan.runs for v in (*run.loads, *run.stores)]
            head = self._lanes_leave() + self._lanes_step()
        slots, end = {}, SLOT * head
        for variable in dict.fromkeys(kept):
            slots[variable] = end
            end += spill_size(variable.ty)
        return slots, end + self.own_bytes

    def _lanes_leave(self) -> bool:
        """Whether lanes of a block that is divided may exit while others go on."""
        return self.plan is not None and any(run.leaves for run in self.plan.runs)

    def _lanes_step(self) -> bool:
        """Whether lanes of a block that is divided take steps by themselves, so that their budgets differ."""
        runs = [] if self.plan is None else self.plan.runs
        return any(
            isinstance(s, Count)
            for run in runs
            for piece in reachable([run.entry], lambda p: p.ways)
            for s in piece.statements
        )

    def _first_block(self) -> None:
        """Coordinates of the first block."""
        put = self.put
        put(self.get("block"), self.set("rest"))
        for axis, name in enumerate(_BLOCK_IDX[:2]):
            self.argument("grid", 4 * axis)
            put(self.set(("grid", axis)), self.get("rest"), self.get(("grid", axis)), ("i32.rem_u",), self.set(name))
            put(self.get("rest"), self.get(("grid", axis)), ("i32.div_u",), self.set("rest"))
        put(self.get("rest"), self.set(_BLOCK_IDX[2]))
        put(("i32.const", 1), self.set("span"))
        if self.wide:
            self.argument("grid", 4)
            self.argument("grid", 8)
            put(("i32.mul",), ("i32.const", 1), ("i32.eq",), ("if", None), ("i32.const", self.span), self.set("span"))
            put(("end",))

    def _next_block(self) -> None:
        """Counts the coordinates on, and pushes the number of the next block."""
        put = self.put
        for axis, name in enumerate(_BLOCK_IDX):
            put(self.get(name), self.get("span") if axis == 0 else ("i32.const", 1), ("i32.add",), self.set(name))
            if axis < 2:
                put(self.get(name), self.get(("grid", axis)), ("i32.ge_u",), ("if", None))
                put(("i32.const", 0), self.set(name))
        put(("end",), ("end",))
        put(self.get("block"), self.get("span"), ("i32.add",), ("local.tee", self.named("block")))

    def _enter_block(self) -> None:
        """How many lanes of the block are on, fresh shared memory. Goes on to the next block if there is none."""
        put = self.put
        for axis, (name, size) in enumerate(zip(_BLOCK_IDX, self.function.block_shape, strict=True)):
            # Lanes of this block that are on along the axis: min(size, lanes - index * size).
            on = self.named(("on", axis))
            self.argument("lanes", 4 * axis)
            put(self.get(name), ("i32.const", size), ("i32.mul",), ("i32.sub",), ("local.set", on))
            self._at_most(
                on, ("i32.const", size), *([self.get("span"), ("i32.mul",)] if self.wide and not axis else [])
            )
            if self.wide and not axis:
                with self.values.temporary("i32") as blocks:  # at most `span`, so that their lanes do not wrap
                    put(("local.get", 2), self.get("block"), ("i32.sub",), ("local.set", blocks))
                    self._at_most(blocks, self.get("span"))
                    self._at_most(on, ("local.get", blocks), ("i32.const", size), ("i32.mul",))
            put(("local.get", on), ("i32.const", 0), ("i32.le_s",), ("br_if", 0))
        if self._uses_shared():
            put(self.get(("base", Base(Space.SHARED, None))), ("i32.const", 0))
            self.argument("shared_size")
            put(("memory.fill", 0))
        lanes = self._block_lanes()
        # Lanes are counted from the first of the block, or all together (`first` is then 0).
        put(self.get("block"), ("i32.const", lanes), ("i32.mul",), self.set("start" if self.wide else "first"))
        if self.wide:
            put(self.get("start"), ("local.get", self.named(("on", 0))), ("i32.add",), self.set("stop"))

    def _at_most(self, local: int, *limit: Instr) -> None:
        """Lowers a local to a limit."""
        with self.values.temporary("i32") as most:
            self.put(*limit, ("local.tee", most), ("local.get", local), ("local.get", most), ("local.get", local))
            self.put(("i32.lt_s",), ("select",), ("local.set", local))

    def _is_wide(self) -> bool:
        """Whether a lane's code depends on nothing but its number, so that the lanes of many blocks can be one loop."""
        specials = {node.attr for node in self.function.nodes() if node.op == "special"}
        flat = self.function.block_shape[1:] == (1, 1)
        own = self.segmented or self._uses_shared()
        return flat and not own and not any(name.startswith(("LANE_IDX", "BLOCK_IDX")) for name in specials)

    def _block_lanes(self) -> int:
        x, y, z = self.function.block_shape
        return x * y * z

    def _both_ways(self, pieces: list[Piece], lanes: Callable[[], None]) -> None:
        """A loop over lanes twice: without checks of what the block proves to be in bounds, and with all."""
        put = self.put
        statements = [s for piece in pieces for s in piece.statements]
        effects = [s.node for s in statements if isinstance(s, Do)]
        few = len(statements) < _MAX_TWICE
        conditions, proven = self.bounds.prove(effects, self.repeated) if few else ([], set[Check]())
        if not proven or len(conditions) > _MAX_CONDITIONS:
            lanes()
            return
        self.values.all_hold(conditions)
        put(("if", None))
        self.proven = self.repeated | proven
        self.unchecked = all(check in self.proven for effect in effects for check in checks_of(effect) or [effect])
        lanes()
        self.proven, self.unchecked = self.repeated, False
        put(("else",))
        lanes()
        put(("end",))

    def _lanes(
        self, trees: list[Tree], before: Callable[[], None] | None = None, some: LaneWindow | None = None
    ) -> None:
        """A loop over the lanes that are on, and in the window; each does what `before` emits, then the trees.

        `br` to lane_depth ends the lane.
        """
        put = self.put
        x, y, z = self.function.block_shape
        flat = y == z == 1
        count = ("local.get", self.named(("on", 0))) if flat else ("i32.const", x * y * z)
        if self.wide:
            count = self.get("stop")
        put(self.get("start") if self.wide else ("i32.const", 0), self.set("lane"))
        if some is not None:
            count = self._enter_window(some)
        lane_cost = self.round_cost(trees)

        def lane() -> None:
            put(("block", None))
            self.lane_depth = self.depth
            self._coordinates(flat)
            if before is not None:
                before()
            if lane_cost * self._block_lanes() > MOST_TICKS:
                self.spend(("i64.const", lane_cost))
            self._trees(trees)
            put(("end",), self.get("lane"), ("i32.const", 1), ("i32.add",), self.set("lane"))

        moved = self._moved(trees) if flat and self.unchecked else None
        if moved is not None:
            self._move(*moved, count)
            put(("block", None))
        elif flat and self.unchecked and not self._lanes_leave() and _is_short(trees):
            # Several lanes a round, whose addresses differ by constants (a copy to shared memory: 2.4 times as fast).
            # All of them are on: it is the first that computes the addresses.
            more = [self.get("lane"), ("i32.const", _UNROLLED - 1), ("i32.add",), count, ("i32.lt_s",)]
            put(*more, ("if", None), ("loop", None))
            for self.copy in range(_UNROLLED):
                lane()
            self.copy = None
            self.rows.clear()
            put(*more, ("br_if", 0), ("end",), ("end",), self.get("lane"), count, ("i32.lt_s",), ("if", None))
        else:
            put(("block", None))
        if moved is None:
            put(("loop", None))
            lane()
            put(self.get("lane"), count, ("i32.lt_s",), ("br_if", 0), ("end",))
        put(("end",))
        if some is not None:
            put(("end",))

    def _moved(self, trees: list[Tree]) -> tuple[Node, Node] | None:
        """The load and the store of lanes that move a row of elements to shared memory or back, and do nothing else."""
        run = self.run_
        if run is None or run.loads or run.stores or run.leaves or self._lanes_leave() or self._lanes_step():
            return None
        pieces = [tree.piece for tree in trees if isinstance(tree, Straight)]
        effects = [s.node for piece in pieces for s in piece.statements if isinstance(s, Do)]
        if not all(isinstance(tree, Straight | Stop) for tree in trees) or [n.op for n in effects] != ["load", "store"]:
            return None
        load, store = effects
        if sum(len(piece.statements) for piece in pieces) != 2 or store.args[1] is not load:
            return None
        source, target = load.attr, store.attr
        if Space.LOCAL in (source.base.space, target.base.space):
            return None
        shared = [access.base.space is Space.SHARED for access in (source, target)]
        rows = all(self.lowered.lanes.kind(node) == "contiguous" for node in effects)
        return (load, store) if rows and shared[0] != shared[1] and source.element is target.element else None

    def _move(self, load: Node, store: Node, count: Instr) -> None:
        """All lanes at once."""
        for node in (store, load):
            if further := self._address(node, node.attr):
                self.put(("i32.const", further), ("i32.add",))
        self.put(count, self.get("lane"), ("i32.sub",), ("i32.const", load.attr.element.size_bytes), ("i32.mul",))
        self.put(("memory.copy",))

    def _enter_window(self, window: LaneWindow) -> Instr:
        """Begins an `if` for blocks with lanes in the window; sets the first lane, and gives what the last is below."""
        put, ends = self.put, []
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

    def _coordinates(self, flat: bool) -> None:
        """Lane coordinates; lanes that are off go on to the next."""
        put = self.put
        x, y, _ = self.function.block_shape
        if flat:
            return
        put(self.get("lane"), ("i32.const", x), ("i32.rem_u",), self.set("LANE_IDX_X"))
        put(self.get("lane"), ("i32.const", x), ("i32.div_u",), ("i32.const", y), ("i32.rem_u",))
        put(self.set("LANE_IDX_Y"))
        put(self.get("lane"), ("i32.const", x * y), ("i32.div_u",), self.set("LANE_IDX_Z"))
        for axis, name in enumerate("XYZ"):
            put(self.get(f"LANE_IDX_{name}"), ("local.get", self.named(("on", axis))), ("i32.ge_s",))
            put(("br_if", self.depth - self.lane_depth))

    def lane_id(self) -> None:
        self.put(*([] if self.wide else [self.get("first")]), self.get("lane"), *([] if self.wide else [("i32.add",)]))

    def _leaf(self, node: Node) -> None:
        """Pushes a parameter or a preloaded value."""
        if node.op == "param":
            self.put(self.get(("param", node.attr), value_type(node.ty)))
            return
        x, y, z = self.function.block_shape
        match node.attr:
            case "GLOBAL_LANE_ID":
                self.lane_id()
                self.put(("i64.extend_i32_u",))
            case "BLOCK_DIM_X" | "BLOCK_DIM_Y" | "BLOCK_DIM_Z":
                self.put(("i32.const", (x, y, z)["XYZ".index(node.attr[-1])]))
            case "GRID_DIM_X" | "GRID_DIM_Y" | "GRID_DIM_Z":
                self.argument("grid", 4 * "XYZ".index(node.attr[-1]))
            case "LANE_IDX_X" if y == z == 1:
                self.put(self.get("lane"))
            case "LANE_IDX_Y" | "LANE_IDX_Z" if y == z == 1:
                self.put(("i32.const", 0))
            case "FIRST_LANE_ID":
                self.put(self.get("start" if self.wide else "first"), ("i64.extend_i32_u",))
            case "LAST_LANE_ID":
                self.put(self.get("start" if self.wide else "first"))
                for axis, weight in enumerate((1, x, x * y)):
                    self.put(("local.get", self.named(("on", axis))), ("i32.const", 1), ("i32.sub",))
                    self.put(("i32.const", weight), ("i32.mul",), ("i32.add",))
                self.put(("i64.extend_i32_u",))
            case "LAST_LANE_IDX_X" | "LAST_LANE_IDX_Y" | "LAST_LANE_IDX_Z":
                self.put(("local.get", self.named(("on", "XYZ".index(node.attr[-1])))), ("i32.const", 1), ("i32.sub",))
            case ("limit", _, _):
                self.put(self.get(node.attr, "i64"))
            case name:
                self.put(self.get(name))


def _is_short(trees: list[Tree]) -> bool:
    """Whether lanes do a few things without branches."""
    pieces = [tree.piece for tree in trees if isinstance(tree, Straight)]
    straight = all(isinstance(tree, Straight | Stop) for tree in trees)
    return straight and sum(len(piece.statements) for piece in pieces) <= _MAX_UNROLLED
