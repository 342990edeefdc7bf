"""The programs that the playground opens: its own, and those of the gallery with a size and what to begin with."""

from __future__ import annotations

import ast
from pathlib import Path

from examples.gallery import NAMES

from .runs import RUNS

__all__ = ["programs"]

HERE = Path(__file__).parent
OWN = HERE / "examples"
GALLERY = HERE.parent / "examples" / "gallery"
SAID = ("TITLE", "SUMMARY")  # what a module says of itself, and the page says elsewhere


def programs() -> list[dict[str, str]]:
    """All, in their order: name, title, summary, group, text."""
    own = [_program(path, "First steps", "") for path in sorted(OWN.glob("[0-9]*.py"))]
    return own + [_program(GALLERY / f"{name}.py", "Gallery", RUNS.get(name, "")) for name in NAMES]


def _program(path: Path, group: str, run: str) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    said = {
        _assigned(node): ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and _assigned(node) in SAID
    }
    kept = [node for node in tree.body if _assigned(node) not in SAID]
    if group == "Gallery":
        kept = _own(kept, run)
    name = path.stem.lstrip("0123456789_")
    return {
        "name": name,
        "title": said.get("TITLE", name),
        "summary": said.get("SUMMARY", ""),
        "group": group,
        "text": _without(text, [node for node in tree.body if node not in kept]) + (f"\n{run}" if run else ""),
    }


def _assigned(node: ast.stmt) -> str:
    """The name that a statement gives to a value, if it does no more."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""


def _own(body: list[ast.stmt], run: str) -> list[ast.stmt]:
    """The program in a module of the gallery: without what computes with NumPy or modules of ours, what calls that, and
    what nothing is left to use."""
    left_out = {"np", "examples"}
    kept: list[ast.stmt] = body
    while True:
        found = [node for node in kept if not (isinstance(node, ast.FunctionDef) and _uses(node) & left_out)]
        left_out |= {node.name for node in kept if isinstance(node, ast.FunctionDef) and node not in found}
        used = set().union({"programs"}, _uses(ast.parse(run)), *map(_uses, found))
        found = [node for node in found if not _binds(node) or _binds(node) & used]
        if len(found) == len(kept):
            return found
        kept = found


def _binds(node: ast.stmt) -> set[str]:
    """The names that a statement is there for; kernels and what is documented stand for themselves."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    if isinstance(node, ast.FunctionDef) and not node.decorator_list:
        return {node.name}
    return {_assigned(node)} - {""}


def _uses(node: ast.AST) -> set[str]:
    """The names in a statement, with the modules that are imported in it, and with its own if it is a function."""
    own = {node.name} if isinstance(node, ast.FunctionDef) and node.name == "examples" else set()
    modules = {part.module.split(".")[0] for part in ast.walk(node) if isinstance(part, ast.ImportFrom) and part.module}
    loads = (part for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
    return own | modules | {part.id for part in loads}


def _without(text: str, nodes: list[ast.stmt]) -> str:
    """The text without some statements, and with no more empty lines where they were."""
    lines: list[str | None] = [line if line != "# mypy: ignore-errors" else None for line in text.splitlines()]
    for node in nodes:
        assert node.end_lineno is not None
        first = min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", []))])
        lines[first - 1 : node.end_lineno] = [None] * (node.end_lineno - first + 1)
    kept: list[str] = []
    gap = longest = 0
    for line in lines:
        gap = gap + 1 if line == "" else 0
        longest = max(longest, gap)
        if line:
            kept += [""] * longest * bool(kept)
            kept.append(line)
            longest = 0
    return "\n".join(kept) + "\n"
