"""Kernels as they are kept on disk, and machine code: wasmtime loads a module 110 times faster than it compiles it
(measured, 5 KB)."""

from __future__ import annotations

from importlib.metadata import version
from math import prod
from typing import Any

import wasmtime

from ...isa.types import Type
from ...isa.verify import Analysis
from ...store.blake3 import blake3
from ...store.cache import ProgramCache
from ...store.kept import BYTES, FLAG, WHOLE, Form, list_of, record
from ...store.store import Store
from ...targets.wasm import WasmKernel
from ..forms import BASE, SCALARS

__all__ = ["WASM_KERNEL", "ModuleCache", "fits"]

WASM_KERNEL: Form[WasmKernel] = record(
    WasmKernel,
    {
        "code": BYTES,
        "scalars": SCALARS,
        "bases": list_of(BASE),
        "spill": WHOLE,
        "block_lanes": WHOLE,
        "atomic": FLAG,
        "relaxed": BYTES,
    },
)


def fits(kernel: WasmKernel, analysis: Analysis, block: Any, uniform: dict[Any, str]) -> bool:
    """Whether a kernel from the disk names nothing but what a launch has."""
    scalars = {(param.name, param.ty) for param in analysis.program.params}
    scalars |= {(name, ty if isinstance(ty, Type) else Type.U32) for (_, ty), name in uniform.items()}
    bases = set(analysis.bases.values())
    return (
        kernel.block_lanes == prod(block)
        and all(scalar in scalars for scalar in kernel.scalars)
        and all(base in bases for base in kernel.bases)
    )


class ModuleCache:
    """Modules by the BLAKE3 of their bytes, in memory and, if there is one, in a store.

    Machine code of another wasmtime, of other settings or of another processor is compiled anew: wasmtime refuses it.
    """

    def __init__(self, engine: wasmtime.Engine, store: Store | None) -> None:
        self._engine, self._store = engine, store
        self._salt = f"wasmtime {version('wasmtime')}".encode()
        self._known: ProgramCache[bytes, wasmtime.Module] = ProgramCache()

    def get(self, code: bytes) -> tuple[wasmtime.Module, bool]:
        """The module of these bytes, and whether it had to be compiled."""
        key, compiled = blake3(self._salt + code), []

        def make() -> wasmtime.Module:
            kept = None if self._store is None else self._store.get("module", key)
            if kept is not None:
                try:
                    return wasmtime.Module.deserialize(self._engine, kept)
                except wasmtime.WasmtimeError:
                    pass
            module = wasmtime.Module(self._engine, code)
            compiled.append(module)
            if self._store is not None:
                self._store.put("module", key, bytes(module.serialize()))
            return module

        return self._known.get_or_create(key, make), bool(compiled)
