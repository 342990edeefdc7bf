"""Executor and Buffer on every device."""

# mypy: ignore-errors

from __future__ import annotations

import asyncio
from typing import TypeVar

import ml_dtypes
import numpy as np
import pytest
import wasmtime

import hologram_web as hg
from hologram_web.backends import DEVICES

from .everywhere.programs import SCALE, saxpy


@hg.kernel
def shift(x: hg.Array[hg.i32]):
    i = hg.global_id()
    x[i] = x[i + 1]


@hg.kernel
def row_sums(x: hg.Array[hg.i64, 2], sums: hg.Array[hg.i64]):
    row = hg.global_id()
    for k in range(x.shape[1]):
        sums[row] += x[row, k]


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


def test_types_of_arrays(ex):
    assert ex.array(np.array([1000, 20000, 3], "u2")).dtype is hg.u16
    assert ex.array(np.array([1000, 20000, 3], ">u2")).tolist() == [1000, 20000, 3]
    assert ex.array([1, 2], np.float32).dtype is ex.zeros(np.int64(3), "f4").dtype is hg.f32
    wide = ex.array([[1, 2**200], [3, 4]], hg.u256)
    assert ex.array(wide).tolist() == wide.tolist() == [[1, 2**200], [3, 4]]
    for work, error, message in (
        (lambda: ex.zeros(3, "f5"), hg.UnsupportedType, "'f5' is no type: take hg.f32, or another one of hg.Type"),
        (lambda: ex.zeros(2.5), hg.InvalidBuffer, "a shape is an integer or a tuple of integers, not 2.5"),
        (lambda: ex.zeros((2.5,)), hg.InvalidBuffer, "a shape is an integer or a tuple of integers, not (2.5,)"),
    ):
        with pytest.raises(error) as caught:
            work()
        assert str(caught.value) == message


def test_bf16_is_numbers_or_bits(ex):
    numbers = [1, 2.5, -3, 1e39, -0.0, 1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-8 + 2.0**-40, 2.0**-140]
    with np.errstate(over="ignore"):
        wanted = np.array(numbers, "f8").astype(ml_dtypes.bfloat16)
    wanted[7] = 1 + 2.0**-7  # ml_dtypes rounds by way of F32
    for data in (numbers, np.array(numbers), wanted, wanted.view("u2")):
        buffer = ex.array(data, hg.bf16)
        assert buffer.numpy().tolist() == wanted.view("u2").tolist()
        assert buffer.tolist() == wanted.astype("f8").tolist()
    assert ex.array(wanted).dtype is hg.bf16
    assert ex.full(2, 1.5, hg.bf16).fill(-2.5).tolist() == [-2.5, -2.5]
    assert np.isnan(ex.array([np.nan], hg.bf16).tolist()[0])
    typed = hg.TypedBuffer.allocate(ex.device, hg.bf16, 9)
    typed.copy_to(np.array(numbers))
    assert typed.copy_from().tolist() == wanted.view("u2").tolist()
    keep = hg.compile(add.specialize(T=hg.bf16), grid="n", shapes={"x": ("n",), "y": ("n",)})
    for data in ([1, 2.5], np.array([1, 2.5], ml_dtypes.bfloat16)):
        found = keep.run(ex, data, data)
        assert found.view(ml_dtypes.bfloat16).tolist() == [2, 5]


def test_generic_executors_want_one_type(ex):
    ints, floats = (hg.TypedBuffer.allocate(ex.device, ty, 4) for ty in (hg.i32, hg.f32))
    with pytest.raises(hg.LaunchError) as caught:
        hg.GenericExecutor(ex.device).execute_binary("add", ints, floats, floats)
    assert str(caught.value) == "src_a is of i32, and the output of f32: give one type"


def test_a_fault_has_the_line_of_its_own_launch(ex):
    bad, good = ex.zeros(2, hg.i32), np.zeros(2, "f4")
    with pytest.raises(hg.ExecutionError, match="OutOfBounds") as caught:  # noqa: PT012
        shift[2](bad)
        saxpy.on(ex)[2](1, good, good)
    (note,) = caught.value.__notes__
    assert note.endswith(": x[i] = x[i + 1]")
    assert caught.value.program == "shift"
    with pytest.raises(hg.ExecutionError, match="OutOfBounds") as caught:
        hg.compile(shift, grid=2).run(ex, np.zeros(2, "i4"))
    assert caught.value.__notes__ == [note]


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
    with pytest.raises(hg.UnsupportedType, match="there is no type for NumPy's <U3"):
        ex.array(np.zeros(2, "U3"))


def test_how_long_the_last_launch_took(ex):
    assert ex.stats()["last_launch_ms"] is None
    program = hg.Program.from_text(".param y: buffer u32 write\ncvt.u32.u64 r10, r255\nstg.u32 [y + r255*4], r10\n")
    y = ex.zeros(3, hg.u32)
    ex.run(program, 3, y=y)
    first = ex.stats()["last_launch_ms"]
    assert 0 < first < 60_000
    with pytest.raises(hg.LaunchError):
        ex.run(program, 3)
    assert 0 < ex.stats()["last_launch_ms"] != first
    assert y.numpy().tolist() == [0, 1, 2]


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
    if ex.backend.selected in ("wasm", "cpu"):
        x.view()[1, 0] = 5
        assert x.numpy().tolist() == [[0, 0], [5, 0]]
    else:
        with pytest.raises(hg.InvalidBuffer, match="is out of reach: numpy"):
            x.view()


def test_a_compiled_program(ex):
    compiled = hg.compile(SCALE, grid="n", shapes={"x": ("n",)})
    data = np.arange(5, dtype=np.float32)
    assert ex.run(compiled, k=2.0, x=data).tolist() == [0, 2, 4, 6, 8]
    assert data.tolist() == [0, 1, 2, 3, 4]
    x = ex.array(data)
    assert ex.run(compiled, k=2.0, x=x) is x
    assert ex.run(compiled, k=2.0, x=x) is x
    assert x.numpy().tolist() == [0, 4, 8, 12, 16]
    for args, message in (
        ({"k": x, "x": x}, "k is a Buffer; f32 is expected, a number"),
        ({"k": 1, "x": ex.zeros(5, hg.i32)}, "x has dtype i32; f32 is expected"),
    ):
        with pytest.raises(hg.LaunchError) as caught:
            ex.run(compiled, **args)
        assert str(caught.value) == message
    with hg.Executor("cpu") as other, pytest.raises(hg.LaunchError) as caught:
        ex.run(compiled, k=1, x=other.zeros(5))
    assert (
        str(caught.value) == f"x: f32[n] read_write takes a Buffer of the device that runs, not of {other!r}: copy it"
    )


def test_one_buffer_for_two_ports(ex):
    plan = hg.compile(saxpy, grid="n", shapes={"x": ("n",), "y": ("n",)})
    y = ex.array(np.arange(4, dtype=np.float32))
    assert ex.run(plan, a=2, x=y, y=y) is y  # ports are separate memories: x is a copy
    assert y.numpy().tolist() == [0, 3, 6, 9]
    assert ex.stats()["live_bytes"] == 16
    launches = [(saxpy, "n", None, {"a": 1, "x": x, "y": y}) for x, y in ("xy", "yx")]
    swap = hg.compile(launches, shapes={"x": ("n",), "y": ("n",)})
    with pytest.raises(hg.InvalidBuffer) as caught:
        ex.run(swap, x=y, y=y)
    assert str(caught.value) == "'x' and 'y' are both written: give two Buffers, not one for both"
    found = ex.run(swap, x=y, y=np.ones(4, np.float32))
    assert found["x"] is y
    assert (found["y"].tolist(), y.numpy().tolist()) == ([1, 4, 7, 10], [1, 7, 13, 19])


def test_a_buffer_where_a_program_has_a_pool(ex):
    program = hg.Program.from_text("""
        .param k: f32
        .param x: pool
        pool_load.u8 r10, x, r255
        cvt.f32.u8 r11, r10
        mul.f32 r11, r11, r1
        cvt.u8.f32 r10, r11
        pool_store.u8 x, r255, r10
    """)
    compiled = hg.compile(program, grid="n", shapes={"x": ("n",)})
    x = ex.array(np.arange(5, dtype=np.uint8))
    assert ex.run(compiled, k=2.0, x=x) is x
    assert x.numpy().tolist() == [0, 2, 4, 6, 8]


T = TypeVar("T")


@hg.kernel
def add(x: hg.Array[T], y: hg.Array[T]):
    i = hg.global_id()
    y[i] = x[i] + y[i]


def test_kernels_on_buffers(ex):
    x, y = ex.array(np.arange(1000, dtype="f4")), ex.full(1000, 1)
    before = ex.stats()["live_bytes"]
    saxpy[1000](2, x, y)
    saxpy.on(ex.device)[10](1, x=x, y=y)
    ex.run(saxpy, 1000, a=np.float32(0.5), x=x, y=y)
    ex.run(saxpy, hg.LaunchConfig.linear(5, 1), a=0, x=x, y=y)
    wanted = 2.5 * np.arange(1000) + 1
    wanted[:10] += np.arange(10)
    assert (y.numpy() == wanted).all()
    assert (x.numpy() == np.arange(1000)).all()
    assert ex.stats()["live_bytes"] == before
    asyncio.run(saxpy.launch_async(1000, -1, y, y))  # one buffer twice
    assert not y.numpy().any()
    rows = ex.zeros(3, hg.i64)
    row_sums[3](ex.array(np.arange(12, dtype="i8").reshape(3, 4)), rows)
    assert rows.numpy().tolist() == [6, 22, 38]


def test_kernels_on_buffers_and_arrays(ex):
    x, y = np.arange(100, dtype="f4"), ex.zeros(100)
    saxpy[100](3, x, y)
    assert (y.numpy() == 3 * x).all()
    out = np.ones(200, "f4")[::2]
    saxpy[100](1, y, out)
    assert (out == 3 * x + 1).all()
    assert ex.stats()["live_bytes"] == 400


def test_generic_kernels_on_buffers(ex):
    for ty in (hg.i32, hg.f64, hg.u256, hg.bf16):
        x, y = (ex.array(np.frombuffer(ty.pack([1] * 3), ty.numpy), ty) for _ in "xy")
        add.specialize(T=ty)[2](x, y)
        assert y.numpy().tobytes() == ty.pack([2, 2, 1])
        add[3](x, y)  # the type is that of the Buffers
        assert y.numpy().tobytes() == ty.pack([3, 3, 2])


def test_buffers_that_do_not_fit(ex):
    x, y = ex.zeros(4), ex.zeros(4)
    other = hg.Executor("cpu")
    narrow, square, far = ex.zeros(4, hg.f16), ex.zeros((2, 2)), other.zeros(4)
    for args, message in (
        ((1, narrow, y), "x has dtype f16; f32 is expected"),
        ((1, x, square), "y has 2 axes; 1 axis is expected"),
        ((x, x, y), "a is a Buffer; f32 is expected, a number"),
        ((1, x, far), f"the Buffers are of different executors, {ex!r} and {other!r}: copy, with numpy()"),
    ):
        with pytest.raises(hg.LaunchError) as caught:
            saxpy[4](*args)
        assert str(caught.value) == message
    with pytest.raises(hg.LaunchError) as caught:
        saxpy.on(other.device)[4](1, x, y)
    assert str(caught.value) == (f"the Buffers are of {ex!r}, and it is to run elsewhere: run it there, or copy them")
    with pytest.raises(TypeError, match="a Program, a kernel or a compiled program can run, not 7"):
        ex.run(7)
    with pytest.raises(hg.LaunchError, match="parameter 'x' is a buffer of f32, not of f16: convert it"):
        ex.run(SCALE, 4, k=1.0, x=narrow)
    with pytest.raises(hg.LaunchError, match="a compiled program knows how many lanes it has: leave out 4"):
        ex.run(hg.compile(SCALE, grid=4), 4, k=1.0, x=x)
    with pytest.raises(hg.LaunchError, match="a class means a Buffer, or None for its own memory, not ndarray"):
        ex.bind_class(1, np.zeros(4))
    with pytest.raises(hg.ExecutionError, match="OutOfBounds"):  # noqa: PT012
        saxpy[4](1, ex.zeros(3), y)
        y.numpy()
    x.free()
    with pytest.raises(hg.InvalidBuffer, match="it was freed"):
        saxpy[4](1, x, y)
    saxpy[4](1, y, y)
    assert y.numpy().tolist() == [0] * 4


def test_stepping_through_kernels_on_buffers(ex):
    x, y = ex.array(np.arange(3, dtype="f4")), ex.full(3, 1)
    steps = list(saxpy.steps[3](2, x, y))
    assert steps[-1].source.startswith("y[i] =")
    assert y.numpy().tolist() == [1, 3, 5]
    for _ in saxpy.steps[3](1, y, y):
        pass
    assert y.numpy().tolist() == [2, 6, 10]


def test_many_cycles_leave_nothing():
    with hg.Executor("wasm") as ex:
        for _ in range(10_000):
            x = ex.zeros(100)
            ex.run(SCALE, 100, k=1.0, x=x)
            x.free()
        assert ex.stats()["live_bytes"] == 0


def test_a_store_of_kernels_has_no_limit():
    with hg.Executor("wasm") as ex:
        empty = wasmtime.Module(ex.device._engine, "(module)")
        for _ in range(10_001):  # one more than wasmtime allows by itself
            wasmtime.Instance(ex.device.native, empty, [])


@pytest.mark.parametrize(("limits", "message"), [
    ({"steps": "many"}, "Limits: steps is an integer from 0 on, not 'many'"),
    ({"steps": -1}, "Limits: steps is an integer from 0 on, not -1"),
    ({"seconds": "1"}, "Limits: seconds is a number from 0 on, or None, not '1'"),
])  # fmt: skip
def test_limits_that_are_none(limits, message):
    with pytest.raises(hg.LaunchError) as caught:
        hg.Limits(**limits)
    assert str(caught.value) == message


def test_a_function_is_no_kernel():
    def double(x: hg.Array[hg.f32]):
        x[hg.global_id()] *= 2

    with pytest.raises(hg.LaunchError, match=r"not <function .*double.*>: make it a kernel, with @hg.kernel"):
        hg.compile(double, grid=1)


def test_the_record_of_the_choice():
    with hg.Executor("cpu") as ex:
        assert (ex.backend.requested, ex.backend.selected) == ("cpu", "cpu")
        assert repr(ex) == "<Executor on cpu (it was asked for)>"
    with hg.Executor() as ex:
        assert ex.backend.requested == "auto"
        assert ex.backend.selected == ex.device.name
    with pytest.raises(hg.BackendUnavailable):
        hg.Executor("abacus")
