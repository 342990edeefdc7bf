"""Reads `.holo` files, as docs/artifact.md defines them. Standard library only.

Reading trusts nothing: whatever is wrong is an ArtifactError, no number is believed before it is compared with the
bytes that are there, and what the writer would have written differently is refused.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from ..errors import ArtifactError, HologramError, IsaError
from ..isa.program import Program
from ..isa.types import Type
from ..isa.wire import ByteReader
from ..store.blake3 import blake3
from .artifact import Artifact, Blob
from .formula import LARGEST, MAX_TOKENS, Formula
from .plan import (
    ARGUMENT_KINDS,
    MAX_NESTED,
    MEMORY_KINDS,
    TARGETS,
    Argument,
    Binding,
    BoundsCheck,
    Branch,
    Copy,
    FastCode,
    KernelCode,
    KernelMemory,
    Launch,
    Let,
    Loop,
    Nest,
    Plan,
    Port,
    ProgramCall,
    Read,
    Repeat,
    Step,
    Target,
    Temporary,
    WasmCode,
    WgslCode,
    When,
    variables_of,
)
from .writer import (
    ACCESS,
    FIRST,
    HEADER,
    MAGIC,
    MAX_HEAD,
    MAX_META,
    OPERATOR_CODES,
    PRIMITIVE_CODES,
    SCRATCH,
    SECTIONS,
    VALUE_TYPES,
    VERSION,
    aligned,
    head,
)  # fmt: skip

__all__ = ["head_length", "read"]

_TYPES = sorted(Type, key=lambda ty: ty.id)
_MAX_SCALAR = max(ty.size_bytes for ty in Type)

T = TypeVar("T")


class _Reader(ByteReader):
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
            elif number < 3 + len(OPERATOR_CODES):
                code.append(OPERATOR_CODES[number - 3])
            else:
                raise self.fail(f"no part of a formula has the number {number}")
        return Formula(tuple(code))


class _PlanReader(_Reader):
    def __init__(self, data: bytes, kernels: Sequence[KernelCode]) -> None:
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
        name, ty, access = self.string(), self.pick(_TYPES, "type"), self.pick(ACCESS, "access")
        return Port(name, ty, access, () if access is None else self.list(self.formula))

    def three(self) -> tuple[Formula, Formula, Formula]:
        return self.formula(), self.formula(), self.formula()

    def argument(self) -> Argument:
        kind = self.pick(ARGUMENT_KINDS, "kind of argument")
        match kind:
            case "long":
                return Argument("bits", int.from_bytes(self.take(self.uint(_MAX_SCALAR + 1)), "little"))
            case "bits":
                return Argument(kind, struct.unpack("<Q", self.take(8))[0])
            case "port":
                return Argument(kind, self.item(self.plan.ports, "port").name)
            case "formula":
                return Argument(kind, self.formula())
            case "value":
                return Argument(kind, self.item(self.variables, "variable"))
        return Argument(kind, self.item(self.buffers, "buffer"))

    def type(self) -> Type | str:
        return self.pick(VALUE_TYPES, "type")

    def let(self) -> Let:
        name, ty, op = self.item(self.variables, "variable"), self.type(), self.pick(PRIMITIVE_CODES, "operation")
        return Let(name, ty, op, self.type(), self.list(self.argument))

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
                return ProgramCall(program, block, shared, grid, lanes, self.list(self.argument), self.steps(depth + 1))
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
                return BoundsCheck(*self.three(), self.pick(_TYPES, "type"), self.uint(), self.string())
            case 6:
                return Target(self.pick(TARGETS, "target"), self.steps(depth + 1))
            case 7:
                return self.let()
            case 8:
                name, ty = self.item(self.variables, "variable"), self.pick(_TYPES, "type")
                return Read(name, ty, self.item(self.buffers, "buffer"), self.formula())
            case 9:
                condition = self.item(self.variables, "variable")
                return When(condition, self.steps(depth + 1), self.steps(depth + 1))
            case 10:
                return Nest(self.steps(depth + 1))
            case 11:
                return Loop(self.steps(depth + 1))
            case 12:
                return Branch(self.uint())
        raise self.fail("there is no such step")


def _read_kernel(source: _Reader, version: int) -> KernelCode:
    name, program, block, shared = source.string(), source.uint(), source.triple(), source.uint()
    scalars = source.list(lambda: (source.string(), source.pick(_TYPES, "type")))

    def memory() -> KernelMemory:
        kind = source.pick(MEMORY_KINDS, "kind of memory")
        base = None if kind == "phi" else source.uint() if kind == "class" else source.string()
        return KernelMemory(kind, base, source.pick((False, True), "flag"))

    memories = source.list(memory)
    parallel = source.pick((False, True), "flag")
    module = source.uint()
    wasm: WasmCode | str = source.string() if not module else ""
    if module:
        spill, order, places = source.uint(), source.uints(), source.uints()
        relaxed = source.uint() if version > 3 else 0
        wasm = WasmCode(module - 1, spill, order, places, relaxed - 1 if relaxed else None)

    def binding() -> Binding | int:
        kind = source.pick((0, 1, SCRATCH), "kind of binding")
        return source.uint() if kind == SCRATCH else Binding(bool(kind), source.uints())

    def counts() -> bool:
        return version < 5 or source.pick((False, True), "flag")

    def variant() -> WgslCode:
        shader, counted, size, places = source.uint(), counts(), source.uint(), source.uints()
        found = source.list(binding)
        scratch = [words for words in found if isinstance(words, int)]
        bindings = tuple(each for each in found if isinstance(each, Binding))
        if scratch and (len(scratch) > 1 or isinstance(found[-1], Binding)):
            raise source.fail("scratch memory is the last binding")
        variables = variables_of(len(scalars), len(memories)) if version > 1 else ()

        fast: list[FastCode] = []
        while version > 1 and (number := source.uint()):
            more = source.uint() if version > 2 else 0
            rounds = counts()
            fast.append(FastCode(number - 1, 1 + more, source.list(lambda: source.tokens(variables)), rounds))
            if version == 2:  # which had one at most
                break
        return WgslCode(shader, size, places, bindings, 4 * sum(scratch), tuple(fast), counted)

    variants = source.list(variant)
    wgsl = variants or source.string()
    return KernelCode(name, program - 1 if program else None, block, shared, scalars, memories, parallel, wasm, wgsl)


def _read_blob(source: _Reader) -> Blob:
    return Blob(source.uint(), source.take(32), None, source.string(), source.uint())


def head_length(start: bytes) -> int:
    """The length of the head, from the first 64 bytes of a file: what to fetch first. Raises ArtifactError."""
    if start[:8] != MAGIC:
        raise ArtifactError("these bytes are no artifact: they do not start with HOLO")
    if len(start) < HEADER:
        raise ArtifactError("damaged artifact: it ends too soon")
    version, length, _, count, zero = struct.unpack("<2IQ2I", start[8:32])
    if not 1 <= version <= VERSION:
        raise ArtifactError(f"the artifact has version {version}; this release reads 1 to {VERSION}: compile it again")
    if (count, zero) != (len(SECTIONS), 0) or length % 64 or not FIRST <= length <= MAX_HEAD:
        raise ArtifactError("damaged artifact: its header is wrong")
    return int(length)


def read(data: Any) -> Artifact:
    """The artifact in the bytes of a file. Raises ArtifactError, and nothing else."""
    try:
        raw = bytes(memoryview(data))
    except TypeError:
        raise ArtifactError(f"an artifact is read from bytes, not from {type(data).__name__}") from None
    length = head_length(raw[:HEADER])
    if len(raw) != struct.unpack("<Q", raw[16:24])[0] or len(raw) < length:
        raise ArtifactError(f"damaged artifact: {len(raw)} bytes are not as many as it says; was it cut off?")
    if blake3(raw[:32] + raw[HEADER:length]) != raw[32:64]:
        raise ArtifactError("damaged artifact: its hash does not fit")
    try:
        version = raw[8]  # of the four bytes the others are 0
        artifact = _read(raw, length, version)
    except ArtifactError:
        raise
    except HologramError as error:
        raise ArtifactError(f"damaged artifact: {error}") from None
    artifact.validate()
    if head(artifact, version) != raw[:length]:
        raise ArtifactError("damaged artifact: it is not in canonical form")
    return artifact


def _read(raw: bytes, length: int, version: int) -> Artifact:
    sections: dict[str, bytes] = {}
    place = FIRST
    for number, tag in enumerate(SECTIONS):
        name, offset, size, _ = struct.unpack("<4s3I", raw[HEADER + 16 * number :][:16])
        if name != tag.encode() or offset != aligned(place, 8) or offset + size > length:
            raise ArtifactError(f"damaged artifact: section {tag} is not where it has to be")
        sections[tag], place = raw[offset : offset + size], offset + size

    def whole(tag: str, read: Callable[[_Reader], tuple[T, ...]], source: _Reader | None = None) -> tuple[T, ...]:
        source = source or _Reader(tag, sections[tag])
        found = read(source)
        if source.position != len(source.data):
            raise source.fail("bytes are left")
        return found

    size = len(sections["META"])
    if size > MAX_META:
        raise ArtifactError(f"damaged artifact: the metadata have {size} bytes: at most {MAX_META} are allowed")
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
    named = sum(1 + len(variant.fast) for variant in variants)
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
        place = aligned(end, 64)
        if any(raw[end:place]):
            raise ArtifactError("damaged artifact: bytes between constants are not zero")
        found.append(Blob(item.length, item.hash, data, "", item.offset))
    if place != len(raw):
        raise ArtifactError("damaged artifact: bytes follow the last constant")
    return tuple(found)
