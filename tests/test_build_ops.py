"""The operations that JavaScript calls by their names: each beside NumPy, for sizes that its file does not know."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import erf, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hologram_web.backends import WasmBackend
from hologram_web.errors import ExecutionError
from hologram_web.isa import Type
from hologram_web.tensor.philox import _words
from hologram_web_tools.build_ops import OPERATIONS, compiled, files, typescript

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


def _spread(x: Any, weight: Any, step: int = 1) -> Any:
    """The transposed convolution: each element spreads its kernel."""
    (batch, _, h, w), (_, channels, kh, kw) = x.shape, weight.shape
    found = np.zeros((batch, channels, (h - 1) * step + kh, (w - 1) * step + kw))
    for y, row in enumerate(np.moveaxis(x, 2, 0)):
        for at, each in enumerate(np.moveaxis(row, 2, 0)):
            part = found[:, :, y * step : y * step + kh, at * step : at * step + kw]
            part += np.einsum("bf,fckl->bckl", each, weight)
    return found


def _standard(x: Any, axes: Any, eps: float = 1e-5) -> Any:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def _grouped(x: Any, gamma: Any, beta: Any, groups: int) -> Any:
    parts = _standard(x.reshape(len(x), groups, -1), 2).reshape(x.shape)
    return parts * gamma[:, None] + beta[:, None]


def _nearest(x: Any, height: int, width: int) -> Any:
    rows, columns = (
        np.ceil((np.arange(to) + 0.5) * size / to - 1).astype(int).clip(0)
        for to, size in ((height, x.shape[2]), (width, x.shape[3]))
    )
    return x[:, :, rows][:, :, :, columns]


def _between(x: Any, height: int, width: int) -> Any:
    for axis, to in ((2, height), (3, width)):
        size = x.shape[axis]
        at = ((np.arange(to) + 0.5) * size / to - 0.5).clip(0, size - 1)
        low = np.floor(at).astype(int)
        part = (at - low).reshape([-1 if k == axis else 1 for k in range(4)])
        x = np.take(x, low, axis) * (1 - part) + np.take(x, (low + 1).clip(0, size - 1), axis) * part
    return x


def _rope(x: Any, angles: Any) -> Any:
    one, other = np.split(x, 2, axis=3)
    sin, cos = np.sin(angles)[:, None], np.cos(angles)[:, None]
    return np.concatenate([one * cos - other * sin, one * sin + other * cos], axis=3)


def _transformed(x: Any, how: Callable[..., Any]) -> Any:
    found = how(x[..., 0] + 1j * x[..., 1])
    return np.stack([found.real, found.imag], axis=-1) if np.iscomplexobj(found) else found


def _halves(x: Any) -> Any:
    found = np.fft.rfft(x)
    return np.stack([found.real, found.imag], axis=-1)


def _scattered(x: Any, parts: Any, indices: Any, add: bool = False) -> Any:
    found = x.copy()
    for k, index in enumerate(indices):
        found[:, index] = found[:, index] * add + parts[:, k]
    return found


def _greatest(x: Any, k: int) -> Any:
    places = np.argsort(-x, axis=-1, kind="stable")[:, :k]
    return np.take_along_axis(x, places, -1), places


def _placed(x: Any) -> Any:
    places = np.argsort(x, axis=-1, kind="stable")
    return np.take_along_axis(x, places, -1), places


def _divided(a: Any, b: Any) -> Any:
    return np.trunc(a / b) if np.issubdtype(a.dtype, np.integer) else a / b


OTHERS: dict[str, Callable[..., Any]] = {
    "neg": np.negative,
    "not": np.invert,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
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
    "div": _divided,
    "pow": np.power,
    "min": np.minimum,
    "max": np.maximum,
    "atan2": np.arctan2,
    "rem": np.fmod,
    "where": lambda condition, a, b: np.where(condition != 0, a, b),
    "clip": lambda x, low, high: x.clip(low, high),
    "leaky_relu": lambda x, slope: np.where(x > 0, x, x * slope),
    "elu": lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "lerp": lambda a, b, t: a + (b - a) * t,
    "to_f32": np.float32,
    "to_i32": lambda x: np.trunc(x).astype(np.int32),
    "to_f16": np.float16,
    "linear": lambda x, weight, bias: x @ weight.T + bias,
    "batch_matmul": np.matmul,
    "softmax": _softmax,
    "log_softmax": lambda x: np.log(_softmax(x)),
    "layer_norm": lambda x, gamma, beta, eps: _norm(x, gamma, beta),
    "rms_norm": lambda x, gamma, eps: x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * gamma,
    "layer_scale": lambda x, scale: x * scale,
    "batch_norm": lambda x, gamma, beta, mean, variance, eps: (
        (x - mean[:, None]) / np.sqrt(variance[:, None] + eps) * gamma[:, None] + beta[:, None]
    ),
    "group_norm": lambda x, gamma, beta, groups, eps: _grouped(x, gamma, beta, groups),
    "instance_norm": lambda x, gamma, beta, eps: _grouped(x, gamma, beta, x.shape[1]),
    "conv2d": _conv,
    "conv2d_same": _same,
    "conv2d_half": lambda x, weight: _same(x, weight)[:, :, ::2, ::2],
    "conv_transpose2d": _spread,
    "conv_transpose2d_twice": lambda x, weight: _spread(x, weight, 2),
    "max_pool2d": lambda x: _pooled(x, np.max),
    "avg_pool2d": lambda x: _pooled(x, np.mean),
    "resize2d": _between,
    "resize2d_nearest": _nearest,
    "attention": _attend,
    "causal_attention": _causal,
    "rope": _rope,
    "fft": lambda x: _transformed(x, np.fft.fft),
    "ifft": lambda x: _transformed(x, np.fft.ifft),
    "rfft": _halves,
    "irfft": lambda x, n: np.fft.irfft(x[..., 0] + 1j * x[..., 1], n),
    "random": lambda count, seed, offset: (_words(np, seed, np.arange(count, dtype="u8") + offset)[0] >> 8) * 2.0**-24,
    "cum_sum": lambda x: np.cumsum(x, -1),
    "sort": lambda x: np.sort(x, -1),
    "sort_descending": lambda x: -np.sort(-x, -1),
    "sort_with_places": _placed,
    "top_k": _greatest,
    "arg_max": lambda x: np.argmax(x, -1),
    "arg_min": lambda x: np.argmin(x, -1),
    "sum": lambda x: x.sum(-1),
    "prod": lambda x: x.prod(-1),
    "mean": lambda x: x.mean(-1),
    "variance": lambda x: x.var(-1),
    "amax": lambda x: x.max(-1),
    "amin": lambda x: x.min(-1),
    "gather": lambda x, indices: x[:, indices],
    "scatter": _scattered,
    "scatter_add": lambda x, parts, indices: _scattered(x, parts, indices, True),
    "concat": lambda a, b: np.concatenate([a, b], axis=1),
    "slice": lambda x, start, count, step: x[:, start : start + step * count : step],
    "pad": lambda x, before, after, value: np.pad(x, ((0, 0), (before, after), (0, 0)), constant_values=value),
    "flip": lambda x: x[:, ::-1],
}
SIZES = {"n": 7, "rows": 3, "m": 5, "k": 9, "batch": 2, "channels": 4, "h": 4, "w": 5, "filters": 3, "kh": 2, "kw": 3}
SIZES |= {"heads": 2, "queries": 6, "keys": 6, "d": 4, "count": 3, "spatial": 6, "positions": 5, "outer": 2, "inner": 3}
CHOSEN = {
    "groups": 2,
    "height": 7,
    "width": 3,
    "k": 4,
    "n": 7,
    "start": 1,
    "step": 2,
    "before": 2,
    "after": 1,
    "count": 3,
}
CHOSEN |= {"seed": 5, "offset": 3, "value": 2, "low": -1, "high": 1}


def some_for(name: str, ty: Type) -> dict[str, Any]:
    """Arrays for a call."""
    operation, found = OPERATIONS[name], {}
    for k, (array, shape) in enumerate(operation.shapes.items()):
        if array in operation.results:
            continue
        lengths = tuple(int(eval(size, {}, SIZES)) for size in shape)
        count = prod(lengths)
        positive = name in ("sqrt", "rsqrt", "log", "log2", "log10", "pow", "rem", "prod") or array == "variance"
        values: Any = ((np.arange(count) * 37 + 11 * k) % 29 - (-1 if positive else 13.5)) / 8
        if array == "indices":
            values = (np.arange(count) * 2 + 1) % SIZES["n"]
        elif operation.types.get(array, ty) is Type.I32:
            values = np.trunc(values * 8)
            values += (values == 0) * (name in ("div", "rem"))
        numpy_type = {Type.F32: np.float32, Type.I32: np.int32, Type.F16: np.float16}[operation.types.get(array, ty)]
        found[array] = values.astype(numpy_type).reshape(lengths)
    return found


def options_of(name: str) -> dict[str, Any]:
    """Options for a call."""
    return {key: CHOSEN.get(key, default) for key, default in OPERATIONS[name].options.items()}


@pytest.mark.parametrize("file", [file for file in files() if file != "random_normal"])
def test_it_computes_what_numpy_does(file: str) -> None:
    name, ty = files()[file]
    operation, given = OPERATIONS[name], some_for(name, ty)
    reference = OTHERS.get(name) or getattr(np, name)
    options = options_of(name)
    exact = (array if array.dtype == np.int32 else np.float64(array) for array in given.values())
    wanted = reference(*exact, **options)
    found = compiled(name, ty).run(WasmBackend(), **given, **options)
    several = isinstance(wanted, tuple)
    for key, result in zip(operation.results, wanted if several else [wanted], strict=True):
        one = found[key] if several else found
        assert one.shape == result.shape
        assert one.dtype == {Type.F32: "f4", Type.I32: "i4", Type.F16: "f2"}[operation.types.get(key, ty)]
        near, least = (2e-3, 2e-3) if one.dtype == np.float16 else (2e-5, 2e-6)
        np.testing.assert_allclose(one, result, rtol=near, atol=least)


def test_normal_numbers() -> None:
    found = compiled("random_normal").run(WasmBackend(), count=20_000, seed=5, offset=0)
    assert abs(found.mean()) < 0.03
    assert abs(found.std() - 1) < 0.03


@pytest.mark.parametrize(("name", "options"), [("slice", {"start": 5, "count": 2, "step": 2}), ("gather", {})])
def test_what_lies_beyond_an_axis_is_a_fault(name: str, options: dict[str, int]) -> None:
    given = some_for(name, Type.F32)
    if name == "gather":
        given["indices"][1] = 7
    with pytest.raises(ExecutionError, match=r"outside|beyond"):
        compiled(name).run(WasmBackend(), **given, **options)


def test_the_types_are_those_of_the_table() -> None:
    told = (ROOT / "web" / "src" / "ops.gen.ts").read_text(encoding="utf-8")
    assert told == typescript(), "hologram-web build-ops --types web/src/ops.gen.ts"


def test_the_page_names_all() -> None:
    text = (
        (ROOT / "docs" / "javascript.md").read_text(encoding="utf-8").split("## Array functions")[1].split("\n## ")[0]
    )
    rows = [line for line in text.splitlines() if line.startswith("| ") and "`" in line]
    assert sorted(re.findall(r"`(\w+)`", "".join(rows))) == sorted(OPERATIONS)
