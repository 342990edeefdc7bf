"""The Python frontend: kernels written as Python functions, parsed and never executed. Standard library only."""

from .advice import SignWarning
from .kernel import Kernel, kernel, kernel_from_source
from .names import INTRINSICS, Array, ArrayType, function

__all__: list[str] = [
    "Array",
    "ArrayType",
    "DeviceArray",
    "Kernel",
    "SignWarning",
    "function",
    "get_global_id",
    "kernel",
    "kernel_from_source",
    *INTRINSICS,
]

DeviceArray = Array
get_global_id = INTRINSICS["global_id"]
globals().update(INTRINSICS)
