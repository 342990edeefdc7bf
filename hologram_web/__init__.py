"""hologram_web: one GPU-style program for WebGPU and WebAssembly, natively and in the browser.

import hologram_web as hg

program = hg.Program.from_text(source)
device = hg.backends.CpuBackend()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__ as __version__
from .extras import has, installed, tools

if TYPE_CHECKING:
    from hologram_web_tools import stdlib
    from hologram_web_tools.circuit.compile import CircuitToIsa
    from hologram_web_tools.kernel_json import JsonToIsa
    from hologram_web_tools.optimizer import ProgramOptimizer
    from hologram_web_tools.several import Mesh, all_gather, all_reduce
    from hologram_web_tools.tune import forget_tuned, tune, tune_async, use_tuned

    from . import atlas, backends, circuit, isa, kernel_json, nn, ops, tensor, testing
    from .array.batching import vmap
    from .array.control_flow import cond, scan, while_loop
    from .array.creation import arange, asarray, eye, full, linspace, ones, zeros
    from .array.gradient import checkpoint, custom_gradient, grad, value_and_grad, vjp
    from .array.launched import call_kernel
    from .array.nested import tree_leaves, tree_map
    from .backends.protocol import Backend, Limits
    from .backends.selection import get_default_backend, is_available, is_cuda_available, is_metal_available
    from .errors import *  # noqa: F403
    from .errors import __all__ as _errors
    from .frontends.python import ArrayType, LaunchWarning, LostWarning, RaceWarning, SignWarning, WrapWarning
    from .frontends.python.language import *  # noqa: F403
    from .isa import *  # noqa: F403
    from .isa import __all__ as _isa
    from .isa.launch import BlockDim, ExecutionParams, GridDim, LaunchConfig
    from .kernels.kernel import Kernel, kernel, kernel_from_source
    from .kernels.marked import function
    from .plan.builder import PlanBuilder
    from .runtime.compiled import CompiledProgram
    from .runtime.executor import Buffer, Executor
    from .runtime.making import compile, load
    from .runtime.pool import Pool
    from .runtime.stream import StreamReport, stream
    from .runtime.typed import GenericExecutor, TypedBuffer, TypedBufferHandle
    from .store.cache import ProgramCache

    __all__ = [
        "Backend",
        "BlockDim",
        "Buffer",
        "CircuitToIsa",
        "CompiledProgram",
        "ExecutionParams",
        "Executor",
        "GenericExecutor",
        "GridDim",
        "JsonToIsa",
        "Kernel",
        "LaunchConfig",
        "Limits",
        "PlanBuilder",
        "Pool",
        "ProgramCache",
        "ProgramOptimizer",
        "StreamReport",
        "atlas",
        "stream",
        "TypedBuffer",
        "TypedBufferHandle",
        "__version__",
        "backends",
        "circuit",
        "compile",
        "function",
        "Mesh",
        "all_gather",
        "all_reduce",
        "checkpoint",
        "forget_tuned",
        "tune",
        "tune_async",
        "use_tuned",
        "custom_gradient",
        "grad",
        "tree_leaves",
        "tree_map",
        "value_and_grad",
        "vjp",
        "arange",
        "asarray",
        "eye",
        "full",
        "linspace",
        "ones",
        "zeros",
        "call_kernel",
        "cond",
        "scan",
        "while_loop",
        "vmap",
        "get_default_backend",
        "is_available",
        "is_cuda_available",
        "is_metal_available",
        "isa",
        "kernel",
        "kernel_from_source",
        "kernel_json",
        "load",
        "nn",
        "ops",
        "stdlib",
        "tensor",
        "testing",
        *_errors,
        *_isa,
        "ArrayType",
        "LaunchWarning",
        "LostWarning",
        "RaceWarning",
        "SignWarning",
        "WrapWarning",
    ]


# Everything is loaded when it is first asked for: in a page nothing has been compiled to bytecode before.
_MODULES = {
    "isa.launch": ("BlockDim", "ExecutionParams", "GridDim", "LaunchConfig"),
    "backends.protocol": ("Backend", "Limits"),
    "backends.selection": ("get_default_backend", "is_available", "is_cuda_available", "is_metal_available"),
    "store.cache": ("ProgramCache",),
    "kernels.kernel": ("Kernel", "kernel", "kernel_from_source"),
    "kernels.marked": ("function",),
    "runtime.making": ("compile", "load"),
    "runtime.compiled": ("CompiledProgram",),
    "runtime.executor": ("Buffer", "Executor"),
    "plan.builder": ("PlanBuilder",),
    "runtime.pool": ("Pool",),
    "runtime.stream": ("StreamReport", "stream"),
    "runtime.typed": ("GenericExecutor", "TypedBuffer", "TypedBufferHandle"),
}
_ARRAYS = {  # of the wheel that the extra `tensor` asks for
    "array.batching": ("vmap",),
    "array.control_flow": ("cond", "scan", "while_loop"),
    "array.creation": ("arange", "asarray", "eye", "full", "linspace", "ones", "zeros"),
    "array.gradient": ("checkpoint", "custom_gradient", "grad", "value_and_grad", "vjp"),
    "array.launched": ("call_kernel",),
    "array.nested": ("tree_leaves", "tree_map"),
}
_TOOLS = {  # of the second distribution
    "circuit.compile": ("CircuitToIsa",),
    "kernel_json": ("JsonToIsa",),
    "optimizer": ("ProgramOptimizer",),
    "several": ("Mesh", "all_gather", "all_reduce"),
    "tune": ("forget_tuned", "tune", "tune_async", "use_tuned"),
}
_TOOL_PACKAGES = ("circuit", "kernel_json", "stdlib")
_PACKAGES = ("backends", "isa", "testing")
_ARRAY_PACKAGES = ("atlas", "nn", "ops", "tensor")
_ROOMS = ("errors", "isa", "frontends.python")  # all that is in their __all__


def _loaded(name: str) -> Any:
    found = _find(name)
    globals()[name] = found
    return found


if not TYPE_CHECKING:  # to checkers there is nothing but what stands above
    __getattr__ = _loaded


def _find(name: str) -> Any:
    if name in (*_PACKAGES, *_TOOL_PACKAGES, *_ARRAY_PACKAGES):
        return import_module(f".{name}", __name__)
    for module, names in (_MODULES | _ARRAYS).items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    for module, names in _TOOLS.items():
        if name in names:
            return getattr(tools(module), name)
    if name == "__all__":
        rooms = [import_module(f".{room}", __name__).__all__ for room in _ROOMS]
        there = [_TOOL_PACKAGES, *_TOOLS.values()] if installed() else []
        there += [_ARRAY_PACKAGES, *_ARRAYS.values()] if has("array") else []
        return sorted({"__version__", *_PACKAGES}.union(*_MODULES.values(), *rooms, *there))
    if not name.startswith("_"):
        for room in _ROOMS:
            found = import_module(f".{room}", __name__)
            if name in found.__all__:
                return getattr(found, name)
            if room == "isa" and name.islower() and name.upper() in found.Type.__members__:
                return found.Type[name.upper()]
        instead = import_module(".frontends.python.elsewhere", __name__).ON_THE_HOST.get(name)
        for room in ("ops", "array_api") if has("array") and not instead else ():
            if hasattr(import_module(f".{room}", __name__), name):
                instead = f"hologram_web.{room}.{name}"
        raise AttributeError(f"hologram_web has no {name!r}" + (f": write {instead}" if instead else ""))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_loaded("__all__"), *map(str, _find("Type"))})
