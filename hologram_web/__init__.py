"""hologram_web: one GPU-style program for WebGPU and WebAssembly, natively and in the browser.

import hologram_web as hg

program = hg.Program.from_text(source)
device = hg.backends.CpuBackend()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import backends, isa
from .backends.launch import BlockDim, ExecutionParams, GridDim, LaunchConfig
from .backends.protocol import Backend, Limits
from .errors import *  # noqa: F403
from .errors import __all__ as _errors
from .frontends.python import *  # noqa: F403
from .frontends.python import __all__ as _python
from .isa import *  # noqa: F403
from .isa import __all__ as _isa
from .isa.types import Type
from .runtime.typed import GenericExecutor, TypedBuffer

if TYPE_CHECKING:
    from .runtime.compiled import CompiledProgram, compile, load
    from .runtime.executor import Buffer, Executor
    from .runtime.plan_builder import PlanBuilder

__version__ = "0.1.0"

# Every type under its lower-case name.
f16, bf16, f32, f64 = Type.F16, Type.BF16, Type.F32, Type.F64
i8, i16, i32, i64, i128 = Type.I8, Type.I16, Type.I32, Type.I64, Type.I128
i256, i512, i1024, i2048, i4096 = Type.I256, Type.I512, Type.I1024, Type.I2048, Type.I4096
u8, u16, u32, u64, u128 = Type.U8, Type.U16, Type.U32, Type.U64, Type.U128
u256, u512, u1024, u2048, u4096 = Type.U256, Type.U512, Type.U1024, Type.U2048, Type.U4096

__all__ = [
    "Backend",
    "BlockDim",
    "Buffer",
    "CompiledProgram",
    "ExecutionParams",
    "Executor",
    "GenericExecutor",
    "GridDim",
    "LaunchConfig",
    "Limits",
    "PlanBuilder",
    "TypedBuffer",
    "__version__",
    "backends",
    "compile",
    "isa",
    "load",
    *_errors,
    *_isa,
    *_python,
]

# Loaded when they are first asked for: they bring the compiler with them.
_LAZY = {
    "Buffer": "runtime.executor",
    "CompiledProgram": "runtime.compiled",
    "Executor": "runtime.executor",
    "PlanBuilder": "runtime.plan_builder",
    "compile": "runtime.compiled",
    "load": "runtime.compiled",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
