"""What an operation of the IR is, is asked of its row: nobody lists by name the operations of a property.

Code that matches the shape of an expression (`node.op == "add"`, `match`) names the one operation it is about. Of
several, in one test, there are those of NAMED, each with what it is about; more of them are a property, and belong into
`compiler/operations.py`.
"""

from __future__ import annotations

import ast
from pathlib import Path

from hologram_web.compiler.operations import OPERATIONS

ROOT = Path(__file__).parents[1] / "hologram_web"
NAMED = {
    "compiler/bounds.py": {("mul", "shl")},  # the shape of a global index, as frontends write it
    "compiler/conditions.py": {("add", "mul"), ("mul", "sub")},  # a constant taken out; brackets
    "compiler/legalise.py": {
        ("neg", "abs"),
        ("min", "max", "abs"),
        ("add", "sub", "mul", "div"),
    },  # how floats are made
    "compiler/packets.py": {("mask", "any")},  # what it makes itself
    "compiler/passes/fold.py": {("shl", "shr")},  # counts are taken modulo the bits, and stay below them
    "compiler/passes/forward.py": {("atomic", "fence")},  # where other lanes may have stored
    "targets/wasm/choice.py": {("lt", "le")},  # a place that is compared with 1 or 0
    "targets/wasm/packet_accesses.py": {("load", "select")},  # what is dearer than in the table, of packets
    "targets/wasm/packet_faults.py": {("guard", "reduce")},  # what faults otherwise than by an address
    "targets/wasm/vectors.py": {("mul", "shl", "shr")},  # what vectors of bytes do not have
    "targets/wasm/wholes.py": {("clz", "ctz", "inverse", "rem")},  # what vectors do not have
    "targets/wgsl/packets.py": {("const", "param")},  # the same for a row of lanes
}


def test_several_operations_are_asked_for_by_a_property() -> None:
    found: dict[str, set[tuple[str, ...]]] = {}
    for path in sorted([*(ROOT / "compiler").rglob("*.py"), *(ROOT / "targets").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Compare) or not ast.unparse(node.left).endswith("op"):
                continue
            for listed in node.comparators:
                if isinstance(listed, ast.Tuple | ast.Set | ast.List):
                    names = tuple(ast.literal_eval(each) for each in listed.elts)
                    if OPERATIONS.keys() >= set(names):
                        found.setdefault(path.relative_to(ROOT).as_posix(), set()).add(names)
    assert found == NAMED
