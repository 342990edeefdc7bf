"""Files that tests share and that take long to make: kept in build/ while the sources are as they were."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_SOURCES = (
    ("hologram_web", "**/*.py"),
    ("hologram_web_tools", "**/*.py"),
    ("wasm", "*.*"),
    ("wgsl", "*.*"),
    ("tests", "**/*.*"),
    ("e2e", "*.py"),
    ("bench", "threads.py"),
    ("examples", "**/*.py"),
)

__all__ = ["kept", "kept_bytes"]


@cache
def _sources(settings: str) -> str:
    """Another text for other sources, settings, or bugs that are let in."""
    seen = sha256(f"{sys.version} {os.environ.get('HOLOGRAM_MUTANT')} {settings}\n".encode())
    for place, pattern in _SOURCES:
        for source in sorted((ROOT / place).glob(pattern)):
            if "__pycache__" not in source.parts:
                seen.update(f"{source} {source.stat().st_mtime_ns} {source.stat().st_size}\n".encode())
    return seen.hexdigest()


def kept(path: Path, make: Callable[[], object], settings: str = "") -> Path:
    """The file at `path`, which `make` writes, if not for these sources and settings already: by one process at a time,
    and whoever comes later finds it made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stamp = path.with_suffix(".stamp")
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (path.exists() and stamp.exists() and stamp.read_text() == _sources(settings)):
            stamp.unlink(missing_ok=True)
            make()
            stamp.write_text(_sources(settings))
    return path


@cache
def _folder(name: str) -> Path:
    """That of these sources; those of others are removed."""
    folder = ROOT / "build" / name / _sources("")
    folder.mkdir(parents=True, exist_ok=True)
    for other in folder.parent.iterdir():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def kept_bytes(name: str, key: object, make: Callable[[], bytes], recalled: bool) -> bytes:
    """What `make` gives, which is kept in build/`name`; with `recalled` what is kept there, if it is."""
    path = _folder(name) / sha256(repr(key).encode()).hexdigest()
    if recalled and path.exists():
        return path.read_bytes()
    raw = make()
    temporary = path.with_suffix(f".{os.getpid()}")
    temporary.write_bytes(raw)
    temporary.replace(path)
    return raw
