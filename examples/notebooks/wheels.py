"""The wheels that the kernel of the notebooks needs from PyPI, as kernel.txt names them, with their hashes.

.venv/bin/python -m examples.notebooks.wheels
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from packaging.utils import canonicalize_name

from . import HERE

__all__ = ["FOLDER", "fetch"]

FOLDER = HERE.parent.parent / "build" / "notebooks"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-qq", "--no-deps", "--require-hashes")
FOR_PYODIDE = ("--only-binary", ":all:", "--implementation", "py", "--abi", "none", "--platform", "any")
PYTHON = "3.14"  # of Pyodide


def fetch(folder: Path = FOLDER / "wheels") -> list[Path]:
    """The wheels that kernel.txt names, fetched once."""
    wanted = [line.split()[0] for line in (HERE / "kernel.txt").read_text().splitlines() if not line.startswith("#")]
    found = {f"{canonicalize_name(name)}=={version}" for name, version in map(_named, folder.glob("*.whl"))}
    if found != set(wanted):
        shutil.rmtree(folder, ignore_errors=True)
        more = ("--python-version", PYTHON, "-d", folder, "-r", HERE / "kernel.txt")
        subprocess.run([*PIP, *FOR_PYODIDE, *more], check=True)
    return sorted(folder.glob("*.whl"))


def _named(wheel: Path) -> tuple[str, str]:
    name, version, *_ = wheel.name.split("-")
    return name, version


if __name__ == "__main__":
    fetch()
