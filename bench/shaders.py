"""`python -m bench.shaders`: our shaders beside those by hand, by the time of the processor.

On a software adapter all threads of this process together are the work that a shader is, whoever else uses the machine,
where the wall's clock says who got the processors. Both run in the harness of `by_hand.py`, interleaved, with
math="exact" and, because the shader by hand has no fences, with "fast".
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import time
from datetime import date
from statistics import median

import click
import numpy as np

from .by_hand import Gpu, hand_shader, our_shader
from .cases import block_sum, mandelbrot, saxpy


@click.command()
@click.option("--rounds", default=25, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    """Our shaders beside those by hand, by the time of the processor."""
    gpu = Gpu()
    print(f"{date.today()}, {gpu.name}, {os.cpu_count()} cores, medians of {rounds} rounds, ms of processor time\n")
    print('| case | by hand | ours | ratio | ours, math="fast" | ratio |\n|---|---|---|---|---|---|')
    for case in (saxpy(), mandelbrot(), block_sum()):
        peers = [hand_shader(gpu, case, "run"), our_shader(gpu, case), our_shader(gpu, case, "fast")]
        times = [[] for _ in peers]
        for round_ in range(rounds + 1):
            for (run, _), kept in zip(peers, times, strict=True):
                begun = time.process_time()
                run()
                if round_:  # the first compiles
                    kept.append(1000 * (time.process_time() - begun))
        by_hand, *_ = results = [result() for _, result in peers]
        assert all(np.isclose(by_hand, result, rtol=1e-3).mean() > 0.99 for result in results)
        hand, ours, fast = map(median, times)
        print(f"| {case.name} | {hand:.1f} | {ours:.1f} | {ours / hand:.2f} | {fast:.1f} | {fast / hand:.2f} |")


if __name__ == "__main__":
    main()
