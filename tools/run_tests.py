"""Run every check of the project, area by area, and say how long each took.

    .venv/bin/python tools/run_tests.py [area ...]

Fails if any command of any area fails. An area over its budget is only warned about: machines differ.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
# Where the array API standard's own tests are looked for, which are in no package.
SUITE = "ARRAY_API_TESTS"
PLACES = (ROOT.parent / "array-api-tests", ROOT.parent / "shared" / "suites" / "array-api-tests")


class Area(NamedTuple):
    name: str
    minutes: float  # budget on two cores
    commands: tuple[str | tuple[str, ...], ...]  # one after the other; those of a tuple, one core each, side by side
    needs: str = ""  # an environment variable, without which it is left out, which the report says


AREAS = (
    Area("lint", 1, ("ruff check", "ruff format --check", "mypy")),
    Area("python", 18.5, ("pytest -n 2 --no-skips",)),
    Area(
        "fuzz",  # the same seeds every time, about three minutes of them
        4.5,
        (
            "python -m tests.fuzz --devices wasm,optimized,file --profile python:104,python-parts:40,python-rows:6",
            "python -m tests.fuzz --devices webgpu --profile python-gpu:12,python-parts-gpu:6 --shrink 20",
            "python -m tests.fuzz --devices chromium-webgpu --profile python-gpu:3,python-parts-gpu:2 --jobs 1",
            "python -m tests.fuzz --devices wasm,cpu --profile exact:280,wide:110,large:9,atlas:70,faults:40",
            "python -m tests.fuzz --devices webgpu --profile gpu:22,strict:2,wide-gpu:8,atlas-gpu:4 --shrink 20",
            "python -m tests.fuzz --devices chromium-webgpu --profile gpu:6,wide-gpu:3 --jobs 1 --shrink 20",
        ),
    ),
    Area("web", 1.5, (("npm run --silent typecheck", "npm run --silent test"), "npm run --silent size")),
    Area("e2e", 15.5, ("pytest e2e --no-skips -n 2 --dist loadfile --no-loadscope-reorder --durations 15",)),
    Area(
        "pyodide",
        3,
        (
            "npm run --silent bundle",
            (
                "pytest tests/everywhere --no-skips --where=chromium-worker",
                "pytest tests/everywhere --no-skips --where=node",
            ),
            "pytest tests/everywhere/test_errors.py tests/everywhere/test_page.py --no-skips --where=chromium",
        ),
    ),
    Area(  # every third test of the array API standard's own
        "suite",
        2,
        (
            "python -m pip install -qq --upgrade --no-deps --target build/suite -r tests/array_api/requirements.txt",
            "python -m tests.array_api --third --device wasm --packages build/suite",
        ),
        needs=SUITE,
    ),
    Area("docs", 1, ("mkdocs build --strict --quiet",)),
)


def run(command: str, at_once: bool = True) -> tuple[bool, list[str]]:
    """Run a command, passing its output on as it comes or when it has ended; returns success and its last lines."""
    if at_once:
        print(f"\n$ {command}", flush=True)
    path = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONUNBUFFERED": "1", "NO_MKDOCS_2_WARNING": "1"}
    if sys.stdout.isatty():
        env["FORCE_COLOR"] = "1"
    process = subprocess.Popen(command.split(), cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    told = b""
    while chunk := os.read(process.stdout.fileno(), 65536):
        told += chunk
        if at_once:
            sys.stdout.buffer.write(chunk)
            sys.stdout.flush()
            told = told[-65536:]
    if not at_once:
        sys.stdout.buffer.write(f"\n$ {command}\n".encode() + told)
        sys.stdout.flush()
    lines = [line for line in told[-65536:].decode(errors="replace").split("\n") if line.strip()]
    return process.wait() == 0, lines


def side_by_side(commands: tuple[str, ...]) -> list[tuple[bool, list[str]]]:
    """Run commands at the same time; what each printed is shown when it has ended."""
    print(f"\n$ {' & '.join(commands)}", flush=True)
    with ThreadPoolExecutor(len(commands)) as pool:
        return list(pool.map(lambda command: run(command, at_once=False), commands))


def told(command: str, lines: list[str]) -> list[str]:
    """What a failed command said of its failures, in few lines: CI may keep no more than the end of the output."""
    said = [line for line in lines if line.startswith(("FAILED ", "ERROR ", "E  ", ">  "))] or lines
    return [f"$ {command}", *(line[:300] for line in said[-20:])]


def main(names: list[str]) -> int:
    known = [area.name for area in AREAS]
    if unknown := [name for name in names if name not in known]:
        print(f"no such area: {', '.join(unknown)}; there are {', '.join(known)}")
        return 2
    if found := [place for place in PLACES if place.is_dir()]:
        os.environ.setdefault(SUITE, str(found[0]))
    rows: list[str] = []
    summaries: list[str] = []
    failures: list[str] = []
    for area in AREAS:
        if names and area.name not in names:
            continue
        if area.needs and not os.environ.get(area.needs):
            rows.append(f"{area.name:<8} NOT RUN: {area.needs} does not say where it is (docs/array_api.md)")
            if names:  # was asked for
                failures.append(rows[-1])
            continue
        start = time.monotonic()
        passed = True
        for step in area.commands:
            together = (step,) if isinstance(step, str) else step
            results = [run(step)] if isinstance(step, str) else side_by_side(step)
            for command, (succeeded, lines) in zip(together, results, strict=True):
                passed &= succeeded
                if command.startswith("pytest"):
                    summaries += lines[-1:]
                if not succeeded:
                    failures += told(command, lines)
        seconds = time.monotonic() - start
        over = f"  WARNING: over its budget of {area.minutes:g} min" if seconds > 60 * area.minutes else ""
        rows.append(f"{area.name:<8} {'passed' if passed else 'FAILED':<8} {seconds:7.1f} s{over}")
    print("\n" + "\n".join(rows))
    if summaries:  # once more at the very end, where people and CI look
        print("\n" + "\n".join(summaries))
    if failures:
        print("\n" + "\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
