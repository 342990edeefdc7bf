"""`python -m bench.depthwise`: convolutions of 3 x 3 of each channel alone, beside the text for all groups.

Images, channels, times as many output channels, side and stride are said as 1x64x1x56x1. Natively on the device wasm,
one thread, milliseconds of the processor, the least of the turns. Both give the same bits, which is looked at.
"""

# mypy: ignore-errors

from __future__ import annotations

import os

import click
import numpy as np

import hologram_web as hg
from hologram_web.tensor import depthwise

from .turns import in_turns

SHAPES = ("1x64x1x56x1", "1x64x1x56x2", "1x32x1x112x1", "1x256x1x14x1", "1x512x1x7x1", "1x64x1x55x1", "8x1x32x28x1")
WAYS = ("for all groups", "alone")


def _program(images: int, channels: int, more: int, side: int, stride: int, way: int) -> hg.Program:
    """The same under another number, as a program's plan is made once."""
    uses = {"y": "write", "x": "read", "w": "read"}
    params = "".join(f".param {name}: buffer f32 {use}\n" for name, use in uses.items())
    size = f"{images}, {channels}, {channels * more}, {side}, {side}, 3, 3"
    given = f"stride=({stride}, {stride}), padding=(1, 1, 1, 1), groups={channels}"
    return hg.Program.from_text(f"{params}    mov_imm.u32 r9, {way}\n    conv2d.f32 [y], [x], [w], {size}, {given}\n")


def measured(shape: str, math: str, rounds: int) -> list[float]:
    """Milliseconds by way."""
    images, channels, more, side, stride = sizes = tuple(map(int, shape.split("x")))
    chance, choose, runs, found = np.random.default_rng(1), depthwise.choose, [], []
    x = chance.standard_normal(images * channels * side * side).astype(np.float32)
    w = chance.standard_normal(channels * more * 9).astype(np.float32)
    for number in range(len(WAYS)):
        ex = hg.Executor("wasm", threads=1, math=math)
        program = _program(*sizes, number)
        out = ex.zeros(images * channels * more * (-(-side // stride)) ** 2)
        given = {"x": ex.array(x), "w": ex.array(w), "y": out}

        def run(ex=ex, program=program, given=given) -> None:
            ex.run(program, 1, **given)

        depthwise.choose = choose if number else (lambda *_: (None, ""))
        try:
            run()
        finally:
            depthwise.choose = choose
        found.append(out.numpy())
        runs.append(run)
    assert np.array_equal(*found)
    return [min(each) for each in in_turns(dict(enumerate(runs)), rounds).values()]


@click.command(help=__doc__)
@click.option("--rounds", default=25, show_default=True)
@click.argument("shapes", nargs=-1)
def main(rounds: int, shapes: tuple[str, ...]) -> None:
    print(f"load {os.getloadavg()[0]:.1f}")
    print("| images, channels, times, side, stride | math | for all groups, ms | alone | of it |")
    print("|---|---|---|---|---|")
    for shape in shapes or SHAPES:
        for math in ("exact", "fast"):
            general, alone = measured(shape, math, rounds)
            print(f"| {shape} | {math} | {general:.2f} | {alone:.2f} | {alone / general:.2f} |")


if __name__ == "__main__":
    main()
