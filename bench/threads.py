"""`python -m bench.threads`: the device wasm with two threads beside one, in turns, and two threads that hash natively
beside one, as a control: where they gain less than 1.7, other work has the second processor.

Results are compared before anything is timed; beside the medians stand the least times.
"""

# mypy: ignore-errors

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import click
import numpy as np

import hologram_web as hg

_SIDE, _ROUNDS, _ELEMENTS = 256, 200, 1 << 18


@hg.kernel
def mandelbrot(counts: hg.Array[hg.i32], side: hg.i32, most: hg.i32) -> None:
    i = hg.global_id()
    if i < len(counts):
        cx = hg.f32(i % side) / hg.f32(side) * 3.0 - 2.0
        cy = hg.f32(i // side) / hg.f32(side) * 3.0 - 1.5
        x = 0.0
        y = 0.0
        n = 0
        while n < most and x * x + y * y < 4.0:
            t = x * x - y * y + cx
            y = 2.0 * x * y + cy
            x = t
            n += 1
        counts[i] = n


@hg.kernel
def chain(x: hg.Array[hg.f32], y: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(y):
        y[i] = hg.exp(hg.exp(-x[i] * x[i]) - 1.0)


@hg.kernel
def histogram(x: hg.Array[hg.u32], counts: hg.Array[hg.u32]) -> None:
    i = hg.global_id()
    if i < len(x):
        hg.atomic_add(counts, x[i] & 255, 1)


def _side(threads: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """By name: what runs it, and what reads its result."""
    ex = hg.Executor("wasm", threads=threads)
    counts, x = ex.zeros(_SIDE * _SIDE, hg.i32), ex.array(np.linspace(-2, 2, _ELEMENTS, dtype=np.float32))
    y, bins = ex.zeros(_ELEMENTS), ex.zeros(256, hg.u32)
    numbers = ex.array(np.random.default_rng(0).integers(0, 1 << 32, _ELEMENTS, np.uint32))
    sides = {
        "mandelbrot": (mandelbrot[_SIDE * _SIDE], (counts, _SIDE, _ROUNDS), counts),
        "exp chain": (chain[_ELEMENTS], (x, y), y),
        "histogram by atomics": (histogram[_ELEMENTS], (numbers, bins), bins),
    }
    return {name: (lambda k=k, given=given: k(*given), out.numpy) for name, (k, given, out) in sides.items()}


def _hash() -> None:
    hashlib.pbkdf2_hmac("sha256", b"x", b"y", 5000)


def _both(work: Callable[[], None]) -> None:
    other = threading.Thread(target=work)
    other.start()
    work()
    other.join()


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def control() -> float:
    """How many times as much as one thread two native ones hash in the same time."""
    return _seconds(lambda: (_hash(), _hash())) / _seconds(lambda: _both(_hash))


@click.command()
@click.option("--rounds", default=31, show_default=True)
def main(rounds: int) -> None:
    one, two = _side(1), _side(2)
    click.echo(f"{'':22} {'one, us':>10} {'two, us':>10} {'ratio':>6} {'of least':>8}   control")
    for name in one:
        for side in (one, two):
            side[name][0]()
        assert (one[name][1]() == two[name][1]()).all(), name
        times: list[list[float]] = [[], [], [], []]
        works = one[name][0], two[name][0], lambda: (_hash(), _hash()), lambda: _both(_hash)
        for number in range(rounds + 3):
            for place, work in enumerate(works):
                took = _seconds(work)
                if number >= 3:
                    times[place].append(took)
        a, b, control, both = (median(found) for found in times)
        least = min(times[0]) / min(times[1])
        click.echo(f"{name:22} {a * 1e6:10.1f} {b * 1e6:10.1f} {a / b:6.2f} {least:8.2f}   {control / both:.2f}")


if __name__ == "__main__":
    main()
