"""Computing nodes: a plan for graphs of one form, found again by it, and a run of it on an executor's device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..isa.arguments import scalar_bits
from ..isa.elements import bool_, stored_as
from ..isa.types import Type
from ..plan.builder import PlanBuilder
from ..plan.plan import Branch, Let, Loop, Nest, ProgramCall, Read, Repeat, Step, Target, When, size_of
from ..runtime.compiled import CompiledProgram
from ..runtime.walking import target_of
from .grouping import is_written
from .lines import asked_by, lines_of
from .node import ArrayNode, in_order
from .planning import lower
from .tracing import Parameter, check_known, executor_here, is_unknown

if TYPE_CHECKING:
    from ..runtime.executor import Buffer, Executor

__all__ = ["bound", "execute", "explain", "explained", "planned_for", "planning", "realize"]

_KEPT = 1024
_MOST_PORTS = 3072  # a plan has at most 4,096 ports, temporaries and constants
_plans: dict[Any, _Known] = {}


class _Known:
    """A plan that can run: what its steps need."""

    def __init__(self, roots: Sequence[ArrayNode], order: Sequence[ArrayNode], executor: Executor) -> None:
        lowered = lower(roots, order, planned_for(executor))
        self.texts, self.whys = lowered.texts, lowered.told | lowered.plan.whys
        self.compiled = CompiledProgram.from_builder(lowered.plan)
        self.sources, self.scalars, self.results = lowered.sources, lowered.scalars, lowered.results
        self.temporaries = [
            (each.name, size_of(each, {}), not lowered.written.get(each.name))
            for each in self.compiled.plan.temporaries
        ]


class _Form:
    """What graphs have in common that one plan is for: `key` says it. `sources` and `scalars` are the nodes that a run
    gives something for, in order. `device` says what plans for it depend on."""

    __slots__ = ("is_known", "key", "scalars", "sources")

    def __init__(self, roots: Sequence[ArrayNode], order: Sequence[ArrayNode], *device: str) -> None:
        self.sources: list[ArrayNode] = []
        self.scalars: list[ArrayNode] = []
        self.is_known = True  # what they hold; that their lengths are is looked at when a plan is made
        numbers: dict[ArrayNode, int] = {}
        key: list[Any] = [*device, len(roots)]
        for node in order:
            op = node.op
            if op == "scalar":
                self.scalars.append(node)
                if type(node.held) is Parameter:
                    self.is_known = False
                if node.dtype is bool_:
                    key += op, node.held, node.shape
                else:
                    key += op, node.dtype, node.shape
            else:
                if op == "source":
                    self.sources.append(node)
                    if node.held is None:
                        self.is_known = False
                key += op, node.dtype, node.shape, node.attrs
                for arg in node.args:
                    key.append(numbers[arg])
            numbers[node] = len(numbers)
        key += [numbers[root] for root in roots]
        self.key = tuple(key)


def _known(roots: Sequence[ArrayNode], order: Sequence[ArrayNode], executor: Executor) -> tuple[_Known, _Form]:
    device: Any = executor.device
    form = _Form(roots, order, target_of(device), device.math, _here(device))
    known = _plans.get(form.key)
    if known is None or not form.is_known:
        check_known(order)
    if known is None:
        if len(_plans) >= _KEPT:
            _plans.pop(next(iter(_plans)))
        with planning(executor):
            known = _plans[form.key] = _Known(roots, order, executor)
    return known, form


def _here(device: Any) -> str:
    """What schedules are chosen by that are for this device only; devices that run files have none."""
    return getattr(device, "here", "")


def planned_for(executor: Executor, name: str = "arrays") -> PlanBuilder:
    """A plan that only this device is to run."""
    device: Any = executor.device
    return PlanBuilder(name, targets=(target_of(device),), math=device.math, here=_here(device))


def planning(executor: Executor, name: str = "arrays") -> AbstractContextManager[None]:
    """While a plan is made: a span of the timeline, if there is one."""
    device: Any = executor.device
    if getattr(device, "timeline", None) is None:
        return nullcontext()
    return device.timeline.span(name, "plan", device.name)  # type: ignore[no-any-return]


def realize(nodes: Sequence[ArrayNode], executor: Executor, into: Buffer | None = None) -> None:
    """Computes nodes, each once: afterwards they are sources. One alone may be written `into` a buffer that it does not
    read. Raises what compiling and launching raise."""
    roots = list({id(node): node for node in nodes if node.op != "source"}.values())
    if not roots:
        return
    order = in_order(roots)
    if len(order) > _MOST_PORTS:
        check_known(order)
    while len(order) > _MOST_PORTS and (first := _too_many(order)) is not None:
        realize([first], executor)
        order = in_order(roots)
    known, form = _known(roots, order, executor)
    handles = {name: node.held.handle for name, node in zip(known.sources, form.sources, strict=True)}
    bits = {
        name: _bits_of(name, stored_as(node.dtype), node.held)
        for name, node in zip(known.scalars, form.scalars, strict=True)
    }
    if into is not None:
        into.changes()
    made = [executor.result(node.shape, node.dtype, not is_written(node)) if into is None else into for node in roots]
    for name, buffer in zip(known.results, made, strict=True):
        handles[name] = buffer.handle
    with asked_by(executor, lines_of(order)):
        execute(known.compiled, executor.device, handles, bits, known.temporaries)
    for node, buffer in zip(roots, made, strict=True):
        node.settle(buffer)


def bound(node: ArrayNode, executor: Executor) -> None:
    """Computes a node that much waits for: a loop that reads nothing holds so much and no more. What belongs to a
    function that is traced, or depends on a value that is not known, goes on waiting."""
    node.depth = 0
    if executor_here() is None and not any(map(is_unknown, in_order([node]))):
        realize([node], executor)


_bits: dict[Any, int] = {}


def _bits_of(name: str, ty: Type, number: Any) -> int:
    """`scalar_bits`, which is found again for floats; zeros are not, as there are two that are equal."""
    if type(number) is not float or not number:
        return scalar_bits(name, ty, int(number) if type(number) is bool else number)
    found = _bits.get((ty, number))
    if found is None:
        if len(_bits) >= _KEPT:
            _bits.clear()
        found = _bits[ty, number] = scalar_bits(name, ty, number)
    return found


def _too_many(order: Sequence[ArrayNode]) -> ArrayNode | None:
    """Of a graph of more arrays and numbers than a plan takes a node to compute first, which needs a part of them."""
    if sum(not node.args for node in order) <= _MOST_PORTS:
        return None
    needs: dict[int, int] = {}
    for node in order:
        found = min(sum(needs[id(arg)] for arg in node.args) if node.args else 1, _MOST_PORTS)
        needs[id(node)] = found
        if 4 * found > _MOST_PORTS and node.args and node.op not in ("control", "launch"):
            return node
    return None


def execute(
    compiled: CompiledProgram,
    device: Any,
    handles: dict[str, Any],
    bits: dict[str, int],
    temporaries: Sequence[tuple[str, int, bool]],
    variables: Mapping[str, int] = MappingProxyType({}),
) -> None:
    """Runs a plan, with memory of these sizes for its temporaries meanwhile, zeroed if that is asked for. `variables`
    are lengths that it names."""
    lent = []
    try:
        for name, size, zeroed in temporaries:
            handles[name] = (device.allocate_buffer if zeroed else device.allocate_unwritten)(size)
            lent.append(handles[name])
        compiled.execute(device, handles, bits, variables)
    finally:
        for handle in lent:
            device.free_buffer(handle)


def explain(nodes: Sequence[ArrayNode], executor: Executor) -> str:
    """The graph, the texts of the kernels, and the steps of the plan."""
    roots = [node for node in nodes if node.op != "source"]
    if not roots:
        return "in memory: nothing to compute"
    known, _ = _known(roots, in_order(roots), executor)
    return explained(roots, known.texts, known.compiled, known.whys)


def explained(
    roots: Sequence[ArrayNode], texts: Sequence[str], compiled: CompiledProgram, whys: Mapping[ProgramCall, str]
) -> str:
    """What an explanation says of nodes, their kernels, their plan, and why launches of it are what they are."""
    return "\n".join([*_graph(roots), "", *texts, *_shown(compiled.plan.steps, compiled, whys)])


def _graph(roots: Sequence[ArrayNode]) -> list[str]:
    """A line for each node that is no number, those that it is computed from before it."""
    names: dict[int, str] = {}
    lines: list[str] = []
    for node in in_order(roots):
        if node.op == "scalar":
            names[id(node)] = str(getattr(node.held, "name", node.held))  # of one that is given later
            continue
        names[id(node)] = name = f"%{len(lines)}"
        what = node.attrs[0] if node.op in ("reduce", "tensor", "kernel") else getattr(node.attrs, "kind", node.op)
        given = ", ".join(names[id(arg)] for arg in node.args)
        lengths = ", ".join(map(str, node.shape))
        made = f"{name}: {node.dtype}[{lengths}]"
        lines.append(made if node.op == "source" else f"{made} = {what}({given})")
    return lines


def _shown(steps: Sequence[Step], compiled: CompiledProgram, whys: Mapping[ProgramCall, str]) -> Iterator[str]:
    """Steps of a plan, with those in them."""
    for step in steps:
        inner: list[tuple[str, Sequence[Step]]] = []
        match step:
            case ProgramCall():
                lanes = " x ".join(str(length) for length in step.lanes if str(length) != "1") or "1"
                buffers = ", ".join(str(arg.value) for arg in step.args if arg.kind == "buffer")
                why = whys.get(step)
                name = compiled.programs[step.program].metadata.name
                yield f"{name}[{lanes}]({buffers})" + (f": {why}" if why else "")
            case Target(name, body):
                inner = [(f"on {name}", body)]
            case Repeat(count, _, body):
                inner = [(f"{count} times", body)]
            case When(condition, then, otherwise):
                inner = [(f"if {condition}", then), ("else", otherwise)]
            case Loop(body):
                inner = [("again and again", body)]
            case Nest(body):
                yield from _shown(body, compiled, whys)
            case Read(value, _, buffer, offset):
                yield f"{value} = {buffer}[{offset}]"
            case Let(value, _, op, _, args):
                yield f"{value} = {op}({', '.join(str(arg.value) for arg in args)})"
            case Branch(levels):
                yield "go on" if levels else "once more"
        for head, held in inner:
            if held:
                yield f"{head}:"
                yield from (f"  {line}" for line in _shown(held, compiled, whys))
