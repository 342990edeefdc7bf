"""How waiting for a GPU ends: Ctrl-C, cancel, the clock, rounds of loops; and whom a fault is told, in threads and
tasks and after a fork."""

from __future__ import annotations

import _thread
import asyncio
import multiprocessing
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import ExecutionParams, LaunchConfig, Limits, Program
from hologram_web.backends import WebGpuBackend
from hologram_web.backends.webgpu.gpu import FORKED
from hologram_web.backends.webgpu.work import FEW_LANES

from .clock import Heart, again_and_again
from .test_webgpu import buffer, read, run

SLOW = """
def slow(y: hg.Array[hg.u32], n: hg.i32):
    i = hg.global_id()
    s = hg.u32(i)
    for j in range(n):
        s = s // hg.u32(3) * hg.u32(1664525) + hg.u32(1013904223)
    y[i & 1023] = s
"""
ADD = "def add(x: hg.Array[hg.i32]):\n    x[hg.global_id()] += 1\n"
BAD = "def bad(x: hg.Array[hg.i32]):\n    x[hg.global_id() + 100] += 1\n"
MANY = 1 << 26  # lanes: an hour on llvmpipe, if each goes around 60,000 times
COUNTED = """
.param n: u32
.param y: buffer u32 read_write
    mov_imm.u32 r10, 0
    mov_imm.u32 r11, 1
    mov r12, r1
again:
    add.u32 r10, r10, r11
    loop r12, again
    stg.u32 [y], r10
"""
BARRIERS = COUNTED.replace("    loop", "    bar_sync 0\n    loop")
UNCOUNTED = """
.param n: u32
.param y: buffer u32 read_write
    mov_imm.u32 r10, 0
    ldg.u32 r11, [y]
again:
    add.u32 r10, r10, r11
    set.ne.u32 p0, r10, r1
    bra again, p0
    stg.u32 [y], r10
"""
LATE = "does a loop not end? Limits(seconds=...) allows more time"


def kernel(text: str, device: Any) -> Any:
    return hg.kernel_from_source(text).on(device)


def works(device: Any) -> None:
    x = np.arange(5, dtype=np.int32)
    kernel(ADD, device)[5](x)
    assert x.tolist() == [1, 2, 3, 4, 5]


# Waiting


def test_ctrl_c_ends_the_waiting() -> None:
    device = WebGpuBackend()
    slow, y = kernel(SLOW, device), np.zeros(1024, np.uint32)
    slow[4](y, 5)
    kept = buffer(device, np.arange(7))
    for _ in range(2):
        heart = Heart()

        def interrupt(heart: Heart = heart) -> None:
            heart.start()
            _thread.interrupt_main()

        timer = threading.Timer(0.3, interrupt)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            slow[MANY](y, 60_000)
        assert heart.seconds < 2  # a look takes a twentieth of a second
        timer.join()
    works(device)
    assert read(device, kept, np.int64).tolist() == list(range(7))


def test_cancel_ends_the_waiting() -> None:
    device = WebGpuBackend()
    slow, y = kernel(SLOW, device), np.zeros(1024, np.uint32)
    slow[4](y, 5)
    with again_and_again(device.cancel) as heart, pytest.raises(hg.ExecutionError) as caught:
        slow[MANY](y, 60_000)
    assert heart.seconds < 2
    assert str(caught.value) == "Cancelled: the launch was cancelled (launch 2 of this backend, slow)"
    works(device)


def test_the_clock_ends_the_waiting() -> None:
    device = WebGpuBackend(limits=Limits(steps=1 << 26, seconds=0.5))
    slow, y = kernel(SLOW, device), np.zeros(1024, np.uint32)
    slow[4](y, 5)
    with pytest.raises(hg.ExecutionError) as caught:
        slow[MANY](y, 60_000)
    assert caught.value.kind is hg.FaultKind.STEP_LIMIT
    assert str(caught.value) == (
        f"StepLimit: the launch did not end within 0.5 seconds: {LATE} (launch 2 of this backend, slow)"
    )
    device.limits = Limits(steps=1 << 26)
    works(device)


def test_a_task_that_is_cancelled_leaves_nobody_waiting() -> None:
    device = WebGpuBackend()
    slow, y = kernel(SLOW, device), np.zeros(1024, np.uint32)

    async def scene() -> None:
        handle = buffer(device, y)
        params = ExecutionParams(LaunchConfig.linear(MANY), {"y": handle, "n": 60_000})
        task = asyncio.create_task(device.execute_async(slow.program, params))
        await asyncio.sleep(0.5)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with Heart() as heart:
        asyncio.run(scene())  # which waits for its threads
    assert heart.seconds < 30
    works(device)


def test_what_others_launched_is_cancelled_with_it() -> None:
    device = WebGpuBackend()
    slow, y, x = kernel(SLOW, device), np.zeros(1024, np.uint32), buffer(device, np.zeros(4, np.int32))
    add = hg.kernel_from_source(ADD).program
    ready, go, told = threading.Event(), threading.Event(), []

    def other() -> None:
        device.execute_program_with_params(add, ExecutionParams(LaunchConfig.linear(4), {"x": x}))
        ready.set()
        go.wait()
        try:
            device.sync()
        except hg.ExecutionError as error:
            told.append(error.kind)

    thread = threading.Thread(target=other)
    thread.start()
    ready.wait()
    with again_and_again(device.cancel), pytest.raises(hg.ExecutionError, match="Cancelled"):
        slow[MANY](y, 60_000)
    go.set()
    thread.join()
    assert told == [hg.FaultKind.CANCELLED]
    works(device)


# Parts


def test_long_launches_run_in_parts() -> None:
    """Of a kernel whose rounds nobody knows: all lanes run, once."""
    device = WebGpuBackend()
    text = """
def collatz(x: hg.Array[hg.u32], y: hg.Array[hg.i32]):
    i = hg.global_id()
    n, rounds = x[i], 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        rounds += 1
    y[i] += rounds
"""
    x = np.random.default_rng(3).integers(1, 1000, 5 * FEW_LANES + 77, np.uint32)
    y, wanted = np.ones(x.size, np.int32), np.ones(x.size, np.int32)
    left = x.copy()
    while (left > 1).any():
        wanted += left > 1
        left = np.where(left <= 1, left, np.where(left % 2 == 0, left // 2, 3 * left + 1))
    before = device._recorder.submits
    kernel(text, device)[x.size](x, y)
    assert device._recorder.submits - before > 2
    assert (y == wanted).all()
    with pytest.raises(hg.ExecutionError) as caught:
        kernel(text, device)[x.size](x, y[:-1].copy())
    lane = x.size - 1
    assert (caught.value.kind, caught.value.lane) == ("OutOfBounds", lane)


def test_wide_integers_in_parts() -> None:
    """Their scratch memory is divided, too."""
    device = WebGpuBackend()
    text = """
.param n: u32
.param x: buffer u256 read_write
    ldg.u256 r10, [x + r255*32]
    mov r12, r1
    ldg.u32 r13, [x]
again:
    mul.u256 r10, r10, r10
    add.u32 r12, r12, r13
    set.ne.u32 p0, r12, r13
    bra again, p0
    stg.u256 [x + r255*32], r10
"""
    count = 2 * FEW_LANES + 5
    x = np.zeros((count, 8), np.uint32)
    x[:, 0] = 1
    x[1:, 1] = np.arange(1, count)
    handle = buffer(device, x)
    run(device, Program.from_text(text), count, n=0xFFFFFFFF, x=handle)
    found = read(device, handle, np.uint32).reshape(count, 8)
    for row in (0, 1, FEW_LANES - 1, FEW_LANES, FEW_LANES + 1, count - 1):
        value = (1 + (int(x[row, 1]) << 32)) ** 4 % (1 << 256)
        assert int.from_bytes(found[row].tobytes(), "little") == value, row


# Rounds


@pytest.mark.parametrize(
    ("text", "at"),
    [(COUNTED, "instruction 4"), (BARRIERS, None), (UNCOUNTED, "instruction 4")],
    ids=["counted", "barriers", "uncounted"],
)
def test_rounds_end_with_the_time_of_the_launch(text: str, at: str | None, monkeypatch: Any) -> None:
    """As if the adapter went around 40 times a second."""
    device = WebGpuBackend(limits=Limits(steps=1 << 26, seconds=50), check="sync")
    assert device._patience() > 1000
    generation = device._gpu.generation
    monkeypatch.setitem(WebGpuBackend._speeds, generation, 40.0)
    monkeypatch.setattr("hologram_web.backends.webgpu.webgpu_backend.LIGHT", 1)
    y = buffer(device, np.ones(1, np.uint32))
    run(device, Program.from_text(text), 1, n=900, y=y)
    with pytest.raises(hg.ExecutionError) as caught:
        run(device, Program.from_text(text), 1, n=1100, y=y)
    assert caught.value.kind is hg.FaultKind.STEP_LIMIT
    assert f"the launch did not end within 50 seconds: {LATE}" in str(caught.value)
    assert at is None or at in str(caught.value)
    device.limits = Limits(steps=1 << 26, seconds=None)
    device.copy_to_buffer(y, np.ones(1, np.uint32))
    run(device, Program.from_text(text), 1, n=1100, y=y)


def test_nested_counted_loops_end() -> None:
    """2,000,000,000 times as many rounds, in eight lanes."""
    device = WebGpuBackend(limits=Limits(steps=1 << 26, seconds=3))
    text = """
def nested(x: hg.Array[hg.i32]):
    i = hg.global_id()
    for a in range(2000000000):
        for b in range(2000000000):
            x[i] ^= a + b
"""
    with pytest.raises(hg.ExecutionError) as caught:
        kernel(text, device)[8, 4](np.zeros(8, np.int32))
    assert caught.value.kind is hg.FaultKind.STEP_LIMIT
    device.limits = Limits(steps=1 << 26)
    works(device)


# Threads and tasks


def test_faults_go_to_the_thread_that_launched() -> None:
    device = WebGpuBackend()
    add, bad = kernel(ADD, device), kernel(BAD, device)
    problems: list[str] = []

    def good() -> None:
        for _ in range(60):
            x = np.zeros(8, np.int32)
            try:
                add[8](x)
            except hg.ExecutionError as error:
                problems.append(f"it was told {error}")
            if not (x == 1).all():
                problems.append("lost")

    def faulty() -> None:
        for _ in range(60):
            try:
                bad[8](np.zeros(8, np.int32))
                problems.append("silent")
            except hg.ExecutionError as error:
                if "bad)" not in str(error):
                    problems.append(str(error))

    threads = [threading.Thread(target=work) for work in (good, faulty, good, faulty)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_faults_of_threads_that_ended_are_told_to_who_asks() -> None:
    device = WebGpuBackend()
    x, program = buffer(device, np.zeros(4, np.int32)), hg.kernel_from_source(BAD).program
    launch = lambda: device.execute_program_with_params(program, ExecutionParams(LaunchConfig.linear(4), {"x": x}))  # noqa: E731
    thread = threading.Thread(target=launch)
    thread.start()
    thread.join()
    with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
        device.sync()
    device.sync()


def test_closing_tells_the_faults_of_all() -> None:
    device = WebGpuBackend()
    x, program = buffer(device, np.zeros(4, np.int32)), hg.kernel_from_source(BAD).program
    launched, end = threading.Event(), threading.Event()

    def other() -> None:
        device.execute_program_with_params(program, ExecutionParams(LaunchConfig.linear(4), {"x": x}))
        launched.set()
        end.wait()

    thread = threading.Thread(target=other)
    thread.start()
    launched.wait()
    device.sync()  # the other thread is there to be told
    with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
        device.close()
    end.set()
    thread.join()


def test_faults_go_to_the_task_that_launched() -> None:
    device = WebGpuBackend()
    add, bad = kernel(ADD, device), kernel(BAD, device)

    async def scene() -> list[Any]:
        arrays = [np.zeros(8, np.int32) for _ in range(20)]
        launches = [(bad if number % 2 else add).launch_async(8, x) for number, x in enumerate(arrays)]
        return await asyncio.gather(*launches, return_exceptions=True)

    found = asyncio.run(scene())
    assert [type(one) for one in found] == [type(None), hg.ExecutionError] * 10
    assert all("bad)" in str(one) for one in found[1::2])


# After a fork


def _calls(device: Any, handle: Any, add: Any) -> dict[str, Callable[[], Any]]:
    return {
        "launch": lambda: add[4](np.zeros(4, np.int32)),
        "allocate": lambda: device.allocate_buffer(4),
        "free": lambda: device.free_buffer(handle),
        "read": lambda: device.copy_from_buffer(handle),
        "write": lambda: device.copy_to_buffer(handle, bytes(4)),
        "pool": lambda: device.allocate_pool(4),
        "sync": device.sync,
        "close": device.close,
        "classes": lambda: device.class_memory(3),
        "async": lambda: asyncio.run(device.read_async(handle)),
        "another": WebGpuBackend,
    }


def _child(told: Any, device: Any, handle: Any, add: Any) -> None:
    for name, call in _calls(device, handle, add).items():
        try:
            call()
            told.put((name, "nothing"))
        except BaseException as error:
            told.put((name, f"{type(error).__name__}: {error}"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forks with threads, from Python 3.12 on
def test_after_a_fork_every_call_is_an_error_at_once() -> None:
    device = WebGpuBackend()
    handle, add = buffer(device, np.zeros(4, np.int32)), kernel(ADD, device)
    works(device)
    context = multiprocessing.get_context("fork")
    told = context.Queue()
    with device._lock:  # as if another thread were at work
        process = context.Process(target=_child, args=(told, device, handle, add))
        process.start()
        found = dict(told.get(timeout=60) for _ in _calls(device, handle, add))
        process.join(60)
    assert process.exitcode == 0
    wanted = f"BackendUnavailable: backend 'webgpu' is not available: {FORKED}"
    assert found == dict.fromkeys(found, wanted)
    works(device)
