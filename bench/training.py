"""`OPENBLAS_NUM_THREADS=1 python -m bench.training`: steps of training natively beside NumPy's, PyTorch's where that is
installed, and the engine's limit.

One thread each, least times of the processor, in turns, once the results agree. Products and sums as fast as they go in
the same engine, by hand, say how long the arithmetic of a step takes at least with vectors of 128 bits: as two
instructions, which exact results need, and as one fused one. Then the kernels of a step: what they take, by name.

`mlp` and `convnet` are mostly products; `adam` has a weight for each of 1 Mi features and Adam's two means for each
weight, and computes nothing but element by element.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import numpy as np
import wasmtime

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web import nn

from .peers import steps, training
from .peers.cases import PEAKS, Case

__all__ = ["kernels", "measured"]

_CODE = {"mul_add": "v128.wat", "fma": "v128_relaxed.wat"}
_OPERATIONS = {"mul_add": 28 * 8, "fma": 10 * 8}  # of a round
_ROUNDS = 1 << 18
_TIMES = 9  # a step whose launches are timed one by one


def adam(n: int = 1 << 20) -> Case:
    """A step of Adam whose gradients are those of squared errors of x * w."""
    rng = np.random.default_rng(10)
    arrays = {name: rng.random(n).astype("f4") for name in ("x", "t", "w", "m", "v")}
    optimizer = nn.Adam(steps.RATE)

    def step(**given: Any) -> dict[str, Any]:
        x, t, w, m, v = (given[name] for name in arrays)
        gradient = hg.grad(lambda w: ((off := x * w - t) * off).sum())(w)
        made, state = optimizer.update([w], [gradient], {"step": xp.asarray(9), "mean": [m], "square": [v]})
        return {"z": made[0], "m_after": state["mean"][0], "v_after": state["square"][0]}

    def ours(math: str) -> hg.CompiledProgram:
        with hg.Executor("wasm", math=math) as ex:
            return hg.function(step, device=ex).compile(**arrays)

    wanted = np.empty(n)
    by_hand: Any = steps.adam
    by_hand(*(value.astype(np.float64) for value in arrays.values()), wanted)
    return Case("adam", f"{n:,}", ours, arrays, wanted, 32 * n, 20 * n, tolerance=1e-4)


STEPS: dict[str, Any] = {**training.TRAINING, "adam": adam}


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
    written = [port.name for port in compiled.ports if port.access is not None and port.access.value == "write"]
    results = {name: ex.zeros(case.wanted.size) for name in written}

    def run() -> hg.Buffer:
        compiled.run(ex, **given, **results)
        return results["z"]

    assert np.allclose(run().numpy(), case.wanted, rtol=case.tolerance, atol=1e-5), case.name
    return run


def _by_torch(case: Case, torch: Any) -> Callable[[], Any]:
    """A step by PyTorch's autograd, on one thread, whose result is right."""
    functional, relu = torch.nn.functional, torch.relu
    torch.set_num_threads(1)

    def mlp(x: Any, t: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        return functional.cross_entropy(relu(x @ w1 + b1) @ w2 + b2, t)

    def convnet(x: Any, t: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
        h = relu(functional.conv2d(x, w1, b1, stride=2))
        return functional.cross_entropy(relu(functional.conv2d(h, w2, b2, stride=2)).flatten(1) @ w3 + b3, t)

    def adam(x: Any, t: Any, w: Any, _m: Any, _v: Any) -> Any:
        return ((x * w - t) ** 2).sum()

    losses: dict[str, Any] = {"mlp": mlp, "convnet": convnet, "adam": adam}
    loss = losses[case.name]
    given = {name: torch.from_numpy(value.copy()) for name, value in case.arrays.items()}
    weights = [value.requires_grad_() for name, value in given.items() if name not in "xtmv"]

    def run() -> Any:
        gradients = torch.autograd.grad(loss(*given.values()), weights)
        with torch.no_grad():
            if "m" not in given:
                return torch.cat([(w - steps.RATE * g).reshape(-1) for w, g in zip(weights, gradients, strict=True)])
            (w,), (g,) = weights, gradients
            m, v = given["m"].lerp(g, 0.1), (given["v"] * 0.999).addcmul_(g, g, value=0.001)
            size = v.sqrt().div_((1 - 0.999**10) ** 0.5).add_(1e-8)
            return w.addcdiv(m, size, value=-steps.RATE / (1 - 0.9**10))

    assert np.allclose(run().detach().numpy(), case.wanted, rtol=case.tolerance, atol=1e-5), case.name
    return run


def measured(case: Case, rounds: int) -> dict[str, float]:
    """Milliseconds of the processor, the least, by side; of peaks what the work of a step takes."""
    z = np.empty(case.wanted.size, np.float32)
    torch: Any = import_module("torch") if find_spec("torch") else None
    with hg.Executor("wasm", threads=1) as exact, hg.Executor("wasm", threads=1, math="fast") as fast:
        sides: dict[str, Callable[[], object]] = {
            "ours": _step(case, exact, "exact"),
            'ours, math="fast"': _step(case, fast, "fast"),
            "NumPy": partial(getattr(steps, case.name), *case.arrays.values(), z),
            **({f"PyTorch {torch.__version__}": _by_torch(case, torch)} if torch is not None else {}),
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
@click.option("--case", "names", multiple=True, type=click.Choice(list(STEPS)), help="[default: all]")
def main(rounds: int, names: tuple[str, ...]) -> None:
    """Steps of training natively beside NumPy's, and what the engine allows."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        raise click.UsageError("OPENBLAS_NUM_THREADS=1 python -m bench.training: NumPy's threads wait by spinning")
    print(f"{date.today()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, least of {rounds} turns\n")
    print("| case | by | ms | GFLOP/s | of NumPy's rate |\n|---|---|---|---|---|")
    cases = {name: STEPS[name]() for name in names or STEPS}
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
