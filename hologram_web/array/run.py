"""Computing nodes: a plan for graphs of one form, found again by it, and a run of it on an executor's device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..isa.arguments import scalar_bits
from ..isa.elements import bool_, stored_as
from ..plan.builder import PlanBuilder
from ..plan.plan import size_of
from ..runtime.compiled import CompiledProgram
from ..runtime.walking import target_of
from .node import ArrayNode, in_order
from .planning import lower
from .tracing import check_known

if TYPE_CHECKING:
    from ..runtime.executor import Buffer, Executor

__all__ = ["execute", "explain", "realize", "shown"]

_KEPT = 1024
_plans: dict[Any, _Known] = {}


class _Known:
    """A plan that can run: what its steps need."""

    def __init__(self, roots: Sequence[ArrayNode], order: Sequence[ArrayNode], target: str) -> None:
        lowered = lower(roots, order, PlanBuilder("arrays", targets=(target,)))
        self.texts = lowered.texts
        self.compiled = CompiledProgram.from_builder(lowered.plan)
        self.sources, self.scalars, self.results = lowered.sources, lowered.scalars, lowered.results
        self.temporaries = [(each.name, size_of(each, {})) for each in self.compiled.plan.temporaries]


def _known(roots: Sequence[ArrayNode], order: Sequence[ArrayNode], executor: Executor) -> _Known:
    numbers = {id(node): number for number, node in enumerate(order)}
    target = target_of(executor.device)
    key = (
        target,
        *((node.op, node.dtype, node.shape, node.attrs, *[numbers[id(arg)] for arg in node.args])
          if node.op != "scalar" or node.dtype is not bool_
          else (node.shape, node.held)
          for node in order),
        *(numbers[id(root)] for root in roots),
    )  # fmt: skip
    known = _plans.get(key)
    if known is None:
        if len(_plans) >= _KEPT:
            _plans.pop(next(iter(_plans)))
        known = _plans[key] = _Known(roots, order, target)
    return known


def realize(nodes: Sequence[ArrayNode], executor: Executor, into: Buffer | None = None) -> None:
    """Computes nodes, each once: afterwards they are sources. One alone may be written `into` a buffer that it does not
    read. Raises what compiling and launching raise."""
    roots = list({id(node): node for node in nodes if node.op != "source"}.values())
    if not roots:
        return
    order = in_order(roots)
    check_known(order)
    known = _known(roots, order, executor)
    device: Any = executor.device
    handles = {}
    sources = iter(known.sources)
    scalars = iter(known.scalars)
    bits = {}
    for node in order:
        if node.op == "source":
            handles[next(sources)] = node.held.handle
        elif node.op == "scalar":
            name = next(scalars)
            held = int(node.held) if node.dtype is bool_ else node.held
            bits[name] = scalar_bits(name, stored_as(node.dtype), held)
    if into is not None:
        into.changes()
    made = [executor.result(node.shape, node.dtype) if into is None else into for node in roots]
    for name, buffer in zip(known.results, made, strict=True):
        handles[name] = buffer.handle
    execute(known.compiled, device, handles, bits, known.temporaries)
    for node, buffer in zip(roots, made, strict=True):
        node.settle(buffer)


def execute(
    compiled: CompiledProgram,
    device: Any,
    handles: dict[str, Any],
    bits: dict[str, int],
    temporaries: Sequence[tuple[str, int]],
) -> None:
    """Runs a plan, with memory of these sizes for its temporaries meanwhile."""
    lent = []
    try:
        for name, size in temporaries:
            handles[name] = device.allocate_buffer(size)
            lent.append(handles[name])
        compiled.execute(device, handles, bits, {})
    finally:
        for handle in lent:
            device.free_buffer(handle)


def explain(nodes: Sequence[ArrayNode], executor: Executor) -> str:
    """The texts of the kernels, and the steps of the plan."""
    roots = [node for node in nodes if node.op != "source"]
    if not roots:
        return "in memory: nothing to compute"
    known = _known(roots, in_order(roots), executor)
    steps = "\n".join(shown(step, known.compiled) for step in known.compiled.plan.steps)
    return "\n".join([*known.texts, steps])


def shown(step: Any, compiled: CompiledProgram) -> str:
    """A step of a plan, with those in it."""
    if not hasattr(step, "program"):
        return f"on {step.name}:\n" + "\n".join(f"  {shown(each, compiled)}" for each in step.body)
    program = compiled.programs[step.program]
    lanes = " x ".join(str(length) for length in step.lanes if str(length) != "1") or "1"
    buffers = ", ".join(str(arg.value) for arg in step.args if arg.kind == "buffer")
    return f"{program.metadata.name}[{lanes}]({buffers})"
