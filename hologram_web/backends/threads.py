"""How many threads share a launch on wasm."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import LaunchError

__all__ = ["Threads", "check_threads"]


class Threads(NamedTuple):
    """How many threads a launch may have, and why not more."""

    number: int
    reason: str


def check_threads(asked: int | None) -> None:
    """Raises LaunchError for no number of threads."""
    if asked is not None and (type(asked) is not int or not 0 < asked <= 64):
        raise LaunchError(f"threads={asked!r} is no number of threads: give 1 to 64")
