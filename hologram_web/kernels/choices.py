"""The kernels that choices of types or constants made."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from ..forks import lock

if TYPE_CHECKING:
    from ..backends import Backend
    from .kernel import Kernel

__all__ = ["Choices"]

_KEPT = 256


class Choices:
    """Kernels by what was chosen, made once for all devices, and bound to this one."""

    def __init__(self, device: Backend | None, family: Choices | None = None) -> None:
        """`family` has those of another device."""
        self._device = device
        self._made: dict[Hashable, Kernel] = {} if family is None else family._made
        self._lock: Any = lock() if family is None else family._lock
        self._here: dict[Hashable, Kernel] = {}

    def get(self, key: Hashable, make: Callable[[], Kernel]) -> Kernel:
        found = self._here.get(key)
        if found is not None:
            return found
        with self._lock:
            for kept in (self._made, self._here):
                if len(kept) >= _KEPT and key not in kept:
                    kept.clear()
            if key not in self._made:
                self._made[key] = make()
            made = self._made[key]
            self._here[key] = made if self._device is None else made.on(self._device)
            return self._here[key]
