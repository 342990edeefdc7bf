"""Launches after the first one of a kernel and of a program, of which most is known: what differs is noticed all the
same, and errors are those of a first launch."""

# mypy: ignore-errors

from __future__ import annotations

import gc
import signal
import threading
import weakref
from typing import TypeVar

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import BackendUnavailable, ExecutionParams, LaunchConfig, Limits, Program
from hologram_web.backends import DEVICES

T = TypeVar("T", hg.f32, hg.i32, hg.u8)


@hg.kernel
def moved(x: hg.Array[hg.f32], y: hg.Array[hg.f32], a: hg.f32, by: hg.i32):
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i + by]


@hg.kernel
def places(y: hg.Array[hg.i32, 2]):
    i, j = hg.global_id(0), hg.global_id(1)
    y[j, i] = 1000 * hg.block_id(1) + 100 * hg.block_id(0) + hg.local_id(0)


@hg.kernel
def halves(x: hg.Array[hg.u32], n: hg.u32):
    while n > 1:
        n = n // 2
        x[0] = x[0] + 1


@pytest.fixture(params=list(DEVICES))
def ex(request):
    try:
        with hg.Executor(request.param) as found:
            yield found
    except BackendUnavailable as error:
        pytest.fail(str(error))


def _buffers(ex, n=100):
    return ex.array(np.arange(n, dtype=np.float32)), ex.zeros(n)


def _to_the_end(ex, launch, *args):
    launch(*args)
    ex.sync()


def test_arguments_of_the_same_kind(ex):
    """Other Buffers, other sizes, other scalars."""
    launch = moved[100]
    for n in (100, 100, 50, 100, 10):
        (x, y), (u, v) = _buffers(ex, n), _buffers(ex, n)
        for a in (2.0, np.float32(0.5), 3, float("nan"), -0.0):
            launch(x, y, a, 0)
            launch(y, v, a, 0)
            with np.errstate(invalid="ignore"):
                first = np.float32(a) * np.arange(n, dtype=np.float32)
                np.testing.assert_array_equal(y.numpy().view("u4"), first.view("u4"))
                np.testing.assert_array_equal(v.numpy().view("u4"), (np.float32(a) * first).view("u4"))
        launch(u, u, 2.0, 0)  # the same one twice
        np.testing.assert_array_equal(u.numpy(), 2 * np.arange(n))


def test_freed_buffers(ex):
    launch = moved[100]
    x, y = _buffers(ex)
    for _ in range(2):
        launch(x, y, 2.0, 0)
    handle = y.handle
    y.free()
    with pytest.raises(hg.InvalidBuffer) as caught:
        launch(x, y, 2.0, 0)
    name = ex.device.name
    assert caught.value.args == (
        f"{handle!r} is no buffer of this {name} backend: it was freed, or another backend made it",
    )
    y = ex.zeros(100)
    launch(x, y, 2.0, 0)
    np.testing.assert_array_equal(y.numpy(), 2 * np.arange(100))


def test_faults_and_what_decides_them(ex):
    """A scalar decides whether indices are in bounds, and so, on GPUs, which shader runs."""
    launch = moved[50]
    x, y = ex.array(np.arange(100, dtype=np.float32)), ex.zeros(50)
    told = set()
    for _ in range(3):
        for by in (0, 50):
            launch(x, y, 1.0, by)
            np.testing.assert_array_equal(y.numpy(), np.arange(50) + by)
        with pytest.raises(hg.ExecutionError) as caught:
            _to_the_end(ex, launch, x, y, 1.0, 51)
        told.add(caught.value.detail.partition(" (launch ")[0])
        assert caught.value.kind is hg.FaultKind.OUT_OF_BOUNDS
        assert caught.value.__notes__[0].endswith("y[i] = a * x[i + by]")
    assert len(told) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x, y, ints: (x, ints, 1.0, 0), "y has dtype u32; f32 is expected"),
        (lambda x, y, ints: (x, y, "a", 0), "a is 'a'; f32 is expected, a number"),
        (lambda x, y, ints: (x, y, True, 0), "a is True; f32 is expected, a number"),
        (
            lambda x, y, ints: (x, y, 1.0, 1 << 31),
            "by is 2147483648; i32 is expected, -2147483648 to 2147483647",
        ),
        (lambda x, y, ints: (x, y, 1.0, 1.0), "by is 1.0; i32 is expected, an integer"),
        (lambda x, y, ints: (x, y, y, 0), None),
        (
            lambda x, y, ints: (x, y, 1.0),
            "parameter 'by' is missing: the kernel takes (x: Array[f32], y: Array[f32], a: f32, by: i32)",
        ),
        (
            lambda x, y, ints: (x, y, 1.0, 0, 0),
            "5 arguments are given; 4 are expected: the kernel takes (x: Array[f32], y: Array[f32], a: f32, by: i32)",
        ),
        (
            lambda x, y, ints: (x, 1.0, 1.0, 0),
            "y is 1.0; Array[f32] is expected: give a NumPy array or a Buffer",
        ),
    ],
)
def test_wrong_arguments_after_right_ones(ex, change, message):
    launch = moved[100]
    (x, y), ints = _buffers(ex), ex.zeros(100, hg.u32)
    wrong = change(x, y, ints)
    with pytest.raises(hg.LaunchError) as first:
        moved[LaunchConfig.linear(100)](*wrong)
    for _ in range(2):
        launch(x, y, 2.0, 0)
        with pytest.raises(hg.LaunchError) as caught:
            launch(*wrong)
        assert str(caught.value) == str(first.value)
        assert message in (None, str(caught.value))


def test_buffers_of_other_devices(ex):
    launch = moved[100]
    x, y = _buffers(ex)
    with hg.Executor("wasm") as other:
        u, v = _buffers(other)
        for _ in range(2):
            launch(x, y, 2.0, 0)
            launch(u, v, 3.0, 0)
        with pytest.raises(hg.LaunchError) as caught:
            launch(x, v, 2.0, 0)
        assert str(caught.value) == (
            f"the Buffers are of different executors, {ex!r} and {other!r}: copy, with numpy()"
        )
        bound = moved.on(other)[100]
        with pytest.raises(hg.LaunchError) as caught:
            bound(x, y, 2.0, 0)
        assert str(caught.value) == f"the Buffers are of {ex!r}, and it is to run elsewhere: run it there, or copy them"
        np.testing.assert_array_equal(v.numpy(), 3 * np.arange(100))
    np.testing.assert_array_equal(y.numpy(), 2 * np.arange(100))


def test_limits_that_change(ex):
    """Those of the device count when a launch begins."""
    x = ex.zeros(1, hg.u32)
    launch = halves[1]
    for _ in range(2):
        ex.device.limits = Limits(steps=1 << 20)
        launch(x, 1 << 20)
        ex.sync()
        ex.device.limits = Limits(steps=5)
        with pytest.raises(hg.ExecutionError) as caught:
            _to_the_end(ex, launch, x, 1 << 20)
        assert caught.value.kind is hg.FaultKind.STEP_LIMIT
    ex.device.limits = Limits()
    x.fill(0)
    launch(x, 1 << 20)
    assert x.tolist() == [20]


def test_ways_to_write_a_launch(ex):
    """The brackets, and `Executor.run`: kept for what means the same only."""
    x, y = _buffers(ex)
    for _ in range(3):
        for launch in (moved[100], moved[100, 64], moved[(100,), (64,)], moved[LaunchConfig.linear(100)]):
            y.fill(0)
            launch(x, y, 2.0, 0)
            np.testing.assert_array_equal(y.numpy(), 2 * np.arange(100))
        ex.run(moved, 100, x=x, y=y, a=3.0, by=0)
        np.testing.assert_array_equal(y.numpy(), 3 * np.arange(100))
        ex.run(moved, 10, x=x, y=y, a=4.0, by=0)
        ex.run(moved, LaunchConfig.linear(20), x=x, y=y, a=5.0, by=0)
        np.testing.assert_array_equal(y.numpy()[:30], [*range(0, 100, 5), *range(60, 90, 3)])
        ex.run(moved, x=x, y=y, a=7.0, by=1)
        assert y.numpy()[0] == 7
        assert moved[1] is moved[1]
        for same in (1.0, (1.0,), (1, 1.0), ((1,), (1.0,)), np.float64(1)):
            with pytest.raises(hg.LaunchError, match=r"write kernel\[n\]"):
                moved[same]
        with hg.Executor("cpu") as other, pytest.raises(hg.LaunchError, match="it is to run elsewhere"):
            other.run(moved, 100, x=x, y=y, a=3.0, by=0)


def test_shapes_of_launches(ex):
    """One kernel, one Buffer, blocks and grids that differ."""
    y = ex.zeros((8, 8), hg.i32)
    rows, columns = np.indices((8, 8))
    for _ in range(2):
        for block in ((8, 8), (4, 2), (3, 5), (1, 1)):
            places[(8, 8), block](y)
            wanted = 1000 * (rows // block[1]) + 100 * (columns // block[0]) + columns % block[0]
            np.testing.assert_array_equal(y.numpy(), wanted)
            y.fill(7)
            places[(3, 2), block](y, partial=True)
            assert (y.numpy() != 7).sum() == 6


def test_threads(ex):
    launch, wrong = moved[100], []

    def work(number):
        x, y = _buffers(ex)
        try:
            for turn in range(20):
                launch(x, y, float(number + turn), 0)
                if not np.array_equal(y.numpy(), (number + turn) * np.arange(100, dtype=np.float32)):
                    wrong.append((number, turn))
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_programs_that_change(ex):
    """A Program is no constant: what was added to it, or put in the place of something, runs."""
    program = Program.from_text(
        ".param x: buffer u32 write\nmov_imm.u32 r10, 5\nstg.u32 [x], r10\nexit\nmov_imm.u32 r11, 6\nstg.u32 [x], r11"
    )
    x = ex.zeros(1, hg.u32)
    params = ExecutionParams(LaunchConfig(), {"x": x.handle})

    def result():
        ex.device.execute_program_with_params(program, params)
        return x.tolist()

    assert [result(), result()] == [[5], [5]]
    program.instructions[0] = hg.Instruction.MOV_IMM(hg.u32, hg.Register(10), 7)
    assert [result(), result()] == [[7], [7]]
    program.labels["late"], program.entry = 3, "late"
    assert result() == [6]
    program.instructions.append(hg.Instruction.STG(hg.u32, hg.Address.Buffer("y"), hg.Register(11)))
    with pytest.raises(hg.IsaError) as caught:
        result()
    text = "program has 1 problem:\n  instruction 5 (stg.u32 [y], r11): there is no parameter 'y': the program has x"
    assert str(caught.value) == text
    program.instructions.pop()
    assert result() == [6]


def test_classes_that_are_bound(ex):
    """A class means a Buffer from one launch to the next, and its memory again."""
    program = Program.from_text(
        "mov_imm.u32 r10, 5\nldg.u32 r11, [class 3]\nadd.u32 r11, r11, r10\nstg.u32 [class 3], r11"
    )
    x = ex.zeros(1, hg.u32)
    for bound in (None, x, x, None, x):
        ex.bind_class(3, bound)
        ex.run(program)
    assert x.tolist() == [15]
    assert np.frombuffer(bytes(ex.class_memory(3)), np.uint32)[0] == 10


def test_launches_on_arrays_keep_a_few_buffers(ex):
    """Memory is used again, and nothing of what others left there is seen."""
    device = ex.device
    launch = moved.on(ex)
    before = len(device._buffers)
    for n in [*range(1, 40), 5, 5, 5]:
        x = np.arange(n, dtype=np.float32)
        y = np.full(n + 3, 9, np.float32)
        launch[n](x, y, 2.0, 0)
        np.testing.assert_array_equal(y, [*(2 * x), 9, 9, 9])
    assert len(device._buffers) <= before + 16
    handles = set(device._buffers)
    launch[5](np.zeros(5, np.float32), np.zeros(8, np.float32), 2.0, 0)
    assert set(device._buffers) == handles
    big = np.zeros(1 << 20, np.float32)
    launch[5](big, big, 2.0, 0)
    assert set(device._buffers) == handles
    device.close()
    y = np.zeros(5, np.float32)
    launch[5](np.ones(5, np.float32), y, 2.0, 0)
    assert y.tolist() == [2] * 5


@pytest.mark.parametrize(
    "change",
    [
        lambda x, y: (x, y.astype("f8"), 1.0, 0),
        lambda x, y: (x, y.reshape(10, 10), 1.0, 0),
        lambda x, y: (x, y[:0].view("V4"), 1.0, 0),
        lambda x, y: (x, _frozen(y), 1.0, 0),
        lambda x, y: (x, y, "1", 0),
        lambda x, y: (x, np.lib.stride_tricks.as_strided(y, writeable=True, strides=(0,)), 1.0, 0),
        lambda x, y: (y[:60], y[40:], 1.0, 0),
        lambda x, y: (y[40:], y, 1.0, 0),
        lambda x, y: (x, y.tolist(), 1.0, 0),
        lambda x, y: (x, None, 1.0, 0),
        lambda x, y: (x, y, x, 0),
        lambda x, y: (x, y, 1.0),
    ],
)
def test_wrong_arrays_after_right_ones(ex, change):
    launch = moved.on(ex)[100]
    base = np.zeros(200, np.float32)
    for x, y in ((np.ones(100, np.float32), np.zeros(100, np.float32)), (base[:100], base[100:])):
        wrong = change(x, y)
        with pytest.raises(hg.LaunchError) as first:
            moved.on(ex)[LaunchConfig.linear(100)](*wrong)
        for _ in range(3):
            launch(np.ones(100, np.float32), np.zeros(100, np.float32), 2.0, 0)
            launch(x, y, 2.0, 0)
            with pytest.raises(hg.LaunchError) as caught:
                launch(*wrong)
            assert str(caught.value) == str(first.value)


def _frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def test_arrays_of_the_same_kind(ex):
    """The same one twice, parts of one array, ones with gaps, Buffers among them."""
    launch = moved.on(ex)[10]
    whole = np.arange(40, dtype=np.float32)
    gaps, out, here = np.arange(20, dtype=np.float32)[::2], np.zeros(20, np.float32), ex.zeros(10)
    for turn in range(4):
        x, y = np.full(10, turn, np.float32), np.zeros(10, np.float32)
        launch(x, y, 2.0, 0)
        assert y.tolist() == [2 * turn] * 10
        launch(y, y, 2.0, 0)
        assert y.tolist() == [4 * turn] * 10
        whole[:] = np.arange(40)
        launch(whole[:10], whole[10:20], 3.0, 0)
        assert whole.tolist() == [*range(10), *range(0, 30, 3), *range(20, 40)]
        launch(gaps, y, 1.0, 0)
        assert y.tolist() == gaps.tolist()
        launch(gaps, out[::2], 1.0, 0)
        assert out.tolist() == [each * (1 - place % 2) for place, each in enumerate(range(20))]
        launch(x, here, 5.0, 0)
        assert here.tolist() == [5 * turn] * 10
        launch(here, y, 2.0, 0)
        assert y.tolist() == [10 * turn] * 10
    with pytest.raises(hg.ExecutionError):
        _to_the_end(ex, launch, x, y, 7.0, 1)
    assert y.tolist() == [30] * 10  # as it was


def test_names_and_values_that_are_not_given(ex):
    @hg.kernel
    def filled(y: hg.Array[hg.f32], a: hg.f32 = 2.5, by: hg.u32 = 1):
        y[hg.global_id()] = a + hg.f32(by)

    launch, y = filled[3], ex.zeros(3)
    for _ in range(3):
        launch(y)
        assert y.tolist() == [3.5] * 3
        launch(y, by=2)
        assert y.tolist() == [4.5] * 3
        launch(a=0.0, y=y)
        assert y.tolist() == [1] * 3
        launch(y, 1, 2)
        assert y.tolist() == [3] * 3
        for args, named in (((), {}), ((y,), {"b": 1}), ((y, 1.0), {"a": 1.0}), ((y, 1.0, 1, 1), {})):
            with pytest.raises(hg.LaunchError, match="the kernel takes"):
                launch(*args, **named)


_SCALARS = {
    "f16": (0.1, 65504, -0.0, 1e9, float("inf")), "bf16": (0.1, 3, -1e39), "f32": (0.1, 1 << 24, 16777217, 1e300, -0.0),
    "f64": (0.1, 1 << 60, 1e308, float("-inf")), "i8": (-128, 127), "i16": (-32768, 32767), "i32": (-(1 << 31), 5),
    "i64": (-(1 << 63), 1), "u8": (0, 255), "u16": (65535,), "u32": ((1 << 32) - 1,), "u64": ((1 << 64) - 1,),
    "i128": (-(1 << 127), 7),
}  # fmt: skip


@pytest.mark.parametrize("name", _SCALARS)
def test_scalars_are_the_same_in_later_launches(ex, name):
    """As Python's numbers, as NumPy's, and as immediates: bit for bit as in a launch that is not prepared."""
    ty = hg.Type.named(name)
    kernel = hg.kernel_from_source(f"def k(y: hg.Array[hg.{name}], a: hg.{name}):\n    y[hg.global_id()] = a\n")
    y = ex.zeros(2, ty)
    values = list(_SCALARS[name])
    if ty.is_float:
        values += [float("nan"), -float("nan"), 7, np.array(0xFFC00001, np.uint32).view(np.float32).astype(np.float64)]
    if not ty.is_wide and ty is not hg.bf16:
        with np.errstate(over="ignore"):
            values += [np.array(value).astype(ty.numpy)[()] for value in values[:2]]
    values.append(hg.Immediate.of(ty, 3))
    for value in values:
        params = ExecutionParams(LaunchConfig.linear(2), {"y": y.handle, "a": value})
        ex.device.execute_program_with_params(kernel.program, params)
        wanted = bytes(memoryview(y.numpy().view("u1")))
        for _ in range(3):
            y.fill(0)
            kernel[2](y, value)
            assert bytes(memoryview(y.numpy().view("u1"))) == wanted
    for value in (True, "1", None, *((0.5,) if ty.is_integer else ()), *((ty.max_value + 1,) if ty.is_integer else ())):
        with pytest.raises(hg.LaunchError) as caught:
            kernel[2](y, value)
        assert str(caught.value).startswith("a is ")
        assert f"; {ty} is expected, " in str(caught.value)


def test_what_a_kernel_does_not_use_is_checked(ex):
    @hg.kernel
    def first(x: hg.Array[hg.u32], y: hg.Array[hg.u32], a: hg.f32):
        x[hg.global_id()] = 1

    x, y = ex.zeros(4, hg.u32), ex.zeros(4, hg.u32)
    for _ in range(3):
        first[4](x, y, 1.0)
        with pytest.raises(hg.LaunchError, match="a is 'a'; f32 is expected, a number"):
            first[4](x, y, "a")
    y.free()
    with pytest.raises(hg.InvalidBuffer):
        first[4](x, y, 1.0)


@hg.kernel
def raised(x: hg.Array[T], a: T):
    x[hg.global_id()] += a


@hg.kernel
def counted(n: T, x: hg.Array[hg.u8]):
    x[hg.global_id()] = hg.u8(n + 16777216 - 16777216)


def test_type_variables(ex):
    """Of arrays, and of scalars alone, which each launch is asked for."""
    launch, count = raised.on(ex)[4], counted.on(ex)[4]
    for _ in range(3):
        for dtype in (np.float32, np.int32, np.uint8):
            x = np.ones(4, dtype)
            y = ex.array(x)
            launch(x, 2)
            launch(y, 3)
            assert (x.tolist(), y.tolist()) == ([3] * 4, [4] * 4)
        z = ex.zeros(4, hg.u8)
        count(np.float32(3), z)
        assert z.tolist() == [4] * 4
        count(np.int32(3), z)
        assert z.tolist() == [3] * 4
        with pytest.raises(hg.LaunchError, match="nothing says what T of counted is"):
            count(3, z)


@pytest.mark.parametrize("name", ["cpu", "wasm"])
def test_nothing_of_the_caller_is_kept(name):
    """Neither arrays nor, by a launch that is, the device."""
    ex = hg.Executor(name)
    launch, x, y = moved[100], np.ones(100, np.float32), np.zeros(100, np.float32)
    found = [weakref.ref(each) for each in (x, y, ex.device)]
    for _ in range(3):
        moved.on(ex)[100](x, y, 2.0, 0)
        launch(*_buffers(ex), 2.0, 0)
    ex.close()
    del ex, x, y
    gc.collect()
    assert [each() for each in found] == [None] * 3
    with hg.Executor(name) as other:
        x, y = _buffers(other)
        launch(x, y, 3.0, 0)
        assert y.tolist() == (3 * np.arange(100)).tolist()


def test_a_kernel_that_was_dropped_is_loaded_again():
    with hg.Executor("wasm") as ex:
        ex.device._kernels.capacity = 1
        x, y = _buffers(ex)
        z = ex.zeros((8, 8), hg.i32)
        for turn in range(3):
            for factor in (1.0, 2.0, 3.0):
                moved[100](x, y, factor, 0)
                assert y.numpy()[99] == 99 * factor
            places[(8, 8), (8, 8)](z)
            assert len(ex.device._kernels) == 1
            assert z.tolist()[7] == list(range(8))
            u = ex.zeros(64)  # where a kernel's arguments were
            assert u.tolist() == [0] * 64, turn


def test_a_handler_of_signals_launches_nothing_in_a_launch():
    """It would write its arguments over those of the launch that runs."""
    with hg.Executor("wasm") as ex:
        x, y = ex.zeros(1, hg.u32), ex.zeros(1, hg.u32)
        launch = halves[1]
        for _ in range(3):
            launch(x, 4)

        @hg.kernel
        def long(x: hg.Array[hg.u32], n: hg.u32):
            while n > 0:
                n = n - 1
                x[0] = x[0] + n

        told = []

        def handler(*_):
            try:
                launched(y, 1)
            except hg.LaunchError as error:
                told.append(str(error))

        launched = long[1]
        for _ in range(3):
            launched(x, 3)
        before = signal.signal(signal.SIGALRM, handler)
        try:
            x.fill(0)
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            launched(x, 1 << 27)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        assert told == ["a launch of this device is running: a signal's handler cannot launch another one on it"]
        assert x.tolist() == [((1 << 27) * ((1 << 27) - 1) // 2) % (1 << 32)]
        assert y.tolist() == [0]
