"""Functions of arrays, with the names of the Python array API standard."""

from __future__ import annotations

import builtins
import itertools
import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from ..errors import LaunchError, outermost
from ..isa.elements import ElementType
from ..isa.types import Type
from ..runtime import arrays
from ..runtime.executor import Buffer, Executor
from .array import Array, Axes, array_of, mapped, mapped_to, reduced
from .creation import array_like, copied, full
from .fitting import check_alike
from .library_nodes import kernel, tensor
from .node import broadcast_shapes, misfit
from .types import NUMBERS, accumulated, floating, kind_of, of_number, promoted

__all__ = [
    "abs", "acos", "acosh", "add", "all", "any", "argmax", "argmin", "argsort", "asin", "asinh", "astype", "atan",
    "atan2", "atanh", "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "broadcast_arrays", "broadcast_to", "cbrt", "ceil", "clip", "concat", "conj", "copysign", "cos",
    "cosh", "count_nonzero", "cumulative_sum", "diff", "divide", "equal", "exp", "exp2", "expand_dims", "expm1",
    "flip", "floor", "floor_divide", "gelu", "greater", "greater_equal", "hypot", "imag", "isfinite", "isinf", "isnan",
    "less", "less_equal", "log", "log1p", "log2", "log10", "log_softmax", "logaddexp", "logical_and", "logical_not",
    "logical_or", "logical_xor", "matmul", "matrix_transpose", "max", "maximum", "mean", "min", "minimum", "moveaxis",
    "multiply", "negative", "nextafter", "not_equal", "permute_dims", "positive", "pow", "prod", "real", "reciprocal",
    "relu", "remainder", "reshape", "result_type", "roll", "round", "rsqrt", "sigmoid", "sign", "signbit", "sin",
    "sinh", "softmax", "sort", "sqrt", "square", "squeeze", "stack", "std", "subtract", "sum", "take", "tan", "tanh",
    "tensordot", "tile", "trunc", "unstack", "var", "vecdot", "where",
]  # fmt: skip

# Types


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Executor | None = None) -> Array:
    """Converted to another type."""
    found = x.astype(dtype)
    found = found if device is None else found.to_device(device)
    return copied(found) if copy and found is x else found


def result_type(*given: Any) -> ElementType:
    """The type of an operation on arrays, types and numbers."""
    found: ElementType | None = None
    numbers = [each for each in given if isinstance(each, NUMBERS)]
    for each in given:
        if not isinstance(each, NUMBERS):
            ty = each.dtype if isinstance(each, (Array, Buffer)) else arrays.to_type(each)
            found = ty if found is None else promoted(found, ty)
    if found is None:
        raise ValueError("result_type takes an array or a type at least")
    for number in numbers:
        found = of_number(number, found)
    return found


def broadcast_arrays(*given: Array) -> list[Array]:
    """The arrays in the shape that they have together."""
    shape = broadcast_shapes([x.shape for x in given], [f"array {number}" for number in range(len(given))])
    return [x.broadcast_to(shape) for x in given]


def broadcast_to(x: Array, /, shape: Sequence[int]) -> Array:
    """The array with further and longer axes, along which it repeats."""
    return x.broadcast_to(shape)


# Elements


def _named(made: Callable[..., Array], name: str) -> Callable[..., Array]:
    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"`{name}` of each element; operands fit one another as NumPy's do."
    return made


def _unary(name: str) -> Callable[[Any], Array]:
    return _named(lambda x, /: mapped(name, x), name)


def _binary(name: str) -> Callable[[Any, Any], Array]:
    return _named(lambda x1, x2, /: mapped(name, x1, x2), name)


# fmt: off
abs, acos, acosh, asin, asinh = map(_unary, ("abs", "acos", "acosh", "asin", "asinh"))
atan, atanh, bitwise_invert = map(_unary, ("atan", "atanh", "bitwise_invert"))
ceil, cos = map(_unary, ("ceil", "cos"))
cosh, exp, expm1, floor, isfinite = map(_unary, ("cosh", "exp", "expm1", "floor", "isfinite"))
isinf, isnan, log, log10, log1p = map(_unary, ("isinf", "isnan", "log", "log10", "log1p"))
log2, logical_not, negative = map(_unary, ("log2", "logical_not", "negative"))
round, sin = map(_unary, ("round", "sin"))
sinh, sqrt, tan, tanh, trunc = map(_unary, ("sinh", "sqrt", "tan", "tanh", "trunc"))
exp2, cbrt, rsqrt, sigmoid, gelu = map(_unary, ("exp2", "cbrt", "rsqrt", "sigmoid", "gelu"))
relu = _unary("relu")
# fmt: on
# fmt: off
add, atan2, bitwise_and = map(_binary, ("add", "atan2", "bitwise_and"))
bitwise_left_shift, bitwise_or = map(_binary, ("bitwise_left_shift", "bitwise_or"))
bitwise_right_shift, bitwise_xor, copysign = map(_binary, ("bitwise_right_shift", "bitwise_xor", "copysign"))
divide, equal = map(_binary, ("divide", "equal"))
floor_divide, greater, greater_equal = map(_binary, ("floor_divide", "greater", "greater_equal"))
hypot, less = map(_binary, ("hypot", "less"))
less_equal, logical_and, logical_or = map(_binary, ("less_equal", "logical_and", "logical_or"))
logical_xor, maximum = map(_binary, ("logical_xor", "maximum"))
minimum, multiply, not_equal = map(_binary, ("minimum", "multiply", "not_equal"))
remainder, subtract = map(_binary, ("remainder", "subtract"))
# fmt: on
pow = _binary("power")


def real(x: Array, /) -> Array:
    """The real parts."""
    return mapped("real", x) if kind_of(x.dtype) == "c" else x


def imag(x: Array, /) -> Array:
    """The imaginary parts."""
    return mapped("imag", x)


def conj(x: Array, /) -> Array:
    """With the other sign of the imaginary part."""
    return mapped("conj", x) if kind_of(x.dtype) == "c" else x


_SIGNED = {2: Type.I16, 4: Type.I32, 8: Type.I64}


def _bits(x: Array) -> Array:
    """The bits of floats as signed integers."""
    return mapped_to("bits", _SIGNED[x.dtype.size_bytes], x)


def signbit(x: Array, /) -> Array:
    """Whether the sign is -, also of zeros and NaNs."""
    return _bits(x.astype(floating(x.dtype))) < 0


def nextafter(x1: Array, x2: Array, /) -> Array:
    """The number of the type that follows x1 on the way to x2."""
    ty = floating(result_type(x1, x2))
    device = next(each.executor for each in (x1, x2) if isinstance(each, Array))
    x1, x2 = (array_of(each, device, dtype=ty if isinstance(each, NUMBERS) else None).astype(ty) for each in (x1, x2))
    bits = _bits(x1)
    away = (x2 > x1) == (x1 > 0)
    stepped = mapped_to("bits", ty, where(away, bits + 1, bits - 1))
    least = mapped_to("bits", ty, where(signbit(x2), bits * 0 + (_SIGNED[ty.size_bytes].min_value + 1), 1))
    return where((x1 != x1) | (x2 != x2), x1 + x2, where(x1 == x2, x2, where(x1 == 0, least, stepped)))


def positive(x: Array, /) -> Array:
    """The elements as they are."""
    return +x


def square(x: Array, /) -> Array:
    """Each element times itself."""
    return x * x


def reciprocal(x: Array, /) -> Array:
    """One by each element."""
    return 1 / x


def sign(x: Array, /) -> Array:
    """-1, 0 or 1; NaN stays."""
    if kind_of(x.dtype) == "c":
        return where(x == 0, 0j, x / abs(x))
    if kind_of(x.dtype) == "f":
        return where(x != x, x, (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype))
    return (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)


def logaddexp(x1: Any, x2: Any, /) -> Array:
    """log(exp(x1) + exp(x2))."""
    high = mapped("maximum", x1, x2)
    return where(isinf(high), high, high + log1p(exp(-abs(mapped("subtract", x1, x2)))))


def clip(x: Array, /, min: Any = None, max: Any = None) -> Array:
    """Not below min, nor above max."""
    bounds = {name: each for name, each in (("x", x), ("min", min), ("max", max)) if isinstance(each, Array)}
    broadcast_shapes([each.shape for each in bounds.values()], [*bounds])
    found = x if min is None else mapped("maximum", x, min)
    found = found if max is None else mapped("minimum", found, max)
    return found.astype(x.dtype)


def where(condition: Any, x1: Any, x2: Any, /) -> Array:
    """x1 where a condition holds, else x2."""
    return mapped("where", condition, x1, x2)


# Along axes


def sum(x: Array, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """The sum along axes. Small integers are added in 32 bits."""
    ty = accumulated(x.dtype) if dtype is None else arrays.to_type(dtype)
    return reduced("sum", x.astype(ty), axis, keepdims)


def prod(x: Array, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """The product along axes."""
    ty = accumulated(x.dtype) if dtype is None else arrays.to_type(dtype)
    found = x.astype(ty)
    if kind_of(ty) != "c" or not x.size:
        return reduced("prod", found, axis, keepdims)
    axes = x._axes(axis)
    kept = [a for a in range(x.ndim) if a not in axes]
    rows = found.transpose([*kept, *axes]).reshape([*(x.shape[a] for a in kept), -1])
    made = kernel("running_product", ty, rows.shape, rows.size // rows.shape[-1], (rows.shape[-1], 1), rows)[..., -1]
    return made.reshape([1 if a in axes else n for a, n in enumerate(x.shape)]) if keepdims else made


def _along(name: str) -> Callable[..., Array]:
    def function(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
        found: Array = getattr(x, name)(axis=axis, keepdims=keepdims)
        return found

    function.__doc__ = f"`x.{name}(axis=None, keepdims=False)`."
    function.__name__ = function.__qualname__ = name
    return function


max, min, any, all, mean = map(_along, ("max", "min", "any", "all", "mean"))


def var(x: Array, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The variance along axes; `correction` is what the number of elements is lessened by."""
    return x.var(axis, correction, keepdims)


def std(x: Array, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The root of the variance along axes."""
    return x.std(axis, correction, keepdims)


def _arg(name: str) -> Callable[..., Array]:
    def function(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
        found: Array = getattr(x, name)(axis)
        if not keepdims:
            return found
        return found.reshape([1] * x.ndim) if axis is None else found.expand_dims(axis % x.ndim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Where it is along an axis, the first of equals; without `axis` in all elements, row by row."
    return function


argmax, argmin = _arg("argmax"), _arg("argmin")


def count_nonzero(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """How many elements are not 0."""
    return (x != 0).astype(Type.I32).sum(axis, keepdims)


def running(
    x: Array, made: Callable[[Array, int], Array], first: int, axis: int | None, dtype: Any, include_initial: bool
) -> Array:
    """Running sums, or what `made` makes along an axis, behind their beginning, if that is asked for."""
    if axis is None and x.ndim != 1:
        raise LaunchError(f"say along which axis: x has shape {x.shape}")
    at = x._axis(0 if axis is None else axis)
    found = made(x.astype(accumulated(x.dtype) if dtype is None else dtype), at)
    if not include_initial:
        return found
    start = full((*x.shape[:at], 1, *x.shape[at + 1 :]), first, dtype=found.dtype, device=x.executor)
    return concat([start, found], axis=at)


def cumulative_sum(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Running sums along an axis."""

    def sums(found: Array, at: int) -> Array:
        outer, n, inner = math.prod(x.shape[:at]), x.shape[at], math.prod(x.shape[at + 1 :])
        numbers = (("outer", outer), ("n", n), ("inner", inner), ("exclusive", False), ("reverse", False))
        return Array(tensor("CumSum", "output", found.dtype, x.shape, numbers, ("input", found)), x.executor)

    return running(x, sums, 0, axis, dtype, include_initial)


def _sorted(x: Array, axis: int, descending: bool, result: str) -> Array:
    at = x._axis(axis)
    order = [*(a for a in range(x.ndim) if a != at), at]
    rows = x.transpose(order)
    numbers = (("outer", math.prod(rows.shape[:-1])), ("n", rows.shape[-1]), ("descending", descending))
    ty = x.dtype if result == "output" else Type.I32
    other = () if result == "output" else (("output", x.dtype.size_bytes * x.size),)
    made = Array(tensor("Sort", result, ty, rows.shape, numbers, ("input", rows), scratch=other), x.executor)
    return made.transpose([order.index(a) for a in range(x.ndim)])


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The elements along an axis in order; equals stay in theirs."""
    return _sorted(x, axis, descending, "output")


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Where the elements in order are along an axis."""
    return _sorted(x, axis, descending, "indices")


def diff(x: Array, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Array:
    """Differences of elements side by side along an axis, between what stands before and behind."""
    at = x._axis(axis)
    x = concat([each for each in (prepend, x, append) if each is not None], axis=at)
    for _ in range(n):
        later, earlier = ([slice(None)] * x.ndim for _ in range(2))
        later[at], earlier[at] = slice(1, None), slice(None, -1)
        op = "not_equal" if kind_of(x.dtype) == "b" else "subtract"
        x = mapped(op, x[tuple(later)], x[tuple(earlier)])
    return x


# Shapes


def reshape(x: Array, /, shape: Sequence[int], *, copy: bool | None = None) -> Array:
    """The same elements, row by row, with other axes; one of them may be -1."""
    return x.reshape(tuple(shape))


def permute_dims(x: Array, /, axes: Sequence[int]) -> Array:
    """The axes in another order."""
    return x.transpose(tuple(axes))


def matrix_transpose(x: Array, /) -> Array:
    """The last two axes exchanged."""
    return x.mT


def moveaxis(x: Array, source: Any, destination: Any, /) -> Array:
    """Axes in other places."""
    froms = [x._axis(a) for a in ((source,) if isinstance(source, int) else source)]
    tos = [x._axis(a) for a in ((destination,) if isinstance(destination, int) else destination)]
    if len(froms) != len(tos):
        raise LaunchError(f"moveaxis: source has {len(froms)} axes, and destination {len(tos)}; as many are expected")
    order = [a for a in range(x.ndim) if a not in froms]
    for to, at in sorted(zip(tos, froms, strict=True)):
        order.insert(to, at)
    return x.transpose(order)


def squeeze(x: Array, /, axis: Axes = None) -> Array:
    """Without axes of one element."""
    return x.squeeze(axis)


def expand_dims(x: Array, /, axis: int | tuple[int, ...] = 0) -> Array:
    """With a further axis of one element, or several, at these places of the result."""
    return x.expand_dims(axis)


def flip(x: Array, /, *, axis: Axes = None) -> Array:
    """The elements in reverse order along axes."""
    return x.flip(axis)


@outermost
def concat(given: Sequence[Array], /, *, axis: int | None = 0) -> Array:
    """Arrays one after another along an axis; without one, all their elements."""
    found = [array_like(each) for each in given]
    if not found:
        raise LaunchError("concat takes an array at least")
    if axis is None:
        found, axis = [each.ravel() for each in found], 0
    at = found[0]._axis(axis, "array 0")
    check_alike("concat", found, at)
    ty = found[0].dtype
    for each in found[1:]:
        ty = promoted(ty, each.dtype)
    return _joined([each.astype(ty) for each in found], at)


def _joined(parts: list[Array], at: int) -> Array:
    """Arrays one after another, those on both sides of the middle of their elements first: each is copied a few times,
    a large one once."""
    if len(parts) == 1:
        return parts[0]
    cut = _middle([each.shape[at] for each in parts])
    left, right = _joined(parts[:cut], at), _joined(parts[cut:], at)
    outer, inner = math.prod(left.shape[:at]), math.prod(left.shape[at + 1 :])
    numbers = (("outer", outer), ("a_len", left.shape[at]), ("b_len", right.shape[at]), ("inner", inner))
    shape = (*left.shape[:at], left.shape[at] + right.shape[at], *left.shape[at + 1 :])
    return Array(tensor("Concat", "output", left.dtype, shape, numbers, ("a", left), ("b", right)), left.executor)


def _middle(lengths: Sequence[Any]) -> int:
    """How many of several lengths are about half of all; half of them, if some are not known."""
    if not builtins.all(isinstance(length, int) for length in lengths) or not builtins.sum(lengths):
        return len(lengths) // 2
    ends = list(itertools.accumulate(lengths))
    return builtins.min(range(1, len(lengths)), key=lambda count: builtins.abs(2 * ends[count - 1] - ends[-1]))


def stack(given: Sequence[Array], /, *, axis: int = 0) -> Array:
    """Arrays of one shape along a further axis."""
    found = [array_like(each) for each in given]
    if not found:
        raise LaunchError("stack takes an array at least")
    check_alike("stack", found)
    return concat([each.expand_dims(axis) for each in found], axis=axis)


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts of an array along an axis."""
    rows = moveaxis(x, axis, 0)
    return tuple(rows[number] for number in range(rows.shape[0]))


def roll(x: Array, /, shift: Any, *, axis: Any = None) -> Array:
    """The elements shifted along axes; what goes over the end comes in at the beginning."""
    if axis is None:
        return roll(x.ravel(), shift, axis=0).reshape(x.shape)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    if len(shifts) != len(axes):
        raise LaunchError(f"roll: shift has {len(shifts)} numbers for {len(axes)} axes; as many are expected")
    for by, each in zip(shifts, axes, strict=True):
        at = x._axis(each)
        cut = -by % x.shape[at] if x.shape[at] else 0
        if cut:
            end, start = ([slice(None)] * x.ndim for _ in range(2))
            end[at], start[at] = slice(cut, None), slice(None, cut)
            x = concat([x[tuple(end)], x[tuple(start)]], axis=at)
    return x


def tile(x: Array, repetitions: int | Sequence[int], /) -> Array:
    """The array so many times along each axis."""
    times = (repetitions,) if isinstance(repetitions, int) else tuple(repetitions)
    x = x.reshape((*(1,) * (len(times) - x.ndim), *x.shape))
    times = (*(1,) * (x.ndim - len(times)), *times)
    between = [length for n in x.shape for length in (1, n)]
    wide = x.reshape(between).broadcast_to([length for t, n in zip(times, x.shape, strict=True) for length in (t, n)])
    return wide.reshape([t * n for t, n in zip(times, x.shape, strict=True)])


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """Elements along an axis by their numbers."""
    if axis is None and x.ndim != 1:
        raise LaunchError(f"say along which axis: x has shape {x.shape}")
    return x.take(indices, 0 if axis is None else axis)


# Products


def matmul(x1: Array, x2: Array, /) -> Array:
    """The product of matrices, vectors, and stacks of them."""
    return x1 @ x2 if isinstance(x1, (Array, Buffer)) else array_like(x2).__rmatmul__(x1)


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The sum of products along an axis; of complex numbers those with the conjugates of x1."""
    if not -builtins.min(x1.ndim, x2.ndim) <= axis < 0:
        least = -builtins.min(x1.ndim, x2.ndim)
        raise LaunchError(
            f"axis {axis} of x1 of shape {x1.shape} and x2 of shape {x2.shape}: {least} to -1 is expected"
        )
    if x1.shape[axis] != x2.shape[axis]:
        raise misfit("vecdot", "x2", x2.shape, axis, f"{x1.shape[axis]}, as in x1 {x1.shape}, is expected")
    found = conj(x1) * x2
    return reduced("sum", found, axis, False)


def tensordot(x1: Array, x2: Array, /, *, axes: Any = 2) -> Array:
    """The sum of products along several axes of each."""
    executor = next((each.executor for each in (x1, x2) if isinstance(each, Array)), None)
    x1, x2 = (array_of(each, executor) for each in (x1, x2))
    if isinstance(axes, int):
        axes = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    left = [x1._axis(a, "x1") for a in axes[0]]
    right = [x2._axis(a, "x2") for a in axes[1]]
    if len(left) != len(right):
        raise LaunchError(f"tensordot: axes names {len(left)} of x1 and {len(right)} of x2; as many are expected")
    for a, b in zip(left, right, strict=True):
        if x1.shape[a] != x2.shape[b]:
            wanted = f"{x1.shape[a]}, as axis {a} of x1 {x1.shape}, is expected"
            raise misfit("tensordot", "x2", x2.shape, b, wanted)
    kept = [a for a in range(x1.ndim) if a not in left]
    others = [a for a in range(x2.ndim) if a not in right]
    count = math.prod(x1.shape[a] for a in left)
    rows = x1.transpose([*kept, *left]).reshape(math.prod(x1.shape[a] for a in kept), count)
    columns = x2.transpose([*right, *others]).reshape(count, math.prod(x2.shape[a] for a in others))
    return (rows @ columns).reshape([*(x1.shape[a] for a in kept), *(x2.shape[a] for a in others)])


def softmax(x: Array, /, *, axis: int = -1) -> Array:
    """exp(x - max) by its sum, along an axis."""
    return _soft(x, axis, "Softmax")


def log_softmax(x: Array, /, *, axis: int = -1) -> Array:
    """The logarithm of softmax."""
    return _soft(x, axis, "LogSoftmax")


def _soft(x: Array, axis: int, name: str) -> Array:
    at = x._axis(axis)
    found = x.astype(floating(x.dtype))
    numbers = (("outer", math.prod(x.shape[:at])), ("n", x.shape[at]), ("inner", math.prod(x.shape[at + 1 :])))
    return Array(tensor(name, "output", found.dtype, x.shape, numbers, ("input", found)), x.executor)


def of_buffers(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which takes Buffers for Arrays, and says so where it gets no array."""

    @wraps(function)
    def call(*given: Any, **options: Any) -> Any:
        try:
            return function(*(array_like(each) if isinstance(each, Buffer) else each for each in given), **options)
        except AttributeError:
            if not given or isinstance(given[0], (Array, Buffer)):
                raise
        raise LaunchError(f"{function.__name__} takes an Array, not {type(given[0])}: make one, ex.array(...)")

    return call


for _name in __all__:
    globals()[_name] = of_buffers(globals()[_name])
