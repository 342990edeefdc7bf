"""Executor and Buffer on every device."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.backends import DEVICES

SCALE = hg.Program.from_text("""
.param k: f32
.param x: buffer f32 read_write
    ldg.f32 r10, [x + r255*4]
    mul.f32 r10, r10, r1
    stg.f32 [x + r255*4], r10
""")


@pytest.fixture(params=list(DEVICES))
def ex(request):
    with hg.Executor(request.param) as executor:
        yield executor


def test_arrays_come_back(ex):
    for data in (
        np.arange(12, dtype=np.float32).reshape(3, 4),
        np.arange(12, dtype=np.int64)[::-2],
        np.asfortranarray(np.arange(6, dtype=np.uint8).reshape(2, 3)),
        np.zeros((0, 5), np.float16),
        np.array(7, np.int32),
        np.array([True, False]),
        np.arange(3, dtype=">u4"),
    ):
        buffer = ex.array(data)
        assert buffer.shape == data.shape
        assert (buffer.numpy() == data).all()
        assert buffer.nbytes == data.size * buffer.dtype.size_bytes
        assert (np.asarray(buffer) == data).all()
        assert (np.from_dlpack(buffer) == data).all()


def test_making_buffers(ex):
    assert ex.zeros((2, 3)).numpy().tolist() == [[0, 0, 0], [0, 0, 0]]
    assert ex.empty(3, hg.i8).numpy().tolist() == [0, 0, 0]
    full = ex.full((2,), -1.5, hg.f16)
    assert full.numpy().tolist() == [-1.5, -1.5]
    assert len(ex.allocate(5)) == 5
    assert full.fill(2).copy_from(full).numpy().tolist() == [2, 2]
    assert repr(full) == f"<Buffer (2,) f16 on {ex.backend.selected}>"
    with pytest.raises(hg.InvalidBuffer, match="a shape has lengths from 0 on"):
        ex.zeros((2, -1))
    with pytest.raises(hg.InvalidBuffer, match=r"an array of shape \(3,\) does not fit a buffer of shape \(2,\)"):
        full.from_numpy(np.zeros(3))
    with pytest.raises(hg.InvalidBuffer, match="shape and type have to agree"):
        full.copy_from(ex.zeros(2))
    with pytest.raises(hg.UnsupportedType, match="there is no type for NumPy's complex64"):
        ex.array(np.zeros(2, np.complex64))


def test_running(ex):
    x = ex.array(np.arange(1000, dtype=np.float32))
    ex.run(SCALE, 1000, k=2.0, x=x)
    ex.run(SCALE, hg.LaunchConfig.linear(10), k=3.0, x=x)
    ex.submit([(SCALE, 1000, {"k": 0.5, "x": x})] * 2)
    wanted = np.arange(1000) * 0.5
    wanted[:10] *= 3
    assert (x.numpy() == wanted).all()
    assert asyncio.run(x.read()).tolist() == wanted.tolist()
    assert ex.stats()["live_bytes"] == 4000
    x.free()
    assert ex.stats()["buffers"] == 0
    with pytest.raises(hg.InvalidBuffer, match="it was freed"):
        x.numpy()


def test_faults_name_the_place(ex):
    with ex.zeros(4) as x:
        with pytest.raises(hg.ExecutionError, match="OutOfBounds"):  # noqa: PT012
            ex.run(SCALE, 5, k=2.0, x=x)
            ex.sync()
        ex.run(SCALE, 4, k=2.0, x=x)
        ex.sync()


def test_views_where_memory_is_in_reach(ex):
    x = ex.zeros((2, 2), hg.i32)
    if ex.backend.selected == "wasm":
        x.view()[1, 0] = 5
        assert x.numpy().tolist() == [[0, 0], [5, 0]]
    else:
        with pytest.raises(hg.InvalidBuffer, match="is out of reach: numpy"):
            x.view()


def test_a_compiled_program(ex):
    compiled = hg.compile(SCALE, grid="n", shapes={"x": ("n",)})
    x = ex.array(np.arange(5, dtype=np.float32))
    assert ex.run(compiled, k=2.0, x=x).tolist() == [0, 2, 4, 6, 8]


def test_many_cycles_leave_nothing():
    with hg.Executor("wasm") as ex:
        for _ in range(10_000):
            x = ex.zeros(100)
            ex.run(SCALE, 100, k=1.0, x=x)
            x.free()
        assert ex.stats()["live_bytes"] == 0


def test_the_record_of_the_choice():
    with hg.Executor("cpu") as ex:
        assert (ex.backend.requested, ex.backend.selected) == ("cpu", "cpu")
        assert repr(ex) == "<Executor on cpu (it was asked for)>"
    with hg.Executor() as ex:
        assert ex.backend.requested == "auto"
        assert ex.backend.selected == ex.backend_device.name
    with pytest.raises(hg.BackendUnavailable):
        hg.Executor("abacus")
