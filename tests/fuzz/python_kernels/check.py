"""One seed: the kernel, what Python makes of it, and how the devices differ from that."""

from __future__ import annotations

import traceback
from typing import Any

from hologram_web.errors import TranslateError
from hologram_web.isa.lift import lift
from hologram_web.isa.verify import Analysis, analyze

from ..case import Case, Outcome
from ..devices import Failure, Opponent, against, prime
from .case import KernelCase, expected, launch_of
from .generator import generate
from .numbers import OracleError

__all__ = ["Unsound", "check_kernel", "compared", "prepared"]


class Unsound(Exception):
    """A kernel that shows nothing: it is not translated, or Python cannot run it. `failure` says how."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


def prepared(kernel: KernelCase) -> tuple[Case, Analysis, Outcome]:
    """The translated kernel, what the verifier says, and what Python makes of it. Raises Unsound."""

    def unsound(device: str, kind: str, detail: str) -> Unsound:
        return Unsound(Failure(kernel.seed, kernel.profile, device, kind, detail))

    try:
        case = launch_of(kernel)
        analysis = analyze(lift(case.program)[0])
    except TranslateError as error:
        raise unsound("frontend", "invalid", str(error)) from None
    except Exception:
        raise unsound("frontend", "crash", traceback.format_exc(limit=-3)) from None
    if analysis.found:
        raise unsound("verifier", "invalid", "; ".join(analysis.problems))
    try:
        return case, analysis, expected(kernel)
    except OracleError as error:
        raise unsound("oracle", "reference", str(error)) from None
    except Exception:
        raise unsound("oracle", "crash", traceback.format_exc(limit=-3)) from None


def compared(
    case: Case, analysis: Analysis, outcome: Outcome, opponents: list[Opponent]
) -> tuple[list[Failure], list[str]]:
    """How devices differ from what Python made of the kernel, and which refused it."""
    failures, refused = [], []
    for opponent in opponents:
        if not opponent.takes(case):
            continue
        prime(opponent.device, analysis)
        found = against(case, outcome, opponent)
        if found is not None and found.kind == "refused":
            refused.append(opponent.name)
        elif found is not None:
            failures.append(found)
    return failures, refused


def check_kernel(
    profile: str, seed: int, first: Any, opponents: list[Opponent]
) -> tuple[Case | None, Analysis | None, list[Failure], list[str]]:
    """Runs the kernel of a seed on the reference and on the opponents. What is not translated is a failure, too."""
    try:
        kernel = generate(seed, profile)
    except Exception:
        detail = traceback.format_exc(limit=-3)
        return None, None, [Failure(seed, profile, "generator", "crash", detail)], []
    try:
        case, analysis, outcome = prepared(kernel)
    except Unsound as error:
        return None, None, [error.failure], []
    return case, analysis, *compared(case, analysis, outcome, [Opponent("cpu", first), *opponents])
