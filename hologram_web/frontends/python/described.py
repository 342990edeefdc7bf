"""What editors show of a function that only kernels have: as it stands in language.pyi. Pages have neither."""

from __future__ import annotations

import ast
from functools import cache
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

__all__ = ["described"]


@cache
def _functions() -> dict[str, ast.FunctionDef]:
    tree = ast.parse(Path(__file__).with_name("language.pyi").read_text("utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


@cache
def described(name: str) -> tuple[str, Signature]:
    """The text and the signature of a function."""
    node = _functions()[name]
    return ast.get_docstring(node) or "", _signature(node)


def _signature(node: ast.FunctionDef) -> Signature:
    """What the stub says of a function, whose defaults are literals."""
    given = node.args
    by_place: list[tuple[Any, ast.arg]] = [(Parameter.POSITIONAL_ONLY, arg) for arg in given.posonlyargs]
    by_place += [(Parameter.POSITIONAL_OR_KEYWORD, arg) for arg in given.args]
    required = [None] * (len(by_place) - len(given.defaults))
    found = [
        _parameter(kind, arg, value) for (kind, arg), value in zip(by_place, [*required, *given.defaults], strict=True)
    ]
    found += [_parameter(Parameter.VAR_POSITIONAL, given.vararg, None)] if given.vararg else []
    found += [
        _parameter(Parameter.KEYWORD_ONLY, arg, value)
        for arg, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    found += [_parameter(Parameter.VAR_KEYWORD, given.kwarg, None)] if given.kwarg else []
    return Signature(found, return_annotation=_text(node.returns))


def _parameter(kind: Any, arg: ast.arg, value: ast.expr | None) -> Parameter:
    default = Parameter.empty if value is None else ast.literal_eval(value)
    return Parameter(arg.arg, kind, default=default, annotation=_text(arg.annotation))


def _text(node: ast.expr | None) -> Any:
    return Parameter.empty if node is None else ast.unparse(node)
