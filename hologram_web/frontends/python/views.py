"""Rows and other parts of arrays: `row = x[i, :]`, `x[i]` of an array of two axes, `m[i][j]`.

A view is an array some of whose places are fixed. Where these are is in variables, which are assigned as often as its
name is; the array, and which axes it has, is the same each time. Indices are checked where an element is used.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .emit import ArrayRef
from .source import MISSING
from .types import INDEX, Value

if TYPE_CHECKING:
    from .expressions import Expressions
    from .statements import Statements

__all__ = ["INDICES", "along_axes", "check_literal", "element_of", "name_view", "place_named", "row_of"]

INDICES = "ijklmnop"  # what messages call the indices along axes


def element_of(kernel: Expressions, node: ast.Subscript) -> tuple[ArrayRef, ast.expr]:
    """The array and the index of `m[i, j]`, `m[i][j]` or `m[:, j][i]`."""
    array, places = _places(kernel, node, kernel.array)
    parts = [part for part in places if part is not None]
    whole = next((part for part in _parts(node) if isinstance(part, ast.Slice)), None)
    if whole is not None and len(parts) < len(places):
        text = ast.unparse(node)
        kernel.fail(
            whole, f"{text} is a part of an array, no element: name it, row = {text}, or loop over its elements"
        )
    return array, node.slice if len(parts) == 1 else ast.copy_location(ast.Tuple(parts, ast.Load()), node.slice)


def place_named(kernel: Expressions, node: ast.Subscript) -> tuple[ArrayRef, ast.expr] | None:
    """The same, and None for what is no element of an array."""
    array, places = _places(kernel, node, kernel.static)
    if not isinstance(array, ArrayRef) or None in places or len(places) > array.ndim:
        return None
    return element_of(kernel, node)


def row_of(kernel: Expressions, node: ast.expr, held: bool = True) -> ArrayRef | None:
    """The part of an array that an expression is: `x[i, :]`, or `x[i]` of an array of more axes; None for other things.

    With `held` its indices are computed here.
    """
    if not isinstance(node, ast.Subscript):
        return None
    array, places = _places(kernel, node, kernel.static)
    if not isinstance(array, ArrayRef) or None not in places or len(places) > array.ndim:
        return None
    fixed = list(array.fixed or [None] * array.ndim)
    for axis, part in zip(array.axes, places, strict=True):
        if part is not None:
            value = fixed[axis] = kernel.index(part) if held else Value(INDEX)
            if value.const is not None:
                check_literal(kernel, part, array.whole, axis, int(value.const))
    return replace(array, ndim=places.count(None), fixed=tuple(fixed), said=ast.unparse(node))


def _places(kernel: Expressions, node: ast.Subscript, find: Callable[[ast.expr], Any]) -> tuple[Any, list[Any]]:
    """The array and its indices, None along axes that are left whole; all that are given, if these are too many."""
    inner = node.value
    if isinstance(inner, ast.Subscript) and kernel.static(inner) is MISSING:
        array, places = _places(kernel, inner, find)
    else:
        array = find(inner)
        places = [None] * array.ndim if isinstance(array, ArrayRef) else []
    open_axes = [axis for axis, part in enumerate(places) if part is None]
    for number, part in enumerate(_parts(node)):
        if isinstance(part, ast.Starred) or (isinstance(part, ast.Slice) and (part.lower or part.upper or part.step)):
            kernel.scope.source.unsupported(part)
        if number >= len(open_axes):
            places.append(part)
        elif not isinstance(part, ast.Slice):
            places[open_axes[number]] = part
    return array, places


def _parts(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def name_view(kernel: Statements, target: ast.Name, view: ArrayRef, index: ast.expr) -> None:
    """`row = x[i, :]`, whose index is written there."""
    name, scope = target.id, kernel.scope
    known = scope.bound.get(name)
    if name in scope.registers or (known is not None and not (isinstance(known, ArrayRef) and known.fixed)):
        kernel.fail(target, f"{name} is in use already: give the part of {view.name} a name of its own")
    if known is not None and (known.whole, known.axes) != (view.whole, view.axes):
        other = f"{name} is a part of {known.name} elsewhere, along other axes or of another array than {view.said}"
        kernel.fail(target, f"{other}: give this one a name of its own")
    fixed = list(view.fixed)
    for axis, value in enumerate(fixed):
        if value is not None and (value.const is None or name not in scope.once):
            part = f"{name}.{axis}"
            kernel.assign_name(target, part, value, index)
            if part in scope.read:
                scope.read.add(name)
            lane = value.lane if name in scope.once else None
            fixed[axis] = Value(kernel.facts.types[scope.path, part], scope.registers[part], lane=lane)
    scope.bound[name] = replace(view, fixed=tuple(fixed), said=name)
    if scope.assigned is not None:
        scope.assigned.add(name)


def along_axes(
    array: ArrayRef, parts: Sequence[ast.expr], split: Sequence[Any], index: ast.expr
) -> tuple[list[ast.expr], list[Any]]:
    """The indices into a view, and where they are written, as those of the whole array."""
    given = iter(zip(parts, split, strict=True))
    found = [
        next(given) if at is None else (index, (at, 0) if at.const is None else (None, int(at.const)))
        for at in array.fixed
    ]
    return [part for part, _ in found], [place for _, place in found]


def check_literal(kernel: Expressions, node: ast.expr, array: ArrayRef, axis: int, number: int) -> None:
    """Refuses a literal that is no index along an axis of an array."""
    if number < 0:
        last = f"{array.name}.shape[{axis}] - {-number}" if array.ndim > 1 else f"len({array.name}) - {-number}"
        kernel.fail(node, f"the index {number} is negative: indices count from 0; from the end, write {last}")
    if array.shape is not None and number >= array.shape[axis]:
        kernel.fail(node, f"there is no element {number}: axis {axis} of {array.name} has {array.shape[axis]}")
