"""`OPENBLAS_NUM_THREADS=1 python -m bench.training`: steps of training natively beside NumPy's, and the engine's limit.

One thread each, least times of the processor, in turns, once the results agree. Products and sums as fast as they go in
the same engine, by hand, say how long the arithmetic of a step takes at least with vectors of 128 bits: as two
instructions, which exact results need, and as one fused one. Then the kernels of a step: what they take, by name.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

import click
import numpy as np
import wasmtime

import hologram_web as hg

from .peers import steps, training
from .peers.cases import PEAKS, Case

__all__ = ["kernels", "measured"]

_CODE = {"mul_add": "v128.wat", "fma": "v128_relaxed.wat"}
_OPERATIONS = {"mul_add": 28 * 8, "fma": 10 * 8}  # of a round
_ROUNDS = 1 << 18
_TIMES = 9  # a step whose launches are timed one by one


def _peak(name: str) -> Callable[[], object]:
    config = wasmtime.Config()
    config.wasm_relaxed_simd = True
    store = wasmtime.Store(engine := wasmtime.Engine(config))
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, 65536)))
    code = Path(__file__).with_name("hand") / _CODE[name]
    loop = wasmtime.Instance(store, wasmtime.Module(engine, code.read_text(encoding="utf-8")), [memory]).exports(store)[
        name
    ]
    assert isinstance(loop, wasmtime.Func)
    return lambda: loop(store, 0, 0, 0, _ROUNDS)


def _step(case: Case, ex: hg.Executor, math: str) -> Callable[[], hg.Buffer]:
    """A step by us on Buffers that are there, whose result is right."""
    given = {name: ex.array(value) for name, value in case.arrays.items()}
    compiled = case.ours(math)
    result = ex.zeros(case.wanted.size)

    def run() -> hg.Buffer:
        compiled.run(ex, **given, z=result)
        return result

    assert np.allclose(run().numpy(), case.wanted, rtol=case.tolerance, atol=1e-5), case.name
    return run


def measured(case: Case, rounds: int) -> dict[str, float]:
    """Milliseconds of the processor, the least, by side; of peaks what the work of a step takes."""
    z = np.empty(case.wanted.size, np.float32)
    with hg.Executor("wasm", threads=1) as exact, hg.Executor("wasm", threads=1, math="fast") as fast:
        sides: dict[str, Callable[[], object]] = {
            "ours": _step(case, exact, "exact"),
            'ours, math="fast"': _step(case, fast, "fast"),
            "NumPy": partial(getattr(steps, case.name), *case.arrays.values(), z),
            **{name: _peak(name) for name in PEAKS},
        }
        found: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(rounds + 1):
            for name, side in sides.items():
                begun = time.process_time()
                side()
                found[name].append(1000 * (time.process_time() - begun))
    assert np.allclose(z, case.wanted, rtol=case.tolerance, atol=1e-5), case.name
    times = {name: min(each) for name, each in found.items()}
    return times | {name: times[name] * case.work / (_OPERATIONS[name] * _ROUNDS) for name in PEAKS}


def kernels(case: Case) -> dict[str, tuple[int, float]]:
    """How often each kernel is launched in a step, and its milliseconds together, the least of some steps."""
    with hg.Executor("wasm", threads=1) as ex:
        step = _step(case, ex, "exact")
        found: list[dict[str, tuple[int, float]]] = []
        for _ in range(_TIMES):
            with ex.trace() as timeline:
                step()
            timeline.spans = [span for span in timeline.spans if span.kind == "launch"]
            found.append(timeline.totals())
    least = {name: (count, 1000 * min(each[name][1] for each in found)) for name, (count, _) in found[0].items()}
    return dict(sorted(least.items(), key=lambda each: -each[1][1]))


@click.command()
@click.option("--rounds", default=21, show_default=True, type=click.IntRange(1))
@click.option("--case", "names", multiple=True, type=click.Choice(list(training.TRAINING)), help="[default: all]")
def main(rounds: int, names: tuple[str, ...]) -> None:
    """Steps of training natively beside NumPy's, and what the engine allows."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        raise click.UsageError("OPENBLAS_NUM_THREADS=1 python -m bench.training: NumPy's threads wait by spinning")
    print(f"{date.today()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, least of {rounds} turns\n")
    print("| case | by | ms | GFLOP/s | of NumPy's rate |\n|---|---|---|---|---|")
    cases = {name: training.TRAINING[name]() for name in names or training.TRAINING}
    for name, case in cases.items():
        times = measured(case, rounds)
        for side, took in times.items():
            title = f"its arithmetic at the peak, {side}" if side in PEAKS else side
            print(f"| {name} | {title} | {took:.2f} | {case.work / took / 1e6:.1f} | {times['NumPy'] / took:.2f} |")
    for name, case in cases.items():
        print(f"\n| kernels of {name} | launches | ms |\n|---|---|---|")
        for kernel, (count, took) in kernels(case).items():
            print(f"| {kernel} | {count} | {took:.2f} |")


if __name__ == "__main__":
    main()
