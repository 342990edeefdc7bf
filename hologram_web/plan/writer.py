"""Writes `.holo` files, as docs/artifact.md defines them: equal artifacts have equal bytes. Standard library only."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ArtifactError
from ..isa.operands import Access
from ..isa.ops import PRED, PRIMITIVES
from ..isa.types import Type
from ..isa.wire import ByteWriter
from ..store.blake3 import blake3
from .artifact import Artifact, Blob
from .formula import OPERATORS, Formula
from .plan import (
    ARGUMENT_KINDS,
    MEMORY_KINDS,
    TARGETS,
    Argument,
    BoundsCheck,
    Branch,
    Copy,
    KernelCode,
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
    When,
    variables_of,
)

__all__ = [
    "ACCESS", "FIRST", "HEADER", "MAGIC", "MAX_HEAD", "MAX_META", "OPERATOR_CODES", "PRIMITIVE_CODES",
    "SCRATCH", "SECTIONS", "VALUE_TYPES", "VERSION", "aligned", "head", "write",
]  # fmt: skip

# Version 1 had no conditions and no values, version 2 one fast shader, a block of it a workgroup, version 3 no relaxed
# modules, version 4 nothing about shaders whose lanes count.
VERSION = 5
MAGIC = b"HOLO\r\n\x1a\n"
SECTIONS = ("META", "PLAN", "PROG", "KERN", "WASM", "WGSL", "DATA")
HEADER, FIRST = 64, 64 + 16 * len(SECTIONS)
MAX_HEAD, MAX_META = 1 << 28, 1 << 20
ACCESS = (None, Access.READ, Access.WRITE, Access.READ_WRITE)
OPERATOR_CODES = tuple(OPERATORS)
SCRATCH = 2  # the kind of a binding
VALUE_TYPES: tuple[Type | str, ...] = (*sorted(Type, key=lambda ty: ty.id), PRED)
PRIMITIVE_CODES = tuple(PRIMITIVES)


def aligned(number: int, to: int) -> int:
    return -(-number // to) * to


class _Writer(ByteWriter):
    def list(self, items: Sequence[Any], *writes: Callable[[Any], None]) -> None:
        """A list; with several writers, of tuples."""
        self.uint(len(items))
        if len(writes) == 1:
            for item in items:
                writes[0](item)
            return
        for item in items:
            for write, part in zip(writes, item, strict=True):
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
            out.u8(3 + OPERATOR_CODES.index(token))
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
        self.out.u8(ACCESS.index(port.access))
        if port.access is not None:
            self.out.list(port.shape, self.formula)

    def argument(self, arg: Argument) -> None:
        if arg.kind == "bits" and arg.value >> 64:
            self.out.u8(ARGUMENT_KINDS.index("long"))
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
            case "value":
                self.variable(arg.value)
            case _:
                self.out.uint(self.buffers[arg.value])

    def variable(self, name: str) -> None:
        self.out.uint(self.variables.setdefault(name, len(self.variables)))

    def type(self, ty: Type | str) -> None:
        self.out.u8(VALUE_TYPES.index(ty))

    def grid(self, step: ProgramCall | Launch) -> None:
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
                self.variable(step.variable)
                self.steps(step.body)
            case ProgramCall():
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
            case BoundsCheck():
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
            case Let():
                out.u8(7)
                self.variable(step.value)
                self.type(step.ty)
                out.u8(PRIMITIVE_CODES.index(step.op))
                self.type(step.of)
                out.list(step.args, self.argument)
            case Read():
                out.u8(8)
                self.variable(step.value)
                self.type(step.ty)
                out.uint(self.buffers[step.buffer])
                self.formula(step.offset)
            case When():
                out.u8(9)
                self.variable(step.condition)
                self.steps(step.then)
                self.steps(step.otherwise)
            case Nest():
                out.u8(10)
                self.steps(step.body)
            case Loop():
                out.u8(11)
                self.steps(step.body)
            case Branch():
                out.u8(12)
                out.uint(step.levels)


def _write_kernel(out: _Writer, kernel: KernelCode, version: int) -> None:
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
        if version > 3:
            out.uint(0 if kernel.wasm.relaxed is None else 1 + kernel.wasm.relaxed)
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
        if version > 4:
            out.u8(variant.counts)
        out.uint(variant.size)
        out.uints(variant.scalars)
        out.uint(len(variant.bindings) + bool(variant.scratch))
        for binding in variant.bindings:
            out.u8(binding.writable)
            out.uints(binding.memories)
        if variant.scratch:
            out.u8(SCRATCH)
            out.uint(variant.scratch // 4)
        for fast in variant.fast:
            out.uint(fast.shader + 1)
            if version > 2:
                out.uint(fast.blocks - 1)
            if version > 4:
                out.u8(fast.counts)
            out.list(fast.conditions, write_condition)
        if version > 2 or (version == 2 and not variant.fast):
            out.uint(0)


def _meta(metadata: dict[str, str]) -> bytes:
    for key, value in metadata.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise ArtifactError(f"metadata are texts by name: {key!r} is {value!r}")
    try:
        text = json.dumps(metadata, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        raise ArtifactError("the metadata hold a lone surrogate, which is no text") from None
    if len(text) > MAX_META:
        raise ArtifactError(f"the metadata have {len(text)} bytes: at most {MAX_META} are allowed")
    return text


def _section(write: Callable[[_Writer], Any]) -> bytes:
    out = _Writer()
    write(out)
    return bytes(out.data)


def head(artifact: Artifact, version: int = VERSION) -> bytes:
    """The bytes before the blobs."""

    def programs(out: _Writer) -> None:
        sources = artifact.sources or [program.to_bytes() for program in artifact.programs]
        out.list(list(zip(sources, artifact.texts, strict=True)), out.bytes, out.string)

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
    for tag, section in zip(SECTIONS, sections, strict=True):
        body += bytes(aligned(len(body), 8) - len(body))
        table += struct.pack("<4s3I", tag.encode(), FIRST + len(body), len(section), 0)
        body += section
    length = aligned(FIRST + len(body), 64)
    if length > MAX_HEAD:
        raise ArtifactError(f"the artifact has {length} bytes beside its constants: at most {MAX_HEAD} are allowed")
    body += bytes(length - FIRST - len(body))
    inside = sum(aligned(item.length, 64) for item in artifact.blobs if not item.location)
    first = MAGIC + struct.pack("<2IQ2I", version, length, length + inside, len(SECTIONS), 0)
    return b"".join([first, blake3(b"".join([first, table, body])), table, body])


def write(artifact: Artifact) -> bytes:
    """The file. Raises ArtifactError where it could not be read back."""
    artifact.validate()
    parts = [head(artifact)]
    for item in artifact.blobs:
        if not item.location:
            assert item.data is not None
            parts += [item.data, bytes(aligned(item.length, 64) - item.length)]
    return b"".join(parts)
