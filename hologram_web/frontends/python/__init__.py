"""The Python frontend: kernels written as Python functions, parsed and never executed. Standard library only."""

from .advice import LaunchWarning, RaceWarning, SignWarning
from .names import INTRINSICS, Array, ArrayType, function

__all__: list[str] = [
    "Array",
    "ArrayType",
    "DeviceArray",
    "LaunchWarning",
    "RaceWarning",
    "SignWarning",
    "function",
    "get_global_id",
    *INTRINSICS,
]

DeviceArray = Array
get_global_id = INTRINSICS["global_id"]
globals().update(INTRINSICS)
