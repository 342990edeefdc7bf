"""A wgpu device of the caller's: its buffers as arguments, and launches in an encoder that the caller submits."""

# mypy: ignore-errors

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hologram_web as hg

wgpu = pytest.importorskip("wgpu")

N = 1000


@hg.kernel
def axpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + y[i]


@hg.kernel
def pick(x: hg.Array[hg.f32], k: hg.Array[hg.u32], y: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    y[i] = x[k[i]]


@hg.kernel
def total(x: hg.Array[hg.f32], y: hg.Array[hg.f32], n: hg.u32) -> None:
    hg.parallel_reduce(x, y, "sum", n)


@pytest.fixture(scope="module")
def device() -> Any:
    hg.Executor("webgpu").close()  # an adapter is there, or the test is not for this machine
    return wgpu.gpu.request_adapter_sync().request_device_sync()


@pytest.fixture
def ex(device: Any) -> Iterator[hg.Executor]:
    with hg.Executor(device=device) as found:
        yield found


def submit(device: Any, encoder: Any) -> None:
    device.queue.submit([encoder.finish()])


def test_the_device_is_the_callers(device: Any, ex: hg.Executor) -> None:
    assert ex.device.native is device
    assert (ex.backend.requested, ex.backend.selected, ex.backend.reason) == ("auto", "webgpu", "a device was given")
    with hg.Executor("webgpu", device=device) as other:
        assert other.device._gpu is ex.device._gpu
    with hg.Executor("webgpu") as own:
        assert own.device.native is not device
    for backend, given in (("wasm", device), ("webgpu", object())):
        with pytest.raises(hg.BackendUnavailable, match="a device"):
            hg.Executor(backend, device=given)


def test_pages_give_theirs_to_the_other_runtime(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hologram_web.backends.selection.IN_PAGE", True)
    with pytest.raises(hg.BackendUnavailable, match="TypeScript runtime"):
        hg.Executor(device=device)


def test_buffers_of_both(device: Any, ex: hg.Executor) -> None:
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
    theirs = device.create_buffer_with_data(data=np.arange(N, dtype=np.float32), usage=usage)
    x, y = ex.adopt(theirs, N), ex.zeros(N)
    axpy.on(ex)[N](2.0, x, y)
    ours = np.frombuffer(device.queue.read_buffer(y.gpu_buffer, 0, 4 * N), np.float32)
    assert np.array_equal(ours, 2 * np.arange(N))
    axpy.on(ex)[N](1.0, y, x)
    assert np.array_equal(x.numpy(), 3 * np.arange(N))
    x.free()
    assert np.array_equal(np.frombuffer(device.queue.read_buffer(theirs), np.float32), 3 * np.arange(N))
    new = ex.zeros(N)  # which has not got the caller's buffer
    assert new.gpu_buffer is not theirs
    with pytest.raises(hg.InvalidBuffer, match="freed"):
        _ = x.gpu_buffer
    for wrong in (object(), device.create_buffer(size=4 * N, usage=wgpu.BufferUsage.STORAGE)):
        with pytest.raises(hg.InvalidBuffer, match="STORAGE, COPY_SRC and COPY_DST"):
            ex.adopt(wrong, N)
    with pytest.raises(hg.InvalidBuffer, match="8000 bytes"):
        ex.adopt(theirs, 2 * N)
    with hg.Executor("wasm") as wasm:
        for work in (lambda: wasm.adopt(theirs, N), lambda: wasm.zeros(3).gpu_buffer):
            with pytest.raises(hg.InvalidBuffer, match="wgpu"):
                work()
        with pytest.raises(hg.BackendUnavailable, match="no encoders"):
            wasm.encode(None)


def test_launches_in_an_encoder(device: Any, ex: hg.Executor) -> None:
    x, y, z = ex.array(np.ones(N, np.float32)), ex.zeros(N), ex.zeros(N)
    bound = axpy.on(ex)[N]
    bound(1.0, x, y)  # before, and not submitted
    encoder = device.create_command_encoder()
    before = ex.device.stats.submits
    with ex.encode(encoder) as encoded:
        bound(2.0, x, y)
        bound(10.0, y, z)
    read = device.create_buffer(size=4 * N, usage=wgpu.BufferUsage.MAP_READ | wgpu.BufferUsage.COPY_DST)
    encoder.copy_buffer_to_buffer(z.gpu_buffer, 0, read, 0, 4 * N)
    assert not z.numpy().any()
    assert np.array_equal(y.numpy(), np.ones(N))
    submit(device, encoder)
    encoded.done()
    encoded.done()
    read.map_sync("READ")
    assert np.array_equal(np.frombuffer(read.read_mapped(), np.float32), np.full(N, 30))
    assert np.array_equal(y.numpy(), np.full(N, 3))
    bound(1.0, x, y)
    assert np.array_equal(y.numpy(), np.full(N, 4))
    assert ex.device.stats.submits > before


def test_memory_that_is_freed_meanwhile_serves_nobody_else(device: Any, ex: hg.Executor) -> None:
    x, y = ex.array(np.full(N, 5, np.float32)), ex.zeros(N)
    encoder = device.create_command_encoder()
    with ex.encode(encoder) as encoded:
        axpy.on(ex)[N](1.0, x, y)
    buffer = x.gpu_buffer
    x.free()
    other = ex.array(np.full(N, 7, np.float32))
    assert other.gpu_buffer is not buffer
    submit(device, encoder)
    encoded.done()
    assert np.array_equal(y.numpy(), np.full(N, 5))
    assert ex.zeros(N).gpu_buffer is buffer  # now it does


def test_a_fault_is_told_by_done(device: Any, ex: hg.Executor) -> None:
    x, y = ex.zeros(N), ex.zeros(4)
    k = ex.array(np.array([0, 1, N, 0], np.uint32))
    encoder = device.create_command_encoder()
    with ex.encode(encoder) as encoded:
        pick.on(ex)[4](x, k, y)
    submit(device, encoder)
    with pytest.raises(hg.ExecutionError, match=f"index {N}") as caught:
        encoded.done()
    assert (caught.value.kind, caught.value.lane) == (hg.FaultKind.OUT_OF_BOUNDS, 2)
    encoded.done()
    ex.sync()


def test_what_has_to_wait_is_an_error_and_records_nothing(device: Any, ex: hg.Executor) -> None:
    x, y = ex.zeros(N), ex.zeros(N)
    encoder = device.create_command_encoder()
    for work in (
        lambda: axpy.on(ex)[N](1.0, np.ones(N, np.float32), np.ones(N, np.float32)),
        lambda: y.numpy(),
        lambda: ex.sync(),
        lambda: y.fill(1),
    ):

        def encode() -> None:
            with ex.encode(encoder):
                axpy.on(ex)[N](1.0, x, y)
                work()  # noqa: B023

        with pytest.raises(hg.LaunchError, match="have not run"):
            encode()
    submit(device, encoder)
    assert not y.numpy().any()


def test_collectives_and_their_temporaries(device: Any, ex: hg.Executor) -> None:
    x, y = ex.array(np.ones(N, np.float32)), ex.zeros(1)
    encoder = device.create_command_encoder()
    with ex.encode(encoder) as encoded:
        total.on(ex)[1](x, y, N)
    others = [ex.array(np.full(N, 9, np.float32)) for _ in range(3)]  # of memory that is free
    submit(device, encoder)
    encoded.done()
    assert y.numpy().tolist() == [N]
    assert all(other.numpy().tolist() == [9] * N for other in others)


def test_a_lost_device_is_not_replaced() -> None:
    own = wgpu.gpu.request_adapter_sync().request_device_sync()
    with hg.Executor(device=own) as other:
        other.device._gpu.lost = True
        with pytest.raises(hg.BackendUnavailable, match="the device that was given was lost"):
            other.zeros(3)
        other.device._gpu.lost = False
