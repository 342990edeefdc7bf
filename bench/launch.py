"""`python -m bench.launch`: what a launch costs from Python, beside the bare call of the engine, and Numba.

The kernel is z = a x + y on 1,000 elements, bound once (`k = saxpy[1000]`) and called again and again: on Buffers, and
on NumPy arrays, which are copied to the device and one of them back; 100 launches recorded, and replayed with one
call; and plans of one and of 20 launches. WebGPU is timed until all is done, with 100 launches between two waits, and
with one. Beside it stands what lies below: WebAssembly called with an argument block that is filled already, the copies
of the arrays alone, and as many dispatches by wgpu's own calls, of the same shader and of one that does nothing. Numba
runs the like, compiled to machine code, on the same arrays. Results are compared before anything is timed.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from datetime import date
from importlib.util import find_spec
from statistics import median
from typing import Any, NamedTuple

import click
import numpy as np

import hologram_web as hg

__all__ = ["Side", "sides"]

N = 1000
_FACTOR = 2.0
_RECORDED = 100
_PLANNED = 20


@hg.kernel
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = a * x[i] + y[i]


class Side(NamedTuple):
    """Somebody who launches: `run` does it `launches` times; `result` reads z, `settle` waits behind what is timed."""

    name: str
    run: Callable[[], Any]
    launches: int
    result: Callable[[], Any]
    settle: Callable[[], Any] | None = None


def _arrays() -> tuple[Any, Any, Any]:
    x = np.arange(N, dtype=np.float32)
    return x, x[::-1].copy(), np.zeros(N, np.float32)


def _on_device(name: str) -> Iterator[Side]:
    ex = hg.Executor(name)
    x, y, z = _arrays()
    buffers = ex.array(x), ex.array(y), ex.array(z)
    bound = saxpy.on(ex)[N]

    def recorded(count: int) -> Callable[[], None]:
        def run() -> None:
            for _ in range(count):
                bound(_FACTOR, *buffers)
            ex.sync()

        return run

    with ex.record() as recording:
        for _ in range(_RECORDED):
            bound(_FACTOR, *buffers)

    def replayed() -> None:
        recording.replay()
        ex.sync()

    if name == "webgpu":
        adapter = ex.device.adapter.get("device", "?")
        title = f"webgpu ({adapter})"
        many = f"{title}, Buffers, {_RECORDED} launches and a wait"
        yield Side(many, recorded(_RECORDED), _RECORDED, buffers[2].numpy)
        yield Side(f"{title}, a recording of {_RECORDED} and a wait", replayed, _RECORDED, buffers[2].numpy)
        yield Side(f"{title}, the same, until it is submitted", *_handed(ex, recording, buffers[2]))
        yield Side(f"{title}, wgpu's own calls, {_RECORDED} and a wait", *_dispatched(ex, recorded(1), buffers[2]))
        yield Side(f"{title}, the same of a shader that does nothing", *_idle(ex, recorded(1), buffers[2]))
        yield Side(f"{title}, Buffers, a launch and a wait", recorded(1), 1, buffers[2].numpy)
    else:
        yield Side(f"{name}, Buffers", lambda: bound(_FACTOR, *buffers), 1, buffers[2].numpy)
        yield Side(f"{name}, a recording of {_RECORDED}", replayed, _RECORDED, buffers[2].numpy)
        for count in (1, _PLANNED):
            yield Side(f"{name}, a plan of {count}, Buffers", _planned(ex, count, buffers), count, buffers[2].numpy)
    yield Side(f"{name}, NumPy arrays", lambda: bound(_FACTOR, x, y, z), 1, lambda: z)
    if name == "wasm":
        bound(_FACTOR, *buffers)
        (loaded,) = ex.device._kernels.values()  # its argument block stays filled by the launch before

        def filled() -> Any:
            bound(_FACTOR, *buffers)
            buffers[2].fill(0)
            loaded.call.again()
            return buffers[2].numpy()

        yield Side("wasm, the engine's own call", loaded.call.again, 1, filled)
        inside = [ex.device.view(buffer.handle).view(np.float32) for buffer in buffers]

        def copied() -> None:
            for view, array in zip(inside, (x, y, z), strict=True):
                view[...] = array
            z[...] = inside[2]

        yield Side("wasm, the copies of the arrays", copied, 1, lambda: z)


def _planned(ex: Any, count: int, buffers: Any) -> Callable[[], Any]:
    """A run of a plan with so many launches."""
    plan = hg.PlanBuilder("saxpy")
    for _ in range(count):
        plan.launch(saxpy, N)
    compiled = hg.CompiledProgram.from_builder(plan)
    return lambda: compiled.run(ex, _FACTOR, *buffers)


def _handed(ex: Any, recording: Any, z: Any) -> tuple[Callable[[], None], int, Callable[[], Any], Callable[[], None]]:
    return recording.replay, _RECORDED, z.numpy, ex.sync


def _dispatched(ex: Any, launch: Callable[[], None], z: Any) -> tuple[Callable[[], None], int, Callable[[], Any]]:
    """Dispatches of a launch that was recorded, without all that is around them."""
    found: list[Any] = []
    record = ex.device._recorder.launch
    ex.device._recorder.launch = lambda work, number: (found.append(work), record(work, number))
    launch()
    ex.device._recorder.launch = record
    (work,), device = found, ex.device.native
    memory = ex.device._buffers[z.handle].buffer

    def run() -> None:
        encoder = device.create_command_encoder()
        computing = encoder.begin_compute_pass()
        computing.set_pipeline(work.pipeline.pipeline)
        for _ in range(_RECORDED):
            computing.set_bind_group(0, work.group.group, (0, 0))
            computing.dispatch_workgroups(work.blocks)
        computing.end()
        device.queue.submit([encoder.finish()])
        device.queue.read_buffer(memory, 0, 4)  # waits

    def result() -> Any:
        z.fill(0)
        run()
        return z.numpy()

    return run, _RECORDED, result


def _idle(ex: Any, launch: Callable[[], None], z: Any) -> tuple[Callable[[], None], int, Callable[[], Any]]:
    """Dispatches of a shader that does nothing: what the adapter takes for any."""
    device, memory = ex.device.native, ex.device._buffers[z.handle].buffer
    module = device.create_shader_module(code="@compute @workgroup_size(1) fn main() {}")
    pipeline = device.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "main"})

    def run() -> None:
        encoder = device.create_command_encoder()
        computing = encoder.begin_compute_pass()
        computing.set_pipeline(pipeline)
        for _ in range(_RECORDED):
            computing.dispatch_workgroups(1)
        computing.end()
        device.queue.submit([encoder.finish()])
        device.queue.read_buffer(memory, 0, 4)  # waits

    def result() -> Any:
        launch()
        return z.numpy()

    return run, _RECORDED, result


def _numba() -> Side:
    from numba import njit  # type: ignore[import-not-found]

    @njit
    def by_numba(a: Any, x: Any, y: Any, z: Any) -> None:
        for i in range(z.size):
            z[i] = a * x[i] + y[i]

    x, y, z = _arrays()
    factor = np.float32(_FACTOR)
    return Side("Numba, NumPy arrays", lambda: by_numba(factor, x, y, z), 1, lambda: z)


def sides() -> Iterator[Side]:
    """All that can be had here, after a first launch with the right result; who is missing is printed."""
    for name in ("wasm", "webgpu"):
        try:
            found = list(_on_device(name))
        except hg.BackendUnavailable as error:
            print(f"left out: {name}, {error}")
            continue
        yield from map(_checked, found)
    if find_spec("numba") is None:
        print("left out: Numba, which pip install -e '.[bench]' installs")
    else:
        yield _checked(_numba())


def _checked(side: Side) -> Side:
    side.run()
    x, y, _ = _arrays()
    assert np.array_equal(side.result(), np.float32(_FACTOR) * x + y), f"{side.name}: another result"
    return side


def _took(side: Side, repeats: int, clock: Callable[[], float]) -> float:
    """Seconds of so many runs, without what settles them."""
    took = 0.0
    for _ in range(repeats if side.settle else 1):
        if side.settle:
            side.settle()
        start = clock()
        for _ in range(1 if side.settle else repeats):
            side.run()
        took += clock() - start
    if side.settle:
        side.settle()
    return took


@click.command()
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
@click.option("--launches", default=300, show_default=True, type=click.IntRange(1), help="Of each in a round, about.")
@click.option("--processor", is_flag=True, help="Time of the processor: of the thread, on webgpu of all threads.")
def main(rounds: int, launches: int, processor: bool) -> None:
    """What a launch costs from Python."""
    clocks = (time.thread_time, time.process_time) if processor else (time.perf_counter, time.perf_counter)
    print(f"{date.today()}, {os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}")
    found = list(sides())
    times: list[list[float]] = [[] for _ in found]
    for _ in range(rounds):
        for side, kept in zip(found, times, strict=True):
            repeats = max(launches // side.launches // (10 if "webgpu" in side.name else 1), 1)
            side.run()
            kept.append(1e6 * _took(side, repeats, clocks["webgpu" in side.name]) / repeats / side.launches)
    how = f"{'processor time, ' if processor else ''}load {os.getloadavg()[0]:.0f}"
    print(f"medians of {rounds} rounds, {how}\n\n| a launch of {N:,} lanes | us | from to |\n|---|---|---|")
    for side, kept in zip(found, times, strict=True):
        print(f"| {side.name} | {median(kept):.1f} | {min(kept):.1f} to {max(kept):.1f} |")
    words = ("a recording", "own calls")
    places = {w: i for i, side in enumerate(found) for w in words if "webgpu" in side.name and w in side.name}
    if len(places) == 2:
        ours, bare = (times[places[word]] for word in words)
        ratios = [a / b for a, b in zip(ours, bare, strict=True)]
        print(f"\na recording takes {median(ratios):.2f} of wgpu's own calls in the same round, in the median")


if __name__ == "__main__":
    main()
