"""Matrices with leading dimensions: one lane for each element of the result."""

# mypy: ignore-errors

from hologram_web import DeviceArray, f32, get_global_id, u32


def gemm_f32(
    A: DeviceArray[f32],
    B: DeviceArray[f32],
    C: DeviceArray[f32],
    m: u32,
    n: u32,
    k: u32,
    lda: u32,
    ldb: u32,
    ldc: u32,
):
    i = u32(get_global_id())
    if i < m * n:
        row = i // n
        column = i % n
        total = 0.0
        for j in range(k):
            total += A[row * lda + j] * B[j * ldb + column]
        C[row * ldc + column] = total


def gemv_f32(A: DeviceArray[f32], x: DeviceArray[f32], y: DeviceArray[f32], m: u32, n: u32, lda: u32):
    row = u32(get_global_id())
    if row < m:
        total = 0.0
        for j in range(n):
            total += A[row * lda + j] * x[j]
        y[row] = total
