"""ProgramCache: what was made for a program, in memory: least recently used goes first, made once for all threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, Generic, TypeVar

from ..forks import in_child

__all__ = ["ProgramCache"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ProgramCache(Generic[K, V]):
    """Values by key, at most `capacity` of them; None is without end. Threads may share it.

    Keys are what shapes the code: `Program.hash()`, types, block shapes, options; never handles or sizes. `evicted` is
    called with the key and value that had to go. `hits` and `misses` count what `get` and `get_or_create` found.
    """

    def __init__(self, capacity: int | None = 1024, evicted: Callable[[K, V], None] | None = None) -> None:
        """Raises ValueError for a capacity below 1."""
        if capacity is not None and capacity < 1:
            raise ValueError(f"a cache has room for 1 value or more, not {capacity}")
        self.capacity = capacity
        self.hits = self.misses = 0
        self._evicted = evicted
        self._kept: OrderedDict[K, V] = OrderedDict()
        self.after_fork()
        in_child(self, ProgramCache.after_fork)

    def after_fork(self) -> None:
        """Forgets threads that are not there."""
        self._making: dict[K, Any] = {}  # locks that makers hold
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def values(self) -> list[V]:
        """All values, the one used last at the end."""
        with self._lock:
            return list(self._kept.values())

    def is_empty(self) -> bool:
        return not self._kept

    def get(self, key: K) -> V | None:
        """The value of a key, which becomes the one used last; None if there is none."""
        with self._lock:
            if key in self._kept:
                return self._used(key)
            self.misses += 1
            return None

    def insert(self, key: K, value: V) -> None:
        """Keeps a value, instead of the one the key had."""
        gone: list[tuple[K, V]] = []
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while self.capacity is not None and len(self._kept) > self.capacity:
                gone.append(self._kept.popitem(last=False))
        if self._evicted is not None:
            for pair in gone:
                self._evicted(*pair)

    def get_or_create(self, key: K, factory: Callable[[], V]) -> V:
        """The value of a key, made by `factory` if there is none.

        Threads that ask for the same key wait for the one that makes it, and get its object. If the factory raises,
        nothing is kept, its caller gets the error, and the next one that waits tries.
        """
        with self._lock:
            if key in self._kept:
                return self._used(key)
            gate = self._making.setdefault(key, RLock())
        with gate:  # by locks alone, whose methods no interrupt divides
            with self._lock:
                if key in self._kept:
                    return self._used(key)
                self.misses += 1
            try:
                value = factory()
                self.insert(key, value)
                return value
            finally:
                with self._lock:
                    self._making.pop(key, None)

    def _used(self, key: K) -> V:
        self.hits += 1
        self._kept.move_to_end(key)
        return self._kept[key]

    def clear(self) -> None:
        """Lets go of all values, without telling `evicted`."""
        with self._lock:
            self._kept.clear()
