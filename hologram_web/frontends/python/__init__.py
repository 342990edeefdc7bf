"""The Python frontend: kernels written as Python functions, parsed and never executed. Standard library only."""

from .advice import SignWarning
from .kernel import Kernel, kernel, kernel_from_source
from .names import INTRINSICS, Array, ArrayType, function

# fmt: off
(
    global_id, local_id, block_id, block_dim, grid_dim, shared, local, barrier, bitcast, select, rotl, popcount,
    clz, atomic_add, atomic_min, atomic_max, atomic_and, atomic_or, atomic_xor, atomic_exch, atomic_cas, fma,
    fms, rcp, rsqrt, clamp, lerp, sign, floor, ceil, trunc, relu, sqrt, exp, log, log2, log10, pow, sin, cos,
    tan, tanh, sigmoid, atan2, erf, gelu, swish,
) = INTRINSICS.values()
# fmt: on
DeviceArray = Array
get_global_id = global_id

__all__ = [
    "Array",
    "ArrayType",
    "DeviceArray",
    "Kernel",
    "SignWarning",
    "atan2",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_exch",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_xor",
    "barrier",
    "bitcast",
    "block_dim",
    "block_id",
    "ceil",
    "clamp",
    "clz",
    "cos",
    "erf",
    "exp",
    "floor",
    "fma",
    "fms",
    "function",
    "gelu",
    "get_global_id",
    "global_id",
    "grid_dim",
    "kernel",
    "kernel_from_source",
    "lerp",
    "local",
    "local_id",
    "log",
    "log2",
    "log10",
    "popcount",
    "pow",
    "rcp",
    "relu",
    "rotl",
    "rsqrt",
    "select",
    "shared",
    "sigmoid",
    "sign",
    "sin",
    "sqrt",
    "swish",
    "tan",
    "tanh",
    "trunc",
]
