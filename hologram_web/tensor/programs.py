"""The programs of the library's kernels: made once, and kept for other processes where what is compiled is kept.

Translating is the longest part of a first call, as tiles are written out. What a program is made of has to be known by
name for that: constants, and functions of this package, whose text the store's fingerprint covers. Functions that an
array or a user puts into an operation have no such name, so these are translated in each process. In pages a library
has the programs of typical calls, with their code (made.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..errors import IsaError
from ..frontends.python.names import Intrinsic
from ..frontends.python.source import Source
from ..isa.program import Program
from ..isa.types import Type
from ..isa.verify import analysis_of
from ..store.store import compiled_store, key_of
from .made import brought

if TYPE_CHECKING:
    from .fuse import Fusion

__all__ = ["NAMED", "program_of", "unchanging"]

_PROGRAMS: dict[Any, Program] = {}
NAMED: dict[tuple[str, ...], Program] = {}  # of these what other processes can have, by what names it there
_KEPT = 1024
_PACKAGE = __name__.partition(".")[0]
_PLAIN = (int, float, str, Type, Intrinsic, type(None))  # whose `repr` says all there is to say


def program_of(kernel: FunctionType, constants: Mapping[str, Any], fusion: Fusion | None = None) -> Program:
    """The program of a kernel with these constants, made once."""
    key = (
        kernel,
        None if fusion is None else fusion.key,
        tuple((name, type(value), value if callable(value) else repr(value)) for name, value in constants.items()),
    )
    if key not in _PROGRAMS:
        if len(_PROGRAMS) >= _KEPT:
            _PROGRAMS.clear()
            NAMED.clear()
        named = [] if fusion is not None else [_named(each) for each in (kernel, *constants.values())]
        if not named or None in named:
            _PROGRAMS[key] = unchanging(_translated(kernel, constants, fusion))
        else:
            names = (*map(str, named), *constants)
            _PROGRAMS[key] = NAMED[names] = unchanging(_recalled(kernel, constants, names))
    return _PROGRAMS[key]


def unchanging(program: Program) -> Program:
    """The program, whose instructions nobody changes any more: that a launch need not look at each of them was a
    twentieth of a training step."""
    if "instructions" in vars(program):  # it is read
        program.instructions = tuple(program.instructions)  # type: ignore[assignment]
    return program


def _recalled(kernel: FunctionType, constants: Mapping[str, Any], names: tuple[str, ...]) -> Program:
    if (found := brought(names)) is not None:
        return found
    store, place, raw = compiled_store(), b"", None
    if store is not None:
        place = key_of(names, "", ())
        raw = store.get("program", place)
    if raw is not None:
        try:
            return analysis_of(raw).program  # which whoever compiles it asks for next
        except IsaError:
            pass
    program = _translated(kernel, constants, None)
    if store is not None:
        store.put("program", place, program.to_bytes())
    return program


def _named(value: Any) -> str | None:
    """What a constant is in every process; None where that cannot be said, as of a function of somebody else's."""
    if isinstance(value, tuple):
        parts = [_named(each) for each in value]
        return None if None in parts else repr(parts)
    if not isinstance(value, FunctionType):
        return f"{type(value).__name__} {value!r}" if isinstance(value, _PLAIN) else None
    known = value.__module__.partition(".")[0] == _PACKAGE and value.__qualname__.isidentifier()
    return f"{value.__module__}.{value.__qualname__}" if known else None


def _translated(kernel: FunctionType, constants: Mapping[str, Any], fusion: Fusion | None) -> Program:
    from ..frontends.python.translate import translate  # which is not needed where a store has the program

    definition = Source.of(kernel)
    if fusion is not None:
        from .fuse import fused

        definition = fused(definition, fusion)
    program = translate(definition.with_constants(constants).checking("buffer")).program
    chosen = [getattr(value, "name", value) for value in constants.values() if isinstance(value, (Type, Intrinsic))]
    program.metadata.name = "_".join([kernel.__name__.strip("_"), *(str(each).lower() for each in chosen)])
    return program
