"""The operations of `hg.ops` (ops.py), by their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import pairwise, zip_longest
from typing import Any

from ..errors import LaunchError
from ..isa.types import Type
from ..runtime.executor import Buffer, Executor
from . import creation, fft, functions, linalg, sets
from .applied import apply
from .array import Array, array_of, mapped, reduced
from .fitting import HEADS, IMAGES, check_attention, check_cache, check_widths, check_window, images, lengths, rows_of
from .library_nodes import tensor
from .node import in_order, misfit, misshapen
from .run import realize
from .sizes import is_known
from .summed import einsum
from .types import kind_of

__all__ = ["OPERATIONS"]

_Function = Callable[..., Any]


def _array(value: Any, beside: Any = None) -> Array:
    found = next((each for each in (value, beside) if isinstance(each, (Array, Buffer))), None)
    return array_of(value, creation.default_executor() if found is None else found.executor)


def written(found: Array, out: Buffer) -> Buffer:
    """Writes an array into a buffer, which may be one that it is computed from."""
    if not isinstance(out, Buffer) or (out.shape, out.dtype, out.executor) != (
        found.shape,
        found.dtype,
        found.executor,
    ):
        raise LaunchError(f"out is a Buffer of shape {found.shape} and {found.dtype} here, not {out!r}")
    if any(node.held is out for node in in_order([found.node])):
        found.realize()
    realize([_copied(found).node], found.executor, into=out)
    return out


def _copied(x: Array) -> Array:
    """An expression of the same elements that is no view, and so gets memory of its own."""
    return mapped("where", True, x, x) if x.node.op in ("source", "view", "scalar", "complex", "count") else x


def _front(out: Buffer, found: Array) -> Buffer:
    """Writes the first elements of a buffer; the others stay."""
    whole = array_of(out, found.executor).ravel()
    if found.size > whole.size:
        raise LaunchError(f"{found.size} elements do not fit into {out!r}")
    made = found.ravel().astype(out.dtype)
    if found.size < whole.size:
        made = functions.concat([made, whole[found.size :]])
    return written(made.reshape(out.shape), out)


def _named(name: str, made: _Function) -> _Function:
    """The function for Buffers, with `out`, and as f(ex, operands, result, n), on the first n elements."""

    @wraps(made)
    def call(*given: Any, out: Buffer | None = None, **options: Any) -> Any:
        first = next((each for each in given if isinstance(each, (Array, Buffer))), None)
        options = {key: _array(each, first) if _is_array(each) else each for key, each in options.items()}
        if given and isinstance(given[0], Executor):
            *before, result, n = given[1:]
            operands = [_array(each, result).ravel()[:n] if _is_array(each) else each for each in before]
            return _front(result, made(*operands, **options))
        found = made(*(_array(each, first) if _is_array(each) else each for each in given), **options)
        return found if out is None else written(found, out)

    call.__name__ = call.__qualname__ = name
    return call


def _is_array(value: Any) -> bool:
    return isinstance(value, (Array, Buffer)) or hasattr(value, "__array__")


def _map(name: str) -> _Function:
    return lambda *given: mapped(name, *given)


_MAPS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "mod": "remainder", "pow": "power",
    "neg": "negative", "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
} | {name: name for name in (
    "abs", "exp", "log", "log2", "log10", "sqrt", "rsqrt", "sin", "cos", "tan", "atan2", "tanh", "sigmoid", "relu",
    "gelu", "floor", "ceil", "round", "trunc", "logical_and", "logical_or", "logical_xor", "logical_not", "where",
)}  # fmt: skip

# Functions of the standard's namespace, some by shorter names.
_FUNCTIONS = {
    name: getattr(functions, long)
    for name, long in {
        "sign": "sign", "clip": "clip", "sum": "sum", "prod": "prod", "mean": "mean", "var": "var", "argmin": "argmin",
        "argmax": "argmax", "any": "any", "all": "all", "cumsum": "cumulative_sum", "softmax": "softmax",
        "log_softmax": "log_softmax", "matmul": "matmul", "tensordot": "tensordot", "reshape": "reshape",
        "permute": "permute_dims", "concat": "concat", "stack": "stack", "gather": "take", "sort": "sort",
    }.items()
} | {
    "einsum": einsum, "fft": fft.fft, "ifft": fft.ifft, "rfft": fft.rfft, "irfft": fft.irfft, "outer": linalg.outer,
    "unique": sets.unique_values,
}  # fmt: skip


def _least(name: str) -> _Function:
    def call(x: Array, y: Any = None, /, *, axis: Any = None, keepdims: bool = False) -> Array:
        return reduced(name, x, axis, keepdims) if y is None else mapped(f"{name}imum", x, y)

    call.__doc__ = f"The {name} of two arrays, element by element; of one along axes."
    return call


def silu(x: Array) -> Array:
    """x * sigmoid(x)."""
    return x * mapped("sigmoid", x)


def softplus(x: Array) -> Array:
    """log(1 + exp(x))."""
    return mapped("add", mapped("maximum", x, 0.0), mapped("log1p", mapped("exp", -abs(x))))


def leaky_relu(x: Array, slope: float = 0.01) -> Array:
    """x, or slope * x below 0."""
    return mapped("where", x > 0, x, x * slope)


def elu(x: Array, alpha: float = 1.0) -> Array:
    """x, or alpha * (exp(x) - 1) below 0."""
    return mapped("where", x > 0, x, mapped("expm1", x) * alpha)


def selu(x: Array) -> Array:
    """`elu` with the numbers that keep mean and variance."""
    return elu(x, 1.6732632423543772) * 1.0507009873554805


def lerp(a: Array, b: Any, t: Any) -> Array:
    """a + (b - a) * t."""
    return mapped("add", a, (b - a) * t)


# Norms


def layer_norm(x: Array, gamma: Array, beta: Array, eps: float = 1e-5) -> Array:
    """Rows with mean 0 and variance 1, times gamma, plus beta."""
    n = rows_of("layer_norm", x, gamma=gamma, beta=beta)
    return apply("LayerNorm", input=x, gamma=gamma, beta=beta, rows=x.size // max(n, 1), n=n, eps=eps).reshape(x.shape)


def rms_norm(x: Array, gamma: Array, eps: float = 1e-5) -> Array:
    """Rows by their root mean square, times gamma."""
    n = rows_of("rms_norm", x, gamma=gamma)
    return apply("RMSNorm", input=x, gamma=gamma, rows=x.size // max(n, 1), n=n, eps=eps).reshape(x.shape)


def batch_norm(x: Array, gamma: Array, beta: Array, mean: Array, variance: Array, eps: float = 1e-5) -> Array:
    """Channels with mean and variance that are given."""
    given = {"gamma": gamma, "beta": beta, "mean": mean, "variance": variance}
    return apply("BatchNorm", input=x, **given, **images("batch_norm", x, **given), eps=eps).reshape(x.shape)


def group_norm(x: Array, gamma: Array, beta: Array, groups: int, eps: float = 1e-5) -> Array:
    """Groups of channels with mean 0 and variance 1."""
    sizes = images("group_norm", x, gamma=gamma, beta=beta)
    if groups < 1 or (is_known(sizes["channels"]) and sizes["channels"] % groups != 0):
        raise misfit("group_norm", "x", x.shape, 1, f"a multiple of groups, {groups}, is expected")
    return apply("GroupNorm", input=x, gamma=gamma, beta=beta, groups=groups, **sizes, eps=eps).reshape(x.shape)


def instance_norm(x: Array, gamma: Array, beta: Array, eps: float = 1e-5) -> Array:
    """Each channel of each image with mean 0 and variance 1."""
    given = {"gamma": gamma, "beta": beta}
    return apply("InstanceNorm", input=x, **given, **images("instance_norm", x, **given), eps=eps).reshape(x.shape)


# Losses


def mse_loss(x: Array, target: Any) -> Array:
    """The mean of squares of differences."""
    away = x - target
    return functions.mean(away * away)


def cross_entropy_loss(x: Array, target: Array, *, from_logits: bool = True, epsilon: float = 1e-12) -> Array:
    """The mean over rows, of logits or probabilities, and of the numbers of classes or their probabilities."""
    found = functions.log_softmax(x) if from_logits else mapped("log", functions.clip(x, epsilon, 1.0))
    wanted = one_hot(target, x.shape[-1], x.dtype) if kind_of(target.dtype) == "i" else target
    return mapped("negative", functions.mean((found * wanted).sum(axis=-1)))


def binary_cross_entropy_loss(x: Array, target: Array, *, from_logits: bool = False, epsilon: float = 1e-12) -> Array:
    """The mean over elements, of probabilities or logits, and of 0 or 1, or probabilities."""
    wanted = target.astype(x.dtype)
    if from_logits:
        return functions.mean(softplus(x) - x * wanted)
    least = max(epsilon, 2.0**-24)
    near, far = (mapped("log", mapped("maximum", each, least)) for each in (x, 1.0 - x))
    return -functions.mean(wanted * near + (1.0 - wanted) * far)


# Products and images


def dot(x: Array, y: Array) -> Array:
    """The sum of products of two vectors, or NumPy's matmul of others."""
    return x @ y


def _pair(value: int | Sequence[int]) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[1])


def _padded(padding: int | Sequence[int]) -> tuple[int, ...]:
    """Above, left, below, right."""
    if isinstance(padding, int):
        return (padding,) * 4
    return (*padding, *padding) if len(padding) == 2 else tuple(padding)


def _slid(
    name: str, x: Array, kernel: Array, channels: int, extent: Callable[..., int], around: Any, **given: Any
) -> Array:
    """A convolution of images; `extent` is a length of the result from (length, kernel, stride, dilation, padding)."""
    called, groups, bias = "conv2d" if around is None else "conv_transpose2d", given["groups"], given["bias"]
    n, c, h, w = lengths(called, x, IMAGES)
    _, _, kh, kw = lengths(called, kernel, "channels, channels, height, width", "kernel")
    wanted, why = (
        (kernel.shape[0], "") if around is not None else (kernel.shape[1] * groups, f" times groups, {groups}")
    )
    if c != wanted:
        like = f"axis {0 if around is not None else 1} of kernel {kernel.shape}{why}"
        raise misfit(called, "x", x.shape, 1, f"{wanted}, {like}, is expected")
    if groups < 1 or (is_known(kernel.shape[0]) and kernel.shape[0] % groups != 0):
        raise misfit(called, "kernel", kernel.shape, 0, f"a multiple of groups, {groups}, is expected")
    if isinstance(bias, Array) and bias.size != channels and is_known(channels):
        raise misshapen(called, "bias", bias.shape, f"{channels} elements, one of each channel made, are expected")
    stride, dilation, pad = _pair(given.pop("stride")), _pair(given.pop("dilation")), _padded(given.pop("padding"))
    further = {} if around is None else {"output_padding": _pair(around)}
    sides = list(zip((h, w), (kh, kw), stride, dilation, (pad[0] + pad[2], pad[1] + pad[3]), strict=True))
    for axis, (_, *window) in enumerate(sides, 2):
        if around is None:
            check_window(called, x, axis, *window)
    made = apply(
        name, input=x, kernel=kernel, batch=n, in_channels=c, out_channels=channels, height=h, width=w, kernel_h=kh,
        kernel_w=kw, stride=stride, padding=pad, dilation=dilation, **further, **given,
    )  # fmt: skip
    last = further.get("output_padding", (0, 0))
    return made.reshape(n, channels, *(extent(*side) + more for side, more in zip(sides, last, strict=True)))


def conv2d(
    x: Array, kernel: Array, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: Any = None
) -> Array:
    """The cross-correlation of images (NCHW) and kernels (OIHW)."""
    return _slid(
        "Conv2D", x, kernel, kernel.shape[0], lambda n, k, s, d, p: (n + p - d * (k - 1) - 1) // s + 1, None,
        stride=stride, padding=padding, dilation=dilation, groups=groups, bias=bias,
    )  # fmt: skip


def conv_transpose2d(
    x: Array, kernel: Array, *, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, dilation: Any = 1,
    groups: int = 1, bias: Any = None,
) -> Array:  # fmt: skip
    """What the gradient of `conv2d` does with images (NCHW): kernels (IOHW) are added at every place of an image. In
    groups the kernels are of one group's results. `output_padding` are rows and columns more at the end."""
    return _slid(
        "ConvTranspose2D", x, kernel, kernel.shape[1] * groups,
        lambda n, k, s, d, p: (n - 1) * s + d * (k - 1) + 1 - p, output_padding,
        stride=stride, padding=padding, dilation=dilation, groups=groups, bias=bias,
    )  # fmt: skip


def _pooled(name: str, called: str) -> _Function:
    def call(x: Array, size: Any, *, stride: Any = None, padding: Any = 0) -> Array:
        n, c, h, w = lengths(called, x, IMAGES)
        (kh, kw), pad = _pair(size), _padded(padding)
        sh, sw = _pair(size if stride is None else stride)
        check_window(called, x, 2, kh, sh, 1, pad[0] + pad[2])
        check_window(called, x, 3, kw, sw, 1, pad[1] + pad[3])
        made = apply(
            name,
            input=x,
            batch=n,
            channels=c,
            height=h,
            width=w,
            kernel_h=kh,
            kernel_w=kw,
            stride=(sh, sw),
            padding=pad,
        )
        return made.reshape(n, c, (h + pad[0] + pad[2] - kh) // sh + 1, (w + pad[1] + pad[3] - kw) // sw + 1)

    call.__doc__ = f"{name} of images (NCHW), in windows of a size."
    return call


def upsample2d(x: Array, size: tuple[int, int], *, linear: bool = True, align_corners: bool = False) -> Array:
    """Images (NCHW) of another size, bilinear or nearest."""
    n, c, h, w = lengths("upsample2d", x, IMAGES)
    given = {"batch": n, "channels": c, "height": h, "width": w, "out_height": size[0], "out_width": size[1]}
    return apply("Resize2D", input=x, **given, linear=linear, align_corners=align_corners).reshape(n, c, *size)


def _attention(name: str, called: str) -> _Function:
    def call(
        query: Array, key: Array, value: Array, *, mask: Any = None, causal: bool = False, scale: Any = None
    ) -> Array:
        b, h, s, d = lengths(called, query, HEADS, "query")
        check_attention(called, query, key, value, mask)
        given = {"batch": b, "heads": h, "seq_len": s, "kv_len": key.shape[2], "head_dim": d, "causal": causal}
        given |= {} if mask is None else {"mask": mask}
        given |= {} if scale is None else {"scale": scale}
        return apply(name, query=query, key=key, value=value, **given).reshape(query.shape)

    call.__doc__ = "softmax(q @ k^T * scale + mask) @ v, of arrays of batch, heads, positions, and size of a head."
    return call


def rope(x: Array, freqs: Array, *, interleaved: bool = False) -> Array:
    """Rows of (batch, positions, heads, size of a head) with their pairs turned by angles (positions, half of the
    size): element j and the one half a row behind it are a pair, or with `interleaved`, neighbours."""
    b, s, h, d = lengths("rope", x, "batch, positions, heads, size")
    given = {"batch": b, "seq_len": s, "heads": h, "head_dim": d, "interleaved": interleaved}
    if freqs.shape != (s, d // 2):
        wanted = f"{(s, d // 2)}, an angle for each pair of x {x.shape}, is expected"
        raise misshapen("rope", "freqs", freqs.shape, wanted)
    return apply("RoPE", input=x, freqs=freqs, **given).reshape(x.shape)


def kv_cache_update(cache: Array, new: Array, position: int) -> Array:
    """A cache (batch, heads, positions, size of a head) with new keys or values from a position on: those of one
    position (batch, heads, size) or of several. With `out` the cache itself, it is written in place."""
    rows = new.expand_dims(2) if new.ndim == 3 else new
    check_cache("kv_cache_update", cache, new, rows, position)
    last = position + rows.shape[2]
    found = Array(cache.node, cache.executor)
    found[:, :, position:last] = rows
    return found


# Products of matrices that are stored in other forms


def sparse_matmul(values: Array, indices: Array, ptr: Array, x: Array) -> Array:
    """The product of a matrix in compressed sparse rows (as `scipy.sparse.csr_matrix` has data, indices and indptr)
    and a matrix. A column that is none of the rows of x is a fault."""
    k, n = lengths("sparse_matmul", x, "rows, columns")
    if values.size != indices.size:
        wanted = f"{values.size} elements, as in values, are expected"
        raise misshapen("sparse_matmul", "indices", indices.shape, wanted)
    if ptr.size == 0:
        raise misshapen("sparse_matmul", "ptr", ptr.shape, "an element for each row and one more are expected")
    m = ptr.size - 1
    indices, ptr = (each.astype(Type.U32) for each in (indices, ptr))
    return apply("SparseGEMM", a_values=values, a_indices=indices, a_ptr=ptr, b=x, m=m, n=n, k=k).reshape(m, n)


def quantized_matmul(
    a: Array, b: Array, a_scale: Any, b_scale: Any, *, a_zero: Any = None, b_zero: Any = None, bias: Any = None,
    bits: int = 8,
) -> Array:  # fmt: skip
    """The product of (a - a_zero) * a_scale and (b - b_zero) * b_scale, of bytes, in F32 (plus bias): sums are exact.
    Scale and zero of b are numbers, or one of each column. With 4 bits, a byte of b holds two columns, the first one
    in its low half."""
    name, axes = "quantized_matmul", "rows, columns"
    (m, k), (rows, n) = (lengths(name, array, axes, key) for key, array in (("a", a), ("b", b)))
    if rows != k and is_known(rows) and is_known(k):
        raise misfit(name, "b", b.shape, 0, f"{k}, as axis 1 of a {a.shape}, is expected")
    n = n * 8 // bits
    for key, value, wanted in (
        ("a_scale", a_scale, 1), ("b_scale", b_scale, n), ("a_zero", a_zero, 1), ("b_zero", b_zero, n),
        ("bias", bias, n),
    ):  # fmt: skip
        if isinstance(value, Array) and value.size not in (1, wanted) and is_known(n):
            several = f"1 element{f', or {n}, one of each column' if wanted != 1 else ''}"
            raise misshapen(name, key, value.shape, f"{several}, is expected")
    each = n if any(isinstance(value, Array) and value.size != 1 for value in (b_scale, b_zero)) else 1

    def of(value: Any, count: int, ty: Type) -> Any:
        return None if value is None else functions.broadcast_to(_array(value, a).astype(ty).ravel(), (count,))

    return apply(
        "QuantizedGEMM", a=a, b=b, m=m, n=n, k=k, a_scale=of(a_scale, 1, Type.F32), b_scale=of(b_scale, each, Type.F32),
        a_zero=of(a_zero, 1, Type.I32), b_zero=of(b_zero, each, Type.I32), bias=of(bias, n, Type.F32), bits=bits,
        per_channel=each != 1,
    ).reshape(m, n)  # fmt: skip


# Arrangement


def copy(x: Array) -> Array:
    """The elements, in memory of their own."""
    return _copied(x)


def fill(x: Array, value: complex) -> Array:
    """One number in every element, in the shape of x."""
    return creation.full_like(x, value)


def transpose(x: Array, axes: Sequence[int] | None = None) -> Array:
    """The axes in another order, by default in reverse."""
    return x.transpose(axes)


def split(x: Array, parts: int | Sequence[int], axis: int = 0) -> list[Array]:
    """So many parts of the same length along an axis, or parts that begin at numbers."""
    at = x._axis(axis)
    if isinstance(parts, int):
        if x.shape[at] % parts:
            raise misfit("split", "x", x.shape, at, f"a multiple of {parts} is expected")
        parts = range(x.shape[at] // parts, x.shape[at], x.shape[at] // parts) if x.shape[at] else [0] * (parts - 1)
    ends = [0, *parts, x.shape[at]]
    return [x[(slice(None),) * at + (slice(a, b),)] for a, b in pairwise(ends)]


def slice_(x: Array, start: Sequence[int], stop: Sequence[int], step: Sequence[int] | None = None) -> Array:
    """From numbers to numbers along each axis."""
    step = step or (1,) * len(start)
    if not len(start) == len(stop) == len(step) <= x.ndim:
        wanted = f"starts, stops and steps of its first axes are expected, not {start, stop, step}"
        raise misshapen("slice", "x", x.shape, wanted)
    return x[tuple(slice(a, b, c) for a, b, c in zip(start, stop, step, strict=True))]


def scatter(x: Array, indices: Array, values: Any) -> Array:
    """x with other rows at numbers."""
    found = Array(x.node, x.executor)
    if isinstance(values, Array) and isinstance(indices, Array) and kind_of(indices.dtype) == "i":
        whole, mine = (*indices.shape, *x.shape[1:])[::-1], values.shape[::-1]
        if any(n not in (1, m) for n, m in zip_longest(mine, whole[: len(mine)], fillvalue=1)):
            wanted = f"{whole[::-1]}, rows of x {x.shape} at indices {indices.shape}, is expected"
            raise misshapen("scatter", "values", values.shape, wanted)
    found[indices] = values
    return found


def pad(x: Array, widths: Sequence[tuple[int, int]], value: float = 0.0) -> Array:
    """With so many elements of a value before and behind each axis."""
    check_widths(x, widths, "widths")
    shape = [before + n + behind for (before, behind), n in zip(widths, x.shape, strict=True)]
    found = creation.full(shape, value, dtype=x.dtype, device=x.executor)
    found[tuple(slice(before, before + n) for (before, _), n in zip(widths, x.shape, strict=True))] = x
    return found


def one_hot(indices: Array, classes: int, dtype: Any = Type.F32) -> Array:
    """Rows with a 1 at a number; of a number that is none of the classes a row of zeros."""
    return (indices.expand_dims(-1) == creation.arange(classes, dtype=indices.dtype, device=indices.executor)).astype(
        dtype
    )


def embedding(table: Array, indices: Array) -> Array:
    """Rows of a table by their numbers."""
    return table.take(indices, axis=0)


def topk(x: Array, k: int, *, largest: bool = True) -> tuple[Array, Array]:
    """The k greatest along the last axis, or least, and where they are."""
    if not x.ndim:
        raise misshapen("topk", "x", x.shape, "an axis at least is expected")
    n, shape = x.shape[-1], (*x.shape[:-1], k)
    if is_known(k) and is_known(n) and not 0 <= k <= n:
        raise misfit("topk", "x", x.shape, -1, f"k is {k}: 0 to that many are expected")
    given = {"input": x, "outer": x.size // max(n, 1), "n": n, "k": k, "largest": largest}
    return apply("TopK", **given).reshape(shape), apply("TopK", "indices", **given).reshape(shape)


def histogram(x: Array, bins: int = 10, range: tuple[float, float] | None = None) -> tuple[Array, Array]:
    """How many elements are in each of the bins from the least to the greatest, or of a range, and their edges."""
    flat = x.ravel().astype(functions.result_type(x.dtype, Type.F32))
    low, high = (functions.min(flat), functions.max(flat)) if range is None else map(float, range)
    if range is None:
        same = low == high
        low, high = mapped("where", same, low - 0.5, low), mapped("where", same, high + 0.5, high)
    parts = creation.arange(bins + 1, dtype=flat.dtype, device=x.executor) / bins
    edges = mapped("where", parts == 1, high, parts * (high - low) + low)
    ordered = functions.sort(flat)
    last = sets.searchsorted(ordered, edges[-1:], side="right")
    places = functions.concat([sets.searchsorted(ordered, edges[:-1]), last], axis=0)
    return places[1:] - places[:-1], edges


def random(
    shape: Sequence[int], *, seed: int, offset: int = 0, normal: bool = False, dtype: Any = Type.F32, device: Any = None
) -> Array:
    """Numbers from 0 to 1, or normal ones, by Philox: the same bits on every device. `offset` is how many of the seed's
    numbers were taken before."""
    executor = device or creation.default_executor()
    numbers = (("count", math.prod(shape)), ("seed", seed), ("offset", offset), ("normal", normal))
    return Array(tensor("Random", "output", dtype, tuple(shape), numbers), executor)


# Classic forms of their own


def gemm(ex: Executor, a: Any, b: Any, c: Buffer, m: int, n: int, k: int) -> Buffer:
    """c[m, n] = a[m, k] @ b[k, n]."""
    left, right = (array_of(each, ex).ravel() for each in (a, b))
    return _front(c, left[: m * k].reshape(m, k) @ right[: k * n].reshape(k, n))


def matvec(*given: Any) -> Any:
    """The product of a matrix and a vector; with an executor, matvec(ex, a, x, y, m, n): y[m] = a[m, n] @ x[n]."""
    if isinstance(given[0], Executor):
        ex, a, x, y, m, n = given
        return _front(y, array_of(a, ex).ravel()[: m * n].reshape(m, n) @ array_of(x, ex).ravel()[:n])
    matrix, vector = (_array(each, given[0]) for each in given)
    if (matrix.ndim, vector.ndim) != (2, 1):
        name, axes, array = ("matrix", "rows, columns", matrix) if matrix.ndim != 2 else ("vector", "columns", vector)
        raise misshapen("matvec", name, array.shape, f"the axes ({axes}) are expected")
    return matrix @ vector


_OWN = (
    silu, softplus, leaky_relu, elu, selu, lerp, layer_norm, rms_norm, batch_norm, group_norm, instance_norm, mse_loss,
    cross_entropy_loss, binary_cross_entropy_loss, dot, conv2d, conv_transpose2d, upsample2d, rope, kv_cache_update,
    sparse_matmul, quantized_matmul, copy, fill, transpose, scatter, pad,
    one_hot, embedding, slice_, split, topk, histogram,
)  # fmt: skip
OPERATIONS: dict[str, _Function] = {
    **{name: _named(name, _map(long)) for name, long in _MAPS.items()},
    **{name: _named(name, made) for name, made in _FUNCTIONS.items()},
    **{made.__name__.rstrip("_"): _named(made.__name__.rstrip("_"), made) for made in _OWN},
    **{name: _named(name, _least(name)) for name in ("min", "max")},
    **{
        name: _named(name, _pooled(row, name))
        for name, row in (("max_pool2d", "MaxPool2D"), ("avg_pool2d", "AvgPool2D"))
    },
    **{
        name: _named(name, _attention(row, name))
        for name, row in (("attention", "Attention"), ("flash_attention", "FlashAttention"))
    },
    "random": random,
    "gemm": gemm,
    "matvec": matvec,
}
_CLASSIC = {f"vector_{name}": name for name in ("add", "sub", "mul", "div", "min", "max", "abs", "neg", "relu", "clip")}
_CLASSIC |= {"scalar_add": "add", "scalar_mul": "mul"} | {f"reduce_{name}": name for name in ("sum", "min", "max")}
OPERATIONS |= {name: OPERATIONS[other] for name, other in _CLASSIC.items()}
