"""Where values come from: other values, memory, constants, conversions; and values brought within bounds."""

from __future__ import annotations

import math

from hologram_web.isa import Condition, Immediate, Type

from . import memory, tame
from .context import Context
from .data import random_bits
from .emit import Value
from .plan import Combination

__all__ = [
    "assign",
    "bits_of",
    "clean",
    "convert_or_load",
    "copy",
    "divisor",
    "immediate",
    "not_zero",
    "reduced",
    "tamed",
    "value",
    "variable",
]

_DEEP = 3  # values made for values made for values


def value(g: Context, ty: Type, *, uniform: bool = False) -> Value:
    """A value of a type to be read: one that waits for a reader, another one, or a new one."""
    known = [v for v in g.code.visible(ty) if v.uniform or not uniform]
    pending = [v for v in known if v.pending]
    roll = g.rng.random()
    if pending and roll < 0.65:
        found = g.pick(pending)
    elif known and (roll < 0.8 or g.depth >= _DEEP):
        found = g.pick(known)
    else:
        found = _source(g, ty, uniform)
    g.code.touch(found)
    return found


def _source(g: Context, ty: Type, uniform: bool) -> Value:
    """A new value of a type."""
    g.depth += 1
    try:
        if g.depth <= _DEEP:
            planned = g.take("LDG", "CVT", "BITCAST", "MOV_IMM", ty=ty)
            if planned is not None and not (uniform and planned.row.name != "MOV_IMM"):
                return convert_or_load(g, planned)
            if planned is not None:
                g.plan.append(planned)
            roll = g.rng.random()
            if roll < 0.15:
                others = [
                    v for v in g.code.visible(g.pick(g.profile.types)) if v.pending and (v.uniform or not uniform)
                ]
                if others:
                    return _cvt(g, ty, g.pick(others))
            if roll < 0.8:
                return memory.load(g, ty, uniform)
        return immediate(g, ty)
    finally:
        g.depth -= 1


def convert_or_load(g: Context, combination: Combination) -> Value:
    """An instruction of the plan that makes a value out of another one, of memory or of nothing."""
    ty = combination.types[0]
    match combination.row.name:
        case "CVT":
            hard = _tie(g, ty, combination.types[1]) if g.chance(0.4) else None
            return _cvt(g, ty, hard or value(g, combination.types[1]))
        case "BITCAST":
            return _bitcast(g, ty, value(g, combination.types[1]))
        case "LDG":
            return memory.load(g, ty, False)
        case _:
            return immediate(g, ty)


def immediate(g: Context, ty: Type) -> Value:
    """A random constant."""
    bits = random_bits(g.rng, ty, g.profile.tame)
    host = g.code.level == 0 and len(g.code.scopes) == 2
    found = g.code.new(ty, uniform=True, host=host)
    if ty.is_float:
        found.nan = ty.is_nan(bits)
        found.span = tame.CANONICAL[ty] if g.profile.tame else None
    else:
        number = int(ty.decode(bits))
        found.top = number if number >= 0 else None
    g.code.emit("MOV_IMM", ty, found.register, Immediate(ty, bits))
    return found


def copy(g: Context, source: Value) -> Value:
    """MOV."""
    g.code.touch(source)
    found = g.code.new(
        source.ty, uniform=source.uniform, nan=source.nan, span=source.span, top=source.top, host=source.host
    )
    g.code.emit("MOV", found.register, source.register)
    return found


def variable(g: Context, ty: Type) -> Value:
    """A value of the innermost scope that inner scopes may assign: of whose contents nothing is known."""
    source = value(g, ty)
    if g.profile.tame and ty.is_float:
        source = tamed(g, source)
    found = g.code.new(ty, nan=ty.is_float, span=tame.CANONICAL.get(ty), assignable=True)
    g.code.emit("MOV", found.register, source.register)
    return found


def assign(g: Context, target: Value, source: Value) -> None:
    """Writes an assignable value."""
    if g.profile.tame and source.ty.is_float:
        source = tamed(g, source)
    g.code.touch(source)
    g.code.emit("MOV", target.register, source.register)
    target.pending = True


# Conversions


def _cvt(g: Context, ty: Type, source: Value) -> Value:
    if g.profile.tame:
        source = _convertible(g, ty, source)
    g.code.touch(source)
    found = g.code.new(ty, uniform=source.uniform, host=source.host)
    if ty.is_float:
        found.nan = source.nan and source.ty.is_float
        if g.profile.tame:
            low, high = source.span or (0, (source.top or (1 << source.ty.bits)).bit_length() + 1)
            found.span = low, high + 1
    elif source.ty.is_integer and source.top is not None and source.top <= ty.max_value:
        found.top = source.top
    g.code.emit("CVT", ty, source.ty, found.register, source.register)
    return found


def _convertible(g: Context, ty: Type, source: Value) -> Value:
    """A tame value for CVT: one that does not overflow F16."""
    if ty.is_float and source.ty.is_float and source.span is not None:
        return source if tame.fits(ty, (source.span[0], source.span[1] + 1)) else tamed(g, source)
    if ty.is_float and source.ty.is_wide and (source.top is None or source.top >> 60):
        source = reduced(g, source, (1 << 60) - 1)
    if ty is Type.F16 and source.ty.is_integer and (source.top is None or source.top >= 1 << 14):
        return reduced(g, source, min(int(source.ty.max_value), (1 << 13) - 1))
    return source


def bits_of(g: Context, source: Value) -> Value:
    """The bits of a float as an unsigned integer; of a NaN those of a constant."""
    return _bitcast(g, source.ty.unsigned, source)


def _bitcast(g: Context, ty: Type, source: Value) -> Value:
    if g.profile.tame and ty.is_float:
        if source.ty.is_integer:
            source = _tame_bits(g, ty, source)
        elif source.ty is not ty:
            source = tamed(g, source)
    if source.ty.is_float and source.nan:
        source = clean(g, source)
    g.code.touch(source)
    found = g.code.new(ty, uniform=source.uniform, host=source.host, nan=ty.is_float)
    if g.profile.tame and ty.is_float:
        # As an F16, the bits of a canonical BF16 lie between 1 and 4; those of an F16 between 2**-39 and 2**25 as BF16.
        spans = {(Type.F16, Type.BF16): (-1, 3), (Type.BF16, Type.F16): (-40, 26)}
        found.span = spans.get((ty, source.ty), source.span if source.ty is ty else tame.CANONICAL[ty])
        found.nan = False
    g.code.emit("BITCAST", ty, source.ty, found.register, source.register)
    return found


def clean(g: Context, source: Value) -> Value:
    """`source`, or a constant where it is NaN, whose bits may differ from device to device."""
    if not source.nan:
        return source
    ty = source.ty
    g.code.touch(source)
    test = g.code.new_flag(source.uniform)
    g.code.touch(test)
    g.code.emit("SETcc", Condition.EQ, ty, test.predicate, source.register, source.register)
    instead = g.code.constant(ty, 1.5)
    found = g.code.new(ty, uniform=source.uniform, host=False)
    g.code.emit("SEL", ty, found.register, test.predicate, source.register, instead.register)
    return found


def _tame_bits(g: Context, ty: Type, source: Value) -> Value:
    """Bits of a tame float of type `ty`, from any bits."""
    mask, base = tame.MASKS[ty]
    unsigned = source.ty.unsigned
    first = source if source.ty is unsigned else _bitcast(g, unsigned, source)
    kept, moved = g.code.new(unsigned, pending=False), g.code.new(unsigned, uniform=source.uniform)
    g.code.emit("AND", unsigned, kept.register, first.register, g.code.constant(unsigned, mask).register)
    g.code.emit("ADD", unsigned, moved.register, kept.register, g.code.constant(unsigned, base).register)
    g.code.touch(source, first)
    return moved if source.ty is unsigned else _bitcast(g, source.ty, moved)


def tamed(g: Context, source: Value) -> Value:
    """A float whose exponent is cut to the canonical span."""
    canonical = tame.CANONICAL[source.ty]
    if source.span is not None and source.span[0] >= canonical[0] and source.span[1] <= canonical[1]:
        return source
    bits = _bitcast(g, source.ty.unsigned, source)
    return _bitcast(g, source.ty, bits)


# Integers within bounds


def reduced(g: Context, source: Value, top: int) -> Value:
    """An integer from 0 to at most `top`, made of any integer of a type that holds `top`."""
    if source.top is not None and source.top <= top:
        return source
    ty = source.ty
    g.code.touch(source)
    mask = (1 << (top + 1).bit_length() - 1) - 1
    ways = ["and"]
    if ty.is_unsigned:
        ways += ["rem", "min"] if top < ty.max_value else []
        ways += ["shift"] if 0 < mask.bit_length() < ty.bits else []
    way = g.pick(ways)
    found = g.code.new(ty, uniform=source.uniform, host=source.host, top=mask if way in ("and", "shift") else top)
    match way:
        case "and":
            g.code.emit("AND", ty, found.register, source.register, g.code.constant(ty, mask).register)
        case "rem":
            g.code.emit("REM", ty, found.register, source.register, g.code.constant(ty, top + 1).register)
        case "min":
            g.code.emit("MIN", ty, found.register, source.register, g.code.constant(ty, top).register)
        case _:
            amount = g.code.constant(Type.U32, ty.bits - mask.bit_length())
            g.code.emit("SHR", ty, found.register, source.register, amount.register)
    return found


def divisor(g: Context, source: Value) -> Value:
    """An integer that is not zero."""
    ty = source.ty
    g.code.touch(source)
    one = g.code.constant(ty, 1)
    found = g.code.new(ty, uniform=source.uniform, host=source.host, pending=False)
    if ty.is_unsigned and g.chance(0.3):
        g.code.emit("MAX", ty, found.register, source.register, one.register)
    else:
        g.code.emit("OR", ty, found.register, source.register, one.register)
    return found


def not_zero(g: Context, source: Value) -> Value:
    """The magnitude of a tame float, and at least the least one of its span."""
    g.code.touch(source)
    ty = source.ty
    least = g.code.constant(ty, math.ldexp(1.0, tame.CANONICAL[ty][0]))
    size, found = g.code.new(ty, pending=False), g.code.new(ty, pending=False)
    g.code.emit("ABS", ty, size.register, source.register)
    g.code.emit("MAX", ty, found.register, size.register, least.register)
    return found


def _tie(g: Context, ty: Type, source: Type) -> Value | None:
    """A number of a wider type in the middle between two floats of `ty`, or next to that."""
    digits = source.mantissa if source.is_float else source.bits - 1 - source.is_signed
    if not ty.is_float or digits <= ty.mantissa + 1 or (ty is Type.F16 and source.is_integer):
        return None
    number = (1 << (ty.mantissa + 1)) + 2 * g.rng.getrandbits(ty.mantissa) + 1
    spare = digits - ty.mantissa - 1
    exact = (number << spare) + g.pick((-1, 0, 1))
    if source.is_integer:
        return g.code.constant(source, exact)
    found = g.code.constant(source, math.ldexp(exact, -digits))
    found.span = (0, 2)
    return found
