"""`python -m bench.tiles_by_hand`: what a matrix product's tile can reach in wasmtime at all.

Micro-kernels by hand, whose factors stay in the first cache, and which pack nothing: a panel of 4 * columns columns,
and as many rows as a tile has in a strip, column after column, or rows as they lie. They differ in how an element of
the first factor comes into all lanes (`load_splat`, a number that is spread, a lane of four that are loaded together)
and in steps of a round. With a `way out` behind each step sums are needed there, so that Cranelift cannot move them
behind all loads. Peaks are those of `bench.tiles`, in the same turns; time is the processor's, and the least counts.
"""

# mypy: ignore-errors

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import click
import wasmtime

from bench.tiles import _PEAK_FLOPS, _ROUNDS, _peak
from hologram_web.targets.wasm.encoder import FunctionBody, Module

__all__ = ["Hand", "micro_kernel"]

_DEPTH, _A, _B, _C = 256, 4096, 65536, 1 << 20


@dataclass(frozen=True)
class Hand:
    """A micro-kernel: `load` is "load_splat", "number" or "four"."""

    rows: int
    columns: int
    load: str
    steps: int = 1
    strips: bool = True
    way_out: bool = False

    def __str__(self) -> str:
        how = [self.load, f"{self.steps} step{'s' * (self.steps > 1)}", "strips" if self.strips else "rows"]
        return f"{self.rows} x {self.columns}, {', '.join(how + ['way out'] * self.way_out)}"


SHAPES = (
    Hand(5, 2, "load_splat"), Hand(4, 2, "load_splat"), Hand(4, 2, "number"), Hand(4, 2, "number", 4),
    Hand(3, 3, "number"), Hand(3, 3, "number", strips=False), Hand(2, 4, "number"),
    Hand(4, 2, "four"), Hand(5, 2, "four"), Hand(6, 2, "four"), Hand(6, 2, "four", 2), Hand(8, 2, "four", 2),
    Hand(4, 2, "four", 2, way_out=True), Hand(5, 2, "four", 2, way_out=True), Hand(6, 2, "four", 2, way_out=True),
)  # fmt: skip


def micro_kernel(hand: Hand, fused: bool) -> bytes:
    """A module with `run(a, b, c, depth, bytes of a row, times)`."""
    body = FunctionBody("kernel", ("i32",) * 5, ())
    a, b, c, depth, between = range(5)
    rows, columns, put = hand.rows, hand.columns, body.code.extend
    sums = [[body.local("v128") for _ in range(columns)] for _ in range(rows)]
    y, x, four = [body.local("v128") for _ in range(columns)], body.local("v128"), body.local("v128")
    places = [a] if hand.strips else [a, *(body.local("i32") for _ in range(rows - 1))]
    for before, place in pairwise(places):
        put([("local.get", before), ("local.get", between), ("i32.add",), ("local.set", place)])
    put([("block", None), ("loop", None)])
    for step in range(hand.steps):
        for j, local in enumerate(y):
            put([("local.get", b), ("v128.load", 4, 16 * (step * columns + j)), ("local.set", local)])
        for i in range(rows):
            place, further = (a, 4 * (step * rows + i)) if hand.strips else (places[i], 4 * step)
            if hand.load == "four" and i % 4 == 0 and i + 4 <= rows:
                put([("local.get", place), ("v128.load", 2, further), ("local.set", four)])
            if hand.load == "four" and i < rows // 4 * 4:
                lane = bytes(range(4 * (i % 4), 4 * (i % 4) + 4)) * 4
                put([("local.get", four), ("local.get", four), ("i8x16.shuffle", lane)])
            elif hand.load == "load_splat":
                put([("local.get", place), ("v128.load32_splat", 2, further)])
            else:
                put([("local.get", place), ("f32.load", 2, further), ("f32x4.splat",)])
            put([("local.set", x)])
            for j, local in enumerate(y):
                put([("local.get", x), ("local.get", local)])
                total = ("local.get", sums[i][j])
                put([total, ("f32x4.relaxed_madd",)] if fused else [("f32x4.mul",), total, ("f32x4.add",)])
                put([("local.set", sums[i][j])])
        if hand.way_out and step + 1 < hand.steps:
            put([("local.get", depth), ("i32.const", step + 1), ("i32.eq",), ("br_if", 1)])
    for place, size in [(b, 16 * columns), *((place, 4 * (rows if hand.strips else 1)) for place in places)]:
        put([("local.get", place), ("i32.const", size * hand.steps), ("i32.add",), ("local.set", place)])
    put([("local.get", depth), ("i32.const", hand.steps), ("i32.sub",), ("local.tee", depth), ("br_if", 0)])
    put([("end",), ("end",)])
    for i, row in enumerate(sums):
        for j, local in enumerate(row):
            put([("local.get", c), ("local.get", local), ("v128.store", 4, 16 * (i * columns + j))])
    run = FunctionBody("run", ("i32",) * 6, (), exported=True)
    run.code += [("loop", None), *(("local.get", i) for i in range(5)), ("call", 0), ("local.get", 5)]
    run.code += [("i32.const", 1), ("i32.sub",), ("local.tee", 5), ("br_if", 0), ("end",)]
    module = Module()
    module.add(body)
    module.add(run)
    return module.encode()


@click.command()
@click.option("--rounds", default=20, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    """Tiles of matrix products by hand, in wasmtime."""
    click.echo("| math | tile | GFLOP/s | of the peak |\n|---|---|---|---|")
    store = wasmtime.Store()
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(32, 65536)))

    def of(code: bytes, name: str) -> Callable[..., object]:
        function = wasmtime.Instance(store, wasmtime.Module(store.engine, code), [memory]).exports(store)[name]
        return lambda *given: function(store, *given)

    for fused in (False, True):
        runs: dict[str, tuple[Callable[..., object], tuple[int, ...], float]] = {}
        runs["peak"] = of(_peak(fused), "kernel"), (0, 0, _ROUNDS), _PEAK_FLOPS
        for hand in SHAPES:
            flops = 8 * hand.rows * hand.columns * _DEPTH
            times = _PEAK_FLOPS // flops
            given = _A, _B, _C, _DEPTH, 4 * _DEPTH, times
            runs[str(hand)] = of(micro_kernel(hand, fused), "run"), given, flops * times
        least = dict.fromkeys(runs, float("inf"))
        for _ in range(rounds):
            for name, (run, given, _) in runs.items():
                for _ in range(3):  # the first one behind another is slower than the next
                    start = time.thread_time()
                    run(*given)
                    least[name] = min(least[name], time.thread_time() - start)
        rates = {name: flops / least[name] / 1e9 for name, (_, _, flops) in runs.items()}
        for name, rate in rates.items():
            click.echo(f"| {'fused' if fused else 'exact'} | {name} | {rate:.1f} | {rate / rates['peak']:.2f} |")


if __name__ == "__main__":
    main()
