"""python -m tests.fuzz: random programs on every device, compared with the reference.

    python -m tests.fuzz                                  the standard run: 3,150 programs on cpu, and what it covered
    python -m tests.fuzz --devices cpu,plain,wasm         other devices
    python -m tests.fuzz --profile exact:3000,wide:2000 --resume build/fuzz/wasm.state --devices wasm
    python -m tests.fuzz --profile gpu:1000,strict:100 --devices webgpu
    python -m tests.fuzz --profile python:1000 --devices wasm,optimized,file      kernels in Python
    python -m tests.fuzz --profile wide --seed 17 --show  the program of a seed
    python -m tests.fuzz --docs                           writes the numbers into docs/fuzzing.md

A failing seed is shrunk and written to build/fuzz/ as a filetest. The exit code says whether there was one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hologram_web.errors import BackendUnavailable

from .case import execute
from .devices import open_devices, reference
from .generator import generate
from .plan import PROFILES, STANDARD
from .python_kernels.generator import generate as generate_kernel
from .report import filetest_of, markdown, replace_section, write_json
from .runner import Settings, run, smallest

_ROOT = Path(__file__).resolve().parents[2]
_SHRUNK = 5  # failures that are shrunk


def _profiles(text: str) -> dict[str, int]:
    """The programs of each profile; 0 for what --count says."""
    found = {name: int(number or 0) for name, _, number in (part.partition(":") for part in text.split(","))}
    if unknown := found.keys() - PROFILES:
        raise argparse.ArgumentTypeError(f"there is no profile {', '.join(unknown)}")
    return found


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, help="programs of a profile without a number (100), or of all profiles")
    parser.add_argument("--seed", type=int, default=0, help="first seed (%(default)s)")
    parser.add_argument("--devices", default="cpu", help="cpu (both lane orders), plain, wasm, ... (%(default)s)")
    parser.add_argument(
        "--profile", type=_profiles, default=STANDARD, help=f"NAME[:COUNT],... of {', '.join(PROFILES)}"
    )
    parser.add_argument("--in-turn", action="store_true", help="a program runs on one of the devices, as its seed says")
    parser.add_argument("--jobs", type=int, default=2, help="processes (%(default)s)")
    parser.add_argument("--resume", type=Path, help="file to keep progress in, and to take it up from")
    parser.add_argument("--seconds", type=float, help="start nothing new after so many seconds")
    parser.add_argument("--shrink", type=float, default=60.0, help="seconds to shrink a failure (%(default)s)")
    parser.add_argument("--report", type=Path, default=_ROOT / "build" / "fuzz.json", help="(build/fuzz.json)")
    parser.add_argument("--docs", action="store_true", help="write the numbers into docs/fuzzing.md")
    parser.add_argument("--show", action="store_true", help="print the program of --seed as a filetest, run nothing")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    options = _arguments(words)
    if options.show:
        profile = next(iter(options.profile))
        if PROFILES[profile].python:
            print(generate_kernel(options.seed, profile), end="")
            return 0
        case = generate(options.seed, profile)
        print(filetest_of(case, execute(reference(), case)), end="")
        return 0
    devices = tuple(options.devices.split(","))
    try:
        open_devices(list(devices))
    except BackendUnavailable as error:
        print(error)
        return 2
    if options.count and options.profile is STANDARD:  # the standard mix, smaller or larger
        total = sum(STANDARD.values())
        options.profile = {name: -(-number * options.count // total) for name, number in STANDARD.items()}
    profiles = tuple((name, number or options.count or 100) for name, number in options.profile.items())
    settings = Settings(devices, profiles, options.seed, options.in_turn)
    progress = run(settings, jobs=options.jobs, state=options.resume, seconds=options.seconds)
    names = ["cpu with lanes descending" if name == "cpu" else name for name in devices]
    text = markdown(progress.statistics, progress.seconds, progress.processor, names, len(progress.failures))
    write_json(
        options.report,
        progress.statistics,
        seconds=progress.seconds,
        processor=progress.processor,
        devices=devices,
        refused=progress.refused,
    )
    print(text.split("\n###")[0].strip())
    for name, count in progress.refused.items():
        print(f"{name} refused {count} programs")
    if options.docs:
        replace_section(_ROOT / "docs" / "fuzzing.md", "standard run", text)
    for failure in progress.failures[:_SHRUNK]:
        ours = ("generator", "frontend", "oracle") if PROFILES[failure.profile].python else ("cpu", "generator")
        if failure.kind in ("differs", "fault", "crash") and failure.device not in ours:
            path, case = smallest(failure, _ROOT / "build" / "fuzz", options.shrink)
            print(f"\n{failure}\nis {len(case.program)} instructions in {path}:\n{path.read_text(encoding='utf-8')}")
    return 1 if progress.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
