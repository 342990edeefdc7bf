"""Warnings of kernels."""

from __future__ import annotations

__all__ = [
    "LaunchWarning",
    "LostWarning",
    "RaceWarning",
    "SignWarning",
    "WrapWarning",
]


class SignWarning(UserWarning):
    """A kernel mixes signed and unsigned integers in a type that does not hold all values of both."""


class LaunchWarning(UserWarning):
    """A launch runs, and may not be what is meant."""


class RaceWarning(UserWarning):
    """Lanes of a kernel may change one element with nothing that orders them: some of what they do is lost."""


class LostWarning(UserWarning):
    """What a kernel computes is lost: nothing reads it."""


class WrapWarning(UserWarning):
    """An operation on integers of 8 or 16 bits may wrap, and its result is used where others promote them first."""
