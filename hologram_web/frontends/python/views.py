"""Rows and other parts of arrays: `row = x[i, :]`, `x[i]` of an array of two axes, `m[i][j]`, `x[i, 2:10]`.

A view is an array some of whose places are fixed, and of whose other axes it may have a part. Where these are is in
variables, which are assigned as often as its name is; the array, and which axes it has, is the same each time. Indices
are checked where an element is used.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...isa.types import Type
from .arithmetic import literal
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
    if not isinstance(array, ArrayRef) or any(map(_is_open, places)) or len(places) > array.ndim:
        return None
    return element_of(kernel, node)


def row_of(kernel: Expressions, node: ast.expr, held: bool = True) -> ArrayRef | None:
    """The part of an array that an expression is: `x[i, :]`, or `x[i]` of an array of more axes; None for other things.

    With `held` its indices are computed here.
    """
    if not isinstance(node, ast.Subscript):
        return None
    array, places = _places(kernel, node, kernel.static)
    if not isinstance(array, ArrayRef) or not any(map(_is_open, places)) or len(places) > array.ndim:
        return None
    fixed, cut = list(array.fixed or [None] * array.ndim), list(array.cut or [None] * len(array.whole.axes))
    for number, (axis, part) in enumerate(zip(array.axes, places, strict=True)):
        if isinstance(part, ast.Slice):
            cut[axis] = _cut(kernel, part, array, number) if held else None
        elif part is not None:
            value = fixed[axis] = kernel.index(part) if held else Value(INDEX)
            if value.const is not None:
                check_literal(kernel, part, array.whole, axis, int(value.const))
            if held and (ends := cut[axis]) is not None:
                within: list[tuple[Any, ...]] = []
                place = _shifted(kernel, part, array, axis, _place(value), ends, within)
                fixed[axis], cut[axis] = _summed(kernel, part, *place), None
                for operands in within:
                    kernel.emit("CHK", *operands)
    ndim = sum(part is None or isinstance(part, ast.Slice) for part in places)
    return replace(array, ndim=ndim, fixed=tuple(fixed), cut=tuple(cut), said=ast.unparse(node))


def _cut(kernel: Expressions, part: ast.Slice, array: ArrayRef, axis: int) -> tuple[Value, Value]:
    """The first place, in the whole array, and the length of `x[first:stop]`: as in Python what is beyond the axis is
    left out. Places are not counted from the end."""
    if part.step is not None:
        kernel.fail(part.step, "a part of an array has no step: loop over range(first, stop, step)")
    length, ends = kernel.length(array, axis), []
    for end in (part.lower, part.upper):
        value = None if end is None else kernel.index(end)
        if end is not None and value is not None and value.const is not None and value.const < 0:
            check_literal(kernel, end, replace(array, shape=None), axis, int(value.const))
        if value is not None and value.const is None and value.ty in (Type.U32, Type.I64, Type.U64):
            ty: Any = value.ty  # what has other bits as an index is beyond the axis
            held = kernel.op("MIN", ty, kernel.register(part, value, ty), kernel.immediate(ty, INDEX.max_value))
            value = Value(ty, kernel.op("MAX", ty, held, kernel.immediate(ty, max(ty.min_value, INDEX.min_value))))
        if value is not None and (value.const is None or isinstance(value.ty, Type)):
            value = kernel.conform(end or part, value, INDEX)  # type: ignore[assignment]  # a number is one
        ends.append(value)
    first, stop = ends[0] or literal(0), length if ends[1] is None else _extreme(kernel, part, "MIN", ends[1], length)
    first = first if first.const == 0 else _extreme(kernel, part, "MIN", first, length)
    size = stop
    if first.const != 0:
        with kernel.pinned(first):
            size = _extreme(kernel, part, "MAX", kernel.binary(part, ast.Sub(), stop, first), literal(0))
    before = array.cut[array.axes[axis]] if array.cut else None
    return first if before is None else kernel.binary(part, ast.Add(), before[0], first), size


def _extreme(kernel: Expressions, node: ast.AST, name: str, a: Value, b: Value) -> Value:
    """MIN or MAX of two lengths."""
    if a.const is not None and b.const is not None:
        return Value(INDEX, const=(min if name == "MIN" else max)(a.const, b.const))
    return Value(INDEX, kernel.op(name, INDEX, *(kernel.register(node, v, INDEX) for v in (a, b)), keep=True))


def _places(kernel: Expressions, node: ast.Subscript, find: Callable[[ast.expr], Any]) -> tuple[Any, list[Any]]:
    """The array and its indices, None along axes that are left whole; all that are given, if these are too many."""
    inner = node.value
    if isinstance(inner, ast.Subscript) and kernel.static(inner) is MISSING:
        array, places = _places(kernel, inner, find)
    else:
        array = find(inner)
        places = [None] * array.ndim if isinstance(array, ArrayRef) else []
    open_axes = [axis for axis, part in enumerate(places) if _is_open(part)]
    for number, part in enumerate(_parts(node)):
        if isinstance(part, ast.Starred):
            kernel.scope.source.unsupported(part)
        if number >= len(open_axes):
            places.append(part)
        elif not isinstance(part, ast.Slice) or part.lower or part.upper or part.step:
            if isinstance(places[open_axes[number]], ast.Slice):
                kernel.fail(node, f"give it a name first, part = {ast.unparse(inner)}")
            places[open_axes[number]] = part
    return array, places


def _is_open(part: ast.expr | None) -> bool:
    """Whether an axis stays, or a part of it."""
    return part is None or isinstance(part, ast.Slice)


def _parts(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def name_view(kernel: Statements, target: ast.Name, view: ArrayRef, index: ast.expr) -> None:
    """`row = x[i, :]`, whose index is written there."""
    name, scope = target.id, kernel.scope
    known = scope.bound.get(name)
    if name in scope.registers or (known is not None and not (isinstance(known, ArrayRef) and known.fixed)):
        kernel.fail(target, f"{name} is in use already: give the part of {view.name} a name of its own")
    if known is not None and any(part(known) != part(view) for part in (_whole, _axes)):
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
    cut = list(view.cut)
    for axis, ends in enumerate(cut):
        if ends is not None:
            cut[axis] = tuple(_kept(kernel, target, f"{name}.{axis}.{k}", end, index) for k, end in enumerate(ends))  # type: ignore[assignment]
    scope.bound[name] = replace(view, fixed=tuple(fixed), cut=tuple(cut), said=name)
    if scope.assigned is not None:
        scope.assigned.add(name)


def _kept(kernel: Statements, target: ast.Name, name: str, value: Value, index: ast.expr) -> Value:
    """A number of a view in a variable of its own."""
    if value.const is not None and target.id in kernel.scope.once:
        return value
    kernel.assign_name(target, name, Value(INDEX, kernel.register(index, value, INDEX)), index)
    return Value(INDEX, kernel.scope.registers[name])


def along_axes(
    kernel: Expressions,
    array: ArrayRef,
    parts: Sequence[ast.expr],
    split: Sequence[Any],
    index: ast.expr,
    within: list[tuple[Any, ...]],
) -> tuple[list[ast.expr], list[Any]]:
    """The indices into a view, and where they are written, as those of the whole array. `within` gets the operands of
    the CHKs that indices into parts of axes are on these."""
    given = iter(zip(parts, split, strict=True))
    found: list[Any] = []
    for axis, at in enumerate(array.fixed):
        part, place = next(given) if at is None else (index, _place(at))
        cut = array.cut[axis] if at is None and array.cut else None
        value, offset = place if cut is None else _shifted(kernel, part, array, axis, place, cut, within)
        if axis < len(array.fixed) - 1:  # addresses have room for the literal of the last one
            value, offset = _summed(kernel, part, value, offset), 0
        found.append((part, (value, offset) if value is None or value.const is None else (None, int(value.const))))
    return [part for part, _ in found], [place for _, place in found]


def _summed(kernel: Expressions, node: ast.expr, value: Value | None, offset: int) -> Value:
    """A place and what is added to it as one number."""
    if value is None or not offset:
        return value or Value(INDEX, const=offset)
    held, more = kernel.register(node, value, INDEX), kernel.immediate(INDEX, offset)
    return Value(INDEX, kernel.op("ADD", INDEX, held, more, keep=True))


def _place(value: Value) -> tuple[Value | None, int]:
    return (value, 0) if value.const is None else (None, int(value.const))


def _shifted(
    kernel: Expressions,
    node: ast.expr,
    array: ArrayRef,
    axis: int,
    place: tuple[Value | None, int],
    cut: tuple[Value, Value],
    within: list[tuple[Any, ...]],
) -> tuple[Value | None, int]:
    """The place along an axis of an index into a part of it."""
    (value, offset), (first, length) = place, cut
    if value is None:
        check_literal(kernel, node, array, axis, offset, length)
    size = length.reg if length.const is None else int(length.const)
    if value is None and kernel.axes and length.const is None:
        within.append((offset, size, array.name, axis))
    if value is None:
        return (None, offset + int(first.const)) if first.const is not None else (first, offset)
    register = kernel.register(node, value, INDEX)
    if kernel.axes:
        within.append((register, size, array.name, axis, offset))
    if first.const is not None:
        return Value(INDEX, register), offset + int(first.const)
    start = kernel.register(node, first, INDEX)
    return Value(INDEX, kernel.op("ADD", INDEX, register, start, keep=True)), offset


def _whole(array: ArrayRef) -> Any:
    return array.whole


def _axes(array: ArrayRef) -> Any:
    return array.axes, [ends is None for ends in array.cut]


def check_literal(
    kernel: Expressions, node: ast.expr, array: ArrayRef, axis: int, number: int, length: Value | None = None
) -> None:
    """Refuses a literal that is no index along an axis of an array, or a part of it that has a length of its own."""
    if number < 0:
        name = array.name if length is None else array.title
        last = f"{name}.shape[{axis}] - {-number}" if array.ndim > 1 else f"len({name}) - {-number}"
        kernel.fail(node, f"the index {number} is negative: indices count from 0; from the end, write {last}")
    known = length.const if length is not None else array.shape[axis] if array.shape is not None else None
    if known is not None and number >= known:
        what = f"axis {axis} of {array.name}" if length is None else array.title
        kernel.fail(node, f"there is no element {number}: {what} has {known}")
