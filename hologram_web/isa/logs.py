"""Logs: what prints of kernels show, and their log as lines.

The log is a parameter that the launch adds. Its first word counts the words that records took, its second one the
records that had no room. A record has the number of its print, the number of the lane, and the values, as words.

Files have `packed` logs of launches: JSON, a list of the memory and its prints, each a list of texts and of values,
`["f32", "r", ">8"]`.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import IsaError
from .types import Type

__all__ = ["CONVERSIONS", "LOG_WORDS", "Print", "Shown", "new_log", "packed", "show", "unpacked"]

LOG_WORDS = 1 << 16
CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda value: value, "r": repr, "s": str, "a": ascii}
_LONG = re.compile(r"\d{4}|.{64}", re.S)  # of formats in files: what widths would take much memory


@dataclass(frozen=True)
class Shown:
    """A value in a text: its type, "bool" of truth values, how it is converted ("r") and formatted."""

    ty: Type | str
    conversion: str = ""
    spec: str = ""

    @property
    def words(self) -> int:
        return 2 if isinstance(self.ty, Type) and self.ty.bits == 64 else 1


@dataclass(frozen=True)
class Print:
    """What one print shows: texts, and values between them."""

    parts: tuple[str | Shown, ...]


def packed(logs: Sequence[tuple[str, Sequence[Print]]]) -> str:
    """The logs of launches, by the memory that each is, as files have them."""

    def listed(part: str | Shown) -> Any:
        return part if isinstance(part, str) else [str(part.ty), part.conversion, part.spec]

    found = [[name, [[listed(part) for part in each.parts] for each in prints]] for name, prints in logs]
    return json.dumps(found, separators=(",", ":"), ensure_ascii=False)


def unpacked(text: str) -> list[tuple[str, list[Print]]]:
    """What `packed` gives such a text for. Raises ValueError."""

    def part(found: Any) -> str | Shown:
        if isinstance(found, str):
            return found
        name, conversion, spec = found
        ty: Type | str = name if name == "bool" else Type.named(name)
        if _LONG.search(spec) or (isinstance(ty, Type) and ty.is_wide):
            raise ValueError(f"{ty} is not shown by {spec}")
        sample: Any = True if isinstance(ty, str) else 1.5 if ty.is_float else 1
        format(CONVERSIONS[conversion](sample), spec)
        return Shown(ty, conversion, spec)

    try:
        return [(str(name), [Print(tuple(map(part, each))) for each in prints]) for name, prints in json.loads(text)]
    except (IsaError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"no logs of prints: {error}") from None


def new_log() -> memoryview:
    """An empty log."""
    return memoryview(bytearray(4 * LOG_WORDS))


def show(log: memoryview, prints: Sequence[Print]) -> None:
    """Prints what is in a log: lane by lane, what one lane printed in its order."""
    words = struct.unpack(f"<{len(log) // 4}I", log)
    at, records = 2, []
    while at < min(words[0] + 2, len(words) - 1):
        if words[at] >= len(prints):
            break  # no record of ours
        printed = prints[words[at]]
        size = 2 + sum(part.words for part in printed.parts if isinstance(part, Shown))
        if at + size > len(words):
            break
        records.append((words[at + 1], printed, words[at + 2 : at + size]))
        at += size
    for _, printed, values in sorted(records, key=lambda record: record[0]):
        print(_text(printed, values), end="")
    if words[1]:
        print(f"({words[1]} more prints did not fit into the log of {len(words)} words)")


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
