"""`python -m bench.stream`: a gigabyte through a pool of 36 KB; its rate and the memory of the process over time.

Every byte is copied into the pool and read by a lane, which adds its word to a sum of its own; at the end the sums are
compared with NumPy's, which is timed at the same work, piece by piece. `--plot FILE` draws what was measured.
"""

from __future__ import annotations

import itertools
import os
import platform
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

import hologram_web as hg

POOL = 36_864
PROGRAM = hg.Program.from_text("""
.param p: pool
.param sums: buffer u32 read_write

    mov_imm.u64 r10, 4
    mul.u64 r10, r255, r10
    pool_load.u32 r11, p, r10
    ldg.u32 r12, [sums + r255*4]
    add.u32 r12, r12, r11
    stg.u32 [sums + r255*4], r12
""")
_BLOCK = 1_000_000
_EVERY = 0.25  # seconds between samples


def resident() -> int:
    """Bytes of the process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def blocks(count: int) -> Iterator[bytes]:
    """`count` bytes: the same random block again and again."""
    block = np.random.default_rng(7).integers(0, 256, _BLOCK, dtype=np.uint8).tobytes()
    for start in range(0, count, _BLOCK):
        yield block[: count - start]


def by_numpy(count: int, pool_bytes: int) -> tuple[NDArray[np.uint32], float]:
    """The sums, and the seconds they took: the same copy into a half of a pool, the same additions."""
    half = pool_bytes // 2
    sums, pool = np.zeros(half // 4, np.uint32), bytearray(half)
    start, used = time.perf_counter(), 0
    for block in blocks(count):
        view = memoryview(block)
        while view.nbytes:
            take = min(half - used, view.nbytes)
            pool[used : used + take] = view[:take]
            used, view = used + take, view[take:]
            if used == half:
                sums += np.frombuffer(pool, np.uint32)
                used = 0
    words = np.frombuffer(bytes(pool[:used]), np.uint32)
    sums[: words.size] += words
    return sums, time.perf_counter() - start


@click.command()
@click.option("--gigabytes", default=1.0, show_default=True, help="10**9 bytes to stream.")
@click.option("--device", multiple=True, default=("wasm",), show_default=True)
@click.option("--pool", default=POOL, show_default=True, help="Bytes of the pool, a multiple of 8.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draws the last device's run as SVG.")
def main(gigabytes: float, device: tuple[str, ...], pool: int, plot: Path | None) -> None:
    count = round(gigabytes * 1e9) // 4 * 4
    wanted, alone = by_numpy(count, pool)
    print(f"NumPy: {count:,} bytes in {alone:.2f} s, {count / alone / 1e9:.3f} GB/s")
    for name in device:
        samples: list[tuple[float, int, int]] = []

        def look(report: hg.StreamReport, samples: list[tuple[float, int, int]] = samples) -> None:
            if not samples or report.seconds - samples[-1][0] >= _EVERY:
                samples.append((report.seconds, report.bytes, resident()))

        with hg.Executor(name) as ex:
            sums = ex.zeros(pool // 8, hg.u32)
            hg.stream(PROGRAM, blocks(10 * pool), pool, executor=ex, args={"sums": sums})  # compiles
            sums.fill(0)
            report = hg.stream(PROGRAM, blocks(count), pool, executor=ex, args={"sums": sums}, progress=look)
            if not np.array_equal(sums.numpy(), wanted):
                raise SystemExit(f"{name} summed up something else")
        rates = [(b - a) / (t - s) / 1e9 for (s, a, _), (t, b, _) in itertools.pairwise(samples)]
        memory = [used / 1e6 for _, _, used in samples]
        text = (
            f"{name}: {report.bytes:,} bytes in {report.seconds:.2f} s, {report.gb_per_s:.3f} GB/s, "
            f"{report.launches:,} launches through {report.pool_bytes:,} bytes; rate from {min(rates):.3f} to "
            f"{max(rates):.3f} GB/s, process from {min(memory):.1f} to {max(memory):.1f} MB"
        )
        print(text)
        if plot is not None:
            where = f"{date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, device {name}"
            seconds = [sample[0] for sample in samples]
            plot.write_text(drawing(where, text.partition(": ")[2].partition(";")[0], seconds, rates, memory))


def drawing(where: str, title: str, seconds: list[float], rates: list[float], memory: list[float]) -> str:
    """Rate and memory over time as SVG."""
    width, height, left = 720, 150, 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + left + 20} {2 * height + 130}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{left}" y="20">{title}</text><text x="{left}" y="38" fill="gray">{where}</text>',
    ]
    panels = (("GB/s", seconds[1:], rates, "#0a7"), ("MB of the process", seconds, memory, "#06c"))
    for number, (name, xs, ys, colour) in enumerate(panels):
        top, most = 60 + number * (height + 40), 1.2 * max(ys)
        points = " ".join(
            f"{left + x / seconds[-1] * width:.1f},{top + height - y / most * height:.1f}"
            for x, y in zip(xs, ys, strict=True)
        )
        parts += [
            f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="silver"/>',
            f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{points}"/>',
            f'<text x="{left + 6}" y="{top + 16}">{name}</text>',
            f'<text x="{left - 6}" y="{top + 10}" text-anchor="end">{most:.3g}</text>',
            f'<text x="{left - 6}" y="{top + height}" text-anchor="end">0</text>',
            f'<text x="{left + width}" y="{top + height + 16}" text-anchor="end">{seconds[-1]:.1f} s</text>',
        ]
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    main()
