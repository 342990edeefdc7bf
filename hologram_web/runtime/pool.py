"""Pool: a ring of bytes of fixed capacity."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidPool

__all__ = ["Pool"]


class Pool:
    """A ring of `capacity` bytes on the host: what is written last stays, what is oldest goes.

    `dropped` counts bytes that were overwritten before anybody consumed them.
    """

    def __init__(self, capacity: int) -> None:
        """Raises InvalidPool for a capacity that is no number of bytes above 0."""
        if not isinstance(capacity, int) or capacity <= 0:
            raise InvalidPool(f"a pool has a capacity of at least one byte, not {capacity!r}")
        self.capacity = capacity
        self.dropped = 0
        self._data = bytearray(capacity)
        self._start = self._used = 0

    def __len__(self) -> int:
        """Bytes that are kept."""
        return self._used

    def write(self, data: Any) -> None:
        """Appends bytes (any object with the buffer protocol); the oldest ones go where there is no room.

        Raises InvalidPool for data longer than the capacity.
        """
        view = memoryview(data).cast("B")
        if view.nbytes > self.capacity:
            raise InvalidPool(f"{view.nbytes} bytes are more than the pool of {self.capacity} bytes: write parts")
        over = max(self._used + view.nbytes - self.capacity, 0)
        self.consume(over)
        self.dropped += over
        end = (self._start + self._used) % self.capacity
        head = min(view.nbytes, self.capacity - end)
        self._data[end : end + head] = view[:head]
        self._data[: view.nbytes - head] = view[head:]
        self._used += view.nbytes

    def read(self, offset: int, count: int) -> bytes:
        """`count` bytes from `offset` on, counted from the oldest. Raises InvalidPool for more than there are."""
        if offset < 0 or count < 0 or offset + count > self._used:
            raise InvalidPool(f"{count} bytes at offset {offset} are not there: the pool keeps {self._used} bytes")
        begin = (self._start + offset) % self.capacity
        head = bytes(self._data[begin : begin + min(count, self.capacity - begin)])
        return head + bytes(self._data[: count - len(head)])

    def consume(self, count: int) -> None:
        """Frees the oldest `count` bytes. Raises InvalidPool where there are fewer."""
        if not 0 <= count <= self._used:
            raise InvalidPool(f"{count} bytes cannot be consumed: the pool keeps {self._used} bytes")
        self._start = (self._start + count) % self.capacity
        self._used -= count

    def __repr__(self) -> str:
        return f"<Pool {self._used} of {self.capacity} bytes, {self.dropped} dropped>"
