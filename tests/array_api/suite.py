"""One run of the suite's pytest: how it is called, natively and in Pyodide, and what it found."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

__all__ = ["QUIET", "VERSIONS", "arguments", "chosen", "found_in", "run"]

VERSIONS = ("2024.12", "2025.12")
QUIET = ("-q", "-W", "ignore", "-p", "tests.array_api.indented")
_REPORT = "report.xml"


def chosen(device: str, version: str, math: str) -> dict[str, str]:
    """The environment variables that say what is tested."""
    return {
        "ARRAY_API_TESTS_MODULE": "exec('from tests.array_api.chosen import xp')",
        "ARRAY_API_TESTS_VERSION": version,
        "ARRAY_API_DEVICE": device,
        "ARRAY_API_MATH": math,
    }


def arguments(tests: Sequence[str], examples: int, seed: int, report: str = _REPORT) -> list[str]:
    """Those of pytest, in the suite's folder, for tests of it; its report is in this file then."""
    return [
        *QUIET, "-p", "no:cacheprovider", "-p", "no:faulthandler", *tests, "--tb=short", "-o", "xfail_strict=true",
        f"--max-examples={examples}", f"--hypothesis-seed={seed}", "--disable-deadline",
        "--xfails-file=ours.txt", f"--junitxml={report}",
    ]  # fmt: skip


def found_in(report: str) -> Iterator[tuple[str, str]]:
    """Each test of a report of pytest in JUnit's format, and what became of it. An excluded one that passes fails."""
    for case in ElementTree.fromstring(report).iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            yield name, "failed"
        elif skipped is None:
            yield name, "passed"
        else:
            yield name, "excluded" if skipped.get("type") == "pytest.xfail" else "of later versions"


def run(order: str) -> str:
    """The same in this interpreter, which is Pyodide's: `order` and what is given are JSON."""
    import pytest

    given = json.loads(order)
    suite = Path(__file__).resolve().parents[2] / "suite"
    os.chdir(suite)
    os.environ |= chosen(given["device"], given["version"], given["math"])
    sys.path.insert(0, str(suite))
    (suite / _REPORT).unlink(missing_ok=True)
    status = pytest.main(arguments(given["tests"], given["examples"], given["seed"]))
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"pytest ended with {status!r}")
    return json.dumps(dict(found_in((suite / _REPORT).read_text(encoding="utf-8"))))
