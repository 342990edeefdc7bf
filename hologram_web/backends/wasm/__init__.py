"""The wasm device: WebAssembly in wasmtime."""

from .device import WasmBackend, WasmStats

__all__ = ["WasmBackend", "WasmStats"]
