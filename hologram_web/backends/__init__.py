"""Devices. `DEVICES` maps the name of each to its class, loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from .launch import BlockDim, ExecutionParams, GridDim, LaunchConfig
from .protocol import Backend, Limits

__all__ = [
    "DEVICES",
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

_CLASSES = {"cpu": ("cpu", "CpuBackend"), "wasm": ("wasm", "WasmBackend"), "webgpu": ("webgpu", "WebGpuBackend")}


class _Devices(Mapping[str, type[Any]]):
    def __getitem__(self, name: str) -> type[Any]:
        module, cls = _CLASSES[name]
        found: type[Any] = getattr(import_module(f".{module}", __name__), cls)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


DEVICES = _Devices()


def __getattr__(name: str) -> Any:
    for device, (_, cls) in _CLASSES.items():
        if cls == name:
            return DEVICES[device]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
