"""From generator calls to a Program.

Element-wise calls are lane code: lane i works on element i, and calls one after another share a region of lanes.
Reductions are collectives. A fence stands between ranges that lie across one another, so that other lanes see an
element, and where a region would get too long for a shader. A class alone cannot lie across a range: with more elements
than a class has, a call on it is a fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from hologram_web.errors import IsaError, TranslateError
from hologram_web.isa.address import Address
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.operands import (
    Access,
    BufferHandle,
    Condition,
    Immediate,
    Label,
    MapOperation,
    Predicate,
    ReduceOperation,
    Register,
    check_name,
)
from hologram_web.isa.program import MAX_INSTRUCTIONS, MAX_PARAMETERS, Param, Program, ProgramMetadata
from hologram_web.isa.types import Type

from .calls import Call
from .classes import CLASSES

__all__ = ["LoweredCircuit", "lower"]

CLASS_BYTES = 12288
COUNT = "n"  # the parameter that says how many elements there are
_LANE = Register(255)
_BINARY = frozenset(("Add", "Mul", "Min", "Max", "Sub", "Div"))
_REDUCTIONS = {"ReduceSum": ReduceOperation.Sum, "ReduceMin": ReduceOperation.Min, "ReduceMax": ReduceOperation.Max}
# What calls weigh in a region of lanes, about in lines of a shader, and what a region may weigh.
_LIGHT, _HEAVY, _LIMIT = 1, 8, 64


class ClassRange(NamedTuple):
    """A long vector in class memory: it starts with class `start`, and goes on through `length` classes."""

    start: int
    length: int

    def overlaps(self, other: ClassRange) -> bool:
        return self.start < other.start + other.length and other.start < self.start + self.length


# Where the elements of an operand are: a buffer parameter, a handle, a class, or classes in a row.
VectorPlace = str | BufferHandle | int | ClassRange
Bindings = Mapping[Any, Any]


class LoweredCircuit(NamedTuple):
    """A program; the lanes it needs whatever `n` is; the elements that its ranges hold, None where it has none."""

    program: Program
    lanes: int
    capacity: int | None


def lower(calls: Iterable[Call], bindings: Bindings | None = None, ty: Type = Type.F32) -> LoweredCircuit:
    """The verified program of some calls on elements of a type.

    `bindings` is the table that `compile` describes. Raises TranslateError.
    """
    return _Lowering(list(calls), _Table(bindings or {}), ty).lowered()


class _Table:
    """Bindings, checked: where the elements of classes and of ranges are."""

    def __init__(self, bindings: Bindings) -> None:
        self.classes: dict[int, VectorPlace] = {}
        self.ranges: dict[tuple[int, int], tuple[VectorPlace, ...]] = {}
        for key, value in bindings.items():
            match key:
                case int() if 0 <= key < CLASSES and not isinstance(key, bool):
                    self.classes[key] = _buffer(value, f"class {key}")
                case (int() as start, int() as end) if 0 <= start < end < CLASSES:
                    given = value if isinstance(value, (tuple, list)) else (value,)
                    self.ranges[start, end] = tuple(self.operand(item, start, end) for item in given)
                case _:
                    raise TranslateError(
                        f"{key!r} cannot be bound: give a class from 0 to 95, or the two ends of a range"
                    )

    @staticmethod
    def operand(value: Any, start: int, end: int) -> VectorPlace:
        length = end - start + 1
        if type(value) is int:
            if not 0 <= value <= CLASSES - length:
                raise TranslateError(
                    f"an input of c[{start}..{end}] has {length} classes: they cannot start at {value}"
                )
            return ClassRange(value, length)
        return _buffer(value, f"c[{start}..{end}]")

    def of_range(self, start: int, end: int, inputs: int) -> tuple[list[VectorPlace], VectorPlace]:
        """The inputs of a call on a range, and where its result goes."""
        own = ClassRange(start, end - start + 1)
        bound = self.ranges.get((start, end), ("a", "b")[:inputs])
        sources = list(bound[:inputs])
        if not inputs <= len(bound) <= inputs + 1:
            raise TranslateError(
                f"c[{start}..{end}] is bound to {len(bound)} places, and has {inputs} inputs: bind them, and "
                "after them where its result goes if that is not the range"
            )
        result = bound[inputs] if len(bound) > inputs else own
        for c in self.classes:
            if result == own and start <= c <= end:
                raise TranslateError(
                    f"class {c} is in c[{start}..{end}], which is one vector: bind the range, or not the class"
                )
        for source in sources:
            if (
                isinstance(source, ClassRange)
                and isinstance(result, ClassRange)
                and source != result
                and source.overlaps(result)
            ):
                raise TranslateError(
                    f"the input of c[{start}..{end}] that starts at class {source.start} overlaps the result, which "
                    f"starts at class {result.start}: let it start there, too, or elsewhere"
                )
        return sources, result


def _buffer(value: Any, what: str) -> VectorPlace:
    if isinstance(value, str):
        if check_name(value, "parameter") == COUNT or value.startswith("$"):
            raise TranslateError(f"{what} cannot be bound to {value!r}: the name is taken, choose another one")
        return value
    handle = value.raw() if hasattr(value, "raw") else getattr(value, "handle", value)
    if not isinstance(handle, BufferHandle):
        raise TranslateError(f"{what} is bound to {value!r}: give a name for a parameter, a buffer or its handle")
    return handle


class _Step(NamedTuple):
    """What a call does to memory: `what` is a call or a variant."""

    what: str
    sources: list[VectorPlace]
    result: VectorPlace
    n: int | None = None


class _Lowering:
    def __init__(self, calls: list[Call], table: _Table, ty: Type) -> None:
        self.table, self.ty = table, ty
        self.steps = [step for step in map(self.step, calls) if step is not None]
        names: dict[str, list[bool]] = {}  # whether it is read, whether it is written
        for step in self.steps:
            for place in (*step.sources, step.result):
                if isinstance(place, str):
                    names.setdefault(place, [False, False])
            for place in step.sources:
                if isinstance(place, str):
                    names[place][0] = True
            both = [step.result, *(step.sources if step.what == "Swap" else ())]
            for place in both:
                if isinstance(place, str):
                    names[place][1] = True
                    names[place][0] |= step.what in ("Swap", "Softmax")
        counted = any(step.n is None for step in self.steps)
        params = [Param(name, "buffer", ty, _access(*ways)) for name, ways in names.items()]
        self.program = Program(metadata=ProgramMetadata("circuit"))
        self.program.params = [*params, *([Param(COUNT, "scalar", Type.U64)] if counted else [])]
        self.first = len(self.program.params) + 1  # the first register that is free
        if self.first + 14 > MAX_PARAMETERS:
            raise TranslateError(f"the circuit has {len(params)} buffers: bind fewer, at most {MAX_PARAMETERS - 15}")
        # The region of lanes that is open: what guards it, where it ends, what it weighs and touches of class memory.
        self.count: int | None = None
        self.end = ""
        self.weight = 0
        self.runs: set[ClassRange] = set()

    def step(self, call: Call) -> _Step | None:
        """What a call does, or None if that is nothing."""
        at = self.table.classes
        match call.call:
            case "Merge" | "Split":
                sources = [call.src, call.context] if call.variant in _BINARY else [call.src]
                return _Step(call.variant, [at.get(c, c) for c in sources], at.get(call.dst, call.dst))
            case "MergeRange":
                inputs, result = self.table.of_range(call.start, call.end, 2 if call.variant in _BINARY else 1)
                return _Step(call.variant, inputs, result)
            case "Copy" | "ReduceSum" | "ReduceMin" | "ReduceMax" | "Softmax":
                count = call.n if call.call != "Copy" else None
                return _Step(call.call, [at.get(call.src, call.src)], at.get(call.dst, call.dst), count)
            case "Swap":
                return _Step("Swap", [at.get(call.a, call.a)], at.get(call.b, call.b))
        return None

    def lowered(self) -> LoweredCircuit:
        for step in self.steps:
            if step.what in _REDUCTIONS:
                self.reduce(_REDUCTIONS[step.what], step.sources[0], step.n, self.base(step.result))
            elif step.what == "Softmax":
                self.softmax(step)
            else:
                self.elements(step)
        self.close()
        self.add("EXIT")
        if len(self.program) > MAX_INSTRUCTIONS:
            raise TranslateError(
                f"the circuit takes {len(self.program)} instructions, at most {MAX_INSTRUCTIONS}: divide it"
            )
        try:
            self.program.validate()
        except IsaError as error:
            raise TranslateError(f"the circuit does not work on {self.ty}: {error}") from None
        runs = [p for s in self.steps for p in (*s.sources, s.result) if isinstance(p, ClassRange)]
        per = CLASS_BYTES // self.ty.size_bytes
        lanes = max((step.n or 0 for step in self.steps if step.what == "Softmax"), default=0)
        return LoweredCircuit(self.program, max(lanes, 1), min((run.length * per for run in runs), default=None))

    # Instructions

    def add(self, name: str, *operands: Any) -> None:
        self.program.add(getattr(Instruction, name)(*operands))

    def register(self, number: int) -> Register:
        """A register behind the parameters."""
        return Register(self.first + number)

    def number(self, register: Register, ty: Type, value: int) -> Register:
        self.add("MOV_IMM", ty, register, Immediate.of(ty, value))
        return register

    def base(self, place: VectorPlace) -> Address:
        assert not isinstance(place, ClassRange)
        return Address.Class(place) if isinstance(place, int) else Address.Buffer(place)

    def element(self, place: VectorPlace) -> Address:
        """The element of the lane."""
        if not isinstance(place, ClassRange):
            return Address.Register(self.base(place), _LANE, scale=self.ty.size_bytes)
        start, chunk = self.register(9), self.register(6)
        self.number(start, Type.U32, place.start)
        self.add("ADD", Type.U32, start, start, chunk)
        return Address.Phi(start, self.register(7), self.register(8))

    def locate(self, length: int) -> None:
        """Where the element of the lane is in a vector of `length` classes: registers 6 (class, from its start), 7
        (page) and 8 (byte). Beyond its end the page does not exist."""
        lane, scale = self.register(5), self.register(9)
        chunk, page, byte = self.register(6), self.register(7), self.register(8)
        u32 = Type.U32
        self.add("CVT", u32, Type.U64, lane, _LANE)
        self.number(scale, u32, CLASS_BYTES // self.ty.size_bytes)
        self.add("DIV", u32, chunk, lane, scale)
        self.add("REM", u32, byte, lane, scale)
        self.add("MUL", u32, byte, byte, self.number(scale, u32, self.ty.size_bytes))
        self.add("SHR", u32, page, byte, self.number(scale, u32, 8))
        self.add("AND", u32, byte, byte, self.number(scale, u32, 255))
        inside = Predicate(1)
        self.add("SETcc", Condition.LT, u32, inside, chunk, self.number(scale, u32, length))
        self.add("SEL", u32, page, inside, page, self.number(scale, u32, 48))
        self.add("SEL", u32, chunk, inside, chunk, self.number(scale, u32, 0))

    # Regions of lanes

    def open(self, count: int | None, weight: int, runs: set[ClassRange]) -> None:
        """Goes on with lane code for `count` elements, in the region that is open if that is the same."""
        apart = any(a.start != b.start and a.overlaps(b) for a in runs for b in self.runs)
        if self.end and (apart or self.weight + weight > _LIMIT):
            self.close()
            nothing = Address.Class(0)  # a collective of no elements: all lanes before it are done
            self.add("ParallelMap", MapOperation.Not, nothing, nothing, 0, Type.U32)
        elif count != self.count:
            self.close()
        if not self.end:
            self.count, self.end, self.weight, self.runs = count, f"region{len(self.program.labels)}", 0, set()
            limit = Register(self.first - 1) if count is None else self.number(self.register(4), Type.U64, count)
            self.add("SETcc", Condition.GEU, Type.U64, Predicate(0), _LANE, limit)
            self.add("BRA", Label(self.end), Predicate(0))
        self.weight += weight
        self.runs |= runs

    def close(self) -> None:
        if self.end:
            self.program.labels[self.end] = len(self.program)
            self.end = ""

    def elements(self, step: _Step) -> None:
        """An element-wise call."""
        places = [*step.sources, step.result]
        runs = {place for place in places if isinstance(place, ClassRange)}
        light = step.what in ("Copy", "Swap", "Abs") or step.what in _BINARY
        self.open(None, _LIGHT if light else _HEAVY, runs)
        if runs:
            self.locate(next(iter(runs)).length)
        values = [self.register(number) for number in range(len(step.sources))]
        for value, place in zip(values, step.sources, strict=True):
            self.add("LDG", self.ty, value, self.element(place))
        if step.what == "Swap":
            self.add("LDG", self.ty, self.register(1), self.element(step.result))
            self.add("STG", self.ty, self.element(step.sources[0]), self.register(1))
        elif step.what != "Copy":
            self.add(step.what.upper(), self.ty, self.register(0), *values)
        self.add("STG", self.ty, self.element(step.result), self.register(0))

    def reduce(
        self, operation: ReduceOperation, source: VectorPlace, count: int | None, result: Address | Register
    ) -> None:
        self.close()
        size = Register(self.first - 1) if count is None else count
        self.add("ParallelReduce", operation, result, self.base(source), size, self.ty)

    def softmax(self, step: _Step) -> None:
        """The greatest element; e to what elements are above it; their sum; and by that they are divided."""
        value, most, total = self.register(0), self.register(2), self.register(3)
        self.reduce(ReduceOperation.Max, step.sources[0], step.n, most)
        self.open(step.n, _HEAVY, set())
        self.add("LDG", self.ty, value, self.element(step.sources[0]))
        self.add("SUB", self.ty, value, value, most)
        self.add("EXP", self.ty, value, value)
        self.add("STG", self.ty, self.element(step.result), value)
        self.reduce(ReduceOperation.Sum, step.result, step.n, total)
        self.open(step.n, _LIMIT, set())
        self.add("LDG", self.ty, value, self.element(step.result))
        self.add("DIV", self.ty, value, value, total)
        self.add("STG", self.ty, self.element(step.result), value)


def _access(read: bool, written: bool) -> Access:
    return Access.READ_WRITE if read and written else Access.WRITE if written else Access.READ
