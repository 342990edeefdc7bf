"""What small integers would be if nothing wrapped: 200 + 200 of u8 is 144 here, and 400 where they are promoted.

A value of 8 or 16 bits goes with the span of numbers that its operations make of its operands. Where a span leaves the
type nothing is said as long as the result stays of that type. Where it is widened, compared, divided or an index, it
shows that it wrapped, and that is a WrapWarning. A cast to a type that is no wider, or a mask, ends it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...isa.types import Type
from .advice import WrapWarning
from .types import ExactRange, Value, Weak, default, join

if TYPE_CHECKING:
    from .emit import Emitter

__all__ = ["after", "between", "compared", "converted", "inside", "is_small", "raised", "span_of", "tell", "widened"]

_ANY = 1 << 64
_PLAIN: dict[type[ast.AST], Any] = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.LShift: lambda x, y: x << y,
}
_DIVIDES = (ast.FloorDiv, ast.Mod, ast.RShift)


def is_small(ty: Any) -> bool:
    """Whether values of a type have spans."""
    return isinstance(ty, Type) and ty.is_integer and ty.bits <= 16


def span_of(value: Value) -> ExactRange | None:
    """The span of an operand; None of floats, and of integers that are not followed."""
    if value.span is not None:
        return value.span
    if isinstance(value.const, int):
        return ExactRange(int(value.const), int(value.const))
    if value.ty is Weak.BOOL:
        return ExactRange(0, 1)
    return _all(value.ty) if isinstance(value.ty, Type) and value.ty.is_integer else None


def _all(ty: Type) -> ExactRange:
    return ExactRange(int(ty.min_value), int(ty.max_value))


def _fits(span: ExactRange, ty: Type) -> bool:
    return ty.min_value <= span.low and span.high <= ty.max_value


def _made(numbers: Iterable[int], ty: Type, node: ast.AST, *of: ExactRange) -> ExactRange | None:
    """The span of these numbers: with the operation that left the type first, if one did."""
    ends = [max(-_ANY, min(_ANY, number)) for number in numbers]
    found = ExactRange(min(ends), max(ends))
    if _fits(found, ty):
        return found
    first: ast.AST = next((span.node for span in of if span.node is not None), node)
    return found._replace(node=first) if is_small(ty) else None


def after(node: ast.AST, operator: ast.operator, ty: Any, a: Value, b: Value) -> ExactRange | None:
    """The span of a binary operator's result; None where it is its type's."""
    kind, known = type(operator), isinstance(b.const, int)
    if not is_small(ty) and not (known and kind in (ast.BitAnd, *_DIVIDES) and isinstance(ty, Type) and ty.is_integer):
        return None
    x, y = span_of(a), span_of(b)
    if x is None or y is None:
        return None
    if kind in _PLAIN:
        if kind is ast.LShift:
            y = y if known and 0 <= y.low <= 64 else ExactRange(0, ty.bits - 1)
        return _made((_PLAIN[kind](p, q) for p in x[:2] for q in y[:2]), ty, node, x, y)
    if kind in _DIVIDES:
        divisor = b.const if isinstance(b.const, int) else 0
        if divisor <= 0:
            return None
        if kind is ast.Mod:
            return ExactRange(0, divisor - 1)
        x = x if _fits(x, ty) else _all(ty)
        by = divisor if kind is ast.FloorDiv else 1 << min(divisor, 64)
        return ExactRange(x.low // by, x.high // by)
    inside = [span.high for span in (x, y) if span.low >= 0 and _fits(span, ty)]
    if kind is ast.BitAnd and inside:
        return ExactRange(0, min(inside))
    if len(inside) == 2:
        return ExactRange(0, (1 << max(inside).bit_length()) - 1)
    return between(ty, x, y)


def inside(value: Value, ty: Type) -> ExactRange | None:
    """The span of a value cast to a type, if that holds it."""
    span = span_of(value) if is_small(ty) else None
    return span if span is not None and span.node is None and _fits(span, ty) else None


def raised(node: ast.AST, ty: Any, value: Value, exponent: int) -> ExactRange | None:
    """The span of value ** exponent."""
    span = span_of(value)
    if not is_small(ty) or span is None:
        return None
    return _made((end**exponent for end in (*span[:2], *((0,) if span.low < 0 else ()))), ty, node, span)


def between(ty: Any, *spans: ExactRange | None) -> ExactRange | None:
    """The span of what is one of several values; None where it is the type's."""
    left = [span for span in spans if span is not None and span.node is not None]
    if not is_small(ty) or not left:
        return None
    held = [span or _all(ty) for span in spans]
    return ExactRange(min(span.low for span in held), max(span.high for span in held), left[0].node)


def widened(known: ExactRange | None, found: ExactRange, ty: Type) -> ExactRange:
    """The span of a variable that was `known` and is `found` somewhere else, too. It grows two times at most."""
    if known is None or (known.low <= found.low and found.high <= known.high):
        return known or found
    node = known.node or found.node
    return _all(ty) if node is None else ExactRange(-_ANY, _ANY, node)


def tell(kernel: Emitter, node: ast.AST, value: Value, use: str) -> Value:
    """Warns where a value is used that may have wrapped. Returns it as one of which that was said."""
    span, ty = value.span, value.ty
    if span is None or span.node is None or not isinstance(ty, Type):
        return value
    left, text, sign = span.node, ast.unparse(span.node), getattr(kernel, "sign", None)
    number = span.high if span.high > ty.max_value else span.low
    shown = "" if abs(number) >= _ANY else f" ({number} becomes {ty.decode(ty.encode(number))})"
    wide = Type.I32
    how = f"convert an operand first, with hg.{wide}(x)"
    if isinstance(left, ast.BinOp) and sign is not None:
        how = f"write hg.{wide}({ast.unparse(left.left)}) {sign(left.op)} {ast.unparse(left.right)}"
    elif isinstance(left, ast.AugAssign):
        text_of = ast.unparse(left.target)
        how = f"let {text_of} be wider, {text_of}: hg.{wide}"
        text = f"{text_of} {sign(left.op) if sign else ''}= {ast.unparse(left.value)}"
    kernel.warn(
        node, f"{text} wraps in {ty}{shown} and is {use}: {how}, or hg.{ty}(...) around it, if wrapping is meant",
        WrapWarning,
    )  # fmt: skip
    return replace(value, span=None)


def converted(kernel: Emitter, node: ast.AST, value: Value, ty: Type) -> None:
    """Warns where a value becomes one of a type that holds more."""
    if isinstance(value.ty, Type) and (ty.is_float or ty.bits > value.ty.bits):
        tell(kernel, node, value, f"widened to {ty}")


def compared(kernel: Emitter, node: ast.AST, equal: bool, a: Value, b: Value) -> tuple[Value, Value]:
    """Warns where a comparison may come out otherwise since its sides wrapped. Of u8 a - b is 0 only where a is b."""
    x, y, ty = span_of(a), span_of(b), join(a.ty, b.ty)
    near = x is not None and y is not None and max(x.high - y.low, y.high - x.low) < 1 << default(ty).bits
    if equal and near and is_small(ty):
        return a, b
    return tell(kernel, node, a, "compared"), tell(kernel, node, b, "compared")
