"""Which WebAssembly modules an artifact may hold: those that the encoder could have written (docs/artifact.md).

An engine checks types; it does not mind tables of gigabytes, functions that run when a module is loaded, or memory that
grows. All of that needs sections and instructions that kernels do not have, so whatever they do not have is refused.
`web/src/modules.ts` does the same in pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...errors import ArtifactError
from .encoder import GLOBAL
from .opcodes import OPCODES
from .reader import MalformedModule, ModuleReader, sections

__all__ = ["MOST_WORK", "check_modules"]

_SECTIONS = (1, 2, 3, 6, 7, 10)  # types, imports, functions, globals, exports, code, in this order; 0 are custom ones
_MEMORY = b"\x03env\x06memory\x02\x01\x01\x80\x80\x04"  # of 1 to 65,536 pages
_POLL = b"\x03env\x04poll\0"  # a function that a kernel may ask whether to go on
_EXPORT = b"\x06kernel\0"
_KERNEL_TYPE, _POLL_TYPES = b"\x60\x03\x7f\x7f\x7f\0", (b"\x60\0\0", b"\x60\0\x01\x7f")
_BR_TABLE = OPCODES["br_table"][0]
# V8 looks at every local at every block, loop, if and else of a function: 100,000,000 of these took it 5 to 13 s. Half
# of so much as a second takes are allowed, as an else is counted with its if. The largest kernel of the filetests has
# 500,000. What is counted are bytes that look like the opening of a block with its type: never less than there are.
MOST_WORK = 5_000_000
_OPENING = re.compile(rb"[\x02-\x04][\x40\x7b-\x7f]")

_UINT = rb"[\x80-\xff]{0,4}[\x00-\x7f]"
_IMMEDIATES = {
    "": rb"",
    "u": _UINT,
    "i32": _UINT,
    "i64": rb"[\x80-\xff]{0,9}[\x00-\x7f]",
    "f32": rb"[\x00-\xff]{4}",
    "f64": rb"[\x00-\xff]{8}",
    "mem": rb"[\x00-\x07]" + _UINT,  # 64 in the alignment would bring the number of a memory
    "block": rb"[\x40\x7b-\x7f]",
    "memory": rb"\x00",
    "memory memory": rb"\x00\x00",
    "v128": rb"[\x00-\xff]{16}",
    "lane": rb"[\x00-\x1f]",
    "mem lane": rb"[\x00-\x07]" + _UINT + rb"[\x00-\x1f]",
}


def _instructions() -> re.Pattern[bytes]:
    """Instructions with their immediates, any number of them, from the encoder's table; br_table ends a run.

    Those of vectors from 128 on have no immediates, and those that are not taken no engine takes; relaxed ones are
    those from 256 on.
    """
    shapes: dict[tuple[bytes, str], bytes] = {}
    for opcode, kinds in OPCODES.values():
        if kinds != "table" and len(opcode) < 3:
            key = opcode[:-1], kinds
            shapes[key] = shapes.get(key, b"") + re.escape(opcode[-1:])
    each = [re.escape(prefix) + b"[" + last + b"]" + _IMMEDIATES[kinds] for (prefix, kinds), last in shapes.items()]
    return re.compile(b"(?:" + b"|".join([*each, rb"\xfd[\x80-\xff][\x01\x02]"]) + b")*+")


_RUN = _instructions()


def check_modules(modules: Iterable[bytes]) -> None:
    """Raises ArtifactError if one of an artifact's modules is none that a kernel is."""
    work = 0
    for number, code in enumerate(modules):
        try:
            work += _Check(code).run()
            if work > MOST_WORK:
                raise MalformedModule(
                    len(code), f"its functions have too many locals and blocks: more than {MOST_WORK:,}"
                )
        except MalformedModule as error:
            raise ArtifactError(f"module {number} of the artifact is none of a kernel: {error.reason}") from None


class _Check:
    """Goes through the sections of a module."""

    def __init__(self, code: bytes) -> None:
        self.code = code
        self.types: list[bytes] = []
        self.functions: list[bytes] = []  # their types; the imported one comes first
        self.memories = self.imported = self.exported = self.declared = self.bodies = self.work = 0

    def run(self) -> int:
        """How much V8 has to look at. Raises MalformedModule."""
        code = self.code
        reads = (self.type, self.import_, self.function, self.constant, self.export, self.body)
        for number, section in sections(code, _SECTIONS, "kernels have"):
            if number == 0:
                section.raw(section.size("bytes of a name"))
                continue
            read = reads[_SECTIONS.index(number)]
            for _ in range(section.size("items")):
                read(section)
        if self.memories != 1 or self.imported > 1:
            raise MalformedModule(len(code), "a kernel imports env.memory once, and env.poll at most once")
        if self.exported != 1:
            raise MalformedModule(len(code), "a kernel exports its function kernel once, and nothing else")
        if self.bodies != self.declared:
            raise MalformedModule(len(code), f"{self.declared} functions are declared, but {self.bodies} have code")
        return self.work

    def type(self, reader: ModuleReader) -> None:
        start = reader.at
        reader.function_type()
        self.types.append(self.code[start : reader.at])

    def import_(self, reader: ModuleReader) -> None:
        start = reader.at
        if self.code.startswith(_MEMORY, start):
            reader.raw(len(_MEMORY))
            self.memories += 1
        elif self.code.startswith(_POLL, start):
            reader.raw(len(_POLL))
            self.imported += 1
            if self.declare(reader) not in _POLL_TYPES:
                raise MalformedModule(start, "env.poll takes nothing and gives nothing or an i32")
        else:
            raise MalformedModule(start, "kernels import env.memory, of 1 to 65,536 pages, and env.poll")

    def function(self, reader: ModuleReader) -> None:
        self.declare(reader)
        self.declared += 1

    def constant(self, reader: ModuleReader) -> None:
        start = reader.at
        if reader.raw(len(GLOBAL)) != GLOBAL or reader.raw(17)[16:] != b"\x0b":
            raise MalformedModule(start, "globals of kernels are constant vectors")

    def declare(self, reader: ModuleReader) -> bytes:
        """Takes the type of the next function."""
        start, number = reader.at, reader.unsigned()
        if number >= len(self.types):
            raise MalformedModule(start, f"type {number} of {len(self.types)}")
        self.functions.append(self.types[number])
        return self.types[number]

    def export(self, reader: ModuleReader) -> None:
        start = reader.at
        if reader.raw(len(_EXPORT)) != _EXPORT:
            raise MalformedModule(start, "a kernel exports its function kernel once, and nothing else")
        number = reader.unsigned()
        if number >= len(self.functions) or self.functions[number] != _KERNEL_TYPE:
            raise MalformedModule(start, "a kernel is a function of three i32 and no result")
        self.exported += 1

    def body(self, reader: ModuleReader) -> None:
        body = reader.part("a function")
        if self.bodies >= self.declared:
            raise MalformedModule(body.at, f"{self.declared} functions are declared, and more have code")
        count = len(self.functions[self.imported + self.bodies])  # parameters, and a little more
        for _ in range(body.size("groups of locals")):
            count += body.unsigned()
            body.value_type()
        self.bodies += 1
        self.work += count * len(_OPENING.findall(self.code, body.at, body.end))
        self.instructions(body)

    def instructions(self, body: ModuleReader) -> None:
        """Goes over the instructions of a function, to its end."""
        while body.at < body.end:
            start = body.at
            found = _RUN.match(self.code, start, body.end)
            assert found is not None  # it may be empty
            body.at = found.end()
            if body.at < body.end:
                if self.code[body.at : body.at + 1] != _BR_TABLE:
                    raise MalformedModule(body.at, f"the opcode {self.code[body.at]:#04x} is not one that kernels have")
                body.at += 1
                for _ in range(body.size("labels") + 1):
                    body.unsigned()
