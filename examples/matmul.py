"""c = a @ b with a tile of the result in registers: `python -m examples.matmul` compares it with NumPy's.

On WebAssembly four lanes are a packet, whose twelve accumulators are vectors in locals; in WGSL they are variables.
"""

from __future__ import annotations

import numpy as np

import hologram_web as hg

# mypy: ignore-errors

BLOCK = 32


@hg.kernel
def matmul(
    a: hg.Array[hg.f32, 2],
    b: hg.Array[hg.f32, 2],
    c: hg.Array[hg.f32, 2],
    ROWS: hg.Constant[int] = 4,
    COLUMNS: hg.Constant[int] = 3,
):
    """A lane makes ROWS x COLUMNS elements of c; its columns are a block apart, so that lanes read side by side."""
    step = hg.block_dim(0)
    first = hg.block_id(0) * step * COLUMNS
    i, j = hg.global_id(1) * ROWS, first + hg.local_id(0)
    if i + ROWS <= c.shape[0] and first + step * COLUMNS <= c.shape[1]:
        tile = hg.registers((ROWS, COLUMNS), hg.f32)
        right = hg.registers(COLUMNS, hg.f32)
        for k in range(a.shape[1]):
            for q in hg.static_range(COLUMNS):
                right[q] = b[k, j + q * step]
            for p in hg.static_range(ROWS):
                left = a[i + p, k]
                for q in hg.static_range(COLUMNS):
                    tile[p, q] += left * right[q]
        for p in hg.static_range(ROWS):
            for q in hg.static_range(COLUMNS):
                c[i + p, j + q * step] = tile[p, q]
    else:  # at the edges, an element at a time
        for p in range(i, min(i + ROWS, c.shape[0])):
            for q in range(j, min(first + step * COLUMNS, c.shape[1]), step):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[p, k] * b[k, q]
                c[p, q] = total


def product(a, b, device):
    """a @ b, computed on a device."""
    c = np.zeros((len(a), b.shape[1]), np.float32)
    blocks = -(-c.shape[1] // (3 * BLOCK))
    matmul.on(device)[(blocks * BLOCK, -(-len(a) // 4)), (BLOCK, 1)](a, b, c)
    return c


if __name__ == "__main__":
    from time import perf_counter

    rng = np.random.default_rng(0)
    a, b = rng.random((500, 300), np.float32), rng.random((300, 700), np.float32)
    for name in ("wasm", "webgpu"):
        device, expected = hg.backends.DEVICES[name](), a @ b
        product(a, b, device)
        times = []
        for _ in range(9):
            start = perf_counter()
            c = product(a, b, device)
            times.append(perf_counter() - start)
        worst = float(abs(c - expected).max() / expected.max())
        print(f"{name}: {2 * 500 * 300 * 700 / min(times) / 1e9:.1f} GFLOP/s, furthest from NumPy's by {worst:.1e}")
