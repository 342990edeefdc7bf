"""`python -m bench.launch_pyodide`: what a bound launch on Buffers takes from Python in Pyodide, on `wasm`.

The kernel is that of bench/launch.py, with 1,000 elements and with 16, where it takes no time itself: in Node, and in a
page and a worker of Chromium. The result is looked at before anything is timed. Both sizes take turns, and the first
rounds are shown apart: for some 20,000 launches the engine is still making Python's interpreter and the runtime faster,
on other threads. A launch that takes long is handed to threads, and those behind it wait: that one round takes many
times as long as the others shows a machine that is busy.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from datetime import date
from statistics import median

import click

from e2e.browser import Browser, NoBrowser
from examples.edges.chromium import bundle
from tests.where import write_bundle

from .launch_js import in_node

_SIZES = (1000, 16)
_CODE = """
import time
import hologram_web as hg

@hg.kernel
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = a * x[i] + y[i]

async def measured(sizes, warm, rounds, repeats):
    ex = hg.Executor("wasm")
    sides = []
    for n in sizes:
        x, y, z = (ex.full(n, value, hg.f32) for value in (1, 2, 0))
        bound = saxpy.on(ex)[n]
        for _ in range(5):  # launches like one that is done are done within the call
            bound(2.0, x, y, z)
            assert list(await z.read()) == [4.0] * n
        sides.append((bound, x, y, z, []))
    for _ in range(warm + rounds):
        for bound, x, y, z, found in sides:
            await z.read()  # what waits is done
            start = time.perf_counter()
            for _ in range(repeats):
                bound(2.0, x, y, z)
            found.append((time.perf_counter() - start) / repeats * 1e6)
    return [found for *_, found in sides]

"""


def measured(warm: int, rounds: int, repeats: int) -> Iterator[tuple[str, list[list[float]]]]:
    """Where, and the microseconds of each round, for each number of elements."""
    bundle()
    write_bundle(expected=False)
    code = f"{_CODE}await measured({_SIZES}, {warm}, {rounds}, {repeats})"
    yield "Node", in_node({"code": code}, "python.mjs")
    try:
        for where in ("page", "worker"):
            with Browser() as browser:
                yield f"Chromium, {where}", browser.run("python.mjs", where, 560, code=code).json
    except NoBrowser as error:
        print(f"left out: Chromium, {error}")


@click.command()
@click.option("--warm", default=50, show_default=True, type=click.IntRange(1), help="Rounds before them, shown apart.")
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
@click.option("--repeats", default=500, show_default=True, type=click.IntRange(1), help="Launches of a round.")
def main(warm: int, rounds: int, repeats: int) -> None:
    """What a launch costs from Python in Pyodide."""
    print(f"{date.today()}, {os.cpu_count()} cores ({platform.machine()}), medians of {rounds} rounds")
    print("\n| a launch in Pyodide | lanes | us | from to | in the first rounds |\n|---|---|---|---|---|")
    for where, sides in measured(warm, rounds, repeats):
        for lanes, all_times in zip(_SIZES, sides, strict=True):
            first, times = all_times[:warm], all_times[warm:]
            spread = f"{min(times):.1f} to {max(times):.1f}"
            print(f"| {where} | {lanes:,} | {median(times):.1f} | {spread} | {median(first):.1f} |", flush=True)


if __name__ == "__main__":
    main()
