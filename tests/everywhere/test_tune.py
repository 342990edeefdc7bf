"""The tuner of schedules beside other tasks, of which a page's own are some."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import hologram_web as hg
from hologram_web_tools import tune as tuning

SIZES = {"m": 3, "n": 5, "k": 4}


def test_others_run_between_its_steps(wait: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes with a timer, as another task here, has a turn behind each step that is long."""
    monkeypatch.setattr(tuning, "_LONG_S", -1.0)
    turns, seen = 0, []

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def both() -> Any:
        task = asyncio.ensure_future(others())
        ex = await hg.Executor.open("wasm")
        try:
            return await hg.tune_async("GEMM", SIZES, hg.f32, ex, seconds=0, again=True, timer=timer)
        finally:
            task.cancel()
            hg.forget_tuned()

    def timer(choice: tuning.TimedSchedule, spent: float) -> float:
        seen.append(turns)
        return 1e-3

    found = wait(both())
    assert found.choice == found.candidates[0].choice
    assert [each for each in found.candidates if each.refused] == []
    assert len(seen) == 3 * len(found.candidates) > 6
    assert all(turn < later for turn, later in pairwise(seen))


@pytest.mark.page
def test_where_python_cannot_wait_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    from hologram_web.page import session

    ex = hg.Executor("wasm")
    assert hg.tune("GEMM", SIZES, hg.f32, ex, seconds=0, again=True).candidates
    hg.forget_tuned()
    monkeypatch.setattr(session, "can_run_sync", lambda: False)
    with pytest.raises(hg.BackendUnavailable, match=r"Python cannot wait here, because .*: use await hg.tune_async"):
        hg.tune("GEMM", SIZES, hg.f32, ex, seconds=0, again=True)
