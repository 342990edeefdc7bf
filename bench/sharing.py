"""`python -m bench.sharing`: rows that the lanes of a block share, `for i in range(lane, n, LANES)`.

Beside the same with rounds that are counted by hand, which all lanes do alike, and a last one for some; natively.
"""

from __future__ import annotations

import os
from datetime import date
from functools import partial

import click
import numpy as np

import hologram_web as hg

from .turns import in_turns

_ELEMENTS = 1 << 19


@hg.kernel
def shared(x: hg.Array[hg.f32, 2], out: hg.Array[hg.f32, 2]):
    """What each element is above the sum of its row's first two parts."""
    lane, row = hg.local_id(0), hg.block_id(0)
    parts = hg.shared(hg.f32, 64)
    total = hg.f32(0)
    for i in range(lane, x.shape[1], 64):
        total += x[row, i]
    parts[lane] = total
    hg.barrier()
    above = parts[0] + parts[1]
    for i in range(lane, x.shape[1], 64):
        out[row, i] = x[row, i] - above


@hg.kernel
def by_hand(x: hg.Array[hg.f32, 2], out: hg.Array[hg.f32, 2]):
    """The same, in whole rounds and a last one."""
    lane, row = hg.local_id(0), hg.block_id(0)
    parts = hg.shared(hg.f32, 64)
    total = hg.f32(0)
    whole = x.shape[1] // 64
    last = whole * 64 + lane
    for k in range(whole):
        total += x[row, k * 64 + lane]
    if last < x.shape[1]:
        total += x[row, last]
    parts[lane] = total
    hg.barrier()
    above = parts[0] + parts[1]
    for k in range(whole):
        out[row, k * 64 + lane] = x[row, k * 64 + lane] - above
    if last < x.shape[1]:
        out[row, last] = x[row, last] - above


@click.command()
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    """Rows that lanes share, by the compiler and by hand."""
    click.echo(f"{date.today()}, load {os.getloadavg()[0]:.1f}, ms of the processor, the least of {rounds} turns\n")
    click.echo("| rows | elements | shared | by hand | shared / by hand |\n|---|---|---|---|---|")
    for length in (32, 100, 256, 1000, 4096):
        rows = _ELEMENTS // length
        x = np.random.default_rng(length).random((rows, length), np.float32)
        results = {kernel: np.zeros((rows, length), np.float32) for kernel in (shared, by_hand)}
        runs = {kernel: partial(kernel.on("wasm")[64 * rows, 64], x, out) for kernel, out in results.items()}
        for run in runs.values():
            run()
        assert (results[shared] == results[by_hand]).all()
        ours, hand = (min(times) for times in in_turns(runs, rounds).values())
        click.echo(f"| {rows:,} | {length:,} | {ours:.2f} | {hand:.2f} | {ours / hand:.2f} |")


if __name__ == "__main__":
    main()
