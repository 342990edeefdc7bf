"""The shape of a table row: what one line of `table.py` or `collectives.py` says about an instruction.

An operand list is written as `name:spec` words, spec being

* `ty:SET`        a type operand; SET names the types allowed. `.ty:SET` puts it into the mnemonic (`add.f32`)
* `=T`, `T`, `&T` a register written, read, both; T is the name of a type operand, a type, `any`, or `pointer`
* `p=`, `p`       a predicate written, read; `guard` also takes a negated one
* `label`, `imm`, `load`, `store`, `rmw`, `place`, `u8`, `size`, ... a kind of `kinds.py`; `load/T` names the
  element type of an address where it is not `ty`. A leading dot on an operation's name puts it into the mnemonic.

A `?` at the end makes an operand optional and positional, `~value` gives it a default and a name in the text form. A
leading `+` says that it was added to the row when there were files with the row: see binary.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from ..errors import FaultKind
from .kinds import KINDS, Kind
from .types import ATOMIC_INTS, FLOATS, INTEGERS, NUMBERS, WIDE, Type

__all__ = ["REQUIRED", "TYPE_SETS", "Effect", "Operand", "Row", "primitive", "row"]

TYPE_SETS: dict[str, frozenset[Type]] = {
    "NUMBERS": NUMBERS,
    "FLOATS": FLOATS,
    "INTEGERS": INTEGERS,
    "WORDS": INTEGERS - WIDE,
    "ATOMICS": ATOMIC_INTS | {Type.F32},
    "HALVES": frozenset({Type.F16, Type.BF16}),
    "BYTES": frozenset({Type.I8, Type.U8}),
    "RESONANCE": frozenset({Type.F32, Type.I32}),
    "SINGLES": frozenset({Type.F32, Type.F16, Type.BF16, Type.F64}),
}


class Effect(StrEnum):
    """What an instruction does besides writing its destination."""

    PURE = "pure"
    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    CONTROL = "control"
    BARRIER = "barrier"
    FENCE = "fence"
    CHECK = "check"  # faults, or does nothing
    STATE = "state"  # reads or changes Atlas or pool state of the lane or the launch
    COLLECTIVE = "collective"


REQUIRED = object()
# Operands that can be, or have in them, registers of types that their row does not say.
_MORE = frozenset({"load", "store", "rmw", "place", "result", "size", "scalar", "pool"})
# The position of a register or predicate, that of its type, or its type: "predicate" is one.
_Slots = tuple[tuple[int, int | None, Any], ...]


@dataclass(frozen=True)
class Operand:
    """One operand of a row.

    `kind` is a name in KINDS; `role` is "def", "use", "update" (both) or ""; `type` the name of a type operand or
    type, or the set of types allowed for a type operand; `suffix` puts it into the mnemonic; `default` is REQUIRED,
    or the value meant when it is left out, which `named` operands then leave out of the text, and `added` ones out of
    the bytes.
    """

    name: str
    kind: str
    role: str = ""
    type: str = ""
    suffix: bool = False
    default: Any = REQUIRED
    named: bool = False
    added: bool = False

    @cached_property
    def codec(self) -> Kind:
        return KINDS[self.kind]

    @cached_property
    def allowed(self) -> frozenset[Type]:
        """Types allowed, of a type operand."""
        return TYPE_SETS[self.type] if self.type in TYPE_SETS else frozenset({Type.named(self.type)})

    def is_default(self, value: Any) -> bool:
        """Whether `value` is the default; -0.0 is not 0.0."""
        return value is self.default or (value == self.default and repr(value) == repr(self.default))

    @property
    def is_address(self) -> bool:
        return self.kind in ("load", "store", "rmw", "place")


@dataclass(frozen=True)
class Row:
    """Everything about one instruction.

    `reference(o, *operands)` gives the semantics over an ops namespace (`ops.py`): operands are all but the written
    ones, in order, registers replaced by their values. Control flow and barriers have none: devices know
    them. `state` is what it needs of the launch (`lift.py`) or the memory that it reaches without an address:
    "classes", "resonance", "pool". `fault` is a kind of fault and the condition for it.
    """

    opcode: int
    name: str
    mnemonic: str
    operands: tuple[Operand, ...]
    doc: str
    group: str
    effect: Effect
    reference: Callable[..., Any] | None = None
    state: str = ""
    fault: tuple[FaultKind, Callable[..., Any]] | None = None
    check: Callable[..., str | None] | None = None

    @property
    def builder(self) -> str:
        return f"add_{self.mnemonic}"

    @cached_property
    def collective(self) -> bool:
        return self.effect is Effect.COLLECTIVE

    @cached_property
    def positions(self) -> dict[str, int]:
        return {operand.name: position for position, operand in enumerate(self.operands)}

    @cached_property
    def defs(self) -> tuple[int, ...]:
        """Positions of the registers and predicates that are always written."""
        return tuple(i for i, operand in enumerate(self.operands) if operand.role in ("def", "update"))

    @cached_property
    def results(self) -> tuple[int, ...]:
        """Positions of what is written and not read, if there is a register or predicate."""
        return tuple(i for i, operand in enumerate(self.operands) if operand.role == "def" or operand.kind == "result")

    @cached_property
    def inputs(self) -> tuple[tuple[int, int | None, Type | None], ...]:
        """Of each operand that is not only written its position, and a register's type: another operand's, by
        position, or one that the row says, or None where the row leaves it open (MOV, pointers)."""
        found = []
        for position, operand in enumerate(self.operands):
            if operand.role != "def":
                given = self.positions.get(operand.type)
                named = given is None and operand.role and operand.type not in ("any", "pointer", "")
                found.append((position, given, Type.named(operand.type) if named else None))
        return tuple(found)

    @cached_property
    def read(self) -> tuple[tuple[int, Operand], ...]:
        """Of each operand that may be a register that is read, or an address, its position and itself."""
        found = enumerate(self.operands)
        return tuple((i, operand) for i, operand in found if operand.role != "def" and operand.kind != "type")

    @cached_property
    def needs(self) -> _Slots | None:
        """The registers and predicates that it reads, where that is all it reads and the row says their types."""
        if self.state or any(operand.kind in _MORE or operand.type == "any" for _, operand in self.read):
            return None
        return tuple(self._slot(i, operand) for i, operand in self.read if operand.role)

    @cached_property
    def gives(self) -> _Slots | None:
        """The registers and predicates that it writes, where the row says their types."""
        written = [(i, self.operands[i]) for i in self.results]
        if any(operand.type in ("any", "pointer") or operand.kind == "result" for _, operand in written):
            return None
        return tuple(self._slot(i, operand) for i, operand in written)

    @cached_property
    def copies(self) -> bool:
        """Whether it writes one register, with whatever another one holds."""
        return [operand.type for operand in self.operands] == ["any", "any"]

    def _slot(self, position: int, operand: Operand) -> tuple[int, int | None, Any]:
        if operand.kind in ("predicate", "guard"):
            return position, None, "predicate"
        given = self.positions.get(operand.type)
        return position, given, None if given is not None else Type.named(operand.type)

    @cached_property
    def computes(self) -> bool:
        """Whether it is its result, and perhaps a fault."""
        plain = self.effect is Effect.PURE or (self.effect is Effect.STATE and not self.state)
        return plain and bool(self.results) and self.reference is not None

    @cached_property
    def uses(self) -> tuple[int, ...]:
        """Positions of the registers and predicates read (addresses and sizes read more)."""
        return tuple(i for i, operand in enumerate(self.operands) if operand.role in ("use", "update"))

    @cached_property
    def has_factor(self) -> bool:
        """Whether an operand can be a Python float, which is compared by its bits."""
        return any(operand.kind == "scalar" for operand in self.operands)

    def element_type(self, name: str, values: Mapping[str, Any]) -> Type:
        """The type of an address operand's elements, where `values` has those of the type operands: one that is left
        out is `ty`."""
        said = self.operands[self.positions[name]].type or "ty"
        found = values.get(said) or values["ty"] if said in self.positions else Type.named(said)
        assert isinstance(found, Type)
        return found

    @cached_property
    def type_operands(self) -> tuple[int, ...]:
        return tuple(i for i, operand in enumerate(self.operands) if operand.kind == "type")

    @cached_property
    def addresses(self) -> tuple[int, ...]:
        """Positions of addresses, and of what can be one."""
        return tuple(i for i, operand in enumerate(self.operands) if operand.is_address or operand.kind == "result")

    @cached_property
    def added(self) -> bool:
        return any(operand.added for operand in self.operands)

    @cached_property
    def suffixes(self) -> tuple[Operand, ...]:
        return tuple(operand for operand in self.operands if operand.suffix)


def _operand(word: str) -> Operand:
    if word.startswith("+"):
        return replace(_operand(word[1:]), added=True)
    name, _, spec = word.partition(":")
    suffix = name.startswith(".")
    name = name.lstrip(".")
    default: Any = REQUIRED
    named = False
    text = ""
    if spec.endswith("?"):
        spec, default = spec[:-1], None
    elif "~" in spec:
        spec, _, text = spec.partition("~")
        default, named = None, True
    if spec in TYPE_SETS or (name == "ty" or name.endswith("_ty")):
        operand = Operand(name, "type", "", spec, suffix, default, named)
    elif spec in ("p=", "p"):
        operand = Operand(name, "predicate", "def" if spec == "p=" else "use", "", suffix, default, named)
    elif spec == "guard":
        operand = Operand(name, "guard", "use", "", suffix, default, named)
    elif spec[0] in "=&":
        operand = Operand(name, "register", "def" if spec[0] == "=" else "update", spec[1:], suffix, default, named)
    elif spec.partition("/")[0] in KINDS:
        kind, _, type_name = spec.partition("/")
        # LEA, which only forms an address, has no element type.
        operand = Operand(name, kind, "", type_name or ("" if kind == "place" else "ty"), suffix, default, named)
    else:
        operand = Operand(name, "register", "use", spec, suffix, default, named)
    if text:
        value = operand.codec.parse(text, Type.F64)
        operand = Operand(operand.name, operand.kind, operand.role, operand.type, suffix, value, named)
    return operand


def row(group: str, effect: Effect, opcode: int, name: str, mnemonic: str, operands: str, doc: str, **rest: Any) -> Row:
    """A Row from its line of the table."""
    return Row(opcode, name, mnemonic, tuple(map(_operand, operands.split())), doc, group, effect, **rest)


def primitive(name: str) -> Callable[..., Any]:
    """Semantics of an instruction that is one primitive of the ops namespace."""
    return lambda o, *operands: getattr(o, name)(*operands)
