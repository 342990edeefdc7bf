"""One test case: a program, a launch, the memory and the scalars it is given; running it and comparing what is left."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hologram_web.backends.state import AtlasState
from hologram_web.errors import ExecutionError, FaultKind
from hologram_web.isa import Immediate, Program, Type
from hologram_web.isa.launch import ExecutionParams, LaunchConfig

from .plan import PROFILES

__all__ = ["CLASS_BYTES", "Case", "Memory", "Outcome", "View", "compare", "execute", "is_nan"]

CLASS_BYTES = 12_288


class View(NamedTuple):
    """A stretch of a memory that holds elements of a type. Of floats NaN equals NaN; all else is compared as bytes."""

    offset: int
    ty: Type
    length: int


@dataclass(eq=False)
class Memory:
    """What a buffer or pool parameter is bound to. Parameters that are bound to the same object alias."""

    name: str
    kind: str  # "buffer", "pool", or "class" for class memory
    data: bytes
    views: list[View] = field(default_factory=list)
    number: int = 0  # of the class


@dataclass
class Case:
    """A program that means one thing, whatever the order of lanes; with `fault`, the kind of fault it may end in."""

    program: Program
    config: LaunchConfig
    arguments: dict[str, Memory | Immediate]
    classes: tuple[Memory, ...] = ()
    seed: int = 0
    profile: str = "exact"
    fault: FaultKind | None = None
    features: tuple[str, ...] = ()
    phase: int = 0  # of the device when the launch starts
    resonance: dict[int, float] = field(default_factory=dict)  # of classes, then

    @property
    def memories(self) -> list[Memory]:
        """Every memory once: those of parameters, then class memory."""
        found = {id(m): m for m in self.arguments.values() if isinstance(m, Memory)}
        return [*found.values(), *self.classes]

    @property
    def lanes(self) -> int:
        return self.config.blocks * self.config.block_lanes


@dataclass(frozen=True)
class Outcome:
    """What a run left behind: the kind of a fault, or None, and the bytes of every memory."""

    fault: str | None
    detail: str
    memories: tuple[bytes, ...]
    resonance: tuple[Fraction, ...] = ()


def execute(device: Any, case: Case) -> Outcome:
    """Runs a case on a device. Errors that are no faults of the program pass through."""
    bound: dict[int, Any] = {}
    atlas = PROFILES[case.profile].atlas
    try:
        if atlas:
            device.reset_class_memory()
            device.atlas = AtlasState()
            device.atlas.advance(case.phase)
            device.atlas.commit([Fraction(case.resonance.get(k, 0)) for k in range(96)], case.config.rules)
        for memory in case.memories:
            if memory.kind == "class":
                device.class_memory(memory.number)[:] = np.frombuffer(memory.data, np.uint8)
            elif memory.kind == "pool":
                bound[id(memory)] = device.allocate_pool(len(memory.data))
                device.copy_to_pool(bound[id(memory)], 0, memory.data)
            else:
                bound[id(memory)] = device.allocate_buffer(len(memory.data))
                device.copy_to_buffer(bound[id(memory)], memory.data)
        args = {
            name: bound[id(value)] if isinstance(value, Memory) else value for name, value in case.arguments.items()
        }
        fault, detail = None, ""
        try:
            params = ExecutionParams(case.config, args, PROFILES[case.profile].math)
            device.execute_program_with_params(case.program, params)
            device.sync()
            left = tuple(_read(device, memory, bound.get(id(memory))) for memory in case.memories)
            resonance = tuple(device.atlas.resonance) if atlas else ()
        except ExecutionError as error:  # outputs after a fault are unspecified
            fault, detail, left, resonance = str(error.kind), str(error), (), ()
        return Outcome(fault, detail, left, resonance)
    finally:
        for memory in case.memories:
            if id(memory) in bound:
                (device.free_pool if memory.kind == "pool" else device.free_buffer)(bound[id(memory)])


def _read(device: Any, memory: Memory, handle: Any) -> bytes:
    if memory.kind == "class":
        return bytes(np.asarray(device.class_memory(memory.number)).tobytes())
    if memory.kind == "pool":
        return bytes(device.copy_from_pool(handle, 0, len(memory.data)))
    return bytes(device.copy_from_buffer(handle))


def is_nan(ty: Type, bits: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of these bit patterns of a float type are NaNs."""
    magnitude = bits & bits.dtype.type((1 << (ty.bits - 1)) - 1)
    infinity = bits.dtype.type(((1 << ty.exponent) - 1) << ty.mantissa)
    return np.asarray(magnitude > infinity)


def compare(case: Case, expected: Outcome, actual: Outcome) -> str | None:
    """How two outcomes differ, in words; None if they agree."""
    if expected.fault != actual.fault:
        return f"fault {expected.fault or 'none'} expected, {actual.fault or 'none'} found ({actual.detail})"
    for number, (a, b) in enumerate(zip(expected.resonance, actual.resonance, strict=True)):
        if a != b:
            return f"resonance of class {number}: {a} expected, {b} found"
    for memory, want, got in zip(case.memories, expected.memories, actual.memories, strict=False):
        if want == got:
            continue
        if len(want) != len(got):
            return f"{memory.name} has {len(got)} bytes, not {len(want)}"
        wrong = np.frombuffer(want, np.uint8) != np.frombuffer(got, np.uint8)
        for view in memory.views:
            if view.ty.is_float:
                _forgive(wrong, want, got, view, PROFILES[case.profile].math == "fast")
        if wrong.any():
            return _describe(memory, want, got, int(np.argmax(wrong)), int(wrong.sum()))
    return None


def _forgive(wrong: NDArray[np.bool_], want: bytes, got: bytes, view: View, zeros: bool) -> None:
    """Lets NaN equal NaN and, of `zeros`, those of both signs equal each other."""
    size = view.ty.size_bytes
    a, b = (np.frombuffer(data, f"<u{size}", view.length, view.offset) for data in (want, got))
    both = is_nan(view.ty, a) & is_nan(view.ty, b)
    if zeros:
        both |= ((a | b) << 1) == 0
    wrong[view.offset : view.offset + view.length * size] &= ~np.repeat(both, size)


def _describe(memory: Memory, want: bytes, got: bytes, place: int, count: int) -> str:
    for view in memory.views:
        size = view.ty.size_bytes
        if view.offset <= place < view.offset + view.length * size:
            index = (place - view.offset) // size
            start = view.offset + index * size
            bits = [int.from_bytes(data[start : start + size], "little") for data in (want, got)]
            a, b = (f"{view.ty.decode(value)} ({value:#x})" for value in bits)
            return f"{memory.name}, {view.ty} {index} from byte {view.offset}: {a} expected, {b} found; {count} bytes"
    start = place // 8 * 8
    a, b = want[start : start + 8].hex(" "), got[start : start + 8].hex(" ")
    return f"{memory.name}, bytes from {start}: {a} expected, {b} found; {count} bytes differ"
