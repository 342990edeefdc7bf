"""Memory of a program: who may touch what, so that no two lanes race, and every way to write an address.

Memory is cut into *arrays* of one type. What lanes may do with an array keeps it free of races:

* `read`: every lane reads any element, and no lane writes;
* `own`: every lane reads and writes its own element only (`order` says which one is its own);
* `lane`: every lane has the whole array for itself, in local memory;
* `cells`: every lane reaches any element by one kind of atomic whose order does not matter, and none reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hologram_web.isa import Access, Address, Immediate, Param, Register, Type

from . import values
from .case import CLASS_BYTES, Memory, View
from .context import Context
from .data import array_of, random_bits, small_integers
from .emit import PARAMETER_REGISTERS, Value
from .tame import CANONICAL

__all__ = ["Array", "Holder", "Memories", "address", "load", "own_index", "place", "store", "views_of"]

_ORDERS = ("same", "same", "same", "reverse", "xor", "odd")


@dataclass(eq=False)
class Array:
    """Elements of one type in a holder; `nan` as of values."""

    holder: Holder
    offset: int
    ty: Type
    count: int
    use: str
    order: tuple[str, int] = ("same", 0)
    nan: bool = False
    plain: bool = False  # holds what the host put there: it can be read as another type
    detail: object = None  # of cells: the atomic operation, and a constant


@dataclass(eq=False)
class Holder:
    """A memory of the program: a buffer, a pool, a class, shared or local memory, with the ways to name it."""

    kind: str  # "buffer", "pool", "class", "shared", "local"
    names: list[str] = field(default_factory=list)
    registers: list[Register] = field(default_factory=list)  # that hold it, as parameters or moved
    data: bytearray = field(default_factory=bytearray)
    loads: bool = True
    stores: bool = True
    number: int = 0
    arrays: list[Array] = field(default_factory=list)
    limit: int = 1 << 20

    def room(self, size: int) -> bool:
        return len(self.data) + size + 16 <= self.limit

    def add(self, g: Context, ty: Type, data: bytes, use: str) -> Array:
        """A new array with these contents."""
        skip = -len(self.data) % ty.alignment + (g.pick((0, 0, ty.alignment, 16)))
        self.data += b"\xa5" * skip
        array = Array(self, len(self.data), ty, len(data) // ty.size_bytes, use)
        self.data += data
        self.arrays.append(array)
        return array


class Memories:
    """All memory of one program, made as it is needed."""

    def __init__(self, g: Context) -> None:
        self.params: list[Param] = []
        self.scalars: dict[str, Immediate] = {}
        self.inputs: list[Holder] = []
        self.outputs: list[Holder] = []
        self.cells: Holder | None = None
        self.trap: Holder | None = None  # where lanes may go out of bounds
        self.shared = Holder("shared", limit=g.profile.shared_bytes)
        self.private: dict[Type, Array] = {}  # shared memory that lanes use alone
        self.local = Holder("local", limit=g.profile.local_bytes)

    # Parameters

    def declare(self, g: Context) -> None:
        """Chooses the parameters."""
        left = g.profile.buffers - 1
        for number in range(min(g.between(1, 3), max(left - 2, 1))):
            holder = Holder("pool" if g.profile.pools and g.chance(0.12) else "buffer", stores=False)
            for alias in range(2 if left > 5 and g.chance(0.2) else 1):
                self._bind(g, holder, f"in{number}{'ab'[alias]}", Access.READ)
                left -= 1
                if alias:
                    g.used.add("aliased")
            self.inputs.append(holder)
        if "atomics" in g.features or "collectives" in g.features:
            self.cells = Holder("buffer")
            self._bind(g, self.cells, "cells", Access.READ_WRITE)
            left -= 1
        if g.profile.faults:
            self.trap = Holder("buffer")
            self._bind(g, self.trap, "trap", Access.READ_WRITE)
        for number in range(min(left, g.between(1, 3))):
            pool = g.profile.pools and g.chance(0.1)
            readable = pool or number == 0 or g.chance(0.5)
            holder = Holder("pool" if pool else "buffer", loads=readable)
            self._bind(g, holder, f"out{number}", Access.READ_WRITE if readable else Access.WRITE)
            self.outputs.append(holder)
        if g.profile.class_memory and "class memory" in g.features and g.lanes * 9 <= CLASS_BYTES:
            number = g.between(0, 95)
            self.outputs.append(Holder("class", number=number, limit=CLASS_BYTES))
            g.used.add("class memory")
        for number in range(g.between(1, 4)):
            ty = g.pick(g.profile.types)
            self._scalar(f"s{number}", ty, random_bits(g.rng, ty, g.profile.tame))
        ty = g.pick([ty for ty in g.profile.types if ty.is_integer and not ty.is_wide])
        self._scalar("few", ty, g.between(1, 4))
        g.rng.shuffle(self.params)
        by_name = {name: holder for holder in self.holders for name in holder.names}
        for number, param in enumerate(self.params, 1):
            if param.kind != "scalar":
                by_name[param.name].registers.append(Register(number))

    def _scalar(self, name: str, ty: Type, bits: int) -> None:
        self.params.append(Param(name, "scalar", ty))
        self.scalars[name] = Immediate(ty, bits)

    def size_parameter(self, g: Context, number: int) -> str:
        """The name of a scalar parameter with this value, for the host."""
        name = f"n{number}"
        if name not in self.scalars:
            self._scalar(name, g.integer_type(number), number)
            assert len(self.params) <= PARAMETER_REGISTERS
        return name

    def _bind(self, g: Context, holder: Holder, name: str, access: Access) -> None:
        holder.names.append(name)
        if holder.kind == "pool":
            self.params.append(Param(name, "pool"))
        else:
            self.params.append(Param(name, "buffer", g.pick(g.profile.types), access))

    @property
    def holders(self) -> list[Holder]:
        return [*self.inputs, *self.outputs, *(h for h in (self.cells, self.trap) if h is not None)]

    # Arrays

    def readable(self, g: Context, ty: Type) -> Array:
        """An array that any lane may read anywhere, made if there is none."""
        known = [
            a for h in (*self.inputs, *self.outputs) if h.loads for a in h.arrays if a.use == "read" and a.ty is ty
        ]
        if known and g.chance(0.75):
            return g.pick(known)
        if not g.profile.tame or ty.is_integer:
            punned = [
                a
                for h in self.inputs
                for a in h.arrays
                if a.plain and a.ty is not ty and a.count >= ty.size_bytes and self._punned(a, ty).count > 0
            ]
            if punned and g.chance(0.15):
                g.used.add("type punning")
                return self._punned(g.pick(punned), ty)
        count = g.pick((1, 3, 7, 16, 31, 33, 64, 100))
        array = g.pick(self.inputs).add(g, ty, array_of(g.rng, ty, count, g.profile.tame), "read")
        array.nan, array.plain = ty.is_float and not g.profile.tame, True
        return array

    @staticmethod
    def _punned(array: Array, ty: Type) -> Array:
        """The same bytes as another type."""
        start = array.offset + -array.offset % ty.alignment
        count = (array.offset + array.count * array.ty.size_bytes - start) // ty.size_bytes
        return Array(array.holder, start, ty, count, "read", nan=ty.is_float)

    def own(self, g: Context, ty: Type) -> Array:
        """A new array, or a known one, of which each lane owns an element."""
        known = [a for h in self.outputs for a in h.arrays if a.use == "own" and a.ty is ty]
        if known and g.chance(0.25):
            return g.pick(known)
        order = g.pick(_ORDERS)
        count = g.lanes if order in ("same", "reverse") else 1 << max(g.lanes - 1, 0).bit_length()
        holders = [h for h in self.outputs if h.room(count * ty.size_bytes)]
        fill = [random_bits(g.rng, ty, g.profile.tame).to_bytes(ty.size_bytes, "little") for _ in range(5)]
        array = g.pick(holders or self.outputs[:1]).add(
            g, ty, (b"".join(fill) * (count // 5 + 1))[: count * ty.size_bytes], "own"
        )
        array.order = (order, g.rng.randrange(count) | (order == "odd"))
        array.nan = ty.is_float and not g.profile.tame
        return array

    def common_cells(self, g: Context, ty: Type, operation: object) -> Array:
        """Cells for one kind of atomic."""
        assert self.cells is not None
        known = [a for a in self.cells.arrays if a.use == "cells" and a.ty is ty and a.detail == operation]
        if known:
            return known[0]
        count = g.pick((1, 2, 5, 8))
        if ty.is_float:
            data = small_integers(g.rng, ty, count, -100, 100)
        else:
            data = array_of(g.rng, ty, count, False)
        array = self.cells.add(g, ty, data, "cells")
        array.detail = operation
        return array

    def shared_array(self, g: Context, ty: Type, count: int, use: str) -> Array | None:
        if not self.shared.room(count * ty.size_bytes):
            return None
        return self.shared.add(g, ty, bytes(count * ty.size_bytes), use)

    def local_array(self, g: Context, ty: Type, count: int) -> Array | None:
        """A new array that each lane has for itself, or a known one."""
        known = [array for array in self.local.arrays if array.ty is ty]
        if known and g.chance(0.6):
            return g.pick(known)
        if not self.local.room(count * ty.size_bytes):
            return None
        return self.local.add(g, ty, bytes(count * ty.size_bytes), "lane")

    # What the case is given

    def memories(self) -> dict[str, Memory]:
        found = {}
        for holder in self.holders:
            if holder.kind != "class":
                memory = Memory(holder.names[0], holder.kind, bytes(holder.data) or bytes(4), views_of(holder))
                found.update(dict.fromkeys(holder.names, memory))
        return found

    def classes(self) -> tuple[Memory, ...]:
        return tuple(
            Memory(f"class {h.number}", "class", bytes(h.data).ljust(CLASS_BYTES, b"\0"), views_of(h), h.number)
            for h in self.outputs
            if h.kind == "class"
        )


def views_of(holder: Holder) -> list[View]:
    return [View(array.offset, array.ty, array.count) for array in holder.arrays]


# Indices and addresses


def own_index(g: Context, array: Array) -> Value:
    """The index of the element that a lane owns."""
    lane = g.block_lane if array.holder.kind == "shared" else g.global_lane
    assert lane is not None
    order, number = array.order
    code, top = g.code, array.count - 1
    if order == "same":
        if g.chance(0.4):
            return lane
        ty = g.integer_type(top)
        found = code.new(ty, top=top, pending=False)
        if array.holder.kind != "shared" and g.chance(0.3):
            if ty is Type.U64 and g.chance(0.5):
                return Value(Register(255), ty, top=top, kept=True)
            code.emit("CVT", ty, Type.U64, found.register, Register(255))
        else:
            code.emit("CVT", ty, Type.U32, found.register, lane.register)
        return found
    found = code.new(Type.U32, top=top, pending=False)
    match order:
        case "reverse":
            code.emit("SUB", Type.U32, found.register, code.constant(Type.U32, top).register, lane.register)
        case "xor":
            code.emit("XOR", Type.U32, found.register, lane.register, code.constant(Type.U32, number).register)
        case _:
            code.emit("MUL", Type.U32, found.register, lane.register, code.constant(Type.U32, number).register)
            code.emit("AND", Type.U32, found.register, found.register, code.constant(Type.U32, top).register)
    return found


def any_index(g: Context, count: int, uniform: bool) -> Value | int:
    """An index into `count` elements."""
    if count == 1 or g.chance(0.1) or g.depth > 2:
        return g.rng.randrange(count)
    lane = g.global_lane
    if not uniform and lane is not None and g.lanes <= count and g.chance(0.2):
        return lane
    source = values.value(g, g.integer_type(1), uniform=uniform)
    return values.reduced(g, source, int(min(count - 1, source.ty.max_value)))


def place(g: Context, array: Array, uniform: bool = False) -> Address:
    """The address of an element that a lane may touch."""
    index = own_index(g, array) if array.use == "own" else any_index(g, array.count, uniform)
    return address(g, array, index)


def _base(g: Context, array: Array, offset: int) -> Address:
    holder = array.holder
    if holder.kind == "shared":
        return Address.Shared(offset)
    if holder.kind == "local":
        return Address.Local(offset)
    if holder.kind == "class":
        return Address.Class(holder.number, offset)
    base: str | Register = g.pick(holder.names)
    if g.chance(0.35):
        base = g.pick(holder.registers)
    return Address.Pool(base, offset) if holder.kind == "pool" else Address.Buffer(base, offset)


def address(g: Context, array: Array, index: Value | int, exact: bool = False) -> Address:
    """The address of an element, in one of many ways; of another one at times, if any will do and not `exact`."""
    size, code = array.ty.size_bytes, g.code
    if isinstance(index, int):
        return _pointer(g, _base(g, array, array.offset + index * size))
    code.touch(index)
    top = index.top if index.top is not None else int(index.ty.max_value)
    assert top < array.count, (top, array)
    limit = index.ty.max_value
    way = g.rng.random()
    any_will_do = array.use in ("read", "lane") and not exact
    if array.holder.kind == "class" and way < 0.4:
        return _phi(g, array, index)
    offset, scale, register = array.offset, size, index.register
    if way < 0.12 and size > 1 and max(top, 1) * size <= limit:
        moved = code.new(index.ty, pending=False, top=top * size)
        if g.chance(0.5):
            amount = code.constant(Type.U32, size.bit_length() - 1)
            code.emit("SHL", index.ty, moved.register, index.register, amount.register)
        else:
            code.emit("MUL", index.ty, moved.register, index.register, code.constant(index.ty, size).register)
        register, scale = moved.register, 1
    elif way < 0.26:
        skip = g.between(1, 9)
        if top + skip <= limit:
            moved = code.new(index.ty, pending=False, top=top + skip)
            code.emit("ADD", index.ty, moved.register, index.register, code.constant(index.ty, skip).register)
            register, offset = moved.register, offset - skip * size
    elif way < 0.36 and index.ty.is_signed and any_will_do:
        moved = code.new(index.ty, pending=False)
        code.emit("NEG", index.ty, moved.register, index.register)
        register, offset = moved.register, offset + top * size
    elif way < 0.42 and any_will_do and 2 * top < array.count:
        scale = 2 * size
        offset += size if 2 * top + 1 < array.count else 0
    return _pointer(g, Address.Register(_base(g, array, offset), register, scale=scale))


def _pointer(g: Context, found: Address) -> Address:
    """The address itself, or a pointer to it made by LEA."""
    if not g.chance(0.15):
        return found
    pointer = g.code.held()
    g.code.emit("LEA", pointer, found)
    if g.chance(0.2):
        moved = g.code.held()
        g.code.emit("MOV", moved, pointer)
        pointer = moved
    return Address.Register(pointer)


def _phi(g: Context, array: Array, index: Value) -> Address:
    """The address of an element of class memory by class, page and byte."""
    code = g.code
    wide = index
    if index.ty is not Type.U32:
        wide = code.new(Type.U32, pending=False)
        code.emit("CVT", Type.U32, index.ty, wide.register, index.register)
    linear, page, byte = (code.new(Type.U32, pending=False) for _ in range(3))
    size, start = code.constant(Type.U32, array.ty.size_bytes), code.constant(Type.U32, array.offset)
    code.emit("MAD", Type.U32, linear.register, wide.register, size.register, start.register)
    code.emit("SHR", Type.U32, page.register, linear.register, code.constant(Type.U32, 8).register)
    code.emit("AND", Type.U32, byte.register, linear.register, code.constant(Type.U32, 255).register)
    number: Register | int = array.holder.number
    if g.chance(0.5):
        ty = g.integer_type(array.holder.number)
        number = code.constant(ty, array.holder.number).register
    g.used.add("phi")
    return Address.Phi(number, page.register, byte.register)


# Loads and stores


def load(g: Context, ty: Type, uniform: bool) -> Value:
    """A value from memory."""
    memories = g.memories
    own = [a for h in memories.outputs if h.loads for a in h.arrays if a.use == "own" and a.ty is ty]
    array = g.pick(own) if own and not uniform and g.chance(0.15) else memories.readable(g, ty)
    where = place(g, array, uniform)
    found = g.code.new(ty, uniform=uniform, nan=array.nan)
    if ty.is_float and g.profile.tame:
        found.span = CANONICAL[ty]
    g.code.emit("LDG", ty, found.register, where)
    return found


def store(g: Context, source: Value) -> None:
    """Stores a value where the lane owns an element, most often in a buffer."""
    if source.ty.is_float and g.profile.tame:
        source = values.tamed(g, source)
    g.code.touch(source)
    array = g.memories.own(g, source.ty)
    where = place(g, array)
    g.code.emit("STG", source.ty, where, source.register)
