"""What every test shares: hypothesis profiles, chosen by HYPOTHESIS_PROFILE, and the fixture `device`.

`ci`, the default profile, tries the same examples every time; `long` is for a search over night.
`--device NAME` leaves out tests on other devices; `--no-skips` makes what is skipped fail.
HOLOGRAM_MUTANT lets one of the bugs of tests/fuzz/mutants.py in.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

import hologram_web as hg
from hologram_web import BackendUnavailable
from hologram_web.backends import DEVICES

from . import no_skips, where

pytest.register_assert_rewrite("tests.conformance", "tests.filetest_run")

_SLOW_IS_FINE = [HealthCheck.too_slow]  # machines differ
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, suppress_health_check=_SLOW_IS_FINE)
settings.register_profile("long", deadline=None, max_examples=2000, suppress_health_check=_SLOW_IS_FINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.register(where, "where")  # adds its option
    if not pluginmanager.has_plugin("no_skips"):
        pluginmanager.register(no_skips, "no_skips")  # so does this
    parser.addoption("--device", help="leave out tests on other devices than this one")


def pytest_configure() -> None:
    if name := os.environ.get("HOLOGRAM_MUTANT"):
        from .fuzz.mutants import apply_named

        apply_named(name)


def pytest_collection_finish() -> None:
    """Tens of thousands of tests and their cases stay to the end: Python need not look for cycles among them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(params=list(DEVICES))
def device(request: pytest.FixtureRequest) -> Any:
    """A device of each kind found here; `parametrize(..., indirect=["device"])` asks for one by name."""
    wanted = request.config.getoption("--device")
    if wanted not in (None, request.param):
        pytest.skip(f"--device {wanted}")
    try:
        return DEVICES[request.param]()
    except BackendUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True, scope="session")
def unwritten() -> Iterator[None]:
    """Natively, memory that is given out without zeros is full of ones: NaN, where somebody reads it unwritten."""
    from hologram_web.backends.wasm.arena import Arena

    allocate = Arena.allocate

    def filled(arena: Arena, size: int, zeroed: bool = True) -> int:
        address = allocate(arena, size, zeroed)
        if not zeroed:
            arena.bytes[address : address + size] = 255
        return address

    with patch.object(Arena, "allocate", filled):
        yield


@pytest.fixture(scope="module", params=("cpu", "wasm", "webgpu"))
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    """An executor on each kind of device, for the tests of a module."""
    with hg.Executor(request.param) as found:
        yield found


@pytest.fixture(scope="module")
def wasm() -> Iterator[hg.Executor]:
    with hg.Executor("wasm") as found:
        yield found
