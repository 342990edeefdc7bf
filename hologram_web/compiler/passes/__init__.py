"""Passes over the IR, in the order they run. Each has a name and counts what it did; none does anything twice."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import cycle, islice
from typing import NamedTuple

from ..ir import Function
from ..out_of_ssa import lower
from .branches import fold_branches
from .cse import eliminate_common
from .dce import eliminate_dead
from .fold import RULES, fold
from .forward import forward
from .ifconvert import convert_ifs
from .licm import hoist_invariants
from .strength import reduce_strength
from .unroll import unroll_loops

__all__ = ["PASSES", "Pass", "fired", "optimize"]


class Pass(NamedTuple):
    """`run` gives how often the pass fired: rewrites of nodes, blocks and edges; `line` says what they are."""

    run: Callable[[Function], int]
    line: str


PASSES: dict[str, Pass] = {
    "fold": Pass(fold, "Constants are computed and nodes simplified, by the rules below."),
    "branches": Pass(
        fold_branches, "Branches on constants, phis of one value and jumps to a block's only successor go."
    ),
    "strength": Pass(
        reduce_strength,
        "Division by a power of two is a shift or a mask; the remainder beside a quotient is a - a / b * b.",
    ),
    "cse": Pass(eliminate_common, "A pure value that a dominating block has is not computed again, nor a guard asked."),
    "forward": Pass(
        forward, "What a lane stored or loaded it does not load again; stores that nobody sees before the next one go."
    ),
    "licm": Pass(hoist_invariants, "A pure value that is the same in every round is computed before the loop."),
    "dce": Pass(eliminate_dead, "Values that nothing needs and blocks that nothing reaches go."),
    "ifconvert": Pass(convert_ifs, "Both ways of a branch are computed where they do little, and one is selected."),
    "unroll": Pass(unroll_loops, "A small loop whose number of rounds is known becomes copies of its body."),
}

_MOST_ROUNDS = 100  # two or three are usual; a mistake in a pass may make code worse, but never a page hang


def optimize(
    function: Function, show: Callable[[str, str], None] | None = None, *, without: Collection[str] = ()
) -> Function:
    """Runs the passes, but for those in `without`, until none fires; `function.fired` has how often each did.

    `show(name, text)` gets the function at the start and after each pass that fired.
    """
    if show is not None:
        show("start", str(function))
    passes = {name: found.run for name, found in PASSES.items() if name not in without}
    idle = 0  # passes that found nothing, one after the other
    for name, run in islice(cycle(passes.items()), _MOST_ROUNDS * len(passes)):
        if count := run(function):
            function.fired[name] += count
            idle = 0
            if show is not None:
                show(name, str(function))
        else:
            idle += 1
            if idle == len(passes):
                break
    function.renumber()
    lower.cache_clear()  # it may have been lowered before
    return function


def fired(function: Function) -> str:
    """How often the passes fired, and in brackets the rules of `fold`: `fold 3 (constant 2, neutral 1), dce 4`."""
    counts = function.fired
    rules = ", ".join(f"{name} {counts[name]}" for name in RULES if counts[name])
    names = [f"{name} {counts[name]}" + f" ({rules})" * (name == "fold") for name in PASSES if counts[name]]
    return ", ".join(names) or "none fired"
