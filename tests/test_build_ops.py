"""The operations that JavaScript calls by their names: each beside NumPy, for sizes that its file does not know."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import erf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hologram_web.backends import WasmBackend
from hologram_web_tools.build_ops import OPERATIONS, compiled, typescript

ROOT = Path(__file__).resolve().parents[1]
ROWS = np.linspace(-2, 3, 21, dtype=np.float32).reshape(3, 7)
IMAGE = (np.arange(120, dtype=np.float32) % 7 - 2).reshape(2, 3, 4, 5)


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _norm(x: Any, gamma: Any, beta: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gamma + beta


def _windows(x: Any, shape: tuple[int, int]) -> Any:
    return np.lib.stride_tricks.sliding_window_view(x, shape, (2, 3))


def _conv(x: Any, weight: Any) -> Any:
    return np.einsum("bchwyx,ocyx->bohw", _windows(x, weight.shape[2:]), weight)


def _same(x: Any, weight: Any) -> Any:
    return _conv(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), weight)


def _attend(q: Any, k: Any, v: Any, seen: Any = 0.0) -> Any:
    return _softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5 + seen) @ v


def _causal(q: Any, k: Any, v: Any) -> Any:
    return _attend(q, k, v, np.where(np.tri(q.shape[2], k.shape[2]), 0, -np.inf))


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _pooled(x: Any, how: Callable[..., Any]) -> Any:
    return how(_windows(x, (2, 2))[:, :, ::2, ::2], (4, 5))


OTHERS: dict[str, Callable[..., Any]] = {
    "neg": np.negative,
    "round": np.rint,
    "rcp": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": _sigmoid,
    "erf": np.vectorize(erf),
    "gelu": lambda x: x * (1 + np.vectorize(erf)(x / 2**0.5)) / 2,
    "swish": lambda x: x * _sigmoid(x),
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "pow": np.power,
    "min": np.minimum,
    "max": np.maximum,
    "atan2": np.arctan2,
    "rem": np.fmod,
    "linear": lambda x, weight, bias: x @ weight.T + bias,
    "batch_matmul": np.matmul,
    "softmax": _softmax,
    "log_softmax": lambda x: np.log(_softmax(x)),
    "layer_norm": _norm,
    "rms_norm": lambda x, gamma: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gamma,
    "conv2d": _conv,
    "conv2d_same": _same,
    "max_pool2d": lambda x: _pooled(x, np.max),
    "avg_pool2d": lambda x: _pooled(x, np.mean),
    "attention": _attend,
    "causal_attention": _causal,
    "cum_sum": lambda x: np.cumsum(x, -1),
    "sort": lambda x: np.sort(x, -1),
    "arg_max": lambda x: np.argmax(x, -1),
    "arg_min": lambda x: np.argmin(x, -1),
    "sum": lambda x: x.sum(-1),
    "mean": lambda x: x.mean(-1),
    "amax": lambda x: x.max(-1),
    "amin": lambda x: x.min(-1),
    "gather": lambda x, indices: x[indices],
}
SIZES = {"n": 7, "rows": 3, "m": 5, "k": 9, "batch": 2, "channels": 3, "h": 4, "w": 5, "filters": 4, "kh": 2, "kw": 3}
SIZES |= {"heads": 2, "queries": 6, "keys": 6, "d": 4, "count": 5, "3": 3}


def _given(name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for k, (array, shape) in enumerate(OPERATIONS[name].shapes.items()):
        if array == "out":
            continue
        lengths = tuple(SIZES[size] for size in shape)
        count = int(np.prod(lengths))
        positive = name in ("sqrt", "rsqrt", "log", "log2", "log10", "pow", "rem")
        values = ((np.arange(count) * 37 + 11 * k) % 29 - (-1 if positive else 13.5)) / 8
        integers = array == "indices"
        found[array] = (
            (np.arange(count) % SIZES["rows"]).astype(np.int32) if integers else np.float32(values).reshape(lengths)
        )
    return found


@pytest.mark.parametrize("name", OPERATIONS)
def test_it_computes_what_numpy_does(name: str) -> None:
    given = _given(name)
    reference = OTHERS.get(name) or getattr(np, name)
    wanted = reference(*(array if array.dtype == np.int32 else np.float64(array) for array in given.values()))
    options = dict(OPERATIONS[name].options)
    found = compiled(name).run(WasmBackend(), **given, **options)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-6)


def test_the_types_are_those_of_the_table() -> None:
    told = (ROOT / "web" / "src" / "ops.gen.ts").read_text(encoding="utf-8")
    assert told == typescript(), "hologram-web build-ops --types web/src/ops.gen.ts"


def test_the_page_names_all() -> None:
    text = (
        (ROOT / "docs" / "javascript.md").read_text(encoding="utf-8").split("## Array functions")[1].split("\n## ")[0]
    )
    rows = [line for line in text.splitlines() if line.startswith("| ") and "`" in line]
    assert sorted(re.findall(r"`(\w+)`", "".join(rows))) == sorted(OPERATIONS)
