"""What an operation of the IR is, is asked of its row: nobody lists by name the operations of a property.

Code that matches the shape of an expression (`node.op == "add"`, `match`) names the one operation it is about. Of
several, in one test or in a set, there are those of NAMED and SETS, each with what it is about; more of them are a
property, and belong into `compiler/operations.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from hologram_web.compiler.operations import OPERATIONS

ROOT = Path(__file__).parents[1] / "hologram_web"
NAMED = {
    "compiler/bounds.py": {("mul", "shl")},  # the shape of a global index, as frontends write it
    "compiler/conditions.py": {("add", "mul"), ("mul", "sub", "div")},  # a constant taken out; brackets
    "compiler/counters.py": {("div", "shr")},  # how rounds are counted in steps
    "compiler/packet_forms.py": {("mask", "any")},  # what packets.py makes
    "compiler/legalise.py": {("neg", "abs")},  # how floats are made
    "compiler/passes/forward.py": {("atomic", "fence")},  # where other lanes may have stored
    "targets/wasm/choice.py": {("lt", "le")},  # a place that is compared with 1 or 0
    "targets/wasm/packet_accesses.py": {("load", "select")},  # what is dearer than in the table, of packets
    "targets/wasm/packet_faults.py": {("guard", "reduce")},  # what faults otherwise than by an address
    "targets/wasm/wholes.py": {("clz", "ctz", "inverse", "rem")},  # what vectors do not have
    "targets/wgsl/packets.py": {("const", "param")},  # the same for a row of lanes
}


# Sets of two names and more, besides what they take from properties.
SETS = {
    "compiler/fences.py": {
        "abs bitcast ceil floor neg round trunc",  # whose results of floats need no rounding
        "phi select",  # that pass on what they are given
    },
    "compiler/intervals.py": {
        "add cvt mul shl sub",  # what the place of an element is made of, as frontends write it
        "and max min rem",  # of which a bound of one operand is one of the result
    },
    "compiler/legalise.py": {"abs cvt le"},  # what the legaliser makes others of, of wide integers
    "compiler/pairs.py": {
        "add and div max min mul or rem shl shr sub xor",  # that have 32 bits where operands and result have
        "call call_if load param phi reduce",  # whose words are not computed here
    },
    "compiler/wide.py": {"cvt cvt_odd"},  # conversions to floats, however they round
    "targets/wasm/addresses.py": {
        "add and bitcast cvt max min mul or shl shr sub xor"
    },  # cheap enough to compute twice
    "targets/wasm/choice.py": {"and cvt eq le load lt max min or pand pnot por select xor"},  # what v128 has of bytes
    "targets/wasm/packet_faults.py": {"add or phi sub xor"},  # that keep zeros which all operands have below
    "targets/wasm/narrow.py": {"extend neg"},
}


def _files() -> Iterator[tuple[str, list[ast.AST]]]:
    for path in sorted([*(ROOT / "compiler").rglob("*.py"), *(ROOT / "targets").rglob("*.py")]):
        yield path.relative_to(ROOT).as_posix(), list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def test_several_operations_are_asked_for_by_a_property() -> None:
    found: dict[str, set[tuple[str, ...]]] = {}
    for place, nodes in _files():
        for node in nodes:
            if not isinstance(node, ast.Compare) or not ast.unparse(node.left).endswith("op"):
                continue
            for listed in node.comparators:
                if isinstance(listed, ast.Tuple | ast.Set | ast.List):
                    names = tuple(ast.literal_eval(each) for each in listed.elts)
                    if OPERATIONS.keys() >= set(names):
                        found.setdefault(place, set()).add(names)
    assert found == NAMED


def test_sets_of_operations_are_made_of_properties() -> None:
    found: dict[str, set[str]] = {}
    for place, nodes in _files():
        for node in nodes:
            parts: list[ast.expr] = []
            if isinstance(node, ast.Set):
                parts = node.elts
            elif isinstance(node, ast.MatchOr):
                parts = [each.value for each in node.patterns if isinstance(each, ast.MatchValue)]
            names = {str(part.value) for part in parts if isinstance(part, ast.Constant)} & OPERATIONS.keys()
            if len(names) > 1:
                found.setdefault(place, set()).add(" ".join(sorted(names)))
    assert found == SETS
