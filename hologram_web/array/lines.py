"""Lines of a user's program in the faults of arrays: those that asked for what can fault, a division of integers or
elements chosen by integers."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ExecutionError, outermost

if TYPE_CHECKING:
    from ..runtime.executor import Executor
    from .node import ArrayNode

__all__ = ["FAULTS", "asked_by", "line_of", "lines_of", "naming", "reading", "users_line"]

_F = TypeVar("_F", bound=Callable[..., Any])
_MOST = 64  # of launches that nobody has read yet
_SHOWN = 3
_DIVIDES = ("floor_divide", "remainder")
FAULTS = frozenset((*_DIVIDES, "tensor", "launch"))  # operations whose nodes may have a line


def users_line() -> tuple[str | None, int | None]:
    """The file and line outside of this package that is being executed."""
    frame = sys._getframe(1)
    package = __name__.partition(".")[0]
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] != package:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None, None


def line_of(op: str, integers: bool, attrs: Any) -> tuple[str, str | None, int | None] | None:
    """The kind of fault that a node can have and the user's line that is making it; None of most, which have none."""
    if op in _DIVIDES and integers:
        return ("DivisionByZero", *users_line())
    if op == "tensor" and "indices" in attrs[2]:
        return ("OutOfBounds", *users_line())
    return ("", *users_line()) if op == "launch" else None  # a kernel of the user's: any


def lines_of(order: Iterable[ArrayNode]) -> list[tuple[str, str | None, int | None]]:
    """Those of nodes, each once."""
    return list(dict.fromkeys([node.line for node in order if node.line is not None]))


@contextmanager
def asked_by(executor: Executor, lines: list[tuple[str, str | None, int | None]]) -> Iterator[None]:
    """While what lines asked for is launched: a fault names them. On a device that tells faults later they are kept
    until something is read."""
    if not lines:
        yield
        return
    executor.asked = [*executor.asked, *lines][-_MOST:]
    later = getattr(executor.device, "check", "") == "deferred"
    with nullcontext() if later else naming(executor):
        yield


@contextmanager
def naming(executor: Executor) -> Iterator[None]:
    """While something is read: faults of what was launched before name the lines."""
    try:
        yield
    except ExecutionError as error:
        _name(error, executor)
        raise
    executor.asked = []


def reading(fn: _F) -> _F:
    """For methods of Arrays that read: `naming`, and a traceback that ends at the user's line."""

    @wraps(fn)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        with naming(self.executor):
            return fn(self, *args, **named)

    return outermost(call)  # type: ignore[return-value]


def _name(error: ExecutionError, executor: Executor) -> None:
    lines = dict.fromkeys((file, line) for kind, file, line in executor.asked if kind in ("", str(error.kind)))
    executor.asked = []
    found = [f"{file}:{line}: {linecache.getline(file, line).strip()}" for file, line in lines if file and line]
    if found:
        more = [f"and {len(found) - _SHOWN} others"] if len(found) > _SHOWN else []
        error.add_note("\n".join([f"asked for {'in' if len(found) == 1 else 'in one of'}", *found[-_SHOWN:], *more]))
