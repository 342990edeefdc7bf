"""Hard inputs of 1 MB: what readers and the verifier take of time and memory. `python -m tests.worst` has all."""

from __future__ import annotations

import pytest

from .worst import measure


@pytest.mark.parametrize(
    "name",
    [
        "text: empty lines",
        "text: parameters of one name",
        "text: branches to nowhere, many labels",
        "text: calls in each other",
        "text: loops in each other",
        "json: lists",
        "json: depth",
        "bytes: zeros",
        "source: empty loops over tuples",
        "source: helpers of helpers",
    ],
)
def test_they_are_read_in_bounded_time_and_memory(name: str) -> None:
    """Seconds of the processor: other processes do not count. The machine of CI may take twice as long as one's own."""
    seconds, memory, _ = measure(name)
    assert seconds < 8
    assert memory < 200
