"""Makes a kernel that shows a bug small: lines, branches and parts of expressions go while the bug stays."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

from ..case import Case
from ..devices import Failure, Opponent
from .case import KernelCase
from .check import Unsound, compared, prepared
from .generator import generate

__all__ = ["shrink_kernel", "smallest_kernel"]

_HEAD = "import math\nimport hologram_web as hg\n\n"


def smallest_kernel(failure: Failure, opponent: Opponent, folder: Path, seconds: float) -> tuple[Path, Case]:
    """Shrinks the kernel of a failure and writes it to `folder`: the path, and the case it is."""
    kernel = generate(failure.seed, failure.profile)

    def fails(small: KernelCase) -> bool:
        try:
            found, _ = compared(*prepared(small), [opponent])
        except Unsound:
            return False
        return any(one.signature == failure.signature for one in found)

    if fails(kernel):
        kernel = shrink_kernel(kernel, fails, seconds)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{failure.profile}-{failure.seed}.py"
    path.write_text(f"# {failure}\n{kernel}", encoding="utf-8")
    return path, prepared(kernel)[0]


def shrink_kernel(kernel: KernelCase, fails: Callable[[KernelCase], bool], seconds: float) -> KernelCase:
    """The smallest kernel found in so much time of which `fails` still holds."""
    end = time.monotonic() + seconds
    again = True
    while again:
        again = False
        for make in (_launches, _statements, _expressions, _memories):
            number = 0
            while time.monotonic() < end:
                smaller = next(_from(make(kernel), number), None)
                if smaller is None:
                    break
                if fails(smaller):
                    kernel, again = smaller, True  # what stood behind has moved to this place
                else:
                    number += 1
    return kernel


def _from(candidates: Iterator[KernelCase], number: int) -> Iterator[KernelCase]:
    for index, candidate in enumerate(candidates):
        if index >= number:
            yield candidate


def _launches(kernel: KernelCase) -> Iterator[KernelCase]:
    ones = (1,) * len(kernel.lanes)
    for lanes, block in ((ones, ones), (ones, kernel.block), (kernel.block, kernel.block)):
        if (lanes, block) != (kernel.lanes, kernel.block) and all(
            n <= m for n, m in zip(lanes, kernel.lanes, strict=True)
        ):
            yield replace(kernel, lanes=lanes, block=block)


def _memories(kernel: KernelCase) -> Iterator[KernelCase]:
    for number, array in enumerate(kernel.arrays):
        if any(array.bits):
            arrays = list(kernel.arrays)
            arrays[number] = replace(array, bits=(0,) * len(array.bits))
            yield replace(kernel, arrays=tuple(arrays))


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All but what hashes floats: without it the bits of NaNs would differ, which mean nothing."""
    work = [tree]
    while work:
        node = work.pop(0)
        if not (isinstance(node, ast.FunctionDef) and node.name.startswith("bits_")):
            yield node
            work += ast.iter_child_nodes(node)


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in _nodes(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield body


def _with(kernel: KernelCase, tree: ast.Module) -> KernelCase:
    text = ast.unparse(ast.Module([n for n in tree.body if not isinstance(n, ast.Import)], []))
    return kernel.with_text(_HEAD + text + "\n")


def _statements(kernel: KernelCase) -> Iterator[KernelCase]:
    """Without one statement; or with the body of a compound one in its place."""
    original = ast.parse(kernel.text)
    places = [(number, at) for number, body in enumerate(_bodies(original)) for at in range(len(body))]
    for number, at in places:
        for inner in (False, True):
            tree = deepcopy(original)
            body = list(_bodies(tree))[number]
            statement = body[at]
            if isinstance(statement, ast.Import) or (body is tree.body and at == len(body) - 1):
                continue
            parts = getattr(statement, "body", []) if inner else []
            if inner and (not parts or isinstance(statement, ast.FunctionDef)):
                continue
            body[at : at + 1] = parts
            if not body:
                if body is not tree.body and number and _is_else(tree, body):
                    pass
                else:
                    body.append(ast.Pass())
            yield _with(kernel, tree)


def _is_else(tree: ast.AST, body: list[ast.stmt]) -> bool:
    return any(getattr(node, "orelse", None) is body for node in ast.walk(tree))


def _slots(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.expr]]:
    """Every expression that another one may take the place of."""
    for node in _nodes(tree):
        if isinstance(node, (ast.arg, ast.FunctionDef)):
            continue
        for name, value in ast.iter_fields(node):
            if name in ("func", "target", "targets", "annotation", "decorator_list", "iter", "op", "ops"):
                continue
            if isinstance(value, ast.expr):
                yield node, name, None, value
            elif isinstance(value, list):
                for index, part in enumerate(value):
                    if isinstance(part, ast.expr):
                        yield node, name, index, part


def _expressions(kernel: KernelCase) -> Iterator[KernelCase]:
    """With a part of an expression in its place, or a literal."""
    original = ast.parse(kernel.text)
    count = sum(1 for _ in _slots(original))
    for number in range(count):
        options = 0
        while True:
            tree = deepcopy(original)
            node, name, index, value = next(slot for at, slot in enumerate(_slots(tree)) if at == number)
            parts = [] if isinstance(value, (ast.Constant, ast.Name, ast.Attribute)) else _parts(value)
            if options >= len(parts):
                break
            if index is None:
                setattr(node, name, parts[options])
            else:
                getattr(node, name)[index] = parts[options]
            options += 1
            yield _with(kernel, tree)


def _parts(value: ast.expr) -> list[ast.expr]:
    inner = [part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr)]
    if isinstance(value, ast.Call):
        inner = inner[1:]
    return [ast.Constant(1), ast.Constant(0), *inner]
