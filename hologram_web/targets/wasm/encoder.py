"""WebAssembly modules: functions as lists of instructions, encoded to bytes.

An instruction is a tuple of its name and its immediates, such as ("i32.const", 5) or ("block", None).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from .opcodes import OPCODES

__all__ = ["GLOBAL", "FunctionBody", "Instr", "Module", "encoded", "signed", "unsigned"]

Instr = tuple[Any, ...]
VALUE_TYPES = {"i32": 0x7F, "i64": 0x7E, "f32": 0x7D, "f64": 0x7C, "v128": 0x7B}


GLOBAL = b"\x7b\0\xfd\x0c"  # the start of a constant vector: its 16 bytes and `end` follow
_MADE = (b"\0" * 16, b"\xff" * 16)  # by one instruction, everywhere

_SMALL = [bytes([value]) for value in range(128)]


def unsigned(value: int) -> bytes:
    """Unsigned LEB128."""
    if 0 <= value < 128:
        return _SMALL[value]
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value: int) -> bytes:
    """Signed LEB128."""
    if -64 <= value < 64:
        return _SMALL[value & 0x7F]
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
    names: dict[int, str] = field(default_factory=dict)  # of parameters and locals, for people

    def local(self, ty: str, name: str = "") -> int:
        """A further local of that type."""
        self.locals.append(ty)
        number = len(self.params) + len(self.locals) - 1
        if name:
            self.names[number] = name
        return number

    def kind(self, local: int) -> str:
        """The type of a parameter or local."""
        return (*self.params, *self.locals)[local]


@dataclass
class Module:
    """A module that imports one memory as `env.memory`, and functions of `env` by their names."""

    imported: list[FunctionBody] = field(default_factory=list)  # without code
    functions: list[FunctionBody] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    constants: dict[bytes, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.numbers.update((function.name, number) for number, function in enumerate(self.imported))

    def add(self, function: FunctionBody) -> int:
        """Adds a function; its index, which counts what is imported first."""
        self.numbers[function.name] = number = len(self.imported) + len(self.functions)
        self.functions.append(function)
        return number

    def constant(self, value: bytes) -> Instr:
        """What pushes a vector of 16 bytes: a global that has it. V8 makes each constant anew wherever it is used, by
        three instructions: EXP on packets took 2.2 ns an element in Chromium, and takes 1.6 (wasmtime: 1.9 either
        way)."""
        if value in _MADE:
            return "v128.const", value
        return "global.get", self.constants.setdefault(value, len(self.constants))

    def encode(self) -> bytes:
        """The module's bytes."""
        types: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
        for function in (*self.imported, *self.functions):
            types.setdefault((function.params, function.results), len(types))
        signatures = [
            b"\x60"
            + _vector([bytes([VALUE_TYPES[ty]]) for ty in params])
            + _vector([bytes([VALUE_TYPES[ty]]) for ty in results])
            for params, results in types
        ]
        imports = [_name("env") + _name("memory") + b"\x02\x01" + unsigned(1) + unsigned(65536)]
        imports += [
            _name("env") + _name(f.name) + b"\x00" + unsigned(types[f.params, f.results]) for f in self.imported
        ]
        exports = [
            _name(function.name) + b"\x00" + unsigned(self.numbers[function.name])
            for function in self.functions
            if function.exported
        ]
        return b"".join(
            [
                b"\0asm\x01\0\0\0",
                _section(1, _vector(signatures)),
                _section(2, _vector(imports)),
                _section(3, _vector([unsigned(types[f.params, f.results]) for f in self.functions])),
                _section(6, _vector([GLOBAL + value + b"\x0b" for value in self.constants])) if self.constants else b"",
                _section(7, _vector(exports)),
                _section(10, _vector([_body(function) for function in self.functions])),
                self._names(),
            ]
        )

    def _names(self) -> bytes:
        """The custom section that tells debuggers and the disassembler what functions and locals are called."""
        functions = {number: name for name, number in self.numbers.items()}
        named = [(self.numbers[function.name], function.names) for function in self.functions if function.names]
        locals_ = _vector([unsigned(number) + _name_map(names) for number, names in named])
        return _section(0, _name("name") + _section(1, _name_map(functions)) + _section(2, locals_))


def _name(text: str) -> bytes:
    raw = text.encode()
    return unsigned(len(raw)) + raw


def _name_map(names: dict[int, str]) -> bytes:
    return _vector([unsigned(number) + _name(name) for number, name in sorted(names.items())])


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
    out += b"".join(map(encoded, function.code))
    out.append(0x0B)
    return unsigned(len(out)) + bytes(out)


@lru_cache(maxsize=4096)  # a kernel has few that are different
def encoded(instr: Instr) -> bytes:
    """The bytes of an instruction, or those that a "" in its place has for several."""
    if not instr[0]:
        return bytes(instr[1])
    opcode, kinds = OPCODES[instr[0]]
    out, values = bytearray(opcode), instr[1:]
    match kinds:
        case "u":
            out += unsigned(values[0])
        case "i32" | "i64":
            bits = int(kinds[1:])
            value = values[0] & ((1 << bits) - 1)
            out += signed(value - (1 << bits) if value >> (bits - 1) else value)
        case "f32" | "f64":
            out += int(values[0]).to_bytes(int(kinds[1:]) // 8, "little")
        case "mem" | "mem lane":
            out += b"".join(map(unsigned, values))
        case "v128":
            out += values[0]
        case "lane":
            out.append(values[0])
        case "block":
            out.append(0x40 if values[0] is None else VALUE_TYPES[values[0]])
        case "table":
            *labels, default = values[0]
            out += _vector([unsigned(label) for label in labels]) + unsigned(default)
        case "":
            pass
        case _:
            out += bytes(len(kinds.split()))
    return bytes(out)
