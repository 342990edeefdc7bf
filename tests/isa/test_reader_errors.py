"""Whole error texts of what reads Programs: from text with line and column, from bytes with the offset, from JSON."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from hologram_web.errors import IsaError
from hologram_web.isa import Program
from tests.isa.messages import CONDITIONS, FORMS, NAMES, SIZE, TYPES, check
from tests.samples import small

# Text, the place and the message.
TEXTS: list[tuple[str, int, int, str]] = [
    ("nope r1", 1, 1, "unknown instruction 'nope'"),
    ("ADD.f32 r1, r2, r3", 1, 1, "unknown instruction 'ADD'"),
    ("exit\n  add.f32 r1, r2", 2, 3, "add misses its operand 'rhs': it takes dst, lhs, rhs"),
    ("; one\n\n\t\texit ; two\n\t nope", 4, 3, "unknown instruction 'nope'"),
    ("exit\r\nnope", 2, 1, "unknown instruction 'nope'"),
    ("add.f32 r1, r2, r3, r4", 1, 1, "add does not take 'r4': it takes dst, lhs, rhs"),
    ("exit r4", 1, 1, "exit does not take 'r4': it takes no operands"),
    ("add r1, r2, r3", 1, 1, "'add' does not name its types and operations: write add.TY"),
    ("add.f32.f32 r1, r2, r3", 1, 1, "'add.f32.f32' does not name its types and operations: write add.TY"),
    ("set.f32 p0, r1, r2", 1, 1, "'set.f32' does not name its types and operations: write set.COND.TY"),
    ("exit.f32", 1, 1, "'exit.f32' does not name its types and operations: write exit"),
    ("add.f33 r1, r2, r3", 1, 1, f"unknown type 'f33': {TYPES}"),
    ("set.less.f32 p0, r1, r2", 1, 1, f"'less' is no {CONDITIONS}"),
    ("add.f32 r1, r2, 5", 1, 1, "ADD, operand rhs: '5' is no register"),
    ("add.f32 r1, r2, r256", 1, 1, "ADD, operand rhs: no register r256: a lane has r0 to r255"),
    ("add.f32 r1,, r3", 1, 1, "ADD, operand lhs: '' is no register"),
    ("pnot p0, p16", 1, 1, "PNOT, operand a: no predicate p16: a lane has p0 to p15"),
    (
        "sel.f32 r1, !p0, r2, r3",
        1,
        1,
        "SEL, operand pred: !p0 is negated: only the guard of BRA can be; use PNOT or swap the operands",
    ),
    ("bra r1", 1, 1, f"BRA, operand target: 'r1' cannot name a label: {NAMES}"),
    ("bra x, q1", 1, 1, "BRA, operand pred: 'q1' is no predicate or its negation"),
    ("ldg.f32 r1, [x + ]", 1, 1, f"LDG, operand src: cannot read the address '[x + ]': {FORMS}"),
    ("ldg.f32 r1, x", 1, 1, f"LDG, operand src: cannot read the address 'x': {FORMS}"),
    ("mov_imm.u8 r1, 256", 1, 1, "MOV_IMM, operand value: the immediate 256 does not fit u8: it has 8 bits"),
    ("mov_imm.u8 r1, 0x100", 1, 1, "MOV_IMM, operand value: the bits 0x100 do not fit u8: it has 8 bits"),
    ("mov_imm.u8 r1, 1.5", 1, 1, "MOV_IMM, operand value: '1.5' is no u8 number"),
    ("mov_imm.f32 r1, one", 1, 1, "MOV_IMM, operand value: 'one' is no f32 number"),
    ("mov_imm.f32 r1", 1, 1, "mov_imm misses its operand 'value': it takes dst, value"),
    ("bar_sync 256", 1, 1, "BarSync, operand id: 256 is no integer from 0 to 255"),
    ("bar_sync x", 1, 1, "BarSync, operand id: 'x' is no integer from 0 to 255"),
    ("copy.f32 [x], [y], -1", 1, 1, f"Copy, operand count: '-1' is no {SIZE}"),
    (
        "copy.f32 [x], [y], 281474976710656",
        1,
        1,
        "Copy, operand count: 281474976710656 is no size: a number is from 0 to 2**48 - 1",
    ),
    (
        "pool_free 5",
        1,
        1,
        "PoolFree, operand handle: '5' is no pool: #number, a register or the name of a pool parameter",
    ),
    (
        "gemm.f32 [c], [a], [b], 1, 2, 3, alpha=x y",
        1,
        1,
        f"GEMM, operand alpha: 'x y' cannot name a parameter: {NAMES}",
    ),
    (
        "gemm.f32 [c], [a], [b], 1, 2, 3, trans_a=yes",
        1,
        1,
        "GEMM, operand trans_a: 'yes' is no boolean (true or false)",
    ),
    ("gemm.f32 [c], [a], [b], 1, 2, 3, alpha=1.0, alpha=2.0", 1, 1, "gemm got its operand 'alpha' twice"),
    ("gemm.f32 [c], [a], [b], 1, 2, 3, gamma=1.0", 1, 1, "gemm does not take 'gamma=1.0': it takes c, a, b, m, n, k"),
    ("transpose.f32 [c], [a], (1, x), (0)", 1, 1, "Transpose, operand shape: '(1, x)' is no tuple of integers"),
    ("transpose.f32 [c], [a], (1,), (0)", 1, 1, "Transpose, operand shape: '(1,)' is no tuple of integers"),
    (
        "tensor_contract.f32 [c], [a], [b], (1), (1), (1)",
        1,
        1,
        "TensorContract, operand contract_dims: '(1)' is no tuple of pairs of integers",
    ),
    ("\n\n\t x:\n x:", 4, 2, "label 'x' is placed twice"),
    ("p0:", 1, 1, f"'p0' cannot name a label: {NAMES}"),
    ("a b:", 1, 1, f"'a b' cannot name a label: {NAMES}"),
    (".foo", 1, 1, "unknown directive '.foo': there are .program, .param, .shared, .local, .entry and .meta"),
    (".shared x", 1, 1, ".shared takes a number of bytes, not 'x'"),
    (".local x", 1, 1, ".local takes a number of bytes, not 'x'"),
    (".shared -1", 1, 1, ".shared takes a number of bytes, not '-1'"),
    (".entry 5", 1, 1, f"'5' cannot name a label: {NAMES}"),
    (".meta a b", 1, 1, "'b' is no quoted text"),
    ('.meta 5 "b"', 1, 1, f"'5' cannot name a metadata entry: {NAMES}"),
    ('.program "x', 1, 1, "'\"x' is no quoted text"),
    (".program a b", 1, 1, f"'a b' cannot name a program: {NAMES}"),
    (
        ".param x",
        1,
        1,
        "cannot read the parameter 'x': write `name: buffer f32 read`, `name: f32` or `name: pool`",
    ),
    (".param x: f33", 1, 1, f"unknown type 'f33': {TYPES}"),
    (".param x: buffer f32 append", 1, 1, "unknown access 'append': use read, write or read_write"),
    (".param r1: f32", 1, 1, f"'r1' cannot name a parameter: {NAMES}"),
    ("exit\n" * 65_537, 65_537, 1, "the program has 65537 instructions: at most 65536 are allowed"),
]

# What is wrong with the program as a whole has no line.
WHOLE_TEXTS = {
    ".entry x": "the entry label 'x' is not placed",
    ".local 4097": "4097 bytes of local memory: a lane has at most 4096",
    ".shared 16777217": "16777217 bytes of shared memory: at most 16777216 are allowed",
    '.program "\\ud800"': "the metadata hold a lone surrogate, which is no text",
}


@pytest.mark.parametrize(("source", "line", "column", "text"), TEXTS, ids=[source[:40] for source, *_ in TEXTS])
def test_text(source: str, line: int, column: int, text: str) -> None:
    with pytest.raises(IsaError) as caught:
        Program.from_text(source)
    assert str(caught.value) == f"line {line}, column {column}: {text}"
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(("source", "text"), WHOLE_TEXTS.items(), ids=WHOLE_TEXTS)
def test_text_as_a_whole(source: str, text: str) -> None:
    check(lambda: Program.from_text(source), text)


def with_checksum(body: bytes) -> bytes:
    return body + zlib.crc32(body).to_bytes(4, "little")


HEAD = b"HGPR\x01\x00"


def body(rest: bytes) -> bytes:
    return with_checksum(HEAD + rest)


def instruction(code: bytes) -> bytes:
    """A program of one instruction, which starts at offset 13; it has no label."""
    return body(b"\0\0\0\0\0\0\1" + code)


BYTES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "these bytes are no program: they do not start with HGPR"),
    "another file": (b"\x7fELF" + b"\0" * 20, "these bytes are no program: they do not start with HGPR"),
    "short": (HEAD, "damaged program bytes: they end too soon"),
    "version": (
        with_checksum(b"HGPR\x03" + b"\0" * 8),
        "the program has the version 03.00; this release reads 01.00 to 02.01",
    ),
    "flags": (
        with_checksum(b"HGPR\x01\x02" + b"\0" * 7),
        "the program has the version 01.02; this release reads 01.00 to 02.01",
    ),
    "checksum": (HEAD + b"\0" * 11, "damaged program bytes: the checksum does not fit"),
    "cut": (body(b"\0\0"), "damaged program bytes at offset 8: 1 bytes are missing"),
    "cut name": (body(b"\5ab"), "damaged program bytes at offset 7: 5 bytes are missing"),
    "long name": (body(b"\xff\xff\xff\xff\x0f"), "damaged program bytes at offset 10: a number is not below 16777216"),
    "UTF-8": (body(b"\1\xff\0\0\0\0\0\0"), "damaged program bytes at offset 8: a text is not UTF-8"),
    "metadata key": (body(b"\0\1\1 \0\0\0\0\0\0"), f"' ' cannot name a metadata entry: {NAMES}"),
    "many parameters": (body(b"\0\0\xff\xff\x7f"), "damaged program bytes at offset 11: a number is not below 131073"),
    "parameter kind": (body(b"\0\0\1\3\1x"), "damaged program bytes at offset 10: no parameter kind has the number 3"),
    "parameter type": (body(b"\0\0\1\1\1x\x18"), "damaged program bytes at offset 13: no type has the number 24"),
    "parameter access": (body(b"\0\0\1\0\1x\0\3"), "damaged program bytes at offset 14: no access has the number 3"),
    "parameter name": (body(b"\0\0\1\2\2r1\0\0\0\0"), f"'r1' cannot name a parameter: {NAMES}"),
    "shared memory": (
        body(b"\0\0\0\xff\xff\xff\x7f\0\0\0"),
        "268435455 bytes of shared memory: at most 16777216 are allowed",
    ),
    "label": (body(b"\0\0\0\0\1\1x\1\0\0"), "label 'x' is at 1, outside the program of 0 instructions"),
    "entry": (body(b"\0\0\0\0\0\1\0"), "damaged program bytes at offset 12: a number is not below 1"),
    "many instructions": (
        body(b"\0\0\0\0\0\0\x81\x80\x04"),
        "damaged program bytes at offset 15: a number is not below 65537",
    ),
    "opcode": (instruction(b"\0"), "damaged program bytes at offset 14: no instruction has the opcode 0x0"),
    "type": (instruction(b"\x10\x18\1\2\3"), "damaged program bytes at offset 15: no type has the number 24"),
    "operand": (instruction(b"\x10\0\1\2"), "damaged program bytes at offset 17: 1 bytes are missing"),
    "more bytes": (instruction(b"\x53\x53"), "damaged program bytes at offset 14: bytes follow the last instruction"),
    "padded number": (instruction(b"\xd3\x00"), "damaged program bytes: they are not in canonical form"),
    "predicate": (instruction(b"\x3a\x10\1"), "no predicate p16: a lane has p0 to p15"),
    "negation": (
        instruction(b"\x3a\x80\1"),
        "!p0 is negated: only the guard of BRA can be; use PNOT or swap the operands",
    ),
    "condition": (
        instruction(b"\x36\x0a\0\0\1\2"),
        "damaged program bytes at offset 15: Condition has no member with the number 10",
    ),
    "boolean": (instruction(b"\x4c\0\1\2\2"), "damaged program bytes at offset 18: 2 is neither true nor false"),
    "label number": (instruction(b"\x51\0"), "damaged program bytes at offset 15: no label has the number 0"),
    "presence": (instruction(b"\x70\1\2"), "damaged program bytes at offset 16: no presence has the number 2"),
    "address mode": (instruction(b"\1\0\1\7"), "damaged program bytes at offset 17: no address mode has the number 7"),
    "address base": (
        instruction(b"\1\0\1\0\7"),
        "damaged program bytes at offset 18: no operand form has the number 7",
    ),
    "address parts": (
        instruction(b"\1\0\1\2\3\5\0\1\0"),
        "damaged program bytes at offset 22: an address mixes parts that do not go together",
    ),
    "small integer": (instruction(b"\x60\x80\x04"), "256 is no integer from 0 to 255"),
    "size": (instruction(b"\xa0\x01\6\0\0"), f"None is no {SIZE}"),
    "large size": (
        instruction(b"\xa0\x01\6\0\3\xff\xff\xff\xff\xff\xff\x7f"),
        "562949953421311 is no size: a number is from 0 to 2**48 - 1",
    ),
    "pairs": (
        instruction(b"\x95\x02" + b"\2\0\0\1\0" * 3 + b"\0\0\1\2"),
        "damaged program bytes at offset 34: a list of pairs has an odd length",
    ),
}


@pytest.mark.parametrize(("data", "text"), BYTES.values(), ids=BYTES)
def test_bytes(data: bytes, text: str) -> None:
    check(lambda: Program.from_bytes(data), text)


KEYS = "['entry', 'hologram_program', 'instructions', 'labels', 'metadata', 'name', 'params', 'shared_memory']"
VERSION = f"the JSON is no program of version 1: it has to have exactly {KEYS}"
SMALL: dict[str, Any] = json.loads(small().to_json())
ADD = {"op": "add", "ty": "f32", "dst": "r1", "lhs": "r2", "rhs": "r3"}

JSON: list[tuple[dict[str, Any], str]] = [
    ({"hologram_program": 2}, VERSION),
    ({"other": 1}, VERSION),
    ({"hologram_program": True}, "'hologram_program' of the JSON has to be a int, not bool"),
    ({"name": 5}, "'name' of the JSON has to be a str, not int"),
    ({"metadata": []}, "'metadata' of the JSON has to be a dict, not list"),
    ({"metadata": {"a": 5}}, "the metadata entry 'a' is 5: it has to be text"),
    ({"metadata": {"a b": ""}}, f"'a b' cannot name a metadata entry: {NAMES}"),
    ({"params": {}}, "'params' of the JSON has to be a list, not dict"),
    ({"params": [5]}, "the parameter 5 is no text such as 'x: buffer f32 read'"),
    ({"local_memory": 1.0}, "'local_memory' of the JSON has to be a int, not float"),
    ({"shared_memory": 1.0}, "'shared_memory' of the JSON has to be a int, not float"),
    ({"shared_memory": -1}, "-1 bytes of shared memory: at most 16777216 are allowed"),
    ({"labels": {"x": "1"}}, "labels map names to instruction indices"),
    ({"labels": {"x": True}}, "labels map names to instruction indices"),
    ({"labels": {"x": 8}}, "label 'x' is at 8, outside the program of 7 instructions"),
    ({"labels": {"p1": 0}}, f"'p1' cannot name a label: {NAMES}"),
    ({"entry": 5}, f"5 cannot name a label: {NAMES}"),
    ({"entry": "middle"}, "the entry label 'middle' is not placed"),
    ({"instructions": [5]}, "instruction 0 is no object with an 'op'"),
    ({"instructions": [ADD, {}]}, "instruction 1 is no object with an 'op'"),
    ({"instructions": [{"op": "nope"}]}, "instruction 0: unknown instruction 'nope'"),
    ({"instructions": [{**ADD, "src": "r1"}]}, "instruction 0: ADD has no operand 'src'"),
    (
        {"instructions": [{"op": "add", "ty": "f32", "dst": "r1", "lhs": "r2"}]},
        "instruction 0: ADD misses its operand 'rhs': it has ty, dst, lhs, rhs",
    ),
    (
        {"instructions": [ADD, {**ADD, "rhs": 3}]},
        "instruction 1: ADD, operand rhs: 3 is no register: JSON gives it as text",
    ),
    ({"instructions": [{**ADD, "rhs": "p1"}]}, "instruction 0: ADD, operand rhs: 'p1' is no register"),
    ({"instructions": [{**ADD, "ty": "f33"}]}, f"instruction 0: ADD, operand ty: unknown type 'f33': {TYPES}"),
    (
        {"instructions": [{"op": "mov_imm", "ty": "u8", "dst": "r1", "value": "256"}]},
        "instruction 0: MOV_IMM, operand value: the immediate 256 does not fit u8: it has 8 bits",
    ),
    (
        {"instructions": [{"op": "mov_imm", "dst": "r1", "value": "256"}]},
        f"instruction 0: MOV_IMM, operand value: unknown type 'None': {TYPES}",
    ),
    (
        {"instructions": [{"op": "bar_sync", "id": 256}]},
        "instruction 0: BarSync, operand id: 256 is no integer from 0 to 255",
    ),
    (
        {"instructions": [{"op": "bar_sync", "id": "1"}]},
        "instruction 0: BarSync, operand id: '1' is no integer from 0 to 255",
    ),
    (
        {"instructions": [{"op": "transpose", "shape": "(1)"}]},
        "instruction 0: Transpose, operand shape: '(1)' is no tuple of integers",
    ),
    ({"instructions": [ADD] * 65537}, "the program has 65537 instructions: at most 65536 are allowed"),
]


@pytest.mark.parametrize(("changes", "text"), JSON, ids=[text[:60] for _, text in JSON])
def test_json(changes: dict[str, Any], text: str) -> None:
    check(lambda: Program.from_json(json.dumps({**SMALL, **changes})), text)


def test_text_that_is_no_json() -> None:
    place = "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
    check(lambda: Program.from_json("{"), f"this is no JSON: {place}")
    check(lambda: Program.from_json("[]"), VERSION)
    check(lambda: Program.from_json("[" * 100_000), "this is no JSON of a program: it is nested too deeply")
    check(lambda: Program.from_json(None), "a program's JSON is text of at most 33554432 characters")  # type: ignore[arg-type]
