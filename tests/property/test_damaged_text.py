"""Damaged and hostile program text gives a Program or an IsaError with its place, soon and in little memory."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hologram_web.errors import IsaError
from hologram_web.isa import Address, Instruction, Program, Type, r
from hologram_web.isa.row import Row
from hologram_web.isa.table import ROWS
from tests.property.hostile import attempt, attempt_in_memory
from tests.samples import ADDRESSES, every_row, sample_instruction, small
from tests.strategies import programs

SMALL = small().to_text()
every = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])

CHARACTERS = [*" \t\n\r\0;:,.()[]{}#*+-!=\"'\\09xrpe$_", "\u2028", "é", "\u0660", "\U0001f980", "\ud800"]
_TOKEN = re.compile(r"\s+|\w+|.")


def read(text: str) -> Program | IsaError:
    """Errors of a line say which; those of the whole program do not."""
    result = attempt(Program.from_text, text)
    if isinstance(result, IsaError) and result.line is not None:
        line = text.split("\n")[result.line - 1]
        assert result.column is not None
        assert line[: result.column - 1].isspace() or result.column == 1
        assert not line[result.column - 1].isspace()
        assert str(result).startswith(f"line {result.line}, column {result.column}: ")
    return result


@pytest.mark.parametrize("length", [1, 2])
def test_tokens_deleted_doubled_and_swapped(length: int) -> None:
    tokens = _TOKEN.findall(SMALL)
    assert "".join(tokens) == SMALL
    for place in range(len(tokens)):
        before, some, after = tokens[:place], tokens[place : place + length], tokens[place + length :]
        read("".join(before + after))
        read("".join(before + some + some + after))
        read("".join(before + some[::-1] + after))
        read("".join([*before, *after[:1], *some, *after[1:]]))


@pytest.mark.parametrize("part", range(2))
def test_every_character_replaced(part: int) -> None:
    for place in range(part, len(SMALL), 2):
        for character in CHARACTERS:
            read(SMALL[:place] + character + SMALL[place + 1 :])


@every
def test_every_character_of_every_row_damaged(row: Row) -> None:
    line = str(sample_instruction(row))
    for place in range(len(line)):
        read(line[:place] + line[place + 1 :])
        read(line[:place] + line[place] + line[place:])
        read(line[:place])
        read(line[place:])
        for character in ",.[(=#r0 ":
            read(line[:place] + character + line[place + 1 :])


@every
def test_operands_left_out_doubled_and_moved(row: Row) -> None:
    head, _, rest = str(sample_instruction(row, 3)).partition(" ")
    words = rest.split(", ")
    for place, word in enumerate(words):
        for other in (words[:place], [*words, word], words[:place] + words[place + 1 :], words[place:] + words[:place]):
            read(f"{head} {', '.join(other)}")
        for wrong in (
            "",
            "5",
            "-1",
            "r1",
            "p1",
            "!p1",
            "x",
            "[x]",
            "(1)",
            "(1:2)",
            "true",
            "#1",
            "1e400",
            "nan",
            "0xff",
        ):
            read(f"{head} {', '.join([*words[:place], wrong, *words[place + 1 :]])}")
    read(f"{head}.f32 {rest}")
    read(f"{head.rpartition('.')[0]} {rest}")


def test_lines_in_any_order() -> None:
    lines = every_row().to_text().split("\n")
    order = random.Random(1)
    for _ in range(20):
        order.shuffle(lines)
        read("\n".join(lines))


@given(programs(max_size=4), st.data())
def test_random_damage(program: Program, data: st.DataObject) -> None:
    text = program.to_text()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 8)))
        text = text[:start] + data.draw(st.text(max_size=8)) + text[end:]
    read(text)


@given(st.text(), st.text(st.sampled_from(CHARACTERS)))
def test_garbage(text: str, awkward: str) -> None:
    read(text)
    read(awkward)
    for line in ("ldg.f32 r1, ", ".param ", ".meta ", "mov_imm.f64 r1, ", "transpose.f32 [a], [b], (", "add.", "."):
        read(line + text)
        read(line + awkward)


def load(address: str) -> Program:
    return Program([Instruction.LDG(Type.F32, r(1), Address.parse(address))])


@given(st.text(st.sampled_from("[]+-*# \tr019xpclassphioubfed,"), max_size=30))
def test_garbage_addresses(text: str) -> None:
    for candidate in (text, f"[{text}]", f"[x + {text}]", f"[phi {text}]", f"[class {text}]"):
        attempt(load, candidate)


@pytest.mark.parametrize("text", ADDRESSES)
def test_addresses_cut_off_anywhere(text: str) -> None:
    for start in range(len(text)):
        for end in range(start, len(text) + (start > 0)):
            with pytest.raises(IsaError):
                Address.parse(text[start:end])


N = 100_000
HOSTILE = {
    "spaces": " " * N,
    "spaces in front": " " * N + "nothing",
    "spaces inside": "add.f32 r1" + " " * N + ", r2",
    "newlines": "\n" * N + "nothing",
    "one word": "x" * N,
    "dots": "add" + ".f32" * N,
    "commas": "add.f32 " + "," * N,
    "brackets": "ldg.f32 r1, " + "[" * N,
    "closed brackets": "ldg.f32 r1, " + "[" * N + "]" * N,
    "wrong brackets": "ldg.f32 r1, " + "])" * N,
    "an address of spaces": "ldg.f32 r1, [" + " " * N + "]",
    "spaces before +": "ldg.f32 r1, [x" + " " * N + "+ r1",
    "spaces after +": "ldg.f32 r1, [x + " + " " * N + "]",
    "spaces before *": "ldg.f32 r1, [x + r1" + " " * N + "* x]",
    "spaces after class": "ldg.f32 r1, [class" + " " * N + "x y]",
    "spaces after phi": "ldg.f32 r1, [phi" + " " * N + ", 1",
    "spaces in phi": "ldg.f32 r1, [phi 1," + " " * N + "," + " " * N + "x",
    "spaces after the pointer": "ldg.f32 r1, [*" + " " * N + "r1" + " " * N + "x",
    "a long name in an address": "ldg.f32 r1, [" + "x" * N + "]",
    "spaces in a tuple": "transpose.f32 [a], [b], (" + " " * N + "x), (0)",
    "spaces between numbers": "transpose.f32 [a], [b], (1" + " " * N + "x), (0)",
    "spaces after a comma": "transpose.f32 [a], [b], (1," + " " * N + "x), (0)",
    "a long tuple": "transpose.f32 [a], [b], (" + "1, " * N + "1), (0)",
    "a long tuple that breaks off": "transpose.f32 [a], [b], (" + "1," * N,
    "pairs": "tensor_contract.f32 [a], [a], [a], (), (), (" + "1:2," * N + "1:)",
    "a long number": "mov_imm.i4096 r1, " + "9" * N,
    "a long hexadecimal number": "mov_imm.i4096 r1, 0x" + "f" * N,
    "a long fraction": "mov_imm.f64 r1, 0." + "1" * N,
    "a long fraction that breaks off": "mov_imm.f64 r1, " + "1" * 400 + "." + "1" * 400 + "x",
    "a long exponent": "mov_imm.f64 r1, 1e" + "9" * N,
    "a long factor": "fill.f32 [a], 1, " + "1" * N,
    "a huge exponent": "mov_imm.f64 r1, 1e9999\nx",
    "named operands": "gemm.f32 " + "alpha=1, " * N,
    "a long label": "x" * N + ":",
    "a label of colons": ":" * N,
    "quotes": '"' * N,
    "a long name": '.program "' + "x" * N,
    "backslashes": '.program "' + "\\" * N,
    "quoted quotes": '.program "' + '\\"' * N,
    "comments": ".program ;" + ";" * N,
    "a parameter of letters": ".param " + "x" * N,
    "a parameter of spaces": ".param x" + " " * N + ":" + " " * N + "!",
    "a parameter of words": ".param x: buffer " + "x" * N + " " * N + "!",
    "a long size": ".shared " + "9" * N,
    "a long directive": "." + "x" * N,
    "metadata of brackets": ".meta a " + "[" * N,
    "metadata of objects": ".meta a " + '{"a":' * N,
    "many instructions": "exit\n" * 70_000,
    "much metadata": '.meta a "' + "x" * 1_100_000 + '"',
    "a wrong label early": "x:\n" * N,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text(text: str) -> None:
    result = read(text)
    assert isinstance(result, IsaError) or len(result) == 0
    attempt_in_memory(Program.from_text, text, 60_000_000)


@pytest.mark.parametrize(
    "text",
    [
        "[" + "x" * N,
        "[x" + " " * N,
        "[phi" + " " * N,
        "[phi 1" + " ," * N,
        "[x + r1" + " " * N,
        "[#" + "1" * N,
        "[" * N,
    ],
    ids=["name", "spaces", "phi", "coordinates", "index", "handle", "brackets"],
)
def test_hostile_addresses(text: str) -> None:
    assert isinstance(attempt(load, text), IsaError)
    attempt(load, text + "]")


def test_too_much_text() -> None:
    assert isinstance(attempt_in_memory(Program.from_text, "\n" * ((1 << 24) + 1), 100_000), IsaError)


@pytest.mark.parametrize("value", [None, b"exit", 5, ["exit"]], ids=repr)
def test_no_text_at_all(value: object) -> None:
    with pytest.raises(IsaError, match="a program text is a str of at most 16777216 characters"):
        Program.from_text(value)  # type: ignore[arg-type]
