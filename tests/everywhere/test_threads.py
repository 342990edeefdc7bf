"""Launches on wasm that threads share: natively, in pages and in Node."""

# mypy: ignore-errors

from __future__ import annotations

import re
import time
from array import array

import pytest

import hologram_web as hg

N = 1 << 16


@hg.kernel
def mix(x: hg.Array[hg.u32], y: hg.Array[hg.u32], total: hg.Array[hg.u32], rounds: hg.i32):
    i = hg.global_id()
    if i < len(x):
        n = x[i]
        for k in range(rounds):
            n = n * 1664525 + hg.u32(k)
        y[i] = n
        hg.atomic_add(total, 0, n & 1)


@hg.kernel
def place(x: hg.Array[hg.u32], y: hg.Array[hg.u32], rounds: hg.i32):
    i = hg.global_id()
    n = hg.u32(0)
    for k in range(rounds):
        n = n * 5 + hg.u32(k)
    y[x[i]] = n


def launch(ex, kernel, *values):
    """Until it is done: pages tell of faults then."""
    kernel[N](*values)
    ex.device.sync()


def results(threads):
    with hg.Executor("wasm", threads=threads) as ex:
        x, y, total = ex.array(array("I", range(N))), ex.zeros(N, hg.u32), ex.zeros(1, hg.u32)
        for _ in range(6):
            mix[N](x, y, total, 300)
        return bytes(y.numpy()), int(total.numpy()[0])


def test_results_are_those_of_one_thread():
    assert results(2) == results(1)


@pytest.mark.parametrize("first", [0, 255, 5000, N - 1])
def test_the_fault_is_that_of_the_first_lane(first):
    with hg.Executor("wasm", threads=2) as ex:
        numbers = array("I", range(N))
        for k in range(first, N):
            numbers[k] += 1 << 20
        x, y = ex.array(numbers), ex.zeros(N, hg.u32)
        with pytest.raises(hg.ExecutionError) as caught:
            launch(ex, place, x, y, 300)
        assert (caught.value.kind, caught.value.lane) == ("OutOfBounds", first)


def test_the_clock_ends_a_launch():
    with hg.Executor("wasm", threads=2, limits=hg.Limits(steps=1 << 40, seconds=0.3)) as ex:
        x, y, total = ex.array(array("I", range(N))), ex.zeros(N, hg.u32), ex.zeros(1, hg.u32)
        start = time.monotonic()
        with pytest.raises(hg.ExecutionError) as caught:
            launch(ex, mix, x, y, total, (1 << 31) - 1)
        assert caught.value.kind == "StepLimit"
        assert time.monotonic() - start < 20
        ex.device.limits = hg.Limits()
        mix[N](x, y, total, 0)
        assert bytes(y.numpy()) == bytes(x.numpy())


def test_threads_can_be_asked():
    with hg.Executor("wasm", threads=1) as ex:
        assert ex.device.threads == (1, "it was asked for")
    with hg.Executor("wasm") as ex:
        number, reason = ex.device.threads
        assert 1 <= number <= 8
        assert reason


@pytest.mark.page
def test_isolated_pages_have_what_is_asked_for():
    import js

    with hg.Executor("wasm", threads=2) as ex:
        isolated = getattr(js, "crossOriginIsolated", True)
        expected = (2, "it was asked for") if isolated else (1, "the page is not isolated: COOP and COEP")
        assert ex.device.threads == expected


@pytest.mark.parametrize("asked", [0, 65, 1.5, True, "2"])
def test_numbers_of_threads(asked):
    with pytest.raises(hg.LaunchError, match=re.escape(f"threads={asked!r} is no number of threads: give 1 to 64")):
        hg.Executor("wasm", threads=asked)
