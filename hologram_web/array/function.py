"""Functions of arrays as plans: traced once for arguments of one form, called by ports, saved to files."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple, Protocol, TypedDict
from weakref import WeakKeyDictionary

from ..errors import LaunchError, axes, outermost
from ..frontends.python.names import ArrayType
from ..isa.arguments import scalar_bits
from ..isa.elements import ElementType, stored_as
from ..isa.types import Type
from ..plan.builder import PlanBuilder
from ..plan.plan import size_of
from ..runtime import arrays
from ..runtime.compiled import CompiledProgram
from ..runtime.executor import Buffer, Executor
from ..runtime.weights import CONSTANT
from . import nested
from .array import Array, array_of
from .captured import captured_by
from .creation import default_executor
from .donation import Donation, Memory, reusable
from .grouping import CORES, is_written
from .lines import asked_by, lines_of
from .nested import flatten, flattened, unflatten
from .node import ArrayNode, copy_of, in_order, source
from .planning import lower
from .run import execute, explained, planned_for, planning, realize
from .sizes import Size, UnknownSize, is_symbolic, of_plan
from .tracing import Parameter, executor_here, is_unknown, placeholder, tracing

__all__ = ["ArrayFunction", "Compiling", "Options"]

_KEPT = 256
_NUMBERS: dict[type, Type] = {int: Type.I32, float: Type.F32}


class Options(TypedDict, total=False):
    """What `hg.function` is told besides the function."""

    static: tuple[str, ...]
    donate: str | int | tuple[str | int, ...]
    name: str
    device: Executor | None


class Compiling(Protocol):
    """What `hg.function` makes."""

    inlined: Callable[..., Any]

    def __call__(self, *args: Any, **named: Any) -> Any: ...

    def compile(self, *args: Any, **named: Any) -> CompiledProgram:
        """Its Plan with constants, to save and to run: for arguments like these, arrays or `hg.Array[...]`; without
        arguments, for those that its annotations say. Raises LaunchError."""

    def explain(self, *args: Any, **named: Any) -> str:
        """The kernels and the steps, for arguments like these."""


class _Static(NamedTuple):
    """An argument whose value is known."""

    value: Any


nested.KNOWN.add(_Static)


class Spec(NamedTuple):
    """A type and a shape; a number has none."""

    dtype: ElementType
    shape: tuple[int, ...] | None

    def node(self, name: str) -> ArrayNode:
        """What stands for it while a function is traced."""
        if self.shape is None:
            return ArrayNode("scalar", (), self.dtype, (), None, Parameter(name))
        return placeholder(self.dtype, self.shape)


class ArrayFunction:
    """A function of arrays, and its traces by executor and arguments."""

    def __init__(
        self,
        fn: Callable[..., Any],
        static: tuple[str, ...],
        name: str,
        device: Executor | None = None,
        donate: str | int | tuple[str | int, ...] = (),
    ) -> None:
        self.fn, self.static, self.name, self.device = fn, static, name, device
        self.signature = inspect.signature(fn)
        self.donate = self._donated(donate if isinstance(donate, tuple) else (donate,))
        if unknown := [each for each in static if each not in self.signature.parameters]:
            raise LaunchError(f"{name} has no parameter {unknown[0]!r}, which is named in static=(...)")
        # By executor: runs for arguments of one form, types and shapes; and by the forms and shapes that were traced,
        # of which some lengths are not known, what runs them, or why nothing does.
        self._calls: WeakKeyDictionary[Executor, dict[Any, _Call]] = WeakKeyDictionary()
        self._runs: WeakKeyDictionary[Executor, dict[Any, _Run | None]] = WeakKeyDictionary()
        self._annotations: dict[str, Any] | None = None

    def _donated(self, donate: tuple[str | int, ...]) -> set[str]:
        """The parameters that arrays are given away for."""
        names = list(self.signature.parameters)
        found = set()
        for each in donate:
            known = isinstance(each, str) or 0 <= each < len(names)
            name = names[each] if known and not isinstance(each, str) else each
            if name not in names:
                raise LaunchError(f"{self.name} has no parameter {each!r}, which is in donate=(...)")
            if name in self.static:
                raise LaunchError(f"{name} of {self.name} is in static=(...), which are no arrays, and in donate=(...)")
            found.add(str(name))
        return found

    @outermost
    def __call__(self, *args: Any, **named: Any) -> Any:
        if executor_here() is not None:  # a part of a function that is being traced
            return self.fn(*args, **named)
        if self.static:
            args, named = self._with_static(args, named)
        leaves: list[Any] = []
        form = flatten((args, named), leaves)
        executor = self.device
        key: list[Any] = [form]
        for number, leaf in enumerate(leaves):
            kind = type(leaf)
            if kind is Array:
                node = leaf.node
                if node.op != "source":
                    realize([node], leaf.executor)
                key.append((node.dtype, node.shape))
            elif kind is Buffer:
                key.append((leaf.dtype, leaf.shape))
            elif kind in _NUMBERS:
                key.append(kind)
                continue
            else:
                leaves[number] = leaf = array_of(leaf, executor or self._executor(leaves))
                key.append((leaf.dtype, leaf.shape))
            if executor is None:
                executor = leaf.executor
            elif leaf.executor is not executor:
                raise LaunchError(f"arrays of one executor go together: {leaf!r} is of another one")
        executor = executor or default_executor()
        calls = self._calls.get(executor)
        if calls is None:
            calls = self._calls[executor] = {}
        call = calls.get(tuple(key))
        if call is None:
            with planning(executor, self.name):
                call = _kept(calls, tuple(key), _Call(self._run(form, leaves, executor), leaves))
        return call(leaves, executor)

    def _run(self, form: Any, leaves: Sequence[Any], executor: Executor) -> _Run:
        """A trace for arguments with any lengths that annotations name, or, where it needs to know them, with these."""
        runs = self._runs.setdefault(executor, {})
        paths, specs = self._specs(form, leaves, True)
        key = form, tuple(specs)
        if key not in runs:
            try:
                run = _Run(Trace(self, form, paths, specs, executor), executor)
            except UnknownSize:
                if not any(is_symbolic(spec.shape or ()) for spec in specs):
                    raise
                _kept(runs, key, None)
            else:
                return _kept(runs, key, run)  # type: ignore[no-any-return]
        found = runs[key]
        if found is None:
            paths, specs = self._specs(form, leaves, False)
            key = form, tuple(specs)
            found = runs.get(key) or _kept(runs, key, _Run(Trace(self, form, paths, specs, executor), executor))
        return found

    def _executor(self, leaves: Sequence[Any]) -> Executor:
        found = self.device or next((leaf.executor for leaf in leaves if isinstance(leaf, (Array, Buffer))), None)
        return found or default_executor()

    def _with_static(self, args: Any, named: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        bound = self._bound(args, named)
        for name in self.static:
            if name in bound.arguments:
                bound.arguments[name] = _Static(bound.arguments[name])
                try:
                    hash(bound.arguments[name])
                except TypeError:
                    raise LaunchError(
                        f"{name} is named in static=(...), and {bound.arguments[name].value!r} cannot be hashed"
                    ) from None
        return bound.args, bound.kwargs

    def _bound(self, args: Any, named: Any) -> inspect.BoundArguments:
        try:
            return self.signature.bind(*args, **named)
        except TypeError as error:
            raise LaunchError(f"{self.name}: {error}") from None

    def _names(self, form: Any) -> list[tuple[str, str]]:
        """Of each leaf of arguments of a form its path and its parameter."""
        count = sum(1 for _ in nested.paths(form))
        args, named = unflatten(form, iter(range(count)))
        found: dict[int, tuple[str, str]] = {}
        for name, value in self._bound(args, named).arguments.items():
            numbers, inner = flattened(value)
            if self.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                name = ""
            found |= {number: (path, name) for number, path in zip(numbers, nested.paths(inner, name), strict=True)}
        return [found[number] for number in range(count)]

    @property
    def annotations(self) -> dict[str, Any]:
        """What is said of parameters; types only."""
        if self._annotations is None:
            plain: Any = getattr(self.fn, "__func__", self.fn)  # of a method
            names = inspect.getclosurevars(plain)
            around = {**names.builtins, **plain.__globals__, **names.nonlocals}
            self._annotations = {}
            for name, each in self.signature.parameters.items():
                found = each.annotation
                if isinstance(found, str):
                    try:
                        found = _meant(found, around)
                    except NameError as error:  # of what only type checkers see
                        if "Array[" in found:
                            raise LaunchError(f"{name}: {found}: {error}; names of sizes are strings") from None
                if isinstance(found, (Type, ArrayType)):
                    self._annotations[name] = found
        return self._annotations

    def _specs(self, form: Any, leaves: Sequence[Any], any_length: bool) -> tuple[list[str], list[Spec]]:
        """Names, types and shapes of arguments: with `any_length` the lengths that annotations name are not known."""
        names = self._names(form)
        sizes: dict[str, tuple[int, str]] = {}
        specs = []
        for (path, name), leaf in zip(names, leaves, strict=True):
            said = self.annotations.get(name)
            spec = _spec(path, leaf, said, sizes)
            if any_length and isinstance(said, ArrayType) and said.shape is not None:
                lengths = zip(spec.shape or (), said.shape, strict=True)
                spec = Spec(spec.dtype, tuple(Size.named(w) if isinstance(w, str) else n for n, w in lengths))  # type: ignore[misc]
            specs.append(spec)
        return [path for path, _ in names], specs

    def compile(self, *args: Any, **named: Any) -> CompiledProgram:
        """A CompiledProgram for arguments like these."""
        return self._traced(args, named).compiled()

    def explain(self, *args: Any, **named: Any) -> str:
        """The kernels and steps."""
        return self._traced(args, named).explain()

    def _traced(self, args: Any, named: Any) -> Trace:
        if not args and not named:
            wanted = {name: each for name, each in self.signature.parameters.items() if each.default is each.empty}
            if missing := [name for name in wanted if name not in self.annotations]:
                raise LaunchError(
                    f"what {missing[0]!r} is follows from no annotation: give arguments like those of a call, "
                    "or say it: x: hg.Array[hg.f32, 3, 4]"
                )
            named = {name: self.annotations[name] for name in wanted}
        if self.static:
            args, named = self._with_static(args, named)
        bound = self._bound(args, named)  # ports in the order of parameters
        leaves, form = flattened((bound.args, bound.kwargs))
        # Lengths that are said here are known; those of arrays that annotations name are any.
        paths, specs = self._specs(form, leaves, not any(isinstance(leaf, ArrayType) for leaf in leaves))
        return Trace(self, form, paths, specs, self._executor(leaves))


def _meant(text: str, names: dict[str, Any]) -> Any:
    """What an annotation says that is a text. Raises what Python raises."""

    def one() -> None: ...

    one.__annotations__ = {"found": text}
    return inspect.get_annotations(one, globals=names, eval_str=True)["found"]


def _spec(path: str, leaf: Any, annotation: Any, sizes: dict[str, tuple[int, str]]) -> Spec:
    """The type and shape of an argument. Raises LaunchError where an annotation says something else."""
    if isinstance(leaf, ArrayType):
        if leaf.shape is None:
            raise LaunchError(
                f"{path}: say how long its axes are, hg.Array[hg.f32, 3, 4] or [hg.f32, (3,)], or name it, 'n'"
            )
        lengths: Any = (length if isinstance(length, int) else Size.named(length) for length in leaf.shape)
        found = Spec(leaf.ty, tuple(lengths))
    elif isinstance(leaf, Type):
        found = Spec(leaf, None)
    elif type(leaf) in _NUMBERS:
        found = Spec(annotation if isinstance(annotation, Type) else _NUMBERS[type(leaf)], None)
    else:
        known = leaf if isinstance(leaf, (Array, Buffer)) else arrays.array(leaf)
        found = Spec(arrays.to_type(known.dtype), tuple(known.shape))
    if annotation is None:
        return found
    if isinstance(annotation, Type):
        if found.shape not in (None, ()) or found.dtype is not annotation:
            raise LaunchError(f"{path} is an array of {found.dtype}; a number of {annotation} is expected")
        return found
    if found.dtype is not annotation.ty or found.shape is None:
        raise LaunchError(f"{path} has elements of {found.dtype}; {annotation} is expected")
    if len(found.shape) != annotation.ndim:
        raise LaunchError(
            f"{path} has {axes(len(found.shape))}, as its shape is {found.shape}; {annotation} is expected"
        )
    for axis, (length, wanted) in enumerate(zip(found.shape, annotation.shape or (), strict=False)):
        known, where = sizes.setdefault(wanted, (length, path)) if isinstance(wanted, str) else (wanted, "")
        if length != known:
            told = f": {wanted} is {known} in {where}" if where else ""
            raise LaunchError(f"axis {axis} of {path} has {length} elements; {annotation} is expected{told}")
    return found


class Trace:
    """The graph of a function for arguments of one form. `arguments` are its placeholders with their names."""

    def __init__(
        self, function: ArrayFunction, form: Any, names: list[str], specs: list[Spec], executor: Executor
    ) -> None:
        self.name, self.fn, self.executor, self.names, self.specs = function.name, function.fn, executor, names, specs
        self.arguments = [spec.node(name) for name, spec in zip(names, specs, strict=True)]
        args, named = unflatten(form, iter([Array(node, executor) for node in self.arguments]))
        with tracing(executor):
            result = function.fn(*map(_value, args), **{name: _value(each) for name, each in named.items()})
        leaves, self.form = flattened(result)
        self.roots = [self._root(leaf) for leaf in leaves]
        self.donated: list[int] = []  # numbers of arguments
        if function.donate:
            parameters = enumerate(function._names(form))
            self.donated = [k for k, (_, name) in parameters if name in function.donate and specs[k].shape is not None]
        fold_constants(self.roots, executor)

    def _root(self, leaf: Any) -> ArrayNode:
        if isinstance(leaf, (Array, Buffer, int, float)) or hasattr(leaf, "dtype"):
            return array_of(leaf, self.executor).node
        raise LaunchError(f"{self.name} gives {leaf!r}; its results are arrays and numbers, alone and in trees")

    @property
    def results(self) -> list[str]:
        """Names of results."""
        found: list[str] = []
        for path in nested.paths(self.form):
            name = path if path.partition(".")[0].isidentifier() else f"result.{path}".rstrip(".")
            while name in self.names or name in found:
                name = f"result.{name}"
            found.append(name)
        return found

    def declared(self, plan: PlanBuilder) -> dict[int, str]:
        """Ports for the arguments: names of their nodes."""
        names: dict[int, str] = {}
        for name, node in zip(self.names, self.arguments, strict=True):
            if node.op == "scalar":
                plan.scalar(name, stored_as(node.dtype))
            else:
                names[id(node)] = plan.array(name, node.dtype, tuple(map(of_plan, node.shape)))
        return names

    def compiled(self) -> CompiledProgram:
        """The plan as a file has it, with its executor's `math`: what the function captured are constants, and each
        result has a port."""
        math = self.executor.device.math
        plan = PlanBuilder(self.name, math=math)
        names = self.declared(plan)
        roots: list[ArrayNode] = []
        for name, node in zip(self.results, self.roots, strict=True):
            if node.op in ("source", "scalar") or any(
                node is other for other in roots
            ):  # a result is a port of its own
                node = copy_of(node)
            roots.append(node)
            names[id(node)] = plan.array(name, node.dtype, tuple(map(of_plan, node.shape)))
        order = in_order(roots)
        captured = captured_by(self.fn)
        said = {} if math == "exact" else {"math": math}
        for node in order:
            if node.op == "source" and id(node) not in names:
                name = plan.unused(captured.get(id(node.held), "constant"))
                names[id(node)] = plan.constant(name, bytes(_bytes(node.held)))
                said[CONSTANT + name] = f"{node.dtype}[{', '.join(map(str, node.shape))}]"
        lower(roots, order, plan, names)
        return CompiledProgram.from_builder(plan, said)

    def explain(self) -> str:
        """The graph, the kernels and the steps."""
        found = _Run(self, self.executor)
        return "\n".join([explained(self.roots, found.texts, found.compiled, found.whys), *found.told()])


def _kept(some: dict[Any, Any], key: Any, value: Any) -> Any:
    if len(some) >= _KEPT:
        some.pop(next(iter(some)))
    some[key] = value
    return value


class _Run:
    """A trace that runs on an executor, which is not held: it may go. What the function captured lies there."""

    def __init__(self, trace: Trace, executor: Executor) -> None:
        self.form, self.specs = trace.form, trace.specs
        plan = planned_for(executor, trace.name)
        names = trace.declared(plan)
        places = {id(node): number for number, node in enumerate(trace.arguments)}
        roots = list({id(node): node for node in trace.roots if not _is_there(node)}.values())
        self.made: list[tuple[str, tuple[int, ...], ElementType, bool]] = []
        for node, name in zip(trace.roots, trace.results, strict=True):
            if id(node) not in names and not _is_there(node):
                names[id(node)] = plan.array(name, node.dtype, tuple(map(of_plan, node.shape)))
                self.made.append((name, node.shape, node.dtype, not is_written(node)))
        numbers = {id(node): number for number, node in enumerate(roots)}
        # Of each result: the number of one that is made, that of an argument, or an Array that was captured.
        self.results: list[tuple[str, Any]] = []
        for node in trace.roots:
            if id(node) in numbers:
                self.results.append(("made", numbers[id(node)]))
            elif id(node) in places:
                self.results.append(("given", places[id(node)]))
            else:
                self.results.append(("held", node))
        order = in_order(roots)
        lowered = lower(roots, order, plan, names)
        self.lines = lines_of(order)
        self.texts, self.written, self.whys = lowered.texts, lowered.written, lowered.told | plan.whys
        self.compiled = CompiledProgram.from_builder(plan)
        captured = (node.held for node in order if node.op == "source" and id(node) not in places)
        self.held = dict(zip(lowered.sources, captured, strict=True))
        self.arguments = [
            (name, None if spec.shape is not None else stored_as(spec.dtype))
            for name, spec in zip(trace.names, trace.specs, strict=True)
        ]
        self.name, self.donated = trace.name, trace.donated
        self.reusable: dict[str, list[str]] = {}
        if self.donated:
            given = {which for kind, which in self.results if kind == "given"}
            arguments = {trace.names[k]: _memory(*trace.specs[k]) for k in self.donated if k not in given}
            made = {name: _memory(dtype, shape) for name, shape, dtype, zeroed in self.made if not zeroed}
            self.reusable = reusable(self.compiled.plan.steps, made, arguments, lowered.aligned)

    def pairs(self, sizes: Mapping[str, Memory]) -> dict[str, int]:
        """Of results the number of the argument in whose memory each is written, where both are of one size."""
        numbers = {self.arguments[k][0]: k for k in self.donated}
        found: dict[str, int] = {}
        for name, *_ in self.made:
            for argument in self.reusable.get(name, ()):
                if argument in numbers and sizes[argument].size == sizes[name].size:
                    found[name] = numbers.pop(argument)
                    break
        return found

    def told(self) -> list[str]:
        """Lines about what is donated."""
        sizes = {name: _memory(dtype, shape) for name, shape, dtype, _ in self.made}
        sizes |= {self.arguments[k][0]: _memory(*self.specs[k]) for k in self.donated}
        into = {number: name for name, number in self.pairs(sizes).items()}
        given = {which for kind, which in self.results if kind == "given"}
        ends = {k: f"{into[k]} is written into it" if k in into else "it is a result" for k in {*into, *given}}
        return [f"donated {self.arguments[k][0]}: {ends.get(k, 'given back after the call')}" for k in self.donated]

    def given(
        self, leaves: Sequence[Any], made: Sequence[Array], executor: Executor, kept: Mapping[int, Array]
    ) -> Iterator[Array]:
        for kind, which in self.results:
            if kind == "made":
                yield made[which]
            elif kind == "given" and which in kept:
                yield kept[which]
            elif kind == "given":
                yield array_of(leaves[which], executor)
            else:
                yield Array(which, executor)


class _Call:
    """A run for arguments of given shapes."""

    def __init__(self, run: _Run, leaves: Sequence[Any]) -> None:
        self.run = run
        sizes: dict[str, int] = {}
        for spec, leaf in zip(run.specs, leaves, strict=True):
            for wanted, length in zip(spec.shape or (), leaf.shape if spec.shape else (), strict=True):
                if isinstance(wanted, Size):
                    sizes[str(wanted)] = length
        self.variables = sizes
        self.made = [
            (name, tuple(of_plan(n).evaluate(sizes) if isinstance(n, Size) else n for n in shape), dtype, zeroed)
            for name, shape, dtype, zeroed in run.made
        ]
        self.temporaries = [
            (each.name, size_of(each, sizes), not run.written.get(each.name)) for each in run.compiled.plan.temporaries
        ]
        self.pairs: dict[str, int] = {}
        if run.donated:
            found = {name: _memory(dtype, shape) for name, shape, dtype, _ in self.made}
            found |= {run.arguments[k][0]: _memory(leaves[k].dtype, leaves[k].shape) for k in run.donated}
            self.pairs = run.pairs(found)
        # Those donated that are results themselves.
        self.kept = {which for kind, which in run.results if kind == "given" and which in run.donated}

    def __call__(self, leaves: Sequence[Any], executor: Executor) -> Any:
        device: Any = executor.device
        run = self.run
        handles: dict[str, Any] = {name: buffer.handle for name, buffer in run.held.items()}
        bits: dict[str, int] = {}
        for (name, ty), leaf in zip(run.arguments, leaves, strict=True):
            if ty is not None:
                bits[name] = scalar_bits(name, ty, leaf)
            else:
                handles[name] = leaf.node.held.handle if type(leaf) is Array else leaf.handle
        donation = self._donation(leaves, executor) if run.donated else None
        made = []
        kept: dict[int, Array] = {}
        try:
            for name, shape, dtype, zeroed in self.made:
                if donation is not None and name in self.pairs:
                    buffer = donation.reused(self.pairs[name], shape, dtype)
                else:
                    buffer = executor.result(shape, dtype, zeroed)
                made.append(buffer)
                handles[name] = buffer.handle
            with asked_by(executor, run.lines):
                execute(run.compiled, device, handles, bits, self.temporaries, self.variables)
            if donation is not None:
                kept = {k: Array(source(each), executor) for k, each in donation.kept(self.kept, leaves)}
        finally:
            if donation is not None:
                donation.end()
        arrays_made = [Array(source(buffer), executor) for buffer in made]
        return unflatten(run.form, run.given(leaves, arrays_made, executor, kept))

    def _donation(self, leaves: Sequence[Any], executor: Executor) -> Donation:
        run = self.run
        held = {
            k: leaf.node.held if type(leaf) is Array else leaf
            for k, ((_, ty), leaf) in enumerate(zip(run.arguments, leaves, strict=True))
            if ty is None
        }
        others = [*(held.pop(k) for k in list(held) if k not in run.donated), *run.held.values()]
        return Donation(run.name, [name for name, _ in run.arguments], held, others, executor)


def _memory(dtype: ElementType, shape: Any) -> Memory:
    return Memory(prod(shape) * dtype.size_bytes, dtype.size_bytes)


def _is_there(node: ArrayNode) -> bool:
    """Whether nothing has to be computed for it."""
    return node.op == "source"


def _value(argument: Any) -> Any:
    return argument.value if type(argument) is _Static else argument


def _bytes(buffer: Buffer) -> memoryview:
    return memoryview(buffer.numpy()).cast("B") if buffer.size else memoryview(b"")


def fold_constants(roots: Sequence[ArrayNode], executor: Executor) -> None:
    """Computes now what follows from arrays alone that a function captured: they do not change."""
    order = in_order(roots)
    open_: set[int] = set()  # depends on an argument
    costs: set[int] = set()  # reads an array, or is more than a map
    for node in order:
        if is_unknown(node) or any(id(arg) in open_ for arg in node.args):
            open_.add(id(node))
        elif node.op == "source" or node.op in CORES or any(id(arg) in costs for arg in node.args):
            costs.add(id(node))
    read = [arg for node in order if id(node) in open_ for arg in node.args] + list(roots)
    ready = []
    for node in read:
        while node.op == "view":
            (node,) = node.args
        if id(node) in costs:
            ready.append(node)
    realize(ready, executor)
