"""Which functions of arrays a node of ONNX becomes, where no instructions are: a function of the node and its inputs as
Arrays, None where one is left out, to one result or several. What our functions cannot is `NotCovered`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

import hologram_web.array_api as xp
from hologram_web import Type, ops
from hologram_web.array.array import Array as Lazy

from .onnx_node import Node, need

__all__ = ["ARRAYS"]

Row = Callable[..., Any]
_CODES = {
    1: Type.F32, 2: Type.U8, 3: Type.I8, 4: Type.U16, 5: Type.I16, 6: Type.I32, 7: Type.I64, 9: xp.bool, 10: Type.F16,
    11: Type.F64, 12: Type.U32, 13: Type.U64, 16: Type.BF16,
}  # fmt: skip


def _type(n: Node, name: str, otherwise: Any = None) -> Any:
    """The type that an attribute names by its number in ONNX."""
    code = n.attribute(name, 0)
    need(not code or code in _CODES, f"elements of ONNX's type {code}")
    return _CODES.get(code, otherwise)


def _of(function: Callable[..., Any]) -> Row:
    """A function of the inputs alone."""
    return lambda n, *given: function(*given)


def _with(function: Callable[..., Any], **numbers: float) -> Row:
    """A function of the first input and of numbers that the node has, or these."""
    return lambda n, x, *_: function(x, **{name: n.attribute(name, number) for name, number in numbers.items()})


# Elements


def _hard_sigmoid(x: Lazy, alpha: float, beta: float) -> Lazy:
    return xp.clip(x * alpha + beta, 0.0, 1.0)


def _selu(x: Lazy, alpha: float, gamma: float) -> Lazy:
    return ops.elu(x, alpha) * gamma


def _celu(x: Lazy, alpha: float) -> Lazy:
    return (ops.elu(x.astype(xp.result_type(x, Type.F32)) / alpha, 1.0) * alpha).astype(x.dtype)


def _swish(x: Lazy, alpha: float) -> Lazy:
    return x * ops.sigmoid(x * alpha)


def _shrink(x: Lazy, lambd: float, bias: float) -> Lazy:
    return xp.where(x < -lambd, x + bias, xp.where(x > lambd, x - bias, 0))


def _gelu(n: Node, x: Lazy) -> Lazy:
    return x * 0.5 * (xp.tanh((x + x * x * x * 0.044715) * (2 / np.pi) ** 0.5) + 1.0)


def _infinite(n: Node, x: Lazy) -> Lazy:
    ends = [n.attribute("detect_positive", 1), n.attribute("detect_negative", 1)]
    return xp.isinf(x) & (xp.asarray(bool(ends[0]), device=x.device) & (x > 0) | bool(ends[1]) & (x < 0))


def _shifted(n: Node, x: Lazy, by: Lazy) -> Lazy:
    left = n.attribute("direction") == "LEFT"
    found: Lazy = (xp.bitwise_left_shift if left else xp.bitwise_right_shift)(x, by)
    return found


def _mod(n: Node, x: Lazy, y: Lazy) -> Lazy:
    need(not n.attribute("fmod", 0), "the sign of the dividend")
    return x % y


def _pow(n: Node, x: Lazy, y: Lazy) -> Lazy:
    ty = xp.result_type(x, y) if n[1].dtype.kind == "f" else x.dtype
    return (x.astype(ty) ** y.astype(ty)).astype(x.dtype)


def _prelu(n: Node, x: Lazy, slope: Lazy) -> Lazy:
    return xp.where(x < 0, x * slope, x)


def _cast(n: Node, x: Lazy, like: Lazy | None = None) -> Lazy:
    ty = _type(n, "to") if like is None else like.dtype
    return xp.astype(x, ty)


# Along axes


def _axes(n: Node, x: Lazy) -> tuple[int, ...]:
    given: Any = n.get(1) if n.get(1) is not None else n.attribute("axes", ())
    axes = tuple(int(axis) for axis in given)
    return axes or (() if n.attribute("noop_with_empty_axes", 0) else tuple(range(x.ndim)))


def _reduced(function: Callable[..., Lazy]) -> Row:
    def row(n: Node, x: Lazy, *_: Any) -> Lazy:
        return function(x, axis=_axes(n, x), keepdims=bool(n.attribute("keepdims", 1))).astype(x.dtype)

    return row


def _extreme(function: Callable[..., Lazy], empty: float) -> Row:
    """The greatest or least; of no elements, the end of the type."""

    def row(n: Node, x: Lazy, *_: Any) -> Lazy:
        if x.dtype is xp.bool:
            return _reduced(xp.any if empty < 0 else xp.all)(n, x)
        if not x.size:
            return xp.full(n.wanted[0].shape, empty, dtype=x.dtype, device=x.device)
        return _reduced(function)(n, x)

    return row


def _lp(n: Node, x: Lazy) -> Lazy:
    total = xp.sum(abs(x), axis=n.attribute("axis", -1), keepdims=True)
    return xp.where(total == 0, 0.0, x / total)


def _running_product(n: Node, x: Lazy, axis: Lazy) -> Lazy:
    at = int(n[1].item()) % x.ndim
    x = xp.flip(x, axis=at) if n.attribute("reverse", 0) else x
    if n.attribute("exclusive", 0):
        part = (*(slice(None),) * at, slice(0, x.shape[at]))
        found = xp.cumulative_prod(x, axis=at, dtype=x.dtype, include_initial=True)[part]
    else:
        found = xp.cumulative_prod(x, axis=at, dtype=x.dtype)
    return xp.flip(found, axis=at) if n.attribute("reverse", 0) else found


def _hardmax(n: Node, x: Lazy) -> Lazy:
    axis = n.attribute("axis", -1) % x.ndim
    return xp.moveaxis(ops.one_hot(xp.argmax(x, axis=axis), x.shape[axis], x.dtype), -1, axis)


def _batch_norm(n: Node, x: Lazy, gamma: Lazy, beta: Lazy, mean: Lazy, var: Lazy) -> Any:
    axes, kept = (0, *range(2, x.ndim)), n.attribute("momentum", 0.9)
    now = xp.mean(x, axis=axes), xp.var(x, axis=axes)
    running = [old * kept + new * (1 - kept) for old, new in zip((mean, var), now, strict=True)]
    return (ops.batch_norm(x, gamma, beta, *now, eps=n.attribute("epsilon", 1e-5)), *running)


# Quantised numbers: whole ones around a zero, times a scale


def _beside(n: Node, x: Lazy, given: Lazy) -> Lazy:
    """A scale or a zero in the shape of what it goes with: one for all, one along an axis, or one for each block."""
    axis, block = n.attribute("axis", 1), n.attribute("block_size", 0)
    if given.size == 1:
        return given.reshape(())
    axis %= x.ndim
    if given.ndim == 1 and not block:
        return given.reshape([-1 if at == axis else 1 for at in range(x.ndim)])
    found = xp.repeat(given, block, axis=axis)
    return found[(*(slice(None),) * axis, slice(0, x.shape[axis]))]


def _rounded(x: Lazy, zero: Lazy | None, ty: Any) -> Lazy:
    x = xp.round(x.astype(Type.F32)) + (0.0 if zero is None else zero.astype(Type.F32))
    return xp.clip(x, float(ty.min_value), float(ty.max_value)).astype(ty)


def _quantized(n: Node, x: Lazy, scale: Lazy, zero: Lazy | None = None) -> Lazy:
    ty = _type(n, "output_dtype", Type.U8) if zero is None else zero.dtype
    wide = _type(n, "precision", xp.result_type(x, scale))
    by = _beside(n, x, scale).astype(wide)
    return _rounded(x.astype(wide) / by, None if zero is None else _beside(n, x, zero), ty)


def _plain(n: Node, x: Lazy, scale: Lazy, zero: Lazy | None = None) -> Lazy:
    away = x.astype(Type.F32) if zero is None else x.astype(Type.F32) - _beside(n, x, zero).astype(Type.F32)
    return (away * _beside(n, x, scale)).astype(_type(n, "output_dtype", scale.dtype))


def _quantized_now(n: Node, x: Lazy) -> Any:
    most, least = xp.maximum(xp.max(x), 0.0), xp.minimum(xp.min(x), 0.0)
    scale = xp.where(most == least, 1.0, most - least) / 255.0
    zero = _rounded(-least / scale, None, Type.U8)
    return _rounded(x / scale, zero, Type.U8), scale, zero


def _quantized_product(
    n: Node, a: Lazy, a_scale: Lazy, a_zero: Lazy, b: Lazy, b_scale: Lazy, b_zero: Lazy, y_scale: Lazy, y_zero: Lazy
) -> Lazy:
    made = [
        ops.quantized_matmul(left, right, a_scale, b_scale, a_zero=a_zero, b_zero=b_zero)
        for left, right in zip(*(xp.unstack(x.reshape((-1, *x.shape[-2:]))) for x in (a, b)), strict=True)
    ]
    return _rounded(xp.stack(made).reshape(n.wanted[0].shape) / y_scale.astype(Type.F32), y_zero, y_zero.dtype)


def _sides(n: Node) -> dict[str, Any]:
    need(n.attribute("auto_pad", "NOTSET") == "NOTSET", "padding that is found")
    return {"stride": n.attribute("strides", [1, 1]), "dilation": n.attribute("dilations", [1, 1]),
            "padding": n.attribute("pads", [0, 0, 0, 0])}  # fmt: skip


def _whole_conv(n: Node, x: Lazy, w: Lazy, x_zero: Lazy | None = None, w_zero: Lazy | None = None) -> Lazy:
    x, w = (
        each.astype(Type.I32) if zero is None else each.astype(Type.I32) - zero.astype(Type.I32).reshape((-1, 1, 1, 1))
        for each, zero in ((x, x_zero), (w, w_zero))
    )
    return ops.conv2d(x, w, groups=n.attribute("group", 1), **_sides(n))


def _quantized_conv(
    n: Node, x: Lazy, x_scale: Lazy, x_zero: Lazy, w: Lazy, w_scale: Lazy, w_zero: Lazy, y_scale: Lazy, y_zero: Lazy
) -> Lazy:
    scale = (x_scale * w_scale / y_scale).reshape((1, -1, 1, 1))
    return _rounded(_whole_conv(n, x, w, x_zero, w_zero).astype(Type.F32) * scale, y_zero, y_zero.dtype)


# Losses


def _loss(n: Node, logs: Lazy, target: Lazy, weight: Lazy | None = None) -> Lazy:
    """What logarithms of probabilities of classes, along axis 1, lack at the classes named."""
    ignored, how = n.attribute("ignore_index"), n.attribute("reduction", "mean")
    kept = target == target if ignored is None else target != ignored
    named = xp.where(kept, target, 0)
    factor = kept.astype(logs.dtype) if weight is None else xp.where(kept, weight[named], 0.0)
    losses = -xp.take_along_axis(logs, xp.expand_dims(named, axis=1), axis=1)[:, 0] * factor
    return losses if how == "none" else losses.sum() / (factor.sum() if how == "mean" else 1.0)


def _entropy(n: Node, x: Lazy, *more: Lazy) -> Any:
    logs = xp.log_softmax(x, axis=1)
    return _loss(n, logs, *more), logs


# Images


def _rows_as_images(n: Node, *given: Lazy | None) -> list[Any]:
    need(n[0].ndim in (3, 4), f"{n[0].ndim - 2} spatial dimensions")
    return [x.expand_dims(2) if n[0].ndim == 3 and x is not None and x.ndim == 3 else x for x in given]


def _power_pool(n: Node, x: Lazy) -> Lazy:
    """Means of powers, of windows with their padding, by how many elements these have."""
    (image,) = _rows_as_images(n, x)
    need(set(n.attribute("dilations", [1])) == {1} and not n.attribute("ceil_mode", 0), "dilation, or rounding up")
    p, size, kernel = n.attribute("p", 2), n.attribute("kernel_shape"), n.attribute("kernel_shape")
    kernel = [1, *size][-2:]
    pads = n.attribute("pads", [0] * 4)
    if (auto := n.attribute("auto_pad", "NOTSET")) != "NOTSET":
        less = [(k - 1) // 2 if auto == "SAME_UPPER" else k // 2 for k in kernel]
        pads = [*less, *(k - 1 - before for k, before in zip(kernel, less, strict=True))]
    wide = ops.pad(abs(image) ** float(p), [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    found = ops.avg_pool2d(wide, kernel, stride=[1, *n.attribute("strides", [1, 1])][-2:]) * float(prod(kernel))
    return (found ** (1 / p)).reshape(n.wanted[0].shape)


def _beside_channels(n: Node, x: Lazy) -> Lazy:
    size, count = n.attribute("size"), x.shape[1]
    rows = ops.pad((x * x).reshape(x.shape[0], 1, count, -1), [(0, 0), (0, 0), ((size - 1) // 2, size // 2), (0, 0)])
    squares = ops.avg_pool2d(rows, (size, 1), stride=1).reshape(x.shape)
    return x / (squares * n.attribute("alpha", 1e-4) + n.attribute("bias", 1.0)) ** n.attribute("beta", 0.75)


def _unpooled(n: Node, x: Lazy, places: Lazy, shape: Lazy | None = None) -> Lazy:
    """The places are those of the images that a pool without padding made of these."""
    size = [length * step for length, step in zip(x.shape[2:], n.attribute("strides"), strict=True)]
    need(x.shape[0] == x.shape[1] == 1, "several images")
    found = xp.zeros(prod(size), dtype=x.dtype, device=x.device)
    found = ops.scatter(found, places.ravel(), x.ravel()).reshape((1, 1, *size))
    more = [(0, wanted - length) for length, wanted in zip(found.shape, n.wanted[0].shape, strict=True)]
    return ops.pad(found, more)


def _scaled(n: Node, x: Lazy, scales: Lazy) -> Lazy:
    need(n.attribute("mode", "nearest") == "nearest" and x.ndim == 4, "no images, or not the nearest")
    return ops.upsample2d(x, n.wanted[0].shape[2:], linear=False)


def _columns(n: Node, x: Lazy, *_: Lazy) -> Lazy:
    """Each column is added at its place: what a transposed convolution does with kernels of a single 1."""
    need(len(n[1]) == 2, f"{len(n[1])} spatial dimensions")
    (h, w), (kh, kw), sides = n[1], n[2], _sides(n)
    (sh, sw), (dh, dw), pads = sides["stride"], sides["dilation"], sides["padding"]
    shape = [
        (length + before + behind - d * (k - 1) - 1) // s + 1
        for length, before, behind, d, k, s in ((h, pads[0], pads[2], dh, kh, sh), (w, pads[1], pads[3], dw, kw, sw))
    ]
    count = x.shape[1]
    kernel = xp.eye(count, device=x.device).reshape(count, count // int(kh * kw), int(kh), int(kw))
    return ops.conv_transpose2d(x.reshape(x.shape[0], count, *map(int, shape)), kernel, **sides)


def _causal(n: Node, x: Lazy, kernel: Lazy, bias: Lazy | None = None, past: Lazy | None = None) -> Any:
    more = kernel.shape[2] - 1
    front = xp.zeros((*x.shape[:2], more), dtype=x.dtype, device=x.device) if past is None else past
    whole = xp.concat([front, x], axis=2)
    found = ops.conv2d(whole.expand_dims(2), kernel.expand_dims(2), groups=x.shape[1], bias=bias).squeeze(2)
    named = n.attribute("activation", "none")
    need(named in ("none", "silu", "swish"), f"the activation {named}")
    return found if named == "none" else ops.silu(found), whole[:, :, whole.shape[2] - more :]


# Positions


def _rotary(n: Node, x: Lazy, cos: Lazy, sin: Lazy, places: Lazy | None = None) -> Lazy:
    """`rope` turns by angles, and ONNX's cosines and sines may have any length, which is multiplied."""
    heads, part, near = (
        n.attribute("num_heads", 0),
        n.attribute("rotary_embedding_dim", 0),
        n.attribute("interleaved", 0),
    )
    rows = x.reshape(*x.shape[:2], heads, -1) if x.ndim == 3 else xp.permute_dims(x, (0, 2, 1, 3))
    whole = part or rows.shape[3]
    turned = []
    for number, row in enumerate(xp.unstack(rows)):
        c, s = ((each if places is None else each[places])[number, :, : whole // 2] for each in (cos, sin))
        length = xp.sqrt(c * c + s * s)
        both = xp.repeat(length, 2, axis=1) if near else xp.concat([length, length], axis=1)
        made = ops.rope(row[None, ..., :whole], ops.atan2(s, c), interleaved=bool(near))[0] * both[:, None]
        turned.append(xp.concat([made, row[..., whole:]], axis=2))
    found = xp.stack(turned)
    return found.reshape(x.shape) if x.ndim == 3 else xp.permute_dims(found, (0, 2, 1, 3))


def _cached(n: Node, cache: Lazy, new: Lazy, first: Lazy | None = None) -> Lazy:
    need(n.attribute("axis", -2) % cache.ndim == cache.ndim - 2, "positions along another axis")
    starts = [0] * cache.shape[0] if n.get(2) is None else n[2].tolist()
    length, count, found = cache.shape[-2], new.shape[-2], []
    for number, start in enumerate(starts):
        rows = [each[number].reshape(-1, *each.shape[-2:]) for each in (cache, new)]
        if start + count <= length:
            found.append(ops.kv_cache_update(rows[0][None], rows[1][None], start).reshape(cache.shape[1:]))
            continue
        rows[0][:, xp.arange(start, start + count, device=cache.device) % length] = rows[1]
        found.append(rows[0].reshape(cache.shape[1:]))
    return xp.stack(found)


# Transforms


def _windows(n: Node, x: Lazy, step: Lazy, window: Lazy | None = None, length: Lazy | None = None) -> Lazy:
    """Transforms of parts that begin each step."""
    need(x.ndim == 2 or x.shape[2] == 1, "complex numbers")
    size, rows = n[2].size if n.get(3) is None else int(n[3].item()), x.reshape(x.shape[:2])
    starts = xp.arange(0, rows.shape[1] - size + 1, int(n[1].item()), device=x.device)
    parts = rows[:, starts[:, None] + xp.arange(size, device=x.device)]
    found = (xp.fft.rfft if n.attribute("onesided", 1) else xp.fft.fft)(parts if window is None else parts * window)
    return xp.stack([xp.real(found), xp.imag(found)], axis=-1)


def _cosines(*factors: float) -> Row:
    """A window: cosines of multiples of an angle that goes round once."""

    def row(n: Node, size: Lazy) -> Lazy:
        count = int(n[0].item())
        at = xp.arange(count, dtype=Type.F32, device=size.device) * (
            2 * np.pi / (count - (not n.attribute("periodic", 1)))
        )
        return sum(xp.cos(at * float(k)) * factor for k, factor in enumerate(factors))  # type: ignore[return-value]

    return row


# Arrangement


def _chosen(n: Node, x: Lazy, mask: Lazy) -> Lazy:
    axis = n.attribute("axis")
    found = x.ravel() if axis is None else xp.moveaxis(x, axis, 0)
    found = found[: mask.size][mask]
    return found if axis is None else xp.moveaxis(found, 0, axis)


def _filled(n: Node, shape: Lazy) -> Lazy:
    from onnx.numpy_helper import to_array

    value = n.attribute("value")
    held = np.zeros(1, np.float32) if value is None else to_array(value)
    return xp.full(tuple(n[0].tolist()), held.item(), dtype=Type[Node.of(held).upper()], device=shape.device)


def _cropped(n: Node, x: Lazy, shape: Lazy) -> Lazy:
    for axis, length in zip(n.attribute("axes", range(x.ndim)), n[1].tolist(), strict=False):
        at, more = axis % x.ndim, length - x.shape[axis]
        before, part = abs(more) // 2, [slice(None)] * x.ndim
        if more < 0:
            part[at] = slice(before, before + length)
            x = x[tuple(part)]
        else:
            x = ops.pad(x, [(before, more - before) if a == at else (0, 0) for a in range(x.ndim)])
    return x


def _hot(n: Node, indices: Lazy, depth: Lazy, values: Lazy) -> Lazy:
    count = int(n[1].item())
    hot = ops.one_hot(xp.where(indices < 0, indices + count, indices).astype(Type.I32), count, xp.bool)
    return xp.where(xp.moveaxis(hot, -1, n.attribute("axis", -1)), values[1], values[0])


def _eye(n: Node, x: Lazy) -> Lazy:
    return xp.eye(*x.shape, k=n.attribute("k", 0), dtype=_type(n, "dtype", x.dtype), device=x.device)


def _numbers(n: Node, *given: Lazy) -> Lazy:
    first, last, step = (value.item() for value in map(n.__getitem__, range(3)))
    return xp.arange(first, last, step, dtype=given[0].dtype, device=given[0].device)


def _reversed(n: Node, x: Lazy, lengths: Lazy) -> Lazy:
    """Beyond the length of a row elements stay."""
    time, batch = n.attribute("time_axis", 0), n.attribute("batch_axis", 1)
    at = xp.arange(x.shape[time], device=x.device).reshape(-1, *(1,) * (x.ndim - time - 1))
    length = lengths.astype(Type.I32).reshape(-1, *(1,) * (x.ndim - batch - 1))
    places = xp.broadcast_to(xp.where(at < length, length - 1 - at, at), x.shape)
    return xp.take_along_axis(x, places, axis=time)


def _scattered(n: Node, x: Lazy, places: Lazy, values: Lazy) -> Lazy:
    axis, found = n.attribute("axis", 0) % x.ndim, xp.asarray(x, copy=True)
    key = [
        xp.arange(length, device=x.device).reshape(-1, *(1,) * (x.ndim - at - 1))
        for at, length in enumerate(places.shape)
    ]
    key[axis] = places
    found[tuple(key)] = values
    return found


def _triangle(n: Node, x: Lazy, k: Lazy | None = None) -> Lazy:
    number = 0 if n.get(1) is None else int(n[1].item())
    found: Lazy = (xp.triu if n.attribute("upper", 1) else xp.tril)(x, k=number)
    return found


def _unique(n: Node, x: Lazy) -> Any:
    need(n.attribute("axis") is None, "parts along an axis")
    values, first, back, counts = xp.unique_all(x)
    if not n.attribute("sorted", 1):  # as they come
        order = xp.argsort(first)
        values, first, counts = values[order], first[order], counts[order]
        back = xp.argsort(order)[back]
    return values, first, back.ravel(), counts


def _depth(n: Node, x: Lazy) -> Lazy:
    size, (batch, channels, height, width) = n.attribute("blocksize"), x.shape
    parts = x.reshape(batch, channels, height // size, size, width // size, size)
    return xp.permute_dims(parts, (0, 1, 3, 5, 2, 4)).reshape(batch, -1, height // size, width // size)


def _dropped(n: Node, x: Lazy, ratio: Lazy | None = None, training: Lazy | None = None) -> Any:
    need(n.get(2) is None or not n[2] or (n.get(1) is not None and n[1] == 0), "random numbers of NumPy")
    return x, xp.ones(x.shape, dtype=xp.bool, device=x.device)


def _joined(function: Callable[[Sequence[Any]], Lazy]) -> Row:
    return lambda n, *given: function([*given])


ARRAYS: dict[str, Row] = {
    **{name: _of(getattr(xp, name.lower())) for name in ("Acos", "Acosh", "Asin", "Asinh", "Atanh", "Cosh", "Sinh",
                                                          "IsNaN", "Equal", "Greater", "Less", "Where")},
    "GreaterOrEqual": _of(xp.greater_equal), "LessOrEqual": _of(xp.less_equal), "IsInf": _infinite,
    "Softplus": _of(ops.softplus), "Softsign": _of(lambda x: x / (abs(x) + 1.0)),
    "Mish": _of(lambda x: x * xp.tanh(ops.softplus(x))),
    "HardSwish": _of(lambda x: x * _hard_sigmoid(x, 1 / 6, 0.5)),
    "HardSigmoid": _with(_hard_sigmoid, alpha=0.2, beta=0.5),
    "LeakyRelu": _with(lambda x, alpha: ops.leaky_relu(x, alpha), alpha=0.01), "Elu": _with(ops.elu, alpha=1.0),
    "Selu": _with(_selu, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875),
    "Celu": _with(_celu, alpha=1.0), "Swish": _with(_swish, alpha=1.0), "Shrink": _with(_shrink, lambd=0.5, bias=0.0),
    "SwiGLU": lambda n, a, b: _swish(a, n.attribute("alpha", 1.0)) * b,
    "ThresholdedRelu": _with(lambda x, alpha: xp.where(x > alpha, x, 0.0), alpha=1.0),
    "Binarizer": _with(lambda x, threshold: (x > threshold).astype(x.dtype), threshold=0.0),
    "PRelu": _prelu, "Gelu": _gelu, "BitShift": _shifted, "Mod": _mod, "Pow": _pow, "Cast": _cast, "CastLike": _cast,
    "ReduceProd": _reduced(xp.prod), "ReduceSum": _reduced(xp.sum), "ReduceMax": _extreme(xp.max, -np.inf),
    "ReduceMin": _extreme(xp.min, np.inf), "LpNormalization": _lp, "CumProd": _running_product, "Hardmax": _hardmax,
    "BatchNormalization": _batch_norm,
    "Det": _of(xp.linalg.det), "MatMul": _of(xp.matmul),
    "Einsum": lambda n, *x: ops.einsum(n.attribute("equation"), *x),
    "QuantizeLinear": _quantized, "DequantizeLinear": _plain, "DynamicQuantizeLinear": _quantized_now,
    "QLinearMatMul": _quantized_product, "ConvInteger": _whole_conv, "QLinearConv": _quantized_conv,
    "NegativeLogLikelihoodLoss": _loss, "SoftmaxCrossEntropyLoss": _entropy,
    "LpPool": _power_pool, "LRN": _beside_channels, "MaxUnpool": _unpooled, "Upsample": _scaled, "Col2Im": _columns,
    "CausalConvWithState": _causal, "RotaryEmbedding": _rotary, "TensorScatter": _cached, "STFT": _windows,
    "HannWindow": _cosines(0.5, -0.5), "HammingWindow": _cosines(25 / 46, -21 / 46),
    "BlackmanWindow": _cosines(0.42, -0.5, 0.08),
    "Compress": _chosen, "ConstantOfShape": _filled, "CenterCropPad": _cropped, "OneHot": _hot, "EyeLike": _eye,
    "NonZero": _of(lambda x: xp.stack(xp.nonzero(x))), "Range": _numbers, "ReverseSequence": _reversed,
    "Scatter": _scattered, "Trilu": _triangle, "Unique": _unique, "SpaceToDepth": _depth, "Dropout": _dropped,
    "ArrayFeatureExtractor": _of(partial(xp.take, axis=-1)),
}  # fmt: skip
