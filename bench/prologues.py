"""`python -m bench.prologues`: products whose first factor is computed: by a kernel before, and in the product.

Arrays compute what a product reads by a kernel of its own, and what is done to its result in the product. `fuse` can do
the former there, too: where the product packs a factor, each element is computed once, elsewhere for each tile that
reads it. Natively on `wasm`, F32, one thread, turn by turn, by the processor's time or the clock's; both have the same
bits, which is looked at first. The last column is the map alone, of which its own arithmetic stays in any case.
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
from hologram_web.array.run import _bits_of, _known, execute, planned_for
from hologram_web.plan.plan import size_of
from hologram_web.plan.tensor_steps import add_operation
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.tensor.families import operation
from hologram_web.tensor.fuse import Computed, fuse

from .turns import in_turns

__all__ = ["CASES", "MAPS", "turns"]

CASES = {
    "512 x 512 x 512": (512, 512, 512),
    "256 x 256 x 256": (256, 256, 256),
    "4096 x 32 x 32": (4096, 32, 32),
    "128 x 784 x 64": (128, 784, 64),
    "1024 x 1024 x 4": (1024, 1024, 4),
}


def _scaled(i, x):
    return x[i] * 0.5 + 1.0


def _exp(i, x):
    return hg.exp(x[i])


MAPS = {"a sum and a product": (_scaled, lambda x: x * 0.5 + 1.0), "exp": (_exp, xp.exp)}


def _of_arrays(ex, make, given, result):
    """A run of what arrays plan."""
    root = make(*map(xp.asarray, given)).node
    known, form = _known([root], in_order([root]), ex)
    handles = {name: node.held.handle for name, node in zip(known.sources, form.sources, strict=True)}
    bits = {name: _bits_of(name, node.dtype, node.held) for name, node in zip(known.scalars, form.scalars, strict=True)}
    handles |= {known.results[0]: result.handle}
    return lambda: execute(known.compiled, ex.device, dict(handles), bits, known.temporaries)


def _in_the_product(ex, function, given, result):
    """A run of a product that computes its first factor."""
    (m, k), (_, n) = (each.shape for each in given)
    plan = planned_for(ex, "fused")
    for name, each in (("x", given[0]), ("w", given[1]), ("y", result)):
        plan.array(name, hg.f32, each.shape)
    values = {
        "ty": hg.f32, "m": m, "n": n, "k": k, "alpha": 1.0, "beta": 0.0, "trans_a": False, "trans_b": False,
        "bias": None, "activation": None, "batch": 1, "strides": (),
    }  # fmt: skip
    row = fuse(operation("BatchedGEMM"), read={"a": Computed(function, {"x": hg.f32})})
    add_operation(plan, row, values, {"x": "x", "b": "w", "c": "y"})
    compiled = CompiledProgram.from_builder(plan)
    temporaries = [(each.name, size_of(each, {}), False) for each in compiled.plan.temporaries]
    handles = {"x": given[0].handle, "w": given[1].handle, "y": result.handle}
    return lambda: execute(compiled, ex.device, dict(handles), {}, temporaries)


def turns(what: str, sizes: tuple[int, int, int], rounds: int, clock=process_time) -> dict[str, list[float]]:
    """Milliseconds of each turn by side."""
    m, k, n = sizes
    inside, before = MAPS[what]
    rng = np.random.default_rng(1)
    with hg.Executor("wasm", threads=1) as ex:
        given = ex.array(rng.random((m, k), "f4")), ex.array(rng.random((k, n), "f4"))
        first, second, mapped = ex.empty((m, n), hg.f32), ex.empty((m, n), hg.f32), ex.empty((m, k), hg.f32)
        sides = {
            "by a kernel before": _of_arrays(ex, lambda x, w: before(x) @ w, given, first),
            "in the product": _in_the_product(ex, inside, given, second),
            "the map alone": _of_arrays(ex, before, given[:1], mapped),
        }
        for run in sides.values():
            run()
        np.testing.assert_array_equal(first.numpy(), second.numpy())
        return in_turns(sides, rounds, clock)


@click.command()
@click.option("--rounds", default=41, show_default=True, type=click.IntRange(1))
@click.option("--wall", is_flag=True, help="Time of the clock, not of the processor.")
def main(rounds: int, wall: bool) -> None:
    """Products whose first factor is computed."""
    print(
        f"{date.today()}, {os.cpu_count()} cores ({platform.machine()}), load {os.getloadavg()[0]:.0f}, {rounds} turns"
    )
    print(
        "\n| map | rows x summed x columns | a kernel before, ms | in the product | of it | of the least | map alone |"
    )
    print("|---|---|---|---|---|---|---|")
    for what in MAPS:
        for name, sizes in CASES.items():
            before, inside, alone = turns(what, sizes, rounds, perf_counter if wall else process_time).values()
            row = f"{median(before):.3f} | {median(inside):.3f} | {median(inside) / median(before):.2f}"
            print(f"| {what} | {name} | {row} | {min(inside) / min(before):.2f} | {median(alone):.3f} |", flush=True)


if __name__ == "__main__":
    main()
