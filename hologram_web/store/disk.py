"""The cache folder: what was compiled, machine code and artifacts, as files with a checksum. What it has not yet may be
in the library, which lies in the wheel: programs and kernels of the tensor library."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from .kept import BYTES, TEXT, Form, list_of, read, tuple_of, write
from .store import Store, sealed, unsealed

__all__ = ["KINDS", "LIBRARY", "DiskStore", "Library", "recall"]

# Endings of the files.
KINDS = {
    "program": "programs of the tensor library",
    "wasm": "kernels for wasm",
    "wgsl": "kernels for webgpu",
    "module": "machine code of wasmtime",
    "holo": "artifacts",
    "tuned": "schedules that were timed",
}

V = TypeVar("V")
LIBRARY = Path(__file__).resolve().parents[1] / "library.bin"  # which hologram_web_tools/precompiled.py makes

_LIMIT = 256 << 20
_LOOK_AFTER = 64  # writes until the folder's size is looked at again


class Library:
    """Files of such a folder in one, to be read only. One that is not there, or spoiled, has none."""

    _FORM: Form[list[tuple[str, bytes]]] = list_of(tuple_of(TEXT, BYTES))

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def _packed(self) -> dict[str, bytes]:
        try:
            found = read(self._FORM, self.path.read_bytes())
            return dict(found)
        except (OSError, ValueError):
            return {}

    def __len__(self) -> int:
        return len(self._packed)

    def get(self, name: str) -> bytes | None:
        try:
            return zlib.decompress(self._packed[name])
        except (KeyError, zlib.error):
            return None

    def write(self, files: Iterable[Path]) -> None:
        """Makes it of these files."""
        packed = [(path.name, zlib.compress(path.read_bytes(), 9)) for path in sorted(files)]
        self.path.write_bytes(write(self._FORM, packed))


class DiskStore:
    """Files of a folder that nobody else may write; those not used for longest go beyond `limit` bytes. What it has not
    may be in the library."""

    def __init__(self, folder: Path, limit: int = _LIMIT, library: Path | None = None) -> None:
        """Raises OSError for a folder that cannot be made, or that others may write."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Machine code that is read here is run: from a folder that others write it would be theirs.
        mode = folder.stat()
        if hasattr(os, "getuid") and (mode.st_uid != os.getuid() or mode.st_mode & 0o022):
            raise PermissionError(f"{folder} belongs to somebody else, or others may write there")
        self.folder, self.limit, self._library = folder, limit, Library(library or LIBRARY)
        self.found = self.made = 0

    def get(self, kind: str, key: bytes) -> bytes | None:
        path = self.folder / f"{key.hex()}.{kind}"
        raw: bytes | None
        try:
            raw = path.read_bytes()
            os.utime(path)  # used now
        except OSError:
            raw = self._library.get(path.name)
        if raw is None:
            return None
        value = unsealed(kind, key, raw)
        if value is None:
            with suppress(OSError):
                path.unlink()
        else:
            self.found += 1
        return value

    def put(self, kind: str, key: bytes, value: bytes) -> None:
        """Writes through a temporary file, so that another process never sees half of it."""
        try:
            handle, name = tempfile.mkstemp(dir=self.folder)
        except OSError:
            return
        try:
            with open(handle, "wb") as file:
                file.write(sealed(kind, key, value))
            os.replace(name, self.folder / f"{key.hex()}.{kind}")
        except OSError:
            with suppress(OSError):
                os.unlink(name)
            return
        if self.made % _LOOK_AFTER == 0:
            with suppress(OSError):  # another process takes files away, or the folder
                self._prune()
        self.made += 1

    def _files(self) -> list[tuple[float, int, Path]]:
        """When it was used last, size and path of every file that is ours, used longest ago first."""
        found = []
        for path in self.folder.iterdir():
            if path.suffix[1:] not in KINDS:
                continue
            try:
                mode = path.stat()
            except OSError:  # another process took it away
                continue
            found.append((mode.st_mtime, mode.st_size, path))
        return sorted(found)

    def _prune(self) -> None:
        files = self._files()
        total = sum(size for _, size, _ in files)
        for _, size, path in files:
            if total <= self.limit:
                return
            path.unlink(missing_ok=True)
            total -= size

    def info(self) -> dict[str, tuple[int, int]]:
        """Number and bytes of the files of each kind."""
        found: dict[str, tuple[int, int]] = {}
        for _, size, path in self._files():
            number, total = found.get(path.suffix[1:], (0, 0))
            found[path.suffix[1:]] = number + 1, total + size
        return found

    def clear(self) -> int:
        """Removes all files; how many there were."""
        files = self._files()
        for _, _, path in files:
            path.unlink(missing_ok=True)
        return len(files)


def recall(
    store: Store | None,
    kind: str,
    key: Callable[[], bytes],
    make: Callable[[], V],
    form: Form[V],
    fits: Callable[[V], bool] = lambda value: True,
) -> tuple[V, bool]:
    """The object of a key, and whether it had to be made. Raises what `make` raises, and keeps nothing then.

    What is there but has not the form of this kind, or does not fit, is made anew.
    """
    if store is None:
        return make(), True
    place = key()
    raw = store.get(kind, place)
    if raw is not None:
        try:
            value = read(form, raw)
        except ValueError:
            pass
        else:
            if fits(value):
                return value, False
    made = make()
    with suppress(ValueError):  # what the form does not hold is not kept
        store.put(kind, place, write(form, made))
    return made, True
