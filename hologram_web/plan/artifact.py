"""The `.holo` file: writes and reads what docs/artifact.md defines. Standard library only.

Equal artifacts have equal bytes. Reading trusts nothing: whatever is wrong is an ArtifactError, no number is believed
before it is compared with the bytes that are there, and what the writer would have written differently is refused.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..errors import ArtifactError, HologramError, IsaError
from ..isa.operands import Access
from ..isa.program import Program
from ..isa.types import Type
from ..isa.wire import Reader, Writer
from ..store.blake3 import blake3
from ..targets.wasm.check import check_modules
from .formula import LARGEST, MAX_TOKENS, OPERATORS, Formula
from .plan import (
    ARGUMENT_KINDS,
    MAX_NESTED,
    MEMORY_KINDS,
    TARGETS,
    Argument,
    Binding,
    Bounds,
    Call,
    Copy,
    Kernel,
    Launch,
    Memory,
    Plan,
    Port,
    Repeat,
    Step,
    Target,
    Temporary,
    WasmCode,
    WgslCode,
    variables_of,
)

__all__ = ["VERSION", "Artifact", "Blob", "head_length", "read", "write"]

VERSION = 2  # version 1 had no conditions
_MAGIC = b"HOLO\r\n\x1a\n"
_SECTIONS = ("META", "PLAN", "PROG", "KERN", "WASM", "WGSL", "DATA")
_HEADER, _FIRST = 64, 64 + 16 * len(_SECTIONS)
_MAX_HEAD, _MAX_META, _MAX_SHADER, _MAX_SHADERS = 1 << 28, 1 << 20, 1 << 24, 1 << 26
_TYPES = sorted(Type, key=lambda ty: ty.id)
_ACCESS = (None, Access.READ, Access.WRITE, Access.READ_WRITE)
_OPERATORS = tuple(OPERATORS)
_SCRATCH = 2  # the kind of a binding
_LONG = len(ARGUMENT_KINDS)  # the kind of an argument: bits that 8 bytes do not hold
_MAX_SCALAR = max(ty.size_bytes for ty in Type)

T = TypeVar("T")


@dataclass(frozen=True)
class Blob:
    """The data of a constant: in the file (`data`), or `length` bytes at `offset` of the file `location` beside it."""

    length: int
    hash: bytes
    data: bytes | None = None
    location: str = ""
    offset: int = 0

    @classmethod
    def of(cls, data: bytes) -> Blob:
        return cls(len(data), blake3(data), data)

    def checked(self, data: bytes) -> bytes:
        """`data`, if it is what the hash is of. Raises ArtifactError."""
        if len(data) != self.length or blake3(data) != self.hash:
            where = f"of {self.location}" if self.location else "of the file"
            raise ArtifactError(f"a constant {where} is damaged: its {self.length} bytes do not have the hash they had")
        return data


@dataclass(frozen=True)
class Artifact:
    """What a file holds. `texts` are the instructions of each program, a line each; a shader is a list of `pieces`."""

    plan: Plan
    programs: tuple[Program, ...] = ()
    texts: tuple[str, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    modules: tuple[bytes, ...] = ()
    pieces: tuple[str, ...] = ()
    shaders: tuple[tuple[int, ...], ...] = ()
    blobs: tuple[Blob, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)

    def shader(self, number: int) -> str:
        """The WGSL of a shader."""
        return "".join(self.pieces[piece] for piece in self.shaders[number])


def _up(number: int, to: int) -> int:
    return -(-number // to) * to


# Writing


class _Writer(Writer):
    def list(self, items: Sequence[Any], *writes: Callable[[Any], None]) -> None:
        """A list; with several writers, of tuples."""
        self.uint(len(items))
        for item in items:
            for write, part in zip(writes, item if len(writes) > 1 else (item,), strict=True):
                write(part)

    def bytes(self, data: bytes) -> None:
        self.uint(len(data))
        self.data += data

    def uints(self, numbers: Sequence[int]) -> None:
        self.list(numbers, self.uint)


def _write_formula(out: _Writer, formula: Formula, number_of: Callable[[str], int]) -> None:
    out.uint(len(formula.code))
    for token in formula.code:
        if isinstance(token, int):
            out.u8(int(token < 0))
            out.uint(abs(token))
        elif token in OPERATORS:
            out.u8(3 + _OPERATORS.index(token))
        else:
            out.u8(2)
            out.uint(number_of(token))


class _PlanWriter:
    """Writes a plan; formulas and variables are numbered as they come."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.out = plan, _Writer()
        self.formulas: dict[Formula, int] = {}
        self.variables: dict[str, int] = {}
        self.buffers = {name: number for number, name in enumerate(plan.buffers)}
        self.ports = {port.name: number for number, port in enumerate(plan.ports)}

    def whole(self) -> bytes:
        plan, out = self.plan, self.out
        out.list(plan.ports, self.port)
        out.list([(t.name, t.size) for t in plan.temporaries], out.string, self.formula)
        out.list(plan.constants, out.string, out.uint)
        self.steps(plan.steps)
        head = _Writer()
        head.list(list(self.variables), head.string)
        head.list(list(self.formulas), lambda formula: _write_formula(head, formula, self.variables.__getitem__))
        return bytes(head.data + out.data)

    def formula(self, formula: Formula) -> None:
        for name in formula.names:
            self.variables.setdefault(name, len(self.variables))
        self.out.uint(self.formulas.setdefault(formula, len(self.formulas)))

    def port(self, port: Port) -> None:
        self.out.string(port.name)
        self.out.u8(port.ty.id)
        self.out.u8(_ACCESS.index(port.access))
        if port.access is not None:
            self.out.list(port.shape, self.formula)

    def argument(self, arg: Argument) -> None:
        if arg.kind == "bits" and arg.value >> 64:
            self.out.u8(_LONG)
            self.out.bytes(arg.value.to_bytes(-(-arg.value.bit_length() // 8), "little"))
            return
        self.out.u8(ARGUMENT_KINDS.index(arg.kind))
        match arg.kind:
            case "bits":
                self.out.data += struct.pack("<Q", arg.value)
            case "port":
                self.out.uint(self.ports[arg.value])
            case "formula":
                self.formula(arg.value)
            case _:
                self.out.uint(self.buffers[arg.value])

    def grid(self, step: Call | Launch) -> None:
        for formula in (*step.grid, *step.lanes):
            self.formula(formula)

    def steps(self, steps: Sequence[Step]) -> None:
        self.out.list(steps, self.step)

    def step(self, step: Step) -> None:
        out = self.out
        match step:
            case Repeat():
                out.u8(1)
                self.formula(step.count)
                out.uint(self.variables.setdefault(step.variable, len(self.variables)))
                self.steps(step.body)
            case Call():
                out.u8(2)
                for number in (step.program, *step.block, step.shared):
                    out.uint(number)
                self.grid(step)
                out.list(step.args, self.argument)
                self.steps(step.code)
            case Launch():
                out.u8(3)
                for number in (step.kernel, step.variant, step.origin):
                    out.uint(number)
                self.grid(step)
                for arg in step.scalars:
                    self.argument(arg)
                for name in step.memories:
                    out.uint(self.buffers[name])
            case Copy():
                out.u8(4)
                out.uint(self.buffers[step.target])
                out.uint(self.buffers[step.source])
            case Bounds():
                out.u8(5)
                for formula in (step.need, step.offset, step.size):
                    self.formula(formula)
                out.u8(step.ty.id)
                out.uint(step.instruction)
                out.string(step.memory)
            case Target():
                out.u8(6)
                out.u8(TARGETS.index(step.name))
                self.steps(step.body)


def _write_kernel(out: _Writer, kernel: Kernel, version: int) -> None:
    out.string(kernel.name)
    out.uint(0 if kernel.program is None else 1 + kernel.program)
    for number in (*kernel.block, kernel.shared):
        out.uint(number)
    out.list(kernel.scalars, out.string, lambda ty: out.u8(ty.id))
    out.uint(len(kernel.memories))
    for memory in kernel.memories:
        out.u8(MEMORY_KINDS.index(memory.kind))
        if isinstance(memory.base, str):
            out.string(memory.base)
        elif memory.base is not None:
            out.uint(memory.base)
        out.u8(memory.written)
    out.u8(kernel.parallel)
    if isinstance(kernel.wasm, str):
        out.uint(0)
        out.string(kernel.wasm)
    else:
        out.uint(1 + kernel.wasm.module)
        out.uint(kernel.wasm.spill)
        out.uints(kernel.wasm.scalars)
        out.uints(kernel.wasm.memories)
    if isinstance(kernel.wgsl, str):
        out.uint(0)
        out.string(kernel.wgsl)
        return
    variables = variables_of(len(kernel.scalars), len(kernel.memories))

    def write_condition(formula: Formula) -> None:
        _write_formula(out, formula, variables.index)

    out.uint(len(kernel.wgsl))
    for variant in kernel.wgsl:
        out.uint(variant.shader)
        out.uint(variant.size)
        out.uints(variant.scalars)
        out.uint(len(variant.bindings) + bool(variant.scratch))
        for binding in variant.bindings:
            out.u8(binding.writable)
            out.uints(binding.memories)
        if variant.scratch:
            out.u8(_SCRATCH)
            out.uint(variant.scratch // 4)
        if version > 1:
            out.uint(0 if variant.fast is None else 1 + variant.fast)
        if variant.fast is not None:
            out.list(variant.conditions, write_condition)


def _meta(metadata: dict[str, str]) -> bytes:
    for key, value in metadata.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise ArtifactError(f"metadata are texts by name: {key!r} is {value!r}")
    try:
        text = json.dumps(metadata, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        raise ArtifactError("the metadata hold a lone surrogate, which is no text") from None
    if len(text) > _MAX_META:
        raise ArtifactError(f"the metadata have {len(text)} bytes: at most {_MAX_META} are allowed")
    return text


def _section(write: Callable[[_Writer], Any]) -> bytes:
    out = _Writer()
    write(out)
    return bytes(out.data)


def _head(artifact: Artifact, version: int = VERSION) -> bytes:
    """The bytes before the blobs."""

    def programs(out: _Writer) -> None:
        pairs = list(zip(artifact.programs, artifact.texts, strict=True))
        out.list(pairs, lambda program: out.bytes(program.to_bytes()), out.string)

    def shaders(out: _Writer) -> None:
        out.list(artifact.pieces, out.string)
        out.list(artifact.shaders, out.uints)

    def blob(out: _Writer, item: Blob) -> None:
        out.uint(item.length)
        out.data += item.hash
        out.string(item.location)
        out.uint(item.offset)

    sections = (
        _meta(artifact.metadata),
        _PlanWriter(artifact.plan).whole(),
        _section(programs),
        _section(lambda out: out.list(artifact.kernels, lambda kernel: _write_kernel(out, kernel, version))),
        _section(lambda out: out.list(artifact.modules, out.bytes)),
        _section(shaders),
        _section(lambda out: out.list(artifact.blobs, lambda item: blob(out, item))),
    )
    table, body = bytearray(), bytearray()
    for tag, section in zip(_SECTIONS, sections, strict=True):
        body += bytes(_up(len(body), 8) - len(body))
        table += struct.pack("<4s3I", tag.encode(), _FIRST + len(body), len(section), 0)
        body += section
    length = _up(_FIRST + len(body), 64)
    if length > _MAX_HEAD:
        raise ArtifactError(f"the artifact has {length} bytes beside its constants: at most {_MAX_HEAD} are allowed")
    body += bytes(length - _FIRST - len(body))
    inside = sum(_up(item.length, 64) for item in artifact.blobs if not item.location)
    first = _MAGIC + struct.pack("<2IQ2I", version, length, length + inside, len(_SECTIONS), 0)
    return b"".join([first, blake3(b"".join([first, table, body])), table, body])


def write(artifact: Artifact) -> bytes:
    """The file. Raises ArtifactError where it could not be read back."""
    _validate(artifact)
    parts = [_head(artifact)]
    for item in artifact.blobs:
        if not item.location:
            assert item.data is not None
            parts += [item.data, bytes(_up(item.length, 64) - item.length)]
    return b"".join(parts)


# Reading


class _Reader(Reader):
    """Takes values off a section."""

    def __init__(self, tag: str, data: bytes) -> None:
        super().__init__(data)
        self.tag = tag

    def fail(self, what: str) -> IsaError:
        return IsaError(f"section {self.tag}, offset {self.position}: {what}")

    def uint(self, limit: int = LARGEST + 1) -> int:
        if self.position < len(self.data) and self.data[self.position] < min(limit, 0x80):  # most are one byte
            self.position += 1
            return self.data[self.position - 1]
        return super().uint(limit)

    def list(self, read: Callable[[], T], most: int = LARGEST) -> tuple[T, ...]:
        # Every item has a byte at least.
        return tuple(read() for _ in range(self.uint(min(len(self.data) - self.position, most) + 1)))

    def bytes(self) -> bytes:
        return self.take(self.uint())

    def pick(self, items: Sequence[T], what: str) -> T:
        number = self.u8()
        if number >= len(items):
            raise self.fail(f"no {what} has the number {number}")
        return items[number]

    def item(self, items: Sequence[T], what: str) -> T:
        number = self.uint()
        if number >= len(items):
            raise self.fail(f"there is no {what} {number}")
        return items[number]

    def triple(self) -> tuple[int, int, int]:
        return self.uint(), self.uint(), self.uint()

    def uints(self) -> tuple[int, ...]:
        return self.list(self.uint)

    def tokens(self, variables: Sequence[str]) -> Formula:
        count = self.uint(MAX_TOKENS + 1)
        code: list[int | str] = []
        for _ in range(count):
            number = self.u8()
            if number < 2:
                value = self.uint()
                code.append(-value if number else value)
            elif number == 2:
                code.append(self.item(variables, "variable"))
            elif number < 3 + len(_OPERATORS):
                code.append(_OPERATORS[number - 3])
            else:
                raise self.fail(f"no part of a formula has the number {number}")
        return Formula(tuple(code))


class _PlanReader(_Reader):
    def __init__(self, data: bytes, kernels: Sequence[Kernel]) -> None:
        super().__init__("PLAN", data)
        self.kernels = kernels

    def whole(self) -> Plan:
        self.variables = self.list(self.string)
        self.formulas = self.list(lambda: self.tokens(self.variables))
        ports = self.list(self.port)
        temporaries = self.list(lambda: Temporary(self.string(), self.formula()))
        constants = self.list(lambda: (self.string(), self.uint()))
        self.plan = Plan(ports, temporaries, constants)
        self.buffers = self.plan.buffers
        return Plan(ports, temporaries, constants, self.steps(0))

    def formula(self) -> Formula:
        return self.item(self.formulas, "formula")

    def port(self) -> Port:
        name, ty, access = self.string(), self.pick(_TYPES, "type"), self.pick(_ACCESS, "access")
        return Port(name, ty, access, () if access is None else self.list(self.formula))

    def three(self) -> tuple[Formula, Formula, Formula]:
        return self.formula(), self.formula(), self.formula()

    def argument(self) -> Argument:
        kind = self.pick((*ARGUMENT_KINDS, "long"), "kind of argument")
        match kind:
            case "long":
                return Argument("bits", int.from_bytes(self.take(self.uint(_MAX_SCALAR + 1)), "little"))
            case "bits":
                return Argument(kind, struct.unpack("<Q", self.take(8))[0])
            case "port":
                return Argument(kind, self.item(self.plan.ports, "port").name)
            case "formula":
                return Argument(kind, self.formula())
        return Argument(kind, self.item(self.buffers, "buffer"))

    def steps(self, depth: int) -> tuple[Step, ...]:
        if depth > MAX_NESTED + 1:
            raise self.fail("steps are nested too deeply")
        return self.list(lambda: self.step(depth))

    def step(self, depth: int) -> Step:
        match self.u8():
            case 1:
                return Repeat(self.formula(), self.item(self.variables, "variable"), self.steps(depth + 1))
            case 2:
                program, block, shared = self.uint(), self.triple(), self.uint()
                grid, lanes = self.three(), self.three()
                return Call(program, block, shared, grid, lanes, self.list(self.argument), self.steps(depth + 1))
            case 3:
                kernel, variant, origin = self.triple()
                grid, lanes = self.three(), self.three()
                if kernel >= len(self.kernels):
                    raise self.fail(f"there is no kernel {kernel}")
                scalars = tuple(self.argument() for _ in self.kernels[kernel].scalars)
                memories = tuple(self.item(self.buffers, "buffer") for _ in self.kernels[kernel].memories)
                return Launch(kernel, variant, origin, grid, lanes, scalars, memories)
            case 4:
                return Copy(self.item(self.buffers, "buffer"), self.item(self.buffers, "buffer"))
            case 5:
                return Bounds(*self.three(), self.pick(_TYPES, "type"), self.uint(), self.string())
            case 6:
                return Target(self.pick(TARGETS, "target"), self.steps(depth + 1))
        raise self.fail("there is no such step")


def _read_kernel(source: _Reader, version: int) -> Kernel:
    name, program, block, shared = source.string(), source.uint(), source.triple(), source.uint()
    scalars = source.list(lambda: (source.string(), source.pick(_TYPES, "type")))

    def memory() -> Memory:
        kind = source.pick(MEMORY_KINDS, "kind of memory")
        base = None if kind == "phi" else source.uint() if kind == "class" else source.string()
        return Memory(kind, base, source.pick((False, True), "flag"))

    memories = source.list(memory)
    parallel = source.pick((False, True), "flag")
    module = source.uint()
    wasm: WasmCode | str
    wasm = WasmCode(module - 1, source.uint(), source.uints(), source.uints()) if module else source.string()

    def binding() -> Binding | int:
        kind = source.pick((0, 1, _SCRATCH), "kind of binding")
        return source.uint() if kind == _SCRATCH else Binding(bool(kind), source.uints())

    def variant() -> WgslCode:
        shader, size, places = source.uint(), source.uint(), source.uints()
        found = source.list(binding)
        scratch = [words for words in found if isinstance(words, int)]
        bindings = tuple(each for each in found if isinstance(each, Binding))
        if scratch and (len(scratch) > 1 or isinstance(found[-1], Binding)):
            raise source.fail("scratch memory is the last binding")
        fast = source.uint() if version > 1 else 0
        variables = variables_of(len(scalars), len(memories)) if fast else ()
        conditions = source.list(lambda: source.tokens(variables)) if fast else ()
        return WgslCode(shader, size, places, bindings, 4 * sum(scratch), fast - 1 if fast else None, conditions)

    variants = source.list(variant)
    wgsl = variants or source.string()
    return Kernel(name, program - 1 if program else None, block, shared, scalars, memories, parallel, wasm, wgsl)


def _read_blob(source: _Reader) -> Blob:
    return Blob(source.uint(), source.take(32), None, source.string(), source.uint())


def head_length(start: bytes) -> int:
    """The length of the head, from the first 64 bytes of a file: what to fetch first. Raises ArtifactError."""
    if start[:8] != _MAGIC:
        raise ArtifactError("these bytes are no artifact: they do not start with HOLO")
    if len(start) < _HEADER:
        raise ArtifactError("damaged artifact: it ends too soon")
    version, length, _, count, zero = struct.unpack("<2IQ2I", start[8:32])
    if not 1 <= version <= VERSION:
        raise ArtifactError(f"the artifact has version {version}; this release reads 1 to {VERSION}: compile it again")
    if (count, zero) != (len(_SECTIONS), 0) or length % 64 or not _FIRST <= length <= _MAX_HEAD:
        raise ArtifactError("damaged artifact: its header is wrong")
    return int(length)


def read(data: Any) -> Artifact:
    """The artifact in the bytes of a file. Raises ArtifactError, and nothing else."""
    try:
        raw = bytes(memoryview(data))
    except TypeError:
        raise ArtifactError(f"an artifact is read from bytes, not from {type(data).__name__}") from None
    length = head_length(raw[:_HEADER])
    if len(raw) != struct.unpack("<Q", raw[16:24])[0] or len(raw) < length:
        raise ArtifactError(f"damaged artifact: {len(raw)} bytes are not as many as it says; was it cut off?")
    if blake3(raw[:32] + raw[_HEADER:length]) != raw[32:64]:
        raise ArtifactError("damaged artifact: its hash does not fit")
    try:
        version = raw[8]  # of the four bytes the others are 0
        artifact = _read(raw, length, version)
    except ArtifactError:
        raise
    except HologramError as error:
        raise ArtifactError(f"damaged artifact: {error}") from None
    _validate(artifact)
    if _head(artifact, version) != raw[:length]:
        raise ArtifactError("damaged artifact: it is not in canonical form")
    return artifact


def _read(raw: bytes, length: int, version: int) -> Artifact:
    sections: dict[str, bytes] = {}
    place = _FIRST
    for number, tag in enumerate(_SECTIONS):
        name, offset, size, _ = struct.unpack("<4s3I", raw[_HEADER + 16 * number :][:16])
        if name != tag.encode() or offset != _up(place, 8) or offset + size > length:
            raise ArtifactError(f"damaged artifact: section {tag} is not where it has to be")
        sections[tag], place = raw[offset : offset + size], offset + size

    def whole(tag: str, read: Callable[[_Reader], tuple[T, ...]], source: _Reader | None = None) -> tuple[T, ...]:
        source = source or _Reader(tag, sections[tag])
        found = read(source)
        if source.position != len(source.data):
            raise source.fail("bytes are left")
        return found

    size = len(sections["META"])
    if size > _MAX_META:
        raise ArtifactError(f"damaged artifact: the metadata have {size} bytes: at most {_MAX_META} are allowed")
    try:
        metadata = json.loads(sections["META"].decode())
    except (ValueError, RecursionError):
        raise ArtifactError("damaged artifact: the metadata are no JSON") from None
    if not isinstance(metadata, dict):
        raise ArtifactError("damaged artifact: the metadata are no object")
    kernels = whole("KERN", lambda source: source.list(lambda: _read_kernel(source, version)))
    planned = _PlanReader(sections["PLAN"], kernels)
    (plan,) = whole("PLAN", lambda _: (planned.whole(),), planned)
    programs = whole("PROG", lambda s: s.list(lambda: (Program.from_bytes(s.bytes()), s.string())))
    modules = whole("WASM", lambda source: source.list(source.bytes))
    # An empty shader has one byte: 3 MB of them took 5 s.
    variants = [variant for kernel in kernels if not isinstance(kernel.wgsl, str) for variant in kernel.wgsl]
    named = sum(1 + (variant.fast is not None) for variant in variants)
    pieces, shaders = whole("WGSL", lambda s: (s.list(s.string), s.list(s.uints, named)))
    blobs = whole("DATA", lambda source: source.list(lambda: _read_blob(source)))
    return Artifact(
        plan,
        tuple(program for program, _ in programs),
        tuple(text for _, text in programs),
        kernels,
        modules,
        pieces,  # type: ignore[arg-type]  # the two lists of WGSL differ in type
        shaders,  # type: ignore[arg-type]
        _with_data(blobs, raw, length),
        metadata,
    )


def _with_data(blobs: Iterable[Blob], raw: bytes, place: int) -> tuple[Blob, ...]:
    """The blobs with the data of those that are in the file."""
    found = []
    for item in blobs:
        if item.location:
            found.append(item)
            continue
        end = place + item.length
        data = item.checked(raw[place:end])
        place = _up(end, 64)
        if any(raw[end:place]):
            raise ArtifactError("damaged artifact: bytes between constants are not zero")
        found.append(Blob(item.length, item.hash, data, "", item.offset))
    if place != len(raw):
        raise ArtifactError("damaged artifact: bytes follow the last constant")
    return tuple(found)


# Checking


def _validate(artifact: Artifact) -> None:
    """Raises ArtifactError if parts do not fit together."""

    def must(holds: bool, what: str) -> None:
        if not holds:
            raise ArtifactError(f"the artifact is wrong: {what}")

    for what, items in (("module", artifact.modules), ("piece of WGSL", artifact.pieces)):
        must(len(set(items)) == len(items), f"a {what} is there twice")
    check_modules(artifact.modules)
    inside = [item.hash for item in artifact.blobs if not item.location]
    must(len(set(inside)) == len(inside), "a constant is there twice")
    must(all(item.location or not item.offset for item in artifact.blobs), "a constant of the file has an offset")
    sizes = [len(piece.encode()) for piece in artifact.pieces]
    total = 0
    for shader in artifact.shaders:
        must(all(piece < len(sizes) for piece in shader), "a shader names a piece that is not there")
        size = sum(sizes[piece] for piece in shader)
        total += size
        must(size <= _MAX_SHADER and total <= _MAX_SHADERS, "a shader is too large")
    for kernel in artifact.kernels:
        kernel.validate(len(artifact.programs), len(artifact.modules), len(artifact.shaders))
    artifact.plan.validate(artifact.programs, artifact.kernels, len(artifact.blobs))
