"""The devices of a run: the reference, and those that are compared with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from hologram_web.backends import DEVICES, Limits
from hologram_web.backends.wasm import WasmBackend
from hologram_web.errors import BackendUnavailable, HologramError, UnsupportedInstruction, UnsupportedType
from hologram_web.isa.lift import lift
from hologram_web.isa.verify import Analysis, analyze
from hologram_web_tools.cpu import CpuBackend

from .case import Case, Outcome, compare, execute
from .filed import FiledBackend, FiledShaders, LoadedBackend
from .optimized import OptimizedBackend
from .packets import PacketsBackend
from .plain import PlainBackend
from .plan import PROFILES
from .traced import LegalBackend, PairsBackend, TracedBackend

__all__ = [
    "HASTY",
    "LIMITS",
    "PATIENT",
    "Failure",
    "Opponent",
    "against",
    "check",
    "open_devices",
    "prime",
    "reference",
]

LIMITS = Limits(steps=1000, seconds=300)  # beside other work, at low priority; `runner` waits for 400
_TRACED = {"traced": TracedBackend, "legal": LegalBackend, "pairs": PairsBackend}
PATIENT = Limits(steps=1000, seconds=600)  # for what adapters that are programs compute long, beside other work
HASTY = Limits(steps=1000, seconds=1)  # for programs that may do anything: those that a shrinker tries
# Devices in Chromium, whose class memory and resonance are out of reach.
_PAGES = {
    "chromium-webgpu": "tests.fuzz.chromium:ChromiumWebGpu",
    "chromium-wasm": "tests.fuzz.chromium:ChromiumWasm",
    "chromium-threads": "tests.fuzz.chromium:ChromiumThreads",
}
# By how many lanes go side by side, where they can; with "x2" two threads share every launch. "quick-" goes before
# those whose machine code wasmtime does not optimize, and "chromium-" before those in V8.
_PACKETS = ("wasm1", "wasm4", "wasm8", "wasm16", "wasm1x2", "wasm4x2", "wasm8x2", "wasm16x2")
_PLAIN_WORK = 4000  # instructions times lanes that the plain interpreter is asked to run


@dataclass(frozen=True)
class Failure:
    """What went wrong with a seed. `signature` is what a smaller program has to share."""

    seed: int
    profile: str
    device: str
    kind: str  # "invalid", "reference", "differs", "fault", "crash", "died", "hangs"
    detail: str

    @property
    def signature(self) -> tuple[str, str, str]:
        return self.device, self.kind, self.detail.split(":")[0] if self.kind == "crash" else ""

    def __str__(self) -> str:
        return f"seed {self.seed} of profile {self.profile}, {self.device} {self.kind}: {self.detail}"


@dataclass
class Opponent:
    """A device that is compared with the reference."""

    name: str
    device: Any

    def takes(self, case: Case) -> bool:
        profile = PROFILES[case.profile]
        if self.name == "plain":
            return not profile.atlas and case.lanes * len(case.program) <= _PLAIN_WORK
        if self.name.startswith("chromium-") and (profile.atlas or case.classes):
            return False
        return profile.shader or not self.name.endswith("webgpu")


def reference(**options: Any) -> CpuBackend:
    return CpuBackend(**{"limits": LIMITS, **options})


def open_devices(names: list[str], limits: Limits = LIMITS) -> list[Opponent]:
    """The devices of these names; `cpu` stands for cpu with lanes in descending order, `module:Class` for any other.

    Raises BackendUnavailable.
    """
    found = []
    for name in names:
        if name == "cpu":
            found.append(Opponent("cpu, lanes descending", reference(lane_order="descending", limits=limits)))
        elif name == "plain":
            found.append(Opponent(name, PlainBackend(limits)))
        elif name == "optimized":
            found.append(Opponent(name, OptimizedBackend(limits=limits)))
        elif name in _TRACED:
            found.append(Opponent(name, _TRACED[name](limits=limits)))
        elif name in ("file", "file-webgpu"):
            found.append(Opponent(name, (FiledBackend if name == "file" else FiledShaders)(limits)))
        elif name.startswith("load-") and name[5:] in DEVICES:
            found.append(Opponent(name, LoadedBackend(DEVICES[name[5:]](limits=limits))))
        elif (lanes := name.removeprefix("quick-" if "quick" in name else "chromium-")) in _PACKETS:
            width, _, threads = lanes.removeprefix("wasm").partition("x")
            device: Any = partial(PacketsBackend, quick=name.startswith("quick-"))
            if name.startswith("chromium-"):
                device = import_module("tests.fuzz.chromium").ChromiumPackets
            found.append(Opponent(name, device(limits=limits, packets=int(width), threads=int(threads or 1))))
        elif ":" in name or name in _PAGES:
            module, _, cls = _PAGES.get(name, name).partition(":")
            found.append(Opponent(name, getattr(import_module(module), cls)(limits=limits)))
        else:
            if name not in DEVICES:
                raise BackendUnavailable(
                    name,
                    f"there are cpu, plain, optimized, traced, legal, pairs, file, file-webgpu, {', '.join(_PACKETS)}, "
                    f"{', '.join(f'quick-{n}' for n in _PACKETS)}, "
                    f"{', '.join(n for n in DEVICES if n != 'cpu')}, {', '.join(f'load-{n}' for n in DEVICES)}",
                )
            found.append(Opponent(name, DEVICES[name](limits=limits)))
    return found


def prime(device: Any, analysis: Analysis) -> None:
    """Spares a device of ours the verifying of a program (with its counts lifted) that is verified already."""
    if isinstance(device, (CpuBackend, PlainBackend, WasmBackend)):
        known = device._analyses
        if len(known) > 64:
            known.clear()
        analysis.source = analysis.source or analysis.program.to_bytes()
        known[analysis.source] = analysis


def check(case: Case, first: Any, opponents: list[Opponent]) -> tuple[Analysis, list[Failure], list[str]]:
    """Runs a case on the reference and on the opponents: the verifier's findings, failures, who could not run it."""
    analysis = analyze(lift(case.program)[0])
    if analysis.found:
        return analysis, [_failure(case, "verifier", "invalid", "; ".join(analysis.problems))], []
    prime(first, analysis)
    try:
        expected = execute(first, case)
    except Exception as error:  # whatever it is, it is a finding
        return analysis, [_failure(case, "cpu", "crash", _words(error))], []
    if expected.fault not in (None, case.fault):
        return analysis, [_failure(case, "cpu", "reference", expected.detail)], []
    failures, refused = [], []
    for opponent in opponents:
        if not opponent.takes(case):
            continue
        prime(opponent.device, analysis)
        found = against(case, expected, opponent)
        if found is not None and found.kind == "refused":
            refused.append(opponent.name)
        elif found is not None:
            failures.append(found)
    return analysis, failures, refused


def against(case: Case, expected: Outcome, opponent: Opponent) -> Failure | None:
    """How an opponent fails, or that it refuses the program, or None."""
    try:
        actual = execute(opponent.device, case)
    except (UnsupportedInstruction, UnsupportedType) as error:
        return _failure(case, opponent.name, "refused", str(error))
    except Exception as error:
        return _failure(case, opponent.name, "crash", _words(error))
    difference = compare(case, expected, actual)
    if difference is None:
        return None
    return _failure(case, opponent.name, "fault" if expected.fault != actual.fault else "differs", difference)


def _failure(case: Case, device: str, kind: str, detail: str) -> Failure:
    return Failure(case.seed, case.profile, device, kind, detail)


def _words(error: Exception) -> str:
    kind = "" if isinstance(error, HologramError) else "not a HologramError, "
    return f"{type(error).__name__}: {kind}{error}"
