"""The twelve kernels of examples/twelve on every device: launched, and from a file. e2e/ runs the files in pages."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg
from examples.twelve.cases import cases

CASES = {case.kernel.name: case for case in cases()}


def test_there_are_twelve():
    assert len(CASES) == 12
    assert all(case.kernel.__doc__ for case in CASES.values())


@pytest.mark.parametrize("name", CASES)
def test_launched(name, device):
    case = CASES[name]
    case.check(case.launched(case.kernel.on(device)))


@pytest.mark.parametrize("name", CASES)
def test_from_a_file(name, device, tmp_path):
    case = CASES[name]
    hg.compile(case.kernel, lanes=case.lanes, block=case.block).save(tmp_path / "it.holo")
    found = hg.load(tmp_path / "it.holo").run(device, **case.args)
    found = found if isinstance(found, dict) else {next(iter(case.wanted)): found}
    case.check(found)
    alike = case.launched(case.kernel.on(device))
    assert all(np.array_equal(found[array], alike[array]) for array in case.wanted)


@pytest.mark.parametrize("name", CASES)
def test_nothing_races(name):
    case = CASES[name]
    case.check(case.launched(case.kernel.check))
