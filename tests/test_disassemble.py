"""The WebAssembly disassembler: its text makes the same code again, and damaged bytes give a MalformedModule, soon."""

from __future__ import annotations

import time

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from hologram_web.errors import CompileError
from hologram_web.targets.wasm.encoder import FunctionBody, Module, unsigned
from hologram_web.targets.wasm.opcodes import OPCODES
from hologram_web_tools.disassemble import MalformedModule, disassemble

from .clock import within
from .test_targets import compiled

_SECONDS = 3.0


def _sections(code):
    """The sections of a module by their number, without custom ones (names)."""
    found, at = {}, 8
    while at < len(code):
        number, size, shift, at = code[at], 0, 0, at + 1
        while True:
            size |= (code[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if code[at - 1] < 0x80:
                break
        found[number] = code[at : at + size]
        at += size
    found.pop(0, None)
    return found


def _module(*code, locals_=(), name="f", params=(), results=(), constants=()):
    module = Module()
    for value in constants:
        module.constant(value)
    module.add(FunctionBody(name, params, results, list(locals_), list(code), exported=True))
    return module.encode()


def test_the_text_of_every_filetest_makes_the_same_code():
    _, modules, _ = compiled()
    assert len(modules) > 150
    different = [
        name
        for name, code in modules.items()
        if _sections(bytes(wasmtime.wat2wasm(disassemble(code)))) != _sections(code)
    ]
    assert different == []


def _sample(kinds):
    return {
        "": (), "u": (0,), "i32": (-5,), "i64": (1 << 40,), "f32": (0x3FC00000,), "f64": (0x7FF8 << 48,), "mem": (0, 7),
        "block": ("i32",), "table": ((0, 0, 0),), "memory": (), "memory memory": (),
        "v128": (bytes(range(16)),), "lane": (1,), "mem lane": (0, 7, 1),
    }[kinds]  # fmt: skip


def test_every_opcode_reads_back():
    """One function that holds each instruction of the table once; it need not be valid."""
    names = [name for name in OPCODES if name not in ("else", "end", "block", "loop", "if")]
    code = [(name, *_sample(OPCODES[name][1])) for name in names]
    control = [("block", None), ("loop", "f64"), ("end",), ("if", "i64"), ("else",), ("end",), ("end",)]
    text = disassemble(_module(*code, *control, locals_=["i32"], constants=[bytes(range(16))]))
    words = [line.split()[0] for line in text.splitlines() if line.strip()]
    assert [word for word in words if word in OPCODES] == [*names, *(name for name, *_ in control)]


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("top", [0, 1, 0x3FC0, 0x3FFB, 0x7F80, 0x7F81, 0x7FC0, 0x7FF0, 0x7FF8, 0x8000, 0xFF80, 0xFFFF])
@pytest.mark.parametrize("low", [0, 1, 0xABCD])
def test_floats_keep_their_bits(kind, top, low):
    bits = top << (int(kind[1:]) - 16) | low
    code = _module((f"{kind}.const", bits), results=(kind,))
    assert _sections(bytes(wasmtime.wat2wasm(disassemble(code)))) == _sections(code)


def test_names_are_made_fit_for_text():
    module = Module()
    for name in ("a b", "a_b", '"', "", "x" * 1000):
        body = FunctionBody(name, ("i32", "i32"), (), exported=True)
        body.names = {0: "same", 1: "same"}
        module.add(body)
    text = disassemble(module.encode())
    assert "(func $a_b (export " in text
    assert "(func $a_b.1 (export " in text
    assert "(param $same i32) (param $same.1 i32)" in text
    assert max(map(len, text.splitlines())) < 6000 + 1000 * 7
    assert _sections(bytes(wasmtime.wat2wasm(text))) == _sections(module.encode())


def test_without_names_locals_have_numbers():
    code = _module(("local.get", 0), ("local.set", 1), params=("i32",), locals_=["i32"])
    bare = code[: code.index(b"\x04name") - 2]
    assert '(func $f0 (export "f")' in disassemble(bare)
    assert "local.get $l0\n    local.set $l1" in disassemble(bare)


def _refused(code):
    with pytest.raises(MalformedModule) as error:
        disassemble(code)
    assert isinstance(error.value, CompileError)
    assert 0 <= error.value.offset <= len(code)
    return str(error.value)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (b"", "byte 0: a module starts with \\0asm and the version 1"),
        (b"\0asm\x02\0\0\0", "byte 0: a module starts with \\0asm and the version 1"),
        (b"\0asm\x01\0\0\0\x04\x01\x00", "byte 8: section 4 is not one that the encoder writes"),
        (b"\0asm\x01\0\0\0\x06\x06\x01\x7f\0\x41\0\x0b", "byte 11: a global that is no constant vector"),
        (_module(("global.get", 0)), "global 0 of 0"),
        (b"\0asm\x01\0\0\0\x03\x01\x00\x01\x01\x00", "byte 11: section 1 may not stand behind section 3"),
        (b"\0asm\x01\0\0\0\x01\x05\x00", "byte 9: 5 bytes of a section do not fit into the 1 bytes left"),
        (_module(("local.get", 0)), "local 0 of 0"),
        (_module(("call", 7)), "function 7 of 1"),
        (_module(("br", 2)), "label 2 of 1"),
        (_module(("else",)), "an else outside of every if"),
        (_module(("i32.load", 3, 0)), "i32.load cannot be aligned to 2**3 bytes"),
        (_module(locals_=["i32"] * 100_001), "more than 100,000 locals and results"),
        (_module(("nop",)).replace(b"\x01\x0b", b"\x06\x0b"), "the opcode 06 is not one that the encoder writes"),
        (_module(("memory.fill",)).replace(b"\xfc\x0b\x00", b"\xfc\x0b\x01"), "there is one memory, number 0"),
    ],
    ids=lambda value: value[-30:] if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(code, reason):
    assert reason in _refused(code)


def _quick(code):
    start = time.process_time()
    try:
        text, offset = disassemble(code), 0
    except MalformedModule as error:
        text, offset = str(error), error.offset
    assert 0 <= offset <= len(code)
    assert within(time.process_time() - start, _SECONDS)
    assert len(text) < 200 * len(code) + 100_000 * 20


@given(st.data())
def test_damaged_modules_give_text_or_an_error(data):
    _, modules, _ = compiled()
    code = bytearray(modules[data.draw(st.sampled_from(sorted(modules)))])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(code) - 1))
        match data.draw(st.sampled_from(["change", "cut", "drop", "insert"])):
            case "change":
                code[place] = data.draw(st.integers(0, 255))
            case "cut":
                del code[max(place, 1) :]
            case "drop":
                del code[place : place + data.draw(st.integers(1, 9))]
            case _:
                code[place:place] = data.draw(st.binary(min_size=1, max_size=9))
        code = code or bytearray(b"\0")
    _quick(bytes(code))


@given(st.binary(max_size=200))
def test_any_bytes_after_a_good_start(tail):
    _quick(b"\0asm\x01\0\0\0" + tail)
    _quick(_module()[:-20] + tail)


_NEST = b"\x02\x40" * 200_000
_COUNT = unsigned(50_000)
_MANY = _COUNT + b"\x00" * 50_000  # functions of type 0


def _raw(*sections):
    return b"\0asm\x01\0\0\0" + b"".join(bytes([n]) + unsigned(len(body)) + body for n, body in sections)


@pytest.mark.parametrize(
    "code",
    [
        _raw((1, b"\x01\x60\0\0"), (3, b"\x01\0"), (10, b"\x01" + unsigned(len(_NEST) + 1) + b"\0" + _NEST)),
        _raw((1, b"\x01\x60\0" + _COUNT + b"\x7f" * 50_000), (3, _MANY), (10, _COUNT + b"\2\0\x0b" * 50_000)),
        _raw((1, b"\x01\x60\0\0"), (3, _MANY), (10, _COUNT + b"\x08\1\xff\xff\xff\xff\x0f\x7f\x0b" * 50_000)),
        _raw((1, b"\x01\x60\0\0"), (3, b"\xff\xff\xff\xff\x0f")),
        _module(*[("call", 0)] * 50_000, name="x" * 50_000),
    ],
    ids=["nesting", "results", "locals", "counts", "names"],
)  # fmt: skip
def test_hostile_modules_take_no_time(code):
    _quick(code)
