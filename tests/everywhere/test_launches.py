"""Launches on Buffers after the first ones, which go a shorter way; on wasm in a page they are done within the call."""

# mypy: ignore-errors

from __future__ import annotations

import sys
from array import array

import pytest

import hologram_web as hg


@hg.kernel
def moved(a: hg.f32, x: hg.Array[hg.f32], by: hg.i32, y: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i + by]


@hg.kernel
def counted(x: hg.Array[hg.u32], n: hg.u32):
    while n > 0:
        n -= 1
        x[0] += n


@hg.kernel
def scalars(x: hg.Array[hg.f64], b: hg.i8, c: hg.u64, d: hg.f64, e: hg.f16, f: hg.i64):
    x[0], x[1], x[2], x[3], x[4] = hg.f64(b), hg.f64(c), d, hg.f64(e), hg.f64(f)


def _numbers(ex: hg.Executor, n: int = 10) -> tuple[hg.Buffer, hg.Buffer]:
    return ex.array(array("f", range(n))), ex.zeros(n)


def test_launches_see_what_was_written_before(ex: hg.Executor) -> None:
    """Buffers that are made, written, freed and read between launches; ones of other sizes; one for both."""
    launch = moved[10]
    x, y = _numbers(ex)
    for turn in range(30):
        launch(float(turn), x, 0, y)
        if turn % 3 == 0:
            assert y.numpy().tolist() == [turn * k for k in range(10)]
        if turn % 5 == 0:
            x.fill(turn)
            launch(2, x, 0, y)
            launch(0.5, y, 0, x)
            launch(3.0, x, 0, x)
            assert x.numpy().tolist() == [3 * turn] * 10
            x.from_numpy(array("f", range(10)))
        if turn % 7 == 0:
            y.free()
            y = ex.zeros(5 + turn // 7)
            u, v = _numbers(ex)
            launch(1.0, u, 0, v)
            launch(2.0, v, 0, u)
            launch(2.0, u, 0, y)
            assert y.numpy().tolist() == [4 * k for k in range(5 + turn // 7)]
            u.free()
            y.free()
            y = ex.zeros(10)
        if turn % 4 == 0:
            launch(1e300, x, 0, y)
            assert y.numpy().tolist()[1:] == [float("inf")] * 9
            launch(float("nan"), x, 0, y)
            assert all(number != number for number in y.numpy().tolist())
    stats = ex.stats()
    assert stats["launches"] >= 30
    assert stats["live_bytes"] > 0


def test_faults_are_told_by_the_next_wait(ex: hg.Executor) -> None:
    launch = moved[10]
    x, y = _numbers(ex)
    for _ in range(3):
        for _ in range(3):
            launch(1.0, x, 0, y)
            ex.sync()
        with pytest.raises(hg.ExecutionError) as caught:
            _to_the_end(ex, launch, 1.0, x, 1, y)
        assert caught.value.kind == "OutOfBounds"
        assert caught.value.lane == 9
        assert caught.value.__notes__[0].endswith("y[i] = a * x[i + by]")
        launch(2.0, x, 0, y)
        ex.sync()
        assert y.numpy().tolist() == [2 * k for k in range(10)]


def test_limits_and_wrong_arguments_after_right_ones(ex: hg.Executor) -> None:
    x = ex.zeros(1, hg.u32)
    before = ex.device.limits
    for _ in range(3):
        for _ in range(3):
            x.fill(0)
            ex.sync()
            counted[1](x, 1000)
            assert x.numpy().tolist() == [499500]
        ex.device.limits = hg.Limits(steps=10)
        with pytest.raises(hg.ExecutionError) as caught:
            _to_the_end(ex, counted[1], x, 1000)
        assert caught.value.kind == "StepLimit"
        ex.device.limits = before
        for wrong, text in (
            (-1, "n is -1; u32 is expected, 0 to 4294967295"),
            (1 << 32, "n is 4294967296; u32 is expected, 0 to 4294967295"),
            (1.0, "n is 1.0; u32 is expected, an integer"),
            (True, "n is True; u32 is expected, a number"),
        ):
            with pytest.raises(hg.LaunchError) as caught:
                counted[1](x, wrong)
            assert str(caught.value) == text
    freed = ex.zeros(1, hg.u32)
    for _ in range(3):
        counted[1](freed, 1)
        ex.sync()
    freed.free()
    with pytest.raises(hg.InvalidBuffer):
        counted[1](freed, 1)


def test_scalars_of_many_types() -> None:
    with hg.Executor("wasm") as ex:
        x = ex.zeros(5, hg.f64)
        for b, c, d, e, f in (
            (-128, 1 << 63, 0.1, 0.1, -1),
            (127, (1 << 64) - 1, -0.0, 65504, -(1 << 63)),
            (0, 1 << 53, float("inf"), -2, (1 << 63) - 1),
            (5, 3, 1e308, 1e-8, 1 << 60),
        ):
            for _ in range(4):
                x.fill(0)
                ex.sync()
                scalars[1](x, b, c, d, e, f)
                wanted = [float(b), float(c), d, hg.f16.decode(hg.f16.encode(e)), float(f)]
                assert x.numpy().tolist() == wanted


@pytest.mark.page
def test_launches_within_the_call_cross_once() -> None:
    with hg.Executor("wasm") as ex:
        launch = moved[10]
        x, y = _numbers(ex)
        for _ in range(3):
            launch(1.0, x, 0, y)
            ex.sync()
        before = ex.device.stats.crossings
        for turn in range(50):
            launch(float(turn), x, 0, y)
        assert ex.device.stats.crossings == before + 50
        ex.sync()  # nothing is left to be sent
        assert ex.device.stats.crossings == before + 50
        x.from_numpy(array("f", [1] * 10))
        launch(2.0, x, 0, y)
        assert ex.device.stats.crossings == before + 52
        assert y.numpy().tolist() == [2] * 10


@pytest.mark.page
def test_interrupts_end_a_launch_within_the_call() -> None:
    import page_of_tests
    import pyodide_js

    with hg.Executor("wasm") as ex:
        x = ex.zeros(1, hg.u32)
        launch = counted[1]
        for _ in range(3):
            launch(x, 10)
            ex.sync()
        pyodide_js.setInterruptBuffer(page_of_tests.interruptsAfter(100))
        try:
            with pytest.raises(KeyboardInterrupt):
                launch(x, (1 << 32) - 1)
        finally:
            pyodide_js.setInterruptBuffer(None)
        x.fill(0)
        launch(x, 10)
        assert x.numpy().tolist() == [45]


def test_a_timeline_has_each_launch_and_the_time_on_the_gpu(ex: hg.Executor) -> None:
    """Natively and in pages; a million elements take longer than the steps that the clocks of pages go in."""
    n = 1 << 20
    x, y = ex.full(n, 3.0), ex.zeros(n)
    moved[n](2.0, x, 0, y)
    ex.sync()  # the code is there
    with ex.trace() as timeline:
        moved[n](2.0, x, 0, y)
        moved[n](3.0, x, 0, y)
    assert y.tolist()[-1] == 9.0
    assert [(span.name, span.kind, span.lanes, span.nbytes) for span in timeline.spans] == [
        ("moved", "launch", n, 8 * n)
    ] * 2
    for span in timeline.spans:
        assert span.seconds > 0
        if _has_clock(ex):
            assert 0 < span.gpu_seconds < span.seconds + 2e-4
        else:
            assert span.gpu_seconds is None
    told = "no GPU ms: the adapter has no timestamp-query" in str(timeline)
    assert told is (ex.backend.selected == "webgpu" and not _has_clock(ex))
    facts = [event["args"] for event in timeline.to_chrome()["traceEvents"] if event["ph"] == "X"]
    assert [facts["lanes"] for facts in facts] == [n, n]
    assert all(("gpu_ms" in each) is _has_clock(ex) for each in facts)


def _has_clock(ex: hg.Executor) -> bool:
    """Whether the device's adapter says that it has one."""
    if ex.backend.selected != "webgpu":
        return False
    if sys.platform != "emscripten":
        return "timestamp-query" in ex.device.native.features
    return bool(ex.device.native.runtime.gpuDevice.features.has("timestamp-query"))


def _to_the_end(ex: hg.Executor, launch: object, *args: object) -> None:
    launch(*args)  # type: ignore[operator]
    ex.sync()


@pytest.mark.page
@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_code_for_one_math_is_not_taken_for_another(name: str) -> None:
    """On wasm it was: of launches with math="fast", whose products fuse, and exact ones the first one's."""
    triple = hg.kernel_from_source("def triple(x: hg.Array[hg.f32]):\n    x[hg.global_id()] *= 3.0\n").program
    ex = hg.Executor(name)
    x = ex.array([1.0, 2.0], hg.f32)
    for math in ("exact", "fast", "exact"):
        ex.device.execute_program_with_params(
            triple, hg.ExecutionParams(hg.LaunchConfig.linear(2), {"x": x.handle}, math)
        )
    assert ex.device.stats.kernels == 2
    assert x.numpy().tolist() == [27.0, 54.0]
