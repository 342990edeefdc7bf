"""Kernels that are calls of the tensor library (hologram_web/tensor), which chooses how each device does them.

What it has, too, and is a text of its own in another file is faster so: docs/stdlib.md has the figures. The second
function of a name is in vector_library.py.
"""

# mypy: ignore-errors

from hologram_web import DeviceArray, f32, get_global_id, sqrt, tensor, u32


def vector_sum(a: DeviceArray[f32], result: DeviceArray[f32], n: u32):
    total = tensor.parallel_reduce("sum", src_array=a, count=n)
    if get_global_id() == 0:
        result[0] += total


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
    """The library has products of matrices without gaps; with gaps there is a lane for each element."""
    if lda == k and ldb == n and ldc == n:
        tensor.gemm(C, A, B, m, n, k)
    else:
        i = u32(get_global_id())
        if i < m * n:
            row = i // n
            column = i % n
            total = 0.0
            for j in range(k):
                total += A[row * lda + j] * B[j * ldb + column]
            C[row * ldc + column] = total


def attention_scores(Q: DeviceArray[f32], K: DeviceArray[f32], Scores: DeviceArray[f32], seq_len: u32, d_model: u32):
    tensor.gemm(Scores, Q, K, seq_len, seq_len, d_model, alpha=1.0 / sqrt(f32(d_model)), trans_b=True)


def conv2d(X: DeviceArray[f32], W: DeviceArray[f32], Y: DeviceArray[f32], H_in: u32, W_in: u32, K_h: u32, K_w: u32):
    """Cross-correlation of one channel, without padding."""
    tensor.conv2d(Y, X, W, 1, 1, 1, H_in, W_in, K_h, K_w)


def matmul(A: DeviceArray[f32], B: DeviceArray[f32], Y: DeviceArray[f32], M: u32, N: u32, K: u32):
    tensor.gemm(Y, A, B, M, N, K)


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
    if transA:
        if transB:
            tensor.gemm(Y, A, B, M, N, K, alpha=alpha, trans_a=True, trans_b=True)
        else:
            tensor.gemm(Y, A, B, M, N, K, alpha=alpha, trans_a=True)
    elif transB:
        tensor.gemm(Y, A, B, M, N, K, alpha=alpha, trans_b=True)
    else:
        tensor.gemm(Y, A, B, M, N, K, alpha=alpha)
    i = u32(get_global_id())
    if beta != 0.0 and i < M * N:
        Y[i] += beta * C[i]


def batch_normalization(
    X: DeviceArray[f32],
    scale: DeviceArray[f32],
    bias: DeviceArray[f32],
    mean: DeviceArray[f32],
    var: DeviceArray[f32],
    Y: DeviceArray[f32],
    N: u32,
    C: u32,
    H: u32,
    W: u32,
    epsilon: f32,
):
    tensor.batch_norm(Y, X, scale, bias, mean, var, N, C, H * W, eps=epsilon)


def concat(A: DeviceArray[f32], B: DeviceArray[f32], Y: DeviceArray[f32], M: u32, K: u32, N: u32):
    """The M rows of A, then the N rows of B; each has K elements."""
    tensor.concat(Y, A, B, 1, M, N, K)


def softmax_exp(X: DeviceArray[f32], MaxVal: DeviceArray[f32], Y: DeviceArray[f32], n: u32):
    """Softmax over all of X, and its greatest element in MaxVal[0]."""
    tensor.parallel_reduce("max", MaxVal, X, n)
    tensor.softmax(Y, X, 1, n)


def instance_normalization(
    X: DeviceArray[f32],
    scale: DeviceArray[f32],
    bias: DeviceArray[f32],
    Y: DeviceArray[f32],
    N: u32,
    C: u32,
    H: u32,
    W: u32,
    epsilon: f32,
):
    tensor.instance_norm(Y, X, scale, bias, N, C, H * W, eps=epsilon)


def layer_norm(
    X: DeviceArray[f32],
    scale: DeviceArray[f32],
    bias: DeviceArray[f32],
    Y: DeviceArray[f32],
    batch_size: u32,
    features: u32,
    epsilon: f32,
):
    tensor.layer_norm(Y, X, scale, bias, batch_size, features, eps=epsilon)


def argmax(X: DeviceArray[f32], Y: DeviceArray[u32], n: u32):
    """The place of the first maximum."""
    if n > 0:
        tensor.arg_max(Y, X, 1, n)
