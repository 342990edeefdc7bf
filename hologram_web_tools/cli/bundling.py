"""A folder that any static host serves, with Python, our wheels and a program, and that asks no other server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from hologram_web.errors import LaunchError

__all__ = ["Bundled", "bundle"]

_LOCK = "pyodide-lock.json"
_ENTRIES = "pyodide-lock-entries.json"
_PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", _LOCK)
_OURS = ("hologram-web", "hologram-web-library", "hologram-web-tensor", "hologram-web-tools")
_RUNTIME = "hologram-web/"  # in the archive, and of the site
_PAGE = ("index.html", "page.css", "page.js", "worker.js")
_FIRST = """\
import hologram_web as hg
from array import array


@hg.kernel
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + y[i]


x, y = array("f", range(8)), array("f", [1] * 8)
saxpy[len(y)](2.0, x, y)
print(y.tolist())
print((await hg.Executor.open()).backend)
"""


class Bundled(NamedTuple):
    """What was written: how many files and bytes, the packages with their versions, and what is not there and why."""

    files: int
    size: int
    packages: dict[str, str]
    missing: dict[str, str]


def bundle(
    folder: Path,
    *,
    program: Path | None,
    pyodide: Path | None,
    pages: Path | None,
    packages: Sequence[str] = ("numpy",),
) -> Bundled:
    """Writes the site into a folder that is new or empty.

    `program` is its main.py; `pyodide` a folder of Pyodide, by default node_modules/pyodide of this folder or one
    above; `pages` the pages' archive of a release, by default the one in ./dist. Packages, with what they need, come
    from Pyodide's folder; those whose wheels are not there are left out and told. Raises LaunchError.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "not empty" if folder.is_dir() else "a file"
        raise LaunchError(f"{folder} is {what}: a site is written into a new folder")
    if program and not program.is_file():
        raise LaunchError(f"there is no file {program}")
    source = _pyodide(pyodide)
    archive = _archive(pages)
    lock = json.loads((source / _LOCK).read_bytes())
    lock["packages"] |= json.loads(archive[_ENTRIES])["packages"]
    wanted, missing = _available(lock["packages"], packages, source)
    site = {f"pyodide/{name}": (source / name).read_bytes() for name in _PYODIDE if name != _LOCK}
    site |= {name: data for name, data in archive.items() if name.startswith(_RUNTIME)}
    for name in (*_OURS, *wanted):
        site[f"pyodide/{lock['packages'][name]['file_name']}"] = _verified(lock["packages"][name], archive, source)
    lock["packages"] = {name: lock["packages"][name] for name in (*_OURS, *wanted)}
    site[f"pyodide/{_LOCK}"] = json.dumps(lock, indent=1).encode()
    site |= {name: files(__package__).joinpath("bundled", name).read_bytes() for name in _PAGE}
    site["main.py"] = program.read_bytes() if program else _FIRST.encode()
    site["site.json"] = json.dumps({"packages": [*_OURS, *wanted]}).encode()
    for name, data in site.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    versions = {name: lock["packages"][name]["version"] for name in (*_OURS, *wanted)}
    return Bundled(len(site), sum(map(len, site.values())), versions, missing)


def _pyodide(given: Path | None) -> Path:
    """The folder of Pyodide."""
    here = Path.cwd()
    for folder in (given,) if given else (above / "node_modules" / "pyodide" for above in (here, *here.parents)):
        if absent := [name for name in _PYODIDE if not (folder / name).is_file()]:
            if given:
                raise LaunchError(f"{given} is no folder of Pyodide: it has no {absent[0]}")
            continue
        return folder
    raise LaunchError("Pyodide is not here: npm install pyodide, or say where it is, --pyodide FOLDER")


def _archive(given: Path | None) -> dict[str, bytes]:
    """What the pages' archive holds."""
    found = [given] if given else sorted(Path("dist").glob("hologram_web-*-pages.zip"))
    if len(found) != 1:
        told = f"there are {len(found)} in dist" if found else "there is none in dist"
        raise LaunchError(
            f"a release's hologram_web-*-pages.zip has our wheels, and {told}: make release writes it; --pages FILE"
        )
    try:
        with ZipFile(found[0]) as packed:
            held = {name: packed.read(name) for name in packed.namelist()}
    except (BadZipFile, FileNotFoundError) as error:
        raise LaunchError(f"{found[0]} is no archive of a release: {error}") from None
    if absent := [name for name in (_ENTRIES, f"{_RUNTIME}pyodide.js") if name not in held]:
        raise LaunchError(f"{found[0]} is no archive of a release: it has no {absent[0]}")
    return held


def _available(entries: Mapping[str, Any], packages: Iterable[str], source: Path) -> tuple[list[str], dict[str, str]]:
    """Those of the packages whose wheels are there, with what they need before them; and the others with the reason."""
    wanted: dict[str, None] = {}
    missing: dict[str, str] = {}
    for name in packages:
        needed = _needed(entries, name)
        absent = [each for each in needed if each not in entries or not (source / entries[each]["file_name"]).is_file()]
        if not absent:
            wanted |= dict.fromkeys(needed)
        for each in absent:
            if each in entries:
                place = f"put {entries[each]['file_name']} of this Pyodide's release into {source}"
                missing[each] = f"{place} (SHA-256 {entries[each]['sha256'][:16]}...)"
            else:
                missing[each] = "this Pyodide has no such package"
    return [name for name in wanted if name not in _OURS], missing


def _needed(entries: Mapping[str, Any], name: str) -> list[str]:
    """The package and what it depends on, these first."""
    found: dict[str, None] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        for below in entries.get(name, {}).get("depends", ()):
            if below not in path:
                visit(below, (*path, below))
        found[name] = None

    visit(name, (name,))
    return list(found)


def _verified(entry: Mapping[str, Any], archive: Mapping[str, bytes], source: Path) -> bytes:
    name = entry["file_name"]
    data = archive[name] if name in archive else (source / name).read_bytes()
    if sha256(data).hexdigest() != entry["sha256"]:
        raise LaunchError(f"{name} is not the file that {_LOCK} names: its SHA-256 is another")
    return data
