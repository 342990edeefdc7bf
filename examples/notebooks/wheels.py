"""The wheels that the notebooks need from PyPI: kernel.txt names those of their kernel, marimo.txt what marimo needs
beside them, with their hashes. PyYAML, which marimo imports, has no wheel there for Pyodide: its modules in Python are
taken from what is installed here.

.venv/bin/python -m examples.notebooks.wheels
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile, ZipInfo

from packaging.utils import canonicalize_name

from . import HERE

__all__ = ["FOLDER", "fetch"]

FOLDER = HERE.parent.parent / "build" / "notebooks"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-qq", "--no-deps", "--require-hashes")
LISTS = ("kernel.txt", "marimo.txt")
# What Pyodide's Python takes.
FOR_PYODIDE = ("--only-binary", ":all:", "--python-version", "3.14", "--implementation", "cp", "--abi", "cp314")
PLATFORMS = ("--abi", "none", "--platform", "any", "--platform", "pyemscripten_2026_0_wasm32")


def fetch(folder: Path = FOLDER / "wheels") -> list[Path]:
    """The wheels that the lists name, fetched once."""
    lines = [line for name in LISTS for line in (HERE / name).read_text().splitlines()]
    wanted = [line.split()[0] for line in lines if not line.startswith("#")]
    wanted.append(f"pyyaml=={distribution('PyYAML').version}")
    found = {f"{canonicalize_name(name)}=={version}" for name, version in map(_named, folder.glob("*.whl"))}
    if found != set(wanted):
        shutil.rmtree(folder, ignore_errors=True)
        lists = [part for name in LISTS for part in ("-r", HERE / name)]
        subprocess.run([*PIP, *FOR_PYODIDE, *PLATFORMS, "-d", folder, *lists], check=True)
        _without_libraries("PyYAML", folder)
    return sorted(folder.glob("*.whl"))


def _without_libraries(name: str, folder: Path) -> None:
    """Writes a wheel of what an installed package has in Python, which does without its libraries."""
    installed = distribution(name)
    stem = f"{canonicalize_name(name).replace('-', '_')}-{installed.version}"
    with ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        for file in sorted(installed.files or []):
            if file.suffix == ".py" or file.name == "METADATA":
                place = f"{stem}.dist-info/METADATA" if file.name == "METADATA" else file.as_posix()
                wheel.writestr(ZipInfo(place), file.read_binary())


def _named(wheel: Path) -> tuple[str, str]:
    name, version, *_ = wheel.name.split("-")
    return name, version


if __name__ == "__main__":
    fetch()
