"""The library of pages: programs of the tensor library's kernels and what these become, for typical calls.

It is a file beside the package, of a wheel of its own, `hologram-web-library`; natively there is none, but a cache folder
and library.bin. tools/page_wheel.py writes it of what hologram_web_tools/typical.py collects: a mark, the fingerprint of
the page wheel that it was made for, a BLAKE3 of what follows, and by Zstandard programs and kernels as `packed` has
them. One of another compiler, or damaged, is not taken; `STATE` says so.
"""

from __future__ import annotations

import marshal
import os
from functools import cache
from pathlib import Path
from typing import Any

from ..isa.address import Space
from ..isa.operands import Access
from ..isa.program import Param, Program
from ..isa.types import Type
from ..isa.verify import Base, unread
from ..plan.formula import Formula
from ..plan.kernels import BROUGHT, Facts, WasmPart, WgslPart
from ..store.blake3 import blake3
from ..store.store import HASH, fingerprint

__all__ = ["FILE", "MARK", "STATE", "brought", "packed"]

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
        BROUGHT.setdefault((source, block), _facts(facts, _Code(number, block)))
    return unread(source, made, *about)


class _Code(dict[Any, Any]):
    """The code of a kernel, which is looked for when code for its target is first asked for."""

    def __init__(self, number: int, block: tuple[int, int, int]) -> None:
        super().__init__()
        self.place = number, block

    def get(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            found = _codes(isinstance(key, tuple)).get(self.place, {}).get(key)
            if found is not None:
                self[key] = _wgsl(*found) if isinstance(key, tuple) else WasmPart(*found)
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
    try:
        raw = b"" if os.environ.get("HOLOGRAM_WEB_CACHE") in ("off", "modules") else FILE.read_bytes()
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


def packed(programs: dict[bytes, tuple[str, ...]], kernels: dict[tuple[bytes, Any], Facts]) -> tuple[bytes, ...]:
    """What a file has of programs, by their bytes, with the names of each, and of kernels: programs with what is known
    of kernels, code for WebAssembly, and code for WebGPU."""
    about = {}
    codes: tuple[dict[Any, Any], dict[Any, Any]] = {}, {}
    for number, (source, names) in enumerate(sorted(programs.items(), key=lambda item: item[1])):
        program, ours = Program.from_bytes(source), []
        params = [
            (p.name, p.kind, None if p.ty is None else p.ty.id, None if p.access is None else p.access.value)
            for p in program.params
        ]
        for (of, block), facts in kernels.items():
            if of == source:
                ours.append((block, _plain(facts)))
                for key, part in facts.code.items():
                    place = codes[isinstance(key, tuple)].setdefault((number, block), {})
                    place[key] = _plain_wgsl(part) if isinstance(part, WgslPart) else tuple(part)
        more = program.shared_memory, program.local_memory, program.metadata.name, program.entry
        about[names] = number, source, params, ours, *more
    return tuple(marshal.dumps(part, 4) for part in (about, *codes))  # of a version that all Pythons here read


def _plain(facts: Facts) -> tuple[Any, ...]:
    bases = facts.bases
    places = [[k for k, base in enumerate(bases) if base in some] for some in (facts.written, facts.touched)]
    scalars = [(name, ty.id) for name, ty in facts.scalars.items()]
    return facts.name, scalars, [(int(base.space.value), base.name) for base in bases], *places, facts.idle


def _facts(plain: tuple[Any, ...], code: dict[Any, Any]) -> Facts:
    name, scalars, named, written, touched, idle = plain
    bases = tuple(Base(Space(space), base) for space, base in named)
    ours, theirs = (frozenset(bases[k] for k in places) for places in (written, touched))
    return Facts(name, {each: _TYPES[ty] for each, ty in scalars}, bases, ours, theirs, idle, code)


def _plain_wgsl(part: WgslPart) -> tuple[Any, ...]:
    fast = [(text, blocks, [each.code for each in conditions], counts) for text, blocks, conditions, counts in part.fast]
    return *part[:-1], fast


def _wgsl(*part: Any) -> WgslPart:
    fast = [(text, blocks, tuple(map(Formula, codes)), counts) for text, blocks, codes, counts in part[-1]]
    made: Any = *part[:-1], tuple(fast)
    return WgslPart(*made)
