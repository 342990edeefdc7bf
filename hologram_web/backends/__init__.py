"""Devices. `DEVICES` maps the name of each to its class, loaded when it is first asked for.

The module can be called: `hologram_web.backends()` says of every device whether it can be had here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import BackendUnavailable
from ..extras import TOOLS, tools
from ..isa.launch import BlockDim, ExecutionParams, GridDim, LaunchConfig
from .protocol import Backend, Limits

if TYPE_CHECKING:
    from .selection import Availability

__all__ = [
    "DEVICES",
    "IN_PAGE",
    "Backend",
    "BlockDim",
    "CpuBackend",
    "ExecutionParams",
    "GridDim",
    "LaunchConfig",
    "Limits",
    "WasmBackend",
    "WebGpuBackend",
]

IN_PAGE = sys.platform == "emscripten"
_CLASSES = {"cpu": "CpuBackend", "wasm": "WasmBackend", "webgpu": "WebGpuBackend"}


class _Devices(Mapping[str, type[Any]]):
    """Raises BackendUnavailable where what a device needs cannot be imported."""

    def __getitem__(self, name: str) -> type[Any]:
        cls = _CLASSES[name]
        try:
            found: type[Any] = getattr(_module(name), cls)
        except ModuleNotFoundError as error:
            how = "await pyodide.loadPackage('numpy')" if IN_PAGE else f"pip install {error.name}"
            if error.name == TOOLS:
                raise BackendUnavailable(name, str(error)) from None
            raise BackendUnavailable(name, f"there is no module {error.name!r} here: {how}") from error
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


def _module(device: str) -> Any:
    """Where the class of a device is: in a page the TypeScript runtime has the devices but for the reference."""
    if device == "cpu":
        return tools("cpu")
    return import_module(".page" if IN_PAGE else f".{device}", __name__)


DEVICES = _Devices()


def __getattr__(name: str) -> Any:
    for device, cls in _CLASSES.items():
        if cls == name:
            return DEVICES[device]
    if name.endswith("Backend") and not name.startswith("_"):
        others = import_module(".not_built", __name__)
        if name in others.__all__:
            return getattr(others, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Module(ModuleType):
    def __call__(self) -> tuple[Availability, ...]:
        """Every device, with its adapter or the reason why it cannot be had."""
        from .selection import look

        return tuple(map(look, DEVICES))


sys.modules[__name__].__class__ = _Module
