"""Kernel: a Python function as a program, to look at and to launch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from textwrap import dedent
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, Union, overload

from ..errors import HologramError, TranslateError, outermost
from ..extras import page_of, tools
from ..frontends.python.names import Annotation, ConstantType, shown
from ..frontends.python.source import Definition, Source, from_text
from ..frontends.python.translate import Translation, annotated, translate
from .marked import function

if TYPE_CHECKING:
    from hologram_web_tools.debug.check import CheckedLaunch
    from hologram_web_tools.debug.frames import Debug
    from hologram_web_tools.debug.step import Steps

    from ..backends import Backend
    from ..isa.launch import LaunchConfig
    from ..isa.program import Program
    from ..isa.types import Type
    from ..runtime.executor import Executor
    from .bound import BoundKernel
    from .lanes import Asked

__all__ = ["Kernel", "kernel", "kernel_from_source"]

LaunchLanes = Union[int, tuple[Any, ...], "LaunchConfig"]  # what stands in the brackets of a launch
Checks = Literal["axis", "buffer"]
_BOUND = 64  # numbers of lanes whose launches a kernel keeps


def _lasts(lanes: Any) -> bool:
    """Whether it is an int, or made of some: nothing else equals it that means something else, as True does 1."""
    return type(lanes) is int or (type(lanes) is tuple and all(map(_lasts, lanes)))


class Kernel:
    """A kernel. `kernel[n](x, y)` launches `n` lanes on arrays, which are changed in place.

    `program` is the program for every device; `params` the parameters as written, by name: a Type or an ArrayType (in
    a GenericKernel also a TypeVar);
    `hidden` the lengths among the program's parameters (`x.shape0` is the length of the first axis of x), by name:
    array and axis; `defaults` the values of scalars that a launch need not give; `lines` the file and the line each
    instruction comes from.
    """

    constants: Mapping[str, ConstantType] = {}  # parameters that are known while translating
    told_by_arrays = True  # which of its programs runs; there may be several if it has type variables

    def __init__(self, definition: Definition, translation: Translation, device: Backend | None = None) -> None:
        self._name(definition, translation.params, device)
        self._translation = translation
        self.program: Program = translation.program
        self.hidden: dict[str, tuple[str, int]] = translation.hidden
        self.prints: tuple[Any, ...] = translation.prints
        self.defaults = translation.defaults
        assert self.program.source_map is not None
        self._source_map = self.program.source_map
        self.lines: list[tuple[str, int]] = self._source_map.lines

    def _name(self, definition: Definition, params: dict[str, Annotation], device: Backend | None) -> None:
        """What a kernel has before it has a program."""
        self._definition, self._device = definition, device
        self._bound: dict[Any, BoundKernel] = {}  # by their lanes
        self.name: str = definition.name
        self.params = params
        self.__name__ = self.__qualname__ = self.name
        first = definition.node.body[0]
        text = getattr(getattr(first, "value", None), "value", None)
        self.__doc__ = text if isinstance(text, str) else None

    @outermost
    def on(self, device: Backend | Executor | str) -> Kernel:
        """The kernel bound to a device, or to an executor's; or to a new one, by the names that Executor takes. Raises
        BackendUnavailable."""
        if not isinstance(device, str):
            from ..runtime.executor import Executor

            return self._on(device.device if isinstance(device, Executor) else device)
        from ..backends.selection import open_backend

        return self._on(open_backend(device)[0])

    def _on(self, device: Backend) -> Kernel:
        return Kernel(self._definition, self._translation, device)

    def in_blocks(self, block: tuple[int, ...]) -> Kernel:
        """The kernel for blocks of that shape: what block operations share is as large as these need; else itself."""
        found = self._translation.fitting(prod(block))
        if found is self._translation or found.definition is None:
            return self
        return Kernel(found.definition, found, self._device)

    @outermost
    def specialize(self, **types: Type) -> Kernel:
        """The kernel with these types for its type variables: `kernel.specialize(T=hg.f32)`, the same one each time.

        With types for some of them, a kernel of the others. Raises TranslateError for a variable that it does not
        have, a type that the variable does not stand for, and what is wrong in the kernel for these types.
        """
        if types:
            raise TranslateError(f"{self.name} has no type variable {next(iter(types))!r}")
        return self

    def __getitem__(self, lanes: LaunchLanes) -> Callable[..., None]:
        """`kernel[n]`, `kernel[n, block]`, `kernel[(w, h), (bx, by)]`: launches that many lanes when called.

        Arrays are NumPy arrays, or other objects with the buffer protocol, of the annotated type and number of axes;
        in a page typed arrays of JavaScript, too. Or Buffers: then it runs on their device, in place. Scalars are
        Python or NumPy numbers. Raises LaunchError for what does not fit, ExecutionError for a fault, with the line it
        comes from as a note; a GPU tells faults of a launch on Buffers only when they are read.
        """
        lasts = _lasts(lanes)
        found = self._bound.get(lanes) if lasts else None
        if found is not None:
            return found
        from .bound import BoundKernel
        from .lanes import asked

        try:
            return self._kept(lanes if lasts else None, BoundKernel(self, asked(lanes)))
        except HologramError as error:
            error.__traceback__ = None  # as `outermost` does, in fewer steps
            raise

    def _kept(self, key: Any, made: BoundKernel) -> BoundKernel:
        """A launch that is used again, unless there is no key."""
        if key is not None:
            if len(self._bound) >= _BOUND:
                self._bound.clear()
            self._bound[key] = made
        return made

    def over(self, array: Any) -> Callable[..., None]:
        """`kernel.over(y)(x, y)`: a lane for each element of `array`, as `kernel[n]` with its length launches them.

        Of an array of two axes the lanes lie along y and x, `kernel[(w, h), (16, 16)]`, of three along z, y and x; for
        a kernel that asks for its place along x only, all elements lie along x. Raises LaunchError.
        """
        from .lanes import over

        shape = getattr(array, "shape", None)
        lengths = (len(array),) if shape is None else tuple(shape)

        @outermost
        def launch(*args: Any, **named: Any) -> None:
            self._on_lanes(over(self._chosen(args, named)._translation, lengths))(*args, **named)

        return launch

    def _on_lanes(self, asked: Asked) -> Callable[..., None]:
        from .bound import BoundKernel

        return self._bound.get(asked) or self._kept(asked, BoundKernel(self, asked))

    async def launch_async(self, lanes: Any, /, *args: Any, **named: Any) -> None:
        """`kernel[lanes](*args, **named)`, without blocking the event loop."""
        from .lanes import asked

        try:
            launch, rest = asked(lanes).parted(self.params, named)
            await self._launch(launch, args, rest, False)
        except HologramError as error:
            error.__traceback__ = None  # as `outermost` does, which cannot wait
            raise

    def checking(self, checks: str) -> Kernel:
        """The same kernel with indices checked against "axis" or "buffer", as `hg.kernel` takes it; itself, if they
        are. Raises TranslateError."""
        definition = self._definition.checking(checks)
        if definition.checks == self._definition.checks:
            return self
        made = make(definition, warn=False)
        return made if self._device is None else made._on(self._device)

    @property
    def steps(self) -> Steps:
        """`kernel.steps[n](x, y)` goes through a launch on the reference line by line: a `DebugStep` for each."""
        made: Steps = tools("debug.step").Steps(self._definition, self._translation, self._launch)
        return made

    @property
    def debug(self) -> Debug:
        """`kernel.debug[n](x, y)` is a launch on the reference in whose lines a Python debugger stops."""
        made: Debug = tools("debug.frames").Debug(self.steps)
        return made

    @property
    def check(self) -> CheckedLaunch:
        """`kernel.check[n](x, y)` is a launch on the reference that looks for what devices cannot see: data races,
        shared memory that nobody wrote, divergent barriers, indices beyond an axis. Raises ExecutionError, whose notes
        are the lines of both lanes."""
        made: CheckedLaunch = tools("debug.check").CheckedLaunch(self)
        return made

    def _chosen(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> Kernel:
        """The kernel, with a program, that arguments are for."""
        return self

    def resolved(
        self, args: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[Kernel, tuple[Any, ...], Mapping[str, Any]]:
        """The kernel without constants that arguments are for, and the arguments that it takes."""
        return self, args, named

    async def _launch(
        self,
        asked: Asked,
        args: tuple[Any, ...],
        named: Mapping[str, Any],
        blocking: bool,
        device: Backend | None = None,
    ) -> None:
        from .launch import device_for, launch, spread

        kernel, args, named = self.resolved(args, named)
        args, named = spread(kernel.params, args, named)
        device = device or device_for(self._device, (*args, *named.values()))
        translation = kernel._chosen(args, named)._translation.fitting(prod(asked.config.block))
        await launch(translation, device, asked, args, named, blocking)

    @outermost
    def __call__(self, *args: Any, **named: Any) -> None:
        """`kernel(x, y)` launches a lane for each element of the arrays that the lane's number indexes, `x[i]` where
        `i = hg.global_id()`, or `x[row, column]`. Raises LaunchError where that does not say how many lanes it has:
        arrays of different lengths, indices that are computed, lanes of a block that work together.
        """
        from .lanes import Asked, inferred
        from .launch import shapes

        translation = self._chosen(args, named)._translation
        self._on_lanes(Asked(inferred(translation, shapes(translation, args, named))))(*args, **named)

    @property
    def indexed(self) -> tuple[tuple[str, int, int], ...]:
        """The arrays that the lane's number indexes by itself: parameter, its axis, and the axis of the lanes."""
        return self._translation.indexed

    @property
    def unplain(self) -> str | None:
        """Why it does not follow from the arrays how many lanes a launch has; None, if it does."""
        from .lanes import unplain

        return unplain(self._translation)

    @property
    def device(self) -> Backend | None:
        """The device that it is bound to."""
        return self._device

    @property
    def file(self) -> str:
        """Where its source is."""
        return self._definition.source.file

    @property
    def source(self) -> str:
        """The function as it is written, with its decorators."""
        node, lines = self._definition.node, self._definition.source.lines
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        return dedent("\n".join(lines[first - 1 : node.end_lineno]))

    def line(self, instruction: int) -> str:
        """The source line that an instruction comes from, as it is written."""
        return self._source_map.text(instruction)

    def wgsl(self, block: tuple[int, ...] = (256, 1, 1)) -> str:
        """The WGSL shader for blocks of that shape: the one with checks that the device runs which the kernel is bound
        to (`on`), else what files have. Raises UnsupportedType and UnsupportedInstruction."""
        return self._part("wgsl", block)

    def wat(self, block: tuple[int, ...] = (256, 1, 1)) -> str:
        """The WebAssembly text for blocks of that shape: what the device runs which the kernel is bound to (`on`), else
        what files have. Raises UnsupportedType and UnsupportedInstruction."""
        return self._part("wat", block)

    def _part(self, name: str, block: tuple[int, ...]) -> str:
        text: str = tools("explain").PARTS[name](self.in_blocks(block), _shape(block))
        return text

    def explain(self, *parts: str, block: tuple[int, ...] = (256, 1, 1)) -> str:
        """What becomes of the kernel in blocks of that shape; all parts, or some of them:

        `isa`, the program with source lines above the instructions they became; `ir`, the compiler's form after each
        pass; `passes`, how often each fired; `wgsl`; `wat`; `variants`, which code runs on a device, and why. Raises
        ValueError for another part.
        """
        text: str = tools("explain").explain(self.in_blocks(block), parts, _shape(block))
        return text

    def _repr_html_(self) -> str | None:
        return page_of(self)

    def __repr__(self) -> str:
        return f"<Kernel {self.name}({', '.join(f'{name}: {shown(ty)}' for name, ty in self.params.items())})>"


def _shape(block: tuple[int, ...]) -> tuple[int, int, int]:
    x, y, z = (*block, 1, 1)[:3]
    return x, y, z


def make(definition: Definition, warn: bool = True) -> Kernel:
    """The kernel of a definition. Raises TranslateError."""
    if any(isinstance(ty, ConstantType) for ty in annotated(definition).values()):
        from .constant_kernel import ConstantKernel

        return ConstantKernel(definition)
    if definition.variables:
        from .generic import GenericKernel

        return GenericKernel(definition)
    translation = translate(definition)
    for category, file, line, text in translation.warnings if warn else ():
        warnings.warn_explicit(text, category, file, line)
    return Kernel(definition, translation)


def make_choice(definition: Definition) -> Kernel:
    """The kernel of a definition for types or constants that were chosen: what is wrong is told with them."""
    try:
        return make(definition)
    except TranslateError as error:
        text = f"in {definition.name}: {error.message}"
        raise TranslateError(text, error.file, error.line, error.column) from None


@overload
def kernel(fn: Callable[..., None], *, checks: Checks = "axis") -> Kernel: ...
@overload
def kernel(*, checks: Checks = "axis") -> Callable[[Callable[..., None]], Kernel]: ...
@outermost
def kernel(fn: Any = None, *, checks: str = "axis") -> Any:
    """Translates a function to a Kernel; it is parsed and never executed. Raises TranslateError.

    `checks` says against what indices are checked: "axis", each against the length of its axis; "buffer", the place of
    the element against the whole memory.
    """
    if fn is None:
        return partial(kernel, checks=checks)
    if not isinstance(fn, FunctionType):
        raise TranslateError(f"@hg.kernel translates a function, not {fn!r}")
    return make(Source.of(fn).checking(checks))


@outermost
def kernel_from_source(
    text: str,
    name: str | None = None,
    constants: Mapping[str, Any] | None = None,
    file: str = "<kernel>",
    *,
    checks: str = "axis",
) -> Kernel:
    """The kernel in a text, which is parsed and never executed: what is typed into a page is safe to translate.

    The text may import hologram_web (known as `hg` without it) and math, assign constants, and define functions; the
    kernel is the one called `name`, by default the one under @hg.kernel, or the only one. `constants` adds numbers
    and tuples by name; `checks` is what `hg.kernel` takes. Raises TranslateError.
    """
    source, found = from_text(text, file, constants or {})
    marked = [d for d in found.values() if any(_decorator(d, node) is kernel for node in d.node.decorator_list)]
    if name is None:
        candidates = marked or list(found.values())
        if len(candidates) != 1:
            names = ", ".join(d.node.name for d in candidates) or "none"
            raise TranslateError(f"the text has to have one kernel, or say its name; it has {names}", file)
        definition = candidates[0]
    elif name in found:
        definition = found[name]
    else:
        raise TranslateError(f"the text has no function {name!r}; it has {', '.join(found) or 'none'}", file)
    for other in found.values():
        for node in other.node.decorator_list:
            if _decorator(other, node) not in (kernel, function):
                source.fail(node, "kernels have no decorator but @hg.kernel, functions none but @hg.function")
    return make(definition.checking(checks))


def _decorator(definition: Definition, node: Any) -> Any:
    call = getattr(node, "func", None)
    return definition.source.resolve(call if call is not None and not node.args and not node.keywords else node)
