"""Kernels for webgpu as they are kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...compiler.bounds import OPERATIONS
from ...compiler.ir import PRED, Node
from ...isa.address import ON_CHIP
from ...isa.verify import Base
from ...runtime.kept import (
    BASE,
    FLAG,
    SCALARS,
    TEXT,
    TYPE,
    WHOLE,
    Form,
    Tail,
    list_of,
    mapped,
    optional,
    record,
    tuple_of,
)
from ...targets.wgsl import WgslKernel
from ..compiled import Job

__all__ = ["WGSL_KERNEL", "fits"]

_MOST = 1 << 16  # of the operations of conditions, each counted as often as it is computed

# What nodes of conditions hold besides values, by operation, and how many values they take: 2 where it is not said.
_LIMIT = tuple_of(TEXT, BASE, WHOLE)
_SPECIAL: Form[Any] = Form(
    lambda attr, tail: (TEXT if isinstance(attr, str) else _LIMIT).pack(attr, tail),
    lambda item, tail: (TEXT if isinstance(item, str) else _LIMIT).unpack(item, tail),
)
_ATTRS: dict[str, Form[Any]] = {"const": WHOLE, "param": TEXT, "special": _SPECIAL, "cvt": TYPE}
_COUNTS = {"const": 0, "param": 0, "special": 0, "cvt": 1}
_OTHERS = optional(TYPE)
_RESULT: Form[Any] = mapped(
    optional(TYPE), lambda ty: None if ty == PRED else ty, lambda found: PRED if found is None else found
)


def _pack(conditions: tuple[Node, ...], tail: bytearray) -> list[Any]:
    """Nodes as rows, each behind those that it takes; then the numbers of the conditions."""
    rows: list[Any] = []
    numbers: dict[Node, int] = {}

    def number(node: Node) -> int:
        if node not in numbers:
            args = [number(arg) for arg in node.args]
            attr = _ATTRS.get(node.op, _OTHERS).pack(node.attr, tail)
            rows.append([node.op, _RESULT.pack(node.ty, tail), args, attr])
            numbers[node] = len(numbers)
        return numbers[node]

    return [rows, [number(condition) for condition in conditions]]


_ROW = tuple_of(TEXT, _RESULT, list_of(WHOLE), Form(lambda item, _: item, lambda item, _: item))
_ROWS = tuple_of(list_of(_ROW), list_of(WHOLE))


def _unpack(item: Any, tail: Tail) -> tuple[Node, ...]:
    rows, roots = _ROWS.unpack(item, tail)
    nodes: list[Node] = []
    costs: list[int] = []
    for op, ty, args, item in rows:
        attr = _ATTRS.get(op, _OTHERS).unpack(item, tail)
        known = op in OPERATIONS or op in _COUNTS
        right = len(args) == _COUNTS.get(op, 2) and all(arg < len(nodes) for arg in args)
        whole = ty == PRED or ty.is_integer
        if not (known and right and whole) or (op == "const" and attr >> (1 if ty == PRED else ty.bits)):
            raise ValueError(f"{op} of {len(args)} is no condition")
        nodes.append(Node(op, ty, tuple([nodes[arg] for arg in args]), attr))
        costs.append(1 + sum([costs[arg] for arg in args]))
    if any(root >= len(nodes) for root in roots) or sum([costs[root] for root in roots]) > _MOST:
        raise ValueError("conditions without end")
    return tuple([nodes[root] for root in roots])


_CONDITIONS: Form[tuple[Node, ...]] = Form(_pack, _unpack)

WGSL_KERNEL: Form[WgslKernel] = record(
    WgslKernel,
    {
        "code": TEXT,
        "scalars": SCALARS,
        "bases": list_of(BASE),
        "groups": list_of(list_of(BASE)),
        "written": list_of(FLAG),
        "block": tuple_of(WHOLE, WHOLE, WHOLE),
        "further": list_of(tuple_of(WHOLE, WHOLE)),
        "words": WHOLE,
        "scratch": WHOLE,
        "fast": optional(TEXT),
        "conditions": _CONDITIONS,
    },
)


def fits(kernel: WgslKernel, job: Job[Any], groups: list[list[Base]]) -> bool:
    """Whether a kernel from the disk names nothing but what a launch has."""
    bindings = len(groups) + len(kernel.further)
    return (
        kernel.groups == groups
        and kernel.block == tuple(job.config.block)
        and len(kernel.written) - bindings in (0, 1)
        and all(number < len(groups) for number, _ in kernel.further)
        and all(base in job.memory for base in kernel.bases)
        and all(name in job.scalars and job.scalars[name][0] is ty for name, ty in kernel.scalars)
        and kernel.words >= 2 * len(kernel.scalars) + len(kernel.bases)
        and _knows(kernel)
    )


def _knows(kernel: WgslKernel) -> bool:
    """Whether `proves` can compute all conditions."""
    specials, scalars = kernel.specials((1, 1, 1), 0), set(kernel.scalars)
    knows: dict[str, Callable[[Node], bool]] = {
        "param": lambda node: (node.attr, node.ty) in scalars,
        "special": lambda node: (
            node.attr in specials
            if isinstance(node.attr, str)
            else node.attr[1].space in ON_CHIP or node.attr[1] in kernel.bases
        ),
    }
    work, seen = list(kernel.conditions), set(kernel.conditions)
    while work:
        node = work.pop()
        if node.op in knows and not knows[node.op](node):
            return False
        new = [arg for arg in node.args if arg not in seen]
        seen.update(new)
        work += new
    return True
