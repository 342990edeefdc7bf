"""Operators: Python's meaning of them over the instructions of the ISA."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ...isa.operands import Predicate, Register
from ...isa.types import Type
from .emit import Emitter
from .source import MISSING
from .spans import after, compared, is_small, raised, tell
from .types import Value, ValueKind, Weak, default, fits, float_of, join, loses_sign

__all__ = ["Arithmetic", "literal", "trips_of", "typed"]

_PLAIN = {ast.Add: "ADD", ast.Sub: "SUB", ast.Mult: "MUL"}
_BITS = {ast.BitAnd: "AND", ast.BitOr: "OR", ast.BitXor: "XOR"}
_CONDITIONS = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_SYMBOLS: dict[type[ast.AST], str] = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<"}
_SYMBOLS |= {ast.RShift: ">>", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//"}
_SYMBOLS |= {ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_WRAPPED = (*_PLAIN, *_BITS, ast.FloorDiv, ast.Mod)
_UNROLLED_POWER = 64
# What is made of two of the lane's numbers: block_id * block_dim + local_id is the global one.
_LANES: dict[frozenset[Any], tuple[str, int]] = {
    key: found
    for axis in range(3)
    for key, found in (
        (frozenset((ast.Mult, ("block_id", axis), ("block_dim", axis))), ("base", axis)),
        (frozenset((ast.Add, ("base", axis), ("local_id", axis))), ("global_id", axis)),
    )
}


class Arithmetic(Emitter):
    """Operators on values."""

    @staticmethod
    def sign(operator: ast.AST) -> str:
        """An operator as it is written."""
        return _SYMBOLS[type(operator)]

    def meet(self, node: ast.AST, a: Value, b: Value) -> ValueKind:
        """The type in which two values are computed; warns where a sign can be lost."""
        if loses_sign(a.ty, b.ty):
            self.warn(node, f"{a.ty} and {b.ty} meet as {join(a.ty, b.ty)}, which does not hold all values of both")
        return join(a.ty, b.ty)

    def known(self, node: ast.AST, a: Value, b: Value) -> tuple[Type, int, int] | None:
        """Two integers known while translating, one of them with a type: the type they meet in, and both in it.

        None for all others, and for a literal that does not fit.
        """
        ty = join(a.ty, b.ty)
        if not isinstance(ty, Type) or not ty.is_integer or a.const is None or b.const is None:
            return None
        if any(isinstance(v.ty, Weak) and not fits(int(v.const or 0), ty) for v in (a, b)):
            return None
        self.meet(node, a, b)
        x, y = (int(typed(ty, int(const)).const or 0) for const in (a.const, b.const))
        return ty, x, y

    def integers(self, node: ast.AST, operator: ast.operator, *values: Value) -> None:
        """Refuses floats."""
        for value in values:
            if float_of(value.ty) is value.ty:
                self.fail(node, f"{_SYMBOLS[type(operator)]} works on integers, not {value.ty}: convert with hg.i32(x)")

    def binary(self, node: ast.AST, operator: ast.operator, a: Value, b: Value) -> Value:
        """The result of a binary operator."""
        if a.const is not None and b.const is not None and isinstance(a.ty, Weak) and isinstance(b.ty, Weak):
            folded = self.scope.source.binary(node, operator, a.const, b.const)
            if folded is not MISSING:
                return literal(folded)
        kind = type(operator)
        if kind in (ast.LShift, ast.RShift):
            return self.shift(node, operator, a, b)
        if kind is ast.Pow:
            return self.power(node, a, b)
        known = self.known(node, a, b) if kind in _WRAPPED else None
        if known is not None and (known[2] or kind not in (ast.FloorDiv, ast.Mod)):
            found = typed(known[0], self.scope.source.binary(node, operator, known[1], known[2]))
            return replace(found, span=after(node, operator, known[0], a, b)) if is_small(known[0]) else found
        if kind in _BITS:
            self.integers(node, operator, a, b)
            if a.ty is Weak.BOOL and b.ty is Weak.BOOL:
                return self._logic(_BITS[kind], self.truth_of(node, a), self.truth_of(node, b))
        elif kind not in _PLAIN and kind not in (ast.Div, ast.FloorDiv, ast.Mod):
            self.scope.source.unsupported(node, kind.__name__)
        ty = self.meet(node, a, b)
        if kind is ast.Div:
            ty = float_of(ty)
        exact = default(ty)
        if kind in (ast.FloorDiv, ast.Mod):
            return Value(ty, self.divide(node, a, b, exact, kind is ast.Mod), span=after(node, operator, ty, a, b))
        name = {**_PLAIN, **_BITS, ast.Div: "DIV"}[kind]
        left, right = self.register(_left(node), a, exact), self.register(_right(node), b, exact)
        lane = _LANES.get(frozenset((kind, a.lane, b.lane))) if a.lane and b.lane else None
        return Value(ty, self.op(name, exact, left, right), lane=lane, span=after(node, operator, ty, a, b))

    def truth_of(self, node: ast.AST, value: Value) -> Predicate:
        """A predicate for any value, constants too."""
        if value.const is not None:
            return self.test("eq", Type.U32, self.immediate(Type.U32, 1), self.immediate(Type.U32, bool(value.const)))
        return self.truth(node, value)

    def _logic(self, name: str, a: Predicate, b: Predicate) -> Value:
        if name != "XOR":
            return self.both("P" + name, a, b)
        either, each = self.predicate(), self.predicate()
        self.emit("POR", either, a, b)
        self.emit("PAND", each, a, b)
        self.emit("PNOT", each, each)
        self.drop(a, b)
        return self.both("PAND", either, each)

    def both(self, name: str, a: Predicate, b: Predicate) -> Value:
        """PAND or POR of two predicates."""
        self.drop(a, b)
        result = self.predicate()
        self.emit(name, result, a, b)
        return Value(Weak.BOOL, pred=result)

    def negated(self, predicate: Predicate) -> Value:
        self.drop(predicate)
        result = self.predicate()
        self.emit("PNOT", result, predicate)
        return Value(Weak.BOOL, pred=result)

    # Division: Python rounds the quotient down, and the remainder has the sign of the divisor

    def divide(self, node: ast.AST, a: Value, b: Value, ty: Type, remainder: bool) -> Register:
        """a // b or a % b."""
        known = b.const if ty.is_integer and isinstance(b.const, int) and fits(b.const, ty) else None
        if known == 0:
            self.fail(_right(node), "division by zero: the divisor is never 0")
        if not (remainder and known is not None and known > 0 and known & (known - 1) == 0):
            a, b = tell(self, node, a, "divided"), tell(self, node, b, "a divisor")
        left = self.register(_left(node), a, ty)
        if known is not None and known > 0 and known & (known - 1) == 0:
            if remainder:
                return self.op("AND", ty, left, self.register(node, Value(Weak.INT, const=known - 1), ty))
            return self.op("SHR", ty, left, self.immediate(Type.U32, known.bit_length() - 1))
        right = self.register(_right(node), b, ty)
        if ty.is_float:
            return self._divide_floats(left, right, ty, remainder)
        if not ty.is_signed:
            return self.op("REM" if remainder else "DIV", ty, left, right)
        quotient = self.op("DIV", ty, left, right, keep=True)
        rest = self.op("REM", ty, left, right, keep=True)
        self.drop(left)
        # All ones where the remainder is not zero and has the other sign than the divisor.
        signs = rest if known is not None and known > 0 else self.op("XOR", ty, rest, right, keep=True)
        wrong = self.op("SHR", ty, signs, self.immediate(Type.U32, ty.bits - 1), keep=True)
        if signs is not rest:
            some = self.test("ne", ty, rest, self.immediate(ty, 0), keep=True)
            wrong = self.op("SEL", ty, some, wrong, self.immediate(ty, 0))
        if remainder:
            self.drop(quotient)
            return self.op("ADD", ty, rest, self.op("AND", ty, wrong, right))
        self.drop(right, rest)
        return self.op("ADD", ty, quotient, wrong)

    def _divide_floats(self, a: Register, b: Register, ty: Type, remainder: bool) -> Register:
        zero = self.immediate(ty, 0.0)
        rest = self.op("REM", ty, a, b, keep=True)
        moved = self.op("ADD", ty, rest, b, keep=True)
        below, divisor_below = (self.test("lt", ty, x, zero, keep=True) for x in (rest, b))
        wrong = self._logic("XOR", below, divisor_below).pred
        assert wrong is not None
        is_zero = self.test("eq", ty, rest, zero, keep=True)
        if remainder:
            result = self.op("SEL", ty, wrong, moved, rest)
            signed = self.op("SEL", ty, self.test("lt", ty, b, zero, keep=True), self.immediate(ty, -0.0), zero)
            return self.op("SEL", ty, is_zero, signed, result)
        # (a - rest) / b is a whole number but for its rounding, to the nearest one then. By zero it is infinity or NaN.
        exact = self.op("DIV", ty, self.op("SUB", ty, a, rest, keep=True), b, keep=True)
        one = self.immediate(ty, 1.0)
        less = self.op("SUB", ty, exact, one, keep=True)
        lower = self.both("PAND", wrong, self.negated(is_zero).pred).pred  # type: ignore[arg-type]
        exact = self.op("SEL", ty, lower, less, exact)
        whole = self.op("FLOOR", ty, exact, keep=True)
        rounded = self.op("ADD", ty, whole, one, keep=True)
        above = self.test("gt", ty, self.op("SUB", ty, exact, whole, keep=True), self.immediate(ty, 0.5))
        whole = self.op("SEL", ty, above, rounded, whole)
        plain = self.op("DIV", ty, a, b, keep=True)
        signed = self.op("MUL", ty, plain, zero, keep=True)  # a zero has the sign of a / b
        whole = self.op("SEL", ty, self.test("eq", ty, whole, zero, keep=True), signed, whole)
        return self.op("SEL", ty, self.test("eq", ty, b, self.immediate(ty, 0.0), keep=True), plain, whole)

    def shift(self, node: ast.AST, operator: ast.operator, a: Value, b: Value) -> Value:
        """a << b, a >> b in the type of a; a literal a takes the type of b."""
        self.integers(node, operator, a, b)
        ty = join(a.ty, b.ty) if isinstance(a.ty, Weak) else a.ty
        span = after(node, operator, ty, a, b)
        a = tell(self, node, a, "shifted to the right") if isinstance(operator, ast.RShift) else a
        if b.const is not None:
            b = literal(int(b.const) % default(ty).bits)
            if a.const is not None and isinstance(ty, Type) and (isinstance(a.ty, Type) or fits(int(a.const), ty)):
                number = int(typed(ty, int(a.const)).const or 0)
                return replace(typed(ty, self.scope.source.binary(node, operator, number, b.const)), span=span)
        left = self.register(node, a, default(ty))
        amount = self.register(node, b, Type.U32)
        name = "SHL" if isinstance(operator, ast.LShift) else "SHR"
        return Value(ty, self.op(name, default(ty), left, amount), span=span)

    def power(self, node: ast.AST, a: Value, b: Value) -> Value:
        """a ** b: products for a literal whole exponent, a root for 0.5, else POW."""
        exponent = b.const
        if isinstance(exponent, float) and exponent.is_integer() and float_of(a.ty) is a.ty:
            exponent = int(exponent)
        if isinstance(exponent, int) and 0 <= exponent <= _UNROLLED_POWER and float_of(a.ty) is not a.ty:
            of = a.ty if isinstance(a.ty, Type) else default(b.ty)
            if a.const is not None and fits(int(a.const), of):
                return typed(of, int(a.const) ** exponent)
        literally = isinstance(b.ty, Weak) or float_of(a.ty) is not a.ty
        if isinstance(exponent, int) and literally and abs(exponent) <= _UNROLLED_POWER:
            ty = default(a.ty)
            if exponent < 0 and ty.is_integer:
                self.fail(node, f"{ty} to a negative power is no integer: convert with hg.f32(x) first")
            base = self.register(node, a, ty)
            result = self._product(base, abs(exponent), ty)
            kind = Weak.INT if a.ty is Weak.BOOL else a.ty
            result = self.op("RCP", ty, result) if exponent < 0 else result
            return Value(kind, result, span=raised(node, kind, a, exponent) if is_small(kind) else None)
        ty = default(float_of(join(a.ty, b.ty)))
        if float_of(a.ty) is not a.ty and float_of(b.ty) is not b.ty:
            self.fail(node, "** of integers needs a literal exponent up to 64: write a loop, or convert with hg.f32(x)")
        base = self.register(node, a, ty)
        if exponent == 0.5:
            return Value(ty, self.op("SQRT", ty, base))
        return Value(ty, self.op("POW", ty, base, self.register(node, b, ty)))

    def _product(self, base: Register, exponent: int, ty: Type) -> Register:
        if exponent == 0:
            self.drop(base)
            return self.immediate(ty, 1)
        result = None
        while True:
            if exponent & 1:
                result = base if result is None else self.op("MUL", ty, result, base, keep=True)
            exponent >>= 1
            if not exponent:
                return result  # type: ignore[return-value]  # the highest bit is set
            base = self.op("MUL", ty, base, base, keep=True)

    # One operand, and comparisons

    def unary(self, node: ast.UnaryOp, value: Value) -> Value:
        """-x, +x, ~x."""
        if value.const is not None and isinstance(value.ty, Weak):
            folded = self.scope.source.unary(node, value.const)
            if folded is not MISSING:
                return literal(folded)
        if isinstance(value.ty, Type) and value.ty.is_integer and value.const is not None:
            return typed(value.ty, self.scope.source.unary(node, value.const))
        if isinstance(node.op, ast.Invert):
            if value.ty is Weak.BOOL:
                self.fail(node, "~ works on integers: write not for a condition")
            if float_of(value.ty) is value.ty:
                self.fail(node, f"~ works on integers, not {value.ty}: convert with hg.i32(x)")
        ty = Weak.INT if value.ty is Weak.BOOL else value.ty
        register = self.register(node, value, default(ty))
        if isinstance(node.op, ast.UAdd):
            return Value(ty, register)
        if isinstance(node.op, ast.Invert):
            return Value(ty, self.op("NOT", default(ty), register))
        span = after(node, ast.Sub(), ty, literal(0), value)
        return Value(ty, self.op("NEG", default(ty), register), span=span)

    def compare(self, node: ast.AST, operator: ast.cmpop, a: Value, b: Value, keep: bool = False) -> Value:
        """One comparison; with `keep` the right side is needed once more."""
        condition = _CONDITIONS[type(operator)]
        if a.span is not None or b.span is not None:
            a, b = compared(self, node, condition in ("eq", "ne"), a, b)
        x, y = a.const, b.const
        if known := self.known(node, a, b):
            _, x, y = known
        if x is not None and y is not None and (known or (isinstance(a.ty, Weak) and isinstance(b.ty, Weak))):
            sign = (x > y) - (x < y)
            same = x == y
            holds: Any = {"eq": same, "ne": not same, "lt": sign < 0, "gt": sign > 0}
            holds |= {"le": sign < 0 or same, "ge": sign > 0 or same}
            return Value(Weak.BOOL, const=holds[condition])
        ty = default(self.meet(node, a, b))
        with self.pinned(b if keep else None):
            left, right = self.register(node, a, ty), self.register(node, b, ty)
            predicate = self.test(condition, ty, left, right)
        return Value(Weak.BOOL, pred=predicate)


def _left(node: ast.AST) -> ast.AST:
    """The left operand of a binary operator, for messages."""
    return getattr(node, "left", getattr(node, "target", node))


def _right(node: ast.AST) -> ast.AST:
    return getattr(node, "right", getattr(node, "value", node))


def typed(ty: Type, number: int) -> Value:
    """The value of an integer that is known while translating and has a type, in which it wraps."""
    return Value(ty, const=ty.decode(ty.encode(number)))


def literal(number: int | float) -> Value:
    """The value of a Python number."""
    kind = Weak.BOOL if isinstance(number, bool) else Weak.INT if isinstance(number, int) else Weak.FLOAT
    return Value(kind, const=number)


def trips_of(start: int, stop: int, step: int) -> int:
    """How many numbers a range has."""
    return max(0, -((start - stop) // step))
