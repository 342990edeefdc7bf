"""Every device does what tests/conformance.py asks for, and what is its own."""

from __future__ import annotations

import pytest

from hologram_web.backends import DEVICES, CpuBackend

from .conformance import BackendConformance


class TestCpu(BackendConformance):
    name = "cpu"

    def test_nothing_is_left(self, backend):
        self.works(backend)
        assert backend.native == {}

    def test_lane_orders(self):
        with pytest.raises(ValueError, match="lane_order is 'ascending' or 'descending', not 'random'"):
            CpuBackend(lane_order="random")


class TestWasm(BackendConformance):
    name = "wasm"


def test_every_device_has_a_suite():
    assert {cls.name for cls in BackendConformance.__subclasses__()} >= set(DEVICES)
