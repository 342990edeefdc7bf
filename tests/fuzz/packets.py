"""Devices in packets of lanes, whose programs are made once for all widths, up to where a width matters.

What a program costs is made of it, not run. So three devices of different widths share the function of a lane region,
what WebAssembly makes of it, and how its values are held; nothing is kept on disk, where nobody would look for it; and
a *quick* device has wasmtime make its machine code without optimizing, and give out registers in one pass.
"""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any
from unittest.mock import patch

import wasmtime
from wasmtime import _ffi

from hologram_web.backends import Limits
from hologram_web.compiler.driver import lane_function
from hologram_web.compiler.ir import Function
from hologram_web.compiler.out_of_ssa import Lowered, lower
from hologram_web.isa.verify import Analysis
from hologram_web.targets.wasm import WasmKernel, WasmOptions, compile_kernel, kernel
from hologram_web.targets.wasm.choice import Choice

from ..crews import AllShared, OnWorkers

__all__ = ["PacketsBackend", "function_of", "made_once"]

_KEPT = 32  # functions: a program with collectives has several
_SINGLE_PASS = 1  # of wasmtime_regalloc_algorithm_t
_ANY_WIDTH = 4


class _Quick(wasmtime.Config):
    def __init__(self) -> None:
        super().__init__()
        self.cranelift_opt_level = "none"
        set_async_stack = _ffi.dll.wasmtime_config_async_stack_size_set  # what has no wrapper bounds the next one
        set_async_stack.argtypes, set_async_stack.restype = [ctypes.c_void_p, ctypes.c_size_t], None
        set_async_stack(self.ptr(), 7 << 20)
        self.max_wasm_stack = 6 << 20  # as each value has a slot: 2 MiB were too little for seed 90000326
        _ffi.wasmtime_config_cranelift_regalloc_algorithm_set(self.ptr(), _SINGLE_PASS)


class PacketsBackend(AllShared):
    """`packets` lanes go side by side, wherever they can. Several `threads` are workers who take the blocks of every
    launch, while who launches waits: programs of the fuzzer are launched once, and that thread would have done them all
    before a worker is awake."""

    def __init__(self, *, limits: Limits, packets: int, threads: int, quick: bool = False) -> None:
        if threads > 1:
            self._crew_of = OnWorkers._crew_of
        with patch.object(wasmtime, "Config", _Quick if quick else wasmtime.Config):
            super().__init__(limits=limits, packets=packets, threads=threads + (threads > 1), cache=False)

    def _compile(
        self, analysis: Analysis, block: Any, point: int | None, uniform: dict[Any, str], fuses: bool
    ) -> WasmKernel:
        function = function_of(analysis, block, point, uniform)
        self.stats.kernels += 1
        with made_once():
            return compile_kernel(function, *WasmOptions(self._wide_arithmetic, self.packets, fuses, self.splats))


_FUNCTIONS: OrderedDict[Any, tuple[Analysis, Function]] = OrderedDict()  # with the analysis, whose id stays its own


def function_of(
    analysis: Analysis, block: Any, point: int | None = None, uniform: dict[Any, str] | None = None
) -> Function:
    """`lane_function`, which is asked once."""
    named = tuple(sorted((name, repr(register)) for register, name in (uniform or {}).items()))
    start = analysis.graph.entry if point is None else point
    key = analysis.source or id(analysis), tuple(block), start, named
    if key not in _FUNCTIONS:
        _FUNCTIONS[key] = analysis, lane_function(analysis, block, point, uniform)
        if len(_FUNCTIONS) > _KEPT:
            _FUNCTIONS.popitem(last=False)
    return _FUNCTIONS[key][1]


@contextmanager
def made_once() -> Iterator[None]:
    """Steps of `compile_kernel` that know no width are taken once for a function, by whichever device comes first."""
    plain = vars(kernel)["chosen"]
    choice_of = _choices(plain)

    def chosen(function: Function, packets: int | None = None) -> Choice:
        if packets in (None, 1):
            return plain(function, packets)
        found = choice_of(lower(function))
        return found if found.forms is None else replace(found, width=packets)

    names = ("_legal", "with_whole_rounds", "with_likely", "taken")
    steps: dict[str, Any] = {name: _remembered(vars(kernel)[name]) for name in names}
    with patch.multiple(kernel, **steps, chosen=chosen):
        yield


@lru_cache(maxsize=64)
def _remembered(step: Callable[..., Any]) -> Callable[..., Any]:
    return lru_cache(maxsize=_KEPT)(step)


@lru_cache(maxsize=64)
def _choices(plain: Callable[[Function, int], Choice]) -> Callable[[Lowered], Choice]:
    """Of what a kernel is then written from: variables of another `lower` of the same function would be others."""
    return lru_cache(maxsize=_KEPT)(lambda lowered: plain(lowered.function, _ANY_WIDTH))
