"""The intermediate representation: one node type, SSA, explicit effects.

A Function is a list of basic blocks. A block has phis, nodes in order, and a terminator. Values have a Type or are
predicates (`PRED`). Each operation has a row in `operations.py`: pure ones are primitives of the ops namespace
(`isa/ops.py`); effects are never removed or reordered unless a pass proves that it may. `check.py` lists what holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..isa.ops import PRED
from ..isa.types import Type
from ..isa.verify import Base

__all__ = [
    "PRED",
    "Axis",
    "Block",
    "Function",
    "MemoryAccess",
    "Node",
    "Replaced",
    "Terminator",
    "ValueType",
    "significant",
]

ValueType = Type | str | None


class Axis(NamedTuple):
    """One of the CHK instructions before an access, which is done with it: its index plus `offset` is below its length.

    `at` is the instruction. An access has the index and the length behind its other operands. Both are I32, the length
    not negative; both U32, and no offset; or both I64, the length not negative.
    """

    at: int
    offset: int


@dataclass(frozen=True)
class MemoryAccess:
    """A memory operand: byte offset index * scale + offset into `base`; `element` is what lies there.

    `at` is the instruction, for faults. `checked` is False where it is known to be in bounds. `axes` are checked
    before. The check is of `together` elements, one behind the other, which as many instructions access; those behind
    the first are not `checked` (together.py). With `in_word` the element is a part of a word of memory: that word is
    what is loaded, and what is stored are bits of it, under the mask behind them.
    """

    base: Base
    element: Type
    scale: int
    offset: int
    at: int
    checked: bool = True
    axes: tuple[Axis, ...] = ()
    in_word: bool = False
    together: int = 1

    @property
    def reach(self) -> int:
        """The bytes that are checked."""
        return self.element.size_bytes * self.together

    def __str__(self) -> str:
        axes = "".join(f" axis +{axis.offset}" for axis in self.axes)
        several = f" {self.together} together" if self.together > 1 else ""
        said = f"{'' if self.checked else ' unchecked'}{' in a word' * self.in_word}{several}{axes}"
        return f"{self.base} *{self.scale} +{self.offset}{said}"


class Node:
    """One value or effect: `op` applied to `args`; `attr` holds what is no value (constant bits, types, accesses)."""

    __slots__ = ("args", "attr", "is_const", "number", "op", "ty")

    def __init__(self, op: str, ty: ValueType, args: tuple[Node, ...] = (), attr: Any = None) -> None:
        self.op, self.ty, self.args, self.attr = op, ty, args, attr
        self.number = -1
        self.is_const = op == "const"

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two pure nodes the same value."""
        return self.op, self.ty, tuple(map(id, self.args)), self.attr

    def __str__(self) -> str:
        attr = "" if self.attr is None else f" {{{self.attr}}}"
        args = ", ".join(f"%{arg.number}" for arg in self.args)
        left = "" if self.ty is None else f"%{self.number}: {self.ty} = "
        return f"{left}{self.op}{attr} {args}".rstrip()

    __repr__ = __str__


def significant(node: Node) -> int:
    """How many bytes of a wide integer, in limbs of 8, can differ from 0: those above are known to be zeros."""
    assert isinstance(node.ty, Type)
    size = known = node.ty.size_bytes
    if node.is_const:
        known = (int(node.attr).bit_length() + 63) // 64 * 8
    elif node.op == "cvt" and not node.attr.is_float and not node.attr.is_signed:
        known = int(node.attr.size_bytes)
    return min(size, max(8, known))


@dataclass
class Terminator:
    """How a block ends. `kind` is

    `jump` to ways[0]; `branch` on `value` to ways[0], else ways[1]; `exit` of the lane; `barrier`, after which the
    lane goes on at ways[0]; `collective`, which ends the lane region. `at` is the instruction index; `steps` says that
    going to ways[0] goes back in a loop not proven counted, which takes a step from the lane's budget.
    """

    kind: str
    ways: list[Block] = field(default_factory=list)
    value: Node | None = None
    at: int = -1
    steps: bool = False

    def __str__(self) -> str:
        value = "" if self.value is None else f" %{self.value.number}"
        return f"{self.kind}{value} {' '.join(f'b{way.number}' for way in self.ways)}".rstrip()


class Block:
    """A basic block."""

    __slots__ = ("end", "nodes", "number", "phis", "predecessors")

    def __init__(self, number: int) -> None:
        self.number = number
        self.phis: list[Node] = []
        self.nodes: list[Node] = []
        self.end = Terminator("exit")
        self.predecessors: list[Block] = []

    def __str__(self) -> str:
        lines = [f"b{self.number}:" + "".join(f" b{block.number}" for block in self.predecessors)]
        lines += [f"  {node}" for node in (*self.phis, *self.nodes)]
        return "\n".join([*lines, f"  {self.end}"])

    __repr__ = __str__


class Replaced(dict[Node, Node]):
    """What takes the place of nodes that go; it may be replaced in its turn."""

    def final(self, node: Node) -> Node:
        """What stands for a node at last."""
        while node in self:
            node = self[node]
        return node

    def put_into(self, blocks: Iterable[Block]) -> None:
        """Changes all uses."""
        for block in blocks:
            for node in (*block.phis, *block.nodes):
                if not self.keys().isdisjoint(node.args):
                    node.args = tuple(map(self.final, node.args))
            if block.end.value is not None:
                block.end.value = self.final(block.end.value)


@dataclass(eq=False)
class Function:
    """The code of one lane region. `blocks[0]` is where lanes start. `fired` counts what the passes and rules did."""

    blocks: list[Block]
    shared_memory: int
    bases: list[Base]
    block_shape: tuple[int, int, int]
    name: str = ""
    local_memory: int = 0  # bytes of each lane
    axes: tuple[int, int, int] = (0, 1, 2)  # which axis of the launch each axis of a block is, see `turned`
    spans: int = 1  # blocks of the launch, of one lane each, that a block is, see `turned`
    likely: Node | None = None  # of a branch to code for lanes that find what most do; all others do well without it
    fired: Counter[str] = field(default_factory=Counter)

    def nodes(self) -> list[Node]:
        found = []
        for block in self.blocks:
            found += [*block.phis, *block.nodes]
        return found

    def uses(self) -> dict[Node, int]:
        """How often each node is used, terminators included."""
        found: dict[Node, int] = {}
        for block in self.blocks:
            for node in (*block.phis, *block.nodes):
                for arg in node.args:
                    found[arg] = found.get(arg, 0) + 1
            if block.end.value is not None:
                found[block.end.value] = found.get(block.end.value, 0) + 1
        return found

    def renumber(self) -> None:
        """Numbers blocks and nodes in order. Predecessors stay as they are: phis go by their order."""
        for number, block in enumerate(self.blocks):
            block.number = number
        for number, node in enumerate(self.nodes()):
            node.number = number

    def __str__(self) -> str:
        self.renumber()
        return "\n".join(map(str, self.blocks)) + "\n"
