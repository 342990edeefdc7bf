"""The code of a call of a program with collectives: what the host does for it, as steps.

Between collectives a program is a lane region, and each region is a kernel that is handed what the host computes
there; a collective is the lane programs that it becomes (`tensor/`). What the host computes is a function of the IR
(`compiler/host.py`), which becomes values and ways here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

from ..compiler.host import Region, host_function
from ..compiler.ir import PRED, Node
from ..compiler.out_of_ssa import Assign, Copies, Do, Go, Lowered, Variable, lower
from ..compiler.structure import If, Labelled, Stop, Straight, StructuredBranch, StructuredLoop, Tree, structure
from ..errors import CompileError, LaunchError
from ..isa.address import Address, Space
from ..isa.instruction import Instruction
from ..isa.operands import Register
from ..isa.ops import PRIMITIVES
from ..isa.types import Type
from ..isa.verify import Base
from ..tensor.families import operation
from ..tensor.operation import (
    FACTOR,
    Operands,
    PartLaunch,
    TensorOperation,
    at_least,
    extents,
    whole_factors,
)
from ..tensor.schedules import traits_for
from .caller import CLASS_BYTES, Caller, Outer
from .formula import MAX_TOKENS, Formula
from .plan import (
    TARGETS,
    Argument,
    BoundsCheck,
    Branch,
    Copy,
    Later,
    Launch,
    Let,
    Loop,
    Nest,
    ProgramCall,
    Repeat,
    Step,
    Target,
    Triple,
    When,
)
from .symbols import Factor, NotExpressible, Symbol, as_formula, number_of

__all__ = ["HostedCaller"]

_ONE = Formula((1,))
_WAY = "$way"  # the value that says which entry of a loop is gone to
_END_LABEL = -1


class _Place(NamedTuple):
    """The memory of an operand of a collective. It starts at `start` of a buffer, the operand at `offset` of it."""

    name: str
    base: Base | None
    buffer: str
    size: Any  # bytes: an int or a Symbol
    start: int
    offset: Any
    ty: Type


class _GoTo(NamedTuple):
    """A branch whose nests are not counted yet."""

    label: int


class _Nest(NamedTuple):
    """A nest or loop with branches of that kind in it."""

    label: int
    kind: Callable[[tuple[Step, ...]], Step]
    body: list[Any]


class HostedCaller(Caller):
    """Makes the steps of what the host does between launches."""

    def __init__(self, outer: Outer, call: ProgramCall) -> None:
        super().__init__(outer, call)
        self.steps: list[Any] = []  # where what is computed goes
        self.names: dict[Variable, str] = {}
        self.cells: dict[Any, str] = {}
        self.converted: dict[tuple[Argument, Type], Argument] = {}
        self.idle: dict[tuple[str, str], list[str]] = {}  # temporaries that no collective needs any more
        self.lent: list[tuple[tuple[str, str], str]] = []  # to the collective whose steps are made

    def whole(self) -> list[Step]:
        """The steps of a call. Raises CompileError."""
        function = host_function(self.analysis, self.make)
        self.lowered: Lowered = lower(function)
        code = self._code(structure(self.lowered.resumes[0]), frozenset({_END_LABEL}))
        steps = list(_resolved([_Nest(_END_LABEL, Nest, code)] if _goes_to(_END_LABEL, code) else code, ()))
        # Without lanes nothing runs, collectives included.
        some = prod((Formula.min(1, lanes) for lanes in self.call.lanes), start=_ONE)
        return steps if some.value == 1 or not steps else [Repeat(some, self.outer.variable("i"), tuple(steps))]

    # Ways

    def _code(self, trees: Sequence[Tree], ends: frozenset[int]) -> list[Any]:
        """The steps of code. `ends` are the labels that what falls off its end goes to anyway."""
        outside, self.steps = self.steps, []
        for number, tree in enumerate(trees):
            onward = ends if number == len(trees) - 1 else frozenset[int]()
            match tree:
                case Straight(piece):
                    for statement in piece.statements:
                        self._statement(statement)
                case Labelled(label, body):
                    self._nest(label, Nest, self._code(body, onward | {label}))
                case StructuredLoop(label, body):
                    self._nest(label, Loop, self._code(body, onward))
                case If(condition, then, otherwise):
                    held = self._argument(condition)
                    ways = [tuple(self._code(way, onward)) for way in (then, otherwise)]
                    if held.kind != "value":
                        held = self._set(self.outer.variable("v"), PRED, held)
                    if any(ways):
                        self.steps.append(When(held.value, *ways))
                case StructuredBranch(label) if label not in onward:
                    self.steps.append(_GoTo(label))
                case Stop() if _END_LABEL not in onward:
                    self.steps.append(_GoTo(_END_LABEL))
        found, self.steps = self.steps, outside
        return found

    def _nest(self, label: int, kind: Callable[[tuple[Step, ...]], Step], body: list[Any]) -> None:
        self.steps += [_Nest(label, kind, body)] if _goes_to(label, body) else body

    # Values

    def _statement(self, statement: Any) -> None:
        match statement:
            case Assign(variable, node):
                self._let(self._name(variable), node)
            case Do(node, _) if node.op == "region":
                self._region(node)
            case Do(node, _):
                self._collective(node)
            case Copies(pairs):
                self._copies([(self._name(variable), node) for variable, node in pairs])
            case Go(number):
                self._set(_WAY, Type.U32, Argument("bits", number))

    def _name(self, variable: Variable) -> str:
        if variable not in self.names:
            self.names[variable] = self.outer.variable("v")
        return self.names[variable]

    def _copies(self, pairs: list[tuple[str, Node]]) -> None:
        """Sets several at once: whatever one of them was is read before."""
        if len(pairs) == 1 and pairs[0][1] not in self.lowered.variables and pairs[0][1].op in PRIMITIVES:
            self._let(*pairs[0])
            return
        given = [(name, node.ty, self._argument(node)) for name, node in pairs]
        written = {name for name, _ in pairs}
        for number, (name, ty, arg) in enumerate(given):
            if arg.kind == "value" and arg.value in written and arg.value != name:
                given[number] = name, ty, self._set(self.outer.variable("v"), ty, arg)
        for name, ty, arg in given:
            if arg != Argument("value", name):
                self._set(name, ty, arg)

    def _set(self, name: str, ty: Any, arg: Argument) -> Argument:
        self.steps.append(Let(name, ty, "mov", ty, (arg,)))
        return Argument("value", name)

    def _let(self, name: str, node: Node) -> Argument:
        """Computes a node."""
        if node.op not in PRIMITIVES:
            return self._set(name, node.ty, self._argument(node))
        source: Any = node.attr if PRIMITIVES[node.op].has_source else node.ty
        args = tuple(self._argument(arg) for arg in node.args)
        self.steps.append(Let(name, node.ty, node.op, source, args))  # type: ignore[arg-type]  # no effect
        return Argument("value", name)

    def _argument(self, node: Node) -> Argument:
        """What stands for the bits of a value."""
        if node in self.lowered.variables:
            return Argument("value", self._name(self.lowered.variables[node]))
        match node.op:
            case "const":
                return Argument("bits", int(node.attr))
            case "param":
                return self.args[node.attr]
            case "special" if node.attr == "WAY":
                return Argument("value", _WAY)
            case "special":
                text = f"a register holds what the host computed or {node.attr}, by the way taken"
                raise CompileError(None, f"{text}: copy it to another register first")
        return self._let(self.outer.variable("v"), node)

    def _formula(self, node: Node) -> Formula:
        """The formula of an integer."""
        ty = node.ty
        assert isinstance(ty, Type)
        if node not in self.lowered.variables:
            if node.is_const and abs(number := int(ty.decode(node.attr))) >> 53 == 0:
                return Formula((number,))
            if node.op == "cvt" and node.attr.is_integer:
                source = node.attr
                if ty.min_value <= source.min_value and source.max_value <= ty.max_value:
                    return self._formula(node.args[0])
            if node.op == "param":
                arg = self.args[node.attr]
                if arg.kind == "formula":
                    return arg.value  # type: ignore[no-any-return]
                if arg.kind == "bits" and abs(number := int(ty.decode(arg.value))) >> 53 == 0:
                    return Formula((number,))
                if arg.kind == "port":
                    return Formula((arg.value,))
        held = self._argument(node)
        if held.kind != "value":
            held = self._set(self.outer.variable("v"), ty, held)
        return Formula((held.value,))

    # Lane regions

    def _region(self, node: Node) -> None:
        region: Region = node.attr
        args = dict(zip(region.names, node.args, strict=True))
        # What the host knows in such a register is of another type: the lanes find their own there.
        if own := {name for name, arg in args.items() if arg.op == "special" and arg.attr != "WAY"}:
            made = self.make(region.point, {variable: name for variable, name in region.wanted if name not in own})
            if made is None:
                return
            region = region._replace(kernel=made[0])
        held = {name: self._argument(arg) for name, arg in args.items() if name not in own}
        held |= {name: Argument("cell", self._cell(*variable)) for name, variable in region.results}
        self.steps.append(self.launch(region.kernel, held))

    def _cell(self, number: int, ty: Type) -> str:
        """The memory of the results of collectives in a register."""
        if (number, ty) not in self.cells:
            self.cells[number, ty] = self.outer.temporary("result", Formula((ty.argument_bytes,)))
        return self.cells[number, ty]

    # Collectives

    def _collective(self, node: Node) -> None:
        point: int = node.attr
        index = self.analysis.graph.code[point]
        try:
            self._lower(self.analysis.graph.instruction(point), list(node.args), point, index)
        except NotExpressible as error:
            text = self.program.instructions[index]
            raise CompileError(index, f"a plan cannot hold it: {error}, in {text}") from None
        for key, name in self.lent:
            self.idle.setdefault(key, []).append(name)
        self.lent = []

    def _temporary(self, kind: str, size: Formula) -> str:
        """Memory that the collective alone uses: one of an earlier one, or new."""
        key = kind, str(size)
        idle = self.idle.get(key)
        name = idle.pop() if idle else self.outer.temporary(kind, size)
        self.lent.append((key, name))
        return name

    def _lower(self, instruction: Instruction, numbers: list[Node], point: int, index: int) -> None:
        """Appends the steps of a collective, whose numbers are those nodes."""
        found = operation(instruction.name)
        self.converted = {}  # values change from collective to collective
        operands = Operands({}, {}, here=self.outer.here)
        places: dict[str, _Place] = {}
        for position, (operand, value) in enumerate(zip(instruction.row.operands, instruction.values, strict=True)):
            held = value
            if isinstance(value, Address):
                ty = instruction.type_of(operand)
                assert ty is not None
                places[operand.name] = self._place(self.analysis.bases[point, position], value, numbers, ty)
            elif operand.kind == "result" and isinstance(value, Register):
                ty = instruction.ty
                cell = self._cell(value.index, ty)
                places[operand.name] = _Place("result", None, cell, ty.size_bytes, 0, 0, ty)
            elif operand.kind == "size" and value is not None:
                held = self._size(numbers.pop(0)) if isinstance(value, (Register, str)) else max(value, 0)
            elif operand.kind == "scalar" and isinstance(value, (Register, str)):
                held = self._number(numbers.pop(0))
            operands.values[operand.name] = held
        whole_factors(instruction.row, instruction.ty, operands.values)
        counts = extents(found, operands, index)
        for name in [name for name, count in counts.items() if count is None]:  # as much as there is
            place = places[name]
            counts[name] = at_least(place.size - place.offset, 0) // place.ty.size_bytes
        for name, count in counts.items():
            place = places[name]
            bounds = (as_formula(count * place.ty.size_bytes), as_formula(place.offset), as_formula(place.size))
            self.steps.append(BoundsCheck(*bounds, place.ty, index, place.name))
        for name, place in places.items():
            count = counts[name]
            early = not isinstance(count, Symbol) or self.outer.is_early(count.formula)
            operands.late |= not early
            operands.most[name] = count if early else place.size // place.ty.size_bytes

        def parts(places: dict[str, _Place]) -> tuple[Step, ...]:
            for name, place in places.items():
                operands.first[name] = (place.offset + place.start) // place.ty.alignment
            how = self.outer.math, self.outer.here
            made = {
                target: self._parts(found.launches(operands, traits_for(target, *how)), places, index)
                for target in TARGETS
                if self.outer.target in ("", target)
            }
            alike = len(set(made.values())) == 1
            return next(iter(made.values())) if alike else tuple(map(Target, made, made.values()))

        results = [
            o.name for o in instruction.row.operands if o.kind in ("store", "rmw", "result") and o.name in places
        ]
        together, copies, copied = self._separate(places, counts, results, found)
        if together.value != 1:
            apart = 1 - together
            steps = parts(places)
            self.steps += steps if apart.value == 1 else [Repeat(apart, self.outer.variable("i"), steps)]
        if together.value != 0:
            steps = (*copies, *parts(copied))
            self.steps += steps if together.value == 1 else [Repeat(together, self.outer.variable("i"), steps)]

    def _size(self, node: Node) -> Any:
        """A size: what is negative is none."""
        ty = node.ty
        assert isinstance(ty, Type)
        if ty is Type.I64 and not node.is_const:  # a formula may not hold it
            kept = self._set(self.outer.variable("v"), ty, self._argument(node)).value
            arguments = Argument("value", kept), Argument("bits", 0)
            self.steps.append(Let(kept, ty, "max", ty, arguments))
            return number_of(Formula((kept,)))
        formula = self._formula(node)
        return number_of(Formula.max(formula, 0) if ty.is_signed else formula)

    def _number(self, node: Node) -> Any:
        """A factor."""
        ty = node.ty
        assert isinstance(ty, Type)
        held = self._argument(node)
        return ty.decode(held.value) if held.kind == "bits" else Factor(held, ty)

    def _place(self, base: Base, address: Address, numbers: list[Node], ty: Type) -> _Place:
        offset: Any = address.offset
        if address.space in (Space.PHI, Space.POINTER):
            offset = _symbol(self._formula(numbers.pop(0)))
        elif address.index is not None:
            offset = _symbol(self._formula(numbers.pop(0)) * address.scale + address.offset)
        buffer = self.buffer(base)
        if base.space is Space.CLASS and isinstance(base.name, int):
            return _Place(str(base), base, buffer, CLASS_BYTES, CLASS_BYTES * base.name, offset, ty)
        return _Place(str(base), base, buffer, self.outer.sizes[buffer], 0, offset, ty)

    def _separate(
        self, places: dict[str, _Place], counts: dict[str, Any], results: list[str], operation: TensorOperation
    ) -> tuple[Formula, list[Step], dict[str, _Place]]:
        """A collective reads all it needs before it writes. 1 where a result overlaps sources, else 0; and what makes
        copies of these, and the places with the copies."""
        together = Formula((0,))
        copies: list[Step] = []
        copied = dict(places)
        for name in counts:
            source = places[name]
            if name in results:
                continue
            for result in results:
                target = places[result]
                if source.buffer != target.buffer or _in_other_class(source, target):
                    continue
                here, there = as_formula(source.start + source.offset), as_formula(target.start + target.offset)
                if here == there and operation.in_place:
                    continue
                if copied[name] is source:
                    copy = self._temporary("copy", as_formula(self.outer.sizes[source.buffer]))
                    copies.append(Copy(copy, source.buffer))
                    copied[name] = source._replace(buffer=copy, base=None)
                parts = here, there, as_formula(counts[name]), as_formula(counts[result])
                about = source.ty.size_bytes, target.ty.size_bytes, operation.in_place
                try:
                    together = Formula.max(together, _overlap(parts, *about))
                except LaunchError:  # too long: values stand for what it is made of
                    together = Formula.max(self._value(together), _overlap(map(self._value, parts), *about))
        longest = len(together.code) > MAX_TOKENS - 2  # 1 less it would be too long
        return self._value(together) if longest else together, copies, copied

    def _value(self, formula: Formula) -> Formula:
        """A formula as a value."""
        if len(formula.code) == 1:
            return formula
        return Formula((self._set(self.outer.variable("v"), Type.I64, Argument("formula", formula)).value,))

    def _parts(self, launches: list[PartLaunch], places: dict[str, _Place], index: int) -> tuple[Step, ...]:
        places, steps = dict(places), list[Step]()
        for launch in launches:
            for name, size in launch.temporaries.items():
                buffer = self._temporary(name, as_formula(size))
                places[name] = _Place(name, None, buffer, size, 0, 0, Type.U8)
            times = as_formula(launch.times)
            if times.value is None and self.outer.here:
                step: Step = Later(partial(self._late, launch, dict(places), index))
            else:
                step = self._part(launch, places, index)
            steps.append(step if times.value == 1 else Repeat(times, self.outer.variable("i"), (step,)))
        return tuple(steps)

    def _late(self, launch: PartLaunch, places: dict[str, _Place], index: int) -> tuple[Step, ...]:
        self.steps, self.converted = [], {}
        step = self._part(launch, places, index)
        return *self.steps, step

    def _part(self, launch: PartLaunch, places: dict[str, _Place], index: int) -> Launch:
        analysis = self.outer.analysis(launch.program)
        number = self.outer.kernel(None, analysis, launch.block, 0, None, {})
        kernel = self.outer.made(number)
        kernel.fast = launch.fast
        x, y, z = (*map(as_formula, launch.lanes), _ONE, _ONE)[:3]
        lanes: Triple = (x, y, z)
        blocks = [Formula.ceildiv(asked, size) for asked, size in zip(lanes, launch.block, strict=True)]
        grid: Triple = (blocks[0], blocks[1], blocks[2])
        scalars = tuple(self._given(launch.scalars[name], ty) for name, ty in kernel.scalars.items())
        memories = tuple(places[launch.buffers[str(base.name)]].buffer for base in kernel.bases)
        step = Launch(number, 0, index + 1, grid, lanes, scalars, memories)
        if launch.why:
            self.outer.whys[step] = launch.why
        return step

    def _given(self, value: Any, ty: Type) -> Argument:
        """What a kernel is handed for a number."""
        if isinstance(value, Factor):
            return self._converted(value, ty)
        if not isinstance(value, Symbol):
            return Argument("bits", ty.encode(int(value) if ty.is_integer else value))
        port = None if value.formula.variable is None else self.outer.plan.scalars.get(value.formula.variable)
        return Argument("formula", value.formula) if port is None or port.ty is not ty else Argument("port", port.name)

    def _converted(self, factor: Factor, ty: Type) -> Argument:
        if factor.ty is ty:
            return factor.arg
        if factor.ty.is_float and ty.is_integer and ty is not FACTOR:
            factor = Factor(self._converted(factor, FACTOR), FACTOR)
        key = factor.arg, ty
        if key not in self.converted:
            name = self.outer.variable("v")
            self.steps.append(Let(name, ty, "cvt", factor.ty, (factor.arg,)))
            self.converted[key] = Argument("value", name)
        return self.converted[key]


def _symbol(formula: Formula) -> Any:
    return Symbol(formula) if formula.value is None else formula.value


def _overlap(parts: Iterable[Formula], size: int, large: int, in_place: bool) -> Formula:
    """1 where `some` elements here have bytes in common with `many` there, else 0. Of what is done `in_place` those may
    begin at the same."""
    here, there, some, many = parts
    ends = there + many * large - here, here + some * size - there
    found = prod((Formula.min(1, Formula.max(0, f)) for f in (*ends, many, some)), start=_ONE)
    return found * Formula.min(1, Formula.max(here - there, there - here)) if in_place else found


def _in_other_class(one: _Place, other: _Place) -> bool:
    """Whether two places lie in different classes, where they stay if they are in bounds."""
    bases = one.base, other.base
    return all(b is not None and b.space is Space.CLASS for b in bases) and one.base != other.base


def _goes_to(label: int, steps: Sequence[Any]) -> bool:
    for step in steps:
        match step:
            case _GoTo(target):
                found = target == label
            case _Nest(_, _, body):
                found = _goes_to(label, body)
            case When(_, then, otherwise):
                found = _goes_to(label, then) or _goes_to(label, otherwise)
            case _:
                found = False
        if found:
            return True
    return False


def _resolved(steps: Sequence[Any], around: tuple[int, ...]) -> tuple[Step, ...]:
    """The steps with branches that count; `around` are the labels of nests and loops, the innermost first."""
    found: list[Step] = []
    for step in steps:
        match step:
            case _GoTo(label):
                found.append(Branch(around.index(label)))
            case _Nest(label, kind, body):
                found.append(kind(_resolved(body, (label, *around))))
            case When():
                found.append(When(step.condition, _resolved(step.then, around), _resolved(step.otherwise, around)))
            case _:
                found.append(step)
    return tuple(found)
