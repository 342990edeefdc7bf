"""Floats within bounds, for devices that flush subnormals and may get infinities and NaN wrong.

Of every tame float a span is known: (low, high) with 2**low <= |x| < 2**high, unless x is zero. Rules give the span of
a result; where it would leave the range of normal numbers, the operands are tamed first: their exponent is cut to a few
bits with integer instructions, which every device does exactly.
"""

from __future__ import annotations

from hologram_web.isa import Type

__all__ = ["CANONICAL", "MASKS", "fits", "result_span"]

Span = tuple[int, int]

# What taming makes of any bit pattern: the bits kept, the bits added, and the span that gives.
MASKS: dict[Type, tuple[int, int]] = {
    Type.F32: (0x87FF_FFFF, 0x3C00_0000),
    Type.BF16: (0x87FF, 0x3C00),
    Type.F16: (0x9FFF, 0x2C00),
}
CANONICAL: dict[Type, Span] = {Type.F32: (-7, 9), Type.BF16: (-7, 9), Type.F16: (-4, 4)}
_LIMITS: dict[Type, Span] = {Type.F32: (-100, 100), Type.BF16: (-100, 100), Type.F16: (-1000, 15)}


def fits(ty: Type, span: Span) -> bool:
    """Whether numbers of the span are normal. F16 is computed in F32, where its subnormals are normal."""
    low, high = _LIMITS[ty]
    return span[0] >= low and span[1] <= high


def result_span(name: str, ty: Type, spans: list[Span]) -> Span | None:
    """The span of the result of an instruction, or None if it could leave the normal numbers."""
    digits = ty.mantissa
    low, high = min(span[0] for span in spans), max(span[1] for span in spans)
    product = (spans[0][0] + spans[1][0], spans[0][1] + spans[1][1]) if len(spans) > 1 else spans[0]
    match name:
        case "ADD" | "SUB":
            found = (low - digits, high + 1)
        case "MUL":
            found = (product[0], product[1] + 1)
        case "MAD":
            found = (min(product[0], spans[2][0]) - digits, max(product[1], spans[2][1]) + 2)
        case "FMA" | "FMS":
            found = (min(product[0] - 2 * digits, spans[2][0] - digits), max(product[1], spans[2][1]) + 2)
        case "LERP":
            difference = (min(spans[0][0], spans[1][0]) - digits, max(spans[0][1], spans[1][1]) + 1)
            scaled = (difference[0] + spans[2][0], difference[1] + spans[2][1] + 1)
            found = (min(scaled[0], spans[0][0]) - digits, max(scaled[1], spans[0][1]) + 2)
            if not fits(ty, scaled):
                return None
        case "MIN" | "MAX" | "CLAMP" | "SEL" | "ABS" | "NEG" | "RELU" | "MOV":
            found = (low, high)
        case "FLOOR" | "CEIL" | "ROUND" | "TRUNC":
            found = (0, max(high, 0) + 1)
        case "SIGN":
            found = (0, 1)
        case _:
            return None
    return found if fits(ty, found) else None
