"""Fixtures of the tests that run natively and in Pyodide. Nothing here or in the tests imports NumPy."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hologram_web as hg


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "page: only in Pyodide; natively it is left out")


@pytest.fixture(params=["wasm", "webgpu"])
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    """An executor on each device that is here."""
    try:
        executor = hg.Executor(request.param)
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))
    with executor:
        yield executor


@pytest.fixture(scope="session")
def expected() -> Any:
    """What `expected.py` makes: in Pyodide it came with the tests, natively another process with another hash seed
    makes it."""
    if sys.platform == "emscripten":
        file = Path(__file__).with_name("expected.json")
    else:
        from .expected import written

        file = written()
    return json.loads(file.read_text())


@pytest.fixture(scope="session")
def wait() -> Callable[[Any], Any]:
    """Runs a coroutine to its end."""
    if sys.platform == "emscripten":
        from pyodide.ffi import run_sync  # type: ignore[import-not-found]

        return run_sync  # type: ignore[no-any-return]
    import asyncio

    return asyncio.run
