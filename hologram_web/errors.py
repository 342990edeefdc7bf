"""The exception tree (isa.md section 8). The same names exist in JavaScript (`web/src/errors.ts`).

    HologramError (alias BackendError)
    ├── IsaError                 a Program, its text, bytes or JSON is wrong
    ├── CompileError             a Program cannot be compiled: .instruction, .reason
    │   ├── UnsupportedType
    │   └── UnsupportedInstruction
    ├── BackendUnavailable       .backend, .reason
    ├── InvalidBuffer            no such buffer, or a transfer outside it
    ├── InvalidPool
    ├── AllocationFailed
    ├── LaunchError              a launch configuration or an argument is wrong
    ├── ExecutionError           .kind, .instruction, .lane, .detail (alias ExecutionFailed)
    ├── ArtifactError
    └── TranslateError           .file, .line, .column, .offset

Every message says what was wrong, where, and what to do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import wraps
from typing import Any, TypeVar

__all__ = [
    "AllocationFailed",
    "ArtifactError",
    "BackendError",
    "BackendUnavailable",
    "CompileError",
    "ExecutionError",
    "ExecutionFailed",
    "FaultKind",
    "HologramError",
    "InvalidBuffer",
    "InvalidPool",
    "IsaError",
    "LaunchError",
    "TranslateError",
    "UnsupportedInstruction",
    "UnsupportedType",
]


_MOST = 4000  # characters of a message
_WORD = re.compile(r"(\S{180})\S{4,}(\S{20})")


def shortened(text: str) -> str:
    """A message that quotes no more of what it is about than people read: words of more than 200 characters lose their
    middle, and so does a text of more than 4,000, which begins with what is wrong and ends with what to do."""
    if len(text) > _MOST:
        text = f"{text[: _MOST - 1000]}...{text[-1000:]}"
    return _WORD.sub(r"\1...\2", text)


def like(name: str, names: Iterable[str], prefix: str = "") -> str:
    """`: did you mean NAME?`, if one of the names is nearly this one, else nothing."""
    from difflib import get_close_matches  # errors only

    by_case = {other.lower(): other for other in names}
    found = get_close_matches(name.lower(), by_case, 1, 0.7)
    return f": did you mean {prefix}{by_case[found[0]]}?" if found and by_case[found[0]] != name else ""


def told(value: Any) -> str:
    """A value that is given where another is expected: numbers and short texts as they are written, else what it is."""
    if value is None or isinstance(value, (bool, int, float, complex)) or (isinstance(value, str) and len(value) < 40):
        return repr(value)
    return an(type(value).__name__)


def an(noun: str) -> str:
    return f"a{'n' * (noun[:1].lower() in 'aeio' or noun.startswith('nd'))} {noun}"


def axes(count: int) -> str:
    return f"{count} ax{'i' if count == 1 else 'e'}s"


def misfit(name: str, dtype: Any, ndim: int, ty: Any, wanted: int, instead: str = "") -> str:
    """What is wrong with an array: what it has, then what is expected. Type and axes are told where they are wrong."""
    types, ranks = dtype is not None, ndim != wanted
    given = " and ".join([f"dtype {dtype}"] * types + [axes(ndim)] * ranks)
    expected = " and ".join([str(ty)] * types + [axes(wanted)] * ranks)
    one = types + ranks == 1 and (types or wanted == 1)
    return f"{name} has {given}; {expected} {'is' if one else 'are'} expected{instead}"


class HologramError(Exception):
    """Base class of every error that hologram_web raises on purpose. Its text is bounded, whatever it quotes."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(shortened(arg) if isinstance(arg, str) else arg for arg in args))

    def add_note(self, note: str) -> None:
        super().add_note(shortened(note))


_F = TypeVar("_F", bound=Callable[..., Any])
FULL = os.environ.get("HOLOGRAM_WEB_TRACEBACK") == "full"


def outermost(fn: _F) -> _F:
    """For what users call: the traceback of an error ends at their line, with no frames of this package below it.

    `raise` alone adds no frame, and what it raises has the traceback that it finds: none. HOLOGRAM_WEB_TRACEBACK=full
    keeps all.
    """
    if FULL:
        return fn

    @wraps(fn)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return fn(*args, **named)
        except HologramError as error:
            error.__traceback__ = None
            raise

    return call  # type: ignore[return-value]


class IsaError(HologramError):
    """A Program, or its text, bytes or JSON form, breaks a rule of the ISA.

    `problems` holds one line per problem when a verifier found several; `line` and `column` (from 1) are set
    by the text reader.
    """

    def __init__(
        self, message: str, *, problems: tuple[str, ...] = (), line: int | None = None, column: int | None = None
    ) -> None:
        where = f"line {line}, column {column}: " if line is not None else ""
        super().__init__(where + message)
        self.problems = tuple(map(shortened, problems or (message,)))
        self.line = line
        self.column = column


class CompileError(HologramError):
    """A valid Program that this device or target cannot compile. `instruction` is its index, or None."""

    def __init__(self, instruction: int | None, reason: str) -> None:
        super().__init__(reason if instruction is None else f"instruction {instruction}: {reason}")
        self.instruction = instruction
        self.reason = shortened(reason)


class UnsupportedType(CompileError):
    """An instruction uses a type that this device or target does not have."""


class UnsupportedInstruction(CompileError):
    """An instruction that this device or target does not run."""


class BackendUnavailable(HologramError):
    """A device that was asked for cannot be had here, and why."""

    def __init__(self, backend: str, reason: str) -> None:
        super().__init__(f"backend {backend!r} is not available: {reason}")
        self.backend = backend
        self.reason = shortened(reason)


class InvalidBuffer(HologramError):
    """No such buffer (freed, or another backend's), or a transfer that does not fit it."""


class InvalidPool(HologramError):
    """No such pool (freed, or another backend's), or a transfer that does not fit it."""


class AllocationFailed(HologramError):
    """Memory of the asked size cannot be had."""


class LaunchError(HologramError):
    """A launch configuration, or an argument of a launch, is wrong. Nothing has run."""


class FaultKind(StrEnum):
    """What can go wrong while lanes run (isa.md section 4). `DataRace` and `Uninitialized` are what only the checks
    of the reference find."""

    OUT_OF_BOUNDS = "OutOfBounds"
    DIVISION_BY_ZERO = "DivisionByZero"
    MISALIGNED_ACCESS = "MisalignedAccess"
    INVALID_CLASS = "InvalidClass"
    NEIGHBOR_ILLEGAL = "NeighborIllegal"
    STEP_LIMIT = "StepLimit"
    DIVERGENT_BARRIER = "DivergentBarrier"
    POOL_USE_AFTER_FREE = "PoolUseAfterFree"
    CANCELLED = "Cancelled"
    DATA_RACE = "DataRace"
    UNINITIALIZED = "Uninitialized"


FAULT_KINDS = tuple(kind for kind in FaultKind if kind is not FaultKind.UNINITIALIZED)  # status words hold number + 1


class ExecutionError(HologramError):
    """A fault of a running launch.

    `kind` is a FaultKind, `instruction` the index in the Program, `lane` the global lane id (the lowest one that
    faulted there), `buffer` the parameter (or "shared") and `offset` the byte offset of a faulting access;
    each of them is None where it has no meaning. `program` is the name of the program.
    Where that was made of Python or JSON, a note says the line.
    """

    program: str | None = None
    places: tuple[tuple[int, int], ...] = ()  # on the reference, of two lanes in conflict: instruction and lane of each

    def __init__(
        self,
        kind: FaultKind,
        instruction: int | None,
        detail: str,
        *,
        lane: int | None = None,
        buffer: str | None = None,
        offset: int | None = None,
    ) -> None:
        where = "" if instruction is None else f" at instruction {instruction}"
        who = "" if lane is None else f", lane {lane}"
        super().__init__(f"{kind}{where}{who}: {detail}")
        self.kind = kind
        self.instruction = instruction
        self.detail = shortened(detail)
        self.lane = lane
        self.buffer = buffer
        self.offset = offset

    def retold(self, detail: str, buffer: str | None) -> ExecutionError:
        """The same fault in other words."""
        error = ExecutionError(self.kind, self.instruction, detail, lane=self.lane, buffer=buffer, offset=self.offset)
        error.program, error.places = self.program, self.places
        for note in getattr(self, "__notes__", ()):
            error.add_note(note)
        return error


class ArtifactError(HologramError):
    """A `.holo` file is damaged, hostile or of another version."""


class TranslateError(HologramError):
    """A frontend cannot translate its source: `file`, `line` and `column` (from 1), `offset` (from 0) say where,
    `message` what."""

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        offset: int | None = None,
    ) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)
        self.message = shortened(message)
        self.file = file
        self.line = line
        self.column = column
        self.offset = offset


BackendError = HologramError
ExecutionFailed = ExecutionError
