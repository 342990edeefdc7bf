"""The devices of a page, a worker or Node under Pyodide: the TypeScript runtime, driven from Python."""

from .page_device import WasmBackend, WebGpuBackend

__all__ = ["WasmBackend", "WebGpuBackend"]
