"""The binary form of a Program: versioned, little-endian, self-checking, canonical.

    "HGPR"  version:u8  flags:u8  body  crc32:u32

Body: name, metadata entries by key, parameters, shared memory, labels by (place, name), entry, instructions (opcode,
then each operand by its kind; optional operands after a presence byte). What was added to a row later is there only
with the flag 1, which programs have that use such an operand: bytes of others are as they always were. Numbers are
LEB128. Equal programs have equal bytes, and bytes that are not what the writer would write are refused.
"""

from __future__ import annotations

import zlib
from typing import Any

from ..errors import IsaError
from .instruction import Instruction
from .kinds import Labels
from .operands import Access, check_name
from .program import MAX_INSTRUCTIONS, MAX_NAMES, Param, Program, ProgramMetadata, checked
from .row import REQUIRED
from .table import BY_OPCODE
from .types import Type
from .wire import ByteReader, ByteWriter

__all__ = ["VERSION", "from_bytes", "to_bytes"]

VERSION = 1
_WITH_LOCAL = 2  # programs with local memory
_MAGIC = b"HGPR"
_PARAM_KINDS = ("buffer", "scalar", "pool")
_TYPES = sorted(Type, key=lambda ty: ty.id)
_ACCESS = list(Access)


def to_bytes(program: Program) -> bytes:
    """The bytes of a program; `from_bytes` reads them back exactly. Raises IsaError where it could not."""
    checked(program)
    out = ByteWriter()
    out.data += _MAGIC
    added = any(
        operand.added and value is not None
        for instruction in program.instructions
        if instruction.row.added
        for operand, value in zip(instruction.row.operands, instruction.values, strict=True)
    )
    out.u8(_WITH_LOCAL if program.local_memory else VERSION)
    out.u8(added)
    out.string(program.metadata.name)
    out.uint(len(program.metadata.entries))
    for key, value in sorted(program.metadata.entries.items()):
        out.string(key)
        out.string(value)
    out.uint(len(program.params))
    for param in program.params:
        out.u8(_PARAM_KINDS.index(param.kind))
        out.string(param.name)
        if param.ty is not None:
            out.u8(param.ty.id)
        if param.access is not None:
            out.u8(_ACCESS.index(param.access))
    out.uint(program.shared_memory)
    if program.local_memory:
        out.uint(program.local_memory)
    labels = Labels(sorted(program.labels, key=lambda name: (program.labels[name], name)))
    out.uint(len(labels.names))
    for name in labels.names:
        out.string(name)
        out.uint(program.labels[name])
    out.uint(0 if program.entry is None else 1 + labels.numbers[program.entry])
    out.uint(len(program))
    for instruction in program.instructions:
        _write(out, instruction, labels, added)
    out.data += zlib.crc32(out.data).to_bytes(4, "little")
    return bytes(out.data)


def _write(out: ByteWriter, instruction: Instruction, labels: Labels, added: bool) -> None:
    out.uint(instruction.row.opcode)
    for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
        if operand.added and not added:
            continue
        if operand.default is None:
            out.u8(value is not None)
            if value is None:
                continue
        operand.codec.write(out, value, labels)


def from_bytes(data: bytes) -> Program:
    """Raises IsaError, and nothing else, for bytes that `to_bytes` did not write."""
    try:
        raw = bytes(memoryview(data))
    except TypeError:
        raise IsaError(f"a program is read from bytes, not from {type(data).__name__}") from None
    if raw[:4] != _MAGIC:
        raise IsaError("these bytes are no program: they do not start with HGPR")
    if len(raw) < 10:
        raise IsaError("damaged program bytes: they end too soon")
    if raw[4] not in (VERSION, _WITH_LOCAL) or raw[5] > 1:
        reads = f"{VERSION:02x}.00 to {_WITH_LOCAL:02x}.01"
        raise IsaError(f"the program has the version {raw[4:6].hex('.')}; this release reads {reads}")
    if zlib.crc32(raw[:-4]).to_bytes(4, "little") != raw[-4:]:
        raise IsaError("damaged program bytes: the checksum does not fit")
    program = _read(ByteReader(raw[:-4]))
    if to_bytes(program) != raw:
        raise IsaError("damaged program bytes: they are not in canonical form")
    return program


def _read(source: ByteReader) -> Program:
    version, added = source.take(6)[4:6]
    metadata = ProgramMetadata(source.string())
    for _ in range(source.uint(MAX_NAMES + 1)):
        key = check_name(source.string(), "metadata entry")
        metadata.entries[key] = source.string()
    params = [_read_param(source) for _ in range(source.uint(MAX_NAMES + 1))]
    shared = source.uint()
    local = source.uint() if version == _WITH_LOCAL else 0
    places = {}
    for _ in range(source.uint(MAX_NAMES + 1)):
        name = source.string()
        places[name] = source.uint()
    labels = Labels(list(places))
    entry = source.uint(len(labels.names) + 1)
    instructions = [_read_instruction(source, labels, added) for _ in range(source.uint(MAX_INSTRUCTIONS + 1))]
    if source.position != len(source.data):
        raise source.fail("bytes follow the last instruction")
    name_of_entry = labels.names[entry - 1] if entry else None
    return checked(Program(instructions, places, params, name_of_entry, shared, metadata, local))


def _read_param(source: ByteReader) -> Param:
    kind = source.u8()
    if kind >= len(_PARAM_KINDS):
        raise source.fail(f"no parameter kind has the number {kind}")
    name = source.string()
    ty = access = None
    if kind < 2:
        ty = _pick(source, _TYPES, "type")
    if kind == 0:
        access = _pick(source, _ACCESS, "access")
    return Param(name, _PARAM_KINDS[kind], ty, access)


def _pick(source: ByteReader, items: list[Any], what: str) -> Any:
    number = source.u8()
    if number >= len(items):
        raise source.fail(f"no {what} has the number {number}")
    return items[number]


def _read_instruction(source: ByteReader, labels: Labels, added: int) -> Instruction:
    opcode = source.uint(1 << 16)
    row = BY_OPCODE.get(opcode)
    if row is None:
        raise source.fail(f"no instruction has the opcode {opcode:#x}")
    values: list[Any] = []
    for operand in row.operands:
        there = added or not operand.added
        if operand.default is None and not (there and _pick(source, [False, True], "presence")):
            values.append(None)
            continue
        ty = values[row.positions["ty"]] if operand.kind == "imm" else None
        values.append(operand.codec.read(source, ty, labels))
    if any(value is None and operand.default is REQUIRED for operand, value in zip(row.operands, values, strict=True)):
        raise source.fail(f"an operand of {row.name} is missing")
    return Instruction(row, tuple(values))
