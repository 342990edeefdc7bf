"""Matrices with leading dimensions: one lane for each element of the result."""

# mypy: ignore-errors

from hologram_web import DeviceArray, f32, get_global_id, u32


def gemv_f32(A: DeviceArray[f32], x: DeviceArray[f32], y: DeviceArray[f32], m: u32, n: u32, lda: u32):
    row = u32(get_global_id())
    if row < m:
        total = 0.0
        for j in range(n):
            total += A[row * lda + j] * x[j]
        y[row] = total
