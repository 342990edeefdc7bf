"""WebGPU through wgpu."""

from .webgpu_backend import WebGpuBackend, WebGpuStats

__all__ = ["WebGpuBackend", "WebGpuStats"]
