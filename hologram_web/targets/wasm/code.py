"""What the parts of a kernel share: the function that is written and its locals, the argument block, and where lanes
keep what they have across barriers."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ...compiler.accesses import Check, place_of, repeated
from ...compiler.bounds import Bounds, global_axis
from ...compiler.fission import Fission, fission, reachable
from ...compiler.ir import Function
from ...compiler.out_of_ssa import Count, Lowered, Variable, argument_starts, lower, spill_size
from ...errors import FAULT_KINDS
from ...isa.address import ON_CHIP, Space
from ...isa.types import Type
from ...isa.verify import ON_CHIP_BASES, Base
from .encoder import FunctionBody, Instr, Module
from .wide import Place

__all__ = ["ARGUMENTS", "FAULT_KINDS", "LOCAL", "SHARED", "SLOT", "Code", "is_one_row"]

# The argument block: byte offset of each field. Status words first; `lane` and `base` say where a fault was, `offset`
# and `need` which bytes, `other` which coordinate or which other barrier. Until then that word is `alone`: whether no
# other call uses the memory meanwhile, so that atomics are loads and stores (a histogram of 64 Ki took 55 us, and 336
# by atomic instructions).
ARGUMENTS = {
    "kind": 0, "at": 4, "base": 8, "lane": 12, "offset": 16, "cancel": 24, "other": 28, "alone": 28,
    "grid": 32, "lanes": 44, "shared_size": 56, "shared": 60, "budget": 64, "spill": 72, "scratch": 76,
    "need": 80, "values": 88,
}  # fmt: skip

LOCAL, SHARED = Base(Space.LOCAL, None), Base(Space.SHARED, None)
_DEEPER = {"block": 1, "loop": 1, "if": 1, "end": -1}
SLOT = 8  # bytes of a spilled variable


class Code:
    """The code of a kernel while it is written. `row` lanes of a row go together: 1, or those of a packet."""

    def __init__(self, function: Function, row: int) -> None:
        self.function, self.row = function, row
        self.module = Module([FunctionBody("poll", (), ())])
        self.body = FunctionBody("kernel", ("i32", "i32", "i32"), (), exported=True)
        self.body.names = {0: "arguments", 1: "begin", 2: "end"}
        self.module.add(self.body)
        self.depth = 0
        self._locals: dict[Any, int] = {}
        self.lowered: Lowered = lower(function)
        self.segmented = self.lowered.waits
        self.plan: Fission | None = fission(self.lowered) if self.segmented else None
        uniform = self.plan.uniform if self.plan is not None else set[Variable]()
        self.bounds = Bounds(function, lambda node: self.lowered.variables.get(node) in uniform)
        self.repeated: set[Check] = repeated(function)
        used = {node.attr: node.ty for node in function.nodes() if node.op == "param"}
        self.scalars: list[tuple[str, Type]] = [(name, ty) for name, ty in used.items() if isinstance(ty, Type)]
        starts = [ARGUMENTS["values"] + start for start in argument_starts(self.scalars)]
        self.places = dict(zip((name for name, _ in self.scalars), starts, strict=False))
        self.memories_at = starts[-1]
        self.bases = [base for base in function.bases if base.space not in ON_CHIP]
        self.atomic = any(n.op == "atomic" and n.attr[1].base.space is not Space.SHARED for n in function.nodes())
        x, y, z = function.block_shape
        self.flat, self.lanes = y == z == 1, x * y * z // function.spans
        self.padded = -(-x // row) * row * y * z  # lanes of whole rows of packets
        self.own_bytes = -(-function.local_memory // SLOT) * SLOT if LOCAL in function.bases else 0
        self.own_shared = -(-function.shared_memory // SLOT) * SLOT if self.uses_shared and function.spans > 1 else 0
        self.own_room = (self.own_bytes + self.own_shared) * row  # of lanes that come together
        self.slots, self.room = self._slots()
        self.stride = -(-self.room * self.padded // self.lanes // 8) * 8
        self.wide = function.spans > 1 or is_one_row(function)

    # Code and locals

    def put(self, *code: Instr) -> None:
        """Appends instructions."""
        for instr in code:
            if instr[0] in _DEEPER:
                self.depth += _DEEPER[instr[0]]
        self.body.code.extend(code)

    def named(self, name: Any, ty: str = "i32") -> int:
        """A local by name, made when first asked for."""
        if name not in self._locals:
            words = name if isinstance(name, tuple) else (name,)
            self._locals[name] = self.body.local(ty, ".".join(map(str, words)))
        return self._locals[name]

    def name(self, name: Any, local: int) -> None:
        """Names a local that is there."""
        self._locals[name] = local

    def get(self, name: Any, ty: str = "i32") -> Instr:
        return ("local.get", self.named(name, ty))

    def set(self, name: Any, ty: str = "i32") -> Instr:
        return ("local.set", self.named(name, ty))

    # The argument block

    def argument(self, field_name: str, extra: int = 0, ty: str = "i32") -> None:
        """Pushes a field."""
        self.put(("local.get", 0), (f"{ty}.load", 2, ARGUMENTS[field_name] + extra))

    def wide_scalar(self, name: str) -> Place:
        """Where a wide scalar is: it stays in the argument block."""
        return ("local.get", 0), self.places[name]

    def own(self, base: Base) -> int:
        """The bytes that each lane has of a memory for itself, beside those of its neighbours."""
        return {LOCAL: self.own_bytes, SHARED: self.own_shared}.get(base, 0)

    def size(self, base: Base) -> None:
        """Pushes the bytes of a memory, as i64."""
        if base.space is Space.LOCAL:
            self.put(("i64.const", self.function.local_memory))
            return
        if base.space is Space.SHARED:
            self.argument("shared_size")
        else:
            self.put(("local.get", 0), ("i32.load", 2, self.memories_at + 8 * self.bases.index(base) + 4))
        self.put(("i64.extend_i32_u",))

    def limits(self) -> list[tuple[Base, int]]:
        """The memories, and sizes of elements in them, that accesses are checked against."""
        found: dict[tuple[Base, int], None] = {}
        for node in self.function.nodes():
            access = place_of(node)
            if access is not None and access.checked:
                found[access.base, access.reach] = None
        return list(found)

    def base_number(self, base: Base) -> int:
        """The base's place in the argument block; behind the last are shared and local memory."""
        return [*self.bases, *ON_CHIP_BASES].index(base)

    def lane_id(self) -> None:
        """Pushes the number of the lane in the launch, as i32."""
        self.put(self.get("first"), self.get("lane"), ("i32.add",))

    def fault_routine(self) -> int:
        """A function that stores its operands into the status words."""
        if "fault" not in self.module.numbers:
            fields = ("kind", "at", "base", "lane", "other", "offset", "need")
            kinds = ["i32"] * 5 + ["i64"] * 2
            body = FunctionBody("fault", ("i32", *kinds), ())
            for position, (name, ty) in enumerate(zip(fields, kinds, strict=True), 1):
                body.code += [("local.get", 0), ("local.get", position), (f"{ty}.store", 2, ARGUMENTS[name])]
            self.module.add(body)
        return self.module.numbers["fault"]

    # What lanes do

    @property
    def uses_shared(self) -> bool:
        return any(base.space is Space.SHARED for base in self.function.bases)

    @cached_property
    def has_budget(self) -> bool:
        return any(isinstance(s, Count) for piece in self.lowered.pieces for s in piece.statements)

    @cached_property
    def lanes_leave(self) -> bool:
        """Whether lanes of a block that is divided may exit while others go on."""
        return self.plan is not None and any(run.leaves for run in self.plan.runs)

    @cached_property
    def lanes_step(self) -> bool:
        """Whether lanes of a block that is divided take steps by themselves, so that their budgets differ."""
        runs = [] if self.plan is None else self.plan.runs
        return any(
            isinstance(s, Count)
            for run in runs
            for piece in reachable([run.entry], lambda p: p.ways)
            for s in piece.statements
        )

    @property
    def budget_slot(self) -> int:
        """Where the budget of a lane of a divided block is kept."""
        return SLOT * (self.lanes_leave or self.plan is None)

    def _slots(self) -> tuple[dict[Variable, int], int]:
        """Where variables lie in the spill memory of a lane, and how much of it each lane has."""
        if not self.segmented:
            return {}, 0
        if self.plan is None:
            kept = [v for piece in self.lowered.resumes[1:] for v in self.lowered.live(piece)]
            head = 1 + self.has_budget
        else:
            kept = [v for run in self.plan.runs for v in (*run.loads, *run.stores)]
            head = self.lanes_leave + self.lanes_step
        slots, end = {}, SLOT * head
        for variable in dict.fromkeys(kept):
            slots[variable] = end
            end += spill_size(variable.ty)
        return slots, end + self.own_bytes


def is_one_row(function: Function) -> bool:
    """Whether a lane's code depends on its place along the first axis of the launch, and not on that in its block, so
    that the lanes of blocks side by side can be one loop.

    Its place in a block is asked then for its place in the launch only, by `global_axis`, which says the same of lanes
    of blocks behind the first, whose places go on.
    """
    shape = function.block_shape
    own = any(base.space is Space.SHARED for base in function.bases)
    if shape[1:] != (1, 1) or function.axes[0] or own or any(block.end.kind == "barrier" for block in function.blocks):
        return False
    nodes = list(function.nodes())
    places = {node for node in nodes if global_axis(node, shape) == "X"}
    blocks = {arg for node in places for arg in node.args if arg.op != "special"}
    for node in nodes:
        for arg in () if node in places else node.args:
            own = arg.op == "special" and arg.attr in ("LANE_IDX_X", "BLOCK_IDX_X")
            if arg in blocks or (own and node not in blocks):
                return False
    return True
