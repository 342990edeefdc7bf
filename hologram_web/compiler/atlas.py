"""What lanes of compiled code have for Atlas and pool instructions: see isa/meanings.py.

Phases are variables of SSA like registers, the block's class among them: a class that the program names has one of its
own, and what is written to one of the two is selected into the other.
"""

from __future__ import annotations

from typing import Any

from ..errors import FaultKind
from ..isa.meanings import first_phase
from ..isa.types import Type
from ..isa.verify import HIDDEN, Analysis, Base
from .ir import Block, MemoryAccess, Node, ValueType
from .node_ops import POINTER, NodeOps

__all__ = ["AtlasNodes", "is_phase"]

_PHASES = 512  # phases are registers from here on, that of the block's class the first


def is_phase(number: int) -> bool:
    return number >= _PHASES


class AtlasNodes(NodeOps):
    """Mixed into Builder, whose attributes it uses."""

    analysis: Analysis
    bases: dict[Base, None]
    at: int
    point: int

    def read(self, block: Block, variable: Any) -> Node:
        raise NotImplementedError

    def write(self, variable: Any, value: Node) -> None:
        raise NotImplementedError

    def _param(self, name: str, ty: ValueType) -> Node:
        raise NotImplementedError

    @property
    def phases(self) -> list[int]:
        """The classes whose phases the program names."""
        code = self.analysis.program.instructions
        return sorted({i.class_id for i in code if i.row.name in ("PhaseRead", "PhaseWrite")})

    def special(self, name: str) -> Node:
        block, self.current = self.current, self.start
        node = self.node("special", Type.U32, attr=name)
        self.current = block
        return node

    def argument(self, name: str, ty: Type) -> Node:
        return self._param(name, ty)

    def phase(self, key: int | None) -> Node:
        return self.read(self.current, (_PHASES if key is None else _PHASES + 1 + key, Type.U32))

    def set_phase(self, key: int | None, value: Node) -> None:
        self.write((_PHASES if key is None else _PHASES + 1 + key, Type.U32), value)

    def first_phase(self) -> Node:
        """A phase at entry, in the block `start`."""
        block, self.current = self.current, self.start
        node: Node = first_phase(self)
        self.current = block
        return node

    def memory(self, ty: Type, offset: Node) -> tuple[MemoryAccess, Node]:
        base = self.analysis.bases[self.point, HIDDEN]
        self.bases[base] = None
        return MemoryAccess(base, ty, 1, 0, self.at), self.index(offset)

    def guard(self, kind: FaultKind, wrong: Node, value: Node, note: int) -> None:
        self.node("guard", None, wrong, self.cvt(POINTER, Type.U32, value), attr=(kind, self.at, note))
