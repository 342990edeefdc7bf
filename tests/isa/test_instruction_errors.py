"""Whole error texts of instructions made by calls."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hologram_web.isa import Address, Immediate, Instruction, Program, Type, p, r
from tests.isa.messages import CONDITIONS, FACTOR, MAPS, NAMES, SIZE, TYPES, Case, check, ids

X = Address.Buffer("x")
F32, U8, I32 = Type.F32, Type.U8, Type.I32
Ins: Any = Instruction

INSTRUCTIONS: list[Case] = [
    # How many, and which
    (lambda: Ins.ADD(F32, r(1), r(2)), "ADD misses its operand 'rhs': it has ty, dst, lhs, rhs"),
    (lambda: Ins.ADD(), "ADD misses its operand 'ty': it has ty, dst, lhs, rhs"),
    (lambda: Ins.ADD(F32, r(1), r(2), r(3), r(4)), "ADD takes 4 operands (ty, dst, lhs, rhs), not 5"),
    (lambda: Ins.EXIT(r(1)), "EXIT takes 0 operands (none), not 1"),
    (lambda: Ins.EXIT(dst=r(1)), "EXIT has no operand 'dst': it has none"),
    (lambda: Ins.ADD(F32, r(1), r(2), r(3), foo=1), "ADD has no operand 'foo': it has ty, dst, lhs, rhs"),
    (lambda: Ins.ADD(F32, r(1), r(2), r(3)).replace(pred=1), "ADD has no operand 'pred': it has ty, dst, lhs, rhs"),
    (lambda: Ins.ADD(F32, r(1), r(2), r(3), lhs=r(4)), "ADD got its operand 'lhs' twice"),
    (lambda: Ins.ADD(F32, r(1), src1=r(2), lhs=r(3), rhs=r(4)), "ADD got its operand 'lhs' twice"),
    # Wrong kinds
    (lambda: Ins.ADD("f33", r(1), r(2), r(3)), f"ADD, operand ty: unknown type 'f33': {TYPES}"),
    (lambda: Ins.ADD(5, r(1), r(2), r(3)), "ADD, operand ty: 5 is no type"),
    (lambda: Ins.ADD(F32, None, r(2), r(3)), "ADD, operand dst: None is no register"),
    (lambda: Ins.ADD(F32, r(1), r(2), 3), "ADD, operand rhs: 3 is no register"),
    (lambda: Ins.ADD(F32, r(1), r(2), "r3"), "ADD, operand rhs: 'r3' is no register"),
    (lambda: Ins.ADD(F32, p(1), r(2), r(3)), "ADD, operand dst: Predicate(index=1, negated=False) is no register"),
    (lambda: Ins.PAND(p(1), r(2), p(3)), "PAND, operand a: Register(index=2) is no predicate"),
    (lambda: Ins.BRA("loop", r(1)), "BRA, operand pred: Register(index=1) is no predicate or its negation"),
    (lambda: Ins.BRA(5), "BRA, operand target: 5 is no label"),
    (lambda: Ins.BRA("r1"), f"BRA, operand target: 'r1' cannot name a label: {NAMES}"),
    (lambda: Ins.LDG(F32, r(1), "x"), "LDG, operand src: 'x' is no address"),
    (lambda: Ins.LDG(F32, r(1), r(2)), "LDG, operand src: Register(index=2) is no address"),
    (lambda: Ins.SETcc("less", F32, p(0), r(1), r(2)), f"SETcc, operand cond: 'less' is no {CONDITIONS}"),
    (lambda: Ins.SETcc(5, F32, p(0), r(1), r(2)), f"SETcc, operand cond: 5 is no {CONDITIONS}"),
    (lambda: Ins.GEMM(X, X, X, 1, 1, 1, activation="add"), f"GEMM, operand activation: 'add' is no {MAPS}"),
    (lambda: Ins.GEMM(X, X, X, 1, 1, 1, trans_a=1), "GEMM, operand trans_a: 1 is no boolean (true or false)"),
    (
        lambda: Ins.ParallelReduce("add", "x", X, 1),
        "ParallelReduce, operand dst: 'x' is no result: an address or a register",
    ),
    (
        lambda: Ins.PoolFree(5),
        "PoolFree, operand handle: 5 is no pool: #number, a register or the name of a pool parameter",
    ),
    # Negated predicates
    (
        lambda: Ins.SEL(F32, r(1), ~p(0), r(2), r(3)),
        "SEL, operand pred: !p0 is negated: only the guard of BRA can be; use PNOT or swap the operands",
    ),
    (
        lambda: Ins.PNOT(~p(15), p(1)),
        "PNOT, operand pred: !p15 is negated: only the guard of BRA can be; use PNOT or swap the operands",
    ),
    # Immediates
    (lambda: Ins.MOV_IMM(U8, r(1), 256), "MOV_IMM, operand value: the immediate 256 does not fit u8: it has 8 bits"),
    (lambda: Ins.MOV_IMM(U8, r(1), -129), "MOV_IMM, operand value: the immediate -129 does not fit u8: it has 8 bits"),
    (
        lambda: Ins.MOV_IMM("u4096", r(1), 1 << 4096),
        "MOV_IMM, operand value: the immediate of 4097 bits does not fit u4096: it has 4096 bits",
    ),
    (
        lambda: Ins.MOV_IMM(U8, r(1), -(10**5000)),
        "MOV_IMM, operand value: the immediate of 16610 bits does not fit u8: it has 8 bits",
    ),
    (
        lambda: Ins.MOV_IMM(I32, r(1), 1.5),
        "MOV_IMM, operand value: the immediate 1.5 is no integer, and i32 is an integer type",
    ),
    (
        lambda: Ins.MOV_IMM(I32, r(1), math.nan),
        "MOV_IMM, operand value: the immediate nan is no integer, and i32 is an integer type",
    ),
    (lambda: Ins.MOV_IMM(I32, r(1), True), "MOV_IMM, operand value: True is no number"),
    (lambda: Ins.MOV_IMM(I32, r(1), np.True_), "MOV_IMM, operand value: True is no number"),
    (lambda: Ins.MOV_IMM(I32, r(1), "1"), "MOV_IMM, operand value: '1' is no number"),
    (lambda: Ins.MOV_IMM(I32, r(1), np.array([1, 2])), "MOV_IMM, operand value: array([1, 2]) is no number"),
    (
        lambda: Ins.MOV_IMM(I32, r(1), Immediate(Type.U32, 1)),
        "MOV_IMM, operand value: the immediate 1 has the type u32, the instruction i32",
    ),
    (lambda: Immediate(U8, 256), "these are no bits of u8: Immediate.of(Type.U8, number) takes a number"),
    (lambda: Immediate(U8, -1), "these are no bits of u8: Immediate.of(Type.U8, number) takes a number"),
    (lambda: Immediate(F32, 1.5), "these are no bits of f32: Immediate.of(Type.F32, number) takes a number"),  # type: ignore[call-overload]
    # Small integers
    (lambda: Ins.BarSync(256), "BarSync, operand id: 256 is no integer from 0 to 255"),
    (lambda: Ins.BarSync(-1), "BarSync, operand id: -1 is no integer from 0 to 255"),
    (lambda: Ins.BarSync(True), "BarSync, operand id: True is no integer from 0 to 255"),
    (lambda: Ins.BarSync(1.0), "BarSync, operand id: 1.0 is no integer from 0 to 255"),
    (lambda: Ins.NBRLoad(F32, r(1), r(2), 128), "NBRLoad, operand offset: 128 is no integer from -128 to 127"),
    (lambda: Ins.PhaseAdv(65536), "PhaseAdv, operand amount: 65536 is no integer from 0 to 65535"),
    # Sizes and factors
    (lambda: Ins.Copy(X, X, -1), "Copy, operand count: -1 is no size: a number is from 0 to 2**48 - 1"),
    (
        lambda: Ins.Copy(X, X, 1 << 48),
        "Copy, operand count: 281474976710656 is no size: a number is from 0 to 2**48 - 1",
    ),
    (lambda: Ins.Copy(X, X, 1.0), f"Copy, operand count: 1.0 is no {SIZE}"),
    (lambda: Ins.Copy(X, X, True), f"Copy, operand count: True is no {SIZE}"),
    (lambda: Ins.Copy(X, X, "r1"), f"Copy, operand count: 'r1' cannot name a parameter: {NAMES}"),
    (lambda: Ins.Fill(X, 1, None), f"Fill, operand value: None is no {FACTOR}"),
    (lambda: Ins.Fill(X, 1, False), f"Fill, operand value: False is no {FACTOR}"),
    (lambda: Ins.Fill(X, 1, 1j), f"Fill, operand value: 1j is no {FACTOR}"),
    # Tuples
    (lambda: Ins.Transpose(X, X, 5, (1,)), "Transpose, operand shape: 5 is no tuple of integers"),
    (lambda: Ins.Transpose(X, X, (1.0,), (1,)), "Transpose, operand shape: (1.0,) is no tuple of integers"),
    (lambda: Ins.Transpose(X, X, (True,), (1,)), "Transpose, operand shape: (True,) is no tuple of integers"),
    (
        lambda: Ins.Transpose(X, X, (1 << 47,), (1,)),
        "Transpose, operand shape: (140737488355328,) is no tuple of integers",
    ),
    (lambda: Ins.Transpose(X, X, range(65), (1,)), "Transpose, operand shape: range(0, 65) is no tuple of integers"),
    (
        lambda: Ins.TensorContract(X, X, X, (1,), (1,), (1,)),
        "TensorContract, operand contract_dims: (1,) is no tuple of pairs of integers",
    ),
    (
        lambda: Ins.TensorContract(X, X, X, (1,), (1,), ((1, 2, 3),)),
        "TensorContract, operand contract_dims: ((1, 2, 3),) is no tuple of pairs of integers",
    ),
]


@pytest.mark.parametrize(("make", "text"), INSTRUCTIONS, ids=ids(INSTRUCTIONS))
def test_instructions(make: Callable[[], object], text: str) -> None:
    check(make, text)


def test_attributes_that_are_not_there() -> None:
    add = Ins.ADD(F32, r(1), r(2), r(3))
    for make, text in (
        (lambda: Ins.ADDD, "the ISA has no instruction 'ADDD'"),
        (lambda: add.src, "ADD has no operand 'src': it has ty, dst, lhs, rhs"),
        (lambda: setattr(add, "lhs", r(9)), "an Instruction cannot be changed: make another one with .replace(...)"),
    ):
        with pytest.raises(AttributeError) as caught:
            make()
        assert str(caught.value) == text


def test_numbers_of_numpy_are_numbers() -> None:
    assert Ins.MOV_IMM(I32, r(1), np.int8(-3)) == Ins.MOV_IMM(I32, r(1), -3)
    assert Ins.MOV_IMM(F32, r(1), np.float32(0.1)).value.bits == 0x3DCCCCCD
    assert Ins.Copy(X, X, np.prod([2, 3])) == Ins.Copy(X, X, 6)
    assert Ins.Fill(X, 1, np.float32(0.5)) == Ins.Fill(X, 1, np.float64(0.5)) == Ins.Fill(X, 1, 0.5)
    assert Ins.BarSync(np.uint8(7)) == Ins.BarSync(7)
    assert Ins.Fill(X, 1, 10**400).value == math.inf
    assert Program([Ins.Fill(X, 1, np.float64(2))]).to_bytes() == Program([Ins.Fill(X, 1, 2)]).to_bytes()
