"""Instructions of the Atlas and of pools: classes, phases and resonance, memory of neighbours, pools of the program.

Classes, pages, characters and the like are brought within their range, units are made odd. In the memory of classes and
in pools a lane has elements of its own, whichever neighbour it takes: no two blocks write to one place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hologram_web.atlas import neighbors
from hologram_web.isa import Register, Type
from hologram_web.isa.operands import PoolHandle

from . import memory, values
from .case import CLASS_BYTES, Memory
from .context import Context
from .data import array_of
from .emit import Value
from .memory import Array, Holder
from .plan import Combination
from .tame import CANONICAL

__all__ = ["Ground", "begin", "end", "statement"]

_POOL = PoolHandle(3)
_FINITE = (0xFF7F_FFFF, 0xBFFF_FFFF)  # bits of floats that are no infinity and no NaN, if the others are cut off
_MODULI = (256, 65_536, 1 << 31)  # of which odd numbers are units


class Ground:
    """Memory that every class has, a pool of the program, and the state that a launch finds."""

    def __init__(self, g: Context) -> None:
        self.classes = Holder("classes", limit=CLASS_BYTES)
        self.pool = Holder("made", limit=CLASS_BYTES)
        self.phase = g.pick((0, 1, 700, 767, g.between(0, 767)))
        numbers = [1.5, -1.5, 1e30, -1e30, 2.0**-149, 3.0]
        self.resonance = {g.between(0, 95): g.pick(numbers) for _ in range(g.between(0, 2))}

    def memories(self, g: Context) -> tuple[Memory, ...]:
        """The memory of every class that a block reaches, not all with the same numbers."""
        arrays = self.classes.arrays
        if not arrays:
            return ()
        reached = sorted({c for block in range(min(g.config.grid.x, 96)) for c in neighbors(block)})
        contents = []
        for _ in range(3):
            data = bytearray(CLASS_BYTES)
            for array in arrays:
                size = array.count * array.ty.size_bytes
                data[array.offset : array.offset + size] = array_of(g.rng, array.ty, array.count, g.profile.tame)
            contents.append(bytes(data))
        views = memory.views_of(self.classes)
        return tuple(Memory(f"class {number}", "class", g.pick(contents), views, number) for number in reached)


def begin(g: Context) -> None:
    """Makes the pool, before any lane can have left."""
    size: Any = CLASS_BYTES
    if g.chance(0.4):
        size = g.memories.size_parameter(g, CLASS_BYTES)
    g.code.emit("PoolAlloc", _POOL, size)


def end(g: Context) -> None:
    """Frees it, if all lanes come here."""
    if "early exit" not in g.used and "exit in a function" not in g.used and g.chance(0.5):
        g.code.emit("PoolFree", _POOL)


def statement(g: Context, combination: Combination) -> None:
    """The instruction of a combination."""
    _STATEMENTS[combination.row.name](g, combination)
    g.used.add("pools" if combination.row.group == "Pools" else "atlas")


# Operands


def _within(g: Context, ty: Type, top: int) -> Register:
    """An integer from 0 to `top`."""
    found = values.reduced(g, values.value(g, ty), top)
    g.code.touch(found)
    return found.register


def _class(g: Context) -> Register:
    return _within(g, Type.U8, 95)


def _any(g: Context, ty: Type) -> Register:
    return values.value(g, ty).register


def _gives(ty: Type, name: str, top: int | None, *operands: Callable[[Context], Any]) -> Callable[..., None]:
    """An instruction that writes a register."""

    def make(g: Context, combination: Combination) -> None:
        inputs = [operand(g) for operand in operands]
        found = g.code.new(ty, top=top)
        g.code.emit(name, found.register, *inputs)

    return make


def _says(name: str, *operands: Callable[[Context], Any]) -> Callable[..., None]:
    """An instruction that writes a predicate, which a value of two follows."""

    def make(g: Context, combination: Combination) -> None:
        inputs = [operand(g) for operand in operands]
        found = g.code.new_flag(False)
        g.code.emit(name, found.predicate, *inputs)

    return make


def _torus(g: Context) -> tuple[Register, int]:
    size = 32 * g.between(1, 600)
    return g.code.constant(Type.U32, size).register, size


# Instructions with needs of their own


def _orbit_classify(g: Context, combination: Combination) -> None:
    size, number = _torus(g)
    point = _within(g, Type.U32, number - 1)
    g.code.emit("OrbitClassify", g.code.new(Type.U32, top=31).register, point, size)


def _orbit_representative(g: Context, combination: Combination) -> None:
    size, _ = _torus(g)
    orbit = _within(g, Type.U32, 31)
    g.code.emit("OrbitRepresentative", g.code.new(Type.U32, top=31).register, orbit, size)


def _mult_inverse(g: Context, combination: Combination) -> None:
    unit, modulus = g.code.new(Type.U32, pending=False), g.code.constant(Type.U32, g.pick(_MODULI))
    source, one = values.value(g, Type.U32), g.code.constant(Type.U32, 1)
    g.code.emit("OR", Type.U32, unit.register, source.register, one.register)
    g.code.emit("MultInverse", g.code.new(Type.U32).register, unit.register, modulus.register)


def _check_unity(g: Context) -> Any:
    roll = g.rng.random()
    return 0.0 if roll < 0.4 else g.pick((1e-9, 1.0, 2.5, 1e31))


def _res_accum(g: Context, combination: Combination) -> None:
    ty = combination.types[0]
    source = values.value(g, ty)
    if ty is Type.F32:
        bits = values.bits_of(g, source)
        cut, mask = g.code.new(Type.U32, pending=False), g.code.constant(Type.U32, g.pick(_FINITE))
        g.code.emit("AND", Type.U32, cut.register, bits.register, mask.register)
        source = g.code.new(ty, pending=False)
        g.code.emit("BITCAST", ty, Type.U32, source.register, cut.register)
    class_id = _class(g)
    g.code.emit("ResAccum", ty, class_id, source.register)


def _phase_adv(g: Context, combination: Combination) -> None:
    g.code.emit("PhaseAdv", g.pick((0, 1, 767, 768, g.between(0, 65_535))))
    if g.chance(0.4):
        g.code.emit("PhaseGet", g.code.new(Type.U32, top=767).register)
    elif g.chance(0.7):
        number = _shown_class(g)
        g.code.emit("PhaseRead", g.code.new(Type.U32, top=767).register, number)


def _phase_write(g: Context, combination: Combination) -> None:
    number = _shown_class(g)
    g.code.emit("PhaseWrite", _any(g, Type.U32), number)
    if g.chance(0.5):
        g.code.emit("PhaseRead", g.code.new(Type.U32, top=767).register, number)


def _shown_class(g: Context) -> int:
    """A class whose phase is looked at: often the same, often that of a block."""
    return g.pick((0, 1, 2, 5, 95))


# Memory of neighbours, and pools


def _array(g: Context, holder: Holder, ty: Type) -> Array | None:
    """Elements of the lanes; None if there is no room."""
    known = [a for a in holder.arrays if a.ty is ty]
    if known:
        return g.pick(known)
    count = g.lanes
    if not holder.room(count * ty.size_bytes):
        return None
    array = holder.add(g, ty, bytes(count * ty.size_bytes), "own")
    array.order = (g.pick(("same", "reverse")), 0)
    array.nan = ty.is_float and not g.profile.tame
    return array


def _offset(g: Context, array: Array, ty: Type) -> Register:
    """The byte offset of the element of the lane, as an integer of type `ty`."""
    index = memory.own_index(g, array)
    wide, found = g.code.new(ty, pending=False), g.code.new(ty, pending=False)
    g.code.emit("CVT", ty, index.ty, wide.register, index.register)
    size, start = g.code.constant(ty, array.ty.size_bytes), g.code.constant(ty, array.offset)
    g.code.emit("MAD", ty, found.register, wide.register, size.register, start.register)
    return found.register


def _loaded(g: Context, array: Array) -> Value:
    return g.code.new(array.ty, nan=array.nan, span=CANONICAL.get(array.ty) if g.profile.tame else None)


def _stored(g: Context, ty: Type) -> Register:
    source = values.value(g, ty)
    if ty.is_float and g.profile.tame:
        source = values.tamed(g, source)
        g.code.touch(source)
    return source.register


def _nbr(g: Context, combination: Combination) -> None:
    ty = combination.types[0]
    assert g.ground is not None
    array = _array(g, g.ground.classes, ty)
    if array is None:
        return
    way = g.between(0, 4)  # every class has so many neighbours
    if combination.row.name == "NBRStore":
        source, offset = _stored(g, ty), _offset(g, array, Type.U32)
        g.code.emit("NBRStore", ty, offset, source, way)
    else:
        offset = _offset(g, array, Type.U32)
        g.code.emit("NBRLoad", ty, _loaded(g, array).register, offset, way)


def _pool(g: Context, combination: Combination) -> None:
    ty = combination.types[0]
    assert g.ground is not None
    given = [h for h in g.memories.outputs if h.kind == "pool"]
    holder = g.ground.pool
    name: Any = _POOL
    array = None
    if given and g.chance(0.4):
        chosen = g.pick(given)
        own = [a for a in chosen.arrays if a.ty is ty and a.use == "own"]
        if own:
            holder, name, array = chosen, g.pick((chosen.names[0], g.pick(chosen.registers))), g.pick(own)
    array = array or _array(g, holder, ty)
    if array is None:
        return
    index = g.integer_type(CLASS_BYTES if holder is g.ground.pool else len(holder.data))
    if combination.row.name == "PoolStore":
        source, offset = _stored(g, ty), _offset(g, array, index)
        g.code.emit("PoolStore", ty, name, offset, source)
    else:
        offset = _offset(g, array, index)
        g.code.emit("PoolLoad", ty, _loaded(g, array).register, name, offset)


_U8, _U32 = Type.U8, Type.U32
_STATEMENTS: dict[str, Callable[[Context, Combination], None]] = {
    "ClsGet": _gives(_U8, "ClsGet", 95, lambda g: _any(g, _U8) if g.chance(0.6) else None),
    "MIRROR": _gives(_U8, "MIRROR", 95, _class),
    "UnityTest": _says("UnityTest", lambda g: _any(g, _U8) if g.chance(0.6) else None),
    "CheckUnity": _says("CheckUnity", _check_unity),
    "NbrCount": _gives(_U32, "NbrCount", 6, _class),
    "NbrGet": _gives(_U8, "NbrGet", 95, _class, lambda g: g.between(0, 4)),
    "NBRLoad": _nbr,
    "NBRStore": _nbr,
    "ResAccum": _res_accum,
    "PhaseGet": _gives(_U32, "PhaseGet", 767),
    "PhaseAdv": _phase_adv,
    "PhaseRead": _gives(_U32, "PhaseRead", 767, _shown_class),
    "PhaseWrite": _phase_write,
    "BoundMap": _gives(
        Type.U64,
        "BoundMap",
        96 * CLASS_BYTES - 1,
        lambda g: _within(g, _U32, 95),
        lambda g: _within(g, _U32, 47),
        lambda g: _within(g, _U32, 255),
    ),
    "OrbitClassify": _orbit_classify,
    "OrbitRepresentative": _orbit_representative,
    "MultInverse": _mult_inverse,
    "CharProduct": _gives(_U8, "CharProduct", 31, lambda g: _within(g, _U8, 31), lambda g: _within(g, _U8, 31)),
    "CharValue": _gives(_U8, "CharValue", None, lambda g: _within(g, _U8, 31), lambda g: _any(g, _U8)),
    "PoolLoad": _pool,
    "PoolStore": _pool,
}
