"""`python -m bench.arrays`: what lazy arrays and functions of them take from Python, natively and, with `--pyodide`, in
a page and a worker of Chromium.

`function` is a call of an `hg.function` of twenty operations, `rebuilt` the same twenty nodes made anew with what finds
their plan and runs it, on 16 elements, which take no time themselves. `additions` are 10,000 nodes in a process that
has seen none, from the first one to the result. `cycles` makes, computes and frees 10,000 arrays, after which as many
bytes live as before. Results are looked at.
"""

# mypy: ignore-errors

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Iterator
from datetime import date
from statistics import median
from typing import Any

import click

from e2e.browser import Browser, NoBrowser
from examples.edges.chromium import bundle
from tests.where import write_bundle

__all__ = ["here"]

_CODE = """
import gc
import time
import hologram_web as hg
from hologram_web import array_api as xp

def twenty(x, y):
    for _ in range(10):
        x = (x + y) * 0.5
    return x

async def additions(device, count):
    ex = hg.Executor(device)
    x = z = ex.full(16, 1, hg.f32)[:]
    start = time.process_time()
    for _ in range(count):
        z = z + x
    found = list(await z.read())
    took = time.process_time() - start
    assert found == [count + 1.0] * 16, found
    return [took * 1e6]

async def cycles(device, count):
    ex = hg.Executor(device)
    x = ex.full(16, 1, hg.f32)[:]
    await (x + 1.0).read()
    gc.collect()
    before = ex.stats()["live_bytes"]
    start = time.process_time()
    for number in range(count):
        y = (x + float(number) + xp.zeros(16, dtype=hg.f32, device=ex)).realize()
    assert list(await y.read()) == [float(count)] * 16
    took = time.process_time() - start
    del y
    gc.collect()
    after = ex.stats()["live_bytes"]
    assert after == before, f"{after:,} bytes live, and {before:,} before"
    return [took * 1e6 / count]

async def calls(device, rounds, repeats, what):
    ex = hg.Executor(device)
    x, y = (ex.full(16, value, hg.f32)[:] for value in (3, 1))
    made = hg.function(twenty, device=ex)
    run = {"function": lambda: made(x, y), "rebuilt": lambda: twenty(x, y).realize()}[what]
    for _ in range(20):
        assert abs(list(await run().read())[0] - (1 + 2 / 1024)) < 1e-6
    found = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(repeats):
            last = run()
        found.append((time.process_time() - start) / repeats * 1e6)
        await last.read()
    return found

async def measured(what, device, rounds, repeats, count):
    if what in ("function", "rebuilt"):
        return await calls(device, rounds, repeats, what)
    return await {"additions": additions, "cycles": cycles}[what](device, count)

"""
CASES = ("function", "rebuilt", "additions", "cycles")


def here(what: str, device: str, rounds: int, repeats: int, count: int) -> list[float]:
    """Microseconds of each round, in this process: of a call, of all additions, of a cycle."""
    scope: dict[str, Any] = {}
    exec(_CODE, scope)
    return asyncio.run(scope["measured"](what, device, rounds, repeats, count))


def in_chromium(*order: Any) -> Iterator[tuple[str, list[float]]]:
    """Where, and the same there."""
    for where in ("page", "worker"):
        with Browser() as browser:
            yield f"Chromium, {where}", browser.run("python.mjs", where, 560, code=f"{_CODE}await measured{order}").json


@click.command()
@click.option("--device", "devices", multiple=True, default=["wasm"], show_default=True)
@click.option("--case", "cases", multiple=True, default=CASES, show_default=True, type=click.Choice(CASES))
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
@click.option("--repeats", default=300, show_default=True, type=click.IntRange(1), help="Calls of a round.")
@click.option("--count", default=10_000, show_default=True, type=click.IntRange(1), help="Of additions and cycles.")
@click.option("--pyodide", is_flag=True, help="In Pyodide as well.")
def main(devices: list[str], cases: list[str], rounds: int, repeats: int, count: int, pyodide: bool) -> None:
    """What lazy arrays take from Python."""
    print(f"{date.today()}, {os.cpu_count()} cores ({platform.machine()}), medians of {rounds} rounds")
    print("\n| case | where | device | us | from to |\n|---|---|---|---|---|")
    if pyodide:
        bundle()
        write_bundle(expected=False)
    for what in cases:
        for device in devices:
            order = (what, device, rounds, repeats, count)
            found = [(f"Python {platform.python_version()}", here(*order))]
            try:
                found += in_chromium(*order) if pyodide else []
            except NoBrowser as error:
                print(f"left out: Chromium, {error}")
            for where, us in found:
                row = f"{median(us):,.1f} | {min(us):,.1f} to {max(us):,.1f}"
                print(f"| {what} | {where} | {device} | {row} |", flush=True)


if __name__ == "__main__":
    main()
