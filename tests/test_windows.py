"""Convolutions, pools and resizes of random shapes: a slice of `python -m tests.windows`."""

from __future__ import annotations

import pytest

from .fuzz.devices import open_devices
from .windows import OPERATIONS, wrong


@pytest.mark.parametrize(("device", "seeds"), [("wasm", 6), ("webgpu", 2)])
@pytest.mark.parametrize("name", OPERATIONS)
def test_random_shapes(name: str, device: str, seeds: int) -> None:
    (opened,) = open_devices([device])
    assert [text for seed in range(seeds) if (text := wrong(name, seed, opened.device))] == []
