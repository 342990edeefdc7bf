"""Devices that share all launches, and such whose launches are all run by two workers, while who launches waits."""

from __future__ import annotations

import time

from hologram_web.backends.wasm import WasmBackend
from hologram_web.backends.wasm.crew import Crew

__all__ = ["AllShared", "OnWorkers"]

_NEXT, _ACTIVE = 16, 32  # words of wasm/crew.wat


class _Idle(Crew):
    def _run(self, wake: int) -> None:
        words = self._words
        words[_NEXT], words[_ACTIVE] = 0, -(1 << 31)
        self.help(len(self._kernels) - 1)
        while words[_NEXT] < words[2]:
            time.sleep(0)
        self._join(self._at)


class AllShared(WasmBackend):
    """Launches are shared, however short."""

    _long = 0.0

    def _is_shared(self, loaded):
        return self._threads.number > 1


class OnWorkers(AllShared):
    """Blocks are taken by two workers. A launch of one block is, too."""

    _crew_of = _Idle

    def __init__(self, **options):
        super().__init__(**{"threads": 3, **options})
