"""Launches that several threads share: the same results as on one, their faults, their ends, and what they leave."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
import wasmtime

import hologram_web as hg
from hologram_web import ExecutionParams, LaunchConfig, Limits, Program
from hologram_web.backends.wasm import WasmBackend
from hologram_web.backends.wasm.crew import processors
from hologram_web.backends.wasm.wasm_backend import _Loaded
from hologram_web.targets.wasm import ARGUMENTS

from .clock import again_and_again
from .crews import AllShared, OnWorkers
from .filetest import FOLDER, load
from .filetest_run import check

_TAKEN, _PULSE = 6, 7  # words of a slot of wasm/crew.wat
SOON = 2.0  # seconds: half a one is promised, on a machine that is not busy


def _cases():
    for path in sorted(FOLDER.glob("**/*.atlas")):
        test = load(path)
        for case in test.cases():
            if test.runs_on("wasm") and case.run is not None:
                yield pytest.param(case, id=case.id)


@pytest.fixture(scope="module")
def workers():
    with OnWorkers() as found:
        yield found


@pytest.mark.parametrize("case", list(_cases()))
def test_filetests_on_workers(case, workers):
    if "bf16" in (case.ty, case.source) or "bf16" in case.test.text:
        pytest.importorskip("ml_dtypes")
    check(case.launch("wasm"), workers)


@pytest.fixture(params=[2, 4])
def crew(request):
    """A device whose launches are all shared, however short."""
    with AllShared(threads=request.param) as found:
        yield found


def launch(device, text, lanes, block=256, **values):
    params = ExecutionParams(LaunchConfig.linear(lanes, block), values)
    device.execute_program_with_params(Program.from_text(text), params)


def array_of(device, elements):
    handle = device.allocate_buffer(elements.nbytes)
    device.copy_to_buffer(handle, elements)
    return handle


def read(device, handle, count, dtype=np.uint32):
    out = np.empty(count, dtype)
    device.copy_from_buffer(handle, out)
    return out


def took_part(device):
    return device._crew is not None and sum(device._crew.taken) > 0


COUNTED = """
.param y: buffer u32 read_write
.param f: buffer f32 read_write
    mov_imm.u32 r10, 1
    mov_imm.f32 r14, 1.0
    cvt.u32.u64 r9, r255
    atom.add.u32 r11, [y], r10
    atom.max.u32 r11, [y + 4], r9
    atom.min.u32 r11, [y + 8], r9
    atom.xor.u32 r11, [y + 12], r9
    atom.or.u32 r11, [y + 16], r9
    atom.add.f32 r15, [f], r14
again:
    ldg.u32 r12, [y + 20]
    add.u32 r13, r12, r10
    atom.cas.u32 r11, [y + 20], r13, r12
    set.eq.u32 p0, r11, r12
    bra out, p0
    bra again
out:
"""


def test_a_million_increments(crew):
    """None is lost, whatever the instruction: of its own, in a loop, or a loop of the program's."""
    lanes = 1_000_000
    y, f = array_of(crew, np.array([0, 0, 1 << 31, 0, 0, 0], np.uint32)), crew.allocate_buffer(4)
    launch(crew, COUNTED, lanes, y=y, f=f)
    numbers = np.arange(lanes)
    expected = [lanes, lanes - 1, 0, np.bitwise_xor.reduce(numbers), np.bitwise_or.reduce(numbers), lanes]
    assert read(crew, y, 6).tolist() == expected
    assert read(crew, f, 1, np.float32)[0] == lanes
    assert took_part(crew)


FAR = """
.param x: buffer u32 read
.param y: buffer u32 write
    ldg.u32 r10, [x + r255*4]
    mov_imm.u32 r11, 2000
    mov_imm.u32 r12, 0
again:
    add.u32 r12, r12, r11
    loop r11, again
    stg.u32 [y + r10*4], r12
"""


def test_the_fault_is_that_of_the_first_lane(crew):
    """Of many blocks with faults, which are found in any order."""
    lanes = 1 << 14
    rng = np.random.default_rng(7)
    for first in (0, 255, 256, 5000, lanes - 1, *rng.integers(0, lanes, 20).tolist()):
        places = np.arange(lanes, dtype=np.uint32)
        places[first:] += np.uint32(1 << 20)
        x, y = array_of(crew, places), crew.allocate_buffer(4 * lanes)
        with pytest.raises(hg.ExecutionError) as caught:
            launch(crew, FAR, lanes, x=x, y=y)
        assert (caught.value.kind, caught.value.lane) == ("OutOfBounds", first)
        assert str(places[first]) in str(caught.value)
        for handle in (x, y):
            crew.free_buffer(handle)
    assert took_part(crew)


SLOW = """
.param y: buffer u32 write
.param n: u32
    mov r10, r2
again:
    stg.u32 [y + r255*4], r10
    loop r10, again
"""


@pytest.mark.parametrize("end", ["cancel", "clock"])
def test_ends_come_to_workers(end):
    with WasmBackend(threads=3) as device:
        y = device.allocate_buffer(4 * 4096)
        device.limits = Limits(steps=1 << 40, seconds=0.3 if end == "clock" else 60)
        ask = device.cancel if end == "cancel" else lambda: None
        with again_and_again(ask) as heart, pytest.raises(hg.ExecutionError) as caught:
            launch(device, SLOW, 4096, y=y, n=(1 << 32) - 1)
        assert heart.seconds < SOON
        assert caught.value.kind == ("Cancelled" if end == "cancel" else "StepLimit")
        device.limits = Limits()
        launch(device, SLOW, 4096, y=y, n=10)
        assert not read(device, y, 4096).any()
        assert took_part(device)


def threads_of_devices():
    return {thread for thread in threading.enumerate() if thread.name.startswith("hologram_web-")}


def test_a_thousand_launches(crew):
    """No wake-up is lost, nothing is left."""
    others = threads_of_devices()  # of devices of other tests
    text = ".param y: buffer u32 read_write\n    mov_imm.u32 r10, 1\n    atom.add.u32 r11, [y + r255*4], r10\n"
    y = crew.allocate_buffer(4 * 2048)
    launch(crew, text, 2048, y=y)
    before = crew._arena.live_bytes
    program, params = Program.from_text(text), ExecutionParams(LaunchConfig.linear(2048), {"y": y})
    for _ in range(999):
        crew.execute_program_with_params(program, params)
    assert (read(crew, y, 2048) == 1000).all()
    assert crew._arena.live_bytes == before
    assert len(threads_of_devices() - others) == crew.threads.number - 1


def test_two_devices_at_once():
    def work(device, wrong):
        y = device.allocate_buffer(4 * 2048)
        for number in range(100):
            launch(device, SLOW, 2048, y=y, n=50)
            device.view(y)[:4] = number
        if device.view(y)[0] != 99:
            wrong.append(device)

    wrong: list[object] = []
    with OnWorkers() as one, OnWorkers() as other:
        threads = [threading.Thread(target=work, args=(device, wrong)) for device in (one, other, one)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert took_part(one)
        assert took_part(other)
    assert wrong == []


def test_threads_end_with_their_device():
    others = threads_of_devices()

    def alive():
        return len(threads_of_devices() - others)

    device = OnWorkers()
    y = device.allocate_buffer(4096)
    launch(device, SLOW, 1024, y=y, n=3)
    live = device._arena.live_bytes
    assert alive() == 2
    device.close()
    assert alive() == 0
    assert device._arena.live_bytes < live
    y = device.allocate_buffer(4096)  # it may be used on
    launch(device, SLOW, 1024, y=y, n=3)
    assert took_part(device)
    del device
    gc.collect()
    start = time.monotonic()
    while alive() and time.monotonic() - start < 20:
        time.sleep(0.01)
    assert alive() == 0


def test_a_worker_that_ends_is_not_missed(crew):
    """Whatever ended its thread, launches go on without it."""
    y = crew.allocate_buffer(4 * 4096)
    crew.allocate_buffer(4)
    launch(crew, SLOW, 4096, y=y, n=2000)
    crew._crew.close()
    for thread in crew._crew._threads:
        thread.join()
    launch(crew, SLOW, 4096, y=y, n=100)
    assert not read(crew, y, 4096).any()


def test_traps_are_raised_by_the_launch(monkeypatch):
    """No kernel of ours traps, but one that is damaged may, in a worker."""
    broken = '(module (func (export "kernel") (param i32 i32 i32) unreachable))'
    with OnWorkers() as device:
        y = device.allocate_buffer(4096)
        launch(device, SLOW, 1024, y=y, n=3)
        crew = device._crew
        assert crew is not None
        enter = crew.enter
        monkeypatch.setattr(crew, "enter", lambda _, kernel: enter(wasmtime.Module(device._engine, broken), kernel))
        with pytest.raises(wasmtime.Trap, match="unreachable"):
            launch(device, SLOW, 1024, block=64, y=y, n=3)
        launch(device, SLOW, 1024, y=y, n=3)
        assert not read(device, y, 1024).any()


@pytest.mark.parametrize("asked", [0, -1, 65, 1.5, True, "2"])
def test_numbers_of_threads(asked):
    with pytest.raises(hg.LaunchError, match=re.escape(f"threads={asked!r} is no number of threads: give 1 to 64")):
        WasmBackend(threads=asked)


def test_threads_can_be_asked():
    with hg.Executor("wasm", threads=3) as ex:
        assert ex.device.threads == (3, "it was asked for")
    with WasmBackend() as device:
        assert device.threads.number == processors()
        assert "processor" in device.threads.reason


@pytest.mark.parametrize(("seconds", "shared"), [(5e-6, False), (5e-3, True)])
def test_short_launches_stay_alone(monkeypatch, seconds, shared):
    """Whatever this machine takes for them, they are told to have taken so long."""
    took, lead = _Loaded.took, WasmBackend._lead
    monkeypatch.setattr(_Loaded, "took", lambda self, _, together: took(self, seconds, together))
    monkeypatch.setattr(WasmBackend, "_long", 0.0)  # what it really takes has no say
    asked = []

    def asking(device, loaded, deadline):
        asked.append(loaded)
        return lead(device, loaded, deadline)

    monkeypatch.setattr(WasmBackend, "_lead", asking)
    with WasmBackend(threads=2) as device:
        y = device.allocate_buffer(4 * 1024)
        for _ in range(50):
            launch(device, SLOW, 1024, y=y, n=1)
    assert (len(asked) > 1) == shared  # of the first one nobody knows how long it takes


def test_what_was_slower_has_another_turn_soon():
    code = SimpleNamespace(blocks=100, alone=1.0, together=1.5, turns=0, kernel=SimpleNamespace(atomic=False))
    alone = partial(_Loaded.is_better_alone, cast(_Loaded, code))
    assert [turn for turn in range(1, 101) if not alone()] == [2, 4, 8, 16, 32, 64, 96]
    code.together = 0.5
    assert not any(alone() for _ in range(100))
    code.together = 1.5
    assert [alone() for _ in range(4)] == [True, False, True, False], "it begins anew"
    code.together, code.turns, code.kernel.atomic = 0.5, 0, True
    assert [turn for turn in range(1, 101) if alone()] == [2, 4, 8, 16, 32, 64, 96], "how long one takes may change"


def test_workers_look_for_another_launch_before_they_sleep():
    """As often as crew.wat says, and no more, where none comes."""
    text = (Path(__file__).parents[1] / "wasm" / "crew.wat").read_text(encoding="utf-8")
    (few,) = map(int, re.findall(r"\$few i32 \(i32.const (\d+)\)", text))
    with OnWorkers() as device:
        y = array_of(device, np.zeros(1024, np.uint32))
        for _ in range(3):
            launch(device, SLOW, 1024, y=y, n=1)
            assert device._crew is not None
            team = device._crew._workers
            while any(worker.words[_PULSE] < few * worker.words[_TAKEN] for worker in team):
                time.sleep(0)
        assert [worker.words[_PULSE] for worker in team] == [few * worker.words[_TAKEN] for worker in team]
        assert sum(worker.words[_TAKEN] for worker in team) >= 3


def test_workers_that_sleep_take_no_processor():
    with OnWorkers() as device:
        y = array_of(device, np.zeros(1024, np.uint32))
        for _ in range(3):
            launch(device, SLOW, 1024, y=y, n=1000)
        assert took_part(device)
        time.sleep(0.1)  # longer than they look for another launch
        before = time.process_time()
        time.sleep(0.3)
        assert time.process_time() - before < 0.1


def test_crew_knows_the_argument_block():
    text = (Path(__file__).parents[1] / "wasm" / "crew.wat").read_text(encoding="utf-8")
    own = {int(number) for number in re.findall(r"offset=(\d+)\s+\(local\.get \$(?:own|launch|arguments)\)", text)}
    names = ("alone", "cancel", "shared", "spill", "scratch")
    assert own == {ARGUMENTS[name] for name in names}
    assert f"(i32.store offset={ARGUMENTS['cancel']} (global.get $arguments)" in text
    assert f"(memory.fill (local.get $own) (i32.const 0) (i32.const {ARGUMENTS['grid']}))" in text
    assert ARGUMENTS["kind"] == 0
    wasmtime.wat2wasm(text)


FORK = """
import os, numpy as np, hologram_web as hg
from tests.crews import OnWorkers
device = OnWorkers()
kernel = hg.kernel_from_source("def k(x: hg.Array[hg.i32]):\\n    x[hg.global_id()] *= 3\\n").on(device)
x = np.full(1024, 5, np.int32)
for turn in range(20):
    x[:] = 5
    kernel[1024](x)
    if pid := os.fork():
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        continue
    kernel[1024](x)
    assert (x == 45).all() and device.threads == (1, "the process was forked"), (x, device.threads)
    device.close()
    os._exit(0)
assert sum(device._crew.taken) >= 20
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_children_of_a_fork_have_one_thread():
    """However soon after a launch it is, when workers are about to sleep."""
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
