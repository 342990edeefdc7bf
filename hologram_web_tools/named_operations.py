"""The operations that JavaScript calls by their names: one table, of which files, types and documentation are made.

Whatever is of each element comes from the enumerations of the instruction table; others are a line each: instructions
over their arrays, a kernel, an expression of element i, or a function of Arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hologram_web.isa import BinaryMapOperation, MapOperation, Type

__all__ = ["OPERATIONS", "NamedOperation"]

_F32, _I32, _U32 = Type.F32, Type.I32, Type.U32


class NamedOperation(NamedTuple):
    """`code` are instructions over the arrays, with the sizes of their shapes as scalars; or the text of a kernel,
    after `def`; or after `=` what element i of the result is; or a function of Arrays. `.f32` and `hg.f32` in it stand
    for the type, of `dtypes`.

    `options` are numbers of a call: with a default of their kind, or the type of one that has to be given; a default
    that is a float is of the operation's type. `results` are the arrays that are written, `counts` other numbers of the
    instructions. Arrays have the operation's type, or the one that `types` says. Where the axes are `outer`, one,
    `inner`, a call may say which that one is.
    """

    code: str | Callable[..., Any]
    shapes: Mapping[str, tuple[str, ...]]
    text: str
    options: Mapping[str, float | int | Type] = {}
    types: Mapping[str, Type] = {}
    dtypes: tuple[Type, ...] = (_F32,)
    results: tuple[str, ...] = ("out",)
    counts: Mapping[str, str] = {}


_BOTH, _ALL = (_F32, _I32), (_F32, _I32, Type.F16)
_ONE = {"x": ("n",), "out": ("n",)}
_TWO = {"a": ("n",), "b": ("n",), "out": ("n",)}
_THREE = {"condition": ("n",), **_TWO}
_ROWS = {"x": ("rows", "n"), "out": ("rows", "n")}
_EACH = {"x": ("rows", "n"), "out": ("rows",)}
_ALONG = ("outer", "n", "inner")
_WHOLE = {"whole": "outer * n * inner"}
_PLACES = {"out": _I32}
_IMAGE = ("batch", "channels", "h", "w")
_HALF = {"x": _IMAGE, "out": ("batch", "channels", "h // 2", "w // 2")}
_OTHER = {"x": _IMAGE, "out": ("batch", "channels", "height", "width")}
_POINTS = ("batch", "channels", "spatial")
_SCALES = {"gamma": ("channels",), "beta": ("channels",)}
_COMPLEX = {"x": ("rows", "n", "2"), "out": ("rows", "n", "2")}
_HALF_SPECTRUM = ("rows", "n // 2 + 1", "2")
_DRAWN = {"out": ("count",)}
_DRAW = "random.f32 [out], count, seed, offset=offset"
_SEEDED: dict[str, float | int | Type] = {"count": _U32, "seed": _U32, "offset": 0}
_TURNED = {"x": ("batch", "positions", "heads", "d"), "angles": ("positions", "d // 2")}
_TURNED |= {"out": _TURNED["x"]}
_WINDOW = "[out], [x], batch, channels, h, w, 2, 2, stride=(2, 2)"
_KERNEL = ("filters", "channels", "kh", "kw")
_BACK = {"x": ("batch", "filters", "h", "w"), "weight": _KERNEL}
_ATTENTION = {
    "q": ("batch", "heads", "queries", "d"),
    "k": ("batch", "heads", "keys", "d"),
    "v": ("batch", "heads", "keys", "d"),
    "out": ("batch", "heads", "queries", "d"),
}
_ATTEND = "attention.f32 [out], [q], [k], [v], batch, heads, queries, keys, d"
_INTEGERS = ("And", "Or", "Xor", "Not")  # of bits
_ALSO_INTEGERS = ("Abs", "Neg", "Sign", "Relu", "Add", "Sub", "Mul", "Div", "Min", "Max", "Rem")

# A lane for each element of the result; the lengths of the arrays are known to the kernels.
_LANES = """
    i, j, o = hg.global_id(0), hg.global_id(1), hg.global_id(2)
    if i < out.shape[2] and j < out.shape[1] and o < out.shape[0]:
"""
_KERNELS = {
    "slice": f"""(out: hg.Array[hg.f32, 3], x: hg.Array[hg.f32, 3], start: hg.i32, step: hg.i32):{_LANES}
        out[o, j, i] = x[o, start + j * step, i]
""",
    "pad": f"""(out: hg.Array[hg.f32, 3], x: hg.Array[hg.f32, 3], before: hg.i32, value: hg.f32):{_LANES}
        if j >= before and j - before < x.shape[1]:
            out[o, j, i] = x[o, j - before, i]
        else:
            out[o, j, i] = value
""",
    "flip": f"""(out: hg.Array[hg.f32, 3], x: hg.Array[hg.f32, 3]):{_LANES}
        out[o, j, i] = x[o, x.shape[1] - 1 - j, i]
""",
}


def _map(name: str) -> NamedOperation:
    key, types = name.lower(), _BOTH if name in _ALSO_INTEGERS else (_I32,) if name in _INTEGERS else (_F32,)
    return NamedOperation(f"parallel_map.{key}.f32 [out], [x], n", _ONE, f"{key} of each element", dtypes=types)


def _pair(name: str) -> NamedOperation:
    key, types = name.lower(), _BOTH if name in _ALSO_INTEGERS else (_I32,) if name in _INTEGERS else (_F32,)
    code = f"parallel_map_binary.{key}.f32 [out], [a], [b], n"
    return NamedOperation(code, _TWO, f"{key}, element by element", dtypes=types)


def _element(
    code: str, text: str, options: Mapping[str, float | int | Type] = {}, dtypes: tuple[Type, ...] = (_F32,)
) -> NamedOperation:
    return NamedOperation(f"= {code}", _ONE, text, options, dtypes=dtypes)


def _compared(sign: str, text: str) -> NamedOperation:
    code = f"= hg.i32(1) if a[i] {sign} b[i] else hg.i32(0)"
    return NamedOperation(code, _TWO, f"1 where a is {text} b, else 0", types=_PLACES, dtypes=_BOTH)


def _reduced(work: Callable[..., Any], text: str, dtypes: tuple[Type, ...] = _BOTH) -> NamedOperation:
    return NamedOperation(work, _EACH, text, dtypes=dtypes)


def _scattered(how: str, about: str) -> NamedOperation:
    return NamedOperation(
        f"copy.f32 [out], [x], whole\n    scatter.f32 [out], [parts], [indices], outer, n, inner, count{how}",
        {"x": _ALONG, "parts": ("outer", "count", "inner"), "indices": ("count",), "out": _ALONG},
        about,
        types={"indices": _I32},
        dtypes=_BOTH,
        counts=_WHOLE,
    )


OPERATIONS: dict[str, NamedOperation] = {
    **{each.name.lower(): _map(each.name) for each in MapOperation},
    **{each.name.lower(): _pair(each.name) for each in BinaryMapOperation},
    "equal": _compared("==", "equal to"),
    "not_equal": _compared("!=", "other than"),
    "less": _compared("<", "less than"),
    "less_equal": _compared("<=", "at most"),
    "greater": _compared(">", "greater than"),
    "greater_equal": _compared(">=", "at least"),
    "where": NamedOperation(
        "= a[i] if condition[i] != 0 else b[i]",
        _THREE,
        "a where the condition is not 0, else b",
        types={"condition": _I32},
        dtypes=_BOTH,
    ),
    "clip": NamedOperation(
        "= min(max(x[i], low), high)",
        _ONE,
        "each element within low and high",
        {"low": 0.0, "high": 1.0},
        dtypes=_BOTH,
    ),
    "leaky_relu": _element("x[i] if x[i] > 0 else x[i] * slope", "x, or slope times x below 0", {"slope": 0.01}),
    "elu": _element("x[i] if x[i] > 0 else alpha * (hg.exp(x[i]) - 1)", "x, or alpha (exp(x) - 1)", {"alpha": 1.0}),
    "softplus": _element("max(x[i], 0) + hg.log(1 + hg.exp(-abs(x[i])))", "log(1 + exp(x)) of each element"),
    "lerp": NamedOperation("= a[i] + (b[i] - a[i]) * t", _TWO, "a + (b - a) t", {"t": 0.5}),
    **{
        f"to_{ty}": NamedOperation(f"= hg.{ty}(x[i])", _ONE, f"each element as {ty}", types={"out": ty}, dtypes=_ALL)
        for ty in _ALL
    },
    "matmul": NamedOperation(
        "gemm.f32 [out], [a], [b], m, n, k",
        {"a": ("m", "k"), "b": ("k", "n"), "out": ("m", "n")},
        "the product of two matrices; axes in front of the last are rows of a",
        dtypes=_ALL,
    ),
    "linear": NamedOperation(
        "gemm.f32 [out], [x], [weight], rows, n, k, trans_b=true, bias=[bias]",
        {"x": ("rows", "k"), "weight": ("n", "k"), "bias": ("n",), "out": ("rows", "n")},
        "x times weight transposed, plus bias",
    ),
    "batch_matmul": NamedOperation(
        "batched_gemm.f32 [out], [a], [b], batch, m, n, k",
        {"a": ("batch", "m", "k"), "b": ("batch", "k", "n"), "out": ("batch", "m", "n")},
        "products of as many matrices",
    ),
    "softmax": NamedOperation("softmax.f32 [out], [x], rows, n", _ROWS, "softmax along the last axis"),
    "log_softmax": NamedOperation("log_softmax.f32 [out], [x], rows, n", _ROWS, "its logarithm"),
    "layer_norm": NamedOperation(
        "layer_norm.f32 [out], [x], [gamma], [beta], rows, n, eps=eps",
        {"x": ("rows", "n"), "gamma": ("n",), "beta": ("n",), "out": ("rows", "n")},
        "rows along the last axis with mean 0 and variance 1, scaled and shifted",
        {"eps": 1e-5},
    ),
    "rms_norm": NamedOperation(
        "rms_norm.f32 [out], [x], [gamma], rows, n, eps=eps",
        {"x": ("rows", "n"), "gamma": ("n",), "out": ("rows", "n")},
        "rows along the last axis by their root mean square, scaled",
        {"eps": 1e-5},
    ),
    "layer_scale": NamedOperation(
        "layer_scale.f32 [out], [x], [scale], rows, n",
        {"x": ("rows", "n"), "scale": ("n",), "out": ("rows", "n")},
        "rows along the last axis times a vector",
    ),
    "batch_norm": NamedOperation(
        "batch_norm.f32 [out], [x], [gamma], [beta], [mean], [variance], batch, channels, spatial, eps=eps",
        {"x": _POINTS, **_SCALES, "mean": ("channels",), "variance": ("channels",), "out": _POINTS},
        "channels (axis 1) with the given mean and variance, scaled and shifted",
        {"eps": 1e-5},
    ),
    "group_norm": NamedOperation(
        "group_norm.f32 [out], [x], [gamma], [beta], batch, channels, groups, spatial, eps=eps",
        {"x": _POINTS, **_SCALES, "out": _POINTS},
        "so many groups of channels of each image with mean 0 and variance 1, scaled and shifted",
        {"groups": _U32, "eps": 1e-5},
    ),
    "instance_norm": NamedOperation(
        "instance_norm.f32 [out], [x], [gamma], [beta], batch, channels, spatial, eps=eps",
        {"x": _POINTS, **_SCALES, "out": _POINTS},
        "each channel of each image with mean 0 and variance 1, scaled and shifted",
        {"eps": 1e-5},
    ),
    "conv2d": NamedOperation(
        "conv2d.f32 [out], [x], [weight], batch, channels, filters, h, w, kh, kw",
        {"x": _IMAGE, "weight": _KERNEL, "out": ("batch", "filters", "h - kh + 1", "w - kw + 1")},
        "NCHW and OIHW, where the kernel lies within the image",
    ),
    "conv2d_same": NamedOperation(
        "conv2d.f32 [out], [x], [weight], batch, channels, filters, h, w, 3, 3, padding=(1, 1, 1, 1)",
        {"x": _IMAGE, "weight": ("filters", "channels", "3", "3"), "out": ("batch", "filters", "h", "w")},
        "3 x 3 with zeros around: as large as x",
    ),
    "conv2d_half": NamedOperation(
        "conv2d.f32 [out], [x], [weight], batch, channels, filters, h, w, 3, 3, stride=(2, 2), padding=(1, 1, 1, 1)",
        {
            "x": _IMAGE,
            "weight": ("filters", "channels", "3", "3"),
            "out": ("batch", "filters", "(h + 1) // 2", "(w + 1) // 2"),
        },
        "3 x 3 with zeros around, at every other row and column",
    ),
    "conv_transpose2d": NamedOperation(
        "conv_transpose2d.f32 [out], [x], [weight], batch, filters, channels, h, w, kh, kw",
        {**_BACK, "out": ("batch", "channels", "h + kh - 1", "w + kw - 1")},
        "the transposed convolution: each element of x spreads a kernel",
    ),
    "conv_transpose2d_twice": NamedOperation(
        "conv_transpose2d.f32 [out], [x], [weight], batch, filters, channels, h, w, kh, kw, stride=(2, 2)",
        {**_BACK, "out": ("batch", "channels", "(h - 1) * 2 + kh", "(w - 1) * 2 + kw")},
        "the transposed convolution whose kernels lie two rows and columns apart",
    ),
    "max_pool2d": NamedOperation(f"max_pool2d.f32 {_WINDOW}", _HALF, "the greatest of 2 x 2, NCHW"),
    "avg_pool2d": NamedOperation(f"avg_pool2d.f32 {_WINDOW}", _HALF, "the mean of 2 x 2, NCHW"),
    "resize2d": NamedOperation(
        "resize2d.f32 [out], [x], batch, channels, h, w, height, width",
        _OTHER,
        "images of another size, linearly between pixels",
        {"height": _U32, "width": _U32},
    ),
    "resize2d_nearest": NamedOperation(
        "resize2d.f32 [out], [x], batch, channels, h, w, height, width, linear=false",
        _OTHER,
        "images of another size, of the nearest pixels",
        {"height": _U32, "width": _U32},
    ),
    "attention": NamedOperation(_ATTEND, _ATTENTION, "softmax(q k^T / sqrt(d)) v for each batch and head"),
    "causal_attention": NamedOperation(f"{_ATTEND}, causal=true", _ATTENTION, "a query sees the keys up to its own"),
    "rope": NamedOperation(
        "rope.f32 [out], [x], [angles], batch, positions, heads, d",
        _TURNED,
        "rotary position embedding: halves of d turned by the angles",
    ),
    "fft": NamedOperation("fft.f32 [out], [x], n, batch=rows", _COMPLEX, "the Fourier transform of complex rows"),
    "ifft": NamedOperation("fft.f32 [out], [x], n, batch=rows, inverse=true", _COMPLEX, "the inverse of fft"),
    "rfft": NamedOperation(
        "fft.f32 [out], [x], n, batch=rows, real=true",
        {"x": ("rows", "n"), "out": _HALF_SPECTRUM},
        "the Fourier transform of real rows: its first half",
    ),
    "irfft": NamedOperation(
        "fft.f32 [out], [x], n, batch=rows, inverse=true, real=true",
        {"x": _HALF_SPECTRUM, "out": ("rows", "n")},
        "the inverse of rfft, for n numbers a row",
        {"n": _U32},
    ),
    "random": NamedOperation(_DRAW, _DRAWN, "even from 0 to 1, by Philox", _SEEDED),
    "random_normal": NamedOperation(f"{_DRAW}, normal=true", _DRAWN, "of a normal distribution, by Philox", _SEEDED),
    "cum_sum": NamedOperation(
        "cum_sum.f32 [out], [x], rows, n", _ROWS, "running sums along the last axis", dtypes=_BOTH
    ),
    "sort": NamedOperation("sort.f32 [out], [x], rows, n", _ROWS, "sorted along the last axis", dtypes=_BOTH),
    "sort_descending": NamedOperation(
        "sort.f32 [out], [x], rows, n, descending=true", _ROWS, "from the greatest to the least", dtypes=_BOTH
    ),
    "sort_with_places": NamedOperation(
        "sort.f32 [values], [x], rows, n, indices=[places]",
        {"x": ("rows", "n"), "values": ("rows", "n"), "places": ("rows", "n")},
        "sorted along the last axis, and where each was",
        types={"places": _I32},
        dtypes=_BOTH,
        results=("values", "places"),
    ),
    "top_k": NamedOperation(
        "top_k.f32 [values], [places], [x], rows, n, k",
        {"x": ("rows", "n"), "values": ("rows", "k"), "places": ("rows", "k")},
        "the k greatest of each row, and where they are",
        {"k": _U32},
        types={"places": _I32},
        dtypes=_BOTH,
        results=("values", "places"),
    ),
    "arg_max": NamedOperation(
        "arg_max.f32 [out], [x], rows, n", _EACH, "where each row is greatest", types=_PLACES, dtypes=_BOTH
    ),
    "arg_min": NamedOperation(
        "arg_min.f32 [out], [x], rows, n", _EACH, "where each row is least", types=_PLACES, dtypes=_BOTH
    ),
    "sum": _reduced(lambda x: x.sum(axis=-1), "the sum of each row"),
    "prod": _reduced(lambda x: x.prod(axis=-1), "the product of each row"),
    "mean": _reduced(lambda x: x.mean(axis=-1), "the mean of each row", (_F32,)),
    "variance": _reduced(lambda x: x.var(axis=-1), "the variance of each row", (_F32,)),
    "amax": _reduced(lambda x: x.max(axis=-1), "the greatest of each row"),
    "amin": _reduced(lambda x: x.min(axis=-1), "the least of each row"),
    "transpose": NamedOperation(
        lambda x: x.T, {"x": ("rows", "n"), "out": ("n", "rows")}, "a matrix with its rows as columns", dtypes=_BOTH
    ),
    "gather": NamedOperation(
        "gather.f32 [out], [x], [indices], outer, n, inner, count",
        {"x": _ALONG, "indices": ("count",), "out": ("outer", "count", "inner")},
        "parts along an axis by their indices",
        types={"indices": _I32},
        dtypes=_ALL,
    ),
    "scatter": _scattered("", "x with other parts along an axis at these indices"),
    "scatter_add": _scattered(", accumulate=true", "x with parts added along an axis at these indices"),
    "concat": NamedOperation(
        "concat.f32 [out], [a], [b], outer, n, m, inner",
        {"a": _ALONG, "b": ("outer", "m", "inner"), "out": ("outer", "n + m", "inner")},
        "two arrays behind each other along an axis",
        dtypes=_BOTH,
    ),
    "slice": NamedOperation(
        f"def slice{_KERNELS['slice']}",
        {"x": _ALONG, "out": ("outer", "count", "inner")},
        "so many parts along an axis, from start, each so many steps on",
        {"start": 0, "count": _I32, "step": 1},
        dtypes=_BOTH,
    ),
    "pad": NamedOperation(
        f"def pad{_KERNELS['pad']}",
        {"x": _ALONG, "out": ("outer", "before + n + after", "inner")},
        "a value before and after, along an axis",
        {"before": 0, "after": 0, "value": 0.0},
        dtypes=_BOTH,
    ),
    "flip": NamedOperation(
        f"def flip{_KERNELS['flip']}", {"x": _ALONG, "out": _ALONG}, "backwards along an axis", dtypes=_BOTH
    ),
}
