"""Texts of operations: none is long."""

from __future__ import annotations

import ast
from pathlib import Path

import hologram_web

MOST = 150
TENSOR = Path(hologram_web.__file__).parent / "tensor"


def test_no_text_of_an_operation_has_more_lines() -> None:
    found = {}
    for path in TENSOR.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno is not None
                found[f"{path.stem}.{node.name}"] = node.end_lineno - node.lineno + 1
    assert "transformer._attention" in found
    assert {name: lines for name, lines in found.items() if lines > MOST} == {}
