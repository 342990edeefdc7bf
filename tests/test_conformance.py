"""Every device does what tests/conformance.py asks for, and what is its own."""

from __future__ import annotations

import pytest

import hologram_web as hg
from hologram_web import LaunchConfig
from hologram_web.backends import DEVICES, CpuBackend, Limits, WebGpuBackend

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


class TestWebGpu(BackendConformance):
    name = "webgpu"
    limits = Limits(steps=1 << 26)
    # A dispatch cannot be stopped, but a program of many launches can, between them.
    very_long = """
    mov_imm.u32 r10, 4294967295
again:
    parallel_map.neg.i32 [class 1], [class 1], 4
    loop r10, again
"""
    stopped_at = "parallel_map.neg.i32 [class 1], [class 1], 4"

    def make(self):
        return WebGpuBackend(check="sync")

    def test_much_shared_memory(self, backend):
        text = ".param y: buffer u32 write\n    mov_imm.u32 r9, 5\n    sts.u32 [shared + 1020], r9\n"
        text += "    lds.u32 r10, [shared + 1020]\n    stg.u32 [y + r255*4], r10\n"
        y = backend.allocate_buffer(4 * 3000)
        self.run(backend, text, LaunchConfig(hg.GridDim(3000), shared_memory=16384), y=y)
        assert (self.read(backend, y) == 5).all()
        most = backend.native.limits["max-compute-workgroup-storage-size"]
        config = LaunchConfig(hg.GridDim(3000), shared_memory=1 << 20)
        assert self.refused(hg.LaunchError, self.run, backend, text, config, y=y) == (
            f"1048576 bytes of shared memory: this adapter has {most}; use less, or another device"
        )
        self.works(backend)


def test_every_device_has_a_suite():
    assert {cls.name for cls in BackendConformance.__subclasses__()} >= set(DEVICES)
