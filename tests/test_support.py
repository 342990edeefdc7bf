"""The table in docs/support.md says what a run says."""

from __future__ import annotations

import pytest

from hologram_web.isa import Type

from . import support

_TABLE = support.read_table(support.PAGE.read_text(encoding="utf-8"))
_NAMES = ("cpu", "wasm")


def _promised(cell: support.Cell, device: str) -> str:
    """What the table says a device makes of a cell."""
    word = _TABLE[cell.row.mnemonic][str(cell.types[0])]
    for letter, kind in (("T", "UnsupportedType"), ("I", "UnsupportedInstruction")):
        for part in word.split(", "):
            if part == letter or (part.startswith(f"{letter} (") and device in part[3:-1].split()):
                return kind
    return support.OK


def test_the_table_has_every_instruction_with_a_type():
    wanted = {(cell.row.mnemonic, str(cell.types[0])) for cell in support.cells() if cell.types}
    assert {(mnemonic, ty) for mnemonic, columns in _TABLE.items() for ty in columns} == wanted
    assert not [word for columns in _TABLE.values() for word in columns.values() if "wrong" in word]


@pytest.mark.parametrize("part", range(4))
def test_cpu_and_wasm_do_what_the_table_says(part):
    """All instructions, and of conversions an eighth of the pairs of types: a few of each."""
    cells = [c for c in support.cells() if c.row.name != "CVT" or (7 * c.types[0].id + 5 * c.types[1].id) % 8 == 0]
    differ = {}
    for cell, verdicts in support.run(cells[part::4], list(_NAMES)):
        wanted = {name: _promised(cell, name) if cell.types else support.OK for name in verdicts}
        if wanted != verdicts:
            differ[cell.key] = verdicts
    assert differ == {}


def test_webgpu_does_what_the_table_says():
    """One instruction of each group, on a float and integers."""
    names = ("fma", "add", "exp", "set", "mirror", "reduce_add", "parallel_map")
    types = (Type.F32, Type.F64, Type.U8, Type.I128)
    cells = [c for c in support.cells() if c.row.mnemonic in names and (not c.types or c.types[0] in types)]
    for cell, verdicts in support.run(cells, ["webgpu"]):
        assert verdicts == {"webgpu": _promised(cell, "webgpu") if cell.types else support.OK}, cell.key
