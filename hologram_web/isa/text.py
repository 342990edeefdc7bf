"""The text form of a Program: one instruction a line, `label:` lines, directives; `;` starts a comment.

.program saxpy
.param a: f32
.param x: buffer f32 read
.param y: buffer f32 read_write
.shared 1024
.meta author "somebody"
.entry main
main:
    ldg.f32 r4, [x + r255*4]
"""

from __future__ import annotations

import json
import re
from typing import Any

from ..errors import IsaError
from .instruction import Instruction
from .operands import Access, check_name
from .program import MAX_INSTRUCTIONS, Param, Program, checked
from .row import REQUIRED
from .table import BY_MNEMONIC
from .types import Type

__all__ = ["from_text", "instruction_from_text", "to_text"]

_MAX_TEXT = 1 << 24
_CODE = re.compile(r'(?:[^;"]++|"(?:[^"\\]++|\\.)*+"?)*+')


def to_text(program: Program) -> str:
    """The text of a program; `from_text` reads it back exactly."""
    lines = []
    if program.metadata.name:
        lines.append(f".program {json.dumps(program.metadata.name)}")
    lines += [f".meta {key} {json.dumps(value)}" for key, value in sorted(program.metadata.entries.items())]
    lines += [f".param {param}" for param in program.params]
    if program.shared_memory:
        lines.append(f".shared {program.shared_memory}")
    if program.local_memory:
        lines.append(f".local {program.local_memory}")
    if program.entry is not None:
        lines.append(f".entry {program.entry}")
    places: dict[int, list[str]] = {}
    for name, place in sorted(program.labels.items()):
        places.setdefault(place, []).append(name)
    for index in range(len(program) + 1):
        lines += [f"{name}:" for name in places.get(index, ())]
        if index < len(program):
            lines.append(f"    {program.instructions[index].to_text()}")
    return "\n".join(lines) + "\n"


def from_text(text: str) -> Program:
    """Raises IsaError with the line and the column, both from 1."""
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        raise IsaError(f"a program text is a str of at most {_MAX_TEXT} characters")
    program = Program()
    for number, raw in enumerate(text.split("\n"), 1):
        line = _strip_comment(raw)
        body = line.strip()
        if not body:
            continue
        column = line.index(body[0]) + 1
        try:
            _line(program, body)
        except IsaError as error:
            raise IsaError(str(error), line=number, column=column) from None
    return checked(program)


def _strip_comment(line: str) -> str:
    """`line` up to a `;` that is not inside a quoted text."""
    match = _CODE.match(line)
    assert match is not None  # every part of the pattern is optional
    return match[0]


def _line(program: Program, body: str) -> None:
    if body.startswith("."):
        _directive(program, body)
    elif body.endswith(":"):
        name = check_name(body[:-1].strip(), "label")
        if name in program.labels:
            raise IsaError(f"label {name!r} is placed twice")
        program.labels[name] = len(program)
    else:
        program.add(instruction_from_text(body))
        if len(program) > MAX_INSTRUCTIONS:
            checked(program)


def _directive(program: Program, body: str) -> None:
    word, _, rest = body.partition(" ")
    rest = rest.strip()
    if word == ".program":
        program.metadata.name = _quoted(rest) if rest.startswith('"') else check_name(rest, "program")
    elif word == ".param":
        program.params.append(_param(rest))
    elif word in (".shared", ".local"):
        if not re.fullmatch(r"[0-9]{1,10}", rest):
            raise IsaError(f"{word} takes a number of bytes, not {rest!r}")
        setattr(program, f"{word[1:]}_memory", int(rest))
    elif word == ".entry":
        program.entry = check_name(rest, "label")
    elif word == ".meta":
        key, _, value = rest.partition(" ")
        program.metadata.entries[check_name(key, "metadata entry")] = _quoted(value.strip())
    else:
        raise IsaError(f"unknown directive {word!r}: there are .program, .param, .shared, .local, .entry and .meta")


def _quoted(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, str) or "\n" in text:
        raise IsaError(f"{text!r} is no quoted text")
    return value


def _param(text: str) -> Param:
    match = re.fullmatch(r"([^\s:]+)\s*:\s*(?:(pool)|buffer\s+(\w+)(?:\s+(\w+))?|(\w+))", text)
    if not match:
        raise IsaError(
            f"cannot read the parameter {text!r}: write `name: buffer f32 read`, `name: f32` or `name: pool`"
        )
    name, pool, element, access, scalar = match.groups()
    if pool:
        return Param(name, "pool")
    if scalar:
        return Param(name, "scalar", Type.named(scalar))
    return Param(name, "buffer", Type.named(element), Access.named(access or "read_write"))


def instruction_from_text(text: str) -> Instruction:
    """One instruction, such as `add.f32 r3, r1, r2`. Raises IsaError."""
    head, _, rest = text.strip().partition(" ")
    mnemonic, *suffixes = head.split(".")
    row = BY_MNEMONIC.get(mnemonic)
    if row is None:
        raise IsaError(f"unknown instruction {mnemonic!r}")
    if len(suffixes) != len(row.suffixes):
        shape = ".".join([mnemonic, *(operand.name.upper() for operand in row.suffixes)])
        raise IsaError(f"{head!r} does not name its types and operations: write {shape}")
    fields: dict[str, Any] = {}
    for operand, word in zip(row.suffixes, suffixes, strict=True):
        fields[operand.name] = operand.codec.parse(word, None)
    ty = fields.get("ty")
    positional = [operand for operand in row.operands if not operand.suffix and not operand.named]
    named = {operand.name: operand for operand in row.operands if operand.named and not operand.suffix}
    count = 0
    for word in _split(rest):
        name, equals, value = word.partition("=")
        if equals and name.strip() in named:
            operand = named[name.strip()]
            if operand.name in fields:
                raise IsaError(f"{mnemonic} got its operand {operand.name!r} twice")
            word = value.strip()
        elif count < len(positional):
            operand = positional[count]
            count += 1
        else:
            raise IsaError(f"{mnemonic} does not take {word!r}: it takes {_operands(positional)}")
        try:
            fields[operand.name] = operand.codec.parse(word, ty)
        except IsaError as error:
            raise IsaError(f"{row.name}, operand {operand.name}: {error}") from None
    missing = [operand for operand in positional[count:] if operand.default is REQUIRED]
    if missing:
        raise IsaError(f"{mnemonic} misses its operand {missing[0].name!r}: it takes {_operands(positional)}")
    return Instruction.make(row, **fields)


def _operands(operands: list[Any]) -> str:
    return ", ".join(operand.name for operand in operands) or "no operands"


def _split(text: str) -> list[str]:
    """`text` cut at the commas outside brackets."""
    words, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
        elif character == "," and depth == 0:
            words.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return [*words, last] if last or words else []
