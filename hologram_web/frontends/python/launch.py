"""Launching a kernel: NumPy arrays are copied to a device, and back if the kernel writes them."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...backends import DEVICES, Backend, ExecutionParams, LaunchConfig
from ...errors import LaunchError
from ...isa.types import Type
from .names import ArrayType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .translate import Translation

__all__ = ["config_of", "default_device", "launch"]

_lock = threading.Lock()
_default: list[Backend] = []


def default_device() -> Backend:
    """The device `wasm`, made when it is first needed and shared by all kernels."""
    with _lock:
        if not _default:
            atexit.register(_default.clear)  # before the modules it needs go
            _default.append(DEVICES["wasm"]())
        return _default[0]


def config_of(key: Any) -> LaunchConfig:
    """What stands in the brackets: `n`, `n, block`, `(w, h), (bx, by)`, `(w, h, d), (bx, by, bz)`, or a LaunchConfig.

    Python does not tell `kernel[(n, m)]` from `kernel[n, m]`: two numbers are lanes and lanes of a block.
    """
    lanes, *rest = key if isinstance(key, tuple) and key else (key,)
    if isinstance(lanes, LaunchConfig) and not rest:
        return lanes
    sizes = lanes if isinstance(lanes, tuple) else (lanes,)
    block = rest[0] if rest else (256,)
    shape = block if isinstance(block, tuple) else (block,)
    if len(rest) > 1 or len(shape) != len(sizes) or not 1 <= len(sizes) <= 3:
        raise LaunchError(
            "write kernel[n], kernel[n, 256], kernel[(w, h), (16, 16)] or kernel[(w, h, d), (8, 8, 4)]: lanes, and "
            f"lanes of a block along as many axes; not kernel[{key!r}]"
        )
    if len(sizes) == 1:
        return LaunchConfig.linear(sizes[0], shape[0])
    make: Any = LaunchConfig.grid_2d if len(sizes) == 2 else LaunchConfig.grid_3d
    config: LaunchConfig = make(*sizes, shape)
    return config


def launch(
    translation: Translation, device: Backend, config: LaunchConfig, args: tuple[Any, ...], named: Mapping[str, Any]
) -> None:
    """Runs a kernel. Raises LaunchError for arguments that do not fit, and what the device raises."""
    import numpy as np

    given = _bind(translation, args, named)
    access = {param.name: param.access for param in translation.program.params}
    arrays = {
        name: _array(name, ty, given[name], bool(access[name] and access[name].writes))  # type: ignore[union-attr]
        for name, ty in translation.params.items()
        if isinstance(ty, ArrayType)
    }
    written = [name for name in arrays if (way := access[name]) is not None and way.writes]
    _check_overlap(arrays, written)
    values = {name: given[name] for name, ty in translation.params.items() if isinstance(ty, Type)}
    values |= {hidden: arrays[name].shape[axis] for hidden, (name, axis) in translation.hidden.items()}
    handles: dict[Any, Any] = {}
    try:
        for name, array in arrays.items():
            key = _place(array)
            if key not in handles:
                handles[key] = device.allocate_buffer(array.nbytes)
                device.copy_to_buffer(handles[key], np.ascontiguousarray(array))
            values[name] = handles[key]
        device.execute_program_with_params(translation.program, ExecutionParams(config, values))
        device.sync()  # some devices raise faults here only
        for name in written:
            array = arrays[name]
            if array.flags.c_contiguous:
                device.copy_from_buffer(handles[_place(array)], out=array)
            else:
                copy = np.empty_like(array, order="C", subok=False)
                device.copy_from_buffer(handles[_place(array)], out=copy)
                array[...] = copy
    finally:
        for handle in handles.values():
            device.free_buffer(handle)


def _bind(translation: Translation, args: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    names = list(translation.params)
    signature = ", ".join(f"{name}: {ty}" for name, ty in translation.params.items())
    if len(args) > len(names):
        raise LaunchError(f"{len(args)} arguments for {len(names)} parameters: the kernel takes ({signature})")
    given = dict(zip(names, args, strict=False))
    for name, value in named.items():
        if name not in names or name in given:
            what = "is given twice" if name in given else "does not exist"
            raise LaunchError(f"parameter {name!r} {what}: the kernel takes ({signature})")
        given[name] = value
    missing = [name for name in names if name not in given]
    if missing:
        raise LaunchError(f"parameter {missing[0]!r} is missing: the kernel takes ({signature})")
    return given


def _array(name: str, ty: ArrayType, value: Any, written: bool) -> NDArray[Any]:
    """The argument as an array of the right type and number of axes."""
    import numpy as np

    if not isinstance(value, np.ndarray):
        raise LaunchError(f"parameter {name!r} is {ty!r}: give a NumPy array, not {type(value).__name__}")
    wanted = ty.ty.numpy
    if value.dtype != wanted and not (ty.ty is Type.BF16 and value.dtype.name == "bfloat16"):
        raise LaunchError(f"parameter {name!r} is {ty!r}: its dtype is {wanted}, not {value.dtype}; use x.astype(...)")
    if value.ndim != ty.ndim:
        raise LaunchError(f"parameter {name!r} is {ty!r}: it has {ty.ndim} axes, not {value.ndim}")
    if value.size >= 1 << 31:
        raise LaunchError(f"parameter {name!r} has {value.size} elements: kernels index less than 2**31; launch parts")
    if written and not value.flags.writeable:
        raise LaunchError(f"parameter {name!r} is written by the kernel, and the array is read-only: give a copy")
    return value.view(wanted) if value.dtype != wanted else value


def _place(array: NDArray[Any]) -> Any:
    """What arrays share that are the same memory."""
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def _check_overlap(arrays: dict[str, NDArray[Any]], written: list[str]) -> None:
    import numpy as np

    for name in written:
        for other, array in arrays.items():
            same = _place(array) == _place(arrays[name])
            if not same and other != name and np.shares_memory(array, arrays[name]):
                raise LaunchError(f"{name!r}, which is written, and {other!r} share memory in part: give a copy of one")
