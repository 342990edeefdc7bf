"""Whole error texts of registers, names, addresses, parameters, programs and the builder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hologram_web as hg
from hologram_web.isa import (
    Access,
    Address,
    BufferHandle,
    Instruction,
    Label,
    Param,
    PoolHandle,
    Predicate,
    Program,
    ProgramBuilder,
    ProgramMetadata,
    Register,
    Type,
    p,
    r,
)
from tests.isa.messages import FORMS, NAMES, TYPES, Case, check, ids

F32 = Type.F32
Ins: Any = Instruction

PARTS: list[Case] = [
    (lambda: Register(256), "no register r256: a lane has r0 to r255"),
    (lambda: Register(-1), "no register r-1: a lane has r0 to r255"),
    (lambda: Register(True), "no register rTrue: a lane has r0 to r255"),
    (lambda: r(1.0), "no register r1.0: a lane has r0 to r255"),  # type: ignore[arg-type]
    (lambda: Predicate(16), "no predicate p16: a lane has p0 to p15"),
    (lambda: p(-1), "no predicate p-1: a lane has p0 to p15"),
    (lambda: BufferHandle(-1), "the handle #-1 is not an integer from 0 to 2**48 - 1"),
    (lambda: PoolHandle(1 << 48), "the handle #281474976710656 is not an integer from 0 to 2**48 - 1"),
    (lambda: Type.named("F33"), f"unknown type 'F33': {TYPES}"),
    (lambda: Access.named("append"), "unknown access 'append': use read, write or read_write"),
    *(
        (lambda name=name: Label(name), f"{name!r} cannot name a label: {NAMES}")
        for name in ("", "p1", "r256", "9a", "a b", "é", "x\n", "none", "inf", "shared", "x" * 129, 5, None)
    ),
]

ADDRESSES: list[Case] = [
    (lambda: Address.Buffer(5), "5 is no base of a buffer address: give a str or Register or BufferHandle"),  # type: ignore[arg-type]
    (
        lambda: Address.Buffer(PoolHandle(1)),  # type: ignore[arg-type]
        "PoolHandle(id=1) is no base of a buffer address: give a str or Register or BufferHandle",
    ),
    (lambda: Address.Buffer("shared"), f"'shared' cannot name a parameter: {NAMES}"),
    (lambda: Address.Buffer("x", 1 << 40), "the address offset 1099511627776 is not an integer below 2**40"),
    (lambda: Address.Buffer("x", -(1 << 40)), "the address offset -1099511627776 is not an integer below 2**40"),
    (lambda: Address.Buffer("x", 1.5), "the address offset 1.5 is not an integer below 2**40"),  # type: ignore[arg-type]
    (lambda: Address.Shared(True), "the address offset True is not an integer below 2**40"),
    (
        lambda: Address.Pool(BufferHandle(1)),  # type: ignore[arg-type]
        "BufferHandle(id=1) is no base of a pool address: give a str or Register or PoolHandle",
    ),
    (lambda: Address.Class("5"), "'5' is no base of a class address: give a int"),  # type: ignore[arg-type]
    (lambda: Address.Class(True), "True is no base of a class address: give a int"),
    (lambda: Address.Class(256), "class 256 does not exist: classes are 0 to 95"),
    (lambda: Address.Class(-1), "class -1 does not exist: classes are 0 to 95"),
    *(
        (make, "Address.Register(pointer) takes one register made by LEA, no scale and no offset")
        for make in (
            lambda: Address.Register("x"),
            lambda: Address.Register(r(1), scale=4),
            lambda: Address.Register(r(1), offset=4),
        )
    ),
    (lambda: Address.Register("x", 5), "the address index 5 is not a register: a constant goes into the offset"),  # type: ignore[arg-type]
    (lambda: Address.Register("x", r(1), scale=0), "the address scale 0 is not an integer from 1 to 65536"),
    (lambda: Address.Register("x", r(1), scale=65537), "the address scale 65537 is not an integer from 1 to 65536"),
    *(
        (
            lambda base=base: Address.Register(base, r(2)),
            f"{base} cannot be the base of an indexed address: its place is computed already",
        )
        for base in (Address.Register(r(1)), Address.Register("x", r(1)), Address.Phi(1, 2, 3))
    ),
    (lambda: Address.Phi(256, 0, 0), "256 is no Phi coordinate: use a register or an integer from 0 to 255"),
    (lambda: Address.Phi(0, -1, 0), "-1 is no Phi coordinate: use a register or an integer from 0 to 255"),
    (lambda: Address.Phi(0, 0, True), "True is no Phi coordinate: use a register or an integer from 0 to 255"),
    (lambda: Address.Phi("r1", 0, 0), "'r1' is no Phi coordinate: use a register or an integer from 0 to 255"),  # type: ignore[arg-type]
]

ADDRESS_TEXTS: list[tuple[str, str]] = [
    *(
        (text, f"cannot read the address {text!r}: {FORMS}")
        for text in (
            "",
            "x",
            "[x",
            "x]",
            "[]",
            "[x + 5 + 5]",
            "[x + y]",
            "[x*4]",
            "[*x]",
            "[phi 1, 2]",
            "[r1 + r2 + r3]",
        )
    ),
    ("[x + r256]", "no register r256: a lane has r0 to r255"),
    ("[r256]", "no register r256: a lane has r0 to r255"),
    ("[*r256]", "no register r256: a lane has r0 to r255"),
    ("[r1000]", f"'r1000' cannot name a parameter: {NAMES}"),
    ("[buffer 5]", f"'5' cannot name a parameter: {NAMES}"),
    ("[class]", f"'class' cannot name a parameter: {NAMES}"),
    ("[class x]", "the class in '[class x]' is not a number from 0 to 95"),
    ("[class #5]", "the class in '[class #5]' is not a number from 0 to 95"),
    ("[class 300]", "class 300 does not exist: classes are 0 to 95"),
    ("[pool shared]", "'[pool shared]' names two memories: write [shared + 8]"),
    ("[pool .local]", "'[pool .local]' names two memories: write [.local + 8]"),
    ("[#5]", "the handle in '[#5]' needs a kind: write [buffer #5] or [pool #5]"),
    ("[buffer #999999999999999999]", "the handle #999999999999999999 is not an integer from 0 to 2**48 - 1"),
    ("[x + r1*0]", "the address scale 0 is not an integer from 1 to 65536"),
    ("[x + r1*65537]", "the address scale 65537 is not an integer from 1 to 65536"),
    ("[x + 1099511627776]", "the address offset 1099511627776 is not an integer below 2**40"),
    ("[x - 1099511627776]", "the address offset -1099511627776 is not an integer below 2**40"),
    ("[phi 1, 2, x]", "cannot read the coordinate 'x' of '[phi 1, 2, x]': write a register or a number"),
    ("[phi 1, , 2]", "cannot read the coordinate '' of '[phi 1, , 2]': write a register or a number"),
    ("[phi 1, 2, 256]", "256 is no Phi coordinate: use a register or an integer from 0 to 255"),
]

SHAPE = "a buffer has a type and an access, a scalar a type, a pool neither"
PROGRAMS: list[Case] = [
    (lambda: Param("x", "buffer", F32), f"parameter 'x': {SHAPE}"),
    (lambda: Param("x", "scalar"), f"parameter 'x': {SHAPE}"),
    (lambda: Param("x", "pool", F32), f"parameter 'x': {SHAPE}"),
    (lambda: Param("x", "thing"), f"parameter 'x': {SHAPE}"),
    (lambda: Param("5", "pool"), f"'5' cannot name a parameter: {NAMES}"),
    (lambda: Program().target("x"), "label 'x' is not placed: place it, or branch to one of []"),
    (
        lambda: Program(labels={"b": 0, "a": 0}).target(Label("x")),
        "label 'x' is not placed: place it, or branch to one of ['a', 'b']",
    ),
    (lambda: Program(entry="x").to_bytes(), "the entry label 'x' is not placed"),
    (lambda: Program(labels={"x": 1}).to_bytes(), "label 'x' is at 1, outside the program of 0 instructions"),
    (lambda: Program(labels={"x": -1}).to_bytes(), "label 'x' is at -1, outside the program of 0 instructions"),
    (lambda: Program(labels={"5": 0}).to_bytes(), f"'5' cannot name a label: {NAMES}"),
    (
        lambda: Program([Ins.CALL("f")]).to_bytes(),
        "label 'f' is used but not placed: the binary form cannot express that",
    ),
    (
        lambda: Program(shared_memory=-1).to_bytes(),
        "-1 bytes of shared memory: at most 16777216 are allowed",
    ),
    (
        lambda: Program(local_memory=4097).to_bytes(),
        "4097 bytes of local memory: a lane has at most 4096",
    ),
    (
        lambda: Program(metadata=ProgramMetadata("\ud800")).to_bytes(),
        "the metadata hold a lone surrogate, which is no text",
    ),
    (
        lambda: Program(metadata=ProgramMetadata("", {"a b": ""})).to_bytes(),
        f"'a b' cannot name a metadata entry: {NAMES}",
    ),
    (
        lambda: Program(metadata=ProgramMetadata("x", {"a": "y" * (1 << 20)})).to_bytes(),
        "the metadata have 1048577 bytes: at most 1048576 are allowed",
    ),
    (
        lambda: Program([Ins.EXIT()] * 65537).to_bytes(),
        "the program has 65537 instructions: at most 65536 are allowed",
    ),
    (
        lambda: Program(params=[Param("x", "pool")] * 131073).to_bytes(),
        "the program has more than 131072 parameters, labels or metadata entries",
    ),
]


def builder() -> ProgramBuilder:
    return ProgramBuilder("test")


BUILDER: list[Case] = [
    (lambda: builder().place("x").place("x"), "label 'x' is placed twice: at 0 and at 0"),
    (lambda: builder().place("x").add_exit().place(Label("x")), "label 'x' is placed twice: at 0 and at 1"),
    (lambda: builder().place("p0"), f"'p0' cannot name a label: {NAMES}"),
    (lambda: builder().label("p0"), f"'p0' cannot name a label: {NAMES}"),
    (lambda: builder().add_add(F32, r(1)), "ADD misses its operand 'lhs': it has ty, dst, lhs, rhs"),
    *(
        (
            lambda count=count: builder().loop(r(1), count).__enter__(),
            f"a loop runs 0 to 2**32 - 1 times, not {count!r}",
        )
        for count in (-1, 1 << 32, "5", 1.0, None)
    ),
    (lambda: builder().param_buffer("x", F32, "rw"), "unknown access 'rw': use read, write or read_write"),
    (lambda: builder().param_scalar("pool"), f"'pool' cannot name a parameter: {NAMES}"),
    (lambda: builder().param_pool("1"), f"'1' cannot name a parameter: {NAMES}"),
]


@pytest.mark.parametrize(("make", "text"), PARTS, ids=ids(PARTS))
def test_parts(make: Callable[[], object], text: str) -> None:
    check(make, text)


@pytest.mark.parametrize(("make", "text"), ADDRESSES, ids=ids(ADDRESSES))
def test_addresses(make: Callable[[], object], text: str) -> None:
    check(make, text)


@pytest.mark.parametrize(("source", "text"), ADDRESS_TEXTS, ids=[source for source, _ in ADDRESS_TEXTS])
def test_texts_of_addresses(source: str, text: str) -> None:
    check(lambda: Address.parse(source), text)


@pytest.mark.parametrize(("make", "text"), PROGRAMS, ids=ids(PROGRAMS))
def test_programs(make: Callable[[], object], text: str) -> None:
    check(make, text)


@pytest.mark.parametrize(("make", "text"), BUILDER, ids=ids(BUILDER))
def test_builder(make: Callable[[], object], text: str) -> None:
    check(make, text)


def test_too_many_parameters() -> None:
    many = builder()
    registers = [many.param_scalar(f"a{number}") for number in range(242)]
    assert registers[-1] == r(242)
    check(lambda: many.param_buffer("x"), "a program has at most 242 parameters")
    assert len(many.build().params) == 242


def test_methods_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="ProgramBuilder has no 'add_foo'"):
        builder().add_foo()
    assert {"add_add", "add_gemm", "param_buffer"} <= set(dir(builder()))


def test_a_message_lists_the_first_problems_and_says_how_many_there_are() -> None:
    """It was 8 MB for a program of 1 MB."""
    program = Program.from_text("add.u32 r1, r2, r2\n" * 30)
    with pytest.raises(hg.IsaError) as caught:
        program.validate()
    every = [
        f"instruction {k} (add.u32 r1, r2, r2): r2 is read but not written: write it before this instruction"
        for k in range(30)
    ]
    listed = [*every[:20], "and 10 more: Program.problems() has all of them"]
    assert str(caught.value) == "\n  ".join(["program has 30 problems:", *listed])
    assert list(caught.value.problems) == program.problems() == every
