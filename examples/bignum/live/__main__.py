"""Builds the page into build/live/bignum, a folder that any server can give.

.venv/bin/python -m examples.bignum.live
"""

from __future__ import annotations

import shutil
from pathlib import Path

from examples.edges.chromium import ROOT, bundle
from examples.edges.live.__main__ import place_runtime

from ..plans import PLANS

__all__ = ["FOLDER", "build"]

HERE = Path(__file__).parent
FOLDER = ROOT / "build" / "live" / "bignum"
FILES = ("index.html", "page.css", "page.mjs", "worker.mjs", "tasks.mjs", "bigint.mjs")
SHARED = ("style.css", "icon.svg")  # with the page of the edges


def build(folder: Path = FOLDER) -> Path:
    """Writes the page; gives the folder. Raises OSError and subprocess.CalledProcessError."""
    bundle()
    folder.mkdir(parents=True, exist_ok=True)
    place_runtime(folder)
    for source, names in ((HERE, FILES), (ROOT / "examples" / "edges" / "live", SHARED)):
        for name in names:
            shutil.copyfile(source / name, folder / name)
    for name, plan in PLANS.items():
        plan().save(folder / f"{name}.holo")
    return folder


if __name__ == "__main__":
    print(f"the page of integers: {build()}")
