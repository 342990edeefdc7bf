"""Array: a lazy expression of arrays on an executor's device. It is computed when it is read, or by `realize()`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, Self

from ..errors import LaunchError, outermost
from ..isa.elements import ElementType, bool_
from ..isa.types import Type
from ..runtime import arrays
from ..runtime.executor import Buffer
from ..runtime.operators import Operators
from .elementwise import MAPS
from .node import ArrayNode, broadcast, map_, source, view
from .types import accumulated, floating, kind_of, of_number, promoted
from .view import View, row_major

if TYPE_CHECKING:
    from ..runtime.executor import Executor

__all__ = ["Array", "Axes", "array_of", "mapped", "reduced", "tensor"]

Axes = int | Sequence[int] | None


class Array(Operators):
    """Elements in rows, of one type; not computed yet, or in a Buffer of `executor`. Operators and methods are NumPy's.
    An Array does not change."""

    __slots__ = ("executor", "node")
    __array_priority__ = 1000

    def __init__(self, node: ArrayNode, executor: Executor) -> None:
        self.node, self.executor = node, executor

    # What it is

    @property
    def shape(self) -> tuple[int, ...]:
        return self.node.shape

    @property
    def dtype(self) -> ElementType:
        return self.node.dtype

    @property
    def ndim(self) -> int:
        return len(self.node.shape)

    @property
    def size(self) -> int:
        return self.node.size

    @property
    def device(self) -> Executor:
        """Where it is computed."""
        return self.executor

    def to_device(self, device: Executor, /, *, stream: Any = None) -> Array:
        """A copy on another executor."""
        return self if device is self.executor else array_of(self.numpy(), device, dtype=self.dtype)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        from .. import array_api

        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise ValueError(f"the version of the standard is 2024.12, not {api_version}")
        return array_api

    @property
    def T(self) -> Array:
        """The axes in reverse order."""
        return self.transpose()

    @property
    def mT(self) -> Array:
        """The last two axes exchanged."""
        if self.ndim < 2:
            raise LaunchError(f"mT takes two axes or more, and the array has shape {self.shape}")
        return self.transpose((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    # Reading

    def realize(self) -> Self:
        """Computes it now, as far as launching goes; it stays in memory as long as the array is there."""
        from .run import realize

        realize([self.node], self.executor)
        return self

    @property
    def buffer(self) -> Buffer:
        """The Buffer that its elements lie in; it is freed when nobody has it any more."""
        self.realize()
        found = self.node.held
        assert isinstance(found, Buffer)
        return found

    @outermost
    def numpy(self) -> Any:
        """A copy as a NumPy array, or a memoryview in a page without NumPy. Raises the faults of what computes it."""
        return self.buffer.numpy()

    async def read(self) -> Any:
        """`numpy`, without blocking the event loop."""
        return await self.buffer.read()

    @outermost
    def tolist(self) -> Any:
        """The elements as numbers, in lists of lists."""
        return self.buffer.tolist()

    def item(self) -> Any:
        """The one element as a number."""
        if self.size != 1:
            raise LaunchError(f"an array of shape {self.shape} is no number: it has {self.size} elements")
        return self.reshape(()).tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.buffer.__array__(dtype, copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self.buffer.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.buffer.__dlpack_device__()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    def __index__(self) -> int:
        if kind_of(self.dtype) != "i":
            raise TypeError(f"only an array of an integer is an index, not one of {self.dtype}")
        return int(self.item())

    def explain(self) -> str:
        """The kernels that compute it, as text of our own language, with their launches."""
        from .run import explain

        return explain([self.node], self.executor)

    def __repr__(self) -> str:
        state = "" if self.node.op == "source" else ", not computed yet"
        return f"<Array {self.shape} {self.dtype} on {self.executor.backend.selected}{state}>"

    # Shape

    @outermost
    def reshape(self, *shape: Any) -> Array:
        """The same elements, row by row, with other axes; one of them may be -1."""
        lengths = _lengths(shape)
        if lengths.count(-1) == 1:
            rest = prod(length for length in lengths if length != -1)
            lengths = [self.size // rest if length == -1 and rest else length for length in lengths]
        if prod(lengths) != self.size or min(lengths, default=0) < 0:
            raise LaunchError(f"an array of shape {self.shape} cannot have the shape {tuple(_lengths(shape))}")
        return self._with(view(self.node, View(tuple(lengths), row_major(lengths))))

    @outermost
    def transpose(self, *axes: Any) -> Array:
        """The axes in another order; by default in reverse."""
        found = _lengths(axes) if axes and axes != (None,) else list(range(self.ndim))[::-1]
        order = [self._axis(axis) for axis in found]
        if sorted(order) != list(range(self.ndim)):
            raise LaunchError(
                f"axes of an array of shape {self.shape} are {tuple(range(self.ndim))}, not {tuple(found)}"
            )
        strides = row_major(self.shape)
        return self._with(view(self.node, View(tuple(self.shape[a] for a in order), tuple(strides[a] for a in order))))

    def permute_dims(self, axes: Sequence[int]) -> Array:
        """The axes in another order."""
        return self.transpose(tuple(axes))

    @outermost
    def broadcast_to(self, shape: Sequence[int]) -> Array:
        """The array with further and longer axes, along which it repeats."""
        return self._with(broadcast(self.node, tuple(shape)))

    def ravel(self) -> Array:
        """One axis."""
        return self.reshape(-1) if self.size else self.reshape(0)

    @outermost
    def squeeze(self, axis: Axes = None) -> Array:
        """Without axes of one element."""
        axes = self._axes(axis) if axis is not None else [a for a in range(self.ndim) if self.shape[a] == 1]
        if any(self.shape[a] != 1 for a in axes):
            raise LaunchError(f"only axes of one element are squeezed: {axis!r} of shape {self.shape}")
        return self.reshape([length for a, length in enumerate(self.shape) if a not in axes])

    @outermost
    def expand_dims(self, axis: int = 0) -> Array:
        """With a further axis of one element."""
        if not -self.ndim - 1 <= axis <= self.ndim:
            raise LaunchError(f"axis {axis} of an array that gets {self.ndim + 1} axes")
        at = axis % (self.ndim + 1)
        return self.reshape([*self.shape[:at], 1, *self.shape[at:]])

    @outermost
    def flip(self, axis: Axes = None) -> Array:
        """The elements in reverse order along axes, by default all."""
        axes = self._axes(axis)
        strides = row_major(self.shape)
        offset = sum(strides[a] * max(self.shape[a] - 1, 0) for a in axes)
        turned = tuple(-stride if a in axes else stride for a, stride in enumerate(strides))
        return self._with(view(self.node, View(self.shape, turned, offset)))

    @outermost
    def __getitem__(self, key: Any) -> Array:
        """A view: integers, slices, None and `...`; or elements chosen by an array of integers along the first axis."""
        keys = list(key) if isinstance(key, tuple) else [key]
        if any(isinstance(each, (Array, Buffer, list)) or hasattr(each, "dtype") for each in keys):
            if len(keys) == 1:
                return self.take(keys[0], axis=0)
            raise LaunchError(
                "one array of integers chooses elements along the first axis: x[rows]; else x.take(i, axis)"
            )
        given = sum(each is not None and each is not Ellipsis for each in keys)
        if keys.count(Ellipsis) > 1 or given > self.ndim:
            raise LaunchError(f"an array of shape {self.shape} has {self.ndim} axes, and x[{_shown(keys)}] has {given}")
        if Ellipsis not in keys:
            keys.append(Ellipsis)
        at = keys.index(Ellipsis)
        keys[at : at + 1] = [slice(None)] * (self.ndim - given)
        shape: list[int] = []
        strides: list[int] = []
        offset, axis = 0, 0
        own = row_major(self.shape)
        for each in keys:
            if each is None:
                shape.append(1)
                strides.append(0)
                continue
            length = self.shape[axis]
            if isinstance(each, slice):
                start, _, step = each.indices(length)
                count = len(range(*each.indices(length)))
                shape.append(count)
                strides.append(own[axis] * step)
                offset += own[axis] * start if count else 0
            else:
                number = _whole(each)
                if not -length <= number < length:
                    raise LaunchError(f"index {number} is beyond axis {axis}, which has {length} elements")
                offset += own[axis] * (number % length)
            axis += 1
        return self._with(view(self.node, View(tuple(shape), tuple(strides), offset)))

    @outermost
    def take(self, indices: Any, axis: int = 0) -> Array:
        """Elements along an axis by their numbers, which may not be negative; others are OutOfBounds when computed."""
        found = array_of(indices, self.executor)
        if kind_of(found.dtype) != "i":
            raise LaunchError(f"elements are chosen by integers, not by {found.dtype}")
        at = self._axis(axis)
        chosen = found.astype(Type.I32)
        outer, n, inner = prod(self.shape[:at]), self.shape[at], prod(self.shape[at + 1 :])
        shape = (*self.shape[:at], *chosen.shape, *self.shape[at + 1 :])
        numbers = (("outer", outer), ("axis_len", n), ("inner", inner), ("count", chosen.size))
        return self._with(tensor("Gather", "output", self.dtype, shape, numbers, ("input", self), ("indices", chosen)))

    # Elements

    @outermost
    def astype(self, dtype: Any) -> Array:
        """Converted as CVT does it: integers wrap, floats to integers are cut and end at the type's ends."""
        ty = arrays.to_type(dtype)
        return self if ty is self.dtype else self._with(map_("cast", ty, self.node))

    def _with(self, node: ArrayNode) -> Array:
        return Array(node, self.executor)

    def _axis(self, axis: int) -> int:
        if not -self.ndim <= axis < max(self.ndim, 1):
            raise LaunchError(f"axis {axis} of an array of shape {self.shape}")
        return axis % max(self.ndim, 1)

    def _axes(self, axis: Axes) -> list[int]:
        if axis is None:
            return list(range(self.ndim))
        found = [self._axis(a) for a in ((axis,) if isinstance(axis, int) else axis)]
        if len(set(found)) < len(found):
            raise LaunchError(f"an axis is named twice: {axis}")
        return found

    # Reductions

    def sum(self, axis: Axes = None, keepdims: bool = False) -> Array:
        return reduced("sum", self.astype(accumulated(self.dtype)), axis, keepdims)

    def prod(self, axis: Axes = None, keepdims: bool = False) -> Array:
        return reduced("prod", self.astype(accumulated(self.dtype)), axis, keepdims)

    def min(self, axis: Axes = None, keepdims: bool = False) -> Array:
        return reduced("min", self, axis, keepdims)

    def max(self, axis: Axes = None, keepdims: bool = False) -> Array:
        return reduced("max", self, axis, keepdims)

    def any(self, axis: Axes = None, keepdims: bool = False) -> Array:
        return reduced("max", (self != 0).astype(Type.I32), axis, keepdims, empty=0) != 0

    def all(self, axis: Axes = None, keepdims: bool = False) -> Array:
        return reduced("min", (self != 0).astype(Type.I32), axis, keepdims, empty=1) != 0

    def mean(self, axis: Axes = None, keepdims: bool = False) -> Array:
        count = prod(self.shape[a] for a in self._axes(axis))
        return self.astype(floating(self.dtype)).sum(axis, keepdims) / float(count)

    def var(self, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
        count = prod(self.shape[a] for a in self._axes(axis))
        away = self - self.mean(axis, keepdims=True)
        return (away * away).sum(axis, keepdims) / (count - correction)

    def std(self, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
        return mapped("sqrt", self.var(axis, correction, keepdims))

    def argmin(self, axis: int | None = None) -> Array:
        return self._chosen("ArgMin", axis)

    def argmax(self, axis: int | None = None) -> Array:
        return self._chosen("ArgMax", axis)

    def _chosen(self, name: str, axis: int | None) -> Array:
        found = self.ravel() if axis is None else self
        at = found._axis(0 if axis is None else axis)
        outer, n, inner = prod(found.shape[:at]), found.shape[at], prod(found.shape[at + 1 :])
        if not n:
            raise LaunchError(f"{name} of no elements: axis {at} of shape {found.shape}")
        shape = (*found.shape[:at], *found.shape[at + 1 :])
        numbers = (("outer", outer), ("n", n), ("inner", inner))
        return self._with(tensor(name, "output", Type.I32, shape, numbers, ("input", found)))

    # Products

    @outermost
    def __matmul__(self, other: Any) -> Array:
        from .products import product

        return product(self, array_of(other, self.executor, beside=self))

    @outermost
    def __rmatmul__(self, other: Any) -> Array:
        from .products import product

        return product(array_of(other, self.executor, beside=self), self)

    if TYPE_CHECKING:

        def __eq__(self, other: object) -> Array: ...  # type: ignore[override]
        def __ne__(self, other: object) -> Array: ...  # type: ignore[override]

    __hash__ = object.__hash__

    def __neg__(self) -> Array:
        return mapped("negative", self)

    def __pos__(self) -> Array:
        return self

    def __abs__(self) -> Array:
        return mapped("abs", self)

    def __invert__(self) -> Array:
        return mapped("bitwise_invert", self)


OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip
COMPARISONS = {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}


def _operator(name: str, swapped: bool) -> Callable[[Array, Any], Any]:
    @outermost
    def operate(self: Array, other: Any) -> Any:
        if not isinstance(other, (Array, Buffer, bool, int, float)) and not hasattr(other, "__array__"):
            return NotImplemented
        return mapped(name, other, self) if swapped else mapped(name, self, other)

    operate.__name__ = name
    return operate


for _short, _name in (OPERATORS | COMPARISONS).items():
    setattr(Array, f"__{_short}__", _operator(_name, False))
    if _short in OPERATORS:
        setattr(Array, f"__r{_short}__", _operator(_name, True))


def array_of(
    value: Any, executor: Executor | None, beside: Array | None = None, dtype: ElementType | None = None
) -> Array:
    """An Array of what NumPy takes for one, of a Buffer, or of a number, whose type fits `beside`. Raises
    LaunchError for one of another executor."""
    if isinstance(value, Array):
        if executor is not None and value.executor is not executor:
            raise LaunchError(f"arrays of one executor go together: {value!r} is of another one")
        return value
    if isinstance(value, Buffer):
        if executor is not None and value.executor is not executor:
            raise LaunchError(f"arrays of one executor go together: {value!r} is of another one")
        return Array(source(value), value.executor)
    if executor is None:
        raise LaunchError(f"{value!r} is on no device: make an array of it, ex.array(...)")
    if isinstance(value, (bool, int, float)):
        ty = dtype or (of_number(value, beside.dtype) if beside is not None else _type_of(value))
        if isinstance(ty, Type) and ty.is_integer and not ty.min_value <= value <= ty.max_value:
            raise LaunchError(f"{value} is beyond {ty}, the type of the array beside it: convert that with astype")
        return Array(ArrayNode("scalar", (), ty, (), None, value), executor)
    found = arrays.array(value, dtype)
    ty = dtype or arrays.type_of(found)
    return Array(source(executor.result(found.shape, ty).from_numpy(found)), executor)


def _type_of(number: bool | int | float) -> ElementType:
    if isinstance(number, bool):
        return bool_
    return Type.I32 if isinstance(number, int) else Type.F32


_OF_BOOLS = {
    "bitwise_and": "logical_and", "bitwise_or": "logical_or", "bitwise_xor": "logical_xor",
    "bitwise_invert": "logical_not",
}  # fmt: skip
_OF_FRACTIONS = ("ceil", "floor", "round", "trunc")  # which integers have none of


@outermost
def mapped(op: str, *operands: Any, executor: Executor | None = None) -> Array:
    """An operation on each element of operands that fit one another: a row of `elementwise.MAPS`. One at least is an
    Array or a Buffer, or `executor` says where. Raises LaunchError."""
    first = next((each for each in operands if isinstance(each, (Array, Buffer))), None)
    executor = executor or (None if first is None else first.executor)
    given: list[Any] = [None] * len(operands)
    for number, each in enumerate(operands):
        if not isinstance(each, (bool, int, float)):
            given[number] = array_of(each, executor)
    choice = op == "where"
    some = [each for each in given[choice:] if each is not None]
    common: ElementType | None = None
    for each in some:
        common = each.dtype if common is None else promoted(common, each.dtype)
    for each in operands[choice:]:
        if isinstance(each, (bool, int, float)):
            ty = _type_of(each)
            common = ty if common is None else of_number(each, common)
    assert common is not None
    if op in _OF_FRACTIONS and kind_of(common) == "i":
        return array_of(operands[0], executor)
    op = _OF_BOOLS.get(op, op) if common is bool_ else op
    row = MAPS[op]
    if "b" in row.kinds and row.kinds == "b":
        common = bool_
    elif row.kinds == "f":
        common = floating(common)
    elif kind_of(common) not in row.kinds:
        if kind_of(common) == "b" and "i" in row.kinds:
            common = Type.I32
        else:
            raise LaunchError(f"{op} takes no arrays of {common}")
    for number, each in enumerate(operands):
        wanted = bool_ if choice and number == 0 else common
        if given[number] is None:
            given[number] = array_of(each, executor, dtype=wanted)
        elif given[number].dtype is not wanted:
            given[number] = _truth(given[number]) if wanted is bool_ else given[number].astype(wanted)
    gives = bool_ if row.gives == "bool" else common
    found = map_(op, gives, *(each.node for each in given))
    assert executor is not None
    return Array(found, executor)


def _truth(found: Array) -> Array:
    return mapped("not_equal", found, 0)


@outermost
def reduced(kind: str, array: Array, axis: Axes, keepdims: bool, empty: Any = None) -> Array:
    """A reduction along axes. Raises LaunchError for the least or greatest of nothing."""
    axes = sorted(array._axes(axis))
    shape = array.shape
    along = [shape[a] for a in axes]
    if kind in ("min", "max") and not prod(along) and empty is None:
        raise LaunchError(f"{kind} of no elements: axis {axis} of shape {shape}")
    kept = [a for a in range(len(shape)) if a not in axes]
    result = tuple(shape[a] for a in kept)
    if not axes:
        return array
    found = array.node
    if axes == list(range(axes[0], axes[-1] + 1)):
        outer, inner = shape[: axes[0]], shape[axes[-1] + 1 :]
    else:
        outer, inner = result, ()
        found = array.transpose([*kept, *axes]).node
    if not prod(along):  # nothing is read
        number = empty if empty is not None else {"sum": 0, "prod": 1}[kind]
        node = broadcast(ArrayNode("scalar", (), array.dtype, (), None, number), result)
    else:
        node = ArrayNode("reduce", (found,), array.dtype, result, (kind, outer, tuple(along), inner))
    made = Array(node, array.executor)
    return made.reshape([1 if a in axes else length for a, length in enumerate(shape)]) if keepdims else made


def tensor(
    name: str,
    result: str,
    dtype: ElementType,
    shape: tuple[int, ...],
    numbers: tuple[tuple[str, Any], ...],
    *operands: tuple[str, Array],
    scratch: tuple[tuple[str, int], ...] = (),
) -> ArrayNode:
    """An operation of the tensor library; `scratch` has operands that nobody reads, with their bytes."""
    named = tuple(each for each, _ in operands)
    return ArrayNode(
        "tensor", tuple(array.node for _, array in operands), dtype, shape, (name, result, named, numbers, scratch)
    )


def _lengths(shape: Any) -> list[int]:
    if len(shape) == 1 and not isinstance(shape[0], int) and hasattr(shape[0], "__iter__"):
        shape = shape[0]
    return [index(length) for length in shape]


def _whole(key: Any) -> int:
    try:
        return index(key)
    except TypeError:
        raise LaunchError(f"an array is indexed by integers, slices, None and ..., not by {key!r}") from None


def _shown(keys: Sequence[Any]) -> str:
    return ", ".join("..." if each is Ellipsis else str(each) for each in keys)
