"""The wasm device: WebAssembly in wasmtime."""

from .wasm_backend import WasmBackend, WasmStats

__all__ = ["WasmBackend", "WasmStats"]
