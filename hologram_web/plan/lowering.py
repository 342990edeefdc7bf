"""The code of a plan: its calls as launches of kernels, compiled to WebAssembly and WGSL.

A program without collectives is one launch. Between collectives a program is a lane region, and each region is a
kernel that is handed what the host knows there; a collective is the lane programs that `compiler/collectives.py` makes
of it. A loop of collectives that a LOOP counts becomes a `repeat`. What no formula says is a CompileError.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from ..compiler.build import build
from ..compiler.collectives import Launch as PartLaunch
from ..compiler.collectives import Operands, check_factors, extents, lower_collective
from ..compiler.ir import PRED
from ..compiler.passes import optimize
from ..compiler.recipe import Kept
from ..errors import CompileError, UnsupportedInstruction
from ..isa.address import Address, Space
from ..isa.instruction import Instruction
from ..isa.operands import BinaryMapOperation, MapOperation, Register
from ..isa.program import Program
from ..isa.row import Effect
from ..isa.table import BY_MNEMONIC
from ..isa.types import Type
from ..isa.verify import Analysis, Base, verified
from .artifact import Artifact, Blob
from .formula import Formula
from .kernels import KernelTable, LaneKernel
from .plan import (
    CLASS_MEMORY,
    TARGETS,
    Argument,
    Bounds,
    Call,
    Copy,
    Launch,
    Plan,
    Repeat,
    Step,
    Target,
    Temporary,
    Triple,
)
from .symbols import AtBranch, AtLoop, Factor, NotExpressible, Opaque, Symbol, SymbolicHost, wrapped

__all__ = ["lower_plan"]

_CLASS_BYTES, _CLASS_MEMORY_BYTES = 12_288, 96 * 12_288
_MAX_LAUNCHES = 4096
_ONE = Formula((1,))


def lower_plan(
    plan: Plan,
    programs: Sequence[Program],
    constants: Sequence[Blob],
    metadata: dict[str, str],
    *,
    target: str = "",
    analyses: Sequence[Analysis] = (),
    math: str = "exact",
) -> Artifact:
    """The artifact of a plan whose calls have no code yet. Raises CompileError.

    `target` leaves the code for other targets out; `analyses` are those of `programs`, if they are there already.
    `math` is how shaders compute floats (isa.md section 3).
    """
    lowering = _Lowering(plan, programs, target)
    lowering.given = {id(program): analysis for program, analysis in zip(programs, analyses, strict=False)}
    steps = lowering.steps(plan.steps)
    used = _names(steps)
    temporaries = tuple(
        t for t in (*plan.temporaries, *lowering.temporaries) if t.name in used or t in plan.temporaries
    )
    code = KernelTable(lowering.kernels.values(), math)
    plan = replace(plan, temporaries=temporaries, steps=code.steps(steps, target))
    texts = tuple("\n".join(map(str, program.instructions)) for program in programs)
    return Artifact(
        plan,
        tuple(programs),
        texts,
        tuple(code.kernels),
        tuple(code.modules),
        tuple(code.pieces),
        tuple(code.shaders),
        tuple(constants),
        metadata,
    )


def _supported(index: int, instruction: Instruction) -> None:
    """Raises CompileError for an instruction that has no meaning yet."""
    rows = [instruction.row]
    for value in instruction.values if instruction.row.collective else ():
        if isinstance(value, (MapOperation, BinaryMapOperation)):
            rows.append(BY_MNEMONIC[value.value])
    for row in rows:
        if row.reference is None and row.effect not in (Effect.CONTROL, Effect.BARRIER):
            raise UnsupportedInstruction(index, f"an artifact does not run {row.name} ({instruction})")


def _names(steps: Sequence[Step]) -> set[str]:
    """The buffers that code names."""
    found: set[str] = set()
    for step in steps:
        match step:
            case Repeat(body=body) | Call(code=body) | Target(body=body):
                found |= _names(body)
            case Launch():
                found |= {*step.memories, *(arg.value for arg in step.scalars if arg.kind == "cell")}
            case Copy():
                found |= {step.target, step.source}
    return found


class _Region(NamedTuple):
    """The memory of an operand of a collective. It starts at `start` of a buffer, the operand at `offset` of it."""

    name: str
    buffer: str
    size: Any  # bytes: an int or a Symbol
    start: int
    offset: Any


class _Lowering:
    def __init__(self, plan: Plan, programs: Sequence[Program], target: str) -> None:
        self.plan, self.programs, self.target = plan, programs, target
        self.kernels: dict[Any, LaneKernel] = {}
        self.numbers: dict[Any, int] = {}
        self.given: dict[int, Analysis] = {}
        self.analyses: dict[int | bytes, Analysis] = {}
        self.temporaries: list[Temporary] = []
        self.variables = 0
        self.sizes: dict[str, Any] = {CLASS_MEMORY: _CLASS_MEMORY_BYTES}
        for name, port in plan.arrays.items():
            size = Formula((port.ty.size_bytes,))
            for length in port.shape:
                size = length * size
            self.sizes[name] = _number(size)
        for temporary in plan.temporaries:
            self.sizes[temporary.name] = _number(temporary.size)

    def steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        done: list[Step] = []
        for step in steps:
            match step:
                case Repeat():
                    done.append(replace(step, body=self.steps(step.body)))
                case Call():
                    done.append(step._replace(code=tuple(_CallLowering(self, step).whole())))
                case _:
                    done.append(step)
        return tuple(done)

    def analysis(self, program: Program) -> Analysis:
        key = id(program) if id(program) in self.given else program.to_bytes()
        if key not in self.analyses:
            found = self.given.get(id(program)) or verified(program)
            for index, instruction in enumerate(program.instructions):
                _supported(index, instruction)
            self.analyses[key] = found
        return self.analyses[key]

    def kernel(
        self, program: int | None, analysis: Analysis, block: Any, shared: int, point: int | None, uniform: Any
    ) -> int:
        """The number of the kernel of a lane region; it is made when first asked for."""
        key = (id(analysis), block, shared, point, tuple(sorted(map(str, uniform.values()))))
        if key not in self.kernels:
            function = optimize(build(analysis, block, point, uniform))
            self.kernels[key] = LaneKernel(program, function, analysis.program.shared_memory + shared)
            self.numbers[key] = len(self.numbers)
        return self.numbers[key]

    def made(self, number: int) -> LaneKernel:
        return list(self.kernels.values())[number]

    def temporary(self, kind: str, size: Formula) -> str:
        taken = {*self.plan.buffers, *self.plan.scalars}
        name = next(n for k in range(1 << 30) if (n := f"{kind}{len(self.temporaries) + k}") not in taken)
        self.temporaries.append(Temporary(name, size))
        self.sizes[name] = _number(size)
        return name

    def variable(self) -> str:
        """A variable for a repeat that nothing is called."""
        self.variables += 1
        return f"$i{self.variables}"


class _CallLowering:
    """Lowers one call."""

    def __init__(self, outer: _Lowering, call: Call) -> None:
        self.outer, self.call = outer, call
        self.program = outer.programs[call.program]
        self.analysis = outer.analysis(self.program)
        self.args = {param.name: arg for param, arg in zip(self.program.params, call.args, strict=True)}
        self.collective = any(instruction.row.collective for instruction in self.program.instructions)
        self.launches = 0

    def whole(self) -> list[Step]:
        scalars: dict[str, tuple[Type, Any]] = {}
        for param in self.program.params:
            if param.kind == "scalar" and param.ty is not None:
                scalars[param.name] = param.ty, self._value(param.ty, self.args[param.name])
        steps = self.run(SymbolicHost(self.analysis, scalars))
        if not self.collective:
            return steps
        # Without lanes nothing runs, collectives included.
        some = prod((Formula.min(1, lanes) for lanes in self.call.lanes), start=_ONE)
        return steps if some.value == 1 or not steps else [Repeat(some, self.outer.variable(), tuple(steps))]

    def _value(self, ty: Type, arg: Argument) -> Any:
        """What the host knows of an argument."""
        if arg.kind == "port" and ty.is_integer:
            return Symbol(Formula((arg.value,)))
        if arg.kind == "formula":
            return Symbol(arg.value) if arg.value.value is None else ty.encode(arg.value.value)
        return arg.value if arg.kind == "bits" else arg

    # The way through the program

    def run(self, host: SymbolicHost, until: int | None = None, start: str = "region") -> list[Step]:
        """The steps from where the host is to the end, or to the LOOP at the point `until`.

        It starts with the lane region that begins there, on the way in one, or with the collective there.
        """
        steps: list[Step] = []
        trail: list[tuple[int, dict[Any, Any], int]] = []
        while True:
            if start == "region":
                self._region(host, steps)
            if start != "collective" and not self._advance(host, until, steps, trail):
                return steps
            start = "region"
            assert host.point is not None
            trail.append((host.point, dict(host.known), len(steps)))
            steps += self._collective(host)
            if host.point is None or host.point < 0:
                return steps

    def _advance(self, host: SymbolicHost, until: int | None, steps: list[Step], trail: list[Any]) -> bool:
        """Goes on to the next collective; False at the end, or at the LOOP `until`."""
        while True:
            try:
                return host.to_collective() is not None
            except AtBranch as branch:
                self._branch(host, until, branch.taken, steps)
                return False
            except AtLoop:
                assert host.point is not None
                if host.point == until:
                    return False
                point, known = host.point, host.known
                try:
                    self._loop(host, steps, trail)
                except CompileError:
                    if not isinstance(known[host.counter()], int):
                        raise
                    host.point, host.known = point, known
                    host.unrolled.add(point)

    def _branch(self, host: SymbolicHost, until: int | None, taken: Formula, steps: list[Step]) -> None:
        """Both ways of a branch to the end of the program, each run once or not at all."""
        at = host.point
        assert at is not None
        if until is not None:
            raise self._error(at, "a scalar argument decides a branch in a loop of collectives")
        for way, count in ((host.graph.target[at], taken), (host.graph.next[at], 1 - taken)):
            other = host.copy()
            other.point = way
            if inner := self.run(other, None, "way"):
                steps.append(Repeat(count, self.outer.variable(), tuple(inner)))

    def _loop(self, host: SymbolicHost, steps: list[Step], trail: list[Any]) -> None:
        """Makes a repeat of a loop that was gone through once, and puts the host behind it."""
        at = host.point
        assert at is not None
        key, head = host.counter(), host.graph.target[at]
        held = host.known[key]
        if isinstance(held, int) and (head is None or not any(head <= point <= at for point, _, _ in trail)):
            host.unrolled.add(at)  # a loop of lanes only: the host follows it with numbers
            return
        count = wrapped(Type.U32, held)
        back = host.copy()
        back.known[key] = Symbol(count - 1)
        back.point = head
        try:
            point = back.to_collective()
        except AtBranch:
            raise self._error(at, "a scalar argument decides a branch in its loop") from None
        except AtLoop:
            if back.point != at:
                raise self._error(at, "its loops are nested so that no repeat says it") from None
            for name, value in back.known.items():  # a loop of lanes only
                if name in host.known and not _same(value, host.known[name]):
                    index, text = host.text(at)
                    host.known[name] = Opaque(index, f"it changes in the loop of {text}")
            host.known[key], host.point = 0, host.graph.next[at]
            return
        found = next((n for n in reversed(range(len(trail))) if trail[n][0] == point), None)
        if found is None or point is None:
            raise self._error(at, "its loop does not go back to a collective it came from")
        _, start, length = trail[found]
        variable = self.outer.variable()
        body = back.copy()
        body.known, steady = self._inductive(at, key, start, back.known, count, variable)
        before = dict(body.known)
        inner = self.run(body, at, "collective")
        if body.point != at:
            raise self._error(at, "a round of its loop does not end where the first one did")
        for name, step in steady.items():
            if _difference(name[1], before[name], body.known.get(name)) != step:
                raise self._error(at, "a value it needs changes from round to round in a way that no formula says")
        del steps[length:], trail[found:]
        steps.append(Repeat(count + 1, variable, tuple(inner)))
        host.known = {
            name: Symbol(value.formula.substitute(variable, count), value.exact)
            if isinstance(value, Symbol)
            else value.substitute(variable, count)
            if isinstance(value, Opaque)
            else value
            for name, value in body.known.items()
        }
        host.known[key], host.point = 0, host.graph.next[at]

    def _inductive(
        self, at: int, counter: Any, start: dict[Any, Any], back: dict[Any, Any], count: Formula, variable: str
    ) -> tuple[dict[Any, Any], dict[Any, int]]:
        """What is known at the start of round `variable`, and by how much each of it changes in a round."""
        known: dict[Any, Any] = {}
        steady: dict[Any, int] = {}
        for name, value in start.items():
            if name == counter:
                known[name], steady[name] = Symbol(count - Formula((variable,)), natural=True), 0
                if _difference(Type.U32, value, back.get(name)) != -1:
                    raise self._error(at, "its counter changes in the loop")
                continue
            if name not in back:
                continue
            change = _difference(name[1], value, back[name])
            if change is None:
                raise self._error(at, "a value it needs changes from round to round in a way that no formula says")
            known[name], steady[name] = value, change
            if change:
                first = wrapped(name[1], value) if isinstance(value, int) else value.formula
                known[name] = Symbol(first + Formula((variable,)) * change, exact=False)
        return known, steady

    def _error(self, at: int | None, reason: str) -> CompileError:
        index = None if at is None else self.analysis.graph.code[at]
        return CompileError(index, f"an artifact cannot hold it: {reason}")

    def _count(self, at: int | None) -> None:
        self.launches += 1
        if self.launches > _MAX_LAUNCHES:
            raise self._error(at, f"it has more than {_MAX_LAUNCHES} launches: loop by a LOOP that counts")

    # Lane regions

    def _region(self, host: SymbolicHost, steps: list[Step]) -> None:
        """The launch of the lane region that starts where the host is."""
        point = host.point
        if point is None or point < 0:
            return
        uniform: dict[Any, str | Kept] = {}
        held: dict[str, tuple[Type | str, Any]] = {}
        if point != host.graph.entry:
            for (number, ty), value in host.known.items():
                name = f"$r{number}.{ty}"
                variable = (number - 256, PRED) if ty == PRED else (number, ty)
                if isinstance(value, Opaque) and value.recipe is not None:
                    uniform[variable] = kept = Kept(name, value.recipe)
                    held |= kept.inputs
                else:
                    uniform[variable], held[name] = name, (ty, value)
        self._count(point)
        call = self.call
        number = self.outer.kernel(call.program, self.analysis, call.block, call.shared, point, uniform)
        kernel = self.outer.made(number)
        if kernel.idle:
            return
        scalars = tuple(self._argument(*held[name]) if name in held else self.args[name] for name in kernel.scalars)
        memories = tuple(self._buffer(base) for base in kernel.bases)
        steps.append(Launch(number, 0, 0, call.grid, call.lanes, scalars, memories))

    def _argument(self, ty: Type | str, value: Any) -> Argument:
        """What a kernel is handed for a value that the host knows; for a predicate it is U32."""
        ty = ty if isinstance(ty, Type) else Type.U32
        if isinstance(value, Opaque):
            raise value.error()
        if isinstance(value, Argument):
            return value
        if isinstance(value, (Symbol, Formula)):
            return self._of_formula(ty, wrapped(ty, value) if isinstance(value, Symbol) else value)
        return Argument("bits", value)

    def _of_formula(self, ty: Type, formula: Formula) -> Argument:
        port = None if formula.variable is None else self.outer.plan.scalars.get(formula.variable)
        return Argument("formula", formula) if port is None or port.ty is not ty else Argument("port", port.name)

    def _buffer(self, base: Base) -> str:
        """The buffer behind a base."""
        return self.args[base.name].value if isinstance(base.name, str) else CLASS_MEMORY

    # Collectives

    def _collective(self, host: SymbolicHost) -> list[Step]:
        """The steps of the collective that the host stands before; the host goes past it."""
        point = host.point
        assert point is not None
        index, text = host.text(point)
        self._count(point)
        try:
            steps, result = self._lower(host, host.graph.instruction(point), point, index)
        except NotExpressible as error:
            raise CompileError(index, f"an artifact cannot hold it: {error}, in {text}") from None
        host.after_collective(result)  # type: ignore[arg-type]  # a cell stands for the bits
        return steps

    def _lower(
        self, host: SymbolicHost, instruction: Instruction, point: int, index: int
    ) -> tuple[list[Step], Argument | None]:
        ty: Type = instruction.ty
        operands = Operands({}, {})
        regions: dict[str, _Region] = {}
        result: Argument | None = None
        for position, (operand, value) in enumerate(zip(instruction.row.operands, instruction.values, strict=True)):
            if isinstance(value, Address):
                regions[operand.name] = self._place(self.analysis.bases[point, position], host.offset(value))
            elif operand.kind == "result" and isinstance(value, Register):
                cell = self.outer.temporary("result", Formula((ty.argument_bytes,)))
                result = Argument("cell", cell)
                regions[operand.name] = _Region("result", cell, ty.size_bytes, 0, 0)
            elif operand.kind in ("size", "scalar") and value is not None:
                value = host.number(value)
            if operand.kind == "size":
                value = (
                    Symbol(Formula.max(value.formula, 0), natural=True) if isinstance(value, Symbol) else max(value, 0)
                )
            operands.values[operand.name] = value
        check_factors(instruction, operands.values)
        counts = extents(instruction.name, operands)
        steps: list[Step] = []
        for name, count in counts.items():
            region = regions[name]
            bounds = (_formula(count * ty.size_bytes), _formula(region.offset), _formula(region.size))
            steps.append(Bounds(*bounds, ty, index, region.name))
        steps += self._separate(regions, counts, instruction.row.name == "GEMM")
        for name, region in regions.items():
            operands.first[name] = (region.offset + region.start) // ty.alignment
        parts = {
            target: self._parts(lower_collective(instruction.name, operands, target == "webgpu"), regions, index, point)
            for target in TARGETS
            if self.outer.target in ("", target)
        }
        alike = len(set(parts.values())) == 1
        return [*steps, *(next(iter(parts.values())) if alike else map(Target, parts, parts.values()))], result

    def _parts(
        self, launches: list[PartLaunch], regions: dict[str, _Region], index: int, point: int
    ) -> tuple[Step, ...]:
        regions, steps = dict(regions), list[Step]()
        for launch in launches:
            self._count(point)
            for name, size in launch.temporaries.items():
                regions[name] = _Region(name, self.outer.temporary(name, _formula(size)), size, 0, 0)
            step = self._part(launch, regions, index)
            times = _formula(launch.times)
            steps.append(step if times.value == 1 else Repeat(times, self.outer.variable(), (step,)))
        return tuple(steps)

    def _place(self, base: Base, offset: Any) -> _Region:
        buffer, start, size = self._buffer(base), 0, self.outer.sizes.get(self._buffer(base))
        if base.space is Space.CLASS and isinstance(base.name, int):
            start, size = _CLASS_BYTES * base.name, _CLASS_BYTES
        return _Region(str(base), buffer, size, start, offset)

    def _separate(self, regions: dict[str, _Region], counts: dict[str, Any], always: bool) -> list[Step]:
        """Copies sources that may overlap the result: a collective reads all it needs before it writes."""
        *sources, last = counts
        target, steps = regions[last], []
        for name in sources:
            source = regions[name]
            here, there = source.start + source.offset, target.start + target.offset
            if source.buffer != target.buffer or (_same(here, there) and not always):
                continue
            copy = self.outer.temporary("copy", _formula(self.outer.sizes[source.buffer]))
            steps.append(Copy(copy, source.buffer))
            regions[name] = source._replace(buffer=copy)
        return list[Step](steps)

    def _part(self, launch: PartLaunch, regions: dict[str, _Region], index: int) -> Launch:
        analysis = self.outer.analysis(launch.program)
        number = self.outer.kernel(None, analysis, (*launch.block, 1), 0, None, {})
        kernel = self.outer.made(number)
        kernel.fast = launch.fast
        lanes: Triple = (_formula(launch.lanes[0]), _formula(launch.lanes[1]), _ONE)
        blocks = [Formula.ceildiv(asked, size) for asked, size in zip(lanes, (*launch.block, 1), strict=True)]
        grid: Triple = (blocks[0], blocks[1], blocks[2])
        scalars = tuple(self._factor(launch.scalars[name], ty) for name, ty in kernel.scalars.items())
        memories = tuple(regions[launch.buffers[str(base.name)]].buffer for base in kernel.bases)
        return Launch(number, 0, index + 1, grid, lanes, scalars, memories)

    def _factor(self, value: Any, ty: Type) -> Argument:
        if isinstance(value, Symbol):
            if ty.is_float:
                raise NotExpressible(f"{value.formula} is an integer, and {ty} is wanted")
            return self._of_formula(ty, value.formula) if ty.is_wide else Argument("formula", value.formula)
        if isinstance(value, Factor):
            if value.arg.kind != "port" or self.outer.plan.scalars[value.arg.value].ty is not ty:
                raise NotExpressible(f"{value.arg.value} would have to be made {ty}")
            return value.arg
        return Argument("bits", ty.encode(int(value) if ty.is_integer else value))


def _number(formula: Formula) -> Any:
    return Symbol(formula, natural=True) if formula.value is None else formula.value


def _formula(number: Any) -> Formula:
    if isinstance(number, Symbol):
        return number.formula
    if not isinstance(number, int) or abs(number) >> 53:
        raise NotExpressible(f"{number!r} has more than 53 bits")
    return Formula((number,))


def _same(a: Any, b: Any) -> bool:
    """Whether two values are written alike."""
    if isinstance(a, Symbol) or isinstance(b, Symbol):
        return isinstance(a, Symbol) and isinstance(b, Symbol) and a.formula == b.formula
    if isinstance(a, Opaque) or isinstance(b, Opaque):
        opaque = isinstance(a, Opaque) and isinstance(b, Opaque)
        return a is b or (opaque and a.recipe is not None and a.recipe == b.recipe)
    return bool(a == b)


def _difference(ty: Any, a: Any, b: Any) -> int | None:
    """b - a of a type, where it is a plain number."""
    if _same(a, b):
        return 0
    if isinstance(ty, Type) and ty.is_wide:
        return None
    plain = [ty.decode(value) if isinstance(value, int) and isinstance(ty, Type) else None for value in (a, b)]
    if isinstance(b, Symbol) and b.formula.value is not None:
        plain[1] = b.formula.value
    if plain[0] is not None and plain[1] is not None and not isinstance(plain[0], float):
        return int(plain[1] - plain[0])
    if isinstance(a, Symbol) and isinstance(b, Symbol):
        code = b.formula.code
        if code[:-2] == a.formula.code and isinstance(code[-2], int) and code[-1] in ("+", "-"):
            return code[-2] if code[-1] == "+" else -code[-2]
    return None
