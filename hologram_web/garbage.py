"""When Python looks for cycles among new objects: seldom while it compiles.

It does after every 700 of them (2,000 since Python 3.14), now and then among all there are. Compiling makes tens of
thousands, nearly all of which stay until it is done.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from .forks import lock

__all__ = ["seldom_collected"]

_OBJECTS = 20_000
_lock = lock()
_inside = 0  # blocks that are open, in all threads
_before = (0, 0, 0)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Within it, or in functions that have it as a decorator, Python looks after that many objects."""
    global _inside, _before
    with _lock:
        if not _inside:
            _before = gc.get_threshold()
            if 0 < _before[0] < _OBJECTS:  # 0: never
                gc.set_threshold(_OBJECTS, *_before[1:])
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside and gc.get_threshold()[0] == _OBJECTS:  # else somebody has changed it
                gc.set_threshold(*_before)
