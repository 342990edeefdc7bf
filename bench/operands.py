"""`python -m bench.operands`: operations that read parts of arrays, and what is computed, where they read it; and a
kernel before that puts it into memory of its own.

Natively, F32, one thread, turn by turn, by the processor's time or the clock's. Both sides are one plan each, and have
the same bits, which is looked at first.
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

from .turns import in_turns

__all__ = ["CASES", "turns"]

_ROWS = (1024, 1024)
# What is computed, or shown, the operation on it and others, and the shapes of x, y and z.
CASES = {
    "x[100:200] @ y": (lambda x, y, z: x[100:200], lambda v, x, y, z: v @ y, ((300, 400), (400, 300), (1,))),
    "x[256:512] @ y": (lambda x, y, z: x[256:512], lambda v, x, y, z: v @ y, (_ROWS, (1024, 256), (1,))),
    "x[::2] @ y": (lambda x, y, z: x[::2], lambda v, x, y, z: v @ y, ((512, 256), (256, 256), (1,))),
    "x @ y[:, :256]": (lambda x, y, z: y[:, :256], lambda v, x, y, z: x @ v, ((256, 256), (256, 1024), (1,))),
    "x[:2] @ y[:, :256]": (lambda x, y, z: y[:, :256], lambda v, x, y, z: x[:2] @ v, ((256, 256), (256, 1024), (1,))),
    "softmax(x[:, 100:300])": (lambda x, y, z: x[:, 100:300], lambda v, x, y, z: xp.softmax(v), (_ROWS, (1,), (1,))),
    "softmax(x.mT)": (lambda x, y, z: x.mT, lambda v, x, y, z: xp.softmax(v), (_ROWS, (1,), (1,))),
    "softmax(x * 2 + y)": (lambda x, y, z: x * 2 + y, lambda v, x, y, z: xp.softmax(v), (_ROWS, _ROWS, (1,))),
    "softmax(x * 2 + y[None])": (
        lambda x, y, z: x * 2 + y[None], lambda v, x, y, z: xp.softmax(v), ((32, 128, 128), (128, 128), (1,)),
    ),
    "softmax(x * 2 + y), 64": (
        lambda x, y, z: x * 2 + y, lambda v, x, y, z: xp.softmax(v), ((4096, 64), (4096, 64), (1,))
    ),
    "softmax(x * 2, axis=0)": (lambda x, y, z: x * 2, lambda v, x, y, z: xp.softmax(v, axis=0), (_ROWS, (1,), (1,))),
    "layer_norm(x + y)": (
        lambda x, y, z: x + y, lambda v, x, y, z: hg.ops.layer_norm(v, z, z), ((512, 768), (512, 768), (768,)),
    ),
    "layer_norm(x + y), 128": (
        lambda x, y, z: x + y, lambda v, x, y, z: hg.ops.layer_norm(v, z, z), ((4096, 128), (4096, 128), (128,)),
    ),
    "max_pool2d(relu(x), 2)": (
        lambda x, y, z: hg.ops.relu(x), lambda v, x, y, z: hg.ops.max_pool2d(v, 2), ((4, 32, 64, 64), (1,), (1,)),
    ),
    "max_pool2d(relu(x), 3, stride=2)": (
        lambda x, y, z: hg.ops.relu(x), lambda v, x, y, z: hg.ops.max_pool2d(v, 3, stride=2),
        ((4, 32, 64, 64), (1,), (1,)),
    ),
    "cumulative_sum(x * 2)": (
        lambda x, y, z: x * 2, lambda v, x, y, z: xp.cumulative_sum(v, axis=1), (_ROWS, (1,), (1,)),
    ),
    "argmax(x * y)": (lambda x, y, z: x * y, lambda v, x, y, z: xp.argmax(v, axis=1), (_ROWS, _ROWS, (1,))),
    "argmax(x[:, 3:700])": (lambda x, y, z: x[:, 3:700], lambda v, x, y, z: xp.argmax(v, axis=1), (_ROWS, (1,), (1,))),
    "take(x * 2 + y, 4 of 1024)": (
        lambda x, y, z: x * 2 + y, lambda v, x, y, z: v.take(z.astype(hg.i32), axis=0), (_ROWS, (1024,), (4,)),
    ),
    "take(x * 2, 1024 of 1024)": (
        lambda x, y, z: x * 2, lambda v, x, y, z: v.take(z.astype(hg.i32), axis=0), (_ROWS, (1,), (1024,)),
    ),
    "concat(x * 2, y + 1)": (lambda x, y, z: x * 2, lambda v, x, y, z: xp.concat([v, y], axis=1), (_ROWS, _ROWS, (1,))),
}  # fmt: skip


def _run(ex, roots, results):
    known, form = _known(roots, in_order(roots), ex)
    handles = {name: node.held.handle for name, node in zip(known.sources, form.sources, strict=True)}
    bits = {name: _bits_of(name, node.dtype, node.held) for name, node in zip(known.scalars, form.scalars, strict=True)}
    handles |= {name: each.handle for name, each in zip(known.results, results, strict=True)}
    return lambda: (execute(known.compiled, ex.device, dict(handles), bits, known.temporaries), ex.sync())


def turns(name: str, device: str, rounds: int, clock=process_time) -> dict[str, list[float]]:
    """Milliseconds of each turn by side."""
    shown, made, shapes = CASES[name]
    rng = np.random.default_rng(18)
    with hg.Executor(device, **({"threads": 1} if device == "wasm" else {})) as ex:
        x, y, z = (xp.asarray(ex.array(rng.random(shape, "f4"))) for shape in shapes)
        part = shown(x, y, z)
        root = made(part, x, y, z)
        first, second = (ex.empty(root.shape, root.dtype) for _ in range(2))
        between = ex.empty(part.shape, part.dtype)
        sides = {
            "before": _run(ex, [part.node, root.node], [between, first]),
            "where it is read": _run(ex, [root.node], [second]),
        }
        for run in sides.values():
            run()
        np.testing.assert_array_equal(first.numpy(), second.numpy())
        return in_turns(sides, rounds, clock)


@click.command()
@click.option("--device", default="wasm", show_default=True)
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
@click.option("--wall", is_flag=True, help="Time of the clock, not of the processor.")
@click.option("--case", "cases", multiple=True, type=click.Choice(list(CASES)), help="Only these.")
def main(device: str, rounds: int, wall: bool, cases: tuple[str, ...]) -> None:
    """Operations that read what is computed, or parts of arrays."""
    print(f"{date.today()}, {device}, {platform.machine()}, load {os.getloadavg()[0]:.0f}, {rounds} turns")
    print("\n| | a kernel before, ms | where it is read | of it | of the least |")
    print("|---|---|---|---|---|")
    for name in cases or CASES:
        before, inside = turns(name, device, rounds, perf_counter if wall else process_time).values()
        row = f"{median(before):.3f} | {median(inside):.3f} | {median(inside) / median(before):.2f}"
        print(f"| `{name}` | {row} | {min(inside) / min(before):.2f} |", flush=True)


if __name__ == "__main__":
    main()
