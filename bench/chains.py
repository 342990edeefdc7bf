"""`python -m bench.chains`: chains of nine operations on lazy arrays beside copies of as many bytes, turn by turn.

Natively on `wasm`, F32, 4 Mi elements, results compared with NumPy's first. A chain of two arrays moves three of them,
a copy two; bytes moved each second are compared. With `--processor` it is time of the processors: less is lost where
others use them, too.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from datetime import date
from statistics import median
from time import perf_counter, process_time

import click
import numpy as np

import hologram_web as hg

__all__ = ["CHAINS", "turns"]

_SIZE = 1 << 22
CHAINS: dict[str, tuple[int, Callable]] = {
    "products and sums": (2, lambda x, y: ((((x * 2 + 1) * x - 3) * 0.5 + x) * x - 1.5) * 0.25),
    "with a maximum of 0": (2, lambda x, y: np.maximum(((x * 2 + 1) * x - 3) * 0.5 + x, 0) * 0.25 - 1),
    "with a clip": (2, lambda x, y: np.clip(((x * 2 + 1) * x - 3) * 0.5 + x, -0.5, 0.75) * 0.25),
    "two arrays, maxima": (3, lambda x, y: np.maximum((np.maximum(x * y + x, 0) * y - x) * 0.5 + y, x) - 1),
}
_COPIES = {"a copy": (2, abs), "a sum of two": (3, lambda x, y: x + y)}  # as much is moved, and next to nothing done


def turns(rounds: int, threads: int, processor: bool = False, size: int = _SIZE) -> dict[str, list[float]]:
    """Milliseconds of each turn."""
    clock = process_time if processor else perf_counter
    given = [np.random.default_rng(k).random(size, np.float32) - np.float32(0.5) for k in (1, 2)]
    cases = {**_COPIES, **CHAINS}
    found: dict[str, list[float]] = {name: [] for name in cases}
    with hg.Executor("wasm", threads=threads) as ex:
        arrays = [ex.array(each) for each in given]

        def run(name: str, on: list) -> object:
            return cases[name][1](*on[: 1 if name == "a copy" else 2])

        for name in cases:
            assert np.allclose(run(name, arrays).numpy(), run(name, given), rtol=1e-5, atol=1e-6), name
        for _ in range(rounds):
            for name in cases:
                start = clock()
                run(name, arrays).realize()
                found[name].append((clock() - start) * 1e3)
    return found


@click.command()
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1))
@click.option("--processor", is_flag=True, help="Time of the processors.")
def main(rounds: int, threads: int, processor: bool) -> None:
    """Chains of nine operations beside copies of as many bytes."""
    found = turns(rounds, threads, processor)
    what = "time of the processors" if processor else "time of the clock"
    print(f"{date.today()}, {os.cpu_count()} cores ({platform.machine()}), threads: {threads}, {rounds} turns, {what}")
    print("\n| chain | ms: median | least | GB/s | of the copy's, medians | least times |")
    print("|---|---|---|---|---|---|")
    copies = {moved: name for name, (moved, _) in _COPIES.items()}
    for name, times in found.items():
        moved = {**_COPIES, **CHAINS}[name][0]
        copy = found[copies[moved]]
        rate = moved * 4 * _SIZE / median(times) / 1e6
        row = f"{median(times):.2f} | {min(times):.2f} | {rate:.1f}"
        print(f"| {name} | {row} | {median(copy) / median(times):.2f} | {min(copy) / min(times):.2f} |", flush=True)


if __name__ == "__main__":
    main()
