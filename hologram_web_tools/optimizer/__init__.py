"""The optimizer of programs: passes from Program to Program that keep what it means on every device.

Each pass is a function from `Facts` to `Edits`, listed with its name and what it does in `PASSES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import NamedTuple

from hologram_web.errors import CompileError
from hologram_web.isa.program import Program

from .coalescing import coalesce
from .common import reuse
from .constants import propagate_constants
from .copies import propagate_copies
from .dead import eliminate_dead
from .facts import Edits, Facts
from .fusion import fuse
from .jumps import thread_jumps
from .peephole import simplify

__all__ = ["PASSES", "ProgramOptimizer", "Rewrite"]


class Rewrite(NamedTuple):
    run: Callable[[Facts], Edits]
    doc: str


PASSES: dict[str, Rewrite] = {
    "constant-propagation": Rewrite(
        propagate_constants, "What is the same on every way becomes MOV_IMM, or no branch."
    ),
    "copy-propagation": Rewrite(propagate_copies, "What was copied is read where it came from."),
    "peephole": Rewrite(simplify, "What algebra makes simpler: x + 0, x ^ x, conversions there and back, not a < b."),
    "common-subexpressions": Rewrite(reuse, "What a register holds is not computed or loaded again in its block."),
    "fusion": Rewrite(fuse, "MUL and ADD of integers become MAD, SETcc and SEL MIN; indices go into addresses."),
    "copy-coalescing": Rewrite(coalesce, "What is computed only to be copied is computed where the copy goes."),
    "jumps": Rewrite(thread_jumps, "Branches to the next instruction, to a jump, around a jump."),
    "dead-code": Rewrite(eliminate_dead, "What nothing needs and nothing reaches goes, and labels that nothing names."),
}
_ROUNDS = 64  # none of our programs takes more than a dozen


class ProgramOptimizer:
    """Makes programs smaller. `passes` are names of PASSES, all of them by default, which run in the table's order,
    over and over until none finds anything; with math="fast" products and sums of floats may become MAD, which some
    devices round once. Raises CompileError for another name.

    After `optimize`, `counters` says how many instructions (and labels) each pass changed, and `origins` which
    instruction of the program that was given each instruction was.
    """

    def __init__(self, passes: Sequence[str] | None = None, *, math: str = "exact") -> None:
        names = list(PASSES) if passes is None else [passes] if isinstance(passes, str) else list(passes)
        for name in names:
            if name not in PASSES:
                raise CompileError(None, f"there is no pass {name!r}: use {', '.join(PASSES)}")
        if math not in ("exact", "fast", "strict"):
            raise CompileError(None, f"math is 'exact', 'fast' or 'strict', not {math!r}")
        self.passes = tuple(name for name in PASSES if name in names)
        self.math = math
        self.counters: dict[str, int] = {}
        self.origins: tuple[int, ...] = ()

    def optimize(self, program: Program) -> Program:
        """A program that means the same; the one that is given stays as it is. Raises IsaError if it is not valid."""
        facts = Facts(program, self.math == "fast")
        counters = dict.fromkeys(self.passes, 0)
        program, _, origins = Edits(facts).apply()
        idle = 0  # passes in a row that found nothing
        for name in islice(cycle(self.passes), _ROUNDS * len(self.passes)):
            found, count, kept = PASSES[name].run(facts).apply()
            idle = 0 if count else idle + 1
            if count:
                counters[name] += count
                program, origins = found, [origins[index] for index in kept]
                facts = Facts(program, facts.fast)
            if idle >= len(self.passes):
                break
        self.counters, self.origins = counters, tuple(origins)
        return program
