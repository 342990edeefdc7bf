"""Changes that nothing reads: of a copy of an element, where the element was meant. Numba's records are the element."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .advice import LostWarning
from .emit import ArrayRef
from .source import walk

if TYPE_CHECKING:
    from .statements import Statements

__all__ = ["look_at_change"]

_PURE = frozenset({"abs", "bool", "float", "int", "max", "min", "round"})


def look_at_change(kernel: Statements, node: ast.Assign | ast.AugAssign, target: ast.expr) -> None:
    """Warns if a variable, or a part of one, that is changed here is a copy of an element and goes nowhere."""
    name, function = _root(target), kernel.calling[-1]
    known = kernel.facts.assigned
    if function not in known:
        known[function] = _assigned(function)
    made = known[function].get(name, [])
    copied = _element(kernel, made[0].value) if len(made) == 1 else None
    if name is None or copied is None or name in kernel.scope.bound:
        return
    own = set(walk(made[0]))
    for part in walk(function):
        if isinstance(part, (ast.Assign, ast.AugAssign)) and all(_root(to) == name for to in _targets(part)):
            own |= set(walk(part)) if all(map(_only_computes, walk(part))) else set()
    if any(isinstance(part, ast.Name) and part.id == name and part not in own for part in walk(function)):
        return
    if isinstance(made[0].value, ast.Subscript):
        text = ast.unparse(target)
        advice = f"{ast.unparse(node).replace(text, text.replace(name, copied, 1), 1)}, or {copied} = {name} behind it"
    else:
        call = made[0].value
        assert isinstance(call, ast.Call)
        advice = f"{copied.partition('.load(')[0]}.store({ast.unparse(call.args[0])}, {name}) behind it"
    kernel.warn(node, f"{name} is a copy of {copied}, and nothing reads what it becomes: write {advice}", LostWarning)


def _assigned(function: ast.AST) -> dict[str | None, list[ast.Assign]]:
    """Where a function assigns names, by name."""
    found: dict[str | None, list[ast.Assign]] = {}
    for part in walk(function):
        if isinstance(part, ast.Assign):
            for to in part.targets:
                if isinstance(to, ast.Name):
                    found.setdefault(to.id, []).append(part)
    return found


def _element(kernel: Statements, node: ast.expr) -> str | None:
    """What is read of an array, as it is written; None of other values."""
    of = node.func if isinstance(node, ast.Call) else node
    reads = isinstance(of, ast.Subscript) or (isinstance(of, ast.Attribute) and of is not node and of.attr == "load")
    if reads and isinstance(of, (ast.Subscript, ast.Attribute)) and isinstance(kernel.static(of.value), ArrayRef):
        return ast.unparse(node)
    return None


def _targets(node: ast.Assign | ast.AugAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _root(node: ast.expr) -> str | None:
    """The name that an assignment changes, or a part of."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _only_computes(node: ast.AST) -> bool:
    """Whether it is no call that might do more than to compute."""
    text = ast.unparse(node.func) if isinstance(node, ast.Call) else "abs"
    return text in _PURE or (text.startswith(("hg.", "math.")) and "atomic" not in text)
