"""Phases: a counter modulo 768 = 8 * 96."""

from __future__ import annotations

__all__ = ["PHASES", "advance", "phase_parts"]

PHASES = 768


def advance(phase: int, delta: int) -> tuple[int, int]:
    """The phase after `delta` more, and how many times it went around."""
    epochs, there = divmod(phase + delta, PHASES)
    return there, epochs


def phase_parts(phase: int) -> tuple[int, int, range]:
    """Of a phase: its class, its place within the class (0 to 7), and the six pages that belong to that place.

    Raises ValueError for a phase that is not from 0 to 767.
    """
    if not 0 <= phase < PHASES:
        raise ValueError(f"phase {phase!r} does not exist: it is from 0 to {PHASES - 1}")
    class_id, place = divmod(phase, 8)
    return class_id, place, range(6 * place, 6 * place + 6)
