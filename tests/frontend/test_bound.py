"""Launches after the first one of a kernel and of a program, of which most is known: what differs is noticed all the
same, and errors are those of a first launch."""

# mypy: ignore-errors

from __future__ import annotations

import threading

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import BackendUnavailable, ExecutionParams, LaunchConfig, Limits, Program
from hologram_web.backends import DEVICES


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
        (lambda x, y, ints: (x, ints, 1.0, 0), "parameter 'y' is Array[f32]: its dtype is f32, not u32"),
        (lambda x, y, ints: (x, y, "a", 0), "parameter 'a' is f32: give a number, not 'a'"),
        (lambda x, y, ints: (x, y, True, 0), "parameter 'a' is f32: give a number, not True"),
        (
            lambda x, y, ints: (x, y, 1.0, 1 << 31),
            "parameter 'by' is i32: 2147483648 does not fit -2147483648 to 2147483647",
        ),
        (lambda x, y, ints: (x, y, 1.0, 1.0), "parameter 'by' is i32: give an integer, not the float 1.0"),
        (lambda x, y, ints: (x, y, y, 0), None),
        (
            lambda x, y, ints: (x, y, 1.0),
            "parameter 'by' is missing: the kernel takes (x: Array[f32], y: Array[f32], a: f32, by: i32)",
        ),
        (
            lambda x, y, ints: (x, y, 1.0, 0, 0),
            "5 arguments for 4 parameters: the kernel takes (x: Array[f32], y: Array[f32], a: f32, by: i32)",
        ),
        (
            lambda x, y, ints: (x, 1.0, 1.0, 0),
            "parameter 'y' is Array[f32]: give a NumPy array or a Buffer, not float",
        ),
    ],
)
def test_wrong_arguments_after_right_ones(ex, change, message):
    launch = moved[100]
    (x, y), ints = _buffers(ex), ex.zeros(100, hg.u32)
    wrong = change(x, y, ints)
    with pytest.raises(hg.LaunchError) as first:
        moved[100](*wrong)
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
            places[(3, 2), block](y)
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
