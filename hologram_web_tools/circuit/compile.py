"""`compile`: from text, or from calls, to a CompiledCircuit that runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hologram_web.errors import LaunchError
from hologram_web.isa.program import Program
from hologram_web.isa.types import Type

from .calls import Call, calls_of
from .canonical import MOVING, canonicalize
from .lower import COUNT, Bindings, lower
from .tree import Group, Op, Phrase

if TYPE_CHECKING:
    from hologram_web.isa.launch import LaunchConfig

__all__ = ["CircuitToIsa", "CompiledCircuit", "compile"]


@dataclass(frozen=True)
class CompiledCircuit:
    """A circuit as calls and as a verified Program.

    The program's parameters are the buffers of the bindings, in the order in which the calls come to them (inputs
    before the result), and behind them, if a call goes over elements, `n: u64`, the number of elements. Classes that
    are not bound are class memory, or what `Executor.bind_class` binds. `capacity` is how many elements its ranges
    hold (None: it has no ranges). Expressions and counts are those of `Canonical`; a circuit made of calls has no text.
    """

    calls: list[Call]
    program: Program
    original_expr: str
    canonical_expr: str
    original_ops: int
    canonical_ops: int
    reduction_pct: float
    applied_rules: list[str]
    warnings: list[str]
    capacity: int | None = None
    least_lanes: int = field(default=1, repr=False)

    def launch(self, n: int = 0) -> LaunchConfig:
        """The lanes of a launch over `n` elements. Raises LaunchError if its ranges hold fewer."""
        from hologram_web.isa.launch import LaunchConfig

        if n < 0 or (self.capacity is not None and n > self.capacity):
            most = "" if self.capacity is None else f" to {self.capacity}, which its ranges hold"
            raise LaunchError(f"the circuit works on {n} elements: give a number from 0{most}")
        return LaunchConfig.linear(max(n, self.least_lanes))

    def run(self, executor: Any, n: int | None = None, **buffers: Any) -> None:
        """Runs it on an Executor over `n` elements, which may be left out where the program has no `n`; `buffers` are
        those of the bindings that have names.

        Raises LaunchError for an `n` beyond the capacity or arguments that are missing, ExecutionError for a fault.
        """
        counted = self.program.param(COUNT) is not None
        if counted and n is None:
            raise LaunchError("the circuit works on n elements: say how many, run(executor, n)")
        executor.run(self.program, self.launch(n or 0), **({COUNT: n} if counted else {}), **buffers)


def compile(
    source: str | Phrase | Iterable[Call],
    rules: str = "marks",
    bindings: Bindings | None = None,
    *,
    ty: Type = Type.F32,
) -> CompiledCircuit:
    """Compiles a circuit, or calls, for elements of a type.

    `rules` is "marks", "none", or "all", which also takes copies away (and warns of it). `bindings` says where elements
    are: a class (`{5: "x"}`) is bound to the name of a buffer parameter, a Buffer or a handle; a range (`{(0, 9): ("a",
    "b")}`) to its inputs, and after them where its result goes if that is not the range. An input may also be the class
    in which as many classes start. Unbound classes are class memory; an unbound range reads the parameters a and b.

    Raises TranslateError for text that is no circuit, operations that are no calls, and bindings that do not fit.
    """
    if not isinstance(source, (str, Phrase)):
        calls, text = list(source), ""
        phrase = None
    else:
        text = source if isinstance(source, str) else str(source)
        canonical = canonicalize(source, rules)
        phrase, calls = canonical.phrase, calls_of(canonical.phrase, text)
    lowered = lower(calls, bindings, ty)
    rest = (lowered.capacity, lowered.lanes)
    if phrase is None:
        return CompiledCircuit(calls, lowered.program, "", "", len(calls), len(calls), 0.0, [], [], *rest)
    warnings = [
        f"the rule {name!r} took copies away: what they would have written is not there"
        for name in sorted(MOVING.intersection(canonical.applied_rules))
    ]
    warnings += _warnings(phrase)
    return CompiledCircuit(
        calls,
        lowered.program,
        text,
        canonical.text,
        canonical.original_ops,
        canonical.canonical_ops,
        canonical.reduction_pct,
        canonical.applied_rules,
        warnings,
        *rest,
    )


def _warnings(phrase: Phrase) -> list[str]:
    """What a call cannot say: pages, and branches without an order."""
    pages = [
        f"{op}: the page {sigil.page} says nothing to a call, which works on the whole class"
        for branch in phrase.branches
        for op in _ops(branch)
        for sigil in op.sigils
        if sigil.page is not None
    ]
    return pages + _races(phrase)


def _races(phrase: Phrase) -> list[str]:
    found: list[str] = []
    writers: dict[int, int] = {}
    for number, branch in enumerate(phrase.branches):
        written = {c for op in _ops(branch) for c in _writes(op)}
        for c in sorted(written & writers.keys()):
            found.append(f"class {c} is written in branches {writers[c] + 1} and {number + 1}, which have no order")
        writers.update((c, number) for c in written if c not in writers)
        for term in branch:
            if isinstance(term, Group):
                found += _races(term.body)
    return found


def _ops(branch: Iterable[Any]) -> list[Op]:
    found: list[Op] = []
    for term in branch:
        found += [term] if isinstance(term, Op) else [op for inner in term.body.branches for op in _ops(inner)]
    return found


def _writes(op: Op) -> list[int]:
    """The classes that an operation writes."""
    classes = [sigil.class_index for sigil in op.sigils]
    match op.generator:
        case "mark" | "quote" | "evaluate":
            return []
        case "swap":
            return classes
        case _:
            return classes[-1:] if isinstance(op.target, tuple) else classes


class CircuitToIsa:
    """The name in the source documents: `translate` is `compile(...).program`."""

    def translate(self, circuit: str | Phrase | CompiledCircuit | Iterable[Call], **options: Any) -> Program:
        """The Program of text, of calls, or of a compiled circuit. Raises TranslateError."""
        return circuit.program if isinstance(circuit, CompiledCircuit) else compile(circuit, **options).program
