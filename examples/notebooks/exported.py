"""The notebook of marimo as a page, which asks no other server: what `marimo export html-wasm` writes, whose Pyodide
and packages lie beside it. Its own `--offline` writes the same three addresses, but asks servers for all of it."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

from marimo._export.exporter import Exporter
from marimo._export.file import export_wasm
from marimo._export.requests import WASMFileExportRequest
from marimo._schemas.export_options import WASMExportOptions, WASMRuntimeConfig
from marimo._utils.marimo_path import MarimoPath

__all__ = ["export"]

LOCK = "pyodide-lock.json"
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
SOURCES = WASMRuntimeConfig(
    pyodide_index_url="./pyodide/", pyodide_lockfile_url=f"./pyodide/{LOCK}", pypi_index_url="./pyodide/"
)


def export(notebook: Path, folder: Path, pyodide: Path, packages: dict[str, dict[str, Any]], wheels: str) -> None:
    """Writes the page of a notebook into a folder. `packages` are entries of a lock, whose files lie in `wheels`, seen
    from the folder's Pyodide: that of npm which this marimo takes. Raises OSError."""
    options = WASMExportOptions(mode="run", show_code=True, runtime=SOURCES)
    found = asyncio.run(export_wasm(WASMFileExportRequest(path=MarimoPath(notebook), options=options)))
    Exporter().export_assets(folder)
    (folder / "index.html").write_bytes(found.bytez)
    place = folder / "pyodide"
    place.mkdir()
    for name in FILES:
        shutil.copyfile(pyodide / name, place / name)
    lock = json.loads((pyodide / LOCK).read_bytes())
    lock["packages"] = {
        name: {**entry, "file_name": f"{wheels}/{entry['file_name']}"} for name, entry in packages.items()
    }
    (place / LOCK).write_text(json.dumps(lock, indent=1), encoding="utf-8")
