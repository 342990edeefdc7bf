"""`python -m bench.tensor`: operations of the tensor library on the device wasm beside NumPy and SciPy (and PyTorch, if
it is installed), in turns, all with so many threads. Results are compared before anything is timed."""

# mypy: ignore-errors

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from statistics import median
from typing import Any

import click
import numpy as np

import hologram_web as hg

_TYPES = {"float32": "f32", "float16": "f16", "float64": "f64", "int8": "i8", "int64": "i64", "uint8": "u8"}
_BLAS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Case:
    """The instruction behind `y, x, ...`, its arrays, and how others do it: by NumPy or SciPy, and by PyTorch."""

    name: str
    text: str
    arrays: dict[str, Any]
    others: dict[str, Callable[..., Any]]
    tolerance: float = 1e-4
    kind: str = "f32"  # of the result


def _softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _layer_norm(x, g, b):
    away = x - x.mean(axis=-1, keepdims=True)
    return away / np.sqrt((away * away).mean(axis=-1, keepdims=True) + 1e-5) * g + b


def _windows(x, side):
    return np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (1, 1), (1, 1))), (side, side), (1, 2))


def cases(small: bool = False) -> list[Case]:
    """All; the `small` ones are for tests."""
    from scipy import fft

    chance = np.random.default_rng(1)

    def some(*shape):
        return chance.random(shape, np.float32) - np.float32(0.5)

    def product(m, n, k, batch=1):
        x, w = some(batch, m, k), some(batch, k, n)
        text = f"batched_gemm.f32 [y], [x], [w], {batch}, {m}, {n}, {k}"
        named = f"{f'{batch} of ' if batch > 1 else ''}{m} x {k} by {k} x {n}"
        return Case(named, text, {"x": x, "w": w}, {"NumPy": np.matmul, "PyTorch": lambda t, x, w: x @ w})

    shrink = 8 if small else 1
    found = [product(side // shrink, side // shrink, side // shrink) for side in (64, 256, 512, 1024)]
    long = 1024 // shrink
    found += [product(1, long, long), product(long, 1, long), product(4096 // shrink, 32, 32), product(256, 16, 16, 16)]
    side, channels, pixels = 512 // shrink, 64 // shrink, 56 // shrink
    x, w = (chance.integers(-128, 128, (side, side), np.int8) for _ in range(2))
    found.append(
        Case(f"int8, {side} x {side}", f"quantized_gemm.i8 [y], [x], [w], {side}, {side}, {side}, [s], [s]",
             {"x": x, "w": w, "s": np.ones(1, "f4")}, {"NumPy": lambda x, w, s: x.astype("f4") @ w.astype("f4")}, 1e-6)
    )  # fmt: skip
    image = some(channels, pixels, pixels)
    for name, size, groups in (("3 x 3", 3, 1), ("depthwise 3 x 3", 3, channels), ("1 x 1", 1, 1)):
        w = some(channels, channels // groups, size, size)
        pad, sums = size // 2, "cyxhw,cohw->cyx" if groups > 1 else "iyxhw,oihw->oyx"

        def by_numpy(x, w, size=size, sums=sums):
            if size == 1:
                return np.tensordot(w[:, :, 0, 0], x, 1)
            if sums[0] == "c":
                return np.einsum(sums, _windows(x, size), w)
            return np.tensordot(w, _windows(x, size), ((1, 2, 3), (0, 3, 4)))

        def by_torch(t, x, w, pad=pad, groups=groups):
            return t.nn.functional.conv2d(x[None], w, padding=pad, groups=groups)

        text = f"conv2d.f32 [y], [x], [w], 1, {channels}, {channels}, {pixels}, {pixels}, {size}, {size}"
        text += f", padding=({pad}, {pad}, {pad}, {pad}), groups={groups}"
        found.append(Case(f"convolution {name}, {channels} channels, {pixels} x {pixels}", text,
                          {"x": image, "w": w}, {"NumPy": by_numpy, "PyTorch": by_torch}))  # fmt: skip
    q, k, v = (some(8, side, 64) for _ in range(3))
    found.append(
        Case(f"attention, 8 heads, {side} x 64", f"attention.f32 [y], [q], [k], [v], 1, 8, {side}, {side}, 64",
             {"q": q, "k": k, "v": v},
             {"NumPy": lambda q, k, v: _softmax(q @ k.swapaxes(1, 2) / np.float32(8)) @ v,
              "PyTorch": lambda t, q, k, v: t.nn.functional.scaled_dot_product_attention(q, k, v)})
    )  # fmt: skip
    for n in (1 << 16, 100_003) if not small else (64, 101):
        x = some(n, 2)
        others = {"SciPy": lambda x: fft.fft(x.view(np.complex64)[:, 0]).view(np.float32),
                  "PyTorch": lambda t, x: t.view_as_real(t.fft.fft(t.view_as_complex(x)))}  # fmt: skip
        found.append(Case(f"FFT of {n:,}", f"fft.f32 [y], [x], {n}", {"x": x}, others, 1e-3))
    x, g, b = some(long, long), some(long), some(long)
    found.append(Case(f"softmax, {long} x {long}", f"softmax.f32 [y], [x], {long}, {long}", {"x": x},
                      {"NumPy": _softmax, "PyTorch": lambda t, x: t.softmax(x, 1)}))  # fmt: skip
    found.append(
        Case(f"layer norm, {long} x {long}", f"layer_norm.f32 [y], [x], [g], [b], {long}, {long}",
             {"x": x, "g": g, "b": b},
             {"NumPy": _layer_norm, "PyTorch": lambda t, x, g, b: t.nn.functional.layer_norm(x, g.shape, g, b)})
    )  # fmt: skip
    for ty in ("f64", "i64", "i8", "f16"):
        kind = next(name for name, told in _TYPES.items() if told == ty)
        x, w = (chance.integers(-8, 8, (256 // shrink, 256 // shrink)).astype(kind) for _ in range(2))
        text = f"gemm.{ty} [y], [x], [w], {len(x)}, {len(x)}, {len(x)}"
        found.append(Case(f"{ty}, {len(x)} x {len(x)}", text, {"x": x, "w": w}, {"NumPy": np.matmul}, kind=ty))
    for ty, shape, order in (
        ("f32", (1024, 1024), (1, 0)), ("f32", (1000, 1000), (1, 0)), ("f32", (512, 2048), (1, 0)),
        ("u8", (1000, 1000), (1, 0)), ("f32", (64, 100, 120), (2, 0, 1)), ("f32", (3, 300, 300), (1, 2, 0)),
    ):  # fmt: skip
        kind = next(name for name, told in _TYPES.items() if told == ty)
        shape = tuple(ceil(side / shrink) for side in shape)
        x = chance.integers(0, 100, shape).astype(kind)
        named, others = " x ".join(map(str, shape)), {"NumPy": lambda x, order=order: x.transpose(order).copy()}
        text = f"transpose.{ty} [y], [x], {shape}, {order}"
        found.append(Case(f"transposed to {order}, {ty}, {named}", text, {"x": x}, others, kind=ty))
    return found


def sides(case: Case, ex: hg.Executor, torch: Any) -> dict[str, Callable[[], Any]]:
    """What runs a case, by name. Raises AssertionError for a result that differs."""
    found: dict[str, Callable[[], Any]] = {}
    for name, function in case.others.items():
        if name != "PyTorch":
            found[name] = lambda function=function: function(*case.arrays.values())
        elif torch is not None:
            tensors = [torch.from_numpy(x) for x in case.arrays.values()]
            found[name] = lambda function=function, tensors=tensors: function(torch, *tensors)
    wanted = np.asarray(next(iter(found.values()))(), np.float64).ravel()
    params = [f".param {name}: buffer {_TYPES[x.dtype.name]} read" for name, x in case.arrays.items()]
    program = hg.Program.from_text("\n".join([f".param y: buffer {case.kind} write", *params, f"    {case.text}"]))
    given = {name: ex.array(x) for name, x in case.arrays.items()}
    result = ex.zeros(wanted.size, getattr(hg, case.kind))

    def ours():
        ex.run(program, 1, y=result, **given)
        ex.sync()

    for name, run in {"ours": ours, **found}.items():
        made = run()
        made = result.numpy() if name == "ours" else np.asarray(made).ravel()
        np.testing.assert_allclose(made, wanted, case.tolerance, case.tolerance * np.abs(wanted).max(), err_msg=name)
    return {"ours": ours, **found}


@click.command()
@click.option("--threads", default=1, help="Of everybody.")
@click.option("--rounds", default=21)
@click.option("--processor", is_flag=True, help="Time of the processor, where other work has it, too.")
@click.option("--only", default="", help="Cases of these words, as in 256,transposed.")
def main(threads: int, rounds: int, processor: bool, only: str) -> None:
    clock = time.process_time if processor else time.perf_counter
    wanted = {name: str(threads) for name in _BLAS}
    if any(os.environ.get(name) != number for name, number in wanted.items()):  # which libraries read when they load
        os.execve(sys.executable, [sys.executable, "-m", "bench.tensor", *sys.argv[1:]], {**os.environ, **wanted})
    try:
        import torch
    except ImportError:
        torch = None
        click.echo("left out: PyTorch")
    click.echo("| case | ours, ms | others, ms | ours / the fastest | of the least times |\n|---|---|---|---|---|")
    with hg.Executor("wasm", threads=threads) as ex:
        for case in (each for each in cases() if any(word in each.name for word in only.split(","))):
            runs = sides(case, ex, torch)
            times: dict[str, list[float]] = {name: [] for name in runs}
            for _ in range(rounds):
                for name, run in runs.items():
                    start = clock()
                    run()
                    times[name].append(1e3 * (clock() - start))
            found = {name: median(each) for name, each in times.items()}
            ours = found.pop("ours")
            told = ", ".join(f"{name} {number:.2f}" for name, number in found.items())
            fastest = min(found, key=found.__getitem__)
            least = min(times["ours"]) / min(times[fastest])
            click.echo(f"| {case.name} | {ours:.2f} | {told} | {ours / found[fastest]:.2f} | {least:.2f} |")


if __name__ == "__main__":
    main()
