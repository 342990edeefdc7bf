"""Recursion over nested code: programs nest deeper than Python's frames go by default."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["deep_recursion"]

_FRAMES = 500_000  # of Python alone, which lie on the heap: a few for each of 65,536 instructions


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Within it functions may call themselves as often as a program is long."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
