"""Memory of a device: handles of buffers and pools, and what goes in and out of them.

Data goes in and out as memoryviews of bytes, so that a page needs no NumPy.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from ..errors import AllocationFailed, HologramError, InvalidBuffer, InvalidPool, LaunchError
from ..isa.operands import BufferHandle, PoolHandle
from .recording import ARRAYS, Recording

__all__ = ["M", "Memories"]

# Buffers that launches on arrays leave for the next ones. Allocating is worth sparing where copying takes as little.
_BUFFERS_KEPT, _MOST_KEPT = 16, 1 << 16
M = TypeVar("M")


class Memories(Generic[M]):
    """Buffers and pools of a device, which keeps memory as objects of a kind of its own, `M`."""

    name = ""
    keeps_buffers = True  # that were returned

    def __init__(self) -> None:
        self._buffers: dict[BufferHandle, M] = {}
        self._pools: dict[PoolHandle, M] = {}
        self._returned: list[BufferHandle] = []
        self._lock: Any = threading.RLock()
        self._recording: Recording[M] | None = None  # that is being made

    # What a device gives

    def _reserve(self, size: int) -> M:
        """Zeroed memory. Raises AllocationFailed."""
        raise NotImplementedError

    def _release(self, memory: M) -> None:
        """Takes memory back that `_reserve` gave."""
        raise NotImplementedError

    def _is_alive(self, memory: M) -> bool:
        """Whether it still holds what was written there."""
        return True

    def _size(self, memory: M) -> int:
        """Bytes of memory."""
        raise NotImplementedError

    def _read(self, memory: M, offset: int, out: memoryview) -> None:
        """Copies bytes from `offset` on into `out`, whose size fits. Raises the fault of a launch before."""
        raise NotImplementedError

    def _write(self, memory: M, offset: int, raw: memoryview) -> None:
        """Copies bytes to `offset`; they fit."""
        raise NotImplementedError

    def _clear(self, memory: M) -> None:
        """Fills memory with zeros."""
        self._write(memory, 0, memoryview(bytes(self._size(memory))))

    def _copy(self, source: M, target: M) -> None:
        """Copies the bytes of one memory to another one of the same size."""
        raise NotImplementedError

    def sync(self) -> None:
        """Waits until everything is done."""
        raise NotImplementedError

    def _may_wait(self) -> None:
        """Raises LaunchError where nothing may wait for results."""
        raise NotImplementedError

    # Buffers and pools

    def allocate_buffer(self, size: int) -> BufferHandle:
        return self._kept(self._allocate(size))

    def allocate_unwritten(self, size: int) -> BufferHandle:
        """A buffer of `size` bytes that may hold anything: for who writes all of them before anybody reads."""
        return self.allocate_buffer(size)

    def _kept(self, memory: M) -> BufferHandle:
        handle = BufferHandle(_fresh())
        self._buffers[handle] = memory
        if self._recording is not None:
            self._recording.made(handle)
        return handle

    def _allocate(self, size: int) -> M:
        if isinstance(size, bool) or not hasattr(size, "__index__") or size < 0:
            raise AllocationFailed(f"a size is a number of bytes from 0 on, not {size!r}")
        with self._lock:
            memory = self._reserve(int(size))
            if self._recording is not None:
                self._recording.clear(memory)
            return memory

    def free_buffer(self, handle: BufferHandle) -> None:
        with self._lock:  # first out of sight: whatever interrupts this, no memory is given back twice
            memory = self._buffer(handle)
            del self._buffers[handle]
            self._take_back(handle, memory)

    def _take_back(self, handle: BufferHandle | PoolHandle, memory: M) -> None:
        if self._recording is None or not self._recording.takes(handle, memory):
            self._release(memory)

    def borrow_buffer(self, size: int) -> BufferHandle:
        with self._lock:
            if self._recording is not None:
                raise LaunchError(ARRAYS)
            for handle in self._returned:
                if self._size(self._buffers[handle]) == size and self._is_alive(self._buffers[handle]):
                    self._returned.remove(handle)
                    return handle
        return self.allocate_buffer(size)

    def return_buffer(self, handle: BufferHandle) -> None:
        with self._lock:
            if not self.keeps_buffers or self._size(self._buffer(handle)) > _MOST_KEPT:
                self.free_buffer(handle)
                return
            self._returned.append(handle)
            if len(self._returned) > _BUFFERS_KEPT:
                self.free_buffer(self._returned.pop(0))

    def copy_to_buffer(self, handle: BufferHandle, data: Any) -> None:
        self._copy_in(self._buffer(handle), 0, data, InvalidBuffer, "buffer")

    def copy_from_buffer(self, handle: BufferHandle, out: Any = None) -> bytes | None:
        memory = self._buffer(handle)
        return self._copy_out(memory, 0, self._size(memory) if out is None else out, InvalidBuffer, "buffer")

    def collect(self, reads: Mapping[BufferHandle, Any]) -> None:
        self.sync()
        for handle, out in reads.items():
            self.copy_from_buffer(handle, out)

    def buffer_size(self, handle: BufferHandle) -> int:
        return self._size(self._buffer(handle))

    def allocate_pool(self, size: int) -> PoolHandle:
        handle = PoolHandle(_fresh())
        self._pools[handle] = self._allocate(size)
        if self._recording is not None:
            self._recording.made(handle)
        return handle

    def free_pool(self, handle: PoolHandle) -> None:
        with self._lock:
            memory = self._pool(handle)
            del self._pools[handle]
            self._take_back(handle, memory)

    def copy_to_pool(self, handle: PoolHandle, offset: int, data: Any) -> None:
        self._copy_in(self._pool(handle), offset, data, InvalidPool, "pool")

    def copy_from_pool(self, handle: PoolHandle, offset: int, out: Any) -> bytes | None:
        return self._copy_out(self._pool(handle), offset, out, InvalidPool, "pool")

    def pool_size(self, handle: PoolHandle) -> int:
        return self._size(self._pool(handle))

    pool_load, pool_store = copy_from_pool, copy_to_pool

    def _copy_in(self, memory: M, offset: int, data: Any, error: type[HologramError], what: str) -> None:
        raw = _bytes_of(data)
        self._fits(memory, offset, raw.nbytes, error, what)
        with self._lock:
            if self._recording is None:
                self._write(memory, offset, raw)
            elif raw.nbytes == self._size(memory):
                self._recording.write(memory, raw)
            else:
                raise LaunchError(f"a recording writes whole {what}s, not {raw.nbytes} of {self._size(memory)} bytes")

    def _copy_out(self, memory: M, offset: int, out: Any, error: type[HologramError], what: str) -> bytes | None:
        """Into a writable object; or, if `out` is a number of bytes, those bytes."""
        if isinstance(out, int):
            self._fits(memory, offset, out, error, what)
        view = _view(bytearray(out) if isinstance(out, int) else out)
        if view.readonly or not view.c_contiguous:
            raise TypeError("out has to be writable and contiguous")
        self._fits(memory, offset, view.nbytes, error, what)
        with self._lock:
            self._may_wait()
            self._read(memory, offset, _flat(view))
        return view.tobytes() if isinstance(out, int) else None

    def _fits(self, memory: M, offset: int, count: int, error: type[HologramError], what: str) -> None:
        size = self._size(memory)
        if offset < 0 or count < 0 or offset + count > size:
            raise error(f"{count} bytes at offset {offset} do not fit a {what} of {size} bytes")

    def _buffer(self, handle: BufferHandle) -> M:
        try:
            return self._buffers[handle]
        except (KeyError, TypeError):
            raise InvalidBuffer(
                f"{handle!r} is no buffer of this {self.name} backend: it was freed, or another backend made it"
            ) from None

    def _pool(self, handle: PoolHandle) -> M:
        try:
            return self._pools[handle]
        except (KeyError, TypeError):
            raise InvalidPool(
                f"{handle!r} is no pool of this {self.name} backend: it was freed, or another backend made it"
            ) from None


_numbers = itertools.count(1)


def _fresh() -> int:
    """A number for a handle, never given again in this process: a handle of another backend is no valid one."""
    return next(_numbers)


def _view(out: Any) -> memoryview:
    """The memory of an object. NumPy lends that of types it does not know, such as bfloat16, as other bytes only."""
    try:
        return memoryview(out)
    except ValueError:
        return memoryview(out.view("u1"))


def _flat(view: memoryview) -> memoryview:
    """The bytes of a contiguous view."""
    return view.cast("B") if view.nbytes else memoryview(bytearray())


def _bytes_of(data: Any) -> memoryview:
    """The bytes, row by row, of an object with the buffer protocol or of anything NumPy takes for an array."""
    try:
        try:
            view = memoryview(data)
        except (TypeError, ValueError, BufferError):
            if hasattr(data, "to_memoryview"):  # a typed array of JavaScript
                view = data.to_memoryview()
            elif hasattr(data, "__array__"):
                view = memoryview(data.__array__().tobytes())
            else:
                raise
        return _flat(view if view.c_contiguous else memoryview(view.tobytes()))
    except (TypeError, ValueError, BufferError) as error:
        raise TypeError(f"give bytes, an array or another object with the buffer protocol: {error}") from None
