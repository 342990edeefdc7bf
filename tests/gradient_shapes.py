"""Operations of the tensor library at shapes, strides, paddings and groups that a seed draws: what their gradients are
tried with, beside differences (test_gradients.py) and PyTorch's (torch_gradients.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Case", "drawn"]

Case = tuple[str, dict[str, Any], dict[str, NDArray[Any]]]  # the operation, its numbers, its arrays


class _Draw:
    """Sizes, choices and arrays of one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def n(self, low: int = 1, high: int = 5) -> int:
        return int(self.rng.integers(low, high, endpoint=True))

    def yes(self) -> bool:
        return bool(self.rng.integers(2))

    def floats(self, *shape: int) -> NDArray[Any]:
        """No two alike, so that it is sure which is the greatest."""
        count = int(np.prod(shape))
        return self.rng.permutation(count).reshape(shape) / count - 0.4

    def places(self, low: int, high: int, count: int) -> NDArray[Any]:
        return self.rng.integers(low, high, count)


def drawn(seed: int) -> list[Case]:
    """A case of each operation, or several."""
    d = _Draw(seed)
    return [*_rows(d), *_arrangements(d), *_images(d), *_products(d), *_spectra(d)]


def _rows(d: _Draw) -> Iterator[Case]:
    for name in ("Softmax", "LogSoftmax"):
        outer, n, inner = d.n(), d.n(2, 7), d.n()
        yield name, {"outer": outer, "n": n, "inner": inner}, {"input": d.floats(outer, n, inner)}
    rows, n = d.n(), d.n(4, 8)
    arrays = {"input": d.floats(rows, n), "gamma": d.floats(n)}
    yield "LayerNorm", {"rows": rows, "n": n}, arrays | {"beta": d.floats(n)}
    yield "RMSNorm", {"rows": rows, "n": n}, arrays
    yield "LayerScale", {"rows": rows, "n": n}, {"input": arrays["input"], "scale": arrays["gamma"]}
    batch, groups, each, height, width = d.n(), d.n(1, 3), d.n(1, 3), d.n(2, 3), d.n(2, 3)
    sizes = {"batch": batch, "channels": groups * each, "spatial": height * width}
    channels = {name: d.floats(groups * each) for name in ("gamma", "beta", "mean")}
    image = d.floats(batch, groups * each, height, width)
    of_norm = {"input": image, "gamma": channels["gamma"], "beta": channels["beta"]}
    yield "GroupNorm", sizes | {"groups": groups}, of_norm
    yield "InstanceNorm", sizes, of_norm
    yield "BatchNorm", sizes, {"input": image, **channels, "variance": abs(d.floats(groups * each)) + 0.5}
    for options in ({}, {"exclusive": True, "reverse": d.yes()}, {"reverse": True}):
        outer, n, inner = d.n(), d.n(), d.n()
        yield "CumSum", {"outer": outer, "n": n, "inner": inner, **options}, {"input": d.floats(outer, n, inner)}
    outer, n = d.n(), d.n(2, 9)
    yield "Sort", {"outer": outer, "n": n}, {"input": d.floats(outer, n)}
    yield "TopK", {"outer": outer, "n": n, "k": d.n(1, n)}, {"input": d.floats(outer, n)}


def _arrangements(d: _Draw) -> Iterator[Case]:
    outer, length, inner, count = d.n(), d.n(), d.n(), d.n()
    sizes = {"outer": outer, "axis_len": length, "inner": inner, "count": count}
    yield "Gather", sizes, {"input": d.floats(outer, length, inner), "indices": d.places(-length, length, count)}
    own = d.places(-length, length, outer * count * inner)
    yield "GatherElements", sizes, {"input": d.floats(outer, length, inner), "indices": own}
    of_scatter = {"input": d.floats(outer, count, inner), "indices": d.places(0, length, count)}
    yield "Scatter", sizes, of_scatter
    for accumulate in (False, True):
        yield (
            "Scatter",
            sizes | {"accumulate": accumulate},
            {"output": d.floats(outer, length, inner), **of_scatter},
        )
    for name, size in (("Copy", "count"), ("AllGather", "n")):
        x = d.floats(d.n(), d.n())
        yield name, {size: x.size}, {"input": x}
    shape = tuple(d.n() for _ in range(d.n(2, 4)))
    order = tuple(map(int, d.rng.permutation(len(shape))))
    yield "Transpose", {"shape": shape, "permutation": order}, {"input": d.floats(*shape)}
    a, b = d.n(), d.n()
    yield (
        "Concat",
        {"outer": outer, "a_len": a, "b_len": b, "inner": inner},
        {"a": d.floats(outer, a, inner), "b": d.floats(outer, b, inner)},
    )
    before, after = (tuple(d.n(0, 3) for _ in shape) for _ in range(2))
    yield "Pad", {"shape": shape, "before": before, "after": after, "value": 2.5}, {"input": d.floats(*shape)}
    steps = tuple(d.n(1, 3) * (1 if d.yes() else -1) for _ in shape)
    start = tuple(d.n(0, length - 1) for length in shape)
    stop = tuple(length if step > 0 else -length - 1 for length, step in zip(shape, steps, strict=True))
    yield "Slice", {"shape": shape, "start": start, "stop": stop, "step": steps}, {"input": d.floats(*shape)}
    batch, heads, dim, most = d.n(1, 3), d.n(1, 3), d.n(), d.n()
    yield (
        "KVCacheUpdate",
        {"position": d.n(0, most - 1), "batch": batch, "heads": heads, "head_dim": dim, "max_len": most},
        {"cache": d.floats(batch, heads, most, dim), "new_kv": d.floats(batch, heads, dim)},
    )


def _window(d: _Draw, least: int = 1) -> dict[str, Any]:
    """A kernel with its stride and dilation, and an image that it fits into."""
    kernel, dilation = [d.n(least, 3) for _ in "hw"], (d.n(1, 2), d.n(1, 2))
    height, width = ((k - 1) * by + 1 + d.n(1, 3) for k, by in zip(kernel, dilation, strict=True))
    return {
        "kernel_h": kernel[0], "kernel_w": kernel[1], "height": height, "width": width,
        "stride": (d.n(1, 3), d.n(1, 3)), "dilation": dilation,
    }  # fmt: skip


def _images(d: _Draw) -> Iterator[Case]:
    for transposed in (False, True):
        batch, groups, ins, outs = d.n(1, 2), d.n(1, 3), d.n(1, 2), d.n(1, 3)
        numbers = _window(d, 2 if transposed else 1) | {
            "batch": batch, "in_channels": groups * ins, "out_channels": groups * outs, "groups": groups,
            "padding": tuple(d.n(0, 1) for _ in range(4)),
        }  # fmt: skip
        image = d.floats(batch, groups * ins, numbers["height"], numbers["width"])
        area = numbers["kernel_h"], numbers["kernel_w"]
        if transposed:
            numbers["output_padding"] = tuple(d.n(0, by - 1) for by in numbers["stride"])
            kernel = d.floats(groups * ins, outs, *area)
        else:
            kernel = d.floats(groups * outs, ins, *area)
        arrays = {"input": image, "kernel": kernel} | ({"bias": d.floats(groups * outs)} if d.yes() else {})
        yield "ConvTranspose2D" if transposed else "Conv2D", numbers, arrays
    for name in ("MaxPool2D", "AvgPool2D"):
        for ceil in (False, True):
            numbers = _window(d, 2) | {"batch": d.n(1, 2), "channels": d.n(1, 3), "ceil_mode": ceil}
            if name == "AvgPool2D":
                numbers["count_include_pad"] = d.yes()
                del numbers["dilation"]
            if not ceil:
                numbers["padding"] = tuple(d.n(0, 1) for _ in range(4))
            x = d.floats(numbers["batch"], numbers["channels"], numbers["height"], numbers["width"])
            yield name, numbers, {"input": x}
    for linear in (False, True):
        names = ("batch", "channels", "height", "width", "out_height", "out_width")
        numbers = {name: d.n(1 if name in names[:2] else 2, 6) for name in names}
        x = d.floats(*(numbers[name] for name in names[:4]))
        yield "Resize2D", numbers | {"linear": linear, "align_corners": d.yes()}, {"input": x}


def _products(d: _Draw) -> Iterator[Case]:
    for name in ("GEMM", "BatchedGEMM"):
        m, n, k, batch = d.n(), d.n(), d.n(), d.n(2, 3)
        turned = {"trans_a": d.yes(), "trans_b": d.yes()}
        a, b = (k, m) if turned["trans_a"] else (m, k), (n, k) if turned["trans_b"] else (k, n)
        stack = (batch,) if name == "BatchedGEMM" else ()
        numbers = {"m": m, "n": n, "k": k, **turned} | ({"batch": batch} if stack else {"alpha": 1.5})
        yield name, numbers, {"a": d.floats(*stack, *a), "b": d.floats(*stack, *b)}
    m, n, k = d.n(), d.n(), d.n()
    halves = {"a": d.floats(m, k).astype("f2"), "b": d.floats(k, n).astype("f2"), "bias": d.floats(n).astype("f4")}
    yield "MixedPrecisionGEMM", {"m": m, "n": n, "k": k, "alpha": 1.5}, halves
    p, q, r, s, t = (d.n() for _ in range(5))
    yield (
        "TensorContract",
        {
            "shape_a": (p, q, r, s), "shape_b": (s, p, q, t), "contract_dims": ((1, 2), (3, 0)),
            "batch_dims": ((0, 1),),
        },
        {"a": d.floats(p, q, r, s), "b": d.floats(s, p, q, t)},
    )  # fmt: skip
    m, n, k = d.n(), d.n(), d.n()
    ends = np.concatenate([[0], np.cumsum([d.n(0, k) for _ in range(m - 1)] + [d.n(1, k)])])
    yield (
        "SparseGEMM",
        {"m": m, "n": n, "k": k, "alpha": 0.5},
        {
            "a_values": d.floats(int(ends[-1])), "a_indices": d.places(0, k, int(ends[-1])), "a_ptr": ends,
            "b": d.floats(k, n),
        },
    )  # fmt: skip
    for name in ("Attention", "FlashAttention"):
        batch, heads, length, seen, dim = d.n(1, 2), d.n(1, 3), d.n(), d.n(), d.n(2, 5)
        sizes: dict[str, Any] = {"batch": batch, "heads": heads, "seq_len": length, "kv_len": seen, "head_dim": dim}
        arrays = {
            "query": d.floats(batch, heads, length, dim), "key": d.floats(batch, heads, seen, dim),
            "value": d.floats(batch, heads, seen, dim),
        }  # fmt: skip
        if name == "FlashAttention":
            sizes |= {"causal": d.yes(), "scale": 0.7}
            arrays["mask"] = d.floats(length, seen)
        yield name, sizes, arrays
    batch, length, heads, dim = d.n(1, 2), d.n(), d.n(1, 3), d.n(2, 6)
    yield (
        "RoPE",
        {"batch": batch, "seq_len": length, "heads": heads, "head_dim": dim, "interleaved": d.yes()},
        {"input": d.floats(batch, length, heads, dim), "freqs": d.floats(length, dim // 2)},
    )


def _spectra(d: _Draw) -> Iterator[Case]:
    for inverse in (False, True):
        n, batch = d.n(2, 9), d.n(1, 3)
        yield "FFT", {"n": n, "batch": batch, "inverse": inverse}, {"input": d.floats(batch, n, 2)}
        length = (batch, n // 2 + 1, 2) if inverse else (batch, n)
        yield "FFT", {"n": n, "batch": batch, "inverse": inverse, "real": True}, {"input": d.floats(*length)}
