"""Seeded bugs: small changes to the cpu device that every good test suite has to notice.

    python -m tests.fuzz.mutants              tries all of them on the filetests and on the fuzzer, prints a table
    python -m tests.fuzz.mutants --docs       and writes it into docs/fuzzing.md
    HOLOGRAM_MUTANT="SUB swapped" pytest tests/test_filetests.py --device cpu       one of them, by hand

A mutant replaces a piece of the source text of one function while it is applied. The fuzzer's programs are run by the
device as it is, then by the mutant; the filetests say themselves what is right.
"""

from __future__ import annotations
import __future__

import argparse
import inspect
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any

from hologram_web.backends.cpu import CpuBackend
from hologram_web.isa import Program

from .case import Case, Outcome, execute
from .devices import LIMITS, Opponent, against, reference
from .generator import generate
from .report import replace_section
from .shrink import fails_like, shrink

__all__ = ["MUTANTS", "Mutant", "MutantBackend", "apply_named", "first_cases", "hunt", "prepared"]


@dataclass(frozen=True)
class Mutant:
    """A bug: in the source of the function `place` ("module:qualified name"), `new` stands for `old`."""

    name: str
    place: str
    old: str
    new: str

    def _function(self) -> Any:
        module, _, path = self.place.partition(":")
        found: Any = import_module(f"hologram_web.{module}")
        for part in path.split("."):
            found = inspect.getattr_static(found, part)
        found = getattr(found, "__func__", found)  # of a static method
        return inspect.unwrap(found)

    def code(self) -> CodeType:
        """The changed function. Raises LookupError if the text to change is not there (once)."""
        function = self._function()
        source = textwrap.dedent(inspect.getsource(function))
        if source.count(self.old) != 1:
            raise LookupError(f"mutant {self.name!r}: {self.place} holds {source.count(self.old)} times {self.old!r}")
        lines = source.replace(self.old, self.new).split("\n")
        while lines[0].startswith("@"):
            lines.pop(0)
        flags = __future__.annotations.compiler_flag
        names: dict[str, Any] = {}
        exec(compile("\n".join(lines), self.place, "exec", flags), function.__globals__, names)
        code: CodeType = names[function.__name__].__code__
        return code

    def apply(self) -> Callable[[], None]:
        """Lets the bug in; what it returns takes it out."""
        function = self._function()
        old, function.__code__ = function.__code__, _changed(self)

        def undo() -> None:
            function.__code__ = old

        return undo

    @contextmanager
    def applied(self) -> Iterator[None]:
        undo = self.apply()
        try:
            yield
        finally:
            undo()


@cache
def _changed(mutant: Mutant) -> CodeType:
    return mutant.code()


_OPS = "backends.cpu.vector_ops:VectorOps."
_MACHINE = "backends.cpu.machine:Machine."
_MEMORY = "backends.cpu.memory:"
_RUNNER = "backends.cpu.collective_runner:CollectiveOps."

MUTANTS: dict[str, Mutant] = {
    mutant.name: mutant
    for mutant in (
        Mutant("shift amount not taken modulo", _OPS + "shl", "amount % np.uint32(ty.bits)", "amount"),
        Mutant(
            "SHR logical on signed types",
            _OPS + "shr",
            "np.right_shift(x, (amount % np.uint32(ty.bits)).astype(ty.numpy))",
            "np.right_shift(_bits(ty, x), (amount % np.uint32(ty.bits)).astype(ty.unsigned.numpy)).view(ty.numpy)",
        ),
        Mutant("SUB swapped", _OPS + "sub", "np.subtract(a, b)", "np.subtract(b, a)"),
        Mutant("SEL inverted", _OPS + "select", "np.where(p, a, b)", "np.where(p, b, a)"),
        Mutant("LTU compares as signed", "isa.table:_compare", "ty.unsigned, ty, lhs), o", "ty, ty, lhs), o"),
        Mutant("DIV rounds down", _OPS + "div", "if ty.is_signed:", "if False:"),
        Mutant("REM has the sign of the divisor", _OPS + "rem", "np.fmod(a, np", "np.remainder(a, np"),
        Mutant("CVT to integer does not saturate", _OPS + "_to_integer", "np.where(inside, kept, limit)", "whole"),
        Mutant("MIN and MAX take any zero", _OPS + "_extreme", "np.where(a == b, equal, chosen)", "chosen"),
        Mutant("FMA rounds twice", _OPS + "fma", "_odd(np.where(np.isfinite(total), lost, 0.0), total)", "total"),
        Mutant("F64 to BF16 rounds twice", _OPS + "cvt", "_odd(value - single.astype(np.float64), single)", "single"),
        Mutant("BF16 is cut off", "backends.cpu.vector_ops:_to_bf16", "bits + np.uint32(0x7FFF)", "bits"),
        Mutant("ROUND: halves away from zero", _OPS + "round", "np.rint(x)", "np.trunc(x + np.copysign(0.5, x))"),
        Mutant(
            "a register is written in all lanes",
            _MACHINE + "write",
            "self.lanes.size == self.count",
            "np.size(values) == 1",
        ),
        Mutant("one surplus lane runs", _MACHINE + "_alive", "< asked", "<= asked"),
        Mutant("LOOP runs once more", _MACHINE + "_taken", "counter != 0", "counter != 0xFFFFFFFF"),
        Mutant("a guard's negation is lost", _MACHINE + "_taken", "~holds if instruction", "holds if instruction"),
        Mutant(
            "a barrier is passed at once",
            _MACHINE + "_block",
            "self.parked[self.lanes] = point\n                return",
            "ways = [(graph.next[point], self.lanes)]",
        ),
        Mutant(
            "lanes that have left are waited for",
            _MACHINE + "_release",
            "np.where(at < 0, len(self.graph.program), at).min(axis=1)",
            "at.min(axis=1)",
        ),
        Mutant("blocks share their shared memory", _MACHINE + "_place", "if region.stride:", "if False:"),
        Mutant("cas stores if the cell differs", _MACHINE + "atomic", "old[lane] == expected", "old[lane] != expected"),
        Mutant(
            "atomic min and max mixed up",
            _MACHINE + "atomic",
            "_ATOMICS[operation](",
            "_ATOMICS[AtomicOperation({'min': 'max', 'max': 'min'}.get(operation.value, operation.value))](",
        ),
        Mutant("GEMM ignores trans_a", _RUNNER + "gemm", "self._read(a, ty, k, m).T", "self._read(a, ty, m, k)"),
        Mutant("GEMM swaps m and n of c", _RUNNER + "gemm", "self._read(c, ty, m, n)", "self._read(c, ty, n, m).T"),
        Mutant("maps swap their operands", _RUNNER + "parallel_map_binary", "ty, lhs, rhs)", "ty, rhs, lhs)"),
        Mutant(
            "reductions pair neighbours",
            "backends.cpu.collectives:canonical_reduce",
            "orbits[:, :half]), np.ascontiguousarray(orbits[:, half:])",
            "orbits[:, ::2]), np.ascontiguousarray(orbits[:, 1::2])",
        ),
        Mutant(
            "one element past the end is in bounds",
            _MEMORY + "checked",
            "> size - need)",
            "> size - need + ty.size_bytes)",
        ),
        Mutant("misaligned accesses are let through", _MEMORY + "checked", "% ty.alignment != 0", "% 1 != 0"),
        Mutant(
            "the offset of an address is scaled",
            _MEMORY + "byte_offsets",
            "wide * scale + offset",
            "(wide + offset) * scale",
        ),
    )
}


def apply_named(name: str) -> None:
    """Lets a bug in for good. Raises KeyError for one that there is not."""
    MUTANTS[name].apply()


class MutantBackend(CpuBackend):
    """The cpu device with a bug, while it runs a program."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(limits=LIMITS)
        self.mutant = mutant
        _changed(mutant)  # if it does not apply, then now

    def execute_program_with_params(self, program: Program, params: Any) -> None:
        with self.mutant.applied():
            super().execute_program_with_params(program, params)


# The fuzzer


_PROFILES = ("exact", "exact", "exact", "faults")


def first_cases(count: int) -> list[Case]:
    """The cases of the first seeds, one in four of them with a fault."""
    return [generate(seed, _PROFILES[seed % len(_PROFILES)]) for seed in range(count)]


def prepared(cases: list[Case]) -> list[tuple[Case, Outcome]]:
    """Cases with what the reference makes of them."""
    first = reference()
    return [(case, execute(first, case)) for case in cases]


def hunt(mutant: Mutant, cases: list[tuple[Case, Outcome]]) -> tuple[int, Case, Any] | None:
    """The first case that tells the mutant from the device: how many that took, the case, the failure."""
    opponent = Opponent("mutant", MutantBackend(mutant))
    for number, (case, expected) in enumerate(cases, 1):
        failure = against(case, expected, opponent)
        if failure is not None:
            return number, case, failure
    return None


def _shrunk(mutant: Mutant, case: Case, failure: Any, seconds: float) -> Case:
    opponent = Opponent("mutant", MutantBackend(mutant))
    return shrink(case, fails_like(failure, opponent), seconds)


# The filetests


def _filetests() -> list[tuple[Any, Any]]:
    """Every run line of the filetests for cpu, in an order that mixes the folders."""
    from ..filetest import FOLDER, load

    tests = [load(path) for path in sorted(FOLDER.rglob("*.atlas"))]
    cases = [case for test in tests if test.runs_on("cpu") for case in test.cases() if case.run is not None]
    Random(0).shuffle(cases)
    return [(case, case.launch("cpu")) for case in cases]


def _first_failing(mutant: Mutant, tests: list[tuple[Any, Any]]) -> str | None:
    from ..filetest_run import check

    device = MutantBackend(mutant)
    for case, launch in tests:
        try:
            check(launch, device)
        except Exception:
            return str(case.id)
    return None


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.mutants", description="Tries seeded bugs on the tests.")
    parser.add_argument("--programs", type=int, default=1500, help="fuzz programs tried on each (%(default)s)")
    parser.add_argument("--shrink", type=float, default=20.0, help="seconds to shrink what is found (%(default)s)")
    parser.add_argument("--docs", action="store_true", help="write the table into docs/fuzzing.md")
    parser.add_argument("--only", help="one mutant, by its name")
    options = parser.parse_args(words)
    cases, tests = prepared(first_cases(options.programs)), _filetests()
    lines = [
        f"Tried on {date.today().isoformat()}: {len(MUTANTS)} bugs, {len(tests)} run lines of filetests, at most "
        f"{options.programs} programs of the fuzzer for each.",
        "",
        "| Bug | Found by the filetest | Found by the fuzzer | Shrunk to |",
        "|---|---|---|---|",
    ]
    print("\n".join(lines))
    missed = 0
    for mutant in MUTANTS.values():
        if options.only not in (None, mutant.name):
            continue
        start = time.monotonic()
        failing = _first_failing(mutant, tests)
        found = hunt(mutant, cases)
        program = shrunk = "-"
        if found is not None:
            number, case, failure = found
            program = f"program {number}"
            left = len(_shrunk(mutant, case, failure, options.shrink).program)
            shrunk = f"{left} instruction{'' if left == 1 else 's'}"
        missed += failing is None or found is None
        lines.append(f"| {mutant.name} | {f'`{failing}`' if failing else '-'} | {program} | {shrunk} |")
        print(lines[-1], f"{time.monotonic() - start:.0f} s", flush=True)
    if options.docs:
        replace_section(Path(__file__).resolve().parents[2] / "docs" / "fuzzing.md", "mutants", "\n".join(lines) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
