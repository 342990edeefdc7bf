"""Devices whose memory Python sees as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .device import Device

__all__ = ["Bytes", "HostDevice", "array_of"]

Bytes = NDArray[np.uint8]


def array_of(view: memoryview) -> Bytes:
    """The bytes of a view as an array, without a copy."""
    return np.frombuffer(view, np.uint8) if view.nbytes else np.empty(0, np.uint8)


class HostDevice(Device[Bytes]):
    """A device whose memory is in reach of NumPy. Devices give `_reserve`, `_release` and `_launch`."""

    def view(self, handle: Any) -> Bytes:
        """The bytes of a buffer, to read and write without a copy; valid until the buffer is freed."""
        return self._buffer(handle)

    def _size(self, memory: Bytes) -> int:
        return memory.size

    def _read(self, memory: Bytes, offset: int, out: memoryview) -> None:
        array_of(out)[:] = memory[offset : offset + out.nbytes]

    def _write(self, memory: Bytes, offset: int, raw: memoryview) -> None:
        memory[offset : offset + raw.nbytes] = array_of(raw)

    def _copy(self, source: Bytes, target: Bytes) -> None:
        target[:] = source

    def _class_part(self, start: int, size: int) -> Bytes:
        return self._classes()[start : start + size]

    def class_memory(self, class_id: int) -> Bytes:
        """The 12,288 bytes of a class: a view that reads and writes."""
        return self._class(class_id)
