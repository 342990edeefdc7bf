"""The devices of a page, a worker or Node under Pyodide: the TypeScript runtime, driven from Python."""

from .device import WasmBackend, WebGpuBackend
from .session import prepare, real_gpu

__all__ = ["WasmBackend", "WebGpuBackend", "prepare", "real_gpu"]
