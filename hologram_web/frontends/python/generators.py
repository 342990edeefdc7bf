"""sum, any, all, min and max of constants, values with parts, arrays and their rows, and generators; rows that are
unpacked. Loaded when a kernel does so."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, Any

from .arithmetic import literal
from .compounds import AnyValue, Parts
from .emit import ArrayRef
from .iteration import elements, variables
from .names import shown
from .parts import shape_of
from .places import Reach, Spot
from .source import MISSING, Definition, constant, walk
from .types import Value, Weak
from .views import row_of

if TYPE_CHECKING:
    from .functions import Functions

__all__ = ["of_elements", "row_elements"]


def of_elements(kernel: Functions, call: ast.Call, called: Any) -> AnyValue:
    """sum(x), any(x), all(x), min(x) or max(x): of constants it is known while translating where its elements are, of
    arrays and generators it is the loop that one would write."""
    (node,) = call.args
    if not isinstance(node, ast.GeneratorExp):
        return _of_value(kernel, call, node, called)
    if called in (min, max):
        kernel.fail(call, f"{called.__name__} of none has no value: write a loop, which starts with the first one")
    first, *more = node.generators
    counts = isinstance(first.iter, ast.Call) and kernel.static(first.iter.func) is range
    computed = any(isinstance(part, ast.Tuple) and kernel.static(part) is MISSING for part in walk(first.iter))
    known = None if counts or more or first.ifs or computed else elements(kernel, first.iter)
    if known is None or not all(map(_is_known, known)) or (called is not sum and not kernel.pure(node.elt)):
        return _looped(kernel, node, called)
    bound = kernel.scope.bound
    before = dict(bound)

    def value(element: Any) -> AnyValue:
        bound.update(variables(kernel, first.target, element))
        return kernel.any_value(node.elt)

    if called is sum:
        result: AnyValue = literal(0)
        for element in known:
            result = kernel.combined(node, ast.Add(), result, value(element))
    else:
        result = _decided(kernel, [lambda element=element: (node.elt, value(element)) for element in known], called)  # type: ignore[misc]
    bound.clear()
    bound.update(before)
    return result


def _of_value(kernel: Functions, call: ast.Call, node: ast.expr, called: Any) -> AnyValue:
    """Of an array or a row, of a constant tuple, or of a value with parts."""
    name, found = called.__name__, kernel.static(node)
    array = found if isinstance(found, ArrayRef) else row_of(kernel, node, held=False) if found is MISSING else None
    if array is not None:
        if array.ndim > 1 or (array.element is not None and array.element.parts):
            what = f"{array.ndim}-D" if array.ndim > 1 else f"of {shown(array.means)}"
            kernel.fail(node, f"{array.title} is {what}, and {name} is of the numbers along one axis: write a loop")
        from . import library

        found = kernel.inline(call, kernel.definition(getattr(library, f"{name}_of_array")))
        assert found is not None
        return found
    known = constant(found)
    if isinstance(known, tuple) and known and not any(isinstance(part, (tuple, complex)) for part in known):
        if called in (min, max):
            kind = Weak.FLOAT if any(isinstance(number, float) for number in known) else Weak.INT
            return kernel._extreme(name, kind, list(known)) or literal(known[0])
        return kernel.object_value(node, called(known))
    value = kernel.any_value(node)
    if not isinstance(value, Parts) or not value.form.indexed:
        what = f"{name} is of tuples, vectors, arrays, rows and generators, and this is {shape_of(value)}"
        kernel.fail(node, f"{what}: give it two numbers or more" if called in (min, max) else what)
    parts = value.form.elements(value)
    if called in (min, max):
        if not parts:
            kernel.fail(node, f"{name} is of something: here is nothing")
        return kernel.of_parts(
            call, lambda *numbers: kernel._math(call, name, [node] * len(parts), numbers), list(parts)
        )
    if called is sum:
        zero: AnyValue = literal(0)
        return reduce(lambda total, part: kernel.combined(call, ast.Add(), total, part), parts, zero)
    return _decided(kernel, [lambda part=part: (node, part) for part in parts], called)  # type: ignore[misc]


def _decided(kernel: Functions, conditions: Iterable[Callable[[], tuple[ast.expr, AnyValue]]], called: Any) -> Value:
    """any or all of conditions, which are computed one after another up to one that is known to decide."""
    result = literal(called is all)
    for made in conditions:
        node, value = made()
        if isinstance(value, Parts):
            kernel.no_number(node, value)
        if value.const is not None:
            if bool(value.const) is (called is any):
                return literal(called is any)
            continue
        test = kernel.truth(node, value)
        result = (
            Value(Weak.BOOL, pred=test)
            if result.pred is None
            else kernel.both("POR" if called is any else "PAND", result.pred, test)
        )
    return result


def _is_known(element: Any) -> bool:
    if isinstance(element, tuple):
        return all(map(_is_known, element))
    return not isinstance(element, Parts) and (not isinstance(element, Value) or element.const is not None)


def _looped(kernel: Functions, node: ast.GeneratorExp, called: Any) -> Value:
    """The loop, as a function without parameters."""
    if node not in kernel.facts.loops:
        total, results = f"{called.__name__}.result", (ast.Constant(called is any), ast.Constant(called is all))
        inner: ast.stmt = ast.AugAssign(ast.Name(total, ast.Store()), ast.Add(), node.elt)
        if called is not sum:
            test = node.elt if called is any else ast.UnaryOp(ast.Not(), node.elt)
            inner = ast.If(test, [ast.Return(results[0])], [])
        for part in reversed(node.generators):
            for test in reversed(part.ifs):
                inner = ast.If(test, [inner], [])
            inner = ast.For(part.target, part.iter, [inner], [])
        start = ast.Assign([ast.Name(total, ast.Store())], ast.Constant(0))
        end = ast.Return(ast.Name(total, ast.Load()) if called is sum else results[1])
        nothing = ast.arguments([], [], None, [], [], None, [])
        made = ast.FunctionDef(called.__name__, nothing, [start, inner, end], [], None, None)
        call = ast.Call(ast.Name(called.__name__, ast.Load()), [], [])
        for each in (*ast.walk(made), *ast.walk(call)):
            if "lineno" in each._attributes and not hasattr(each, "lineno"):
                ast.copy_location(each, node)
        kernel.facts.loops[node] = call, made
    call, made = kernel.facts.loops[node]
    found = kernel.inline(call, Definition(made, kernel.scope.source, around=kernel.scope))
    assert isinstance(found, Value)
    return found


def row_elements(kernel: Functions, node: ast.expr, count: int) -> list[AnyValue] | None:
    """The elements of an array or a row that is unpacked to so many names, which is its length; None for other
    things."""
    found = kernel.static(node)
    array = row_of(kernel, node) if found is MISSING else found
    if not isinstance(array, ArrayRef) or array.ndim != 1:
        return None
    length = kernel.length(array, 0)
    if length.const is None:  # a longer one is no less a mistake
        kernel.emit("CHK", length.reg, count, "values_to_unpack", 0, -1)
    elif length.const != count:
        kernel.fail(node, f"{array.title} has {length.const} elements, and here are {count} names")
    numbers = (ast.copy_location(ast.Constant(number), node) for number in range(count))
    with ExitStack() as kept:
        for place in (*array.fixed, *chain.from_iterable(ends or () for ends in array.cut)):
            kept.enter_context(kernel.pinned(place))
        return [Reach(kernel, Spot(array, number, array.means)).load() for number in numbers]
