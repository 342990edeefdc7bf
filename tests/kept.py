"""Files that tests share and that take long to make: kept in build/ while the sources are as they were."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_SOURCES = (
    ("hologram_web", "**/*.py"),
    ("hologram_web_tools", "**/*.*"),
    ("wasm", "*.*"),
    ("wgsl", "*.*"),
    ("tests", "**/*.*"),
    ("e2e", "*.py"),
    ("examples", "**/*.py"),
)

__all__ = ["kept"]


def kept(path: Path, make: Callable[[], object], settings: str = "") -> Path:
    """The file at `path`, which `make` writes, if not for these sources and settings already: by one process at a time,
    and whoever comes later finds it made."""
    seen = sha256(f"{sys.version} {settings}\n".encode())
    for place, pattern in _SOURCES:
        for source in sorted((ROOT / place).glob(pattern)):
            if "__pycache__" not in source.parts:
                seen.update(f"{source} {source.stat().st_mtime_ns} {source.stat().st_size}\n".encode())
    path.parent.mkdir(parents=True, exist_ok=True)
    stamp = path.with_suffix(".stamp")
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (path.exists() and stamp.exists() and stamp.read_text() == seen.hexdigest()):
            stamp.unlink(missing_ok=True)
            make()
            stamp.write_text(seen.hexdigest())
    return path
