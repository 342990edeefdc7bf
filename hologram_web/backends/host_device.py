"""Devices whose memory Python sees as NumPy arrays."""

from __future__ import annotations

from .device import Bytes, Device

__all__ = ["HostDevice"]


class HostDevice(Device[Bytes]):
    """A device whose memory is in reach of NumPy. Devices give `_reserve`, `_release` and `_launch`."""

    def _size(self, memory: Bytes) -> int:
        return memory.size

    def _read(self, memory: Bytes, offset: int, out: Bytes) -> None:
        out[:] = memory[offset : offset + out.size]

    def _write(self, memory: Bytes, offset: int, raw: Bytes) -> None:
        memory[offset : offset + raw.size] = raw

    def _class_part(self, start: int, size: int) -> Bytes:
        return self._classes()[start : start + size]

    def class_memory(self, class_id: int) -> Bytes:
        """The 12,288 bytes of a class: a view that reads and writes."""
        return self._class(class_id)
