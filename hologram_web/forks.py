"""What a child of `os.fork` gets anew: locks that a thread may have held which does not exist there."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["in_child", "lock"]

T = TypeVar("T")
_found: WeakKeyDictionary[Any, Callable[[Any], None]] = WeakKeyDictionary()


def in_child(thing: T, renew: Callable[[T], None]) -> T:
    """Has `renew` called with the thing in children, as long as it lives; gives the thing."""
    _found[thing] = renew
    return thing


def lock() -> Any:
    """A lock that is free in children."""
    return in_child(threading.RLock(), lambda made: made._at_fork_reinit())  # type: ignore[attr-defined]


def _renew() -> None:
    for thing, renew in list(_found.items()):
        renew(thing)


if hasattr(os, "register_at_fork"):  # not on Windows, nor in pages
    os.register_at_fork(after_in_child=_renew)
