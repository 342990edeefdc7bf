"""`python -m bench.epilogues`: what is done to the result of an operation, in its kernels and by a kernel behind.

Arrays compute in the kernels of a convolution, a norm or a pool what is done to each element of its result,
where nothing else reads that. Here the same is planned twice: alone, and with the operation's own result asked for,
too, which a kernel then reads again. Natively on `wasm`, F32, one thread, turn by turn, by the processor's time or the
clock's; both have the same bits, which is looked at first.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import platform
from datetime import date
from statistics import median
from time import perf_counter, process_time

import click
import numpy as np

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.array.node import in_order
from hologram_web.array.run import _bits_of, _known, execute

__all__ = ["CASES", "turns"]

# Shapes of what is read, the operation, and what is done to its result.
CASES = {
    "conv2d 3 x 3, relu": (
        ((8, 16, 56, 56), (32, 16, 3, 3), (32,)),
        lambda x, w, b: hg.ops.conv2d(x, w, padding=1, bias=b),
        lambda y, *_: xp.relu(y),
    ),
    "conv2d 3 x 3, + x, relu": (
        ((8, 32, 28, 28), (32, 32, 3, 3), (32,)),
        lambda x, w, b: hg.ops.conv2d(x, w, padding=1, bias=b),
        lambda y, x, *_: xp.relu(y + x),
    ),
    "depthwise 3 x 3, relu": (
        ((8, 32, 56, 56), (32, 1, 3, 3), (32,)),
        lambda x, w, b: hg.ops.conv2d(x, w, padding=1, bias=b, groups=x.shape[1]),
        lambda y, *_: xp.relu(y),
    ),
    "conv2d 1 x 1, silu": (
        ((8, 32, 28, 28), (64, 32, 1, 1)),
        hg.ops.conv2d,
        lambda y, *_: hg.ops.silu(y),
    ),
    "max_pool2d 2 x 2, relu": (
        ((8, 32, 56, 56),),
        lambda x: hg.ops.max_pool2d(x, 2),
        lambda y, *_: xp.relu(y),
    ),
    "batch_norm, relu": (
        ((8, 32, 56, 56), (32,), (32,), (32,), (32,)),
        hg.ops.batch_norm,
        lambda y, *_: xp.relu(y),
    ),
    "layer_norm, * w + b": (
        ((2048, 256), (256,), (256,)),
        hg.ops.layer_norm,
        lambda y, x, w, b: y * w + b,
    ),
}


def _run(ex, arrays):
    """A run of what is planned for arrays, and the first result."""
    roots = [each.node for each in arrays]
    known, form = _known(roots, in_order(roots), ex)
    handles = {name: node.held.handle for name, node in zip(known.sources, form.sources, strict=True)}
    bits = {name: _bits_of(name, node.dtype, node.held) for name, node in zip(known.scalars, form.scalars, strict=True)}
    made = [ex.empty(root.shape, root.dtype) for root in roots]
    handles |= {name: buffer.handle for name, buffer in zip(known.results, made, strict=True)}
    return lambda: execute(known.compiled, ex.device, dict(handles), bits, known.temporaries), made


def turns(name, rounds: int, shapes=None, clock=process_time) -> dict[str, list[float]]:
    """Milliseconds of each turn by side."""
    own, core, after = CASES[name]
    rng = np.random.default_rng(1)
    with hg.Executor("wasm", threads=1) as ex:
        given = [ex.array(rng.random(shape, "f4")) for shape in shapes or own]
        y = core(*given)
        inside, (first,) = _run(ex, [after(y, *given)])
        y = core(*given)
        behind, (second, _) = _run(ex, [after(y, *given), y])
        sides = {"by a kernel behind": behind, "in the operation": inside}
        found: dict[str, list[float]] = {side: [] for side in sides}
        for run in sides.values():
            run()
        np.testing.assert_array_equal(first.numpy(), second.numpy())
        for _ in range(rounds):
            for side, run in sides.items():
                start = clock()
                run()
                found[side].append((clock() - start) * 1e3)
    return found


@click.command()
@click.option("--rounds", default=41, show_default=True, type=click.IntRange(1))
@click.option("--wall", is_flag=True, help="Time of the clock, not of the processor.")
def main(rounds: int, wall: bool) -> None:
    """What is done to results of operations."""
    print(
        f"{date.today()}, {os.cpu_count()} cores ({platform.machine()}), load {os.getloadavg()[0]:.0f}, {rounds} turns"
    )
    print("\n| operation | a kernel behind, ms | in the operation | of it | of the least |")
    print("|---|---|---|---|---|")
    for name in CASES:
        behind, inside = turns(name, rounds, clock=perf_counter if wall else process_time).values()
        row = f"{median(behind):.3f} | {median(inside):.3f} | {median(inside) / median(behind):.2f}"
        print(f"| {name} | {row} | {min(inside) / min(behind):.2f} |", flush=True)


if __name__ == "__main__":
    main()
