"""Elements by keys: views, elements chosen by arrays of integers and bools, and assignment to them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ..errors import LaunchError
from ..isa.types import Type
from ..runtime.executor import Buffer
from ..tensor.operation import ceildiv
from .array import Array, array_of, mapped
from .library_nodes import kernel, tensor
from .node import ArrayNode, broadcast, broadcast_shapes, view
from .sizes import Size, UnknownSize, is_symbolic, whole
from .types import kind_of
from .view import View, row_major

__all__ = ["ArrayIndexError", "assigned", "chosen", "counted", "positions_of", "taken"]


class ArrayIndexError(LaunchError, IndexError):
    """A key that an array does not have."""


def _is_truth(key: Any) -> bool:
    """Whether a key is one bool, or an array of one, without axes."""
    return isinstance(key, bool) or (str(getattr(key, "dtype", "")) == "bool" and key.shape == ())


def counted(array: Array, shape: tuple[int, ...]) -> Array:
    """The numbers of elements, row by row, on an array's device."""
    return Array(ArrayNode("count", (), Type.I32, shape), array.executor)


def chosen(array: Array, key: Any) -> Array:
    """`array[key]`."""
    first, rest = (key[0], key[1:]) if isinstance(key, tuple) and key else (key, ())
    if _is_truth(first):  # a new axis, of 0 or 1
        return chosen(array.expand_dims(0)[: int(bool(first))], (slice(None), *rest))
    keys = _keys(array, key)
    if not any(isinstance(each, Array) for each in keys):
        return Array(view(array.node, _view(array.shape, keys)), array.executor)
    if isinstance(keys[0], Array) and all(each == slice(None) for each in keys[1:]):
        return taken(array, keys[0], 0)
    return taken(array.ravel(), _places(array, keys), 0)


def _check_within(given: Any, length: Any, axis: int) -> None:
    """Whether numbers that the host has are those of elements. Those on a device are looked at by what reads them.
    Raises ArrayIndexError."""
    if isinstance(given, list):
        for each in given:
            _check_within(each, length, axis)
    elif isinstance(given, int) and not isinstance(length, Size) and not -length <= given < length:
        raise ArrayIndexError(f"index {given} is beyond axis {axis}, which has {length} elements")
    elif getattr(given, "size", 0) and not isinstance(given, (Array, Buffer)):
        _check_within([int(given.min()), int(given.max())], length, axis)


def taken(array: Array, indices: Any, axis: int) -> Array:
    """Elements along an axis by their numbers."""
    found = array_of(indices, array.executor)
    if kind_of(found.dtype) != "i":
        raise LaunchError(f"indices are of {found.dtype}: elements are chosen by integers")
    at = array._axis(axis)
    _check_within(indices, array.shape[at], at)
    places = found.astype(Type.I32)
    outer, n, inner = prod(array.shape[:at]), array.shape[at], prod(array.shape[at + 1 :])
    shape = (*array.shape[:at], *places.shape, *array.shape[at + 1 :])
    numbers = (("outer", outer), ("axis_len", n), ("inner", inner), ("count", places.size))
    node = tensor("Gather", "output", array.dtype, shape, numbers, ("input", array), ("indices", places))
    return Array(node, array.executor)


def assigned(array: Array, key: Any, value: Any) -> Array:
    """The array with other elements at a key. Where one is named twice, the last one counts."""
    new = array_of(value, array.executor, beside=array).astype(array.dtype)
    if isinstance(key, tuple) and len(key) == 2 and _is_truth(key[0]) and key[1] is Ellipsis:
        key = key[0]
    if _is_truth(key):
        if new.ndim > array.ndim:  # with the axis that the key makes
            if not bool(key):
                return array
            new = _value(new, (1, *array.shape))[0]
        return mapped("where", array_of(key, array.executor), _value(new, array.shape), array)
    if isinstance(key, (Array, Buffer)) and str(key.dtype) == "bool" and not new.shape:
        mask = array_of(key, array.executor)
        _check_mask(mask, array.shape)
        return mapped("where", mask.reshape(*mask.shape, *(1,) * (array.ndim - mask.ndim)), new, array)
    keys = _keys(array, key)
    if any(isinstance(each, Array) for each in keys):
        places = _places(array, keys)
        values = _fitted(new, places.shape)
        numbers = (("outer", 1), ("axis_len", array.size), ("inner", 1), ("count", places.size), ("accumulate", False))
        flat = places.ravel()
        node = tensor(
            "Scatter", "output", array.dtype, array.shape, numbers,
            ("output", array), ("input", values.ravel()), ("indices", flat),
        )  # fmt: skip
        return Array(node, array.executor)
    return _onto(array, keys, new)


def _fitted(new: Array, shape: tuple[int, ...]) -> Array:
    """What is assigned in a shape; further axes of one element in front go."""
    more = max(new.ndim - len(shape), 0)
    if more and new.shape[:more] == (1,) * more:
        new = new.reshape(new.shape[more:])
    return _value(new, shape)


def _value(new: Array, shape: tuple[int, ...]) -> Array:
    return Array(broadcast(new.node, shape, "value"), new.executor)


def _onto(array: Array, keys: list[Any], new: Array) -> Array:
    """The array, where a key without arrays is not, else the new elements: which, says where an element is."""
    part = _view(array.shape, keys)
    new = _fitted(new, part.shape)
    mask: Array | None = None
    place: Array | int = 0
    axis, out = 0, 0  # of the array, and of its part
    steps = row_major(part.shape)
    for each in keys:
        if each is None:
            out += 1
            continue
        length = array.shape[axis]
        start, step, count = _range(each, length)
        whole = (start, step, count) == (0, 1, length)
        if not (whole and (isinstance(each, slice) and not new.shape)):
            at = counted(array, (length,)).reshape(-1, *(1,) * (array.ndim - axis - 1)) - start
            if not whole:
                inside = (at >= 0) & (at < count * step) if step > 0 else (at <= 0) & (at > count * step)
                inside = inside if abs(step) == 1 else inside & (at % abs(step) == 0)
                mask = inside if mask is None else mask & inside
            if isinstance(each, slice):
                place = at // step * steps[out] + place
        axis += 1
        out += isinstance(each, slice)
    if mask is None and part == View(array.shape, row_major(array.shape)):
        return new
    parts = new.node.args if new.node.op == "complex" else (new.node,)
    if new.size and any(part.op != "scalar" for part in parts):
        number = array_of(place, array.executor, beside=counted(array, ()))
        number = mapped("minimum", mapped("maximum", number, 0), new.size - 1).broadcast_to(array.shape)
        new = taken(new.ravel(), number, 0)
    elif not new.size:
        return array
    else:
        new = new.ravel()[0]
    return new if mask is None else mapped("where", mask, new, array)


def _range(key: Any, length: int) -> tuple[int, int, int]:
    """Where a key of an axis starts, its step, and how many elements it has."""
    if isinstance(key, slice):
        if is_symbolic((length, key.start, key.stop)):
            return _part(key, length)
        start, _, step = key.indices(length)
        return start, step, len(range(*key.indices(length)))
    return key, 1, 1


def _part(key: slice, length: Any) -> tuple[int, int, int]:
    """`_range` of a length that is not known. Raises UnknownSize where it is needed."""
    step = 1 if key.step is None else key.step
    if step < 0:
        if step != -1 or key.start is not None or key.stop is not None:
            raise UnknownSize(f"where elements from behind begin depends on {length}")
        return length - 1, -1, length
    start, stop = (
        default if at is None else at + length if at < 0 else at if at <= length else length
        for at, default in ((key.start, 0), (key.stop, length))
    )
    return start, step, ceildiv(stop - start, step) if start <= stop else 0


def _keys(array: Array, key: Any) -> list[Any]:
    """A key for each axis, and None: whole numbers within the array, slices, arrays of integers."""
    keys: list[Any] = []
    given_as: dict[int, Any] = {}
    for each in key if isinstance(key, tuple) else (key,):
        if _is_truth(each):
            raise ArrayIndexError("a bool without axes is the first key, or the only one: x[mask, ...]")
        if isinstance(each, (Array, Buffer, list)) or (hasattr(each, "dtype") and getattr(each, "shape", ()) != ()):
            found = array_of(each, array.executor)
            given_as[id(found)] = each
            keys += _numbers(found, array, keys) if str(found.dtype) == "bool" else [found]
        else:
            keys.append(each)
    given = sum(each is not None and each is not Ellipsis for each in keys)
    ellipses = sum(each is Ellipsis for each in keys)
    if ellipses > 1 or given > array.ndim:
        raise ArrayIndexError(
            f"an array of shape {array.shape} has {array.ndim} axes, and x[{_shown(keys)}] has {given}"
        )
    if not ellipses:
        keys.append(Ellipsis)
    first = next(number for number, each in enumerate(keys) if each is Ellipsis)
    keys[first : first + 1] = [slice(None)] * (array.ndim - given)
    axis = 0
    for number, each in enumerate(keys):
        if each is None:
            continue
        length = array.shape[axis]
        if isinstance(each, Array):
            _check_within(given_as.get(id(each)), length, axis)
        elif not isinstance(each, slice):
            at = _whole(each)
            _check_within(at, length, axis)
            keys[number] = at + length if at < 0 else at
        axis += 1
    return keys


def _numbers(mask: Array, array: Array, keys: Sequence[Any]) -> list[Any]:
    """What an array of bools means as a key: arrays of integers along its axes."""
    axis = sum(each is not None and each is not Ellipsis for each in keys)
    _check_mask(mask, array.shape[axis:] if Ellipsis not in keys else array.shape[-mask.ndim :])
    return list(positions_of(mask))


def _check_mask(mask: Array, shape: tuple[int, ...]) -> None:
    if mask.shape != shape[: mask.ndim]:
        raise ArrayIndexError(f"bools of shape {mask.shape} choose nothing of x of shape {shape}: as many are expected")


def positions_of(mask: Array) -> tuple[Array, ...]:
    """Where an array of bools is true: numbers along each axis, row by row. How many there are is read."""
    flat = mask.ravel().astype(Type.I32)
    numbers = (("outer", 1), ("n", flat.size), ("inner", 1), ("exclusive", False), ("reverse", False))
    sums = Array(tensor("CumSum", "output", Type.I32, flat.shape, numbers, ("input", flat)), mask.executor)
    count = int(sums[-1]) if flat.size else 0
    wanted = counted(mask, (count,)) + 1
    places = kernel("search_left", Type.I32, (count,), count, (flat.size,), sums, wanted)
    found = []
    step = mask.size
    for number, length in enumerate(mask.shape):
        step = step // length if length != 0 else step
        along = places // step if step > 1 else places
        found.append(along % length if number and length else along)
    return tuple(found)


def _places(array: Array, keys: list[Any]) -> Array:
    """The numbers of elements that a key with arrays chooses. Their common shape stands where the first one is, or in
    front where there is something between them. An index beyond its axis makes the number -1 - size, which no array
    has."""
    arrays = [each for each in keys if isinstance(each, Array)]
    for each in arrays:
        if kind_of(each.dtype) != "i":
            raise ArrayIndexError(f"elements are chosen by integers and bools, not by {each.dtype}")
    names = [f"index {number}" for number, each in enumerate(keys) if isinstance(each, Array)]
    common = broadcast_shapes([each.shape for each in arrays], names)
    # Whole numbers beside arrays are arrays, as in NumPy.
    advanced = [number for number, each in enumerate(keys) if isinstance(each, (Array, int, Size))]
    together = advanced == list(range(advanced[0], advanced[-1] + 1))
    first = advanced[0] if together else 0
    before = [each for each in keys[:first] if not isinstance(each, (Array, int, Size))]
    rest = [each for each in keys if not isinstance(each, (Array, int, Size))]
    behind = len(rest) - len(before)
    steps = row_major(array.shape)
    wrong: Array | None = None
    total: Any = 0
    axis, out = 0, 0
    for each in keys:
        if each is None:
            out += 1
            continue
        length, step = array.shape[axis], steps[axis]
        if isinstance(each, Array):
            at = each.astype(Type.I32)
            outside = (at < -length) | (at >= length)
            at = mapped("where", at < 0, at + length, at) * step
            at, outside = (found.reshape(*found.shape, *(1,) * behind) for found in (at, outside))
            wrong = outside if wrong is None else wrong | outside
            total = at + total
        elif isinstance(each, (int, Size)):
            total = total + each * step
        else:
            start, by, count = _range(each, length)
            later = len(rest) - out - 1 + (len(common) if out < len(before) else 0)
            total = (counted(array, (count,)) * (by * step) + start * step).reshape(-1, *(1,) * later) + total
            out += 1
        axis += 1
    lengths = []
    axis = 0
    for each in keys:
        if each is None or isinstance(each, slice):
            lengths.append(1 if each is None else _range(each, array.shape[axis])[2])
        axis += each is not None
    shape = (*lengths[: len(before)], *common, *lengths[len(before) :])
    assert wrong is not None
    return mapped("where", wrong, -1 - array.size, total).broadcast_to(shape)


def _view(shape: tuple[int, ...], keys: Sequence[Any]) -> View:
    """The view of a key without arrays."""
    lengths: list[int] = []
    strides: list[int] = []
    offset, axis = 0, 0
    own = row_major(shape)
    for each in keys:
        if each is None:
            lengths.append(1)
            strides.append(0)
            continue
        start, step, count = _range(each, shape[axis])
        offset += own[axis] * start if count != 0 else 0
        if isinstance(each, slice):
            lengths.append(count)
            strides.append(own[axis] * step)
        axis += 1
    return View(tuple(lengths), tuple(strides), offset)


def _whole(key: Any) -> int:
    try:
        return whole(key)
    except TypeError:
        raise ArrayIndexError(
            f"an array is indexed by integers, slices, None, ... and arrays of integers and bools, not by {key!r}"
        ) from None


def _shown(keys: Sequence[Any]) -> str:
    return ", ".join("..." if each is Ellipsis else str(each) for each in keys)
