"""How long Numba and tinygrad take for kernels of the standard library; runs in `build/peers`, prints JSON.

Numba compiles a loop over the lanes to machine code, tinygrad an expression of tensors to WGSL. Sizes differ from round
to round, because tinygrad keeps what it has compiled.
"""

# mypy: ignore-errors

from __future__ import annotations

import json
import math
import os
import sys
import time
from importlib.metadata import version
from statistics import median

os.environ["DEV"] = "NULL"  # tinygrad needs a device, and compiles for another

import numba
from tinygrad import Tensor
from tinygrad.codegen import to_program
from tinygrad.helpers import Target
from tinygrad.renderer.wgsl import WGSLRenderer
from tinygrad.uop.ops import Ops

ARRAY, SIZE, FLOAT = numba.float32[::1], numba.uint32, numba.float32


def vector_add(a, b, c, n):
    for i in range(n):
        c[i] = a[i] + b[i]


def gelu(x, y, n):
    for i in range(n):
        v = x[i]
        y[i] = 0.5 * v * (1.0 + math.tanh(0.7978845608 * (v + 0.044715 * v * v * v)))


def matmul(a, b, y, m, n, k):
    for i in range(m * n):
        total = numba.float32(0)
        for j in range(k):
            total += a[i // n * k + j] * b[j * n + i % n]
        y[i] = total


def layer_norm(x, scale, bias, y, rows, features, epsilon):
    for row in range(rows):
        first = row * features
        mean = numba.float32(0)
        for k in range(features):
            mean += x[first + k]
        mean /= features
        variance = numba.float32(0)
        for k in range(features):
            variance += (x[first + k] - mean) ** 2
        factor = 1 / math.sqrt(variance / features + epsilon)
        for k in range(features):
            y[first + k] = scale[k] * (x[first + k] - mean) * factor + bias[k]


LOOPS = {
    "vector_add": (vector_add, (ARRAY, ARRAY, ARRAY, SIZE)),
    "gelu": (gelu, (ARRAY, ARRAY, SIZE)),
    "matmul": (matmul, (ARRAY, ARRAY, ARRAY, SIZE, SIZE, SIZE)),
    "layer_norm": (layer_norm, (ARRAY, ARRAY, ARRAY, ARRAY, SIZE, SIZE, FLOAT)),
}


def tensor(*shape):
    return Tensor.empty(*shape, device="NULL")


TENSORS = {
    "vector_add": lambda n: tensor(n) + tensor(n),
    "gelu": lambda n: tensor(n).gelu(),
    "matmul": lambda n: tensor(n, 32) @ tensor(32, 64),
    "layer_norm": lambda n: tensor(n, 64).layernorm() * tensor(64) + tensor(64),
}


def to_wgsl(make, size, renderer):
    """The shaders of an expression."""
    calls = [part for part in make(size).schedule_linear().toposort() if part.op is Ops.CALL]
    programs = [to_program(call.src[0], renderer) for call in calls if call.src[0].op is Ops.SINK]
    shaders = [part.arg for program in programs for part in program.toposort() if part.op is Ops.SOURCE]
    assert shaders
    assert all("@compute" in shader for shader in shaders)


def main(rounds):
    times = {}
    renderer = WGSLRenderer(Target.parse("WEBGPU"))
    for number in range(rounds + 1):
        for name, (function, signature) in LOOPS.items():
            start = time.thread_time()
            numba.njit(signature)(function)
            between = time.thread_time()
            to_wgsl(TENSORS[name], 1024 + 64 * number, renderer)
            if number:  # the first round warms up
                ways = times.setdefault(name, {})
                ways.setdefault("Numba, machine code", []).append(1000 * (between - start))
                ways.setdefault("tinygrad, WGSL", []).append(1000 * (time.thread_time() - between))
    medians = {name: {way: median(ms) for way, ms in ways.items()} for name, ways in times.items()}
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "tinygrad"))
    print(json.dumps({"times": medians, "versions": versions}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
