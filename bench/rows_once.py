"""`python -m bench.rows_once`: norms and Softmax with rows in registers, and with rows that are read again, in turns.

On WebGPU in Chromium, or natively with `--native` on `webgpu` or `wasm`, 1 Mi elements of F32; both forms have the same
bits, which is looked at first. Rows of 32 elements and fewer are one lane's on WebGPU, and have one form. Time is the
processors': natively this process's, in Chromium that of the GPU process, where all threads of a software adapter are.
What the first call takes is told, too: rows in registers are more code.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from time import process_time
from typing import Any

import click
import numpy as np

import hologram_web as hg
from bench.peers.pages import of_gpu_process
from e2e.browser import CACHING, Browser
from hologram_web.array import run as arrays
from hologram_web.tensor import norms, softmaxes

__all__ = ["CASES", "FORMS", "formed", "native"]

CASES: dict[str, Callable[[Any], Any]] = {
    "layer_norm": lambda x: hg.ops.layer_norm(x, x[0], x[1]),
    "softmax": lambda x: hg.ops.softmax(x),
    "log_softmax": lambda x: hg.ops.log_softmax(x),
}
FORMS = {"again": lambda n, *_: (0, ""), "once": lambda n, *_: (-(-n // 32), "")}
_RUN = """async ([files, rows, n]) => {
  const { Runtime } = await import("/web/dist/index.js");
  const runtime = await Runtime.create({ backend: "webgpu" });
  const x = runtime.buffer("f32", Float32Array.from({ length: rows * n }, (_, i) => (i * 7919) % 64 / 64), [rows, n]);
  globalThis.runs = {};
  for (const [name, text] of Object.entries(files)) {
    const result = runtime.buffer("f32", { shape: [rows, n] });
    let program;
    runs[name] = async (times, whole) => {
      program ??= await runtime.load(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
      for (let time = 1; time < times; time++) program.run({ x, result });
      await program.run({ x, result });
      if (!whole) return "";
      const bytes = await crypto.subtle.digest("SHA-256", (await result.read()).buffer);
      return [...new Uint8Array(bytes)].join(" ");
    };
  }
}"""


@contextmanager
def formed(name: str) -> Iterator[None]:
    """Meanwhile all rows are read so."""
    chosen = norms.choose
    norms.choose = softmaxes.choose = FORMS[name]
    try:
        yield
    finally:
        norms.choose = softmaxes.choose = chosen


def native(device: str, case: str, rows: int, n: int) -> Iterator[tuple[str, Callable[[int, bool], Any]]]:
    """The forms, each with what runs it so many times, and gives its bits if asked."""
    ex = hg.Executor(device)
    x = ex.array((np.arange(rows * n) * 7919 % 64 / 64).astype("f4").reshape(rows, n))
    for name in FORMS:
        arrays._plans.clear()
        with formed(name):
            function = hg.function(CASES[case], device=ex)
            function(x).realize()

        def run(times: int, whole: bool, function: Any = function) -> Any:
            for _ in range(times):
                found = function(x).realize()
            ex.sync()
            return found.numpy().tobytes() if whole else None

        yield name, run


def _files(case: str, rows: int, n: int) -> dict[str, str]:
    found = {}
    for name in FORMS:
        with formed(name), hg.Executor("wasm") as ex:
            compiled = hg.function(CASES[case], device=ex).compile(x=hg.Array[hg.f32, rows, n])
            found[name] = base64.b64encode(compiled.to_bytes()).decode()
    return found


@click.command()
@click.option("--rounds", default=15, show_default=True, type=click.IntRange(1))
@click.option("--times", default=4, show_default=True, type=click.IntRange(1), help="Calls of a turn.")
@click.option("--native", "device", type=click.Choice(["webgpu", "wasm"]), help="Natively on that device.")
@click.option("--length", "lengths", multiple=True, default=[64, 256, 1000], show_default=True, type=int)
def main(rounds: int, times: int, device: str | None, lengths: list[int]) -> None:
    """Rows that are read once, and again, ms of the processor for a call, least of the turns."""
    print(f"{date.today()}, {device or 'Chromium'}, load {os.getloadavg()[0]:.1f}, {rounds} turns\n")
    print("| operation | rows | again | once | of it | first, again | first, once |\n|---|---|---|---|---|---|---|")
    for case in CASES:
        for n in lengths:
            rows = (1 << 20) // n
            if device:
                _told(case, rows, n, dict(native(device, case, rows, n)), process_time, rounds, times)
                continue
            with Browser(headers=CACHING) as browser:
                page = browser.page("/e2e/page.html")
                page.evaluate(_RUN, [_files(case, rows, n), rows, n])
                runs = {name: _in_page(page, name) for name in FORMS}
                spent = of_gpu_process()
                _told(case, rows, n, runs, lambda spent=spent: spent() / 1e9, rounds, times)


def _in_page(page: Any, name: str) -> Callable[[int, bool], Any]:
    return lambda times, whole: page.evaluate(f"([times, whole]) => runs.{name}(times, whole)", [times, whole])


def _told(case: str, rows: int, n: int, runs: Any, clock: Callable[[], float], rounds: int, times: int) -> None:
    first, bits, took = {}, {}, {name: [] for name in runs}
    for name, run in runs.items():
        begun = clock()
        bits[name] = run(1, True)
        first[name] = 1000 * (clock() - begun)
    assert bits["again"] == bits["once"], (case, n)
    for _ in range(rounds):
        for name, run in runs.items():
            begun = clock()
            run(times, False)
            took[name].append(1000 * (clock() - begun) / times)
    again, once = (min(took[name]) for name in FORMS)
    firsts = " | ".join(f"{first[name]:.0f}" for name in FORMS)
    print(f"| {case} | {rows} x {n} | {again:.1f} | {once:.1f} | {once / again:.2f} | {firsts} |", flush=True)


if __name__ == "__main__":
    main()
