"""Launches of a kernel that is loaded: what they change is written into its argument block, and it is called.

What is left of a launch is to see that all is as it was: 4 us (1,000 lanes, two scalars, three Buffers), where the
common way takes 13 and the call of the engine 1.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import error
from typing import TYPE_CHECKING, Any

from ...errors import ExecutionError
from ...targets.wasm import ARGUMENTS
from ..prepared import ShortWay

if TYPE_CHECKING:
    from ..compiled import Job
    from .arena import ArenaBlock
    from .wasm_backend import WasmBackend, _Loaded

__all__ = ["PreparedCall", "RecordedCall"]

_VALUES = ARGUMENTS["values"]


class PreparedCall(ShortWay):
    device: WasmBackend

    def _learn(self, values: Sequence[Any]) -> bool:
        loaded = self.device.loaded(self._analysis, self.config)
        if loaded is None or loaded.made_for[:1] != (self.config,):
            return False
        self._loaded, self._head, self._made_for = loaded, loaded.head, loaded.made_for
        self._lay_out(loaded.kernel.scalars, loaded.kernel.bases, f"{2 * len(loaded.kernel.bases)}I")
        return True

    def _state(self) -> tuple[Any, ...]:
        return (*super()._state(), self.device._work)

    def _is_mine(self) -> bool:
        return not self._loaded.gone and super()._is_mine()

    def _go(self, numbers: list[Any], memories: list[ArenaBlock], values: Sequence[Any], places: Sequence[int]) -> bool:
        device, loaded = self.device, self._loaded
        for address, size, _ in memories:
            numbers += address, size
        try:
            self._layout.pack_into(loaded.block, _VALUES, *numbers)
        except (error, OverflowError):
            return False
        if loaded.holds is not self._made_for:
            loaded.head, loaded.made_for = self._head, self._made_for
            loaded.begin(self.config.blocks)
        device.stats.launches += 1
        device.start(loaded, self.config, device._deadline())
        return True


class RecordedCall:
    """A lane region in a recording: its argument block is written once, and copied where the kernel looks."""

    def __init__(self, device: WasmBackend, job: Job[ArenaBlock], loaded: _Loaded) -> None:
        self._device, self._job, self._loaded = device, job, loaded
        self._filled: tuple[Any, ...] = ()

    def __call__(self) -> None:
        device, loaded, job = self._device, self._loaded, self._job
        if not self._filled or loaded.gone or self._filled[0] != device._work:
            loaded = self._loaded = device._loaded(job)
            device.fill(loaded, job)
            self._filled = device._work, loaded.made_for, loaded.head, bytes(loaded.block[_VALUES:])
        _, made_for, head, values = self._filled
        if loaded.holds is not made_for:
            loaded.head, loaded.made_for = head, made_for
            loaded.begin(job.config.blocks)
        loaded.block[_VALUES:] = values
        device.stats.launches += 1
        try:
            device.start(loaded, job.config, device._deadline())
        except ExecutionError as fault:
            raise (job.explain or (lambda error: error))(fault) from None
