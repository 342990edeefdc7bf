"""Runs tests under Pyodide, where `tests/where.py` sent them, and gives their reports as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parents[2]  # where the files of the bundle are


class Reporter:
    """Collects the reports, in the form in which pytest-xdist sends them."""

    def __init__(self) -> None:
        self.reports: list[Any] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self.config.hook
        self.reports.append(hook.pytest_report_to_serializable(config=self.config, report=report))


def run(names: str) -> str:
    """The reports of tests, given by their ids; both are JSON."""
    os.chdir(_ROOT)
    reporter = Reporter()
    place = [f"--rootdir={_ROOT}", f"--confcutdir={_ROOT / 'tests' / 'everywhere'}", "-c", f"{_ROOT / 'pytest.ini'}"]
    status = pytest.main(["-q", "--no-header", *place, *json.loads(names)], plugins=[reporter])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"pytest ended with {status!r}")
    return json.dumps(reporter.reports, default=str)
