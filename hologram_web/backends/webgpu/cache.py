"""Kernels for webgpu as they are kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...compiler.ir import PRED, Node
from ...compiler.operations import OPERATIONS
from ...isa.address import ON_CHIP
from ...isa.types import Type
from ...isa.verify import Base
from ...store.kept import (
    CODE,
    FLAG,
    TEXT,
    WHOLE,
    Form,
    Tail,
    list_of,
    mapped,
    optional,
    record,
    tuple_of,
)
from ...targets.wgsl import Proven, WgslKernel
from ..compiled import Job
from ..forms import BASE, SCALARS, TYPE

__all__ = ["WGSL_KERNEL", "fits"]

_MOST = 1 << 16  # of the operations of conditions, each counted as often as it is computed

# What nodes of conditions hold besides values, by operation, and how many values they take.
_LIMIT = tuple_of(TEXT, BASE, WHOLE)
_SPECIAL: Form[Any] = Form(
    lambda attr, tail: (TEXT if isinstance(attr, str) else _LIMIT).pack(attr, tail),
    lambda item, tail: (TEXT if isinstance(item, str) else _LIMIT).unpack(item, tail),
)
_ROWS: dict[str, tuple[Form[Any], int]] = {
    name: (optional(TYPE), 2) for name, row in sorted(OPERATIONS.items()) if row.exact is not None
}
_ROWS |= {"const": (mapped(WHOLE, int, int), 0), "param": (TEXT, 0), "special": (_SPECIAL, 0), "cvt": (TYPE, 1)}
_RESULTS: dict[object, Any] = {None: PRED} | {ty.id: ty for ty in Type if ty.is_integer}


def _pack(conditions: tuple[Node, ...], tail: bytearray) -> list[Any]:
    """Nodes as rows, each behind those that it takes; then the numbers of the conditions."""
    rows: list[Any] = []
    numbers: dict[Node, int] = {}

    def number(node: Node) -> int:
        if node not in numbers:
            if node.op not in _ROWS:
                raise ValueError(f"{node.op} is no operation of conditions")
            args = [number(arg) for arg in node.args]
            attr = _ROWS[node.op][0].pack(node.attr, tail)
            rows.append([node.op, node.ty.id if isinstance(node.ty, Type) else None, args, attr])
            numbers[node] = len(numbers)
        return numbers[node]

    return [rows, [number(condition) for condition in conditions]]


def _unpack(item: Any, tail: Tail) -> tuple[Node, ...]:
    nodes: list[Node] = []
    costs: list[int] = []

    def taken(numbers: Any) -> list[Node]:
        if type(numbers) is not list or not all([type(n) is int and 0 <= n < len(nodes) for n in numbers]):
            raise ValueError(f"{numbers!r} are no nodes")
        return [nodes[n] for n in numbers]

    try:
        rows, roots = item
        for op, result, args, attr in rows:
            form, count = _ROWS[op]
            ty = _RESULTS[result]
            node = Node(op, ty, tuple(taken(args)), form.unpack(attr, tail))
            if len(args) != count or (op == "const" and node.attr >> (1 if ty == PRED else ty.bits)):
                raise ValueError(f"{op} of {len(args)} is no condition")
            nodes.append(node)
            costs.append(1 + sum([costs[n] for n in args]))
        conditions = taken(roots)
    except (KeyError, TypeError) as error:  # no such operation or type, or no list
        raise ValueError(f"no conditions: {error!r}") from None
    if sum([costs[n] for n in roots]) > _MOST:
        raise ValueError("conditions without end")
    return tuple(conditions)


_CONDITIONS: Form[tuple[Node, ...]] = Form(_pack, _unpack)

_PROVEN: Form[Proven] = record(Proven, {"code": CODE, "conditions": _CONDITIONS, "blocks": WHOLE, "counts": FLAG})

WGSL_KERNEL: Form[WgslKernel] = record(
    WgslKernel,
    {
        "code": CODE,
        "scalars": SCALARS,
        "bases": list_of(BASE),
        "groups": list_of(list_of(BASE)),
        "written": list_of(FLAG),
        "block": tuple_of(WHOLE, WHOLE, WHOLE),
        "further": list_of(tuple_of(WHOLE, WHOLE)),
        "words": WHOLE,
        "scratch": WHOLE,
        "fast": mapped(list_of(_PROVEN), list, tuple),
        "cost": WHOLE,
        "counts": FLAG,
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
        and all(fast.blocks > 0 for fast in kernel.fast)
        and _knows(kernel)
    )


def _knows(kernel: WgslKernel) -> bool:
    """Whether `proven` can compute all conditions."""
    specials, scalars = kernel.specials((1, 1, 1), (1, 1, 1), 0, 0), set(kernel.scalars)
    knows: dict[str, Callable[[Node], bool]] = {
        "param": lambda node: (node.attr, node.ty) in scalars,
        "special": lambda node: (
            node.attr in specials
            if isinstance(node.attr, str)
            else node.attr[1].space in ON_CHIP or node.attr[1] in kernel.bases
        ),
    }
    work = [condition for fast in kernel.fast for condition in fast.conditions]
    seen = set(work)
    while work:
        node = work.pop()
        if node.op in knows and not knows[node.op](node):
            return False
        new = [arg for arg in node.args if arg not in seen]
        seen.update(new)
        work += new
    return True
