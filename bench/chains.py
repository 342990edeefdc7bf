"""`python -m bench.chains`: chains of nine operations on lazy arrays beside copies of as many bytes, turn by turn.

Natively on `wasm`, F32, 4 Mi elements, results compared with NumPy's first. A chain of two arrays moves three of them,
a copy two; bytes moved each second are compared. Loops by hand (`hand/chains.wat`) do the same in the same engine and
the same memory on one thread: what they lack to a copy by hand is the limit, and so is what they take where the
data stay in the first cache, which is arithmetic alone. They know the numbers of a choice, which is one instruction
then; those of "any number" are for numbers that are not known, as ours are, and have NaN and signs of zeros as MIN and
MAX do. With `--processor` it is time of the processors: less is lost
where others use them, too.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import click
import numpy as np
import wasmtime

import hologram_web as hg
from hologram_web.backends.wasm.arena import FastCall

from .turns import in_turns

__all__ = ["CHAINS", "SIDES", "by_hand", "turns"]

_SIZE = 1 << 22
_CACHED = 1 << 11  # elements, so that 24 KiB are all that a loop by hand moves
_CODE = Path(__file__).with_name("hand") / "chains.wat"
CHAINS: dict[str, tuple[int, Callable]] = {
    "products and sums": (2, lambda x, y: ((((x * 2 + 1) * x - 3) * 0.5 + x) * x - 1.5) * 0.25),
    "with a maximum of 0": (2, lambda x, y: np.maximum(((x * 2 + 1) * x - 3) * 0.5 + x, 0) * 0.25 - 1),
    "with a clip": (2, lambda x, y: np.clip(((x * 2 + 1) * x - 3) * 0.5 + x, -0.5, 0.75) * 0.25),
    "two arrays, maxima": (3, lambda x, y: np.maximum((np.maximum(x * y + x, 0) * y - x) * 0.5 + y, x) - 1),
}
COPIES = {"a copy": (2, lambda x, y: abs(x)), "a sum of two": (3, lambda x, y: x + y)}  # next to nothing is done
_ALL = {**COPIES, **CHAINS}
_EXPORTS = dict(zip(_ALL, ("copy", "sum", "products", "maximum", "clip", "two"), strict=True))
_ANY = {"with a maximum of 0": "maximum_any", "with a clip": "clip_any"}
SIDES = "arrays", "function", "by hand", "any number", "in the cache"


def by_hand(
    ex: hg.Executor, given: list[hg.Buffer], names: dict[str, str] | None = None
) -> dict[str, Callable[[int, int], np.ndarray]]:
    """The loops by hand in the executor's memory, of so many elements and rounds: each gives where its result is."""
    device, result = ex.device, ex.empty(given[0].size)
    module = wasmtime.Module(device._engine, _CODE.read_text("utf-8"))
    exports = wasmtime.Instance(device._store, module, [device._arena.memory]).exports(device._store)
    begin = device._arena.bytes.ctypes.data
    places = [each.view().ctypes.data - begin for each in (*given, result)]

    def call(loop: FastCall, size: int, rounds: int) -> np.ndarray:
        loop(*places, 4 * size, rounds)
        return result.view()

    return {
        name: partial(call, FastCall(device._store, exports[export], 5)) for name, export in (names or _EXPORTS).items()
    }


def turns(rounds: int, threads: int, processor: bool = False, size: int = _SIZE) -> dict[str, dict[str, list[float]]]:
    """Milliseconds of each turn, by case and side. `size` is a multiple of 8."""
    clock = process_time if processor else perf_counter
    given = [np.random.default_rng(k).random(size, np.float32) - np.float32(0.5) for k in (1, 2)]
    cached = min(size, _CACHED)
    with hg.Executor("wasm", threads=threads) as ex:
        arrays = [ex.array(each) for each in given]
        loops = by_hand(ex, arrays)
        loops_any = {**loops, **by_hand(ex, arrays, _ANY)}

        def runs(name: str) -> dict[str, Callable]:
            text = _ALL[name][1]
            function = hg.function(lambda x, y: text(x, y))
            return {
                "arrays": lambda: text(*arrays).realize(),
                "function": lambda: function(*arrays).realize(),
                "by hand": lambda: loops[name](size, 1),
                "any number": lambda: loops_any[name](size, 1),
                "in the cache": lambda: loops[name](cached, size // cached),
            }

        every = {name: runs(name) for name in _ALL}
        for name, (_, text) in _ALL.items():
            wanted = text(*given)
            results = [every[name][side]().numpy() for side in SIDES[:2]]
            for result in (*results, loops[name](size, 1), loops_any[name](size, 1)):
                assert np.allclose(result, wanted, rtol=1e-5, atol=1e-6), name
        times = in_turns({(name, side): every[name][side] for name in _ALL for side in SIDES}, rounds, clock)
    return {name: {side: times[name, side] for side in SIDES} for name in _ALL}


@click.command()
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1))
@click.option("--processor", is_flag=True, help="Time of the processors.")
@click.option("--least", is_flag=True, help="Least times in place of medians.")
def main(rounds: int, threads: int, processor: bool, least: bool) -> None:
    """Chains of nine operations beside copies of as many bytes, and loops by hand."""
    load, of = os.getloadavg()[0], min if least else median
    found = turns(rounds, threads, processor)
    what = "time of the processors" if processor else "time of the clock"
    print(f"{date.today()}, {os.cpu_count()} cores ({platform.machine()}), load {load:.1f}, threads: {threads}, {what}")
    print(
        f"{'least times' if least else 'medians'} of {rounds} turns, ms; in brackets bytes each second, of the copy's\n"
    )
    print(f"| chain | {' | '.join(SIDES)} | function, any number = 1 |\n|---|---|---|---|---|---|---|")
    copies = {moved: name for name, (moved, _) in COPIES.items()}
    for name, sides in found.items():
        cells = []
        for side, times in sides.items():
            share = f" ({of(found[copies[_ALL[name][0]]][side]) / of(times):.2f})"
            cells.append(f"{of(times):.2f}" + share * (name in CHAINS and side != "in the cache"))
        ratio = of(sides["function"]) / of(sides["any number"])
        print(f"| {name} | {' | '.join(cells)} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
