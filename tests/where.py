"""`pytest --where=PLACE` runs the tests of tests/everywhere in Pyodide: in a page or a worker of Chromium, or in Node.

They are collected here. A bundle of this package, of the tests and of pytest goes to the place, which runs them; its
reports come back as pytest-xdist's workers send theirs, so that failures look as they do here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUNDLE = ROOT / "build" / "pyodide" / "bundle.zip"
PLACES = ("native", "chromium", "chromium-worker", "node")
_PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
_TESTS = ("tests/__init__.py", "tests/everywhere/*.py", "docs/pyodide.md")
_EXAMPLES = (
    "examples/__init__.py",
    "examples/twelve/__init__.py",
    "examples/twelve/kernels.py",
    "examples/digits/*.py",
)
_SECONDS = 550


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--where", choices=PLACES, default="native", help="where to run the tests of tests/everywhere")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    where = config.getoption("--where")
    if where == "native":
        only_there = [item for item in items if item.get_closest_marker("page")]
        config.hook.pytest_deselected(items=only_there)
        items[:] = [item for item in items if item not in only_there]
    else:
        absent = "webgpu" if where == "node" else None  # Node has no navigator.gpu
        ours = [item for item in items if "everywhere" in item.path.parts and absent not in _parameters(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in ours])
        items[:] = ours


def _parameters(item: pytest.Item) -> list[object]:
    return list(item.callspec.params.values()) if hasattr(item, "callspec") else []


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    where = session.config.getoption("--where")
    if where == "native" or session.config.option.collectonly:
        return None
    items = {item.nodeid: item for item in session.items}
    write_bundle(any(file in name for name in items for file in ("test_identity", "test_stdlib", "test_twelve")))
    started: set[str] = set()
    for data in _reports(where, list(items)):
        report = session.config.hook.pytest_report_from_serializable(config=session.config, data=data)
        if isinstance(report.longrepr, list):  # JSON has no tuples
            report.longrepr = tuple(report.longrepr)
        item = items[report.nodeid]
        if item.nodeid not in started:
            started.add(item.nodeid)
            item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        item.ihook.pytest_runtest_logreport(report=report)
        if report.when == "teardown":
            item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        session.testsfailed += report.failed
    if missing := [name for name in items if name not in started]:
        raise pytest.UsageError(f"{len(missing)} tests were not run in {where}: {missing[:3]}")
    return True


def _reports(where: str, names: list[str]) -> list[dict[str, Any]]:
    arguments = {"names": names, "packaged": where == "node"}
    if where == "node":
        return in_node("pyodide.mjs", arguments)["reports"]
    from e2e.browser import Browser

    with Browser() as browser:
        place = "page" if where == "chromium" else "worker"
        return browser.run("pyodide.mjs", place, _SECONDS, **arguments).json["reports"]


def node_with_jspi(jspi: bool = True) -> list[str]:
    """Node with JSPI, which old ones have behind a flag, or as it is."""
    node = shutil.which("node") or "node"
    can = "process.exit(typeof WebAssembly.Suspending === 'function' ? 0 : 1)"
    flagged = jspi and subprocess.run([node, "-e", can]).returncode
    return [node, "--experimental-wasm-stack-switching"] if flagged else [node]


def in_node(job: str, arguments: dict[str, Any], jspi: bool = True) -> Any:
    """What a job of e2e/jobs gives in Node."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        command = [*node_with_jspi(jspi), str(ROOT / "e2e" / "node.mjs"), job, json.dumps(arguments), str(out)]
        done = subprocess.run(command, cwd=ROOT, timeout=_SECONDS, capture_output=True, text=True)
        if done.returncode or not out.exists():
            raise RuntimeError(f"node failed: {done.stdout[-2000:]}{done.stderr[-4000:]}")
        raw = out.read_bytes()
    return json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])


def package_files() -> dict[str, Path]:
    """The files of the package, by their place in a wheel: with the runtime, bundled if it is not or is old."""
    from examples.edges.chromium import bundle  # which imports NumPy and Playwright

    bundle()
    found = _files("hologram_web")
    found.pop("hologram_web/library.bin", None)  # of releases, and of whoever made one here
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    return found | {place: ROOT / source for source, place in included.items()}


def tool_files() -> dict[str, Path]:
    """The files of the second distribution, by their place in a wheel."""
    found = _files("hologram_web_tools")
    del found["hologram_web_tools/pyproject.toml"]
    return found


def _files(package: str) -> dict[str, Path]:
    return {
        path.relative_to(ROOT).as_posix(): path
        for path in sorted((ROOT / package).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def write_wheel(folder: Path) -> Path:
    """The package as an ordinary wheel."""
    return _write(folder, "hologram_web", package_files())


def write_tools_wheel(folder: Path) -> Path:
    """The second distribution as a wheel."""
    return _write(folder, "hologram_web_tools", tool_files())


def _write(folder: Path, package: str, files: dict[str, Path]) -> Path:
    version = re.search(r'version = "(.*)"', (ROOT / "pyproject.toml").read_text())
    assert version
    name = f"{package}-{version[1]}"
    project = package.replace("_", "-")
    info = {
        "METADATA": f"Metadata-Version: 2.1\nName: {project}\nVersion: {version[1]}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{place},sha256={sha256(path.read_bytes()).hexdigest()},\n" for place, path in files.items()]
    info["RECORD"] = "".join(record)  # what tells this compiler from another
    wheel = folder / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for place, path in files.items():
            archive.write(path, place)
        for place, text in info.items():
            archive.writestr(f"{name}.dist-info/{place}", text)
    return wheel


def write_page_wheel(folder: Path) -> Path:
    """The package as the wheel for pages."""
    return write_page_wheels(folder)[0]


def write_page_wheels(folder: Path) -> list[Path]:
    """The wheel for pages and the one of the tensor library; those of the last time, if nothing was changed since."""
    from examples.edges.chromium import convert_wheel

    BUNDLE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUNDLE.parent) as place:
        wheel = write_wheel(Path(place))
        with zipfile.ZipFile(wheel) as archive:
            parts = [archive.read(name) for name in sorted(archive.namelist()) if name.endswith(("RECORD", "METADATA"))]
        parts += [path.read_bytes() for path in sorted((ROOT / "tools").glob("page_*"))]
        kept = BUNDLE.with_name(f"wheel-{sha256(b''.join(parts)).hexdigest()[:16]}")
        if not kept.is_dir():
            for old in BUNDLE.parent.glob("wheel-*"):
                shutil.rmtree(old, ignore_errors=True)
            made = Path(place, "made")
            made.mkdir()
            convert_wheel(wheel, made)
            with suppress(OSError):  # another process was as fast
                made.rename(kept)
    return [Path(shutil.copy(wheel, folder)) for wheel in sorted(kept.glob("*.whl"))]


def write_bundle(
    expected: bool = True, path: Path | None = None, more: Mapping[str, Path] = MappingProxyType({})
) -> None:
    """All that a place needs: the wheel for pages, the tools, the tests, and pytest as it is installed here, and more
    files. `expected` adds what natively compiled code and runs gave, which takes a while."""
    files = tool_files() | dict(more)
    for pattern in (*_TESTS, *_EXAMPLES):
        files |= {found.relative_to(ROOT).as_posix(): found for found in sorted(ROOT.glob(pattern))}
    for name in _PYTEST:
        for file in distribution(name).files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                files[str(file)] = Path(str(file.locate()))
    from .everywhere.expected import written

    path = path or BUNDLE
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}")
    with tempfile.TemporaryDirectory() as place, zipfile.ZipFile(temporary, "w") as archive:
        for each in write_page_wheels(Path(place)):
            with zipfile.ZipFile(each) as wheel:
                for name in wheel.namelist():
                    archive.writestr(name, wheel.read(name))
        for name, found in files.items():
            archive.write(found, name)
        if expected:
            archive.write(written(), "tests/everywhere/expected.json")
        archive.writestr("pytest.ini", "[pytest]\naddopts = -p no:cacheprovider -p no:faulthandler --strict-markers\n")
    temporary.replace(path)


if __name__ == "__main__":
    write_bundle()
    print(BUNDLE, BUNDLE.stat().st_size, file=sys.stderr)
