"""The check of plans: names and scopes, types of arguments, memories that may be written, limits."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..errors import ArtifactError
from ..isa.operands import Access
from ..isa.ops import PRED, PRIMITIVES
from ..isa.program import Param, Program
from ..isa.types import Type
from .formula import NAME, OPERATORS, Formula
from .plan import (
    CLASS_MEMORY,
    MAX_NAMES,
    MAX_NESTED,
    MAX_RANK,
    MAX_STEPS,
    Argument,
    BoundsCheck,
    Branch,
    Copy,
    KernelCode,
    Later,
    Launch,
    Let,
    Loop,
    Nest,
    Plan,
    ProgramCall,
    Read,
    Repeat,
    Step,
    Target,
    When,
    bodies,
)

__all__ = ["validate"]


def validate(plan: Plan, programs: Sequence[Program], kernels: Sequence[KernelCode] = (), blobs: int = 0) -> None:
    """Raises ArtifactError where a plan for these programs, kernels and so many constants is wrong."""
    _Validator(plan, programs, kernels, blobs).run()


class _Validator:
    def __init__(self, plan: Plan, programs: Sequence[Program], kernels: Sequence[KernelCode], blobs: int) -> None:
        self.plan, self.programs, self.kernels, self.blobs = plan, programs, kernels, blobs
        self.scalars, self.buffers = plan.scalars, set(plan.buffers)
        integers = [port.name for port in self.scalars.values() if port.ty.is_integer]
        self.variables = {*integers, *plan.dimensions}
        self.values = dict[str, Type | str]()  # by name, the types of values that steps compute
        self.nests = 0  # nests and loops around
        self.fixed = {name for name, _ in plan.constants}
        self.fixed |= {port.name for port in plan.arrays.values() if port.access is Access.READ}
        self.temporaries = {temporary.name for temporary in plan.temporaries}
        self.known = set(self.variables)
        self.fine: set[int] = set()  # ids of formulas that need no variable of a repeat
        self.fixed_names = self.variables
        self.steps = 0
        self.kinds: dict[str, str] = {}

    def must(self, holds: bool, what: str) -> None:
        if not holds:
            raise ArtifactError(f"the plan is wrong: {what}")

    def formula(self, formula: Formula, where: str) -> None:
        if id(formula) in self.fine:
            return
        for name in formula.names:
            self.must(name in self.known, f"{where} uses {name}, which is no integer scalar and no dimension there")
        if self.fixed_names.issuperset(formula.names):
            self.fine.add(id(formula))

    def run(self) -> None:
        plan = self.plan
        names = [port.name for port in plan.ports] + plan.buffers[len(plan.arrays) : -1]
        self.must(len(names) <= MAX_NAMES, f"it has more than {MAX_NAMES} ports, temporaries and constants")
        for name in (*names, *self.variables):
            self.must(NAME.fullmatch(name) is not None and name not in OPERATORS, f"{name!r} is no name")
        twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
        self.must(twice is None, f"{twice!r} is there twice")
        for port in plan.ports:
            # Long shapes become texts only where they are wrong.
            if port.access is None and port.shape:
                self.must(False, f"the scalar {port} has a shape")
            self.must(len(port.shape) <= MAX_RANK, f"{port.name} has more than {MAX_RANK} dimensions")
            for formula in port.shape:
                self.formula(formula, f"the shape of {port.name}")
        for temporary in plan.temporaries:
            self.formula(temporary.size, f"the size of {temporary.name}")
        for name, blob in plan.constants:
            self.must(blob < self.blobs, f"the constant {name} has no data")
        self.declare(plan.steps)
        self.body(plan.steps, 0, None)

    def declare(self, steps: tuple[Step, ...]) -> None:
        """Finds the values that steps compute. One that a step needs before it is there is a LaunchError of the run."""
        work = list(steps)
        while work:
            step = work.pop()
            for body in bodies(step):
                work += body
            if not isinstance(step, (Let, Read)):
                continue
            name, ty = step.value, step.ty
            if self.values.setdefault(name, ty) != ty:
                self.must(False, f"{name!r} is a value of two types")
            taken = name in self.variables or name in self.scalars or name in OPERATORS
            self.must(not taken and NAME.fullmatch(name) is not None, f"{name!r} cannot be a value")
        integers = {name for name, ty in self.values.items() if ty == PRED or (isinstance(ty, Type) and ty.is_integer)}
        self.known |= integers
        self.fixed_names = {*self.variables, *integers}

    def body(self, steps: tuple[Step, ...], depth: int, call: ProgramCall | None) -> None:
        self.must(depth <= MAX_NESTED, f"steps are nested more than {MAX_NESTED} deep")
        self.steps += len(steps)
        self.must(self.steps <= MAX_STEPS, f"it has more than {MAX_STEPS} steps")
        for step in steps:
            match step:
                case Repeat():
                    self.formula(step.count, "the count of a repeat")
                    name = step.variable
                    taken = name in self.known or name in self.scalars or name in self.values or name in OPERATORS
                    self.must(not taken and NAME.fullmatch(name) is not None, f"{name!r} cannot count a repeat")
                    self.known.add(name)
                    self.body(step.body, depth + 1, call)
                    self.known.discard(name)
                case Target():
                    self.body(step.body, depth + 1, call)
                case Nest() | Loop():
                    self.nests += 1
                    self.body(step.body, depth + 1, call)
                    self.nests -= 1
                case When():
                    self.value(Argument("value", step.condition), PRED, "a condition")
                    self.body(step.then, depth + 1, call)
                    self.body(step.otherwise, depth + 1, call)
                case Branch():
                    self.must(step.levels < self.nests, "a branch goes nowhere")
                case Let():
                    self.let(step)
                case Read():
                    self.formula(step.offset, "a value that is read")
                    self.buffer(step.buffer, False, "a value that is read")
                case ProgramCall():
                    self.must(call is None, "a call stands in a call")
                    self.call(step)
                    around, self.nests = self.nests, 0
                    self.body(step.code, depth + 1, step)
                    self.nests = around
                case Later():
                    self.must(False, "a step that is made when it first runs stands in no plan")
                case _:
                    self.must(call is not None, "a launch, copy or bounds stands outside a call")
                    assert call is not None
                    self.leaf(step, call)

    def grid(self, step: ProgramCall | Launch) -> None:
        for formula in (*step.grid, *step.lanes):
            self.formula(formula, "a launch")

    def call(self, step: ProgramCall) -> None:
        self.must(step.program < len(self.programs), f"there is no program {step.program}")
        program = self.programs[step.program]
        name = program.metadata.name or f"program {step.program}"
        self.must(min(step.block) >= 1 and prod(step.block) <= 1024, f"a block of {step.block} has not 1 to 1024 lanes")
        self.must(step.shared <= 1 << 24, f"{step.shared} bytes of shared memory: at most 2**24 are allowed")
        self.grid(step)
        self.must(len(step.args) == len(program.params), f"{name} takes {len(program.params)} arguments")
        for param, arg in zip(program.params, step.args, strict=True):
            where = f"the argument {param.name} of {name}"
            if param.kind == "scalar":
                assert param.ty is not None
                self.must(arg.kind != "cell", f"{where} is read from memory: only launches can")
                self.scalar(arg, param.ty, where)
                continue
            self.must(arg.kind == "buffer", f"{where} is a {param.kind}, not a number")
            self.buffer(arg.value, _writes(param), where)
            kind = self.kinds.setdefault(arg.value, param.kind)
            self.must(kind == param.kind, f"{arg.value} is passed as a buffer and as a pool")

    def scalar(self, arg: Argument, ty: Type, where: str) -> None:
        match arg.kind:
            case "bits":
                self.must(0 <= arg.value < 1 << ty.bits, f"{where} has not {ty.bits} bits")
            case "port":
                port = self.scalars.get(arg.value)
                self.must(port is not None and port.ty is ty, f"{where} is {ty}, and {arg.value} is no scalar of that")
            case "formula":
                self.must(ty.is_integer, f"{where} is {ty}: a formula gives an integer")
                self.formula(arg.value, where)
            case "value":
                held = self.values.get(arg.value)
                fits = held is ty or (held == PRED and ty is Type.U32)
                self.must(fits, f"{where} is {ty}, and {arg.value} is no value of that")
            case "cell":
                self.must(arg.value in self.temporaries, f"{where} is read from {arg.value}, which is no temporary")
            case _:
                self.must(False, f"{where} is a number, not a buffer")

    def buffer(self, name: str, written: bool, where: str) -> None:
        self.must(name in self.buffers and name != CLASS_MEMORY, f"{where}: there is no buffer {name!r}")
        self.must(not (written and name in self.fixed), f"{where} is written, and {name} is read only")

    def let(self, step: Let) -> None:
        where = f"the value {step.value}"
        primitive = PRIMITIVES.get(step.op)
        if primitive is None:
            raise ArtifactError(f"the plan is wrong: {where} is of no operation, {step.op}")
        self.must(primitive.fits(step.ty, step.of), f"{where}: {step.op} is not there for {step.of} and {step.ty}")
        types = primitive.operands(step.ty, step.of)
        self.must(len(types) == len(step.args), f"{where}: {step.op} takes {len(types)} operands")
        for arg, ty in zip(step.args, types, strict=True):
            self.value(arg, ty, where)

    def value(self, arg: Argument, ty: Type | str, where: str) -> None:
        """An operand, which may be a predicate."""
        self.must(arg.kind != "cell", f"{where} is computed from memory: read it before")
        if isinstance(ty, Type):
            self.scalar(arg, ty, where)
        elif arg.kind == "bits":
            self.must(arg.value in (0, 1), f"{where} is computed from a predicate of more than a bit")
        else:
            self.must(arg.kind == "value" and self.values.get(arg.value) == PRED, f"{where} needs a predicate")

    def leaf(self, step: Launch | Copy | BoundsCheck, call: ProgramCall) -> None:
        length = len(self.programs[call.program])
        match step:
            case Copy():
                if step.source != CLASS_MEMORY:
                    self.buffer(step.source, False, "a copy")
                self.buffer(step.target, True, "a copy")
                self.must(step.source != step.target, f"{step.source} is copied onto itself")
            case BoundsCheck():
                for formula in (step.need, step.offset, step.size):
                    self.formula(formula, "the check of bounds")
                self.must(step.instruction < length, f"there is no instruction {step.instruction}")
            case Launch():
                self.launch(step, call)
                self.must(step.origin <= length, f"there is no instruction {step.origin - 1}")

    def launch(self, step: Launch, call: ProgramCall) -> None:
        self.must(step.kernel < len(self.kernels), f"there is no kernel {step.kernel}")
        kernel = self.kernels[step.kernel]
        self.grid(step)
        whole = kernel.program is None or (kernel.program == call.program and kernel.block == call.block)
        self.must(
            whole and (kernel.program is None) == (step.origin > 0), f"the kernel {kernel.name} is of another program"
        )
        self.must(len(step.scalars) == len(kernel.scalars), f"{kernel.name} takes {len(kernel.scalars)} scalars")
        for (name, ty), arg in zip(kernel.scalars, step.scalars, strict=True):
            self.scalar(arg, ty, f"the scalar {name} of {kernel.name}")
        self.must(len(step.memories) == len(kernel.memories), f"{kernel.name} takes {len(kernel.memories)} memories")
        for memory, buffer in zip(kernel.memories, step.memories, strict=True):
            where = f"the memory {memory.base} of {kernel.name}"
            if isinstance(memory.base, str) and buffer != CLASS_MEMORY:
                self.buffer(buffer, memory.written, where)
            else:
                # A collective may work on a class; the kernel sees an ordinary memory.
                self.must(buffer == CLASS_MEMORY, f"{where} is the class memory, not {buffer}")
        variants = kernel.wgsl if isinstance(kernel.wgsl, tuple) else ()
        least = 1 if variants else 0
        self.must(least <= step.variant <= len(variants), f"{kernel.name} has no variant {step.variant}")
        if variants:
            groups = [
                {step.memories[number] for number in binding.memories}
                for binding in variants[step.variant - 1].bindings
            ]
            apart = sum(map(len, groups)) == len(groups) == len(set().union(*groups))
            self.must(apart, f"a launch of {kernel.name} binds a buffer twice, or two as one")


def _writes(param: Param) -> bool:
    return param.access is None or param.access.writes
