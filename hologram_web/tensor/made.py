"""The library of pages: programs of the tensor library's kernels for typical calls, and what these become.

It is a file beside the package, of a wheel of its own, `hologram-web-library`; natively there is none, but a cache
folder and library.bin. tools/page_wheel.py writes it of what hologram_web_tools/typical.py collects: a mark, the
fingerprint of the page wheel that it was made for, a BLAKE3 of what follows, and three parts by Zstandard: programs
with what is known of their kernels, code for WebAssembly, and code for WebGPU. One of another compiler, or damaged, is
not taken: `STATE` says so, and explain.
"""

from __future__ import annotations

import marshal
import os
from functools import cache
from pathlib import Path
from typing import Any

from ..isa.operands import Access
from ..isa.program import Param, Program, ProgramMetadata
from ..isa.types import Type
from ..isa.verify import Analysis, analysis_of
from ..store.blake3 import blake3
from ..store.store import BROUGHT, HASH, fingerprint

__all__ = ["FILE", "MARK", "STATE", "brought"]

FILE = Path(__file__).resolve().parents[1] / "library.zst"
MARK = b"HGLB"
STATE: list[str] = []  # what became of the file, once it was asked for
_TYPES = {ty.id: ty for ty in Type}
_ACCESS = {access.value: access for access in Access}
_HEAD = len(MARK) + 2 * HASH


def brought(names: tuple[str, ...]) -> Program | None:
    """The program of a kernel and constants by their names (programs.py), if the library has it."""
    found = _library().get(names)
    if found is None:
        return None
    number, source, params, kernels, *about = found
    made = [Param(name, kind, _TYPES.get(ty), _ACCESS.get(access)) for name, kind, ty, access in params]
    for block, facts in kernels:
        BROUGHT.setdefault((source, block), (facts, _Code(number, block)))
    return _unread(source, made, *about)


class _Unread(Program):
    """A program whose instructions and labels are read when they are first asked for: launches may need none."""

    _source: bytes

    def __getattr__(self, name: str) -> Any:
        if name not in ("instructions", "labels"):
            raise AttributeError(name)
        read = analysis_of(self._source).program
        self.instructions, self.labels = tuple(read.instructions), read.labels  # type: ignore[assignment]
        self.__class__ = Program  # type: ignore[assignment]
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        return getattr(self, "labels") is not None and self == other  # noqa: B009  # it is a Program from then on

    __hash__ = None  # type: ignore[assignment]


class _Later(Analysis):
    """What is found out of such a program, when more of it is asked for than its bytes."""

    def __getattr__(self, name: str) -> Any:
        found = vars(analysis_of(self.source))
        if name not in found:
            raise AttributeError(name)
        vars(self).update({**found, "program": self.program})
        self.__class__ = Analysis  # type: ignore[assignment]
        return found[name]


def _unread(source: bytes, params: list[Param], shared: int, local: int, name: str, entry: str | None) -> Program:
    """The valid program of these bytes, by what is known of it."""
    program, analysis = object.__new__(_Unread), object.__new__(_Later)
    about = {"params": params, "shared_memory": shared, "local_memory": local, "entry": entry, "source_map": None}
    vars(analysis).update(program=program, source=source)
    vars(program).update(about, metadata=ProgramMetadata(name), _source=source, _analysis=analysis)
    return program


class _Code(dict[Any, Any]):
    """The code of a kernel, which is looked for when code for its target is first asked for."""

    def __init__(self, number: int, block: tuple[int, int, int]) -> None:
        super().__init__()
        self.place = number, block

    def get(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            found = _codes(isinstance(key, tuple)).get(self.place, {}).get(key)
            if found is not None:
                self[key] = found
        return super().get(key, default)


_FRAMES: list[bytes] = []  # code for WebAssembly and for WebGPU, as it lies in the file


@cache
def _codes(shaders: bool) -> dict[Any, dict[Any, Any]]:
    """The code for a target, of every program and block."""
    found: dict[Any, dict[Any, Any]] = _unpacked(_FRAMES[shaders])
    return found


def _unpacked(frame: bytes) -> Any:
    from compression import zstd  # type: ignore[import-not-found]  # of Python 3.14, which pages have

    return marshal.loads(zstd.decompress(frame))


@cache
def _library() -> dict[tuple[str, ...], Any]:
    """The programs by names; none if there is no file, or it is not to be taken."""
    if os.environ.get("HOLOGRAM_WEB_CACHE") in ("off", "modules"):
        STATE[:] = ["HOLOGRAM_WEB_CACHE says to take no library of typical calls"]
        return {}
    try:
        raw = FILE.read_bytes()
    except OSError:
        raw = b""
    STATE[:] = [_wrong(raw)]
    if STATE[0]:
        return {}
    programs, *_FRAMES[:] = marshal.loads(raw[_HEAD:])
    found: dict[tuple[str, ...], Any] = _unpacked(programs)
    STATE[:] = [f"the library of typical calls, {len(found)} programs, is {FILE}"]
    return found


def _wrong(raw: bytes) -> str:
    """Why nothing is taken of a file."""
    if not raw:
        return "there is no library of typical calls: hologram-web-library has one"
    if raw[: len(MARK)] != MARK or blake3(raw[_HEAD:]) != raw[_HEAD - HASH : _HEAD]:
        return f"{FILE} is damaged, so that all is compiled here: install hologram-web-library again"
    if raw[len(MARK) :][:HASH] != fingerprint():
        return f"{FILE} is of another version of hologram-web, so that all is compiled here: install that of this one"
    return ""
