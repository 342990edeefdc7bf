"""What editors know of kernels: signatures, texts, types. mypy reads tests/frontend/typed with the rest of the project,
as strictly as it can; its wrong lines are marked, and marks that nothing needs are errors, in pyright too.
"""

# mypy: ignore-errors

from __future__ import annotations

import ast
import inspect
import json
import subprocess
from pathlib import Path

import pytest

import hologram_web as hg
from hologram_web.frontends.python.names import INTRINSICS, KERNEL_NAMES, LIBRARY, MATH

ROOT = Path(__file__).resolve().parents[2]
VECTORS = {"vec2", "vec3", "vec4"}  # which are types, too
STUB = ROOT / "hologram_web/frontends/python/language.pyi"


def pyright(folder):
    command = ["node", "node_modules/pyright/index.js", "--outputjson", "-p", str(folder)]
    found = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout)
    assert found["summary"]["filesAnalyzed"] == 1
    return [(said["range"]["start"]["line"] + 1, said["rule"]) for said in found["generalDiagnostics"]]


def test_pyright_takes_what_is_right_and_finds_what_is_wrong(tmp_path):
    folder = ROOT / "tests/frontend/typed"
    assert pyright(folder) == []
    text = (folder / "user.py").read_text()
    lines = text.split("\n")
    marked = [number for number, line in enumerate(lines, 1) if "pyright: ignore" in line]
    (tmp_path / "user.py").write_text("\n".join(line.partition("  # type: ignore")[0] for line in lines))
    config = json.loads((folder / "pyrightconfig.json").read_text()) | {"extraPaths": [str(ROOT)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    assert [line for line, _ in pyright(tmp_path)] == marked
    assert len(marked) == 5


def test_every_name_of_kernels_is_in_the_stub():
    tree = ast.parse(STUB.read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert functions == {*INTRINSICS, *LIBRARY} - VECTORS
    imported = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert {*map(str, hg.Type), *VECTORS} <= imported
    assert functions | imported >= KERNEL_NAMES - {"Array", "Constant"}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            assert len(ast.get_docstring(node) or "") > 4, node.name


@pytest.mark.parametrize("name", sorted({*INTRINSICS} - VECTORS))
def test_signatures_and_texts(name):
    found, said = getattr(hg, name), inspect.signature(getattr(hg, name))
    assert found.__name__ == name
    assert inspect.getdoc(found)[-1] in ".`)", inspect.getdoc(found)
    if name in MATH:
        assert len(said.parameters) == sum(operand.role == "use" for operand in MATH[name].operands)


def test_what_an_editor_shows():
    assert str(inspect.signature(hg.clamp)) == "(x: 'float', low: 'float', high: 'float', /) -> 'Any'"
    assert hg.clamp.__doc__ == "min(max(x, low), high)."
    assert str(inspect.signature(hg.global_id)) == "(axis: '_Axis' = 0) -> 'int'"
    assert str(inspect.signature(hg.isnan)) == "(x)"
    assert hg.isnan.__doc__ == "Whether x is NaN."
