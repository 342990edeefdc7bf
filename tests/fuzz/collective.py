"""Collectives between regions of lane code, also in loops that the host counts."""

from __future__ import annotations

from typing import Any

from hologram_web.isa import Address, BinaryMapOperation, Label, MapOperation, ReduceOperation, Register, Type
from hologram_web.isa.table import BY_MNEMONIC

from . import control, expressions
from .context import Context
from .data import array_of, random_bits, small_integers
from .emit import Value
from .memory import Array
from .plan import ROUGH, UNSAID, Combination, lacks
from .tame import CANONICAL

__all__ = ["region"]

_MOST = 60


def region(g: Context, combinations: list[Combination]) -> None:
    """Some collectives, then what lanes need is computed anew; perhaps all of it in a loop."""
    g.used.add("collectives")
    _drop(g)
    counter = body = None
    trips = g.between(2, 3)
    if g.chance(0.25):
        counter, body = g.code.own_register(), g.code.label("host")
        g.code.emit("MOV_IMM", Type.U32, counter, trips - 1)
        g.code.place(body)
        g.used.update(("loop", "host loop"))
    with g.code.open(uniform=True, trips=trips if counter else 1):
        prologue(g)
        if counter is not None and g.chance(0.6):
            control.block(g, g.between(1, 3))
            expressions.settle(g)
        for combination in combinations:
            g.code.clock += 1
            _COLLECTIVES[combination.row.name](g, combination)
        forget(g)
    if counter is not None and body is not None:
        g.code.emit("LOOP", counter, Label(body))
    forget(g)
    prologue(g)


def _drop(g: Context) -> None:
    """Stores what is pending: it does not survive, but for what the host can compute."""
    for found in g.code.scope.values:
        if found.host and found.pending and g.chance(0.6):
            found.pending, found.kept = False, True
    expressions.settle(g)
    forget(g)


def forget(g: Context) -> None:
    """Nothing of lanes survives a collective."""
    for scope in g.code.scopes[1:]:
        scope.values = [v for v in scope.values if v.host or v.lasting]
        scope.flags = []


def prologue(g: Context) -> None:
    """Global values that code anywhere relies on."""
    assert g.global_lane is not None
    g.code.emit("CVT", Type.U32, Type.U64, g.global_lane.register, Register(255))
    lane = g.block_lane
    if lane is None or lane is g.global_lane:
        return
    _, y, z = g.config.block
    if y == z == 1:
        g.code.emit("MOV", lane.register, Register(252))
        return
    rows = g.code.held()  # lane = (z * size of y + y) * size of x + x
    g.code.emit("MAD", Type.U32, rows, Register(250), Register(247), Register(251))
    g.code.emit("MAD", Type.U32, lane.register, rows, Register(254), Register(252))


# Operands


def _size(g: Context, number: int) -> Any:
    """A count: a number, a register the host can compute, or a scalar parameter."""
    roll = g.rng.random()
    if roll < 0.5:
        return number
    if roll < 0.8:
        register = g.code.held()
        g.code.emit("MOV_IMM", g.integer_type(number), register, number)
        return register
    return g.memories.size_parameter(g, number)


def _source(g: Context, ty: Type, count: int, data: bytes | None = None) -> Address:
    """`count` elements to read: those of an input, or what lanes or collectives left in an output."""
    holders = [h for h in g.memories.outputs if h.loads and h.kind != "class"]
    left = [
        a for h in holders for a in h.arrays if a.use in ("own", "read", "result") and a.ty is ty and a.count >= count
    ]
    tame = g.profile.tame and ty.is_float
    if data is None and left and not tame and g.chance(0.6):
        array, first = g.pick(left), 0
        first = g.between(0, array.count - count)
    else:
        data = data or array_of(g.rng, ty, max(count, 1), g.profile.tame)
        array = g.pick(g.memories.inputs).add(g, ty, data, "read")
        array.nan, first = ty.is_float and not g.profile.tame, 0
    return _address(g, array, first)


def _address(g: Context, array: Array, first: int) -> Address:
    if g.chance(0.25):  # by a register that the host can compute
        ty = g.integer_type(max(first, 1))
        register = g.code.held()
        g.code.emit("MOV_IMM", ty, register, first)
        return Address.Register(_static(g, array, 0), register, scale=array.ty.size_bytes)
    return _static(g, array, first)


def _static(g: Context, array: Array, first: int) -> Address:
    name = g.pick(array.holder.names)
    offset = array.offset + first * array.ty.size_bytes
    return Address.Pool(name, offset) if array.holder.kind == "pool" else Address.Buffer(name, offset)


def _destination(g: Context, ty: Type, count: int, data: bytes | None = None) -> Array:
    """A new array that only collectives write, and lanes may read."""
    holders = [
        h
        for h in g.memories.outputs
        if h.kind != "class" and h.room(count * max(ty.size_bytes, 8)) and (h.loads or data is None)
    ]
    one = random_bits(g.rng, ty, g.profile.tame).to_bytes(ty.size_bytes, "little")
    holder = g.pick(holders or g.memories.outputs[:1])
    array = holder.add(g, ty, data if data is not None else one * count, "read")
    array.nan = ty.is_float and not g.profile.tame
    if g.profile.tame and ty.is_float:
        array.use = "result"  # its numbers may be large or small
    return array


# Collectives


def _map(g: Context, combination: Combination) -> None:
    ty = combination.types[0]
    operation = g.pick([o for o in MapOperation if _runs(g, o.value, ty)])
    count = g.between(0, _MOST)
    src = _source(g, ty, count)
    array = _destination(g, ty, max(count, 1))
    g.code.emit("ParallelMap", operation, _address(g, array, 0), src, _size(g, count), ty)


def _runs(g: Context, mnemonic: str, ty: Type) -> bool:
    """Whether the lane instruction of that name runs on a type, and may be used here."""
    row = BY_MNEMONIC[mnemonic]
    if g.profile.tame and ty.is_float and row.name in ROUGH | UNSAID:
        return False
    if lacks(g.profile, row, ty):
        return False
    return row.reference is not None and ty in row.operands[0].allowed


def _map_binary(g: Context, combination: Combination) -> None:
    ty = combination.types[0]
    operation = g.pick([o for o in BinaryMapOperation if _runs(g, o.value, ty)])
    count = g.between(0, _MOST)
    divides = ty.is_integer and operation in (BinaryMapOperation.Div, BinaryMapOperation.Rem)
    data = small_integers(g.rng, ty, max(count, 1), 1, 9) if divides else None
    a, b = _source(g, ty, count), _source(g, ty, max(count, 1), data)
    array = _destination(g, ty, max(count, 1))
    g.code.emit("ParallelMapBinary", operation, _address(g, array, 0), a, b, _size(g, count), ty)


def _reduce(g: Context, combination: Combination) -> None:
    ty = combination.types[0]
    operation = g.pick(list(ReduceOperation))
    tame = g.profile.tame and ty.is_float
    count = g.between(1, 3) if tame else g.pick((0, 1, 31, 33, g.between(2, _MOST), 2049 if g.chance(0.05) else 64))
    src = _source(g, ty, count)
    if g.chance(0.5):
        register = g.code.own_register()
        g.code.emit("ParallelReduce", operation, register, src, _size(g, count), ty)
        span = None
        if tame:  # of the product or sum of three
            low, high = CANONICAL[ty]
            span = (3 * low - ty.mantissa, 3 * high + 2)
        nan = ty.is_float and not tame
        g.code.scopes[1].values.append(Value(register, ty, True, nan, span, kept=True, lasting=True))
        return
    array = _destination(g, ty, 1)
    g.code.emit("ParallelReduce", operation, _address(g, array, 0), src, _size(g, count), ty)


def _gemm(g: Context, combination: Combination) -> None:
    """Small matrices; of floats, small integers, so that every order of summation gives the same."""
    ty = combination.types[0]
    m, n, k = (g.between(1, 6) for _ in range(3))
    least = 0 if ty.is_unsigned else -4

    def matrix(count: int) -> bytes | None:
        if ty.is_float:
            return small_integers(g.rng, ty, count, least, 4)
        return None if g.chance(0.5) else small_integers(g.rng, ty, count, least, 4)

    beta = g.pick((0.0, 0.0, 1.0, 2.0))
    a, b = _source(g, ty, m * k, matrix(m * k)), _source(g, ty, k * n, matrix(k * n))
    bias = _source(g, ty, n, matrix(n)) if g.chance(0.4) else None
    old = small_integers(g.rng, ty, m * n, least, 4)
    activations = [o for o in MapOperation if _runs(g, o.value, ty) and BY_MNEMONIC[o.value].name not in ROUGH]
    array = _destination(g, ty, m * n, old if beta else None)
    if not ty.is_float:
        array.nan = False
    fields: dict[str, Any] = {"alpha": g.pick((1.0, 1.0, 3.0)), "beta": beta, "bias": bias}
    fields |= {"trans_a": g.chance(0.4), "trans_b": g.chance(0.4)}
    looped = beta and ty.is_float and g.code.scope.trips > 1  # it adds to what it left, which is no integer any more
    if g.chance(0.4) and not looped:
        fields["activation"] = g.pick(activations)
    sizes = [_size(g, number) for number in (m, n, k)]
    g.code.emit("GEMM", _address(g, array, 0), a, b, *sizes, ty=ty, **fields)


_COLLECTIVES = {"ParallelMap": _map, "ParallelMapBinary": _map_binary, "ParallelReduce": _reduce, "GEMM": _gemm}
