"""What the host of a program with collectives computes, as formulas: scalars are not known when a plan is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..compiler.host import HostState
from ..compiler.node_ops import POINTER
from ..compiler.recipe import Constant, Input, Recipe, recipe_of, with_inputs
from ..errors import CompileError, LaunchError
from ..isa.address import Address, Space
from ..isa.instruction import Instruction
from ..isa.operands import Predicate, Register
from ..isa.ops import ScalarOps
from ..isa.row import Effect
from ..isa.types import Type
from ..isa.verify import Analysis
from .formula import Formula
from .plan import Argument

__all__ = ["AtBranch", "AtLoop", "Factor", "NotExpressible", "Opaque", "Symbol", "SymbolicHost", "wrapped"]


class NotExpressible(Exception):
    """A value that is no formula was asked for; the text says why it is none."""


class AtLoop(Exception):
    """The host stands before a LOOP whose count is a formula, or that goes around a collective."""


class AtBranch(Exception):
    """The host stands before a BRA that a formula decides: 1 if it branches, else 0."""

    def __init__(self, taken: Formula) -> None:
        super().__init__()
        self.taken = taken


class Symbol:
    """An integer known as a formula.

    `exact` says that it is in the range of its type; else it is right modulo 2**bits. `natural` says that it is not
    negative. Comparing is not expressible, so that code for numbers that decides by them does not go wrong silently.
    """

    __slots__ = ("exact", "formula", "natural")

    def __init__(self, formula: Formula, exact: bool = True, natural: bool = False) -> None:
        self.formula, self.exact, self.natural = formula, exact, natural

    def _with(self, operator: str, other: Any, *, swap: bool = False) -> Symbol:
        if not isinstance(other, (int, Symbol)):
            raise NotExpressible(f"{other!r} is no integer")
        mine, theirs = self.formula, other.formula if isinstance(other, Symbol) else Formula.of(other)
        left, right = (theirs, mine) if swap else (mine, theirs)
        natural = other.natural if isinstance(other, Symbol) else other >= 0
        return Symbol(left.with_(operator, right), natural=self.natural and natural and operator != "-")

    def __add__(self, other: Any) -> Symbol:
        return self._with("+", other)

    def __radd__(self, other: Any) -> Symbol:
        return self._with("+", other, swap=True)

    def __sub__(self, other: Any) -> Symbol:
        return self._with("-", other)

    def __rsub__(self, other: Any) -> Symbol:
        return self._with("-", other, swap=True)

    def __mul__(self, other: Any) -> Symbol:
        return self._with("*", other)

    def __rmul__(self, other: Any) -> Symbol:
        return self._with("*", other, swap=True)

    def __neg__(self) -> Symbol:
        return self._with("-", 0, swap=True)

    def __floordiv__(self, other: Any) -> Symbol:
        return self._with("//", other)

    def ceildiv(self, by: int) -> Symbol:
        return Symbol(Formula.ceildiv(self.formula, by), natural=self.natural)

    def at_least(self, least: int) -> Symbol:
        return Symbol(Formula.max(self.formula, least), natural=self.natural or least >= 0)

    def at_most(self, most: int) -> Symbol:
        return Symbol(Formula.min(self.formula, most), natural=self.natural and most >= 0)

    def __lt__(self, other: Any) -> bool:
        if self.natural and type(other) is int and other <= 0:
            return False
        raise NotExpressible(f"what it does depends on whether {self.formula} is below {other}")

    def _undecided(self, *_: Any) -> Any:
        raise NotExpressible(f"what it does depends on the value of {self.formula}")

    __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = __index__ = __int__ = _undecided
    __hash__ = object.__hash__


class Factor:
    """A number that kernels are handed and that is no formula; comparing is not expressible here, either."""

    __slots__ = ("arg",)

    def __init__(self, arg: Argument) -> None:
        self.arg = arg

    def _undecided(self, *_: Any) -> Any:
        raise NotExpressible(f"what it does depends on the value of {self.arg.value}")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = __float__ = __int__ = _undecided
    __hash__ = object.__hash__


class Opaque:
    """A value that the host could compute at run time and that is no formula. Lanes can, if it has a recipe."""

    __slots__ = ("at", "reason", "recipe")

    def __init__(self, at: int | None, reason: str, recipe: Recipe | None = None) -> None:
        self.at, self.reason, self.recipe = at, reason, recipe

    def substitute(self, name: str, other: Formula) -> Opaque:
        """The value with a formula in the place of a variable."""
        if self.recipe is None:
            return self

        def change(value: Any) -> Any:
            return value.substitute(name, other) if isinstance(value, Formula) else value

        return Opaque(self.at, self.reason, with_inputs(self.recipe, change))

    def error(self) -> CompileError:
        return CompileError(self.at, f"an artifact cannot hold it: {self.reason}")

    def __bool__(self) -> bool:
        raise NotExpressible(self.reason)


def wrapped(ty: Type, value: int | Symbol) -> Formula:
    """The value of a type as a formula: bits of a constant, or what an operation left, taken into the type's range."""
    if not isinstance(value, Symbol):
        return Formula.of(int(ty.decode(value)))
    formula = value.formula
    if value.exact or formula.value is not None:
        return formula if formula.value is None else Formula.of(int(ty.decode(ty.encode(formula.value))))
    if ty.bits == 64:
        # Modulo 2**64 is out of reach; below zero, an unsigned number divides by zero here, which is an error.
        return formula if ty.is_signed else formula // Formula.max(0, Formula.min(1, formula + 1))
    modulus = 1 << ty.bits
    shifted = formula + (modulus // 2 if ty.is_signed else 0)
    return shifted - shifted // modulus * modulus - (modulus // 2 if ty.is_signed else 0)


class _SymbolOps(ScalarOps):
    """The primitives on bit patterns and on symbols."""

    def __getattribute__(self, name: str) -> Any:
        method = super().__getattribute__(name)
        if name.startswith("_") or not callable(method):
            return method

        def run(*args: Any) -> Any:
            if not any(isinstance(arg, Symbol) for arg in args):
                return method(*args)
            if any(isinstance(arg, Type) and arg.is_wide for arg in args):
                raise NotExpressible("a formula has 53 bits")
            if name not in _SYMBOLIC or any(isinstance(arg, Type) and arg.is_float for arg in args):
                raise NotExpressible(f"{name} is no formula of the scalar arguments")
            return _SYMBOLIC[name](*args)

        return run


def _ring(ty: Type, value: int | Symbol) -> Formula:
    """The value, or one that equals it modulo 2**bits."""
    return value.formula if isinstance(value, Symbol) else Formula.of(int(ty.decode(value)))


def _unsigned(ty: Type, what: str) -> None:
    if ty.is_signed:
        raise NotExpressible(f"{what} of signed numbers rounds otherwise than formulas do")


def _divide(ty: Type, a: Any, b: Any) -> Symbol:
    _unsigned(ty, "a quotient")
    return Symbol(wrapped(ty, a) // wrapped(ty, b))


def _remainder(ty: Type, a: Any, b: Any) -> Symbol:
    _unsigned(ty, "a remainder")
    left, right = wrapped(ty, a), wrapped(ty, b)
    return Symbol(left - left // right * right)


def _convert(target: Type, source: Type, value: Any) -> Symbol:
    fits = target.min_value <= source.min_value and source.max_value <= target.max_value
    return Symbol(wrapped(source, value), exact=fits)


def _power(ty: Type, amount: Any) -> int:
    if isinstance(amount, Symbol):
        raise NotExpressible("a shift by an amount that is not known is no formula")
    return 1 << int(amount & (ty.bits - 1))


def _below(ty: Type, a: Any, b: Any) -> Formula:
    """1 if a < b, else 0."""
    return Formula.min(1, Formula.max(0, wrapped(ty, b) - wrapped(ty, a)))


def _differ(ty: Type, a: Any, b: Any) -> Formula:
    left, right = wrapped(ty, a), wrapped(ty, b)
    return Formula.min(1, Formula.max(left - right, right - left))


_SYMBOLIC: dict[str, Callable[..., Symbol]] = {
    "eq": lambda ty, a, b: Symbol(1 - _differ(ty, a, b)),
    "lt": lambda ty, a, b: Symbol(_below(ty, a, b)),
    "le": lambda ty, a, b: Symbol(1 - _below(ty, b, a)),
    "pnot": lambda a: Symbol(1 - a.formula),
    "add": lambda ty, a, b: Symbol(_ring(ty, a) + _ring(ty, b), exact=False),
    "sub": lambda ty, a, b: Symbol(_ring(ty, a) - _ring(ty, b), exact=False),
    "mul": lambda ty, a, b: Symbol(_ring(ty, a) * _ring(ty, b), exact=False),
    "neg": lambda ty, a: Symbol(0 - _ring(ty, a), exact=False),
    "min": lambda ty, a, b: Symbol(Formula.min(wrapped(ty, a), wrapped(ty, b))),
    "max": lambda ty, a, b: Symbol(Formula.max(wrapped(ty, a), wrapped(ty, b))),
    "div": _divide,
    "rem": _remainder,
    "cvt": _convert,
    "shl": lambda ty, a, amount: Symbol(_ring(ty, a) * _power(ty, amount), exact=False),
    "shr": lambda ty, a, amount: Symbol(wrapped(ty, a) // _power(ty, amount)),
}
_OPS = _SymbolOps()

# What the host knows of a register: bits, a formula, a scalar port or cell that kernels are handed, or nothing useful.
Value = int | Symbol | Argument | Opaque


def _recipe(row: str, at: int, held: Iterable[tuple[Type | str | None, Any]]) -> Recipe | None:
    """The recipe of an instruction whose operands the host knows, if lanes can compute all of them."""
    operands: list[Any] = []
    for ty, value in held:
        if ty is None:
            operands.append(value)
        elif isinstance(value, Opaque):
            if value.recipe is None:
                return None
            operands.append(value.recipe)
        elif isinstance(value, int):
            operands.append(Constant(ty, value))
        else:
            try:
                value = wrapped(ty, value) if isinstance(value, Symbol) and isinstance(ty, Type) else value
            except LaunchError:  # of a formula that is too long
                return None
            operands.append(Input(ty, value.formula if isinstance(value, Symbol) else value))
    return recipe_of(row, at, operands)


class SymbolicHost(HostState):
    """Follows a program from collective to collective with scalars that are formulas."""

    known: dict[Any, Any]

    def __init__(self, analysis: Analysis, scalars: Mapping[str, tuple[Type, Value]]) -> None:
        super().__init__(analysis, scalars)  # type: ignore[arg-type]  # values are more than bits here
        self.unrolled: set[int] = set()

    def copy(self) -> SymbolicHost:
        other = SymbolicHost(self.analysis, self.scalars)
        other.point, other.known, other.unrolled = self.point, dict(self.known), self.unrolled
        return other

    def counter(self) -> tuple[int, Type]:
        """The key of the counter of the LOOP that the host stands before."""
        assert self.point is not None
        return self.graph.instruction(self.point).counter.index, Type.U32

    def text(self, point: int) -> tuple[int, str]:
        """Index and text of the instruction at a point."""
        index = self.graph.code[point]
        return index, str(self.analysis.program.instructions[index])

    def number(self, value: Any, point: int | None = None) -> Any:
        """A number, a Symbol or a Factor."""
        where = self.point if point is None else point
        assert where is not None
        if isinstance(value, str):
            ty, held = self.scalars[value]
        elif isinstance(value, Register):
            ty = self.analysis.numbers[where, value.index]
            held = self.known[value.index, ty]
        else:
            return value
        if isinstance(held, Opaque):
            raise held.error()
        if isinstance(held, Symbol):
            formula = wrapped(ty, held)
            return Symbol(formula) if formula.value is None else formula.value
        return Factor(held) if isinstance(held, Argument) else ty.decode(held)

    def offset(self, address: Address, point: int | None = None) -> Any:
        if address.space is Space.PHI:
            parts = [self.number(part, point) for part in address.coordinates]
            if any(isinstance(part, Symbol) for part in parts):
                raise NotExpressible("a coordinate of Phi that depends on a scalar argument is no formula")
            return super().offset(address, point)
        if address.space is Space.POINTER:
            assert isinstance(address.base, Register)
            held = self.known[address.base.index, POINTER]
            if isinstance(held, Opaque):
                raise held.error()
            return held if isinstance(held, Symbol) else POINTER.decode(held)
        if address.index is None:
            return address.offset
        return self.number(address.index, point) * address.scale + address.offset

    def _next(self, point: int, instruction: Instruction) -> int | None:
        if instruction.name == "LOOP":
            held = self.known.get((instruction.counter.index, Type.U32))
            if isinstance(held, Opaque):
                return self._around(point, held)
            if isinstance(held, Symbol) or (held and point not in self.unrolled):
                self.point = point
                raise AtLoop
        if instruction.name == "BRA" and instruction.pred is not None:
            held = self.known.get((256 + instruction.pred.index, "pred"))
            if isinstance(held, Opaque):
                return self._around(point, held)
            if isinstance(held, Symbol):
                self.point = point
                raise AtBranch(1 - held.formula if instruction.pred.negated else held.formula)
        return super()._next(point, instruction)

    def _around(self, point: int, held: Opaque) -> int:
        """Where the ways of a branch that lanes decide meet; what they write there only lanes know.

        Raises CompileError if a collective is on them.
        """
        number = next(n for n, block in enumerate(self.graph.blocks) if point in block)
        inside = [point, *(inner for other in self.graph.influence(number) for inner in self.graph.blocks[other])]
        if held.recipe is None or any(self.graph.instruction(inner).row.collective for inner in inside):
            raise held.error()
        way = self._past(point)
        for inner in inside:
            instruction = self.graph.instruction(inner)
            for operand, value in instruction.writes():
                if isinstance(value, Predicate):
                    self.known[256 + value.index, "pred"] = Opaque(held.at, held.reason)
                else:
                    ty = instruction.type_of(operand) or self._moved(inner) or POINTER
                    self.known[value.index, ty] = Opaque(held.at, held.reason)
        return way

    def _evaluate(self, point: int, instruction: Instruction) -> None:
        row = instruction.row
        if row.name == "LEA":
            self._point_at(point, instruction)
            return
        result: Any = None
        held = self._held(point, instruction) if row.effect is Effect.PURE else None
        try:
            values = None if held is None else self._inputs(point, instruction)
            if values is not None and row.name == "MOV":
                result = values[0]
            elif values is not None and row.reference is not None:
                for value in values:
                    if isinstance(value, (Argument, Opaque)):
                        raise NotExpressible("only integers are computed with")
                result = row.reference(_OPS, *values)
        except (NotExpressible, LaunchError) as error:  # the second of a formula with too large a number, or too long
            index, text = self.text(point)
            first = next((value for _, value in held or () if isinstance(value, Opaque)), None)
            at, reason = (index, f"{text}: {error}") if first is None else (first.at, first.reason)
            result = Opaque(at, reason, _recipe(row.name, index, held or ()))
        for operand, target in instruction.writes():
            self._forget(target)
            if result is None:
                continue
            ty = instruction.type_of(operand) or self._moved(point)
            found = int(result) if isinstance(result, (int, bool)) else result
            if isinstance(target, Predicate):
                self.known[256 + target.index, "pred"] = found
            elif ty is not None:
                self.known[target.index, ty] = found

    def _point_at(self, point: int, instruction: Instruction) -> None:
        try:
            offset = self.offset(instruction.src, point)
        except KeyError:
            self._forget(instruction.dst)
            return
        except NotExpressible as error:
            index, text = self.text(point)
            offset = Opaque(index, f"{text}: {error}")
        self._forget(instruction.dst)
        if isinstance(offset, int):
            offset = POINTER.encode(max(min(offset, 1 << 60), -(1 << 60)))
        self.known[instruction.dst.index, POINTER] = offset
