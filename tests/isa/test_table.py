"""The instruction table: numbers that are never changed, names that fit together, and what JavaScript knows of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from hologram_web.errors import FAULT_KINDS
from hologram_web.isa import Access, AtomicOperation, Condition, Instruction, ProgramBuilder, Type
from hologram_web.isa.address import Space
from hologram_web.isa.kinds import _UNION, KINDS, EnumKind
from hologram_web.isa.row import REQUIRED, Row
from hologram_web.isa.table import BY_MNEMONIC, BY_NAME, BY_OPCODE, ROWS
from hologram_web_tools.typescript import ISA_VERSION, typescript

ROOT = Path(__file__).resolve().parent.parent.parent
GOLDEN = json.loads(Path(__file__).with_name("opcodes.json").read_text())
GENERATED = ROOT / "web" / "src" / "isa.gen.ts"


def numbers() -> dict[str, dict[str, int | str]]:
    """Every number of the binary form that has a name."""
    enums = {name: kind.enum for name, kind in KINDS.items() if isinstance(kind, EnumKind)}
    return {
        "instructions": {row.name: f"{row.opcode:#05x} {row.mnemonic}" for row in ROWS},
        "types": {str(ty): ty.id for ty in Type},
        "spaces": {space.name: space.value for space in Space},
        "forms": {form.__name__: number for number, form in enumerate(_UNION)},
        "access": {access.value: number for number, access in enumerate(Access)},
        **{name: {member.value: number for number, member in enumerate(enum)} for name, enum in enums.items()},
    }


def test_numbers_are_never_changed() -> None:
    """New names may come, and go into opcodes.json; what is there stays as it is, or old bytes mean something else.

    To add new ones: `python -m tests.isa.test_table`.
    """
    assert numbers() == GOLDEN


def test_no_two_rows_are_called_the_same() -> None:
    for table in (BY_NAME, BY_OPCODE, BY_MNEMONIC):
        assert list(table.values()) == list(ROWS)
    assert not [row.name for row in ROWS if not row.doc.endswith(".") or "\n" in row.doc]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_operands_fit_the_forms(row: Row) -> None:
    assert max(Counter(operand.name for operand in row.operands).values(), default=1) == 1
    taken = {name for name in dir(Instruction) if not name.startswith("_")} | {"op"}  # fields are attributes
    assert not taken & set(row.positions)
    positional = [operand.default is None for operand in row.operands if not operand.named and not operand.suffix]
    assert positional == sorted(positional), "what may be left out comes last"
    for operand in row.operands:
        assert operand.codec is KINDS[operand.kind]
        if operand.kind == "type":
            assert operand.allowed
        if operand.kind == "imm":
            assert "ty" in row.positions
        if operand.default not in (REQUIRED, None):
            assert operand.named
            assert operand.codec.check(operand.default, None) == operand.default
        if operand.kind == "register":
            assert operand.type in ("any", "pointer", *row.positions) or Type.named(operand.type)
        if operand.kind == "place":
            assert operand.type == ""
        elif operand.is_address:
            assert operand.type in row.positions or Type.named(operand.type)
    assert callable(getattr(ProgramBuilder(), row.builder))
    assert row.collective == (row.opcode >= 0x100)


def test_mnemonics_are_plain_words() -> None:
    assert not [
        row.mnemonic for row in ROWS if not row.mnemonic.replace("_", "a").isalnum() or not row.mnemonic.islower()
    ]


def test_operations_of_maps_are_lane_instructions() -> None:
    for name in ("MapOperation", "BinaryMapOperation", "ReduceOperation"):
        kind = KINDS[name]
        assert isinstance(kind, EnumKind)
        for member in kind.enum:
            row = BY_MNEMONIC[str(member.value)]
            assert not row.collective
            assert sum(operand.role == "use" for operand in row.operands) == (1 if name == "MapOperation" else 2)


def test_conditions_and_atomics() -> None:
    assert [condition.value for condition in Condition if condition.unsigned] == ["ltu", "leu", "gtu", "geu"]
    assert [operation.value for operation in AtomicOperation] == [
        "add",
        "min",
        "max",
        "and",
        "or",
        "xor",
        "exch",
        "cas",
    ]


def test_the_metadata_for_javascript_are_up_to_date() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "hologram_web_tools.typescript"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert made.stdout == typescript()
    assert GENERATED.read_text(encoding="utf-8") == made.stdout, (
        "the table was changed: python -m hologram_web_tools.typescript > web/src/isa.gen.ts"
    )


def test_the_metadata_hold_one_line_for_each_instruction() -> None:
    lines = typescript().splitlines()
    assert f"export const ISA_VERSION = {ISA_VERSION};" in lines
    assert [line.split('"')[1] for line in lines if "opcode: " in line] == [row.name for row in ROWS]
    assert [line for line in lines if line.strip(' ",') in set(FAULT_KINDS)] == [f'  "{kind}",' for kind in FAULT_KINDS]
    assert [line for line in lines if " bits: " in line and " id: " in line and line.startswith("  ")] == [
        f'  {{ name: "{ty}", id: {ty.id}, bits: {ty.bits}, kind: "{ty.kind}" }},' for ty in Type
    ]
    add = '{ name: "ty", kind: "type" }, ' + ", ".join(
        f'{{ name: "{name}", kind: "register" }}' for name in ("dst", "lhs", "rhs")
    )
    assert f'  {{ name: "ADD", opcode: 16, mnemonic: "add", collective: false, operands: [{add}] }},' in lines


if __name__ == "__main__":
    found = numbers()
    for group, entries in GOLDEN.items():
        assert entries.items() <= found[group].items(), f"{group}: what has a number keeps it"
    Path(__file__).with_name("opcodes.json").write_text(json.dumps(found, indent=1) + "\n")
