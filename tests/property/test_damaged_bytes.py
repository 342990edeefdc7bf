"""Damaged and hostile program bytes give a Program or an IsaError and nothing else, soon and in little memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hologram_web.errors import IsaError
from hologram_web.isa import Program
from hologram_web.isa.row import Row
from hologram_web.isa.table import ROWS
from hologram_web.isa.wire import ByteWriter
from tests.property.hostile import attempt, attempt_in_memory, with_checksum
from tests.samples import every_row, sample_instruction, small
from tests.strategies import programs

SMALL = small().to_bytes()
LARGE = every_row().to_bytes()
HUGE = [b"\xff" * 9 + b"\x01", b"\xff" * 4 + b"\x0f", b"\xff\xff\x03", b"\x80" * 20 + b"\x01", b"\xff" * 200]
EMPTY = Program().to_bytes()[:-4]  # magic, version, flags, and six counts of 0


def read(data: bytes) -> Program | IsaError:
    """Whatever is read from bytes has just these bytes."""
    result = attempt(Program.from_bytes, data)
    assert isinstance(result, IsaError) or result.to_bytes() == data
    return result


@pytest.mark.parametrize("data", [SMALL, LARGE], ids=["small", "every row"])
def test_truncated_at_every_length(data: bytes) -> None:
    for length in range(len(data)):
        assert isinstance(read(data[:length]), IsaError)


@pytest.mark.parametrize(("data", "step"), [(SMALL, 1), (LARGE, 3)], ids=["small", "every row"])
def test_truncated_at_every_length_with_the_right_checksum(data: bytes, step: int) -> None:
    for length in range(0, len(data) - 4, step):
        assert isinstance(read(with_checksum(data[:length])), IsaError)


@pytest.mark.parametrize("data", [SMALL, LARGE], ids=["small", "every row"])
def test_every_byte_changed(data: bytes) -> None:
    for position in range(len(data)):
        for mask in (0x01, 0x80, 0xFF):
            damaged = bytearray(data)
            damaged[position] ^= mask
            assert isinstance(read(bytes(damaged)), IsaError)


@pytest.mark.parametrize("part", range(4))
def test_every_byte_set_to_every_value_with_the_right_checksum(part: int) -> None:
    read_again = 0
    for position in range(part, len(SMALL) - 4, 4):
        for value in range(256):
            damaged = bytearray(SMALL[:-4])
            damaged[position] = value
            read_again += isinstance(read(with_checksum(damaged)), Program)
    assert read_again > 100  # other registers, offsets and numbers are other programs


@pytest.mark.parametrize("optional", [True, False], ids=["full", "short"])
@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_every_byte_of_every_row_changed_with_the_right_checksum(row: Row, optional: bool) -> None:
    labels = {"start": 0, "end": 1, "$end.2": 1}
    head = len(Program([], dict.fromkeys(labels, 0)).to_bytes()) - 4
    raw = Program([sample_instruction(row, row.opcode, optional)], labels).to_bytes()[:-4]
    for position in range(head, len(raw)):
        for mask in (0x01, 0x80, 0xFF):
            damaged = bytearray(raw)
            damaged[position] ^= mask
            read(with_checksum(damaged))


@given(programs(max_size=4), st.data())
def test_random_damage_with_the_right_checksum(program: Program, data: st.DataObject) -> None:
    raw = bytearray(program.to_bytes()[:-4])
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(raw)))
        end = min(len(raw), start + data.draw(st.integers(0, 8)))
        raw[start:end] = data.draw(st.binary(max_size=8))
    read(with_checksum(raw))


@given(st.binary(max_size=300))
def test_garbage(garbage: bytes) -> None:
    assert isinstance(read(garbage), IsaError)
    read(with_checksum(b"HGPR\x01\x00" + garbage))


@pytest.mark.parametrize("number", HUGE, ids=[number[:4].hex() for number in HUGE])
def test_huge_numbers_anywhere(number: bytes) -> None:
    for position in range(6, len(SMALL) - 4):
        for rest in (SMALL[position:-4], SMALL[position + 1 : -4], b""):
            read(with_checksum(SMALL[:position] + number + rest))


def _counts() -> list[tuple[str, bytes]]:
    names = ["name", "metadata", "params", "shared memory", "labels", "entry", "instructions"]
    return [
        (f"{name} {number[:4].hex()}", EMPTY[: 6 + place] + number)
        for place, name in enumerate(names)
        for number in HUGE
    ]


@pytest.mark.parametrize(("data"), [data for _, data in _counts()], ids=[name for name, _ in _counts()])
def test_hostile_counts_allocate_nothing(data: bytes) -> None:
    for padding in (b"", b"\0" * 1000):
        result = attempt_in_memory(Program.from_bytes, with_checksum(data + padding), 200_000)
        assert isinstance(result, IsaError)


def test_huge_lists_of_small_things_stay_in_bounds() -> None:
    """A megabyte of labels, of parameters, of metadata, and of instructions: refused, or read in fair memory."""
    out = ByteWriter()
    out.data += EMPTY[:10]  # no name, metadata, params, shared memory
    out.uint(65536)
    for number in range(65536):
        out.string(f"L{number:06}")
        out.uint(0)
    out.data += b"\0\0"
    assert isinstance(attempt_in_memory(Program.from_bytes, with_checksum(out.data), 100_000_000), Program)
    exits = ByteWriter()
    exits.data += EMPTY[:12]
    exits.uint(65536)
    exits.data += b"\x53" * 65536
    assert isinstance(attempt_in_memory(Program.from_bytes, with_checksum(exits.data), 60_000_000), Program)
    assert isinstance(attempt_in_memory(Program.from_bytes, with_checksum(exits.data + b"\x53"), 60_000_000), IsaError)


@pytest.mark.parametrize("data", [bytearray(SMALL), memoryview(SMALL)], ids=["bytearray", "memoryview"])
def test_other_kinds_of_bytes(data: bytes) -> None:
    assert Program.from_bytes(data) == small()


@pytest.mark.parametrize("value", [None, "HGPR", 5, [72, 71], {}, small()], ids=repr)
def test_no_bytes_at_all(value: object) -> None:
    with pytest.raises(IsaError, match=f"a program is read from bytes, not from {type(value).__name__}"):
        Program.from_bytes(value)  # type: ignore[arg-type]
