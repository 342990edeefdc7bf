"""The verifier. A program is valid if

1.  every operand has a type its row allows, and the row's own check passes (equal widths, cas and compare, ...);
2.  parameters have different names, at most 242 of them, and every label and the entry are placed;
3.  functions do not call themselves, RET stands in a function, and the program is not too large expanded;
4.  a register or predicate is written on every path before it is read, and with the type the reader needs;
5.  parameters and pointers are followed through MOV and LEA only: no arithmetic, no conversion, no store of them;
6.  every address has a base that is a parameter, a handle, a class below 96 or shared memory, the right one for
    its instruction, and is not written if it is a read-only buffer or read if it is a write-only one;
7.  sizes, factors and pools name parameters and registers of the right kind;
8.  program-local pools are allocated and freed once, in code that every lane runs exactly once, and not used outside;
9.  collectives stand where the host can decide to run them, with operands it can compute, and nothing but what the
    host can compute is kept across them (hostflow.py).

`analyze` reports every breach and hands out what it learned: the flow graph and the base of each address.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from heapq import heappop, heappush
from itertools import chain
from typing import Any, NamedTuple

from ..errors import IsaError
from .address import ON_CHIP, Address, Space
from .atlas import RESONANCE
from .cfg import END, FlowGraph, expand, reverse_order
from .instruction import Instruction
from .operands import PRELOADED, BufferHandle, PoolHandle, Predicate, Register
from .program import MAX_PARAMETERS, Param, Program
from .row import Operand
from .types import Type

__all__ = ["HIDDEN", "NAMELESS", "ON_CHIP_BASES", "Analysis", "Base", "analysis_of", "analyze", "problems", "verified"]


# Memories that there is one of.
NAMELESS = {Space.SHARED: "shared memory", Space.PHI: "class memory", Space.LOCAL: "local memory"}


class Base(NamedTuple):
    """The memory of an address: `name` is a parameter's name, a handle, a class id, or None."""

    space: Space
    name: str | BufferHandle | PoolHandle | int | None

    def __str__(self) -> str:
        if self.space in NAMELESS:
            return NAMELESS[self.space]
        name = f"#{self.name.id}" if isinstance(self.name, (BufferHandle, PoolHandle)) else str(self.name)
        return f"{self.space.name.lower()} {name}"


# Faults number them behind the memories that a kernel names.
ON_CHIP_BASES = (Base(Space.SHARED, None), Base(Space.LOCAL, None))

# The place, in `Analysis.bases`, of the memory that an instruction reaches without an address.
HIDDEN = -1
_STATE_BASES = {"classes": Base(Space.PHI, None), "resonance": Base(Space.BUFFER, RESONANCE)}


# What a register can hold besides a typed value: a parameter, or a pointer with its base.
class _Held(NamedTuple):
    what: str  # "buffer", "pool" or "pointer"
    base: Base

    def __str__(self) -> str:
        return f"a pointer into {self.base}" if self.what == "pointer" else f"the {self.base}"


_Tag = Type | _Held | None  # None: not written
# What a register may hold, and the instruction that wrote it (-1: at entry). Empty: unknown after a reported problem.
_Value = dict[Any, int]
_UNWRITTEN: _Value = {None: -1}
_PREDICATE = 256
_PART = 4  # bits of the number of a register within its part
_PARTS = range((_PREDICATE >> _PART) + 2)
_LISTED = 20  # problems in a message


class _State:
    """What every register holds, in parts that states have in common until one writes there.

    Whole copies for each block took 600 MB for a program of 1 MB.
    """

    __slots__ = ("_own", "parts")

    def __init__(self, parts: list[dict[int, _Value]]) -> None:
        self.parts = parts
        self._own = 0  # the parts that no other state has, as bits

    def copy(self) -> _State:
        self._own = 0
        return _State(list(self.parts))

    def get(self, key: int, default: _Value = _UNWRITTEN) -> _Value:
        return self.parts[key >> _PART].get(key, default)

    def __setitem__(self, key: int, value: _Value) -> None:
        number = key >> _PART
        (self.parts[number] if self._own >> number & 1 else self._part(number))[key] = value

    def _part(self, number: int) -> dict[int, _Value]:
        """A part to write to."""
        if not self._own >> number & 1:
            self.parts[number] = dict(self.parts[number])
            self._own |= 1 << number
        return self.parts[number]

    def merge(self, other: _State) -> bool:
        """Adds what `other` may hold; says whether that is news."""
        changed = False
        for number in _PARTS:
            mine_all, theirs_all = self.parts[number], other.parts[number]
            if mine_all is theirs_all:
                continue
            for key in mine_all.keys() | theirs_all.keys():
                mine, theirs = mine_all.get(key, _UNWRITTEN), theirs_all.get(key, _UNWRITTEN)
                if mine is theirs or not mine or (theirs and theirs.keys() <= mine.keys()):
                    continue
                self._part(number)[key] = {**theirs, **mine} if theirs else {}
                changed = True
        return changed


def _key(value: Register | Predicate) -> int:
    return value.index if isinstance(value, Register) else _PREDICATE + value.index


@dataclass
class Analysis:
    """What the verifier found out. `bases[point, operand position]` is the memory of an address; `source` the
    program's bytes, where a cache set them."""

    program: Program
    graph: FlowGraph
    found: dict[tuple[int, str], None] = field(default_factory=dict)
    bases: dict[tuple[int, int], Base] = field(default_factory=dict)
    types: dict[int, Type] = field(default_factory=dict)  # the type a MOV copies, by point
    pointers: set[int] = field(default_factory=set)  # points whose MOV copies a pointer
    # The type of a register that an address, a size or a factor reads, by point and register number.
    numbers: dict[tuple[int, int], Type] = field(default_factory=dict)
    source: bytes = b""

    @cached_property
    def has_collectives(self) -> bool:
        return any(instruction.row.collective for instruction in self.graph.program.instructions)

    @cached_property
    def given(self) -> tuple[tuple[Base, Param], ...]:
        """The memories that are arguments, with their parameters."""
        return tuple((Base(Space[p.kind.upper()], p.name), p) for p in self.program.params if p.kind != "scalar")

    @cached_property
    def atlas_bases(self) -> tuple[Base, ...]:
        """Class memory that the program names."""
        return tuple(base for base in set(self.bases.values()) if base.space in (Space.CLASS, Space.PHI))

    def report(self, index: int, reason: str) -> None:
        self.found[index, reason] = None

    @property
    def problems(self) -> list[str]:
        lines = []
        for index, reason in sorted(self.found, key=lambda item: item[0]):
            inside = 0 <= index < len(self.program)
            where = f"instruction {index} ({self.program.instructions[index]}): " if inside else ""
            lines.append(where + reason)
        return lines


def problems(program: Program) -> list[str]:
    """Every problem of a program, one line each; empty if it is valid."""
    return analyze(program).problems


def verified(program: Program) -> Analysis:
    """What the verifier found out about a valid program. Raises IsaError with the first problems of another one, and
    all of them in `problems`."""
    analysis = analyze(program)
    if analysis.found:
        found = analysis.problems
        name = f" {program.metadata.name!r}" if program.metadata.name else ""
        head = f"program{name} has {len(found)} problem{'s' if len(found) > 1 else ''}:"
        more = [f"and {len(found) - _LISTED} more: Program.problems() has all of them"] * (len(found) > _LISTED)
        raise IsaError("\n  ".join([head, *found[:_LISTED], *more]), problems=tuple(found))
    return analysis


@lru_cache(maxsize=256)
def analysis_of(source: bytes) -> Analysis:
    """What the verifier finds out about the program of these bytes, for all who compile and run it. Raises IsaError for
    bytes that are no program."""
    analysis = analyze(Program.from_bytes(source))
    analysis.source = source
    return analysis


def analyze(program: Program) -> Analysis:
    """Verifies a program."""
    graph = expand(program)
    analysis = Analysis(program, graph)
    _check_declarations(analysis)
    for index, reason in graph.problems:
        analysis.report(index, reason)
    for index, instruction in enumerate(program.instructions):
        _check_operands(analysis, index, instruction)
    for index, reason in _flow(analysis):
        analysis.report(index, reason)
    from .hostflow import check_collectives, check_pools

    check_pools(analysis)
    if any(instruction.row.collective for instruction in program.instructions):
        check_collectives(analysis)
    return analysis


def _check_declarations(analysis: Analysis) -> None:
    program = analysis.program
    names = [param.name for param in program.params]
    for name in sorted(name for name, count in Counter(names).items() if count > 1):
        analysis.report(-1, f"two parameters are called {name!r}: rename one")
    if len(program.register_params()) > MAX_PARAMETERS:
        analysis.report(-1, f"{len(names)} parameters: at most {MAX_PARAMETERS} fit the registers r1 to r242")


def _check_operands(analysis: Analysis, index: int, instruction: Instruction) -> None:
    row = instruction.row
    for position in row.type_operands:
        value, allowed = instruction.values[position], row.operands[position].allowed
        if value not in allowed and (value is not None or row.operands[position].default is not None):
            listed = ", ".join(str(ty) for ty in sorted(allowed, key=lambda ty: ty.id))
            analysis.report(index, f"{row.name} does not work on {value}: use one of {listed}")
            return
    if "target" in row.positions:
        try:
            analysis.program.target(instruction.target)
        except IsaError as error:
            analysis.report(index, str(error))
    if row.check is not None:
        reason = row.check(**dict(zip(row.positions, instruction.values, strict=True)))
        if reason:
            analysis.report(index, reason)
    for position in row.addresses:
        address = instruction.values[position]
        if not isinstance(address, Address):
            continue
        if address.space is Space.CLASS and isinstance(address.base, int) and not 0 <= address.base < 96:
            analysis.report(index, f"class {address.base} does not exist: classes are 0 to 95")
        if address.space is Space.PHI:
            limits = zip(("class", "page", "byte"), (96, 48, 256), address.coordinates, strict=True)
            for what, limit, value in limits:
                if isinstance(value, int) and value >= limit:
                    analysis.report(index, f"{what} {value} does not exist: it is below {limit}")


# Data flow


def _entry(program: Program) -> _State:
    state = _State([{} for _ in _PARTS])
    for number, (_, ty) in PRELOADED.items():
        state[number] = {ty: -1}
    for number, param in program.register_params().items():
        if number <= MAX_PARAMETERS:
            state[number] = {_held(param): -1}
    return state


def _held(param: Param) -> _Tag:
    if param.kind == "scalar":
        return param.ty
    return _Held(param.kind, Base(Space[param.kind.upper()], param.name))


_Found = list[tuple[int, str]]  # what is wrong, by instruction


def _flow(analysis: Analysis) -> _Found:
    """Follows what every register holds; what is wrong with what is read. A block that comes again holds more than
    before, so that its last report is the one."""
    program, graph = analysis.program, analysis.graph
    if graph.entry == END:
        return []
    first = graph.block_of[graph.entry]
    states: dict[int, _State] = {first: _entry(program)}  # at the start of each block that is reached
    found: list[_Found] = [[] for _ in graph.blocks]
    order = {block: number for number, block in enumerate(reverse_order(graph, [first]))}
    work = [(order[first], first)]  # a heap: blocks in order
    waiting = {first}
    while work:
        _, block = heappop(work)
        waiting.remove(block)
        state = states[block].copy()
        found[block] = []
        for point in graph.blocks[block]:
            index = graph.code[point]
            instruction = program.instructions[index]
            if instruction.row.copies and _copies(analysis, point, state):
                continue
            if not _fits(instruction, state.parts):
                _Reads(analysis, point, state, found[block]).check()
            if instruction.row.gives is None:
                _follow(program, index, state)
            else:
                _writes(instruction, index, state)
        for way in graph.block_successors[block]:
            if way == END:
                continue
            if way not in states:
                states[way] = state.copy()
            elif not states[way].merge(state):
                continue
            if way not in waiting:
                waiting.add(way)
                heappush(work, (order[way], way))
    return list(chain.from_iterable(found))


def _writes(instruction: Instruction, index: int, state: _State) -> None:
    """Changes `state` by what an instruction writes, where its row says the types."""
    values = instruction.values
    for position, given, named in instruction.row.gives or ():
        key = values[position].index
        state[key + _PREDICATE if named == "predicate" else key] = {named if given is None else values[given]: index}


def _copies(analysis: Analysis, point: int, state: _State) -> bool:
    """Follows an instruction that copies a register, if that holds one thing."""
    to, source = analysis.graph.instruction(point).values
    held = state.get(source.index)
    if len(held) != 1 or None in held:
        return False
    (tag,) = held
    if isinstance(tag, Type):
        analysis.types[point] = tag
    elif tag.what == "pointer":
        analysis.pointers.add(point)
    state[to.index] = {tag: analysis.graph.code[point]}
    return True


def _follow(program: Program, index: int, state: _State) -> None:
    """Changes `state` by what an instruction writes, where that depends on it."""
    instruction = program.instructions[index]
    for position in instruction.row.results:
        operand, value = instruction.row.operands[position], instruction.values[position]
        if not isinstance(value, Register):
            continue
        if operand.type == "any":
            source = state.get(_key(instruction.src), _UNWRITTEN)
            state[_key(value)] = dict.fromkeys(source, index) if len(source) == 1 and None not in source else {}
        elif operand.type == "pointer":
            base = _base(program, instruction.src, state)
            state[_key(value)] = {_Held("pointer", base): index} if isinstance(base, Base) else {}
        else:
            state[_key(value)] = {instruction.type_of(operand): index}


def _base(program: Program, address: Address, state: _State) -> Base | str:
    """The memory of an address, or what is wrong with it."""
    if address.space in NAMELESS:
        return Base(address.space, None)
    if address.space is Space.CLASS or isinstance(address.base, (BufferHandle, PoolHandle)):
        return Base(address.space, address.base)  # type: ignore[arg-type]  # no register: see the constructors
    if isinstance(address.base, str):
        param = program.param(address.base)
        if param is None:
            names = ", ".join(param.name for param in program.params) or "none"
            return f"there is no parameter {address.base!r}: the program has {names}"
        if param.kind != address.space.name.lower():
            return f"{address.base!r} is a {param.kind} parameter, and {address} needs a {address.space.name.lower()}"
        return Base(address.space, address.base)
    register = address.base
    assert isinstance(register, Register)
    value = state.get(register.index, _UNWRITTEN)
    wanted = "pointer" if address.space is Space.POINTER else address.space.name.lower()
    how = "made by LEA" if wanted == "pointer" else f"a {wanted} parameter, copied by MOV only"
    if not value:
        return ""  # reported where it came from
    held = next(iter(value))
    if len(value) > 1:
        return f"{register} holds {_list(value)}: the base of an address is one on every path"
    if not isinstance(held, _Held) or held.what != wanted:
        return f"{register} holds {_list(value)}, and the base of {address} has to be {how}"
    return held.base


def _list(value: _Value) -> str:
    """What a register may hold, in words."""
    parts = []
    for tag, index in sorted(value.items(), key=lambda item: (item[1], str(item[0]))):
        origin = "at entry" if index < 0 else f"by instruction {index}"
        parts.append("nothing on some path" if tag is None else f"{tag} ({'written ' if index >= 0 else ''}{origin})")
    if value == _UNWRITTEN:
        return "nothing"
    return " or ".join(parts)


def _fits(instruction: Instruction, parts: list[dict[int, _Value]]) -> bool:
    """Whether registers hold what an instruction needs, and nothing else is to be found out there."""
    slots = instruction.row.needs
    if slots is None:
        return False
    values = instruction.values
    for position, given, named in slots:
        if (value := values[position]) is not None:
            key = value.index + _PREDICATE if named == "predicate" else value.index
            held = parts[key >> _PART].get(key, _UNWRITTEN)
            if len(held) != 1 or (named if given is None else values[given]) not in held:
                return False
    return True


class _Reads:
    """Checks what one point reads, given what the registers hold there."""

    def __init__(self, analysis: Analysis, point: int, state: _State, found: _Found) -> None:
        self.analysis, self.point, self.state, self.found = analysis, point, state, found
        self.index = analysis.graph.code[point]
        self.instruction = analysis.graph.instruction(point)

    def report(self, reason: str) -> None:
        if reason:
            self.found.append((self.index, reason))

    def check(self) -> None:
        values = self.instruction.values
        for position, operand in self.instruction.row.read:
            value = values[position]
            if operand.role:
                if value is not None:
                    self.register(operand, value)
            elif isinstance(value, Address):
                self.address(position, operand, value)
            elif operand.kind in ("size", "scalar", "pool"):
                self.host_value(operand, value)
        if (base := _STATE_BASES.get(self.instruction.row.state)) is not None:
            self.analysis.bases[self.point, HIDDEN] = base

    def register(self, operand: Operand, value: Register | Predicate) -> None:
        if operand.type == "any":
            tag = self.holds(value, lambda tag: True, "a value")
            if isinstance(tag, Type):
                self.analysis.types[self.point] = tag
            elif isinstance(tag, _Held) and tag.what == "pointer":
                self.analysis.pointers.add(self.point)
            return
        wanted = "predicate" if isinstance(value, Predicate) else self.instruction.type_of(operand)
        if self.state.get(_key(value), _UNWRITTEN).keys() != {wanted}:
            self.holds(value, lambda tag: tag is wanted, "a predicate" if wanted == "predicate" else str(wanted))

    def holds(self, register: Register | Predicate, fits: Callable[[Any], bool], wanted: str) -> Any:
        """Reports the register unless it holds one thing on every path, which fits; that thing."""
        value = self.state.get(_key(register), _UNWRITTEN)
        name = str(register).lstrip("!")
        if None in value:
            path = "" if len(value) == 1 else " on some path"
            self.report(f"{name} is read but not written{path}: write it before this instruction")
        elif len(value) > 1:
            self.report(f"{name} holds {_list(value)}: what is read has one type on every path")
        elif value and not fits(next(iter(value))):
            advice = self._advice(next(iter(value)))
            self.report(f"{name} holds {_list(value)}, and {wanted} is needed: {advice}")
        else:
            return next(iter(value), None)
        return None

    @staticmethod
    def _advice(tag: Any) -> str:
        if isinstance(tag, _Held):
            return "parameters and pointers can only be copied and used in addresses"
        return "convert it with CVT or BITCAST"

    def address(self, position: int, operand: Operand, address: Address) -> None:
        if isinstance(address.base, Register) and None in self.state.get(address.base.index, _UNWRITTEN):
            self.holds(address.base, lambda tag: True, "a base")
            return
        base = _base(self.analysis.program, address, self.state)
        for register in (address.index, *address.coordinates):
            if isinstance(register, Register):
                self.integer(register, "an integer of at most 64 bits")
        if not isinstance(base, Base):
            self.report(base)
            return
        self.analysis.bases[self.point, position] = base
        row = self.instruction.row
        inside = base.space in ON_CHIP
        if row.name in ("LDG", "STG") and inside:
            self.report(f"{row.name} does not reach {base}: use LDS or STS")
        elif row.name in ("LDS", "STS") and not inside:
            self.report(f"{row.name} reaches shared and local memory only, not {base}: use LDG or STG")
        elif row.collective and inside:
            whose = "shared memory of a block" if base.space is Space.SHARED else "local memory of a lane"
            self.report(f"{row.name} runs on the whole device: it cannot reach the {whose}")
        elif row.name == "ATOM" and base.space is Space.LOCAL:
            self.report("local memory is of one lane, which needs no atomics: use LDS and STS")
        param = self.analysis.program.param(base.name) if isinstance(base.name, str) else None
        if param is not None and param.access is not None:
            # A result that is scaled by beta and added to is read, too.
            beta = row.positions.get("beta", position)  # of norms it is an array
            scaled = row.operands[beta].kind == "scalar" and self.instruction.values[beta] != 0
            reads = operand.kind in ("load", "rmw") or (scaled and operand.kind == "store")
            writes = operand.kind in ("store", "rmw", "result")
            if (reads and not param.access.reads) or (writes and not param.access.writes):
                verb = "read" if reads and not param.access.reads else "written"
                self.report(
                    f"buffer {base.name} is declared {param.access.value} and is {verb} here: declare read_write"
                )

    def integer(self, register: Register, wanted: str) -> None:
        tag = self.holds(register, lambda tag: isinstance(tag, Type) and tag.is_integer and not tag.is_wide, wanted)
        if isinstance(tag, Type):
            self.analysis.numbers[self.point, register.index] = tag

    def host_value(self, operand: Operand, value: Any) -> None:
        """Sizes, factors and pools: immediates, registers, or parameters by name."""
        if operand.kind == "pool":
            wanted = "a pool parameter"
        else:
            wanted = "an integer of at most 64 bits" if operand.kind == "size" else "a number of at most 64 bits"
            own = self.instruction.ty if self.instruction.row.collective and operand.kind == "scalar" else None
            wanted += f" or {own}" if own is not None and own.is_wide else ""

        def fits(tag: Any) -> bool:
            if operand.kind == "pool":
                return isinstance(tag, _Held) and tag.what == "pool"
            if operand.kind == "scalar":
                return isinstance(tag, Type) and (not tag.is_wide or tag is own)
            return isinstance(tag, Type) and not tag.is_wide and tag.is_integer

        if operand.kind == "pool":
            self.analysis.bases[self.point, HIDDEN] = Base(Space.POOL, value)
        if isinstance(value, Register):
            tag = self.holds(value, fits, wanted)
            if isinstance(tag, Type):
                self.analysis.numbers[self.point, value.index] = tag
            elif tag is not None:
                self.analysis.bases[self.point, HIDDEN] = tag.base
        elif isinstance(value, str):
            param = self.analysis.program.param(value)
            if param is None:
                self.report(f"there is no parameter {value!r} for {operand.name}")
            elif not fits(_held(param)):
                self.report(f"parameter {value!r} ({param}) cannot be {operand.name}: {wanted} is needed")
