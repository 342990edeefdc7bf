"""Collectives as programs: each is lowered to launches of lane programs, which are compiled like any other.

Elements are addressed by index; `place` gives the first element of each operand in its memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import LaunchError
from ..isa.instruction import Instruction
from ..isa.operands import MapOperation
from ..isa.program import Program
from ..isa.text import from_text
from ..isa.types import Type

__all__ = ["Launch", "Operands", "check_factors", "extents", "lower_collective"]


@dataclass(frozen=True)
class Launch:
    """One launch of a lane program: `lanes` along x and y, in blocks of `block`.

    `buffers` gives for each buffer parameter the operand of the collective whose memory it is, `scalars` the values
    of the scalar parameters.
    """

    program: Program
    lanes: tuple[int, int]
    block: tuple[int, int]
    buffers: dict[str, str]
    scalars: Mapping[str, int | float]


@dataclass(frozen=True)
class Operands:
    """The collective's operands: sizes and factors as numbers, `first` the first element of each address operand."""

    values: dict[str, Any]
    first: dict[str, int]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


_PROGRAMS: dict[tuple[Any, ...], Program] = {}


def _program(key: tuple[Any, ...], text: Callable[[], str]) -> Program:
    """The program of a key, made once."""
    if key not in _PROGRAMS:
        _PROGRAMS[key] = from_text(text())
    return _PROGRAMS[key]


def _map(o: Operands, arity: int) -> list[Launch]:
    ty: Type = o["ty"]
    operation = o["operation"].value
    names = ["src_array"] if arity == 1 else ["src_a", "src_b"]
    size = ty.size_bytes

    def text() -> str:
        sources = "".join(f".param s{k}: buffer {ty} read\n.param f{k}: u64\n" for k in range(arity))
        loads = "".join(
            f"    add.u64 r20, r255, r{2 * k + 4}\n    ldg.{ty} r{10 + k}, [s{k} + r20*{size}]\n" for k in range(arity)
        )
        inputs = ", ".join(f"r{10 + k}" for k in range(arity))
        return (
            f".program map_{operation}_{ty}\n.param d: buffer {ty} write\n.param fd: u64\n{sources}{loads}"
            f"    {operation}.{ty} r15, {inputs}\n    add.u64 r20, r255, r2\n    stg.{ty} [d + r20*{size}], r15\n"
        )

    program = _program(("map", operation, ty), text)
    buffers = {"d": "dst_array", **{f"s{k}": name for k, name in enumerate(names)}}
    scalars = {"fd": o.first["dst_array"], **{f"f{k}": o.first[name] for k, name in enumerate(names)}}
    return [Launch(program, (o["count"], 1), (256, 1), buffers, scalars)]


def _reduce(o: Operands) -> list[Launch]:
    """One lane reduces in canonical order: on a device that runs one lane at a time nothing is faster."""
    ty: Type = o["ty"]
    combine = o["operation"].value
    size = ty.size_bytes
    program = _program(
        ("reduce", combine, ty),
        lambda: (
            f".program reduce_{combine}_{ty}\n.param d: buffer {ty} write\n.param fd: u64\n"
            f".param s: buffer {ty} read\n.param fs: u64\n.param n: u64\n"
            f"    reduce_{combine}.{ty} r10, [s + r4*{size}], n\n    stg.{ty} [d + r2*{size}], r10\n"
        ),
    )
    scalars = {"fd": o.first["dst"], "fs": o.first["src_array"], "n": o["count"]}
    return [Launch(program, (1, 1), (1, 1), {"d": "dst", "s": "src_array"}, scalars)]


def _gemm(o: Operands) -> list[Launch]:
    """One lane for each element of c; F16 and BF16 accumulate in F32."""
    ty: Type = o["ty"]
    wide = Type.F32 if ty in (Type.F16, Type.BF16) else ty
    activation: MapOperation | None = o["activation"]
    size = ty.size_bytes
    beta, bias = o["beta"] != 0, o["bias"] is not None

    def text() -> str:
        def widen(register: str) -> str:
            return "" if wide is ty else f"    cvt.{wide}.{ty} {register}, {register}\n"

        lines = [
            f".program gemm_{ty}\n.param c: buffer {ty} read_write\n.param fc: u64\n",
            f".param a: buffer {ty} read\n.param fa: u64\n.param b: buffer {ty} read\n.param fb: u64\n",
            ".param n: u32\n.param k: u32\n.param sam: u64\n.param sak: u64\n.param sbk: u64\n.param sbn: u64\n",
            f".param alpha: {wide}\n.param beta: {wide}\n",
            f".param bias: buffer {ty} read\n.param fbias: u64\n" if bias else "",
            # r30 = column, r31 = row, as U64; r32, r33 = the elements of a and b
            "    mul.u32 r20, r253, r254\n    add.u32 r20, r20, r252\n    cvt.u64.u32 r30, r20\n",
            "    mul.u32 r20, r249, r247\n    add.u32 r20, r20, r251\n    cvt.u64.u32 r31, r20\n",
            "    mad.u64 r32, r31, r9, r4\n    mad.u64 r33, r30, r12, r6\n",
            f"    mov_imm.{wide} r34, 0\n    mov_imm.u32 r35, 0\n    set.eq.u32 p0, r8, r35\n    bra product, p0\n",
            "    mov_imm.u32 r36, 1\n    sub.u32 r36, r8, r36\ninner:\n",
            f"    ldg.{ty} r37, [a + r32*{size}]\n    ldg.{ty} r38, [b + r33*{size}]\n",
            widen("r37") + widen("r38"),
            f"    mad.{wide} r34, r37, r38, r34\n    add.u64 r32, r32, r10\n",
            "    add.u64 r33, r33, r11\n    loop r36, inner\n",
            f"product:\n    mul.{wide} r34, r34, r13\n",
            "    cvt.u64.u32 r40, r7\n    mad.u64 r40, r31, r40, r30\n    add.u64 r40, r40, r2\n",
        ]
        if beta:
            lines.append(f"    ldg.{ty} r41, [c + r40*{size}]\n{widen('r41')}    mad.{wide} r34, r41, r14, r34\n")
        if bias:
            lines.append(f"    add.u64 r42, r30, r16\n    ldg.{ty} r43, [bias + r42*{size}]\n{widen('r43')}")
            lines.append(f"    add.{wide} r34, r34, r43\n")
        if wide is not ty:
            lines.append(f"    cvt.{ty}.{wide} r34, r34\n")
        if activation is not None:
            lines.append(f"    {activation.value}.{ty} r34, r34\n")
        return "".join([*lines, f"    stg.{ty} [c + r40*{size}], r34\n"])

    program = _program(("gemm", ty, beta, bias, activation), text)
    m, n, k = o["m"], o["n"], o["k"]
    buffers = {"c": "c", "a": "a", "b": "b", **({"bias": "bias"} if bias else {})}
    scalars: dict[str, int | float] = {
        "fc": o.first["c"], "fa": o.first["a"], "fb": o.first["b"], "n": n, "k": k,
        "sam": 1 if o["trans_a"] else k, "sak": m if o["trans_a"] else 1,
        "sbk": 1 if o["trans_b"] else n, "sbn": k if o["trans_b"] else 1,
        "alpha": o["alpha"], "beta": o["beta"],
    }  # fmt: skip
    if bias:
        scalars["fbias"] = o.first["bias"]
    return [Launch(program, (n, m), (16, 16), buffers, scalars)]


def _extents_of_gemm(o: Operands) -> dict[str, int]:
    m, n, k = o["m"], o["n"], o["k"]
    bias = {"bias": n} if o["bias"] is not None else {}
    return {"a": m * k, "b": k * n, **bias, "c": m * n}


# How many elements each address operand has, sources before the result.
_EXTENTS: dict[str, Callable[[Operands], dict[str, int]]] = {
    "ParallelMap": lambda o: {"src_array": o["count"], "dst_array": o["count"]},
    "ParallelMapBinary": lambda o: {"src_a": o["count"], "src_b": o["count"], "dst_array": o["count"]},
    "ParallelReduce": lambda o: {"src_array": o["count"], "dst": 1},
    "GEMM": _extents_of_gemm,
}


def check_factors(instruction: Instruction, values: Mapping[str, Any]) -> None:
    """Raises LaunchError for a factor of an integer collective that is no integer."""
    for operand in instruction.row.operands:
        factor = values.get(operand.name)
        if operand.kind != "scalar" or not instruction.ty.is_integer or not isinstance(factor, float):
            continue
        if not math.isfinite(factor) or factor != math.trunc(factor) or abs(factor) >= 1 << 63:
            raise LaunchError(f"{operand.name} of {instruction.name} on {instruction.ty} is an integer, not {factor!r}")


def extents(name: str, operands: Operands) -> dict[str, int]:
    """Elements that a collective touches from each of its addresses on, in the order in which they are checked."""
    return {operand: max(count, 0) for operand, count in _EXTENTS[name](operands).items()}


_LOWERINGS: dict[str, Callable[[Operands], list[Launch]]] = {
    "ParallelMap": lambda o: _map(o, 1),
    "ParallelMapBinary": lambda o: _map(o, 2),
    "ParallelReduce": _reduce,
    "GEMM": _gemm,
}


def lower_collective(name: str, operands: Operands) -> list[Launch]:
    """The launches that a collective is."""
    return _LOWERINGS[name](operands)
