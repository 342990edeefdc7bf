"""The Python frontend: kernels written as Python functions, parsed and never executed. Standard library only."""

from typing import Any

from .advice import LaunchWarning, LostWarning, RaceWarning, SignWarning, WrapWarning
from .names import INTRINSICS, LIBRARY, Array, ArrayType, Constant

__all__: list[str] = [
    "Array",
    "ArrayType",
    "Constant",
    "DeviceArray",
    "LaunchWarning",
    "LostWarning",
    "RaceWarning",
    "SignWarning",
    "WrapWarning",
    "dtype_of",
    "get_global_id",
    *INTRINSICS,
    *LIBRARY,
]

DeviceArray = Array
get_global_id = INTRINSICS["global_id"]
globals().update(INTRINSICS)


def __getattr__(name: str) -> Any:
    if name == "dtype_of":
        from .records import dtype_of

        return dtype_of
    if name in LIBRARY:
        from . import library

        return getattr(library, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
