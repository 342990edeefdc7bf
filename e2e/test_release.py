"""What `make release` builds, installed where nothing else is, offline: the first programs of docs/install.md, and what
docs/start_*.md do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import venv
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from examples.edges.chromium import WHEELS, build_page_wheel
from examples.notebooks.wheels import fetch
from hatch_build import readme
from hologram_web_tools.cli.server import serving
from tests.test_docs import BLOCKS
from tests.where import node_with_jspi

from .browser import ROOT, Browser
from .transcript import follow

pytestmark = pytest.mark.timeout(900)  # the first test builds a release

PYTHON, JAVASCRIPT = (
    next(block.text for block in BLOCKS[ROOT / "docs" / "install.md"] if block.kind == kind)
    for kind in ("python", "js")
)
SAXPY = "Float32Array(3) [ 12, 24, 36 ]\n"
# Kernels of the package by their names: files beside it, which bundlers have to find.
NAMED = """
import { Runtime } from "hologram-web";
import { operationsOn } from "hologram-web/ops";
import { loadStdlib } from "hologram-web/stdlib";
const runtime = await Runtime.create({ backend: "wasm" });
const add = await loadStdlib(runtime, "vector_add");
const sums = await add.run({ a: [1, 2], b: [10, 20], n: 2 });
const [a, b] = [runtime.buffer("f32", [1, 2, 3, 4], { shape: [2, 2] }), { data: [1, 1], shape: [2, 1] }];
const product = await operationsOn(runtime).matmul(a, b);
const told = `${sums} ${await product.read()} ${product.shape}`;
globalThis.document ? (document.querySelector("pre").textContent = told) : console.log(told);
await runtime.close();
"""
ANSWER = "11,22 3,7 2,1"
# Workers: another file that bundlers find, or are told of.
POOLED = """
import {{ Pool }} from "hologram-web/pool";
const pool = await Pool.create({{ size: 1, backend: "wasm"{} }});
const found = await pool.run("saxpy.holo", {{ a: 2, x: [1, 2, 3], y: [10, 20, 30] }});
document.querySelector("pre").textContent = found.join();
"""
CACHES = ("__pycache__", ".*_cache", ".hypothesis", ".git", "build", "dist", "node_modules", ".venv", "runtime.js")


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, encoding="utf-8", check=False)
    said = [
        line for line in f"{done.stdout}\n{done.stderr}".splitlines() if len(line) < 1000
    ]  # Node shows minified ones
    assert done.returncode == 0, "\n".join(said)
    return done.stdout


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree as a clone has it, with what the set-up makes beside it: what others load of this one is left alone."""
    place = tmp_path_factory.mktemp("clone") / "clone"
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*CACHES), symlinks=True)
    for name in (".venv", "node_modules"):
        (place / name).symlink_to((ROOT / name).resolve())
    return place


@pytest.fixture(scope="session")
def dist(clone: Path) -> Path:
    run(sys.executable, "tools/release.py", folder=clone)
    return clone / "dist"


def _one(dist: Path, pattern: str) -> Path:
    (found,) = dist.glob(pattern)
    return found


def test_everything_is_there_with_its_checksum(dist: Path) -> None:
    patterns = re.findall(r"`([\w*.-]+)`(?=[^|]*\| )", (ROOT / "docs" / "install.md").read_text(encoding="utf-8"))
    named = {path for pattern in patterns for path in dist.glob(pattern)}
    assert named == set(dist.iterdir())
    sums = dict(line.split("  ")[::-1] for line in (dist / "SHA256SUMS").read_text().splitlines())
    assert sums == {p.name: sha256(p.read_bytes()).hexdigest() for p in named if p.name != "SHA256SUMS"}


def test_the_wheels_for_pages_are_the_same_when_made_anew(dist: Path) -> None:
    """By another process, of the tree that the clone was made of, and of a wheel without the programs that a release
    has. The one of the tensor library had its modules in the order of their hashes, which are random."""
    made = {path.name: path.read_bytes() for path in build_page_wheel(WHEELS).parent.glob("*_wasm32.whl")}
    assert made == {path.name: path.read_bytes() for path in dist.glob("*_wasm32.whl")}


def test_a_folder_that_holds_something_is_left_alone(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    done = subprocess.run([sys.executable, "tools/release.py", tmp_path], cwd=clone, capture_output=True, text=True)
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [tmp_path / "mine"])
    assert "is not empty" in done.stdout


def _lend(wanted: set[str], site: Path) -> None:
    """Puts what is installed here among the packages of another environment, with all that it depends on."""
    lent: set[str] = set()
    while wanted - lent:
        name = min(wanted - lent)
        lent.add(name)
        found = distribution(name)
        for requirement in map(Requirement, found.requires or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                wanted.add(requirement.name)
        for top in {file.parts[0] for file in found.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(found.locate_file(top))))


def lend_needed(dist: Path, place: Path, more: tuple[str, ...] = ()) -> None:
    """Puts what the package says that it depends on into an environment, and no more than `more`."""
    with ZipFile(_one(dist, "hologram_web-*-any.whl")) as wheel:
        metadata = wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))).decode()
    needed = [Requirement(text) for text in re.findall(r"^Requires-Dist: (.*)", metadata, re.M)]
    here = {each.name for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})}
    _lend(here - {"hologram-web-tools"} | {*more}, _one(place, "lib/python*/site-packages"))


@pytest.fixture(scope="session")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the package and what it depends on."""
    place = tmp_path_factory.mktemp("python")
    venv.create(place)
    lend_needed(dist, place)
    pip = (sys.executable, "-m", "pip", "--python", place / "bin" / "python", "--disable-pip-version-check")
    run(*pip, "install", "-q", "--no-index", "--find-links", dist, "hologram-web", folder=place)
    run(*pip, "check", folder=place)
    return place / "bin"


@pytest.fixture(scope="session")
def first(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the first program in Python has run, which leaves saxpy.holo there."""
    place = tmp_path_factory.mktemp("first")
    (place / "first.py").write_text(PYTHON)
    run(installed / "python", "-I", "first.py", folder=place)
    return place


def test_python(installed: Path, first: Path) -> None:
    where = run(installed / "python", "-I", "-c", "import hologram_web as hg; print(hg.__file__)", folder=first)
    assert Path(where).is_relative_to(installed.parent)
    told = run(installed / "hologram-web", "run", "saxpy.holo", "a=2", "x=1,2", "y=1,1", "--device=cpu", folder=first)
    assert told.splitlines()[-1].split()[-2:] == ["3", "5"]


PRODUCT = """
import numpy as np
import hologram_web as hg
with hg.Executor("wasm") as executor:
    a, b, c = (executor.array(np.ones(n, np.float32)) for n in (100 * 36, 36 * 52, 100 * 52))
    params = "".join(f".param {name}: buffer f32 read_write\\n" for name in "abc")
    executor.run(hg.Program.from_text(params + "gemm.f32 [c], [a], [b], 100, 52, 36"), 1, a=a, b=b, c=c)
    print(executor.device.stats.kernels, executor.device.stats.stored)
"""


def test_first_calls_of_the_tensor_library_compile_nothing(installed: Path, tmp_path: Path) -> None:
    given = {"HOLOGRAM_WEB_CACHE": "on", "HOLOGRAM_WEB_CACHE_DIR": str(tmp_path)}  # tests keep machine code alone
    program = f"import os\nos.environ |= {given}\n{PRODUCT}"
    assert run(installed / "python", "-I", "-c", program, folder=tmp_path) == "0 3\n"  # strips, panels and tiles


@pytest.fixture(scope="session")
def app(dist: Path, first: Path) -> Path:
    """A folder with the npm package, saxpy.holo and the first program in JavaScript."""
    (first / "package.json").write_text('{"type": "module", "private": true}')
    run("npm", "install", "--offline", "--no-audit", "--no-fund", _one(dist, "*.tgz"), folder=first)
    (first / "first.js").write_text(JAVASCRIPT)
    (first / "named.js").write_text(NAMED)
    (first / "pooled.js").write_text(POOLED.format(""))
    (first / "told.js").write_text(POOLED.format(', worker: "./worker.js"'))
    return first


def test_node(app: Path) -> None:
    assert run("node", "first.js", folder=app) == SAXPY
    assert run("node", "named.js", folder=app).strip() == ANSWER
    exports = json.loads((app / "node_modules" / "hologram-web" / "package.json").read_text())["exports"]
    names = [name for name in exports if "*" not in name and name != "./playwright"]  # which needs @playwright/test
    program = f"for (const name of {json.dumps(names)}) await import('hologram-web' + name.slice(1));"
    run("node", "--input-type=module", "-e", program, folder=app)
    for places in exports.values():
        for place in places.values() if isinstance(places, dict) else []:
            assert (app / "node_modules" / "hologram-web" / place).is_file()


def test_esbuild(browser: Browser, app: Path) -> None:
    esbuild = ROOT / "node_modules" / ".bin" / "esbuild"
    options = (
        "--bundle",
        "--format=esm",
        "--platform=node",
        "--splitting",
        "--outdir=by-esbuild",
        "--log-level=warning",
    )
    run(esbuild, "first.js", "named.js", *options, folder=app)
    assert run("node", "by-esbuild/first.js", folder=app) == SAXPY
    assert run("node", "by-esbuild/named.js", folder=app).strip() == ANSWER
    whole = ("--bundle", "--format=esm", "--outfile=by-esbuild/whole.js", "--log-level=warning")
    run(esbuild, "named.js", *whole, folder=app)  # in one file, for a page
    assert run("node", "by-esbuild/whole.js", folder=app).strip() == ANSWER
    pool = ("told.js", "worker=hologram-web/worker", *options[:2], "--splitting", "--outdir=pool-by-esbuild")
    run(esbuild, *pool, folder=app)
    assert _pooled(browser, app / "pool-by-esbuild", app, "./told.js") == (["12,24,36"], [])


PAGE = """<!doctype html><title>A page</title><pre></pre><script type="module">
import {{ Runtime }} from "{runtime}";
const runtime = await Runtime.create({{ backend: "wasm" }});
const saxpy = await runtime.load("{saxpy}");
const found = await saxpy.run({{ a: 2, x: new Float32Array([1, 2, 3]), y: new Float32Array([10, 20, 30]) }});
document.querySelector("pre").textContent = found.join();
</script>"""


NAMED_PAGE = '<!doctype html><title>A page</title><pre></pre><script type="module" src="{}"></script>'


def _shown(
    browser: Browser, folder: Path, ready: str = "pre:not(:empty)", name: str = "index.html", press: bool = False
) -> tuple[list[str], list[str]]:
    """What the first `pre` of a folder's page has when it is ready, served as any host does, and who else was asked."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        here, asked = f"{address}/", list[str]()
        page = browser.page("/e2e/README.md")
        try:
            page.on("request", lambda request: asked.append(request.url))
            page.goto(f"{here}{name}")
            if press:
                page.get_by_role("button").click()
            page.wait_for_selector(ready, timeout=90_000)
            others = [address for address in asked if not address.startswith((here, "data:", "blob:"))]
            return str(page.text_content("pre")).splitlines(), others
        finally:
            page.close()


def _pooled(browser: Browser, made: Path, app: Path, script: str = "") -> tuple[list[str], list[str]]:
    """What a page whose worker ran saxpy.holo shows; a bundler made it, or its script."""
    shutil.copy(app / "saxpy.holo", made)
    if script:
        (made / "index.html").write_text(NAMED_PAGE.format(script))
    return _shown(browser, made)


def test_a_plain_page(browser: Browser, dist: Path, first: Path, tmp_path: Path) -> None:
    with ZipFile(_one(dist, "*-pages.zip")) as packed:
        packed.extractall(tmp_path)
    shutil.copy(first / "saxpy.holo", tmp_path)
    (tmp_path / "index.html").write_text(PAGE.format(runtime="./hologram-web/index.js", saxpy="saxpy.holo"))
    assert _shown(browser, tmp_path) == (["12,24,36"], [])


def test_vite(browser: Browser, app: Path) -> None:
    (app / "index.html").write_text(PAGE.format(runtime="hologram-web", saxpy="saxpy.holo"))
    run(
        ROOT / "node_modules" / ".bin" / "vite",
        "build",
        "--target=es2022",
        "--outDir=by-vite",
        "--logLevel=error",
        folder=app,
    )
    shutil.copy(app / "saxpy.holo", app / "by-vite")
    assert _shown(browser, app / "by-vite") == (["12,24,36"], [])

    (app / "index.html").write_text(NAMED_PAGE.format("named.js"))
    vite = ROOT / "node_modules" / ".bin" / "vite"
    run(vite, "build", "--target=es2022", "--outDir=named-by-vite", "--logLevel=error", folder=app)
    assert _shown(browser, app / "named-by-vite") == ([ANSWER], [])

    (app / "index.html").write_text(NAMED_PAGE.format("pooled.js"))
    (app / "vite.config.js").write_text('export default { worker: { format: "es" } };')
    run(vite, "build", "--target=es2022", "--outDir=pool-by-vite", "--logLevel=error", folder=app)
    assert _pooled(browser, app / "pool-by-vite", app) == (["12,24,36"], [])


WEBPACK = """
import { createRequire } from "node:module";
const webpack = createRequire("%s/package.json")("webpack");
const output = { path: process.cwd() + "/by-webpack", filename: "[name].js", module: true, chunkFormat: "module" };
const entry = { named: "./named.js", pooled: "./pooled.js" };
const options = { mode: "production", entry, target: "es2022", output };
webpack({ ...options, experiments: { outputModule: true } }, (error, stats) => {
  if (error) throw error;
  const { errors, warnings } = stats.toJson();
  const told = [...errors, ...warnings].map(({ message }) => message).filter((text) => !/limit|splitting/.test(text));
  if (told.length) throw new Error(told.join());
});
"""


def test_webpack(browser: Browser, app: Path) -> None:
    (app / "webpack.mjs").write_text(WEBPACK % ROOT)
    run("node", "webpack.mjs", folder=app)
    (app / "by-webpack" / "index.html").write_text(NAMED_PAGE.format("./named.js"))
    assert _shown(browser, app / "by-webpack") == ([ANSWER], [])
    assert _pooled(browser, app / "by-webpack", app, "./pooled.js") == (["12,24,36"], [])


def _follow(browser: Browser, page: str, folder: Path, dist: Path, *more: str) -> None:
    def shown(name: str, press: bool) -> str:
        lines, others = _shown(browser, folder, name=name, press=press)
        assert others == []
        return "\n".join(lines)

    follow(page, folder, shown, lambda place: lend_needed(dist, place, more))


@pytest.fixture(scope="module")
def ten_minutes(browser: Browser, dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory after those in Python."""
    folder = tmp_path_factory.mktemp("ten_minutes")
    (folder / "dist").symlink_to(dist)
    _follow(browser, "start_python.md", folder, dist)
    return folder


@pytest.mark.parametrize("page", ["start_javascript.md", "start_page.md"])
def test_ten_minutes_of_a_newcomer(browser: Browser, page: str, ten_minutes: Path, dist: Path, tmp_path: Path) -> None:
    (tmp_path / "dist").symlink_to(dist)
    shutil.copy(ten_minutes / "saxpy.holo", tmp_path)
    _follow(browser, page, tmp_path, dist)


def test_ten_minutes_in_a_notebook(browser: Browser, dist: Path, tmp_path: Path) -> None:
    (tmp_path / "dist").symlink_to(dist)
    _follow(browser, "start_notebook.md", tmp_path, dist, "ipython", "anywidget")


def test_readmes_have_no_links_into_the_tree(dist: Path, app: Path) -> None:
    """PyPI and npm show them where there is no tree: hatch_build.py."""
    with ZipFile(_one(dist, "hologram_web-*-any.whl")) as wheel:
        metadata = wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))).decode()
    npm = (app / "node_modules" / "hologram-web" / "README.md").read_text(encoding="utf-8")
    assert metadata.split("\n\n", 1)[1] == npm
    links = re.findall(r"\]\(([^)]*)\)", re.sub(r"^```.*?^```$", "", npm, flags=re.M | re.S))
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_links_of_the_readme_lead_to_its_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLOGRAM_WEB_HOME", "https://github.com/someone/something/")
    text = readme(ROOT, "1.2")
    assert "](https://github.com/someone/something/raw/v1.2/docs/images/gallery.webp)" in text
    assert "](https://github.com/someone/something/blob/v1.2/docs/install.md)" in text
    assert "high[6](contrast(x).buffer, y)" in text


# Of a kernel and of arrays, in a page's Python that has the wheels.
IN_A_PAGE = """
from array import array
import hologram_web as hg

x = array("f", [3, 1, 2])
hg.kernel_from_source("def k(x: hg.Array[hg.f32]):\\\\n    x[hg.global_id()] *= 2\\\\n")[3](x)
y = hg.Executor("wasm").array([3.0, 1.0, 2.0], hg.f32)
"""


PYODIDE = (
    """
import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";
const lock = JSON.parse(readFileSync("node_modules/pyodide/pyodide-lock.json"));
Object.assign(lock.packages, JSON.parse(readFileSync("pyodide-lock-entries.json")).packages);
const pyodide = await loadPyodide({ lockFileContents: lock, packageBaseUrl: process.cwd() + "/" });
await pyodide.loadPackage(["hologram-web", "hologram-web-tensor", "hologram-web-tools"], { messageCallback: () => {} });
console.log(await pyodide.runPythonAsync(`"""
    + IN_A_PAGE
    + """f"{x.tolist()} {(y + y).tolist()} {hg.circuit.__name__}"
`));
"""
)


def test_the_entries_of_the_lock_file(dist: Path, tmp_path: Path) -> None:
    entries = json.loads((dist / "pyodide-lock-entries.json").read_text())["packages"]
    lock = json.loads((ROOT / "node_modules" / "pyodide" / "pyodide-lock.json").read_text())["packages"]
    for entry in entries.values():
        assert set(entry) <= set(next(iter(lock.values())))
        shutil.copy(dist / entry["file_name"], tmp_path)
        assert sha256((tmp_path / entry["file_name"]).read_bytes()).hexdigest() == entry["sha256"]
    shutil.copy(dist / "pyodide-lock-entries.json", tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    (tmp_path / "first.mjs").write_text(PYODIDE)
    told = run(*node_with_jspi(), "first.mjs", folder=tmp_path)
    assert told == "[6.0, 2.0, 4.0] [6.0, 2.0, 4.0] hologram_web.circuit\n"


MICROPIP = (
    """
import { loadPyodide } from "pyodide";
const [micropip, index] = process.argv.slice(2);
const pyodide = await loadPyodide();
await pyodide.loadPackage(micropip, { messageCallback: () => {} });
console.log(await pyodide.runPythonAsync(`
import micropip
await micropip.install("hologram-web[tensor,tools]", index_urls="${index}")
"""
    + IN_A_PAGE
    + """f"{x.tolist()} {(y + y).tolist()} {hg.circuit.__name__} {hasattr(hg, '_Modules')}"
`));
"""
)


def test_micropip_takes_the_wheels_for_pages_of_an_index(dist: Path, tmp_path: Path) -> None:
    """An index that has all wheels of the release, as PyPI would."""
    for name in ("hologram_web", "hologram_web_library", "hologram_web_tensor", "hologram_web_tools"):
        place = tmp_path / "simple" / name.replace("_", "-")
        place.mkdir(parents=True)
        links = ""
        for wheel in sorted(dist.glob(f"{name}-*.whl")):
            shutil.copy(wheel, place)
            links += f'<a href="{wheel.name}#sha256={sha256(wheel.read_bytes()).hexdigest()}">{wheel.name}</a>'
        (place / "index.html").write_text(f"<!doctype html><html><body>{links}</body></html>")
    (micropip,) = (path for path in fetch() if path.name.startswith("micropip-"))
    shutil.copy(micropip, tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    (tmp_path / "first.mjs").write_text(MICROPIP)
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        told = run(*node_with_jspi(), "first.mjs", f"./{micropip.name}", f"{address}/simple", folder=tmp_path)
    assert told == "[6.0, 2.0, 4.0] [6.0, 2.0, 4.0] hologram_web.circuit True\n"


def test_a_bundle_runs_python_from_its_own_files(browser: Browser, dist: Path, installed: Path, tmp_path: Path) -> None:
    (tmp_path / "dist").symlink_to(dist)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    told = run(installed / "hologram-web", "bundle", "site", folder=tmp_path)
    assert "without numpy: put numpy-" in told
    (sums, device), others = _shown(browser, tmp_path / "site", "html[data-state=done], html[data-state=failed]")
    assert sums == "[1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0]"
    assert device.startswith("wasm (")
    assert others == []
