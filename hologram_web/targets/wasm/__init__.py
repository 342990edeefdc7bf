"""The WebAssembly target: our own encoder; lanes one by one, or side by side in vectors.

`disassemble.py` makes text of modules, for people.
The compiler is imported when it is asked for: `check.py`, which every reader of artifacts needs, does without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .kernel import ARGUMENTS, FAULT_KINDS, FIRST_TICKS, WasmKernel, WasmOptions, compile_kernel

__all__ = ["ARGUMENTS", "FAULT_KINDS", "FIRST_TICKS", "WasmKernel", "WasmOptions", "compile_kernel"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import kernel

    return getattr(kernel, name)
