"""What lanes of the cpu device have for Atlas and pool instructions: see isa/meanings.py."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hologram_web.backends.fault_text import NOTES, note
from hologram_web.errors import FaultKind
from hologram_web.isa.meanings import first_phase
from hologram_web.isa.types import Type
from hologram_web.isa.verify import HIDDEN

from .memory import LanePlaces, byte_offsets
from .vector_ops import VectorOps

if TYPE_CHECKING:
    from .machine import Run

__all__ = ["AtlasOps"]

Array = NDArray[Any]
_PHASES = 512  # phases are registers from here on, that of the block's class the first


class AtlasOps(VectorOps):
    """Mixed into Machine, whose attributes it uses."""

    run: Run
    lanes: Array
    registers: Any
    fail: Any
    read: Any
    write: Any
    written: Any
    point: int
    count: int

    @property
    def phases(self) -> list[int]:
        """The classes whose phases the program names."""
        code = self.run.analysis.program.instructions
        return sorted({i.class_id for i in code if i.row.name in ("PhaseRead", "PhaseWrite")})

    def special(self, name: str) -> Array:
        axis = "XYZ".index(name[-1])
        if name.startswith("GRID_DIM"):
            return np.full(1, self.run.config.grid[axis], np.uint32)
        found: Array = self._coordinates()[name].astype(np.uint32)[self.lanes]
        return found

    def _coordinates(self) -> dict[str, Array]:
        raise NotImplementedError

    def argument(self, name: str, ty: Type) -> Array:
        return self.const(ty, self.run.scalars[name][1])

    def _phase(self, key: int | None) -> tuple[int, Type]:
        number = _PHASES if key is None else _PHASES + 1 + key
        if (number, Type.U32) not in self.registers:
            lanes, self.lanes = self.lanes, np.arange(self.count)
            self.write(number, Type.U32, first_phase(self))
            self.lanes = lanes
            self.written.discard((number, Type.U32))  # a collective ends it
        return number, Type.U32

    def phase(self, key: int | None) -> Array:
        found: Array = self.registers[self._phase(key)][self.lanes]
        return found

    def set_phase(self, key: int | None, value: Array) -> None:
        self.registers[self._phase(key)][self.lanes] = value

    def memory(self, ty: Type, offset: Array) -> LanePlaces:
        region = self.run.regions[self.run.analysis.bases[self.point, HIDDEN]]
        offsets = byte_offsets(offset, 1, 0, self.lanes.size)
        return LanePlaces(region, offsets, offsets)

    def guard(self, kind: FaultKind, wrong: Array, value: Array, number: int) -> None:
        mask = np.broadcast_to(wrong, self.lanes.shape)
        if mask.any():
            values = np.broadcast_to(value, self.lanes.shape)
            self.fail(kind, mask, partial(_text, number, values), None, None)


def _text(number: int, values: Array, lane: int) -> str:
    assert number < len(NOTES)
    return note(number, int(values[lane]))
