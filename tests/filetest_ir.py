"""What a pass makes of the lane code of a filetest, as text: the IR before it fires for the first time, and after.

    ; ir: cse
    ;| b0:
    ;|   %0: u32 = mul ...
    ;| becomes
    ;| b0:
    ...

The program is that of the first run line, with the first of its types. A change of the compiler that changes these
texts is looked at in the diff. They are written anew by

    python -m tests.filetest_ir
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from hologram_web.compiler.build import build
from hologram_web.compiler.passes import PASSES, optimize
from hologram_web.isa.verify import analyze

from .filetest import FOLDER, FileTest, FileTestError, load

__all__ = ["rewritten", "shown"]

_MARK = ";| "
_BETWEEN = "becomes"


def around(test: FileTest, name: str, line: int) -> list[str]:
    """The lines of IR before and after the pass fires for the first time, as they stand in the file."""
    case = next(case for case in test.cases() if case.run is not None)
    texts: list[tuple[str, str]] = []
    optimize(build(analyze(case.program()), case.launch().config.block), lambda *shown: texts.append(shown))
    for (_, before), (fired, after) in pairwise(texts):
        if fired == name:
            return [(_MARK + text).rstrip() for text in (*before.splitlines(), _BETWEEN, *after.splitlines())]
    raise FileTestError(test.path, line, f"{name} does not fire")


def shown(test: FileTest) -> Iterator[tuple[str, list[str], list[str]]]:
    """For every ir directive the pass, the lines that the file has behind it, and those it should have."""
    lines = test.text.split("\n")
    for number, directive, name in test.lines:
        if directive == "ir":
            if name not in PASSES:
                raise FileTestError(test.path, number, f"unknown pass {name!r}: there are {', '.join(PASSES)}")
            end = next((k for k in range(number, len(lines)) if not lines[k].startswith(_MARK.rstrip())), len(lines))
            yield name, lines[number:end], around(test, name, number)


def rewritten(test: FileTest) -> str:
    """The text of the file with the IR as it is now."""
    text = test.text
    for name, found, wanted in shown(test):
        old, new = ("\n".join([f"; ir: {name}", *lines]) for lines in (found, wanted))
        text = text.replace(f"{old}\n", f"{new}\n", 1)
    return text


def files() -> list[Path]:
    """The filetests that show IR."""
    return [path for path in sorted(FOLDER.rglob("*.atlas")) if "\n; ir: " in path.read_text(encoding="utf-8")]


if __name__ == "__main__":
    for file in files():
        file.write_text(rewritten(load(file)), encoding="utf-8")
