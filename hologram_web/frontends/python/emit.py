"""What a pass writes: instructions, registers taken and given back, arrays, and the scope of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from heapq import heappop, heappush
from types import FunctionType
from typing import Any, NoReturn

from ...errors import IsaError, TranslateError
from ...isa.address import Address
from ...isa.builder import ProgramBuilder
from ...isa.elements import Element
from ...isa.instruction import Instruction
from ...isa.operands import Label, Predicate, Register
from ...isa.program import MAX_INSTRUCTIONS, MAX_PARAMETERS
from ...isa.row import Row
from ...isa.table import BY_NAME
from ...isa.types import Type
from .advice import SignWarning
from .source import Definition, Source
from .spans import compared, converted, is_small, widened
from .types import INDEX, ExactRange, Value, ValueKind, Weak, default, fits

__all__ = ["FIRST", "MOST_LANES", "ArrayRef", "Emitter", "EnclosingLoop", "KernelFacts", "Scope"]

MOST_LANES = 1024  # of a block
FIRST = -1  # in the place of an axis: where element 0 of a placed array is, in units of the type's alignment


@dataclass(frozen=True)
class ArrayRef:
    """An array: a parameter, whose `shape` is known at launch, or shared (or local) memory from byte `offset` on.

    `ty` is what lies in memory, `element` what that means where it is no number. Of a view `fixed` says for each axis
    of the array which place along it is meant; None where that is left to its `ndim` indices; `cut` the first place
    and the length along axes of which it has a part. `said` is its own name.
    """

    name: str
    ty: Type
    ndim: int
    shape: tuple[int, ...] | None = None
    offset: int = 0
    local: bool = False
    placed: bool = False
    element: Element | None = None
    fixed: tuple[Value | None, ...] = ()
    cut: tuple[tuple[Value, Value] | None, ...] = ()
    said: str = ""

    @property
    def means(self) -> Type | Element:
        """The type of its elements."""
        return self.element or self.ty

    @property
    def title(self) -> str:
        """What messages call it."""
        return self.said or self.name

    @cached_property
    def whole(self) -> ArrayRef:
        """The array that it is a view of; itself, if it is none."""
        return replace(self, ndim=len(self.fixed), fixed=(), cut=(), said="") if self.fixed else self

    @property
    def axes(self) -> list[int]:
        """The axes of the whole array that it has."""
        return [axis for axis, place in enumerate(self.fixed or [None] * self.ndim) if place is None]


@dataclass
class KernelFacts:
    """What passes find out about the kernel. A pass that changes what was taken for known is followed by another one.

    `types` of variables by scope and name, forms of those with parts; `fixed` ones are annotated; `lengths` is the
    number of registers kept for lengths of axes, which become parameters when they are first needed; `reads` and
    `writes` the parameters accessed; `axes` those along which the kernel asks where its lane is; `indexed` has the
    arrays that the lane's number indexes: parameter, its axis, axis of the lanes; `loops` what generators became;
    `spans` of variables of small integers (spans.py); `behind` names that functions read beside loops over them;
    `regions` shared memory of block operations, by what for and the size of an element: bytes, for blocks of at most
    `most` lanes; `apart` whether lanes might not come to one of them; `prints` what its prints show;
    `assigned` where functions assign which names (lost.py), which no pass changes.
    """

    types: dict[Any, Any] = field(default_factory=dict)
    fixed: set[Any] = field(default_factory=set)
    lengths: int = 0
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    axes: set[int] = field(default_factory=set)
    indexed: set[tuple[str, int, int]] = field(default_factory=set)
    regions: dict[tuple[str, int], int] = field(default_factory=dict)
    most: int = MOST_LANES
    apart: bool = False
    definitions: dict[FunctionType, Definition] = field(default_factory=dict)
    loops: dict[ast.AST, tuple[ast.Call, ast.FunctionDef]] = field(default_factory=dict)
    prints: list[Any] = field(default_factory=list)
    spans: dict[Any, ExactRange] = field(default_factory=dict)
    behind: dict[ast.AST, frozenset[str]] = field(default_factory=dict)
    assigned: dict[ast.AST, dict[str | None, list[ast.Assign]]] = field(default_factory=dict)
    changed: bool = False

    def learn(self, key: Any, ty: Any) -> None:
        """Notes the type of a variable."""
        self.changed |= self.types.setdefault(key, ty) != ty
        self.types[key] = ty

    def settle(self) -> bool:
        """Gives variables and results that only met literals a type; says whether there were any.

        Conditional expressions go on to adapt to what they meet, as they do where both sides are computed.
        """
        weak = {key: default(ty) for key, ty in self.types.items() if ty in (Weak.INT, Weak.FLOAT) and key[0] != "if"}
        self.types.update(weak)
        return bool(weak)


@dataclass
class EnclosingLoop:
    """A loop around the current statement, and what is assigned where it is left or goes on."""

    again: Label
    end: Label
    through: Label  # where it ends by itself: its `else`, or `end`
    at_again: list[set[str]] = field(default_factory=list)
    at_end: list[set[str]] = field(default_factory=list)


@dataclass
class Scope:
    """A function being translated: the kernel, or one inlined at `path`.

    `assigned` are the variables written on every path to here; None where no path leads. `once` are those that one
    place assigns; of those, `lanes` are the lane's numbers. Elements of arrays decided what variables in `read` are.
    """

    path: tuple[ast.AST, ...]
    name: str
    source: Source
    local_names: set[str]
    bound: dict[str, Any] = field(default_factory=dict)  # arrays, constants and arguments that stay as they are
    registers: dict[str, Register] = field(default_factory=dict)
    assigned: set[str] | None = field(default_factory=set)
    loops: list[EnclosingLoop] = field(default_factory=list)
    returns: Label | None = None  # where an inlined function ends
    results: dict[str, Register] = field(default_factory=dict)
    level: int = 0  # of the temporaries among which results are
    once: frozenset[str] = frozenset()
    lanes: dict[str, tuple[str, int]] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    around: Scope | None = None  # of a function in a function
    returned: str = ""  # what it returns: "nothing", "a value", "2 values"


_register = cache(Register)


class Emitter:
    """Instructions and registers of one pass."""

    def __init__(self, name: str, facts: KernelFacts, checks: str) -> None:
        self.builder = ProgramBuilder(name)
        self.axes = checks == "axis"  # whether every index is checked, or where elements lie
        self.facts = facts
        self.code = self.builder.build().instructions
        self.lines: list[tuple[Source, Any]] = []  # of each instruction the statement
        self.warnings: dict[tuple[type[UserWarning], str, int, str], None] = {}
        self.at: tuple[Source, Any] = (Source("", [], 1, {}), None)
        self.free: list[int] = []  # heaps
        self.free_predicates = list(range(16))
        self.temporaries: list[list[Register | Predicate]] = []  # of each statement around
        self.annotated: dict[Any, Any] = {}  # what annotations say of variables
        self.own_bytes = {"shared": 0, "local": 0}
        self.labelled = -1  # where the last label was placed
        self.scope: Scope
        self.hidden: dict[tuple[str, int], Register] = {}
        self.collectives: dict[int, Any] = {}  # their calls, by instruction
        self.refused: TranslateError | None = None  # what is wrong if no type changes any more
        self.spans: dict[Any, ExactRange | None] = {}  # of variables assigned since the last label
        self.checked: list[tuple[Any, ...]] = []  # of the last indices: the operands of CHK
        self.placed: list[tuple[str, int] | None] = []  # by the last indices: lane's numbers; ("", 0) for literals

    def fail(self, node: Any, message: str) -> NoReturn:
        """Raises TranslateError at a syntax node."""
        self.scope.source.fail(node, message)

    def warn(self, node: ast.AST, message: str, category: type[UserWarning] = SignWarning) -> None:
        source = self.scope.source
        self.warnings[category, source.file, source.line(node), message] = None

    # Registers

    def take(self) -> Register:
        """A register that nothing else uses, until `give`."""
        if not self.free:
            self.fail(
                self.at[1],
                f"the kernel needs more than the {MAX_PARAMETERS} registers there are: use fewer variables at a time, "
                "or split the kernel",
            )
        return _register(heappop(self.free))

    def give(self, register: Register | Predicate) -> None:
        heappush(self.free if isinstance(register, Register) else self.free_predicates, register.index)

    def temporary(self) -> Register:
        """A register for the current statement."""
        register = self.take()
        self.temporaries[-1].append(register)
        return register

    def predicate(self) -> Predicate:
        """A predicate for the current statement."""
        if not self.free_predicates:
            self.fail(self.at[1], "the condition needs more than the 16 predicates there are: split it")
        predicate = Predicate(heappop(self.free_predicates))
        self.temporaries[-1].append(predicate)
        return predicate

    def drop(self, *registers: Any) -> None:
        """Gives back those that are temporaries of the current statement."""
        for register in registers:
            if register in self.temporaries[-1]:
                self.temporaries[-1].remove(register)
                self.give(register)

    @contextmanager
    def pinned(self, value: Value | None) -> Iterator[None]:
        """Keeps the registers of a value that is needed once more."""
        own = self.temporaries[-1]
        kept = [held for held in (value and value.reg, value and value.pred) if held in own]
        for held in kept:
            own.remove(held)
        yield
        own.extend(kept)

    # Instructions

    def emit(self, name: str | Row, *operands: Any, **fields: Any) -> None:
        """Appends an instruction."""
        row = name if isinstance(name, Row) else BY_NAME[name]
        if len(self.code) >= MAX_INSTRUCTIONS:
            self.fail(self.at[1], f"the kernel has more than {MAX_INSTRUCTIONS} instructions: split it")
        self.builder.add(Instruction.make(row, *operands, **fields))
        self.lines.append(self.at)

    def op(self, name: str | Row, ty: Type, *operands: Any, keep: bool = False) -> Register:
        """A value computed from operands, in a temporary; the operands' temporaries are given back unless kept."""
        if not keep:
            self.drop(*operands)
        register = self.temporary()
        self.emit(name, ty, register, *operands)
        return register

    def test(self, condition: str, ty: Type, a: Register, b: Register, keep: bool = False) -> Predicate:
        """A comparison."""
        if not keep:
            self.drop(a, b)
        predicate = self.predicate()
        self.emit("SETcc", condition, ty, predicate, a, b)
        return predicate

    def immediate(self, ty: Type, number: int | float) -> Register:
        """A constant in a temporary; integers wrap."""
        register = self.temporary()
        value = ty.decode(ty.encode(number)) if ty.is_integer else number
        self.emit("MOV_IMM", ty, register, value)
        return register

    def convert(self, to: Type, ty: Type, register: Register) -> Register:
        """CVT, where the types differ."""
        if to is ty:
            return register
        self.drop(register)
        result = self.temporary()
        self.emit("CVT", to, ty, result, register)
        return result

    def reinterpret(self, to: Type, ty: Type, register: Register, keep: bool = False) -> Register:
        """BITCAST, where the types differ."""
        if to is ty:
            return register
        if not keep:
            self.drop(register)
        result = self.temporary()
        self.emit("BITCAST", to, ty, result, register)
        return result

    def label(self) -> Label:
        return self.builder.label()

    def place(self, label: Label) -> None:
        """Lets a label mark the next instruction; a jump there right before it goes."""
        if self.code and self.labelled != len(self.code):
            last = self.code[-1]
            if last.row.name == "BRA" and last.values == (label, None):
                self.code.pop()
                self.lines.pop()
        self.builder.place(label)
        self.spans.clear()
        self.labelled = len(self.code)

    def jump(self, label: Label, predicate: Predicate | None = None) -> None:
        self.emit("BRA", label, predicate)

    # Values

    def register(self, node: ast.AST, value: Value, ty: Type) -> Register:
        """A register that holds a value as `ty`. Literals have to fit, all else is converted."""
        if value.span is not None:
            converted(self, node, value, ty)
        if value.const is not None:
            number = value.const
            if isinstance(value.ty, Type) and value.ty is not ty:  # a cast literal
                if not value.ty.is_float or ty.is_float:
                    return self.immediate(ty, number if ty.is_float else int(number))
                return self.immediate(ty, ty.from_float(float(number)))
            if not self.check_fits(node, value, ty):
                return self.immediate(ty, 0)
            return self.immediate(ty, float(number) if ty.is_float and isinstance(number, bool) else number)
        if value.pred is not None:
            return self.from_predicate(value.pred, ty)
        assert value.reg is not None
        return self.convert(ty, default(value.ty), value.reg)

    def check_fits(self, node: ast.AST, value: Value, ty: Type) -> bool:
        """Whether a value, if it is a literal, can be one of `ty`.

        If not, it is `refused` should this be the last pass: what the literal meets may still become wider.
        """
        number = value.const
        if number is None or isinstance(value.ty, Type) or fits(int(number) if value.ty is Weak.BOOL else number, ty):
            return True
        advice = "hg.i32(x)" if ty.bits < 32 or ty is Type.U32 else "hg.i64(x)"
        text = f"{number} does not fit {ty}: convert the other side first, as in {advice}"
        if ty.is_float:
            wider = "" if ty is Type.F64 else ", or compute in hg.f64"
            text = f"{number} is beyond what {ty} holds: write math.inf{wider}"
        elif isinstance(number, float):
            text = f"{number!r} is a float, and {ty} is needed: round it, and convert with hg.{ty}(x)"
        try:
            self.fail(node, text)
        except TranslateError as error:
            self.refused = self.refused or error
        return False

    def from_predicate(self, predicate: Predicate, ty: Type) -> Register:
        """1 where the predicate holds, else 0."""
        one, zero = self.immediate(ty, 1), self.immediate(ty, 0)
        return self.op("SEL", ty, predicate, one, zero)

    def truth(self, node: ast.AST, value: Value) -> Predicate:
        """Whether a value that is no constant is true: numbers are, if they are not zero."""
        if value.pred is not None:
            return value.pred
        if value.span is not None:
            compared(self, node, True, value, Value(Weak.INT, const=0))
        assert value.reg is not None
        ty = default(value.ty)
        return self.test("ne", ty, value.reg, self.immediate(ty, 0))

    def move(self, target: Register, source: Register) -> None:
        """Puts a value into a variable; what computed it just now does so right away."""
        if source == target:
            return
        last = self.code[-1] if self.code else None
        if (
            last is not None
            and source in self.temporaries[-1]
            and self.labelled != len(self.code)
            and last.row.defs
            and last.values[last.row.defs[0]] == source
            and last.row.operands[last.row.defs[0]].role == "def"
        ):
            self.code[-1] = last.replace(**{last.row.operands[last.row.defs[0]].name: target})
        else:
            self.emit("MOV", target, source)
        self.drop(source)

    def parameter(self, node: ast.AST, name: str, ty: Type, buffer: bool = False) -> Register:
        """Declares the next parameter."""
        try:
            return (self.builder.param_buffer if buffer else self.builder.param_scalar)(name, ty)
        except IsaError as error:
            self.fail(node, str(error))

    def note_span(self, place: Any, ty: ValueKind, span: ExactRange | None) -> None:
        """Writes down what a variable of a small integer type is; without a span that it is any number of its type."""
        if not is_small(ty) or not isinstance(ty, Type):
            return
        span = span or ExactRange(int(ty.min_value), int(ty.max_value))
        self.spans[place] = span
        known = self.facts.spans.get(place)
        self.facts.spans[place] = now = widened(known, span, ty)
        self.facts.changed |= known is None or now[:2] != known[:2]

    def span_at(self, place: Any, ty: ValueKind) -> ExactRange | None:
        """The span of a variable: of what was assigned to it last, where no way from elsewhere joins."""
        return self.spans.get(place) or self.facts.spans.get(place) if is_small(ty) else None

    # Arrays

    def length(self, array: ArrayRef, axis: int) -> Value:
        """The length of an axis."""
        axis = array.axes[axis]
        if array.cut and (cut := array.cut[axis]) is not None:
            return cut[1]
        if array.shape is not None:
            return Value(INDEX, const=array.shape[axis])
        return Value(INDEX, self.added(array, axis, f"{array.name}.shape{axis}"))

    def added(self, array: ArrayRef, axis: int, name: str) -> Register:
        """A parameter that the host adds: the length of an axis, or where element 0 is (`FIRST`)."""
        key = array.name, axis
        if key not in self.hidden:
            self.hidden[key] = self.parameter(self.at[1], name, INDEX)
        return self.hidden[key]

    def access(self, array: ArrayRef, index: Register | None, offset: int) -> Address:
        """The address of element `index + offset` of an array."""
        size = array.means.size_bytes
        if array.placed:
            return self._placed(array, index, offset * size)
        own = Address.Local if array.local else Address.Shared
        base = Address.Buffer(array.name) if array.shape is None else own(array.offset)
        if index is None:
            return Address(base.space, base.base, offset=base.offset + offset * size)
        return Address.Register(base, index, scale=size, offset=offset * size)

    def _placed(self, array: ArrayRef, index: Register | None, offset: int) -> Address:
        """Element 0 lies at a multiple of the type's alignment, which is less than the size of wide integers."""
        step, unit = array.ty.size_bytes // array.ty.alignment, array.ty.alignment
        place = self.added(array, FIRST, f"{array.name}.first")
        if index is not None and step > 1:
            place = self.op("MAD", INDEX, index, self.immediate(INDEX, step), place)
        elif index is not None:
            place = self.op("ADD", INDEX, index, place)
        return Address.Register(Address.Buffer(array.name), place, scale=unit, offset=offset)

    def load(self, array: ArrayRef, address: Address, ty: Type | None = None) -> Register:
        """Reads an element, or a part of one of another type."""
        if array.shape is None:
            self.facts.reads.add(array.name)
        self.drop(address.index)
        register = self.temporary()
        self.emit("LDG" if array.shape is None else "LDS", ty or array.ty, register, address)
        return register

    def store(self, array: ArrayRef, address: Address, value: Register, ty: Type | None = None) -> None:
        """Writes an element, or a part of one of another type."""
        if array.shape is None:
            self.facts.writes.add(array.name)
        self.emit("STG" if array.shape is None else "STS", ty or array.ty, address, value)
