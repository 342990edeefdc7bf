"""`python -m bench.gpu`: the device `webgpu` natively on a real GPU beside PyTorch's CUDA on the same one.

Needs a GPU, and a PyTorch that sees it; an adapter of software is refused. PyTorch computes products in F32, without
TF32. Both sides put so many calls into the queue that they take some 50 ms, and wait for the last one; what is told is
the time of one of them, launch included. Turns of the two follow each other, after both have warmed the GPU up. Results
are compared before anything is timed. GB/s count what the job has to read and write, TFLOP/s two for each product of a
sum.
"""

# mypy: ignore-errors

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any

import click
import numpy as np

import hologram_web as hg


@dataclass(frozen=True)
class Case:
    """The instruction behind `y, x, ...`, the shapes of its arrays and of its result, and how PyTorch does it. `work`
    is how many bytes ("B") or floating-point operations ("FLOP") it takes."""

    name: str
    text: str
    arrays: dict[str, tuple[int, ...]]
    result: tuple[int, ...]
    peer: Callable[..., Any]
    work: tuple[float, str]
    positive: bool = False
    tolerance: float = 1e-4


def cases(shrink: int = 1) -> list[Case]:
    """All, in the order in which they are told; for tests with so much shorter sides."""
    found = []
    for n in (512 // shrink, 1024 // shrink, 2048 // shrink, 4096 // shrink):
        found.append(
            Case(f"GEMM {n}", f"gemm.f32 [y], [a], [b], {n}, {n}, {n}", {"a": (n, n), "b": (n, n)}, (n, n),
                 lambda t, a, b: a @ b, (2.0 * n**3, "FLOP"))
        )  # fmt: skip
    m, n, k = 384, 77, 1000
    found.append(
        Case(f"GEMM {m} x {k} by {k} x {n}", f"gemm.f32 [y], [a], [b], {m}, {n}, {k}", {"a": (m, k), "b": (k, n)},
             (m, n), lambda t, a, b: a @ b, (2.0 * m * n * k, "FLOP"))
    )  # fmt: skip
    for batch, channels, side in ((1, 64, 56), (32, 64, 56), (16, 256, 28)):
        batch, channels, side = -(-batch // shrink), channels // shrink, side // min(shrink, 4)
        shape = (batch, channels, side, side)
        found.append(
            Case(f"convolution 3 x 3, {batch} x {channels} x {side} x {side}",
                 f"conv2d.f32 [y], [x], [w], {batch}, {channels}, {channels}, {side}, {side}, 3, 3, "
                 "padding=(1, 1, 1, 1)",
                 {"x": shape, "w": (channels, channels, 3, 3)}, shape,
                 lambda t, x, w: t.nn.functional.conv2d(x, w, padding=1),
                 (2.0 * batch * side * side * channels * channels * 9, "FLOP"))
        )  # fmt: skip
    for batch, heads, side in ((1, 8, 512), (4, 16, 2048)):
        side //= shrink
        shape = (batch, heads, side, 64)
        found.append(
            Case(f"attention, {batch} x {heads} heads, {side} x 64",
                 f"attention.f32 [y], [q], [k], [v], {batch}, {heads}, {side}, {side}, 64",
                 dict.fromkeys("qkv", shape), shape,
                 lambda t, q, k, v: t.nn.functional.scaled_dot_product_attention(q, k, v),
                 (4.0 * batch * heads * side * side * 64, "FLOP"))
        )  # fmt: skip
    n = (1 << 27) // shrink**3
    found += [
        Case(f"copy of {n:,}", f"copy.f32 [y], [a], {n}", {"a": (n,)}, (n,), lambda t, a: a.clone(), (8.0 * n, "B")),
        Case(f"add of {n:,}", f"parallel_map_binary.add.f32 [y], [a], [b], {n}", {"a": (n,), "b": (n,)}, (n,),
             lambda t, a, b: a + b, (12.0 * n, "B")),
        Case(f"exp of {n:,}", f"parallel_map.exp.f32 [y], [a], {n}", {"a": (n,)}, (n,), lambda t, a: a.exp(),
             (8.0 * n, "B")),
        Case(f"sum of {n:,}", f"parallel_reduce.add.f32 [y], [a], {n}", {"a": (n,)}, (1,),
             lambda t, a: a.sum()[None], (4.0 * n, "B"), True),
        Case(f"prefix sums of {n >> 3:,}", f"cum_sum.f32 [y], [a], 1, {n >> 3}", {"a": (n >> 3,)}, (n >> 3,),
             lambda t, a: a.cumsum(0), (n, "B"), True, 1e-3),
    ]  # fmt: skip
    for rows, columns in ((8192, 1024), (1024, 1024)):
        shape = (rows, columns) = rows // shrink, columns // shrink
        found += [
            Case(f"softmax, {rows} x {columns}", f"softmax.f32 [y], [x], {rows}, {columns}", {"x": shape}, shape,
                 lambda t, x: t.softmax(x, 1), (8.0 * rows * columns, "B")),
            Case(f"layer norm, {rows} x {columns}", f"layer_norm.f32 [y], [x], [g], [b], {rows}, {columns}",
                 {"x": shape, "g": (columns,), "b": (columns,)}, shape,
                 lambda t, x, g, b: t.nn.functional.layer_norm(x, g.shape, g, b), (8.0 * rows * columns, "B")),
        ]  # fmt: skip
    for n in ((1 << 16) // shrink, (1 << 22) // shrink**3):
        found.append(
            Case(f"FFT of {n:,}", f"fft.f32 [y], [x], {n}", {"x": (n, 2)}, (n, 2),
                 lambda t, x: t.view_as_real(t.fft.fft(t.view_as_complex(x))), (5.0 * n * np.log2(n), "FLOP"),
                 tolerance=1e-3)
        )  # fmt: skip
    n = (1 << 20) // shrink**2
    found.append(
        Case(f"sort of {n:,}", f"sort.f32 [y], [a], 1, {n}", {"a": (n,)}, (n,), lambda t, a: a.sort().values,
             (8.0 * n, "B"))
    )  # fmt: skip
    return found


def program_of(case: Case) -> hg.Program:
    params = [f".param {name}: buffer f32 read" for name in case.arrays]
    return hg.Program.from_text("\n".join([".param y: buffer f32 write", *params, f"    {case.text}"]))


def arrays_of(case: Case) -> dict[str, np.ndarray]:
    """Numbers around 0; positive ones where sums of others would say nothing."""
    chance = np.random.default_rng(1)
    found = {name: chance.random(shape, np.float32) for name, shape in case.arrays.items()}
    return found if case.positive else {name: x - np.float32(0.5) for name, x in found.items()}


def sides(case: Case, ex: hg.Executor, torch: Any) -> dict[str, Callable[[int], float]]:
    """By name, what makes so many calls and says how many milliseconds one of them took. Raises AssertionError for a
    result that differs."""
    program, arrays = program_of(case), arrays_of(case)
    given = {name: ex.array(x) for name, x in arrays.items()}
    result = ex.zeros(case.result)
    ex.run(program, 1, y=result, **given)
    tensors = [torch.from_numpy(x).cuda() for x in arrays.values()]
    wanted = case.peer(torch, *tensors).cpu().numpy()
    largest = float(np.abs(wanted).max())
    np.testing.assert_allclose(result.numpy().reshape(wanted.shape), wanted, case.tolerance, case.tolerance * largest)

    def timed(call: Callable[[], Any], wait: Callable[[], Any]) -> Callable[[int], float]:
        def run(count: int) -> float:
            wait()
            start = time.perf_counter()
            for _ in range(count):
                call()
            wait()
            return 1e3 * (time.perf_counter() - start) / count

        return run

    return {
        "ours": timed(lambda: ex.run(program, 1, y=result, **given), ex.sync),
        "PyTorch": timed(lambda: case.peer(torch, *tensors), torch.cuda.synchronize),
    }


def warmed(run: Callable[[int], float], seconds: float) -> int:
    """How many calls take some 50 ms, after as many seconds of calls: a GPU that waits runs at a sixth of its clock."""
    began, count = time.perf_counter(), 1
    while True:
        taken = run(count)
        count = min(max(int(50 / max(taken, 1e-3)), 1), 500)
        if time.perf_counter() - began > seconds:
            return count


def rate(work: tuple[float, str], ms: float) -> str:
    """What that work at that time is: TFLOP/s, or GB/s."""
    return f"{work[0] / ms / 1e9:.2f} TFLOP/s" if work[1] == "FLOP" else f"{work[0] / ms / 1e6:,.0f} GB/s"


@click.command(help=__doc__)
@click.option("--rounds", default=7, show_default=True, type=click.IntRange(1))
@click.option("--warm", default=0.3, show_default=True, help="Seconds of calls before the turns.")
@click.option("--case", "only", multiple=True, help="Those whose names hold this.")
@click.option("--math", type=click.Choice(["exact", "fast"]), multiple=True, default=("exact", "fast"))
def main(rounds: int, warm: float, only: tuple[str, ...], math: tuple[str, ...]) -> None:
    import torch

    if not torch.cuda.is_available():
        sys.exit("bench.gpu: PyTorch sees no GPU")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    print(f"{date.today()}, {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {platform.platform()}")
    for each in math:
        with hg.Executor("webgpu", math=each) as ex, torch.no_grad():
            adapter = ex.device.adapter
            if not adapter["real"]:
                sys.exit(f"bench.gpu: {adapter['device']} is no GPU")
            print(f"\nmath={each!r} on {adapter['device']}, medians of {rounds} turns\n")
            print(
                "| case | ours, ms | ours | PyTorch, ms | PyTorch | ours / PyTorch, time |\n|---|---|---|---|---|---|"
            )
            for case in cases():
                if only and not any(part in case.name for part in only):
                    continue
                try:
                    runs = sides(case, ex, torch)
                    counts = {name: warmed(run, warm) for name, run in runs.items()}
                except (hg.HologramError, AssertionError) as error:
                    print(f"| {case.name} | {type(error).__name__}: {' '.join(str(error).split())[:300]} | | | | |")
                    continue
                times: dict[str, list[float]] = {name: [] for name in runs}
                for _ in range(rounds):
                    for name, run in runs.items():
                        times[name].append(run(counts[name]))
                ours, peer = (median(times[name]) for name in ("ours", "PyTorch"))
                cells = (
                    f"{ours:.3f} | {rate(case.work, ours)} | {peer:.3f} | {rate(case.work, peer)} | {ours / peer:.2f}"
                )
                print(f"| {case.name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
