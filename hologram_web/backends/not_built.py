"""Devices that the source documents name and that this release does not have: classes that say so, and what to take."""

from __future__ import annotations

from typing import Any

from ..errors import BackendUnavailable

__all__ = ["WHY", "CudaBackend", "MetalBackend", "OpenClBackend", "TpuBackend", "VulkanBackend"]

_GPU = "this release has no such device: WebGpuBackend runs on GPUs, by Vulkan, Metal or Direct3D 12"
WHY = dict.fromkeys(("cuda", "metal", "opencl", "vulkan"), _GPU)
WHY["tpu"] = "this release has no such device: WebGpuBackend runs on GPUs, WasmBackend on processors"


class _NotBuilt:
    name = ""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise BackendUnavailable(self.name, WHY[self.name])


class CudaBackend(_NotBuilt):
    """Not built: raises BackendUnavailable."""

    name = "cuda"


class MetalBackend(_NotBuilt):
    """Not built: raises BackendUnavailable."""

    name = "metal"


class OpenClBackend(_NotBuilt):
    """Not built: raises BackendUnavailable."""

    name = "opencl"


class TpuBackend(_NotBuilt):
    """Not built: raises BackendUnavailable."""

    name = "tpu"


class VulkanBackend(_NotBuilt):
    """Not built: raises BackendUnavailable."""

    name = "vulkan"
