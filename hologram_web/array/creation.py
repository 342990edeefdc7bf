"""Functions that make arrays, with the names of the Python array API standard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..errors import LaunchError, outermost
from ..isa.elements import ElementType
from ..isa.types import Type
from ..runtime import arrays
from ..runtime.executor import Buffer, Executor
from .array import Array, array_of, lengths_of, mapped
from .node import ArrayNode, ArrayShapeError, broadcast, misshapen
from .sizes import Size, is_known, is_symbolic, whole
from .tracing import executor_here
from .types import NUMBERS, type_of_number

__all__ = [
    "arange", "array_like", "asarray", "default_executor", "empty", "empty_like", "eye", "from_dlpack", "full",
    "full_like", "linspace", "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip

_default: Executor | None = None


def default_executor() -> Executor:
    """The executor of arrays that are made without `device`: that of the function that is traced, else the one that
    "auto" chooses."""
    global _default
    here = executor_here()
    if here is not None:
        return here
    if _default is None:
        _default = Executor()
    return _default


def _on(device: Executor | None) -> Executor:
    if device is None:
        return default_executor()
    if not isinstance(device, Executor):
        raise LaunchError(f"device is an Executor, as hg.Executor('wasm') makes one, not {device!r}")
    return device


def array_like(value: Any) -> Array:
    return value if isinstance(value, Array) else array_of(value, value.executor if isinstance(value, Buffer) else None)


def copied(x: Array) -> Array:
    """The same elements; those that lie in a Buffer, which may be written, in memory of their own."""
    return mapped("where", True, x, x) if x.node.op == "source" else Array(x.node, x.executor)


@outermost
def asarray(obj: Any, /, *, dtype: Any = None, device: Executor | None = None, copy: bool | None = None) -> Array:
    """An array of what NumPy takes for one; Arrays and Buffers are taken as they are. `copy=True` copies. Integers of
    Python make I32, or I64 where that is too small, floats F32, complex numbers complex64."""
    ty = None if dtype is None else arrays.to_type(dtype)
    if isinstance(obj, (Array, Buffer)):
        found = array_like(obj) if device is None else array_like(obj).to_device(device)
        made = found if ty is None else found.astype(ty)
        if copy is False and made is not found:
            raise ValueError(f"{made.dtype} instead of {found.dtype} is a copy: copy=False is not possible")
        return copied(made) if copy else made
    if copy is False:
        raise ValueError("the elements have to be copied to the device: copy=False is not possible")
    if isinstance(obj, (list, tuple)):
        if (first := _first_array(obj)) is not None:
            device = first.executor if device is None else device
            return _stacked([asarray(each, dtype=dtype, device=device) for each in obj])
        ty = ty or _type_of_numbers(obj)
    if isinstance(obj, NUMBERS) and type(obj) in NUMBERS:
        ty = ty or _type_of_numbers([obj])
        if isinstance(obj, complex) or not isinstance(ty, Type) or ty.is_float == isinstance(obj, float):
            return array_of(obj, _on(device), dtype=ty)
    return array_of(obj, _on(device), dtype=ty)


def _first_array(obj: Any) -> Array | None:
    """An Array in lists, at any depth."""
    if isinstance(obj, (list, tuple)):
        return next((found for each in obj if (found := _first_array(each)) is not None), None)
    return obj if isinstance(obj, Array) else None


def _type_of_numbers(numbers: Sequence[Any]) -> ElementType | None:
    """The type of an array of Python's numbers, in lists of lists; None if others are among them."""
    found, least, most = [], 0, 0
    work = list(numbers)
    while work:
        each = work.pop()
        if isinstance(each, (list, tuple)):
            work += each
        elif type(each) not in NUMBERS:
            return None
        else:
            found.append(NUMBERS.index(type(each)))
            if type(each) is int:
                least, most = min(least, each), max(most, each)
    kind = NUMBERS[max(found, default=2)]
    if kind is not int:
        return type_of_number(kind)
    return next((ty for ty in (Type.I32, Type.I64) if ty.min_value <= least and most <= ty.max_value), Type.U64)


def _stacked(given: list[Array]) -> Array:
    from .functions import stack

    return stack(given)


def from_dlpack(x: Any, /, *, device: Executor | None = None, copy: bool | None = None) -> Array:
    """An array with the elements of an object that has DLPack: of an Array or Buffer on that executor these themselves,
    unless `copy`, of others copies, which `copy=False` refuses with a BufferError."""
    here = isinstance(x, (Array, Buffer)) and device in (None, x.executor)
    if copy is False and not here:
        raise BufferError("the elements have to be copied to the device: copy=False is not possible")
    return asarray(x, device=device, copy=copy if here else None)


def full(
    shape: int | Sequence[int], fill_value: complex | Array, *, dtype: Any = None, device: Executor | None = None
) -> Array:
    """One number in every element."""
    lengths = tuple(lengths_of((shape,)))
    ty = None if dtype is None else arrays.to_type(dtype)
    if isinstance(fill_value, Array):
        return (fill_value if ty is None else fill_value.astype(ty)).broadcast_to(lengths)
    found = array_of(fill_value, _on(device), dtype=ty or _type_of_numbers([fill_value]))
    return Array(broadcast(found.node, lengths), found.executor)


def zeros(shape: int | Sequence[int], *, dtype: Any = None, device: Executor | None = None) -> Array:
    """Zeros, by default F32."""
    return full(shape, 0, dtype=dtype or Type.F32, device=device)


def ones(shape: int | Sequence[int], *, dtype: Any = None, device: Executor | None = None) -> Array:
    """Ones, by default F32."""
    return full(shape, 1, dtype=dtype or Type.F32, device=device)


empty = zeros


def full_like(x: Array, /, fill_value: Any, *, dtype: Any = None, device: Executor | None = None) -> Array:
    """One number in every element, in the shape of x."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device or x.executor)


def zeros_like(x: Array, /, *, dtype: Any = None, device: Executor | None = None) -> Array:
    """Zeros in the shape of x."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Array, /, *, dtype: Any = None, device: Executor | None = None) -> Array:
    """Ones in the shape of x."""
    return full_like(x, 1, dtype=dtype, device=device)


empty_like = zeros_like


def _count(length: int, ty: ElementType, executor: Executor) -> Array:
    if is_known(length) and whole(length) < 0:
        raise ArrayShapeError(f"an array cannot have {length} elements")
    return Array(ArrayNode("count", (), ty, (length,)), executor)


@outermost
def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Executor | None = None
) -> Array:
    """Numbers from start on, below stop. Integers make I32, others F32, if `dtype` does not say otherwise."""
    if stop is None:
        start, stop = 0, start
    integers = all(isinstance(number, (int, Size)) for number in (start, stop, step))
    count: int
    if is_symbolic((start, stop)):
        length: Any = stop - start
        count = length.ceildiv(step).at_least(0)
    else:
        count = max(math.ceil((stop - start) / step), 0)
    ty = arrays.to_type(dtype) if dtype is not None else Type.I32 if integers else Type.F32
    found = _count(count, ty, _on(device))
    return found if (start, step) == (0, 1) else found * step + start


@outermost
def linspace(
    start: float, stop: float, /, num: int, *, dtype: Any = None, device: Executor | None = None, endpoint: bool = True
) -> Array:
    """num numbers at equal distances, by default with stop."""
    ty = Type.F32 if dtype is None else arrays.to_type(dtype)
    parts = max(num - 1 if endpoint else num, 1)
    found = _count(num, ty, _on(device))
    made = found * ((stop - start) / parts) + start
    return mapped("where", found == num - 1, stop, made) if endpoint and num > 1 else made


@outermost
def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Executor | None = None
) -> Array:
    """Ones on a diagonal."""
    columns = n_rows if n_cols is None else n_cols
    return (_rows_to_columns(n_rows, columns, _on(device)) == k).astype(dtype or Type.F32)


def _rows_to_columns(rows: int, columns: int, executor: Executor) -> Array:
    """How far a column is right of the diagonal."""
    across = _count(columns, Type.I32, executor)
    return across - _count(rows, Type.I32, executor).reshape(rows, 1)


def _away(x: Array, function: str) -> Array:
    """The same of the last two axes of x. Raises ArrayShapeError where there are none."""
    if x.ndim < 2:
        raise misshapen(function, "x", x.shape, "two axes or more are expected")
    return _rows_to_columns(x.shape[-2], x.shape[-1], x.executor)


def tril(x: Array, /, *, k: int = 0) -> Array:
    """Zeros above a diagonal of the last two axes."""
    return mapped("where", _away(x, "tril") <= k, x, zeros_like(x))


def triu(x: Array, /, *, k: int = 0) -> Array:
    """Zeros below a diagonal of the last two axes."""
    return mapped("where", _away(x, "triu") >= k, x, zeros_like(x))


def meshgrid(*given: Array, indexing: str = "xy") -> list[Array]:
    """Coordinates of the points of a grid."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    order = list(range(len(given)))
    if indexing == "xy" and len(given) > 1:
        order[:2] = [1, 0]
    shape = tuple(given[number].size for number in order)
    return [
        x.reshape([-1 if place == order.index(number) else 1 for place in range(len(given))]).broadcast_to(shape)
        for number, x in enumerate(given)
    ]
