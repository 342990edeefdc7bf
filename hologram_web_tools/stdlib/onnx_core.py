"""Arithmetic, products of matrices, convolution: one lane for each element of the result."""

# mypy: ignore-errors

from hologram_web import DeviceArray, f32, get_global_id, u32


def conv2d(X: DeviceArray[f32], W: DeviceArray[f32], Y: DeviceArray[f32], H_in: u32, W_in: u32, K_h: u32, K_w: u32):
    """Cross-correlation of one channel, without padding."""
    i = u32(get_global_id())
    if K_h <= H_in and K_w <= W_in:
        height = H_in - K_h + 1
        width = W_in - K_w + 1
        if i < height * width:
            first = i // width * W_in + i % width
            total = 0.0
            for row in range(K_h):
                for column in range(K_w):
                    total += X[first + row * W_in + column] * W[row * K_w + column]
            Y[i] = total


def add(A: DeviceArray[f32], B: DeviceArray[f32], C: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        C[i] = A[i] + B[i]


def sub(A: DeviceArray[f32], B: DeviceArray[f32], C: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        C[i] = A[i] - B[i]


def mul(A: DeviceArray[f32], B: DeviceArray[f32], C: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        C[i] = A[i] * B[i]


def div(A: DeviceArray[f32], B: DeviceArray[f32], C: DeviceArray[f32], n: u32):
    i = u32(get_global_id())
    if i < n:
        C[i] = A[i] / B[i]


def scalar_mul(Input: DeviceArray[f32], Output: DeviceArray[f32], n: u32, scalar: f32):
    i = u32(get_global_id())
    if i < n:
        Output[i] = Input[i] * scalar


def matmul(A: DeviceArray[f32], B: DeviceArray[f32], Y: DeviceArray[f32], M: u32, N: u32, K: u32):
    i = u32(get_global_id())
    if i < M * N:
        row = i // N
        column = i % N
        total = 0.0
        for k in range(K):
            total += A[row * K + k] * B[k * N + column]
        Y[i] = total


def gemm(
    A: DeviceArray[f32],
    B: DeviceArray[f32],
    C: DeviceArray[f32],
    Y: DeviceArray[f32],
    M: u32,
    N: u32,
    K: u32,
    alpha: f32,
    beta: f32,
    transA: u32,
    transB: u32,
):
    """Y = alpha A B + beta C; A is stored K x M if transA, B is stored N x K if transB; C is read if beta is not 0."""
    i = u32(get_global_id())
    if i < M * N:
        row = i // N
        column = i % N
        step_a = M if transA else 1
        step_b = 1 if transB else N
        at_a = row if transA else row * K
        at_b = column * K if transB else column
        total = 0.0
        for k in range(K):
            total += A[at_a + k * step_a] * B[at_b + k * step_b]
        total = alpha * total
        if beta != 0.0:
            total += beta * C[i]
        Y[i] = total
