"""WebAssembly modules as text: the bytes that the encoder writes, read back with its table of opcodes.

The text is flat WAT with a line for each instruction. A tool that reads WAT makes the same code of it again.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from hologram_web.targets.wasm.encoder import GLOBAL
from hologram_web.targets.wasm.opcodes import OPCODES
from hologram_web.targets.wasm.reader import MalformedModule, sections
from hologram_web.targets.wasm.reader import ModuleReader as _Reader

__all__ = ["MalformedModule", "disassemble"]

_INSTRUCTIONS = {opcode: (name, kinds) for name, (opcode, kinds) in OPCODES.items()}
_PREFIXES = frozenset(opcode[0] for opcode in _INSTRUCTIONS if len(opcode) > 1)
_SECTIONS = {1: "types", 2: "imports", 3: "functions", 6: "globals", 7: "exports", 10: "code"}
_EMPTY = 0x40
# What keeps the text of a few hostile bytes short: locals and results of a module, letters of a name, levels indented.
_MOST_LOCALS, _MOST_LETTERS, _MOST_INDENTED = 100_000, 80, 40
_OPENING = frozenset({"block", "loop", "if"})
_WORD = re.compile(r"[^A-Za-z0-9!#$%&'*+./:<=>?@^_`|~-]")


class _Names:
    """Names that are unique, and made of the characters that WAT allows."""

    def __init__(self, prefix: str, given: dict[int, str]) -> None:
        self.prefix, self.given = prefix, given
        self.taken: dict[str, int] = {}
        self.known: dict[int, str] = {}

    def __getitem__(self, number: int) -> str:
        if number not in self.known:
            name = _WORD.sub("_", self.given.get(number, "")[:_MOST_LETTERS] or f"{self.prefix}{number}")
            while self.taken.setdefault(name, number) != number:
                name = f"{name}.{number}"
            self.known[number] = f"${name}"
        return self.known[number]


class _Module:
    """The sections of a module, read one after another."""

    def __init__(self, data: bytes) -> None:
        self.types: list[tuple[list[str], list[str]]] = []
        self.functions: list[int] = []
        self.memories: list[str] = []
        self.imported: list[tuple[str, str]] = []  # functions, which are numbered before those with code
        self.exports: dict[int, list[str]] = {}
        self.globals: list[str] = []  # constant vectors
        self.bodies: list[_Reader] = []
        self.names: dict[int, str] = {}
        self.local_names: dict[int, dict[int, str]] = {}
        for number, section in sections(data, _SECTIONS, "the encoder writes"):
            if number == 0:
                self._custom(section)
            else:
                getattr(self, f"_{_SECTIONS[number]}")(section)
        declared = len(self.functions) - len(self.imported)
        if len(self.bodies) != declared:
            raise MalformedModule(len(data), f"{declared} functions are declared, but {len(self.bodies)} have code")

    def _custom(self, reader: _Reader) -> None:
        """The section `name` says what functions and locals are called; others are passed over."""
        if reader.name() != "name":
            return
        while reader.at < reader.end:
            kind, part = reader.byte(), reader.part("names")
            if kind == 1:
                self.names = dict(self._name_map(part))
            elif kind == 2:
                for _ in range(part.size("functions with names")):
                    number = part.unsigned()
                    self.local_names[number] = dict(self._name_map(part))

    @staticmethod
    def _name_map(reader: _Reader) -> Iterator[tuple[int, str]]:
        for _ in range(reader.size("names")):
            yield reader.unsigned(), reader.name()

    def _types(self, reader: _Reader) -> None:
        for _ in range(reader.size("types")):
            self.types.append(reader.function_type())

    def _imports(self, reader: _Reader) -> None:
        for _ in range(reader.size("imports")):
            module, name, start = reader.name(), reader.name(), reader.at
            kind = reader.byte()
            if kind == 0:
                self.imported.append((module, name))
                self.functions.append(self._type(reader))
                continue
            if kind != 2:
                raise MalformedModule(start, f"the import {name!r} is neither a memory nor a function")
            flags = reader.byte()
            if flags not in (0, 1, 3):
                raise MalformedModule(start + 1, f"a memory with the flags {flags:#04x}")
            limits = [str(reader.unsigned()) for _ in range(2 if flags & 1 else 1)]
            words = " ".join([*limits, *(["shared"] if flags & 2 else [])])
            self.memories.append(f"(import {_quoted(module)} {_quoted(name)} (memory {words}))")

    def _type(self, reader: _Reader) -> int:
        start, number = reader.at, reader.unsigned()
        if number >= len(self.types):
            raise MalformedModule(start, f"type {number} of {len(self.types)}")
        return number

    def _functions(self, reader: _Reader) -> None:
        for _ in range(reader.size("functions")):
            self.functions.append(self._type(reader))

    def _globals(self, reader: _Reader) -> None:
        for _ in range(reader.size("globals")):
            start = reader.at
            if reader.raw(len(GLOBAL)) != GLOBAL:
                raise MalformedModule(start, "a global that is no constant vector")
            self.globals.append(f"v128.const{_words(reader.raw(16))}")
            if reader.byte() != 0x0B:
                raise MalformedModule(reader.at - 1, "a global of more than one instruction")

    def _exports(self, reader: _Reader) -> None:
        for _ in range(reader.size("exports")):
            name, start = reader.name(), reader.at
            if reader.byte() != 0:
                raise MalformedModule(start, f"the export {name!r} is not a function")
            number = reader.unsigned()
            if number >= len(self.functions):
                raise MalformedModule(start + 1, f"the export {name!r} is function {number} of {len(self.functions)}")
            self.exports.setdefault(number, []).append(name)

    def _code(self, reader: _Reader) -> None:
        self.bodies = [reader.part("a function") for _ in range(reader.size("functions"))]


class _Printer:
    """Writes the text of a module."""

    def __init__(self, module: _Module) -> None:
        self.module = module
        self.functions = _Names("f", module.names)
        self.locals_left = _MOST_LOCALS
        self.lines = ["(module"]

    def run(self) -> str:
        for number, (params, results) in enumerate(self.module.types):
            self.lines.append(f"  (type $t{number} (func{_list('param', params)}{_list('result', results)}))")
        self.lines += [f"  {text}" for text in self.module.memories]
        for number, (module, name) in enumerate(self.module.imported):
            ty = self.module.functions[number]
            text = f"(func {self.functions[number]} (type $t{ty}))"
            self.lines.append(f"  (import {_quoted(module)} {_quoted(name)} {text})")
        self.lines += [f"  (global $c{number} v128 ({value}))" for number, value in enumerate(self.module.globals)]
        for number, body in enumerate(self.module.bodies, len(self.module.imported)):
            self._function(number, body)
        return "\n".join([*self.lines, ")", ""])

    def _function(self, number: int, reader: _Reader) -> None:
        ty = self.module.functions[number]
        params, results = self.module.types[ty]
        names = _Names("l", self.module.local_names.get(number, {}))
        exports = "".join(f" (export {_quoted(name)})" for name in self.module.exports.get(number, []))
        size, start = reader.end - reader.at, reader.at
        self.lines.append(f"  (func {self.functions[number]}{exports} (type $t{ty})  ;; {size} bytes at {start:#x}")
        self._count_locals(start, len(params) + len(results))
        self._wrapped([f"(param {names[place]} {kind})" for place, kind in enumerate(params)])
        self._wrapped([f"(result {kind})" for kind in results])
        place, declared = len(params), list[str]()
        for _ in range(reader.size("groups of locals")):
            start, count = reader.at, reader.unsigned()
            self._count_locals(start, count)
            kind = reader.value_type()
            declared += [f"(local {names[place + k]} {kind})" for k in range(count)]
            place += count
        self._wrapped(declared)
        self._instructions(reader, names, place)
        reader.finish("the function")
        self.lines.append("  )")

    def _wrapped(self, items: list[str]) -> None:
        """Lines of items, not too long."""
        line = ""
        for item in items:
            if len(line) + len(item) > 100:
                self.lines.append(line)
                line = ""
            line = f"{line} {item}" if line else f"    {item}"
        if line:
            self.lines.append(line)

    def _count_locals(self, at: int, count: int) -> None:
        """A few bytes can declare four billion locals: more than a sane module has are refused."""
        self.locals_left -= count
        if self.locals_left < 0:
            raise MalformedModule(at, f"more than {_MOST_LOCALS:,} locals and results")

    def _instructions(self, reader: _Reader, names: _Names, count: int) -> None:
        """The instructions to the end of the function; `labels` are the open constructs."""
        labels: list[str] = []
        opened = 0
        while True:
            start = reader.at
            name, kinds = _opcode(reader)
            if name == "end" and not labels:
                return
            if name in ("end", "else"):
                if name == "else" and not (labels and labels[-1].startswith("$if")):
                    raise MalformedModule(start, "an else outside of every if")
                outer = len(labels) - 1
                text = f"{name}  ;; {labels[-1]}"
                if name == "end":
                    labels.pop()
            else:
                outer = len(labels)
                text = name
                if name in _OPENING:
                    labels.append(f"${name}{opened}")
                    opened += 1
                    text = f"{name} {labels[-1]}"
                for kind in kinds.split():
                    text += self._immediate(reader, name, kind, names, count, labels)
            self.lines.append("  " * (2 + min(outer, _MOST_INDENTED)) + text)

    def _immediate(self, reader: _Reader, name: str, kind: str, names: _Names, count: int, labels: list[str]) -> str:
        start = reader.at
        match kind:
            case "u" if name == "call":
                number = reader.unsigned()
                if number >= len(self.module.functions):
                    raise MalformedModule(start, f"function {number} of {len(self.module.functions)}")
                return f" {self.functions[number]}"
            case "u" if name.startswith("local."):
                number = reader.unsigned()
                if number >= count:
                    raise MalformedModule(start, f"local {number} of {count}")
                return f" {names[number]}"
            case "u" if name == "global.get":
                number = reader.unsigned()
                if number >= len(self.module.globals):
                    raise MalformedModule(start, f"global {number} of {len(self.module.globals)}")
                return f" $c{number}  ;; {self.module.globals[number].partition(' ')[2]}"
            case "u":
                return f" {_label(reader, labels)}"
            case "table":
                targets = reader.size("labels") + 1
                return "".join(f" {_label(reader, labels)}" for _ in range(targets))
            case "i32" | "i64":
                return f" {reader.signed(int(kind[1:]))}"
            case "f32" | "f64":
                return f" {_float(kind, reader.raw(int(kind[1:]) // 8))}"
            case "mem":
                return _place(reader, name)
            case "lane":
                return f" {reader.byte()}"
            case "v128" if name == "i8x16.shuffle":
                return "".join(f" {lane}" for lane in reader.raw(16))
            case "v128":
                return _words(reader.raw(16))
            case "block":
                code = reader.byte()
                if code == _EMPTY:
                    return ""
                reader.at = start
                return f" (result {reader.value_type()})"
            case "memory":
                if reader.byte() != 0:
                    raise MalformedModule(start, "there is one memory, number 0")
                return ""
            case _:
                raise AssertionError(f"the disassembler has no immediate {kind}, which {name} has")


def _words(raw: bytes) -> str:
    """A vector's 16 bytes."""
    return " i32x4" + "".join(f" {word:#x}" for word in struct.unpack("<4I", raw))


def _opcode(reader: _Reader) -> tuple[str, str]:
    """Name and kinds of immediates of the next instruction."""
    start = reader.at
    if reader.byte() in _PREFIXES:
        reader.unsigned()
    code = reader.data[start : reader.at]
    if code not in _INSTRUCTIONS:
        raise MalformedModule(start, f"the opcode {code.hex(' ')} is not one that the encoder writes")
    return _INSTRUCTIONS[code]


def _label(reader: _Reader, labels: list[str]) -> str:
    """The label so many constructs out. The function is the outermost, without a name."""
    start, depth = reader.at, reader.unsigned()
    if depth > len(labels):
        raise MalformedModule(start, f"label {depth} of {len(labels) + 1}")
    return labels[-1 - depth] if depth < len(labels) else f"{depth} (;the function;)"


def _place(reader: _Reader, name: str) -> str:
    """Offset and alignment of an access, where they are not 0 and the natural one."""
    start, power, offset = reader.at, reader.unsigned(), reader.unsigned()
    digits = re.search(r"(?:load|store)(\d+)(?:x(\d+))?", name) or re.search(r"(\d+)()", name)
    assert digits is not None  # every access names its size
    natural = int(digits[1]) * int(digits[2] or 1) // 8
    if 1 << min(power, 5) > natural:
        raise MalformedModule(start, f"{name} cannot be aligned to 2**{power} bytes")
    aligned = "" if 1 << power == natural else f" align={1 << power}"
    return (f" offset={offset}" if offset else "") + aligned


def _float(kind: str, raw: bytes) -> str:
    """A float that reads back to the same bits, with its decimal form as a comment."""
    digits, form = (23, "<f") if kind == "f32" else (52, "<d")
    bits = int.from_bytes(raw, "little")
    value: float = struct.unpack(form, raw)[0]
    payload = bits & ((1 << digits) - 1)
    sign = "-" if raw[-1] & 0x80 else ""
    if value != value:
        return f"{sign}nan:{payload:#x}"
    if value in (float("inf"), float("-inf")):
        return f"{sign}inf"
    significand, power = value.hex().split("p")
    significand = significand.rstrip("0").rstrip(".") if "." in significand else significand
    return f"{significand}p{power} (;{value:.9g};)"


def _list(word: str, kinds: list[str]) -> str:
    return f" ({word} {' '.join(kinds)})" if kinds else ""


def _quoted(text: str) -> str:
    return '"' + "".join(c if c.isalnum() and c.isascii() else f"\\u{{{ord(c):x}}}" for c in text) + '"'


def disassemble(code: bytes) -> str:
    """The text of a module. Names come from its section `name`; without one, locals are $l0, functions $f0.

    Raises MalformedModule (a CompileError, with the `offset` of the byte) for what the encoder never writes: damaged
    bytes, other sections, unknown opcodes. Types on the stack are not checked; an engine does that.
    """
    return _Printer(_Module(code)).run()
