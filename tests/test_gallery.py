"""The programs of the gallery: each beside its NumPy, from its file, on each device."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg
from examples.gallery import NAMES, module


@pytest.mark.parametrize("name", NAMES)
def test_an_example_gives_what_numpy_gives(name, device, tmp_path):
    example = module(name)
    files = {}
    for program, compiled in example.programs().items():
        compiled.save(tmp_path / f"{program}.holo")
        files[program] = hg.load(tmp_path / f"{program}.holo")
    for program, args, wanted in example.examples():
        found = files[program].run(device, **args)
        found = found if isinstance(found, dict) else dict.fromkeys(wanted, found)
        for array, values in wanted.items():
            if example.TOLERANCE:
                most = example.TOLERANCE * float(np.abs(values).max())
                np.testing.assert_allclose(found[array], values, rtol=0, atol=most, err_msg=f"{program}: {array}")
            else:
                np.testing.assert_array_equal(found[array], values, err_msg=f"{program}: {array}")


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_described_and_stands_for_itself(name):
    example = module(name)
    assert all((example.TITLE, example.KEYS, example.HINT, example.__doc__))
    assert example.SUMMARY.endswith(".")
    assert len(example.SUMMARY) < 140
    assert len(example.SIZE) == 2


def test_the_network_reads_digits_that_it_has_not_seen():
    _, accuracy = module("digits").network()
    assert accuracy > 0.9
