"""The operations by the name of their row in `isa/collectives.py`. A family is loaded when one of it is asked for."""

from __future__ import annotations

from importlib import import_module

from .operation import TensorOperation

__all__ = ["FAMILIES", "operation"]

FAMILIES = {
    "maps": ("ParallelMap", "ParallelMapBinary"),
    "reduce": ("ParallelReduce",),
    "matmul": ("GEMM", "BatchedGEMM", "MixedPrecisionGEMM"),
    "contract": ("TensorContract",),
    "quantized": ("QuantizedGEMM",),
    "sparse": ("SparseGEMM",),
    "conv": ("Conv2D",),
    "conv_transpose": ("ConvTranspose2D",),
    "pooling": ("MaxPool2D", "AvgPool2D", "Resize2D"),
    "norms": ("LayerNorm", "RMSNorm", "BatchNorm", "GroupNorm", "InstanceNorm", "LayerScale"),
    "softmaxes": ("Softmax", "LogSoftmax"),
    "along": ("ArgMin", "ArgMax", "CumSum", "Scatter"),
    "ordering": ("Sort", "TopK"),
    "transformer": ("Attention", "FlashAttention", "RoPE", "KVCacheUpdate"),
    "fourier": ("FFT",),
    "devices": ("AllReduce", "AllGather"),
    "philox": ("Random",),
    "arrange": ("Copy", "Fill", "Transpose", "Concat", "Slice", "Pad", "Gather", "GatherElements"),
}
_FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}
_found: dict[str, TensorOperation] = {}


def operation(name: str) -> TensorOperation:
    """The operation of a collective."""
    if name not in _found:
        module = import_module(f"{__package__}.{_FAMILY_OF[name]}")
        _found.update((each.name, each) for each in module.OPERATIONS)
    return _found[name]
