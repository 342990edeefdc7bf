"""`python -m bench`: every device and NumPy at the same work, interleaved; medians, rates and ratios.

A launch is timed from the call until the result is in memory, without copies to and from the device; NumPy writes
into arrays that are there already where it can. All run on one thread. The second table says what the first launch of
a program takes, without any cache.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from importlib.metadata import version
from statistics import median
from typing import Any

import click
import numpy as np

import hologram_web as hg

from .cases import CASES, Case


def timed(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - start)


def devices() -> Iterator[hg.Backend]:
    for name, make in hg.backends.DEVICES.items():
        try:
            yield make()
        except hg.BackendUnavailable as error:
            print(f"left out: {name}, {error}")


def prepare(device: hg.Backend, case: Case) -> Callable[[], None]:
    """What launches the case on a device, after checking that its result is NumPy's."""
    handles, arguments = {}, dict[Any, Any](case.arguments)
    for name, value in case.arguments.items():
        if isinstance(value, np.ndarray):
            arguments[name] = handles[name] = device.allocate_buffer(value.nbytes)
            device.copy_to_buffer(handles[name], value)
    program, params = case.program, hg.ExecutionParams(case.config, arguments)
    device.execute_program_with_params(program, params)
    found = np.frombuffer(device.copy_from_buffer(handles["z"]) or b"", case.arguments["z"].dtype).astype(np.float64)
    wanted = case.peer().ravel().astype(np.float64)
    if (np.abs(found - wanted) > case.tolerance * np.abs(wanted)).any():
        sys.exit(f"{case.name} on {device.name} is not what NumPy gives: nothing was timed")
    return lambda: device.execute_program_with_params(program, params)


def run_rows(case: Case, rounds: int) -> Iterator[list[str]]:
    runs: dict[str, Callable[[], Any]] = {device.name: prepare(device, case) for device in devices()}
    runs["NumPy"] = case.peer
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            times[name].append(timed(run))
    for name, ms in times.items():
        middle = median(ms)
        rates = f"{case.moved / middle / 1e6:.2f}", f"{case.work / middle / 1e6:.2f}"
        ratio = f"{median(times['NumPy']) / middle:.2f}"
        yield [case.name, case.size, name, f"{middle:.1f}", f"{min(ms):.1f} to {max(ms):.1f}", *rates, ratio]


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
    """A Markdown table."""
    lines = [header.split("|"), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        print(f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |")
    print(flush=True)


@click.command()
@click.option("--case", "names", multiple=True, type=click.Choice(list(CASES)), help="One of them.  [default: all]")
@click.option("--rounds", default=7, show_default=True, type=click.IntRange(1))
def main(names: tuple[str, ...], rounds: int) -> None:
    """Every device found here and NumPy at the same work."""
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    tools = f"NumPy {np.__version__}, wasmtime {version('wasmtime')}"
    print(f"{date.today()}, {machine}, {tools}; medians of {rounds} rounds\n")
    cases = [CASES[name]() for name in names or CASES]
    header = "case|size|by|ms|from to|GB/s|G operations/s|times as fast as NumPy"
    table(header, [row for case in cases for row in run_rows(case, rounds)])
    # A collective is lowered when it runs: there is no module of the program as a whole.
    programs = [case for case in cases if not any(i.row.collective for i in case.program.instructions)]
    header = "program|instructions|bytes of WebAssembly|verify, ms|verify and compile to WebAssembly, ms|wasmtime, ms"
    table(header, [row for case in programs for row in first_launch_rows(case, rounds)])


if __name__ == "__main__":
    main()
