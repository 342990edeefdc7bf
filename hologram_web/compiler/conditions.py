"""Conditions, which a launch decides, or a block before its lanes run: nodes of 64 bits, computed exactly."""

from __future__ import annotations

from collections.abc import Iterable
from operator import ge

from ..isa.types import Type
from .ir import Node
from .operations import ADDS, OPERATIONS

__all__ = ["EXACT", "open_conditions", "shown", "strictest"]

_LONG = Type.I64
# All that conditions are made of, besides leaves and constants.
EXACT = {name: row.exact for name, row in OPERATIONS.items() if row.exact is not None}


def open_conditions(conditions: Iterable[Node]) -> list[Node] | None:
    """Those that a launch decides: what always holds is left out. None if one of them never holds."""
    found: list[Node] = []
    for condition in conditions:
        if not condition.is_const:
            found.append(condition)
        elif not condition.attr:
            return None
    return found


_DEEPEST_SHOWN = 8


def shown(condition: Node, depth: int = 0) -> str:
    """A condition as text, in bytes and coordinates; what is nested deeply is left out."""
    if depth > _DEEPEST_SHOWN and condition.args:
        return "..."
    match condition.op:
        case "param":
            return str(condition.attr)
        case "special" if isinstance(condition.attr, str):
            return condition.attr.lower()
        case "special":
            base, need = condition.attr[1:]
            return f"bytes of {base} - {need - 1}" if need > 1 else f"bytes of {base}"
        case "cvt":
            return shown(condition.args[0], depth)
        case op if condition.is_const and isinstance(condition.ty, Type):
            return str(condition.ty.decode(condition.attr))
        case op:
            texts = [shown(arg, depth + 1) for arg in condition.args]
            if op not in _SIGNS:
                return f"{op}({', '.join(texts)})"
            if op in ("mul", "sub", "div"):
                sums = [arg.op in ADDS for arg in condition.args]
                texts = [f"({text})" if is_sum else text for text, is_sum in zip(texts, sums, strict=True)]
            return f" {_SIGNS[op]} ".join(texts)


_SIGNS = {name: row.sign for name, row in OPERATIONS.items() if row.sign}


def strictest(conditions: Iterable[Node]) -> list[Node]:
    """Of conditions that differ in constants only those that say all the others: a limit of min(x + 7, y) says that of
    min(x + 3, y). That factors of products are not negative are conditions of their own."""
    found: dict[object, list[tuple[list[int], Node]]] = {}
    for condition in conditions:
        (left, right), less, more = condition.args, list[int](), list[int]()
        shape = _shape(left, 1, less), _shape(right, -1, more)
        # The greater they are, the more it says.
        numbers = [less[0] + more[0] + int(condition.op == "lt"), *less[1:], *more[1:]]
        alike = found.setdefault(shape, [])
        if not any(all(map(ge, others, numbers)) for others, _ in alike[:_MOST_ALIKE]):
            alike[:] = [each for each in alike if not all(map(ge, numbers, each[0]))]
            alike.append((numbers, condition))
    return [condition for alike in found.values() for _, condition in alike]


_MOST_ALIKE = 64
_DEEPEST = 6  # of what conditions are looked into: what they are made of may be used twice, and that again


def _shape(node: Node, sign: int, numbers: list[int], depth: int = 0) -> object:
    """A value without what is added in it, which goes to `numbers`, times -1 where the value falls with it if `sign` is
    1, or grows if it is -1."""
    (inner, factor), plus = _parts(node)
    numbers.append(sign * plus)
    grows = 0 if inner is None else OPERATIONS[inner.op].grows
    if inner is None or not grows or depth == _DEEPEST:
        return inner, factor
    signs = (1, grows)
    sign = sign if factor >= 0 else -sign
    args = [_shape(arg, sign * each, numbers, depth + 1) for arg, each in zip(inner.args, signs, strict=False)]
    return inner.op, inner.attr, factor, *args


def _parts(node: Node) -> tuple[tuple[Node | None, int], int]:
    """A value as a node times a number, plus a number."""
    if node.is_const:
        return (None, 0), int(_LONG.decode(node.attr))
    for one, other in (node.args, node.args[::-1]) if node.op in ("add", "mul") else ():
        if other.is_const:
            number = int(_LONG.decode(other.attr))
            (inner, factor), plus = _parts(one)
            return ((inner, factor), plus + number) if node.op == "add" else ((inner, factor * number), plus * number)
    return (node, 1), 0
