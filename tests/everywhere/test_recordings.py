"""Launches that are recorded and replayed: natively in one submit, in a page with one crossing."""

# mypy: ignore-errors

from __future__ import annotations

from array import array

import pytest

import hologram_web as hg


@hg.kernel
def added(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + y[i]


@hg.kernel
def picked(x: hg.Array[hg.f32], k: hg.Array[hg.u32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    y[i] = x[k[i]]


@hg.kernel
def summed(x: hg.Array[hg.f32], y: hg.Array[hg.f32], n: hg.u32):
    hg.parallel_reduce(x, y, "sum", n)


def test_replays_between_launches(ex: hg.Executor) -> None:
    x, y, z = ex.full(100, 1.0), ex.zeros(100), ex.zeros(1)
    with ex.record() as recording:
        for _ in range(10):
            added[100](2.0, x, y)
        summed[1](y, z, 100)
    assert (len(recording), y.numpy().tolist()) == (11, [0.0] * 100)
    for turn in range(1, 6):
        recording.replay()
        added[100](1.0, x, y)
        assert y.numpy().tolist() == [21.0 * turn] * 100
        assert z.numpy().tolist() == [100 * (21.0 * turn - 1)]
    x.fill(3)
    recording.replay()
    recording.replay()
    assert y.numpy()[0] == 105 + 120
    y.free()
    with pytest.raises(hg.InvalidBuffer, match="was freed"):
        recording.replay()
    recording.free()
    with pytest.raises(hg.LaunchError, match="it was freed"):
        recording.replay()


def test_memory_that_is_made_inside(ex: hg.Executor) -> None:
    x, y = ex.full(100, 1.0), ex.zeros(100)
    with ex.record() as recording:
        with ex.zeros(100) as inside:
            added[100](1.0, x, inside)
            added[100](1.0, inside, y)
        x.fill(5)
    recording.replay()
    recording.replay()
    assert (x.numpy()[0], y.numpy()[0]) == (5, 6)


def test_faults_tell_which_launch(ex: hg.Executor) -> None:
    x, y, k = ex.zeros(100), ex.zeros(4), ex.array(array("I", [0, 1, 100, 0]))
    with ex.record() as recording:
        added[100](1.0, x, x)
        picked[4](x, k, y)
        added[4](1.0, x, y)

    def replayed() -> None:
        recording.replay()
        ex.sync()

    for _ in range(2):
        with pytest.raises(hg.ExecutionError, match=r"index 100.*\(launch 2 of a recording, picked\)") as caught:
            replayed()
        assert "y[i] = x[k[i]]" in "".join(caught.value.__notes__)
    k.fill(0)
    replayed()


def test_what_cannot_be_recorded(ex: hg.Executor) -> None:
    x, y = ex.zeros(100), ex.zeros(100)
    for text, work in {
        "nothing can be read": y.numpy,
        "takes Buffers": lambda: added.on(ex)[3](1.0, array("f", [1, 2, 3]), array("f", [1, 2, 3])),
    }.items():
        with pytest.raises(hg.LaunchError, match=text), ex.record():  # noqa: PT012
            added[100](1.0, x, y)
            work()
    assert y.numpy()[0] == 0
