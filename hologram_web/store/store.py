"""What is compiled once for all processes: files of the user's cache folder, in pages records of IndexedDB.

A key (`key_of`) is the BLAKE3 of all that shapes the result: what is compiled (programs as their bytes, how they are
launched), the target, its options, and which compiler it was (`fingerprint`). A value starts with a BLAKE3 of kind, key
and value; one that does not agree is thrown away and made anew. HOLOGRAM_WEB_CACHE=off turns this off, =modules keeps
machine code only, for work on the compiler; HOLOGRAM_WEB_CACHE_DIR is another folder.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from .._version import __version__
from .blake3 import blake3

__all__ = [
    "BROUGHT",
    "HASH",
    "Store",
    "compiled_store",
    "fingerprint",
    "folder",
    "key_of",
    "module_store",
    "sealed",
    "unsealed",
]

HASH = 32  # bytes of the checksum before each value
# What the library of pages has of kernels, by bytes of programs and shape of blocks: tensor/made.py puts it there as it
# lies in the file, for plan/kernels.py, with where their code is.
BROUGHT: dict[tuple[bytes, tuple[int, int, int]], tuple[tuple[Any, ...], dict[Any, Any]]] = {}
_PACKAGE = Path(__file__).resolve().parent.parent


class Store(Protocol):
    """Values by key. What cannot be kept is lost without an error: it costs time and nothing else.

    `found` and `made` count the values that were there, and those that were put there.
    """

    found: int
    made: int

    def get(self, kind: str, key: bytes) -> bytes | None:
        """The value; None if there is none, or what there is was spoiled."""

    def put(self, kind: str, key: bytes, value: bytes) -> None:
        """Keeps a value."""


def folder() -> Path:
    """The cache folder of this user."""
    if found := os.environ.get("HOLOGRAM_WEB_CACHE_DIR"):
        return Path(found)
    from platformdirs import user_cache_path

    return user_cache_path("hologram_web")


def module_store() -> Store | None:
    """Where machine code is kept; None if it is not to be, or cannot be."""
    return None if os.environ.get("HOLOGRAM_WEB_CACHE") == "off" else _shared()


def compiled_store() -> Store | None:
    """Where what the compiler makes is kept; None if it is not to be, or cannot be."""
    return None if os.environ.get("HOLOGRAM_WEB_CACHE") in ("off", "modules") else _shared()


def _shared() -> Store | None:
    if sys.platform == "emscripten":
        from ..errors import BackendUnavailable
        from .page import page_store

        try:
            return page_store()
        except BackendUnavailable:
            return None
    try:
        return _disk(folder())
    except ImportError:  # installed without what it depends on, as pages have it: there is no platformdirs
        return None


@cache
def _disk(place: Path) -> Store | None:
    from .disk import DiskStore

    try:
        return DiskStore(place)
    except OSError:
        return None


def sealed(kind: str, key: bytes, value: bytes) -> bytes:
    """A value behind its checksum, which is of its kind and key, too: under another name it is spoiled."""
    return _checksum(kind, key, value) + value


def unsealed(kind: str, key: bytes, raw: bytes) -> bytes | None:
    """The value, or None if its checksum does not agree."""
    value = raw[HASH:]
    return value if raw[:HASH] == _checksum(kind, key, value) else None


def _checksum(kind: str, key: bytes, value: bytes) -> bytes:
    return blake3(b"%b %b %b" % (kind.encode(), key.hex().encode(), value))


@cache
def fingerprint() -> bytes:
    """Which compiler this is: of an installed package the hashes that its record has of its files, else the files."""
    record = _PACKAGE.with_name(f"hologram_web-{__version__}.dist-info") / "RECORD"
    if record.is_file():
        return recorded(record)
    found = []
    for place in (_PACKAGE, _PACKAGE.with_name("wgsl"), _PACKAGE.with_name("wasm")):
        for at, _, names in os.walk(place):
            found += [os.path.join(at, name) for name in names if name.endswith((".py", ".wgsl", ".wat"))]
    return blake3(b"\0".join(Path(path).read_bytes() for path in sorted(found)))


def recorded(record: Path) -> bytes:
    """The fingerprint of the package that has this record."""
    # Not what installers add: bytecode, which has no hash, and files elsewhere; nor what is made with these keys.
    lines = record.read_text(encoding="utf-8").splitlines()
    ours = [x for x in lines if x.startswith("hologram_web/") and ",sha256=" in x and "/library.bin," not in x]
    return blake3("\n".join(sorted(ours)).encode())


def key_of(what: Any, target: str, options: tuple[Any, ...], version: bytes = b"") -> bytes:
    """The key of what a compiler of that version, by default this one, makes of something for a target ("": for all)
    with these options. Their `repr` says all there is to say: equal things have equal keys, and no others."""
    return blake3(repr((version or fingerprint(), target, what, options)).encode())
