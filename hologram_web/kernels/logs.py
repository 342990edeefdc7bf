"""What kernels print: their log as lines."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ..frontends.python.prints import CONVERSIONS, LOG_WORDS, Print, Shown
from ..isa.types import Type

__all__ = ["new_log", "show"]


def new_log() -> memoryview:
    """An empty log."""
    return memoryview(bytearray(4 * LOG_WORDS))


def show(log: memoryview, prints: Sequence[Print]) -> None:
    """Prints what is in a log: lane by lane, what one lane printed in its order."""
    words = struct.unpack(f"<{LOG_WORDS}I", log)
    at, records = 2, []
    while at < min(words[0] + 2, LOG_WORDS):
        printed = prints[words[at]]
        size = 2 + sum(part.words for part in printed.parts if isinstance(part, Shown))
        if at + size > LOG_WORDS:
            break
        records.append((words[at + 1], printed, words[at + 2 : at + size]))
        at += size
    for _, printed, values in sorted(records, key=lambda record: record[0]):
        print(_text(printed, values), end="")
    if words[1]:
        print(f"({words[1]} more prints did not fit into the log of {LOG_WORDS} words)")


def _text(printed: Print, words: Sequence[int]) -> str:
    text, at = "", 0
    for part in printed.parts:
        if isinstance(part, str):
            text += part
            continue
        bits = words[at] | (words[at + 1] << 32 if part.words == 2 else 0)
        at += part.words
        value = _value(part, bits)
        plain = isinstance(value, float) and not part.spec and isinstance(part.ty, Type)
        shown = _shortest(value, part.ty) if plain and isinstance(part.ty, Type) else value
        text += format(CONVERSIONS[part.conversion](shown), part.spec)
    return text


def _value(part: Shown, bits: int) -> bool | int | float:
    if not isinstance(part.ty, Type):
        return bits != 0
    wide = (
        part.ty if part.ty.bits >= 32 else Type.F32 if part.ty.is_float else Type.I32 if part.ty.is_signed else Type.U32
    )
    return wide.decode(bits)


def _shortest(value: float, ty: Type) -> float:
    """The number of the fewest digits that is the same float of the type: 0.1, not 0.10000000149011612."""
    for digits in range(1, 17):
        short = float(f"{value:.{digits}g}")
        if ty.encode(short) == ty.encode(value):
            return short
    return value
