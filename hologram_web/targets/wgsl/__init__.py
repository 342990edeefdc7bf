"""The WGSL target."""

from .kernel import ARGUMENTS, FAULT_KINDS, STATUS_WORDS, WgslKernel, compile_kernel

__all__ = ["ARGUMENTS", "FAULT_KINDS", "STATUS_WORDS", "WgslKernel", "compile_kernel"]
