"""Builds the page into build/live, a folder that any server can give.

.venv/bin/python -m examples.edges.live
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from ..chromium import MODULES, ROOT, build_page_wheel, bundle
from ..pictures import photograph
from ..pipeline import stages_plan
from .compass import compass_plan

__all__ = ["FOLDER", "build", "place_runtime"]

HERE = Path(__file__).parent
FOLDER = ROOT / "build" / "live"
FILES = ("index.html", "style.css", "icon.svg", "live.mjs", "views.mjs", "python.mjs")
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


def build(folder: Path = FOLDER) -> Path:
    """Writes the page; gives the folder. Raises OSError and subprocess.CalledProcessError."""
    bundle()
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(HERE / name, folder / name)
    place_runtime(folder)
    _place(ROOT / "node_modules" / "pyodide", folder / "pyodide", PYODIDE)
    stages_plan().save(folder / "edges.holo")
    compass_plan().save(folder / "compass.holo")
    Image.fromarray(photograph()).save(folder / "photo.png")
    modules = {f"examples/{name}": (ROOT / "examples" / name).read_text(encoding="utf-8") for name in MODULES}
    (folder / "python.json").write_text(json.dumps(modules), encoding="utf-8")
    wheels = folder.parent / "wheel"
    wheels.mkdir(exist_ok=True)
    shutil.copyfile(build_page_wheel(wheels), folder / "hologram_web.whl")
    return folder


def place_runtime(folder: Path) -> None:
    """Writes the bundled runtime into the folder `runtime` of a page."""
    source = ROOT / "web" / "dist"
    _place(source, folder / "runtime", [str(path.relative_to(source)) for path in source.rglob("*.js")])


def _place(source: Path, target: Path, names: Iterable[str]) -> None:
    """Copies those of the files that are there, in place of what the folder held."""
    shutil.rmtree(target, ignore_errors=True)
    for name in names:
        if (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, target / name)


if __name__ == "__main__":
    print(f"the live page: {build()}")
