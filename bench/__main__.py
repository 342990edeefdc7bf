"""`python -m bench`: devices, code written by hand, and NumPy at the same work, interleaved; medians and ratios.

A launch is timed from the call until the result is in memory, without copies to and from the device; NumPy writes
into arrays that are there already where it can. WebAssembly and NumPy run on one thread. Shaders run in one harness,
and their time is that of the kernel. The last table says what the first launch of a program takes, without any cache.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Container, Iterable, Iterator
from datetime import date
from importlib.metadata import version
from statistics import median
from typing import Any

import click
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import hologram_web as hg

from .by_hand import Gpu, Peer, hand_shader, hand_wat, our_shader, variants
from .cases import CASES, Case

_BY_HAND = {"wasm": "WAT by hand", "webgpu": "WGSL by hand"}  # what a device's time is compared with


def timed(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - start)


def devices(wanted: Container[str]) -> Iterator[hg.Backend]:
    for name, make in hg.backends.DEVICES.items():
        if name not in wanted:
            continue
        try:
            yield make()
        except hg.BackendUnavailable as error:
            print(f"left out: {name}, {error}")


def on_device(device: hg.Backend, case: Case) -> Peer:
    """The case on a device. Reading the first byte of the result waits for devices that work in the background."""
    handles, arguments = {}, dict[Any, Any](case.arguments)
    for name, value in case.arguments.items():
        if isinstance(value, np.ndarray):
            arguments[name] = handles[name] = device.allocate_buffer(value.nbytes)
            device.copy_to_buffer(handles[name], value)
    program, params, byte = case.program, hg.ExecutionParams(case.config, arguments), bytearray(1)

    def run() -> float:
        start = time.perf_counter()
        device.execute_program_with_params(program, params)
        device.copy_from_buffer(handles["z"], out=byte)
        return 1000 * (time.perf_counter() - start)

    return run, lambda: np.frombuffer(device.copy_from_buffer(handles["z"]) or b"", case.arguments["z"].dtype)


def sides(case: Case, gpu: Gpu | None, wanted: Container[str]) -> Iterator[tuple[str, str, Peer]]:
    """Everybody who does the case: name, by which code by hand its time is divided, and how it runs."""
    if any(instruction.row.collective for instruction in case.program.instructions):
        gpu = None  # a collective is launches of several programs: no one shader does it
    functions = variants(case)
    for function in functions:
        yield f"WAT by hand{'' if function == 'run' else ', ' + function}", "WAT by hand", hand_wat(case, function)
    for device in devices(wanted):
        yield device.name, _BY_HAND.get(device.name, ""), on_device(device, case)
    if gpu is not None:
        for function in functions:
            name = f"WGSL by hand{'' if function == 'run' else ', ' + function}"
            yield name, "WGSL by hand", hand_shader(gpu, case, function)
        yield "our WGSL", "WGSL by hand", our_shader(gpu, case)
    yield "NumPy", "", (lambda: timed(case.peer), lambda: case.peer().ravel())


def check(case: Case, name: str, peer: Peer) -> None:
    """Runs it once, and ends the benchmark if the result is not NumPy's."""
    peer[0]()
    found, wanted = peer[1]().astype(np.float64), case.peer().ravel().astype(np.float64)
    shader = "WGSL" in name
    tolerance = max(case.tolerance, case.shader_tolerance if shader else 0.0)
    wrong = np.abs(found - wanted) > tolerance * np.abs(wanted)
    if np.count_nonzero(wrong) > (case.shader_strays if shader else 0.0) * wrong.size:
        sys.exit(f"{case.name}, {name}: {np.count_nonzero(wrong):,} results are not NumPy's: nothing was timed")


def run_rows(case: Case, gpu: Gpu | None, wanted: Container[str], rounds: int) -> Iterator[list[str]]:
    peers = {name: (other, peer) for name, other, peer in sides(case, gpu, wanted)}
    for name, (_, peer) in peers.items():
        check(case, name, peer)
    times: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(rounds):
        for name, (_, peer) in peers.items():
            times[name].append(peer[0]())
    for name, ms in times.items():
        middle, other = median(ms), peers[name][0]
        hand = f"{median(times[other]) / middle:.2f}" if other in times else ""
        rates = f"{case.moved / middle / 1e6:.2f}", f"{case.work / middle / 1e6:.2f}"
        ratios = hand, f"{median(times['NumPy']) / middle:.2f}"
        yield [case.name, case.size, name, f"{middle:.2f}", f"{min(ms):.2f} to {max(ms):.2f}", *rates, *ratios]


def first_launch_rows(case: Case, rounds: int) -> Iterator[list[str]]:
    import wasmtime

    program, block, code, ms = case.program, tuple(case.config.block), b"", []
    for _ in range(rounds):
        device = hg.backends.WasmBackend(cache=False)
        verifying = timed(program.validate)
        start = time.perf_counter()
        code = device.compile_to_wasm(program, block)
        compiling = 1000 * (time.perf_counter() - start)
        engine = wasmtime.Engine()
        ms.append((verifying, compiling, timed(lambda code=code, engine=engine: wasmtime.Module(engine, code))))  # type: ignore[misc]
    columns = (f"{median(column):.1f}" for column in zip(*ms, strict=True))
    yield [case.name, str(len(program)), f"{len(code):,}", *columns]


def table(header: str, rows: Iterable[list[str]]) -> None:
    """A table that can be read here and in Markdown."""
    shown = Table(box=box.MARKDOWN)
    for number, title in enumerate(header.split("|")):
        shown.add_column(title, justify="left" if number < 3 else "right", no_wrap=True)
    for row in rows:
        shown.add_row(*row)
    Console(width=max(Console().width, 200), highlight=False).print(shown)


@click.command()
@click.option("--case", "names", multiple=True, type=click.Choice(list(CASES)), help="One of them.  [default: all]")
@click.option(
    "--device",
    "wanted",
    multiple=True,
    default=list(hg.backends.DEVICES),
    type=click.Choice(list(hg.backends.DEVICES)),
    help="One of the devices.  [default: all]",
)
@click.option("--rounds", default=7, show_default=True, type=click.IntRange(1))
def main(names: tuple[str, ...], wanted: tuple[str, ...], rounds: int) -> None:
    """Every device found here, code written by hand, and NumPy, at the same work."""
    gpu = None
    try:
        gpu = Gpu()
        clock = "its own clock" if gpu.timed else "the wall, with waiting"
        adapter = f"shaders on {gpu.name}, timed by {clock}"
    except hg.BackendUnavailable as error:
        adapter = f"no shaders: {error}"
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    tools = f"NumPy {np.__version__}, wasmtime {version('wasmtime')}, wgpu {version('wgpu')}"
    print(f"{date.today()}, {machine}, {tools}; {adapter}; medians of {rounds} rounds\n")
    cases = [CASES[name]() for name in names or CASES]
    table("case|size|moved, MB|operations, millions", [amounts(case) for case in cases])
    header = "case|size|by|ms|from to|GB/s|G operations/s|times as fast as by hand|as NumPy"
    table(header, [row for case in cases for row in run_rows(case, gpu, wanted, rounds)])
    # A collective is lowered when it runs: there is no module of the program as a whole.
    programs = [case for case in cases if not any(i.row.collective for i in case.program.instructions)]
    header = "program|instructions|bytes of WebAssembly|verify, ms|verify and compile to WebAssembly, ms|wasmtime, ms"
    table(header, [row for case in programs for row in first_launch_rows(case, rounds)])


def amounts(case: Case) -> list[str]:
    return [case.name, case.size, f"{case.moved / 1e6:.2f}", f"{case.work / 1e6:.2f}"]


if __name__ == "__main__":
    main()
