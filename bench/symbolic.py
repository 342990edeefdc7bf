"""`python -m bench.symbolic`: artifacts whose sizes are symbols beside those whose sizes are numbers, in a page.

Reductions and products of matrices, which a plan divides among lanes by formulas or by numbers. Both artifacts run on
our runtime in headless Chromium, turn by turn. What counts on WebGPU is the time of all threads of its GPU process,
where the software adapter computes (`bench.peers --processor`); on WebAssembly (`--where wasm`) the clock, on one
thread.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from statistics import median
from typing import Any

import click
import numpy as np

import hologram_web as hg
from e2e.browser import CACHING, Browser, NoBrowser

from .peers.cases import Case, total
from .peers.pages import OURS, install, opened, orders

_SUM = """
    .program sum
    .param x: buffer f32 read
    .param z: buffer f32 write
    {declared}
        parallel_reduce.add.f32 [z], [x], {n}
"""
_GEMM = """
    .program gemm
    .param x: buffer f32 read
    .param y: buffer f32 read
    .param z: buffer f32 write
    {declared}
        gemm.f32 [z], [x], [y], {m}, {n}, {k}
"""
# Rows, columns and what is summed: squares, and those that tiles of 8 x 8 a lane are too large for.
_PRODUCTS = ((128, 128, 128), (256, 256, 256), (8, 512, 512), (512, 16, 512), (3, 1024, 512), (1, 1024, 1024))


def _compiled(text: str, shapes: dict[str, Any], sizes: dict[str, Any], math: str) -> hg.CompiledProgram:
    declared = "\n    ".join(f".param {name}: u32" for name, size in sizes.items() if name == size)
    program = hg.Program.from_text(text.format(declared=declared, **sizes))
    return hg.compile(program, grid=hg.LaunchConfig(), shapes=shapes, math=math)


def _nothing(math: str) -> hg.CompiledProgram:
    raise NotImplementedError("`pair` says what is compiled")


def _product(m: int, n: int, k: int) -> Case:
    random = np.random.default_rng(6)
    x, y = (random.random(shape, np.float32) - np.float32(0.5) for shape in ((m, k), (k, n)))
    wanted, moved = x.astype(np.float64) @ y, 4 * (m * k + k * n + m * n)
    title = f"{m} x {n} x {k:,}"
    return Case("gemm", title, _nothing, {"x": x, "y": y}, wanted, moved, 2 * m * n * k, tolerance=1e-4)


def pair(case: Case, sizes: dict[str, int]) -> tuple[Case, Case]:
    """A case whose sizes are numbers, and the same with symbols."""

    def made(given: dict[str, Any]) -> Case:
        m, n, k = (given.get(name) for name in "mnk")
        if case.name == "sum":
            text: str = _SUM
            shapes: dict[str, Any] = {"x": (n,), "z": (1,)}
        else:
            text, shapes = _GEMM, {"x": (m, k), "y": (k, n), "z": (m, n)}
        scalars: dict[str, float] = {name: sizes[name] for name, size in given.items() if name == size}
        return replace(case, ours=partial(_compiled, text, shapes, given), scalars=scalars, bound="", lanes=0)

    return made(sizes), made({name: name for name in sizes})


def cases() -> Iterator[tuple[Case, dict[str, int]]]:
    for n in (1 << 16, 1 << 20, 1 << 22):
        yield total(n), {"n": n}
    for m, n, k in _PRODUCTS:
        yield _product(m, n, k), {"m": m, "n": n, "k": k}


def rows(
    browser: Browser, rounds: int, name: str, size: str, where: str
) -> Iterator[tuple[str, str, list[float], list[float]]]:
    """By case and size: the turns of both."""
    with opened(browser, where, where == "wasm", [OURS], where == "webgpu") as (page,):
        for case, sizes in cases():
            if name not in ("", case.name) or size not in ("", case.size):
                continue
            told = {
                title: orders(title, each)[OURS]
                for title, each in zip(("constant", "symbolic"), pair(case, sizes), strict=True)
            }
            times: dict[str, list[float]] = {title: [] for title in told}
            for order in told.values():
                page.prepare(order, 0, 300, 8)
            for number in range(rounds):
                for title in list(times)[:: 1 if number % 2 else -1]:  # who goes first takes turns, too
                    times[title].append(page.time(title))
            for title in told:
                page.forget(title)
            yield case.name, case.size, times["constant"], times["symbolic"]


@click.command(help=__doc__)
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
@click.option("--case", default="", help="sum or gemm alone.")
@click.option("--size", default="", help="One size alone, as the table has it.")
@click.option("--where", default="webgpu", show_default=True, type=click.Choice(("webgpu", "wasm")))
def main(rounds: int, case: str, size: str, where: str) -> None:
    install()
    try:
        with Browser(headers=CACHING) as browser:
            about = f"Chromium {browser.version}, {where}, medians of {rounds} turns, load {os.getloadavg()[0]:.0f}"
            print(f"{date.today()}, {about}\n")
            print("| case | size | numbers, ms | from to | symbols, ms | from to | ratio | in turns | of the least |")
            print("|---|---|---|---|---|---|---|---|---|")
            for name, shape, *sides in rows(browser, rounds, case, size, where):
                cells = " | ".join(f"{median(ms):.2f} | {min(ms):.2f} to {max(ms):.2f}" for ms in sides)
                numbers, symbols = sides
                turns = median(b / a for a, b in zip(numbers, symbols, strict=True))
                ratios = (median(symbols) / median(numbers), turns, min(symbols) / min(numbers))
                told = " | ".join(f"{ratio:.2f}" for ratio in ratios)
                print(f"| {name} | {shape} | {cells} | {told} |", flush=True)
    except NoBrowser as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
