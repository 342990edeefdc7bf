"""Text, bytes and JSON of a Program read back exactly, and equal programs have equal bytes."""

from __future__ import annotations

import copy
import json
import math
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hologram_web.isa import Address, Immediate, Instruction, Param, Program, ProgramMetadata, Type, r
from hologram_web.isa.kinds import KINDS
from hologram_web.isa.row import Row
from hologram_web.isa.table import ROWS
from hologram_web.isa.text import instruction_from_text
from tests.samples import ADDRESSES, every_row, sample_instruction, small
from tests.strategies import OPERANDS, addresses, bits_of, immediates, instructions_of, programs

every = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
_few = settings(max_examples=max(10, settings().max_examples // 4))


def assert_round_trips(program: Program) -> None:
    """Each form, read and written again, gives an equal program and the same form."""
    data, text, tree = program.to_bytes(), program.to_text(), program.to_json()
    for again in (Program.from_bytes(data), Program.from_text(text), Program.from_json(tree)):
        assert again == program
        assert again.to_bytes() == data
        assert again.to_text() == text
        assert again.to_json() == tree
    assert Program.from_json(tree.encode()) == program


@every
@_few
@given(data=st.data())
def test_every_row_round_trips(row: Row, data: st.DataObject) -> None:
    instruction = data.draw(instructions_of(row, ["a", "b"]))
    assert instruction.row is row
    assert instruction.name == row.name
    assert_round_trips(Program([instruction], {"a": 0, "b": 1}))
    assert instruction_from_text(instruction.to_text()) == instruction
    assert repr(instruction) == f"<{row.name}: {instruction}>"
    for other in (copy.copy(instruction), copy.deepcopy(instruction), pickle.loads(pickle.dumps(instruction))):
        assert other == instruction == other.replace()
        assert hash(other) == hash(instruction)


@every
@pytest.mark.parametrize("optional", [True, False], ids=["full", "short"])
def test_every_row_with_fixed_operands(row: Row, optional: bool) -> None:
    for number in range(24):
        instruction = sample_instruction(row, number, optional)
        assert_round_trips(Program([instruction], {"start": 0, "end": 1, "$end.2": 1}))


@every
def test_fields_are_attributes(row: Row) -> None:
    instruction = sample_instruction(row)
    assert [getattr(instruction, operand.name) for operand in row.operands] == list(instruction.values)
    assert getattr(Instruction, row.name)(*instruction.values) == instruction
    assert instruction != sample_instruction(ROWS[0] if row is not ROWS[0] else ROWS[1])
    assert instruction != instruction.values


@given(programs())
def test_programs_round_trip(program: Program) -> None:
    assert_round_trips(program)


@given(programs())
def test_copies_of_programs_are_equal(program: Program) -> None:
    for other in (copy.deepcopy(program), pickle.loads(pickle.dumps(program))):
        assert other == program
        assert other.to_bytes() == program.to_bytes()
    assert str(program) == program.to_text()
    count = f"{len(program)} instructions, {len(program.params)} parameters"
    assert repr(program).startswith("<Program")
    assert repr(program).endswith(f": {count}>")


@given(programs(max_size=2), programs(max_size=2), st.booleans())
def test_programs_are_equal_where_their_bytes_are(one: Program, other: Program, same_body: bool) -> None:
    if same_body:
        other.instructions, other.labels, other.entry = one.instructions, one.labels, one.entry
    assert (one == other) == (one.to_bytes() == other.to_bytes())


@given(programs(), st.randoms(use_true_random=False))
def test_order_of_labels_and_metadata_does_not_matter(program: Program, random: object) -> None:
    labels, entries = list(program.labels.items()), list(program.metadata.entries.items())
    random.shuffle(labels)  # type: ignore[attr-defined]
    random.shuffle(entries)  # type: ignore[attr-defined]
    metadata = ProgramMetadata(program.metadata.name, dict(entries))
    other = Program(program.instructions, dict(labels), program.params, program.entry, program.shared_memory, metadata)
    assert other == program
    assert other.to_bytes() == program.to_bytes()
    assert other.to_text() == program.to_text()
    assert other.to_json() == program.to_json()


@pytest.mark.parametrize("program", [Program(), small(), every_row(), every_row(optional=False)])
def test_fixed_programs_round_trip(program: Program, tmp_path: Path) -> None:
    assert_round_trips(program)
    program.save(tmp_path / "program")
    assert Program.load(tmp_path / "program") == program


def test_the_samples_hold_every_row() -> None:
    assert {instruction.row.name for instruction in every_row().instructions} == {row.name for row in ROWS}
    assert all(value is not None for instruction in every_row().instructions for value in instruction.values)


def test_every_kind_of_operand_has_a_strategy() -> None:
    assert OPERANDS.keys() == KINDS.keys()
    assert {operand.kind for row in ROWS for operand in row.operands} <= KINDS.keys()


@pytest.mark.parametrize(("text", "address"), ADDRESSES.items(), ids=ADDRESSES)
def test_every_form_of_address(text: str, address: Address) -> None:
    assert str(address) == text
    assert Address.parse(text) == address
    assert Address.parse(text.replace(" + ", "+").replace("[", " [ ").replace("]", " ] ")) == address
    instruction = Instruction.LDG(Type.F32, r(1), address)
    assert_round_trips(Program([instruction]))


@given(addresses)
def test_addresses_round_trip(address: Address) -> None:
    again = Address.parse(str(address))
    assert again == address
    assert hash(again) == hash(address)
    assert pickle.loads(pickle.dumps(address)) == copy.deepcopy(address) == address


@pytest.mark.parametrize("ty", list(Type))
@given(data=st.data())
def test_immediates_keep_their_bits(ty: Type, data: st.DataObject) -> None:
    immediate = data.draw(immediates(ty))
    instruction = Instruction.MOV_IMM(ty, r(1), immediate)
    again = instruction_from_text(instruction.to_text())
    assert again.value.bits == immediate.bits
    assert instruction_from_text(f"mov_imm.{ty} r1, {immediate.bits:#x}") == instruction
    if not ty.is_nan(immediate.bits):
        assert Instruction.MOV_IMM(ty, r(1), ty.decode(immediate.bits)) == instruction


@given(bits_of(Type.F64), bits_of(Type.F64))
def test_factors_are_equal_where_their_bits_are(one: int, other: int) -> None:
    fills = [Instruction.Fill(Address.Buffer("x"), 1, Type.F64.decode(bits)) for bits in (one, other)]
    assert (fills[0] == fills[1]) == (one == other)
    assert (hash(fills[0]) == hash(fills[1])) or one != other


def test_minus_zero_is_not_a_default_of_zero() -> None:
    pad = Instruction.Pad(Address.Buffer("x"), Address.Buffer("y"), (1,), (0,), (0,), -0.0)
    assert str(pad) == "pad.f32 [x], [y], (1), (0), (0), value=-0.0"
    assert math.copysign(1, instruction_from_text(str(pad)).value) == -1
    assert pad != pad.replace(value=0.0)
    assert_round_trips(Program([pad]))


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("0", 0),
        ("-0", 0x80000000),
        ("-0.0", 0x80000000),
        ("1", 0x3F800000),
        ("1.5e3", 0x44BB8000),
        ("16777217", 0x4B800000),
        ("1e99", 0x7F800000),
        ("inf", 0x7F800000),
        ("-inf", 0xFF800000),
        ("nan", 0x7FC00000),
        ("0x7fc00001", 0x7FC00001),
    ],
)
def test_numbers_of_the_text_form(text: str, bits: int) -> None:
    assert instruction_from_text(f"mov_imm.f32 r1, {text}").value == Immediate(Type.F32, bits)


def test_metadata_and_parameters_are_written_as_documented() -> None:
    program = Program(params=[Param("x", "scalar", Type.F32)], metadata=ProgramMetadata("name", {"k": 'a "b"'}))
    assert program.to_text() == '.program "name"\n.meta k "a \\"b\\""\n.param x: f32\n'
    assert json.loads(program.to_json()) == {
        "hologram_program": 1,
        "name": "name",
        "metadata": {"k": 'a "b"'},
        "params": ["x: f32"],
        "shared_memory": 0,
        "labels": {},
        "entry": None,
        "instructions": [],
    }
