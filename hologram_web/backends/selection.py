"""Which device runs, and why (sdk.md, "Selection")."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BackendUnavailable
from . import DEVICES, IN_PAGE
from .not_built import WHY

__all__ = [
    "Availability",
    "Selection",
    "device_named",
    "get_default_backend",
    "is_available",
    "is_cuda_available",
    "is_metal_available",
    "is_software",
    "look",
    "open_backend",
]

# What Linux, and Windows' Linux, have in /dev where there is a GPU: of the kernel's drivers, and of makers' own.
_GPU_FILES = ("dri/*", "nvidia*", "dxg", "kgsl*", "mali*", "nvhost*", "nvmap", "pvr*", "galcore")
# Adapters that are no GPU, whatever type they say they are.
_SOFTWARE = ("llvmpipe", "swiftshader", "lavapipe", "warp", "microsoft basic render", "softpipe")
_REASONS = {"webgpu": "a GPU", "wasm": "the fast device of processors", "cpu": "the reference, which is always there"}


@dataclass(frozen=True)
class Selection:
    """What was asked for, what runs, why, and what the adapter says of itself (None where there is none)."""

    requested: str
    selected: str
    reason: str
    adapter: dict[str, Any] | None = None

    def __str__(self) -> str:
        return f"{device_named(self.selected, self.adapter)} ({self.reason})"


def device_named(device: str, adapter: Mapping[str, Any] | None) -> str:
    """A device with its adapter, as people say it: a program that stands in for a GPU is called one."""
    if not adapter:
        return device
    names = filter(None, map(adapter.get, ("vendor", "architecture", "description")))
    name = adapter.get("device") or " ".join(names) or "an adapter without a name"
    return f"{device} on {name}{'' if adapter.get('real', True) else ', a program and no GPU'}"


def open_backend(requested: str = "auto", **options: Any) -> tuple[Any, Selection]:
    """A device and the record of how it was chosen. `options` are the device's own.

    "auto" takes webgpu on a real GPU only, else wasm, else cpu. A device asked for by name is that one or an error:
    raises BackendUnavailable.
    """
    given = options.get("device") is not None
    name = "webgpu" if given and requested == "auto" else requested
    if given and name != "webgpu":
        raise BackendUnavailable(name, "a device was given, which is for webgpu")
    if given and IN_PAGE:
        raise BackendUnavailable(name, "pages share theirs with the TypeScript runtime: Runtime.create({ device })")
    if name in DEVICES:
        backend = _open(name, options)
        reason = "a device was given" if given else "it was asked for"
        return backend, Selection(requested, name, reason, getattr(backend, "adapter", None))
    if requested != "auto":
        raise BackendUnavailable(requested, WHY.get(requested) or f"there are auto, {', '.join(DEVICES)}")
    passed = []
    for name, opening in _candidates(options):
        try:
            backend = opening()
        except BackendUnavailable as error:
            passed.append(f"{name}: {error.reason}")
            continue
        reason = "; ".join([_REASONS[name], *passed])
        return backend, Selection(requested, name, reason, getattr(backend, "adapter", None))
    raise BackendUnavailable(requested, "; ".join(passed))


@dataclass(frozen=True)
class Availability:
    """Whether a device can be had here: with its adapter (None where it has none), or with the reason why not."""

    name: str
    available: bool
    reason: str = ""
    adapter: dict[str, Any] | None = None

    def __bool__(self) -> bool:
        return self.available

    def __str__(self) -> str:
        if not self.available:
            return f"{self.name}: not available, {self.reason}"
        return f"{device_named(self.name, self.adapter)}: available"


def look(name: str) -> Availability:
    """Opens a device and closes it. Raises BackendUnavailable for a name that no device has."""
    if name in WHY:
        return Availability(name, False, WHY[name])
    if name not in DEVICES:
        raise BackendUnavailable(name, f"there are {', '.join(DEVICES)}")
    try:
        backend = _open(name, {})
    except BackendUnavailable as error:
        return Availability(name, False, error.reason)
    backend.close()
    return Availability(name, True, adapter=getattr(backend, "adapter", None))


def is_available(name: str) -> bool:
    """Whether a device can be had here, on any adapter. Raises BackendUnavailable for a name that none has."""
    return look(name).available


def is_cuda_available() -> bool:
    """False: there is no device for CUDA in this release."""
    return is_available("cuda")


def is_metal_available() -> bool:
    """False: there is no device for Metal in this release. WebGPU runs on Metal where there is that."""
    return is_available("metal")


def get_default_backend() -> str:
    """The name of the device that "auto" takes here. Raises BackendUnavailable."""
    backend, selection = open_backend()
    backend.close()
    return selection.selected


def _candidates(options: dict[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "webgpu", lambda: _real_gpu(options)
    yield "wasm", lambda: _open("wasm", options)
    yield "cpu", lambda: _open("cpu", options)


def _open(name: str, options: dict[str, Any]) -> Any:
    return DEVICES[name](**options)


def _real_gpu(options: dict[str, Any]) -> Any:
    """The webgpu device, if there is more to it than a processor that plays a GPU."""
    if IN_PAGE:
        from ..page.session import real_gpu

        return _open("webgpu", {**options, "session": real_gpu()})
    if not _may_have_gpu():  # drivers that are programs take long to load, and would be refused
        raise BackendUnavailable("webgpu", "there is no GPU in /dev")
    DEVICES["webgpu"]  # raises where wgpu cannot be imported
    from .webgpu.gpu import adapter_info

    info, real = adapter_info()
    if not real:
        raise BackendUnavailable("webgpu", f"the adapter {info.get('device') or info.get('vendor')} is no GPU")
    return _open("webgpu", options)


def is_software(names: str) -> bool:
    """Whether an adapter of these names is a program that stands in for a GPU."""
    return any(name in names.lower() for name in _SOFTWARE)


def _may_have_gpu() -> bool:
    """Whether there may be one: elsewhere than on Linux only the driver knows."""
    return sys.platform != "linux" or any(next(Path("/dev").glob(name), None) for name in _GPU_FILES)
