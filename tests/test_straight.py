"""Runs of a plan after the first ones, whose launches are prepared and made as one: what differs is noticed all the
same, and errors are those of a first run."""

# mypy: ignore-errors

from __future__ import annotations

import gc
import math
import re
import struct
import weakref

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import Limits
from hologram_web.isa.operands import Immediate
from hologram_web.plan.builder import PlanBuilder
from hologram_web.runtime.compiled import CompiledProgram

ROUNDS = 4  # of which the first walks the plan, the second learns, the others go the short way


@hg.kernel
def moved(x: hg.Array[hg.f32], y: hg.Array[hg.f32], a: hg.f32, by: hg.i32):
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + hg.f32(by)


@hg.kernel
def picked(x: hg.Array[hg.f32], k: hg.Array[hg.u32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    y[i] = x[k[i]]


@hg.kernel
def bits_of(x: hg.Array[hg.u32], a: hg.f32):
    x[0] = hg.bitcast(hg.u32, a)


@pytest.fixture(params=["cpu", "wasm", "webgpu"])
def ex(request):
    with hg.Executor(request.param) as found:
        yield found


def _there_and_back(times=1, n="n"):
    """y = a x + by, and x = a y + by, as often as that."""
    plan = PlanBuilder("there and back", shapes={"x": [n], "y": [n]})
    for _ in range(times):
        plan.launch(moved, n, (32, 1, 1), {"by": 3})
        plan.launch(moved, n, (32, 1, 1), {"x": "y", "y": "x", "by": 3})
    return CompiledProgram.from_builder(plan)


def _to_the_end(ex, plan, **given):
    plan.run(ex, **given)
    ex.sync()


def _common(ex, monkeypatch):
    """Counts launches that go the common way."""
    found = []
    common = type(ex.device).execute_program_with_params

    def counted(self, program, params):
        found.append(program)
        return common(self, program, params)

    monkeypatch.setattr(type(ex.device), "execute_program_with_params", counted)
    return found


def test_runs_after_the_first_ones_make_their_launches_as_one(ex, monkeypatch):
    plan, found = _there_and_back(10), _common(ex, monkeypatch)
    x, y = ex.array(np.arange(40, dtype="f4")), ex.zeros(40)
    before, counts = np.arange(40, dtype="f4"), []
    for a in (0.5, 1.0, -1.0, 0.25, 0.75)[: ROUNDS + 1]:
        start = len(found)
        assert plan.run(ex, x=x, y=y, a=a) == {"x": x, "y": y}
        for _ in range(20):
            before = np.float32(a) * before + np.float32(3)
        np.testing.assert_array_equal(x.numpy(), before)
        counts.append(len(found) - start)
    if ex.backend.selected == "cpu":  # it prepares nothing
        assert counts == [20] * 5
    else:
        assert counts[0] >= 20  # and what webgpu looks at before it launches anything
        assert counts[2:] == [0, 0, 0], counts


def test_other_sizes_types_and_buffers_are_seen(ex):
    plan = _there_and_back()
    for n in (5, 5, 5, 64, 5, 1, 64, 64):
        x, y = ex.array(np.full(n, 2, "f4")), ex.zeros(n)
        plan.run(ex, x=x, y=y, a=2.0)
        np.testing.assert_array_equal((x.numpy(), y.numpy()), (np.full(n, 17), np.full(n, 7)))
        found = plan.run(ex, np.full(n, 2, "f4"), np.zeros(n, "f4"), 2.0)  # arrays, which are copied
        np.testing.assert_array_equal((found["x"], found["y"]), (np.full(n, 17), np.full(n, 7)))
    x, y = ex.array(np.full(64, 2, "f4")), ex.zeros(64)
    wrong = ex.zeros(64, hg.i32)
    for message, given in (
        ("y has dtype i32", {"x": x, "y": wrong, "a": 2.0}),
        ("'x' is missing", {"y": y, "a": 2.0}),
        ("a is 'two'", {"x": x, "y": y, "a": "two"}),
        ("is no port", {"x": x, "y": y, "b": 2.0}),
    ):
        with pytest.raises(hg.LaunchError, match=message):
            plan.run(ex, **given)
    with pytest.raises(hg.InvalidBuffer, match="both written"):
        plan.run(ex, x=x, y=x, a=2.0)
    y.free()
    for _ in range(2):
        with pytest.raises(hg.InvalidBuffer):
            plan.run(ex, x=x, y=y, a=2.0)


def test_a_nan_keeps_its_bits(ex):
    plan = PlanBuilder()
    plan.launch(bits_of, 1)
    compiled, x = CompiledProgram.from_builder(plan), ex.zeros(1, hg.u32)
    odd = struct.unpack("<f", (0x7FC0_1234).to_bytes(4, "little"))[0]
    for _ in range(ROUNDS):
        for value in (1.0, math.nan, Immediate(hg.f32, 0x7FC0_1234), odd):
            compiled.run(ex, x, value)
            expected = (
                np.array([value.bits], "u4") if isinstance(value, Immediate) else np.array([value], "f4").view("u4")
            )
            if not isinstance(value, float) or value == value:
                np.testing.assert_array_equal(x.numpy(), expected)
            else:
                assert np.isnan(x.numpy().view("f4")[0])


def test_a_fault_is_told_as_in_a_first_run(ex):
    plan = PlanBuilder()
    plan.launch(moved, 8, (8, 1, 1), {"y": "x", "a": 2.0, "by": 0})
    plan.launch(picked, 8, (8, 1, 1))
    compiled = CompiledProgram.from_builder(plan)
    x, y, k = ex.array(np.ones(8, "f4")), ex.zeros(8), ex.array(np.zeros(8, "u4"))
    texts = set()
    for number in range(ROUNDS):
        compiled.run(ex, x=x, y=y, k=k)
        k.from_numpy(np.array([0, 1, 99, 0, 0, 0, 0, 0], "u4"))
        with pytest.raises(hg.ExecutionError, match="OutOfBounds") as told:
            _to_the_end(ex, compiled, x=x, y=y, k=k)
        texts.add(re.sub(r"launch \d+", "launch", "\n".join([str(told.value), *told.value.__notes__])))
        assert "y[i] = x[k[i]]" in told.value.__notes__[0]
        k.from_numpy(np.zeros(8, "u4"))
        np.testing.assert_array_equal(x.numpy(), np.full(8, 4.0 ** (number + 1)))  # launches before it have run
    assert len(texts) == 1, texts


def test_what_the_device_is_told_between_runs_holds(ex):
    plan = _there_and_back()
    x, y = ex.array(np.zeros(8, "f4")), ex.zeros(8)
    for _ in range(ROUNDS):
        plan.run(ex, x=x, y=y, a=1.0)
    limits, ex.device.limits = ex.device.limits, Limits(seconds=0)
    for _ in range(2):
        with pytest.raises(hg.ExecutionError, match="StepLimit"):
            plan.run(ex, x=x, y=y, a=1.0)
    ex.device.limits = limits
    plan.run(ex, x=x, y=y, a=1.0)
    np.testing.assert_array_equal(x.numpy(), np.full(8, 6.0 * (ROUNDS + 1)))
    with ex.record() as recording:
        plan.run(ex, x=x, y=y, a=1.0)
    np.testing.assert_array_equal(x.numpy(), np.full(8, 6.0 * (ROUNDS + 1)))
    recording.replay()
    np.testing.assert_array_equal(x.numpy(), np.full(8, 6.0 * (ROUNDS + 2)))


def test_a_plan_holds_no_device():
    plan = _there_and_back()
    with hg.Executor("wasm") as ex:
        x, y = ex.zeros(8), ex.zeros(8)
        for _ in range(ROUNDS):
            plan.run(ex, x=x, y=y, a=1.0)
        device = weakref.ref(ex.device)
    del ex, x, y
    plan._checked = None  # of the last run on Buffers it keeps types and shapes alone
    gc.collect()
    assert device() is None


def test_plans_of_many_launches_and_of_changing_ones_are_walked(ex, monkeypatch):
    plan = PlanBuilder("many", shapes={"x": ["n"]})
    with plan.repeat("times"):
        plan.launch(moved, "n", (8, 1, 1), {"y": "x", "a": 1.0, "by": 1})
    plan.scalar("times", hg.u32)
    compiled, found = CompiledProgram.from_builder(plan), _common(ex, monkeypatch)
    for times in (1, 1, 1, 3, 3, 3, 300, 300, 2):
        x = ex.zeros(4)
        start = len(found)
        compiled.run(ex, x=x, times=times)
        np.testing.assert_array_equal(x.numpy(), np.full(4, times, "f4"))
        assert times < 300 or len(found) - start == times
