"""`python -m bench.reductions`: reductions of arrays beside NumPy's, turn by turn, results compared first.

Natively, one thread each (`wasm`), time of the clock with reading the result; the least and the median of the turns.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from datetime import date
from statistics import median
from time import perf_counter

import click
import numpy as np

import hologram_web as hg

from .turns import in_turns

__all__ = ["CASES", "turns"]

CASES: dict[str, tuple[tuple[int, ...], Callable]] = {
    "sum": ((1 << 20,), lambda x: np.sum(x)),
    "sum of rows": ((1024, 1024), lambda x: np.sum(x, axis=1)),
    "sum of columns": ((1024, 1024), lambda x: np.sum(x, axis=0)),
    "sum of short rows": ((100_000, 10), lambda x: np.sum(x, axis=1)),
    "sum of rows of 1,001": ((1000, 1001), lambda x: np.sum(x, axis=1)),
    "greatest of rows": ((1024, 1024), lambda x: np.max(x, axis=1)),
    "sum of squares": ((1024, 1024), lambda x: np.sum(x * x)),
    "variance of rows": ((1024, 1024), lambda x: np.var(x, axis=1)),
}


def turns(
    device: str, name: str, rounds: int, shape: tuple[int, ...] | None = None, dtype: str = "float32"
) -> dict[str, list[float]]:
    """Milliseconds of each turn, ours and NumPy's."""
    whole, reduced = CASES[name]
    x = np.random.default_rng(1).random(shape or whole).astype(dtype)
    with hg.Executor(device, **({"threads": 1} if device == "wasm" else {})) as ex:
        array = ex.array(x)
        sides = {"ours": lambda: np.asarray(reduced(array)), "NumPy": lambda: np.asarray(reduced(x))}
        assert np.allclose(sides["ours"](), sides["NumPy"](), rtol=1e-4)
        assert ex.backend.selected == device or device == "auto"
        return in_turns(sides, rounds, perf_counter)


@click.command()
@click.option("--device", default="wasm", show_default=True)
@click.option("--dtype", default="float32", show_default=True)
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
def main(device: str, dtype: str, rounds: int) -> None:
    """Reductions of arrays beside NumPy's."""
    print(f"{date.today()}, {device}, {dtype}, {os.cpu_count()} cores ({platform.machine()}), {rounds} turns")
    print("\n| case | shape | ours, ms: median | least | NumPy, median | least | ratio of medians |")
    print("|---|---|---|---|---|---|---|")
    for name, (shape, _) in CASES.items():
        ours, peer = turns(device, name, rounds, dtype=dtype).values()
        size = " x ".join(f"{each:,}" for each in shape)
        row = f"{median(ours):.3f} | {min(ours):.3f} | {median(peer):.3f} | {min(peer):.3f}"
        print(f"| {name} | {size} | {row} | {median(ours) / median(peer):.2f} |", flush=True)


if __name__ == "__main__":
    main()
