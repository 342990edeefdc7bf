"""WebAssembly modules: functions as lists of instructions, encoded to bytes or shown as WAT.

An instruction is a tuple of its name and its immediates, such as ("i32.const", 5) or ("block", None).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

from .opcodes import OPCODES

__all__ = ["FunctionBody", "Instr", "Module", "signed", "unsigned"]

Instr = tuple[Any, ...]
VALUE_TYPES = {"i32": 0x7F, "i64": 0x7E, "f32": 0x7D, "f64": 0x7C}


def unsigned(value: int) -> bytes:
    """Unsigned LEB128."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value: int) -> bytes:
    """Signed LEB128."""
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)
    return bytes(out)


@dataclass
class FunctionBody:
    """A function: its type, the types of its further locals, and its code (without the last `end`)."""

    name: str
    params: tuple[str, ...]
    results: tuple[str, ...]
    locals: list[str] = field(default_factory=list)
    code: list[Instr] = field(default_factory=list)
    exported: bool = False

    def local(self, ty: str) -> int:
        """A further local of that type."""
        self.locals.append(ty)
        return len(self.params) + len(self.locals) - 1


@dataclass
class Module:
    """A module that imports one memory as `env.memory`."""

    functions: list[FunctionBody] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def add(self, function: FunctionBody) -> int:
        """Adds a function; its index."""
        self.numbers[function.name] = len(self.functions)
        self.functions.append(function)
        return len(self.functions) - 1

    def encode(self) -> bytes:
        """The module's bytes."""
        types: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
        for function in self.functions:
            types.setdefault((function.params, function.results), len(types))
        signatures = [
            b"\x60"
            + _vector([bytes([VALUE_TYPES[ty]]) for ty in params])
            + _vector([bytes([VALUE_TYPES[ty]]) for ty in results])
            for params, results in types
        ]
        memory = _name("env") + _name("memory") + b"\x02\x01" + unsigned(1) + unsigned(65536)
        exports = [
            _name(function.name) + b"\x00" + unsigned(number)
            for number, function in enumerate(self.functions)
            if function.exported
        ]
        return b"".join(
            [
                b"\0asm\x01\0\0\0",
                _section(1, _vector(signatures)),
                _section(2, _vector([memory])),
                _section(3, _vector([unsigned(types[f.params, f.results]) for f in self.functions])),
                _section(7, _vector(exports)),
                _section(10, _vector([_body(function) for function in self.functions])),
            ]
        )

    def to_wat(self) -> str:
        """The module in text form, for people."""
        lines = ["(module", '  (import "env" "memory" (memory 1 65536))']
        for function in self.functions:
            head = (
                f"  (func ${function.name}{f' (export {chr(34)}{function.name}{chr(34)})' if function.exported else ''}"
            )
            head += "".join(f" (param {ty})" for ty in function.params)
            head += "".join(f" (result {ty})" for ty in function.results)
            lines.append(head)
            if function.locals:
                lines.append("    (local " + " ".join(function.locals) + ")")
            depth = 2
            for name, *immediates in function.code:
                depth -= name in ("end", "else")
                lines.append("  " * depth + wat_line(name, immediates, self.functions))
                depth += name in ("block", "loop", "if", "else")
            lines.append("  )")
        return "\n".join([*lines, ")", ""])


def wat_line(name: str, immediates: list[Any], functions: list[FunctionBody]) -> str:
    """One instruction of the text form."""
    if name in ("block", "loop", "if"):
        return name if immediates[0] is None else f"{name} (result {immediates[0]})"
    if name == "call":
        return f"call ${functions[immediates[0]].name}"
    if name in ("f32.const", "f64.const"):
        return f"{name} {_float_text(name[:3], immediates[0])}"
    if OPCODES[name][1] == "mem":
        return name + (f" offset={immediates[1]}" if immediates[1] else "")
    if name == "br_table":
        return f"{name} {' '.join(map(str, immediates[0]))}"
    if name.startswith("memory."):
        return name
    return " ".join([name, *map(str, immediates)])


def _float_text(ty: str, bits: int) -> str:
    mantissa, exponent = (23, 8) if ty == "f32" else (52, 11)
    payload = bits & ((1 << mantissa) - 1)
    sign = "-" if bits >> (mantissa + exponent) else ""
    if bits >> mantissa & ((1 << exponent) - 1) == (1 << exponent) - 1:
        return f"{sign}nan:{hex(payload)}" if payload else f"{sign}inf"
    form = "<I", "<f"
    if ty == "f64":
        form = "<Q", "<d"
    value: float = struct.unpack(form[1], struct.pack(form[0], bits))[0]
    return value.hex()


def _name(text: str) -> bytes:
    raw = text.encode()
    return unsigned(len(raw)) + raw


def _vector(items: list[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)


def _section(number: int, body: bytes) -> bytes:
    return bytes([number]) + unsigned(len(body)) + body


def _body(function: FunctionBody) -> bytes:
    runs: list[tuple[int, str]] = []
    for ty in function.locals:
        if runs and runs[-1][1] == ty:
            runs[-1] = (runs[-1][0] + 1, ty)
        else:
            runs.append((1, ty))
    out = bytearray(_vector([unsigned(count) + bytes([VALUE_TYPES[ty]]) for count, ty in runs]))
    for name, *immediates in function.code:
        opcode, kinds = OPCODES[name]
        out += opcode
        if kinds:
            _immediates(out, kinds, immediates)
    out.append(0x0B)
    return unsigned(len(out)) + bytes(out)


def _immediates(out: bytearray, kinds: str, values: list[Any]) -> None:
    match kinds:
        case "u":
            out += unsigned(values[0])
        case "i32" | "i64":
            bits = int(kinds[1:])
            value = values[0] & ((1 << bits) - 1)
            out += signed(value - (1 << bits) if value >> (bits - 1) else value)
        case "f32" | "f64":
            out += int(values[0]).to_bytes(int(kinds[1:]) // 8, "little")
        case "mem":
            out += unsigned(values[0]) + unsigned(values[1])
        case "block":
            out.append(0x40 if values[0] is None else VALUE_TYPES[values[0]])
        case "table":
            *labels, default = values[0]
            out += _vector([unsigned(label) for label in labels]) + unsigned(default)
        case _:
            out += bytes(len(kinds.split()))
