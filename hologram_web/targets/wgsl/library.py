"""The device library: functions of the .wgsl files, of which a shader gets those it uses."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

__all__ = ["library_for"]

_FILES = ("u64.wgsl", "f32.wgsl", "f64.wgsl", "atlas.wgsl", "wide.wgsl")
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


def library_for(code: str, half: bool = False) -> str:
    """The functions that `code` calls, and those that they call, in the order of the files.

    `half` takes those for adapters with `shader-f16`; the shader then has to `enable f16` if "f16(" is in it.
    """
    functions = _functions(half)
    wanted: set[str] = set()
    work = [code]
    while work:
        for name in re.findall(r"\b([a-z]\w*_\w+)\(", work.pop()):
            if name in functions and name not in wanted:
                wanted.add(name)
                work.append(functions[name])
    return "\n".join(text for name, text in functions.items() if name in wanted)
