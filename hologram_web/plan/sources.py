"""The lines of Python that programs were written as, in the metadata of a file: faults tell them without the source.

The entry `source` is JSON, for each program null or two lists: the places, each file, line and text; and runs, in turn
the number of a place and how many instructions in a row came from there. Files are named without their folders, cells
of notebooks "cell", so that the same text gives the same bytes everywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Any

from ..isa.program import Program, SourceMap

__all__ = ["packed", "unpack"]

_CELL = re.compile(r"\d+\.py|<(ipython-input|string|stdin|exec).*")
_MOST = 1 << 18  # characters; a quarter of what metadata hold


def packed(programs: Sequence[Program]) -> dict[str, str]:
    """The entry, if programs have lines and they are not too many."""
    if all(program.source_map is None for program in programs):
        return {}
    found = [None if program.source_map is None else _packed(program.source_map) for program in programs]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return {"source": text} if len(text) <= _MOST else {}


def _packed(source: SourceMap) -> list[Any]:
    places = list(dict.fromkeys(source.lines))
    numbers = {place: number for number, place in enumerate(places)}
    runs = [n for place, run in groupby(source.lines) for n in (numbers[place], len(list(run)))]
    return [[[_shown(file), line, source.texts[file, line]] for file, line in places], runs]


def _shown(file: str) -> str:
    name = PurePath(file).name
    return "cell" if _CELL.fullmatch(name) else name


def unpack(text: str | None, programs: Sequence[Program]) -> None:
    """Gives programs their lines again. What is no such entry says nothing: it is of no effect on a run."""
    try:
        found = json.loads(text or "[]")
        for program, entry in zip(programs, found, strict=False):
            if entry is not None:
                places, runs = entry
                texts = {(str(file), int(line)): str(said) for file, line, said in places}
                known = list(texts)
                pairs = list(zip(runs[::2], runs[1::2], strict=True))
                if sum(count for _, count in pairs) == len(program) and all(count > 0 for _, count in pairs):
                    program.source_map = SourceMap([known[n] for n, count in pairs for _ in range(count)], texts)
    except (ValueError, TypeError, IndexError, KeyError, RecursionError):
        return
