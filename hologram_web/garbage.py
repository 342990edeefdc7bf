"""When Python looks for cycles among new objects: seldom while it compiles.

It does after every 700 of them (2,000 since Python 3.14), now and then among all there are. Compiling makes tens of
thousands, most of which are gone when it is done; the thousands that stay are no reason to look at once.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .forks import lock

__all__ = ["seldom_collected"]

_OBJECTS = 100_000
_lock = lock()
_inside = 0  # blocks that are open, in all threads
_usual: tuple[int, int, int] | None = None  # what is set again when Python has looked
_ours = 0  # the number that was set last


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Within it, or in functions that have it as a decorator, Python looks after that many objects. Behind it, when as
    many as usual are new: then all is as it was."""
    global _inside, _usual
    with _lock:
        _inside += 1
        if _inside == 1:
            before = gc.get_threshold()
            if _usual is None or before[0] != _ours:
                _usual = before if 0 < before[0] < _OBJECTS else None  # 0: never
            _set(_OBJECTS)
    try:
        yield
    finally:
        with _lock:
            if _inside == 1:
                if gc.get_threshold()[0] != _ours:  # somebody has changed it
                    _usual = None
                _set(gc.get_count()[0])
            _inside -= 1


def _set(objects: int) -> None:
    global _ours
    if _usual is not None:
        _ours = objects + _usual[0]
        gc.set_threshold(_ours, *_usual[1:])


def _looks(phase: str, info: dict[str, Any]) -> None:
    global _usual
    with _lock:
        if not _inside and _usual is not None:
            if gc.get_threshold()[0] == _ours:
                gc.set_threshold(*_usual)
            _usual = None


gc.callbacks.append(_looks)
