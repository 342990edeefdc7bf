"""Operations of the tensor library of random shapes and types: a slice of `python -m tests.shapes`."""

from __future__ import annotations

from typing import Any

import pytest

from hologram_web.isa.collectives import COLLECTIVE_ROWS
from hologram_web.isa.table import BY_NAME
from hologram_web.tensor import conv

from . import collective, shapes
from .accuracy import CASES as NEAR
from .fuzz.devices import open_devices


@pytest.mark.parametrize(("device", "seeds"), [("wasm", 4), ("webgpu", 1)])
@pytest.mark.parametrize("name", shapes.CASES)
def test_random_shapes(name: str, device: str, seeds: int) -> None:
    (opened,) = open_devices([device])
    assert [text for seed in range(seeds) if (text := shapes.wrong(name, seed, opened.device))] == []


def test_every_collective_has_random_shapes() -> None:
    near = {BY_NAME[name].mnemonic for name in NEAR}
    assert {*shapes.CASES, *near} == {row.mnemonic for row in COLLECTIVE_ROWS}


def test_a_wrong_element_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    (opened,) = open_devices(["wasm"])
    ran = collective.run

    def off(device: Any, *about: Any) -> Any:
        found = ran(device, *about)
        if device is opened.device:
            found["output"][-1] += 1  # behind the array
        return found

    monkeypatch.setattr(collective, "run", off)
    assert "output" in shapes.wrong("transpose", 1, opened.device)


def test_sums_in_another_order_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one BLAS, or in F64: within the bound, and not what the contract says."""
    (opened,) = open_devices(["wasm"])
    seeds = range(20, 40)  # of which some are floats whose sums are not exact
    assert not any(shapes.wrong("conv2d", seed, opened.device) for seed in seeds)
    monkeypatch.setattr(conv, "product", lambda np, left, right: left @ right)
    assert any("in order, output" in shapes.wrong("conv2d", seed, opened.device) for seed in seeds)
