"""The extension fft of the Python array API standard: Discrete Fourier transforms of any length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..errors import LaunchError
from ..isa.types import Type
from ..runtime.executor import Executor
from .array import Array, mapped
from .creation import arange, zeros
from .functions import concat, conj, moveaxis, of_buffers, roll
from .library_nodes import tensor
from .types import complex_of, floating, kind_of, real_of

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft",
    "rfftfreq", "rfftn",
]  # fmt: skip

_OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _opposite(norm: str) -> str:
    if norm not in _OPPOSITE:
        raise ValueError(f"norm is 'backward', 'ortho' or 'forward', not {norm!r}")
    return _OPPOSITE[norm]


def _factor(norm: str, n: int, inverse: bool) -> float:
    """What a transform of n elements is multiplied by; the inverse is divided by n already."""
    power = {"backward": 0.0, "ortho": 0.5, "forward": 1.0}[norm]
    return math.pow(n, power if inverse else -power)


def _cut(rows: Array, count: int) -> Array:
    """So many elements of each row, zeros behind those that there are."""
    if count <= rows.shape[-1]:
        return rows[..., :count]
    shape = (*rows.shape[:-1], count - rows.shape[-1])
    return concat([rows, zeros(shape, dtype=rows.dtype, device=rows.executor)], axis=-1)


def _transformed(x: Array, n: int | None, axis: int, norm: str, inverse: bool, real: bool) -> Array:
    _opposite(norm)
    at = x._axis(axis)
    ty = floating(x.dtype)
    ty = Type.F32 if ty in (Type.F16, Type.BF16) else ty
    if real and not inverse and kind_of(ty) == "c":
        raise LaunchError(f"rfft is of real numbers, not of {ty}: take fft")
    rows = moveaxis(x.astype(ty if real and not inverse else complex_of(ty)), at, -1)
    count = n if n is not None else 2 * (rows.shape[-1] - 1) if real and inverse else rows.shape[-1]
    if count < 1:
        raise LaunchError(
            f"a transform of {count} elements, axis {axis} of x, whose shape is {x.shape}: 1 is the least"
        )
    rows = _cut(rows, count // 2 + 1 if real and inverse else count)
    length = count // 2 + 1 if real and not inverse else count
    made = real_of(rows.dtype) if real and inverse else complex_of(rows.dtype)
    shape = (*rows.shape[:-1], length)
    numbers = (("n", count), ("batch", math.prod(shape[:-1])), ("inverse", inverse), ("real", real))
    found = Array(tensor("FFT", "output", made, shape, numbers, ("input", rows)), x.executor)
    factor = _factor(norm, count, inverse)
    return moveaxis(found if factor == 1 else found * factor, -1, at)


def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The transform along an axis, of n elements."""
    return _transformed(x, n, axis, norm, False, False)


def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of `fft`."""
    return _transformed(x, n, axis, norm, True, False)


def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The first n // 2 + 1 elements of the transform of real numbers: the others are their conjugates."""
    return _transformed(x, n, axis, norm, False, True)


def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of `rfft`, whose result has n elements, by default an even number."""
    return _transformed(x, n, axis, norm, True, True)


def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The transform of elements whose second half are conjugates of the first: real numbers."""
    return irfft(conj(x), n=n, axis=axis, norm=_opposite(norm))


def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of `hfft`."""
    return conj(rfft(x, n=n, axis=axis, norm=_opposite(norm)))


def _sizes(x: Array, s: Sequence[int] | None, axes: Sequence[int] | None) -> list[tuple[int | None, int]]:
    """A length, or None, and an axis for each transform."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    lengths: Sequence[int | None] = [None] * len(axes) if s is None else s
    if len(lengths) != len(axes):
        raise LaunchError(f"s has {len(lengths)} lengths for {len(axes)} axes of x, whose shape is {x.shape}")
    return list(zip(lengths, [x._axis(axis) for axis in axes], strict=True))


def fftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Array:
    """The transform along several axes."""
    for n, axis in _sizes(x, s, axes):
        x = fft(x, n=n, axis=axis, norm=norm)
    return x


def ifftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Array:
    """The inverse of `fftn`."""
    for n, axis in _sizes(x, s, axes):
        x = ifft(x, n=n, axis=axis, norm=norm)
    return x


def rfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Array:
    """The transform of real numbers along several axes, of which the last one has n // 2 + 1 elements then."""
    *others, (last, axis) = _sizes(x, s, axes)
    x = rfft(x, n=last, axis=axis, norm=norm)
    for n, each in others:
        x = fft(x, n=n, axis=each, norm=norm)
    return x


def irfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Array:
    """The inverse of `rfftn`."""
    *others, (last, axis) = _sizes(x, s, axes)
    for n, each in others:
        x = ifft(x, n=n, axis=each, norm=norm)
    return irfft(x, n=last, axis=axis, norm=norm)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Executor | None = None) -> Array:
    """The frequencies of a transform of n elements that are d apart."""
    numbers = arange(n, dtype=dtype or Type.F32, device=device)
    return mapped("where", numbers < (n + 1) // 2, numbers, numbers - n) / (n * d)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Executor | None = None) -> Array:
    """The frequencies of `rfft`."""
    return arange(n // 2 + 1, dtype=dtype or Type.F32, device=device) / (n * d)


def _shifted(x: Array, axes: int | Sequence[int] | None, up: bool) -> Array:
    found = x._axes(axes)
    by = [x.shape[axis] // 2 if up else -(x.shape[axis] // 2) for axis in found]
    return roll(x, by, axis=found)


def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """With the frequency 0 in the middle of axes."""
    return _shifted(x, axes, True)


def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """The inverse of `fftshift`."""
    return _shifted(x, axes, False)


for _name in __all__:
    globals()[_name] = of_buffers(globals()[_name])
