"""Figures in the texts: which of them a command makes, which lie in the code, and which are counted by a test.

A comment on a line of its own says it of what follows it, up to the next heading or the next such comment:

    <!-- measured: COMMAND, DATE -->      the command makes the figures, and did on that day
    <!-- once: WHAT, DATE -->             measured by hand, and listed in tests/test_figures.py
    <!-- fixed: FILE: TEXT -->            a limit or a size of a format: the file has the text
    <!-- whole page fixed: FILE -->       the page is the definition, and the file holds to it

Between `<!-- NAME -->` and `<!-- end of NAME -->` a command writes the text itself (GENERATED).
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import NamedTuple

__all__ = ["GENERATED", "ROOT", "TEXTS", "Figure", "Marker", "figures", "markers", "problem"]

ROOT = Path(__file__).resolve().parent.parent
TEXTS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md", "e2e/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
GENERATED = {
    "support": "python -m tests.support --docs",
    "standard run": "python -m tests.fuzz --docs",
    "mutants": "python -m tests.fuzz.mutants --docs",
}
_UNITS = (
    "ms|us|µs|ns|s|seconds?|minutes?|milliseconds?|microseconds?|bytes?|KB|MB|GB|KiB|MiB|GiB|KB/s|MB/s|GB/s|times|%"
)
_FIGURE = re.compile(rf"(?<![\w.`*^,-])\d+(?:,\d{{3}})*(?:\.\d+)?[ -]?(?:{_UNITS})(?![\w`/])")
_COLUMN = re.compile(rf"(?:^|[\s,(])(?:{_UNITS.replace('|s|', '|')}|GB/s|operations/s)(?:$|[\s,).])", re.IGNORECASE)
_MARKER = re.compile(r"<!-- (measured|once|fixed|whole page fixed): (.*) -->")


class Figure(NamedTuple):
    """A number with its unit, or a table whose head has one."""

    page: Path
    line: int
    text: str
    sentence: str  # the whole line

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}: {self.text}"


class Marker(NamedTuple):
    page: Path
    line: int
    kind: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def _prose(text: str) -> list[str]:
    """The lines, empty where they are in a fenced block."""
    found, fenced = [], False
    for line in text.split("\n"):
        fence = line.lstrip().startswith(("```", "~~~"))
        found.append("" if fenced or fence else line)
        fenced ^= fence
    return found


def markers(page: Path, text: str) -> list[Marker]:
    """What the comments of a page say."""
    found = [(number, _MARKER.fullmatch(line.strip())) for number, line in enumerate(_prose(text), 1)]
    return [Marker(page, number, match[1], match[2]) for number, match in found if match]


def figures(page: Path, text: str) -> list[Figure]:
    """The figures of a page that no comment covers."""
    lines = _prose(text)
    if any(marker.kind == "whole page fixed" for marker in markers(page, text)):
        return []
    found = []
    covered = generated = ""
    for number, line in enumerate(lines, 1):
        if match := re.fullmatch(r"<!-- (end of )?(.*) -->", line.strip()):
            if match[2] in GENERATED:
                generated = "" if match[1] else match[2]
            elif _MARKER.fullmatch(line.strip()):
                covered = match[2]
        elif line.startswith("#"):
            covered = ""
        elif not covered and not generated:
            plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line)
            found += [Figure(page, number, text, line) for text in _FIGURE.findall(plain)]
            if _is_head(lines, number - 1) and any(_COLUMN.search(cell) for cell in line.split("|")):
                found.append(Figure(page, number, "a table with units", line))
    return found


def _is_head(lines: list[str], at: int) -> bool:
    return lines[at].startswith("|") and at + 1 < len(lines) and re.fullmatch(r"[|\s:-]+", lines[at + 1]) is not None


def problem(marker: Marker, today: date) -> str:
    """What is wrong with a comment, if anything is."""
    if marker.kind == "whole page fixed":
        return "" if (ROOT / marker.text).is_file() else f"there is no {marker.text}"
    if marker.kind == "fixed":
        name, _, text = marker.text.partition(": ")
        if not (ROOT / name).is_file():
            return f"there is no {name}"
        return "" if text and text in (ROOT / name).read_text(encoding="utf-8") else f"{name} has no {text!r}"
    what, _, day = marker.text.rpartition(", ")
    try:
        when = date.fromisoformat(day)
    except ValueError:
        return f"{day!r} is no date"
    if when > today:
        return f"{day} is yet to come"
    return _unknown(what) if marker.kind == "measured" else ""


def _unknown(command: str) -> str:
    """What a command names that there is not."""
    words = command.removeprefix(".venv/bin/").split()
    match words:
        case ["make", target, *_]:
            there = re.search(rf"^{re.escape(target)}:", (ROOT / "Makefile").read_text(), re.MULTILINE) is not None
        case ["npm", "run", script, *_]:
            there = f'"{script}":' in (ROOT / "package.json").read_text()
        case ["python", "-m", module, *_]:
            path = ROOT / module.replace(".", "/")
            there = path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()
        case ["pytest", *rest]:
            there = any((ROOT / word).is_file() for word in rest)
        case _:
            there = False
    return "" if there else f"there is no command {command!r}"
