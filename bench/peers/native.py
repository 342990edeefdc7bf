"""NumPy, numexpr and Numba at the cases of cases.py; runs in an environment of its own and knows nothing of us.

Lines of JSON come in, and answers go out: what to prepare, and what to time. Arrays lie in files of NumPy.
"""

# mypy: ignore-errors

from __future__ import annotations

import json
import math
import os
import sys
import time
from importlib.metadata import version

import numba
import numexpr
import numpy as np
import steps

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
float32, prange = numba.float32, numba.prange
FEED, KILL, DU, DV = map(np.float32, (0.037, 0.06, 0.16, 0.08))


def sum_(x, z):
    total = float32(0)
    for i in range(x.size):
        total += x[i]
    z[0] = total


def gemm(x, y, z):
    rows, depth = x.shape
    columns = y.shape[1]
    for i in prange(rows):
        for j in range(columns):
            z[i, j] = 0
        for k in range(depth):
            for j in range(columns):
                z[i, j] += x[i, k] * y[k, j]


def mandelbrot(width, step, most, z):
    for row in prange(width):
        for column in range(width):
            cx, cy = float32(column) * step - float32(2), float32(row) * step - float32(1.5)
            x = y = float32(0)
            rounds = 0
            while rounds < most:
                xx, yy = x * x, y * y
                if xx + yy > float32(4):
                    break
                xy = x * y
                x, y = xx - yy + cx, xy + xy + cy
                rounds += 1
            z[row * width + column] = rounds


def histogram(x, z):
    z[:] = 0
    for i in range(x.size):
        z[x[i]] += 1


def search(x, p, z):
    for i in prange(z.size):
        k = 0
        while k < p.size and x[i + k] == p[k]:
            k += 1
        z[i] = k == p.size


def blur(x, w, z):
    for row in prange(z.shape[0]):
        for column in range(z.shape[1]):
            total = float32(0)
            for i in range(3):
                for j in range(3):
                    total += w[3 * i + j] * x[row + i, column + j]
            z[row, column] = total


def gray_scott(x, z):
    side = x.shape[1]
    for row in prange(side):
        up = row - 1 if row > 0 else side - 1
        down = row + 1 if row < side - 1 else 0
        for column in range(side):
            left = column - 1 if column > 0 else side - 1
            right = column + 1 if column < side - 1 else 0
            u, v = x[0, row, column], x[1, row, column]
            around_u = x[0, up, column] + x[0, down, column] + x[0, row, left] + x[0, row, right] - float32(4) * u
            around_v = x[1, up, column] + x[1, down, column] + x[1, row, left] + x[1, row, right] - float32(4) * v
            reaction = u * v * v
            z[0, row, column] = u + (DU * around_u - reaction + FEED * (float32(1) - u))
            z[1, row, column] = v + (DV * around_v + reaction - (FEED + KILL) * v)


LOOPS = {"sum": sum_, "gemm": gemm, "mandelbrot": mandelbrot, "histogram": histogram, "search": search, "blur": blur}
LOOPS["gray_scott"] = gray_scott
SERIAL = {"sum", "histogram"}  # loops that Numba does not divide


def np_search(x, p, z):
    np.equal(x[: z.size], p[0], out=z.view(bool))
    for k in range(1, p.size):
        z &= x[k : k + z.size] == p[k]


def np_blur(x, w, z):
    height, width = z.shape
    z[:] = 0
    for k in range(9):
        z += w[k] * x[k // 3 : k // 3 + height, k % 3 : k % 3 + width]


def np_gray_scott(x, z):
    u, v = x
    around = [
        np.roll(s, 1, 0) + np.roll(s, -1, 0) + np.roll(s, 1, 1) + np.roll(s, -1, 1) - np.float32(4) * s for s in x
    ]
    reaction = u * v * v
    z[0] = u + (DU * around[0] - reaction + FEED * (np.float32(1) - u))
    z[1] = v + (DV * around[1] + reaction - (FEED + KILL) * v)


def np_mandelbrot(width, step, most, z):
    row, column = np.divmod(np.arange(width * width), width)
    cx = column.astype(np.float32) * step - np.float32(2)
    cy = row.astype(np.float32) * step - np.float32(1.5)
    z[:] = 0
    x, y, inside = np.zeros_like(cx), np.zeros_like(cy), np.arange(cx.size)
    for _ in range(most):
        xx, yy = x * x, y * y
        kept = xx + yy <= 4
        inside, cx, cy, x, y, xx, yy = (a[kept] for a in (inside, cx, cy, x, y, xx, yy))
        xy = x * y
        x, y = xx - yy + cx, xy + xy + cy
        z[inside] += 1


NUMPY = {
    "sum": lambda x, z: np.sum(x, out=z[0, ...]),
    "gemm": lambda x, y, z: np.matmul(x, y, out=z),
    "histogram": lambda x, z: z.__setitem__(slice(None), np.bincount(x, minlength=256)),
    "search": np_search,
    "blur": np_blur,
    "gray_scott": np_gray_scott,
    "mandelbrot": np_mandelbrot,
    "mlp": steps.mlp,
    "convnet": steps.convnet,
}
UFUNCS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Max": np.maximum, "Min": np.minimum,
    "Abs": np.abs, "Sqrt": np.sqrt, "Exp": np.exp, "Tanh": np.tanh,
    "Relu": lambda x, out: np.maximum(x, np.float32(0), out=out),
}  # fmt: skip


def of_nodes(nodes, names, columns):
    """NumPy's functions one after the other, into arrays that are there already."""
    kept = {}

    def run(*given):
        *inputs, z = given
        values = dict(zip(names, inputs, strict=True))
        for op, operands, result in nodes:
            parts = [
                values[n] if n in values else np.float32(1 / columns if n == "1/n" else n) for n in operands.split()
            ]
            if op.startswith("Reduce"):
                values[result] = (np.add if op == "ReduceSum" else np.maximum).reduce(parts[0], axis=1, keepdims=True)
                continue
            shape = np.broadcast_shapes(*(np.shape(part) for part in parts))
            out = z if result == "z" else kept.setdefault(result, np.empty(shape, np.float32))
            values[result] = UFUNCS[op](*parts, out=out)

    return run


def numba_of(order, parallel):
    if order["text"]:
        scope = {"prange": prange, "float32": float32, "exp": math.exp, "tanh": math.tanh, "sqrt": math.sqrt}
        exec(order["text"], scope)  # a loop that nodes.py has written
        loop = scope["loop"]
    elif order["name"] in LOOPS and not (parallel and order["name"] in SERIAL):
        loop = LOOPS[order["name"]]
    else:
        return None
    made = numba.njit(loop, parallel=parallel)
    if not order["text"]:
        return made
    return lambda *arrays: made(*(array.reshape(-1) for array in arrays))


def numexpr_of(order):
    if not order["expression"]:
        return None
    constants = {f"c{k}": np.float32(value) for k, value in enumerate(order["literals"])}
    names, expression = list(order["arrays"]), order["expression"]

    def run(*given):
        *inputs, z = given
        numexpr.evaluate(expression, dict(zip(names, inputs, strict=True)) | constants, out=z, casting="same_kind")

    return run


def numpy_of(order):
    if order["nodes"]:
        return of_nodes(order["nodes"], list(order["arrays"]), order["columns"])
    return NUMPY.get(order["name"])


CONTENDERS = {
    "NumPy": numpy_of,
    "numexpr": numexpr_of,
    "Numba": lambda order: numba_of(order, False),
    "Numba, parallel": lambda order: numba_of(order, True),
}


def prepare(order, runs):
    arrays = [np.load(path) for path in order["arrays"].values()]
    scalars = [np.float32(v) if k == "step" else int(v) for k, v in order["scalars"].items() if k != "n"]
    wanted, found = np.load(order["wanted"]), {}
    for name, make in CONTENDERS.items():
        call = make(order)
        if call is None:
            continue
        z, between = (np.zeros(wanted.shape, order["result"]) for _ in range(2))

        def run(call=call, z=z, between=between):
            last = arrays[:1]
            for number in range(1, order["calls"] + 1):
                following = between if (order["calls"] - number) % 2 else z
                call(*last, *arrays[1:], *scalars, following)
                last = [following]

        run()
        error = np.abs(z - wanted) / np.maximum(np.abs(wanted), order["least"])
        found[name] = [int(np.count_nonzero(~(error <= order["tolerance"]))), float(error.max(initial=0))]
        runs[order["title"], name] = [run, 1]
        end, best = time.perf_counter() + order["warm"], math.inf
        while time.perf_counter() < end:
            begun = time.perf_counter()
            run()
            best = min(best, time.perf_counter() - begun)
        runs[order["title"], name][1] = max(1, math.ceil(order["turn"] / best))
    return found


def main():
    numexpr.set_num_threads(CORES)
    told = {"NumPy": [np.__version__, 1], "numexpr": [numexpr.__version__, CORES]}
    told |= {"Numba": [numba.__version__, 1], "Numba, parallel": [numba.__version__, numba.get_num_threads()]}
    print(json.dumps({"contenders": told, "llvmlite": version("llvmlite")}), flush=True)
    runs = {}
    for line in sys.stdin:
        order = json.loads(line)
        if "arrays" in order:
            answer = prepare(order, runs)
        elif "forget" in order:
            answer = [runs.pop(key) and None for key in list(runs) if key[0] == order["forget"]]
        else:
            run, repeats = runs[order["time"], order["by"]]
            clock = time.process_time if order["processor"] else time.perf_counter
            begun = clock()
            for _ in range(repeats):
                run()
            answer = 1000 * (clock() - begun) / repeats
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
