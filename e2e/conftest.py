"""The option --no-skips, as in tests/conftest.py."""

from __future__ import annotations

import pytest

from tests import no_skips


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    if not pluginmanager.has_plugin("no_skips"):
        pluginmanager.register(no_skips, "no_skips")  # adds its option
