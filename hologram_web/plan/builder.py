"""PlanBuilder: launches of programs over named buffers become a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..errors import IsaError, LaunchError, outermost
from ..isa.arguments import scalar_bits
from ..isa.atlas import RESONANCE
from ..isa.elements import Element, ElementType, axes_of, stored_as
from ..isa.launch import LaunchConfig
from ..isa.lift import RESONANCE_BYTES, Hidden, lift
from ..isa.operands import Access, BufferHandle, PoolHandle
from ..isa.ops import PRED
from ..isa.program import LOG, Param, Program
from ..isa.types import Type
from ..isa.verify import Analysis, analysis_of
from .formula import Formula, FormulaLike
from .plan import (
    TARGETS,
    Argument,
    Branch,
    Let,
    Loop,
    Nest,
    Plan,
    Port,
    ProgramCall,
    Read,
    Repeat,
    Step,
    Target,
    Temporary,
    Triple,
    When,
)

if TYPE_CHECKING:
    from .artifact import Blob

__all__ = ["PlanBuilder"]

_BLOCKS = {1: (256, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}
_ONE = Formula((1,))


@dataclass
class _Use:
    """How launches use a buffer that was not declared: it becomes a port."""

    ty: Type
    first_reads: bool
    written: bool

    @property
    def access(self) -> Access:
        if not self.written:
            return Access.READ
        return Access.READ_WRITE if self.first_reads else Access.WRITE


class PlanBuilder:
    """Collects launches, and what they work on, for a plan.

    A name that a launch uses and that is neither a temporary nor a constant is a port: its type is the parameter's, and
    it is written only if the first launch that uses it only writes it. Ports come in the order of their first use,
    unless `array` and `scalar` declared them before. The lengths that a Python kernel wants to know are those of the
    buffers it is given. Raises LaunchError.
    """

    def __init__(
        self,
        name: str = "",
        *,
        shapes: Mapping[str, Sequence[FormulaLike]] | None = None,
        targets: Sequence[str] = TARGETS,
        math: str = "exact",
        here: str = "",
    ) -> None:
        """`shapes` has the dimensions of ports: names, formulas, numbers. By default an array x is x[x.len], or, where
        a Python kernel takes it with two axes, x[x.len0, x.len1]. `targets` are those that will run it, and
        `math` how they will compute floats; `here` is what alone will: `DeviceTraits`."""
        self.name, self.targets, self.math, self.here = name, targets, math, here
        self.programs: list[Program] = []
        self.analyses: list[Analysis] = []  # of the programs
        self.blobs: dict[bytes, Blob] = {}
        self._shapes = {name: tuple(map(Formula.of, shape)) for name, shape in (shapes or {}).items()}
        self._uses: dict[str, _Use | Type] = {}  # ports: arrays, scalars
        self._declared: dict[str, Access | None] = {}
        self.elements: dict[str, Element] = {}  # of ports, that are no numbers
        self.defaults: dict[str, int | float] = {}  # of ports, that launches agree on
        self.whys: dict[ProgramCall, str] = {}  # what is to be said of launches
        self.prints: list[tuple[str, Any]] = []  # the logs of launches, and what their prints show
        self._temporaries: dict[str, Formula] = {}
        self._widths: dict[str, int] = {}  # bytes of an element, where that is known
        self._constants: dict[str, int] = {}
        self._steps: list[list[Step]] = [[]]
        self._counters = 0

    @outermost
    def array(self, name: str, ty: ElementType, shape: Sequence[FormulaLike], access: Access | None = None) -> str:
        """Declares a port that is an array; without `access` it follows from the launches."""
        self._new(name)
        self._uses[name] = _Use(stored_as(ty), False, False)
        if isinstance(ty, Element):
            self.elements[name] = ty
        self._declared[name] = access
        self._shapes[name] = tuple(map(Formula.of, shape))
        return name

    @outermost
    def scalar(self, name: str, ty: Type) -> str:
        """Declares a port that is a scalar."""
        self._new(name)
        self._uses[name] = ty
        return name

    @outermost
    def temporary(self, name: str, shape: FormulaLike | Sequence[FormulaLike], ty: ElementType = Type.U8) -> str:
        """Memory of the run, zeroed: its shape, or its length, and its type; by default bytes."""
        self._new(name)
        lengths = shape if isinstance(shape, (tuple, list)) else (shape,)
        self._shapes[name] = tuple(map(Formula.of, lengths))
        self._temporaries[name] = prod(self._shapes[name], start=Formula.of(ty.size_bytes))
        self._widths[name] = ty.size_bytes
        return name

    @outermost
    def constant(self, name: str, data: Any) -> str:
        """Memory with these bytes (any object with the buffer protocol); equal ones are kept once."""
        from .artifact import Blob

        self._new(name)
        view = memoryview(data)
        self._shapes[name], self._widths[name] = tuple(map(Formula.of, view.shape or ())), view.itemsize
        blob = Blob.of(view.tobytes())
        self.blobs.setdefault(blob.hash, blob)
        self._constants[name] = list(self.blobs).index(blob.hash)
        return name

    def declared_type(self, name: str) -> Type | None:
        """The type of the elements of an array that `array` declared; None of others."""
        use = self._uses.get(name)
        return use.ty if isinstance(use, _Use) and name in self._declared else None

    def _new(self, name: str) -> None:
        if name in self._uses or name in self._temporaries or name in self._constants:
            raise LaunchError(f"the plan has a port, temporary or constant {name!r} already")

    @contextmanager
    def repeat(self, count: FormulaLike) -> Iterator[Formula]:
        """Launches inside run `count` times; gives the number of the round as a formula, from 0."""
        variable = f"$k{self._counters}"
        self._counters += 1
        self._steps.append([])
        yield Formula((variable,))
        body = tuple(self._steps.pop())
        self._steps[-1].append(Repeat(Formula.of(count), variable, body))

    @contextmanager
    def only(self, target: str) -> Iterator[None]:
        """Launches inside run on one kind of devices, "wasm" or "webgpu"; the device cpu runs those for wasm."""
        self._steps.append([])
        yield
        body = tuple(self._steps.pop())
        self._steps[-1].append(Target(target, body))

    def unused(self, name: str) -> str:
        """A name that the plan has not yet."""
        taken = {*self._uses, *self._temporaries, *self._constants}
        return name if name not in taken else next(n for k in range(1 << 30) if (n := f"{name}{k}") not in taken)

    def read(self, buffer: str, ty: Type, index: FormulaLike = 0) -> Formula:
        """An integer that lies in a buffer when all before is done: for counts, grids and arguments of what follows."""
        return Formula((self._read(buffer, ty, index),))

    @contextmanager
    def while_(self, buffer: str, ty: Type, index: FormulaLike = 0) -> Iterator[None]:
        """Launches inside run again and again, as long as that integer of the buffer is not 0."""
        self._steps.append([])
        is_zero = self._is_zero(self._read(buffer, ty, index), ty)
        self._steps[-1].append(When(is_zero, (Branch(1),)))
        yield
        body = (*self._steps.pop(), Branch(0))
        self._steps[-1].append(Nest((Loop(body),)))

    def when(self, buffer: str, ty: Type, *bodies: Callable[[], Any]) -> None:
        """Launches that the first of two functions adds run if a buffer's first integer is not 0, else the second's."""
        name, found = self._read(buffer, ty, 0), []
        for body in bodies:
            self._steps.append([])
            body()
            found.append(tuple(self._steps.pop()))
        is_zero = self._is_zero(name, ty)
        self._steps[-1].append(When(is_zero, found[1], found[0]))

    def _is_zero(self, name: str, ty: Type) -> str:
        """A value that says whether another one is 0."""
        found = f"{name}.zero"
        self._steps[-1].append(Let(found, PRED, "eq", ty, (Argument("value", name), Argument("bits", 0))))
        return found

    def _read(self, buffer: str, ty: Type, index: FormulaLike) -> str:
        if not ty.is_integer or ty.is_wide:
            raise LaunchError(f"a plan counts by integers of at most 64 bits, not by {ty}")
        if (
            buffer not in self._temporaries
            and buffer not in self._constants
            and not isinstance(self._uses.get(buffer), _Use)
        ):
            raise LaunchError(f"the plan has no buffer {buffer!r} to read: declare it, or launch what writes it before")
        use = self._uses.get(buffer)
        if isinstance(use, _Use) and not use.written:
            use.first_reads = True
        name = f"$n{self._counters}"
        self._counters += 1
        self._steps[-1].append(Read(name, ty, buffer, Formula.of(index) * ty.size_bytes))
        return name

    @outermost
    def launch(
        self,
        kernel: Any,
        grid: Any = None,
        block: Any = None,
        args: Mapping[str, Any] | None = None,
        *,
        shared_memory: int = 0,
    ) -> None:
        """Adds a launch of a program, of a Python kernel, or of an object that has a program as `.program`.

        `grid` is the number of lanes asked for along x, y and z: a number, a formula, or up to three; or a
        LaunchConfig. By default a Python kernel has a lane for each element of the array that the lane's number
        indexes, a program one for each of the first array that is written. `args` gives for
        parameters the name of a buffer or a scalar, a formula or a number; others have their own name. A kernel's
        type variables become the types of ports that there are.
        """
        args = dict(args or {})
        if hasattr(kernel, "for_types"):  # with type variables
            kernel = kernel.for_types(self._types({name: args.get(name, name) for name in kernel.params}))
        if hasattr(kernel, "in_blocks"):
            shape: Any = grid.block if isinstance(grid, LaunchConfig) else block or _BLOCKS[1]  # 256 lanes, all three
            kernel = kernel.in_blocks(LaunchConfig(block=shape).block)
        if prints := getattr(kernel, "prints", ()):
            from ..isa.logs import LOG_WORDS

            args[LOG] = self.temporary(self.unused(LOG), LOG_WORDS, Type.U32)
            self.prints.append((args[LOG], prints))
        program, fixed = lift(program_of(kernel))
        if any(isinstance(value, (BufferHandle, PoolHandle)) for value in fixed.values()):
            raise LaunchError("the program names buffers by their handles, which a plan has not: give it parameters")
        analysis = _analysis(program)
        for name, hidden in list(fixed.items()):
            if isinstance(hidden, Hidden):
                fixed[name] = args.pop(str(name), None) or self._hidden(str(name), hidden)
        unknown = [name for name in args if program.param(name) is None]
        if unknown:
            raise LaunchError(f"there is no parameter {unknown[0]!r}: {', '.join(map(str, program.params)) or 'none'}")
        given: list[Argument] = []
        hidden, takes = (kernel.hidden, kernel.params) if hasattr(kernel, "hidden") else ({}, {})
        for param in program.params:
            if param.name in hidden and param.name not in args:
                array, axis = hidden[param.name]
                owner = next(other for other in program.params if other.name == array)
                value: Any = self._length(owner, args.get(array, array), axis, _element(takes, array))
            else:
                value = fixed[param.name] if param.name in fixed else args.get(param.name, param.name)
            if param.kind == "scalar":
                self._default(param, value, getattr(kernel, "defaults", {}).get(param.name))
                given.append(self._scalar(param, value))
            else:
                known = isinstance(value, str) and (value in self._uses or value in self._widths)
                given.append(self._buffer(param, value))
                element = _element(takes, param.name)
                if param.name in takes:
                    self._check_element(param, value, element, known)
                self._check_rank(param, value, getattr(takes.get(param.name), "ndim", None), element)
        if grid is None and hasattr(kernel, "indexed"):
            grid = self._inferred(kernel, program, given)
        blocks, lanes, size = self._grid(program, given, grid, block)
        if isinstance(grid, LaunchConfig):
            shared_memory = grid.shared_memory
        if program not in self.programs:
            self.programs.append(program)
            self.analyses.append(analysis)
        number = self.programs.index(program)
        self._steps[-1].append(ProgramCall(number, size, shared_memory, blocks, lanes, tuple(given)))

    def _types(self, args: Mapping[str, Any]) -> dict[str, Type]:
        """The types of those arguments that are ports already."""
        uses = {name: self._uses.get(value) for name, value in args.items() if isinstance(value, str)}
        return {name: use if isinstance(use, Type) else use.ty for name, use in uses.items() if use is not None}

    def _hidden(self, name: str, hidden: Hidden) -> Any:
        """What stands for an argument that the program does not name.

        A pool of the program is a temporary; the cells of the resonance are an array that is written, unity is a
        scalar: a plan has no resonance of its own. The phase is 0 and the footprint all there is, if `args` does not
        say otherwise.
        """
        if hidden.kind == "pool":
            return self.temporary(f"{name}.{len(self._temporaries)}", hidden.value)
        if hidden.kind == "resonance":
            if name not in self._uses:
                self.array(RESONANCE, Type.U32, (RESONANCE_BYTES // 4,))
            return RESONANCE
        if hidden.kind == "footprint":
            return LaunchConfig().rules.footprint.word
        return 0 if hidden.kind == "phase" else name

    def _scalar(self, param: Param, value: Any) -> Argument:
        assert param.ty is not None
        if isinstance(value, str) and value not in self._uses and value == param.name:
            self.scalar(value, param.ty)
        if isinstance(value, str) and self._uses.get(value) is param.ty:
            return Argument("port", value)
        if isinstance(value, (str, Formula)):
            formula = Formula.of(value)
            if formula.value is None:
                if not param.ty.is_integer:
                    raise LaunchError(f"the parameter {param} takes a number or a scalar {param.ty}, not {value!r}")
                return Argument("formula", formula)
            value = formula.value
        return Argument("bits", scalar_bits(param.name, param.ty, value))

    def _default(self, param: Param, name: Any, value: int | float | None) -> None:
        """Lets a scalar that is a new port have the value that a kernel gives its parameter of the same name; not if
        another launch takes it without."""
        if name == param.name and name not in self._uses and value is not None and abs(value) <= 2**53:
            self.defaults[name] = value
        elif isinstance(name, str) and self.defaults.get(name) != value:
            self.defaults.pop(name, None)

    def _buffer(self, param: Param, name: Any) -> Argument:
        if not isinstance(name, str):
            raise LaunchError(f"the parameter {param} takes the name of a buffer of the plan, not {name!r}")
        if name not in self._temporaries and name not in self._constants:
            writes = param.access is None or param.access.writes
            use = self._uses.get(name)
            if use is None:
                use = self._uses[name] = _Use(param.ty or Type.U8, param.access is not Access.WRITE, False)
                self._declared[name] = None
            if isinstance(use, Type):
                raise LaunchError(f"the parameter {param} takes a buffer, and {name!r} is a scalar")
            if not use.written and not writes:
                use.first_reads = True
            if writes and not use.written:
                use.first_reads |= param.access is not Access.WRITE
                use.written = True
        return Argument("buffer", name)

    def _check_element(self, param: Param, name: str, element: Element | None, known: bool) -> None:
        """Whether the elements of a buffer lie in memory as those do that a Python kernel takes; a port that is new
        has them."""
        if element is not None and name in self._uses and not known:
            self.elements[name] = element
        have = self.elements.get(name)
        if name in self._uses and axes_of(have or Type.U8) != axes_of(element or Type.U8):
            raise LaunchError(
                f"the parameter {param} takes {element or param.ty}, and {name} has elements of {have or 'numbers'}"
            )

    def _check_rank(self, param: Param, name: str, rank: int | None, element: Element | None) -> None:
        """Whether a buffer has the axes that a Python kernel takes; a port without a shape gets them."""
        if rank is None or not self._fits(param, name, element):
            return
        if rank > 1:
            self._shapes.setdefault(name, tuple(Formula((f"{name}.len{axis}",)) for axis in range(rank)))
        if len(shape := self._shape(name)) != rank:
            dims = ", ".join(map(str, shape))
            raise LaunchError(f"the parameter {param} takes an array of {rank} axes, and {name} is {name}[{dims}]")

    def _length(self, param: Param, name: str, axis: int, element: Element | None) -> Formula:
        """The length of an axis of a buffer that a Python kernel wants to know."""
        if not self._fits(param, name, element):
            raise LaunchError(
                f"the kernel needs the length of {param}, and {name!r} has elements of {self._widths[name]} bytes: "
                "declare it with its shape and type, plan.temporary(name, shape, type)"
            )
        return self._shape(name)[axis]

    def _fits(self, param: Param, name: str, element: Element | None) -> bool:
        assert param.ty is not None
        size = (element or param.ty).size_bytes
        return self._widths.get(name, size) == size

    def _grid(
        self, program: Program, given: list[Argument], grid: Any, block: Any
    ) -> tuple[Triple, Triple, tuple[int, int, int]]:
        """Blocks, lanes and the shape of a block."""
        if isinstance(grid, LaunchConfig):
            return _triple(grid.grid), _triple(grid.lanes_on), (grid.block.x, grid.block.y, grid.block.z)
        if grid is None:
            written = [
                arg.value
                for param, arg in zip(program.params, given, strict=True)
                if param.kind == "buffer" and param.access is not None and param.access.writes
            ]
            if not written or written[0] in self._temporaries:
                raise LaunchError("the launch writes no array of the caller: say how many lanes it has with `grid`")
            grid = prod(self._shape(written[0]), start=_ONE)
        asked = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
        if not 1 <= len(asked) <= 3:
            raise LaunchError(f"grid is one to three numbers or formulas, not {grid!r}")
        lanes = _triple(asked)
        shape: Any = _BLOCKS[len(asked)] if block is None else block
        size = LaunchConfig(block=shape).block
        blocks = [Formula.ceildiv(count, each) for count, each in zip(lanes, size, strict=True)]
        return _triple(blocks), lanes, (size.x, size.y, size.z)

    def _inferred(self, kernel: Any, program: Program, given: list[Argument]) -> list[Formula]:
        """The lanes of a Python kernel along their axes: as many as an array has elements that the lane's number
        indexes, of those that it writes, if there are any."""
        buffers = {param.name: arg.value for param, arg in zip(program.params, given, strict=True)}
        writes = {param.name for param in program.params if param.access is not None and param.access.writes}
        found: dict[int, dict[str, Formula]] = {}
        reason = kernel.unplain
        for array, axis, along in kernel.indexed if reason is None else ():
            found.setdefault(along, {})[array] = self._shape(buffers[array])[axis]
        for along, lengths in found.items():
            chosen = {array: length for array, length in lengths.items() if array in writes} or lengths
            if len({*map(str, chosen.values())}) > 1 and not writes.intersection(chosen):
                (one, first), (other, second) = list(chosen.items())[:2]
                reason = f"{one} has {first} elements along {'xyz'[along]}, and {other} {second}"
        if reason is not None:
            raise LaunchError(
                f"how many lanes {kernel.name} has is not plain: {reason}. Say it: hg.compile(..., lanes=n), or "
                "lanes=(w, h); grid= in a plan's launch"
            )
        return [
            next(
                (length for array, length in found[along].items() if array in writes), next(iter(found[along].values()))
            )
            for along in sorted(found)
        ] or [_ONE]

    def _shape(self, name: str) -> tuple[Formula, ...]:
        return self._shapes.setdefault(name, (Formula((f"{name}.len",)),))

    @outermost
    def build(self) -> Plan:
        """The plan, without code. Raises ArtifactError."""
        ports = []
        for name, use in self._uses.items():
            if isinstance(use, Type):
                ports.append(Port(name, use))
            else:
                last = map(Formula.of, axes_of(self.elements.get(name, use.ty)))
                ports.append(Port(name, use.ty, self._declared[name] or use.access, (*self._shape(name), *last)))
        temporaries = tuple(Temporary(name, size) for name, size in self._temporaries.items())
        plan = Plan(tuple(ports), temporaries, tuple(self._constants.items()), tuple(self._steps[0]))
        from .validate import validate  # an import of the package builds nothing

        validate(plan, self.programs, (), len(self.blobs))
        return plan


def _element(takes: Mapping[str, Any], name: str) -> Element | None:
    """What elements of an array are to a Python kernel, if they are no numbers."""
    found = getattr(takes.get(name), "ty", None)
    return found if isinstance(found, Element) else None


def _triple(values: Sequence[Any]) -> Triple:
    x, y, z = (*map(Formula.of, values), _ONE, _ONE)[:3]
    return x, y, z


def program_of(kernel: Any) -> Program:
    """The program that something is or has. Raises LaunchError."""
    found = kernel if isinstance(kernel, Program) else getattr(kernel, "program", None)
    if not isinstance(found, Program):
        advice = ": make it a kernel, with @hg.kernel" if isinstance(kernel, FunctionType) else ""
        raise LaunchError(f"give a Program, or an object that has one as `.program`, not {kernel!r}{advice}")
    return found


def _analysis(program: Program) -> Analysis:
    """What the verifier finds out about a valid program. Raises IsaError."""
    try:
        found = analysis_of(program.to_bytes())
    except IsaError:
        program.validate()
        raise
    if found.found:
        program.validate()
    return found
