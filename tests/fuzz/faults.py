"""Programs that may fault: one kind of fault in each, in lanes and at places that depend on the data.

Which of several faults is reported is unspecified, so a program holds faults of one kind only. Whether there is one is
the same on every device; memory is compared if there is none.
"""

from __future__ import annotations

from collections.abc import Callable

from hologram_web.errors import FaultKind
from hologram_web.isa import Address, Condition, Register, Type
from hologram_web.isa.table import BY_NAME

from . import expressions, values
from .context import Context
from .data import array_of
from .emit import Value
from .memory import Array

__all__ = ["KINDS", "plant"]


def plant(g: Context, kind: FaultKind) -> None:
    """One or two places where lanes may fault."""
    for _ in range(g.between(1, 2)):
        g.code.clock += 1
        if not g.code.crowded:
            g.pick(KINDS[kind])(g)


def _trap(g: Context, ty: Type) -> Array:
    """An array alone in its buffer, of which every lane owns an element, at the very end."""
    holder = g.memories.trap
    assert holder is not None
    known = [a for a in holder.arrays if a.ty is ty]
    if known:
        return known[0]
    if holder.arrays:
        return holder.arrays[0]
    array = holder.add(g, ty, array_of(g.rng, ty, g.lanes, False), "own")
    array.nan = ty.is_float
    return array


def _size(g: Context) -> Type:
    return g.pick(g.profile.types)


def _wild(g: Context, ty: Type, top: int) -> Value:
    """An integer that is 0 in most lanes, and large or negative in some."""
    source = values.value(g, ty)
    small = values.reduced(g, source, top)
    g.code.touch(small)
    test = expressions.flag_of(g, Condition.EQ, ty, small, g.code.constant(ty, 0))
    g.code.touch(test)
    found = g.code.new(ty, pending=False)
    far = g.code.constant(ty, g.pick((1, int(ty.max_value), int(ty.max_value) // 2 + 1)))
    zero = g.code.constant(ty, 0)
    operands = (far, zero) if g.chance(0.3) else (zero, far)
    if g.chance(0.4):
        operands = (zero, zero)
    g.code.emit("SEL", ty, found.register, test.predicate, operands[0].register, operands[1].register)
    return found


def _index(g: Context) -> Value:
    """The lane, plus something that is far off in some lanes. Lanes that are in bounds have different ones."""
    assert g.global_lane is not None
    ty = g.pick((Type.I64, Type.U64))
    if g.chance(0.4):
        return _past_the_end(g, ty)
    wild = _wild(g, ty, 7)
    lane = g.code.new(ty, pending=False)
    g.code.emit("CVT", ty, Type.U32, lane.register, g.global_lane.register)
    scaled, found = g.code.new(ty, pending=False), g.code.new(ty, pending=False)
    # By a multiple of the number of lanes: no two lanes come to the same element.
    g.code.emit("MUL", ty, scaled.register, wild.register, g.code.constant(ty, g.lanes).register)
    g.code.emit("ADD", ty, found.register, lane.register, scaled.register)
    return found


def _past_the_end(g: Context, ty: Type) -> Value:
    """The lane; in the last lane one more, at times."""
    assert g.global_lane is not None
    lane, step, found = (g.code.new(ty, pending=False) for _ in range(3))
    g.code.emit("CVT", ty, Type.U32, lane.register, g.global_lane.register)
    last = expressions.flag_of(g, Condition.EQ, ty, lane, g.code.constant(ty, g.lanes - 1))
    g.code.touch(last)
    more = values.reduced(g, values.value(g, ty), 1)
    g.code.touch(more)
    zero = g.code.constant(ty, 0)
    g.code.emit("SEL", ty, step.register, last.predicate, more.register, zero.register)
    g.code.emit("ADD", ty, found.register, lane.register, step.register)
    return found


def _load(g: Context) -> None:
    array = _trap(g, _size(g))
    index = _index(g)
    found = g.code.new(array.ty, nan=array.nan)
    where = Address.Register(_base(array), index.register, scale=array.ty.size_bytes)
    g.code.emit("LDG", array.ty, found.register, where)
    found.pending = True


def _base(array: Array) -> Address:
    return Address.Buffer(array.holder.names[0], array.offset)


def _store(g: Context) -> None:
    array = _trap(g, _size(g))
    source = values.value(g, array.ty)
    index = _index(g)
    where = Address.Register(_base(array), index.register, scale=array.ty.size_bytes)
    g.code.emit("STG", array.ty, where, source.register)


def _on_chip(g: Context) -> None:
    """Outside of shared or local memory."""
    ty = _size(g)
    local = g.memories.local_array(g, ty, 4) if g.chance(0.5) else None
    array = local or g.memories.shared_array(g, ty, g.block_lanes, "own")
    assert array is not None
    assert g.block_lane is not None
    source = values.value(g, ty)
    wild = _wild(g, Type.U32, 3)
    g.code.touch(wild)
    far, index = g.code.new(Type.U32, pending=False), g.code.new(Type.U32, pending=False)
    g.code.emit("MUL", Type.U32, far.register, wild.register, g.code.constant(Type.U32, 1 << 20).register)
    near = g.block_lane if local is None else g.code.constant(Type.U32, array.count - 1)
    g.code.emit("OR", Type.U32, index.register, far.register, near.register)
    base = Address.Shared(array.offset) if local is None else Address.Local(array.offset)
    g.code.emit("STS", ty, Address.Register(base, index.register, scale=ty.size_bytes), source.register)


def _axis(g: Context) -> None:
    """An index that may be off its axis, alone or before an access of the lane's own element."""
    ty = g.pick([t for t in g.profile.types if t.is_integer and t.bits <= 64])
    index = _index(g) if g.chance(0.4) else _wild(g, ty, 7)
    g.code.touch(index)
    length: Register | int = g.pick((g.lanes, g.lanes + 1, 8, 100, (1 << 31) - 1, 1 << 31))
    if g.chance(0.4):
        other = values.value(g, ty) if g.chance(0.5) else g.code.constant(ty, min(g.lanes + 8, int(ty.max_value)))
        g.code.touch(other)
        length = other.register
    g.code.emit("CHK", index.register, length, "x", g.pick((0, 1, 2)), g.pick((0, 0, 1, -1, 7)))
    if g.chance(0.6):
        array = _trap(g, _size(g))
        assert g.global_lane is not None
        found = g.code.new(array.ty, nan=array.nan)
        own = Address.Register(_base(array), g.global_lane.register, scale=array.ty.size_bytes)
        g.code.emit("LDG", array.ty, found.register, own)
        found.pending = True


def _reduce(g: Context) -> None:
    """The lane's own element, none, or more elements than there are; few lanes: cpu takes long for many.

    Of the elements of other lanes nothing is read: a store to them is a race.
    """
    array = _trap(g, _size(g))
    after = g.code.label("few")
    assert g.global_lane is not None
    limit = g.code.constant(Type.U32, 2)
    outside = expressions.flag_of(g, Condition.GEU, Type.U32, g.global_lane, limit)
    g.code.touch(outside)
    g.code.branch(after, outside.predicate)
    with g.code.open(uniform=False):
        wild = _wild(g, Type.U32, 3)
        found = g.code.new(array.ty, nan=array.nan)
        own = Address.Register(_base(array), g.global_lane.register, scale=array.ty.size_bytes)
        g.code.emit("ReduceMax", array.ty, found.register, own, wild.register)
        expressions.settle(g)
    g.code.place(after)


def _divide(g: Context) -> None:
    ty = g.pick([t for t in g.profile.types if t.is_integer])
    lhs, rhs = values.value(g, ty), values.value(g, ty)
    if g.chance(0.6):
        rhs = values.reduced(g, rhs, g.pick((1, 3, 63)))
        g.code.touch(rhs)
    found = g.code.new(ty)
    row = g.pick((BY_NAME["DIV"], BY_NAME["REM"]))
    g.code.emit(row.name, ty, found.register, lhs.register, rhs.register)


def _crooked(g: Context) -> None:
    ty = g.pick([t for t in g.profile.types if t.size_bytes > 1])
    holder = g.memories.trap
    assert holder is not None
    if not holder.arrays:
        holder.add(g, Type.U8, bytes(64 + 8 * g.lanes), "own")
    index_ty = g.integer_type(7)
    index = values.reduced(g, values.value(g, index_ty), g.pick((1, 3, 7)))
    g.code.touch(index)
    start = -(-holder.arrays[0].offset // 8) * 8
    where = Address.Register(Address.Buffer(holder.names[0], start), index.register, scale=g.pick((1, 1, 2, 4)))
    found = g.code.new(ty, nan=ty.is_float)
    g.code.emit("LDG", ty, found.register, where)


def _class(g: Context) -> None:
    """A class, page or byte that may not exist. What is loaded is not looked at: earlier programs may have left it."""
    ty = g.integer_type(127)
    number = values.reduced(g, values.value(g, ty), 127)
    g.code.touch(number)
    g.code.emit("LDG", Type.U8, g.code.register(), Address.Phi(number.register, 3, 5))


def _barrier(g: Context) -> None:
    """Some lanes come to one barrier, and the others to another."""
    if not g.code.scope.uniform:
        return
    if g.chance(0.5) and g.block_lane is not None:
        some = g.code.constant(Type.U32, g.rng.randrange(g.block_lanes))
        test = expressions.flag_of(g, Condition.LTU, Type.U32, g.block_lane, some)
    else:
        test = expressions.flag(g)
    g.code.touch(test)
    other, after = g.code.label("else"), g.code.label("endif")
    g.code.branch(other, test.predicate)
    g.code.emit("BarSync", 0)
    g.code.branch(after)
    g.code.place(other)
    g.code.emit("BarSync", 0)
    g.code.place(after)


def _endless(g: Context) -> None:
    """Lanes for which a predicate holds go around for ever."""
    test = expressions.flag(g)
    g.code.touch(test)
    top = g.code.label("endless")
    counter = g.code.held()
    g.code.emit("MOV_IMM", Type.U32, counter, 5)
    g.code.place(top)
    g.code.emit("ADD", Type.U32, counter, counter, counter)
    g.code.branch(top, test.predicate)


KINDS: dict[FaultKind, tuple[Callable[[Context], None], ...]] = {
    FaultKind.OUT_OF_BOUNDS: (_load, _load, _store, _store, _on_chip, _reduce, _axis, _axis),
    FaultKind.DIVISION_BY_ZERO: (_divide,),
    FaultKind.MISALIGNED_ACCESS: (_crooked,),
    FaultKind.INVALID_CLASS: (_class,),
    FaultKind.DIVERGENT_BARRIER: (_barrier,),
    FaultKind.STEP_LIMIT: (_endless,),
}
