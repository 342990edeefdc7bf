"""The option --no-skips, as in tests/conftest.py; and what pages load is bundled before the first test."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests import no_skips

from .browser import ROOT, Browser, NoBrowser

# Files that take longest: first, so that no worker is alone with one in the end (--no-loadscope-reorder).
_LONG = (
    "runtime",
    "release",
    "peers",
    "notebooks",
    "looks",
    "playground",
    "gallery",
    "firefox",
    "edges",
    "ops",
    "live",
)

expect.set_options(timeout=60_000)  # pages whose shaders are compiled on the processor, two browsers at a time


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    if not pluginmanager.has_plugin("no_skips"):
        pluginmanager.register(no_skips, "no_skips")  # adds its option


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {f"test_{name}": place for place, name in enumerate(_LONG)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.fixture(scope="session", autouse=True)
def _bundled() -> None:
    """One process at a time: others find it made."""
    from examples.edges.chromium import bundle

    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / "bundle.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        bundle()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for the tests of a module; modules that start it otherwise have a fixture of this name."""
    try:
        with Browser() as found:
            yield found
    except NoBrowser as error:
        pytest.skip(str(error))
