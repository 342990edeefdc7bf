"""What editors show of a function that only kernels have: as it stands in language.pyi, which pages do not load."""

from __future__ import annotations

import ast
from functools import cache
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any

__all__ = ["described"]

_NOTHING = (
    "A function that kernels have: docs/kernel_reference.md.",
    Signature([Parameter("args", Parameter.VAR_POSITIONAL)]),
)


@cache
def _functions() -> dict[str, ast.FunctionDef]:
    try:
        tree = ast.parse(Path(__file__).with_name("language.pyi").read_text("utf-8"))
    except (OSError, NameError):  # a page's modules are no files
        return {}
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


@cache
def described(name: str) -> tuple[str, Signature]:
    """The text and the signature of a function."""
    node = _functions().get(name)
    if node is None:
        return _NOTHING
    text = ast.get_docstring(node) or ""
    made: dict[str, Any] = {}
    exec("from __future__ import annotations\n" + ast.unparse(node), made)
    return text, signature(made[name])
