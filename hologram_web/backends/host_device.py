"""Devices whose memory Python sees as NumPy arrays."""

from __future__ import annotations

from ..errors import LaunchError
from .device import CLASS_BYTES, Bytes, Device

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
        if not 0 <= class_id < 96:
            raise LaunchError(f"class {class_id} does not exist: classes are 0 to 95")
        return self._class_part(class_id * CLASS_BYTES, CLASS_BYTES)
