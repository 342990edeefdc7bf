"""The option --no-skips, as in tests/conftest.py; and what pages load is bundled before the first test."""

from __future__ import annotations

import fcntl

import pytest
from playwright.sync_api import expect

from tests import no_skips

from .browser import ROOT

expect.set_options(timeout=60_000)  # pages whose shaders are compiled on the processor, two browsers at a time


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    if not pluginmanager.has_plugin("no_skips"):
        pluginmanager.register(no_skips, "no_skips")  # adds its option


@pytest.fixture(scope="session", autouse=True)
def _bundled() -> None:
    """One process at a time: others find it made."""
    from examples.edges.chromium import bundle

    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / "bundle.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        bundle()
