"""The WGSL target."""

from .bindings import WgslOptions, apart, memories_of
from .kernel import ARGUMENTS, FAULT_KINDS, STATUS_WORDS, Proven, WgslKernel, compile_kernel

__all__ = [
    "ARGUMENTS", "FAULT_KINDS", "STATUS_WORDS", "Proven", "WgslKernel", "WgslOptions", "apart", "compile_kernel",
    "memories_of",
]  # fmt: skip
