"""The JSON form of a Program, for tools: operands are written as in the text form, numbers as numbers."""

from __future__ import annotations

import json
from typing import Any

from ..errors import IsaError
from .instruction import Instruction
from .operands import check_name
from .program import MAX_INSTRUCTIONS, Param, Program, ProgramMetadata, checked, metadata_entry
from .table import BY_MNEMONIC
from .text import _param as param_from_text
from .types import Type

__all__ = ["VERSION", "from_json", "to_json"]

VERSION = 1
_MAX_JSON = 1 << 25


def to_json(program: Program) -> str:
    """The JSON text of a program; `from_json` reads it back exactly."""
    return json.dumps(
        {
            "hologram_program": VERSION,
            "name": program.metadata.name,
            "metadata": dict(sorted(program.metadata.entries.items())),
            "params": [str(param) for param in program.params],
            "shared_memory": program.shared_memory,
            **({"local_memory": program.local_memory} if program.local_memory else {}),
            "labels": dict(sorted(program.labels.items())),
            "entry": program.entry,
            "instructions": [_instruction_to_json(instruction) for instruction in program.instructions],
        },
        indent=1,
        ensure_ascii=False,
    )


def _instruction_to_json(instruction: Instruction) -> dict[str, Any]:
    fields: dict[str, Any] = {"op": instruction.row.mnemonic}
    for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
        if value is not None and not (operand.named and operand.is_default(value) and not operand.suffix):
            fields[operand.name] = operand.codec.json(value)
    return fields


def from_json(text: str | bytes) -> Program:
    """Raises IsaError, and nothing else, for a text that is not the JSON of a program."""
    if not isinstance(text, (str, bytes)) or len(text) > _MAX_JSON:
        raise IsaError(f"a program's JSON is text of at most {_MAX_JSON} characters")
    try:
        return _program(json.loads(text))
    except ValueError as error:
        raise IsaError(f"this is no JSON: {error}") from None
    except RecursionError:
        raise IsaError("this is no JSON of a program: it is nested too deeply") from None


def _program(data: Any) -> Program:
    names = {"hologram_program", "name", "metadata", "params", "shared_memory", "labels", "entry", "instructions"}
    known = isinstance(data, dict) and set(data) - {"local_memory"} == names
    if not known or _typed(data, "hologram_program", int) != VERSION:
        raise IsaError(f"the JSON is no program of version {VERSION}: it has to have exactly {sorted(names)}")
    items = _typed(data, "instructions", list)
    if len(items) > MAX_INSTRUCTIONS:
        raise IsaError(f"the program has {len(items)} instructions: at most {MAX_INSTRUCTIONS} are allowed")
    instructions = [_instruction_from_json(index, fields) for index, fields in enumerate(items)]
    metadata = dict(metadata_entry(key, value) for key, value in _typed(data, "metadata", dict).items())
    labels = _typed(data, "labels", dict)
    if not all(isinstance(place, int) and not isinstance(place, bool) for place in labels.values()):
        raise IsaError("labels map names to instruction indices")
    entry = data["entry"]
    return checked(
        Program(
            instructions,
            labels,
            [_param_from_json(param) for param in _typed(data, "params", list)],
            None if entry is None else check_name(entry, "label"),
            _typed(data, "shared_memory", int),
            ProgramMetadata(_typed(data, "name", str), metadata),
            _typed(data, "local_memory", int) if "local_memory" in data else 0,
        )
    )


def _typed(data: dict[str, Any], key: str, kind: type) -> Any:
    if not isinstance(data[key], kind) or isinstance(data[key], bool):
        raise IsaError(f"{key!r} of the JSON has to be a {kind.__name__}, not {type(data[key]).__name__}")
    return data[key]


def _param_from_json(text: Any) -> Param:
    if not isinstance(text, str):
        raise IsaError(f"the parameter {text!r} is no text such as 'x: buffer f32 read'")
    return param_from_text(text)


def _instruction_from_json(index: int, fields: Any) -> Instruction:
    if not isinstance(fields, dict) or not isinstance(fields.get("op"), str):
        raise IsaError(f"instruction {index} is no object with an 'op'")
    row = BY_MNEMONIC.get(fields["op"])
    if row is None:
        raise IsaError(f"instruction {index}: unknown instruction {fields['op']!r}")
    values: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "op":
            continue
        if name not in row.positions:
            raise IsaError(f"instruction {index}: {row.name} has no operand {name!r}")
        operand = row.operands[row.positions[name]]
        try:
            ty = Type.named(str(fields.get("ty"))) if operand.kind == "imm" else None
            values[name] = operand.codec.from_json(value, ty)
        except IsaError as error:
            raise IsaError(f"instruction {index}: {row.name}, operand {name}: {error}") from None
    try:
        return Instruction.make(row, **values)
    except IsaError as error:
        raise IsaError(f"instruction {index}: {error}") from None
