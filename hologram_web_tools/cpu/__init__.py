"""The reference device: NumPy, every lane of a block at once; the living definition of the ISA."""

from .cpu_backend import CpuBackend

__all__ = ["CpuBackend"]
