"""One check for elements one behind the other, as `x.load(i, 4)` reads them. (`x.store(i, v)` checks its axis, once.)

Only where the index was read from memory: of others the block mostly proves that they are in bounds, and then more of
what is known of each access serves better (rows of lanes are loaded whole).
"""

from __future__ import annotations

from dataclasses import replace

from ..isa.address import Space
from .accesses import access_of
from .ir import Function, MemoryAccess, Node
from .operations import EFFECTS
from .turned import copied

__all__ = ["checked_together"]

_DEEP = 8  # operations between an index and what was read


def checked_together(function: Function) -> Function:
    """The function where the first of such loads checks all of them; or itself. It stays as it is."""
    found: dict[Node, MemoryAccess] = {}
    for block in function.blocks:
        first: Node | None = None
        for node in block.nodes:
            access = access_of(node)
            if access is None and node.op not in EFFECTS:
                continue
            reached = None if first is None else found.get(first, first.attr)
            if first is not None and reached is not None and _continues(first, reached, node):
                found[first] = replace(reached, together=reached.together + 1)
                found[node] = replace(node.attr, checked=False)
            else:
                first = node if access is not None and _may_begin(node, access) else None
    return copied(function, lambda node: found.get(node, node.attr)) if found else function


def _may_begin(node: Node, access: MemoryAccess) -> bool:
    """Whether what an access checks is nothing but that an element is in bounds whose index was read."""
    aligned = not (access.scale % access.element.alignment or access.offset % access.element.alignment)
    plain = node.op == "load" and access.checked and not access.axes and not access.element.is_wide
    return plain and aligned and access.base.space is not Space.LOCAL and _was_read(node.args[0], _DEEP)


def _was_read(node: Node, deep: int) -> bool:
    return node.op == "load" or (deep > 0 and any(_was_read(arg, deep - 1) for arg in node.args if node.op != "phi"))


def _continues(first: Node, reached: MemoryAccess, node: Node) -> bool:
    """Whether an access is that of the next instruction, to the element behind what was reached."""
    behind = replace(reached, at=reached.at + reached.together, offset=reached.offset + reached.reach, together=1)
    return node.op == first.op and node.args[0] is first.args[0] and bool(node.attr == behind)
