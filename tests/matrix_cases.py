"""The table of tests/matrix.py: operations of arrays, what they take, and what NumPy says.

A case is a function of a namespace (ours or NumPy's) and operands. `kinds` are the letters of the types that it is
tried with (b: bool, i: integers, f: floats, c: complex), `gives` says the type of its results, `values` where operands
lie.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import hologram_web as hg

__all__ = ["CASES", "Case"]

REAL, NUMBER, ALL = "if", "ifc", "bifc"


@dataclass(frozen=True)
class Case:
    """One operation. `form` says which shapes (SHAPES of matrix.py), `exact` that no bit may differ."""

    run: Callable[..., Any]
    kinds: str
    operands: int = 1
    gives: str = "same"  # bool, float, sum, index, real, or "" where results have several types
    values: tuple[str, ...] = ("any", "any")
    form: str = "any"
    floats: bool = False  # of integers it gives floats
    exact: bool = False
    theirs: Callable[..., Any] | None = None  # where NumPy has no function of that name


CASES: dict[str, Case] = {}


def _named(names: str, kinds: str, **options: Any) -> None:
    """Functions that NumPy has by the same name, of operands only."""
    for name in names.split():
        CASES[name] = Case(lambda p, *given, name=name: getattr(p, name)(*given), kinds, **options)


def _with(kinds: str, cases: dict[str, Callable[..., Any]], **options: Any) -> None:
    for name, run in cases.items():
        CASES[name] = Case(run, kinds, **options)


# Of each element
_named("exp expm1 sin cos tan sinh cosh tanh asinh atan", NUMBER, gives="float", floats=True)
_named("exp2 cbrt", REAL, gives="float", floats=True)
_named("log log2 log10 sqrt", NUMBER, gives="float", floats=True, values=("positive",))
_named("log1p", NUMBER, gives="float", floats=True, values=("positive",))
_named("asin acos atanh", "fc", gives="float", values=("unit",))
_named("acosh", "fc", gives="float", values=("positive from 1",))
_named("floor ceil trunc", REAL, exact=True)
_named("round", NUMBER, exact=True)
_named("sign", NUMBER)
_named("negative positive square", NUMBER)
_named("abs", NUMBER, gives="real")
_named("reciprocal", "fc", values=("nonzero",))
_named("signbit", "f", gives="bool", exact=True)
_named("isnan isinf isfinite", NUMBER, gives="bool", exact=True)
_named("conj", "fc", exact=True)
_named("real", "fc", gives="real", exact=True)
_named("imag", "c", gives="real", exact=True)
_named("logical_not", "b", exact=True)
_named("bitwise_invert", "bi", exact=True)
_named("add subtract multiply", NUMBER, operands=2)
_named("divide", NUMBER, operands=2, gives="float", floats=True, values=("any", "nonzero"))
_named("floor_divide remainder", REAL, operands=2, values=("any", "nonzero"))
_named("pow", NUMBER, operands=2, values=("positive", "exponent"))
_named("atan2 hypot copysign logaddexp nextafter", "f", operands=2, gives="float")
_named("maximum minimum", REAL, operands=2, exact=True)
_named("equal not_equal", ALL, operands=2, gives="bool", exact=True)
_named("less less_equal greater greater_equal", REAL, operands=2, gives="bool", exact=True)
_named("logical_and logical_or logical_xor", "b", operands=2, exact=True)
_named("bitwise_and bitwise_or bitwise_xor", "bi", operands=2, exact=True)
_named("bitwise_left_shift bitwise_right_shift", "i", operands=2, exact=True)
_with(ALL, {"where": lambda p, x, y: p.where(x == y, x, y)}, operands=2, exact=True)
_with(REAL, {"clip": lambda p, x: p.clip(x, 1, 2)}, exact=True)
_with(REAL, {"clip to arrays": lambda p, x, y: p.clip(x, y, None)}, operands=2, exact=True)
_with(NUMBER, {"several": lambda p, x, y: (x + y) * x - y * 2}, operands=2)


def _ours(kinds: str, cases: dict[str, tuple[Callable[..., Any], Callable[..., Any]]], **options: Any) -> None:
    """What the standard has not: ours and the same said with NumPy."""
    for name, (ours, theirs) in cases.items():
        CASES[name] = Case(lambda p, *given, ours=ours: ours(*given), kinds, theirs=theirs, **options)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _gelu(x: Any) -> Any:
    return x / 2 * (1 + np.vectorize(math.erf, otypes=["f8"])(x / 2**0.5))


def _softmax(x: Any) -> Any:
    raised = np.exp(x - x.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


ops: Any = hg.ops
_ours("f", {
    "sigmoid": (ops.sigmoid, _sigmoid),
    "silu": (ops.silu, lambda x: x * _sigmoid(x)),
    "gelu": (ops.gelu, _gelu),
    "relu": (ops.relu, lambda x: np.maximum(x, 0)),
    "softplus": (ops.softplus, lambda x: np.log1p(np.exp(x))),
    "leaky_relu": (ops.leaky_relu, lambda x: np.where(x > 0, x, x * 0.01)),
    "elu": (ops.elu, lambda x: np.where(x > 0, x, np.expm1(x))),
    "selu": (ops.selu, lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))),
})  # fmt: skip
_ours("f", {"rsqrt": (ops.rsqrt, lambda x: 1 / np.sqrt(x))}, values=("positive",))
_ours("f", {
    "lerp": (lambda x, y: ops.lerp(x, y, 0.25), lambda x, y: x + (y - x) * 0.25),
    "mse_loss": (ops.mse_loss, lambda x, y: ((x - y) ** 2).mean()),
}, operands=2, form="some")  # fmt: skip
_ours("f", {
    "softmax": (ops.softmax, _softmax),
    "log_softmax": (ops.log_softmax, lambda x: np.log(_softmax(x))),
}, form="some")  # fmt: skip
_ours("f", {
    "layer_norm": (lambda x: ops.layer_norm(x, x[0] * 0 + 1, x[0] * 0), lambda x: (x - x.mean(-1, keepdims=True))
                   / np.sqrt(x.var(-1, keepdims=True) + 1e-5)),
    "einsum of one": (lambda x: ops.einsum("ij->j", x), lambda x: np.einsum("ij->j", x)),
    "topk": (lambda x: ops.topk(x, 1)[0], lambda x: x.max(-1, keepdims=True)),
}, form="matrix")  # fmt: skip
_ours("f", {
    "einsum": (lambda x, y: ops.einsum("ij,kj->ik", x, y), lambda x, y: np.einsum("ij,kj->ik", x, y)),
}, operands=2, form="any matrix")  # fmt: skip
_ours("f", {
    "outer of rows": (lambda x, y: ops.outer(x[0], y[-1]), lambda x, y: np.outer(x[0], y[-1])),
}, operands=2, form="matrix")  # fmt: skip

# Along axes
for _axis in (None, 0, -1):

    def _along(name: str, axis: Any = _axis) -> dict[str, Callable[..., Any]]:
        return {f"{name} of axis {axis}": lambda p, x: getattr(p, name)(x, axis=axis)}

    for _name, _kinds, _options in (
        ("sum", NUMBER, {"gives": "sum"}),
        ("prod", NUMBER, {"gives": "sum", "values": ("near 1",)}),
        ("mean", "fc", {"form": "some"}),
        ("var", "f", {"form": "some"}),
        ("std", "f", {"form": "some"}),
        ("max", REAL, {"form": "some", "exact": True}),
        ("min", REAL, {"form": "some", "exact": True}),
        ("all", ALL, {"gives": "bool"}),
        ("any", ALL, {"gives": "bool"}),
        ("argmax", REAL, {"gives": "index", "form": "some"}),
        ("argmin", REAL, {"gives": "index", "form": "some"}),
        ("count_nonzero", ALL, {"gives": "index"}),
    ):
        _with(_kinds, _along(_name), **_options)
_with(NUMBER, {"sum, keeping axes": lambda p, x: p.sum(x, axis=0, keepdims=True)}, gives="sum")
for _axis in (0, -1):
    _with(NUMBER, {f"cumulative_sum of {_axis}": lambda p, x, a=_axis: p.cumulative_sum(x, axis=a)}, gives="sum")
    _with(
        NUMBER, {f"cumulative_prod of {_axis}": lambda p, x, a=_axis: p.cumulative_prod(x, axis=a)},
        gives="sum", values=("near 1",),
    )  # fmt: skip
    _with(NUMBER, {f"diff of {_axis}": lambda p, x, a=_axis: p.diff(x, axis=a)}, form="some")
    _with(ALL, {f"stack of {_axis}": lambda p, x, y, a=_axis: p.stack([x, y], axis=a)}, operands=2, exact=True)
    _with(ALL, {f"concat of {_axis}": lambda p, x, y, a=_axis: p.concat([x, y, x], axis=a)}, operands=2, exact=True)
    _with(REAL, {f"sort of {_axis}": lambda p, x, a=_axis: p.sort(x, axis=a)}, exact=True)
    _with(
        REAL, {f"argsort of {_axis}": lambda p, x, a=_axis: p.argsort(x, axis=a, stable=True)}, gives="index",
        exact=True,
    )  # fmt: skip
    _with(ALL, {f"flip of {_axis}": lambda p, x, a=_axis: p.flip(x, axis=a)}, exact=True)
    _with(ALL, {f"roll of {_axis}": lambda p, x, a=_axis: p.roll(x, 3, axis=a)}, exact=True)
    _with(ALL, {f"repeat of {_axis}": lambda p, x, a=_axis: p.repeat(x, 2, axis=a)}, exact=True)
_with(ALL, {
    "squeeze": lambda p, x: p.squeeze(x[None], axis=0),
    "meshgrid": lambda p, x: p.meshgrid(p.reshape(x, (-1,))[:9], p.reshape(x, (-1,))[:4])[0] if x.size else x,
    "broadcast_arrays": lambda p, x: p.broadcast_arrays(x, x[:1])[-1] if x.shape[0] else x,
    "expand_dims": lambda p, x: p.expand_dims(x, axis=1),
    "reshape": lambda p, x: p.reshape(x, (-1,)) if x.size else x,
    "tile": lambda p, x: p.tile(x, 2),
    "key of steps": lambda p, x: x[::-2],
    "key of an axis": lambda p, x: x[..., None],
    "where true": lambda p, x: x[x == x],
}, exact=True)  # fmt: skip
_with(ALL, {"key of an element": lambda p, x: x[-1], "unstack": lambda p, x: p.unstack(x)[0]}, exact=True, form="some")
_with(ALL, {"take": lambda p, x: p.take(x, p.asarray([0, -1, 0]), axis=0)}, exact=True, form="some")
_with(REAL, {
    "take_along_axis": lambda p, x: p.take_along_axis(x, p.argsort(x, axis=0, stable=True), axis=0)
}, exact=True)  # fmt: skip
_with("bif", {
    f"astype to {name}": lambda p, x, name=name: p.astype(x, getattr(p, name)) for name in ("bool", "int32", "float32")
}, gives="")  # fmt: skip
_with("bifc", {"astype to complex128": lambda p, x: p.astype(x, p.complex128)}, gives="")
_with(ALL, {"nonzero": lambda p, x: p.nonzero(x), "argwhere": lambda p, x: p.argwhere(x)}, gives="index", exact=True)
_with(ALL, {
    "permute_dims": lambda p, x: p.permute_dims(x, (1, 0)),
    "moveaxis": lambda p, x: p.moveaxis(x, 0, -1),
    "tril": lambda p, x: p.tril(x, k=1),
    "triu": lambda p, x: p.triu(x, k=-1),
    "matrix_transpose": lambda p, x: p.matrix_transpose(x),
    "diagonal": lambda p, x: p.linalg.diagonal(x),
}, exact=True, form="any matrix")  # fmt: skip
# NumPy says nothing of their order.
_with(REAL, {"unique_values": lambda p, x: p.sort(p.unique_values(x))}, exact=True)
_with(REAL, {
    "unique_counts": lambda p, x: list(p.unique_counts(x)),
    "unique_inverse": lambda p, x: list(p.unique_inverse(x)),
        "unique_all": lambda p, x: [p.unique_all(x).values, p.unique_all(x).counts],
}, gives="", exact=True)  # fmt: skip
_with(REAL, {"isin": lambda p, x, y: p.isin(x, y)}, operands=2, gives="bool", exact=True)
_with(
    REAL, {"searchsorted": lambda p, x, y: p.searchsorted(p.sort(p.reshape(x, (-1,))), p.reshape(y, (-1,)))},
    operands=2, gives="index", exact=True, form="some",
)  # fmt: skip

# Products and matrices
_with(NUMBER, {
    "matmul": lambda p, x, y: p.matmul(x, p.matrix_transpose(y)),
    "matmul of a transposed": lambda p, x, y: p.matmul(p.matrix_transpose(x), y),
    "tensordot": lambda p, x, y: p.tensordot(x, y, axes=2),
}, operands=2, form="any matrix", values=("near 1", "any"))  # fmt: skip
_with(
    NUMBER, {"matmul of a vector": lambda p, x, y: p.matmul(x, y[0])}, operands=2, form="matrix",
    values=("near 1", "any"),
)  # fmt: skip
_with("fc", {"vecdot": lambda p, x, y: p.vecdot(x, y)}, operands=2, form="some")
_with(NUMBER, {"trace": lambda p, x: p.linalg.trace(x)}, form="any matrix", gives="sum")
_with("fc", {
    "det": lambda p, x: p.linalg.det(x),
    "inv": lambda p, x: p.linalg.inv(x),
    "pinv": lambda p, x: p.linalg.pinv(x),
    "slogdet": lambda p, x: p.linalg.slogdet(x)[1],
    "svdvals": lambda p, x: p.linalg.svdvals(x),
    "matrix_norm": lambda p, x: p.linalg.matrix_norm(x),
    "matrix_power": lambda p, x: p.linalg.matrix_power(x, 3),
    "cholesky": lambda p, x: p.linalg.cholesky(x @ p.conj(x.T)),
    "eigvalsh": lambda p, x: p.linalg.eigvalsh(x + p.conj(x.T)),
}, form="square", values=("regular",), gives="")  # fmt: skip
_with(
    "fc", {"solve": lambda p, x, y: p.linalg.solve(x, y)}, operands=2, form="square", values=("regular", "any")
)  # fmt: skip
_with("fc", {"vector_norm": lambda p, x: p.linalg.vector_norm(x, axis=-1)}, gives="real", form="some")

# Spectra, of F32 and F64 and their complex numbers
_with("fc", {
    "fft": lambda p, x: p.fft.fft(x if p is np or "complex" in str(x.dtype) else x + 0j),
    "ifft": lambda p, x: p.fft.ifft(x if p is np or "complex" in str(x.dtype) else x + 0j),
    "fftn": lambda p, x: p.fft.fftn(x if p is np or "complex" in str(x.dtype) else x + 0j),
    "fftshift": lambda p, x: p.fft.fftshift(x),
}, form="spectrum", gives="")  # fmt: skip
_with("f", {"rfft": lambda p, x: p.fft.rfft(x), "rfftn": lambda p, x: p.fft.rfftn(x)}, form="spectrum", gives="")
