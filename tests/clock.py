"""Clocks for tests, which a machine that is slow, busy, or stands still for a while, does not make fail."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

__all__ = ["Heart", "again_and_again", "within"]

_BEAT = 0.02  # seconds
_YARDSTICK = 0.0055  # seconds that `_work` takes where limits were set, with Python 3.11


class Heart:
    """Counts seconds by a thread that wakes up again and again: when the machine stands still, or gives this process
    nothing, so does it. Neither does it beat while somebody keeps Python's lock, for which limits of launches are."""

    def __init__(self) -> None:
        self._beats, self._end = 0, threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def _beat(self) -> None:
        while not self._end.wait(_BEAT):
            self._beats += 1

    @property
    def seconds(self) -> float:
        return self._beats * _BEAT

    def start(self) -> None:
        self._thread.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end.set()
        self._thread.join()


@contextmanager
def again_and_again(call: Callable[[], object], first: float = 0.3) -> Iterator[Heart]:
    """Makes a call after a while, and again until the block is left: one that comes too early, because a slow machine
    is not there yet, is not the last one. Gives the heart that beats from the first call on."""
    end, heart = threading.Event(), Heart()

    def work() -> None:
        if end.wait(first):
            return
        with heart:
            call()
            while not end.wait(0.1):
                call()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield heart
    finally:
        end.set()
        thread.join()


def _work() -> int:
    total = 0
    for number in range(200_000):
        total += number & 7
    return total


def _slowness() -> float:
    """How many times slower this machine is than the one where limits were set."""
    found = []
    for _ in range(5):
        start = time.process_time()
        _work()
        found.append(time.process_time() - start)
    return min(found) / _YARDSTICK


def within(seconds: float, limit: float) -> bool:
    """Whether seconds of the processor are below a limit; on a slower machine it is as much longer."""
    return seconds < limit or seconds < limit * _slowness()
