"""What `for` goes over besides ranges: constant tuples and texts, arrays, and enumerate, zip and reversed of these."""

from __future__ import annotations

import ast
from math import prod
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .arithmetic import literal, trips_of
from .compounds import Parts, PartsType
from .emit import ArrayRef
from .expressions import ArrayShape
from .names import INTRINSICS, Intrinsic
from .source import MISSING, Definition, constant
from .types import Value
from .views import name_view, row_of

if TYPE_CHECKING:
    from .statements import Statements

__all__ = ["elements", "over_arrays", "rounds", "variables"]

_ROUNDS = 16_384  # of loops over constants in each other


def rounds(kernel: Statements, node: ast.AST, count: int) -> None:
    """Refuses a loop that would be written out too often."""
    most = prod([*kernel.rounds, count])
    if most > _ROUNDS:
        kernel.fail(
            node,
            f"loops over constants are written out, those in each other at most {_ROUNDS} times in all, not {most}: "
            "let one count with range",
        )


def _range(kernel: Statements, node: ast.AST, numbers: list[int]) -> tuple[Any, ...]:
    counted = range(*numbers)
    rounds(kernel, node, trips_of(counted.start, counted.stop, counted.step))
    return tuple(map(literal, counted))


def elements(kernel: Statements, node: ast.expr) -> tuple[Any, ...] | None:
    """The elements of what is known while translating, and of values with parts; None for other things."""
    if not isinstance(node, ast.Call):
        found = kernel.static(node)
        if isinstance(found, ArrayShape):
            return _elements_of_value(kernel, node)
        computed = isinstance(node, (ast.Tuple, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Attribute))
        if (computed and found is MISSING) or isinstance(found, Parts) or kernel.part_of(node):
            return _elements_of_value(kernel, node)
        return tuple(found) if isinstance(found, (tuple, str)) else None
    called = kernel.static(node.func)
    if called is INTRINSICS["static_range"]:
        numbers = [_known(kernel, part) for part in node.args]
        if node.keywords or not 1 <= len(numbers) <= 3 or numbers[2:] == [0]:
            kernel.fail(node, "write hg.static_range(stop), or (start, stop) or (start, stop, step): the step is not 0")
        return _range(kernel, node, numbers)
    if called is range and not node.keywords:
        numbers = [kernel.scope.source.fold(part) for part in node.args]
        known = all(isinstance(number, int) for number in numbers)
        return _range(kernel, node, numbers) if known and 0 < len(numbers) < 4 and numbers[2:] != [0] else None
    if called not in (enumerate, zip, reversed):
        loads = isinstance(node.func, ast.Attribute) and node.func.attr == "load"
        makes = loads or isinstance(called, (FunctionType, Definition, Intrinsic, PartsType))
        return _elements_of_value(kernel, node) if makes else None
    first, *start = _parts(kernel, node, called)
    parts = [elements(kernel, part) for part in (node.args if called is zip else [first])]
    if any(part is None for part in parts):
        return None
    known_parts: list[tuple[Any, ...]] = [part for part in parts if part is not None]
    if called is zip:
        return tuple(zip(*known_parts, strict=False))
    if called is reversed:
        return known_parts[0][::-1]
    begin = kernel.scope.source.fold(start[0]) if start else 0
    if begin is MISSING or isinstance(begin, (float, tuple)):
        kernel.fail(node, "enumerate starts with an integer that is known while translating")
    return tuple((literal(number), part) for number, part in enumerate(known_parts[0], begin))


def variables(kernel: Statements, target: ast.expr, element: Any) -> dict[str, Any]:
    """What the variables of a loop that is written out are in one round: values, tuples and texts."""
    names = [target] if isinstance(target, ast.Name) else list(getattr(target, "elts", []))
    parts = element.form.elements(element) if isinstance(element, Parts) else element
    parts = (element,) if isinstance(target, ast.Name) else parts
    if not isinstance(parts, tuple) or len(parts) != len(names) or not names:
        kernel.fail(target, f"{element!r} is not unpacked to {len(names)} names")
    found = {}
    for name, part in zip(names, parts, strict=True):
        if not isinstance(name, ast.Name):
            kernel.fail(name, "the variables of a loop are names")
        known = part if isinstance(part, (str, Value, Parts)) else constant(part)
        found[name.id] = known if isinstance(known, (str, tuple, Value, Parts)) else kernel.object_value(name, known)
    return found


def _elements_of_value(kernel: Statements, node: ast.expr) -> tuple[Any, ...] | None:
    value = kernel.any_value(node)
    return value.form.elements(value) if isinstance(value, Parts) and value.form.indexed else None


def _known(kernel: Statements, node: ast.expr) -> int:
    number = kernel.value(node).const
    if not isinstance(number, int):
        kernel.fail(node, "hg.static_range counts integers that are known while translating: else write range")
    return number


def _parts(kernel: Statements, node: ast.Call, called: Any) -> list[ast.expr]:
    """The arguments of enumerate, zip and reversed. Raises TranslateError."""
    given = [
        *node.args,
        *(keyword.value for keyword in node.keywords if keyword.arg == "start" and called is enumerate),
    ]
    wrong = len(given) < len(node.args) + len(node.keywords) or any(isinstance(part, ast.Starred) for part in given)
    least, most, form = {enumerate: (1, 2, "enumerate(x)"), zip: (1, 64, "zip(x, y)"), reversed: (1, 1, "reversed(x)")}[
        called
    ]
    if wrong or not least <= len(given) <= most:
        name, _, rest = form.partition("(")
        kernel.fail(node, kernel.counted(name, rest[:-1], len(given), least))
    return given


def over_arrays(kernel: Statements, node: ast.For) -> ast.For | None:
    """A loop over arrays of one axis as one over a range, that reads the elements first; None for a loop over others.

    Its variable is one that no text can name.
    """
    call, backwards, begin = node.iter, False, None
    called = kernel.static(call.func) if isinstance(call, ast.Call) else None
    arrays: list[ast.expr] = [call]
    target: ast.expr | None = node.target
    counter: ast.expr | None = None
    if isinstance(call, ast.Call) and called in (enumerate, zip, reversed):
        arrays = _parts(kernel, call, called)
        backwards = called is reversed
        if called is enumerate:
            if not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
                kernel.fail(node.target, "enumerate gives two values: for i, v in enumerate(x)")
            counter, target = node.target.elts
            arrays, begin = arrays[:1], arrays[1] if len(arrays) > 1 else None
        if backwards and isinstance(arrays[0], ast.Call) and kernel.static(arrays[0].func) is range:
            return _backwards(kernel, node, arrays[0])
    arrays = [_named(kernel, part, number) for number, part in enumerate(arrays)]
    found = [kernel.static(part) for part in arrays]
    if not all(isinstance(array, ArrayRef) for array in found):
        return None
    for part, array in zip(arrays, found, strict=True):
        if array.ndim != 1:
            kernel.fail(part, f"{array.title} is {array.ndim}-D, and for goes over arrays of one axis: loop over range")
    at = f"{'.'.join(array.title for array in found)}.at"
    kernel.scope.local_names.add(at)
    lengths = [_call("len", part) for part in arrays]
    count = lengths[0] if len(lengths) == 1 else _call("min", *lengths)
    here: ast.expr = ast.Name(at, ast.Load())
    place = ast.BinOp(ast.BinOp(count, ast.Sub(), ast.Constant(1)), ast.Sub(), here) if backwards else here
    values = [ast.Subscript(part, place, ast.Load()) for part in arrays]
    value = values[0] if called is not zip else ast.Tuple(list(values), ast.Load())
    body: list[ast.stmt] = [ast.Assign([target], value)] if target is not None else []
    if counter is not None:
        body.append(ast.Assign([counter], here if begin is None else ast.BinOp(here, ast.Add(), begin)))
    made = ast.For(ast.Name(at, ast.Store()), _call("range", count), [*body, *node.body], node.orelse)
    new: list[ast.AST] = [made, made.target, *ast.walk(made.iter)]
    for line in body:
        new += ast.walk(line)
    for each in new:
        ast.copy_location(each, node.iter)
    return made


def _named(kernel: Statements, node: ast.expr, number: int) -> ast.expr:
    """`x[i]` of `for v in x[i]`, a row that is found once, by a name that no text has."""
    row = row_of(kernel, node)
    if row is None or not isinstance(node, ast.Subscript):
        return node
    name = ast.copy_location(ast.Name(f"{ast.unparse(node)}.{number}", ast.Store()), node)
    name_view(kernel, name, row, node.slice)
    return ast.copy_location(ast.Name(name.id, ast.Load()), node)


def _backwards(kernel: Statements, node: ast.For, call: ast.Call) -> ast.For:
    """`for i in reversed(range(a, b))`."""
    if len(call.args) > 2 or call.keywords:
        kernel.fail(call, "reversed takes a range without a step: write the range that counts down")
    low, high = ([ast.Constant(0)] if len(call.args) == 1 else []) + list(call.args)
    one = ast.Constant(1)
    down = _call("range", ast.BinOp(high, ast.Sub(), one), ast.BinOp(low, ast.Sub(), one), ast.UnaryOp(ast.USub(), one))
    made = ast.For(node.target, down, node.body, node.orelse)
    for part in (made, *ast.walk(down)):
        ast.copy_location(part, node.iter)
    return made


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
