"""Gradients of operations, as operations: the rules that rows of the tensor library name.

A rule is `rule(xp, o, cotangent, result, **operands)`. It gives a dict: for operands that have a gradient what a change
of their elements changes in the sum of cotangent * result, an array of the operand's shape. `o` has the operation's
numbers (`o.n`); arrays are lazy ones of any shape with as many elements as the operation has there. `xp` has functions
of arrays (`xp.exp(x)`, `xp.where(...)`), and

    xp.apply(name, result="", /, **numbers and operands)

which is an operation of the library on arrays: one axis of elements. Numbers that are left out have their defaults.
What an operation writes a part of (Scatter's output) begins with an array that is given for it, or with zeros.

Rules take operations without activation, and products without beta and strides: layers above compute those as maps
and views. Operations without a rule have no gradient: they choose places, or are random, or of integers.
"""

# mypy: ignore-errors

from __future__ import annotations

from math import prod, sqrt

from .arrange import _ranges
from .contract import _axes
from .conv_transpose import lengths_of
from .operation import Operands
from .pooling import _quotient
from .sliding import out_lengths

__all__ = ["RULES"]


def _softmax(xp, o, cotangent, result, input):
    shape = o.outer, o.n, o.inner
    given, y = cotangent.reshape(shape), result.reshape(shape)
    return {"input": (y * (given - (given * y).sum(axis=1, keepdims=True))).reshape(input.shape)}


def _log_softmax(xp, o, cotangent, result, input):
    shape = o.outer, o.n, o.inner
    given, y = cotangent.reshape(shape), result.reshape(shape)
    return {"input": (given - xp.exp(y) * given.sum(axis=1, keepdims=True)).reshape(input.shape)}


# Norms: `axes` are those of a row that is normalised, `others` those along which a factor repeats


def _normalised(xp, cotangent, input, gamma, beta, shape, axes, others, eps, affine, mean=True):
    """Gradients of (input - mean) / deviation * gamma + beta."""
    x, given = input.reshape(shape), cotangent.reshape(shape)
    count = prod(shape[axis] for axis in axes)
    away = x - x.sum(axis=axes, keepdims=True) / max(count, 1) if mean else x
    deviation = xp.sqrt((away * away).sum(axis=axes, keepdims=True) / max(count, 1) + eps)
    unit, scaled = away / deviation, given * gamma.reshape(affine)
    inner = scaled - unit * ((scaled * unit).sum(axis=axes, keepdims=True) / max(count, 1))
    if mean:
        inner = inner - scaled.sum(axis=axes, keepdims=True) / max(count, 1)
    found = {
        "input": (inner / deviation).reshape(input.shape),
        "gamma": (given * unit).sum(axis=others).reshape(gamma.shape),
    }
    if beta is not None:
        found["beta"] = given.sum(axis=others).reshape(beta.shape)
    return found


def _layer_norm(xp, o, cotangent, result, input, gamma, beta):
    return _normalised(xp, cotangent, input, gamma, beta, (o.rows, o.n), (1,), (0,), o.eps, (1, o.n))


def _rms_norm(xp, o, cotangent, result, input, gamma):
    return _normalised(xp, cotangent, input, gamma, None, (o.rows, o.n), (1,), (0,), o.eps, (1, o.n), mean=False)


def _group_norm(xp, o, cotangent, result, input, gamma, beta):
    shape = o.batch, o.groups, o.channels // o.groups, o.spatial
    affine = 1, o.groups, o.channels // o.groups, 1
    return _normalised(xp, cotangent, input, gamma, beta, shape, (2, 3), (0, 3), o.eps, affine)


def _instance_norm(xp, o, cotangent, result, input, gamma, beta):
    shape = o.batch, o.channels, o.spatial
    return _normalised(xp, cotangent, input, gamma, beta, shape, (2,), (0, 2), o.eps, (1, o.channels, 1))


def _batch_norm(xp, o, cotangent, result, input, gamma, beta, mean, variance):
    shape, row = (o.batch, o.channels, o.spatial), (1, o.channels, 1)
    given, away = cotangent.reshape(shape), input.reshape(shape) - mean.reshape(row)
    deviation = xp.sqrt(variance.reshape(row) + o.eps)
    by = gamma.reshape(row) / deviation
    sums, moments = given.sum(axis=(0, 2)), (given * away).sum(axis=(0, 2))
    by, deviation = by.reshape(sums.shape), deviation.reshape(sums.shape)
    return {
        "input": (given * by.reshape(row)).reshape(input.shape),
        "gamma": (moments / deviation).reshape(gamma.shape),
        "beta": sums.reshape(beta.shape),
        "mean": (-sums * by).reshape(mean.shape),
        "variance": (moments * by / (deviation * deviation) * -0.5).reshape(variance.shape),
    }


def _layer_scale(xp, o, cotangent, result, input, scale):
    given, x = cotangent.reshape(o.rows, o.n), input.reshape(o.rows, o.n)
    return {
        "input": (given * scale.reshape(1, o.n)).reshape(input.shape),
        "scale": (given * x).sum(axis=0).reshape(scale.shape),
    }


# Along axes


def _cum_sum(xp, o, cotangent, result, input):
    numbers = {"outer": o.outer, "n": o.n, "inner": o.inner, "exclusive": o.exclusive, "reverse": not o.reverse}
    return {"input": xp.apply("CumSum", input=cotangent, **numbers).reshape(input.shape)}


def _axis(o):
    return {"outer": o.outer, "axis_len": o.axis_len, "inner": o.inner, "count": o.count}


def _gather(xp, o, cotangent, result, input, indices):
    found = xp.apply("Scatter", input=cotangent, indices=indices, accumulate=True, **_axis(o))
    return {"input": found.reshape(input.shape)}


def _gather_elements(xp, o, cotangent, result, input, indices):
    places = indices.reshape(o.outer, o.count, o.inner)
    places = xp.where(places < 0, places + o.axis_len, places)
    rows, columns = (xp.arange(length, dtype=indices.dtype, device=indices.device) for length in (o.outer, o.inner))
    places = (rows.reshape(o.outer, 1, 1) * o.axis_len + places) * o.inner + columns
    whole = {"outer": 1, "axis_len": o.outer * o.axis_len * o.inner, "inner": 1, "count": o.outer * o.count * o.inner}
    found = xp.apply("Scatter", input=cotangent, indices=places.reshape(whole["count"]), accumulate=True, **whole)
    return {"input": found.reshape(input.shape)}


def _scatter(xp, o, cotangent, result, input, indices, output=None):
    """Of equal indices the last one is written, unless they are added."""
    kept = {}
    if output is not None:
        nothing = input * 0
        whole = xp.apply("Scatter", output=cotangent, input=nothing, indices=indices, **_axis(o))
        kept = {"output": (cotangent if o.accumulate else whole).reshape(output.shape)}
    found = xp.apply("Gather", input=cotangent, indices=indices, **_axis(o))
    if not o.accumulate:
        axis = {"outer": 1, "axis_len": o.axis_len, "inner": 1, "count": o.count}
        numbers = xp.arange(o.count, dtype=indices.dtype, device=indices.device)
        last = xp.apply("Scatter", input=numbers, indices=indices, accumulate=False, **axis)
        stays = xp.apply("Gather", input=last, indices=indices, **axis) == numbers
        found = xp.where(stays.reshape(1, o.count, 1), found.reshape(o.outer, o.count, o.inner), 0)
    return {"input": found.reshape(input.shape), **kept}


def _put_back(xp, cotangent, places, outer, n, k, shape):
    """What k of n elements of each row get, which come from `places`."""
    rows = xp.arange(outer, dtype=places.dtype, device=places.device).reshape(outer, 1) * n
    axis = {"outer": 1, "axis_len": outer * n, "inner": 1, "count": outer * k}
    flat = (places.reshape(outer, k) + rows).reshape(outer * k)
    return xp.apply("Scatter", input=cotangent, indices=flat, accumulate=False, **axis).reshape(shape)


def _sort(xp, o, cotangent, result, input):
    places = xp.apply("Sort", "indices", input=input, outer=o.outer, n=o.n, descending=o.descending)
    return {"input": _put_back(xp, cotangent, places, o.outer, o.n, o.n, input.shape)}


def _top_k(xp, o, cotangent, result, input):
    places = xp.apply("TopK", "indices", input=input, outer=o.outer, n=o.n, k=o.k, largest=o.largest)
    return {"input": _put_back(xp, cotangent, places, o.outer, o.n, o.k, input.shape)}


# Arrangement


def _copy(xp, o, cotangent, result, input):
    return {"input": cotangent.reshape(input.shape)}


def _transpose(xp, o, cotangent, result, input):
    given = cotangent.reshape([o.shape[axis] for axis in o.permutation])
    order = [list(o.permutation).index(axis) for axis in range(len(o.shape))]
    return {"input": given.transpose(order).reshape(input.shape)}


def _concat(xp, o, cotangent, result, a, b):
    given = cotangent.reshape(o.outer, o.a_len + o.b_len, o.inner)
    return {"a": given[:, : o.a_len].reshape(a.shape), "b": given[:, o.a_len :].reshape(b.shape)}


def _pad(xp, o, cotangent, result, input):
    lengths = [before + length + after for before, length, after in zip(o.before, o.shape, o.after, strict=True)]
    given = cotangent.reshape(lengths)
    kept = tuple(slice(before, before + length) for before, length in zip(o.before, o.shape, strict=True))
    return {"input": given[kept].reshape(input.shape)}


def _slice(xp, o, cotangent, result, input):
    """Axis by axis, from the last one on, what is taken lies in an axis of zeros."""
    found, ranges = cotangent, _ranges(o)
    for axis in reversed(range(len(o.shape))):
        taken = ranges[axis]
        numbers = xp.arange(len(taken), dtype=xp.int32, device=input.device) * taken.step + taken.start
        outer, inner = prod(map(len, ranges[:axis])), prod(o.shape[axis + 1 :])
        size = {"outer": outer, "axis_len": o.shape[axis], "inner": inner, "count": len(taken)}
        found = xp.apply("Scatter", input=found, indices=numbers, **size)
    return {"input": found.reshape(input.shape)}


def _kv_cache_update(xp, o, cotangent, result, new_kv, cache=None):
    given = cotangent.reshape(o.batch * o.heads, o.max_len, o.head_dim)
    found = {"new_kv": given[:, o.position].reshape(new_kv.shape)}
    if cache is not None:
        numbers = {name: o.values[name] for name in ("position", "batch", "heads", "head_dim", "max_len")}
        rest = xp.apply("KVCacheUpdate", cache=cotangent, new_kv=new_kv * 0, **numbers)
        found["cache"] = rest.reshape(cache.shape)
    return found


# Images


def _image(o, height, width, **others):
    """The numbers of a convolution the other way round."""
    names = ("batch", "kernel_h", "kernel_w", "stride", "padding", "groups")
    numbers = {name: o.values[name] for name in names} | {"dilation": o.values.get("dilation", (1, 1))}
    turned = {"in_channels": o.out_channels, "out_channels": o.in_channels, "height": height, "width": width}
    return numbers | turned | others


def _spread(xp, o, cotangent, kernel, **others):
    """The transposed convolution that gives an image back, of what its windows get."""
    rows, columns = out_lengths(o)
    padding, more, dilation = [*o.padding], [0, 0], o.values.get("dilation", (1, 1))
    sides = (o.height, rows, o.kernel_h), (o.width, columns, o.kernel_w)
    for axis, (length, windows, kernel_length) in enumerate(sides):
        reached = (windows - 1) * o.stride[axis] + (kernel_length - 1) * dilation[axis] + 1
        more[axis] = max(length + padding[axis] + padding[axis + 2] - reached, 0)
        padding[axis + 2] += max(reached - length - padding[axis] - padding[axis + 2], 0)  # of a pool with ceil_mode
    if all(isinstance(each, int) for side in sides for each in side) and 1 in (max(o.stride), max(dilation)):
        return _unshuffled(xp, o, cotangent, kernel, sides, tuple(dilation), others)
    numbers = others | {"padding": tuple(padding), "output_padding": tuple(more)}
    return xp.apply("ConvTranspose2D", input=cotangent, kernel=kernel, **numbers)


def _unshuffled(xp, o, cotangent, kernel, sides, dilation, numbers):
    """The same as one convolution, whose sums are as fast as others': elements of the image that are a stride apart
    meet the same elements of the kernel, so the elements of one stride are channels of it."""
    groups, (down, across) = o.groups, o.stride
    channels, outs = numbers["in_channels"] // groups, numbers["out_channels"] // groups
    taps, padding, begin = [], [[], []], []
    for axis, (length, windows, kernel_length) in enumerate(sides):
        stride, top = o.stride[axis], o.padding[axis]
        taps.append(-(-kernel_length // stride))
        reach = (taps[axis] - 1) * dilation[axis]
        first = min(top // stride, reach)
        padding[0].append(reach - first)
        padding[1].append(max(-(-(top + length) // stride) - windows, 0))
        begin.append(top - first * stride)
    many, after = groups * channels * outs, (taps[0] * down - o.kernel_h, taps[1] * across - o.kernel_w)
    if any(after):
        shape = many, o.kernel_h, o.kernel_w
        kernel = xp.apply("Pad", input=kernel, shape=shape, before=(0, 0, 0), after=(0, *after), value=0.0)
    kernel = kernel.reshape(groups, channels, outs, taps[0], down, taps[1], across)
    kernel = kernel.permute_dims((0, 2, 4, 6, 1, 3, 5)).flip((5, 6))
    numbers = numbers | {
        "out_channels": numbers["out_channels"] * down * across, "kernel_h": taps[0], "kernel_w": taps[1],
        "stride": (1, 1), "dilation": dilation, "padding": (*padding[0], *padding[1]),
    }  # fmt: skip
    made = out_lengths(Operands(numbers, {}))
    found = xp.apply("Conv2D", input=cotangent, kernel=kernel, **numbers)
    found = found.reshape(o.batch, groups * outs, down, across, *made).permute_dims((0, 1, 4, 2, 5, 3))
    found = found.reshape(o.batch, groups * outs, made[0] * down, made[1] * across)
    return found[:, :, begin[0] : begin[0] + o.height, begin[1] : begin[1] + o.width]


def _weights(xp, o, image, windows, ins, outs, lengths, counts):
    """The gradient (outs, ins / groups, kernel_h, kernel_w) of a kernel that makes windows of an image: what of the
    image is beside each window, summed up over images and windows, which is a convolution over images as channels."""
    groups, channels = o.groups, ins // o.groups
    turned = image.reshape(o.batch, groups, channels, *lengths).permute_dims((2, 1, 0, 3, 4))
    kernels = windows.reshape(o.batch, outs, *counts).permute_dims((1, 0, 2, 3))
    numbers = {
        "batch": channels, "in_channels": groups * o.batch, "out_channels": outs, "height": lengths[0],
        "width": lengths[1], "kernel_h": counts[0], "kernel_w": counts[1], "stride": tuple(o.dilation),
        "padding": tuple(o.padding), "dilation": tuple(o.stride), "groups": groups,
    }  # fmt: skip
    made = out_lengths(Operands(numbers, {}))
    found = xp.apply("Conv2D", input=turned, kernel=kernels, **numbers).reshape(channels, outs, *made)
    return found[:, :, : o.kernel_h, : o.kernel_w].permute_dims((1, 0, 2, 3))


def _sums(o, cotangent, bias):
    """The gradient of what is added to channels, if it is."""
    if bias is None:
        return {}
    return {"bias": cotangent.reshape(o.batch, o.out_channels, -1).sum(axis=(0, 2)).reshape(bias.shape)}


def _conv2d(xp, o, cotangent, result, input, kernel, bias=None):
    if not cotangent.size:
        return {"input": input * 0, "kernel": kernel * 0} | ({} if bias is None else {"bias": bias * 0})
    counts = out_lengths(o)
    weights = _weights(xp, o, input, cotangent, o.in_channels, o.out_channels, (o.height, o.width), counts)
    images = _spread(xp, o, cotangent, kernel, **_image(o, *counts))
    return {
        "input": images.reshape(input.shape), "kernel": weights.reshape(kernel.shape), **_sums(o, cotangent, bias)
    }  # fmt: skip


def _conv_transpose2d(xp, o, cotangent, result, input, kernel, bias=None):
    if not cotangent.size:
        return {"input": input * 0, "kernel": kernel * 0} | ({} if bias is None else {"bias": bias * 0})
    lengths = lengths_of(o)
    turned = _image(o, *lengths)
    images = xp.apply("Conv2D", input=cotangent, kernel=kernel, **turned)
    images = images.reshape(o.batch, o.in_channels, *out_lengths(Operands(turned, {})))[:, :, : o.height, : o.width]
    weights = _weights(xp, o, cotangent, input, o.out_channels, o.in_channels, lengths, (o.height, o.width))
    return {
        "input": images.reshape(input.shape), "kernel": weights.reshape(kernel.shape), **_sums(o, cotangent, bias)
    }  # fmt: skip


def _channelwise(o, many):
    """The numbers of a convolution that gives each channel of a pool what `many` channels of windows get."""
    o.values.update(in_channels=o.channels, out_channels=o.channels * many, groups=o.channels)
    return _image(o, *out_lengths(o))


def _max_pool2d(xp, o, cotangent, result, input):
    """The first of the greatest in a window gets all."""
    o = Operands(dict(o.values), {})
    (rows, columns), (step_y, step_x) = out_lengths(o), o.dilation
    shape, (top, left, bottom, right) = (o.batch * o.channels, o.height, o.width), o.padding
    reach = o.kernel_h * step_y + o.stride[0], o.kernel_w * step_x + o.stride[1]
    after = 0, bottom + reach[0], right + reach[1]
    padded = xp.apply("Pad", input=input, shape=shape, before=(0, top, left), after=after, value=-float("inf"))
    padded = padded.reshape(o.batch, o.channels, o.height + top + after[1], o.width + left + after[2])
    greatest, given = (x.reshape(o.batch, o.channels, rows, columns) for x in (result, cotangent))
    taken, parts = greatest != greatest, []
    for y in range(0, o.kernel_h * step_y, step_y):
        for x in range(0, o.kernel_w * step_x, step_x):
            last = y + (rows - 1) * o.stride[0] + 1, x + (columns - 1) * o.stride[1] + 1
            hit = (padded[:, :, y : last[0] : o.stride[0], x : last[1] : o.stride[1]] == greatest) & ~taken
            taken = taken | hit
            parts.append(xp.where(hit, given, 0))
    many = len(parts)
    places = xp.eye(many, dtype=input.dtype, device=input.device).reshape(1, many, 1, o.kernel_h, o.kernel_w)
    kernel = places.broadcast_to((o.channels, *places.shape[1:]))
    images = _spread(xp, o, xp.stack(parts, axis=2), kernel, **_channelwise(o, many))
    return {"input": images.reshape(input.shape)}


def _avg_pool2d(xp, o, cotangent, result, input):
    o = Operands(dict(o.values), {})
    given = cotangent.reshape(o.batch, o.channels, *out_lengths(o))
    for axis, (length, kernel) in enumerate(((o.height, o.kernel_h), (o.width, o.kernel_w))):
        before, after = (o.padding[axis], o.padding[axis + 2]) if o.count_include_pad else (0, 0)
        first = xp.arange(given.shape[2 + axis], dtype=xp.int32, device=input.device) * o.stride[axis] - o.padding[axis]
        count = xp.minimum(first + kernel, length + after) - xp.maximum(first, -before)
        given = given / count.astype(input.dtype).reshape([-1 if axis == each else 1 for each in range(2)])
    ones = xp.ones((o.channels, 1, o.kernel_h, o.kernel_w), dtype=input.dtype, device=input.device)
    return {"input": _spread(xp, o, given, ones, **_channelwise(o, 1)).reshape(input.shape)}


def _resize2d(xp, o, cotangent, result, input):
    """A product with the weights of rows, and one with those of columns, both transposed."""
    sides = []
    for length, out in ((o.height, o.out_height), (o.width, o.out_width)):
        step, start, whole = _quotient(o, length, out)
        place = xp.maximum(xp.arange(out, dtype=xp.int64, device=input.device) * step + start, 0).reshape(out, 1)
        at = xp.minimum(place // max(whole, 1), length - 1)
        number = xp.arange(length, dtype=xp.int64, device=input.device).reshape(1, length)
        weights = (at == number).astype(input.dtype)
        if o.linear:
            part = (place % max(whole, 1)).astype(input.dtype) / max(whole, 1)
            other = (xp.minimum(at + 1, length - 1) == number).astype(input.dtype)
            weights = weights + (other - weights) * part
        sides.append(weights)
    given = cotangent.reshape(o.batch * o.channels, o.out_height, o.out_width) @ sides[1]
    return {"input": (sides[0].mT @ given).reshape(input.shape)}


# Products


def _turned(x, turned):
    return x.mT if turned else x


def _gemm(xp, o, cotangent, result, a, b, bias=None):
    batch = o.values.get("batch", 1)
    given = cotangent.reshape(batch, o.m, o.n)
    left = _turned(a.reshape(batch, *((o.k, o.m) if o.trans_a else (o.m, o.k))), o.trans_a)
    right = _turned(b.reshape(batch, *((o.n, o.k) if o.trans_b else (o.k, o.n))), o.trans_b)
    scaled = given if o.alpha == 1 else given * o.alpha
    found = {
        "a": _turned(scaled @ right.astype(given.dtype).mT, o.trans_a).astype(a.dtype).reshape(a.shape),
        "b": _turned(left.astype(given.dtype).mT @ scaled, o.trans_b).astype(b.dtype).reshape(b.shape),
    }
    return found if bias is None else found | {"bias": given.sum(axis=(0, 1)).reshape(bias.shape)}


def _tensor_contract(xp, o, cotangent, result, a, b):
    """Each operand's is a contraction of the other one with the result, with its axes in order."""
    batch_a, free_a, inner_a, batch_b, free_b, inner_b = _axes(o)
    size = len(batch_a), len(free_a), len(free_b)
    shape = [o.shape_a[axis] for axis in batch_a + free_a] + [o.shape_b[axis] for axis in free_b]
    batch, here, there = range(size[0]), range(size[0], sum(size[:2])), range(sum(size[:2]), sum(size))
    found = {}
    for name, own, other, other_shape, axes, others, pairs in (
        ("a", a, b, o.shape_b, (batch_a, free_a, inner_a), (batch_b, free_b, inner_b), there),
        ("b", b, a, o.shape_a, (batch_b, free_b, inner_b), (batch_a, free_a, inner_a), here),
    ):
        made = xp.apply(
            "TensorContract", a=cotangent, b=other, shape_a=tuple(shape), shape_b=tuple(other_shape),
            contract_dims=tuple(zip(pairs, others[1], strict=True)),
            batch_dims=tuple(zip(batch, others[0], strict=True)),
        )  # fmt: skip
        # It has the batch, what is free in the result, and what was contracted, in the order of the other's axes.
        kept = [axes[2][others[2].index(axis)] for axis in sorted(others[2])]
        order = [*axes[0], *axes[1], *kept]
        lengths = [(o.shape_a if name == "a" else o.shape_b)[axis] for axis in order]
        turned = made.reshape(lengths).transpose([order.index(axis) for axis in range(len(order))])
        found[name] = turned.reshape(own.shape)
    return found


def _sparse_gemm(xp, o, cotangent, result, a_values, a_indices, a_ptr, b):
    """An element that no row has gets nothing."""
    count, given = a_values.size, cotangent.reshape(o.m, o.n) * o.alpha
    places = xp.arange(count, dtype=xp.int32, device=b.device).reshape(count, 1)
    ends = a_ptr.reshape(-1)[: o.m + 1].astype(xp.int32).reshape(1, o.m + 1)
    row = (ends <= places).astype(xp.int32).sum(axis=1) - 1
    there = (row >= 0) & (row < o.m)
    rows = given.take(xp.where(there, row, 0), axis=0)
    columns = xp.where(there, a_indices.reshape(-1)[:count].astype(xp.int32), 0)
    values = xp.where(there, a_values.reshape(count), 0).reshape(count, 1)
    axis = {"outer": 1, "axis_len": o.k, "inner": o.n, "count": count}
    added = xp.apply("Scatter", input=rows * values, indices=columns, accumulate=True, **axis)
    taken = (rows * b.reshape(o.k, o.n).take(columns, axis=0)).sum(axis=1)
    return {"a_values": xp.where(there, taken, 0).reshape(a_values.shape), "b": added.reshape(b.shape)}


def _attention(xp, o, cotangent, result, query, key, value, mask=None):
    """In memory of all scores, which are computed again."""
    heads = o.batch * o.heads
    q = query.reshape(heads, o.seq_len, o.head_dim)
    k, v = (x.reshape(heads, o.kv_len, o.head_dim) for x in (key, value))
    scale = 1 / sqrt(max(o.head_dim, 1)) if o.scale is None else o.scale
    scores = q @ k.mT * scale
    if mask is not None:
        scores = scores + mask.reshape(1, o.seq_len, o.kv_len)
    if o.causal:
        places = [xp.arange(length, dtype=xp.int32, device=query.device) for length in (o.seq_len, o.kv_len)]
        seen = places[0].reshape(1, o.seq_len, 1) >= places[1].reshape(1, 1, o.kv_len)
        scores = xp.where(seen, scores, -float("inf"))
    numbers = {"outer": heads * o.seq_len, "n": o.kv_len}
    weights = xp.apply("Softmax", input=scores, **numbers).reshape(heads, o.seq_len, o.kv_len)
    weights = xp.where(weights == weights, weights, 0)  # a query that sees no key
    given = cotangent.reshape(heads, o.seq_len, o.head_dim)
    further = given @ v.mT
    change = weights * (further - (further * weights).sum(axis=2, keepdims=True))
    found = {
        "query": (change @ k * scale).reshape(query.shape),
        "key": (change.mT @ q * scale).reshape(key.shape),
        "value": (weights.mT @ given).reshape(value.shape),
    }
    return found if mask is None else found | {"mask": change.sum(axis=0).reshape(mask.shape)}


def _rope(xp, o, cotangent, result, input, freqs):
    """Turned back: what is turned by an angle is so by its negative. Angles are numbers of the model: no gradient."""
    numbers = {name: o.values[name] for name in ("batch", "seq_len", "heads", "head_dim", "interleaved")}
    return {"input": xp.apply("RoPE", input=cotangent, freqs=-freqs, **numbers).reshape(input.shape)}


def _fft(xp, o, cotangent, result, input):
    """The transposed transform has the conjugate turns; which factors the inverse has beside it is undone."""
    n, factor = o.n, 1 / max(o.n, 1) if o.inverse else 1
    kept = n // 2 + 1
    if not o.real:
        found = xp.apply("FFT", input=cotangent, n=n, batch=o.batch, inverse=not o.inverse)
        return {"input": (found * (factor if o.inverse else n)).reshape(input.shape)}
    if o.inverse:  # but the first, and the middle one of an even number, terms stand for two
        found = xp.apply("FFT", input=cotangent, n=n, batch=o.batch, real=True).reshape(o.batch, kept, 2)
        place = xp.arange(kept, dtype=xp.int32, device=input.device).reshape(1, kept, 1)
        twice = (place > 0) & (place * 2 < n)
        return {"input": (found * xp.where(twice, found * 0 + 2 * factor, factor)).reshape(input.shape)}
    given = cotangent.reshape(o.batch, kept, 2)
    if n > kept:
        given = xp.concat([given, given[:, : n - kept] * 0], axis=1)
    found = xp.apply("FFT", input=given, n=n, batch=o.batch, inverse=True).reshape(o.batch, n, 2)
    return {"input": (found[:, :, 0] * n).reshape(input.shape)}


RULES = {
    "Softmax": _softmax,
    "LogSoftmax": _log_softmax,
    "LayerNorm": _layer_norm,
    "RMSNorm": _rms_norm,
    "GroupNorm": _group_norm,
    "InstanceNorm": _instance_norm,
    "BatchNorm": _batch_norm,
    "LayerScale": _layer_scale,
    "CumSum": _cum_sum,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "Scatter": _scatter,
    "Sort": _sort,
    "TopK": _top_k,
    "Copy": _copy,
    "Transpose": _transpose,
    "Concat": _concat,
    "Pad": _pad,
    "Slice": _slice,
    "AllGather": _copy,
    "KVCacheUpdate": _kv_cache_update,
    "Conv2D": _conv2d,
    "ConvTranspose2D": _conv_transpose2d,
    "MaxPool2D": _max_pool2d,
    "AvgPool2D": _avg_pool2d,
    "Resize2D": _resize2d,
    "GEMM": _gemm,
    "SparseGEMM": _sparse_gemm,
    "TensorContract": _tensor_contract,
    "BatchedGEMM": _gemm,
    "MixedPrecisionGEMM": _gemm,
    "Attention": _attention,
    "FlashAttention": _attention,
    "RoPE": _rope,
    "FFT": _fft,
}
