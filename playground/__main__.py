"""Builds the playground into build/site/playground, a folder that any server of files can give.

.venv/bin/python -m playground [FOLDER]
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from examples.edges.chromium import ROOT, build_page_wheel, build_wheel

from .programs import programs

__all__ = ["FOLDER", "build"]

HERE = Path(__file__).parent
FOLDER = ROOT / "build" / "site" / "playground"
FILES = ("index.html", "style.css", "inside.py")
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


def build(folder: Path = FOLDER) -> Path:
    """Writes the page into an empty folder, or over another playground; gives the folder. Raises OSError and
    subprocess.CalledProcessError."""
    if folder.exists():
        if not (folder / "inside.py").is_file() and any(folder.iterdir()):
            raise FileExistsError(f"{folder} is not empty, and no playground: it is built into a folder of its own")
        shutil.rmtree(folder)
    for name in ("pyodide", "wheels"):
        (folder / name).mkdir(parents=True)
    for name in FILES:
        shutil.copyfile(HERE / name, folder / name)
    shutil.copyfile(ROOT / "examples" / "edges" / "live" / "icon.svg", folder / "icon.svg")
    for name in PYODIDE:
        shutil.copyfile(ROOT / "node_modules" / "pyodide" / name, folder / "pyodide" / name)
    wheels = ROOT / "build" / "wheel"
    wheels.mkdir(parents=True, exist_ok=True)
    page = build_page_wheel(wheels)
    (tools,) = build_wheel(wheels).parent.glob("hologram_web_tools-*.whl")
    tensor = page.with_name(page.name.replace("hologram_web-", "hologram_web_tensor-"))
    for wheel in (page, tensor, tools):
        shutil.copyfile(wheel, folder / "wheels" / f"{wheel.name.split('-')[0]}.whl")
    (folder / "examples.json").write_text(json.dumps(programs()), encoding="utf-8")
    subprocess.run(["node", "playground/build.mjs", folder], cwd=ROOT, check=True)
    return folder


if __name__ == "__main__":
    try:
        print(f"the playground: {build(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)}")
    except FileExistsError as error:
        sys.exit(str(error))
