"""Whoever waits for a launch gets control back, and every launch ends: signals, `cancel`, the clock, threads, forks."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import ExecutionParams, LaunchConfig, Limits, Program

from .clock import Heart, again_and_again
from .interrupting import LOOPS, NESTED, SHORT, plan_of_many

DEVICES = ("cpu", "wasm")
SOON = 5.0  # seconds: half a one is promised, on a machine that is not busy
CLOCK = "does a loop not end? Limits(seconds=...) allows more time"
SUMS = """
.param x: buffer u8 read
.param y: buffer u32 read_write
.param n: u64
    mov_imm.u32 r10, 4294967295
again:
    reduce_add.u8 r11, [x], r3
    cvt.u32.u8 r12, r11
    stg.u32 [y], r12
    loop r10, again
"""


@pytest.fixture(params=DEVICES)
def device(request):
    with hg.backends.DEVICES[request.param]() as found:
        yield found


def launch(device, text, lanes=12, block=4, **values):
    found = {name: device.allocate_buffer(64) for name in ("x", "y") if f"param {name}: buffer" in text}
    params = ExecutionParams(LaunchConfig.linear(lanes, block), {**found, **values})
    device.execute_program_with_params(Program.from_text(text), params)


def ended(device, work):
    """What a launch is ended with, and after how many seconds; the next one works."""
    with Heart() as heart, pytest.raises(hg.ExecutionError) as caught:
        work()
    launch(device, SHORT)
    return caught.value, heart.seconds


def in_process(*code, timeout=120):
    """What a process of its own prints."""
    done = subprocess.run([sys.executable, *code], capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", DEVICES)
def test_a_signal_ends_the_waiting(name):
    found = json.loads(in_process("-m", "tests.interrupting", name))
    raised = {scene: error for scene, (error, *_) in found.items()}
    expected = dict.fromkeys((*LOOPS, "plan", "lock", "async"), "KeyboardInterrupt")
    assert raised == {**expected, "handler": "ValueError", "launches": "LaunchError"}
    assert {scene: took for scene, (_, took, *_) in found.items() if took > SOON} == {}
    assert found["handler"][2] == "from a handler"
    assert found["launches"][2] == (
        "a launch of this device is running: a signal's handler cannot launch another one on it"
    )


def test_every_launch_has_a_deadline(device):
    assert device.limits == Limits(1 << 32, 60)
    assert Limits(seconds=None).seconds is None


@pytest.mark.parametrize("name", LOOPS)
def test_loops_end_by_the_clock(device, name):
    device.limits = Limits(seconds=0.3)
    error, took = ended(device, lambda: launch(device, LOOPS[name]))
    assert error.kind == "StepLimit"
    assert error.detail.startswith(f"the launch did not end within 0.3 seconds: {CLOCK}")
    assert took < SOON


@pytest.mark.parametrize("name", LOOPS)
def test_loops_can_be_cancelled(device, name):
    with again_and_again(device.cancel) as heart, pytest.raises(hg.ExecutionError) as caught:
        launch(device, LOOPS[name])
    assert caught.value.kind == "Cancelled"
    assert heart.seconds < SOON
    launch(device, SHORT)


def test_rounds_that_take_long_are_no_hiding_place(device):
    """A reduction in a loop: few rounds, of any length."""
    device.limits = Limits(seconds=0.3)
    x, y = device.allocate_buffer(1 << 22), device.allocate_buffer(4)
    params = ExecutionParams(LaunchConfig(), {"x": x, "y": y, "n": 1 << 22})
    program = Program.from_text(SUMS)
    error, took = ended(device, lambda: device.execute_program_with_params(program, params))
    assert error.kind == "StepLimit"
    assert took < SOON


@pytest.mark.parametrize("ty", ["u8", "u256"])
def test_a_reduction_of_much_memory_is_one_too(ty):
    """Of 400 MB nothing looked at the clock for longer than half a second; here 256 MB take 64 looks and more.

    They took less than 0.05 s once, on a quiet machine with two threads: no processor reads them in 0.001 s.
    """
    size = 1 << 28
    with hg.backends.WasmBackend() as device:
        x, y = device.allocate_buffer(size), device.allocate_buffer(64)
        text = f".param x: buffer {ty} read\n.param y: buffer {ty} write\n.param n: u64\n"
        text += f"    reduce_add.{ty} r10, [x], r3\n    stg.{ty} [y], r10\n"
        params = ExecutionParams(LaunchConfig(), {"x": x, "y": y, "n": size // hg.Type.named(ty).size_bytes})
        program = Program.from_text(text)
        device.execute_program_with_params(program, params)  # so that it is compiled
        device.limits = Limits(seconds=0.001)
        error, took = ended(device, lambda: device.execute_program_with_params(program, params))
    assert error.kind == "StepLimit"
    assert took < SOON


def test_many_lanes_that_take_long_each(device):
    """No loop of a lane is long, and no block is: it is all of them together."""
    device.limits = Limits(seconds=0.3)
    text = NESTED.replace("read_write\n", "read_write\n.param n: u32\n").replace(
        "mov_imm.u32 r12, 60000", "mov r12, r2"
    )
    text = text.replace("60000", "1")
    error, took = ended(device, lambda: launch(device, text, 1 << 28, 256, n=5000))
    assert error.kind == "StepLimit"
    assert took < SOON


def test_a_plan_is_one_launch(device):
    many = plan_of_many()
    device.limits = Limits(seconds=0.3)
    error, took = ended(device, lambda: many.run(device, x=np.zeros(4, np.uint32)))
    assert error.detail.startswith(f"the launch did not end within 0.3 seconds: {CLOCK}")
    assert took < SOON
    device.limits = Limits()
    with again_and_again(device.cancel) as heart, pytest.raises(hg.ExecutionError) as caught:
        many.run(device, x=np.zeros(4, np.uint32))
    assert (caught.value.kind, heart.seconds < SOON) == ("Cancelled", True)
    launch(device, SHORT)


def test_nobody_waits_for_a_task_that_was_cancelled(device):
    """The launch in its thread ends, too, and only that one."""

    async def scene():
        x = device.allocate_buffer(64)
        params = ExecutionParams(LaunchConfig(), {"x": x})
        long = asyncio.create_task(device.execute_async(Program.from_text(NESTED), params))
        while not device._running:
            await asyncio.sleep(0.01)
        short = asyncio.create_task(device.execute_async(Program.from_text(SHORT), params))
        await asyncio.sleep(0.1)
        assert not short.done()
        long.cancel()
        with Heart() as heart:
            await short
        assert heart.seconds < SOON
        with pytest.raises(asyncio.CancelledError):
            await long

    asyncio.run(scene())
    launch(device, SHORT)


def test_faults_go_to_the_launch_that_has_them(device):
    """Threads that share a device: launches that are right, that fault, and that the clock ends."""
    wrong: list[str] = []
    good = hg.kernel_from_source("def good(x: hg.Array[hg.i32]):\n    x[hg.global_id()] += 1\n").on(device)
    bad = hg.kernel_from_source("def bad(x: hg.Array[hg.i32]):\n    x[hg.global_id() + 100] += 1\n").on(device)

    def right():
        for _ in range(100):
            x = np.zeros(8, np.int32)
            good[8](x)
            if not (x == 1).all():
                wrong.append(f"good gave {x}")

    def faulting():
        for _ in range(100):
            try:
                bad[8](np.zeros(8, np.int32))
                wrong.append("bad was silent")
            except hg.ExecutionError as error:
                if error.kind != "OutOfBounds":
                    wrong.append(str(error))

    def checked(work):
        try:
            work()
        except BaseException as error:
            wrong.append(repr(error))

    threads = [threading.Thread(target=checked, args=(work,)) for work in (right, faulting, right, faulting)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


FORK = """
import os, threading, time, numpy as np, hologram_web as hg
from tests.interrupting import NESTED, SHORT
device = hg.backends.DEVICES[{name!r}]({options})
def kernel(factor):
    return hg.kernel_from_source(f"def k(x: hg.Array[hg.i32]):\\n    x[hg.global_id()] *= {{factor}}\\n").on(device)
x = np.full(4, 5, np.int32)
three = kernel(3)
three[4](x)

def child(work):
    if pid := os.fork():
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        return
    try:
        work()
    except BaseException as error:
        print(type(error).__name__, error, flush=True)
    os._exit(0)

def goes_on():
    three[4](x)
    kernel(7)[4](x)  # which is compiled here
    print(x.tolist(), flush=True)

child(goes_on)
def long():
    params = hg.ExecutionParams(hg.LaunchConfig(), {{"x": device.allocate_buffer(64)}})
    try:
        device.execute_program_with_params(hg.Program.from_text(NESTED), params)
    except hg.ExecutionError as error:
        print(error.kind, flush=True)
other = threading.Thread(target=long)
other.start()
while not device._running:
    time.sleep(0.01)
child(goes_on)
device.cancel()
other.join()
goes_on()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize(("name", "options"), [("cpu", ""), ("wasm", "cache=False")])
def test_a_forked_device_works_or_says_that_it_does_not(name, options):
    assert in_process("-c", FORK.format(name=name, options=options), timeout=60).splitlines() == [
        "[315, 315, 315, 315]",
        f"BackendUnavailable backend '{name}' is not available: the process was forked while another thread used "
        "this device: open a new one after the fork",
        "Cancelled",
        "[315, 315, 315, 315]",
    ]


def test_interrupts_leave_no_lock_behind(device):
    """Any instruction of Python's may be the one where Ctrl-C comes: those of 60 moments in many launches."""
    code = """
import signal, sys, threading, numpy as np, hologram_web as hg
device = hg.backends.DEVICES[sys.argv[1]]()
kernel = hg.kernel_from_source("def k(x: hg.Array[hg.i32]):\\n    x[hg.global_id()] += 1\\n").on(device)
def once():
    x = np.zeros(1000, np.int32)
    kernel[1000](x)
    assert (x == 1).all()
once()
def handler(*_): raise KeyboardInterrupt
signal.signal(signal.SIGALRM, handler)
for moment in range(60):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002 + 0.0007 * moment)
        while True:
            once()
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
other = threading.Thread(target=once, daemon=True)
other.start()
other.join(20)
print("a lock was kept" if other.is_alive() else "none")
once()
"""
    assert in_process("-c", code, device.name).strip() == "none"
