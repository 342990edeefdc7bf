"""The rows in Chromium, and the figures that are measured there."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from e2e.browser import ROOT, Browser

from .reference import Planes
from .rows import written
from .tasks import Task

__all__ = [
    "CHROMIUM",
    "ROOT",
    "Chromium",
    "Figure",
    "InChromium",
    "build_page_wheel",
    "bundle",
    "convert_wheel",
    "drawn",
    "figures",
    "fresh_page",
    "fresh_pages",
]

HERE = "/examples/edges"
MODULES = ("__init__.py", "edges/__init__.py", "edges/kernels.py", "edges/float_kernels.py", "edges/pipeline.py")
_PORT = 8707  # pages keep data by their origin
RUNTIME = ROOT / "web" / "dist" / "index.js"
LAST_BUNDLED = ROOT / "web" / "dist" / "playwright.js"  # of what web/build.mjs writes
WHEELS = ROOT / "build" / "wheel"
RUNTIME_OF_WHEEL = ROOT / "hologram_web" / "page" / "runtime.js"

CHROMIUM = {  # title: backend, Python
    "Chromium JS + WASM": ("wasm", False),
    "Chromium JS + WebGPU": ("webgpu", False),
    "Chromium Pyodide + WASM": ("wasm", True),
    "Chromium Pyodide + WebGPU": ("webgpu", True),
}


def bundle() -> None:
    """Builds web/dist and the package's copy if a source is newer. Raises OSError and subprocess.CalledProcessError."""
    sources = [ROOT / "web" / "build.mjs", *(ROOT / "web" / "src").rglob("*.ts")]
    newest = max(path.stat().st_mtime for path in sources)
    made = LAST_BUNDLED.is_file() and RUNTIME_OF_WHEEL.is_file()
    if not (made and LAST_BUNDLED.stat().st_mtime >= newest):
        subprocess.run(["npm", "run", "--silent", "bundle"], cwd=ROOT, check=True, capture_output=True)


def build_wheel(folder: Path) -> Path:
    """The wheel, made anew with the one of the tools if a source is newer. Raises subprocess.CalledProcessError."""
    if folder.resolve() != WHEELS.resolve():
        return _copied(build_wheel(WHEELS), "*-any.whl", folder)
    bundle()  # the runtime of pages is in it
    packages = ("hologram_web", "hologram_web_tools", "wgsl", "wasm")
    sources = [path for package in packages for path in (ROOT / package).rglob("*.*") if path.suffix != ".pyc"]
    sources += [ROOT / "pyproject.toml", ROOT / "hatch_build.py"]
    newest = max(path.stat().st_mtime for path in sources)
    found = next(folder.glob("hologram_web-*-any.whl"), None)
    if found is None or found.stat().st_mtime < newest:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "-q", "--no-deps"]
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.resolve()) as made:  # another process may make it, too
            subprocess.run([*pip, "-w", made, "./hologram_web_tools", "."], cwd=ROOT, check=True, capture_output=True)
            made_here = [wheel.replace(folder / wheel.name) for wheel in Path(made).iterdir()]
            (found,) = (wheel for wheel in made_here if wheel.name.startswith("hologram_web-"))
    return found


def _copied(wheel: Path, pattern: str, folder: Path) -> Path:
    """The wheel in another folder, with those that were made with it."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in wheel.parent.glob(pattern):
        shutil.copy2(each, folder)
    return folder / wheel.name


def build_page_wheel(folder: Path) -> Path:
    """The wheel that pages load, made anew if a source is newer. Raises subprocess.CalledProcessError."""
    if folder.resolve() != WHEELS.resolve():
        build_wheel(folder)
        return _copied(build_page_wheel(WHEELS), "*_wasm32.whl", folder)
    sources = [build_wheel(folder), *(ROOT / "tools").glob("page_*")]
    found = next(folder.glob("hologram_web-*_wasm32.whl"), None)
    if found is None or found.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        found = convert_wheel(sources[0], folder)[0]
    return found


def convert_wheel(wheel: Path, folder: Path) -> list[Path]:
    """The wheels for pages, of the ordinary one: the one that all load, the one of the tensor library, and what typical
    calls of it become. Raises subprocess.CalledProcessError."""
    with TemporaryDirectory(dir=folder.resolve()) as made, TemporaryDirectory() as place:
        library = Path(place, "library")
        for command in (
            [sys.executable, "-m", "hologram_web_tools.precompiled", "--pages", str(library)],
            ["node", "tools/page_wheel.mjs", str(wheel.resolve()), made, str(library)],
        ):
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        return [each.replace(folder / each.name) for each in sorted(Path(made).iterdir())]


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
                # Its profile keeps from one start to the next what Python compiled in pages.
                self._browser = Browser(profile=ROOT / "build" / "chromium", port=_PORT).__enter__()
            except Exception as error:
                self._failure = error
                raise
        return self._browser

    def python(self) -> dict[str, Any]:
        """What a page needs for Python."""
        return {
            "pyodide": "/node_modules/pyodide",
            "wheel": address(build_page_wheel(WHEELS)),
            "modules": {f"examples/{path}": f"/examples/{path}" for path in MODULES},
        }


class InChromium:
    """A backend of the TypeScript runtime in a page; with `python` the page compiles the kernels itself."""

    def __init__(self, title: str, chromium: Chromium) -> None:
        self.title, self.chromium = title, chromium
        self.times: Mapping[str, Any] | None = None
        self.compiled = self.kept = 0

    def _job(self, **order: Any) -> Any:
        return self.chromium.browser.run(f"{HERE}/page/rows.mjs", row=self.title, **order)

    def start(self, tasks: Mapping[str, Task]) -> tuple[str, float]:
        backend, python = CHROMIUM[self.title]
        more = {"python": self.chromium.python()} if python else {}
        told = self._job(what="start", backend=backend, folder=address(self.chromium.folder), **more).json
        self.times = told["python"]
        if self.times:
            self.compiled, self.kept = told["kept"]
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
    """A figure, and the most that it should be, if anything; `value` is None where `error` says why there is none."""

    name: str
    value: float | None
    target: float | None
    unit: str
    error: str = ""

    @property
    def text(self) -> str:
        return self.error if self.value is None else f"{self.value:.1f} {self.unit}"

    @property
    def aim(self) -> str:
        return "" if self.target is None else f"at most {self.target:g} {self.unit}"

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "not measured"
        return "" if self.target is None else "met" if self.value <= self.target else "missed"


def figures(chromium: Chromium, runners: Sequence[InChromium]) -> list[Figure]:
    """What is measured of loading; Python's times come from the rows that started."""
    times = [runner.times for runner in runners if runner.times is not None]
    pages: dict[str, list[float]] = {}

    def page(what: str) -> float:
        if not pages:
            pages.update(fresh_pages(chromium))
        return median(pages[what])

    wanted: list[tuple[str, Callable[[], float], float | None, str]] = [
        (
            "import of the wheel in Pyodide, with what kernels need",
            lambda: median(told["import"] for told in times),
            100,
            "ms",
        ),
        ("compiling the Gaussian there", lambda: median(ms for told in times for ms in told["gaussian"]), 40, "ms"),
        ("wheel that pages load", lambda: _kilobytes(build_page_wheel), 450, "KB"),
        ("wheel for everybody else", lambda: _kilobytes(build_wheel), None, "KB"),
        ("runtime that a page on WebGPU loads, gzipped", _runtime_size, 18, "KB"),
        ("fresh page to first result, the histogram, JS + WASM", lambda: page("wasm histogram"), 100, "ms"),
        ("of it until the first line of the page's script", lambda: page("wasm script"), None, "ms"),
        ("fresh page to the edges after it", lambda: page("wasm edges"), None, "ms"),
        ("fresh page to first result, JS + WebGPU by SwiftShader", lambda: page("webgpu histogram"), 350, "ms"),
    ]
    return [_figure(*one) for one in wanted]


def _kilobytes(build: Callable[[Path], Path]) -> float:
    return build(ROOT / "build" / "wheel").stat().st_size / 1000


def _runtime_size() -> float:
    """The runtime and its larger device, as web/size.mjs counts them, in KB."""
    parts = (RUNTIME, RUNTIME.with_name("backends") / "webgpu.js")
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in parts) / 1000


def _figure(name: str, measure: Callable[[], float], target: float | None, unit: str) -> Figure:
    try:
        return Figure(name, measure(), target, unit)
    except Exception as error:
        return Figure(name, None, target, unit, f"{type(error).__name__}: {error}")


def fresh_pages(chromium: Chromium) -> dict[str, list[float]]:
    """Of nine tabs a device, the ms from the start of the page until its script starts, and until results are drawn.

    They are tabs of one window, as users have it; a window of its own for each, without a profile, took 60 ms more.
    Nothing is cached. The server does not isolate them, as few servers do and nothing here needs: isolation has
    Chromium start a process for every page, 30 to 50 ms.
    """
    found: dict[str, list[float]] = defaultdict(list)
    with chromium.browser.tabs() as tab:
        for backend in ("wasm", "webgpu"):
            here = fresh_page(chromium.folder, backend)
            for _ in range(9):
                for what, ms in drawn(tab, here).items():
                    found[f"{backend} {what}"].append(ms)
    return found


def fresh_page(folder: Path, backend: str, runtime: str = "/web/dist") -> Path:
    """Writes a page to a folder with tasks: the histogram on a device, by a runtime, then edges on WebAssembly (they
    keep a program that plays a GPU busy for seconds, and so the next tab)."""
    page_folder = ROOT / "examples" / "edges" / "page"
    text = (page_folder / "first.html").read_text(encoding="utf-8").replace("wasm", backend)
    if backend != "wasm":
        text = text.replace('<canvas id="edges"></canvas>\n', "")
    if runtime != "/web/dist":  # beside the page, which names it
        script = (page_folder / "first.mjs").read_text(encoding="utf-8")
        (folder / "first.mjs").write_text(script.replace("/web/dist", runtime), encoding="utf-8")
        text = text.replace("/web/dist", runtime).replace(f"{HERE}/page/first.mjs", "first.mjs")
    here = folder / f"first-{backend}.html"
    here.write_text(text, encoding="utf-8")
    return here


def drawn(tab: Callable[[str], Any], here: Path, then: Callable[[], None] = lambda: None) -> dict[str, float]:
    """When a new tab has drawn what, in ms from the start of its page; `then` is called before it is closed."""
    page = tab(f"{address(here)}?plain")
    page.wait_for_function("() => globalThis.drawn", timeout=30_000)
    found: dict[str, float] = page.evaluate("() => globalThis.drawn")
    then()
    page.close()
    return found
