"""sum, any and all of constants and of generators."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .arithmetic import literal
from .compounds import Parts
from .iteration import elements, variables
from .source import MISSING, Definition, constant, walk
from .types import Value, Weak

if TYPE_CHECKING:
    from .functions import Functions

__all__ = ["of_elements"]


def of_elements(kernel: Functions, node: ast.expr, called: Any) -> Value:
    """sum(t), any(t) or all(t) of a constant tuple or of a generator: of constants it is known while translating where
    its elements are, else it is the loop that one would write."""
    if not isinstance(node, ast.GeneratorExp):
        found = constant(kernel.static(node))
        if not isinstance(found, tuple) or any(isinstance(part, tuple) for part in found):
            what = f"{called.__name__} is of constant tuples and of generators here: of the elements of an array, write"
            kernel.fail(node, f"{what} {called.__name__}(v for v in x)")
        return kernel.object_value(node, called(found))  # type: ignore[return-value]
    first, *more = node.generators
    counts = isinstance(first.iter, ast.Call) and kernel.static(first.iter.func) is range
    computed = any(isinstance(part, ast.Tuple) and kernel.static(part) is MISSING for part in walk(first.iter))
    known = None if counts or more or first.ifs or computed else elements(kernel, first.iter)
    if known is None or not all(map(_is_known, known)) or (called is not sum and not kernel.pure(node.elt)):
        return _looped(kernel, node, called)
    result, bound = literal(0 if called is sum else called is all), kernel.scope.bound
    before = dict(bound)
    for element in known:
        bound.update(variables(kernel, first.target, element))
        value = kernel.value(node.elt)
        if called is sum:
            result = kernel.binary(node, ast.Add(), result, value)
            continue
        if value.const is not None:
            if bool(value.const) is (called is any):
                result = literal(called is any)
                break
            continue
        test = kernel.truth(node.elt, value)
        result = (
            Value(Weak.BOOL, pred=test)
            if result.pred is None
            else kernel.both("POR" if called is any else "PAND", result.pred, test)
        )
    bound.clear()
    bound.update(before)
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
