"""Passes over the IR, in the order they run. Each has a name; `optimize` can show the function after each."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import Function
from .branches import fold_branches
from .cse import eliminate_common
from .dce import eliminate_dead
from .fold import fold
from .licm import hoist_invariants

__all__ = ["PASSES", "optimize"]

PASSES: dict[str, Callable[[Function], bool]] = {
    "fold": fold,
    "branches": fold_branches,
    "cse": eliminate_common,
    "licm": hoist_invariants,
    "dce": eliminate_dead,
}
_ROUNDS = 4


def optimize(function: Function, show: Callable[[str, str], None] | None = None) -> Function:
    """Runs the passes until nothing changes. `show(name, text)` gets the function at the start and after each."""
    if show is not None:
        show("start", str(function))
    for _ in range(_ROUNDS):
        changed = False
        for name, run in PASSES.items():
            if run(function):
                changed = True
                if show is not None:
                    show(name, str(function))
        if not changed:
            break
    function.renumber()
    return function
