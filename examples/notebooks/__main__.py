"""Builds the site of the notebooks into build/notebooks/site, a folder that any server of files can give.

.venv/bin/python -m examples.notebooks

It is JupyterLite with Pyodide from npm, our wheels, and what its kernel needs from PyPI, whose hashes kernel.txt has; a
page of PyScript, and one of marimo. It asks no other server. What is there and new enough stays.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from email.parser import Parser
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from examples.edges.chromium import ROOT, build_page_wheel, build_wheel

from . import HERE, NOTEBOOKS
from .exported import export
from .wheels import FOLDER, fetch

__all__ = ["FOLDER", "build", "entries_of"]

PAGES = ("index.html", "pyscript.html", "ripples.py", "style.css", "answers.js")  # beside JupyterLite
APPS = ("lab", "notebooks")
HEAD = "<head>\n"
PYODIDE = ("pyodide.mjs", "pyodide.js", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
MODULES = ROOT / "node_modules"
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
THEMES = "@jupyterlab/apputils-extension:themes"
MADE = "2026-01-01T00:00:00Z"  # no clock: the same sources make the same site
WITH_OURS = (
    "hologram-web-library",
    "hologram-web-tensor",
    "hologram-web-tools",
)  # what `import hologram_web` brings here
STARTED = ("hologram-web", "anywidget")  # what a notebook starts with: imports of imports are not seen
IN_PYODIDE = {"sys_platform": "emscripten", "platform_system": "Emscripten", "platform_machine": "wasm32", "extra": ""}


def build(folder: Path = FOLDER) -> Path:
    """Builds the site if what it is made of has changed; gives its folder. Raises OSError and
    subprocess.CalledProcessError."""
    lock = json.loads((MODULES / "pyodide" / LOCK).read_bytes())
    wheels = [*_ours(), *fetch()]
    inputs = [*wheels, *sorted(path for path in HERE.iterdir() if path.is_file()), MODULES / "pyodide" / LOCK]
    key = sha256(b"".join(sha256(path.read_bytes()).digest() for path in inputs)).hexdigest()
    site, stamp = folder / "site", folder / "key"
    if not (site.is_dir() and stamp.is_file() and stamp.read_text() == key):
        stamp.unlink(missing_ok=True)
        lock["packages"] = entries_of(wheels)
        _place(folder / "lite", lock, wheels)
        shutil.rmtree(site, ignore_errors=True)
        # A second build over the first leaves out settings, Pyodide's address among them: it is always a new folder.
        lite = (sys.executable, "-m", "jupyterlite_core", "build", "--output-dir", site / "lite")
        subprocess.run(lite, cwd=folder / "lite", check=True, capture_output=True)
        _contents(site / "lite")
        for app in APPS:
            _ask_first(site / "lite" / app / "index.html")
        for name in PAGES:
            shutil.copyfile(HERE / name, site / name)
        shutil.copyfile(ROOT / "examples" / "edges" / "live" / "icon.svg", site / "icon.svg")
        # marimo takes one version of Pyodide only.
        pyodide, places = MODULES / "pyodide-for-marimo", "../../lite/static/pyodide"
        export(HERE / "ripples_marimo.py", site / "marimo", pyodide, lock["packages"], places)
        shutil.copytree(MODULES / "@pyscript" / "core" / "dist", site / "pyscript", ignore=_maps)
        stamp.write_text(key)
    return site


def _maps(_: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.endswith(".map")]


def _ours() -> list[Path]:
    """The wheels for pages, and the one of the tools."""
    folder = ROOT / "build" / "wheel"
    folder.mkdir(parents=True, exist_ok=True)
    page = build_page_wheel(folder)
    (tools,) = build_wheel(folder).parent.glob("hologram_web_tools-*.whl")
    return [
        page,
        *(page.with_name(page.name.replace("_web-", f"_web_{part}-")) for part in ("tensor", "library")),
        tools,
    ]


def entries_of(wheels: Iterable[Path]) -> dict[str, Any]:
    """What pyodide-lock.json says of the wheels; what they need of what is not there is left out."""
    found = {entry["name"]: entry for entry in map(_entry, wheels)}
    found["hologram-web"]["depends"] += WITH_OURS
    for name, entry in found.items():
        no = "hologram-web" if name in WITH_OURS else None  # which brings them, and circles are none
        entry["depends"] = sorted({each for each in entry["depends"] if each in found and each != no})
    return dict(sorted(found.items()))


def _entry(wheel: Path) -> dict[str, Any]:
    with ZipFile(wheel) as opened:
        names = opened.namelist()
        (place,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(opened.read(place).decode())
    modules = {name.split("/")[0].removesuffix(".py") for name in names if name.endswith((".py", ".pyc", ".zip"))}
    needs = [Requirement(text) for text in told.get_all("Requires-Dist", [])]
    return {
        "name": canonicalize_name(told["Name"]),
        "version": told["Version"],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": sorted(name for name in modules if name.isidentifier()),
        "depends": [
            canonicalize_name(need.name) for need in needs if need.marker is None or need.marker.evaluate(IN_PYODIDE)
        ],
        "unvendored_tests": False,
    }


def _place(folder: Path, lock: dict[str, Any], wheels: Iterable[Path]) -> None:
    """What JupyterLite's builder reads: its settings, the notebooks, and Pyodide where it looks for it."""
    shutil.rmtree(folder, ignore_errors=True)
    pyodide = folder / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    for name in PYODIDE:
        shutil.copyfile(MODULES / "pyodide" / name, pyodide / name)
    for path in wheels:
        shutil.copyfile(path, pyodide / path.name)
    builder = {
        "LiteBuildConfig": {
            "apps": APPS,
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
        }
    }
    site = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "hologram_web",
            "contentsAllJsonFile": "all.json",
            "exposeAppInBrowser": True,
            "litePluginSettings": {KERNEL: {"disablePyPIFallback": True, "loadPyodideOptions": {"packages": STARTED}}},
        },
    }
    written = {
        pyodide / LOCK: lock,
        folder / "jupyter_lite_config.json": builder,
        folder / "jupyter-lite.json": site,
        folder / "overrides.json": {THEMES: {"adaptive-theme": True}},
    }
    for path, value in written.items():
        path.write_text(json.dumps(value, indent=1), encoding="utf-8")


def _ask_first(page: Path) -> None:
    """Puts answers.js before all other scripts of a page of JupyterLite's."""
    before, after = page.read_text(encoding="utf-8").split(HEAD)
    page.write_text(f'{before}{HEAD}    <script src="../../answers.js"></script>\n{after}', encoding="utf-8")


def _contents(site: Path) -> None:
    """The notebooks and their list, as Jupyter's server would tell it: JupyterLite's builder asks one for it."""
    common: dict[str, Any] = {"created": MADE, "last_modified": MADE, "mimetype": None, "writable": True}
    listed = [
        {"name": path.name, "path": path.name, "type": "notebook", "content": None, "format": None}
        | {"size": path.stat().st_size, **common}
        for path in NOTEBOOKS
    ]
    here = {"name": "", "path": "", "type": "directory", "content": listed, "format": "json", "size": None, **common}
    for folder in ("files", "api/contents"):
        (site / folder).mkdir(parents=True, exist_ok=True)
    for path in NOTEBOOKS:
        shutil.copyfile(path, site / "files" / path.name)
    (site / "api" / "contents" / "all.json").write_text(json.dumps(here), encoding="utf-8")


if __name__ == "__main__":
    print(f"the notebooks: {build()}")
