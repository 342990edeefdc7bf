"""The WebAssembly target: our own encoder, scalar code."""

from .disassemble import MalformedModule, disassemble
from .kernel import ARGUMENTS, FAULT_KINDS, WasmKernel, compile_kernel

__all__ = ["ARGUMENTS", "FAULT_KINDS", "MalformedModule", "WasmKernel", "compile_kernel", "disassemble"]
