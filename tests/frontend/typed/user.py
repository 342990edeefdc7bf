"""What a user writes. Both checkers find what is marked wrong, and nothing else: a mark too many is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

import hologram_web as hg

T = TypeVar("T", hg.f32, hg.f64)
TAPS = (1, 2, 1)


def doubled(v: float) -> float:
    return v + v


@hg.kernel
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32], n: hg.u32 = 0) -> None:
    """Adds."""
    i = hg.global_id()
    if i < len(y) and i + n < x.shape[0]:
        y[i] = a * x[i + n] + y[i]


@hg.kernel(checks="buffer")
def product(
    a: hg.Array[hg.f32, 2],
    b: hg.Array[hg.f32, 2],
    c: hg.Array[hg.f32, 2],
    BM: hg.Constant[int] = 16,
    WITH: hg.Constant[Callable[[float], float]] = doubled,
) -> None:
    tile = hg.shared(hg.f32, (BM, BM + 1))
    row, column = hg.global_id(1), hg.global_id(0)
    total: hg.f32 = 0
    for k in range(a.shape[1]):
        tile[hg.local_id(1), hg.local_id(0)] = a[row, k]
        hg.barrier()
        total += tile[0, 0] * b[k, column]
    for step in hg.static_range(2):
        total += TAPS[step]
    c[row, column] = WITH(hg.sqrt(total)) + hg.u32(total) + hg.bitcast(hg.f32, row)


@hg.kernel
def halves(x: hg.Array[T], y: hg.Array[T, 1], counts: hg.Array[hg.u32]) -> None:
    i = hg.global_id()
    y[i] = hg.select(hg.isnan(x[i]), 0, x[i] / 2)
    hg.atomic_add(counts, 0, 1)
    a, b, *_ = hg.random(7, i)
    counts[i] = hg.popcount(a ^ b)


@hg.kernel
def scores(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2], total: hg.Array[hg.f32]) -> None:
    hg.tensor.softmax(y, x[1:], len(x), x.shape[1])
    hg.tensor.gemm(c=y, a=x, b=x, m=4, n=4, k=4, activation="gelu", trans_b=True)
    total[0] = hg.tensor.parallel_reduce("sum", src_array=y, count=16)


x = np.zeros(8, np.float32)
saxpy[8](2.0, x, x.copy(), n=1)
saxpy[8, 64](2.0, x, x.copy())
saxpy(2.0, x, x.copy())
saxpy.over(x)(2.0, x, x.copy())
saxpy.on("wasm")[8](2.0, x, x.copy())
product[(8, 8), (8, 8)](x, x, x, BM=8)
halves.specialize(T=hg.f64)[8](x, x, x)
print(saxpy.program.to_text(), saxpy.name, hg.compile(saxpy, lanes="n").ports)
with hg.Executor("wasm") as ex:
    buffer = ex.zeros(8, hg.f32)
    saxpy[8](2.0, buffer, ex.array(x))


@hg.kernel(checks="axes")  # type: ignore[call-overload, untyped-decorator]  # pyright: ignore[reportArgumentType]
def wrong(x: hg.Array[hg.f32], y: hg.Array[hg.f32]) -> None:
    i = hg.global_id(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    y[i] = hg.clamp(x[i], 0)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    hg.atomicAdd(y, i, 1)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


saxpy["8"](2.0, x, x)  # type: ignore[index]  # pyright: ignore[reportArgumentType]
