"""Kernels of the standard library that the tensor library has, too: their own texts beside calls of the library.

    python -m bench.stdlib [KERNEL ...]

Which of the two a kernel is, is chosen by this: a call that takes less than a tenth more at the larger size. Launches
are on buffers of the device `wasm`, natively, on one thread, the two taking turns; the least of their processor time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import hologram_web as hg
from hologram_web import stdlib
from hologram_web.isa.program import Program
from tests.everywhere.stdlib_cases import lanes

SECONDS = 0.5
ELEMENTS = 1 << 21  # of every array: the largest needs so many
_HEAD = "from hologram_web import DeviceArray, atomic_add, exp, f32, get_global_id, parallel_reduce, rsqrt, sqrt, u32\n"
# Kernels that are calls, as a lane for each element of the result.
OWN = {
    "vector_sum": "atomic_add(result, 0, a[i])",
    "attention": """total = 0.0
    for k in range(d_model):
        total += Q[i // seq_len * d_model + k] * K[i % seq_len * d_model + k]
    Scores[i] = total / sqrt(f32(d_model))""",
    "conv": """total = 0.0
    first = i // (W_in - K_w + 1) * W_in + i % (W_in - K_w + 1)
    for row in range(K_h):
        for column in range(K_w):
            total += X[first + row * W_in + column] * W[row * K_w + column]
    Y[i] = total""",
    "matmul": """total = 0.0
    for k in range(K):
        total += A[i // N * K + k] * B[k * N + i % N]
    Y[i] = total""",
    "concat": "Y[i] = A[i] if i < M * K else B[i - M * K]",
    "batch_normalization": """c = i // (H * W) % C
    Y[i] = scale[c] * (X[i] - mean[c]) / sqrt(var[c] + epsilon) + bias[c]""",
}
# Others that are calls, as lanes that do more than one element each.
WHOLE = {
    "softmax": """parallel_reduce(X, MaxVal, "max", n)
i = u32(get_global_id())
if i < n:
    Y[i] = exp(X[i] - MaxVal[0])
parallel_reduce(Y, MaxVal, "sum", n)
i = u32(get_global_id())
if i < n:
    Y[i] = Y[i] / MaxVal[0]
parallel_reduce(X, MaxVal, "max", n)""",
    "layer_norm": """row = u32(get_global_id())
if row < batch_size:
    first = row * features
    mean = 0.0
    for k in range(features):
        mean += X[first + k]
    mean /= features
    variance = 0.0
    for k in range(features):
        apart = X[first + k] - mean
        variance += apart * apart
    factor = rsqrt(variance / features + epsilon)
    for k in range(features):
        Y[first + k] = scale[k] * (X[first + k] - mean) * factor + bias[k]""",
    "instance_normalization": """i = u32(get_global_id())
if i < N * C:
    size = H * W
    first = i * size
    mean = 0.0
    for k in range(first, first + size):
        mean += X[k]
    mean /= size
    variance = 0.0
    for k in range(first, first + size):
        apart = X[k] - mean
        variance += apart * apart
    factor = scale[i % C] * rsqrt(variance / size + epsilon)
    for k in range(first, first + size):
        Y[k] = factor * (X[k] - mean) + bias[i % C]""",
    "argmax": """if get_global_id() == 0 and n > 0:
    best = X[0]
    place = 0
    for k in range(1, n, 2):  # two in a round: adapters may end loops after 65,535
        if X[k] > best:
            best = X[k]
            place = k
        if k + 1 < n and X[k + 1] > best:
            best = X[k + 1]
            place = k + 1
    Y[0] = place""",
}
# Kernels that are texts of their own, as calls.
CALLS = {
    "vector_add": "parallel_map_binary.add.f32 [c], [a], [b], n",
    "vector_exp": "parallel_map.exp.f32 [b], [a], n",
    "tanh": "parallel_map.tanh.f32 [Y], [X], n",
    "sigmoid": "parallel_map.sigmoid.f32 [Y], [X], n",
    "vector_dot": "gemm.f32 [result], [a], [b], 1, 1, n, beta=1.0",
    "matrix_gemv": "gemm.f32 [y], [A], [x], m, 1, n",
    "skip_layer_norm": "parallel_map_binary.add.f32 [Y], [X], [Skip], n\n    div.u32 r20, r6, r7\n"
    "    layer_norm.f32 [Y], [Y], [Gamma], [Beta], r20, hidden",
    "global_average_pool": "avg_pool2d.f32 [Y], [X], N, C, H, W, H, W",
    "reduce_mean": "avg_pool2d.f32 [Y], [X], batch_size, 1, 1, features, 1, features",
    "flatten": "copy.f32 [Y], [X], n",
    "gather": "gather.f32 [Y], [X], [Indices], 1, m, 1, m",
    "constant": "fill.f32 [Y], n, value",
}
_ROWS = [{"batch_size": rows, "features": n} for rows, n in ((16, 64), (512, 768))]
_IMAGES = [{"N": 1, "C": c, "H": side, "W": side} for c, side in ((3, 8), (64, 56))]
_SIZES: dict[str, list[dict[str, int]]] = {
    "attention": [{"seq_len": n, "d_model": 64} for n in (16, 512)],
    "conv": [{"H_in": n, "W_in": n, "K_h": 3, "K_w": 3} for n in (32, 512)],
    "matmul": [dict.fromkeys("MNK", n) for n in (16, 64, 256)],
    "matrix_gemv": [dict.fromkeys(("m", "n", "lda"), n) for n in (64, 1024)],
    "skip_layer_norm": [{"n": n, "hidden": hidden} for n, hidden in ((1024, 64), (393_216, 768))],
    "concat": [{"M": n, "K": 64, "N": n} for n in (8, 8192)],
    "gather": [{"m": n} for n in (1000, 1 << 20)],
    **dict.fromkeys(("layer_norm", "reduce_mean"), _ROWS),
    **dict.fromkeys(("batch_normalization", "instance_normalization", "global_average_pool"), _IMAGES),
}
_VECTORS = [{"n": n} for n in (1000, 1 << 20)]


def programs(name: str) -> list[Program]:
    """The kernel as a text of its own, and as a call."""
    made = stdlib.kernel(name)
    if name in OWN or name in WHOLE:
        params = ", ".join(f"{key}: {_annotated(ty)}" for key, ty in made.params.items())
        body = OWN.get(name, WHOLE.get(name, "")).replace("\n", "\n    ")
        before = f"i = u32(get_global_id())\n    if i < {_guard(name)}:\n        " if name in OWN else ""
        text = f"{_HEAD}def own({params}):\n    {before}{body}\n"
        return [hg.kernel_from_source(text).program, made.program]
    lines = [f".param {p.name}: " + (str(p.ty) if p.access is None else f"buffer {p.ty} read_write")
              for p in made.program.params]  # fmt: skip
    return [made.program, Program.from_text("\n".join([*lines, f"    {CALLS[name]}", ""]))]


def _annotated(ty: Any) -> str:
    return f"DeviceArray[{ty.ty}]" if isinstance(ty, hg.ArrayType) else str(ty)


def _guard(name: str) -> str:
    return {"conv": "(H_in - K_h + 1) * (W_in - K_w + 1)", "vector_sum": "n"}.get(name) or stdlib.lanes(name)


def ours(name: str, sizes: dict[str, int], device: Any) -> tuple[list[float], float]:
    """Microseconds of a launch of both, and the greatest difference of their results."""
    rng = np.random.default_rng(1)
    buffers, scalars, written = {}, {"epsilon": 1e-5, "value": 2.5, **sizes}, []
    for param in stdlib.kernel(name).program.params:
        if param.access is None:
            continue
        data = rng.random(ELEMENTS, np.float32) if str(param.ty) == "f32" else np.arange(ELEMENTS, dtype=np.uint32)
        buffers[param.name] = device.allocate_buffer(data.nbytes)
        device.copy_to_buffer(buffers[param.name], data)
        written += [param.name] if param.access.writes else []
    launches, results = [], []
    for program in programs(name):
        count = sizes["n"] if program.metadata.name == "own" and name == "vector_sum" else lanes(name, sizes)
        args = {p.name: buffers.get(p.name, scalars.get(p.name)) for p in program.params}
        params = hg.ExecutionParams(hg.LaunchConfig.linear(count), args)
        launches.append(_launch(device, program, params))
        for key in written:
            device.copy_to_buffer(buffers[key], np.zeros(ELEMENTS, np.float32))
        launches[-1]()
        found = np.empty(ELEMENTS, "u4" if name == "argmax" else "f4")
        device.copy_from_buffer(buffers[written[-1]], found)
        results.append(found.astype(np.float64))
    times: list[list[float]] = [[], []]
    until = time.perf_counter() + SECONDS
    while time.perf_counter() < until or len(times[0]) < 5:
        for taken, launch in zip(times, launches, strict=True):
            start = time.process_time()
            launch()
            taken.append(1e6 * (time.process_time() - start))
    for handle in buffers.values():
        device.free_buffer(handle)
    return [min(taken) for taken in times], float(np.abs(results[0] - results[1]).max())


def _launch(device: Any, program: Program, params: hg.ExecutionParams) -> Callable[[], None]:
    return lambda: device.execute_program_with_params(program, params)


def main(names: list[str]) -> None:
    device = hg.backends.WasmBackend(threads=1)
    print("| Kernel | Sizes | Own text, µs | Call, µs | Own / call | Differ by |\n|---|---|---|---|---|---|")
    for name in names or [*OWN, *WHOLE, *CALLS]:
        for sizes in _SIZES.get(name, _VECTORS):
            (own, call), apart = ours(name, sizes, device)
            told = ", ".join(map(str, dict.fromkeys(sizes.values())))
            print(f"| `{name}` | {told} | {own:,.0f} | {call:,.0f} | {own / call:.2f} | {apart:.1g} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
