"""The device library: functions of the .wgsl files, of which a shader gets those it uses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

__all__ = ["CALL", "library_for", "names_in"]

_FILES = ("u64.wgsl", "f32.wgsl", "f64.wgsl", "atlas.wgsl", "wide.wgsl")
CALL = re.compile(r"\b([a-z]\w*_\w+)\(")
_HALF = "f16.wgsl"  # instead of functions of the same names, where `shader-f16` is


def _folder() -> Path:
    """The .wgsl files: in the wheel beside this package, in a checkout at the top."""
    package = Path(__file__).resolve().parents[2]
    packaged = package / "_wgsl"
    return packaged if packaged.is_dir() else package.parent / "wgsl"


@cache
def _functions(half: bool) -> dict[str, str]:
    """Every library function by name, without comments."""
    found: dict[str, str] = {}
    for name in (*_FILES, *([_HALF] if half else [])):
        text = re.sub(r"^ *//.*\n| *//.*", "", (_folder() / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
        for match in re.finditer(r"^fn (\w+)\(.*?^}\n", text, re.MULTILINE | re.DOTALL):
            found[match[1]] = match[0]
    return found


@cache
def _needed(name: str, half: bool) -> frozenset[str]:
    """A function and all that it calls."""
    functions = _functions(half)
    found, work = {name}, [name]
    while work:
        new = (names_in(functions[work.pop()]) & functions.keys()) - found
        found |= new
        work += new
    return frozenset(found)


def names_in(code: str) -> set[str]:
    """What is called in a text and may be a function of the library."""
    return set(CALL.findall(code))


def library_for(names: Iterable[str], half: bool = False) -> str:
    """The functions of these names, and those that they call, in the order of the files.

    `half` takes those for adapters with `shader-f16`; the shader then has to `enable f16` if "f16(" is in it.
    """
    functions = _functions(half)
    wanted: set[str] = set()
    for name in names:
        if name in functions:
            wanted |= _needed(name, half)
    return "\n".join(text for name, text in functions.items() if name in wanted)
