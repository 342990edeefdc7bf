"""`python -m bench.symbolic`: artifacts whose sizes are symbols beside those whose sizes are numbers, in a page.

Reductions and products of matrices, which a plan divides among the lanes of WebGPU by formulas or by numbers. Both
artifacts run on our runtime in headless Chromium, turn by turn; what counts is the time of all threads of its GPU
process, where the software adapter computes (`bench.peers --processor`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from statistics import median

import click

import hologram_web as hg
from e2e.browser import CACHING, Browser, NoBrowser

from .peers.cases import Case, gemm, total
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
        gemm.f32 [z], [x], [y], {n}, {n}, {n}
"""


def _compiled(text: str, shapes: dict[str, tuple[int | str, ...]], n: int | str, math: str) -> hg.CompiledProgram:
    declared = ".param n: u32" if n == "n" else ""
    program = hg.Program.from_text(text.format(declared=declared, n=n))
    return hg.compile(program, grid=hg.LaunchConfig(), shapes=shapes, math=math)


def pair(name: str, n: int) -> tuple[Case, Case]:
    """A case whose sizes are numbers, and the same with symbols."""
    case = total(n) if name == "sum" else gemm(n)

    def made(size: int | str) -> Case:
        rank = 1 if name == "sum" else 2
        shapes: dict[str, tuple[int | str, ...]] = dict.fromkeys([*case.arrays, "z"], (size,) * rank)
        if name == "sum":
            shapes["z"] = (1,)
        ours = partial(_compiled, _SUM if name == "sum" else _GEMM, shapes, size)
        return replace(case, ours=ours, scalars={"n": n} if size == "n" else {}, bound="", lanes=0)

    return made(n), made("n")


def rows(browser: Browser, rounds: int) -> Iterator[tuple[str, str, list[float], list[float]]]:
    """By case and size: the turns of both."""
    with opened(browser, "webgpu", False, [OURS], True) as (page,):
        for name, n in (("sum", 1 << 16), ("sum", 1 << 20), ("sum", 1 << 22), ("gemm", 128), ("gemm", 256)):
            told = {
                title: orders(title, case)[OURS]
                for title, case in zip(("constant", "symbolic"), pair(name, n), strict=True)
            }
            times: dict[str, list[float]] = {title: [] for title in told}
            for order in told.values():
                page.prepare(order, 0, 300, 8)
            for number in range(rounds):
                for title in list(times)[:: 1 if number % 2 else -1]:  # who goes first takes turns, too
                    times[title].append(page.time(title))
            for title in told:
                page.forget(title)
            yield name, f"{n:,}", times["constant"], times["symbolic"]


@click.command(help=__doc__)
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    install()
    try:
        with Browser(headers=CACHING) as browser:
            about = f"Chromium {browser.version}, medians of {rounds} turns, load {os.getloadavg()[0]:.0f}"
            print(f"{date.today()}, {about}\n")
            print(
                "| case | size | numbers, ms | from to | symbols, ms | from to | ratio |\n|---|---|---|---|---|---|---|"
            )
            for name, size, *sides in rows(browser, rounds):
                cells = " | ".join(f"{median(ms):.2f} | {min(ms):.2f} to {max(ms):.2f}" for ms in sides)
                print(f"| {name} | {size} | {cells} | {median(sides[1]) / median(sides[0]):.2f} |", flush=True)
    except NoBrowser as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
