"""Plans: ports, temporaries, constants and steps of a run (docs/artifact.md says what each means).

A Plan is data. Here it is checked; `walk.py` runs its steps, `lowering.py` adds the code of its calls, `artifact.py`
writes and reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

from ..errors import ArtifactError, LaunchError
from ..isa.operands import Access
from ..isa.ops import PRED, PRIMITIVES
from ..isa.program import Param, Program
from ..isa.types import Type
from .formula import NAME, OPERATORS, Formula

__all__ = [
    "ARGUMENT_KINDS", "CLASS_MEMORY", "MAX_NESTED", "MAX_STEPS_RUN", "MEMORY_KINDS", "TARGETS", "Argument", "Binding",
    "Bounds", "Branch", "Call", "Copy", "Kernel", "Launch", "Let", "Loop", "Memory", "Nest", "Plan", "Port", "Read",
    "Repeat", "Step", "Target", "Temporary", "Triple", "WasmCode", "WgslCode", "When", "bind_ports", "bodies",
    "calls_of", "outside_code", "size_of", "variables_of", "with_bodies",
]  # fmt: skip

CLASS_MEMORY = "class memory"  # as a buffer of a launch; no name, so nothing else is called so
MAX_STEPS_RUN = 1 << 20
MAX_SCRATCH = 400_000_000  # bytes for a block
MAX_NAMES, MAX_STEPS, MAX_NESTED, MAX_RANK, MAX_BYTES = 4096, 65_536, 64, 8, 1 << 48
MAX_CONDITIONS = 64
# Of conditions: blocks and lanes along each axis, steps that a lane may take, rounds for which it has time.
LAUNCH_VARIABLES = ("x", "y", "z", "lx", "ly", "lz", "steps", "rounds")
ARGUMENT_KINDS = ("bits", "port", "formula", "cell", "buffer", "long", "value")  # in the order of the binary form

Triple = tuple[Formula, Formula, Formula]


@dataclass(frozen=True)
class Port:
    """An argument of a run: a scalar (no access, no shape) or an array."""

    name: str
    ty: Type
    access: Access | None = None
    shape: tuple[Formula, ...] = ()

    def __str__(self) -> str:
        if self.access is None:
            return f"{self.name}: {self.ty}"
        return f"{self.name}: {self.ty}[{', '.join(map(str, self.shape))}] {self.access.value}"


class Temporary(NamedTuple):
    """Zeroed memory of a run: its size in bytes."""

    name: str
    size: Formula


class Argument(NamedTuple):
    """What a parameter is given, by kind: `bits` (an int), `port` (a scalar's name), `formula`, `value` (the name of
    one), `cell` or `buffer` (a buffer's name; the value is the first bytes of a cell, 8 or those of a wide integer)."""

    kind: str
    value: Any


@dataclass(frozen=True)
class Repeat:
    """Runs the body `count` times; `variable` counts from 0."""

    count: Formula
    variable: str
    body: tuple[Step, ...]


class Call(NamedTuple):
    """A launch of a whole program, with an argument for each of its parameters; `code` is the same as kernels."""

    program: int
    block: tuple[int, int, int]
    shared: int
    grid: Triple
    lanes: Triple
    args: tuple[Argument, ...]
    code: tuple[Step, ...] = ()


class Launch(NamedTuple):
    """A launch of a kernel. `variant` of its WGSL counts from 1 (0: none); `origin` is 1 + the collective's index."""

    kernel: int
    variant: int
    origin: int
    grid: Triple
    lanes: Triple
    scalars: tuple[Argument, ...]
    memories: tuple[str, ...]


class Copy(NamedTuple):
    """Copies a buffer into another one of the same size."""

    target: str
    source: str


class Bounds(NamedTuple):
    """A fault of the instruction if `need` bytes of the type, at `offset`, do not lie in `size` bytes of `memory`."""

    need: Formula
    offset: Formula
    size: Formula
    ty: Type
    instruction: int
    memory: str


class Target(NamedTuple):
    """Steps of a call's code that only runners of one kind of kernels run; `name` is one of TARGETS."""

    name: str
    body: tuple[Step, ...]


class Let(NamedTuple):
    """Computes a value: the primitive `op` of the ops namespace (isa/ops.py) on the bits of `args`.

    `ty` is its type, or "pred"; `of` is the type of the operands where it is another one, as of comparisons.
    """

    value: str
    ty: Type | str
    op: str
    of: Type | str
    args: tuple[Argument, ...]


class Read(NamedTuple):
    """Waits for what ran before, and takes a value from the bytes of a buffer at `offset`."""

    value: str
    ty: Type
    buffer: str
    offset: Formula


class When(NamedTuple):
    """Runs the one or the other body, by a value that is a predicate."""

    condition: str
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()


class Nest(NamedTuple):
    """Runs the body; a `Branch` to it goes on behind it."""

    body: tuple[Step, ...]


class Loop(NamedTuple):
    """Runs the body once; a `Branch` to it runs it again from the start."""

    body: tuple[Step, ...]


class Branch(NamedTuple):
    """Goes to the nest or loop that stands around it, 0 being the innermost."""

    levels: int


Step = Repeat | Call | Launch | Copy | Bounds | Target | Let | Read | When | Nest | Loop | Branch
TARGETS = ("wasm", "webgpu")  # in the order of the binary form
MEMORY_KINDS = ("buffer", "pool", "class", "phi")  # in the order of the binary form


class Memory(NamedTuple):
    """A memory of a kernel. `base` is the name of the parameter that is a buffer or a pool, the number of the class, or
    None for the whole class memory (phi)."""

    kind: str
    base: str | int | None
    written: bool


class WasmCode(NamedTuple):
    """A module, bytes of spill memory a lane, and the places of scalars and memories in the argument block."""

    module: int
    spill: int
    scalars: tuple[int, ...]
    memories: tuple[int, ...]


class Binding(NamedTuple):
    """A storage binding, and the memories that share it."""

    writable: bool
    memories: tuple[int, ...]


def variables_of(scalars: int, memories: int) -> tuple[str, ...]:
    """What conditions of a kernel with so many scalars and memories may use, in the order of the binary form.

    `s0`, `s1`, ... are the scalars, `m0`, ... the bytes of the memories.
    """
    return (*(f"s{k}" for k in range(scalars)), *(f"m{k}" for k in range(memories)), *LAUNCH_VARIABLES)


class WgslCode(NamedTuple):
    """A shader, the size of its argument buffer, the places of scalars in it, and its bindings from 2 on.

    If `scratch` is not 0, one more binding follows: of so many bytes for each block that runs at the time.

    `fast` is a shader without the checks that find nothing in launches where no one of `conditions` is negative
    (`variables_of` has their variables); its bindings and arguments are the same.
    """

    shader: int
    size: int
    scalars: tuple[int, ...]
    bindings: tuple[Binding, ...]
    scratch: int = 0
    fast: int | None = None
    conditions: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class Kernel:
    """Code of lanes for blocks of one shape. `program` is None in a part of a collective; `wasm` and `wgsl` are the
    reason where there is no code."""

    name: str
    program: int | None
    block: tuple[int, int, int]
    shared: int
    scalars: tuple[tuple[str, Type], ...]
    memories: tuple[Memory, ...]
    parallel: bool
    wasm: WasmCode | str
    wgsl: tuple[WgslCode, ...] | str

    def validate(self, programs: int, modules: int, shaders: int) -> None:
        """Raises ArtifactError if it names something of an artifact with as many parts that is not there."""

        def must(holds: bool, what: str) -> None:
            if not holds:
                raise ArtifactError(f"the kernel {self.name} is wrong: {what}")

        def order(numbers: Sequence[int], of: Sequence[object]) -> None:
            fits = len(set(numbers)) == len(numbers) and all(number < len(of) for number in numbers)
            must(fits, "its code names a scalar or a memory that is not there")

        must(self.program is None or self.program < programs, "it has no program")
        must(min(self.block) >= 1 and prod(self.block) <= 1024, f"a block of {self.block} has not 1 to 1024 lanes")
        must(self.shared <= 1 << 25, f"it has {self.shared} bytes of shared memory")
        must(all(not isinstance(m.base, int) or m.base < 96 for m in self.memories), "there are 96 classes")
        if isinstance(self.wasm, WasmCode):
            must(self.wasm.module < modules, "it has no module")
            must(self.wasm.spill <= 1 << 20, f"it needs {self.wasm.spill} bytes a lane")
            order(self.wasm.scalars, self.scalars)
            order(self.wasm.memories, self.memories)
        for variant in self.wgsl if isinstance(self.wgsl, tuple) else ():
            must(variant.shader < shaders, "it has no shader")
            order(variant.scalars, self.scalars)
            bound = [number for binding in variant.bindings for number in binding.memories]
            order(bound, self.memories)
            must(all(binding.memories for binding in variant.bindings), "it has a binding of nothing")
            fits = variant.scratch % 4 == 0 and variant.scratch <= MAX_SCRATCH
            must(fits, f"a block needs {variant.scratch} bytes of scratch memory")
            least = 4 * (16 + len(bound)) + sum(self.scalars[number][1].argument_bytes for number in variant.scalars)
            fits = variant.size % 16 == 0 and least <= variant.size <= 1 << 16
            must(fits, f"it has an argument buffer of {variant.size} bytes")
            must(variant.fast is None or variant.fast < shaders, "it has no shader")
            must(len(variant.conditions) <= MAX_CONDITIONS, f"it has more than {MAX_CONDITIONS} conditions")


@dataclass(frozen=True)
class Plan:
    """What a run takes and does. `constants` are (name, number of the blob)."""

    ports: tuple[Port, ...] = ()
    temporaries: tuple[Temporary, ...] = ()
    constants: tuple[tuple[str, int], ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def scalars(self) -> dict[str, Port]:
        return {port.name: port for port in self.ports if port.access is None}

    @property
    def arrays(self) -> dict[str, Port]:
        return {port.name: port for port in self.ports if port.access is not None}

    @property
    def buffers(self) -> list[str]:
        """The names of buffers, in the order of their numbers."""
        return [*self.arrays, *(t.name for t in self.temporaries), *(name for name, _ in self.constants), CLASS_MEMORY]

    @property
    def dimensions(self) -> list[str]:
        """Variables that the shapes of arrays give a value."""
        scalars = self.scalars
        found = (formula.variable for port in self.arrays.values() for formula in port.shape)
        return [name for name in dict.fromkeys(found) if name is not None and name not in scalars]

    @property
    def named(self) -> set[str]:
        """The buffers that a device needs which runs programs: all but those that only code of calls names."""
        found: set[str] = set()
        for step in outside_code(self.steps):
            if isinstance(step, Call):
                found |= {arg.value for arg in step.args if arg.kind == "buffer"}
            elif isinstance(step, Read):
                found.add(step.buffer)
        return found

    def pools(self, programs: Sequence[Program]) -> set[str]:
        """The buffers that are given for parameters that are pools."""
        return {
            arg.value
            for step in calls_of(self.steps)
            for param, arg in zip(programs[step.program].params, step.args, strict=True)
            if param.kind == "pool"
        }

    def validate(self, programs: Sequence[Program], kernels: Sequence[Kernel] = (), blobs: int = 0) -> None:
        """Raises ArtifactError."""
        _Validator(self, programs, kernels, blobs).run()


class _Validator:
    def __init__(self, plan: Plan, programs: Sequence[Program], kernels: Sequence[Kernel], blobs: int) -> None:
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

    def body(self, steps: tuple[Step, ...], depth: int, call: Call | None) -> None:
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
                    self.must(call is not None, "a target stands outside a call")
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
                case Call():
                    self.must(call is None, "a call stands in a call")
                    self.call(step)
                    around, self.nests = self.nests, 0
                    self.body(step.code, depth + 1, step)
                    self.nests = around
                case _:
                    self.must(call is not None, "a launch, copy or bounds stands outside a call")
                    assert call is not None
                    self.leaf(step, call)

    def grid(self, step: Call | Launch) -> None:
        for formula in (*step.grid, *step.lanes):
            self.formula(formula, "a launch")

    def call(self, step: Call) -> None:
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

    def leaf(self, step: Launch | Copy | Bounds, call: Call) -> None:
        length = len(self.programs[call.program])
        match step:
            case Copy():
                if step.source != CLASS_MEMORY:
                    self.buffer(step.source, False, "a copy")
                self.buffer(step.target, True, "a copy")
                self.must(step.source != step.target, f"{step.source} is copied onto itself")
            case Bounds():
                for formula in (step.need, step.offset, step.size):
                    self.formula(formula, "the check of bounds")
                self.must(step.instruction < length, f"there is no instruction {step.instruction}")
            case Launch():
                self.launch(step, call)
                self.must(step.origin <= length, f"there is no instruction {step.origin - 1}")

    def launch(self, step: Launch, call: Call) -> None:
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


def bodies(step: Step) -> tuple[tuple[Step, ...], ...]:
    """The steps in a step."""
    match step:
        case Repeat() | Target() | Nest() | Loop():
            return (step.body,)
        case Call():
            return (step.code,)
        case When():
            return step.then, step.otherwise
    return ()


def with_bodies(step: Step, found: tuple[tuple[Step, ...], ...]) -> Step:
    """A step with other steps in it, as `bodies` gives them."""
    match step:
        case Repeat():
            return replace(step, body=found[0])
        case Target() | Nest() | Loop():
            return step._replace(body=found[0])
        case Call():
            return step._replace(code=found[0])
        case When():
            return When(step.condition, *found)
    return step


def outside_code(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps of a plan, and those in them, but for the code of calls."""
    for step in steps:
        yield step
        for body in () if isinstance(step, Call) else bodies(step):
            yield from outside_code(body)


def calls_of(steps: Sequence[Step]) -> Iterator[Call]:
    """The calls among steps, in order."""
    return (step for step in outside_code(steps) if isinstance(step, Call))


# Running


def bind_ports(
    plan: Plan, scalars: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]
) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """The values of the variables, and the shape of every array.

    `scalars` has the numbers of integer scalars, `shapes` those of the arrays that are given. Raises LaunchError.
    """
    values = dict(scalars)
    arrays = plan.arrays
    for name, port in arrays.items():
        shape = shapes.get(name)
        if shape is None:
            continue
        if len(shape) != len(port.shape):
            raise LaunchError(f"{port} has {len(port.shape)} dimensions: {len(shape)} are given, {tuple(shape)}")
        for formula, length in zip(port.shape, shape, strict=True):
            if formula.variable is not None:
                values.setdefault(formula.variable, length)
    found = {}
    for name, port in arrays.items():
        wanted = tuple(formula.evaluate(values) for formula in port.shape)
        shape = shapes.get(name, wanted)
        if tuple(shape) != wanted or min(wanted, default=0) < 0:
            raise LaunchError(f"{port} has the shape {wanted} here, not {tuple(shape)}")
        if prod(wanted) * port.ty.size_bytes >= MAX_BYTES:
            raise LaunchError(f"{port} has the shape {wanted} here, which is too large")
        found[name] = wanted
    return values, found


def size_of(temporary: Temporary, values: Mapping[str, int]) -> int:
    """Bytes of a temporary. Raises LaunchError."""
    size = temporary.size.evaluate(values)
    if not 0 <= size < MAX_BYTES:
        raise LaunchError(f"the temporary {temporary.name} has {size} bytes ({temporary.size})")
    return size
