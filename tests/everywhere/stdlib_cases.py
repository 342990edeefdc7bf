"""What the kernels of the standard library are run on: arguments by name and size, without NumPy."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import ceil, isqrt
from typing import Any

from hologram_web import stdlib
from hologram_web.plan.formula import Formula

__all__ = ["BOUNDARIES", "LARGEST_OF_LOOPS", "LOOPS", "arguments", "lanes"]

BOUNDARIES = (0, 1, 3, 31, 32, 33, 255, 256, 257, 2047, 2048, 2049, 3073, 10_001, 65_535, 65_537, 262_145, 16_776_961)

_SIGNED = array("f", [((37 * k) % 1009 - 504) / 64 for k in range(1009)])
_POSITIVE = array("f", [((41 * k) % 1013 + 1) / 64 for k in range(1013)])
_WHOLE = array("f", [(k * k) % 5 - 2 for k in range(1007)])


def _tiled(pattern: Any, count: int) -> Any:
    return (pattern * (count // len(pattern) + 1))[:count]


def x(count: int) -> Any:
    return _tiled(_SIGNED, count)


def positive(count: int) -> Any:
    return _tiled(_POSITIVE, count)


def whole(count: int) -> Any:
    """Small integers, whose sums are exact in every order."""
    return _tiled(_WHOLE, count)


def zeros(count: int) -> Any:
    return array("f", bytes(4 * count))


def _indices(count: int) -> Any:
    return _tiled(array("I", [(7 * k) % 1009 for k in range(1009)]), count)


_Make = Callable[[int], dict[str, Any]]
_UNARY: _Make = lambda n: {"in": x(n), "out": zeros(n), "n": n}  # noqa: E731  # by position: names differ
_OF_POSITIVE: _Make = lambda n: {"in": positive(n), "out": zeros(n), "n": n}  # noqa: E731
_BINARY: _Make = lambda n: {"a": x(n), "b": positive(n), "out": zeros(n), "n": n}  # noqa: E731


def _image(n: int, images: int, channels: int, height: int, width: int) -> dict[str, Any]:
    return {"X": x(images * channels * height * width), "N": images, "C": channels, "H": height, "W": width}


def _batch_normalization(n: int) -> dict[str, Any]:
    image = _image(n, ceil(n / 6), 3, 1, 2)
    pairs = {"scale": x(3), "bias": positive(3), "mean": x(3)[::-1], "var": positive(3)}
    return {**image, **pairs, "Y": zeros(len(image["X"])), "epsilon": 1e-5}


def _instance_normalization(n: int) -> dict[str, Any]:
    image = _image(n, ceil(n / 2), 2, 2, 3)
    return {**image, "scale": x(2), "bias": positive(2), "Y": zeros(len(image["X"])), "epsilon": 1e-5}


def _gemm(n: int) -> dict[str, Any]:
    shapes = {"M": n, "N": 2, "K": 3, "transA": n % 2, "transB": n // 2 % 2, "alpha": 0.5, "beta": n % 3 * 1.5}
    return {"A": x(3 * n), "B": positive(6), "C": x(2 * n)[::-1], "Y": zeros(2 * n), **shapes}


_CASES: dict[str, _Make] = {
    **dict.fromkeys(["vector_abs", "vector_neg", "vector_exp", "vector_sin", "vector_cos"], _UNARY),
    **dict.fromkeys(
        ["activation_relu", "activation_sigmoid", "activation_tanh", "gelu", "relu", "sigmoid", "tanh"], _UNARY
    ),
    **dict.fromkeys(["flatten", "reshape", "squeeze", "unsqueeze", "cast"], _UNARY),
    **dict.fromkeys(["vector_sqrt", "vector_rsqrt", "vector_log"], _OF_POSITIVE),
    **dict.fromkeys(["vector_add", "vector_sub", "vector_mul", "vector_div", "vector_min", "vector_max"], _BINARY),
    **dict.fromkeys(["add", "sub", "mul", "div", "bias_gelu"], _BINARY),
    "vector_pow": lambda n: {"a": positive(n), "b": x(n), "c": zeros(n), "n": n},
    "vector_dot": lambda n: {"a": whole(n), "b": whole(n)[::-1], "result": array("f", [3]), "n": n},
    "vector_sum": lambda n: {"a": whole(n), "result": array("f", [3]), "n": n},
    "vector_layer_norm": lambda n: {
        "input": x(5 * n),
        "gamma": x(5),
        "beta": positive(5),
        "output": zeros(5 * n),
        "num_positions": n,
        "hidden_dim": 5,
        "eps": 1e-5,
    },
    "matrix_gemm": lambda n: {
        "A": x(4 * n),
        "B": positive(12),
        "C": zeros(5 * n),
        "m": n,
        "n": 2,
        "k": 3,
        "lda": 4,
        "ldb": 3,
        "ldc": 5,
    },
    "matrix_gemv": lambda n: {"A": x(4 * n), "x": positive(3), "y": zeros(n), "m": n, "n": 3, "lda": 4},
    "attention": lambda n: {
        "Q": x(3 * _side(n)),
        "K": positive(3 * _side(n)),
        "Scores": zeros(_side(n) ** 2),
        "seq_len": _side(n),
        "d_model": 3,
    },
    "leakyrelu": lambda n: {"X": x(n), "Y": zeros(n), "n": n, "alpha": 0.125},
    "skip_layer_norm": lambda n: {
        "X": x(5 * n),
        "Skip": positive(5 * n),
        "Gamma": x(5),
        "Beta": positive(5),
        "Y": zeros(5 * n),
        "n": 5 * n,
        "hidden": 5,
    },
    "softmax": lambda n: {"X": x(n), "MaxVal": array("f", [9]), "Y": zeros(n), "n": n},
    "conv": lambda n: {
        "X": x(4 * (n + 2)),
        "W": positive(6),
        "Y": zeros(3 * n),
        "H_in": n + 2,
        "W_in": 4,
        "K_h": 3,
        "K_w": 2,
    },
    "scalar_mul": lambda n: {"Input": x(n), "Output": zeros(n), "n": n, "scalar": 1.7},
    "matmul": lambda n: {"A": x(3 * n), "B": positive(6), "Y": zeros(2 * n), "M": n, "N": 2, "K": 3},
    "gemm": _gemm,
    "batch_normalization": _batch_normalization,
    "instance_normalization": _instance_normalization,
    "layer_norm": lambda n: {
        "X": x(5 * n),
        "scale": x(5),
        "bias": positive(5),
        "Y": zeros(5 * n),
        "batch_size": n,
        "features": 5,
        "epsilon": 1e-5,
    },
    "averagepool": lambda n: {
        **_image(n, ceil(n / 4), 2, 5, 2),
        "Y": zeros(4 * ceil(n / 4)),
        "kernel_size": 2,
    },
    "global_average_pool": lambda n: {**_image(n, ceil(n / 2), 2, 2, 3), "Y": zeros(2 * ceil(n / 2))},
    "reduce_mean": lambda n: {"X": x(3 * n), "Y": zeros(n), "batch_size": n, "features": 3},
    "reduce_sum": lambda n: {"X": x(3 * n), "Y": zeros(n), "batch_size": n, "features": 3},
    "concat": lambda n: {
        "A": x(3 * (n // 3)),
        "B": positive(3 * (n // 5 + 1)),
        "Y": zeros(3 * (n // 3 + n // 5 + 1)),
        "M": n // 3,
        "K": 3,
        "N": n // 5 + 1,
    },
    "gather": lambda n: {"X": x(1009), "Indices": _indices(n), "Y": zeros(n), "m": n},
    "slice": lambda n: {"X": x(n + 10), "Y": zeros(n), "start": 3, "end": n + 3},
    "transpose": lambda n: {"X": x(3 * n), "Y": zeros(3 * n), "M": 3, "N": n},
    "argmax": lambda n: {"X": x(n), "Y": array("I", [7]), "n": n},
    "constant": lambda n: {"Y": zeros(n), "value": 2.5, "n": n},
    "range": lambda n: {"Y": zeros(n), "start": -3.0, "delta": 0.3, "n": n},
    "shape": lambda n: {"Shape": _indices(n), "Y": array("I", bytes(4 * n)), "rank": n},
}

LARGEST_OF_LOOPS = 65_537  # larger sizes are for kernels without them

# Kernels whose lanes go around loops; the work of a lane of the others does not depend on its arguments.
LOOPS = frozenset(
    [
        "vector_layer_norm",
        "matrix_gemm",
        "matrix_gemv",
        "attention",
        "skip_layer_norm",
        "conv",
        "matmul",
        "gemm",
        "instance_normalization",
        "layer_norm",
        "averagepool",
        "global_average_pool",
        "reduce_mean",
        "reduce_sum",
        "argmax",
    ]
)


def _side(n: int) -> int:
    return isqrt(max(n - 1, 0)) + 1 if n else 0


def arguments(name: str, size: int) -> dict[str, Any]:
    """Arguments of a kernel in the order of its parameters, for about `size` lanes: arrays and numbers."""
    made = _CASES[name](size)
    names = list(stdlib.kernel(name).params)
    if made.keys() == set(names):
        return {key: made[key] for key in names}
    return dict(zip(names, made.values(), strict=True))


def lanes(name: str, args: dict[str, Any]) -> int:
    """How many lanes the kernel needs for these arguments."""
    numbers = {key: value for key, value in args.items() if isinstance(value, int)}
    return Formula.of(stdlib.lanes(name)).evaluate(numbers)
