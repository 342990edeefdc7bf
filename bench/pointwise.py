"""`python -m bench.pointwise`: convolutions of 1 x 1 that pack images just before they are used, beside products.

Images, channels, output channels and side are said as 1x64x64x56. Natively on the device wasm, one thread, milliseconds
of the processor, the least of the turns. Both give the same bits, which is looked at. Devices here take products; what
files and pages take is timed in Chromium by `python -m bench.peers --where wasm-plain --case conv1x1`.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
from dataclasses import replace

import click
import numpy as np

import hologram_web as hg
from hologram_web.tensor import pointwise
from hologram_web.tensor.budgets import tile_of

from .turns import in_turns

SHAPES = ("1x64x64x56", "1x64x256x56", "1x256x64x56", "1x128x128x28", "1x256x256x14", "1x512x512x7", "1x64x64x55")
WAYS = ("products", "packed before")


def _program(images: int, channels: int, outs: int, side: int, way: int) -> hg.Program:
    """The same under another number, as a program's plan is made once."""
    uses = {"y": "write", "x": "read", "w": "read"}
    params = "".join(f".param {name}: buffer f32 {use}\n" for name, use in uses.items())
    size = f"{images}, {channels}, {outs}, {side}, {side}, 1, 1"
    return hg.Program.from_text(f"{params}    mov_imm.u32 r9, {way}\n    conv2d.f32 [y], [x], [w], {size}\n")


def measured(shape: str, math: str, rounds: int) -> list[float]:
    """Milliseconds by way."""
    images, channels, outs, side = sizes = tuple(map(int, shape.split("x")))
    chance, choose, runs, found = np.random.default_rng(1), pointwise.choose, [], []
    x = chance.standard_normal(images * channels * side * side).astype(np.float32)
    w = chance.standard_normal(outs * channels).astype(np.float32)

    def before(o, traits, acc):
        tall, steps = tile_of(traits)
        made = choose(o, replace(traits, native=False), acc)
        return made and made | {"TALL": tall, "STEPS": steps}

    for number in range(len(WAYS)):
        ex = hg.Executor("wasm", threads=1, math=math)
        program = _program(*sizes, number)
        out = ex.zeros(images * outs * side * side)
        given = {"x": ex.array(x), "w": ex.array(w), "y": out}

        def run(ex=ex, program=program, given=given) -> None:
            ex.run(program, 1, **given)

        pointwise.choose = before if number else (lambda *_: None)
        try:
            run()
        finally:
            pointwise.choose = choose
        found.append(out.numpy())
        runs.append(run)
    assert np.array_equal(*found)
    return [min(each) for each in in_turns(dict(enumerate(runs)), rounds).values()]


@click.command(help=__doc__)
@click.option("--rounds", default=25, show_default=True)
@click.argument("shapes", nargs=-1)
def main(rounds: int, shapes: tuple[str, ...]) -> None:
    print(f"load {os.getloadavg()[0]:.1f}")
    print("| images, channels, outs, side | math | products, ms | packed before | of it |")
    print("|---|---|---|---|---|")
    for shape in shapes or SHAPES:
        for math in ("exact", "fast"):
            general, before = measured(shape, math, rounds)
            print(f"| {shape} | {math} | {general:.2f} | {before:.2f} | {before / general:.2f} |")


if __name__ == "__main__":
    main()
