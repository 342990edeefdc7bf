"""Array: a lazy expression of arrays on an executor's device. It is computed when it is read, or by `realize()`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Self

from ..errors import FULL, HologramError, LaunchError, outermost
from ..extras import page_of
from ..isa.elements import ElementType, bool_, stored_as
from ..isa.ops import reduce_type
from ..isa.types import Type
from ..runtime import arrays
from ..runtime.executor import Buffer
from ..runtime.operators import Operators
from .lines import naming, reading
from .node import DEEPEST, ArrayAxisError, ArrayNode, ArrayShapeError, broadcast, map_, scalar, source, view
from .sizes import Size, is_known, whole
from .tracing import Parameter, check_known
from .types import (
    NUMBERS,
    TypesTogether,
    accumulated,
    floating,
    kind_of,
    of_number,
    real_of,
    rule_of,
    type_of_number,
)  # fmt: skip
from .view import View, row_major

if TYPE_CHECKING:
    from ..runtime.executor import Executor

__all__ = ["Array", "Axes", "array_of", "by_parts", "lengths_of", "mapped", "mapped_to", "reduced"]

Axes = int | Sequence[int] | None


class Array(Operators):
    """Elements in rows, of one type; not computed yet, or in a Buffer of `executor`. Operators and methods are NumPy's.
    Assignment gives an Array other elements, and does not touch what was made of it."""

    __slots__ = ("executor", "node")
    __array_priority__ = 1000

    def __init__(self, node: ArrayNode, executor: Executor) -> None:
        self.node, self.executor = node, executor
        if node.depth > DEEPEST:
            from .run import bound

            bound(node, executor)

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

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        """A copy on another executor."""
        return self if device is self.executor else array_of(self.numpy(), device, dtype=self.dtype)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        from ..array_api import of_version

        return of_version(api_version)

    @property
    def T(self) -> Array:
        """The axes in reverse order."""
        return self.transpose()

    @property
    def mT(self) -> Array:
        """The last two axes exchanged."""
        if self.ndim < 2:
            raise LaunchError(f"mT takes two axes or more, and x has shape {self.shape}")
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
        check_known([self.node])
        return self.node.held  # type: ignore[no-any-return]

    @reading
    def numpy(self) -> Any:
        """A copy as a NumPy array, or a memoryview in a page without NumPy. Raises the faults of what computes it."""
        return self.buffer.numpy()

    async def read(self) -> Any:
        """`numpy`, without blocking the event loop."""
        with naming(self.executor):
            return await self.buffer.read()

    @reading
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

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from . import dispatch

        return dispatch.ufunc(ufunc, method, inputs, options)

    def __array_function__(self, func: Any, types: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        from . import dispatch

        return dispatch.function(func, args, options)

    def __buffer__(self, flags: int, /) -> memoryview:
        return memoryview(self.numpy())

    def __dlpack__(
        self,
        /,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The elements in memory of the host: those themselves where NumPy reaches the device's, unless `copy`."""
        lends = hasattr(self.executor.device, "view")
        if copy is False and not lends:
            raise BufferError(f"the memory of {self.executor.backend.selected} is out of reach: it has to be copied")
        if lends and self.size and not copy:
            from .dispatch import Lent

            found = arrays.numpy().asarray(Lent(self))
        else:
            found = self.numpy()
        return found.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.buffer.__dlpack_device__()

    def __complex__(self) -> complex:
        return complex(self.item())

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
        """The graph of what it is computed from, the kernels, as text of our own language, and their launches."""
        from .run import explain

        return explain([self.node], self.executor)

    def _repr_html_(self) -> str | None:
        return page_of(self)

    def __repr__(self) -> str:
        state = "" if self.node.op == "source" else ", not computed yet"
        return f"<Array {self.shape} {self.dtype} on {self.executor.backend.selected}{state}>"

    # Shape

    @outermost
    def reshape(self, *shape: Any) -> Array:
        """The same elements, row by row, with other axes; one of them may be -1."""
        wanted = lengths = lengths_of(shape)
        if lengths.count(-1) == 1:
            rest = prod(length for length in lengths if length != -1)
            lengths = [self.size // rest if length == -1 and rest else length for length in lengths]
        if prod(lengths) != self.size or any(length < 0 for length in lengths):
            raise ArrayShapeError(f"x of shape {self.shape}, {self.size} elements, cannot have the shape {(*wanted,)}")
        return self._with(view(self.node, View(tuple(lengths), row_major(lengths))))

    @outermost
    def transpose(self, *axes: Any) -> Array:
        """The axes in another order; by default in reverse."""
        found = lengths_of(axes) if axes and axes != (None,) else list(range(self.ndim))[::-1]
        order = [self._axis(axis) for axis in found]
        if sorted(order) != list(range(self.ndim)):
            raise ArrayShapeError(
                f"axes of x, whose shape is {self.shape}, are {tuple(range(self.ndim))}, each once, not {tuple(found)}"
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
            raise ArrayShapeError(f"axis {axis!r} of x, whose shape is {self.shape}: one of one element is expected")
        return self.reshape([length for a, length in enumerate(self.shape) if a not in axes])

    @outermost
    def expand_dims(self, axis: int | tuple[int, ...] = 0) -> Array:
        """With further axes of one element, at these places of the result."""
        axes = (axis,) if isinstance(axis, int) else axis
        count = self.ndim + len(axes)
        if any(not -count <= each < count for each in axes) or len({each % count for each in axes}) < len(axes):
            raise ArrayAxisError(f"axis {axis} of x, which gets {count} axes: {-count} to {count - 1}, each once")
        shape = list(self.shape)
        for at in sorted(each % count for each in axes):
            shape.insert(at, 1)
        return self.reshape(shape)

    @outermost
    def flip(self, axis: Axes = None) -> Array:
        """The elements in reverse order along axes, by default all."""
        axes = self._axes(axis)
        strides = row_major(self.shape)
        offset = sum(strides[a] * max(self.shape[a] - 1, 0) for a in axes)
        turned = tuple(-stride if a in axes else stride for a, stride in enumerate(strides))
        return self._with(view(self.node, View(self.shape, turned, offset)))

    @outermost
    def __getitem__(self, key: Any, /) -> Array:
        """A view: integers, slices, None and `...`; or elements chosen by arrays of integers, or by one of bools, whose
        number has to be read then."""
        from .indexing import chosen

        return chosen(self, key)

    @outermost
    def __setitem__(self, key: Any, value: Any, /) -> None:
        """The array has other elements there. Views that were taken of it before keep those that they had."""
        from .indexing import assigned

        self.node = assigned(self, key, value).node

    @outermost
    def take(self, indices: Any, axis: int = 0) -> Array:
        """Elements along an axis by their numbers, negative ones from its end; others are OutOfBounds when computed."""
        from .indexing import taken

        return taken(self, indices, axis)

    # Elements

    @outermost
    def astype(self, dtype: Any) -> Array:
        """Converted as CVT does it: integers wrap, floats to integers are cut and end at the type's ends."""
        ty = arrays.to_type(dtype)
        if ty is self.dtype:
            return self
        if kind_of(self.dtype) == "c" and kind_of(ty) != "c":
            raise LaunchError(f"{self.dtype} does not become {ty} without losing its imaginary part: take real(x)")
        node = self.node
        if kind_of(ty) == "c" and node.dtype is not (part := real_of(ty)) and kind_of(node.dtype) != "c":
            node = map_("cast", part, node)
        return self._with(map_("cast", ty, node))

    def _with(self, node: ArrayNode) -> Array:
        return Array(node, self.executor)

    def _axis(self, axis: int, x: str = "x") -> int:
        end = max(self.ndim, 1)
        if not -self.ndim <= axis < end:
            raise ArrayAxisError(f"axis {axis} of {x}, of shape {self.shape}: {-self.ndim} to {end - 1} is expected")
        return axis % end

    def _axes(self, axis: Axes) -> list[int]:
        if axis is None:
            return list(range(self.ndim))
        found = [self._axis(a) for a in ((axis,) if isinstance(axis, int) else axis)]
        if len(set(found)) < len(found):
            raise ArrayAxisError(f"an axis of x, whose shape is {self.shape}, is named twice: {axis}")
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
        wide = self.wide()
        return mapped("divide", wide.sum(axis, keepdims), wide._number(count)).astype(floating(self.dtype))

    def var(self, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
        count = prod(self.shape[a] for a in self._axes(axis))
        wide = self.wide()
        away = wide - wide.mean(axis, keepdims=True)
        found = mapped("divide", (away * away).sum(axis, keepdims), wide._number(count) - correction)
        return found.astype(floating(self.dtype))

    def wide(self) -> Array:
        """In floats that hold sums: floats of 16 bits as F32."""
        ty = floating(self.dtype)
        return self.astype(Type.F32 if isinstance(ty, Type) and ty.bits < 32 else ty)

    def _number(self, count: Any) -> Any:
        """A number of elements to divide by: as an array where it is not known yet."""
        return float(count) if is_known(count) else array_of(count, self.executor).astype(floating(self.dtype))

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
            raise LaunchError(f"{name} of no elements: axis {at} of x, whose shape is {found.shape}")
        shape = (*found.shape[:at], *found.shape[at + 1 :])
        numbers = (("outer", outer), ("n", n), ("inner", inner))
        from .library_nodes import tensor

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

    def __pos__(self) -> Array:
        return self


OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip
COMPARISONS = {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
}  # fmt: skip
_OPERANDS = (Array, Buffer, Size, memoryview, *NUMBERS)


def _operator(name: str, swapped: bool, in_place: bool = False) -> Callable[[Array, Any], Any]:
    def slowly(self: Array, other: Any, /) -> Any:
        if not (isinstance(other, _OPERANDS) or hasattr(other, "__array__") or hasattr(other, "to_memoryview")):
            return NotImplemented
        found = _mapped(name, (other, self) if swapped else (self, other), self.executor)
        if not in_place:
            return found
        if (found.shape, found.dtype) != (self.shape, self.dtype):
            there = f"{self.shape} {self.dtype}"
            raise LaunchError(f"{name} in place: an array of {there} does not hold {found.shape} {found.dtype}")
        self.node = found.node
        return self

    rules: dict[Any, Any] = {}  # by the types of both: `_plain` ones

    def operate(self: Array, other: Any, /) -> Any:
        """`slowly` in a fourth of the time, for arrays of one shape, or a float."""
        node, cls = self.node, type(other)
        given = other.node if cls is Array and other.executor is self.executor else None
        kinds = node.dtype, cls if given is None else given.dtype
        rule = rules.get(kinds)
        if rule is None or (given is not None and given.shape != node.shape):
            if (given is not None or cls is float) and kinds not in rules:
                rules[kinds] = _plain(name, kinds[::-1] if swapped else kinds, node.dtype)
            try:
                return slowly(self, other)
            except HologramError as error:  # as `outermost` does
                error.__traceback__ = error.__traceback__ if FULL else None
                raise
        if given is None:
            given = scalar(other, node.dtype, node.shape)
        return Array(
            ArrayNode(rule.op, (given, node) if swapped else (node, given), rule.gives, node.shape), self.executor
        )

    operate.__name__ = slowly.__name__ = name
    return outermost(slowly) if in_place else operate


def _plain(name: str, kinds: tuple[Any, ...], dtype: ElementType) -> TypesTogether | None:
    """The rule for operands of this type, where both have it, or are numbers that get it."""
    try:
        rule = rule_of(name, kinds)
    except LaunchError:
        return None
    return rule if rule.wanted == (dtype, dtype) and all(each in (dtype, float) for each in kinds) else None


for _short, _name in (("neg", "negative"), ("abs", "abs"), ("invert", "bitwise_invert")):
    setattr(Array, f"__{_short}__", lambda self, name=_name: mapped(name, self))
for _short, _name in (OPERATORS | COMPARISONS).items():
    setattr(Array, f"__{_short}__", _operator(_name, False))
    if _short in OPERATORS:
        setattr(Array, f"__r{_short}__", _operator(_name, True))
        setattr(Array, f"__i{_short}__", _operator(_name, False, True))


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
    if isinstance(value, NUMBERS):
        ty = dtype or (of_number(value, beside.dtype) if beside is not None else type_of_number(value))
        return Array(scalar(_held(value, ty), ty), executor)
    if isinstance(value, Size):
        number = Array(scalar(Parameter(value.formula), Type.I32), executor)  # type: ignore[arg-type]
        return number if dtype is None else number.astype(dtype)
    found = arrays.array(value, dtype)
    ty = dtype or arrays.type_of(found)
    return Array(source(executor.result(arrays.lengths(found, ty), ty, zeroed=False).from_numpy(found)), executor)


def _held(value: Any, ty: ElementType) -> Any:
    if isinstance(ty, Type) and ty.is_integer and not ty.min_value <= value <= ty.max_value:
        raise LaunchError(f"{value} is beyond {ty}, the type of the array beside it: convert that with astype")
    return int(value) if isinstance(value, bool) and ty is not bool_ else value


@outermost
def mapped(op: str, *operands: Any, executor: Executor | None = None) -> Array:
    """An operation on each element of operands that fit one another: a row of `elementwise.MAPS`. One at least is an
    Array or a Buffer, or `executor` says where. Raises LaunchError."""
    if executor is None:
        executor = next((each.executor for each in operands if isinstance(each, (Array, Buffer))), None)
    return _mapped(op, operands, executor)


def _mapped(op: str, operands: Sequence[Any], executor: Executor | None) -> Array:
    given, kinds = [], list[Any]()
    for each in operands:
        if type(each) is not Array or each.executor is not executor:
            each = each if isinstance(each, NUMBERS) else array_of(each, executor)
        kinds.append(each.node.dtype if isinstance(each, Array) else type(each))
        given.append(each)
    rule = rule_of(op, tuple(kinds))
    if rule.op is None:
        return array_of(given[0], executor, dtype=rule.gives)
    nodes = []
    for each, wanted in zip(given, rule.wanted, strict=True):
        if not isinstance(each, Array):
            nodes.append(scalar(_held(each, wanted), wanted))
        elif each.node.dtype is wanted:
            nodes.append(each.node)
        else:
            nodes.append((mapped("not_equal", each, 0) if wanted is bool_ else each.astype(wanted)).node)
    if executor is None:
        raise LaunchError(f"{op} takes an array at least: numbers alone are Python's")
    return Array(map_(rule.op, rule.gives, *nodes), executor)


def by_parts(function: Callable[[Array], Array], array: Array) -> Array:
    """A linear function of complex numbers: of their parts."""
    return mapped_to("complex", array.dtype, *(function(mapped(part, array)) for part in ("real", "imag")))


def mapped_to(op: str, dtype: ElementType, *operands: Array) -> Array:
    """A row whose result is of the type that is asked for."""
    return Array(map_(op, dtype, *(each.node for each in operands)), operands[0].executor)


@outermost
def reduced(kind: str, array: Array, axis: Axes, keepdims: bool, empty: Any = None) -> Array:
    """A reduction along axes. Raises LaunchError for the least or greatest of nothing."""
    axes = sorted(array._axes(axis))
    shape = array.shape
    along = [shape[a] for a in axes]
    if kind in ("min", "max") and not prod(along) and empty is None:
        raise LaunchError(f"{kind} of no elements: axis {axis} of x, whose shape is {shape}")
    kept = [a for a in range(len(shape)) if a not in axes]
    result = tuple(shape[a] for a in kept)
    if not axes:
        return array
    if kind_of(array.dtype) == "c" and 0 not in shape:
        if kind != "sum":
            raise LaunchError(f"complex numbers have no {kind}")
        return by_parts(lambda part: reduced(kind, part, axis, keepdims), array)
    gaps = [a for a in kept if axes[0] < a < axes[-1] and not (is_known(shape[a]) and shape[a] == 1)]
    if prod(along) == 0 or kind_of(array.dtype) == "c":  # nothing is read
        number = empty if empty is not None else {"sum": 0, "prod": 1}[kind]
        made = Array(scalar(number, array.dtype, result), array.executor)
    elif gaps and kind in ("sum", "prod"):
        # Axes that are no neighbours are reduced one after the other, those that lie within first.
        made = array.astype(reduce_type(stored_as(array.dtype)))
        for some in ([a for a in axes if a > gaps[-1]], [a for a in axes if a < gaps[-1]]):
            made = reduced(kind, made, some, True)
        made = made.reshape(result).astype(array.dtype)
    else:
        attrs = kind, shape[: axes[0]], shape[axes[0] : axes[-1] + 1], shape[axes[-1] + 1 :]
        if gaps:
            array, attrs = array.transpose([*kept, *axes]), (kind, result, tuple(along), ())
        made = Array(ArrayNode("reduce", (array.node,), array.dtype, result, attrs), array.executor)
    return made.reshape([1 if a in axes else length for a, length in enumerate(shape)]) if keepdims else made


def lengths_of(shape: Any) -> list[int]:
    if len(shape) == 1 and not isinstance(shape[0], int) and hasattr(shape[0], "__iter__"):
        shape = shape[0]
    return [whole(length) for length in shape]
