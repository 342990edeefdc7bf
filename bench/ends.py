"""`python -m bench.ends`: how long it takes until a launch ends that is told to, in packets, on one thread and on two.

Lanes go rounds that nobody waits for. Natively `cancel` comes from another thread, Ctrl-C as a signal, and the clock
by `Limits(seconds=...)`; in pages a signal is an AbortSignal, which fires between blocks, and the clock is
`run(args, { seconds })`; in Pyodide Ctrl-C comes by its interrupt buffer, as notebooks write it. Milliseconds from then
until the caller goes on, by the wall's clock; the launch after it has the right results. The aim is half a second.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from datetime import date
from statistics import median

import click
import numpy as np

import hologram_web as hg
from e2e.browser import ROOT, WITH_WORKERS, Browser
from examples.edges.chromium import bundle
from hologram_web.backends.wasm import WasmBackend
from hologram_web.compiler.driver import lane_function
from hologram_web.isa.verify import analyze
from hologram_web.targets.wasm.kernel import form_of
from tests.where import write_bundle

__all__ = ["ENDS", "natively"]

_LANES, _BLOCK = 1 << 16, 256
_FOREVER = (1 << 32) - 1  # rounds
_SECONDS = 0.2  # until it is told to end
ENDS = ("cancel", "Ctrl-C", "clock")


_TURNS = """
def turns(y: hg.Array[hg.u32], n: hg.u32):
    i = hg.global_id()
    if i < len(y):
        total = hg.u32(0)
        k = hg.u32(0)
        while k < n:
            total = total * hg.u32(5) + hg.u32(i)
            k += 1
        y[i] = total
"""
turns = hg.kernel_from_source(_TURNS)
_IN_PYODIDE = f"""
import time
import page_of_tests
import pyodide_js
import hologram_web as hg

def stopped(threads, rounds):
    found = []
    turns = hg.kernel_from_source({_TURNS!r})
    with hg.Executor("wasm", threads=threads, limits=hg.Limits(steps=1 << 50)) as ex:
        assert ex.device.threads.number == threads
        y = ex.zeros({_LANES}, hg.u32)
        launch = turns.on(ex)[{_LANES}]
        for turn in range(rounds + 1):
            launch(y, 3)
            assert y.numpy().tolist() == [31 * i for i in range({_LANES})]
            if turn == rounds:
                return found
            pyodide_js.setInterruptBuffer(page_of_tests.interruptsAfter(1000 * {_SECONDS}))
            begun = time.perf_counter()
            try:
                launch(y, {_FOREVER})
                y.numpy()
                raise AssertionError("it was to go on for ever")
            except KeyboardInterrupt:
                found.append(1000 * (time.perf_counter() - begun - {_SECONDS}))
            finally:
                pyodide_js.setInterruptBuffer(None)

"""


def _width() -> int:
    """Lanes of a packet of its kernel."""
    return form_of(lane_function(analyze(turns.program), (_BLOCK, 1, 1))).width


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _until(work: Callable[[], object], told: Callable[[], object]) -> float:
    """Milliseconds from when it is told to end until it has."""
    at: list[float] = []

    def tell() -> None:
        at.append(time.perf_counter())
        told()

    teller = threading.Timer(_SECONDS, tell)
    teller.start()
    try:
        work()
        raise AssertionError("it was to go on for ever")
    except (hg.ExecutionError, KeyboardInterrupt):
        ended = time.perf_counter()
    teller.join()
    return 1000 * (ended - at[0])


def natively(threads: int, rounds: int) -> dict[str, list[float]]:
    """Milliseconds by what ends launches, which this, the main thread, waits for."""
    found: dict[str, list[float]] = {name: [] for name in ENDS}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with WasmBackend(threads=threads) as device:
            limits = device.limits
            y = device.allocate_buffer(4 * _LANES)

            def launch(n: int) -> None:
                given = {"y": y, "n": n, "y.shape0": _LANES}
                wanted = {param.name: given[param.name] for param in turns.program.params}
                params = hg.ExecutionParams(hg.LaunchConfig.linear(_LANES, _BLOCK), wanted)
                device.execute_program_with_params(turns.program, params)

            def ended() -> None:
                launch(3)
                assert (device.view(y).view(np.uint32) == 31 * np.arange(_LANES, dtype=np.uint32)).all()

            ended()
            for _ in range(rounds):
                found["cancel"].append(_until(lambda: launch(_FOREVER), device.cancel))
                ended()
                found["Ctrl-C"].append(_until(lambda: launch(_FOREVER), _interrupt))
                ended()
                device.limits = hg.Limits(seconds=_SECONDS)
                found["clock"].append(_until(lambda: launch(_FOREVER), lambda: None))
                device.limits = limits
                ended()
            if threads > 1:
                assert device._crew is not None
                assert sum(device._crew.taken) > 0, "no worker took part"
    finally:
        signal.signal(signal.SIGINT, before)
    return found


def _in_chromium(rounds: int) -> dict[str, dict[str, list[float]]]:
    path = ROOT / "build" / "bench" / "turns.holo"
    path.parent.mkdir(parents=True, exist_ok=True)
    hg.compile(turns, grid="lanes", shapes={"y": ("lanes",)}).save(path)
    bundle()
    given = {"path": "/build/bench/turns.holo", "lanes": 4 * _LANES, "wait": _SECONDS, "rounds": rounds}
    found = {}
    with Browser(headers=WITH_WORKERS) as browser:
        for threads in (1, 2):
            for where in ("page", "worker"):
                made = browser.run("stops.mjs", where, 400, threads=threads, **given).json
                found[f"Chromium {browser.version}, {where}, threads: {threads}"] = made
    return found


def _in_pyodide(rounds: int) -> dict[str, dict[str, list[float]]]:
    write_bundle(expected=False)
    found = {}
    for where in ("page", "worker"):
        with Browser(headers=WITH_WORKERS) as browser:
            code = f"{_IN_PYODIDE}[stopped(threads, {rounds}) for threads in (1, 2)]"
            made = browser.run("python.mjs", where, 400, code=code).json
            for threads, ms in enumerate(made, 1):
                found[f"Chromium {browser.version}, Pyodide, {where}, threads: {threads}"] = {"Ctrl-C": ms}
    return found


@click.command()
@click.option("--rounds", default=11, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    """How long it takes until launches end that are told to."""
    click.echo(f"{date.today()}, load {os.getloadavg()[0]:.1f}, {_width()} lanes side by side, {rounds} turns\n")
    click.echo("| where | ended by | ms | from to |\n|---|---|---|---|")
    for threads in (1, 2):
        _tell(f"wasmtime, threads: {threads}", natively(threads, rounds))
    for where, found in (_in_chromium(rounds) | _in_pyodide(rounds)).items():
        _tell(where, found)


def _tell(where: str, found: dict[str, list[float]]) -> None:
    for name, ms in found.items():
        click.echo(f"| {where} | {name} | {median(ms):.0f} | {min(ms):.0f} to {max(ms):.0f} |")


if __name__ == "__main__":
    main()
