"""The WebAssembly target: our own encoder, scalar code. `disassemble.py` makes text of modules, for people."""

from .kernel import ARGUMENTS, FAULT_KINDS, WasmKernel, compile_kernel
from .polls import FIRST_TICKS

__all__ = ["ARGUMENTS", "FAULT_KINDS", "FIRST_TICKS", "WasmKernel", "compile_kernel"]
