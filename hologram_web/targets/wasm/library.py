"""The device library: functions of the .wat files, which kernels link as they need them.

The reader knows this much of the text format: functions, named parameters, locals and labels, and one instruction after
the other, never folded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from .encoder import FunctionBody, Instr
from .opcodes import OPCODES

__all__ = ["library_function"]

_FILES = ("wide.wat",)
_WIDE_ARITHMETIC = "wide128.wat"  # functions that take the place of others in engines with wide arithmetic
_TOKEN = re.compile(r"\(|\)|[^\s()]+")
_FUNCTION = re.compile(r"^  \(func \$(\w+)(.*?)\)\n(?=\n|\))", re.MULTILINE | re.DOTALL)


def _folder() -> Path:
    """The .wat files: in the wheel beside this package, in a checkout at the top."""
    package = Path(__file__).resolve().parents[2]
    packaged = package / "_wasm"
    return packaged if packaged.is_dir() else package.parent / "wasm"


@cache
def _texts(wide_arithmetic: bool) -> dict[str, str]:
    """The text of each function by name, without comments."""
    found: dict[str, str] = {}
    for name in (*_FILES, *([_WIDE_ARITHMETIC] if wide_arithmetic else [])):
        text = re.sub(r" *;;.*", "", (_folder() / name).read_text(encoding="utf-8"))
        found |= {match[1]: match[2] for match in _FUNCTION.finditer(text)}
    return found


def library_function(name: str, wide_arithmetic: bool, number: Callable[[str], int]) -> FunctionBody:
    """The function of that name; `number` gives the index of another that it calls."""
    head, code = [], _TOKEN.findall(_texts(wide_arithmetic)[name])
    while code and code[0] == "(":
        end = code.index(")")
        head.append(code[1:end])
        del code[: end + 1]
    kinds = {kind: [part[-1] for part in head if part[0] == kind] for kind in ("param", "result", "local")}
    body = FunctionBody(name, tuple(kinds["param"]), tuple(kinds["result"]), kinds["local"])
    names = [part[1] for part in head if part[0] in ("param", "local")]
    body.names = {place: name.lstrip("$") for place, name in enumerate(names)}
    labels: list[str] = []
    tokens = iter(code)
    token = next(tokens, None)
    while token is not None:
        opcode, kind = token, OPCODES[token][1]
        token = next(tokens, None)
        values: list[str] = []
        while token is not None and token not in OPCODES:
            values.append(token)
            token = next(tokens, None)
        body.code.append((opcode, *_immediates(opcode, kind, values, names, labels, number)))
    return body


def _immediates(
    opcode: str, kind: str, values: list[str], names: list[str], labels: list[str], number: Callable[[str], int]
) -> Instr:
    if kind == "block":
        labels.append(values[0] if values else "")
        return (None,)
    if opcode == "end":
        labels.pop()
    elif opcode in ("br", "br_if"):
        return (labels[::-1].index(values[0]),)
    elif opcode == "call":
        return (number(values[0].lstrip("$")),)
    elif kind == "u":
        return (names.index(values[0]),)
    elif kind == "mem":
        return 0, 0
    elif kind in ("i32", "i64"):
        return (int(values[0], 0),)
    elif kind in ("f32", "f64"):
        return ({"0": 0, "1": 0x3FF << 52}[values[0]],)
    return ()
