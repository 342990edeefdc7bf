"""WebGPU through wgpu."""

from .device import WebGpuBackend, WebGpuStats

__all__ = ["WebGpuBackend", "WebGpuStats"]
