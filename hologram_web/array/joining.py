"""Arrays one behind the other: what computes a part writes it where it is to lie, in the memory of the whole."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, NamedTuple

from ..tensor.families import operation
from .grouping import FusedKernel
from .inputs import is_row, lying
from .node import ArrayNode
from .types import kind_of

__all__ = ["Joins", "joins"]


class Joins(NamedTuple):
    """`parts` has of a whole, by its identity, what is copied into it, and to which elements; `placed` of a node that
    is written there at once the node whose memory that is, and at which of its elements it begins."""

    parts: dict[int, list[tuple[ArrayNode, Any]]]
    placed: dict[int, tuple[ArrayNode, Any]]


def joins(
    order: Sequence[ArrayNode], found: Sequence[FusedKernel], kept: Container[int], names: Container[int]
) -> Joins:
    """Where the parts of each whole go that is one row of them. Those that are `kept`, have `names` or are read by
    others are copied, and what operations make that begin with something."""
    users: dict[int, int] = {}
    for node in order:
        for arg in node.args:
            users[id(arg)] = users.get(id(arg), 0) + 1
    kernels = {id(group.root): group for group in found}

    def is_own(part: ArrayNode, made: ArrayNode) -> bool:
        """Whether nothing else reads what a part shows, so that it need lie nowhere else."""
        while users[id(part)] == 1 and id(part) not in kept and part is not made:
            (part,) = part.args
        return part is made and users[id(part)] == 1 and id(part) not in kept and id(part) not in names

    made = Joins({}, {})
    for group in reversed(found):
        root = group.root
        if not is_row(root):
            continue
        whole, start = made.placed.get(id(root), (root, 0))
        copied = made.parts[id(root)] = []
        for part in root.args:
            node = lying(part, kept)
            if id(node) in kernels and _goes_anywhere(kernels[id(node)]) and is_own(part, node):
                made.placed[id(node)] = whole, start
            else:
                copied.append((node, start))
            start = start + part.size
    return made


def _goes_anywhere(kernel: FusedKernel) -> bool:
    """Whether a kernel can write behind elements that it leaves as they are."""
    core = kernel.core
    if core is not None and core.op == "tensor":
        return core.attrs[1] not in operation(core.attrs[0]).updated and kind_of(core.dtype) != "c"
    return core is None or core.op in ("reduce", "product")
