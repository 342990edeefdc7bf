"""Plans: ports, temporaries, constants and steps of a run (docs/artifact.md says what each means).

A Plan is data. Here it is checked and walked; `compiled.py` runs it on a device, `lowering.py` adds the code of its
calls, `artifact.py` writes and reads it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

from ..errors import ArtifactError, ExecutionError, FaultKind, LaunchError
from ..isa.operands import Access
from ..isa.program import Param, Program
from ..isa.types import Type
from .formula import NAME, OPERATORS, Formula

__all__ = [
    "ARGUMENT_KINDS", "CLASS_MEMORY", "MAX_NESTED", "MAX_STEPS_RUN", "MEMORY_KINDS", "TARGETS", "Argument", "Binding",
    "Bounds", "Budget", "Call", "Copy", "Kernel", "Launch", "Memory", "Plan", "Port", "Repeat", "Step", "Target",
    "Temporary", "Triple", "WasmCode", "WgslCode", "bind_ports", "leaves", "size_of", "variables_of", "walk",
]  # fmt: skip

CLASS_MEMORY = "class memory"  # as a buffer of a launch; no name, so nothing else is called so
MAX_STEPS_RUN = 1 << 20
MAX_SCRATCH = 400_000_000  # bytes for a block
MAX_NAMES, MAX_STEPS, MAX_NESTED, MAX_RANK, MAX_BYTES = 4096, 65_536, 16, 8, 1 << 48
MAX_CONDITIONS = 64
# Of conditions: blocks and lanes along each axis, steps that a lane may take, rounds for which it has time.
LAUNCH_VARIABLES = ("x", "y", "z", "lx", "ly", "lz", "steps", "rounds")
ARGUMENT_KINDS = ("bits", "port", "formula", "cell", "buffer")  # in the order of the binary form

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
    """What a parameter is given, by kind: `bits` (an int), `port` (a scalar's name), `formula`, `cell` or `buffer` (a
    buffer's name; the value is the first bytes of a cell, 8 or those of a wide integer)."""

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


Step = Repeat | Call | Launch | Copy | Bounds | Target
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

    def pools(self, programs: Sequence[Program]) -> set[str]:
        """The buffers that are given for parameters that are pools."""
        return {
            arg.value
            for step in leaves(self.steps)
            if isinstance(step, Call)
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
        self.fixed = {name for name, _ in plan.constants}
        self.fixed |= {port.name for port in plan.arrays.values() if port.access is Access.READ}
        self.temporaries = {temporary.name for temporary in plan.temporaries}
        self.known = set(self.variables)
        self.fine: set[int] = set()  # ids of formulas that need no variable of a repeat
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
        if self.variables.issuperset(formula.names):
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
        self.body(plan.steps, 0, None)

    def body(self, steps: tuple[Step, ...], depth: int, call: Call | None) -> None:
        self.must(depth <= MAX_NESTED, f"steps are nested more than {MAX_NESTED} deep")
        self.steps += len(steps)
        self.must(self.steps <= MAX_STEPS, f"it has more than {MAX_STEPS} steps")
        for step in steps:
            match step:
                case Repeat():
                    self.formula(step.count, "the count of a repeat")
                    name = step.variable
                    taken = name in self.known or name in self.scalars or name in OPERATORS
                    self.must(not taken and NAME.fullmatch(name) is not None, f"{name!r} cannot count a repeat")
                    self.known.add(name)
                    self.body(step.body, depth + 1, call)
                    self.known.discard(name)
                case Target():
                    self.must(call is not None, "a target stands outside a call")
                    self.body(step.body, depth + 1, call)
                case Call():
                    self.must(call is None, "a call stands in a call")
                    self.call(step)
                    self.body(step.code, depth + 1, step)
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
            case "cell":
                self.must(arg.value in self.temporaries, f"{where} is read from {arg.value}, which is no temporary")
            case _:
                self.must(False, f"{where} is a number, not a buffer")

    def buffer(self, name: str, written: bool, where: str) -> None:
        self.must(name in self.buffers and name != CLASS_MEMORY, f"{where}: there is no buffer {name!r}")
        self.must(not (written and name in self.fixed), f"{where} is written, and {name} is read only")

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


# Running


def leaves(steps: Sequence[Step]) -> Iterator[Step]:
    """Every step that is no repeat; calls are leaves."""
    for step in steps:
        if isinstance(step, Repeat):
            yield from leaves(step.body)
        else:
            yield step


class Budget:
    """What a run of a plan may do beside its launches: so many steps, and for so long between two launches of lanes."""

    def __init__(self, seconds: float | None = None) -> None:
        self.left, self.seconds = MAX_STEPS_RUN, seconds
        self.launched()

    def launched(self) -> None:
        """Lanes have run, for which there is a limit of its own."""
        self.since = time.monotonic()

    def take(self) -> None:
        """A step, or a round of a repeat. Raises ExecutionError: StepLimit."""
        self.left -= 1
        if self.left < 0:
            raise ExecutionError(
                FaultKind.STEP_LIMIT, None, f"a plan runs at most {MAX_STEPS_RUN} steps: split the work, or repeat less"
            )
        if self.seconds is not None and self.left % 64 == 0 and time.monotonic() - self.since > self.seconds:
            what = f"the steps of the plan launched nothing for {self.seconds} seconds: repeat less"
            raise ExecutionError(FaultKind.STEP_LIMIT, None, what)


def walk(
    steps: Sequence[Step], values: Mapping[str, int], budget: Budget | None = None
) -> Iterator[tuple[Step, Mapping[str, int]]]:
    """The steps in the order in which they run, without repeats, each with the values of the variables.

    Raises ExecutionError: StepLimit, and LaunchError.
    """
    budget = budget or Budget()
    for step in steps:
        budget.take()
        if not isinstance(step, Repeat):
            yield step, values
            continue
        for round_ in range(step.count.evaluate(values)):
            budget.take()
            yield from walk(step.body, {**values, step.variable: round_}, budget)


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
