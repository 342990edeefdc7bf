"""The rows in Chromium, and the figures that are measured there."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from e2e.browser import ROOT, Browser

from .reference import Planes
from .rows import written
from .tasks import Task

__all__ = ["CHROMIUM", "ROOT", "Chromium", "Figure", "InChromium", "build_wheel", "bundle", "figures"]

HERE = "/examples/edges"
MODULES = ("__init__.py", "edges/__init__.py", "edges/kernels.py", "edges/float_kernels.py", "edges/pipeline.py")
RUNTIME = ROOT / "web" / "dist" / "index.js"

CHROMIUM = {  # title: backend, Python
    "Chromium JS + WASM": ("wasm", False),
    "Chromium JS + WebGPU": ("webgpu", False),
    "Chromium Pyodide + WASM": ("wasm", True),
    "Chromium Pyodide + WebGPU": ("webgpu", True),
}


def bundle() -> None:
    """Builds web/dist, if a source is newer. Raises OSError and subprocess.CalledProcessError."""
    newest = max(path.stat().st_mtime for path in (ROOT / "web" / "src").rglob("*.ts"))
    if not RUNTIME.is_file() or RUNTIME.stat().st_mtime < newest:
        subprocess.run(["npm", "run", "--silent", "bundle"], cwd=ROOT, check=True, capture_output=True)


def build_wheel(folder: Path) -> Path:
    """The wheel, made anew if a source is newer. Raises subprocess.CalledProcessError."""
    sources = [*(ROOT / "hologram_web").rglob("*.py"), *(ROOT / "wgsl").iterdir(), ROOT / "pyproject.toml"]
    newest = max(path.stat().st_mtime for path in sources)
    found = next(folder.glob("*.whl"), None)
    if found is None or found.stat().st_mtime < newest:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "-q", "--no-deps"]
        subprocess.run([*pip, "-w", str(folder), "."], cwd=ROOT, check=True, capture_output=True)
        (found,) = folder.glob("*.whl")
    return found


def address(path: Path) -> str:
    """Where the server has a file of the repository."""
    return "/" + path.resolve().relative_to(ROOT).as_posix()


class Chromium:
    """A browser that starts when it is first needed, with what its pages load; a context manager."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._browser: Browser | None = None
        self._failure: Exception | None = None

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *_: object) -> None:
        if self._browser is not None:
            self._browser.__exit__(*_)

    @property
    def browser(self) -> Browser:
        """Raises NoBrowser, and what building raises, each time."""
        if self._failure is not None:
            raise self._failure
        if self._browser is None:
            try:
                bundle()
                self._browser = Browser().__enter__()
            except Exception as error:
                self._failure = error
                raise
        return self._browser

    def python(self) -> dict[str, Any]:
        """What a page needs for Python."""
        return {
            "pyodide": "/node_modules/pyodide",
            "wheel": address(build_wheel(ROOT / "build" / "wheel")),
            "modules": {f"examples/{path}": f"/examples/{path}" for path in MODULES},
        }


class InChromium:
    """A backend of the TypeScript runtime in a page; with `python` the page compiles the kernels itself."""

    def __init__(self, title: str, chromium: Chromium) -> None:
        self.title, self.chromium = title, chromium
        self.times: Mapping[str, Any] | None = None

    def _job(self, **order: Any) -> Any:
        return self.chromium.browser.run(f"{HERE}/page/rows.mjs", row=self.title, **order)

    def start(self, tasks: Mapping[str, Task]) -> tuple[str, float]:
        backend, python = CHROMIUM[self.title]
        more = {"python": self.chromium.python()} if python else {}
        told = self._job(what="start", backend=backend, folder=address(self.chromium.folder), **more).json
        self.times = told["python"]
        # What translating the kernels takes is for all plans together.
        compile_ms = told["compile"]["edges"] + (self.times["kernels"] if self.times else 0)
        return told["adapter"] or f"V8 of Chromium {self.chromium.browser.version}", compile_ms

    def run(self, task: Task, keep: bool) -> tuple[float, Planes]:
        told = self._job(what="run", task=task.name, keep=keep)
        planes, place = {}, 0
        types = {port.name: port.ty.numpy for port in written(task)}
        for name, size in told.json["sizes"]:
            planes[name] = np.frombuffer(told.blob, types[name], size // types[name].itemsize, place)
            place += size
        return told.json["ms"], planes

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Figure:
    """A figure with its target; `value` is None where it could not be measured, and `unit` says why."""

    name: str
    value: float | None
    target: float
    unit: str

    @property
    def met(self) -> bool:
        return self.value is not None and self.value < self.target


def figures(chromium: Chromium, runners: Sequence[InChromium]) -> list[Figure]:
    """What is measured of loading; Python's times come from the rows that started."""
    times = [runner.times for runner in runners if runner.times is not None]
    gaussian = [ms for told in times for ms in told["gaussian"]]
    found = [
        _figure("import of the wheel in Pyodide", lambda: median(told["import"] for told in times), 300, "ms"),
        _figure("compiling the Gaussian in Pyodide", lambda: median(gaussian), 60, "ms"),
        _figure("wheel", lambda: build_wheel(ROOT / "build" / "wheel").stat().st_size / 1000, 250, "KB"),
        _figure("runtime, gzipped", lambda: len(gzip.compress(RUNTIME.read_bytes(), 9)) / 1000, 15, "KB"),
        _figure("fresh page to first result, JS + WASM", lambda: _fresh_page(chromium), 150, "ms"),
    ]
    return found


def _figure(name: str, measure: Any, target: float, unit: str) -> Figure:
    try:
        return Figure(name, measure(), target, unit)
    except Exception as error:
        return Figure(name, None, target, f"{unit}: {type(error).__name__}: {error}")


def _fresh_page(chromium: Chromium) -> float:
    """Median of five pages, ms from the start of the page until the edges are drawn."""
    found = []
    for _ in range(5):
        page = chromium.browser.page(f"{HERE}/page/first.html?folder={address(chromium.folder)}")
        try:
            page.wait_for_function("() => globalThis.first", timeout=30_000)
            found.append(page.evaluate("() => globalThis.first"))
        finally:
            page.close()
    return float(median(found))
