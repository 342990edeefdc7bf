"""`python -m bench.tuning`: how long a page stands still while `hg.tune_async` and `hg.tune` time schedules in it.

Python runs in Pyodide on the page's own thread, in Chromium, on `wasm`. Beats, calls of a timer that the browser makes
every four milliseconds if it can, are tasks as clicks are: the longest time between two is the longest that the page
stood still. It stands beside the steps of the tuner that take longest, of a candidate's plan and its first run, which
makes its code, and beside one run. A product of another size was tuned before, so that modules are there.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
from datetime import date

import click

from e2e.browser import Browser
from tests.where import write_bundle

CASES = {
    "GEMM 24 x 40 x 33": ("GEMM", {"m": 24, "n": 40, "k": 33}),
    "GEMM 256 x 256 x 256": ("GEMM", {"m": 256, "n": 256, "k": 256}),
    "Conv2D, 16 channels of 28 x 28 by 3 x 3": (
        "Conv2D",
        {"batch": 1, "in_channels": 16, "out_channels": 16, "height": 28, "width": 28, "kernel_h": 3, "kernel_w": 3},
    ),
}
_CODE = """
import time
import js
from pyodide.ffi import create_proxy
import hologram_web as hg
from hologram_web_tools import tune as tuning

class Beats:
    def __enter__(self):
        self.longest, self.count, self.last = 0.0, 0, time.perf_counter()
        self.called = create_proxy(self.beat)
        self.timer = js.setInterval(self.called, 0)
        return self

    def beat(self):
        now = time.perf_counter()
        self.longest, self.last, self.count = max(self.longest, now - self.last), now, self.count + 1

    def __exit__(self, *error):
        js.clearInterval(self.timer)
        self.beat()
        self.called.destroy()

def timed(steps):
    # Steps, with the longest of them by what the tuner did.
    real = tuning._Trial._run
    def run(self, choice):
        making, first = real(self, choice), [True]
        while True:
            start = time.perf_counter()
            try:
                next(making)
            except StopIteration as done:
                found = done.value
                break
            finally:
                steps["plan"] = max(steps["plan"], time.perf_counter() - start)
            yield None
        def go():
            start = time.perf_counter()
            found()
            kind, first[:] = "first run" if first else "run", []
            steps[kind] = max(steps[kind], time.perf_counter() - start)
        return go
    tuning._Trial._run = run
    return real

async def measured(operation, shapes):
    shapes = {name: tuple(value) if isinstance(value, list) else value for name, value in shapes.items()}
    ex = await hg.Executor.open("wasm")
    await hg.tune_async("GEMM", {"m": 5, "n": 7, "k": 9}, hg.f32, ex, seconds=0, again=True)
    found = {}
    for name in ("tune_async", "tune"):
        steps = {"plan": 0.0, "first run": 0.0, "run": 0.0}
        real = timed(steps)
        try:
            with Beats() as beats:
                told = getattr(hg, name)(operation, shapes, hg.f32, ex, seconds=0.5, again=True)
                told = await told if name == "tune_async" else told
        finally:
            tuning._Trial._run = real
        found[name] = [1000 * beats.longest, beats.count, len(told.candidates), *(1000 * s for s in steps.values())]
    return found

"""


@click.command()
@click.option("--case", "cases", multiple=True, type=click.Choice(list(CASES)), help="By default all.")
def main(cases: tuple[str, ...]) -> None:
    """How long a page stands still while schedules are timed in it."""
    write_bundle(expected=False)
    print(f"{date.today()}, Chromium, load {os.getloadavg()[0]:.1f}\n")
    print("| | form | still at most, ms | beats | candidates | plan, longest | first run | run |")
    print("|---|---|---|---|---|---|---|---|")
    for name in cases or CASES:
        operation, shapes = CASES[name]
        with Browser() as browser:
            code = f"{_CODE}await measured({operation!r}, {shapes!r})"
            for form, (longest, beats, count, *steps) in browser.run("python.mjs", "page", 500, code=code).json.items():
                cells = " | ".join(f"{ms:.0f}" for ms in steps)
                print(f"| {name} | `{form}` | {longest:.0f} | {beats:,} | {count} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
