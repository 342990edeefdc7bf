"""What the Atlas instructions mean over an ops namespace: read by the compiler, or when the first of them is computed.

Beside the primitives of `ops.py` they use what a lane has, which namespaces of devices and of the compiler give:

    special(name)             a coordinate of the lane or its block, as U32
    argument(name, ty)        a scalar argument of the launch, by name
    phase(key), set_phase(key, value), phases
                              the lane's phases: of the classes in `phases`, and by None that of the block's class
    memory(ty, offset)        the place at a U32 offset of the memory that the instruction reaches (`Row.state`)
    guard(kind, wrong, value, note)
                              the fault of a lane where `wrong` holds; `note` is a number of `fault_text.NOTES`

The resonance of a launch is kept in cells: for each class 33 of three words, cell i counting units of 2**(8 i - 152) as
an integer of 96 bits. A value is one cell's: what it adds to a word goes over into the next one, so that the order of
lanes is not seen, and nothing is rounded.
"""

from __future__ import annotations

from typing import Any

from ..errors import FaultKind
from .atlas import CELL_UNIT, CELLS, CLASS_BYTES, FOOTPRINT, PHASE, UNIT_CELL, UNITY, WORDS
from .operands import AtomicOperation
from .types import Type

__all__ = [
    "bound_map",
    "char_product",
    "char_value",
    "check_unity",
    "cls_get",
    "first_phase",
    "mirror",
    "mult_inverse",
    "nbr_count",
    "nbr_get",
    "nbr_load",
    "nbr_store",
    "orbit_classify",
    "orbit_representative",
    "phase_adv",
    "phase_write",
    "res_accum",
    "unity_test",
]

# Numbers of fault_text.NOTES.
_CLASS, _PAGE, _BYTE, _NEIGHBOR, _OFFSET, _POINT, _SIZE, _ORBIT, _UNIT, _CHARACTER, _FINITE = range(3, 14)

_U8, _U32 = Type.U8, Type.U32


class _Words:
    """Arithmetic on U32 in readable form; numbers stand for constants."""

    def __init__(self, o: Any) -> None:
        self.o = o

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.o, name)
        return lambda *values: method(_U32, *map(self.k, values))

    def k(self, value: Any) -> Any:
        return self.o.const(_U32, value & 0xFFFFFFFF) if type(value) is int else value

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        return self.o.select(_U32, condition, self.k(a), self.k(b))

    def wide(self, byte: Any) -> Any:
        return self.o.cvt(_U32, _U8, byte)

    def byte(self, word: Any) -> Any:
        return self.o.cvt(_U8, _U32, word)

    def bit(self, value: Any, place: int) -> Any:
        """Whether a bit is set."""
        return self.eq(self.and_(self.shr(value, place), 1), 1)

    def guard(self, kind: FaultKind, wrong: Any, value: Any, note: int) -> None:
        self.o.guard(kind, wrong, value, note)

    def below(self, value: Any, limit: int, kind: FaultKind, note: int) -> Any:
        """The value, which has to be below the limit."""
        self.guard(kind, self.le(limit, value), value, note)
        return value

    def class_id(self, byte: Any) -> Any:
        """A class in a U8, which has to exist."""
        return self.below(self.wide(byte), 96, FaultKind.INVALID_CLASS, _CLASS)

    def own(self) -> Any:
        """The class of the block."""
        return self.rem(self.o.special("BLOCK_IDX_X"), 96)

    def degree(self, class_id: Any) -> Any:
        return self.select(self.eq(self.rem(class_id, 3), 1), 6, 5)

    def neighbor(self, class_id: Any, index: int) -> Any:
        """A neighbour by ascending order, of those there are."""
        self.guard(FaultKind.NEIGHBOR_ILLEGAL, self.le(self.degree(class_id), index & 0xFF), class_id, _NEIGHBOR)
        step, bits = self.rem(class_id, 3), self.div(class_id, 3)
        flipped = [(weight, self.bit(bits, place)) for weight, place in ((48, 4), (24, 3), (12, 2), (6, 1))]
        ways = [(-weight, there) for weight, there in flipped]
        ways += [(-1, self.o.pnot(self.eq(step, 0))), (1, self.o.pnot(self.eq(step, 2)))]
        ways += [(weight, self.o.pnot(there)) for weight, there in reversed(flipped)]
        found, before = class_id, self.k(0)
        for delta, there in ways:
            found = self.select(self.o.pand(there, self.eq(before, index & 0xFF)), self.add(class_id, delta), found)
            before = self.add(before, self.select(there, 1, 0))
        return found


def cls_get(o: Any, src: Any) -> Any:
    w = _Words(o)
    if src is None:
        return w.byte(w.own())
    byte = w.wide(src)
    total = w.rem(w.and_(w.shr(byte, 5), 3), 3)
    for place in range(5):
        total = w.add(total, w.select(w.bit(byte, place), 48 >> place, 0))
    return w.byte(total)


def mirror(o: Any, src: Any) -> Any:
    w = _Words(o)
    class_id = w.class_id(src)
    return w.byte(w.select(w.bit(w.div(class_id, 3), 0), w.sub(class_id, 3), w.add(class_id, 3)))


def unity_test(o: Any, src: Any) -> Any:
    w = _Words(o)
    class_id = w.own() if src is None else w.wide(src)
    return o.por(w.eq(class_id, 1), w.eq(class_id, 4))


def check_unity(o: Any, epsilon: Any) -> Any:
    name = epsilon if isinstance(epsilon, str) else f"{UNITY}0"
    return o.pnot(o.eq(_U32, o.argument(name, _U32), o.const(_U32, 0)))


def nbr_count(o: Any, class_id: Any) -> Any:
    w = _Words(o)
    return w.degree(w.class_id(class_id))


def nbr_get(o: Any, class_id: Any, index: int) -> Any:
    w = _Words(o)
    return w.byte(w.neighbor(w.class_id(class_id), index))


def _beside(o: Any, ty: Type, offset: Any, index: int) -> Any:
    """The place of an element in the memory of a neighbour of the block's class."""
    w = _Words(o)
    start = w.mul(w.neighbor(w.own(), index), CLASS_BYTES)
    w.guard(FaultKind.OUT_OF_BOUNDS, w.lt(CLASS_BYTES - ty.size_bytes, offset), offset, _OFFSET)
    return o.memory(ty, w.add(start, offset))


def nbr_load(o: Any, ty: Type, src: Any, offset: int) -> Any:
    return o.load(ty, _beside(o, ty, src, offset))


def nbr_store(o: Any, ty: Type, dst: Any, src: Any, offset: int) -> None:
    o.store(ty, _beside(o, ty, dst, offset), src)


def res_accum(o: Any, ty: Type, class_id: Any, src: Any) -> None:
    w = _Words(o)
    bits = o.bitcast(_U32, ty, src)
    negative = w.bit(bits, 31)
    if ty is Type.F32:
        exponent = w.and_(w.shr(bits, 23), 0xFF)
        w.guard(FaultKind.OUT_OF_BOUNDS, w.eq(exponent, 0xFF), bits, _FINITE)
        fraction = w.and_(bits, 0x7FFFFF)
        normal = w.or_(fraction, 0x800000)
        place = w.add(w.max(exponent, 1), -CELL_UNIT - 150)
        cell = w.shr(place, 3)
        size = w.shl(w.select(w.eq(exponent, 0), fraction, normal), w.and_(place, 7))
    else:
        cell = w.k(UNIT_CELL)
        size = w.select(negative, w.sub(0, bits), bits)
    at = w.mul(w.add(w.mul(w.class_id(class_id), CELLS), cell), 4 * WORDS)

    def add(word: int, amount: Any) -> Any:
        return o.atomic(AtomicOperation.ADD, _U32, o.memory(_U32, w.add(at, 4 * word)), amount, None)

    old = add(0, w.select(negative, w.sub(0, size), size))
    over = o.por(o.pand(negative, w.lt(old, size)), o.pand(o.pnot(negative), w.lt(w.xor(size, -1), old)))
    one = w.select(negative, -1, 1)
    old = add(1, w.select(over, one, 0))
    over = o.pand(over, w.eq(old, w.select(negative, 0, -1)))
    add(2, w.select(over, one, 0))


def phase_adv(o: Any, amount: int) -> None:
    w = _Words(o)
    there = w.rem(w.add(o.phase(None), amount % 768), 768)
    for class_id in o.phases:
        o.set_phase(class_id, w.select(w.eq(w.own(), class_id), there, o.phase(class_id)))
    o.set_phase(None, there)


def phase_write(o: Any, src: Any, class_id: int) -> None:
    w = _Words(o)
    there = w.rem(src, 768)
    o.set_phase(class_id, there)
    o.set_phase(None, w.select(w.eq(w.own(), class_id), there, o.phase(None)))


def first_phase(o: Any) -> Any:
    """Every phase of a lane at entry: that of the device and the number of the block."""
    w = _Words(o)
    plane = w.add(o.special("BLOCK_IDX_Y"), w.mul(o.special("GRID_DIM_Y"), o.special("BLOCK_IDX_Z")))
    block = w.add(o.special("BLOCK_IDX_X"), w.mul(o.special("GRID_DIM_X"), plane))
    return w.rem(w.add(o.argument(PHASE, _U32), block), 768)


def bound_map(o: Any, class_id: Any, page: Any, byte: Any) -> Any:
    w = _Words(o)
    w.below(class_id, 96, FaultKind.INVALID_CLASS, _CLASS)
    bounds = o.argument(FOOTPRINT, _U32)
    for value, shift, note in ((page, 0, _PAGE), (byte, 16, _BYTE)):
        least, most = (w.and_(w.shr(bounds, shift + more), 0xFF) for more in (0, 8))
        w.guard(FaultKind.OUT_OF_BOUNDS, o.por(w.lt(value, least), w.lt(most, value)), value, note)
    return o.cvt(Type.U64, _U32, w.add(w.add(w.mul(class_id, CLASS_BYTES), w.mul(page, 256)), byte))


def orbit_classify(o: Any, src: Any, torus_size: Any) -> Any:
    w = _Words(o)
    w.guard(FaultKind.OUT_OF_BOUNDS, o.pnot(w.eq(w.and_(torus_size, 31), 0)), torus_size, _SIZE)
    w.guard(FaultKind.OUT_OF_BOUNDS, w.le(torus_size, src), src, _POINT)
    return w.and_(src, 31)


def orbit_representative(o: Any, class_id: Any, torus_size: Any) -> Any:
    w = _Words(o)
    w.guard(FaultKind.OUT_OF_BOUNDS, o.pnot(w.eq(w.and_(torus_size, 31), 0)), torus_size, _SIZE)
    return w.below(class_id, 32, FaultKind.INVALID_CLASS, _ORBIT)


def mult_inverse(o: Any, src: Any, modulus: Any) -> Any:
    w = _Words(o)
    found = w.inverse(src, modulus)
    w.guard(FaultKind.DIVISION_BY_ZERO, w.eq(found, 0), src, _UNIT)
    return found


def _character(w: _Words, byte: Any) -> Any:
    return w.below(w.wide(byte), 32, FaultKind.OUT_OF_BOUNDS, _CHARACTER)


def char_product(o: Any, lhs: Any, rhs: Any) -> Any:
    w = _Words(o)
    a, b = _character(w, lhs), _character(w, rhs)
    turns = w.and_(w.add(w.and_(a, 14), w.and_(b, 14)), 14)
    return w.byte(w.or_(w.and_(w.xor(a, b), 0x11), turns))


def char_value(o: Any, src: Any, unit: Any) -> Any:
    w = _Words(o)
    index, value = _character(w, src), w.wide(unit)
    # A unit is 5**b or -(5**b) modulo 32; the first kind is 1 modulo 4.
    minus = w.bit(value, 1)
    power = w.and_(w.select(minus, w.sub(0, value), value), 31)
    turns = w.and_(w.shr(0x32547610, w.and_(power, 28)), 7)  # b, by power // 4 in fours of bits
    alpha, beta, gamma = w.shr(index, 4), w.and_(w.shr(index, 1), 7), w.and_(index, 1)
    third = w.rem(value, 3)
    total = w.add(w.mul(beta, turns), w.mul(alpha, w.select(minus, 4, 0)))
    total = w.and_(w.add(total, w.mul(gamma, w.select(w.eq(third, 2), 4, 0))), 7)
    nothing = o.por(w.eq(w.and_(value, 1), 0), w.eq(third, 0))
    return w.byte(w.select(nothing, 0xFF, total))
