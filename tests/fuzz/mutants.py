"""Seeded bugs: small changes to devices, compiler and targets that every good test suite has to notice.

    python -m tests.fuzz.mutants              tries all of them on the filetests and on the fuzzer, prints tables
    python -m tests.fuzz.mutants --docs       and writes them into docs/fuzzing.md
    HOLOGRAM_MUTANT="SUB swapped" pytest tests/test_filetests.py --device cpu       one of them, by hand

The fuzzer's programs are run by the reference as it is, then by the device with the bug; the filetests say themselves
what is right. Both are tried on the device without the bug first: what it does not pass cannot show anything.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

from .case import Case, Outcome, execute
from .code_mutants import CODE_MUTANTS
from .devices import Opponent, against, reference
from .generator import generate
from .mutant import Mutant, broken_device, sound_device
from .report import replace_section
from .shrink import fails_like, shrink

__all__ = ["MUTANTS", "apply_named", "first_cases", "hunt", "passes", "prepared", "shown_lines"]


_OPS = "hologram_web_tools.cpu.vector_ops:VectorOps."
_MACHINE = "hologram_web_tools.cpu.machine:Machine."
_MEMORY = "hologram_web_tools.cpu.memory:"
_RUNNER = "hologram_web_tools.cpu.collective_runner:CollectiveOps."

_SCALAR = "isa.ops:ScalarOps."
_WIDE = (
    (
        "the carry from bit 63 is lost",
        _SCALAR + "add",
        "ty.encode(ty.decode(a) + ty.decode(b))",
        "ty.encode(((a >> 64) + (b >> 64) << 64) | (a + b) % (1 << 64))",
    ),
    ("shift amounts are taken modulo the width plus 1", _SCALAR + "shl", "% ty.bits", "% (ty.bits + 1)"),
    ("DIV loses the sign", _SCALAR + "div", "(x < 0) == (y < 0)", "True"),
)
_INSTRUCTIONS = "isa.meanings:"
_ATLAS = (
    ("ClsGet masks a bit too many", _INSTRUCTIONS + "cls_get", "w.shr(byte, 5), 3)", "w.shr(byte, 5), 1)"),
    (
        "neighbours of step 0 are those of step 2",
        _INSTRUCTIONS + "_Words.neighbor",
        "self.eq(step, 0)",
        "self.eq(step, 2)",
    ),
    (
        "the resonance loses a carry",
        _INSTRUCTIONS + "res_accum",
        "w.select(over, one, 0))\n    over",
        "w.k(0))\n    over",
    ),
    ("a phase written is not reduced", _INSTRUCTIONS + "phase_write", "w.rem(src, 768)", "src"),
    (
        "PhaseAdv advances class 0",
        _INSTRUCTIONS + "phase_adv",
        "w.eq(w.own(), class_id)",
        "w.eq(0, class_id)",
    ),
    ("characters multiply by OR", _INSTRUCTIONS + "char_product", "w.xor(a, b)", "w.or_(a, b)"),
)

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
        Mutant(
            "functions: the last coefficient of polynomials is off by a thousandth",
            "isa.mathematics.number:polynomial",
            "x.constant(last)",
            "x.constant(last * 1.001)",
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
        Mutant("BF16 is cut off", "hologram_web_tools.cpu.vector_ops:_to_bf16", "bits + np.uint32(0x7FFF)", "bits"),
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
            _MACHINE + "run_block",
            "self.parked[self.lanes] = point\n                return",
            "ways = [(graph.next[point], self.lanes)]",
        ),
        Mutant(
            "lanes that have left are waited for",
            _MACHINE + "_release",
            "np.where(at < 0, len(self.graph.program), at).min(axis=1)",
            "at.min(axis=1)",
        ),
        Mutant("the length of an axis is on it", _MACHINE + "check", "places >= ends", "places > ends"),
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
            "hologram_web_tools.cpu.collective_functions:canonical_reduce",
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
        *(Mutant(f"wide: {name}", place, old, new, profile="wide") for name, place, old, new in _WIDE),
        *(Mutant(f"atlas: {name}", place, old, new, profile="atlas") for name, place, old, new in _ATLAS),
        *CODE_MUTANTS,
    )
}


def apply_named(name: str) -> None:
    """Lets a bug in for good. Raises KeyError for one that there is not."""
    MUTANTS[name].apply()


# The fuzzer


_PROFILES = ("exact", "exact", "exact", "faults")


def first_cases(count: int, device: str = "cpu", profile: str = "") -> list[Case]:
    """The cases of the first seeds: of `profile`, or of gpu for shaders, or one in four with a fault."""
    profiles = (profile,) if profile else ("gpu",) if device == "wgsl" else _PROFILES
    return [generate(seed, profiles[seed % len(profiles)]) for seed in range(count)]


def prepared(cases: list[Case]) -> list[tuple[Case, Outcome]]:
    """Cases with what the reference makes of them."""
    first = reference()
    return [(case, execute(first, case)) for case in cases]


def _found_by(opponent: Opponent, case: Case, expected: Outcome) -> Any:
    """The failure of an opponent, or None. To refuse a program is none."""
    failure = against(case, expected, opponent)
    return None if failure is None or failure.kind == "refused" else failure


def hunt(mutant: Mutant, cases: list[tuple[Case, Outcome]]) -> tuple[int, Case, Any] | None:
    """The first case that tells the mutant from the device: how many that took, the case, the failure."""
    opponent = Opponent("mutant", broken_device(mutant))
    for number, (case, expected) in enumerate(cases, 1):
        failure = _found_by(opponent, case, expected)
        if failure is not None:
            return number, case, failure
    return None


# The filetests


def run_lines(device: str) -> list[tuple[Any, Any]]:
    """The run lines of the filetests for a device, with their launches: for shaders those of one type each."""
    if device == "wgsl":
        from ..test_targets import cases

        return [(case, case.launch("cpu")) for case in cases()]
    from ..filetest import FOLDER, load

    tests = [load(path) for path in sorted(FOLDER.rglob("*.atlas"))]
    cases_ = [
        case for test in tests if test.runs_on(device.rstrip("1")) for case in test.cases() if case.run is not None
    ]
    return [(case, case.launch(device.rstrip("1"))) for case in cases_]


def shown_lines(mutant: Mutant) -> list[tuple[Any, Any]]:
    """The run lines that are named to show a bug."""
    from ..filetest import FOLDER, load

    cases = load(FOLDER / mutant.shown_by.split(":")[0]).cases()
    return [(case, case.launch("cpu")) for case in cases if case.id.startswith(mutant.shown_by) and case.run]


def passes(device: Any, launch: Any) -> bool:
    """Whether a device does what a run line says."""
    from ..filetest_run import check

    try:
        check(launch, device)
    except Exception:  # a mutant may fail in any way
        return False
    return True


# All of them

_TITLES = {
    "compiler": "### compiler, run on wasm",
    "packets": "### packets of lanes, run on wasm",
    "wide": "### cpu, profile `wide`",
    "atlas": "### cpu, profile `atlas`",
}


@dataclass
class _Trials:
    """What the bugs of a device are tried on: what it passes without a bug. Without `lines`, what `shown_by` names."""

    device: Any
    lines: list[tuple[Any, Any]]
    cases: list[tuple[Case, Outcome]]
    text: str

    @classmethod
    def of(cls, name: str, programs: int, named: bool, profile: str = "") -> _Trials:
        device, cases = sound_device(name), prepared(first_cases(programs, name, profile))
        lines = [] if named else run_lines(name)
        Random(0).shuffle(lines)  # mixes the folders
        good = [(case, launch) for case, launch in lines if passes(device, launch)]
        opponent = Opponent(name, device)
        sound = [(case, expected) for case, expected in cases if against(case, expected, opponent) is None]
        tests = "the filetests named for each" if named else f"{len(good):,} of {len(lines):,} run lines of filetests"
        text = f"{tests} and {len(sound):,} of {len(cases):,} programs, which the device without a bug passes"
        return cls(device, good, sound, text)

    def failing(self, mutant: Mutant) -> str | None:
        """The first run line that the device with the bug does not pass."""
        lines = self.lines or [pair for pair in shown_lines(mutant) if passes(self.device, pair[1])]
        broken = broken_device(mutant)
        return next((case.id for case, launch in lines if not passes(broken, launch)), None)


def _row(mutant: Mutant, trials: _Trials, shrinking: float) -> tuple[str, bool]:
    """The line of the table, and whether both found it."""
    failing = trials.failing(mutant)
    found = hunt(mutant, trials.cases)
    program = size = "-"
    if found is not None:
        number, case, failure = found
        program = f"program {number}"
        if shrinking:
            opponent = Opponent("mutant", broken_device(mutant))
            left = len(shrink(case, fails_like(failure, opponent), shrinking).program)
            size = f"{left} instruction{'' if left == 1 else 's'}"
    name = mutant.name.removeprefix(f"{_group(mutant)}: ")
    line = f"| {name} | {f'`{failing}`' if failing else '-'} | {program} | {size} |"
    return line, failing is not None and found is not None


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.mutants", description="Tries seeded bugs on the tests.")
    parser.add_argument("--programs", type=int, default=1500, help="fuzz programs tried on each (%(default)s)")
    parser.add_argument("--shaders", type=int, default=300, help="the same for shaders (%(default)s)")
    parser.add_argument(
        "--shrink", type=float, default=20.0, help="seconds to shrink what is found; 0 to leave it (%(default)s)"
    )
    parser.add_argument("--docs", action="store_true", help="write the tables into docs/fuzzing.md")
    parser.add_argument("--named", action="store_true", help="only the filetests that are named for a bug, not all")
    parser.add_argument("--only", help="those whose names hold this")
    options = parser.parse_args(words)
    lines: list[str] = []
    missed = 0
    for group in dict.fromkeys(map(_group, MUTANTS.values())):
        chosen = [m for m in MUTANTS.values() if _group(m) == group and (options.only or "") in m.name]
        if not chosen:
            continue
        programs = options.shaders if group == "wgsl" else options.programs
        trials = _Trials.of(chosen[0].device, programs, options.named and group != "cpu", chosen[0].profile)
        start = len(lines)
        lines += [
            _TITLES.get(group, f"### {group}"),
            "",
            f"Tried on {date.today().isoformat()}: {len(chosen)} bugs, on {trials.text}.",
            "",
            "| Bug | Found by the filetest | Found by the fuzzer | Shrunk to |",
            "|---|---|---|---|",
        ]
        print("\n".join(lines[start:]), flush=True)
        for mutant in chosen:
            begin = time.monotonic()
            line, both = _row(mutant, trials, options.shrink)
            missed += not both
            lines.append(line)
            print(line, f"{time.monotonic() - begin:.0f} s", flush=True)
        lines.append("")
    if options.docs:
        replace_section(Path(__file__).resolve().parents[2] / "docs" / "fuzzing.md", "mutants", "\n".join(lines))
    return 1 if missed else 0


def _group(mutant: Mutant) -> str:
    """`compiler`, `wasm`, `wgsl`, `wide` or `atlas`, which the name starts with, or `cpu`."""
    return mutant.name.partition(": ")[0] if mutant.device != "cpu" or mutant.profile else "cpu"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
