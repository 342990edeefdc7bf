"""`python -m bench.bytes_by_hand`: what a product of bytes can reach beside one of F32 in Chromium at all.

Loops by hand, whose factors stay in the first cache, and which pack and store nothing: a tile of rows and columns of
vectors of sums, both factors packed. Bytes lie as pairs of numbers of 16 bits, of which `i32x4.dot_i16x8_s` multiplies
four at once, so that a product and a sum of vectors are 8 products in place of the 4 of F32; of a `peak` the factors
stay in registers. The least time of many rounds, in turns; rates are in thousand millions of products a second.
"""

# mypy: ignore-errors

from __future__ import annotations

import base64
import os

import click

from e2e.browser import Browser
from hologram_web.targets.wasm.encoder import FunctionBody, Module

DEPTH, TIMES = 256, 2000
TILES = ((5, 2), (4, 2), (3, 3), (6, 2), (4, 3))


def peak(byte: bool, chains: int = 10) -> bytes:
    """A module whose `run(times)` goes `times * DEPTH` rounds of so many independent sums."""
    run = FunctionBody("run", ("i32",), (), exported=True)
    sums, factor, left, put = (
        [run.local("v128") for _ in range(chains)],
        run.local("v128"),
        run.local("i32"),
        run.code.extend,
    )
    put([("i32.const", 0x00010001), ("i32x4.splat",), ("local.set", factor), ("local.get", 0)])
    put([("i32.const", DEPTH), ("i32.mul",), ("local.set", left), ("loop", None)])
    for total in sums:
        put(_added(byte, total, ("local.get", total), ("local.get", factor)))
    put([("local.get", left), ("i32.const", 1), ("i32.sub",), ("local.tee", left), ("br_if", 0), ("end",)])
    put([("i32.const", 128), *(("local.get", total) for total in sums), *[("v128.or",)] * (chains - 1)])
    put([("v128.store", 0, 0)])
    return _module(run)


def tile(byte: bool, rows: int, columns: int, steps: int = 4) -> bytes:
    """A module whose `run(times)` makes that tile so often, DEPTH steps deep."""
    run = FunctionBody("run", ("i32",), (), exported=True)
    sums = [[run.local("v128") for _ in range(columns)] for _ in range(rows)]
    y, x, (a, b, left), put = (
        [run.local("v128") for _ in range(columns)],
        run.local("v128"),
        (run.local("i32") for _ in range(3)),
        run.code.extend,
    )
    put([("loop", None), ("i32.const", 4096), ("local.set", a), ("i32.const", 65536), ("local.set", b)])
    put([("i32.const", DEPTH // steps), ("local.set", left), ("loop", None)])
    for step in range(steps):
        for j, local in enumerate(y):
            put([("local.get", b), ("v128.load", 4, 16 * (step * columns + j)), ("local.set", local)])
        for i in range(rows):
            put([("local.get", a), ("v128.load32_splat", 2, 4 * (step * rows + i)), ("local.set", x)])
            for j, local in enumerate(y):
                put(_added(byte, sums[i][j], ("local.get", x), ("local.get", local)))
    for place, size in ((a, 4 * rows), (b, 16 * columns)):
        put([("local.get", place), ("i32.const", size * steps), ("i32.add",), ("local.set", place)])
    put([("local.get", left), ("i32.const", 1), ("i32.sub",), ("local.tee", left), ("br_if", 0), ("end",)])
    put([("local.get", 0), ("i32.const", 1), ("i32.sub",), ("local.tee", 0), ("br_if", 0), ("end",)])
    every = [local for row in sums for local in row]
    put([("i32.const", 128), *(("local.get", local) for local in every), *[("v128.or",)] * (len(every) - 1)])
    put([("v128.store", 0, 0)])
    return _module(run)


def _added(byte: bool, total: int, *factors: tuple) -> list[tuple]:
    how = [("i32x4.dot_i16x8_s",), ("i32x4.add",)] if byte else [("f32x4.mul",), ("f32x4.add",)]
    return [("local.get", total), *factors, *how, ("local.set", total)]


def _module(run: FunctionBody) -> bytes:
    module = Module()
    module.add(run)
    return module.encode()


@click.command(help=__doc__)
@click.option("--rounds", default=100, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    sides, of_round = [], {}
    for byte in (False, True):
        products = 8 if byte else 4
        for name, code, vectors in [
            ("peak", peak(byte), 10),
            *((f"{r} x {c}", tile(byte, r, c), r * c) for r, c in TILES),
        ]:
            sides.append({"code": base64.b64encode(code).decode(), "times": TIMES})
            of_round["bytes" if byte else "F32", name] = TIMES * DEPTH * vectors * products
    with Browser() as browser:
        load = os.getloadavg()[0]
        least = browser.run("/e2e/jobs/by_hand.mjs", sides=sides, rounds=rounds).json
    print(f"load {load:.1f}\n| tile | F32 | bytes | ratio |\n|---|---|---|---|")
    rates = {key: work / ms / 1e6 for (key, work), ms in zip(of_round.items(), least, strict=True)}
    for name in ("peak", *(f"{r} x {c}" for r, c in TILES)):
        one, other = rates["F32", name], rates["bytes", name]
        print(f"| {name} | {one:.1f} | {other:.1f} | {other / one:.2f} |")


if __name__ == "__main__":
    main()
