"""The WebAssembly target: our own encoder, scalar code. `disassemble.py` makes text of modules, for people."""

from .kernel import ARGUMENTS, FAULT_KINDS, WasmKernel, compile_kernel

__all__ = ["ARGUMENTS", "FAULT_KINDS", "WasmKernel", "compile_kernel"]
