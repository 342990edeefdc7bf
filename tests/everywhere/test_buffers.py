"""Executor, Buffer, TypedBuffer, pools, class memory, artifacts and the forms of programs, without NumPy."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import hologram_web as hg
from hologram_web.backends import IN_PAGE
from hologram_web.isa import BinaryMapOperation, MapOperation, ReduceOperation
from hologram_web.store.blake3 import blake3, blake3_python

from .programs import SCALE, saxpy


def test_arrays_come_back(ex: hg.Executor) -> None:
    for format, values in (("f", [1.5, -2.0]), ("i", [1, -2]), ("B", [1, 255]), ("Q", [2**63, 1]), ("h", [])):
        data = array(format, values)
        buffer = ex.array(data)
        assert buffer.shape == (len(values),)
        assert buffer.nbytes == len(values) * data.itemsize
        assert buffer.numpy().tolist() == values
    square = ex.array([[1, 2, 3], [4, 5, 6]], hg.u16)
    assert (square.shape, square.dtype, square.numpy().tolist()) == ((2, 3), hg.u16, [[1, 2, 3], [4, 5, 6]])
    assert square.numpy().shape == (2, 3)
    assert repr(square) == f"<Buffer (2, 3) u16 on {ex.backend.selected}>"
    assert ex.array([1, 2]).dtype is hg.i64
    assert ex.array([1, 2.5]).dtype is hg.f64
    assert ex.array([0.1], hg.f16).numpy().tolist() == [0.0999755859375]
    assert ex.array([1.0, -3.5], hg.f32).numpy().tolist() == [1.0, -3.5]
    assert ex.array(array("d", [1.5, 2.5]), hg.f32).numpy().tolist() == [1.5, 2.5]


def test_making_and_filling(ex: hg.Executor) -> None:
    assert ex.zeros((2, 3)).numpy().tolist() == [[0, 0, 0], [0, 0, 0]]
    full = ex.full((2,), -1.5, hg.f16)
    assert full.numpy().tolist() == [-1.5, -1.5]
    assert full.fill(2).copy_from(full).numpy().tolist() == [2, 2]
    with pytest.raises(hg.InvalidBuffer) as caught:
        full.from_numpy(array("f", [1, 2, 3]))
    assert str(caught.value) == "an array of shape (3,) does not fit a buffer of shape (2,)"
    full.free()
    with pytest.raises(hg.InvalidBuffer):
        full.numpy()


def test_programs_run(ex: hg.Executor, wait: Callable[[Any], Any]) -> None:
    x = ex.array(array("f", range(5)))
    for _ in range(3):
        ex.run(SCALE, 5, k=2.0, x=x)
    assert wait(x.read()).tolist() == [8.0 * k for k in range(5)]
    ex.submit([(SCALE, 5, {"k": 0.5, "x": x})] * 4)
    ex.sync()
    assert x.numpy().tolist() == [k / 2 for k in range(5)]
    assert ex.stats()["live_bytes"] == 20
    assert ex.stats()["launches"] == 7


def test_kernels_run_in_place(ex: hg.Executor, wait: Callable[[Any], Any]) -> None:
    x, y = ex.array(array("f", range(5))), ex.full(5, 1)
    saxpy[5](2.0, x, y)  # nothing to wait for, so a page without JSPI may do it, too
    ex.run(saxpy, 5, a=1.0, x=x, y=y)
    assert wait(y.read()).tolist() == [3.0 * k + 1 for k in range(5)]
    plan = hg.compile(saxpy, grid="n", shapes={"x": ("n",), "y": ("n",)})
    assert ex.run(plan, a=-1.0, x=x, y=y) is y
    ex.run(plan, a=1.0, x=x, y=y)
    out = array("f", [1] * 5)
    wait(saxpy.launch_async(5, 1.0, y, out))  # the array is copied there and back
    assert out.tolist() == [3.0 * k + 2 for k in range(5)]
    with pytest.raises(hg.LaunchError) as caught:
        saxpy[5](2.0, x, ex.zeros(5, hg.i32))
    assert str(caught.value) == "y has dtype i32; f32 is expected"
    assert ex.stats()["live_bytes"] == 60


def test_reads_and_writes_keep_their_order(ex: hg.Executor) -> None:
    x = ex.array(array("f", [1]))
    for number in range(20):
        ex.run(SCALE, 1, k=3.0, x=x)
        x.from_numpy(array("f", [number]))
        ex.run(SCALE, 1, k=2.0, x=x)
        if number % 7 == 0:
            assert x.numpy().tolist() == [2 * number]
    assert x.numpy().tolist() == [38]


def test_memory_is_recycled_and_zero(ex: hg.Executor) -> None:
    for round in range(300):
        buffer = ex.zeros(1000, hg.u8)
        if round % 50 == 0:
            assert not any(buffer.numpy().tolist())
        buffer.fill(round % 255 + 1)
        buffer.free()
    large = ex.zeros(1 << 20, hg.u32)
    assert not any(memoryview(large.numpy())[::4096])
    large.free()


def test_pools_and_classes(ex: hg.Executor) -> None:
    device = ex.device
    pool = ex.allocate_pool(10)
    device.copy_to_pool(pool, 3, b"abc")
    assert device.copy_from_pool(pool, 0, 10) == b"\0\0\0abc\0\0\0\0"
    device.copy_to_pool(pool, 8, b"yz")
    assert device.copy_from_pool(pool, 2, 8) == b"\0abc\0\0yz"
    program = hg.Program.from_text("""
        .param p: pool
        ldg.u8 r10, [pool p + 3]
        stg.u8 [class 5 + 16], r10
    """)
    ex.run(program, 1, p=pool)
    assert bytes(ex.class_memory(5)[16:18]) == b"a\0"


def test_typed_buffers(ex: hg.Executor, wait: Callable[[Any], Any]) -> None:
    device = ex.device
    x, y, total = (hg.TypedBuffer.allocate(device, hg.i32, count) for count in (1000, 1000, 1))
    x.copy_to(array("i", range(-500, 500)))
    run = hg.GenericExecutor(device)
    run.execute_unary(MapOperation.Abs, x, y)
    run.execute_binary(BinaryMapOperation.Add, x, y, y)
    run.execute_reduce(ReduceOperation.Sum, y, total)
    assert y.copy_from().tolist() == [k + abs(k) for k in range(-500, 500)]
    assert wait(total.read()).tolist() == [2 * sum(range(500))]


def test_artifacts(ex: hg.Executor, tmp_path: Path) -> None:
    compiled = hg.compile(SCALE)
    compiled.save(tmp_path / "scale.holo")
    loaded = hg.load(tmp_path / "scale.holo")
    assert loaded.to_bytes() == (tmp_path / "scale.holo").read_bytes()
    found = loaded.run(ex.device, k=3.0, x=array("f", [1, 2, 3]))
    assert found.tolist() == [3, 6, 9]
    assert ex.run(loaded, k=2.0, x=ex.array(array("f", [1, 2]))).tolist() == [2, 4]
    with pytest.raises(hg.LaunchError) as caught:
        loaded.run(ex.device, k=3.0, x=array("i", [1]))
    have, how = ("i32", "") if IN_PAGE else ("int32", ": give x.astype('float32')")
    assert str(caught.value) == f"x has dtype {have}; f32 is expected{how}"


def test_forms_of_programs() -> None:
    for program in (SCALE, saxpy.program):
        assert hg.Program.from_text(program.to_text()) == program
        assert hg.Program.from_bytes(program.to_bytes()) == program
        assert hg.Program.from_json(program.to_json()) == program


def test_blake3() -> None:
    source = Random(3)
    assert blake3(b"abc").hex() == "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"
    for length in (0, 1, 63, 64, 65, 1023, 1024, 1025, 3000, 5120):
        data = source.randbytes(length)
        assert blake3(data) == blake3_python(data)


def test_how_it_was_chosen(ex: hg.Executor) -> None:
    assert (ex.backend.requested, ex.backend.reason) == (ex.backend.selected, "it was asked for")
    auto = hg.Executor("auto")
    assert auto.backend.requested == "auto"
    assert auto.array(array("f", [1])).numpy().tolist() == [1]


def test_opening_without_blocking(wait: Callable[[Any], Any]) -> None:
    ex = wait(hg.Executor.open("auto"))
    assert ex.backend.requested == "auto"
    assert wait(ex.array(array("f", [7])).read()).tolist() == [7]
