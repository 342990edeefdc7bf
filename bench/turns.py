"""What is measured side by side takes turns, so that what else the machine does meets all of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

__all__ = ["in_turns"]

K = TypeVar("K", bound=Hashable)


def in_turns(
    runs: Mapping[K, Callable[[], object]], rounds: int, clock: Callable[[], float] = time.process_time
) -> dict[K, list[float]]:
    """Milliseconds by a clock, by default the processor's for this process, of each run in each round."""
    found: dict[K, list[float]] = {key: [] for key in runs}
    for _ in range(rounds):
        for key, run in runs.items():
            start = clock()
            run()
            found[key].append(1000 * (clock() - start))
    return found
