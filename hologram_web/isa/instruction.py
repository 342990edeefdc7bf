"""One instruction: a row of the table and the values of its operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any

from ..errors import IsaError
from .address import Address
from .operands import Predicate, Register
from .row import REQUIRED, Operand, Row
from .table import BY_NAME
from .types import Type

__all__ = ["Instruction"]

# Field names of the source documents that mean one of ours.
_ALIASES = {"src1": "lhs", "src2": "rhs", "class": "class_id"}


class _Constructors(type):
    """Makes `Instruction.ADD` a constructor: one for each row, found by the row's name."""

    def __getattr__(cls, name: str) -> Callable[..., Instruction]:
        if name.startswith("__"):
            raise AttributeError(name)
        return _constructor(name)


class Instruction(metaclass=_Constructors):
    """An instruction, immutable. `Instruction.ADD(ty, dst, lhs, rhs)` and its kin make one, positionally in the
    order of the table or by field name; fields are attributes. Raises IsaError for operands of a wrong kind.
    """

    __slots__ = ("_reads", "_writes", "row", "values")

    row: Row
    values: tuple[Any, ...]
    _reads: tuple[tuple[Operand, Register | Predicate], ...]
    _writes: tuple[tuple[Operand, Register | Predicate], ...]

    def __init__(self, row: Row, values: tuple[Any, ...]) -> None:
        """From checked values, one for each operand of the row; `Instruction.make` checks."""
        object.__setattr__(self, "row", row)
        object.__setattr__(self, "values", values)

    @classmethod
    def make(cls, row: Row, *args: Any, **fields: Any) -> Instruction:
        """The instruction of `row` with these operands. Raises IsaError."""
        if fields or len(args) != len(row.operands):
            args = _in_order(row, args, fields)
        values: list[Any] = []
        for operand, value in zip(row.operands, args, strict=True):
            if value is None and operand.default is None:
                values.append(None)
                continue
            ty = values[row.positions["ty"]] if operand.kind == "imm" else None
            try:
                values.append(operand.codec.check(value, ty))
            except IsaError as error:
                raise IsaError(f"{row.name}, operand {operand.name}: {error}") from None
        return cls(row, tuple(values))

    @property
    def name(self) -> str:
        return self.row.name

    def __getattr__(self, name: str) -> Any:
        if name in _FOUND_ONCE:
            object.__setattr__(self, name, tuple(_FOUND_ONCE[name](self)))
            return getattr(self, name)
        positions = self.row.positions
        position = positions.get(name, positions.get(_ALIASES.get(name, ""), -1))
        if position < 0:
            raise AttributeError(f"{self.row.name} has no operand {name!r}: it has {_signature(self.row)}")
        return self.values[position]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an Instruction cannot be changed: make another one with .replace(...)")

    def replace(self, **fields: Any) -> Instruction:
        """The same instruction with some operands changed."""
        return Instruction.make(self.row, **{**dict(zip(self.row.positions, self.values, strict=True)), **fields})

    def renamed(self, name: Callable[[Register], Register]) -> Instruction:
        """The same instruction with `name(register)` for each register, those in addresses included."""

        def renamed(value: Any) -> Any:
            if isinstance(value, Register):
                return name(value)
            return value.renamed(name) if isinstance(value, Address) else value

        return Instruction(self.row, tuple(map(renamed, self.values)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instruction) and self.row is other.row and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.row.opcode, self._key()))

    def _key(self) -> tuple[Any, ...]:
        """The values, floats as bits: what is equal has equal bytes."""
        if not self.row.has_factor:
            return self.values
        return tuple(("float", Type.F64.encode(v)) if isinstance(v, float) else v for v in self.values)

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (self.row.name, self.values)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<{self.row.name}: {self.to_text()}>"

    def to_text(self) -> str:
        """One line of the text form, such as `add.f32 r3, r1, r2`."""
        head, operands = self.row.mnemonic, []
        for operand, value in zip(self.row.operands, self.values, strict=True):
            if operand.suffix:
                head += "." + operand.codec.text(value)
            elif value is None or (operand.named and operand.is_default(value)):
                continue
            else:
                text = operand.codec.text(value)
                operands.append(f"{operand.name}={text}" if operand.named else text)
        return f"{head} {', '.join(operands)}" if operands else head

    # What the verifier, the analyses and the devices ask

    def type_of(self, operand: Operand) -> Type | None:
        """The type an operand has by its row, or None where the row leaves it open (MOV, pointers)."""
        if operand.type in self.row.positions:
            said = self.values[self.row.positions[operand.type]]
            return self.ty if said is None else said  # type: ignore[no-any-return]  # a type operand
        return None if operand.type in ("any", "pointer", "") else _named(operand.type)

    def addresses(self) -> Iterator[tuple[Operand, Address]]:
        """The address operands that are present."""
        for operand, value in zip(self.row.operands, self.values, strict=True):
            if isinstance(value, Address):
                yield operand, value

    def reads(self) -> tuple[tuple[Operand, Register | Predicate], ...]:
        """Every register and predicate read, those inside addresses and sizes included."""
        return self._reads

    def writes(self) -> tuple[tuple[Operand, Register | Predicate], ...]:
        """Every register and predicate written."""
        return self._writes


def _reads(instruction: Instruction) -> Iterator[tuple[Operand, Register | Predicate]]:
    for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
        if isinstance(value, Address):
            for register in value.registers:
                yield operand, register
        elif isinstance(value, (Register, Predicate)) and operand.role != "def" and operand.kind != "result":
            yield operand, value


def _writes(instruction: Instruction) -> Iterator[tuple[Operand, Register | Predicate]]:
    for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
        written = operand.role in ("def", "update") or operand.kind == "result"
        if written and isinstance(value, (Register, Predicate)):
            yield operand, value


# Analyses ask for these again and again: an instruction keeps them from the first time on.
_FOUND_ONCE = {"_reads": _reads, "_writes": _writes}


_named = lru_cache(Type.named)


def _in_order(row: Row, args: tuple[Any, ...], fields: dict[str, Any]) -> tuple[Any, ...]:
    """A value for each operand of a row. Raises IsaError."""
    if len(args) > len(row.operands):
        raise IsaError(f"{row.name} takes {len(row.operands)} operands ({_signature(row)}), not {len(args)}")
    given = dict(zip(row.positions, args, strict=False))
    for name, value in fields.items():
        field = name if name in row.positions else _ALIASES.get(name, name)
        if field not in row.positions:
            raise IsaError(f"{row.name} has no operand {name!r}: it has {_signature(row)}")
        if field in given:
            raise IsaError(f"{row.name} got its operand {field!r} twice")
        given[field] = value
    for operand in row.operands:
        if given.setdefault(operand.name, operand.default) is REQUIRED:
            raise IsaError(f"{row.name} misses its operand {operand.name!r}: it has {_signature(row)}")
    return tuple(given[operand.name] for operand in row.operands)


def _signature(row: Row) -> str:
    return ", ".join(operand.name for operand in row.operands) or "none"


def _revive(name: str, values: tuple[Any, ...]) -> Instruction:
    return Instruction(BY_NAME[name], values)


@cache
def _constructor(name: str) -> Callable[..., Instruction]:
    row = BY_NAME.get(name)
    if row is None:
        raise AttributeError(f"the ISA has no instruction {name!r}")

    def construct(*args: Any, **fields: Any) -> Instruction:
        return Instruction.make(row, *args, **fields)

    construct.__name__ = construct.__qualname__ = name
    construct.__doc__ = f"{row.doc} Operands: {_signature(row)}."
    return construct
