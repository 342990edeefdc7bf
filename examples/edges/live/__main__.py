"""Builds the page into build/live, a folder that any server can give.

.venv/bin/python -m examples.edges.live
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from PIL import Image

from ..chromium import MODULES, ROOT, build_wheel, bundle
from ..pictures import photograph
from ..pipeline import stages_plan

__all__ = ["FOLDER", "build"]

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
    for source, target in ((ROOT / "web" / "dist", "runtime"), (ROOT / "node_modules" / "pyodide", "pyodide")):
        shutil.rmtree(folder / target, ignore_errors=True)
        (folder / target / "backends").mkdir(parents=True)
        names = [str(path.relative_to(source)) for path in source.rglob("*.js")] if target == "runtime" else PYODIDE
        for name in names:
            if (source / name).is_file():
                shutil.copyfile(source / name, folder / target / name)
    stages_plan().save(folder / "edges.holo")
    Image.fromarray(photograph()).save(folder / "photo.png")
    modules = {f"examples/{name}": (ROOT / "examples" / name).read_text(encoding="utf-8") for name in MODULES}
    (folder / "python.json").write_text(json.dumps(modules), encoding="utf-8")
    wheels = folder.parent / "wheel"
    wheels.mkdir(exist_ok=True)
    shutil.copyfile(build_wheel(wheels), folder / "hologram_web.whl")
    return folder


if __name__ == "__main__":
    print(f"the live page: {build()}")
