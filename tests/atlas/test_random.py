"""Random programs of Atlas and pool instructions on every device."""

from __future__ import annotations

import pytest

from hologram_web.backends import CpuBackend, WasmBackend, WebGpuBackend

from .random_programs import differs


@pytest.mark.parametrize("seed", range(12))
def test_wasm_and_the_other_order_of_lanes(seed):
    assert differs(seed, [CpuBackend(lane_order="descending"), WasmBackend()]) is None


@pytest.mark.parametrize("seed", range(3))
def test_webgpu(seed):
    assert differs(seed, [WebGpuBackend()], steps=16) is None
