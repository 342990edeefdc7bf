"""What operations of the tensor library do, and others: products, convolutions, attention, Fourier transforms."""

# mypy: ignore-errors

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg

from .cases import Case, row

__all__ = ["TENSORS"]

Array = NDArray[Any]


def _case(name: str, size: str, text: str, arrays: dict[str, Array], wanted: Array, work: int, **more: Any) -> Case:
    """The instruction `text` on those arrays; what is wanted has the shape of the result."""
    types = {"float32": "f32", "int8": "i8"}
    params = [f".param {key}: buffer {types[value.dtype.name]} read" for key, value in arrays.items()]
    program = hg.Program.from_text("\n".join([".program p", *params, ".param z: buffer f32 write", f"    {text}"]))
    shapes: dict[str, Any] = {key: value.shape for key, value in arrays.items()} | {"z": wanted.shape}
    moved = sum(value.nbytes for value in arrays.values()) + 4 * wanted.size
    ours = lambda math: hg.compile(program, grid=hg.LaunchConfig(), shapes=shapes, math=math)  # noqa: E731
    return Case(name, size, ours, arrays, wanted, moved, work, **{"tolerance": 1e-4, **more})


def _some(*shape: int) -> Array:
    return np.random.default_rng(6).random(shape, np.float32) - np.float32(0.5)


def product(m: int, n: int, k: int, batch: int = 1) -> Case:
    shape = (batch,) if batch > 1 else ()
    x, y = _some(*shape, m, k), _some(*shape, k, n)
    sizes = f"{m}, {n}, {k}"
    text = f"batched_gemm.f32 [z], [x], [y], {batch}, {sizes}" if batch > 1 else f"gemm.f32 [z], [x], [y], {sizes}"
    size = f"{f'{batch} of ' if batch > 1 else ''}{m} x {k} by {k} x {n}"
    wanted = x.astype(np.float64) @ y.astype(np.float64)
    return _case("batched" if batch > 1 else "gemm", size, text, {"x": x, "y": y}, wanted, 2 * batch * m * n * k)


def int8(side: int = 512) -> Case:
    """Exact sums; scales are 1."""
    x, y = np.random.default_rng(6).integers(-128, 128, (2, side, side), np.int8)
    text = f"quantized_gemm.i8 [z], [x], [y], {side}, {side}, {side}, [s], [s]"
    arrays = {"x": x, "y": y, "s": np.ones(1, np.float32)}
    wanted = (x.astype(np.int64) @ y.astype(np.int64)).astype(np.float64)
    return _case("int8", f"{side} x {side}", text, arrays, wanted, 2 * side**3, tolerance=1e-6)


def convolution(size: int, groups: int = 1, channels: int = 64, pixels: int = 56) -> Case:
    pad, groups = size // 2, min(groups, channels)
    x, w = _some(1, channels, pixels, pixels), _some(channels, channels // groups, size, size)
    padded, wanted = np.pad(x[0], ((0, 0), (pad, pad), (pad, pad))).astype(np.float64), 0.0
    sums = "cyx,co->cyx" if groups > 1 else "iyx,oi->oyx"
    for i in range(size):
        for j in range(size):
            seen = padded[:, i : i + pixels, j : j + pixels]
            wanted = wanted + np.einsum(sums, seen, w[:, :, i, j].astype(np.float64), optimize=True)
    text = f"conv2d.f32 [z], [x], [w], 1, {channels}, {channels}, {pixels}, {pixels}, {size}, {size}, "
    text += f"padding=({pad}, {pad}, {pad}, {pad}), groups={groups}"
    title = f"{size} x {size}, {channels} channels, {pixels} x {pixels}"
    work = 2 * channels * (channels // groups) * (size * pixels) ** 2
    bound = "copy" if groups > 1 else ""
    return _case("conv", title, text, {"x": x, "w": w}, wanted[None], work, bound=bound)


def attention(heads: int = 8, length: int = 512) -> Case:
    width = 64  # whose root's reciprocal is a number in a model (pages.py)
    q, k, v = _some(3, heads, length, width)
    scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(1, 2) / np.sqrt(width)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    wanted = powers / powers.sum(axis=-1, keepdims=True) @ v
    text = f"attention.f32 [z], [x], [y], [w], 1, {heads}, {length}, {length}, {width}"
    work = 4 * heads * length * length * width
    size = f"{heads} heads, {length} x {width}"
    return _case("attention", size, text, {"x": q, "y": k, "w": v}, wanted, work)


def fourier(n: int) -> Case:
    x = _some(n, 2)
    found = np.fft.fft(x[:, 0].astype(np.float64) + 1j * x[:, 1])
    wanted = np.stack([found.real, found.imag], axis=1)
    work = int(5 * n * np.log2(n))
    # The sines of shaders are coarse: those of jax-js are off by 4e-3.
    return _case("fft", f"{n:,}", f"fft.f32 [z], [x], {n}", {"x": x}, wanted, work, tolerance=1e-2)


def of_rows(name: str, text: str, side: int = 1024) -> Case:
    """A case of rows, by the instruction of the tensor library in place of a kernel of its own."""
    case = row(name, side=side)
    made = _case(name, case.size, f"{text}, {side}, {case.columns}", case.arrays, case.wanted, case.work)
    return replace(case, ours=made.ours)


TENSORS: dict[str, Callable[..., Case]] = {
    "softmax_op": partial(of_rows, "softmax", "softmax.f32 [z], [x]"),
    "layer_norm_op": partial(of_rows, "layer_norm", "layer_norm.f32 [z], [x], [scale], [bias]"),
    "gemm1x1024": partial(product, 1, 1024, 1024),
    "gemm1024x1": partial(product, 1024, 1, 1024),
    "gemm384x77": partial(product, 384, 77, 1000),
    "gemm_skinny": partial(product, 4096, 32, 32),
    "gemm_batched": partial(product, 256, 16, 16, 16),
    "gemm_int8": int8,
    "conv3x3": partial(convolution, 3),
    "conv_depthwise": partial(convolution, 3, 64),
    "conv1x1": partial(convolution, 1),
    "attention": attention,
    "fft65536": partial(fourier, 1 << 16),
    "fft100003": partial(fourier, 100_003),
}
