"""What lanes do together: shared memory, barriers, atomics, reductions by single lanes."""

from __future__ import annotations

from hologram_web.isa import AtomicOperation, Condition, Immediate, MemoryScope, Type

from . import expressions, memory, values
from .context import Context
from .emit import Value
from .memory import Array
from .plan import ATOMIC_COMMON, Combination
from .tame import CANONICAL

__all__ = ["atomic", "barrier", "exchange", "fence", "private", "reduction", "shared_atomics"]


def barrier(g: Context) -> None:
    g.code.emit("BarSync", g.pick((0, 0, 1, 7, 255)))
    g.used.add("barrier")


def fence(g: Context) -> None:
    g.code.emit("MemFence", g.pick(list(MemoryScope)))


# Shared memory


def private(g: Context, ty: Type, source: Value | None = None) -> Value | None:
    """A value through shared memory, each lane its own element, or through local memory, any element: no barrier is
    needed. None if there is no room."""
    own = g.memories.local_array(g, ty, g.pick((1, 2, 5, 8))) if g.chance(0.5) else None
    array = own or g.memories.private.get(ty) or g.memories.shared_array(g, ty, g.block_lanes, "own")
    if array is None:
        return None
    if own is None:
        g.memories.private[ty] = array
    stored = source or values.value(g, ty)
    if ty.is_float and g.profile.tame:
        stored = values.tamed(g, stored)
    g.code.touch(stored)
    g.code.emit("STS", ty, memory.place(g, array), stored.register)
    if g.chance(0.2):
        fence(g)
    where = memory.place(g, array)
    found = _value(g, ty)
    g.code.emit("LDS", ty, found.register, where)
    g.used.add(f"{array.holder.kind} memory")
    return found


def _value(g: Context, ty: Type, uniform: bool = False) -> Value:
    """A new value of which nothing is known."""
    tame = g.profile.tame and ty.is_float
    span = CANONICAL[ty] if tame else None
    return g.code.new(ty, uniform=uniform, nan=ty.is_float and not tame, span=span)


def exchange(g: Context, types: list[Type]) -> None:
    """Every lane writes its element of shared memory, all meet, and every lane reads any element."""
    arrays: list[tuple[Array, bool]] = []
    for ty in types:
        # Reading the bytes as another type needs elements that are no NaN.
        pun = g.chance(0.2) and (ty.is_integer or not g.profile.tame)
        array = g.memories.shared_array(g, ty, g.block_lanes, "own")
        if array is None:
            continue
        stored = values.value(g, ty)
        if ty.is_float and g.profile.tame:
            stored = values.tamed(g, stored)
        elif pun:
            stored = values.clean(g, stored)
        g.code.touch(stored)
        g.code.emit("STS", ty, memory.place(g, array), stored.register)
        arrays.append((array, pun))
    barrier(g)
    for array, pun in arrays:
        for _ in range(g.between(1, 2)):
            _read_any(g, array, pun)
    # Without this one a lane could write its element anew, in a loop, before another has read the old one.
    if g.code.trips > 1 or g.code.level or g.chance(0.5):
        barrier(g)
    g.used.add("shared memory")


def _read_any(g: Context, array: Array, pun: bool) -> None:
    ty = array.ty
    other = g.pick([t for t in g.profile.types if t.is_integer or not g.profile.tame])
    whole = array.offset % other.alignment == 0 and array.count * ty.size_bytes >= other.size_bytes
    if pun and whole:
        ty = other
        g.used.add("type punning")
    count = array.count * array.ty.size_bytes // ty.size_bytes
    seen = Array(array.holder, array.offset, ty, count, "read")
    uniform = g.chance(0.2)
    where = memory.place(g, seen, uniform)
    found = _value(g, ty, uniform)
    g.code.emit("LDS", ty, found.register, where)


def shared_atomics(g: Context) -> None:
    """Atomics of all lanes on cells in shared memory, between two barriers; then every lane reads the cells."""
    cells: list[Array] = []
    for _ in range(g.between(1, 3)):
        planned = g.take("ATOM")
        ty, operation = (planned.types[0], planned.detail) if planned else (g.pick((Type.I32, Type.U32)), None)
        if operation is None or operation not in ATOMIC_COMMON:
            operation = AtomicOperation.ADD if ty is Type.F32 else g.pick(ATOMIC_COMMON)
        array = g.memories.shared_array(g, ty, g.pick((1, 2, 4)), "cells")
        if array is None:
            continue
        array.detail = operation
        cells.append(array)
        if operation in (AtomicOperation.MIN, AtomicOperation.AND):  # of zeros they would only give zeros
            _first_lane_sets(g, array)
    if any(a.detail in (AtomicOperation.MIN, AtomicOperation.AND) for a in cells):
        barrier(g)
    for array in cells:
        _common(g, array)
    barrier(g)
    for array in cells:
        where = memory.address(g, array, memory.any_index(g, array.count, False))
        found = g.code.new(array.ty, span=(0, 25) if array.ty is Type.F32 else None)
        g.code.emit("LDS", array.ty, found.register, where)
    barrier(g)
    g.used.update(("shared memory", "shared atomics"))


def _first_lane_sets(g: Context, array: Array) -> None:
    """Lane 0 of the block gives the cells other values than 0."""
    assert g.block_lane is not None
    after = g.code.label("set")
    zero = g.code.constant(Type.U32, 0)
    first = expressions.flag_of(g, Condition.NE, Type.U32, g.block_lane, zero)
    g.code.touch(first)
    g.code.branch(after, first.predicate)
    with g.code.open(uniform=False):
        for index in range(array.count):
            number = g.code.new(array.ty, pending=False)
            g.code.emit("MOV_IMM", array.ty, number.register, Immediate(array.ty, g.rng.getrandbits(32)))
            where = memory.address(g, array, index)
            g.code.emit("STS", array.ty, where, number.register)
    g.code.place(after)


# Atomics


def atomic(g: Context, combination: Combination) -> None:
    """An atomic on cells of all lanes, or on a cell of the lane, where the old value may be used."""
    ty, operation = combination.types[0], combination.detail
    assert g.memories.cells is not None
    g.used.add("atomics")
    # Which lane is the last to exchange cannot be told: then all of them write the same.
    if g.chance(0.35 if operation in ATOMIC_COMMON else 0.75) and ty is not Type.F32:
        _own_cell(g, ty, operation)
    else:
        _common(g, g.memories.common_cells(g, ty, operation))


def _common(g: Context, array: Array) -> None:
    ty, operation = array.ty, array.detail
    compare = None
    if ty is Type.F32:  # small integers: their sum is exact in any order
        narrow = g.integer_type(63)
        small = values.reduced(g, values.value(g, narrow), 63)
        g.code.touch(small)
        source = g.code.new(ty, pending=False)
        g.code.emit("CVT", ty, narrow, source.register, small.register)
    elif operation in ATOMIC_COMMON:
        source = values.value(g, ty)
    else:
        source = g.code.constant(ty, 77)
        if operation is AtomicOperation.CAS:
            compare = g.code.constant(ty, g.pick((0, 77, 5))).register
    where = memory.address(g, array, memory.any_index(g, array.count, False))
    old = g.code.register()  # depends on the order of lanes: nothing may read it
    g.code.emit("ATOM", operation, ty, old, where, source.register, compare)


def _own_cell(g: Context, ty: Type, operation: AtomicOperation) -> None:
    """The cell is the lane's own: any atomic, and its old value counts."""
    cells = g.memories.cells
    assert cells is not None
    known = [a for a in cells.arrays if a.use == "own" and a.ty is ty]
    if known and g.chance(0.6):
        array = g.pick(known)
    else:
        data = b"".join(
            g.rng.choice((0, 1, 5, g.rng.getrandbits(ty.bits))).to_bytes(ty.size_bytes, "little")
            for _ in range(g.lanes)
        )
        array = cells.add(g, ty, data, "own")
    source = values.value(g, ty)
    compare = None
    if operation is AtomicOperation.CAS:
        compare = g.code.constant(ty, g.pick((0, 1, 5))).register if g.chance(0.6) else values.value(g, ty).register
    where = memory.place(g, array)
    old = g.code.new(ty)
    g.code.emit("ATOM", operation, ty, old.register, where, source.register, compare)


# Reductions by a lane


def reduction(g: Context, combination: Combination) -> None:
    """The lane reduces some elements that nobody writes. cpu takes long for it: let only a few lanes come here."""
    ty = combination.types[0]
    array = g.memories.readable(g, ty)
    most = 3 if g.profile.tame and ty.is_float else array.count
    least = 1 if g.profile.tame and ty.is_float else 0
    uniform = g.chance(0.3)
    start: Value | int = memory.any_index(g, max(array.count // 2, 1), uniform)
    top = start if isinstance(start, int) else start.top
    assert top is not None
    room = min(array.count - top, most)
    number = g.between(min(least, room), room)
    count: object = number
    if g.chance(0.5):
        register = g.code.constant(g.integer_type(number), number)
        if not least and g.chance(0.6):
            register = values.reduced(g, values.value(g, register.ty), min(room, int(register.ty.max_value)))
            g.code.touch(register)
        count = register.register
    where = memory.address(g, array, start, exact=True)
    found = g.code.new(ty, nan=ty.is_float and not g.profile.tame)
    if g.profile.tame and ty.is_float:
        found.span = (-60, 60) if ty is not Type.F16 else (-60, 15)
    g.code.emit(combination.row.name, ty, found.register, where, count)
