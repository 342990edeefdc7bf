"""Machine code on disk: wasmtime loads a module 110 times faster than it compiles it (measured, 5 KB)."""

from __future__ import annotations

from importlib.metadata import version

import wasmtime

from ...runtime.blake3 import blake3
from ...runtime.cache import ProgramCache
from ...runtime.store import Store

__all__ = ["ModuleCache"]


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
