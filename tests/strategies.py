"""Hypothesis strategies for everything a Program is made of, derived from the instruction table.

What they make is well-formed (it has a text, bytes and JSON), but seldom valid (`Program.validate`).
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from hologram_web.isa import (
    Access,
    Address,
    BufferHandle,
    Immediate,
    Instruction,
    Label,
    Param,
    PoolHandle,
    Predicate,
    Program,
    ProgramMetadata,
    Register,
    Type,
)
from hologram_web.isa.address import _MAX_OFFSET
from hologram_web.isa.kinds import KINDS, EnumKind
from hologram_web.isa.operands import _RESERVED
from hologram_web.isa.row import REQUIRED, Operand, Row
from hologram_web.isa.table import ROWS

__all__ = [
    "OPERANDS",
    "addresses",
    "awkward_text",
    "bits_of",
    "immediates",
    "instructions",
    "instructions_of",
    "names",
    "params",
    "programs",
    "registers",
    "types",
]

# Names

_LETTERS = string.ascii_letters + "_$"
names: SearchStrategy[str] = st.one_of(
    st.sampled_from(["x", "loop", "$0", "a.b", "buffer", "r", "p", "R1", "None", "Infinity", "e5", "x" * 128]),
    st.builds("{}{}".format, st.sampled_from(_LETTERS), st.text(_LETTERS + string.digits + ".", max_size=8)),
).filter(lambda name: not _RESERVED.fullmatch(name))

awkward_text: SearchStrategy[str] = st.one_of(
    st.sampled_from(
        ["", " ", '"', "\\", '\\"', ";", "\n", "\r\n", "\0", "\u2028", "\ufeff", "é", "e\u0301", "\U0001f980"]
    ),
    st.text(st.characters(codec="utf-8"), max_size=20),
)

# Numbers

types: SearchStrategy[Type] = st.sampled_from(list(Type))


def bits_of(ty: Type) -> SearchStrategy[int]:
    """Bit patterns of a type, the awkward ones often: NaNs of every sort, infinities, -0, subnormals, extremes."""
    sign = 1 << (ty.bits - 1)
    special = [0, 1, 2, sign, sign | 1, sign - 1, 2 * sign - 1]
    if ty.is_float:
        infinity = ((1 << ty.exponent) - 1) << ty.mantissa
        quiet = 1 << (ty.mantissa - 1)
        last = 1 << ty.mantissa
        special += [infinity, infinity | 1, infinity | quiet, infinity | quiet | 1, infinity - 1, last, last - 1]
        special += [pattern | sign for pattern in special if pattern < sign]
    return st.one_of(st.sampled_from(special), st.integers(0, 2 * sign - 1))


def immediates(ty: Type) -> SearchStrategy[Immediate]:
    return bits_of(ty).map(lambda bits: Immediate(ty, bits))


# Operands

registers: SearchStrategy[Register] = st.integers(0, 255).map(Register)
_handles = st.one_of(st.integers(0, 9), st.integers(0, (1 << 48) - 1))
_buffer_handles, _pool_handles = _handles.map(BufferHandle), _handles.map(PoolHandle)
_offsets = st.one_of(st.integers(-64, 64), st.integers(1 - _MAX_OFFSET, _MAX_OFFSET - 1))
_coordinates = st.one_of(registers, st.integers(0, 255))

_plain_addresses: SearchStrategy[Address] = st.one_of(
    st.builds(Address.Buffer, st.one_of(names, registers, _buffer_handles), _offsets),
    st.builds(Address.Pool, st.one_of(names, registers, _pool_handles), _offsets),
    st.builds(Address.Shared, _offsets),
    st.builds(Address.Class, st.integers(0, 255), _offsets),
)
addresses: SearchStrategy[Address] = st.one_of(
    _plain_addresses,
    st.builds(Address.Register, _plain_addresses, registers, scale=st.sampled_from([1, 2, 4, 3, 65536])),
    st.builds(Address.Register, registers),
    st.builds(Address.Phi, _coordinates, _coordinates, _coordinates),
)
_sizes = st.one_of(st.integers(0, 300), st.integers(0, (1 << 48) - 1), registers, names)
_factors = st.one_of(bits_of(Type.F64).map(Type.F64.decode), st.floats(), registers, names)
_small = st.one_of(st.integers(-9, 9), st.integers(-(1 << 47), (1 << 47) - 1))

_Labels = Sequence[str]
_Maker = Callable[[Type, _Labels], SearchStrategy[Any]]


def _always(strategy: SearchStrategy[Any]) -> _Maker:
    return lambda ty, labels: strategy


# For each kind of operand its values, given the instruction's type and the labels of the program.
OPERANDS: dict[str, _Maker] = {
    "type": _always(types),
    "register": _always(registers),
    "predicate": _always(st.integers(0, 15).map(Predicate)),
    "guard": _always(st.builds(Predicate, st.integers(0, 15), st.booleans())),
    "label": lambda ty, labels: st.sampled_from(labels).map(Label),
    "imm": lambda ty, labels: immediates(ty),
    **dict.fromkeys(("load", "store", "rmw", "place"), _always(addresses)),
    "u8": _always(st.integers(0, 255)),
    "i8": _always(st.integers(-128, 127)),
    "u16": _always(st.integers(0, 65535)),
    "i32": _always(st.integers(-(1 << 31), (1 << 31) - 1)),
    "name": _always(st.from_regex(r"[^\W\d]\w{0,8}", fullmatch=True).filter(str.isidentifier)),
    "size": _always(_sizes),
    "scalar": _always(_factors),
    "pool": _always(st.one_of(_pool_handles, registers, names)),
    "result": _always(st.one_of(addresses, registers)),
    "bool": _always(st.booleans()),
    "ints": _always(st.lists(_small, max_size=6).map(tuple)),
    "pairs": _always(st.lists(st.tuples(_small, _small), max_size=4).map(tuple)),
    **{name: _always(st.sampled_from(list(kind.enum))) for name, kind in KINDS.items() if isinstance(kind, EnumKind)},
}


def _operand(operand: Operand, fields: dict[str, Any], labels: _Labels) -> SearchStrategy[Any]:
    return OPERANDS[operand.kind](fields.get("ty", Type.F32), labels)


@st.composite
def instructions_of(draw: st.DrawFn, row: Row, labels: _Labels = ("L",)) -> Instruction:
    """Instructions of one row of the table; operands that may be left out are so half of the time."""
    fields: dict[str, Any] = {}
    for operand in row.operands:
        if operand.default is REQUIRED or draw(st.booleans()):
            fields[operand.name] = draw(_operand(operand, fields, labels))
    return Instruction.make(row, **fields)


_WITHOUT_LABEL = [row for row in ROWS if all(operand.kind != "label" for operand in row.operands)]


@st.composite
def instructions(draw: st.DrawFn, labels: _Labels = ("L",)) -> Instruction:
    """Instructions of any row; without labels of those that need none."""
    row = draw(st.sampled_from(ROWS if labels else _WITHOUT_LABEL))
    return draw(instructions_of(row, labels))


# Programs

params: SearchStrategy[Param] = st.one_of(
    st.builds(Param, names, st.just("buffer"), types, st.sampled_from(list(Access))),
    st.builds(Param, names, st.just("scalar"), types),
    st.builds(Param, names, st.just("pool")),
)


@st.composite
def programs(draw: st.DrawFn, max_size: int = 8) -> Program:
    """Whole programs: every kind of parameter, labels at any place and at the end, metadata with awkward text."""
    labels = draw(st.lists(names, unique=True, max_size=4))
    body = draw(st.lists(instructions(labels), max_size=max_size))
    return Program(
        body,
        {label: draw(st.integers(0, len(body))) for label in labels},
        draw(st.lists(params, unique_by=lambda param: param.name, max_size=5)),
        draw(st.sampled_from([None, *labels])),
        draw(st.one_of(st.integers(0, 4096), st.just(1 << 24))),
        ProgramMetadata(draw(awkward_text), draw(st.dictionaries(names, awkward_text, max_size=3))),
    )
