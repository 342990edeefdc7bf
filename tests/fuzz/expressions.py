"""Typed expressions: one instruction for each combination, predicates, and the end of a scope."""

from __future__ import annotations

import math
from typing import Any

from hologram_web.isa import Condition, Instruction, Type
from hologram_web.isa.row import Row
from hologram_web.isa.table import BY_NAME

from . import memory, tame
from .context import Context
from .emit import Flag, Value
from .plan import ROUGH, Combination
from .values import convert_or_load, copy, divisor, immediate, not_zero, reduced, tamed, value

__all__ = ["flag", "flag_of", "pure", "settle"]

# The result is a NaN only if an operand is one.
_KEEPS_CLEAN = frozenset(
    ["NEG", "ABS", "MIN", "MAX", "CLAMP", "FLOOR", "CEIL", "ROUND", "TRUNC", "SIGN", "RELU", "SEL", "MOV"]
)
_FOLDS = ("ADD", "SUB", "MUL", "MIN", "MAX")
_INTEGER_FOLDS = (*_FOLDS, "XOR", "OR", "AND")


# Predicates


def flag(g: Context, *, uniform: bool = False) -> Flag:
    """A predicate to be read."""
    known = [f for f in g.code.visible_flags() if f.uniform or not uniform]
    pending = [f for f in known if f.pending]
    if pending and g.chance(0.5):
        found = g.pick(pending)
    else:
        planned = g.take("SETcc")
        if planned is None:
            ty = g.pick(g.profile.types)
            condition = g.pick([c for c in Condition if ty.is_integer or not c.unsigned])
            planned = Combination(BY_NAME["SETcc"], (ty,), condition)
        found = _compare(g, planned, uniform)
    g.code.touch(found)
    return found


def _compare(g: Context, combination: Combination, uniform: bool) -> Flag:
    ty = combination.types[0]
    lhs, rhs = value(g, ty, uniform=uniform), value(g, ty, uniform=uniform)
    if ty.is_integer and g.chance(0.3):  # let them be near each other
        top = g.pick((1, 3, 7))
        lhs, rhs = reduced(g, lhs, top), reduced(g, rhs, top)
        g.code.touch(lhs, rhs)
    return flag_of(g, combination.detail, ty, lhs, rhs)


def flag_of(g: Context, condition: Condition, ty: Type, lhs: Value, rhs: Value) -> Flag:
    found = g.code.new_flag(lhs.uniform and rhs.uniform)
    g.code.emit("SETcc", condition, ty, found.predicate, lhs.register, rhs.register)
    return found


# One instruction for each combination


def pure(g: Context, combination: Combination) -> Value | Flag:
    """The instruction of a combination without side effects, on operands found or made for it."""
    row, types = combination.row, combination.types
    match row.name:
        case "CVT" | "BITCAST" | "MOV_IMM" | "LDG":
            return convert_or_load(g, combination)
        case "MOV":
            return copy(g, value(g, types[0]))
        case "SETcc":
            return _compare(g, combination, False)
    if g.profile.tame and row.name in ROUGH and types[0].is_float:
        return _rough(g, row, types[0])
    gives = _result(row, types) if types else None
    target = _target(g, gives) if gives is not None else None
    operands = _operands(g, row, types, target)
    values = [o for o in operands if isinstance(o, Value)]
    uniform = all(o.uniform for o in operands if isinstance(o, (Value, Flag)))
    if not types:  # PAND, POR, PNOT
        found = g.code.new_flag(uniform)
        g.code.emit(row.name, found.predicate, *(o.predicate for o in operands))
        return found
    ty = types[0]
    span = None
    if g.profile.tame and ty.is_float:
        span = tame.result_span(row.name, ty, [v.span or tame.CANONICAL[ty] for v in values])
        if span is None:
            operands = [tamed(g, o) if isinstance(o, Value) else o for o in operands]
            span = tame.result_span(row.name, ty, [tame.CANONICAL[ty]] * len(values))
            assert span is not None, row.name
    inputs = [o.predicate if isinstance(o, Flag) else o.register if isinstance(o, Value) else o for o in operands]
    for operand in operands:
        if isinstance(operand, (Value, Flag)):
            g.code.touch(operand)
    assert gives is not None
    if target is not None and (span is None or _within(span, tame.CANONICAL[ty])):
        g.code.emit(row.name, *_in_order(row, types, target.register, inputs))
        target.pending = True
        return target
    result = g.code.new(
        gives, uniform=uniform, span=span, host=all(v.host for v in values) and len(values) == len(operands)
    )
    result.nan = gives.is_float and not g.profile.tame and (row.name not in _KEEPS_CLEAN or any(v.nan for v in values))
    g.code.emit(row.name, *_in_order(row, types, result.register, inputs))
    return result


def _result(row: Row, types: tuple[Type, ...]) -> Type:
    """The type of what an instruction gives: its type operand's, or a type that the row names."""
    written = next(operand.type for operand in row.operands if operand.role == "def")
    return types[0] if written == "ty" else Type.named(written)


def _in_order(row: Row, types: tuple[Type, ...], result: Any, inputs: list[Any]) -> list[Any]:
    """Operands in the order of the row."""
    kinds, rest = iter(types), iter(inputs)
    return [
        next(kinds) if operand.kind == "type" else result if operand.role == "def" else next(rest)
        for operand in row.operands
        if operand.kind != "bool"
    ]


def _within(span: tame.Span, bounds: tame.Span) -> bool:
    return span[0] >= bounds[0] and span[1] <= bounds[1]


def _target(g: Context, ty: Type) -> Value | None:
    """An assignable value to write, or None: then the result is a new value."""
    inner = len(g.code.scopes) > 2
    found = [v for v in g.code.visible(ty) if v.assignable]
    return g.pick(found) if found and g.chance(0.5 if inner else 0.15) else None


def _operands(g: Context, row: Row, types: tuple[Type, ...], target: Value | None) -> list[Any]:
    """The operands that are read. One of them is the variable that is written: its old value counts."""
    if types and types[0].is_float and g.chance(0.2) and (hard := _hard_operands(g, row, types[0])):
        return hard
    found: list[Any] = []
    reuse = target is not None and g.chance(0.85)
    for operand in row.operands:
        if operand.kind == "predicate" and operand.role == "use":
            found.append(flag(g))
        elif operand.kind == "register" and operand.role == "use":
            ty = types[0] if operand.type == "ty" else Type.named(operand.type)
            if reuse and target is not None and ty is target.ty:
                found.append(target)
                reuse = False
            elif ty is Type.U32 and operand.name == "amount":
                found.append(_amount(g, types[0]))
            else:
                found.append(value(g, ty))
    if row.name in ("DIV", "REM") and types[0].is_wide and g.chance(0.5):
        # Operands that come from memory often have one sign and one length.
        place = g.between(0, 1)
        found[place] = immediate(g, types[0])
        g.code.touch(found[place])
    if row.name in ("DIV", "REM") and types[0].is_integer:
        found[1] = divisor(g, found[1])
    elif len(found) == 2 and row.name in ("SUB", "DIV", "REM", "SHL", "SHR") and found[0] is found[1]:
        found[1] = value(g, found[1].ty)
    return found


def _hard_operands(g: Context, row: Row, ty: Type) -> list[Any]:
    """Floats where mistakes show, for some instructions."""
    sign = g.pick((-1.0, 1.0))
    match row.name:
        case "FMA" | "FMS":  # a * b lies in the middle between two floats, and c is tiny: rounding twice goes wrong
            half = (ty.mantissa + 1) // 2
            exponent = -12 if ty is Type.F16 else -60
            numbers = [1.0 + 2.0**-half, 1.0 + 2.0 ** -(ty.mantissa + 1 - half), sign * 2.0**exponent]
        case "MIN" | "MAX":
            numbers = [0.0 * sign, 0.0 * -sign]
        case "ROUND" | "FLOOR" | "CEIL" | "TRUNC":
            numbers = [sign * (g.between(0, 9) + 0.5)]
        case _:
            return []
    found = [g.code.constant(ty, number) for number in numbers]
    for constant, number in zip(found, numbers, strict=True):
        exponent = math.frexp(number)[1]
        constant.span = (exponent - 1, exponent) if number else (0, 1)
    return found


def _amount(g: Context, ty: Type) -> Value:
    """How far to shift: often less than the width, so that something is left."""
    amount = value(g, Type.U32)
    if g.chance(0.5):
        amount = reduced(g, amount, g.pick((ty.bits - 1, 2 * ty.bits - 1, ty.bits // 2)))
        g.code.touch(amount)
    return amount


def _rough(g: Context, row: Row, ty: Type) -> Value:
    """A quotient or root, and whether it is near enough: 1 or 0 in an integer."""
    first = tamed(g, value(g, ty))
    a = not_zero(g, first)
    b = not_zero(g, tamed(g, value(g, ty))) if row.name == "DIV" else a
    result, back, error, bound = (g.code.new(ty, pending=False) for _ in range(4))
    emit = g.code.emit
    match row.name:
        case "DIV":  # |r * b - a| <= bound * |a|
            emit("DIV", ty, result.register, a.register, b.register)
            emit("MUL", ty, back.register, result.register, b.register)
            whole = a
        case "SQRT":
            emit("SQRT", ty, result.register, a.register)
            emit("MUL", ty, back.register, result.register, result.register)
            whole = a
        case "RCP":
            emit("RCP", ty, result.register, a.register)
            emit("MUL", ty, back.register, result.register, a.register)
            whole = g.code.constant(ty, 1.0)
        case _:
            emit("RSQRT", ty, result.register, a.register)
            emit("MUL", ty, back.register, result.register, a.register)
            emit("MUL", ty, back.register, back.register, result.register)
            whole = g.code.constant(ty, 1.0)
    emit("SUB", ty, error.register, back.register, whole.register)
    emit("ABS", ty, error.register, error.register)
    allowed = g.code.constant(ty, 2.0 ** -(ty.mantissa - 4))
    emit("MUL", ty, bound.register, whole.register, allowed.register)
    verdict = g.code.new_flag(False)
    emit("SETcc", Condition.LE, ty, verdict.predicate, error.register, bound.register)
    number = g.integer_type()
    found = g.code.new(number, top=1)
    yes, no = g.code.constant(number, 1), g.code.constant(number, 0)
    emit("SEL", number, found.register, verdict.predicate, yes.register, no.register)
    g.code.touch(verdict)
    return found


# The end of a scope


def settle(g: Context) -> None:
    """Stores or folds everything of the innermost scope that nothing has read."""
    scope = g.code.scope
    for found in [f for f in scope.flags if f.pending]:
        g.code.clock += 1
        g.code.touch(found)
        ty = g.pick(g.profile.types)
        yes, no = value(g, ty), value(g, ty)
        chosen = g.code.new(ty, nan=yes.nan or no.nan, span=_union(yes, no))
        g.code.emit("SEL", ty, chosen.register, found.predicate, yes.register, no.register)
    for left in [v for v in scope.values if v.pending]:
        if left.pending:
            g.code.clock += 1
            _settle_value(g, left)


def _settle_value(g: Context, found: Value) -> None:
    scope = g.code.scope
    foldable = found.ty.is_integer or not g.profile.tame
    targets = [v for v in g.code.visible(found.ty) if v.assignable and v is not found]
    others = [v for v in scope.values if v.ty is found.ty and v.pending and v is not found]
    if targets and foldable and g.chance(0.6):
        _fold(g, g.pick(targets), found)
    elif others and foldable and g.chance(0.35):
        combined = g.pick(others)
        result = g.code.new(found.ty, nan=found.ty.is_float)
        g.code.emit(_folding(g, found.ty), found.ty, result.register, found.register, combined.register)
        g.code.touch(found, combined)
        memory.store(g, result)
    else:
        memory.store(g, found)


def _union(a: Value, b: Value) -> tame.Span | None:
    if a.span is None or b.span is None:
        return None
    return min(a.span[0], b.span[0]), max(a.span[1], b.span[1])


def _folding(g: Context, ty: Type) -> str:
    return g.pick(_INTEGER_FOLDS if ty.is_integer else _FOLDS)


def _fold(g: Context, target: Value, found: Value) -> Instruction:
    """target = target op found."""
    g.code.touch(found)
    target.pending = True
    ty = found.ty
    return g.code.emit(_folding(g, ty), ty, target.register, target.register, found.register)
