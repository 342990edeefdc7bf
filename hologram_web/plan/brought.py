"""What the library of pages has of kernels (tensor/made.py), as plans take it; typical.py of the tools wrote it."""

from __future__ import annotations

from typing import Any

from ..isa.address import Space
from ..isa.types import Type
from ..isa.verify import Base
from .formula import Formula
from .kernels import LearntFacts, WgslPart

__all__ = ["facts_of", "shader_of"]

_TYPES = {ty.id: ty for ty in Type}


def facts_of(plain: tuple[Any, ...], code: dict[Any, Any]) -> LearntFacts:
    name, scalars, named, written, touched, idle = plain
    bases = tuple(Base(Space(space), base) for space, base in named)
    ours, some = (frozenset(bases[k] for k in places) for places in (written, touched))
    return LearntFacts(name, {each: _TYPES[ty] for each, ty in scalars}, bases, ours, some, idle, code)


def shader_of(plain: tuple[Any, ...]) -> WgslPart:
    *about, proven = plain
    fast = [(text, blocks, tuple(map(Formula, codes)), counts) for text, blocks, codes, counts in proven]
    made: Any = *about, tuple(fast)
    return WgslPart(*made)
