"""Program: instructions, labels, named parameters; its text, bytes and JSON are in text.py, binary.py, json_form.py."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

from ..errors import IsaError
from ..extras import tools
from .instruction import Instruction
from .operands import Access, Label, Register, check_name
from .types import Type

__all__ = ["LOG", "MAX_INSTRUCTIONS", "MAX_PARAMETERS", "Param", "Program", "ProgramMetadata"]

_LISTED = 8  # labels in a message: there may be one for each of thousands that are wrong
LOG = "print.log"  # the parameter that prints of kernels write to (logs.py), which a launch adds
MAX_INSTRUCTIONS = 65_536
MAX_PARAMETERS = 242  # r1 to r242: r243 and up are preloaded
MAX_SHARED_MEMORY = 1 << 24
MAX_LOCAL_MEMORY = 1 << 12  # WGSL promises 8192 bytes of private variables, and wide integers take some of them
MAX_NAMES = 2 * MAX_INSTRUCTIONS  # parameters with the anonymous ones, labels, metadata entries
MAX_METADATA = 1 << 20


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter: `kind` is "buffer", "scalar" or "pool"; `ty` the element or scalar type; `access` of buffers."""

    name: str
    kind: str
    ty: Type | None = None
    access: Access | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "parameter")
        shape = {"buffer": (True, True), "scalar": (True, False), "pool": (False, False)}.get(self.kind)
        if shape != (isinstance(self.ty, Type), isinstance(self.access, Access)):
            raise IsaError(
                f"parameter {self.name!r}: a buffer has a type and an access, a scalar a type, a pool neither"
            )

    def __str__(self) -> str:
        parts = {"buffer": f"buffer {self.ty} {self.access.value if self.access else ''}", "scalar": str(self.ty)}
        return f"{self.name}: {parts.get(self.kind, 'pool')}"


@dataclass(slots=True)
class ProgramMetadata:
    """A name and free text entries; part of the program's identity."""

    name: str = ""
    entries: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SourceMap:
    """What the instructions of a program were written as: `lines`, the file and line of each, and the `texts` there.

    `arrays` are those in shared and local memory: which, name, first byte, shape, and bytes of an element.
    """

    lines: list[tuple[str, int]]
    texts: dict[tuple[str, int], str]
    arrays: tuple[tuple[str, str, int, tuple[int, ...], int], ...] = ()

    def text(self, instruction: int) -> str:
        """The line, as it is written."""
        return self.texts[self.lines[instruction]]

    def __call__(self, instruction: int) -> str:
        """The place and the line, as a fault tells it."""
        file, line = self.lines[instruction]
        return f"{file}:{line}: {self.text(instruction)}".rstrip(": ")

    def element(self, memory: str | None, offset: int | None) -> str | None:
        """The element of an array of the kernel's own at a byte of shared or local memory: `tile[0, 3]`."""
        if offset is None:
            return None
        for kind, name, first, shape, size in self.arrays:
            place = (offset - first) // size
            if kind == memory and 0 <= place < prod(shape):
                indices: list[int] = []
                for length in reversed(shape):
                    place, index = divmod(place, length)
                    indices.insert(0, index)
                return f"{name}[{', '.join(map(str, indices))}]"
        return None


@dataclass(eq=True)
class Program:
    """A program of the Atlas ISA.

    `labels` maps names to instruction indices (the length of the program marks its end); parameters are in r1, r2,
    ... at entry; `shared_memory` is the size of the block's shared memory in bytes, `local_memory` of that which each
    lane has for itself; `entry` names the label to start at (the first instruction by default). `source_map`,
    of programs that a frontend made here, says where they come from; it is no part of what they are, and not in files.
    """

    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    params: list[Param] = field(default_factory=list)
    entry: str | None = None
    shared_memory: int = 0
    metadata: ProgramMetadata = field(default_factory=ProgramMetadata)
    local_memory: int = 0
    source_map: SourceMap | None = field(default=None, compare=False, repr=False)

    def add(self, instruction: Instruction) -> None:
        """Appends an instruction."""
        self.instructions.append(instruction)

    def __len__(self) -> int:
        return len(self.instructions)

    def param(self, name: str) -> Param | None:
        """The parameter of that name, or None."""
        return next((param for param in self.params if param.name == name), None)

    def register_params(self) -> dict[int, Param]:
        """Parameters by the register that holds them at entry. Anonymous ones ($...) are in no register."""
        named = [param for param in self.params if not param.name.startswith("$")]
        return {number: param for number, param in enumerate(named, 1)}

    def target(self, label: Label | str) -> int:
        """The instruction index of a label. Raises IsaError."""
        name = label if isinstance(label, str) else label.name
        try:
            return self.labels[name]
        except KeyError:
            known = sorted(islice(self.labels, _LISTED))
            more = f" and {len(self.labels) - _LISTED} more" * (len(self.labels) > _LISTED)
            raise IsaError(f"label {name!r} is not placed: place it, or branch to one of {known}{more}") from None

    @property
    def start(self) -> int:
        return 0 if self.entry is None else self.target(self.entry)

    def problems(self) -> list[str]:
        """Every problem of the program, with instruction index and reason; empty if it is valid."""
        from .verify import problems

        return problems(self)

    def validate(self) -> None:
        """Raises IsaError with the first problems of the program; its `problems` has every one."""
        from .verify import verified

        verified(self)

    def optimize(self) -> Program:
        """A smaller program that means the same (`ProgramOptimizer`). Raises IsaError if this one is not valid."""
        optimized: Program = tools("optimizer").ProgramOptimizer().optimize(self)
        return optimized

    def to_text(self) -> str:
        from .text import to_text

        return to_text(self)

    @classmethod
    def from_text(cls, text: str) -> Program:
        """Reads the text form. Raises IsaError with line and column."""
        from .text import from_text

        return from_text(text)

    def to_bytes(self) -> bytes:
        from .binary import to_bytes

        return to_bytes(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> Program:
        """Reads the binary form, which may be untrusted. Raises IsaError."""
        from .binary import from_bytes

        return from_bytes(data)

    def to_json(self) -> str:
        from .json_form import to_json

        return to_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> Program:
        """Reads the JSON form. Raises IsaError."""
        from .json_form import from_json

        return from_json(text)

    def save(self, path: str | Path) -> None:
        """Writes the binary form to a file."""
        Path(path).write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: str | Path) -> Program:
        """Reads a file that `save` wrote. Raises IsaError for other contents, OSError where it cannot be read."""
        return cls.from_bytes(Path(path).read_bytes())

    def hash(self) -> bytes:
        """BLAKE3 of the bytes, 32 bytes: the identity of the program in every cache."""
        from ..store.blake3 import blake3

        return blake3(self.to_bytes())

    def registers(self) -> Iterable[Register]:
        """Every register that the program names, once."""
        found: dict[Register, None] = {}
        for instruction in self.instructions:
            for _, value in (*instruction.reads(), *instruction.writes()):
                if isinstance(value, Register):
                    found[value] = None
        return found

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        name = f" {self.metadata.name}" if self.metadata.name else ""
        return f"<Program{name}: {len(self)} instructions, {len(self.params)} parameters>"


def checked(program: Program) -> Program:
    """`program`, if its size and names are in bounds; readers of untrusted forms call it. Raises IsaError."""
    if len(program) > MAX_INSTRUCTIONS:
        raise IsaError(f"the program has {len(program)} instructions: at most {MAX_INSTRUCTIONS} are allowed")
    if max(len(program.params), len(program.labels), len(program.metadata.entries)) > MAX_NAMES:
        raise IsaError(f"the program has more than {MAX_NAMES} parameters, labels or metadata entries")
    for key in program.metadata.entries:
        check_name(key, "metadata entry")
    for label, place in program.labels.items():
        check_name(label, "label")
        if not 0 <= place <= len(program):
            raise IsaError(f"label {label!r} is at {place}, outside the program of {len(program)} instructions")
    try:
        size = len("".join([program.metadata.name, *program.metadata.entries.values()]).encode())
    except UnicodeEncodeError:
        raise IsaError("the metadata hold a lone surrogate, which is no text") from None
    if size > MAX_METADATA:
        raise IsaError(f"the metadata have {size} bytes: at most {MAX_METADATA} are allowed")
    if not 0 <= program.shared_memory <= MAX_SHARED_MEMORY:
        raise IsaError(f"{program.shared_memory} bytes of shared memory: at most {MAX_SHARED_MEMORY} are allowed")
    if not 0 <= program.local_memory <= MAX_LOCAL_MEMORY:
        raise IsaError(f"{program.local_memory} bytes of local memory: a lane has at most {MAX_LOCAL_MEMORY}")
    if program.entry is not None and program.entry not in program.labels:
        raise IsaError(f"the entry label {program.entry!r} is not placed")
    return program


def metadata_entry(key: Any, value: Any) -> tuple[str, str]:
    """A metadata entry, checked. Raises IsaError."""
    if not isinstance(value, str):
        raise IsaError(f"the metadata entry {key!r} is {value!r}: it has to be text")
    return check_name(key, "metadata entry"), value
