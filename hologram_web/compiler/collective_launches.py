"""Collectives as programs: each is lowered to launches of lane programs, which are compiled like any other.

Elements are addressed by index from the first of each operand, which is counted in units of the type's alignment: an
element of more than 128 bits is several.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..isa.instruction import Instruction
from ..isa.operands import MapOperation
from ..isa.ops import IDENTITIES, reduce_type
from ..isa.program import Program
from ..isa.types import Type
from .gemm import TILE, Gemm, place

__all__ = ["FACTOR", "Operands", "PartLaunch", "extents", "lower_collective", "whole_factors"]

FACTOR = Type.I64  # what factors of integer collectives are, before they wrap


@dataclass(frozen=True)
class PartLaunch:
    """One launch of a lane program: `lanes` along x and y, in blocks of `block`.

    `buffers` gives for each buffer parameter the operand of the collective whose memory it is, or a temporary;
    `scalars` the values of the scalar parameters. `temporaries` are buffers, with their bytes, that this launch and
    those after it use. It runs `times` times, 1 or 0, which depends on sizes. `fast` allows shader compilers to rewrite
    F32 arithmetic (isa.md section 3, `math="fast"`).
    """

    program: Program
    lanes: tuple[int, int]
    block: tuple[int, int]
    buffers: dict[str, str]
    scalars: Mapping[str, int | float]
    temporaries: Mapping[str, int] = field(default_factory=dict)
    times: int = 1
    fast: bool = False


@dataclass(frozen=True)
class Operands:
    """The collective's operands: sizes and factors as numbers, `first` where each address operand starts, in units.

    `most` is how many elements an operand may have at most, where its memory tells before the number is known:
    temporaries are made for as many.
    """

    values: dict[str, Any]
    first: dict[str, int]
    most: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


# Sizes may be symbols (plan/symbols.py), which do the same by methods of their own: no code here may branch on a size.


def _ceildiv(number: Any, by: int) -> Any:
    return -(-number // by) if isinstance(number, int) else number.ceildiv(by)


def _at_least(number: Any, least: int) -> Any:
    return max(number, least) if isinstance(number, int) else number.at_least(least)


def _at_most(number: Any, most: int) -> Any:
    return min(number, most) if isinstance(number, int) else number.at_most(most)


_PROGRAMS: dict[tuple[Any, ...], Program] = {}


def _program(key: tuple[Any, ...], text: Callable[[], str]) -> Program:
    """The program of a key, made once."""
    if key not in _PROGRAMS:
        from ..isa.text import from_text  # who has no collectives needs none of it

        _PROGRAMS[key] = from_text(text())
    return _PROGRAMS[key]


def _map(o: Operands, arity: int) -> list[PartLaunch]:
    ty: Type = o["ty"]
    operation = o["operation"].value
    names = ["src_array"] if arity == 1 else ["src_a", "src_b"]

    def text() -> str:
        sources = "".join(f".param s{k}: buffer {ty} read\n.param f{k}: u64\n" for k in range(arity))
        loads = "".join(
            f"{place('r20', 'r255', f'r{2 * k + 4}', ty)}    ldg.{ty} r{10 + k}, [s{k} + r20*{ty.alignment}]\n"
            for k in range(arity)
        )
        inputs = ", ".join(f"r{10 + k}" for k in range(arity))
        return (
            f".program map_{operation}_{ty}\n.param d: buffer {ty} write\n.param fd: u64\n{sources}{loads}"
            f"    {operation}.{ty} r15, {inputs}\n{place('r20', 'r255', 'r2', ty)}"
            f"    stg.{ty} [d + r20*{ty.alignment}], r15\n"
        )

    program = _program(("map", operation, ty), text)
    buffers = {"d": "dst_array", **{f"s{k}": name for k, name in enumerate(names)}}
    scalars = {"fd": o.first["dst_array"], **{f"f{k}": o.first[name] for k, name in enumerate(names)}}
    return [PartLaunch(program, (o["count"], 1), (256, 1), buffers, scalars)]


def _reduce(o: Operands) -> list[PartLaunch]:
    """One lane reduces in canonical order: on a device that runs one lane after another nothing is faster."""
    ty: Type = o["ty"]
    combine = o["operation"].value
    program = _program(
        ("reduce", combine, ty),
        lambda: (
            f".program reduce_{combine}_{ty}\n.param d: buffer {ty} write\n.param fd: u64\n"
            f".param s: buffer {ty} read\n.param fs: u64\n.param n: u64\n"
            f"    reduce_{combine}.{ty} r10, [s + r4*{ty.alignment}], n\n    stg.{ty} [d + r2*{ty.alignment}], r10\n"
        ),
    )
    scalars = {"fd": o.first["dst"], "fs": o.first["src_array"], "n": o["count"]}
    return [PartLaunch(program, (1, 1), (1, 1), {"d": "dst", "s": "src_array"}, scalars)]


_ROWS = 8  # blocks of elements that a block of lanes reduces, if shared memory holds as many
_BLOCK = 2048  # elements of one of them
# Of wide integers, whose sums have no order: llvmpipe ends loops after 65,535 rounds of a lane, MUL of I4096 has 2,100.
_WIDE_BLOCK = 256
_PASSES = 4  # 2048 ** 4 elements are more than a memory has; of wide integers 256 ** 4 are
_MAX_SHARED = 16_384  # bytes of shared memory that every adapter has


def _reduce_in_blocks(o: Operands) -> list[PartLaunch]:
    """32 lanes reduce a block of elements, one orbit each; the results of all are reduced again until there is one."""
    ty: Type = o["ty"]
    combine = o["operation"].value
    wide = reduce_type(ty)
    size = _WIDE_BLOCK if ty.is_wide else _BLOCK
    rows = min(_ROWS, _MAX_SHARED // (32 * wide.size_bytes))
    identity = hex(wide.encode(IDENTITIES[combine](wide)))

    def launch(source: str, count: Any, target: str, blocks: Any, times: Any, most: Any = 0) -> PartLaunch:
        here = ty if source == "src_array" else wide  # between the passes nothing is rounded
        there = ty if target == "dst" else wide

        def text() -> str:
            widen = f"    cvt.{wide}.{here} r30, r30\n" if here is not wide else ""
            narrow = f"    cvt.{there}.{wide} r20, r20\n" if there is not wide else ""
            halves = "".join(
                f"    mov_imm.u32 r40, {stride}\n    set.lt.u32 p0, r252, r40\n    bra half{stride}, !p0\n"
                f"    lds.{wide} r31, [shared + r27*{wide.size_bytes} + {stride * wide.size_bytes}]\n"
                f"    {combine}.{wide} r20, r20, r31\n    sts.{wide} [shared + r27*{wide.size_bytes}], r20\n"
                f"half{stride}:\n    bar_sync 0\n"
                for stride in (16, 8, 4, 2, 1)
            )
            return (
                f".program reduce_{combine}_{here}_{there}\n.shared {32 * rows * wide.size_bytes}\n"
                f".param d: buffer {there} write\n.param fd: u64\n.param s: buffer {here} read\n.param fs: u64\n"
                ".param n: u64\n.param blocks: u64\n"
                # r21 = the block of elements, r22 = the element, r23 = the end of the block
                f"    mul.u32 r21, r249, r247\n    add.u32 r21, r21, r251\n    cvt.u64.u32 r21, r21\n"
                f"    mov_imm.u64 r24, {size}\n    mov_imm.u64 r25, 32\n    mul.u64 r22, r21, r24\n"
                "    add.u64 r23, r22, r24\n    min.u64 r23, r23, r5\n    cvt.u64.u32 r26, r252\n"
                f"    add.u64 r22, r22, r26\n    mov_imm.{wide} r20, {identity}\n"
                f"next:\n    set.lt.u64 p1, r22, r23\n    bra done, !p1\n{place('r28', 'r22', 'r4', here)}"
                f"    ldg.{here} r30, [s + r28*{here.alignment}]\n{widen}    {combine}.{wide} r20, r20, r30\n"
                "    add.u64 r22, r22, r25\n    bra next\n"
                # r27 = the place in shared memory
                "done:\n    mov_imm.u32 r41, 32\n    mad.u32 r27, r251, r41, r252\n    cvt.u64.u32 r27, r27\n"
                f"    sts.{wide} [shared + r27*{wide.size_bytes}], r20\n    bar_sync 0\n{halves}"
                "    mov_imm.u32 r40, 0\n    set.ne.u32 p0, r252, r40\n    bra out, p0\n"
                "    set.ge.u64 p0, r21, r6\n    bra out, p0\n"
                f"{narrow}{place('r21', 'r21', 'r2', there)}    stg.{there} [d + r21*{there.alignment}], r20\nout:\n"
            )

        program = _program(("blocks", combine, ty, here, there), text)
        first = {"fd": o.first["dst"] if target == "dst" else 0, "fs": o.first.get(source, 0)}
        temporaries = {} if target == "dst" else {target: most * wide.size_bytes}
        lanes = (32, _ceildiv(blocks, rows) * rows)
        scalars = {**first, "n": count, "blocks": blocks}
        return PartLaunch(program, lanes, (32, rows), {"d": target, "s": source}, scalars, temporaries, times)

    count, source, goes_on = o["count"], "src_array", 1  # 1 if this pass is needed, else 0
    launches: list[PartLaunch] = []
    for number in range(_PASSES):
        blocks = _at_least(_ceildiv(o["count"], size ** (number + 1)), 1)
        more = _at_most(blocks - 1, 1)
        launches.append(launch(source, count, "dst", 1, goes_on - more))
        if number < _PASSES - 1:
            most = _at_least(_ceildiv(o.most.get("src_array", o["count"]), size ** (number + 1)), 1)
            launches.append(launch(source, count, f"partial{number}", blocks, more, most))
        count, source, goes_on = blocks, f"partial{number}", more
    return [launch for launch in launches if not isinstance(launch.times, int) or launch.times]


def _gemm(o: Operands, tiled: bool) -> list[PartLaunch]:
    """F16 and BF16 accumulate in F32."""
    ty: Type = o["ty"]
    activation: MapOperation | None = o["activation"]
    beta, bias = not isinstance(o["beta"], (int, float)) or o["beta"] != 0, o["bias"] is not None
    kind = Gemm(ty, beta, bias, activation)
    # GPUs compute F64 in integers: 16 products side by side are too much code. Tiles of wide integers are too large.
    tiled = tiled and ty is not Type.F64 and not ty.is_wide
    program = _program(("gemm", tiled, kind), kind.tiled if tiled else kind.plain)
    m, n, k = o["m"], o["n"], o["k"]
    buffers = {"c": "c", "a": "a", "b": "b", **({"bias": "bias"} if bias else {})}
    scalars: dict[str, int | float] = {
        "fc": o.first["c"], "fa": o.first["a"], "fb": o.first["b"], "m": m, "n": n, "k": k,
        "sam": 1 if o["trans_a"] else k, "sak": m if o["trans_a"] else 1,
        "sbk": 1 if o["trans_b"] else n, "sbn": k if o["trans_b"] else 1,
        "alpha": o["alpha"], "beta": o["beta"],
    }  # fmt: skip
    if bias:
        scalars["fbias"] = o.first["bias"]
    for stride in ("sam", "sak", "sbk", "sbn"):
        scalars[stride] *= ty.size_bytes // ty.alignment
    lanes = (_ceildiv(n, TILE) * 16, _ceildiv(m, TILE) * 16) if tiled else (n, m)
    return [PartLaunch(program, lanes, (16, 16), buffers, scalars, fast=True)]


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


def whole_factors(instruction: Instruction, values: dict[str, Any]) -> None:
    """Factors of an integer collective that are floats lose their fraction, as CVT to `FACTOR` does it: NaN is 0, and
    what is beyond its ends is the end. The integers then wrap."""
    for operand in instruction.row.operands:
        factor = values.get(operand.name)
        if operand.kind == "scalar" and instruction.ty.is_integer and isinstance(factor, float):
            clipped = max(float(FACTOR.min_value), min(factor, float(FACTOR.max_value)))
            values[operand.name] = 0 if math.isnan(factor) else min(int(clipped), FACTOR.max_value)


def extents(name: str, operands: Operands) -> dict[str, int]:
    """Elements that a collective touches from each of its addresses on, in the order in which they are checked."""
    return {operand: max(count, 0) for operand, count in _EXTENTS[name](operands).items()}


_LOWERINGS: dict[str, Callable[[Operands, bool], list[PartLaunch]]] = {
    "ParallelMap": lambda o, _: _map(o, 1),
    "ParallelMapBinary": lambda o, _: _map(o, 2),
    "ParallelReduce": lambda o, parallel: _reduce_in_blocks(o) if parallel else _reduce(o),
    "GEMM": lambda o, parallel: _gemm(o, parallel),
}


def lower_collective(name: str, operands: Operands, parallel: bool = False) -> list[PartLaunch]:
    """The launches that a collective is. `parallel` is for devices that run the lanes of a block at the same time."""
    return _LOWERINGS[name](operands, parallel)
