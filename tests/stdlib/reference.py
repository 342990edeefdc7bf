"""What the kernels of the standard library have to give: NumPy, computed in float64 unless float32 is exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hologram_web import stdlib

from ..everywhere.stdlib_cases import arguments, lanes


def _unary(function: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, n: function(a)


def _rows(rows: Any, gamma: Any, beta: Any, eps: float) -> Any:
    """Rows with mean 0 and variance 1, scaled and shifted."""
    centred = rows - rows.mean(-1, keepdims=True)
    return gamma * centred / np.sqrt(rows.var(-1, keepdims=True) + eps) + beta


def _gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _vector_layer_norm(input: Any, gamma: Any, beta: Any, num_positions: int, hidden_dim: int, eps: float) -> Any:
    return _rows(input.reshape(num_positions, hidden_dim), gamma, beta, eps)


def _layer_norm(X: Any, scale: Any, bias: Any, batch_size: int, features: int, epsilon: float) -> Any:
    return _rows(X.reshape(batch_size, features), scale, bias, epsilon)


def _matrix_gemm(A: Any, B: Any, m: int, n: int, k: int, lda: int, ldb: int, ldc: int) -> Any:
    out = np.zeros((m, ldc))
    out[:, :n] = A.reshape(m, lda)[:, :k] @ B[: k * ldb].reshape(k, ldb)[:, :n]
    return out


def _softmax(X: Any, n: int) -> dict[str, Any]:
    top = X.max() if n else 9  # what was there: without lanes nothing is done
    powers = np.exp(X - top)
    return {"Y": powers / powers.sum(), "MaxVal": top}


def _conv(X: Any, W: Any, H_in: int, W_in: int, K_h: int, K_w: int) -> Any:
    if H_in < K_h:
        return np.zeros(0)
    windows = np.lib.stride_tricks.sliding_window_view(X.reshape(H_in, W_in), (K_h, K_w))
    return np.einsum("ijkl,kl->ij", windows, W.reshape(K_h, K_w))


def _gemm(
    A: Any, B: Any, C: Any, Y: Any, M: int, N: int, K: int, alpha: float, beta: float, transA: int, transB: int
) -> Any:
    a = A.reshape(K, M).T if transA else A.reshape(M, K)
    b = B.reshape(N, K).T if transB else B.reshape(K, N)
    return alpha * (a @ b) + (beta * C.reshape(M, N) if beta else 0)


def _channels(values: Any) -> Any:
    return values.reshape(1, -1, 1, 1)


def _batch_normalization(
    X: Any, scale: Any, bias: Any, mean: Any, var: Any, N: int, C: int, H: int, W: int, epsilon: float
) -> Any:
    apart = X.reshape(N, C, H, W) - _channels(mean)
    return _channels(scale) * apart / np.sqrt(_channels(var) + epsilon) + _channels(bias)


def _instance_normalization(X: Any, scale: Any, bias: Any, N: int, C: int, H: int, W: int, epsilon: float) -> Any:
    rows = X.reshape(N, C, H * W)
    return _rows(rows, scale[:, None], bias[:, None], epsilon)


def _averagepool(X: Any, N: int, C: int, H: int, W: int, kernel_size: int) -> Any:
    k, h, w = kernel_size, H // kernel_size, W // kernel_size
    return X.reshape(N, C, H, W)[:, :, : h * k, : w * k].reshape(N, C, h, k, w, k).mean((3, 5))


# They take scalars and the arrays that are read, in the order of the kernel's parameters.
_REFERENCES: dict[str, Callable[..., Any]] = {
    **{f"vector_{name}": _unary(getattr(np, name)) for name in ("abs", "sqrt", "exp", "log", "sin", "cos")},
    "vector_neg": _unary(np.negative),
    "vector_rsqrt": _unary(lambda a: 1 / np.sqrt(a)),
    **dict.fromkeys(("vector_add", "add"), lambda a, b, n: a + b),
    **dict.fromkeys(("vector_sub", "sub"), lambda a, b, n: a - b),
    **dict.fromkeys(("vector_mul", "mul"), lambda a, b, n: a * b),
    **dict.fromkeys(("vector_div", "div"), lambda a, b, n: a / b),
    "vector_min": lambda a, b, n: np.minimum(a, b),
    "vector_max": lambda a, b, n: np.maximum(a, b),
    "vector_pow": lambda a, b, n: a**b,
    "vector_dot": lambda a, b, result, n: result + a @ b,
    "vector_sum": lambda a, result, n: result + a.sum(),
    "vector_layer_norm": _vector_layer_norm,
    "matrix_gemm": _matrix_gemm,
    "matrix_gemv": lambda A, x, m, n, lda: A.reshape(m, lda)[:, :n] @ x,
    **dict.fromkeys(("activation_relu", "relu"), _unary(lambda a: np.maximum(a, 0))),
    **dict.fromkeys(("activation_sigmoid", "sigmoid"), _unary(_sigmoid)),
    **dict.fromkeys(("activation_tanh", "tanh"), _unary(np.tanh)),
    "attention": lambda Q, K, seq_len, d_model: Q.reshape(-1, d_model) @ K.reshape(-1, d_model).T / np.sqrt(d_model),
    "bias_gelu": lambda X, Bias, n: _gelu(X + Bias),
    "gelu": _unary(_gelu),
    "leakyrelu": lambda X, n, alpha: np.where(X >= 0, X, alpha * X),
    "skip_layer_norm": lambda X, Skip, Gamma, Beta, Y, n, hidden: _rows(
        (X + Skip).reshape(-1, hidden), Gamma, Beta, 1e-5
    ),
    "softmax": _softmax,
    "conv": _conv,
    "scalar_mul": lambda Input, n, scalar: Input * scalar,
    "matmul": lambda A, B, M, N, K: A.reshape(M, K) @ B.reshape(K, N),
    "gemm": _gemm,
    "batch_normalization": _batch_normalization,
    "instance_normalization": _instance_normalization,
    "layer_norm": _layer_norm,
    "averagepool": _averagepool,
    "global_average_pool": lambda X, N, C, H, W: X.reshape(N * C, H * W).mean(1),
    "reduce_mean": lambda X, batch_size, features: X.reshape(batch_size, features).mean(1),
    "reduce_sum": lambda X, batch_size, features: X.reshape(batch_size, features).sum(1),
    "concat": lambda A, B, M, K, N: np.concatenate([A.reshape(M, K), B.reshape(N, K)]),
    **dict.fromkeys(("flatten", "reshape", "squeeze", "unsqueeze", "cast", "shape"), _unary(lambda a: a)),
    "gather": lambda X, Indices, m: X[Indices],
    "slice": lambda X, start, end: X[start:end],
    "transpose": lambda X, M, N: X.reshape(M, N).T,
    "argmax": lambda X, n: X.argmax() if n else 7,  # what was there
    "constant": lambda value, n: np.full(n, value),
    "range": lambda start, delta, n: np.float32(start) + np.arange(n, dtype=np.float32) * np.float32(delta),
}
# Their results are those of float32, rounded as NumPy does.
_EXACT = frozenset(
    [
        "vector_add",
        "vector_sub",
        "vector_mul",
        "vector_div",
        "vector_min",
        "vector_max",
        "vector_abs",
        "vector_neg",
        "vector_sqrt",
        "vector_dot",
        "vector_sum",
        "activation_relu",
        "leakyrelu",
        "relu",
        "add",
        "sub",
        "mul",
        "div",
        "scalar_mul",
        "concat",
        "flatten",
        "gather",
        "reshape",
        "slice",
        "squeeze",
        "transpose",
        "unsqueeze",
        "argmax",
        "cast",
        "constant",
        "range",
        "shape",
    ]
)


def problem(name: str, size: int, device: Any) -> str | None:
    """Runs a kernel with about `size` lanes; what is other than NumPy's, or None."""
    kernel = stdlib.kernel(name)
    args = arguments(name, size)
    ways = {p.name: p.access for p in kernel.program.params if p.access is not None}
    before = []
    for key, value in args.items():
        if key not in ways:
            before.append(np.float32(value) if isinstance(value, float) and name in _EXACT else value)
        elif ways[key].reads:
            array = np.array(value)
            before.append(array if name in _EXACT or array.dtype != np.float32 else array.astype(np.float64))
    with np.errstate(all="ignore"):
        wanted = _REFERENCES[name](*before)
    kernel.on(device)[lanes(name, args)](**args)
    written = [key for key, way in ways.items() if way.writes]
    results = wanted if isinstance(wanted, dict) else {written[0]: wanted}
    assert results.keys() == set(written), (name, written)
    for key, expected in results.items():
        found, expected = np.array(args[key]), np.asarray(expected).ravel()
        if found.size != expected.size:
            return f"{name}, {size}: {key} has {found.size} elements, not {expected.size}"
        if name in _EXACT:
            same = (found == expected.astype(found.dtype)) | (np.isnan(found) & np.isnan(expected))
        else:
            same = np.isclose(found, expected, rtol=4e-6, atol=2e-6 * max(1.0, np.abs(expected).max(initial=0)))
        if not same.all():
            place = int(np.argmin(same))
            return f"{name}, {size}: {key}[{place}] is {found[place]}, not {expected[place]}"
    return None
