"""Fixed Programs that hold every row of the table and every form of operand, for tests that damage them."""

from __future__ import annotations

from typing import Any

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
    p,
    r,
)
from hologram_web.isa.kinds import KINDS, EnumKind
from hologram_web.isa.row import REQUIRED, Row
from hologram_web.isa.table import ROWS

__all__ = ["ADDRESSES", "every_row", "sample_instruction", "small"]

# Every form of address and its text.
ADDRESSES: dict[str, Address] = {
    "[x]": Address.Buffer("x"),
    "[x + 16]": Address.Buffer("x", 16),
    "[x - 16]": Address.Buffer("x", -16),
    "[r3 + 4]": Address.Buffer(r(3), 4),
    "[buffer #7 + 8]": Address.Buffer(BufferHandle(7), 8),
    "[x + r3]": Address.Register("x", r(3)),
    "[x + r3*4 + 16]": Address.Register("x", r(3), scale=4, offset=16),
    "[x + r3*4 + 17]": Address.Register(Address.Buffer("x", 16), r(3), scale=4, offset=1),
    "[r2 + r3*65536 - 1]": Address.Register(r(2), r(3), scale=65536, offset=-1),
    "[buffer #7 + r3]": Address.Register(BufferHandle(7), r(3)),
    "[pool p.q + r3]": Address.Register(Address.Pool("p.q"), r(3)),
    "[pool r9]": Address.Pool(r(9)),
    "[pool #281474976710655 + 1]": Address.Pool(PoolHandle((1 << 48) - 1), 1),
    "[shared]": Address.Shared(),
    "[shared + r3*4 + 8]": Address.Register(Address.Shared(8), r(3), scale=4),
    "[class 5 + 16]": Address.Class(5, 16),
    "[class 95 + r3*4]": Address.Register(Address.Class(95), r(3), scale=4),
    "[*r4]": Address.Register(r(4)),
    "[phi r1, 2, r3]": Address.Phi(r(1), 2, r(3)),
    "[phi 95, 47, 255]": Address.Phi(95, 47, 255),
}

_VALUES: dict[str, list[Any]] = {
    "type": list(Type),
    "register": [r(0), r(7), r(255)],
    "predicate": [p(0), p(15)],
    "guard": [p(0), ~p(3)],
    "label": [Label("start"), Label("end"), Label("$end.2")],
    **{kind: list(ADDRESSES.values()) for kind in ("load", "store", "rmw", "place")},
    "u8": [0, 255],
    "i8": [-128, 127],
    "u16": [65535, 1],
    "i32": [-(1 << 31), (1 << 31) - 1, -1],
    "name": ["x", "r0", "größe"],
    "size": [0, 300, (1 << 48) - 1, r(9), "n"],
    "scalar": [0.5, -0.0, float("inf"), float("nan"), r(9), "alpha"],
    "pool": [PoolHandle(0), r(9), "heap"],
    "result": [Address.Buffer("x"), r(9)],
    "bool": [True, False],
    "ints": [(), (1,), (-1, 1 << 40, 3)],
    "pairs": [(), ((0, 1),), ((-1, 2), (3, 4))],
    **{name: list(kind.enum) for name, kind in KINDS.items() if isinstance(kind, EnumKind)},
}
_BITS = [0, 1, 0x7E01, 0xFF, 0x80]


def sample_instruction(row: Row, number: int = 0, optional: bool = True) -> Instruction:
    """An instruction of the row; `number` chooses among the values of each operand."""
    fields: dict[str, Any] = {}
    for step, operand in enumerate(row.operands, number):
        if operand.default is not REQUIRED and not optional:
            continue
        if operand.kind == "imm":
            ty = fields["ty"]
            fields[operand.name] = Immediate(ty, _BITS[step % len(_BITS)] & ((1 << ty.bits) - 1))
        else:
            values = _VALUES[operand.kind]
            fields[operand.name] = values[step % len(values)]
    return Instruction.make(row, **fields)


_PARAMS = [
    Param("x", "buffer", Type.F32, Access.READ_WRITE),
    Param("y", "buffer", Type.U4096, Access.READ),
    Param("out", "buffer", Type.BF16, Access.WRITE),
    Param("n", "scalar", Type.U32),
    Param("alpha", "scalar", Type.F64),
    Param("heap", "pool"),
    Param("$0", "pool"),
]


def every_row(optional: bool = True) -> Program:
    """A program with one instruction of each row, parameters of each kind and labels at the end."""
    body = [sample_instruction(row, number, optional) for number, row in enumerate(ROWS)]
    return Program(
        body,
        {"start": 0, "middle": 5, "end": len(body), "$end.2": len(body)},
        list(_PARAMS),
        "middle",
        1024,
        ProgramMetadata('an "awkward"\n name; \\ \U0001f980', {"author": "é\u2028;", "empty": "", "a.b": "\0\t"}),
    )


def small() -> Program:
    """A short program that holds most forms: small enough to try every damage."""
    body = [
        Instruction.MOV_IMM(Type.F16, r(4), Immediate(Type.F16, 0x7E01)),
        Instruction.LDG(Type.F32, r(5), ADDRESSES["[x + r3*4 + 16]"]),
        Instruction.ATOM("add", Type.I32, r(6), ADDRESSES["[phi r1, 2, r3]"], r(7)),
        Instruction.BRA("end", Predicate(2, True)),
        Instruction.Pad(ADDRESSES["[x]"], ADDRESSES["[pool r9]"], (2, 3), (1, -1), (), -1.5),
        Instruction.LOOP(Register(8), "start"),
        Instruction.EXIT(),
    ]
    metadata = ProgramMetadata("é", {"k": "v;"})
    return Program(body, {"start": 1, "end": 7}, [_PARAMS[0], _PARAMS[3], _PARAMS[5]], "start", 64, metadata)
