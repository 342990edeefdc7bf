"""The WGSL target."""

from .kernel import FAULT_KINDS, STATUS_WORDS, WgslKernel, compile_kernel

__all__ = ["FAULT_KINDS", "STATUS_WORDS", "WgslKernel", "compile_kernel"]
