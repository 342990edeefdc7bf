"""Builds all that a release has, into dist/, from a clone that is as it was committed: `make release`.

    .venv/bin/python tools/release.py [FOLDER]

Wheels and sources of both distributions; what npm has; the wheels for pages with their entries for `pyodide-lock.json`;
one archive of what a page without any registry needs; and SHA256SUMS of them. Each wheel is built from the unpacked
sources, so that these are known to be whole. From the same commit and tools they are the same, byte by byte.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web" / "dist"
sys.path.insert(0, str(ROOT))

from hatch_build import readme  # noqa: E402

LOCK = "pyodide-lock-entries.json"
SUMS = "SHA256SUMS"


def run(*command: str | Path, folder: Path = ROOT) -> str:
    """What a command prints on stdout; what it says else is passed on. Raises subprocess.CalledProcessError."""
    done = subprocess.run(list(map(str, command)), cwd=folder, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return done.stdout


def distributions(folder: Path) -> Path:
    """Sources and wheels of the tools and of the package, whose wheel this gives."""
    wheel = folder
    for source in (ROOT / "hologram_web_tools", ROOT):
        hatch = (sys.executable, "-m", "hatchling", "build", "-d", folder)
        before = set(folder.glob("*.tar.gz"))
        run(*hatch, "-t", "sdist", folder=source)
        (archive,) = set(folder.glob("*.tar.gz")) - before
        with TemporaryDirectory() as place, tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
            (unpacked,) = Path(place).iterdir()
            run(*hatch, "-t", "wheel", folder=unpacked)
            if source == ROOT:
                _add_library(next(folder.glob("hologram_web-*.whl")), unpacked)
                run(*hatch, "-t", "wheel", folder=unpacked)
        (wheel,) = folder.glob(f"{archive.name.removesuffix('.tar.gz')}-*.whl")
    return wheel


def _add_library(wheel: Path, sources: Path) -> None:
    """Puts what the package of a wheel makes of its tensor library among the sources of this wheel."""
    with TemporaryDirectory() as place, ZipFile(wheel) as packed:
        packed.extractall(place)
        _precompiled(Path(place), sources / "hologram_web" / "library.bin")


def _precompiled(package: Path, *words: str | Path) -> None:
    """Compiles the tensor library with the package that lies in a folder."""
    (package / "hologram_web_tools").symlink_to(ROOT / "hologram_web_tools")
    run(sys.executable, "-m", "hologram_web_tools.precompiled", *words, folder=package)


_DEPENDS = {"hologram_web": [], "hologram_web_tensor": ["hologram-web", "hologram-web-library"]}


def lock_entries(wheels: list[Path]) -> dict[str, Any]:
    """What `packages` of a pyodide-lock.json takes for the wheels, so that `loadPackage` knows them by their names."""
    found = {}
    for wheel in wheels:
        package, version, *_ = wheel.name.split("-")
        name = package.replace("_", "-")
        found[name] = {
            "name": name,
            "version": version,
            "file_name": wheel.name,
            "install_dir": "site",
            "sha256": sha256(wheel.read_bytes()).hexdigest(),
            "package_type": "package",
            "imports": [] if package in ("hologram_web_tensor", "hologram_web_library") else [package],
            "depends": _DEPENDS.get(package, ["hologram-web"]),
            "unvendored_tests": False,
        }
    return found


def archive(path: Path, files: dict[str, Path]) -> None:
    with ZipFile(path, "w") as packed:
        for place, file in sorted(files.items()):
            packed.writestr(ZipInfo(place), file.read_bytes(), ZIP_DEFLATED, compresslevel=9)


def pack(folder: Path, version: str) -> None:
    """What npm has, whose README has no links into the tree."""
    with TemporaryDirectory() as place:
        for name in ("package.json", "LICENSE"):
            shutil.copy(ROOT / name, place)
        shutil.copytree(ROOT / "web" / "src", Path(place) / "web" / "src")
        shutil.copytree(WEB, Path(place) / "web" / "dist")
        (Path(place) / "README.md").write_text(readme(ROOT, version), encoding="utf-8")
        run("npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder, folder=Path(place))


def release(folder: Path) -> None:
    """Builds everything into an empty folder."""
    run("npm", "run", "--silent", "build")
    wheel = distributions(folder)
    pack(folder, wheel.name.split("-")[1])
    with TemporaryDirectory() as place, ZipFile(wheel) as packed:
        packed.extractall(place)
        library = Path(place, "library")
        _precompiled(Path(place), "--pages", library)
        run("node", "tools/page_wheel.mjs", wheel, folder, library)
    (tools,) = folder.glob("hologram_web_tools-*.whl")
    pages = [*sorted(folder.glob("*_wasm32.whl")), tools]
    (folder / LOCK).write_text(json.dumps({"packages": lock_entries(pages)}, indent=2) + "\n", encoding="utf-8")
    runtime = {
        f"hologram-web/{path.relative_to(WEB).as_posix()}": path
        for path in WEB.rglob("*")
        if path.suffix in (".js", ".holo", ".json") and path.is_file()
    }
    wheels = {path.name: path for path in (*pages, folder / LOCK)}
    archive(folder / wheel.name.replace("-py3-none-any.whl", "-pages.zip"), runtime | wheels)
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    sums = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / SUMS).write_text("".join(sums), encoding="utf-8")


def main(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    if there := [path.name for path in folder.iterdir()]:
        print(f"{folder} is not empty ({', '.join(sorted(there)[:3])} ...): a release is built into an empty folder")
        return 1
    try:
        release(folder.resolve())
    except subprocess.CalledProcessError as error:
        print(f"failed: {error}\n{error.stdout or ''}")
        return 1
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:>12,} bytes  {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"))
