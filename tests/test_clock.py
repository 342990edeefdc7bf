"""Clocks of tests can fail, and do not for what the machine does."""

from __future__ import annotations

import time

import pytest

from . import clock
from .clock import Heart, again_and_again, within


def test_a_heart_counts_what_passes() -> None:
    with Heart() as heart:
        while heart.seconds < 0.1:
            time.sleep(0.01)
    seen = heart.seconds
    time.sleep(0.1)
    assert heart.seconds == seen  # it stands still


def test_a_call_that_comes_too_early_is_made_again() -> None:
    calls: list[int] = []
    with again_and_again(lambda: calls.append(1), first=0) as heart:
        while len(calls) < 3 or not heart.seconds:
            time.sleep(0.01)
    seen = len(calls)
    time.sleep(0.2)
    assert len(calls) == seen
    with again_and_again(lambda: calls.append(1), first=60):
        pass
    assert len(calls) == seen


def test_limits_are_longer_on_slower_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_slowness", lambda: 3.0)
    assert [within(seconds, 4) for seconds in (3.9, 11.9, 12.1)] == [True, True, False]
    monkeypatch.setattr(clock, "_slowness", lambda: 0.5)
    assert [within(seconds, 4) for seconds in (3.9, 4.1)] == [True, False]
