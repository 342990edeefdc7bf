"""Launches on wasm that are done within the call: one crossing, with the arguments, to a launch that the runtime keeps.

As commands of a batch they took 430 us each (in Node; 1,000 lanes, two scalars, three Buffers).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from struct import error
from typing import TYPE_CHECKING, Any

from ..prepared import ShortWay

if TYPE_CHECKING:
    from .page_device import PageMemory, WasmBackend

__all__ = ["PreparedCrossing"]

_LATER, _FAILED, _STOPPED = 0, 2, 3  # what the runtime says came of a launch


class PreparedCrossing(ShortWay):
    device: WasmBackend

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._asked: Any = None  # what the launcher was asked for with

    def _learn(self, values: Sequence[Any]) -> bool:
        device, analysis = self.device, self._analysis
        scalars = [(p.name, p.ty) for p in analysis.program.params if p.kind == "scalar" and p.ty]
        self._lay_out(scalars, [base for base, _ in analysis.given])
        if any(kind is None for _, _, kind, _, _ in self._scalars):
            return False
        self._varying = [at for at, _, _, _, _ in self._scalars]
        self._bounded = any(kind is int for _, _, kind, _, _ in self._scalars)
        names = [name for _, _, _, name, _ in self._scalars] + [self.names[place] for place in self._memories]
        program, bits = device.launched
        fixed = {name: digits for name, digits in bits.items() if name not in self._places}
        asked = program, " ".join(names), json.dumps(fixed), device.limits.steps, device.limits.seconds
        if asked != self._asked:
            self._launcher, self._asked = device.native.launcher(*asked), asked
        return True

    def _may_go(self) -> bool:
        return self.device.flushed()

    def _go(self, numbers: list[Any], memories: list[PageMemory], values: Sequence[Any], places: Sequence[int]) -> bool:
        try:
            if self._bounded:
                self._layout.pack(*numbers)
        except (error, OverflowError):
            return False
        held = [memory[0] for memory in memories]
        if len(set(held)) < len(held):  # it is another program that runs
            return False
        came = self._launcher(*[numbers[at] for at in self._varying], *held)
        if came == _LATER:
            return False
        device = self.device
        device.stats.launches += 1
        device.stats.crossings += 1
        if came == _FAILED:
            device.failed(self._known.as_written)
        elif came == _STOPPED:
            raise KeyboardInterrupt
        return True
