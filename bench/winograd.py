"""`python -m bench.winograd`: Winograd's way through convolutions of 3 x 3 beside tiles, with `math="fast"`.

Channels, output channels and side of square images are said as 64x64x56. Natively on the device wasm, one thread,
milliseconds of the processor, the least of the turns; how far results are from F64, of how far isa.md lets them be,
stands beside them.
"""

# mypy: ignore-errors

from __future__ import annotations

import os

import click
import numpy as np

import hologram_web as hg
from hologram_web.tensor import winograd

from .turns import in_turns

SHAPES = ("64x64x56", "32x32x28", "48x48x28", "128x32x28", "256x256x14", "64x64x8", "512x512x7")
WAYS = ("exact", "tiles", "Winograd")


def _program(channels: int, outs: int, side: int, way: int) -> hg.Program:
    """The same under another number, as a program's plan is made once."""
    params = "".join(
        f".param {name}: buffer f32 {use}\n" for name, use in {"y": "write", "x": "read", "w": "read"}.items()
    )
    size = f"{channels}, {outs}, {side}, {side}, 3, 3, padding=(1, 1, 1, 1)"
    return hg.Program.from_text(f"{params}    mov_imm.u32 r9, {way}\n    conv2d.f32 [y], [x], [w], 1, {size}\n")


def measured(shape: str, rounds: int) -> dict[str, tuple[float, float]]:
    """Milliseconds, and the share of the bound, by way."""
    channels, outs, side = map(int, shape.split("x"))
    chance, choose, runs, found = np.random.default_rng(1), winograd.choose, {}, {}
    x, w = chance.standard_normal((channels, side, side)), chance.standard_normal((outs, channels, 3, 3))
    x, w = x.astype(np.float32), w.astype(np.float32)
    padded = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    wanted = np.einsum("chwyx,ocyx->ohw", seen, w.astype(np.float64), optimize=True)
    norms = np.sqrt((seen**2).sum((0, 3, 4))) * np.sqrt((w.astype(np.float64) ** 2).sum((1, 2, 3)))[:, None, None]
    for number, way in enumerate(WAYS):
        ex = hg.Executor("wasm", threads=1, math="exact" if way == "exact" else "fast")
        program = _program(channels, outs, side, number)
        given = {"x": ex.array(x.ravel()), "w": ex.array(w.ravel()), "y": ex.zeros(outs * side * side)}

        def run(ex=ex, program=program, given=given) -> None:
            ex.run(program, 1, **given)

        winograd.choose = (lambda *_: (1, "")) if way == "Winograd" else (lambda *_: (0, ""))
        try:
            run()
        finally:
            winograd.choose = choose
        away = np.abs(given["y"].numpy().reshape(wanted.shape) - wanted)
        found[way] = float((away / (np.sqrt(9 * channels) * 2.0**-22 * norms)).max())
        runs[way] = run
    return {way: (min(each), found[way]) for way, each in in_turns(runs, rounds).items()}


@click.command(help=__doc__)
@click.option("--rounds", default=25, show_default=True)
@click.argument("shapes", nargs=-1)
def main(rounds: int, shapes: tuple[str, ...]) -> None:
    print(f"load {os.getloadavg()[0]:.1f}")
    print("| channels, outs, side | exact, ms | tiles | Winograd | of tiles | of the bound | tiles of it |")
    print("|---|---|---|---|---|---|---|")
    for shape in shapes or SHAPES:
        found = measured(shape, rounds)
        (exact, _), (tiles, of_tiles), (squares, far) = (found[way] for way in WAYS)
        times = f"{exact:.2f} | {tiles:.2f} | {squares:.2f} | {squares / tiles:.2f}"
        print(f"| {shape} | {times} | {far:.3f} | {of_tiles:.3f} |")


if __name__ == "__main__":
    main()
