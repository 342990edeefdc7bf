"""Writes what a run found: a failing case as a filetest, statistics as JSON and as the tables of the documentation."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from hologram_web.errors import FaultKind
from hologram_web.isa import Immediate, Param

from ..filetest import Fault, element_of, format_filetest, is_writable
from ..filetest_values import Alias
from .case import Case, Memory, Outcome
from .devices import LIMITS, Failure
from .liveness import Statistics
from .plan import PROFILES

__all__ = ["filetest_of", "markdown", "replace_section", "write_json"]


def filetest_of(case: Case, expected: Outcome, failure: Failure | None = None) -> str:
    """A case as a filetest that expects what the reference gives."""
    given: dict[str, Any] = {}
    first: dict[int, str] = {}
    left = {id(memory): data for memory, data in zip(case.memories, expected.memories, strict=False)}
    results: dict[str, Any] = {}
    for param in case.program.params:
        value = case.arguments[param.name]
        if isinstance(value, Immediate):
            given[param.name] = value
        elif id(value) in first:
            given[param.name] = Alias(first[id(value)])
        else:
            first[id(value)] = param.name
            given[param.name] = _elements(param, value.data)
        if isinstance(value, Memory) and is_writable(param) and id(value) in left:
            results[param.name] = _elements(param, left[id(value)])
    wanted = Fault(expected.fault) if expected.fault else results
    head = f"; Found by the fuzzer: seed {case.seed}, profile {case.profile}.\n"
    if failure is not None:
        head += f"; On {failure.device}: {' '.join(failure.detail.split())}\n"
    if expected.fault == FaultKind.STEP_LIMIT:
        head += f"; limits: steps={LIMITS.steps}\n"
    if case.classes:
        head += "; Class memory is not compared here.\n"
    return head + format_filetest(case.program, case.config, given, wanted)


def _elements(param: Param, data: bytes) -> Any:
    """Bytes as an array of the parameter's type; as bytes where they are no whole elements."""
    if param.kind == "pool" or param.ty is None or len(data) % param.ty.size_bytes:
        return data
    if param.ty.is_wide:
        return np.frombuffer(data, element_of(param).dtype)
    return element_of(param).bits(np.frombuffer(data, f"<u{param.ty.size_bytes}"))


def write_json(path: Path, statistics: dict[str, Statistics], **rest: Any) -> None:
    """The numbers of a run, for other programs."""
    runs = {}
    for name, found in statistics.items():
        runs[name] = {**found.to_json(), "median_live": found.median, "loop_share": round(found.loop_share, 4)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**rest, "profiles": runs}, indent=1) + "\n", encoding="utf-8")


# The documentation


def markdown(
    statistics: dict[str, Statistics], seconds: float, processor: float, devices: list[str], failures: int
) -> str:
    """What a run covered, as text for the documentation."""
    programs = sum(found.programs for found in statistics.values())
    lines = [
        f"Measured on {date.today().isoformat()}: {programs} programs on {', '.join(devices)} against the reference, "
        f"in {seconds:.0f} s ({programs / max(seconds, 0.001):.0f} a second; {processor:.0f} s of processor time); "
        f"{failures} failures.",
        "",
        "| Profile | Programs | Median live operations | With loops | Combinations | Live at least | Live on average |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, found in statistics.items():
        wanted = found.wanted(PROFILES[name])
        mean = sum(wanted.values()) / len(wanted)
        lines.append(
            f"| `{name}` | {found.programs} | {found.median} | {found.loop_share:.0%} | {len(wanted)} | "
            f"{min(wanted.values())} times | {mean:.0f} times |"
        )
    for name, found in statistics.items():
        if PROFILES[name].faults:
            continue
        lines += ["", f"### How often each instruction was live, profile `{name}`", "", *_live_table(name, found)]
        lines += ["", "How many of the programs have", "", *_feature_table(found)]
    return "\n".join(lines) + "\n"


def _live_table(name: str, found: Statistics) -> list[str]:
    """Instructions down, types across; CVT and BITCAST by the type they give."""
    profile = PROFILES[name]
    types = [str(ty) for ty in profile.types]
    rows: dict[str, dict[str, list[int]]] = {}
    plain: dict[str, int] = {}
    for key, count in found.wanted(profile).items():
        words = key.split(".")
        if words[-1] not in types:
            plain[key] = count
            continue
        head = words[0]
        result = words[1] if head in ("cvt", "bitcast") else words[-1]
        rows.setdefault(head, {}).setdefault(result, []).append(count)
    lines = [f"| | {' | '.join(types)} |", f"|---|{'---|' * len(types)}"]
    for head, cells in rows.items():
        shown = [_cell(cells.get(ty, [])) for ty in types]
        lines.append(f"| `{head}` | {' | '.join(shown)} |")
    rest = ", ".join(f"`{key}` {count}" for key, count in plain.items())
    several = (
        "Of instructions with several forms in a cell (conditions, operations, source types), the least and the sum."
    )
    return [*lines, "", f"{several} Without a type: {rest}."]


def _cell(counts: list[int]) -> str:
    if not counts:
        return ""
    return str(counts[0]) if len(counts) == 1 else f"{min(counts)} / {sum(counts)}"


def _feature_table(found: Statistics) -> list[str]:
    total = max(found.programs, 1)
    parts = [f"{name} {count / total:.0%}" for name, count in found.features.most_common()]
    return [", ".join(parts) + "."]


def replace_section(path: Path, name: str, text: str) -> None:
    """Puts `text` between the marks `<!-- name -->` and `<!-- end of name -->` of a file."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    old = path.read_text(encoding="utf-8")
    head, _, rest = old.partition(begin)
    _, _, tail = rest.partition(end)
    path.write_text(f"{head}{begin}\n{text}\n{end}{tail}", encoding="utf-8")
