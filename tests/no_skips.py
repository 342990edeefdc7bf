"""`pytest --no-skips`: what skips itself fails. `make test` says so, for there everything is to be had.

What has no place somewhere is not skipped there but left out of the collection.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

__all__ = ["NoSkips", "pytest_addoption", "pytest_configure"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a test that skips itself fails")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--no-skips"):
        config.pluginmanager.register(NoSkips(), "no-skips-hooks")


class NoSkips:
    """Turns what is skipped into failures; tests that are expected to fail stay what they are."""

    @staticmethod
    def _fail(report: Any) -> None:
        where = report.longrepr
        text = f"{where[0]}:{where[1]}: {where[2]}" if isinstance(where, (tuple, list)) else str(where)
        report.outcome, report.longrepr = "failed", f"{text}\nNothing may be skipped here (--no-skips)."

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._fail(report)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if report.skipped:
            self._fail(report)
        return report
