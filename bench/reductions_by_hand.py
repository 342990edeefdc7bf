"""`python -m bench.reductions_by_hand`: reductions of numbers of 8 to 64 bits, and sums of I8 and F16 by hand.

Natively on `wasm`, one thread, ns an element of 1 Mi in the processor's time, the least of the turns that all take in
one process. By hand nothing is launched or checked: sums of I8 in lanes of 8 bits, and those of F16 as a 2**112th of
the numbers in F32, without a look at infinities and NaN. All are compared with NumPy's first.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import date

import click
import numpy as np
import wasmtime

import hologram_web as hg

__all__ = ["by_hand", "runs"]

N, _FROM = 1 << 20, 65536
TYPES = {"i8": "i1", "u8": "u1", "i16": "i2", "i32": "i4", "i64": "i8", "f16": "f2", "f32": "f4", "f64": "f8"}
_LANES = (" ".join(f"0 1 {16 + k} {17 + k}" for k in range(first, first + 8, 2)) for first in (0, 8))
_HALF = """(v128.and (i32x4.splat (i32.const 0x8fffffff)) (i32x4.shr_s
    (i8x16.shuffle {} (v128.const i64x2 0 0) (v128.load offset={{}} (local.get $p))) (i32.const 3)))"""
_HALVES = [_HALF.format(lanes) for lanes in _LANES]


def by_hand(ty: str) -> Callable[[np.ndarray], Callable[[], int | float]]:
    """What makes of data a function that sums it."""
    add, size = ("i8x16.add", 1) if ty == "i8" else ("f32x4.add", 2)
    taken = [f"(v128.load offset={16 * k} (local.get $p))" for k in range(8)]
    if ty == "f16":
        taken = [_HALVES[k % 2].format(k // 2 * 16) for k in range(8)]
    step = 128 if ty == "i8" else 64
    sums = "".join(f"(local.set $a{k} ({add} (local.get $a{k}) {each}))" for k, each in enumerate(taken))
    stores = "".join(f"(v128.store offset={16 * k} (i32.const 0) (local.get $a{k}))" for k in range(8))
    names = "".join(f"(local $a{k} v128)" for k in range(8))
    text = f"""(module (memory (export "memory") 64) (func (export "sum") (local $p i32) {names}
        (local.set $p (i32.const {_FROM})) (loop $more {sums}
        (br_if $more (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const {step})))
            (i32.const {_FROM + size * N})))) {stores}))"""

    def make(data: np.ndarray) -> Callable[[], int | float]:
        store = wasmtime.Store()
        made = wasmtime.Instance(store, wasmtime.Module(store.engine, text), []).exports(store)
        made["memory"].write(store, data.tobytes(), _FROM)

        def run() -> int | float:
            made["sum"](store)
            found = bytes(made["memory"].read(store, 0, 128))
            if ty == "i8":
                return int(np.frombuffer(found, "i1").sum(dtype="i1"))
            return float(np.frombuffer(found, "f4").sum(dtype="f8") * 2.0**112)

        return run

    return make


def _instruction(ex: hg.Executor, text: str, ty: str, array: hg.Buffer, result: str) -> Callable[[], float]:
    program = hg.Program.from_text(f".param z: buffer {result}\n.param x: buffer {ty}\n    {text}\n")
    out = ex.array(np.zeros(1, TYPES[result]))

    def run() -> float:
        ex.run(program, 1, z=out, x=array)
        return out.numpy()[0]

    return run


def runs(ex: hg.Executor) -> dict[tuple[str, str], Callable[[], object]]:
    """What is timed, by case and type; each has been compared with NumPy."""
    found, rng = {}, np.random.default_rng(1)
    for ty, name in TYPES.items():
        data = rng.integers(0, 100, N).astype(name) if ty[0] in "iu" else rng.standard_normal(N).astype(name)
        array, rows = ex.array(data), ex.array(data.reshape(1024, 1024))
        exact = data.astype(np.float64) if ty[0] == "f" else data.astype(np.int64)
        whole = exact.sum().astype(name) if ty[0] != "f" else exact.sum()
        of_rows, square = exact.reshape(1024, 1024), data.reshape(1024, 1024)
        add, most = (f"parallel_reduce.{op}.{ty} [z], [x], {N}" for op in ("add", "max"))
        at = f"arg_max.{ty} [z], [x], 1, {N}"
        cases = {
            "ParallelReduce, add": (_instruction(ex, add, ty, array, ty), whole),
            "ParallelReduce, max": (_instruction(ex, most, ty, array, ty), data.max()),
            "ArgMax": (_instruction(ex, at, ty, array, "i32"), data.argmax()),
            "array: sum": (lambda array=array: np.asarray(array.sum()), exact.sum()),
            "array: max": (lambda array=array: np.asarray(array.max()), data.max()),
            "array: sum of rows": (lambda rows=rows: np.asarray(rows.sum(axis=1)), of_rows.sum(axis=1)),
            "array: sum of columns": (lambda rows=rows: np.asarray(rows.sum(axis=0)), of_rows.sum(axis=0)),
            "array: max of rows": (lambda rows=rows: np.asarray(rows.max(axis=1)), square.max(axis=1)),
        }
        if ty in ("i8", "f16"):
            cases["by hand: add"] = by_hand(ty)(data), whole
        for case, (run, wanted) in cases.items():
            assert np.allclose(np.asarray(run(), np.float64), wanted, rtol=2e-2, atol=1), (case, ty)
            found[case, ty] = run
    return found


@click.command(help=__doc__)
@click.option("--rounds", default=40, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    with hg.Executor("wasm", threads=1) as ex:
        timed = runs(ex)
        least = dict.fromkeys(timed, float("inf"))
        for _ in range(rounds):
            for key, run in timed.items():
                start = time.thread_time()
                run()
                least[key] = min(least[key], time.thread_time() - start)
    click.echo(f"{date.today()}, load {os.getloadavg()[0]:.1f}, ns an element, the least of {rounds} turns\n")
    click.echo(f"| case | {' | '.join(TYPES)} |\n|{'---|' * (len(TYPES) + 1)}")
    for case in dict.fromkeys(case for case, _ in timed):
        cells = [f"{1e9 * least[case, ty] / N:.3f}" if (case, ty) in least else "" for ty in TYPES]
        click.echo(f"| {case} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
