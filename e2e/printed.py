"""What prints of kernels show, by Python: for the lines that the npm package makes of the same logs."""

from __future__ import annotations

import contextlib
import io
import random
import struct
from typing import Any

import hologram_web as hg
from hologram_web.isa.logs import Print, Shown, packed, show
from hologram_web.isa.types import Type
from hologram_web.runtime.compiled import CompiledProgram

_PRINTED = """
def printed(x: hg.Array[hg.f32]):
    i = hg.global_id()
    print(f"lane {i}: {x[i]:+.2f}", x[i] > 0, x[i] / 3)
    x[i] += 1
"""
_FLOATS = (Type.F16, Type.BF16, Type.F32, Type.F64)
_INTEGERS = (Type.I8, Type.I16, Type.I32, Type.I64, Type.U8, Type.U16, Type.U32, Type.U64)
_OF_FLOATS = (
    *("", ".2f", "+.3e", "g", ".4g", ">12", "<9.1f", "^15.3f", "012.3f", " .0f", "#.0f", "%", ".1%", ",.2f", "_.1f"),
    *(".3", ".0e", "#g", "E", "G", "*>10.2f", "=+12.1f", "010,.1f", ".12g", "F", "#.3", "#.0e", ".0", ".17g", ".25f"),
)
_OF_INTEGERS = (
    *(
        "",
        "d",
        "5",
        "<5",
        "^7",
        "+d",
        " d",
        "05",
        "+08d",
        "b",
        "o",
        "x",
        "X",
        "#x",
        "#b",
        "#010x",
        ",",
        "_",
        "_x",
        "_b",
    ),
    *(">+9,", "*^9", "=9", "#12o", "010,", ".2f", "e", "g", "%", "012_d", "n"),
)
_NUMBERS = (0.0, -0.0, 0.5, 1.5, 2.5, 0.125, 0.1, 1 / 3, 1e-5, 9.9999e-5, 1e16, 123456789.0, 1e22, 9.999999999999999e22,
            1e300, 5e-324, float("inf"), float("-inf"), float("nan"), -2.0, 999999.5, 0.0001, 65504.0)  # fmt: skip


def printed() -> CompiledProgram:
    """Launches of a kernel that prints: one alone, and two rounds of one."""
    builder = hg.PlanBuilder("printed")
    kernel = hg.kernel_from_source(_PRINTED)
    builder.launch(kernel)
    with builder.repeat(2):
        builder.launch(kernel, 1)
    return CompiledProgram.from_builder(builder)


def _words(ty: Type | str, value: Any) -> list[int]:
    """A value as a record has it."""
    if isinstance(ty, str):
        return [int(value)]
    if ty.bits < 32:
        value = ty.decode(ty.encode(value))
        ty = Type.F32 if ty.is_float else Type.I32 if ty.is_signed else Type.U32
    bits = ty.encode(value)
    return [bits & 0xFFFFFFFF, bits >> 32] if ty.bits == 64 else [bits]


def _cases() -> list[tuple[Shown, Any]]:
    source = random.Random(5)
    found: list[tuple[Shown, Any]] = []
    for how in (("", ""), ("", "5"), ("r", ">7"), ("", "d"), ("s", "^9.2")):
        found += [(Shown("bool", *how), value) for value in (0, 1)]
    for ty in _FLOATS:
        more = [source.uniform(-1, 1) * 10.0 ** source.randint(-8, 20) for _ in range(20)]
        for value in (*_NUMBERS, *more):
            found += [(Shown(ty, "", spec), value) for spec in _OF_FLOATS]
            found.append((Shown(ty, "r", ">12"), value))
    for ty in _INTEGERS:
        least, most = int(ty.min_value), int(ty.max_value)
        for value in (0, 1, 7, least, most, most // 3, least // 3, min(most, 1234567)):
            found += [(Shown(ty, "", spec), value) for spec in _OF_INTEGERS]
            found.append((Shown(ty, "s", "^8"), value))
    found.append((Shown(Type.U8, "", "c"), 65))
    return found


def logs() -> list[dict[str, Any]]:
    """Logs, with what their prints are, and the lines that Python makes of them."""
    found = []
    for shown, value in _cases():
        printed = Print((" ", shown, "\n"))
        words = _words(shown.ty, value)
        log = struct.pack(f"<{5 + len(words)}I", 2 + len(words), 0, 0, 3, *words, 0)
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            show(memoryview(log), [printed])
        found.append({"prints": packed([("log", [printed])]), "log": log.hex(), "text": text.getvalue()})
    return found
