"""Writing code: registers, typed values, scopes, labels.

A *value* is a register that holds one type for as long as its scope lasts; an assignable value may be written again
in inner scopes, with the same type. Values are *pending* until something reads them; what is still pending when its
scope ends is stored, so that nothing is computed in vain.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hologram_web.isa import Immediate, Instruction, Label, Param, Predicate, Program, Register, Type

__all__ = ["PARAMETER_REGISTERS", "Code", "Crowded", "Flag", "Scope", "Value"]

PARAMETER_REGISTERS = 24  # r1 to r24 are kept for parameters
_LAST_LOCAL = 242  # beyond are the preloaded registers
# Predicates of the main program, of functions, and of functions that functions call.
_PREDICATES = (range(7), range(7, 12), range(12, 16))
_FUNCTION_REGISTERS = 40
_FLAGS_KEPT = 3  # pending predicates in one scope


class Crowded(Exception):
    """No register or predicate is left: the program has to be made in another way."""


@dataclass(eq=False, slots=True)
class Value:
    """A register and what is known of it.

    `uniform`: it is the same in all lanes of a block that are here. `nan`: it may be NaN. `span`: of tame floats, the
    binary exponents between which the magnitude lies, if it is not zero. `top`: of integers, 0 <= value <= top.
    `host`: the host can compute it, so that it survives a collective; `lasting` says so of what it cannot compute.
    `kept`: its register is not given away.
    """

    register: Register
    ty: Type
    uniform: bool = False
    nan: bool = False
    span: tuple[int, int] | None = None
    top: int | None = None
    host: bool = False
    pending: bool = True
    assignable: bool = False
    kept: bool = False
    lasting: bool = False
    stamp: int = 0  # the statement that read it last
    ready: bool = True  # it is written


@dataclass(eq=False, slots=True)
class Flag:
    """A predicate and what is known of it."""

    predicate: Predicate
    uniform: bool = False
    pending: bool = True
    stamp: int = 0


@dataclass
class Scope:
    """A stretch of code that runs as a whole. `uniform`: all lanes of a block that still run are in it together."""

    uniform: bool
    trips: int = 1
    values: list[Value] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    owned: list[Register] = field(default_factory=list)
    predicates: list[Predicate] = field(default_factory=list)


class Code:
    """Instructions of the main program and of functions, each a stream of its own until they are joined."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.streams: dict[str, list[Instruction | str]] = {"main": []}
        self.stream = "main"
        self.level = 0  # 0 in the main program, 1 and 2 in functions
        self.clock = 1  # counts statements: what a statement has read is not overwritten while it is written
        self.scopes: list[Scope] = []
        self._unwritten: dict[Register, Value] = {}
        self._free = [Register(number) for number in range(PARAMETER_REGISTERS + 1, _LAST_LOCAL + 1)]
        self._free_predicates = [Predicate(number) for number in _PREDICATES[0]]
        rng.shuffle(self._free)
        self._labels = 0

    # Instructions and labels

    def emit(self, name: str, *operands: Any, **fields: Any) -> Instruction:
        instruction: Instruction = getattr(Instruction, name)(*operands, **fields)
        self.streams[self.stream].append(instruction)
        if self._unwritten:
            for position in instruction.row.defs:
                if (value := self._unwritten.pop(instruction.values[position], None)) is not None:
                    value.ready = True
        return instruction

    def label(self, word: str = "L") -> str:
        self._labels += 1
        return f"{word}{self._labels}"

    def place(self, label: str) -> None:
        self.streams[self.stream].append(label)

    def branch(self, label: str, guard: Predicate | None = None) -> None:
        self.emit("BRA", Label(label), guard)

    # Registers

    @property
    def scope(self) -> Scope:
        return self.scopes[-1]

    def held(self) -> Register:
        """A register that belongs to the innermost scope to its end, whatever else happens."""
        if not self._free:
            raise Crowded
        register = self._free.pop(self.rng.randrange(len(self._free)))
        self.scope.owned.append(register)
        return register

    def own_register(self) -> Register:
        """A register that is never given to anything else."""
        return self._free.pop()

    def give(self, register: Register) -> None:
        """Lets a register be used for other things, with other types."""
        self._free.append(register)

    def register(self) -> Register:
        """A register for a value of the innermost scope: a fresh one, or one whose value is not needed any more."""
        scope = self.scope
        if (self.rng.random() < 0.3 and len(scope.values) > 6) or len(self._free) < 8:
            done = [v for v in scope.values if not (v.pending or v.assignable or v.kept) and v.stamp < self.clock]
            if done:
                old = self.rng.choice(done)
                scope.values.remove(old)
                return old.register
        return self.held()

    def predicate(self) -> Predicate:
        scope = self.scope
        old = [f for f in scope.flags if f.stamp < self.clock]
        done = [f for f in old if not f.pending]
        full = len(self._free_predicates) <= 2 or len(scope.flags) >= _FLAGS_KEPT
        if (full and old) or (done and self.rng.random() < 0.4):
            chosen = self.rng.choice(done or old)
            scope.flags.remove(chosen)
            return chosen.predicate
        if not self._free_predicates:
            raise Crowded
        predicate = self._free_predicates.pop()
        scope.predicates.append(predicate)
        return predicate

    @property
    def short(self) -> bool:
        """Whether registers get scarce, so that pending values had better be stored."""
        return len(self._free) < 14

    @property
    def crowded(self) -> bool:
        """Whether there is no room for an inner scope."""
        return len(self._free) < 18 or len(self._free_predicates) < 3

    # Scopes

    @contextmanager
    def open(self, *, uniform: bool, trips: int = 1) -> Iterator[Scope]:
        scope = Scope(uniform, trips)
        self.scopes.append(scope)
        yield scope
        self.scopes.pop()
        self._free += scope.owned
        self._free_predicates += scope.predicates

    @contextmanager
    def function(self, stream: str, level: int, uniform: bool, trips: int) -> Iterator[Scope]:
        """A stream with registers and predicates of its own, in which only the global values are visible."""
        outside = self.scopes, self.stream, self.level, self._free, self._free_predicates
        self._free, rest = self._free[:_FUNCTION_REGISTERS], self._free[_FUNCTION_REGISTERS:]
        self._free_predicates = [Predicate(number) for number in _PREDICATES[level]]
        self.streams[stream] = []
        self.stream, self.level = stream, level
        scope = Scope(uniform, trips)
        self.scopes = [self.scopes[0], scope]
        yield scope
        self.scopes, self.stream, self.level, _, self._free_predicates = outside
        self._free = rest

    @property
    def room_for_function(self) -> bool:
        return len(self._free) > 100

    @property
    def trips(self) -> int:
        """How often the code written now is run at most."""
        product = 1
        for scope in self.scopes:
            product *= scope.trips
        return product

    def new(self, ty: Type, **known: Any) -> Value:
        """A value of the innermost scope in a register; it can be read once an instruction has written it."""
        value = Value(self.register(), ty, stamp=self.clock, ready=False, **known)
        self.scope.values.append(value)
        self._unwritten[value.register] = value
        return value

    def new_flag(self, uniform: bool) -> Flag:
        flag = Flag(self.predicate(), uniform, stamp=self.clock)
        self.scope.flags.append(flag)
        return flag

    def touch(self, *read: Value | Flag) -> None:
        """Notes that something is read."""
        for one in read:
            one.pending, one.stamp = False, self.clock

    def visible(self, ty: Type) -> list[Value]:
        return [value for scope in self.scopes for value in scope.values if value.ty is ty and value.ready]

    def visible_flags(self) -> list[Flag]:
        return [flag for scope in self.scopes for flag in scope.flags]

    def constant(self, ty: Type, number: int | float) -> Value:
        """A constant that is read at once: not pending."""
        host = self.level == 0 and len(self.scopes) == 2
        value = self.new(ty, uniform=True, host=host, pending=False)
        value.top = int(number) if ty.is_integer and number >= 0 else None
        self.emit("MOV_IMM", ty, value.register, Immediate.of(ty, number))
        return value

    # The whole

    def program(self, params: list[Param], shared: int, local: int, entry: str | None, first: list[str]) -> Program:
        """Joins the streams, those named in `first` before the others."""
        order = [*first, *(name for name in self.streams if name not in first)]
        instructions: list[Instruction] = []
        labels: dict[str, int] = {}
        for name in order:
            for item in self.streams[name]:
                if isinstance(item, str):
                    labels[item] = len(instructions)
                else:
                    instructions.append(item)
        return Program(instructions, labels, params, entry, shared, local_memory=local)
