"""Plans: ports, temporaries, constants and steps of a run (docs/artifact.md says what each means).

A Plan is data. `validate.py` checks it, `walk.py` runs its steps, `lowering.py` adds the code of its calls,
`writer.py` and `reader.py` have the bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

from ..errors import ArtifactError, LaunchError, misfit
from ..forks import lock
from ..isa.operands import Access
from ..isa.program import Program
from ..isa.types import Type
from .formula import Formula

__all__ = [
    "ARGUMENT_KINDS",
    "CLASS_MEMORY",
    "MAX_NESTED",
    "MAX_STEPS_RUN",
    "MEMORY_KINDS",
    "TARGETS",
    "Argument",
    "Binding",
    "BoundsCheck",
    "Branch",
    "Copy",
    "FastCode",
    "KernelCode",
    "KernelMemory",
    "Later",
    "Launch",
    "Let",
    "Loop",
    "Nest",
    "Plan",
    "Port",
    "ProgramCall",
    "Read",
    "Repeat",
    "Step",
    "Target",
    "Temporary",
    "Triple",
    "WasmCode",
    "WgslCode",
    "When",
    "bind_ports",
    "bodies",
    "calls_of",
    "every",
    "outside_code",
    "size_of",
    "variables_of",
    "with_bodies",
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


class ProgramCall(NamedTuple):
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


class BoundsCheck(NamedTuple):
    """A fault of the instruction if `need` bytes of the type, at `offset`, do not lie in `size` bytes of `memory`."""

    need: Formula
    offset: Formula
    size: Formula
    ty: Type
    instruction: int
    memory: str


class Target(NamedTuple):
    """Steps that only runners of one kind of kernels run; `name` is one of TARGETS."""

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


@dataclass(eq=False)
class Later:
    """Steps made when they first run, on devices that compile kernels themselves; no plan and no file has any."""

    make: Callable[[], tuple[Step, ...]]
    steps: tuple[Step, ...] | None = None

    def made(self) -> tuple[Step, ...]:
        with _LATER:
            if self.steps is None:
                self.steps = self.make()
            return self.steps


_LATER = lock()
Step = Repeat | ProgramCall | Launch | Copy | BoundsCheck | Target | Let | Read | When | Nest | Loop | Branch | Later
TARGETS = ("wasm", "webgpu")  # in the order of the binary form
MEMORY_KINDS = ("buffer", "pool", "class", "phi")  # in the order of the binary form


class KernelMemory(NamedTuple):
    """A memory of a kernel. `base` is the name of the parameter that is a buffer or a pool, the number of the class, or
    None for the whole class memory (phi)."""

    kind: str
    base: str | int | None
    written: bool


class WasmCode(NamedTuple):
    """A module, bytes of spill memory a lane, and the places of scalars and memories in the argument block. `relaxed`
    is the module instead of it where an engine has relaxed SIMD, if there is one."""

    module: int
    spill: int
    scalars: tuple[int, ...]
    memories: tuple[int, ...]
    relaxed: int | None = None


class Binding(NamedTuple):
    """A storage binding, and the memories that share it."""

    writable: bool
    memories: tuple[int, ...]


def variables_of(scalars: int, memories: int) -> tuple[str, ...]:
    """What conditions of a kernel with so many scalars and memories may use, in the order of the binary form.

    `s0`, `s1`, ... are the scalars, `m0`, ... the bytes of the memories.
    """
    return (*(f"s{k}" for k in range(scalars)), *(f"m{k}" for k in range(memories)), *LAUNCH_VARIABLES)


class FastCode(NamedTuple):
    """A shader without the checks that find nothing in launches where no one of `conditions` is negative
    (`variables_of` has their variables). A workgroup does so many `blocks`; `counts`: whether its lanes do."""

    shader: int
    blocks: int
    conditions: tuple[Formula, ...]
    counts: bool = True


class WgslCode(NamedTuple):
    """A shader, the size of its argument buffer, the places of scalars in it, and its bindings from 2 on.

    If `scratch` is not 0, one more binding follows: of so many bytes for each block that runs at the time.

    The first of `fast` whose conditions hold runs in its place; bindings and arguments are the same. `counts`: whether
    lanes count rounds, so that nobody knows how long they take.
    """

    shader: int
    size: int
    scalars: tuple[int, ...]
    bindings: tuple[Binding, ...]
    scratch: int = 0
    fast: tuple[FastCode, ...] = ()
    counts: bool = True


@dataclass(frozen=True)
class KernelCode:
    """Code of lanes for blocks of one shape. `program` is None in a part of a collective; `wasm` and `wgsl` are the
    reason where there is no code."""

    name: str
    program: int | None
    block: tuple[int, int, int]
    shared: int
    scalars: tuple[tuple[str, Type], ...]
    memories: tuple[KernelMemory, ...]
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
            must(max(self.wasm.module, self.wasm.relaxed or 0) < modules, "it has no module")
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
            for fast in variant.fast:
                must(fast.shader < shaders, "it has no shader")
                must(1 <= fast.blocks <= 1 << 16, f"a workgroup does {fast.blocks} blocks")
                must(len(fast.conditions) <= MAX_CONDITIONS, f"it has more than {MAX_CONDITIONS} conditions")


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
            if isinstance(step, ProgramCall):
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


def bodies(step: Step) -> tuple[tuple[Step, ...], ...]:
    """The steps in a step."""
    match step:
        case Repeat() | Target() | Nest() | Loop():
            return (step.body,)
        case ProgramCall():
            return (step.code,)
        case When():
            return step.then, step.otherwise
    return ()


def every(steps: Iterable[Step]) -> Iterator[Step]:
    """All steps, in their order, each before those in it."""
    for step in steps:
        yield step
        for body in bodies(step):
            yield from every(body)


def with_bodies(step: Step, found: tuple[tuple[Step, ...], ...]) -> Step:
    """A step with other steps in it, as `bodies` gives them."""
    match step:
        case Repeat():
            return replace(step, body=found[0])
        case Target() | Nest() | Loop():
            return step._replace(body=found[0])
        case ProgramCall():
            return step._replace(code=found[0])
        case When():
            return When(step.condition, *found)
    return step


def outside_code(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps of a plan, and those in them, but for the code of calls."""
    for step in steps:
        yield step
        for body in () if isinstance(step, ProgramCall) else bodies(step):
            yield from outside_code(body)


def calls_of(steps: Sequence[Step]) -> Iterator[ProgramCall]:
    """The calls among steps, in order."""
    return (step for step in outside_code(steps) if isinstance(step, ProgramCall))


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
            raise LaunchError(misfit(name, None, len(shape), port.ty, len(port.shape)))
        for formula, length in zip(port.shape, shape, strict=True):
            if formula.variable is not None:
                values.setdefault(formula.variable, length)
    found = {}
    for name, port in arrays.items():
        wanted = tuple(formula.evaluate(values) for formula in port.shape)
        shape = shapes.get(name, wanted)
        if tuple(shape) != wanted or min(wanted, default=0) < 0:
            raise LaunchError(f"{name} has the shape {tuple(shape)}; {wanted} is expected, as {port}")
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
