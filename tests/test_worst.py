"""Hard inputs of 1 MB: what readers and the verifier take of time and memory. `python -m tests.worst` has all."""

from __future__ import annotations

import pytest

from .clock import within
from .worst import measure


@pytest.mark.parametrize(
    "name",
    [
        "text: empty lines",
        "text: instructions",
        "text: branches",
        "text: reads of nothing",
        "text: parameters of one name",
        "text: branches to nowhere, many labels",
        "text: calls in each other",
        "text: loops in each other",
        "json: lists",
        "json: depth",
        "bytes: zeros",
        "circuit: as many operations as may be",
        "circuit: ranges",
        "source: a sum",
        "source: a long tuple",
        "source: as long a tuple as may be",
        "source: backslashes",
        "source: empty loops over tuples",
        "source: helpers of helpers",
        "artifact: shaders",
    ],
)
def test_they_are_read_in_bounded_time_and_memory(name: str) -> None:
    """Seconds of a processor as fast as where limits were set: other processes do not count. Most take less than 2."""
    seconds, memory, _ = measure(name)
    assert within(seconds, 4)
    assert memory < 200
