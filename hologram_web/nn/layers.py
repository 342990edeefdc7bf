"""Layers: `init(key)` makes parameters, a call takes them and arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from ..array import functions as f
from ..array.applied import apply
from ..array.array import Array
from ..array.creation import ones, zeros
from ..errors import LaunchError
from ..isa.types import Type
from ..runtime.executor import Executor
from .randoms import RandomKey, normal, split, uniform

__all__ = [
    "BatchNorm", "Conv2d", "Dropout", "Embedding", "GroupNorm", "LayerNorm", "Linear", "MultiHeadAttention", "RMSNorm",
    "Sequential",
]  # fmt: skip

Params = dict[str, Any]
OneOrTwo = int | tuple[int, int]


def _last(layer: Any, x: Array, wanted: int) -> None:
    if not x.ndim or x.shape[-1] != wanted:
        raise LaunchError(f"{layer} takes arrays whose last axis has {wanted} elements, not of shape {x.shape}")


@dataclass(frozen=True)
class Linear:
    """x @ w.T + b along the last axis."""

    inputs: int
    outputs: int
    bias: bool = True
    dtype: Type = Type.F32

    def init(self, key: RandomKey, *, device: Executor | None = None) -> Params:
        """Uniform within 1 / sqrt(inputs), as PyTorch's."""
        bound = 1 / math.sqrt(max(self.inputs, 1))
        keys = split(key, device=device)
        made = {"w": uniform(keys[0], (self.outputs, self.inputs), -bound, bound, dtype=self.dtype)}
        return made | ({"b": uniform(keys[1], (self.outputs,), -bound, bound, dtype=self.dtype)} if self.bias else {})

    def __call__(self, params: Params, x: Array) -> Array:
        _last(self, x, self.inputs)
        y: Array = x @ params["w"].T
        return y + params["b"] if self.bias else y


def _pair(value: OneOrTwo) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else value


@dataclass(frozen=True)
class Conv2d:
    """A convolution of images (batch, channels, height, width)."""

    inputs: int
    outputs: int
    kernel: OneOrTwo
    stride: OneOrTwo = 1
    padding: OneOrTwo = 0
    dilation: OneOrTwo = 1
    groups: int = 1
    bias: bool = True
    dtype: Type = Type.F32

    def init(self, key: RandomKey, *, device: Executor | None = None) -> Params:
        """Uniform within 1 / sqrt(elements of a window), as PyTorch's."""
        shape = (self.outputs, self.inputs // self.groups, *_pair(self.kernel))
        bound = 1 / math.sqrt(prod(shape[1:]))
        keys = split(key, device=device)
        made = {"w": uniform(keys[0], shape, -bound, bound, dtype=self.dtype)}
        return made | ({"b": uniform(keys[1], (self.outputs,), -bound, bound, dtype=self.dtype)} if self.bias else {})

    def __call__(self, params: Params, x: Array) -> Array:
        if x.ndim != 4 or x.shape[1] != self.inputs:
            raise LaunchError(f"{self} takes images (batch, {self.inputs}, height, width), not of shape {x.shape}")
        (rows, columns), stride, dilation, around = map(_pair, (self.kernel, self.stride, self.dilation, self.padding))
        batch, _, height, width = x.shape
        out = [
            (length + 2 * around[axis] - dilation[axis] * ((rows, columns)[axis] - 1) - 1) // stride[axis] + 1
            for axis, length in enumerate((height, width))
        ]
        if min(out) < 1:
            raise LaunchError(f"{self} has no window in images of {height} x {width}")
        made = apply(
            "Conv2D", input=x, kernel=params["w"], batch=batch, in_channels=self.inputs, out_channels=self.outputs,
            height=height, width=width, kernel_h=rows, kernel_w=columns, stride=stride, padding=(*around, *around),
            dilation=dilation, groups=self.groups, **({"bias": params["b"]} if self.bias else {}),
        )  # fmt: skip
        return made.reshape(batch, self.outputs, *out)


@dataclass(frozen=True)
class LayerNorm:
    """Rows along the last axis with mean 0 and deviation 1, times gamma, plus beta."""

    size: int
    eps: float = 1e-5
    dtype: Type = Type.F32

    def init(self, key: RandomKey, *, device: Executor | None = None) -> Params:
        """Ones and zeros."""
        return {
            "gamma": ones(self.size, dtype=self.dtype, device=device),
            "beta": zeros(self.size, dtype=self.dtype, device=device),
        }

    def __call__(self, params: Params, x: Array) -> Array:
        _last(self, x, self.size)
        sizes = {"rows": prod(x.shape[:-1]), "n": self.size, "eps": self.eps}
        return apply("LayerNorm", input=x, gamma=params["gamma"], beta=params["beta"], **sizes).reshape(x.shape)


@dataclass(frozen=True)
class RMSNorm:
    """Rows along the last axis by the root of the mean of their squares, times gamma."""

    size: int
    eps: float = 1e-5
    dtype: Type = Type.F32

    def init(self, key: RandomKey, *, device: Executor | None = None) -> Params:
        """Ones."""
        return {"gamma": ones(self.size, dtype=self.dtype, device=device)}

    def __call__(self, params: Params, x: Array) -> Array:
        _last(self, x, self.size)
        sizes = {"rows": prod(x.shape[:-1]), "n": self.size, "eps": self.eps}
        return apply("RMSNorm", input=x, gamma=params["gamma"], **sizes).reshape(x.shape)


@dataclass(frozen=True)
class GroupNorm:
    """Groups of channels, the second axis, with mean 0 and deviation 1 in each sample, each channel times gamma, plus
    beta. With a group for each channel it normalizes instances."""

    groups: int
    channels: int
    eps: float = 1e-5
    dtype: Type = Type.F32

    def init(self, key: RandomKey, *, device: Executor | None = None) -> Params:
        """Ones and zeros."""
        return LayerNorm(self.channels, dtype=self.dtype).init(key, device=device)

    def __call__(self, params: Params, x: Array) -> Array:
        if x.ndim < 2 or x.shape[1] != self.channels or self.channels % self.groups:
            raise LaunchError(
                f"{self} takes arrays (batch, {self.channels}, ...) and whole groups, not of shape {x.shape}"
            )
        sizes = {"batch": x.shape[0], "channels": self.channels, "groups": self.groups, "spatial": prod(x.shape[2:])}
        given = {"gamma": params["gamma"], "beta": params["beta"], "eps": self.eps}
        return apply("GroupNorm", input=x, **given, **sizes).reshape(x.shape)


@dataclass(frozen=True)
class BatchNorm:
    """Channels, the second axis, with mean 0 and deviation 1 over all others. Means and variances of what it saw are a
    state beside the parameters: a call in training gives the result and the next state."""

    channels: int
    momentum: float = 0.1
    eps: float = 1e-5
    dtype: Type = Type.F32

    def init(self, key: RandomKey, *, device: Executor | None = None) -> Params:
        """Ones and zeros."""
        return LayerNorm(self.channels, dtype=self.dtype).init(key, device=device)

    def state(self, *, device: Executor | None = None) -> Params:
        """Before anything was seen."""
        return {
            "mean": zeros(self.channels, dtype=self.dtype, device=device),
            "variance": ones(self.channels, dtype=self.dtype, device=device),
        }

    def __call__(self, params: Params, x: Array, state: Params, training: bool) -> tuple[Array, Params]:
        if x.ndim < 2 or x.shape[1] != self.channels:
            raise LaunchError(f"{self} takes arrays (batch, {self.channels}, ...), not of shape {x.shape}")
        mean, variance = state["mean"], state["variance"]
        if training:
            axes = (0, *range(2, x.ndim))
            mean, variance = x.mean(axis=axes), x.var(axis=axes)
            count = x.size // self.channels
            seen = {"mean": mean, "variance": variance * (count / max(count - 1, 1))}
            state = {name: state[name] * (1 - self.momentum) + seen[name] * self.momentum for name in seen}
        row = (self.channels, *(1 for _ in x.shape[2:]))
        scale = params["gamma"] / f.sqrt(variance + self.eps)
        return (x - mean.reshape(row)) * scale.reshape(row) + params["beta"].reshape(row), state


@dataclass(frozen=True)
class Embedding:
    """Rows of a table by their numbers."""

    count: int
    size: int
    dtype: Type = Type.F32

    def init(self, key: RandomKey, *, device: Executor | None = None) -> Params:
        """Normal numbers."""
        return {"table": normal(key, (self.count, self.size), dtype=self.dtype, device=device)}

    def __call__(self, params: Params, numbers: Array) -> Array:
        found: Array = params["table"].take(numbers, axis=0)
        return found


@dataclass(frozen=True)
class MultiHeadAttention:
    """Attention of (batch, length, size) to itself, or to `context`, with heads that share the last axis."""

    size: int
    heads: int
    causal: bool = False
    bias: bool = True
    dtype: Type = Type.F32

    def _linear(self) -> Linear:
        return Linear(self.size, self.size, self.bias, self.dtype)

    def init(self, key: RandomKey, *, device: Executor | None = None) -> Params:
        """A Linear for queries, keys, values, and what comes out."""
        if self.size % self.heads:
            raise LaunchError(f"{self.size} elements are no {self.heads} heads of one size")
        keys = split(key, 4, device=device)
        names = ("query", "key", "value", "out")
        return {name: self._linear().init(each, device=device) for name, each in zip(names, keys, strict=True)}

    def __call__(self, params: Params, x: Array, context: Array | None = None, mask: Array | None = None) -> Array:
        """`mask` (length, length of the context) is added to scores."""
        _last(self, x, self.size)
        context = x if context is None else context
        if x.ndim != 3 or context.ndim != 3 or context.shape[::2] != x.shape[::2]:
            raise LaunchError(f"{self} takes arrays (batch, length, size), not {x.shape} and {context.shape}")
        batch, length = x.shape[0], x.shape[1]
        each = self.size // self.heads

        def parts(name: str, given: Array) -> Array:
            made = self._linear()(params[name], given)
            return made.reshape(batch, given.shape[1], self.heads, each).transpose(0, 2, 1, 3)

        made = apply(
            "Attention", query=parts("query", x), key=parts("key", context), value=parts("value", context),
            batch=batch, heads=self.heads, seq_len=length, kv_len=context.shape[1], head_dim=each, causal=self.causal,
            **({} if mask is None else {"mask": mask}),
        )  # fmt: skip
        joined = made.reshape(batch, self.heads, length, each).transpose(0, 2, 1, 3).reshape(batch, length, self.size)
        return self._linear()(params["out"], joined)


@dataclass(frozen=True)
class Dropout:
    """Zeros with a probability, by a key; what stays is larger by as much. Without a key all stays."""

    rate: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.rate < 1:
            raise LaunchError(f"{self}: the rate is at least 0 and below 1")

    def __call__(self, x: Array, key: RandomKey | None) -> Array:
        if key is None or self.rate == 0:
            return x
        stays = uniform(key, x.shape, device=x.executor) >= self.rate
        return f.where(stays, x * (1 / (1 - self.rate)), 0.0)


class Sequential:
    """Layers one after another, functions of an array among them: parameters are a list."""

    def __init__(self, *layers: Callable[..., Any]) -> None:
        self.layers = layers

    def init(self, key: RandomKey, *, device: Executor | None = None) -> list[Any]:
        """The parameters of each; None for a function."""
        keys = split(key, len(self.layers), device=device)
        return [
            layer.init(each, device=device) if hasattr(layer, "init") else None
            for layer, each in zip(self.layers, keys, strict=True)
        ]

    def __call__(self, params: list[Any], x: Array) -> Array:
        if len(params) != len(self.layers):
            raise LaunchError(f"{self} takes a list of {len(self.layers)} parameters, not {len(params)}")
        for layer, own in zip(self.layers, params, strict=True):
            x = layer(x) if own is None else layer(own, x)
        return x

    def __repr__(self) -> str:
        return f"Sequential({', '.join(getattr(each, '__name__', repr(each)) for each in self.layers)})"
