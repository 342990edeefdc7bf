"""Launching a kernel: arrays are copied to a device, and back if the kernel writes them; Buffers are there."""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

from ..backends import DEVICES, Backend, ExecutionParams
from ..errors import ExecutionError, LaunchError, like, misfit, told
from ..forks import lock
from ..frontends.python.compounds import PartsType
from ..frontends.python.names import Annotation, ArrayType, shown
from ..isa.elements import Element, ElementType, axes_of, stored_as
from ..isa.program import LOG
from ..isa.types import Type
from ..runtime import arrays
from ..runtime.executor import Buffer
from ..runtime.operators import Operators
from .lanes import Asked, check

if TYPE_CHECKING:
    from ..frontends.python.translate import Translation

__all__ = ["bound", "device_for", "launch", "lent", "offers", "shapes", "spread"]

_IN_BRACKETS = frozenset({"block", "block_dim", "blocks", "dim", "grid", "grid_dim", "lanes", "threads"})
_INTEGERS_FIRST = sorted(Type, key=lambda ty: ty.is_float)
_types_of: dict[Any, tuple[Type, ...]] = {}  # by dtype or format
_lock = lock()
_default: list[Backend] = []


def default_device() -> Backend:
    """The device `wasm`, made when it is first needed and shared by all kernels."""
    with _lock:
        if not _default:
            atexit.register(_default.clear)  # before the modules it needs go
            _default.append(DEVICES["wasm"]())
        return _default[0]


def device_for(bound: Backend | None, values: Iterable[Any]) -> Backend:
    """Where a launch with these arguments runs: where its Buffers and Arrays are, else on the device that the kernel is
    bound to, else on the default device. Raises LaunchError for Buffers in different places."""
    executors = {id(value.executor): value.executor for value in values if isinstance(value, Operators)}
    if not executors:
        return bound or default_device()
    first, *others = executors.values()
    if others:
        raise LaunchError(f"the Buffers are of different executors, {first!r} and {others[0]!r}: copy, with numpy()")
    if bound not in (None, first.device):
        raise LaunchError(f"the Buffers are of {first!r}, and it is to run elsewhere: run it there, or copy them")
    found: Backend = first.device
    return found


async def launch(
    translation: Translation,
    device: Backend,
    asked: Asked,
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    blocking: bool,
) -> None:
    """Runs a kernel. Raises LaunchError for arguments that do not fit, and what the device raises.

    If it is `blocking`, it never suspends. Where all arrays are Buffers of the device it does not wait, either: faults
    that a device tells later are raised by what waits for it next. Buffers of other devices are copied.
    """
    program, given = translation.program, bound(translation.params, translation.defaults, args, named)
    written = translation.written
    found = {
        name: _array(name, ty, given[name], name in written)
        for name, ty in translation.params.items()
        if isinstance(ty, ArrayType)
    }
    shapes = _shapes(translation, found)
    check(translation, asked, shapes)
    lengths = {hidden: shapes[name][axis] for hidden, (name, axis) in translation.hidden.items()}
    buffers = {name: array for name, array in found.items() if isinstance(array, Buffer)}
    for name in written:
        if name in buffers:
            buffers[name].changes()
    here = {name: buffer.handle for name, buffer in buffers.items() if buffer.executor.device is device}
    if len(here) < len(found):
        fetched = {buffer.handle: buffer.numpy() for name, buffer in buffers.items() if name not in here}
        found = {
            name: fetched[array.handle] if isinstance(array, Buffer) else array
            for name, array in found.items()
            if name not in here
        }
    else:
        found = {}
    log = None
    if translation.prints:
        from ..isa.logs import new_log, show

        log = new_log()
    places = _places(found, given)
    written = [name for name in written if name in found]
    _check_overlap(found, places, written)
    handles: dict[Any, Any] = {}
    try:
        for name, array in found.items():
            if places[name] not in handles:
                handles[places[name]] = device.borrow_buffer(array.nbytes)
                device.copy_to_buffer(handles[places[name]], array)
            here[name] = handles[places[name]]
        if log is not None:
            here[LOG] = handles[LOG] = device.borrow_buffer(log.nbytes)
            device.copy_to_buffer(here[LOG], log)
        plain = {**given, **lengths}
        values = {p.name: here[p.name] if p.name in here else plain[p.name] for p in program.params}
        device.execute_program_with_params(program, ExecutionParams(asked.config, values))
        if here and not found and log is None:
            return
        outs = {name: _out(found[name]) for name in written}
        reads = {handles[places[name]]: out for name, out in outs.items()}
        if log is not None:
            reads[here[LOG]] = log
        if blocking:
            device.collect(reads)  # some devices raise faults here only
        else:
            await device.collect_async(reads)
        for name, out in outs.items():
            if out is not found[name]:
                found[name][...] = out
            if isinstance(given[name], Buffer):
                given[name].from_numpy(out)
            elif hasattr(given[name], "assign"):  # a typed array of JavaScript
                given[name].assign(out)
    except ExecutionError:
        if log is not None and blocking:
            device.copy_from_buffer(here[LOG], log)
        raise
    finally:
        if log is not None:
            show(log, translation.prints)
        for handle in handles.values():
            device.return_buffer(handle)


def shapes(translation: Translation, args: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays among arguments. Raises LaunchError."""
    given = bound(translation.params, translation.defaults, args, named)
    found = {name: lent(name, ty, given[name]) for name, ty in translation.params.items() if isinstance(ty, ArrayType)}
    for name, array in found.items():
        _check_axes(name, translation.params[name], array)
    return _shapes(translation, found)


def _shapes(translation: Translation, found: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    return {name: arrays.shape(array, translation.params[name].ty) for name, array in found.items()}  # type: ignore[union-attr]


def _out(values: Any) -> Any:
    """Where to read to: the array itself, if it is contiguous."""
    contiguous = values.c_contiguous if isinstance(values, memoryview) else values.flags.c_contiguous
    return values if contiguous else values.copy(order="C")


def bound(
    params: Mapping[str, Annotation], defaults: Mapping[str, Any], args: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments by name. Raises LaunchError if they are not those that the kernel takes."""
    args, named = spread(params, args, named)
    names = list(params)
    given = dict(zip(names, args, strict=False))
    if len(args) != len(names) or named:
        _named(params, given, args, named)
        given = {**defaults, **given}
        missing = [name for name in names if name not in given]
        if missing:
            raise LaunchError(f"parameter {missing[0]!r} is missing: the kernel takes ({signature(params)})")
    return given


def spread(
    params: Mapping[str, Annotation], args: tuple[Any, ...], named: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """The arguments with those for records taken apart into their fields, if they are not. Raises LaunchError."""
    written = getattr(params, "written", params)
    if written is params or not any(isinstance(ty, PartsType) for ty in written.values()):
        return args, named
    from ..frontends.python.records import given_parts

    if len(args) == len(params) > len(written):
        return args, named
    found: dict[str, Any] = {}
    for name, value in (*zip(written, args, strict=False), *named.items()):
        ty = written.get(name)
        parts = given_parts(name, ty, value) if isinstance(ty, PartsType) else None
        if parts is None and isinstance(ty, PartsType) and not (len(params) == len(written) == len(args)):
            raise LaunchError(f"parameter {name!r} is {ty.form}: give one, not {value!r}")
        found.update({name: value} if parts is None else parts)
    rest = args[len(written) :]  # too many
    return (tuple(found[name] for name in params), {}) if found.keys() == params.keys() and not rest else (rest, found)


def _named(
    params: Mapping[str, Annotation], given: dict[str, Any], args: tuple[Any, ...], named: Mapping[str, Any]
) -> None:
    """Adds arguments by name. Raises LaunchError for too many, and for names that there are not."""
    if len(args) > len(params):
        count = f"{len(args)} arguments are given; {len(params)} {'is' if len(params) == 1 else 'are'} expected"
        raise LaunchError(f"{count}: the kernel takes ({signature(params)})")
    for name, value in named.items():
        if name in given:
            raise LaunchError(f"parameter {name!r} is given twice: the kernel takes ({signature(params)})")
        if name not in params:
            brackets = ": lanes and their block stand in the brackets, kernel[n, block];"
            near = like(name, params) or (brackets if name in _IN_BRACKETS else ":")
            raise LaunchError(f"there is no parameter {name!r}{near} the kernel takes ({signature(params)})")
        given[name] = value


def signature(params: Mapping[str, Annotation]) -> str:
    params = getattr(params, "written", params)
    return ", ".join(f"{name}: {shown(ty)}" for name, ty in params.items())


def lent(name: str, ty: ArrayType, value: Any) -> Any:
    """The argument as an array: NumPy's, or a memoryview in a page without it; or the Buffer, in which an Array is
    computed now. Raises LaunchError."""
    found: Any = value if isinstance(value, Buffer) else None
    if found is None:
        found = value.buffer if isinstance(value, Operators) else arrays.lent(value)
    if type(value).__name__ == "MaskedArray":
        raise LaunchError(f"{name} has a mask, which kernels do not see: give {name}.filled(0), or {name}.data")
    if found is None:
        what = "a NumPy array" if arrays.numpy() else "an array.array, a memoryview, a typed array"
        raise LaunchError(f"{name} is {told(value)}; {ty!r} is expected: give {what} or a Buffer")
    return found


def _array(name: str, ty: ArrayType, value: Any, written: bool) -> Any:
    """The argument as an array of the right type and number of axes."""
    found = lent(name, ty, value)
    assert isinstance(ty.ty, (Type, Element))
    if written and found is not value and isinstance(value, Operators):
        raise LaunchError(
            f"{name} is an Array, which does not change, and the kernel writes it: give {name}.buffer, the memory that "
            "it lies in, or a Buffer"
        )
    plain, here = isinstance(found, memoryview), isinstance(found, Buffer)
    fitting = (found if _is_of(found, ty.ty) else None) if here else arrays.of_type(found, ty.ty)
    if fitting is None:
        have = arrays.type_of(found) if plain else found.dtype
        how = "" if plain or here else f": give {name}.astype({str(ty.ty.numpy)!r})"
        raise LaunchError(misfit(name, have, len(arrays.shape(found, ty.ty)), shown(ty.ty), ty.ndim, how))
    _check_axes(name, ty, found)
    size = prod(found.shape)
    if size >= 1 << 31:
        raise LaunchError(f"{name} has {size} elements; less than 2**31 are expected: launch parts")
    if here:
        return found
    if written and (found.readonly if plain else not found.flags.writeable):
        raise LaunchError(f"{name} is read-only, and the kernel writes it: give a copy")
    if written and plain and not found.c_contiguous:
        raise LaunchError(f"{name} has gaps, and the kernel writes it: without NumPy, give one without")
    if written and not plain and not found.flags.forc and _overlaps_itself(found):
        raise LaunchError(
            f"several elements of {name} are the same memory (strides {found.strides}, as a broadcast view has), and "
            f"the kernel writes it: give {name}.copy()"
        )
    return fitting


def _is_of(found: Buffer, ty: ElementType) -> bool:
    """Whether a Buffer has elements of that type; those of bools are bytes, too, and vectors lie along an axis."""
    if isinstance(ty, Element) and ty.is_vector and found.dtype is ty.storage:
        return found.shape[-1:] == (ty.width,)
    return found.dtype == ty or (stored_as(found.dtype) is ty and not axes_of(found.dtype))


def _check_axes(name: str, ty: Any, found: Any) -> None:
    have = len(arrays.shape(found, ty.ty))
    if have != ty.ndim:
        raise LaunchError(misfit(name, None, have, ty, ty.ndim))


def _overlaps_itself(found: Any) -> bool:
    """Whether elements of a NumPy array share memory with each other."""
    np, span = arrays.numpy(), found.itemsize
    axes = sorted((abs(stride), size) for stride, size in zip(found.strides, found.shape, strict=True) if size != 1)
    if not found.size:
        return False
    if any(stride == 0 for stride, _ in axes):
        return True
    for stride, size in axes:
        if stride < span:  # it starts within what the axes before reach: only their places tell
            places = np.zeros(1, np.int64)
            for step, count in axes:
                places = (places[:, None] + step * np.arange(count)).ravel()
            places.sort()
            return bool((np.diff(places) < found.itemsize).any())
        span += stride * (size - 1)
    return False


def offers(wanted: Mapping[str, Annotation], given: Mapping[str, Any]) -> list[tuple[str, TypeVar, tuple[Type, ...]]]:
    """Which types arguments can be, for parameters with type variables: of arrays, else of NumPy's scalars.

    Raises LaunchError for arrays of no type of the ISA.
    """
    found: list[Any] = []
    scalars: list[Any] = []
    for name, ty in wanted.items():
        value = given[name]
        if isinstance(ty, ArrayType):
            found.append((name, ty.ty, _types(name, ty, lent(name, ty, value))))
        elif hasattr(value, "dtype") and getattr(value, "shape", None) == ():
            scalars.append((name, ty, _types(name, ty, value)))
    decided = {variable for _, variable, _ in found}
    return found + [offer for offer in scalars if offer[1] not in decided]


def _types(name: str, ty: Annotation, found: Any) -> tuple[Type, ...]:
    """The types that elements can be: 16 bits are U16, or else BF16."""
    if isinstance(found, Buffer):
        if isinstance(found.dtype, Element):
            raise LaunchError(
                f"parameter {name!r} is {shown(ty)}: that is a type of numbers, and {found.dtype} is none"
            )
        return (found.dtype,)
    key = found.format if isinstance(found, memoryview) else found.dtype
    types = _types_of.get(key) or tuple(other for other in _INTEGERS_FIRST if arrays.of_type(found, other) is not None)
    if types:
        _types_of[key] = types
    else:
        wanted = shown(ty.ty if isinstance(ty, ArrayType) else ty)
        raise LaunchError(
            f"{name} has dtype {found.dtype}, which is no type here; {wanted} is expected: use {name}.astype(...)"
        )
    return types


def _places(found: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What arrays share that are the same memory: where it starts, where it ends, and its layout."""
    places: dict[str, Any] = {}
    for name, values in found.items():
        if hasattr(given[name], "js_id"):
            places[name] = 0, 0, ("js", given[name].js_id)  # a copy: it is the same array, or shares nothing
        elif isinstance(values, memoryview):
            start = _address(values)
            places[name] = start, start + values.nbytes, (values.shape, values.strides, values.format)
        else:
            start = values.__array_interface__["data"][0]
            places[name] = start, start + values.nbytes, (values.shape, values.strides, values.dtype.str)
    return places


def _address(view: memoryview) -> int:
    """Where the memory of a view is, in Pyodide."""
    from pyodide.ffi import create_proxy  # type: ignore[import-not-found]

    proxy = create_proxy(view)
    lent = proxy.getBuffer()
    address = int(lent.data.byteOffset)
    lent.release()
    proxy.destroy()
    return address


def _check_overlap(found: Mapping[str, Any], places: Mapping[str, Any], written: list[str]) -> None:
    np = arrays.numpy()
    for name in written:
        start, end, _ = places[name]
        for other, values in found.items():
            if other == name or places[other] == places[name]:
                continue
            if isinstance(values, memoryview) or isinstance(found[name], memoryview):
                shared = start < places[other][1] and places[other][0] < end
            else:
                shared = np.shares_memory(values, found[name])
            if shared:
                raise LaunchError(f"{name!r}, which is written, and {other!r} share memory in part: give a copy of one")
