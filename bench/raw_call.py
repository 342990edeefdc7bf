"""`python -m bench.raw_call`: the bare call of a kernel's function from JavaScript, beside one by hand.

All add 256 elements, take the same argument block and are called in the same loop, in Node and in Chromium; results are
compared before anything is timed. A turn is some thousand calls, which mostly are over before others want the
processor: the quarter of the turns that went best says what a call takes.
"""

from __future__ import annotations

import os
import platform
from datetime import date
from pathlib import Path
from statistics import median

import click
import wasmtime

from bench.launch_js import in_node
from bench.peers.cases import CASES
from e2e.browser import ROOT, Browser
from hologram_web.plan.reader import read

FOLDER = ROOT / "build" / "bench"
BY_HAND = Path(__file__).with_name("hand") / "add_call.wat"


def write_modules() -> tuple[int, list[tuple[str, str]]]:
    """How many elements there are; where the modules lie, and the name of the function: ours, and those by hand. Ours
    has its argument block as these expect it."""
    case = CASES["call"]()
    file = read(case.ours("exact").to_bytes())
    (kernel,) = file.kernels
    names = [kernel.memories[number].base for number in kernel.wasm.memories]
    assert (names, len(kernel.wasm.scalars), kernel.block) == (["x", "y", "z"], 1, (256, 1, 1))
    FOLDER.mkdir(parents=True, exist_ok=True)
    codes = (file.modules[kernel.wasm.module], bytes(wasmtime.wat2wasm(BY_HAND.read_text(encoding="utf-8"))))
    paths = [f"/build/bench/add.{number}.wasm" for number in range(len(codes))]
    for path, code in zip(paths, codes, strict=True):
        Path(f"{ROOT}{path}").write_bytes(code)
    ours, hand = paths
    return case.arrays["x"].size, [(ours, "kernel"), (hand, "kernel"), (hand, "four")]


def best(turns: list[float]) -> float:
    """The median of the quarter that went best."""
    return median(sorted(turns)[: -(-len(turns) // 4)])


@click.command()
@click.option("--rounds", default=101, show_default=True, type=click.IntRange(1))
@click.option("--repeats", default=5000, show_default=True, type=click.IntRange(1), help="Calls in a turn.")
def main(rounds: int, repeats: int) -> None:
    """The bare call of a kernel's function, beside one by hand."""
    n, sides = write_modules()
    args = {"n": n, "sides": sides, "rounds": rounds, "repeats": repeats}
    found = {"Node": in_node(args, "raw_call.mjs")}
    with Browser() as browser:
        found[f"Chromium {browser.version}"] = browser.run("raw_call.mjs", seconds=560, **args).json
    print(f"{date.today()}, {os.cpu_count()} cores ({platform.machine()}), the best quarter of {rounds} turns")
    print("\n| a call of 256 elements in | ours, ns | by hand, ns | times that | four vectors a round | times that |")
    print("|---|---|---|---|---|---|")
    for where, times in found.items():
        ours, hand, four = map(best, times)
        print(f"| {where} | {ours:.1f} | {hand:.1f} | {ours / hand:.2f} | {four:.1f} | {ours / four:.2f} |")


if __name__ == "__main__":
    main()
