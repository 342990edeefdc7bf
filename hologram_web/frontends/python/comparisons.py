"""Comparisons of constants that are no numbers, types and texts: they are known while translating."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ...isa.types import Type
from .arithmetic import literal
from .types import Value

if TYPE_CHECKING:
    from .expressions import Expressions

__all__ = ["compared_constants"]

_OF_TYPES = {ast.Is: True, ast.Eq: True, ast.In: True, ast.IsNot: False, ast.NotEq: False, ast.NotIn: False}
_OF_TEXTS = {ast.Eq: True, ast.In: True, ast.NotEq: False, ast.NotIn: False}
_AMONG = (ast.In, ast.NotIn)


def compared_constants(kernel: Expressions, node: ast.Compare) -> Value:
    """`T is hg.f32`, `T in (hg.f32, hg.f64)`, `MODE == "fast"`, `MODE in ("fast", "slow")` and their opposites."""
    operator, right = type(node.ops[0]), node.comparators[0]
    left, found = kernel.static(node.left), _listed(kernel, right)
    is_text = not isinstance(left, Type)
    kind, tests = (str, _OF_TEXTS) if is_text else (Type, _OF_TYPES)
    if not is_text and (len(node.ops) > 1 or operator not in tests):
        kernel.fail(node, "types are compared with is, is not, in and not in")
    several = isinstance(found, tuple) or (is_text and operator in _AMONG)  # in a text, too
    others = found if isinstance(found, tuple) else (found,)
    fits = several is (operator in _AMONG) and all(isinstance(other, kind) for other in (left, *others))
    if not is_text and not fits:
        text = ast.unparse(node.left)
        kernel.fail(right, f"types are compared with types: {text} is hg.f32, or {text} in (hg.f32, hg.f64)")
    if len(node.ops) > 1 or operator not in tests or not fits:
        kernel.fail(node, "constants that are text are compared with text, by ==, !=, in and not in")
    return literal((left in found if operator in _AMONG else left == found) is tests[operator])


def _listed(kernel: Expressions, node: ast.expr) -> Any:
    """A constant, or a tuple of some."""
    return tuple(map(kernel.static, node.elts)) if isinstance(node, ast.Tuple) else kernel.static(node)
